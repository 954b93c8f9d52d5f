/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reason for a signal that stopped a rank (sigaction(2), si_code): what is at the address,
 * a division by zero, the sender, the C library's abort message. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/private.h"
#include "engine/modules/modules.h"
#include "target/core.h"
#include <signal.h>
#include <string.h>

#define MAX_REACH (1024 * 1024) /* bytes that a frame may go beyond its stack, locals and all */
#define MAX_LAST_WORDS 512

static GArray *
read_maps (EngineProcess *process)
{
    return process->core != NULL ? target_core_dup_maps (process->core)
                                 : target_maps_read (process->pid, NULL);
}

/* The stack pointer is at or below the end of a stack, and the address a little further: there is
 * nothing, or a guard page. */
static gboolean
is_stack_overflow (EngineThread *thread, const GArray *maps, guint64 address)
{
    guint64 sp = engine_thread_load_registers (thread)
                     ? machine_registers_get_sp (&thread->registers)
                     : 0;

    for (guint i = 0; i < maps->len; i++) {
        const TargetMap *map = &g_array_index (maps, TargetMap, i);

        gboolean is_guard = !map->writable && (!map->readable || map->path[0] == '\0');

        if (map->end <= address || (address >= map->start && is_guard)) {
            continue; /* below, or the guard itself, which gdb's core files call readable */
        }
        return map->start > address && map->start - address <= MAX_REACH && map->writable
               && sp < map->start + MAX_REACH / 16 && sp + MAX_REACH > map->start
               && address + MAX_REACH > sp && address < sp + MAX_REACH;
    }
    return FALSE;
}

static char *
describe_denied (const TargetMap *map, guint64 address)
{
    g_autofree char *name = map->path[0] != '\0' ? g_path_get_basename (map->path) : NULL;

    const char *what = !map->readable  ? "not accessible"
                       : map->writable ? "not executable"
                                       : "read-only";

    return name != NULL
               ? g_strdup_printf ("0x%" G_GINT64_MODIFIER "x is %s (%s)", address, what, name)
               : g_strdup_printf ("0x%" G_GINT64_MODIFIER "x is %s", address, what);
}

static char *
describe_fault (EngineThread *thread, const TargetSignalInfo *info)
{
    g_autoptr (GArray) maps = read_maps (thread->process);
    const TargetMap *map = maps != NULL ? target_maps_find (maps, info->address) : NULL;

    if (info->code != SEGV_MAPERR && info->code != SEGV_ACCERR) {
        return g_strdup (info->code == SI_KERNEL ? "an invalid (non-canonical) address" : NULL);
    }
    if (maps != NULL && is_stack_overflow (thread, maps, info->address)) {
        return g_strdup (
            "the stack is full: infinite recursion, or local variables that are too large");
    }
    if (info->code == SEGV_ACCERR && map != NULL) {
        return describe_denied (map, info->address);
    }
    return info->address < 4096
               ? g_strdup_printf ("a null pointer (address 0x%" G_GINT64_MODIFIER "x)",
                                  info->address)
               : g_strdup_printf ("nothing is mapped at 0x%" G_GINT64_MODIFIER "x",
                                  info->address);
}

static char *
describe_bus (EngineThread *thread, const TargetSignalInfo *info)
{
    g_autoptr (GArray) maps = read_maps (thread->process);
    const TargetMap *map = maps != NULL ? target_maps_find (maps, info->address) : NULL;

    switch (info->code) {
    case BUS_ADRALN: return g_strdup ("a misaligned address");
    case BUS_ADRERR:
        return g_strdup_printf ("0x%" G_GINT64_MODIFIER
                                "x is mapped beyond the end of %s, or its disk is "
                                "full",
                                info->address,
                                map != NULL && map->path[0] != '\0' ? map->path : "its file");
    case BUS_MCEERR_AR:
    case BUS_MCEERR_AO:
        return g_strdup_printf ("the memory at 0x%" G_GINT64_MODIFIER "x is broken hardware",
                                info->address);
    default: return NULL;
    }
}

static const char *
find_arithmetic (int code)
{
    switch (code) {
    case FPE_INTDIV: return "an integer divided by zero, or a quotient too large";
    case FPE_INTOVF: return "integer overflow";
    case FPE_FLTDIV: return "a floating-point number divided by zero";
    case FPE_FLTOVF: return "floating-point overflow";
    case FPE_FLTUND: return "floating-point underflow";
    case FPE_FLTRES: return "an inexact floating-point result";
    case FPE_FLTINV: return "an invalid floating-point operation";
    default: return NULL;
    }
}

static char *
describe_sender (EngineProcess *process, const TargetSignalInfo *info)
{
    g_auto (GStrv) command = NULL;
    g_autofree char *name = NULL;

    if (info->sender <= 0 || info->sender == process->pid || process->core != NULL) {
        return NULL;
    }
    command = target_process_read_command (info->sender);
    name = command != NULL && command[0] != NULL ? g_path_get_basename (command[0]) : NULL;
    return name != NULL ? g_strdup_printf ("sent by %s (process %d)", name, (int) info->sender)
                        : g_strdup_printf ("sent by process %d", (int) info->sender);
}

/* What glibc's abort paths keep for those who come after (assert/__libc_message): a size, then text. */
static char *
read_last_words (EngineProcess *process)
{
    guint64 at = 0, message = 0;
    char text[MAX_LAST_WORDS + 1] = "";

    if (!engine_process_find_symbol (process, "__abort_msg", &at)
        || !base_memory_read_u64 (process->memory, at, &message, NULL) || message == 0) {
        return NULL;
    }
    base_memory_read_some (process->memory, message + sizeof (guint32), text, MAX_LAST_WORDS);
    g_strdelimit (g_strstrip (text), "\n\r\t", ' ');
    return *text != '\0' && g_utf8_validate (text, -1, NULL) ? g_strdup (text) : NULL;
}

static char *
dup_uncaught (EngineThread *thread)
{
    EngineException exception;
    g_autofree char *what = engine_exception_find_uncaught (thread, &exception)
                                ? engine_exception_describe (thread->process, &exception)
                                : NULL;

    return what != NULL ? g_strdup_printf ("uncaught exception %s", what) : NULL;
}

char *
engine_signal_dup_reason (EngineThread *thread, int signal, const TargetSignalInfo *info)
{
    if (signal == SIGABRT) {
        char *words = dup_uncaught (thread);

        words = words != NULL ? words : read_last_words (thread->process);
        return words != NULL ? words : describe_sender (thread->process, info);
    }
    if (info->code <= 0) {
        return describe_sender (thread->process, info);
    }
    switch (signal) {
    case SIGSEGV: return describe_fault (thread, info);
    case SIGBUS: return describe_bus (thread, info);
    case SIGFPE: return g_strdup (find_arithmetic (info->code));
    case SIGILL:
        return g_strdup_printf ("an invalid instruction at 0x%" G_GINT64_MODIFIER "x",
                                info->address);
    default: return NULL;
    }
}
