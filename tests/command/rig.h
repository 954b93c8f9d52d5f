/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scripted session with a command context: lines go in, what is printed is collected; ranks
 * answer from a list that the test gives. */
#pragma once
#include "command/command.h"

typedef struct {
    Session *session;
    CommandContext *context;
    GString *text;       /* all that was written, a line each; stderr's with "2> " before */
    GPtrArray *requests; /* of JobRequest, as sent */
    GQueue *answers;     /* of JobEvent: given to the requests in their order; final */
    gboolean silent;     /* requests are not answered at all */
    guint n_done, n_failed;
} Rig;

Rig *rig_new (guint32 n_ranks, gboolean json);
void rig_free (Rig *rig);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rig, rig_free)
/* Applies at once. */
void rig_state (Rig *rig, const char *ranks, JobState state, gint32 number, const char *text,
                const char *place); /* "work at /a/app.c:12" or NULL */
JobEvent *rig_event (JobEventKind kind, const char *ranks);
JobEvent *rig_failure (const char *ranks, const char *text); /* NOT_FOUND */
/* To a VALUES event; number: NAN: it is none. */
void rig_add_value (JobEvent *event, const char *name, const char *ranks, const char *text,
                    double number);
/* The next request gets these as answers (taken), ended by NULL. */
void rig_answer (Rig *rig, JobEvent *event, ...) G_GNUC_NULL_TERMINATED;
/* Runs the line to its end and gives what was printed since; fails the test after 120 s. */
char *rig_run (Rig *rig, const char *line);
void rig_assert (Rig *rig, const char *line, const char *expected);
JobLocation *rig_place (const char *text);
