/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of planted bytes: a file in the host directory that the engine writes and the guard
 * reads when the tracer has died. Behind it stands what the guard writes when the tracer hangs: the threads
 * that it is to let go. Layout only; both sides map the file shared. */
#pragma once
#include <glib.h>
#include <signal.h>

#define LAUNCH_TRAPS_MAGIC 0x54544450u /* "PDTT" in memory */
#define LAUNCH_TRAPS_CAPACITY 65536

typedef struct {
    guint32 pid;
    guint32 used;     /* 0 free, 1 planted: set last when planting, cleared last when removing;
                       * 2 no byte: threads of the process may have armed debug registers */
    guint64 address;
    guint8 original;  /* the program's own byte */
    guint8 pad[7];
} LaunchTrap;

typedef struct {
    guint32 magic;
    guint32 capacity; /* entries that follow */
    LaunchTrap traps[];
} LaunchTraps;

/* Right behind the last entry of the table. */
typedef struct {
    guint32 capacity, n_threads;
    guint32 threads[];
} LaunchRescue;

#define LAUNCH_RESCUE_CAPACITY 65536
#define LAUNCH_RESCUE_SIGNAL SIGUSR2 /* to the tracing thread, once the list is written */
#define LAUNCH_TRAPS_SIZE (sizeof (LaunchTraps) + LAUNCH_TRAPS_CAPACITY * sizeof (LaunchTrap))
#define LAUNCH_RESCUE_SIZE (sizeof (LaunchRescue) + LAUNCH_RESCUE_CAPACITY * sizeof (guint32))

G_STATIC_ASSERT (sizeof (LaunchRescue) == 8);
G_STATIC_ASSERT (sizeof (LaunchTrap) == 24);
G_STATIC_ASSERT (sizeof (LaunchTraps) == 8);
