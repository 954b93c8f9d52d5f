/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/real.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A whole number that %g writes without an exponent; arrays are full of them. */
static gboolean
is_short (long double real, guint64 size)
{
    long double limit = size == 2 ? 1e5L : size == 4 ? 1e6L : 1e15L;

    return real > -limit && real < limit && real == (long double) (gint64) real
           && (real != 0 || !signbit (real));
}

static gboolean
is_same (const char *text, long double real, guint64 size)
{
    return size == 4   ? strtof (text, NULL) == (float) real
           : size == 8 ? strtod (text, NULL) == (double) real
                       : strtold (text, NULL) == real;
}

/* What has few digits behind the point, which %.15g, dear as it is, would write in the same way: a quotient of whole numbers
 * is rounded as a text is, and no other text of 15 digits stands for the same number. NULL: it has more. */
static char *
format_few_digits (double real)
{
    double millionths = real * 1e6;
    char buffer[40];
    gint64 whole;
    int n;

    if (!(fabs (real) >= 1e-4 && fabs (millionths) < 1e15)) {
        return NULL;
    }
    whole = llrint (millionths);
    if ((double) whole / 1e6 != real) {
        return NULL;
    }
    n = g_snprintf (buffer, sizeof buffer, "%s%" G_GINT64_FORMAT ".%06d", whole < 0 ? "-" : "",
                    ABS (whole) / 1000000, (int) (ABS (whole) % 1000000));
    while (buffer[n - 1] == '0') {
        n--;
    }
    return g_strndup (buffer, (gsize) (buffer[n - 1] == '.' ? n - 1 : n));
}

static char *
format_exactly (long double real, guint64 size)
{
    int digits = size == 2   ? 5
                 : size == 4 ? 6
                 : size == 8 ? 15
                             : 18,
        last = size == 2   ? 5
               : size == 4 ? 9
               : size == 8 ? 17
                           : 21;
    char buffer[64];

    do {
        g_snprintf (buffer, sizeof buffer, "%.*Lg", digits, real);
    } while (digits++ < last && !is_same (buffer, real, size));
    return g_strdup (buffer);
}

/* Many ranks have the same numbers, of which the digits have to be tried. */
static char *
format_known (double real)
{
    enum { N_KNOWN = 256 };
    static struct {
        guint64 bits;
        char *text;
    } known[N_KNOWN];
    guint64 bits;
    guint at;

    memcpy (&bits, &real, sizeof bits);
    at = (guint) ((bits * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 56);
    if (known[at].text == NULL || known[at].bits != bits) {
        g_free (known[at].text);
        known[at].bits = bits;
        known[at].text = format_exactly (real, sizeof real);
    }
    return g_strdup (known[at].text);
}

char *
base_real_format (long double real, guint64 size)
{
    char *text;

    if (isnan (real)) {
        return g_strdup (signbit (real) ? "-nan" : "nan");
    }
    if (isinf (real)) {
        return g_strdup (real < 0 ? "-inf" : "inf");
    }
    if (is_short (real, size)) {
        return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) real);
    }
    text = size == 8 ? format_few_digits ((double) real) : NULL;
    return text != NULL ? text
           : size == 8  ? format_known ((double) real)
                        : format_exactly (real, size);
}

BaseReal
base_real_parse (const char *text)
{
#ifdef BASE_HAS_QUAD
    return strtof128 (text, NULL);
#else
    return strtold (text, NULL);
#endif
}

/* "%.3f": a precision, or none, and a letter. */
static char *
print_plain (const char *format, BaseReal real)
{
#ifdef BASE_HAS_QUAD
    int size = strfromf128 (NULL, 0, format, real);
    char *text = g_malloc ((gsize) MAX (size, 0) + 1);

    text[0] = '\0';
    strfromf128 (text, (gsize) MAX (size, 0) + 1, format, real);
    return text;
#else
    g_autofree char *precision = g_strndup (format + 1, strlen (format) - 2);
    g_autofree char *wide = g_strdup_printf ("%%%sL%c", precision, format[strlen (format) - 1]);

    _Pragma ("GCC diagnostic push") _Pragma (
        "GCC diagnostic ignored \"-Wformat-nonliteral\"") return g_strdup_printf (wide, real);
    _Pragma ("GCC diagnostic pop")
#endif
}

char *
base_real_format_quad (BaseReal real)
{
    g_autofree char *text = NULL;

    if (isnan (real) || isinf (real)) {
        return base_real_format ((long double) real, 16);
    }
    for (guint digits = 33; digits <= 36; digits++) {
        char format[16];

        g_snprintf (format, sizeof format, "%%.%ug", digits);
        g_free (text);
        text = print_plain (format, real);
        if (base_real_parse (text) == real) {
            break;
        }
    }
    return g_steal_pointer (&text);
}

char *
base_real_print (const char *flags, char letter, BaseReal real)
{
    gsize n_flags = strspn (flags, "-+ #0"), size;
    guint64 width = g_ascii_strtoull (flags + n_flags, NULL, 10);
    const char *dot = strchr (flags, '.'), *digits, *sign;
    g_autofree char *format = g_strdup_printf ("%%%s%c", dot != NULL ? dot : "", letter);
    g_autofree char *text = print_plain (format, real), *fill = NULL;

    digits = text[0] == '-' ? text + 1 : text;
    sign = text[0] == '-'                         ? "-"
           : memchr (flags, '+', n_flags) != NULL ? "+"
           : memchr (flags, ' ', n_flags) != NULL ? " "
                                                  : "";
    size = strlen (digits) + strlen (sign);
    fill = g_strnfill (width > size ? width - size : 0,
                       memchr (flags, '0', n_flags) != NULL && isfinite (real)
                               && memchr (flags, '-', n_flags) == NULL
                           ? '0'
                           : ' ');
    return memchr (flags, '-', n_flags) != NULL ? g_strconcat (sign, digits, fill, NULL)
           : fill[0] == '0'                     ? g_strconcat (sign, fill, digits, NULL)
                                                : g_strconcat (fill, sign, digits, NULL);
}
