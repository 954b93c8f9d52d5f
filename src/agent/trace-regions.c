/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The regions that a script has begun in a thread and not ended yet. */
#include "agent/trace-python.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_REGIONS = 1 << 16 };

__thread struct trace_regions trace_regions __attribute__ ((tls_model ("initial-exec")));

void
trace_regions_remove (unsigned at)
{
    TraceRegion *region = &trace_regions.list[at];

    memmove (region, region + 1, (trace_regions.n - at - 1) * sizeof *region);
    trace_regions.n--;
}

void
trace_regions_forget (void)
{
    free (trace_regions.list);
    memset (&trace_regions, 0, sizeof trace_regions);
}

static int
make_room (void)
{
    TraceRegion *more;

    if (trace_regions.n < trace_regions.room) {
        return 1;
    }
    if (trace_regions.n >= MAX_REGIONS) {
        return 0;
    }
    more = realloc (trace_regions.list, (2 * trace_regions.room + 16) * sizeof *more);
    if (more != NULL) {
        trace_regions.list = more;
        trace_regions.room = 2 * trace_regions.room + 16;
    }
    return more != NULL;
}

void
trace_regions_enter (uint32_t id)
{
    TraceRegion *region;

    if (id == 0 || (trace_pause & TRACE_NO_RECORDING)) {
        return;
    }
    trace_check_region ();
    if (!make_room ()) {
        trace_regions.n_deeper++;
        return;
    }
    region = &trace_regions.list[trace_regions.n++];
    region->id = id;
    region->call = trace_find_call ();
    region->is_older = 0;
    trace_put (PDDT_TRACE_ENTER, id, 0);
}

void
trace_regions_leave (uint32_t id)
{
    const TraceRegion *region;
    unsigned n;

    trace_check_region ();
    n = trace_regions.n;
    if (trace_regions.n_deeper > 0) {
        trace_regions.n_deeper--;
        return;
    }
    while (n > 0 && id != 0 && trace_regions.list[n - 1].id != id) {
        n--;
    }
    if (n == 0) {
        return; /* it was not begun */
    }
    region = &trace_regions.list[n - 1];
    trace_regions.n = n - 1;
    if (trace_is_paused != 0 && region->is_older) {
        trace_leave_older (region);
    } else {
        trace_put (PDDT_TRACE_LEAVE, region->id, 0);
    }
}
