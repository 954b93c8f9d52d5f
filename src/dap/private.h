/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of dap share: the client's open requests, what it knows as threads, frames and values, and the
 * breakpoints it has set. */
#pragma once
#include "base/array.h"
#include "command/command.h"
#include "command/out.h"
#include "dap/dap.h"
#include "dap/reader.h"
#include "dap/write.h"
#include "session/query.h"

typedef struct _DapServer DapServer;
typedef struct _DapTerminal DapTerminal;
typedef struct _DapRequest DapRequest;

/* ---- request.c: what a client asks, until it is answered ---- */
typedef void (*DapAnswered) (DapRequest *request, SessionAnswer *answer);
struct _DapRequest {
    DapServer *server;
    json_t *message;
    const json_t *arguments; /* of the message; an object, maybe an empty one */
    const char *command;
    gint64 seq;
    char *problem; /* the first argument that was wrong; NULL */
    SessionQuery *query;
    DapAnswered on_answer; /* of the query */
    gboolean is_cancelled, is_searching;
    GCancellable *reading; /* of a source; NULL */
    gpointer data;         /* of the handler */
    GDestroyNotify free_data;
};
DapRequest *dap_request_new (DapServer *server, json_t *message); /* takes the message */
/* Arguments by their name, with the type that they must have: a wrong one is noted, and the request fails once its
 * handler asks dap_request_is_good. Borrowed. */
const char *dap_request_get_text (DapRequest *request, const json_t *object,
                                  const char *name); /* NULL: absent */
const char *dap_request_need_text (DapRequest *request, const json_t *object,
                                   const char *name); /* "" */
gint64 dap_request_get_number (DapRequest *request, const json_t *object, const char *name,
                               gint64 otherwise);
gint64 dap_request_need_number (DapRequest *request, const json_t *object, const char *name);
gboolean dap_request_get_flag (DapRequest *request, const json_t *object, const char *name,
                               gboolean otherwise);
const json_t *dap_request_get_object (DapRequest *request, const json_t *object,
                                      const char *name); /* NULL: absent */
const json_t *dap_request_get_list (DapRequest *request, const json_t *object,
                                    const char *name); /* NULL: absent */
/* FALSE: it has failed and is gone, because an argument was wrong. */
gboolean dap_request_is_good (DapRequest *request);
/* Answers, and frees the request. body: an object of JSON, which is taken; NULL: none. */
void dap_answer (DapRequest *request, GString *body);
void dap_fail (DapRequest *request, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* As dap_fail, with a message that programs know: "notStopped", "cancelled". */
void dap_fail_as (DapRequest *request, const char *word, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* pddt ends: it fails, unless something that was begun still comes back to it. */
void dap_request_abandon (DapRequest *request);
/* Asks ranks; on_answer goes on. */
void dap_ask (DapRequest *request, JobRequest *asked, DapAnswered on_answer);
/* Why ranks did not answer, one sentence; NULL: all have. Caller owns. */
char *dap_format_failures (SessionAnswer *answer);
GString *dap_body_new (void); /* with its '{' */

/* ---- server.c ---- */
struct _DapServer {
    const DapOptions *options;
    Session *session; /* NULL: none yet */
    CommandContext *context;
    CommandOut *out;
    DapReader *reader;
    GMainLoop *loop;
    guint input_source;
    gint64 seq;
    GPtrArray *requests; /* of DapRequest: open */
    int status;

    /* of initialize */
    gboolean is_initialized, lines_start_at_0, columns_start_at_0, has_paging, has_invalidated,
        has_memory_event, has_progress, has_terminal, wants_uris;
    /* life.c */
    gboolean is_started, is_configured, is_begun, is_over, runs_at_start, is_closing,
        is_restarting;
    gboolean is_entry_told;
    SessionQuery *beginning;     /* ranks go on from where they have started; NULL */
    DapRequest *launch, *ending; /* not answered yet */
    guint closing_source;
    GPtrArray *argv;       /* of char*, NULL at its end */
    guint progress_source; /* progress.c; 0: nothing is told of */
    char *progress_text;   /* told last; NULL */
    JobRankSet *reading;   /* ranks that have waited for long for debug information */
    /* threads.c */
    guint32 ranks_as_threads;
    GPtrArray *groups;         /* of DapGroup */
    JobRankSet *pinned;        /* ranks that are threads of their own among groups */
    GHashTable *group_numbers; /* ranks as text to number */
    guint32 last_group;
    GHashTable *listed; /* number to name (char*) of the threads that the client knows */
    GPtrArray
        *own_threads; /* of DapOwnThread: its thread's id is DAP_FIRST_THREAD + its index */
    char *moves;      /* "thread", "focus", "all" */
    /* stops.c */
    JobRankSet *news;     /* ranks that have stopped, not told yet */
    JobRankSet *pausing;  /* ranks that were told to pause */
    JobRankSet *standing; /* ranks of which the client believes that they stand */
    JobRankSet *marched;  /* stopped ranks that go on by themselves, until they diverge */
    JobRankSet *parted;   /* ranks that have stopped because they have diverged */
    guint march_source;
    GHashTable *notes;  /* rank to what was said before its stop (char*) */
    JobRankSet *moving; /* ranks that the client has moved, and has no answer yet */
    JobRankSet *ended;  /* not told yet */
    guint flush_source;
    gint64 first_news_us;
    guint n_motions;         /* motions that are not answered yet */
    gboolean is_told_thread; /* what threads are called has changed */
    guint names_source;
    gint64 changed_us; /* of the last pddt/changed */
    guint32 stopped_thread;
    /* handles.c */
    GHashTable *handles; /* number to DapHandle */
    guint32 last_handle;
    /* points.c */
    GPtrArray *points; /* of DapPoint */
    gint64 last_point;
    guint points_source;
    GPtrArray *points_waiting; /* of DapRequest: not all of their breakpoints have been set */
    GHashTable *known_points;  /* id of a DapPoint to how it was told (char*) */
    /* evaluate.c */
    GQueue *lines; /* of DapRequest: `evaluate` of a repl, in the order in which they run */
    DapRequest *completing;  /* waits for names of the program; NULL */
    CommandContext *scripts; /* of pddt/command: answers in JSON; NULL: not used yet */
    GQueue *scripted;        /* of DapRequest: its lines, in their order */
    /* goto.c */
    GPtrArray *targets; /* of DapTarget */
    gint64 last_target;
    /* step-targets.c */
    GPtrArray *calls; /* of DapCall */
    gint64 last_call;
    /* setup.c */
    GString *setup_text;    /* what an option is refused for; NULL: none is being set */
    GPtrArray *setup_lines; /* of char*: for the console, before anything runs; NULL */
    guint n_setup;          /* of them that are not done yet */
    /* terminal.c */
    DapTerminal *terminal; /* NULL: none was asked for */
    /* memory.c */
    GHashTable *known_addresses; /* of references that are no address (char* to their place) */
    /* sources.c */
    GPtrArray *source_map; /* where sources are that the client has elsewhere; NULL */
    GPtrArray *sources;    /* of char*: a source's reference is its index + 1 */
};
DapServer *dap_server_new (const DapOptions
                               *options); /* of standard input and output; keeps the options */
void dap_server_free (DapServer *server);
void dap_send_event (DapServer *server, const char *event,
                     GString *body); /* takes body; NULL: none */
/* A line of the console. category: "console", "stdout", "stderr", "important". */
void dap_send_output (DapServer *server, const char *category, const char *text);
/* "variables": what the client shows of them is old. */
void dap_send_invalidated (DapServer *server, const char *area);
void dap_server_send (DapServer *server, const GString *json); /* a whole message */
void dap_server_end (DapServer *server, int status);

/* ---- table.c ---- */
void dap_handle (DapRequest *request);
void dap_write_capabilities (GString *body);

/* ---- life.c ---- */
void dap_run_initialize (DapRequest *request);
void dap_run_launch (DapRequest *request);
void dap_run_attach (DapRequest *request);
void dap_run_configured (DapRequest *request);
void dap_run_disconnect (DapRequest *request);
void dap_run_terminate (DapRequest *request);
void dap_run_restart (DapRequest *request);
void dap_life_begin_if_ready (DapServer *server); /* all breakpoints are set now */
void dap_life_close (DapServer *server);          /* the client is gone */
/* FALSE: the request has failed, because there is no job. */
gboolean dap_life_check (DapRequest *request);

/* ---- progress.c: of a start ---- */
void dap_progress_begin (DapServer *server,
                         const char *title); /* nothing for clients that do not show it */
void dap_progress_end (DapServer *server);
void dap_progress_note (DapServer *server, const JobEvent *notice);
void dap_progress_clear (DapServer *server); /* the job is over */
/* FALSE: nothing of that name goes on. */
gboolean dap_progress_cancel (DapServer *server, const char *id);

/* ---- threads.c ---- */
typedef struct {
    guint32 id;
    JobRankSet *ranks;
    gboolean is_stopped, is_told; /* is_told: the client knows that it is */
} DapGroup;
/* Another thread of a rank than the one that is shown as the rank. */
typedef struct {
    guint32 rank, thread;
    gboolean is_told; /* the client knows that it is stopped */
} DapOwnThread;
void dap_group_free (gpointer group);
#define DAP_FIRST_THREAD (1u << 24) /* of a rank, beside the one that is shown as the rank */
#define DAP_FIRST_GROUP (1u << 28)
gboolean dap_threads_are_ranks (const DapServer *server);
/* The groups as they are now. */
void dap_threads_refresh (DapServer *server);
/* The thread that these ranks, or the first of them, are shown in. */
guint32 dap_threads_find (DapServer *server, const JobRankSet *ranks);
/* NULL: there is no such thread. Caller owns. */
JobRankSet *dap_threads_dup_ranks (DapServer *server, gint64 id);
/* The number that a rank's thread has in its rank; 0: it is the one that is shown as the rank, or a group. */
guint32 dap_threads_find_own (DapServer *server, gint64 id);
/* The ranks of the argument "threadId"; NULL: the request has failed. Caller owns. */
JobRankSet *dap_threads_take (DapRequest *request);
/* Tells the client which threads are others than those of its last list. */
void dap_threads_tell (DapServer *server);
/* These have moved, with all their threads. */
void dap_threads_leave (DapServer *server, const JobRankSet *moved);
void dap_run_threads (DapRequest *request);

/* ---- stops.c ---- */
/* What was caught; NULL: it is no stop of a catch, or not known. */
const char *dap_stops_find_note (DapServer *server, const JobEvent *event);
void dap_stops_init (DapServer *server);
void dap_stops_clear (DapServer *server);
void dap_stops_schedule (DapServer *server);
void dap_stops_tell_threads (DapServer *server); /* soon: what threads are called has changed */
void dap_ranks_cut (JobRankSet **set, const JobRankSet *ranks); /* without these, from now on */
void dap_send_continued (DapServer *server, guint32 thread, gboolean is_all);
void dap_stops_add_all (DapServer *server); /* who stands now is to be told of */

/* ---- motion.c ---- */
void dap_run_continue (DapRequest *request);
void dap_run_next (DapRequest *request);
void dap_run_step_in (DapRequest *request);
void dap_run_step_out (DapRequest *request);
void dap_run_pause (DapRequest *request);
void dap_run_goto (DapRequest *request);

/* ---- goto.c ---- */
typedef struct {
    gint64 id;
    char *path;
    guint32 line;
} DapTarget;
void dap_target_free (gpointer target);
/* That of the argument "targetId"; NULL: noted as the request's problem. Borrowed. */
const DapTarget *dap_target_take (DapRequest *request);
void dap_target_write (const DapTarget *target, JobWhere *where);
void dap_run_locations (DapRequest *request);
void dap_run_targets (DapRequest *request);

/* ---- step-targets.c ---- */
void dap_call_free (gpointer call);
void dap_run_step_targets (DapRequest *request);
/* The function of the argument "targetId"; "": there is no such argument; NULL: the request has failed. Borrowed. */
const char *dap_call_take (DapRequest *request);

/* ---- terminal.c ---- */
/* By the argument "console". TRUE: a terminal has been asked for, and go_on is called with the request, later or now;
 * FALSE: there is one, or none is wanted. */
gboolean dap_terminal_take (DapRequest *request, void (*go_on) (DapRequest *request));
gboolean dap_terminal_is_awaited (const DapServer *server);
gboolean dap_terminal_is_there (const DapServer *server); /* what ranks print is shown there */
void dap_terminal_connect (DapServer *server);            /* with the session, which is new */
void dap_terminal_disconnect (DapServer *server);         /* from the session, which goes */
/* What the client has answered. */
void dap_terminal_take_response (DapServer *server, const json_t *message);
void dap_terminal_free (DapTerminal *terminal); /* NULL is nothing */

/* ---- setup.c: what a configuration sets before anything runs ---- */
/* The arguments "timeout", "options" and "initCommands"; what is wrong with them is noted. */
void dap_setup_take (DapRequest *request, guint *ret_timeout_s);
/* Sets the options of a session that has not been started. FALSE: the request has failed. */
gboolean dap_setup_apply (DapRequest *request);
void dap_setup_run (DapServer *server); /* the lines; dap_life_begin_if_ready follows */

/* ---- handles.c: frames and values, of one moment ---- */
typedef enum {
    DAP_HANDLE_FRAME,
    DAP_HANDLE_LOCALS,
    DAP_HANDLE_GLOBALS,
    DAP_HANDLE_REGISTERS,
    DAP_HANDLE_PARTS
} DapHandleKind;
typedef struct {
    DapHandleKind kind;
    guint32 id, rank, thread, frame;
    JobRankSet *ranks; /* with the same stack; `rank` is one of them */
    guint64 start, stop;
    JobLocation *place; /* of the frame */
    char *path, *type;  /* of a value with parts */
} DapHandle;
void dap_handle_free (gpointer handle);
/* Another handle of the same moment and frame. */
DapHandle *dap_handle_new (DapServer *server, DapHandleKind kind, const DapHandle *frame);
DapHandle *dap_handle_new_frame (DapServer *server, guint32 rank, guint32 thread,
                                 const JobRankSet *ranks, guint32 frame,
                                 const JobLocation *place);
/* NULL: the request has failed: there is no such thing, or it is of an earlier moment. */
DapHandle *dap_handle_find (DapRequest *request, gint64 id, const char *what);
/* What asks the handle's ranks in its frame. `alone`: only its rank. */
JobRequest *dap_handle_ask (const DapHandle *handle, JobVerb verb, gboolean alone);
/* The expression of a part that is called so. Caller owns. */
char *dap_handle_dup_path (const DapHandle *handle, const char *name);
void dap_handles_purge (DapServer *server);
/* These have moved: they are not compared with others any more. */
void dap_handles_leave (DapServer *server, const JobRankSet *moved);

/* ---- stack.c, sources.c ---- */
void dap_run_stack (DapRequest *request);
void dap_run_scopes (DapRequest *request);
void dap_run_source (DapRequest *request);
void dap_run_sources (DapRequest *request);
void dap_run_modules (DapRequest *request);
void dap_write_source (DapServer *server, GString *json, const char *name, const char *path);
/* The argument "sourceMap". */
void dap_take_source_map (DapRequest *request);
/* The path of a Source; NULL: it has none (the request is not failed). Caller owns. */
char *dap_take_source (DapRequest *request, const json_t *source);
gint64 dap_line_out (const DapServer *server, guint32 line);
guint32 dap_line_in (const DapServer *server, gint64 line);

/* ---- values.c, evaluate.c ---- */
#define DAP_ELEMENTS                                                                           \
    "1000" /* of a value's parts, unless the user sets the option limit-items */
void dap_run_variables (DapRequest *request);
void dap_run_set_variable (DapRequest *request);
void dap_run_set_expression (DapRequest *request);
void dap_run_evaluate (DapRequest *request);
void dap_run_completions (DapRequest *request);
void dap_repl_write (CommandOutKind kind, int stream, const char *text, gpointer server);
/* The members that value has in an answer; `frame`: where it was read; path: the expression. */
void dap_write_value (DapServer *server, GString *json, const DapHandle *frame,
                      const JobValueRow *row, const char *path, const char *text_name);
gboolean dap_value_is_pointer (const char *type);
const JobValue *dap_find_value (const JobValueRow *row, guint32 rank);
/* The first row of the answer; NULL: it has none. */
const JobValueRow *dap_find_row (SessionAnswer *answer);

/* ---- elements.c ---- */
/* Whether so many elements of the handle's array are to be asked for as JOB_VERB_ARRAY. */
gboolean dap_elements_are_plain (const DapHandle *handle, gint64 count);
/* NULL: nobody has sent them. */
const JobEvent *dap_elements_find (SessionAnswer *answer);
/* FALSE: they are no such numbers. */
gboolean dap_elements_write (GString *body, const DapHandle *handle, const JobEvent *event,
                             gint64 first);

/* ---- points.c ---- */
typedef struct {
    gint64 id;
    char *
        kind; /* "source", "function", "instruction", "data", "exception"; "console"; "goto": nobody is told of it */
    char *source; /* path; NULL */
    char *key;    /* all that the client has said of it */
    guint32 line; /* asked for */
    char *where;  /* function, address, expression or what to catch */
    char *condition, *hits, *log;
    guint32 number; /* of the session; 0: not set yet */
    char *problem;  /* NULL */
    gboolean is_wanted;
    gboolean is_once, is_done; /* stops once; has done so */
    JobRankSet *ranks;         /* those that it is for; NULL: all, or as its condition says */
    SessionQuery *query;       /* that sets it; NULL: none is open */
    DapServer *server;
} DapPoint;
void dap_point_free (gpointer point);
void dap_run_set_breakpoints (DapRequest *request);
void dap_run_set_functions (DapRequest *request);
void dap_run_set_instructions (DapRequest *request);
void dap_run_set_exceptions (DapRequest *request);
void dap_run_set_data (DapRequest *request);
void dap_run_data_info (DapRequest *request);
void dap_run_exception_info (DapRequest *request);
void dap_points_init (DapServer *server);
void dap_points_set_all (DapServer *server); /* the ranks are there now */
void dap_points_tell (DapServer *server);    /* soon: what has changed */
gboolean dap_points_are_open (const DapServer *server);
void dap_points_add_mark (DapServer *server, guint32 number);  /* where `goto` stops */
DapPoint *dap_points_find (DapServer *server, guint32 number); /* NULL */
void dap_write_filters (GString *body);

/* ---- memory.c ---- */
void dap_run_disassemble (DapRequest *request);
void dap_run_read_memory (DapRequest *request);
void dap_run_write_memory (DapRequest *request);
/* FALSE: this "frame N" or "value N" has not been looked at. */
gboolean dap_memory_find_known (DapServer *server, const char *reference, guint64 *ret_address);

/* ---- custom.c: pddt/… ---- */
void dap_custom_init (DapServer *server);
void dap_run_cancel (DapRequest *request);
void dap_run_state (DapRequest *request);
void dap_run_groups (DapRequest *request);
void dap_run_why (DapRequest *request);
void dap_run_queue (DapRequest *request);
void dap_run_compare (DapRequest *request);
void dap_run_command (DapRequest *request);
void dap_run_sets (DapRequest *request);
void dap_run_pin (DapRequest *request);
