/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A slice of an array as a picture: by value, or, with the property "only-problems" at construction, as a
 * map that shows finite values in grey and highlights NaN and infinite ones. */
#pragma once
#include <gtk/gtk.h>
#include "gui/arrays/array-data.h"

#define GUI_TYPE_ARRAY_PICTURE (gui_array_picture_get_type ())
G_DECLARE_FINAL_TYPE (GuiArrayPicture, gui_array_picture, GUI, ARRAY_PICTURE, GtkDrawingArea)

/* data must live until the next call; NULL: nothing. */
void gui_array_picture_set (GuiArrayPicture *picture, const GuiArrayData *data,
                            const GuiArraySlice *slice, double min, double max);
