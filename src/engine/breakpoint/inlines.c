/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlined calls that begin where a thread has stopped: one instruction is then the first of
 * several frames. After a step or a breakpoint on the line, the thread is shown before the
 * calls, as if they were real ones. `step` into such a call only changes the number of hidden
 * frames. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/modules/modules.h"

#define MAX_FRAMES 32u

/* A breakpoint there, or who asks, means this frame. */
static gboolean
is_asked_for (EngineProcess *process, guint64 pc, const char *asked, const IndexFrame *frame)
{
    if (g_strcmp0 (asked, frame->function) == 0) {
        return TRUE;
    }
    for (guint i = 0; i < process->engine->breakpoints->len; i++) {
        const EngineBreakpointSite *site
            = engine_breakpoint_find_site (g_ptr_array_index (process->engine->breakpoints, i),
                                           process);

        if (site != NULL && site->enabled
            && BASE_HAS (site->places, const EnginePlace, place,
                         place->address == pc
                             && g_strcmp0 (place->location->function, frame->function) == 0)) {
            return TRUE;
        }
    }
    return FALSE;
}

guint
engine_inlines_find (EngineThread *thread, const char *asked)
{
    EngineProcess *process = thread->process;
    guint64 pc = engine_thread_get_pc (thread);
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    IndexFrame frames[MAX_FRAMES];
    guint n = image != NULL
                  ? index_image_find_frames (image, pc - module->bias, frames, MAX_FRAMES)
                  : 0;
    guint n_hidden = 0;

    while (n_hidden < n && frames[n_hidden].inlined && frames[n_hidden].begins
           && !is_asked_for (process, pc, asked, &frames[n_hidden])) {
        n_hidden++;
    }
    /* the line of the call is what there is to show */
    while (n_hidden > 0 && (n_hidden >= n || frames[n_hidden].line == 0)) {
        n_hidden--;
    }
    return n_hidden;
}

const char *
engine_inlines_get_asked (const GPtrArray *places, guint64 pc)
{
    const char *asked = NULL;

    for (guint i = 0; places != NULL && i < places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (places, i);

        asked = place->address == pc ? place->location->function : asked;
    }
    return asked;
}

void
engine_inlines_hide (EngineThread *thread, const char *asked)
{
    thread->inlines_pc = engine_thread_get_pc (thread);
    thread->n_hidden = engine_inlines_find (thread, asked);
}
