/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the program the time went: functions, lines and calls of MPI. */
#include "profile/counts.h"
#include "profile/exact-lines.h"
#include "profile/losses.h"
#include "profile/private.h"
#include "profile/report/private.h"
#include <string.h>

#define MAX_ROWS 20u
#define LEAST 0.001 /* share of the whole below which nothing is shown */

/* One line of the program, or one call of MPI. */
typedef struct {
    const JobLocation *location;
    double self;
    double *ranks; /* of each */
    guint64 calls; /* that were recorded */
    JobCounts counts;
} Place;

static void
free_place (gpointer data)
{
    g_free (((Place *) data)->ranks);
    g_free (data);
}

BASE_ORDER_POINTERS (compare_places, Place, BASE_BY_DOWN (self))

/* Texts are those of one tree, where equal ones are the same. */
static guint
hash_line (gconstpointer key)
{
    const JobLocation *location = key;

    return g_direct_hash (location->file) * 31 + location->line;
}

static gboolean
equal_lines (gconstpointer a, gconstpointer b)
{
    const JobLocation *left = a, *right = b;

    return left->file == right->file && left->line == right->line
           && left->function == right->function;
}

static const char *
skip_p (const char *function)
{
    return function != NULL && g_str_has_prefix (function, "PMPI_") ? function + 1 : function;
}

static guint
hash_call (gconstpointer key)
{
    return g_str_hash (skip_p (((const JobLocation *) key)->function));
}

static gboolean
equal_calls (gconstpointer a, gconstpointer b)
{
    return g_strcmp0 (skip_p (((const JobLocation *) a)->function),
                      skip_p (((const JobLocation *) b)->function))
           == 0; /* a function without a name calls MPI, too */
}

/* What one context has cost itself belongs to the place that `find` names, which may be NULL. Of
 * Place, the most expensive first; caller owns. */
static GPtrArray *
sum_places (const ProfileModel *model, GHashFunc hash, GEqualFunc equal,
            const JobLocation *(*find) (const JobContextTree *tree, guint32 number))
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    guint32 n = job_context_tree_get_count (tree) + 1;
    guint n_ranks = profile_model_get_n_ranks (model);
    GPtrArray *places = g_ptr_array_new_with_free_func (free_place);
    g_autoptr (GHashTable) known = g_hash_table_new (hash, equal);
    g_autofree Place **by_number = g_new0 (Place *, n);

    for (guint32 number = 1; number < n; number++) {
        const JobLocation *location = find (tree, number);
        Place *place = location != NULL ? g_hash_table_lookup (known, location) : NULL;

        if (location != NULL && place == NULL) {
            place = g_new0 (Place, 1);
            place->location = location;
            place->ranks = g_new0 (double, n_ranks);
            g_hash_table_insert (known, (gpointer) location, place);
            g_ptr_array_add (places, place);
        }
        by_number[number] = place;
    }
    for (guint i = 0; i < n_ranks; i++) {
        g_autofree double *seconds = g_new0 (double, n);
        g_autofree guint64 *samples = g_new0 (guint64, n), *calls = g_new0 (guint64, n);
        g_autofree JobCounts *counts = g_new0 (JobCounts, n);

        profile_counts_add (model, i, counts);
        profile_model_add_self (model, i, seconds, samples);
        profile_model_add_calls (model, i, calls);
        for (guint32 number = 1; number < n; number++) {
            if (by_number[number] != NULL) {
                by_number[number]->self += seconds[number];
                by_number[number]->ranks[i] += seconds[number];
                job_counts_add (&by_number[number]->counts, &counts[number]);
                by_number[number]->calls
                    += equal (by_number[number]->location,
                              &job_context_tree_get (tree, number)->location)
                           ? calls[number]
                           : 0; /* what it has called is no call of it */
            }
        }
    }
    g_ptr_array_sort (places, compare_places);
    return places;
}

/* ---- texts ---- */

/* "FILE:LINE", or the file alone, or its library. Of a file, what tells it apart from the others. */
static char *
format_place (const ProfileReport *report, const JobLocation *location)
{
    const JobContextTree *tree = profile_model_get_contexts (report->model);
    g_autofree char *name = NULL, *line = NULL;

    if (location->file == NULL) {
        return g_strdup (location->module != NULL ? location->module : "");
    }
    name = g_path_get_basename (location->file);
    line = location->line > 0 ? g_strdup_printf (":%u", location->line) : g_strdup ("");
    for (guint32 number = 1; number <= job_context_tree_get_count (tree); number++) {
        const char *other = job_context_tree_get (tree, number)->location.file;
        const char *slash = other != NULL && other != location->file ? strrchr (other, '/')
                                                                     : NULL;

        if (slash != NULL && strcmp (slash + 1, name) == 0) {
            return g_strconcat (location->file, line, NULL);
        }
    }
    return g_strconcat (name, line, NULL);
}

/* ---- figures ---- */

static void
add_figure_columns (ProfileColumn *to)
{
    for (guint figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        const ProfileFigureText *text = profile_figure_get_text (figure);

        to[figure] = (ProfileColumn){ text->title, text->unit, PROFILE_COLUMN_NUMBER, NULL };
    }
}

static gboolean
has_figures (guint32 known)
{
    gboolean found = FALSE;

    for (guint figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        found |= profile_figure_is_known (figure, known);
    }
    return found;
}

static void
add_figures (ProfileReport *report, guint32 known, const JobCounts *counts)
{
    for (guint figure = 0; figure < PROFILE_N_FIGURES; figure++) {
        double value;

        if (profile_figure_find (figure, known, counts, &value)) {
            profile_page_add_number (report->page, value, profile_figure_get_digits (figure));
        } else {
            profile_page_add_cell (report->page, NULL);
        }
    }
}

/* ---- functions ---- */

/* Function (JobLocation) to the number of its calls (guint64). */
static GHashTable *
count_calls (const ProfileModel *model)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    guint32 n = job_context_tree_get_count (tree) + 1;
    g_autofree guint64 *calls = g_new0 (guint64, n);
    GHashTable *sums = g_hash_table_new_full (profile_hash_function, profile_equal_functions,
                                              NULL, g_free);

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        profile_model_add_calls (model, i, calls);
    }
    for (guint32 number = 1; number < n; number++) {
        const JobLocation *location = &job_context_tree_get (tree, number)->location;
        guint64 *sum = g_hash_table_lookup (sums, location);

        if (sum == NULL) {
            sum = g_new0 (guint64, 1);
            g_hash_table_insert (sums, (gpointer) location, sum);
        }
        *sum += calls[number];
    }
    return sums;
}

/* Of what samples have seen between them, nobody has counted any. */
static void
add_count (ProfilePage *page, guint64 n, guint32 flags)
{
    if (n == 0 && (flags & JOB_FRAME_SAMPLED) != 0) {
        profile_page_add_cell (page, NULL);
    } else {
        profile_page_add_count (page, n);
    }
}

/* Those that are worth a row, the first of the list. */
static guint
count_shown (const ProfileReport *report, const GPtrArray *functions)
{
    guint n = 0;

    while (n < MIN (functions->len, MAX_ROWS)) {
        const ProfileFunction *function = g_ptr_array_index (functions, n);

        if (function->self < LEAST * report->total || function->self <= 0) {
            break;
        }
        n++;
    }
    return n;
}

static void
add_function_name (ProfileReport *report, const ProfileFunction *function)
{
    g_autofree char *marks = job_frame_format_marks (BASE_TEXT_ENGLISH,
                                                     function->flags & JOB_FRAME_SAMPLED);
    g_autofree char *plain = profile_dup_name (&function->location);
    g_autofree char *name = g_strconcat (plain, marks, NULL);

    profile_page_add_cell (report->page, name);
}

/* In a table of its own: one with all columns is too wide for a page. */
static void
add_function_figures (ProfileReport *report, const GPtrArray *functions)
{
    ProfileColumn columns[2 + PROFILE_N_FIGURES] = {
        { N_ ("Function"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Own time"), "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    guint32 known = profile_counts_get_known (report->model);
    guint n = has_figures (known) ? count_shown (report, functions) : 0;

    if (n > 0) {
        add_figure_columns (columns + 2);
        profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns,
                                    G_N_ELEMENTS (columns));
    }
    for (guint i = 0; i < n; i++) {
        const ProfileFunction *function = g_ptr_array_index (functions, i);

        add_function_name (report, function);
        profile_page_add_number (report->page, function->self, 3);
        add_figures (report, known, &function->counts);
    }
}

void
profile_report_add_functions (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Function"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Place"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Own time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Own"), "%", PROFILE_COLUMN_SHARE, NULL },
        { N_ ("Total time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Total"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Imbalance"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Calls"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autoptr (GPtrArray) functions = profile_functions_new (report->model);
    g_autoptr (GHashTable) calls = report->has_calls ? count_calls (report->model) : NULL;

    profile_report_begin_section (report, N_ ("Functions"));
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns,
                                G_N_ELEMENTS (columns) - (report->has_calls ? 0 : 1));
    for (guint i = 0; i < count_shown (report, functions); i++) {
        const ProfileFunction *function = g_ptr_array_index (functions, i);
        g_autofree char *place = format_place (report, &function->location);

        add_function_name (report, function);
        profile_page_add_cell (report->page, place);
        profile_page_add_number (report->page, function->self, 3);
        profile_page_add_number (report->page,
                                 profile_report_get_share (report, function->self), 1);
        profile_page_add_number (report->page, function->total, 3);
        profile_page_add_number (report->page,
                                 profile_report_get_share (report, function->total), 1);
        profile_page_add_number (report->page,
                                 profile_report_get_imbalance (report, function->ranks), 1);
        if (report->has_calls) {
            const guint64 *n = g_hash_table_lookup (calls, &function->location);

            add_count (report->page, n != NULL ? *n : 0, function->flags);
        }
    }
    add_function_figures (report, functions);
}

/* The innermost line of the program's own code; what it has called in libraries is its time. */
static const JobLocation *
find_line (const JobContextTree *tree, guint32 number)
{
    guint32 line = profile_find_line (tree, number);

    return line != 0 ? &job_context_tree_get (tree, line)->location : NULL;
}

/* What one line has had in all ranks. */
typedef struct {
    const ProfileExactLine *line;
    guint64 hits, ns;
} Hits;

BASE_ORDER_POINTERS (compare_hits, Hits, BASE_BY_DOWN (ns))

static GPtrArray *
sum_hits (const GPtrArray *lines)
{
    GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);

    for (guint i = 0; i < lines->len; i++) {
        const ProfileExactLine *line = g_ptr_array_index (lines, i);
        g_autofree char *key = g_strdup_printf ("%s\n%s\n%u %u", line->file, line->name,
                                                line->first, line->line);
        Hits *hits = g_hash_table_lookup (known, key);

        if (hits == NULL) {
            hits = g_new0 (Hits, 1);
            hits->line = line;
            g_hash_table_insert (known, g_steal_pointer (&key), hits);
            g_ptr_array_add (list, hits);
        }
        hits->hits += line->hits;
        hits->ns += line->ns;
    }
    g_ptr_array_sort (list, compare_hits);
    return list;
}

/* A trace has the lines that --lines and @profile have counted. */
static void
add_exact_lines (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Line"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Function"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Hits"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Time of a hit"), "µs", PROFILE_COLUMN_NUMBER, NULL },
    };
    const GPtrArray *lines = report->model->exact_lines;
    g_autoptr (GPtrArray) list = NULL;

    if (lines == NULL || lines->len == 0) {
        return;
    }
    list = sum_hits (lines);
    profile_report_begin_section (report, N_ ("Lines"));
    profile_report_add_text (report,
                             N_ ("Lines that --lines or @profile have counted in all ranks, "
                                 "with the time of all that they have called."),
                             FALSE);
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (list->len, MAX_ROWS); i++) {
        const Hits *hits = g_ptr_array_index (list, i);
        g_autofree char *file = g_path_get_basename (hits->line->file);
        g_autofree char *place = g_strdup_printf ("%s:%u", file, hits->line->line);

        profile_page_add_cell (report->page, place);
        profile_page_add_cell (report->page, hits->line->name);
        profile_page_add_count (report->page, hits->hits);
        profile_page_add_number (report->page, (double) hits->ns / 1e9, 3);
        profile_page_add_number (report->page,
                                 (double) hits->ns / 1e3 / (double) MAX (hits->hits, 1), 3);
    }
}

/* What the figures of lines are worth. */
static void
explain_figures (ProfileReport *report, guint32 known)
{
    JobCount count = known & 1u << JOB_COUNT_INSTRUCTIONS ? JOB_COUNT_INSTRUCTIONS
                                                          : JOB_COUNT_FAULTS;
    double missing;

    if (known == 0) {
        return;
    }
    profile_report_add_text (
        report,
        N_ ("Counters of lines are estimates: what a thread has counted between two samples belongs to the line of "
            "the second one. Lines that take turns faster than samples come have the mean of all of them."),
        FALSE);
    if (profile_counts_find_missing (report->model, count, &missing)) {
        /* Translators: the first is "Instructions" or "Page faults". */
        g_autofree char *text = base_text_print (
            report->form,
            N_ ("%s that belong to no line, since they came before the first sample of "
                "a thread or after its last one: %.1f %%."),
            profile_report_get_word (report, count == JOB_COUNT_FAULTS ? N_ ("Page faults")
                                                                       : N_ ("Instructions")),
            100 * missing);

        profile_page_add_text (report->page, text, FALSE);
    }
}

static void
add_sampled_lines (ProfileReport *report)
{
    ProfileColumn columns[5 + PROFILE_N_FIGURES] = {
        { N_ ("Line"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Function"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Share"), "%", PROFILE_COLUMN_SHARE, NULL },
        { N_ ("Imbalance"), "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autoptr (GPtrArray) lines = sum_places (report->model, hash_line, equal_lines, find_line);
    guint32 known = profile_counts_get_known (report->model);

    profile_report_begin_section (report, N_ ("Lines"));
    profile_report_add_text (
        report,
        N_ ("Lines of the program itself, with the time that they spent in "
            "libraries and in MPI."),
        FALSE);
    add_figure_columns (columns + 5);
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (lines->len, MAX_ROWS); i++) {
        const Place *line = g_ptr_array_index (lines, i);
        g_autofree char *place = format_place (report, line->location);
        g_autofree char *name = profile_dup_name (line->location);

        if (line->self < LEAST * report->total || line->self <= 0) {
            break;
        }
        profile_page_add_cell (report->page, place);
        profile_page_add_cell (report->page, name);
        profile_page_add_number (report->page, line->self, 3);
        profile_page_add_number (report->page, profile_report_get_share (report, line->self),
                                 1);
        profile_page_add_number (report->page,
                                 profile_report_get_imbalance (report, line->ranks), 1);
        add_figures (report, known, &line->counts);
    }
    explain_figures (report, known);
}

void
profile_report_add_lines (ProfileReport *report)
{
    if (report->is_traced) {
        add_exact_lines (report);
    } else {
        add_sampled_lines (report);
    }
}

/* ---- MPI ---- */

/* The outermost call of MPI in its stack. */
static const JobLocation *
find_call (const JobContextTree *tree, guint32 number)
{
    const JobLocation *found = NULL;

    for (guint32 at = number; at != 0; at = job_context_tree_get (tree, at)->parent) {
        const JobLocation *location = &job_context_tree_get (tree, at)->location;

        if (location->function != NULL
            && g_str_has_prefix (skip_p (location->function), "MPI_")) {
            found = location;
        }
    }
    return found;
}

static const char *
get_kind (const char *function)
{
    static const struct {
        const char *prefix, *kind;
    } kinds[] = {
        { "Barrier", N_ ("collective") },     { "Bcast", N_ ("collective") },
        { "Gather", N_ ("collective") },      { "Scatter", N_ ("collective") },
        { "Allgather", N_ ("collective") },   { "Alltoall", N_ ("collective") },
        { "Reduce", N_ ("collective") },      { "Allreduce", N_ ("collective") },
        { "Scan", N_ ("collective") },        { "Exscan", N_ ("collective") },
        { "Neighbor_", N_ ("collective") },   { "Comm_", N_ ("communicators") },
        { "Send", N_ ("point-to-point") },    { "Bsend", N_ ("point-to-point") },
        { "Ssend", N_ ("point-to-point") },   { "Rsend", N_ ("point-to-point") },
        { "Recv", N_ ("point-to-point") },    { "Mrecv", N_ ("point-to-point") },
        { "Probe", N_ ("point-to-point") },   { "Mprobe", N_ ("point-to-point") },
        { "Wait", N_ ("requests") },          { "Test", N_ ("requests") },
        { "Start", N_ ("requests") },         { "File_", N_ ("files") },
        { "Win_", N_ ("one-sided") },         { "Put", N_ ("one-sided") },
        { "Get", N_ ("one-sided") },          { "Accumulate", N_ ("one-sided") },
        { "Fetch_", N_ ("one-sided") },       { "Compare_", N_ ("one-sided") },
        { "Rput", N_ ("one-sided") },         { "Rget", N_ ("one-sided") },
        { "Raccumulate", N_ ("one-sided") },  { "Init", N_ ("start and end") },
        { "Finalize", N_ ("start and end") },
    };
    const char *name = skip_p (function) + strlen ("MPI_");

    for (guint round = 0; round < 2; round++) {
        for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
            const char *prefix = kinds[i].prefix;

            /* "Isend", "Iallreduce": the same without waiting */
            if (round == 0 ? g_str_has_prefix (name, prefix)
                           : *name == 'I' && g_ascii_tolower (*prefix) == name[1]
                                 && g_str_has_prefix (name + 2, prefix + 1)) {
                return kinds[i].kind;
            }
        }
    }
    return strcmp (name, "Get") == 0 ? N_ ("one-sided") : N_ ("other");
}

/* Of calls of one kind or another, in s. */
static double
sum_kinds (const GPtrArray *calls, const char *kind, const char *other)
{
    double sum = 0;

    for (guint i = 0; i < calls->len; i++) {
        const Place *call = g_ptr_array_index (calls, i);
        const char *its = get_kind (call->location->function);

        sum += strcmp (its, kind) == 0 || strcmp (its, other) == 0 ? call->self : 0;
    }
    return sum;
}

static void
add_calls (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Call"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Kind"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Share"), "%", PROFILE_COLUMN_SHARE, NULL },
        { N_ ("Imbalance"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Calls"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autoptr (GPtrArray) calls = sum_places (report->model, hash_call, equal_calls, find_call);

    if (!report->is_traced) { /* which has the calls themselves, below, and the messages */
        profile_report_add_traffic (report, sum_kinds (calls, "point-to-point", "requests"),
                                    sum_kinds (calls, "collective", "collective"),
                                    sum_kinds (calls, "one-sided", "one-sided"));
    }
    if (calls->len == 0) {
        return;
    }
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns,
                                G_N_ELEMENTS (columns) - (report->has_calls ? 0 : 1));
    for (guint i = 0; i < MIN (calls->len, MAX_ROWS); i++) {
        const Place *call = g_ptr_array_index (calls, i);

        profile_page_add_cell (report->page, skip_p (call->location->function));
        profile_report_add_word (report, get_kind (call->location->function));
        profile_page_add_number (report->page, call->self, 3);
        profile_page_add_number (report->page, profile_report_get_share (report, call->self),
                                 1);
        profile_page_add_number (report->page,
                                 profile_report_get_imbalance (report, call->ranks), 1);
        if (report->has_calls) {
            profile_page_add_count (report->page, call->calls);
        }
    }
}

void
profile_report_add_mpi (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Share"), "%", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Imbalance"), "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autofree double *seconds = g_new0 (double, report->n_ranks + 1);
    double sum = 0;

    if (profile_losses_lack_mpi (report->model)) {
        return;
    }
    for (guint i = 0; i < report->n_ranks; i++) {
        seconds[i] = profile_model_get_class (report->model, i, JOB_CLASS_MPI);
        sum += seconds[i];
    }
    profile_report_begin_section (report, N_ ("MPI"));
    profile_report_begin_table (report, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    profile_page_add_number (report->page, sum, 3);
    profile_page_add_number (report->page, profile_report_get_share (report, sum), 1);
    profile_page_add_number (report->page, profile_report_get_imbalance (report, seconds), 1);
    add_calls (report);
}
