/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For Perfetto and chrome://tracing: Chrome's Trace Event Format (JSON) as its description ("Trace Event Format", Google)
 * has it: processes are ranks, begin and end of each function are events B and E, memory is a counter C, and a message is a
 * flow from s to f. */
#include "profile/export/private.h"
#include "base/json.h"
#include "profile/messages.h"
#include "profile/values.h"
#include <math.h>
#include <string.h>

typedef struct {
    const ProfileExportTable *table;
    const ProfileExportStacks *stacks;
    GString *json;
    gint64 begin_us; /* of the run */
    guint32 rank, thread;
    GArray *open;     /* of guint32: functions, the outermost first */
    guint64 n_slices; /* that were opened */
} Chrome;

static void
begin_event (Chrome *to, const char *kind, gint64 time_us)
{
    g_string_append_printf (to->json,
                            ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" G_GINT64_FORMAT,
                            kind, to->rank, to->thread, MAX (time_us - to->begin_us, 0));
}

static void
put_text (Chrome *to, const char *name, const char *text)
{
    g_string_append_printf (to->json, "\"%s\":", name);
    base_json_append_string (to->json, text, strlen (text));
}

static void
put_name (Chrome *to, const char *what, const char *name)
{
    begin_event (to, "M", to->begin_us);
    g_string_append_printf (to->json, ",\"name\":\"%s\",\"args\":{", what);
    put_text (to, "name", name);
    g_string_append (to->json, "}}");
}

static void
open_function (Chrome *to, gint64 time_us, guint32 number)
{
    const ProfileExportFunction *function = profile_export_table_get (to->table, number);

    to->n_slices++;
    begin_event (to, "B", time_us);
    g_string_append_c (to->json, ',');
    put_text (to, "name", function->name);
    if (*function->file != '\0') {
        g_autofree char *place = function->line > 0
                                     ? g_strdup_printf ("%s:%u", function->file, function->line)
                                     : g_strdup (function->file);

        g_string_append (to->json, ",\"args\":{");
        put_text (to, "place", place);
        g_string_append_c (to->json, '}');
    }
    g_string_append_c (to->json, '}');
    g_array_append_val (to->open, number);
}

static void
close_functions (Chrome *to, gint64 time_us, guint n_left)
{
    for (guint i = to->open->len; i > n_left; i--) {
        begin_event (to, "E", time_us);
        g_string_append_c (to->json, '}');
    }
    g_array_set_size (to->open, n_left);
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

static void
put_thread (Chrome *to, guint index, guint thread)
{
    g_autoptr (GArray) stretches = profile_export_stretches_new (to->table, to->stacks, index,
                                                                 thread, TRUE, &to->thread);
    g_autofree char *name = g_strdup_printf ("thread %u", to->thread);
    gint64 before_us = G_MININT64;

    put_name (to, "thread_name", name);
    for (guint i = 0; i < stretches->len; i++) {
        const ProfileExportStretch *stretch = &g_array_index (stretches, ProfileExportStretch,
                                                              i);
        g_autoptr (GArray) functions = list_functions (to->stacks, stretch->stack);
        guint same = 0;

        if (stretch->begin_us > before_us) {
            close_functions (to, before_us, 0);
        }
        while (same < MIN (functions->len, to->open->len)
               && g_array_index (functions, guint32, same)
                      == g_array_index (to->open, guint32, same)) {
            same++;
        }
        close_functions (to, stretch->begin_us, same);
        for (guint j = same; j < functions->len; j++) {
            open_function (to, stretch->begin_us, g_array_index (functions, guint32, j));
        }
        before_us = stretch->end_us;
    }
    close_functions (to, before_us, 0);
}

static void
put_memory (Chrome *to, guint index)
{
    const GArray *metrics = profile_samples_get_metrics (to->table->model, index);
    gint64 offset_us = profile_model_get_process (to->table->model, index)->offset_us;

    to->thread = 1;
    for (guint i = 0; i < metrics->len; i++) {
        const JobMetrics *each = &g_array_index (metrics, JobMetrics, i);

        if (each->values[JOB_METRIC_RSS] != JOB_METRIC_UNKNOWN) {
            begin_event (to, "C", each->time_us + offset_us);
            g_string_append_printf (
                to->json, ",\"name\":\"memory\",\"args\":{\"bytes\":%" G_GUINT64_FORMAT "}}",
                each->values[JOB_METRIC_RSS]);
        }
    }
}

/* What the program itself has measured. */
static void
put_own_metrics (Chrome *to)
{
    const GArray *metrics = profile_model_get_own_metrics (to->table->model);

    for (guint i = 0; i < metrics->len; i++) {
        const ProfileOwnMetric *metric = &g_array_index (metrics, ProfileOwnMetric, i);

        for (guint j = 0; metric->rank == to->rank && j < metric->points->len; j++) {
            const ProfilePoint *point = &g_array_index (metric->points, ProfilePoint, j);
            const char *key = *metric->unit != '\0' ? metric->unit : "value";
            char value[G_ASCII_DTOSTR_BUF_SIZE];

            if (!isfinite (point->value)) {
                continue; /* JSON has no word for it */
            }
            begin_event (to, "C", point->time_us);
            g_string_append_c (to->json, ',');
            put_text (to, "name", metric->name);
            g_string_append (to->json, ",\"args\":{");
            base_json_append_string (to->json, key, strlen (key));
            g_string_append_printf (to->json, ":%s}}",
                                    g_ascii_dtostr (value, sizeof value, point->value));
        }
    }
}

static void
put_rank (Chrome *to, guint index)
{
    g_autofree char *name = profile_model_format_rank (BASE_TEXT_ENGLISH, to->table->model,
                                                       index);
    guint n_halvings = profile_model_get_n_halvings (to->table->model, index);

    to->rank = profile_model_get_rank (to->table->model, index);
    to->thread = 1;
    put_name (to, "process_name", name);
    if (n_halvings > 0) {
        begin_event (to, "M", to->begin_us);
        g_string_append_printf (
            to->json,
            ",\"name\":\"process_labels\",\"args\":{\"labels\":\"one stack of about %u is kept\"}}",
            1u << MIN (n_halvings, 30));
    }
    for (guint i = 0; i < profile_samples_get_n_threads (to->table->model, index); i++) {
        put_thread (to, index, i);
    }
    put_memory (to, index);
    put_own_metrics (to);
}

static void
put_end_of_flow (Chrome *to, const char *kind, guint32 rank, gint64 time_us, guint32 number)
{
    to->rank = rank;
    to->thread = 1;
    begin_event (to, kind, time_us);
    g_string_append_printf (to->json, ",\"cat\":\"message\",\"name\":\"message\",\"id\":%u",
                            number);
}

/* Both ends are inside the calls of MPI: the receive ends when its call does. */
static void
put_messages (Chrome *to)
{
    const ProfileModel *model = to->table->model;
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));

    profile_messages_find (model, G_MININT32, G_MAXINT32, G_MAXUINT, numbers);
    for (guint i = 0; i < numbers->len; i++) {
        guint32 number = g_array_index (numbers, guint32, i);
        const ProfileMessage *message = profile_messages_get (model, number);

        put_end_of_flow (to, "s", message->from, message->sent_us, number);
        g_string_append_printf (to->json,
                                ",\"args\":{\"to\":%u,\"tag\":%u,\"bytes\":%" G_GUINT64_FORMAT
                                "}}",
                                message->to, message->tag, message->bytes);
        put_end_of_flow (to, "f", message->to, MAX (message->received_us - 1, message->sent_us),
                         number);
        g_string_append (to->json, ",\"bp\":\"e\"}");
    }
}

/* Whoever counts the slices does not have the calls. */
static void
put_totals (Chrome *to)
{
    if (profile_model_is_traced (to->table->model)) {
        g_string_append_printf (
            to->json,
            ",\"recorded calls\":\"%" G_GUINT64_FORMAT "\",\"slices\":\"%" G_GUINT64_FORMAT
            "\",\"note\":\"Calls directly after each other may share a slice, and short calls "
            "may have none: the numbers of calls are in pddt's report\"",
            profile_model_get_n_calls (to->table->model), to->n_slices);
    }
}

gboolean
profile_export_chrome (const ProfileExportTable *table, const char *path, GError **error)
{
    g_autoptr (ProfileExportStacks) stacks = profile_export_stacks_new (table);
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
    Chrome to
        = { table, stacks, NULL, profile_export_find_begin (table->model), 0, 0, open, 0 };
    gboolean ok;

    /* an event at the beginning, so that all others follow a comma */
    to.json = g_string_new (
        "{\"displayTimeUnit\":\"ms\",\n\"traceEvents\":["
        "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"ts\":0,\"name\":\"trace_name\",\"args\":{\"name\":"
        "\"pddt\"}}");
    for (guint i = 0; i < profile_model_get_n_ranks (table->model); i++) {
        put_rank (&to, i);
    }
    put_messages (&to);
    g_string_append (to.json, "],\n\"otherData\":{\"exporter\":\"pddt\"");
    put_totals (&to);
    g_string_append (to.json, "}}\n");
    ok = profile_text_save (path, to.json->str, to.json->len, error);
    g_string_free (to.json, TRUE);
    return ok;
}
