/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of one set: its view, with buttons above and a command line below that act on it. */
#include "gui/group/group-window.h"
#include <glib/gi18n.h>
#include "gui/dialogs/keys-window.h"
#include "gui/group/group-view.h"
#include "gui/group/viewed-rank.h"
#include "gui/kit/debug-actions.h"
#include "gui/kit/keys.h"
#include "gui/kit/placement.h"
#include "gui/kit/progress-line.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/settings.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

/* Pixels: a low window, and two lines of commands below their entry there. */
enum { LOW = 560, LOW_COMMANDS = 88 };

struct _GuiGroupWindow {
    GtkApplicationWindow parent;
    GtkWidget *header, *toolbar, *moves, *acts_on, *rows, *commands;
    GuiGroupView *view;
    GuiCommandPanel *panel;
    GuiProgressLine *progress;
    Session *session;
    JobRankSet *ranks;
    char *set_name;
};

G_DEFINE_TYPE (GuiGroupWindow, gui_group_window, GTK_TYPE_APPLICATION_WINDOW)

static JobRankSet *
dup_ranks (gpointer window)
{
    return job_rank_set_dup (GUI_GROUP_WINDOW (window)->ranks);
}

static void
update_title (GuiGroupWindow *self)
{
    g_autofree char *ranks = job_rank_set_format_brief (self->ranks);
    g_autofree char *subtitle = gui_group_view_format_place (self->view);
    guint n = job_rank_set_get_count (self->ranks);
    g_autofree char *acts
        = g_strdup_printf (ngettext ("acts on %u rank", "acts on %u ranks", n), n);
    /* Translators: the user's name for a set of ranks, and which ranks these are. */
    g_autofree char *title = self->set_name != NULL
                                 ? g_strdup_printf (_ ("%s — ranks %s"), self->set_name, ranks)
                                 : g_strdup_printf (ngettext ("Rank %s", "Ranks %s", n), ranks);

    gtk_window_set_title (GTK_WINDOW (self), title);
    gtk_header_bar_set_title (GTK_HEADER_BAR (self->header), title);
    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header), subtitle);
    gtk_label_set_text (GTK_LABEL (self->acts_on), acts);
}

static void
on_updated (GuiGroupWindow *self)
{
    gui_debug_actions_update (G_ACTION_MAP (self), self->session, self->ranks);
    update_title (self);
}

static void
on_set_chosen (GuiGroupWindow *self, const JobRankSet *set)
{
    gui_group_window_open (gtk_window_get_application (GTK_WINDOW (self)), self->session, set,
                           NULL);
}

static void
activate_update (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_group_view_update (GUI_GROUP_WINDOW (user)->view);
}

static void
activate_sample (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_group_view_refresh (GUI_GROUP_WINDOW (user)->view, GUI_GROUP_ASK_ALL);
}

static void
activate_focus (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_command_panel_focus (GUI_GROUP_WINDOW (user)->panel);
}

static void
activate_keys (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_keys_window_show (GTK_WINDOW (user));
}

static const GActionEntry entries[] = {
    { "update", activate_update, NULL, NULL, NULL, { 0 } },
    { "sample-stacks", activate_sample, NULL, NULL, NULL, { 0 } },
    { "focus-command", activate_focus, NULL, NULL, NULL, { 0 } },
    { "keys", activate_keys, NULL, NULL, NULL, { 0 } },
};

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    return gui_keys_prefer_text (GTK_WINDOW (widget), event)
           || GTK_WIDGET_CLASS (gui_group_window_parent_class)->key_press_event (widget, event)
           || (event->keyval == GDK_KEY_Escape
               && gui_progress_line_cancel (GUI_GROUP_WINDOW (widget)->progress));
}

static void
gui_group_window_dispose (GObject *object)
{
    GuiGroupWindow *self = GUI_GROUP_WINDOW (object);

    if (self->view != NULL) { /* what it says while it goes is of no use */
        g_signal_handlers_disconnect_by_func (self->view, on_updated, self);
        self->view = NULL;
    }
    G_OBJECT_CLASS (gui_group_window_parent_class)->dispose (object);
}

GUI_FINALIZE (gui_group_window, GuiGroupWindow,
              gui_properties_clear (self, GUI_TYPE_GROUP_WINDOW))

static void
gui_group_window_class_init (GuiGroupWindowClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_group_window_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_group_window_finalize;
    GUI_PROPERTIES (klass, GuiGroupWindow,
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (ranks, GUI_TYPE_RANK_SET, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (set_name, G_TYPE_STRING, .flags = G_PARAM_CONSTRUCT_ONLY));
    GTK_WIDGET_CLASS (klass)->key_press_event = press_key;
    GUI_ENSURE (GUI_TYPE_COMMAND_PANEL, GUI_TYPE_GROUP_VIEW, GUI_TYPE_VIEWED_RANK,
                GUI_TYPE_PROGRESS_LINE);
    GUI_TEMPLATE (klass, "group-window.ui");
    GUI_CHILDREN (klass, GuiGroupWindow, header, toolbar, moves, acts_on, rows, commands, view,
                  panel, progress);
    GUI_CALLBACKS (klass, on_updated, on_set_chosen);
}

static void
gui_group_window_init (GuiGroupWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_properties_share (self, "session", self->panel, self->progress, NULL);
    gui_theme_name (self->acts_on, "acts-on", NULL);
    g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries),
                                     self);
    gui_debug_actions_add (G_ACTION_MAP (self), self->panel, dup_ranks);
    gui_group_view_add_actions (self->view, G_ACTION_MAP (self));
    gui_settings_restore_size (GTK_WINDOW (self), "group", 1360, 820);
}

/* Beside the console, with room for the source and for a few lines of the transcript. */
static void
place (GuiGroupWindow *self)
{
    GtkWindow *console = NULL;
    guint n_groups = 0;
    int width, height, wanted;

    for (GList *link
         = gtk_application_get_windows (gtk_window_get_application (GTK_WINDOW (self)));
         link != NULL; link = link->next) {
        if (GUI_IS_GROUP_WINDOW (link->data)) {
            n_groups += link->data != self;
        } else {
            console = link->data;
        }
    }
    gui_placement_place (GTK_WINDOW (self), console, n_groups);
    gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
    update_title (self); /* what the toolbar says needs room, too */
    gtk_widget_get_preferred_width (self->toolbar, NULL, &wanted);
    if (wanted > width) {
        gui_theme_drop_labels (self->moves);
    }
    if (height < LOW) { /* ten rows of the stack are worth more than five of commands */
        gtk_style_context_add_class (gtk_widget_get_style_context (GTK_WIDGET (self)),
                                     "pddt-low");
        gtk_widget_set_size_request (self->commands, -1, LOW_COMMANDS);
    }
    gui_group_view_set_room (self->view, width, height - 240);
    gtk_paned_set_position (GTK_PANED (self->rows),
                            height < LOW ? height : height - (height > 700 ? 210 : 180));
}

static GuiGroupWindow *
find_window (GtkApplication *application, Session *session, const JobRankSet *ranks)
{
    for (GList *link = gtk_application_get_windows (application); link != NULL;
         link = link->next) {
        if (GUI_IS_GROUP_WINDOW (link->data)) {
            GuiGroupWindow *window = GUI_GROUP_WINDOW (link->data);

            if (window->session == session && job_rank_set_equal (window->ranks, ranks)) {
                return window;
            }
        }
    }
    return NULL;
}

GtkWidget *
gui_group_window_open (GtkApplication *application, Session *session, const JobRankSet *ranks,
                       const char *name)
{
    GuiGroupWindow *self = find_window (application, session, ranks);

    if (self == NULL) {
        self = g_object_new (GUI_TYPE_GROUP_WINDOW, "application", application, "session",
                             session, "ranks", ranks, "set-name", name, NULL);
        place (self);
        gui_keys_explain (GTK_WINDOW (self));
        gtk_widget_show (GTK_WIDGET (self));
        gui_command_panel_focus (self->panel);
    }
    gtk_window_present (GTK_WINDOW (self));
    return GTK_WIDGET (self);
}

Session *
gui_group_window_get_session (GuiGroupWindow *self)
{
    return self->session;
}

SessionSavedWindow *
gui_group_window_dup_saved (GuiGroupWindow *self)
{
    SessionSavedWindow *saved = g_new0 (SessionSavedWindow, 1);

    saved->name = g_strdup (self->set_name);
    saved->ranks = job_rank_set_dup (self->ranks);
    saved->has_layout = !gtk_window_is_maximized (GTK_WINDOW (self));
    gtk_window_get_size (GTK_WINDOW (self), &saved->layout[0], &saved->layout[1]);
    saved->layout[3] = gtk_paned_get_position (GTK_PANED (self->rows));
    gui_group_view_save (self->view, saved);
    return saved;
}

void
gui_group_window_show_source (GuiGroupWindow *self, const char *file, guint line)
{
    gui_group_view_show_source (self->view, file, line);
    gtk_window_present (GTK_WINDOW (self));
}

void
gui_group_window_restore (GuiGroupWindow *self, const SessionSavedWindow *saved)
{
    if (saved->has_layout) {
        if (saved->layout[0] > 0 && saved->layout[1] > 0) {
            gtk_window_resize (GTK_WINDOW (self), saved->layout[0], saved->layout[1]);
        }
        gtk_paned_set_position (GTK_PANED (self->rows), saved->layout[3]);
    }
    gui_group_view_restore (self->view, saved);
}
