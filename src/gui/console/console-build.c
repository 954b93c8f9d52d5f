/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of the console window, chart, legend and selection above them, and their names. */
#include "gui/console/console-window-private.h"
#include <glib/gi18n.h>
#include "gui/console/breakpoint-list.h"
#include "gui/console/group-list.h"
#include "gui/console/rank-table.h"
#include "gui/kit/theme.h"

enum { HEADER = 50, PAGES = 210, LEAST_VIEW = 200 }; /* heights in pixels */

static void
add_page (GuiConsoleWindow *self, GtkWidget *page, const char *title)
{
    gtk_widget_show (page);
    gtk_notebook_append_page (GTK_NOTEBOOK (self->pages), page, gtk_label_new (title));
}

/* The table of ranks, and which of them it shows. */
static GtkWidget *
build_ranks (GuiConsoleWindow *self)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

    self->ranks = gui_rank_table_new ();
    self->only_selected = gtk_check_button_new_with_mnemonic (_ ("Only the _selected ranks"));
    gui_theme_name (self->only_selected, "only-selected", NULL);
    gtk_container_set_border_width (GTK_CONTAINER (self->only_selected), 4);
    gtk_widget_show (self->only_selected);
    gtk_widget_show (self->ranks);
    gtk_box_pack_start (GTK_BOX (box), self->ranks, TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (box), self->only_selected, FALSE, FALSE, 0);
    return box;
}

static void
build_pages (GuiConsoleWindow *self)
{
    GtkWidget *scroller = gtk_scrolled_window_new (NULL, NULL), *ranks = build_ranks (self);
    GtkWidget *column = gtk_widget_get_parent (self->legend_box);

    self->panel = GUI_COMMAND_PANEL (gui_command_panel_new ());
    self->output = GUI_OUTPUT_VIEW (gui_output_view_new ());
    self->groups = gui_group_list_new ();
    self->breakpoints = gui_breakpoint_list_new ();
    self->waits = GUI_WAIT_VIEW (gui_wait_view_new ());
    self->log = GUI_LOG_VIEW (gui_log_view_new ());
    gtk_container_add (GTK_CONTAINER (scroller), GTK_WIDGET (self->log));
    gtk_widget_show_all (scroller);
    add_page (self, GTK_WIDGET (self->panel), _ ("Commands"));
    add_page (self, GTK_WIDGET (self->output), _ ("Output"));
    add_page (self, self->groups, _ ("Groups"));
    add_page (self, ranks, _ ("Ranks"));
    add_page (self, self->breakpoints, _ ("Breakpoints"));
    add_page (self, GTK_WIDGET (self->waits), _ ("Queue"));
    add_page (self, scroller, _ ("Log"));
    gui_theme_guard_notebook (GTK_NOTEBOOK (self->pages));
    self->chart = GUI_STATE_CHART (gui_state_chart_new ());
    self->legend = GUI_STATE_LEGEND (gui_state_legend_new ());
    gtk_box_pack_start (GTK_BOX (self->chart_box), GTK_WIDGET (self->chart), TRUE, TRUE, 0);
    gtk_box_pack_start (GTK_BOX (self->legend_box), GTK_WIDGET (self->legend), TRUE, TRUE, 0);
    self->progress = GUI_PROGRESS_LINE (gui_progress_line_new ());
    gtk_box_pack_end (GTK_BOX (column), GTK_WIDGET (self->progress), FALSE, FALSE, 0);
    self->selection = GUI_SELECTION_BAR (gui_selection_bar_new ());
    gtk_box_pack_start (GTK_BOX (column), GTK_WIDGET (self->selection), FALSE, FALSE, 0);
    gtk_box_reorder_child (GTK_BOX (column), GTK_WIDGET (self->selection), 5);
    self->view = g_object_new (GUI_TYPE_GROUP_VIEW, "visible", TRUE, "breakpoints",
                               self->breakpoints, NULL);
    gtk_box_pack_start (GTK_BOX (self->view_box), GTK_WIDGET (self->view), TRUE, TRUE, 0);
    gtk_box_pack_end (GTK_BOX (self->summary_row), gui_group_view_get_chooser (self->view),
                      FALSE, FALSE, 0);
    gtk_widget_show (GTK_WIDGET (self->chart));
    gtk_widget_show (GTK_WIDGET (self->legend));
    gtk_widget_show (GTK_WIDGET (self->selection));
}

static void
name_widgets (GuiConsoleWindow *self)
{
    gui_theme_name (self->summary, "state-summary", NULL);
    gui_theme_name (self->age, "age", NULL);
    gui_theme_name (self->act_on, "act-on", _ ("Act on"));
    gui_theme_name (self->act_on_entry, "act-on-entry", _ ("Act on"));
    gui_theme_name (self->auto_update, "auto-update", _ ("Auto-refresh"));
    gui_theme_name (self->info_text, "info", NULL);
    gui_theme_name_buttons (self->info_bar, _ ("Close"));
    gui_theme_name (self->info_open, "info-open", NULL);
    gui_theme_name (self->info_do, "info-do", NULL);
    gui_theme_name (self->menu, "menu", _ ("Main menu"));
    gui_theme_name (self->group, "group-window", NULL);
    gui_theme_name (self->restart, "restart", _ ("Restart"));
    gui_theme_name (self->stop, "stop", _ ("Stop"));
    gui_theme_name (self->help, "help", _ ("Help"));
    gui_theme_name (GTK_WIDGET (self->chart), "chart", NULL);
}

void
gui_console_build (GuiConsoleWindow *self)
{
    build_pages (self);
    name_widgets (self);
}

/* Where both would be too low, source, stack and values are the first page of those below. */
static void
move_view_to_pages (GuiConsoleWindow *self)
{
    g_object_ref (self->view_box);
    gtk_container_remove (GTK_CONTAINER (self->rows), self->view_box);
    gtk_notebook_insert_page (GTK_NOTEBOOK (self->pages), self->view_box,
                              gtk_label_new (_ ("Source")), 0);
    g_object_unref (self->view_box);
    /* an only child gets what there is, if it be too little */
    gtk_container_child_set (GTK_CONTAINER (self->rows), self->pages, "shrink", FALSE, NULL);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->pages), 0);
}

/* Seven lines of the pages, the rest for the view; buttons without words where they are too wide. */
void
gui_console_build_share_room (GuiConsoleWindow *self)
{
    int width, height, least, least_width, below, view;

    gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
    gtk_widget_get_preferred_width (self->toolbar, &least_width, NULL);
    if (least_width > width) {
        gui_theme_drop_labels (self->moves);
    }
    gtk_widget_get_preferred_height (gtk_widget_get_parent (self->rows), &least, NULL);
    below = height - least - HEADER; /* what the rows share */
    view = below - PAGES;
    if (view < LEAST_VIEW) {
        view = below;
        move_view_to_pages (self);
    }
    gtk_paned_set_position (GTK_PANED (self->rows), view);
    gui_group_view_set_room (self->view, width, view);
}
