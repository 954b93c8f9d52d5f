/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/chart/state-legend.h"
#include "gui/chart/chart-layout.h"
#include "gui/chart/state-item.h"
#include "gui/kit/template.h"

struct _GuiStateLegend {
    GtkFlowBox parent;
    Session *session;
    GtkWidget *items[JOB_N_STATES];
};

G_DEFINE_TYPE (GuiStateLegend, gui_state_legend, GTK_TYPE_FLOW_BOX)

static guint set_chosen_signal;

static void
on_clicked (GuiStateItem *item, GuiStateLegend *self)
{
    g_autoptr (JobRankSet) set
        = session_dup_ranks_in_one_state (self->session, gui_state_item_get_state (item));
    GdkModifierType keys = 0;

    gtk_get_current_event_state (&keys);
    g_signal_emit (self, set_chosen_signal, 0, set, gui_selection_bar_get_how (keys));
}

void
gui_state_legend_update (GuiStateLegend *self)
{
    const guint32 none[JOB_N_STATES] = { 0 };
    const guint32 *counts = self->session != NULL ? session_get_counts (self->session) : none;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        g_object_set (self->items[i], "count", counts[i], NULL);
    }
}

static void
enter_session (gpointer self)
{
    gui_state_legend_update (self);
}

static void
gui_state_legend_class_init (GuiStateLegendClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiStateLegend,
                    (session, SESSION_TYPE_SESSION, .enter = enter_session));
    set_chosen_signal = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER, G_TYPE_UINT);
    GUI_TEMPLATE (klass, "state-legend.ui");
}

static void
gui_state_legend_init (GuiStateLegend *self)
{
    const JobState *order = gui_chart_layout_get_order ();

    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (self), JOB_N_STATES);
    for (guint i = 0; i < JOB_N_STATES; i++) {
        GtkWidget *item = gui_state_item_new (order[i]);

        self->items[order[i]] = item;
        g_signal_connect (item, "clicked", G_CALLBACK (on_clicked), self);
        gtk_container_add (GTK_CONTAINER (self), item);
    }
}
