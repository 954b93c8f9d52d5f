/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a native motion begins: by single steps, or by running to traps, and which line and frame it is
 * to leave. */
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/step/motion-private.h"

#define MAX_RECORDER_FRAMES 4u /* between the program and MPI */

/* In a library that has lines too, while the rank is shown at the line that has called it: that line is
 * the one to step. */
static gboolean
is_shown_outside (const EngineStep *step, const StackModule *module, const EngineSpot *spot)
{
    const JobLocation *place = step->process->state_place;

    return module != NULL && !module->is_user && place != NULL && place->line != 0
           && spot->n_frames > 0
           && (place->line != spot->frames[0].line
               || g_strcmp0 (place->file, spot->frames[0].file) != 0);
}

/* The line of a frame that the user has selected, further out than the rank stands: the calls that it
 * waits for run to their return, and the step goes on from there. FALSE: none is, or it has no line. */
static gboolean
plan_selected (EngineStep *step)
{
    EngineSelected selected = { 0 };
    g_autoptr (GArray) frames = NULL;
    const StackNativeFrame *frame;
    StackModule *module;
    EngineSpot spot;

    if (step->process->frame_is_chosen) {
        selected = engine_step_find_selected (step->process);
    }
    if (selected.unwound == 0) {
        return FALSE;
    }
    frames = engine_step_unwind (step, selected.unwound + 1);
    if (frames->len <= selected.unwound) {
        return FALSE;
    }
    frame = &g_array_index (frames, StackNativeFrame, selected.unwound);
    module = stack_modules_find (engine_process_get_modules (step->process), frame->pc);
    if (module == NULL
        || !engine_spot_find (step->process, module->start, frame->pc - 1, selected.depth,
                              &spot)
        || !engine_step_add_trap (step, frame->pc, frame[-1].cfa, ENGINE_STEP_TRAP_BACK,
                                  NULL)) {
        return FALSE;
    }
    engine_step_take_spot (step, &spot);
    step->home = module->start;
    step->cfa = frame->cfa;
    step->sp_before = frame[-1].cfa;
    step->thread->n_hidden = 0;
    engine_step_run (step);
    return TRUE;
}

/* Inlined calls that begin here have been hidden: a step into one moves nothing. */
static EngineStepNext
plan_line (EngineStep *step)
{
    guint64 pc = engine_thread_get_pc (step->thread);
    StackModule *module = stack_modules_find (engine_process_get_modules (step->process), pc);
    guint n_hidden = engine_thread_count_hidden (step->thread);
    EngineSpot spot;

    if (step->verb == JOB_VERB_STEP && step->wanted == NULL && n_hidden > 0) {
        step->thread->n_hidden = n_hidden - 1;
        return ENGINE_STEP_ARRIVED;
    }
    step->thread->n_hidden = 0;
    engine_step_take_cfa (step);
    step->home = module != NULL ? module->start : 0;
    if (engine_spot_find (step->process, step->home, pc, n_hidden, &spot)
        && is_shown_outside (step, module, &spot)) {
        step->home = 0;
    }
    if (step->home == 0 || !engine_spot_find (step->process, step->home, pc, n_hidden, &spot)) {
        step->low = step->high = step->module = 0;
        step->line = 0;
        /* by steps a signal that is under way shows its handler */
        return step->thread->pending_signal != 0
                   ? engine_step_go_by_steps (step)
                   : engine_step_run_out (step, ENGINE_STEP_TRAP_BACK);
    }
    engine_step_take_spot (step, &spot);
    return engine_step_go_by_steps (step);
}

/* Where the inlined call that is selected stands. */
typedef struct {
    guint64 pc, cfa; /* of the frame that it is inlined into */
    guint64 sp;      /* above this the frame inside it has returned; 0: it is the innermost */
    guint64 module;  /* its start */
    guint32 function, caller; /* instances: of the whole function, and of who has called it */
} InlinedCall;

/* FALSE: the debug information does not say, or the frame is no inlined call. */
static gboolean
find_inlined_call (EngineStep *step, const EngineSelected *selected, InlinedCall *ret_call)
{
    g_autoptr (GArray) frames = engine_step_unwind (step, selected->unwound + 1);
    gboolean is_outer = selected->unwound > 0;
    const StackNativeFrame *frame;
    StackModule *module;
    IndexImage *image;
    IndexFrame found[ENGINE_MAX_INLINED];
    guint n;

    if (!selected->is_inlined || frames->len <= selected->unwound) {
        return FALSE;
    }
    frame = &g_array_index (frames, StackNativeFrame, selected->unwound);
    module = engine_modules_find_image (step->process, frame->pc, &image);
    n = image != NULL
            ? index_image_find_frames (image, frame->pc - module->bias - (is_outer ? 1 : 0),
                                       found, ENGINE_MAX_INLINED)
            : 0;
    if (selected->depth + 1 >= n) {
        return FALSE;
    }
    *ret_call = (InlinedCall){ .pc = frame->pc,
                               .cfa = frame->cfa,
                               .sp = is_outer ? frame[-1].cfa : 0,
                               .module = module->start,
                               .function = found[n - 1].instance,
                               .caller = found[selected->depth + 1].instance };
    return TRUE;
}

/* Over what is left of the inlined call, to where it stands. */
static gboolean
plan_finish_inlined (EngineStep *step, const InlinedCall *call, GError **error)
{
    step->verb = JOB_VERB_NEXT;
    step->home = step->module = call->module;
    step->outer = call->function;
    step->shown = call->caller;
    step->cfa = call->cfa;
    step->thread->n_hidden = 0;
    if (call->sp == 0) {
        engine_step_go_by_steps (step);
        return TRUE;
    }
    engine_step_run (step);
    return engine_step_add_trap (step, call->pc, call->sp, ENGINE_STEP_TRAP_BACK, error);
}

/* What unpacks the arguments of a function of Cython, and calls it, belongs to the same call. */
static gboolean
is_same_call (EngineProcess *process, guint64 inner, guint64 outer)
{
    IndexFrame called[ENGINE_MAX_INLINED], calling[ENGINE_MAX_INLINED];
    IndexImage *image = NULL;
    StackModule *module = engine_modules_find_image (process, outer, &image);
    guint n_called = 0, n_calling = 0;

    if (module != NULL && image != NULL
        && stack_modules_find (engine_process_get_modules (process), inner) == module) {
        n_called = index_image_find_frames (image, inner - module->bias, called,
                                            ENGINE_MAX_INLINED);
        n_calling = index_image_find_frames (image, outer - module->bias - 1, calling,
                                             ENGINE_MAX_INLINED);
    }
    return n_called > 0 && n_calling > 0 && calling[n_calling - 1].is_wrapper
           && g_strcmp0 (called[n_called - 1].function, calling[n_calling - 1].function) == 0;
}

static gboolean
plan_finish (EngineStep *step, GError **error)
{
    EngineSelected selected = engine_step_find_selected (step->process);
    guint index = selected.unwound, outside = index + 1;
    g_autoptr (GArray) frames = NULL;
    InlinedCall call;

    if (find_inlined_call (step, &selected, &call)) {
        return plan_finish_inlined (step, &call, error);
    }
    frames = engine_step_unwind (step, index + 2 + MAX_RECORDER_FRAMES);
    while (outside < frames->len
           && is_same_call (step->process, g_array_index (frames, StackNativeFrame, index).pc,
                            g_array_index (frames, StackNativeFrame, outside).pc)) {
        index = outside++;
    }
    while (outside < frames->len
           && engine_modules_is_recorder (step->process,
                                          g_array_index (frames, StackNativeFrame, outside)
                                              .pc)) {
        outside++;
    }
    if (frames->len <= outside) {
        base_error_set (error, BASE_ERROR_INVALID,
                        index < frames->len
                                && g_array_index (frames, StackNativeFrame, index).is_incomplete
                            ? "cannot finish: its caller is not known"
                            : "cannot finish: this is the outermost frame");
        return FALSE;
    }
    engine_returned_free (step->returned);
    step->returned = engine_returned_new (step->process,
                                          g_array_index (frames, StackNativeFrame, index).pc);
    step->leads_to_python = engine_python_is_outside (step->process);
    engine_step_run (step);
    step->sp_before = g_array_index (frames, StackNativeFrame, outside - 1).cfa;
    return engine_step_add_trap (step, g_array_index (frames, StackNativeFrame, outside).pc,
                                 step->sp_before, ENGINE_STEP_TRAP_FINISH, error);
}

static gboolean
plan_until (EngineStep *step, const JobRequest *request, GError **error)
{
    g_autoptr (GPtrArray) places
        = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    g_autoptr (GArray) frames = NULL;
    g_autoptr (GError) failure = NULL;
    gboolean is_planted = FALSE;

    if (!engine_step_find_where (step->process, request, places, error)) {
        return FALSE;
    }
    for (guint i = 0; i < places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (places, i);

        g_clear_error (&failure);
        is_planted |= engine_step_add_trap (step, place->address, 0, ENGINE_STEP_TRAP_DONE,
                                            &failure);
    }
    if (!is_planted) {
        g_propagate_error (error, g_steal_pointer (&failure));
        return FALSE;
    }
    frames = engine_step_unwind (step, 2);
    if (frames->len == 2) {
        engine_step_add_trap (step, g_array_index (frames, StackNativeFrame, 1).pc,
                              g_array_index (frames, StackNativeFrame, 0).cfa,
                              ENGINE_STEP_TRAP_DONE, NULL);
    }
    g_clear_pointer (&step->places, g_ptr_array_unref);
    step->places = g_steal_pointer (&places);
    engine_step_run (step);
    return TRUE;
}

/* FALSE: it cannot be. */
static gboolean
plan_one (EngineStep *step, const JobRequest *request, EngineStepNext *ret_next, GError **error)
{
    *ret_next = ENGINE_STEP_GO;
    switch (step->verb) {
    case JOB_VERB_STEP:
    case JOB_VERB_NEXT:
        if (!plan_selected (step)) {
            *ret_next = plan_line (step);
        }
        return TRUE;
    case JOB_VERB_STEPI:
    case JOB_VERB_NEXTI: engine_step_go_by_steps (step); return TRUE;
    case JOB_VERB_FINISH: return plan_finish (step, error);
    case JOB_VERB_UNTIL: return plan_until (step, request, error);
    default:
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "cannot %s here",
                        job_verb_get_name (step->verb));
        return FALSE;
    }
}

/* Steps that end where they begin are counted off. */
gboolean
engine_step_plan (EngineStep *step, const JobRequest *request, EngineStepNext *ret_next,
                  GError **error)
{
    if (!plan_one (step, request, ret_next, error)) {
        return FALSE;
    }
    while (*ret_next == ENGINE_STEP_ARRIVED && step->process->motion_count > 1) {
        step->process->motion_count--;
        if (!plan_one (step, request, ret_next, error)) {
            return FALSE;
        }
    }
    return TRUE;
}
