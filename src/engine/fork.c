/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread of a rank brings into the world: threads are taken in, forked and vforked children
 * are cleaned of inherited traps and let go. */
#include "engine/private.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static gboolean
is_own_thread (EngineProcess *process, pid_t tid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d", (int) process->pid, (int) tid);

    return access (path, F_OK) == 0;
}

void
engine_fork_release_child (Engine *engine, pid_t child)
{
    g_hash_table_remove (engine->children, GINT_TO_POINTER (child));
    target_thread_detach (child, 0);
}

static gboolean
may_follow (const EngineProcess *process)
{
    return process->engine->follow_child && process->halt_depth == 0 && !engine_process_is_stopped (process)
           && !process->held_at_exec;
}

void
engine_fork_take (EngineThread *thread, int event)
{
    EngineProcess *process = thread->process;
    Engine *engine = process->engine;
    unsigned long message = 0;
    pid_t child;

    if (!target_thread_get_event_message (thread->tid, &message)) {
        return;
    }
    child = (pid_t) message;
    if (event == PTRACE_EVENT_VFORK) {
        thread->in_vfork = TRUE;
        target_traps_lift (process->planted);
    } else if (process->planted != NULL) {
        target_traps_clean_child (process->planted, child);
        engine_displaced_clean_child (process, child);
    }
    if (may_follow (process)) {
        return; /* engine_fork_follow comes next */
    }
    if (g_hash_table_remove (engine->strangers, GINT_TO_POINTER (child))) {
        engine_fork_release_child (engine, child);
    } else {
        g_hash_table_add (engine->children, GINT_TO_POINTER (child));
    }
}

/* Its first stop, wherever it comes from. */
static gboolean
wait_for_child (Engine *engine, pid_t child)
{
    gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC;
    int status;

    if (g_hash_table_remove (engine->strangers, GINT_TO_POINTER (child))) {
        return TRUE;
    }
    while (g_get_monotonic_time () < end) {
        pid_t found = waitpid (child, &status, __WALL | __WNOTHREAD | WNOHANG);

        if (found == child) {
            return WIFSTOPPED (status);
        }
        g_usleep (50);
    }
    return FALSE;
}

gboolean
engine_fork_follow (EngineThread *thread, gboolean is_vfork)
{
    EngineProcess *process = thread->process;
    unsigned long message = 0;
    g_autofree char *text = NULL;
    EngineThread *child;

    if (!may_follow (process) || !target_thread_get_event_message (thread->tid, &message)
        || !wait_for_child (process->engine, (pid_t) message)) {
        return FALSE;
    }
    engine_step_cancel (process);
    if (!engine_process_let_go (process)) {
        return TRUE;
    }
    process->pid = (pid_t) message;
    process->stop_thread = process->selected_thread = NULL;
    process->only_thread = NULL;
    child = engine_process_add_thread (process, process->pid);
    child->state = ENGINE_THREAD_STOPPED;
    process->selected_thread = child;
    text = g_strdup_printf ("follows the child, process %d", (int) process->pid);
    engine_emit_notice (process, text);
    /* A vforked child has its parent's memory until it execs: nothing is planted there. */
    engine_exec_follow (process, is_vfork);
    engine_thread_go_on (child);
    return TRUE;
}

void
engine_fork_take_clone (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    Engine *engine = process->engine;
    unsigned long message = 0;
    EngineThread *child;
    gboolean was_seen;

    if (!target_thread_get_event_message (thread->tid, &message)
        || g_hash_table_contains (engine->by_tid, GINT_TO_POINTER ((pid_t) message))) {
        return;
    }
    if (!is_own_thread (process, (pid_t) message)) {
        was_seen = g_hash_table_contains (engine->strangers, GINT_TO_POINTER ((pid_t) message));
        if (was_seen || kill ((pid_t) message, 0) == 0) {
            engine_fork_take (thread, PTRACE_EVENT_FORK);
        }
        return;
    }
    child = engine_process_add_thread (process, (pid_t) message);
    was_seen = g_hash_table_remove (engine->strangers, GINT_TO_POINTER (child->tid));
    child->state = was_seen ? ENGINE_THREAD_STOPPED : ENGINE_THREAD_RUNNING;
    if (was_seen && process->halt_depth == 0 && !engine_process_is_stopped (process)
        && (process->only_thread == NULL || process->only_thread == child)) {
        engine_thread_resume (child);
    }
}

void
engine_fork_take_vfork_done (EngineThread *thread)
{
    thread->in_vfork = FALSE;
    if (thread->process->planted != NULL) {
        target_traps_plant_again (thread->process->planted);
    }
}
