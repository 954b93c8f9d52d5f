/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saves and restores a group view between runs of its program. */
#include "gui/group/group-view-private.h"
#include <string.h>

static int
get_page (GtkWidget *notebook)
{
    return MAX (gtk_notebook_get_current_page (GTK_NOTEBOOK (notebook)), 0);
}

void
gui_group_view_save (GuiGroupView *self, SessionSavedWindow *saved)
{
    saved->watches = gui_value_pane_dup_expressions (self->watches);
    saved->tabs = gui_source_view_dup_places (self->source);
    saved->shown_by = self->is_chosen ? (gint64) self->shown_by : -1;
    saved->layout[2] = gtk_paned_get_position (GTK_PANED (self->columns));
    saved->layout[4] = gtk_paned_get_position (GTK_PANED (self->side));
    saved->layout[5] = get_page (self->upper);
    saved->layout[6] = get_page (self->lower);
}

static void
restore_layout (GuiGroupView *self, const int *layout)
{
    gtk_paned_set_position (GTK_PANED (self->columns), layout[2]);
    gtk_paned_set_position (GTK_PANED (self->side), layout[4]);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->upper), layout[5]);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->lower), layout[6]);
}

/* "/path/a.c:12"; files that are gone are left out. */
static void
restore_tab (GuiGroupView *self, const char *place)
{
    const char *colon = strrchr (place, ':');
    guint64 line = 0;

    if (colon != NULL && g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXINT, &line, NULL)) {
        g_autofree char *file = g_strndup (place, (gsize) (colon - place));

        gui_source_view_restore (self->source, file, (guint) line);
    }
}

void
gui_group_view_restore (GuiGroupView *self, const SessionSavedWindow *saved)
{
    for (guint i = 0; saved->watches != NULL && saved->watches[i] != NULL; i++) {
        gui_value_pane_add (self->watches, saved->watches[i]);
    }
    for (guint i = 0; saved->tabs != NULL && saved->tabs[i] != NULL; i++) {
        restore_tab (self, saved->tabs[i]);
    }
    if (saved->shown_by >= 0
        && job_rank_set_contains (self->ranks, (guint32) saved->shown_by)) {
        gui_group_view_set_shown_by (self, (guint32) saved->shown_by);
    }
    if (saved->has_layout) {
        restore_layout (self, saved->layout);
    }
    gui_group_view_update_marks (self);
}
