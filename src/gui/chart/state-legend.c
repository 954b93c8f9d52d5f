/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The legend: empty states are hidden. */
#include "gui/chart/state-legend.h"
#include <glib/gi18n.h>
#include "gui/kit/properties.h"
#include "gui/kit/theme.h"

struct _GuiStateLegend {
    GtkFlowBox parent;
    Session *session;
    GtkWidget *buttons[JOB_N_STATES], *labels[JOB_N_STATES];
};

G_DEFINE_TYPE (GuiStateLegend, gui_state_legend, GTK_TYPE_FLOW_BOX)

static guint set_chosen_signal;

static gboolean
draw_swatch (GtkWidget *widget, cairo_t *cr, gpointer state)
{
    GuiChartColours colours;
    int height = gtk_widget_get_allocated_height (widget), y = (height - 14) / 2;

    gui_theme_fill_colours (widget, &colours);
    guint32 colour = colours.colours[GPOINTER_TO_UINT (state)], ink = colours.foreground;
    cairo_rectangle (cr, 0.5, y + 0.5, 13, 13);
    cairo_set_source_rgb (cr, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0);
    cairo_fill_preserve (cr);
    cairo_set_source_rgba (cr, (ink >> 16) / 255.0, (ink >> 8 & 255) / 255.0,
                           (ink & 255) / 255.0, colours.outline_alpha);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
    return FALSE;
}

static void
on_clicked (GtkButton *button, GuiStateLegend *self)
{
    guint state = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "state"));
    g_autoptr (JobRankSet) set = session_dup_ranks_in_one_state (self->session, state);

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
        const JobStateInfo *info = job_state_get_info (i);
        GtkWidget *child = gtk_widget_get_parent (self->buttons[i]);
        g_autofree char *text = g_strdup_printf ("%s %s %u", info->glyph, _ (info->title),
                                                 counts[i]);

        gtk_widget_set_visible (child, counts[i] > 0);
        if (g_strcmp0 (text, gtk_label_get_text (GTK_LABEL (self->labels[i]))) != 0) {
            g_autofree char *name = g_strdup_printf ("%s %u", _ (info->title), counts[i]);

            gtk_label_set_text (GTK_LABEL (self->labels[i]), text);
            gui_theme_name (self->buttons[i], NULL, name);
        }
    }
}

static void
enter_session (gpointer self)
{
    gui_state_legend_update (self);
}

static void
gui_state_legend_dispose (GObject *object)
{
    gui_properties_clear (object, GUI_TYPE_STATE_LEGEND);
    G_OBJECT_CLASS (gui_state_legend_parent_class)->dispose (object);
}

static void
gui_state_legend_class_init (GuiStateLegendClass *klass)
{
    const GuiProperty session
        = { "session", SESSION_TYPE_SESSION, G_STRUCT_OFFSET (GuiStateLegend, session), 0,
            NULL,      enter_session };

    G_OBJECT_CLASS (klass)->dispose = gui_state_legend_dispose;
    gui_properties_install (G_OBJECT_CLASS (klass), &session, 1);
    set_chosen_signal = g_signal_new ("set-chosen", GUI_TYPE_STATE_LEGEND, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_POINTER,
                                      G_TYPE_UINT);
}

static void
add_button (GuiStateLegend *self, JobState state)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *swatch = gtk_drawing_area_new (), *child = gtk_flow_box_child_new ();
    g_autofree char *id = g_strconcat ("legend-", job_state_get_info (state)->colour, NULL);

    self->buttons[state] = gtk_button_new ();
    self->labels[state] = gtk_label_new (NULL);
    gtk_widget_set_size_request (swatch, 14, 14);
    g_signal_connect (swatch, "draw", G_CALLBACK (draw_swatch), GUINT_TO_POINTER (state));
    gtk_container_add (GTK_CONTAINER (box), swatch);
    gtk_container_add (GTK_CONTAINER (box), self->labels[state]);
    gtk_container_add (GTK_CONTAINER (self->buttons[state]), box);
    gtk_container_add (GTK_CONTAINER (child), self->buttons[state]);
    gtk_widget_set_can_focus (child, FALSE);
    gtk_widget_show_all (child);
    gtk_widget_set_no_show_all (child, TRUE);
    gtk_widget_hide (child);
    gtk_container_add (GTK_CONTAINER (self), child);
    g_object_set_data (G_OBJECT (self->buttons[state]), "state", GUINT_TO_POINTER (state));
    gtk_widget_set_tooltip_text (
        self->buttons[state],
        _ ("Select the ranks in this state; Ctrl adds, Ctrl+Shift takes away"));
    gui_theme_name (self->buttons[state], id, NULL);
    g_signal_connect (self->buttons[state], "clicked", G_CALLBACK (on_clicked), self);
}

static void
gui_state_legend_init (GuiStateLegend *self)
{
    const JobState *order = gui_chart_layout_get_order ();

    gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (self), GTK_SELECTION_NONE);
    gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (self), JOB_N_STATES);
    gtk_flow_box_set_min_children_per_line (GTK_FLOW_BOX (self), 3);
    gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (self), 2);
    gtk_widget_set_halign (GTK_WIDGET (self), GTK_ALIGN_START);
    gtk_style_context_add_class (gtk_widget_get_style_context (GTK_WIDGET (self)),
                                 "pddt-legend");
    for (guint i = 0; i < JOB_N_STATES; i++) {
        add_button (self, order[i]);
    }
}

GtkWidget *
gui_state_legend_new (void)
{
    return g_object_new (GUI_TYPE_STATE_LEGEND, NULL);
}
