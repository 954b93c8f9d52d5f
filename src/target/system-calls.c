/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "target/system-calls.h"
#include <linux/ptrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

long
target_system_call_find (const char *name)
{
    char *end;
    gulong number = strtoul (name, &end, 10);

    if (g_ascii_isdigit (*name)) {
        return *end == '\0' && number < 100000 ? (long) number : -1;
    }
    for (const TargetSystemCallName *row = target_system_call_names; row->name != NULL; row++) {
        if (strcmp (row->name, name) == 0) {
            return row->number;
        }
    }
    return -1;
}

const char *
target_system_call_get_name (long number)
{
    for (const TargetSystemCallName *row = target_system_call_names; row->name != NULL; row++) {
        if (row->number == number) {
            return row->name;
        }
    }
    return NULL;
}

gboolean
target_system_call_makes_thread (long number)
{
    switch (number) {
#ifdef SYS_fork /* calls that newer architectures lack */
    case SYS_fork:
    case SYS_vfork:
#endif
    case SYS_clone:
    case SYS_clone3: return TRUE;
    default: return FALSE;
    }
}

gboolean
target_system_call_replaces_noted (long number)
{
    return number == SYS_nanosleep || number == SYS_clock_nanosleep
           || number == SYS_rt_sigreturn;
}

gboolean
target_system_call_use_left (long number, guint64 *arguments, guint64 *ret_place)
{
    gboolean is_plain = number == SYS_nanosleep;
    gboolean is_relative = number == SYS_clock_nanosleep && (arguments[1] & TIMER_ABSTIME) == 0;

    if (!is_plain && !is_relative) {
        return FALSE;
    }
    *ret_place = arguments[is_plain ? 1 : 3];
    arguments[is_plain ? 0 : 2] = *ret_place;
    return *ret_place != 0;
}

gboolean
target_thread_get_system_call (pid_t tid, TargetSystemCall *ret_call)
{
    struct ptrace_syscall_info info = { 0 };

    /* glibc's ptrace header cannot be included together with this one. */
    if (syscall (SYS_ptrace, PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0
        || (info.op != PTRACE_SYSCALL_INFO_ENTRY && info.op != PTRACE_SYSCALL_INFO_EXIT)) {
        return FALSE;
    }
    *ret_call = (TargetSystemCall){ .is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY,
                                    .number = -1,
                                    .pc = info.instruction_pointer,
                                    .sp = info.stack_pointer };
    if (ret_call->is_entry) {
        ret_call->number = (long) info.entry.nr;
        ret_call->arguments[0] = info.entry.args[0];
        ret_call->arguments[1] = info.entry.args[1];
    } else {
        ret_call->result = info.exit.rval;
    }
    return TRUE;
}
