// SPDX-License-Identifier: Apache-2.0
import ApusCSeccomp
import Glibc

/// What this program may still do once it has started: compute, read what is open, write what is open, and end.
///
/// No file, socket, process or executable memory can be made; memory, time and the size of files are bounded.
enum Confinement {
    /// Bytes of address space; the libraries alone map a third of it.
    private static let memory: UInt64 = 1 << 30
    /// Seconds of processor time.
    private static let seconds: UInt64 = 10

    /// Names of calls that do no harm whatever their arguments are.
    private static let calls = [
        "read", "readv", "write", "writev", "close", "fstat", "lseek", "munmap", "mremap", "madvise", "brk",
        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "futex", "sched_yield", "sched_getaffinity",
        "set_robust_list", "rseq", "exit", "exit_group", "gettid", "getpid", "clock_gettime", "clock_getres",
        "clock_nanosleep", "nanosleep", "gettimeofday", "getrandom", "poll", "ppoll", "sysinfo", "uname", "getcpu",
        "restart_syscall", "membarrier", "getrlimit",
    ]

    /// Begins; false when some part of it is not in force, and then nothing may be decoded.
    static func begin() -> Bool {
        let limits: [(Int32, UInt64)] = [
            (Int32(RLIMIT_AS.rawValue), memory), (Int32(RLIMIT_CPU.rawValue), seconds),
            (Int32(RLIMIT_NOFILE.rawValue), 16), (Int32(RLIMIT_FSIZE.rawValue), 0), (Int32(RLIMIT_CORE.rawValue), 0),
        ]
        guard limits.allSatisfy({ apus_limit($0.0, $0.1) == 0 }) else { return false }
        guard let filter = seccomp_init(apus_seccomp_refuse(EPERM)) else { return false }
        defer { seccomp_release(filter) }
        for name in calls {
            let call = seccomp_syscall_resolve_name(name)
            // One that this machine does not have needs no rule.
            if call >= 0, seccomp_rule_add_array(filter, apus_seccomp_allow(), call, 0, nil) != 0 { return false }
        }
        // Memory that can be run is never made.
        for name in ["mmap", "mprotect"] {
            let call = seccomp_syscall_resolve_name(name)
            guard apus_seccomp_allow_masked(filter, call, 2, UInt64(PROT_EXEC), 0) == 0 else { return false }
        }
        // Threads, and no processes; the newer call hides its flags, so the older one takes its place.
        let threads = apus_thread_flag()
        guard apus_seccomp_allow_masked(filter, seccomp_syscall_resolve_name("clone"), 0, threads, threads) == 0
        else { return false }
        let newer = seccomp_syscall_resolve_name("clone3")
        if newer >= 0, seccomp_rule_add_array(filter, apus_seccomp_refuse(ENOSYS), newer, 0, nil) != 0 { return false }
        return seccomp_load(filter) == 0
    }
}
