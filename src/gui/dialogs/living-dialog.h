/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions that live on a host of --remote, without a window or with one elsewhere: whether one of them is taken
 * over. */
#pragma once
#include <gtk/gtk.h>
#include "session/remote.h"

#define GUI_TYPE_LIVING_DIALOG (gui_living_dialog_get_type ())
G_DECLARE_FINAL_TYPE (GuiLivingDialog, gui_living_dialog, GUI, LIVING_DIALOG, GtkDialog)

/* living: of SessionLiving, at least one; borrowed until the dialog is gone. */
GtkWidget *gui_living_dialog_new (const GPtrArray *living, const char *host);
/* Asks by such a dialog, in a main loop of its own; as SessionChooseLiving. */
SessionLivingChoice gui_living_dialog_choose (const GPtrArray *living, const char *host,
                                              guint *ret_index, gpointer unused);
