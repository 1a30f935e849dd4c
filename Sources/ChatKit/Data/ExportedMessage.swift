// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import XMPP

/// One message of an exported conversation: what is written, and what is read again.
struct ExportedMessage: Codable, Hashable {
    /// The version of the form; a reader refuses a newer one.
    static let version = 1

    var sender: String
    var senderName: String?
    var isOwn: Bool
    var body: String
    var sent: Int64
    var state: String?
    /// The sender's id of the message.
    var id: String?
    /// The archive's id, and whose archive it is.
    var archiveID: String?
    var replyTo: String?
    var retracted: Int64?
    var edited: Int64?

    private enum CodingKeys: String, CodingKey {
        case sender, body, sent, state, id, retracted, edited
        case senderName = "sender_name"
        case isOwn = "own"
        case archiveID = "archive_id"
        case replyTo = "reply_to"
    }
}

extension ExportedMessage {
    init(_ message: ChatMessage) {
        func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
        sender = message.sender.description
        senderName = message.senderName
        isOwn = message.direction == .outgoing
        // A file is not part of an export; where it was is.
        body =
            message.body.isEmpty
            ? message.files.compactMap { $0.url ?? $0.name }.joined(separator: "\n") : message.body
        sent = milliseconds(message.sent)
        id = message.originID
        archiveID = message.archiveID
        replyTo = message.replyID
        retracted = message.retracted.map(milliseconds)
        edited = message.edited.map(milliseconds)
        state =
            switch message.state {
            case .delivered: "delivered"
            case .displayed: "displayed"
            case .failed: "failed"
            default: nil
            }
    }

    /// What the database keeps of it.
    var stored: NewMessage? {
        guard sent > -62_135_596_800_000, sent < 253_402_300_800_000, body.utf8.count <= ChatCore.maximumBodyBytes * 4
        else { return nil }
        let state =
            switch self.state {
            case _ where !isOwn: MessageState.Stored.received
            case "delivered": MessageState.Stored.delivered
            case "displayed": MessageState.Stored.displayed
            case "failed": MessageState.Stored.failed
            default: MessageState.Stored.acknowledged
            }
        var new = NewMessage(
            direction: isOwn ? .outgoing : .incoming, state: state, sender: sender, kind: "chat", body: body, sent: sent
        )
        if isOwn {
            new.ownID = id
        } else {
            new.remoteID = id
            // As the archive's copy has it, which is the same message.
            new.contentHash = AccountSessionStore.contentHash(kind: .chat, subject: nil, body: body)
        }
        (new.authorName, new.replyTo, new.retracted) = (senderName, replyTo, retracted)
        (new.isDelayed, new.isArchived) = (true, true)
        return new
    }
}
