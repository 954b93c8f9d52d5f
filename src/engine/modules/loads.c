/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which libraries a measured rank has loaded is read from its loader's list before each of its samples. Nothing is
 * planted in such a rank: a trap would end a program that blocks SIGTRAP, and costs two stops for each library. */
#include "base/hash.h"
#include "engine/control/control.h"
#include "engine/modules/private.h"
#include <elf.h>
#include <string.h>

/* The map is read so often whatever the list says: not every loader has one, or has all its libraries in it. */
#define LOOK_US (4 * G_USEC_PER_SEC)
/* Where there is a list and none could be read, or code in no file, the map is read again and again: at first at each
 * look, and more and more rarely as long as that brings nothing. */
#define FIRST_PAUSE_US 10000
#define MOST_PAUSE_US G_USEC_PER_SEC
#define FRESH_US 1000 /* for the threads of a round it is looked at once */
#define MAX_LISTED 10000u
#define MAX_NAME 64u
#define STATE_COMING 1u

/* link.h, as the loaders of glibc and musl have them. */
typedef struct {
    guint64 bias, name, dynamic, next, previous;
} Listed;

typedef struct {
    gint32 version;
    guint64 first, trap;
    guint32 state; /* 0: the list is consistent; STATE_COMING: libraries are being mapped */
} List;

static void
find_list (EngineProcess *process)
{
    EngineLoads *loads = &process->map->loads;

    if (!loads->is_sought) {
        loads->is_sought = TRUE;
        loads->list_at = engine_modules_find_list (process);
        /* glibc's own data, which begin with the list's first library and how many there are */
        if (loads->list_at != 0
            && !engine_process_find_shared (process, "_rtld_global", STT_OBJECT, TRUE,
                                            &loads->count_at)) {
            loads->count_at = 0;
        }
    }
}

/* 0: there is none yet. */
static guint64
read_address (EngineProcess *process, guint64 at)
{
    guint64 address = 0;

    return at != 0
                   && base_memory_read_u64 (engine_process_get_memory (process), at, &address,
                                            NULL)
               ? address
               : 0;
}

/* New libraries come behind the last one. *ret_name: of its name. 0: it is not known. */
static guint64
find_last (BaseMemoryReader *memory, guint64 at, guint64 *ret_name)
{
    Listed listed;

    for (guint i = 0; at != 0 && i < MAX_LISTED
                      && base_memory_read (memory, at, &listed, sizeof listed, NULL);
         i++) {
        if (listed.next == 0) {
            *ret_name = listed.name;
            return at;
        }
        at = listed.next;
    }
    return 0;
}

/* What changes with each library that comes or goes. 0: the list cannot be read, or is just being changed: *ret_is_coming:
 * libraries come, no code of which runs yet. */
static guint64
hash_list (EngineProcess *process, gboolean *ret_is_coming)
{
    const EngineLoads *loads = &process->map->loads;
    BaseMemoryReader *memory = engine_process_get_memory (process);
    struct {
        List list;
        Listed last;
        guint64 count[2];
        char name[MAX_NAME];
    } seen;
    BaseMemoryItem items[] = { { loads->list, &seen.list, sizeof seen.list, 0 },
                               { loads->last, &seen.last, sizeof seen.last, 0 },
                               { loads->last_name, seen.name, sizeof seen.name, 0 },
                               { loads->count_at, seen.count, sizeof seen.count, 0 } };

    *ret_is_coming = FALSE;
    if (memory == NULL || loads->list == 0 || loads->last == 0) {
        return 0;
    }
    memset (&seen, 0, sizeof seen);
    memory->read (memory, items, loads->count_at != 0 ? 4 : 3);
    *ret_is_coming = items[0].done == sizeof seen.list && seen.list.state == STATE_COMING;
    if (items[0].done < sizeof seen.list || items[1].done < sizeof seen.last
        || seen.list.state != 0 || seen.last.next != 0) {
        return 0;
    }
    return base_hash_bytes (0, &seen, sizeof seen) | 1;
}

void
engine_loads_note (EngineProcess *process)
{
    EngineLoads *loads = &process->map->loads;
    BaseMemoryReader *memory = engine_process_get_memory (process);
    gboolean is_coming;

    loads->read_us = loads->looked_us = g_get_monotonic_time ();
    loads->list = read_address (process, loads->list_at);
    loads->last = loads->list != 0
                      ? find_last (memory,
                                   read_address (process,
                                                 loads->list + G_STRUCT_OFFSET (List, first)),
                                   &loads->last_name)
                      : 0;
    loads->hash = hash_list (process, &is_coming);
}

void
engine_loads_note_result (EngineProcess *process, gboolean is_changed)
{
    EngineLoads *loads = &process->map->loads;

    loads->pause_us = is_changed ? 0
                                 : CLAMP (2 * loads->pause_us, FIRST_PAUSE_US, MOST_PAUSE_US);
}

gboolean
engine_loads_have_changed (EngineProcess *process)
{
    EngineLoads *loads = &process->map->loads;
    gint64 now = g_get_monotonic_time (), passed_us = now - loads->read_us;
    gboolean is_coming;

    if (!process->engine->is_measured || now - loads->looked_us < FRESH_US
        || engine_process_get_modules (process) == NULL) {
        return FALSE;
    }
    loads->looked_us = now;
    find_list (process);
    if (loads->list_at == 0 || passed_us >= LOOK_US) {
        return passed_us >= LOOK_US;
    }
    if (loads->hash == 0) {
        return passed_us >= loads->pause_us;
    }
    return hash_list (process, &is_coming) != loads->hash && !is_coming;
}

gboolean
engine_modules_look_again (EngineProcess *process)
{
    const EngineLoads *loads = &process->map->loads;
    guint64 before = process->map_hash;

    if (!process->engine->is_measured
        || g_get_monotonic_time () - loads->read_us < loads->pause_us) {
        return FALSE;
    }
    engine_process_refresh_modules (process);
    return process->map_hash != before;
}
