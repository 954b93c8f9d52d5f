/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-menu.h"
#include <glib/gi18n.h>
#include <string.h>

typedef struct {
    GuiSourceMenuChosen chosen;
    gpointer user; /* lives as long as the menu */
    const char *verb;
    char *expression;
} Item;

static void
free_item (gpointer data, GClosure *closure)
{
    g_free (((Item *) data)->expression);
    g_free (data);
}

static void
on_activate (GtkMenuItem *widget, gpointer data)
{
    const Item *item = data;

    item->chosen (item->user, item->verb, item->expression);
}

static GtkWidget *
append (GtkWidget *menu, GtkWidget *widget)
{
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), widget);
    gtk_widget_show (widget);
    return widget;
}

/* format: with the expression in it, if there is one. */
static void
add (GtkWidget *menu, const char *format, const char *verb, const char *expression,
     GuiSourceMenuChosen chosen, gpointer user)
{
    g_autofree char *label = g_strdup_printf (format, expression);
    Item *item = g_new (Item, 1);

    *item = (Item){ chosen, user, verb, g_strdup (expression) };
    g_signal_connect_data (append (menu, gtk_menu_item_new_with_label (label)), "activate",
                           G_CALLBACK (on_activate), item, free_item, 0);
}

static void
drop (GtkWidget *item, gpointer user)
{
    gtk_widget_destroy (item);
}

static void
on_copy (GtkTextView *view)
{
    g_signal_emit_by_name (view, "copy-clipboard");
}

static void
add_copy (GtkTextView *view, GtkWidget *menu)
{
    GtkWidget *item = append (menu, gtk_menu_item_new_with_label (_ ("Copy")));

    gtk_widget_set_sensitive (
        item, gtk_text_buffer_get_has_selection (gtk_text_view_get_buffer (view)));
    g_signal_connect_object (item, "activate", G_CALLBACK (on_copy), view, G_CONNECT_SWAPPED);
}

static void
add_lines (GtkWidget *menu, GuiSourceMenuChosen chosen, gpointer user)
{
    static const struct {
        const char *label, *verb; /* verb NULL: a line between */
    } here[] = {
        { N_ ("Set or Delete Breakpoint"), "toggle-breakpoint" },
        { N_ ("Conditional Breakpoint…"), "edit-condition" },
        { N_ ("Logpoint…"), "add-logpoint" },
        { N_ ("Enable or Disable Breakpoint"), "toggle-enabled" },
        { NULL, NULL },
        { N_ ("Run to Here"), "run-to-cursor" },
        { N_ ("Jump to Here"), "jump-to-cursor" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (here); i++) {
        if (here[i].verb == NULL) {
            append (menu, gtk_separator_menu_item_new ());
        } else {
            add (menu, _ (here[i].label), here[i].verb, "", chosen, user);
        }
    }
    append (menu, gtk_separator_menu_item_new ());
}

static void
add_expression (GtkWidget *menu, const char *expression, GuiSourceMenuChosen chosen,
                gpointer user)
{
    add (menu, _ ("Print %s"), "print", expression, chosen, user);
    add (menu, _ ("Watch %s"), "watch", expression, chosen, user);
    add (menu, _ ("Stop when %s Changes"), "stop", expression, chosen, user);
    add (menu, _ ("Compare %s over Ranks"), "compare", expression, chosen, user);
    add (menu, _ ("Show %s as Array"), "array", expression, chosen, user);
    append (menu, gtk_separator_menu_item_new ());
}

void
gui_source_menu_fill (GtkTextView *view, GtkWidget *menu, const char *expression,
                      gboolean is_reader, GuiSourceMenuChosen chosen, gpointer user)
{
    gtk_container_foreach (GTK_CONTAINER (menu), drop, NULL);
    if (is_reader) {
        add (menu, _ ("Debug Here"), "debug-here", "", chosen, user);
        append (menu, gtk_separator_menu_item_new ());
    } else {
        add_lines (menu, chosen, user);
        if (expression != NULL && strchr (expression, '\n') == NULL) {
            add_expression (menu, expression, chosen, user);
        }
    }
    if (!is_reader) {
        add (menu, _ ("Open in Editor"), "open-in-editor", "", chosen, user);
    }
    add_copy (view, menu);
}

void
gui_source_menu_place_cursor (GtkTextView *view, const GdkEventButton *event)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
    GtkTextIter start, end, iter;
    int x, y;

    gtk_text_view_window_to_buffer_coords (view, GTK_TEXT_WINDOW_TEXT, (int) event->x,
                                           (int) event->y, &x, &y);
    gtk_text_view_get_iter_at_location (view, &iter, x, y);
    if (!gtk_text_buffer_get_selection_bounds (buffer, &start, &end)
        || !gtk_text_iter_in_range (&iter, &start, &end)) {
        gtk_text_buffer_place_cursor (buffer, &iter);
    }
}
