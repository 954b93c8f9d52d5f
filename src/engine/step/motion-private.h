/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A native motion under way: its state, and how it is planned and driven. */
#pragma once
#include "engine/step/private.h"

typedef enum {
    ENGINE_STEP_TRAP_BACK,   /* returned from something run over: look again */
    ENGINE_STEP_TRAP_DONE,   /* the motion's end */
    ENGINE_STEP_TRAP_FINISH, /* the motion's end, with a value */
    ENGINE_STEP_TRAP_LANDED, /* on another stack, where no frame is known yet: look again */
} EngineStepTrapKind;

typedef struct {
    guint64 address, min_sp;
    EngineStepTrapKind kind;
    guint64
        max_sp; /* above is another stack, where a program switches between stacks of its own; 0: any */
} EngineStepTrap;

struct _EngineStep {
    EngineProcess *process;
    EngineThread *thread;
    JobVerb verb;
    char *wanted;      /* step: the one function to step into; NULL: any */
    guint64 low, high; /* the line's instructions; equal: none known */
    guint64 floor; /* before this in the same call of the function no line counts; 0: all do */
    guint32 line;
    guint file;     /* the line's, as a hash */
    guint64 module; /* start of the one that the line is of; 0 */
    guint32 outer,
        shown;       /* instances in it: of the function, and of the frame stepped through */
    guint n_entered; /* inlined calls that begin at pc and are entered by this step */
    guint64 home;    /* start of the module that the step began in */
    guint64 cfa;
    guint64 pc_before, sp_before;
    guint64 start; /* where it begins, at a trap that is to be met first: no arrival then; 0 */
    gboolean is_by_step;      /* it has come by a single step from there */
    gboolean has_no_caller;   /* what is run out of: it may go on, on another stack */
    gboolean leads_to_python; /* finish: what is outside is a Python frame */
    gboolean is_fresh;        /* a trap of ours at the end of a single step has said all */
    GArray *temps;            /* of EngineStepTrap */
    GPtrArray *places;        /* until: of EnginePlace; NULL */
    GArray *escapes;          /* of EngineEscape, under traps once something is run over */
    EngineReturned *returned; /* what finish leaves, and what that will return; NULL */
};

/* At most count frames of its thread. Transfer full, never NULL. */
GArray *engine_step_unwind (EngineStep *step, guint count);
/* Plants a trap at address that counts once the stack pointer is min_sp (0: always), or a little more where a function takes its
 * arguments off the stack. Fails
 * where the rank's code cannot be written, as when the rank has just been killed. error may be NULL:
 * the failure is then only logged. */
gboolean engine_step_add_trap (EngineStep *step, guint64 address, guint64 min_sp,
                               EngineStepTrapKind kind, GError **error);
void engine_step_take_spot (EngineStep *step, const EngineSpot *spot); /* the line to leave */
void engine_step_take_cfa (EngineStep *step); /* the frame to stay in */

/* ---- what to do next ---- */
typedef enum { ENGINE_STEP_GO, ENGINE_STEP_ARRIVED } EngineStepNext;

EngineStepNext engine_step_go_by_steps (EngineStep *step); /* one instruction at a time */
EngineStepNext engine_step_run (EngineStep *step);         /* to one of its traps */
/* Out of the function that pc is in, however it came there. */
EngineStepNext engine_step_run_out (EngineStep *step, EngineStepTrapKind kind);
/* How the motion begins. Steps that end where they begin are counted off. request is needed by UNTIL
 * alone. FALSE: it cannot be, and the rank must not be resumed for it. */
gboolean engine_step_plan (EngineStep *step, const JobRequest *request,
                           EngineStepNext *ret_next, GError **error);
