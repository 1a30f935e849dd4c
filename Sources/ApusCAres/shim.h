// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ares.h>
#include <ares_dns.h>
#include <stdint.h>

// struct timeval belongs to whichever C module was built first, so that Swift cannot name its members reliably.
// Microseconds until c-ares wants to be called, or -1.
static inline int64_t apus_ares_timeout(ares_channel channel) {
    struct timeval next;
    if (ares_timeout(channel, 0, &next) == 0) return -1;
    return (int64_t)next.tv_sec * 1000000 + next.tv_usec;
}
