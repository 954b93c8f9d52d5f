/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines are computed for a file when its tab is drawn: most tabs are behind another one. */
#include "gui/profile/profile-source.h"
#include <gdk/gdkkeysyms.h>
#include <glib/gi18n.h>
#include <string.h>
#include "gui/kit/chooser.h"
#include "gui/profile/profile-call-paint.h"
#include "gui/profile/profile-common.h"
#include "gui/profile/profile-heat-gutter.h"
#include "gui/source/source-view.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "session/options.h"
#include "base/array.h"

#define LEAST 0.001 /* of all time: lines with less have no mark */
enum { N_BINS = 48, PAPER_TEXT = 11, PAPER_ROW = 17, PAPER_HEAT = 130, FILES_EMS = 20 };
/* The first ones as in profile-source.ui. */
enum { FILE_NAME, FILE_SELF, FILE_TOTAL, FILE_ABOUT, FILE_CONTEXT };

/* A file that has been opened. */
typedef struct {
    char *file;
    GtkWidget *view;              /* of GtkSourceView; the tab's */
    GuiProfileHeatGutter *gutter; /* the view's */
    ProfileFileLines *lines;      /* NULL: not computed */
    gboolean is_missing;
} Open;

struct _GuiProfileSource {
    GtkPaned parent;
    GuiProfileSelection *selection;
    Session *session; /* of its own one only the option source-folders is used */
    GtkWidget *files, *files_scroll, *source, *missing, *missing_label;
    GtkListStore *store;
    GPtrArray *open;     /* of Open */
    ProfileCosts *costs; /* NULL: nothing to show */
    gboolean is_stale, is_place_stale, is_quiet;
};

static void gui_profile_source_view_init (GuiProfileViewInterface *iface);

G_DEFINE_TYPE_WITH_CODE (GuiProfileSource, gui_profile_source, GTK_TYPE_PANED,
                         G_IMPLEMENT_INTERFACE (GUI_TYPE_PROFILE_VIEW,
                                                gui_profile_source_view_init))

BASE_FREE (free_open, Open, open, profile_file_lines_free (open->lines); g_free (open->file))

static Open *
find_open (const GuiProfileSource *self, const char *file)
{
    for (guint i = 0; file != NULL && i < self->open->len; i++) {
        Open *open = g_ptr_array_index (self->open, i);

        if (strcmp (open->file, file) == 0) {
            return open;
        }
    }
    return NULL;
}

static Open *
get_shown (const GuiProfileSource *self)
{
    guint line;

    return find_open (self, gui_source_view_get_cursor (GUI_SOURCE_VIEW (self->source), &line));
}

static const JobLocation *
get_location (const GuiProfileSource *self, guint32 context)
{
    return &job_context_tree_get (profile_model_get_contexts (self->costs->model), context)
                ->location;
}

/* ---- lines ---- */

static const ProfileFileLines *
ensure_lines (GuiProfileSource *self, Open *open)
{
    if (open->lines == NULL && self->costs != NULL) {
        open->lines = profile_file_lines_new (self->costs, open->file, LEAST, N_BINS);
    }
    return open->lines;
}

static const ProfileFileLines *
on_get_lines (GuiProfileHeatGutter *gutter, double *ret_total, GuiProfileSource *self)
{
    *ret_total = self->costs != NULL ? self->costs->total : 0;
    for (guint i = 0; i < self->open->len; i++) {
        Open *open = g_ptr_array_index (self->open, i);

        if (open->gutter == gutter) {
            return ensure_lines (self, open);
        }
    }
    return NULL;
}

static void
on_line_selected (GuiProfileHeatGutter *gutter, guint number, GuiProfileSource *self)
{
    double total;
    const ProfileFileLines *lines = on_get_lines (gutter, &total, self);
    const ProfileFileLine *line = lines != NULL ? profile_file_lines_find (lines, number)
                                                : NULL;

    if (line != NULL) {
        gui_profile_selection_set_context (self->selection, line->context);
    }
}

/* ---- files that are missing ---- */

static void
show_missing (GuiProfileSource *self)
{
    const Open *open = get_shown (self);
    gboolean is_missing = open != NULL && open->is_missing;

    if (is_missing) {
        g_autofree char *text
            = g_strdup_printf (_ ("pddt cannot find %s. If it has moved, choose the folder "
                                  "where it is."),
                               open->file);

        gtk_label_set_text (GTK_LABEL (self->missing_label), text);
    }
    gtk_widget_set_visible (self->missing, is_missing);
}

static void
on_loaded (GtkWidget *source, const char *file, gboolean is_there, GuiProfileSource *self)
{
    Open *open = find_open (self, file);

    if (open != NULL) {
        open->is_missing = !is_there;
        show_missing (self);
    }
}

void
gui_profile_source_add_folder (GuiProfileSource *self, const char *folder)
{
    const char *before = session_get_source_folders (self->session);
    g_autofree char *folders = before != NULL && *before != '\0'
                                   ? g_strconcat (before, ":", folder, NULL)
                                   : g_strdup (folder);

    session_set_option (self->session, "source-folders", folders); /* files are read again */
}

static void
on_folder (GtkWidget *owner, const char *folder, GtkFileChooserNative *chooser)
{
    gui_profile_source_add_folder (GUI_PROFILE_SOURCE (owner), folder);
}

static void
on_choose (GuiProfileSource *self)
{
    GtkWidget *window = gtk_widget_get_toplevel (GTK_WIDGET (self));

    gui_chooser_show (gtk_file_chooser_native_new (_ ("Choose Source Folder"),
                                                   GTK_WINDOW (window),
                                                   GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL,
                                                   NULL),
                      GTK_WIDGET (self), on_folder);
}

/* ---- text ---- */

static gboolean
on_key (GtkWidget *view, GdkEventKey *event, GuiProfileSource *self)
{
    JobLocation location = { 0 };

    if ((event->keyval != GDK_KEY_Return && event->keyval != GDK_KEY_KP_Enter)
        || (event->state & gtk_accelerator_get_default_mod_mask ()) != 0) {
        return FALSE;
    }
    location.file = (char *) gui_source_view_get_cursor (GUI_SOURCE_VIEW (self->source),
                                                         &location.line);
    gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), &location);
    return TRUE;
}

static gboolean
on_double_click (GtkWidget *view, GdkEventButton *event, GuiProfileSource *self)
{
    JobLocation location = { 0 };

    if (event->type == GDK_2BUTTON_PRESS && event->button == GDK_BUTTON_PRIMARY
        && event->window
               == gtk_text_view_get_window (GTK_TEXT_VIEW (view), GTK_TEXT_WINDOW_TEXT)) {
        location.file = (char *) gui_source_view_get_cursor (GUI_SOURCE_VIEW (self->source),
                                                             &location.line);
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), &location);
    }
    return FALSE;
}

static void
on_opened (GtkWidget *source, const char *file, GtkWidget *view, GuiProfileSource *self)
{
    GtkSourceGutter *gutter = gtk_source_view_get_gutter (GTK_SOURCE_VIEW (view),
                                                          GTK_TEXT_WINDOW_LEFT);
    Open *open = g_new0 (Open, 1);

    open->file = g_strdup (file);
    open->view = view;
    open->gutter = GUI_PROFILE_HEAT_GUTTER (gui_profile_heat_gutter_new ());
    g_ptr_array_add (self->open, open);
    gtk_source_gutter_insert (gutter, GTK_SOURCE_GUTTER_RENDERER (open->gutter), -50);
    gui_profile_heat_gutter_resize (open->gutter, view);
    g_signal_connect (open->gutter, "get-lines", G_CALLBACK (on_get_lines), self);
    g_signal_connect (open->gutter, "selected", G_CALLBACK (on_line_selected), self);
    g_signal_connect_swapped (view, "style-updated",
                              G_CALLBACK (gui_profile_heat_gutter_resize), open->gutter);
    g_signal_connect_object (view, "key-press-event", G_CALLBACK (on_key), self, 0);
    g_signal_connect_object (view, "button-press-event", G_CALLBACK (on_double_click), self, 0);
}

static void
on_chosen (GtkWidget *source, const char *verb, const char *expression, GuiProfileSource *self)
{
    JobLocation location = { 0 };

    location.file = (char *) gui_source_view_get_cursor (GUI_SOURCE_VIEW (self->source),
                                                         &location.line);
    if (strcmp (verb, "debug-here") == 0) {
        gui_profile_view_debug_here (GUI_PROFILE_VIEW (self), &location);
    }
}

/* ---- files ---- */

static void
show_files (GuiProfileSource *self)
{
    g_autoptr (GArray) files = self->costs != NULL ? profile_file_lines_dup_files (self->costs)
                                                   : NULL;

    self->is_quiet = TRUE;
    gtk_list_store_clear (self->store);
    BASE_EACH_ROW (files, const ProfileFile, file) {
        g_autofree char *name = g_path_get_basename (file->file);
        g_autofree char *valid = g_utf8_make_valid (name, -1);
        g_autofree char *path = g_utf8_make_valid (file->file, -1);
        g_autofree char *about = g_markup_escape_text (path, -1);
        g_autofree char *own = gui_profile_call_format_share (file->self, self->costs->total);
        g_autofree char *total = gui_profile_call_format_share (file->total,
                                                                self->costs->total);

        gtk_list_store_insert_with_values (self->store, NULL, -1, FILE_NAME, valid, FILE_SELF,
                                           own, FILE_TOTAL, total, FILE_ABOUT, about,
                                           FILE_CONTEXT, file->context, -1);
    }
    self->is_quiet = FALSE;
}

static gboolean
get_file (GuiProfileSource *self, GtkTreeIter *iter, guint *ret_context)
{
    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, FILE_CONTEXT, ret_context, -1);
    return self->costs != NULL && *ret_context != 0;
}

static void
mark_file (GuiProfileSource *self, const char *file)
{
    GtkTreeModel *model = GTK_TREE_MODEL (self->store);
    GtkTreeSelection *selection = gtk_tree_view_get_selection (GTK_TREE_VIEW (self->files));
    GtkTreeIter iter;
    guint context;

    self->is_quiet = TRUE;
    gtk_tree_selection_unselect_all (selection);
    for (gboolean is_there = gtk_tree_model_get_iter_first (model, &iter); is_there;
         is_there = gtk_tree_model_iter_next (model, &iter)) {
        if (get_file (self, &iter, &context)
            && strcmp (get_location (self, context)->file, file) == 0) {
            gtk_tree_selection_select_iter (selection, &iter);
        }
    }
    self->is_quiet = FALSE;
}

void
gui_profile_source_show (GuiProfileSource *self, const char *file, guint line)
{
    self->is_place_stale = FALSE; /* also when it is not mapped yet */
    gui_source_view_show (GUI_SOURCE_VIEW (self->source), file, line, TRUE);
    mark_file (self, file);
    show_missing (self);
}

static void
on_file_selected (GtkTreeSelection *selection, GuiProfileSource *self)
{
    GtkTreeIter iter;
    guint context;

    if (!self->is_quiet && gtk_tree_selection_get_selected (selection, NULL, &iter)
        && get_file (self, &iter, &context)) {
        gui_profile_selection_set_context (self->selection, context);
    }
}

static void
on_file_activated (GtkTreeView *files, GtkTreePath *path, GtkTreeViewColumn *column,
                   GuiProfileSource *self)
{
    GtkTreeIter iter;
    guint context;

    if (gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, path)
        && get_file (self, &iter, &context)) {
        gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self), get_location (self, context));
    }
}

/* ---- following the selection ---- */

static void
clear_costs (GuiProfileSource *self)
{
    for (guint i = 0; i < self->open->len; i++) {
        Open *open = g_ptr_array_index (self->open, i);

        g_clear_pointer (&open->lines, profile_file_lines_free);
        gui_profile_heat_gutter_invalidate (open->gutter);
    }
    g_clear_pointer (&self->costs, profile_costs_free);
}

/* What is selected; the most expensive file at first. */
static void
follow_place (GuiProfileSource *self)
{
    const JobLocation *location = gui_profile_selection_get_location (self->selection);
    GtkTreeIter iter;
    guint context, line;

    self->is_place_stale = FALSE;
    if (location != NULL && location->file != NULL && location->line > 0) {
        gui_profile_source_show (self, location->file, location->line);
    } else if (gui_source_view_get_cursor (GUI_SOURCE_VIEW (self->source), &line) == NULL
               && gtk_tree_model_get_iter_first (GTK_TREE_MODEL (self->store), &iter)
               && get_file (self, &iter, &context)) {
        location = get_location (self, context);
        gui_profile_source_show (self, location->file, location->line);
    }
}

/* The text stays where the user has scrolled it to. */
static void
update (GuiProfileSource *self)
{
    const ProfileModel *slice = gui_profile_selection_get_slice (self->selection);
    const Open *shown;

    self->is_stale = FALSE;
    clear_costs (self);
    self->costs = slice != NULL ? profile_costs_new (slice) : NULL;
    show_files (self);
    shown = get_shown (self);
    if (shown != NULL) {
        mark_file (self, shown->file);
    } else {
        self->is_place_stale = TRUE;
    }
}

static void
ensure (GuiProfileSource *self)
{
    if (self->is_stale) {
        update (self);
    }
    if (self->is_place_stale) {
        follow_place (self);
    }
}

static void
on_changed (GuiProfileSelection *selection, guint what, GuiProfileSource *self)
{
    if ((what & (GUI_PROFILE_CHANGE_MODEL | GUI_PROFILE_CHANGE_SLICE)) != 0) {
        clear_costs (self); /* the model that they were made of may be gone */
        self->is_stale = TRUE;
    }
    self->is_place_stale = self->is_place_stale || (what & GUI_PROFILE_CHANGE_PLACE) != 0;
    if (gtk_widget_get_mapped (GTK_WIDGET (self))) {
        ensure (self);
    }
}

static void
gui_profile_source_map (GtkWidget *widget)
{
    ensure (GUI_PROFILE_SOURCE (widget));
    GTK_WIDGET_CLASS (gui_profile_source_parent_class)->map (widget);
}

/* ---- on paper ---- */

static char *
dup_line (const Open *open, guint32 number)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (open->view));
    GtkTextIter start, end;

    if (open->is_missing || (int) number > gtk_text_buffer_get_line_count (buffer)) {
        return g_strdup ("");
    }
    gtk_text_buffer_get_iter_at_line (buffer, &start, (int) number - 1);
    end = start;
    if (!gtk_text_iter_ends_line (&end)) {
        gtk_text_iter_forward_to_line_end (&end);
    }
    return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

/* The lines that have time. */
static void
draw_view (GuiProfileView *view, cairo_t *cr, double width, double height,
           const GuiProfileColours *colours)
{
    GuiProfileSource *self = GUI_PROFILE_SOURCE (view);
    const ProfileFileLines *lines;
    double left;
    Open *open;

    ensure (self);
    open = get_shown (self);
    lines = open != NULL ? ensure_lines (self, open) : NULL;
    left = PAPER_HEAT + gui_profile_heat_gutter_get_figures_width (lines, PAPER_TEXT);
    gui_profile_set_colour (cr, colours->background, 1);
    cairo_rectangle (cr, 0, 0, width, height);
    cairo_fill (cr);
    if (open != NULL) {
        gui_profile_draw_text (cr, open->file, PAPER_TEXT, TRUE, colours->foreground,
                               GUI_PROFILE_LEFT, 2, 1, width - 4);
    }
    for (guint i = 0; lines != NULL && i < lines->lines->len; i++) {
        const ProfileFileLine *line = &g_array_index (lines->lines, ProfileFileLine, i);
        double y = (i + 1.5) * PAPER_ROW;
        g_autofree char *number = g_strdup_printf ("%u", line->line);
        g_autofree char *text = dup_line (open, line->line);

        gui_profile_heat_gutter_paint (cr, colours, lines, line, self->costs->total, PAPER_TEXT,
                                       0, y, left, PAPER_ROW - 1);
        gui_profile_draw_text (cr, number, PAPER_TEXT, FALSE, colours->muted, GUI_PROFILE_RIGHT,
                               left + 42, y + 1, 40);
        gui_profile_draw_text (cr, text, PAPER_TEXT, FALSE, colours->foreground,
                               GUI_PROFILE_LEFT, left + 52, y + 1, MAX (width - left - 54, 1));
    }
}

static double
get_view_height (GuiProfileView *view, double width)
{
    GuiProfileSource *self = GUI_PROFILE_SOURCE (view);
    const ProfileFileLines *lines;
    Open *open;

    ensure (self);
    open = get_shown (self);
    lines = open != NULL ? ensure_lines (self, open) : NULL;
    return ((lines != NULL ? lines->lines->len : 0) + 2.0) * PAPER_ROW;
}

/* ---- the object ---- */

static void
gui_profile_source_view_init (GuiProfileViewInterface *iface)
{
    iface->title = N_ ("Source");
    iface->id = "source";
    iface->draw = draw_view;
    iface->get_height = get_view_height;
}

static void
leave_selection (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_PROFILE_SOURCE (user)->selection, user);
}

static void
enter_selection (gpointer user)
{
    GuiProfileSource *self = user;

    g_signal_connect (self->selection, "changed", G_CALLBACK (on_changed), self);
}

/* A file that is still being read finds no view then. */
static void
gui_profile_source_destroy (GtkWidget *widget)
{
    GuiProfileSource *self = GUI_PROFILE_SOURCE (widget);

    self->is_quiet = TRUE;
    self->files_scroll = NULL;
    if (self->selection != NULL) {
        g_signal_handlers_disconnect_by_data (self->source, self);
        clear_costs (self);
        g_ptr_array_set_size (self->open, 0);
    }
    gui_properties_clear (self, GUI_TYPE_PROFILE_SOURCE);
    GTK_WIDGET_CLASS (gui_profile_source_parent_class)->destroy (widget);
}

GUI_FINALIZE (gui_profile_source, GuiProfileSource, g_ptr_array_unref (self->open))

static void
gui_profile_source_style_updated (GtkWidget *widget)
{
    GuiProfileSource *self = GUI_PROFILE_SOURCE (widget);

    GTK_WIDGET_CLASS (gui_profile_source_parent_class)->style_updated (widget);
    if (self->files_scroll != NULL) {
        gtk_widget_set_size_request (self->files_scroll,
                                     (int) (gui_profile_get_text_size (widget) * FILES_EMS),
                                     -1);
    }
}

static void
gui_profile_source_class_init (GuiProfileSourceClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_profile_source_finalize;
    GUI_PROPERTIES (klass, GuiProfileSource,
                    (selection, GUI_TYPE_PROFILE_SELECTION, leave_selection, enter_selection,
                     G_PARAM_CONSTRUCT_ONLY),
                    (session, SESSION_TYPE_SESSION));
    widget->destroy = gui_profile_source_destroy;
    widget->map = gui_profile_source_map;
    widget->style_updated = gui_profile_source_style_updated;
    GUI_ENSURE (GUI_TYPE_SOURCE_VIEW);
    GUI_TEMPLATE (klass, "profile-source.ui");
    GUI_CHILDREN (klass, GuiProfileSource, store, files, files_scroll, source, missing,
                  missing_label);
    GUI_CALLBACKS (klass, on_file_activated, on_file_selected, on_choose, on_opened, on_loaded,
                   on_chosen);
}

static void
gui_profile_source_init (GuiProfileSource *self)
{
    self->is_stale = self->is_place_stale = TRUE;
    self->open = g_ptr_array_new_with_free_func (free_open);
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self->files), FILE_ABOUT);
    gui_properties_share (self, "session", self->source, NULL);
    gui_theme_name (self->files, "profile-files", _ ("Files"));
    gui_theme_name (self->missing_label, "missing-source", NULL);
}

GtkWidget *
gui_profile_source_new (GuiProfileSelection *selection)
{
    g_autoptr (Session) session = session_new (); /* unless the window has one */

    return g_object_new (GUI_TYPE_PROFILE_SOURCE, "selection", selection, "session", session,
                         NULL);
}
