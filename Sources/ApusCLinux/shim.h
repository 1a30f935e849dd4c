// SPDX-License-Identifier: Apache-2.0
// What Swift's Glibc overlay does not show: epoll, eventfd, timerfd and rtnetlink.
#pragma once
#include <linux/rtnetlink.h>
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// prctl is variadic.
static inline void apus_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// struct timespec belongs to whichever C module was built first, so that Swift cannot name its members reliably.
static inline int64_t apus_boot_time(void) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The same; nanoseconds of the boot-time clock.
static inline int apus_set_boot_timer(int descriptor, int64_t deadline) {
    struct itimerspec value = {{0, 0}, {deadline / 1000000000, deadline % 1000000000}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &value, 0);
}

// sigset_t belongs to whichever C module was built first, so that Swift cannot name it reliably.
// Runs `function` on a detached thread that takes no signals, which belong to the program's own threads; 0 when it does.
static inline int apus_start_thread(void *_Nullable (*_Nonnull function)(void *_Nullable), void *_Nullable context) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&thread, NULL, function, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result == 0) pthread_detach(thread);
    return result;
}

// The clock that stands still while the machine sleeps; in nanoseconds, as above.
static inline int64_t apus_awake_time(void) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// A timer in the far future that is cancelled when the wall clock is set, which also happens at each wake; the same
// reason as above.
static inline int apus_arm_clock_watch(int descriptor) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    struct itimerspec value = {{0, 0}, {now.tv_sec + (1 << 30), 0}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &value, 0);
}

// A socket that tells of changed interfaces, addresses and routes; -1 where the system has none. The groups are macros,
// and struct sockaddr_nl is reached through a cast.
static inline int apus_open_network_watch(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {0};
    address.nl_family = AF_NETLINK;
    address.nl_groups =
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}
