/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What glib-compile-resources makes of ui/pddt.gresource.xml. */
#pragma once
#include <gio/gio.h>

GResource *gui_get_resource (void);
