/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was copied of threads that stood for a moment, or wait, and what is made of it while they run on. */
#include "engine/sampling/captures-private.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/sampling/snapshot-private.h"
#include <string.h>

#define MOST_CAPTURES 100u /* that wait for an index, of one rank; if there are more, */
#define MOST_STRIDE 64u    /* only each so many-th look is kept, at least */

/* A thread that stood, copied, so that it can run on before anything else is done. */
typedef struct {
    pid_t tid;
    guint32 number; /* of the thread, which may have ended when it is named */
    gint64 time_us;
    gint64 held_us; /* until then it was held, some time before */
    guint64 stop;   /* the rank's stops before that */
    MachineRegisters registers;
    PythonRuntime *runtime;
    GPtrArray *python; /* its frames; NULL: none */
    guint64 holder;    /* who had Python's lock then */
    guint look;        /* at which it was copied */
    JobCounts counts;  /* since its sample before */
    gboolean is_wait;
    EngineSystemCall call; /* of a wait, */
    char schedule[64];     /* its schedstat then, */
    gint64 until_us;       /* and how long it has lasted at least; */
    gint64 awake_us; /* behind it, so long, to awake_until_us, it was awake and nobody looked */
    gint64 awake_until_us;
    StackModules *modules; /* that were loaded then; a reference */
    EngineSamplingSnapshot snapshot;
} Capture;

BASE_FREE (free_capture, Capture, capture,
           g_clear_pointer (&capture->python, g_ptr_array_unref);
           stack_modules_free (capture->modules);
           engine_sampling_snapshot_clear (&capture->snapshot))

GPtrArray *
engine_sampling_captures_new (void)
{
    return g_ptr_array_new_with_free_func (free_capture);
}

/* ---- names ---- */

static Stack *
make_stack (StackModules *modules, gboolean is_blocked, const MachineRegisters *registers,
            BaseMemoryReader *memory, PythonRuntime *runtime, GPtrArray *python)
{
    GPtrArray *frames = python != NULL ? g_ptr_array_ref (python) : NULL;

    return is_blocked ? stack_make_waiting (modules, memory, registers, runtime, frames)
                      : stack_make (modules, memory, registers, runtime, frames, 0);
}

static gboolean
is_unknown (StackModules *modules, const Stack *stack)
{
    return BASE_ANY (i, stack->n_native,
                     stack_modules_find (modules, stack->native[i].pc) == NULL);
}

void
engine_sampling_note_stack (EngineProcess *process, EngineSampling *sampling,
                            StackModules *modules, const EngineSystemCall *call,
                            gboolean is_blocked, const MachineRegisters *registers,
                            BaseMemoryReader *memory, PythonRuntime *runtime, GPtrArray *python,
                            JobSample *sample)
{
    g_autoptr (GPtrArray) frames = python;
    g_autoptr (Stack) stack = make_stack (modules, is_blocked, registers, memory, runtime,
                                          frames);

    if (modules == engine_process_get_modules (process) && is_unknown (modules, stack)
        && engine_modules_look_again (process)) {
        g_clear_pointer (&stack, stack_free);
        modules = engine_process_get_modules (process);
        stack = make_stack (modules, is_blocked, registers, memory, runtime, frames);
    }
    sample->is_blocked = is_blocked && call->number >= 0;
    sample->class = (guint8) engine_sampling_classify (process, modules, call, is_blocked,
                                                       stack);
    if (!sampling->is_over) {
        sample->context = engine_sampling_add_stack (process, modules, sampling->tree, stack);
    }
}

/* The list of a thousand threads is not read for each of them: only for one that it does not know as it was. */
GPtrArray *
engine_sampling_read_python (EngineThread *thread, PythonRuntime *runtime, PythonThread *known)
{
    if (runtime == NULL) {
        return NULL;
    }
    python_runtime_invalidate (runtime);
    if (!python_runtime_has_thread (runtime, known)) {
        g_autoptr (GArray) threads = python_runtime_read_threads (runtime, NULL);
        const PythonThread *found = threads != NULL
                                        ? engine_inspect_find_python_thread (threads, thread)
                                        : NULL;

        *known = found != NULL ? *found : (PythonThread){ 0 };
    }
    return known->state != 0 ? python_runtime_read_frames (runtime, known, NULL) : NULL;
}

/* ---- copies ---- */

/* The last one of the thread; NULL: none that is not named yet. */
static Capture *
find_last (const EngineSampling *sampling, pid_t tid)
{
    for (guint i = sampling->captures->len; i > 0; i--) {
        Capture *capture = g_ptr_array_index (sampling->captures, i - 1);

        if (capture->tid == tid) {
            return capture;
        }
    }
    return NULL;
}

gboolean
engine_sampling_has_capture (const EngineSampling *sampling, pid_t tid)
{
    return find_last (sampling, tid) != NULL;
}

gint64
engine_sampling_get_captured_wait (const EngineSampling *sampling, pid_t tid)
{
    const Capture *last = find_last (sampling, tid);

    return last != NULL && last->is_wait ? last->until_us : 0;
}

gboolean
engine_sampling_prolong_capture (EngineSampling *sampling, pid_t tid, gint64 until_us,
                                 gint64 awake_us, const JobCounts *counts)
{
    Capture *last = find_last (sampling, tid);

    if (last == NULL) {
        return FALSE;
    }
    if (last->is_wait) {
        last->awake_us += awake_us;
        last->until_us = MAX (last->until_us, until_us - last->awake_us);
        last->awake_until_us = until_us;
    } else {
        last->time_us = MAX (last->time_us, until_us);
    }
    job_counts_add (&last->counts, counts);
    return TRUE;
}

/* With its registers. */
static Capture *
begin_capture (EngineThread *thread, const EngineSampling *sampling, SampledThread *known,
               const MachineRegisters *registers)
{
    Capture *capture = g_new (Capture, 1);

    capture->tid = thread->tid;
    capture->number = thread->number;
    capture->time_us = capture->until_us = g_get_monotonic_time ();
    capture->held_us = known->held_us;
    capture->stop = thread->process->stop;
    capture->registers = *registers;
    capture->is_wait = FALSE;
    capture->awake_us = 0;
    capture->look = sampling->n_looks;
    capture->modules = NULL;
    capture->counts = engine_thread_counters_take (&known->counters);
    engine_sampling_snapshot_fill (&capture->snapshot, thread->process, registers);
    capture->runtime = engine_runtime_find (thread->process);
    capture->python = engine_sampling_read_python (thread, capture->runtime, &known->python);
    capture->holder = thread->process->threads->len > 1
                          ? engine_sampling_find_holder (capture->runtime, known)
                          : 0;
    return capture;
}

void
engine_sampling_capture (EngineThread *thread, EngineSampling *sampling, SampledThread *known)
{
    char schedule[64];

    if (known->last_us != 0 && g_get_monotonic_time () - known->last_us > SAMPLED_MOST_US) {
        engine_sampling_read_schedule (thread->process, thread->tid, &known->schedule_file,
                                       schedule, sizeof schedule);
        engine_sampling_queued_note (&known->queued, schedule); /* it may have waited to run */
    }
    g_ptr_array_add (sampling->captures,
                     begin_capture (thread, sampling, known, &thread->registers));
}

void
engine_sampling_end_capture (EngineThread *thread, EngineSampling *sampling)
{
    Capture *last = find_last (sampling, thread->tid);
    StackModules *modules = engine_modules_get_present (thread->process);

    if (last != NULL && last->modules == NULL && modules != NULL) {
        last->modules = stack_modules_ref (modules);
    }
}

gboolean
engine_sampling_capture_wait (EngineThread *thread, EngineSampling *sampling,
                              SampledThread *known, const EngineSystemCall *call,
                              const char *schedule)
{
    Capture *last = find_last (sampling, thread->tid);
    MachineRegisters registers;
    char after[64];

    if (last != NULL && last->is_wait && strcmp (last->schedule, schedule) == 0) {
        last->until_us = g_get_monotonic_time ();
        return TRUE;
    }
    engine_system_call_fill_registers (call, &registers);
    last = begin_capture (thread, sampling, known, &registers);
    engine_sampling_read_schedule (thread->process, thread->tid, &known->schedule_file, after,
                                   sizeof after);
    if (schedule[0] == '\0' || strcmp (schedule, after) != 0) {
        free_capture (last);
        return FALSE;
    }
    last->is_wait = TRUE;
    last->call = *call;
    g_strlcpy (last->schedule, schedule, sizeof last->schedule);
    g_ptr_array_add (sampling->captures, last);
    engine_sampling_end_capture (thread, sampling);
    return TRUE;
}

/* ---- where they are too many ---- */

/* The next one of its thread; NULL: it is the last. */
static Capture *
find_next (const EngineSampling *sampling, guint i)
{
    const Capture *before = g_ptr_array_index (sampling->captures, i);

    while (++i < sampling->captures->len) {
        Capture *capture = g_ptr_array_index (sampling->captures, i);

        if (capture->tid == before->tid) {
            return capture;
        }
    }
    return NULL;
}

/* next: of the same thread, NULL: none, stands for its time as well. For a wait that has lasted no other one does, nor beyond a
 * time in which the thread stood. */
static gboolean
is_spare (const EngineSampling *sampling, const Capture *capture, const Capture *next)
{
    return next != NULL && capture->look % sampling->stride != 0
           && next->held_us <= capture->time_us && next->stop == capture->stop
           && (!capture->is_wait
               || capture->until_us - capture->time_us
                      < sampling->period_us * (gint64) sampling->stride);
}

/* Unless that leaves out nothing, because each thread has one only. */
static void
thin_out (EngineSampling *sampling)
{
    guint i = 0, n_before = sampling->captures->len;

    sampling->stride *= 2;
    while (i < sampling->captures->len) {
        Capture *capture = g_ptr_array_index (sampling->captures, i);
        Capture *next = find_next (sampling, i);

        if (is_spare (sampling, capture, next)) {
            job_counts_add (&next->counts, &capture->counts);
            g_ptr_array_remove_index (sampling->captures, i);
        } else {
            i++;
        }
    }
    if (sampling->captures->len == n_before) {
        sampling->stride /= 2;
    }
}

gboolean
engine_sampling_begin_look (EngineSampling *sampling)
{
    if (sampling->captures->len == 0) {
        sampling->n_looks = 0;
        sampling->stride = 1;
    }
    return ++sampling->n_looks % sampling->stride == 0;
}

gboolean
engine_sampling_has_room (EngineSampling *sampling)
{
    if (sampling->captures->len >= MOST_CAPTURES && sampling->stride < MOST_STRIDE) {
        thin_out (sampling);
    }
    return sampling->captures->len < MOST_CAPTURES;
}

/* ---- what becomes of them ---- */

SampledThread *
engine_sampling_find_known (EngineSampling *sampling, EngineProcess *process, pid_t tid,
                            guint32 number, gint64 since_us)
{
    SampledThread *known = g_hash_table_lookup (sampling->threads, GINT_TO_POINTER (tid));

    if (known == NULL) {
        BASE_APPEND (sampling->fresh, JobSampleThread, number, tid);
        known = g_new0 (SampledThread, 1);
        known->stop = process->stop;
        known->seen_us = since_us;
        g_hash_table_insert (sampling->threads, GINT_TO_POINTER (tid), known);
        engine_sampling_count_thread (process, known, tid);
    }
    if (known->stop != process->stop) { /* it stood meanwhile: that time does not count */
        known->last_us = known->seen_us = 0;
        known->stop = process->stop;
        engine_thread_counters_take (&known->counters);
    }
    known->round = sampling->round;
    return known;
}

/* It has waited in that place ever since. */
static void
add_wait (EngineSampling *sampling, SampledThread *known, JobSample *sample,
          const Capture *capture)
{
    const JobCounts none = { { 0 } };

    known->waiting = sample->context;
    g_strlcpy (known->schedule, capture->schedule, sizeof known->schedule);
    if (capture->until_us > capture->time_us) {
        engine_sampling_add (sampling, capture->number, known, sample, &none, capture->until_us,
                             TRUE);
    }
    if (capture->awake_us > 0) {
        engine_sampling_add_unseen (sampling, capture->number, capture->awake_us,
                                    capture->awake_until_us, &none);
        known->last_us = MAX (known->last_us, capture->awake_until_us);
    }
}

/* Another sample of the thread, taken later and told already, counts for its time. Where the rank has
 * stood since, that time is nobody's. The thread may have ended: it is known as long as it has captures. */
static void
add_capture (EngineProcess *process, EngineSampling *sampling, JobSample *sample,
             const Capture *capture)
{
    SampledThread *known = !sampling->is_over
                               ? engine_sampling_find_known (sampling, process, capture->tid,
                                                             capture->number, capture->time_us)
                               : NULL;

    if (known != NULL && known->last_us != 0) {
        known->last_us = MAX (known->last_us, capture->held_us);
    }
    if (known != NULL && capture->time_us > known->last_us) {
        if (sampling->stride > 1) { /* it stands for those that were left out */
            known->usual_us = MAX (known->usual_us,
                                   sampling->period_us * (gint64) sampling->stride);
        }
        engine_sampling_note_holder (process, sampling, known, sample, capture->holder);
        engine_sampling_add (sampling, capture->number, known, sample, &capture->counts,
                             capture->time_us, FALSE);
        if (capture->is_wait) {
            add_wait (sampling, known, sample, capture);
        }
        if (!engine_sampling_has_capture (sampling, capture->tid)) {
            known->last_us = MAX (known->last_us, known->held_us);
        }
        if (capture->stop != process->stop) {
            known->last_us = 0;
        }
    }
}

gboolean
engine_sampling_has_time (const EngineProcess *process, guint n_done)
{
    return n_done == 0 || g_get_monotonic_time () < process->engine->sampling_end_us;
}

void
engine_sampling_name_captures (EngineProcess *process, EngineSampling *sampling, guint *n_done)
{
    while (sampling->captures->len > 0 && !sampling->is_over
           && engine_process_get_modules (process) != NULL
           && engine_sampling_has_time (process, *n_done)) {
        Capture *capture = g_ptr_array_steal_index (sampling->captures, 0);
        EngineSystemCall call = capture->is_wait
                                    ? capture->call
                                    : engine_sampling_find_call (&capture->registers);
        JobSample sample = { 0 };

        if (capture->snapshot.space == process->space && capture->modules != NULL
            && (capture->runtime == NULL
                || capture->runtime == engine_runtime_find (process))) {
            engine_sampling_note_stack (process, sampling, capture->modules, &call,
                                        capture->is_wait, &capture->registers,
                                        &capture->snapshot.reader, capture->runtime,
                                        g_steal_pointer (&capture->python), &sample);
            add_capture (process, sampling, &sample, capture);
        } else {
            sampling->n_dropped++; /* its program has ended since */
        }
        free_capture (capture);
        ++*n_done;
    }
}
