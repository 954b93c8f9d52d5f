/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for ten minutes in one of the system calls that Linux goes on with after a stop by what it has noted of them:
 * sleep (nanosleep without a place for what is left), left (with one), clock, poll or futex. Exit status 0: the call
 * has ended as it does alone. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int n_calls;

/* Callable by a debugger. */
int
twice (int n)
{
    return 2 * n;
}

int
doze (void)
{
    struct timespec time = { 0, 1000000 };

    while (syscall (SYS_nanosleep, &time, &time) != 0) {
    }
    return ++n_calls;
}

int
main (int argc, char **argv)
{
    struct timespec time = { 600, 0 }, left = { 0, 0 };
    unsigned word = 1;
    long result;

    errno = 0;
    if (strcmp (argv[1], "sleep") == 0) {
        result = syscall (SYS_nanosleep, &time, NULL);
    } else if (strcmp (argv[1], "left") == 0) {
        result = syscall (SYS_nanosleep, &time, &left);
    } else if (strcmp (argv[1], "clock") == 0) {
        result = syscall (SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, &left);
    } else if (strcmp (argv[1], "poll") == 0) {
        result = poll (NULL, 0, 600000);
    } else {
        result = syscall (SYS_futex, &word, FUTEX_WAIT, 1, &time, NULL, 0) == -1
                 && errno == ETIMEDOUT ? 0 : -1;
    }
    return result == 0 ? 0 : 1;
}
