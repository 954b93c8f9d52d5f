/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/moment-pane.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-common.h"
#include "profile/moment.h"
#include "profile/summary.h"

enum {
    FRAME,
    PLACE,
    RANKS,
    COUNT,
    CONTEXT,
    N_COLUMNS
}; /* the first ones as in moment-pane.ui */
enum { MAX_DEPTH = 512 };

struct _GuiMomentPane {
    GtkBox parent;
    GuiProfileSelection *selection;
    GtkTreeStore *store;
    GtkWidget *title, *tree, *go, *debug, *close;
};

static void view_init (GuiProfileViewInterface *iface);

G_DEFINE_TYPE_WITH_CODE (GuiMomentPane, gui_moment_pane, GTK_TYPE_BOX,
                         G_IMPLEMENT_INTERFACE (GUI_TYPE_PROFILE_VIEW, view_init))

static guint closed_signal;

/* ---- rows ---- */

static const JobLocation *
get_location (GuiMomentPane *self, guint32 context)
{
    const ProfileModel *model = context != 0 ? gui_profile_selection_get_model (self->selection)
                                             : NULL;

    return model != NULL
               ? &job_context_tree_get (profile_model_get_contexts (model), context)->location
               : NULL;
}

static char *
format_place (GuiMomentPane *self, const JobLocation *location)
{
    g_autofree char *file = NULL;

    if (location->file == NULL) {
        return g_strdup (location->module != NULL ? location->module : "");
    }
    file = profile_dup_short_file (gui_profile_selection_get_model (self->selection),
                                   location->file);
    return location->line > 0 ? g_strdup_printf ("%s:%u", file, location->line)
                              : g_steal_pointer (&file);
}

static void
add_frame (GuiMomentPane *self, const ProfileMomentFrame *frame, GtkTreeIter *path)
{
    guint depth = MIN (frame->depth, MAX_DEPTH - 1);
    const JobLocation *location = get_location (self, frame->context);
    g_autofree char *place = format_place (self, location);
    g_autofree char *ranks
        = gui_profile_format_set (gui_profile_selection_get_model (self->selection),
                                  frame->ranks, FALSE);
    g_autofree char *name = profile_dup_name (location);

    gtk_tree_store_insert_with_values (self->store, &path[depth],
                                       depth > 0 ? &path[depth - 1] : NULL, -1, FRAME, name,
                                       PLACE, place, RANKS, ranks, COUNT,
                                       job_rank_set_get_count (frame->ranks), CONTEXT,
                                       frame->context, -1);
}

/* Of a line of the user's: there is something to see. */
static gboolean
is_own (GuiMomentPane *self, const ProfileMomentFrame *frame)
{
    const JobContext *context = job_context_tree_get (
        profile_model_get_contexts (gui_profile_selection_get_model (self->selection)),
        frame->context);

    return context->location.line > 0 && (context->flags & JOB_FRAME_LIBRARY) == 0;
}

/* The innermost frame of the rank's (G_MAXUINT: of the stack with most ranks) that is the user's, or else its
 * innermost one; G_MAXUINT without any. */
static guint
find_inner (GuiMomentPane *self, const GPtrArray *frames, guint rank)
{
    guint inner = G_MAXUINT, own = G_MAXUINT, depth = 0;

    for (guint i = 0; i < frames->len; i++) {
        const ProfileMomentFrame *frame = g_ptr_array_index (frames, i);

        if (rank == G_MAXUINT && i > 0 && frame->depth <= depth) {
            break; /* the stack with most ranks is whole */
        }
        if (rank == G_MAXUINT || job_rank_set_contains (frame->ranks, rank)) {
            inner = i;
            depth = frame->depth;
            own = is_own (self, frame) ? i : own;
        }
    }
    return own != G_MAXUINT ? own : inner;
}

static void
select_row (GuiMomentPane *self, GtkTreeIter *iter)
{
    GtkTreePath *path = gtk_tree_model_get_path (GTK_TREE_MODEL (self->store), iter);

    gtk_tree_view_set_cursor (GTK_TREE_VIEW (self->tree), path, NULL, FALSE);
    gtk_tree_view_scroll_to_cell (GTK_TREE_VIEW (self->tree), path, NULL, FALSE, 0, 0);
    gtk_tree_path_free (path);
}

void
gui_moment_pane_show (GuiMomentPane *self, double time_s, guint rank, guint thread)
{
    const ProfileModel *model = gui_profile_selection_get_model (self->selection);
    const JobRankSet *ranks = gui_profile_selection_get_ranks (self->selection);
    g_autoptr (GPtrArray) frames = profile_moment_new (model, ranks, time_s, rank, thread);
    g_autofree GtkTreeIter *path = g_new0 (GtkTreeIter, MAX_DEPTH);
    guint digits
        = gui_profile_axis_get_digits (gui_profile_selection_get_end (self->selection)
                                       - gui_profile_selection_get_begin (self->selection));
    g_autofree char *title
        = frames->len > 0 ? g_strdup_printf (_ ("Stacks at %.*f s"), (int) digits, time_s)
                          : g_strdup_printf (_ ("No stacks at %.*f s"), (int) digits, time_s);
    GtkTreeIter chosen;
    guint inner = find_inner (self, frames, rank);

    gtk_label_set_text (GTK_LABEL (self->title), title);
    gtk_tree_store_clear (self->store);
    for (guint i = 0; i < frames->len; i++) {
        const ProfileMomentFrame *frame = g_ptr_array_index (frames, i);

        add_frame (self, frame, path);
        if (i == inner) {
            chosen = path[MIN (frame->depth, MAX_DEPTH - 1)];
        }
    }
    gtk_tree_view_expand_all (GTK_TREE_VIEW (self->tree));
    if (inner < frames->len) {
        select_row (self, &chosen);
    }
}

/* ---- what the user does ---- */

static guint32
get_context (GuiMomentPane *self)
{
    GtkTreeModel *model;
    GtkTreeIter iter;
    guint32 context = 0;

    if (gtk_tree_selection_get_selected (
            gtk_tree_view_get_selection (GTK_TREE_VIEW (self->tree)), &model, &iter)) {
        gtk_tree_model_get (model, &iter, CONTEXT, &context, -1);
    }
    return context;
}

static void
on_selected (GtkTreeSelection *selection, GuiMomentPane *self)
{
    const JobLocation *location = get_location (self, get_context (self));
    gboolean has_line = location != NULL && location->file != NULL && location->line > 0;

    gtk_widget_set_sensitive (self->go, has_line);
    gtk_widget_set_sensitive (self->debug, has_line);
    if (location != NULL) {
        gui_profile_selection_set_context (self->selection, get_context (self));
    }
}

static void
on_go (GuiMomentPane *self)
{
    gui_profile_view_go_to_source (GUI_PROFILE_VIEW (self),
                                   get_location (self, get_context (self)));
}

static void
on_debug (GuiMomentPane *self)
{
    gui_profile_view_debug_here (GUI_PROFILE_VIEW (self),
                                 get_location (self, get_context (self)));
}

static gboolean
on_press (GtkWidget *tree, const GdkEventButton *event, GuiMomentPane *self)
{
    GtkTreePath *path;
    const JobLocation *location;

    if (event->button != GDK_BUTTON_SECONDARY || event->type != GDK_BUTTON_PRESS
        || !gtk_tree_view_get_path_at_pos (GTK_TREE_VIEW (tree), (int) event->x, (int) event->y,
                                           &path, NULL, NULL, NULL)) {
        return FALSE;
    }
    gtk_tree_view_set_cursor (GTK_TREE_VIEW (tree), path, NULL, FALSE);
    gtk_tree_path_free (path);
    location = get_location (self, get_context (self));
    if (location != NULL) {
        gui_profile_view_popup_menu (GUI_PROFILE_VIEW (self), location,
                                     (const GdkEvent *) event);
    }
    return TRUE;
}

static gboolean
on_menu (GtkWidget *tree, GuiMomentPane *self)
{
    const JobLocation *location = get_location (self, get_context (self));

    if (location != NULL) {
        gui_profile_view_popup_menu (GUI_PROFILE_VIEW (self), location, NULL);
    }
    return location != NULL;
}

static void
on_close (GuiMomentPane *self)
{
    g_signal_emit (self, closed_signal, 0);
}

static void
on_changed (GuiProfileSelection *selection, guint what, GuiMomentPane *self)
{
    if ((what & GUI_PROFILE_CHANGE_MODEL) != 0 && (what & GUI_PROFILE_CHANGE_PLACE) != 0) {
        gtk_tree_store_clear (self->store); /* its contexts were another model's */
        on_close (self);
    }
}

/* ---- the view: only its signals are used ---- */

static const char *
get_title (GuiProfileView *view)
{
    return gtk_label_get_text (GTK_LABEL (GUI_MOMENT_PANE (view)->title));
}

static const char *
get_id (GuiProfileView *view)
{
    return "moment";
}

static void
draw_view (GuiProfileView *view, cairo_t *cr, double width, double height,
           const GuiProfileColours *colours)
{
    gui_profile_draw_text (cr, get_title (view), 13, TRUE, colours->foreground,
                           GUI_PROFILE_LEFT, 8, 8, width - 16);
}

static void
view_init (GuiProfileViewInterface *iface)
{
    iface->get_title = get_title;
    iface->get_id = get_id;
    iface->draw = draw_view;
}

/* ---- the object ---- */

static void
leave_selection (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_MOMENT_PANE (user)->selection, user);
}

static void
enter_selection (gpointer user)
{
    GuiMomentPane *self = user;

    if (self->selection != NULL) {
        g_signal_connect (self->selection, "changed", G_CALLBACK (on_changed), self);
    }
}

GUI_DISPOSE (gui_moment_pane, GuiMomentPane, gui_properties_clear (self, GUI_TYPE_MOMENT_PANE);
             g_clear_object (&self->store))

static void
gui_moment_pane_class_init (GuiMomentPaneClass *klass)
{
    GUI_PROPERTIES (klass, GuiMomentPane,
                    (selection, GUI_TYPE_PROFILE_SELECTION, leave_selection, enter_selection));
    G_OBJECT_CLASS (klass)->dispose = gui_moment_pane_dispose;
    closed_signal = GUI_SIGNAL (klass, "closed");
    GUI_TEMPLATE (klass, "moment-pane.ui");
    GUI_CHILDREN (klass, GuiMomentPane, title, tree, go, debug, close);
    GUI_CALLBACKS (klass, on_go, on_debug, on_close, on_press, on_menu, on_selected);
}

static void
gui_moment_pane_init (GuiMomentPane *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    self->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_UINT, G_TYPE_UINT);
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->tree), GTK_TREE_MODEL (self->store));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self->tree), PLACE);
    gui_theme_name (self->title, "moment-title", NULL);
    gui_theme_name (self->tree, "moment-stacks", _ ("Merged stacks"));
    gui_theme_name (self->go, "moment-go", NULL);
    gui_theme_name (self->debug, "moment-debug", NULL);
    gui_theme_name (self->close, "moment-close", _ ("Close the stacks"));
}
