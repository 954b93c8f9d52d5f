/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of command share: the running command, the parsed SET, and the printers. */
#pragma once
#include "base/array.h"
#include "command/command.h"
#include "command/record.h"
#include "profile/model.h"
#include "session/saved.h"
#include "session/query.h"

/* ---- lexer.c ---- */
const char *command_skip_spaces (const char *text);
/* The next word: quotes ("…", '…') protect spaces and commas and are removed; stops at a space
 * and at any byte of `stops`. NULL at the end or, with error set, at an open quote. */
char *command_take_word (const char **text, const char *stops, GError **error);
/* The inside of "(…)", with nested brackets and quotes. */
char *command_take_brackets (const char **text, GError **error);
gboolean command_parse_number (const char *text, guint32 max, guint32 *ret_number);
/* The next occurrence of word, as a whole word, outside of quotes and brackets. */
const char *command_find_outer_word (const char *text, const char *word);

/* ---- set.c, ask.c ---- */
typedef struct _CommandSet CommandSet;
typedef struct _CommandJob CommandJob;
typedef struct _CommandSpot CommandSpot;
CommandSet *command_set_parse (Session *session, const char **text, GError **error);
void command_set_free (CommandSet *set);
/* Parts of a SET that only the ranks can answer. */
typedef enum {
    COMMAND_ASK_TRUE,    /* where (EXPR): a PRINT */
    COMMAND_ASK_IN,      /* in FUNCTION: a WHERE */
    COMMAND_ASK_SAME,    /* same N: a WHERE */
    COMMAND_ASK_NEAR,    /* nof N: the QUEUE of N, for its Cartesian communicator */
    COMMAND_ASK_BLOCKED, /* blocked: those that wait in MPI without being in a step, from a
                            verdict */
} CommandAsk;
/* The next question that only the ranks can answer; NULL when none is left. */
typedef struct {
    CommandAsk ask;
    const char *text;
    guint32 rank; /* of same and nof */
    JobRankSet *answer;
    gboolean known;
} CommandSetQuestion;
CommandSetQuestion *command_set_find_question (Session *session, CommandSet *set);
/* The ranks to ask. Caller owns. */
JobRankSet *command_set_dup_asked (Session *session, const CommandSetQuestion *question);
/* Turns the job's answers into the question's. Names the ranks without an answer; the command
 * fails for them. */
void command_set_take_answers (CommandJob *job, CommandSetQuestion *question,
                               const JobRankSet *missing);
/* The ranks next to N by number. */
JobRankSet *command_set_dup_next (Session *session, guint32 rank);
JobRankSet *command_set_evaluate (Session *session, CommandSet *set, GError **error);

/* ---- table.c ---- */
typedef enum {
    COMMAND_RANKS = 1 << 0,  /* needs ranks: an empty set is an error */
    COMMAND_LIVING = 1 << 1, /* without an explicit set, leaves out ranks that have ended */
    COMMAND_MOVING = 1 << 2,
    COMMAND_URGENT = 1 << 3, /* at the prompt it overtakes a running wait */
    /* it is about the whole job, or names its ranks in its arguments: "on SET" before it is refused */
    COMMAND_WHOLE_JOB = 1 << 4,
    /* a script does not wait for unfinished motions before it */
    COMMAND_AT_ONCE = 1 << 5,
    /* it is about the whole job, and a script waits for all motions before it */
    COMMAND_AFTER_ALL = 1 << 6,
} CommandFlags;
typedef struct {
    const char *name;  /* one or two words */
    const char *words; /* that also work, separated by ','; "" */
    const char *usage; /* after the name */
    const char *summary;
    guint flags;
    JobVerb verb;
    void (*run) (CommandJob *job);
} CommandRow;
const CommandRow *command_table_get (guint index); /* NULL past the end */
/* Parses the command's word or words and advances *text. */
const CommandRow *command_table_find (const char **text, GError **error);

/* ---- examples.c ---- */
const char *
command_example_find (const char
                          *name); /* a line that uses this command of the table; NULL: none */

/* ---- context.c ---- */
struct _CommandJob {
    CommandContext *context;
    Session *session;
    char *line;
    CommandDone done;
    gpointer done_user;
    const CommandRow *row;
    char *arguments; /* after the command's words, stripped; never NULL when run is called */
    CommandSet *parsed_set; /* NULL: the focus */
    JobRankSet *hook_ranks; /* for a breakpoint's command: replaces the focus; NULL */
    CommandSetQuestion *question;
    GPtrArray *requests; /* of JobRequest: to send after the open one; NULL */
    JobRankSet *set;
    guint64 request;     /* the last one sent */
    SessionQuery *query; /* of it; NULL: none is open */
    guint32 thread;      /* that it selects; 0 none */
    guint32 point;       /* number of the breakpoint that it sets; 0 none */
    guint64 number; /* of its answers and its done in JSON: its first request; 0: none yet */
    GCancellable *reading;       /* of sources; NULL: none has been read */
    struct _CommandShow *show;   /* queue.c: sources are read for it; NULL */
    GPtrArray *listings;         /* listing.c: still to be read and shown; NULL: none */
    gboolean has_shown;          /* listing.c: lines of a file */
    CommandSpot *spot;           /* apply.c: where it runs; NULL: not by that */
    struct _CommandApply *apply; /* apply.c: that it begins */
    JobRequest *place; /* address.c: a request whose place is being found; NULL: none is */
    void (*use_places) (CommandJob *job, GPtrArray *requests);
    GPtrArray *answers;      /* of JobEvent: of the last query, as of command_take_answers */
    JobMessageTable *queues; /* fetched before another request; NULL */
    char *expression;        /* name for values without one */
    void (*on_finished) (CommandJob *job, gboolean ok, const JobRankSet *missing);
    gboolean failed, is_answered; /* is_answered: its failure is an answer */
    JobRankSet *missing;
    gboolean is_restarting, is_cancelled, is_cancel_told;
    gboolean awaits_displays; /* it ends when the displays are shown */
    gboolean is_background;   /* a motion that ended in '&': no later command waits for it */
    gboolean is_decayed;      /* x: the address of an array is asked for */
    gboolean is_script;       /* script.c: it runs Python, and ends with that */
    gboolean awaits;          /* it begins when the motions of `set` are finished */
    gboolean is_bare;         /* prints values without a name and "=" */
    /* wait */
    guint wait_source, poll_source, wait_end_source;
    guint64 wait_ms;
    gint64 why_at_us, why_after_us; /* time of the next verdict, and the interval after it */
    gboolean why_running;
    char *stuck_text; /* the previous verdict, if it said that nothing can move */
};
typedef struct _CommandHeldOutput CommandHeldOutput;
typedef struct _CommandProfile CommandProfile;
typedef struct _CommandScriptBlock CommandScriptBlock;
typedef struct _CommandLogging CommandLogging;
#define COMMAND_NO_STATUS G_MAXUINT32
struct _CommandContext {
    Session *session;
    SessionSelection *selection;
    gboolean json, quit, waiting;
    guint32 quit_status; /* that quit has named; COMMAND_NO_STATUS: none */
    gboolean is_script; /* commands come from -e, -x or a pipe: each waits first for the motions
                           of its ranks */
    gboolean is_unsettled;  /* nobody has waited for the last motion */
    gboolean has_waited;    /* it has since the last motion: it knows who moves */
    JobRankSet *background; /* ranks for whose motions it does not wait any more */
    guint32 n_ranks; /* when background was made; children that come later are their parents' */
    gboolean answered; /* the last command failed, and that was its answer */
    CommandWrite write;
    gpointer user;
    GQueue *jobs; /* of CommandJob, not started */
    CommandJob *active;
    CommandJob *suspended; /* a wait that an urgent command has overtaken */
    GPtrArray *pending;    /* of JobEvent, without states */
    SessionLastStates *last;
    JobRankSet *only; /* NULL: show states of all ranks */
    guint rest_ms;
    guint flush_source, notice_source;
    gulong handlers[7];
    CommandHeldOutput *held; /* lines of output */
    GHashTable *partials;    /* unfinished lines of output: rank and stream to GString */
    GHashTable *scripts; /* hooks.c: number of a breakpoint to its lines (GPtrArray of char*) */
    GQueue *hooks;       /* of CommandJob: lines to run before those of jobs */
    guint hook_source;
    gboolean hook_failed; /* one of them has failed */
    GPtrArray *block;     /* lines of `commands` so far, until `end`; NULL: none is open */
    guint32 block_number;
    CommandScriptBlock *script_block; /* script.c: of python, define or document; NULL */
    GPtrArray *displays;              /* of SessionSavedDisplay */
    gboolean keeps_displays;          /* they are saved with the session */
    GPtrArray *asked;                 /* display.c: those whose values were requested */
    guint32 last_display;
    JobRankSet *hand_over; /* ranks that get the keyboard; the terminal takes this */
    gboolean can_hand_over;
    char *verdict; /* why steps are blocked: printed with the events of a wait */
    char *
        announced; /* sentences printed last without being asked for, a line each; NULL: there was another command since */
    JobRankSet *moved;       /* of the last command when it was a moving one; else NULL */
    CommandProfile *profile; /* the last one; NULL: none */
    CommandRecord *record;   /* of the terminal, for a report; NULL: none is wanted */
    CommandLogging *logging; /* NULL: nobody has asked for it */
    GPtrArray *shown; /* of CommandShown: what list and search have shown last; NULL: nothing */
    JobRankSet *shown_ranks; /* of the command that has, */
    guint64 shown_sign;      /* and when */
    CommandSpot *spot;       /* apply.c: where the running command runs; NULL: not by that */
};
/* ---- search.c ---- */
void command_run_search (CommandJob *job);
/* ---- logging.c ---- */
void command_logging_take (CommandLogging *logging,
                           const char *text); /* nothing when logging is NULL or off */
void command_logging_free (CommandLogging *logging);
void command_run_set_logging (CommandJob *job);
void command_run_show_logging (CommandJob *job);

void command_context_write (CommandContext *context, CommandOutKind kind, const char *text);
/* One event, or each of several, as a line in the context's form; the expression names values that
 * come without one and may be NULL. */
void command_context_write_event (CommandContext *context, CommandOutKind kind,
                                  const JobEvent *event, const char *expression);
void command_context_write_events (CommandContext *context, CommandOutKind kind,
                                   const GPtrArray *events, const char *expression);

/* ---- rank-output.c ---- */
/* Writes the lines that the bytes complete and keeps the rest; ranks NULL: not known. */
void command_context_take_output (Session *session, JobRankSet *ranks, guint stream,
                                  GBytes *bytes, CommandContext *context);
void command_context_flush_held (CommandContext *context); /* lines held back to merge equal
                                                              * ones */
CommandHeldOutput *command_held_output_new (void);
void command_held_output_free (CommandHeldOutput *output);
void command_output_free_partial (gpointer string); /* a value of partials */

/* ---- job.c ---- */
#define COMMAND_MAX_SOURCE (64u << 20) /* bytes of a source file that is listed */
/* For what the job reads of the session's sources: cancelled with it. */
GCancellable *command_job_get_reading (CommandJob *job);
void command_job_stop_reading (CommandJob *job);
/* listing.c. Lines first to last of the file, or those around `first` when last is 0, with
 * an arrow at `current`; head: a line before those, or the name of the file of these. Shown in this order by command_end_listing,
 * which ends the job then. */
void command_add_listing (CommandJob *job, const JobRankSet *ranks, const char *head,
                          const char *file, guint32 first, guint32 last, guint32 current);
void command_end_listing (CommandJob *job);
/* Lines of a file that were shown; list goes on from `next`. */
typedef struct {
    JobRankSet *ranks; /* NULL: of nobody in particular */
    char *file;
    guint32 first, next;
} CommandShown;
/* What the last list or search for these ranks has shown, as long as they stand where they stood and the same frames
 * are selected. Of CommandShown; NULL: nothing. */
const GPtrArray *command_get_shown (CommandJob *job);
void command_note_shown (CommandJob *job, const JobRankSet *ranks, const char *file,
                         guint32 first, guint32 next);
void command_forget_shown (CommandContext *context);

/* ---- apply.c ---- */
void command_run_apply (CommandJob *job);
/* Selects where the job runs. */
void command_spot_begin (CommandJob *job);
/* The context's spot is named, if it has not been yet. */
void command_spot_say (CommandContext *context);
gboolean
command_spot_is_silent (const CommandContext *context); /* what fails there is not said */
void command_spot_free (
    CommandSpot *spot); /* with the last one, what was selected before is selected again */

/* ---- address.c ---- */
/* What stands behind the '*' of "*$pc", "*table[3]", "*work"; NULL: nothing, or a plain number. Caller owns. */
char *command_dup_address_expression (const char *text);
/* Takes the answers to such an expression: a request like job->place for each address, in a list that the caller owns;
 * ranks in which it is none are said. functions: it is a name, which may be one in files to come; gets the ranks where it
 * is a function, and those that do not know it. NULL: an address of a function is one like others. */
GPtrArray *command_take_addresses (CommandJob *job, JobRankSet *functions);
void command_sort_by_rank (GPtrArray *requests); /* not by who was first to answer */
/* *EXPR, or *ADDRESS: completes the request (taken) with its place and calls `use` with a list (taken) of it for each
 * address, by rank; those in which it is none are said, and the list is without them. */
void command_resolve_place (CommandJob *job, const char *text, JobRequest *request,
                            void (*use) (CommandJob *job, GPtrArray *requests));
/* queue.c: nobody waits for the rows any more. */
void command_queue_forget (CommandJob *job);
#define COMMAND_NO_RANK "no rank is in this set"
/* Text answer (also several lines) or, in JSON, an event "text". */
void command_job_answer (CommandJob *job, const JobRankSet *ranks, const char *text);
void command_context_write_error (CommandContext *context, const char *text);
void command_job_fail (CommandJob *job, const JobRankSet *ranks, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* What the ranks say, then why others do not. Caller owns (unref). */
GPtrArray *command_take_answers (SessionAnswer *answer);
/* cancel.c: reports ranks that did not answer in time or before the command was cancelled. */
void command_job_fail_missing (CommandJob *job, const JobRankSet *missing);
/* The number in the JSON of its answers and its `done`: that of its first request, or a number
 * of its own if it sent none. Questions about its set do not count. */
guint64 command_job_get_number (CommandJob *job);
void command_job_end (CommandJob *job);  /* done; frees the job */
void command_job_free (CommandJob *job); /* without calling done */
/* A job for the line, not started. */
CommandJob *command_job_new (CommandContext *context, const char *line, CommandDone done,
                             gpointer user);
/* Sends the request, prints the answers, and ends the command when all ranks have answered. */
void command_job_submit (CommandJob *job, JobRequest *request);
/* Sends them one after the other (takes the list), prints the answers of each, ends with the last. */
void command_job_submit_all (CommandJob *job, GPtrArray *requests);
/* Sends the request; on_finished decides how to go on. */
void command_job_query (CommandJob *job, JobRequest *request,
                        void (*on_finished) (CommandJob *job, gboolean ok,
                                             const JobRankSet *missing));
void command_job_print_answers (CommandJob *job, gboolean ok, const JobRankSet *missing);
/* The address that a value is: "0x7ffe…" anywhere in it ("(int *) 0x10"), or a whole number. */
gboolean command_find_address (const JobValue *value, guint64 *ret_address);

/* ---- run.c ---- */
/* Asks the questions of parsed_set, then runs the row again. */
void command_job_prepare (CommandJob *job);
/* The line is an `input`, or a `commands` with one. */
gboolean command_feeds_input (Session *session, const char *line);
void command_context_begin_next (CommandContext *context);        /* if none is running */
gboolean command_context_is_idle (const CommandContext *context); /* no command runs or waits */

/* ---- habits.c ---- */
/* *ret_line: what a line in gdb's words is here, "" if there is nothing to do; NULL: take it as it is. FALSE: it is
 * refused with a sentence that says what to do instead. */
gboolean command_habit_translate (const char *line, char **ret_line, GError **error);
void command_habits_describe (GString *text); /* the table of the reference, Markdown */

/* ---- lines.c ---- */
/* The lines of all TEXT events as one list: merges equal lines and groups lines by their first
 * word. */
char *command_format_merged_lines (const GPtrArray *events);
char *command_format_rest (const JobEvent *event); /* of JOB_EVENT_REST; in print.c */

/* ---- print.c ---- */
/* The contract's lines of an event, without the last '\n'; NULL when there is nothing to say. */
char *command_format_event (Session *session, const JobEvent *event, const char *expression);
/* The causes of these groups' signals and exceptions, as notes; "" when nothing is known. */
char *command_format_reasons (Session *session, const GPtrArray *states);
typedef struct {
    const JobStackNode *node;
    guint depth;
} CommandNode;

/* The tree's nodes in the order in which they are printed, outermost first. Caller owns. */
GArray *command_list_nodes (const JobStackTree *tree);
char *command_format_row (const JobValueRow *row, const char *expression,
                          guint32 flags); /* JobEventFlags */
char *command_format_breakpoint (Session *session, const JobRankSet *ranks, guint32 number,
                                 GPtrArray *places, const char *text);

/* ---- json.c ---- */
char *command_json_format_event (Session *session, const JobEvent *event,
                                 const char *expression);
char *command_json_format_text (const char *event, guint64 request, const JobRankSet *ranks,
                                const char *text);
char *command_json_format_done (guint64 request, gboolean ok, const JobRankSet *missing);
char *command_json_format_output (const JobRankSet *ranks, guint stream, const char *data,
                                  gsize size);
char *command_json_format_profile (guint64 request, const JobRankSet *ranks,
                                   const ProfileModel *model, const ProfileNode *root);
char *command_json_format_progress (guint64 request, guint arrived, guint asked);
char *command_json_format_verdict (guint64 request, const AnalysisVerdict *verdict);

/* Whether the ranks that the set means depend on what they do. */
gboolean command_set_is_changing (const CommandSet *set);

/* ---- wait.c ---- */
/* TRUE: the command has to wait until its ranks have finished their motions, and is prepared then. */
gboolean command_wait_first (CommandJob *job);
/* Commands wait so from now on, but not for the ranks that run without having been told to. */
void command_context_begin_script (CommandContext *context);
/* "2", "3.5": to the next millisecond. FALSE: nothing of the kind. */
gboolean command_parse_seconds (const char *text, guint64 *ret_ms);

/* ---- why.c ---- */
/* The line of a verdict in the context's form. */
char *command_format_verdict (CommandContext *context, guint64 request,
                              const AnalysisVerdict *verdict);
void command_write_verdict (CommandContext *context, guint64 request,
                            const AnalysisVerdict *verdict, CommandOutKind kind);

/* ---- value.c ---- */
/* Parses "/x" at the start of the text and advances *text past it and its spaces; *ret_letter
 * '\0': there is none. FALSE with INVALID: it is no value format. */
gboolean command_take_format (const char **text, char *ret_letter, GError **error);
/* PRINT or CALL of the expression by the letter ('\0': none). */
JobRequest *command_new_print (JobVerb verb, const JobRankSet *ranks, const char *expression,
                               char letter);

/* ---- profile.c, profile-save.c ---- */
/* The job's context now has an empty profile of these ranks. */
CommandProfile *command_profile_begin (CommandJob *job, const JobRankSet *ranks);
void command_profile_add (CommandProfile *profile, const JobEvent *event);
/* The answer, and what was wrong. */
void command_profile_finish (CommandJob *job, CommandProfile *profile);
void command_profile_print (CommandJob *job, const ProfileModel *model);
/* FALSE: the job has failed, because `profile start` has had no `profile stop`. */
gboolean command_profile_check_closed (CommandJob *job);
/* Of `profile start`. TRUE: the event is an answer to it. */
gboolean command_profile_take (CommandContext *context, const JobEvent *event);
gboolean command_profile_take_end (CommandContext *context, guint64 request);
void command_profile_forget (CommandJob *job); /* it no longer waits for the end */

/* The words of the user's command as a shell takes them; NULL: pddt did not start it. */
char *command_format_argv (Session *session);

/* ---- hooks.c ---- */
/* TRUE when the event's ranks stopped at a breakpoint that has `commands`. */
/* Who is to stop stays where it is: lines that have not begun for these ranks are dropped. */
void command_hooks_drop (CommandContext *context, const JobRankSet *ranks);
gboolean command_hooks_want (CommandContext *context, const JobEvent *event);
gboolean command_hooks_are_silent (CommandContext *context, const JobEvent *event); /* the stop
                                                                                     * is not
                                                                                     * shown */
void command_hooks_add (CommandContext *context, const JobEvent *event); /* queues the lines */
/* "CMD; CMD": quotes protect a semicolon. Of char*; caller owns. */
GPtrArray *command_split_commands (const char *text);
/* TRUE: the job's line belongs to an open `commands`, `python`, `define` or `document`, and the job ends. */
gboolean command_block_take (CommandJob *job);
/* "commands 2" or "python", of a block that has no `end`; NULL: none is open. Closes it. Caller owns. */
char *command_take_open_block (CommandContext *context);
void command_hooks_describe (CommandContext *context, guint32 number, GString *line);

/* ---- display.c ---- */
/* Adds those that are not there. */
void command_display_restore (CommandContext *context, const GPtrArray *displays);
void command_display_free_asked (gpointer asked);
/* Requests the values of all displays in the ranks that they are for. */
void command_display_show (CommandContext *context, const JobRankSet *ranks);
gboolean command_display_is_open (const CommandContext *context); /* some have not answered */

/* ---- point.c ---- */
/* The breakpoint's number at the front of the text, off *text. FALSE: the job has failed and ended. */
gboolean command_take_breakpoint (CommandJob *job, const char **text, guint32 *ret_number);

/* ---- complete-names.c ---- */
/* Of the commands that take a place or an expression. Lines: of char*, each once. */
gboolean command_names_ask (Session *session, const CommandRow *row, const char *line,
                            CommandCompleteDone done, gpointer user);
void command_names_add (Session *session, const CommandRow *row, const char *line,
                        GPtrArray *lines);

void command_run_move (CommandJob *job);
void command_run_where_to (CommandJob *job);
void command_run_break (CommandJob *job);
void command_run_rbreak (CommandJob *job);
void command_run_catch (CommandJob *job);
void command_run_handle (CommandJob *job);
void command_run_number (CommandJob *job);
void command_run_clear (CommandJob *job);
void command_run_info (CommandJob *job);
void command_run_macro (CommandJob *job);
void command_run_disassemble (CommandJob *job);
void command_run_dump (CommandJob *job);
void command_run_return (CommandJob *job);
void command_run_signal (CommandJob *job);
/* Completes the end of a path to a file that a rank was seen in or that can be opened here;
 * NULL. */
void command_run_commands (CommandJob *job);
void command_run_condition (CommandJob *job);
void command_run_ignore (CommandJob *job);
void command_run_show_breakpoints (CommandJob *job);
void command_run_print (CommandJob *job);
void command_run_output (CommandJob *job);
void command_run_printf (CommandJob *job);
void command_run_display (CommandJob *job);
void command_run_undisplay (CommandJob *job);
void command_run_show_displays (CommandJob *job);
void command_run_skip (CommandJob *job);
void command_run_show_skips (CommandJob *job);
void command_run_text (CommandJob *job);
void command_run_plain (CommandJob *job);
/* ---- source.c ---- */
/* Runs the lines, in order, before those that wait; one that fails skips the rest. name: for that sentence, %u is its line.
 * FALSE: scripts that call themselves do so for ever; the job has failed. */
gboolean command_queue_lines (CommandJob *job, const char *name, char **lines);
void command_run_source (CommandJob *job);
/* ---- script.c, define.c ---- */
void command_run_python (CommandJob *job);
void command_run_define (CommandJob *job);
void command_run_document (CommandJob *job);
/* ---- words.c ---- */
/* The line that runs the user's ~/.config/pddt/init; NULL: there is none, or others could have written it. */
char *command_dup_init (void);
void command_run_echo (CommandJob *job);
void command_run_pwd (CommandJob *job);
void command_run_directory (CommandJob *job);
void command_run_substitute_path (CommandJob *job);
void command_run_registers (CommandJob *job);
void command_run_names (CommandJob *job);
void command_run_where (CommandJob *job);
void command_run_queue (CommandJob *job);
void command_run_frame (CommandJob *job);
void command_run_set_var (CommandJob *job);
void command_run_examine (CommandJob *job);
void command_run_find (CommandJob *job);
void command_run_input (CommandJob *job);
void command_run_show_state (CommandJob *job);
void command_run_show_sets (CommandJob *job);
void command_run_show_diverged (CommandJob *job);
void command_run_show_options (CommandJob *job);
void command_run_set_option (CommandJob *job);
void command_run_set (CommandJob *job);
void command_run_live_set (CommandJob *job);
void command_run_forget (CommandJob *job);
void command_run_save (CommandJob *job);
void command_run_load (CommandJob *job);
void command_run_pick (CommandJob *job);
void command_run_list (CommandJob *job);
void command_run_help (CommandJob *job);
void command_run_quit (CommandJob *job);
void command_run_why (CommandJob *job);
void command_run_profile (CommandJob *job);
void command_run_profile_start (CommandJob *job);
void command_run_profile_stop (CommandJob *job);
void command_run_profile_save (CommandJob *job);
void command_run_restart (CommandJob *job);
void command_restart_check (CommandJob *job);
void command_run_wait (CommandJob *job);
void command_run_expect (CommandJob *job);
void command_wait_check (CommandJob *job);
void command_wait_clear (CommandJob *job);
/* WHERE of the text, a bare line filled in from the set's frames. */
gboolean command_parse_where (CommandJob *job, const char *text, JobWhere *ret_where,
                              GError **error);
