/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank that is a shell, or another program that runs the intended one as its child: pddt
 * debugs the shell and says so at once. Its children are followed until they execute something,
 * and then detached. */
#include "engine/control/private.h"
#include <signal.h>
#include <string.h>

static void
forget (Engine *engine, pid_t tid)
{
    g_hash_table_remove (engine->children, GINT_TO_POINTER (tid));
    g_hash_table_remove (engine->early_stops, GINT_TO_POINTER (tid));
    g_hash_table_remove (engine->script_children, GINT_TO_POINTER (tid));
}

static void
follow (Engine *engine, guint32 slot, pid_t tid)
{
    gpointer known;
    g_autofree TargetStop *stop = NULL;

    g_hash_table_insert (engine->script_children, GINT_TO_POINTER (tid),
                         GUINT_TO_POINTER (slot + 1));
    g_hash_table_add (engine->children, GINT_TO_POINTER (tid));
    if (g_hash_table_steal_extended (engine->early_stops, GINT_TO_POINTER (tid), NULL,
                                     &known)) {
        stop = known;
        engine_script_take (engine, stop);
    }
}

gboolean
engine_script_follow (EngineProcess *process, pid_t child)
{
    if (process->is_script_told || process->engine->abandoned
        || !engine_exec_is_wrapper (process->executable)) {
        return FALSE;
    }
    follow (process->engine, process->slot, child);
    return TRUE;
}

/* The tools that scripts are made of. */
static gboolean
is_tool (const char *path)
{
    static const char *const folders[]
        = { "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/usr/libexec/", NULL };
    g_autofree char *base = g_path_get_basename (path);

    for (guint i = 0; folders[i] != NULL; i++) {
        if (g_str_has_prefix (path, folders[i])) {
            return !g_str_has_prefix (base, "python"); /* whose program is the user's */
        }
    }
    return FALSE;
}

/* "w.sh" of "/bin/bash ./w.sh 3"; the shell itself where it runs no file. */
static char *
dup_script (const EngineProcess *process)
{
    g_auto (GStrv) words = target_process_read_command (process->pid);
    guint n = words != NULL ? g_strv_length (words) : 0;
    const char *script = n > 1 && words[1][0] != '-' ? words[1] : process->executable;

    return g_path_get_basename (script);
}

static void
tell (EngineProcess *process, const char *program)
{
    g_autofree char *script = dup_script (process);
    g_autofree char *base = g_path_get_basename (program);

    engine_say (process,
                "%s runs %s as its child: pddt debugs %s itself and does not see %s. Write "
                "\"exec\" before %s in %s",
                script, base, script, base, base, script);
    process->is_script_told = TRUE;
}

/* The child has executed something. TRUE: it may still start what is meant. */
static gboolean
look_at_program (Engine *engine, pid_t tid)
{
    guint slot = GPOINTER_TO_UINT (g_hash_table_lookup (engine->script_children,
                                                        GINT_TO_POINTER (tid)));
    EngineProcess *process = engine_find_process (engine, slot - 1);
    g_autofree char *program = target_process_read_executable (tid);

    if (process == NULL || process->ended || process->is_script_told || program == NULL) {
        return FALSE;
    }
    if (engine_exec_is_wrapper (program)) {
        return TRUE;
    }
    if (!is_tool (program)) {
        tell (process, program);
    }
    return FALSE;
}

static void
follow_child_of (Engine *engine, pid_t tid)
{
    guint slot = GPOINTER_TO_UINT (g_hash_table_lookup (engine->script_children,
                                                        GINT_TO_POINTER (tid)));
    unsigned long message = 0;

    if (target_thread_get_event_message (tid, &message)) {
        follow (engine, slot - 1, (pid_t) message);
    }
}

gboolean
engine_script_take (Engine *engine, const TargetStop *stop)
{
    pid_t tid = stop->tid;

    if (!g_hash_table_contains (engine->script_children, GINT_TO_POINTER (tid))) {
        return FALSE;
    }
    if (stop->kind == TARGET_STOP_ENDED) {
        forget (engine, tid);
        return TRUE;
    }
    if (engine->abandoned || stop->kind == TARGET_STOP_GROUP
        || (stop->kind == TARGET_STOP_EXEC && !look_at_program (engine, tid))) {
        forget (engine, tid);
        target_thread_detach (tid, 0);
        return TRUE;
    }
    if (target_stop_has_child (stop)) {
        follow_child_of (engine, tid);
    }
    target_thread_continue (tid, stop->kind == TARGET_STOP_SIGNAL ? stop->signal : 0);
    return TRUE;
}

void
engine_script_let_go (Engine *engine)
{
    GHashTableIter iter;
    gpointer tid;

    g_hash_table_iter_init (&iter, engine->script_children);
    while (g_hash_table_iter_next (&iter, &tid, NULL)) {
        target_thread_interrupt (GPOINTER_TO_INT (tid));
    }
}
