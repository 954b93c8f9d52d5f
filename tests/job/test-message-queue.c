/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues as values: bytes there and back, under damage, merging in any order, neighbours. */
#include "base/error.h"
#include "job/event.h"
#include "job/message-queue.h"
#include <string.h>

static void
add_call (JobMessageQueue *queue)
{
    JobMessageOperation *operation = job_message_operation_new (JOB_MESSAGE_RECV, "MPI_Recv");
    JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");
    guint32 index = 0;

    operation->flags = JOB_MESSAGE_IN_CALL;
    operation->communicator = 77;
    operation->peer = JOB_MESSAGE_ANY;
    operation->local_peer = JOB_MESSAGE_ANY;
    operation->tag = 12;
    operation->count = 4;
    operation->bytes = 32;
    operation->datatype = g_strdup ("MPI_DOUBLE");
    operation->place = job_location_new ("work", "/a/b.c", 12);
    operation->first[3] = 9;
    operation->n_first = 4;
    operation->n_partitions = 4;
    operation->n_ready = 3;
    operation->unready = 2;
    g_ptr_array_add (queue->operations, operation);
    call->number = 41;
    call->completed = 40;
    call->thread = 1234;
    call->communicator = 77;
    call->place = job_location_new ("work", "/a/b.c", 12);
    g_array_append_val (call->waits, index);
    g_ptr_array_add (queue->calls, call);
}

static void
add_communicators (JobMessageQueue *queue, guint32 size)
{
    JobMessageCommunicator *world = job_message_communicator_new (0, "MPI_COMM_WORLD");
    JobMessageCommunicator *halo = job_message_communicator_new (77, "halo");
    JobMessageCollective *collective = job_message_collective_new (3, "MPI_Bcast");

    world->size = size;
    collective->root = 2;
    collective->flags = JOB_MESSAGE_FINISHED;
    collective->bytes = 8;
    collective->chain = 0x1234567;
    collective->gives = g_array_new (FALSE, FALSE, 4);
    collective->gets = g_array_new (FALSE, FALSE, 4);
    g_array_append_val (collective->gives, size);
    g_array_append_val (collective->gets, collective->chain);
    world->n_collectives = 3;
    g_ptr_array_add (world->collectives, collective);
    g_ptr_array_add (queue->communicators, world);
    halo->size = size / 2;
    halo->flags = JOB_MESSAGE_COMMUNICATOR_CARTESIAN;
    halo->members = g_array_new (FALSE, FALSE, 4);
    for (guint32 i = 0; i < size / 2; i++) {
        guint32 member = 2 * i;

        g_array_append_val (halo->members, member);
    }
    halo->sources = g_array_ref (halo->members);
    halo->destinations = g_array_new (FALSE, FALSE, 4);
    g_array_append_val (halo->destinations, size);
    g_ptr_array_add (queue->communicators, halo);
}

static JobMessageQueue *
new_queue (guint32 rank, guint32 size)
{
    JobMessageQueue *queue = job_message_queue_new (rank);
    JobMessageFlow *flow = job_message_flow_new (TRUE, 77, 3, 12, 5);
    JobMessage *message = job_message_new ("MPI_Send");
    JobMessageRun *run = job_message_run_new ("i4=MPI_INT");

    queue->source = JOB_MESSAGE_SOURCE_RECORDER;
    queue->flags = JOB_MESSAGE_QUEUE_INITIALIZED | JOB_MESSAGE_QUEUE_COUNTED;
    queue->world_rank = rank;
    queue->world_size = size;
    queue->completed = 40;
    queue->library = g_strdup ("Open MPI v4.1.4");
    add_call (queue);
    add_communicators (queue, size);
    flow->n_matched = 1;
    flow->matched = job_location_new ("main", "a.c", 8);
    g_ptr_array_add (queue->flows, flow);
    message->communicator = 77;
    message->peer = 3;
    message->tag = 12;
    message->number = 5;
    message->bytes = 32;
    message->n_first = 3;
    memcpy (message->first, "a\"\001", 3);
    g_ptr_array_add (queue->sent, message);
    run->peer = 3;
    run->first = run->last = 5;
    run->place = job_location_new ("main", "a.c", 9);
    g_ptr_array_add (queue->runs, run);
    return queue;
}

static JobMessageTable *
new_table (guint32 first, guint32 end)
{
    JobMessageTable *table = job_message_table_new ();

    for (guint32 i = end; i > first; i--) {
        job_message_table_add (table, new_queue (i - 1, 64));
    }
    return table;
}

static gboolean
is_equal (const JobMessageTable *a, const JobMessageTable *b)
{
    g_autoptr (GVariant) left = g_variant_ref_sink (job_message_table_encode (a));
    g_autoptr (GVariant) right = g_variant_ref_sink (job_message_table_encode (b));

    return g_variant_equal (left, right);
}

static void
test_wire (void)
{
    g_autoptr (JobMessageTable) table = new_table (0, 3);
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_message_table_encode (table));
    g_autoptr (GError) error = NULL;
    g_autoptr (JobMessageTable) again = job_message_table_decode (variant, 3, &error);
    const JobMessageQueue *queue;
    const JobMessageCall *call;
    const JobMessageOperation *operation;
    const JobMessageCommunicator *halo;
    const JobMessage *message;

    g_assert_no_error (error);
    g_assert_true (is_equal (table, again));
    queue = job_message_table_find (again, 2);
    g_assert_cmpstr (queue->library, ==, "Open MPI v4.1.4");
    call = job_message_queue_find_call (queue);
    g_assert_cmpuint (call->number, ==, 41);
    operation = g_ptr_array_index (queue->operations, g_array_index (call->waits, guint32, 0));
    g_assert_cmpint (operation->peer, ==, JOB_MESSAGE_ANY);
    g_assert_cmpint (operation->tag, ==, 12);
    g_assert_cmpint (operation->first[3], ==, 9);
    g_assert_cmpuint (operation->place->line, ==, 12);
    halo = job_message_queue_find_communicator (queue, 77);
    g_assert_cmpint (job_message_communicator_get_member (halo, 5), ==, 10);
    g_assert_cmpint (job_message_communicator_get_member (halo, 32), ==, JOB_MESSAGE_UNKNOWN);
    message = g_ptr_array_index (queue->sent, 0);
    g_assert_cmpmem (message->first, message->n_first, "a\"\001", 3);
    g_assert_cmpuint (queue->runs->len, ==, 1);
    g_assert_cmpstr (((JobMessageRun *) g_ptr_array_index (queue->runs, 0))->signature, ==,
                     "i4=MPI_INT");
    g_assert_null (job_message_table_decode (variant, 2, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
}

/* Members stand once, however many ranks have the communicator. */
static void
test_shared (void)
{
    g_autoptr (JobMessageTable) one = new_table (0, 1);
    g_autoptr (JobMessageTable) many = new_table (0, 64);
    g_autoptr (GVariant) small = g_variant_ref_sink (job_message_table_encode (one));
    g_autoptr (GVariant) large = g_variant_ref_sink (job_message_table_encode (many));
    g_autoptr (JobMessageTable) again = job_message_table_decode (large, 64, NULL);
    const JobMessageQueue *first = job_message_table_find (again, 0);
    const JobMessageQueue *last = job_message_table_find (again, 63);

    g_assert_cmpuint (g_variant_get_size (large), <,
                      64 * (g_variant_get_size (small) - 32 * sizeof (guint32)));
    g_assert_true (job_message_queue_find_communicator (first, 77)->members
                   == job_message_queue_find_communicator (last, 77)->members);
}

static void
test_merge (void)
{
    g_autoptr (JobMessageTable) a = new_table (0, 4);
    g_autoptr (JobMessageTable) b = new_table (2, 8);
    g_autoptr (JobMessageTable) ab = job_message_table_dup (a);
    g_autoptr (JobMessageTable) ba = job_message_table_dup (b);
    JobMessageQueue *later = new_queue (3, 64);

    later->completed = 50;
    job_message_table_add (b, later);
    job_message_table_merge (ab, b);
    job_message_table_add (ba, job_message_queue_dup (later));
    job_message_table_merge (ba, a);
    g_assert_cmpuint (ab->queues->len, ==, 8);
    g_assert_cmpuint (job_message_table_find (ab, 3)->completed, ==, 50);
    g_assert_true (is_equal (ab, ba));
    g_assert_null (job_message_table_find (ab, 8));
}

/* Behind the others, before them, between them, and mixed with them; a copy has the same queues. */
static void
test_merge_apart (void)
{
    static const guint32 firsts[] = { 6, 0, 3 };
    g_autoptr (JobMessageTable) table = job_message_table_new ();
    g_autoptr (JobMessageTable) mixed = new_table (2, 3), all = new_table (0, 9), copy = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (firsts); i++) {
        g_autoptr (JobMessageTable) other = new_table (firsts[i], firsts[i] + 2);

        job_message_table_merge (table, other);
    }
    job_message_table_add (mixed, new_queue (8, 64));
    job_message_table_add (mixed, new_queue (5, 64));
    job_message_table_merge (table, mixed);
    g_assert_true (is_equal (table, all));
    copy = job_message_table_dup (table);
    g_assert_true (is_equal (copy, all));
    g_assert_true (job_message_table_find (copy, 5) == job_message_table_find (mixed, 5));
}

static void
test_neighbours (void)
{
    static const gint32 dims[] = { 3, 4 }, periods[] = { 0, 1 };
    g_autoptr (JobMessageQueue) queue = job_message_queue_new (0);
    JobMessageCommunicator *grid = job_message_communicator_new (5, NULL);
    g_autoptr (JobRankSet) corner = NULL, middle = NULL, none = NULL;
    g_autofree char *first = NULL, *second = NULL;

    g_ptr_array_add (queue->communicators, grid);
    grid->size = 12;
    none = job_message_communicator_dup_neighbours (grid, 0);
    g_assert_true (job_rank_set_is_empty (none));
    grid->dims = g_array_append_vals (g_array_new (FALSE, FALSE, 4), dims, 2);
    grid->periods = g_array_append_vals (g_array_new (FALSE, FALSE, 4), periods, 2);
    corner = job_message_communicator_dup_neighbours (grid, 0);
    middle = job_message_communicator_dup_neighbours (grid, 5);
    first = job_rank_set_format (corner);
    second = job_rank_set_format (middle);
    g_assert_cmpstr (first, ==, "1,3-4");
    g_assert_cmpstr (second, ==, "1,4,6,9");
}

/* Wrong tags that a program has passed are shown, whatever they are. */
static void
assert_tags (void)
{
    static const struct {
        gint32 tag;
        const char *text;
    } tags[] = { { 7, "7" },
                 { JOB_MESSAGE_ANY, "any" },
                 { -2, "-2" },
                 { -3, "-3" },
                 { JOB_MESSAGE_TAG_NONE, "none" },
                 { -13, "-13" },
                 { JOB_MESSAGE_TAG_UNKNOWN, "?" } };

    for (guint i = 0; i < G_N_ELEMENTS (tags); i++) {
        g_autofree char *text = job_message_tag_format (tags[i].tag);

        g_assert_cmpstr (text, ==, tags[i].text);
    }
}

static void
assert_values (const char *type, const void *data, guint32 size, guint64 bytes,
               const char *expected)
{
    g_autofree char *text = job_message_format_values (type, data, size, bytes);

    g_assert_cmpstr (text, ==, expected);
}

static void
test_values (void)
{
    static const gint32 ints[4] = { 0, -1, 7, G_MAXINT32 };
    static const double doubles[2] = { 0.1, -1e300 };
    static const float floats[2] = { 0.5f, 0.1f };
    static const gint64 one = -123456789012;

    assert_values ("MPI_INT", ints, 4, 4, "0");
    assert_values ("MPI_INT", ints, 16, 16, "0, -1, 7, 2147483647");
    assert_values ("MPI_INTEGER", ints, 16, 400, "0, -1, 7, 2147483647, …");
    assert_values ("MPI_UNSIGNED", ints, 8, 8, "0, 4294967295");
    assert_values ("MPI_DOUBLE", doubles, 16, 16, "0.1, -1e+300");
    assert_values ("MPI_FLOAT", floats, 8, 12, "0.5, 0.1, …");
    assert_values ("MPI_LONG", &one, 8, 8, "-123456789012");
    assert_values ("MPI_CHAR", "ab", 2, 2, NULL);
    assert_values (NULL, ints, 4, 4, NULL);
    assert_values ("MPI_INT", ints, 3, 3, NULL); /* not even one */
}

static void
test_words (void)
{
    g_autoptr (JobMessageQueue) queue = new_queue (1, 4);
    g_autofree char *halo = job_message_queue_format_communicator (queue, 77);
    g_autofree char *other = job_message_queue_format_communicator (queue, 0xabc12);
    g_autofree char *first = job_message_format_first ((const guint8 *) "a\"\001\\", 4);
    g_autofree char *peer = job_message_peer_format (JOB_MESSAGE_ANY);

    g_assert_cmpstr (halo, ==, "halo");
    g_assert_cmpstr (other, ==, "communicator #bc12");
    g_assert_cmpstr (first, ==, "a\\\"\\x01\\\\");
    g_assert_cmpstr (peer, ==, "any");
    assert_tags ();
    g_assert_cmpstr (job_message_source_get_name (JOB_MESSAGE_SOURCE_DLL), ==,
                     "message queue library");
}

static void
test_ordinals (void)
{
    static const struct {
        guint64 number;
        const char *word;
    } cases[] = {
        { 0, "0th" },     { 1, "first" },     { 9, "ninth" },
        { 10, "10th" },   { 11, "11th" },     { 12, "12th" },
        { 13, "13th" },   { 20, "20th" },     { 21, "21st" },
        { 22, "22nd" },   { 33, "33rd" },     { 94, "94th" },
        { 111, "111th" }, { 1001, "1001st" }, { G_MAXUINT64, "18446744073709551615th" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autofree char *word = job_message_format_ordinal (BASE_TEXT_ENGLISH, cases[i].number);

        g_assert_cmpstr (word, ==, cases[i].word);
    }
}

static void
test_event (void)
{
    g_autoptr (JobRankSet) low = job_rank_set_new_range (0, 2);
    g_autoptr (JobRankSet) high = job_rank_set_new_range (2, 4);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_QUEUES, 7, low);
    g_autoptr (JobEvent) other = job_event_new (JOB_EVENT_QUEUES, 7, high);
    g_autoptr (GVariant) variant = NULL;
    g_autoptr (JobEvent) again = NULL;

    event->queues = new_table (0, 2);
    other->queues = new_table (2, 4);
    g_assert_true (job_event_merge (event, other));
    variant = g_variant_ref_sink (job_event_encode (event));
    again = job_event_decode (variant, 4, NULL, NULL);
    g_assert_cmpuint (again->queues->queues->len, ==, 4);
    g_assert_true (is_equal (again->queues, event->queues));
}

static void
test_damage (void)
{
    g_autoptr (JobMessageTable) table = new_table (0, 2);
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_message_table_encode (table));
    g_autoptr (GRand) random = g_rand_new_with_seed (7);
    gsize size = g_variant_get_size (variant);

    for (int i = 0; i < 20000; i++) {
        guint8 *data = g_memdup2 (g_variant_get_data (variant), size);
        g_autoptr (GVariant) damaged = NULL;

        data[g_rand_int_range (random, 0, (gint32) size)] = (guint8) g_rand_int (random);
        damaged = g_variant_ref_sink (g_variant_new_from_data (g_variant_get_type (variant),
                                                               data, size, FALSE, g_free,
                                                               data));
        job_message_table_free (job_message_table_decode (damaged, 100, NULL));
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/message-queue/wire", test_wire);
    g_test_add_func ("/job/message-queue/shared", test_shared);
    g_test_add_func ("/job/message-queue/merge", test_merge);
    g_test_add_func ("/job/message-queue/merge-apart", test_merge_apart);
    g_test_add_func ("/job/message-queue/neighbours", test_neighbours);
    g_test_add_func ("/job/message-queue/words", test_words);
    g_test_add_func ("/job/message-queue/values", test_values);
    g_test_add_func ("/job/message-queue/ordinals", test_ordinals);
    g_test_add_func ("/job/message-queue/event", test_event);
    g_test_add_func ("/job/message-queue/damage", test_damage);
    return g_test_run ();
}
