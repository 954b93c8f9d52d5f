/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_Win_post and MPI_Win_complete are notifications of a peer that go out, MPI_Win_start and MPI_Win_wait such that come
 * in: RmaSync, one for each peer. A lock is wanted (RmaRequestLock), taken when MPI_Win_lock returns (RmaAcquireLock), and
 * given back. */
#include "profile/otf2/windows.h"
#include "base/array.h"
#include <string.h>

/* Whom a process has let in, and where it has gone in itself. */
typedef struct {
    GArray *posted, *started; /* of guint32: ranks in the window */
} Peers;

struct _ProfileOtf2Windows {
    GArray *comms;     /* of OTF2_CommRef: a window's, by its reference */
    GHashTable *known; /* OTF2_CommRef to the reference + 1 */
    GHashTable *peers; /* "FILE ID" to Peers */
};

BASE_FREE (free_peers, Peers, peers, g_array_unref (peers->posted);
           g_array_unref (peers->started))

ProfileOtf2Windows *
profile_otf2_windows_new (void)
{
    ProfileOtf2Windows *windows = g_new0 (ProfileOtf2Windows, 1);

    windows->comms = g_array_new (FALSE, FALSE, sizeof (OTF2_CommRef));
    windows->known = g_hash_table_new (NULL, NULL);
    windows->peers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_peers);
    return windows;
}

BASE_FREE_PUBLIC (profile_otf2_windows_free, ProfileOtf2Windows, windows,
                  g_array_unref (windows->comms);
                  g_hash_table_unref (windows->known); g_hash_table_unref (windows->peers))

static OTF2_RmaWinRef
find_window (ProfileOtf2Windows *windows, OTF2_CommRef comm)
{
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (windows->known,
                                                          GUINT_TO_POINTER (comm)));

    if (number == 0) {
        g_array_append_val (windows->comms, comm);
        number = windows->comms->len;
        g_hash_table_insert (windows->known, GUINT_TO_POINTER (comm),
                             GUINT_TO_POINTER (number));
    }
    return number - 1;
}

static Peers *
find_peers (ProfileOtf2Windows *windows, const ProfileTraceEvent *event)
{
    g_autofree char *key = g_strdup_printf ("%p %u", (gconstpointer) event->file, event->id);
    Peers *peers = g_hash_table_lookup (windows->peers, key);

    if (peers == NULL) {
        peers = g_new0 (Peers, 1);
        peers->posted = g_array_new (FALSE, FALSE, sizeof (guint32));
        peers->started = g_array_new (FALSE, FALSE, sizeof (guint32));
        g_hash_table_insert (windows->peers, g_steal_pointer (&key), peers);
    }
    return peers;
}

/* The call has no list of its peers: they are those of the call that has begun it. Returns how many. */
static guint
put_peers (ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time, OTF2_RmaWinRef window,
           GArray *peers, OTF2_RmaSyncType type)
{
    guint n = peers->len;

    for (guint i = 0; i < n; i++) {
        profile_otf2_note (to,
                           OTF2_EvtWriter_RmaSync (out, NULL, time, window,
                                                   g_array_index (peers, guint32, i), type));
    }
    g_array_set_size (peers, 0);
    return n;
}

static guint
put_sync (ProfileOtf2Windows *windows, ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time,
          const ProfileTraceEvent *event, OTF2_RmaWinRef window, guint32 remote)
{
    Peers *peers = find_peers (windows, event);
    gboolean is_post = event->extra == PDDT_TRACE_RMA_POST;

    switch (event->extra) {
    case PDDT_TRACE_RMA_POST:
    case PDDT_TRACE_RMA_START:
        g_array_append_val (is_post ? peers->posted : peers->started, remote);
        profile_otf2_note (to, OTF2_EvtWriter_RmaSync (out, NULL, time, window, remote,
                                                       is_post ? OTF2_RMA_SYNC_TYPE_NOTIFY_OUT
                                                               : OTF2_RMA_SYNC_TYPE_NOTIFY_IN));
        return 1;
    case PDDT_TRACE_RMA_ENDED:
        return put_peers (to, out, time, window, peers->started, OTF2_RMA_SYNC_TYPE_NOTIFY_OUT);
    case PDDT_TRACE_RMA_WAIT:
        return put_peers (to, out, time, window, peers->posted, OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
    default: return 0;
    }
}

static guint
put_lock (ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time, const ProfileTraceEvent *event,
          OTF2_RmaWinRef window, guint32 remote)
{
    OTF2_LockType type = event->extra & PDDT_TRACE_RMA_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE
                                                                 : OTF2_LOCK_SHARED;
    guint64 id = remote; /* one lock for each rank's part */

    profile_otf2_note (to,
                       event->kind == PDDT_TRACE_RMA_UNLOCK
                           ? OTF2_EvtWriter_RmaReleaseLock (out, NULL, time, window, remote, id)
                       : event->extra & PDDT_TRACE_RMA_TAKEN
                           ? OTF2_EvtWriter_RmaAcquireLock (out, NULL, time, window, remote, id,
                                                            type)
                           : OTF2_EvtWriter_RmaRequestLock (out, NULL, time, window, remote, id,
                                                            type));
    return 1;
}

guint
profile_otf2_windows_put (ProfileOtf2Windows *windows, ProfileOtf2Out *to, OTF2_EvtWriter *out,
                          guint64 time, const ProfileTraceEvent *event, OTF2_CommRef comm)
{
    struct pddt_trace_rma data;
    guint32 remote;
    OTF2_RmaWinRef window;

    if (comm == G_MAXUINT32 || event->n_more < 2) {
        return 0;
    }
    memcpy (&data, event->payload, sizeof data);
    remote = data.remote != PDDT_TRACE_UNKNOWN ? data.remote : OTF2_UNDEFINED_UINT32;
    window = find_window (windows, comm);
    return event->kind == PDDT_TRACE_RMA_SYNC
               ? put_sync (windows, to, out, time, event, window, remote)
               : put_lock (to, out, time, event, window, remote);
}

void
profile_otf2_windows_define (const ProfileOtf2Windows *windows, ProfileOtf2Out *to)
{
    OTF2_StringRef name = windows->comms->len > 0 ? profile_otf2_put_string (to, "window") : 0;

    for (guint i = 0; i < windows->comms->len; i++) {
        profile_otf2_note (to,
                           OTF2_GlobalDefWriter_WriteRmaWin (to->out, i, name,
                                                             g_array_index (windows->comms,
                                                                            OTF2_CommRef, i),
                                                             OTF2_RMA_WIN_FLAG_NONE));
    }
}
