/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code for a program whose tracer may be killed: a handler of SIGTRAP. Who meets a trap of the dead tracer waits until
 * somebody has restored what stood there, at most half a second, and goes on; a step's signal is dropped. Any other
 * SIGTRAP, as a trap that stays, ends the program as it would without the handler. */
#pragma once
#include "machine/registers.h"

/* As the kernel takes and gives it (rt_sigaction(2)). */
typedef struct {
    guint64 handler, flags, restorer, mask;
} MachineSignalAction;

/* In the order of the code that reads them. */
typedef struct {
    guint64 words[9];
} MachineRescueReturn;

#define MACHINE_SIGNAL_DEFAULT 0u
#define MACHINE_SIGNAL_IGNORE 1u

/* To be copied to anywhere, and offsets in it. */
extern const guint8 machine_rescue_code[];
extern const guint machine_rescue_size;
extern const guint machine_rescue_action; /* room for a MachineSignalAction */
/* Makes a system call, puts mask and registers back as the MachineRescueReturn there says, and goes on where they were
 * saved: it needs no tracer to come to its end. */
extern const guint machine_rescue_call;
extern const guint machine_rescue_return; /* room for that */
/* The action, where the code has been copied to. */
MachineSignalAction machine_rescue_make_action (guint64 code);
/* Where the thread has these registers and blocks these signals. A system call that was interrupted is restarted. */
MachineRescueReturn machine_rescue_make_return (const MachineRegisters *registers,
                                                guint64 mask);
