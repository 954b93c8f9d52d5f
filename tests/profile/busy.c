/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work of known size, which takes no time but a processor's. */
#include "busy.h"

void
many (long n)
{
    volatile double sum = 0;

    for (long i = 0; i < 3 * n; i++) {
        sum += 1;
    }
}

void
few (long n)
{
    volatile double sum = 0;

    for (long i = 0; i < n; i++) {
        sum += 1;
    }
}
