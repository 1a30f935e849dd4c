// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import XMPP
import XMPPTesting

@testable import ChatKit

/// One person with a profile of their own on a real server.
final class Person: Sendable {
    let core: ChatCore
    let jid: JID
    let folder: TemporaryFolder
    let connector: CuttableConnector

    private init(core: ChatCore, jid: JID, folder: TemporaryFolder, connector: CuttableConnector) {
        self.core = core
        self.jid = jid
        self.folder = folder
        self.connector = connector
    }

    static func open(_ folder: TemporaryFolder, _ connector: CuttableConnector) async throws -> ChatCore {
        var configuration = ChatCore.Configuration()
        configuration.session.connector = connector
        configuration.session.reconnect.minimum = .milliseconds(50)
        return try await ChatCore.open(directory: folder.path, configuration: configuration)
    }

    static func settings(_ server: TestServer) -> AccountSettings {
        var settings = AccountSettings()
        settings.host = "127.0.0.1"
        settings.port = server.port
        settings.authorityFiles = [server.authority]
        return settings
    }

    /// Registers a new account.
    static func register(_ name: String, _ server: TestServer) async throws -> Person {
        let folder = try TemporaryFolder()
        let connector = CuttableConnector()
        let core = try await open(folder, connector)
        let unique = UUID().uuidString.lowercased().prefix(8)
        let jid = try JID("\(name)-\(unique)@\(server.domain)")
        try await core.registerAccount(jid, password: "secret-\(name)", settings: settings(server))
        return Person(core: core, jid: jid, folder: folder, connector: connector)
    }

    /// Closes the profile and opens it again, as after a restart.
    func restarted() async throws -> Person {
        await core.close()
        let connector = CuttableConnector()
        let core = try await Self.open(folder, connector)
        return Person(core: core, jid: jid, folder: folder, connector: connector)
    }

    func send(_ text: String, to peer: Person) async throws -> ChatMessage {
        try await core.send(to: peer.jid, text: text, account: jid).message
    }

    /// All texts with a peer, in order.
    func texts(with peer: Person) async throws -> [String] {
        let conversation = try await core.conversation(with: peer.jid, account: jid)
        return try await core.history(conversation.id, limit: 500).map(\.body)
    }

    /// Waits until the conversation with a peer has a text.
    func hears(_ text: String, from peer: Person) async throws {
        let conversation = try await core.conversation(with: peer.jid, account: jid)
        for try await changes in core.historyUpdates(conversation.id, limit: 500)
        where changes.rows.contains(where: { $0.body == text }) { return }
    }

    /// Waits until a contact is as wanted.
    func sees(_ peer: Person, _ condition: (Contact) -> Bool) async throws {
        for try await changes in core.contactUpdates(account: jid)
        where changes.rows.contains(where: { $0.jid == peer.jid && condition($0) }) { return }
    }

    /// Lets a peer become a contact on both sides.
    func befriend(_ peer: Person) async throws {
        try await core.addContact(peer.jid, account: jid, name: "friend")
        for try await changes in peer.core.requestUpdates() where !changes.rows.isEmpty { break }
        try await peer.core.acceptRequest(from: jid, account: peer.jid)
        for try await changes in core.requestUpdates() {
            guard let request = changes.rows.first else { continue }
            try await core.acceptRequest(from: request.jid, account: jid)
            break
        }
        try await sees(peer) { $0.subscription == .both }
        try await peer.sees(self) { $0.subscription == .both }
    }
}

/// What a person does in rooms.
extension Person {
    /// Another device of the same person.
    func device(_ server: TestServer) async throws -> Person {
        let folder = try TemporaryFolder()
        let connector = CuttableConnector()
        let core = try await Self.open(folder, connector)
        let name = jid.local?.split(separator: "-").first.map(String.init) ?? ""
        try await core.addAccount(jid, password: "secret-\(name)", settings: Self.settings(server))
        return Person(core: core, jid: jid, folder: folder, connector: connector)
    }

    func room(_ address: JID) async throws -> Conversation { try await core.conversation(with: address, account: jid) }

    /// Waits until a room is as wanted.
    func room(_ address: JID, _ condition: @Sendable (Conversation) -> Bool) async throws {
        for try await changes in core.conversationUpdates()
        where changes.rows.contains(where: { $0.peer == address && condition($0) }) { return }
    }

    /// Waits until a room has a text; gives that message.
    @discardableResult
    func hears(_ text: String, in address: JID) async throws -> ChatMessage? {
        let conversation = try await room(address)
        for try await changes in core.historyUpdates(conversation.id, limit: 500) {
            if let message = changes.rows.first(where: { $0.body == text }) { return message }
        }
        return nil
    }

    /// All texts of a room, in order.
    func texts(in address: JID) async throws -> [String] {
        try await core.history(try await room(address).id, limit: 500).map(\.body)
    }

    /// Writes into a room and waits until the room has it.
    func say(_ text: String, in address: JID) async throws {
        let message = try await core.send(to: address, text: text, account: jid).message
        #expect(try await core.wait(for: message.id, until: .delivered).state == .delivered)
    }
}
