/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file chooser that belongs to a window or to a widget in it. */
#pragma once
#include <gtk/gtk.h>

/* owner: as it was given. file: that was chosen. Called once at most, never after the owner's end. */
typedef void (*GuiChosen) (GtkWidget *owner, const char *file, GtkFileChooserNative *chooser);

/* Takes the chooser, and shows it until something is chosen, it is closed, or the owner is destroyed. */
void gui_chooser_show (GtkFileChooserNative *chooser, GtkWidget *owner, GuiChosen chosen);
