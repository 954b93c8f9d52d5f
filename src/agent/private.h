/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agent's files share. One binary serves CPython 3.8 to 3.13 and later: limited API of
 * 3.8, everything else is looked up by name when the agent starts. The GIL is the lock of all
 * that stands here. */
#pragma once
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include "agent/mailbox.h"

typedef int (*AgentTraceFunction) (PyObject *self, PyObject *frame, int what, PyObject *argument);

/* Numbers of trace events (Include/cpython/pystate.h, stable since 3.7). */
enum { AGENT_CALL, AGENT_EXCEPTION, AGENT_LINE, AGENT_RETURN, AGENT_OPCODE = 7 };

/* ---- api.c ---- */
/* FALSE with a Python exception when this interpreter lacks what the agent cannot do without. */
int agent_api_init (void);
PyObject *agent_frame_get_code (PyObject *frame);  /* new reference */
PyObject *agent_frame_get_back (PyObject *frame);  /* new reference or NULL without exception */
int agent_frame_get_line (PyObject *frame);
PyObject *agent_get_frame (void);                  /* borrowed; NULL: none */
void agent_frame_locals_to_fast (PyObject *frame);
/* Puts the function (NULL: none) into all threads that can be reached. */
void agent_set_trace_all (AgentTraceFunction function, PyObject *marker);
void agent_set_trace (AgentTraceFunction function, PyObject *marker); /* this thread */

/* ---- trace.c ---- */
extern PyObject *agent_support;    /* namespace of pddt_support.py */
int agent_trace_init (PyObject *module);
void agent_trace_want_entry (void);
void agent_trace_want_pause (void);
/* After anything that changed what is looked for: puts the trace function in or takes it out. */
void agent_trace_update (void);
void agent_trace_begin_motion (PyObject *frame, uint32_t command, uint32_t count);
void agent_trace_cancel_motion (void);
PyObject *agent_trace_set_sites (PyObject *self, PyObject *arguments);

/* ---- agent.c ---- */
extern struct pddt_mailbox pddt_mailbox;
void pddt_python_stop (struct pddt_mailbox *mailbox);
int pddt_agent_wake (void);
/* Stops with the event; frame (may be NULL) fills the place and is what commands speak of. Comes
 * back when the engine wants the thread to go on; the motion is then set up. */
void agent_stop (uint32_t event, uint32_t number, PyObject *frame);
/* The text of this thread's next stop. */
void agent_set_text (const char *text, Py_ssize_t size);
/* This thread is inside a stop or runs the agent's own Python code. */
int agent_is_busy_here (void);
/* While another thread talks with the engine: waits without the GIL until it goes on. */
void agent_wait_for_others (void);
void agent_enter (void);
void agent_leave (void);
uint32_t agent_get_tid (void);
