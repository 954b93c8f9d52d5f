/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of the chosen set, in a window. */
#pragma once
#include <gtk/gtk.h>

void gui_keys_window_show (GtkWindow *parent);
