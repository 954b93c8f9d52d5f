/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How old what is shown is, and the grey that it is shown in. */
#pragma once
#include <gtk/gtk.h>

char *gui_age_format (gint64 since_us); /* "as of 7 s ago"; caller owns */
/* Of text on the widget's background; static. */
const char *gui_age_get_colour (GtkWidget *widget);
