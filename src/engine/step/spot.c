/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The position of a step: line, function, and inlined calls around it; the selected frame, and
 * the place that the user names. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/step/private.h"

guint
engine_spot_hash_file (const char *file)
{
    return file != NULL ? g_str_hash (file) : 0;
}

gboolean
engine_spot_find (EngineProcess *process, guint64 home, guint64 pc, guint n_hidden,
                  EngineSpot *spot)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    guint64 address = pc - (module != NULL ? module->bias : 0);

    *spot = (EngineSpot){ 0 };
    if (image == NULL) {
        return FALSE;
    }
    spot->module = module->start;
    spot->n_frames = index_image_find_frames (image, address, spot->frames, ENGINE_MAX_INLINED);
    if (!engine_modules_has_lines (process, pc, home)
        || !index_image_find_step_range (image, address, &spot->low, &spot->high, &spot->line)
        || spot->line == 0) {
        return FALSE;
    }
    spot->is_statement = index_image_is_statement (image, address);
    spot->is_row = index_image_is_row (image, address, &spot->row_end);
    if (spot->n_frames > 0) {
        spot->file = engine_spot_hash_file (spot->frames[0].file);
        spot->n_hidden = MIN (n_hidden, spot->n_frames - 1);
    }
    spot->low += module->bias;
    spot->high += module->bias;
    spot->row_end += module->bias;
    return TRUE;
}

guint32
engine_spot_get_outer (const EngineSpot *spot)
{
    return spot->n_frames > 0 ? spot->frames[spot->n_frames - 1].instance : G_MAXUINT32;
}

guint32
engine_spot_get_shown (const EngineSpot *spot)
{
    return spot->n_frames > 0 ? spot->frames[spot->n_hidden].instance : G_MAXUINT32;
}

gboolean
engine_spot_is_inside (const EngineSpot *spot, guint32 instance)
{
    for (guint i = spot->n_hidden + 1; i < spot->n_frames; i++) {
        if (spot->frames[i].instance == instance) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The number of the frame that a finish leaves. */
static guint32
find_left (EngineProcess *process, GPtrArray *shown)
{
    guint32 place = engine_inspect_get_selected (process);

    if (process->frame_is_chosen || place == process->selected_frame || place >= shown->len
        || job_frame_is_python (g_ptr_array_index (shown, place))) {
        return process->selected_frame;
    }
    return place - 1;
}

EngineSelected
engine_step_find_selected (EngineProcess *process)
{
    Stack *stack = engine_inspect_get_stack (process);
    g_autoptr (GPtrArray) shown = stack != NULL ? engine_inspect_dup_shown (process, stack)
                                                : NULL;
    EngineSelected selected = { 0 };

    guint32 number = shown != NULL ? find_left (process, shown) : 0;

    if (shown == NULL || number >= shown->len) {
        return selected;
    }
    const JobFrame *frame = g_ptr_array_index (shown, number);
    if (job_frame_is_python (frame) || frame->native_index >= stack->n_native) {
        return selected;
    }
    selected.unwound = stack->native[frame->native_index].unwound;
    selected.depth = engine_inspect_count_inlined (stack, frame);
    selected.is_inlined = (frame->flags & JOB_FRAME_INLINED) != 0;
    return selected;
}

gboolean
engine_step_find_where (EngineProcess *process, const JobRequest *request, GPtrArray *places,
                        GError **error)
{
    gboolean known = FALSE;
    g_autofree char *text = NULL;

    engine_modules_find_places (process, &request->where, NULL, places, &known);
    if (places->len > 0) {
        return TRUE;
    }
    text = job_where_format (&request->where);
    base_error_set (error, BASE_ERROR_NOT_FOUND, "no code at %s", text != NULL ? text : "?");
    return FALSE;
}

/* A place of Python, or of nothing that is known, where Python is selected. */
static void
say_no_place (EngineProcess *process, GError **error)
{
    const JobFrame *frame = engine_inspect_find_frame (process, process->selected_frame, NULL);

    if (frame != NULL && job_frame_is_python (frame)) {
        g_clear_error (error);
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot jump in Python: only native code can go on at another place");
    }
}

gboolean
engine_step_jump (EngineProcess *process, const JobRequest *request, GError **error)
{
    g_autoptr (GPtrArray) places
        = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    EngineThread *thread = engine_process_get_selected (process);
    guint chosen = 0;
    IndexImage *image = NULL;
    StackModule *module;
    IndexFrame frame = { 0 };

    if (thread == NULL || !engine_step_find_where (process, request, places, error)) {
        if (error != NULL && *error == NULL) {
            base_error_set (error, BASE_ERROR_GONE, "cannot jump: the thread has ended");
        } else {
            say_no_place (process, error);
        }
        return FALSE;
    }
    module = engine_modules_find_image (process, engine_thread_get_pc (thread), &image);
    if (image != NULL) {
        index_image_find_frames (image, engine_thread_get_pc (thread) - module->bias, &frame,
                                 1);
    }
    for (guint i = 0; i < places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (places, i);

        if (frame.function != NULL
            && g_strcmp0 (place->location->function, frame.function) == 0) {
            chosen = i;
        }
    }
    engine_thread_set_pc (thread,
                          ((const EnginePlace *) g_ptr_array_index (places, chosen))->address);
    thread->handled_trap = 0;
    return TRUE;
}
