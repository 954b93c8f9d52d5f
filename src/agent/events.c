/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which line of which code object has a breakpoint and whether a hit counts; handles
 * new code, pause and entry. monitor.c or trace.c deliver the events; motion.c decides where a
 * step ends. */
#include "agent/private.h"
#include <stdlib.h>
#include <string.h>

#define ROOM 300 /* calls */

typedef struct {
    uint32_t number, tid; /* tid: as in the mailbox */
    uint64_t every, hits;
    int has_condition, has_log, is_temporary;
} Breakpoint;

PyObject *agent_support;
AgentWatch agent_watch;
static size_t n_sites;
static uint64_t generation = 1;
static Breakpoint *breakpoints;
static size_t n_breakpoints;
static PyObject *seen; /* code objects passed to on_code, by address; for trace.c only */
static int wants_entry, wants_pause, has_told_of_other;
static uint32_t pause_tid;

int
agent_events_init (PyObject *module)
{
    for (size_t i = 0; i < AGENT_BUCKETS; i++)
        agent_watch.buckets[i] = -1;
    seen = PyDict_New ();
    return seen != NULL;
}

int
agent_take_truth (PyObject *result)
{
    int truth = result != NULL && PyObject_IsTrue (result) == 1;
    Py_XDECREF (result);
    PyErr_Clear ();
    return truth;
}

static void
note_wants (void)
{
    agent_watch.wants_lines = wants_entry || wants_pause;
}

void
agent_events_want_entry (void)
{
    wants_entry = 1;
    note_wants ();
}

void
agent_events_want_pause (uint32_t tid)
{
    wants_pause = 1;
    pause_tid = tid;
    note_wants ();
}

PyObject *
agent_event_get_frame (AgentEvent *event)
{
    if (event->frame == NULL)
        event->frame = agent_get_frame ();
    return event->frame;
}

/* ---- sites ---- */

const AgentSite *
agent_events_get_sites (size_t *ret_count)
{
    *ret_count = n_sites;
    return agent_watch.sites;
}

uint64_t
agent_events_get_generation (void)
{
    return generation;
}

static void
forget_seen (void)
{
    memset (agent_watch.seen, 0, sizeof agent_watch.seen);
    PyDict_Clear (seen);
}

static Breakpoint *
find_breakpoint (uint32_t number)
{
    for (size_t i = 0; i < n_breakpoints; i++) {
        if (breakpoints[i].number == number)
            return &breakpoints[i];
    }
    return NULL;
}

static int
read_points (PyObject *list)
{
    Py_ssize_t n = PyList_Size (list);
    Breakpoint *table = n >= 0 ? calloc ((size_t) n + 1, sizeof *table) : NULL;
    size_t count = 0;
    if (table == NULL)
        return 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        Breakpoint *breakpoint = &table[count], *old;
        unsigned long long every, tid;
        if (!PyArg_ParseTuple (PyList_GetItem (list, i), "IKKppp", &breakpoint->number, &every,
                               &tid, &breakpoint->has_condition, &breakpoint->has_log,
                               &breakpoint->is_temporary)) {
            PyErr_Clear ();
            continue;
        }
        breakpoint->every = every;
        breakpoint->tid = (uint32_t) tid;
        old = find_breakpoint (breakpoint->number);
        /* a count from a hit on begins anew */
        breakpoint->hits
            = old != NULL && (old->every == every || (every & PDDT_MAILBOX_EVERY_FROM) == 0)
                  ? old->hits
                  : 0;
        count++;
    }
    free (breakpoints);
    breakpoints = table;
    n_breakpoints = count;
    return 1;
}

static uint32_t
get_first_line (PyObject *code)
{
    PyObject *first = PyObject_GetAttrString (code, "co_firstlineno");
    long line = first != NULL ? PyLong_AsLong (first) : 0;
    Py_XDECREF (first);
    PyErr_Clear ();
    return line > 0 ? (uint32_t) line : 0;
}

static void
read_sites (PyObject *list, AgentSite *table, size_t *ret_count)
{
    Py_ssize_t n = PyList_Size (list);
    size_t count = 0;
    for (size_t i = 0; i < AGENT_BUCKETS; i++)
        agent_watch.buckets[i] = -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        AgentSite *site = &table[count];
        PyObject *program;
        int is_fixed;
        if (!PyArg_ParseTuple (PyList_GetItem (list, i), "OIIiOpSp", &site->code, &site->line,
                               &site->number, &site->at_entry, &program, &is_fixed,
                               &site->passed, &site->is_first)) {
            PyErr_Clear ();
            continue;
        }
        Py_INCREF (site->code);
        Py_INCREF (site->passed);
        site->passed_bits = (const uint8_t *) PyBytes_AsString (site->passed);
        site->n_passed = (uint32_t) PyBytes_Size (site->passed) * 8;
        site->first_line = get_first_line (site->code);
        site->condition = agent_condition_new (program);
        site->is_plain = agent_condition_is_plain (site->condition, &site->index,
                                                   &site->compare, &site->value);
        site->is_fixed = site->is_plain && is_fixed;
        unsigned bucket = agent_hash_code (site->code) % AGENT_BUCKETS;
        site->next = agent_watch.buckets[bucket];
        agent_watch.buckets[bucket] = (int32_t) count++;
    }
    *ret_count = count;
}

/* set_sites (list of (code, line, number, kind, condition, is_fixed, passed, is_first), list of (number, every, tid,
 * has_condition, has_log, is_temporary), needs_codes (2: calls too), has_catches, needs_all) */
PyObject *
agent_events_set_sites (PyObject *self, PyObject *arguments)
{
    PyObject *list, *numbers;
    int codes, catches, all;
    if (!PyArg_ParseTuple (arguments, "O!O!ipp", &PyList_Type, &list, &PyList_Type, &numbers,
                           &codes, &catches, &all))
        return NULL;
    AgentSite *table = calloc ((size_t) PyList_Size (list) + 1, sizeof *table),
              *old = agent_watch.sites;
    size_t n_old = n_sites;
    if (table == NULL || !read_points (numbers)) {
        free (table);
        return PyErr_NoMemory ();
    }
    agent_watch.sites = table;
    read_sites (list, table, &n_sites);
    agent_watch.has_catches = catches;
    agent_watch.needs_all = all;
    agent_watch.is_pending = codes;
    agent_watch.needs_codes = codes != 0 && (!agent_audit_arm () || codes == 2);
    generation++;
    forget_seen ();
    for (size_t i = 0; i < n_old; i++) {
        agent_condition_free (old[i].condition);
        Py_DECREF (old[i].code);
        Py_DECREF (old[i].passed);
    }
    free (old);
    Py_RETURN_NONE;
}

PyObject *
agent_events_get_hits (PyObject *self, PyObject *number)
{
    const Breakpoint *breakpoint = find_breakpoint ((uint32_t) PyLong_AsUnsignedLong (number));
    PyErr_Clear ();
    return PyLong_FromUnsignedLongLong (breakpoint != NULL ? breakpoint->hits : 0);
}

/* ---- arming ---- */

static void
tell_of_other (void)
{
    const char *text
        = "the program has set a trace function of its own: Python breakpoints and steps do "
          "not work while it is set";
    if (has_told_of_other || !pddt_mailbox.started)
        return;
    has_told_of_other = 1;
    agent_set_text (text, (Py_ssize_t) strlen (text));
    agent_stop (PDDT_EVENT_NOTICE, 0, NULL);
}

void
agent_events_update (void)
{
    int wanted = pddt_mailbox.attached
                 && (agent_watch.needs_codes || agent_watch.has_catches || n_sites > 0
                     || wants_entry || wants_pause
                     || agent_motion.command != PDDT_COMMAND_NONE);
    PyObject *type, *value, *trace;
    PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    if (!wanted) {
        agent_monitor_disarm ();
        agent_trace_disarm ();
    } else if (agent_monitor_arm ()) {
        agent_trace_disarm ();
    } else if (!agent_trace_arm ()) {
        tell_of_other ();
    }
    agent_leave ();
    PyErr_Restore (type, value, trace);
}

/* ---- new code ---- */

static int
show_code (PyObject *code, PyObject *globals)
{
    PyObject *name = globals != NULL && PyDict_Check (globals)
                         ? PyDict_GetItemString (globals, "__name__")
                         : NULL;
    PyObject *empty = PyUnicode_FromString ("");
    int became_set
        = agent_take_truth (PyObject_CallMethod (agent_support, "on_code", "OO", code,
                                                 name != NULL && PyUnicode_Check (name)
                                                     ? name
                                                     : empty));
    Py_XDECREF (empty);
    return became_set;
}

static void
tell_places (PyObject *frame)
{
    agent_stop (PDDT_EVENT_SYNC, 0, frame != NULL ? frame : agent_get_frame ());
    agent_events_update ();
}

void
agent_events_show_code (PyObject *code, PyObject *frame)
{
    uint64_t before = generation;
    if (show_code (code, NULL))
        tell_places (frame);
    else if (generation != before)
        agent_events_update ();
    PyErr_Clear ();
}

void
agent_events_on_code (PyObject *code, PyObject *frame)
{
    PyObject *key = PyLong_FromVoidPtr (code);
    int is_known = key != NULL && PyDict_GetItem (seen, key) != NULL;
    uint64_t before = generation;
    if (key != NULL && !is_known) {
        if (PyDict_Size (seen) > 100000)
            forget_seen ();
        PyDict_SetItem (seen, key, code);
        int became_set = show_code (code, PyEval_GetGlobals ());
        /* set_sites has cleared the set; remember this code so that it is not shown again */
        if (PyDict_SetItem (seen, key, code) < 0)
            PyErr_Clear ();
        if (became_set)
            tell_places (frame);
        else if (generation != before)
            agent_events_update ();
    }
    if (key != NULL)
        agent_watch.seen[agent_hash_code (code) % AGENT_SEEN] = code;
    Py_XDECREF (key);
    PyErr_Clear ();
}

void
agent_events_look_again (PyObject *frame)
{
    if (agent_take_truth (PyObject_CallMethod (agent_support, "look_again", NULL)))
        agent_stop (PDDT_EVENT_SYNC, 0, frame);
}

/* ---- hits ---- */

typedef enum { HIT_NOT, HIT_STOP, HIT_LOGGED } Hit;

/* The text of the stop says why the condition could not be evaluated. */
static void
set_problem (uint32_t number)
{
    PyObject *type, *value, *trace, *text;
    PyErr_Fetch (&type, &value, &trace);
    PyErr_NormalizeException (&type, &value, &trace);
    text = PyObject_CallMethod (agent_support, "describe_problem", "IO", number,
                                value != NULL ? value : Py_None);
    agent_set_text_of (text);
    Py_XDECREF (text);
    Py_XDECREF (type);
    Py_XDECREF (value);
    Py_XDECREF (trace);
    PyErr_Clear ();
}

/* Evaluates the condition as Python code in the scope of the frame. */
static AgentTruth
ask_condition (uint32_t number, AgentEvent *event)
{
    PyObject *frame = agent_event_get_frame (event);
    PyObject *answer = frame != NULL ? PyObject_CallMethod (agent_support, "check_condition",
                                                            "IO", number, frame)
                                     : NULL;
    int truth = answer != NULL ? PyObject_IsTrue (answer) : -1;
    Py_XDECREF (answer);
    return truth < 0 ? AGENT_ERROR : truth ? AGENT_TRUE : AGENT_FALSE;
}

/* The condition of a frame that was about to begin. */
static __thread struct {
    void *data; /* NULL: none */
    uint32_t number;
    uint64_t generation;
    AgentTruth truth;
    PyObject *type, *value, *trace; /* strong: of an error */
} decided;
/* How many threads have one, at least: asking for its own costs as much as a small condition. */
static int n_decided;

static void
forget_decision (void)
{
    n_decided -= decided.data != NULL;
    decided.data = NULL;
    Py_CLEAR (decided.type);
    Py_CLEAR (decided.value);
    Py_CLEAR (decided.trace);
}

/* TRUE if the condition was decided when the event's frame began. */
static int
take_decision (uint32_t number, AgentEvent *event, AgentTruth *ret_truth)
{
    if (n_decided == 0 || decided.data == NULL || decided.number != number
        || decided.generation != generation || event->frame == NULL
        || agent_frame_get_data (event->frame) != decided.data)
        return 0;
    *ret_truth = decided.truth;
    if (decided.truth == AGENT_ERROR)
        PyErr_Restore (decided.type, decided.value, decided.trace);
    decided.type = decided.value = decided.trace = NULL;
    forget_decision ();
    return 1;
}

static AgentTruth
judge_condition (const AgentSite *site, uint32_t number, AgentEvent *event)
{
    AgentTruth truth = AGENT_UNKNOWN;
    if (site != NULL && take_decision (number, event, &truth))
        return truth;
    if (site != NULL && site->condition != NULL)
        truth = agent_condition_run (site->condition, event->code, event->frame);
    return truth == AGENT_UNKNOWN ? ask_condition (number, event) : truth;
}

static void
put_in_ring (uint32_t at, const void *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        pddt_mailbox.log[(at + i) % PDDT_MAILBOX_LOG_SIZE] = ((const char *) data)[i];
}

/* FALSE: there is no room in the ring. */
static int
append_log (uint32_t number, const char *text, size_t size)
{
    struct pddt_mailbox *box = &pddt_mailbox;
    struct pddt_mailbox_log head = { number, (uint32_t) size };
    uint32_t at = box->log_written,
             used = at - __atomic_load_n (&box->log_taken, __ATOMIC_ACQUIRE);
    if (used + sizeof head + size > PDDT_MAILBOX_LOG_SIZE)
        return 0;
    put_in_ring (at, &head, sizeof head);
    put_in_ring (at + (uint32_t) sizeof head, text, (uint32_t) size);
    __atomic_store_n (&box->log_written, at + (uint32_t) (sizeof head + size),
                      __ATOMIC_RELEASE);
    return 1;
}

void
agent_events_flush_log (PyObject *frame)
{
    if (pddt_mailbox.is_log_taken && pddt_mailbox.log_written != pddt_mailbox.log_taken)
        agent_stop (PDDT_EVENT_LOG, 0, frame);
}

static void
write_log (uint32_t number, PyObject *frame)
{
    PyObject *text = PyObject_CallMethod (agent_support, "make_log", "IO", number, frame);
    PyObject *bytes = text != NULL && PyUnicode_Check (text)
                          ? PyUnicode_AsEncodedString (text, "utf-8", "replace")
                          : NULL;
    char *data = "";
    Py_ssize_t size = 0;
    if (bytes != NULL && PyBytes_AsStringAndSize (bytes, &data, &size) != 0)
        size = 0;
    PyErr_Clear ();
    if (!pddt_mailbox.is_log_taken) {
        agent_set_text (data, size);
        agent_stop (PDDT_EVENT_LOG, number, frame);
    } else if (!append_log (number, data, (size_t) size)) {
        agent_events_flush_log (frame);
        append_log (number, data, (size_t) size);
    }
    Py_XDECREF (bytes);
    Py_XDECREF (text);
}

static void
drop_temporary (uint32_t number)
{
    Py_XDECREF (PyObject_CallMethod (agent_support, "delete_breakpoint", "I", number));
    PyErr_Clear ();
}

/* tid: as in Breakpoint. */
static int
is_for_this_thread (uint32_t tid)
{
    const struct pddt_mailbox_thread *awaited = pddt_mailbox.awaited;
    if (tid == 0 || tid == agent_get_tid ())
        return 1;
    for (size_t i = 0; tid & PDDT_MAILBOX_AWAITED && i < PDDT_MAILBOX_N_AWAITED; i++) {
        if (awaited[i].number == (tid & ~PDDT_MAILBOX_AWAITED) && awaited[i].number != 0)
            return awaited[i].tid == agent_get_tid ();
    }
    return 0;
}

static int
is_counted (uint64_t hits, uint64_t every)
{
    return (every & PDDT_MAILBOX_EVERY_FROM) != 0 ? hits >= (every & ~PDDT_MAILBOX_EVERY_FROM)
                                                  : every <= 1 || hits % every == 0;
}

static Hit
judge_hit (const AgentSite *site, uint32_t number, AgentEvent *event)
{
    Breakpoint *breakpoint = find_breakpoint (number);
    AgentTruth truth;
    if (breakpoint == NULL || !is_for_this_thread (breakpoint->tid))
        return HIT_NOT;
    truth = breakpoint->has_condition ? judge_condition (site, number, event) : AGENT_TRUE;
    if (truth == AGENT_FALSE)
        return HIT_NOT;
    breakpoint = find_breakpoint (number); /* the condition may have changed the breakpoints */
    if (breakpoint == NULL)
        return HIT_NOT;
    breakpoint->hits++;
    if (truth == AGENT_ERROR) {
        set_problem (number);
    } else if (!is_counted (breakpoint->hits, breakpoint->every)) {
        return HIT_NOT;
    }
    int has_log = breakpoint->has_log && truth == AGENT_TRUE,
        is_temporary = breakpoint->is_temporary;
    if (has_log)
        write_log (number, agent_event_get_frame (event));
    if (is_temporary)
        drop_temporary (number);
    return has_log ? HIT_LOGGED : HIT_STOP;
}

/* The lowest number of the breakpoints at this line that want to stop; 0: none does. */
static uint32_t
find_hit (AgentEvent *event, int is_entered)
{
    uint32_t lowest = 0;
    size_t n = 0;
    for (const AgentSite *site = agent_find_site (event->code, NULL); site != NULL;
         site = agent_find_site (event->code, site))
        n++;
    uint32_t matches[n + 1];
    n = 0;
    for (const AgentSite *site = agent_find_site (event->code, NULL); site != NULL;
         site = agent_find_site (event->code, site)) {
        if (site->at_entry ? is_entered : site->line == event->line)
            matches[n++] = (uint32_t) (site - agent_watch.sites);
    }
    for (size_t i = 0; i < n; i++) {
        /* a log or a condition may have changed the table */
        const AgentSite *site = matches[i] < n_sites ? &agent_watch.sites[matches[i]] : NULL;
        if (site == NULL || site->code != event->code)
            break;
        uint32_t number = site->number;
        if (judge_hit (site, number, event) == HIT_STOP && (lowest == 0 || number < lowest))
            lowest = number;
    }
    return lowest;
}

static inline int
compare (long number, int how, long wanted)
{
    switch (how) {
    case Py_LT: return number < wanted;
    case Py_LE: return number <= wanted;
    case Py_EQ: return number == wanted;
    case Py_NE: return number != wanted;
    case Py_GT: return number > wanted;
    default: return number >= wanted;
    }
}

/* TRUE if the site's condition only compares an int and is false. */
static inline int
is_plainly_false (const AgentSite *site, PyObject **fast)
{
    PyObject *value = site->is_plain && fast != NULL ? agent_get_fast (fast, site->index)
                                                     : NULL;
    long number;
    if (value == NULL || Py_TYPE (value) != &PyLong_Type || !agent_read_int (value, &number))
        return 0;
    return !compare (number, site->compare, site->value);
}

int
agent_events_is_never (const AgentSite *site, PyObject **fast)
{
    return site->is_fixed && is_plainly_false (site, fast);
}

int
agent_events_have_passed (PyObject *code, uint32_t line)
{
    const AgentSite *site = agent_find_site (code, NULL);
    uint32_t at = site != NULL ? line - site->first_line : 0;
    for (; site != NULL; site = agent_find_site (code, site)) {
        if (!site->at_entry
            && (at >= site->n_passed || (site->passed_bits[at / 8] >> at % 8 & 1) == 0))
            return 0;
    }
    return 1;
}

/* Takes over the exception of an error. */
static void
remember_decision (void *data, uint32_t number, AgentTruth truth)
{
    if (truth == AGENT_ERROR)
        PyErr_Fetch (&decided.type, &decided.value, &decided.trace);
    decided.truth = truth;
    decided.data = data;
    n_decided++;
    decided.number = number;
    decided.generation = generation;
}

int
agent_events_is_refused (const AgentSite *site, void *data, PyObject **fast, PyObject *globals,
                         PyObject *builtins, int is_traced)
{
    const Breakpoint *breakpoint = find_breakpoint (site->number);
    uint32_t number = site->number;
    PyObject *type = NULL, *value, *trace;
    if (agent_events_is_never (site, fast) || breakpoint == NULL
        || !is_for_this_thread (breakpoint->tid))
        return 1;
    if (site->condition == NULL || fast == NULL)
        return 0;
    if (PyErr_Occurred () != NULL)
        PyErr_Fetch (&type, &value, &trace);
    agent_enter ();
    if (n_decided != 0)
        forget_decision ();
    AgentTruth truth = agent_condition_run_early (site->condition, fast, globals, builtins);
    if (truth != AGENT_UNKNOWN && (truth != AGENT_FALSE || is_traced))
        remember_decision (data, number, truth);
    if (truth != AGENT_FALSE)
        PyErr_Clear ();
    agent_leave ();
    if (type != NULL)
        PyErr_Restore (type, value, trace);
    return truth == AGENT_FALSE;
}

AgentLineCheck
agent_events_check_line (PyObject *code, PyObject *frame, uint32_t line, int is_entered)
{
    AgentLineCheck check = AGENT_NO_BREAKPOINT;
    PyObject **fast = NULL;
    for (const AgentSite *site = agent_find_site (code, NULL); site != NULL;
         site = agent_find_site (code, site)) {
        if (site->at_entry ? !is_entered : site->line != line) {
            /* a function breakpoint: the line may be entered again later */
            check = site->at_entry && check == AGENT_NO_BREAKPOINT ? AGENT_NO_HIT : check;
            continue;
        }
        if (site->is_plain && fast == NULL)
            fast = agent_find_fast (code, frame);
        if (!is_plainly_false (site, fast))
            return AGENT_MAY_HIT;
        check = AGENT_NO_HIT;
    }
    return check;
}

static int
is_entry (AgentEvent *event)
{
    PyObject *frame = agent_event_get_frame (event);
    return frame != NULL
           && agent_take_truth (PyObject_CallMethod (agent_support, "is_entry", "O", frame));
}

static int
is_pause (AgentEvent *event)
{
    return wants_pause && (pause_tid == 0 || pause_tid == agent_get_tid ())
           && agent_motion_is_stoppable (event->code);
}

int
agent_events_on_line (AgentEvent *event, int is_entered)
{
    uint32_t number = agent_find_site (event->code, NULL) != NULL ? find_hit (event, is_entered)
                                                                  : 0;
    if (PyErr_Occurred () != NULL)
        PyErr_Clear ();
    if (wants_entry && is_entry (event)) {
        wants_entry = 0;
        note_wants ();
        agent_motion_cancel ();
        agent_stop (number != 0 ? PDDT_EVENT_BREAKPOINT : PDDT_EVENT_ENTRY, number,
                    event->frame);
    } else if (number != 0) {
        wants_pause = 0;
        note_wants ();
        agent_motion_cancel ();
        agent_stop (PDDT_EVENT_BREAKPOINT, number, agent_event_get_frame (event));
    } else if (is_pause (event)) {
        wants_pause = 0;
        note_wants ();
        agent_motion_cancel ();
        agent_stop (PDDT_EVENT_PAUSE, 0, agent_event_get_frame (event));
    } else if (agent_motion_is_end (event)) {
        agent_motion_stop (agent_event_get_frame (event));
    } else {
        return 0;
    }
    agent_events_update ();
    return 1;
}

/* Where the program's calls are as deep as they may be, the agent needs a few more of its own. */
static int
extend_recursion (PyObject *value)
{
    int limit = Py_GetRecursionLimit ();
    if (!PyErr_GivenExceptionMatches (value, PyExc_RecursionError))
        return 0;
    Py_SetRecursionLimit (limit + ROOM);
    return limit;
}

static void
tell_raised (AgentEvent *event, PyObject *value, PyObject *trace)
{
    PyObject *frame = agent_event_get_frame (event);
    PyObject *answer = frame != NULL ? PyObject_CallMethod (agent_support, "list_catches",
                                                            "OOO", value, trace, frame)
                                     : NULL;
    uint32_t lowest = 0;
    Py_ssize_t n = answer != NULL && PyList_Check (answer) ? PyList_Size (answer) : 0;
    PyErr_Clear ();
    for (Py_ssize_t i = 0; i < n; i++) {
        uint32_t number = (uint32_t) PyLong_AsUnsignedLong (PyList_GetItem (answer, i));
        if (judge_hit (NULL, number, event) == HIT_STOP && (lowest == 0 || number < lowest))
            lowest = number;
    }
    Py_XDECREF (answer);
    PyErr_Clear ();
    if (lowest != 0) {
        PyObject *text = PyObject_CallMethod (agent_support, "describe_exception", "O", value);
        agent_set_text_of (text);
        Py_XDECREF (text);
        PyErr_Clear ();
        agent_motion_cancel ();
        agent_stop (PDDT_EVENT_BREAKPOINT, lowest, frame);
        agent_events_update ();
    }
    if (n > 0) {
        Py_XDECREF (PyObject_CallMethod (agent_support, "forget_exception", NULL));
        PyErr_Clear ();
    }
}

void
agent_events_on_raise (AgentEvent *event, PyObject *value, PyObject *trace)
{
    int limit = extend_recursion (value);
    tell_raised (event, value, trace);
    if (limit != 0)
        Py_SetRecursionLimit (limit);
}
