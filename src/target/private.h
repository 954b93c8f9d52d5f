/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by memory.c and traps.c: a reader that hides planted bytes. */
#pragma once
#include "base/trap-table.h"
#include "target/process.h"

typedef struct {
    BaseMemoryReader reader; /* first: a reader is its own memory */
    pid_t pid;
    int fd;              /* /proc/PID/mem, or -1 until opened */
    gboolean is_refused; /* process_vm_readv, as by seccomp in containers: not tried again */
    TargetTraps *traps;  /* NULL: nothing planted */
    guint n_caching;     /* calls of target_memory_begin_caching whose end is still to come */
    guint n_looks; /* of a newborn child: so often a write may still wait for its first stop */
} TargetMemory;

/* Reads the bytes as they are in the process, traps included. Returns how many were read. */
gsize target_memory_read_raw (TargetMemory *memory, guint64 address, void *data, gsize size);
gboolean target_memory_write_raw (TargetMemory *memory, guint64 address, const void *data,
                                  gsize size, GError **error);
/* By PTRACE_POKEDATA; the thread stands, traced by this one. Async-signal-safe. */
gboolean target_thread_poke (pid_t tid, guint64 address, const guint8 *data, gsize size);
/* It is the same memory, also if the process before has left it. */
void target_memory_move (TargetMemory *memory, pid_t pid);
/* In data, which was read from address, replaces traps with the program's own bytes. */
void target_traps_hide (TargetTraps *traps, guint64 address, guint8 *data, gsize size);
/* For new bytes of the program at [address, address + size): remembers those under traps, and
 * puts the trap instruction into data instead. */
void target_traps_absorb (TargetTraps *traps, guint64 address, guint8 *data, gsize size);
/* Is there a trap in [address, address + size)? */
gboolean target_traps_has_any (const TargetTraps *traps, guint64 address, gsize size);

/* Where the guard may not write: the program's own bytes, by way of its thread, which stands. Async-signal-safe. */
void target_thread_restore_traps (pid_t tid, pid_t pid, const BaseTrapTable *traps);
/* From now on BASE_RESCUE_SIGNAL makes this process release the list's threads and exit with a
 * status other than 0. Call it on the tracer's thread; the list and the table must stay mapped. */
void target_rescue_install (const BaseTrapTable *traps, BaseRescueList *list);
/* The process ends with this one: the signal handler does not release its threads. */
void target_rescue_note_deadly (pid_t pid);
/* It does not any more: see target_thread_outlive. */
void target_rescue_forget_deadly (pid_t pid);
