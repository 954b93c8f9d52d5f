/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction that stops a thread, which stands in for the one at a breakpoint. */
#pragma once
#include <glib.h>

#define MACHINE_MAX_TRAP 4
extern const guint8 machine_trap[MACHINE_MAX_TRAP]; /* its bytes, machine_trap_size of them */
extern const guint machine_trap_size;

/* Where the trap is that a thread with this pc has just met. */
guint64 machine_trap_get_address (guint64 pc);
/* machine_trap_size bytes. */
gboolean machine_trap_is (const guint8 *bytes);
