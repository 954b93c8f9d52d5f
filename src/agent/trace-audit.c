/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit hook (PEP 578) by which a Python interpreter tells that the user's script is about to run. CPython allocates
 * the hook's entry when it is added and frees it at its end, by whichever raw allocator it has then: under -X dev and
 * PYTHONMALLOC=debug that is one which ends the program for a block of another. So the
 * entry is freed by the allocator that it came from. */
#include "agent/trace-audit.h"
#include "agent/trace-allocator.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static struct {
    void (*get) (int, struct trace_allocator *); /* PyMem_GetAllocator */
    void (*set) (int, struct trace_allocator *);
    void (*start) (void);
    void *entry;                   /* CPython's, of the hook */
    struct trace_allocator first;  /* it came from there */
    struct trace_allocator at_end; /* the interpreter's own, when it frees the entry */
} audit;

static void *
note_malloc (void *context, size_t size)
{
    audit.entry = audit.first.malloc (context, size);
    return audit.entry;
}

static void
free_either (void *context, void *address)
{
    if (address != NULL && address == audit.entry) {
        audit.entry = NULL;
        audit.first.free (audit.first.context, address);
    } else {
        audit.at_end.free (context, address);
    }
}

static void
expect_end (void)
{
    struct trace_allocator ours;

    if (audit.entry == NULL) {
        return;
    }
    audit.get (TRACE_DOMAIN_RAW, &audit.at_end);
    if (audit.at_end.free != audit.first.free) {
        ours = audit.at_end;
        ours.free = free_either;
        audit.set (TRACE_DOMAIN_RAW, &ours);
    }
}

static int
on_audit (const char *event, void *arguments, void *data)
{
    void (*start) (void) = audit.start;

    if (event[0] != 'c' || strncmp (event, "cpython.", 8) != 0) {
        return 0;
    }
    if (start != NULL && strncmp (event + 8, "run_", 4) == 0
        && strcmp (event + 8, "run_startup") != 0) {
        audit.start = NULL;
        start ();
    } else if (strcmp (event + 8, "_PySys_ClearAuditHooks") == 0) {
        expect_end ();
    }
    return 0;
}

void
trace_audit_begin (void (*start) (void))
{
    int (*add) (int (*) (const char *, void *, void *), void *);
    struct trace_allocator noting;

    *(void **) &add = dlsym (RTLD_DEFAULT, "PySys_AddAuditHook");
    *(void **) &audit.get = dlsym (RTLD_DEFAULT, "PyMem_GetAllocator");
    *(void **) &audit.set = dlsym (RTLD_DEFAULT, "PyMem_SetAllocator");
    if (add == NULL && dlsym (RTLD_DEFAULT, "Py_GetVersion") != NULL) {
        fputs (
            "pddt: the calls of this Python process are not recorded: its interpreter is not "
            "CPython 3.8 or later\n",
            stderr);
    }
    if (add == NULL || audit.get == NULL || audit.set == NULL) {
        return;
    }
    audit.start = start;
    audit.get (TRACE_DOMAIN_RAW, &audit.first);
    noting = audit.first;
    noting.malloc = note_malloc;
    audit.set (TRACE_DOMAIN_RAW, &noting);
    add (on_audit, NULL);
    audit.set (TRACE_DOMAIN_RAW, &audit.first);
}
