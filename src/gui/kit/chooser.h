/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file chooser that belongs to a window or to a widget in it. */
#pragma once
#include <gtk/gtk.h>

/* owner: as given. file: the chosen one. Called at most once, never after the owner is
 * destroyed. */
typedef void (*GuiChosen) (GtkWidget *owner, const char *file, GtkFileChooserNative *chooser);

/* Takes the chooser and shows it until the user chooses or closes it, or the owner is
 * destroyed. */
void gui_chooser_show (GtkFileChooserNative *chooser, GtkWidget *owner, GuiChosen chosen);
