// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// What is answered to a request.
package struct WebReply: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A part of an open file.
        case file(WebFile, offset: Int, count: Int)
        /// A stream of events; it ends when the feed does.
        case events(EventFeed)
    }

    package var status: Int
    package var headers: [WebHead.Header]
    package var body: Body

    package init(_ status: Int, headers: [WebHead.Header] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package mutating func set(_ name: String, _ value: String) {
        headers.append(WebHead.Header(name: name, value: value))
    }

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// A value as JSON; only a value that has none is a fault.
    package static func json<Value: Encodable>(_ status: Int, _ value: Value) -> WebReply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        guard let data = try? encoder.encode(value) else { return WebReply(500) }
        var reply = WebReply(status, body: .bytes(Array(data)))
        reply.set("Content-Type", "application/json")
        return reply
    }
}

/// An open file that is closed with its last owner.
package final class WebFile: Sendable {
    package let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }
}

/// Decides about requests.
package protocol WebHandler: Sendable {
    /// Decides from the head alone, on the thread of the server: it must not block.
    func admit(_ head: WebHead) -> WebAdmission
    /// The answer to a request that broke the rules of HTTP.
    func refused(_ refusal: WebRefusal) -> WebReply
}

/// What becomes of a request whose head is known.
package enum WebAdmission: Sendable {
    /// It is answered at once, and its connection closed if it has a body.
    case refuse(WebReply)
    /// Its body is read, up to so many bytes, and then answered.
    case take(limit: Int, answer: @Sendable (_ body: [UInt8]) async -> WebReply)
    /// Its body is written to a file, up to so many bytes, and then answered.
    case save(limit: Int, file: ReceivedFile, answer: @Sendable () async -> WebReply)
}
