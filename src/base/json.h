/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing strings of JSON. */
#pragma once
#include <glib.h>

/* Appends the text in quotes. It must be UTF-8. Control characters and direction marks are escaped,
 * too, because people look at these files. */
void base_json_append_string (GString *json, const char *text, gsize size);
