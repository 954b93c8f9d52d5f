/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions of a trace of MPI calls, and switching it. */
#include "agent/mpi-trace-private.h"
#include "agent/trace-place.h"
#include <dlfcn.h>
#include <string.h>

#define Q mpi_queue

enum { MAX_MEMBERS = 16000 };

int mpi_trace_is_on;
_Thread_local __attribute__ ((tls_model ("initial-exec"))) MPI_Status mpi_trace_status;
static int is_open;
uint32_t mpi_trace_regions[MPI_TRACE_CALLS];

/* ---- definitions ---- */

static uint32_t
find_region_flags (uint32_t call)
{
    switch (pddt_mpi_calls[call].kind) {
    case PDDT_QUEUE_COLLECTIVE:
        return PDDT_TRACE_IS_COLLECTIVE
               | (strstr (pddt_mpi_calls[call].name, "arrier") != NULL ? PDDT_TRACE_IS_BARRIER
                                                                       : 0);
    case PDDT_QUEUE_RMA: return PDDT_TRACE_IS_ONE_SIDED;
    case PDDT_QUEUE_SEND:
    case PDDT_QUEUE_RECV:
    case PDDT_QUEUE_PROBE:
    case PDDT_QUEUE_SENDRECV:
    case PDDT_QUEUE_WAIT_ALL:
    case PDDT_QUEUE_WAIT_ANY:
    case PDDT_QUEUE_POLL: return PDDT_TRACE_IS_MESSAGE;
    default: return 0;
    }
}

uint32_t
mpi_trace_define_region (uint32_t call)
{
    uint32_t id = trace_define_region (pddt_mpi_calls[call].name, NULL, NULL, 0,
                                       PDDT_TRACE_IN_MPI, find_region_flags (call));

    __atomic_store_n (&mpi_trace_regions[call], id, __ATOMIC_RELAXED);
    return id;
}

static uint32_t
put_members (uint32_t *to, uint32_t at, uint32_t first, uint32_t n_listed, uint32_t n)
{
    for (uint32_t i = 0; i < n && at < MAX_MEMBERS; i++) {
        int32_t member = n_listed > 0 ? Q.members[first + i] : (int32_t) i;

        to[at++] = member >= 0 ? (uint32_t) member : PDDT_TRACE_UNKNOWN;
    }
    return at;
}

/* All members know it by the same id, which stands in the place of the sequence. */
uint32_t
mpi_trace_define_communicator (struct pddt_queue_communicator *entry)
{
    static uint32_t members[MAX_MEMBERS];
    uint32_t n = entry->size > 0 ? (uint32_t) entry->size : 0, n_put, flags = 0;
    int is_known = !(entry->flags & PDDT_QUEUE_CUT);

    n_put = put_members (members, 0, entry->members, entry->n_members, is_known ? n : 0);
    n_put = put_members (members, n_put, entry->remote, 1, is_known ? entry->n_remote : 0);
    flags |= entry->id == 0 ? PDDT_TRACE_IS_WORLD : 0;
    flags |= entry->size == 1 && entry->id == 1 + (uint64_t) Q.world_rank ? PDDT_TRACE_IS_SELF
                                                                          : 0;
    flags |= entry->flags & PDDT_QUEUE_INTER ? PDDT_TRACE_IS_INTER : 0;
    entry->trace = trace_define_communicator (entry->name[0] != '\0' ? entry->name : NULL, 0,
                                              flags, (uint32_t) (entry->id ^ entry->id >> 32),
                                              members, n_put - (is_known ? entry->n_remote : 0),
                                              is_known ? entry->n_remote : 0);
    return entry->trace;
}

/* ---- where calls stand in the program ---- */

struct mpi_trace_place mpi_trace_places[MPI_TRACE_PLACES];
static uint32_t n_places;
static int is_places_locked;

static uint32_t
define_caller (uint64_t caller)
{
    const void *code = (const void *) (uintptr_t) caller;
    struct trace_module module;

    return trace_place_find_module (code, &module) || trace_place_ask_loader (code, &module)
               ? trace_place_define (&module, code)
               : 0;
}

uint32_t
mpi_trace_add_place (unsigned at, uint64_t caller)
{
    uint32_t id = 0;

    if (__atomic_exchange_n (&is_places_locked, 1, __ATOMIC_ACQUIRE)) {
        return 0; /* the next call from there gets it */
    }
    if (mpi_trace_places[at].caller == 0) {
        id = n_places < PDDT_TRACE_MAX_PLACE ? define_caller (caller) : 0;
        mpi_trace_places[at].id = id <= PDDT_TRACE_MAX_PLACE ? id : 0;
        n_places++;
        __atomic_store_n (&mpi_trace_places[at].caller, caller, __ATOMIC_RELEASE);
        id = mpi_trace_places[at].id;
    }
    __atomic_store_n (&is_places_locked, 0, __ATOMIC_RELEASE);
    return id;
}

/* ---- the file, and switching ---- */

void
mpi_trace_begin (void)
{
    void (*watch) (void (*) (int));

    is_open = trace_open (PDDT_TRACE_MPI) == 0;
    mpi_trace_is_on = is_open;
    *(void **) &watch = is_open ? dlsym (RTLD_DEFAULT, "pddt_trace_watch") : NULL;
    if (watch != NULL) {
        watch (mpi_trace_switch);
    }
}

void
mpi_trace_set_rank (void)
{
    if (is_open) {
        trace_set_rank (Q.world_rank, Q.world_size);
    }
}

void
mpi_trace_forget (void)
{
    is_open = 0;
    mpi_trace_is_on = 0;
}

void
mpi_trace_switch (int is_on)
{
    if (!is_open || mpi_trace_is_on == (is_on != 0)) {
        return;
    }
    trace_put (is_on ? PDDT_TRACE_ON : PDDT_TRACE_OFF, 0, 0);
    mpi_trace_is_on = is_on != 0;
}

/* ---- MPI_Pcontrol ---- */

static void
switch_all (int level)
{
    void (*switch_on) (int);

    if (!is_open || (level != 0 && level != 1)) {
        return;
    }
    *(void **) &switch_on = dlsym (RTLD_DEFAULT, "pddt_trace_switch");
    if (switch_on != NULL) {
        switch_on (level);
    } else {
        mpi_trace_switch (level);
    }
}

/* MPI's own function does nothing, but another tool may have one. Its further arguments are that tool's. */
__attribute__ ((visibility ("default"))) int
MPI_Pcontrol (const int level, ...)
{
    static void (*real) (void);

    if (real == NULL) {
        *(void **) &real = mpi_find_next ("MPI_Pcontrol");
    }
    switch_all (level);
#ifdef __clang__
    return ((int (*) (int, ...)) real) (level);
#else
    __builtin_return (__builtin_apply (real, __builtin_apply_args (), 128));
#endif
}

/* The second argument is there in some of them alone, and only passed on. */
#define PCONTROL(name)                                                                         \
    __attribute__ ((visibility ("default"))) void name (MPI_Fint *level, void *error);         \
    void name (MPI_Fint *level, void *error)                                                   \
    {                                                                                          \
        static void (*real) (MPI_Fint *, void *);                                              \
                                                                                               \
        if (real == NULL) {                                                                    \
            *(void **) &real = mpi_find_next (#name);                                          \
        }                                                                                      \
        switch_all (*level);                                                                   \
        real (level, error);                                                                   \
    }
PCONTROL (mpi_pcontrol_)
PCONTROL (mpi_pcontrol)
PCONTROL (mpi_pcontrol__)
PCONTROL (MPI_PCONTROL)
PCONTROL (mpi_pcontrol_f08_)
PCONTROL (MPI_Pcontrol_f08)
