/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has Python's lock (GIL) while a thread waits for it. */
#include "engine/modules/modules.h"
#include "engine/sampling/state-private.h"
#include <string.h>

#define MAX_NAME 200u

/* NULL: they cannot be read. */
static GPtrArray *
read_frames (PythonRuntime *runtime, const PythonThread *thread)
{
    python_runtime_invalidate (runtime);
    return python_runtime_read_frames (runtime, thread, NULL);
}

static gboolean
is_same (const PythonFrame *left, const PythonFrame *right)
{
    return left->frame == right->frame && left->code == right->code && !left->setup
           && !right->setup && left->function != NULL && left->function[0] != '\0'
           && g_strcmp0 (left->function, right->function) == 0;
}

/* The innermost one that the thread was in both times, whatever that has called; NULL: none. Innermost first, as they are
 * read. */
static const PythonFrame *
find_common (const GPtrArray *first, const GPtrArray *second)
{
    const PythonFrame *common = NULL;

    for (guint i = 1; i <= MIN (first->len, second->len); i++) {
        const PythonFrame *left = g_ptr_array_index (first, first->len - i);
        const PythonFrame *right = g_ptr_array_index (second, second->len - i);

        if (!is_same (left, right)) {
            break;
        }
        common = left;
    }
    return common;
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

/* The thread with the lock runs. It is in what it was in both when it was read and when it was read again, if it still has the
 * lock then. Caller owns; NULL: not known. */
static char *
dup_holder (PythonRuntime *runtime, guint64 interpreter, guint64 holder)
{
    const PythonThread thread = { .state = holder, .interpreter = interpreter };
    g_autoptr (GPtrArray) first = read_frames (runtime, &thread);
    g_autoptr (GPtrArray) second = first != NULL ? read_frames (runtime, &thread) : NULL;
    const PythonFrame *common = second != NULL ? find_common (first, second) : NULL;

    return common != NULL && python_runtime_read_lock_holder (runtime, interpreter) == holder
               ? format_holder (common)
               : NULL;
}

guint64
engine_sampling_find_holder (PythonRuntime *runtime, const SampledThread *known)
{
    guint64 holder;

    if (runtime == NULL || known->python.state == 0) {
        return 0;
    }
    holder = python_runtime_read_lock_holder (runtime, known->python.interpreter);
    return holder != known->python.state ? holder : 0;
}

void
engine_sampling_note_holder (EngineProcess *process, EngineSampling *sampling,
                             const SampledThread *known, JobSample *sample, guint64 holder)
{
    PythonRuntime *runtime = engine_runtime_find (process);
    EngineSamplingHolder *last = &sampling->holder;
    JobLocation location = { 0 };

    if (sample->class != JOB_CLASS_GIL || holder == 0 || runtime == NULL || sampling->is_over) {
        return;
    }
    if (last->thread != holder || last->round != sampling->round) {
        g_free (last->text);
        last->text = dup_holder (runtime, known->python.interpreter, holder);
        last->thread = holder;
        last->round = sampling->round;
    }
    if (last->text != NULL) {
        location.function = last->text;
        sample->context = job_context_tree_add (sampling->tree, sample->context, &location,
                                                JOB_FRAME_LIBRARY);
    }
}

void
engine_sampling_note_holder_now (EngineProcess *process, EngineSampling *sampling,
                                 const SampledThread *known, JobSample *sample)
{
    if (sample->class == JOB_CLASS_GIL) {
        engine_sampling_note_holder (process, sampling, known, sample,
                                     engine_sampling_find_holder (engine_runtime_find (process),
                                                                  known));
    }
}
