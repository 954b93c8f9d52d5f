/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's tables: communicators with their members, requests by handle, message
 * counters. Sizes are fixed; a flag in the state says that something did not fit. */
#include "agent/mpi-fast.h"
#include <stdio.h>
#include <string.h>

#define NO_INDEX MPI_NO_INDEX
#define N_FREED 16           /* communicators kept after they were freed */
#define MAX_NEIGHBOURS 4096  /* of one rank */
#define HASH_SIZE MPI_PLACES /* four slots for each entry of requests and flows */
#define hash_handle mpi_fast_hash

/* The same table under another name, which the recorder can access directly. */
struct pddt_queue mpi_queue;
extern struct pddt_queue pddt_mpi_queue
    __attribute__ ((alias ("mpi_queue"), visibility ("default")));

static MPI_Group world_group;
struct pddt_queue_communicator *mpi_recent_comms[MPI_RECENT_COMMS]; /* by handle */
static int ranks[2][65536];

uint64_t
mpi_hash (uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t hash = a * 0x9e3779b97f4a7c15ull;

    hash = (hash ^ (hash >> 29) ^ b) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ (hash >> 32) ^ c) * 0x94d049bb133111ebull;
    return (hash ^ (hash >> 31)) & (uint64_t) INT64_MAX;
}

/* ---- communicators ---- */

static uint64_t
handle_of_comm (MPI_Comm comm)
{
    return (uint64_t) (uintptr_t) comm;
}

/* Windows and communicators share the table: their handles never coincide, because MPICH's
 * numbers depend on the kind of object and Open MPI's are addresses. */
static struct pddt_queue_communicator *
find_handle (uint64_t handle)
{
    struct pddt_queue_communicator **cached
        = &mpi_recent_comms[hash_handle (handle) % MPI_RECENT_COMMS];

    if (*cached != NULL && (*cached)->handle == handle && (*cached)->in_use) {
        return *cached;
    }
    for (uint32_t i = 0; i < mpi_queue.communicators_high; i++) {
        struct pddt_queue_communicator *entry = &mpi_queue.communicators[i];

        if (entry->in_use && entry->handle == handle) {
            *cached = entry;
            return entry;
        }
    }
    return NULL;
}

static struct pddt_queue_communicator *
take_entry (void)
{
    for (uint32_t i = 0; i < PDDT_QUEUE_COMMUNICATORS; i++) {
        struct pddt_queue_communicator *entry = &mpi_queue.communicators[i];

        if (!entry->in_use) {
            memset (entry, 0, sizeof *entry);
            entry->in_use = 1;
            if (i >= mpi_queue.communicators_high) {
                mpi_queue.communicators_high = i + 1;
            }
            return entry;
        }
    }
    mpi_queue.state |= PDDT_QUEUE_OVERFLOW | PDDT_QUEUE_UNCOUNTED;
    return NULL;
}

/* Freed communicators leave gaps between the member lists; this closes them. */
static void
compact_members (void)
{
    uint32_t end = 0;

    for (uint32_t from = 0; from < mpi_queue.members_high;) {
        uint32_t next = PDDT_QUEUE_MEMBERS, *field = NULL, count = 0;

        for (uint32_t i = 0; i < mpi_queue.communicators_high; i++) {
            struct pddt_queue_communicator *entry = &mpi_queue.communicators[i];
            struct {
                uint32_t *first, n;
            } lists[] = { { &entry->members, entry->n_members },
                          { &entry->remote, entry->n_remote },
                          { &entry->sources, entry->n_sources },
                          { &entry->destinations, entry->n_destinations } };

            for (unsigned k = 0; entry->in_use && k < sizeof lists / sizeof *lists; k++) {
                if (lists[k].n > 0 && *lists[k].first >= from && *lists[k].first < next) {
                    next = *lists[k].first, field = lists[k].first, count = lists[k].n;
                }
            }
        }
        if (field == NULL) {
            break;
        }
        memmove (mpi_queue.members + end, mpi_queue.members + next,
                 count * sizeof *mpi_queue.members);
        *field = end;
        end += count;
        from = next + count;
    }
    mpi_queue.members_high = end;
}

/* Stores the list among the members, and says where. 0: no room. */
static int
keep_list (const int *list, uint32_t n, uint32_t *ret_first, uint32_t *ret_n)
{
    if (mpi_queue.members_high + n > PDDT_QUEUE_MEMBERS) {
        compact_members ();
    }
    if (mpi_queue.members_high + n > PDDT_QUEUE_MEMBERS) {
        return 0;
    }
    *ret_first = mpi_queue.members_high;
    *ret_n = n;
    memcpy (mpi_queue.members + mpi_queue.members_high, list, n * sizeof *mpi_queue.members);
    mpi_queue.members_high += n;
    return 1;
}

/* Stores the members of the group as ranks of the job, unless each has its own number. */
static void
keep_members (struct pddt_queue_communicator *entry, MPI_Group group, int is_remote)
{
    int n = 0, is_identity = !is_remote;

    mpi_next.group_size (group, &n);
    if (n > (int) (sizeof ranks[0] / sizeof *ranks[0])) {
        entry->flags |= PDDT_QUEUE_CUT;
        return;
    }
    for (int i = 0; i < n; i++) {
        ranks[0][i] = i;
    }
    if (mpi_next.group_translate_ranks (group, n, ranks[0], world_group, ranks[1])
        != MPI_SUCCESS) {
        entry->flags |= PDDT_QUEUE_CUT;
        return;
    }
    for (int i = 0; i < n; i++) {
        ranks[1][i] = ranks[1][i] >= 0 && ranks[1][i] != MPI_UNDEFINED ? ranks[1][i] : -1;
        is_identity = is_identity && ranks[1][i] == i;
    }
    if (!is_identity
        && !keep_list (ranks[1], (uint32_t) n, is_remote ? &entry->remote : &entry->members,
                       is_remote ? &entry->n_remote : &entry->n_members)) {
        entry->flags |= PDDT_QUEUE_CUT;
    }
}

/* Whom this rank gets from (0) and gives to (1) in neighbour collectives, in MPI's order. Returns how many; -1: not
 * known. */
static int
find_neighbours (const struct pddt_queue_communicator *entry, MPI_Comm comm, int status,
                 int side)
{
    static int
        weights[2][MAX_NEIGHBOURS]; /* MPICH's MPI_UNWEIGHTED is a variable of its library */
    int n[2] = { 0, 0 }, is_weighted;

    if (status == MPI_CART) {
        for (int i = 0; i < entry->n_dims; i++) {
            if (mpi_next.cart_shift (comm, i, 1, &ranks[0][2 * i], &ranks[0][2 * i + 1])
                != MPI_SUCCESS) {
                return -1;
            }
        }
        return 2 * entry->n_dims;
    }
    if (status == MPI_GRAPH) {
        return mpi_next.graph_neighbors_count (comm, entry->rank, &n[0]) == MPI_SUCCESS
                       && n[0] <= MAX_NEIGHBOURS
                       && mpi_next.graph_neighbors (comm, entry->rank, n[0], ranks[0])
                              == MPI_SUCCESS
                   ? n[0]
                   : -1;
    }
    if (mpi_next.dist_graph_neighbors_count (comm, &n[0], &n[1], &is_weighted) != MPI_SUCCESS
        || n[0] > MAX_NEIGHBOURS || n[1] > MAX_NEIGHBOURS
        || mpi_next.dist_graph_neighbors (comm, n[0], ranks[0], weights[0], n[1], ranks[1],
                                          weights[1])
               != MPI_SUCCESS) {
        return -1;
    }
    if (side == 1) {
        memmove (ranks[0], ranks[1], (size_t) n[1] * sizeof *ranks[0]);
    }
    return n[side];
}

static void
keep_neighbours (struct pddt_queue_communicator *entry, MPI_Comm comm, int status)
{
    int is_known = 1;

    for (int side = 0; side < 2; side++) {
        int n = find_neighbours (entry, comm, status, side);

        for (int i = 0; i < n; i++) {
            ranks[0][i] = ranks[0][i] >= 0 ? ranks[0][i] : -1;
        }
        is_known &= n == 0
                    || (n > 0
                        && keep_list (ranks[0], (uint32_t) n,
                                      side == 0 ? &entry->sources : &entry->destinations,
                                      side == 0 ? &entry->n_sources : &entry->n_destinations));
    }
    entry->flags |= is_known ? PDDT_QUEUE_NEIGHBOURS : 0;
}

static void
fill_topology (struct pddt_queue_communicator *entry, MPI_Comm comm)
{
    int status = MPI_UNDEFINED, n_dims = 0;

    if (mpi_next.topo_test (comm, &status) != MPI_SUCCESS || status == MPI_UNDEFINED) {
        return;
    }
    if (status != MPI_CART) {
        entry->flags |= PDDT_QUEUE_GRAPH;
        keep_neighbours (entry, comm, status);
        return;
    }
    if (mpi_next.cartdim_get (comm, &n_dims) == MPI_SUCCESS && n_dims <= PDDT_QUEUE_DIMS
        && mpi_next.cart_get (comm, n_dims, entry->dims, entry->periods, entry->coords)
               == MPI_SUCCESS) {
        entry->n_dims = n_dims;
        entry->flags |= PDDT_QUEUE_CARTESIAN;
        keep_neighbours (entry, comm, status);
    }
}

void
mpi_communicator_set_name (struct pddt_queue_communicator *entry, const char *name, size_t size)
{
    /* Open MPI makes up names for communicators without one. */
    if (size >= 17 && memcmp (name, "MPI COMMUNICATOR ", 17) == 0) {
        size = 0;
    }
    if (size >= sizeof entry->name) {
        size = sizeof entry->name - 1;
    }
    memcpy (entry->name, name, size);
    entry->name[size] = '\0';
    while (size > 0 && entry->name[size - 1] == ' ') { /* Fortran's */
        entry->name[--size] = '\0';
    }
}

static void
fill_groups (struct pddt_queue_communicator *entry, MPI_Comm comm)
{
    int is_inter = 0;
    MPI_Group group;

    mpi_next.comm_test_inter (comm, &is_inter);
    if (mpi_next.comm_group (comm, &group) == MPI_SUCCESS) {
        keep_members (entry, group, 0);
        mpi_next.group_free (&group);
    }
    if (!is_inter) {
        fill_topology (entry, comm);
        return;
    }
    entry->flags |= PDDT_QUEUE_INTER;
    if (mpi_next.comm_remote_group (comm, &group) == MPI_SUCCESS) {
        keep_members (entry, group, 1);
        mpi_next.group_free (&group);
    }
}

struct pddt_queue_communicator *
mpi_communicator_add (MPI_Comm comm, uint64_t id, uint64_t parent, void *maker)
{
    struct pddt_queue_communicator *entry = find_handle (handle_of_comm (comm));
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;

    if (entry != NULL) { /* it was freed unseen, and MPI has reused the handle */
        mpi_communicator_remove (entry);
    }
    entry = take_entry ();
    if (entry == NULL) {
        return NULL;
    }
    entry->handle = handle_of_comm (comm);
    entry->parent = parent;
    entry->maker = (uint64_t) (uintptr_t) maker;
    mpi_next.comm_size (comm, &entry->size);
    mpi_next.comm_rank (comm, &entry->rank);
    if (mpi_next.comm_get_name (comm, name, &length) == MPI_SUCCESS && length > 0) {
        mpi_communicator_set_name (entry, name, (size_t) length);
    }
    fill_groups (entry, comm);
    entry->id = id;
    return entry;
}

struct pddt_queue_communicator *
mpi_communicator_find (MPI_Comm comm)
{
    static struct pddt_queue_communicator *newest; /* once it is removed, its handle is 0 */
    struct pddt_queue_communicator *entry;

    if (mpi_is_null_comm (comm)) {
        return NULL;
    }
    if (newest != NULL && newest->handle == handle_of_comm (comm)) {
        return newest;
    }
    entry = find_handle (handle_of_comm (comm));
    newest = entry;
    if (entry == NULL && (mpi_queue.state & PDDT_QUEUE_INITIALIZED)) {
        /* Its creation was not seen (MPI_Comm_get_parent, …), so other ranks may number it
         * differently. */
        entry = mpi_communicator_add (comm, 0, 0, NULL);
        if (entry != NULL) {
            entry->id = mpi_hash (0x756e6b6e6f776eull, (uint64_t) entry->size,
                                  (uint64_t) mpi_communicator_member (entry, 0));
        }
    }
    return entry;
}

int
mpi_communicator_member (const struct pddt_queue_communicator *entry, int rank)
{
    if (entry->n_members == 0) {
        return rank;
    }
    return rank >= 0 && (uint32_t) rank < entry->n_members
               ? mpi_queue.members[entry->members + (uint32_t) rank]
               : -1;
}

void
mpi_communicator_remove (struct pddt_queue_communicator *entry)
{
    static struct pddt_queue_communicator *freed[N_FREED];
    static unsigned n_freed;
    struct pddt_queue_communicator **oldest = &freed[n_freed++ % N_FREED];

    if (*oldest != NULL && (*oldest)->flags & PDDT_QUEUE_FREED) {
        (*oldest)->in_use = 0;
    }
    *oldest = entry;
    mpi_recent_comms[hash_handle (entry->handle) % MPI_RECENT_COMMS] = NULL;
    entry->flags |= PDDT_QUEUE_FREED;
    entry->handle = 0;
}

struct pddt_queue_communicator *
mpi_communicator_plan (MPI_Group group, uint64_t parent, void *maker)
{
    struct pddt_queue_communicator *entry = take_entry ();

    if (entry != NULL) {
        entry->handle = UINT64_MAX - (uint64_t) (entry - mpi_queue.communicators);
        entry->parent = parent;
        entry->maker = (uint64_t) (uintptr_t) maker;
        entry->rank = -1;
        mpi_next.group_size (group, &entry->size);
        keep_members (entry, group, 0);
    }
    return entry;
}

void
mpi_communicator_complete (struct pddt_queue_communicator *entry, MPI_Comm comm)
{
    struct pddt_queue_communicator *former = find_handle (handle_of_comm (comm));

    if (former != NULL) {
        mpi_communicator_remove (former);
    }
    entry->handle = handle_of_comm (comm);
    entry->name[0] = '\0';
    mpi_next.comm_rank (comm, &entry->rank);
}

struct pddt_queue_communicator *
mpi_file_find (MPI_File file)
{
    return file != 0 ? find_handle ((uint64_t) (uintptr_t) file) : NULL;
}

/* Entries of one member list each: lists are moved one by one. */
static void
copy_members (struct pddt_queue_communicator *entry,
              const struct pddt_queue_communicator *parent)
{
    uint32_t n = parent->n_members;

    entry->flags |= parent->flags & PDDT_QUEUE_CUT;
    if (n == 0) {
        return;
    }
    if (mpi_queue.members_high + n > PDDT_QUEUE_MEMBERS) {
        compact_members (); /* which moves the list of the parent, too */
    }
    if (!keep_list (mpi_queue.members + parent->members, n, &entry->members,
                    &entry->n_members)) {
        entry->flags |= PDDT_QUEUE_CUT;
    }
}

void
mpi_file_add (MPI_File file, uint64_t id, const struct pddt_queue_communicator *parent,
              const char *name, void *maker)
{
    struct pddt_queue_communicator *entry = mpi_file_find (file);
    const char *base = name != NULL ? strrchr (name, '/') : NULL;

    if (entry != NULL) {
        mpi_communicator_remove (entry);
    }
    entry = take_entry ();
    if (entry == NULL) {
        return;
    }
    entry->handle = (uint64_t) (uintptr_t) file;
    entry->parent = parent->id;
    entry->maker = (uint64_t) (uintptr_t) maker;
    entry->flags = PDDT_QUEUE_FILE;
    entry->size = parent->size;
    entry->rank = parent->rank;
    snprintf (entry->name, sizeof entry->name, "file %s",
              base != NULL   ? base + 1
              : name != NULL ? name
                             : "");
    copy_members (entry, parent);
    entry->id = id;
}

int
mpi_window_ranks (MPI_Win win, MPI_Group group, int *ret_ranks, int max)
{
    MPI_Group all;
    int n = 0;

    if (mpi_next.group_size (group, &n) != MPI_SUCCESS || n > max
        || mpi_next.win_get_group (win, &all) != MPI_SUCCESS) {
        mpi_queue.state |= PDDT_QUEUE_UNCOUNTED;
        return 0;
    }
    for (int i = 0; i < n; i++) {
        ranks[0][i] = i;
    }
    if (mpi_next.group_translate_ranks (group, n, ranks[0], all, ret_ranks) != MPI_SUCCESS) {
        n = 0;
    }
    mpi_next.group_free (&all);
    return n;
}

struct pddt_queue_communicator *
mpi_window_add (MPI_Win win, uint64_t id, uint64_t parent, void *maker)
{
    struct pddt_queue_communicator *entry = find_handle ((uint64_t) (uintptr_t) win);
    MPI_Group group;

    if (entry != NULL) {
        mpi_communicator_remove (entry);
    }
    entry = take_entry ();
    if (entry == NULL) {
        return NULL;
    }
    entry->handle = (uint64_t) (uintptr_t) win;
    entry->parent = parent;
    entry->maker = (uint64_t) (uintptr_t) maker;
    entry->flags = PDDT_QUEUE_WINDOW;
    entry->rank = -1;
    strcpy (entry->name, "window");
    if (mpi_next.win_get_group (win, &group) == MPI_SUCCESS) {
        mpi_next.group_size (group, &entry->size);
        keep_members (entry, group, 0);
        mpi_next.group_free (&group);
    }
    for (int i = 0; i < entry->size; i++) {
        if (mpi_communicator_member (entry, i) == (int) mpi_queue.world_rank) {
            entry->rank = i;
        }
    }
    entry->id = id;
    return entry;
}

struct pddt_queue_communicator *
mpi_window_find (MPI_Win win)
{
    struct pddt_queue_communicator *entry = find_handle ((uint64_t) (uintptr_t) win);

    if (entry == NULL && !mpi_is_null_win (win) && (mpi_queue.state & PDDT_QUEUE_INITIALIZED)) {
        entry = mpi_window_add (win, 0, 0, NULL); /* its creation was not seen */
        if (entry != NULL) {
            entry->id = mpi_hash (0x756e6b6e77696eull, (uint64_t) entry->size,
                                  (uint64_t) mpi_communicator_member (entry, 0));
        }
    }
    return entry;
}

/* ---- requests ---- */

/* A request that has completed keeps its slot, because MPI soon reuses the handle. */
uint16_t mpi_request_places[MPI_PLACES];
static uint16_t free_requests[PDDT_QUEUE_REQUESTS];
static uint32_t n_free_requests;

static unsigned
find_place (uint64_t handle)
{
    unsigned place = hash_handle (handle);

    while (mpi_request_places[place] != 0
           && mpi_queue.requests[mpi_request_places[place] - 1].handle != handle) {
        place = (place + 1) % HASH_SIZE;
    }
    return place;
}

uint16_t
mpi_request_find (uint64_t handle)
{
    uint16_t index = (uint16_t) (mpi_request_places[find_place (handle)] - 1); /* 0: NO_INDEX */

    return index != NO_INDEX && mpi_queue.requests[index].state != PDDT_QUEUE_FREE ? index
                                                                                   : NO_INDEX;
}

/* Takes the slots from requests that have completed. */
static void
gather_free (void)
{
    memset (mpi_request_places, 0, sizeof mpi_request_places);
    n_free_requests = 0;
    for (uint32_t i = 0; i < mpi_queue.requests_high; i++) {
        struct pddt_queue_request *entry = &mpi_queue.requests[i];

        if (entry->state == PDDT_QUEUE_FREE) {
            entry->handle = 0;
            free_requests[n_free_requests++] = (uint16_t) i;
        } else {
            mpi_request_places[find_place (entry->handle)] = (uint16_t) (i + 1);
        }
    }
}

uint16_t
mpi_request_add (uint64_t handle)
{
    unsigned place = find_place (handle);
    uint16_t index;

    if (mpi_request_places[place] != 0) {
        return (uint16_t) (mpi_request_places[place] - 1);
    }
    if (n_free_requests == 0 && mpi_queue.requests_high >= PDDT_QUEUE_REQUESTS) {
        gather_free ();
        place = find_place (handle);
    }
    if (n_free_requests > 0) {
        index = free_requests[--n_free_requests];
    } else if (mpi_queue.requests_high < PDDT_QUEUE_REQUESTS) {
        index = (uint16_t) mpi_queue.requests_high++;
    } else {
        mpi_queue.state |= PDDT_QUEUE_OVERFLOW | PDDT_QUEUE_UNCOUNTED;
        return NO_INDEX;
    }
    mpi_queue.requests[index].handle = handle;
    mpi_request_places[place] = (uint16_t) (index + 1);
    return index;
}

void
mpi_request_remove (uint16_t index)
{
    mpi_queue.requests[index].state = PDDT_QUEUE_FREE;
}

/* ---- flows ---- */

static uint16_t flow_places[HASH_SIZE];
struct pddt_queue_flow *mpi_last_flows[2];

struct pddt_queue_flow *
mpi_flow_get (uint32_t direction, uint64_t communicator, int32_t peer, int32_t tag)
{
    uint64_t key = communicator * 31 + (uint32_t) peer * 0x10001ull
                   + ((uint64_t) (uint32_t) tag << 20);
    unsigned place = hash_handle (key ^ ((uint64_t) direction << 60));
    struct pddt_queue_flow *flow = mpi_last_flows[direction - 1];

    if (flow != NULL && flow->communicator == communicator && flow->peer == peer
        && flow->tag == tag) {
        return flow;
    }
    for (; flow_places[place] != 0; place = (place + 1) % HASH_SIZE) {
        flow = &mpi_queue.flows[flow_places[place] - 1];
        if (flow->communicator == communicator && flow->peer == peer && flow->tag == tag
            && flow->in_use == direction) {
            mpi_last_flows[direction - 1] = flow;
            return flow;
        }
    }
    if (mpi_queue.flows_high >= PDDT_QUEUE_FLOWS) {
        mpi_queue.state |= PDDT_QUEUE_OVERFLOW | PDDT_QUEUE_UNCOUNTED;
        return NULL;
    }
    flow = &mpi_queue.flows[mpi_queue.flows_high++];
    flow->communicator = communicator;
    flow->peer = peer;
    flow->tag = tag;
    flow->in_use = direction;
    flow_places[place] = (uint16_t) mpi_queue.flows_high;
    return flow;
}

MPI_Op mpi_known_op;
uint16_t mpi_known_op_index;

/* ---- the beginning ---- */

static void
fill_errors (void)
{
#ifdef OPEN_MPI
    int n = MPI_ERR_LASTCODE;
#else
    int n = 54; /* the number of the standard's error classes */
#endif

    for (int i = 0; i < n && i < PDDT_QUEUE_ERRORS; i++) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;

        if (mpi_next.error_string (i, text, &length) == MPI_SUCCESS) {
            snprintf (mpi_queue.errors[i], sizeof mpi_queue.errors[i], "%.79s", text);
        }
    }
}

void
mpi_tables_init (void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0, provided = MPI_THREAD_SINGLE, size = 0, rank = 0;

    mpi_next.comm_group (mpi_world (), &world_group);
    mpi_next.comm_size (mpi_world (), &size);
    mpi_next.comm_rank (mpi_world (), &rank);
    mpi_next.get_library_version (version, &length);
    version[strcspn (version, ",\n")] = '\0';
    for (char *at = version; *at != '\0'; at++) {
        *at = *at == '\t' ? ' ' : *at;
    }
    snprintf (mpi_queue.library, sizeof mpi_queue.library, "%.63s", version);
    mpi_next.query_thread (&provided);
    mpi_queue.world_size = (uint32_t) size;
    mpi_queue.world_rank = (uint32_t) rank;
    mpi_ops_fill (mpi_queue.ops);
    mpi_memory_init ();
    fill_errors ();
    mpi_communicator_add (mpi_world (), 0, 0, NULL);
    mpi_communicator_add (mpi_self (), 1 + (uint64_t) rank, 0, NULL);
    mpi_queue.state |= PDDT_QUEUE_INITIALIZED
                       | (provided == MPI_THREAD_MULTIPLE ? PDDT_QUEUE_MULTIPLE : 0);
}
