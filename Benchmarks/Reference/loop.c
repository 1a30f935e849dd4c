// SPDX-License-Identifier: Apache-2.0
// The bare loop: a blocking socket, expat with handlers that only count, no library. What is left is the price of
// the system calls and of the XML.
#include <arpa/inet.h>
#include <expat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reference.h"

static int fd;
static long got, sent;
static int depth;
static bool in_body, is_marker, is_message;
static char id[64];
static long sums[3];
static char input[1 << 16], *output;
static size_t pending;

static void flush(void) {
    for (size_t at = 0; at < pending;) {
        ssize_t k = write(fd, output + at, pending - at);
        if (k <= 0) exit(1);
        at += (size_t)k;
    }
    pending = 0;
}

static void put(const char *text, size_t k) {
    memcpy(output + pending, text, k);
    pending += k;
}

static void say(const char *text) { put(text, strlen(text)); flush(); }

// Reads until the text was seen; the answers of the server come one by one here.
static void await(const char *text) {
    size_t count = 0;
    for (;;) {
        ssize_t k = read(fd, input + count, sizeof input - 1 - count);
        if (k <= 0) exit(1);
        count += (size_t)k;
        input[count] = 0;
        if (strstr(input, text)) return;
    }
}

static void add_message(const char *to, const char *name, const char *body, bool payloads) {
    char head[256];
    int k = snprintf(head, sizeof head, "<message to='%s' id='%s' type='chat'><body>", to, name);
    put(head, (size_t)k);
    for (const char *p = body; *p; p++) {
        if (*p == '&') put("&amp;", 5);
        else if (*p == '<') put("&lt;", 4);
        else if (*p == '>') put("&gt;", 4);
        else output[pending++] = *p;
    }
    put("</body>", 7);
    if (payloads) {
        static const char extra[] =
            "<request xmlns='urn:xmpp:receipts'/><active xmlns='http://jabber.org/protocol/chatstates'/>";
        put(extra, sizeof extra - 1);
    }
    put("</message>", 10);
}

static void add_echo(void) {
    char name[32];
    snprintf(name, sizeof name, "e%ld", sent);
    started[sent++] = now();
    add_message("peer@bench.example/phone", name, "hello", true);
}

static void XMLCALL start(void *data, const XML_Char *name, const XML_Char **attributes) {
    (void)data;
    depth++;
    if (depth == 2) {
        is_message = !strcmp(name, "message");
        for (; *attributes; attributes += 2) {
            if (!strcmp(*attributes, "id")) {
                snprintf(id, sizeof id, "%s", attributes[1]);
                sums[2] += (long)strlen(attributes[1]);
            } else if (!strcmp(*attributes, "from")) {
                sums[1] += (long)strlen(attributes[1]);
            }
        }
    } else if (depth == 3) {
        in_body = !strcmp(name, "body");
    }
}

static void XMLCALL text(void *data, const XML_Char *bytes, int k) {
    (void)data; (void)bytes;
    if (in_body && depth == 3) sums[0] += k;
}

static void XMLCALL end(void *data, const XML_Char *name) {
    (void)data; (void)name;
    depth--;
    in_body = false;
    if (depth != 1) return;
    if (!strcmp(bench, "parse")) { got++; return; }
    if (!is_message) return;
    if (!strcmp(id, "marker") || !strcmp(id, "done")) { is_marker = true; return; }
    if (!strcmp(bench, "echo") && id[0] == 'e') {
        took[got++] = now() - started[atol(id + 1)];
        if (sent < n) add_echo();
    } else {
        got++;
    }
}

static XML_Parser parser(void) {
    XML_Parser p = XML_ParserCreate("UTF-8");
    XML_SetElementHandler(p, start, end);
    XML_SetCharacterDataHandler(p, text);
    return p;
}

static int parse(void) {
    size_t size;
    char *data = slurp(corpus, &size);
    XML_Parser p = parser();
    begin();
    for (size_t at = 0; at < size; at += (size_t)chunk) {
        size_t k = size - at < (size_t)chunk ? size - at : (size_t)chunk;
        if (XML_Parse(p, data + at, (int)k, 0) != XML_STATUS_OK) return 1;
    }
    return report("loop", got, (double)size / 1e6);
}

int main(int argc, char **argv) {
    options(argc, argv);
    if (!strcmp(bench, "parse")) return parse();
    output = malloc(8 << 20);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    inet_pton(AF_INET, host, &address.sin_addr);
    if (connect(fd, (struct sockaddr *)&address, sizeof address)) { perror("connect"); return 1; }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    static const char header[] =
        "<stream:stream to='bench.example' version='1.0' xmlns='jabber:client' "
        "xmlns:stream='http://etherx.jabber.org/streams'>";
    say(header);
    await("</stream:features>");
    say("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGJlbmNoAHNlY3JldA==</auth>");
    await("<success");
    say(header);
    await("</stream:features>");
    say("<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>");
    await("</iq>");
    say("<presence/>");
    XML_Parser p = parser();
    XML_Parse(p, header, sizeof header - 1, 0);
    begin();
    if (!strcmp(bench, "sink")) {
        size_t size;
        char *data = slurp(corpus, &size), **lines = malloc(size * sizeof *lines);
        long count = 0;
        for (char *line = strtok(data, "\n"); line; line = strtok(NULL, "\n")) lines[count++] = line;
        begin();
        for (; sent < n; sent++) {
            char name[32];
            snprintf(name, sizeof name, "m%ld", sent);
            add_message("peer@bench.example/phone", name, lines[sent % count], true);
            if (sent % batch == batch - 1) flush();
        }
        got = sent;
        add_message("ctl@bench.example", "marker", "end", false);
        flush();
    } else if (!strcmp(bench, "echo")) {
        started = calloc((size_t)n, sizeof *started);
        took = calloc((size_t)n, sizeof *took);
        for (long i = 0; i < window && i < n; i++) add_echo();
        flush();
    } else {
        add_message("ctl@bench.example", "go", "go", false);
        flush();
    }
    while (!is_marker && !(!strcmp(bench, "echo") && got == n)) {
        ssize_t k = read(fd, input, sizeof input);
        if (k <= 0 || XML_Parse(p, input, (int)k, 0) != XML_STATUS_OK) return 1;
        if (pending) flush();
    }
    return report("loop", got, 0);
}
