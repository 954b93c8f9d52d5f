/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sys.monitoring (3.12 and later). The agent asks for line events only in code objects with
 * breakpoints or a motion, gets one start event for each code object, and turns off unneeded
 * events where they arise. It holds a tool id only while it needs one, and takes the debugger's
 * only if no other is free, so that the program can still take that one. */
#include "agent/private.h"
#include <stdlib.h>

#define FASTCALL 0x0080 /* METH_FASTCALL is in the limited API of 3.10 */

typedef struct {
    PyObject *code; /* strong */
    int mask;
} Local;

enum { START, RETURN, YIELD, UNWIND, LINE, JUMP, INSTRUCTION, RAISE, N_EVENTS };
static const char *names[N_EVENTS] = { "PY_START", "PY_RETURN", "PY_YIELD",    "PY_UNWIND",
                                       "LINE",     "JUMP",      "INSTRUCTION", "RAISE" };
static int bits[N_EVENTS];
static PyObject *monitoring, *disable, *callbacks[N_EVENTS];
static int is_looked_up, tool = -1, global_mask;
static Local *locals;
static size_t n_locals;
/* the generation of the table for which `locals` was made */
static uint64_t sites_key;
static __thread const PyObject *entered; /* the code that was just called; never dereferenced */
static int n_entered;                    /* how many threads have one, at least */

/* ---- callbacks ---- */

static PyObject *
answer_none (void)
{
    Py_RETURN_NONE;
}

static PyObject *
answer_disable (void)
{
    Py_INCREF (disable);
    return disable;
}

static int
is_deaf (void)
{
    return !pddt_mailbox.attached || (agent_watch.n_busy != 0 && agent_is_busy_here ());
}

/* Puts a pending exception aside meanwhile, as the callback's caller expects. */
#define GUARDED(statement)                                                                     \
    do {                                                                                       \
        PyObject *type = NULL, *value = NULL, *trace = NULL;                                   \
        agent_wait_for_others ();                                                              \
        int is_pending = PyErr_Occurred () != NULL;                                            \
        if (is_pending)                                                                        \
            PyErr_Fetch (&type, &value, &trace);                                               \
        agent_enter ();                                                                        \
        statement;                                                                             \
        agent_leave ();                                                                        \
        if (is_pending || PyErr_Occurred () != NULL)                                           \
            PyErr_Restore (type, value, trace);                                                \
    } while (0)

static int
has_entry (const PyObject *code)
{
    const AgentSite *site = agent_find_site (code, NULL);
    while (site != NULL && !site->at_entry)
        site = agent_find_site (code, site);
    return site != NULL;
}

static void
set_entered (const PyObject *code)
{
    n_entered += (code != NULL) - (entered != NULL);
    entered = code;
}

/* If a function's first line has its code at the first instruction, CPython 3.13 reports that
 * line only if start events are on too. */
static int
is_line_by_start (void)
{
    return agent_api_get_minor () >= 13;
}

/* That line of this code matters. */
static int
wants_first_line (const PyObject *code)
{
    const AgentSite *site = agent_find_site (code, NULL);
    if (agent_watch.wants_lines || agent_motion.command == PDDT_COMMAND_STEP)
        return 1;
    while (site != NULL && site->first_line != 0 && site->line > site->first_line)
        site = agent_find_site (code, site);
    return site != NULL;
}

static PyObject *
on_start (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (is_deaf ())
        return answer_none ();
    if (agent_watch.needs_codes && !agent_is_seen (arguments[0]))
        GUARDED (agent_events_on_code (arguments[0], NULL));
    int at_entry = has_entry (arguments[0]);
    if (at_entry || n_entered != 0)
        set_entered (at_entry ? arguments[0] : NULL);
    return at_entry || (is_line_by_start () && wants_first_line (arguments[0]))
               ? answer_none ()
               : answer_disable ();
}

static PyObject *
come_to_line (PyObject *code, uint32_t line)
{
    AgentEvent event = { code, NULL, line };
    int is_entered = 0;
    if (n_entered != 0) {
        is_entered = entered == event.code;
        set_entered (NULL);
    }
    if (agent_motion.command == PDDT_COMMAND_NONE && !agent_watch.wants_lines) {
        AgentLineCheck check = agent_events_check_line (event.code, NULL, event.line,
                                                        is_entered);
        if (check != AGENT_MAY_HIT)
            return check == AGENT_NO_HIT ? answer_none () : answer_disable ();
    }
    GUARDED (agent_events_on_line (&event, is_entered));
    return answer_none ();
}

static PyObject *
on_line (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    long line;
    if (is_deaf () || !agent_read_int (arguments[1], &line))
        return answer_none ();
    return come_to_line (arguments[0], line > 0 ? (uint32_t) line : 0);
}

/* In a loop on a single line, jumping back to that line counts as reaching it again, as with a
 * trace function. */
static PyObject *
on_jump (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    long from, to;
    if (is_deaf () || count < 3 || !agent_read_int (arguments[1], &from)
        || !agent_read_int (arguments[2], &to))
        return answer_none ();
    uint32_t line = to <= from ? agent_code_find_line (arguments[0], (int) to) : 0;
    if (line == 0 || line != agent_code_find_line (arguments[0], (int) from))
        return answer_disable ();
    return come_to_line (arguments[0], line);
}

static int
is_motion_code (const PyObject *code)
{
    return agent_motion.command == PDDT_COMMAND_STEP
           || (agent_motion.command != PDDT_COMMAND_NONE
               && (code == agent_motion.code || code == agent_motion.other_code));
}

static void
leave (PyObject *value, AgentLeave kind)
{
    PyObject *frame = agent_get_frame ();
    if (frame != NULL)
        agent_motion_on_leave (frame, value, kind);
}

static PyObject *
on_leave (PyObject *const *arguments, Py_ssize_t count, AgentLeave kind)
{
    if (!is_deaf () && is_motion_code (arguments[0]))
        GUARDED (leave (kind != AGENT_UNWOUND && count > 2 ? arguments[2] : NULL, kind));
    return answer_none ();
}

static PyObject *
on_return (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    return on_leave (arguments, count, AGENT_RETURNED);
}

static PyObject *
on_yield (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    return on_leave (arguments, count, AGENT_YIELDED);
}

static PyObject *
on_unwind (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    return on_leave (arguments, count, AGENT_UNWOUND);
}

static PyObject *
on_instruction (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (!is_deaf () && agent_motion.has_arrived && arguments[0] == agent_motion.code)
        GUARDED (agent_motion_on_instruction (agent_get_frame ()));
    return answer_none ();
}

static void
tell_raise (PyObject *code, PyObject *exception)
{
    AgentEvent event = { code, NULL, 0 };
    PyObject *trace = PyObject_GetAttrString (exception, "__traceback__");
    agent_events_on_raise (&event, exception, trace != NULL ? trace : Py_None);
    Py_XDECREF (trace);
}

static PyObject *
on_raise (PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (!is_deaf () && agent_watch.has_catches && count > 2)
        GUARDED (tell_raise (arguments[0], arguments[2]));
    return answer_none ();
}

#define METHOD(name, function)                                                                 \
    {                                                                                          \
        name, (PyCFunction) (void (*) (void)) function, FASTCALL, NULL                         \
    }
static PyMethodDef methods[N_EVENTS] = {
    METHOD ("start", on_start),
    METHOD ("return", on_return),
    METHOD ("yield", on_yield),
    METHOD ("unwind", on_unwind),
    METHOD ("line", on_line),
    METHOD ("jump", on_jump),
    METHOD ("instruction", on_instruction),
    METHOD ("raise", on_raise),
};

/* ---- the interpreter's side ---- */

static int
look_up (void)
{
    PyObject *events;
    if (is_looked_up)
        return monitoring != NULL;
    is_looked_up = 1;
    if (agent_api_get_minor () < 12)
        return 0;
    monitoring = PySys_GetObject ("monitoring");
    Py_XINCREF (monitoring);
    disable = monitoring != NULL ? PyObject_GetAttrString (monitoring, "DISABLE") : NULL;
    events = monitoring != NULL ? PyObject_GetAttrString (monitoring, "events") : NULL;
    for (int i = 0; events != NULL && i < N_EVENTS; i++) {
        PyObject *number = PyObject_GetAttrString (events, names[i]);
        bits[i] = number != NULL ? (int) PyLong_AsLong (number) : 0;
        callbacks[i] = PyCFunction_NewEx (&methods[i], NULL, NULL);
        if (bits[i] == 0 || callbacks[i] == NULL)
            Py_CLEAR (disable);
        Py_XDECREF (number);
    }
    Py_XDECREF (events);
    PyErr_Clear ();
    if (disable == NULL)
        Py_CLEAR (monitoring);
    return monitoring != NULL;
}

static int
call_monitoring (const char *name, PyObject *arguments)
{
    PyObject *function = arguments != NULL ? PyObject_GetAttrString (monitoring, name) : NULL;
    PyObject *result = function != NULL ? PyObject_CallObject (function, arguments) : NULL;
    int done = result != NULL;
    PyErr_Clear ();
    Py_XDECREF (result);
    Py_XDECREF (function);
    Py_XDECREF (arguments);
    return done;
}

static int
is_ours (void)
{
    PyObject *name = PyObject_CallMethod (monitoring, "get_tool", "i", tool);
    int ours = name != NULL && PyUnicode_Check (name)
               && PyUnicode_CompareWithASCIIString (name, "pddt") == 0;
    PyErr_Clear ();
    Py_XDECREF (name);
    return ours;
}

static int
take_tool (void)
{
    static const int candidates[] = { 4, 3, 0, 5, 2, 1 };
    if (tool >= 0 && is_ours ())
        return 1;
    tool = -1;
    for (size_t i = 0; tool < 0 && i < sizeof candidates / sizeof candidates[0]; i++) {
        if (call_monitoring ("use_tool_id", Py_BuildValue ("(is)", candidates[i], "pddt")))
            tool = candidates[i];
    }
    for (int i = 0; tool >= 0 && i < N_EVENTS; i++)
        call_monitoring ("register_callback",
                         Py_BuildValue ("(iiO)", tool, bits[i], callbacks[i]));
    return tool >= 0;
}

static void
set_global (int mask)
{
    if (mask != global_mask)
        call_monitoring ("set_events", Py_BuildValue ("(ii)", tool, mask));
    global_mask = mask;
}

static void
set_local (PyObject *code, int mask)
{
    call_monitoring ("set_local_events", Py_BuildValue ("(iOi)", tool, code, mask));
}

/* ---- choosing the events ---- */

static int
find_global_mask (void)
{
    int mask = 0;
    if (agent_watch.needs_codes)
        mask |= bits[START];
    if (agent_watch.has_catches)
        mask |= bits[RAISE];
    if (agent_watch.wants_lines)
        mask |= bits[LINE] | bits[JUMP];
    if (agent_motion.command != PDDT_COMMAND_NONE)
        mask |= bits[UNWIND];
    if (agent_motion.command == PDDT_COMMAND_STEP)
        mask |= bits[LINE] | bits[JUMP] | bits[RETURN] | bits[YIELD];
    if (mask & bits[LINE] && is_line_by_start ())
        mask |= bits[START];
    return mask;
}

static void
add_local (Local *table, size_t *count, PyObject *code, int mask)
{
    for (size_t i = 0; i < *count; i++) {
        if (table[i].code == code) {
            table[i].mask |= mask;
            return;
        }
    }
    Py_INCREF (code);
    table[*count].code = code;
    table[(*count)++].mask = mask;
}

static void
add_motion (Local *table, size_t *count, PyObject *code)
{
    int mask = bits[RETURN] | bits[YIELD];
    if (code == NULL || agent_motion.command == PDDT_COMMAND_NONE)
        return;
    if (agent_motion.command != PDDT_COMMAND_FINISH)
        mask |= bits[LINE] | bits[JUMP];
    else if (agent_motion.has_arrived)
        mask |= bits[INSTRUCTION];
    add_local (table, count, code, mask);
}

static Local *
list_locals (size_t *ret_count)
{
    size_t n_sites;
    const AgentSite *sites = agent_events_get_sites (&n_sites);
    Local *table = calloc (n_sites + 2, sizeof *table);
    *ret_count = 0;
    for (size_t i = 0; table != NULL && i < n_sites; i++)
        add_local (table, ret_count, sites[i].code,
                   bits[LINE] | (sites[i].at_entry ? bits[START] : bits[JUMP])
                       | (is_line_by_start () ? bits[START] : 0));
    if (table != NULL) {
        add_motion (table, ret_count, agent_motion.code);
        add_motion (table, ret_count, agent_motion.other_code);
    }
    return table;
}

static int
find_old_mask (const PyObject *code)
{
    for (size_t i = 0; i < n_locals; i++) {
        if (locals[i].code == code)
            return locals[i].mask;
    }
    return 0;
}

/* A place that was disabled reports again only after its events, including the global ones,
 * were off for a moment. */
static void
apply (Local *table, size_t count, int mask, int must_refresh)
{
    int has_begun = 0;
    for (size_t i = 0; i < n_locals; i++) {
        int is_kept = 0;
        for (size_t k = 0; k < count && !is_kept; k++)
            is_kept = table[k].code == locals[i].code;
        if (!is_kept)
            set_local (locals[i].code, 0);
    }
    for (size_t i = 0; i < count; i++) {
        if (!must_refresh && find_old_mask (table[i].code) == table[i].mask)
            continue;
        if (!has_begun)
            set_global (mask & ~(bits[LINE] | bits[JUMP] | bits[START]));
        has_begun = 1;
        set_local (table[i].code, 0);
        set_local (table[i].code, table[i].mask);
    }
    set_global (mask);
}

int
agent_monitor_arm (void)
{
    static int had_motion;
    size_t count = 0;
    int has_motion = agent_motion.command != PDDT_COMMAND_NONE || agent_watch.wants_lines;
    uint64_t key = agent_events_get_generation ();
    Local *table;
    if (!look_up () || !take_tool () || (table = list_locals (&count)) == NULL)
        return 0;
    apply (table, count, find_global_mask (), key != sites_key || (has_motion && !had_motion));
    for (size_t i = 0; i < n_locals; i++)
        Py_DECREF (locals[i].code);
    free (locals);
    locals = table;
    n_locals = count;
    sites_key = key;
    had_motion = has_motion;
    return 1;
}

void
agent_monitor_disarm (void)
{
    if (monitoring == NULL || tool < 0)
        return;
    if (is_ours ()) {
        for (size_t i = 0; i < n_locals; i++)
            set_local (locals[i].code, 0);
        set_global (0);
        for (int i = 0; i < N_EVENTS; i++)
            call_monitoring ("register_callback",
                             Py_BuildValue ("(iiO)", tool, bits[i], Py_None));
        call_monitoring ("free_tool_id", Py_BuildValue ("(i)", tool));
    }
    for (size_t i = 0; i < n_locals; i++)
        Py_DECREF (locals[i].code);
    n_locals = 0;
    sites_key = 0;
    global_mask = 0;
    tool = -1;
}
