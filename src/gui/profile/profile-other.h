/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads another archive for a Performance window, in a process of its own, while the window goes on. */
#pragma once
#include <gtk/gtk.h>
#include "profile/model.h"

/* owner: as given. model: NULL with an error; take it, or free it. Never called after the owner is destroyed. */
typedef void (*GuiProfileRead) (GtkWidget *owner, ProfileModel *model, const char *path,
                                const GError *error);

/* program: path of pddt-archive. */
void gui_profile_read_other (GtkWidget *owner, const char *program, const char *path,
                             GuiProfileRead read);
