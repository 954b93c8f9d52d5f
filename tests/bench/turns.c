/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded before pddtd: the longest turn of its loop, from the return of poll to its next call, in microseconds,
 * in the file that PDDT_TURNS names, mapped, so that the bench reads it and sets it back. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int64_t
get_time_us (void)
{
    struct timespec now;

    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static volatile int64_t *
map_longest (void)
{
    static int64_t unused;
    const char *path = strcmp (program_invocation_short_name, "pddtd") == 0 ? getenv ("PDDT_TURNS") : NULL;
    int fd = path != NULL ? open (path, O_RDWR | O_CLOEXEC) : -1;
    void *memory = fd >= 0 ? mmap (NULL, sizeof unused, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

    if (fd >= 0) {
        close (fd);
    }
    return memory != MAP_FAILED ? memory : &unused;
}

/* Only the thread that traces: others of the same process wait for other things. */
int
poll (struct pollfd *fds, nfds_t count, int timeout_ms)
{
    static int (*real) (struct pollfd *, nfds_t, int);
    static volatile int64_t *longest;
    static int64_t begin;
    int answer, error;

    if (real == NULL) {
        real = (int (*) (struct pollfd *, nfds_t, int)) dlsym (RTLD_NEXT, "poll");
        longest = map_longest ();
    }
    if (gettid () == getpid () && begin != 0 && get_time_us () - begin > *longest) {
        *longest = get_time_us () - begin;
    }
    answer = real (fds, count, timeout_ms);
    error = errno;
    if (gettid () == getpid ()) {
        begin = get_time_us ();
    }
    errno = error;
    return answer;
}
