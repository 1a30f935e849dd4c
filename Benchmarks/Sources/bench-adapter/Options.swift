// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The command line of a benchmark adapter: always `--key value`.
struct Options: Sendable {
    var values: [String: String] = [
        "bench": "flood", "n": "1000", "variant": "", "host": "127.0.0.1", "port": "5222", "domain": "bench.example",
        "user": "bench", "password": "secret", "tls": "none", "corpus": "", "chunk": "4096", "window": "1",
        "batch": "64", "ca": "",
    ]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let key = rest.popFirst() {
            let name = String(key.drop { $0 == "-" })
            guard key.hasPrefix("--"), values[name] != nil, let value = rest.popFirst() else {
                throw Failure("unknown option or missing value: \(key)")
            }
            values[name] = value
        }
    }

    subscript(name: String) -> String { values[name] ?? "" }
    func number(_ name: String) -> Int { Int(self[name]) ?? 0 }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// One JSON line for the driver.
struct Report {
    private var members: [(String, String)] = []

    mutating func add(_ name: String, _ value: some LosslessStringConvertible & Numeric) {
        members.append((name, String(value)))
    }
    mutating func add(_ name: String, _ value: Bool) { members.append((name, value ? "true" : "false")) }
    mutating func add(_ name: String, _ value: String) {
        let text = value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        members.append((name, "\"\(text)\""))
    }
    mutating func add(_ name: String, _ values: [Double]) {
        members.append((name, "[" + values.map { String($0) }.joined(separator: ",") + "]"))
    }
    var line: String { "{" + members.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}" }
}
