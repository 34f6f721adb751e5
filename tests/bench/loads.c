/* The operations of tests/bench/loads.py in C: loads FOLDER COUNT THREADS
 *
 * Prints the processor's nanoseconds for each, one a line: create, read, stat, pwrite, unlink, write by the kilobyte, create by
 * threads. All names are made before the clock starts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, RECORD = 1024, CHUNK = 128 * 1024, NAME = 32, PWRITES = 5 };

static int root, count, threads;
static char (*names)[NAME];
static char page[PAGE];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long long now(void) {
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static void create(const char *name) {
    int file = openat(root, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0 || write(file, page, PAGE) != PAGE || close(file)) fail(name);
}

static void *create_share(void *first) {
    for (int at = (int)(long)first; at < count; at += threads) create(names[at]);
    return NULL;
}

static void unlink_all(void) {
    for (int at = 0; at < count; at++)
        if (unlinkat(root, names[at], 0)) fail(names[at]);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    root = open(argv[1], O_RDONLY | O_DIRECTORY);
    count = atoi(argv[2]);
    threads = atoi(argv[3]);
    names = malloc((size_t)count * NAME);
    char *buffer = aligned_alloc(PAGE, CHUNK);
    if (root < 0 || !names || !buffer) fail("start");
    for (int at = 0; at < count; at++) snprintf(names[at], NAME, "f%d", at);
    for (int at = 0; at < PAGE; at++) page[at] = (char)rand();

    long long begun = now();
    for (int at = 0; at < count; at++) create(names[at]);
    printf("%lld\n", now() - begun);

    begun = now();
    for (int at = 0; at < count; at++) {
        struct iovec into = {buffer, CHUNK};
        int file = openat(root, names[at], O_RDONLY | O_CLOEXEC);
        if (file < 0) fail(names[at]);
        while (readv(file, &into, 1) > 0) continue;
        if (close(file)) fail(names[at]);
    }
    printf("%lld\n", now() - begun);

    begun = now();
    for (int at = 0; at < count; at++) {
        struct stat told;
        if (fstatat(root, names[at], &told, 0)) fail(names[at]);
    }
    printf("%lld\n", now() - begun);

    int file = openat(root, "large", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    for (int at = 0; at < count * PWRITES; at++)
        if (write(file, page, PAGE) != PAGE) fail("large");
    close(file);
    begun = now();
    file = openat(root, "large", O_RDWR | O_CLOEXEC);
    for (int at = 0; at < count * PWRITES; at++)
        if (pwrite(file, page, PAGE, (off_t)at * PAGE) != PAGE) fail("large");
    close(file);
    printf("%lld\n", now() - begun);
    if (unlinkat(root, "large", 0)) fail("large");

    begun = now();
    unlink_all();
    printf("%lld\n", now() - begun);

    begun = now();
    file = openat(root, "small", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    for (int at = 0; at < count * PWRITES; at++)
        if (write(file, page + at % 4 * RECORD, RECORD) != RECORD) fail("small");
    close(file);
    printf("%lld\n", now() - begun);
    if (unlinkat(root, "small", 0)) fail("small");

    pthread_t *running = malloc((size_t)threads * sizeof *running);
    begun = now();
    for (long at = 0; at < threads; at++)
        if (pthread_create(&running[at], NULL, create_share, (void *)at)) fail("thread");
    for (int at = 0; at < threads; at++) pthread_join(running[at], NULL);
    printf("%lld\n", now() - begun);
    unlink_all();
    return 0;
}
