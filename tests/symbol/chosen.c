/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the program declares and calls, of which the C library chooses the code at its start; one within another. */
#include <string.h>

static void *copying = (void *) memcpy;

static int
measure (const char *text)
{
    char copy[16];

    memcpy (copy, text, strlen (text) + 1);
    return strcmp (copy, "abc") == 0 && strchr (copy, 'c') != NULL; //@ measured
}

static int
surround (int number)
{
    int own = 10 * number;

    int
    inner (int more)
    {
        return own + more;
    }
    return inner (1); //@ around
}

int
main (void)
{
    return measure ("a") + measure ("abc") + surround (2) - (copying != NULL ? 22 : 0);
}
