/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes characters and texts in quotes, as gdb does. */
#include <string.h>

#include "evaluate/program-private.h"

static void
append_character (GString *text, guint8 byte, char quote)
{
    static const char named[] = "\a\b\t\n\v\f\r";
    static const char letters[] = "abtnvfr";
    const char *found = byte ? strchr (named, byte) : NULL;
    if (found)
        g_string_append_printf (text, "\\%c", letters[found - named]);
    else if (byte == (guint8) quote || byte == '\\')
        g_string_append_printf (text, "\\%c", byte);
    else if (byte < 32 || byte == 127)
        g_string_append_printf (text, "\\%03o", byte);
    else
        g_string_append_c (text, byte);
}

void
evaluate_quote_append (GString *text, guint32 c, char quote)
{
    if (c < 128)
        append_character (text, c, quote);
    else if (g_unichar_validate (c) && g_unichar_isprint (c))
        g_string_append_unichar (text, c);
    else
        g_string_append_printf (text, c <= 0777 ? "\\%03o" : "\\x%x", c);
}

/* The character that stands first: its bytes, and in *ret_text how it looks in quotes. A byte that is
 * no UTF-8 stands for itself. */
static gsize
take_character (const guint8 *bytes, gsize size, guint width, GString *ret_text)
{
    guint32 c = 0;
    g_string_truncate (ret_text, 0);
    if (width > 1 || *bytes < 128) {
        memcpy (&c, bytes, width);
        guint16 low = 0;
        if (width == 2 && size >= 4)
            memcpy (&low, bytes + 2, 2);
        if (c >> 10 == 0xd800 >> 10 && low >> 10 == 0xdc00 >> 10) { /* UTF-16 has two for one */
            evaluate_quote_append (ret_text, 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff),
                                   '"');
            return 4;
        }
        evaluate_quote_append (ret_text, c, '"');
        return width;
    }
    c = g_utf8_get_char_validated ((const char *) bytes, (gssize) size);
    if (c >= 0x80000000u || !g_unichar_isprint (c)) {
        g_string_append_printf (ret_text, "\\%03o", *bytes);
        return 1;
    }
    g_string_append_unichar (ret_text, c);
    return g_unichar_to_utf8 (c, NULL);
}

/* How many characters of the same bytes follow each other at the beginning. */
static gsize
count_equal (const guint8 *bytes, gsize size, gsize one)
{
    gsize n = 1;
    while ((n + 1) * one <= size && memcmp (bytes, bytes + n * one, one) == 0)
        n++;
    return n;
}

/* How many of the first bytes look in quotes as they are. */
static gsize
count_plain (const guint8 *bytes, gsize size)
{
    gsize n = 0;
    while (n < size && bytes[n] >= 32 && bytes[n] < 127 && bytes[n] != '"' && bytes[n] != '\\')
        n++;
    return n;
}

/* repeats: more equal characters are written once with their number; 0: never. Ends with the run in which
 * the limit lies (gdb's generic_printstr). */
static char *
quote (const guint8 *bytes, gsize size, guint width, char mark, gsize limit, guint repeats,
       gboolean *cut)
{
    GString *text = g_string_new (NULL);
    g_autoptr (GString) shown = NULL;
    gboolean is_open = FALSE, any = FALSE;
    gsize at = 0, done = 0;
    if (mark)
        g_string_append_c (text, mark);
    if (width == 1 && !repeats) { /* most texts are plain ones */
        done = at = MIN (count_plain (bytes, size), limit);
        any = is_open = done > 0;
        g_string_append (text, any ? "\"" : "");
        g_string_append_len (text, (const char *) bytes, (gssize) done);
    }
    while (at + width <= size && done < limit) {
        shown = shown ? shown : g_string_new (NULL);
        gsize one = take_character (bytes + at, size - at, width, shown);
        gsize n = repeats ? count_equal (bytes + at, size - at, one) : 1;
        if (repeats && n > repeats) {
            g_string_append_printf (text, "%s'%s' <repeats %" G_GSIZE_FORMAT " times>",
                                    is_open ? "\", "
                                    : any   ? ", "
                                            : "",
                                    shown->str, n);
            is_open = FALSE;
        } else {
            n = MIN (n, limit - done);
            g_string_append (text, is_open ? "" : any ? ", \"" : "\"");
            for (gsize i = 0; i < n; i++)
                g_string_append (text, shown->str);
            is_open = TRUE;
        }
        any = TRUE;
        at += n * one;
        done += n;
    }
    *cut |= at + width <= size;
    g_string_append (text, !any ? "\"\"" : is_open ? "\"" : "");
    g_string_append (text, *cut ? "..." : "");
    return g_string_free (text, FALSE);
}

char *
evaluate_format_quote (const guint8 *bytes, gsize size, guint width, char mark, gboolean cut)
{
    return quote (bytes, size, width, mark, G_MAXSIZE, 0, &cut);
}

char *
evaluate_quote_array (const guint8 *bytes, gsize size, const EvaluateType *character,
                      const EvaluateLimits *limits, gboolean *cut)
{
    return quote (bytes, size, character->size, character->lower, MAX (limits->bytes, 1),
                  limits->repeats, cut);
}

char *
evaluate_quote_fortran (const guint8 *bytes, gsize size, guint width, gboolean cut)
{
    g_autofree char *quoted = evaluate_format_quote (bytes, size, width, 0, FALSE);
    GString *text = g_string_new (NULL);
    if (width > 1)
        g_string_append_printf (text, "%u_", width);
    g_string_append_c (text, '\'');
    for (const char *at = quoted + 1; at[0] && at[1]; at++) {
        if (at[0] == '\\' && at[1] == '"')
            continue;
        if (*at == '\'')
            g_string_append_c (text, '\'');
        g_string_append_c (text, *at);
    }
    g_string_append (text, cut ? "'..." : "'");
    return g_string_free (text, FALSE);
}
