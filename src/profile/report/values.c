/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program has said of itself. */
#include "profile/report/private.h"
#include "profile/values.h"

#define MOST_ROWS 50u

static void
add_metrics (ProfileReport *report, const GArray *metrics)
{
    static const ProfileColumn columns[] = {
        { N_ ("Metric"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Unit"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Rank"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Times"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Least"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Mean"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Most"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Last"), NULL, PROFILE_COLUMN_TEXT, NULL },
    };

    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (metrics->len, MOST_ROWS); i++) {
        const ProfileOwnMetric *metric = &g_array_index (metrics, ProfileOwnMetric, i);
        const double values[] = { metric->least, metric->sum / (double) MAX (metric->n, 1),
                                  metric->most, metric->last };

        profile_page_add_cell (report->page, metric->name);
        profile_page_add_cell (report->page, metric->unit);
        profile_page_add_count (report->page, metric->rank);
        profile_page_add_count (report->page, metric->n);
        for (guint j = 0; j < G_N_ELEMENTS (values); j++) {
            char text[G_ASCII_DTOSTR_BUF_SIZE]; /* of any size */

            profile_page_add_cell (report->page,
                                   g_ascii_formatd (text, sizeof text, "%.6g", values[j]));
        }
    }
}

static void
add_parameters (ProfileReport *report, const GArray *parameters)
{
    static const ProfileColumn columns[] = {
        { N_ ("Parameter"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Value"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Rank"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Times"), NULL, PROFILE_COLUMN_NUMBER, NULL },
    };

    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (parameters->len, MOST_ROWS); i++) {
        const ProfileParameter *parameter = &g_array_index (parameters, ProfileParameter, i);

        profile_page_add_cell (report->page, parameter->name);
        profile_page_add_cell (report->page, parameter->value);
        profile_page_add_count (report->page, parameter->rank);
        profile_page_add_count (report->page, parameter->n);
    }
}

void
profile_report_add_values (ProfileReport *report)
{
    const GArray *metrics = profile_model_get_own_metrics (report->model),
                 *parameters = profile_model_get_parameters (report->model);

    if (metrics->len > 0 || parameters->len > 0) {
        profile_report_begin_section (report, N_ ("What the program says of itself"));
    }
    if (metrics->len > 0) {
        add_metrics (report, metrics);
    }
    if (parameters->len > 0) {
        add_parameters (report, parameters);
    }
}
