/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For speedscope and what else reads its files (speedscope.app/file-format-schema.json): a profile for each thread, in
 * the order of time. Of ranks of which only sums are known stacks are in the order of the tree. */
#include "profile/export/private.h"
#include "base/json.h"
#include <math.h>
#include <string.h>

static void
put_text (GString *json, const char *name, const char *text)
{
    g_string_append_printf (json, "\"%s\":", name);
    base_json_append_string (json, text, strlen (text));
}

static void
append_frames (GString *json, const ProfileExportTable *table)
{
    g_string_append (json, "\"shared\":{\"frames\":[");
    for (guint32 i = 0; i < table->functions->len; i++) {
        const ProfileExportFunction *function = profile_export_table_get (table, i);

        g_string_append (json, i > 0 ? ",\n{" : "\n{");
        put_text (json, "name", function->name);
        if (*function->file != '\0') {
            g_string_append_c (json, ',');
            put_text (json, "file", function->file);
        }
        if (function->line > 0) {
            g_string_append_printf (json, ",\"line\":%u", function->line);
        }
        g_string_append_c (json, '}');
    }
    g_string_append (json, "]}");
}

static void
append_stack (GString *json, const ProfileExportStacks *stacks, guint32 number)
{
    g_autoptr (GArray) functions = g_array_new (FALSE, FALSE, sizeof (guint32));

    for (guint32 at = number; at != 0; at = profile_export_stacks_get (stacks, at)->parent) {
        guint32 function = profile_export_stacks_get (stacks, at)->function;

        g_array_append_val (functions, function);
    }
    for (guint i = functions->len; i > 0; i--) {
        g_string_append_printf (json, "%s%u", i < functions->len ? "," : "",
                                g_array_index (functions, guint32, i - 1));
    }
    if (number == 0) {
        g_string_append_c (json, '0');
    }
}

typedef struct {
    GString *samples, *weights;
    guint64 sum_us;
} Sampled;

static void
add_stack (Sampled *to, const ProfileExportStacks *stacks, guint32 number, guint64 us)
{
    if (us > 0) {
        g_string_append (to->samples, to->sum_us > 0 ? ",[" : "[");
        append_stack (to->samples, stacks, number);
        g_string_append_c (to->samples, ']');
        g_string_append_printf (to->weights, "%s%" G_GUINT64_FORMAT, to->sum_us > 0 ? "," : "",
                                us);
        to->sum_us += us;
    }
}

static void
add_tree (Sampled *to, const ProfileExportTable *table, const ProfileExportStacks *stacks,
          guint index)
{
    g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, index);
    g_autofree double *seconds = g_new0 (double, stacks->stacks->len);

    for (guint32 number = 0; number < table->n_contexts; number++) {
        seconds[stacks->stack_of[number]] += costs->seconds[number];
    }
    for (guint32 i = 0; i < stacks->stacks->len; i++) {
        guint32 number = i == 0 ? 0 : stacks->order[i - 1];

        add_stack (to, stacks, number, (guint64) llround (seconds[number] * G_USEC_PER_SEC));
    }
}

/* What nobody measured between two stretches is left out. */
static guint32
add_thread (Sampled *to, const ProfileExportTable *table, const ProfileExportStacks *stacks,
            guint index, guint thread)
{
    guint32 number;
    g_autoptr (GArray) stretches = profile_export_stretches_new (table, stacks, index, thread,
                                                                 FALSE, &number);

    for (guint i = 0; i < stretches->len; i++) {
        const ProfileExportStretch *each = &g_array_index (stretches, ProfileExportStretch, i);

        add_stack (to, stacks, each->stack, (guint64) MAX (each->end_us - each->begin_us, 0));
    }
    return number;
}

/* thread: its index; the number of threads: the whole rank. */
static void
append_profile (GString *json, const ProfileExportTable *table,
                const ProfileExportStacks *stacks, guint index, guint thread)
{
    g_autoptr (GString) samples = g_string_new (NULL), weights = g_string_new (NULL);
    g_autofree char *name = profile_model_format_rank (BASE_TEXT_ENGLISH, table->model, index);
    Sampled to = { samples, weights, 0 };
    guint32 number = 1;

    if (thread < profile_samples_get_n_threads (table->model, index)) {
        number = add_thread (&to, table, stacks, index, thread);
        if (number != 1 && to.sum_us == 0) {
            return;
        }
    } else {
        add_tree (&to, table, stacks, index);
    }
    g_string_append_printf (json, "%s\n{\"type\":\"sampled\",\"name\":\"%s",
                            json->str[json->len - 1] == '[' ? "" : ",", name);
    if (number != 1) {
        g_string_append_printf (json, ", thread %u", number);
    }
    g_string_append_printf (
        json,
        "\",\"unit\":\"microseconds\",\"samples\":[%s],\"weights\":[%s],\"startValue\":0,"
        "\"endValue\":%" G_GUINT64_FORMAT "}",
        samples->str, weights->str, to.sum_us);
}

gboolean
profile_export_speedscope (const ProfileExportTable *table, const char *path, GError **error)
{
    g_autoptr (ProfileExportStacks) stacks = profile_export_stacks_new (table);
    GString *json
        = g_string_new ("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                        "\"exporter\":\"pddt\",\"name\":\"pddt\",\"activeProfileIndex\":0,\n");
    gboolean ok;

    append_frames (json, table);
    g_string_append (json, ",\n\"profiles\":[");
    for (guint i = 0; i < profile_model_get_n_ranks (table->model); i++) {
        guint n_threads = profile_samples_get_n_threads (table->model, i);

        for (guint thread = 0; thread < MAX (n_threads, 1); thread++) {
            append_profile (json, table, stacks, i, thread);
        }
    }
    g_string_append (json, "]}\n");
    ok = profile_text_save (path, json->str, json->len, error);
    g_string_free (json, TRUE);
    return ok;
}
