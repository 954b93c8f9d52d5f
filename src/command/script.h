/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the layer `script` adds to the language: Python in the front end, commands that scripts define, and breakpoints
 * whose hits call them. Without these hooks the language says that it has no Python. */
#pragma once
#include "command/command.h"
#include "profile/report.h"

typedef struct _CommandJob CommandJob;
typedef struct _CommandProfile CommandProfile;

/* Once, later. problem: why it failed; NULL: it did not. */
typedef void (*CommandScriptDone) (const char *problem, gpointer user);

typedef struct {
    /* Runs Python's text, which stands in the file from this line on; file NULL: it was typed. ranks: those that it is
     * about at first. FALSE: it cannot begin, and `done` is not called. */
    gboolean (*run) (CommandContext *context, const JobRankSet *ranks, const char *text,
                     const char *file, guint line, CommandScriptDone done, gpointer user,
                     GError **error);
    /* Calls the function that a script named as this command. As run. */
    gboolean (*call) (CommandContext *context, const JobRankSet *ranks, const char *name,
                      const char *arguments, CommandScriptDone done, gpointer user,
                      GError **error);
    void (*interrupt) (void);                 /* what runs; it ends as a failed one */
    void (*forget) (CommandContext *context); /* it is about to be freed */
    /* A hit of a script's breakpoint is being judged: its ranks may go on by themselves. */
    gboolean (*is_judging) (Session *session);
    gboolean (*has_breakpoint) (Session *session,
                                guint32 number); /* its hits are shown when judged */
} CommandScripts;

/* Kept, not copied. */
void command_set_scripts (const CommandScripts *scripts);
/* What a script prints; stream 1 or 2. Whole lines, without the last '\n'. */
void command_script_write (CommandContext *context, int stream, const char *text);
/* Something that a script was to do for ranks has failed: an error line, and pddt's status is 1. */
void command_script_fail (CommandContext *context, const char *text);
void command_script_quit (CommandContext *context);             /* as its own `quit` */
Session *command_context_get_session (CommandContext *context); /* borrowed */
/* Its lines wait for motions as those of a script do; which motions run in the background is as in the other
 * context. */
void command_context_follow (CommandContext *context, const CommandContext *other);
/* A command of this name from now on: letters, '-' and '_'. help: its first line is its summary. INVALID: it cannot be
 * one, or is one of pddt's own. */
gboolean command_script_add (const char *name, const char *help, GError **error);

/* The one that was begun last of those that `profile` or `profile stop` have ended in these contexts (NULL ones have none).
 * Borrowed; NULL: none, or no sample was taken. */
CommandProfile *command_profile_find_last (CommandContext *const *contexts, guint n_contexts);
CommandProfile *command_profile_ref (CommandProfile *profile);
void command_profile_unref (CommandProfile *profile); /* NULL is fine */
/* Borrowed; nothing is added to it any more. ret_facts: texts are the profile's. */
const ProfileModel *command_profile_get_model (const CommandProfile *profile,
                                               ProfileReportFacts *ret_facts);
