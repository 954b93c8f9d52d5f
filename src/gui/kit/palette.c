/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of colours. Exceptions share the colour of signals: the place tells
 * them apart. */
#include "gui/kit/palette.h"

static const guint32 colours[JOB_N_STATES][2] = {
    [JOB_STATE_NONE] = { 0xf2f2f2, 0x45494a },
    [JOB_STATE_RUNNING] = { 0x009e73, 0x00b386 },
    [JOB_STATE_STEPPING] = { 0xf0e442, 0xf0e442 },
    [JOB_STATE_BLOCKED] = { 0x7b3fe4, 0xa060ff },
    [JOB_STATE_STOPPED] = { 0x7cc4ee, 0x8fd0f5 },
    [JOB_STATE_BREAKPOINT] = { 0x0072b2, 0x2a86c8 },
    [JOB_STATE_EXCEPTION] = { 0xd55e00, 0xe8702a },
    [JOB_STATE_SIGNAL] = { 0xd55e00, 0xe8702a },
    [JOB_STATE_EXITED] = { 0xc4c4c4, 0x6a6f72 },
    [JOB_STATE_FAILED] = { 0xa5407f, 0xd070ae },
    [JOB_STATE_LOST] = { 0x000000, 0xffffff },
};

guint32
gui_palette_get (JobState state, gboolean dark)
{
    return colours[(guint) state < JOB_N_STATES ? state : JOB_STATE_NONE][dark ? 1 : 0];
}

/* On the terminal's white, and on its dark paper. */
static const guint32 rank_colours[][2] = {
    { 0x0062a3, 0x6db9f0 }, { 0xa63f00, 0xff9f5e }, { 0x00694c, 0x5fd3a6 },
    { 0x8b2f6b, 0xf29ac8 }, { 0x5b4b00, 0xd9c64a }, { 0x006a75, 0x6fd3dd },
    { 0x5a3fc0, 0xb7a6ff }, { 0x5f6368, 0xbdc1c6 },
};

guint32
gui_palette_get_rank (guint32 rank, gboolean dark)
{
    return rank_colours[rank % G_N_ELEMENTS (rank_colours)][dark ? 1 : 0];
}

static double
make_linear (guint32 byte)
{
    double c = byte / 255.0;

    return c * c * (0.6 + 0.4 * c); /* near enough to sRGB's curve to choose black or white */
}

guint32
gui_palette_get_text (guint32 colour)
{
    double luminance = 0.2126 * make_linear (colour >> 16 & 255)
                       + 0.7152 * make_linear (colour >> 8 & 255)
                       + 0.0722 * make_linear (colour & 255);

    return luminance > 0.179 ? 0x000000 : 0xffffff; /* where both contrasts are equal */
}
