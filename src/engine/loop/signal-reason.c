/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reason for a signal that stopped a rank (sigaction(2), si_code): what is at the address,
 * a division by zero, the sender, the C library's abort message. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/loop/private.h"
#include "engine/modules/modules.h"
#include "target/core.h"
#include <signal.h>

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

static JobText *
describe_denied (const TargetMap *map, const char *address)
{
    g_autofree char *name = map->path[0] != '\0' ? g_path_get_basename (map->path) : NULL;

    if (name == NULL) {
        return !map->readable  ? job_text_new ("%s is not accessible", address)
               : map->writable ? job_text_new ("%s is not executable", address)
                               : job_text_new ("%s is read-only", address);
    }
    /* Translators: an address, and the file that is mapped there. */
    return !map->readable ? job_text_new ("%s is not accessible (%s)", address, name)
           : map->writable
               /* Translators: an address, and the file that is mapped there. */
               ? job_text_new ("%s is not executable (%s)", address, name)
               /* Translators: an address, and the file that is mapped there. */
               : job_text_new ("%s is read-only (%s)", address, name);
}

static JobText *
describe_fault (EngineThread *thread, const TargetSignalInfo *info)
{
    g_autoptr (GArray) maps = read_maps (thread->process);
    const TargetMap *map = maps != NULL ? target_maps_find (maps, info->address) : NULL;
    g_autofree char *address = base_text_format_address (info->address);

    if (info->code != SEGV_MAPERR && info->code != SEGV_ACCERR) {
        return info->code == SI_KERNEL ? job_text_new ("an invalid (non-canonical) address")
                                       : NULL;
    }
    if (maps != NULL && is_stack_overflow (thread, maps, info->address)) {
        return job_text_new (
            "the stack is full: infinite recursion, or local variables that are too large");
    }
    if (info->code == SEGV_ACCERR && map != NULL) {
        return describe_denied (map, address);
    }
    return info->address < 4096 ? job_text_new ("a null pointer (address %s)", address)
                                : job_text_new ("nothing is mapped at %s", address);
}

static JobText *
describe_bus (EngineThread *thread, const TargetSignalInfo *info)
{
    g_autoptr (GArray) maps = read_maps (thread->process);
    const TargetMap *map = maps != NULL ? target_maps_find (maps, info->address) : NULL;
    g_autofree char *address = base_text_format_address (info->address);

    switch (info->code) {
    case BUS_ADRALN: return job_text_new ("a misaligned address");
    case BUS_ADRERR:
        return map != NULL && map->path[0] != '\0'
                   /* Translators: an address, and the file that is mapped there. */
                   ? job_text_new ("%s is mapped beyond the end of %s, or its disk is full",
                                   address, map->path)
                   : job_text_new (
                       "%s is mapped beyond the end of its file, or its disk is full", address);
    case BUS_MCEERR_AR:
    case BUS_MCEERR_AO: return job_text_new ("the memory at %s is broken hardware", address);
    default: return NULL;
    }
}

static JobText *
describe_arithmetic (int code)
{
    switch (code) {
    case FPE_INTDIV:
        return job_text_new ("an integer divided by zero, or a quotient too large");
    case FPE_INTOVF: return job_text_new ("integer overflow");
    case FPE_FLTDIV: return job_text_new ("a floating-point number divided by zero");
    case FPE_FLTOVF: return job_text_new ("floating-point overflow");
    case FPE_FLTUND: return job_text_new ("floating-point underflow");
    case FPE_FLTRES: return job_text_new ("an inexact floating-point result");
    case FPE_FLTINV: return job_text_new ("an invalid floating-point operation");
    default: return NULL;
    }
}

static JobText *
describe_sender (EngineProcess *process, const TargetSignalInfo *info)
{
    g_auto (GStrv) command = NULL;
    g_autofree char *name = NULL;

    if (info->sender <= 0 || info->sender == process->pid || process->core != NULL) {
        return NULL;
    }
    command = target_process_read_command (info->sender);
    name = command != NULL && command[0] != NULL ? g_path_get_basename (command[0]) : NULL;
    return name != NULL
               /* Translators: of a signal: the program and the process that sent it. */
               ? job_text_new ("sent by %s (process %d)", name, (int) info->sender)
               : job_text_new ("sent by process %d", (int) info->sender);
}

/* What glibc's abort paths keep for those who come after (assert/__libc_message): a size, then text. */
static char *
read_last_words (EngineProcess *process)
{
    guint64 at = 0, message = 0;
    char text[MAX_LAST_WORDS + 1] = "";

    if (!engine_process_find_symbol (process, "__abort_msg", &at)
        || !base_memory_read_u64 (engine_process_get_memory (process), at, &message, NULL)
        || message == 0) {
        return NULL;
    }
    base_memory_read_some (engine_process_get_memory (process), message + sizeof (guint32),
                           text, MAX_LAST_WORDS);
    g_strdelimit (g_strstrip (text), "\n\r\t", ' ');
    return *text != '\0' && g_utf8_validate (text, -1, NULL) ? g_strdup (text) : NULL;
}

static JobText *
describe_uncaught (EngineThread *thread)
{
    EngineException exception;
    g_autofree char *what = engine_exception_find_uncaught (thread, &exception)
                                ? engine_exception_describe (thread->process, &exception)
                                : NULL;

    /* Translators: an exception of C++, and what it says. */
    return what != NULL ? job_text_new ("uncaught exception %s", what) : NULL;
}

static JobText *
describe_abort (EngineThread *thread, const TargetSignalInfo *info)
{
    JobText *uncaught = describe_uncaught (thread);
    g_autofree char *words = uncaught == NULL ? read_last_words (thread->process) : NULL;

    return uncaught != NULL ? uncaught
           : words != NULL  ? job_text_new_plain (words)
                            : describe_sender (thread->process, info);
}

static JobText *
describe (EngineThread *thread, int signal, const TargetSignalInfo *info)
{
    g_autofree char *address = base_text_format_address (info->address);

    if (signal == SIGABRT) {
        return describe_abort (thread, info);
    }
    if (info->code <= 0) {
        return describe_sender (thread->process, info);
    }
    switch (signal) {
    case SIGSEGV: return describe_fault (thread, info);
    case SIGBUS: return describe_bus (thread, info);
    case SIGFPE: return describe_arithmetic (info->code);
    case SIGILL: return job_text_new ("an invalid instruction at %s", address);
    default: return NULL;
    }
}

char *
engine_signal_dup_reason (EngineThread *thread, int signal, const TargetSignalInfo *info)
{
    EngineProcess *process = thread->process;

    job_text_free (process->reason);
    process->reason = describe (thread, signal, info);
    return process->reason != NULL ? job_text_print (BASE_TEXT_ENGLISH, process->reason) : NULL;
}
