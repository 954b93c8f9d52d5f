/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command language: text in, text or JSON out. One table row per command; help, completion and
 * the command reference are made from it. */
#pragma once
#include "session/selection.h"
#include "session/session.h"

typedef struct _CommandContext CommandContext;

typedef enum {
    COMMAND_OUT_ANSWER,
    COMMAND_OUT_EVENT,
    COMMAND_OUT_ERROR,
    COMMAND_OUT_OUTPUT
} CommandOutKind;
/* One line (or several, '\n' between), without the last '\n'. stream: 1 or 2. */
typedef void (*CommandWrite) (CommandOutKind kind, int stream, const char *text, gpointer user);
/* The command completed (moving commands: was accepted). ok: for every rank named. */
typedef void (*CommandDone) (gboolean ok, gpointer user);

CommandContext *command_context_new (Session *session, gboolean json, CommandWrite write,
                                     gpointer user);
void command_context_free (CommandContext *context);
/* Runs one line; done is called once, now or later. Returns the id of the request that it sent,
 * 0 when none (so that a caller can know its answers among the session's "event"s). Commands run
 * in order: one begins when the one before is done. */
guint64 command_run (CommandContext *context, const char *line, CommandDone done,
                     gpointer user);
/* From now on, writes events of ranks only if they concern some of these. */
void command_context_show_only (CommandContext *context, const JobRankSet *ranks);
/* Of a session's one prompt: what `display` shows is saved with the session, and is there again in one that was taken
 * over. */
void command_context_keep_displays (CommandContext *context);
/* What has been selected by its commands; their requests say it. Borrowed. */
SessionSelection *command_context_get_selection (CommandContext *context);
/* Writes the events that are held back to be merged. */
void command_context_flush (CommandContext *context);
/* Writes the ranks' output so far, also unfinished lines. */
void command_context_flush_output (CommandContext *context);
/* TRUE after `quit`. */
gboolean command_context_is_quit (const CommandContext *context);
/* Whether lines run when ranks stop at the breakpoint: they may go on by themselves. */
gboolean command_has_hooks (CommandContext *context, guint32 breakpoint);
/* Cancels the running command, which fails: prints the answers so far, names the ranks without
 * one, and begins the next command. Also cancels a `restart`. FALSE: none is running. */
gboolean command_cancel (CommandContext *context);
/* A `wait` is running and later commands have not begun. Cancelling makes it fail. */
gboolean command_wait_is_active (const CommandContext *context);
/* After `profile start`, before `profile stop`. */
gboolean command_profile_is_open (const CommandContext *context);
void command_wait_cancel (CommandContext *context);

/* The text as one word of the language, in quotes where it needs them. Caller owns. */
char *command_quote_word (const char *text);
/* Parses a SET of the language. INVALID. Caller owns. */
JobRankSet *command_parse_set (Session *session, const char *text, GError **error);
/* Whether the line's command is about the whole job, or names its ranks itself as `pick` does: "on SET" before
 * it is an error. */
gboolean command_takes_no_set (const char *line);
/* Completions of the line for readline and the window's entry; NULL-terminated, caller owns. */
char **command_complete (Session *session, const char *line);
/* Asks the ranks for names of the program that the line's last word may become. `done` is called once,
 * later, when command_complete (line) knows them. FALSE: there is nothing to ask, or the answer
 * is already known; `done` is not called. Cancels an earlier question. */
typedef void (*CommandCompleteDone) (Session *session, gpointer user);
gboolean command_complete_ask (Session *session, const char *line, CommandCompleteDone done,
                               gpointer user);
/* Cancels this user's question. */
void command_complete_cancel (Session *session, gpointer user);
/* Markdown of all commands, events and fields: the command reference. Caller owns. */
char *command_format_reference (void);
/* Every command and every other word for one, sorted; g_strfreev. */
char **command_dup_words (void);
/* Text of `help [COMMAND]`; NULL when there is no such command. */
char *command_format_help (const char *name);

/* Non-interactive and interactive terminal front ends, for pddt's main. */
typedef struct {
    gboolean json, interactive;
    GPtrArray *lines;    /* of char*: "e:LINE" or "x:FILE" in the order of the command line */
    GPtrArray *reports;  /* of char*: files for the report of the session; NULL: none */
    const char *version; /* pddt's, for the report */
} CommandTerminalOptions;
/* For a session that could not be started: with --json, writes the error and the final `done`
 * to stdout. */
void command_terminal_fail_start (Session *session, const CommandTerminalOptions *options,
                                  const char *problem);
/* Runs the list when the session is ready, then the prompt if interactive; returns exit status. */
int command_terminal_run (Session *session, const CommandTerminalOptions *options);
