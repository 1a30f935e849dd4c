// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

/// What somebody means who types a name.
extension ChatCore {
    /// The address that a typed name means.
    ///
    /// An address is taken as it is. A name is that of a room in which the user is, by the room's name or the first part of
    /// its address, of a contact, or of a conversation; where nobody has it, the first part of an address on the account's
    /// own server.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `invalidAddress`; `ambiguousName` when it may be several, with all of them.
    public func address(named text: String, account: JID) async throws(ChatError) -> JID {
        let name = text.trimmingXMLSpace
        let plain = try? contactAddress(name, account: account)
        if name.contains("@") || name.contains("/") { return try contactAddress(name, account: account) }
        let conversations = try await conversations().filter { $0.account == account.bare }
        let rooms = Self.rooms(named: name, in: conversations).filter { $0.room?.isWanted == true }.map(\.peer)
        var people: [JID] = []
        let folded = ContactSections.folded(name)
        for contact in try await contacts(account: account) {
            guard contact.jid == plain || contact.name.map({ ContactSections.folded($0) }) == folded else { continue }
            people.append(contact.jid)
        }
        let isTalk = conversations.contains { $0.kind != .room && $0.peer == plain }
        if let plain, isTalk, !people.contains(plain) { people.append(plain) }
        if let place = try Self.only(rooms + people, name) { return place }
        return try contactAddress(name, account: account)
    }

    /// The room that a name means among those that are known here, those first in which the user is; nil for none.
    func knownRoom(_ text: String, _ account: JID) async throws(ChatError) -> JID? {
        let conversations = try await conversations().filter { $0.account == account.bare }
        let rooms = Self.rooms(named: text.trimmingXMLSpace, in: conversations)
        let wanted = rooms.filter { $0.room?.isWanted == true }
        return try Self.only((wanted.isEmpty ? rooms : wanted).map(\.peer), text)
    }

    private static func rooms(named name: String, in conversations: [Conversation]) -> [Conversation] {
        let (folded, local) = (ContactSections.folded(name), local(for: name))
        guard !folded.isEmpty else { return [] }
        return conversations.filter { conversation in
            guard conversation.kind == .room else { return false }
            if let own = conversation.peer.local, own == local || ContactSections.folded(own) == folded { return true }
            return conversation.name.map { ContactSections.folded($0) } == folded
        }
    }

    private static func only(_ found: [JID], _ name: String) throws(ChatError) -> JID? {
        guard found.count > 1 else { return found.first }
        let list = found.map(\.description).sorted().joined(separator: ", ")
        throw ChatError(.ambiguousName, "“\(name)” may be \(list); give the whole address")
    }
}

extension ChatError.Code {
    /// The name may mean several rooms or people.
    public static let ambiguousName = Self(rawValue: "ambiguousName")
}
