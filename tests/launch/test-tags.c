/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open MPI's line tags, as mpirun 4.1.4 was seen to write them, fed whole and byte by byte. */
#include "launch/tags.h"
#include <string.h>

typedef struct {
    const char *in, *out; /* out: "RANK|piece" each */
} Case;

static const Case cases[] = {
    { "[1,0]<stdout>:a\n[1,1]<stdout>:b\n", "0|a\n1|b\n" },
    { "[1,0]<stdout>:abc[1,1]<stdout>:abc[1,0]<stdout>:def\n[1,1]<stdout>:g\n",
      "0|abcdef\n1|abcg\n" },
    { "[1,0]<stdout>:[1,0]<stdout>:fake\n", "0|[1,0]<stdout>:fake\n" },
    { "mpirun says\n[1,3]<stdout>:x[y]\n", "job|mpirun says\n3|x[y]\n" },
    { "[1,0]<stdout>:[7,0]<stdout>:x\n[1,0]<stdout>:a[7,1]<stdout>:b\n",
      "0|[7,0]<stdout>:x\n0|a[7,1]<stdout>:b\n" },
    { "[1,0]<stdout>:no newline", "0|no newline" },
    { "[1,0]<stdout>:cut [1,", "0|cut [1," },
    { "[1,0]<stdout>:\n[1,0]<stdout>:\n", "0|\n0|\n" },
    { "[1,0]<stderr>:other stream\n", "job|[1,0]<stderr>:other stream\n" },
    { "[99999999999,0]<stdout>:\n[1,99999999999]<stdout>:x\n",
      "job|[99999999999,0]<stdout>:\n"
      "job|[1,99999999999]<stdout>:x\n" },
};

static void
on_text (guint32 rank, const char *text, gsize size, gpointer user)
{
    GString *out = user;
    if (rank == G_MAXUINT32) {
        g_string_append (out, "job|");
    } else {
        g_string_append_printf (out, "%u|", rank);
    }
    g_string_append_len (out, text, (gssize) size);
}

static void
check (const Case *example, gsize piece)
{
    GString *out = g_string_new (NULL);
    LaunchTags *tags = launch_tags_new (LAUNCH_TAGS_STREAM, G_MAXUINT32, 1, on_text, out);
    gsize size = strlen (example->in);
    for (gsize at = 0; at < size; at += piece) {
        launch_tags_feed (tags, example->in + at, MIN (piece, size - at));
    }
    launch_tags_finish (tags);
    g_assert_cmpstr (out->str, ==, example->out);
    launch_tags_free (tags);
    g_string_free (out, TRUE);
}

static void
test_cases (void)
{
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
        for (gsize piece = 1; piece <= 64; piece++) {
            check (&cases[i], piece);
        }
    }
}

/* Slurm's labels stand at the start of a line alone, padded to one width. */
static void
test_labels (void)
{
    static const char text[] = " 9: a\n10: 7: b\n 3: c 4: d\nsrun: error: x\n";
    for (gsize piece = 1; piece < sizeof text; piece++) {
        GString *out = g_string_new (NULL);
        LaunchTags *tags = launch_tags_new (LAUNCH_TAGS_LABEL, G_MAXUINT32, 1, on_text, out);
        for (gsize at = 0; at < sizeof text - 1; at += piece) {
            launch_tags_feed (tags, text + at, MIN (piece, sizeof text - 1 - at));
        }
        launch_tags_finish (tags);
        g_assert_cmpstr (out->str, ==, "9|a\n10|7: b\n3|c 4: d\njob|srun: error: x\n");
        launch_tags_free (tags);
        g_string_free (out, TRUE);
    }
}

/* PRRTE's tags end in a space, which is not the rank's; "raw" tags what goes on a line again. */
static void
test_spaced (void)
{
    static const char text[] = "[1,0]<stdout>: name? [1,1]<stdout>:  a\n[1,0]<stdout>: bob\n"
                               "prterun: x\n[1,0]<stdout>: \n";
    for (gsize piece = 1; piece < sizeof text; piece++) {
        GString *out = g_string_new (NULL);
        LaunchTags *tags = launch_tags_new (LAUNCH_TAGS_SPACED, G_MAXUINT32, 1, on_text, out);
        for (gsize at = 0; at < sizeof text - 1; at += piece) {
            launch_tags_feed (tags, text + at, MIN (piece, sizeof text - 1 - at));
        }
        launch_tags_finish (tags);
        g_assert_cmpstr (out->str, ==, "1| a\n0|name? bob\njob|prterun: x\n0|\n");
        launch_tags_free (tags);
        g_string_free (out, TRUE);
    }
}

static void
test_untagged (void)
{
    GString *out = g_string_new (NULL);
    LaunchTags *tags = launch_tags_new (LAUNCH_TAGS_NONE, 0, 1, on_text, out);
    launch_tags_feed (tags, "[1,1]<stdout>:x", 15);
    launch_tags_finish (tags);
    g_assert_cmpstr (out->str, ==, "0|[1,1]<stdout>:x");
    launch_tags_free (tags);
    g_string_free (out, TRUE);
}

/* A prompt has no line end: it must be seen before the answer is given. */
static void
test_open_line (void)
{
    GString *out = g_string_new (NULL);
    LaunchTags *tags = launch_tags_new (LAUNCH_TAGS_STREAM, G_MAXUINT32, 1, on_text, out);
    launch_tags_feed (tags, "[1,0]<stdout>:name? ", 20);
    g_assert_true (launch_tags_has_open (tags));
    launch_tags_give_open (tags);
    g_assert_false (launch_tags_has_open (tags));
    g_assert_cmpstr (out->str, ==, "0|name? ");
    launch_tags_feed (tags, "[1,0]<stdout>:bob\n", 18);
    g_assert_cmpstr (out->str, ==, "0|name? 0|bob\n");
    launch_tags_free (tags);
    g_string_free (out, TRUE);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/tags/cases", test_cases);
    g_test_add_func ("/tags/labels", test_labels);
    g_test_add_func ("/tags/spaced", test_spaced);
    g_test_add_func ("/tags/untagged", test_untagged);
    g_test_add_func ("/tags/open-line", test_open_line);
    return g_test_run ();
}
