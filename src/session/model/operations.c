/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An operation that a later reading shows again stays the same item. */
#include "session/operations.h"
#include "base/clock.h"
#include "session/private.h"

struct _SessionOperation {
    GObject parent;
    char *key, *name, *communicator;
    guint32 rank;
    gint32 peer, tag;
    guint64 bytes, stop;
    gint64 read_us;
    const JobLocation *place; /* interned */
};

G_DEFINE_TYPE (SessionOperation, session_operation, G_TYPE_OBJECT)

static void
session_operation_finalize (GObject *object)
{
    SessionOperation *operation = SESSION_OPERATION (object);

    g_free (operation->key);
    g_free (operation->name);
    g_free (operation->communicator);
    G_OBJECT_CLASS (session_operation_parent_class)->finalize (object);
}

static void
session_operation_class_init (SessionOperationClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = session_operation_finalize;
}

static void
session_operation_init (SessionOperation *operation)
{
}

/* Equal ones of a rank are told apart by their number. */
static char *
make_key (const SessionOperation *operation, GHashTable *numbers)
{
    g_autofree char *same = g_strdup_printf ("%u %s %d %d %s %" G_GUINT64_FORMAT " %p",
                                             operation->rank, operation->name, operation->peer,
                                             operation->tag, operation->communicator,
                                             operation->bytes,
                                             (gconstpointer) operation->place);
    guint n = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, same));
    char *key = g_strdup_printf ("%s %u", same, n);

    g_hash_table_replace (numbers, g_steal_pointer (&same), GUINT_TO_POINTER (n + 1));
    return key;
}

static SessionOperation *
make_operation (Session *session, const JobMessageQueue *queue, const JobMessageOperation *one,
                GHashTable *numbers)
{
    SessionOperation *operation = g_object_new (SESSION_TYPE_OPERATION, NULL);
    const SessionRank rank = session_get_rank (session, queue->rank);

    operation->rank = queue->rank;
    operation->name = g_strdup (one->name != NULL ? one->name
                                                  : job_message_kind_get_name (one->kind));
    operation->peer = one->peer;
    operation->tag = one->tag;
    operation->communicator = job_message_queue_format_communicator (queue, one->communicator);
    operation->bytes = one->bytes;
    operation->place = session_ranks_intern_place (session, one->place);
    operation->stop = rank.is_there ? rank.stop : 0;
    operation->read_us = base_clock_get_us ();
    operation->key = make_key (operation, numbers);
    return operation;
}

static const char *
get_key (gpointer item)
{
    return SESSION_OPERATION (item)->key;
}

static gboolean
take (gpointer item, gpointer fresh)
{
    SessionOperation *operation = item;

    operation->stop = SESSION_OPERATION (fresh)->stop;
    operation->read_us = SESSION_OPERATION (fresh)->read_us;
    return TRUE; /* it has been read again */
}

void
session_operations_learn (Session *session, const JobMessageTable *table)
{
    static const SessionListRules rules = { get_key, take };
    g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                            NULL);
    GPtrArray *fresh = g_ptr_array_new_with_free_func (g_object_unref);

    for (guint i = 0; i < table->queues->len && fresh->len < SESSION_MAX_OPERATIONS; i++) {
        const JobMessageQueue *queue = table->queues->pdata[i];

        for (guint j = 0; j < queue->operations->len && fresh->len < SESSION_MAX_OPERATIONS;
             j++) {
            g_ptr_array_add (fresh, make_operation (session, queue, queue->operations->pdata[j],
                                                    numbers));
        }
    }
    session_list_become (session->lists->operations, fresh, &rules);
}

void
session_operations_forget (Session *session)
{
    session_list_remove (session->lists->operations, 0,
                         session_list_get_items (session->lists->operations)->len);
}

GListModel *
session_get_operation_list (const Session *session)
{
    return G_LIST_MODEL (session->lists->operations);
}

guint32
session_operation_get_rank (const SessionOperation *operation)
{
    return operation->rank;
}

const char *
session_operation_get_name (const SessionOperation *operation)
{
    return operation->name;
}

gint32
session_operation_get_peer (const SessionOperation *operation)
{
    return operation->peer;
}

gint32
session_operation_get_tag (const SessionOperation *operation)
{
    return operation->tag;
}

const char *
session_operation_get_communicator (const SessionOperation *operation)
{
    return operation->communicator;
}

guint64
session_operation_get_bytes (const SessionOperation *operation)
{
    return operation->bytes;
}

const JobLocation *
session_operation_get_place (const SessionOperation *operation)
{
    return operation->place;
}

gint64
session_operation_get_read_us (const SessionOperation *operation)
{
    return operation->read_us;
}

gint64
session_operation_get_stale_us (const SessionOperation *operation, const Session *session)
{
    const SessionRank rank = session_get_rank (session, operation->rank);
    const JobStateInfo *state = rank.is_there ? job_state_get_info (rank.state) : NULL;
    gboolean is_moving = state != NULL && state->is_moving && rank.state != JOB_STATE_BLOCKED;
    gboolean is_stale = state != NULL
                        && (is_moving || state->is_ended || rank.stop != operation->stop);

    return is_stale ? operation->read_us : 0;
}
