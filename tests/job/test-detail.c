/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of a rank's lists: their lines, what makes two lists equal, and their bytes. */
#include "job/event.h"
#include <string.h>

static JobDetail *
make_place (JobDetail *detail, const char *function, const char *file, guint32 line)
{
    detail->place = job_location_new (function, file, line);
    return detail;
}

static JobDetail *
make_flags (JobDetail *detail, guint32 flags, guint64 end)
{
    detail->flags = flags;
    detail->end = end;
    return detail;
}

static GPtrArray *
make_all (void)
{
    GPtrArray *list = job_detail_list_new ();

    g_ptr_array_add (list,
                     make_place (make_flags (job_detail_new (JOB_DETAIL_THREAD, 1, "app", NULL),
                                             JOB_DETAIL_HERE | JOB_DETAIL_LOCK, 0),
                                 "work", "/a/sample.c", 22));
    g_ptr_array_add (list, job_detail_new (JOB_DETAIL_THREAD, 12, NULL, NULL));
    g_ptr_array_add (list, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", "0x07  7"));
    g_ptr_array_add (list, make_place (job_detail_new (JOB_DETAIL_SOURCE, 0, NULL, "\tx = 1;"),
                                       NULL, "/a/sample.c", 22));
    g_ptr_array_add (list, make_flags (job_detail_new (JOB_DETAIL_INSTRUCTION, 0x555555555191,
                                                       "<work+8>", "mov    eax, 1"),
                                       JOB_DETAIL_HERE, 0));
    g_ptr_array_add (list, job_detail_new (JOB_DETAIL_INSTRUCTION, G_MAXUINT64, NULL, "ret"));
    g_ptr_array_add (list, make_flags (job_detail_new (JOB_DETAIL_MODULE, 0x1000, "/lib/a b.so",
                                                       "lines"),
                                       JOB_DETAIL_GONE, 0x2000));
    g_ptr_array_add (list,
                     make_flags (job_detail_new (JOB_DETAIL_MORE, 0, NULL, NULL), 0, 0x3000));
    g_ptr_array_add (list,
                     make_flags (job_detail_new (JOB_DETAIL_MAP, 0x1000, "/lib/a b.so", NULL),
                                 JOB_DETAIL_READABLE | JOB_DETAIL_EXECUTABLE | JOB_DETAIL_GONE,
                                 0x2000));
    ((JobDetail *) g_ptr_array_index (list, list->len - 1))->offset = 0x400;
    g_ptr_array_add (list, make_flags (job_detail_new (JOB_DETAIL_MAP, 0x2000, NULL, NULL),
                                       JOB_DETAIL_READABLE | JOB_DETAIL_WRITABLE, 0x3000));
    g_ptr_array_add (list, make_flags (job_detail_new (JOB_DETAIL_SIGNAL, 10, "SIGUSR1", NULL),
                                       JOB_DETAIL_PRINT | JOB_DETAIL_PASS, 0));
    g_ptr_array_add (list, job_detail_new (JOB_DETAIL_MEMORY, 0x4010, "<sums+16>", "1  2"));
    g_ptr_array_add (list,
                     job_detail_new (JOB_DETAIL_MEMORY, 0x4020, NULL, "<cannot be read>"));
    return list;
}

static void
test_lines (void)
{
    g_autoptr (GPtrArray) list = make_all ();
    g_autofree char *text = job_detail_list_format (list);

    g_assert_cmpstr (text, ==,
                     "* 1 \"app\"  work at sample.c:22 (holds the GIL)\n"
                     "  12  ?\n"
                     "rax     0x07  7\n"
                     "sample.c:22  \tx = 1;\n"
                     "=> 0x555555555191 <work+8>  mov    eax, 1\n"
                     "   0xffffffffffffffff  ret\n"
                     "0x000000001000-0x000000002000  lines       /lib/a b.so (replaced or "
                     "changed after the program loaded it)\n"
                     "   … up to 0x3000\n"
                     "0x000000001000-0x000000002000 r-x 0x00000400  /lib/a b.so (deleted)\n"
                     "0x000000002000-0x000000003000 rw- 0x00000000  (no file)\n"
                     "SIGUSR1    no   yes   yes\n"
                     "0x4010 <sums+16>:  1  2\n"
                     "0x4020:  <cannot be read>");
}

/* A list of signals has a heading. */
static void
test_signals (void)
{
    g_autoptr (GPtrArray) list = job_detail_list_new ();
    g_autofree char *text = NULL;

    g_ptr_array_add (list, make_flags (job_detail_new (JOB_DETAIL_SIGNAL, 2, "SIGINT", NULL),
                                       JOB_DETAIL_STOP | JOB_DETAIL_PRINT, 0));
    g_ptr_array_add (list, job_detail_new (JOB_DETAIL_SIGNAL, 14, "SIGALRM", NULL));
    text = job_detail_list_format (list);
    g_assert_cmpstr (text, ==,
                     "signal     stop print pass\n"
                     "SIGINT     yes  yes   no\n"
                     "SIGALRM    no   no    no");
}

static void
test_equal (void)
{
    g_autoptr (GPtrArray) list = make_all (), same = job_detail_list_dup (list);
    g_autofree char *key = job_detail_dup_key (list->pdata[2]);

    g_assert_true (job_detail_list_equal (list, same));
    g_assert_false (job_detail_list_equal (list, NULL));
    ((JobDetail *) same->pdata[4])->flags = 0;
    g_assert_false (job_detail_list_equal (list, same));
    g_assert_cmpstr (key, ==, "rax");
}

static JobEvent *
make_event (guint32 rank, const char *value)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
    JobEvent *event = job_event_new (JOB_EVENT_DETAILS, 7, one);

    event->details = make_all ();
    g_free (((JobDetail *) event->details->pdata[2])->text);
    ((JobDetail *) event->details->pdata[2])->text = g_strdup (value);
    return event;
}

/* Equal lists of many ranks are one event. */
static void
test_merge (void)
{
    g_autoptr (JobEvent) a = make_event (0, "1"), b = make_event (1, "1"),
                         c = make_event (2, "2");

    g_assert_true (job_event_merge (a, b));
    g_assert_cmpuint (job_rank_set_get_count (a->ranks), ==, 2);
    g_assert_false (job_event_merge (a, c));
}

static void
test_bytes (void)
{
    g_autoptr (JobEvent) event = make_event (0, "1"), back = NULL;
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_event_encode (event));
    g_autoptr (GVariant) normal = g_variant_get_normal_form (variant);
    g_autoptr (GError) error = NULL;

    back = job_event_decode (normal, 8, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (job_detail_list_equal (event->details, back->details));
}

/* What comes over the net may be anything. */
static void
test_damage (void)
{
    g_autoptr (JobEvent) event = make_event (0, "1");
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_event_encode (event));
    gsize size = g_variant_get_size (variant);

    for (gsize i = 0; i < size; i++) {
        g_autofree guint8 *bytes = g_memdup2 (g_variant_get_data (variant), size);
        g_autoptr (GVariant) damaged = NULL;
        g_autoptr (JobEvent) back = NULL;

        bytes[i] ^= (guint8) (1u << (i % 8));
        damaged = g_variant_ref_sink (g_variant_new_from_data (g_variant_get_type (variant),
                                                               bytes, size, FALSE, NULL, NULL));
        back = job_event_decode (damaged, 8, NULL, NULL);
        for (guint j = 0; back != NULL && back->details != NULL && j < back->details->len;
             j++) {
            g_assert_cmpint (((JobDetail *) back->details->pdata[j])->kind, <, JOB_N_DETAILS);
        }
    }
}

int
main (int argc, char *argv[])
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/detail/lines", test_lines);
    g_test_add_func ("/job/detail/signals", test_signals);
    g_test_add_func ("/job/detail/equal", test_equal);
    g_test_add_func ("/job/detail/merge", test_merge);
    g_test_add_func ("/job/detail/bytes", test_bytes);
    g_test_add_func ("/job/detail/damage", test_damage);
    return g_test_run ();
}
