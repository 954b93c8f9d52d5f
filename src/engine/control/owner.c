/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user whose rights the helpers get that read a process: its owner when first seen, which of one that is attached to is
 * when its memory is first looked at. An exec can give the program more rights, and a program that began as root can drop its
 * own; these rights never increase. */
#include "engine/control/private.h"
#include <unistd.h>

/* Root reads another user's files with that user's rights; anybody else has only his own. */
static void
choose_symbols (EngineProcess *process)
{
    Engine *engine = process->engine;
    gpointer key = GUINT_TO_POINTER (process->owner.uid);

    process->symbols = engine->symbols;
    if (engine->symbols == NULL || geteuid () != 0 || !process->has_owner
        || process->owner.uid == 0) {
        return;
    }
    if (engine->other_symbols == NULL) {
        engine->other_symbols = g_hash_table_new_full (NULL, NULL, NULL,
                                                       (GDestroyNotify) index_client_free);
    }
    process->symbols = g_hash_table_lookup (engine->other_symbols, key);
    if (process->symbols == NULL) {
        process->symbols = index_client_new_for (engine->options.symbols_socket,
                                                 process->owner.uid, process->owner.gid);
        index_client_set_waiter (process->symbols, &engine_work_waiter);
        g_hash_table_insert (engine->other_symbols, key, process->symbols);
    }
}

void
engine_owner_note (EngineProcess *process)
{
    if (process->pid > 0 && process->launched) {
        process->has_owner = base_owner_read (process->pid, &process->owner);
    }
    choose_symbols (process);
}

/* Takes over who it is now, where that is less than before. */
static gboolean
update (EngineProcess *process, const BaseOwner *now)
{
    if (!process->has_owner || (process->owner.uid == 0 && now->uid != 0)) {
        process->owner = *now;
        process->has_owner = TRUE;
        choose_symbols (process);
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

void
engine_owner_refresh (EngineProcess *process)
{
    BaseOwner now;

    if (process->has_owner && process->owner.uid != 0) {
        return; /* nobody has less */
    }
    if (process->pid > 0 && base_owner_read (process->pid, &now)) {
        update (process, &now);
    }
}
