/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step that cannot finish: the engine checks a rank that has been stepping for a while. If it
 * waits inside MPI, it is reported as blocked until it is seen elsewhere or stops. The checks
 * become rarer, because each stops the rank for a moment. */
#include "engine/inspect/inspect.h"
#include "engine/queue/queue.h"
#include "engine/step/step.h"

#define FIRST_LOOK_US G_USEC_PER_SEC
/* With the recorder a look costs next to nothing; the second one can tell: after 0.3 s. */
#define FIRST_PROGRESS_US (G_USEC_PER_SEC / 10)
#define LAST_PROGRESS_US G_USEC_PER_SEC
#define LAST_LOOK_US (8 * G_USEC_PER_SEC)

static gboolean
is_stepping (const EngineProcess *process)
{
    return !process->ended && process->look_at != 0 && process->ongoing == NULL
           && (process->state == JOB_STATE_STEPPING || process->state == JOB_STATE_BLOCKED);
}

void
engine_blocked_begin (EngineProcess *process)
{
    if (process->state != JOB_STATE_STEPPING) {
        return;
    }
    process->look_after = engine_queue_has_recorder (process) ? FIRST_PROGRESS_US
                                                              : FIRST_LOOK_US;
    process->look_at = g_get_monotonic_time () + process->look_after;
}

/* TRUE when a thread walks by single steps: then it is not waiting. */
static gboolean
is_walking (const EngineProcess *process)
{
    return BASE_HAS (process->threads, const EngineThread, thread, thread->resume_step);
}

static void
say (EngineProcess *process, JobState state, JobLocation *place)
{
    if (process->state == state && job_location_equal (process->state_place, place)) {
        return;
    }
    engine_process_set_motion (process, state, place);
    engine_emit_state (process, process->motion, FALSE, 0);
}

/* With the recorder: the calls that it completes tell, and it is not stopped. */
static gboolean
look_at_calls (EngineProcess *process)
{
    g_autoptr (JobLocation) place = NULL;
    gboolean is_blocked;

    if (is_walking (process) || !engine_queue_find_blocked (process, &is_blocked, &place)) {
        return FALSE;
    }
    if (is_blocked) {
        say (process, JOB_STATE_BLOCKED, place);
    } else if (process->state == JOB_STATE_BLOCKED) {
        say (process, JOB_STATE_STEPPING, NULL);
    }
    return TRUE;
}

/* An EngineWork. */
static void
look (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (JobLocation) place = NULL;
    gboolean is_blocked;

    if (look_at_calls (process)) {
        return;
    }
    if (is_walking (process) || !engine_process_halt (process)) {
        return;
    }
    engine_process_forget_stacks (process);
    place = engine_inspect_dup_place (process, engine_process_get_selected (process) != NULL
                                                   ? engine_process_get_selected (process)
                                                   : engine_process_get_main (process));
    is_blocked = place != NULL && place->function != NULL
                 && g_str_has_prefix (place->function, "MPI_");
    if (is_blocked) {
        say (process, JOB_STATE_BLOCKED, place);
    } else if (process->state == JOB_STATE_BLOCKED) {
        say (process, JOB_STATE_STEPPING, NULL);
    }
    engine_process_forget_stacks (process);
    engine_process_release (process);
}

void
engine_blocked_check (Engine *engine)
{
    gint64 now = g_get_monotonic_time ();

    for (guint i = 0; i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (is_stepping (process) && now >= process->look_at) {
            process->look_after = MIN (2 * process->look_after,
                                       engine_queue_has_recorder (process) ? LAST_PROGRESS_US
                                                                           : LAST_LOOK_US);
            process->look_at = now + process->look_after;
            engine_work_do (process, NULL, look);
        }
    }
}

int
engine_blocked_get_timeout_ms (Engine *engine)
{
    gint64 now = g_get_monotonic_time (), nearest = G_MAXINT64;

    for (guint i = 0; i < engine->processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (is_stepping (process)) {
            nearest = MIN (nearest, process->look_at);
        }
    }
    return nearest == G_MAXINT64 ? -1 : (int) MAX ((nearest - now + 999) / 1000, 0);
}
