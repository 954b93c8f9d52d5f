/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The placeholder in an empty list or text: what it will show, and how to get it. */
#pragma once
#include <gtk/gtk.h>

/* view: GtkTreeView, GtkTextView or VteTerminal. The text is also its description for screen
 * readers; setting another one replaces it. */
void gui_hint_set (GtkWidget *view, const char *text);
