/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that a step passes over as if they had no lines: by their names, or by their files (skip).
 * Cython's own functions are such. */
#include "engine/modules/modules.h"
#include "engine/step/private.h"
#include "job/where.h"
#include <string.h>

void
engine_skip_set (Engine *engine, const char *lines)
{
    g_strfreev (engine->skips);
    engine->skips = *lines != '\0' ? g_strsplit (lines, "\n", -1) : NULL;
}

static gboolean
matches (const char *line, const IndexFrame *frame)
{
    if (g_str_has_prefix (line, JOB_SKIP_FUNCTION))
        return frame->function != NULL
               && job_where_match_function (line + strlen (JOB_SKIP_FUNCTION), frame->function);
    return g_str_has_prefix (line, JOB_SKIP_FILE) && frame->file != NULL
           && job_where_match_file (line + strlen (JOB_SKIP_FILE), frame->file);
}

static guint
find_frames (EngineProcess *process, guint64 pc, IndexFrame *frames)
{
    IndexImage *image;
    StackModule *module = engine_modules_find_image (process, pc, &image);

    return image != NULL
               ? index_image_find_frames (image, pc - module->bias, frames, ENGINE_MAX_INLINED)
               : 0;
}

gboolean
engine_skip_is_wanted (EngineProcess *process, guint64 pc, const char *name)
{
    IndexFrame frames[ENGINE_MAX_INLINED];
    guint n = find_frames (process, pc, frames);
    guint64 address;

    return (n > 0 && g_strcmp0 (frames[n - 1].function, name) == 0)
           || (engine_process_find_symbol (process, name, &address) && address == pc);
}

gboolean
engine_skip_has (EngineProcess *process, guint64 pc)
{
    char **skips = process->engine->skips;
    IndexImage *image = NULL;
    StackModule *module = engine_modules_find_image (process, pc, &image);
    IndexFrame frames[ENGINE_MAX_INLINED];
    guint n = find_frames (process, pc, frames);

    if (module != NULL && image != NULL && index_image_is_glue (image, pc - module->bias))
        return TRUE;
    for (guint i = 0; n > 0 && skips != NULL && skips[i] != NULL; i++)
        if (matches (skips[i], &frames[n - 1])) /* what is inlined into it goes with it */
            return TRUE;
    return FALSE;
}
