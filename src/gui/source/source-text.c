/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-text.h"
#include "base/escape.h"

/* Lines that end as on Windows. */
static char *
drop_returns (char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        if (from[0] != '\r' || from[1] != '\n') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return text;
}

char *
gui_source_text_dup (const char *bytes, gsize size)
{
    size -= size > 0 && bytes[size - 1] == '\n' ? 1 : 0; /* which ends the last line */
    return base_escape_take (drop_returns (g_utf8_make_valid (bytes, (gssize) size)),
                             BASE_ESCAPE_KEEP_LINES);
}
