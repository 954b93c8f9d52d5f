/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-menu.h"
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <string.h>
#include "gui/source/source-word.h"

/* Of a menu; the items only refer to it. */
typedef struct {
    GuiSourceMenuFunc func;
    gpointer user;
} Chosen;

static void
on_item (GtkMenuItem *item, const Chosen *chosen)
{
    chosen->func (g_object_get_data (G_OBJECT (item), "verb"),
                  g_object_get_data (G_OBJECT (item), "expression"), chosen->user);
}

static void
add_item (GtkWidget *menu, const Chosen *chosen, const char *format, const char *verb,
          const char *expression)
{
    g_autofree char *label = g_strdup_printf (format, expression);
    GtkWidget *item = gtk_menu_item_new_with_label (label);

    g_object_set_data (G_OBJECT (item), "verb", (gpointer) verb);
    g_object_set_data_full (G_OBJECT (item), "expression", g_strdup (expression), g_free);
    g_signal_connect (item, "activate", G_CALLBACK (on_item), (gpointer) chosen);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
    gtk_widget_show (item);
}

static char *
dup_expression (GtkTextBuffer *buffer)
{
    GtkTextIter start, end;
    char *expression;

    if (gtk_text_buffer_get_selection_bounds (buffer, &start, &end)) {
        expression = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
        if (strchr (expression, '\n') != NULL) {
            g_clear_pointer (&expression, g_free);
        }
        return expression;
    }
    gtk_text_buffer_get_iter_at_mark (buffer, &start, gtk_text_buffer_get_insert (buffer));
    return gui_source_word_dup (GTK_SOURCE_BUFFER (buffer), &start);
}

void
gui_source_menu_fill (GtkWidget *menu, GtkTextBuffer *buffer, gboolean is_reader,
                      GuiSourceMenuFunc func, gpointer user)
{
    Chosen *chosen = g_new0 (Chosen, 1);
    g_autofree char *expression = is_reader ? NULL : dup_expression (buffer);

    chosen->func = func;
    chosen->user = user;
    g_object_set_data_full (G_OBJECT (menu), "pddt-chosen", chosen, g_free);
    if (expression != NULL) {
        add_item (menu, chosen, _ ("Print %s"), "print", expression);
        add_item (menu, chosen, _ ("Watch %s"), "watch", expression);
        add_item (menu, chosen, _ ("Show %s as Array"), "array", expression);
    }
    if (is_reader) {
        add_item (menu, chosen, _ ("Debug Here"), "debug-here", "");
        return;
    }
    add_item (menu, chosen, _ ("Run to Cursor"), "run-to-cursor", "");
    add_item (menu, chosen, _ ("Set or Delete Breakpoint"), "toggle-breakpoint", "");
    add_item (menu, chosen, _ ("Enable or disable the breakpoint"), "toggle-enabled", "");
    add_item (menu, chosen, _ ("Condition of the breakpoint"), "edit-condition", "");
}
