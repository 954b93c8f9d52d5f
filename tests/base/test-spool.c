/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appended bytes are read back unchanged from memory and disk, whatever was discarded
 * meanwhile; a full disk is reported and retried. */
#include "base/spool.h"
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static char *folder;

/* The byte at an offset: no two stretches are alike. */
static char
get_byte (guint64 offset)
{
    return (char) ((offset * 2654435761u) >> 13);
}

static void
append (BaseSpool *spool, gsize size)
{
    g_autofree char *bytes = g_malloc (size + 1);
    guint64 end = base_spool_get_end (spool);

    for (gsize i = 0; i < size; i++) {
        bytes[i] = get_byte (end + i);
    }
    base_spool_append (spool, bytes, size);
    g_assert_cmpuint (base_spool_get_end (spool), ==, end + size);
}

static void
check (BaseSpool *spool, guint64 offset, gsize size)
{
    g_autofree char *bytes = g_malloc (size + 1);
    guint64 begin = base_spool_get_begin (spool), end = base_spool_get_end (spool);
    gsize expected = offset < begin || offset >= end ? 0 : (gsize) MIN (size, end - offset);

    g_assert_cmpuint (base_spool_read (spool, offset, bytes, size), ==, expected);
    for (gsize i = 0; i < expected; i++) {
        g_assert_cmpint (bytes[i], ==, get_byte (offset + i));
    }
}

static guint
count_files (void)
{
    g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
    guint n = 0;

    while (dir != NULL && g_dir_read_name (dir) != NULL) {
        n++;
    }
    return n;
}

static void
test_order (void)
{
    g_autoptr (BaseSpool) spool = base_spool_new (folder, MIB, G_MAXUINT64);

    check (spool, 0, 10);
    for (guint i = 0; i < 512; i++) {
        append (spool, 16384 + i);
        g_assert_cmpuint (base_spool_get_memory (spool), <=, MIB + 65536);
        g_assert_false (base_spool_is_full (spool));
    }
    g_assert_cmpuint (base_spool_get_end (spool), >, 8 * MIB);
    g_assert_cmpuint (count_files (), ==, 0); /* it has no name */
    for (guint64 at = 0; at < base_spool_get_end (spool); at += 100003) {
        check (spool, at, 200000);
    }
    check (spool, base_spool_get_end (spool), 1);
}

/* A queue: appended here, read and forgotten there, for long. */
static void
test_queue (void)
{
    g_autoptr (BaseSpool) spool = base_spool_new (folder, 2 * 65536, 4 * MIB);
    g_autoptr (GRand) random = g_rand_new_with_seed (3);
    guint64 at = 0;

    for (guint i = 0; i < 3000; i++) {
        if (base_spool_get_end (spool) - at < 3 * MIB) {
            append (spool, (gsize) g_rand_int_range (random, 0, 60000));
            g_assert_false (base_spool_is_full (spool));
        }
        if (g_rand_boolean (random)) {
            gsize size = (gsize) g_rand_int_range (random, 0, 70000);

            check (spool, at, size);
            at = MIN (at + size, base_spool_get_end (spool));
            base_spool_trim (spool, at);
            g_assert_cmpuint (base_spool_get_begin (spool), ==, at);
            check (spool, at - 1, 1); /* forgotten */
        }
        if (i % 500 == 0) {
            check (spool, at, base_spool_get_end (spool) - at);
            at = base_spool_get_end (spool);
            base_spool_trim (spool, at);
        }
    }
    g_assert_cmpuint (base_spool_get_end (spool), >, 10 * MIB);
}

static void
test_full (void)
{
    g_autoptr (BaseSpool) spool = base_spool_new (folder, 65536, 2 * 65536);

    append (spool, 3 * 65536);
    g_assert_false (base_spool_is_full (spool));
    append (spool, 65536);
    g_assert_true (base_spool_is_full (spool));
    g_assert_cmpstr (base_spool_get_problem (spool), ==, "the limit is reached");
    append (spool, 100); /* taken all the same */
    check (spool, 0, 5 * 65536);
    base_spool_trim (spool, 2 * 65536 + 10); /* room again */
    g_assert_false (base_spool_is_full (spool));
    check (spool, 2 * 65536 + 10, 3 * 65536);
}

/* The system's own refusal: no file may be longer than so. In a process of its own, which a signal
 * that nobody handles would end. */
static void
test_refused (void)
{
    int status = 0;
    pid_t child = fork ();

    if (child == 0) {
        struct rlimit limit = { 3 * 65536 + 5, 3 * 65536 + 5 };
        BaseSpool *spool = base_spool_new (folder, 65536, G_MAXUINT64);

        setrlimit (RLIMIT_FSIZE, &limit);
        append (spool, 10 * 65536);
        if (!base_spool_is_full (spool) || base_spool_get_problem (spool) == NULL) {
            _exit (2);
        }
        check (spool, 0, 10 * 65536);
        base_spool_trim (spool, 10 * 65536);
        append (spool, 2 * 65536);
        check (spool, 10 * 65536, 2 * 65536);
        _exit (base_spool_is_full (spool) ? 3 : 0);
    }
    g_assert_cmpint (waitpid (child, &status, 0), ==, child);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
test_no_folder (void)
{
    g_autofree char *path = g_build_filename ("/proc/self", "none", NULL);
    g_autoptr (BaseSpool) spool = base_spool_new (path, 65536, G_MAXUINT64);

    append (spool, 5 * 65536);
    g_assert_true (base_spool_is_full (spool));
    check (spool, 0, 5 * 65536);
}

int
main (int argc, char **argv)
{
    int result;

    g_test_init (&argc, &argv, NULL);
    folder = g_dir_make_tmp ("pddt-spool-XXXXXX", NULL);
    g_test_add_func ("/base/spool/order", test_order);
    g_test_add_func ("/base/spool/queue", test_queue);
    g_test_add_func ("/base/spool/full", test_full);
    g_test_add_func ("/base/spool/refused", test_refused);
    g_test_add_func ("/base/spool/no-folder", test_no_folder);
    result = g_test_run ();
    g_rmdir (folder);
    return result;
}
