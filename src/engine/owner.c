/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose rights the helpers get that read a process: its user's as it was first seen. An exec can give the
 * program more rights, and one that began as root can give its own up; here they never grow. */
#include "engine/private.h"
#include <string.h>

void
engine_owner_note (EngineProcess *process)
{
    if (process->pid > 0) {
        process->has_owner = base_owner_read (process->pid, &process->owner);
    }
}

/* Takes over who it is now, where that is less than before. */
static gboolean
update (EngineProcess *process, const BaseOwner *now)
{
    if (!process->has_owner || (process->owner.uid == 0 && now->uid != 0)) {
        process->owner = *now;
        process->has_owner = TRUE;
    }
    return now->uid == process->owner.uid;
}

gboolean
engine_owner_is_plain (EngineProcess *process)
{
    BaseOwner now;

    return process->pid > 0 && base_owner_read (process->pid, &now) && update (process, &now)
           && now.is_plain;
}
