/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tabs of files that stand where the job is: a script's, of which this host has none. */
#include <string.h>
#include "base/words.h"
#include "gui/kit/settings.h"
#include "gui/source/source-locate.h"
#include "gui/source/source-page.h"
#include "gui/source/source-view.h"
#include "session/options.h"
#include "session/sources.h"

typedef struct {
    Session *session;
    GtkWidget *window;
    GuiSourceView *view;
    GString *loaded; /* "a.c " as it comes, "-b.c " for a file that is not there */
} Rig;

static void
on_loaded (GuiSourceView *view, const char *file, gboolean is_there, Rig *rig)
{
    g_string_append_printf (rig->loaded, "%s%s ", is_there ? "" : "-", strrchr (file, '/') + 1);
}

static void
open_rig (Rig *rig)
{
    rig->session = session_new ();
    session_start_scripted (rig->session, 2, NULL, NULL);
    session_script_source (rig->session, "/far/a.c", "one\ntwo\nthree\n");
    session_script_source (rig->session, "/far/b.c", "four\n");
    rig->window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    rig->view = GUI_SOURCE_VIEW (gui_source_view_new ());
    rig->loaded = g_string_new (NULL);
    g_object_set (rig->view, "session", rig->session, NULL);
    g_signal_connect (rig->view, "loaded", G_CALLBACK (on_loaded), rig);
    gtk_container_add (GTK_CONTAINER (rig->window), GTK_WIDGET (rig->view));
    gtk_widget_show_all (rig->window);
}

static void
close_rig (Rig *rig)
{
    gtk_widget_destroy (rig->window);
    g_object_unref (rig->session);
    g_string_free (rig->loaded, TRUE);
}

static void
await_loaded (const Rig *rig, const char *expected)
{
    gint64 limit_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    while (strcmp (rig->loaded->str, expected) != 0 && g_get_monotonic_time () < limit_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_cmpstr (rig->loaded->str, ==, expected);
}

static void
assert_places (const Rig *rig, const char *expected)
{
    g_auto (GStrv) places = gui_source_view_dup_places (rig->view);
    g_autofree char *text = g_strjoinv (" ", places);

    g_assert_cmpstr (text, ==, expected);
}

/* Of an earlier run's tabs those are left out whose file is gone; one that is asked for says so. */
static void
test_restored (void)
{
    Rig rig;
    guint line;

    open_rig (&rig);
    gui_source_view_restore (rig.view, "/far/a.c", 2);
    gui_source_view_restore (rig.view, "/etc/passwd",
                             1); /* this host has it, the job does not */
    gui_source_view_restore (rig.view, "/far/b.c", 1);
    await_loaded (&rig, "a.c -passwd b.c ");
    assert_places (&rig, "/far/a.c:2 /far/b.c:1");
    gui_source_view_show (rig.view, "/far/gone.c", 7, FALSE);
    await_loaded (&rig, "a.c -passwd b.c -gone.c ");
    assert_places (&rig, "/far/a.c:2 /far/b.c:1 /far/gone.c:7");
    g_assert_null (gui_source_view_get_cursor (rig.view, &line));
    close_rig (&rig);
}

/* Sources that have moved are read again: a text that is the same stays as it is, with its cursor. */
static void
test_moved (void)
{
    Rig rig;
    guint line = 0;

    open_rig (&rig);
    gui_source_view_show (rig.view, "/far/gone.c", 1, FALSE);
    gui_source_view_show (rig.view, "/far/a.c", 3, FALSE);
    await_loaded (&rig, "-gone.c a.c ");
    session_script_source (rig.session, "/far/gone.c", "here\n");
    job_request_free (session_set_option (rig.session, "source-folders", "/there"));
    await_loaded (&rig, "-gone.c a.c gone.c ");
    g_assert_cmpstr (gui_source_view_get_cursor (rig.view, &line), ==, "/far/a.c");
    g_assert_cmpuint (line, ==, 3);
    session_script_source (rig.session, "/far/a.c", "one\nmore\n");
    job_request_free (session_set_option (rig.session, "source-folders", "/elsewhere"));
    await_loaded (&rig, "-gone.c a.c gone.c a.c ");
    close_rig (&rig);
}

/* What the widgets below say and offer: "TEXT;" of a label, "[TEXT]" of a button, as far as they are shown. */
static void
add_shown (GtkWidget *widget, gpointer text)
{
    if (!gtk_widget_get_visible (widget)) {
        return;
    }
    if (GTK_IS_BUTTON (widget)) {
        g_string_append_printf (text, "[%s]", gtk_button_get_label (GTK_BUTTON (widget)));
    } else if (GTK_IS_LABEL (widget)) {
        g_string_append_printf (text, "%s;", gtk_label_get_text (GTK_LABEL (widget)));
    } else if (GTK_IS_STACK (widget)) {
        add_shown (gtk_stack_get_visible_child (GTK_STACK (widget)), text);
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), add_shown, text);
    }
}

static void
assert_page (const char *file, const char *expected)
{
    GtkWidget *page = g_object_ref_sink (gui_source_page_new (gtk_text_view_new (), TRUE));
    g_autoptr (GString) text = g_string_new (NULL);

    gui_source_page_show_missing (GUI_SOURCE_PAGE (page), file, "no such file");
    add_shown (page, text);
    g_assert_cmpstr (text->str, ==, expected);
    g_object_unref (page);
}

/* A file that is missing can be located; code that is in none cannot. */
static void
test_missing (void)
{
    assert_page ("/far/gone.c", "Cannot show gone.c\nno such file;[Locate Source…]");
    assert_page ("<string>",
                 "Cannot show <string>\nIt is not a file: Python was given this code by -c, "
                 "exec or eval;");
}

static guint n_refused;

static void
on_refused (GtkWidget *widget, const char *file, const char *why)
{
    g_assert_cmpstr (file, ==, "/build/passwd");
    g_assert_nonnull (strstr (why, "/etc/passwd"));
    n_refused++;
}

/* What the user finds on this host's disk counts when the job's host has it. */
static void
test_located (void)
{
    gint64 limit_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;
    Rig rig;

    open_rig (&rig);
    gui_source_view_show (rig.view, "/build/passwd", 2, FALSE);
    await_loaded (&rig, "-passwd ");
    gui_source_locate (GTK_WIDGET (rig.view), rig.session, "/build/passwd", "/etc/passwd",
                       on_refused);
    while (n_refused == 0 && g_get_monotonic_time () < limit_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_cmpuint (n_refused, ==, 1);
    g_assert_null (session_get_source_folders (rig.session));
    session_script_source (rig.session, "/far/passwd", "one\ntwo\n");
    gui_source_locate (GTK_WIDGET (rig.view), rig.session, "/build/passwd", "/far/passwd",
                       on_refused);
    await_loaded (&rig, "-passwd passwd ");
    assert_places (&rig, "/build/passwd:2");
    g_assert_cmpuint (n_refused, ==, 1);
    close_rig (&rig);
}

int
main (int argc, char **argv)
{
    gtk_test_init (&argc, &argv, NULL);
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    g_test_add_func ("/source-view/restored", test_restored);
    g_test_add_func ("/source-view/moved", test_moved);
    g_test_add_func ("/source-view/missing", test_missing);
    g_test_add_func ("/source-view/located", test_located);
    return g_test_run ();
}
