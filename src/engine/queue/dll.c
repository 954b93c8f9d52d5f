/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries MPI's own message queue library for a rank without a recorder, through pddt-queues,
 * which loads it (protocol: msgq/server.h). Never blocks: the answer arrives later and is
 * joined to the stack's; if none arrives, the stack's stands alone. */
#include "base/channel.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/queue/private.h"
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER "(bsv)"
#define LIMIT_MS 10000 /* for the next answer; pddt-queues itself has a shorter one */
#define HAS_ENDED "the helper that loads MPI's queue library has ended"

typedef struct {
    EngineProcess *process;
    guint32 request;
    JobMessageQueue *stack;
} Pending;

struct _EngineQueueDll {
    Engine *engine;
    int fd;
    guint source, timeout;
    GQueue pending; /* of Pending, in the order of the questions */
};

BASE_FREE (free_pending, Pending, pending, job_message_queue_free (pending->stack))

static void
disconnect (EngineQueueDll *dll)
{
    g_clear_handle_id (&dll->source, g_source_remove);
    g_clear_handle_id (&dll->timeout, g_source_remove);
    if (dll->fd >= 0) {
        close (dll->fd);
    }
    dll->fd = -1;
}

BASE_FREE_PUBLIC (engine_queue_dll_free, EngineQueueDll, dll, disconnect (dll);
                  g_queue_clear_full (&dll->pending, free_pending))

/* ---- joining ---- */

/* The one that the call is inside: no other of its kind is there, so it is no request of old. */
static gint
find_single (const JobMessageQueue *queue, JobMessageKind kind)
{
    gint found = -1;

    for (guint i = 0; i < queue->operations->len; i++) {
        const JobMessageOperation *operation = g_ptr_array_index (queue->operations, i);

        if (operation->kind == kind) {
            if (found >= 0) {
                return -1;
            }
            found = (gint) i;
        }
    }
    return found;
}

/* A probe is listed as a receive. */
static void
link_operation (JobMessageQueue *queue, JobMessageCall *call, JobMessageKind kind)
{
    gint index = find_single (queue, kind);
    guint32 number = (guint32) index;
    JobMessageOperation *operation;

    if (index < 0) {
        return;
    }
    operation = g_ptr_array_index (queue->operations, (guint) index);
    operation->flags |= JOB_MESSAGE_IN_CALL;
    if (kind == JOB_MESSAGE_SEND) {
        operation->flags &= ~(guint32) JOB_MESSAGE_MATCHED; /* or the call had returned */
    }
    operation->name = g_strdup (call->name);
    operation->place = job_location_dup (call->place);
    if (g_strcmp0 (call->name, "MPI_Ssend") == 0) {
        operation->flags |= JOB_MESSAGE_SYNCHRONOUS;
    }
    if (call->kind == JOB_MESSAGE_PROBE) {
        operation->kind = JOB_MESSAGE_PROBE;
    }
    call->communicator = operation->communicator;
    call->peer = operation->peer;
    call->local_peer = operation->local_peer;
    call->tag = operation->tag;
    call->bytes = operation->bytes;
    g_array_append_val (call->waits, number);
}

/* Open MPI's library takes what a thread waits for to be complete, which it would have noticed;
 * where only one request is open, that one is waited for. */
static void
link_wait (JobMessageQueue *queue, JobMessageCall *call)
{
    guint32 n_open = 0, open = 0;

    for (guint32 i = 0; i < queue->operations->len; i++) {
        JobMessageOperation *operation = g_ptr_array_index (queue->operations, i);

        if (operation->kind == JOB_MESSAGE_SEND) {
            operation->flags &= ~(guint32) JOB_MESSAGE_MATCHED;
        }
        if (operation->kind == JOB_MESSAGE_SEND || operation->kind == JOB_MESSAGE_RECV) {
            n_open++;
            open = i;
        }
    }
    if (n_open == 1) {
        g_array_append_val (call->waits, open);
    }
}

static void
link_calls (JobMessageQueue *queue)
{
    for (guint i = 0; i < queue->calls->len && queue->calls->len == 1; i++) {
        JobMessageCall *call = g_ptr_array_index (queue->calls, i);

        if (call->kind == JOB_MESSAGE_SEND || call->kind == JOB_MESSAGE_SENDRECV) {
            link_operation (queue, call, JOB_MESSAGE_SEND);
        }
        if (call->kind == JOB_MESSAGE_RECV || call->kind == JOB_MESSAGE_SENDRECV
            || call->kind == JOB_MESSAGE_PROBE) {
            link_operation (queue, call, JOB_MESSAGE_RECV);
        }
        if (call->kind == JOB_MESSAGE_WAIT_ALL || call->kind == JOB_MESSAGE_WAIT_ANY) {
            link_wait (queue, call);
        }
    }
}

static JobMessageQueue *
join (GVariant *content, JobMessageQueue *stack)
{
    g_autoptr (JobMessageTable) table = job_message_table_decode (content, 1, NULL);
    JobMessageQueue *queue;

    if (table == NULL || table->queues->len != 1) {
        return NULL;
    }
    queue = job_message_queue_dup (g_ptr_array_index (table->queues, 0));
    queue->rank = stack->rank;
    queue->flags |= stack->flags;
    queue->remark = g_strdup (stack->remark);
    g_ptr_array_unref (queue->waits);
    queue->waits = g_ptr_array_ref (stack->waits);
    g_ptr_array_unref (queue->calls);
    queue->calls = g_ptr_array_ref (stack->calls);
    link_calls (queue);
    return queue;
}

/* ---- answers ---- */

static void
give (EngineQueueDll *dll, Pending *pending, JobMessageQueue *queue)
{
    EngineProcess *process = pending->process;
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    JobEvent *event = job_event_new (JOB_EVENT_QUEUES, pending->request, slot);

    event->final = TRUE;
    event->queues = job_message_table_new ();
    job_message_table_add (event->queues, queue);
    engine_emit (dll->engine, event);
}

static void
give_stack (EngineQueueDll *dll, Pending *pending, const char *sentence)
{
    g_autofree char *reason = g_steal_pointer (&pending->stack->remark);

    pending->stack->remark = g_strdup_printf ("%s, and %s", reason, sentence);
    give (dll, pending, g_steal_pointer (&pending->stack));
}

static void
give_up (EngineQueueDll *dll, const char *sentence)
{
    Pending *pending;

    disconnect (dll);
    while ((pending = g_queue_pop_head (&dll->pending)) != NULL) {
        give_stack (dll, pending, sentence);
        free_pending (pending);
    }
}

static gboolean
on_late (gpointer data)
{
    EngineQueueDll *dll = data;

    dll->timeout = 0;
    give_up (dll, "the helper that loads MPI's queue library does not answer");
    engine_flush (dll->engine);
    return G_SOURCE_REMOVE;
}

static void
watch_time (EngineQueueDll *dll)
{
    g_clear_handle_id (&dll->timeout, g_source_remove);
    if (!g_queue_is_empty (&dll->pending)) {
        dll->timeout = g_timeout_add (LIMIT_MS, on_late, dll);
    }
}

static gboolean
on_answer (int fd, GIOCondition condition, gpointer data)
{
    EngineQueueDll *dll = data;
    g_autoptr (GVariant) answer = base_channel_receive (fd, ANSWER, 1000, NULL, NULL);
    g_autoptr (GVariant) content = NULL;
    Pending *pending = g_queue_peek_head (&dll->pending);
    JobMessageQueue *queue = NULL;
    const char *sentence;
    gboolean good;

    if (answer == NULL || pending == NULL) {
        dll->source = 0;
        give_up (dll, HAS_ENDED);
        engine_flush (dll->engine);
        return G_SOURCE_REMOVE;
    }
    g_queue_pop_head (&dll->pending);
    g_variant_get (answer, "(b&sv)", &good, &sentence, &content);
    queue = good ? join (content, pending->stack) : NULL;
    if (queue != NULL) {
        give (dll, pending, queue);
    } else {
        give_stack (dll, pending,
                    good ? "the helper's answer about MPI's queue library is broken"
                         : sentence);
    }
    free_pending (pending);
    watch_time (dll);
    engine_flush (dll->engine);
    return G_SOURCE_CONTINUE;
}

/* ---- questions ---- */

static gboolean
connect_helper (EngineQueueDll *dll)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = dll->engine->options.queues_socket;

    if (path == NULL || strlen (path) >= sizeof address.sun_path) {
        return FALSE;
    }
    strcpy (address.sun_path, path);
    dll->fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (dll->fd < 0 || connect (dll->fd, (struct sockaddr *) &address, sizeof address) < 0
        || !base_channel_is_own (dll->fd)) {
        disconnect (dll);
        return FALSE;
    }
    dll->source = g_unix_fd_add (dll->fd, G_IO_IN | G_IO_HUP | G_IO_ERR, on_answer, dll);
    return TRUE;
}

static GVariant *
new_question (EngineProcess *process, const char *library)
{
    GVariantBuilder modules;

    g_variant_builder_init (&modules, G_VARIANT_TYPE ("a(ayt)"));
    ENGINE_EACH_MODULE (process, module) {
        g_variant_builder_add (&modules, "(^ayt)", stack_module_get_file (module),
                               module->bias);
    }
    return g_variant_ref_sink (g_variant_new ("(uuuuu^aya(ayt))", (guint32) process->pid,
                                              process->owner.uid, process->owner.gid,
                                              process->rank, process->size, library, &modules));
}

/* The library is named by the process's memory, which its owner may write: it is loaded with his rights.
 * Where the process has others (it has begun a set-user-ID program), nothing is loaded, and its memory is
 * given to nobody. That is looked at before the memory is read and after it is opened: an exec between
 * the two is seen, and what was open before one is the old program's memory. Caller owns; NULL. */
static char *
dup_library (EngineProcess *process, JobMessageQueue *stack, int *ret_memory)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/mem", (int) process->pid);
    gboolean is_plain = engine_owner_is_plain (process);
    char *library = NULL;
    guint64 address;

    if (!engine_process_find_symbol (process, "MPIR_dll_name", &address)) {
        return NULL;
    }
    library = base_memory_read_string (engine_process_get_memory (process), address, 4096, NULL,
                                       NULL);
    *ret_memory = open (path, O_RDONLY | O_CLOEXEC);
    if (library != NULL && library[0] == '/' && *ret_memory >= 0 && is_plain
        && engine_owner_is_plain (process)) {
        return library;
    }
    if (library != NULL && library[0] == '/') {
        g_autofree char *reason = g_steal_pointer (&stack->remark);

        stack->remark = g_strdup_printf (
            "%s, and MPI's queue library is not loaded, as the process has other "
            "rights than its user",
            reason);
    }
    if (*ret_memory >= 0) {
        close (*ret_memory);
    }
    g_free (library);
    return NULL;
}

/* A question can come before the loop has seen that the helper of the last one is gone: that one is
 * not the answer to this, another is started. */
static gboolean
deliver (EngineQueueDll *dll, GVariant *question, int memory)
{
    if (dll->fd >= 0 && base_channel_send (dll->fd, question, memory)) {
        return TRUE;
    }
    if (dll->fd >= 0) {
        give_up (dll, HAS_ENDED);
    }
    return connect_helper (dll) && base_channel_send (dll->fd, question, memory);
}

static gboolean
send_question (EngineQueueDll *dll, EngineProcess *process, JobMessageQueue *stack)
{
    int memory = -1;
    g_autofree char *library = dup_library (process, stack, &memory);
    g_autoptr (GVariant) question = library != NULL ? new_question (process, library) : NULL;
    gboolean sent = question != NULL && deliver (dll, question, memory);

    if (question != NULL) {
        close (memory);
    }
    return sent;
}

gboolean
engine_queue_dll_ask (EngineProcess *process, guint32 request, JobMessageQueue *stack)
{
    Engine *engine = process->engine;
    EngineQueueDll *dll = engine->queue_dll;
    Pending *pending;

    if (process->core != NULL || engine_process_get_modules (process) == NULL) {
        return FALSE;
    }
    if (dll == NULL) {
        dll = engine->queue_dll = g_new0 (EngineQueueDll, 1);
        dll->engine = engine;
        dll->fd = -1;
    }
    if (!send_question (dll, process, stack)) {
        return FALSE;
    }
    pending = g_new0 (Pending, 1);
    pending->process = process;
    pending->request = request;
    pending->stack = stack;
    g_queue_push_tail (&dll->pending, pending);
    watch_time (dll);
    return TRUE;
}
