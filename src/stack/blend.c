/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blend: each activation of the evaluation loop has an object on its part of the C stack
 * that Python's data points to, the anchor, which gives the place of its Python frames. Before
 * 3.11 there are no anchors: native frames of the evaluation loop are matched in order and
 * verified by the frame object's address in their stack slots. */
#include "stack/blend-private.h"
#include "base/array.h"
#include <string.h>

#define MAX_SLOT_BYTES 8192u

/* The part of the stack that native frame `index` owns is [sp, cfa). */
static const StackNativeFrame *
get_native (const GArray *native, guint index)
{
    return &g_array_index (native, StackNativeFrame, index);
}

static gboolean
is_evaluation (StackModules *modules, PythonRuntime *python, const GArray *native, guint index)
{
    guint64 pc = stack_get_lookup_pc (native, index);
    StackModule *module;
    IndexImage *image;
    IndexFrame found[1];
    guint64 start;
    guint64 end;

    python_runtime_get_image (python, &start, &end);
    if (pc < start || pc >= end) {
        return FALSE;
    }
    if (python_runtime_is_evaluation (python, pc)) {
        return TRUE;
    }
    /* Compilers move unlikely parts away as NAME.cold, NAME.lto_priv.0 and the like. */
    module = stack_modules_find (modules, pc);
    image = module != NULL ? stack_module_open_image (modules, module) : NULL;
    return image != NULL && index_image_find_frames (image, pc - module->bias, found, 1) > 0
           && found[0].function != NULL
           && g_str_has_prefix (found[0].function, "_PyEval_EvalFrameDefault");
}

static gboolean
has_in_slots (BaseMemoryReader *memory, const GArray *native, guint index, guint64 word)
{
    static const guint8 kept[] = { 3, 6, 12, 13, 14, 15 };
    const StackNativeFrame *frame = get_native (native, index);
    guint64 slots[MAX_SLOT_BYTES / 8];
    gsize size = frame->cfa > frame->sp ? MIN (frame->cfa - frame->sp, MAX_SLOT_BYTES) : 0;

    if (BASE_ANY (i, G_N_ELEMENTS (kept),
                  (frame->valid & 1u << kept[i]) != 0 && frame->registers[kept[i]] == word)) {
        return TRUE;
    }
    size = base_memory_read_some (memory, frame->sp, slots, size);
    return BASE_ANY (i, size / 8, slots[i] == word);
}

static void
match_by_slots (BaseMemoryReader *memory, const GArray *native, const GArray *evaluations,
                GPtrArray *python_frames)
{
    guint next = 0;

    BASE_EACH (python_frames, PythonFrame, frame) {
        for (guint k = next; k < evaluations->len; k++) {
            guint index = g_array_index (evaluations, guint, k);

            if (has_in_slots (memory, native, index, frame->frame)) {
                frame->anchor = get_native (native, index)->sp;
                next = k + 1;
                break;
            }
        }
    }
    /* to 3.9 a generator that something is thrown through links to nothing outside it */
    for (guint j = python_frames->len; j > 0 && next < evaluations->len; j--) {
        PythonFrame *frame = g_ptr_array_index (python_frames, j - 1);

        if (frame->anchor != 0) {
            break;
        }
        frame->anchor = get_native (native, g_array_index (evaluations, guint, next))->sp;
    }
}

/* A frame without such a slot goes just inside the next outer one. */
static void
fill_gaps (GPtrArray *python_frames)
{
    guint64 outer = 0;

    for (guint j = python_frames->len; j > 0; j--) {
        PythonFrame *frame = g_ptr_array_index (python_frames, j - 1);

        if (frame->anchor == 0) {
            frame->anchor = outer;
        }
        outer = frame->anchor;
    }
}

void
stack_anchor_frames (StackModules *modules, BaseMemoryReader *memory, const GArray *native,
                     PythonRuntime *python, GPtrArray *python_frames)
{
    g_autoptr (GArray) evaluations = g_array_new (FALSE, FALSE, sizeof (guint));
    guint extra;

    if (BASE_HAS (python_frames, const PythonFrame, frame, frame->anchor != 0)) {
        return;
    }
    for (guint i = 0; i < native->len; i++) {
        if (is_evaluation (modules, python, native, i)) {
            g_array_append_val (evaluations, i);
        }
    }
    /* One more on top is an activation that has popped its frame and not returned yet. */
    extra = evaluations->len == python_frames->len + 1 ? 1 : 0;
    if (evaluations->len - extra != python_frames->len) {
        match_by_slots (memory, native, evaluations, python_frames);
        fill_gaps (python_frames);
        return;
    }
    for (guint j = 0; j < python_frames->len; j++) {
        PythonFrame *frame = g_ptr_array_index (python_frames, j);

        frame->anchor = get_native (native, g_array_index (evaluations, guint, j + extra))->sp;
    }
}

static gboolean
is_start_file (const char *file)
{
    return strcmp (file, "<frozen runpy>") == 0 || g_str_has_suffix (file, "/runpy.py");
}

static JobFrame *
make_python_frame (const PythonFrame *from, guint index)
{
    JobFrame *frame = job_frame_new ();

    frame->location.function = g_strdup (from->function);
    frame->location.file = g_strdup (from->file);
    frame->location.line = from->line;
    frame->location.language = JOB_LANGUAGE_PYTHON;
    frame->pc = from->frame;
    frame->cfa = from->anchor;
    frame->native_index = index;
    if (from->setup || from->file == NULL || from->line == 0
        || python_is_library_file (from->file)) {
        frame->flags |= JOB_FRAME_LIBRARY;
    }
    if (from->is_incomplete) {
        frame->flags |= JOB_FRAME_INCOMPLETE;
    }
    if (from->file != NULL && python_is_agent_file (from->file)) {
        frame->flags |= JOB_FRAME_INTERPRETER;
    }
    return frame;
}

/* The outermost frames start the script: the runner, and runpy between it and the script. */
static void
hide_start (GPtrArray *frames)
{
    for (guint i = frames->len; i > 0; i--) {
        JobFrame *frame = g_ptr_array_index (frames, i - 1);
        const char *file = frame->location.file;

        if (!job_frame_is_python (frame)) {
            continue;
        }
        if (file == NULL || !(python_is_agent_file (file) || is_start_file (file))) {
            return;
        }
        frame->flags |= JOB_FRAME_INTERPRETER;
    }
}

/* The C library's functions that start a program or thread; in static programs recognised only
 * by name. */
static gboolean
is_start (const JobFrame *frame)
{
    static const char *const modules[] = { "libc.so", "libc-", "libpthread", "ld-linux" };
    const char *module = frame->location.module;
    const char *function = frame->location.function;

    return (module != NULL
            && BASE_ANY (i, G_N_ELEMENTS (modules), g_str_has_prefix (module, modules[i])))
           || (function != NULL
               && (strcmp (function, "_start") == 0
                   || g_str_has_prefix (function, "__libc_start")));
}

/* Outside main stands what the C library starts a program with; outside the interpreter's
 * outermost frame, what starts it or its thread. */
static void
hide_libc_start (GPtrArray *frames)
{
    guint first = frames->len;
    const JobFrame *user;
    gboolean is_interpreted;

    for (; first > 0; first--) {
        const JobFrame *frame = g_ptr_array_index (frames, first - 1);

        if (!is_start (frame) && (frame->flags & JOB_FRAME_INTERPRETER) == 0) {
            break;
        }
    }
    if (first == 0 || first == frames->len) {
        return;
    }
    user = g_ptr_array_index (frames, first - 1);
    is_interpreted = (((JobFrame *) g_ptr_array_index (frames, first))->flags
                      & JOB_FRAME_INTERPRETER)
                     != 0;
    if (!job_frame_is_python (user) && !is_interpreted
        && g_strcmp0 (user->location.function, "main") != 0) {
        return;
    }
    for (; first < frames->len; first++) {
        ((JobFrame *) g_ptr_array_index (frames, first))->flags |= JOB_FRAME_INTERPRETER;
    }
}

/* The mark of an incomplete unwind must not disappear with a hidden frame. */
static void
show_incomplete (GPtrArray *frames)
{
    JobFrame *shown = NULL;

    BASE_EACH (frames, JobFrame, frame) {
        if ((frame->flags & JOB_FRAME_INTERPRETER) == 0) {
            shown = frame;
        }
        if ((frame->flags & JOB_FRAME_INCOMPLETE) != 0 && shown != NULL) {
            shown->flags |= JOB_FRAME_INCOMPLETE;
        }
    }
}

typedef struct {
    gboolean has_others; /* a frame outside all Python frames is not the interpreter's */
    gboolean is_runner;  /* what is outside of here runs the program */
} Outside;

/* Other code can switch the interpreter to another stack of Python frames, as greenlet does. The frames of the
 * evaluation loop outside of that are known to nobody. */
static void
mark_switched (StackModules *modules, PythonRuntime *python, const GArray *native, guint index,
               GPtrArray *frames, Outside *outside)
{
    JobFrame *frame = g_ptr_array_index (frames, frames->len - 1);

    if (outside->is_runner) {
        return;
    }
    if (outside->has_others && is_evaluation (modules, python, native, index)) {
        frame->flags |= JOB_FRAME_INCOMPLETE;
    }
    outside->has_others |= (frame->flags & JOB_FRAME_INTERPRETER) == 0;
    outside->is_runner = g_strcmp0 (frame->location.function, "pddt_run_outermost") == 0;
}

GPtrArray *
stack_blend (StackModules *modules, const GArray *native, PythonRuntime *python,
             const GPtrArray *python_frames, gboolean whole)
{
    GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    guint n_python = python_frames != NULL ? python_frames->len : 0;
    Outside outside = { FALSE, FALSE };
    guint next = 0;

    for (guint i = 0; i < native->len; i++) {
        guint64 end = get_native (native, i)->cfa;
        guint before = next;

        for (; next < n_python; next++) {
            const PythonFrame *frame = g_ptr_array_index (python_frames, next);

            if (frame->anchor == 0 || frame->anchor >= end) {
                break;
            }
            g_ptr_array_add (frames, make_python_frame (frame, next));
        }
        stack_name_frame (modules, native, i, python, frames);
        if (n_python > 0 && before == n_python) {
            mark_switched (modules, python, native, i, frames, &outside);
        }
    }
    for (; whole && next < n_python; next++) {
        g_ptr_array_add (frames,
                         make_python_frame (g_ptr_array_index (python_frames, next), next));
    }
    hide_start (frames);
    hide_libc_start (frames);
    show_incomplete (frames);
    return frames;
}
