// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func status() async throws(ChatAPIError) -> ProfileStatus { try await call(ChatMethods.Status()) }

    package func addAccount(_ request: AddAccountRequest) async throws(ChatAPIError) -> AccountSummary {
        try await call(ChatMethods.AddAccount(request))
    }

    package func registrationForm(_ request: AddAccountRequest) async throws(ChatAPIError) -> RegistrationForm {
        try await call(ChatMethods.GetRegistrationForm(request))
    }

    package func registerAccount(_ request: RegisterAccountRequest) async throws(ChatAPIError) -> AccountSummary {
        try await call(ChatMethods.RegisterAccount(request))
    }

    package func removeAccount(_ request: RemoveAccountRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.RemoveAccount(request))
    }

    package func changePassword(_ request: ChangePasswordRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.ChangePassword(request))
    }

    package func connect(_ request: ConnectRequest) async throws(ChatAPIError) -> [AccountSummary] {
        try await call(ChatMethods.Connect(request))
    }

    package func contacts(account: String?) async throws(ChatAPIError) -> [ContactSummary] {
        try await call(ChatMethods.Contacts(account: account))
    }

    package func addContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
        try await call(ChatMethods.AddContact(request))
    }

    package func removeContact(_ request: ContactRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.RemoveContact(request))
    }

    package func requests(account: String?) async throws(ChatAPIError) -> [RequestSummary] {
        try await call(ChatMethods.Requests(account: account))
    }

    package func answer(_ request: AnswerRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.Answer(request))
    }

    package func send(_ request: SendRequest) async throws(ChatAPIError) -> SendResult {
        try await call(ChatMethods.Send(request))
    }

    package func wait(_ request: WaitRequest) async throws(ChatAPIError) -> MessageItem {
        try await call(ChatMethods.Wait(request))
    }

    package func outbox(account: String?) async throws(ChatAPIError) -> [MessageItem] {
        try await call(ChatMethods.Outbox(account: account))
    }

    package func decide(_ decision: OutboxDecision) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.Decide(decision))
    }

    package func resolve(_ conversation: ConversationID) async throws(ChatAPIError) -> ConversationID {
        try await call(ChatMethods.Resolve(conversation))
    }

    package func history(_ request: HistoryRequest) async throws(ChatAPIError) -> [MessageItem] {
        try await call(ChatMethods.History(request))
    }

    package func conversations() async throws(ChatAPIError) -> [ConversationSummary] {
        try await call(ChatMethods.Conversations())
    }

    package func markRead(_ request: ReadRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.MarkRead(request))
    }

    package func setTyping(_ request: TypingRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.SetTyping(request))
    }
}
