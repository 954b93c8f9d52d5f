/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a SET that only the ranks can answer: which ranks to ask, and what their answers
 * mean. A rank that does not answer is neither in the set nor outside it: it is named. */
#include "command/private.h"

static void
keep_true (JobRankSet *answer, const JobValueTable *table)
{
    BASE_EACH (table->rows, const JobValueRow, row) {
        BASE_EACH (row->groups, const JobValueGroup, group) {
            if (job_value_is_true (group->value)) {
                job_rank_set_merge (answer, group->ranks);
            }
        }
    }
}

/* Those that have the function somewhere on their stack. */
static void
keep_in_function (JobRankSet *answer, JobStackNode *root, const char *function)
{
    g_autoptr (GPtrArray) open = g_ptr_array_new ();

    g_ptr_array_add (open, root);
    while (open->len > 0) {
        JobStackNode *node = g_ptr_array_remove_index_fast (open, open->len - 1);

        if (job_where_match_function (function, node->location.function)) {
            job_rank_set_merge (answer, node->ranks);
        }
        for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
            g_ptr_array_add (open, g_ptr_array_index (node->children, i));
        }
    }
}

/* Those whose stack ends where that of `rank` ends. */
static void
keep_same (JobRankSet *answer, JobStackNode *node, guint32 rank)
{
    gboolean found = TRUE;

    while (found) {
        found = FALSE;
        for (guint i = 0; node->children != NULL && i < node->children->len && !found; i++) {
            JobStackNode *child = g_ptr_array_index (node->children, i);

            if (job_rank_set_contains (child->ranks, rank)) {
                node = child;
                found = TRUE;
            }
        }
    }
    if (job_rank_set_contains (node->ranks, rank)) {
        g_autoptr (JobRankSet) same = job_rank_set_dup (node->ranks);

        BASE_EACH (node->children, JobStackNode, child) {
            JobRankSet *rest = job_rank_set_subtract (same, child->ranks);

            job_rank_set_free (same);
            same = rest;
        }
        job_rank_set_merge (answer, same);
    }
}

JobRankSet *
command_set_dup_next (Session *session, guint32 rank)
{
    JobRankSet *set = job_rank_set_new ();

    if (rank > 0) {
        job_rank_set_add (set, rank - 1);
    }
    if (rank + 1 < session_get_size (session)) {
        job_rank_set_add (set, rank + 1);
    }
    return set;
}

/* By the Cartesian communicator that spans most ranks, the first of them; else by number. */
static JobRankSet *
find_neighbours (Session *session, const JobMessageTable *table, guint32 rank)
{
    const JobMessageQueue *queue = job_message_table_find (table, rank);
    const JobMessageCommunicator *best = NULL;

    for (guint i = 0; queue != NULL && i < queue->communicators->len; i++) {
        const JobMessageCommunicator *known = g_ptr_array_index (queue->communicators, i);

        if ((known->flags & JOB_MESSAGE_COMMUNICATOR_CARTESIAN) && known->local_rank >= 0
            && (best == NULL || known->size > best->size)) {
            best = known;
        }
    }
    return best != NULL
               ? job_message_communicator_dup_neighbours (best, (guint32) best->local_rank)
               : command_set_dup_next (session, rank);
}

static JobRankSet *
dup_living (Session *session)
{
    g_autoptr (JobRankSet) stopped = session_dup_ranks_in_state (session, JOB_STATE_STOPPED);
    g_autoptr (JobRankSet) moving = session_dup_ranks_in_state (session, JOB_STATE_RUNNING);

    return job_rank_set_union (stopped, moving);
}

JobRankSet *
command_set_dup_asked (Session *session, const CommandSetQuestion *question)
{
    g_autoptr (JobRankSet) living = dup_living (session);
    g_autoptr (JobRankSet) one = NULL;

    if (question->ask != COMMAND_ASK_NEAR) {
        return g_steal_pointer (&living);
    }
    one = job_rank_set_new_range (question->rank, question->rank + 1);
    return job_rank_set_intersect (one, living);
}

/* Ranks for which the answer is a reason why there is none. */
static void
name_problems (CommandJob *job, const CommandSetQuestion *question, const JobValueTable *table)
{
    BASE_EACH (table->rows, const JobValueRow, row) {
        BASE_EACH (row->groups, const JobValueGroup, group) {
            if (group->value->is_problem) {
                command_job_fail (job, group->ranks, "cannot evaluate where (%s): %s",
                                  question->text,
                                  group->value->text != NULL ? group->value->text : "no value");
            }
        }
    }
}

static void
name_failures (CommandJob *job, const JobRankSet *missing)
{
    BASE_EACH (job->answers, const JobEvent, event) {
        if (event->kind == JOB_EVENT_FAILURE) {
            command_job_fail (job, event->ranks, "%s", event->text);
        }
    }
    if (!job_rank_set_is_empty (missing)) {
        if (job->missing == NULL) {
            job->missing = job_rank_set_new ();
        }
        job_rank_set_merge (job->missing, missing);
        command_job_fail_missing (job, missing);
    }
}

void
command_set_take_answers (CommandJob *job, CommandSetQuestion *question,
                          const JobRankSet *missing)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();
    g_autoptr (JobMessageTable) queues = job_message_table_new ();

    question->known = TRUE;
    question->answer = job_rank_set_new ();
    BASE_EACH (job->answers, const JobEvent, event) {
        if (event->kind == JOB_EVENT_VALUES && event->table != NULL) {
            keep_true (question->answer, event->table);
            name_problems (job, question, event->table);
        } else if (event->kind == JOB_EVENT_STACKS && event->tree != NULL) {
            job_stack_tree_merge (tree, event->tree);
        } else if (event->kind == JOB_EVENT_QUEUES && event->queues != NULL) {
            job_message_table_merge (queues, event->queues);
        }
    }
    if (question->ask == COMMAND_ASK_NEAR) {
        g_autoptr (JobRankSet) near = find_neighbours (job->session, queues, question->rank);

        job_rank_set_merge (question->answer, near);
        return;
    }
    if (question->ask == COMMAND_ASK_IN) {
        keep_in_function (question->answer, tree->root, question->text);
    } else if (question->ask == COMMAND_ASK_SAME) {
        keep_same (question->answer, tree->root, question->rank);
    }
    name_failures (job, missing);
}
