/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The colours of states, light and dark. Never the only sign: glyphs, hatching and beacons
 * accompany them. Okabe and Ito's palette ("Color Universal Design", 2008), adapted until all
 * pairs are distinguishable. */
#pragma once
#include "job/state.h"

/* 0xRRGGBB */
guint32 gui_palette_get (JobState state, gboolean dark);
/* For a rank's name in front of a text, so that lines of neighbours are told apart at a glance; every eighth rank has the
 * same. */
guint32 gui_palette_get_rank (guint32 rank, gboolean dark);
/* 0x000000 or 0xffffff: whichever is legible on the colour. */
guint32 gui_palette_get_text (guint32 colour);

typedef struct {
    guint32 colours[JOB_N_STATES]; /* 0xRRGGBB */
    guint32 foreground;
    double outline_alpha; /* 0.5; 1 in high contrast */
    double text;          /* how large text is, against the usual size; 0: as usual */
} GuiPaletteColours;
