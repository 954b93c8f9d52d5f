/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A communicator is in the file of each of its members. Their definitions are one if they have the same members and the
 * same sequence, which the recorder makes of what all members know (src/agent/mpi-trace-define.c). */
#include "profile/otf2/messages.h"
#include <string.h>
#include "profile/otf2/windows.h"
#include "base/array.h"

/* Groups of an archive: the locations of the ranks, the ranks of MPI_COMM_WORLD, and from there on one or two for each
 * other communicator. */
enum { LOCATIONS, WORLD_GROUP, FIRST_GROUP };
enum { WORLD_COMM };

typedef struct {
    const ProfileTraceFile *file; /* of the first member that has named it */
    const struct pddt_trace_communicator *definition;
    char *name;                         /* "": none */
    const ProfileTraceProcess *process; /* whose threads it has, instead of ranks; NULL: none */
    OTF2_LocationRef first;             /* of these threads */
} Communicator;

struct _ProfileOtf2Messages {
    const ProfileTrace *trace;
    gboolean has_world; /* else numbers and groups begin with 0 */
    GPtrArray *list;    /* of Communicator, by number - 1: 0 is MPI_COMM_WORLD */
    GHashTable *known;  /* what it is known by (GBytes) to its number */
    GHashTable
        *files; /* ProfileTraceFile to GArray of guint32: number + 1 by id; 0: not looked up */
    ProfileOtf2Windows *windows;
    OTF2_AttributeRef number;
    GHashTable
        *numbers; /* of the location: communicator to the number of its last collective there */
};

static void
free_communicator (gpointer data)
{
    g_free (((Communicator *) data)->name);
    g_free (data);
}

/* Several ranks, or one with a recorder of MPI calls. */
static gboolean
uses_mpi (const ProfileTrace *trace)
{
    guint n_ranks = 0;

    for (guint i = 0; i < trace->processes->len; i++) {
        n_ranks += ((const ProfileTraceProcess *) g_ptr_array_index (trace->processes, i))
                       ->process.parent
                   == 0;
    }
    for (guint i = 0; i < trace->files->len && n_ranks < 2; i++) {
        const ProfileTraceFile *file = g_ptr_array_index (trace->files, i);

        n_ranks += profile_trace_file_get_n (file, PDDT_TRACE_COMMUNICATOR) > 0 ? 2 : 0;
    }
    return n_ranks > 1;
}

ProfileOtf2Messages *
profile_otf2_messages_new (const ProfileTrace *trace, OTF2_AttributeRef number)
{
    ProfileOtf2Messages *messages = g_new0 (ProfileOtf2Messages, 1);

    messages->trace = trace;
    messages->number = number;
    messages->numbers = g_hash_table_new (NULL, NULL);
    messages->has_world = uses_mpi (trace);
    messages->list = g_ptr_array_new_with_free_func (free_communicator);
    messages->known = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                             (GDestroyNotify) g_bytes_unref, NULL);
    messages->files = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
    messages->windows = profile_otf2_windows_new ();
    return messages;
}

BASE_FREE_PUBLIC (profile_otf2_messages_free, ProfileOtf2Messages, messages,
                  g_ptr_array_unref (messages->list);
                  g_hash_table_unref (messages->known); g_hash_table_unref (messages->files);
                  g_hash_table_unref (messages->numbers);
                  profile_otf2_windows_free (messages->windows))

/* ---- communicators ---- */

/* Members that the file has of it, at most. */
static guint32
count_listed (const struct pddt_trace_communicator *definition)
{
    return (definition->head.size - (guint32) sizeof *definition) / (guint32) sizeof (guint32);
}

static gboolean
is_valid (const struct pddt_trace_communicator *definition)
{
    return definition != NULL && definition->head.size >= sizeof *definition
           && (guint64) definition->n_members + definition->n_remote
                  <= count_listed (definition);
}

/* The side of an intercommunicator with the lowest rank comes first, as each member has its own first. */
static gboolean
is_swapped (const struct pddt_trace_communicator *definition)
{
    return definition->n_members > 0 && definition->n_remote > 0
           && definition->members[definition->n_members] < definition->members[0];
}

static GBytes *
make_key (const struct pddt_trace_communicator *definition)
{
    guint32 n[2] = { definition->n_members, definition->n_remote };
    gboolean swapped = is_swapped (definition);
    GByteArray *key = g_byte_array_new ();

    g_byte_array_append (key, (const guint8 *) &definition->sequence,
                         sizeof definition->sequence);
    g_byte_array_append (key, (const guint8 *) &n[swapped], sizeof *n);
    for (guint i = 0; i < 2; i++) {
        gboolean second = i != (guint) swapped;

        g_byte_array_append (key, (const guint8 *) (definition->members + (second ? n[0] : 0)),
                             n[second] * (guint) sizeof (guint32));
    }
    return g_byte_array_free_to_bytes (key);
}

static guint32
look_up (ProfileOtf2Messages *messages, const ProfileTraceFile *file, guint32 id)
{
    const struct pddt_trace_communicator *definition = (const struct pddt_trace_communicator *)
        profile_trace_file_get_definition (file, PDDT_TRACE_COMMUNICATOR, id);
    GBytes *key;
    guint32 number;

    if (!is_valid (definition)) {
        return G_MAXUINT32;
    }
    if (definition->flags & PDDT_TRACE_IS_WORLD) {
        return WORLD_COMM;
    }
    key = make_key (definition);
    number = GPOINTER_TO_UINT (g_hash_table_lookup (messages->known, key));
    if (number == 0) {
        const char *name = definition->name != 0
                               ? profile_trace_file_get_string (file, definition->name)
                               : NULL;
        Communicator *communicator = g_new0 (Communicator, 1);

        communicator->file = file;
        communicator->definition = definition;
        communicator->name = g_strdup (name != NULL ? name : "");
        g_ptr_array_add (messages->list, communicator);
        number = messages->list->len;
        g_hash_table_insert (messages->known, g_bytes_ref (key), GUINT_TO_POINTER (number));
    }
    g_bytes_unref (key);
    return number;
}

/* The reference; G_MAXUINT32: the file does not define it. */
static guint32
find_communicator (ProfileOtf2Messages *messages, const ProfileTraceFile *file, guint32 id)
{
    GArray *numbers = g_hash_table_lookup (messages->files, file);
    guint32 n = profile_trace_file_get_n (file, PDDT_TRACE_COMMUNICATOR), *number;

    if (id == 0 || id > n) {
        return G_MAXUINT32;
    }
    if (numbers == NULL) {
        numbers = g_array_new (FALSE, TRUE, sizeof (guint32));
        g_array_set_size (numbers, n + 1);
        g_hash_table_insert (messages->files, (gpointer) file, numbers);
    }
    number = &g_array_index (numbers, guint32, id);
    if (*number == 0) {
        *number = look_up (messages, file, id) + 1; /* 0 again: it is none */
    }
    return *number - 1;
}

/* ---- events ---- */

/* FALSE: the event is not long enough. */
static gboolean
read_message (const ProfileTraceEvent *event, struct pddt_trace_message *message)
{
    if (event->n_more < 1) {
        return FALSE;
    }
    memcpy (message, event->payload, sizeof *message);
    return message->peer >= 0;
}

/* It comes last. */
static guint64
read_request (const ProfileTraceEvent *event)
{
    struct pddt_trace_request request = { 0, 0 };

    if (event->n_more > 0) {
        memcpy (&request, (const char *) event->payload + 16 * (event->n_more - 1),
                sizeof request);
    }
    return request.request;
}

static guint
put_message (ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time,
             const ProfileTraceEvent *event, OTF2_CommRef comm)
{
    guint64 request = read_request (event);
    struct pddt_trace_message message;
    OTF2_ErrorCode code;
    guint32 peer, tag;

    if (comm == G_MAXUINT32 || !read_message (event, &message)) {
        return 0;
    }
    peer = (guint32) message.peer;
    tag = (guint32) message.tag;
    switch (event->kind) {
    case PDDT_TRACE_SEND:
        code = OTF2_EvtWriter_MpiSend (out, NULL, time, peer, comm, tag, message.bytes);
        break;
    case PDDT_TRACE_RECV:
        code = OTF2_EvtWriter_MpiRecv (out, NULL, time, peer, comm, tag, message.bytes);
        break;
    case PDDT_TRACE_ISEND:
        code = OTF2_EvtWriter_MpiIsend (out, NULL, time, peer, comm, tag, message.bytes,
                                        request);
        break;
    default:
        code = OTF2_EvtWriter_MpiIrecv (out, NULL, time, peer, comm, tag, message.bytes,
                                        request);
        break;
    }
    profile_otf2_note (to, code);
    return 1;
}

static guint
put_request (ProfileOtf2Out *to, OTF2_EvtWriter *out, guint64 time,
             const ProfileTraceEvent *event)
{
    guint64 request = read_request (event);

    profile_otf2_note (to, event->kind == PDDT_TRACE_ISEND_COMPLETE
                               ? OTF2_EvtWriter_MpiIsendComplete (out, NULL, time, request)
                           : event->kind == PDDT_TRACE_IRECV_REQUEST
                               ? OTF2_EvtWriter_MpiIrecvRequest (out, NULL, time, request)
                           : event->kind == PDDT_TRACE_REQUEST_TEST
                               ? OTF2_EvtWriter_MpiRequestTest (out, NULL, time, request)
                               : OTF2_EvtWriter_MpiRequestCancelled (out, NULL, time, request));
    return 1;
}

static OTF2_CollectiveOp
choose_operation (guint32 kind)
{
    static const OTF2_CollectiveOp operations[] = {
        [PDDT_TRACE_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
        [PDDT_TRACE_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
        [PDDT_TRACE_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
        [PDDT_TRACE_GATHERV] = OTF2_COLLECTIVE_OP_GATHERV,
        [PDDT_TRACE_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
        [PDDT_TRACE_SCATTERV] = OTF2_COLLECTIVE_OP_SCATTERV,
        [PDDT_TRACE_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
        [PDDT_TRACE_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
        [PDDT_TRACE_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
        [PDDT_TRACE_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
        [PDDT_TRACE_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
        [PDDT_TRACE_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
        [PDDT_TRACE_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
        [PDDT_TRACE_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
        [PDDT_TRACE_REDUCE_SCATTER_BLOCK] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
        [PDDT_TRACE_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
        [PDDT_TRACE_EXSCAN] = OTF2_COLLECTIVE_OP_EXSCAN,
        [PDDT_TRACE_CREATE_HANDLE] = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
        [PDDT_TRACE_DESTROY_HANDLE] = OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
    };

    return kind < G_N_ELEMENTS (operations) ? operations[kind] : OTF2_COLLECTIVE_OP_BARRIER;
}

void
profile_otf2_messages_begin_location (ProfileOtf2Messages *messages)
{
    g_hash_table_remove_all (messages->numbers);
}

/* With the member's number of the operation, if others before it are not recorded; NULL: it is the next one. */
static OTF2_AttributeList *
make_number (ProfileOtf2Messages *messages, OTF2_CommRef comm, guint32 number)
{
    OTF2_AttributeList *list;
    guint last;

    last = GPOINTER_TO_UINT (g_hash_table_lookup (messages->numbers, GUINT_TO_POINTER (comm)));
    number = number != 0 ? number : last + 1;
    g_hash_table_insert (messages->numbers, GUINT_TO_POINTER (comm), GUINT_TO_POINTER (number));
    if (number == last + 1) {
        return NULL;
    }
    list = OTF2_AttributeList_New ();
    OTF2_AttributeList_AddUint64 (list, messages->number, number);
    return list;
}

static guint
put_collective (ProfileOtf2Messages *messages, ProfileOtf2Out *to, OTF2_EvtWriter *out,
                guint64 time, const ProfileTraceEvent *event, OTF2_CommRef comm)
{
    OTF2_AttributeList *list = NULL;
    struct pddt_trace_collective data;
    OTF2_CollectiveOp operation = choose_operation (event->extra);
    guint32 root;

    if (comm == G_MAXUINT32 || event->n_more < 2) {
        return 0;
    }
    memcpy (&data, event->payload, sizeof data);
    root = data.root != PDDT_TRACE_UNKNOWN ? data.root : OTF2_COLLECTIVE_ROOT_NONE;
    if (event->kind != PDDT_TRACE_COLLECTIVE_REQUEST) {
        list = make_number (messages, comm, data.number);
    }
    switch (event->kind) {
    case PDDT_TRACE_COLLECTIVE_END:
        profile_otf2_note (to,
                           OTF2_EvtWriter_MpiCollectiveEnd (out, list, time, operation, comm,
                                                            root, data.sent, data.received));
        break;
    case PDDT_TRACE_COLLECTIVE_REQUEST:
        profile_otf2_note (to, OTF2_EvtWriter_NonBlockingCollectiveRequest (out, NULL, time,
                                                                            data.request));
        break;
    default:
        profile_otf2_note (to, OTF2_EvtWriter_NonBlockingCollectiveComplete (out, list, time,
                                                                             operation, comm,
                                                                             root, data.sent,
                                                                             data.received,
                                                                             data.request));
        break;
    }
    if (list != NULL) {
        OTF2_AttributeList_Delete (list);
    }
    return 1;
}

guint
profile_otf2_messages_put (ProfileOtf2Messages *messages, ProfileOtf2Out *to,
                           OTF2_EvtWriter *out, guint64 time, const ProfileTraceEvent *event)
{
    switch (event->kind) {
    case PDDT_TRACE_SEND:
    case PDDT_TRACE_RECV:
    case PDDT_TRACE_ISEND:
    case PDDT_TRACE_IRECV:
        return put_message (to, out, time, event,
                            find_communicator (messages, event->file, event->id));
    case PDDT_TRACE_ISEND_COMPLETE:
    case PDDT_TRACE_IRECV_REQUEST:
    case PDDT_TRACE_REQUEST_TEST:
    case PDDT_TRACE_REQUEST_CANCELLED: return put_request (to, out, time, event);
    case PDDT_TRACE_COLLECTIVE_BEGIN:
        profile_otf2_note (to, OTF2_EvtWriter_MpiCollectiveBegin (out, NULL, time));
        return 1;
    case PDDT_TRACE_COLLECTIVE_END:
    case PDDT_TRACE_COLLECTIVE_REQUEST:
    case PDDT_TRACE_COLLECTIVE_COMPLETE:
        return put_collective (messages, to, out, time, event,
                               find_communicator (messages, event->file, event->id));
    case PDDT_TRACE_RMA_SYNC:
    case PDDT_TRACE_RMA_LOCK:
    case PDDT_TRACE_RMA_UNLOCK:
        return profile_otf2_windows_put (messages->windows, to, out, time, event,
                                         find_communicator (messages, event->file, event->id));
    default: return 0;
    }
}

OTF2_CommRef
profile_otf2_messages_get_threads (ProfileOtf2Messages *messages,
                                   const ProfileTraceProcess *process, OTF2_LocationRef first)
{
    Communicator *communicator;

    for (guint i = 0; i < messages->list->len; i++) {
        communicator = g_ptr_array_index (messages->list, i);
        if (communicator->process == process) {
            return (OTF2_CommRef) messages->has_world + i;
        }
    }
    communicator = g_new0 (Communicator, 1);
    communicator->name = g_strdup_printf ("threads of rank %u", process->rank);
    communicator->process = process;
    communicator->first = first;
    g_ptr_array_add (messages->list, communicator);
    return (OTF2_CommRef) messages->has_world + messages->list->len - 1;
}

gboolean
profile_otf2_messages_has_threads (const ProfileOtf2Messages *messages)
{
    return BASE_HAS (messages->list, const Communicator, communicator,
                     communicator->process != NULL);
}

gboolean
profile_otf2_messages_has_world (const ProfileOtf2Messages *messages)
{
    return messages->has_world;
}

/* ---- definitions ---- */

/* Ranks of other jobs are left out: the archive has no location for them. */
static void
put_group (ProfileOtf2Out *to, OTF2_GroupRef group, const guint32 *ranks, guint32 n,
           guint32 n_known)
{
    g_autofree guint64 *members = g_new (guint64, n + 1);
    guint32 n_members = 0;

    for (guint32 i = 0; i < n; i++) {
        if (ranks[i] < n_known) {
            members[n_members++] = ranks[i];
        }
    }
    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteGroup (to->out, group,
                                                        profile_otf2_put_string (to, ""),
                                                        OTF2_GROUP_TYPE_COMM_GROUP,
                                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                        n_members, members));
}

/* The locations of all threads that communicators have: those of a communicator are beside each other. */
static void
put_thread_locations (const ProfileOtf2Messages *messages, ProfileOtf2Out *to,
                      OTF2_GroupRef group)
{
    g_autoptr (GArray) locations = g_array_new (FALSE, FALSE, sizeof (guint64));

    for (guint i = 0; i < messages->list->len; i++) {
        const Communicator *communicator = g_ptr_array_index (messages->list, i);

        for (guint j = 0;
             communicator->process != NULL && j < communicator->process->threads->len; j++) {
            guint64 location = communicator->first + j;

            g_array_append_val (locations, location);
        }
    }
    profile_otf2_note (to,
                       OTF2_GlobalDefWriter_WriteGroup (to->out, group,
                                                        profile_otf2_put_string (to, ""),
                                                        OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                        OTF2_PARADIGM_PTHREAD,
                                                        OTF2_GROUP_FLAG_NONE, locations->len,
                                                        (const guint64 *) (const void *)
                                                            locations->data));
}

/* n_before: threads in front of its own. Returns the next free group. */
static OTF2_GroupRef
put_threads (ProfileOtf2Out *to, OTF2_CommRef comm, const Communicator *communicator,
             OTF2_GroupRef group, guint *n_before)
{
    guint n = communicator->process->threads->len;
    g_autofree guint64 *members = g_new (guint64, n + 1);
    OTF2_StringRef name = profile_otf2_put_string (to, communicator->name);

    for (guint i = 0; i < n; i++) {
        members[i] = (*n_before)++;
    }
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteGroup (to->out, group, name,
                                                            OTF2_GROUP_TYPE_COMM_GROUP,
                                                            OTF2_PARADIGM_PTHREAD,
                                                            OTF2_GROUP_FLAG_NONE, n, members));
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteComm (to->out, comm, name, group,
                                                           OTF2_UNDEFINED_COMM,
                                                           OTF2_COMM_FLAG_NONE));
    return group + 1;
}

/* Returns the next free group. */
static OTF2_GroupRef
put_communicator (ProfileOtf2Out *to, OTF2_CommRef comm, const Communicator *communicator,
                  OTF2_GroupRef group, guint32 n_known)
{
    const struct pddt_trace_communicator *definition = communicator->definition;
    OTF2_StringRef name = profile_otf2_put_string (to, communicator->name);
    guint32 n = definition->n_members, n_remote = definition->n_remote;
    gboolean swapped = is_swapped (definition);

    put_group (to, group + (swapped ? 1 : 0), definition->members, n, n_known);
    if (n_remote == 0) {
        profile_otf2_note (to, OTF2_GlobalDefWriter_WriteComm (to->out, comm, name, group,
                                                               OTF2_UNDEFINED_COMM,
                                                               OTF2_COMM_FLAG_NONE));
        return group + 1;
    }
    put_group (to, group + (swapped ? 0 : 1), definition->members + n, n_remote, n_known);
    profile_otf2_note (to, OTF2_GlobalDefWriter_WriteInterComm (to->out, comm, name, group,
                                                                group + 1, OTF2_UNDEFINED_COMM,
                                                                OTF2_COMM_FLAG_NONE));
    return group + 2;
}

void
profile_otf2_messages_define (const ProfileOtf2Messages *messages, ProfileOtf2Out *to,
                              const GArray *leaders)
{
    OTF2_GroupRef group = messages->has_world ? FIRST_GROUP : LOCATIONS;
    guint n_threads = 0;

    if (profile_otf2_messages_has_threads (messages)) {
        put_thread_locations (messages, to, group++);
    }
    for (guint i = 0; i < messages->list->len && to->code == OTF2_SUCCESS; i++) {
        const Communicator *communicator = g_ptr_array_index (messages->list, i);
        OTF2_CommRef comm = (OTF2_CommRef) messages->has_world + i;

        group = communicator->process != NULL
                    ? put_threads (to, comm, communicator, group, &n_threads)
                    : put_communicator (to, comm, communicator, group, leaders->len);
    }
    profile_otf2_windows_define (messages->windows, to);
}
