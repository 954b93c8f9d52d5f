/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python itself, as a module that pddt opens with the first script. Knows CPython and the port's messages, and nothing of
 * pddt; what scripts see is written in Python, pddt.py and the files beside it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "script/port.h"
#include "script/sources.h"
#include <pthread.h>
#include <signal.h>

#define VISIBLE __attribute__ ((visibility ("default")))

static const ScriptPort *port;
static pthread_t thread;
static int is_running; /* the thread may be interrupted */

static ScriptMessage *kept; /* taken, and not yet told; NULL */

/* ---- _pddt: messages ---- */

/* What is no UTF-8 comes as escapes. */
static PyObject *
decode (const char *text)
{
    return text != NULL
               ? PyUnicode_DecodeUTF8 (text, (Py_ssize_t) strlen (text), "backslashreplace")
               : Py_NewRef (Py_None);
}

/* take(seconds) → (kind, id, text, text2, text3, number, data) or None */
static PyObject *
take (PyObject *self, PyObject *arguments)
{
    double seconds = -1;
    ScriptMessage *message;
    PyObject *tuple;

    if (!PyArg_ParseTuple (arguments, "|d", &seconds)) {
        return NULL;
    }
    if (!pthread_equal (pthread_self (), thread)) {
        PyErr_SetString (
            PyExc_RuntimeError,
            "pddt can be asked in the thread that runs scripts only, not in one that a script started");
        return NULL;
    }
    do {
        message = g_steal_pointer (&kept);
        if (message == NULL) {
            Py_BEGIN_ALLOW_THREADS message
                = port->take (seconds < 0 ? -1 : (gint64) (seconds * 1e6));
            Py_END_ALLOW_THREADS
        }
        if (PyErr_CheckSignals () != 0) {
            kept = message; /* for the next one */
            return NULL;
        }
        if (message != NULL && message->kind == SCRIPT_WAKE) {
            port->free (message);
            message = NULL;
            continue;
        }
        break;
    } while (TRUE);
    if (message == NULL) {
        Py_RETURN_NONE;
    }
    tuple
        = Py_BuildValue ("(iKNNNKy#)", (int) message->kind, message->id, decode (message->text),
                         decode (message->text2), decode (message->text3), message->number,
                         message->data != NULL
                             ? (const char *) g_bytes_get_data (message->data, NULL)
                             : "",
                         (Py_ssize_t) (message->data != NULL ? g_bytes_get_size (message->data)
                                                             : 0));
    port->free (message);
    return tuple;
}

/* send(kind, id, text, text2, number) */
static PyObject *
send (PyObject *self, PyObject *arguments)
{
    int kind;
    unsigned long long id = 0, number = 0;
    const char *text = NULL, *text2 = NULL;
    ScriptMessage *message;

    if (!PyArg_ParseTuple (arguments, "iK|zzK", &kind, &id, &text, &text2, &number)) {
        return NULL;
    }
    if (kind < SCRIPT_STARTED || kind > SCRIPT_PROFILE) {
        PyErr_SetString (PyExc_ValueError, "no such message");
        return NULL;
    }
    message = port->make ((ScriptKind) kind, id, text);
    message->text2 = g_strdup (text2);
    message->number = number;
    port->send (message);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    { "take", take, METH_VARARGS, NULL },
    { "send", send, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyModuleDef definition
    = { PyModuleDef_HEAD_INIT, "_pddt", NULL, -1, methods, NULL, NULL, NULL, NULL };

static PyObject *
make_module (void)
{
    return PyModule_Create (&definition);
}

/* ---- interrupts ---- */

static void
on_signal (int number)
{
    PyErr_SetInterrupt ();
}

/* Python's own handler of SIGINT makes the exception; the process keeps its own. A blocking call of the thread ends with
 * EINTR: no SA_RESTART. */
static int
prepare_interrupts (void)
{
    struct sigaction ours, action = { .sa_handler = on_signal };
    int status;

    sigaction (SIGINT, NULL, &ours);
    status
        = PyRun_SimpleString ("import _signal; _signal.signal(2, _signal.default_int_handler)");
    sigaction (SIGINT, &ours, NULL);
    sigaction (SIGUSR2, &action, NULL);
    return status;
}

VISIBLE void script_python_interrupt (void);
void
script_python_interrupt (void)
{
    if (g_atomic_int_get (&is_running)) {
        pthread_kill (thread, SIGUSR2);
    }
}

/* ---- start and end ---- */

/* Isolated: no environment, no user's folder, nothing of the working folder. With a virtual environment its
 * packages. */
static PyStatus
initialise (void)
{
    const char *folder = g_getenv ("VIRTUAL_ENV");
    PyConfig config;
    PyStatus status;

    PyConfig_InitIsolatedConfig (&config);
    config.install_signal_handlers = 0;
    config.write_bytecode = 0;
    config.site_import = 1;
    if (folder != NULL && *folder == '/') {
        char *path = g_build_filename (folder, "bin", "python3", NULL);

        status = PyConfig_SetBytesString (&config, &config.executable, path);
        g_free (path);
        if (PyStatus_Exception (status)) {
            PyConfig_Clear (&config);
            return status;
        }
    }
    status = Py_InitializeFromConfig (&config);
    PyConfig_Clear (&config);
    return status;
}

/* NULL, or what is wrong. */
static const char *
import_sources (void)
{
    for (guint i = 0; script_sources[i].name != NULL; i++) {
        PyObject *code = Py_CompileString (script_sources[i].text, script_sources[i].file,
                                           Py_file_input);
        PyObject *module = code != NULL
                               ? PyImport_ExecCodeModuleEx (script_sources[i].name, code,
                                                            script_sources[i].file)
                               : NULL;

        Py_XDECREF (code);
        if (module == NULL) {
            PyErr_Print ();
            return "pddt's own Python code does not run with this version of Python";
        }
        Py_DECREF (module);
    }
    return NULL;
}

VISIBLE void script_python_run (const ScriptPort *given);
void
script_python_run (const ScriptPort *given)
{
    PyStatus status;
    const char *problem = NULL;

    port = given;
    thread = pthread_self ();
    PyImport_AppendInittab ("_pddt", make_module);
    status = initialise ();
    if (PyStatus_Exception (status)) {
        problem = status.err_msg != NULL ? status.err_msg : "Python does not start";
    } else if (prepare_interrupts () != 0) {
        problem = "Python does not start";
    } else {
        problem = import_sources ();
    }
    port->send (port->make (SCRIPT_STARTED, 0, problem));
    if (problem == NULL) {
        g_atomic_int_set (&is_running, 1);
        PyRun_SimpleString ("import pddt; pddt._serve()");
        g_atomic_int_set (&is_running, 0);
        Py_FinalizeEx ();
    }
    port->send (port->make (SCRIPT_DONE, 0, NULL));
}
