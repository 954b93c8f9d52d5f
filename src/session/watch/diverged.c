/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records which ranks were together and where they diverged. Compares when the motions of a
 * group have ended, so that a late member counts as pending, not as diverged. `catch
 * divergence` steps ranks line by line until they diverge. */
#include "session/private.h"
#include "analysis/common.h"
#include <string.h>

struct _SessionDiverged {
    GPtrArray
        *together;     /* of AnalysisPlaceGroup: those that stood together at their last stop */
    GPtrArray *splits; /* of AnalysisSplit, oldest first */
    JobRankSet *marching;    /* they go on line by line until they part; NULL nobody */
    gboolean is_marching_on; /* the next line is being asked for */
    guint source;
    guint pause_ms; /* that the last look has earned */
};

#define SETTLE_MS 10
#define SETTLE_PAUSE 10 /* times the duration of a check, so that other work is not delayed */

/* "a.c:12": where a part is, in the function that all were in. */
static char *
format_part (BaseTextForm form, const Session *session, const JobLocation *place)
{
    g_autofree char *file = place != NULL && place->file != NULL
                                ? session_dup_short_file (session, place->file)
                                : NULL;

    return file != NULL ? g_strdup_printf ("%s:%u", file, place->line)
                        : session_format_place (form, session, place);
}

static char *
print_parted (BaseTextForm form, const Session *session, const AnalysisSplit *split,
              guint32 number)
{
    g_autofree char *common = session_format_place (form, session, split->common);
    g_autofree char *list = g_strdup ("");

    for (guint i = 0; i < split->parts->len; i++) {
        const AnalysisPlaceGroup *part = g_ptr_array_index (split->parts, i);
        g_autofree char *ranks = job_rank_set_format (part->ranks), *before = list;
        g_autofree char *place = format_part (form, session, part->place);
        /* Translators: ranks and their line: "0,2 at app.c:12". */
        g_autofree char *one = base_text_print_in (form, "ranks and their line", "%s at %s",
                                                   ranks, place);

        /* Translators: where some ranks are, and where others are. */
        list = i > 0 ? base_text_print_in (form, "places", "%s, %s", before, one)
                     : g_steal_pointer (&one);
    }
    /* Translators: the number of the breakpoint that watches for it, a function with its line, and where which ranks are
       now: "divergence (breakpoint 1): last together in main at app.c:11: 0 at app.c:12, 1 at app.c:14". */
    return base_text_print (form, "divergence (breakpoint %u): last together in %s: %s", number,
                            common, list);
}

static void
say_parted (Session *session, const AnalysisSplit *split, guint32 number)
{
    session_note (session, split->ranks,
                  base_text_new_take (print_parted (BASE_TEXT_ENGLISH, session, split, number),
                                      print_parted (BASE_TEXT_SHOWN, session, split, number)));
}

/* ---- stepping until they diverge ---- */

static void
end_march (Session *session)
{
    g_clear_pointer (&session->watch->diverged->marching, job_rank_set_free);
}

static void
march_on (Session *session)
{
    JobRequest *request = job_request_new (JOB_VERB_STEP, session->watch->diverged->marching);

    request->count = 1;
    session->watch->diverged->is_marching_on = TRUE;
    session_submit (session, request);
    session->watch->diverged->is_marching_on = FALSE;
}

/* A breakpoint, an exception, a signal or an end takes precedence over the next line. */
static gboolean
is_interrupted (Session *session)
{
    JOB_EACH_RANK_BELOW (session->watch->diverged->marching, rank, session->ranks->size) {
        if (session->ranks->states[rank] != JOB_STATE_STOPPED) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
session_is_marching (const Session *session, const JobRankSet *ranks)
{
    return session->watch->diverged->marching != NULL
           && job_rank_set_is_subset (ranks, session->watch->diverged->marching);
}

void
session_diverged_add_marching (const Session *session, const JobRankSet *set, JobRankSet *ranks)
{
    if (session->watch->diverged->marching != NULL) {
        g_autoptr (JobRankSet) marching
            = job_rank_set_intersect (session->watch->diverged->marching, set);

        job_rank_set_merge (ranks, marching);
    }
}

/* ---- looking ---- */

static AnalysisPlaceGroup *
add_group (GPtrArray *groups, GHashTable *by_place, const SessionFact *fact)
{
    AnalysisPlaceGroup *group = g_hash_table_lookup (by_place, fact->place);

    if (group == NULL) {
        group = g_new0 (AnalysisPlaceGroup, 1);
        group->ranks = job_rank_set_new ();
        group->place = job_location_dup (fact->place);
        group->state = fact->state;
        g_hash_table_insert (by_place, (gpointer) fact->place, group);
        g_ptr_array_add (groups, group);
    }
    return group;
}

/* Groups of all stopped ranks by place, without ranks in motion. One pass over facts instead of
 * ranks, because there may be a million ranks in random order. */
static GPtrArray *
group_ranks (Session *session)
{
    GPtrArray *groups = analysis_groups_new ();
    g_autoptr (GHashTable) by_place = g_hash_table_new (NULL, NULL);
    g_autofree AnalysisPlaceGroup **of_fact = g_new0 (AnalysisPlaceGroup *,
                                                      session->ranks->facts->len);
    const guint32 *facts = session->ranks->fact_indexes;

    for (guint i = 0; i < session->ranks->facts->len; i++) {
        const SessionFact *fact = g_ptr_array_index (session->ranks->facts, i);

        if (job_state_get_info (fact->state)->is_stopped) {
            of_fact[i] = add_group (groups, by_place, fact);
        }
    }
    for (guint32 rank = 0, end; rank < session->ranks->size; rank = end) {
        AnalysisPlaceGroup *group = of_fact[facts[rank]];

        for (end = rank + 1; end < session->ranks->size && of_fact[facts[end]] == group;
             end++) {
        }
        if (group != NULL) {
            job_rank_set_add_range (group->ranks, rank, end);
        }
    }
    for (guint i = groups->len; i > 0; i--) {
        const AnalysisPlaceGroup *group = g_ptr_array_index (groups, i - 1);

        if (job_rank_set_is_empty (group->ranks)) {
            g_ptr_array_remove_index (groups, i - 1);
        }
    }
    return groups;
}

/* Groups without a moving rank, from the list of those that were together. */
static GPtrArray *
take_settled (Session *session)
{
    GPtrArray *settled = analysis_groups_dup (session->watch->diverged->together);

    for (guint i = settled->len; i > 0; i--) {
        const AnalysisPlaceGroup *group = g_ptr_array_index (settled, i - 1);

        if (session_ranks_are_moving (session, group->ranks)) {
            g_ptr_array_remove_index (settled, i - 1);
        } else {
            g_ptr_array_remove_index (session->watch->diverged->together, i - 1);
        }
    }
    return settled;
}

/* Stopped ranks form the groups of the next comparison; moving ones keep theirs. */
static void
keep_groups (Session *session, GPtrArray *now)
{
    g_autoptr (JobRankSet) pending = job_rank_set_new ();

    BASE_EACH (session->watch->diverged->together, const AnalysisPlaceGroup, group) {
        job_rank_set_merge (pending, group->ranks);
    }
    BASE_EACH (now, AnalysisPlaceGroup, group) {
        JobRankSet *rest = job_rank_set_subtract (group->ranks, pending);

        job_rank_set_free (group->ranks);
        group->ranks = rest;
    }
    while (now->len > 0) {
        AnalysisPlaceGroup *group = g_ptr_array_steal_index (now, now->len - 1);

        g_ptr_array_add (session->watch->diverged->together, group);
    }
}

static gboolean
is_catch (const SessionBreakpoint *breakpoint)
{
    return strcmp (breakpoint->kind, "catch") == 0
           && g_strcmp0 (breakpoint->where.function, "divergence") == 0;
}

static guint32
find_catch (Session *session, const JobRankSet *ranks)
{
    return BASE_PICK (session->breakpoints->all, const SessionBreakpoint, breakpoint,
                      is_catch (breakpoint)
                          && session_breakpoint_is_enabled (breakpoint, ranks),
                      breakpoint->number, 0);
}

static void
note_splits (Session *session, GPtrArray *splits, GPtrArray *now)
{
    for (guint i = session->watch->diverged->splits->len; i > 0; i--) {
        if (analysis_split_is_over (g_ptr_array_index (session->watch->diverged->splits, i - 1),
                                    now)) {
            g_ptr_array_remove_index (session->watch->diverged->splits, i - 1);
        }
    }
    while (splits->len > 0) {
        AnalysisSplit *split = g_ptr_array_steal_index (splits, 0);
        guint32 number = find_catch (session, split->ranks);

        g_ptr_array_add (session->watch->diverged->splits, split);
        if (session->watch->diverged->marching != NULL
            && job_rank_set_intersects (session->watch->diverged->marching, split->ranks)) {
            end_march (session);
        }
        if (number != 0) {
            say_parted (session, split, number);
        }
    }
}

static gboolean
on_settled (gpointer data)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (data));
    g_autoptr (GPtrArray) settled = NULL, now = NULL, splits = NULL;
    gint64 begin_us = g_get_monotonic_time ();

    session->watch->diverged->source = 0;
    now = group_ranks (session);
    settled = take_settled (session);
    splits = analysis_divergence_compare (settled, now);
    note_splits (session, splits, now);
    keep_groups (session, now);
    session->watch->diverged->pause_ms = (guint) ((g_get_monotonic_time () - begin_us) / 1000)
                                         * SETTLE_PAUSE;
    if (session->watch->diverged->marching != NULL
        && !session_ranks_are_moving (session, session->watch->diverged->marching)) {
        if (is_interrupted (session)) {
            end_march (session);
        } else {
            march_on (session);
        }
    }
    return G_SOURCE_REMOVE;
}

void
session_diverged_note_state (Session *session, const JobEvent *event)
{
    const JobStateInfo *info = job_state_get_info (event->state);

    if ((event->flags & JOB_EVENT_FRESH) || info->is_moving) {
        return;
    }
    if (session->watch->diverged->marching != NULL && event->state != JOB_STATE_STOPPED
        && job_rank_set_intersects (session->watch->diverged->marching, event->ranks)) {
        end_march (session);
    }
    if (session->watch->diverged->source == 0) {
        session->watch->diverged->source
            = g_timeout_add (MAX (SETTLE_MS, session->watch->diverged->pause_ms), on_settled,
                             session);
    }
}

/* ---- what the user asks ---- */

gboolean
session_diverged_is_own (const Session *session, const JobRequest *request)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (session, request->number);

    switch (request->verb) {
    case JOB_VERB_CATCH: return g_strcmp0 (request->text, "divergence") == 0;
    case JOB_VERB_DELETE:
    case JOB_VERB_ENABLE:
    case JOB_VERB_DISABLE: return breakpoint != NULL && is_catch (breakpoint);
    default: return FALSE;
    }
}

gboolean
session_march (Session *session, const JobRankSet *set)
{
    g_autoptr (JobRankSet) caught = job_rank_set_new ();

    BASE_EACH (session->breakpoints->all, const SessionBreakpoint, breakpoint) {
        if (is_catch (breakpoint)) {
            g_autoptr (JobRankSet) enabled = job_rank_set_subtract (breakpoint->ranks,
                                                                    breakpoint->disabled);

            job_rank_set_merge (caught, enabled);
        }
    }
    if (job_rank_set_is_empty (caught) || !job_rank_set_is_subset (set, caught)) {
        return FALSE;
    }
    end_march (session);
    session->watch->diverged->marching = job_rank_set_dup (set);
    march_on (session);
    return TRUE;
}

void
session_diverged_cancel (Session *session, const JobRankSet *ranks)
{
    if (session->watch->diverged->marching != NULL && !session->watch->diverged->is_marching_on
        && job_rank_set_intersects (session->watch->diverged->marching, ranks)) {
        end_march (session);
    }
}

BaseText *
session_format_common (const JobMessageTable *table, const JobRankSet *ranks)
{
    return analysis_common_format (table, ranks);
}

GPtrArray *
session_get_splits (const Session *session)
{
    return session->watch->diverged->splits;
}

void
session_diverged_init (Session *session)
{
    session->watch->diverged = g_new0 (SessionDiverged, 1);
    session->watch->diverged->splits
        = g_ptr_array_new_with_free_func ((GDestroyNotify) analysis_split_free);
    session->watch->diverged->together = analysis_groups_new ();
}

void
session_diverged_clear (Session *session)
{
    g_clear_handle_id (&session->watch->diverged->source, g_source_remove);
    end_march (session);
    g_ptr_array_unref (session->watch->diverged->splits);
    g_ptr_array_unref (session->watch->diverged->together);
    g_clear_pointer (&session->watch->diverged, g_free);
}
