// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// Which files of one sender are fetched without asking: whoever makes us fetch something learns our address, and that we
/// are online (XEP-0363 §11, T149).
struct FilePolicy: Hashable {
    var sender: AutomaticFetch.Sender
    /// The largest file; 0 fetches none.
    var maximumBytes: Int

    /// Whether a file is fetched without asking.
    func permits(_ file: FileDescription) -> Bool {
        guard maximumBytes > 0, let url = file.urls.first, file.isInline != false else { return false }
        switch sender {
        case .ownAccount, .contact: break
        case .room, .stranger: return false
        }
        // A size that nobody tells is bounded while it comes.
        guard let size = file.metadata.byteCount else { return true }
        return size > 0 && size <= maximumBytes && WebAddress.isUsable(url)
    }
}

extension StoreTransaction {
    /// What is fetched of what somebody sends.
    func filePolicy(
        for speaker: Speaker, in conversation: ConversationRow, _ settings: AccountSettings
    ) throws -> FilePolicy {
        let sender: AutomaticFetch.Sender
        if speaker.isOwn {
            sender = .ownAccount
        } else if conversation.isRoom {
            sender = .room
        } else {
            let entry = try contact(account: conversation.account, jid: conversation.peer)
            sender = entry?.subscription == .both ? .contact : .stranger
        }
        return FilePolicy(sender: sender, maximumBytes: settings.fetchesFilesUpTo)
    }
}
