/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One view of the Performance window: a widget that can also be drawn on any cairo surface, for
 * SVG, PNG and print.
 *
 * Signals: "go-to-source" (const char *file, guint line): show that line in the debugger's source view;
 * "debug-here" (const char *file, guint line): set a breakpoint there for the next run;
 * "show-page" (const char *id): show that view;
 * "measure-lines" (const char *function, const char *command): run the command again to count the function's lines. */
#pragma once
#include <gtk/gtk.h>
#include "gui/profile/profile-colours.h"
#include "gui/profile/profile-selection.h"

#define GUI_TYPE_PROFILE_VIEW (gui_profile_view_get_type ())
G_DECLARE_INTERFACE (GuiProfileView, gui_profile_view, GUI, PROFILE_VIEW, GtkWidget)

struct _GuiProfileViewInterface {
    GTypeInterface parent;

    /* For the tab and for the top of a printed page; marked for translation. */
    const char *title;
    /* The tab's id for tests and assistive technology: "activity". */
    const char *id;
    /* The same of views whose classes have different ones: translated, static. */
    const char *(*get_title) (GuiProfileView *view);
    const char *(*get_id) (GuiProfileView *view);
    /* What the view shows now, all of it in this rectangle from (0, 0). colours: paper's, or the
     * widget's. */
    void (*draw) (GuiProfileView *view, cairo_t *cr, double width, double height,
                  const GuiProfileColours *colours);
    /* The height that all of it needs at this width, when it is more or less than the widget's: rows that are
     * scrolled away. May be NULL: the widget's height. */
    double (*get_height) (GuiProfileView *view, double width);
};

const char *gui_profile_view_get_title (GuiProfileView *view);
const char *gui_profile_view_get_id (GuiProfileView *view);
void gui_profile_view_draw (GuiProfileView *view, cairo_t *cr, double width, double height,
                            const GuiProfileColours *colours);
/* At least 1. */
double gui_profile_view_get_height (GuiProfileView *view, double width);
/* ---- for views: emit the signals; nothing without a file and a line ---- */
void gui_profile_view_go_to_source (GuiProfileView *view, const JobLocation *location);
void gui_profile_view_show_page (GuiProfileView *view, const char *id);
void gui_profile_view_debug_here (GuiProfileView *view, const JobLocation *location);
/* Shows Go to Source, Debug Here and Copy Name for that place at the pointer, or at the widget where event
 * is NULL (keyboard). Copies the location; its texts must stay while the menu is shown. */
void gui_profile_view_popup_menu (GuiProfileView *view, const JobLocation *location,
                                  const GdkEvent *event);
/* The same with Measure Lines, where the window can do it, and with Copy Command for Its Lines: the command that runs the program again and counts the lines of the
 * function. command: of the run, quoted for a shell; NULL unknown. */
void gui_profile_view_popup_function_menu (GuiProfileView *view, const JobLocation *location,
                                           const char *command, const GdkEvent *event);
