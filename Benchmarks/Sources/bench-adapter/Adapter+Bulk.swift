// SPDX-License-Identifier: Apache-2.0
import Foundation
@_spi(Measuring) import XMPP

extension Adapter {
    func parse(_ report: inout Report) throws -> Bool {
        let data = try Data(contentsOf: URL(fileURLWithPath: options["corpus"]))
        let chunk = max(1, options.number("chunk"))
        var (messages, presences, iqs) = (0, 0, 0)
        let message = XMLName("message", "jabber:client")
        let presence = XMLName("presence", "jabber:client")
        let iq = XMLName("iq", "jabber:client")
        var reader = StreamReader()
        let bytes = [UInt8](data)
        let count = bytes.count
        let watch = Stopwatch()
        try bytes.withUnsafeBytes { all in
            var start = 0
            while start < count {
                let end = min(start + chunk, count)
                reader.append(UnsafeRawBufferPointer(rebasing: all[start..<end]))
                while let element = try reader.next() {
                    if element.matches(message) {
                        messages += 1
                    } else if element.matches(presence) {
                        presences += 1
                    } else if element.matches(iq) {
                        iqs += 1
                    }
                }
                start = end
            }
        }
        let ok = messages + presences + iqs == n
        watch.stop(&report, n: n, ok: ok, bytes: count)
        report.add("bytes", count)
        report.add("messages", messages)
        report.add("presences", presences)
        report.add("iqs", iqs)
        return ok
    }

    @concurrent func flood(_ report: inout Report) async throws -> Bool {
        let session = try await prepared()
        let control = try address("ctl")
        let tally = Tally()
        let done = Gate()
        // A subscription that nobody reads would hold the session up: take one only to read it.
        let messages = onExecutor ? nil : session.messages()
        if onExecutor {
            await session.handleMessages { message in if tally.add(message) { done.open() } }
        }
        try await session.connect()
        let watch = Stopwatch()
        tally.begin = Stopwatch.now
        guard let messages else {
            try await session.send(Message(to: control, id: "go", body: "go"))
            await done.wait()
            return finish(&report, watch, tally)
        }
        try await session.send(Message(to: control, id: "go", body: "go"))
        for try await message in messages where tally.add(message) { break }
        return finish(&report, watch, tally)
    }

    private func finish(_ report: inout Report, _ watch: Stopwatch, _ tally: Tally) -> Bool {
        let ok = tally.got == n
        watch.stop(&report, n: n, ok: ok)
        report.add("got", tally.got)
        report.add("body_sum", tally.bodies)
        report.add("from_sum", tally.senders)
        report.add("id_sum", tally.ids)
        report.add("body_unit", "utf8")
        report.add("first_ms", tally.first * 1000)
        return ok
    }

    @concurrent func sink(_ report: inout Report) async throws -> Bool {
        let text = try String(contentsOfFile: options["corpus"], encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        let session = try await prepared()
        let messages = session.messages()
        try await session.connect()
        let peer = try JID("peer@bench.example/phone")
        let control = try address("ctl")
        let request = Element(XMLName("request", "urn:xmpp:receipts"))
        let active = Element(XMLName("active", "http://jabber.org/protocol/chatstates"))
        let watch = Stopwatch()
        for index in 0..<n {
            try await session.send(
                Message(
                    to: peer, kind: .chat, id: "m\(index)", body: lines[index % lines.count],
                    payloads: [request, active]))
        }
        try await session.send(Message(to: control, id: "marker", body: "end"))
        var said: String?
        for try await message in messages where message.id == "done" {
            said = message.body ?? ""
            break
        }
        let ok = said != nil
        watch.stop(&report, n: n, ok: ok)
        report.add("server_says", said ?? "")
        return ok
    }
}

/// What the messages of a flood add up to; used by one reader at a time.
// Unchecked: the handler or the loop of the reader is the only user, one after the other.
final class Tally: @unchecked Sendable {
    var got = 0
    var bodies = 0
    var senders = 0
    var ids = 0
    var first = 0.0
    var begin = 0.0

    /// True for the message that ends the flood.
    func add(_ message: Message) -> Bool {
        guard message.id != "marker" else { return true }
        if got == 0 { first = Stopwatch.now - begin }
        got += 1
        bodies += message.body?.utf8.count ?? 0
        senders += message.from?.description.utf8.count ?? 0
        ids += message.id?.utf8.count ?? 0
        return false
    }
}
