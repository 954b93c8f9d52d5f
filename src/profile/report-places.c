/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the program the time went: functions, lines and calls of MPI. */
#include "profile/report-private.h"
#include <string.h>

#define MAX_ROWS 20u
#define LEAST 0.001 /* share of the whole below which nothing is shown */

/* One line of the program, or one call of MPI. */
typedef struct {
    const JobLocation *location;
    double self;
    double *ranks; /* of each */
} Place;

static void
free_place (gpointer data)
{
    g_free (((Place *) data)->ranks);
    g_free (data);
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
    const Place *left = *(Place *const *) a, *right = *(Place *const *) b;

    return (left->self < right->self) - (left->self > right->self);
}

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
    return g_str_has_prefix (function, "PMPI_") ? function + 1 : function;
}

static guint
hash_call (gconstpointer key)
{
    return g_str_hash (skip_p (((const JobLocation *) key)->function));
}

static gboolean
equal_calls (gconstpointer a, gconstpointer b)
{
    return strcmp (skip_p (((const JobLocation *) a)->function),
                   skip_p (((const JobLocation *) b)->function))
           == 0;
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
        g_autofree guint64 *samples = g_new0 (guint64, n);

        profile_model_add_self (model, i, seconds, samples);
        for (guint32 number = 1; number < n; number++) {
            if (by_number[number] != NULL) {
                by_number[number]->self += seconds[number];
                by_number[number]->ranks[i] += seconds[number];
            }
        }
    }
    g_ptr_array_sort (places, compare_places);
    return places;
}

/* ---- texts ---- */

/* "FILE:LINE", or its library. Of a file, what tells it apart from the others. */
static char *
format_place (const ProfileReport *report, const JobLocation *location)
{
    const JobContextTree *tree = profile_model_get_contexts (report->model);
    g_autofree char *name = NULL;

    if (location->file == NULL) {
        return location->module == NULL ? g_strdup ("")
               : location->function != NULL
                   ? g_strdup (location->module)
                   : g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x", location->module,
                                      location->offset);
    }
    name = g_path_get_basename (location->file);
    for (guint32 number = 1; number <= job_context_tree_get_count (tree); number++) {
        const char *other = job_context_tree_get (tree, number)->location.file;
        const char *slash = other != NULL && other != location->file ? strrchr (other, '/')
                                                                     : NULL;

        if (slash != NULL && strcmp (slash + 1, name) == 0) {
            return g_strdup_printf ("%s:%u", location->file, location->line);
        }
    }
    return g_strdup_printf ("%s:%u", name, location->line);
}

static const char *
get_name (const JobLocation *location)
{
    return location->function != NULL ? location->function : "??";
}

/* ---- functions ---- */

void
profile_report_add_functions (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Function", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Place", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Own time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Own", "%", PROFILE_COLUMN_SHARE, NULL },
        { "Total time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Total", "%", PROFILE_COLUMN_NUMBER, NULL },
        { "Imbalance", "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autoptr (GPtrArray) functions = profile_functions_new (report->model);

    profile_page_begin_section (report->page, "Functions");
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (functions->len, MAX_ROWS); i++) {
        const ProfileFunction *function = g_ptr_array_index (functions, i);
        g_autofree char *place = format_place (report, &function->location);

        if (function->self < LEAST * report->total || function->self <= 0) {
            break;
        }
        profile_page_add_cell (report->page, get_name (&function->location));
        profile_page_add_cell (report->page, place);
        profile_page_add_number (report->page, function->self, 3);
        profile_page_add_number (report->page,
                                 profile_report_get_share (report, function->self), 1);
        profile_page_add_number (report->page, function->total, 3);
        profile_page_add_number (report->page,
                                 profile_report_get_share (report, function->total), 1);
        profile_page_add_number (report->page,
                                 profile_report_get_imbalance (report, function->ranks), 1);
    }
}

/* The innermost line of the program's own code; what it has called in libraries is its time. */
static const JobLocation *
find_line (const JobContextTree *tree, guint32 number)
{
    guint32 foreign = JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER;

    for (guint32 at = number; at != 0; at = job_context_tree_get (tree, at)->parent) {
        const JobContext *context = job_context_tree_get (tree, at);

        if (context->location.file != NULL && context->location.line > 0
            && (context->flags & foreign) == 0) {
            return &context->location;
        }
    }
    return NULL;
}

void
profile_report_add_lines (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Line", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Function", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Share", "%", PROFILE_COLUMN_SHARE, NULL },
        { "Imbalance", "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autoptr (GPtrArray) lines = sum_places (report->model, hash_line, equal_lines, find_line);

    profile_page_begin_section (report->page, "Lines");
    profile_page_add_text (report->page,
                           "Lines of the program itself, with the time that they spent in "
                           "libraries and in MPI.",
                           FALSE);
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (lines->len, MAX_ROWS); i++) {
        const Place *line = g_ptr_array_index (lines, i);
        g_autofree char *place = format_place (report, line->location);

        if (line->self < LEAST * report->total || line->self <= 0) {
            break;
        }
        profile_page_add_cell (report->page, place);
        profile_page_add_cell (report->page, get_name (line->location));
        profile_page_add_number (report->page, line->self, 3);
        profile_page_add_number (report->page, profile_report_get_share (report, line->self),
                                 1);
        profile_page_add_number (report->page,
                                 profile_report_get_imbalance (report, line->ranks), 1);
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
        { "Barrier", "collective" },     { "Bcast", "collective" },
        { "Gather", "collective" },      { "Scatter", "collective" },
        { "Allgather", "collective" },   { "Alltoall", "collective" },
        { "Reduce", "collective" },      { "Allreduce", "collective" },
        { "Scan", "collective" },        { "Exscan", "collective" },
        { "Neighbor_", "collective" },   { "Comm_", "communicators" },
        { "Send", "point-to-point" },    { "Bsend", "point-to-point" },
        { "Ssend", "point-to-point" },   { "Rsend", "point-to-point" },
        { "Recv", "point-to-point" },    { "Mrecv", "point-to-point" },
        { "Probe", "point-to-point" },   { "Mprobe", "point-to-point" },
        { "Wait", "requests" },          { "Test", "requests" },
        { "Start", "requests" },         { "File_", "files" },
        { "Win_", "one-sided" },         { "Put", "one-sided" },
        { "Get", "one-sided" },          { "Accumulate", "one-sided" },
        { "Fetch_", "one-sided" },       { "Compare_", "one-sided" },
        { "Rput", "one-sided" },         { "Rget", "one-sided" },
        { "Raccumulate", "one-sided" },  { "Init", "start and end" },
        { "Finalize", "start and end" },
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
    return strcmp (name, "Get") == 0 ? "one-sided" : "other";
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
        { "Call", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Kind", NULL, PROFILE_COLUMN_TEXT, NULL },
        { "Time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Share", "%", PROFILE_COLUMN_SHARE, NULL },
        { "Imbalance", "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autoptr (GPtrArray) calls = sum_places (report->model, hash_call, equal_calls, find_call);

    profile_report_add_traffic (report, sum_kinds (calls, "point-to-point", "requests"),
                                sum_kinds (calls, "collective", "collective"),
                                sum_kinds (calls, "one-sided", "one-sided"));
    if (calls->len == 0) {
        return;
    }
    profile_page_begin_table (report->page, PROFILE_TABLE_PLAIN, columns,
                              G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (calls->len, MAX_ROWS); i++) {
        const Place *call = g_ptr_array_index (calls, i);

        profile_page_add_cell (report->page, skip_p (call->location->function));
        profile_page_add_cell (report->page, get_kind (call->location->function));
        profile_page_add_number (report->page, call->self, 3);
        profile_page_add_number (report->page, profile_report_get_share (report, call->self),
                                 1);
        profile_page_add_number (report->page,
                                 profile_report_get_imbalance (report, call->ranks), 1);
    }
}

void
profile_report_add_mpi (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { "Time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Share", "%", PROFILE_COLUMN_NUMBER, NULL },
        { "Imbalance", "%", PROFILE_COLUMN_NUMBER, NULL },
    };
    g_autofree double *seconds = g_new0 (double, report->n_ranks + 1);
    double sum = 0;

    for (guint i = 0; i < report->n_ranks; i++) {
        seconds[i] = profile_model_get_class (report->model, i, JOB_CLASS_MPI);
        sum += seconds[i];
    }
    profile_page_begin_section (report->page, "MPI");
    profile_page_begin_table (report->page, PROFILE_TABLE_CARDS, columns,
                              G_N_ELEMENTS (columns));
    profile_page_add_number (report->page, sum, 3);
    profile_page_add_number (report->page, profile_report_get_share (report, sum), 1);
    profile_page_add_number (report->page, profile_report_get_imbalance (report, seconds), 1);
    add_calls (report);
}
