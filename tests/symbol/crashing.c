/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands before libdwarf, and crashes as that may do. */
#include <stdlib.h>

int dwarf_init_path (void);

int
dwarf_init_path (void)
{
    abort ();
}
