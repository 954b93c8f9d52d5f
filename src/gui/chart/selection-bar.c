/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Naming is a line of the command language; the selection itself is the window's, which makes it
 * the session's focus. */
#include "gui/chart/selection-bar.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include "command/command.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiSelectionBar {
    GtkRevealer parent;
    Session *session;
    JobRankSet *set;
    GActionMap *map; /* the window; not owned, it outlives the bar */
    GtkWidget *text, *open, *invert, *combine, *other, *other_entry, *other_problem, *add,
        *subtract, *intersect, *name, *name_entry, *clear;
};

G_DEFINE_TYPE (GuiSelectionBar, gui_selection_bar, GTK_TYPE_REVEALER)

enum { OPEN, RUN_LINE, N_SIGNALS };
static guint signals[N_SIGNALS];

static const char *const action_names[] = { "selection-open",  "selection-complement",
                                            "selection-clear", "selection-copy",
                                            "selection-name",  "selection-combine" };

static void
update (GuiSelectionBar *self)
{
    guint n = job_rank_set_get_count (self->set);
    g_autofree char *ranks = job_rank_set_format_brief (self->set);
    g_autofree char *text = g_strdup_printf (ngettext ("%u rank selected: %s",
                                                       "%u ranks selected: %s", n),
                                             n, ranks);

    gtk_label_set_text (GTK_LABEL (self->text), text);
    gtk_widget_set_tooltip_text (self->text, n < 1000 ? text : NULL);
    gtk_revealer_set_reveal_child (GTK_REVEALER (self), n > 0);
    for (guint i = 0; self->map != NULL && i < G_N_ELEMENTS (action_names); i++) {
        g_simple_action_set_enabled (
            G_SIMPLE_ACTION (g_action_map_lookup_action (self->map, action_names[i])), n > 0);
    }
}

static void
enter_set (gpointer user)
{
    GuiSelectionBar *self = user;

    if (self->set == NULL) {
        self->set = job_rank_set_new ();
    }
    update (self);
}

void
gui_selection_bar_take (GuiSelectionBar *self, const JobRankSet *set, GuiSelectHow how)
{
    g_autoptr (JobRankSet) wanted = NULL;

    switch (how) {
    case GUI_SELECT_ADD: wanted = job_rank_set_union (self->set, set); break;
    case GUI_SELECT_REMOVE: wanted = job_rank_set_subtract (self->set, set); break;
    case GUI_SELECT_COMMON: wanted = job_rank_set_intersect (self->set, set); break;
    default: wanted = job_rank_set_dup (set);
    }
    g_object_set (self, "set", wanted, NULL);
}

const JobRankSet *
gui_selection_bar_get (const GuiSelectionBar *self)
{
    return self->set;
}

GuiSelectHow
gui_selection_bar_get_how (GdkModifierType state)
{
    return (state & GDK_CONTROL_MASK) == 0 ? GUI_SELECT_ONLY
           : (state & GDK_SHIFT_MASK) != 0 ? GUI_SELECT_REMOVE
                                           : GUI_SELECT_ADD;
}

static void
activate_open (GuiSelectionBar *self)
{
    g_autoptr (JobRankSet) set = job_rank_set_dup (self->set);
    g_autofree char *name = session_dup_set_name (self->session, self->set);

    g_signal_emit (self, signals[OPEN], 0, set, name);
}

static void
activate_complement (GuiSelectionBar *self)
{
    g_autoptr (JobRankSet) all = session_dup_all (self->session);
    g_autoptr (JobRankSet) others = job_rank_set_subtract (all, self->set);

    gui_selection_bar_take (self, others, GUI_SELECT_ONLY);
}

static void
activate_clear (GuiSelectionBar *self)
{
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();

    gui_selection_bar_take (self, nobody, GUI_SELECT_ONLY);
}

static void
activate_copy (GuiSelectionBar *self)
{
    g_autofree char *ranks = job_rank_set_format (self->set);

    gtk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self),
                                                      GDK_SELECTION_CLIPBOARD),
                            ranks, -1);
}

static void
activate_name (GuiSelectionBar *self)
{
    gtk_entry_set_text (GTK_ENTRY (self->name_entry), "");
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->name), TRUE);
    gtk_widget_grab_focus (self->name_entry);
}

/* Sets to combine with: the named ones, and the states that occur. */
static void
fill_others (GuiSelectionBar *self)
{
    GtkComboBoxText *combo = GTK_COMBO_BOX_TEXT (self->other);
    g_auto (GStrv) names = session_dup_set_names (self->session);
    const guint32 *counts = session_get_counts (self->session);

    gtk_combo_box_text_remove_all (combo);
    for (guint i = 0; names[i] != NULL; i++) {
        gtk_combo_box_text_append_text (combo, names[i]);
    }
    for (guint i = JOB_STATE_NONE + 1; i < JOB_N_STATES; i++) {
        if (counts[i] > 0) {
            gtk_combo_box_text_append_text (combo, job_state_get_info (i)->word);
        }
    }
}

static void
activate_combine (GuiSelectionBar *self)
{
    fill_others (self);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->combine), TRUE);
    gtk_widget_grab_focus (self->other_entry);
}

static void
on_action (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    static void (*const activate[]) (GuiSelectionBar * self)
        = { activate_open, activate_complement, activate_clear,
            activate_copy, activate_name,       activate_combine };
    const char *name = g_action_get_name (G_ACTION (action));

    for (guint i = 0; i < G_N_ELEMENTS (action_names); i++) {
        if (g_str_equal (action_names[i], name)) {
            activate[i](user);
            return;
        }
    }
}

void
gui_selection_bar_add_actions (GuiSelectionBar *self, GActionMap *map)
{
    for (guint i = 0; i < G_N_ELEMENTS (action_names); i++) {
        g_autoptr (GSimpleAction) action = g_simple_action_new (action_names[i], NULL);

        g_signal_connect (action, "activate", G_CALLBACK (on_action), self);
        g_action_map_add_action (map, G_ACTION (action));
    }
    self->map = map;
    update (self);
}

void
gui_selection_bar_popup (GuiSelectionBar *self, GtkWidget *widget, const GdkEvent *event)
{
    static const struct {
        const char *label, *action;
    } items[] = {
        { N_ ("_Group Window"), "win.selection-open" },
        { N_ ("_Name…"), "win.selection-name" },
        { N_ ("Com_bine…"), "win.selection-combine" },
        { N_ ("In_vert Selection"), "win.selection-complement" },
        { N_ ("Copy Ranks"), "win.selection-copy" },
        { N_ ("Select None"), "win.selection-clear" },
    };
    g_autoptr (GMenu) model = g_menu_new ();
    GtkWidget *menu;

    for (guint i = 0; i < G_N_ELEMENTS (items); i++) {
        g_menu_append (model, _ (items[i].label), items[i].action);
    }
    menu = gtk_menu_new_from_model (G_MENU_MODEL (model));
    gtk_menu_attach_to_widget (GTK_MENU (menu), widget, NULL);
    g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
    if (event != NULL && event->type == GDK_BUTTON_PRESS) {
        gtk_menu_popup_at_pointer (GTK_MENU (menu), event);
    } else {
        gtk_menu_popup_at_widget (GTK_MENU (menu), widget, GDK_GRAVITY_CENTER,
                                  GDK_GRAVITY_NORTH, event);
    }
}

static void
on_name (GuiSelectionBar *self)
{
    g_autofree char *name
        = g_strstrip (g_strdup (gtk_entry_get_text (GTK_ENTRY (self->name_entry))));
    g_autofree char *ranks = job_rank_set_format (self->set);
    g_autofree char *line = g_strdup_printf ("set %s = %s", name, ranks);

    if (*name != '\0') {
        gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->name), FALSE);
        g_signal_emit (self, signals[RUN_LINE], 0, line);
    }
}

static void
combine (GuiSelectionBar *self, GuiSelectHow how)
{
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->other_entry));
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRankSet) set = command_parse_set (self->session, text, &error);

    gtk_label_set_text (GTK_LABEL (self->other_problem),
                        error != NULL ? base_error_get_shown (error) : "");
    gtk_widget_set_visible (self->other_problem, error != NULL);
    if (set != NULL) {
        gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->combine), FALSE);
        gui_selection_bar_take (self, set, how);
    }
}

static void
on_add (GuiSelectionBar *self)
{
    combine (self, GUI_SELECT_ADD);
}

static void
on_subtract (GuiSelectionBar *self)
{
    combine (self, GUI_SELECT_REMOVE);
}

static void
on_intersect (GuiSelectionBar *self)
{
    combine (self, GUI_SELECT_COMMON);
}

GUI_FINALIZE (gui_selection_bar, GuiSelectionBar,
              gui_properties_clear (self, GUI_TYPE_SELECTION_BAR))

static void
gui_selection_bar_class_init (GuiSelectionBarClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_selection_bar_finalize;
    GUI_PROPERTIES (klass, GuiSelectionBar, (session, SESSION_TYPE_SESSION),
                    (set, GUI_TYPE_RANK_SET, .enter = enter_set));
    signals[OPEN] = GUI_SIGNAL (klass, "open", G_TYPE_POINTER, G_TYPE_STRING);
    signals[RUN_LINE] = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "selection-bar.ui");
    GUI_CHILDREN (klass, GuiSelectionBar, text, open, invert, combine, other, other_entry,
                  other_problem, add, subtract, intersect, name, name_entry, clear);
    GUI_CALLBACKS (klass, fill_others, on_add, on_subtract, on_intersect, on_name);
}

static void
gui_selection_bar_init (GuiSelectionBar *self)
{
    self->set = job_rank_set_new ();
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->text, "selection", NULL);
    gui_theme_name (self->open, "selection-open", NULL);
    gui_theme_name (self->invert, "selection-complement", NULL);
    gui_theme_name (self->combine, "selection-combine", NULL);
    gui_theme_name (self->other, NULL, _ ("Set to combine with"));
    gui_theme_name (self->other_entry, "selection-other", _ ("Set to combine with"));
    gui_theme_name (self->other_problem, "selection-problem", NULL);
    gui_theme_name (self->add, "selection-add", NULL);
    gui_theme_name (self->subtract, "selection-remove", NULL);
    gui_theme_name (self->intersect, "selection-common", NULL);
    gui_theme_name (self->name, "selection-name", NULL);
    gui_theme_name (self->name_entry, "selection-name-entry", _ ("Name of the set"));
    gui_theme_name (self->clear, "selection-clear", _ ("Select None"));
}
