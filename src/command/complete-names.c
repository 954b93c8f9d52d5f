/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion with the program's own names: requested when Tab is pressed, cached until another
 * word is typed or a rank moves, and shortened to what a user types. */
#include "command/private.h"
#include <string.h>

#define MAX_NAMES 200
#define KEY "pddt-complete-names"

typedef struct {
    char *word; /* that is asked for or known */
    guint kinds;
    guint64 generation; /* of the session's states */
    GPtrArray *names; /* of char*: what the word may become, with it at the front; NULL asked */
    CommandCompleteDone done;
    gpointer user;
} Known;

BASE_FREE (free_known, Known, known, g_clear_pointer (&known->names, g_ptr_array_unref);
           g_free (known->word))

static gboolean
takes_place (const CommandRow *row)
{
    return row->run == command_run_break || row->run == command_run_where_to
           || row->run == command_run_list || row->run == command_run_clear;
}

static guint
find_kinds (const CommandRow *row)
{
    if (takes_place (row)) {
        return JOB_NAME_FUNCTION | JOB_NAME_FILE;
    }
    switch (row->verb) {
    case JOB_VERB_PRINT:
    case JOB_VERB_PRINTF:
    case JOB_VERB_WHATIS:
    case JOB_VERB_PTYPE:
    case JOB_VERB_CALL:
    case JOB_VERB_SET:
    case JOB_VERB_WATCH:
    case JOB_VERB_FIND:
    case JOB_VERB_EXAMINE: return JOB_NAME_FUNCTION | JOB_NAME_VARIABLE | JOB_NAME_TYPE;
    default: return 0;
    }
}

/* The end of the line that a name may stand for; NULL: a member's, a number, nothing. */
static const char *
find_word (const CommandRow *row, const char *line)
{
    const char *end = line + strlen (line), *word = end;
    gboolean is_place = takes_place (row);

    while (word > line
           && (is_place ? word[-1] != ' '
                        : g_ascii_isalnum (word[-1]) || strchr ("_:~", word[-1]) != NULL)) {
        word--;
    }
    if (word == line || *word == '\0' || g_ascii_isdigit (*word) || *word == '*' || *word == '"'
        || (!is_place
            && (word[-1] == '.' || word[-1] == '%' || g_str_has_prefix (word - 2, "->")))) {
        return NULL;
    }
    return word;
}

/* "a::b<c, d>::e" as it is typed: "a::b::e". */
static char *
strip_arguments (const char *name)
{
    GString *text = g_string_new (NULL);
    int depth = 0;

    for (const char *at = name; *at != '\0'; at++) {
        gboolean is_operator = depth == 0 && text->len >= 8
                               && strncmp (text->str + text->len - 8, "operator", 8) == 0;

        if (is_operator) {
            g_string_append (text, at);
            break;
        }
        depth += *at == '<' ? 1 : 0;
        if (depth == 0) {
            g_string_append_c (text, *at);
        }
        depth -= *at == '>' && depth > 0 ? 1 : 0;
    }
    return g_string_free (text, FALSE);
}

/* The name from the part on that begins with the word; NULL when none does. */
static char *
cut_function (const char *name, const char *word)
{
    g_autofree char *stripped = strchr (word, '<') == NULL ? strip_arguments (name)
                                                           : g_strdup (name);
    gsize size = strlen (word);

    for (const char *at = stripped; at != NULL; at = strstr (at, "::")) {
        at += at[0] == ':' && at[1] == ':' && at != stripped ? 2 : 0;
        if (strncmp (at, word, size) == 0 || g_ascii_strncasecmp (at, word, size) == 0) {
            /* in the user's own letters as far as they go: Fortran's names have no case */
            return strpbrk (at, " ,") == NULL ? g_strconcat (word, at + size, NULL) : NULL;
        }
    }
    return NULL;
}

static char *
cut_file (Session *session, const char *path, const char *word)
{
    g_autofree char *file = session_dup_short_file (session, path);
    const char *from[] = { file, strrchr (path, '/') != NULL ? strrchr (path, '/') + 1 : path,
                           path };

    for (guint i = 0; i < G_N_ELEMENTS (from); i++) {
        if (g_str_has_prefix (from[i], word)) {
            return g_strconcat (from[i], ":", NULL);
        }
    }
    for (const char *at = strchr (path, '/'); at != NULL; at = strchr (at + 1, '/')) {
        if (g_str_has_prefix (at + 1, word)) {
            return g_strconcat (at + 1, ":", NULL);
        }
    }
    return NULL;
}

static void
on_names (Session *session, const GPtrArray *names, gpointer user)
{
    Known *known = user;
    CommandCompleteDone done = known->done;

    known->names = g_ptr_array_new_with_free_func (g_free);
    for (guint i = 0; i < names->len; i++) {
        const JobName *name = g_ptr_array_index ((GPtrArray *) names, i);
        char *text = name->kind == JOB_NAME_FILE ? cut_file (session, name->name, known->word)
                                                 : cut_function (name->name, known->word);

        if (text != NULL
            && !g_ptr_array_find_with_equal_func (known->names, text, g_str_equal, NULL)) {
            g_ptr_array_add (known->names, text);
        } else {
            g_free (text);
        }
    }
    known->done = NULL;
    done (session, known->user);
}

static const Known *
find_known (Session *session, const char *word, guint kinds)
{
    const Known *known = g_object_get_data (G_OBJECT (session), KEY);

    return known != NULL && known->kinds == kinds && strcmp (known->word, word) == 0
                   && known->generation == session_get_generation (session)
               ? known
               : NULL;
}

static void
forget_known (Session *session)
{
    session_find_names_cancel (session, g_object_get_data (G_OBJECT (session), KEY));
    g_object_set_data (G_OBJECT (session), KEY, NULL);
}

void
command_complete_cancel (Session *session, gpointer user)
{
    const Known *known = g_object_get_data (G_OBJECT (session), KEY);

    if (known != NULL && known->done != NULL && known->user == user) {
        forget_known (session);
    }
}

gboolean
command_names_ask (Session *session, const CommandRow *row, const char *line,
                   CommandCompleteDone done, gpointer user)
{
    guint kinds = find_kinds (row);
    const char *word = kinds != 0 ? find_word (row, line) : NULL;
    const Known *before = word != NULL ? find_known (session, word, kinds) : NULL;
    Known *known;

    if (word == NULL || (before != NULL && (before->names != NULL || before->user == user))) {
        return FALSE;
    }
    forget_known (session);
    known = g_new0 (Known, 1);
    known->word = g_strdup (word);
    known->kinds = kinds;
    known->generation = session_get_generation (session);
    known->done = done;
    known->user = user;
    g_object_set_data_full (G_OBJECT (session), KEY, known, free_known);
    session_find_names (session, session_get_focus (session), word, kinds, MAX_NAMES, on_names,
                        known);
    return TRUE;
}

void
command_names_add (Session *session, const CommandRow *row, const char *line, GPtrArray *lines)
{
    guint kinds = find_kinds (row);
    const char *word = kinds != 0 ? find_word (row, line) : NULL;
    const Known *known = word != NULL ? find_known (session, word, kinds) : NULL;

    for (guint i = 0; known != NULL && known->names != NULL && i < known->names->len; i++) {
        g_autofree char *text = g_strdup_printf ("%.*s%s", (int) (word - line), line,
                                                 (const char *) g_ptr_array_index (known->names,
                                                                                   i));

        if (!g_ptr_array_find_with_equal_func (lines, text, g_str_equal, NULL)) {
            g_ptr_array_add (lines, g_steal_pointer (&text));
        }
    }
}
