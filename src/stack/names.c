/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names native frames from the index, adds frames for inlined functions, and sets the flags for
 * the kind of code. */
#include "stack/blend-private.h"
#include "job/library.h"
#include <glib/gi18n.h>
#include <string.h>

#define MAX_INLINED 64u

guint64
stack_get_lookup_pc (const GArray *native, guint index)
{
    const StackNativeFrame *frame = &g_array_index (native, StackNativeFrame, index);

    return index == 0 || frame->is_signal || frame->is_trampoline ? frame->pc : frame->pc - 1;
}

static gboolean
has_prefix_of (const char *name, const char *const *prefixes)
{
    for (guint i = 0; prefixes[i] != NULL; i++) {
        if (g_str_has_prefix (name, prefixes[i])) {
            return TRUE;
        }
    }
    return FALSE;
}

/* CPython's own code, what it calls C through, and ours. */
static gboolean
is_interpreter (const StackModuleEntry *entry, const char *name, PythonRuntime *python,
                guint64 pc)
{
    static const char *const ours[] = { "pddt_agent", "pddt_trace", "libpddt-", NULL };
    static const char *const python_only[] = { "_ctypes.", "libffi.", "libpython3", NULL };
    guint64 start;
    guint64 end;

    if (has_prefix_of (name, ours)) {
        return TRUE;
    }
    if (python == NULL) {
        return FALSE;
    }
    python_runtime_get_image (python, &start, &end);
    return (pc >= start && pc < end) || has_prefix_of (name, python_only)
           || (entry->module.is_executable && g_str_has_prefix (name, "python"));
}

/* Message passing libraries are never a user's place, with lines or without. */
static gboolean
is_library (const StackModuleEntry *entry, const char *name)
{
    return entry->is_system || g_str_has_prefix (name, "libpddt-")
           || job_library_get_kind (name) == JOB_LIBRARY_MPI;
}

static JobFrame *
make_frame (const GArray *native, guint index)
{
    const StackNativeFrame *from = &g_array_index (native, StackNativeFrame, index);
    JobFrame *frame = job_frame_new ();

    frame->pc = from->pc;
    frame->cfa = from->cfa;
    frame->native_index = index;
    if (from->is_trampoline) {
        frame->flags |= JOB_FRAME_SIGNAL;
    }
    return frame;
}

static void
fill_location (JobFrame *frame, const IndexFrame *from)
{
    frame->location.function = g_strdup (from->function);
    frame->location.file = from->line != 0 ? g_strdup (from->file) : NULL;
    frame->location.line = from->file != NULL ? from->line : 0;
    frame->location.language = from->language;
    if (from->inlined) {
        frame->flags |= JOB_FRAME_INLINED;
    }
}

static const char *
get_file_name (const StackModuleEntry *entry)
{
    const char *slash = strrchr (entry->module.path, '/');

    return slash != NULL ? slash + 1 : entry->module.path;
}

gboolean
stack_modules_has_library_at (StackModules *modules, guint64 address)
{
    const StackModuleEntry *entry = stack_modules_find_entry (modules, address);

    return entry == NULL || is_library (entry, get_file_name (entry));
}

static void
finish_frame (JobFrame *frame, const StackModuleEntry *entry, PythonRuntime *python, guint64 pc)
{
    const char *name = "";

    if (entry != NULL) {
        name = get_file_name (entry);
        frame->location.module = g_strdup (name);
        frame->location.offset = frame->pc - entry->module.bias;
        if (is_interpreter (entry, name, python, pc)) {
            frame->flags |= JOB_FRAME_INTERPRETER;
        } else if (entry->module.is_executable) {
            frame->flags |= JOB_FRAME_PROGRAM;
        }
    }
    if ((frame->flags & JOB_FRAME_SIGNAL) != 0 && frame->location.line == 0) {
        g_free (frame->location.function);
        frame->location.function = g_strdup (N_ ("<signal handler called>"));
    }
    if (entry == NULL || frame->location.line == 0 || is_library (entry, name)) {
        frame->flags |= JOB_FRAME_LIBRARY;
    }
}

/* What Cython's modules call their functions through, and call each other and the interpreter with. */
static gboolean
is_cythons_own (const JobFrame *frame)
{
    static const char *const names[] = { "__Pyx_",
                                         "__pyx_getprop_",
                                         "__pyx_setprop_",
                                         "__pyx_specialmethod_",
                                         "__pyx_FusedFunction_",
                                         NULL };

    return frame->location.function != NULL && has_prefix_of (frame->location.function, names);
}

/* One call is one frame: what unpacks the arguments of a function of Cython and calls it has the same name. */
static gboolean
is_wrapper_of (const IndexFrame *frame, const GPtrArray *frames)
{
    const JobFrame *inner = frames->len > 0 ? g_ptr_array_index (frames, frames->len - 1)
                                            : NULL;

    return frame->is_wrapper && inner != NULL && !job_frame_is_python (inner)
           && g_strcmp0 (inner->location.function, frame->function) == 0;
}

/* The function that begins at the address; 0 or 1. */
static guint
find_start (const IndexImage *image, guint64 address, IndexFrame *ret_frame)
{
    return index_image_find_frames (image, address, ret_frame, 1) == 1
           && ret_frame->low == address && !ret_frame->inlined;
}

void
stack_name_frame (StackModules *modules, const GArray *native, guint index,
                  PythonRuntime *python, GPtrArray *frames)
{
    guint64 pc = stack_get_lookup_pc (native, index);
    StackModuleEntry *entry = stack_modules_find_entry (modules, pc);
    IndexImage *image = entry != NULL ? stack_module_open_image (modules, &entry->module)
                                      : NULL;
    IndexFrame found[MAX_INLINED];
    guint n_found = 0;
    guint first = frames->len;

    if (image != NULL) {
        n_found = index_image_find_frames (image, pc - entry->module.bias, found, MAX_INLINED);
        if (n_found == 0 && pc + 1 == g_array_index (native, StackNativeFrame, index).pc) {
            /* code that was not called begins right after */
            n_found = find_start (image, pc + 1 - entry->module.bias, found);
        }
        n_found = MIN (n_found, MAX_INLINED);
    }
    for (guint i = 0; i < MAX (n_found, 1); i++) {
        JobFrame *frame = make_frame (native, index);

        if (i < n_found) {
            fill_location (frame, &found[i]);
        }
        finish_frame (frame, entry, python, pc);
        if (i < n_found && python != NULL
            && (is_wrapper_of (&found[i], frames) || is_cythons_own (frame))) {
            frame->flags |= JOB_FRAME_INTERPRETER;
        }
        g_ptr_array_add (frames, frame);
    }
    if (frames->len > first) {
        JobFrame *last = g_ptr_array_index (frames, frames->len - 1);
        const StackNativeFrame *from = &g_array_index (native, StackNativeFrame, index);

        last->flags |= (from->is_incomplete ? JOB_FRAME_INCOMPLETE : 0)
                       | (from->is_tail_call ? JOB_FRAME_TAIL_CALL : 0)
                       | (from->is_after_gap ? JOB_FRAME_AFTER_GAP : 0);
    }
}
