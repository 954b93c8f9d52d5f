/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours and fonts from the theme, and pddt's own style sheets for light and dark. */
#pragma once
#include <gtk/gtk.h>
#include "gui/kit/palette.h"

/* gtk_init_check without GL, which pddt does not use: its libraries cost 50 MB and a fifth of
 * the time to the first window. Leaves the environment unchanged. */
gboolean gui_theme_open_display (void);
/* Resources, icons and style sheets; once, after gtk_init. */
void gui_theme_init (void);
/* TRUE when the luminance of the widget's window background is below a half. */
gboolean gui_theme_is_dark (GtkWidget *widget);
/* Pixels: of a character in the widget's font, on average. */
int gui_theme_get_char_width (GtkWidget *widget);
/* The id of pddt's own style scheme for GtkSourceView, or one of GtkSourceView's if the cache
 * is not writable, because schemes load only from folders. */
const char *gui_theme_get_scheme (gboolean dark);
/* The states' colours and foreground, as style.css has them. */
void gui_theme_fill_colours (GtkWidget *widget, GuiPaletteColours *colours);
/* The font for source, commands and the like; "Family Size", "" the default. */
void gui_theme_set_font (const char *font);
/* Sets the widget's id and name for assistive technology and the tests. */
void gui_theme_name (GtkWidget *widget, const char *id, const char *name);
/* The same, where the name is what the label says that has a mnemonic for `labelled`, without that. */
void gui_theme_name_by_label (GtkWidget *widget, GtkWidget *labelled, const char *id);
/* Names unnamed buttons below root: those of GTK's own windows and bars. */
void gui_theme_name_buttons (GtkWidget *root, const char *name);
/* When a notebook is destroyed, GTK 3 looks up the accessible tab of a page that it has just
 * removed, and warns. This prevents that; call it once for each notebook. */
void gui_theme_guard_notebook (GtkNotebook *notebook);
/* Leaves only the icons of the box's buttons; their words become their names. */
void gui_theme_drop_labels (GtkWidget *box);
/* Turns the page of a notebook to the front, wherever it stands. */
void gui_theme_show_page (GtkWidget *page);
