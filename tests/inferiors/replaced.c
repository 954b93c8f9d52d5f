/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While a thread stands where its debugger has stopped it, the first one executes another program: the same, which waits. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int number;

static void
hit (void)
{
    __atomic_add_fetch (&number, 1, __ATOMIC_RELAXED); /*@ hit */
}

static void *
run (void *data)
{
    hit ();
    pause ();
    return NULL;
}

/* argv[1]: a file; once it is there the program is executed again, without an argument. */
int
main (int argc, char **argv)
{
    pthread_t thread;

    if (argc < 2) {
        pause ();
        return 0;
    }
    if (pthread_create (&thread, NULL, run, NULL) != 0) {
        return 9;
    }
    while (access (argv[1], F_OK) != 0) {
    }
    execl ("/proc/self/exe", argv[0], NULL);
    return 9;
}
