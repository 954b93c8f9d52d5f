/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to make faster, of a trace of MPI: the critical path, and what the waiting comes from. */
#include "profile/delays.h"
#include "profile/report/private.h"

#define MOST_ROWS 20u
#define LEAST_S 0.001      /* less is not worth a sentence */
#define LEAST_ROW_S 0.0005 /* less is 0.000 in the table */

/* "work at app.py:12"; caller owns. */
static char *
describe (const ProfileReport *report, gboolean is_mpi, const char *function, const char *file,
          guint32 line)
{
    g_autofree char *name = NULL;

    if (is_mpi) {
        return g_strdup (profile_report_get_word (report, N_ ("MPI, without waiting")));
    }
    if (*file == '\0' || line == 0) {
        return g_strdup (*function != '\0' ? function : "?");
    }
    name = g_path_get_basename (file);
    return g_strdup_printf ("%s at %s:%u", function, name, line);
}

static double
get_excess (const ProfilePathPart *part)
{
    return MAX (part->seconds - part->mean_s, 0);
}

/* The one of which the ranks have done the least evenly. */
static const ProfilePathPart *
find_worst (const GArray *path)
{
    const ProfilePathPart *worst = NULL;

    for (guint i = 0; i < path->len; i++) {
        const ProfilePathPart *part = &g_array_index (path, ProfilePathPart, i);

        worst = worst == NULL || get_excess (part) > get_excess (worst) ? part : worst;
    }
    return worst;
}

static void
add_answer (ProfileReport *report, const GArray *path, double length, double excess)
{
    const ProfilePathPart *worst = find_worst (path),
                          *most = &g_array_index (path, ProfilePathPart, 0);
    g_autofree char *top = describe (report, most->is_mpi, most->function, most->file,
                                     most->line);
    g_autofree char *text = base_text_print (
        report->form,
        "The critical path takes %.3g s, %.3g s of it in %s: what is faster there makes the run faster.",
        length, most->seconds, top);

    profile_page_add_text (report->page, text, TRUE);
    if (excess >= LEAST_S && get_excess (worst) > 0) {
        g_autofree char *where = describe (report, worst->is_mpi, worst->function, worst->file,
                                           worst->line);
        g_autofree char *uneven = base_text_print (
            report->form,
            "If all ranks did the same, it would be %.3g s shorter, %.3g s of that in %s, of which rank %u has the "
            "most on the path.",
            excess, get_excess (worst), where, worst->rank);

        profile_page_add_text (report->page, uneven, TRUE);
    }
}

void
profile_report_add_path (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Function"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("On the path"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Share"), "%", PROFILE_COLUMN_SHARE, "#2b8a3e" },
        { N_ ("Mean of the ranks"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Imbalance"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Most in rank"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };
    const GArray *path = profile_model_get_path (report->model);
    double length = 0, excess = 0;

    for (guint i = 0; i < path->len; i++) {
        length += g_array_index (path, ProfilePathPart, i).seconds;
        excess += get_excess (&g_array_index (path, ProfilePathPart, i));
    }
    if (length <= 0) {
        return;
    }
    profile_report_begin_section (report, N_ ("The critical path"));
    add_answer (report, path, length, excess);
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (path->len, MOST_ROWS); i++) {
        const ProfilePathPart *part = &g_array_index (path, ProfilePathPart, i);
        g_autofree char *where = describe (report, part->is_mpi, part->function, part->file,
                                           part->line);

        if (i > 0 && part->seconds < LEAST_ROW_S) {
            break;
        }
        profile_page_add_cell (report->page, where);
        profile_page_add_number (report->page, part->seconds, 3);
        profile_page_add_number (report->page, 100 * part->seconds / length, 1);
        profile_page_add_number (report->page, part->mean_s, 3);
        profile_page_add_number (report->page, get_excess (part), 3);
        profile_page_add_count (report->page, part->rank);
    }
}

void
profile_report_add_delays (ProfileReport *report)
{
    static const ProfileColumn columns[] = {
        { N_ ("Rank"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Took longer in"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Others waited"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("And for those"), "s", PROFILE_COLUMN_NUMBER, NULL },
    };
    const GArray *delays = profile_model_get_delays (report->model);

    if (delays->len == 0) {
        return;
    }
    profile_report_begin_section (report, N_ ("What the waiting comes from"));
    profile_report_add_text (
        report,
        N_ ("A rank that others wait for took longer in these functions since they were last in step. Ranks that "
            "waited for those that waited are in the last column."),
        FALSE);
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (delays->len, MOST_ROWS); i++) {
        const ProfileDelay *delay = &g_array_index (delays, ProfileDelay, i);
        g_autofree char *where = describe (report, delay->is_mpi, delay->function, delay->file,
                                           delay->line);

        if (i > 0 && delay->seconds + delay->passed_s < LEAST_ROW_S) {
            break;
        }
        profile_page_add_count (report->page, delay->rank);
        profile_page_add_cell (report->page, where);
        profile_page_add_number (report->page, delay->seconds, 3);
        profile_page_add_number (report->page, delay->passed_s, 3);
    }
}
