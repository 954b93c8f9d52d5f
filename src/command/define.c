/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `define` and `document`: several commands under one name, as users of gdb know them. */
#include "command/script-private.h"
#include <string.h>

typedef struct {
    char *lines, *help;
} Definition;

static GHashTable *definitions; /* name to Definition; NULL: there is none */

BASE_FREE (free_definition, Definition, definition, g_free (definition->lines);
           g_free (definition->help))

/* Its words in the places of $arg0, $argc and $arg*. NULL with *ret_missing: it needs one that is not there. */
static char *
fill_in (const char *line, char **words, const char *all, guint *ret_missing)
{
    guint n_words = g_strv_length (words);
    GString *text = g_string_new (NULL);

    while (*line != '\0') {
        const char *digits = line + strlen ("$arg");

        if (!g_str_has_prefix (line, "$arg")) {
            g_string_append_c (text, *line++);
        } else if (*digits == 'c') {
            g_string_append_printf (text, "%u", n_words);
            line = digits + 1;
        } else if (*digits == '*') {
            g_string_append (text, all);
            line = digits + 1;
        } else if (g_ascii_isdigit (*digits)) {
            guint64 index = g_ascii_strtoull (digits, (char **) &line, 10);

            if (index >= n_words) {
                *ret_missing = (guint) MIN (index, G_MAXUINT);
                g_string_free (text, TRUE);
                return NULL;
            }
            g_string_append (text, words[index]);
        } else {
            g_string_append_c (text, *line++);
        }
    }
    return g_string_free (text, FALSE);
}

/* Words as gdb splits them: quotes keep blanks together and stay. Of char*, NULL-terminated. */
static char **
split_words (const char *text)
{
    GPtrArray *words = g_ptr_array_new ();

    while (*(text = command_skip_spaces (text)) != '\0') {
        const char *start = text;
        char quote = '\0';

        for (; *text != '\0' && (quote != '\0' || !g_ascii_isspace (*text)); text++) {
            if (*text == '\\' && text[1] != '\0') {
                text++;
            } else if (quote != '\0') {
                quote = *text == quote ? '\0' : quote;
            } else if (*text == '"' || *text == '\'') {
                quote = *text;
            }
        }
        g_ptr_array_add (words, g_strndup (start, (gsize) (text - start)));
    }
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (words, FALSE);
}

/* Where the user typed a set, each line is for it. */
static char *
add_set (CommandJob *job, char *line)
{
    g_autofree char *ranks = NULL;
    const char *text = command_skip_spaces (line);

    if (job->parsed_set == NULL || *text == '\0' || *text == '#'
        || g_str_has_prefix (text, "on ") || command_takes_no_set (text)) {
        return line;
    }
    ranks = job_rank_set_format (job->set);
    text = g_strdup_printf ("on %s %s", ranks, text);
    g_free (line);
    return (char *) text;
}

static void
run_defined (CommandJob *job)
{
    const Definition *definition = g_hash_table_lookup (definitions, job->row->name);
    g_auto (GStrv) words = split_words (job->arguments);
    g_auto (GStrv) lines = g_strsplit (definition->lines, "\n", -1);
    guint depth = 0; /* of blocks, whose lines are no commands */

    for (guint i = 0; lines[i] != NULL; i++) {
        guint missing = 0, before = depth;
        char *filled = fill_in (lines[i], words, job->arguments, &missing);

        if (filled == NULL) {
            command_job_fail (job, NULL, "%s needs $arg%u: give it %u words", job->row->name,
                              missing, missing + 1);
            command_job_end (job);
            return;
        }
        command_script_note_line (filled, &depth);
        g_free (lines[i]);
        lines[i] = before == 0 ? add_set (job, filled) : filled;
    }
    command_queue_lines (job, job->row->name, lines);
    command_job_end (job);
}

gboolean
command_is_defined (const CommandRow *row)
{
    return row->run == run_defined;
}

/* NULL: the job has failed. */
static char *
take_name (CommandJob *job)
{
    const char *text = job->arguments;
    g_autofree char *name = command_take_word (&text, "", NULL);

    if (name == NULL || *command_skip_spaces (text) != '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        return NULL;
    }
    return g_steal_pointer (&name);
}

static void
set_row (const char *name, const Definition *definition)
{
    command_table_add (name, "[ARGUMENTS]",
                       definition->help != NULL ? definition->help : "a command of the user's",
                       COMMAND_AT_ONCE, run_defined);
}

static void
end_define (CommandJob *job, const char *name, const char *text)
{
    Definition *definition = g_new0 (Definition, 1);

    definition->lines = g_strdup (text);
    if (definitions == NULL) {
        definitions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_definition);
    }
    g_hash_table_replace (definitions, g_strdup (name), definition);
    set_row (name, definition);
    command_job_end (job);
}

void
command_run_define (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *name = take_name (job);

    if (name != NULL && !command_script_check_name (name, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
    } else if (name != NULL) {
        command_script_open (job, name, end_define);
    }
    command_job_end (job);
}

static void
end_document (CommandJob *job, const char *name, const char *text)
{
    Definition *definition = g_hash_table_lookup (definitions, name);

    g_free (definition->help);
    definition->help = g_strchomp (g_strdup (text));
    set_row (name, definition);
    command_job_end (job);
}

void
command_run_document (CommandJob *job)
{
    g_autofree char *name = take_name (job);

    if (name != NULL && (definitions == NULL || !g_hash_table_contains (definitions, name))) {
        command_job_fail (job, NULL, "no command \"%s\" was made with define", name);
    } else if (name != NULL) {
        command_script_open (job, name, end_document);
    }
    command_job_end (job);
}
