/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/summary.h"
#include "base/escape.h"
#include "profile/model/endings.h"
#include "profile/losses.h"
#include "profile/private.h"
#include "profile/view/efficiency.h"
#include "profile/waits.h"
#include <string.h>

#define N_LINES 3u
#define LEAST_SHARE 0.01 /* of the whole: less is not worth a word */
#define CROWDED 90.0     /* percent of the time with a processor below which it is said */
#define LEAST_QUEUED_S 0.1
#define LEAST_WHOLE 1.1 /* the longest rank, from which on a run is said to be longer */
#define LEAST_TIMES 1.2 /* the mean of all ranks */

/* ---- files ---- */

static gboolean
ends_alike (const char *path, const char *other, gsize n)
{
    gsize size = strlen (path), other_size = strlen (other);

    return other_size >= n && strcmp (path + size - n, other + other_size - n) == 0
           && (other_size == n || other[other_size - n - 1] == '/');
}

static gboolean
is_ambiguous (const ProfileModel *model, const char *path, const char *end)
{
    guint32 count = job_context_tree_get_count (model->tree);

    for (guint32 number = 1; number <= count; number++) {
        const char *file = job_context_tree_get (model->tree, number)->location.file;

        if (file != NULL && strcmp (file, path) != 0 && ends_alike (path, file, strlen (end))) {
            return TRUE;
        }
    }
    return FALSE;
}

char *
profile_dup_short_file (const ProfileModel *model, const char *path)
{
    const char *end = path + strlen (path);

    while (end > path) {
        end--;
        if (*end == '/' && end[1] != '\0' && !is_ambiguous (model, path, end + 1)) {
            return g_strdup (end + 1);
        }
    }
    return g_strdup (path);
}

/* ---- parts ---- */

static double
sum_class (const ProfileModel *model, guint class)
{
    return BASE_SUM (double, i, model->ranks->len, profile_model_get_class (model, i, class));
}

static double
sum_all (const ProfileModel *model)
{
    return BASE_SUM (double, i, JOB_N_CLASSES, sum_class (model, i));
}

char *
profile_format_classes (const ProfileModel *model)
{
    GString *text = g_string_new (NULL);
    gboolean was_told[JOB_N_CLASSES] = { FALSE };
    double total = sum_all (model);

    for (guint round = 0; round < JOB_N_CLASSES; round++) {
        guint largest = JOB_N_CLASSES;

        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            if (!was_told[class]
                && (largest == JOB_N_CLASSES
                    || sum_class (model, class) > sum_class (model, largest))) {
                largest = class;
            }
        }
        was_told[largest] = TRUE;
        if (sum_class (model, largest) > 0) {
            g_string_append_printf (text, "%s%s %.1f %%", text->len > 0 ? ", " : "",
                                    job_class_get_name (largest),
                                    100 * sum_class (model, largest) / total);
        }
    }
    return g_string_free (text, FALSE);
}

static void
append_place (GString *text, const ProfileModel *model, const JobLocation *place)
{
    g_autofree char *name = profile_efficiency_format_place (model, place);

    g_string_append (text, name);
}

static gboolean
append_dearest (GString *text, const ProfileModel *model, const char *what,
                const JobLocation *place, double seconds)
{
    double total = sum_all (model);

    if (seconds < LEAST_SHARE * total) {
        return FALSE;
    }
    if (what != NULL) {
        g_string_append_printf (text, ". The most expensive %s: ", what);
    } else {
        g_string_append (text, "; ");
    }
    append_place (text, model, place);
    g_string_append_printf (text, " %.1f %%", 100 * seconds / total);
    return TRUE;
}

/* A trace has the first line of each function, which is no place where anything was spent: functions have their own time. */
static void
append_functions (GString *text, const ProfileModel *model)
{
    g_autoptr (GPtrArray) functions = profile_functions_new (model);
    guint n = 0;

    for (guint i = 0; i < functions->len && n < N_LINES; i++) {
        const ProfileFunction *function = g_ptr_array_index (functions, i);

        if (profile_is_gap (&function->location)) {
            continue;
        }
        if (!append_dearest (text, model, n == 0 ? "functions (own time)" : NULL,
                             &function->location, function->self)) {
            break;
        }
        n++;
    }
}

static void
append_lines (GString *text, const ProfileModel *model)
{
    g_autoptr (GPtrArray) lines = profile_lines_new (model, FALSE);
    gboolean has_all = TRUE;

    for (guint i = 0; i < MIN (lines->len, N_LINES); i++) {
        has_all &= ((ProfileLine *) g_ptr_array_index (lines, i))->location.line > 0;
    }
    for (guint i = 0; i < MIN (lines->len, N_LINES); i++) {
        const ProfileLine *line = g_ptr_array_index (lines, i);
        const char *what = has_all && !profile_model_is_filled (model) ? "lines" : "places";

        if (!append_dearest (text, model, i == 0 ? what : NULL, &line->location, line->self)) {
            break;
        }
    }
}

typedef struct {
    double most, mean;
    guint index, n;
} Spread;

static Spread
get_spread (const ProfileModel *model, const double *seconds)
{
    Spread spread = { 0 };

    for (guint i = 0; i < model->ranks->len; i++) {
        if (profile_model_is_child (model, i)) {
            continue;
        }
        spread.n += profile_model_get_n_members (model, i);
        spread.mean += seconds[i];
        if (seconds[i] / profile_model_get_n_members (model, i) > spread.most) {
            spread.most = seconds[i] / profile_model_get_n_members (model, i);
            spread.index = i;
        }
    }
    spread.mean /= MAX (spread.n, 1);
    return spread;
}

/* "rank 3 computed for 8.1 s at work.py:12, 2.5 times the mean of 8 ranks"; NULL: none that is worth it. Caller
 * owns. */
static char *
format_imbalance (const ProfileModel *model)
{
    g_autoptr (GPtrArray) lines = profile_lines_new (model, TRUE);
    const ProfileLine *worst = NULL;
    Spread most = { 0 };
    GString *text;

    for (guint i = 0; i < lines->len; i++) {
        const ProfileLine *line = g_ptr_array_index (lines, i);
        Spread spread = get_spread (model, line->ranks);

        if (spread.most - spread.mean > most.most - most.mean) {
            most = spread;
            worst = line;
        }
    }
    if (worst == NULL || most.n < 2 || most.most < LEAST_TIMES * most.mean
        || (most.most - most.mean) * most.n < LEAST_SHARE * sum_all (model)) {
        return NULL;
    }
    text = g_string_new (NULL);
    g_string_printf (text, "rank %u computed for %.1f s in ",
                     profile_model_get_rank (model, most.index), most.most);
    append_place (text, model, &worst->location);
    g_string_append_printf (text, ", %.1f times the mean of %u ranks", most.most / most.mean,
                            most.n);
    return g_string_free (text, FALSE);
}

char *
profile_format_time (double seconds)
{
    return seconds >= 0.95   ? g_strdup_printf ("%.1f s", seconds)
           : seconds >= 0.01 ? g_strdup_printf ("%.2g s", seconds)
                             : g_strdup_printf ("%.2g ms", 1000 * seconds);
}

/* A number and what it is of. */
static void
append_count (GString *text, guint64 n, const char *one, const char *many)
{
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " %s", n, n == 1 ? one : many);
}

static void
append_head (GString *text, const ProfileModel *model)
{
    guint n_children = profile_model_get_n_children (model);
    guint n_ranks = 0;
    double longest = profile_model_get_longest (model), whole = profile_model_get_run (model);
    g_autofree char *time = NULL, *run = NULL;

    for (guint i = 0; i < model->ranks->len; i++) {
        n_ranks += profile_model_get_n_members (model, i);
    }
    append_count (text, n_ranks - n_children, "rank", "ranks");
    if (n_children > 0) {
        g_string_append (text, " and ");
        append_count (text, n_children, "child process", "child processes");
    }
    time = profile_format_time (longest);
    run = profile_format_time (whole);
    g_string_append_printf (text, ", %s", time);
    if (whole > LEAST_WHOLE * longest) {
        g_string_append_printf (text, " of a run of %s", run);
    }
    g_string_append (text, ", ");
    if (profile_model_is_traced (model)) {
        append_count (text, profile_model_get_n_calls (model), "call", "calls");
        g_string_append (text,
                         profile_model_is_filled (model) ? " and samples between them" : "");
    } else {
        append_count (text, profile_model_get_n_samples (model), "sample", "samples");
    }
    if (profile_model_get_n_dropped (model) > 0) {
        g_string_append_printf (text,
                                profile_model_is_traced (model)
                                    ? " (%s%" G_GUINT64_FORMAT " events lost)"
                                    : " (%s%" G_GUINT64_FORMAT " missed)",
                                profile_losses_get_bound (model),
                                profile_model_get_n_dropped (model));
    }
}

/* In s, since the rank was measured; 0: not known. */
static double
get_growth (const ProfileModel *model, guint index, JobMetric metric)
{
    const GArray *metrics = profile_samples_get_metrics (model, index);
    guint64 least = JOB_METRIC_UNKNOWN, most = 0;

    for (guint i = 0; i < metrics->len; i++) {
        guint64 value = g_array_index (metrics, JobMetrics, i).values[metric];

        least = MIN (least, value);
        most = value != JOB_METRIC_UNKNOWN ? MAX (most, value) : most;
    }
    return least != JOB_METRIC_UNKNOWN ? (double) (most - least) / G_USEC_PER_SEC : 0;
}

gboolean
profile_find_crowding (const ProfileModel *model, double *ret_share)
{
    double ran = 0, queued = 0;

    for (guint i = 0; i < model->ranks->len; i++) {
        ran += get_growth (model, i, JOB_METRIC_CPU);
        queued += get_growth (model, i, JOB_METRIC_QUEUED);
    }
    if (queued < LEAST_QUEUED_S) {
        return FALSE;
    }
    *ret_share = 100 * ran / (ran + queued);
    return *ret_share < CROWDED;
}

char *
profile_format_crowding (const ProfileModel *model)
{
    double share;

    if (!profile_find_crowding (model, &share)) {
        return NULL;
    }
    return g_strdup_printf ("Warning: the CPUs were oversubscribed. Ranks waited for a CPU "
                            "%.0f %% of the time they could run, so times above are too long",
                            100 - share);
}

/* The largest that any rank's memory was. */
static void
append_memory (GString *text, const ProfileModel *model)
{
    guint64 most = 0;
    guint worst = 0;

    for (guint i = 0; i < model->ranks->len; i++) {
        guint64 rss = profile_samples_find_most (model, i, JOB_METRIC_RSS);

        if (rss != JOB_METRIC_UNKNOWN && rss > most) {
            most = rss;
            worst = i;
        }
    }
    if (most > 0) {
        g_autofree char *size = g_format_size_full (most, G_FORMAT_SIZE_IEC_UNITS);
        g_autofree char *name = profile_model_format_rank (BASE_TEXT_ENGLISH, model, worst);

        g_string_append_printf (text, ". Peak memory: %s in %s", size, name);
    }
}

/* Where answers contradict each other, or samples came before they can have been taken. */
static void
append_clocks (GString *text, const ProfileModel *model)
{
    gpointer host, clock;

    BASE_WALK (model->clocks, &host, &clock) {
        gint64 us = profile_clock_get_corrected_us (clock);

        if (us > 0) {
            g_string_append_printf (text,
                                    ". The clock of %s has run backwards beside this host's, "
                                    "by up to %.3f s: the times of its ranks are corrected",
                                    (const char *) host, (double) us / G_USEC_PER_SEC);
        }
    }
}

char *
profile_format_summary (const ProfileModel *model)
{
    g_autofree char *classes = profile_format_classes (model);
    g_autofree char *imbalance = format_imbalance (model);
    g_autofree char *crowding = profile_format_crowding (model);
    g_autofree char *wait = profile_format_wait (model);
    g_autofree char *losses = profile_format_losses (model, BASE_TEXT_ENGLISH);
    g_autofree char *unrecorded = profile_format_unrecorded (model, BASE_TEXT_ENGLISH);
    g_autofree char *endings = profile_format_endings (model, BASE_TEXT_ENGLISH);
    g_autofree char *namesakes = profile_format_namesakes (model, BASE_TEXT_ENGLISH);
    GString *text = g_string_new (NULL);

    append_head (text, model);
    if (*classes != '\0') {
        g_string_append_printf (text, ": %s", classes);
        if (profile_model_is_traced (model) && !profile_model_is_filled (model)) {
            append_functions (text, model);
        } else {
            append_lines (text, model);
        }
    }
    if (imbalance != NULL) {
        g_string_append_printf (text, ". The worst imbalance: %s", imbalance);
    }
    if (wait != NULL) {
        g_string_append_printf (text, ". The longest wait: %s", wait);
    }
    append_memory (text, model);
    if (endings != NULL) {
        g_string_append_printf (text, ". %s", endings);
    }
    if (losses != NULL) {
        g_string_append_printf (text, ". %s", losses);
    }
    if (unrecorded != NULL) {
        g_string_append_printf (text, ". %s", unrecorded);
    }
    if (namesakes != NULL) {
        g_string_append_printf (text, ". %s", namesakes);
    }
    if (crowding != NULL) {
        g_string_append_printf (text, ". %s", crowding);
    }
    append_clocks (text, model);
    g_string_append_c (text, '.');
    return base_escape_take (g_string_free (text, FALSE), BASE_ESCAPE_KEEP_LINES);
}
