/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal floating point in its binary encoding, as x86-64's psABI has it (IEEE 754-2008, 3.5.2), written
 * as the General Decimal Arithmetic Specification's to-scientific-string does. */
#include <string.h>

#include "index/program-private.h"

__extension__ typedef unsigned __int128 Wide;

typedef struct {
    gboolean is_negative, is_infinite, is_nan;
    gint exponent;
    Wide coefficient;
} Decimal;

static void
split (guint64 high, guint n_bits, guint n_exponent, gint bias, Wide low, Wide limit, Decimal *ret)
{
    guint top = n_bits - 1;         /* the sign's place in `high` */
    guint combination = (guint) (high >> (top - 5)) & 31;
    gboolean is_large = combination >> 3 == 3; /* the coefficient begins with 100 in binary, unsaid */
    guint shift = top - n_exponent - (is_large ? 2 : 0);
    guint64 rest = high & ((G_GUINT64_CONSTANT (1) << shift) - 1);
    *ret = (Decimal) { .is_negative = high >> top & 1, .is_infinite = combination == 30,
                       .is_nan = combination == 31 };
    ret->exponent = (gint) (high >> shift & ((1u << n_exponent) - 1)) - bias;
    if (is_large)
        rest |= G_GUINT64_CONSTANT (4) << shift;
    ret->coefficient = n_bits == 64 && limit > G_MAXUINT64 ? (Wide) rest << 64 | low : rest;
    if (ret->coefficient > limit || (is_large && limit > G_MAXUINT64))
        ret->coefficient = 0; /* not canonical: it counts as zero */
}

static gboolean
read_decimal (const guint8 *bytes, guint64 size, Decimal *ret)
{
    guint32 small;
    guint64 words[2];
    Wide limit = 1;
    switch (size) {
    case 4:
        memcpy (&small, bytes, 4);
        split (small, 32, 8, 101, 0, 9999999, ret);
        return TRUE;
    case 8:
        memcpy (words, bytes, 8);
        split (words[0], 64, 10, 398, 0, G_GUINT64_CONSTANT (9999999999999999), ret);
        return TRUE;
    case 16:
        memcpy (words, bytes, 16);
        for (guint i = 0; i < 34; i++)
            limit *= 10;
        split (words[1], 64, 14, 6176, words[0], limit - 1, ret);
        return TRUE;
    default:
        return FALSE;
    }
}

char *
index_decimal_format (const guint8 *bytes, guint64 size)
{
    Decimal number;
    char digits[48];
    guint n = 0;
    if (!read_decimal (bytes, size, &number))
        return NULL;
    if (number.is_infinite || number.is_nan)
        return g_strdup_printf ("%s%s", number.is_negative ? "-" : "", number.is_nan ? "NaN" : "Infinity");
    do {
        digits[n++] = (char) ('0' + (guint) (number.coefficient % 10));
        number.coefficient /= 10;
    } while (number.coefficient);
    GString *text = g_string_new (number.is_negative ? "-" : "");
    gint adjusted = number.exponent + (gint) n - 1;
    gboolean is_plain = number.exponent <= 0 && adjusted >= -6;
    gint point = is_plain ? (gint) n + number.exponent : 1; /* digits in front of it */
    if (point <= 0) {
        g_string_append (text, "0.");
        for (; point < 0; point++)
            g_string_append_c (text, '0');
        point = -1;
    }
    for (guint i = 0; i < n; i++) {
        if ((gint) i == point)
            g_string_append_c (text, '.');
        g_string_append_c (text, digits[n - 1 - i]);
    }
    if (!is_plain)
        g_string_append_printf (text, "E%+d", adjusted);
    return g_string_free (text, FALSE);
}
