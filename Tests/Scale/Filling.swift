// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ChatKit
import Foundation
import XMPP

/// Fills a profile: the list of contacts by a roster result, messages by pages of the archive, rooms as rows.
struct Filling {
    let directory: String
    /// Each page is taken in before the next one comes, as from a server that is slower than the disk; else they come as fast
    /// as they are taken.
    var isSlow = false

    /// Messages in a page; a session asks for so many at once, and servers give as many or fewer.
    private static let page = 100
    /// So many messages are made in memory before they are handed over.
    private static let portion = 10_000

    func fill(_ count: Int) async throws -> [String: Double] {
        let core = try await ChatCore.open(directory: directory)
        let session = try await account(core)
        try await contacts(session)
        let watch = Stopwatch()
        let seconds = try await take(session, from: 0, count: count, seed: 1).seconds
        try await rooms(core)
        await core.close()
        let size = try FileManager.default.attributesOfItem(atPath: directory + "/chat.db")[.size] as? Int ?? 0
        return [
            "messages": Double(count), "seconds": watch.seconds, "per_second": Double(count) / seconds,
            "bytes_per_message": Double(size) / Double(max(count, 1)),
        ]
    }

    /// Takes entries in that the profile does not have; they follow on all that it was filled with, years ago, so nobody is
    /// told that they came.
    func ingest(_ count: Int) async throws -> [String: Double] {
        let core = try await ChatCore.open(directory: directory)
        let session = try await account(core)
        let first = try await core.store.read { connection -> Int in
            try connection.value("SELECT max(id) FROM message") ?? 0
        }
        let (seconds, processor) = try await take(session, from: first, count: count, seed: UInt64(first))
        await core.close()
        return [
            "per_second": Double(count) / seconds, "cpu_us": processor / Double(count) * 1e6, "peak_mib": Memory.peak,
        ]
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The session's store of the account, which is made when there is none.
    private func account(_ core: ChatCore) async throws -> AccountSessionStore {
        let row = try await core.store.write { transaction -> Int64 in
            let known: Int64? = try transaction.connection.value("SELECT id FROM account WHERE jid = ?", Corpus.me)
            if let known { return known }
            try transaction.connection.run(
                "INSERT INTO account (jid, is_enabled, created) VALUES (?, 0, ?)", Corpus.me, transaction.now)
            return transaction.connection.lastInsertedRow
        }
        return AccountSessionStore(
            store: core.store, account: row, jid: try JID(Corpus.me), presence: core.presenceBook)
    }

    private func contacts(_ session: AccountSessionStore) async throws {
        let items = (0..<Corpus.contacts).map { index in
            """
            <item jid='\(Corpus.contact(index))' name='Person \(index)' subscription='both'>\
            <group>\(index % 3 == 0 ? "Friends" : "Work")</group></item>
            """
        }
        var reader = try StanzaReader()
        let result = try reader.read(
            "<iq type='result' id='r' to='\(Corpus.me)/a'><query xmlns='jabber:iq:roster' ver='1'>"
                + items.joined() + "</query></iq>")
        guard let result else { throw ChatError(.other, "the list of contacts was not read") }
        try await session.commit(SessionCommit(received: [result], state: SessionState(streamID: "scale")))
    }

    private func rooms(_ core: ChatCore) async throws {
        try await core.store.write { transaction in
            for index in 0..<Corpus.rooms {
                try transaction.connection.run(
                    """
                    INSERT INTO conversation (account, peer, kind, name, last_sort)
                    VALUES ((SELECT id FROM account), ?, 'room', ?, ?)
                    """, "room\(index)@rooms.example.org", "Room \(index)", Corpus.start + Int64(index))
            }
        }
    }

    /// Takes pages in; gives the seconds, and those of processors, without those that making the pages took.
    private func take(
        _ session: AccountSessionStore, from first: Int, count: Int, seed: UInt64
    ) async throws -> (seconds: Double, processor: Double) {
        var corpus = Corpus(seed: seed)
        var spent = (seconds: 0.0, processor: 0.0)
        for start in stride(from: 0, to: count, by: Self.portion) {
            let end = min(start + Self.portion, count)
            let made = try stride(from: start, to: end, by: Self.page).map { begin in
                let size = min(Self.page, end - begin)
                return try corpus.page(from: first + begin, count: size, isComplete: begin + size == count)
            }
            let (watch, processor) = (Stopwatch(), Self.processorSeconds)
            let pages = ArchivePages(own: session)
            for page in made {
                try await pages.add(page)
                if isSlow { try await pages.finish() }
            }
            try await pages.finish()
            spent.seconds += watch.seconds
            spent.processor += Self.processorSeconds - processor
        }
        return spent
    }
}
