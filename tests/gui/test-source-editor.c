/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-editor.h"
#include "base/error.h"

static void
test_commands (void)
{
    static const struct {
        const char *command, *words;
        gboolean is_in_terminal;
    } cases[] = {
        { "gvim", "gvim|+12|/tmp/a b.c", FALSE },
        { "/usr/bin/vim -R", "/usr/bin/vim|-R|+12|/tmp/a b.c", TRUE },
        { "code", "code|--goto|/tmp/a b.c:12", FALSE },
        { "kate --new", "kate|--new|--line|12|/tmp/a b.c", FALSE },
        { "emacs", "emacs|+12|/tmp/a b.c", FALSE },
        { "emacs -nw", "emacs|-nw|+12|/tmp/a b.c", TRUE },
        { "emacsclient -t", "emacsclient|-t|+12|/tmp/a b.c", TRUE },
        { "my-editor --line=%l --file=%f", "my-editor|--line=12|--file=/tmp/a b.c", FALSE },
        { "nano", "nano|+12|/tmp/a b.c", TRUE },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        gboolean is_in_terminal;
        g_autoptr (GError) error = NULL;
        g_auto (GStrv) words = gui_source_editor_make (cases[i].command, "/tmp/a b.c", 12,
                                                       &is_in_terminal, &error);
        g_autofree char *joined = NULL;

        g_assert_no_error (error);
        joined = g_strjoinv ("|", words);
        g_assert_cmpstr (joined, ==, cases[i].words);
        g_assert_cmpint (is_in_terminal, ==, cases[i].is_in_terminal);
    }
}

static void
test_wrong (void)
{
    static const char *const commands[] = { "", "vim 'x", "sh -c 'edit %f'",
                                            "sh -c \"vi $(cat %f)\"" };

    for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
        gboolean is_in_terminal;
        g_autoptr (GError) error = NULL;

        g_assert_null (gui_source_editor_make (commands[i], "/tmp/a.c", 1, &is_in_terminal,
                                               &error));
        g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
    }
}

static void
test_missing (void)
{
    g_autoptr (GError) error = NULL;

    g_assert_false (gui_source_editor_open ("/nowhere/a.c", 1, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/gui/source-editor/commands", test_commands);
    g_test_add_func ("/gui/source-editor/wrong", test_wrong);
    g_test_add_func ("/gui/source-editor/missing", test_missing);
    return g_test_run ();
}
