/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots and ranks: cyclic placement, where a host's slots are every second rank. */
#include "session/private.h"

static JobRankSet *
parse (const char *text)
{
    return job_rank_set_parse (text, 1000, NULL);
}

static void
assert_set (const JobRankSet *set, const char *expected)
{
    g_autofree char *text = job_rank_set_format (set);

    g_assert_cmpstr (text, ==, expected);
}

/* One host's report: slots [first, end), ranks from `rank` on with a step of 2. */
static void
report (Session *session, const char *slots, guint32 rank)
{
    g_autoptr (JobRankSet) set = parse (slots);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_RANKS, 0, set);

    event->processes = job_process_list_new ();
    for (guint32 i = 0; i < job_rank_set_get_count (set); i++) {
        const JobProcess process
            = { .slot = i /* as the host counts */, .rank = rank + 2 * i, .size = 8 };

        job_process_list_add (event->processes, &process);
    }
    session_slots_learn (session, event);
}

static void
test_cyclic (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) slots = parse ("0-3");
    g_autoptr (JobRankSet) ranks = NULL, back = NULL;

    report (session, "0-3", 0);
    report (session, "4-7", 1);
    ranks = session_slots_to_ranks (session, slots);
    assert_set (ranks, "0-6/2");
    back = session_slots_from_ranks (session, ranks);
    assert_set (back, "0-3");
}

static void
test_event (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) slots = parse ("4-5");
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_VALUES, 3, slots),
                         stacks = job_event_new (JOB_EVENT_STACKS, 3, slots);
    g_autoptr (JobValue) value = job_value_new_number (NULL, "int", "3", 3);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    JobFrame *frame = job_frame_new ();
    JobValueRow *row;

    frame->location.function = g_strdup ("main");
    g_ptr_array_add (frames, frame);
    event->table = job_value_table_new ();
    job_value_table_add (event->table, "x", slots, value);
    job_value_table_add (event->table, "y", slots, value);
    job_value_row_cut (g_ptr_array_index (event->table->rows, 1), 0, 0);
    stacks->tree = job_stack_tree_new ();
    job_stack_tree_add (stacks->tree, frames, slots);
    report (session, "0-3", 0);
    report (session, "4-7", 1);
    session_slots_map_event (session, event);
    session_slots_map_event (session, stacks);
    assert_set (event->ranks, "1,3");
    row = g_ptr_array_index (event->table->rows, 0);
    assert_set (((JobValueGroup *) g_ptr_array_index (row->groups, 0))->ranks, "1,3");
    row = g_ptr_array_index (event->table->rows, 1);
    assert_set (row->rest->ranks, "1,3");
    g_assert_cmpuint (row->rest->numbers.min_rank, ==, 1);
    assert_set (stacks->tree->root->ranks, "1,3");
    assert_set (((JobStackNode *) g_ptr_array_index (stacks->tree->root->children, 0))->ranks,
                "1,3");
}

/* Hosts that came in another order than that of their ranks, which are without gaps on each. */
static void
test_blocks (void)
{
    enum { HOSTS = 16, EACH = 1000, BLOCK = 65536, RANKS = HOSTS * EACH };
    g_autoptr (SessionSlotMap) map = session_slot_map_new ();
    g_autoptr (JobRankSet) some = job_rank_set_new ();
    g_autoptr (JobRankSet) slots = NULL, back = NULL, again = NULL;

    for (guint32 rank = 0; rank < RANKS; rank++) {
        session_slot_map_add (map, rank / EACH * 7 % HOSTS * BLOCK + rank % EACH, rank);
    }
    job_rank_set_add_range (some, 900, 2100);
    job_rank_set_add_range (some, 5000, 6001);
    job_rank_set_add_range (some, RANKS - 1, RANKS + 10);
    slots = session_slot_map_to_slots (map, some);
    g_assert_cmpuint (job_rank_set_get_count (slots), ==, 1200 + 1001 + 1);
    for (guint32 rank = 0; rank < RANKS; rank++) {
        guint32 slot = rank / EACH * 7 % HOSTS * BLOCK + rank % EACH;

        g_assert_cmpint (job_rank_set_contains (slots, slot), ==,
                         job_rank_set_contains (some, rank));
    }
    back = session_slot_map_to_ranks (map, slots);
    job_rank_set_clear (some);
    job_rank_set_add_range (some, 900, 2100);
    job_rank_set_add_range (some, 5000, 6001);
    job_rank_set_add (some, RANKS - 1);
    g_assert_true (job_rank_set_equal (back, some));
    session_slot_map_add (map, 40 * BLOCK, 950); /* the rank came again elsewhere */
    again = session_slot_map_to_slots (map, some);
    g_assert_cmpuint (job_rank_set_get_count (again), ==, 1200 + 1001 + 1);
    g_assert_true (job_rank_set_contains (again, 40 * BLOCK));
    g_assert_false (job_rank_set_contains (again, 950));
}

/* Sixty-four hosts with blocks of slots far apart, ranks placed in turn, against plain arrays. */
static void
test_map (void)
{
    enum { HOSTS = 64, EACH = 500, BLOCK = 65536, RANKS = HOSTS * EACH };
    g_autoptr (SessionSlotMap) map = session_slot_map_new ();
    g_autoptr (JobRankSet) odd = job_rank_set_new (), some = parse ("3,70-75,200");
    g_autoptr (JobRankSet) slots = NULL, back = NULL, few = NULL, few_back = NULL;

    for (guint32 i = 0; i < EACH; i++) {
        for (guint32 host = 0; host < HOSTS; host++) {
            session_slot_map_add (map, host * BLOCK + i, i * HOSTS + host);
        }
    }
    for (guint32 rank = 1; rank < RANKS; rank += 2) {
        job_rank_set_add (odd, rank);
    }
    slots = session_slot_map_to_slots (map, odd);
    g_assert_cmpuint (job_rank_set_get_count (slots), ==, RANKS / 2);
    for (guint32 rank = 0; rank < RANKS; rank++) {
        guint32 slot = rank % HOSTS * BLOCK + rank / HOSTS;

        g_assert_cmpuint (session_slot_map_find_rank (map, slot), ==, rank);
        g_assert_cmpint (job_rank_set_contains (slots, slot), ==, rank % 2);
    }
    back = session_slot_map_to_ranks (map, slots);
    g_assert_true (job_rank_set_equal (back, odd));
    few = session_slot_map_to_slots (map, some);
    few_back = session_slot_map_to_ranks (map, few);
    g_assert_true (job_rank_set_equal (few_back, some));
    g_assert_cmpuint (session_slot_map_find_rank (map, EACH), ==, G_MAXUINT32);
}

/* A slot that nobody has reported is nobody. */
static void
test_unknown (void)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (JobRankSet) slots = parse ("2-20");
    g_autoptr (JobRankSet) ranks = NULL;

    report (session, "0-3", 0);
    ranks = session_slots_to_ranks (session, slots);
    assert_set (ranks, "4,6");
}

static guint32
report_child (Session *session, guint32 slot, guint32 parent)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (slot, slot + 1);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_RANKS, 0, set);
    const JobProcess process = { .slot = slot, .rank = 1, .size = 8, .parent = parent + 1 };

    event->processes = job_process_list_new ();
    job_process_list_add (event->processes, &process);
    session_children_number (session, event);
    session_slots_learn (session, event);
    session_ranks_grow (session, JOB_PROCESS (event->processes, 0)->rank + 1);
    return JOB_PROCESS (event->processes, 0)->rank;
}

static void
set_point (Session *session, JobVerb verb, guint32 number, const char *ranks)
{
    g_autoptr (JobRankSet) set = parse (ranks);
    g_autoptr (JobRequest) request = job_request_new (verb, set);

    request->number = number;
    session_breakpoints_apply_request (session, request);
}

/* Children have numbers after all others, which they keep, and their parents' breakpoints. */
static void
test_children (void)
{
    g_autoptr (Session) session = session_new ();
    const SessionBreakpoint *all, *one;

    report (session, "0-3", 0);
    report (session, "4-7", 1);
    session_ranks_grow (session, 8);
    set_point (session, JOB_VERB_BREAK, 1, "0-7");
    set_point (session, JOB_VERB_BREAK, 2, "0");
    set_point (session, JOB_VERB_WATCH, 3, "1");
    set_point (session, JOB_VERB_DISABLE, 1, "1,3");
    g_assert_cmpuint (report_child (session, 8, 4), ==, 8); /* of rank 1 */
    g_assert_cmpuint (report_child (session, 9, 0), ==, 9);
    g_assert_cmpuint (report_child (session, 8, 4), ==, 8);   /* after an exec */
    g_assert_cmpuint (report_child (session, 10, 8), ==, 10); /* a child's child */
    g_assert_cmpuint (session_get_size (session), ==, 11);
    all = g_ptr_array_index (session_get_breakpoints (session), 0);
    one = g_ptr_array_index (session_get_breakpoints (session), 1);
    assert_set (all->ranks, "0-10");
    assert_set (all->disabled, "1,3,8,10");
    assert_set (one->ranks, "0,9");
    assert_set (((const SessionBreakpoint *)
                     g_ptr_array_index (session_get_breakpoints (session), 2))
                    ->ranks,
                "1");
    session_children_forget (session);
    assert_set (all->ranks, "0-7");
    assert_set (all->disabled, "1,3");
    assert_set (one->ranks, "0");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/slots/map", test_map);
    g_test_add_func ("/session/slots/blocks", test_blocks);
    g_test_add_func ("/session/slots/cyclic", test_cyclic);
    g_test_add_func ("/session/slots/event", test_event);
    g_test_add_func ("/session/slots/unknown", test_unknown);
    g_test_add_func ("/session/slots/children", test_children);
    return g_test_run ();
}
