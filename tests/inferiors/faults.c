/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends by the fault that its argument names. */
#include <assert.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int zero;
static int (*volatile again) (volatile int *above);

static int
deep (volatile int *above)
{
    volatile int local[1000];

    local[0] = *above;
    return again (local) + local[1]; //@ deep
}

static void *
run_deep (void *above)
{
    deep (above);
    return NULL;
}

static void
overflow_thread (void)
{
    pthread_t thread;

    pthread_create (&thread, NULL, run_deep, (void *) &zero);
    pthread_join (thread, NULL);
}

static int
read_empty_file (void)
{
    char name[] = "/tmp/pddt-faults-XXXXXX";
    int fd = mkstemp (name);
    volatile char *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    unlink (name);
    return page[10]; //@ bus
}

static void
free_twice (void)
{
    void *volatile block = malloc (2000);

    free (block);
    free (block); //@ twice
}

int
main (int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    volatile double one = 1;

    again = deep;
    if (strcmp (what, "null") == 0) {
        *(volatile int *) 8 = 1; //@ null
    } else if (strcmp (what, "wild") == 0) {
        *(volatile int *) 0x123456789 = 1; //@ wild
    } else if (strcmp (what, "impossible") == 0) {
        *(volatile int *) 0x8000000000000000 = 1; //@ impossible
    } else if (strcmp (what, "constant") == 0) {
        *(volatile char *) "text" = 1; //@ constant
    } else if (strcmp (what, "deep") == 0) {
        return deep (&zero);
    } else if (strcmp (what, "deep-thread") == 0) {
        overflow_thread ();
    } else if (strcmp (what, "divide") == 0) {
        return 10 / zero; //@ divide
    } else if (strcmp (what, "divide-float") == 0) {
        feenableexcept (FE_DIVBYZERO);
        return one / zero > 1; //@ divide-float
    } else if (strcmp (what, "bus") == 0) {
        return read_empty_file ();
    } else if (strcmp (what, "twice") == 0) {
        free_twice ();
    } else if (strcmp (what, "assert") == 0) {
        assert (zero == 1); //@ assert
    } else if (strcmp (what, "trap") == 0) {
        __builtin_trap (); //@ trap
    } else if (strcmp (what, "raise") == 0) {
        raise (SIGUSR1); //@ raise
    } else if (strcmp (what, "wait") == 0) {
        puts ("ready");
        fflush (stdout);
        pause ();
    }
    return 0;
}
