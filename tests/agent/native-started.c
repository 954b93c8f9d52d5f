/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exit status 0: the library has started its programs before main. */
int started_well (void);

int
main (void)
{
    return !started_well ();
}
