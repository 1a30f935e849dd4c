// SPDX-License-Identifier: Apache-2.0
import Foundation
import ServiceFuzzTargets
import Testing

/// The kept inputs of `make fuzz TARGET=http`, and many made of them: a finding is a crash of this test.
@Suite struct HTTPFuzzTests {
    @Test("T171 no kept request and no variation of one breaks what a head promises")
    func corpus() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Fuzz/Corpus/http")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let inputs = try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
        #expect(inputs.count > 5)
        var dice = SystemDice(seed: 7)
        for input in inputs {
            input.withUnsafeBytes { fuzzHTTP($0) }
            for _ in 0..<300 {
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
                bytes.withUnsafeBytes { fuzzHTTP($0) }
            }
        }
    }
}

/// A sequence of numbers that is the same in each run.
private struct SystemDice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return limit > 0 ? Int((state >> 33) % UInt64(limit)) : 0
    }
}
