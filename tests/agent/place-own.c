/* SPDX-License-Identifier: GPL-3.0-or-later */
int place_own (void);

int
place_own (void)
{
    return 1;
}
