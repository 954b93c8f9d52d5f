/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/sampling/captures-private.h"
#include "engine/sampling/host-private.h"
#include "engine/sampling/private.h"
#include "engine/sampling/state-private.h"
#include "engine/sampling/sums-private.h"
#include "machine/call.h"
#include <string.h>
#include <unistd.h>

#define MAX_RATE 1000u
#define USUAL_RATE 100u /* of a measured rank, unless the user has another one */
#define CROWD_RATE 50u  /* the same, of one among more than so many on this host: */
#define MANY_RANKS 16u
#define TELL_US 500000 /* what has been sampled is told so often */
#define METRICS_US 100000
#define MOST_ASKED                                                                             \
    64u /* threads of a rank that is not sampled, how long they wait for a processor */
#define SLICE_US 5000 /* of a turn, for all ranks: the link and the others have theirs */
/* Waited for a thread to stop. One that needs longer, since it has no processor, is sampled then, and is not waited for again
 * before it is quicker. */
#define STOP_US 300
#define QUICK_US 1000
#define LEAST_TURNS 4 /* of a thread that gives up its processor in less than: */
#define SHORT_TURN_NS 200000u
#define GUEST_US 10000
#define FINISH_US (2 * G_USEC_PER_SEC) /* for the names of what a rank that has ended did */
#define MAX_TRIES 3                    /* at a thread that wakes up while it is read */

BASE_FREE (free_known, SampledThread, known, engine_task_file_close (&known->schedule_file);
           engine_task_file_close (&known->call_file);
           engine_thread_counters_close (&known->counters))

/* ---- one sample ---- */

/* It is not stopped: where it waits tells everything, unless it wakes up meanwhile. The sample's time is one at which it has
 * waited there for certain. */
static gboolean
sample_blocked (EngineThread *thread, EngineSampling *sampling, const EngineSystemCall *call,
                const char *schedule, SampledThread *known, JobSample *sample)
{
    EngineProcess *process = thread->process;
    PythonRuntime *runtime = engine_runtime_find (process);
    MachineRegisters registers;
    char after[64];

    sample->time_us = g_get_monotonic_time ();
    engine_system_call_fill_registers (call, &registers);
    engine_sampling_note_stack (process, sampling, engine_modules_get_present (process), call,
                                TRUE, &registers, engine_process_get_memory (process), runtime,
                                engine_sampling_read_python (thread, runtime, &known->python),
                                sample);
    known->waiting = sample->context;
    engine_sampling_note_holder_now (process, sampling, known, sample);
    engine_sampling_read_schedule (process, thread->tid, &known->schedule_file, after,
                                   sizeof after);
    return schedule[0] != '\0' && strcmp (schedule, after) == 0;
}

/* In the loader's function that does nothing but report a library the program is only as long as pddt's trap there holds
 * it: that is none of its time. */
static gboolean
is_own_stop (const EngineProcess *process, guint64 pc)
{
    return engine_modules_is_loader_trap (process, pc)
           || engine_modules_is_loader_trap (process, pc - 1);
}

/* It is held since then: that counts for nobody, as if sampled; more than a sample's time before it was not sampled. */
static void
skip_time (EngineThread *thread, EngineSampling *sampling, SampledThread *known,
           gint64 since_us)
{
    if (since_us - known->last_us > SAMPLED_MOST_US) {
        engine_sampling_add_rest (thread, sampling, known, since_us);
    }
    if (engine_sampling_has_capture (sampling, thread->tid)) {
        known->held_us = g_get_monotonic_time (); /* what was before is still to come */
    } else {
        known->last_us = g_get_monotonic_time ();
    }
    sampling->since_us = thread->number == 1 ? 0 : sampling->since_us;
}

/* The thread stands, and runs on. Nothing but that may wait here. */
static void
capture_thread (EngineThread *thread, EngineSampling *sampling, SampledThread *known)
{
    if (engine_thread_load_registers (thread)) {
        if (is_own_stop (thread->process, machine_registers_get_pc (&thread->registers))) {
            skip_time (thread, sampling, known, g_get_monotonic_time ());
        } else {
            engine_sampling_capture (thread, sampling, known);
        }
    }
    engine_thread_undo_interruption (thread);
    engine_thread_resume (thread);
    engine_sampling_end_capture (thread, sampling);
}

typedef enum {
    SAMPLE_TAKEN,
    SAMPLE_REPEATED, /* the thread has slept since the one before */
    SAMPLE_CAPTURED,
    SAMPLE_NONE
} SampleResult;

/* One that has no processor for most of the time is looked at again when it has run for most of a period, or for a sixteenth of
 * what it had run before: more often would tell little, and take the others their processors. */
static gboolean
has_hardly_run (const SampledThread *known, gint64 period_us)
{
    guint64 least_ns = MIN ((guint64) period_us * 750, known->asked_ran_ns / 16);

    return (known->is_late || known->is_crowded) && known->last_us != 0
           && !known->last.is_blocked && known->queued.ran_ns - known->asked_ran_ns < least_ns;
}

/* It gives up the processor turn after turn, as MPI does while it waits where there are more ranks than processors: how
 * long it has run does not tell whether it has moved on. Two of the turns may be those of the stop it was asked for. */
static gboolean
gives_way (const SampledThread *known)
{
    guint64 n_turns = known->queued.n_turns - known->asked_turns;

    return n_turns >= LEAST_TURNS
           && known->queued.ran_ns - known->asked_ran_ns < n_turns * SHORT_TURN_NS;
}

/* It runs, or would if it had a processor. */
static SampleResult
ask_thread (EngineThread *thread, EngineSampling *sampling, SampledThread *known)
{
    gint64 now = g_get_monotonic_time ();
    guint64 queued_ns = engine_sampling_queued_get_ns (&known->queued);

    known->is_crowded = known->asked_us != 0
                        && (gint64) (queued_ns - known->asked_queued_ns)
                               > (now - known->asked_us) * 1000 / 2;
    known->asked_queued_ns = queued_ns;
    known->asked_ran_ns = known->queued.ran_ns;
    known->asked_turns = known->queued.n_turns;
    known->is_awaited = TRUE;
    known->asked_us = now;
    engine_modules_get_present (thread->process); /* or they are read when it has run on */
    if (!engine_thread_pause (thread, known->is_late ? 0 : STOP_US)) {
        known->is_late |= known->is_awaited;
        return known->is_awaited ? SAMPLE_CAPTURED : SAMPLE_NONE;
    }
    known->is_awaited = known->is_late = FALSE;
    capture_thread (thread, sampling, known);
    return SAMPLE_CAPTURED;
}

static SampleResult
take_sample (EngineThread *thread, EngineSampling *sampling, SampledThread *known,
             JobSample *sample)
{
    EngineSystemCall call;
    char schedule[64];

    for (guint i = 0; i < MAX_TRIES && !sampling->is_over && !engine_thread_is_gone (thread);
         i++) {
        if (engine_sampling_has_capture (sampling, thread->tid)) {
            return SAMPLE_CAPTURED; /* while the try before waited for an index */
        }
        engine_sampling_read_schedule (thread->process, thread->tid, &known->schedule_file,
                                       schedule, sizeof schedule);
        sampling->knows_queued |= engine_sampling_queued_note (&known->queued, schedule);
        if (known->last_us != 0 && known->last.is_blocked && schedule[0] != '\0'
            && strcmp (schedule, known->schedule) == 0) {
            *sample = known->last;
            sample->context = known->waiting;
            engine_sampling_note_holder_now (thread->process, sampling, known, sample);
            return SAMPLE_REPEATED;
        }
        known->schedule[0] = '\0';
        if (!engine_system_call_read_again (thread->process, thread->tid, &known->call_file,
                                            &call)) {
            if (has_hardly_run (known, sampling->period_us) && !gives_way (known)) {
                *sample = known->last; /* a wait that may come next has none of that time */
                return SAMPLE_REPEATED;
            }
            return thread->in_vfork ? SAMPLE_NONE : ask_thread (thread, sampling, known);
        }
        if (call.number < 0 && is_own_stop (thread->process, call.pc)) {
            skip_time (thread, sampling, known, g_get_monotonic_time ());
            return SAMPLE_CAPTURED;
        }
        if (sample_blocked (thread, sampling, &call, schedule, known, sample)) {
            g_strlcpy (known->schedule, schedule, sizeof known->schedule);
            return SAMPLE_TAKEN;
        }
    }
    return SAMPLE_NONE;
}

static gboolean
is_running (const EngineProcess *process)
{
    return !process->ended && process->exec_seen && !process->held_at_exec
           && process->suspended.n == 0 && engine_process_get_modules (process) != NULL
           && process->state == JOB_STATE_RUNNING && !engine_process_is_stopped (process);
}

/* In the middle of vfork it waits for its child, which runs in its memory, and cannot stop. One that the rank's work waits for
 * makes a system call of ours, or goes over a trap: whoever stopped it there and let it go would leave it there. */
static gboolean
is_to_look_at (const EngineProcess *process, const EngineThread *thread)
{
    return thread != NULL && thread->process == process
           && thread->state == ENGINE_THREAD_RUNNING && !thread->exiting
           && !thread->shares_memory
           && (process->ongoing == NULL || !engine_ongoing_is_for (process->ongoing, thread));
}

static SampledThread *
get_known (EngineSampling *sampling, const EngineThread *thread)
{
    return engine_sampling_find_known (sampling, thread->process, thread->tid, thread->number,
                                       engine_sampling_get_begin (sampling, thread));
}

/* A thread that waits for a processor stops when it has one: where it is then, it is now. */
static void
sample_thread (EngineThread *thread, EngineSampling *sampling)
{
    SampledThread *known = get_known (sampling, thread);
    gint64 now = g_get_monotonic_time ();
    JobSample sample = { 0 };
    JobCounts counts = { { 0 } };
    SampleResult result;

    if (thread->interrupt_pending || engine_sampling_has_capture (sampling, thread->tid)) {
        return; /* which comes first */
    }
    known->is_awaited = FALSE;
    result = take_sample (thread, sampling, known, &sample);
    if (result == SAMPLE_NONE) {
        sampling->n_dropped++;
    } else if (result != SAMPLE_CAPTURED && !sampling->is_over) {
        if (result == SAMPLE_TAKEN) { /* else it has hardly run, if at all */
            counts = engine_thread_counters_take (&known->counters);
        }
        engine_sampling_add (sampling, thread->number, known, &sample, &counts,
                             result == SAMPLE_TAKEN ? sample.time_us : now,
                             result == SAMPLE_REPEATED);
    }
}

/* Copies where it is, for later. */
static void
copy_thread (EngineThread *thread, EngineSampling *sampling)
{
    SampledThread *known = get_known (sampling, thread);
    EngineSystemCall call;
    char schedule[64];

    if (thread->interrupt_pending) {
        return;
    }
    engine_sampling_read_schedule (thread->process, thread->tid, &known->schedule_file,
                                   schedule, sizeof schedule);
    sampling->knows_queued |= engine_sampling_queued_note (&known->queued, schedule);
    known->is_awaited = FALSE;
    if (engine_system_call_read_again (thread->process, thread->tid, &known->call_file,
                                       &call)) {
        if (call.number < 0 && is_own_stop (thread->process, call.pc)) {
            skip_time (thread, sampling, known, g_get_monotonic_time ());
        } else if (!engine_sampling_capture_wait (thread, sampling, known, &call, schedule)) {
            sampling->n_dropped++;
        }
    } else if (!thread->in_vfork
               && (!has_hardly_run (known, sampling->period_us) || gives_way (known))) {
        ask_thread (thread, sampling, known);
    }
}

static GArray *
list_tids (const EngineProcess *process)
{
    GArray *tids = g_array_new (FALSE, FALSE, sizeof (pid_t));

    BASE_EACH (process->threads, const EngineThread, thread) {
        g_array_append_val (tids, thread->tid);
    }
    return tids;
}

/* What has been copied waits for an index, which may take long. Its threads go on meanwhile, and are looked at all the same. */
static void
look_meanwhile (EngineProcess *process, EngineSampling *sampling)
{
    g_autoptr (GArray) tids = engine_sampling_begin_look (sampling) ? list_tids (process)
                                                                    : NULL;

    for (guint i = 0;
         tids != NULL && i < tids->len && !sampling->is_over && is_running (process); i++) {
        EngineThread *thread
            = g_hash_table_lookup (process->engine->by_tid,
                                   GINT_TO_POINTER (g_array_index (tids, pid_t, i)));

        if (!is_to_look_at (process, thread)) {
            continue;
        }
        if (engine_sampling_has_room (sampling)) {
            copy_thread (thread, sampling);
        } else {
            sampling->n_dropped++;
        }
    }
}

static void
free_sampling (EngineSampling *sampling)
{
    engine_sampling_free_counts (sampling);
    for (guint i = 0; i < ENGINE_SAMPLING_N_FILES; i++) {
        engine_task_file_close (&sampling->files[i]);
    }
    job_context_tree_free (sampling->tree);
    g_array_unref (sampling->samples);
    g_array_unref (sampling->metrics);
    g_array_unref (sampling->fresh);
    g_array_unref (sampling->tids);
    g_ptr_array_unref (sampling->captures);
    g_hash_table_unref (sampling->threads);
    g_free (sampling->holder.text);
    g_free (sampling);
}

gboolean
engine_sampling_awaits (const EngineThread *thread)
{
    const EngineProcess *process = thread->process;
    const EngineSampling *sampling = process->sampling;
    const SampledThread *known = sampling != NULL
                                     ? g_hash_table_lookup (sampling->threads,
                                                            GINT_TO_POINTER (thread->tid))
                                     : NULL;

    return known != NULL && known->is_awaited && is_running (process)
           && (process->ongoing == NULL || sampling->is_busy);
}

gboolean
engine_sampling_is_busy (const EngineProcess *process)
{
    return process->sampling != NULL && process->sampling->is_busy;
}

void
engine_sampling_take_stop (EngineThread *thread)
{
    EngineSampling *sampling = thread->process->sampling;
    SampledThread *known = g_hash_table_lookup (sampling->threads,
                                                GINT_TO_POINTER (thread->tid));

    known->is_awaited = FALSE;
    known->is_late = g_get_monotonic_time () - known->asked_us > QUICK_US;
    capture_thread (thread, sampling, known);
}

static gboolean
was_not_seen (gpointer key, gpointer value, gpointer user)
{
    const SampledThread *known = value;
    EngineSampling *sampling = user;
    gboolean is_gone = known->round != sampling->round;

    if (is_gone) {
        sampling->queued_ns += engine_sampling_queued_get_ns (&known->queued);
        engine_sampling_add_switches (&sampling->ended, &known->switches);
    }
    sampling->n_dropped += is_gone && known->is_awaited; /* it ended instead of stopping */
    return is_gone;
}

static void
begin_round (EngineProcess *process)
{
    EngineSampling *sampling = process->sampling;

    g_array_unref (sampling->tids);
    sampling->tids = list_tids (process);
    sampling->n_tids = 0;
    sampling->round++;
    sampling->is_unfinished = TRUE;
}

/* An EngineWork: a stop, or an index that is not there yet, may take its time. What is left of the round when the
 * turn's time is over is for another turn. */
static void
sample_process (EngineProcess *process, const JobRequest *request)
{
    EngineSampling *sampling = process->sampling;
    guint n_done = 0;

    sampling->is_busy = TRUE;
    engine_modules_tell_present (process);
    engine_sampling_name_captures (process, sampling,
                                   &n_done); /* those of threads that have stopped since */
    while (sampling->n_tids < sampling->tids->len && !sampling->is_over && is_running (process)
           && engine_sampling_has_time (process, n_done)) {
        pid_t tid = g_array_index (sampling->tids, pid_t, sampling->n_tids++);
        EngineThread *thread = g_hash_table_lookup (process->engine->by_tid,
                                                    GINT_TO_POINTER (tid));

        n_done++;
        if (is_to_look_at (process, thread)) {
            sample_thread (thread, sampling);
        }
    }
    engine_sampling_name_captures (process, sampling, &n_done);
    if (!sampling->is_over) {
        engine_modules_tell_present (process);
    }
    sampling->is_busy = FALSE;
    sampling->is_unfinished = sampling->n_tids < sampling->tids->len
                              || sampling->captures->len > 0;
    if (sampling->is_over) {
        free_sampling (sampling);
    } else if (!sampling->is_unfinished) {
        g_hash_table_foreach_remove (sampling->threads, was_not_seen, sampling);
    }
}

/* An EngineWork. */
static void
name_rest (EngineProcess *process, const JobRequest *request)
{
    EngineSampling *sampling = process->sampling;
    guint n_done = 0;

    sampling->is_busy = TRUE;
    engine_sampling_name_captures (process, sampling, &n_done);
    sampling->is_busy = FALSE;
    if (sampling->is_over) {
        free_sampling (sampling);
    }
}

void
engine_sampling_finish (EngineProcess *process)
{
    EngineSampling *sampling = process->sampling;
    Engine *engine = process->engine;

    if (sampling == NULL || (sampling->captures->len == 0 && !sampling->is_busy)) {
        return;
    }
    engine->sampling_end_us
        = G_MAXINT64; /* whatever is left to be named is, until the next turn */
    if (process->ongoing == NULL && !sampling->is_busy) {
        engine_work_do (process, NULL, name_rest);
    }
    if (process->ongoing != NULL && sampling->is_busy && engine->n_sampled == 1) {
        engine_ongoing_finish (process->ongoing, g_get_monotonic_time () + FINISH_US);
    }
}

void
engine_sampling_free (Engine *engine)
{
    g_clear_pointer (&engine->sampling_host, engine_sampling_host_free);
    engine_sampling_sums_clear (engine);
}

/* A host that is measured keeps its counters from its first rank to its last. */
static void
forget_process (EngineProcess *process)
{
    Engine *engine = process->engine;

    engine->n_sampled--;
    engine_sampling_host_forget (engine->sampling_host, process);
    if (engine->n_sampled == 0 && !engine->is_measured) {
        engine_sampling_free (engine);
    }
}

void
engine_sampling_end (EngineProcess *process)
{
    EngineSampling *sampling = process->sampling;

    if (sampling == NULL) {
        return;
    }
    engine_sampling_tell (process, TRUE);
    process->sampling = NULL;
    forget_process (process);
    sampling->is_over = TRUE;
    if (!sampling->is_busy) {
        free_sampling (sampling);
    }
}

/* ---- requests and time ---- */

static gint64
get_period_us (guint rate)
{
    return G_USEC_PER_SEC / CLAMP (rate, 1, MAX_RATE);
}

EngineSampling *
engine_sampling_begin (EngineProcess *process, guint64 request, guint rate)
{
    EngineSampling *sampling = g_new0 (EngineSampling, 1);
    gint64 now = g_get_monotonic_time ();

    sampling->request = request;
    sampling->period_us = get_period_us (rate);
    sampling->due_us = sampling->begun_us = now;
    sampling->tell_us = now + TELL_US;
    sampling->tree = job_context_tree_new ();
    sampling->samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    sampling->metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    sampling->fresh = g_array_new (FALSE, FALSE, sizeof (JobSampleThread));
    sampling->tids = g_array_new (FALSE, FALSE, sizeof (pid_t));
    sampling->captures = engine_sampling_captures_new ();
    sampling->stride = 1;
    sampling->threads = g_hash_table_new_full (NULL, NULL, NULL, free_known);
    process->sampling = sampling;
    process->engine->n_sampled++;
    if (process->engine->sampling_host == NULL) {
        process->engine->sampling_host = engine_sampling_host_open (process->engine);
    }
    return sampling;
}

/* Of a rank whose threads are not sampled: how long they have waited for a processor. */
static void
note_queued (EngineProcess *process, EngineSampling *sampling)
{
    sampling->round++;
    for (guint i = 0; i < MIN (process->threads->len, MOST_ASKED); i++) {
        const EngineThread *thread = g_ptr_array_index (process->threads, i);
        SampledThread *known = g_hash_table_lookup (sampling->threads,
                                                    GINT_TO_POINTER (thread->tid));
        char schedule[64];

        if (known == NULL) {
            known = g_new0 (SampledThread, 1);
            g_hash_table_insert (sampling->threads, GINT_TO_POINTER (thread->tid), known);
        }
        known->round = sampling->round;
        engine_sampling_read_schedule (process, thread->tid, &known->schedule_file, schedule,
                                       sizeof schedule);
        sampling->knows_queued |= engine_sampling_queued_note (&known->queued, schedule);
    }
    g_hash_table_foreach_remove (sampling->threads, was_not_seen, sampling);
}

static void
take_metrics (EngineProcess *process, gint64 now)
{
    EngineSampling *sampling = process->sampling;

    if (now >= sampling->metrics_us && sampling->own == NULL && is_running (process)) {
        sampling->metrics_us = now + MAX (METRICS_US, sampling->period_us);
        if (sampling->has_no_stacks) {
            note_queued (process, sampling);
        }
        engine_sampling_add_metrics (process, now, engine_sampling_sum_queued_us (sampling),
                                     sampling->counters, sampling->metrics);
    }
}

/* Of a measured job every rank, as soon as it runs, is sampled until it ends; of a rank that records by itself only metrics
 * are taken. */
static void
begin_measured (EngineProcess *process)
{
    const Engine *engine = process->engine;

    if (!process->was_measured && is_running (process)) {
        guint rate = engine->is_unsampled         ? G_USEC_PER_SEC / METRICS_US
                     : engine->measured_rate != 0 ? engine->measured_rate
                                                  : USUAL_RATE;
        EngineSampling *sampling = engine_sampling_begin (process, engine->start_request, rate);

        sampling->has_no_stacks = engine->is_unsampled;
        sampling->is_adapted = engine->measured_rate == 0 && !engine->is_unsampled;
        sampling->since_us = sampling->begun_us = process->running_us;
        /* at any time of its first period: what it does at once would be all that is seen of a short one */
        sampling->due_us += g_random_int_range (0, (gint32) sampling->period_us);
        engine_sampling_begin_counters (process);
        process->was_measured = TRUE;
    }
}

/* Its memory is still there, with all that its counters have come to. */
void
engine_sampling_note_exit (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    EngineSampling *sampling;

    if (process->engine->is_measured && process->sampling == NULL
        && thread->tid == process->pid) {
        begin_measured (process); /* it ends sooner than that could be done */
    }
    sampling = process->sampling;
    if (sampling != NULL && !sampling->has_no_stacks) {
        engine_sampling_end_thread (thread, sampling);
    }
    if (sampling != NULL) {
        engine_sampling_note_switches (thread);
    }
    if (sampling != NULL && sampling->has_no_stacks && thread->tid == process->pid) {
        note_queued (process, sampling);
    }
    if (sampling != NULL && thread->tid == process->pid) {
        engine_sampling_add_metrics (process, g_get_monotonic_time (),
                                     engine_sampling_sum_queued_us (sampling),
                                     sampling->counters, sampling->metrics);
    }
}

static gboolean
can_be_sampled (const EngineProcess *process)
{
    return process->ongoing == NULL && is_running (process);
}

/* Ticks that have passed while the loop was busy elsewhere, for each thread. */
static void
count_late (EngineProcess *process, gint64 now)
{
    EngineSampling *sampling = process->sampling;
    gint64 n_ticks = (now - sampling->due_us) / sampling->period_us;

    if (n_ticks > 0 && !sampling->has_no_stacks && is_running (process)) {
        sampling->n_dropped += (guint64) n_ticks * MAX (process->threads->len, 1);
    }
}

/* A thread that pddt holds while the rank runs, for a library that it loads: that time is none of the program's. */
static void
skip_held (EngineProcess *process, EngineSampling *sampling)
{
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        SampledThread *known = g_hash_table_lookup (sampling->threads,
                                                    GINT_TO_POINTER (thread->tid));

        if (thread->state == ENGINE_THREAD_STOPPED && known != NULL && known->last_us != 0) {
            skip_time (thread, sampling, known, thread->stopped_us);
        }
    }
}

/* An EngineWork, of a rank that is not sampled: its recorder of MPI calls may have been loaded. */
static void
refresh_modules (EngineProcess *process, const JobRequest *request)
{
    if (is_running (process)) {
        engine_modules_refresh_stale (process);
    }
}

/* Ticks that come too late are left out: the samples that follow count for their time. They come at
 * random around their period, because a program may have the same one. is_early: another rank's has come, and
 * what is due soon is taken with it: to wake up for each of many ranks costs more than their samples. */
static void
take_turn (EngineProcess *process, gint64 now, gboolean is_early)
{
    EngineSampling *sampling = process->sampling;

    if (now + (is_early ? sampling->period_us / 2 : 0) >= sampling->due_us) {
        count_late (process, now);
        sampling->due_us = MAX (sampling->due_us, now - sampling->period_us)
                           + sampling->period_us / 2
                           + g_random_int_range (0, (gint32) sampling->period_us);
        take_metrics (process, now);
        skip_held (process, sampling);
        if (sampling->has_no_stacks) {
            engine_work_do (process, NULL, refresh_modules);
        } else if (process->ongoing != NULL && sampling->is_busy && is_running (process)) {
            look_meanwhile (process, sampling);
        } else if (can_be_sampled (process) && !sampling->is_unfinished) {
            begin_round (process);
        }
    }
    if (can_be_sampled (process) && sampling->is_unfinished) {
        engine_work_do (process, NULL, sample_process);
    }
    sampling = process->sampling;
    if (sampling == NULL || process->ongoing != NULL) {
        return; /* it has ended, or is in the middle of its samples */
    }
    if (sampling->end_us != 0 && now >= sampling->end_us) {
        engine_sampling_end (process);
    } else if (now >= sampling->tell_us && !sampling->is_unfinished) {
        sampling->tell_us = now + TELL_US;
        engine_sampling_tell (process, FALSE);
    }
}

/* Many ranks of one host would need a processor for themselves. */
static void
adapt_period (EngineProcess *process)
{
    if (process->sampling->is_adapted && process->engine->n_sampled > MANY_RANKS) {
        process->sampling->period_us *= USUAL_RATE / CROWD_RATE;
        process->sampling->is_adapted = FALSE;
    }
}

/* A child of vfork that executes nothing for a period runs its parent's program: nothing is planted there. */
static void
open_guest (EngineProcess *process, gint64 now)
{
    if (process->guest != NULL && !process->exec_seen && !process->ended
        && process->ongoing == NULL && process->suspended.n == 0
        && process->state == JOB_STATE_RUNNING && now - process->running_us > GUEST_US) {
        engine_work_do (process, NULL, engine_exec_open_guest);
    }
}

static gint64
find_nearest (const Engine *engine)
{
    gint64 nearest = G_MAXINT64;

    for (guint i = 0; engine->n_sampled > 0 && i < engine->processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (process->sampling != NULL) {
            nearest = MIN (nearest, process->sampling->due_us);
        }
    }
    return nearest;
}

void
engine_sampling_check (Engine *engine)
{
    gboolean is_early = find_nearest (engine) <= g_get_monotonic_time ();
    gboolean is_due = engine->n_sampled > 0 || engine->is_measured;
    guint first = engine->sampling_next, n = engine->processes->len;

    engine->sampling_end_us = g_get_monotonic_time () + SLICE_US;
    for (guint i = 0; is_due && i < n; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, (first + i) % n);

        if (!engine_sampling_has_time (process, i)) {
            engine->sampling_next = (first + i) % n;
            return; /* the others come first in the next turn */
        }
        if (engine->is_measured && process->sampling == NULL) {
            open_guest (process, g_get_monotonic_time ());
            begin_measured (process);
        }
        if (process->sampling != NULL) {
            adapt_period (process);
            take_turn (process, g_get_monotonic_time (), is_early);
        }
    }
}

int
engine_sampling_get_timeout_ms (const Engine *engine)
{
    gint64 now = g_get_monotonic_time (), nearest = find_nearest (engine);

    for (guint i = 0; engine->n_sampled > 0 && i < engine->processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (process->sampling != NULL && process->sampling->is_unfinished
            && can_be_sampled (process)) {
            return 0;
        }
    }
    return nearest == G_MAXINT64 ? -1 : (int) MAX ((nearest - now + 999) / 1000, 0);
}
