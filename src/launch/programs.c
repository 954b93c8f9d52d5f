/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of such files: Open MPI's and Hydra's are command lines without the launcher, Slurm's are
 * "RANKS PROGRAM ARGUMENTS". Words are taken as the launchers take them, by spaces; all that is not
 * pddt's stays byte for byte. */
#include "launch/programs-private.h"
#include "base/error.h"
#include "launch/launcher.h"
#include "launch/options-private.h"
#include <string.h>

static gboolean
is_option (const char *word, const char *name, const char **ret_value)
{
    gsize length = strlen (name);
    if (word[0] != '-') {
        return FALSE;
    }
    word += word[1] == '-' ? 2 : 1;
    if (strncmp (word, name, length) != 0 || (word[length] != '\0' && word[length] != '=')) {
        return FALSE;
    }
    *ret_value = word[length] == '=' ? word + length + 1 : NULL;
    return TRUE;
}

guint
launch_programs_find_file (LaunchKind kind, char **argv)
{
    const LaunchLauncher *launcher = launch_launcher_get (kind);
    guint n = g_strv_length (argv);
    for (guint i = 1; i < n; i++) {
        const char *value = NULL;
        if (!is_option (argv[i], launcher->file_option, &value)) {
            continue;
        }
        if (!launcher->file_is_program) {
            return value ? i : i + 1 < n ? i + 1 : 0;
        }
        /* the file stands where a program would */
        g_autoptr (GArray) programs
            = launch_options_find_programs (kind, (const char *const *) argv, NULL);
        return programs ? g_array_index (programs, guint, 0) : 0;
    }
    return 0;
}

typedef struct {
    const char *start;
    gsize length;
} Word;

static GArray *
split_line (const char *line)
{
    GArray *words = g_array_new (FALSE, FALSE, sizeof (Word));
    for (const char *at = line + strspn (line, " \t\r"); *at; at += strspn (at, " \t\r")) {
        Word word = { at, strcspn (at, " \t\r") };
        g_array_append_val (words, word);
        at += word.length;
    }
    return words;
}

/* Indexes of words that are programs. */
static GArray *
find_programs (LaunchKind kind, GArray *words, GError **error)
{
    if (launch_launcher_get (kind)->file_is_program) {
        guint second = 1;
        GArray *programs = g_array_new (FALSE, FALSE, sizeof (guint));
        return words->len > 1 ? g_array_append_val (programs, second) : programs;
    }
    g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (argv, g_strdup ("mpiexec"));
    for (guint i = 0; i < words->len; i++) {
        const Word *word = &g_array_index (words, Word, i);
        g_ptr_array_add (argv, g_strndup (word->start, word->length));
    }
    g_ptr_array_add (argv, NULL);
    GArray *programs = launch_options_find_programs (kind, (const char *const *) argv->pdata,
                                                     error);
    for (guint i = 0; programs && i < programs->len; i++) {
        g_array_index (programs, guint, i)--;
    }
    return programs;
}

static gboolean
is_word (const Word *word, const char *text)
{
    return strlen (text) == word->length && strncmp (word->start, text, word->length) == 0;
}

static gboolean
append_word (GString *copy, const Word *word, gboolean *ret_has_runner, GError **error)
{
    if (is_word (word, "%python_debug%") || is_word (word, "%allinea_python_debug%")) {
        g_autofree char *runner = launch_find_runner (error);
        *ret_has_runner = TRUE;
        g_string_append (copy, runner ? runner : "");
        return runner != NULL;
    }
    if (!is_word (word, LAUNCH_MARK)) {
        g_string_append_len (copy, word->start, (gssize) word->length);
    }
    return TRUE;
}

static gboolean
rewrite_line (LaunchKind kind, const char *line, GPtrArray *shim_words, GString *copy,
              gboolean *ret_has_runner, GError **error)
{
    g_autoptr (GArray) words = split_line (line);
    if (words->len == 0 || g_array_index (words, Word, 0).start[0] == '#') {
        g_string_append_printf (copy, "%s\n", line);
        return TRUE;
    }
    g_autoptr (GArray) programs = find_programs (kind, words, shim_words ? error : NULL);
    if (!programs && shim_words) {
        return FALSE;
    }
    const char *from = line;
    for (guint i = 0; i < words->len; i++) {
        const Word *word = &g_array_index (words, Word, i);
        gboolean is_program = FALSE;
        for (guint j = 0; programs && j < programs->len; j++) {
            is_program |= g_array_index (programs, guint, j) == i;
        }
        g_string_append_len (copy, from, word->start - from);
        for (guint j = 0; is_program && shim_words && j < shim_words->len; j++) {
            g_string_append_printf (copy, "%s ", (const char *) shim_words->pdata[j]);
        }
        if (!append_word (copy, word, ret_has_runner, error)) {
            return FALSE;
        }
        from = word->start + word->length;
    }
    g_string_append_printf (copy, "%s\n", from);
    return TRUE;
}

static char *
print_line (BaseTextForm form, guint number, const char *path, const GError *reason)
{
    /* Translators: a line's number, a file, and what is wrong there. */
    return base_text_print (form, "line %u of %s: %s", number, path,
                            base_error_get (reason, form));
}

gboolean
launch_programs_rewrite (LaunchKind kind, char **argv, guint index,
                         const LaunchSession *session, GPtrArray *shim_words,
                         gboolean *ret_has_runner, GError **error)
{
    const char *equal = argv[index][0] == '-' ? strchr (argv[index], '=') : NULL;
    const char *path = equal ? equal + 1 : argv[index];
    g_autofree char *text = NULL;
    g_autoptr (GError) reason = NULL;
    if (!g_file_get_contents (path, &text, NULL, &reason)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot read the list of programs %s: %s",
                        path, reason->message);
        return FALSE;
    }
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    g_autoptr (GString) copy = g_string_new (NULL);
    for (guint i = 0; lines[i]; i++) {
        if (lines[i + 1] == NULL && *lines[i] == '\0') {
            break;
        }
        if (!rewrite_line (kind, lines[i], shim_words, copy, ret_has_runner, &reason)) {
            base_error_set_text (error, reason->code,
                                 base_text_new_take (print_line (BASE_TEXT_ENGLISH, i + 1, path,
                                                                 reason),
                                                     print_line (BASE_TEXT_SHOWN, i + 1, path,
                                                                 reason)));
            return FALSE;
        }
    }
    g_autofree char *name = g_build_filename (session->directory, "programs", NULL);
    if (!g_file_set_contents_full (name, copy->str, (gssize) copy->len,
                                   G_FILE_SET_CONTENTS_CONSISTENT, 0600, &reason)) {
        base_error_set (error, BASE_ERROR_DENIED,
                        "cannot write a copy of the list of programs "
                        "%s: %s",
                        path, reason->message);
        return FALSE;
    }
    char *word = equal ? g_strdup_printf ("%.*s%s", (int) (equal + 1 - argv[index]),
                                          argv[index], name)
                       : g_strdup (name);
    g_free (argv[index]);
    argv[index] = word;
    return TRUE;
}
