/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairing: messages sent and not received, by number; posted receives are subtracted;
 * incomplete counts are left out. */
#include "analysis/messages.h"

static JobMessageQueue *
add_rank (JobMessageTable *table, guint32 rank)
{
    JobMessageQueue *queue = job_message_queue_new (rank);

    queue->source = JOB_MESSAGE_SOURCE_RECORDER;
    queue->flags = JOB_MESSAGE_QUEUE_COUNTED | JOB_MESSAGE_QUEUE_INITIALIZED;
    job_message_table_add (table, queue);
    return queue;
}

static void
add_sent (JobMessageQueue *queue, gint32 peer, gint32 tag, guint64 number)
{
    JobMessage *message = job_message_new ("MPI_Send");

    message->communicator = 0;
    message->peer = peer;
    message->tag = tag;
    message->number = number;
    message->bytes = number * 10;
    g_ptr_array_add (queue->sent, message);
}

/* Rank 0 has sent five messages with tag 7 to rank 1, of which it still has the last three; rank 1
 * has received n_received. */
static JobMessageTable *
new_pair (guint64 n_received, guint64 n_matched)
{
    JobMessageTable *table = job_message_table_new ();
    JobMessageQueue *sender = add_rank (table, 0), *receiver = add_rank (table, 1);
    JobMessageFlow *flow = job_message_flow_new (FALSE, 0, 0, 7, n_received);

    flow->n_matched = n_matched;
    g_ptr_array_add (sender->flows, job_message_flow_new (TRUE, 0, 1, 7, 5));
    g_ptr_array_add (receiver->flows, flow);
    for (guint64 i = 3; i <= 5; i++) {
        add_sent (sender, 1, 7, i);
    }
    add_sent (sender, 1, 8, 5); /* another flow's, which nobody counts here */
    return table;
}

static void
post_receive (JobMessageTable *table, gint32 source, gint32 tag)
{
    JobMessageQueue *queue = (JobMessageQueue *) job_message_table_find (table, 1);
    JobMessageOperation *operation = job_message_operation_new (JOB_MESSAGE_RECV, "MPI_Irecv");

    operation->communicator = 0;
    operation->peer = source;
    operation->tag = tag;
    g_ptr_array_add (queue->operations, operation);
}

static const AnalysisTransit *
get (GPtrArray *transits, guint index)
{
    return g_ptr_array_index (transits, index);
}

static void
test_numbers (void)
{
    g_autoptr (JobMessageTable) table = new_pair (3, 0);
    g_autoptr (GPtrArray) transits = analysis_messages_list (table);

    g_assert_cmpuint (transits->len, ==, 2);
    g_assert_cmpuint (get (transits, 0)->message->number, ==, 4);
    g_assert_cmpuint (get (transits, 1)->message->number, ==, 5);
    g_assert_false (get (transits, 0)->is_asked);
    g_assert_cmpuint (get (transits, 0)->source, ==, 0);
    g_assert_cmpuint (get (transits, 0)->destination, ==, 1);
}

static void
test_all_received (void)
{
    g_autoptr (JobMessageTable) table = new_pair (4, 1);
    g_autoptr (JobMessageTable) later = new_pair (9, 0);
    g_autoptr (GPtrArray) none = analysis_messages_list (table);
    g_autoptr (GPtrArray) clipped = analysis_messages_list (later);

    g_assert_cmpuint (none->len, ==, 0);
    g_assert_cmpuint (clipped->len, ==, 0);
}

static void
test_forgotten (void)
{
    g_autoptr (JobMessageTable) table = new_pair (1, 0);
    g_autoptr (GPtrArray) transits = analysis_messages_list (table);

    g_assert_cmpuint (transits->len, ==, 4);
    g_assert_null (get (transits, 0)->message);
    g_assert_cmpuint (get (transits, 0)->n_messages, ==, 1);
    g_assert_cmpuint (get (transits, 1)->message->number, ==, 3);
}

static void
test_asked (void)
{
    g_autoptr (JobMessageTable) table = new_pair (3, 0);
    g_autoptr (GPtrArray) transits = NULL;

    post_receive (table, 0, 9); /* the wrong tag takes nothing */
    post_receive (table, JOB_MESSAGE_ANY, JOB_MESSAGE_ANY);
    transits = analysis_messages_list (table);
    g_assert_cmpuint (transits->len, ==, 2);
    g_assert_true (get (transits, 0)->is_asked);
    g_assert_false (get (transits, 1)->is_asked);
}

static void
test_uncounted (void)
{
    g_autoptr (JobMessageTable) table = new_pair (3, 0);
    g_autoptr (GPtrArray) transits = NULL;

    ((JobMessageQueue *) job_message_table_find (table, 1))->flags
        &= ~(guint32) JOB_MESSAGE_QUEUE_COUNTED;
    transits = analysis_messages_list (table);
    g_assert_cmpuint (transits->len, ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/analysis/messages/numbers", test_numbers);
    g_test_add_func ("/analysis/messages/all-received", test_all_received);
    g_test_add_func ("/analysis/messages/forgotten", test_forgotten);
    g_test_add_func ("/analysis/messages/asked", test_asked);
    g_test_add_func ("/analysis/messages/uncounted", test_uncounted);
    return g_test_run ();
}
