/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the windows take from the theme, and pddt's own style sheets for light and dark. */
#pragma once
#include <gtk/gtk.h>
#include "gui/chart-paint.h"

/* gtk_init_check without GL, which nothing here draws with: its libraries are 50 MB and a fifth of
 * the time to the first window. The environment is afterwards as before. */
gboolean gui_theme_open_display (void);
/* Resources, icons and style sheets; once, after gtk_init. */
void gui_theme_init (void);
/* The luminance of the widget's window background is below a half. */
gboolean gui_theme_is_dark (GtkWidget *widget);
/* The id of pddt's own style scheme for GtkSourceView, or one of GtkSourceView's where the cache
 * cannot be written: schemes are read from folders alone. */
const char *gui_theme_get_scheme (gboolean dark);
/* The states' colours and foreground, as style.css has them. */
void gui_theme_fill_colours (GtkWidget *widget, GuiChartColours *colours);
/* Of source, commands and what looks like them; "Family Size", "" the default. */
void gui_theme_set_font (const char *font);
/* Sets the id that assistive technology and the tests know the widget by, and its name. */
void gui_theme_name (GtkWidget *widget, const char *id, const char *name);
/* Names buttons below that have none: those that GTK puts into its own windows and bars. */
void gui_theme_name_buttons (GtkWidget *root, const char *name);
/* Of a notebook that is destroyed, GTK 3 looks for the tab of a page that has just been removed,
 * for assistive technology, and complains: this keeps it from looking. Once a notebook. */
void gui_theme_guard_notebook (GtkNotebook *notebook);
