/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a report (profile/page.h): sections below each other, in the words and numbers that its files
 * have. */
#pragma once
#include "gui/profile/profile-colours.h"
#include "profile/page.h"

typedef struct _GuiPagePaint GuiPagePaint;

/* Lays it out for that width; takes the page. */
GuiPagePaint *gui_page_paint_new (ProfilePage *page, double width);
void gui_page_paint_free (GuiPagePaint *paint); /* NULL is fine */
double gui_page_paint_get_width (const GuiPagePaint *paint);
double gui_page_paint_get_height (const GuiPagePaint *paint);
/* The part from offset on, as high as height. */
void gui_page_paint_draw (const GuiPagePaint *paint, cairo_t *cr, double offset, double height,
                          const GuiProfileColours *colours);
