/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/rank-page.h"
#include "gui/lists/rank-table.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

struct _GuiRankPage {
    GtkBox parent;
    GuiRankTable *table;
    GtkWidget *only_selected;
    Session *session;
    JobRankSet *selection;
    gboolean is_filled;
};

G_DEFINE_TYPE (GuiRankPage, gui_rank_page, GTK_TYPE_BOX)

enum { RANK_CHOSEN, SET_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

/* None before all are known. */
void
gui_rank_page_update (GuiRankPage *self)
{
    if (self->session != NULL && (session_is_ready (self->session) || self->is_filled)) {
        g_autoptr (JobRankSet) all = session_dup_all (self->session);

        self->is_filled = session_get_size (self->session) > 0;
        g_object_set (self->table, "ranks", all, NULL);
    }
}

void
gui_rank_page_update_ages (GuiRankPage *self)
{
    gui_rank_table_update_ages (self->table);
}

static void
filter (GuiRankPage *self)
{
    gboolean only = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->only_selected));

    g_object_set (self->table, "filter",
                  only && !job_rank_set_is_empty (self->selection) ? self->selection : NULL,
                  NULL);
}

static void
enter_selection (gpointer user)
{
    GuiRankPage *self = user;

    if (self->selection == NULL) {
        self->selection = job_rank_set_new ();
    }
    filter (self);
    g_object_set (self->table, "selection", self->selection, NULL);
}

static void
enter_session (gpointer user)
{
    GuiRankPage *self = user;

    self->is_filled = FALSE;
    g_object_set (self->table, "ranks", NULL, NULL);
    gui_rank_page_update (self);
}

static void
on_rank_chosen (GuiRankPage *self, guint rank)
{
    g_signal_emit (self, signals[RANK_CHOSEN], 0, rank);
}

static void
on_set_chosen (GuiRankPage *self, const JobRankSet *set)
{
    g_signal_emit (self, signals[SET_CHOSEN], 0, set);
}

static void
gui_rank_page_class_init (GuiRankPageClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiRankPage, (session, SESSION_TYPE_SESSION, .enter = enter_session),
                    (selection, GUI_TYPE_RANK_SET, .enter = enter_selection));
    signals[RANK_CHOSEN] = GUI_SIGNAL (klass, "rank-chosen", G_TYPE_UINT);
    signals[SET_CHOSEN] = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_ENSURE (GUI_TYPE_RANK_TABLE);
    GUI_TEMPLATE (klass, "rank-page.ui");
    GUI_CHILDREN (klass, GuiRankPage, table, only_selected);
    GUI_CALLBACKS (klass, filter, on_rank_chosen, on_set_chosen);
}

static void
gui_rank_page_init (GuiRankPage *self)
{
    self->selection = job_rank_set_new ();
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_properties_share (self, "session", self->table, NULL);
    gui_theme_name (self->only_selected, "only-selected", NULL);
}
