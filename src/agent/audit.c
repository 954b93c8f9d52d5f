/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports code that is about to be executed for the first time, by CPython's audit hook (PEP
 * 578): a breakpoint without a place waits for it without any tracing, at no cost to the
 * program. A hook cannot be removed: it stays from the first such breakpoint on. */
#include "agent/private.h"
#include <string.h>

static int has_missed; /* code appeared during a conversation with the engine */
/* code was made that causes no audit event: calls have to be watched */
static int has_made;
static PyObject *recent[64]; /* strong: reported since the table of sites was made */
static uint64_t recent_key;

/* No audit event is raised when code made by code.replace and the like is executed. If a
 * breakpoint may mean such code, calls are watched from then on. */
static void
on_made (PyObject *arguments)
{
    if (!PyTuple_Check (arguments) || PyTuple_Size (arguments) < 3)
        return;
    if (agent_take_truth (PyObject_CallMethod (agent_support, "expects_code", "OO",
                                               PyTuple_GetItem (arguments, 1),
                                               PyTuple_GetItem (arguments, 2)))) {
        has_made = agent_watch.needs_codes = 1;
        agent_events_update ();
    }
}

static void
forget_recent (void)
{
    for (size_t i = 0; i < sizeof recent / sizeof recent[0]; i++)
        Py_CLEAR (recent[i]);
    recent_key = agent_events_get_generation ();
}

static void
on_executed (PyObject *arguments)
{
    PyObject *code = PyTuple_Check (arguments) && PyTuple_Size (arguments) == 1
                         ? PyTuple_GetItem (arguments, 0)
                         : NULL;
    PyObject **slot;
    if (recent_key != agent_events_get_generation ())
        forget_recent ();
    slot = &recent[agent_hash_code (code) % (sizeof recent / sizeof recent[0])];
    if (code == NULL || *slot == code)
        return;
    PyObject *old = *slot;
    Py_INCREF (code);
    *slot = code;
    Py_XDECREF (old);
    agent_events_show_code (code, NULL);
}

static void
note_import (PyObject *name)
{
    if (PyUnicode_Check (name) && PyUnicode_CompareWithASCIIString (name, AGENT_GREENLETS) == 0)
        agent_trace_on_greenlets ();
}

static int
on_audit (const char *event, PyObject *arguments, void *unused)
{
    int is_executed, is_made;
    if (event[0] == 's' && strcmp (event, "sys.settrace") == 0)
        agent_trace_on_change ();
    if (event[0] == 'i' && strcmp (event, "import") == 0 && PyTuple_Check (arguments)
        && PyTuple_Size (arguments) > 0)
        note_import (PyTuple_GetItem (arguments, 0));
    if (event[0] == 'o' && (strcmp (event, "os.exec") == 0 || strcmp (event, "os._exit") == 0)
        && pddt_mailbox.attached && !agent_is_busy_here ())
        agent_events_flush_log (NULL);
    if (!agent_watch.is_pending || (event[0] != 'e' && event[0] != 'c' && event[0] != 'f'))
        return 0;
    is_executed = strcmp (event, "exec") == 0 || strcmp (event, "function.__new__") == 0;
    is_made = !is_executed && strcmp (event, "code.__new__") == 0;
    if ((!is_executed && !is_made) || !pddt_mailbox.attached
        || !agent_api_is_own_interpreter ())
        return 0;
    if (agent_is_busy_here ()) {
        has_missed = 1;
        return 0;
    }
    PyObject *type, *value, *trace;
    agent_wait_for_others ();
    PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    if (is_executed)
        on_executed (arguments);
    else
        on_made (arguments);
    agent_leave ();
    PyErr_Restore (type, value, trace);
    return 0;
}

int
agent_audit_arm (void)
{
    static int is_armed;
    if (!is_armed)
        is_armed = agent_api_add_audit (on_audit);
    return is_armed && !has_made;
}

int
agent_audit_take_missed (void)
{
    int missed = has_missed;
    has_missed = 0;
    return missed;
}
