/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tabs of read-only GtkSourceViews, found by file name. A file that cannot be read has a tab that
 * says so and asks where the file is. */
#include "gui/source/source-view.h"
#include "gui/source/source-file.h"
#include "gui/source/source-inline.h"
#include "gui/source/source-locate.h"
#include "gui/source/source-marks.h"
#include "gui/source/source-menu.h"
#include "gui/source/source-page.h"
#include "gui/source/source-search.h"
#include "gui/source/source-style.h"
#include "gui/source/source-tab.h"
#include "gui/source/source-word.h"
#include "base/array.h"
#include "base/error.h"
#include <string.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/moment.h"
#include "session/sources.h"

#define MAX_FILE (64u << 20)

typedef GuiSourceFile Tab;

struct _GuiSourceView {
    GtkBox parent;
    GtkWidget *notebook, *search, *stack, *empty;
    char *placeholder;
    GPtrArray *tabs; /* of Tab */
    char *here_file;
    guint here_line;
    gboolean is_old;  /* the viewed rank was there */
    Session *session; /* NULL: files are where their names say */
    gboolean is_reader;
};

G_DEFINE_TYPE (GuiSourceView, gui_source_view, GTK_TYPE_BOX)

enum { TOGGLED, HOVER, CHOSEN, OPENED, LOADED, HERE, N_SIGNALS };
static guint signals[N_SIGNALS];

static Tab *
find_tab (GuiSourceView *self, const char *file)
{
    return BASE_FIND (self->tabs, Tab, tab, strcmp (tab->file, file) == 0);
}

static Tab *
get_current_tab (GuiSourceView *self)
{
    int number = gtk_notebook_get_current_page (GTK_NOTEBOOK (self->notebook));
    GtkWidget *page = number >= 0
                          ? gtk_notebook_get_nth_page (GTK_NOTEBOOK (self->notebook), number)
                          : NULL;

    return BASE_FIND (page != NULL ? self->tabs : NULL, Tab, tab,
                      tab->page == page && gui_source_file_is_open (tab));
}

/* The line of the representative has its own colour. */
static void
mark_here (GuiSourceView *self, Tab *tab)
{
    gui_source_file_mark (tab,
                          g_strcmp0 (tab->file, self->here_file) == 0 ? self->here_line : 0,
                          self->is_old ? "there" : "here");
}

static void
mark_all (GuiSourceView *self)
{
    for (guint i = 0; i < self->tabs->len; i++) {
        mark_here (self, self->tabs->pdata[i]);
    }
}

static void
show_note (GuiSourceView *self, Tab *tab)
{
    gint64 started_us = self->session != NULL ? session_get_started_us (self->session) : 0;

    if (tab->is_loaded && !tab->is_missing) {
        gui_source_page_show_text (GUI_SOURCE_PAGE (tab->page), tab->file, tab->encoding,
                                   started_us != 0 && tab->time_us > started_us
                                       && !session_is_ended (self->session));
    }
}

/* It is hidden and kept: GTK 3 asks a page that is removed for its label, and complains. */
static void
close_tab (GuiSourceView *self, Tab *tab)
{
    gboolean is_any = FALSE;

    gtk_widget_hide (tab->page);
    for (guint i = 0; i < self->tabs->len; i++) {
        is_any = is_any || gui_source_file_is_open (self->tabs->pdata[i]);
    }
    if (!is_any) {
        gtk_stack_set_visible_child (GTK_STACK (self->stack), self->empty);
    }
}

typedef struct {
    GuiSourceView *view;
    char *file; /* of the tab */
} Load;

static void
on_source (GObject *source, GAsyncResult *result, gpointer user)
{
    Load *load = user;
    g_autoptr (GuiSourceView) self = load->view;
    g_autofree char *file = load->file;
    g_autoptr (GError) error = NULL;
    gsize size;
    g_autofree char *text = session_read_source_finish (result, &size, &error);
    Tab *tab = find_tab (self, file);

    g_free (load);
    if (tab == NULL) {
        return;
    }
    if (text == NULL && tab->is_restored) {
        close_tab (self, tab);
    }
    if (text == NULL) {
        gtk_text_buffer_set_text (GTK_TEXT_BUFFER (tab->buffer), "", 0);
        gui_source_page_show_missing (GUI_SOURCE_PAGE (tab->page), file,
                                      base_error_get_shown (error));
    } else if (!gui_source_file_set_text (tab, text, size)) {
        show_note (self, tab);
        return;
    }
    tab->is_loaded = TRUE;
    tab->is_missing = text == NULL;
    show_note (self, tab);
    mark_here (self, tab);
    gui_source_file_scroll_to (tab, tab->pending_line);
    g_signal_emit (self, signals[LOADED], 0, tab->file, text != NULL);
    if (g_strcmp0 (file, self->here_file) == 0) {
        g_signal_emit (self, signals[HERE], 0);
    }
}

static void
load_file (GuiSourceView *self, Tab *tab)
{
    Load *load = g_new (Load, 1);

    *load = (Load){ g_object_ref (self), g_strdup (tab->file) };
    session_read_text_async (self->session, NULL, tab->file, MAX_FILE, NULL, on_source, load);
}

static void
on_time (GObject *source, GAsyncResult *result, gpointer user)
{
    Load *load = user;
    g_autoptr (GuiSourceView) self = load->view;
    g_autofree char *file = load->file;
    gint64 time_us = session_time_source_finish (result);
    Tab *tab = find_tab (self, file);

    g_free (load);
    if (tab == NULL) {
        return;
    }
    tab->is_timed = FALSE;
    /* what is in no file may be known when the next rank stops */
    if (time_us != tab->time_us || !tab->is_loaded || (time_us == 0 && tab->is_missing)) {
        tab->time_us = time_us;
        load_file (self, tab);
    } else {
        show_note (self, tab);
    }
}

/* Reads the file if it is another one since. */
static void
check_file (GuiSourceView *self, Tab *tab)
{
    Load *load;

    if (!tab->is_timed) {
        tab->is_timed = TRUE;
        load = g_new (Load, 1);
        *load = (Load){ g_object_ref (self), g_strdup (tab->file) };
        session_time_source_async (self->session, tab->file, NULL, on_time, load);
    }
}

/* Reads files again that have changed; shown lines do the same by themselves. */
static void
check (GuiSourceView *self)
{
    for (guint i = 0; i < self->tabs->len; i++) {
        check_file (self, self->tabs->pdata[i]);
    }
}

/* The user has said where files are. */
static void
on_sources_moved (GuiSourceView *self)
{
    BASE_EACH (self->tabs, Tab, tab) {
        tab->pending_line = gui_source_file_get_line (tab);
        load_file (self, tab);
    }
}

static void
leave_session (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_SOURCE_VIEW (user)->session, user);
}

static void
enter_session (gpointer user)
{
    GuiSourceView *self = user;

    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "sources-moved", G_CALLBACK (on_sources_moved),
                                  self);
        g_signal_connect_swapped (self->session, "restarted", G_CALLBACK (check), self);
        g_signal_connect_swapped (self->session, "ended", G_CALLBACK (check), self);
    }
}

static void
on_not_located (GtkWidget *widget, const char *file, const char *why)
{
    Tab *tab = find_tab (GUI_SOURCE_VIEW (widget), file);

    if (tab != NULL && tab->is_missing) {
        gui_source_page_show_missing (GUI_SOURCE_PAGE (tab->page), file, why);
    }
}

static void
on_locate (GtkWidget *page, GuiSourceView *self)
{
    const Tab *tab = get_current_tab (self);

    if (tab != NULL && self->session != NULL) {
        gui_source_locate_choose (GTK_WIDGET (self), self->session, tab->file, on_not_located);
    }
}

static void
on_toggled (GuiDebugGutter *gutter, guint line, GuiSourceView *self)
{
    BASE_EACH (self->tabs, Tab, tab) {
        if (tab->gutter == gutter) {
            g_signal_emit (self, signals[TOGGLED], 0, tab->file, line);
            return;
        }
    }
}

static void
gui_source_view_style_updated (GtkWidget *widget)
{
    GuiSourceView *self = GUI_SOURCE_VIEW (widget);

    GTK_WIDGET_CLASS (gui_source_view_parent_class)->style_updated (widget);
    BASE_EACH (self->tabs, Tab, tab) {
        if (tab->is_dark != gui_theme_is_dark (widget)) {
            tab->is_dark = !tab->is_dark;
            gui_source_style_colour (tab->buffer, tab->is_dark);
        }
    }
}

static gboolean
on_query_tooltip (GtkWidget *view, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                  GuiSourceView *self)
{
    g_autofree char *expression = keyboard
                                      ? NULL
                                      : gui_source_word_dup_at (GTK_TEXT_VIEW (view), x, y);
    g_autofree char *text = NULL;

    if (expression != NULL) {
        g_signal_emit (self, signals[HOVER], 0, expression, &text);
    }
    if (text == NULL) {
        return FALSE;
    }
    gtk_tooltip_set_text (tooltip, text);
    atk_object_set_description (gtk_widget_get_accessible (view),
                                text); /* tooltips are not read */
    return TRUE;
}

static void
on_menu_chosen (gpointer self, const char *verb, const char *expression)
{
    g_signal_emit (self, signals[CHOSEN], 0, verb, expression);
}

static void
on_populate_popup (GtkTextView *view, GtkWidget *menu, GuiSourceView *self)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
    g_autofree char *expression = NULL;
    GtkTextIter start, end;

    if (!GTK_IS_MENU (menu)) {
        return;
    }
    if (gtk_text_buffer_get_selection_bounds (buffer, &start, &end)) {
        expression = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
    } else {
        gtk_text_buffer_get_iter_at_mark (buffer, &start, gtk_text_buffer_get_insert (buffer));
        expression = gui_source_word_dup (GTK_SOURCE_BUFFER (buffer), &start);
    }
    gui_source_menu_fill (view, menu, expression, self->is_reader, on_menu_chosen, self);
}

void
gui_source_view_close (GuiSourceView *self)
{
    Tab *tab = get_current_tab (self);

    if (tab != NULL) {
        close_tab (self, tab);
    }
}

/* Which of the tabs that was. */
static void
on_closed (GtkWidget *label, GuiSourceView *self)
{
    BASE_EACH (self->tabs, Tab, tab) {
        if (gtk_notebook_get_tab_label (GTK_NOTEBOOK (self->notebook), tab->page) == label) {
            close_tab (self, tab);
        }
    }
}

static void
add_page (GuiSourceView *self, Tab *tab, const char *name)
{
    GtkNotebook *notebook = GTK_NOTEBOOK (self->notebook);
    GtkWidget *label = gui_source_tab_new (tab->file);

    g_signal_connect (label, "closed", G_CALLBACK (on_closed), self);
    gtk_notebook_append_page (notebook, tab->page, label);
    gtk_notebook_set_menu_label_text (notebook, tab->page, name);
    gtk_notebook_set_tab_reorderable (notebook, tab->page, TRUE);
}

static Tab *
open_tab (GuiSourceView *self, const char *file)
{
    Tab *tab = gui_source_file_new (file, self->is_reader);
    g_autofree char *name = g_path_get_basename (file);

    g_signal_connect (tab->gutter, "toggled", G_CALLBACK (on_toggled), self);
    g_signal_connect (tab->view, "query-tooltip", G_CALLBACK (on_query_tooltip), self);
    g_signal_connect_after (tab->view, "populate-popup", G_CALLBACK (on_populate_popup), self);
    g_signal_connect (tab->page, "locate", G_CALLBACK (on_locate), self);
    g_ptr_array_add (self->tabs, tab);
    add_page (self, tab, name);
    g_signal_emit (self, signals[OPENED], 0, tab->file, tab->view);
    return tab;
}

void
gui_source_view_show (GuiSourceView *self, const char *file, guint line, gboolean is_here)
{
    Tab *tab = find_tab (self, file);

    if (is_here) {
        g_free (self->here_file);
        self->here_file = g_strdup (file);
        self->here_line = line;
    }
    if (tab == NULL) {
        tab = open_tab (self, file);
    }
    tab->pending_line = line;
    tab->is_restored = FALSE;
    check_file (self, tab);
    gtk_widget_show (tab->page);
    gtk_stack_set_visible_child (GTK_STACK (self->stack), self->notebook);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->notebook),
                                   gtk_notebook_page_num (GTK_NOTEBOOK (self->notebook),
                                                          tab->page));
    mark_all (self);
    if (tab->is_loaded) {
        gui_source_file_scroll_to (tab, line);
    }
    if (is_here) {
        g_signal_emit (self, signals[HERE], 0);
    }
}

static const Tab *
find_here (GuiSourceView *self)
{
    const Tab *tab = self->here_file != NULL ? find_tab (self, self->here_file) : NULL;

    return tab != NULL && tab->is_loaded && !tab->is_missing ? tab : NULL;
}

char **
gui_source_view_list_here (GuiSourceView *self)
{
    const Tab *tab = self->here_line > 0 ? find_here (self) : NULL;

    return tab != NULL ? gui_source_word_list (tab->buffer, self->here_line - 1)
                       : g_new0 (char *, 1);
}

void
gui_source_view_set_inline (GuiSourceView *self, const char *text)
{
    const Tab *here = self->is_old ? NULL : find_here (self);

    BASE_EACH (self->tabs, const Tab, tab) {
        gui_source_inline_set (GTK_TEXT_VIEW (tab->view), self->here_line - 1,
                               tab == here ? text : NULL);
    }
}

void
gui_source_view_set_old (GuiSourceView *self, gboolean is_old)
{
    if (is_old != self->is_old) {
        self->is_old = is_old;
        mark_all (self);
        gui_source_view_set_inline (self, NULL);
    }
}

void
gui_source_view_restore (GuiSourceView *self, const char *file, guint line)
{
    gboolean is_new = find_tab (self, file) == NULL;

    gui_source_view_show (self, file, line, FALSE);
    find_tab (self, file)->is_restored = is_new;
}

void
gui_source_view_update_marks (GuiSourceView *self, const JobRankSet *ranks,
                              guint32 representative)
{
    g_autoptr (GPtrArray) groups = NULL;

    if (self->tabs->len > 0) {
        groups = session_dup_state_groups (self->session, ranks);
    }
    BASE_EACH (self->tabs, const Tab, tab) {
        gui_debug_gutter_clear (tab->gutter);
        gui_source_marks_add (tab->gutter, tab->file, session_get_breakpoints (self->session),
                              groups, ranks, representative);
    }
}

const char *
gui_source_view_get_cursor (GuiSourceView *self, guint *ret_line)
{
    const Tab *tab = get_current_tab (self);

    if (tab == NULL || (tab->is_missing && !self->is_reader)) {
        return NULL;
    }
    *ret_line = gui_source_file_get_line (tab);
    return tab->file;
}

void
gui_source_view_go_to_line (GuiSourceView *self, guint line)
{
    Tab *tab = get_current_tab (self);

    if (tab != NULL) {
        gtk_widget_grab_focus (tab->view);
        gui_source_file_scroll_to (tab, line);
    }
}

char **
gui_source_view_dup_files (GuiSourceView *self)
{
    char **files = g_new0 (char *, self->tabs->len + 1);
    guint n = 0;

    for (guint i = 0; i < self->tabs->len; i++) {
        if (gui_source_file_is_open (self->tabs->pdata[i])) {
            files[n++] = g_strdup (((Tab *) self->tabs->pdata[i])->file);
        }
    }
    return files;
}

char **
gui_source_view_dup_places (GuiSourceView *self)
{
    Tab *current = get_current_tab (self);
    GPtrArray *places = g_ptr_array_new ();

    for (guint i = 0; i <= self->tabs->len; i++) { /* the current one last */
        const Tab *tab = i < self->tabs->len ? self->tabs->pdata[i] : current;

        if (tab != NULL && gui_source_file_is_open (tab)
            && (tab != current || i == self->tabs->len)) {
            g_ptr_array_add (places, g_strdup_printf ("%s:%u", tab->file,
                                                      gui_source_file_get_line (tab)));
        }
    }
    g_ptr_array_add (places, NULL);
    return (char **) g_ptr_array_free (places, FALSE);
}

/* A file that is missing has nothing to search in. Caller owns. */
static GtkTextView *
dup_current_view (GuiSourceView *self)
{
    Tab *tab = get_current_tab (self);

    return tab != NULL && !tab->is_missing ? g_object_ref (GTK_TEXT_VIEW (tab->view)) : NULL;
}

void
gui_source_view_find (GuiSourceView *self)
{
    gui_source_search_open (GUI_SOURCE_SEARCH (self->search));
}

/* The widgets of the tabs go with this one; a file that is still being read finds no tab then. */
static void
gui_source_view_destroy (GtkWidget *widget)
{
    g_ptr_array_set_size (GUI_SOURCE_VIEW (widget)->tabs, 0);
    GTK_WIDGET_CLASS (gui_source_view_parent_class)->destroy (widget);
}

GUI_FINALIZE (gui_source_view, GuiSourceView, g_ptr_array_unref (self->tabs);
              g_free (self->here_file); gui_properties_clear (self, GUI_TYPE_SOURCE_VIEW))

static void
gui_source_view_class_init (GuiSourceViewClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_source_view_finalize;
    GUI_PROPERTIES (klass, GuiSourceView,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (is_reader, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (placeholder, G_TYPE_STRING));
    widget->destroy = gui_source_view_destroy;
    widget->style_updated = gui_source_view_style_updated;
    signals[TOGGLED] = GUI_SIGNAL (klass, "toggled", G_TYPE_STRING, G_TYPE_UINT);
    signals[OPENED] = GUI_SIGNAL (klass, "opened", G_TYPE_STRING, GTK_SOURCE_TYPE_VIEW);
    signals[LOADED] = GUI_SIGNAL (klass, "loaded", G_TYPE_STRING, G_TYPE_BOOLEAN);
    signals[CHOSEN] = GUI_SIGNAL (klass, "chosen", G_TYPE_STRING, G_TYPE_STRING);
    signals[HERE] = GUI_SIGNAL (klass, "here");
    signals[HOVER] = g_signal_new ("hover", GUI_TYPE_SOURCE_VIEW, G_SIGNAL_RUN_LAST, 0,
                                   g_signal_accumulator_first_wins, NULL, NULL, G_TYPE_STRING,
                                   1, G_TYPE_STRING);
    GUI_ENSURE (GUI_TYPE_SOURCE_SEARCH);
    GUI_TEMPLATE (klass, "source-view.ui");
    GUI_CALLBACKS (klass, dup_current_view);
    GUI_CHILDREN (klass, GuiSourceView, search, stack, empty, notebook);
}

static void
gui_source_view_init (GuiSourceView *self)
{
    self->tabs = g_ptr_array_new_with_free_func (gui_source_file_free);
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->notebook));
}

GtkWidget *
gui_source_view_new (void)
{
    return g_object_new (GUI_TYPE_SOURCE_VIEW, NULL);
}
