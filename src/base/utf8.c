/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

enum { MAX_CHARACTER = 4 }; /* bytes */

gsize
base_utf8_find_cut (const char *text, gsize size)
{
    for (gsize back = 1; back < MAX_CHARACTER && back <= size; back++) {
        guchar byte = (guchar) text[size - back];

        if (byte >= 0xc0) { /* a character begins here */
            return g_utf8_get_char_validated (text + size - back, (gssize) back)
                           == (gunichar) -2
                       ? size - back
                       : size;
        }
        if (byte < 0x80) {
            break;
        }
    }
    return size;
}
