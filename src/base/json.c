/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "base/escape.h"

static gsize
append_wide (GString *json, const char *text)
{
    gunichar c = g_utf8_get_char (text);
    gsize size = (gsize) (g_utf8_next_char (text) - text);

    if (base_escape_is_clean (text, size, BASE_ESCAPE_NAME)) {
        g_string_append_len (json, text, (gssize) size);
    } else if (c > 0xffff) {
        g_string_append_printf (json, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                                0xdc00 + ((c - 0x10000) & 0x3ff));
    } else {
        g_string_append_printf (json, "\\u%04x", c);
    }
    return size;
}

static gboolean
is_plain (guchar c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void
base_json_append_string (GString *json, const char *text, gsize size)
{
    g_string_append_c (json, '"');
    for (gsize i = 0; i < size;) {
        guchar c = (guchar) text[i];
        gsize plain = i;

        while (plain < size && is_plain ((guchar) text[plain])) {
            plain++;
        }
        if (plain > i) {
            g_string_append_len (json, text + i, (gssize) (plain - i));
            i = plain;
            continue;
        }
        if (c >= 0x80) {
            i += append_wide (json, text + i);
            continue;
        }
        if (c == '"' || c == '\\') {
            g_string_append_printf (json, "\\%c", c);
        } else {
            g_string_append_printf (json, "\\u%04x", c);
        }
        i++;
    }
    g_string_append_c (json, '"');
}
