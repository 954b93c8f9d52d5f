/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The colours of states, light and dark. Never the only sign: glyphs, hatching and beacons
 * accompany them. Okabe and Ito's palette ("Color Universal Design", 2008), adapted until all
 * pairs are distinguishable. */
#pragma once
#include "job/state.h"

/* 0xRRGGBB */
guint32 gui_palette_get (JobState state, gboolean dark);
/* 0x000000 or 0xffffff: whichever is legible on the colour. */
guint32 gui_palette_get_text (guint32 colour);
