/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traps of a process with their owners, what happens at a hit, and stepping over a trap:
 * restores the byte, runs the one instruction while all other threads are halted, and plants
 * the trap again, so that no other thread can miss it. */
#include "engine/control/private.h"
#include "base/file.h"
#include "machine/code.h"
#include <signal.h>
#include <string.h>

/* A system call that blocks is left to finish while the others run. Any other instruction ends as
 * soon as its thread gets a processor, and where ranks poll, that may take its time. */
#define OVER_TIMEOUT_US 20000
#define OVER_ROUNDS 500

typedef struct {
    EngineTrapHit hit;
    gpointer owner;
    guint64 stop; /* it was planted at, while the rank stood still; G_MAXUINT64: while it ran */
} TrapOwner;

struct _EngineTrapTable {
    GHashTable *owners; /* address to an array of TrapOwner */
};

EngineTrapTable *
engine_trap_table_new (void)
{
    EngineTrapTable *table = g_new0 (EngineTrapTable, 1);

    table->owners = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                           (GDestroyNotify) g_array_unref);
    return table;
}

void
engine_trap_table_free (EngineTrapTable *table)
{
    g_hash_table_unref (table->owners);
    g_free (table);
}

static GArray *
find_owners (EngineProcess *process, guint64 address)
{
    return g_hash_table_lookup (process->traps->owners, &address);
}

static gint
find_owner (const GArray *owners, EngineTrapHit hit, gpointer owner)
{
    for (guint i = 0; owners != NULL && i < owners->len; i++) {
        const TrapOwner *candidate = &g_array_index (owners, TrapOwner, i);

        if (candidate->hit == hit && candidate->owner == owner) {
            return (gint) i;
        }
    }
    return -1;
}

gboolean
engine_trap_add (EngineProcess *process, guint64 address, EngineTrapHit hit, gpointer owner,
                 GError **error)
{
    GArray *owners = find_owners (process, address);
    TrapOwner entry = { hit, owner,
                        engine_process_is_stopped (process) ? process->stop : G_MAXUINT64 };

    if (find_owner (owners, hit, owner) >= 0) {
        return TRUE;
    }
    if (process->engine->is_measured) {
        base_error_set (error, BASE_ERROR_DENIED,
                        "cannot plant a trap: the rank is measured, not debugged");
        return FALSE;
    }
    if (owners == NULL) {
        if (!engine_boundary_check (process, address, error)
            || !target_traps_plant (engine_process_get_traps (process), address, error)) {
            return FALSE;
        }
        /* a thread that does not stop meets it at once */
        process->may_trap |= !target_traps_are_out (engine_process_get_traps (process));
        owners = g_array_new (FALSE, FALSE, sizeof (TrapOwner));
        g_hash_table_insert (process->traps->owners, g_memdup2 (&address, sizeof address),
                             owners);
    }
    g_array_append_val (owners, entry);
    return TRUE;
}

void
engine_trap_remove (EngineProcess *process, guint64 address, EngineTrapHit hit, gpointer owner)
{
    GArray *owners = find_owners (process, address);
    gint i = find_owner (owners, hit, owner);

    if (i < 0) {
        return;
    }
    g_array_remove_index (owners, (guint) i);
    if (owners->len == 0) {
        g_autoptr (GError) error = NULL;

        g_hash_table_remove (process->traps->owners, &address);
        if (!target_traps_remove (engine_process_get_traps (process), address, &error)
            && !process->ended) {
            engine_say (process, "cannot remove a trap: %s; threads go over it",
                        error->message);
        }
    }
}

void
engine_trap_clear (EngineProcess *process)
{
    g_hash_table_remove_all (process->traps->owners);
}

void
engine_trap_remove_all (EngineProcess *process)
{
    engine_trap_clear (process);
    target_traps_remove_all (engine_process_get_traps (process));
}

gboolean
engine_trap_is_planted (EngineProcess *process, guint64 address)
{
    return find_owners (process, address) != NULL;
}

gboolean
engine_trap_is_in_memory (EngineProcess *process, guint64 address)
{
    return engine_trap_is_planted (process, address)
           || target_traps_find (engine_process_get_traps (process), address);
}

gboolean
engine_trap_is_seen (EngineThread *thread)
{
    guint64 pc = engine_thread_get_pc (thread);
    const GArray *owners = find_owners (thread->process, pc);
    gboolean is_seen = TRUE;

    for (guint i = 0; owners != NULL && thread->handled_trap != pc && i < owners->len; i++) {
        is_seen = is_seen && g_array_index (owners, TrapOwner, i).stop == thread->process->stop;
    }
    return is_seen;
}

gboolean
engine_trap_hit (EngineThread *thread, guint64 address)
{
    EngineProcess *process = thread->process;
    GArray *owners = find_owners (process, address);
    g_autoptr (GArray) copy = NULL;
    gboolean is_stop = FALSE;

    thread->handled_trap = address;
    if (owners == NULL) {
        return FALSE;
    }
    copy = g_array_copy (owners);
    engine_thread_suspend (thread, ENGINE_SUSPENDS_TRAP);
    for (guint i = 0; i < copy->len && !process->ended; i++) {
        const TrapOwner *entry = &g_array_index (copy, TrapOwner, i);

        /* An owner may have taken another one away. */
        if (find_owner (find_owners (process, address), entry->hit, entry->owner) >= 0) {
            is_stop |= entry->hit (thread, address, entry->owner) == ENGINE_TRAP_STOP;
        }
    }
    engine_thread_unsuspend (thread, ENGINE_SUSPENDS_TRAP);
    if (is_stop && !process->ended && !engine_process_is_stopped (process)) {
        engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, NULL);
    }
    process->engine->n_passed++;
    return process->ended || engine_process_is_stopped (process);
}

typedef enum { OVER_AGAIN, OVER_DONE, OVER_LEFT } OverAnswer;

/* What a stop means to the instruction that is being run. */
static OverAnswer
judge (EngineThread *thread, const TargetStop *stop)
{
    if (target_stop_is_trap (stop) && engine_thread_is_own_step (thread, stop)) {
        return OVER_DONE;
    }
    engine_thread_hold_noted (thread, stop);
    if (target_stop_is_trap (stop)) {
        return OVER_LEFT;
    }
    switch (stop->kind) {
    case TARGET_STOP_EXEC:
    case TARGET_STOP_EXIT:
    case TARGET_STOP_GROUP: return OVER_LEFT;
    default: return target_stop_is_fault (stop) ? OVER_LEFT : OVER_AGAIN;
    }
}

/* At a system call's instruction, and asleep in the kernel. */
static gboolean
blocks_in_kernel (EngineThread *thread, guint64 address)
{
    guint8 bytes[MACHINE_MAX_INSTRUCTION] = { 0 };
    char state;

    if (!machine_code_is_system_call (
            bytes, base_memory_read_some (engine_process_get_memory (thread->process), address,
                                          bytes, sizeof bytes))) {
        return FALSE;
    }
    state = target_thread_get_state (thread->process->pid, thread->tid);
    return state == 'S' || state == 'D';
}

/* NOT: it is in the kernel, or gone. */
static EngineCame
await_step (EngineThread *thread, guint64 address, TargetStop *ret_stop)
{
    EngineCame came = ENGINE_CAME_NOT;

    for (guint round = 0; came == ENGINE_CAME_NOT && round < OVER_ROUNDS; round++) {
        came = engine_thread_await (thread, OVER_TIMEOUT_US, FALSE, ret_stop);
        if (came == ENGINE_CAME_NOT
            && (blocks_in_kernel (thread, address) || kill (thread->tid, 0) != 0)) {
            break;
        }
    }
    return came;
}

static gboolean
run_instruction (EngineThread *thread, guint64 address)
{
    OverAnswer answer = OVER_AGAIN;

    engine_watch_load (thread); /* the instruction may be the one that writes */
    while (answer == OVER_AGAIN) {
        TargetStop stop;

        engine_thread_note_step (thread);
        engine_thread_store_registers (thread);
        engine_trap_mask_begin (thread, 0);
        if (!target_thread_step (thread->tid, 0)) {
            return FALSE; /* killed: its exit status is under way */
        }
        engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
        if (await_step (thread, address, &stop) != ENGINE_CAME_TO_STOP) {
            return FALSE; /* in the kernel; the end of its step will be reported */
        }
        answer = judge (thread, &stop);
    }
    return answer == OVER_DONE;
}

/* With a shadow stack (which the kernel names among the features of a thread) calls and returns are
 * the processor's alone. Nothing tells when a program gets one: the C library's start switches it on, or the program does. */
gboolean
engine_thread_has_shadow_stack (EngineThread *thread)
{
    g_autofree char *text = base_file_read_process (thread->tid, "status", NULL);
    const char *at;

    if (text == NULL) {
        return TRUE;
    }
    at = strstr (text, "\nx86_Thread_features:");
    return at != NULL
           && g_strstr_len (at + 1, (gssize) strcspn (at + 1, "\n"), "shstk") != NULL;
}

/* The instruction takes the shadow stack along, and there is one. */
static gboolean
moves_shadow_stack (EngineThread *thread)
{
    guint8 bytes[MACHINE_MAX_INSTRUCTION];
    gsize size = base_memory_read_some (engine_process_get_memory (thread->process),
                                        engine_thread_get_pc (thread), bytes, sizeof bytes);

    return machine_code_is_linking (bytes, size) && engine_thread_has_shadow_stack (thread);
}

gboolean
engine_trap_emulate (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    const MachineWords words = { target_memory_load_word, target_memory_store_word,
                                 engine_process_get_memory (process) };

    if (thread->resume_step || process->watch.serial > 0
        || !engine_thread_load_registers (thread) || moves_shadow_stack (thread)
        || !machine_code_emulate (&words, &thread->registers)) {
        return FALSE;
    }
    thread->registers_changed = TRUE;
    thread->handled_trap = 0;
    return TRUE;
}

gboolean
engine_trap_step_over (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    guint64 address = thread->handled_trap;
    gboolean done;

    if (engine_trap_emulate (thread)) {
        return TRUE;
    }
    engine_process_await_runaways (process);
    if (process->ended) {
        return FALSE;
    }
    thread->handled_trap = 0;
    target_traps_lift_one (engine_process_get_traps (process), address, TRUE);
    done = run_instruction (thread, address);
    target_traps_lift_one (engine_process_get_traps (process), address, FALSE);
    return done;
}
