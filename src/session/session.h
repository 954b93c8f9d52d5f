/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live job as the user knows it. Events come up through `session_apply`, requests go down through
 * session_submit, and what is believed changes behind that door alone (HACKING.md). Uses GObject and GIO, never GTK. Ranks here are MPI ranks. */
#pragma once
#include <gio/gio.h>
#include "analysis/common.h"
#include "analysis/divergence.h"
#include "analysis/verdict.h"
#include "analysis/messages.h"
#include "base/text.h"
#include "job/event.h"
#include "job/name.h"
#include "job/request.h"
#include "job/stack-fold.h"

#define SESSION_TYPE_SESSION (session_get_type ())
G_DECLARE_FINAL_TYPE (Session, session, SESSION, SESSION, GObject)
/* Signals (all on the main context):
 *  "states-changed" (guint first, guint end)      coalesced, at most every 16 ms, idle priority
 *  "output" (gpointer JobRankSet*, guint stream, GBytes*)  set NULL: "job|"
 *  "finished" (guint64 request, gboolean ok, gpointer JobRankSet* missing)  all ranks answered, or
 *                                                 the deadline passed: missing names the rest
 *  "message" (guint severity, const char *text, const char *shown)   0 note, 1 warning, 2 error;
 *                                                 in English, and in the language of the windows
 *  "breakpoints-changed" ()
 *  "sets-changed" ()
 *  "ready" ()                                     every rank has reached its first stop
 *  "verdict" (gpointer AnalysisVerdict*)          a step is blocked, and why; unasked; borrowed
 *  "progress" (guint64 request, guint arrived, guint asked)  of a slow step; in the last one all
 *                                                 have arrived
 *  "busy" (gboolean)                              whether any request is open
 *  "sources-moved" ()                             the option source-folders has changed
 *  "clock" (gpointer SessionClockReading*)        an answer to session_ask_clocks; borrowed
 *  "restarted" ()                                 nothing of the job before is of the present moment
 *  "ended" (int wait_status)                      the launcher is gone */

/* The time on another host while it was between two times here; each in µs of its own
 * CLOCK_MONOTONIC. */
typedef struct {
    const char *host;
    gint64 sent_us, received_us;
    gint64 there_us;
} SessionClockReading;

typedef struct {
    gboolean is_there; /* else the rest is 0 */
    JobState state;
    gint32 number;            /* breakpoint number or exit status */
    const char *text, *text2; /* signal or exception */
    const JobLocation *place; /* NULL unknown */
    guint64 stop;
    gint64 place_us;       /* when the place was learned, to some 16 ms; 0 never */
    gint64 motion_us;      /* last motion, to some 16 ms; 0 none */
    gboolean is_place_new; /* learned after the last motion began */
    guint64 motion;        /* request id of an unfinished motion, 0 none */
    gint32 pid;
    const char *host;
} SessionRank;

typedef struct {
    guint64 hits;
    JobRankSet *ranks;
} SessionHits;

typedef struct {
    guint32 number;
    JobRankSet *ranks;     /* asked for */
    JobRankSet *set_ranks; /* where it is set */
    JobWhere where;
    char *condition, *log;
    guint64 every;
    guint32 thread; /* of each rank, the only one that it stops; 0 any */
    gboolean temporary;
    JobRankSet *disabled; /* of `ranks`, those that pass over it */
    char *kind;           /* "break", "catch", "watch" */
    GPtrArray *places;    /* of JobLocation; empty while pending */
    char *reason;         /* why it is pending, as a rank has said last; NULL */
    guint64 hits;
    /* of SessionHits, by count; ranks that it never stopped are in none */
    GPtrArray *hit_groups;
    JobRequest *before; /* its condition, log and count before the change of that id; NULL */
} SessionBreakpoint;

typedef struct {
    const char *const *argv;        /* the user's command */
    const char *stop_at;            /* "main" … */
    const char *input_ranks;        /* NULL */
    const char *folder;             /* NULL: current */
    const char *const *environment; /* NULL or additions */
    /* fed to the launcher, which gives it to rank 0; NULL: the user feeds */
    const char *input_file;
    /* also keeps what each rank writes, rank-N.out and rank-N.err; NULL */
    const char *output_folder;
    const char *source_folders; /* as the option source-folders; NULL: as it is */
    guint timeout_s;
    gboolean keep;
    gboolean carry; /* from now on hosts that have no pddt get its daemon */
    /* It runs as if pddt were not there, and is sampled from its start to its end: SAMPLES come to
     * listeners. Its launcher has this process's standard descriptors and terminal. */
    gboolean is_measured;
    guint rate;      /* of that: samples of each thread in a second; 0: as many as suit */
    guint32 metrics; /* of that: the set of what is measured too (job/metric.h); 0: all */
    /* Of that: an absolute path, in which the ranks of a job that starts record what they do (see
     * agent/trace-layout.h); NULL: they do not. */
    const char *trace_folder;
    gboolean is_unsampled; /* of that: ranks are not sampled */
    gboolean is_patient;   /* a user is watching: after the loss of a rank or host, keep the
                                 rest of the job for a while if the launcher can wait */
    /* Or, instead of argv, one of these: */
    const char *attach;       /* "PID,PID…" */
    const char *attach_job;   /* "PID" of a launcher */
    const char *attach_ranks; /* only these of its ranks, "0-3,8"; NULL: all */
    const char *const *cores; /* core files; folder: where to look for a program that has
                                 moved */
    guint32
        living; /* of session_remote_list_living: it runs there already, and is taken over; 0: none */
} SessionOptions;

Session *session_new (void);
/* Starts the job. NOT_FOUND, INVALID, DENIED, UNSUPPORTED in the contract's sentences. */
gboolean session_start (Session *session, const SessionOptions *options, GError **error);
/* Starts to ask the launcher that the words begin with for its version, and returns at once: for a program that
 * has other things to do until it calls session_start. */
void session_begin_questions (const char *const *argv);
/* Asks the launcher that the words begin with for its version beside the main loop, so that a
 * session_start that follows does not wait for it. Calls back once. finish: FALSE with TIMEOUT, DENIED or
 * cancelled; every other error is session_start's. */
void session_prepare_async (const char *const *argv, GCancellable *cancellable,
                            GAsyncReadyCallback done, gpointer user);
gboolean session_prepare_finish (GAsyncResult *result, GError **error);
/* Emits "message". What a front end has to say to whoever listens, as the session itself does. */
void session_say_text (Session *session, guint severity, const BaseText *text);
/* For tests: a session of n existing ranks whose requests go to `send` instead of the net. */
void session_start_scripted (Session *session, guint32 n_ranks,
                             void (*send) (const JobRequest *request, gpointer user),
                             gpointer user);
/* Listeners get every event after it was applied, at a tenth of a signal's cost. Sets are
 * ranks; the event is borrowed. Remove each listener that you add; both functions may be called
 * from a listener. */
typedef void (*SessionListener) (Session *session, const JobEvent *event, gpointer user);
void session_add_listener (Session *session, SessionListener listener, gpointer user);
void session_remove_listener (Session *session, SessionListener listener, gpointer user);
/* Prefetches the record of the event's lowest rank, a few events before session_apply: ranks
 * come in random order, and their records exceed any cache. */
void session_expect (const Session *session, const JobEvent *event);
#define SESSION_EXPECT_AHEAD 6 /* events */
/* Applies the event, then calls the listeners. Sets are ranks. The event is borrowed. */
void session_apply (Session *session, const JobEvent *event);
/* Takes the request, gives it the next id, sends it; returns the id. An empty set finishes at once.
 * deadline_ms 0: the default of the verb. */
guint64 session_submit (Session *session, JobRequest *request);
/* Before session_start: the client will ask this about all ranks when they have come to their first stop, unless there are
 * more of them than ranks of the request, which it takes. Where the job is far away, the answer comes with that stop. */
void session_foresee (Session *session, JobRequest *request);
/* While held, pddt does not read the program's output: a full pipe blocks the program, as it
 * would without pddt. */
void session_hold_output (Session *session, gboolean held);
/* Of a process in a RANKS event: 1 + the rank that forked it; 0: none has, or it is not known. */
guint32 session_find_parent (const Session *session, const JobProcess *process);
/* Asks the daemon of every host that has one what time it is there: "clock" follows for each. */
void session_ask_clocks (Session *session);
/* Of a measured job: the launcher gets the signal. TERM: it is ended, if need be by force, and "ended"
 * follows. */
void session_signal_launcher (Session *session, int number);
/* What the words run, for names of files: "app" of mpirun -np 8 python3 app.py. Caller owns. */
char *session_dup_program_name (const char *const *argv);
/* Ends the job (kills its ranks, or detaches them with keep) and the helpers. */
void session_end (Session *session);
/* TRUE when session_end would kill ranks that live: pddt started them, and does not keep them. */
gboolean session_would_kill (Session *session);
/* Whether session_end lets launched ranks run on. */
void session_set_keep (Session *session, gboolean keep);

guint32 session_get_size (const Session *session); /* 0 before the first rank reports */
gboolean session_is_started (const Session *session);
gboolean session_is_ready (const Session *session);
gboolean session_is_ended (const Session *session);
gboolean session_is_core (const Session *session);          /* core files: nothing can move */
const guint8 *session_get_states (const Session *session);  /* JobState a rank, size of them */
const guint32 *session_get_counts (const Session *session); /* [JOB_N_STATES] */
guint64 session_get_generation (const Session *session);    /* changes with any state */
/* text and text2 live until the next event, host and place as long as the session. Without is_there when there is no such rank. */
SessionRank session_get_rank (const Session *session, guint32 rank);
/* One past the last of the ranks from `rank` on with equal state, place and host. */
guint32 session_find_run_end (const Session *session, guint32 rank);
const char *const *session_get_argv (const Session *session);
gint64 session_get_updated_us (const Session *session); /* of the last Update; 0 never */

/* TRUE: all of them have ended because the user killed them: nothing is wrong with them. */
gboolean session_were_killed (const Session *session, const JobRankSet *ranks);
/* The names of the signals that ranks are stopped by, such as "SIGFPE, SIGSEGV", three at most; NULL: none is.
 * *ret_is_crash: each is a fault of the rank itself. Looks at the first 256 runs of such ranks. Caller owns. */
char *session_dup_signal_names (const Session *session, gboolean *ret_is_crash);
/* Ranks now in a state; MOVING/STOPPED families as in the contract's SET parts. Caller owns. */
JobRankSet *session_dup_ranks_in_state (const Session *session, JobState state);
JobRankSet *session_dup_ranks_in_one_state (const Session *session,
                                            JobState state); /* no family */
JobRankSet *session_dup_all (const Session *session); /* of an attached job: those that exist */
JobRankSet *session_dup_unfinished (const Session *session,
                                    const JobRankSet *set); /* motions */
/* The progress of the newest step of any rank of the set (NULL: of the job): how many ranks
 * have arrived, of how many; FALSE when no step is running. */
gboolean session_find_progress (const Session *session, const JobRankSet *set,
                                guint32 *ret_arrived, guint32 *ret_asked);
/* Those asked for that step who have not arrived. Caller owns. */
JobRankSet *session_dup_late (const Session *session, const JobRankSet *set);
/* The ranks that were asked for the step that has ended last, where some are in the set, all have
 * arrived and none has moved since. Borrowed until the next event; NULL: there is none. */
const JobRankSet *session_find_last_step (const Session *session, const JobRankSet *set);
/* Those of the set that are stopped. ret_signature (NULL: not wanted): of their moment, as session_sign_moment
 * (session/moment.h); 0 when nobody is stopped. Caller owns. */
JobRankSet *session_dup_stopped (const Session *session, const JobRankSet *set,
                                 guint64 *ret_signature);
AnalysisFace *session_dup_face (const Session *session, const JobRankSet *set);
/* State lines of the contract for the set: "0-3,5: breakpoint 1, work at app.py:12". */
char *session_format_state (BaseTextForm form, const Session *session,
                            const JobRankSet *set); /* lines, '\n' each */
/* The shortest suffix of path that is unambiguous among the files of the session. Caller owns. */
char *session_dup_short_file (const Session *session, const char *path);
/* Whether to truncate very long lists of ranks, as a window needs, and give their number
 * instead. FALSE at first. */
void session_set_brief (Session *session, gboolean brief);
char *session_format_place (BaseTextForm form, const Session *session,
                            const JobLocation *place); /* "work at app.py:12" */
/* The frames that a fold hides, from the first hidden one on: "odd at app.py:3, even at
 * app.py:7". Caller owns. */
char *session_format_fold (BaseTextForm form, const Session *session,
                           const JobStackNode *hidden, const JobStackFold *fold);

guint32 session_next_breakpoint_number (Session *session); /* reserves one */
GPtrArray *
session_get_breakpoints (const Session *session); /* of SessionBreakpoint, by number */
/* "0-3: 2, 5: 1": how often it has stopped which ranks; "" none. Caller owns. */
char *session_breakpoint_format_hits (const SessionBreakpoint *breakpoint);
const SessionBreakpoint *session_find_breakpoint (const Session *session, guint32 number);
/* Whether it is enabled in any of these ranks; NULL: in any rank that it was set for. */
gboolean session_breakpoint_is_enabled (const SessionBreakpoint *breakpoint,
                                        const JobRankSet *ranks);
/* That sets it in these ranks as it is in its own. Caller owns. */
JobRequest *session_breakpoint_make_request (const SessionBreakpoint *breakpoint,
                                             const JobRankSet *ranks);

const JobRankSet *session_get_focus (const Session *session);
void session_set_focus (Session *session, const JobRankSet *set);
/* Named sets: fixed ones, and live ones, which keep their text and are computed by the command
 * layer. */
void session_set_named (Session *session, const char *name, const JobRankSet *set,
                        const char *live_text);
const JobRankSet *session_find_named (const Session *session, const char *name,
                                      const char **ret_live_text);
gboolean session_remove_named (Session *session, const char *name); /* FALSE: there is none */
char **session_dup_set_names (const Session *session);
/* The user's name of a fixed set of exactly these ranks; NULL: there is none. Caller owns. */
char *session_dup_set_name (const Session *session, const JobRankSet *set);
void session_write_input (Session *session, const JobRankSet *set, const char *text,
                          gboolean eof);

/* Why the job could not be started, or which host was lost: pddt's exit status 3. NULL: nothing. */
const char *session_get_failure (const Session *session);
/* State lines, as in session_format_state, of each rank's last state in a list of STATE events,
 * without running and stepping. Ignores other kinds of events. */
char *session_format_event_states (const Session *session, GPtrArray *events);
/* The same without keeping the events: each rank's last state, in four bytes a rank. */
typedef struct _SessionLastStates SessionLastStates;
SessionLastStates *session_last_states_new (void);
void session_last_states_free (SessionLastStates *last);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionLastStates, session_last_states_free)
void session_last_states_add (SessionLastStates *last, const JobEvent *event); /* other kinds:
                                                                                * ignored */
gboolean session_last_states_is_empty (const SessionLastStates *last);
/* Returns the states and empties last. Of JobEvent (STATE), by lowest rank; exact: as below.
 * Caller owns (unref). */
GPtrArray *session_last_states_take (SessionLastStates *last, const Session *session,
                                     gboolean exact);
/* As session_format_event_states, but as events for other writers: of JobEvent (STATE), by
 * lowest rank. exact: includes moving ranks, and separates those whose signal or exception has
 * another text2. */
GPtrArray *session_dup_last_states (const Session *session, GPtrArray *events, gboolean exact);
/* As session_format_state, but a STATE event for each group. Caller owns (unref). */
GPtrArray *session_dup_state_groups (const Session *session, const JobRankSet *set);
/* One state line of a STATE event, without '\n'; and the same without the ranks before it. */
char *session_format_state_event (BaseTextForm form, const Session *session,
                                  const JobEvent *event);
/* Why a rank has its signal, or its exception's message: text2 of a state. Caller owns. */
char *session_format_reason (BaseTextForm form, const Session *session, const char *reason);
/* A state that is formed already, and its reason, NULL: none. Caller owns. */
char *session_format_state_and_reason (BaseTextForm form, const Session *session,
                                       const char *state, const char *reason);
char *session_format_event_state (BaseTextForm form, const Session *session,
                                  const JobEvent *event);
/* TRUE when the user detached the rank; its state is LOST. */
gboolean session_is_detached (const Session *session, guint32 rank);
/* Deadlines of queries and of the acceptance of motions; 30 s and 10 s at first. */
void session_set_deadlines (Session *session, guint query_ms, guint motion_ms);
/* The oldest request that is waiting for answers. FALSE: there is none. */
typedef struct {
    guint64 id;
    JobVerb verb;
    guint32 n_answered, n_asked; /* asked: ranks that still can answer */
    gint64 begin_us;
} SessionPending;
gboolean session_find_pending (const Session *session, SessionPending *ret_pending);
/* Stops waiting for the request: "finished" names the ranks that have not answered as missing,
 * and later answers are dropped. A new breakpoint is removed from ranks that have not confirmed
 * it. id 0: all open requests. */
void session_cancel (Session *session, guint64 id);
/* Progress while a job starts, pddt attaches, or it opens core files. */
typedef struct {
    guint32 n_there, n_due, n_arrived; /* n_due 0: not known yet; n_arrived: at their first
                                          stop */
    gboolean is_attached;              /* attached processes or core files */
} SessionBeginning;
gboolean session_find_beginning (const Session *session,
                                 SessionBeginning *ret_beginning); /* FALSE: over */
/* "312 of 512 ranks have reported"; NULL: the start is over. Caller owns. */
BaseText *session_dup_beginning_text (const Session *session);
/* Cancels the start: emits a message, ends what was started, detaches what was attached;
 * "ended" follows. */
void session_give_up_beginning (Session *session);
gboolean session_is_given_up (const Session *session); /* until the next start */
/* Ranks of silent hosts, which do not answer but are not lost yet: their data is stale. NULL:
 * all answer. Borrowed. "states-changed" reports changes. */
const JobRankSet *session_find_silent (const Session *session);
/* Since when the first of them has been silent; 0: all answer. */
gint64 session_get_silent_since_us (const Session *session, const JobRankSet *ranks);
/* For the net and scripted sessions: the ranks have been silent for silent_ms; 0: they answer
 * again. */
void session_set_silent (Session *session, const JobRankSet *ranks, guint silent_ms);
/* A line of a rank's output, filtered for a terminal, without its newline. Caller owns. */
char *session_dup_output_line (const Session *session, const char *line);
/* Where sources are that have moved since they were compiled, "FOLDER:OLD=NEW:…": the option
 * source-folders; NULL: they have not. */
const char *session_get_source_folders (const Session *session);
/* The request number of the job's start, which the events of the first stops carry. A failed
 * start has one, too. */
guint64 session_get_start_request (Session *session);
/* Reserves an id that no request will get. */
guint64 session_reserve_request (Session *session);
/* The id that the next session_submit will return: answers may come before it does. */
guint64 session_get_next_request (const Session *session);
/* Bytes for the launcher's own standard input, as if pddt were not there. */
void session_forward_input (Session *session, const char *data, gsize size, gboolean eof);
/* TRUE when the launcher has a megabyte of unread input: stop forwarding. */
gboolean session_is_input_full (const Session *session);
/* What may be done to the ranks to find something out. */
typedef enum {
    SESSION_LOOK_QUIET,    /* nobody has asked: no rank is halted */
    SESSION_LOOK_RECORDED, /* those without the recorder are halted for a moment */
    SESSION_LOOK_OPEN /* the user asks: so are threads that cannot be judged otherwise, and culprits that
                              are running, to learn their places */
} SessionLook;
/* Finds out why the set does not proceed, from the queues of the whole job. `missing` did not answer; it, the verdict and the table that it was found in are borrowed. `done` is called
 * once, never from within this call, unless cancelled. */
typedef void (*SessionWhyDone) (Session *session, const AnalysisVerdict *verdict,
                                const JobRankSet *missing, const JobMessageTable *table,
                                gpointer user);
void session_why (Session *session, const JobRankSet *set, SessionLook look,
                  SessionWhyDone done, gpointer user);
/* Cancels all requests with this user. */
void session_why_cancel (Session *session, gpointer user);

/* Finds names in the program of these ranks that contain the text: functions, source files,
 * variables outside of functions (kinds: of JobNameKind, or JOB_NAME_ANY), at most max of them,
 * each once. Searches debug information and symbols of everything loaded, without stopping a
 * rank. `done` is called once, later, with a GPtrArray of JobName (borrowed, maybe empty), best
 * first: exact matches, prefixes, prefixes of a component ("ns::NAME"), then others. Fortran
 * names match case-insensitively. */
typedef void (*SessionNamesDone) (Session *session, const GPtrArray *names, gpointer user);
void session_find_names (Session *session, const JobRankSet *set, const char *text, guint kinds,
                         guint max, SessionNamesDone done, gpointer user);
/* Cancels all searches with this user. */
void session_find_names_cancel (Session *session, gpointer user);
/* The last collective that ranks have in common, as in analysis/common.h; NULL. Caller owns. */
BaseText *session_format_common (const JobMessageTable *table, const JobRankSet *ranks);
/* Groups that have diverged: of AnalysisSplit, oldest first. Borrowed. */
GPtrArray *session_get_splits (const Session *session);
/* If `catch divergence` is set for all of them, steps them line by line, over calls, until they
 * diverge or something else stops them. FALSE: it is not set, and nothing begins. */
gboolean session_march (Session *session, const JobRankSet *set);
gboolean session_is_marching (const Session *session,
                              const JobRankSet *ranks); /* all of them */
/* Ends the job and starts the same line again; "ready" follows, or "ended". The session keeps
 * its breakpoints; the caller must set them again then. UNSUPPORTED when pddt did not start the
 * job, BUSY. */
gboolean session_restart (Session *session, GError **error);
gboolean session_can_restart (const Session *session); /* pddt started the job */
/* The old job has not ended yet, or its launcher is asked what it is. */
gboolean session_is_restarting (const Session *session);
/* The requests that set all known breakpoints: of JobRequest; caller owns (unref). */
GPtrArray *session_dup_breakpoint_requests (const Session *session);
/* The same, preceded by the settings for signals (HANDLE) and options: for the ranks of a new
 * start. */
GPtrArray *session_dup_restart_requests (const Session *session);
