/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Core files as ranks that never move: every inspection of a stopped rank works on them too.
 * Requests that would move or change them are refused here first. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/loop/private.h"
#include "job/launcher-rank.h"
#include "target/core.h"
#include <glib/gi18n.h>
#include <signal.h>

static void
add_thread (EngineProcess *process, const TargetCoreThread *from)
{
    EngineThread *thread = g_new0 (EngineThread, 1);

    thread->process = process;
    thread->tid = from->tid;
    thread->number = ++process->next_number;
    engine_thread_set_state (thread, ENGINE_THREAD_STOPPED);
    thread->registers = from->registers;
    thread->has_registers = TRUE;
    thread->pending_info = from->whole_info;
    thread->held_stops = g_array_new (FALSE, FALSE, sizeof (TargetStop));
    g_ptr_array_add (process->threads, thread);
}

/* gdb's gcore writes of a process that was only looked at that it had a trap, or nothing. */
static void
set_state (EngineProcess *process, const TargetCoreThread *thread)
{
    int signal = thread->signal;

    if (signal != 0 && signal != SIGTRAP && signal != SIGSTOP) {
        g_autofree char *reason
            = engine_signal_dup_reason (engine_process_get_stopped (process), signal,
                                        &thread->info);

        engine_process_set_state (process, JOB_STATE_SIGNAL, signal,
                                  engine_signal_get_name (signal), reason);
    } else {
        engine_process_set_state (process, JOB_STATE_STOPPED, 0, NULL, NULL);
    }
    process->stop = 1;
}

static void
emit_remarks (EngineProcess *process)
{
    GPtrArray *remarks = target_core_get_remarks (process->core);

    for (guint i = 0; i < remarks->len; i++) {
        engine_emit_notice (process, g_ptr_array_index (remarks, i));
    }
}

static void
open_process (EngineProcess *process)
{
    g_autoptr (GArray) maps = target_core_dup_maps (process->core);
    BaseMemoryReader *memory = target_core_get_memory (process->core);
    EngineSpace *space;
    guint n, stopped = target_core_get_stopped (process->core);
    const TargetCoreThread *threads = target_core_get_threads (process->core, &n);

    for (guint i = 0; i < n; i++) {
        add_thread (process, &threads[i]);
    }
    process->pid = target_core_get_pid (process->core);
    process->exec_seen = TRUE;
    process->phase = ENGINE_START_STARTED;
    space = engine_space_new_of_files (process->engine, memory,
                                       stack_modules_new (maps, 0, memory, process->symbols,
                                                          NULL));
    engine_space_enter (process, space);
    engine_space_leave (space);
    engine_process_set_stopped (process, g_ptr_array_index (process->threads, stopped));
    engine_process_set_selected (process, g_ptr_array_index (process->threads, stopped));
    set_state (process, &threads[stopped]);
    engine_emit_ranks (process);
    emit_remarks (process);
    engine_process_take_place (process,
                               engine_inspect_dup_place (process,
                                                         engine_process_get_stopped (process)));
    engine_emit_state (process, 0, FALSE, 0);
}

static gboolean
find_rank (TargetCore *core, guint32 *ret_rank)
{
    g_autoptr (GBytes) block = target_core_read_environment (core);
    gsize size = 0;
    const char *data = block != NULL ? g_bytes_get_data (block, &size) : NULL;

    return data != NULL && job_launcher_rank_find (data, size, ret_rank);
}

/* By the dumped environments when all have distinct ranks, else as they are given. */
static void
number (GPtrArray *cores, guint32 *ranks)
{
    g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
    gboolean all = TRUE;

    for (guint i = 0; i < cores->len; i++) {
        all = all && find_rank (g_ptr_array_index (cores, i), &ranks[i])
              && g_hash_table_add (taken, GUINT_TO_POINTER (ranks[i]));
    }
    for (guint i = 0; !all && i < cores->len; i++) {
        ranks[i] = i;
    }
}

void
engine_open_cores (Engine *engine, const char *const *paths)
{
    g_autoptr (GPtrArray) cores = g_ptr_array_new ();
    g_autofree guint32 *ranks = NULL;
    guint32 size = 0;

    for (guint i = 0; paths[i] != NULL; i++) {
        g_autoptr (GError) error = NULL;
        TargetCore *core = target_core_open (paths[i], &error);

        if (core != NULL) {
            g_ptr_array_add (cores, core);
        } else {
            engine_emit (engine, job_event_new_failure (0, NULL, error));
        }
    }
    ranks = g_new0 (guint32, cores->len + 1);
    number (cores, ranks);
    for (guint i = 0; i < cores->len; i++) {
        size = MAX (size, ranks[i] + 1);
    }
    for (guint i = 0; i < cores->len; i++) {
        EngineRankInfo info
            = { .rank = ranks[i], .size = size, .local_rank = i, .input_fd = -1 };
        EngineProcess *process = engine_process_new (engine, &info);

        process->core = g_ptr_array_index (cores, i);
        g_ptr_array_add (engine->processes, process);
        engine->n_cores++;
        open_process (process);
    }
    engine_flush (engine);
}

/* ---- requests ---- */

/* NULL: it only looks. */
static const char *
find_objection (JobVerb verb)
{
    switch (verb) {
    case JOB_VERB_BREAK:
    case JOB_VERB_CATCH:
    case JOB_VERB_PROFILE:
    case JOB_VERB_WATCH: return N_ ("it cannot run");
    case JOB_VERB_SET:
    case JOB_VERB_CALL:
    case JOB_VERB_EXEC:
    case JOB_VERB_INPUT: return N_ ("it cannot be changed");
    case JOB_VERB_DUMP: return N_ ("copy it instead");
    case JOB_VERB_DETACH: return NULL;
    default: return job_verb_is_motion (verb) ? N_ ("it cannot run") : NULL;
    }
}

static void
let_go (EngineProcess *process, guint64 request)
{
    process->motion = request;
    process->ended = process->detached = TRUE;
    process->stop++;
    engine_process_set_state (process, JOB_STATE_LOST, 0, "detached", NULL);
    engine_emit_accepted (process, request);
    engine_emit_state (process, request, FALSE, 0);
}

static void
answer (EngineProcess *process, const JobRequest *request, const char *objection)
{
    g_autoptr (GError) error = NULL;

    if (request->verb == JOB_VERB_DETACH) {
        let_go (process, request->id);
        return;
    }
    /* Translators: the name of a command, and why it cannot be done. */
    base_error_set_because (&error, BASE_ERROR_UNSUPPORTED,
                            "cannot %s: this is a core file; %s",
                            job_verb_get_name (request->verb), objection);
    engine_emit_failure (process, request->id, error);
}

JobRequest *
engine_core_filter (Engine *engine, const JobRequest *request)
{
    const char *objection = find_objection (request->verb);
    JobRequest *rest = job_request_dup (request);

    if (objection == NULL && request->verb != JOB_VERB_DETACH) {
        return rest;
    }
    JOB_EACH_RANK (request->ranks, slot) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process != NULL && process->core != NULL) {
            job_rank_set_remove (rest->ranks, slot);
            if (!process->ended) {
                answer (process, request, objection);
            }
        }
    }
    return rest;
}
