/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/timeline-search.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include "gui/profile/timeline-detail.h"
#include "profile/slice.h"
#include "base/array.h"

enum { MOST_FOUND = 1000000, NOT_OPEN = 0, LEAST_FOUND = 4 };

struct _GuiTimelineSearch {
    char *text, *ranks; /* that were searched; ranks NULL: all */
    GArray *found;      /* of GuiTimelineFound, in the order of their beginnings */
    guint current;      /* in found; G_MAXUINT: none */
    gboolean is_cut;    /* there are more than MOST_FOUND */
};

/* One search through the samples of one thread. */
typedef struct {
    const ProfileModel *model;
    const guint8 *matches;   /* for each context: its function does */
    const guint8 *is_inside; /* it or one that has called it does */
    GArray *found;
    GArray *open; /* of guint, for each level from 1: number in found + 1; NOT_OPEN */
} Walk;

GuiTimelineSearch *
gui_timeline_search_new (void)
{
    GuiTimelineSearch *self = g_new0 (GuiTimelineSearch, 1);

    self->text = g_strdup ("");
    self->found = g_array_new (FALSE, FALSE, sizeof (GuiTimelineFound));
    self->current = G_MAXUINT;
    return self;
}

void
gui_timeline_search_free (GuiTimelineSearch *search)
{
    g_array_unref (search->found);
    g_free (search->text);
    g_free (search->ranks);
    g_free (search);
}

/* ---- searching ---- */

static void
find_matches (const ProfileModel *model, const char *text, guint8 *matches, guint8 *is_inside)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    g_autofree char *wanted = g_utf8_casefold (text, -1);

    for (guint32 i = 1; i <= job_context_tree_get_count (tree); i++) { /* callers come first */
        g_autofree char *name = profile_dup_name (&job_context_tree_get (tree, i)->location);
        g_autofree char *folded = g_utf8_casefold (name, -1);

        matches[i] = strstr (folded, wanted) != NULL;
        is_inside[i] = matches[i] || is_inside[job_context_tree_get (tree, i)->parent];
    }
}

/* The call of that level goes on with this sample, or begins with it. */
static void
take_call (Walk *walk, GuiTimelineFound *one)
{
    guint *open = &g_array_index (walk->open, guint, one->level - 1);
    GuiTimelineFound *before = *open != NOT_OPEN
                                   ? &g_array_index (walk->found, GuiTimelineFound, *open - 1)
                                   : NULL;

    if (before != NULL && before->context == one->context && before->end_s >= one->begin_s) {
        before->end_s = one->end_s;
    } else {
        g_array_append_val (walk->found, *one);
        *open = walk->found->len;
    }
}

/* Times are those of the rank's samples, in µs, until all of them are known. */
static void
walk_thread (Walk *walk, guint index, guint thread)
{
    const JobContextTree *tree = profile_model_get_contexts (walk->model);
    guint32 number;
    const GArray *samples = profile_samples_get (walk->model, index, thread, &number);
    double origin_s = profile_model_get_seconds (walk->model, index, 0);
    guint first = walk->found->len;

    g_array_set_size (walk->open, 0);
    for (guint i = 0; i < samples->len && walk->found->len <= MOST_FOUND; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);
        GuiTimelineFound one = { .index = index, .thread = thread };
        guint32 own = profile_samples_get_seen (walk->model, index, sample);
        guint depth = 0;

        for (guint32 at = walk->is_inside[own] ? own : 0; at != 0;
             at = job_context_tree_get (tree, at)->parent) {
            depth++;
        }
        g_array_set_size (walk->open, depth); /* new ones are NOT_OPEN */
        one.end_s = (double) sample->time_us;
        one.begin_s = one.end_s - sample->weight_us;
        for (guint32 at = own; depth > 0; at = job_context_tree_get (tree, at)->parent) {
            one.level = depth--;
            one.context = at;
            if (walk->matches[at]) {
                take_call (walk, &one);
            } else {
                g_array_index (walk->open, guint, one.level - 1) = NOT_OPEN;
            }
        }
    }
    for (guint i = first; i < walk->found->len; i++) {
        GuiTimelineFound *one = &g_array_index (walk->found, GuiTimelineFound, i);

        one->begin_s = origin_s + one->begin_s / G_USEC_PER_SEC;
        one->end_s = origin_s + one->end_s / G_USEC_PER_SEC;
    }
}

BASE_ORDER (compare, GuiTimelineFound,
            BASE_BY (begin_s) ?: BASE_BY (index) ?: BASE_BY (thread) ?: BASE_BY (level))

static void
find_all (GuiTimelineSearch *self, const ProfileModel *model, const JobRankSet *ranks)
{
    gsize n = (gsize) job_context_tree_get_count (profile_model_get_contexts (model)) + 1;
    g_autofree guint8 *matches = g_new0 (guint8, n);
    g_autofree guint8 *is_inside = g_new0 (guint8, n);
    g_autoptr (GArray) open = g_array_new (FALSE, TRUE, sizeof (guint));
    Walk walk = { model, matches, is_inside, self->found, open };

    find_matches (model, self->text, matches, is_inside);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        if (ranks != NULL
            && !job_rank_set_contains (ranks, profile_model_get_rank (model, i))) {
            continue;
        }
        for (guint thread = 0; thread < profile_samples_get_n_threads (model, i)
                               && self->found->len <= MOST_FOUND;
             thread++) {
            walk_thread (&walk, i, thread);
        }
    }
    self->is_cut = self->found->len > MOST_FOUND;
    g_array_set_size (self->found, MIN (self->found->len, MOST_FOUND));
    g_array_sort (self->found, compare);
}

void
gui_timeline_search_set (GuiTimelineSearch *self, const ProfileModel *model,
                         const JobRankSet *ranks, const char *text, gboolean anew)
{
    g_autofree char *set = ranks != NULL ? job_rank_set_format (ranks) : NULL;

    if (!anew && strcmp (text, self->text) == 0 && g_strcmp0 (set, self->ranks) == 0) {
        return;
    }
    if (text != self->text) {
        g_free (self->text);
        self->text = g_strdup (text);
    }
    g_free (self->ranks);
    self->ranks = g_steal_pointer (&set);
    g_array_set_size (self->found, 0);
    self->current = G_MAXUINT;
    self->is_cut = FALSE;
    if (model != NULL && *self->text != '\0') {
        find_all (self, model, ranks);
    }
}

const char *
gui_timeline_search_get_text (const GuiTimelineSearch *self)
{
    return self->text;
}

/* ---- from one to the next ---- */

const GuiTimelineFound *
gui_timeline_search_step (GuiTimelineSearch *self, gboolean is_back, double from_s)
{
    guint n = self->found->len, at = self->current;

    if (n == 0) {
        return NULL;
    }
    if (at == G_MAXUINT) {
        for (at = 0;
             at < n && g_array_index (self->found, GuiTimelineFound, at).begin_s < from_s;
             at++) {
        }
        at += !is_back ? n - 1 : 0;
    }
    self->current = (at + (is_back ? n - 1 : 1)) % n;
    return gui_timeline_search_get_current (self);
}

const GuiTimelineFound *
gui_timeline_search_get_current (const GuiTimelineSearch *self)
{
    return self->current < self->found->len
               ? &g_array_index (self->found, GuiTimelineFound, self->current)
               : NULL;
}

/* ---- where it is shown ---- */

guint
gui_timeline_search_find_row (const GuiTimelineSearch *self, const GArray *rows)
{
    const GuiTimelineFound *found = gui_timeline_search_get_current (self);
    guint best = G_MAXUINT;

    for (guint i = 0; found != NULL && i < rows->len; i++) {
        const GuiTimelineRow *row = &g_array_index (rows, GuiTimelineRow, i);

        if (row->index == found->index && row->counter == 0
            && (row->thread == PROFILE_COUNTED_THREADS
                || (row->thread == found->thread
                    && (row->level == 0 || row->level == found->level)))) {
            best = i; /* ranks stand above their threads, and these above their levels */
        }
    }
    return best;
}

void
gui_timeline_search_paint (const GuiTimelineSearch *self, cairo_t *cr, const GArray *rows,
                           const GuiProfileAxis *axis, double row_height,
                           const GuiProfilePainting *painting)
{
    const GuiTimelineFound *found = gui_timeline_search_get_current (self);
    guint row = gui_timeline_search_find_row (self, rows);
    double left, right;

    if (row == G_MAXUINT || found->end_s < axis->begin_s || found->begin_s > axis->end_s) {
        return;
    }
    left = MAX (gui_profile_axis_get_x (axis, found->begin_s), axis->x);
    right = MIN (gui_profile_axis_get_x (axis, found->end_s), axis->x + axis->width);
    cairo_save (cr);
    cairo_rectangle (cr, 0, GUI_PROFILE_AXIS, painting->width, painting->height);
    cairo_clip (cr);
    gui_profile_set_colour (cr, painting->colours->selection, 1);
    cairo_set_line_width (cr, 2);
    cairo_rectangle (cr, floor (left) - 1,
                     GUI_PROFILE_AXIS + row * row_height - painting->offset,
                     MAX (right - left, LEAST_FOUND) + 2, row_height - 1);
    cairo_stroke (cr);
    cairo_restore (cr);
}

void
gui_timeline_search_choose_time (const GuiTimelineFound *found, double width, double duration_s,
                                 double *begin_s, double *end_s)
{
    double lasts = MAX (found->end_s - found->begin_s, 1.0 / G_USEC_PER_SEC);
    double most = lasts * MAX (width / LEAST_FOUND, 2);
    double span = CLAMP (*end_s - *begin_s, lasts * 1.25, most);

    *begin_s = CLAMP ((found->begin_s + found->end_s - span) / 2, 0,
                      MAX (0, duration_s - span));
    *end_s = *begin_s + span;
}

/* ---- words ---- */

char *
gui_timeline_search_dup_line (const GuiTimelineSearch *self, const ProfileModel *model)
{
    const GuiTimelineFound *one = gui_timeline_search_get_current (self);
    gboolean is_rough;
    g_autofree char *duration = NULL, *thread = NULL, *name = NULL, *all = NULL;

    if (*self->text == '\0' || model == NULL) {
        return g_strdup ("");
    }
    is_rough = gui_timeline_detail_is_rough (model);
    if (self->found->len == 0) {
        return g_strdup (is_rough
                             ? _ ("No match in what the window keeps: short calls are joined")
                             : _ ("No match"));
    }
    /* Short calls that are joined to others are missing, and long ones are split by what was joined in them. */
    all = g_strdup_printf (is_rough       ? _ ("about %u")
                           : self->is_cut ? _ ("at least %u")
                                          : "%u",
                           self->found->len);
    if (one == NULL) {
        /* Translators: number of matches */
        return g_strdup_printf (_ ("%s: press Enter for the next one"), all);
    }
    thread = gui_timeline_rows_dup_title (model, &(GuiTimelineRow){ one->index, one->thread,
                                                                    one->level, 0 });
    name = profile_dup_name (&job_context_tree_get (profile_model_get_contexts (model),
                                                    one->context)
                                  ->location);
    duration = one->end_s - one->begin_s < 0.5 / G_USEC_PER_SEC
                   ? g_strdup (_ ("less than 1 µs"))
                   : gui_timeline_detail_format_duration ((one->end_s - one->begin_s) * 1e9);
    /* Translators: "12 of 340: MPI_Recv, rank 3, 1.204000 s, lasts 3.2 ms" */
    return g_strdup_printf (is_rough ? _ ("%u of %s: %s, %s, %.6f s, lasts about %s")
                                     : _ ("%u of %s: %s, %s, %.6f s, lasts %s"),
                            self->current + 1, all, name, thread, one->begin_s, duration);
}
