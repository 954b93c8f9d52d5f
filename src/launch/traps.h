/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of planted bytes: a file in the host directory that the engine writes and the guard
 * reads when the tracer has died. Layout only; both sides map the file shared. */
#pragma once
#include <glib.h>

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

G_STATIC_ASSERT (sizeof (LaunchTrap) == 24);
G_STATIC_ASSERT (sizeof (LaunchTraps) == 8);
