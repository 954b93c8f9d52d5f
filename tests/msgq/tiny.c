/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library: rank and size come from Open MPI's variables of the environment, and from TINY_LIBRARY
 * which message queue library it names. */
#include "tiny.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int world_members[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, swapped_members[] = { 1, 0 };
static tiny_communicator_t swapped = { NULL, 5, 0, 2, swapped_members, "swapped" };
static tiny_communicator_t null = { &swapped, 2, -2, 0, NULL, "MPI_COMM_NULL" };
static tiny_communicator_t world = { &null, 0, 0, 1, world_members, "MPI_COMM_WORLD" };

char MPIR_dll_name[4096] = TINY_LIBRARY;
tiny_communicator_t *tiny_communicators;
tiny_request_t *tiny_requests;
TinyMode tiny_mode;

static int
get_number (const char *name)
{
    const char *text = getenv (name);

    return text != NULL ? atoi (text) : 0;
}

int
PMPI_Init (int *argc, char ***argv)
{
    world.rank = get_number ("OMPI_COMM_WORLD_RANK");
    world.size = get_number ("OMPI_COMM_WORLD_SIZE");
    swapped.rank = 1 - world.rank;
    tiny_mode = (TinyMode) get_number ("TINY_MODE");
    if (getenv ("TINY_LIBRARY") != NULL) {
        strncpy (MPIR_dll_name, getenv ("TINY_LIBRARY"), sizeof MPIR_dll_name - 1);
    }
    tiny_communicators = &world;
    return 0;
}

int
MPI_Init (int *argc, char ***argv)
{
    return PMPI_Init (argc, argv);
}

static void
add_request (int kind, const void *buffer, long length, int peer, int tag,
             tiny_communicator_t *communicator)
{
    tiny_request_t *request = calloc (1, sizeof *request), **last = &tiny_requests;

    *request = (tiny_request_t) { NULL, communicator, kind, peer, tag, kind == TINY_UNEXPECTED,
                                  length, buffer };
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = request;
}

int
MPI_Recv (void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator)
{
    add_request (TINY_RECEIVE, buffer, length, peer, tag, communicator);
    for (;;) {
        pause ();
    }
}

int
MPI_Send (const void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator)
{
    add_request (TINY_SEND, buffer, length, peer, tag, communicator);
    for (;;) {
        pause ();
    }
}

int
MPI_Irecv (void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator)
{
    add_request (TINY_RECEIVE, buffer, length, peer, tag, communicator);
    return 0;
}

void
tiny_come (const void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator)
{
    add_request (TINY_UNEXPECTED, buffer, length, peer, tag, communicator);
}
