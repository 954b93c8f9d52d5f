/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building and checking of the line that "Will run" shows. */
#include "gui/dialogs/run-line.h"
#include <glib/gi18n.h>
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
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "cannot read %s: %s", text,
                     problem->message);
        return FALSE;
    }
    for (guint i = 0; words[i] != NULL; i++) {
        g_ptr_array_add (argv, g_strdup (words[i]));
    }
    return TRUE;
}

static gboolean
check_program (const GuiRunLine *line, gboolean is_python, GError **error)
{
    g_autofree char *path = NULL, *found = NULL;
    gboolean has_slash = strchr (line->program, '/') != NULL;

    path = g_path_is_absolute (line->program) || line->folder == NULL || *line->folder == '\0'
               ? g_strdup (line->program)
               : g_build_filename (line->folder, line->program, NULL);
    if ((has_slash || is_python) && !g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, _ ("No such program: %s"), path);
        return FALSE;
    }
    found = has_slash || is_python ? g_strdup (path) : g_find_program_in_path (line->program);
    if (found == NULL) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                     _ ("No program %s in PATH; write ./%s for one in this folder"),
                     line->program, line->program);
        return FALSE;
    }
    if (!is_python && !g_file_test (found, G_FILE_TEST_IS_EXECUTABLE)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, _ ("%s is not executable"), path);
        return FALSE;
    }
    return TRUE;
}

char **
gui_run_line_dup_argv (const GuiRunLine *line, GError **error)
{
    g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
    gboolean is_python = line->program != NULL && g_str_has_suffix (line->program, ".py");

    if (line->program == NULL || *line->program == '\0') {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND, _ ("Which program?"));
        return NULL;
    }
    if (!check_program (line, is_python, error)) {
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
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         _ ("The environment needs NAME=value, not %s"),
                         (const char *) words->pdata[i]);
            return NULL;
        }
    }
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}
