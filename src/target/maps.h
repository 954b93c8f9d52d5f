/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory map of a process, parsed from /proc/PID/maps text. */
#pragma once
#include <glib.h>
#include <sys/types.h>

typedef struct {
    guint64 start, end, offset; /* file offset */
    guint64 device, inode;
    gboolean readable, writable, executable;
    const char *path; /* interned; "" anonymous; "[vdso]", "[stack]" … */
    gboolean deleted;
} TargetMap;

/* GArray of TargetMap sorted by start; unref with g_array_unref. GONE. */
GArray *target_maps_read (pid_t pid, GError **error);
GArray *target_maps_parse (const char *text);
const TargetMap *target_maps_find (const GArray *maps, guint64 address);
