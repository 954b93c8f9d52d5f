/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python calls while recording is switched off. A thread notes what is on its stack at its first call or return after the
 * switch, and when it is on again leaves and enters what has changed, so that Enter and Leave balance. */
#include "agent/trace-python.h"
#include <stdlib.h>

int trace_pause;
__thread int trace_is_paused __attribute__ ((tls_model ("initial-exec")));

static __thread struct {
    uint32_t *regions; /* outermost first */
    size_t n;
} stack __attribute__ ((tls_model ("initial-exec")));

/* Of the frame and its callers, those that are recorded, outermost first; free. */
static uint32_t *
collect (PyObject *frame, size_t *ret_n)
{
    uint32_t *regions = NULL;
    size_t n = 0, room = 0;

    Py_XINCREF (frame);
    while (frame != NULL) {
        PyObject *code = trace_get_code (frame), *back = trace_get_back (frame);
        uint32_t region = trace_codes_find (code)->region;

        Py_DECREF (code);
        Py_DECREF (frame);
        frame = back;
        if (n == room) {
            uint32_t *more = realloc (regions, (room = 2 * room + 64) * sizeof *regions);

            if (more == NULL) {
                Py_XDECREF (frame);
                break;
            }
            regions = more;
        }
        regions[n] = region;
        n += region != 0;
    }
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t other = regions[i];

        regions[i] = regions[n - 1 - i];
        regions[n - 1 - i] = other;
    }
    *ret_n = n;
    return regions;
}

static void
pause_thread (PyObject *frame)
{
    stack.regions = collect (frame, &stack.n);
    trace_is_paused = trace_pause;
    if (trace_pause & TRACE_NO_RECORDING) {
        trace_put (PDDT_TRACE_OFF, 0, 0);
    }
}

static void
resume_thread (PyObject *frame)
{
    size_t n = 0, same = 0;
    uint32_t *regions = collect (frame, &n);
    uint64_t now = trace_now ();

    if (trace_is_paused & TRACE_NO_RECORDING) {
        trace_put_at (now, PDDT_TRACE_ON, 0, 0);
    }
    while (same < n && same < stack.n && regions[same] == stack.regions[same]) {
        same++;
    }
    for (size_t i = stack.n; i > same; i--) {
        trace_put_at (now, PDDT_TRACE_LEAVE, stack.regions[i - 1], 0);
    }
    for (size_t i = same; i < n; i++) {
        trace_put_at (now, PDDT_TRACE_ENTER, regions[i], PDDT_TRACE_OPENED);
    }
    free (regions);
    free (stack.regions);
    stack.regions = NULL;
    stack.n = 0;
    trace_is_paused = 0;
}

int
trace_check_pause (PyObject *frame, int is_entered)
{
    PyObject *outer = NULL;

    if (!trace_has_stack) {
        return trace_pause != 0;
    }
    if (is_entered && frame != NULL) {
        outer = trace_get_back (frame);
        frame = outer;
    }
    if (trace_pause != 0 && trace_is_paused == 0) {
        pause_thread (frame);
    } else if (trace_pause == 0 && trace_is_paused != 0) {
        resume_thread (frame);
    }
    Py_XDECREF (outer);
    return trace_pause != 0;
}
