/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window's profile beside that of another archive: which functions have changed. A page that there is not before one is
 * compared. */
#pragma once
#include "gui/profile/profile-canvas.h"

#define GUI_TYPE_COMPARISON_VIEW (gui_comparison_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiComparisonView, gui_comparison_view, GUI, COMPARISON_VIEW,
                      GuiProfileCanvas)

GtkWidget *gui_comparison_view_new (GuiProfileSelection *selection);
/* Compares with that one from now on; takes the model. name: of its archive; own_name: of the window's. The one that was
 * measured earlier is "before". */
void gui_comparison_view_set_other (GuiComparisonView *view, ProfileModel *other,
                                    const char *name, const char *own_name);
