/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank that is a shell, or another program that runs the intended one as its child: pddt
 * debugs the shell and says so at once. Its children are followed until they execute something,
 * and then detached; before that, where it is a set-user-ID file, which gives no rights to who is traced. */
#include "engine/control/private.h"
#include <signal.h>

static void
forget (Engine *engine, pid_t tid)
{
    g_hash_table_remove (engine->children, GINT_TO_POINTER (tid));
    g_hash_table_remove (engine->early_stops, GINT_TO_POINTER (tid));
    g_hash_table_remove (engine->script_children, GINT_TO_POINTER (tid));
}

/* Of a followed child: its rank's slot, and at how many more system calls it stops. */
static void
note (Engine *engine, pid_t tid, guint32 slot, guint n_calls)
{
    g_hash_table_insert (engine->script_children, GINT_TO_POINTER (tid),
                         GSIZE_TO_POINTER ((gsize) n_calls << 32 | (slot + 1)));
}

static guint32
get_slot (Engine *engine, pid_t tid, guint *ret_n_calls)
{
    gsize noted = GPOINTER_TO_SIZE (g_hash_table_lookup (engine->script_children,
                                                         GINT_TO_POINTER (tid)));

    if (ret_n_calls != NULL) {
        *ret_n_calls = (guint) (noted >> 32);
    }
    return (guint32) noted - 1;
}

static void
follow (Engine *engine, guint32 slot, pid_t tid)
{
    gpointer known;
    g_autofree TargetStop *stop = NULL;

    note (engine, tid, slot, ENGINE_WATCHED_CALLS);
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
dup_script (EngineProcess *process)
{
    char *const *words = engine_exec_get_command (process);
    guint n = words != NULL ? g_strv_length ((char **) words) : 0;
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
    EngineProcess *process = engine_find_process (engine, get_slot (engine, tid, NULL));
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
    unsigned long message = 0;

    if (target_thread_get_event_message (tid, &message)) {
        follow (engine, get_slot (engine, tid, NULL), (pid_t) message);
    }
}

static void
go_on (Engine *engine, pid_t tid, int signal)
{
    guint n_calls;

    get_slot (engine, tid, &n_calls);
    if (n_calls > 0) {
        target_thread_continue_to_call (tid, signal);
    } else {
        target_thread_continue (tid, signal);
    }
}

/* A subshell that executes nothing may make calls without end. */
static void
take_call (Engine *engine, pid_t tid)
{
    guint n_calls;
    guint32 slot = get_slot (engine, tid, &n_calls);
    g_autofree char *program = target_thread_dup_gaining (tid);

    if (program != NULL) {
        forget (engine, tid);
        target_thread_detach (tid, 0);
        return;
    }
    note (engine, tid, slot, n_calls > 0 ? n_calls - 1 : 0);
    go_on (engine, tid, 0);
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
    if (stop->kind == TARGET_STOP_CALL) {
        take_call (engine, tid);
        return TRUE;
    }
    if (target_stop_has_child (stop)) {
        follow_child_of (engine, tid);
    }
    go_on (engine, tid, stop->kind == TARGET_STOP_SIGNAL ? stop->signal : 0);
    return TRUE;
}

void
engine_script_let_go (Engine *engine)
{
    gpointer tid;

    BASE_WALK (engine->script_children, &tid, NULL) {
        target_thread_interrupt (GPOINTER_TO_INT (tid));
    }
}
