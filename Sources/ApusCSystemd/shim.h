// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

// Swift cannot call functions with variable arguments; these have fixed ones.

#define APUS_NOTIFICATIONS "org.freedesktop.Notifications"
#define APUS_NOTIFICATIONS_PATH "/org/freedesktop/Notifications"

/// What a desktop can show; 0 or more of these.
enum { APUS_BUS_ACTIONS = 1, APUS_BUS_MARKUP = 2, APUS_BUS_PICTURES = 4 };

static inline uint64_t apus_bus_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/// Connects to the bus at an address, or of the session when it is NULL; negative when it is not ready by `end`, a time of
/// `apus_bus_now`. The library alone would wait for a minute and a half for a bus that does not answer.
static inline int apus_bus_open(const char *address, uint64_t end, sd_bus **opened) {
    sd_bus *bus = NULL;
    int result = address ? sd_bus_new(&bus) : sd_bus_open_user(&bus);
    if (result >= 0 && address) result = sd_bus_set_address(bus, address);
    if (result >= 0 && address) result = sd_bus_set_bus_client(bus, 1);
    if (result >= 0 && address) result = sd_bus_start(bus);
    while (result >= 0 && (result = sd_bus_is_ready(bus)) == 0) {
        result = sd_bus_process(bus, NULL);
        if (result != 0) continue;
        uint64_t now = apus_bus_now();
        result = now < end ? sd_bus_wait(bus, end - now) : -ETIMEDOUT;
        if (result == -EINTR) result = 0;
    }
    if (result > 0) {
        *opened = bus;
        return 0;
    }
    sd_bus_close_unref(bus);
    return result < 0 ? result : -ENOTCONN;
}

/// Asks the program that shows notifications what it can; negative when none answers.
static inline int apus_bus_capabilities(sd_bus *bus) {
    sd_bus_message *reply = NULL;
    int result = sd_bus_call_method(
        bus, APUS_NOTIFICATIONS, APUS_NOTIFICATIONS_PATH, APUS_NOTIFICATIONS, "GetCapabilities", NULL, &reply, "");
    if (result < 0) return result;
    int found = 0;
    result = sd_bus_message_enter_container(reply, 'a', "s");
    const char *name = NULL;
    while (result >= 0 && (result = sd_bus_message_read(reply, "s", &name)) > 0) {
        if (strcmp(name, "actions") == 0) found |= APUS_BUS_ACTIONS;
        if (strcmp(name, "body-markup") == 0) found |= APUS_BUS_MARKUP;
        // Pictures beside the text; "body-images" is about those in it.
        if (strcmp(name, "icon-static") == 0 || strcmp(name, "icon-multi") == 0) found |= APUS_BUS_PICTURES;
    }
    sd_bus_message_unref(reply);
    return result < 0 ? result : found;
}

/// Shows a notification in the place of another one (0 for none); gives its number, or a negative error. The labels of
/// what can be done, and the URI of a picture, may be NULL.
static inline int64_t apus_bus_notify(
    sd_bus *bus, uint32_t replaces, const char *summary, const char *body, const char *open, const char *read,
    int urgency, int is_silent, const char *picture) {
    sd_bus_message *call = NULL, *reply = NULL;
    int result = sd_bus_message_new_method_call(
        bus, &call, APUS_NOTIFICATIONS, APUS_NOTIFICATIONS_PATH, APUS_NOTIFICATIONS, "Notify");
    if (result >= 0) result = sd_bus_message_append(call, "susss", "Apus", replaces, "", summary, body);
    if (result >= 0) result = sd_bus_message_open_container(call, 'a', "s");
    if (result >= 0 && open) result = sd_bus_message_append(call, "ss", "default", open);
    if (result >= 0 && read) result = sd_bus_message_append(call, "ss", "read", read);
    if (result >= 0) result = sd_bus_message_close_container(call);
    if (result >= 0) result = sd_bus_message_open_container(call, 'a', "{sv}");
    if (result >= 0)
        result = sd_bus_message_append(
            call, "{sv}{sv}{sv}{sv}", "urgency", "y", urgency, "category", "s", "im.received", "desktop-entry", "s", "apus",
            "suppress-sound", "b", is_silent);
    if (result >= 0 && picture) result = sd_bus_message_append(call, "{sv}", "image-path", "s", picture);
    if (result >= 0) result = sd_bus_message_close_container(call);
    if (result >= 0) result = sd_bus_message_append(call, "i", -1);
    if (result >= 0) result = sd_bus_call(bus, call, 0, NULL, &reply);
    uint32_t number = 0;
    if (result >= 0) result = sd_bus_message_read(reply, "u", &number);
    sd_bus_message_unref(call);
    sd_bus_message_unref(reply);
    return result < 0 ? result : (int64_t)number;
}

static inline int apus_bus_withdraw(sd_bus *bus, uint32_t number) {
    return sd_bus_call_method(
        bus, APUS_NOTIFICATIONS, APUS_NOTIFICATIONS_PATH, APUS_NOTIFICATIONS, "CloseNotification", NULL, NULL, "u",
        number);
}

/// Calls `handler` with each signal of that name.
static inline int apus_bus_watch(sd_bus *bus, const char *signal, sd_bus_message_handler_t handler, void *data) {
    return sd_bus_match_signal(
        bus, NULL, APUS_NOTIFICATIONS, APUS_NOTIFICATIONS_PATH, APUS_NOTIFICATIONS, signal, handler, data);
}

/// The number of the notification that a signal is about; 0 for one that cannot be read.
static inline uint32_t apus_bus_number(sd_bus_message *signal) {
    uint32_t number = 0;
    return sd_bus_message_read(signal, "u", &number) < 0 ? 0 : number;
}

/// What was done to it, behind the number; NULL for a signal that does not say so. Belongs to the signal.
static inline const char *apus_bus_action(sd_bus_message *signal) {
    const char *action = NULL;
    return sd_bus_message_read(signal, "s", &action) < 0 ? NULL : action;
}
