/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives whose counts may differ: what each member says that it gives each other one, and gets from it. Both
 * sides have to say the same, which only a reader of all members can see. */
#include "agent/mpi-recorder.h"
#include <string.h>

#define Q mpi_queue

/* One side of a call: a number for each partner, or one for all of them. */
struct list {
    const void *counts; /* int, or MPI_Count where is_large; NULL: `count` for all */
    const void *types;  /* a datatype for each; NULL: `type` */
    long count;
    MPI_Datatype type;
    uint32_t n; /* partners; 0: it says nothing */
    int is_large, is_fortran;
};

static int
has (const char *name, const char *word)
{
    return strstr (name, word) != NULL;
}

static MPI_Datatype
get_type (const struct list *list, uint32_t index)
{
    if (list->types == NULL) {
        return list->type;
    }
    return list->is_fortran ? mpi_type_from_fortran (((const MPI_Fint *) list->types)[index])
                            : ((const MPI_Datatype *) list->types)[index];
}

static uint32_t
get_share (const struct list *list, uint32_t index)
{
    int64_t count = list->counts == NULL ? list->count
                    : list->is_large     ? (int64_t) ((const MPI_Count *) list->counts)[index]
                                         : ((const int *) list->counts)[index];
    int64_t size, bytes;

    if (count <= 0) {
        return 0;
    }
    size = mpi_type_find (get_type (list, index))->size;
    return size < 0 || __builtin_mul_overflow (count, size, &bytes)
                   || bytes >= PDDT_QUEUE_NO_SHARE
               ? PDDT_QUEUE_NO_SHARE
               : (uint32_t) bytes;
}

/* Returns how many it keeps. */
static uint32_t
keep (const struct list *list, uint64_t *ret_first)
{
    uint32_t n = list->counts != NULL || list->types != NULL ? list->n : list->n > 0;
    uint32_t room = PDDT_QUEUE_SHARES - (uint32_t) (Q.n_shares % PDDT_QUEUE_SHARES);

    if (n > room) {
        Q.n_shares += room;
    }
    *ret_first = Q.n_shares;
    for (uint32_t i = 0; i < n; i++) {
        Q.shares[(Q.n_shares + i) % PDDT_QUEUE_SHARES] = get_share (list, i);
    }
    Q.n_shares += n;
    return n;
}

/* The sides as the arguments of the call say them. A half that MPI ignores says nothing. */
static void
find_sides (const struct mpi_arguments *a, const struct pddt_queue_communicator *entry,
            struct list *gives, struct list *gets)
{
    const char *name = pddt_mpi_calls[a->call].name;
    int is_neighbour = has (name, "eighbor");
    uint32_t n_gives = is_neighbour ? entry->n_destinations : (uint32_t) entry->size;
    uint32_t n_gets = is_neighbour ? entry->n_sources : (uint32_t) entry->size;
    int is_root = entry->rank == a->root;

    *gives = (struct list){ a->counts_sent, a->types_sent, a->send.count, a->send.type,
                            n_gives,        a->is_large,   a->is_fortran };
    *gets = (struct list){
        a->counts_received, a->types_received, a->receive.count, a->receive.type, n_gets,
        a->is_large,        a->is_fortran
    };
    if (has (name, "catterv")) {
        gives->n = is_root ? n_gives : 0;
        gets->n = mpi_is_in_place (a, a->receive.buffer) ? 0 : 1;
    } else if (has (name, "atherv") && (a->flags & PDDT_QUEUE_ROOTED)) {
        gets->n = is_root ? n_gets : 0;
        gives->n = mpi_is_in_place (a, a->send.buffer) ? 0 : 1;
    } else if (has (name, "educe_scatter")) {
        gives->n = 0;
        gets->type = a->send.type;
    } else if (mpi_is_in_place (a, a->send.buffer)) {
        gives->n = 0;
    }
    if ((gives->counts == NULL && gives->types == NULL && gives->type == 0)
        || (has (name, "lltoallw") && gives->types == NULL)) {
        gives->n = 0;
    }
    if (gets->type == 0 && gets->types == NULL) {
        gets->n = 0;
    }
}

void
mpi_note_uneven (const struct mpi_arguments *a, const struct pddt_queue_communicator *entry,
                 uint64_t number)
{
    uint32_t max = a->flags & PDDT_QUEUE_ROOTED ? PDDT_QUEUE_SHARES_OF_ROOT
                                                : PDDT_QUEUE_SHARES_OF_ALL;
    struct pddt_queue_uneven *uneven = &Q.uneven[Q.n_uneven % PDDT_QUEUE_UNEVEN];
    struct list gives, gets;

    if ((entry->flags & PDDT_QUEUE_INTER) || entry->size <= 0) {
        return;
    }
    find_sides (a, entry, &gives, &gets);
    if (gives.n > max || gets.n > max || gives.n + gets.n == 0) {
        return;
    }
    uneven->communicator = entry->id;
    uneven->number = number;
    uneven->n_gives = keep (&gives, &uneven->gives);
    uneven->n_gets = keep (&gets, &uneven->gets);
    Q.n_uneven++;
}
