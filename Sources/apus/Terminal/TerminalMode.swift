// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The terminal's settings, changed for a while and put back on every way out.
///
/// There is one terminal, so there is one of these; what was changed is kept so that a second Ctrl-C, which ends the
/// process at once, can put it back too.
enum TerminalMode {
    enum Mode {
        /// Lines as usual, but what is typed is not shown.
        case silent
        /// Keys one by one, nothing shown by the terminal; Ctrl-C and Ctrl-Z still work.
        case keys
    }

    private static let state = TerminalState()

    /// Changes the settings; false when `descriptor` is no terminal.
    static func enter(_ mode: Mode, _ descriptor: Int32) -> Bool { state.enter(mode, descriptor) }

    /// Puts the settings back as they were before `enter`.
    static func restore() { state.restore(forgets: true) }

    /// Puts them back for the time that the process is stopped with Ctrl-Z.
    static func suspend() { state.restore(forgets: false) }

    /// Changes them again after `suspend`.
    static func resume() { state.reenter() }
}

// All state is guarded by `lock`.
private final class TerminalState: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var saved: (descriptor: Int32, settings: termios, mode: TerminalMode.Mode)?

    init() { pthread_mutex_init(lock, nil) }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    func enter(_ mode: TerminalMode.Mode, _ descriptor: Int32) -> Bool {
        locked {
            var settings = termios()
            guard saved == nil, tcgetattr(descriptor, &settings) == 0 else { return false }
            saved = (descriptor, settings, mode)
            apply()
            return true
        }
    }

    func reenter() { locked { apply() } }

    func restore(forgets: Bool) {
        locked {
            guard var (descriptor, settings, _) = saved else { return }
            tcsetattr(descriptor, TCSADRAIN, &settings)
            if forgets { saved = nil }
            descriptor = -1
        }
    }

    private func apply() {
        guard var (descriptor, settings, mode) = saved else { return }
        switch mode {
        case .silent: settings.c_lflag &= ~tcflag_t(ECHO)
        case .keys:
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
            settings.c_iflag &= ~tcflag_t(IXON)
        }
        tcsetattr(descriptor, TCSADRAIN, &settings)
        (descriptor, mode) = (-1, .silent)
    }
}
