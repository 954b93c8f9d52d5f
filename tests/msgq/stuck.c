/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two ranks of the tiny MPI. "cycle": each receives from the other; "send": 1 sends "hello" and 0
 * waits for another tag, by the communicator in which the two have each other's rank. Says "ready"
 * when the next thing is to be stuck. With a third word: SIGUSR1 makes it that program, with the words
 * that follow. */
#include "tiny.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char **other;

static void
become_other (int number)
{
    execv (other[0], other);
    _exit (1);
}

int
main (int argc, char **argv)
{
    tiny_communicator_t *world, *swapped;
    char buffer[64] = "hello";

    MPI_Init (&argc, &argv);
    world = tiny_communicators;
    swapped = world->next->next;
    if (argc > 2) {
        other = argv + 2;
        signal (SIGUSR1, become_other);
    }
    puts ("ready");
    fflush (stdout);
    if (argc > 1 && strcmp (argv[1], "send") == 0) {
        if (world->rank == 1) {
            MPI_Send (buffer, 6, 1, 12, swapped); //@ send
        }
        MPI_Irecv (buffer, 8, -1, -1, world);
        tiny_come ("lost", 5, 1, 3, world);
        MPI_Recv (buffer, 64, 0, 21, swapped); //@ receive
    }
    MPI_Recv (buffer, 64, 1 - world->rank, 7, world); //@ cycle
    return 0;
}
