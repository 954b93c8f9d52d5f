/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ptrace and libunwind alone need to attach to processes, unwind their first threads and detach:
 * bench-floor PID… prints "floor median MS best MS frames N" of 41 rounds. Peer of bench-engine attach. */
#include <libunwind-ptrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define ROUNDS 41

static pid_t looked_at;

static int
read_word (unw_addr_space_t space, unw_word_t address, unw_word_t *value, int is_write,
           void *context)
{
    struct iovec own = { value, sizeof *value }, other = { (void *) address, sizeof *value };

    (void) space;
    (void) context;
    return is_write || process_vm_readv (looked_at, &own, 1, &other, 1, 0) < 0 ? -UNW_EINVAL
                                                                               : 0;
}

static double
get_ms (void)
{
    struct timespec t;

    clock_gettime (CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static int
compare (const void *a, const void *b)
{
    return *(const double *) a < *(const double *) b ? -1 : 1;
}

static long
unwind (unw_addr_space_t space, pid_t pid)
{
    void *context = _UPT_create (pid);
    unw_cursor_t cursor;
    long n = 0;

    looked_at = pid;
    for (int more = unw_init_remote (&cursor, space, context); more >= 0 && n < 1000; n++) {
        unw_word_t pc;

        unw_get_reg (&cursor, UNW_REG_IP, &pc);
        more = unw_step (&cursor) > 0 ? 0 : -1;
    }
    _UPT_destroy (context);
    return n;
}

int
main (int argc, char **argv)
{
    unw_accessors_t accessors = _UPT_accessors;
    double times[ROUNDS];
    long frames = 0;
    unw_addr_space_t space;

    accessors.access_mem = read_word;
    space = unw_create_addr_space (&accessors, 0);
    unw_set_caching_policy (space, UNW_CACHE_GLOBAL);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = get_ms ();

        for (int i = 1; i < argc; i++) {
            ptrace (PTRACE_SEIZE, atoi (argv[i]), 0, 0);
            ptrace (PTRACE_INTERRUPT, atoi (argv[i]), 0, 0);
        }
        for (int i = 1; i < argc; i++) {
            waitpid (atoi (argv[i]), NULL, __WALL);
        }
        for (int i = 1; i < argc; i++) {
            frames += unwind (space, atoi (argv[i]));
        }
        for (int i = 1; i < argc; i++) {
            ptrace (PTRACE_DETACH, atoi (argv[i]), 0, 0);
        }
        times[round] = get_ms () - begin;
    }
    qsort (times, ROUNDS, sizeof times[0], compare);
    printf ("floor median %.3f best %.3f frames %ld\n", times[ROUNDS / 2], times[0],
            frames / ROUNDS);
    return 0;
}
