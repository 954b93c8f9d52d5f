/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the panes of a group window and places it on the screen. */
#include "gui/group/group-window-private.h"
#include <glib/gi18n.h>
#include "gui/kit/placement.h"
#include "gui/kit/theme.h"

static void
add_page (GtkWidget *notebook, gpointer pane, const char *title)
{
    gtk_widget_show (pane);
    gtk_notebook_append_page (GTK_NOTEBOOK (notebook), pane, gtk_label_new (title));
}

static void
build_panes (GuiGroupWindow *self)
{
    self->stack = GUI_STACK_VIEW (gui_stack_view_new ());
    self->table = GUI_RANK_TABLE (gui_rank_table_new ());
    self->places = GUI_PLACE_LIST (gui_place_list_new ());
    self->threads = GUI_TEXT_PANE (gui_text_pane_new (JOB_VERB_THREADS, "threads",
                                                      _ ("Threads")));
    self->locals = GUI_VALUE_PANE (gui_value_pane_new (FALSE));
    self->watches = GUI_VALUE_PANE (gui_value_pane_new (TRUE));
    self->breakpoints = GUI_BREAKPOINT_LIST (gui_breakpoint_list_new ());
    self->registers = GUI_TEXT_PANE (gui_text_pane_new (JOB_VERB_REGISTERS, "registers",
                                                        _ ("Registers")));
    self->code = GUI_TEXT_PANE (gui_text_pane_new (JOB_VERB_DISASSEMBLE, "code",
                                                   _ ("Instructions")));
    add_page (self->upper, self->stack, _ ("Stack"));
    add_page (self->upper, self->places, _ ("Places"));
    add_page (self->upper, self->table, _ ("Ranks"));
    add_page (self->upper, self->threads, _ ("Threads"));
    add_page (self->lower, self->locals, _ ("Locals"));
    add_page (self->lower, self->watches, _ ("Watches"));
    add_page (self->lower, self->breakpoints, _ ("Breakpoints"));
    add_page (self->lower, self->registers, _ ("Registers"));
    add_page (self->lower, self->code, _ ("Assembly"));
    gtk_style_context_add_class (gtk_widget_get_style_context (self->upper), "pddt-panes");
    gtk_style_context_add_class (gtk_widget_get_style_context (self->lower), "pddt-panes");
    gtk_notebook_set_scrollable (GTK_NOTEBOOK (self->upper), TRUE);
    gtk_notebook_set_scrollable (GTK_NOTEBOOK (self->lower), TRUE);
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->upper));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->lower));
}

void
gui_group_build (GuiGroupWindow *self)
{
    self->source = GUI_SOURCE_VIEW (gui_source_view_new ());
    self->open_bar = GUI_OPEN_BAR (gui_open_bar_new ());
    self->face = GUI_FACE_BAR (gui_face_bar_new ());
    self->panel = GUI_COMMAND_PANEL (gui_command_panel_new ());
    gtk_box_pack_start (GTK_BOX (self->source_box), GTK_WIDGET (self->open_bar), FALSE, FALSE,
                        0);
    gtk_box_pack_start (GTK_BOX (self->source_box), GTK_WIDGET (self->source), TRUE, TRUE, 0);
    build_panes (self);
    gtk_box_pack_start (GTK_BOX (self->bottom), GTK_WIDGET (self->face), FALSE, FALSE, 0);
    gtk_box_pack_start (GTK_BOX (self->bottom), GTK_WIDGET (self->panel), TRUE, TRUE, 0);
    self->progress = GUI_PROGRESS_LINE (gui_progress_line_new ());
    gtk_box_pack_start (GTK_BOX (self->bottom), GTK_WIDGET (self->progress), FALSE, FALSE, 0);
    gtk_widget_show (GTK_WIDGET (self->source));
    gtk_widget_show (GTK_WIDGET (self->panel));
    gui_theme_name (self->representative, "representative", _ ("View Rank"));
    gui_theme_name (self->acts_on, "acts-on", NULL);
    gui_theme_name (self->age, "age", NULL);
}

/* Room for 100 columns of source where the screen has it, and for a few lines of the transcript. */
void
gui_group_build_place (GuiGroupWindow *self)
{
    GtkWindow *console = NULL;
    guint n_groups = 0;
    int width, height;

    for (GList *link = gtk_application_get_windows (self->application); link != NULL;
         link = link->next) {
        if (GUI_IS_GROUP_WINDOW (link->data)) {
            n_groups += link->data != self;
        } else {
            console = link->data;
        }
    }
    gui_placement_place (GTK_WINDOW (self), console, n_groups);
    gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
    gtk_paned_set_position (GTK_PANED (self->columns), width - CLAMP (width - 840, 400, 560));
    gtk_paned_set_position (GTK_PANED (self->side), (height - 240) * 2 / 5);
    gtk_paned_set_position (GTK_PANED (self->rows), height - (height > 700 ? 240 : 210));
}
