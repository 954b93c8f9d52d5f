/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a program of the subject. */
#include "subject.h"

static void
ignore (const char *place)
{
    (void) place;
}

int
main (void)
{
    return subject_run (ignore) == 0;
}
