// SPDX-License-Identifier: GPL-3.0-or-later
// System calls of several threads, one that waits for its input, one that fails.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N_THREADS 4
#define N_CALLS 3

void MAIN__ (void);

static void *
work (void *unused)
{
    for (int i = 0; i < N_CALLS; i++) {
        getppid ();
    }
    return unused;
}

/* As in code that was translated from Fortran: nobody calls it, and the program begins below. */
void
MAIN__ (void)
{
}

/* All that comes until the end; with "closed" none does. */
static void
take_input (const char *how)
{
    char text[4096];
    long size, sum = 0;

    if (strcmp (how, "closed") == 0) {
        close (0);
    }
    pause (); //@ pause
    while ((size = read (0, text, sizeof text)) > 0) {
        sum += size;
        if (text[size - 2] == '.') {
            break;
        }
    }
    printf ("took %ld\n", sum);
}

int
main (int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    char text[8];
    long size;

    if (argc > 1) {
        take_input (argv[1]);
        return 0;
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_create (&threads[i], NULL, work, NULL);
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join (threads[i], NULL);
    }
    size = read (0, text, sizeof text); //@ read
    printf ("read %ld\n", size);
    close (99); //@ close
    return 0;
}
