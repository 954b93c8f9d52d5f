/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: registers of a stopped thread by ptrace. Debug registers: Intel SDM volume 3, chapter 17. */
#include "target/process.h"
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define PC_OFFSET offsetof (struct user, regs.rip)
#define DEBUG_OFFSET(number) (offsetof (struct user, u_debugreg) + (number) * sizeof (long))

gboolean
target_thread_get_registers (pid_t tid, MachineRegisters *ret_registers)
{
    return ptrace (PTRACE_GETREGS, tid, NULL, ret_registers) == 0;
}

gboolean
target_thread_set_registers (pid_t tid, const MachineRegisters *registers)
{
    return ptrace (PTRACE_SETREGS, tid, NULL, (void *) registers) == 0;
}

gboolean
target_thread_set_pc (pid_t tid, guint64 pc)
{
    return ptrace (PTRACE_POKEUSER, tid, (void *) PC_OFFSET, (void *) (gsize) pc) == 0;
}

gboolean
target_thread_get_pc (pid_t tid, guint64 *ret_pc)
{
    errno = 0;
    *ret_pc = (guint64) ptrace (PTRACE_PEEKUSER, tid, (void *) PC_OFFSET, NULL);
    return errno == 0;
}

GBytes *
target_thread_read_extended (pid_t tid)
{
    g_autofree guint8 *data = g_malloc (65536);
    struct iovec vector = { data, 65536 };
    struct user_fpregs_struct legacy;

    if (ptrace (PTRACE_GETREGSET, tid, (void *) (long) NT_X86_XSTATE, &vector) == 0) {
        return g_bytes_new (data, vector.iov_len);
    }
    return ptrace (PTRACE_GETFPREGS, tid, NULL, &legacy) == 0
               ? g_bytes_new (&legacy, sizeof legacy)
               : NULL;
}

gboolean
target_thread_write_extended (pid_t tid, GBytes *state)
{
    gsize size;
    gconstpointer data = g_bytes_get_data (state, &size);
    struct iovec vector = { (void *) data, size };

    if (size == sizeof (struct user_fpregs_struct)) {
        return ptrace (PTRACE_SETFPREGS, tid, NULL, (void *) data) == 0;
    }
    return ptrace (PTRACE_SETREGSET, tid, (void *) (long) NT_X86_XSTATE, &vector) == 0;
}

gboolean
target_thread_set_watch (pid_t tid, guint slot, guint64 address, guint size)
{
    /* DR7: enable bits 2 * slot, R/W = 01 (write) and LEN (size - 1, but 10 for 8) from bit 16 on. */
    guint length = size == 8 ? 2 : (size == 0 ? 0 : size - 1), shift = 16 + 4 * slot;
    unsigned long control;

    errno = 0;
    control = (unsigned long) ptrace (PTRACE_PEEKUSER, tid, (void *) DEBUG_OFFSET (7), NULL);
    if (errno != 0) {
        return FALSE;
    }
    control &= ~(3ul << (2 * slot) | 15ul << shift);
    if (ptrace (PTRACE_POKEUSER, tid, (void *) DEBUG_OFFSET (7), (void *) control) != 0
        || ptrace (PTRACE_POKEUSER, tid, (void *) DEBUG_OFFSET (slot), (void *) (gsize) address)
               != 0) {
        return FALSE;
    }
    if (size == 0) {
        return TRUE;
    }
    control |= 1ul << (2 * slot) | (unsigned long) (1 | length << 2) << shift;
    return ptrace (PTRACE_POKEUSER, tid, (void *) DEBUG_OFFSET (7), (void *) control) == 0;
}

guint
target_thread_take_watch_hits (pid_t tid)
{
    long status;

    errno = 0;
    status = ptrace (PTRACE_PEEKUSER, tid, (void *) DEBUG_OFFSET (6), NULL);
    if (errno != 0 || (status & 15) == 0) {
        return 0;
    }
    ptrace (PTRACE_POKEUSER, tid, (void *) DEBUG_OFFSET (6), NULL);
    return (guint) status & 15;
}

void
target_thread_clear_watches (pid_t tid)
{
    ptrace (PTRACE_POKEUSER, tid, (void *) DEBUG_OFFSET (7), NULL);
}
