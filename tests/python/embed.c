/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A C program with a shared CPython inside, which runs the script that it is given. */
#include <Python.h>

int
main (int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen (argv[1], "r") : NULL;

    if (file == NULL) {
        return 2;
    }
    Py_Initialize ();
    PyRun_SimpleString ("import sys; sys.argv = ['embedded']");
    PyRun_SimpleFile (file, argv[1]);
    return Py_FinalizeEx ();
}
