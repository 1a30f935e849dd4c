// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import Glibc

/// The profile, whoever holds it: attaches to the process that does, or becomes it.
///
/// When the holder stops or dies, calls go on at the next one, and streams continue after the last cursor seen.
package actor ProfileClient: ChatClient {
    /// How this process uses the profile.
    package enum Backend: Sendable {
        case attached(SocketChatClient)
        case holding(ProfileHolder)

        package var client: any ChatClient {
            switch self {
            case .attached(let client): client
            case .holding(let holder): holder.core
            }
        }
    }

    /// How long a command tries to attach to, or to become, the holder.
    package static let patience = Duration.seconds(30)

    package nonisolated let paths: ProfilePaths
    private let program: String
    private let role: String
    private let opener: CoreOpener
    private var current: Opened?
    private var opening: Task<Result<Opened, ChatAPIError>, Never>?
    private var lastNumber = 0
    private var isClosed = false

    /// A backend with its place in the order of those that were used.
    struct Opened: Sendable {
        let number: Int
        let backend: Backend
    }

    /// Touches nothing until the first call.
    ///
    /// `role` is the command's name, `program` the program and its version.
    package init(paths: ProfilePaths, program: String, role: String, opener: @escaping CoreOpener) {
        self.paths = paths
        self.program = program
        self.role = role
        self.opener = opener
    }

    /// Whoever holds the profile now; opens it when nobody does.
    package func backend() async throws(ChatAPIError) -> Backend {
        try await numberedBackend().backend
    }

    /// Lets go: detaches, or releases the profile without loss for those that are attached.
    package func close(linger: Duration = .seconds(5), limit: Duration = .seconds(30)) async {
        isClosed = true
        if let opening, case .success(let opened) = await opening.value { current = opened }
        guard let current else { return }
        self.current = nil
        switch current.backend {
        case .attached(let client): client.close()
        case .holding(let holder): await holder.release(linger: linger, limit: limit)
        }
    }

    /// Makes a call, again when it was refused by a holder that stops; and with `repeats` also when the holder was lost
    /// in the middle, for calls that do no harm when made twice.
    func perform<Reply: Sendable>(
        repeats: Bool = true, _ call: @Sendable (any ChatClient) async throws(ChatAPIError) -> Reply
    ) async throws(ChatAPIError) -> Reply {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let opened = try await numberedBackend()
            do throws(ChatAPIError) {
                return try await call(opened.backend.client)
            } catch {
                guard Self.isHandOver(error, repeats: repeats), ContinuousClock.now < deadline else { throw error }
                await drop(opened.number)
            }
        }
    }

    /// Forgets a backend that is of no use any more, unless it was replaced already.
    func drop(_ number: Int) async {
        guard let current, current.number == number else { return }
        self.current = nil
        switch current.backend {
        case .attached(let client): client.close()
        case .holding(let holder): await holder.release(linger: .zero, limit: .seconds(1))
        }
    }

    func numberedBackend() async throws(ChatAPIError) -> Opened {
        while true {
            if let current { return current }
            guard !isClosed, !Task.isCancelled else { throw .cancelled }
            let task = opening ?? startOpening()
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if opening == task { opening = nil }
            switch result {
            case .success(let opened):
                if let current { return current }
                guard !isClosed else { throw .cancelled }
                current = opened
                return opened
            // Another caller's cancellation ended the attempt that we shared with it.
            case .failure(let error) where error.code == .cancelled && !Task.isCancelled: continue
            case .failure(let error): throw error
            }
        }
    }

    private func startOpening() -> Task<Result<Opened, ChatAPIError>, Never> {
        lastNumber += 1
        let number = lastNumber
        let task = Task { () -> Result<Opened, ChatAPIError> in
            do throws(ChatAPIError) {
                return .success(Opened(number: number, backend: try await self.open()))
            } catch {
                return .failure(error)
            }
        }
        opening = task
        return task
    }

    static func isHandOver(_ error: ChatAPIError, repeats: Bool) -> Bool {
        error.code == .leaving || (repeats && error.code == .connectionLost)
    }
}

extension ProfileClient {
    private func open() async throws(ChatAPIError) -> Backend {
        let deadline = ContinuousClock.now + Self.patience
        var pause = Duration.milliseconds(10)
        while true {
            if let client = try await attach() { return .attached(client) }
            do throws(ChatAPIError) {
                return .holding(try await ProfileHolder.open(paths, program: program, role: role, opener: opener))
            } catch {
                guard error.code == .busy, error.isRetryable else { throw error }
                if ContinuousClock.now >= deadline {
                    throw ChatAPIError(
                        .busy, "another process holds the profile \(paths.profile) but does not listen on its socket",
                        hint: "stop that process, or choose another profile with --profile")
                }
            }
            do { try await Task.sleep(for: pause * Double.random(in: 0.5...1.5)) } catch { throw .cancelled }
            pause = min(pause * 2, .milliseconds(200))
        }
    }

    /// The holder's socket, where there is one that answers for our directory.
    private func attach() async throws(ChatAPIError) -> SocketChatClient? {
        let client: SocketChatClient
        do throws(ChatAPIError) {
            client = try await SocketChatClient.connect(path: paths.socket.path, program: program, user: paths.user)
        } catch {
            switch error.code {
            case .notFound, .connectionLost: return nil
            default: throw error
            }
        }
        guard client.core.directory == paths.directory else {
            let elsewhere = client.core.directory
            client.close()
            throw ChatAPIError(
                .busy, "the socket \(paths.socket.path) serves the profile in \(elsewhere), not \(paths.directory)",
                hint: "choose another name with --profile, or another XDG_RUNTIME_DIR")
        }
        return client
    }
}
