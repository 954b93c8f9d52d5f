/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends well. */
int
main (void)
{
    return 0;
}
