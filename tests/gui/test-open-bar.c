/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In which order the bar offers names: the program's own first, whatever was looked up before. */
#include <string.h>
#include "base/words.h"
#include "gui/kit/settings.h"
#include "gui/source/open-bar.h"
#include "session/sources.h"

static void
find_entry (GtkWidget *widget, gpointer user)
{
    if (GTK_IS_ENTRY (widget)) {
        *(GtkWidget **) user = widget;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_entry, user);
    }
}

/* What is offered for the text, in order: "a b c". */
static char *
list_offers (GtkWidget *entry)
{
    GtkEntryCompletion *completion = gtk_entry_get_completion (GTK_ENTRY (entry));
    GtkTreeModel *model = gtk_entry_completion_get_model (completion);
    const char *typed = gtk_entry_get_text (GTK_ENTRY (entry));
    GString *text = g_string_new (NULL);
    GtkTreeIter iter;

    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        g_autofree char *name = NULL;

        gtk_tree_model_get (model, &iter, 0, &name, -1);
        if (strstr (name, typed) != NULL) {
            g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", name);
        }
    }
    return g_string_free (text, FALSE);
}

static void
assert_offers (GtkWidget *entry, const char *typed, const char *expected)
{
    g_autofree char *offers = NULL;

    gtk_entry_set_text (GTK_ENTRY (entry), typed);
    offers = list_offers (entry);
    g_assert_cmpstr (offers, ==, expected);
}

static void
test_order (void)
{
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *entry = NULL;
    GuiOpenBar *bar = GUI_OPEN_BAR (gui_open_bar_new ());

    gtk_container_add (GTK_CONTAINER (window), GTK_WIDGET (bar));
    gtk_widget_show_all (window);
    gui_open_bar_show (bar, NULL, FALSE);
    find_entry (GTK_WIDGET (bar), &entry);
    g_assert_nonnull (entry);
    /* as the answers to "ma" come, a library's before and after the program's */
    gui_open_bar_add_function (bar, "_ZN4main3runEv", NULL, 1, TRUE);
    gui_open_bar_add_function (bar, "main_arena", "malloc.c", 3, TRUE);
    gui_open_bar_add_function (bar, "domain", "/app/a.c", 3, FALSE);
    gui_open_bar_add_function (bar, "main_loop", "/app/a.c", 9, FALSE);
    gui_open_bar_add_function (bar, "grid::main", "/app/grid.cc", 9, FALSE);
    gui_open_bar_add_function (bar, "main", "/app/a.c", 20, FALSE);
    assert_offers (entry, "mai", "main main_loop grid::main domain main_arena _ZN4main3runEv");
    assert_offers (entry, "main_", "main_loop main_arena");
    assert_offers (entry, "domain", "domain");
    gtk_widget_destroy (window);
}

static void
on_open (GuiOpenBar *bar, const char *file, guint line, GString *said)
{
    g_string_append_printf (said, "open %s:%u;", file, line);
}

static void
on_lookup (GuiOpenBar *bar, const char *text, GString *said)
{
    g_string_append_printf (said, "look up %s;", text);
    gui_open_bar_finish (bar);
}

static void
assert_said (GuiOpenBar *bar, GtkWidget *entry, GString *said, const char *typed,
             const char *expected)
{
    gint64 limit_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    g_string_truncate (said, 0);
    gui_open_bar_show (bar, NULL, FALSE);
    gtk_entry_set_text (GTK_ENTRY (entry), typed);
    g_signal_emit_by_name (entry, "activate");
    while (said->len == 0 && g_get_monotonic_time () < limit_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_cmpstr (said->str, ==, expected);
}

/* A path is a file where the job is, not on this host; else the program may know what it is. */
static void
test_path (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (GString) said = g_string_new (NULL);
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *entry = NULL;
    GuiOpenBar *bar = GUI_OPEN_BAR (gui_open_bar_new ());

    session_start_scripted (session, 2, NULL, NULL);
    session_script_source (session, "/far/a.c", "int a;\n");
    g_object_set (bar, "session", session, NULL);
    gtk_container_add (GTK_CONTAINER (window), GTK_WIDGET (bar));
    gtk_widget_show_all (window);
    find_entry (GTK_WIDGET (bar), &entry);
    g_signal_connect (bar, "open", G_CALLBACK (on_open), said);
    g_signal_connect (bar, "lookup", G_CALLBACK (on_lookup), said);
    assert_said (bar, entry, said, "/far/a.c:12", "open /far/a.c:12;");
    assert_said (bar, entry, said, "/far/a.c", "open /far/a.c:1;");
    assert_said (bar, entry, said, "/etc/passwd", "look up /etc/passwd;");
    gtk_widget_destroy (window);
}

int
main (int argc, char **argv)
{
    gtk_test_init (&argc, &argv, NULL);
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    g_test_add_func ("/open-bar/order", test_order);
    g_test_add_func ("/open-bar/path", test_path);
    return g_test_run ();
}
