// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation

/// One request for an operation, let in and read.
package struct WebCall: Sendable {
    let head: WebHead
    let origin: WebOrigins.Origin
    /// The values of the path's braces.
    let values: [String: String]
    let session: WebAccess.Session?
    /// The session's cookie.
    let secret: String?
    let key: String?
    let body: [UInt8]
    /// The body of an operation that takes a file.
    var file: ReceivedFile?

    subscript(name: String) -> String { values[name] ?? "" }

    var account: String { self["account"] }

    var conversation: ConversationID {
        ConversationID(account: account, conversation: self["conversation"])
    }

    /// The body as a value; members that are not known are skipped.
    func decode<Value: Decodable>(_ type: Value.Type) throws(ChatAPIError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(body.isEmpty ? Array("{}".utf8) : body))
        } catch {
            throw ChatAPIError(
                .invalidArgument, "the body is not what this operation takes", hint: "docs/openapi.yaml describes it")
        }
    }

    /// A flag of the query.
    func flag(_ name: String) throws(ChatAPIError) -> Bool {
        switch head.query[name] {
        case nil, "false": false
        case "true": true
        default: throw ChatAPIError(.invalidArgument, "\(name) is true or false")
        }
    }

    /// A whole number of the query.
    func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(ChatAPIError) -> Int {
        guard let text = head.query[name] else { return standard }
        guard let value = Int(text), range.contains(value) else {
            throw ChatAPIError(
                .invalidArgument, "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}

extension Duration {
    /// Seconds as they come in a body, within bounds.
    static func given(_ seconds: Double?, default standard: Double, atMost most: Double) throws(ChatAPIError)
        -> Duration
    {
        let seconds = seconds ?? standard
        guard seconds >= 0, seconds <= most else {
            throw ChatAPIError(.invalidArgument, "timeout is a number of seconds from 0 to \(Int(most))")
        }
        return .milliseconds(Int64(seconds * 1000))
    }
}
