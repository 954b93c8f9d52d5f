/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion of a line, for readline and for the window's entry: whole lines, so that the caller
 * needs no grammar. */
#include "command/private.h"
#include <string.h>

static void
add_line (GPtrArray *lines, const char *head, gsize head_size, const char *word)
{
    g_autofree char *line = g_strdup_printf ("%.*s%s", (int) head_size, head, word);

    if (!g_ptr_array_find_with_equal_func (lines, line, g_str_equal, NULL)) {
        g_ptr_array_add (lines, g_steal_pointer (&line));
    }
}

static void
complete_command (GPtrArray *lines, const char *line, const char *typed)
{
    const CommandRow *row;

    for (guint i = 0; (row = command_table_get (i)) != NULL; i++) {
        g_auto (GStrv) words = g_strsplit (row->words, ",", -1);

        if (g_str_has_prefix (row->name, typed)) {
            add_line (lines, line, (gsize) (typed - line), row->name);
        }
        for (guint j = 0; words[j] != NULL && *typed != '\0'; j++) {
            if (strlen (words[j]) > 2 && g_str_has_prefix (words[j], typed)) {
                add_line (lines, line, (gsize) (typed - line), words[j]);
            }
        }
    }
}

static void
complete_set (Session *session, GPtrArray *lines, const char *line, const char *typed)
{
    static const char *const words[] = { "all",  "even", "odd",   "nof",    "at", "in",
                                         "host", "same", "where", "except", NULL };
    g_auto (GStrv) names = session_dup_set_names (session);
    gsize head = (gsize) (typed - line);

    for (guint i = 0; words[i] != NULL; i++) {
        if (g_str_has_prefix (words[i], typed)) {
            add_line (lines, line, head, words[i]);
        }
    }
    for (guint i = JOB_STATE_RUNNING; i < JOB_N_STATES; i++) {
        const char *word = job_state_get_info ((JobState) i)->word;

        if (g_str_has_prefix (word, typed)) {
            add_line (lines, line, head, word);
        }
    }
    for (guint i = 0; names[i] != NULL; i++) {
        if (g_str_has_prefix (names[i], typed)) {
            add_line (lines, line, head, names[i]);
        }
    }
}

static void
complete_place (Session *session, GPtrArray *lines, const char *line, const char *typed)
{
    gsize head = (gsize) (typed - line);

    for (guint32 rank = 0; rank < session_get_size (session) && lines->len < 50; rank++) {
        const JobLocation *place = session_get_rank (session, rank).place;
        g_autofree char *file = NULL;

        if (place == NULL) {
            continue;
        }
        if (place->function != NULL && g_str_has_prefix (place->function, typed)) {
            add_line (lines, line, head, place->function);
        }
        file = place->file != NULL ? session_dup_short_file (session, place->file) : NULL;
        if (file != NULL && g_str_has_prefix (file, typed)) {
            g_autofree char *with_colon = g_strdup_printf ("%s:", file);

            add_line (lines, line, head, with_colon);
        }
    }
}

static const char *
find_last_word (const char *line)
{
    const char *word = line + strlen (line);

    while (word > line && word[-1] != ' ' && word[-1] != ',') {
        word--;
    }
    return word;
}

/* After "on SET": where the command begins; the line itself without "on"; NULL inside the set. */
static const char *
skip_set (Session *session, const char *line)
{
    const char *text = command_skip_spaces (line);
    CommandSet *set;

    if (strncmp (text, "on ", 3) != 0) {
        return text;
    }
    text += 3;
    set = command_set_parse (session, &text, NULL);
    if (set == NULL || !g_ascii_isspace (*text)) {
        command_set_free (set);
        return NULL;
    }
    command_set_free (set);
    text = command_skip_spaces (text);
    return g_str_has_prefix (text, "except") ? NULL : text;
}

/* The command whose arguments the line's end is among; NULL: none yet. Lines are those of commands. */
static const CommandRow *
find_row (GPtrArray *lines, const char *line, const char *command)
{
    const char *after = command;

    complete_command (lines, line, command);
    return lines->len == 0 ? command_table_find (&after, NULL) : NULL;
}

gboolean
command_complete_ask (Session *session, const char *line, CommandCompleteDone done,
                      gpointer user)
{
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
    const char *command = skip_set (session, line);
    const CommandRow *row = command != NULL ? find_row (lines, line, command) : NULL;

    return row != NULL && command_names_ask (session, row, line, done, user);
}

char **
command_complete (Session *session, const char *line)
{
    g_autoptr (GPtrArray) lines = g_ptr_array_new ();
    const char *command = skip_set (session, line);
    const CommandRow *row = NULL;

    if (command == NULL) {
        complete_set (session, lines, line, find_last_word (line));
    } else {
        row = find_row (lines, line, command);
    }
    if (row != NULL
        && (row->run == command_run_pick || row->run == command_run_set
            || row->run == command_run_live_set)) {
        complete_set (session, lines, line, find_last_word (line));
    } else if (row != NULL
               && (row->run == command_run_break || row->run == command_run_where_to
                   || row->run == command_run_list)) {
        complete_place (session, lines, line, find_last_word (line));
    } else if (row != NULL && row->run == command_run_help) {
        complete_command (lines, line, find_last_word (line));
    }
    if (row != NULL) {
        command_names_add (session, row, line, lines);
    }
    g_ptr_array_add (lines, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&lines), FALSE);
}
