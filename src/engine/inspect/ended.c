/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries about a rank that has ended: its files, the initial values of its variables, and what
 * does not depend on a process. */
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"

/* Without a place these are about a frame. */
static gboolean
is_about_frame (const JobRequest *request)
{
    return request->verb == JOB_VERB_INFO && g_strcmp0 (request->text, "symbol") != 0
           && request->where.kind == JOB_WHERE_NONE;
}

static gboolean
answer (EngineInspection *look, const JobRequest *request, GError **error)
{
    JobFrame frame = { 0 };

    if (is_about_frame (request)) {
        base_error_set (error, BASE_ERROR_GONE, "the rank has ended: it has no frame");
        return FALSE;
    }
    return request->verb == JOB_VERB_INFO
               ? engine_inspect_answer_info_in (look, request, &frame, error)
               : engine_inspect_answer_in_frame (look, request, &frame, error);
}

static gboolean
may_answer (const JobRequest *request)
{
    switch (request->verb) {
    case JOB_VERB_PRINT:
    case JOB_VERB_PRINTF:
    case JOB_VERB_WHATIS:
    case JOB_VERB_PTYPE:
    case JOB_VERB_GLOBALS:
    case JOB_VERB_INFO: return (request->flags & JOB_REQUEST_ENDED) != 0;
    default: return FALSE;
    }
}

void
engine_remains_answer (EngineProcess *process, const JobRequest *request)
{
    EngineInspection look = { .process = process };
    g_autoptr (GError) error = NULL;

    if (!may_answer (request) || !engine_remains_lend (process)) {
        base_error_set (&error, BASE_ERROR_GONE, "cannot inspect the rank: the rank has ended");
        engine_emit_failure (process, request->id, error);
        return;
    }
    if (!answer (&look, request, &error)) {
        engine_emit_failure (process, request->id, error);
    }
    engine_remains_take_back (process);
}
