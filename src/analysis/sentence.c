/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a verdict: a short explanation as an expert would give it, and the command that
 * would free the ranks. */
#include "analysis/calls.h"
#include "analysis/verdict-private.h"
#include "analysis/windows.h"
#include <string.h>

#define MAX_STEPS 4  /* of a path or a cycle that are spelt out */
#define MAX_GROUPS 3 /* places that are spelt out */
#define WHERE_IT ", where it "

static gboolean
is_one (const JobRankSet *ranks)
{
    return job_rank_set_get_count (ranks) == 1;
}

static AnalysisVerdictPart *
add_part (AnalysisVerdict *verdict, const JobRankSet *ranks, const JobMessageCall *call,
          const JobLocation *place, gboolean is_culprit)
{
    AnalysisVerdictPart *part = g_new0 (AnalysisVerdictPart, 1);

    part->ranks = job_rank_set_dup (ranks);
    part->call = g_strdup (call != NULL ? call->name : NULL);
    part->place = job_location_dup (place);
    part->is_culprit = is_culprit;
    g_ptr_array_add (verdict->parts, part);
    return part;
}

static void
note_source (AnalysisVerdict *verdict, const AnalysisWaits *waits, guint32 rank)
{
    const JobMessageQueue *queue = waits->ranks[rank].queue;

    if (queue == NULL) {
        return;
    }
    verdict->source = MIN (verdict->source, queue->source);
    if (queue->source != JOB_MESSAGE_SOURCE_RECORDER || queue->remark != NULL
        || (queue->flags & (JOB_MESSAGE_QUEUE_INCOMPLETE | JOB_MESSAGE_QUEUE_CHANGING))) {
        verdict->is_certain = FALSE;
    }
}

/* ---- the way: who waits, and where ---- */

static void
append_step (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits,
             const AnalysisStep *step, gboolean is_first)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (step->rank, step->rank + 1);
    const JobRankSet *ranks = is_first && !job_rank_set_is_empty (verdict->waiting)
                                  ? verdict->waiting
                                  : one;
    g_autofree char *words = analysis_sentence_format_step (waits, step);
    g_autofree char *rank_text = job_rank_set_format (ranks);

    add_part (verdict, ranks, step->call, step->call->place, FALSE);
    if (is_first) {
        const char *verb = verdict->is_certain ? is_one (ranks) ? "waits" : "wait"
                           : is_one (ranks)    ? "appears to wait"
                                               : "appear to wait";

        g_string_append_printf (text, "%s %s in %s", rank_text, verb, words);
    } else {
        g_string_append_printf (text, "; %s in %s", rank_text, words);
    }
}

static void
append_way (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits, GArray *way)
{
    guint n_waiting = 0;

    for (guint i = 0; i < way->len && g_array_index (way, AnalysisStep, i).call != NULL; i++) {
        n_waiting++;
    }
    for (guint i = 0; i < n_waiting; i++) {
        if (i < MAX_STEPS - 1 || i == n_waiting - 1) {
            append_step (text, verdict, waits, &g_array_index (way, AnalysisStep, i), i == 0);
        } else if (i == MAX_STEPS - 1) {
            g_string_append_printf (text, "; and so on over %u more", n_waiting - MAX_STEPS);
        }
    }
}

/* ---- culprits, grouped by their description ---- */

static char *
describe_ended (const AnalysisWaits *waits, guint32 rank)
{
    const AnalysisRank *r = &waits->ranks[rank];

    if (r->state == JOB_STATE_EXITED) {
        return g_strdup ("has exited 0");
    }
    if (r->state == JOB_STATE_FAILED) {
        return r->text != NULL ? g_strdup_printf ("has failed %s", r->text)
                               : g_strdup_printf ("has failed %d", r->number);
    }
    if (r->state == JOB_STATE_LOST) {
        return g_strdup ("is lost");
    }
    for (guint i = 0; r->queue != NULL && i < r->queue->calls->len; i++) {
        const JobMessageCall *call = g_ptr_array_index (r->queue->calls, i);

        if (call->kind == JOB_MESSAGE_FINALIZE) {
            g_autofree char *line = analysis_format_line (call->place);

            return g_strdup_printf ("is in MPI_Finalize%s", line);
        }
    }
    return g_strdup ("has left MPI");
}

static gboolean
has_left (const AnalysisRank *rank)
{
    const JobMessageCall *call = rank->queue != NULL && rank->queue->calls->len > 0
                                     ? g_ptr_array_index (rank->queue->calls, 0)
                                     : NULL;

    return (call != NULL && call->kind == JOB_MESSAGE_FINALIZE)
           || (rank->queue != NULL && (rank->queue->flags & JOB_MESSAGE_QUEUE_FINALIZED));
}

static const JobMessageCall *
find_poll (const JobMessageQueue *queue)
{
    const JobMessageCall *call = NULL;

    if (queue != NULL && queue->calls->len > 0) {
        call = job_message_queue_find_call (queue);
    } else if (queue != NULL && queue->recent->len > 0) {
        call = g_ptr_array_index (queue->recent, queue->recent->len - 1);
    }
    return call != NULL && call->kind == JOB_MESSAGE_POLL ? call : NULL;
}

/* Is it for the request of a send? */
static gboolean
is_poll_of_send (const JobMessageQueue *queue, const JobMessageCall *poll)
{
    guint32 index = poll->waits->len == 1 ? g_array_index (poll->waits, guint32, 0)
                                          : G_MAXUINT32;

    return index < queue->operations->len
           && ((JobMessageOperation *) g_ptr_array_index (queue->operations, index))->kind
                  == JOB_MESSAGE_SEND;
}

/* "MPI_Test from 1, tag 3 (a.c:7), while 1 is in MPI_Finalize" */
static char *
format_poll (const AnalysisWaits *waits, const JobMessageQueue *queue,
             const JobMessageCall *poll)
{
    const AnalysisRank *peer = poll->peer >= 0 && (guint32) poll->peer < waits->n_ranks
                                   ? &waits->ranks[poll->peer]
                                   : NULL;
    g_autofree char *line = analysis_format_line (poll->place);
    g_autofree char *message
        = poll->peer != JOB_MESSAGE_NONE
              ? analysis_sentence_format_message (waits,
                                                  is_poll_of_send (queue, poll)
                                                      ? JOB_MESSAGE_SEND
                                                      : JOB_MESSAGE_RECV,
                                                  poll->peer, poll->tag, poll->communicator)
              : g_strdup ("");

    if (peer != NULL && (job_state_get_info (peer->state)->is_ended || has_left (peer))) {
        g_autofree char *ended = describe_ended (waits, (guint32) poll->peer);

        return g_strdup_printf ("%s%s%s, while %d %s", poll->name, message, line, poll->peer,
                                ended);
    }
    return g_strdup_printf ("%s%s%s", poll->name, message, line);
}

/* Inside it or at its line: else it may do something else between two polls. */
static gboolean
is_at (const AnalysisRank *rank, const JobMessageCall *poll)
{
    return rank->queue->calls->len > 0 || rank->place == NULL || poll->place == NULL
           || rank->place->line == poll->place->line;
}

static char *
describe_mover (AnalysisVerdict *verdict, const AnalysisWaits *waits, guint32 rank)
{
    const AnalysisRank *r = &waits->ranks[rank];
    const JobMessageCall *poll = find_poll (r->queue);
    g_autofree char *place = analysis_sentence_format_place (r->place);
    g_autofree char *polled = poll != NULL ? format_poll (waits, r->queue, poll) : NULL;
    g_autofree char *after = poll != NULL ? g_strdup_printf (" after %s", polled)
                                          : g_strdup ("");

    if (r->place == NULL && job_state_get_info (r->state)->is_moving) {
        job_rank_set_add (verdict->placeless, rank);
    }
    if (r->queue != NULL && r->queue->system_call != NULL) {
        return g_strconcat (r->queue->system_call, place, after, NULL);
    }
    if (r->moved) {
        return g_strdup_printf ("is making progress%s", place);
    }
    if (poll != NULL && is_at (r, poll)) {
        return g_strdup_printf ("polls with %s", polled);
    }
    if (r->place != NULL && analysis_calls_find_kind (r->place->function) == JOB_MESSAGE_POLL) {
        return g_strdup_printf ("polls with %s%s", r->place->function, place);
    }
    if (r->state == JOB_STATE_NONE) {
        return g_strdup ("has not started");
    }
    if (r->queue != NULL && r->queue->calls->len > 0) {
        const JobMessageCall *call = job_message_queue_find_call (r->queue);
        g_autofree char *line = analysis_format_line (call->place);

        return g_strdup_printf ("is in %s%s", call->name != NULL ? call->name : "MPI", line);
    }
    return g_strdup_printf ("is computing%s%s", place, after);
}

/* "crashed with SIGSEGV", "stopped at MPI_Abort with 3", "is leaving without MPI_Finalize" */
static char *
describe_crash (const AnalysisRank *rank, const char *place)
{
    const char *text = rank->text != NULL ? rank->text : "an error";

    switch (rank->state) {
    case JOB_STATE_SIGNAL: return g_strdup_printf ("crashed with %s%s", text, place);
    case JOB_STATE_EXCEPTION: return g_strdup_printf ("failed with %s%s", text, place);
    default: return g_strdup_printf ("is leaving without MPI_Finalize%s", place);
    }
}

/* A paused rank whose threads wait for each other is told with what they wait for. */
static char *
describe_held (const AnalysisRank *rank, const char *place)
{
    const char *wait = rank->queue != NULL ? rank->queue->system_call : NULL;
    const char *join = wait == NULL || *wait == ' ' ? "" : WHERE_IT;
    gboolean has_signal = rank->state == JOB_STATE_SIGNAL && rank->text != NULL;

    return g_strconcat ("is paused", has_signal ? " at " : "", has_signal ? rank->text : "",
                        place, join, wait != NULL ? wait : "", NULL);
}

static char *
describe_other (AnalysisVerdict *verdict, const AnalysisWaits *waits, guint32 rank)
{
    const AnalysisRank *r = &waits->ranks[rank];
    g_autofree char *place = analysis_sentence_format_place (r->place);

    return analysis_rank_is_crashed (r)                ? describe_crash (r, place)
           : job_state_get_info (r->state)->is_stopped ? describe_held (r, place)
           : job_state_get_info (r->state)->is_ended   ? describe_ended (waits, rank)
                                                       : describe_mover (verdict, waits, rank);
}

static char *
describe (AnalysisVerdict *verdict, const AnalysisWaits *waits, guint32 rank)
{
    g_autofree char *place = analysis_sentence_format_place (waits->ranks[rank].place);

    switch (verdict->kind) {
    case ANALYSIS_VERDICT_CRASHED: return describe_crash (&waits->ranks[rank], place);
    case ANALYSIS_VERDICT_HELD: return describe_held (&waits->ranks[rank], place);
    case ANALYSIS_VERDICT_ENDED: return describe_ended (waits, rank);
    default: return describe_other (verdict, waits, rank);
    }
}

/* What one rank is said to do, said of several. */
static char *
make_plural (const char *words)
{
    static const struct {
        const char *one, *many;
    } verbs[] = {
        { "is ", "are " },     { "has ", "have " },        { "polls ", "poll " },
        { "waits ", "wait " }, { "crashed ", "crashed " }, { "failed ", "failed " },
    };

    for (guint i = 0; i < G_N_ELEMENTS (verbs); i++) {
        if (g_str_has_prefix (words, verbs[i].one)) {
            return g_strconcat (verbs[i].many, words + strlen (verbs[i].one), NULL);
        }
    }
    return g_strdup (words);
}

/* Also of what a paused one waits for. */
static char *
dup_plural (const char *words)
{
    g_autofree char *plural = make_plural (words);
    g_auto (GStrv) parts = g_strsplit (plural, WHERE_IT, 2);

    return g_strjoinv (", where each ", parts);
}

typedef struct {
    char *words;
    JobRankSet *ranks;
} Group;

static void
free_group (gpointer data)
{
    Group *group = data;

    g_free (group->words);
    job_rank_set_free (group->ranks);
    g_free (group);
}

static GPtrArray *
group_culprits (AnalysisVerdict *verdict, const AnalysisWaits *waits)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);
    g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (verdict->culprits, &iter, &rank) && rank < waits->n_ranks) {
        g_autofree char *words = describe (verdict, waits, rank);
        Group *group = g_hash_table_lookup (known, words);

        if (group == NULL) {
            group = g_new0 (Group, 1);
            group->words = g_steal_pointer (&words);
            group->ranks = job_rank_set_new ();
            g_hash_table_insert (known, group->words, group);
            g_ptr_array_add (groups, group);
        }
        job_rank_set_add (group->ranks, rank);
    }
    return groups;
}

static void
append_culprits (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits,
                 gboolean is_missing)
{
    g_autoptr (GPtrArray) groups = group_culprits (verdict, waits);

    for (guint i = 0; i < groups->len; i++) {
        const Group *group = g_ptr_array_index (groups, i);
        g_autofree char *ranks = job_rank_set_format (group->ranks);
        g_autofree char *words = is_one (group->ranks) ? g_strdup (group->words)
                                                       : dup_plural (group->words);
        guint32 lowest = job_rank_set_get_lowest (group->ranks);

        AnalysisVerdictPart *part = add_part (verdict, group->ranks, NULL,
                                              waits->ranks[lowest].place, TRUE);

        part->words = g_strdup (group->words);
        if (i >= MAX_GROUPS) {
            continue;
        }
        g_string_append (text, text->len > 0 ? "; " : "");
        if (is_missing) {
            g_string_append_printf (text, "%s %s not called it; %s %s", ranks,
                                    is_one (group->ranks) ? "has" : "have",
                                    is_one (group->ranks) ? "it" : "they", words);
        } else {
            g_string_append_printf (text, "%s %s", ranks, words);
        }
    }
    if (groups->len > MAX_GROUPS) {
        g_string_append_printf (text, "; others at %u more places", groups->len - MAX_GROUPS);
    }
}

/* ---- kinds ---- */

static void
append_behind (GString *text, const AnalysisVerdict *verdict)
{
    guint n = job_rank_set_get_count (verdict->behind);

    if (n > 0) {
        g_string_append_printf (text, "; %u more %s", n, n == 1 ? "is stuck" : "are stuck");
    }
}

static void
append_near (GString *text, const AnalysisVerdict *verdict, const AnalysisWaits *waits,
             GArray *way)
{
    gboolean is_final = verdict->is_certain && verdict->kind >= ANALYSIS_VERDICT_ENDED
                        && verdict->kind <= ANALYSIS_VERDICT_NO_PARTNER;

    for (guint i = 0; i < way->len; i++) {
        const AnalysisStep *step = &g_array_index (way, AnalysisStep, i);
        g_autofree char *near = NULL;

        if (step->operation != NULL
            && (step->operation->kind == JOB_MESSAGE_RECV
                || step->operation->kind == JOB_MESSAGE_PROBE)) {
            near = analysis_near_format (waits, step->rank, step->operation, is_final);
        }
        if (near != NULL) {
            g_string_append (text, near);
            return;
        }
    }
}

static const char *
advise_circle (GArray *way)
{
    gboolean all_send = TRUE, all_receive = TRUE;

    for (guint i = 0; i < way->len; i++) {
        const AnalysisStep *step = &g_array_index (way, AnalysisStep, i);
        JobMessageKind kind = step->operation != NULL ? step->operation->kind
                                                      : JOB_MESSAGE_LOCAL;

        all_send &= kind == JOB_MESSAGE_SEND;
        all_receive &= kind == JOB_MESSAGE_RECV || kind == JOB_MESSAGE_PROBE;
    }
    return all_receive ? "; one must send first" : all_send ? "; one must receive first" : "";
}

static void
append_circle (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits, GArray *way)
{
    g_autofree char *ranks = job_rank_set_format (verdict->culprits);
    const char *appear = verdict->is_certain ? "" : "appear to ";

    if (way->len == 1) {
        g_string_append_printf (text, "%s %s for itself: ", ranks,
                                verdict->is_certain ? "waits" : "appears to wait");
    } else if (way->len == 2) {
        g_string_append_printf (text, "%u and %u %swait for each other: ",
                                job_rank_set_get_lowest (verdict->culprits),
                                g_array_index (way, AnalysisStep, 0).rank
                                        == job_rank_set_get_lowest (verdict->culprits)
                                    ? g_array_index (way, AnalysisStep, 1).rank
                                    : g_array_index (way, AnalysisStep, 0).rank,
                                appear);
    } else {
        g_string_append_printf (text, "%s %swait for each other in a circle: ", ranks, appear);
    }
    for (guint i = 0; i < way->len; i++) {
        const AnalysisStep *step = &g_array_index (way, AnalysisStep, i);
        g_autoptr (JobRankSet) one = job_rank_set_new_range (step->rank, step->rank + 1);
        g_autofree char *words = analysis_sentence_format_step (waits, step);

        add_part (verdict, one, step->call, step->call->place, TRUE);
        if (i < MAX_STEPS) {
            g_string_append_printf (text, "%s%u in %s", i > 0 ? "; " : "", step->rank, words);
        }
    }
    if (way->len > MAX_STEPS) {
        g_string_append_printf (text, "; and %u more", way->len - MAX_STEPS);
    }
    g_string_append (text, advise_circle (way));
}

static void
append_mismatch (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits,
                 const AnalysisMismatch *mismatch)
{
    g_autofree char *words = analysis_mismatch_format (mismatch);
    g_autofree char *name
        = analysis_communicator_format (analysis_communicators_find (waits->communicators,
                                                                     mismatch->communicator),
                                        mismatch->communicator);

    g_string_append (text, text->len > 0 ? "; " : "");
    if (mismatch->kind == ANALYSIS_MISMATCH_EARLIER) {
        g_string_append_printf (text, "collectives on %s are not the same for all: %s", name,
                                words);
    } else {
        g_autofree char *ordinal = job_message_format_ordinal (mismatch->sequence);

        g_string_append_printf (text, "the %s collective on %s is not the same for all: %s",
                                ordinal, name, words);
    }
    for (guint i = 0; i < mismatch->parties->len; i++) {
        const AnalysisParty *party = g_ptr_array_index (mismatch->parties, i);
        JobMessageCall call = { .name = party->collective->name };

        add_part (verdict, party->ranks, &call, party->place,
                  job_rank_set_intersects (party->ranks, mismatch->minority));
    }
}

/* The culprits with, or without, one of JobMessageQueueFlags. Caller owns. */
static JobRankSet *
select_culprits (const AnalysisVerdict *verdict, const AnalysisWaits *waits, guint32 flag,
                 gboolean is_set)
{
    JobRankSet *selected = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (verdict->culprits, &iter, &rank) && rank < waits->n_ranks) {
        const JobMessageQueue *queue = waits->ranks[rank].queue;

        if ((queue != NULL && (queue->flags & flag) != 0) == is_set) {
            job_rank_set_add (selected, rank);
        }
    }
    return selected;
}

/* What the ranks are to do, as the command for them. */
static void
set_command (AnalysisVerdict *verdict, const JobRankSet *ranks, const char *command)
{
    g_autofree char *text = job_rank_set_format (ranks);

    verdict->command = g_strdup_printf ("on %s %s", text, command);
    job_rank_set_free (verdict->helped);
    verdict->helped = job_rank_set_dup (ranks);
}

/* Continuing helps all but those whose threads wait for each other. */
static void
append_continue (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits)
{
    g_autoptr (JobRankSet) ranks = select_culprits (verdict, waits, JOB_MESSAGE_QUEUE_DEADLOCK,
                                                    FALSE);

    if (job_rank_set_is_empty (ranks)) {
        set_command (verdict, verdict->culprits, "where");
    } else {
        g_autofree char *which = job_rank_set_format (ranks);

        set_command (verdict, ranks, "continue");
        g_string_append_printf (text, "; step or continue %s", which);
    }
}

static void
append_input (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits)
{
    g_autoptr (JobRankSet) ranks = select_culprits (verdict, waits, JOB_MESSAGE_QUEUE_INPUT,
                                                    TRUE);

    if (!job_rank_set_is_empty (ranks)) {
        g_autofree char *which = job_rank_set_format (ranks);

        set_command (verdict, ranks, "input ");
        if (job_rank_set_equal (ranks, verdict->culprits)) {
            g_string_append (text, is_one (ranks) ? "; input frees it" : "; input frees them");
        } else {
            g_string_append_printf (text, "; input frees %s", which);
        }
    }
}

/* The command that would free it or show more; the user completes a line of input. */
static void
append_command (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits)
{
    switch (verdict->kind) {
    case ANALYSIS_VERDICT_HELD: append_continue (text, verdict, waits); break;
    case ANALYSIS_VERDICT_SYSTEM_CALL: append_input (text, verdict, waits); break;
    case ANALYSIS_VERDICT_CRASHED:
    case ANALYSIS_VERDICT_MISSING:
    case ANALYSIS_VERDICT_COMPUTING:
    case ANALYSIS_VERDICT_CYCLE:
    case ANALYSIS_VERDICT_MISMATCH:
        if (!job_rank_set_is_empty (verdict->culprits)) {
            set_command (verdict, verdict->culprits, "where");
        }
        break;
    default: break;
    }
}

/* Nobody of the set waits in MPI. */
static void
append_idle (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits)
{
    guint32 lowest = job_rank_set_get_lowest (verdict->culprits);
    const JobMessageQueue *queue = lowest < waits->n_ranks ? waits->ranks[lowest].queue : NULL;

    if (job_rank_set_is_empty (verdict->culprits)) {
        g_string_append (text, "no rank is there");
        return;
    }
    if (verdict->kind == ANALYSIS_VERDICT_FREE) {
        g_string_append (text, "no rank is waiting in MPI");
    }
    append_culprits (text, verdict, waits, FALSE);
    if (verdict->kind == ANALYSIS_VERDICT_FREE
        && (queue == NULL || queue->source == JOB_MESSAGE_SOURCE_NONE)) {
        g_string_truncate (text, 0);
        g_string_append_printf (text, "what MPI is doing here is not known%s%s",
                                queue != NULL && queue->remark != NULL ? ": " : "",
                                queue != NULL && queue->remark != NULL ? queue->remark : "");
        verdict->is_certain = FALSE;
    }
}

/* Why it is not known whether the last rank of the path will proceed. */
static void
append_unknown (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits,
                const AnalysisStep *last, gboolean is_first)
{
    const JobMessageQueue *queue = waits->ranks[last->rank].queue;
    gint32 peer = last->operation != NULL ? last->operation->peer
                  : last->call != NULL    ? last->call->peer
                                          : JOB_MESSAGE_UNKNOWN;

    if (queue != NULL && (queue->flags & JOB_MESSAGE_QUEUE_OTHERS)) {
        g_string_append_printf (text,
                                "; whether it is stuck is not known: another thread of %u %s",
                                last->rank,
                                queue->system_call != NULL ? queue->system_call
                                                           : "is outside of MPI");
    } else if (peer == JOB_MESSAGE_OUTSIDE
               || (last->call != NULL && last->call->kind == JOB_MESSAGE_OUTER)) {
        g_string_append (text, "; what another job does is not known");
    } else {
        g_autofree char *who = is_first ? g_strdup ("")
                                        : g_strdup_printf (" %u waits", last->rank);

        g_string_append_printf (text, "; it is not known for whom%s%s%s", who,
                                queue != NULL && queue->remark != NULL ? ": " : "",
                                queue != NULL && queue->remark != NULL ? queue->remark : "");
    }
    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        if (!analysis_waits_is_waiting (waits, rank)) {
            job_rank_set_add (verdict->culprits, rank); /* only to say what they do */
        }
    }
    append_culprits (text, verdict, waits, FALSE);
    job_rank_set_clear (verdict->culprits);
    verdict->is_certain = FALSE;
}

static void
append_kind (GString *text, AnalysisVerdict *verdict, const AnalysisWaits *waits, GArray *way,
             const AnalysisMismatch *mismatch)
{
    const AnalysisStep *last = way->len > 1 ? &g_array_index (way, AnalysisStep, way->len - 2)
                                            : NULL;
    gboolean is_missing = last != NULL && last->collective != NULL && !last[1].is_halted
                          && verdict->kind != ANALYSIS_VERDICT_ENDED;

    switch (verdict->kind) {
    case ANALYSIS_VERDICT_MISMATCH: append_mismatch (text, verdict, waits, mismatch); return;
    case ANALYSIS_VERDICT_CYCLE:
        append_circle (text, verdict, waits, way);
        append_behind (text, verdict);
        return;
    case ANALYSIS_VERDICT_NO_PARTNER:
        append_way (text, verdict, waits, way);
        g_string_append (text, "; no rank is left that could send it");
        return;
    default: break;
    }
    if (way->len == 0) {
        append_idle (text, verdict, waits);
        return;
    }
    append_way (text, verdict, waits, way);
    if (verdict->kind == ANALYSIS_VERDICT_UNKNOWN) {
        append_unknown (text, verdict, waits, &g_array_index (way, AnalysisStep, way->len - 1),
                        way->len == 1);
        return;
    }
    if (job_rank_set_is_empty (verdict->culprits)) {
        g_string_append (text, g_array_index (way, AnalysisStep, way->len - 1).call != NULL
                                       && verdict->kind == ANALYSIS_VERDICT_COMPUTING
                                   ? "; what it waits for is on its way"
                                   : "");
        return;
    }
    append_culprits (text, verdict, waits, is_missing);
}

void
analysis_sentence_write (AnalysisVerdict *verdict, const AnalysisWaits *waits, GArray *way,
                         const AnalysisMismatch *mismatch)
{
    g_autoptr (GString) text = g_string_new (NULL);

    verdict->is_certain = TRUE;
    verdict->source = JOB_MESSAGE_SOURCE_RECORDER;
    for (guint i = 0; i < way->len; i++) {
        const AnalysisStep *step = &g_array_index (way, AnalysisStep, i);

        if (step->call != NULL) {
            note_source (verdict, waits, step->rank);
        }
    }
    append_kind (text, verdict, waits, way, mismatch);
    append_near (text, verdict, waits, way);
    append_command (text, verdict, waits);
    if (mismatch != NULL && verdict->kind < ANALYSIS_VERDICT_MISMATCH) {
        append_mismatch (text, verdict, waits, mismatch);
    }
    verdict->text = g_strdup (text->str);
}
