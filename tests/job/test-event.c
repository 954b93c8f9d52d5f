/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events: what folds and what must not, and their bytes. */
#include "base/error.h"
#include "job/event-private.h"
#include <string.h>
#include <time.h>

static JobEvent *
new_state (guint32 first, guint32 end, JobState state, guint32 line)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    JobEvent *event = job_event_new (JOB_EVENT_STATE, 0, ranks);

    event->state = state;
    event->place = line > 0 ? job_location_new ("work", "/x/app.py", line) : NULL;
    return event;
}

static JobEvent *
new_output (guint32 rank, const char *text)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    JobEvent *event = job_event_new (JOB_EVENT_OUTPUT, 0, ranks);

    event->number = 1;
    event->bytes = g_bytes_new (text, strlen (text) + 1);
    return event;
}

static char *
format_list (GPtrArray *events)
{
    GString *text = g_string_new (NULL);

    job_event_list_merge (events);
    for (guint i = 0; i < events->len; i++) {
        const JobEvent *event = g_ptr_array_index (events, i);
        g_autofree char *ranks = job_rank_set_format (event->ranks);

        g_string_append_printf (text, "%s%s %s", i > 0 ? "; " : "", ranks,
                                event->bytes != NULL
                                    ? (const char *) g_bytes_get_data (event->bytes, NULL)
                                    : job_state_get_info (event->state)->word);
    }
    return g_string_free (text, FALSE);
}

static void
test_states (void)
{
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autofree char *text = NULL;

    g_ptr_array_add (events, new_state (0, 1, JOB_STATE_STOPPED, 12));
    g_ptr_array_add (events, new_state (2, 3, JOB_STATE_STOPPED, 12));
    g_ptr_array_add (events, new_state (0, 1, JOB_STATE_RUNNING, 0));
    g_ptr_array_add (events, new_state (1, 2, JOB_STATE_STOPPED, 12));
    g_ptr_array_add (events, new_state (0, 1, JOB_STATE_STOPPED, 12));
    g_ptr_array_add (events, new_state (3, 4, JOB_STATE_STOPPED, 13));
    text = format_list (events);
    g_assert_cmpstr (text, ==, "0-2 stopped; 0 running; 0 stopped; 3 stopped");
}

static void
test_output (void)
{
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autofree char *text = NULL;

    g_ptr_array_add (events, new_output (0, "a"));
    g_ptr_array_add (events, new_output (0, "a"));
    g_ptr_array_add (events, new_output (1, "a"));
    g_ptr_array_add (events, new_output (1, "b"));
    g_ptr_array_add (events, new_output (2, "b"));
    g_ptr_array_add (events, new_output (2, "a"));
    text = format_list (events);
    g_assert_cmpstr (text, ==, "0 a; 0-1 a; 1-2 b; 2 a");
}

static void
test_merge_parts (void)
{
    g_autoptr (JobRankSet) zero = job_rank_set_new_range (0, 1);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (1, 2);
    g_autoptr (JobEvent) a = job_event_new (JOB_EVENT_VALUES, 3, zero);
    g_autoptr (JobEvent) b = job_event_new (JOB_EVENT_VALUES, 3, one);
    g_autoptr (JobValue) value = job_value_new (NULL, "int", "1");
    g_autoptr (JobEvent) other = NULL;

    a->table = job_value_table_new ();
    b->table = job_value_table_new ();
    job_value_table_add (a->table, "x", zero, value);
    job_value_table_add (b->table, "x", one, value);
    other = job_event_dup (b);
    other->request = 4;
    g_assert_false (job_event_merge (a, other));
    g_assert_true (job_event_merge (a, b));
    g_assert_cmpuint (job_rank_set_get_count (a->ranks), ==, 2);
    g_assert_cmpuint (a->table->rows->len, ==, 1);
}

/* An answer of one rank, which no other one has. */
static JobEvent *
new_own (JobEventKind kind, guint32 rank, guint32 flags)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    g_autofree char *text = g_strdup_printf ("%u", rank);
    JobEvent *event = job_event_new (kind, 9, ranks);

    event->final = TRUE;
    event->flags = flags;
    if (kind == JOB_EVENT_DETAILS) {
        event->details = job_detail_list_new ();
        g_ptr_array_add (event->details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", text));
    } else {
        event->text = g_steal_pointer (&text);
    }
    return event;
}

static GPtrArray *
new_own_list (JobEventKind kind, guint32 first, guint32 end, guint32 flags)
{
    GPtrArray *events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);

    for (guint32 rank = first; rank < end; rank++) {
        g_ptr_array_add (events, new_own (kind, rank, flags));
    }
    return events;
}

/* Each rank once; how many of them are in a rest. */
static guint32
count_rest (const GPtrArray *events, guint32 n, guint *ret_n_rests)
{
    g_autoptr (JobRankSet) seen = job_rank_set_new ();
    guint32 n_rest = 0;

    *ret_n_rests = 0;
    for (guint i = 0; i < events->len; i++) {
        const JobEvent *event = g_ptr_array_index (events, i);

        g_assert_true (event->final);
        g_assert_false (job_rank_set_intersects (seen, event->ranks));
        job_rank_set_merge (seen, event->ranks);
        if (event->flags & JOB_EVENT_REST) {
            g_assert_null (event->text);
            g_assert_null (event->content);
            n_rest += job_rank_set_get_count (event->ranks);
            ++*ret_n_rests;
        }
    }
    g_assert_cmpuint (job_rank_set_get_count (seen), ==, n);
    return n_rest;
}

static void
check_cut (JobEventKind kind)
{
    const guint32 n = JOB_MAX_GROUPS + 500;
    g_autoptr (GPtrArray) asked = new_own_list (kind, 0, n, JOB_EVENT_SUMMARY),
                          other = new_own_list (kind, n, 2 * n, JOB_EVENT_SUMMARY),
                          whole = new_own_list (kind, 0, n, 0),
                          few = new_own_list (kind, 0, JOB_MAX_GROUPS, JOB_EVENT_SUMMARY);
    guint n_rests;

    job_event_list_cut (whole);
    g_assert_cmpuint (whole->len, ==, n); /* who asked wants all of it */
    job_event_list_cut (few);
    g_assert_cmpuint (few->len, ==, JOB_MAX_GROUPS);
    job_event_list_cut (asked);
    g_assert_cmpuint (asked->len, ==, JOB_KEPT_GROUPS + 1);
    g_assert_cmpuint (count_rest (asked, n, &n_rests), ==, n - JOB_KEPT_GROUPS);
    job_event_list_cut (other);
    g_ptr_array_extend_and_steal (asked, g_steal_pointer (&other));
    job_event_list_merge (asked);
    g_assert_cmpuint (count_rest (asked, 2 * n, &n_rests), ==, 2 * (n - JOB_KEPT_GROUPS));
    g_assert_cmpuint (n_rests, ==, 1);
}

static void
test_cut (void)
{
    check_cut (JOB_EVENT_TEXT);
    check_cut (JOB_EVENT_DETAILS);
}

static JobEvent *
new_full (void)
{
    JobEvent *event = new_state (1, 4, JOB_STATE_EXCEPTION, 12);

    event->request = 8;
    event->final = TRUE;
    event->flags = JOB_EVENT_SAMPLED;
    event->stop = 5;
    event->number = -1;
    event->code = BASE_ERROR_LOST;
    event->text = g_strdup ("ValueError");
    event->text2 = g_strdup ("bad \377");
    return event;
}

static void
assert_full (const JobEvent *event)
{
    g_assert_cmpint (event->kind, ==, JOB_EVENT_STATE);
    g_assert_true (event->final);
    g_assert_cmpuint (event->request, ==, 8);
    g_assert_cmpuint (event->flags, ==, JOB_EVENT_SAMPLED);
    g_assert_cmpuint (event->stop, ==, 5);
    g_assert_cmpint (event->state, ==, JOB_STATE_EXCEPTION);
    g_assert_cmpint (event->number, ==, -1);
    g_assert_cmpint (event->code, ==, BASE_ERROR_LOST);
    g_assert_cmpstr (event->text2, ==, "bad \377");
    g_assert_cmpuint (event->place->line, ==, 12);
    g_assert_null (event->content);
}

static void
test_wire (void)
{
    g_autoptr (JobEvent) event = new_full ();
    g_autoptr (JobEvent) copy = job_event_dup (event);
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_event_encode (event));
    g_autoptr (JobEvent) again = job_event_decode (variant, 4, NULL, NULL);
    g_autoptr (GError) error = NULL;

    assert_full (copy);
    assert_full (again);
    g_assert_null (job_event_decode (variant, 3, NULL, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
}

/* Both are plain bytes on the wire, which their decoders then look into. */
static gboolean
is_bytes_alone (JobEventKind kind, JobEventKind other)
{
    const JobContent a = job_event_kind_get_content (kind),
                     b = job_event_kind_get_content (other);

    return a >= JOB_CONTENT_DETAILS && b >= JOB_CONTENT_DETAILS;
}

/* What an event of that kind has; NULL: nothing. */
static gpointer
new_content (JobEventKind kind, const JobRankSet *ranks)
{
    const JobProcess process = { .slot = 1, .rank = 3, .pid = 99, .host = (char *) "node1" };
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    g_autoptr (JobValue) value = job_value_new (NULL, "int", "3");
    GArray *processes = job_process_list_new ();
    GPtrArray *places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free),
              *details = job_detail_list_new ();
    JobStackTree *tree = job_stack_tree_new ();
    JobValueTable *table = job_value_table_new ();
    JobMessageTable *queues = job_message_table_new ();
    JobCosts *costs = job_costs_new ();
    GBytes *bytes = g_bytes_new ("a\0b", 3);
    const gpointer all[JOB_N_CONTENTS] = { NULL,   processes, places, tree, table,
                                           queues, details,   costs,  bytes };
    JobContent content = job_event_kind_get_content (kind);

    job_process_list_add (processes, &process);
    g_ptr_array_add (places, job_location_new ("f", NULL, 0));
    g_ptr_array_add (frames, job_frame_new ());
    job_stack_tree_add (tree, frames, ranks);
    job_value_table_add (table, "x", ranks, value);
    job_message_table_add (queues, job_message_queue_new (1));
    g_ptr_array_add (details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", "1"));
    for (guint i = 1; i < JOB_N_CONTENTS; i++) {
        if (i != content) {
            job_content_free (i, all[i]);
        }
    }
    return all[content];
}

static GVariant *
encode (const JobEvent *event)
{
    return g_variant_ref_sink (job_event_encode (event));
}

/* Each kind's content is copied, sent, and freed by what it is; the sender's bytes cannot give one kind's to another. */
static void
test_contents (void)
{
    for (JobEventKind kind = JOB_EVENT_NONE; kind < JOB_N_EVENTS; kind++) {
        g_autoptr (JobRankSet) ranks = job_rank_set_new_range (1, 2);
        g_autoptr (JobEvent) event = job_event_new (kind, 3, ranks), again = NULL;
        g_autoptr (GVariant) sent = NULL, head = NULL;

        event->content = new_content (kind, ranks);
        again = job_event_dup (event);
        sent = encode (again);
        g_clear_pointer (&again, job_event_free);
        again = job_event_decode (sent, 4, NULL, NULL);
        g_assert_nonnull (again);
        g_assert_cmpint (job_event_find_content (again), ==, job_event_kind_get_content (kind));
        g_assert_true ((job_event_get_table (again) != NULL)
                       == (kind == JOB_EVENT_VALUES || kind == JOB_EVENT_RETURNED));
        head = g_variant_get_child_value (sent, 0);
        for (JobEventKind other = JOB_EVENT_RANKS; other < JOB_N_EVENTS; other++) {
            g_autoptr (JobEvent) theirs = job_event_new (other, 3, ranks), mixed = NULL;
            g_autoptr (GVariant) foreign = NULL, content = NULL, packet = NULL;

            theirs->content = new_content (other, ranks);
            foreign = encode (theirs);
            g_variant_get_child (foreign, 1, "mv", &content);
            packet = g_variant_ref_sink (g_variant_new ("(@aymv)", head, content));
            mixed = job_event_decode (packet, 4, NULL, NULL);
            g_assert_true (mixed == NULL
                           || job_event_kind_get_content (other)
                                  == job_event_kind_get_content (kind)
                           || is_bytes_alone (kind, other));
        }
    }
}

static void
test_empty_wire (void)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_ACCEPTED, 2, NULL);
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_event_encode (event));
    g_autoptr (JobEvent) again = job_event_decode (variant, 1, NULL, NULL);

    g_assert_null (again->place);
    g_assert_null (again->content);
    g_assert_true (job_rank_set_is_empty (again->ranks));
}

static void
test_damage (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (11);
    g_autoptr (JobEvent) event = new_full ();
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_event_encode (event));
    gsize size = g_variant_get_size (variant);

    for (int i = 0; i < 20000; i++) {
        guint8 *data = g_memdup2 (g_variant_get_data (variant), size);
        g_autoptr (GVariant) damaged = NULL;

        data[g_rand_int_range (random, 0, (gint32) size)] = (guint8) g_rand_int (random);
        damaged = g_variant_ref_sink (g_variant_new_from_data (g_variant_get_type (variant),
                                                               data, size, FALSE, g_free,
                                                               data));
        job_event_free (job_event_decode (damaged, 100, NULL, NULL));
    }
}

static void
test_failure (void)
{
    g_autoptr (GError) error = g_error_new (BASE_ERROR, BASE_ERROR_BUSY, "cannot look");
    g_autoptr (JobEvent) event = job_event_new_failure (9, NULL, error);

    g_assert_cmpint (event->code, ==, BASE_ERROR_BUSY);
    g_assert_cmpstr (event->text, ==, "cannot look");
    g_assert_true (event->final);
    g_assert_cmpstr (job_event_kind_get_name (event->kind), ==, "failure");
}

static JobEvent *
new_ranks (guint32 rank, const char *program)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, ranks);
    const JobProcess process
        = { .slot = rank, .rank = rank, .size = 4, .program = (char *) program };

    event->processes = job_process_list_new ();
    job_process_list_add (event->processes, &process);
    return event;
}

/* The first rank's program changes (its second report folds with nothing) before the second rank
 * comes: what that one says stays behind its own report. */
static void
test_order (void)
{
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_autoptr (JobRankSet) known = job_rank_set_new ();
    guint n_states = 0;

    g_ptr_array_add (events, new_ranks (0, "shim"));
    g_ptr_array_add (events, new_state (0, 1, JOB_STATE_STOPPED, 12));
    g_ptr_array_add (events, new_ranks (0, "app"));
    g_ptr_array_add (events, new_ranks (1, "app"));
    g_ptr_array_add (events, new_state (1, 2, JOB_STATE_STOPPED, 12));
    g_ptr_array_add (events, new_state (2, 3, JOB_STATE_STOPPED, 12));
    job_event_list_merge (events);
    job_rank_set_add (known, 2);
    for (guint i = 0; i < events->len; i++) {
        const JobEvent *event = g_ptr_array_index (events, i);

        if (event->kind == JOB_EVENT_RANKS) {
            job_rank_set_merge (known, event->ranks);
        } else {
            g_assert_true (job_rank_set_is_subset (event->ranks, known));
            n_states += job_rank_set_get_count (event->ranks);
        }
    }
    g_assert_cmpuint (n_states, ==, 3);
    g_assert_cmpuint (events->len, ==, 4);
}

/* ---- a rank's answer each ---- */

static JobEvent *
make_text (guint32 rank)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    JobEvent *event = job_event_new (JOB_EVENT_TEXT, 5, ranks);

    event->text = g_strdup_printf ("%u", rank);
    return event;
}

static JobEvent *
make_value (guint32 rank)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    g_autofree char *text = g_strdup_printf ("%u", rank);
    g_autoptr (JobValue) value = job_value_new ("x", "int", text);
    JobEvent *event = job_event_new (JOB_EVENT_VALUES, 5, ranks);

    event->table = job_value_table_new ();
    job_value_table_add (event->table, "x", ranks, value);
    return event;
}

static JobEvent *
make_registers (guint32 rank)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    g_autofree char *text = g_strdup_printf ("%#x", rank * 16);
    JobEvent *event = job_event_new (JOB_EVENT_DETAILS, 5, ranks);

    event->details = job_detail_list_new ();
    g_ptr_array_add (event->details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", text));
    return event;
}

static gint64
measure_merge (JobEvent *(*make) (guint32 rank), guint32 n, gboolean is_cut)
{
    g_autoptr (GPtrArray) events
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    clock_t begin;

    for (guint32 rank = 0; rank < n; rank++) {
        JobEvent *event = make (rank);

        event->flags |= is_cut ? JOB_EVENT_SUMMARY : 0;
        g_ptr_array_add (events, event);
    }
    begin = clock ();
    job_event_list_merge (events);
    g_assert_cmpuint (events->len, ==, make == make_value ? 1 : n);
    job_event_list_cut (events);
    if (is_cut && n > JOB_MAX_GROUPS) {
        g_assert_cmpuint (events->len, ==, make == make_value ? 1 : JOB_KEPT_GROUPS + 1);
    }
    return MAX ((gint64) (clock () - begin) * G_USEC_PER_SEC / CLOCKS_PER_SEC, 1);
}

/* 256 times as many answers take some 256 times as long, and not 65536 times. The limit is far from both: a shared
 * machine's caches alone have made it three times as long. What stood still just then is measured again; work that
 * grows by the square exceeds the limit each time. */
static void
test_growth (void)
{
    JobEvent *(*const makes[]) (guint32 rank) = { make_text, make_value, make_registers };
    enum { N = 250, TIMES = 256, LIMIT = 32 * TIMES, ROUNDS = 3 };

    for (guint i = 0; i < 2 * G_N_ELEMENTS (makes); i++) {
        JobEvent *(*make) (guint32 rank) = makes[i / 2];
        gint64 once_us = G_MAXINT64, more_us = G_MAXINT64;
        guint round = 0;

        do {
            once_us = MIN (once_us, measure_merge (make, N, i % 2 == 1));
            more_us = MIN (more_us, measure_merge (make, TIMES * N, i % 2 == 1));
        } while (++round < ROUNDS && more_us >= LIMIT * once_us);
        g_test_message ("kind %u: %u in %" G_GINT64_FORMAT " us, %u in %" G_GINT64_FORMAT " us",
                        i, N, once_us, TIMES * N, more_us);
        g_assert_cmpint (more_us, <, LIMIT * once_us);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/event/states", test_states);
    g_test_add_func ("/job/event/output", test_output);
    g_test_add_func ("/job/event/order", test_order);
    g_test_add_func ("/job/event/merge-parts", test_merge_parts);
    g_test_add_func ("/job/event/wire", test_wire);
    g_test_add_func ("/job/event/contents", test_contents);
    g_test_add_func ("/job/event/cut", test_cut);
    g_test_add_func ("/job/event/empty-wire", test_empty_wire);
    g_test_add_func ("/job/event/damage", test_damage);
    g_test_add_func ("/job/event/failure", test_failure);
    g_test_add_func ("/job/event/growth", test_growth);
    return g_test_run ();
}
