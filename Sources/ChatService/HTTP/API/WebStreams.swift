// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import Foundation

/// The streams of events that browsers have open.
package final class WebStreams: Sendable {
    /// Streams of one session; the oldest ends for another one.
    package static let perSession = 8
    /// Streams of all.
    package static let limit = 256
    /// A reader with a full feed that takes nothing for so long is told where to go on.
    private static let patience = Duration.seconds(10)

    private struct Stream {
        let number: Int
        let session: String
        let feed: EventFeed
    }

    private struct State {
        var streams: [Stream] = []
        var next = 0
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.streams.count } }

    /// Opens a stream after a cursor, or at the end.
    func open(
        _ cursor: String?, of session: String, on client: any ChatClient
    ) async throws(ChatAPIError) -> WebReply {
        if let cursor, cursor.utf8.count > 32 || !cursor.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            throw ChatAPIError(.invalidArgument, "that is not a cursor", hint: "take it from an event or from /status")
        }
        // Known before the first event, so that a reader that lags behind from the start knows where to go on.
        let start: String?
        if let cursor { start = cursor } else { start = try await client.status().cursor }
        let feed = EventFeed()
        feed.push(Array("retry: 1000\n\n".utf8))
        let (number, surplus) = try state.withLock { (state) throws(ChatAPIError) -> (Int, EventFeed?) in
            guard state.streams.count < Self.limit else { throw .tooMany }
            state.next += 1
            let own = state.streams.filter { $0.session == session }
            let surplus = own.count >= Self.perSession ? own.first : nil
            if let surplus { state.streams.removeAll { $0.number == surplus.number } }
            state.streams.append(Stream(number: state.next, session: session, feed: feed))
            return (state.next, surplus?.feed)
        }
        surplus?.end()
        let task = Task { await Self.pump(client, start, into: feed) }
        feed.whenClosed { [weak self] in
            task.cancel()
            self?.state.withLock { state in state.streams.removeAll { $0.number == number } }
        }
        var reply = WebReply(200, body: .events(feed))
        reply.set("Content-Type", "text/event-stream")
        // Proxies that gather replies would hold events back.
        reply.set("X-Accel-Buffering", "no")
        return reply
    }

    /// Whether a browser has a page open.
    func has(_ session: String) -> Bool { state.withLock { $0.streams.contains { $0.session == session } } }

    /// Tells every browser that something changed which is no matter of the core.
    func tell(_ type: String) {
        let feeds = state.withLock { $0.streams.map(\.feed) }
        for feed in feeds { feed.push(Self.event(Notice(type: type, cursor: nil), nil)) }
    }

    /// Ends the streams of a session, and says why.
    func signOut(_ session: String) {
        let feeds = state.withLock { state in
            let own = state.streams.filter { $0.session == session }.map(\.feed)
            state.streams.removeAll { $0.session == session }
            return own
        }
        for feed in feeds { feed.end(with: Self.event(Notice(type: "signed-out", cursor: nil), nil)) }
    }

    /// Ends the streams of sessions that were ended by another process.
    package func keepOnly(_ sessions: Set<String>) {
        let gone = state.withLock { Set($0.streams.map(\.session)).subtracting(sessions) }
        for session in gone { signOut(session) }
    }

    private static func pump(_ client: any ChatClient, _ start: String?, into feed: EventFeed) async {
        var cursor = start
        do throws(ChatAPIError) {
            for try await event in client.events(since: start) {
                let resync = Self.event(Notice(type: "resync", cursor: cursor), nil)
                let bytes = Self.event(event, event.cursor)
                guard await feed.write(bytes, within: Self.patience, orEndWith: resync) else { return }
                if let reached = event.cursor { cursor = reached }
            }
        } catch {
            // The reader comes again, at its last cursor.
        }
        feed.end()
    }

    private struct Notice: Encodable {
        let type: String
        let cursor: String?
    }

    /// One event on the wire; JSON has no line breaks.
    private static func event<Value: Encodable>(_ value: Value, _ id: String?) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return [] }
        let name = id.map { "id: \($0)\n" } ?? ""
        return Array("\(name)data: ".utf8) + Array(data) + [0x0A, 0x0A]
    }
}
