/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls of this machine: their names, and the kernel's information about a thread
 * stopped at one. */
#pragma once
#include <glib.h>
#include <sys/types.h>

typedef struct {
    const char *name;
    long number;
} TargetSystemCallName;
/* Sorted by name; the last entry has no name. */
extern const TargetSystemCallName target_system_call_names[];

/* "write" or "1"; -1: there is no such call. */
long target_system_call_find (const char *name);
const char *target_system_call_get_name (long number);  /* NULL: not known here */
gboolean target_system_call_makes_thread (long number); /* or process */
/* It replaces what the kernel has noted of an interrupted call of the thread's (ERESTART_RESTARTBLOCK), also where it is
 * not interrupted itself. */
gboolean target_system_call_replaces_noted (long number);
/* A sleep for some time that tells its program what is left when it is interrupted: where, and the six arguments of one
 * for so long (changed). FALSE: it is none. */
gboolean target_system_call_use_left (long number, guint64 *arguments, guint64 *ret_place);

/* PTRACE_GET_SYSCALL_INFO, ptrace(2). */
typedef struct {
    gboolean is_entry;
    long number;          /* at the entry */
    guint64 arguments[2]; /* at the entry: the first ones */
    gint64 result;        /* at the return; negative: -errno */
    guint64 pc, sp;
} TargetSystemCall;
/* FALSE: the thread is not stopped at a system call. */
gboolean target_thread_get_system_call (pid_t tid, TargetSystemCall *ret_call);
