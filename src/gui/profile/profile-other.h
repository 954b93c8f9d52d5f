/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another archive: read for a Performance window, in a process of its own, while the window goes on, or opened in a window
 * of its own. */
#pragma once
#include <gtk/gtk.h>
#include "profile/model.h"

/* owner: as given. model: NULL with an error; take it, or free it. Never called after the owner is destroyed. */
typedef void (*GuiProfileRead) (GtkWidget *owner, ProfileModel *model, const char *path,
                                const GError *error);

/* program: path of pddt-archive. */
void gui_profile_read_other (GtkWidget *owner, const char *program, const char *path,
                             GuiProfileRead read);

/* owner: as given. text: why it was not opened; only on the call. Never called after the owner is destroyed. */
typedef void (*GuiProfileNotOpened) (GtkWidget *owner, const char *text);

/* pddt: path of the program, which opens the archive in a process that outlives this one. */
void gui_profile_open_other (GtkWidget *owner, const char *pddt, const char *path,
                             GuiProfileNotOpened not_opened);
