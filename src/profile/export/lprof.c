/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What line_profiler writes and "python3 -m line_profiler" reads: a pickle (protocol 0, Lib/pickle.py) of its LineStats,
 * {(file, first line, function): [(line, hits, time), …]} and the unit of the times; and beside it the
 * table that it prints of them. */
#include "profile/exact-lines.h"
#include "profile/export/private.h"
#include "base/error.h"
#include "profile/private.h"
#include <string.h>

#define UNIT_S "1e-09"

/* As raw-unicode-escape has it, which a line of a pickle is. */
static void
put_text (GString *to, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid (text, -1);

    g_string_append_c (to, 'V');
    for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
        gunichar character = g_utf8_get_char (at);

        if (character == '\\' || character < 0x20
            || (character > 0x7e && character < 0x10000)) {
            g_string_append_printf (to, "\\u%04x", character);
        } else if (character >= 0x10000) {
            g_string_append_printf (to, "\\U%08x", character);
        } else {
            g_string_append_c (to, (char) character);
        }
    }
    g_string_append_c (to, '\n');
}

static void
put_number (GString *to, guint64 number)
{
    if (number <= G_MAXINT32) {
        g_string_append_printf (to, "I%" G_GUINT64_FORMAT "\n", number);
    } else {
        g_string_append_printf (to, "L%" G_GUINT64_FORMAT "L\n", number);
    }
}

static gboolean
is_same_function (const ProfileExactLine *left, const ProfileExactLine *right)
{
    return left->first == right->first && strcmp (left->name, right->name) == 0
           && strcmp (left->file, right->file) == 0;
}

/* Number of lines from index on that are of one function. */
static guint
count_function (const GPtrArray *lines, guint index)
{
    guint end = index;

    while (end < lines->len
           && is_same_function (g_ptr_array_index (lines, index),
                                g_ptr_array_index (lines, end))) {
        end++;
    }
    return end - index;
}

static GString *
format_pickle (const GPtrArray *lines)
{
    GString *to = g_string_new ("cline_profiler._line_profiler\nLineStats\n((d");

    for (guint i = 0; i < lines->len;) {
        const ProfileExactLine *function = g_ptr_array_index (lines, i);
        guint end = i + count_function (lines, i);

        g_string_append_c (to, '(');
        put_text (to, function->file);
        put_number (to, function->first);
        put_text (to, function->name);
        g_string_append (to, "t(l");
        for (; i < end; i++) {
            const ProfileExactLine *line = g_ptr_array_index (lines, i);

            g_string_append_c (to, '(');
            put_number (to, line->line);
            put_number (to, line->hits);
            put_number (to, line->ns);
            g_string_append (to, "ta");
        }
        g_string_append_c (to, 's');
    }
    g_string_append (to, "F" UNIT_S "\ntR.");
    return to;
}

/* ---- the table ---- */

static void
append_line (GString *text, guint32 number, const ProfileExactLine *line, double whole_ns,
             const char *source)
{
    if (line != NULL && line->hits > 0) {
        g_string_append_printf (text, "%6u %9" G_GUINT64_FORMAT " ", number, line->hits);
        g_string_append_printf (text, "%12.1f %8.1f %8.1f  ", (double) line->ns / 1e3,
                                (double) line->ns / 1e3 / (double) line->hits,
                                100 * (double) line->ns / MAX (whole_ns, 1));
    } else {
        g_string_append_printf (text, "%6u %9s %12s %8s %8s  ", number, "", "", "", "");
    }
    g_string_append_printf (text, "%s\n", source);
}

static char **
load_source (const char *path)
{
    g_autofree char *content = NULL;
    g_autofree char *valid = NULL;

    if (!g_file_get_contents (path, &content, NULL, NULL)) {
        return g_new0 (char *, 1);
    }
    valid = g_utf8_make_valid (content, -1);
    return g_strsplit (valid, "\n", -1);
}

/* From the function's first line to the last one that has run. */
static void
append_function (GString *text, const GPtrArray *lines, guint first, guint n)
{
    const ProfileExactLine *function = g_ptr_array_index (lines, first);
    const ProfileExactLine *last = g_ptr_array_index (lines, first + n - 1);
    g_auto (GStrv) source = load_source (function->file);
    guint n_source = g_strv_length (source), at = first;
    double whole_ns = 0;

    for (guint i = first; i < first + n; i++) {
        whole_ns += (double) ((const ProfileExactLine *) g_ptr_array_index (lines, i))->ns;
    }
    g_string_append_printf (text,
                            "Total time: %.6g s\nFile: %s\nFunction: %s at line %u\n\n"
                            "Line #      Hits    Time (us)  Per Hit   %% Time  Line Contents\n"
                            "============================================================\n",
                            whole_ns / 1e9, function->file, function->name, function->first);
    for (guint32 number = MIN (function->first, function->line); number <= last->line;
         number++) {
        const ProfileExactLine *line = at < first + n ? g_ptr_array_index (lines, at) : NULL;
        gboolean is_here = line != NULL && line->line == number;

        at += is_here;
        if (is_here || number <= n_source) {
            append_line (text, number, is_here ? line : NULL, whole_ns,
                         number > 0 && number <= n_source ? source[number - 1] : "");
        }
    }
    g_string_append_c (text, '\n');
}

static GString *
format_text (const GPtrArray *lines)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < lines->len;) {
        guint n = count_function (lines, i);

        append_function (text, lines, i, n);
        i += n;
    }
    return text;
}

/* ---- files ---- */

static gboolean
save (const GPtrArray *lines, const char *path, GError **error)
{
    gsize stem = g_str_has_suffix (path, ".lprof") ? strlen (path) - strlen (".lprof")
                                                   : strlen (path);
    g_autofree char *text_path = g_strdup_printf ("%.*s.txt", (int) stem, path);
    GString *pickle = format_pickle (lines), *text = format_text (lines);
    gboolean ok = profile_text_save (path, pickle->str, pickle->len, error)
                  && profile_text_save (text_path, text->str, text->len, error);

    g_string_free (pickle, TRUE);
    g_string_free (text, TRUE);
    return ok;
}

BASE_ORDER_POINTERS (compare_places, ProfileExactLine,
                     strcmp (left->file, right->file) ?: BASE_BY (first)
                         ?: strcmp (left->name, right->name) ?: BASE_BY (line))

/* Of all ranks together; borrows the texts. */
static GPtrArray *
merge (const GPtrArray *lines)
{
    g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
    GPtrArray *merged = g_ptr_array_new_with_free_func (g_free);

    for (guint i = 0; i < lines->len; i++) {
        g_ptr_array_add (sorted, g_ptr_array_index (lines, i));
    }
    g_ptr_array_sort (sorted, compare_places);
    for (guint i = 0; i < sorted->len; i++) {
        const ProfileExactLine *line = g_ptr_array_index (sorted, i);
        ProfileExactLine *last = merged->len > 0 ? g_ptr_array_index (merged, merged->len - 1)
                                                 : NULL;

        if (last != NULL && last->line == line->line && is_same_function (last, line)) {
            last->hits += line->hits;
            last->ns += line->ns;
        } else {
            g_ptr_array_add (merged, g_memdup2 (line, sizeof *line));
        }
    }
    return merged;
}

gboolean
profile_export_lprof (const ProfileExportTable *table, const char *path, GError **error)
{
    const GPtrArray *lines = table->model->exact_lines;
    g_autoptr (GPtrArray) merged = NULL;
    gboolean ok;

    if (lines == NULL || lines->len == 0) {
        g_set_error (
            error, BASE_ERROR, BASE_ERROR_INVALID,
            "cannot export lines: none were counted; --lines FUNCTION or @profile choose them");
        return FALSE;
    }
    merged = merge (lines);
    ok = save (merged, path, error);
    for (guint i = 0; ok && i < lines->len;) {
        guint32 rank = ((const ProfileExactLine *) g_ptr_array_index (lines, i))->rank;
        g_autoptr (GPtrArray) part = g_ptr_array_new ();
        g_autofree char *rank_path = profile_export_dup_rank_path (table->model, path, rank);

        while (i < lines->len
               && ((const ProfileExactLine *) g_ptr_array_index (lines, i))->rank == rank) {
            g_ptr_array_add (part, g_ptr_array_index (lines, i++));
        }
        ok = save (part, rank_path, error);
    }
    return ok;
}
