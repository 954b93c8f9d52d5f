/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock: the system's monotonic one, or the one a test put in its place. */
#include "base/clock.h"

static gint64 (*clock_now_us) (void) = g_get_monotonic_time;

gint64
base_clock_get_us (void)
{
    return clock_now_us ();
}

void
base_clock_set (gint64 (*now_us) (void))
{
    clock_now_us = now_us != NULL ? now_us : g_get_monotonic_time;
}
