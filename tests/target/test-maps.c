/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory maps: lines of all kinds, nonsense, and this very process. */
#include "target/maps.h"
#include "base/error.h"
#include <unistd.h>

static void
test_lines (void)
{
    g_autoptr (GArray) maps = target_maps_parse (
        "00400000-00401000 r-xp 00002000 08:02 1234                       /usr/bin/a b\n"
        "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
        "7f0000002000-7f0000003000 r--p 00000000 fd:01 77                 /lib/x.so (deleted)\n"
        "7ffe00000000-7ffe00001000 rw-p 00000000 00:00 0                  [stack]\n");
    const TargetMap *map;

    g_assert_cmpuint (maps->len, ==, 4);
    map = target_maps_find (maps, 0x400fff);
    g_assert_nonnull (map);
    g_assert_cmpstr (map->path, ==, "/usr/bin/a b");
    g_assert_true (map->executable && map->readable && !map->writable && !map->deleted);
    g_assert_cmphex (map->offset, ==, 0x2000);
    g_assert_cmpuint (map->inode, ==, 1234);
    g_assert_null (target_maps_find (maps, 0x401000));
    g_assert_null (target_maps_find (maps, 0));
    map = target_maps_find (maps, 0x7f0000000000);
    g_assert_cmpstr (map->path, ==, "");
    map = target_maps_find (maps, 0x7f0000002abc);
    g_assert_cmpstr (map->path, ==, "/lib/x.so");
    g_assert_true (map->deleted);
    g_assert_cmpstr (target_maps_find (maps, 0x7ffe00000001)->path, ==, "[stack]");
    g_assert_null (target_maps_find (maps, G_MAXUINT64));
}

static void
test_nonsense (void)
{
    static const char *const texts[] = { "",
                                         "\n\n",
                                         "zzz",
                                         "10-5 r-xp 0 0:0 0 x\n",
                                         "1-2",
                                         "1-2 r",
                                         "1-2 rwxp 0 0",
                                         "-",
                                         "1-\n2-\n",
                                         "1-2 rwxp 00 00:00 0" };

    for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
        g_autoptr (GArray) maps = target_maps_parse (texts[i]);

        g_assert_cmpuint (maps->len, <=, 1);
    }
}

static void
test_self (void)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) maps = target_maps_read (getpid (), &error);
    const TargetMap *map;

    g_assert_no_error (error);
    map = target_maps_find (maps, (guint64) (gsize) &test_self);
    g_assert_nonnull (map);
    g_assert_true (map->executable);
    map = target_maps_find (maps, (guint64) (gsize) &error);
    g_assert_true (map->writable);
}

static void
test_gone (void)
{
    g_autoptr (GError) error = NULL;

    g_assert_null (target_maps_read (0x7ffffffe, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_GONE);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/target/maps/lines", test_lines);
    g_test_add_func ("/target/maps/nonsense", test_nonsense);
    g_test_add_func ("/target/maps/self", test_self);
    g_test_add_func ("/target/maps/gone", test_gone);
    return g_test_run ();
}
