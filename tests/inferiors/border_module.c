/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same as an extension module. */
#define Py_LIMITED_API 0x03080000
#include <Python.h>

PyMODINIT_FUNC PyInit_border_module (void);

static PyObject *
add_two (PyObject *self, PyObject *arguments)
{
    long a, b; //@ m-add
    if (!PyArg_ParseTuple (arguments, "ll", &a, &b)) //@ m-add-parse
        return NULL;
    return PyLong_FromLong (a + b); //@ m-add-return
}

static PyObject *
apply_one (PyObject *self, PyObject *arguments)
{
    PyObject *function, *value, *got;
    if (!PyArg_ParseTuple (arguments, "OO", &function, &value)) //@ m-apply
        return NULL;
    got = PyObject_CallFunctionObjArgs (function, value, NULL); //@ m-apply-call
    return got; //@ m-apply-return
}

static PyMethodDef methods[] = {
    {"add", add_two, METH_VARARGS, NULL}, {"apply", apply_one, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "border_module", NULL, -1, methods,
                                        NULL, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit_border_module (void)
{
    return PyModule_Create (&definition);
}
