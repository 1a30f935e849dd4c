// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ChatKit
import Foundation
import XMPP

/// Opens a filled profile as a program would that has just been started, and measures.
enum Measuring {
    static func measure(directory: String) async throws -> [String: Double] {
        var figures: [String: Double] = [:]
        let before = Memory.now
        let opening = Stopwatch()
        let core = try await ChatCore.open(directory: directory)
        let list = try await core.conversations()
        figures["open_ms"] = opening.milliseconds
        figures["conversations"] = Double(list.count)
        let contacts = Stopwatch()
        figures["contacts"] = Double(try await core.contacts().count)
        figures["contacts_ms"] = contacts.milliseconds

        let account = try JID(Corpus.me)
        let large = try await core.conversation(with: try JID(Corpus.contact(0)), account: account)
        try await pages(core, large.id, &figures)
        try await searches(core, large.id, &figures)
        figures["rss_mib"] = Memory.now
        figures["peak_mib"] = Memory.peak
        figures["start_mib"] = before
        await core.close()
        return figures
    }

    /// Pages of 50 at places all over the conversation, each at another one so that nothing is warm.
    private static func pages(
        _ core: ChatCore, _ conversation: Conversation.ID, _ figures: inout [String: Double]
    ) async throws {
        let (first, last) = try await core.store.read { connection -> (Int64, Int64) in
            let first: Int64?? = try connection.value(
                "SELECT id FROM message WHERE conversation = ? ORDER BY sort LIMIT 1", conversation.rawValue)
            let last: Int64?? = try connection.value(
                "SELECT id FROM message WHERE conversation = ? ORDER BY sort DESC LIMIT 1", conversation.rawValue)
            return ((first ?? nil) ?? 0, (last ?? nil) ?? 0)
        }
        let newest = Stopwatch()
        _ = try await core.timeline(conversation, limit: 50)
        figures["page_newest_ms"] = newest.milliseconds
        var times: [Double] = []
        for step in 1...60 {
            let row = first + (last - first) * Int64(step) / 61
            let id = try await core.store.read { connection -> Int64? in
                try connection.value(
                    "SELECT id FROM message WHERE id >= ? AND conversation = ? LIMIT 1", row, conversation.rawValue)
            }
            guard let id else { continue }
            let place: TimelinePlace =
                switch step % 3 {
                case 0: .before(.init(rawValue: id))
                case 1: .after(.init(rawValue: id))
                default: .around(.init(rawValue: id))
                }
            let watch = Stopwatch()
            let page = try await core.timeline(conversation, at: place, limit: 50)
            times.append(watch.milliseconds)
            if page.messages.count < 40 { throw ChatError(.other, "a page of \(page.messages.count)") }
        }
        figures["page_ms"] = median(times)
        figures["page_max_ms"] = times.max() ?? 0
    }

    /// What is looked for: name of the figure, text, and whether in the large conversation alone.
    private static let queries: [(name: String, text: String, isInOne: Bool)] = [
        ("word", "zeppelin", false), ("common", "the", false), ("words", "quick zeppelin late", false),
        ("phrase", "\"zeppelin was late\"", false), ("phrase_common", "\"and the\"", false),
        ("two_characters", "吃饭", false), ("one_character", "饭", false), ("accent", "cafe", false),
        ("beginning", "zepp", false), ("in_one", "meeting", true), ("none", "zeppelin 吃饭", false),
    ]

    private static func searches(
        _ core: ChatCore, _ conversation: Conversation.ID, _ figures: inout [String: Double]
    ) async throws {
        for (name, text, isInOne) in queries {
            var times: [Double] = []
            var hits: [SearchHit] = []
            for _ in 1...3 {
                var query = SearchQuery(text)
                if isInOne { query.conversation = conversation }
                let watch = Stopwatch()
                hits = try await core.search(query, limit: 20)
                times.append(watch.milliseconds)
            }
            // The first one counts: nobody looks for the same thing twice.
            figures["search_\(name)_ms"] = times[0]
            figures["search_\(name)_again_ms"] = median(times)
            figures["hits_\(name)"] = Double(hits.count)
            switch name {
            case "two_characters", "one_character":
                guard !hits.isEmpty, hits.allSatisfy({ $0.message.body.contains(text) }),
                    hits.contains(where: { $0.message.body == "准备吃饭了" })
                else { throw ChatError(.other, "\(text) was not found in 准备吃饭了") }
            case "accent":
                guard !hits.isEmpty, hits.allSatisfy({ $0.message.body.contains("Café") }) else {
                    throw ChatError(.other, "cafe did not find Café")
                }
            default: break
            }
        }
    }

    /// All contacts come online while somebody looks at the list of contacts and the list of conversations.
    static func presence(directory: String) async throws -> [String: Double] {
        let core = try await ChatCore.open(directory: directory)
        let jid = try JID(Corpus.me)
        let row: Int64? = try await core.store.read { try $0.value("SELECT id FROM account WHERE jid = ?", Corpus.me) }
        let session = AccountSessionStore(
            store: core.store, account: row ?? 0, jid: jid, presence: core.presenceBook)
        core.presenceBook.reset(jid, isOnline: true)
        let state = SessionState(streamID: "presence \(Date())")
        try await session.commit(SessionCommit(received: [], state: state))
        var reader = try StanzaReader()
        var stanzas: [Stanza] = []
        for index in 0..<Corpus.contacts {
            let stanza = try reader.read(
                """
                <presence from='\(Corpus.contact(index))/phone' to='\(Corpus.me)/a'><status>number \(index)</status>\
                </presence>
                """)
            if let stanza { stanzas.append(stanza) }
        }
        let (firsts, first) = AsyncStream.makeStream(of: Void.self)
        let watcher = Task { () -> (diffs: Int, seconds: Double)? in
            var diffs = 0
            for try await changes in core.contactUpdates() {
                if diffs == 0 { first.yield() }
                diffs += 1
                if changes.rows.count(where: { $0.presence.availability == .online }) == Corpus.contacts {
                    return (diffs, 0)
                }
            }
            return nil
        }
        let conversations = Task {
            var diffs = 0
            for try await _ in core.conversationUpdates() {
                if diffs == 0 { first.yield() }
                diffs += 1
            }
            return diffs
        }
        // Both lists are there before anything comes.
        var lists = firsts.makeAsyncIterator()
        for _ in 1...2 { await lists.next() }
        let watch = Stopwatch()
        for start in stride(from: 0, to: stanzas.count, by: 50) {
            let batch = Array(stanzas[start..<min(start + 50, stanzas.count)])
            try await session.commit(SessionCommit(received: batch, state: state))
        }
        let committed = watch.seconds
        let diffs = try await watcher.value?.diffs ?? 0
        let seconds = watch.seconds
        let peak = Memory.peak
        conversations.cancel()
        let listDiffs = try await conversations.value
        await core.close()
        return [
            "commit_s": committed, "seconds": seconds, "diffs": Double(diffs), "list_diffs": Double(listDiffs),
            "peak_mib": peak,
        ]
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
