/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library with variables of its own, one for each thread. */
__thread int library_own = 5;
int library_global = 9;
void library_probe (void);

void
library_probe (void)
{
    library_own += 1; //@ library
}
