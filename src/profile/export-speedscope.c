/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For speedscope and what else reads its files (speedscope.app/file-format-schema.json): one profile for
 * each rank. Stacks are in the order of the tree, not of time, and each one occurs once. */
#include "profile/export-private.h"
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

static void
append_rank (GString *json, const ProfileExportTable *table, const ProfileExportStacks *stacks,
             guint index)
{
    g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, index);
    g_autofree double *seconds = g_new0 (double, stacks->stacks->len);
    GString *weights = g_string_new (NULL);
    g_autofree char *name = profile_model_format_rank (BASE_TEXT_ENGLISH, table->model, index);
    guint64 sum_us = 0;

    for (guint32 number = 0; number < table->n_contexts; number++) {
        seconds[stacks->stack_of[number]] += costs->seconds[number];
    }
    g_string_append_printf (
        json, "{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"microseconds\",\"samples\":[",
        name);
    for (guint32 i = 0; i < stacks->stacks->len; i++) {
        guint32 number = i == 0 ? 0 : stacks->order[i - 1];
        guint64 us = (guint64) llround (seconds[number] * G_USEC_PER_SEC);

        if (us > 0) {
            g_string_append (json, sum_us > 0 ? ",[" : "[");
            append_stack (json, stacks, number);
            g_string_append_c (json, ']');
            g_string_append_printf (weights, "%s%" G_GUINT64_FORMAT, sum_us > 0 ? "," : "", us);
            sum_us += us;
        }
    }
    g_string_append_printf (
        json, "],\"weights\":[%s],\"startValue\":0,\"endValue\":%" G_GUINT64_FORMAT "}",
        weights->str, sum_us);
    g_string_free (weights, TRUE);
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
        g_string_append (json, i > 0 ? ",\n" : "\n");
        append_rank (json, table, stacks, i);
    }
    g_string_append (json, "]}\n");
    ok = profile_text_save (path, json->str, json->len, error);
    g_string_free (json, TRUE);
    return ok;
}
