/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A view as a picture, and on paper. */
#pragma once
#include "gui/profile/profile-view.h"

/* All of the view, with its title and the selection above it, in paper's colours: SVG or PNG by the
 * path's suffix. INVALID: neither; DENIED: the file cannot be written. */
gboolean gui_profile_save (GuiProfileView *view, const char *heading, const char *path,
                           double width, GError **error);
/* Asks for a printer; a view that is higher than a page is printed on several. */
void gui_profile_print (GuiProfileView *view, const char *heading, GtkWindow *parent);
/* The same into a PDF file without asking. DENIED. */
gboolean gui_profile_print_to (GuiProfileView *view, const char *heading, const char *path,
                               GError **error);
