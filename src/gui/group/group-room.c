/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/group/group-room.h"

/* Pixels: a low view; ten frames of the stack, and five values, with their tabs. */
enum { LOW = 480, TEN_ROWS = 310, FEW_ROWS = 190 };
/* Pixels: of a view that has room for three columns, and for them with all tabs of the lists. */
enum { LESS_WIDE = 960, WIDE = 1240, LEAST_SIDE = 650 };
/* Pixels: of a character in the default font, and of forty, which the source gets at least. */
enum { USUAL_CHAR = 8, LEAST_SOURCE = 360, FORTY_CHARS = 480 };

static int
find_low_side (int width, int char_width)
{
    int wanted = MAX (620, 620 * char_width / USUAL_CHAR);
    int least_source = char_width > USUAL_CHAR ? FORTY_CHARS : LEAST_SOURCE;

    return CLAMP (width / 2, MIN (wanted, width - least_source), MAX (660, wanted));
}

GuiGroupRoom
gui_group_room_divide (int width, int height, int char_width, gboolean has_lists)
{
    gboolean is_low = has_lists ? height < TEN_ROWS + FEW_ROWS && width >= LESS_WIDE
                                : height < LOW;
    int side = !is_low        ? CLAMP (width - 840, 400, 560)
               : !has_lists   ? find_low_side (width, char_width)
               : width < WIDE ? LEAST_SIDE
                              : CLAMP (width * 59 / 100, 750, 860);

    return (GuiGroupRoom){
        .side = is_low ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL,
        .source = width - side,
        .stack = is_low ? side * (has_lists ? 37 : 45) / 100
                        : MAX (height * 2 / 5, MIN (TEN_ROWS, height - FEW_ROWS))
    };
}
