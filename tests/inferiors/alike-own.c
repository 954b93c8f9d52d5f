/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unit of the library that stops. */
#include "alike.h"

static volatile int in_own = 21;
enum own { OWN = 25 };
static volatile enum own own = OWN;

void
alike_stop (int local)
{
    in_own = 21 + 0 * alike_other (local); /*@ stop */
    own = OWN;
}
