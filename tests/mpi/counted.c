/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counted [threads]: two lines that touch fresh pages, one of them a third of the other's in about the same time, and a line that
 * computes and touches none, for some 0.1 s each, in turn; with "threads" in a new thread each time. What the kernel has counted at each is
 * printed: FAULTS OF MANY, OF FEW, OF NONE. With "mixed" two other lines, one of which touches pages, take turns. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define SIZE ((size_t) 4096 * 24000)
#define ROUNDS 8

static volatile unsigned sink;

static long
count_faults (void)
{
    struct rusage usage;

    getrusage (RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static char *
fresh_pages (void)
{
    char *pages = mmap (NULL, SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (pages == MAP_FAILED) {
        exit (1);
    }
    madvise (pages, SIZE, MADV_NOHUGEPAGE);
    return pages;
}

/* At the line that it is used at, and 1. */
#define SPIN(turns)                                                                            \
    (__extension__({                                                                           \
        for (unsigned j = 0; j < (turns); j++) {                                               \
            sink += j;                                                                         \
        }                                                                                      \
        1;                                                                                     \
    }))

static void
many (void)
{
    char *pages = fresh_pages ();

    for (size_t i = 0; i < 24000; i++) {
        pages[i * 4096] = SPIN (3000); //@ many
    }
    munmap (pages, SIZE);
}

static void
few (void)
{
    char *pages = fresh_pages ();

    for (size_t i = 0; i < 8000; i++) {
        pages[i * 4096] = SPIN (10000); //@ few
    }
    munmap (pages, SIZE);
}

static void
none (void)
{
    for (int i = 0; i < 800; i++) {
        sink += SPIN (100000); //@ none
    }
}

/* Two lines that take turns all the time. */
static void
mixed (void)
{
    char *pages = fresh_pages ();

    for (size_t i = 0; i < 24000; i++) {
        pages[i * 4096] = SPIN (20000); //@ mixed
        sink += SPIN (20000);           //@ beside
    }
    munmap (pages, SIZE);
}

static long counted[3];

static void *
work (void *unused)
{
    static void (*const lines[]) (void) = { many, few, none };

    (void) unused;
    for (int i = 0; i < 3; i++) {
        long before = count_faults ();

        lines[i]();
        counted[i] += count_faults () - before;
    }
    return NULL;
}

int
main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv[1], "mixed") == 0) {
        mixed ();
        return 0;
    }
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;

        if (argc < 2) {
            work (NULL);
        } else if (pthread_create (&thread, NULL, work, NULL) != 0
                   || pthread_join (thread, NULL) != 0) {
            return 1;
        }
    }
    printf ("%ld %ld %ld\n", counted[0], counted[1], counted[2]);
    return 0;
}
