/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a report that only a trace of MPI has: what ranks waited for, and the communication matrix. */
#include "profile/report/private.h"
#include "profile/waits.h"
#include "base/array.h"

#define MOST_ROWS 30u
#define MOST_RANKS 16u /* of a matrix; of more, pairs are listed */

static void
sum_kinds (const GArray *waits, double *sums)
{
    for (guint i = 0; i < waits->len; i++) {
        const ProfileWait *wait = &g_array_index (waits, ProfileWait, i);

        sums[wait->kind] += wait->seconds;
    }
}

static void
add_kinds (ProfileReport *report, const GArray *waits)
{
    static const ProfileColumn columns[] = {
        { N_ ("Kind"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Share"), "%", PROFILE_COLUMN_SHARE, "#2b5fa8" },
    };
    double sums[PROFILE_N_WAITS + 1] = { 0 };

    sum_kinds (waits, sums);
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint kind = 0; kind < PROFILE_N_WAITS; kind++) {
        if (sums[kind] > 0) {
            profile_report_add_word (report, profile_wait_get_name (kind));
            profile_page_add_number (report->page, sums[kind], 3);
            profile_page_add_number (report->page,
                                     profile_report_get_share (report, sums[kind]), 1);
        }
    }
}

static void
add_states (ProfileReport *report, const GArray *waits)
{
    static const ProfileColumn columns[] = {
        { N_ ("Rank"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Kind"), NULL, PROFILE_COLUMN_TEXT, NULL },
        { N_ ("Call"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Place"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Waits for"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Which was at"), NULL, PROFILE_COLUMN_CODE, NULL },
        { N_ ("Times"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Time"), "s", PROFILE_COLUMN_NUMBER, NULL },
    };

    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (waits->len, MOST_ROWS); i++) {
        const ProfileWait *wait = &g_array_index (waits, ProfileWait, i);

        profile_page_add_count (report->page, wait->rank);
        profile_report_add_word (report, profile_wait_get_name (wait->kind));
        profile_page_add_cell (report->page, wait->call);
        profile_page_add_cell (report->page, wait->place);
        profile_page_add_count (report->page, wait->cause);
        profile_page_add_cell (report->page, wait->cause_place);
        profile_page_add_count (report->page, wait->n);
        profile_page_add_number (report->page, wait->seconds, 3);
    }
}

/* ---- messages ---- */

static guint64
find_bytes (const GArray *traffic, guint32 from, guint32 to)
{
    return BASE_PICK_ROW (traffic, const ProfileTraffic, pair,
                          pair->from == from && pair->to == to, pair->bytes, 0);
}

static void
add_matrix (ProfileReport *report, const GArray *traffic, guint32 n)
{
    ProfileColumn columns[MOST_RANKS + 1] = { { N_ ("From"), NULL, PROFILE_COLUMN_NUMBER,
                                                NULL } };
    char *titles[MOST_RANKS];

    for (guint32 to = 0; to < n; to++) {
        titles[to] = base_text_print (report->form, "To %u", to);
        columns[to + 1] = (ProfileColumn){ titles[to], N_ ("bytes"), PROFILE_COLUMN_BYTES,
                                           NULL };
    }
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, n + 1);
    for (guint32 from = 0; from < n; from++) {
        profile_page_add_count (report->page, from);
        for (guint32 to = 0; to < n; to++) {
            profile_page_add_count (report->page, find_bytes (traffic, from, to));
        }
    }
    for (guint32 to = 0; to < n; to++) {
        g_free (titles[to]);
    }
}

BASE_ORDER_POINTERS (compare_bytes, ProfileTraffic, BASE_BY_DOWN (bytes))

static void
add_pairs (ProfileReport *report, const GArray *traffic)
{
    static const ProfileColumn columns[] = {
        { N_ ("From"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("To"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Messages"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Data"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
    };
    g_autoptr (GPtrArray) list = g_ptr_array_new ();

    for (guint i = 0; i < traffic->len; i++) {
        g_ptr_array_add (list, &g_array_index (traffic, ProfileTraffic, i));
    }
    g_ptr_array_sort (list, compare_bytes);
    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (list->len, MOST_ROWS); i++) {
        const ProfileTraffic *pair = g_ptr_array_index (list, i);

        profile_page_add_count (report->page, pair->from);
        profile_page_add_count (report->page, pair->to);
        profile_page_add_count (report->page, pair->n);
        profile_page_add_count (report->page, pair->bytes);
    }
}

static void
add_sum_key (ProfileReport *report, const ProfileMessageSum *sum)
{
    g_autofree char *text = *sum->name != '\0' ? g_strdup (sum->name)
                            : sum->kind == PROFILE_SUM_SIZE && sum->value > 1
                                ? g_strdup_printf ("%" G_GUINT64_FORMAT "–%" G_GUINT64_FORMAT,
                                                   sum->value, sum->value * 2 - 1)
                                : g_strdup_printf ("%" G_GUINT64_FORMAT, sum->value);

    profile_page_add_cell (report->page, text);
}

/* The messages of one kind of sums. */
static void
add_sums (ProfileReport *report, const GArray *sums, guint32 kind)
{
    static const char *const titles[PROFILE_N_SUMS] = { N_ ("Size"), N_ ("Tag"),
                                                        N_ ("Communicator") };
    const ProfileColumn columns[] = {
        { titles[kind], kind == PROFILE_SUM_SIZE ? N_ ("bytes") : NULL, PROFILE_COLUMN_TEXT,
          NULL },
        { N_ ("Messages"), NULL, PROFILE_COLUMN_NUMBER, NULL },
        { N_ ("Data"), N_ ("bytes"), PROFILE_COLUMN_BYTES, NULL },
        { N_ ("Until received, mean"), "s", PROFILE_COLUMN_NUMBER, NULL },
    };

    profile_report_begin_table (report, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < sums->len; i++) {
        const ProfileMessageSum *sum = &g_array_index (sums, ProfileMessageSum, i);

        if (sum->kind != kind) {
            continue;
        }
        add_sum_key (report, sum);
        profile_page_add_count (report->page, sum->n);
        profile_page_add_count (report->page, sum->bytes);
        if (sum->n_received > 0) {
            profile_page_add_number (report->page, sum->seconds / (double) sum->n_received, 6);
        } else {
            profile_page_add_cell (report->page, NULL);
        }
    }
}

static void
add_statistics (ProfileReport *report)
{
    const GArray *sums = profile_model_get_message_sums (report->model);

    if (sums->len == 0) {
        return;
    }
    profile_report_add_text (
        report,
        N_ ("By size, tag and communicator; the time is from the beginning of the send to the end of the receive:"),
        FALSE);
    for (guint32 kind = 0; kind < PROFILE_N_SUMS; kind++) {
        add_sums (report, sums, kind);
    }
}

static void
add_messages (ProfileReport *report, const GArray *traffic)
{
    guint64 n = 0, bytes = 0;
    guint32 n_ranks = 0;
    g_autofree char *text = NULL, *count = NULL, *size = NULL;

    for (guint i = 0; i < traffic->len; i++) {
        const ProfileTraffic *pair = &g_array_index (traffic, ProfileTraffic, i);

        n += pair->n;
        bytes += pair->bytes;
        n_ranks = MAX (n_ranks, MAX (pair->from, pair->to) + 1);
    }
    profile_report_begin_section (report, N_ ("Messages between ranks"));
    count = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
    size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
    text = base_text_print_plural (report->form,
                                   "%s message with %s was sent from one rank to another.",
                                   "%s messages with %s were sent from one rank to another.",
                                   (gulong) n, count, size);
    profile_page_add_text (report->page, text, FALSE);
    profile_report_add_text (report,
                             n_ranks <= MOST_RANKS
                                 ? N_ ("The bytes that each rank has sent to each other one:")
                                 : N_ ("The pairs with the most bytes:"),
                             FALSE);
    if (n_ranks <= MOST_RANKS) {
        add_matrix (report, traffic, n_ranks);
    } else {
        add_pairs (report, traffic);
    }
    add_statistics (report);
}

void
profile_report_add_waits (ProfileReport *report)
{
    const GArray *waits = profile_model_get_waits (report->model),
                 *traffic = profile_model_get_traffic (report->model);

    if (waits->len > 0) {
        g_autofree char *worst = profile_wait_format (&g_array_index (waits, ProfileWait, 0),
                                                      report->form);
        g_autofree char *text = base_text_print (report->form, "The longest wait: %s.", worst);

        profile_report_begin_section (report, N_ ("Waiting in MPI"));
        profile_page_add_text (report->page, text, TRUE);
        add_kinds (report, waits);
        add_states (report, waits);
    }
    if (traffic->len > 0) {
        add_messages (report, traffic);
    }
}
