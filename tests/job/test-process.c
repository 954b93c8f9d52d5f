/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/event.h"

static void
add (GArray *list, guint32 slot, const char *host)
{
    const JobProcess process
        = { .slot = slot, .rank = slot * 3, .size = 100, .pid = 7, .host = (char *) host };

    job_process_list_add (list, &process);
}

static void
assert_ordered (const GArray *list, guint n)
{
    g_assert_cmpuint (list->len, ==, n);
    for (guint i = 0; i < n; i++) {
        g_assert_cmpuint (JOB_PROCESS (list, i)->slot, ==, i);
        g_assert_cmpuint (JOB_PROCESS (list, i)->rank, ==, 3 * i);
        g_assert_cmpstr (JOB_PROCESS (list, i)->host, ==, i < n / 2 ? "low" : "high");
    }
}

/* Slots [0, n) cut into parts that come in any order; overlap: every second slot is in another part. */
static void
check_parts (guint n, guint n_parts, gboolean overlap)
{
    g_autoptr (GArray) list = job_process_list_new ();
    guint turn = (guint) g_test_rand_int_range (0, (gint32) n_parts);

    for (guint i = 0; i < n_parts; i++) {
        g_autoptr (GArray) part = job_process_list_new ();
        guint number = (i * 7 + turn) % n_parts; /* 7 divides no count of parts below */

        for (guint slot = 0; slot < n; slot++) {
            if ((overlap ? slot % n_parts : slot * n_parts / n) == number) {
                add (part, slot, slot < n / 2 ? "low" : "high");
            }
        }
        job_process_list_append (list, part);
    }
    job_process_list_sort (list);
    assert_ordered (list, n);
}

static void
test_sort (void)
{
    for (guint n = 16; n < 200; n += 31) {
        check_parts (n, 1, FALSE);
        check_parts (n, 8, FALSE);
        check_parts (n, 16, TRUE);
    }
}

static void
test_texts (void)
{
    g_autoptr (GArray) list = job_process_list_new ();
    g_autoptr (GArray) copy = NULL;

    add (list, 0, "a");
    add (list, 1, "a");
    add (list, 2, NULL);
    add (list, 3, "b");
    g_assert_true (JOB_PROCESS (list, 0)->host == JOB_PROCESS (list, 1)->host);
    g_assert_null (JOB_PROCESS (list, 2)->host);
    copy = job_process_list_dup (list);
    g_array_set_size (list, 0);
    g_assert_cmpstr (JOB_PROCESS (copy, 1)->host, ==, "a");
    g_assert_cmpstr (JOB_PROCESS (copy, 3)->host, ==, "b");
    g_assert_null (job_process_list_dup (NULL));
}

/* Hosts report in any order, and what comes of it is in the order of slots. */
static void
test_events (void)
{
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    const guint32 firsts[] = { 60, 0, 80, 20, 40 };

    for (gsize i = 0; i < G_N_ELEMENTS (firsts); i++) {
        g_autoptr (JobRankSet) ranks = job_rank_set_new_range (firsts[i], firsts[i] + 20);
        JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, ranks);

        event->processes = job_process_list_new ();
        for (guint32 slot = firsts[i]; slot < firsts[i] + 20; slot++) {
            add (event->processes, slot, slot < 50 ? "low" : "high");
        }
        g_ptr_array_add (events, event);
    }
    job_event_list_merge (events);
    g_assert_cmpuint (events->len, ==, 1);
    assert_ordered (((JobEvent *) events->pdata[0])->processes, 100);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/process/sort", test_sort);
    g_test_add_func ("/process/texts", test_texts);
    g_test_add_func ("/process/events", test_events);
    return g_test_run ();
}
