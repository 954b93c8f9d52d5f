/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates of batch systems: how a script is composed, submitted, asked about and cancelled. Ours are key files,
 * NAME.pddt-queue; DDT's, *.qtf, are shell scripts with comments and tags, and are read as they are. A template runs
 * commands: it must be this user's or root's, and nobody else may write it. */
#pragma once
#include <glib.h>

typedef struct _LaunchQueue LaunchQueue;
typedef enum {
    LAUNCH_QUEUE_WAITS,
    LAUNCH_QUEUE_RUNS,
    LAUNCH_QUEUE_OVER,
    LAUNCH_QUEUE_UNKNOWN
} LaunchQueueState;

/* What the user fills in. */
typedef struct {
    char *name, *label, *value;
    char *pattern; /* of the whole value; NULL: any */
    char *
        line; /* what stands in the script where the value is not empty, which is its @VALUE@; NULL: the value */
    char **choices;     /* all that there are; NULL: others */
    gboolean has_lines; /* it may have several */
} LaunchQueueField;

/* The names by which this host's templates are loaded: this user's, the system's, and those of pddt's own whose command is
 * there. Of char*; caller owns (unref). */
GPtrArray *launch_queue_list (void);
/* A path, or a name that is looked for in ~/.config/pddt/queues, /etc/pddt/queues and pddt's own. NOT_FOUND, DENIED,
 * INVALID, in sentences for the user. */
LaunchQueue *launch_queue_load (const char *name, GError **error);
void launch_queue_free (LaunchQueue *queue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LaunchQueue, launch_queue_free)
const char *launch_queue_get_name (const LaunchQueue *queue);
const LaunchQueueField *launch_queue_get_field (const LaunchQueue *queue,
                                                guint index); /* NULL: past the last */
/* Does the value fit? pattern: of a field; NULL: any. example: a value that does; NULL or "": none is known.
 * INVALID. */
gboolean launch_queue_check (const char *name, const char *pattern, const char *example,
                             const char *value, GError **error);
/* "time=01:00:00". INVALID: there is no such field, or the value does not fit. */
gboolean launch_queue_set (LaunchQueue *queue, const char *assignment, GError **error);
/* The script for the job. argv: its own words; prefix: what stands before them there, as the shell reads it. INVALID:
 * the template wants what is not known. Caller owns. */
char *launch_queue_compose (const LaunchQueue *queue, const char *const *argv,
                            const char *prefix, GError **error);
/* For the shell, which runs it in the folder of the script. Caller owns; NULL: the template has none. */
char *launch_queue_make_submit (const LaunchQueue *queue, const char *script);
char *launch_queue_make_state (const LaunchQueue *queue, const char *id);
char *launch_queue_make_cancel (const LaunchQueue *queue, const char *id);
/* Prints the jobs that wait, in their order, one on each line. */
char *launch_queue_make_order (const LaunchQueue *queue);
/* In what submitting has printed. Caller owns; NULL: it is not there. */
char *launch_queue_find_id (const LaunchQueue *queue, const char *said);
/* By what the command of the state has printed, on both outputs; ok: its status. A command that fails says that the job is
 * over unless the template knows other words for that. */
LaunchQueueState launch_queue_find_state (const LaunchQueue *queue, const char *id,
                                          const char *said, const char *complaint, gboolean ok);
/* Why it waits, in the queue's own words, in what the command of the state has printed. Caller owns; NULL: it is not told. */
char *launch_queue_find_reason (const LaunchQueue *queue, const char *said);
/* The place of the job among the *ret_n that the order has printed, from 1; 0: it is not among them. */
guint launch_queue_find_place (const char *id, const char *said, guint *ret_n);
