/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two ranks of the tiny MPI. "cycle": each receives from the other; "send": 1 sends "hello" and 0
 * waits for another tag, by the communicator in which the two have each other's rank. Says "ready"
 * when the next thing is to be stuck. */
#include "tiny.h"
#include <stdio.h>
#include <string.h>

int
main (int argc, char **argv)
{
    tiny_communicator_t *world, *swapped;
    char buffer[64] = "hello";

    MPI_Init (&argc, &argv);
    world = tiny_communicators;
    swapped = world->next->next;
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
