/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links are followed by a click, and by Enter where the cursor stands. */
#include "gui/kit/manual-window.h"
#include <gdk/gdkkeysyms.h>
#include <glib/gi18n.h>
#include <string.h>
#include "base/array.h"
#include "gui/kit/manual-page.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiManualWindow {
    GtkWindow parent;
    GtkWidget *text, *back, *contents, *find, *found;
    char *path, *folder, *first, *page; /* page: its name and maybe #ID */
    GPtrArray *visited;                 /* of char*: pages before it */
    guint scroll_source;
};

G_DEFINE_TYPE (GuiManualWindow, gui_manual_window, GTK_TYPE_WINDOW)

static GtkTextBuffer *
get_buffer (GuiManualWindow *self)
{
    return gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->text));
}

/* A page's beginning has its margin above it. */
static gboolean
on_laid_out (gpointer user)
{
    GuiManualWindow *self = user;
    GtkTextMark *mark = gtk_text_buffer_get_insert (get_buffer (self));
    GtkTextIter place;

    self->scroll_source = 0;
    gtk_text_buffer_get_iter_at_mark (get_buffer (self), &place, mark);
    gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->text), mark, 0, TRUE, 0, 0);
    if (gtk_text_iter_is_start (&place)) {
        gtk_adjustment_set_value (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->text)),
                                  0);
    }
    return G_SOURCE_REMOVE;
}

/* Again once the heights of all lines are known, which is done in idle time. */
static void
go_to (GuiManualWindow *self, const GtkTextIter *place)
{
    gtk_text_buffer_place_cursor (get_buffer (self), place);
    g_clear_handle_id (&self->scroll_source, g_source_remove);
    on_laid_out (self);
    self->scroll_source = g_idle_add_full (G_PRIORITY_LOW, on_laid_out, self, NULL);
}

/* FALSE: it cannot be read, and the page before stays. */
static gboolean
load (GuiManualWindow *self, const char *page)
{
    g_auto (GStrv) parts = g_strsplit (page, "#", 2);
    g_autofree char *path = g_build_filename (self->folder, parts[0], NULL), *html = NULL;
    g_autoptr (GtkTextBuffer) buffer = NULL;
    GtkTextIter place;

    if (!g_file_get_contents (path, &html, NULL, NULL)) {
        return FALSE;
    }
    buffer = gui_manual_page_new (html, self->folder);
    /* GTK would keep the place of a long page for a short one, which then seems to be empty. */
    gtk_adjustment_set_value (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->text)), 0);
    gtk_text_view_set_buffer (GTK_TEXT_VIEW (self->text), buffer);
    if (parts[1] == NULL || !gui_manual_page_find_id (buffer, parts[1], &place)) {
        gtk_text_buffer_get_start_iter (buffer, &place);
    }
    go_to (self, &place);
    g_free (self->page);
    self->page = g_strdup (page);
    gtk_widget_set_sensitive (self->back, self->visited->len > 0);
    return TRUE;
}

static void
visit (GuiManualWindow *self, const char *page)
{
    char *before = g_strdup (self->page);

    g_ptr_array_add (self->visited, before);
    if (!load (self, page)) {
        g_ptr_array_remove (self->visited, before);
    }
}

/* Within the page, to another one of the folder, or out of the manual. */
static void
follow (GuiManualWindow *self, const char *target)
{
    if (target[0] == '#') {
        g_autofree char *page = g_strndup (self->page, strcspn (self->page, "#"));
        g_autofree char *whole = g_strconcat (page, target, NULL);

        visit (self, whole);
    } else if (strchr (target, '/') == NULL) {
        visit (self, target);
    } else {
        gtk_show_uri_on_window (GTK_WINDOW (self), target, GDK_CURRENT_TIME, NULL);
    }
}

static void
follow_at (GuiManualWindow *self, const GtkTextIter *iter)
{
    const char *target = gui_manual_page_find_link (iter);
    g_autofree char *kept = g_strdup (target); /* goes with the page */

    if (kept != NULL && !gtk_text_buffer_get_has_selection (get_buffer (self))) {
        follow (self, kept);
    }
}

static gboolean
on_released (GuiManualWindow *self, GdkEventButton *event)
{
    GtkTextIter iter;
    int x, y;

    gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (self->text), GTK_TEXT_WINDOW_TEXT,
                                           (int) event->x, (int) event->y, &x, &y);
    if (event->button == GDK_BUTTON_PRIMARY
        && gtk_text_view_get_iter_at_location (GTK_TEXT_VIEW (self->text), &iter, x, y)) {
        follow_at (self, &iter);
    }
    return FALSE;
}

static gboolean
on_key (GuiManualWindow *self, GdkEventKey *event)
{
    GtkTextIter iter;

    if (event->keyval != GDK_KEY_Return && event->keyval != GDK_KEY_KP_Enter) {
        return FALSE;
    }
    gtk_text_buffer_get_iter_at_mark (get_buffer (self), &iter,
                                      gtk_text_buffer_get_insert (get_buffer (self)));
    follow_at (self, &iter);
    return TRUE;
}

static void
on_back (GuiManualWindow *self)
{
    if (self->visited->len > 0) {
        g_autofree char *page = g_ptr_array_steal_index (self->visited, self->visited->len - 1);

        load (self, page);
    }
}

static void
on_contents (GuiManualWindow *self)
{
    visit (self, self->first);
}

/* ---- search ---- */

/* Selects the first match behind the place. FALSE: there is none. */
static gboolean
find_from (GuiManualWindow *self, const GtkTextIter *place, const char *wanted)
{
    GtkTextIter begin, end;

    if (!gtk_text_iter_forward_search (place, wanted, GTK_TEXT_SEARCH_CASE_INSENSITIVE, &begin,
                                       &end, NULL)) {
        return FALSE;
    }
    go_to (self, &begin);
    gtk_text_buffer_select_range (get_buffer (self), &begin, &end);
    return TRUE;
}

/* Of char*: the other pages, from the one behind the page that is shown. The page that is a search for browsers repeats
 * what the others have. Caller owns. */
static GPtrArray *
list_others (GuiManualWindow *self)
{
    g_autofree char *shown = g_strndup (self->page, strcspn (self->page, "#"));
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    GPtrArray *others = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GDir) folder = g_dir_open (self->folder, 0, NULL);
    const char *name;
    guint at;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        if (g_str_has_suffix (name, ".html") && strcmp (name, "search.html") != 0) {
            g_ptr_array_add (names, g_strdup (name));
        }
    }
    g_ptr_array_sort (names, base_order_texts);
    at = BASE_CHOOSE (i, names->len, strcmp (names->pdata[i], shown) > 0, i, 0);
    for (guint i = 0; i < names->len; i++) {
        name = names->pdata[(at + i) % names->len];
        if (strcmp (name, shown) != 0) {
            g_ptr_array_add (others, g_strdup (name));
        }
    }
    return others;
}

static gboolean
has_match (GuiManualWindow *self, const char *page, const char *wanted)
{
    g_autofree char *path = g_build_filename (self->folder, page, NULL), *html = NULL;
    g_autoptr (GtkTextBuffer) buffer = NULL;
    GtkTextIter begin, end;

    if (!g_file_get_contents (path, &html, NULL, NULL)) {
        return FALSE;
    }
    buffer = gui_manual_page_new (html, self->folder);
    gtk_text_buffer_get_start_iter (buffer, &begin);
    return gtk_text_iter_forward_search (&begin, wanted, GTK_TEXT_SEARCH_CASE_INSENSITIVE,
                                         &begin, &end, NULL);
}

/* Shows the next page that has a match. */
static gboolean
find_in_others (GuiManualWindow *self, const char *wanted)
{
    g_autoptr (GPtrArray) others = list_others (self);
    const char *page = BASE_CHOOSE (i, others->len, has_match (self, others->pdata[i], wanted),
                                    others->pdata[i], NULL);
    GtkTextIter begin;

    if (page == NULL) {
        return FALSE;
    }
    visit (self, page);
    gtk_text_buffer_get_start_iter (get_buffer (self), &begin);
    return find_from (self, &begin, wanted);
}

/* From the cursor on, then in the other pages, and from the page's beginning again. */
static void
on_find (GuiManualWindow *self)
{
    const char *wanted = gtk_entry_get_text (GTK_ENTRY (self->find));
    GtkTextIter at, begin;
    gboolean is_found;

    if (*wanted == '\0') {
        return;
    }
    gtk_text_buffer_get_iter_at_mark (get_buffer (self), &at,
                                      gtk_text_buffer_get_insert (get_buffer (self)));
    gtk_text_iter_forward_char (&at);
    is_found = find_from (self, &at, wanted) || find_in_others (self, wanted);
    if (!is_found) {
        gtk_text_buffer_get_start_iter (get_buffer (self), &begin);
        is_found = find_from (self, &begin, wanted);
    }
    gtk_label_set_text (GTK_LABEL (self->found), is_found ? "" : _ ("No match"));
}

/* What was found was another text. */
static void
on_wanted (GuiManualWindow *self)
{
    gtk_label_set_text (GTK_LABEL (self->found), "");
}

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    GuiManualWindow *self = GUI_MANUAL_WINDOW (widget);
    guint held = event->state & gtk_accelerator_get_default_mod_mask ();

    if (event->keyval == GDK_KEY_Escape) {
        gtk_window_close (GTK_WINDOW (widget));
        return TRUE;
    }
    if (event->keyval == GDK_KEY_f && held == GDK_CONTROL_MASK) {
        gtk_widget_grab_focus (self->find);
        return TRUE;
    }
    return GTK_WIDGET_CLASS (gui_manual_window_parent_class)->key_press_event (widget, event);
}

static void
gui_manual_window_constructed (GObject *object)
{
    GuiManualWindow *self = GUI_MANUAL_WINDOW (object);

    G_OBJECT_CLASS (gui_manual_window_parent_class)->constructed (object);
    self->folder = g_path_get_dirname (self->path);
    self->first = g_path_get_basename (self->path);
    load (self, self->first);
}

GUI_FINALIZE (gui_manual_window, GuiManualWindow,
              g_clear_handle_id (&self->scroll_source, g_source_remove);
              g_free (self->folder); g_free (self->page); g_free (self->first);
              g_ptr_array_unref (self->visited))

static void
gui_manual_window_class_init (GuiManualWindowClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_manual_window_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_manual_window_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiManualWindow,
                    (path, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    GTK_WIDGET_CLASS (klass)->key_press_event = press_key;
    GUI_TEMPLATE (klass, "manual-window.ui");
    GUI_CHILDREN (klass, GuiManualWindow, text, back, contents, find, found);
    GUI_CALLBACKS (klass, on_back, on_contents, on_find, on_wanted, on_key, on_released);
}

static void
gui_manual_window_init (GuiManualWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    self->visited = g_ptr_array_new_with_free_func (g_free);
    gui_theme_name (self->text, "manual-text", _ ("Manual"));
    gui_theme_name (self->back, "manual-back", _ ("Back"));
    gui_theme_name (self->contents, "manual-contents", NULL);
    gui_theme_name (self->find, "manual-find", _ ("Search"));
    gui_theme_name (self->found, "manual-found", NULL);
}

static GtkWidget *
find_open (void)
{
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    for (GList *link = windows; link != NULL; link = link->next) {
        if (GUI_IS_MANUAL_WINDOW (link->data)) {
            return link->data;
        }
    }
    return NULL;
}

GtkWidget *
gui_manual_window_open (GtkWindow *parent, const char *page)
{
    GtkWidget *open = find_open ();
    GuiManualWindow *self;

    if (open != NULL) {
        gtk_window_present (GTK_WINDOW (open));
        return open;
    }
    self = g_object_new (GUI_TYPE_MANUAL_WINDOW, "transient-for", parent, "path", page, NULL);
    gtk_window_present (GTK_WINDOW (self));
    gtk_widget_grab_focus (self->text);
    return GTK_WIDGET (self);
}
