/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who has waited for whom at MPI's windows, as Scalasca names it: Late Post, Early Wait, Lock Contention, and collective
 * calls. The k-th time that a rank goes into another one's window is the k-th time that this one has let it in. */
#include "profile/otf2/waits-private.h"
#include "base/array.h"
#include <stdlib.h>

static const ProfileWaitCall *
get_call (const ProfileWaits *waits, guint32 number)
{
    return &g_array_index (waits->calls, ProfileWaitCall, number);
}

guint
profile_wait_states_find_window_kind (const char *name)
{
    if (g_str_has_prefix (name, "MPI_Win_create") || g_str_has_prefix (name, "MPI_Win_alloc")) {
        return PROFILE_WAIT_CREATE;
    }
    return g_str_equal (name, "MPI_Win_free")    ? PROFILE_WAIT_FREE
           : g_str_equal (name, "MPI_Win_fence") ? PROFILE_WAIT_FENCE
                                                 : G_MAXUINT;
}

/* ---- numbers ---- */

#define ORDER(field)                                                                           \
    if (left->field != right->field) {                                                         \
        return left->field < right->field ? -1 : 1;                                            \
    }

static gint
compare_times (gconstpointer a, gconstpointer b)
{
    const ProfileWaitAccess *left = a, *right = b;

    ORDER (comm)
    ORDER (rank)
    ORDER (peer)
    ORDER (time)
    ORDER (call)
    return 0;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
    const ProfileWaitAccess *left = a, *right = b;

    ORDER (kind)
    ORDER (comm)
    ORDER (rank)
    ORDER (peer)
    ORDER (number)
    return 0;
}

static gboolean
is_same_pair (const ProfileWaitAccess *left, const ProfileWaitAccess *right)
{
    return left->comm == right->comm && left->rank == right->rank && left->peer == right->peer;
}

/* An end has the number of its beginning, also if MPI_Win_test has ended others. */
static void
number_accesses (GArray *list)
{
    guint32 n_posts = 0, n_starts = 0;

    g_array_sort (list, compare_times);
    for (guint i = 0; i < list->len; i++) {
        ProfileWaitAccess *access = &g_array_index (list, ProfileWaitAccess, i);

        if (i == 0 || !is_same_pair (access - 1, access)) {
            n_posts = n_starts = 0;
        }
        n_posts += access->kind == PROFILE_ACCESS_POST;
        n_starts += access->kind == PROFILE_ACCESS_START;
        access->number = access->kind == PROFILE_ACCESS_POST
                                 || access->kind == PROFILE_ACCESS_WAIT
                             ? n_posts
                             : n_starts;
    }
    g_array_sort (list, compare_numbers);
}

/* What the peer has done in the same access. NULL: it is not there. */
static const ProfileWaitCall *
find_peers (const ProfileWaits *waits, const ProfileWaitAccess *access,
            ProfileWaitAccessKind kind)
{
    ProfileWaitAccess key = { .kind = kind,
                              .comm = access->comm,
                              .rank = access->peer,
                              .peer = access->rank,
                              .number = access->number };
    const ProfileWaitAccess *found = access->number > 0 ? bsearch (&key, waits->accesses->data,
                                                                   waits->accesses->len,
                                                                   sizeof key, compare_numbers)
                                                        : NULL;

    return found != NULL ? get_call (waits, found->call) : NULL;
}

/* ---- accesses ---- */

static gint
compare_calls (gconstpointer a, gconstpointer b)
{
    const ProfileWaitAccess *left = *(ProfileWaitAccess *const *) a,
                            *right = *(ProfileWaitAccess *const *) b;

    ORDER (call)
    return 0;
}
#undef ORDER

static void
add_access (ProfileWaitStates *states, ProfileWaits *waits, ProfileWaitKind kind,
            const ProfileWaitCall *call, const ProfileWaitCall *last)
{
    BASE_APPEND (waits->syncs, ProfileWaitSync, call->leave, G_MAXUINT32, call->rank,
                 last->rank);
    if (call->enter < last->enter && call->leave >= last->enter) {
        profile_wait_states_add (states, kind, call, last, call->enter, last->enter);
    }
}

/* accesses: of one call, which waits until the last of its peers has done what it does with peer's kind. */
static void
look_at_call (ProfileWaitStates *states, ProfileWaits *waits,
              const ProfileWaitAccess *const *accesses, guint n)
{
    ProfileWaitAccessKind kind = accesses[0]->kind;
    gboolean is_inside = kind != PROFILE_ACCESS_WAIT;
    const ProfileWaitCall *last = NULL;

    for (guint i = 0; i < n; i++) {
        const ProfileWaitCall *other = find_peers (waits, accesses[i],
                                                   is_inside ? PROFILE_ACCESS_POST
                                                             : PROFILE_ACCESS_END);

        last = other != NULL && (last == NULL || other->enter > last->enter) ? other : last;
    }
    if (last != NULL) {
        add_access (states, waits, is_inside ? PROFILE_WAIT_LATE_POST : PROFILE_WAIT_EARLY_WAIT,
                    get_call (waits, accesses[0]->call), last);
    }
}

/* MPI_Win_start or MPI_Win_complete waits for MPI_Win_post, and MPI_Win_wait for MPI_Win_complete. */
static void
look_at_accesses (ProfileWaitStates *states, ProfileWaits *waits)
{
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    guint n;

    number_accesses (waits->accesses);
    for (guint i = 0; i < waits->accesses->len; i++) {
        ProfileWaitAccess *access = &g_array_index (waits->accesses, ProfileWaitAccess, i);

        if (access->kind != PROFILE_ACCESS_POST) {
            g_ptr_array_add (list, access);
        }
    }
    g_ptr_array_sort (list, compare_calls);
    for (guint i = 0; i < list->len; i += n) {
        n = 1;
        while (i + n < list->len && compare_calls (&list->pdata[i], &list->pdata[i + n]) == 0) {
            n++;
        }
        look_at_call (states, waits, (const ProfileWaitAccess *const *) (list->pdata + i), n);
    }
}

/* ---- locks ---- */

typedef struct {
    const ProfileWaitLock *lock;
    guint64 freed; /* when it began to be given back */
} Held;

BASE_ORDER (compare_held, Held, BASE_BY (lock->comm) ?: BASE_BY (freed))

static gboolean
is_conflict (const ProfileWaitLock *left, const ProfileWaitLock *right)
{
    return left->rank != right->rank && (left->is_exclusive || right->is_exclusive)
           && (left->target == right->target || left->target == G_MAXUINT32
               || right->target == G_MAXUINT32);
}

/* How many of them are given back before that time, or in communicators before. */
static guint
count_before (const GArray *held, guint32 comm, guint64 time)
{
    guint low = 0, high = held->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const Held *one = &g_array_index (held, Held, middle);

        if (one->lock->comm < comm || (one->lock->comm == comm && one->freed <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whoever gave it back last while the call was waiting has held it until then. */
static void
look_at_lock (ProfileWaitStates *states, const ProfileWaits *waits, const ProfileWaitLock *lock,
              const GArray *held)
{
    const ProfileWaitCall *call = get_call (waits, lock->taken);
    guint first = count_before (held, lock->comm, call->enter);

    for (guint i = count_before (held, lock->comm, call->leave); i > first; i--) {
        const ProfileWaitLock *other = g_array_index (held, Held, i - 1).lock;
        const ProfileWaitCall *freed = get_call (waits, other->freed);

        if (is_conflict (lock, other) && get_call (waits, other->taken)->leave < call->leave) {
            profile_wait_states_add (states, PROFILE_WAIT_LOCK, call, freed, call->enter,
                                     MIN (freed->leave, call->leave));
            return;
        }
    }
}

static void
look_at_locks (ProfileWaitStates *states, const ProfileWaits *waits)
{
    g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (Held));

    for (guint i = 0; i < waits->locks->len; i++) {
        const ProfileWaitLock *lock = &g_array_index (waits->locks, ProfileWaitLock, i);

        if (lock->freed != G_MAXUINT32) {
            BASE_APPEND (held, Held, lock, get_call (waits, lock->freed)->enter);
        }
    }
    g_array_sort (held, compare_held);
    for (guint i = 0; i < waits->locks->len; i++) {
        const ProfileWaitLock *lock = &g_array_index (waits->locks, ProfileWaitLock, i);

        if (get_call (waits, lock->taken)->leave != G_MAXUINT64) {
            look_at_lock (states, waits, lock, held);
        }
    }
}

void
profile_wait_states_add_windows (ProfileWaitStates *states, ProfileWaits *waits)
{
    if (!waits->is_from_end) { /* else nobody knows the first number of each pair */
        look_at_accesses (states, waits);
    }
    look_at_locks (states, waits);
}
