/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resources that glib-compile-resources compiles from ui/pddt.gresource.xml. */
#pragma once
#include <gio/gio.h>

GResource *gui_get_resource (void);
