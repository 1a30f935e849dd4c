// SPDX-License-Identifier: Apache-2.0
#ifndef APUS_CSECCOMP_SHIM_H
#define APUS_CSECCOMP_SHIM_H

#include <errno.h>
#include <malloc.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Macros with arguments, and variadic functions.
static inline uint32_t apus_seccomp_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t apus_seccomp_refuse(int error) { return SCMP_ACT_ERRNO(error); }

/// Allows a call where `argument & mask` is `value`.
static inline int apus_seccomp_allow_masked(
    scmp_filter_ctx filter, int call, unsigned argument, uint64_t mask, uint64_t value
) {
    struct scmp_arg_cmp compare = SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value);
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &compare);
}

// CLONE_THREAD, which <sched.h> shows to GNU programs only.
static inline uint64_t apus_thread_flag(void) { return 0x00010000; }

static inline int apus_limit(int resource, uint64_t value) {
    struct rlimit limit = { value, value };
    return setrlimit((__rlimit_resource_t)resource, &limit);
}

// <unistd.h> shows it to GNU programs only.
long syscall(long number, ...);

/// The process has no files but its three, gains no rights, leaves no dump, and ends with its parent.
static inline int apus_confine(void) {
    mallopt(M_ARENA_MAX, 1);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    if (chdir("/") != 0) return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0);
}

// Swift does not let a program call these; both tell whether they worked.
static inline int apus_probe_execute(void) {
    char *words[] = { (char *)"/bin/true", NULL };
    return execv(words[0], words) == 0;
}

static inline int apus_probe_fork(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    return child > 0;
}

#endif
