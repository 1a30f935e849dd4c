// SPDX-License-Identifier: Apache-2.0
// What Swift's Glibc overlay does not show: epoll, eventfd and timerfd.
#pragma once
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>

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
