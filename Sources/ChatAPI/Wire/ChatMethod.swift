// SPDX-License-Identifier: Apache-2.0

/// One call of `ChatClient` as it crosses the socket: its name, its parameters, its reply, and how it is performed.
package protocol ChatMethod: Codable, Sendable {
    associatedtype Reply: Codable & Sendable
    static var name: String { get }
    func perform(on client: any ChatClient) async throws(ChatAPIError) -> Reply
}

/// The reply of a call that only succeeds.
package struct Done: Hashable, Codable, Sendable {
    package init() {}
}

/// Every call of the protocol's version 1, apart from the stream of events (`EventsMethod`).
package enum ChatMethods {
    package static let all: [any ChatMethod.Type] = [
        Status.self, AddAccount.self, GetRegistrationForm.self, RegisterAccount.self, RemoveAccount.self,
        ChangePassword.self, Connect.self, Contacts.self, AddContact.self, RemoveContact.self, Requests.self,
        Answer.self, Send.self, Wait.self, Resolve.self, History.self, Conversations.self, MarkRead.self,
        SetTyping.self, Outbox.self, Decide.self, Timeline.self, Trust.self, Diagnose.self,
        Page.self, Details.self, React.self, Correct.self, Retract.self, SetDraft.self, Configure.self,
        Search.self, Blocked.self, Block.self, Unblock.self, Profile.self, ChangeProfile.self, GetPicture.self,
        SetPicture.self, BackUp.self, SetEnabled.self, ChangeContact.self, CreateInvitation.self,
        Export.self, Import.self,
        CreateRoom.self, JoinRoom.self, LeaveRoom.self, GetRoom.self, Invite.self, FindRooms.self,
        ChangeRoom.self, ChangeMember.self, Moderate.self, DestroyRoom.self,
        SendFile.self, CancelFile.self, RetryFile.self, FetchFile.self, Files.self, Media.self,
        Notifications.self,
    ]

    package struct Status: ChatMethod {
        package static let name = "status"
        package init() {}
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ProfileStatus {
            try await client.status()
        }
    }

    package struct AddAccount: ChatMethod {
        package static let name = "account.add"
        package var request: AddAccountRequest
        package init(_ request: AddAccountRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> AccountSummary {
            try await client.addAccount(request)
        }
    }

    package struct GetRegistrationForm: ChatMethod {
        package static let name = "account.form"
        package var request: AddAccountRequest
        package init(_ request: AddAccountRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> RegistrationForm {
            try await client.registrationForm(request)
        }
    }

    package struct RegisterAccount: ChatMethod {
        package static let name = "account.register"
        package var request: RegisterAccountRequest
        package init(_ request: RegisterAccountRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> AccountSummary {
            try await client.registerAccount(request)
        }
    }

    package struct RemoveAccount: ChatMethod {
        package static let name = "account.remove"
        package var request: RemoveAccountRequest
        package init(_ request: RemoveAccountRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.removeAccount(request)
            return Done()
        }
    }

    package struct ChangePassword: ChatMethod {
        package static let name = "account.password"
        package var request: ChangePasswordRequest
        package init(_ request: ChangePasswordRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.changePassword(request)
            return Done()
        }
    }

    package struct Connect: ChatMethod {
        package static let name = "connect"
        package var request: ConnectRequest
        package init(_ request: ConnectRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [AccountSummary] {
            try await client.connect(request)
        }
    }

    package struct Contacts: ChatMethod {
        package static let name = "contacts"
        package var account: String?
        package init(account: String?) { self.account = account }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [ContactSummary] {
            try await client.contacts(account: account)
        }
    }

    package struct AddContact: ChatMethod {
        package static let name = "contact.add"
        package var request: ContactRequest
        package init(_ request: ContactRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ContactSummary {
            try await client.addContact(request)
        }
    }

    package struct RemoveContact: ChatMethod {
        package static let name = "contact.remove"
        package var request: ContactRequest
        package init(_ request: ContactRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.removeContact(request)
            return Done()
        }
    }
}
