/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which elements of an array are shown: an expression in the element's value and indices, "value > 0.5 and i != j". */
#pragma once
#include "gui/arrays/array-data.h"

typedef struct _GuiArrayFilter GuiArrayFilter;
/* Of numbers, value (also $value, as DDT has it), i, j, k, l (the first to fourth index, as the program counts), rank, nan,
 * inf; + - * / %, < <= > >= == !=, and or not (&& || !), parentheses, abs(), isnan(), isinf(), isfinite(). Of complex
 * numbers the absolute value. INVALID. */
GuiArrayFilter *gui_array_filter_new (const char *text, GError **error);
void gui_array_filter_free (GuiArrayFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GuiArrayFilter, gui_array_filter_free)
/* Hides the elements for which it is not true (filter NULL: none). rank: whose array it is, where it is not an array of
 * several. Returns how many are left. */
guint64 gui_array_filter_apply (const GuiArrayFilter *filter, GuiArrayData *data, guint32 rank);
