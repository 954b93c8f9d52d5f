/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decimal floating point in its binary encoding, as x86-64's psABI has it (IEEE
 * 754-2008, 3.5.2), written as the General Decimal Arithmetic Specification's
 * to-scientific-string does. */
#include <string.h>

#include "evaluate/decimal.h"
#include "evaluate/program-private.h"

__extension__ typedef unsigned __int128 Wide;

typedef struct {
    gboolean is_negative, is_infinite, is_nan;
    gint exponent;
    Wide coefficient;
} Decimal;

typedef struct {
    guint64 size;
    guint n_exponent, n_digits;
    gint bias, largest; /* of the exponent; the largest with the bias */
} Format;

static const Format *
find_format (guint64 size)
{
    static const Format formats[]
        = { { 4, 8, 7, 101, 191 }, { 8, 10, 16, 398, 767 }, { 16, 14, 34, 6176, 12287 } };
    return BASE_CHOOSE (i, G_N_ELEMENTS (formats), formats[i].size == size, &formats[i], NULL);
}

static void
split (guint64 high, guint n_bits, guint n_exponent, gint bias, Wide low, Wide limit,
       Decimal *ret)
{
    guint top = n_bits - 1; /* the sign's place in `high` */
    guint combination = (guint) (high >> (top - 5)) & 31;
    gboolean is_large = combination >> 3
                        == 3; /* the coefficient begins with 100 in binary, unsaid */
    guint shift = top - n_exponent - (is_large ? 2 : 0);
    guint64 rest = high & ((G_GUINT64_CONSTANT (1) << shift) - 1);
    *ret = (Decimal){ .is_negative = high >> top & 1,
                      .is_infinite = combination == 30,
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
    default: return FALSE;
    }
}

char *
evaluate_decimal_format (const guint8 *bytes, guint64 size)
{
    Decimal number;
    char digits[48];
    guint n = 0;
    if (!read_decimal (bytes, size, &number))
        return NULL;
    if (number.is_infinite || number.is_nan)
        return g_strdup_printf ("%s%s", number.is_negative ? "-" : "",
                                number.is_nan ? "NaN" : "Infinity");
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

static void
encode (const Decimal *number, const Format *format, guint8 *ret_bytes)
{
    guint n_bits = (guint) (8 * format->size), n_fraction = n_bits - 1 - format->n_exponent;
    Wide one = 1, sign = (Wide) number->is_negative << (n_bits - 1), all;
    Wide exponent = (Wide) (guint) (number->exponent + format->bias);
    if (number->is_infinite)
        all = (Wide) 30 << (n_bits - 6);
    else if (number->coefficient < one << n_fraction)
        all = exponent << n_fraction | number->coefficient;
    else
        all = (Wide) 3 << (n_bits - 3) | exponent << (n_fraction - 2)
              | (number->coefficient & ((one << (n_fraction - 2)) - 1));
    all |= sign;
    memset (ret_bytes, 0, 16);
    memcpy (ret_bytes, &all, format->size);
}

/* The first of the digits as a number; the others round it. */
static Wide
round_digits (const GString *digits, gsize n_kept)
{
    Wide coefficient = 0;
    for (gsize i = 0; i < n_kept; i++)
        coefficient = coefficient * 10 + (guint) (digits->str[i] - '0');
    if (n_kept >= digits->len || digits->str[n_kept] < '5')
        return coefficient;
    gboolean is_half = digits->str[n_kept] == '5'
                       && strspn (digits->str + n_kept + 1, "0") == digits->len - n_kept - 1;
    return coefficient + (is_half ? coefficient & 1 : 1);
}

/* digits times ten to the exponent; no zero stands first. */
static void
fit (const GString *digits, gint64 exponent, const Format *format, Decimal *number)
{
    gint64 n = (gint64) digits->len, largest = format->largest - format->bias;
    gint64 excess = MAX (MAX (n - (gint64) format->n_digits, -(gint64) format->bias - exponent),
                         0);
    Wide limit = 1;
    for (guint i = 0; i < format->n_digits; i++)
        limit *= 10;
    number->coefficient = excess > n ? 0 : round_digits (digits, (gsize) (n - excess));
    exponent += excess;
    if (number->coefficient == limit) {
        number->coefficient /= 10;
        exponent++;
    }
    while (exponent > largest && number->coefficient && number->coefficient * 10 < limit) {
        number->coefficient *= 10;
        exponent--;
    }
    number->is_infinite = number->coefficient && exponent > largest;
    number->exponent = (gint) CLAMP (exponent, -(gint64) format->bias, largest);
}

gboolean
evaluate_decimal_parse (const char *text, guint64 size, guint8 ret_bytes[16])
{
    g_autoptr (GString) digits = g_string_new (NULL);
    const Format *format = find_format (size);
    Decimal number = { 0 };
    gint64 exponent = 0;
    gboolean any = FALSE, is_behind = FALSE;
    char *end = (char *) text;
    for (; g_ascii_isdigit (*text) || (*text == '.' && !is_behind); text++) {
        any |= *text != '.';
        exponent -= is_behind;
        is_behind |= *text == '.';
        if (*text != '.' && (digits->len || *text != '0'))
            g_string_append_c (digits, *text);
    }
    if (any && (*text == 'e' || *text == 'E')) {
        gint64 said = g_ascii_strtoll (text + 1, &end, 10);
        exponent += CLAMP (said, -1000000, 1000000);
        any = end > text + 1;
        text = end;
    }
    if (!any || *text || !format)
        return FALSE;
    fit (digits, exponent, format, &number);
    encode (&number, format, ret_bytes);
    return TRUE;
}
