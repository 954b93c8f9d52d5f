/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/exact-lines.h"
#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include <string.h>

#define HEAD "rank\tfirst_line\tline\thits\tns\tfunction\tfile\n"
#define N_FIELDS 7u
#define MAX_LINES_BYTES ((gsize) 1 << 30)

BASE_FREE (free_line, ProfileExactLine, line, g_free ((char *) line->name);
           g_free ((char *) line->file))

BASE_ORDER_POINTERS (compare_lines, ProfileExactLine,
                     BASE_BY (rank) ?: strcmp (left->file, right->file) ?: BASE_BY (first)
                         ?: strcmp (left->name, right->name) ?: BASE_BY (line))

static gboolean
is_same (const ProfileExactLine *left, const ProfileExactLine *right)
{
    return left->rank == right->rank && left->first == right->first && left->line == right->line
           && strcmp (left->name, right->name) == 0 && strcmp (left->file, right->file) == 0;
}

/* What a process that became another program, or a function that was made twice, has counted apart. */
static void
join_equal (GPtrArray *lines)
{
    g_ptr_array_sort (lines, compare_lines);
    for (guint i = lines->len; i > 1; i--) {
        ProfileExactLine *into = g_ptr_array_index (lines, i - 2);
        const ProfileExactLine *line = g_ptr_array_index (lines, i - 1);

        if (is_same (into, line)) {
            into->hits += line->hits;
            into->ns += line->ns;
            g_ptr_array_remove_index (lines, i - 1);
        }
    }
}

/* ---- writing ---- */

typedef struct {
    const ProfileTrace *trace;
    guint32 rank;
    GPtrArray *lines;
} Collection;

static void
collect (const ProfileTraceLine *counted, gpointer user)
{
    const Collection *collection = user;
    const ProfileTraceRegion *of = &g_array_index (collection->trace->regions,
                                                   ProfileTraceRegion, counted->region);
    ProfileExactLine *line = g_new0 (ProfileExactLine, 1);

    line->rank = collection->rank;
    line->first = of->line;
    line->line = counted->line;
    line->hits = counted->hits;
    line->ns = counted->ns;
    line->name = g_strdup (of->name);
    line->file = g_strdup (of->file);
    g_ptr_array_add (collection->lines, line);
}

gboolean
profile_exact_lines_write (const ProfileTrace *trace, const char *folder, GError **error)
{
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (free_line);
    g_autoptr (GString) text = g_string_new (HEAD);
    g_autofree char *path = g_build_filename (folder, PROFILE_LINES_NAME, NULL);
    g_autoptr (GError) reason = NULL;

    for (guint i = 0; i < trace->processes->len; i++) {
        const ProfileTraceProcess *process = g_ptr_array_index (trace->processes, i);
        Collection collection = { trace, process->rank, lines };

        for (guint j = 0; j < process->files->len; j++) {
            profile_trace_file_walk_lines (g_ptr_array_index (process->files, j), collect,
                                           &collection);
        }
    }
    join_equal (lines);
    for (guint i = 0; i < lines->len; i++) {
        const ProfileExactLine *line = g_ptr_array_index (lines, i);
        g_autofree char *name = g_strescape (line->name, NULL);
        g_autofree char *file = g_strescape (line->file, NULL);

        g_string_append_printf (text,
                                "%u\t%u\t%u\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT
                                "\t%s\t%s\n",
                                line->rank, line->first, line->line, line->hits, line->ns, name,
                                file);
    }
    if (lines->len > 0 && !g_file_set_contents (path, text->str, (gssize) text->len, &reason)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot write %s: %s", path,
                     reason->message);
        return FALSE;
    }
    return TRUE;
}

/* ---- reading ---- */

static ProfileExactLine *
parse (const char *text)
{
    g_auto (GStrv) fields = g_strsplit (text, "\t", N_FIELDS);
    guint64 numbers[5];
    ProfileExactLine *line;

    if (g_strv_length (fields) != N_FIELDS) {
        return NULL;
    }
    if (BASE_ANY (i, G_N_ELEMENTS (numbers),
                  !g_ascii_string_to_unsigned (fields[i], 10, 0,
                                               i < 3 ? G_MAXUINT32 : G_MAXUINT64, &numbers[i],
                                               NULL))) {
        return NULL;
    }
    line = g_new0 (ProfileExactLine, 1);
    line->rank = (guint32) numbers[0];
    line->first = (guint32) numbers[1];
    line->line = (guint32) numbers[2];
    line->hits = numbers[3];
    line->ns = numbers[4];
    line->name = g_strcompress (fields[5]);
    line->file = g_strcompress (fields[6]);
    return line;
}

GPtrArray *
profile_exact_lines_load (const char *folder)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func (free_line);
    g_autofree char *path = g_build_filename (folder, PROFILE_LINES_NAME, NULL);
    g_auto (BasePlace) place = { .folder = -1 };
    g_autofree char *text = base_place_find (path, TRUE, &place)
                                ? base_file_read_place (&place, MAX_LINES_BYTES)
                                : NULL;
    g_auto (GStrv) rows = NULL;

    if (text == NULL || !g_str_has_prefix (text, HEAD)) {
        return lines;
    }
    rows = g_strsplit (text + strlen (HEAD), "\n", -1);
    for (guint i = 0; rows[i] != NULL; i++) {
        ProfileExactLine *line = parse (rows[i]);

        if (line != NULL) {
            g_ptr_array_add (lines, line);
        }
    }
    join_equal (lines);
    return lines;
}
