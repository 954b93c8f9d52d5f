/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building and checking of the line that "Will run" shows. */
#include "gui/dialogs/run-line.h"
#include <string.h>
#include "base/error.h"
#include "session/launchers.h"

/* Appends the words of text; FALSE with INVALID. */
static gboolean
add_words (GPtrArray *argv, const char *text, GError **error)
{
    g_autoptr (GError) problem = NULL;
    g_auto (GStrv) words = NULL;

    if (text == NULL || *text == '\0') {
        return TRUE;
    }
    if (!g_shell_parse_argv (text, NULL, &words, &problem)) {
        if (g_error_matches (problem, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING)) {
            return TRUE;
        }
        base_error_set (error, BASE_ERROR_INVALID, "cannot read %s: %s", text,
                        problem->message);
        return FALSE;
    }
    for (guint i = 0; words[i] != NULL; i++) {
        g_ptr_array_add (argv, g_strdup (words[i]));
    }
    return TRUE;
}

gboolean
gui_run_line_is_script (const GuiRunLine *line)
{
    return line->program != NULL && g_str_has_suffix (line->program, ".py");
}

char **
gui_run_line_dup_argv (const GuiRunLine *line, GError **error)
{
    g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
    gboolean is_python = gui_run_line_is_script (line);

    if (line->program == NULL || *line->program == '\0') {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "Which program?");
        return NULL;
    }
    if (line->use_mpi) {
        g_ptr_array_add (argv, g_strdup (line->launcher));
        g_ptr_array_add (argv, g_strdup (session_launchers_get_size_word (line->launcher)));
        g_ptr_array_add (argv, g_strdup_printf ("%u", line->n_ranks));
        if (!add_words (argv, line->launcher_options, error)) {
            return NULL;
        }
    }
    if (is_python) {
        g_ptr_array_add (argv, g_strdup ("python3"));
        g_ptr_array_add (argv, g_strdup ("%python_debug%"));
    }
    g_ptr_array_add (argv, g_strdup (line->program));
    if (!add_words (argv, line->arguments, error)) {
        return NULL;
    }
    g_ptr_array_add (argv, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&argv), FALSE);
}

char **
gui_run_line_dup_environment (const GuiRunLine *line, GError **error)
{
    g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

    if (!add_words (words, line->environment, error)) {
        return NULL;
    }
    for (guint i = 0; i < words->len; i++) {
        const char *equals = strchr (words->pdata[i], '=');

        if (equals == NULL || equals == words->pdata[i]) {
            base_error_set (error, BASE_ERROR_INVALID,
                            "The environment needs NAME=value, not %s",
                            (const char *) words->pdata[i]);
            return NULL;
        }
    }
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}
