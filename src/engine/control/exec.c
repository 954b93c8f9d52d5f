/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program that a rank runs: what is known of its memory is put away at each exec, and begins anew. Also of one that is
 * attached to. */
#include "engine/control/private.h"
#include "engine/notices.h"
#include "target/core.h"
#include <string.h>

static const char *const wrappers[] = {
    "env",    "nice",   "ionice",  "nohup", "numactl", "taskset", "chrt",
    "stdbuf", "setsid", "setarch", "time",  "bash",    "dash",    "sh",
    "zsh",    "ksh",    "ksh93",   "tcsh",  "csh",     "busybox", "pddt-start",
};

gboolean
engine_exec_is_wrapper (const char *executable)
{
    g_autofree char *base = executable != NULL ? g_path_get_basename (executable)
                                               : g_strdup ("");

    return BASE_ANY (i, G_N_ELEMENTS (wrappers), strcmp (base, wrappers[i]) == 0);
}

char *const *
engine_exec_get_command (EngineProcess *process)
{
    if (process->command == NULL && process->core == NULL) {
        process->command = target_process_read_command (process->pid);
    }
    return process->command;
}

static char *
dup_program (EngineProcess *process)
{
    char *const *words = engine_exec_get_command (process);
    GString *text
        = g_string_new (process->core != NULL ? target_core_get_command (process->core) : NULL);

    for (guint i = 0; words != NULL && words[i] != NULL; i++) {
        gboolean is_plain
            = words[i][0] != '\0'
              && words[i]
                      [strspn (words[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_-+=.,:/@%")]
                     == '\0';
        g_autofree char *quoted = is_plain ? g_strdup (words[i]) : g_shell_quote (words[i]);

        g_string_append_printf (text, "%s%s", i > 0 ? " " : "", quoted);
    }
    return g_string_free (text, FALSE);
}

void
engine_emit_ranks (EngineProcess *process)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, slot);
    g_autofree char *program = dup_program (process);
    const JobProcess entry = { .slot = process->slot,
                               .rank = process->rank,
                               .size = process->size,
                               .pid = process->pid,
                               .parent = process->parent,
                               .host = (char *) g_get_host_name (),
                               .program = program };

    event->processes = job_process_list_new ();
    job_process_list_add (event->processes, &entry);
    engine_emit (process->engine, event);
}

/* ---- another program ---- */

static void
begin_space (EngineProcess *process)
{
    g_free (process->executable);
    process->executable = target_process_read_executable (process->pid);
    engine_tell (process, process->engine->notices->space_begins);
}

void
engine_exec_follow (EngineProcess *process, gboolean is_vfork)
{
    engine_tell (process, process->engine->notices->is_other);
    engine_emit_ranks (process);
    if (is_vfork && process->vfork == NULL) {
        /* Its stops are judged by what it executes, but nothing may be planted where its parent runs. */
        engine_space_share (process);
        return;
    }
    if (process->vfork != NULL) {
        engine_vfork_enter (process);
    } else {
        engine_space_open (process);
    }
    begin_space (process);
    if (!is_vfork) {
        engine_tell (process, process->engine->notices->is_fork);
    }
}

void
engine_exec_open_guest (EngineProcess *process, const JobRequest *request)
{
    if (!process->ended && process->guest != NULL && !process->exec_seen) {
        engine_space_open (process);
        begin_space (process);
    }
}

/* Where its program has begun: relative names are looked for there. */
static void
note_folder (EngineProcess *process)
{
    g_autofree char *link = g_strdup_printf ("/proc/%d/cwd", (int) process->pid);

    g_free (process->folder);
    process->folder = g_file_read_link (link, NULL);
}

void
engine_exec_handle (EngineThread *thread)
{
    EngineProcess *process = thread->process;

    /* what is put away here halts the process, and lets it go on */
    engine_thread_suspend (thread, ENGINE_SUSPENDS_EXEC);
    engine_vfork_end (process); /* before what is planted there is forgotten */
    engine_tell (process, process->engine->notices->program_ends);
    engine_fork_on_exec (process);
    engine_process_drop_other_threads (thread);
    engine_process_forget_space (process);
    thread->resume_step = thread->exiting = thread->in_vfork = thread->interrupt_pending
        = FALSE;
    thread->handled_trap = 0;
    engine_thread_end_suspensions (
        thread); /* what it did in the program before does not count */
    engine_thread_suspend (thread, ENGINE_SUSPENDS_EXEC);
    engine_process_set_moving_alone (process, NULL);
    process->is_forked = FALSE;
    process->n_calls_watched = 0;
    engine_space_open (process);
    begin_space (process);
    note_folder (process);
    engine_emit_ranks (process);
    engine_thread_unsuspend (thread, ENGINE_SUSPENDS_EXEC);
    engine_tell_of_thread (thread, process->engine->notices->executed);
}

/* ---- attaching ---- */

/* Until a pass over the list finds no thread that is not ours: new ones of ours come traced. The first is ours already. */
static void
seize_threads (EngineProcess *process)
{
    gboolean is_new = !target_process_has_one_thread (process->pid);

    for (guint round = 0; is_new && round < 100; round++) {
        g_autoptr (GArray) tids = target_process_list_threads (process->pid);

        is_new = FALSE;
        for (guint i = 0; i < tids->len; i++) {
            pid_t tid = g_array_index (tids, pid_t, i);

            if (g_hash_table_contains (process->engine->by_tid, GINT_TO_POINTER (tid))) {
                continue;
            }
            if (target_thread_seize (tid, FALSE, NULL)) {
                engine_process_add_thread (process, tid);
                is_new = TRUE;
            } else if (process->refusal == NULL) { /* or it has ended */
                target_process_check_tracers (process->pid, &process->refusal);
            }
        }
    }
}

void
engine_exec_seize (EngineProcess *process)
{
    seize_threads (process);
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        thread->interrupt_pending = target_thread_interrupt (thread->tid);
    }
}

void
engine_exec_run_on (EngineProcess *process, const JobRequest *request)
{
    if (!process->ended && engine_process_is_stopped (process)) {
        process->motion = MAX (process->motion, process->engine->start_request);
        engine_process_go_on (process, JOB_STATE_RUNNING);
        engine_emit_state (process, process->engine->start_request, FALSE, 0);
    }
}

void
engine_exec_attach (EngineProcess *process, const JobRequest *request)
{
    process->phase = ENGINE_START_STARTED;
    engine_process_set_state (process, JOB_STATE_RUNNING, 0, NULL, NULL);
    engine_space_open (
        process); /* first: the halt may handle forks, which concern what is planted */
    target_traps_rest (engine_process_get_traps (process), TRUE); /* until it goes on */
    if (!engine_process_halt (process)) {
        return;
    }
    if (process->refusal != NULL) {
        engine_emit_failure (process, 0, process->refusal);
        engine_process_release (process);
        engine_process_detach (process);
        return;
    }
    engine_fork_find_vforks (process);
    engine_process_begin_caching (process);
    begin_space (process);
    engine_process_keep_halted (process);
    engine_process_stop (process, engine_process_get_main (process), JOB_STATE_STOPPED, 0, NULL,
                         NULL, NULL);
    engine_process_end_caching (process);
    if (process->engine->is_measured) {
        engine_exec_run_on (process, request);
    }
}
