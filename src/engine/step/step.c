/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Native motions that end by themselves: step, next, finish, until, one instruction. A line is
 * single-stepped. Calls to step over run to a trap at their return, which counts only at the
 * original stack depth because of recursion. All other threads run meanwhile. How a motion begins is
 * in plan.c. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/step/motion-private.h"

#define MAX_POPPED                                                                             \
    1024u /* bytes of arguments that a function takes off the stack as it returns */

static EngineTrapAnswer on_temp (EngineThread *thread, guint64 address, gpointer owner);
static EngineTrapAnswer on_escape (EngineThread *thread, guint64 address, gpointer owner);

/* Of its thread; 0: not known. */
static guint64
get_sp (EngineStep *step)
{
    return engine_thread_load_registers (step->thread)
               ? machine_registers_get_sp (&step->thread->registers)
               : 0;
}

/* ---- temporary traps ---- */

static void
clear_temps (EngineStep *step)
{
    for (guint i = 0; i < step->temps->len; i++) {
        engine_trap_remove (step->process,
                            g_array_index (step->temps, EngineStepTrap, i).address, on_temp,
                            step);
    }
    g_array_set_size (step->temps, 0);
}

gboolean
engine_step_add_trap (EngineStep *step, guint64 address, guint64 min_sp,
                      EngineStepTrapKind kind, GError **error)
{
    EngineStepTrap temp = { address, min_sp, kind, min_sp > 0 ? min_sp + MAX_POPPED : 0 };
    g_autoptr (GError) failure = NULL;

    if (!engine_trap_add (step->process, address, on_temp, step, &failure)) {
        if (error == NULL) {
            g_message ("%s", failure->message);
        }
        g_propagate_error (error, g_steal_pointer (&failure));
        return FALSE;
    }
    g_array_append_val (step->temps, temp);
    step->start = 0;
    return TRUE;
}

static EngineStep *
step_new (EngineThread *thread, JobVerb verb)
{
    EngineStep *step = g_new0 (EngineStep, 1);

    step->process = thread->process;
    step->thread = thread;
    step->verb = verb;
    step->temps = g_array_new (FALSE, FALSE, sizeof (EngineStepTrap));
    step->escapes = g_array_new (FALSE, FALSE, sizeof (EngineEscape));
    step->sp_before = get_sp (step);
    thread->process->step = step;
    return step;
}

static void
plant_escapes (EngineStep *step)
{
    const GArray *escapes = step->escapes->len == 0 ? engine_step_list_escapes (step->process)
                                                    : NULL;

    for (guint i = 0; escapes != NULL && i < escapes->len; i++) {
        const EngineEscape *escape = &g_array_index (escapes, EngineEscape, i);

        if (engine_trap_add (step->process, escape->address, on_escape, step, NULL)) {
            g_array_append_vals (step->escapes, escape, 1);
        }
    }
}

static void
step_free (EngineStep *step)
{
    clear_temps (step);
    for (guint i = 0; i < step->escapes->len; i++) {
        engine_trap_remove (step->process,
                            g_array_index (step->escapes, EngineEscape, i).address, on_escape,
                            step);
    }
    g_clear_pointer (&step->places, g_ptr_array_unref);
    g_free (step->wanted);
    g_array_unref (step->escapes);
    g_array_unref (step->temps);
    engine_returned_free (step->returned);
    g_free (step);
}

void
engine_step_cancel (EngineProcess *process)
{
    EngineStep *step = process->step;

    if (step == NULL) {
        return;
    }
    process->step = NULL;
    step->thread->resume_step = FALSE;
    engine_process_set_moving_alone (process, NULL);
    step_free (step);
}

gboolean
engine_step_is_active (const EngineProcess *process)
{
    return process->step != NULL;
}

gboolean
engine_step_is_of (const EngineThread *thread)
{
    const EngineStep *step = thread->process->step;

    return step != NULL && step->thread == thread;
}

/* ---- where it is ---- */

GArray *
engine_step_unwind (EngineStep *step, guint count)
{
    EngineProcess *process = step->process;

    return engine_process_get_modules (process) != NULL
                   && engine_thread_load_registers (step->thread)
               ? stack_unwind (engine_process_get_modules (process),
                               engine_process_get_memory (process), &step->thread->registers,
                               count)
               : g_array_new (FALSE, FALSE, sizeof (StackNativeFrame));
}

static gboolean
is_at_line (const EngineStep *step, guint32 line, guint file)
{
    return step->line == line && step->file == file;
}

static void
take_range (EngineStep *step, const EngineSpot *spot)
{
    step->low = spot->low;
    step->high = spot->high;
}

void
engine_step_take_spot (EngineStep *step, const EngineSpot *spot)
{
    const IndexFrame *shown = spot->n_hidden > 0 ? &spot->frames[spot->n_hidden] : NULL;

    take_range (step, spot);
    step->line = shown != NULL ? shown->line : spot->line;
    step->file = shown != NULL ? engine_spot_hash_file (shown->file) : spot->file;
    step->module = spot->module;
    step->outer = engine_spot_get_outer (spot);
    step->shown = engine_spot_get_shown (spot);
}

void
engine_step_take_cfa (EngineStep *step)
{
    g_autoptr (GArray) frames = engine_step_unwind (step, 1);

    step->cfa = frames->len > 0 ? g_array_index (frames, StackNativeFrame, 0).cfa : 0;
}

/* ---- what to do next ---- */

EngineStepNext
engine_step_go_by_steps (EngineStep *step)
{
    step->thread->resume_step = TRUE;
    step->pc_before = engine_thread_get_pc (step->thread);
    step->sp_before = get_sp (step);
    step->is_by_step = TRUE;
    return ENGINE_STEP_GO;
}

EngineStepNext
engine_step_run (EngineStep *step)
{
    step->thread->resume_step = FALSE;
    step->is_by_step = FALSE;
    plant_escapes (step);
    return ENGINE_STEP_GO;
}

/* Out of the function that pc is in, however it came there. */
EngineStepNext
engine_step_run_out (EngineStep *step, EngineStepTrapKind kind)
{
    g_autoptr (GArray) frames = engine_step_unwind (step, 2);

    step->has_no_caller
        = frames->len < 2
          || !engine_step_add_trap (step, g_array_index (frames, StackNativeFrame, 1).pc,
                                    g_array_index (frames, StackNativeFrame, 0).cfa, kind,
                                    NULL);
    return engine_step_run (step); /* without a caller: until something else stops it */
}

/* Whether the step goes into the function. One that the user has named may be of a library. */
static gboolean
is_entered (EngineStep *step, guint64 target)
{
    StackModule *module = stack_modules_find (engine_process_get_modules (step->process),
                                              target);

    if (step->wanted != NULL) {
        return module != NULL && engine_skip_is_wanted (step->process, target, step->wanted)
               && engine_modules_has_lines (step->process, target, module->start);
    }
    return engine_modules_has_lines (step->process, target, step->home)
           && !engine_skip_has (step->process, target);
}

/* A function has been entered by a call: its return address is on top of the stack. */
static EngineStepNext
enter_function (EngineStep *step, guint64 pc, guint64 sp, guint64 return_address)
{
    guint64 target, body;

    if (step->verb == JOB_VERB_STEP) {
        target = engine_step_find_target (step->process, pc);
        if (is_entered (step, target)) {
            body = engine_step_find_body (step->process, target);
            if (body == pc) {
                return ENGINE_STEP_ARRIVED;
            }
            engine_step_add_trap (step, body, 0, ENGINE_STEP_TRAP_DONE, NULL);
        }
    }
    engine_step_add_trap (step, return_address, sp + 8, ENGINE_STEP_TRAP_BACK, NULL);
    return engine_step_run (step);
}

static gboolean
find_return_address (EngineStep *step, guint64 pc, guint64 sp, guint64 *ret_address)
{
    /* calls and pushes alone do that: of no other instruction the code is read */
    if (!step->is_by_step || sp != step->sp_before - 8
        || !engine_step_is_call (step->process, step->pc_before)
        || !base_memory_read_u64 (engine_process_get_memory (step->process), sp, ret_address,
                                  NULL)) {
        return FALSE;
    }
    return *ret_address > step->pc_before && *ret_address <= step->pc_before + 15
           && *ret_address != pc;
}

/* At code of an inlined call, within the function that is stepped through: it is one like any other
 * call, for those who have not stepped into it. FALSE: there is none. */
static gboolean
judge_inlined (EngineStep *step, const EngineSpot *spot, EngineStepNext *ret_next)
{
    const IndexFrame *shown = &spot->frames[spot->n_hidden];
    gboolean is_before = spot->n_hidden > 0 && engine_spot_get_shown (spot) == step->shown;
    gboolean is_new_line
        = is_before && !is_at_line (step, shown->line, engine_spot_hash_file (shown->file));

    if (!is_before
        && (engine_spot_get_shown (spot) == step->shown
            || !engine_spot_is_inside (spot, step->shown))) {
        return FALSE;
    }
    if ((step->verb == JOB_VERB_NEXT || step->wanted != NULL) && !is_new_line) {
        take_range (step, spot);
        *ret_next = engine_step_go_by_steps (step);
        return TRUE;
    }
    step->n_entered = is_before && !is_new_line ? 1 : 0;
    *ret_next = ENGINE_STEP_ARRIVED;
    return TRUE;
}

/* Same function, same call of it. */
static gboolean
is_same_frame (const EngineStep *step, const EngineSpot *spot, guint64 sp)
{
    return (step->cfa == 0 || sp < step->cfa) && spot->n_frames > 0
           && spot->module == step->module && engine_spot_get_outer (spot) == step->outer;
}

/* A jump to another function: a call whose return is the caller's. */
static EngineStepNext
follow_jump (EngineStep *step, guint64 pc)
{
    guint64 body = engine_step_find_body (step->process, pc);

    if (step->verb == JOB_VERB_NEXT || (step->wanted != NULL && !is_entered (step, pc))) {
        return engine_step_run_out (step, ENGINE_STEP_TRAP_BACK);
    }
    if (body == pc) {
        return ENGINE_STEP_ARRIVED;
    }
    engine_step_add_trap (step, body, 0, ENGINE_STEP_TRAP_DONE, NULL);
    return engine_step_run (step);
}

/* In code with lines, out of the range. */
static EngineStepNext
judge_spot (EngineStep *step, const EngineSpot *spot, guint64 sp)
{
    gboolean is_out = step->cfa != 0 && sp >= step->cfa;
    gboolean is_same = is_same_frame (step, spot, sp);
    gboolean is_new_line = !is_same || !is_at_line (step, spot->line, spot->file);
    EngineStepNext next;

    if (is_same && engine_thread_get_pc (step->thread) < step->floor) { /* back in a loop */
        engine_step_take_spot (step, spot);
        return engine_step_go_by_steps (step);
    }
    if (is_same && judge_inlined (step, spot, &next)) {
        return next;
    }
    if (!is_out && !is_same && spot->n_frames > 0 && spot->frames[spot->n_frames - 1].begins) {
        return follow_jump (step, engine_thread_get_pc (step->thread));
    }
    if (spot->is_statement && is_new_line) {
        return ENGINE_STEP_ARRIVED;
    }
    if (is_same && is_new_line && spot->is_row && engine_spot_get_shown (spot) == step->shown) {
        step->low
            = engine_thread_get_pc (step->thread); /* a piece of another line's statement: */
        step->high = spot->row_end;                /* it does not count, but what follows may */
        return engine_step_go_by_steps (step);
    }
    engine_step_take_spot (step, spot);
    if (!is_same) {
        engine_step_take_cfa (step);
    }
    return engine_step_go_by_steps (step);
}

static EngineStepNext
judge_line (EngineStep *step)
{
    guint64 pc = engine_thread_get_pc (step->thread), sp = get_sp (step), return_address;
    EngineSpot spot;

    if (find_return_address (step, pc, sp, &return_address)) {
        return enter_function (step, pc, sp, return_address);
    }
    if (pc >= step->low && pc < step->high && (step->cfa == 0 || sp < step->cfa)) {
        return engine_step_go_by_steps (step);
    }
    if (!engine_spot_find (step->process, step->home, pc,
                           engine_inlines_find (step->thread, NULL), &spot)) {
        if (is_same_frame (step, &spot, sp)) {
            return engine_step_go_by_steps (
                step); /* the compiler says of which line it is not */
        }
        return engine_python_take_over (step->thread,
                                        step->wanted != NULL ? JOB_VERB_NEXT : step->verb)
                   ? engine_step_run (step)
                   : engine_step_run_out (step, ENGINE_STEP_TRAP_BACK);
    }
    if (step->verb == JOB_VERB_FINISH) {
        return ENGINE_STEP_ARRIVED;
    }
    return judge_spot (step, &spot, sp);
}

/* What it was in has gone, and counts for nothing here. */
static EngineStepNext
land (EngineStep *step)
{
    guint64 pc = engine_thread_get_pc (step->thread), body;
    gboolean is_start;
    EngineSpot spot;

    step->low = step->high = step->cfa = step->module = 0;
    step->line = step->outer = step->shown = 0;
    step->has_no_caller = FALSE;
    is_start = engine_spot_find (step->process, step->home, pc, 0, &spot) && spot.n_frames > 0
               && spot.frames[spot.n_frames - 1].begins;
    body = is_start ? engine_step_find_body (step->process, pc) : pc;
    if (body == pc) {
        return is_start ? ENGINE_STEP_ARRIVED : judge_line (step);
    }
    engine_step_add_trap (step, body, 0, ENGINE_STEP_TRAP_DONE, NULL);
    return engine_step_run (step);
}

/* A motion from a signal's stop has come to the handler: it is walked like a function that was called;
 * one without lines is run over. */
static EngineStepNext
enter_handler (EngineStep *step)
{
    guint64 pc = engine_thread_get_pc (step->thread), body;

    step->is_by_step = FALSE;
    if (step->verb == JOB_VERB_STEPI || step->verb == JOB_VERB_NEXTI) {
        return ENGINE_STEP_ARRIVED;
    }
    if (!engine_modules_has_lines (step->process, pc, 0)) {
        engine_step_add_trap (step, step->pc_before, step->sp_before, ENGINE_STEP_TRAP_BACK,
                              NULL);
        return engine_step_run (step);
    }
    body = engine_step_find_body (step->process, pc);
    if (body == pc) {
        return ENGINE_STEP_ARRIVED;
    }
    engine_step_add_trap (step, body, 0, ENGINE_STEP_TRAP_DONE, NULL);
    return engine_step_run (step);
}

static EngineStepNext
judge_instruction (EngineStep *step)
{
    guint64 pc = engine_thread_get_pc (step->thread), sp = get_sp (step), return_address;

    if (step->verb == JOB_VERB_NEXTI && find_return_address (step, pc, sp, &return_address)) {
        engine_step_add_trap (step, return_address, sp + 8, ENGINE_STEP_TRAP_DONE, NULL);
        return engine_step_run (step);
    }
    return ENGINE_STEP_ARRIVED;
}

static EngineStepNext
judge (EngineStep *step)
{
    if (step->thread->at_handler) {
        step->thread->at_handler = FALSE;
        return enter_handler (step);
    }
    return step->verb == JOB_VERB_STEPI || step->verb == JOB_VERB_NEXTI
               ? judge_instruction (step)
               : judge_line (step);
}

/* ---- beginning ---- */

void
engine_step_stop_in_place (EngineProcess *process, EngineThread *thread, guint64 request)
{
    engine_process_set_state (process, JOB_STATE_STEPPING, 0, NULL, NULL);
    engine_emit_state (process, request, TRUE, 0);
    engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, NULL);
}

void
engine_step_begin (EngineProcess *process, const JobRequest *request)
{
    EngineThread *selected = engine_process_get_selected (process);
    EngineThread *thread = selected != NULL ? selected : engine_process_get_main (process);
    g_autoptr (GError) error = NULL;
    EngineStepNext next;
    EngineStep *step;

    engine_step_cancel (process);
    if (thread == NULL || engine_thread_get_pc (thread) == 0) {
        base_error_set (&error, BASE_ERROR_GONE, "cannot %s: the thread has ended",
                        job_verb_get_name (request->verb));
        engine_emit_failure (process, request->id, error);
        return;
    }
    step = step_new (thread, request->verb);
    if (request->verb == JOB_VERB_STEP) {
        step->wanted = g_strdup (request->text);
    }
    if (request->verb == JOB_VERB_STEP && step->wanted == NULL) {
        engine_python_watch_callbacks (thread);
    }
    if (!engine_step_plan (step, request, &next, &error)) {
        engine_step_cancel (process);
        engine_emit_failure (process, request->id, error);
        return;
    }
    step->floor = request->flags & JOB_REQUEST_RELATIVE ? step->high : 0;
    if ((request->verb == JOB_VERB_STEP || request->verb == JOB_VERB_NEXT)
        && process->state_place != NULL && process->state_place->line == 0
        && process->state_place->function != NULL) {
        engine_say (process, "stepping until %s returns: it has no line information",
                    process->state_place->function);
    }
    if (next == ENGINE_STEP_ARRIVED) {
        engine_step_stop_in_place (process, thread, request->id);
        return;
    }
    if (engine_trap_is_seen (thread)) {
        thread->handled_trap = engine_thread_get_pc (thread);
    } else {
        step->start = engine_thread_get_pc (thread);
    }
    engine_process_set_moving_alone (process,
                                     process->engine->scheduler_locking ? thread : NULL);
    engine_process_go_on (process, JOB_STATE_STEPPING);
    if (!process->ended) {
        engine_emit_state (process, request->id, TRUE, 0);
    }
}

/* ---- arriving ---- */

/* Where a line begins with inlined calls it stands before them, unless it was told of instructions. */
static void
hide_inlined (EngineStep *step)
{
    if (step->verb == JOB_VERB_STEPI || step->verb == JOB_VERB_NEXTI) {
        return;
    }
    engine_inlines_hide (step->thread,
                         engine_inlines_get_asked (step->places,
                                                   engine_thread_get_pc (step->thread)));
    step->thread->n_hidden -= MIN (step->n_entered, step->thread->n_hidden);
    step->n_entered = 0;
}

/* The step may be freed by this. TRUE: stopped. */
static gboolean
arrive (EngineStep *step)
{
    EngineProcess *process = step->process;
    EngineThread *thread = step->thread;
    JobRequest *none = NULL;
    EngineStepNext next = ENGINE_STEP_ARRIVED;

    clear_temps (step);
    hide_inlined (step);
    if (process->motion_count > 1 && step->verb != JOB_VERB_UNTIL) {
        process->motion_count--;
        engine_process_forget_stacks (process);
        if (engine_step_plan (step, none, &next, NULL) && next == ENGINE_STEP_GO) {
            return FALSE;
        }
    }
    engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, NULL);
    return TRUE;
}

static gboolean
is_at_depth (const EngineStepTrap *temp, guint64 sp)
{
    return sp >= temp->min_sp && (temp->max_sp == 0 || sp <= temp->max_sp);
}

static EngineTrapAnswer
on_temp (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineStep *step = owner;
    const EngineStepTrap *found = NULL;
    EngineStepTrapKind kind;

    if (thread != step->thread || address == step->start) {
        step->start = thread == step->thread ? 0 : step->start;
        return ENGINE_TRAP_RESUME;
    }
    for (guint i = 0; i < step->temps->len && found == NULL; i++) {
        const EngineStepTrap *temp = &g_array_index (step->temps, EngineStepTrap, i);

        found = temp->address == address && is_at_depth (temp, get_sp (step)) ? temp : NULL;
    }
    if (found == NULL) {
        return ENGINE_TRAP_RESUME; /* a deeper call of the same code */
    }
    kind = found->kind;
    step->is_fresh = thread->resume_step;
    clear_temps (step);
    if (kind == ENGINE_STEP_TRAP_FINISH) {
        engine_returned_emit (step->thread, step->returned);
        kind = step->leads_to_python ? ENGINE_STEP_TRAP_BACK
                                     : ENGINE_STEP_TRAP_FINISH; /* on, out of what called it */
        step->low = step->high = 0;
        step->is_by_step = FALSE;
    }
    if (kind == ENGINE_STEP_TRAP_LANDED
            ? land (step) == ENGINE_STEP_ARRIVED
            : kind != ENGINE_STEP_TRAP_BACK || judge (step) == ENGINE_STEP_ARRIVED) {
        return arrive (step) ? ENGINE_TRAP_STOP : ENGINE_TRAP_RESUME;
    }
    return ENGINE_TRAP_RESUME;
}

gboolean
engine_step_go_on_natively (EngineThread *thread, JobVerb verb, gboolean is_end)
{
    StackModule *module = stack_modules_find (engine_process_get_modules (thread->process),
                                              engine_thread_get_pc (thread));
    EngineStep *step;

    engine_step_cancel (thread->process);
    step = step_new (thread, verb);
    step->home = module != NULL ? module->start : 0;
    if (is_end || judge (step) == ENGINE_STEP_ARRIVED) {
        return !arrive (step);
    }
    return TRUE;
}

/* By a call that is run over itself, not by one in it, which may come back, or by what has called the outermost function of
 * a stack. */
static gboolean
is_left_for_good (EngineStep *step)
{
    guint64 pc, sp;

    if (step->has_no_caller
        || !machine_call_read_return (&step->thread->registers,
                                      engine_process_get_memory (step->process), &pc, &sp)) {
        return step->has_no_caller;
    }
    return BASE_HAS_ROW (step->temps, const EngineStepTrap, temp,
                         temp->kind == ENGINE_STEP_TRAP_BACK && temp->address == pc
                             && temp->min_sp == sp);
}

static void
follow_context (EngineStep *step)
{
    gboolean is_line = step->verb == JOB_VERB_STEP || step->verb == JOB_VERB_NEXT;
    guint64 pc, sp;

    if (is_line && engine_step_find_landing (step->thread, ENGINE_ESCAPE_CONTEXT, &pc, &sp)
        && is_left_for_good (step)) {
        clear_temps (step);
        engine_step_add_trap (step, pc, sp, ENGINE_STEP_TRAP_LANDED, NULL);
    }
}

static gboolean
is_context_switch (const EngineStep *step, guint64 address)
{
    gboolean found = FALSE;

    for (guint i = 0; i < step->escapes->len && !found; i++) {
        const EngineEscape *escape = &g_array_index (step->escapes, EngineEscape, i);

        found = escape->address == address && escape->kind == ENGINE_ESCAPE_CONTEXT;
    }
    return found;
}

/* What was run over will not return: it goes on further out. Jumps and handlers within it do not
 * matter, nor those on another stack, which a program that switches between stacks of its own runs meanwhile. */
static EngineTrapAnswer
on_escape (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineStep *step = owner;
    gboolean is_line = step->verb == JOB_VERB_STEP || step->verb == JOB_VERB_NEXT;
    guint64 pc, sp;

    if (thread == step->thread && is_context_switch (step, address)) {
        follow_context (step);
        return ENGINE_TRAP_RESUME;
    }
    for (guint i = 0; thread == step->thread && get_sp (step) <= step->sp_before + MAX_POPPED
                      && i < step->escapes->len;
         i++) {
        const EngineEscape *escape = &g_array_index (step->escapes, EngineEscape, i);

        if (escape->address == address
            && engine_step_find_landing (thread, escape->kind, &pc, &sp)
            && sp >= step->sp_before) {
            if (step->verb != JOB_VERB_UNTIL) {
                clear_temps (step);
            }
            engine_step_add_trap (step, pc, sp,
                                  is_line ? ENGINE_STEP_TRAP_BACK : ENGINE_STEP_TRAP_DONE,
                                  NULL);
        }
    }
    return ENGINE_TRAP_RESUME;
}

void
engine_step_on_signal (EngineThread *thread)
{
    EngineStep *step = thread->process->step;

    if (step == NULL || step->thread != thread || !thread->resume_step) {
        return;
    }
    /* A handler, if there is one, comes back to here. */
    if (engine_step_add_trap (step, engine_thread_get_pc (thread), get_sp (step),
                              ENGINE_STEP_TRAP_BACK, NULL)) {
        engine_step_run (step);
    }
}

gboolean
engine_step_on_stop (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    EngineStep *step = process->step;

    if (step == NULL || step->thread != thread || !thread->resume_step) {
        return FALSE;
    }
    if (step->is_fresh) {
        step->is_fresh = FALSE;
    } else if (judge (step) == ENGINE_STEP_ARRIVED && arrive (step)) {
        return TRUE;
    }
    engine_thread_go_on (thread);
    return TRUE;
}
