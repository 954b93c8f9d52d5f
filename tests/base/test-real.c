/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers are written with as few digits as tell them apart, whichever way is the quickest. */
#include "base/real.h"
#include <math.h>
#include <stdlib.h>

static char *
dup_plain (double real)
{
    char buffer[64];
    int digits = 15;

    do {
        g_snprintf (buffer, sizeof buffer, "%.*g", digits, real);
    } while (digits++ < 17 && strtod (buffer, NULL) != real);
    return g_strdup (buffer);
}

static void
check (double real)
{
    g_autofree char *text = base_real_format (real, sizeof real), *plain = dup_plain (real);

    g_assert_cmpstr (text, ==, plain);
}

static void
test_plain (void)
{
    static const double scales[] = { 1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e9, 1e12 };

    for (guint i = 0; i < 200000; i++) {
        double whole = g_test_rand_int_range (G_MININT32, G_MAXINT32);

        check (whole / scales[i % G_N_ELEMENTS (scales)]);
        check (ldexp (whole, -(int) (i % 64)));
        check (nextafter (whole / 1000, i % 2 == 0 ? INFINITY : -INFINITY));
    }
}

static void
test_edges (void)
{
    static const double edges[] = { 1e-4,       9.9e-5,           -1e-4,     0.1,    -0.5,
                                    1e9 - 1e-6, 999999999.999999, 0.1 + 0.2, 5e-324, 1.5e300 };

    for (guint i = 0; i < G_N_ELEMENTS (edges); i++) {
        check (edges[i]);
        check (nextafter (edges[i], INFINITY));
        check (nextafter (edges[i], -INFINITY));
    }
}

/* All digits of a binary128, and only as many as are needed. */
static void
test_quad (void)
{
#ifdef BASE_HAS_QUAD
    static const struct {
        const char *said, *shown;
    } rows[] = {
        { "0.25", "0.25" },
        { "0.333333333333333333333333333333333317", "0.3333333333333333333333333333333333" },
        { "1.00000000000000000000000000000000019", "1.0000000000000000000000000000000002" },
        { "-1e4000", "-1e+4000" },
        { "6.475175119438025110924438958227646552e-4966",
          "6.47517511943802511092443895822765e-4966" },
        { "-0", "-0" },
        { "nan", "nan" }
    };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        BaseReal real = base_real_parse (rows[i].said);
        g_autofree char *text = base_real_format_quad (real);

        g_assert_cmpstr (text, ==, rows[i].shown);
        g_assert_true (isnan (real) || base_real_parse (text) == real);
    }
#else
    g_test_skip ("no numbers of 128 bits here");
#endif
}

static void
test_print (void)
{
    static const struct {
        const char *flags;
        char letter;
        const char *text;
    } rows[] = { { ".3", 'f', "0.125" },      { "8.1", 'f', "     0.1" },
                 { "-8.1", 'f', "0.1     " }, { "+08.2", 'f', "+0000.12" },
                 { "", 'g', "0.125" },        { " .1", 'e', " 1.2e-01" } };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *text = base_real_print (rows[i].flags, rows[i].letter,
                                                 (BaseReal) 0.125);

        g_assert_cmpstr (text, ==, rows[i].text);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/real/plain", test_plain);
    g_test_add_func ("/base/real/edges", test_edges);
    g_test_add_func ("/base/real/quad", test_quad);
    g_test_add_func ("/base/real/print", test_print);
    return g_test_run ();
}
