// SPDX-License-Identifier: Apache-2.0
// Preloaded into apus by crashpoints.py: ends the process, or makes its disk fail, at a chosen point of a chosen stanza.
//
// The file that APUS_FAULT_CONTROL names says what to do; nothing happens while it does not exist. Its first line is
// `kill`, `io` or `full`, the others are steps that have to happen one after another:
//
//   out TEXT      a record that holds TEXT is about to be encrypted
//   in TEXT       a record that holds TEXT was decrypted
//   wire, wired   bytes are about to be written to a TCP socket, or were
//   disk          the log of the database is about to be written
//   synced        it is on the disk
//
// `wire` with `kill` writes half of the bytes first. With `io` and `full` every write into the profile fails from then
// on, until the file is gone. FILE.fired is made when the last step was reached.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { max_steps = 8, max_text = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char action[8];
static char steps[max_steps][max_text];
static int count, done, loaded, broken;

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static const char *control(void) { return getenv("APUS_FAULT_CONTROL"); }

// Reads the file when it has come, and forgets it when it has gone.
static void look(void) {
    const char *path = control();
    if (!path || access(path, F_OK) != 0) {
        loaded = broken = 0;
        return;
    }
    if (loaded) return;
    FILE *file = fopen(path, "r");
    if (!file) return;
    count = done = broken = 0;
    char line[max_text];
    if (fgets(line, sizeof line, file)) snprintf(action, sizeof action, "%.*s", (int)strcspn(line, "\n"), line);
    while (count < max_steps && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        strcpy(steps[count++], line);
    }
    fclose(file);
    loaded = 1;
}

static void fire(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s.fired", control());
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (strcmp(action, "kill") == 0) kill(getpid(), SIGKILL);
    broken = 1;
}

// Something happened; true when the last step is the one that comes now, which `half` may then do in part.
static int reached(const char *kind, const void *bytes, size_t size, int acts) {
    pthread_mutex_lock(&lock);
    look();
    int last = 0;
    if (loaded && !broken && done < count) {
        size_t length = strlen(kind);
        const char *step = steps[done];
        int fits = strncmp(step, kind, length) == 0 && (step[length] == 0 || step[length] == ' ');
        const char *text = step[length] == ' ' ? step + length + 1 : "";
        if (fits && (*text == 0 || memmem(bytes, size, text, strlen(text)))) {
            done += 1;
            last = done == count;
        }
    }
    if (last && acts) fire();
    pthread_mutex_unlock(&lock);
    return last;
}

static int is_tcp(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    return getsockname(descriptor, (struct sockaddr *)&address, &size) == 0
        && (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

// 0: no file of the profile, 1: one of them, 2: the log of the database.
static int place(int descriptor) {
    struct stat status;
    if (!control() || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    if (!strstr(path, "/chat.db")) return 0;
    return size > 4 && strcmp(path + size - 4, "-wal") == 0 ? 2 : 1;
}

// Whether a write into the profile fails, with errno set.
static int fails(int descriptor) {
    int where = place(descriptor);
    if (where == 0) return 0;
    // A new schema is written where the database still has none in its log.
    if (where == 2) reached("disk", "", 0, 1);
    pthread_mutex_lock(&lock);
    look();
    int is_broken = broken;
    pthread_mutex_unlock(&lock);
    if (is_broken) errno = strcmp(action, "full") == 0 ? ENOSPC : EIO;
    return is_broken;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return fails(descriptor) ? -1 : real(descriptor, bytes, size, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return fails(descriptor) ? -1 : real(descriptor, bytes, size, offset);
}

static void half(int descriptor, const void *bytes, size_t size) {
    REAL(ssize_t, "send", int, const void *, size_t, int);
    real(descriptor, bytes, size / 2, MSG_NOSIGNAL);
}

static int before_wire(int descriptor, const void *bytes, size_t size) {
    if (!control() || !is_tcp(descriptor)) return 0;
    if (reached("wire", "", 0, 0)) {
        if (strcmp(action, "kill") == 0) half(descriptor, bytes, size);
        pthread_mutex_lock(&lock);
        fire();
        pthread_mutex_unlock(&lock);
    }
    return 1;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    int wire = before_wire(descriptor, bytes, size);
    if (!wire && fails(descriptor)) return -1;
    ssize_t result = real(descriptor, bytes, size);
    if (wire && result > 0) reached("wired", "", 0, 1);
    return result;
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags) {
    REAL(ssize_t, "send", int, const void *, size_t, int);
    int wire = before_wire(descriptor, bytes, size);
    ssize_t result = real(descriptor, bytes, size, flags);
    if (wire && result > 0) reached("wired", "", 0, 1);
    return result;
}

ssize_t writev(int descriptor, const struct iovec *parts, int number) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    int wire = number > 0 && before_wire(descriptor, parts[0].iov_base, parts[0].iov_len);
    ssize_t result = real(descriptor, parts, number);
    if (wire && result > 0) reached("wired", "", 0, 1);
    return result;
}

static int sync_fails(int descriptor) {
    if (place(descriptor) == 0) return 0;
    pthread_mutex_lock(&lock);
    look();
    int is_broken = broken;
    pthread_mutex_unlock(&lock);
    // A full disk can still write out what it has taken.
    if (!is_broken || strcmp(action, "full") == 0) return 0;
    errno = EIO;
    return 1;
}

int fdatasync(int descriptor) {
    REAL(int, "fdatasync", int);
    if (sync_fails(descriptor)) return -1;
    int result = real(descriptor);
    if (place(descriptor) == 2) reached("synced", "", 0, 1);
    return result;
}

int fsync(int descriptor) {
    REAL(int, "fsync", int);
    if (sync_fails(descriptor)) return -1;
    int result = real(descriptor);
    if (place(descriptor) == 2) reached("synced", "", 0, 1);
    return result;
}

int SSL_write_ex(void *session, const void *bytes, size_t size, size_t *written) {
    REAL(int, "SSL_write_ex", void *, const void *, size_t, size_t *);
    reached("out", bytes, size, 1);
    return real(session, bytes, size, written);
}

int SSL_read(void *session, void *bytes, int size) {
    REAL(int, "SSL_read", void *, void *, int);
    int result = real(session, bytes, size);
    if (result > 0) reached("in", bytes, (size_t)result, 1);
    return result;
}

int SSL_read_ex(void *session, void *bytes, size_t size, size_t *taken) {
    REAL(int, "SSL_read_ex", void *, void *, size_t, size_t *);
    int result = real(session, bytes, size, taken);
    if (result == 1) reached("in", bytes, *taken, 1);
    return result;
}
