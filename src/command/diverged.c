/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `show diverged`: where ranks were last together, where they are now, and which variables of
 * their common frame distinguish the parts. */
#include "command/private.h"
#include <string.h>

#define MAX_NAMES 4

static void
append_line (CommandJob *job, GString *text, const JobRankSet *ranks, const char *word,
             const JobLocation *location)
{
    g_autofree char *who = job_rank_set_format (ranks);
    g_autofree char *place = session_format_place (BASE_TEXT_ENGLISH, job->session, location);

    g_string_append_printf (text, "%s%s: %s%s%s", text->len > 0 ? "\n" : "", who, word,
                            *place != '\0' ? ", " : "", place);
}

/* The ranks of one place, a line for each of their states. */
static void
append_states (CommandJob *job, GString *text, const AnalysisPlaceGroup *group)
{
    g_autoptr (JobRankSet) rest = job_rank_set_dup (group->ranks);

    while (!job_rank_set_is_empty (rest)) {
        JobState state = session_get_rank (job->session, job_rank_set_get_lowest (rest)).state;
        g_autoptr (JobRankSet) equal = job_rank_set_new ();
        JobRankSet *others;

        JOB_EACH_RANK (rest, rank) {
            if (session_get_rank (job->session, rank).state == state) {
                job_rank_set_add (equal, rank);
            }
        }
        append_line (job, text, equal, job_state_get_info (state)->word, group->place);
        others = job_rank_set_subtract (rest, equal);
        job_rank_set_free (rest);
        rest = others;
    }
}

static void
append_groups (CommandJob *job, GString *text)
{
    g_autoptr (AnalysisFace) face = session_dup_face (job->session, job->set);

    BASE_EACH (face->groups, const AnalysisPlaceGroup, group) {
        if (face->kind == ANALYSIS_FACE_TOGETHER) {
            append_line (job, text, group->ranks, "together", group->place);
        } else {
            append_states (job, text, group);
        }
    }
}

/* In how many parts of the split has the value's group ranks? */
static guint
count_parts (const AnalysisSplit *split, const JobRankSet *ranks)
{
    guint n = 0;

    BASE_EACH (split->parts, const AnalysisPlaceGroup, part) {
        n += job_rank_set_intersects (part->ranks, ranks);
    }
    return n;
}

/* Its values differ between the parts and never cross them. */
static gboolean
tells_apart (const AnalysisSplit *split, const JobValueRow *row)
{
    return !BASE_HAS (row->groups, const JobValueGroup, group,
                      group->value->is_problem || count_parts (split, group->ranks) > 1)
           && row->groups->len > 1;
}

static void
append_names (GString *text, const AnalysisSplit *split, GPtrArray *answers)
{
    guint n = 0;

    BASE_EACH (answers, const JobEvent, event) {
        for (guint j = 0;
             job_event_get_table (event) != NULL && j < job_event_get_table (event)->rows->len;
             j++) {
            const JobValueRow *row = g_ptr_array_index (job_event_get_table (event)->rows, j);

            if (row->name == NULL || !tells_apart (split, row)) {
                continue;
            }
            n++;
            if (n <= MAX_NAMES) {
                g_string_append_printf (text, "%s %s", n == 1 ? "; they differ in" : ",",
                                        row->name);
            }
        }
    }
    if (n > MAX_NAMES) {
        g_string_append_printf (text, " and %u more", n - MAX_NAMES);
    }
}

static void
append_common (CommandJob *job, GString *text, const AnalysisSplit *split)
{
    g_autoptr (BaseText) common = job->queues != NULL
                                      ? session_format_common (job->queues, split->ranks)
                                      : NULL;

    if (common != NULL) {
        g_string_append_printf (text, "; %s", common->english);
    }
}

static void
append_split (CommandJob *job, GString *text, const AnalysisSplit *split)
{
    g_autofree char *ranks = job_rank_set_format (split->ranks);
    g_autofree char *common = session_format_place (BASE_TEXT_ENGLISH, job->session,
                                                    split->common);

    g_string_append_printf (text, "%s%s: last together, %s", text->len > 0 ? "\n" : "", ranks,
                            common);
    append_names (text, split, job->answers);
    append_common (job, text, split);
}

/* ---- without a recorded split ---- */

/* The nodes of the next frame inwards, when all ranks have one there and it is of one function. Takes
 * nothing; caller owns the list (unref). NULL: they part here. */
static GPtrArray *
dup_common_level (const GPtrArray *level, const JobRankSet *all)
{
    g_autoptr (GPtrArray) next = g_ptr_array_new ();
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    const char *function = NULL;

    BASE_EACH (level, const JobStackNode, node) {
        BASE_EACH (node->children, JobStackNode, child) {
            if (child->location.function == NULL
                || (function != NULL && strcmp (function, child->location.function) != 0)) {
                return NULL;
            }
            function = child->location.function;
            job_rank_set_merge (ranks, child->ranks);
            g_ptr_array_add (next, child);
        }
    }
    return next->len > 0 && job_rank_set_equal (ranks, all) ? g_steal_pointer (&next) : NULL;
}

/* "heat.c:40": the function is the same for all. */
static char *
format_line (const CommandJob *job, const JobLocation *place)
{
    g_autofree char *file = place->file != NULL && place->line > 0
                                ? session_dup_short_file (job->session, place->file)
                                : NULL;

    return file != NULL ? g_strdup_printf ("%s:%u", file, place->line)
                        : session_format_place (BASE_TEXT_ENGLISH, job->session, place);
}

/* "0-3: together as far as solve: 0,2 at heat.c:40, 1,3 at heat.c:52". A library's frames tell nobody where
 * the program parts. */
static void
append_frames (CommandJob *job, GString *text, const JobStackTree *tree)
{
    g_autoptr (GPtrArray) level = g_ptr_array_new ();
    g_autoptr (GPtrArray) found = NULL;
    const JobStackNode *first;
    g_autofree char *all = job_rank_set_format (tree->root->ranks);

    g_ptr_array_add (level, tree->root);
    for (GPtrArray *next; (next = dup_common_level (level, tree->root->ranks)) != NULL;) {
        first = g_ptr_array_index (next, 0);
        if (first->location.line > 0
            && !(first->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER))) {
            g_clear_pointer (&found, g_ptr_array_unref);
            found = g_ptr_array_ref (next);
        }
        g_ptr_array_unref (level);
        level = next;
    }
    if (found == NULL) {
        return;
    }
    first = g_ptr_array_index (found, 0);
    g_string_append_printf (text, "\n%s: together as far as %s", all, first->location.function);
    for (guint i = 0; i < found->len; i++) {
        const JobStackNode *node = g_ptr_array_index (found, i);
        g_autofree char *ranks = job_rank_set_format (node->ranks);
        g_autofree char *line = format_line (job, &node->location);

        g_string_append_printf (text, "%s", i == 0 ? (found->len > 1 ? ":" : "") : ",");
        if (found->len > 1) {
            g_string_append_printf (text, " %s", ranks);
        }
        g_string_append_printf (text, " at %s", line);
    }
}

static void
append_common_frames (CommandJob *job, GString *text)
{
    BASE_EACH (job->answers, const JobEvent, event) {
        if (event->kind == JOB_EVENT_STACKS && event->tree != NULL
            && job_rank_set_get_count (event->tree->root->ranks) > 1) {
            append_frames (job, text, event->tree);
        }
    }
}

/* What they had in common last all the same. */
static void
append_all_common (CommandJob *job, GString *text)
{
    g_autoptr (BaseText) common = job->queues != NULL
                                      ? session_format_common (job->queues, job->set)
                                      : NULL;
    g_autofree char *ranks = job_rank_set_format (job->set);
    g_autoptr (AnalysisFace) face = session_dup_face (job->session, job->set);

    if (face->is_together) {
        return;
    }
    append_common_frames (job, text);
    if (common != NULL) {
        g_string_append_printf (text, "\n%s: %s", ranks, common->english);
    }
}

static void
print_all (CommandJob *job)
{
    GPtrArray *splits = session_get_splits (job->session);
    g_autoptr (GString) text = g_string_new (NULL);
    gboolean has_split;

    BASE_EACH (splits, const AnalysisSplit, split) {
        if (job_rank_set_intersects (split->ranks, job->set)) {
            append_split (job, text, split);
        }
    }
    has_split = text->len > 0;
    append_groups (job, text);
    if (!has_split) {
        append_all_common (job, text);
    }
    command_job_answer (job, job->set, text->str);
    command_job_end (job);
}

/* Stopped ranks of splits that have not left the function in which they parted. */
static JobRankSet *
dup_comparable (CommandJob *job)
{
    GPtrArray *splits = session_get_splits (job->session);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    g_autoptr (JobRankSet) stopped = session_dup_ranks_in_state (job->session,
                                                                 JOB_STATE_STOPPED);

    BASE_EACH (splits, const AnalysisSplit, split) {
        gboolean same = job_rank_set_intersects (split->ranks, job->set);

        BASE_EACH (split->parts, const AnalysisPlaceGroup, part) {
            same &= g_strcmp0 (part->place->function, split->common->function) == 0;
        }
        if (same) {
            job_rank_set_merge (ranks, split->ranks);
        }
    }
    return job_rank_set_intersect (ranks, stopped);
}

static void
on_answers (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    print_all (job);
}

static gboolean
has_split (CommandJob *job)
{
    GPtrArray *splits = session_get_splits (job->session);

    return BASE_HAS (splits, const AnalysisSplit, split,
                     job_rank_set_intersects (split->ranks, job->set));
}

/* For recorded splits, variables distinguish the parts; for others, the stacks show how far the
 * ranks are together. */
static void
ask_more (CommandJob *job)
{
    g_autoptr (JobRankSet) ranks = dup_comparable (job);
    g_autoptr (JobRankSet) all = session_dup_ranks_in_state (job->session, JOB_STATE_STOPPED);
    g_autoptr (JobRankSet) stopped = job_rank_set_intersect (all, job->set);

    if (!job_rank_set_is_empty (ranks)) {
        command_job_query (job, job_request_new (JOB_VERB_LOCALS, ranks), on_answers);
    } else if (!has_split (job) && job_rank_set_get_count (stopped) > 1) {
        command_job_query (job, job_request_new (JOB_VERB_WHERE, stopped), on_answers);
    } else {
        print_all (job);
    }
}

static void
on_queues (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    job->queues = job_message_table_new ();
    BASE_EACH (job->answers, const JobEvent, event) {
        if (event->kind == JOB_EVENT_QUEUES && event->queues != NULL) {
            job_message_table_merge (job->queues, event->queues);
        }
    }
    g_ptr_array_set_size (job->answers, 0);
    ask_more (job);
}

void
command_run_show_diverged (CommandJob *job)
{
    GPtrArray *splits = session_get_splits (job->session);
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();

    BASE_EACH (splits, const AnalysisSplit, split) {
        if (job_rank_set_intersects (split->ranks, job->set)) {
            job_rank_set_merge (ranks, split->ranks);
        }
    }
    if (job_rank_set_is_empty (ranks)) {
        job_rank_set_merge (ranks, job->set);
    }
    command_job_query (job, job_request_new (JOB_VERB_QUEUE, ranks), on_queues);
}
