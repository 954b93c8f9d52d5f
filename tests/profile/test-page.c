/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in a column of numbers and is none: the JSON form stays JSON. */
#include "profile/page.h"
#include <glib/gstdio.h>
#include <string.h>

static void
test_words (void)
{
    const ProfileColumn columns[] = { { "Thread", NULL, PROFILE_COLUMN_NUMBER, NULL } };
    g_autoptr (ProfilePage) page = profile_page_new ("A page");
    g_autofree char *folder = g_dir_make_tmp ("pddt-page-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "page.json", NULL);
    g_autofree char *text = NULL;
    const char *rows;

    profile_page_begin_section (page, "Lost events");
    profile_page_begin_table (page, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    profile_page_add_count (page, 1);
    profile_page_add_number (page, -2.5, 1);
    profile_page_add_cell (page, "1e6");
    profile_page_add_cell (page, NULL);
    profile_page_add_cell (page, "others");
    profile_page_add_cell (page, "nan");
    profile_page_add_cell (page, "0x10");
    profile_page_add_cell (page, "");
    g_assert_true (profile_page_save (page, path, NULL));
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    rows = strstr (text, "\"rows\":");
    g_assert_nonnull (rows);
    g_assert_true (g_str_has_prefix (
        rows, "\"rows\":[\n[1],\n[-2.5],\n[1e6],\n[null],\n[\"others\"],\n[\"nan\"],\n"
              "[\"0x10\"],\n[\"\"]]"));
    g_unlink (path);
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/profile/page/words", test_words);
    return g_test_run ();
}
