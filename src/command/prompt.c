/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prompt: readline's callback interface as a source of the main loop, history, completion. */
#include "command/prompt.h"
#include "command/command.h"
#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <readline/readline.h>
#include <readline/history.h>

#define MAX_HISTORY 1000
#define MAX_PROMPT_RANKS 30 /* characters */

/* readline has global state, so this file has, too. */
static struct {
    Session *session;
    CommandPromptLine on_line;
    gpointer user;
    guint source;
    char **completions;
    char *status;
    char *asked, *completed; /* lines: names are asked for; Tab has been pressed at */
    gboolean keeps_spaces;   /* the lines are input of the program */
} prompt;

static char *
make_history_path (void)
{
    const char *state = g_getenv ("XDG_STATE_HOME");

    if (state != NULL && g_path_is_absolute (state)) {
        return g_build_filename (state, "pddt", "history", NULL);
    }
    return g_build_filename (g_get_home_dir (), ".local", "state", "pddt", "history", NULL);
}

static char *
make_text (Session *session, gboolean is_input)
{
    g_autofree char *ranks = job_rank_set_format (session_get_focus (session));
    g_autofree char *progress = NULL;
    guint32 arrived, asked;

    if (session_find_progress (session, session_get_focus (session), &arrived, &asked)
        && arrived > 0 && asked > arrived) {
        progress = g_strdup_printf (" (%u/%u)", arrived, asked);
    }
    if (is_input) {
        return g_strdup ("");
    }
    if (prompt.status != NULL) {
        return g_strdup_printf ("(%s) > ", prompt.status);
    }
    if (*ranks == '\0') {
        return g_strdup ("> ");
    }
    if (strlen (ranks) > MAX_PROMPT_RANKS) {
        return g_strdup_printf ("on %u ranks%s > ",
                                job_rank_set_get_count (session_get_focus (session)),
                                progress != NULL ? progress : "");
    }
    return g_strdup_printf ("on %s%s > ", ranks, progress != NULL ? progress : "");
}

static char *
next_completion (const char *text, int state)
{
    static guint index;

    if (state == 0) {
        index = 0;
    }
    while (prompt.completions != NULL && prompt.completions[index] != NULL) {
        const char *line = prompt.completions[index++];

        /* Lines are whole, readline wants them from its word on. */
        if ((int) strlen (line) >= rl_point - (int) strlen (text)) {
            return strdup (line + rl_point - (int) strlen (text));
        }
    }
    return NULL;
}

static char **
complete (const char *text, int start, int end)
{
    g_autofree char *line = g_strndup (rl_line_buffer, (gsize) end);

    g_strfreev (prompt.completions);
    prompt.completions = command_complete (prompt.session, line);
    rl_attempted_completion_over = 1;
    rl_completion_append_character = '\0'; /* readline sets it anew each time */
    return rl_completion_matches (text, next_completion);
}

/* Completes the common prefix; a second Tab at the same place lists the candidates. */
static void
complete_line (const char *line)
{
    gboolean again = g_strcmp0 (line, prompt.completed) == 0;

    g_free (prompt.completed);
    prompt.completed = g_strdup (line);
    rl_complete_internal (again ? '?' : '\t');
    rl_redisplay ();
}

static void
on_names (Session *session, gpointer user)
{
    g_autofree char *line = g_strndup (rl_line_buffer, (gsize) rl_point);
    g_autofree char *asked = g_steal_pointer (&prompt.asked);

    /* not into a line that somebody has typed on in the meantime */
    if (prompt.on_line != NULL && !prompt.keeps_spaces && strcmp (line, asked) == 0) {
        complete_line (line);
    }
}

static int
on_tab (int count, int key)
{
    g_autofree char *line = g_strndup (rl_line_buffer, (gsize) rl_point);

    if (prompt.keeps_spaces) {
        return rl_insert (count, key);
    }
    if (g_strcmp0 (prompt.asked, line) == 0) {
        return 0;
    }
    g_clear_pointer (&prompt.asked, g_free);
    if (command_complete_ask (prompt.session, line, on_names, NULL)) {
        prompt.asked = g_steal_pointer (&line);
        return 0;
    }
    complete_line (line);
    return 0;
}

static void
give_line (const char *line)
{
    if (prompt.on_line != NULL) {
        prompt.on_line (line, prompt.user);
    }
}

static gboolean
on_line_idle (gpointer line)
{
    give_line (line);
    return G_SOURCE_REMOVE;
}

/* Not from inside of readline, which still shows the line that has been typed. */
static void
on_readline (char *line)
{
    g_clear_pointer (&prompt.completed, g_free);
    if (line == NULL) {
        fputc ('\n', stdout);
    } else if (!prompt.keeps_spaces && *g_strstrip (line) == '\0') {
        free (line);
        return;
    } else if (!prompt.keeps_spaces) {
        add_history (line);
    }
    g_idle_add_full (G_PRIORITY_HIGH, on_line_idle, line, free);
}

static gboolean
on_key (int fd, GIOCondition condition, gpointer data)
{
    if ((condition & (G_IO_HUP | G_IO_ERR)) && !(condition & G_IO_IN)) {
        prompt.source = 0;
        give_line (NULL);
        return G_SOURCE_REMOVE;
    }
    rl_callback_read_char ();
    return G_SOURCE_CONTINUE;
}

void
command_prompt_begin (Session *session, CommandPromptLine on_line, gpointer user)
{
    g_autofree char *text = make_text (session, FALSE);
    g_autofree char *path = make_history_path ();

    prompt.session = session;
    prompt.on_line = on_line;
    prompt.user = user;
    rl_readline_name = "pddt";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 1;
    rl_attempted_completion_function = complete;
    rl_basic_word_break_characters = " ,";
    rl_sort_completion_matches = 0; /* the most useful stands first */
    using_history ();
    stifle_history (MAX_HISTORY);
    read_history (path);
    rl_callback_handler_install (text, on_readline);
    /* not when the user's own settings bind it otherwise */
    if (rl_function_of_keyseq ("\t", NULL, NULL) == rl_complete) {
        rl_bind_key ('\t', on_tab);
    }
    prompt.source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_key, NULL);
}

void
command_prompt_end (void)
{
    g_autofree char *path = make_history_path ();
    g_autofree char *folder = g_path_get_dirname (path);

    g_clear_handle_id (&prompt.source, g_source_remove);
    rl_callback_handler_remove ();
    prompt.on_line = NULL;
    if (g_mkdir_with_parents (folder, 0700) == 0) {
        write_history (path);
    }
    g_clear_pointer (&prompt.completions, g_strfreev);
    g_clear_pointer (&prompt.asked, g_free);
    g_clear_pointer (&prompt.completed, g_free);
    g_clear_pointer (&prompt.status, g_free);
    command_complete_cancel (prompt.session, NULL);
}

void
command_prompt_hide (void)
{
    rl_clear_visible_line ();
}

void
command_prompt_show (void)
{
    rl_on_new_line ();
    rl_redisplay ();
}

void
command_prompt_set_status (const char *text)
{
    g_free (prompt.status);
    prompt.status = g_strdup (text);
}

void
command_prompt_update (Session *session, gboolean is_input)
{
    g_autofree char *text = make_text (session, is_input);

    prompt.keeps_spaces = is_input;
    rl_clear_visible_line ();
    rl_set_prompt (text);
    rl_on_new_line ();
    rl_redisplay ();
}

gboolean
command_prompt_clear (void)
{
    gboolean had_text = rl_end > 0;

    rl_replace_line ("", 0);
    g_clear_pointer (&prompt.asked, g_free);
    command_complete_cancel (prompt.session, NULL);
    fputs ("^C\n", stdout);
    rl_on_new_line ();
    rl_redisplay ();
    return had_text;
}
