/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers of the selected frame. All registers of the innermost frame are known, and
 * in outer frames those that calls preserve. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "target/core.h"
#include "machine/names.h"
#include "machine/show.h"
#include <string.h>

gboolean
engine_inspect_names_register (const char *text)
{
    for (const char *at = strchr (text, '$'); at != NULL; at = strchr (at + 1, '$')) {
        gsize length = strspn (at + 1, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_");
        g_autofree char *name = g_strndup (at + 1, length);
        MachineRegisterName found;

        if (strcmp (name, "fp") == 0 || machine_register_find (name, &found)) {
            return TRUE;
        }
    }
    return FALSE;
}

MachineVectors
engine_inspect_find_vectors (const EngineProcess *process, GBytes *state)
{
    return process->core != NULL ? target_core_find_vectors (process->core, state)
                                 : machine_vectors_find ();
}

static void
add_register (const char *name, const char *value, gpointer details)
{
    g_ptr_array_add (details, job_detail_new (JOB_DETAIL_REGISTER, 0, name, value));
}

static void
add_extended (GPtrArray *details, EngineThread *thread)
{
    g_autoptr (GBytes) bytes = engine_thread_read_extended (thread);
    MachineVectors vectors = { 0 };
    gsize size = 0;
    const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

    if (bytes != NULL) {
        vectors = engine_inspect_find_vectors (thread->process, bytes);
    }
    machine_show_extended (data, size, &vectors, add_register, details);
}

gboolean
engine_inspect_answer_registers (EngineInspection *look, const JobRequest *request,
                                 GError **error)
{
    EngineProcess *process = look->process;
    const JobFrame *frame = engine_inspect_find_frame (process, process->selected_frame, error);
    g_autoptr (GPtrArray) details = job_detail_list_new ();
    const StackNativeFrame *native;

    if (frame == NULL) {
        return FALSE;
    }
    if (job_frame_is_python (frame) || frame->native_index >= process->stack->n_native) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "a Python frame has no registers: choose a native one with up or down");
        return FALSE;
    }
    native = &process->stack->native[frame->native_index];
    machine_show_general (native->registers, native->valid, add_register, details);
    if (frame->native_index == 0) {
        machine_show_control (&engine_process_get_selected (process)->registers, add_register,
                              details);
        add_extended (details, engine_process_get_selected (process));
    }
    return engine_inspect_answer_details (look, request->id, g_steal_pointer (&details));
}
