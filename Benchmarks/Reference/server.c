// SPDX-License-Identifier: Apache-2.0
// The far end of the benchmarks: one epoll loop that speaks just enough XMPP, without TLS.
//
//   server --mode flood|sink|echo [--n N] [--corpus FILE] [--burst B --gap-us G] [--sm] [--domain D]
//
// Prints the port, serves until standard input ends. With --sm it offers and does stream management (XEP-0198).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { READ = 1 << 16, CONNECTIONS = 1024 };

typedef struct {
    char *data;
    size_t count, capacity;
} Buffer;

typedef struct {
    int fd;
    Buffer in, out;
    size_t sent;
    bool header, authenticated, managed;
    unsigned handled;
    long flooded;
    char jid[384];
    long messages, body_bytes;
} Connection;

static const char *mode = "sink", *domain = "bench.example";
static long total = 1000, burst = 0, gap_us = 0;
static bool offers_sm = false;
static char **lines;
static size_t *lengths, line_count;
static Connection *connections[CONNECTIONS];
static int poller, timer = -1;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void reserve(Buffer *b, size_t more) {
    if (b->count + more <= b->capacity) return;
    size_t capacity = b->capacity ? b->capacity : 4096;
    while (capacity < b->count + more) capacity *= 2;
    b->data = realloc(b->data, capacity);
    if (!b->data) fail("realloc");
    b->capacity = capacity;
}

static void put(Buffer *b, const char *text, size_t n) {
    reserve(b, n);
    memcpy(b->data + b->count, text, n);
    b->count += n;
}

static void puts_to(Buffer *b, const char *text) { put(b, text, strlen(text)); }

static void flush(Connection *c) {
    while (c->sent < c->out.count) {
        ssize_t n = write(c->fd, c->out.data + c->sent, c->out.count - c->sent);
        if (n < 0) {
            if (errno == EAGAIN) break;
            return;
        }
        c->sent += (size_t)n;
    }
    if (c->sent == c->out.count) c->sent = c->out.count = 0;
    struct epoll_event event = {.events = EPOLLIN | (c->out.count ? EPOLLOUT : 0), .data.fd = c->fd};
    epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &event);
}

// The end of the first-level element that starts at s, or NULL when it is not complete. No CDATA, no comments.
static const char *stanza_end(const char *s, const char *end) {
    int depth = 0;
    while (s < end) {
        const char *open = memchr(s, '<', (size_t)(end - s));
        if (!open) return NULL;
        char quote = 0;
        const char *p = open + 1;
        for (; p < end; p++) {
            if (quote) {
                if (*p == quote) quote = 0;
            } else if (*p == '"' || *p == '\'') {
                quote = *p;
            } else if (*p == '>') {
                break;
            }
        }
        if (p >= end) return NULL;
        if (open[1] == '/') depth--;
        else if (p[-1] != '/') depth++;
        if (depth == 0) return p + 1;
        if (depth < 0) return p + 1;
        s = p + 1;
    }
    return NULL;
}

// Copies the value of an attribute of the start tag.
static bool attribute(const char *s, const char *end, const char *name, char *value, size_t size) {
    const char *stop = memchr(s, '>', (size_t)(end - s));
    size_t n = strlen(name);
    for (const char *p = s; stop && p + n + 2 < stop; p++) {
        if (p[0] != ' ' || strncmp(p + 1, name, n) || p[n + 1] != '=') continue;
        char quote = p[n + 2];
        const char *from = p + n + 3, *to = memchr(from, quote, (size_t)(stop - from));
        if (!to || (size_t)(to - from) >= size) return false;
        memcpy(value, from, (size_t)(to - from));
        value[to - from] = 0;
        return true;
    }
    return false;
}

static long body_length(const char *s, const char *end) {
    const char *from = memmem(s, (size_t)(end - s), "<body>", 6);
    const char *to = memmem(s, (size_t)(end - s), "</body>", 7);
    if (!from || !to) return 0;
    long n = 0;
    for (from += 6; from < to; from++, n++)
        if (*from == '&') from = memchr(from, ';', (size_t)(to - from)) ?: to;
    return n;
}

static void header(Connection *c) {
    char text[1024];
    snprintf(text, sizeof text,
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        "id='b%d' from='%s' version='1.0'><stream:features>%s%s</stream:features>", c->fd, domain,
        c->authenticated ? "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
                         : "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>",
        c->authenticated && offers_sm ? "<sm xmlns='urn:xmpp:sm:3'/>" : "");
    puts_to(&c->out, text);
}

static void flood(Connection *c, long count) {
    for (long i = 0; i < count && c->flooded < total; i++, c->flooded++)
        put(&c->out, lines[(size_t)c->flooded % line_count], lengths[(size_t)c->flooded % line_count]);
    if (c->flooded == total) {
        c->flooded++;
        puts_to(&c->out, "<message from='ctl@bench.example' id='marker' type='chat'><body>end</body></message>");
    }
}

static void message(Connection *c, const char *s, const char *end) {
    char id[128] = "", to[256] = "";
    attribute(s, end, "id", id, sizeof id);
    attribute(s, end, "to", to, sizeof to);
    char text[1024];
    if (!strcmp(mode, "flood")) {
        if (strcmp(id, "go")) return;
        if (burst == 0) {
            flood(c, total);
        } else {
            struct itimerspec spec = {.it_interval = {0, gap_us * 1000}, .it_value = {0, gap_us * 1000}};
            timerfd_settime(timer, 0, &spec, NULL);
        }
    } else if (!strcmp(id, "marker")) {
        snprintf(text, sizeof text,
            "<message from='ctl@bench.example' id='done' type='chat'><body>%ld messages, %ld bytes</body></message>",
            c->messages, c->body_bytes);
        puts_to(&c->out, text);
    } else if (!strcmp(mode, "echo")) {
        const char *stop = memchr(s, '>', (size_t)(end - s));
        snprintf(text, sizeof text, "<message from='%s' to='%s' id='%s' type='chat'", to, c->jid, id);
        puts_to(&c->out, text);
        put(&c->out, stop, (size_t)(end - stop));
    } else {
        c->messages++;
        c->body_bytes += body_length(s, end);
    }
}

// The user name out of a PLAIN message: base64 of "\0user\0password".
static void take_user(Connection *c, const char *s, const char *end) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char plain[256];
    size_t count = 0;
    unsigned bits = 0, held = 0;
    for (const char *p = memchr(s, '>', (size_t)(end - s)); p && ++p < end && *p != '<' && *p != '=';) {
        const char *digit = strchr(digits, *p);
        if (!digit || count + 1 >= sizeof plain) break;
        bits = bits << 6 | (unsigned)(digit - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            plain[count++] = (char)(bits >> held & 255);
        }
    }
    plain[count] = 0;
    snprintf(c->jid, sizeof c->jid, "%s@%s/bench", count > 1 ? plain + 1 : "bench", domain);
}

static void stanza(Connection *c, const char *s, const char *end) {
    char text[1024], id[128] = "";
    size_t n = (size_t)(end - s);
    if (!strncmp(s, "<message", 8)) {
        c->handled++;
        message(c, s, end);
    } else if (!strncmp(s, "<r ", 3)) {
        snprintf(text, sizeof text, "<a xmlns='urn:xmpp:sm:3' h='%u'/>", c->handled);
        puts_to(&c->out, text);
    } else if (!strncmp(s, "<auth", 5)) {
        take_user(c, s, end);
        c->authenticated = true;
        c->header = false;
        puts_to(&c->out, "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>");
    } else if (!strncmp(s, "<enable", 7)) {
        c->managed = true;
        c->handled = 0;
        puts_to(&c->out, "<enabled xmlns='urn:xmpp:sm:3'/>");
    } else if (!strncmp(s, "<iq", 3)) {
        c->handled++;
        attribute(s, end, "id", id, sizeof id);
        if (memmem(s, n, "xmpp-bind", 9)) {
            snprintf(text, sizeof text,
                "<iq type='result' id='%s'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>%s</jid></bind></iq>", id, c->jid);
        } else {
            snprintf(text, sizeof text, "<iq type='result' id='%s'/>", id);
        }
        puts_to(&c->out, text);
    } else if (!strncmp(s, "<presence", 9)) {
        c->handled++;
    }
}

static void close_connection(Connection *c) {
    close(c->fd);
    connections[c->fd] = NULL;
    free(c->in.data);
    free(c->out.data);
    free(c);
}

static void readable(Connection *c) {
    reserve(&c->in, READ);
    ssize_t got = read(c->fd, c->in.data + c->in.count, READ);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return close_connection(c);
    if (got < 0) return;
    c->in.count += (size_t)got;
    const char *s = c->in.data, *end = s + c->in.count;
    while (s < end) {
        while (s < end && (*s == ' ' || *s == '\n' || *s == '\r' || *s == '\t')) s++;
        if (s >= end) break;
        if (!c->header) {
            const char *open = memmem(s, (size_t)(end - s), "<stream:stream", 14);
            const char *stop = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
            if (!stop) break;
            c->header = true;
            header(c);
            s = stop + 1;
            continue;
        }
        if (!strncmp(s, "</", 2)) {
            puts_to(&c->out, "</stream:stream>");
            flush(c);
            return close_connection(c);
        }
        const char *stop = stanza_end(s, end);
        if (!stop) break;
        stanza(c, s, stop);
        s = stop;
    }
    c->in.count = (size_t)(end - s);
    memmove(c->in.data, s, c->in.count);
    flush(c);
}

static void load(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    size_t capacity = 0, size = 0;
    char *line = NULL;
    ssize_t n;
    while ((n = getline(&line, &size, file)) > 0) {
        if (line[n - 1] == '\n') n--;
        if (line_count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            lines = realloc(lines, capacity * sizeof *lines);
            lengths = realloc(lengths, capacity * sizeof *lengths);
        }
        lines[line_count] = strndup(line, (size_t)n);
        lengths[line_count++] = (size_t)n;
    }
    free(line);
    fclose(file);
}

static void watch(int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--sm")) { offers_sm = true; continue; }
        if (!strcmp(argv[i], "--mode")) mode = value;
        else if (!strcmp(argv[i], "--n")) total = atol(value);
        else if (!strcmp(argv[i], "--corpus")) load(value);
        else if (!strcmp(argv[i], "--burst")) burst = atol(value);
        else if (!strcmp(argv[i], "--gap-us")) gap_us = atol(value);
        else if (!strcmp(argv[i], "--domain")) domain = value;
        else { fprintf(stderr, "server: unknown option %s\n", argv[i]); return 2; }
        i++;
    }
    if (!strcmp(mode, "flood") && !line_count) { fprintf(stderr, "server: flood needs --corpus\n"); return 2; }
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 256)) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    poller = epoll_create1(0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    watch(listener);
    watch(STDIN_FILENO);
    watch(timer);
    for (;;) {
        struct epoll_event events[64];
        int n = epoll_wait(poller, events, 64, -1);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == STDIN_FILENO) {
                char byte[64];
                if (read(fd, byte, sizeof byte) <= 0) return 0;
            } else if (fd == timer) {
                unsigned long long ticks;
                if (read(fd, &ticks, sizeof ticks) != sizeof ticks) continue;
                for (int k = 0; k < CONNECTIONS; k++) {
                    Connection *c = connections[k];
                    if (!c || c->flooded > total) continue;
                    flood(c, burst * (long)ticks);
                    flush(c);
                }
            } else if (fd == listener) {
                int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (client < 0 || client >= CONNECTIONS) { if (client >= 0) close(client); continue; }
                int on = 1;
                setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                Connection *c = calloc(1, sizeof *c);
                c->fd = client;
                connections[client] = c;
                watch(client);
            } else if (connections[fd]) {
                if (events[i].events & EPOLLOUT) flush(connections[fd]);
                if (events[i].events & (EPOLLIN | EPOLLHUP)) readable(connections[fd]);
            }
        }
    }
}
