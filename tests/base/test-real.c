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

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/real/plain", test_plain);
    g_test_add_func ("/base/real/edges", test_edges);
    return g_test_run ();
}
