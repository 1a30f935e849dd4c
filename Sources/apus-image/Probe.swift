// SPDX-License-Identifier: Apache-2.0
import ApusCSeccomp
import Glibc

/// Tries what a confined program must not be able to do, so that tests can see that it is not.
enum Probe {
    /// A line for each: its name, and `refused` or `allowed`.
    static func report() -> String {
        let tries: [(String, () -> Bool)] = [
            ("open", { open("/etc/passwd", O_RDONLY) >= 0 }),
            ("create", { open("/tmp/apus-image-probe", O_WRONLY | O_CREAT, 0o600) >= 0 }),
            ("socket", { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
            ("unix-socket", { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0 }),
            ("kill", { kill(getppid(), 0) == 0 }),
            ("chmod", { chmod("/tmp", 0o777) == 0 }),
            (
                "run-memory",
                {
                    mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                        != MAP_FAILED
                }
            ),
            ("memory", { mmap(nil, 2 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED }),
            ("execute", { apus_probe_execute() != 0 }),
            ("fork", { apus_probe_fork() != 0 }),
        ]
        return tries.map { "\($0.0) \($0.1() ? "allowed" : "refused")\n" }.joined()
    }
}
