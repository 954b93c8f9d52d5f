/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Naming is a line of the command language; the selection itself is the window's, which makes it
 * the session's focus. */
#include "gui/chart/selection-bar.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include "command/command.h"
#include "gui/kit/theme.h"

struct _GuiSelectionBar {
    GtkRevealer parent;
    Session *session;
    JobRankSet *set;
    GActionMap *map; /* the window; not owned, it outlives the bar */
    GtkWidget *text, *name, *name_entry, *name_popover, *combine, *other, *other_problem,
        *combine_popover;
};

G_DEFINE_TYPE (GuiSelectionBar, gui_selection_bar, GTK_TYPE_REVEALER)

enum { CHANGED, OPEN, RUN_LINE, N_SIGNALS };
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

void
gui_selection_bar_take (GuiSelectionBar *self, const JobRankSet *set, GuiSelectHow how)
{
    g_autoptr (JobRankSet) before = self->set;

    switch (how) {
    case GUI_SELECT_ADD: self->set = job_rank_set_union (before, set); break;
    case GUI_SELECT_REMOVE: self->set = job_rank_set_subtract (before, set); break;
    case GUI_SELECT_COMMON: self->set = job_rank_set_intersect (before, set); break;
    default: self->set = job_rank_set_dup (set);
    }
    if (!job_rank_set_equal (before, self->set)) {
        update (self);
        g_signal_emit (self, signals[CHANGED], 0);
    }
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
    gtk_widget_grab_focus (gtk_bin_get_child (GTK_BIN (self->other)));
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
    GtkWidget *entry = gtk_bin_get_child (GTK_BIN (self->other));
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRankSet) set
        = command_parse_set (self->session, gtk_entry_get_text (GTK_ENTRY (entry)), &error);

    gtk_label_set_text (GTK_LABEL (self->other_problem),
                        error != NULL ? base_error_get_shown (error) : "");
    gtk_widget_set_visible (self->other_problem, error != NULL);
    if (set != NULL) {
        gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->combine), FALSE);
        gui_selection_bar_take (self, set, how);
    }
}

static void
on_combine (GtkButton *button, GuiSelectionBar *self)
{
    combine (self, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "how")));
}

static void
on_combine_enter (GuiSelectionBar *self)
{
    combine (self, GUI_SELECT_ADD);
}

void
gui_selection_bar_set_session (GuiSelectionBar *self, Session *session)
{
    g_set_object (&self->session, session);
}

static void
gui_selection_bar_finalize (GObject *object)
{
    g_clear_object (&GUI_SELECTION_BAR (object)->session);
    job_rank_set_free (GUI_SELECTION_BAR (object)->set);
    G_OBJECT_CLASS (gui_selection_bar_parent_class)->finalize (object);
}

static void
gui_selection_bar_class_init (GuiSelectionBarClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_selection_bar_finalize;
    signals[CHANGED] = g_signal_new ("changed", GUI_TYPE_SELECTION_BAR, G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 0);
    signals[OPEN] = g_signal_new ("open", GUI_TYPE_SELECTION_BAR, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_STRING);
    signals[RUN_LINE] = g_signal_new ("run-line", GUI_TYPE_SELECTION_BAR, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
new_popover (GtkWidget *button, GtkWidget *content)
{
    GtkWidget *popover = gtk_popover_new (button);

    gtk_container_set_border_width (GTK_CONTAINER (content), 8);
    gtk_container_add (GTK_CONTAINER (popover), content);
    gtk_widget_show_all (content);
    gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
    return popover;
}

static GtkWidget *
new_menu_button (const char *label, const char *id)
{
    GtkWidget *button = gtk_menu_button_new ();

    gtk_button_set_label (GTK_BUTTON (button), label);
    gtk_button_set_use_underline (GTK_BUTTON (button), TRUE);
    gui_theme_name (button, id, NULL);
    return button;
}

static void
build_name (GuiSelectionBar *self)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *button = gtk_button_new_with_label (_ ("Name"));

    self->name = new_menu_button (_ ("_Name…"), "selection-name");
    self->name_entry = gtk_entry_new ();
    gui_theme_name (self->name_entry, "selection-name-entry", _ ("Name of the set"));
    gtk_container_add (GTK_CONTAINER (row), self->name_entry);
    gtk_container_add (GTK_CONTAINER (row), button);
    gtk_container_add (GTK_CONTAINER (box), gtk_label_new (_ ("Name of the set")));
    gtk_container_add (GTK_CONTAINER (box), row);
    self->name_popover = new_popover (self->name, box);
    g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_name), self);
    g_signal_connect_swapped (self->name_entry, "activate", G_CALLBACK (on_name), self);
}

static void
build_combine (GuiSelectionBar *self)
{
    static const struct {
        const char *label, *id;
        GuiSelectHow how;
    } ways[] = {
        { N_ ("Add"), "selection-add", GUI_SELECT_ADD },
        { N_ ("Subtract"), "selection-remove", GUI_SELECT_REMOVE },
        { N_ ("Intersect"), "selection-common", GUI_SELECT_COMMON },
    };
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *entry;
    GtkWidget *row = gtk_button_box_new (GTK_ORIENTATION_HORIZONTAL);

    self->combine = new_menu_button (_ ("Com_bine…"), "selection-combine");
    self->other = gtk_combo_box_text_new_with_entry ();
    entry = gtk_bin_get_child (GTK_BIN (self->other));
    gtk_entry_set_placeholder_text (GTK_ENTRY (entry),
                                    _ ("A name, a state, 0-7, at FILE:LINE …"));
    gtk_entry_set_width_chars (GTK_ENTRY (entry), 34);
    gui_theme_name (entry, "selection-other", _ ("Set to combine with"));
    gui_theme_name (self->other, NULL, _ ("Set to combine with"));
    self->other_problem = gtk_label_new (NULL);
    gtk_label_set_line_wrap (GTK_LABEL (self->other_problem), TRUE);
    gtk_label_set_xalign (GTK_LABEL (self->other_problem), 0);
    gtk_style_context_add_class (gtk_widget_get_style_context (self->other_problem),
                                 "pddt-error");
    gui_theme_name (self->other_problem, "selection-problem", NULL);
    gtk_container_add (GTK_CONTAINER (box), gtk_label_new (_ ("Set to combine with")));
    gtk_container_add (GTK_CONTAINER (box), self->other);
    gtk_container_add (GTK_CONTAINER (box), self->other_problem);
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
        GtkWidget *button = gtk_button_new_with_label (_ (ways[i].label));

        g_object_set_data (G_OBJECT (button), "how", GUINT_TO_POINTER (ways[i].how));
        gui_theme_name (button, ways[i].id, NULL);
        g_signal_connect (button, "clicked", G_CALLBACK (on_combine), self);
        gtk_container_add (GTK_CONTAINER (row), button);
    }
    gtk_button_box_set_layout (GTK_BUTTON_BOX (row), GTK_BUTTONBOX_EXPAND);
    gtk_container_add (GTK_CONTAINER (box), row);
    self->combine_popover = new_popover (self->combine, box);
    gtk_widget_hide (self->other_problem);
    g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_combine_enter), self);
    g_signal_connect_swapped (self->combine_popover, "show", G_CALLBACK (fill_others), self);
}

static void
gui_selection_bar_init (GuiSelectionBar *self)
{
    static const struct {
        const char *label, *tip, *action, *id;
    } buttons[] = {
        { N_ ("_Group Window"), N_ ("Open a group window for the selected ranks"),
          "win.selection-open", "selection-open" },
        { N_ ("In_vert Selection"), N_ ("Select all ranks that are not selected now"),
          "win.selection-complement", "selection-complement" },
    };
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *clear;

    self->set = job_rank_set_new ();
    gtk_revealer_set_transition_type (GTK_REVEALER (self), GTK_REVEALER_TRANSITION_TYPE_NONE);
    self->text = gtk_label_new (NULL);
    gtk_label_set_ellipsize (GTK_LABEL (self->text), PANGO_ELLIPSIZE_END);
    gtk_label_set_xalign (GTK_LABEL (self->text), 0);
    gui_theme_name (self->text, "selection", NULL);
    gtk_box_pack_start (GTK_BOX (box), self->text, TRUE, TRUE, 0);
    for (guint i = 0; i < G_N_ELEMENTS (buttons); i++) {
        GtkWidget *button = gtk_button_new_with_mnemonic (_ (buttons[i].label));

        gtk_widget_set_tooltip_text (button, _ (buttons[i].tip));
        gtk_actionable_set_action_name (GTK_ACTIONABLE (button), buttons[i].action);
        gui_theme_name (button, buttons[i].id, NULL);
        gtk_box_pack_start (GTK_BOX (box), button, FALSE, FALSE, 0);
    }
    build_combine (self);
    build_name (self);
    clear = gtk_button_new_from_icon_name ("window-close-symbolic", GTK_ICON_SIZE_BUTTON);
    gtk_button_set_relief (GTK_BUTTON (clear), GTK_RELIEF_NONE);
    gtk_widget_set_tooltip_text (clear, _ ("Select None"));
    gtk_actionable_set_action_name (GTK_ACTIONABLE (clear), "win.selection-clear");
    gui_theme_name (clear, "selection-clear", _ ("Select None"));
    gtk_box_pack_start (GTK_BOX (box), self->combine, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (box), self->name, FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (box), clear, FALSE, FALSE, 0);
    gtk_style_context_add_class (gtk_widget_get_style_context (box), "pddt-selection");
    gtk_container_add (GTK_CONTAINER (self), box);
    gtk_widget_show_all (box);
}

GtkWidget *
gui_selection_bar_new (void)
{
    return g_object_new (GUI_TYPE_SELECTION_BAR, NULL);
}
