/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls into a shared library, twice: an unresolved PLT entry and a resolved one. */
int library_work (int i);

int
main (void)
{
    int x = 0;

    x = library_work (x); /*@ first */
    x = library_work (x); /*@ second */
    return x - 2;         /*@ third */
}
