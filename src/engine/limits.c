/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of a value is shown. */
#include "engine/private.h"

EvaluateLimits
engine_find_limits (const Engine *engine, const JobRequest *request)
{
    EvaluateLimits limits = engine->limits;

    if (request->flags & JOB_REQUEST_WHOLE) {
        limits.depth = ENGINE_MAX_DEPTH;
        limits.items = ENGINE_MAX_ITEMS;
        limits.bytes = ENGINE_MAX_BYTES;
        limits.repeats = 0;
    }
    return limits;
}
