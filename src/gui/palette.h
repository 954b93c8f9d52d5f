/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The colours of states, light and dark. Never the only sign: glyph, hatch and beacon go along.
 * Okabe and Ito's palette ("Color Universal Design", 2008), varied until all pairs stay apart. */
#pragma once
#include "job/state.h"

/* 0xRRGGBB */
guint32 gui_palette_get (JobState state, gboolean dark);
/* 0x000000 or 0xffffff: what can be read on the colour. */
guint32 gui_palette_get_text (guint32 colour);
