/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between breakpoint (code), watch (memory) and catch (events): number, ranks, condition, every,
 * log, thread, once. */
#pragma once
#include "engine/breakpoint/breakpoint.h"

/* ---- breakpoints ---- */
/* The point of this request, created if needed. Takes nothing. */
EnginePoint *engine_point_add (Engine *engine, const JobRequest *request, EnginePointKind kind);
EngineShare *engine_share_new (EnginePoint *point, EngineProcess *process);
/* Removes it, and the point with its last share. */
void engine_share_remove (EngineShare *share);
/* ENABLE, DISABLE; a temporary one that was met. */
void engine_share_set_enabled (EngineShare *share, gboolean enabled);
/* The answer to the request: set; text may be NULL. */
void engine_share_emit_set (EngineShare *share, guint64 request, const char *text);
/* A share of a code point: resolved, planted, told to the agent, answered. */
void engine_breakpoint_add_share (EnginePoint *point, EngineProcess *process);

/* ---- watchpoints ---- */
void engine_watch_handle (Engine *engine, const JobRequest *request); /* WATCH */
#define ENGINE_WATCH_PLACE                                                                     \
    "-l " /* before the text: what it means now is watched, by its address */
/* The value of a watch's condition, in the frame that it was set in. GONE: that has returned, and the
 * expression is about it. */
JobValue *engine_watch_evaluate (EngineShare *share, EngineThread *thread,
                                 const char *expression, GError **error);
void engine_watch_free (EngineShare *share);
void engine_watch_enable (EngineShare *share); /* its `enabled` has changed */

/* ---- catchpoints ---- */
void engine_catch_handle (Engine *engine, const JobRequest *request); /* CATCH */
/* At the entry of __cxa_throw or __cxa_begin_catch: is it the type that is waited for? TRUE for
 * every other kind. */
gboolean engine_catch_matches (EngineShare *share, EngineThread *thread);
void engine_catch_enable (EngineShare *share); /* its `enabled` has changed */
void engine_catch_say (EngineShare *share, EngineThread *thread); /* reports its type as a
                                                                   * notice */

/* ---- C++ exceptions ---- */
/* At the first instruction of __cxa_throw. */
gboolean engine_exception_find_thrown (EngineThread *thread, EngineException *ret_exception);
/* At the first instruction of __cxa_begin_catch. FALSE: its type is not known. */
gboolean engine_exception_find_caught (EngineThread *thread, EngineException *ret_exception);
/* "app::trouble"; NULL: it cannot be read. Caller owns. */
char *engine_exception_dup_type (EngineProcess *process, const EngineException *exception);

/* ---- is it a stop? ---- */
/* The thread has hit the point: evaluates its thread, condition, count and log. TRUE:
 * stop; disables a temporary one. */
gboolean engine_share_judge (EngineShare *share, EngineThread *thread);
