/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass over the events that collects sends, receives and collective calls; what they have waited for is computed
 * (wait-states.c) when all of them are known. */
#include "profile/otf2/waits.h"
#include "profile/losses.h"
#include "profile/otf2/waits-private.h"
#include "base/array.h"
#include <stdlib.h>

#define KEY(id) GUINT_TO_POINTER ((guint) (id))

typedef struct {
    OTF2_RegionRef region;
    guint64 enter;
    guint32 call;  /* number + 1 of the call that it is noted as; 0: it is not */
    guint32 place; /* text that the archive has; G_MAXUINT32: none */
} Open;

/* A nonblocking collective. */
typedef struct {
    guint32 call, order;
} Begun;

typedef struct {
    ProfileWaits *waits;
    const ProfileOtf2Definitions *definitions;
    const GHashTable *windows; /* id to id of the communicator + 1 */
    GHashTable *probes;        /* as ProfileOtf2Waits has them */
    guint32 rank;
    OTF2_AttributeRef place, number; /* attributes; G_MAXUINT32: there is none */
    GArray *stack;                   /* of Open */
    GHashTable *posted;              /* request to guint64: when its receive was posted */
    GHashTable *sent;                /* request of a send to guint64: its index */
    GHashTable
        *sides; /* of an intercommunicator: 1: the rank is on its first side; 2: on the other */
    guint32 probe;        /* call that has waited for the next message; G_MAXUINT32: none */
    GHashTable *requests; /* of a nonblocking collective to Begun */
    guint n_begun;        /* collectives */
    gboolean is_leader;   /* this thread stands for its rank */
    guint n_mpi;          /* calls of MPI that are open */
    guint64 first, before,
        gap;          /* times: of the first and the last event; when it last came out of MPI */
    guint64 finalize; /* when it came to MPI_Finalize; 0: not yet */
    GHashTable *selves; /* region to index + 1 of this gap's in waits->selves */
    guint first_self;   /* of this gap */
    guint n_before;     /* collectives of the locations before */
    guint n_locks_before;
} Stream;

struct _ProfileOtf2Waits {
    ProfileWaits waits;
    ProfileWaitDefinitions more;
    GHashTable
        *probes; /* regions of calls that wait for a message which a later call receives */
};

/* ---- events ---- */

static Stream *
get_stream (void *streams)
{
    return ((const ProfileOtf2Streams *) streams)->waits;
}

/* ---- what is done between calls of MPI ---- */

static const ProfileOtf2Region *
get_region (const Stream *stream, OTF2_RegionRef region)
{
    return g_hash_table_lookup (stream->definitions->regions, KEY (region));
}

/* Up to now the thread was in its innermost region. */
static void
spend (Stream *stream, guint64 time)
{
    OTF2_RegionRef region;
    guint index;

    stream->first = stream->first == 0 ? time : stream->first;
    if (stream->n_mpi == 0 && stream->stack->len > 0 && time > stream->before) {
        region = g_array_index (stream->stack, Open, stream->stack->len - 1).region;
        index = GPOINTER_TO_UINT (g_hash_table_lookup (stream->selves, KEY (region)));
        if (index == 0) {
            BASE_APPEND (stream->waits->selves, ProfileWaitSelf, region, 0);
            index = stream->waits->selves->len;
            g_hash_table_insert (stream->selves, KEY (region), KEY (index));
        }
        g_array_index (stream->waits->selves, ProfileWaitSelf, index - 1).ticks
            += time - stream->before;
    }
    stream->before = MAX (stream->before, time);
}

static void
end_gap (Stream *stream, guint64 time)
{
    ProfileWaitGap gap = { stream->gap != 0 ? stream->gap : stream->first, time, stream->rank,
                           stream->first_self,
                           stream->waits->selves->len - stream->first_self };

    if (gap.n > 0) {
        g_array_append_val (stream->waits->gaps, gap);
        g_hash_table_remove_all (stream->selves);
    }
    stream->first_self = stream->waits->selves->len;
}

static void
enter_mpi (Stream *stream, guint64 time, const ProfileOtf2Region *region)
{
    if (stream->n_mpi++ == 0) {
        end_gap (stream, time);
    }
    if (stream->finalize == 0 && g_strcmp0 (region->name, "MPI_Finalize") == 0) {
        stream->finalize = time;
    }
}

static void
leave_mpi (Stream *stream, guint64 time)
{
    if (stream->n_mpi > 0 && --stream->n_mpi == 0) {
        stream->gap = time;
    }
}

/* The region; NULL: of a thread that is not looked at. */
static const ProfileOtf2Region *
follow (Stream *stream, guint64 time, OTF2_RegionRef id, gboolean is_entered)
{
    const ProfileOtf2Region *region;

    if (!stream->is_leader) {
        return NULL;
    }
    spend (stream, time);
    region = get_region (stream, id);
    if (region != NULL && region->is_mpi && is_entered) {
        enter_mpi (stream, time, region);
    } else if (region != NULL && region->is_mpi) {
        leave_mpi (stream, time);
    }
    return region;
}

static void
end_thread (Stream *stream)
{
    ProfileWaitEnd end = { stream->rank, stream->first, stream->before, stream->finalize };

    if (stream->is_leader && stream->before > 0) {
        if (stream->n_mpi == 0) {
            end_gap (stream, stream->before);
        }
        g_array_append_val (stream->waits->ends, end);
    }
}

static void
take_place (Stream *stream, Open *open, OTF2_AttributeList *list)
{
    OTF2_Type type;
    OTF2_AttributeValue value;

    /* asking for what is not there is an error to the library, and takes it long */
    if (stream->place != G_MAXUINT32
        && OTF2_AttributeList_TestAttributeByID (list, stream->place)
        && OTF2_AttributeList_GetAttributeByID (list, stream->place, &type, &value)
               == OTF2_SUCCESS
        && type == OTF2_TYPE_STRING) {
        open->place = value.stringRef;
    }
}

OTF2_CallbackCode
profile_otf2_waits_enter (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                          void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
    Stream *stream = get_stream (user);
    Open open = { region, time, 0, G_MAXUINT32 };
    const ProfileOtf2Region *its = follow (stream, time, region, TRUE);

    if (its != NULL && its->class == JOB_CLASS_WAIT && stream->stack->len > 0) {
        /* who sleeps is the function that has called it */
        open.region = g_array_index (stream->stack, Open, stream->stack->len - 1).region;
    }
    take_place (stream, &open, list);
    g_array_append_val (stream->stack, open);
    return OTF2_CALLBACK_SUCCESS;
}

/* The number of the innermost call, which is MPI's. */
static guint32
note_call (Stream *stream, guint64 time)
{
    Open *open = stream->stack->len > 0
                     ? &g_array_index (stream->stack, Open, stream->stack->len - 1)
                     : NULL;
    ProfileWaitCall call = { stream->rank, G_MAXUINT32, G_MAXUINT32,      G_MAXUINT32,
                             time,         time,        stream->is_leader };

    if (open != NULL && open->call != 0) {
        return open->call - 1;
    }
    if (open != NULL) {
        call.region = open->region;
        call.enter = open->enter;
        call.leave = G_MAXUINT64;
        open->call = stream->waits->calls->len + 1;
    }
    if (stream->stack->len > 1) {
        call.caller = g_array_index (stream->stack, Open, stream->stack->len - 2).region;
    }
    g_array_append_val (stream->waits->calls, call);
    return stream->waits->calls->len - 1;
}

OTF2_CallbackCode
profile_otf2_waits_leave (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                          void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
    Stream *stream = get_stream (user);
    Open *open;

    if (stream->stack->len == 0) {
        return OTF2_CALLBACK_SUCCESS;
    }
    follow (stream, time, region, FALSE);
    open = &g_array_index (stream->stack, Open, stream->stack->len - 1);
    take_place (stream, open, list);
    if (g_hash_table_contains (stream->probes, KEY (region))) {
        stream->probe = note_call (stream, time);
    }
    if (open->call != 0) {
        ProfileWaitCall *call = &g_array_index (stream->waits->calls, ProfileWaitCall,
                                                open->call - 1);

        call->leave = time;
        call->place = open->place;
    }
    g_array_set_size (stream->stack, stream->stack->len - 1);
    return OTF2_CALLBACK_SUCCESS;
}

/* The side of an intercommunicator whose members its first side's rank numbers mean: the one that this rank is not on.
 * ranks: those of the first side stand first. Returns where it begins. */
static guint
find_other_side (const Stream *stream, OTF2_CommRef comm, const GArray *ranks, guint n_first)
{
    guint side = GPOINTER_TO_UINT (g_hash_table_lookup (stream->sides, KEY (comm)));

    if (side == 0) {
        side = 2;
        for (guint i = 0; i < MIN (n_first, ranks->len); i++) {
            side = g_array_index (ranks, guint32, i) == stream->rank ? 1 : side;
        }
        g_hash_table_insert (stream->sides, KEY (comm), KEY (side));
    }
    return side == 1 ? n_first : 0;
}

/* The rank of the job; G_MAXUINT32: not known. */
static guint32
map_rank (const Stream *stream, OTF2_CommRef comm, guint32 rank)
{
    const GArray *ranks = g_hash_table_lookup (stream->waits->comms, KEY (comm));
    guint n_first = GPOINTER_TO_UINT (g_hash_table_lookup (stream->waits->firsts, KEY (comm)));
    guint first = ranks != NULL && n_first > 0 ? find_other_side (stream, comm, ranks, n_first)
                                               : 0;
    guint end = first == 0 && n_first > 0 ? n_first : ranks != NULL ? ranks->len : 0;

    return first < end && rank < end - first ? g_array_index (ranks, guint32, first + rank)
                                             : G_MAXUINT32;
}

static void
note_send (Stream *stream, guint64 time, guint32 receiver, OTF2_CommRef comm, guint32 tag,
           guint64 bytes, gboolean is_blocking)
{
    ProfileWaitMessage message = { .comm = comm,
                                   .from = stream->rank,
                                   .to = map_rank (stream, comm, receiver),
                                   .tag = tag,
                                   .time = time,
                                   .bytes = bytes,
                                   .call = note_call (stream, time),
                                   .wait = G_MAXUINT32,
                                   .is_blocking = is_blocking };

    if (message.to != G_MAXUINT32) {
        g_array_append_val (stream->waits->sends, message);
    }
}

static void
note_receive (Stream *stream, guint64 time, guint64 posted, guint32 sender, OTF2_CommRef comm,
              guint32 tag, guint64 bytes)
{
    guint32 call = note_call (stream, time);
    ProfileWaitMessage message = { .comm = comm,
                                   .from = map_rank (stream, comm, sender),
                                   .to = stream->rank,
                                   .tag = tag,
                                   .time = posted,
                                   .bytes = bytes,
                                   .call = call,
                                   .wait = G_MAXUINT32,
                                   .is_blocking = posted == 0 };

    if (posted == 0) {
        message.time = g_array_index (stream->waits->calls, ProfileWaitCall, call).enter;
    }
    if (message.from != G_MAXUINT32) {
        g_array_append_val (stream->waits->receives, message);
    }
}

static OTF2_CallbackCode
on_send (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
         OTF2_AttributeList *list, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
         uint64_t bytes)
{
    note_send (get_stream (user), time, receiver, comm, tag, bytes, TRUE);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_isend (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
          uint64_t bytes, uint64_t request)
{
    Stream *stream = get_stream (user);
    guint64 index = stream->waits->sends->len;

    note_send (stream, time, receiver, comm, tag, bytes, FALSE);
    if (stream->waits->sends->len > index) {
        g_hash_table_insert (stream->sent, g_memdup2 (&request, sizeof request),
                             g_memdup2 (&index, sizeof index));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_isend_complete (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                   void *user, OTF2_AttributeList *list, uint64_t request)
{
    Stream *stream = get_stream (user);
    const guint64 *index = g_hash_table_lookup (stream->sent, &request);

    if (index != NULL) {
        g_array_index (stream->waits->sends, ProfileWaitMessage, *index).wait
            = note_call (stream, time);
        g_hash_table_remove (stream->sent, &request);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_recv (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
         OTF2_AttributeList *list, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
         uint64_t bytes)
{
    Stream *stream = get_stream (user);
    guint n = stream->waits->receives->len;

    note_receive (stream, time, 0, sender, comm, tag, bytes);
    if (stream->waits->receives->len > n) {
        g_array_index (stream->waits->receives, ProfileWaitMessage, n).wait = stream->probe;
    }
    stream->probe = G_MAXUINT32;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_irecv_request (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                  OTF2_AttributeList *list, uint64_t request)
{
    Stream *stream = get_stream (user);

    g_hash_table_insert (stream->posted, g_memdup2 (&request, sizeof request),
                         g_memdup2 (&time, sizeof time));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_irecv (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
          uint64_t bytes, uint64_t request)
{
    Stream *stream = get_stream (user);
    const guint64 *posted = g_hash_table_lookup (stream->posted, &request);

    note_receive (stream, time, posted != NULL ? *posted : 0, sender, comm, tag, bytes);
    g_hash_table_remove (stream->posted, &request);
    return OTF2_CALLBACK_SUCCESS;
}

/* 0: it has none. */
static guint32
take_number (const Stream *stream, OTF2_AttributeList *list)
{
    uint64_t number;

    return stream->number != G_MAXUINT32
                   && OTF2_AttributeList_TestAttributeByID (list, stream->number)
                   && OTF2_AttributeList_GetUint64 (list, stream->number, &number)
                          == OTF2_SUCCESS
               ? (guint32) MIN (number, G_MAXINT32)
               : 0;
}

static void
note_collective (Stream *stream, OTF2_AttributeList *list, OTF2_CollectiveOp operation,
                 OTF2_CommRef comm, guint32 root, guint32 call, Begun begun)
{
    BASE_APPEND (stream->waits->collectives, ProfileWaitCollective, .comm = comm,
                 .number = take_number (stream, list), .operation = operation,
                 .root = map_rank (stream, comm, root), .arrival = begun.call, .call = call,
                 .order = begun.order);
}

static OTF2_CallbackCode
on_collective (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
               OTF2_AttributeList *list, OTF2_CollectiveOp operation, OTF2_CommRef comm,
               uint32_t root, uint64_t sent, uint64_t received)
{
    Stream *stream = get_stream (user);
    guint32 call = note_call (stream, time);

    note_collective (stream, list, operation, comm, root, call,
                     (Begun){ call, stream->n_begun++ });
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_collective_request (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                       void *user, OTF2_AttributeList *list, uint64_t request)
{
    Stream *stream = get_stream (user);
    Begun begun = { note_call (stream, time), stream->n_begun++ };

    g_hash_table_insert (stream->requests, g_memdup2 (&request, sizeof request),
                         g_memdup2 (&begun, sizeof begun));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_collective_complete (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                        void *user, OTF2_AttributeList *list, OTF2_CollectiveOp operation,
                        OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received,
                        uint64_t request)
{
    Stream *stream = get_stream (user);
    const Begun *begun = g_hash_table_lookup (stream->requests, &request);

    if (begun != NULL) {
        note_collective (stream, list, operation, comm, root, note_call (stream, time), *begun);
        g_hash_table_remove (stream->requests, &request);
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- windows ---- */

/* G_MAXUINT32: the archive does not define it. */
static OTF2_CommRef
find_window (const Stream *stream, OTF2_RmaWinRef window)
{
    return GPOINTER_TO_UINT (g_hash_table_lookup ((GHashTable *) stream->windows, KEY (window)))
           - 1;
}

static OTF2_CallbackCode
on_access (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *list, OTF2_RmaWinRef window, uint32_t remote,
           OTF2_RmaSyncType type)
{
    Stream *stream = get_stream (user);
    ProfileWaitAccess access = { .comm = find_window (stream, window),
                                 .rank = stream->rank,
                                 .call = note_call (stream, time),
                                 .time = time };
    const ProfileOtf2Region *region
        = get_region (stream, g_array_index (stream->waits->calls, ProfileWaitCall, access.call)
                                  .region);
    gboolean is_first = region != NULL
                        && (g_strcmp0 (region->name, "MPI_Win_post") == 0
                            || g_strcmp0 (region->name, "MPI_Win_start") == 0);

    access.peer = map_rank (stream, access.comm, remote);
    access.kind = type == OTF2_RMA_SYNC_TYPE_NOTIFY_OUT
                      ? (is_first ? PROFILE_ACCESS_POST : PROFILE_ACCESS_END)
                      : (is_first ? PROFILE_ACCESS_START : PROFILE_ACCESS_WAIT);
    if (access.peer != G_MAXUINT32 && type != OTF2_RMA_SYNC_TYPE_MEMORY) {
        g_array_append_val (stream->waits->accesses, access);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_lock (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
         OTF2_AttributeList *list, OTF2_RmaWinRef window, uint32_t remote, uint64_t id,
         OTF2_LockType type)
{
    Stream *stream = get_stream (user);
    OTF2_CommRef comm = find_window (stream, window);

    BASE_APPEND (stream->waits->locks, ProfileWaitLock, .comm = comm, .rank = stream->rank,
                 .target = map_rank (stream, comm, remote), .taken = note_call (stream, time),
                 .freed = G_MAXUINT32, .is_exclusive = type == OTF2_LOCK_EXCLUSIVE);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_unlock (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
           OTF2_AttributeList *list, OTF2_RmaWinRef window, uint32_t remote, uint64_t id)
{
    Stream *stream = get_stream (user);
    OTF2_CommRef comm = find_window (stream, window);
    guint32 target = map_rank (stream, comm, remote), call = note_call (stream, time);

    for (guint i = stream->waits->locks->len; i > stream->n_locks_before; i--) {
        ProfileWaitLock *lock = &g_array_index (stream->waits->locks, ProfileWaitLock, i - 1);

        if (lock->comm == comm && lock->target == target) {
            lock->freed = call;
            break;
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

void
profile_otf2_waits_set_callbacks (OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_EvtReaderCallbacks_SetMpiSendCallback (callbacks, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback (callbacks, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback (callbacks, on_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback (callbacks, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback (callbacks, on_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback (callbacks, on_irecv);
    OTF2_EvtReaderCallbacks_SetRmaSyncCallback (callbacks, on_access);
    OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback (callbacks, on_lock);
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback (callbacks, on_unlock);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback (callbacks, on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback (callbacks,
                                                                     on_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback (callbacks,
                                                                      on_collective_complete);
}

BASE_ORDER (compare_orders, ProfileWaitCollective, BASE_BY (order))

/* From the collectives with that index on, all are of one location: they are counted for each communicator as they began,
 * from its first one on, or up to its last one. */
static void
number_collectives (ProfileWaits *waits, guint first)
{
    g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL);
    GArray *list = waits->collectives;

    if (first < list->len) {
        qsort (&g_array_index (list, ProfileWaitCollective, first), list->len - first,
               sizeof (ProfileWaitCollective), compare_orders);
    }
    for (guint i = first; i < list->len; i++) {
        ProfileWaitCollective *collective = &g_array_index (list, ProfileWaitCollective, i);
        guint n = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, KEY (collective->comm))) + 1;

        n = MAX (n, collective->number); /* what is not recorded has a number, too */
        g_hash_table_insert (numbers, KEY (collective->comm), KEY (n));
        collective->number = n;
    }
    for (guint i = first; i < list->len && waits->is_from_end; i++) {
        ProfileWaitCollective *collective = &g_array_index (list, ProfileWaitCollective, i);
        guint n = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, KEY (collective->comm)));

        collective->number += G_MAXUINT32 - n;
    }
}

gpointer
profile_otf2_waits_begin (ProfileOtf2Waits *waits, guint location)
{
    Stream *stream;

    if (waits == NULL) {
        return NULL;
    }
    stream = g_new0 (Stream, 1);
    stream->waits = &waits->waits;
    stream->definitions = waits->more.definitions;
    stream->rank = profile_wait_definitions_find_rank (
        &waits->more,
        g_array_index (waits->more.definitions->locations, ProfileOtf2Location, location).self);
    stream->place = waits->more.place;
    stream->number = waits->more.number;
    stream->windows = waits->more.windows;
    stream->n_before = waits->waits.collectives->len;
    stream->n_locks_before = waits->waits.locks->len;
    stream->stack = g_array_new (FALSE, FALSE, sizeof (Open));
    stream->posted = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    stream->requests = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    stream->selves = g_hash_table_new (NULL, NULL);
    stream->first_self = waits->waits.selves->len;
    stream->is_leader = profile_wait_definitions_is_leader (&waits->more, location);
    stream->probes = waits->probes;
    stream->probe = G_MAXUINT32;
    stream->sent = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    stream->sides = g_hash_table_new (NULL, NULL);
    return stream;
}

void
profile_otf2_waits_end (gpointer data)
{
    Stream *stream = data;

    if (stream == NULL) {
        return;
    }
    number_collectives (stream->waits, stream->n_before);
    end_thread (stream);
    g_hash_table_unref (stream->selves);
    g_array_unref (stream->stack);
    g_hash_table_unref (stream->posted);
    g_hash_table_unref (stream->sent);
    g_hash_table_unref (stream->sides);
    g_hash_table_unref (stream->requests);
    g_free (stream);
}

static gboolean
lacks_beginning (const ProfileOtf2Definitions *definitions)
{
    return BASE_HAS (definitions->group_list, const ProfileOtf2Group, group,
                     group->kept == PROFILE_KEPT_LAST && group->missed > 0);
}

static void
free_waits (ProfileOtf2Waits *waits)
{
    profile_wait_definitions_clear (&waits->more);
    g_hash_table_unref (waits->probes);
    g_array_unref (waits->waits.accesses);
    g_array_unref (waits->waits.locks);
    g_hash_table_unref (waits->waits.comms);
    g_hash_table_unref (waits->waits.firsts);
    g_hash_table_unref (waits->waits.comm_names);
    g_array_unref (waits->waits.calls);
    g_array_unref (waits->waits.sends);
    g_array_unref (waits->waits.receives);
    g_array_unref (waits->waits.collectives);
    g_array_unref (waits->waits.gaps);
    g_array_unref (waits->waits.selves);
    g_array_unref (waits->waits.instances);
    g_array_unref (waits->waits.syncs);
    g_array_unref (waits->waits.ends);
    g_free (waits);
}

static GHashTable *
list_probes (const ProfileOtf2Definitions *definitions)
{
    GHashTable *probes = g_hash_table_new (NULL, NULL);
    gpointer id, value;

    BASE_WALK (definitions->regions, &id, &value) {
        const ProfileOtf2Region *region = value;

        if (g_strcmp0 (region->name, "MPI_Probe") == 0
            || g_strcmp0 (region->name, "MPI_Mprobe") == 0) {
            g_hash_table_add (probes, id);
        }
    }
    return probes;
}

ProfileOtf2Waits *
profile_otf2_waits_new (const char *anchor, const ProfileOtf2Definitions *definitions)
{
    OTF2_Reader *reader = profile_otf2_open_reader (anchor, NULL);
    ProfileOtf2Waits *self;

    if (reader == NULL) {
        return NULL;
    }
    self = g_new0 (ProfileOtf2Waits, 1);
    self->waits.definitions = definitions;
    self->waits.is_from_end = lacks_beginning (definitions);
    self->waits.comms = g_hash_table_new_full (NULL, NULL, NULL,
                                               (GDestroyNotify) g_array_unref);
    self->waits.calls = g_array_new (FALSE, FALSE, sizeof (ProfileWaitCall));
    self->waits.sends = g_array_new (FALSE, FALSE, sizeof (ProfileWaitMessage));
    self->waits.receives = g_array_new (FALSE, FALSE, sizeof (ProfileWaitMessage));
    self->waits.collectives = g_array_new (FALSE, FALSE, sizeof (ProfileWaitCollective));
    self->waits.gaps = g_array_new (FALSE, FALSE, sizeof (ProfileWaitGap));
    self->waits.selves = g_array_new (FALSE, FALSE, sizeof (ProfileWaitSelf));
    self->waits.instances = g_array_new (FALSE, FALSE, sizeof (ProfileWaitInstance));
    self->waits.syncs = g_array_new (FALSE, FALSE, sizeof (ProfileWaitSync));
    self->waits.ends = g_array_new (FALSE, FALSE, sizeof (ProfileWaitEnd));
    self->waits.firsts = g_hash_table_new (NULL, NULL);
    self->waits.comm_names = g_hash_table_new (NULL, NULL);
    self->waits.accesses = g_array_new (FALSE, FALSE, sizeof (ProfileWaitAccess));
    self->waits.locks = g_array_new (FALSE, FALSE, sizeof (ProfileWaitLock));
    self->probes = list_probes (definitions);
    profile_wait_definitions_read (&self->more, reader, definitions, &self->waits);
    OTF2_Reader_Close (reader);
    if (g_hash_table_size (self->more.comms) == 0) {
        g_clear_pointer (&self, free_waits);
    }
    return self;
}

void
profile_otf2_waits_put (ProfileOtf2Waits *waits, ProfileSpool *to)
{
    if (waits != NULL) {
        profile_wait_states_put (&waits->waits, to);
        free_waits (waits);
    }
}
