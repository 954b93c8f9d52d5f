/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of calls for Graphviz: what cost more is redder, what cost next to nothing is left
 * out. */
#include "profile/export/private.h"
#include <math.h>

#define LEAST_FUNCTION 0.005 /* share of the whole */
#define LEAST_CALL 0.001

/* From the blue of nothing to the red of everything: hue, saturation and value as dot reads them. */
static void
append_colour (GString *dot, double share)
{
    double hue = (1 - share) * 2 / 3, strength = 0.8 + 0.2 * share;

    g_string_append_c (dot, '"');
    profile_text_append_number (dot, hue, 3);
    g_string_append_c (dot, ' ');
    profile_text_append_number (dot, strength, 3);
    g_string_append_c (dot, ' ');
    profile_text_append_number (dot, 0.45 + 0.5 * sqrt (share), 3);
    g_string_append_c (dot, '"');
}

/* Inside quotes; neither a backslash nor an ampersand of the name may begin an escape of dot's. */
static void
append_text (GString *dot, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            g_string_append_c (dot, '\\');
        }
        if (*text == '&') {
            g_string_append (dot, "&amp;");
        } else {
            g_string_append_c (dot, *text);
        }
    }
}

static void
append_share (GString *dot, double share)
{
    profile_text_append_number (dot, 100 * share, 2);
    g_string_append_c (dot, '%');
}

static void
append_function (GString *dot, const ProfileExportFunction *function, guint32 number,
                 const ProfileExportCost *cost, double total, const char *unit)
{
    g_autofree char *file = g_path_get_basename (function->file);
    double share = CLAMP (cost->total / total, 0, 1);

    g_string_append_printf (dot, "  n%u [label=\"", number);
    if (*function->file != '\0') {
        append_text (dot, file);
        g_string_append_c (dot, ':');
    }
    append_text (dot, function->name);
    g_string_append (dot, "\\n");
    append_share (dot, share);
    g_string_append (dot, "\\n(");
    append_share (dot, cost->self / total);
    g_string_append_printf (dot, ")\\n%" G_GUINT64_FORMAT " %s\", fillcolor=", cost->n_total,
                            unit);
    append_colour (dot, share);
    g_string_append (dot, ", color=");
    append_colour (dot, share);
    g_string_append_printf (dot, ", fontcolor=\"%s\"];\n",
                            share > 0.3 && share < 0.8 ? "black" : "white");
}

static void
append_call (GString *dot, const ProfileExportCall *call, const ProfileExportCost *cost,
             double total, const char *unit)
{
    double share = CLAMP (cost->total / total, 0, 1);

    g_string_append_printf (dot, "  n%u -> n%u [label=\"", call->caller, call->callee);
    append_share (dot, share);
    g_string_append_printf (dot, "\\n%" G_GUINT64_FORMAT " %s\", color=", cost->n_total, unit);
    append_colour (dot, share);
    g_string_append (dot, ", fontcolor=");
    append_colour (dot, share);
    g_string_append (dot, ", penwidth=");
    profile_text_append_number (dot, 0.5 + 3.5 * sqrt (share), 2);
    g_string_append (dot, "];\n");
}

gboolean
profile_export_dot (const ProfileExportTable *table, const char *path, GError **error)
{
    g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, PROFILE_ALL_RANKS);
    double total = MAX (costs->total, 1e-9);
    const char *unit = table->is_traced ? "calls" : "samples";
    GString *dot = g_string_new (
        "digraph profile {\n"
        "  // percentages: of the time of all ranks; in brackets: the function's own\n"
        "  graph [fontname=Arial, nodesep=0.125, ranksep=0.25];\n"
        "  node [fontname=Arial, shape=box, style=filled, height=0, width=0, fontsize=10];\n"
        "  edge [fontname=Arial, fontsize=10];\n");
    gboolean ok;

    for (guint32 i = 0; i < table->functions->len; i++) {
        if (costs->functions[i].total >= LEAST_FUNCTION * total) {
            append_function (dot, profile_export_table_get (table, i), i, &costs->functions[i],
                             total, unit);
        }
    }
    for (guint32 i = 0; i < table->calls->len; i++) {
        const ProfileExportCall *call = &g_array_index (table->calls, ProfileExportCall, i);

        if (costs->calls[i].total >= LEAST_CALL * total
            && costs->functions[call->caller].total >= LEAST_FUNCTION * total
            && costs->functions[call->callee].total >= LEAST_FUNCTION * total) {
            append_call (dot, call, &costs->calls[i], total, unit);
        }
    }
    g_string_append (dot, "}\n");
    ok = profile_text_save (path, dot->str, dot->len, error);
    g_string_free (dot, TRUE);
    return ok;
}
