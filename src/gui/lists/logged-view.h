/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What logpoints have written, as numbers: a row for each expression of each logpoint, with its last values and two
 * small pictures, of its latest hits and of its ranks. Is not visible while nothing was written. A row opens the
 * comparison of its last values. Signal "set-chosen" (gpointer JobRankSet*, borrowed): a window of these ranks is
 * wanted. Properties: "session"; "selection" (SessionSelection): of the questions that the comparison asks. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_LOGGED_VIEW (gui_logged_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiLoggedView, gui_logged_view, GUI, LOGGED_VIEW, GtkScrolledWindow)
