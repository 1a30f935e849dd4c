// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <microhttpd.h>
#include <stdint.h>

// Variadic; every option goes into the array.
static inline struct MHD_Daemon *apus_http_start(
    unsigned int flags, MHD_AccessHandlerCallback handler, void *context, struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

// Variadic, and the answers are unions. A socket, or -1.
static inline int apus_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

// What NOTIFY_CONNECTION stored for the connection, or NULL.
static inline void *apus_http_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

// Bytes of the request's head as they came, or 0.
static inline size_t apus_http_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

// Macros over casts of negative numbers, which Swift does not import.
static inline ssize_t apus_http_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }

static inline uint64_t apus_http_unknown_size(void) { return MHD_SIZE_UNKNOWN; }
