/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of planted bytes: a file in the host directory that the engine writes and the guard
 * reads when the tracer has died. After it comes the list that the guard writes when the tracer
 * hangs: the threads to detach. Layout only; both sides map the file shared. */
#pragma once
#include <glib.h>
#include <pthread.h>
#include <signal.h>

#define BASE_TRAP_TABLE_MAGIC 0x54544450u /* "PDTT" in memory */
#define BASE_TRAP_MAX_BYTES 4
#define BASE_TRAP_TABLE_CAPACITY (1u << 18)

typedef enum {
    BASE_TRAP_FREE,
    BASE_TRAP_PLANTED, /* a trap is there: set last when planting, cleared last when removing */
    BASE_TRAP_ARMED, /* no byte: threads of the process may have armed debug registers or step flags */
} BaseTrapUse;

typedef struct {
    guint32 pid;
    guint32 used; /* BaseTrapUse */
    guint64 address;
    guint8 original[BASE_TRAP_MAX_BYTES]; /* the program's own: as many as a trap has */
    guint8 pad[4];
} BaseTrap;

typedef struct {
    guint32 magic;
    guint32 capacity; /* entries that follow */
    BaseTrap traps[];
} BaseTrapTable;

/* Directly after the last entry of the table. */
typedef struct {
    guint32 capacity, n_threads;
    guint32 threads[];
} BaseRescueList;

/* Directly after the list. The tracing thread holds the lock, which is robust: the kernel gives it to the guard as soon as that
 * thread begins to die, before it lets the tracees go; SIGCHLD comes only when the whole process is gone, whose memory
 * takes tens of milliseconds. */
typedef struct {
    pthread_mutex_t lock;
    guint32 is_held; /* atomic: the tracing thread has it */
} BaseTracerLock;

#define BASE_RESCUE_CAPACITY 65536u
#define BASE_RESCUE_SIGNAL SIGUSR2 /* to the tracing thread, once the list is written */
#define BASE_TRAP_TABLE_SIZE                                                                   \
    (sizeof (BaseTrapTable) + BASE_TRAP_TABLE_CAPACITY * sizeof (BaseTrap))
#define BASE_RESCUE_SIZE (sizeof (BaseRescueList) + BASE_RESCUE_CAPACITY * sizeof (guint32))

#define BASE_TRAP_FILE_SIZE (BASE_TRAP_TABLE_SIZE + BASE_RESCUE_SIZE + sizeof (BaseTracerLock))

G_STATIC_ASSERT (sizeof (BaseRescueList) == 8);
G_STATIC_ASSERT ((BASE_TRAP_TABLE_SIZE + BASE_RESCUE_SIZE) % 8 == 0);
G_STATIC_ASSERT (sizeof (BaseTrap) == 24);
G_STATIC_ASSERT (sizeof (BaseTrapTable) == 8);
