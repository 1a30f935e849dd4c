// SPDX-License-Identifier: Apache-2.0
// What Swift's Glibc overlay does not show: epoll, eventfd and timerfd.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

// prctl is variadic.
static inline void apus_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
