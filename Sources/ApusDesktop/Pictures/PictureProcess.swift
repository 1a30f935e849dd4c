// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatKit
import Glibc

/// One run of `apus-image`: without environment, with three descriptors, killed when its time is up.
///
/// Owner of the process: whoever runs it; `cancel` may come from anywhere.
final class PictureProcess: Sendable {
    private struct State {
        var process: pid_t?
        var isCancelled = false
    }

    private let state = Locked(State())

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let process = state.process { kill(process, SIGKILL) }
        }
    }

    /// Runs the program with a file as its input, and gives what it wrote.
    func run(
        _ path: String, _ arguments: [String], input: String, until deadline: ContinuousClock.Instant
    ) throws(ChatError) -> [UInt8] {
        let from = open(input, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard from >= 0 else { throw Self.failed("the picture cannot be read") }
        defer { close(from) }
        var ends: [Int32] = [-1, -1]
        // A pipe could not be kept from other children in one step.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Self.failed("there is no pipe") }
        defer { close(ends[0]) }
        let process = Self.spawn(path, arguments, from, ends[1])
        close(ends[1])
        guard let process else { throw Self.failed("\(path) cannot be started") }
        let isCancelled = state.withLock { state in
            state.process = process
            return state.isCancelled
        }
        if isCancelled { kill(process, SIGKILL) }
        let output = Self.read(ends[0], until: deadline)
        if output == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        // Not reaped before nobody can kill it by its number any more.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        state.withLock { $0.process = nil }
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        if state.withLock({ $0.isCancelled }) { throw ChatError(.cancelled, "cancelled", isRetryable: true) }
        guard let output else { throw Self.failed("it took too long") }
        guard status & 0x7F == 0 else { throw Self.failed("it was killed by signal \(status & 0x7F)") }
        switch status >> 8 & 0xFF {
        case 0: return output
        case 3: throw ChatError(.pictureNotAcceptable, "this is no whole picture of a known kind")
        case 4: throw ChatError(.pictureTooLarge, "the picture has more pixels than are decoded")
        default: throw Self.failed("it failed")
        }
    }

    private static func spawn(_ path: String, _ arguments: [String], _ input: Int32, _ output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        let environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var process: pid_t = 0
        return posix_spawn(&process, path, &actions, nil, words, environment) == 0 ? process : nil
    }

    /// Reads to the end; nil when that does not come in time, or there is too much.
    private static func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let left = (deadline - ContinuousClock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return nil }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let wait = Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
            let ready = poll(&entry, 1, wait)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= PictureFrames.longest else { return nil }
        }
    }

    private static func failed(_ why: String) -> ChatError {
        ChatError(.pictureWorkerFailed, "the picture cannot be decoded: \(why)")
    }
}
