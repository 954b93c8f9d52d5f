/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overlapping buffers of unfinished requests: no other request may read or write where a
 * receive writes until both are complete. Checked for types without holes, whose bytes are
 * known. */
#include "agent/mpi-fast.h"

#define Q mpi_queue
enum { MAX_LOOKED_AT = 512, MAX_SAID = 32 };

struct mpi_lanes mpi_lanes[2];
uint8_t mpi_sites[MPI_SITES];

/* Each pair of lines is reported once. */
static int
is_said (uint64_t one, uint64_t other)
{
    static uint64_t said[MAX_SAID][2];
    static unsigned n_said;

    for (unsigned i = 0; i < n_said; i++) {
        if (said[i][0] == one && said[i][1] == other) {
            return 1;
        }
    }
    if (n_said < MAX_SAID) {
        said[n_said][0] = one;
        said[n_said][1] = other;
    }
    return n_said++ >= MAX_SAID;
}

static int
has_buffer (const struct pddt_queue_message *message)
{
    return message->is_dense && message->bytes > 0 && message->buffer != 0
           && message->peer != PDDT_QUEUE_NONE;
}

static int
is_message (const struct pddt_queue_request *request)
{
    return request->state == PDDT_QUEUE_ACTIVE && has_buffer (&request->message)
           && (request->kind == PDDT_QUEUE_SEND || request->kind == PDDT_QUEUE_RECV);
}

static int
do_overlap (const struct pddt_queue_message *a, uint32_t kind,
            const struct pddt_queue_request *other)
{
    const struct pddt_queue_message *b = &other->message;

    return is_message (other) && (kind == PDDT_QUEUE_RECV || other->kind == PDDT_QUEUE_RECV)
           && a->buffer < b->buffer + b->bytes && b->buffer < a->buffer + a->bytes;
}

/* Removes the buffers of requests that have completed. */
static void
clear_lanes (struct mpi_lanes *lanes)
{
    for (unsigned i = 0; i < MPI_LANES; i++) {
        const struct pddt_queue_request *request = &Q.requests[lanes->request[i]];

        if (request->state != PDDT_QUEUE_ACTIVE || request->message.buffer != lanes->begin[i]) {
            lanes->n_open -= lanes->end[i] != 0;
            lanes->end[i] = 0;
        }
    }
}

static uint32_t
find (const struct pddt_queue_message *message, uint32_t kind, uint64_t caller, uint32_t own)
{
    clear_lanes (&mpi_lanes[0]);
    clear_lanes (&mpi_lanes[1]);
    /* If the end of some requests was not seen, a request in the table may have completed. */
    if (!has_buffer (message) || (Q.state & (PDDT_QUEUE_OVERFLOW | PDDT_QUEUE_UNCOUNTED))) {
        return 0;
    }
    for (uint32_t i = 0; i < Q.requests_high && i < MAX_LOOKED_AT; i++) {
        if (i != own && do_overlap (message, kind, &Q.requests[i])
            && !is_said (caller, Q.requests[i].caller)) {
            return own << 16 | i;
        }
    }
    return 0;
}

uint32_t
mpi_find_overlap (uint16_t index)
{
    const struct pddt_queue_request *entry = &Q.requests[index];
    uint8_t *looks = &mpi_sites[(entry->caller ^ entry->caller >> 8) % MPI_SITES];

    *looks = (uint8_t) (*looks + (*looks < MPI_SITE_LOOKS));
    return find (&entry->message, entry->kind, entry->caller, index);
}

uint32_t
mpi_find_overlap_of (const struct pddt_queue_message *message, uint32_t kind, uint64_t caller)
{
    return find (message, kind, caller, MPI_NO_INDEX);
}
