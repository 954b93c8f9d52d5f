/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What breakpoints of every kind stop at: a line, its condition and count, memory, a signal; and a thread. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int total;
static char text[16] = "before";
static pthread_barrier_t both;

static int
add (int n)
{
    total += n; //@ add
    return total;
}

static int
twice (int n)
{
    return n * 2; //@ twice
}

static void
on_signal (int number)
{
    total += number;
}

static void *
wait_there (void *nothing)
{
    int here = 41;

    pthread_barrier_wait (&both); //@ there
    pthread_barrier_wait (&both);
    return here == 42 ? text : nothing;
}

int
main (void)
{
    pthread_t other;
    void *found = NULL;

    pthread_barrier_init (&both, NULL, 2);
    pthread_create (&other, NULL, wait_there, NULL);
    pthread_barrier_wait (&both);
    for (int i = 1; i <= 20; i++) //@ loop
        add (i);
    signal (SIGUSR1, on_signal); //@ signal
    raise (SIGUSR1);
    strcpy (text, "after"); //@ text
    pthread_barrier_wait (&both);
    pthread_join (other, &found);
    printf ("%d %s %s\n", total, text, found != NULL ? "found" : "lost"); //@ print
    total = add (twice (2)) + twice (3);                                  //@ nested
    return 0;
}
