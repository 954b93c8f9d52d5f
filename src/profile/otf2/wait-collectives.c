/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has waited for whom in the operations of MPI that all members of a communicator call. */
#include "profile/otf2/waits-private.h"
#include "base/array.h"

#define KEY(id) GUINT_TO_POINTER ((guint) (id))

static const ProfileWaitCall *
get_call (const ProfileWaits *waits, guint32 number)
{
    return &g_array_index (waits->calls, ProfileWaitCall, number);
}

BASE_ORDER (compare_collectives, ProfileWaitCollective, BASE_BY (comm) ?: BASE_BY (number))

/* Who waits for whom. name: of the call. */
static ProfileWaitKind
choose_kind (guint32 operation, const char *name)
{
    guint kind = profile_wait_states_find_window_kind (name);

    if (kind != G_MAXUINT) {
        return kind;
    }
    if (g_str_has_prefix (name, "MPI_File_")) {
        return PROFILE_WAIT_ALL;
    }
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER: return PROFILE_WAIT_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV: return PROFILE_WAIT_LATE_ROOT;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE: return PROFILE_WAIT_EARLY_ROOT;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN: return PROFILE_WAIT_EARLY_SCAN;
    default: return PROFILE_WAIT_ALL;
    }
}

/* Of an operation whose other members' calls are lost or not recorded nobody knows who came last. */
static gboolean
lacks_members (const ProfileWaits *waits, const ProfileWaitCollective *group, guint n)
{
    const GArray *ranks = g_hash_table_lookup (waits->comms, KEY (group->comm));

    return ranks != NULL && n < ranks->len;
}

/* In a scan a member gets something from those in front of it: rank to who of them came last. */
static GHashTable *
find_last_before (const ProfileWaits *waits, const ProfileWaitCollective *group, guint n)
{
    const GArray *ranks = g_hash_table_lookup (waits->comms, KEY (group->comm));
    g_autoptr (GHashTable) arrivals = g_hash_table_new (NULL, NULL);
    GHashTable *causes = g_hash_table_new (NULL, NULL);
    const ProfileWaitCall *last = NULL;

    for (guint i = 0; i < n; i++) {
        const ProfileWaitCall *arrival = get_call (waits, group[i].arrival);

        g_hash_table_insert (arrivals, KEY (arrival->rank), (gpointer) arrival);
    }
    for (guint i = 0; ranks != NULL && i < ranks->len; i++) {
        guint32 rank = g_array_index (ranks, guint32, i);
        const ProfileWaitCall *arrival = g_hash_table_lookup (arrivals, KEY (rank));

        g_hash_table_insert (causes, KEY (rank), (gpointer) last);
        if (arrival != NULL && (last == NULL || arrival->enter > last->enter)) {
            last = arrival;
        }
    }
    return causes;
}

/* Each of them waits for all, as far as is known. */
static gboolean
is_of_all (ProfileWaitKind kind)
{
    return kind == PROFILE_WAIT_BARRIER || kind == PROFILE_WAIT_ALL
           || kind == PROFILE_WAIT_CREATE || kind == PROFILE_WAIT_FREE;
}

/* Whether everybody waits for the last one, so that all are in step then. */
static void
note_step (const ProfileWaits *waits, const ProfileWaitCollective *group, ProfileWaitKind kind,
           guint64 time)
{
    ProfileWaitSync sync = { time, group->comm, 0, 0 };

    if (is_of_all (kind)) {
        g_array_append_val (waits->syncs, sync);
    }
}

/* The root, which in an intercommunicator the members of its own side do not name; NULL: nobody knows. */
static const ProfileWaitCall *
find_root (const ProfileWaits *waits, const ProfileWaitCollective *group, guint n)
{
    guint32 rank = G_MAXUINT32;

    for (guint i = 0; i < n && rank == G_MAXUINT32; i++) {
        rank = group[i].root;
    }
    for (guint i = 0; i < n && rank != G_MAXUINT32; i++) {
        const ProfileWaitCall *call = get_call (waits, group[i].arrival);

        if (call->rank == rank) {
            return call;
        }
    }
    return NULL;
}

/* Who came last up to that time, of those that the root waits for, if there is one; NULL: nobody. */
static const ProfileWaitCall *
find_last (const ProfileWaits *waits, const ProfileWaitCollective *group, guint n,
           const ProfileWaitCall *root, guint64 until)
{
    const ProfileWaitCall *last = NULL;

    for (guint i = 0; i < n; i++) {
        const ProfileWaitCall *call = get_call (waits, group[i].arrival);

        if (call->enter <= until && (last == NULL || call->enter > last->enter)
            && (root == NULL || call == root || group[i].root != G_MAXUINT32)) {
            last = call;
        }
    }
    return last;
}

/* An operation on a file need not wait for anybody: it has not if somebody was out of it before all were in. */
static gboolean
is_without_wait (const ProfileWaits *waits, const ProfileWaitCollective *group, guint n,
                 const char *name, const ProfileWaitCall *last)
{
    return g_str_has_prefix (name, "MPI_File_")
           && BASE_ANY (i, n, get_call (waits, group[i].call)->leave < last->enter);
}

/* Whom the member has waited for: nobody who came when it was out already. cause: whom it would have waited for. */
static const ProfileWaitCall *
check_cause (const ProfileWaits *waits, const ProfileWaitCollective *group, guint n,
             ProfileWaitKind kind, const ProfileWaitCall *call, const ProfileWaitCall *cause)
{
    guint64 until = profile_wait_states_add_slack (waits, call->leave);

    if (cause == NULL || cause->enter <= until) {
        return kind == PROFILE_WAIT_FENCE && cause != NULL && call->leave < cause->enter
                   ? NULL
                   : cause;
    }
    return is_of_all (kind)                  ? find_last (waits, group, n, NULL, until)
           : kind == PROFILE_WAIT_EARLY_ROOT ? find_last (waits, group, n, call, until)
                                             : NULL;
}

/* The calls of one operation, one for each member. */
static void
look_at_group (ProfileWaitStates *states, const ProfileWaits *waits,
               const ProfileWaitCollective *group, guint n)
{
    const char *name
        = profile_otf2_get_region_name (waits->definitions,
                                        get_call (waits, group[0].arrival)->region);
    ProfileWaitKind kind = choose_kind (group->operation, name);
    const ProfileWaitCall *root = find_root (waits, group, n);
    const ProfileWaitCall *last = find_last (waits, group, n,
                                             kind == PROFILE_WAIT_EARLY_ROOT ? root : NULL,
                                             G_MAXUINT64);
    g_autoptr (GHashTable) before = NULL;

    if (last == NULL || lacks_members (waits, group, n)
        || is_without_wait (waits, group, n, name, last)) {
        return;
    }
    note_step (waits, group, kind, last->enter);
    before = kind == PROFILE_WAIT_EARLY_SCAN ? find_last_before (waits, group, n) : NULL;
    for (guint i = 0; i < n; i++) {
        const ProfileWaitCall *arrival = get_call (waits, group[i].arrival),
                              *call = get_call (waits, group[i].call);
        const ProfileWaitCall *cause = kind == PROFILE_WAIT_LATE_ROOT ? root
                                       : kind == PROFILE_WAIT_EARLY_SCAN
                                           ? g_hash_table_lookup (before, KEY (call->rank))
                                           : last;

        if (kind == PROFILE_WAIT_EARLY_ROOT && arrival != root) {
            continue;
        }
        cause = check_cause (waits, group, n, kind, call, cause);
        if (cause != NULL && cause != arrival && call->enter < cause->enter) {
            profile_wait_states_add (states, kind, call, cause, call->enter,
                                     MIN (cause->enter, call->leave));
        }
    }
}

static void
put_group (const ProfileWaits *waits, const ProfileWaitCollective *group, guint n,
           ProfileSpool *to)
{
    const ProfileOtf2Definitions *definitions = waits->definitions;
    g_autoptr (GArray) members = g_array_sized_new (FALSE, FALSE, sizeof (ProfileMember), n);

    for (guint i = 0; i < n; i++) {
        const ProfileWaitCall *call = get_call (waits, group[i].call);
        guint64 leave = call->leave != G_MAXUINT64 ? call->leave : call->enter;
        ProfileMember member
            = { call->rank,
                profile_otf2_get_us (definitions, get_call (waits, group[i].arrival)->enter),
                profile_otf2_get_us (definitions, leave) };

        g_array_append_val (members, member);
    }
    profile_spool_put_collective (to,
                                  profile_otf2_get_region_name (waits->definitions,
                                                                get_call (waits,
                                                                          group[0].arrival)
                                                                    ->region),
                                  members);
}

guint
profile_wait_states_add_collectives (ProfileWaitStates *states, const ProfileWaits *waits,
                                     ProfileSpool *to)
{
    GArray *list = waits->collectives;
    guint step = list->len / PROFILE_MAX_MESSAGES + 1, n_groups = 0;

    g_array_sort (list, compare_collectives);
    for (guint i = 0; i < list->len;) {
        const ProfileWaitCollective *first = &g_array_index (list, ProfileWaitCollective, i);
        guint n = 1;

        while (i + n < list->len && compare_collectives (first, first + n) == 0) {
            n++;
        }
        look_at_group (states, waits, first, n);
        if (n_groups++ % step == 0) {
            put_group (waits, first, n, to);
        }
        i += n;
    }
    return n_groups;
}
