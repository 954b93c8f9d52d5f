/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "command/record.h"
#include "profile/page.h"

/* Text of which the beginning and the end are kept. */
typedef struct {
    GString *head, *tail;
    guint64 n_lost; /* bytes between them */
} CommandKept;

/* limit: of head and of tail, in bytes. Returns how much larger it has become. */
char *command_kept_format (const CommandKept *kept); /* caller owns */

/* Ranks that stopped at about the same time. */
typedef struct {
    double at_s;
    JobRankSet *ranks;
    char *lines;                            /* their states, and the reasons that are known */
    GPtrArray *stacks, *values;             /* of JobEvent: answers */
    guint64 stacks_request, values_request; /* 0: not asked */
} CommandStop;

typedef struct {
    double at_s;
    JobRankSet *ranks;
    JobState state;
} CommandChange;

struct _CommandRecord {
    Session *session;
    char *begun, *version;
    gint64 begin_us;
    gboolean is_closed, was_killed;
    SessionLastStates *pending; /* not looked at yet */
    double pending_s;           /* of the first of them */
    guint flush_source;
    GPtrArray *stops; /* of CommandStop */
    guint n_stops;    /* also those that were not kept */
    GHashTable *open; /* request to CommandStop */
    GArray *changes;  /* of CommandChange */
    guint n_changes;  /* also those that were not kept */
    JobRankSet *crashed;
    GPtrArray *findings; /* of char* */
    GHashTable *known;   /* set of them */
    CommandKept *lines;
    GHashTable *outputs; /* rank to CommandKept; G_MAXUINT32: nobody's */
    gsize n_output;      /* bytes of all */
    /* at the end */
    double end_s;
    char *states;
    CommandStop *last; /* ranks that still ran; NULL: none */
    gboolean awaits_why;
};

/* The page; caller owns. */
ProfilePage *command_record_make_page (const CommandRecord *record);
