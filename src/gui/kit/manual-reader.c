/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/kit/manual-reader.h"
#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>
#include "gui/kit/theme.h"

enum { WIDTH = 760, HEIGHT = 640, MARGIN = 18 };

typedef struct {
    GtkWidget *view;
    GtkTextBuffer *buffer;
    char *page;      /* its path */
    char *link;      /* where the text that is being added leads; NULL */
    gboolean is_pre; /* blanks and line ends stay */
    gboolean is_hidden;
    guint bold, code, head;
    gboolean wants_space; /* between two words */
} Reader;

static void show_page (Reader *reader, const char *page);

static void
free_reader (gpointer data)
{
    Reader *reader = data;

    g_free (reader->page);
    g_free (reader->link);
    g_free (reader);
}

/* ---- text ---- */

static void
insert (Reader *reader, const char *text)
{
    GtkTextIter end, start;
    GtkTextMark *mark;

    gtk_text_buffer_get_end_iter (reader->buffer, &end);
    mark = gtk_text_buffer_create_mark (reader->buffer, NULL, &end, TRUE);
    gtk_text_buffer_insert (reader->buffer, &end, text, -1);
    gtk_text_buffer_get_iter_at_mark (reader->buffer, &start, mark);
    gtk_text_buffer_delete_mark (reader->buffer, mark);
    if (reader->head > 0) {
        gtk_text_buffer_apply_tag_by_name (reader->buffer, reader->head < 2 ? "title" : "head",
                                           &start, &end);
    }
    if (reader->bold > 0) {
        gtk_text_buffer_apply_tag_by_name (reader->buffer, "bold", &start, &end);
    }
    if (reader->code > 0) {
        gtk_text_buffer_apply_tag_by_name (reader->buffer, "code", &start, &end);
    }
    if (reader->link != NULL) {
        GtkTextTag *tag = gtk_text_buffer_create_tag (reader->buffer, NULL, "underline",
                                                      PANGO_UNDERLINE_SINGLE, NULL);

        g_object_set_data_full (G_OBJECT (tag), "href", g_strdup (reader->link), g_free);
        gtk_text_buffer_apply_tag (reader->buffer, tag, &start, &end);
    }
}

/* At least so many line ends stand before what follows. */
static void
break_lines (Reader *reader, guint n)
{
    GtkTextIter start, end;
    g_autofree char *text = NULL;
    gsize size;

    reader->wants_space = FALSE;
    gtk_text_buffer_get_bounds (reader->buffer, &start, &end);
    if (gtk_text_iter_equal (&start, &end)) {
        return;
    }
    start = end;
    gtk_text_iter_backward_chars (&start, (int) n);
    text = gtk_text_buffer_get_text (reader->buffer, &start, &end, TRUE);
    size = strlen (text);
    while (n > 0 && size > 0 && text[size - 1] == '\n') {
        n--;
        size--;
    }
    while (n-- > 0) {
        gtk_text_buffer_insert (reader->buffer, &end, "\n", 1);
    }
}

/* "&#39;", "&amp;" */
static char *
dup_plain (const char *text, gsize size)
{
    GString *plain = g_string_new (NULL);

    for (gsize i = 0; i < size; i++) {
        const char *end = text[i] == '&' ? memchr (text + i, ';', size - i) : NULL;

        if (end != NULL && text[i + 1] == '#') {
            g_string_append_unichar (plain, (gunichar) atoi (text + i + 2));
        } else if (end != NULL) {
            g_string_append_c (plain, strncmp (text + i, "&lt", 3) == 0     ? '<'
                                      : strncmp (text + i, "&gt", 3) == 0   ? '>'
                                      : strncmp (text + i, "&quot", 5) == 0 ? '"'
                                                                            : '&');
        } else {
            g_string_append_c (plain, text[i]);
        }
        i = end != NULL ? (gsize) (end - text) : i;
    }
    return g_string_free (plain, FALSE);
}

static void
add_text (Reader *reader, const char *text, gsize size)
{
    g_autofree char *plain = dup_plain (text, size);
    g_auto (GStrv) words = NULL;

    if (reader->is_hidden || *plain == '\0') {
        return;
    }
    if (reader->is_pre) {
        insert (reader, plain);
        return;
    }
    words = g_strsplit_set (plain, " \n\t", -1);
    for (guint i = 0; words[i] != NULL; i++) {
        g_autofree char *spaced = g_strconcat (reader->wants_space || i > 0 ? " " : "",
                                               words[i], NULL);

        if (*words[i] != '\0') {
            insert (reader, i > 0 || reader->wants_space ? spaced : words[i]);
            reader->wants_space = FALSE;
        } else {
            reader->wants_space = words[i + 1] == NULL && i > 0;
        }
    }
}

/* ---- tags ---- */

static char *
dup_attribute (const char *tag, gsize size, const char *name)
{
    g_autofree char *text = g_strndup (tag, size);
    g_autofree char *begin = g_strdup_printf (" %s=\"", name);
    char *at = strstr (text, begin), *end;

    at = at != NULL ? at + strlen (begin) : NULL;
    end = at != NULL ? strchr (at, '"') : NULL;
    return end != NULL ? g_strndup (at, (gsize) (end - at)) : NULL;
}

static void
count (guint *n, gboolean is_end)
{
    *n = is_end ? *n - (*n > 0) : *n + 1;
}

static void
add_tag (Reader *reader, const char *tag, gsize size)
{
    gboolean is_end = size > 0 && tag[0] == '/';
    g_autofree char *name = g_strndup (tag + is_end, strcspn (tag + is_end, " />"));

    if (g_str_equal (name, "style") || g_str_equal (name, "title")) {
        reader->is_hidden = !is_end;
    } else if (name[0] == 'h' && g_ascii_isdigit (name[1])) {
        break_lines (reader, 2);
        reader->head = is_end ? 0 : (guint) (name[1] - '0');
    } else if (g_str_equal (name, "p") || g_str_equal (name, "table")
               || g_str_equal (name, "ul")) {
        break_lines (reader, 2);
    } else if (g_str_equal (name, "tr") || g_str_equal (name, "li")) {
        break_lines (reader, 1);
        if (name[0] == 'l' && !is_end) {
            insert (reader, "• ");
        }
    } else if (is_end && (g_str_equal (name, "td") || g_str_equal (name, "th"))) {
        insert (reader, "\t");
        reader->wants_space = FALSE;
    } else if (g_str_equal (name, "pre")) {
        break_lines (reader, 2);
        reader->is_pre = !is_end;
        count (&reader->code, is_end);
    } else if (g_str_equal (name, "code")) {
        count (&reader->code, is_end);
    } else if (g_str_equal (name, "strong") || g_str_equal (name, "em")) {
        count (&reader->bold, is_end);
    } else if (g_str_equal (name, "a")) {
        g_free (reader->link);
        reader->link = is_end ? NULL : dup_attribute (tag, size, "href");
    }
}

static void
add_page (Reader *reader, const char *html)
{
    const char *at = strstr (html, "<body");

    for (at = at != NULL ? at : html; *at != '\0';) {
        gsize size = strcspn (at, "<");

        add_text (reader, at, size);
        at += size;
        if (*at == '<') {
            size = strcspn (at + 1, ">");
            add_tag (reader, at + 1, size);
            at += size + 1;
            at += *at == '>';
        }
    }
}

/* ---- the window ---- */

static void
follow (Reader *reader, const char *href)
{
    g_autofree char *folder = g_path_get_dirname (reader->page);
    g_autofree char *name = g_strndup (href, strcspn (href, "#"));
    g_autofree char *page = g_build_filename (folder, name, NULL);

    if (*name != '\0' && strstr (href, "://") == NULL) {
        show_page (reader, page);
    }
}

static gboolean
on_release (GtkWidget *view, GdkEventButton *event, Reader *reader)
{
    g_autoptr (GSList) tags = NULL;
    GtkTextIter iter;
    int x, y;

    gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (view), GTK_TEXT_WINDOW_TEXT,
                                           (int) event->x, (int) event->y, &x, &y);
    if (event->button != GDK_BUTTON_PRIMARY
        || gtk_text_buffer_get_has_selection (reader->buffer)
        || !gtk_text_view_get_iter_at_location (GTK_TEXT_VIEW (view), &iter, x, y)) {
        return FALSE;
    }
    tags = gtk_text_iter_get_tags (&iter);
    for (GSList *at = tags; at != NULL; at = at->next) {
        g_autofree char *href = g_strdup (g_object_get_data (at->data, "href"));

        if (href != NULL) {
            follow (reader, href);
            return TRUE;
        }
    }
    return FALSE;
}

static void
show_page (Reader *reader, const char *page)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *html = NULL, *taken = g_strdup (page);
    GtkTextIter start;

    g_free (reader->page);
    reader->page = g_steal_pointer (&taken);
    gtk_text_buffer_set_text (reader->buffer, "", 0);
    reader->head = reader->bold = reader->code = 0;
    reader->is_pre = reader->is_hidden = reader->wants_space = FALSE;
    if (g_file_get_contents (page, &html, NULL, &error)) {
        add_page (reader, html);
    } else {
        insert (reader, error->message);
    }
    gtk_text_buffer_get_start_iter (reader->buffer, &start);
    gtk_text_buffer_place_cursor (reader->buffer, &start);
    gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (reader->view),
                                  gtk_text_buffer_get_insert (reader->buffer), 0, TRUE, 0, 0);
}

static void
add_tags (GtkTextBuffer *buffer)
{
    gtk_text_buffer_create_tag (buffer, "title", "weight", PANGO_WEIGHT_BOLD, "scale", 1.6,
                                NULL);
    gtk_text_buffer_create_tag (buffer, "head", "weight", PANGO_WEIGHT_BOLD, "scale", 1.2,
                                NULL);
    gtk_text_buffer_create_tag (buffer, "bold", "weight", PANGO_WEIGHT_BOLD, NULL);
    gtk_text_buffer_create_tag (buffer, "code", "family", "monospace", NULL);
}

void
gui_manual_reader_open (GtkWindow *parent, const char *page)
{
    GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL), *view = gtk_text_view_new ();
    Reader *reader = g_new0 (Reader, 1);

    reader->view = view;
    reader->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
    add_tags (reader->buffer);
    gtk_text_view_set_editable (GTK_TEXT_VIEW (view), FALSE);
    gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (view), GTK_WRAP_WORD_CHAR);
    g_object_set (view, "margin", MARGIN, NULL);
    gui_theme_name (view, "manual", _ ("Manual"));
    g_signal_connect_data (view, "button-release-event", G_CALLBACK (on_release), reader,
                           (GClosureNotify) (void (*) (void)) free_reader, 0);
    gtk_container_add (GTK_CONTAINER (scrolled), view);
    gtk_container_add (GTK_CONTAINER (window), scrolled);
    gtk_window_set_title (GTK_WINDOW (window), _ ("Manual"));
    gtk_window_set_default_size (GTK_WINDOW (window), WIDTH, HEIGHT);
    if (parent != NULL) {
        gtk_window_set_transient_for (GTK_WINDOW (window), parent);
        gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
    }
    show_page (reader, page);
    gtk_widget_show_all (window);
    gtk_window_present (GTK_WINDOW (window));
}
