/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The module pddt_agent: the exported mailbox, the stop function on which the engine has its
 * trap, and the conversation with the engine during a stop. pddt_support.py handles values,
 * places and conditions; events.c handles events. */
#include "agent/private.h"
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT struct pddt_mailbox pddt_mailbox = {
    .magic = PDDT_MAILBOX_MAGIC,
    .version = PDDT_MAILBOX_VERSION,
    .size = sizeof (struct pddt_mailbox),
    .stop_on_uncaught = 1,
    .just_my_code = 1,
};

static __thread uint32_t own_tid;
static __thread int busy; /* depth */
static __thread char staged_text[sizeof pddt_mailbox.text];
static __thread size_t staged_size;
static uint32_t conversing_tid;         /* the thread that is inside agent_stop; 0: none */
static unsigned long conversing_thread; /* the same thread, as Python identifies it */
/* at EXCEPTION: a list of (frame, line); otherwise NULL */
static PyObject *trace_frames;
static PyObject *plain_breakpointhook;
static int take_request (void *unused);
PyMODINIT_FUNC PyInit_pddt_agent (void);

/* The engine plants its trap on the first instruction. That is a nop of one byte, so the thread
 * can resume behind it without a single step. */
EXPORT __attribute__ ((noinline, noipa, aligned (16))) void
pddt_python_stop (struct pddt_mailbox *mailbox)
{
    __asm__ volatile("nop" : : "r"(mailbox) : "memory");
}
uint32_t
agent_get_tid (void)
{
    if (own_tid == 0)
        own_tid = (uint32_t) syscall (SYS_gettid);
    return own_tid;
}

int
agent_is_busy_here (void)
{
    return busy > 0;
}

void
agent_enter (void)
{
    busy++;
    agent_watch.n_busy++;
}

static void ask_again (void);

void
agent_leave (void)
{
    busy--;
    agent_watch.n_busy--;
    if (busy == 0 && pddt_mailbox.request != 0 && pddt_mailbox.attached)
        ask_again ();
}

void
agent_wait_for_others (void)
{
    while (conversing_tid != 0 && conversing_tid != agent_get_tid ()) {
        struct timespec pause = { 0, 1000000 };
        PyThreadState *state = PyEval_SaveThread ();
        nanosleep (&pause, NULL);
        PyEval_RestoreThread (state);
    }
}

void
agent_set_text (const char *text, Py_ssize_t size)
{
    size_t room = sizeof staged_text - 1;
    staged_size = size < 0 ? 0 : (size_t) size < room ? (size_t) size : room;
    memcpy (staged_text, text, staged_size);
}

void
agent_set_text_of (PyObject *text)
{
    PyObject *bytes = text != NULL && PyUnicode_Check (text)
                          ? PyUnicode_AsEncodedString (text, "utf-8", "replace")
                          : NULL;
    char *data = NULL;
    Py_ssize_t size = 0;
    if (bytes != NULL && PyBytes_AsStringAndSize (bytes, &data, &size) == 0)
        agent_set_text (data, size);
    else
        agent_set_text ("", 0);
    Py_XDECREF (bytes);
    PyErr_Clear ();
}

/* Copies a str attribute (or the str itself if name is NULL) as UTF-8, truncated to fit. */
static void
copy_text (PyObject *object, const char *name, char *to, size_t size)
{
    PyObject *text = name != NULL ? PyObject_GetAttrString (object, name) : object;
    PyObject *bytes = NULL;
    char *data = NULL;
    Py_ssize_t length = 0;
    to[0] = '\0';
    if (text != NULL && PyUnicode_Check (text))
        bytes = PyUnicode_AsEncodedString (text, "utf-8", "surrogateescape");
    if (bytes != NULL && PyBytes_AsStringAndSize (bytes, &data, &length) == 0) {
        if ((size_t) length >= size)
            length = (Py_ssize_t) size - 1;
        memcpy (to, data, (size_t) length);
        to[length] = '\0';
    }
    PyErr_Clear ();
    Py_XDECREF (bytes);
    if (name != NULL)
        Py_XDECREF (text);
}

static void
fill_place (PyObject *frame, int line)
{
    struct pddt_mailbox *box = &pddt_mailbox;
    box->frame = (uint64_t) (uintptr_t) frame;
    box->line = 0;
    box->function[0] = box->file[0] = '\0';
    PyObject *code = frame != NULL ? agent_frame_get_code (frame) : NULL;
    if (code == NULL) {
        PyErr_Clear ();
        return;
    }
    box->line = line > 0 ? (uint32_t) line : agent_frame_get_line (frame);
    copy_text (code, "co_qualname", box->function, sizeof box->function);
    if (box->function[0] == '\0')
        copy_text (code, "co_name", box->function, sizeof box->function);
    PyObject *name = PyObject_GetAttrString (code, "co_filename");
    PyObject *paths = name != NULL && agent_support != NULL
                          ? PyObject_CallMethod (agent_support, "get_paths", "O", name)
                          : NULL;
    if (paths != NULL && PyTuple_Check (paths) && PyTuple_Size (paths) == 2)
        copy_text (PyTuple_GetItem (paths, 0), NULL, box->file, sizeof box->file);
    PyErr_Clear ();
    Py_XDECREF (paths);
    Py_XDECREF (name);
    Py_DECREF (code);
}

/* ---- commands ---- */

/* Frame number `index`, counted from the innermost. A new reference, or NULL. */
static PyObject *
find_frame (PyObject *frame, uint32_t index)
{
    if (trace_frames != NULL && index < (uint32_t) PyList_Size (trace_frames)) {
        PyObject *found = PyTuple_GetItem (PyList_GetItem (trace_frames, index), 0);
        Py_XINCREF (found);
        return found;
    }
    Py_XINCREF (frame);
    while (frame != NULL && index > 0) {
        PyObject *back = agent_frame_get_back (frame);
        Py_DECREF (frame);
        frame = back;
        index--;
    }
    return frame;
}

static PyObject *
list_frames (PyObject *frame)
{
    if (trace_frames != NULL) {
        Py_INCREF (trace_frames);
        return trace_frames;
    }
    PyObject *list = PyList_New (0);
    Py_XINCREF (frame);
    while (frame != NULL && list != NULL) {
        PyObject *pair = Py_BuildValue ("(OI)", frame, agent_frame_get_line (frame));
        if (pair != NULL)
            PyList_Append (list, pair);
        Py_XDECREF (pair);
        PyObject *back = agent_frame_get_back (frame);
        Py_DECREF (frame);
        frame = back;
    }
    return list;
}

static const char *
take_word (const char **at, const char *end)
{
    const char *word = *at;
    const char *nul = word < end ? memchr (word, '\0', (size_t) (end - word)) : NULL;
    if (nul == NULL)
        return "";
    *at = nul + 1;
    return word;
}

static PyObject *
set_breakpoint (const char *method)
{
    struct pddt_mailbox_breakpoint point;
    const char *at = pddt_mailbox.in + sizeof point;
    const char *end = pddt_mailbox.in + sizeof pddt_mailbox.in;
    memcpy (&point, pddt_mailbox.in, sizeof point);
    const char *words[4];
    for (int i = 0; i < 4; i++)
        words[i] = take_word (&at, end);
    return PyObject_CallMethod (agent_support, method, "IIKIIKssss", point.number, point.line,
                                (unsigned long long) point.every, point.temporary,
                                point.enabled, (unsigned long long) point.thread, words[0],
                                words[1], words[2], words[3]);
}

static PyObject *
call_for_frame (PyObject *innermost, const char *method, int has_text)
{
    PyObject *frame = find_frame (innermost, pddt_mailbox.command_frame);
    PyObject *answer = NULL;
    if (frame == NULL)
        PyErr_SetString (PyExc_LookupError, "no such Python frame");
    else if (has_text)
        answer = PyObject_CallMethod (agent_support, method, "sO", pddt_mailbox.in, frame);
    else
        answer = PyObject_CallMethod (agent_support, method, "O", frame);
    Py_XDECREF (frame);
    return answer;
}

static PyObject *
list_stack (PyObject *frame)
{
    PyObject *frames = list_frames (frame);
    PyObject *answer = frames != NULL
                           ? PyObject_CallMethod (agent_support, "list_stack", "O", frames)
                           : NULL;
    Py_XDECREF (frames);
    return answer;
}

/* Executes a command. Returns (status, bytes); NULL with an exception set if it failed, NULL
 * without one if the command is unknown. */
static PyObject *
run_command (PyObject *frame)
{
    struct pddt_mailbox *box = &pddt_mailbox;
    box->in[sizeof box->in - 1] = '\0';
    PyObject *done = PyObject_CallMethod (agent_support, "set_limits", "III", box->limit_depth,
                                          box->limit_items, box->limit_bytes);
    if (done == NULL)
        return NULL; /* interrupted already */
    Py_DECREF (done);
    switch (box->command) {
    case PDDT_COMMAND_EVAL: return call_for_frame (frame, "evaluate", 1);
    case PDDT_COMMAND_EXEC: return call_for_frame (frame, "run", 1);
    case PDDT_COMMAND_LOCALS: return call_for_frame (frame, "list_locals", 0);
    case PDDT_COMMAND_GLOBALS: return call_for_frame (frame, "list_globals", 0);
    case PDDT_COMMAND_STACK: return list_stack (frame);
    case PDDT_COMMAND_SET_BREAKPOINT: return set_breakpoint ("set_breakpoint");
    case PDDT_COMMAND_CATCH: return set_breakpoint ("catch_exception");
    case PDDT_COMMAND_DELETE_BREAKPOINT:
        return PyObject_CallMethod (agent_support, "delete_breakpoint", "I",
                                    box->command_number);
    case PDDT_COMMAND_ENABLE_BREAKPOINT:
    case PDDT_COMMAND_DISABLE_BREAKPOINT:
        return PyObject_CallMethod (agent_support, "enable_breakpoint", "Ii",
                                    box->command_number,
                                    box->command == PDDT_COMMAND_ENABLE_BREAKPOINT);
    case PDDT_COMMAND_PLACES:
        return PyObject_CallMethod (agent_support, "list_places", "I", box->command_number);
    case PDDT_COMMAND_SOURCE:
        return PyObject_CallMethod (agent_support, "find_source", "sIO", box->in,
                                    box->command_number, frame != NULL ? frame : Py_None);
    case PDDT_COMMAND_CANCEL_STEP: agent_motion_cancel (); return Py_BuildValue ("(iy)", 0, "");
    default: return NULL;
    }
}

static void
answer_command (PyObject *frame)
{
    struct pddt_mailbox *box = &pddt_mailbox;
    uint32_t id = box->command_id; /* meanwhile the thread may be asked something else */
    PyObject *answer = run_command (frame), *bytes = NULL;
    char *data = NULL;
    Py_ssize_t size = 0;
    int status = -1;
    box->out_size = 0;
    if (answer != NULL && PyArg_ParseTuple (answer, "iO", &status, &bytes)
        && PyBytes_AsStringAndSize (bytes, &data, &size) == 0) {
        if ((size_t) size > sizeof box->out)
            size = (Py_ssize_t) sizeof box->out;
        memcpy (box->out, data, (size_t) size);
        box->out_size = (uint32_t) size;
    } else {
        PyObject *type, *value, *trace;
        PyErr_Fetch (&type, &value, &trace);
        PyObject *text = value != NULL ? PyObject_Str (value) : NULL;
        status = -1;
        copy_text (text != NULL ? text : Py_None, NULL, box->out, sizeof box->out);
        box->out_size = (uint32_t) strlen (box->out) + 1;
        Py_XDECREF (text);
        Py_XDECREF (type);
        Py_XDECREF (value);
        Py_XDECREF (trace);
    }
    PyErr_Clear ();
    Py_XDECREF (answer);
    box->status = status;
    box->answer_id = id;
    box->event = PDDT_EVENT_ANSWER;
}

static int
is_motion (uint32_t command)
{
    return command <= PDDT_COMMAND_FINISH;
}

static void
converse (PyObject *frame)
{
    struct pddt_mailbox *box = &pddt_mailbox;
    int has_evaluated = 0;
    for (;;) {
        box->command = PDDT_COMMAND_CONTINUE;
        box->command_count = 1;
        box->command_frame = 0;
        pddt_python_stop (box);
        if (!box->attached || is_motion (box->command))
            break;
        has_evaluated |= box->command == PDDT_COMMAND_EVAL;
        answer_command (frame);
    }
    if (has_evaluated)
        Py_XDECREF (PyObject_CallMethod (agent_support, "release", NULL));
    PyErr_Clear ();
}

void
agent_stop (uint32_t event, uint32_t number, PyObject *frame)
{
    struct pddt_mailbox *box = &pddt_mailbox;
    if (!box->attached)
        return;
    agent_wait_for_others ();
    agent_enter ();
    uint32_t previous = conversing_tid;
    conversing_tid = agent_get_tid ();
    conversing_thread = agent_get_thread ();
    box->event = event;
    box->number = number;
    box->tid = agent_get_tid ();
    box->python_sp = (uint64_t) (uintptr_t) __builtin_frame_address (0);
    box->is_selected_by_traceback = trace_frames != NULL;
    if (event != PDDT_EVENT_EXCEPTION) {
        fill_place (frame, 0);
        box->own_frame = 0;
    }
    memcpy (box->text, staged_text, staged_size);
    memset (box->text + staged_size, 0, sizeof box->text - staged_size);
    staged_size = 0;
    converse (frame);
    if (agent_audit_take_missed () && agent_watch.is_pending) {
        uint32_t command = box->command, count = box->command_count,
                 chosen = box->command_frame;
        agent_events_look_again (frame);
        box->command = command;
        box->command_count = count;
        box->command_frame = chosen;
    }
    conversing_tid = previous;
    agent_leave ();
    int keeps_motion = event == PDDT_EVENT_LOG || event == PDDT_EVENT_NOTICE
                       || event == PDDT_EVENT_SYNC;
    if (!keeps_motion || box->command != PDDT_COMMAND_CONTINUE) {
        PyObject *chosen = find_frame (frame, box->command_frame);
        agent_motion_begin (chosen, box->command, box->command_count);
        Py_XDECREF (chosen);
    }
}

/* ---- requests from outside ---- */

/* Ends an evaluation that takes too long with an exception that `except Exception` does not
 * catch. */
static int
interrupt_evaluation (void)
{
    PyObject *kind = PyObject_CallMethod (agent_support, "get_interruption", NULL);
    int is_here = conversing_tid == agent_get_tid ();
    if (kind != NULL && is_here)
        PyErr_Format (kind, "no answer in %u s, interrupted", (unsigned) pddt_mailbox.limit_s);
    else if (kind != NULL && conversing_thread != 0)
        PyThreadState_SetAsyncExc (conversing_thread, kind);
    Py_XDECREF (kind);
    return kind != NULL && is_here ? -1 : 0;
}

/* Begins a motion in a running thread: at once if that is the current thread, otherwise at the
 * other thread's next line. */
static void
take_pause (void)
{
    uint32_t tid = pddt_mailbox.request_tid, command = pddt_mailbox.request_command;
    PyObject *frame = agent_get_frame ();
    if (tid == agent_get_tid () && frame != NULL && command != PDDT_COMMAND_NONE) {
        PyObject *chosen = find_frame (frame, pddt_mailbox.request_frame);
        agent_motion_begin_outside (chosen != NULL ? chosen : frame, command);
        Py_XDECREF (chosen);
    } else {
        agent_events_want_pause (tid);
    }
}

/* Makes the agent report READY if it was loaded while no engine was listening. */
static void
begin_late (void)
{
    if (!pddt_mailbox.started && agent_support != NULL) {
        Py_XDECREF (PyObject_CallMethod (agent_support, "ready", NULL));
        PyErr_Clear ();
    }
}

void
agent_stop_here (void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch (&type, &value, &trace);
    begin_late ();
    agent_stop (PDDT_EVENT_ARRIVED, 0, agent_get_frame ());
    agent_events_update ();
    PyErr_Restore (type, value, trace);
}

static int
take_request (void *unused)
{
    uint32_t request = __atomic_exchange_n (&pddt_mailbox.request, 0, __ATOMIC_ACQ_REL);
    int is_interruption = pddt_mailbox.attached && request & PDDT_REQUEST_INTERRUPT
                          && conversing_tid != 0;
    request &= ~(uint32_t) PDDT_REQUEST_INTERRUPT;
    if (is_interruption && request != 0)
        __atomic_fetch_or (&pddt_mailbox.request, request,
                           __ATOMIC_ACQ_REL); /* for agent_leave */
    if (is_interruption)
        return interrupt_evaluation ();
    if (pddt_mailbox.attached && agent_is_busy_here ())
        __atomic_fetch_or (&pddt_mailbox.request, request,
                           __ATOMIC_ACQ_REL); /* agent_leave asks again */
    if (!pddt_mailbox.attached || agent_is_busy_here ())
        return 0;
    PyObject *type, *value, *trace;
    PyErr_Fetch (&type, &value, &trace);
    agent_trace_suspend ();
    begin_late ();
    if (request & PDDT_REQUEST_PAUSE)
        take_pause ();
    if (request & PDDT_REQUEST_SYNC)
        agent_stop (PDDT_EVENT_SYNC, 0, agent_get_frame ());
    if (request & PDDT_REQUEST_ARRIVE && agent_get_tid () != (uint32_t) getpid ())
        __atomic_fetch_or (&pddt_mailbox.request, PDDT_REQUEST_ARRIVE, __ATOMIC_ACQ_REL);
    else if (request & PDDT_REQUEST_ARRIVE)
        agent_stop_here ();
    agent_events_update ();
    PyErr_Restore (type, value, trace);
    return 0;
}

/* Makes some thread take the request. Returns FALSE if that would mean waiting although
 * may_wait is 0. */
static int
ask (int may_wait)
{
    /* While a pending call waits that only another thread may take, CPython 3.11 starts a
     * traced function again and again. So the trace function takes the request itself, in any
     * thread. */
    uint32_t request = pddt_mailbox.request;
    int is_for_main = (request & PDDT_REQUEST_ARRIVE) != 0;
    int is_plain = !(request & PDDT_REQUEST_INTERRUPT);
    if (is_plain && agent_trace_rouse (is_for_main))
        return 1;
    if (!may_wait && !agent_api_may_add_pending ())
        return 0;
    if (!is_plain || is_for_main || !agent_api_add_pending (take_request))
        (void) Py_AddPendingCall (take_request,
                                  NULL); /* too many: one of them takes the request */
    return 1;
}

/* The caller is a running thread, so a thread that holds a lock needed here is running too. */
static void
ask_again (void)
{
    (void) ask (1);
}

/* The engine makes a stopped thread run this while all other threads stand still. So it takes
 * no GIL, allocates no memory and waits for nothing: if a thread were pulled out of a wait for
 * one of 3.13's mutexes, an entry on its stack would stay in the queue of waiters and crash the
 * next thread that walks it. Returns 0 or PDDT_WAKE_LATER. */
EXPORT int
pddt_agent_wake (void)
{
    return ask (0) ? 0 : PDDT_WAKE_LATER;
}

void
agent_take_request (void)
{
    take_request (NULL);
}

/* A child of fork has no engine unless the engine follows it, and must never run into the trap
 * at the stop. */
static void
forget_engine (void)
{
    if (pddt_mailbox.followed_pid != (uint32_t) getpid ())
        pddt_mailbox.attached = 0;
    pddt_mailbox.followed_pid = 0;
    conversing_tid = 0;
    own_tid = 0;
}

/* os.fork calls this in the child once the interpreter works again. The engine sends the
 * breakpoints again, or the agent looks for nothing any more. */
static PyObject *
after_fork (PyObject *self, PyObject *unused)
{
    agent_enter ();
    agent_motion_cancel ();
    agent_stop (PDDT_EVENT_SYNC, 0, agent_get_frame ());
    agent_events_update ();
    agent_leave ();
    Py_RETURN_NONE;
}

/* ---- the module ---- */

static PyObject *
begin (PyObject *self, PyObject *support)
{
    Py_INCREF (support);
    Py_XDECREF (agent_support);
    agent_support = support;
    pddt_mailbox.is_loaded = 1;
    Py_RETURN_NONE;
}

static PyObject *
ready (PyObject *self, PyObject *unused)
{
    if (!pddt_mailbox.attached)
        Py_RETURN_NONE;
    agent_enter ();
    agent_stop (PDDT_EVENT_READY, 0, NULL);
    pddt_mailbox.started = 1;
    if (pddt_mailbox.stop_at_entry)
        agent_events_want_entry ();
    agent_events_update ();
    agent_leave ();
    take_request (NULL); /* the engine may have left a request during the stop */
    Py_RETURN_NONE;
}

static PyObject *
is_attached (PyObject *self, PyObject *unused)
{
    return PyBool_FromLong (pddt_mailbox.attached != 0);
}

/* exception (frames, type, message, own frame, file, line): stops with an uncaught exception.
 * frames is a list of (frame, line), innermost first; file and line are used if none of the
 * frames is the user's (syntax errors). */
static PyObject *
stop_with_exception (PyObject *self, PyObject *arguments)
{
    PyObject *frames, *file;
    const char *type, *message;
    Py_ssize_t type_size, message_size;
    unsigned own;
    int line;
    if (!PyArg_ParseTuple (arguments, "Os#s#IUi", &frames, &type, &type_size, &message,
                           &message_size, &own, &file, &line))
        return NULL;
    if (!pddt_mailbox.attached || !pddt_mailbox.stop_on_uncaught)
        Py_RETURN_NONE;
    char text[4096];
    size_t limit = sizeof text - 2;
    size_t n = (size_t) type_size < limit / 2 ? (size_t) type_size : limit / 2;
    size_t m = (size_t) message_size < limit / 2 ? (size_t) message_size : limit / 2;
    memcpy (text, type, n);
    text[n] = '\0';
    memcpy (text + n + 1, message, m);
    agent_set_text (text, (Py_ssize_t) (n + 1 + m));
    PyObject *innermost = NULL;
    if (own < (unsigned) PyList_Size (frames)) {
        PyObject *pair = PyList_GetItem (frames, own);
        innermost = PyTuple_GetItem (pair, 0);
        fill_place (innermost, (int) PyLong_AsLong (PyTuple_GetItem (pair, 1)));
        PyErr_Clear (); /* None: no line */
        trace_frames = frames;
    } else {
        fill_place (NULL, 0);
        copy_text (file, NULL, pddt_mailbox.file, sizeof pddt_mailbox.file);
        memcpy (pddt_mailbox.function, "<module>", sizeof "<module>");
        pddt_mailbox.line = (uint32_t) line;
    }
    pddt_mailbox.own_frame = own;
    agent_enter ();
    agent_stop (PDDT_EVENT_EXCEPTION, 0, innermost);
    trace_frames = NULL;
    agent_motion_cancel ();
    agent_events_update ();
    agent_leave ();
    PyErr_Clear ();
    Py_RETURN_NONE;
}

static PyObject *
on_breakpoint_call (PyObject *self, PyObject *arguments, PyObject *names)
{
    if (!pddt_mailbox.attached) {
        return plain_breakpointhook != NULL
                   ? PyObject_Call (plain_breakpointhook, arguments, names)
                   : Py_BuildValue ("");
    }
    agent_stop (PDDT_EVENT_BREAK_CALL, 0, agent_get_frame ());
    agent_events_update ();
    Py_RETURN_NONE;
}

static PyObject *
locals_to_fast (PyObject *self, PyObject *frame)
{
    agent_frame_locals_to_fast (frame);
    PyErr_Clear ();
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    { "begin", begin, METH_O, NULL },
    { "ready", ready, METH_NOARGS, NULL },
    { "after_fork", after_fork, METH_NOARGS, NULL },
    { "attached", is_attached, METH_NOARGS, NULL },
    { "set_sites", agent_events_set_sites, METH_VARARGS, NULL },
    { "get_hits", agent_events_get_hits, METH_O, NULL },
    { "check_fast", agent_check_fast, METH_VARARGS, NULL },
    { "list_frames", agent_list_frames, METH_NOARGS, NULL },
    { "count_frames", agent_hook_count_frames, METH_VARARGS, NULL },
    { "run", pddt_run_outermost, METH_VARARGS, NULL },
    { "exception", stop_with_exception, METH_VARARGS, NULL },
    { "breakpointhook", (PyCFunction) (void (*) (void)) on_breakpoint_call,
      METH_VARARGS | METH_KEYWORDS, NULL },
    { "locals_to_fast", locals_to_fast, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT,
                                         "pddt_agent",
                                         "pddt's part in a Python program.",
                                         -1,
                                         methods,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL };

PyMODINIT_FUNC
PyInit_pddt_agent (void)
{
    if (!agent_api_init ())
        return NULL;
    PyObject *module = PyModule_Create (&definition);
    if (module != NULL && (!agent_events_init (module) || !agent_trace_init ()))
        Py_CLEAR (module);
    plain_breakpointhook = PySys_GetObject ("breakpointhook");
    Py_XINCREF (plain_breakpointhook);
    agent_here_init ();
    if (module != NULL)
        pthread_atfork (NULL, NULL, forget_engine);
    return module;
}
