/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libpddt-trace.so, which pddt-start preloads into the programs of a traced job. In a Python interpreter it waits, by an
 * audit hook (PEP 578), until the user's script is about to run, and then loads the tracer; in any
 * other program it does nothing. So a command is traced however it comes to its interpreter: by env,
 * a shell script, a virtual environment, multiprocessing. */
#include "agent/trace-ring.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*Audit) (const char *event, void *arguments, void *data);

static int is_started;

static void
start_tracer (void)
{
    static const char name[] = "pddt_trace.abi3.so";
    Dl_info self;
    char path[4096];
    const char *slash = dladdr ((void *) &is_started, &self) != 0
                            ? strrchr (self.dli_fname, '/')
                            : NULL;
    size_t length = slash != NULL ? (size_t) (slash + 1 - self.dli_fname) : 0;
    void *tracer, (*start) (void);

    if (length == 0 || length + sizeof name > sizeof path) {
        return;
    }
    memcpy (path, self.dli_fname, length);
    memcpy (path + length, name, sizeof name);
    tracer = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    *(void **) &start = tracer != NULL ? dlsym (tracer, "pddt_trace_start") : NULL;
    if (start != NULL) {
        start ();
    } else {
        fprintf (stderr, "pddt: this Python process is not traced: %s\n", dlerror ());
    }
}

/* Everything is set up, and the GIL is held. */
static int
on_audit (const char *event, void *arguments, void *data)
{
    if (event[0] == 'c' && !is_started && strncmp (event, "cpython.run_", 12) == 0
        && strcmp (event, "cpython.run_startup") != 0) {
        is_started = 1;
        start_tracer ();
    }
    return 0;
}

__attribute__ ((constructor)) static void
begin (void)
{
    int (*add) (Audit, void *);

    *(void **) &add = dlsym (RTLD_DEFAULT, "PySys_AddAuditHook");
    if (add != NULL && getenv (TRACE_FOLDER_VARIABLE) != NULL) {
        add (on_audit, NULL);
    }
}
