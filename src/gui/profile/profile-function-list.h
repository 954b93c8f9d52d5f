/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the Functions view. Signals: "selected" (guint function): the user has selected that
 * row; 0: none. "activated" (guint function): Enter, or a double click. "menu" (guint function,
 * GdkEvent *): its menu is wanted, at the event or (NULL) at the widget. Property "wanted": only what contains this
 * text in function or file is shown, case-insensitively; NULL and "": all. */
#pragma once
#include <gtk/gtk.h>
#include "profile/function-table.h"

#define GUI_TYPE_PROFILE_FUNCTION_LIST (gui_profile_function_list_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileFunctionList, gui_profile_function_list, GUI,
                      PROFILE_FUNCTION_LIST, GtkTreeView)

/* Columns that can be sorted, as ids of GtkTreeSortable. */
enum {
    GUI_PROFILE_FUNCTION_NAME,
    GUI_PROFILE_FUNCTION_PLACE,
    GUI_PROFILE_FUNCTION_CALLS, /* guint64; shown where calls were recorded */
    GUI_PROFILE_FUNCTION_SELF,
    GUI_PROFILE_FUNCTION_TOTAL,
    GUI_PROFILE_FUNCTION_MIN,
    GUI_PROFILE_FUNCTION_MEAN,
    GUI_PROFILE_FUNCTION_MAX,
    GUI_PROFILE_FUNCTION_DEVIATION,
    GUI_PROFILE_FUNCTION_IMBALANCE,
    GUI_PROFILE_FUNCTION_BARS,
    GUI_PROFILE_FUNCTION_NUMBER, /* guint: of ProfileCosts */
    /* PROFILE_N_FIGURES of what was counted in the function itself; shown where they are known */
    GUI_PROFILE_FUNCTION_FIGURES,
    GUI_PROFILE_FUNCTION_N_COLUMNS = GUI_PROFILE_FUNCTION_FIGURES + PROFILE_N_FIGURES
};

/* Shows all of the table; order, filter and selection stay. Both NULL: nothing. */
void gui_profile_function_list_show (GuiProfileFunctionList *list, const ProfileCosts *costs,
                                     const ProfileFunctionTable *table);
/* Selects and shows it without "selected"; 0, or one that is filtered away: none. */
void gui_profile_function_list_select (GuiProfileFunctionList *list, guint32 function);
/* The functions in the order in which they are shown. Caller owns the array of guint32. */
GArray *gui_profile_function_list_dup_shown (GuiProfileFunctionList *list);
/* Translated; static. */
const char *gui_profile_function_list_get_title (int column);
