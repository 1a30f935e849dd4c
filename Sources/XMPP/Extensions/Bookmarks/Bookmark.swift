// SPDX-License-Identifier: Apache-2.0

/// A room that the user wants to find again (XEP-0402).
public struct Bookmark: Sendable, Hashable {
    /// The node that bookmarks stand in.
    public static let node = "urn:xmpp:bookmarks:1"

    /// The room.
    public var room: JID
    /// A name that the user gave it.
    public var name: String?
    /// Whether to join it after each login, and to leave it when this becomes false (§3.5).
    public var joinsAutomatically: Bool
    /// The user's nickname there.
    public var nickname: String?
    /// The room's password; kept by the server in clear.
    public var password: String?
    /// What other programs added; it goes back as it came (§2).
    var extensions: Element?

    /// Makes a bookmark.
    public init(
        room: JID, name: String? = nil, joinsAutomatically: Bool = false, nickname: String? = nil,
        password: String? = nil
    ) {
        self.room = room.bare
        self.name = name
        self.joinsAutomatically = joinsAutomatically
        self.nickname = nickname
        self.password = password
    }

    /// Changes what the user can see and keeps what other programs added.
    func keepingExtensions(of other: Bookmark?) -> Bookmark {
        var bookmark = self
        if bookmark.extensions == nil { bookmark.extensions = other?.extensions }
        return bookmark
    }
}

/// The element of a bookmark, without the room, which is the item's identifier (XEP-0402 §2).
struct BookmarkElement: NodePayload {
    static let namespace = Bookmark.node
    private static let conference = XMLName("conference", namespace)
    private static let nick = XMLName("nick", namespace)
    private static let password = XMLName("password", namespace)
    private static let extensions = XMLName("extensions", namespace)

    var name: String?
    var joinsAutomatically: Bool
    var nickname: String?
    var password: String?
    var extensions: Element?

    init(_ bookmark: Bookmark) {
        name = bookmark.name
        joinsAutomatically = bookmark.joinsAutomatically
        nickname = bookmark.nickname
        password = bookmark.password
        extensions = bookmark.extensions
    }

    init?(_ element: Element) {
        guard element.matches(Self.conference) else { return nil }
        name = element.filled("name")
        joinsAutomatically = DataForm.flag(element["autojoin"] ?? "") ?? false
        nickname = element.childText(Self.nick)
        password = element.childText(Self.password)
        extensions = element.child(Self.extensions)
    }

    var element: Element {
        Element(Self.conference) { builder in
            builder.attribute("name", name)
            if joinsAutomatically { builder.attribute("autojoin", "true") }
            if let nickname { builder.child(Self.nick, text: nickname) }
            if let password { builder.child(Self.password, text: password) }
            if let extensions { builder.child(extensions) }
        }
    }
}

extension Bookmark {
    /// T143: an item whose identifier is no room is none.
    init?(_ item: NodeItem<BookmarkElement>) {
        guard let room = try? JID(item.id), room.isBare, room.local != nil else { return nil }
        self.init(
            room: room, name: item.payload.name, joinsAutomatically: item.payload.joinsAutomatically,
            nickname: item.payload.nickname, password: item.payload.password)
        extensions = item.payload.extensions
    }
}

/// All bookmarks in one element, as before XEP-0402 (XEP-0048 §2).
struct BookmarkList: PrivateStorageValue {
    static let namespace = "storage:bookmarks"
    static let storageName = XMLName("storage", namespace)
    private static let conference = XMLName("conference", namespace)
    private static let nick = XMLName("nick", namespace)
    private static let password = XMLName("password", namespace)
    /// In entries that an administrator gives to everybody; the server adds them by itself (OF39).
    private static let shared = XMLName("shared_bookmark", "http://jivesoftware.com/jeps/bookmarks")

    var bookmarks: [Bookmark]
    /// What is no room, as addresses of web pages; it goes back as it came.
    var others: [Element]
    /// The elements of the rooms, for what other programs stored in them.
    private var originals: [JID: Element] = [:]

    init(bookmarks: [Bookmark] = [], others: [Element] = []) {
        self.bookmarks = bookmarks
        self.others = others
    }

    /// A room that cannot be read stays with the others; of two for one room the first counts.
    init?(_ element: Element) {
        guard element.matches(Self.storageName) else { return nil }
        self.init()
        var known: Set<JID> = []
        for child in element.children {
            guard child.matches(Self.conference), let room = child.address("jid")?.bare, room.local != nil else {
                others.append(child)
                continue
            }
            guard known.insert(room).inserted else { continue }
            originals[room] = child
            bookmarks.append(
                Bookmark(
                    room: room, name: child.filled("name"),
                    joinsAutomatically: DataForm.flag(child["autojoin"] ?? "") ?? false,
                    nickname: child.childText(Self.nick), password: child.childText(Self.password)))
        }
    }

    var element: Element {
        Element(Self.storageName) { builder in
            for bookmark in bookmarks {
                let original = originals[bookmark.room]
                if original?.child(Self.shared) == nil { builder.child(Self.element(bookmark, over: original)) }
            }
            for other in others { builder.child(other) }
        }
    }

    private static func element(_ bookmark: Bookmark, over original: Element?) -> Element {
        Element(conference) { builder in
            builder.attribute("jid", bookmark.room.description)
            builder.attribute("name", bookmark.name)
            if bookmark.joinsAutomatically { builder.attribute("autojoin", "true") }
            if let original {
                for (name, value) in original.attributes where name.namespace.isEmpty {
                    if !["jid", "name", "autojoin"].contains(name.local) { builder.attribute(name.local, value) }
                }
            }
            if let nickname = bookmark.nickname { builder.child(nick, text: nickname) }
            if let password = bookmark.password { builder.child(Self.password, text: password) }
            guard let original else { return }
            for child in original.children where !child.matches(nick) && !child.matches(Self.password) {
                builder.child(child)
            }
        }
    }

    mutating func set(_ bookmark: Bookmark) {
        // Whoever changes what everybody has makes it one's own.
        if originals[bookmark.room]?.child(Self.shared) != nil { originals[bookmark.room] = nil }
        if let index = bookmarks.firstIndex(where: { $0.room == bookmark.room }) {
            bookmarks[index] = bookmark
        } else {
            bookmarks.append(bookmark)
        }
    }
}
