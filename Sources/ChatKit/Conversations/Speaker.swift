// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// Who said something in a conversation: what changes a message, or takes it back, counts only from its own author (T115).
struct Speaker: Hashable {
    /// The user, on this device or another one.
    var isOwn = false
    /// In a room: the room's id of the occupant where it gives one, else the occupant's address.
    var occupant: String?
    /// The nickname in a room.
    var name: String?

    static let own = Speaker(isOwn: true)
    static let peer = Speaker()

    /// The name of the author in the tables of changes.
    var key: String { isOwn ? "=" : occupant ?? "" }
}

/// What somebody said in a conversation, whatever way it came: live, as a copy, or from the archive.
struct Saying {
    let message: Message
    let speaker: Speaker
    /// When, in milliseconds since 1970.
    let sent: Int64
    /// The name that its archive gave the stanza, where that is known.
    var archiveID: String?

    /// The names that it goes by in a conversation of two.
    var names: (first: String?, other: String?) {
        let (origin, id) = (message.originID, message.id)
        guard let origin else { return (id, nil) }
        return (origin, id == origin ? nil : id)
    }

    /// The text that is shown, without the quote that stands in front for programs that know no answers (XEP-0461 §3.1);
    /// empty for files without a word.
    var text: String? {
        if message.mayHaveFiles, !message.fileDescriptions.isEmpty {
            return message.textBesideFiles(message.body ?? "")
        }
        guard let body = message.body, !body.isEmpty else { return nil }
        guard message.reply != nil else { return body }
        let text = message.bodyWithoutFallback(for: [Reply.namespace]) ?? body
        return text.isEmpty ? body : text
    }
}
