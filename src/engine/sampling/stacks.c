/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a thread was, as the tree of contexts has it. */
#include "engine/sampling/private.h"

/* Code without a name is one function from its beginning to its end, as the unwind tables tell them. */
static JobLocation
find_function (StackModules *modules, const JobFrame *frame)
{
    JobLocation location = frame->location; /* borrowed */
    guint64 pc = frame->native_index == 0 ? frame->pc : frame->pc - 1, start, end;

    if (location.function == NULL && location.module != NULL
        && stack_find_code_range (modules, pc, &start, &end)) {
        location.offset -= frame->pc - start;
    }
    return location;
}

guint32
engine_sampling_add_stack (EngineProcess *process, StackModules *modules, JobContextTree *tree,
                           const Stack *stack)
{
    g_autoptr (GPtrArray) shown = stack_dup_shown (stack, process->engine->interpreter_frames);
    guint32 context = 0;

    for (guint i = shown->len; i > 0; i--) {
        const JobFrame *frame = g_ptr_array_index (shown, i - 1);
        JobLocation location = find_function (modules, frame);

        context = job_context_tree_add (tree, context, &location, frame->flags);
    }
    return context;
}
