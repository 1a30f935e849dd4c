// SPDX-License-Identifier: Apache-2.0
// What the reference programs share: the command line of an adapter, the clock, the one line of JSON.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char *bench = "flood", *host = "127.0.0.1", *corpus = "", *domain = "bench.example";
static long n = 1000, port = 5222, window = 1, chunk = 4096, batch = 64;

static void options(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *key = argv[i], *value = argv[i + 1];
        if (!strcmp(key, "--bench")) bench = value;
        else if (!strcmp(key, "--host")) host = value;
        else if (!strcmp(key, "--corpus")) corpus = value;
        else if (!strcmp(key, "--domain")) domain = value;
        else if (!strcmp(key, "--n")) n = atol(value);
        else if (!strcmp(key, "--port")) port = atol(value);
        else if (!strcmp(key, "--window")) window = atol(value);
        else if (!strcmp(key, "--chunk")) chunk = atol(value);
        else if (!strcmp(key, "--batch")) batch = atol(value);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(1); }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    if (fread(data, 1, *size, file) != *size) { perror(path); exit(1); }
    data[*size] = 0;
    fclose(file);
    return data;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double *started, *took;
static double start_wall, start_cpu;

static void begin(void) { start_wall = now(); start_cpu = cpu(); }

static int report(const char *peer, long got, double megabytes) {
    double wall = now() - start_wall, used = cpu() - start_cpu;
    printf("{\"peer\": \"%s\", \"bench\": \"%s\", \"n\": %ld, \"ok\": %s, \"wall_s\": %.6f, \"cpu_us_per_op\": %.4f, "
           "\"rate\": %.2f", peer, bench, n, got == n ? "true" : "false", wall, used / (double)n * 1e6,
           megabytes > 0 ? megabytes / wall : (double)n / wall);
    if (took && got > 0) {
        qsort(took, (size_t)got, sizeof *took, by_value);
        printf(", \"rtt_p50_us\": %.2f, \"rtt_p99_us\": %.2f", took[got / 2] * 1e6, took[got * 99 / 100] * 1e6);
    }
    printf("}\n");
    return got == n ? 0 : 1;
}
