/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread does that the engine has sent into the agent from the middle of native code:
 * pddt_agent_here (x86-64-here.c) saves its registers around this. */
#include "agent/private.h"
#include <errno.h>

__attribute__ ((visibility ("default"), noinline, noipa, aligned (16))) void
pddt_agent_left (void)
{
    __asm__ volatile("nop");
}

/* Works with or without the GIL: the engine has checked that no other thread holds it. */
static void
be_asked (void)
{
    PyGILState_STATE state = PyGILState_Ensure ();
    agent_stop_here ();
    PyGILState_Release (state);
    pddt_agent_left ();
}

static void
move_on (uint32_t command)
{
    PyObject *type, *value, *trace, *frame, *code;
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

void
agent_arrive (void)
{
    uint32_t command = pddt_mailbox.here_command;
    int saved = errno;
    if (pddt_mailbox.attached && command == PDDT_COMMAND_EVAL)
        be_asked ();
    else if (pddt_mailbox.attached && agent_has_gil () && !agent_is_busy_here ())
        move_on (command);
    errno = saved;
}
