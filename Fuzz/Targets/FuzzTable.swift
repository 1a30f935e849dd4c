// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Every target by the name that `make fuzz TARGET=name` takes.
///
/// A new one is a function, a line here, and a folder of seeds in `Fuzz/Corpus`.
package let fuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
    "xml": { fuzzXML($0) },
    "stream": { fuzzStream($0) },
    "scram": { fuzzSCRAM($0) },
    "jid": { fuzzJID($0) },
    "date": { fuzzDate($0) },
    "management": { fuzzManagement($0) },
    "forms": { fuzzForms($0) },
]

private let chosen: @Sendable (UnsafeRawBufferPointer) -> Void = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = fuzzTargets[name] else {
        print("no target '\(name)'; there are \(fuzzTargets.keys.sorted().joined(separator: ", "))")
        exit(2)
    }
    return target
}()

/// Called by libFuzzer with one input after the other; a failed precondition is what it reports.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// Takes the input apart.
struct FuzzInput {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }
    /// The next byte, 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
    /// The bytes up to the next of that value, which is skipped.
    mutating func bytes(until end: UInt8) -> [UInt8] {
        let part = Array(rest.prefix { $0 != end })
        rest = rest.dropFirst(part.count + 1)
        return part
    }
    /// Everything that is left.
    mutating func all() -> [UInt8] {
        defer { rest = rest.suffix(0) }
        return Array(rest)
    }
}
