/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/file-lines.h"
#include <string.h>
#include "profile/private.h"

/* The innermost frame that is the user's, else the innermost with a line; 0: none. */
static guint32
find_own (const JobContextTree *tree, guint32 number)
{
    guint32 other = 0;

    for (; number != 0; number = job_context_tree_get (tree, number)->parent) {
        const JobContext *context = job_context_tree_get (tree, number);

        if (context->location.line > 0 && context->location.file != NULL) {
            if ((context->flags & JOB_FRAME_LIBRARY) == 0) {
                return number;
            }
            other = other == 0 ? number : other;
        }
    }
    return other;
}

/* ---- files ---- */

BASE_ORDER (compare_files, ProfileFile,
            BASE_BY_DOWN (is_own) ?: BASE_BY_DOWN (self) ?: BASE_BY_DOWN (total))

static ProfileFile *
find_file (GArray *files, GHashTable *known, const char *file)
{
    guint position = GPOINTER_TO_UINT (g_hash_table_lookup (known, file));

    if (position == 0) {
        BASE_APPEND (files, ProfileFile, .file = file);
        position = files->len;
        g_hash_table_insert (known, (gpointer) file, GUINT_TO_POINTER (position));
    }
    return &g_array_index (files, ProfileFile, position - 1);
}

/* Whether the stack outside the context has been in its file. */
static gboolean
is_file_outside (const JobContextTree *tree, const JobContext *context)
{
    for (guint32 at = context->parent; at != 0; at = job_context_tree_get (tree, at)->parent) {
        if (job_context_tree_get (tree, at)->location.file == context->location.file) {
            return TRUE;
        }
    }
    return FALSE;
}

GArray *
profile_file_lines_dup_files (const ProfileCosts *costs)
{
    const JobContextTree *tree = costs->model->tree;
    g_autofree double *inclusive = g_new0 (double, (gsize) costs->n_contexts + 1);
    GArray *files = g_array_new (FALSE, FALSE, sizeof (ProfileFile));
    g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL); /* texts occur once */
    g_autoptr (GArray) best = g_array_new (FALSE, TRUE, sizeof (double));

    profile_costs_fill_inclusive (costs, inclusive);
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        const JobContext *context = job_context_tree_get (tree, number);

        if (inclusive[number] > 0 && context->location.file != NULL
            && context->location.line > 0 && !is_file_outside (tree, context)) {
            ProfileFile *file = find_file (files, known, context->location.file);

            file->total += inclusive[number];
            file->is_own |= (context->flags & JOB_FRAME_LIBRARY) == 0;
            file->context = file->context == 0 ? number : file->context;
        }
    }
    g_array_set_size (best, files->len);
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        guint32 own = costs->self[number] > 0 ? find_own (tree, number) : 0;

        if (own != 0) {
            ProfileFile *file = find_file (files, known,
                                           job_context_tree_get (tree, own)->location.file);
            double *most = &g_array_index (best, double,
                                           file - (ProfileFile *) (void *) files->data);

            file->self += costs->self[number];
            if (inclusive[own] > *most) {
                *most = inclusive[own];
                file->context = own;
            }
        }
    }
    g_array_sort (files, compare_files);
    return files;
}

/* ---- lines of one file ---- */

static void
clear_line (gpointer data)
{
    g_free (((ProfileFileLine *) data)->bins);
}

BASE_FREE_PUBLIC (profile_file_lines_free, ProfileFileLines, lines,
                  g_array_unref (lines->lines))

const ProfileFileLine *
profile_file_lines_find (const ProfileFileLines *lines, guint32 line)
{
    guint low = BASE_BISECT (middle, 0, lines->lines->len,
                             g_array_index (lines->lines, ProfileFileLine, middle).line < line);

    return low < lines->lines->len
                   && g_array_index (lines->lines, ProfileFileLine, low).line == line
               ? &g_array_index (lines->lines, ProfileFileLine, low)
               : NULL;
}

/* For each context the lines of the file that its stack is at, once each: those of its caller, and
 * perhaps one more. */
typedef struct {
    guint32 line; /* position in the lines + 1; 0: this context adds none */
    guint32 next; /* the nearest context outside it that adds one; 0: none */
} Step;

static guint32
find_line (GArray *lines, GHashTable *known, guint32 number)
{
    guint position = GPOINTER_TO_UINT (g_hash_table_lookup (known, GUINT_TO_POINTER (number)));

    if (position == 0) {
        BASE_APPEND (lines, ProfileFileLine, .line = number);
        position = lines->len;
        g_hash_table_insert (known, GUINT_TO_POINTER (number), GUINT_TO_POINTER (position));
    }
    return position;
}

static gboolean
is_line_outside (const Step *steps, guint32 outside, guint32 line)
{
    for (; outside != 0; outside = steps[outside].next) {
        if (steps[outside].line == line) {
            return TRUE;
        }
    }
    return FALSE;
}

static Step *
list_steps (const ProfileCosts *costs, const char *file, GArray *lines, GHashTable *known)
{
    const JobContextTree *tree = costs->model->tree;
    Step *steps = g_new0 (Step, (gsize) costs->n_contexts + 1);
    const char *is_file = NULL, *is_other = NULL; /* texts occur once: so few are compared */

    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        const JobContext *context = job_context_tree_get (tree, number);
        const char *text = context->location.file;
        guint32 parent = context->parent;

        steps[number].next = steps[parent].line != 0 ? parent : steps[parent].next;
        if (text == NULL || text == is_other || context->location.line == 0) {
            continue;
        }
        if (text != is_file && strcmp (text, file) != 0) {
            is_other = text;
            continue;
        }
        is_file = text;
        steps[number].line = find_line (lines, known, context->location.line);
        if (is_line_outside (steps, steps[number].next, steps[number].line)) {
            steps[number].line = 0;
        }
    }
    return steps;
}

/* The line that the context's own costs are those of; NULL: none of this file. */
static ProfileFileLine *
find_own_line (const ProfileCosts *costs, guint32 number, const char *file, GArray *lines,
               GHashTable *known)
{
    const JobContextTree *tree = costs->model->tree;
    guint32 own = find_own (tree, number);
    const JobLocation *location = own != 0 ? &job_context_tree_get (tree, own)->location : NULL;

    return location != NULL && strcmp (location->file, file) == 0
               ? &g_array_index (lines, ProfileFileLine,
                                 find_line (lines, known, location->line) - 1)
               : NULL;
}

static void
add_counts (const ProfileCosts *costs, const char *file, const Step *steps, GArray *lines,
            GHashTable *known)
{
    for (guint32 number = 1; costs->counts != NULL && number <= costs->n_contexts; number++) {
        guint32 first = steps[number].line != 0 ? number : steps[number].next;
        ProfileFileLine *own = first != 0 ? find_own_line (costs, number, file, lines, known)
                                          : NULL;

        for (guint32 at = first; at != 0; at = steps[at].next) {
            job_counts_add (&g_array_index (lines, ProfileFileLine, steps[at].line - 1).counts,
                            &costs->counts[number]);
        }
        if (own != NULL) {
            job_counts_add (&own->own_counts, &costs->counts[number]);
        }
    }
}

static void
add_costs (const ProfileCosts *costs, const char *file, const Step *steps, GArray *lines,
           GHashTable *known)
{
    g_autofree double *best = g_new0 (double, lines->len + 1);

    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        double self = costs->self[number];
        guint32 at = steps[number].line != 0 ? number : steps[number].next;
        ProfileFileLine *own = self > 0 && at != 0
                                   ? find_own_line (costs, number, file, lines, known)
                                   : NULL;

        for (; self > 0 && at != 0; at = steps[at].next) {
            ProfileFileLine *line = &g_array_index (lines, ProfileFileLine, steps[at].line - 1);

            line->total += self;
            for (guint class = 0; class < JOB_N_CLASSES; class ++) {
                line->classes[class] += costs->classes[(gsize) number * JOB_N_CLASSES + class];
            }
            if (self > best[steps[at].line]) {
                best[steps[at].line] = self;
                line->context = at;
            }
        }
        if (own != NULL) {
            own->self += self;
        }
    }
}

/* ---- their bins ---- */

typedef struct {
    const ProfileCosts *costs;
    const Step *steps;
    GArray *lines;
    guint n_bins;
} Bins;

static void
add_piece (const ProfilePiece *piece, gpointer user)
{
    const Bins *bins = user;
    double length_us = MAX ((double) (bins->costs->end_us - bins->costs->begin_us), 1);
    double scale = bins->n_bins / length_us;
    double from = (double) (piece->begin_us - bins->costs->begin_us) * scale;
    double until = (double) (piece->end_us - bins->costs->begin_us) * scale;
    guint first = (guint) CLAMP (from, 0, bins->n_bins - 1);
    guint last = (guint) CLAMP (until, 0, bins->n_bins - 1);
    guint32 at = bins->steps[piece->context].line != 0 ? piece->context
                                                       : bins->steps[piece->context].next;

    for (; at != 0; at = bins->steps[at].next) {
        float *all
            = g_array_index (bins->lines, ProfileFileLine, bins->steps[at].line - 1).bins;

        for (guint bin = first; all != NULL && bin <= last; bin++) {
            double share = MIN (until, bin + 1.0) - MAX (from, (double) bin);

            all[bin * JOB_N_CLASSES + piece->class] += (float) (MAX (share, 0) / scale
                                                                / G_USEC_PER_SEC);
        }
    }
}

BASE_ORDER (compare_lines, ProfileFileLine, BASE_BY (line))

static void
find_most (ProfileFileLines *lines)
{
    for (guint i = 0; i < lines->lines->len; i++) {
        const ProfileFileLine *line = &g_array_index (lines->lines, ProfileFileLine, i);

        lines->most = MAX (lines->most, line->total);
        for (guint bin = 0; bin < lines->n_bins; bin++) {
            double sum = 0;

            for (guint class = 0; class < JOB_N_CLASSES; class ++) {
                sum += line->bins[bin * JOB_N_CLASSES + class];
            }
            lines->most_bin = MAX (lines->most_bin, sum);
        }
    }
}

ProfileFileLines *
profile_file_lines_new (const ProfileCosts *costs, const char *file, double least, guint n_bins)
{
    ProfileFileLines *lines = g_new0 (ProfileFileLines, 1);
    g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (ProfileFileLine));
    g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL); /* line to position + 1 */
    g_autofree Step *steps = list_steps (costs, file, all, known);
    Bins bins = { costs, steps, all, n_bins };

    lines->n_bins = n_bins;
    lines->is_traced = profile_model_is_traced (costs->model);
    lines->counted = costs->counted;
    lines->lines = g_array_new (FALSE, FALSE, sizeof (ProfileFileLine));
    g_array_set_clear_func (lines->lines, clear_line);
    add_costs (costs, file, steps, all, known);
    add_counts (costs, file, steps, all, known);
    for (guint i = 0; i < all->len; i++) {
        ProfileFileLine *line = &g_array_index (all, ProfileFileLine, i);

        if (line->total > 0 && line->total >= least * costs->total) {
            line->bins = g_new0 (float, (gsize) MAX (n_bins, 1) * JOB_N_CLASSES);
        }
    }
    if (n_bins > 0) {
        profile_costs_walk (costs->model, add_piece, &bins);
    }
    for (guint i = 0; i < all->len; i++) {
        if (g_array_index (all, ProfileFileLine, i).bins != NULL) {
            g_array_append_val (lines->lines, g_array_index (all, ProfileFileLine, i));
        }
    }
    g_array_sort (lines->lines, compare_lines);
    find_most (lines);
    return lines;
}
