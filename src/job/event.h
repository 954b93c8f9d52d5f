/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event: something that happened, or an answer. Equal content of many ranks is one event. A
 * request is complete when its `final` events cover all ranks that were asked. */
#pragma once
#include "job/costs.h"
#include "job/detail.h"
#include "job/location.h"
#include "job/message-queue.h"
#include "job/process.h"
#include "job/rank-set.h"
#include "job/stack-tree.h"
#include "job/state.h"
#include "job/text.h"
#include "job/value.h"

typedef enum {
    JOB_EVENT_NONE,
    JOB_EVENT_RANKS,      /* processes: new ranks reported */
    JOB_EVENT_STATE,      /* state, number, text, place: the ranks' new state */
    JOB_EVENT_BREAKPOINT, /* number, places; no places: pending; text: a remark or NULL */
    JOB_EVENT_STACKS,     /* tree, flag SAMPLED */
    JOB_EVENT_VALUES,     /* table, flags SAMPLED, INITIAL; text: header or NULL */
    JOB_EVENT_TEXT, /* text: lines, the same for all ranks of the event; of WHATIS text2: the type alone */
    JOB_EVENT_RETURNED, /* place.function returned `table`'s only value */
    JOB_EVENT_FAILURE,  /* code, text: the request failed in these ranks */
    JOB_EVENT_NOTICE,   /* text: for the user's information; the job goes on */
    JOB_EVENT_OUTPUT,   /* number: 1 stdout, 2 stderr; bytes */
    JOB_EVENT_LOG,      /* text: a breakpoint's log line; number: breakpoint */
    JOB_EVENT_FRAME,    /* number: selected frame, place */
    JOB_EVENT_QUEUES,   /* queues: the MPI operations of these ranks */
    JOB_EVENT_ARRAY,    /* text: element and shape, "<f8 3 4" (numpy's letters, C order; or
                             "<f8 3 4 F -1 1": column-major, lower bounds); bytes */
    JOB_EVENT_SAMPLES,  /* bytes: a batch of samples of one rank (job/sample.h) */
    JOB_EVENT_COSTS,    /* costs: what these ranks have spent where, in all */
    JOB_EVENT_DETAILS,  /* details: threads, registers, code or modules */
    JOB_EVENT_ACCEPTED, /* the request is done for these ranks, without further answer */
    JOB_N_EVENTS
} JobEventKind;

/* What an event may have beside its numbers and texts: its kind decides which one. */
typedef enum {
    JOB_CONTENT_NONE,
    JOB_CONTENT_PROCESSES, /* RANKS */
    JOB_CONTENT_PLACES,    /* BREAKPOINT */
    JOB_CONTENT_TREE,      /* STACKS */
    JOB_CONTENT_TABLE,     /* VALUES, RETURNED */
    JOB_CONTENT_QUEUES,    /* QUEUES */
    JOB_CONTENT_DETAILS,   /* DETAILS */
    JOB_CONTENT_COSTS,     /* COSTS */
    JOB_CONTENT_BYTES,     /* OUTPUT, ARRAY, SAMPLES */
    JOB_N_CONTENTS
} JobContent;

typedef enum {
    JOB_EVENT_SAMPLED = 1 << 0, /* the ranks were running; pddt stopped them briefly to read
                                   this */
    JOB_EVENT_FRESH = 1 << 1,   /* STATE: answer to a query, not a transition */
    JOB_EVENT_GONE = 1 << 2,    /* BREAKPOINT: the ranks no longer have it; text: why */
    JOB_EVENT_STALE
    = 1 << 4, /* of an answer, by the session: it is of an earlier moment. Not sent. */
    JOB_EVENT_INITIAL = 1 << 3, /* the ranks have ended; the values are the initial ones */
    JOB_EVENT_SUMMARY
    = 1 << 6, /* of an answer: who asks shows a summary, as JOB_REQUEST_SUMMARY */
    JOB_EVENT_REST
    = 1
      << 7, /* TEXT, DETAILS of no content, in its place: the ranks have `number` different ones at
                                   least, which their hosts have summed up */
    JOB_EVENT_LET_GO = 1 << 5, /* NOTICE: it executes text2, untraced from now on */
    JOB_EVENT_UNREAD = 1 << 8, /* NOTICE: none of its Python code is shown */
} JobEventFlags;

typedef struct {
    JobEventKind kind;
    guint64 request; /* id or 0 */
    gboolean final;
    guint32 flags;
    guint64 stop;      /* stop number after this event (equal for all ranks of it); 0 unknown */
    JobRankSet *ranks; /* never NULL */
    JobState state;
    gint32 number; /* STATE: breakpoint number, exit status; else see kinds */
    int code;      /* FAILURE: BaseError */
    char *text;    /* STATE: signal name ("SIGSEGV", also for failed by signal), or exception
                          type; text2: its message */
    char *text2;
    JobText *
        said; /* what text says, of a STATE text2, for other languages; NULL: nothing but them */
    char *shown; /* text in the language of the windows; NULL: as said, or as text. Not sent. */
    JobLocation *place;
    union { /* which one: job_event_kind_get_content; NULL: it has nothing */
        gpointer content;
        GArray *processes; /* of JobProcess, by slot */
        GPtrArray *places; /* of JobLocation */
        JobStackTree *tree;
        JobValueTable *table;
        JobMessageTable *queues;
        GPtrArray *details; /* of JobDetail */
        JobCosts *costs;
        GBytes *bytes;
    };
} JobEvent;

JobEvent *job_event_new (JobEventKind kind, guint64 request,
                         const JobRankSet *ranks); /* copies;
                                                                             NULL: empty set */
JobEvent *job_event_new_failure (guint64 request, const JobRankSet *ranks, const GError *error);
/* text and said; takes it. */
void job_event_say (JobEvent *event, JobText *said);
/* What a window shows of text. Caller owns. */
char *job_event_dup_shown (const JobEvent *event);
JobEvent *job_event_dup (const JobEvent *event);
void job_event_free (JobEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobEvent, job_event_free)
const char *job_event_kind_get_name (JobEventKind kind); /* "state", "stacks", … */
JobContent job_event_kind_get_content (JobEventKind kind);
/* JOB_CONTENT_NONE: nothing, though its kind could have something. */
JobContent job_event_find_content (const JobEvent *event);
/* Of an event of any kind; NULL: it has none. Borrowed. */
GArray *job_event_get_processes (const JobEvent *event);
JobValueTable *job_event_get_table (const JobEvent *event);
GPtrArray *job_event_get_details (const JobEvent *event);
GBytes *job_event_get_bytes (const JobEvent *event);

/* If b equals a except for its ranks (stop, request, kind and content; trees and tables merge),
 * folds b's ranks into a and returns TRUE; b is unchanged. */
gboolean job_event_merge (JobEvent *a, const JobEvent *b);
/* Folds equal events of a list (GPtrArray of JobEvent) in place, keeping order of first ones.
 * Never folds two STATE events when one of their ranks has another STATE between them. */
void job_event_list_merge (GPtrArray *events);
/* Of merged events: what differs in more than JOB_MAX_GROUPS ways is cut to a few, those of most ranks, and a rest, where
 * who asks wants that (JOB_EVENT_SUMMARY). */
#define JOB_MAX_GROUPS 1000u
#define JOB_KEPT_GROUPS 64u
void job_event_list_cut (GPtrArray *events);

GVariant *job_event_encode (const JobEvent *event); /* floating */
/* Limit of the memory that one decoded packet may take. */
#define JOB_EVENT_MAX_BYTES (G_GUINT64_CONSTANT (256) << 20)
/* Ranks must be below the limit. left_bytes: remaining memory for this and the following
 * events, which it reduces; NULL: JOB_EVENT_MAX_BYTES. Names are escaped (base/escape.h); in
 * texts of several lines newlines stay. CORRUPT. */
JobEvent *job_event_decode (GVariant *variant, guint32 limit, guint64 *left_bytes,
                            GError **error);
