/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Goes through a run in the order in which formats of traces have it: each rank with its threads and counters, and then the
 * messages between them. */
#include "profile/export/private.h"
#include "profile/messages.h"
#include "profile/values.h"
#include <math.h>

static void
close_functions (ProfileExportTimeline *timeline, gint64 time_us, guint n_left)
{
    for (guint i = timeline->open->len; i > n_left; i--) {
        timeline->writer->end (timeline, time_us);
    }
    g_array_set_size (timeline->open, n_left);
}

/* The functions of the stack, the outermost first; those of 0 are the one for stacks that could not be read. */
static GArray *
list_functions (const ProfileExportStacks *stacks, guint32 stack)
{
    guint32 depth = MAX (profile_export_stacks_get (stacks, stack)->depth, 1);
    GArray *functions = g_array_sized_new (FALSE, TRUE, sizeof (guint32), depth);

    g_array_set_size (functions, depth);
    for (guint32 i = depth; stack != 0 && i > 0; i--) {
        g_array_index (functions, guint32, i - 1)
            = profile_export_stacks_get (stacks, stack)->function;
        stack = profile_export_stacks_get (stacks, stack)->parent;
    }
    return functions;
}

/* Leaves what is not in the stack any more, and enters what is new in it. */
static void
enter_stack (ProfileExportTimeline *timeline, const ProfileExportStretch *stretch)
{
    g_autoptr (GArray) functions = list_functions (timeline->stacks, stretch->stack);
    guint same = 0;

    while (same < MIN (functions->len, timeline->open->len)
           && g_array_index (functions, guint32, same)
                  == g_array_index (timeline->open, guint32, same)) {
        same++;
    }
    close_functions (timeline, stretch->begin_us, same);
    for (guint i = same; i < functions->len; i++) {
        guint32 function = g_array_index (functions, guint32, i);

        timeline->n_slices++;
        timeline->writer->begin (timeline, stretch->begin_us, function);
        g_array_append_val (timeline->open, function);
    }
}

static void
put_thread (ProfileExportTimeline *timeline, guint index, guint thread)
{
    g_autoptr (GArray) stretches = profile_export_stretches_new (timeline->table,
                                                                 timeline->stacks, index,
                                                                 thread, TRUE,
                                                                 &timeline->thread);
    g_autofree char *name = g_strdup_printf ("thread %u", timeline->thread);
    gint64 before_us = G_MININT64;

    timeline->writer->name_thread (timeline, name);
    for (guint i = 0; i < stretches->len; i++) {
        ProfileExportStretch *stretch = &g_array_index (stretches, ProfileExportStretch, i);

        stretch->begin_us = MAX (stretch->begin_us - timeline->begin_us, 0);
        stretch->end_us = MAX (stretch->end_us - timeline->begin_us, 0);
        if (stretch->begin_us > before_us) {
            close_functions (timeline, before_us, 0);
        }
        enter_stack (timeline, stretch);
        before_us = stretch->end_us;
    }
    close_functions (timeline, before_us, 0);
}

static void
put_value (ProfileExportTimeline *timeline, gint64 time_us, const char *name, const char *unit,
           double value)
{
    timeline->writer->count (timeline, MAX (time_us - timeline->begin_us, 0), name, unit,
                             value);
}

static void
put_memory (ProfileExportTimeline *timeline, guint index)
{
    const ProfileModel *model = timeline->table->model;
    const GArray *metrics = profile_samples_get_metrics (model, index);
    gint64 offset_us = profile_model_get_process (model, index)->offset_us;

    for (guint i = 0; i < metrics->len; i++) {
        const JobMetrics *each = &g_array_index (metrics, JobMetrics, i);

        if (each->values[JOB_METRIC_RSS] != JOB_METRIC_UNKNOWN) {
            put_value (timeline, each->time_us + offset_us, "memory", "bytes",
                       (double) each->values[JOB_METRIC_RSS]);
        }
    }
}

/* What the program itself has measured. */
static void
put_own_metrics (ProfileExportTimeline *timeline)
{
    const GArray *metrics = profile_model_get_own_metrics (timeline->table->model);

    for (guint i = 0; i < metrics->len; i++) {
        const ProfileOwnMetric *metric = &g_array_index (metrics, ProfileOwnMetric, i);

        for (guint j = 0; metric->rank == timeline->rank && j < metric->points->len; j++) {
            const ProfilePoint *point = &g_array_index (metric->points, ProfilePoint, j);

            if (isfinite (point->value)) { /* formats have no word for others */
                put_value (timeline, point->time_us, metric->name, metric->unit, point->value);
            }
        }
    }
}

static void
put_rank (ProfileExportTimeline *timeline, guint index)
{
    const ProfileModel *model = timeline->table->model;
    g_autofree char *name = profile_model_format_rank (BASE_TEXT_ENGLISH, model, index);
    guint n_halvings = profile_model_get_n_halvings (model, index);
    g_autofree char *note = n_halvings > 0 ? g_strdup_printf ("one stack of about %u is kept",
                                                              1u << MIN (n_halvings, 30))
                                           : NULL;

    timeline->rank = profile_model_get_rank (model, index);
    timeline->thread = 1;
    timeline->writer->name_rank (timeline, name, note);
    for (guint i = 0; i < profile_samples_get_n_threads (model, index); i++) {
        put_thread (timeline, index, i);
    }
    timeline->thread = 1;
    put_memory (timeline, index);
    put_own_metrics (timeline);
}

static void
put_messages (ProfileExportTimeline *timeline)
{
    const ProfileModel *model = timeline->table->model;
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));

    profile_messages_find (model, G_MININT32, G_MAXINT32, G_MAXUINT, numbers);
    for (guint i = 0; i < numbers->len; i++) {
        guint32 number = g_array_index (numbers, guint32, i);
        const ProfileMessage *message = profile_messages_get (model, number);
        gint64 sent_us = MAX (message->sent_us - timeline->begin_us, 0);
        /* inside the call of MPI, as the other end is: the receive ends when its call does */
        gint64 received_us = MAX (message->received_us - 1 - timeline->begin_us, sent_us);

        timeline->writer->message (timeline, number, message, sent_us, received_us);
    }
}

void
profile_export_timeline_write (ProfileExportTimeline *timeline, const ProfileExportTable *table,
                               const ProfileExportWriter *writer)
{
    g_autoptr (ProfileExportStacks) stacks = profile_export_stacks_new (table);
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));

    timeline->table = table;
    timeline->writer = writer;
    timeline->begin_us = profile_export_find_begin (table->model);
    timeline->stacks = stacks;
    timeline->open = open;
    for (guint i = 0; i < profile_model_get_n_ranks (table->model); i++) {
        put_rank (timeline, i);
    }
    put_messages (timeline);
    timeline->stacks = NULL;
    timeline->open = NULL;
}

/* Whoever counts the slices does not have the calls. */
char *
profile_export_timeline_dup_note (const ProfileExportTable *table)
{
    return profile_model_is_traced (table->model)
               ? g_strdup ("Calls directly after each other may share a slice, and short calls "
                           "may have none: the numbers of calls are in pddt's report")
               : NULL;
}
