/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One question at a time, and the next one only after the user has stopped for a moment: what was read for it is wider
 * than what is shown, so that most steps need no new one. */
#include "gui/profile/timeline-detail.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/profile/profile-common.h"
#include "gui/profile/timeline-counters.h"
#include "gui/profile/timeline-levels.h"
#include "profile/part.h"
#include "profile/summary.h"
#include "base/array.h"

enum { WAIT_MS = 120, LEAST_STRETCH = 3, LEAST_NAME = 34, MOST_ROUGH = 3 };
#define COARSE_S 2e-6 /* of a pixel: the model's own times are finer than that */

typedef struct {
    char *program, *path;
    ProfilePart part;
} Question;

struct _GuiTimelineDetail {
    char *program, *path;
    void (*ready) (gpointer user);
    gpointer user;
    ProfileModel *read;    /* NULL: nothing yet */
    ProfilePart part;      /* of it */
    ProfilePart wanted;    /* what to ask for next; begin < 0: nothing */
    GCancellable *running; /* NULL: nothing is being read */
    guint wait_source;
};

GuiTimelineDetail *
gui_timeline_detail_new (const char *program, const char *path, void (*ready) (gpointer user),
                         gpointer user)
{
    GuiTimelineDetail *detail = g_new0 (GuiTimelineDetail, 1);

    detail->program = g_strdup (program);
    detail->path = g_strdup (path);
    detail->ready = ready;
    detail->user = user;
    detail->wanted.begin_ns = -1;
    return detail;
}

void
gui_timeline_detail_free (GuiTimelineDetail *detail)
{
    if (detail == NULL) {
        return;
    }
    g_clear_handle_id (&detail->wait_source, g_source_remove);
    if (detail->running != NULL) { /* its answer comes to nobody */
        g_cancellable_cancel (detail->running);
        g_object_unref (detail->running);
    }
    profile_model_free (detail->read);
    g_free (detail->program);
    g_free (detail->path);
    g_free (detail);
}

gboolean
gui_timeline_detail_is_idle (const GuiTimelineDetail *detail)
{
    return detail->running == NULL && detail->wait_source == 0;
}

/* ---- asking ---- */

BASE_FREE (free_question, Question, question, g_free (question->program);
           g_free (question->path))

static void
answer (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Question *question = data;
    g_autoptr (GError) error = NULL;
    ProfileModel *read = profile_part_read (question->program, question->path, &question->part,
                                            &error);

    if (read == NULL) {
        g_task_return_error (task, g_steal_pointer (&error));
    } else {
        g_task_return_pointer (task, read, (GDestroyNotify) profile_model_free);
    }
}

static void ask_next (GuiTimelineDetail *detail);

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
    GuiTimelineDetail *detail = user;
    GTask *task = G_TASK (result);
    const Question *question = g_task_get_task_data (task);
    gboolean is_late = g_cancellable_is_cancelled (g_task_get_cancellable (task));
    ProfileModel *read = g_task_propagate_pointer (task, NULL);

    if (is_late) { /* and the detail is gone */
        profile_model_free (read);
        return;
    }
    g_clear_object (&detail->running);
    if (read != NULL) {
        profile_model_free (detail->read);
        detail->read = read;
        detail->part = question->part;
        detail->ready (detail->user);
    }
    ask_next (detail);
}

static void
ask_next (GuiTimelineDetail *detail)
{
    Question *question;
    GTask *task;

    if (detail->running != NULL || detail->wanted.begin_ns < 0) {
        return;
    }
    question = g_new0 (Question, 1);
    question->program = g_strdup (detail->program);
    question->path = g_strdup (detail->path);
    question->part = detail->wanted;
    detail->wanted.begin_ns = -1;
    detail->running = g_cancellable_new ();
    task = g_task_new (NULL, detail->running, on_answer, detail);
    g_task_set_check_cancellable (task, FALSE);
    g_task_set_task_data (task, question, free_question);
    g_task_run_in_thread (task, answer);
    g_object_unref (task);
}

static gboolean
on_wait (gpointer user)
{
    GuiTimelineDetail *detail = user;

    detail->wait_source = 0;
    ask_next (detail);
    return G_SOURCE_REMOVE;
}

gboolean
gui_timeline_detail_is_rough (const ProfileModel *model)
{
    return BASE_ANY (i, profile_model_get_n_ranks (model),
                     profile_model_get_n_halvings (model, i) > 0);
}

static gboolean
covers (const ProfilePart *one, const ProfilePart *other)
{
    return one->begin_ns <= other->begin_ns && one->end_ns >= other->end_ns;
}

static gint64
get_span (const ProfilePart *part)
{
    return part->end_ns - part->begin_ns;
}

/* What is there is all that there is, or was asked for at nearly the same zoom. */
static gboolean
is_enough (const GuiTimelineDetail *detail, const ProfilePart *shown)
{
    return detail->read != NULL && covers (&detail->part, shown)
           && (!gui_timeline_detail_is_rough (detail->read)
               || get_span (&detail->part) <= MOST_ROUGH * get_span (shown));
}

void
gui_timeline_detail_want (GuiTimelineDetail *detail, const ProfileModel *model,
                          const GuiProfileAxis *axis)
{
    double span = axis->end_s - axis->begin_s;
    ProfilePart shown, wide;

    if (detail == NULL || !profile_model_is_traced (model)
        || profile_model_get_n_ranks (model) == 0
        || (span / axis->width >= COARSE_S && !gui_timeline_detail_is_rough (model))) {
        return;
    }
    shown = profile_part_new (model, axis->begin_s, axis->end_s);
    wide = profile_part_new (model, MAX (0, axis->begin_s - span / 2), axis->end_s + span / 2);
    if (is_enough (detail, &shown)) {
        detail->wanted.begin_ns = -1;
        return;
    }
    if (detail->wanted.begin_ns == wide.begin_ns && detail->wanted.end_ns == wide.end_ns) {
        return; /* it was painted again, and has not moved */
    }
    detail->wanted = wide;
    g_clear_handle_id (&detail->wait_source, g_source_remove);
    detail->wait_source = g_timeout_add (WAIT_MS, on_wait, detail);
}

/* ---- showing ---- */

/* What was read of the axis's time, with an axis in that model's seconds; NULL: nothing. */
static const ProfileModel *
get_read (const GuiTimelineDetail *detail, const ProfileModel *model,
          const GuiProfileAxis *axis, GuiProfileAxis *ret_axis)
{
    ProfilePart shown;

    if (detail == NULL || detail->read == NULL) {
        return NULL;
    }
    shown = profile_part_new (model, axis->begin_s, axis->end_s);
    if (!covers (&detail->part, &shown)) {
        return NULL;
    }
    *ret_axis = *axis;
    ret_axis->begin_s = profile_part_get_seconds (&detail->part, model, detail->read,
                                                  axis->begin_s);
    ret_axis->end_s = profile_part_get_seconds (&detail->part, model, detail->read,
                                                axis->end_s);
    return detail->read;
}

static gboolean
find_thread (const ProfileModel *model, guint index, guint32 number, guint *ret_thread)
{
    for (guint i = 0; i < profile_samples_get_n_threads (model, index); i++) {
        guint32 its = 0;

        profile_samples_get (model, index, i, &its);
        if (its == number) {
            *ret_thread = i;
            return TRUE;
        }
    }
    return FALSE;
}

/* The same row in a model that was read; there an empty one where nothing has happened. */
static GuiTimelineRow
map_row (const ProfileModel *model, const GuiTimelineRow *row, const ProfileModel *read)
{
    GuiTimelineRow mapped = { GUI_TIMELINE_NOTHING, PROFILE_COUNTED_THREADS, row->level,
                              row->counter };
    guint32 number;

    if (!profile_model_find_index (read, profile_model_get_rank (model, row->index),
                                   &mapped.index)) {
        mapped.index = GUI_TIMELINE_NOTHING;
    } else if (row->thread != PROFILE_COUNTED_THREADS) {
        profile_samples_get (model, row->index, row->thread, &number);
        if (!find_thread (read, mapped.index, number, &mapped.thread)) {
            mapped.index = GUI_TIMELINE_NOTHING;
        }
    }
    return mapped;
}

/* Caller owns. */
static char *
dup_name (const ProfileModel *read, guint index, const ProfileSample *sample)
{
    guint32 number = profile_samples_get_seen (read, index, sample);

    return gui_timeline_rows_dup_name (
        number != 0 ? job_context_tree_get (profile_model_get_contexts (read), number) : NULL);
}

/* axis: of the model. */
static void
paint_stretches (cairo_t *cr, const ProfileModel *read, const GuiTimelineRow *row,
                 const GuiProfileAxis *axis, double y, double height,
                 const GuiProfileColours *colours)
{
    guint thread = row->thread, from;
    guint32 number;
    double origin_s;
    const GArray *samples;

    if (row->index == GUI_TIMELINE_NOTHING) {
        return;
    }
    origin_s = profile_model_get_seconds (read, row->index, 0);
    if (thread == PROFILE_COUNTED_THREADS
        && !profile_model_find_first_thread (read, row->index, &thread)) {
        return;
    }
    samples = profile_samples_get (read, row->index, thread, &number);
    from = profile_samples_find (samples, (axis->begin_s - origin_s) * G_USEC_PER_SEC);
    for (guint i = from; i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);
        double end = (double) sample->time_us, begin = end - sample->weight_us;
        double left = gui_profile_axis_get_x (axis, origin_s + begin / G_USEC_PER_SEC);
        double right = gui_profile_axis_get_x (axis, origin_s + end / G_USEC_PER_SEC);

        if (left > axis->x + axis->width) {
            break;
        }
        if (right - left < LEAST_STRETCH) {
            continue;
        }
        gui_profile_set_colour (cr, colours->background, 0.8);
        cairo_rectangle (cr, floor (MAX (left, axis->x)), y, 1, height);
        cairo_fill (cr);
        left = MAX (left, axis->x);
        right = MIN (right, axis->x + axis->width);
        if (right - left >= LEAST_NAME && height >= 10) {
            g_autofree char *name = dup_name (read, row->index, sample);

            gui_timeline_rows_paint_name (cr, name, colours->background, left, y,
                                          right - left - 2, height);
        }
    }
}

/* How many rows from this one on are levels of the same thread. */
static guint
count_levels (const GuiTimelineRow *rows, guint n)
{
    guint beside = rows[0].level > 0;

    while (beside > 0 && beside < n && rows[beside].level == rows[0].level + beside) {
        beside++;
    }
    return beside;
}

void
gui_timeline_detail_paint (const GuiTimelineDetail *detail, cairo_t *cr,
                           const ProfileModel *model, const GuiTimelineRow *rows, guint n,
                           guint height, int class, const GuiProfileAxis *axis, double top,
                           const GuiProfileColours *colours)
{
    GuiProfileAxis exact_axis = *axis;
    const ProfileModel *read = get_read (detail, model, axis, &exact_axis);
    g_autofree GuiTimelineRow *mapped = g_new (GuiTimelineRow, n);
    const ProfileModel *whole;
    cairo_surface_t *surface;

    for (guint i = 0; i < n; i++) {
        mapped[i] = read != NULL ? map_row (model, &rows[i], read) : rows[i];
    }
    whole = model;
    model = read != NULL ? read : model;
    surface = gui_timeline_rows_paint (model, mapped, n, height, class, &exact_axis, colours);
    cairo_set_source_surface (cr, surface, axis->x, top);
    cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
    cairo_paint (cr);
    cairo_surface_destroy (surface);
    for (guint i = 0; i < n;) {
        guint beside = count_levels (mapped + i, n - i);

        if (rows[i].counter > 0) {
            gui_timeline_counters_paint (cr, whole, &rows[i], axis, top + i * height,
                                         height - (height > 8 ? 2 : 1), colours);
        } else if (beside > 0) {
            gui_timeline_levels_paint (cr, model, &mapped[i], beside, height, &exact_axis,
                                       top + i * height, colours);
        } else if (read != NULL) {
            paint_stretches (cr, read, &mapped[i], &exact_axis, top + i * height,
                             height - (height > 8 ? 2 : 1), colours);
        }
        i += MAX (beside, 1);
    }
}

/* ---- words ---- */

char *
gui_timeline_detail_format_duration (double ns)
{
    return ns < 1e3   ? g_strdup_printf ("%.0f ns", ns)
           : ns < 1e6 ? g_strdup_printf ("%.4g µs", ns / 1e3)
           : ns < 1e9 ? g_strdup_printf ("%.4g ms", ns / 1e6)
                      : g_strdup_printf ("%.4g s", ns / 1e9);
}

void
gui_timeline_detail_append_place (const ProfileModel *model, GString *text, guint32 context)
{
    const JobContextTree *tree = profile_model_get_contexts (model);

    for (guint32 at = context; at != 0; at = job_context_tree_get (tree, at)->parent) {
        const JobContext *frame = job_context_tree_get (tree, at);

        if (frame->location.line > 0 && (frame->flags & JOB_FRAME_LIBRARY) == 0) {
            g_autofree char *file = profile_dup_short_file (model, frame->location.file);
            g_autofree char *name = profile_dup_name (&frame->location);

            g_string_append_printf (text, "\n%s, %s:%u", name, file, frame->location.line);
            return;
        }
    }
}

char *
gui_timeline_detail_dup_call_tip (const GuiTimelineDetail *detail, const ProfileModel *model,
                                  const GuiTimelineRow *row, const GuiProfileAxis *axis,
                                  double x)
{
    GuiProfileAxis exact_axis = *axis;
    const ProfileModel *read = get_read (detail, model, axis, &exact_axis),
                       *shown = read != NULL ? read : model;
    GuiTimelineRow mapped = read != NULL ? map_row (model, row, read) : *row;
    g_autofree char *duration = NULL, *name = NULL;
    double begin_s, end_s;
    guint32 context;
    const JobContext *call;
    GString *text;

    context = gui_timeline_levels_find_call (shown, &mapped,
                                             gui_profile_axis_get_time (&exact_axis, x),
                                             &begin_s, &end_s);
    if (context == 0) {
        return NULL;
    }
    call = job_context_tree_get (profile_model_get_contexts (shown), context);
    name = gui_profile_dup_name (call);
    text = g_string_new (name);
    if (read != NULL
        && !gui_timeline_detail_is_rough (
            read)) { /* else calls beside each other are not told apart */
        duration = gui_timeline_detail_format_duration (
            (end_s - begin_s) * G_USEC_PER_SEC
            * (double) profile_part_get_unit_ns (&detail->part));
        begin_s = axis->begin_s
                  + (begin_s - exact_axis.begin_s) * (axis->end_s - axis->begin_s)
                        / (exact_axis.end_s - exact_axis.begin_s);
        g_string_append_c (text, '\n');
        /* Translators: when a call begins, and how long it takes */
        g_string_append_printf (text, _ ("from %.9f s, for %s"), begin_s, duration);
    }
    gui_timeline_detail_append_place (shown, text, context);
    return g_string_free (text, FALSE);
}

char *
gui_timeline_detail_dup_tip (const GuiTimelineDetail *detail, const ProfileModel *model,
                             const GuiTimelineRow *row, const GuiProfileAxis *axis, double x)
{
    GuiProfileAxis exact_axis;
    const ProfileModel *read = get_read (detail, model, axis, &exact_axis);
    g_autofree char *duration = NULL, *name = NULL;
    ProfileSample sample;
    GuiTimelineRow mapped;
    double begin_s;

    if (read == NULL || gui_timeline_detail_is_rough (read)) {
        return NULL;
    }
    mapped = map_row (model, row, read);
    if (mapped.index == GUI_TIMELINE_NOTHING
        || (mapped.thread == PROFILE_COUNTED_THREADS
            && !profile_model_find_first_thread (read, mapped.index, &mapped.thread))
        || !profile_model_find_sample (read, mapped.index, mapped.thread,
                                       gui_profile_axis_get_time (&exact_axis, x), &sample)) {
        return NULL;
    }
    begin_s = axis->begin_s
              + ((double) (sample.time_us - (gint64) sample.weight_us) / G_USEC_PER_SEC
                 + profile_model_get_seconds (read, mapped.index, 0) - exact_axis.begin_s)
                    * (axis->end_s - axis->begin_s) / (exact_axis.end_s - exact_axis.begin_s);
    duration
        = gui_timeline_detail_format_duration ((double) sample.weight_us
                                               * (double)
                                                   profile_part_get_unit_ns (&detail->part));
    name = dup_name (read, mapped.index, &sample);
    /* Translators: a class, a function, when it begins, and how long it runs until it calls
     * another one or returns */
    return g_strdup_printf (_ ("%s: %s\nfrom %.9f s, for %s"),
                            gui_profile_colours_get_title (sample.class), name, begin_s,
                            duration);
}
