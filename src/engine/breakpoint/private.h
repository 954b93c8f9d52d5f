/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between breakpoint (code), watch (memory) and catch (events): number, ranks, condition, every,
 * log, thread, once. */
#pragma once
#include "engine/breakpoint/breakpoint.h"

/* ---- breakpoints ---- */
/* The breakpoint of this request, created if needed; a newer request for it is kept. Takes nothing. */
EngineBreakpoint *engine_breakpoint_add (Engine *engine, const JobRequest *request,
                                         EngineBreakpointKind kind);
/* Takes the request; who knows the old one may still look at it until the end of its work. */
void engine_breakpoint_replace_request (EngineBreakpoint *breakpoint, Engine *engine,
                                        JobRequest *request);
/* Removes one without sites; who knows it may still look at it until the end of its work. */
void engine_breakpoint_drop (Engine *engine, EngineBreakpoint *breakpoint);
/* All of them, for a loop whose work may wait: those removed meanwhile have no sites. Caller owns the array. */
GPtrArray *engine_breakpoint_dup_all (Engine *engine);
EngineBreakpointSite *engine_breakpoint_site_new (EngineBreakpoint *breakpoint,
                                                  EngineProcess *process);
/* Removes it, and the breakpoint with its last site. */
void engine_breakpoint_site_remove (EngineBreakpointSite *site);
/* ENABLE, DISABLE; a temporary one that was met. */
void engine_breakpoint_site_set_enabled (EngineBreakpointSite *site, gboolean enabled);
/* The answer to the request: set; text may be NULL. */
void engine_breakpoint_site_emit_set (EngineBreakpointSite *site, guint64 request,
                                      const char *text);
/* Why it has no place yet. Caller owns. */
char *engine_breakpoint_dup_pending (const EngineBreakpointSite *site);
/* The site of a breakpoint in code: resolved, planted, told to the agent; answers the request
 * of that id, which fails where the agent refuses the condition or the log. */
void engine_breakpoint_add_site (EngineBreakpoint *breakpoint, EngineProcess *process,
                                 guint64 request);

/* ---- watchpoints ---- */
void engine_watch_add (EngineProcess *process,
                       const JobRequest *request); /* WATCH: an EngineWork */
#define ENGINE_WATCH_PLACE                                                                     \
    "-l " /* before the text: what it means now is watched, by its address */
/* The value of a watch's condition, in the frame that it was set in. GONE: that has returned, and the
 * expression is about it. */
JobValue *engine_watch_evaluate (EngineBreakpointSite *site, EngineThread *thread,
                                 const char *expression, GError **error);
void engine_watch_free (EngineBreakpointSite *site);
void engine_watch_enable (EngineBreakpointSite *site); /* its `enabled` has changed */

/* ---- catchpoints ---- */
void engine_catch_handle (Engine *engine, const JobRequest *request); /* CATCH */
/* At the entry of __cxa_throw or __cxa_begin_catch: is it the type that is waited for? TRUE for
 * every other kind. */
gboolean engine_catch_matches (EngineBreakpointSite *site, EngineThread *thread);
void engine_catch_enable (EngineBreakpointSite *site); /* its `enabled` has changed */
void engine_catch_say (EngineBreakpointSite *site,
                       EngineThread *thread); /* reports its type as a
                                                                   * notice */

/* ---- C++ exceptions ---- */
/* At the first instruction of __cxa_throw. */
gboolean engine_exception_find_thrown (EngineThread *thread, EngineException *ret_exception);
/* At the first instruction of __cxa_begin_catch. FALSE: its type is not known. */
gboolean engine_exception_find_caught (EngineThread *thread, EngineException *ret_exception);
/* The thread is where it throws the one again that it handles. */
gboolean engine_exception_find_current (EngineThread *thread, EngineException *ret_exception);
/* "app::trouble"; NULL: it cannot be read. Caller owns. */
char *engine_exception_dup_type (EngineProcess *process, const EngineException *exception);

/* ---- is it a stop? ---- */
/* FALSE, INVALID: the condition cannot be read in the language of any of its places. What is not known there yet may
 * come to be. */
gboolean engine_breakpoint_site_check (const EngineBreakpointSite *site,
                                       const JobRequest *request, GError **error);
/* The thread has hit the site: evaluates its thread, condition, count and log. TRUE:
 * stop; disables a temporary one. */
gboolean engine_breakpoint_site_judge (EngineBreakpointSite *site, EngineThread *thread);

/* ---- what is said of it ---- */
/* The text with what is to be said of the request's thread: that it comes later, or has ended; NULL:
 * nothing. Caller owns. */
char *engine_breakpoint_dup_remark (const EngineProcess *process, const JobRequest *request,
                                    const char *text);
/* The request is about a breakpoint that another debugger inside the rank may have, too. FALSE, INVALID: it has it, but cannot
 * do what the request wants. */
gboolean engine_breakpoint_tell (EngineProcess *process, const JobRequest *request,
                                 GError **error);
