/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libunwind, loaded when it is needed for the first time: a daemon that holds no rank yet is started
 * in half the time without it and the libraries that it brings. */
#pragma once
#include <glib.h>

/* UNSUPPORTED when this host has no libunwind of the version pddt was built with. */
gboolean stack_library_load (GError **error);
