/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: how long both took, what their ranks did, and the functions that have changed most. */
#include "profile/comparison.h"
#include "profile/command.h"
#include "profile/model/endings.h"
#include "profile/losses.h"
#include "profile/report.h"
#include "profile/summary.h"
#include "profile/view/efficiency.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MAX_ROWS 30u
#define LEAST 0.001 /* share of the longer one's time below which a change is not shown */
#define DEVIATIONS 1.96

enum { BEFORE, NOW, N_SIDES };

typedef struct {
    const ProfileCompared *sides[N_SIDES];
    guint n_ranks[N_SIDES];               /* without child processes */
    double wall[N_SIDES], total[N_SIDES]; /* s; total: of all ranks and their children */
    double a_sample[N_SIDES];             /* s that one stands for; 0: calls were recorded */
    double classes[N_SIDES][JOB_N_CLASSES];
    BaseTextForm form;
    ProfilePage *page;
} Comparison;

/* A function of both, whose texts are one model's. */
typedef struct {
    JobLocation location; /* texts are a model's */
    const char *file;     /* without its folders */
    double self[N_SIDES];
} Row;

/* ---- what is compared ---- */

static void
read_side (Comparison *comparison, guint side, const ProfileCompared *compared)
{
    const ProfileModel *model = compared->model;
    guint n = profile_model_get_n_ranks (model);
    guint64 n_samples = profile_model_get_n_samples (model);

    comparison->sides[side] = compared;
    comparison->n_ranks[side] = n - profile_model_get_n_children (model);
    comparison->wall[side] = profile_model_get_longest (model);
    for (guint i = 0; i < n; i++) {
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            double seconds = profile_model_get_class (model, i, class);

            comparison->classes[side][class] += seconds;
            comparison->total[side] += seconds;
        }
    }
    if (!profile_model_is_traced (model) && n_samples > 0) {
        comparison->a_sample[side] = comparison->total[side] / (double) n_samples;
    }
}

static const char *
get_base (const char *path)
{
    const char *slash = path != NULL ? strrchr (path, '/') : NULL;

    return slash != NULL ? slash + 1 : path;
}

/* Code without a symbol is known by where it begins in its library. */
static char *
dup_key (const JobLocation *location)
{
    return location->function != NULL
               ? g_strdup_printf ("%s\n%s", location->function,
                                  location->file != NULL     ? get_base (location->file)
                                  : location->module != NULL ? location->module
                                                             : "")
               : g_strdup_printf ("\n%s\n%" G_GINT64_MODIFIER "x",
                                  location->module != NULL ? location->module : "",
                                  location->offset);
}

static void
add_side (const Comparison *comparison, guint side, GPtrArray *rows, GHashTable *known)
{
    g_autoptr (GPtrArray) functions = profile_functions_new (comparison->sides[side]->model);

    for (guint i = 0; i < functions->len; i++) {
        const ProfileFunction *function = g_ptr_array_index (functions, i);
        const JobLocation *location = &function->location;
        g_autofree char *key = dup_key (location);
        Row *row = g_hash_table_lookup (known, key);

        if (row == NULL) {
            row = g_new0 (Row, 1);
            row->location = *location;
            row->file = get_base (location->file);
            g_ptr_array_add (rows, row);
            g_hash_table_insert (known, g_steal_pointer (&key), row);
        }
        row->self[side] += function->self;
    }
}

static double
get_change (const Row *row)
{
    return row->self[NOW] - row->self[BEFORE];
}

static gint
compare_changes (gconstpointer a, gconstpointer b)
{
    double left = fabs (get_change (*(const Row *const *) a));
    double right = fabs (get_change (*(const Row *const *) b));

    return (left < right) - (left > right);
}

/* Half of the change's 95 % interval, in s: samples that fall into a function are counted like Poisson's. */
static double
get_chance (const Comparison *comparison, const double *seconds)
{
    return DEVIATIONS
           * sqrt (seconds[BEFORE] * comparison->a_sample[BEFORE]
                   + seconds[NOW] * comparison->a_sample[NOW]);
}

/* ---- the page ---- */

/* Takes the text. */
static void
add_sentence (Comparison *comparison, gboolean is_important, char *text)
{
    profile_page_add_text (comparison->page, text, is_important);
    g_free (text);
}

static const char *
get_word (const Comparison *comparison, const char *word)
{
    return comparison->form == BASE_TEXT_SHOWN && *word != '\0' ? gettext (word) : word;
}

static void
begin_table (Comparison *comparison, const ProfileColumn *columns, guint n_columns)
{
    g_autofree ProfileColumn *shown = g_memdup2 (columns, n_columns * sizeof *columns);

    for (guint i = 0; i < n_columns; i++) {
        shown[i].title = get_word (comparison, columns[i].title);
    }
    profile_page_begin_table (comparison->page, PROFILE_TABLE_PLAIN, shown, n_columns);
}

static void
add_first (Comparison *comparison)
{
    const double *wall = comparison->wall;
    const guint *ranks = comparison->n_ranks;
    double percent = wall[BEFORE] > 0 ? 100 * (wall[NOW] / wall[BEFORE] - 1) : 0;
    double faster = wall[NOW] > 0 ? wall[BEFORE] / wall[NOW] : 0;
    double growth = ranks[BEFORE] > 0 ? (double) ranks[NOW] / ranks[BEFORE] : 0;

    if (wall[BEFORE] <= 0 || wall[NOW] <= 0 || growth <= 0) {
        add_sentence (comparison, TRUE,
                      base_text_print (comparison->form, "One of them has measured nothing."));
    } else if (ranks[BEFORE] != ranks[NOW]) {
        add_sentence (
            comparison, TRUE,
            base_text_print (comparison->form,
                             "Ranks: %u, and %u before. Time: %.2f s, and %.2f s before.",
                             ranks[NOW], ranks[BEFORE], wall[NOW], wall[BEFORE]));
        add_sentence (
            comparison, FALSE,
            base_text_print (
                comparison->form,
                "If the problem is the same (strong scaling), that is %.2f times as fast with %.2f "
                "times the ranks: an efficiency of %.0f %%. If the problem has grown with the ranks "
                "(weak scaling), the efficiency is %.0f %%.",
                faster, growth, 100 * faster / growth, 100 * faster));
    } else if (fabs (percent) < 0.5) {
        add_sentence (comparison, TRUE,
                      base_text_print (comparison->form, "It took %.2f s, as long as before.",
                                       wall[NOW]));
    } else {
        add_sentence (comparison, TRUE,
                      base_text_print (
                          comparison->form,
                          percent < 0 ? N_ ("It took %.2f s, and %.2f s before: %.1f %% less.")
                                      : N_ ("It took %.2f s, and %.2f s before: %.1f %% more."),
                          wall[NOW], wall[BEFORE], fabs (percent)));
    }
}

/* What makes the numbers of a side less than they seem. */
static void
add_warnings (Comparison *comparison)
{
    for (guint side = 0; side < N_SIDES; side++) {
        const ProfileCompared *compared = comparison->sides[side];
        g_autofree char *losses = profile_format_losses (compared->model, comparison->form);
        g_autofree char *endings = profile_format_endings (compared->model, comparison->form);
        const char *texts[] = { profile_model_get_problem (compared->model, comparison->form),
                                endings, losses };
        double share;

        for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
            if (texts[i] != NULL) {
                add_sentence (comparison, TRUE,
                              g_strdup_printf ("%s: %s.", compared->name, texts[i]));
            }
        }
        if (profile_find_crowding (compared->model, &share)) {
            add_sentence (
                comparison, TRUE,
                base_text_print (
                    comparison->form,
                    "%s: the CPUs were oversubscribed. Its ranks waited for a CPU %.0f %% of "
                    "the time they could run, so its times are too long.",
                    compared->name, 100 - share));
        }
    }
    if (profile_model_is_traced (comparison->sides[BEFORE]->model)
        != profile_model_is_traced (comparison->sides[NOW]->model)) {
        add_sentence (
            comparison, TRUE,
            base_text_print (
                comparison->form,
                "One of them is a trace and the other a profile: recording makes functions "
                "that are called often seem slower."));
    }
}

static void
add_runs (Comparison *comparison)
{
    static const ProfileColumn columns[] = {
        { N_ ("Run"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Archive"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Ranks"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Wall time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Time of all ranks"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Command"), NULL, PROFILE_COLUMN_CODE, NULL },
    };
    static const char *const words[] = { N_ ("before"), N_ ("now") };

    begin_table (comparison, columns, G_N_ELEMENTS (columns));
    for (guint side = 0; side < N_SIDES; side++) {
        const ProfileCompared *compared = comparison->sides[side];
        g_autofree char *command
            = profile_command_tidy (profile_model_get_info (compared->model)->command);

        profile_page_add_cell (comparison->page, get_word (comparison, words[side]));
        profile_page_add_cell (comparison->page, compared->name);
        profile_page_add_count (comparison->page, comparison->n_ranks[side]);
        profile_page_add_number (comparison->page, comparison->wall[side], 2);
        profile_page_add_number (comparison->page, comparison->total[side], 3);
        profile_page_add_cell (comparison->page, command != NULL
                                                     ? command
                                                     : get_word (comparison, N_ ("not known")));
    }
}

static void
add_quantity (Comparison *comparison, const char *name, const double *values, guint digits)
{
    profile_page_add_cell (comparison->page, get_word (comparison, name));
    for (guint side = 0; side < N_SIDES; side++) {
        profile_page_add_number (comparison->page, values[side], digits);
    }
}

/* POP's efficiencies of a side, in percent; one rank waits for nobody. */
static void
find_efficiencies (const Comparison *comparison, guint side, double *parallel, double *balance,
                   double *communication)
{
    ProfileEfficiency all;

    parallel[side] = balance[side] = communication[side] = 100;
    if (profile_efficiency_find (comparison->sides[side]->model, &all)) {
        parallel[side] = 100 * all.useful_s / all.runtime_s;
        balance[side] = 100 * all.useful_s / all.most_s;
        communication[side] = 100 * all.most_s / all.runtime_s;
    }
}

/* The first one is what the second is measured by. */
static void
add_scaling (Comparison *comparison)
{
    static const ProfileColumn columns[] = {
        { N_ ("Scaling"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Before"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Now"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    const guint *ranks = comparison->n_ranks;
    const double *wall = comparison->wall;
    double counts[] = { ranks[BEFORE], ranks[NOW] };
    double speedup[] = { 1, wall[NOW] > 0 ? wall[BEFORE] / wall[NOW] : 0 };
    double strong[] = { 100, 0 }, weak[] = { 100, 100 * speedup[NOW] };
    double parallel[N_SIDES], balance[N_SIDES], communication[N_SIDES];

    if (ranks[BEFORE] == ranks[NOW] || ranks[BEFORE] == 0 || ranks[NOW] == 0
        || wall[BEFORE] <= 0 || wall[NOW] <= 0) {
        return;
    }
    strong[NOW] = 100 * speedup[NOW] * ranks[BEFORE] / ranks[NOW];
    for (guint side = 0; side < N_SIDES; side++) {
        find_efficiencies (comparison, side, parallel, balance, communication);
    }
    profile_page_begin_section (comparison->page, get_word (comparison, N_ ("Scaling")));
    begin_table (comparison, columns, G_N_ELEMENTS (columns));
    add_quantity (comparison, N_ ("Ranks"), counts, 0);
    add_quantity (comparison, N_ ("Wall time, s"), wall, 2);
    add_quantity (comparison, N_ ("Speedup"), speedup, 2);
    /* xgettext:no-c-format */
    add_quantity (comparison, N_ ("Efficiency, the same problem, %"), strong, 1);
    /* xgettext:no-c-format */
    add_quantity (comparison, N_ ("Efficiency, a problem grown with the ranks, %"), weak, 1);
    /* xgettext:no-c-format */
    add_quantity (comparison, N_ ("Parallel efficiency, %"), parallel, 1);
    /* xgettext:no-c-format */
    add_quantity (comparison, N_ ("Load balance, %"), balance, 1);
    /* xgettext:no-c-format */
    add_quantity (comparison, N_ ("Communication efficiency, %"), communication, 1);
}

/* Seconds of both, and what has become of them. A function without time of its own may have been there, too: no sample has
 * seen it, or a filter has left it out. */
static void
add_numbers (Comparison *comparison, const double *seconds)
{
    double change = seconds[NOW] - seconds[BEFORE];
    double chance = get_chance (comparison, seconds);

    profile_page_add_number (comparison->page, seconds[BEFORE], 3);
    profile_page_add_number (comparison->page, seconds[NOW], 3);
    profile_page_add_number (comparison->page, change, 3);
    if (seconds[BEFORE] > 0) {
        profile_page_add_number (comparison->page, 100 * change / seconds[BEFORE], 1);
    } else {
        profile_page_add_cell (comparison->page, "");
    }
    profile_page_add_cell (comparison->page,
                           get_word (comparison, fabs (change) <= chance ? N_ ("may be chance")
                                                 : seconds[BEFORE] <= 0  ? N_ ("only now")
                                                 : seconds[NOW] <= 0     ? N_ ("only before")
                                                                         : ""));
}

#define NUMBERS                                                                                \
    { N_ ("Before"), "s", PROFILE_COLUMN_NUMBER, NULL },                                       \
        { N_ ("Now"), "s", PROFILE_COLUMN_NUMBER, NULL },                                      \
        { N_ ("Change"), "s", PROFILE_COLUMN_NUMBER, NULL },                                   \
        { N_ ("Change"), "%", PROFILE_COLUMN_NUMBER, NULL },                                   \
    {                                                                                          \
        N_ ("Remark"), NULL, PROFILE_COLUMN_TEXT, NULL                                         \
    }

static void
add_classes (Comparison *comparison)
{
    static const ProfileColumn columns[]
        = { { N_ ("What the ranks did"), NULL, PROFILE_COLUMN_TEXT, NULL }, NUMBERS };

    profile_page_begin_section (comparison->page,
                                get_word (comparison, N_ ("Time of all ranks")));
    begin_table (comparison, columns, G_N_ELEMENTS (columns));
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        const double seconds[N_SIDES] = { comparison->classes[BEFORE][class],
                                          comparison->classes[NOW][class] };

        if (seconds[BEFORE] > 0 || seconds[NOW] > 0) {
            profile_page_add_cell (comparison->page,
                                   profile_report_get_class_title (comparison->form, class));
            add_numbers (comparison, seconds);
        }
    }
}

static void
add_functions (Comparison *comparison)
{
    static const ProfileColumn columns[] = { { N_ ("Function"), NULL, PROFILE_COLUMN_CODE,
                                               NULL },
                                             { N_ ("File"), NULL, PROFILE_COLUMN_CODE, NULL },
                                             NUMBERS };
    g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);
    double least = LEAST * MAX (comparison->total[BEFORE], comparison->total[NOW]);
    guint n_left_out = 0;

    add_side (comparison, BEFORE, rows, known);
    add_side (comparison, NOW, rows, known);
    g_ptr_array_sort (rows, compare_changes);
    profile_page_begin_section (comparison->page,
                                get_word (comparison,
                                          N_ ("Functions by the change of their own time")));
    begin_table (comparison, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = g_ptr_array_index (rows, i);
        g_autofree char *name = profile_dup_name (&row->location);

        if (i >= MAX_ROWS || fabs (get_change (row)) < least) {
            n_left_out += row->self[BEFORE] > 0 || row->self[NOW] > 0;
            continue;
        }
        profile_page_add_cell (comparison->page, name);
        profile_page_add_cell (comparison->page, row->file != NULL ? row->file
                                                 : row->location.module != NULL
                                                     ? row->location.module
                                                     : "");
        add_numbers (comparison, row->self);
    }
    if (n_left_out > 0) {
        add_sentence (comparison, FALSE,
                      base_text_print_plural (
                          comparison->form, "%u function that has changed less is left out.",
                          "%u functions that have changed less are left out.", n_left_out,
                          n_left_out));
    }
}

ProfilePage *
profile_comparison_new (const ProfileCompared *before, const ProfileCompared *now,
                        BaseTextForm form)
{
    Comparison comparison = { .form = form };
    g_autofree char *title = base_text_print (form, "%s compared with %s", now->name,
                                              before->name);

    comparison.page = profile_page_new (title);
    read_side (&comparison, BEFORE, before);
    read_side (&comparison, NOW, now);
    add_first (&comparison);
    add_warnings (&comparison);
    add_runs (&comparison);
    add_scaling (&comparison);
    add_classes (&comparison);
    add_functions (&comparison);
    return comparison.page;
}
