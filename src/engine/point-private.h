/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logical points and their parts in each process, shared by breakpoint.c (code), watch.c
 * (memory) and catch.c (events): number, ranks, condition, every, log, thread, once. */
#pragma once
#include "engine/private.h"

typedef struct _EngineWatch EngineWatch;

typedef enum {
    ENGINE_POINT_CODE, /* break, and catches at a function's entry */
    ENGINE_POINT_WATCH,
    ENGINE_POINT_FORK,
    ENGINE_POINT_VFORK,
    ENGINE_POINT_EXEC,
    ENGINE_POINT_EXIT,
    ENGINE_POINT_LOAD,
    ENGINE_POINT_SIGNAL,
    ENGINE_POINT_SYSTEM_CALL,
    ENGINE_POINT_THROW,
    ENGINE_POINT_CATCH,
    ENGINE_POINT_MPI_ERROR,
} EnginePointKind;

typedef struct {
    guint32 number;
    EnginePointKind kind;
    JobRequest *request;
    char *name;        /* SIGNAL, LOAD, THROW, CATCH, SYSTEM_CALL: only this one; NULL any */
    GPtrArray *shares; /* of EngineShare */
} EnginePoint;

typedef struct {
    EnginePoint *point;
    EngineProcess *process;
    GPtrArray *places;        /* of EnginePlace, planted when enabled */
    GPtrArray *python_places; /* of JobLocation */
    gboolean is_pythons;      /* Python has the function: ignore functions of that name in
                                 libraries */
    GHashTable *searched;     /* modules by start and path */
    GArray *resolutions;      /* running resolvers: their return addresses */
    guint64 hits;
    gboolean enabled, answered, file_known;
    char *refusal;      /* why the last place was refused; NULL */
    EngineWatch *watch; /* watch.c's; NULL */
} EngineShare;

/* ---- breakpoint.c ---- */
EnginePoint *engine_point_find (Engine *engine, guint32 number); /* NULL */
EngineShare *engine_point_find_share (EnginePoint *point,
                                      const EngineProcess *process); /* NULL */
/* The point of this request, created if needed. Takes nothing. */
EnginePoint *engine_point_add (Engine *engine, const JobRequest *request, EnginePointKind kind);
EngineShare *engine_share_new (EnginePoint *point, EngineProcess *process);
/* Removes it, and the point with its last share. */
void engine_share_remove (EngineShare *share);
/* judge.c. The thread has hit the point: evaluates its thread, condition, count and log. TRUE:
 * stop; disables a temporary one. */
gboolean engine_share_judge (EngineShare *share, EngineThread *thread);
/* ENABLE, DISABLE; a temporary one that was met. */
void engine_share_set_enabled (EngineShare *share, gboolean enabled);
/* The answer to the request: set; text may be NULL. */
void engine_share_emit_set (EngineShare *share, guint64 request, const char *text);

/* A share of a code point: resolved, planted, told to the agent, answered. */
void engine_breakpoint_add_share (EnginePoint *point, EngineProcess *process);

/* ---- watch.c ---- */
void engine_watch_handle (Engine *engine, const JobRequest *request); /* WATCH */
#define ENGINE_WATCH_PLACE                                                                     \
    "-l " /* before the text: what it means now is watched, by its address */
/* The value of a watch's condition, in the frame that it was set in. GONE: that has returned, and the
 * expression is about it. */
JobValue *engine_watch_evaluate (EngineShare *share, EngineThread *thread,
                                 const char *expression, GError **error);
void engine_watch_free (EngineShare *share);
void engine_watch_enable (EngineShare *share); /* its `enabled` has changed */

/* ---- catch.c ---- */
void engine_catch_handle (Engine *engine, const JobRequest *request); /* CATCH */
/* At the entry of __cxa_throw or __cxa_begin_catch: is it the type that is waited for? TRUE for
 * every other kind. */
gboolean engine_catch_matches (EngineShare *share, EngineThread *thread);
void engine_catch_enable (EngineShare *share); /* its `enabled` has changed */
void engine_catch_say (EngineShare *share, EngineThread *thread); /* reports its type as a
                                                                   * notice */
