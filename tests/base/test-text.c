/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both forms of a sentence, with a catalogue that this test writes, and without one. */
#include "base/text.h"
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#define DOMAIN "test-text"

/* The format of .mo (GNU gettext's manual, "The Format of GNU MO Files"): sorted by original. */
static const char *const originals[] = { "",
                                         "%u rank has ended on %s\0%u ranks have ended on %s",
                                         "call\004%s in %s", "host %s answers again" };
static const gsize original_sizes[] = { 0, 50, 0, 21 };
static const char *const words[]
    = { "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n > 1;\n",
        "%2$s: %1$u rang\0%2$s: %1$u rangs", "%2$s (%1$s)", "%s est de retour" };
static const gsize words_sizes[] = { 0, 33, 0, 16 };

static void
append_table (GString *table, GString *texts, const char *const *list, const gsize *sizes,
              guint32 begin)
{
    for (guint i = 0; i < G_N_ELEMENTS (originals); i++) {
        guint32 size = (guint32) (sizes[i] > 0 ? sizes[i] : strlen (list[i]));
        guint32 at = begin + (guint32) texts->len;

        g_string_append_len (table, (const char *) &size, sizeof size);
        g_string_append_len (table, (const char *) &at, sizeof at);
        g_string_append_len (texts, list[i], (gssize) size);
        g_string_append_c (texts, '\0');
    }
}

static void
write_catalogue (const char *folder)
{
    const guint32 n = G_N_ELEMENTS (originals);
    const guint32 head[7] = { 0x950412de, 0, n, sizeof head, sizeof head + 8 * n, 0, 0 };
    g_autofree char *path = g_build_filename (folder, "xx", "LC_MESSAGES", NULL);
    g_autofree char *file = g_build_filename (path, DOMAIN ".mo", NULL);
    g_autoptr (GString) all = g_string_new_len ((const char *) head, sizeof head);
    g_autoptr (GString) texts = g_string_new (NULL);
    g_autoptr (GError) error = NULL;

    append_table (all, texts, originals, original_sizes, (guint32) sizeof head + 16 * n);
    append_table (all, texts, words, words_sizes, (guint32) sizeof head + 16 * n);
    g_string_append_len (all, texts->str, (gssize) texts->len);
    g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
    g_file_set_contents (file, all->str, (gssize) all->len, &error);
    g_assert_no_error (error);
}

static void
check (BaseText *text, const char *english, const char *shown)
{
    g_autoptr (BaseText) owned = text;

    g_assert_cmpstr (owned->english, ==, english);
    g_assert_cmpstr (owned->shown, ==, shown);
}

static void
check_print (char *english, char *shown, const char *wanted_english, const char *wanted_shown)
{
    check (base_text_new_take (english, shown), wanted_english, wanted_shown);
}

static BaseText *
count (guint n)
{
    return base_text_new_plural ("%u rank has ended on %s", "%u ranks have ended on %s", n, n,
                                 "a");
}

static void
test_without (void)
{
    check (base_text_new (N_ ("host %s answers again"), "a"), "host a answers again",
           "host a answers again");
    check (count (1), "1 rank has ended on a", "1 rank has ended on a");
    check (count (0), "0 ranks have ended on a", "0 ranks have ended on a");
}

/* The language decides about 0 for itself, and may take the arguments in another order. */
static void
test_with (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-text-XXXXXX", NULL);
    g_autofree char *language = g_build_filename (folder, "xx", NULL);
    g_autofree char *path = g_build_filename (language, "LC_MESSAGES", NULL);
    g_autofree char *file = g_build_filename (path, DOMAIN ".mo", NULL);
    g_autofree char *locale = g_build_filename (folder, "en_US.utf8", NULL);

    g_assert_cmpint (symlink ("/usr/lib/locale/C.utf8", locale), ==, 0);
    g_setenv ("LOCPATH", folder, TRUE); /* glibc 2.41 translates nothing in a locale named C */
    if (setlocale (LC_ALL, "en_US.UTF-8") == NULL) {
        g_test_skip ("no locale with UTF-8");
        return;
    }
    write_catalogue (folder);
    bindtextdomain (DOMAIN, folder);
    bind_textdomain_codeset (DOMAIN, "UTF-8");
    textdomain (DOMAIN);
    check (base_text_new (N_ ("host %s answers again"), "a"), "host a answers again",
           "a est de retour");
    check (count (0), "0 ranks have ended on a", "a: 0 rang");
    check (count (1), "1 rank has ended on a", "a: 1 rang");
    check (count (2), "2 ranks have ended on a", "a: 2 rangs");
    check (base_text_new (N_ ("nobody knows %d"), 3), "nobody knows 3", "nobody knows 3");
    check (base_text_new ("%s", "as it was said"), "as it was said", "as it was said");
    check (base_text_new_foreign ("100 %s"), "100 %s", "100 %s");
    check_print (base_text_print (BASE_TEXT_ENGLISH, "host %s answers again", "a"),
                 base_text_print (BASE_TEXT_SHOWN, "host %s answers again", "a"),
                 "host a answers again", "a est de retour");
    check_print (base_text_print_in (BASE_TEXT_ENGLISH, "call", "%s in %s", "3", "MPI_Recv"),
                 base_text_print_in (BASE_TEXT_SHOWN, "call", "%s in %s", "3", "MPI_Recv"),
                 "3 in MPI_Recv", "MPI_Recv (3)");
    check_print (base_text_print_in (BASE_TEXT_ENGLISH, "other", "%s in %s", "3", "MPI_Recv"),
                 base_text_print_in (BASE_TEXT_SHOWN, "other", "%s in %s", "3", "MPI_Recv"),
                 "3 in MPI_Recv", "3 in MPI_Recv");
    check_print (base_text_print_plural (BASE_TEXT_ENGLISH, "%u rank has ended on %s",
                                         "%u ranks have ended on %s", 0, 0u, "a"),
                 base_text_print_plural (BASE_TEXT_SHOWN, "%u rank has ended on %s",
                                         "%u ranks have ended on %s", 0, 0u, "a"),
                 "0 ranks have ended on a", "a: 0 rang");
    base_text_free (NULL);
    g_remove (locale);
    g_remove (file);
    g_rmdir (path);
    g_rmdir (language);
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_setenv ("LANGUAGE", "xx", TRUE);
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/text/without", test_without);
    g_test_add_func ("/base/text/with", test_with);
    return g_test_run ();
}
