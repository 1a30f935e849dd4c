// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A program run beside a test, with silent output and no signal blocked.
package struct ChildProgram {
    private let identifier: pid_t

    /// Nil when it cannot be started.
    package init?(_ path: String, _ arguments: [String]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var vector = ([path] + arguments).map { strdup($0) } + [nil]
        defer { vector.forEach { free($0) } }
        var identifier = pid_t()
        guard posix_spawn(&identifier, path, &actions, &attributes, &vector, environ) == 0 else { return nil }
        self.identifier = identifier
    }

    /// The exit status, -1 after a signal.
    @discardableResult
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : -1
    }

    package func stop() {
        kill(identifier, SIGKILL)
        wait()
    }
}
