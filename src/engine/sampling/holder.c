/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has Python's lock (GIL) while a thread waits for it. */
#include "engine/modules/modules.h"
#include "engine/sampling/state-private.h"
#include <string.h>

#define MAX_NAME 200u

/* The function that the thread is in; NULL: that cannot be read. */
static PythonFrame *
read_innermost (PythonRuntime *runtime, const PythonThread *thread)
{
    g_autoptr (GPtrArray) frames = NULL;
    PythonFrame *frame;

    python_runtime_invalidate (runtime);
    frames = python_runtime_read_frames (runtime, thread, NULL);
    if (frames == NULL || frames->len == 0) {
        return NULL;
    }
    frame = g_ptr_array_index (frames, 0);
    return !frame->setup && frame->function != NULL && frame->function[0] != '\0'
               ? g_ptr_array_steal_index (frames, 0)
               : NULL;
}

static char *
format_holder (const PythonFrame *frame)
{
    const char *file = frame->file != NULL ? frame->file : "";
    const char *slash = strrchr (file, '/');

    file = slash != NULL ? slash + 1 : file;
    return g_strdup_printf (JOB_SAMPLE_HELD_BY "%.*s%s%.*s)", (int) MAX_NAME, frame->function,
                            *file != '\0' ? ", " : "", (int) MAX_NAME, file);
}

/* The thread with the lock runs. What it is in is known if it is still there when it is read again, and still has the lock. Caller
 * owns; NULL: not known. */
static char *
dup_holder (PythonRuntime *runtime, guint64 interpreter, guint64 holder)
{
    const PythonThread thread = { .state = holder, .interpreter = interpreter };
    PythonFrame *first = read_innermost (runtime, &thread);
    PythonFrame *second = first != NULL ? read_innermost (runtime, &thread) : NULL;
    char *text = NULL;

    python_runtime_invalidate (runtime);
    if (second != NULL && first->frame == second->frame && first->code == second->code
        && strcmp (first->function, second->function) == 0
        && python_runtime_read_lock_holder (runtime, interpreter) == holder) {
        text = format_holder (first);
    }
    g_clear_pointer (&first, python_frame_free);
    g_clear_pointer (&second, python_frame_free);
    return text;
}

void
engine_sampling_note_holder (EngineProcess *process, EngineSampling *sampling,
                             SampledThread *known, JobSample *sample)
{
    PythonRuntime *runtime = engine_runtime_find (process);
    EngineSamplingHolder *last = &sampling->holder;
    JobLocation location = { 0 };
    guint64 holder;

    if (sample->class != JOB_CLASS_GIL || runtime == NULL || known->python.state == 0
        || sampling->is_over) {
        return;
    }
    python_runtime_invalidate (runtime);
    holder = python_runtime_read_lock_holder (runtime, known->python.interpreter);
    if (holder == 0 || holder == known->python.state) {
        return; /* it is just free, or the thread has got it */
    }
    if (last->state != holder || last->round != sampling->round) {
        g_free (last->text);
        last->text = dup_holder (runtime, known->python.interpreter, holder);
        last->state = holder;
        last->round = sampling->round;
    }
    if (last->text != NULL) {
        location.function = last->text;
        sample->context = job_context_tree_add (sampling->tree, sample->context, &location,
                                                JOB_FRAME_LIBRARY);
    }
}
