/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators and their collectives, of the recorder's tables, as the values that the front end knows. */
#include "engine/queue/private.h"
#include <string.h>

static GArray *
dup_members (const EngineQueueFilling *filling, guint32 first, guint32 count)
{
    GArray *members;

    if (count == 0 || count > PDDT_QUEUE_MEMBERS || first > PDDT_QUEUE_MEMBERS - count
        || first + count > filling->copy->queue->members_high) {
        return NULL;
    }
    members = g_array_sized_new (FALSE, FALSE, sizeof (guint32), count);
    g_array_append_vals (members, filling->copy->members + first, count);
    return members;
}

/* Whose copy it is, in words; `maker` tells the library that made it. */
static char *
dup_hidden_name (const EngineQueueFilling *filling, const struct pddt_queue_communicator *entry)
{
    const struct pddt_queue_communicator *parent
        = engine_queue_find_communicator (filling, entry->parent);
    StackModule *module
        = entry->maker != 0 && engine_process_get_modules (filling->process) != NULL
              ? stack_modules_find (engine_process_get_modules (filling->process), entry->maker)
              : NULL;
    gboolean is_mpi4py = module != NULL && strstr (module->path, "mpi4py") != NULL;
    g_autofree char *of = parent != NULL && parent->name[0] != '\0'
                              ? g_strdup (parent->name)
                              : g_strdup_printf ("communicator #%04x",
                                                 (guint) (entry->parent & 0xffff));

    return g_strdup_printf ("%s of %s", is_mpi4py ? "mpi4py internal" : "a library's copy", of);
}

static char *
dup_window_name (const EngineQueueFilling *filling, const struct pddt_queue_communicator *entry)
{
    const struct pddt_queue_communicator *parent
        = entry->maker != 0 ? engine_queue_find_communicator (filling, entry->parent) : NULL;

    return parent != NULL && parent->name[0] != '\0'
               ? g_strdup_printf ("window of %s", parent->name)
               : g_strdup ("window");
}

/* After its birth: "the communicator of MPI_Comm_split (a.c:12)", with its number where this rank has several of one
 * line; NULL: not known, or not asked for. */
static char *
dup_birth_name (const EngineQueueFilling *filling, const struct pddt_queue_communicator *entry)
{
    const struct pddt_queue *queue = filling->copy->queue;
    g_autofree char *call = NULL, *file = NULL;
    JobLocation *place;
    char *name = NULL;
    guint n = 0;

    if (entry->call == 0 || entry->maker == 0 || filling->is_short) {
        return NULL;
    }
    call = engine_queue_dup_name (filling, entry->call);
    place = engine_queue_dup_place (filling, entry->maker);
    if (call != NULL && place != NULL && place->file != NULL && place->line > 0) {
        for (guint32 i = 0; i < queue->communicators_high; i++) {
            n += filling->copy->communicators[i].in_use
                 && filling->copy->communicators[i].maker == entry->maker;
        }
        file = g_path_get_basename (place->file);
        name = n > 1 ? g_strdup_printf ("the communicator #%04x of %s (%s:%u)",
                                        (guint) (entry->id & 0xffff), call, file, place->line)
                     : g_strdup_printf ("the communicator of %s (%s:%u)", call, file,
                                        place->line);
    }
    job_location_free (place);
    return name;
}

/* Neighbours as ranks of the job. */
static GArray *
dup_neighbours (const EngineQueueFilling *filling, const struct pddt_queue_communicator *entry,
                guint32 first, guint32 count)
{
    GArray *list = filling->is_short ? NULL : dup_members (filling, first, count);

    for (guint i = 0; list != NULL && i < list->len; i++) {
        gint32 rank = engine_queue_map_peer (filling, entry->id,
                                             g_array_index (list, gint32, i));

        g_array_index (list, guint32, i) = rank >= 0 ? (guint32) rank : G_MAXUINT32;
    }
    return list;
}

/* NULL: they are no longer kept. */
static GArray *
dup_shares (const EngineQueueFilling *filling, guint64 first, guint32 count)
{
    guint64 n = filling->copy->queue->n_shares;
    GArray *shares;

    if (count == 0 || count > PDDT_QUEUE_SHARES || first > n || first + count > n
        || n - first > PDDT_QUEUE_SHARES) {
        return NULL;
    }
    shares = g_array_sized_new (FALSE, FALSE, sizeof (guint32), count);
    for (guint64 i = first; i < first + count; i++) {
        g_array_append_val (shares, filling->copy->shares[i % PDDT_QUEUE_SHARES]);
    }
    return shares;
}

static void
add_shares (const EngineQueueFilling *filling, const struct pddt_queue_communicator *entry,
            JobMessageCollective *collective)
{
    guint64 n = MIN (filling->copy->queue->n_uneven, PDDT_QUEUE_UNEVEN);

    for (guint64 i = 0; (collective->flags & JOB_MESSAGE_V_FORM) && i < n; i++) {
        const struct pddt_queue_uneven *uneven = &filling->copy->uneven[i];

        if (uneven->communicator == entry->id && uneven->number == collective->sequence) {
            collective->gives = dup_shares (filling, uneven->gives, uneven->n_gives);
            collective->gets = dup_shares (filling, uneven->gets, uneven->n_gets);
            return;
        }
    }
}

static void
add_collectives (EngineQueueFilling *filling, const struct pddt_queue_communicator *entry,
                 JobMessageCommunicator *communicator)
{
    guint64 n = MIN (entry->n_collectives, PDDT_QUEUE_COLLECTIVES);

    for (guint64 i = entry->n_collectives - n + 1; i <= entry->n_collectives; i++) {
        const struct pddt_queue_collective *from
            = &entry->collectives[i % PDDT_QUEUE_COLLECTIVES];
        JobMessageCollective *collective;

        if (from->number != i) {
            continue;
        }
        collective = job_message_collective_new (i, NULL);
        collective->name = engine_queue_dup_name (filling, from->call);
        collective->flags = from->flags;
        collective->root = from->flags & PDDT_QUEUE_HERE
                               ? (gint32) filling->copy->queue->world_rank
                               : engine_queue_map_peer (filling, entry->id, from->root);
        collective->reduction = engine_queue_dup_reduction (filling, from->reduction);
        collective->bytes = from->bytes;
        collective->other_bytes = from->other_bytes;
        collective->signature = engine_queue_dup_signature (filling, from->signature);
        collective->other_signature = engine_queue_dup_signature (filling,
                                                                  from->other_signature);
        collective->chain = (guint32) (from->chain >> 32) | 1;
        add_shares (filling, entry, collective);
        collective->place = filling->is_short ? NULL
                                              : engine_queue_dup_place (filling, from->caller);
        g_ptr_array_add (communicator->collectives, collective);
    }
}

static GArray *
dup_dims (const gint32 *values, gint32 n)
{
    return n > 0 ? g_array_append_vals (g_array_new (FALSE, FALSE, sizeof (gint32)), values,
                                        (guint) n)
                 : NULL;
}

BASE_ORDER_POINTERS (compare_ids, JobMessageCommunicator, BASE_BY (id))

void
engine_queue_add_communicators (EngineQueueFilling *filling)
{
    for (guint32 i = 0; i < filling->copy->queue->communicators_high; i++) {
        const struct pddt_queue_communicator *entry = &filling->copy->communicators[i];
        JobMessageCommunicator *communicator;

        if (!entry->in_use || entry->size < 0 || entry->n_dims > PDDT_QUEUE_DIMS) {
            continue;
        }
        communicator = job_message_communicator_new (entry->id, entry->name[0] != '\0'
                                                                    ? entry->name
                                                                    : NULL);
        if (communicator->name == NULL) {
            communicator->name = dup_birth_name (filling, entry);
        }
        if (entry->flags & PDDT_QUEUE_HIDDEN) {
            g_free (communicator->name);
            communicator->name = dup_hidden_name (filling, entry);
        }
        if ((entry->flags & PDDT_QUEUE_WINDOW) && strcmp (entry->name, "window") == 0) {
            g_free (communicator->name);
            communicator->name = dup_window_name (filling, entry);
        }
        communicator->flags = entry->flags;
        if (filling->is_short) {
            communicator->flags &= ~(guint32) JOB_MESSAGE_COMMUNICATOR_NEIGHBOURS;
        }
        communicator->size = (guint32) entry->size;
        communicator->local_rank = entry->rank;
        communicator->members = dup_members (filling, entry->members, entry->n_members);
        communicator->remote = dup_members (filling, entry->remote, entry->n_remote);
        communicator->dims = dup_dims (entry->dims, entry->n_dims);
        communicator->periods = dup_dims (entry->periods, entry->n_dims);
        communicator->coords = dup_dims (entry->coords, entry->n_dims);
        communicator->sources = dup_neighbours (filling, entry, entry->sources,
                                                entry->n_sources);
        communicator->destinations = dup_neighbours (filling, entry, entry->destinations,
                                                     entry->n_destinations);
        communicator->n_collectives = entry->n_collectives;
        add_collectives (filling, entry, communicator);
        g_ptr_array_add (filling->queue->communicators, communicator);
    }
    g_ptr_array_sort (filling->queue->communicators, compare_ids);
}
