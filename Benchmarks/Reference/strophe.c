// SPDX-License-Identifier: Apache-2.0
// The reference client on libstrophe: flood, sink and echo of the adapter contract.
#include <strophe.h>

#include "reference.h"

static xmpp_ctx_t *context;
static long got, sent;
static int status = 1;
static long sums[3];
static char **lines;
static long line_count;

static xmpp_stanza_t *build(const char *to, const char *id, const char *body, int payloads) {
    xmpp_stanza_t *message = xmpp_message_new(context, "chat", to, id);
    xmpp_message_set_body(message, body);
    if (payloads) {
        static const char *names[][2] = {
            {"request", "urn:xmpp:receipts"}, {"active", "http://jabber.org/protocol/chatstates"}};
        for (int i = 0; i < 2; i++) {
            xmpp_stanza_t *child = xmpp_stanza_new(context);
            xmpp_stanza_set_name(child, names[i][0]);
            xmpp_stanza_set_ns(child, names[i][1]);
            xmpp_stanza_add_child(message, child);
            xmpp_stanza_release(child);
        }
    }
    return message;
}

static void send_message(xmpp_conn_t *conn, const char *to, const char *id, const char *body, int payloads) {
    xmpp_stanza_t *message = build(to, id, body, payloads);
    xmpp_send(conn, message);
    xmpp_stanza_release(message);
}

static void send_echo(xmpp_conn_t *conn) {
    char id[32];
    snprintf(id, sizeof id, "e%ld", sent);
    started[sent++] = now();
    send_message(conn, "peer@bench.example/phone", id, "hello", 1);
}

static void finish(xmpp_conn_t *conn) {
    status = report("strophe", got, 0);
    xmpp_disconnect(conn);
}

// A few thousand at a time, so that the queue of the library stays short.
static int fill(xmpp_conn_t *conn, void *data) {
    (void)data;
    for (int i = 0; i < batch && sent < n; i++, sent++) {
        char id[32];
        snprintf(id, sizeof id, "m%ld", sent);
        send_message(conn, "peer@bench.example/phone", id, lines[sent % line_count], 1);
    }
    if (sent < n) return 1;
    send_message(conn, "ctl@bench.example", "marker", "end", 0);
    return 0;
}

static int message(xmpp_conn_t *conn, xmpp_stanza_t *stanza, void *data) {
    (void)data;
    const char *id = xmpp_stanza_get_id(stanza), *from = xmpp_stanza_get_from(stanza);
    if (!id) return 1;
    if (!strcmp(bench, "flood")) {
        if (!strcmp(id, "marker")) { finish(conn); return 1; }
        char *body = xmpp_message_get_body(stanza);
        got++;
        sums[0] += body ? (long)strlen(body) : 0;
        sums[1] += from ? (long)strlen(from) : 0;
        sums[2] += (long)strlen(id);
        if (body) xmpp_free(context, body);
    } else if (!strcmp(bench, "sink")) {
        if (!strcmp(id, "done")) { got = sent; finish(conn); }
    } else if (id[0] == 'e') {
        long index = atol(id + 1);
        took[got++] = now() - started[index];
        if (got == n) finish(conn);
        else if (sent < n) send_echo(conn);
    }
    return 1;
}

static void connected(xmpp_conn_t *conn, xmpp_conn_event_t event, int error, xmpp_stream_error_t *fault, void *data) {
    (void)error; (void)fault; (void)data;
    if (event != XMPP_CONN_CONNECT) { xmpp_stop(context); return; }
    xmpp_handler_add(conn, message, NULL, "message", NULL, NULL);
    xmpp_stanza_t *presence = xmpp_presence_new(context);
    xmpp_send(conn, presence);
    xmpp_stanza_release(presence);
    begin();
    if (!strcmp(bench, "flood")) send_message(conn, "ctl@bench.example", "go", "go", 0);
    else if (!strcmp(bench, "sink")) xmpp_timed_handler_add(conn, fill, 0, NULL);
    else for (long i = 0; i < window && i < n; i++) send_echo(conn);
}

int main(int argc, char **argv) {
    options(argc, argv);
    if (!strcmp(bench, "sink")) {
        size_t size;
        char *text = slurp(corpus, &size);
        lines = malloc(size * sizeof *lines);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) lines[line_count++] = line;
    }
    if (!strcmp(bench, "echo")) {
        started = calloc((size_t)n, sizeof *started);
        took = calloc((size_t)n, sizeof *took);
    }
    xmpp_initialize();
    context = xmpp_ctx_new(NULL, NULL);
    xmpp_ctx_set_timeout(context, 1);
    xmpp_conn_t *conn = xmpp_conn_new(context);
    xmpp_conn_set_flags(conn, XMPP_CONN_FLAG_DISABLE_TLS);
    xmpp_conn_set_jid(conn, "bench@bench.example/bench");
    xmpp_conn_set_pass(conn, "secret");
    if (xmpp_connect_client(conn, host, (unsigned short)port, connected, NULL)) return 1;
    xmpp_run(context);
    xmpp_conn_release(conn);
    xmpp_ctx_free(context);
    return status;
}
