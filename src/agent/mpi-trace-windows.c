/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of calls that let ranks into a window, or wait until they may be in it. */
#include "agent/mpi-trace-private.h"
#include <string.h>

enum { NOT_LOOKED_AT, OTHER, SYNC, LOCK, UNLOCK };

struct role {
    uint8_t kind;
    uint8_t sync;    /* enum pddt_trace_rma_sync */
    uint8_t has_all; /* its peers are all of the window */
    uint8_t has_group;
};
static struct role roles[MPI_TRACE_CALLS];
static int peers[PDDT_TRACE_MAX_PEERS];

static struct role
find_role (const char *name)
{
    static const struct {
        const char *name;
        struct role role;
    } rows[] = {
        { "MPI_Win_post", { SYNC, PDDT_TRACE_RMA_POST, 0, 1 } },
        { "MPI_Win_start", { SYNC, PDDT_TRACE_RMA_START, 0, 1 } },
        { "MPI_Win_complete", { SYNC, PDDT_TRACE_RMA_ENDED, 0, 0 } },
        { "MPI_Win_wait", { SYNC, PDDT_TRACE_RMA_WAIT, 0, 0 } },
        { "MPI_Win_lock", { LOCK, 0, 0, 0 } },
        { "MPI_Win_lock_all", { LOCK, 0, 1, 0 } },
        { "MPI_Win_unlock", { UNLOCK, 0, 0, 0 } },
        { "MPI_Win_unlock_all", { UNLOCK, 0, 1, 0 } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp (name, rows[i].name) == 0) {
            return rows[i].role;
        }
    }
    return (struct role){ OTHER, 0, 0, 0 };
}

static const struct role *
get_role (uint32_t call)
{
    struct role *role = &roles[call % MPI_TRACE_CALLS];

    if (role->kind == NOT_LOOKED_AT) {
        *role = find_role (pddt_mpi_calls[call].name);
    }
    return role;
}

static void
put (uint64_t time, uint8_t kind, uint32_t window, uint16_t extra, uint32_t remote)
{
    const struct pddt_trace_rma data = { .remote = remote };
    struct pddt_trace_event *event = trace_reserve (3);

    if (event != NULL) {
        trace_fill (event, time, kind, window, extra, 2);
        memcpy (event + 1, &data, sizeof data);
        trace_commit (3);
    }
}

static uint16_t
get_lock_extra (const struct mpi_arguments *a)
{
    return strcmp (pddt_mpi_calls[a->call].name, "MPI_Win_lock") == 0
                   && a->root == MPI_LOCK_EXCLUSIVE
               ? PDDT_TRACE_RMA_EXCLUSIVE
               : 0;
}

static uint32_t
get_remote (const struct mpi_arguments *a, const struct role *role)
{
    return role->has_all || a->send.peer < 0 ? PDDT_TRACE_UNKNOWN : (uint32_t) a->send.peer;
}

static void
put_sync (const struct mpi_arguments *a, const struct role *role, uint32_t window, uint64_t now)
{
    int n = role->has_group ? mpi_window_ranks (a->win, a->group, peers, PDDT_TRACE_MAX_PEERS)
                            : 0;

    for (int i = 0; i < n; i++) {
        if (peers[i] >= 0) {
            put (now, PDDT_TRACE_RMA_SYNC, window, role->sync, (uint32_t) peers[i]);
        }
    }
    if (!role->has_group) {
        put (now, PDDT_TRACE_RMA_SYNC, window, role->sync, PDDT_TRACE_UNKNOWN);
    }
}

/* 0: other ranks do not know it by the same number. */
static uint32_t
find_window (const struct mpi_arguments *a)
{
    return a->communicator != NULL && a->communicator->maker != 0
               ? mpi_trace_find_communicator (a->communicator)
               : 0;
}

/* A lock of no rank (MPI_PROC_NULL) is none. */
static int
is_void (const struct mpi_arguments *a, const struct role *role)
{
    return role->kind != SYNC && !role->has_all && a->send.peer < 0;
}

void
mpi_trace_enter_window (const struct mpi_arguments *a, uint64_t now)
{
    const struct role *role = get_role (a->call);
    uint32_t window = role->kind != OTHER && !is_void (a, role) ? find_window (a) : 0;

    if (window == 0) {
        return;
    }
    switch (role->kind) {
    case SYNC: put_sync (a, role, window, now); break;
    case LOCK:
        put (now, PDDT_TRACE_RMA_LOCK, window, get_lock_extra (a), get_remote (a, role));
        break;
    default: put (now, PDDT_TRACE_RMA_UNLOCK, window, 0, get_remote (a, role)); break;
    }
}

void
mpi_trace_leave_window (const struct mpi_arguments *a, uint64_t now)
{
    const struct role *role = get_role (a->call);
    uint32_t window = role->kind == LOCK && !is_void (a, role) ? find_window (a) : 0;

    if (window != 0) {
        put (now, PDDT_TRACE_RMA_LOCK, window, get_lock_extra (a) | PDDT_TRACE_RMA_TAKEN,
             get_remote (a, role));
    }
}
