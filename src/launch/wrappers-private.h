/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrapper programs that run another program as their child and wait for it. */
#pragma once
#include <glib.h>

/* The number of words before the wrapped program: 4 for "timeout -k 1 10 PROGRAM". 0: no
 * wrapper, or unknown options. *ret_is_container: the program runs in a container, whose processes this host sees. */
guint launch_wrappers_find (char **program, gboolean *ret_is_container);
