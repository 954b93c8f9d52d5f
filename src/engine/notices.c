/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells, or asks, one after the other those who have to be told. */
#include "engine/notices.h"

void
engine_tell (EngineProcess *process, const EngineProcessTold *list)
{
    for (guint i = 0; i < ENGINE_N_TOLD && list[i] != NULL; i++) {
        list[i](process);
    }
}

void
engine_tell_of_thread (EngineThread *thread, const EngineThreadTold *list)
{
    for (guint i = 0; i < ENGINE_N_TOLD && list[i] != NULL; i++) {
        list[i](thread);
    }
}

gboolean
engine_ask (EngineProcess *process, const EngineProcessAsked *list)
{
    gboolean answer = FALSE;

    for (guint i = 0; !answer && i < ENGINE_N_TOLD && list[i] != NULL; i++) {
        answer = list[i](process);
    }
    return answer;
}

gboolean
engine_ask_of_thread (EngineThread *thread, const EngineThreadAsked *list)
{
    gboolean answer = FALSE;

    for (guint i = 0; !answer && i < ENGINE_N_TOLD && list[i] != NULL; i++) {
        answer = list[i](thread);
    }
    return answer;
}

gboolean
engine_ask_of_event (EngineThread *thread, TargetStopKind kind, const EngineEventAsked *list)
{
    gboolean answer = FALSE;

    for (guint i = 0; !answer && i < ENGINE_N_TOLD && list[i] != NULL; i++) {
        answer = list[i](thread, kind);
    }
    return answer;
}
