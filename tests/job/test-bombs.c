/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A few bytes that would decode to much memory: each is refused with the production limits, in
 * a process with too little memory for it. */
#include "base/cursor.h"
#include "base/error.h"
#include "job/event.h"
#include <sys/resource.h>

#define ALL_SLOTS (65536u * 16384u)
#define ROOM (512u << 20)

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#endif

/* Nothing from here on may take more than ROOM. */
static void
limit_memory (void)
{
#ifndef IS_SANITIZED /* whose shadow is larger than any limit */
    g_autofree char *text = NULL;
    guint64 pages;

    g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
    pages = g_ascii_strtoull (text, NULL, 10);
    const struct rlimit limit = { pages * 4096 + ROOM, pages * 4096 + ROOM };
    g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
#endif
}

/* {0, 2, 4, …}: ten bytes for 500 million ranges. */
static GByteArray *
make_strided (guint64 repeats)
{
    GByteArray *bytes = g_byte_array_new ();
    const guint8 kind = 1;

    g_byte_array_append (bytes, &kind, 1);
    base_bytes_put_uleb (bytes, 1);
    base_bytes_put_uleb (bytes, 0);
    base_bytes_put_uleb (bytes, 0);
    base_bytes_put_uleb (bytes, repeats);
    base_bytes_put_uleb (bytes, 2);
    return bytes;
}

static void
test_set (void)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GByteArray) bomb = make_strided (ALL_SLOTS / 2 - 1),
                           million = make_strided (499999);
    g_autoptr (GByteArray) bits = g_byte_array_new ();
    g_autoptr (JobRankSet) good = job_rank_set_decode (million->data, million->len, ALL_SLOTS,
                                                       NULL);
    const guint8 kind = 2, alternate = 0x55;

    g_assert_cmpuint (bomb->len, ==, 10);
    g_assert_null (job_rank_set_decode (bomb->data, bomb->len, ALL_SLOTS, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    g_assert_cmpuint (job_rank_set_get_count (good), ==, 500000);
    g_byte_array_append (bits, &kind, 1);
    base_bytes_put_uleb (bits, 0);
    for (guint i = 0; i < 40u << 20; i++) {
        g_byte_array_append (bits, &alternate, 1);
    }
    g_assert_null (job_rank_set_decode (bits->data, bits->len, ALL_SLOTS, NULL));
}

/* A stack of so many frames, all of one function, whose name stands in the bytes once. */
static GVariant *
make_tree (guint n_frames, gsize name_size)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 1);
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    g_autoptr (GVariant) encoded = NULL;
    g_autofree char *name = g_strnfill (name_size, 'f');
    const char *const names[] = { name };

    for (guint i = 0; i < n_frames; i++) {
        JobFrame *frame = job_frame_new ();

        frame->location.function = g_strdup ("f");
        frame->location.line = i;
        g_ptr_array_add (frames, frame);
    }
    job_stack_tree_add (tree, frames, ranks);
    encoded = g_variant_ref_sink (job_stack_tree_encode (tree));
    gsize n = g_variant_n_children (encoded);
    g_autofree GVariant **children = g_new (GVariant *, n);
    for (gsize i = 1; i < n; i++) {
        children[i] = g_variant_get_child_value (encoded, i);
    }
    children[0] = g_variant_new_bytestring_array (names, 1);
    GVariant *bomb = g_variant_ref_sink (g_variant_new_tuple (children, n));
    for (gsize i = 1; i < n; i++) {
        g_variant_unref (children[i]);
    }
    return bomb;
}

static void
test_texts (void)
{
    g_autoptr (GVariant) small = make_tree (2000, 1000), bomb = make_tree (2000, 1 << 20);
    g_autoptr (JobStackTree) good = job_stack_tree_decode (small, 1, NULL);
    g_autoptr (GError) error = NULL;

    g_assert_nonnull (good);
    g_assert_cmpuint (g_variant_get_size (bomb), <, 2 << 20);
    g_assert_null (job_stack_tree_decode (bomb, 1, &error)); /* two gigabytes */
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
}

/* Many events of one packet, each within its limit. */
static void
test_sum (void)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    guint64 left = JOB_EVENT_MAX_BYTES;
    guint n_good = 0;

    for (guint32 i = 0; i < 1000000; i += 2) {
        job_rank_set_add (ranks, i);
    }
    JobEvent *event = job_event_new (JOB_EVENT_STATE, 1, ranks);
    event->state = JOB_STATE_RUNNING;
    g_autoptr (GVariant) content = g_variant_ref_sink (job_event_encode (event));
    job_event_free (event);
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_assert_cmpuint (g_variant_get_size (content), <, 100);
    for (guint i = 0; i < 1000; i++) {
        JobEvent *one = job_event_decode (content, ALL_SLOTS, &left, NULL);

        if (one != NULL) {
            g_ptr_array_add (events, one);
            n_good++;
        }
    }
    g_assert_cmpuint (n_good, >, 10);
    g_assert_cmpuint (n_good, <, 70);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    limit_memory ();
    g_test_add_func ("/bombs/set", test_set);
    g_test_add_func ("/bombs/texts", test_texts);
    g_test_add_func ("/bombs/sum", test_sum);
    return g_test_run ();
}
