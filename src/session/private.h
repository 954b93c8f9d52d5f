/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of session share: the object's fields and the calls between them. */
#pragma once
#include "session/backend/backend.h"
#include "session/group-list.h"
#include "session/model/list-private.h"
#include "session/options.h"
#include "session/query.h"
#include "session/session.h"
#include "session/model/slot-map.h"

typedef struct {
    guint64 id;
    JobVerb verb;
    guint32 number;                                   /* breakpoint's */
    JobRankSet *asked, *answered, *failed, *hopeless; /* hopeless: nobody is left to answer */
    JobRankSet *
        old; /* who has begun to move or was written to since: what they answer was so before; NULL: nobody */
    GPtrArray *local_events; /* of JobEvent: answers that need no daemon; given from idle */
    gint64 begin_us;
    guint lasts_ms; /* how long the ranks were told to take for the answer */
    guint deadline_source;
    gboolean settled;    /* in the queue of those to be finished from idle */
    SessionQuery *query; /* gets the answers; NULL: nobody waits for them */
} SessionRequest;

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
#define SESSION_N_LENT 16
#define SESSION_N_RECENT 16

/* What session_get_rank has given out last. */
typedef struct {
    SessionRank ranks[SESSION_N_LENT];
    guint next;
} SessionLent;

typedef struct _SessionFiles SessionFiles;
typedef struct _SessionStill SessionStill;
typedef struct _SessionMessages SessionMessages;

/* Of a session whose user is elsewhere (served.c): it knows the ranks, and tells what happens instead of judging
 * it. */
typedef enum {
    SESSION_TOLD_SILENT,   /* ranks; ms */
    SESSION_TOLD_DROP,     /* ranks: session_requests_drop */
    SESSION_TOLD_CUT_OFF,  /* ranks: cut_off */
    SESSION_TOLD_LAUNCHER, /* has ended; its wait status */
    SESSION_TOLD_ENDED,
    SESSION_TOLD_READY,  /* with those that have come */
    SESSION_TOLD_WANTED, /* n_wanted, n_searched */
    SESSION_N_TOLD
} SessionTold;
typedef struct _SessionRelay SessionRelay;
struct _SessionRelay {
    const JobRequest *start; /* the request START, of the user's session; NULL: attached */
    void (*event) (SessionRelay *relay, Session *session, const JobEvent *event);
    void (*say) (SessionRelay *relay, guint severity, const char *text); /* 3: failure */
    void (*note) (SessionRelay *relay, SessionTold told, const JobRankSet *ranks, gint64 a,
                  gint64 b);
};

/* How the job was started, for once more. */
typedef struct {
    SessionOptions options; /* its strings are those below */
    char **argv, **environment, *stop_at, *input_ranks, *folder, *input_file, *output_folder;
    gboolean is_known, is_running;
    guint source;
    GCancellable *asking; /* the launcher what it is; NULL: not now */
    GPtrArray *settings;  /* of JobRequest: HANDLE and OPTION, in their order */
} SessionAgain;

/* Ranks of one motion that have arrived or left it, while an event tells of them one by one. */
typedef struct {
    guint64 id;
    guint32 n_arrived, n_left;
    gboolean is_held;
} SessionNoted;

typedef struct {
    SessionListener listener; /* NULL: removed */
    gpointer user;
} SessionHearing;

struct _Session {
    GObject parent;
    GArray *hearings;      /* of SessionHearing */
    guint n_telling;       /* calls under way */
    guint64 start, writes; /* moment.c */
    gint64 started_us;
    /* ranks */
    guint32 size, capacity, n_reported, n_arrived;
    guint32 first_child; /* children.c: they come after the others; 0: none yet */
    SessionRankRecord *ranks;
    guint32 *rank_facts; /* index of each rank's fact */
    guint8 *states;
    guint32 n_motions;    /* ranks with an unfinished motion */
    JobRankSet *killed;   /* on request; NULL: none were */
    GPtrArray *facts;     /* of SessionFact, by index; the first says nothing */
    GHashTable *fact_set; /* the same, by content */
    const SessionFact *recent_facts[SESSION_N_RECENT]; /* the last one of a state; NULL none */
    GPtrArray *host_names;    /* of interned char*, by index; the first is NULL */
    GHashTable *host_indexes; /* name to index */
    gint64 begin_us;          /* when ticks began to count */
    SessionLent *lent;
    guint32 counts[JOB_N_STATES];
    guint64 generation;
    gint64 updated_us;
    guint32 dirty_first, dirty_end;
    guint dirty_source;
    GHashTable *places;  /* set of JobLocation: every place once, never freed before the end */
    GStringChunk *texts; /* const strings: signals, exceptions, hosts */
    GHashTable *reasons; /* of signals: those of the texts that say why, to JobText */
    GHashTable *files;   /* set of paths, for the shortest suffix */
    GHashTable *methods; /* interned place to the mpi4py method of its line, or NULL */
    GHashTable *short_files; /* path to shortest suffix; emptied when files grow */
    /* requests */
    GHashTable *requests;  /* id to SessionRequest */
    GPtrArray *selections; /* of SessionSelection, not owned; NULL before the first */
    guint64 last_id;
    guint idle_source;
    guint query_ms, motion_ms;
    SessionFiles *user_files; /* NULL: none */
    /* options */
    GHashTable *options; /* name to value, of those that were set */
    GHashTable *untold;  /* set of names: no rank was there to be told */
    GPtrArray *skips;    /* of char*; NULL: removed */
    /* silence */
    GPtrArray *silences; /* of Silence, oldest first; NULL before the first */
    JobRankSet *silent;  /* all of theirs */
    JobRankSet *cut_off; /* of hosts whose daemon is gone; NULL: none */
    /* breakpoints, sets */
    SessionList *breakpoint_list, *set_list; /* model.c */
    GPtrArray *group_lists;                  /* of SessionGroupList, not owned */
    guint n_named_files;                     /* when they were last told of changes */
    SessionMessages *messages;
    SessionList *operations; /* operations.c */
    GPtrArray *breakpoints;
    guint32 last_breakpoint;
    JobRankSet *focus;
    gboolean focus_is_all;
    GHashTable *named; /* name to NamedSet */
    JobRankSet *input_ranks;
    /* life */
    gboolean is_brief;
    gboolean started, ready, ended, ending, keep, stop_at_none, is_measured;
    const char *trace_folder;    /* of the options; only while it starts */
    gboolean is_detaching;       /* session_end waits for the hosts, in a loop of its own */
    gboolean is_given_up;        /* the start, by the user */
    gboolean is_core;            /* so are core files, which never move */
    gboolean is_attached;        /* there is no launcher of ours */
    guint32 n_wanted, n_refused; /* processes that were to be attached to */
    guint n_searched;            /* hosts where they are still looked for */
    guint32 told_wanted, told_searched; /* to the relay */
    guint64 start_request;
    guint timeout_s, timeout_source, grace_source, nobody_source, served_source;
    int wait_status;
    char *failure;
    char **argv;
    /* restart */
    SessionAgain again;
    /* progress */
    GHashTable *steps;   /* request id to what is known of the step */
    JobRankSet *stepped; /* who was asked for the step that has ended last, all arrived; NULL */
    SessionNoted noted;
    /* names */
    GList *searches;
    /* why */
    GList *inquiries;
    gboolean soft_running;
    guint soft_source;
    char *soft_text;     /* said last, unasked */
    SessionStill *still; /* still.c; NULL: nobody has been looked at */
    /* collectives */
    SessionQuery *collectives;         /* the look under way; NULL none is */
    JobMessageTable *last_collectives; /* of ranks that are in MPI_Finalize or beyond; NULL */
    GHashTable *mismatched;            /* set of "communicator sequence" that was told */
    guint collectives_source;
    gint64 collectives_begin_us;
    gboolean collectives_off;  /* by option, or nobody has the recorder */
    gboolean collectives_full; /* the look is the one that reads places */
    /* diverged */
    /* of AnalysisPlaceGroup: those that stood together at their last stop */
    GPtrArray *together;
    GPtrArray *splits;       /* of AnalysisSplit, oldest first */
    JobRankSet *marching;    /* they go on line by line until they part; NULL nobody */
    gboolean is_marching_on; /* the next line is being asked for */
    guint diverged_source;
    guint diverged_ms;             /* the pause that the last look has earned */
    const SessionBackend *backend; /* NULL: nothing was started */
    SessionRelay *relay;           /* NULL: the user is here */
    void (*send) (const JobRequest *request, gpointer user); /* of a script */
    gpointer send_user;
    gpointer ground;             /* the backend's own; NULL: nothing */
    GHashTable *script_texts;    /* of a script: path to text; NULL: none */
    GHashTable *script_times;    /* the same: path to gint64, when it was said */
    GPtrArray *script_running;   /* of SessionRunning; NULL: none */
    GHashTable *script_programs; /* set of paths; NULL: none */
    SessionSlotMap *slot_map;    /* NULL before the first rank reported */
    gboolean slots_differ;       /* some rank is not its slot */
};

enum {
    SESSION_STATES_CHANGED,
    SESSION_OUTPUT,
    SESSION_FINISHED,
    SESSION_SAID, /* "message" */
    SESSION_BREAKPOINTS_CHANGED,
    SESSION_SETS_CHANGED,
    SESSION_READY,
    SESSION_ENDED,
    SESSION_VERDICT,
    SESSION_PROGRESS,
    SESSION_BUSY,
    SESSION_SOURCES_MOVED,
    SESSION_CLOCK,
    SESSION_RESTARTED,
    SESSION_N_SIGNALS
};
extern guint session_signals[SESSION_N_SIGNALS];

/* Emit "message". A format is a whole sentence, marked N_ ("…") for translators, and what others have
 * said ("%s") is not translated; one and many as for base_text_new_plural. */
void session_say (Session *session, guint severity, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void session_say_plural (Session *session, guint severity, const char *one, const char *many,
                         gulong n, ...) G_GNUC_PRINTF (3, 6) G_GNUC_PRINTF (4, 6);
void session_say_error (Session *session, guint severity, const GError *error);
/* Takes text. */
void session_fail_text (Session *session, BaseText *text);
/* A notice about these ranks, as an event. Takes text. */
void session_note (Session *session, const JobRankSet *ranks, BaseText *text);
/* An error that is also the session's failure, if it is the first. */
void session_fail (Session *session, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* session.c: what the front end itself decides, and what it learns from others than the ranks, comes in by the
 * door of events. Nothing else changes what it believes of ranks, breakpoints, options and sets, which
 * tests/meta checks. */
typedef enum {
    SESSION_CHANGE_REQUEST, /* `request` is about to be sent */
    SESSION_CHANGE_BEGIN,   /* `ranks` begin the motion of request `number` */
    SESSION_CHANGE_GIVE_UP, /* nothing will be heard from `ranks` about the motion of request `number` */
    SESSION_CHANGE_STATE, /* `event` is what is believed; nothing has happened in its ranks */
    SESSION_CHANGE_DROP,  /* the breakpoint `number` is not for `ranks` any more */
    SESSION_CHANGE_CHILD, /* breakpoints of rank `number` are for `ranks`, too, which it has forked */
    SESSION_CHANGE_OPTION, /* `name` is `text` */
    SESSION_CHANGE_SKIP, /* `text` is skipped, too; NULL: what has the `number` is not any more */
    SESSION_CHANGE_SET, /* `name` is `ranks`, or `text`, which is computed; both NULL: forgotten */
    SESSION_CHANGE_FOCUS,   /* `ranks` are acted on */
    SESSION_CHANGE_SILENCE, /* `ranks` have been silent for `number` ms; 0: they answer */
    SESSION_CHANGE_RESTART, /* nothing is known of a rank any more */
} SessionChangeKind;
typedef struct {
    SessionChangeKind kind;
    const JobRequest *request;
    const JobEvent *event;
    const JobRankSet *ranks;
    const char *name, *text;
    guint64 number;
} SessionChange;
void session_apply_change (Session *session, const SessionChange *change);

/* still.c */
/* The table of a poll: who has been inside one call since when. Not from inside of an answer to it. */
void session_still_update (Session *session, const JobMessageTable *table);
void session_still_note_state (Session *session,
                               const JobEvent *event); /* after it was applied */
/* Until a look can show that a rank which stood in the last one still does; much when none did. */
guint session_still_get_rest_ms (const Session *session);
void session_still_clear (Session *session);

/* collectives.c */
void session_collectives_note_state (Session *session, const JobEvent *event);
/* Queues that nobody has asked for: of no concern to anybody else. */
void session_collectives_apply (Session *session, const JobEvent *event);
void session_collectives_note_option (Session *session, const JobRequest *request);
void session_collectives_clear (Session *session);

/* progress.c */
void session_progress_init (Session *session);
void session_progress_clear (Session *session);
/* Motions that are steps are followed; the others not. */
void session_progress_begin (Session *session, JobVerb verb, const JobRankSet *ranks,
                             guint64 id);
/* A rank's motion is over: it has arrived, or it is out of the count. */
/* What is noted between them counts at the end, at once. */
void session_progress_hold (Session *session);
void session_progress_release (Session *session);
void session_progress_note (Session *session, guint64 id, gboolean has_arrived);
/* Until those on their way are asked for; 0 now, or not followed. */
guint session_progress_get_rest_ms (const Session *session, guint64 id);

/* moment.c */
/* What session_sign_moment sums up; of stopped ranks only, where that is known. */
guint64 session_moment_sign_range (const Session *session, guint32 first, guint32 end);
guint64 session_moment_sign_job (const Session *session);
void session_moment_note_write (Session *session, const JobRequest *request); /* to be sent */
void session_moment_forget (Session *session); /* another start begins */

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
/* The rank behind the last of those from `rank` on that are told by the same fact, at most `end`. */
guint32 session_ranks_find_end (const Session *session, guint32 rank, guint32 end);
/* The one copy of a place. */
const JobLocation *session_ranks_intern_place (Session *session, const JobLocation *place);

/* options.c */
void session_options_init (Session *session);
void session_options_clear (Session *session);
void session_options_apply (Session *session, const char *name, const char *value);
void session_options_apply_skip (Session *session, const char *line, guint32 number);
/* Tells the ranks what was set before they came. */
void session_options_tell (Session *session);
gboolean session_option_is_on (const Session *session, const char *name);

/* files.c */
/* NOT_FOUND, DENIED. */
gboolean session_files_open (Session *session, const SessionOptions *options, GError **error);
void session_files_feed (Session *session); /* the launcher runs */
void session_files_close (Session *session);

/* running.c: from this host's /proc. Of SessionRunning; caller owns (unref). */
GPtrArray *session_running_list_here (void);

/* remote-backend.c: for session_prepare_async. */
gboolean session_remote_is_connected (void);

/* selection.c */
/* Of all clients: their ranks are those of a job that is over. */
void session_selections_forget (Session *session);

/* silence.c */
void session_silence_clear (Session *session);
void session_silence_apply (Session *session, const JobRankSet *ranks, guint silent_ms);

/* names.c */
void session_names_clear (Session *session);

/* why.c */
void session_why_note_state (Session *session, const JobEvent *event);
/* Why do those that are blocked not get on? Told by "verdict", where it is worth it; not before
 * so many ms, and a moment later, as they do not come at once. */
void session_why_ask (Session *session, guint ms);
void session_why_clear (Session *session);

/* restart.c */
/* What is to be said to the ranks of the next start again. */
void session_restart_note_setting (Session *session, const JobRequest *request);
void session_restart_note_options (Session *session, const SessionOptions *options);
void session_restart_on_ended (Session *session);
/* No new job starts any more. Serves the main loop for as long as it takes to end a launcher that
 * does not answer, a second at most. */
void session_restart_cancel (Session *session);
void session_restart_clear (Session *session);
void session_ranks_forget (Session *session); /* ranks.c: as before the first rank reported */

/* diverged.c */
void session_diverged_init (Session *session);
void session_diverged_clear (Session *session);
void session_diverged_note_state (Session *session, const JobEvent *event);
/* What the session does itself: it is not sent. */
gboolean session_diverged_is_own (const Session *session, const JobRequest *request);
/* Another motion of these ranks begins. */
void session_diverged_cancel (Session *session, const JobRankSet *ranks);

/* requests.c */
void session_requests_init (Session *session);
void session_requests_clear (Session *session);
void session_requests_apply (Session *session, const JobEvent *event);
/* The ranks will answer no more: open requests count them as missing. */
void session_requests_drop (Session *session, const JobRankSet *ranks);
/* Finishes all that are open, with those who have not answered missing. Called when no rank is known:
 * what is submitted while they finish ends by itself. */
void session_requests_give_up (Session *session);

/* As session_submit; the answers go to the query, which may be NULL. */
guint64 session_requests_submit (Session *session, JobRequest *request, SessionQuery *query);
void session_requests_forget_query (Session *session, guint64 id);

/* query.c */
gboolean session_query_wants (const JobEvent *event);
void session_query_collect (SessionQuery *query, const JobEvent *event);
/* The answer is complete; then calls `done`, which may free the query. */
void session_query_finish (SessionQuery *query, SessionRequest *request,
                           const JobRankSet *missing, gboolean ok);
void session_query_call (SessionQuery *query);
void session_query_lose_session (SessionQuery *query);

/* model.c: the lists' only writers, which also emit the signals. What has the number or name is looked
 * up in the session. stop: of the event that says so, 0 none. Only breakpoints.c and sets.c call them. */
void session_model_init (Session *session);
void session_model_clear (Session *session);
void session_model_note_breakpoint (Session *session, guint32 number, guint64 stop);
void session_model_note_set (Session *session, const char *name);

/* gather.c: groups of ranks of which the same is known. */
typedef struct _SessionGather SessionGather;
typedef struct {
    char *key;          /* equal keys: one group */
    JobEvent *event;    /* STATE; stop: the highest of its ranks */
    guint32 place_tick; /* of the oldest place; 0: one has none */
} SessionGathered;
SessionGather *session_gather_new (const JobRankSet *ranks, SessionGrouping by);
void session_gather_free (SessionGather *gather);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionGather, session_gather_free)
/* Looks at some n_ranks more. TRUE: it has seen all. */
gboolean session_gather_go_on (SessionGather *gather, const Session *session, guint32 n_ranks);
/* Of SessionGathered, in the order of the grouping; the gathering is over. What is in them may be taken.
 * Caller owns (unref). */
GPtrArray *session_gather_take (SessionGather *gather);
void session_gathered_free (gpointer gathered);

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

/* group-list.c */
/* These ranks look different now. */
void session_group_lists_note (Session *session, guint32 first, guint32 end);
void session_group_lists_forget (Session *session); /* there are no ranks any more */
void session_group_lists_clear (Session *session);

/* breakpoints.c */
/* A breakpoint of the parent is the child's as well, from its birth on. */
void session_breakpoints_share (Session *session, guint32 parent, guint32 child);
void session_breakpoints_reset (Session *session); /* as before they were set in any rank */
void session_breakpoint_free (gpointer breakpoint);
void session_breakpoints_apply_request (Session *session, const JobRequest *request);
void session_breakpoints_apply (Session *session, const JobEvent *event);
void session_breakpoints_apply_hit (Session *session, const JobEvent *event);
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

/* life.c */
void session_life_be_ready (Session *session); /* with those that have come */
void session_life_check_ready (Session *session);
void session_life_send (Session *session, const JobRequest *request);
void session_life_clear (Session *session);
void session_life_begin_timeout (Session *session);
void session_life_check_ended (Session *session);
void session_life_end (Session *session); /* "ended" is said */
/* Its ranks count as lost, and answer no more. */
void session_life_mark_lost (Session *session, const JobRankSet *ranks);
void session_life_note_launcher_ended (Session *session, int wait_status);

/* A FAILURE of nobody's: a rank that the system does not let be debugged. */
void session_life_apply_refusal (Session *session, const JobEvent *event);

/* TRUE for the text of a LOST state that was wanted. */
gboolean session_is_detached_text (const char *text);

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
