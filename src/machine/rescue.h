/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code for a program whose tracer may be killed: a handler of SIGTRAP. Who meets a trap of the dead tracer waits until
 * somebody has restored what stood there, at most half a second, and goes on; a step's signal is dropped. Any other
 * SIGTRAP, as a trap that stays, ends the program as it would without the handler. */
#pragma once
#include <glib.h>

/* As the kernel takes and gives it (rt_sigaction(2)). */
typedef struct {
    guint64 handler, flags, restorer, mask;
} MachineSignalAction;

#define MACHINE_SIGNAL_DEFAULT 0u
#define MACHINE_SIGNAL_IGNORE 1u

/* To be copied to anywhere, and offsets in it. */
extern const guint8 machine_rescue_code[];
extern const guint machine_rescue_size;
extern const guint machine_rescue_action; /* room for a MachineSignalAction */
extern const guint machine_rescue_call;   /* an instruction that makes a system call */
/* The action, where the code has been copied to. */
MachineSignalAction machine_rescue_make_action (guint64 code);
