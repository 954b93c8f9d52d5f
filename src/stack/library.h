/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libunwind, loaded on first use: a daemon without a rank starts in half the time without it
 * and its dependencies. */
#pragma once
#include <glib.h>

/* UNSUPPORTED when this host has no libunwind of the version pddt was built with. */
gboolean stack_library_load (GError **error);
