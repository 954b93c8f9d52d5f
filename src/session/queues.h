/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batch systems: the templates by which jobs are submitted (launch/queue.h), and what becomes of such a job. The session's
 * backend asks where the job is to be, so that it may be on another host; each answer comes later. session NULL: this
 * host, or that of --remote. */
#pragma once
#include "session/offers.h"
#include "session/session.h"

/* What a template leaves open. */
typedef struct {
    char *name, *label, *value;
    char *pattern;      /* of the whole value; NULL: any */
    char **choices;     /* all that there are; NULL: others */
    gboolean has_lines; /* it may have several */
} SessionQueueField;
/* Does the value fit? INVALID. */
gboolean session_queue_field_check (const SessionQueueField *field, const char *value,
                                    GError **error);

typedef struct {
    char *id;          /* of the template, as --submit takes it */
    char *name;        /* of the batch system; of one that cannot be used: that of its file */
    char *problem;     /* why it cannot be used; NULL: it can */
    GPtrArray *fields; /* of SessionQueueField */
} SessionQueue;

/* finish: of SessionQueue; NULL: cancelled, or LOST. Caller owns (unref). */
void session_list_queues_async (Session *session, GCancellable *cancellable,
                                GAsyncReadyCallback done, gpointer user);
GPtrArray *session_list_queues_finish (GAsyncResult *result, GError **error);

typedef struct {
    const char *queue;              /* its id */
    const char *const *argv;        /* of the job */
    const char *folder;             /* where it starts; NULL: where the backend is */
    const char *const *environment; /* NAME=value; NULL: none */
    const char *const *fields;      /* NAME=value; NULL: none */
    const char *const *options;     /* pddt's own words in the script, before the job's */
} SessionSubmission;
typedef struct {
    char *queue, *name; /* the template, and what its batch system is called */
    char *id;           /* the job's, in its batch system */
    char *token;        /* by which its offer is known */
} SessionSubmitted;
void session_submitted_free (SessionSubmitted *submitted);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionSubmitted, session_submitted_free)
/* finish: NULL with NOT_FOUND, DENIED, INVALID (nothing was submitted), UNSUPPORTED (the batch system has not taken it), LOST,
 * in sentences for the user, or cancelled. */
void session_submit_async (Session *session, const SessionSubmission *submission,
                           GCancellable *cancellable, GAsyncReadyCallback done, gpointer user);
SessionSubmitted *session_submit_finish (GAsyncResult *result, GError **error);

typedef enum {
    SESSION_QUEUED_UNKNOWN,
    SESSION_QUEUED_WAITS,
    SESSION_QUEUED_RUNS,
    SESSION_QUEUED_OVER
} SessionQueuedState;
typedef struct {
    SessionQueuedState state; /* UNKNOWN also where the batch system was not asked */
    char *reason; /* why it waits, in the batch system's own words; NULL: not told */
    char *
        problem; /* why the batch system does not say its state; NULL: it does, or was not asked */
    guint place, n_waiting; /* in the order in which jobs wait, from 1; 0: not told */
    char *offer;            /* its id, once the job waits to be taken; NULL */
} SessionQueuedJob;
void session_queued_job_free (SessionQueuedJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionQueuedJob, session_queued_job_free)
/* asks_queue: also the batch system, which takes it ill when that is often; otherwise its offer is looked for alone. */
void session_look_queued_async (Session *session, const SessionSubmitted *submitted,
                                gboolean asks_queue, GCancellable *cancellable,
                                GAsyncReadyCallback done, gpointer user);
SessionQueuedJob *session_look_queued_finish (GAsyncResult *result, GError **error);

/* finish: FALSE with UNSUPPORTED: the batch system has not cancelled it; LOST. */
void session_cancel_queued_async (Session *session, const SessionSubmitted *submitted,
                                  GCancellable *cancellable, GAsyncReadyCallback done,
                                  gpointer user);
gboolean session_cancel_queued_finish (GAsyncResult *result, GError **error);

/* The jobs that wait to be debugged, and behind them those that have been measured (session/offers.h). finish: as
 * session_offers_list. */
void session_list_offers_async (Session *session, GCancellable *cancellable,
                                GAsyncReadyCallback done, gpointer user);
GPtrArray *session_list_offers_finish (GAsyncResult *result, GError **error);
/* Copies the archive of the measured job with that id to a folder here, which must not be there, and is there once it is
 * whole. finish: FALSE with NOT_FOUND, DENIED (there or here), CORRUPT, LOST, in sentences for the user, or cancelled; then nothing is left here. */
void session_bring_measured_async (Session *session, const char *id, const char *folder,
                                   GCancellable *cancellable, GAsyncReadyCallback done,
                                   gpointer user);
gboolean session_bring_measured_finish (GAsyncResult *result, GError **error);
/* It was shown, or is not wanted: it is listed no more. finish: FALSE with LOST, or cancelled. */
void session_forget_measured_async (Session *session, const char *id, GCancellable *cancellable,
                                    GAsyncReadyCallback done, gpointer user);
gboolean session_forget_measured_finish (GAsyncResult *result, GError **error);

/* For tests: what a scripted session's backend answers to one of queues.c's questions, a text of a key file; NULL: an
 * error. */
void session_script_queues (Session *session, const char *verb, const char *text);
