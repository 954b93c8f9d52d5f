/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the best names, and converts them to text and back. */
#include "job/name.h"
#include "base/array.h"
#include <string.h>

struct _JobNames {
    GPtrArray *list;   /* of JobName; sorted while is_sorted */
    GHashTable *known; /* kind and name to JobName, of `list` */
    guint max;
    guint32 worst_score; /* of a full list that was truncated */
    gsize worst_length;
    gboolean is_sorted, is_full;
};

BASE_FREE (free_name, JobName, name, g_free (name->name); g_free (name->file))

static guint
hash_name (gconstpointer data)
{
    const JobName *name = data;

    return g_str_hash (name->name) ^ name->kind;
}

static gboolean
is_same (gconstpointer a, gconstpointer b)
{
    const JobName *left = a, *right = b;

    return left->kind == right->kind && strcmp (left->name, right->name) == 0;
}

JobNames *
job_names_new (guint max)
{
    JobNames *names = g_new0 (JobNames, 1);

    names->max = MAX (max, 1);
    names->list = g_ptr_array_new_with_free_func (free_name);
    names->known = g_hash_table_new (hash_name, is_same);
    return names;
}

BASE_FREE_PUBLIC (job_names_free, JobNames, names, g_hash_table_unref (names->known);
                  g_ptr_array_unref (names->list))

static gint
compare_names (gconstpointer a, gconstpointer b)
{
    const JobName *left = *(const JobName *const *) a, *right = *(const JobName *const *) b;
    gsize left_length = strlen (left->name), right_length = strlen (right->name);

    if (left->score != right->score) {
        return left->score < right->score ? -1 : 1;
    }
    if (left_length != right_length) {
        return left_length < right_length ? -1 : 1;
    }
    int order = strcmp (left->name, right->name);
    return order != 0 ? order : (int) left->kind - (int) right->kind;
}

static void
sort_and_cut (JobNames *names)
{
    if (names->is_sorted) {
        return;
    }
    g_ptr_array_sort (names->list, compare_names);
    names->is_sorted = TRUE;
    while (names->list->len > names->max) {
        g_hash_table_remove (names->known,
                             g_ptr_array_index (names->list, names->list->len - 1));
        g_ptr_array_remove_index (names->list, names->list->len - 1);
    }
    names->is_full = names->list->len == names->max;
    if (names->is_full) {
        const JobName *worst = g_ptr_array_index (names->list, names->max - 1);

        names->worst_score = worst->score;
        names->worst_length = strlen (worst->name);
    }
}

gboolean
job_names_wants (const JobNames *names, guint score, gsize length)
{
    return !names->is_full || score < names->worst_score
           || (score == names->worst_score && length <= names->worst_length);
}

void
job_names_add (JobNames *names, JobNameKind kind, guint score, const char *name,
               const char *file, guint32 line)
{
    JobName key = { .kind = kind, .name = (char *) name };
    JobName *known;

    if (!job_names_wants (names, score, strlen (name))) {
        return;
    }
    known = g_hash_table_lookup (names->known, &key);
    if (known == NULL) {
        known = g_new0 (JobName, 1);
        known->kind = kind;
        known->score = G_MAXUINT32;
        known->name = g_strdup (name);
        g_ptr_array_add (names->list, known);
        g_hash_table_add (names->known, known);
    }
    if (score < known->score) {
        known->score = score;
        known->line = line;
        g_free (known->file);
        known->file = g_strdup (file);
        names->is_sorted = FALSE;
    }
    /* not each time: truncating requires sorting */
    if (names->list->len >= 2 * names->max) {
        sort_and_cut (names);
    }
}

GPtrArray *
job_names_get (JobNames *names)
{
    sort_and_cut (names);
    return names->list;
}

static gboolean
is_plain (const char *text)
{
    for (const guint8 *c = (const guint8 *) text; *c != 0; c++) {
        if (*c < ' ' || *c == 127) {
            return FALSE;
        }
    }
    return TRUE;
}

char *
job_names_format (JobNames *names)
{
    GString *text = g_string_new (NULL);

    sort_and_cut (names);
    BASE_EACH (names->list, const JobName, name) {
        const char *file = name->file != NULL ? name->file : "";

        if (is_plain (name->name) && is_plain (file)) {
            g_string_append_printf (text, "%u\t%u\t%u\t%s\t%s\n", name->score, name->kind,
                                    name->line, name->name, file);
        }
    }
    char *all = g_string_free (text, FALSE);
    char *valid = g_utf8_make_valid (all, -1);
    g_free (all);
    return valid;
}

static gboolean
read_number (const char *text, guint32 *ret_number)
{
    guint64 number;

    if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &number, NULL)) {
        return FALSE;
    }
    *ret_number = (guint32) number;
    return TRUE;
}

void
job_names_read (JobNames *names, const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

    for (guint i = 0; lines[i] != NULL; i++) {
        g_auto (GStrv) words = g_strsplit (lines[i], "\t", 6);
        guint32 score, kind, line;

        if (g_strv_length (words) == 5 && read_number (words[0], &score)
            && read_number (words[1], &kind) && read_number (words[2], &line)
            && (kind & JOB_NAME_ANY) == kind && kind != 0 && (kind & (kind - 1)) == 0
            && words[3][0] != '\0') {
            job_names_add (names, (JobNameKind) kind, score, words[3],
                           words[4][0] != '\0' ? words[4] : NULL, line);
        }
    }
}
