/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way into the agent for a thread in the middle of native code (x86-64): keeps every register,
 * runs agent_arrive and goes back to the pc that the engine pushed below the red zone. The unwind
 * rules speak of a signal frame, as the pc may be the first instruction of a function. */
#include "agent/private.h"

__asm__ (
    ".text\n"
    ".globl pddt_agent_here\n"
    ".type pddt_agent_here, @function\n"
    "pddt_agent_here:\n"
    ".cfi_startproc\n"
    ".cfi_signal_frame\n"
    ".cfi_def_cfa rsp, 136\n"     /* the stack pointer before: above the pc and the red zone */
    ".cfi_offset rip, -136\n"
    "push %rbp\n"
    ".cfi_adjust_cfa_offset 8\n"
    ".cfi_offset rbp, -144\n"
    "mov %rsp, %rbp\n"
    ".cfi_def_cfa_register rbp\n"
    "pushfq\n"
    "push %rax\n" "push %rcx\n" "push %rdx\n" "push %rsi\n" "push %rdi\n"
    "push %r8\n" "push %r9\n" "push %r10\n" "push %r11\n"
    "sub $512, %rsp\n"
    "and $-64, %rsp\n"
    "fxsave64 (%rsp)\n"
    "cld\n"
    "call agent_arrive\n"
    "fxrstor64 (%rsp)\n"
    "lea -80(%rbp), %rsp\n"
    "pop %r11\n" "pop %r10\n" "pop %r9\n" "pop %r8\n"
    "pop %rdi\n" "pop %rsi\n" "pop %rdx\n" "pop %rcx\n" "pop %rax\n"
    "popfq\n"
    "pop %rbp\n"
    ".cfi_def_cfa rsp, 136\n"
    "ret $128\n"
    ".cfi_endproc\n"
    ".size pddt_agent_here, .-pddt_agent_here\n");

void
agent_arrive (void)
{
    uint32_t command = pddt_mailbox.here_command;
    PyObject *type, *value, *trace, *frame, *code;
    if (!pddt_mailbox.attached || !agent_has_gil () || agent_is_busy_here ())
        return;
    PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    frame = agent_get_frame ();
    code = frame != NULL ? agent_frame_get_code (frame) : NULL;
    if (command == PDDT_COMMAND_CONTINUE && code != NULL && agent_motion_is_stoppable (code))
        agent_stop (PDDT_EVENT_STEP, 0, frame);
    else if (command == PDDT_COMMAND_CONTINUE || command == PDDT_COMMAND_NEXT)
        agent_motion_begin_outside (frame, command);
    else
        agent_motion_begin (frame, PDDT_COMMAND_STEP, 1);
    agent_events_update ();
    agent_leave ();
    Py_XDECREF (code);
    PyErr_Restore (type, value, trace);
}
