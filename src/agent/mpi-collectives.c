/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives in the order of each communicator and window, and the creation of communicators
 * and windows. */
#include "agent/mpi-fast.h"
#include <stdio.h>
#include <string.h>

#define Q mpi_queue

/* The data that one member gives to each other member, and the data that it gets. A half is
 * empty where the standard ignores its arguments. Where there is a count for each member, only
 * the type is known. */
struct halves {
    uint64_t bytes, other_bytes;
    uint16_t signature, other_signature;
};

static uint16_t
look_at (const struct mpi_side *side, int is_counted, uint64_t *ret_bytes)
{
    const struct mpi_type *type = mpi_type_find (side->type);

    *ret_bytes = is_counted && side->count > 0 ? (uint64_t) side->count * (uint64_t) type->size
                                               : 0;
    return !is_counted || *ret_bytes > 0 ? type->signature : 0;
}

/* For gathers, scatters, allgathers and alltoalls. The root of a gather or scatter has a second
 * half beside its own. The operation decides which of its arguments a member may read for its
 * own half. */
static struct halves
look_at_both (const struct mpi_arguments *a, const struct pddt_queue_communicator *entry)
{
    const char *name = pddt_mpi_calls[a->call].name;
    int is_scatter = strstr (name, "catter") != NULL,
        is_rooted = (a->flags & PDDT_QUEUE_ROOTED) != 0;
    int is_v = (a->flags & PDDT_QUEUE_V_FORM) != 0,
        has_other = !is_rooted || entry->rank == a->root;
    const struct mpi_side *own = is_scatter ? &a->receive : &a->send;
    const struct mpi_side *other = is_scatter ? &a->send : &a->receive;
    struct halves halves = { 0 };

    if (!mpi_is_in_place (a, own->buffer)) {
        halves.signature = look_at (own, 1, &halves.bytes);
    }
    if (has_other) {
        halves.other_signature = look_at (other, !is_v, &halves.other_bytes);
    }
    if (mpi_is_in_place (a, own->buffer)) {
        halves.bytes = halves.other_bytes;
    }
    return halves;
}

/* Collectives in which only neighbours, or single pairs of members, have to agree. */
static int
is_pairwise (const char *name)
{
    return strstr (name, "eighbor") != NULL || strstr (name, "lltoallv") != NULL
           || strstr (name, "lltoallw") != NULL || strcmp (name, "MPI_Reduce_scatter") == 0
           || strcmp (name, "MPI_Ireduce_scatter") == 0
           || strcmp (name, "MPI_Reduce_scatter_init") == 0;
}

static struct halves
look_at_data (const struct mpi_arguments *a, const struct pddt_queue_communicator *entry)
{
    int is_inter = (entry->flags & PDDT_QUEUE_INTER) != 0;
    struct halves halves = { 0 };

    if (is_pairwise (pddt_mpi_calls[a->call].name) || a->how != MPI_HOW_COLLECTIVE
        || (is_inter
            && (a->receive.type != 0
                || ((a->flags & PDDT_QUEUE_ROOTED) && a->root < 0
                    && !(a->flags & PDDT_QUEUE_HERE))))) {
        return halves;
    }
    if (a->receive.type != 0) {
        halves = look_at_both (a, entry);
    } else {
        halves.signature = look_at (&a->send, 1, &halves.bytes);
    }
    if (is_inter || (a->flags & PDDT_QUEUE_V_FORM)) {
        halves.bytes = halves.other_bytes = 0;
    }
    return halves;
}

static uint64_t
sum_counts (const struct mpi_arguments *a, int n_members)
{
    uint64_t sum = 0;

    for (int i = 0; i < n_members; i++) {
        sum += a->send_counts[i] > 0 ? (uint64_t) a->send_counts[i] : 0;
    }
    return sum * (uint64_t) mpi_type_find (a->send.type)->size;
}

/* The data that the arguments of this member describe: what it gives, or of a scatter gets. Where each member has
 * a count of its own, that is known of an Alltoallv alone, else 0; its neighbours' number is not known either, so what it
 * gives them counts once. */
static uint64_t
find_bytes (const struct mpi_arguments *a, const struct pddt_queue_communicator *entry)
{
    const char *name = pddt_mpi_calls[a->call].name;
    int n_members = entry->flags & PDDT_QUEUE_INTER ? (int) entry->n_remote : entry->size;
    int is_scatter = a->receive.type != 0 && strstr (name, "catter") != NULL;
    int is_to_each = (strstr (name, "lltoall") != NULL && strstr (name, "eighbor") == NULL)
                     || strstr (name, "scatter_block") != NULL;
    const struct mpi_side *own = is_scatter ? &a->receive : &a->send;
    uint64_t bytes = 0;

    if (a->send_counts != NULL) {
        return mpi_is_in_place (a, a->send.buffer) ? 0 : sum_counts (a, n_members);
    }
    if (strstr (name, "lltoallw") != NULL) {
        return 0;
    }
    if (a->receive.type != 0 && mpi_is_in_place (a, own->buffer)) {
        if (a->flags & PDDT_QUEUE_V_FORM) {
            return 0;
        }
        own = own == &a->send ? &a->receive : &a->send;
    }
    look_at (own, 1, &bytes);
    return is_to_each ? bytes * (uint64_t) n_members : bytes;
}

static uint64_t
begin_collective (struct pddt_queue_communicator *entry, uint32_t call, uint32_t flags,
                  uint64_t caller, const struct pddt_queue_message *message,
                  const struct halves *halves)
{
    uint64_t number = ++entry->n_collectives;
    struct pddt_queue_collective *collective
        = &entry->collectives[number % PDDT_QUEUE_COLLECTIVES];

    collective->call = call;
    collective->flags = flags | (entry->flags & PDDT_QUEUE_INTER ? PDDT_QUEUE_V_FORM : 0);
    collective->number = number;
    collective->caller = caller;
    collective->bytes = message->bytes;
    collective->root = message->peer;
    collective->reduction = message->reduction;
    collective->signature = halves->signature;
    collective->other_signature = halves->other_signature;
    collective->other_bytes = halves->other_bytes;
    mpi_fast_chain (entry, collective);
    return number;
}

uint64_t
mpi_begin_collective (struct pddt_queue_communicator *entry, uint32_t call, uint32_t flags,
                      uint64_t caller, const struct pddt_queue_message *message)
{
    struct halves halves = { .signature = message->signature };

    return begin_collective (entry, call, flags, caller, message, &halves);
}

void
mpi_enter_collective (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    struct pddt_queue_communicator *entry = a->communicator;
    struct pddt_queue_message *message = &current->message;
    struct halves halves;

    message->peer = a->flags & PDDT_QUEUE_ROOTED ? mpi_map_peer (a->root) : PDDT_QUEUE_NONE;
    if (a->op != 0 && a->op != mpi_known_op) {
        mpi_known_op_index = (uint16_t) mpi_op_index (a->op);
        mpi_known_op = a->op;
    }
    message->reduction = a->op != 0 ? mpi_known_op_index : 0;
    if (entry == NULL) {
        return;
    }
    if ((entry->flags & PDDT_QUEUE_INTER) && (a->flags & PDDT_QUEUE_ROOTED)
        && a->root == MPI_ROOT) {
        a->flags |= PDDT_QUEUE_HERE;
    }
    halves = look_at_data (a, entry);
    message->communicator = entry->id;
    message->count = a->send.count;
    message->bytes = halves.bytes;
    message->signature = halves.signature;
    if (!(a->flags & PDDT_QUEUE_PERSISTENT) && a->how == MPI_HOW_COLLECTIVE) {
        mpi_fast_add_collective (a->thread, find_bytes (a, entry));
    }
    if (!(a->flags & PDDT_QUEUE_PERSISTENT)) { /* persistent ones begin with MPI_Start */
        current->collective = begin_collective (entry, a->call, a->flags, current->caller,
                                                message, &halves);
        if ((a->flags & PDDT_QUEUE_V_FORM) && a->how == MPI_HOW_COLLECTIVE) {
            mpi_note_uneven (a, entry, current->collective);
        }
    }
}

void
mpi_finish_collective (struct pddt_queue_communicator *entry, uint64_t number)
{
    struct pddt_queue_collective *collective
        = &entry->collectives[number % PDDT_QUEUE_COLLECTIVES];

    if (collective->number == number) {
        collective->flags |= PDDT_QUEUE_FINISHED;
    }
}

struct pddt_queue_communicator *
mpi_find_id (uint64_t id)
{
    for (uint32_t i = 0; i < Q.communicators_high; i++) {
        if (Q.communicators[i].in_use && Q.communicators[i].id == id
            && !(Q.communicators[i].flags & PDDT_QUEUE_FREED)) {
            return &Q.communicators[i];
        }
    }
    return NULL;
}

MPI_Comm
mpi_read_comm (const void *address, int is_fortran)
{
    return is_fortran ? mpi_comm_from_fortran (*(const MPI_Fint *) address)
                      : *(const MPI_Comm *) address;
}

void
mpi_add_made (MPI_Comm comm, uint64_t parent, uint64_t birth, void *maker, uint32_t call)
{
    struct pddt_queue_communicator *entry;

    if (mpi_is_null_comm (comm)) {
        return;
    }
    entry = mpi_communicator_add (comm, 0, parent, maker);
    if (entry != NULL) {
        entry->id = mpi_hash (parent, birth, (uint64_t) mpi_communicator_member (entry, 0));
        entry->call = call;
        mpi_local.made = entry;
        mpi_local.parent = parent;
    }
}

/* Both sides know both leaders and the tag, but not each other's communicators, so the id is
 * made from these. */
static void
add_inter (struct mpi_arguments *a)
{
    MPI_Comm comm = mpi_read_comm (a->new_handle, a->is_fortran);
    struct pddt_queue_communicator *entry;
    int here, there;
    uint64_t id;

    if (mpi_is_null_comm (comm)) {
        return;
    }
    entry = mpi_communicator_add (comm, 0, 0, a->caller);
    if (entry == NULL) {
        return;
    }
    entry->call = a->call;
    here = mpi_communicator_member (entry, 0);
    there = entry->n_remote > 0 ? Q.members[entry->remote] : -1;
    id = mpi_hash (0x696e746572ull + (uint64_t) (uint32_t) a->send.tag,
                   (uint64_t) (here < there ? here : there),
                   (uint64_t) (here < there ? there : here));
    while (mpi_find_id (id) != NULL) {
        id = mpi_hash (id, 1, 1);
    }
    entry->id = id;
}

/* The members of a group create a communicator by themselves. Until it exists, its members and
 * the tag identify it. */
void
mpi_enter_group (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    struct pddt_queue_message *message = &current->message;
    struct pddt_queue_communicator *entry;
    uint64_t id;

    if (a->communicator == NULL) {
        return;
    }
    entry = a->made = mpi_communicator_plan (a->group, a->communicator->id, a->caller);
    if (entry == NULL) {
        return;
    }
    id = mpi_hash (a->communicator->id, 0x67726f7570ull + (uint64_t) (uint32_t) a->send.tag,
                   (uint64_t) mpi_communicator_member (entry, 0));
    while (mpi_find_id (id) != NULL) {
        id = mpi_hash (id, 1, 1);
    }
    entry->id = id;
    snprintf (entry->name, sizeof entry->name, "a new group (tag %d)", a->send.tag);
    message->communicator = id;
    message->peer = PDDT_QUEUE_NONE;
    current->collective = mpi_begin_collective (entry, a->call, a->flags, current->caller,
                                                message);
}

static void
leave_group (struct mpi_arguments *a)
{
    if (a->made != NULL) {
        mpi_finish_collective (a->made, 1);
        mpi_communicator_complete (a->made, mpi_read_comm (a->new_handle, a->is_fortran));
    }
}

/* MPI_Intercomm_create connects two groups: all members of the own group must call it, and the
 * leaders must find each other. */
void
mpi_enter_bridge (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    struct pddt_queue_message *message = &current->message, *second = &a->thread->second;
    struct pddt_queue_communicator *entry = a->communicator, *between;

    mpi_clear_message (second);
    if (entry == NULL) {
        return;
    }
    message->communicator = entry->id;
    message->peer = PDDT_QUEUE_NONE;
    current->collective = mpi_begin_collective (entry, a->call, a->flags | PDDT_QUEUE_V_FORM,
                                                current->caller, message);
    between = entry->rank == a->send.peer ? mpi_communicator_find (a->peer_comm) : entry;
    second->communicator = between != NULL ? between->id : MPI_UNKNOWN_ID;
    second->peer = between == NULL               ? PDDT_QUEUE_UNKNOWN
                   : entry->rank == a->send.peer ? a->receive.peer
                                                 : a->send.peer;
    second->tag = a->send.tag;
}

void
mpi_enter_file (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    struct pddt_queue_message *message = &current->message;

    a->communicator = mpi_file_find (a->file);
    message->peer = PDDT_QUEUE_NONE;
    if (a->communicator != NULL) {
        message->communicator = a->communicator->id;
        current->collective = mpi_begin_collective (a->communicator, a->call, a->flags,
                                                    current->caller, message);
    }
}

void
mpi_leave_create (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    uint64_t parent = a->communicator != NULL ? a->communicator->id : MPI_UNKNOWN_ID;
    uint64_t birth = a->communicator != NULL ? ++a->communicator->n_created : 0;

    if (a->how == MPI_HOW_CREATE_INTER) {
        add_inter (a);
    } else if (a->how == MPI_HOW_CREATE_GROUP) {
        if (a->communicator != NULL) {
            a->communicator->n_created--; /* not all members of this communicator create one */
        }
        leave_group (a);
    } else if (a->how == MPI_HOW_CREATE_FILE) {
        if (a->communicator != NULL) {
            mpi_file_add (a->is_fortran ? mpi_file_from_fortran (*(MPI_Fint *) a->new_handle)
                                        : *(MPI_File *) a->new_handle,
                          mpi_hash (parent, birth, 0x66696c65ull), a->communicator,
                          a->is_fortran ? NULL : a->name, a->caller);
        }
    } else if (a->how == MPI_HOW_CREATE_WINDOW) {
        MPI_Win win = a->is_fortran ? mpi_win_from_fortran (*(MPI_Fint *) a->new_handle)
                                    : *(MPI_Win *) a->new_handle;

        mpi_window_add (win, mpi_hash (parent, birth, 0x77696e646f77ull), parent, a->caller);
    } else {
        mpi_add_made (mpi_read_comm (a->new_handle, a->is_fortran), parent, birth, a->caller,
                      a->call);
    }
}

void
mpi_finish_present (struct mpi_arguments *a, const struct pddt_queue_record *current)
{
    if (current->collective != 0 && a->communicator != NULL) {
        mpi_finish_collective (a->communicator, current->collective);
    }
}

/* ---- groups and locks of windows ---- */

static int targets[4096];

static void
count_towards (const struct mpi_arguments *a, int32_t tag)
{
    int n = mpi_window_ranks (a->win, a->group, targets,
                              (int) (sizeof targets / sizeof *targets));

    for (int i = 0; i < n; i++) {
        struct pddt_queue_flow *flow = mpi_flow_get (1, a->communicator->id, targets[i], tag);

        if (flow != NULL) {
            flow->n_messages++;
        }
    }
}

/* Notes that all accesses begun on the window have ended. */
static void
complete_accesses (const struct mpi_arguments *a)
{
    for (uint32_t i = 0; i < Q.flows_high; i++) {
        const struct pddt_queue_flow *start = &Q.flows[i];
        struct pddt_queue_flow *flow;

        if (start->communicator == a->communicator->id && start->tag == PDDT_QUEUE_TAG_START) {
            flow = mpi_flow_get (1, start->communicator, start->peer, PDDT_QUEUE_TAG_COMPLETE);
            if (flow != NULL) {
                flow->n_messages = Q.flows[i].n_messages;
            }
        }
    }
}

static int32_t
get_lock_tag (const struct mpi_arguments *a)
{
    return a->root == MPI_LOCK_EXCLUSIVE ? PDDT_QUEUE_TAG_LOCK_EXCLUSIVE
                                         : PDDT_QUEUE_TAG_LOCK_SHARED;
}

/* Records the lock and the line that has taken it. */
static void
note_lock (const struct mpi_arguments *a, const struct pddt_queue_record *current, int32_t peer,
           int32_t tag)
{
    struct pddt_queue_flow *flow = mpi_flow_get (1, a->communicator->id, peer, tag);
    struct pddt_queue_sent *sent = &Q.sent[Q.n_sent % PDDT_QUEUE_SENT];

    if (flow == NULL) {
        return;
    }
    flow->n_messages = 1;
    memset (sent, 0, sizeof *sent);
    sent->call = a->call;
    sent->caller = current->caller;
    sent->number = 1;
    sent->flow = (uint32_t) (flow - Q.flows);
    Q.n_sent++;
}

static void
drop_lock (const struct mpi_arguments *a, int32_t peer)
{
    static const int32_t tags[] = { PDDT_QUEUE_TAG_LOCK_EXCLUSIVE, PDDT_QUEUE_TAG_LOCK_SHARED };

    for (int i = 0; i < 2; i++) {
        struct pddt_queue_flow *flow = mpi_flow_get (1, a->communicator->id, peer, tags[i]);

        if (flow != NULL) {
            flow->n_messages = 0;
        }
    }
}

static int
is_call (const struct mpi_arguments *a, const char *name)
{
    return strcmp (pddt_mpi_calls[a->call].name, name) == 0;
}

static void
begin_epoch (struct mpi_arguments *a, struct pddt_queue_message *message)
{
    if (a->communicator == NULL || message->communicator == MPI_UNKNOWN_ID) {
        return;
    }
    if (is_call (a, "MPI_Win_post")) {
        count_towards (a, PDDT_QUEUE_TAG_POST);
    } else if (is_call (a, "MPI_Win_start")) {
        count_towards (a, PDDT_QUEUE_TAG_START);
    } else if (is_call (a, "MPI_Win_lock")) {
        message->tag = get_lock_tag (a);
    } else if (is_call (a, "MPI_Win_lock_all")) {
        message->tag = PDDT_QUEUE_TAG_LOCK_SHARED;
    }
}

/* Where both are given, origin and target describe as much. */
static void
count_move (const struct mpi_arguments *a)
{
    if (a->moved_type == 0 || a->send.peer == MPI_PROC_NULL || a->thread == NULL) {
        return;
    }
    a->thread->traffic.n_moves++;
    a->thread->traffic.bytes_moved += a->moved_count > 0
                                          ? (uint64_t) a->moved_count
                                                * (uint64_t) mpi_type_find (a->moved_type)->size
                                          : 0;
}

/* Fences count as collectives of a window. If the recorder did not see the window's creation,
 * its number in the other ranks is not known. */
void
mpi_enter_window (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    struct pddt_queue_message *message = &current->message;

    count_move (a);
    a->communicator = a->win != 0 ? mpi_window_find (a->win) : NULL;
    if (a->communicator != NULL && a->communicator->maker != 0) {
        message->communicator = a->communicator->id;
    }
    if (a->call != 0 && a->send.type != 0) {
        mpi_fill_message (message, a->communicator, &a->send);
        message->tag = PDDT_QUEUE_TAG_NONE;
    }
    message->peer = a->kind == PDDT_QUEUE_RMA || a->send.type != 0 ? mpi_map_peer (a->send.peer)
                                                                   : PDDT_QUEUE_NONE;
    if (a->send.type == 0) {
        begin_epoch (a, message);
    }
    if (a->kind == PDDT_QUEUE_COLLECTIVE && message->communicator != MPI_UNKNOWN_ID) {
        current->collective = mpi_begin_collective (a->communicator, a->call, a->flags,
                                                    current->caller, message);
    }
}

void
mpi_leave_window (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    mpi_finish_present (a, current);
    if (a->communicator == NULL || current->message.communicator == MPI_UNKNOWN_ID) {
        return;
    }
    if (is_call (a, "MPI_Win_complete")) {
        complete_accesses (a);
    } else if (is_call (a, "MPI_Win_lock")) {
        note_lock (a, current, a->send.peer, get_lock_tag (a));
    } else if (is_call (a, "MPI_Win_lock_all")) {
        note_lock (a, current, PDDT_QUEUE_ANY, PDDT_QUEUE_TAG_LOCK_SHARED);
    } else if (is_call (a, "MPI_Win_unlock")) {
        drop_lock (a, a->send.peer);
    } else if (is_call (a, "MPI_Win_unlock_all")) {
        drop_lock (a, PDDT_QUEUE_ANY);
    }
}
