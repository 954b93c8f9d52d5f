/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call lasts as long as the thread's intervals beside each other are inside it. All levels of a thread are painted in one
 * pass over its intervals. */
#include "gui/profile/timeline-levels.h"
#include <math.h>
#include <string.h>
#include "gui/kit/palette.h"
#include "profile/slice.h"
#include "base/array.h"

#define PALER 0.25 /* of what samples have seen between calls that were recorded */

enum { MOST_LEVELS = 24, LEAST_NAME = 34, LEAST_MARK = 3 };

guint32
gui_timeline_levels_find (const ProfileModel *model, guint index, const ProfileSample *sample,
                          guint level)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    guint32 own = profile_samples_get_seen (model, index, sample), at = own;
    guint depth = 0;

    for (; at != 0; at = job_context_tree_get (tree, at)->parent) {
        depth++;
    }
    for (at = depth >= level ? own : 0; depth > level; depth--) {
        at = job_context_tree_get (tree, at)->parent;
    }
    return at;
}

/* The calls around what the rank was in, outermost first, at most MOST_LEVELS. Returns how many. */
static guint
list_calls (const ProfileModel *model, guint index, const ProfileSample *sample,
            guint32 *ret_calls)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    guint32 own = profile_samples_get_seen (model, index, sample);
    guint depth = 0;

    for (guint32 at = own; at != 0; at = job_context_tree_get (tree, at)->parent) {
        depth++;
    }
    for (guint level = depth; own != 0; level--) {
        if (level <= MOST_LEVELS) {
            ret_calls[level - 1] = own;
        }
        own = job_context_tree_get (tree, own)->parent;
    }
    return MIN (depth, MOST_LEVELS);
}

/* As many levels as the thread's calls have, up to a bound: what is deeper has no row. */
static guint
count_levels (const ProfileModel *model, guint index, guint thread)
{
    guint32 number, calls[MOST_LEVELS], before = 0;
    const GArray *samples = profile_samples_get (model, index, thread, &number);
    guint most = 0;

    for (guint i = 0; i < samples->len && most < MOST_LEVELS; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);

        if (sample->context != before) {
            most = MAX (most, list_calls (model, index, sample, calls));
        }
        before = sample->is_spread ? 0 : sample->context;
    }
    return most;
}

void
gui_timeline_levels_append (GArray *rows, const ProfileModel *model, const GuiTimelineRow *row)
{
    guint n = count_levels (model, row->index, row->thread);
    GuiTimelineRow level = *row;

    for (level.level = 1; level.level <= n; level.level++) {
        g_array_append_val (rows, level);
    }
}

/* FALSE: the row is of no thread. */
static gboolean
find_thread (const ProfileModel *model, const GuiTimelineRow *row, guint *ret_thread)
{
    *ret_thread = row->thread;
    return row->index != GUI_TIMELINE_NOTHING
           && (row->thread != PROFILE_COUNTED_THREADS
               || profile_model_find_first_thread (model, row->index, ret_thread));
}

/* ---- painting ---- */

typedef struct {
    guint32 context; /* 0: no call is open */
    double left;     /* pixel at which it begins */
    double weights[JOB_N_CLASSES];
    int painted; /* up to that pixel something is painted already */
} Level;

typedef struct {
    guint level;
    guint32 context, colour;
    int left, right;
} Name;

typedef struct {
    const ProfileModel *model;
    const GuiProfileColours *colours;
    Level levels[MOST_LEVELS];  /* of those that are shown, the first one at 0 */
    guint32 calls[MOST_LEVELS]; /* of the sample before, also those that are not shown */
    guint depth;
    guint first, n; /* first: level, from 1 */
    guint32 *pixels;
    int stride, width;
    guint height; /* of a row with its gap */
    GArray *names;
} Painting;

/* Between calls that were recorded. */
static gboolean
is_sampled (const JobContextTree *tree, guint32 context)
{
    return (job_context_tree_get (tree, context)->flags & JOB_FRAME_SAMPLED) != 0;
}

static guint32
choose_colour (const Painting *painting, const Level *level)
{
    guint most = 0;

    for (guint class = 1; class < JOB_N_CLASSES; class ++) {
        most = level->weights[class] > level->weights[most] ? class : most;
    }
    return gui_profile_colours_mix (
        painting->colours->classes[most], painting->colours->background,
        (painting->colours->is_dark ? 0.5 : 0.45)
            + (is_sampled (profile_model_get_contexts (painting->model), level->context) ? PALER
                                                                                         : 0));
}

static void
fill (const Painting *painting, guint at, int left, int right, guint32 colour)
{
    guint gap = painting->height > 8 ? 2 : 1;

    for (guint y = 0; y < painting->height - gap; y++) {
        guint32 *line = painting->pixels
                        + (gsize) (at * painting->height + y) * (gsize) painting->stride;

        for (int x = left; x < right; x++) {
            line[x] = 0xff000000 | colour;
        }
    }
}

static void
close_call (Painting *painting, guint at, double right)
{
    Level *level = &painting->levels[at];
    int from = MAX ((int) floor (MAX (level->left, 0)), level->painted);
    int to = (int) ceil (MIN (right, painting->width));
    guint32 colour;

    if (level->context == 0) {
        return;
    }
    if (from < to) {
        colour = choose_colour (painting, level);
        fill (painting, at, from, to, colour);
        level->painted = to;
        if (to - from >= LEAST_MARK && level->left >= 0) { /* where it begins */
            fill (painting, at, from, from + 1, painting->colours->background);
        }
        if (to - from >= LEAST_NAME && painting->height >= 12) {
            BASE_APPEND (painting->names, Name, at, level->context, colour, from, to);
        }
    }
    level->context = 0;
}

/* A sampled function has a context for each of its lines. Texts of one tree are the same where they are equal. */
static gboolean
is_same_function (const ProfileModel *model, guint32 one, guint32 other)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    const JobLocation *left, *right;

    if (one == other || one == 0 || other == 0
        || (profile_model_is_traced (model)
            && (!is_sampled (tree, one) || !is_sampled (tree, other)))) {
        return one == other;
    }
    left = &job_context_tree_get (tree, one)->location;
    right = &job_context_tree_get (tree, other)->location;
    return left->function == right->function && left->file == right->file
           && left->module == right->module
           && (left->function != NULL || left->offset == right->offset);
}

/* And what has called them. */
static gboolean
is_same_call (const ProfileModel *model, guint32 one, guint32 other)
{
    const JobContextTree *tree = profile_model_get_contexts (model);

    while (one != other && is_same_function (model, one, other)) {
        one = job_context_tree_get (tree, one)->parent;
        other = job_context_tree_get (tree, other)->parent;
    }
    return one == other;
}

/* How many calls, from the outermost on, are still the same. */
static guint
count_same (const Painting *painting, const guint32 *calls, guint depth)
{
    guint n = 0;

    while (n < MIN (depth, painting->depth)
           && is_same_function (painting->model, calls[n], painting->calls[n])) {
        n++;
    }
    return n;
}

static void
take_sample (Painting *painting, guint index, const ProfileSample *sample, double left,
             double right)
{
    guint32 calls[MOST_LEVELS];
    guint depth = list_calls (painting->model, index, sample, calls);
    guint n_same = count_same (painting, calls, depth);

    for (guint at = 0; at < painting->n; at++) {
        Level *level = &painting->levels[at];
        guint32 context = painting->first + at <= depth ? calls[painting->first + at - 1] : 0;

        if (painting->first + at > n_same || level->context == 0) {
            close_call (painting, at, left);
            memset (level->weights, 0, sizeof level->weights);
            level->context = context;
            level->left = left;
        }
        level->weights[sample->class] += right - left;
    }
    memcpy (painting->calls, calls, depth * sizeof *calls);
    painting->depth = depth;
}

static void
close_all (Painting *painting, double right)
{
    for (guint at = 0; at < painting->n; at++) {
        close_call (painting, at, right);
    }
    painting->depth = 0;
}

static void
paint_calls (Painting *painting, guint index, guint thread, const GuiProfileAxis *axis)
{
    double origin_s = profile_model_get_seconds (painting->model, index, 0), before = -INFINITY;
    guint32 number;
    const GArray *samples = profile_samples_get (painting->model, index, thread, &number);
    guint from = profile_samples_find (samples, (axis->begin_s - origin_s) * G_USEC_PER_SEC);

    for (guint i = from; i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);
        double end = (double) sample->time_us, begin = end - sample->weight_us;
        double left = gui_profile_axis_get_x (axis, origin_s + begin / G_USEC_PER_SEC)
                      - axis->x,
               right = gui_profile_axis_get_x (axis, origin_s + end / G_USEC_PER_SEC) - axis->x;

        if (left > painting->width) {
            break;
        }
        if (begin > before) { /* nothing is known of the time in between */
            close_all (painting,
                       gui_profile_axis_get_x (axis, origin_s + before / G_USEC_PER_SEC)
                           - axis->x);
        }
        take_sample (painting, index, sample, left, right);
        before = end;
    }
    close_all (painting,
               gui_profile_axis_get_x (axis, origin_s + before / G_USEC_PER_SEC) - axis->x);
}

static void
paint_names (const Painting *painting, cairo_t *cr, double x, double top)
{
    const JobContextTree *tree = profile_model_get_contexts (painting->model);

    double gap = painting->height > 8 ? 2 : 1;

    BASE_EACH_ROW (painting->names, const Name, name) {
        g_autofree char *text
            = gui_timeline_rows_dup_name (job_context_tree_get (tree, name->context));

        gui_timeline_rows_paint_name (cr, text, gui_palette_get_text (name->colour),
                                      x + name->left, top + name->level * painting->height,
                                      name->right - name->left - 2, painting->height - gap);
    }
}

void
gui_timeline_levels_paint (cairo_t *cr, const ProfileModel *model, const GuiTimelineRow *row,
                           guint n, guint height, const GuiProfileAxis *axis, double top,
                           const GuiProfileColours *colours)
{
    Painting painting = { .model = model,
                          .colours = colours,
                          .first = row->level,
                          .n = MIN (n, MOST_LEVELS),
                          .width = (int) axis->width,
                          .height = height };
    cairo_surface_t *surface;
    guint thread;

    if (!find_thread (model, row, &thread) || row->level == 0) {
        return;
    }
    surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, painting.width,
                                          (int) (painting.n * height));
    painting.pixels = (guint32 *) (void *) cairo_image_surface_get_data (surface);
    painting.stride = cairo_image_surface_get_stride (surface) / (int) sizeof (guint32);
    painting.names = g_array_new (FALSE, FALSE, sizeof (Name));
    if (painting.pixels != NULL) {
        paint_calls (&painting, row->index, thread, axis);
        cairo_surface_mark_dirty (surface);
        cairo_set_source_surface (cr, surface, axis->x, top);
        cairo_paint (cr);
        paint_names (&painting, cr, axis->x, top);
    }
    g_array_unref (painting.names);
    cairo_surface_destroy (surface);
}

/* ---- one call ---- */

guint32
gui_timeline_levels_find_call (const ProfileModel *model, const GuiTimelineRow *row,
                               double time_s, double *ret_begin_s, double *ret_end_s)
{
    guint thread, at;
    guint32 number, context;
    double origin_s, time_us;
    const GArray *samples;
    gint64 begin_us, end_us;

    if (!find_thread (model, row, &thread)) {
        return 0;
    }
    origin_s = profile_model_get_seconds (model, row->index, 0);
    time_us = (time_s - origin_s) * G_USEC_PER_SEC;
    samples = profile_samples_get (model, row->index, thread, &number);
    at = profile_samples_find (samples, time_us);
    if (at >= samples->len) {
        return 0;
    }
#define SAMPLE(i) g_array_index (samples, ProfileSample, i)
#define BEGIN(i) (SAMPLE (i).time_us - (gint64) SAMPLE (i).weight_us)
#define CALL(i) gui_timeline_levels_find (model, row->index, &SAMPLE (i), row->level)
    context = CALL (at);
    begin_us = BEGIN (at);
    end_us = SAMPLE (at).time_us;
    if (context == 0 || time_us < (double) begin_us) {
        return 0;
    }
    for (guint i = at; i > 0 && SAMPLE (i - 1).time_us >= begin_us
                       && is_same_call (model, CALL (i - 1), context);
         i--) {
        begin_us = BEGIN (i - 1);
    }
    for (guint i = at + 1;
         i < samples->len && BEGIN (i) <= end_us && is_same_call (model, CALL (i), context);
         i++) {
        end_us = SAMPLE (i).time_us;
    }
#undef CALL
#undef BEGIN
#undef SAMPLE
    *ret_begin_s = origin_s + (double) begin_us / G_USEC_PER_SEC;
    *ret_end_s = origin_s + (double) end_us / G_USEC_PER_SEC;
    return context;
}
