/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stopped thread read whole, and the questions that a user's view asks of it. */
#include "stack/stack.h"
#include "stack/blend-private.h"
#include "stack/modules-private.h"
#include "base/array.h"

Stack *
stack_read (StackModules *modules, BaseMemoryReader *memory, const MachineRegisters *registers,
            PythonRuntime *python, const PythonThread *python_thread, guint max_frames)
{
    GPtrArray *python_frames = NULL;
    g_autoptr (GError) error = NULL;

    if (python != NULL && python_thread != NULL) {
        python_frames = python_runtime_read_frames (python, python_thread, &error);
        if (python_frames == NULL) {
            g_debug ("no Python frames: %s", error != NULL ? error->message : "unknown");
        }
    }
    return stack_make (modules, memory, registers, python, python_frames, max_frames);
}

/* Takes the frames. */
static Stack *
blend (StackModules *modules, BaseMemoryReader *memory, GArray *unwound, PythonRuntime *python,
       GPtrArray *python_frames, gboolean whole)
{
    g_autoptr (GArray) native = stack_add_tail_calls (modules, memory, unwound);
    Stack *stack = g_new0 (Stack, 1);

    stack->python = python_frames;
    if (stack->python != NULL) {
        stack_anchor_frames (modules, memory, native, python, stack->python);
    }
    for (guint i = 0; i < native->len; i++) {
        stack->incomplete |= g_array_index (native, StackNativeFrame, i).is_incomplete;
    }
    stack->n_native = native->len;
    stack->native = g_memdup2 (native->data, native->len * sizeof *stack->native);
    stack->frames = stack_blend (modules, native, python, stack->python, whole);
    return stack;
}

Stack *
stack_make (StackModules *modules, BaseMemoryReader *memory, const MachineRegisters *registers,
            PythonRuntime *python, GPtrArray *python_frames, guint max_frames)
{
    gboolean whole = python_frames != NULL || max_frames == 0;

    return blend (modules, memory,
                  stack_unwind (modules, memory, registers, whole ? 0 : max_frames), python,
                  python_frames, whole);
}

Stack *
stack_make_waiting (StackModules *modules, BaseMemoryReader *memory,
                    const MachineRegisters *registers, PythonRuntime *python,
                    GPtrArray *python_frames)
{
    return blend (modules, memory, stack_unwind_waiting (modules, memory, registers), python,
                  python_frames, TRUE);
}

void
stack_hide_inlined (Stack *stack, guint n)
{
    for (guint i = 0; i < stack->frames->len && n > 0;) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        if (job_frame_is_python (frame)) {
            i++;
            continue;
        }
        if (frame->native_index != 0 || (frame->flags & JOB_FRAME_INLINED) == 0) {
            return;
        }
        g_ptr_array_remove_index (stack->frames, i);
        stack->n_hidden++;
        n--;
    }
}

BASE_FREE_PUBLIC (stack_free, Stack, stack, g_clear_pointer (&stack->frames, g_ptr_array_unref);
                  g_free (stack->native); g_clear_pointer (&stack->python, g_ptr_array_unref))

GPtrArray *
stack_dup_shown (const Stack *stack, gboolean interpreter_frames)
{
    GPtrArray *shown = g_ptr_array_new ();

    BASE_EACH (stack->frames, JobFrame, frame) {
        if (interpreter_frames || (frame->flags & JOB_FRAME_INTERPRETER) == 0) {
            g_ptr_array_add (shown, frame);
        }
    }
    return shown;
}

JobLocation *
stack_dup_place (const Stack *stack, StackFindCall find_call)
{
    const char *call = NULL;
    const JobFrame *named = NULL, *own = NULL;
    JobLocation *place;

    BASE_EACH (stack->frames, const JobFrame, frame) {
        const char *name = find_call != NULL ? find_call (frame) : NULL;

        call = name != NULL ? name : call;
        if ((frame->flags & JOB_FRAME_INTERPRETER) != 0) {
            continue;
        }
        if (named == NULL && frame->location.function != NULL) {
            named = frame;
        }
        if (own == NULL && (frame->flags & JOB_FRAME_PROGRAM) != 0) {
            own = frame;
        }
        if ((frame->flags & JOB_FRAME_LIBRARY) == 0 && frame->location.line != 0) {
            place = job_location_dup (&frame->location);
            if (call != NULL) {
                g_free (place->function);
                place->function = g_strdup (call);
            }
            return place;
        }
    }
    if (call != NULL) {
        return job_location_new (call, NULL, 0);
    }
    named = own != NULL ? own : named;
    return named != NULL ? job_location_dup (&named->location) : NULL;
}
