/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is believed of the job: ranks, breakpoints, options, sets, and the lists of them. It changes by
 * session_apply and session_apply_change alone. */
#pragma once
#include "session/group-list.h"
#include "session/model/list-private.h"
#include "session/model/slot-map.h"
#include "session/options.h"
#include "session/session.h"

/* What many ranks have in common, once: state and what is said about it. All pointers are
 * interned. */
typedef struct {
    JobState state;
    gint32 number;
    const char *text, *text2;
    const JobLocation *place;
    gboolean is_wanted; /* it ended because the user has killed it */
    guint32 index;
} SessionFact;

/* A rank: 24 bytes, as there are millions; what is looked for in all of them, their facts and states,
 * stands in arrays of its own. */
typedef struct {
    guint32 motion; /* request id of an unfinished motion, 0 none */
    gint32 pid;
    guint32 place_tick;           /* when the place was learned, of SESSION_TICK_US */
    guint32 motion_tick;          /* last motion */
    guint64 stop : 40, host : 20; /* host: index of a name, 0 unknown */
    guint64 reported : 1, arrived : 1, motion_accepted : 1;
    guint64 is_place_new : 1; /* learned after the last motion began */
} SessionRankRecord;

#define SESSION_TICK_US 16384
#define SESSION_N_RECENT 16

/* Of all ranks: what is known of each, and how many there are of each kind. */
typedef struct {
    guint32 size, n_reported, n_arrived;
    guint32 first_child; /* children.c: they come after the others; 0: none yet */
    SessionRankRecord *records;
    guint32 *fact_indexes; /* of each rank's fact */
    guint8 *states;
    guint32 n_motions;      /* ranks with an unfinished motion */
    JobRankSet *killed;     /* on request; NULL: none were */
    GPtrArray *facts;       /* of SessionFact, by index; the first says nothing */
    GHashTable *fact_set;   /* the same, by content */
    GHashTable *fact_texts; /* of char*: the texts of facts */
    guint max_facts;        /* from so many on those that no rank has are dropped */
    const SessionFact *recent_facts[SESSION_N_RECENT]; /* the last one of a state; NULL none */
    GPtrArray *host_names;    /* of interned char*, by index; the first is NULL */
    GHashTable *host_indexes; /* name to index */
    gint64 begin_us;          /* when ticks began to count */
    guint32 counts[JOB_N_STATES];
    guint64 generation;
    gint64 updated_us;
    guint32 dirty_first, dirty_end;
    guint dirty_source;
} SessionRanks;

/* What many of them say, once each. */
typedef struct {
    GHashTable *places; /* set of JobLocation: every place once, never freed before the end */
    GStringChunk *constants; /* const strings: hosts */
    GHashTable *reasons; /* of signals: those of the facts' texts that say why, to JobText */
    GHashTable *files;   /* set of paths, for the shortest suffix */
    GHashTable *methods; /* interned place to the mpi4py method of its line, or NULL */
    GHashTable *short_files; /* path to shortest suffix; emptied when files grow */
    guint n_named_files;     /* when the group lists were last told of changes */
    gboolean is_brief;       /* lines of states */
} SessionTexts;

typedef struct {
    GPtrArray *all; /* of SessionBreakpoint */
    guint32 last;   /* number */
} SessionBreakpoints;

typedef struct {
    JobRankSet *focus;
    gboolean focus_is_all;
    GHashTable *named; /* name to NamedSet */
    JobRankSet *input_ranks;
} SessionSets;

/* What views show, as GListModels. */
typedef struct {
    SessionList *breakpoints, *sets; /* model.c */
    SessionList *operations;         /* operations.c */
    SessionList *logged;             /* logged.c */
    GPtrArray *groups;               /* of SessionGroupList, not owned */
} SessionLists;

typedef struct {
    SessionSlotMap *map; /* NULL before the first rank reported */
    gboolean differ;     /* some rank is not its slot */
} SessionSlots;

/* Nobody has answered of these for a while. */
typedef struct {
    GPtrArray *list;     /* of Silence, oldest first; NULL before the first */
    JobRankSet *ranks;   /* all of theirs */
    JobRankSet *cut_off; /* of hosts whose daemon is gone; NULL: none */
} SessionSilences;

typedef struct _SessionMoments SessionMoments;
typedef struct _SessionOptionValues SessionOptionValues;
typedef struct _SessionMessages SessionMessages;

/* moment.c */
/* What session_sign_moment sums up; of stopped ranks only, where that is known. */
guint64 session_moment_sign_range (const Session *session, guint32 first, guint32 end);
guint64 session_moment_sign_job (const Session *session);
void session_moment_note_write (Session *session, const JobRequest *request); /* to be sent */
void session_moment_forget (Session *session);                       /* another start begins */
void session_moment_note_started (Session *session, gint64 real_us); /* 0: the first start */
void session_moment_init (Session *session);
void session_moment_clear (Session *session);

/* ranks.c, ranks-find.c */
void session_ranks_init (Session *session);
void session_ranks_clear (Session *session);
void session_ranks_note_set (Session *session,
                             const JobRankSet *set); /* they look different now */
void session_ranks_grow (Session *session, guint32 size);
void session_ranks_apply_processes (Session *session, const JobEvent *event);
void session_ranks_apply_state (Session *session, const JobEvent *event);
void session_ranks_apply_request (Session *session, const JobRequest *request); /* to be sent */
void session_ranks_begin_motion (Session *session, const JobRankSet *set, guint64 id);
void session_ranks_accept_motion (Session *session, const JobRankSet *set, guint64 id);
void session_ranks_clear_motion (Session *session, const JobRankSet *set, guint64 id);
/* Those that have neither ended nor never been there. */
JobRankSet *session_ranks_dup_alive (Session *session);
JobRankSet *session_ranks_dup_unreported (Session *session);

/* TRUE when one of them has an unfinished motion or moves. */
gboolean session_ranks_are_moving (const Session *session, const JobRankSet *set);
const SessionFact *session_ranks_get_fact (const Session *session, guint32 rank);
gint64 session_ranks_get_time (const Session *session, guint32 tick); /* monotonic; of 0: 0 */
const char *session_ranks_get_host (const Session *session, guint32 rank); /* NULL unknown */
/* Of JobEvent: the STATE events by which another session learns what this one knows. Caller owns (unref). */
GPtrArray *session_ranks_dup_states (const Session *session);
/* The one copy of a place. */
const JobLocation *session_ranks_intern_place (Session *session, const JobLocation *place);
void session_ranks_forget (Session *session); /* as before the first rank reported */

/* options.c */
void session_options_init (Session *session);
void session_options_clear (Session *session);
void session_options_apply (Session *session, const char *name, const char *value);
void session_options_apply_skip (Session *session, const char *line, guint32 number);
/* Tells the ranks what was set before they came. */
void session_options_tell (Session *session);
gboolean session_option_is_on (const Session *session, const char *name);

/* silence.c */
void session_silence_clear (Session *session);
void session_silence_apply (Session *session, const JobRankSet *ranks, guint silent_ms);

/* model.c: the lists' only writers, which also emit the signals. What has the number or name is looked
 * up in the session. stop: of the event that says so, 0 none. Only breakpoints.c and sets.c call them. */
void session_model_init (Session *session);
void session_model_clear (Session *session);
void session_model_note_breakpoint (Session *session, guint32 number, guint64 stop);
void session_model_note_set (Session *session, const char *name);

/* grouping.c: groups of ranks of which the same is known. */
typedef struct _SessionGrouper SessionGrouper;
typedef struct {
    char *key;          /* equal keys: one group */
    JobEvent *event;    /* STATE; stop: the highest of its ranks */
    guint32 place_tick; /* of the oldest place; 0: one has none */
} SessionRankGroup;
SessionGrouper *session_grouping_new (const JobRankSet *ranks, SessionGrouping by);
void session_grouping_free (SessionGrouper *grouper);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionGrouper, session_grouping_free)
/* Looks at some n_ranks more. TRUE: it has seen all. */
gboolean session_grouping_go_on (SessionGrouper *grouper, const Session *session,
                                 guint32 n_ranks);
/* Of SessionRankGroup, in the order of the grouping; the grouping is over. What is in them may be taken.
 * Caller owns (unref). */
GPtrArray *session_grouping_take (SessionGrouper *grouper);

/* messages.c */
void session_messages_init (Session *session);
void session_messages_clear (Session *session);
void session_messages_note (Session *session, const JobEvent *event); /* after it was applied */
/* What is not told yet is told now: the ranks will be forgotten. */
void session_messages_forget (Session *session);
/* Emits "verdict". */
void session_messages_say_verdict (Session *session, const AnalysisVerdict *verdict);

/* operations.c */
void session_operations_learn (Session *session,
                               const JobMessageTable *table); /* of the whole job */
void session_operations_forget (Session *session);

/* logged.c */
void session_logged_note (Session *session, const JobEvent *event); /* LOG */
void session_logged_drop (Session *session, guint32 number);        /* of a breakpoint */
void session_logged_forget (Session *session);

/* group-list.c */
/* These ranks look different now. */
void session_group_lists_note (Session *session, guint32 first, guint32 end);
void session_group_lists_renumber (Session *session); /* the facts have other indices */
void session_group_lists_forget (Session *session);   /* there are no ranks any more */
void session_group_lists_clear (Session *session);

/* breakpoints.c */
/* A breakpoint of the parent is the child's as well, from its birth on. */
void session_breakpoints_share (Session *session, guint32 parent, guint32 child);
void session_breakpoints_reset (Session *session); /* as before they were set in any rank */
void session_breakpoint_free (gpointer breakpoint);
void session_breakpoints_apply_request (Session *session, const JobRequest *request);
void session_breakpoints_apply (Session *session, const JobEvent *event);
void session_breakpoints_apply_hit (Session *session, const JobEvent *event);
void session_breakpoints_apply_hits (Session *session, guint32 number, const JobRankSet *ranks,
                                     guint64 hits);
/* All ranks have refused the CONDITION of that id: its condition, log and count are as before. */
void session_breakpoints_restore (Session *session, guint32 number, guint64 id);
/* The last number that was given out is given out again, when nobody has it. */
void session_breakpoints_release_number (Session *session, guint32 number);
void session_breakpoints_drop (Session *session, guint32 number, const JobRankSet *ranks);

/* children.c */
/* Gives the children in a RANKS event their ranks, before anybody else has seen it; breakpoints of
 * their parents are theirs as well. */
void session_children_number (Session *session, JobEvent *event);
guint32 session_children_count (const Session *session);
gboolean session_children_are_alive (const Session *session); /* one of them */
/* Before a restart: no breakpoint is for them any more. */
void session_children_forget (Session *session);

/* slots.c */
/* Learns the pairs of a RANKS event. */
void session_slots_learn (Session *session, const JobEvent *event);
JobRankSet *session_slots_to_ranks (Session *session, const JobRankSet *slots);
JobRankSet *session_slots_from_ranks (Session *session, const JobRankSet *ranks);
/* Every set of the event, in place. */
void session_slots_map_event (Session *session, JobEvent *event);

/* sets.c */
void session_sets_init (Session *session);
void session_sets_clear (Session *session);
void session_sets_apply (Session *session, const char *name, const JobRankSet *set,
                         const char *live_text); /* both NULL: forgotten */
void session_sets_apply_focus (Session *session, const JobRankSet *set);

/* format.c */
/* The key of a state line: equal if and only if the lines are equal; exact: includes the text of the signal
 * or exception. Caller owns. */
char *session_format_make_key (const JobEvent *event, gboolean exact);
/* Adds what the event says of its ranks to those groups (keys: of lines) that say the same. */
void session_format_add_last (const Session *session, GHashTable *keys, GPtrArray *groups,
                              const JobEvent *event, gboolean exact);
void session_format_sort_groups (GPtrArray *groups);
void session_format_note_place (Session *session, const JobLocation *place);
