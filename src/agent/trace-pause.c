/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python calls while recording, or that of calls alone, is switched off. A thread notes what is on its stack at its first
 * call or return after the switch, and when it is on again leaves and enters what has changed, so that Enter and Leave
 * balance. Where calls alone are off it is meanwhile in a region "(not recorded)". */
#include "agent/trace-python.h"
#include <stdlib.h>

int trace_pause, trace_n_hearing;
__thread int trace_is_paused __attribute__ ((tls_model ("initial-exec")));

static __thread struct {
    TraceCall *calls; /* outermost first; those that the trace has open */
    size_t n;
    int is_own;     /* the trace has the region of what is not recorded open */
    int is_hearing; /* counted in trace_n_hearing */
} stack __attribute__ ((tls_model ("initial-exec")));

/* Of the frame and its callers, those that are recorded, outermost first; free. */
static TraceCall *
collect (PyObject *frame, size_t *ret_n)
{
    TraceCall *calls = NULL;
    size_t n = 0, room = 0;

    Py_XINCREF (frame);
    while (frame != NULL) {
        PyObject *code = trace_get_code (frame), *back = trace_get_back (frame);
        TraceCall call = { trace_codes_find (code)->region, frame };

        Py_DECREF (code);
        Py_DECREF (frame);
        frame = back;
        if (n == room) {
            TraceCall *more = realloc (calls, (room = 2 * room + 64) * sizeof *more);

            if (more == NULL) {
                Py_XDECREF (frame);
                break;
            }
            calls = more;
        }
        calls[n] = call;
        n += call.region != 0;
    }
    for (size_t i = 0; i < n / 2; i++) {
        TraceCall other = calls[i];

        calls[i] = calls[n - 1 - i];
        calls[n - 1 - i] = other;
    }
    *ret_n = n;
    return calls;
}

static int
is_equal (const TraceCall *one, const TraceCall *other)
{
    return one->frame == other->frame && one->region == other->region;
}

/* How many of the calls a region of that call is inside; n + 1: the call is not there. */
static size_t
find_depth (const TraceCall *calls, size_t n, const TraceCall *call)
{
    size_t depth = n;

    if (call->frame == NULL) {
        return 0;
    }
    while (depth > 0 && !is_equal (&calls[depth - 1], call)) {
        depth--;
    }
    return depth > 0 ? depth : n + 1;
}

/* A region ends in the trace with the call that has begun it, whose frame may be another call's now: not where a later
 * region has been begun further out. */
static void
forget_ended (const TraceCall *calls, size_t n)
{
    size_t least = n;

    for (unsigned i = trace_regions.n; i > 0; i--) {
        size_t depth = find_depth (calls, n, &trace_regions.list[i - 1].call);

        if (depth > least) {
            trace_regions_remove (i - 1);
        } else {
            least = depth;
        }
    }
}

static uint32_t
get_own_region (void)
{
    static uint32_t region;

    if (region == 0) {
        region = trace_define_region ("(not recorded)", NULL, NULL, 0, PDDT_TRACE_IN_USER,
                                      PDDT_TRACE_IS_UNRECORDED);
    }
    return region;
}

static void
enter_own (uint64_t now)
{
    stack.is_own = get_own_region () != 0;
    if (stack.is_own) {
        trace_put_at (now, PDDT_TRACE_ENTER, get_own_region (), PDDT_TRACE_OPENED);
    }
}

static void
leave_own (uint64_t now)
{
    if (stack.is_own) {
        trace_put_at (now, PDDT_TRACE_LEAVE, get_own_region (), 0);
    }
    stack.is_own = 0;
}

/* ---- which threads hear of calls ---- */

static void
set_hearing (int is_hearing)
{
    __atomic_fetch_add (&trace_n_hearing, is_hearing - stack.is_hearing, __ATOMIC_RELAXED);
    stack.is_hearing = is_hearing;
}

void
trace_begin_thread (void)
{
    trace_has_stack = 1;
    set_hearing (1);
}

/* ---- off, and on again ---- */

static void
pause_thread (PyObject *frame)
{
    stack.calls = collect (frame, &stack.n);
    forget_ended (stack.calls, stack.n);
    for (unsigned i = 0; i < trace_regions.n; i++) {
        TraceRegion *region = &trace_regions.list[i];

        region->depth = find_depth (stack.calls, stack.n, &region->call);
        region->is_older = 1;
    }
}

/* What is new of the switches. */
static void
take_switches (uint64_t now)
{
    int fresh = trace_pause & ~trace_is_paused, gone = trace_is_paused & ~trace_pause;

    if (fresh & TRACE_NO_CALLS && !stack.is_own) {
        enter_own (now);
    }
    if (fresh & TRACE_NO_RECORDING) {
        trace_put_at (now, PDDT_TRACE_OFF, 0, 0);
    }
    if (gone & TRACE_NO_RECORDING) {
        trace_put_at (now, PDDT_TRACE_ON, 0, 0);
    }
    trace_is_paused = trace_pause;
    set_hearing (!(trace_pause & TRACE_NO_CALLS));
}

static size_t
count_same (const TraceCall *calls, size_t n)
{
    size_t same = 0;

    while (same < n && same < stack.n && is_equal (&calls[same], &stack.calls[same])) {
        same++;
    }
    if (trace_wants_c && same > 0) {
        same--; /* a built-in function that the last of them has called may have ended */
    }
    for (unsigned i = 0; i < trace_regions.n; i++) {
        const TraceRegion *region = &trace_regions.list[i];
        size_t depth = find_depth (calls, n, &region->call);

        if (!region->is_older && depth < same) {
            same = depth; /* what is inside it has begun after it */
        }
    }
    return same;
}

static void
enter_calls (const TraceCall *calls, size_t from, size_t to, uint64_t now)
{
    for (size_t i = from; i < to; i++) {
        trace_put_at (now, PDDT_TRACE_ENTER, calls[i].region, PDDT_TRACE_OPENED);
    }
}

static void
resume_thread (PyObject *frame)
{
    size_t n = 0, same, reached;
    TraceCall *calls = collect (frame, &n);
    uint64_t now = trace_now ();

    take_switches (now);
    leave_own (now);
    forget_ended (calls, n);
    same = reached = count_same (calls, n);
    for (size_t i = stack.n; i > same; i--) {
        trace_put_at (now, PDDT_TRACE_LEAVE, stack.calls[i - 1].region, 0);
    }
    for (unsigned i = 0; i < trace_regions.n; i++) {
        const TraceRegion *region = &trace_regions.list[i];
        size_t depth = find_depth (calls, n, &region->call);

        if (!region->is_older || region->depth > same) {
            enter_calls (calls, reached, depth, now);
            reached = depth > reached ? depth : reached;
            trace_put_at (now, PDDT_TRACE_ENTER, region->id, PDDT_TRACE_OPENED);
        }
    }
    enter_calls (calls, reached, n, now);
    free (calls);
    free (stack.calls);
    stack.calls = NULL;
    stack.n = 0;
}

int
trace_check_pause (PyObject *frame, int is_entered)
{
    PyObject *outer = NULL;

    if (!trace_has_stack) {
        return trace_pause != 0;
    }
    if (trace_pause == trace_is_paused) {
        trace_stop_hearing ();
        return trace_pause != 0;
    }
    if (is_entered && frame != NULL) {
        outer = trace_get_back (frame);
        frame = outer;
    }
    if (trace_pause == 0) {
        resume_thread (frame);
    } else {
        if (trace_is_paused == 0) {
            pause_thread (frame);
        }
        take_switches (trace_now ());
        trace_stop_hearing ();
    }
    Py_XDECREF (outer);
    return trace_pause != 0;
}

void
trace_check_region (void)
{
    if ((trace_pause | trace_is_paused) == 0) {
        return;
    }
    if (!trace_has_stack && trace_pause == TRACE_NO_CALLS) { /* begun meanwhile */
        trace_has_stack = 1;
        take_switches (trace_now ());
    }
    trace_check_pause (trace_get_frame (), 0);
}

void
trace_leave_older (const TraceRegion *region)
{
    uint64_t now = trace_now ();
    int is_own = stack.is_own;

    leave_own (now);
    trace_put_at (now, PDDT_TRACE_LEAVE, region->id, 0); /* and what is inside it */
    stack.n = region->depth < stack.n ? region->depth : stack.n;
    if (is_own) {
        enter_own (now);
    }
}

TraceCall
trace_find_call (void)
{
    PyObject *frame = trace_get_frame ();
    TraceCall call = { 0, NULL };

    Py_XINCREF (frame);
    while (frame != NULL && call.region == 0) {
        PyObject *code = trace_get_code (frame), *back = trace_get_back (frame);

        call.region = trace_codes_find (code)->region;
        call.frame = call.region != 0 ? frame : NULL;
        Py_DECREF (code);
        Py_DECREF (frame);
        frame = back;
    }
    Py_XDECREF (frame);
    return call;
}

void
trace_pause_end (void)
{
    leave_own (trace_now ());
    set_hearing (0);
    free (stack.calls);
    stack.calls = NULL;
    stack.n = 0;
    trace_regions_forget ();
}

void
trace_pause_forget (void)
{
    free (stack.calls);
    stack.calls = NULL;
    stack.n = 0;
    stack.is_own = stack.is_hearing = 0;
    trace_n_hearing = 0;
    trace_is_paused = 0;
    trace_has_stack = 0;
    trace_regions_forget ();
}
