// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import Glibc
import XMPP

/// The chat core of this process, over `ChatKit`.
///
/// Owner of the attempts to connect that are under way; everything else is the core's.
package actor LocalChatClient: LocalCore {
    nonisolated let core: ChatCore
    nonisolated let paths: ProfilePaths
    private nonisolated let program: String
    private nonisolated let role: String
    /// Only a service is there for others alone; every other command is a face itself.
    private nonisolated let activity: FaceActivity?
    nonisolated let registrations = PendingRegistrations()
    /// One-shot attempts, shared by all who want the same account online.
    private var attempts: [JID: Task<ChatAPIError?, Never>] = [:]

    /// Opens profiles; throws `busy` when another process holds one.
    package static func opener(
        program: String, role: String, options: CoreOptions = CoreOptions()
    ) -> CoreOpener {
        { (paths: ProfilePaths) async throws(ChatAPIError) -> any LocalCore in
            do throws(ChatError) {
                let core = try await ChatCore.open(
                    directory: paths.directory, configuration: options.core)
                return LocalChatClient(core: core, paths: paths, program: program, role: role)
            } catch {
                throw ChatAPIError(error)
            }
        }
    }

    init(core: ChatCore, paths: ProfilePaths, program: String, role: String) {
        self.core = core
        self.paths = paths
        self.program = program
        self.role = role
        guard role == "serve" else {
            activity = nil
            return
        }
        let (changes, change) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        activity = FaceActivity { change.yield($0) }
        // Ends with the stream, which goes with the activity.
        Task { for await isActive in changes { await core.setActive(isActive) } }
    }

    package nonisolated func attachedCountChanged(to count: Int) { activity?.changed(to: count) }

    package func close() async {
        await registrations.close()
        await core.close()
    }

    package nonisolated func status() async throws(ChatAPIError) -> ProfileStatus {
        try await asking { () async throws(ChatError) in
            ProfileStatus(
                profile: paths.profile, version: program, process: getpid(), role: role,
                accounts: try await core.accounts().map { AccountSummary($0) },
                unread: try await core.conversations().reduce(0) { $0 + $1.unread },
                requests: try await core.requests().count + core.invitations().count,
                cursor: try await core.cursor().description)
        }
    }

    package func connect(_ request: ConnectRequest) async throws(ChatAPIError) -> [AccountSummary] {
        let targets = try await targets(request.account)
        if request.persists {
            // An attempt of somebody else that fails would end what was begun now.
            for target in targets { _ = await attempts[target]?.value }
            try await asking { () async throws(ChatError) in try await core.connectAll() }
        }
        if !request.persists || request.timeout > .zero {
            let deadline = ContinuousClock.now + request.timeout
            for target in targets { try await waitUntilOnline(target, deadline, persists: request.persists) }
        }
        return try await status().accounts.filter { account in targets.contains { $0.description == account.address } }
    }

    /// Asks the core for something, with its errors in the words of the interface.
    nonisolated func asking<Reply>(
        _ call: () async throws(ChatError) -> Reply
    ) async throws(ChatAPIError) -> Reply {
        do throws(ChatError) {
            return try await call()
        } catch {
            // A core that is being closed ends its calls without our having been told to.
            if error.code == .cancelled, !Task.isCancelled { throw Self.closing }
            throw ChatAPIError(error)
        }
    }

    static let closing = ChatAPIError(
        .leaving, "the process that holds the profile is stopping", hint: "run the command again", isRetryable: true)
}

extension LocalChatClient {
    private func targets(_ address: String?) async throws(ChatAPIError) -> [JID] {
        if let address { return [try await account(address)] }
        let accounts = try await asking { () async throws(ChatError) in try await core.accounts() }
        let enabled = accounts.filter(\.isEnabled).map(\.jid)
        guard !enabled.isEmpty else { throw noAccount(isEmpty: accounts.isEmpty) }
        return enabled
    }

    private func waitUntilOnline(
        _ account: JID, _ deadline: ContinuousClock.Instant, persists: Bool
    ) async throws(ChatAPIError) {
        let state = try await asking { () async throws(ChatError) in try await core.account(account).connection }
        if state.isOnline { return }
        let left = max(.milliseconds(1), deadline - .now)
        let expired = ChatAPIError(
            .timeout, "\(account) did not get online in time",
            hint: "check the network, or give it longer with --timeout",
            isRetryable: true)
        do throws(ChatAPIError) {
            switch state.phase {
            case .connecting where attempts[account] == nil, .waiting:
                let core = core
                try await Self.within(left, expired) { () async throws(ChatError) in
                    try await core.waitUntilOnline(account)
                }
            default: try await join(attempts[account] ?? attempt(account), left, expired)
            }
        } catch {
            guard error.code == .timeout else { throw error }
            // Why it has not worked so far says more than that the time is up.
            let now = try await asking { () async throws(ChatError) in try await core.account(account).connection }
            if now.isOnline { return }
            throw now.error.map { ChatAPIError($0) } ?? error
        }
    }

    /// One attempt for all who want it.
    ///
    /// It belongs to nobody's task: a caller who gives up does not take the connection away from the others, and the
    /// session's own time limit ends it.
    private func attempt(_ account: JID) -> Task<ChatAPIError?, Never> {
        let core = core
        let task = Task { () -> ChatAPIError? in
            do throws(ChatError) {
                try await core.connect(account)
                return nil
            } catch {
                return ChatAPIError(error)
            }
        }
        attempts[account] = task
        Task {
            _ = await task.value
            if attempts[account] == task { attempts[account] = nil }
        }
        return task
    }

    private func join(
        _ attempt: Task<ChatAPIError?, Never>, _ time: Duration, _ expired: ChatAPIError
    ) async throws(ChatAPIError) {
        let (ends, continuation) = AsyncStream.makeStream(of: ChatAPIError?.self)
        let watchers = [
            Task { () -> Void in continuation.yield(await attempt.value) },
            Task { () -> Void in
                try? await Task.sleep(for: time)
                continuation.yield(expired)
            },
        ]
        defer { for watcher in watchers { watcher.cancel() } }
        for await error in ends {
            if let error { throw error }
            return
        }
        throw .cancelled
    }

    /// Makes a call that ends when it is cancelled, and cancels it when the time is up.
    static func within<Reply: Sendable>(
        _ time: Duration, _ expired: ChatAPIError, _ call: @escaping @Sendable () async throws(ChatError) -> Reply
    ) async throws(ChatAPIError) -> Reply {
        let result = await withTaskGroup(of: Result<Reply, ChatAPIError>?.self) { group in
            group.addTask {
                do throws(ChatError) {
                    return .success(try await call())
                } catch {
                    return .failure(error.code == .cancelled && !Task.isCancelled ? closing : ChatAPIError(error))
                }
            }
            group.addTask {
                do { try await Task.sleep(for: time) } catch { return nil }
                return .failure(expired)
            }
            var result: Result<Reply, ChatAPIError>?
            while result == nil, let next = await group.next() { result = next }
            group.cancelAll()
            return result
        }
        return try (result ?? .failure(.cancelled)).get()
    }
}
