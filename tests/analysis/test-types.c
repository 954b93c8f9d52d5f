/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which signatures differ, which match though they were built differently; and messages that are paired
 * by number where runs of several signatures overlap. */
#include "analysis/types.h"

#define INT "i4=MPI_INT"
#define FLOAT "f4=MPI_FLOAT"
#define DOUBLE "f8=MPI_DOUBLE"
#define MIXED INT " " DOUBLE

static void
test_signatures (void)
{
    static const struct {
        const char *a, *b;
        guint64 bytes;
        gboolean differ;
    } rows[] = {
        { INT, INT, 0, FALSE },
        { INT, FLOAT, 0, TRUE },
        { INT, DOUBLE, 8, TRUE },
        { INT, "u4=MPI_UNSIGNED", 4, TRUE },
        { "i8=MPI_LONG", "i8=MPI_INT64_T", 8, FALSE },
        { INT, "b1=MPI_BYTE", 4, FALSE },
        { "b1=MPI_PACKED", DOUBLE, 80, FALSE },
        { "i1=MPI_CHAR", "u1=MPI_UINT8_T", 9, FALSE },
        { "i1=MPI_CHAR", INT, 9, TRUE },
        { "l4=MPI_LOGICAL", INT, 4, FALSE },
        { "l4=MPI_LOGICAL", FLOAT, 4, TRUE },
        { INT, MIXED, 4, FALSE }, /* a beginning of it */
        { INT, MIXED, 8, TRUE },
        { INT, MIXED, 0, FALSE }, /* how much is not known */
        { MIXED, "i4=MPI_INT f8*1=MPI_DOUBLE", 24, FALSE },
        { "i4*2=MPI_INT f8=MPI_DOUBLE", INT " i4=MPI_INTEGER " DOUBLE, 32, FALSE },
        { "i4*2=MPI_INT f8=MPI_DOUBLE", "i4*3=MPI_INT f8=MPI_DOUBLE", 8, FALSE },
        { "i4*2=MPI_INT f8=MPI_DOUBLE", "i4*3=MPI_INT f8=MPI_DOUBLE", 16, TRUE },
        { MIXED, MIXED " " INT, 16, FALSE }, /* i d i d … against i d i i d i … */
        { MIXED, MIXED " " INT, 24, TRUE },
        { NULL, INT, 4, FALSE },
        { "", INT, 4, FALSE },
        { "nonsense", INT, 4, FALSE },
        { "i0=MPI_INT", INT, 4, FALSE },
    };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (analysis_signature_differ (rows[i].a, rows[i].b, rows[i].bytes) != rows[i].differ
            || analysis_signature_differ (rows[i].b, rows[i].a, rows[i].bytes)
                   != rows[i].differ) {
            g_error ("row %u: %s, %s", i, rows[i].a, rows[i].b);
        }
    }
}

static void
test_names (void)
{
    g_autofree char *one = analysis_signature_format (INT);
    g_autofree char *two = analysis_signature_format (MIXED);
    g_autofree char *pair = analysis_signature_format ("f4=MPI_FLOAT_INT i4=MPI_FLOAT_INT");

    g_assert_cmpstr (one, ==, "MPI_INT");
    g_assert_cmpstr (two, ==, "{MPI_INT, MPI_DOUBLE}");
    g_assert_cmpstr (pair, ==, "MPI_FLOAT_INT");
}

/* ---- runs ---- */

static void
add_run (JobMessageQueue *queue, gboolean is_sent, gint32 peer, guint64 first, guint64 last,
         const char *signature)
{
    JobMessageRun *run = job_message_run_new (signature);

    run->is_sent = is_sent;
    run->communicator = 0;
    run->peer = peer;
    run->tag = 5;
    run->first = first;
    run->last = last;
    run->bytes = 4;
    run->place = job_location_new ("main", "a.c", is_sent ? 10 : 20);
    g_ptr_array_add (queue->runs, run);
}

static JobMessageQueue *
new_rank (guint32 rank)
{
    JobMessageQueue *queue = job_message_queue_new (rank);

    queue->source = JOB_MESSAGE_SOURCE_RECORDER;
    queue->flags = JOB_MESSAGE_QUEUE_COUNTED;
    return queue;
}

static char *
format_all (const JobMessageQueue *a, const JobMessageQueue *b)
{
    AnalysisRank ranks[3] = { { .queue = a }, { .queue = b }, { .queue = NULL } };
    g_autoptr (GPtrArray) list = analysis_types_list_mismatches (ranks, 3);
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < list->len; i++) {
        g_autofree char *one = analysis_type_mismatch_format (BASE_TEXT_ENGLISH,
                                                              g_ptr_array_index (list, i));

        g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", one);
    }
    return g_string_free (text, FALSE);
}

static void
test_runs (void)
{
    g_autoptr (JobMessageQueue) sender = new_rank (0);
    g_autoptr (JobMessageQueue) receiver = new_rank (1);
    g_autofree char *right = NULL, *early = NULL, *wrong = NULL, *uncounted = NULL;

    add_run (sender, TRUE, 1, 1, 4, INT);
    add_run (sender, TRUE, 1, 5, 5, FLOAT);
    add_run (sender, TRUE, 1, 6, 9, INT);
    add_run (receiver, FALSE, 0, 1, 4, INT);
    right = format_all (sender, receiver);
    g_assert_cmpstr (right, ==, "");
    ((JobMessageRun *) g_ptr_array_index (receiver->runs, 0))->last
        = 9; /* the fifth is among them */
    wrong = format_all (sender, receiver);
    g_assert_cmpstr (wrong, ==, "0 sends MPI_FLOAT (a.c:10), 1 receives it as MPI_INT, tag 5");
    receiver->flags = 0;
    uncounted = format_all (sender, receiver);
    g_assert_cmpstr (uncounted, ==, "");
    receiver->flags = JOB_MESSAGE_QUEUE_COUNTED | JOB_MESSAGE_QUEUE_CHANGING;
    early = format_all (sender, receiver);
    g_assert_cmpstr (early, ==, "");
}

static void
test_self (void)
{
    g_autoptr (JobMessageQueue) one = new_rank (0);
    g_autoptr (JobMessageQueue) two = new_rank (1);
    g_autofree char *text = NULL;

    add_run (one, TRUE, 0, 1, 1, DOUBLE);
    add_run (one, FALSE, 0, 1, 1, INT);
    add_run (two, TRUE, -4, 1, 1, DOUBLE); /* outside of this job */
    add_run (two, FALSE, 2, 1, 1, INT);    /* whose sender is not known */
    text = format_all (one, two);
    g_assert_cmpstr (text, ==,
                     "0 sends MPI_DOUBLE (a.c:10), 0 receives it as MPI_INT (a.c:20), tag 5");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/analysis/types/signatures", test_signatures);
    g_test_add_func ("/analysis/types/names", test_names);
    g_test_add_func ("/analysis/types/runs", test_runs);
    g_test_add_func ("/analysis/types/self", test_self);
    return g_test_run ();
}
