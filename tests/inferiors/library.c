/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Called by plt.c from another module. */
int library_work (int i);

int
library_work (int i)
{
    return i + 1; /*@ library */
}
