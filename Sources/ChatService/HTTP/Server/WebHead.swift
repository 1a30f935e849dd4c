// SPDX-License-Identifier: Apache-2.0

/// A request's first line and headers, taken apart; one that exists has passed every rule of `init(_:)`.
package struct WebHead: Hashable, Sendable {
    package enum Method: String, Hashable, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// It is not supposed to change anything.
        package var isSafe: Bool { self == .get || self == .head }
    }

    /// One header as it came; names are in lower case.
    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What the HTTP library gives, before anything is believed.
    package struct Raw: Hashable, Sendable {
        package var method: String
        /// The target with its query, percent-encoded as it came.
        package var target: [UInt8]
        package var version: String
        package var headers: [(name: [UInt8], value: [UInt8])] = []
        /// Bytes of the whole head on the wire; 0 when that is not known.
        package var size = 0

        package init(method: String, target: [UInt8], version: String) {
            self.method = method
            self.target = target
            self.version = version
        }

        package static func == (left: Raw, right: Raw) -> Bool {
            left.method == right.method && left.target == right.target && left.version == right.version
                && left.size == right.size && left.headers.elementsEqual(right.headers, by: ==)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(method)
            hasher.combine(target)
        }
    }

    package let method: Method
    /// The decoded segments of the path; empty for `/`.
    package let path: [String]
    package let query: [String: String]
    package let headers: [Header]
    /// The Host header in lower case.
    package let host: String
    /// Bytes of the body; nil when it comes in chunks.
    package let bodyLength: Int?

    package var hasBody: Bool { bodyLength != 0 }

    /// The value of a header, given by its name in lower case; nil when it is absent.
    ///
    /// A header that came several times has its values joined by commas.
    package func header(_ name: String) -> String? {
        let values = headers.lazy.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The value of one cookie; nil also when it came twice, since nobody can tell which one is meant.
    package func cookie(_ name: String) -> String? {
        var found: String?
        for header in headers where header.name == "cookie" {
            for part in header.value.split(separator: ";") {
                let pair = part.drop { $0 == " " }
                guard let mark = pair.firstIndex(of: "="), pair[..<mark] == name else { continue }
                guard found == nil else { return nil }
                found = String(pair[pair.index(after: mark)...])
            }
        }
        return found
    }
}

/// A request that is not even looked at.
package struct WebRefusal: Error, Hashable, Sendable {
    package var status: Int
    package var text: String

    package init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }
}
