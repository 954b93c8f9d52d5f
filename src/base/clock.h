/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock; tests can replace it. */
#pragma once
#include <glib.h>

/* Monotonic microseconds. */
gint64 base_clock_get_us (void);
/* Replaces the clock; NULL restores the system's. For tests. */
void base_clock_set (gint64 (*now_us) (void));
