/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sentence in the middle of a list or text that is empty: what will be here, and how it comes. */
#pragma once
#include <gtk/gtk.h>

/* view: GtkTreeView, GtkTextView or VteTerminal. Also its description for screen readers. */
void gui_hint_set (GtkWidget *view, const char *text);
