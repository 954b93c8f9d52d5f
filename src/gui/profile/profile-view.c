/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-view.h"
#include <glib/gi18n.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"

G_DEFINE_INTERFACE (GuiProfileView, gui_profile_view, GTK_TYPE_WIDGET)

static guint go_to_source_signal, debug_here_signal, show_page_signal, measure_lines_signal;

static void
gui_profile_view_default_init (GuiProfileViewInterface *iface)
{
    go_to_source_signal = GUI_SIGNAL (iface, "go-to-source", G_TYPE_STRING, G_TYPE_UINT);
    debug_here_signal = GUI_SIGNAL (iface, "debug-here", G_TYPE_STRING, G_TYPE_UINT);
    show_page_signal = GUI_SIGNAL (iface, "show-page", G_TYPE_STRING);
    measure_lines_signal = GUI_SIGNAL (iface, "measure-lines", G_TYPE_STRING, G_TYPE_STRING);
}

const char *
gui_profile_view_get_title (GuiProfileView *view)
{
    GuiProfileViewInterface *iface = GUI_PROFILE_VIEW_GET_IFACE (view);

    return iface->title != NULL ? _ (iface->title) : iface->get_title (view);
}

const char *
gui_profile_view_get_id (GuiProfileView *view)
{
    GuiProfileViewInterface *iface = GUI_PROFILE_VIEW_GET_IFACE (view);

    return iface->id != NULL ? iface->id : iface->get_id (view);
}

void
gui_profile_view_draw (GuiProfileView *view, cairo_t *cr, double width, double height,
                       const GuiProfileColours *colours)
{
    GUI_PROFILE_VIEW_GET_IFACE (view)->draw (view, cr, width, height, colours);
}

double
gui_profile_view_get_height (GuiProfileView *view, double width)
{
    GuiProfileViewInterface *iface = GUI_PROFILE_VIEW_GET_IFACE (view);
    double height = iface->get_height != NULL
                        ? iface->get_height (view, width)
                        : gtk_widget_get_allocated_height (GTK_WIDGET (view));

    return MAX (height, 1);
}

static gboolean
has_line (const JobLocation *location)
{
    return location != NULL && location->file != NULL && location->line > 0;
}

void
gui_profile_view_go_to_source (GuiProfileView *view, const JobLocation *location)
{
    if (has_line (location)) {
        g_signal_emit (view, go_to_source_signal, 0, location->file, location->line);
    }
}

void
gui_profile_view_debug_here (GuiProfileView *view, const JobLocation *location)
{
    if (has_line (location)) {
        g_signal_emit (view, debug_here_signal, 0, location->file, location->line);
    }
}

void
gui_profile_view_show_page (GuiProfileView *view, const char *id)
{
    g_signal_emit (view, show_page_signal, 0, id);
}

/* ---- the menu of a place ---- */

typedef void (*Action) (GuiProfileView *view, const JobLocation *location);

static void
copy_name (GuiProfileView *view, const JobLocation *location)
{
    g_autofree char *name = profile_dup_name (location);

    gtk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (view),
                                                      GDK_SELECTION_CLIPBOARD),
                            name, -1);
}

static void
on_activate (GtkMenuItem *item, gpointer action)
{
    GtkWidget *menu = gtk_widget_get_parent (GTK_WIDGET (item));
    GtkWidget *view = gtk_menu_get_attach_widget (GTK_MENU (menu));
    const JobLocation *location = g_object_get_data (G_OBJECT (menu), "location");

    if (view != NULL) {
        ((Action) action) (GUI_PROFILE_VIEW (view), location);
    }
}

static void
add_item (GtkWidget *menu, const char *id, const char *label, Action action,
          gboolean is_sensitive)
{
    GtkWidget *item = gtk_menu_item_new_with_mnemonic (label);

    gui_theme_name (item, id, NULL);
    gtk_widget_set_sensitive (item, is_sensitive);
    g_signal_connect (item, "activate", G_CALLBACK (on_activate), (gpointer) action);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
}

static GtkWidget *
new_menu (GuiProfileView *view, const JobLocation *location)
{
    GtkWidget *menu = gtk_menu_new ();

    gtk_menu_attach_to_widget (GTK_MENU (menu), GTK_WIDGET (view), NULL);
    g_object_set_data_full (G_OBJECT (menu), "location", job_location_dup (location),
                            (GDestroyNotify) job_location_free);
    add_item (menu, "go-to-source", _ ("_Go to Source"), gui_profile_view_go_to_source,
              has_line (location));
    add_item (menu, "debug-here", _ ("_Debug Here"), gui_profile_view_debug_here,
              has_line (location));
    add_item (menu, "copy-name", _ ("_Copy Name"), copy_name,
              location->function != NULL || location->module != NULL);
    return menu;
}

static void
popup (GuiProfileView *view, GtkWidget *menu, const GdkEvent *event)
{
    gtk_widget_show_all (menu);
    if (event != NULL) {
        gtk_menu_popup_at_pointer (GTK_MENU (menu), event);
    } else {
        gtk_menu_popup_at_widget (GTK_MENU (menu), GTK_WIDGET (view), GDK_GRAVITY_CENTER,
                                  GDK_GRAVITY_NORTH_WEST, NULL);
    }
}

void
gui_profile_view_popup_menu (GuiProfileView *view, const JobLocation *location,
                             const GdkEvent *event)
{
    popup (view, new_menu (view, location), event);
}

static void
on_copy_lines (GtkMenuItem *item)
{
    gtk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (item),
                                                      GDK_SELECTION_CLIPBOARD),
                            g_object_get_data (G_OBJECT (item), "command"), -1);
}

static void
on_measure_lines (GtkMenuItem *item, GuiProfileView *view)
{
    g_signal_emit (view, measure_lines_signal, 0,
                   g_object_get_data (G_OBJECT (item), "function"),
                   g_object_get_data (G_OBJECT (item), "command"));
}

/* Only where somebody listens. */
static void
add_measure_lines (GuiProfileView *view, GtkWidget *menu, const JobLocation *location,
                   const char *command)
{
    GtkWidget *item;

    if (!g_signal_has_handler_pending (view, measure_lines_signal, 0, FALSE)) {
        return;
    }
    item = gtk_menu_item_new_with_mnemonic (_ ("_Measure Lines…"));
    gui_theme_name (item, "measure-lines", NULL);
    gtk_widget_set_sensitive (item, command != NULL);
    if (command != NULL) {
        g_object_set_data_full (G_OBJECT (item), "function", g_strdup (location->function),
                                g_free);
        g_object_set_data_full (G_OBJECT (item), "command", g_strdup (command), g_free);
    }
    g_signal_connect_object (item, "activate", G_CALLBACK (on_measure_lines), view, 0);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
}

void
gui_profile_view_popup_function_menu (GuiProfileView *view, const JobLocation *location,
                                      const char *command, const GdkEvent *event)
{
    GtkWidget *menu = new_menu (view, location);
    GtkWidget *item = gtk_menu_item_new_with_mnemonic (_ ("Copy Command for Its _Lines"));
    gboolean is_python = location->language == JOB_LANGUAGE_PYTHON && location->function != NULL
                         && command != NULL;

    gui_theme_name (item, "copy-lines", NULL);
    gtk_widget_set_tooltip_text (
        item, _ ("Runs the program again and counts how often each line of the function runs "
                 "(Python only)"));
    gtk_widget_set_sensitive (item, is_python);
    if (is_python) {
        g_autofree char *function = g_shell_quote (location->function);

        g_object_set_data_full (G_OBJECT (item), "command",
                                g_strdup_printf ("pddt --lines %s %s", function, command),
                                g_free);
    }
    g_signal_connect (item, "activate", G_CALLBACK (on_copy_lines), NULL);
    add_measure_lines (view, menu, location, is_python ? command : NULL);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
    popup (view, menu, event);
}
