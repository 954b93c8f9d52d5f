/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exits from a stepped-over call without a return: longjmp, setcontext, and C++ exceptions that a caller
 * catches. Their target is known at the entry of a function of the C or C++ library. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/step/private.h"

struct _EngineEscapes {
    GArray *found; /* of EngineEscape */
    guint64 hash;  /* what the map's was */
};

void
engine_escapes_forget (EngineProcess *process)
{
    EngineEscapes *escapes = g_steal_pointer (&process->escapes);

    if (escapes != NULL) {
        g_array_unref (escapes->found);
        g_free (escapes);
    }
}

static void
add_function (EngineProcess *process, GArray *found, const char *name, EngineEscapeKind kind)
{
    EngineEscape escape = { 0, kind };

    if (!engine_process_find_symbol (process, name, &escape.address)) {
        return;
    }
    if (BASE_ANY (i, found->len,
                  g_array_index (found, EngineEscape, i).address == escape.address)) {
        return;
    }
    g_array_append_val (found, escape);
}

const GArray *
engine_step_list_escapes (EngineProcess *process)
{
    static const char *const jumps[] = { "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk" };
    guint64 hash = process->map_hash;
    EngineEscapes *escapes = process->escapes;

    if (escapes != NULL && escapes->hash == hash) {
        return escapes->found;
    }
    engine_escapes_forget (process);
    escapes = process->escapes = g_new0 (EngineEscapes, 1);
    escapes->found = g_array_new (FALSE, FALSE, sizeof (EngineEscape));
    escapes->hash = hash;
    for (guint i = 0; i < G_N_ELEMENTS (jumps); i++) {
        add_function (process, escapes->found, jumps[i], ENGINE_ESCAPE_JUMP);
    }
    add_function (process, escapes->found, "__cxa_begin_catch", ENGINE_ESCAPE_CATCH);
    add_function (process, escapes->found, "setcontext", ENGINE_ESCAPE_CONTEXT);
    return escapes->found;
}

static gboolean
find_jump_as (EngineThread *thread, gboolean is_hidden, guint64 *ret_pc, guint64 *ret_sp)
{
    EngineProcess *process = thread->process;

    return machine_call_read_jump (&thread->registers, engine_process_get_memory (process),
                                   is_hidden, ret_pc, ret_sp)
           && stack_modules_find (engine_process_get_modules (process), *ret_pc) != NULL
           && *ret_sp >= machine_registers_get_sp (&thread->registers);
}

static gboolean
find_context (EngineThread *thread, guint64 *ret_pc, guint64 *ret_sp)
{
    EngineProcess *process = thread->process;

    return machine_call_read_context (&thread->registers, engine_process_get_memory (process),
                                      ret_pc, ret_sp)
           && stack_modules_find (engine_process_get_modules (process), *ret_pc) != NULL;
}

static gboolean
find_jump (EngineThread *thread, guint64 *ret_pc, guint64 *ret_sp)
{
    return find_jump_as (thread, TRUE, ret_pc, ret_sp)
           || find_jump_as (thread, FALSE, ret_pc, ret_sp);
}

gboolean
engine_step_find_landing (EngineThread *thread, EngineEscapeKind kind, guint64 *ret_pc,
                          guint64 *ret_sp)
{
    if (!engine_thread_load_registers (thread)
        || engine_process_get_modules (thread->process) == NULL) {
        return FALSE;
    }
    if (kind == ENGINE_ESCAPE_JUMP) {
        return find_jump (thread, ret_pc, ret_sp);
    }
    if (kind == ENGINE_ESCAPE_CONTEXT) {
        return find_context (thread, ret_pc, ret_sp);
    }
    /* __cxa_begin_catch returns into the handler. */
    return machine_call_read_return (&thread->registers,
                                     engine_process_get_memory (thread->process), ret_pc,
                                     ret_sp);
}
