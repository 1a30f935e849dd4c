// SPDX-License-Identifier: Apache-2.0
import Foundation
import FuzzTargets
import Testing

/// The kept inputs of `make fuzz`, and some made of them, without libFuzzer: a finding is a crash of this test.
@Suite("Fuzz targets over the kept inputs", .timeLimit(.minutes(5)))
struct FuzzCorpusTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus")

    @Test("T085 T195 no kept input and no variation of one makes a target fail", arguments: fuzzTargets.keys.sorted())
    func corpus(_ name: String) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.folder.appendingPathComponent(name), includingPropertiesForKeys: nil)
        let inputs = try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
        #expect(!inputs.isEmpty, "Fuzz/Corpus/\(name) has no inputs")
        let target = try #require(fuzzTargets[name])
        let dice = Dice(seed: 1)
        for input in inputs {
            input.withUnsafeBytes { target($0) }
            for _ in 0..<40 { vary(input, inputs, dice).withUnsafeBytes { target($0) } }
        }
    }

    @Test("every folder of inputs belongs to a target")
    func folders() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        // That of the service stands with the tests of the service.
        #expect(Set(names) == Set(fuzzTargets.keys).union(["http"]))
    }

    private func vary(_ input: [UInt8], _ inputs: [[UInt8]], _ dice: Dice) -> [UInt8] {
        var bytes = input
        for _ in 0...dice.below(4) {
            let place = dice.below(bytes.count + 1)
            switch dice.below(5) {
            case 0: bytes = Array(bytes.prefix(place))
            case 1: if place < bytes.count { bytes[place] = UInt8(dice.below(256)) }
            case 2: if place < bytes.count { bytes.remove(at: place) }
            case 3: bytes.insert(contentsOf: bytes.suffix(dice.below(40)), at: place)
            default:
                let other = inputs[dice.below(inputs.count)]
                bytes = Array(bytes.prefix(place)) + other.dropFirst(dice.below(other.count + 1))
            }
        }
        return bytes
    }
}
