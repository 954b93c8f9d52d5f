/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a step asks about the code that it goes through. */
#pragma once
#include "engine/step/step.h"

/* ---- motions ---- */
/* The motion has ended without one: its thread is in another frame, as after a step into an inlined call. */
void engine_step_stop_in_place (EngineProcess *process, EngineThread *thread, guint64 request);

/* ---- the code that is stepped through ---- */
/* TRUE when the instruction at pc is a call. */
gboolean engine_step_is_call (EngineProcess *process, guint64 pc);
/* The actual target of a call at pc: follows a PLT entry, resolved or not. */
guint64 engine_step_find_target (EngineProcess *process, guint64 pc);
/* Address to stop at in the function entered at pc: after its prologue. */
guint64 engine_step_find_body (EngineProcess *process, guint64 pc);
/* The type of what it returns, to be asked for before it does; NULL. */
char *engine_step_dup_return_type (EngineProcess *process, guint64 pc, const char *function);
/* Of a number or pointer type by its name; NULL. */
JobValue *engine_step_read_value (EngineThread *thread, const char *type);

/* ---- jumps out of a step ---- */
typedef enum {
    ENGINE_ESCAPE_JUMP,
    ENGINE_ESCAPE_CATCH,
    ENGINE_ESCAPE_CONTEXT, /* to another stack, where a function that has no caller returns, or that is called for itself */
} EngineEscapeKind;
typedef struct {
    guint64 address; /* a function's entry */
    EngineEscapeKind kind;
} EngineEscape;
/* Where to look out for them; kept until the modules change. */
const GArray *engine_step_list_escapes (EngineProcess *process);
/* The thread is at the entry: where it will go on, and with which stack pointer. */
gboolean engine_step_find_landing (EngineThread *thread, EngineEscapeKind kind, guint64 *ret_pc,
                                   guint64 *ret_sp);

/* ---- places of a step ---- */
#define ENGINE_MAX_INLINED 32u
/* What the debug information says of a place; addresses are the process's, those in frames are not. */
typedef struct {
    guint64 low, high; /* the line's instructions there, of the same function or inlined call */
    guint64 row_end;   /* where the line's next row begins, or another line's */
    guint64 module;    /* its start */
    guint32 line;
    guint file;            /* engine_spot_hash_file */
    gboolean is_statement; /* one of the line begins there */
    gboolean is_row;       /* the line begins there, or goes on after another */
    guint n_frames,
        n_hidden; /* the first of the frames are calls that have not been stepped into */
    IndexFrame frames[ENGINE_MAX_INLINED];
} EngineSpot;
/* FALSE: no lines there that one would walk (engine_modules_has_lines); module and frames are still set. */
gboolean engine_spot_find (EngineProcess *process, guint64 home, guint64 pc, guint n_hidden,
                           EngineSpot *spot);
guint engine_spot_hash_file (const char *file); /* NULL: 0 */
/* Instances, as IndexFrame has them: of the function, and of the innermost frame that is not hidden. */
guint32 engine_spot_get_outer (const EngineSpot *spot);
guint32 engine_spot_get_shown (const EngineSpot *spot);
/* TRUE when that instance is one of the shown frame's callers. */
gboolean engine_spot_is_inside (const EngineSpot *spot, guint32 instance);
/* The selected frame, as the thread's stack has it; Python frames count as the innermost. Until one is
 * chosen, in a library, that which the place of the state line has called. */
typedef struct {
    guint unwound;       /* its index among the frames of the unwound stack */
    guint depth;         /* frames inlined into it there */
    gboolean is_inlined; /* into the next one */
} EngineSelected;
EngineSelected engine_step_find_selected (EngineProcess *process);
/* Adds the request's places (EnginePlace). NOT_FOUND. */
gboolean engine_step_find_where (EngineProcess *process, const JobRequest *request,
                                 GPtrArray *places, GError **error);

/* ---- returned values ---- */
typedef struct _EngineReturned
    EngineReturned; /* what is known of a value before it is returned */
EngineReturned *engine_returned_new (EngineProcess *process, guint64 pc); /* NULL */
const char *engine_returned_get_type (const EngineReturned *returned);
void engine_returned_free (EngineReturned *returned);
/* Tells of it, for the motion under way; not of one that cannot be told. */
void engine_returned_emit (EngineThread *thread, const EngineReturned *returned);

/* ---- functions that a step skips ---- */
/* A step does not enter the function at pc, as the user has said so. */
gboolean engine_skip_has (EngineProcess *process, guint64 pc);
/* The function at pc is the one that the user wants to step into: `name` is as code is listed, or a linkage table's. */
gboolean engine_skip_is_wanted (EngineProcess *process, guint64 pc, const char *name);
