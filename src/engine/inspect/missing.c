/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was compiled without -g says so, instead of "no variables". */
#include "base/error.h"
#include "engine/inspect/private.h"

char *
engine_inspect_dup_undescribed (EngineProcess *process, guint64 pc, const JobLocation *place)
{
    const StackModule *module = stack_modules_find (engine_process_get_modules (process), pc);

    if (module != NULL && stack_module_get_loss (module) != NULL) {
        return g_strdup (stack_module_get_loss (module));
    }
    if (module == NULL) { /* a program's own code, or no code at all */
        return g_strdup_printf ("no debug information for %s: it belongs to no file",
                                place->function != NULL ? place->function : "this place");
    }
    return g_strdup_printf ("no debug information for %s in %s: compile it with -g",
                            place->function != NULL ? place->function : "this place",
                            place->module != NULL ? place->module : "the program");
}

gboolean
engine_inspect_check_described (EngineProcess *process, const JobFrame *frame, GError **error)
{
    g_autofree char *text = NULL;

    if (job_frame_is_python (frame) || frame->location.line != 0) {
        return TRUE;
    }
    text = engine_inspect_dup_undescribed (process, frame->pc, &frame->location);
    base_error_set (error, BASE_ERROR_NOT_FOUND, "%s", text);
    return FALSE;
}
