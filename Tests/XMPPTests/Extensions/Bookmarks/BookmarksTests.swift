// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Bookmarks (XEP-0402, XEP-0048)", .timeLimit(.minutes(1)))
struct BookmarksTests {
    static let node = "urn:xmpp:bookmarks:1"
    static let joins =
        "<query xmlns='http://jabber.org/protocol/disco#info'><feature var='urn:xmpp:bookmarks:1#compat'/></query>"
    static let separate = "<query xmlns='http://jabber.org/protocol/disco#info'/>"
    static let extensions = "<extensions><state xmlns='urn:example:state' minimized='true'/></extensions>"
    static let item = """
        <item id='tearoom@rooms.example.org'><conference xmlns='\(node)' name='Tea' autojoin='1'><nick>JC</nick>\
        <password>cup</password>\(extensions)</conference></item>
        """

    func items(_ items: String) -> String {
        "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='\(Self.node)'>\(items)</items></pubsub>"
    }

    @Test("are read with all they say; items whose identifier is no room are left out")
    func fetch() async throws {
        let online = try await OnlineSession()
        async let fetched = online.session.fetchBookmarks()
        await online.reply(
            items(
                Self.item + "<item id='current'><conference xmlns='\(Self.node)'/></item>"
                    + "<item id='a@b.example/x'><conference xmlns='\(Self.node)'/></item>"
                    + "<item id='plain@rooms.example.org'><conference xmlns='\(Self.node)'/></item>"))
        await online.reply(Self.joins)
        let bookmarks = try await fetched
        #expect(bookmarks.map(\.room.description) == ["tearoom@rooms.example.org", "plain@rooms.example.org"])
        let first = try #require(bookmarks.first)
        #expect(first.name == "Tea" && first.joinsAutomatically && first.nickname == "JC" && first.password == "cup")
        #expect(bookmarks.last?.joinsAutomatically == false && bookmarks.last?.name == nil)
        await online.end()
    }

    @Test("B10 where the server does not join both kinds, the old ones are read too, and the new one of a room counts")
    func both() async throws {
        let online = try await OnlineSession()
        async let fetched = online.session.fetchBookmarks()
        await online.reply(items(Self.item))
        await online.reply(Self.separate)
        await online.reply(
            """
            <query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'>\
            <conference jid='tearoom@rooms.example.org' name='Old'/><conference jid='@'/><conference jid='example.net' autojoin='true'/>\
            <conference jid='attic@rooms.example.org' autojoin='true'><nick>J</nick></conference>\
            <url url='https://example.org/' name='Home'/></storage></query>
            """)
        let bookmarks = try await fetched
        #expect(bookmarks.map(\.name) == ["Tea", nil])
        #expect(bookmarks.last?.nickname == "J" && bookmarks.last?.joinsAutomatically == true)
        await online.end()
    }

    @Test("B10 what other programs stored is kept, in both places, a bookmark of no room too")
    func set() async throws {
        let online = try await OnlineSession()
        let room = try JID("tearoom@rooms.example.org")
        async let done: Void = online.session.setBookmark(Bookmark(room: room, name: "Coffee"))
        let asked = await online.reply(items(Self.item))
        #expect(asked.children.first?.children.first?["id"] == room.description)
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("whitelist")
        let publish = await online.reply()
        let sent = try #require(publish.children.first?.children.first)
        #expect(sent["id"] == room.description)
        #expect(sent.children.first?["name"] == "Coffee" && sent.children.first?["autojoin"] == nil)
        #expect(sent.xml.contains("minimized"))
        await online.reply(Self.separate)
        await online.reply(
            "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'><url url='https://example.org/'/>"
                + "<conference jid='example.net' autojoin='true'/>"
                + "<conference jid='tearoom@rooms.example.org' name='Old'/></storage></query>")
        let old = try #require(await online.reply().children.first)
        #expect(old.children.map { $0["jid"] } == ["tearoom@rooms.example.org", nil, "example.net"])
        #expect(old.children.first?["name"] == "Coffee")
        try await done
        await online.end()
    }

    @Test("SP25 what Spark writes is read, and a room is there for it, too, beside its links")
    func spark() async throws {
        let online = try await OnlineSession()
        let theirs =
            "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'><url name='Home' url='https://example.org/'/>"
            + "<conference name='Tea' autojoin='true' jid='tearoom@rooms.example.org'><nick>J</nick><password>cup</password>"
            + "</conference></storage></query>"
        async let fetched = online.session.fetchBookmarks()
        await online.reply(items(""))
        await online.reply(Self.separate)
        await online.reply(theirs)
        let bookmark = try #require(try await fetched.first)
        #expect(bookmark.name == "Tea" && bookmark.joinsAutomatically && bookmark.nickname == "J")
        #expect(bookmark.password == "cup" && bookmark.room.description == "tearoom@rooms.example.org")

        let attic = try JID("attic@rooms.example.org")
        async let done: Void = online.session.setBookmark(
            Bookmark(room: attic, name: "Attic", joinsAutomatically: true, nickname: "J"))
        await online.reply(items(""))
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("whitelist")
        await online.reply()
        await online.reply(Self.separate)
        await online.reply(theirs)
        let old = try #require(await online.reply().children.first)
        #expect(old.matches(XMLName("storage", "storage:bookmarks")))
        #expect(Set(old.children.compactMap { $0["jid"] }) == ["attic@rooms.example.org", "tearoom@rooms.example.org"])
        #expect(old.children.contains { $0["url"] == "https://example.org/" })
        let added = try #require(old.children.first { $0["jid"] == attic.description })
        #expect(["true", "1"].contains(added["autojoin"]) && added.children.first?.text == "J")
        try await done
        await online.end()
    }

    @Test("removing tells other devices, in both places; what is not there is no error")
    func remove() async throws {
        let online = try await OnlineSession()
        let room = try JID("tearoom@rooms.example.org")
        async let first: Void = online.session.removeBookmark(of: room)
        let retract = await online.reply()
        #expect(retract.children.first?.localName == "retract" && retract.children.first?["notify"] == "true")
        await online.reply(Self.joins)
        try await first
        async let second: Void = online.session.removeBookmark(of: room)
        await online.refuse("item-not-found")
        await online.reply(Self.separate)
        await online.reply(
            "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'><conference jid='tearoom@rooms.example.org'/></storage></query>"
        )
        #expect(await online.reply().children.first?.children.isEmpty == true)
        try await second
        async let third: Void = online.session.removeBookmark(of: room)
        await online.refuse("item-not-found")
        await online.reply(Self.separate)
        await online.refuse("service-unavailable")
        try await third
        await online.end()
    }

    @Test("T142 nothing is stored where contacts could see it")
    func notPrivate() async throws {
        let online = try await OnlineSession()
        let room = try JID("tearoom@rooms.example.org")
        async let error = failure { try await online.session.setBookmark(Bookmark(room: room, password: "cup")) }
        await online.refuse("item-not-found")
        await online.replyFeatures("publish")
        #expect(await error?.code == .notPrivate)
        #expect(!online.peer.writtenText.contains("cup"))
        await online.end()
    }

    @Test("T121 T075 changes count only from one's own account")
    func events() async throws {
        let online = try await OnlineSession()
        let own = try JID("juliet@example.org/balcony")
        var events = online.session.nodeEvents().makeAsyncIterator()
        func send(_ from: String?, _ content: String) {
            let sender = from.map { "from='\($0)'" } ?? ""
            online.peer.inject(
                "<message \(sender) type='headline'><event xmlns='http://jabber.org/protocol/pubsub#event'>\(content)</event></message>"
            )
        }
        let published = "<items node='\(Self.node)'>\(Self.item)</items>"
        let retracted = "<items node='\(Self.node)'><retract id='tearoom@rooms.example.org'/><retract id='@'/></items>"
        for (from, content) in [
            ("bo@example.org", published), ("example.org", published), ("bo@example.org", retracted),
            ("juliet@example.org", published), (nil, published), ("juliet@example.org", retracted),
            (nil, "<purge node='\(Self.node)'/>"), (nil, "<purge node='other'/>"),
            (nil, "<configuration node='\(Self.node)'/>"),
        ] { send(from, content) }
        for _ in 0..<3 { #expect(try await events.next()?.bookmarkChanges(for: own) == []) }
        for _ in 0..<2 {
            let changes = try #require(try await events.next()?.bookmarkChanges(for: own))
            guard case .set(let bookmark) = changes.first else {
                Issue.record("no bookmark in \(changes)")
                continue
            }
            #expect(bookmark.name == "Tea")
        }
        #expect(
            try await events.next()?.bookmarkChanges(for: own) == [.removed(JID("tearoom@rooms.example.org"))])
        #expect(try await events.next()?.bookmarkChanges(for: own) == [.all])
        #expect(try await events.next()?.bookmarkChanges(for: own) == [])
        #expect(try await events.next()?.bookmarkChanges(for: own) == [])
        await online.end()
    }
}
