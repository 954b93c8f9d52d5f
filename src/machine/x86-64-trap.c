/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: int3, after which the pc is behind it (Intel SDM volume 3, 6.15, "Interrupt 3"). */
#include "machine/trap.h"

const guint8 machine_trap[MACHINE_MAX_TRAP] = { 0xcc };
const guint machine_trap_size = 1;

guint64
machine_trap_get_address (guint64 pc)
{
    return pc - machine_trap_size;
}

gboolean
machine_trap_is (const guint8 *bytes)
{
    return bytes[0] == machine_trap[0];
}
