/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine with ranks that the rig's own shim starts; records events and waits with a
 * deadline. */
#pragma once
#include "engine/engine.h"

typedef struct {
    Engine *engine;
    GPtrArray *events; /* of JobEvent: all events until now */
    guint seen;        /* number of events that waits have passed */
    int signals;       /* signalfd */
    pid_t symbols;     /* pddt-symbols; 0 */
    char *folder;
    guint64 last_request;
    guint64 start_request;
} Rig;

void rig_open (Rig *rig, const char *start_at);
void rig_close (Rig *rig);
gboolean rig_has_symbols (const Rig *rig);
char *rig_dup_inferior (const char *name);                  /* path of a built inferior */
guint32 rig_find_mark (const char *file, const char *mark); /* line */
/* Starts argv under the engine; returns the slot. */
guint32 rig_start (Rig *rig, char **argv, pid_t *ret_pid);
guint32 rig_start_inferior (Rig *rig, const char *name, const char *argument);
/* Sends a request for the slot and takes ownership of it; the caller may have filled in more.
 * Returns the id. */
guint64 rig_send (Rig *rig, guint32 slot, JobRequest *request);
guint64 rig_do (Rig *rig, guint32 slot, JobVerb verb);
guint64 rig_break (Rig *rig, guint32 slot, guint32 number, const char *where,
                   const char *condition);
void rig_delete (Rig *rig, guint32 slot, guint32 number);
void rig_catch (Rig *rig, guint32 slot, guint32 number, const char *what);
void rig_handle (Rig *rig, guint32 slot, const char *signal, const char *words);
/* The number that the expression has, by PRINT or CALL. */
double rig_ask_number (Rig *rig, guint32 slot, JobVerb verb, const char *expression);
/* The next event of the kind for the slot that no wait has passed yet (borrowed). */
const JobEvent *rig_wait (Rig *rig, guint32 slot, JobEventKind kind);
/* The next STATE event that is not running or stepping. */
const JobEvent *rig_wait_stop (Rig *rig, guint32 slot);
/* Checks the next stop. function NULL: any; line 0: any. */
void rig_expect (Rig *rig, guint32 slot, JobState state, const char *function, guint32 line);
void rig_pump (Rig *rig, int timeout_ms);
/* Of a program that was let go, whose end the engine may hear of in the place of waitpid: it writes "0" into the file "end" of
 * the rig's folder when all has gone well. */
void rig_expect_told_end (Rig *rig);
/* The process has a tenth of one processor from now on; the other one there, which never waits, is the caller's to kill. */
pid_t rig_starve (pid_t pid);
