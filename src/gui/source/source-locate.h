/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the user where a source file is that has moved. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

/* why: in the language of the windows, borrowed. */
typedef void (*GuiSourceLocateFailed) (GtkWidget *widget, const char *file, const char *why);
/* Opens a chooser over the widget's window, and tells the session what the user chooses; failed is called later when
 * the session refuses it, and not when the user does. file: as the session names it. */
void gui_source_locate_choose (GtkWidget *widget, Session *session, const char *file,
                               GuiSourceLocateFailed failed);
/* As if the user had chosen `there`. */
void gui_source_locate (GtkWidget *widget, Session *session, const char *file,
                        const char *there, GuiSourceLocateFailed failed);
