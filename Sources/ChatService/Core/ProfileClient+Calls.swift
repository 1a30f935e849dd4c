// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func status() async throws(ChatAPIError) -> ProfileStatus {
        try await perform { (client) async throws(ChatAPIError) in try await client.status() }
    }

    package nonisolated func addAccount(_ request: AddAccountRequest) async throws(ChatAPIError) -> AccountSummary {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in
            try await client.addAccount(request)
        }
    }

    package nonisolated func registrationForm(
        _ request: AddAccountRequest
    ) async throws(ChatAPIError) -> RegistrationForm {
        try await perform { (client) async throws(ChatAPIError) in try await client.registrationForm(request) }
    }

    package nonisolated func registerAccount(
        _ request: RegisterAccountRequest
    ) async throws(ChatAPIError) -> AccountSummary {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in
            try await client.registerAccount(request)
        }
    }

    package nonisolated func removeAccount(_ request: RemoveAccountRequest) async throws(ChatAPIError) {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in
            try await client.removeAccount(request)
        }
    }

    package nonisolated func changePassword(_ request: ChangePasswordRequest) async throws(ChatAPIError) {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in
            try await client.changePassword(request)
        }
    }

    package nonisolated func connect(_ request: ConnectRequest) async throws(ChatAPIError) -> [AccountSummary] {
        try await perform { (client) async throws(ChatAPIError) in try await client.connect(request) }
    }

    package nonisolated func contacts(account: String?) async throws(ChatAPIError) -> [ContactSummary] {
        try await perform { (client) async throws(ChatAPIError) in try await client.contacts(account: account) }
    }

    package nonisolated func addContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in
            try await client.addContact(request)
        }
    }

    package nonisolated func removeContact(_ request: ContactRequest) async throws(ChatAPIError) {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in
            try await client.removeContact(request)
        }
    }

    package nonisolated func requests(account: String?) async throws(ChatAPIError) -> [RequestSummary] {
        try await perform { (client) async throws(ChatAPIError) in try await client.requests(account: account) }
    }

    package nonisolated func answer(_ request: AnswerRequest) async throws(ChatAPIError) {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in try await client.answer(request) }
    }

    // The key makes a repeated request send once.
    package nonisolated func send(_ request: SendRequest) async throws(ChatAPIError) -> SendResult {
        try await perform { (client) async throws(ChatAPIError) in try await client.send(request) }
    }

    package nonisolated func wait(_ request: WaitRequest) async throws(ChatAPIError) -> MessageItem {
        let deadline = ContinuousClock.now + request.timeout
        return try await perform { (client) async throws(ChatAPIError) in
            var rest = request
            rest.timeout = max(.milliseconds(1), deadline - ContinuousClock.now)
            return try await client.wait(rest)
        }
    }

    package nonisolated func outbox(account: String?) async throws(ChatAPIError) -> [MessageItem] {
        try await perform { (client) async throws(ChatAPIError) in try await client.outbox(account: account) }
    }

    package nonisolated func decide(_ decision: OutboxDecision) async throws(ChatAPIError) {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in try await client.decide(decision) }
    }

    package nonisolated func resolve(_ conversation: ConversationID) async throws(ChatAPIError) -> ConversationID {
        try await perform { (client) async throws(ChatAPIError) in try await client.resolve(conversation) }
    }

    package nonisolated func history(_ request: HistoryRequest) async throws(ChatAPIError) -> [MessageItem] {
        try await perform { (client) async throws(ChatAPIError) in try await client.history(request) }
    }

    package nonisolated func conversations() async throws(ChatAPIError) -> [ConversationSummary] {
        try await perform { (client) async throws(ChatAPIError) in try await client.conversations() }
    }

    package nonisolated func markRead(_ request: ReadRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.markRead(request) }
    }

    package nonisolated func setTyping(_ request: TypingRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.setTyping(request) }
    }
}
