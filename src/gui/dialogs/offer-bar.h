/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that wait to be debugged, or that a queue has measured (session/offers.h), one after the other, while it can be seen: a click takes one, in
 * another process. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_OFFER_BAR (gui_offer_bar_get_type ())
G_DECLARE_FINAL_TYPE (GuiOfferBar, gui_offer_bar, GUI, OFFER_BAR, GtkInfoBar)

/* This program once more, with an option and its value, or one word and NULL: a process has one connection. Whoever cannot
 * be connected to is told by that process. */
void gui_offer_bar_run (const char *option, const char *value);
/* The same for a job that waits, with that id: here, or where this process is connected to. */
void gui_offer_bar_take (const char *id);
