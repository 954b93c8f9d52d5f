/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings, bytes and numbers as Python's repr shows them. */
#include "python/value-private.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MAX_DIGITS 2200u /* some 20,000 decimal digits */

void
python_append_repr (GString *text, const char *string, gboolean is_bytes, gsize size)
{
    char quote = memchr (string, '\'', size) != NULL && memchr (string, '"', size) == NULL
                     ? '"'
                     : '\'';

    g_string_append_printf (text, "%s%c", is_bytes ? "b" : "", quote);
    for (gsize i = 0; i < size; i++) {
        guint8 byte = (guint8) string[i];

        if (byte == (guint8) quote || byte == '\\') {
            g_string_append_printf (text, "\\%c", byte);
        } else if (byte == '\n' || byte == '\t' || byte == '\r') {
            g_string_append (text, byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : "\\r");
        } else if (byte < 32 || byte == 127 || (is_bytes && byte > 127)) {
            g_string_append_printf (text, "\\x%02x", byte);
        } else {
            g_string_append_c (text, (char) byte);
        }
    }
    g_string_append_c (text, quote);
}

static void
append_character (GString *text, gunichar character, gunichar quote)
{
    gboolean is_plain = character == ' '
                        || (g_unichar_validate (character) && g_unichar_isprint (character)
                            && !g_unichar_isspace (character));

    if (character == quote || character == '\\') {
        g_string_append_printf (text, "\\%c", (int) character);
    } else if (character == '\n' || character == '\t' || character == '\r') {
        g_string_append (text, character == '\n' ? "\\n" : character == '\t' ? "\\t" : "\\r");
    } else if (is_plain) {
        g_string_append_unichar (text, character);
    } else {
        g_string_append_printf (text,
                                character < 0x100     ? "\\x%02x"
                                : character < 0x10000 ? "\\u%04x"
                                                      : "\\U%08x",
                                character);
    }
}

void
python_append_characters (GString *text, const gunichar *characters, gsize count)
{
    gboolean has_single = FALSE;
    gboolean has_double = FALSE;
    gunichar quote;

    for (gsize i = 0; i < count; i++) {
        has_single |= characters[i] == '\'';
        has_double |= characters[i] == '"';
    }
    quote = has_single && !has_double ? '"' : '\'';
    g_string_append_unichar (text, quote);
    for (gsize i = 0; i < count; i++) {
        append_character (text, characters[i], quote);
    }
    g_string_append_unichar (text, quote);
}

void
python_append_str (PythonPrinter *printer, GString *text, guint64 object)
{
    gsize count;
    guint64 length;
    g_autofree gunichar *characters = python_read_characters (printer->runtime, object, 0,
                                                              printer->limits.bytes, &count,
                                                              &length);

    if (characters == NULL) {
        g_string_append (text, N_ ("<unreadable str>"));
        return;
    }
    python_append_characters (text, characters, count);
    g_string_append (text, count < length ? "..." : "");
}

void
python_append_bytes (PythonPrinter *printer, GString *text, guint64 object)
{
    const PythonLayout *layout = printer->runtime->layout;
    guint64 size = 0;
    gsize shown;
    g_autofree char *data = NULL;

    python_read_u64 (printer->runtime, object + layout->var_size, &size);
    shown = MIN (size, printer->limits.bytes);
    data = g_malloc (shown + 1);
    if (shown > 0
        && !python_read (printer->runtime, object + layout->bytes_data, data, shown)) {
        g_string_append (text, N_ ("<unreadable bytes>"));
        return;
    }
    python_append_repr (text, data, TRUE, shown);
    g_string_append (text, shown < size ? "..." : "");
}

/* Digits of 30 bits, lowest first, to decimal: repeated division by 10**9. */
static void
append_digits (GString *text, guint32 *digits, gsize count)
{
    g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (guint32));

    while (count > 0) {
        guint64 rest = 0;
        guint32 part;

        for (gsize i = count; i > 0; i--) {
            rest = rest << 30 | digits[i - 1];
            digits[i - 1] = (guint32) (rest / 1000000000);
            rest %= 1000000000;
        }
        while (count > 0 && digits[count - 1] == 0) {
            count--;
        }
        part = (guint32) rest;
        g_array_append_val (parts, part);
    }
    for (guint i = parts->len; i > 0; i--) {
        g_string_append_printf (text, i == parts->len ? "%u" : "%09u",
                                g_array_index (parts, guint32, i - 1));
    }
}

double
python_append_int (PythonPrinter *printer, GString *text, guint64 object)
{
    const PythonLayout *layout = printer->runtime->layout;
    guint32 digits[MAX_DIGITS];
    guint64 tag = 0;
    guint64 count;
    gboolean negative;
    double number = 0;

    python_read_u64 (printer->runtime, object + layout->long_tag, &tag);
    negative = layout->minor >= 12 ? (tag & 3) == 2 : (gint64) tag < 0;
    count = layout->minor >= 12 ? tag >> 3 : negative ? 0 - tag : tag;
    if (layout->minor >= 12 && (tag & 3) == 1) {
        count = 0;
    }
    if (count == 0) {
        g_string_append_c (text, '0');
        return 0;
    }
    if (count > MAX_DIGITS) {
        guint32 top = 0;

        python_read_u32 (printer->runtime, object + layout->long_digits + (count - 1) * 4,
                         &top);
        g_string_append_printf (text, "<%sint of %" G_GUINT64_FORMAT " bits>",
                                negative ? "negative " : "",
                                (count - 1) * 30 + g_bit_storage (top));
        return NAN;
    }
    if (!python_read (printer->runtime, object + layout->long_digits, digits, count * 4)) {
        g_string_append (text, N_ ("<unreadable int>"));
        return NAN;
    }
    for (guint64 i = count; i > 0; i--) {
        number = number * 1073741824.0 + digits[i - 1];
    }
    g_string_append (text, negative ? "-" : "");
    append_digits (text, digits, count);
    return negative ? -number : number;
}

/* As repr does: the shortest text that reads back as the same number. */
void
python_append_double (GString *text, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    if (isnan (number) || isinf (number)) {
        g_string_append (text, isnan (number) ? "nan" : number < 0 ? "-inf" : "inf");
        return;
    }
    for (guint precision = 1; precision <= 17; precision++) {
        char format[8];

        g_snprintf (format, sizeof format, "%%.%ug", precision);
        g_ascii_formatd (buffer, sizeof buffer, format, number);
        if (g_ascii_strtod (buffer, NULL) == number) {
            break;
        }
    }
    if (strchr (buffer, 'e') != NULL && fabs (number) < 1e16 && fabs (number) >= 1) {
        g_ascii_formatd (buffer, sizeof buffer, "%.0f", number);
    }
    g_string_append (text, buffer);
    if (strpbrk (buffer, ".e") == NULL) {
        g_string_append (text, ".0");
    }
}

/* An integral part shows no point here: (1+2j). */
static void
append_part (GString *text, double number, gboolean has_sign)
{
    g_autoptr (GString) part = g_string_new (NULL);

    python_append_double (part, number);
    if (g_str_has_suffix (part->str, ".0")) {
        g_string_truncate (part, part->len - 2);
    }
    g_string_append_printf (text, "%s%s", has_sign && part->str[0] != '-' ? "+" : "",
                            part->str);
}

void
python_append_complex (GString *text, double real, double imaginary)
{
    gboolean is_pure = real == 0 && !signbit (real);

    g_string_append (text, is_pure ? "" : "(");
    if (!is_pure) {
        append_part (text, real, FALSE);
    }
    append_part (text, imaginary, !is_pure);
    g_string_append (text, is_pure ? "j" : "j)");
}
