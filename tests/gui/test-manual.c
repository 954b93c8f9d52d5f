/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of the manual as text, and the window that shows it: what is written, where links lead, and back. */
#include "gui/kit/manual-page.h"
#include "gui/kit/manual-window.h"
#include "widgets.h"
#include <glib/gstdio.h>
#include <string.h>

static const char page[]
    = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\" /><title>None</title>\n"
      "<style>h1 { a < b }</style></head><body>\n"
      "<h1 id=\"top\">A &amp; B</h1>\n\n<p>One  two\nthree &#8217;four&#8217; &unknown; a<br/>b</p>\n"
      "<ul>\n<li>first</li>\n<li><p>second <a href=\"other.html#here\">there</a></p></li>\n</ul>\n"
      "<pre><code>  a  b\nc &lt; d\n</code></pre>\n"
      "<table><thead><tr><th>word</th><th>meaning</th></tr></thead>\n"
      "<tbody><tr><td>x</td><td>what <code>x</code> is</td></tr></tbody></table>\n"
      "<p><img src=\"none.png\" alt=\"A picture\" /> end</p>\n<script>if (a < b) {}</script></body></html>";

static char *
dup_text (GtkTextBuffer *buffer)
{
    GtkTextIter begin, end;

    gtk_text_buffer_get_bounds (buffer, &begin, &end);
    return gtk_text_buffer_get_text (buffer, &begin, &end, FALSE);
}

static void
test_page (void)
{
    g_autoptr (GtkTextBuffer) buffer = gui_manual_page_new (page, "/nonexistent");
    g_autofree char *text = dup_text (buffer);
    GtkTextIter at, begin, end;

    g_assert_cmpstr (text, ==,
                     "A & B\n\nOne two three \xe2\x80\x99"
                     "four\xe2\x80\x99 &unknown; a\nb\n\n"
                     "\xe2\x80\xa2 first\n\xe2\x80\xa2 second there\n\n  a  b\nc < d\n\n"
                     "word\nmeaning\nx\nwhat x is\n\nA picture end\n\n");
    gtk_text_buffer_get_start_iter (buffer, &at);
    g_assert_true (gtk_text_iter_forward_search (&at, "there", 0, &begin, &end, NULL));
    g_assert_cmpstr (gui_manual_page_find_link (&begin), ==, "other.html#here");
    g_assert_null (gui_manual_page_find_link (&end));
    g_assert_true (gui_manual_page_find_id (buffer, "top", &at));
    g_assert_true (gtk_text_iter_is_start (&at));
    g_assert_false (gui_manual_page_find_id (buffer, "none", &at));
}

/* What is no page is text, or nothing. */
static void
test_broken (void)
{
    static const char *const texts[] = { "",
                                         "<",
                                         "<a",
                                         "</",
                                         "<>",
                                         "</ul></td></a></pre>",
                                         "&",
                                         "&;",
                                         "&#;",
                                         "&#xffffff;",
                                         "<a href=\"",
                                         "<a href=\"x",
                                         "<img src=\"",
                                         "<li><ul><ul><ul><ul><ul><ul><ul><ul>x",
                                         "\xff\xfe",
                                         "a > b" };

    for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
        g_autoptr (GtkTextBuffer) buffer = gui_manual_page_new (texts[i], "/nonexistent");
        g_autofree char *text = dup_text (buffer);

        g_assert_true (g_utf8_validate (text, -1, NULL));
    }
}

static char *
dup_shown (GtkWidget *window)
{
    return dup_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (widgets_find (window,
                                                                            "manual-text"))));
}

static void
assert_shown (GtkWidget *window, const char *part)
{
    g_autofree char *text = NULL;

    widgets_settle ();
    text = dup_shown (window);
    g_assert_nonnull (strstr (text, part));
}

/* Enter on the link that the page has. */
static void
follow (GtkWidget *window, const char *label)
{
    GtkWidget *view = widgets_find (window, "manual-text");
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
    GdkEvent *event = gdk_event_new (GDK_KEY_PRESS);
    GtkTextIter at, begin, end;
    gboolean is_taken;

    gtk_text_buffer_get_start_iter (buffer, &at);
    g_assert_true (gtk_text_iter_forward_search (&at, label, 0, &begin, &end, NULL));
    gtk_text_buffer_place_cursor (buffer, &begin);
    event->key.keyval = GDK_KEY_Return;
    event->key.window = g_object_ref (gtk_widget_get_window (view));
    g_signal_emit_by_name (view, "key-press-event", event, &is_taken);
    g_assert_true (is_taken);
    gdk_event_free (event);
}

static const char *
get_found (GtkWidget *window)
{
    return gtk_label_get_text (GTK_LABEL (widgets_find (window, "manual-found")));
}

/* Enter behind that text. What is said of it. */
static const char *
search (GtkWidget *window, const char *text)
{
    GtkWidget *entry = widgets_find (window, "manual-find");

    gtk_entry_set_text (GTK_ENTRY (entry), text);
    g_signal_emit_by_name (entry, "activate");
    return get_found (window);
}

static gboolean
is_in_sight (GtkTextView *view, const GtkTextIter *iter)
{
    GdkRectangle place, shown;

    gtk_text_view_get_iter_location (view, iter, &place);
    gtk_text_view_get_visible_rect (view, &shown);
    return place.y >= shown.y && place.y + place.height <= shown.y + shown.height;
}

static void
assert_selected (GtkWidget *window, const char *expected)
{
    GtkTextView *view = GTK_TEXT_VIEW (widgets_find (window, "manual-text"));
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
    GtkTextIter begin, end;
    gint64 limit_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
    g_autofree char *text = NULL;

    g_assert_true (gtk_text_buffer_get_selection_bounds (buffer, &begin, &end));
    text = gtk_text_buffer_get_text (buffer, &begin, &end, FALSE);
    g_assert_cmpstr (text, ==, expected);
    while (!is_in_sight (view, &begin)) { /* GTK scrolls there by and by */
        g_assert_cmpint (g_get_monotonic_time (), <, limit_us);
        g_main_context_iteration (NULL, FALSE);
    }
}

static void
test_window (void)
{
    g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
    g_autofree char *first = g_build_filename (folder, "index.html", NULL);
    g_autofree char *other = g_build_filename (folder, "other.html", NULL);
    g_autoptr (GString) long_page = g_string_new ("<p>other</p><h2 id=\"here\">Here</h2>");
    GtkTextIter start;
    GtkWidget *window;

    for (guint i = 0; i < 300; i++) {
        g_string_append (long_page, "<p>A paragraph that has to be laid out.</p>");
    }
    g_string_append (long_page, "<p><a href=\"gone.html\">gone</a> "
                                "<a href=\"index.html\">first</a></p>");
    for (guint i = 0; i < 100; i++) {
        g_string_append (long_page, "<p>Another one.</p>");
    }
    g_assert_true (g_file_set_contents (first, page, -1, NULL));
    g_assert_true (g_file_set_contents (other, long_page->str, -1, NULL));
    window = gui_manual_window_open (NULL, first);
    assert_shown (window, "A & B");
    g_assert_false (gtk_widget_get_sensitive (widgets_find (window, "manual-back")));
    follow (window, "there");
    assert_shown (window, "Here");
    follow (window, "gone"); /* it stays */
    assert_shown (window, "Here");
    gtk_button_clicked (GTK_BUTTON (widgets_find (window, "manual-back")));
    assert_shown (window, "A & B");
    gtk_text_buffer_get_start_iter (
        gtk_text_view_get_buffer (GTK_TEXT_VIEW (widgets_find (window, "manual-text"))),
        &start);
    g_assert_true (is_in_sight (GTK_TEXT_VIEW (widgets_find (window, "manual-text")), &start));
    g_assert_cmpstr (search (window, "TWO"), ==, ""); /* further down in the page */
    assert_selected (window, "two");
    g_assert_cmpstr (search (window, "gone"), ==, ""); /* in the other one */
    assert_shown (window, "Here");
    assert_selected (window, "gone");
    g_assert_cmpstr (search (window, "gone"), ==, ""); /* once more, from the beginning */
    assert_selected (window, "gone");
    g_assert_cmpstr (search (window, "nowhere"), ==, "No match");
    assert_shown (window, "Here");
    gtk_entry_set_text (GTK_ENTRY (widgets_find (window, "manual-find")), "nowhere else");
    g_assert_cmpstr (get_found (window), ==, "");
    gtk_button_clicked (GTK_BUTTON (widgets_find (window, "manual-back")));
    assert_shown (window, "A & B");
    gtk_widget_destroy (window);
    g_unlink (first);
    g_unlink (other);
    g_rmdir (folder);
}

int
main (int argc, char **argv)
{
    g_autoptr (GtkApplication) application = widgets_start (&argc, &argv);

    g_test_add_func ("/manual/page", test_page);
    g_test_add_func ("/manual/broken", test_broken);
    g_test_add_func ("/manual/window", test_window);
    return g_test_run ();
}
