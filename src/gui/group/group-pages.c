/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/group-pages.h"
#include <glib/gi18n.h>
#include "gui/kit/theme.h"

static void
add_page (GtkWidget *notebook, gpointer pane, const char *title)
{
    gtk_widget_show (pane);
    gtk_notebook_append_page (GTK_NOTEBOOK (notebook), pane, gtk_label_new (title));
}

static void
build_upper (GuiGroupPages *pages, GtkWidget *upper, gboolean has_lists)
{
    pages->threads = GUI_TEXT_PANE (gui_text_pane_new (JOB_VERB_THREADS, "threads",
                                                       _ ("Threads")));
    if (has_lists) {
        pages->places = GUI_PLACE_LIST (gui_place_list_new ());
        pages->table = GUI_RANK_TABLE (gui_rank_table_new ());
        add_page (upper, pages->places, _ ("Places"));
        add_page (upper, pages->table, _ ("Ranks"));
    }
    add_page (upper, pages->threads, _ ("Threads"));
}

static void
build_lower (GuiGroupPages *pages, GtkWidget *lower, gboolean has_lists)
{
    pages->locals = GUI_VALUE_PANE (gui_value_pane_new (FALSE));
    pages->watches = GUI_VALUE_PANE (gui_value_pane_new (TRUE));
    pages->registers = GUI_TEXT_PANE (gui_text_pane_new (JOB_VERB_REGISTERS, "registers",
                                                         _ ("Registers")));
    pages->code = GUI_TEXT_PANE (gui_text_pane_new (JOB_VERB_DISASSEMBLE, "code",
                                                    _ ("Instructions")));
    add_page (lower, pages->locals, _ ("Locals"));
    add_page (lower, pages->watches, _ ("Watches"));
    if (has_lists) {
        pages->breakpoints = GUI_BREAKPOINT_LIST (gui_breakpoint_list_new ());
        add_page (lower, pages->breakpoints, _ ("Breakpoints"));
    }
    add_page (lower, pages->registers, _ ("Registers"));
    add_page (lower, pages->code, _ ("Assembly"));
}

void
gui_group_pages_build (GuiGroupPages *pages, GtkWidget *upper, GtkWidget *lower,
                       gboolean has_lists)
{
    build_upper (pages, upper, has_lists);
    build_lower (pages, lower, has_lists);
    gui_theme_guard_notebook (GTK_NOTEBOOK (upper));
    gui_theme_guard_notebook (GTK_NOTEBOOK (lower));
}
