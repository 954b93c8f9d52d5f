/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A very small MPI of the tests' own: what a rank has begun stands in two lists with debug
 * information, which a message queue library of our own (tiny-queues.c) walks. Nothing is ever sent
 * anywhere. */
#pragma once

typedef struct tiny_communicator_t {
    struct tiny_communicator_t *next;
    int context, rank, size;
    const int *members;
    char name[40];
} tiny_communicator_t;

enum { TINY_SEND, TINY_RECEIVE, TINY_UNEXPECTED };

typedef struct tiny_request_t {
    struct tiny_request_t *next;
    tiny_communicator_t *communicator;
    int kind, peer, tag, status;
    long length;
    const void *buffer;
} tiny_request_t;

typedef enum {
    TINY_GOOD, TINY_CRASH, TINY_HANG, TINY_WRONG_RANK, TINY_ENDLESS, TINY_EXIT, TINY_SCRIBBLE,
    TINY_REFUSE, TINY_OLD_CALLS,
} TinyMode;

extern tiny_communicator_t *tiny_communicators;
extern tiny_request_t *tiny_requests;
extern TinyMode tiny_mode; /* what the library is to do */

int PMPI_Init (int *argc, char ***argv);
int MPI_Init (int *argc, char ***argv);
/* Never return. */
int MPI_Recv (void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator);
int MPI_Send (const void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator);
/* Returns; the request stays in the list. */
int MPI_Irecv (void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator);
/* As if a message that nobody asked for had come. */
void tiny_come (const void *buffer, long length, int peer, int tag, tiny_communicator_t *communicator);
