// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc

/// Turns the signals that end or stop a program into calls on a queue.
///
/// The handlers only write the signal's number into a pipe. Handlers, unlike ignored signals, are not inherited by
/// the programs that `listen --exec` starts.
enum Signals {
    // Written once, before any handler is installed; handlers on any thread only read it.
    nonisolated(unsafe) private static var pipe: (reading: Int32, writing: Int32) = (-1, -1)

    /// Calls `received` for SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT and SIGWINCH; SIGPIPE is caught and does nothing.
    static func observe(_ received: @escaping @Sendable (Int32) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
        pipe = (ends[0], ends[1])
        let source = DispatchSource.makeReadSource(
            fileDescriptor: ends[0], queue: DispatchQueue(label: "apus.signals"))
        source.setEventHandler {
            var number: UInt8 = 0
            while read(ends[0], &number, 1) == 1 { received(Int32(number)) }
            _ = source
        }
        source.activate()
        let ignored = ignoredSignals()
        for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH] {
            // A shell that starts a job in the background with SIGINT ignored, or nohup with SIGHUP, means it.
            if ignored & (1 << UInt64(number - 1)) != 0 { continue }
            install(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Signals.pipe.writing, &byte, 1)
                errno = saved
            }
        }
        install(SIGPIPE) { _ in }
    }

    /// The signals that this process was started with ignored, as a set of bits: signal 1 is the lowest (proc(5)).
    private static func ignoredSignals() -> UInt64 {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigIgn:") })
        else { return 0 }
        return UInt64(line.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16) ?? 0
    }

    private static func install(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }
}
