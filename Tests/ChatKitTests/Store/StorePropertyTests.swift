// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP

@testable import ChatKit

/// What happens to a conversation in any order, and what has to be true after each of it.
@Suite("Anything in any order", .timeLimit(.minutes(2)))
struct StorePropertyTests {
    private static let tearoom = "tearoom@rooms.example.org"

    /// A room that says what a test draws, live and from its archive.
    private struct World {
        let fixture: StoreFixture
        var random: SplitMix
        /// What the room's archive has: its id, and the stanza without what only live ones have.
        var archive: [CatchUpMessage] = []
        var said = 0
        /// Who said each, and what: the text of which message it is, and which stanza it takes back.
        var authors: [Int: String] = [:]
        var texts: [Int: Int] = [:]
        var takenBack: [Int: Int] = [:]
        /// What a moderator took out.
        var moderated: Set<Int> = []
        var conversation: Int64 = 0

        mutating func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

        mutating func stanza() throws -> (id: String, xml: String) {
            said += 1
            let nick = ["eli", "kim", "ann"][number(3)]
            let target = number(max(1, said))
            let kind = number(9)
            authors[said] = nick
            if ![2, 3].contains(kind) { texts[said] = said }
            // Only the author changes a text; the text of anybody else, or of what is none, is a message of its own.
            if kind < 2, let whole = texts[target], authors[target] == nick, authors[whole] == nick {
                texts[said] = whole
            }
            if kind == 2 { takenBack[said] = target }
            let rest =
                switch kind {
                case 0: "<body>text \(said) ann</body><replace xmlns='urn:xmpp:message-correct:0' id='m\(target)'/>"
                case 1: "<body>text \(said)</body><replace xmlns='urn:xmpp:message-correct:0' id='m\(target)'/>"
                case 2: "<retract xmlns='urn:xmpp:message-retract:1' id='s\(target)'/><body>x</body>"
                case 3: "<reactions xmlns='urn:xmpp:reactions:0' id='s\(target)'><reaction>a</reaction></reactions>"
                case 4: "<body>ann: text \(said)</body>"
                case 5 where said.isMultiple(of: 2): Self.moderation(of: target)
                default: "<body>text \(said)</body>"
                }
            // Only the room itself moderates.
            let isModeration = rest.contains("moderated")
            if isModeration {
                texts[said] = nil
                moderated.insert(target)
            }
            let xml =
                "<message from='\(tearoom)\(isModeration ? "" : "/\(nick)")' type='groupchat' id='m\(said)'>\(rest)"
                + (isModeration ? "" : "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='o-\(nick)'/>")
            return ("s\(said)", xml)
        }

        /// The stanzas that brought the first texts of messages of which nothing may be left.
        var gone: Set<String> {
            let byAuthors = takenBack.filter { authors[$0.key] == authors[$0.value] }.values
            return Set((Array(byAuthors) + moderated).compactMap { texts[$0] }.map { "s\($0)" })
        }

        private static func moderation(of target: Int) -> String {
            "<retract xmlns='urn:xmpp:message-retract:1' id='s\(target)'>"
                + "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(StorePropertyTests.tearoom)/mod'/></retract>"
        }

        /// Somebody says something; now and then only the archive hears it.
        mutating func say() async throws {
            fixture.time.advance(Int64(number(3)) * 700)
            let (id, xml) = try stanza()
            guard case .message(let message) = try StoreFixture.stanza(xml + "</message>") else { return }
            archive.append(CatchUpMessage(id: id, stamp: fixture.time.now, message: message))
            guard number(4) != 0 else { return }
            let live = xml + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(tearoom)' id='\(id)'/></message>"
            try await fixture.receive(live)
            if number(6) == 0 { try await fixture.receive(live) }
        }

        /// A part of the archive is gone through, perhaps once more.
        mutating func page() async throws {
            guard !archive.isEmpty else { return }
            let scope = ArchiveScope(room: try JID(tearoom))
            let anchor = try await fixture.session.anchor(scope)
            let start = anchor.flatMap { anchor in archive.firstIndex { $0.id == anchor.lastID } }.map { $0 + 1 } ?? 0
            let from = max(0, start - number(4))
            let part = Array(archive[from...].prefix(1 + number(8)))
            guard let last = part.last else { return }
            let page = CatchUpPage(messages: part, isComplete: last.id == archive.last?.id)
            try await fixture.session.take(page, of: scope)
        }

        mutating func read() async throws {
            let (conversation, part) = (conversation, number(3))
            try await fixture.store.write { transaction in
                let sort: Int64? = try transaction.connection.value(
                    "SELECT sort FROM message WHERE conversation = ? ORDER BY sort DESC LIMIT 1 OFFSET ?", conversation,
                    part)
                if let sort { try transaction.markRead(conversation: conversation, through: sort) }
            }
        }

        private var tearoom: String { StorePropertyTests.tearoom }
    }

    private func make(_ seed: UInt64) async throws -> World {
        let fixture = try await StoreFixture.make()
        let (account, room) = (fixture.account, try JID(Self.tearoom))
        let conversation = try await fixture.store.write { transaction in
            let row = try transaction.wantRoom(account: account, room: room, nick: "ann", password: nil, name: nil)
            try transaction.learn(
                RoomNews(room, .facts(RoomFacts(namesOccupants: true, hasArchive: true))), account: account)
            try transaction.learn(RoomNews(room, .joined(nick: "ann", occupant: "o-ann")), account: account)
            return row.id
        }
        return World(fixture: fixture, random: SplitMix(state: seed), conversation: conversation)
    }

    /// What is always true of a conversation.
    private func check(_ world: World) async throws {
        let faults: [String] = try await world.fixture.store.read { connection in
            var faults: [String] = []
            func none(_ name: String, _ sql: String) throws {
                let count: Int = try connection.value(sql) ?? -1
                if count != 0 { faults.append("\(name): \(count)") }
            }
            try none(
                "the last message is the last",
                """
                SELECT count(*) FROM conversation c WHERE (c.last_message, c.last_sort) IS NOT
                    (SELECT m.id, m.sort FROM message m WHERE m.conversation = c.id ORDER BY m.sort DESC LIMIT 1)
                    AND EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.id)
                """)
            try none(
                "two messages in one place",
                "SELECT count(*) - count(DISTINCT sort) FROM message")
            try none(
                "a text of what was taken back",
                """
                SELECT count(*) FROM message m WHERE m.retracted IS NOT NULL AND (m.body != '' OR m.payload IS NOT NULL
                    OR EXISTS (SELECT 1 FROM revision r WHERE r.message = m.id AND r.body != '')
                    OR EXISTS (SELECT 1 FROM reaction r WHERE r.message = m.id))
                """)
            try none(
                "more mentions than are unread", "SELECT count(*) FROM conversation WHERE mentions > unread")
            try none(
                "unread where all was read",
                "SELECT count(*) FROM conversation WHERE read_sort >= last_sort AND unread > 0")
            try none(
                "reads more than there is", "SELECT count(*) FROM conversation WHERE read_sort > last_sort")
            try none(
                "two reactions of one person",
                "SELECT count(*) - count(DISTINCT message || ' ' || author) FROM reaction WHERE message IS NOT NULL")
            return faults
        }
        #expect(faults.isEmpty, "\(faults)")
        // The index has exactly the words that the messages have.
        try await world.fixture.store.write { transaction in
            try transaction.connection.run(
                "INSERT INTO message_text(message_text, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test(
        "C10 live messages, changes, pages of the archive and reading in any order end with what the archive has, once",
        arguments: 1...24)
    func room(seed: Int) async throws {
        var world = try await make(UInt64(seed))
        for _ in 0..<70 {
            switch world.number(8) {
            case 0...4: try await world.say()
            case 5, 6: try await world.page()
            default: try await world.read()
            }
            try await check(world)
        }
        while try await world.fixture.session.anchor(ArchiveScope(room: try JID(Self.tearoom)))?.lastID
            != world.archive.last?.id
        {
            try await world.page()
            try await check(world)
        }
        let once = try await bodies(world)
        let left = try await world.fixture.messages(with: Self.tearoom).filter {
            world.gone.contains($0.archiveID ?? "") && $0.retracted == nil
        }
        #expect(left.isEmpty, "not taken back: \(left.map(\.archiveID))")
        // Gone through from its beginning by a device that is new, it gives the same.
        var other = try await make(UInt64(seed))
        other.archive = world.archive
        for start in stride(from: 0, to: world.archive.count, by: 7) {
            let part = Array(world.archive[start...].prefix(7))
            try await other.fixture.session.take(
                CatchUpPage(messages: part, isComplete: part.last?.id == world.archive.last?.id),
                of: ArchiveScope(room: try JID(Self.tearoom)))
        }
        try await check(other)
        let whole = try await bodies(other)
        let differences = zip(once + [""], whole + [""]).filter { $0 != $1 }
        #expect(once == whole, "\(differences)")
    }

    private func bodies(_ world: World) async throws -> [String] {
        try await world.fixture.messages(with: Self.tearoom).map { message in
            "\(message.archiveID ?? "-") \(message.senderName ?? "-") \(message.body)\(message.isMention ? " !" : "")"
                + message.reactions.map { " \($0.emoji)\($0.count)" }.joined()
        }
    }
}
