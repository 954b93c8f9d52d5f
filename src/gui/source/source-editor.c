/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-editor.h"
#include "base/error.h"
#include "gui/kit/settings.h"
#include <glib/gi18n.h>
#include <string.h>

/* How editors are told a line, by the last part of their path; others: "+LINE FILE", as vi. NULL: that too. */
static const struct {
    const char *name, *arguments;
    gboolean is_in_terminal;
} editors[] = {
    { "code", "--goto %f:%l", FALSE },
    { "code-insiders", "--goto %f:%l", FALSE },
    { "codium", "--goto %f:%l", FALSE },
    { "subl", "%f:%l", FALSE },
    { "zed", "%f:%l", FALSE },
    { "kate", "--line %l %f", FALSE },
    { "kwrite", "--line %l %f", FALSE },
    { "geany", "%f:%l", FALSE },
    { "idea", "--line %l %f", FALSE },
    { "clion", "--line %l %f", FALSE },
    { "pycharm", "--line %l %f", FALSE },
    { "hx", "%f:%l", TRUE },
    { "helix", "%f:%l", TRUE },
    { "vi", NULL, TRUE },
    { "vim", NULL, TRUE },
    { "nvim", NULL, TRUE },
    { "nano", NULL, TRUE },
    { "micro", NULL, TRUE },
    { "joe", NULL, TRUE },
    { "mcedit", NULL, TRUE },
    { "ed", NULL, TRUE },
};

static gboolean
is_told_terminal (const char *const *words)
{
    return g_strv_contains (words, "-nw") || g_strv_contains (words, "-t");
}

static char *
fill (const char *word, const char *file, guint line)
{
    GString *text = g_string_new (NULL);

    for (; *word != '\0'; word++) {
        if (word[0] == '%' && word[1] == 'f') {
            g_string_append (text, file);
            word++;
        } else if (word[0] == '%' && word[1] == 'l') {
            g_string_append_printf (text, "%u", line);
            word++;
        } else {
            g_string_append_c (text, *word);
        }
    }
    return g_string_free (text, FALSE);
}

/* A shell's line would read the file's name as its own words, and names of files come from the program. */
static gboolean
is_line_of_shell (char **words)
{
    for (guint i = 0; words[i] != NULL; i++) {
        if (strstr (words[i], "%f") != NULL && strpbrk (words[i], " \t\"'`$;&|<>()") != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

char **
gui_source_editor_make (const char *command, const char *file, guint line,
                        gboolean *ret_is_in_terminal, GError **error)
{
    const char *arguments = "+%l %f";
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    g_autofree char *name = NULL, *whole = NULL;
    g_auto (GStrv) given = NULL, all = NULL;

    if (!g_shell_parse_argv (command, NULL, &given, NULL)) {
        base_error_set (error, BASE_ERROR_INVALID, N_ ("the editor \"%s\" is no command"),
                        command);
        return NULL;
    }
    if (is_line_of_shell (given)) {
        base_error_set (
            error, BASE_ERROR_INVALID,
            N_ ("in the editor \"%s\", %%f has to be a word of its own, not part of a "
                "shell's line"),
            command);
        return NULL;
    }
    name = g_path_get_basename (given[0]);
    *ret_is_in_terminal = g_str_has_prefix (name, "emacs")
                          && is_told_terminal ((const char *const *) given);
    for (guint i = 0; i < G_N_ELEMENTS (editors); i++) {
        if (strcmp (editors[i].name, name) == 0) {
            arguments = editors[i].arguments != NULL ? editors[i].arguments : arguments;
            *ret_is_in_terminal = editors[i].is_in_terminal;
        }
    }
    whole = strstr (command, "%f") != NULL ? g_strdup (command)
                                           : g_strdup_printf ("%s %s", command, arguments);
    g_shell_parse_argv (whole, NULL, &all, NULL);
    for (guint i = 0; all[i] != NULL; i++) {
        g_ptr_array_add (words, fill (all[i], file, line));
    }
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

/* The words with a terminal's before them. NULL with NOT_FOUND. Takes them; caller owns. */
static char **
put_in_terminal (char **words, GError **error)
{
    static const char *const terminals[][2] = { { "x-terminal-emulator", "-e" },
                                                { "gnome-terminal", "--" },
                                                { "konsole", "-e" },
                                                { "xfce4-terminal", "-x" },
                                                { "xterm", "-e" } };
    g_auto (GStrv) given = words;
    GPtrArray *all;

    for (guint i = 0; i < G_N_ELEMENTS (terminals); i++) {
        char *path = g_find_program_in_path (terminals[i][0]);

        if (path == NULL) {
            continue;
        }
        all = g_ptr_array_new ();
        g_ptr_array_add (all, path);
        g_ptr_array_add (all, g_strdup (terminals[i][1]));
        for (guint j = 0; given[j] != NULL; j++) {
            g_ptr_array_add (all, g_strdup (given[j]));
        }
        g_ptr_array_add (all, NULL);
        return (char **) g_ptr_array_free (all, FALSE);
    }
    base_error_set (error, BASE_ERROR_NOT_FOUND, N_ ("%s needs a terminal, and there is none"),
                    given[0]);
    return NULL;
}

/* Caller owns; NULL: none. */
static char *
dup_command (void)
{
    GSettings *settings = gui_settings_get ();
    g_autofree char *own = settings != NULL ? g_settings_get_string (settings, "editor") : NULL;
    const char *named = g_getenv ("VISUAL");

    named = named != NULL && *named != '\0' ? named : g_getenv ("EDITOR");
    if (own != NULL && *g_strchug (own) != '\0') {
        return g_steal_pointer (&own);
    }
    return named != NULL && *named != '\0' ? g_strdup (named) : NULL;
}

gboolean
gui_source_editor_open (const char *file, guint line, GError **error)
{
    g_autofree char *command = dup_command ();
    g_autoptr (GError) reason = NULL;
    g_auto (GStrv) words = NULL;
    gboolean is_in_terminal;

    if (!g_path_is_absolute (file) || !g_file_test (file, G_FILE_TEST_IS_REGULAR)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, N_ ("%s is not on this host"), file);
        return FALSE;
    }
    if (command == NULL) {
        base_error_set (
            error, BASE_ERROR_NOT_FOUND,
            N_ ("no editor is known: name one in Preferences, or in $VISUAL or $EDITOR"));
        return FALSE;
    }
    words = gui_source_editor_make (command, file, line, &is_in_terminal, error);
    if (words != NULL && is_in_terminal) {
        words = put_in_terminal (g_steal_pointer (&words), error);
    }
    if (words == NULL) {
        return FALSE;
    }
    if (!g_spawn_async (NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &reason)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, N_ ("cannot start the editor: %s"),
                        reason->message);
        return FALSE;
    }
    return TRUE;
}
