// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import ChatAPI
import Foundation
import Glibc

/// The folder `web` of a profile, with the file that says who may use the service.
///
/// Several processes of the user may change the file; each change is made under a lock on disk, durable when it
/// returns, and seen by the others at their next look.
package final class WebAccessFile: Sendable {
    private struct Stamp: Equatable {
        var node: ino_t = 0
        var size: off_t = 0
        var seconds = 0
        var nanoseconds = 0
    }

    private struct State {
        var access = WebAccess()
        var stamp: Stamp?
        var failures = 0
        var closedUntil = Timestamp(milliseconds: 0)
        var passwordTries: [String: Int] = [:]
    }

    /// The folder, which only its owner can look into.
    package let directory: String
    private let state = Locked(State())
    private let now: @Sendable () -> Timestamp
    private let queue = BlockingQueue("apus.web.access")

    package init(
        profileDirectory: String, now: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(ChatAPIError) {
        directory = profileDirectory + "/web"
        self.now = now
        if mkdir(directory, 0o700) != 0, errno != EEXIST { throw Self.failed("make", directory) }
        try SocketLocation.checkPrivate(directory, user: getuid())
    }

    private var path: String { directory + "/access.json" }

    /// What holds now.
    package func read() throws(ChatAPIError) -> WebAccess {
        let stamp = Self.stamp(of: path)
        if let known = state.withLock({ $0.stamp == stamp && stamp != nil ? $0.access : nil }) { return known }
        guard stamp != nil else { return WebAccess() }
        let access = try load()
        state.withLock { state in
            state.access = access
            state.stamp = stamp
        }
        return access
    }

    /// Does what waits for the disk, or for another process that changes the file, where nobody else waits.
    package func apart<Result: Sendable>(
        _ work: @escaping @Sendable (WebAccessFile) throws(ChatAPIError) -> Result
    ) async throws(ChatAPIError) -> Result {
        try await queue.run { () throws(ChatAPIError) in try work(self) }
    }

    /// How long another process that changes the file is waited for; one that was stopped may hold it for ever.
    package static let patience = Duration.seconds(5)

    /// Changes it, durably; blocks until that is done.
    ///
    /// - Parameter patience: How long another process that changes it is waited for.
    /// - Throws: ``ChatAPIError/Code/busy`` when that takes too long.
    @discardableResult
    package func change<Result>(
        within patience: Duration = WebAccessFile.patience,
        _ body: (inout WebAccess) throws(ChatAPIError) -> Result
    ) throws(ChatAPIError) -> Result {
        let lock = open(directory + "/access.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw Self.failed("lock", directory + "/access.lock") }
        defer { close(lock) }
        let end = ContinuousClock.now + patience
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw Self.failed("lock", directory + "/access.lock")
            }
            guard ContinuousClock.now < end else {
                throw ChatAPIError(
                    .busy, "another process changes \(path) and does not end", hint: "look for a stopped 'apus'",
                    isRetryable: true)
            }
            usleep(5000)
        }
        let before = Self.stamp(of: path) == nil ? WebAccess() : try load()
        var access = before
        let result = try body(&access)
        if access != before { try store(access) }
        return result
    }

    private func load() throws(ChatAPIError) -> WebAccess {
        guard let data = FileManager.default.contents(atPath: path) else { throw Self.failed("read", path) }
        guard let access = try? JSONDecoder().decode(WebAccess.self, from: data), access.version == 1 else {
            throw ChatAPIError(
                .storage, "\(path) is damaged or was written by a newer version",
                hint: "remove it; every browser has to sign in again then")
        }
        return access
    }

    private func store(_ access: WebAccess) throws(ChatAPIError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(access) else { throw Self.failed("write", path) }
        try Self.replace(path, with: Array(data))
    }

    private static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            node: status.st_ino, size: status.st_size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    static func failed(_ what: String, _ path: String) -> ChatAPIError {
        ChatAPIError(
            .storage, "cannot \(what) \(path): \(String(cString: strerror(errno)))",
            hint: "check its rights and the free space")
    }

    /// Puts a private file in the place of another one, whole or not at all.
    static func replace(_ path: String, with bytes: [UInt8]) throws(ChatAPIError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failed("write", temporary) }
        let isWritten = bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return fsync(descriptor) == 0
        }
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let error = failed("write", path)
            unlink(temporary)
            throw error
        }
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }
}

extension WebAccessFile {
    /// Wrong codes in a row after which all are refused for a while.
    package static let failureLimit = 10
    package static let closedMilliseconds: Int64 = 60_000
    /// Wrong passwords for a right code before it is used up.
    package static let passwordTries = 5

    /// A new one-time code.
    package func makeCode() throws(ChatAPIError) -> (code: String, expires: Timestamp) {
        let code = WebSecret.code()
        let now = now()
        return (code, try change { (access) throws(ChatAPIError) in access.add(code: code, now) })
    }

    /// Exchanges a code for a session; the secret is for the cookie and is kept nowhere.
    ///
    /// Hashing the password takes a while: this must not be called on the server's thread.
    package func pair(
        code: String, password: String?, label: String
    ) throws(ChatAPIError) -> (session: WebAccess.Session, secret: String) {
        let now = now()
        guard state.withLock({ $0.closedUntil <= now }) else { throw .tooMany }
        let access = try read()
        guard let index = access.index(of: code, now) else {
            failed(now)
            throw .wrongCode
        }
        if let known = access.password, !known.matches(password ?? "") {
            let digest = access.codes[index].digest
            let isUsedUp = state.withLock { state in
                state.passwordTries[digest, default: 0] += 1
                return state.passwordTries[digest, default: 0] >= Self.passwordTries
            }
            if isUsedUp {
                try change { (access) throws(ChatAPIError) in access.codes.removeAll { $0.digest == digest } }
            }
            failed(now)
            throw .wrongPassword
        }
        let secret = WebSecret.session()
        let session = WebAccess.Session(
            id: String(WebSecret.session().prefix(12)), label: Self.clean(label),
            digest: WebSecret.digestText(secret), created: now, used: now)
        // Two that come at once: only one finds the code still there.
        try change { (access) throws(ChatAPIError) in
            access.expire(now)
            guard let index = access.index(of: code, now) else { throw .wrongCode }
            access.codes.remove(at: index)
            guard access.sessions.count < WebAccess.sessionLimit else {
                throw ChatAPIError(.conflict, "too many browsers are signed in", hint: "sign some of them out first")
            }
            access.sessions.append(session)
        }
        state.withLock { state in
            state.failures = 0
            state.passwordTries = [:]
        }
        return (session, secret)
    }

    /// The session of a cookie; notes that it is in use, to the hour, unless the file is being changed just then.
    package func session(secret: String) -> WebAccess.Session? {
        let now = now()
        guard let session = (try? read())?.session(secret: secret, now) else { return nil }
        if now.milliseconds &- session.used.milliseconds > 3_600_000 {
            try? change(within: .zero) { (access) throws(ChatAPIError) in
                for index in access.sessions.indices where access.sessions[index].id == session.id {
                    access.sessions[index].used = now
                }
            }
        }
        return session
    }

    /// Ends a session; false when there is none of that name.
    package func revoke(_ id: String) throws(ChatAPIError) -> Bool {
        try change { (access) throws(ChatAPIError) in
            let count = access.sessions.count
            access.sessions.removeAll { $0.id == id }
            return access.sessions.count < count
        }
    }

    private func failed(_ now: Timestamp) {
        state.withLock { state in
            state.failures += 1
            guard state.failures >= Self.failureLimit else { return }
            state.failures = 0
            state.closedUntil = Timestamp(milliseconds: now.milliseconds &+ Self.closedMilliseconds)
        }
    }

    /// What a browser calls itself, in one short line.
    private static func clean(_ label: String) -> String {
        let plain = label.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        let text = String(String.UnicodeScalarView(plain)).prefix(80)
        return text.isEmpty ? "a browser" : String(text)
    }
}

extension ChatAPIError {
    /// Codes of the HTTP interface alone.
    package static let signedOut = ChatAPIError(
        .init(rawValue: "signed-out"), "this browser is not signed in", hint: "pair it again with 'apus pair'")
    package static let tooMany = ChatAPIError(
        .init(rawValue: "too-many"), "too many tries", hint: "wait a minute", isRetryable: true)
    package static let wrongCode = ChatAPIError(
        .init(rawValue: "forbidden"), "the code is wrong, used up or too old", hint: "make a new one with 'apus pair'")
    package static let wrongPassword = ChatAPIError(
        .init(rawValue: "forbidden"), "the password is wrong", hint: "type it again")
}

extension Timestamp {
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
    }
}
