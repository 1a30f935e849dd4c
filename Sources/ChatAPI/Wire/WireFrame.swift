// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The protocol on the socket: one JSON object a line, UTF-8, each with a `type`.
///
/// | who | frame | meaning |
/// |---|---|---|
/// | face | `hello` | first frame; `versions` that it speaks, its `program` |
/// | core | `welcome` | the `version` chosen, its `program`, `role`, `process`, `directory` |
/// | core | `refuse` | instead of `welcome`: the `error`; the core closes |
/// | face | `call` | `id`, `method`, `params`, and for a stream `credit`: how many events may be under way |
/// | face | `cancel` | the call `id` is not wanted any more; the core still ends it with one frame |
/// | face | `credit` | `credit` more events may be sent for the call `id` |
/// | core | `reply` | the call `id` ended with `result` |
/// | core | `failure` | the call `id` ended with `error` |
/// | core | `event` | one `event` of the stream `id` |
/// | core | `leaving` | the core is about to stop; no new call is taken, streams end |
///
/// Members that are not known are skipped, so that a version can grow.
package enum Wire {
    /// The versions this program speaks, the preferred one first.
    package static let versions = [1]
    /// Bytes of one frame from face to core.
    package static let callBytes = 1 << 20
    /// Bytes of one frame from core to face.
    package static let replyBytes = 16 << 20
    /// Events under way to one reader.
    package static let credit = 256
    /// Calls under way on one connection.
    package static let calls = 256

    /// What every frame says of itself; payloads are read in a second pass, when their type is known.
    package struct Header: Hashable, Codable, Sendable {
        package enum Kind: String, Hashable, Codable, Sendable {
            case hello, welcome, refuse, call, cancel, credit, reply, failure, event, leaving
        }

        package var type: Kind
        package var id: UInt64?
        package var method: String?
        package var credit: Int?
        package var versions: [Int]?
        package var version: Int?
        package var program: String?
        package var role: String?
        package var process: Int32?
        package var directory: String?
        package var error: ChatAPIError?

        package init(_ type: Kind, id: UInt64? = nil) {
            self.type = type
            self.id = id
        }
    }

    /// One frame as bytes with its line feed.
    package static func encode(_ header: Header) throws(ChatAPIError) -> [UInt8] {
        try line(header)
    }

    package static func encode<Payload: Encodable>(
        _ header: Header, params: Payload
    ) throws(ChatAPIError) -> [UInt8] {
        try line(Frame(header: header, key: "params", payload: params))
    }

    package static func encode<Payload: Encodable>(
        _ header: Header, result: Payload
    ) throws(ChatAPIError) -> [UInt8] {
        try line(Frame(header: header, key: "result", payload: result))
    }

    package static func encode(_ header: Header, event: ChatEvent) throws(ChatAPIError) -> [UInt8] {
        try line(Frame(header: header, key: "event", payload: event))
    }

    package static func header(_ line: [UInt8]) throws(ChatAPIError) -> Header {
        try decode(Header.self, line)
    }

    package static func params<Payload: Decodable>(
        _ type: Payload.Type, _ line: [UInt8]
    ) throws(ChatAPIError) -> Payload {
        try decode(ParamsOf<Payload>.self, line).params
    }

    package static func result<Payload: Decodable>(
        _ type: Payload.Type, _ line: [UInt8]
    ) throws(ChatAPIError) -> Payload {
        try decode(ResultOf<Payload>.self, line).result
    }

    package static func event(_ line: [UInt8]) throws(ChatAPIError) -> ChatEvent {
        try decode(EventOf.self, line).event
    }

    private static func line<Value: Encodable>(_ value: Value) throws(ChatAPIError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return Array(try encoder.encode(value)) + [0x0A]
        } catch {
            throw ChatAPIError(.fault, "a request or reply cannot be written as JSON")
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws(ChatAPIError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw ChatAPIError(
                .protocolMismatch, "a frame on the profile's socket is not understood",
                hint: "check that both programs are Apus of the same version")
        }
    }
}

private struct ParamsOf<Payload: Decodable>: Decodable {
    let params: Payload
}

private struct ResultOf<Payload: Decodable>: Decodable {
    let result: Payload
}

private struct EventOf: Decodable {
    let event: ChatEvent
}

/// A header's members and one payload side by side in one object.
private struct Frame<Payload: Encodable>: Encodable {
    let header: Wire.Header
    let key: String
    let payload: Payload

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        try header.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(payload, forKey: Key(stringValue: key))
    }
}
