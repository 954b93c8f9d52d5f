/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/act-on.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/error.h"
#include "command/command.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

enum { MAX_ENTRY = 200 }; /* characters of ranks that one could edit */

struct _GuiActOn {
    GtkBox parent;
    GtkWidget *choice, *entry;
    Session *session;
    char *shown; /* of the focus; NULL: what is in the entry is not it */
};

G_DEFINE_TYPE (GuiActOn, gui_act_on, GTK_TYPE_BOX)

static guint run_line_signal;

const char *
gui_act_on_get_text (GuiActOn *self)
{
    return gtk_entry_get_text (GTK_ENTRY (self->entry));
}

static void
fill_sets (GuiActOn *self)
{
    g_auto (GStrv) names = session_dup_set_names (self->session);

    gtk_combo_box_text_remove_all (GTK_COMBO_BOX_TEXT (self->choice));
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (self->choice), "all");
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (self->choice), names[i]);
    }
}

/* "all", the user's name for exactly these ranks, or the ranks. */
static char *
dup_focus_text (GuiActOn *self)
{
    const JobRankSet *focus = session_get_focus (self->session);
    g_autoptr (JobRankSet) all = session_dup_all (self->session);
    g_autofree char *name = session_dup_set_name (self->session, focus);
    g_autofree char *text = NULL;

    if (job_rank_set_equal (focus, all)) {
        return g_strdup ("all");
    }
    if (name != NULL) {
        return g_steal_pointer (&name);
    }
    text = job_rank_set_format (focus);
    return strlen (text) <= MAX_ENTRY ? g_steal_pointer (&text)
                                      : job_rank_set_format_brief (focus);
}

static void
on_sets_changed (GuiActOn *self)
{
    g_autofree char *text = dup_focus_text (self);

    fill_sets (self);
    if (g_strcmp0 (text, self->shown) != 0) { /* not what is just being typed */
        gtk_entry_set_text (GTK_ENTRY (self->entry), text);
        g_free (self->shown);
        self->shown = g_steal_pointer (&text);
    }
}

static void
show_problem (GuiActOn *self, const GError *error)
{
    GtkEntry *entry = GTK_ENTRY (self->entry);

    gtk_entry_set_icon_from_icon_name (entry, GTK_ENTRY_ICON_SECONDARY,
                                       error != NULL ? "dialog-error-symbolic" : NULL);
    if (error != NULL) {
        gtk_entry_set_icon_tooltip_text (entry, GTK_ENTRY_ICON_SECONDARY,
                                         base_error_get_shown (error));
    }
}

static void
on_activate (GuiActOn *self)
{
    g_autofree char *text = g_strstrip (g_strdup (gui_act_on_get_text (self)));
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRankSet) set = command_parse_set (self->session, text, &error);
    g_autofree char *line = g_strdup_printf ("pick %s", text);

    show_problem (self, error);
    if (set != NULL) {
        g_clear_pointer (&self->shown, g_free); /* a state's name becomes its ranks */
        g_signal_emit (self, run_line_signal, 0, line);
    }
}

static void
on_changed (GuiActOn *self)
{
    if (gtk_combo_box_get_active (GTK_COMBO_BOX (self->choice)) >= 0) {
        on_activate (self);
    }
}

static void
leave_session (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_ACT_ON (user)->session, user);
}

static void
enter_session (gpointer user)
{
    GuiActOn *self = user;

    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "sets-changed", G_CALLBACK (on_sets_changed),
                                  self);
        on_sets_changed (self);
    }
}

GUI_FINALIZE (gui_act_on, GuiActOn, g_free (self->shown))

static void
gui_act_on_class_init (GuiActOnClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_act_on_finalize;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiActOn,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session));
    run_line_signal = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    GUI_TEMPLATE (klass, "act-on.ui");
    GUI_CHILDREN (klass, GuiActOn, choice, entry);
    GUI_CALLBACKS (klass, on_changed, on_activate);
}

static void
gui_act_on_init (GuiActOn *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_theme_name (self->choice, "act-on", _ ("Act on"));
    gui_theme_name (self->entry, "act-on-entry", _ ("Act on"));
}
