/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a profile and their calls, each once, and what they have cost one rank or all. */
#include "profile/export/private.h"
#include "base/array.h"
#include "base/hash.h"
#include <string.h>

BASE_FREE (free_function, ProfileExportFunction, function, g_free (function->name);
           g_free (function->file); g_free (function->short_name))

/* "Solver.step" is "step", "main.<locals>.<lambda>" is "<lambda>". */
static const char *
find_short_name (const ProfileExportFunction *function)
{
    const char *dot = function->language == JOB_LANGUAGE_PYTHON ? strrchr (function->name, '.')
                                                                : NULL;

    return dot != NULL && dot[1] != '\0' ? dot + 1 : function->name;
}

static ProfileExportFunction *
make_function (const JobContext *context)
{
    const JobLocation *location = &context->location;
    g_autofree char *marks = job_frame_format_marks (BASE_TEXT_ENGLISH,
                                                     context->flags & JOB_FRAME_SAMPLED),
                    *plain = NULL, *raw = profile_dup_name (location);
    ProfileExportFunction *function = g_new0 (ProfileExportFunction, 1);
    const char *file = location->file != NULL ? location->file : location->module;

    function->name = g_utf8_make_valid (raw, -1);
    function->file = file != NULL ? g_utf8_make_valid (file, -1) : g_strdup ("");
    function->language = location->language;
    function->short_name = g_strconcat (find_short_name (function), marks, NULL);
    plain = g_steal_pointer (&function->name);
    function->name = g_strconcat (plain, marks, NULL);
    return function;
}

guint
profile_export_hash_pair (gconstpointer key)
{
    return (guint) base_hash_word (0, *(const guint64 *) key);
}

/* The number of the function of this name in this file; where its calls were recorded also of this line. */
static guint32
find_function (ProfileExportTable *table, GHashTable *numbers, const JobContext *context)
{
    ProfileExportFunction *function = make_function (context);
    gboolean is_recorded = table->is_traced && (context->flags & JOB_FRAME_SAMPLED) == 0;
    guint32 line = is_recorded ? context->location.line : 0;
    g_autofree char *key = g_strdup_printf ("%s\n%s\n%u", function->name, function->file, line);
    gpointer known;

    function->line = line;

    if (g_hash_table_lookup_extended (numbers, key, NULL, &known)) {
        free_function (function);
        return GPOINTER_TO_UINT (known);
    }
    g_hash_table_insert (numbers, g_steal_pointer (&key),
                         GUINT_TO_POINTER (table->functions->len));
    g_ptr_array_add (table->functions, function);
    return table->functions->len - 1;
}

static guint32
find_call (ProfileExportTable *table, GHashTable *numbers, guint32 caller, guint32 callee)
{
    guint64 key = (guint64) caller << 32 | callee;
    gpointer known = g_hash_table_lookup (numbers, &key);
    ProfileExportCall call = { caller, callee };

    if (known != NULL) {
        return GPOINTER_TO_UINT (known) - 1;
    }
    g_array_append_val (table->calls, call);
    g_hash_table_insert (numbers, g_memdup2 (&key, sizeof key),
                         GUINT_TO_POINTER (table->calls->len));
    return table->calls->len - 1;
}

static void
find_calls (ProfileExportTable *table)
{
    g_autoptr (GHashTable) numbers = g_hash_table_new_full (profile_export_hash_pair,
                                                            g_int64_equal, g_free, NULL);

    table->call_of[0] = PROFILE_NO_CALL;
    for (guint32 number = 1; number < table->n_contexts; number++) {
        guint32 parent = job_context_tree_get (table->contexts, number)->parent;

        table->call_of[number] = parent == 0
                                     ? PROFILE_NO_CALL
                                     : find_call (table, numbers, table->function_of[parent],
                                                  table->function_of[number]);
    }
}

/* Of functions without own time, the line that most of the time was called from. */
static void
find_lines (ProfileExportTable *table)
{
    g_autofree double *own = g_new0 (double, table->n_contexts);
    g_autofree guint64 *samples = g_new0 (guint64, table->n_contexts);
    g_autofree double *whole = g_new0 (double, table->n_contexts);
    g_autofree guint32 *best = g_new0 (guint32, table->functions->len);

    for (guint i = 0; i < profile_model_get_n_ranks (table->model); i++) {
        profile_model_add_self (table->model, i, own, samples);
    }
    for (guint32 number = table->n_contexts - 1; number > 0; number--) {
        whole[number] += own[number];
        whole[job_context_tree_get (table->contexts, number)->parent] += whole[number];
    }
    for (guint32 number = 1; number < table->n_contexts; number++) {
        guint32 *known = &best[table->function_of[number]];
        ProfileExportFunction *function = g_ptr_array_index (table->functions,
                                                             table->function_of[number]);

        if (*known == 0 || own[number] > own[*known]
            || (own[number] >= own[*known] && whole[number] > whole[*known])) {
            *known = number;
            function->line = job_context_tree_get (table->contexts, number)->location.line;
        }
    }
}

ProfileExportTable *
profile_export_table_new (const ProfileModel *model)
{
    static const JobContext unknown = { .location.function = (char *) "(unreadable stack)" };
    ProfileExportTable *table = g_new0 (ProfileExportTable, 1);
    g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                            NULL);

    table->model = model;
    table->is_traced = profile_model_is_traced (model);
    table->contexts = profile_model_get_contexts (model);
    table->n_contexts = job_context_tree_get_count (table->contexts) + 1;
    table->functions = g_ptr_array_new_with_free_func (free_function);
    table->function_of = g_new0 (guint32, table->n_contexts);
    table->calls = g_array_new (FALSE, FALSE, sizeof (ProfileExportCall));
    table->call_of = g_new0 (guint32, table->n_contexts);
    find_function (table, numbers, &unknown);
    for (guint32 number = 1; number < table->n_contexts; number++) {
        const JobContext *context = job_context_tree_get (table->contexts, number);

        table->function_of[number] = find_function (table, numbers, context);
    }
    find_calls (table);
    if (!table->is_traced || profile_model_is_filled (model)) {
        find_lines (table);
    }
    return table;
}

BASE_FREE_PUBLIC (profile_export_table_free, ProfileExportTable, table,
                  g_ptr_array_unref (table->functions);
                  g_array_unref (table->calls); g_free (table->function_of);
                  g_free (table->call_of))

const ProfileExportFunction *
profile_export_table_get (const ProfileExportTable *table, guint32 function)
{
    return g_ptr_array_index (table->functions, function);
}

/* ---- what they have cost ---- */

static void
add_cost (ProfileExportCost *cost, double seconds, guint64 samples, gboolean is_own)
{
    cost->total += seconds;
    cost->n_total += samples;
    cost->n_primitive += samples;
    if (is_own) {
        cost->self += seconds;
        cost->n_self += samples;
    } else {
        cost->n_inner += samples;
    }
}

/* Of one stack; seen: the stack for which a function, or a call, was counted last. */
static void
add_stack (const ProfileExportTable *table, ProfileExportCosts *costs, guint32 number,
           guint32 *seen, guint32 *seen_calls)
{
    double seconds = costs->seconds[number];
    guint64 samples = costs->samples[number];

    for (guint32 at = number; at != 0;
         at = job_context_tree_get (table->contexts, at)->parent) {
        guint32 function = table->function_of[at], call = table->call_of[at];

        if (seen[function] != number) {
            seen[function] = number;
            add_cost (&costs->functions[function], seconds, samples, at == number);
        }
        if (call != PROFILE_NO_CALL && seen_calls[call] != number) {
            seen_calls[call] = number;
            add_cost (&costs->calls[call], seconds, samples, at == number);
        }
    }
}

/* No call further out in the stack is of the same function (of: function_of), or between the same two (call_of). */
static gboolean
is_outermost (const ProfileExportTable *table, const guint32 *of, guint32 number)
{
    guint32 at = number;

    do {
        at = job_context_tree_get (table->contexts, at)->parent;
    } while (at != 0 && of[at] != of[number]);
    return at == 0;
}

static void
add_calls (ProfileExportCost *cost, double self, double total, guint64 calls,
           gboolean is_primitive)
{
    cost->self += self;
    cost->n_total += calls;
    if (is_primitive) {
        cost->total += total;
        cost->n_primitive += calls;
    }
}

/* Of a trace: the numbers that cProfile has. */
static void
count_calls (const ProfileExportTable *table, ProfileExportCosts *costs, const guint64 *calls)
{
    g_autofree double *total = g_memdup2 (costs->seconds, table->n_contexts * sizeof (double));

    for (guint32 number = table->n_contexts - 1; number > 0; number--) {
        guint32 parent = job_context_tree_get (table->contexts, number)->parent;

        total[parent] += total[number];
        costs->functions[table->function_of[parent]].n_inner += parent != 0 ? calls[number] : 0;
    }
    for (guint32 number = 1; number < table->n_contexts; number++) {
        guint32 call = table->call_of[number];

        add_calls (&costs->functions[table->function_of[number]], costs->seconds[number],
                   total[number], calls[number],
                   is_outermost (table, table->function_of, number));
        if (call != PROFILE_NO_CALL) {
            add_calls (&costs->calls[call], costs->seconds[number], total[number],
                       calls[number], is_outermost (table, table->call_of, number));
        }
    }
}

static void
count_samples (const ProfileExportTable *table, ProfileExportCosts *costs)
{
    g_autofree guint32 *seen = g_new0 (guint32, table->functions->len);
    g_autofree guint32 *seen_calls = g_new0 (guint32, table->calls->len + 1);

    add_cost (&costs->functions[0], costs->seconds[0], costs->samples[0], TRUE);
    for (guint32 number = 0; number < table->n_contexts; number++) {
        if (costs->samples[number] > 0) {
            add_stack (table, costs, number, seen, seen_calls);
        }
    }
}

static void
add_counts (const ProfileExportTable *table, ProfileExportCosts *costs, guint index)
{
    g_autofree JobCounts *own = g_new0 (JobCounts, table->n_contexts);
    guint n_ranks = profile_model_get_n_ranks (table->model);

    costs->counts = g_new0 (JobCounts, table->functions->len);
    costs->counted = index == PROFILE_ALL_RANKS
                         ? profile_counts_get_known (table->model)
                         : profile_counts_get_known_of (table->model, index);
    for (guint i = 0; costs->counted != 0 && i < n_ranks; i++) {
        if (index == PROFILE_ALL_RANKS || index == i) {
            profile_counts_add (table->model, i, own);
        }
    }
    for (guint32 number = 0; number < table->n_contexts; number++) {
        job_counts_add (&costs->counts[table->function_of[number]], &own[number]);
    }
}

ProfileExportCosts *
profile_export_costs_new (const ProfileExportTable *table, guint index)
{
    ProfileExportCosts *costs = g_new0 (ProfileExportCosts, 1);
    g_autofree guint64 *calls = g_new0 (guint64, table->n_contexts);
    guint n_ranks = profile_model_get_n_ranks (table->model);

    costs->seconds = g_new0 (double, table->n_contexts);
    costs->samples = g_new0 (guint64, table->n_contexts);
    costs->functions = g_new0 (ProfileExportCost, table->functions->len);
    costs->calls = g_new0 (ProfileExportCost, table->calls->len + 1);
    for (guint i = 0; i < n_ranks; i++) {
        if (index == PROFILE_ALL_RANKS || index == i) {
            profile_model_add_self (table->model, i, costs->seconds, costs->samples);
            profile_model_add_calls (table->model, i, calls);
        }
    }
    for (guint32 number = 0; number < table->n_contexts; number++) {
        costs->total += costs->seconds[number];
        costs->n_samples += table->is_traced ? calls[number] : costs->samples[number];
    }
    if (table->is_traced) {
        count_calls (table, costs, calls);
    } else {
        count_samples (table, costs);
        add_counts (table, costs, index);
    }
    return costs;
}

BASE_FREE_PUBLIC (profile_export_costs_free, ProfileExportCosts, costs, g_free (costs->seconds);
                  g_free (costs->samples); g_free (costs->counts); g_free (costs->functions);
                  g_free (costs->calls))
