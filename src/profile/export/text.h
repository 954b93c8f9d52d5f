/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and files, as all exports and reports write them. */
#pragma once
#include <glib.h>

/* Replaces what the file has; a file that cannot be written whole is removed. The error names the path. */
gboolean profile_text_save (const char *path, const void *data, gsize size, GError **error);
/* A number with that many digits after the point, whatever the user's language. */
void profile_text_append_number (GString *to, double number, guint digits);
/* As the text of an element or in the quotes of an attribute. What XML has no way to write becomes
 * U+FFFD. */
void profile_text_append_xml (GString *to, const char *text);
/* In quotes where that is needed (RFC 4180). */
void profile_text_append_csv (GString *to, const char *text);
