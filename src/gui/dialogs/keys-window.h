/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window that lists the shortcuts of the selected key set. */
#pragma once
#include <gtk/gtk.h>

void gui_keys_window_show (GtkWindow *parent);
