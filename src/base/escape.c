/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds characters that are unsafe to show, and writes escape sequences instead. */
#include "base/escape.h"
#include "base/array.h"
#include <string.h>

#define MAX_COLOUR 64 /* bytes of one sequence */

static gboolean
is_mark (gunichar c)
{
    return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e)
           || (c >= 0x2066 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb)
           || (c >= 0xe0000 && c <= 0xe007f);
}

/* Length of "ESC [ numbers m" at the start of the text; 0: no such sequence. */
static gsize
measure_colour (const char *text, gsize size)
{
    gsize end = 2;

    if (size < 3 || text[0] != '\033' || text[1] != '[') {
        return 0;
    }
    while (end < MIN (size, MAX_COLOUR)
           && (g_ascii_isdigit (text[end]) || text[end] == ';' || text[end] == ':')) {
        end++;
    }
    return end < size && text[end] == 'm' ? end + 1 : 0;
}

static gboolean
has_control_byte (const char *text, gsize size)
{
    return BASE_ANY (i, size, ((guchar) text[i] & 0xe0) == 0x80);
}

/* The bytes and the code point of the first character; an invalid byte counts as a character of
 * its own, with G_MAXUINT32. */
static gsize
take_character (const char *text, gsize size, gunichar *ret_character)
{
    *ret_character = (guchar) *text < 0x80
                         ? (gunichar) *text
                         : g_utf8_get_char_validated (text, (gssize) MIN (size, 4));
    if (*ret_character == (gunichar) -1 || *ret_character == (gunichar) -2) {
        *ret_character = G_MAXUINT32;
        return 1;
    }
    return (gsize) g_unichar_to_utf8 (*ret_character, NULL);
}

static gboolean
is_kept_control (gunichar c, BaseEscapeFlags flags)
{
    return (c == '\n' && (flags & BASE_ESCAPE_KEEP_LINES) != 0)
           || (c == '\t' && (flags & (BASE_ESCAPE_KEEP_LINES | BASE_ESCAPE_KEEP_TABS)) != 0);
}

/* Bytes of the first character or sequence if it stays; 0: it must be replaced. */
static gsize
measure_clean (const char *text, gsize size, BaseEscapeFlags flags)
{
    gunichar c;
    gsize n = take_character (text, size, &c);

    if (c == G_MAXUINT32) {
        return has_control_byte (text, 1) ? 0 : 1;
    }
    if (c == '\033' && (flags & BASE_ESCAPE_KEEP_COLOURS) != 0) {
        return measure_colour (text, size);
    }
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || is_mark (c)) {
        return is_kept_control (c, flags) ? n : 0;
    }
    return (flags & BASE_ESCAPE_FOR_BYTES) != 0 && has_control_byte (text, n) ? 0 : n;
}

/* Bytes before the first one to replace. */
static gsize
measure_run (const char *text, gsize size, BaseEscapeFlags flags)
{
    gsize at = 0;

    while (at < size) {
        gsize n = (guchar) text[at] >= 0x20 && (guchar) text[at] < 0x7f
                      ? 1
                      : measure_clean (text + at, size - at, flags);

        if (n == 0) {
            break;
        }
        at += n;
    }
    return at;
}

/* Whether a colour is still active at the end of the text. */
static gboolean
is_coloured_on (const char *text, gsize size, BaseEscapeFlags flags)
{
    static const char *const ends[] = { "\033[0m", "\033[m" };

    if ((flags & BASE_ESCAPE_KEEP_COLOURS) == 0 || memchr (text, '\033', size) == NULL) {
        return FALSE;
    }
    for (gsize i = 0; i < G_N_ELEMENTS (ends); i++) {
        gsize length = strlen (ends[i]);

        if (size >= length && memcmp (text + size - length, ends[i], length) == 0) {
            return FALSE;
        }
    }
    return TRUE;
}

gboolean
base_escape_is_clean (const char *text, gsize size, BaseEscapeFlags flags)
{
    return measure_run (text, size, flags) == size && !is_coloured_on (text, size, flags);
}

/* The bytes that it stands for. */
static gsize
append_number (GString *to, const char *text, gsize size)
{
    static const char letters[] = "\aa\bb\ff\nn\rr\tt\vv";
    gunichar c;
    gsize n = take_character (text, size, &c);
    const char *letter = c != 0 && c < 0x20 ? strchr (letters, (int) c) : NULL;

    if (letter != NULL && (letter - letters) % 2 == 0) {
        g_string_append_printf (to, "\\%c", letter[1]);
    } else if (c == G_MAXUINT32 || c < 0x80) {
        g_string_append_printf (to, "\\x%02x", (guint) (guchar) *text);
    } else {
        g_string_append_printf (to, c > 0xffff ? "\\U%08x" : "\\u%04x", (guint) c);
    }
    return n;
}

void
base_escape_append (GString *to, const char *text, gsize size, BaseEscapeFlags flags)
{
    gsize at = 0, start = to->len;

    while (at < size) {
        gsize n = measure_run (text + at, size - at, flags);

        g_string_append_len (to, text + at, (gssize) n);
        at += n;
        at += at < size ? append_number (to, text + at, size - at) : 0;
    }
    if (is_coloured_on (to->str + start, to->len - start, flags)) {
        g_string_append (to, "\033[0m");
    }
}

char *
base_escape_take (char *text, BaseEscapeFlags flags)
{
    gsize size = text != NULL ? strlen (text) : 0;
    GString *clean;

    if (text == NULL || base_escape_is_clean (text, size, flags)) {
        return text;
    }
    clean = g_string_sized_new (size + 16);
    base_escape_append (clean, text, size, flags);
    g_free (text);
    return g_string_free (clean, FALSE);
}

char *
base_escape_dup (const char *text, BaseEscapeFlags flags)
{
    return base_escape_take (g_strdup (text), flags);
}
