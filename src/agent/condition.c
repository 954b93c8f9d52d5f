/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions as small programs on a stack of objects. pddt_condition.py writes the programs
 * when the breakpoint gets its place and binds names to the frame's fast variables by index.
 * Each operation is the interpreter's own, so the results are Python's. */
#include "agent/private.h"
#include <stdlib.h>

#define DEPTH 16

/* In the same order as in pddt_condition.py. */
enum {
    OP_CONSTANT,
    OP_FAST,
    OP_CELL,
    OP_NAME,
    OP_GLOBAL,
    OP_ATTRIBUTE,
    OP_ITEM,
    OP_COMPARE,
    OP_IS,
    OP_IN,
    OP_BINARY,
    OP_UNARY,
    OP_JUMP_FALSE,
    OP_JUMP_TRUE,
    OP_CALL,
    OP_COUNT
};

typedef struct {
    int op, number;
    PyObject *object; /* strong; NULL */
} Step;

struct AgentCondition {
    size_t n_steps;
    int n_runs, is_freed; /* it is freed at the end of its last run */
    Step steps[];
};

typedef struct {
    PyObject **fast, *globals,
        *builtins; /* the last two: NULL until they are asked for, unless the frame has not begun */
    PyObject *stack[DEPTH]; /* strong */
    int depth;
    int is_unknown;
} Run;

typedef PyObject *(*Binary) (PyObject *, PyObject *);
static const Binary binaries[]
    = { PyNumber_Add,         PyNumber_Subtract,  PyNumber_Multiply, PyNumber_TrueDivide,
        PyNumber_FloorDivide, PyNumber_Remainder, PyNumber_And,      PyNumber_Or,
        PyNumber_Xor,         PyNumber_Lshift,    PyNumber_Rshift };
#define N_BINARIES ((int) (sizeof binaries / sizeof binaries[0]))

void
agent_condition_free (AgentCondition *condition)
{
    if (condition == NULL)
        return;
    condition->is_freed = 1;
    if (condition->n_runs > 0)
        return;
    for (size_t i = 0; i < condition->n_steps; i++)
        Py_XDECREF (condition->steps[i].object);
    free (condition);
}

static int
is_valid (const Step *step, size_t at, size_t n)
{
    switch (step->op) {
    case OP_CONSTANT:
    case OP_NAME:
    case OP_GLOBAL:
    case OP_ATTRIBUTE: return step->object != NULL;
    case OP_COMPARE: return step->number >= Py_LT && step->number <= Py_GE;
    case OP_BINARY: return step->number >= 0 && step->number < N_BINARIES;
    case OP_UNARY: return step->number >= 0 && step->number <= 3;
    case OP_JUMP_FALSE:
    case OP_JUMP_TRUE: return step->number > (int) at && step->number <= (int) n;
    case OP_CALL: return step->number >= 0 && step->number <= 4;
    default: return step->op >= 0 && step->op < OP_COUNT && step->number >= 0;
    }
}

int
agent_condition_is_plain (const AgentCondition *condition, int *ret_index, int *ret_compare,
                          long *ret_number)
{
    const Step *steps = condition != NULL ? condition->steps : NULL;
    int overflow = 0;
    if (steps == NULL || condition->n_steps != 3 || steps[0].op != OP_FAST
        || steps[1].op != OP_CONSTANT || steps[2].op != OP_COMPARE
        || Py_TYPE (steps[1].object) != &PyLong_Type)
        return 0;
    *ret_number = PyLong_AsLongAndOverflow (steps[1].object, &overflow);
    *ret_index = steps[0].number;
    *ret_compare = steps[2].number;
    return overflow == 0;
}

AgentCondition *
agent_condition_new (PyObject *list)
{
    Py_ssize_t n = PyList_Check (list) ? PyList_Size (list) : 0;
    AgentCondition *condition = n > 0 && n < 256
                                    ? calloc (1, sizeof *condition + (size_t) n * sizeof (Step))
                                    : NULL;
    if (condition == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        Step *step = &condition->steps[i];
        if (!PyArg_ParseTuple (PyList_GetItem (list, i), "iiO", &step->op, &step->number,
                               &step->object)) {
            PyErr_Clear ();
            step->object = NULL;
            agent_condition_free (condition);
            return NULL;
        }
        Py_INCREF (step->object);
        condition->n_steps = (size_t) i + 1;
        if (!is_valid (step, (size_t) i, (size_t) n)) {
            agent_condition_free (condition);
            return NULL;
        }
    }
    return condition;
}

/* A new reference to the value of the name in globals or builtins; NULL: not found there. */
static PyObject *
find_global (Run *run, PyObject *name)
{
    PyObject *value = NULL;
    if (run->globals == NULL)
        run->globals = PyEval_GetGlobals ();
    if (run->globals != NULL && PyDict_Check (run->globals))
        value = PyDict_GetItemWithError (run->globals, name);
    if (value == NULL && run->builtins == NULL)
        run->builtins = PyEval_GetBuiltins ();
    if (value == NULL && run->builtins != NULL && PyDict_Check (run->builtins))
        value = PyDict_GetItemWithError (run->builtins, name);
    Py_XINCREF (value);
    return value;
}

/* In code whose variables are not fast. Works only where locals and globals are the same, as in
 * a module. */
static PyObject *
find_name (Run *run, PyObject *name)
{
    PyObject *locals = PyEval_GetLocals ();
    if (run->globals == NULL)
        run->globals = PyEval_GetGlobals ();
    return locals != NULL && locals == run->globals ? find_global (run, name) : NULL;
}

static PyObject *
load (Run *run, const Step *step)
{
    PyObject *value = NULL;
    switch (step->op) {
    case OP_CONSTANT:
        value = step->object;
        Py_INCREF (value);
        return value;
    case OP_FAST:
        value = run->fast != NULL ? agent_get_fast (run->fast, step->number) : NULL;
        Py_XINCREF (value);
        break;
    case OP_CELL:
        value = run->fast != NULL ? agent_cell_get (agent_get_fast (run->fast, step->number))
                                  : NULL;
        break;
    case OP_NAME: value = find_name (run, step->object); break;
    default: value = find_global (run, step->object); break;
    }
    if (value == NULL) {
        /* not bound at present: the slow way produces the message */
        PyErr_Clear ();
        run->is_unknown = 1;
    }
    return value;
}

static PyObject *
apply_one (const Step *step, PyObject *value)
{
    if (step->op == OP_ATTRIBUTE)
        return PyObject_GetAttr (value, step->object);
    switch (step->number) {
    case 0: return PyNumber_Negative (value);
    case 1: {
        int truth = PyObject_Not (value);
        return truth < 0 ? NULL : PyBool_FromLong (truth);
    }
    case 2: return PyNumber_Invert (value);
    default: return PyNumber_Positive (value);
    }
}

static PyObject *
apply_two (const Step *step, PyObject *left, PyObject *right)
{
    int truth;
    switch (step->op) {
    case OP_ITEM: return PyObject_GetItem (left, right);
    case OP_COMPARE: return PyObject_RichCompare (left, right, step->number);
    case OP_IS: return PyBool_FromLong ((left == right) != step->number);
    case OP_IN:
        truth = PySequence_Contains (right, left);
        return truth < 0 ? NULL : PyBool_FromLong (truth != step->number);
    default: return binaries[step->number](left, right);
    }
}

/* Replaces the `count` topmost objects with the result. FALSE if the result is NULL. */
static int
replace (Run *run, int count, PyObject *result)
{
    for (int i = 0; i < count; i++)
        Py_DECREF (run->stack[--run->depth]);
    if (result == NULL)
        return 0;
    run->stack[run->depth++] = result;
    return 1;
}

/* Executes one step; a jump changes *at. FALSE: the program ends here without a result. */
static int
step_once (Run *run, const Step *step, size_t *at)
{
    PyObject **top = run->stack + run->depth;
    int truth;
    switch (step->op) {
    case OP_CONSTANT:
    case OP_FAST:
    case OP_CELL:
    case OP_NAME:
    case OP_GLOBAL: return run->depth < DEPTH && replace (run, 0, load (run, step));
    case OP_ATTRIBUTE:
    case OP_UNARY: return run->depth >= 1 && replace (run, 1, apply_one (step, top[-1]));
    case OP_JUMP_FALSE:
    case OP_JUMP_TRUE:
        truth = run->depth >= 1 ? PyObject_IsTrue (top[-1]) : -1;
        if (truth < 0)
            return 0;
        if (truth == (step->op == OP_JUMP_TRUE))
            *at = (size_t) step->number;
        else
            Py_DECREF (run->stack[--run->depth]);
        return 1;
    case OP_CALL:
        return run->depth > step->number
               && replace (run, step->number + 1,
                           agent_call (top[-1 - step->number], top - step->number,
                                       (size_t) step->number));
    default: return run->depth >= 2 && replace (run, 2, apply_two (step, top[-2], top[-1]));
    }
}

static AgentTruth
run_steps (AgentCondition *condition, Run *run)
{
    size_t at = 0;
    int is_going = 1, truth = -1;
    condition->n_runs++;
    while (is_going && at < condition->n_steps) {
        const Step *step = &condition->steps[at++];
        is_going = step_once (run, step, &at);
    }
    if (is_going && run->depth == 1)
        truth = PyObject_IsTrue (run->stack[0]);
    while (run->depth > 0)
        Py_DECREF (run->stack[--run->depth]);
    if (--condition->n_runs == 0 && condition->is_freed)
        agent_condition_free (condition);
    if (truth >= 0)
        return truth ? AGENT_TRUE : AGENT_FALSE;
    return run->is_unknown || !PyErr_Occurred () ? AGENT_UNKNOWN : AGENT_ERROR;
}

AgentTruth
agent_condition_run (AgentCondition *condition, PyObject *code, PyObject *frame)
{
    Run run;
    run.fast = agent_find_fast (code, frame);
    run.globals = run.builtins = NULL;
    run.depth = run.is_unknown = 0;
    return run_steps (condition, &run);
}

AgentTruth
agent_condition_run_early (AgentCondition *condition, PyObject **fast, PyObject *globals,
                           PyObject *builtins)
{
    Run run;
    run.fast = fast;
    run.globals = globals;
    run.builtins = builtins;
    run.depth = run.is_unknown = 0;
    return run_steps (condition, &run);
}
