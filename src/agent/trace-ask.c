/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpi4py gives the interpreter's lock up around each call of MPI and needs it again right after it, as the interpreter
 * does around its own calls that wait, so taking it here, for calls that have waited, delays nobody. */
#include "agent/trace-ask.h"
#include "agent/trace-ring.h"
#include <dlfcn.h>

enum { LINES = 1024 };

/* Of CPython, by name: this library does not depend on it. */
static struct {
    int is_looked_up;
    int (*is_initialized) (void);
    void *(*get_own) (void); /* PyGILState_GetThisThreadState */
    int (*ensure) (void);
    void (*release) (int);
    void *(*get_frame) (void);
    int (*get_line) (void *);
    void *(*get_code) (void *); /* 3.9 */
    void *(*get_attribute) (void *, const char *);
    const char *(*as_text) (void *);
    void (*unref) (void *);
    void (*clear) (void);
} python;

/* by hash: lines that are defined; with the lock */
static struct {
    uint64_t key;
    uint32_t id;
} lines[LINES];

static int
look_up (void)
{
    static const struct {
        const char *name;
        void *to;
    } names[] = {
        { "Py_IsInitialized", &python.is_initialized },
        { "PyGILState_GetThisThreadState", &python.get_own },
        { "PyGILState_Ensure", &python.ensure },
        { "PyGILState_Release", &python.release },
        { "PyEval_GetFrame", &python.get_frame },
        { "PyFrame_GetLineNumber", &python.get_line },
        { "PyFrame_GetCode", &python.get_code },
        { "PyObject_GetAttrString", &python.get_attribute },
        { "PyUnicode_AsUTF8", &python.as_text },
        { "Py_DecRef", &python.unref },
        { "PyErr_Clear", &python.clear },
    };

    if (!python.is_looked_up) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            *(void **) names[i].to = dlsym (RTLD_DEFAULT, names[i].name);
        }
        python.is_looked_up = 1;
    }
    return python.is_initialized != NULL && python.get_own != NULL && python.ensure != NULL
           && python.release != NULL && python.get_frame != NULL && python.get_line != NULL
           && python.get_code != NULL && python.get_attribute != NULL && python.as_text != NULL
           && python.unref != NULL && python.clear != NULL;
}

static uint32_t
find_line (const char *file, int line)
{
    uint64_t key = 0xcbf29ce484222325ull + (unsigned) line;
    unsigned at;

    for (const char *letter = file; *letter != '\0'; letter++) {
        key = (key ^ (uint8_t) *letter) * 0x100000001b3ull;
    }
    at = (unsigned) (key ^ key >> 23) % LINES;
    for (unsigned i = 0; i < 16; i++, at = (at + 1) % LINES) {
        if (lines[at].key == key) {
            return lines[at].id;
        }
        if (lines[at].key == 0) {
            lines[at].key = key;
            lines[at].id = trace_define_line (file, (uint32_t) line);
            return lines[at].id;
        }
    }
    return 0;
}

/* With the lock. */
static uint32_t
find_frame (void)
{
    void *frame = python.get_frame (), *code = frame != NULL ? python.get_code (frame) : NULL;
    void *name = code != NULL ? python.get_attribute (code, "co_filename") : NULL;
    const char *file = name != NULL ? python.as_text (name) : NULL;
    int line = frame != NULL ? python.get_line (frame) : 0;
    uint32_t id = file != NULL && line > 0 ? find_line (file, line) : 0;

    python.unref (name);
    python.unref (code);
    python.clear ();
    return id <= PDDT_TRACE_MAX_PLACE ? id : 0;
}

uint16_t
trace_ask_line (void)
{
    uint32_t id;
    int state;

    if (!look_up () || !python.is_initialized () || python.get_own () == NULL) {
        return 0;
    }
    state = python.ensure ();
    id = find_frame ();
    python.release (state);
    return (uint16_t) (id << PDDT_TRACE_PLACE_SHIFT);
}
