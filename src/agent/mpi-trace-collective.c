/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What collective calls of MPI are in OTF2's terms, and which bytes they move. */
#include "agent/mpi-trace-private.h"
#include <string.h>
#include <strings.h>

/* of each call, + 1; 0: not looked at */
static uint8_t kinds[MPI_TRACE_CALLS];

static uint8_t
find_kind (const char *name)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } rows[] = {
        { "barrier", PDDT_TRACE_BARRIER },
        { "bcast", PDDT_TRACE_BCAST },
        { "gather", PDDT_TRACE_GATHER },
        { "gatherv", PDDT_TRACE_GATHERV },
        { "scatter", PDDT_TRACE_SCATTER },
        { "scatterv", PDDT_TRACE_SCATTERV },
        { "allgather", PDDT_TRACE_ALLGATHER },
        { "allgatherv", PDDT_TRACE_ALLGATHERV },
        { "alltoall", PDDT_TRACE_ALLTOALL },
        { "alltoallv", PDDT_TRACE_ALLTOALLV },
        { "alltoallw", PDDT_TRACE_ALLTOALLW },
        { "allreduce", PDDT_TRACE_ALLREDUCE },
        { "reduce", PDDT_TRACE_REDUCE },
        { "reduce_scatter", PDDT_TRACE_REDUCE_SCATTER },
        { "reduce_scatter_block", PDDT_TRACE_REDUCE_SCATTER_BLOCK },
        { "scan", PDDT_TRACE_SCAN },
        { "exscan", PDDT_TRACE_EXSCAN },
        { "win_fence", PDDT_TRACE_BARRIER },
    };
    size_t length = strlen (name);

    name += 4; /* "MPI_" */
    length -= 4;
    length -= length > 5 && strcmp (name + length - 5, "_init") == 0 ? 5 : 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t own = strlen (rows[i].name);

        if ((length == own && strncasecmp (name, rows[i].name, own) == 0)
            || (length == own + 1 && name[0] == 'I'
                && strncasecmp (name + 1, rows[i].name, own) == 0)) {
            return rows[i].kind;
        }
    }
    return PDDT_TRACE_OTHER_COLLECTIVE;
}

uint8_t
mpi_trace_get_kind (uint32_t call)
{
    if (kinds[call % MPI_TRACE_CALLS] == 0) {
        kinds[call % MPI_TRACE_CALLS] = (uint8_t) (find_kind (pddt_mpi_calls[call].name) + 1);
    }
    return (uint8_t) (kinds[call % MPI_TRACE_CALLS] - 1);
}

/* What the member of that number is given or gives, where each has a count. */
static uint64_t
get_listed (const struct mpi_arguments *a, const void *counts, const void *types,
            MPI_Datatype type, int i)
{
    int64_t count = counts == NULL ? 0
                    : a->is_large  ? (int64_t) ((const MPI_Count *) counts)[i]
                                   : ((const int *) counts)[i];

    if (types != NULL) {
        type = a->is_fortran ? mpi_type_from_fortran (((const MPI_Fint *) types)[i])
                             : ((const MPI_Datatype *) types)[i];
    }
    return count > 0 ? (uint64_t) count * (uint64_t) mpi_type_find (type)->size : 0;
}

uint64_t
mpi_trace_get_bytes (const struct mpi_side *side)
{
    return side->count > 0
               ? (uint64_t) side->count * (uint64_t) mpi_type_find (side->type)->size
               : 0;
}

struct shape {
    const struct mpi_arguments *a;
    int n, rank;
    int is_root, is_leaf; /* both: the root gives to itself, too */
    int is_in_place;
    uint64_t sent, received; /* by the arguments that are the same for all members */
};

static uint64_t
sum_sent (const struct shape *shape)
{
    const struct mpi_arguments *a = shape->a;
    uint64_t sum = 0;

    for (int i = 0; i < shape->n; i++) {
        sum += get_listed (a, a->counts_sent, a->types_sent, a->send.type, i);
    }
    return sum;
}

/* The data of a reduction have one type. */
static uint64_t
get_received (const struct shape *shape, int i)
{
    const struct mpi_arguments *a = shape->a;

    return get_listed (a, a->counts_received, a->types_received,
                       a->receive.type != 0 ? a->receive.type : a->send.type, i);
}

static uint64_t
sum_received (const struct shape *shape)
{
    uint64_t sum = 0;

    for (int i = 0; i < shape->n; i++) {
        sum += get_received (shape, i);
    }
    return sum;
}

/* With a count for each member. */
static void
fill_listed (const struct shape *shape, uint8_t kind, struct pddt_trace_collective *data)
{
    const struct mpi_arguments *a = shape->a;

    switch (kind) {
    case PDDT_TRACE_GATHERV:
        data->received = shape->is_root ? sum_received (shape) : 0;
        data->sent = !shape->is_leaf      ? 0
                     : shape->is_in_place ? get_received (shape, shape->rank)
                                          : shape->sent;
        break;
    case PDDT_TRACE_SCATTERV:
        data->sent = shape->is_root ? sum_sent (shape) : 0;
        data->received = !shape->is_leaf ? 0
                         : shape->is_in_place
                             ? get_listed (a, a->counts_sent, NULL, a->send.type, shape->rank)
                             : shape->received;
        break;
    case PDDT_TRACE_ALLGATHERV:
        data->received = sum_received (shape);
        data->sent = shape->is_in_place ? get_received (shape, shape->rank) : shape->sent;
        break;
    case PDDT_TRACE_REDUCE_SCATTER:
        data->sent = sum_received (shape);
        data->received = get_received (shape, shape->rank);
        break;
    default: /* ALLTOALLV, ALLTOALLW */
        data->received = sum_received (shape);
        data->sent = shape->is_in_place ? data->received : sum_sent (shape);
        break;
    }
}

/* What this member's own arguments say that it gives and gets, in place or not. */
static void
fill_data (const struct shape *shape, uint8_t kind, struct pddt_trace_collective *data)
{
    uint64_t n = (uint64_t) shape->n, sent = shape->sent, received = shape->received;

    switch (kind) {
    case PDDT_TRACE_BCAST:
        data->sent = shape->is_root ? sent : 0;
        data->received = shape->is_leaf && !shape->is_root ? sent : 0;
        break;
    case PDDT_TRACE_REDUCE:
        data->sent = shape->is_leaf ? sent : 0;
        data->received = shape->is_root ? sent : 0;
        break;
    case PDDT_TRACE_ALLREDUCE:
    case PDDT_TRACE_SCAN:
    case PDDT_TRACE_EXSCAN: data->sent = data->received = sent; break;
    case PDDT_TRACE_REDUCE_SCATTER_BLOCK:
        data->sent = sent * n;
        data->received = sent;
        break;
    case PDDT_TRACE_GATHER:
        data->sent = !shape->is_leaf ? 0 : shape->is_in_place ? received : sent;
        data->received = shape->is_root ? received * n : 0;
        break;
    case PDDT_TRACE_SCATTER:
        data->sent = shape->is_root ? sent * n : 0;
        data->received = !shape->is_leaf ? 0 : shape->is_in_place ? sent : received;
        break;
    case PDDT_TRACE_ALLGATHER:
        data->sent = shape->is_in_place ? received : sent;
        data->received = received * n;
        break;
    case PDDT_TRACE_ALLTOALL:
        data->sent = (shape->is_in_place ? received : sent) * n;
        data->received = received * n;
        break;
    case PDDT_TRACE_GATHERV:
    case PDDT_TRACE_SCATTERV:
    case PDDT_TRACE_ALLGATHERV:
    case PDDT_TRACE_ALLTOALLV:
    case PDDT_TRACE_ALLTOALLW:
    case PDDT_TRACE_REDUCE_SCATTER: fill_listed (shape, kind, data); break;
    default: break;
    }
}

void
mpi_trace_describe (const struct mpi_arguments *a, const struct pddt_queue_communicator *entry,
                    uint8_t kind, struct pddt_trace_collective *data)
{
    int is_inter = (entry->flags & PDDT_QUEUE_INTER) != 0;
    int is_rooted = (a->flags & PDDT_QUEUE_ROOTED) != 0;
    struct shape shape = { .a = a,
                           .n = is_inter ? (int) entry->n_remote : entry->size,
                           .rank = entry->rank,
                           .sent = mpi_trace_get_bytes (&a->send),
                           .received = mpi_trace_get_bytes (&a->receive) };

    *data = (struct pddt_trace_collective){ .root = PDDT_TRACE_UNKNOWN };
    if (is_rooted && a->root >= 0) {
        data->root = (uint32_t) a->root;
    }
    if (a->how != MPI_HOW_COLLECTIVE || entry->rank < 0) {
        return;
    }
    shape.is_root = is_rooted && a->root == (is_inter ? MPI_ROOT : entry->rank);
    shape.is_leaf = !is_rooted || !is_inter || a->root >= 0;
    shape.is_in_place = mpi_is_in_place (a, a->send.buffer)
                        || mpi_is_in_place (a, a->receive.buffer);
    fill_data (&shape, kind, data);
}

uint8_t
mpi_trace_find_collective (const struct mpi_arguments *a,
                           const struct pddt_queue_record *current)
{
    switch (a->how) {
    case MPI_HOW_COLLECTIVE: return mpi_trace_get_kind (a->call);
    case MPI_HOW_CREATE:
    case MPI_HOW_CREATE_GROUP:
    case MPI_HOW_CREATE_INTER:
    case MPI_HOW_CREATE_WINDOW:
    case MPI_HOW_CREATE_FILE:
        return current->collective != 0 ? PDDT_TRACE_CREATE_HANDLE : MPI_TRACE_NO_KIND;
    case MPI_HOW_FREE:
    case MPI_HOW_FREE_WINDOW:
    case MPI_HOW_FREE_FILE:
        return current->collective != 0 ? PDDT_TRACE_DESTROY_HANDLE : MPI_TRACE_NO_KIND;
    case MPI_HOW_FILE: return current->collective != 0 ? PDDT_TRACE_BARRIER : MPI_TRACE_NO_KIND;
    case MPI_HOW_WINDOW:
        return current->collective != 0 ? mpi_trace_get_kind (a->call) : MPI_TRACE_NO_KIND;
    default: return MPI_TRACE_NO_KIND;
    }
}
