/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why ranks have waited, and the critical path, as Scalasca defines them (Böhme and others, "Identifying the root causes of
 * wait states in large-scale parallel applications" and "Scalable critical-path based performance analysis"): whoever a rank
 * has waited for was longer in some functions since both were last in step. That difference is what the wait comes from, in
 * proportion; where it is a wait itself, it comes from what that one comes from. */
#include "profile/otf2/waits-private.h"
#include "base/array.h"

#define MOST_STEPS 50000000u /* of looking at gaps */
#define MOST_ROWS 200u
#define IN_MPI G_MAXUINT32 /* instead of a region: in MPI, without waiting */

typedef struct {
    double seconds, passed;
} Cost;

typedef struct {
    guint first, n;
} Range;

typedef struct {
    ProfileWaits *waits;
    double resolution;
    GHashTable *gaps;       /* rank to Range of waits->gaps */
    GHashTable *instances;  /* rank to Range of waits->instances, each by time */
    GHashTable *costs;      /* rank << 32 | region to Cost */
    GHashTable *steps;      /* two ranks to the time (guint64) when they were last in step */
    GHashTable *comm_steps; /* communicator to that time */
    GHashTable *members;    /* communicator << 32 | rank */
    guint64 n_steps;
} Search;

static gint64
pair (guint32 high, guint32 low)
{
    return (gint64) high << 32 | low;
}

static ProfileWaitInstance *
get_instance (const Search *search, guint index)
{
    return &g_array_index (search->waits->instances, ProfileWaitInstance, index);
}

static const ProfileWaitGap *
get_gap (const Search *search, guint index)
{
    return &g_array_index (search->waits->gaps, ProfileWaitGap, index);
}

static Range
get_range (GHashTable *ranges, guint32 rank)
{
    const Range *found = g_hash_table_lookup (ranges, GUINT_TO_POINTER (rank));

    return found != NULL ? *found : (Range){ 0, 0 };
}

/* ---- what a rank did between two times ---- */

static void
add_time (GHashTable *times, guint32 region, double ticks)
{
    double *sum = g_hash_table_lookup (times, GUINT_TO_POINTER (region));

    if (sum == NULL) {
        sum = g_new0 (double, 1);
        g_hash_table_insert (times, GUINT_TO_POINTER (region), sum);
    }
    *sum += ticks;
}

static guint64
get_overlap (guint64 begin, guint64 end, guint64 from, guint64 to)
{
    guint64 first = MAX (begin, from), last = MIN (end, to);

    return last > first ? last - first : 0;
}

/* The first of the range that ends behind the time. */
static guint
find_gap (const Search *search, Range range, guint64 time)
{
    return BASE_BISECT (middle, range.first, range.first + range.n,
                        !(get_gap (search, middle)->end > time));
}

static guint
find_instance (const Search *search, Range range, guint64 time)
{
    return BASE_BISECT (middle, range.first, range.first + range.n,
                        !(get_instance (search, middle)->end > time));
}

static guint64
sum_waits (const Search *search, guint32 rank, guint64 from, guint64 to)
{
    Range range = get_range (search->instances, rank);
    guint64 sum = 0;

    for (guint i = find_instance (search, range, from);
         i < range.first + range.n && get_instance (search, i)->begin < to; i++) {
        const ProfileWaitInstance *instance = get_instance (search, i);

        sum += get_overlap (instance->begin, instance->end, from, to);
    }
    return sum;
}

/* Adds factor times what the rank did there: its functions, and MPI without waiting. Returns its waits in ticks. */
static guint64
add_times (Search *search, guint32 rank, guint64 from, guint64 to, double factor,
           GHashTable *times)
{
    Range range = get_range (search->gaps, rank);
    guint64 waits = from < to ? sum_waits (search, rank, from, to) : 0;
    double computed = 0, rest;
    guint at;

    if (from >= to) {
        return 0;
    }

    for (at = find_gap (search, range, from);
         at < range.first + range.n && get_gap (search, at)->begin < to; at++) {
        const ProfileWaitGap *gap = get_gap (search, at);
        guint64 overlap = get_overlap (gap->begin, gap->end, from, to);
        double share = (double) overlap / (double) MAX (gap->end - gap->begin, 1);

        computed += (double) overlap;
        for (guint i = 0; i < gap->n; i++) {
            const ProfileWaitSelf *self = &g_array_index (search->waits->selves,
                                                          ProfileWaitSelf, gap->first + i);

            add_time (times, self->region, factor * share * (double) self->ticks);
        }
        search->n_steps += 1u + gap->n;
    }
    rest = (double) (to - from) - computed - (double) waits;
    if (rest > 0) {
        add_time (times, IN_MPI, factor * rest);
    }
    return waits;
}

/* ---- who was in step, and when ---- */

BASE_ORDER (compare_syncs, ProfileWaitSync, BASE_BY (time))

static gint
compare_ends (gconstpointer a, gconstpointer b, gpointer user)
{
    const Search *search = user;
    const ProfileWaitInstance *left = get_instance (search, *(const guint *) a),
                              *right = get_instance (search, *(const guint *) b);

    return (left->end > right->end) - (left->end < right->end);
}

static GArray *
sort_by_end (Search *search)
{
    guint n = search->waits->instances->len;
    GArray *order = g_array_sized_new (FALSE, FALSE, sizeof (guint), n);

    for (guint i = 0; i < n; i++) {
        g_array_append_val (order, i);
    }
    g_array_sort_with_data (order, compare_ends, search);
    return order;
}

static void
set_time (GHashTable *times, gint64 key, guint64 time)
{
    guint64 *known = g_hash_table_lookup (times, &key);

    if (known == NULL) {
        known = g_new (guint64, 1);
        g_hash_table_insert (times, g_memdup2 (&key, sizeof key), known);
    }
    *known = time;
}

static guint64
get_time (GHashTable *times, gint64 key)
{
    const guint64 *known = g_hash_table_lookup (times, &key);

    return known != NULL ? *known : 0;
}

static guint64
find_last_step (const Search *search, guint32 rank, guint32 other)
{
    guint64 last = get_time (search->steps, pair (MIN (rank, other), MAX (rank, other)));
    gpointer comm;

    BASE_WALK (search->waits->comms, &comm, NULL) {
        guint32 id = GPOINTER_TO_UINT (comm);
        gint64 one = pair (id, rank), two = pair (id, other);

        if (g_hash_table_contains (search->members, &one)
            && g_hash_table_contains (search->members, &two)) {
            last = MAX (last, get_time (search->comm_steps, id));
        }
    }
    return last;
}

static void
find_members (Search *search)
{
    gpointer comm, value;

    BASE_WALK (search->waits->comms, &comm, &value) {
        const GArray *ranks = value;

        for (guint i = 0; i < ranks->len; i++) {
            gint64 key = pair (GPOINTER_TO_UINT (comm), g_array_index (ranks, guint32, i));

            g_hash_table_add (search->members, g_memdup2 (&key, sizeof key));
        }
    }
}

/* order: of instances, by their ends. */
static void
note_steps (Search *search, const GArray *order)
{
    GArray *syncs = search->waits->syncs;
    guint next = 0;

    find_members (search);
    g_array_sort (syncs, compare_syncs);
    for (guint i = 0; i < order->len; i++) {
        ProfileWaitInstance *instance = get_instance (search, g_array_index (order, guint, i));

        for (; next < syncs->len
               && g_array_index (syncs, ProfileWaitSync, next).time < instance->end;
             next++) {
            const ProfileWaitSync *sync = &g_array_index (syncs, ProfileWaitSync, next);

            if (sync->comm != G_MAXUINT32) {
                set_time (search->comm_steps, sync->comm, sync->time);
            } else {
                set_time (search->steps,
                          pair (MIN (sync->first, sync->second),
                                MAX (sync->first, sync->second)),
                          sync->time);
            }
        }
        instance->since = find_last_step (search, instance->rank, instance->cause);
    }
}

/* ---- delays ---- */

static void
charge (Search *search, guint32 rank, guint32 region, double seconds, double passed)
{
    gint64 key = pair (rank, region);
    Cost *cost = g_hash_table_lookup (search->costs, &key);

    if (cost == NULL) {
        cost = g_new0 (Cost, 1);
        g_hash_table_insert (search->costs, g_memdup2 (&key, sizeof key), cost);
    }
    cost->seconds += seconds;
    cost->passed += passed;
}

/* The cause's waits in that time have a part of the cost each. */
static void
pass_on (Search *search, guint32 rank, guint64 from, guint64 to, double cost, guint64 all)
{
    Range range = get_range (search->instances, rank);

    for (guint i = find_instance (search, range, from);
         i < range.first + range.n && get_instance (search, i)->begin < to; i++) {
        ProfileWaitInstance *earlier = get_instance (search, i);
        guint64 overlap = get_overlap (earlier->begin, earlier->end, from, to);

        earlier->passed += cost * (double) overlap / (double) MAX (all, 1);
    }
}

static void
explain (Search *search, const ProfileWaitInstance *instance)
{
    g_autoptr (GHashTable) times = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    double own = (double) (instance->end - instance->begin) / search->resolution;
    guint64 waits = add_times (search, instance->cause, instance->since, instance->end, 1,
                               times);
    /* up to its wait the other one has done less, or the same in less time */
    guint64 others = add_times (search, instance->rank, instance->since, instance->begin, -1,
                                times);
    double longer = waits > others ? (double) (waits - others) : 0, sum = longer;
    GHashTableIter iter;
    gpointer region, value;

    g_hash_table_iter_init (&iter, times);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        sum += MAX (*(double *) value, 0);
    }
    if (sum <= 0) {
        return;
    }
    g_hash_table_iter_init (&iter, times);
    while (g_hash_table_iter_next (&iter, &region, &value)) {
        double share = MAX (*(double *) value, 0) / sum;

        if (share > 0) {
            charge (search, instance->cause, GPOINTER_TO_UINT (region), own * share,
                    instance->passed * share);
        }
    }
    if (longer > 0) {
        pass_on (search, instance->cause, instance->since, instance->end,
                 (own + instance->passed) * longer / sum, waits);
    }
}

static void
find_delays (Search *search)
{
    g_autoptr (GArray) order = sort_by_end (search);

    note_steps (search, order);
    for (guint i = order->len; i > 0 && search->n_steps < MOST_STEPS; i--) {
        explain (search, get_instance (search, g_array_index (order, guint, i - 1)));
    }
}

BASE_ORDER (compare_delays, ProfileDelay,
            BASE_COMPARE (right->seconds + right->passed_s, left->seconds + left->passed_s))

static const char *
find_name (const Search *search, guint32 region, const char **ret_file, guint32 *ret_line)
{
    const ProfileOtf2Region *found
        = region != IN_MPI ? g_hash_table_lookup (search->waits->definitions->regions,
                                                  GUINT_TO_POINTER (region))
                           : NULL;

    *ret_file = found != NULL && found->file != NULL ? found->file : "";
    *ret_line = found != NULL ? found->line : 0;
    return found != NULL && found->name != NULL ? found->name : "";
}

static void
put_delays (const Search *search, ProfileSpool *to)
{
    g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (ProfileDelay));
    gpointer key, value;

    BASE_WALK (search->costs, &key, &value) {
        const Cost *cost = value;
        guint32 region = (guint32) * (const gint64 *) key;
        ProfileDelay delay = { .rank = (guint32) (*(const gint64 *) key >> 32),
                               .is_mpi = region == IN_MPI,
                               .seconds = cost->seconds,
                               .passed_s = cost->passed };
        const char *file;

        delay.function = (char *) find_name (search, region, &file, &delay.line);
        delay.file = (char *) file;
        g_array_append_val (list, delay);
    }
    g_array_sort (list, compare_delays);
    for (guint i = 0; i < MIN (list->len, MOST_ROWS); i++) {
        profile_spool_put_delay (to, &g_array_index (list, ProfileDelay, i));
    }
}

/* ---- the critical path ---- */

/* Where the path ends: who came last to the end of MPI, or has recorded the last event. */
static gboolean
find_end (const Search *search, guint32 *ret_rank, guint64 *ret_time)
{
    const GArray *ends = search->waits->ends;
    gboolean has_finalize = FALSE;

    *ret_time = 0;
    for (guint i = 0; i < ends->len; i++) {
        const ProfileWaitEnd *end = &g_array_index (ends, ProfileWaitEnd, i);
        guint64 time = end->finalize != 0 ? end->finalize : end->last;

        if ((end->finalize != 0 && !has_finalize)
            || (has_finalize == (end->finalize != 0) && time > *ret_time)) {
            has_finalize = end->finalize != 0;
            *ret_time = time;
            *ret_rank = end->rank;
        }
    }
    return ends->len > 1 && *ret_time > 0;
}

static guint64
get_begin (const Search *search, guint32 rank)
{
    const GArray *ends = search->waits->ends;

    return BASE_CHOOSE (i, ends->len, g_array_index (ends, ProfileWaitEnd, i).rank == rank,
                        g_array_index (ends, ProfileWaitEnd, i).first, 0);
}

/* Adds the rank's time there to the path's. */
static void
follow (Search *search, GHashTable *path, guint32 rank, guint64 from, guint64 to)
{
    g_autoptr (GHashTable) times = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    gpointer region, value;

    if (from >= to) {
        return;
    }
    add_times (search, rank, from, to, 1, times);
    BASE_WALK (times, &region, &value) {
        gint64 key = pair (GPOINTER_TO_UINT (region), rank);
        double *sum = g_hash_table_lookup (path, &key);

        if (sum == NULL) {
            sum = g_new0 (double, 1);
            g_hash_table_insert (path, g_memdup2 (&key, sizeof key), sum);
        }
        *sum += *(double *) value / search->resolution;
    }
}

/* Region and rank to seconds; NULL: there is no end to begin at. */
static GHashTable *
find_path (Search *search)
{
    GHashTable *path;
    guint32 rank = 0;
    guint64 time;

    if (!find_end (search, &rank, &time)) {
        return NULL;
    }
    path = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    for (guint n = 0; n <= search->waits->instances->len; n++) {
        Range range = get_range (search->instances, rank);
        guint behind = find_instance (search, range, time);
        const ProfileWaitInstance *wait = behind > range.first
                                              ? get_instance (search, behind - 1)
                                              : NULL;

        if (wait == NULL || wait->begin >= time) {
            break;
        }
        follow (search, path, rank, wait->end, time);
        time = wait->end;
        rank = wait->cause;
        if (search->n_steps >= MOST_STEPS) {
            break;
        }
    }
    follow (search, path, rank, MIN (get_begin (search, rank), time), time);
    return path;
}

/* Region to the ticks of all ranks. */
static GHashTable *
sum_all (const Search *search)
{
    GHashTable *sums = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    const GArray *selves = search->waits->selves, *ends = search->waits->ends;
    double computed = 0, waited = 0, all = 0;

    for (guint i = 0; i < selves->len; i++) {
        const ProfileWaitSelf *self = &g_array_index (selves, ProfileWaitSelf, i);

        add_time (sums, self->region, (double) self->ticks);
        computed += (double) self->ticks;
    }
    for (guint i = 0; i < search->waits->instances->len; i++) {
        waited += (double) (get_instance (search, i)->end - get_instance (search, i)->begin);
    }
    for (guint i = 0; i < ends->len; i++) {
        const ProfileWaitEnd *end = &g_array_index (ends, ProfileWaitEnd, i);

        all += (double) (end->last - end->first);
    }
    add_time (sums, IN_MPI, MAX (all - computed - waited, 0));
    return sums;
}

BASE_ORDER (compare_parts, ProfilePathPart, BASE_BY_DOWN (seconds))

static void
put_path (const Search *search, GHashTable *path, ProfileSpool *to)
{
    g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (ProfilePathPart));
    g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
    g_autoptr (GHashTable) sums = sum_all (search);
    gpointer key, value;

    BASE_WALK (path, &key, &value) {
        guint32 region = (guint32) (*(const gint64 *) key >> 32),
                rank = (guint32) * (const gint64 *) key;
        guint index = GPOINTER_TO_UINT (g_hash_table_lookup (known, GUINT_TO_POINTER (region)));
        double seconds = *(double *) value;
        ProfilePathPart *part;

        if (index == 0) {
            ProfilePathPart new = { .is_mpi = region == IN_MPI };
            const double *all = g_hash_table_lookup (sums, GUINT_TO_POINTER (region));
            const char *file;

            new.function = (char *) find_name (search, region, &file, &new.line);
            new.file = (char *) file;
            new.mean_s = all != NULL ? *all / search->resolution
                                           / (double) MAX (search->waits->ends->len, 1)
                                     : 0;
            g_array_append_val (list, new);
            index = list->len;
            g_hash_table_insert (known, GUINT_TO_POINTER (region), GUINT_TO_POINTER (index));
        }
        part = &g_array_index (list, ProfilePathPart, index - 1);
        part->seconds += seconds;
        if (seconds > part->rank_s) {
            part->rank_s = seconds;
            part->rank = rank;
        }
    }
    g_array_sort (list, compare_parts);
    for (guint i = 0; i < MIN (list->len, MOST_ROWS); i++) {
        profile_spool_put_path_part (to, &g_array_index (list, ProfilePathPart, i));
    }
}

/* ---- all of it ---- */

BASE_ORDER (compare_gaps, ProfileWaitGap, BASE_BY (rank) ?: BASE_BY (begin))

BASE_ORDER (compare_instances, ProfileWaitInstance, BASE_BY (rank) ?: BASE_BY (end))

static GHashTable *
find_ranges (const GArray *list, guint32 (*get_rank) (const GArray *list, guint index))
{
    GHashTable *ranges = g_hash_table_new_full (NULL, NULL, NULL, g_free);

    for (guint i = 0; i < list->len;) {
        guint32 rank = get_rank (list, i);
        Range range = { i, 0 };

        for (; i < list->len && get_rank (list, i) == rank; i++) {
            range.n++;
        }
        g_hash_table_insert (ranges, GUINT_TO_POINTER (rank), g_memdup2 (&range, sizeof range));
    }
    return ranges;
}

static guint32
get_rank_of_gap (const GArray *list, guint index)
{
    return g_array_index (list, ProfileWaitGap, index).rank;
}

static guint32
get_rank_of_instance (const GArray *list, guint index)
{
    return g_array_index (list, ProfileWaitInstance, index).rank;
}

/* A call that waits for several ranks waits for the next one once the one before has come. */
static void
part_instances (GArray *instances)
{
    for (guint i = 1; i < instances->len; i++) {
        const ProfileWaitInstance *before = &g_array_index (instances, ProfileWaitInstance,
                                                            i - 1);
        ProfileWaitInstance *instance = &g_array_index (instances, ProfileWaitInstance, i);

        if (before->rank == instance->rank) {
            instance->begin = MIN (MAX (instance->begin, before->end), instance->end);
        }
    }
}

void
profile_wait_states_put_delays (ProfileWaits *waits, ProfileSpool *to)
{
    Search search = { .waits = waits,
                      .resolution = (double) MAX (waits->definitions->resolution, 1) };
    g_autoptr (GHashTable) path = NULL;

    if (waits->instances->len == 0 || waits->is_from_end) {
        return;
    }
    g_array_sort (waits->gaps, compare_gaps);
    g_array_sort (waits->instances, compare_instances);
    part_instances (waits->instances);
    search.gaps = find_ranges (waits->gaps, get_rank_of_gap);
    search.instances = find_ranges (waits->instances, get_rank_of_instance);
    search.costs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    search.steps = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    search.comm_steps = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
    search.members = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    find_delays (&search);
    put_delays (&search, to);
    search.n_steps = 0;
    path = find_path (&search);
    if (path != NULL) {
        put_path (&search, path, to);
    }
    g_hash_table_unref (search.gaps);
    g_hash_table_unref (search.instances);
    g_hash_table_unref (search.costs);
    g_hash_table_unref (search.steps);
    g_hash_table_unref (search.comm_steps);
    g_hash_table_unref (search.members);
}
