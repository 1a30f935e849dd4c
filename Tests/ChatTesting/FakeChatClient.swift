// SPDX-License-Identifier: Apache-2.0
package import ApusTransport
package import ChatAPI
import ChatService
import Foundation

/// A chat core without a chat: it answers with what a test put in, and notes what it was asked.
package final class FakeChatClient: LocalCore {
    package struct State: Sendable {
        package var status = ProfileStatus(
            profile: "test", version: "apus test", process: 7, role: "test",
            accounts: [AccountSummary(address: "ana@example.org")], cursor: "0")
        package var timelines: [AccountTimeline] = []
        package var trust = TrustSettings()
        package var diagnosis = Diagnosis(address: "ana@example.org")
        package var contacts: [ContactSummary] = []
        package var requests: [RequestSummary] = []
        package var history: [MessageItem] = []
        package var conversations: [ConversationSummary] = []
        package var error: ChatAPIError?
        /// Errors that one kind of call ends with.
        package var errors: [String: ChatAPIError] = [:]
        /// What was asked, in order.
        package var calls: [String] = []
        package var sent: [SendRequest] = []
        package var events: [ChatEvent] = []
        package var waitedState = MessageState.acknowledged
        package var isClosed = false
        /// What is found, whatever is looked for.
        package var hits: [SearchHit] = []
        /// The file of every message; nil when none is here.
        package var localFile: LocalFileItem?
        /// Everybody's picture.
        package var picture: PictureData?
        /// `status` waits at the gate as well.
        package var isSlow = false
        /// What is announced.
        package var notifications = NotificationSettings()
    }

    package let state = Locked(State())
    /// Reached by every `wait`; a test that closes it keeps them waiting.
    package let gate = Gate(isOpen: true)
    /// Reached by every stream before each event after those in `State.events`.
    package let liveGate = Gate(isOpen: false)

    package init() {}

    package func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    package var calls: [String] { state.withLock { $0.calls } }

    func note(_ call: String) throws(ChatAPIError) {
        let error = state.withLock { state in
            state.calls.append(call)
            let name = call.prefix { $0 != " " }
            return state.errors[String(name)] ?? state.error
        }
        if let error { throw error }
    }

    package func status() async throws(ChatAPIError) -> ProfileStatus {
        try note("status")
        if state.withLock({ $0.isSlow }), !(await gate.pass()) { throw .cancelled }
        return state.withLock { $0.status }
    }

    package func addAccount(_ request: AddAccountRequest) async throws(ChatAPIError) -> AccountSummary {
        let pin = request.server.pinnedCertificate.map { " pin \($0)" } ?? ""
        try note("addAccount \(request.address) \(request.password) \(request.server.host ?? "-")\(pin)")
        return AccountSummary(address: request.address, connection: .init(.online))
    }

    package func registrationForm(_ request: AddAccountRequest) async throws(ChatAPIError) -> RegistrationForm {
        try note("registrationForm \(request.address)")
        var form = RegistrationForm(fields: [
            .init(name: "email", picture: PictureData(type: "image/png", data: Data([1])))
        ])
        form.id = "f"
        return form
    }

    package func registerAccount(_ request: RegisterAccountRequest) async throws(ChatAPIError) -> AccountSummary {
        let fields = request.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        try note((["registerAccount", request.account.address] + fields).joined(separator: " "))
        return AccountSummary(address: request.account.address)
    }

    package func timeline(account: String?) async throws(ChatAPIError) -> [AccountTimeline] {
        try note("timeline")
        return state.withLock { $0.timelines }
    }

    package func trust(_ request: TrustRequest) async throws(ChatAPIError) -> TrustSettings {
        let weaker = request.permitsWeakerLogin == true ? " weaker" : ""
        try note("trust \(request.address)\(request.settings == nil ? "" : " set")\(weaker)")
        return state.withLock { state in
            state.trust = request.settings ?? state.trust
            return state.trust
        }
    }

    package func diagnose(_ request: DiagnosisRequest) async throws(ChatAPIError) -> Diagnosis {
        try note("diagnose \(request.address) \(request.password ?? "-")")
        return state.withLock { $0.diagnosis }
    }

    package func removeAccount(_ request: RemoveAccountRequest) async throws(ChatAPIError) {
        try note("removeAccount \(request.address)\(request.deletesOnServer ? " on server" : "")")
    }

    package func changePassword(_ request: ChangePasswordRequest) async throws(ChatAPIError) {
        try note("changePassword \(request.address) \(request.password)")
    }

    package func connect(_ request: ConnectRequest) async throws(ChatAPIError) -> [AccountSummary] {
        try note("connect")
        return state.withLock { $0.status.accounts }
    }

    package func contacts(account: String?) async throws(ChatAPIError) -> [ContactSummary] {
        try note("contacts")
        return state.withLock { $0.contacts }
    }

    package func addContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
        try note("addContact \(request.address)")
        return ContactSummary(account: "ana@example.org", address: request.address, isAsked: true)
    }

    package func removeContact(_ request: ContactRequest) async throws(ChatAPIError) {
        try note("removeContact \(request.address)")
    }

    package func requests(account: String?) async throws(ChatAPIError) -> [RequestSummary] {
        try note("requests")
        return state.withLock { $0.requests }
    }

    package func answer(_ request: AnswerRequest) async throws(ChatAPIError) {
        try note("answer \(request.address) \(request.accepts)")
    }

    package func send(_ request: SendRequest) async throws(ChatAPIError) -> SendResult {
        try note("send \(request.conversation) \(request.body)")
        return state.withLock { state in
            let isRepeated = state.sent.contains { $0.key == request.key }
            if !isRepeated { state.sent.append(request) }
            return SendResult(message: Self.message(request, .queued), isRepeated: isRepeated)
        }
    }

    package func wait(_ request: WaitRequest) async throws(ChatAPIError) -> MessageItem {
        try note("wait \(request.message) \(request.goal.rawValue)")
        guard await gate.pass() else { throw .cancelled }
        return state.withLock { state in
            let sent = state.sent.last ?? SendRequest(conversation: "bo@example.org", body: "", key: "")
            return Self.message(sent, state.waitedState)
        }
    }

    package func outbox(account: String?) async throws(ChatAPIError) -> [MessageItem] {
        try note("outbox")
        return state.withLock { $0.history.filter { $0.direction == .outgoing } }
    }

    package func decide(_ decision: OutboxDecision) async throws(ChatAPIError) {
        try note("decide \(decision.message) \(decision.verdict.rawValue)")
    }

    package func resolve(_ conversation: ConversationID) async throws(ChatAPIError) -> ConversationID {
        try note("resolve \(conversation.conversation)")
        return ConversationID(account: "ana@example.org", conversation: conversation.conversation.lowercased())
    }

    package func history(_ request: HistoryRequest) async throws(ChatAPIError) -> [MessageItem] {
        try note("history \(request.conversation.conversation) \(request.limit)")
        return state.withLock { state in
            let end = request.before.flatMap { id in state.history.firstIndex { $0.id == id } } ?? state.history.count
            return Array(state.history[..<end].suffix(request.limit))
        }
    }

    package func conversations() async throws(ChatAPIError) -> [ConversationSummary] {
        try note("conversations")
        return state.withLock { $0.conversations }
    }

    package func markRead(_ request: ReadRequest) async throws(ChatAPIError) {
        let through = request.through.map { " \($0)" } ?? ""
        try note("markRead \(request.conversation.conversation)\(through)")
    }

    package func setTyping(_ request: TypingRequest) async throws(ChatAPIError) {
        try note("setTyping \(request.isTyping)")
    }

    /// What is announced stands among the events.
    package func announcements() -> ChatEventStream { events(since: nil) }

    /// Gives the events after the cursor, then waits at `liveGate` before it looks for more.
    package func events(since cursor: String?) -> ChatEventStream {
        state.withLock { $0.calls.append("events \(cursor ?? "-")") }
        let place = Locked(Int(cursor ?? "") ?? 0)
        return ChatEventStream(
            next: { [weak self] () async throws(ChatAPIError) -> ChatEvent? in
                guard let self else { return nil }
                while true {
                    let next = place.withLock { place -> ChatEvent? in
                        let event = self.state.withLock { $0.events.indices.contains(place) ? $0.events[place] : nil }
                        if event != nil { place += 1 }
                        return event
                    }
                    if let next { return next }
                    if self.state.withLock({ $0.isClosed }) {
                        throw ChatAPIError(.leaving, "closed", isRetryable: true)
                    }
                    guard await self.liveGate.pass() else { throw .cancelled }
                }
            },
            finish: { [weak self] in self?.state.withLock { $0.calls.append("finished") } })
    }

    package func close() async {
        state.withLock { $0.isClosed = true }
        liveGate.open()
    }

    package static func message(_ request: SendRequest, _ state: MessageState) -> MessageItem {
        MessageItem(
            id: "1", account: "ana@example.org", conversation: request.conversation, direction: .outgoing,
            sender: "ana@example.org", body: request.body, time: Timestamp(milliseconds: 1_700_000_000_000),
            state: state, key: request.key)
    }

    package static func incoming(_ number: Int, _ body: String = "hello", cursor: String? = nil) -> MessageItem {
        MessageItem(
            id: "\(number)", account: "ana@example.org", conversation: "bo@example.org", direction: .incoming,
            sender: "bo@example.org/phone", body: body, time: Timestamp(milliseconds: 1_700_000_000_000),
            state: .received, cursor: cursor)
    }
}
