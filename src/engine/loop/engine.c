/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's table of processes, the dispatch of requests, and the queue of events, which are
 * merged before they are emitted. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/loop/private.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/queue/queue.h"
#include "engine/sampling/sampling.h"
#include "engine/step/step.h"
#include "stack/library.h"
#include <glib/gi18n.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define REPEATS 10 /* as in gdb */
#define MAX_SECONDS 3600
#define LIMIT_S 2

#define PUMP_TIME_US 4000
#define HOT_TIME_US 100 /* how long the next hit of a trap that does not hold is waited for */

/* ---- life ---- */

Engine *
engine_new (const EngineOptions *options)
{
    Engine *engine = g_new0 (Engine, 1);
    EvaluateLimits limits = EVALUATE_LIMITS_DEFAULT;
    g_autoptr (GError) error = NULL;

    engine->options = *options;
    engine->notices = &engine_notices;
    engine->options.symbols_socket = g_strdup (options->symbols_socket);
    engine->options.queues_socket = g_strdup (options->queues_socket);
    engine->options.traps_file = g_strdup (options->traps_file);
    engine->options.runner_path = g_strdup (options->runner_path);
    engine->processes = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_process_free);
    engine->by_tid = g_hash_table_new (NULL, NULL);
    engine->early_stops = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    engine->children = g_hash_table_new (NULL, NULL);
    engine->leavers = g_hash_table_new_full (NULL, NULL, NULL, engine_leaver_free);
    engine->script_children = g_hash_table_new (NULL, NULL);
    engine->retired = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_space_unref);
    engine->works = g_array_new (FALSE, FALSE, sizeof (guint64));
    engine->breakpoints = g_ptr_array_new_with_free_func (engine_breakpoint_free);
    engine->queue = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    engine->limits = limits;
    engine->limits.repeats = REPEATS;
    engine->limit_s = LIMIT_S;
    engine->answers_fd = epoll_create1 (EPOLL_CLOEXEC);
    engine->just_my_code = engine->catch_mpi_errors = engine->hardware_watch = TRUE;
    if (options->symbols_socket != NULL) {
        engine->symbols = index_client_new (options->symbols_socket);
        index_client_set_waiter (engine->symbols, &engine_work_waiter);
    }
    if (options->traps_file != NULL) {
        engine->shared_traps = target_traps_map_table (options->traps_file, &error);
        if (error != NULL) {
            g_message ("%s", error->message);
        }
    }
    return engine;
}

void
engine_abandon (Engine *engine)
{
    for (guint i = 0; i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);
        gboolean is_to_detach = engine_turn_awaits (process, JOB_VERB_DETACH);

        engine_turn_abandon (process);
        engine_sampling_end (process);
        if (process->core != NULL) {
            process->ended = TRUE;
        } else if (!process->ended && process->launched && !is_to_detach) {
            kill (process->pid, SIGKILL);
        } else if (!process->ended) {
            engine_process_detach (process);
        }
    }
    engine_fork_let_newborns_go (engine); /* killed ones are taken from the kernel, too */
    engine_flush (engine);
}

void
engine_free (Engine *engine)
{
    if (engine == NULL) {
        return;
    }
    engine_abandon (engine);
    engine_breakpoint_free_all (engine);
    g_clear_pointer (&engine->queue_dll, engine_queue_dll_free);
    g_ptr_array_unref (engine->processes);
    g_clear_handle_id (&engine->arrivals_source, g_source_remove);
    g_clear_pointer (&engine->seen_sources, g_hash_table_unref);
    g_strfreev (engine->arrived_files);
    g_hash_table_unref (engine->by_tid);
    g_hash_table_unref (engine->early_stops);
    g_hash_table_unref (engine->children);
    g_hash_table_unref (engine->leavers);
    g_hash_table_unref (engine->script_children);
    g_ptr_array_unref (engine->retired);
    engine_work_free_deferred (engine, TRUE);
    g_array_unref (engine->works);
    g_ptr_array_unref (engine->queue);
    g_clear_pointer (&engine->other_symbols, g_hash_table_unref);
    index_client_free (engine->symbols);
    if (engine->answers_fd >= 0) {
        close (engine->answers_fd);
    }
    g_free ((char *) engine->options.symbols_socket);
    g_free ((char *) engine->options.queues_socket);
    g_free ((char *) engine->options.traps_file);
    g_free ((char *) engine->options.runner_path);
    g_free (engine->start_at);
    g_strfreev (engine->skips);
    engine_sampling_free (engine);
    g_free (engine);
}

int
engine_get_answers_fd (const Engine *engine)
{
    return engine->answers_fd;
}

guint
engine_get_n_ranks (const Engine *engine)
{
    return BASE_SUM (guint, i, engine->processes->len,
                     !((const EngineProcess *) g_ptr_array_index (engine->processes, i))
                          ->ended);
}

static EngineProcess *
take_process (Engine *engine, const EngineRankInfo *info, GError **error)
{
    EngineProcess *process;

    if (!stack_library_load (error)
        || (!info->launched && !target_process_check_tracers (info->pid, error))
        || !target_thread_seize (info->pid, info->launched, error)) {
        return NULL;
    }
    process = engine_process_new (engine, info);
    g_ptr_array_add (engine->processes, process);
    engine_process_add_thread (process, info->pid);
    engine_emit_ranks (process);
    if (!info->launched) {
        engine_exec_seize (process);
    }
    return process;
}

gboolean
engine_adopt (Engine *engine, const EngineRankInfo *info, guint32 *ret_slot, GError **error)
{
    EngineProcess *process = take_process (engine, info, error);

    if (process == NULL) {
        return FALSE;
    }
    if (ret_slot != NULL) {
        *ret_slot = process->slot;
    }
    if (!info->launched) {
        engine_work_do (process, NULL, engine_exec_attach);
    }
    engine_flush (engine);
    return TRUE;
}

static void
emit_refusal (Engine *engine, const EngineRankInfo *info, const GError *error)
{
    JobEvent *event = job_event_new_failure (0, NULL, error);

    event->number = (gint32) info->rank;
    engine_emit (engine, event);
}

void
engine_attach (Engine *engine, const EngineRankInfo *infos, guint n_infos)
{
    guint first = engine->processes->len;
    pid_t own = getpid (), parent = getppid ();

    engine->turn_end_us = engine_turn_get_end ();
    /* All are told to stop before the first is waited for. */
    for (guint i = 0; i < n_infos; i++) {
        g_autoptr (GError) error = NULL;

        if (infos[i].pid == own || infos[i].pid == parent) {
            base_error_set (&error, BASE_ERROR_DENIED,
                            "cannot attach to process %d: it is pddt's own",
                            (int) infos[i].pid);
            emit_refusal (engine, &infos[i], error);
        } else if (take_process (engine, &infos[i], &error) == NULL) {
            emit_refusal (engine, &infos[i], error);
        }
    }
    for (guint i = first; i < engine->processes->len; i++) {
        engine_work_do_soon (g_ptr_array_index (engine->processes, i), engine_exec_attach);
    }
    engine_flush (engine);
}

/* ---- the pump ---- */

static TargetWait
take_one (Engine *engine)
{
    TargetStop stop;
    TargetWait answer;

    engine_stops_drain (engine);
    answer = target_wait (-1, &stop);
    if (answer == TARGET_WAIT_STOP) {
        engine_stops_take (engine, &stop);
    }
    return answer;
}

gboolean
engine_pump (Engine *engine)
{
    gint64 now = g_get_monotonic_time (), end = now + PUMP_TIME_US, hot_until = 0;
    guint64 n_passed = engine->n_passed;
    gboolean is_more = TRUE;

    engine->turn_end_us = end;
    while (is_more && now < end) {
        TargetWait answer = take_one (engine);

        is_more = answer == TARGET_WAIT_STOP;
        now = g_get_monotonic_time ();
        if (engine->n_passed != n_passed) {
            /* A trap that does not hold is soon hit again: cheaper than a turn of the loop. */
            n_passed = engine->n_passed;
            hot_until = now + HOT_TIME_US;
        }
        if (answer == TARGET_WAIT_NONE && now < hot_until) {
            sched_yield ();
            is_more = TRUE;
        }
    }
    engine_stops_drain (engine);
    engine_fork_check (engine);
    engine_blocked_check (engine);
    engine_python_take_logs (engine);
    engine_python_wakes_check (engine);
    engine_sampling_check (engine);
    is_more |= engine_turn_check (engine, g_get_monotonic_time () + PUMP_TIME_US);
    engine_flush (engine);
    return is_more;
}

/* A held status of a process that runs is to be dealt with; that of a stopped one waits for the user,
 * and nobody may turn round and round for it meanwhile. */
static gboolean
has_due_status (Engine *engine)
{
    for (guint i = 0; engine->n_held > 0 && i < engine->processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (!process->ended && process->suspended.n == 0 && !process->held_at_exec
            && process->ongoing == NULL && !engine_process_is_stopped (process)
            && BASE_HAS (process->threads, const EngineThread, thread,
                         thread->held_stops->len > 0)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* -1: never. */
static int
choose_nearer (int a_ms, int b_ms)
{
    return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

int
engine_get_timeout_ms (Engine *engine)
{
    int nearest_ms = choose_nearer (engine_blocked_get_timeout_ms (engine),
                                    engine_python_get_timeout_ms (engine));

    nearest_ms = choose_nearer (nearest_ms, engine_fork_get_timeout_ms (engine));
    nearest_ms = choose_nearer (nearest_ms, engine_python_wakes_get_timeout_ms (engine));
    nearest_ms = choose_nearer (nearest_ms, engine_sampling_get_timeout_ms (engine));
    return has_due_status (engine)
               ? 0
               : choose_nearer (nearest_ms, engine_turn_get_timeout_ms (engine));
}

/* ---- requests ---- */

static void
refuse (EngineProcess *process, const JobRequest *request, BaseError code, const char *reason)
{
    g_autoptr (GError) error = NULL;

    /* Translators: the name of a command, and why it cannot be done. */
    base_error_set_because (&error, (int) code, "cannot %s: %s",
                            job_verb_get_name (request->verb), reason);
    engine_emit_failure (process, request->id, error);
}

static gboolean
is_started (const EngineProcess *process)
{
    return (process->exec_seen || engine_process_can_read (process)) && !process->held_at_exec;
}

static void
do_continue (EngineProcess *process, const JobRequest *request)
{
    if (!engine_process_is_stopped (process)) {
        engine_emit_accepted (process, request->id);
        return;
    }
    process->motion = request->id;
    process->motion_verb = request->verb;
    if (engine_python_has_agent (process)) {
        engine_python_prepare_motion (process, request);
    }
    engine_process_go_on (process, JOB_STATE_RUNNING);
    if (!process->ended) {
        engine_emit_state (process, request->id, TRUE, 0);
    }
}

/* Goes on with another signal than that of the stop. */
static void
do_signal (EngineProcess *process, const JobRequest *request)
{
    const char *name = request->text != NULL ? request->text : "";
    int number = strcmp (name, "0") == 0 ? 0 : engine_signal_find (name);
    guint64 typed = 0;
    JobRequest plain = *request;

    if (g_ascii_string_to_unsigned (name, 10, 1, 64, &typed, NULL)) {
        number = (int) typed;
    }
    if (!engine_process_is_stopped (process) || engine_process_get_selected (process) == NULL) {
        refuse (process, request, BASE_ERROR_BUSY, N_ ("the rank is running"));
    } else if (number == 0 && strcmp (name, "0") != 0) {
        g_autofree char *reason = g_strdup_printf ("no signal \"%s\"", name);

        refuse (process, request, BASE_ERROR_INVALID, reason);
    } else {
        if (engine_process_get_selected (process)->pending_signal != number) {
            engine_process_get_selected (process)->pending_info.si_signo
                = 0; /* of another one */
        }
        engine_process_get_selected (process)->pending_signal = number;
        plain.verb = JOB_VERB_CONTINUE;
        do_continue (process, &plain);
    }
}

static void
do_pause (EngineProcess *process, const JobRequest *request)
{
    engine_emit_accepted (process, request->id);
    if (!engine_process_is_stopped (process)) {
        process->motion = request->id;
        process->motion_verb = request->verb;
        engine_process_stop (process, engine_process_get_main (process), JOB_STATE_STOPPED, 0,
                             NULL, NULL, NULL);
        if (!process->ended) {
            engine_python_is_missing (process);
        }
    }
}

static void
do_step (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (GError) error = NULL;

    if (!engine_process_is_stopped (process)) {
        refuse (process, request, BASE_ERROR_BUSY, N_ ("the rank is running"));
        return;
    }
    process->motion = request->id;
    process->motion_verb = request->verb;
    process->motion_count = MAX (request->count, 1);
    if (request->verb == JOB_VERB_NEXT && request->flags & JOB_REQUEST_RELATIVE
        && engine_python_is_inner (process)) {
        base_error_set (&error, BASE_ERROR_UNSUPPORTED,
                        "in Python until needs WHERE: until LINE stops behind a loop");
        engine_emit_failure (process, request->id, error);
        return;
    }
    if (request->verb == JOB_VERB_RETURN) {
        engine_return (process, request);
        return;
    }
    if (request->verb == JOB_VERB_JUMP) {
        if (!engine_step_jump (process, request, &error)) {
            engine_emit_failure (process, request->id, error);
            return;
        }
        engine_process_go_on (process, JOB_STATE_RUNNING);
        engine_emit_state (process, request->id, TRUE, 0);
        return;
    }
    if (!engine_python_begin_until (process, request, &error)) {
        engine_emit_failure (process, request->id, error);
        return;
    }
    if (engine_python_prepare_motion (process, request)) {
        engine_process_go_on (process, JOB_STATE_STEPPING);
        engine_emit_state (process, request->id, TRUE, 0);
        return;
    }
    engine_step_begin (process, request);
}

static void
do_detach (EngineProcess *process, const JobRequest *request)
{
    process->motion = request->id;
    engine_emit_accepted (process, request->id);
    engine_process_detach (process);
}

/* An EngineWork. */
static void
handle_motion (EngineProcess *process, const JobRequest *request)
{
    if (request->id <= process->motion && request->id != 0) {
        return; /* said twice */
    }
    if (process->ended) {
        refuse (process, request, BASE_ERROR_GONE, N_ ("the rank has ended"));
        return;
    }
    switch (request->verb) {
    case JOB_VERB_KILL: engine_process_kill (process, request); return;
    case JOB_VERB_DETACH: do_detach (process, request); return;
    default: break;
    }
    if (!is_started (process)) {
        refuse (process, request, BASE_ERROR_BUSY, N_ ("the program has not begun"));
    } else if (request->verb == JOB_VERB_CONTINUE) {
        do_continue (process, request);
    } else if (request->verb == JOB_VERB_SIGNAL) {
        do_signal (process, request);
    } else if (request->verb == JOB_VERB_PAUSE) {
        do_pause (process, request);
    } else {
        do_step (process, request);
    }
}

static void
begin (EngineProcess *process, const JobRequest *request)
{
    engine_start_begin (process);
}

static void
handle_start (Engine *engine, const JobRequest *request)
{
    if (engine->start_known) {
        return;
    }
    engine->start_at = g_strdup (request->text != NULL ? request->text : "main");
    engine->start_request = request->id;
    engine->start_known = TRUE;
    if (request->flags & JOB_REQUEST_MEASURED) {
        engine->is_measured = TRUE;
        engine->is_unsampled = (request->flags & JOB_REQUEST_UNSAMPLED) != 0;
        engine->measured_rate = request->rate;
        engine->measured_metrics = (guint32) request->metrics;
        engine->catch_mpi_errors = FALSE;
        engine->follow = ENGINE_FOLLOW_BOTH;
    }
    for (guint i = 0; i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (engine->is_measured && !process->ended) {
            engine_trap_remove_all (process);
        }
        if (!process->ended && process->held_at_exec) {
            engine_work_do (process, request, begin);
        } else if (engine->is_measured && !process->ended && !process->launched) {
            engine_work_do (process, request, engine_exec_run_on);
        }
    }
}

static gboolean
set_option (Engine *engine, const char *name, const char *value)
{
    gboolean on = strcmp (value, "on") == 0 || strcmp (value, "true") == 0
                  || strcmp (value, "1") == 0;
    guint number = (guint) g_ascii_strtoull (value, NULL, 10);
    struct {
        const char *name;
        gboolean *flag;
        guint *number, *asked, most;
    } rows[] = {
        { "interpreter-frames", &engine->interpreter_frames, NULL, NULL, 0 },
        { "just-my-code", &engine->just_my_code, NULL, NULL, 0 },
        { "scheduler-locking", &engine->scheduler_locking, NULL, NULL, 0 },
        { "mpi-errors", &engine->catch_mpi_errors, NULL, NULL, 0 },
        { "hardware-watch", &engine->hardware_watch, NULL, NULL, 0 },
        { "limit-depth", NULL, &engine->limits.depth, &engine->asked.depth, ENGINE_MAX_DEPTH },
        { "limit-items", NULL, &engine->limits.items, &engine->asked.items, ENGINE_MAX_ITEMS },
        { "limit-repeats", NULL, &engine->limits.repeats, &engine->asked.repeats,
          ENGINE_MAX_BYTES },
        { "limit-bytes", NULL, &engine->limits.bytes, &engine->asked.bytes, ENGINE_MAX_BYTES },
        { "limit-time", NULL, &engine->limit_s, &engine->asked.seconds, MAX_SECONDS },
    };

    if (strcmp (name, JOB_OPTION_SKIP) == 0) {
        engine_skip_set (engine, value);
        return TRUE;
    }
    if (strcmp (name, "follow-fork") == 0) {
        engine->follow = strcmp (value, "child") == 0  ? ENGINE_FOLLOW_CHILD
                         : strcmp (value, "both") == 0 ? ENGINE_FOLLOW_BOTH
                                                       : ENGINE_FOLLOW_PARENT;
        return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (strcmp (name, rows[i].name) != 0) {
            continue;
        }
        if (rows[i].flag != NULL) {
            *rows[i].flag = on;
            if (rows[i].flag == &engine->hardware_watch) {
                engine_watch_rearrange (engine);
            }
        } else {
            *rows[i].number = *rows[i].asked = number > 0 ? MIN (number, rows[i].most)
                                                          : rows[i].most;
        }
        return TRUE;
    }
    return FALSE;
}

static void
handle_option (Engine *engine, const JobRequest *request)
{
    JobEvent *event = job_event_new (JOB_EVENT_ACCEPTED, request->id, request->ranks);

    if (request->text != NULL && request->text2 != NULL) {
        set_option (engine, request->text, request->text2);
    }
    event->final = TRUE;
    engine_emit (engine, event);
}

void
engine_take_request (Engine *engine, const JobRequest *request)
{
    switch (request->verb) {
    case JOB_VERB_START: handle_start (engine, request); break;
    case JOB_VERB_BREAK:
    case JOB_VERB_CATCH:
    case JOB_VERB_WATCH:
    case JOB_VERB_CONDITION:
    case JOB_VERB_DELETE:
    case JOB_VERB_ENABLE:
    case JOB_VERB_DISABLE: engine_breakpoint_handle (engine, request); break;
    case JOB_VERB_HANDLE:
    case JOB_VERB_SIGNALS: engine_signal_handle (engine, request); break;
    case JOB_VERB_NAMES: engine_names_handle (engine, request); break;
    case JOB_VERB_OPTION: handle_option (engine, request); break;
    case JOB_VERB_INPUT: engine_input_handle (engine, request); break;
    case JOB_VERB_PROFILE: engine_sampling_handle (engine, request); break;
    case JOB_VERB_QUEUE: engine_work_do_all (engine, request, engine_queue_answer); break;
    case JOB_VERB_CANCEL:
        engine_sampling_cancel (engine, request);
        engine_turn_cancel (engine, request);
        break;
    default:
        if (job_verb_is_motion (request->verb)) {
            engine_work_do_all (engine, request, handle_motion);
        } else {
            engine_inspect_handle (engine, request);
        }
        break;
    }
    engine_stops_drain (engine);
}

void
engine_handle (Engine *engine, const JobRequest *request)
{
    g_autoptr (JobRequest) live = engine->n_cores > 0 ? engine_core_filter (engine, request)
                                                      : NULL;
    g_autoptr (JobRequest) rest = NULL;

    request = live != NULL ? live : request;
    engine->turn_end_us = engine_turn_get_end ();
    if (engine->n_busy == 0) {
        engine_take_request (engine, request);
    } else if ((rest = engine_turn_filter (engine, request)) != NULL) {
        engine_take_request (engine, rest);
    }
    engine_flush (engine);
}
