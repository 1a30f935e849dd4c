// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// How signals end the program: the first cancels its work, which then ends in order; a second ends it at once.
final class Ending: Sendable {
    private let signal = Atomic<Int32>(0)

    func received(_ number: Int32, _ work: Task<ExitCode, Never>) {
        switch number {
        case SIGTSTP:
            TerminalMode.suspend()
            kill(getpid(), SIGSTOP)
        case SIGCONT: TerminalMode.resume()
        case SIGWINCH: break
        default:
            guard signal.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged else {
                TerminalMode.restore()
                _exit(128 + number)
            }
            work.cancel()
        }
    }

    /// The exit status after a signal; a command that ends by itself, as `serve` does, keeps its own.
    func signalCode(command: ExitCode) -> ExitCode? {
        let number = signal.load(ordering: .relaxed)
        guard number != 0, command == .interrupted else { return nil }
        return ExitCode(rawValue: 128 + number) ?? .interrupted
    }
}
