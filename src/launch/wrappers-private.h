/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that run another one as their child and wait for it. */
#pragma once
#include <glib.h>

/* How many words stand before the program that the line's first word runs as its child: "timeout -k 1 10
 * PROGRAM" has 4. 0: it runs none, or its options are not understood. */
guint launch_wrappers_find (char **program);
