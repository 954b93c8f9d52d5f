/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches the waits-for graph from the ranks of a set: the nearest cause that blocks them, the
 * gravest kind first. sentence.c puts the result into words. */
#include "analysis/verdict-private.h"
#include "base/array.h"
#include <string.h>

static const char *const kind_names[ANALYSIS_N_VERDICTS] = {
    [ANALYSIS_VERDICT_HELD] = "held",
    [ANALYSIS_VERDICT_ENDED] = "ended",
    [ANALYSIS_VERDICT_MISMATCH] = "mismatch",
    [ANALYSIS_VERDICT_CYCLE] = "cycle",
    [ANALYSIS_VERDICT_NO_PARTNER] = "no-partner",
    [ANALYSIS_VERDICT_SYSTEM_CALL] = "system-call",
    [ANALYSIS_VERDICT_MISSING] = "missing",
    [ANALYSIS_VERDICT_COMPUTING] = "computing",
    [ANALYSIS_VERDICT_FREE] = "free",
    [ANALYSIS_VERDICT_CRASHED] = "crashed",
    [ANALYSIS_VERDICT_UNKNOWN] = "unknown",
};

#define MAX_FAULTS 16

const char *
analysis_verdict_kind_get_name (AnalysisVerdictKind kind)
{
    return (guint) kind < ANALYSIS_N_VERDICTS ? kind_names[kind] : "free";
}

BASE_FREE (free_part, AnalysisVerdictPart, part, base_text_free (part->caption);
           job_rank_set_free (part->ranks); g_free (part->call);
           job_location_free (part->place))

void
analysis_verdict_free (AnalysisVerdict *verdict)
{
    if (verdict != NULL) {
        analysis_verdict_free (verdict->next);
        job_rank_set_free (verdict->waiting);
        job_rank_set_free (verdict->culprits);
        job_rank_set_free (verdict->helped);
        job_rank_set_free (verdict->behind);
        job_rank_set_free (verdict->stuck);
        job_rank_set_free (verdict->inside);
        job_rank_set_free (verdict->placeless);
        g_ptr_array_unref (verdict->parts);
        g_free (verdict->command);
        base_text_free (verdict->text);
        g_free (verdict);
    }
}

char *
analysis_verdict_dup_text (const AnalysisVerdict *verdict, BaseTextForm form,
                           const char *separator)
{
    GString *text = g_string_new (base_text_get (verdict->text, form));

    for (verdict = verdict->next; verdict != NULL; verdict = verdict->next) {
        g_string_append (text, separator);
        g_string_append (text, base_text_get (verdict->text, form));
    }
    return g_string_free (text, FALSE);
}

/* ---- the search ---- */

/* ---- the way that was found ---- */

static void
add_step (GArray *way, const AnalysisNode *node)
{
    AnalysisStep *last = way->len > 0 ? &g_array_index (way, AnalysisStep, way->len - 1) : NULL;
    AnalysisStep step = { .rank = node->rank };

    switch (node->kind) {
    case ANALYSIS_NODE_RANK:
    case ANALYSIS_NODE_GONE:
    case ANALYSIS_NODE_HALTED:
        step.is_halted = node->kind == ANALYSIS_NODE_HALTED;
        g_array_append_val (way, step);
        break;
    case ANALYSIS_NODE_CALL: last->call = node->call; break;
    case ANALYSIS_NODE_OPERATION: last->operation = node->operation; break;
    case ANALYSIS_NODE_COLLECTIVE:
        if (last->collective == NULL) {
            last->collective = node;
        }
        break;
    default: break;
    }
}

/* From a rank of the set to the node, as steps. */
static GArray *
make_way (const AnalysisSearch *search, guint32 node)
{
    g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
    GArray *way = g_array_new (FALSE, TRUE, sizeof (AnalysisStep));
    AnalysisStep *last;

    g_array_append_val (nodes, node);
    while (search->parents[node] != node) {
        node = search->parents[node];
        g_array_append_val (nodes, node);
    }
    for (guint i = nodes->len; i > 0; i--) {
        add_step (way,
                  analysis_waits_get (search->waits, g_array_index (nodes, guint32, i - 1)));
    }
    last = &g_array_index (way, AnalysisStep, way->len - 1);
    if (last->call == NULL
        && analysis_waits_get (search->waits, g_array_index (nodes, guint32, 0))->kind
               == ANALYSIS_NODE_UNKNOWN) { /* another thread's */
        last->call = job_message_queue_find_call (search->waits->ranks[last->rank].queue);
    }
    return way;
}

/* The rank whose call the node belongs to, on the way that was found to it. */
static guint32
find_rank (const AnalysisSearch *search, guint32 node)
{
    while (analysis_waits_get (search->waits, node)->kind != ANALYSIS_NODE_RANK
           && search->parents[node] != node) {
        node = search->parents[node];
    }
    return node;
}

/* Whether the edge closes a cycle at `start`. A rank that receives from any member of its
 * communicator does not wait for itself, but others that wait for any member wait for it. */
static gboolean
closes_circle (const AnalysisSearch *search, guint32 start, guint32 node, guint32 target)
{
    guint32 any = target == start ? node : target;
    gboolean is_any = search->parents[any] != ANALYSIS_NO_NODE
                      && analysis_waits_get (search->waits, any)->kind == ANALYSIS_NODE_ANY;
    gboolean is_own = is_any && find_rank (search, any) == start;

    return target == start ? !is_own : is_own && find_rank (search, node) != start;
}

/* The shortest circle through `start`: breadth first from its targets back to it. */
static GArray *
make_circle (const AnalysisWaits *waits, guint32 start)
{
    AnalysisSearch search;
    GArray *way = NULL;

    analysis_search_init (&search, waits);
    analysis_search_visit (&search, start, start);
    for (guint i = 0; way == NULL && i < search.queue->len; i++) {
        guint32 node = g_array_index (search.queue, guint32, i);

        for (guint32 j = waits->first[node]; way == NULL && j < waits->first[node + 1]; j++) {
            if (closes_circle (&search, start, node, waits->targets[j])) {
                way = make_way (&search, node);
            }
        }
        analysis_search_expand (&search, i);
    }
    analysis_search_clear (&search);
    return way;
}

/* Stands for an unknown rank of the job. */
static gboolean
is_somebody (const AnalysisWaits *waits, guint32 node)
{
    const AnalysisNode *known = analysis_waits_get (waits, node);

    return known->kind == ANALYSIS_NODE_ANY && known->communicator == JOB_MESSAGE_UNKNOWN_ID;
}

/* Following stuck nodes must end in a cycle: returns the first node that the path meets again
 * or, before that, one that stands for a rank. */
static guint32
find_circle (const AnalysisSearch *search)
{
    const AnalysisWaits *waits = search->waits;
    g_autofree guint8 *seen = g_new0 (guint8, waits->nodes->len);
    guint32 node = g_array_index (search->queue, guint32, 0);

    while (!seen[node]) {
        guint32 next = ANALYSIS_NO_NODE;

        seen[node] = 1;
        if (is_somebody (waits, node)) {
            return node;
        }
        for (guint32 i = waits->first[node];
             i < waits->first[node + 1] && next == ANALYSIS_NO_NODE; i++) {
            if (analysis_waits_get (waits, waits->targets[i])->fate == ANALYSIS_FATE_STUCK) {
                next = waits->targets[i];
            }
        }
        if (next == ANALYSIS_NO_NODE) {
            return ANALYSIS_NO_NODE;
        }
        node = next;
    }
    while (analysis_waits_get (waits, node)->kind != ANALYSIS_NODE_RANK) {
        for (guint32 i = waits->first[node]; i < waits->first[node + 1]; i++) {
            if (analysis_waits_get (waits, waits->targets[i])->fate == ANALYSIS_FATE_STUCK) {
                node = waits->targets[i];
                break;
            }
        }
    }
    return node;
}

/* ---- who is to blame ---- */

static void
add_target (AnalysisVerdict *verdict, const AnalysisWaits *waits, guint32 target,
            AnalysisFate fate, guint depth)
{
    const AnalysisNode *node = analysis_waits_get (waits, target);

    if (node->kind == ANALYSIS_NODE_COLLECTIVE && depth < 64) {
        for (guint32 i = waits->first[target]; i < waits->first[target + 1]; i++) {
            add_target (verdict, waits, waits->targets[i], fate, depth + 1);
        }
    } else if (node->rank != G_MAXUINT32 && node->fate == fate
               && (fate != ANALYSIS_FATE_FREE
                   || !analysis_waits_is_waiting (waits, node->rank))) {
        job_rank_set_add (verdict->culprits, node->rank);
    }
}

/* The end of the way and, of a collective, all others of that fate that it lacks. */
static void
find_culprits (AnalysisVerdict *verdict, const AnalysisSearch *search, guint32 node)
{
    const AnalysisNode *end = analysis_waits_get (search->waits, node);
    guint32 parent = search->parents[node];

    if (end->rank != G_MAXUINT32) {
        job_rank_set_add (verdict->culprits, end->rank);
    }
    if (analysis_waits_get (search->waits, parent)->kind == ANALYSIS_NODE_COLLECTIVE
        || analysis_waits_get (search->waits, parent)->kind == ANALYSIS_NODE_ANY) {
        for (guint32 i = search->waits->first[parent]; i < search->waits->first[parent + 1];
             i++) {
            add_target (verdict, search->waits, search->waits->targets[i], end->fate, 0);
        }
    }
}

/* All of them: one that computes may yet free the others. */
static gboolean
are_in_system_calls (const AnalysisWaits *waits, const JobRankSet *ranks)
{
    JOB_EACH_RANK_BELOW (ranks, rank, waits->n_ranks) {
        if (waits->ranks[rank].queue == NULL || waits->ranks[rank].queue->waits->len == 0) {
            return FALSE;
        }
    }
    return !job_rank_set_is_empty (ranks);
}

static const AnalysisMismatch *
find_mismatch_of (const AnalysisWaits *waits, guint64 communicator)
{
    return BASE_FIND (waits->mismatches, const AnalysisMismatch, mismatch,
                      mismatch->communicator == communicator);
}

/* A mismatch that involves a rank of the set and was not reported yet. */
static const AnalysisMismatch *
find_mismatch (const AnalysisWaits *waits, const JobRankSet *set, const GPtrArray *told)
{
    BASE_EACH (waits->mismatches, const AnalysisMismatch, mismatch) {
        const AnalysisCommunicator *known
            = analysis_communicators_find (waits->communicators, mismatch->communicator);

        if (!g_ptr_array_find ((GPtrArray *) told, mismatch, NULL)
            && BASE_ANY (j, known->entries->len,
                         job_rank_set_contains (set,
                                                g_array_index (known->entries, AnalysisEntry, j)
                                                    .rank))) {
            return mismatch;
        }
    }
    return NULL;
}

/* ---- kinds ---- */

/* All stuck ranks: of the job, and of those that the sentence is about. */
static void
note_stuck (AnalysisVerdict *verdict, const AnalysisWaits *waits)
{
    for (guint32 rank = 0; rank < waits->n_ranks; rank++) {
        if (analysis_waits_get (waits, rank)->fate == ANALYSIS_FATE_STUCK) {
            job_rank_set_add (verdict->stuck, rank);
        }
        if (analysis_waits_is_waiting (waits, rank)
            && waits->ranks[rank].queue->calls->len > 0) { /* not for a lock on a file */
            job_rank_set_add (verdict->inside, rank);
        }
    }
}

/* Wherever the search came upon it, a circle is told from its lowest rank on. */
static GArray *
turn_to_lowest (GArray *circle)
{
    GArray *turned = g_array_sized_new (FALSE, TRUE, sizeof (AnalysisStep), circle->len);
    guint lowest = 0;

    for (guint i = 1; i < circle->len; i++) {
        if (g_array_index (circle, AnalysisStep, i).rank
            < g_array_index (circle, AnalysisStep, lowest).rank) {
            lowest = i;
        }
    }
    for (guint i = 0; i < circle->len; i++) {
        g_array_append_vals (turned,
                             &g_array_index (circle, AnalysisStep, (lowest + i) % circle->len),
                             1);
    }
    g_array_unref (circle);
    return turned;
}

static GArray *
judge_circle (AnalysisVerdict *verdict, const AnalysisSearch *search)
{
    guint32 start = find_circle (search);
    GArray *way;

    if (start != ANALYSIS_NO_NODE && is_somebody (search->waits, start)) {
        verdict->kind = ANALYSIS_VERDICT_UNKNOWN;
        return make_way (search, start);
    }
    way = start != ANALYSIS_NO_NODE ? make_circle (search->waits, start) : NULL;
    way = way != NULL ? turn_to_lowest (way) : NULL;
    verdict->kind = ANALYSIS_VERDICT_CYCLE;
    for (guint i = 0; way != NULL && i < way->len; i++) {
        job_rank_set_add (verdict->culprits, g_array_index (way, AnalysisStep, i).rank);
    }
    return way;
}

static GArray *
judge_stuck (AnalysisVerdict *verdict, const AnalysisSearch *search,
             const AnalysisMismatch **mismatch)
{
    static const struct {
        AnalysisFate fate;
        AnalysisVerdictKind kind;
    } order[] = {
        { ANALYSIS_FATE_CRASHED, ANALYSIS_VERDICT_CRASHED },
        { ANALYSIS_FATE_HELD, ANALYSIS_VERDICT_HELD },
        { ANALYSIS_FATE_ENDED, ANALYSIS_VERDICT_ENDED },
        { ANALYSIS_FATE_MISMATCH, ANALYSIS_VERDICT_MISMATCH },
    };
    guint32 node;

    for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
        node = analysis_search_find_fate (search, order[i].fate);
        if (node == ANALYSIS_NO_NODE) {
            if (order[i].kind == ANALYSIS_VERDICT_ENDED && *mismatch != NULL) {
                verdict->kind = ANALYSIS_VERDICT_MISMATCH;
                return make_way (search, analysis_search_find_operation (search));
            }
            continue;
        }
        verdict->kind = order[i].kind;
        if (order[i].fate == ANALYSIS_FATE_MISMATCH) {
            *mismatch
                = find_mismatch_of (search->waits,
                                    analysis_waits_get (search->waits, node)->communicator);
        }
        find_culprits (verdict, search, node);
        return make_way (search, node);
    }
    node = analysis_search_find_lonely (search);
    if (node != ANALYSIS_NO_NODE) {
        verdict->kind = ANALYSIS_VERDICT_NO_PARTNER;
        return make_way (search, node);
    }
    return judge_circle (verdict, search);
}

/* The nearest node on the path to the unknown node; ANALYSIS_NO_NODE. */
static guint32
find_unknown (const AnalysisSearch *search, guint32 node)
{
    guint32 unknown = ANALYSIS_NO_NODE;

    for (;;) {
        if (analysis_waits_get (search->waits, node)->kind == ANALYSIS_NODE_UNKNOWN
            || is_somebody (search->waits, node)) {
            unknown = node;
        }
        if (search->parents[node] == node) {
            return unknown;
        }
        node = search->parents[node];
    }
}

/* Nothing that is known holds up the rank at the end, and it has not got on all the same. Where others of the set
 * wait for it, they speak first. */
static GArray *
judge_unexplained (AnalysisVerdict *verdict, const AnalysisSearch *search,
                   const JobRankSet *set)
{
    guint32 end = analysis_search_find_operation (search);
    guint32 rank = analysis_waits_get (search->waits, end)->rank;
    g_autoptr (JobRankSet) others = job_rank_set_dup (set);
    AnalysisSearch again;
    GArray *way;

    verdict->kind = ANALYSIS_VERDICT_UNKNOWN;
    verdict->is_unexplained = TRUE;
    if (rank >= search->waits->n_ranks) {
        return make_way (search, end);
    }
    job_rank_set_remove (others, rank);
    analysis_search_run (&again, search->waits, others, TRUE);
    way = make_way (again.parents[end] != ANALYSIS_NO_NODE ? &again : search, end);
    analysis_search_clear (&again);
    return way;
}

static GArray *
judge_free (AnalysisVerdict *verdict, const AnalysisSearch *search, const JobRankSet *set)
{
    guint32 node = analysis_search_find_mover (search), unknown;
    GArray *way;

    if (node == ANALYSIS_NO_NODE) {
        return judge_unexplained (verdict, search, set);
    }
    unknown = find_unknown (search, node);
    if (unknown != ANALYSIS_NO_NODE) {
        verdict->kind = ANALYSIS_VERDICT_UNKNOWN;
        return make_way (search, unknown);
    }
    way = make_way (search, node);
    find_culprits (verdict, search, node);
    verdict->kind = are_in_system_calls (search->waits, verdict->culprits)
                        ? ANALYSIS_VERDICT_SYSTEM_CALL
                    : way->len > 1 && g_array_index (way, AnalysisStep, way->len - 2).collective
                        ? ANALYSIS_VERDICT_MISSING
                        : ANALYSIS_VERDICT_COMPUTING;
    return way;
}

/* Stopped ranks whose end others of the set wait for. */
static void
add_children (AnalysisVerdict *verdict, const AnalysisWaits *waits, const JobRankSet *set,
              AnalysisFate fate)
{
    JOB_EACH_RANK_BELOW (set, rank, waits->n_ranks) {
        guint32 child = rank;

        for (guint32 i = 0; i < waits->n_ranks && child != G_MAXUINT32
                            && analysis_waits_get (waits, child)->fate == ANALYSIS_FATE_STUCK;
             i++) {
            child = analysis_waits_get_child (waits, child);
        }
        if (child != G_MAXUINT32 && child != rank
            && analysis_waits_get (waits, child)->fate == fate) {
            job_rank_set_add (verdict->culprits, child);
        }
    }
}

/* No rank of the set waits in MPI: they are paused, have ended, or are moving. */
static GArray *
judge_idle (AnalysisVerdict *verdict, const AnalysisWaits *waits, const JobRankSet *set)
{
    static const AnalysisFate order[] = { ANALYSIS_FATE_CRASHED, ANALYSIS_FATE_HELD,
                                          ANALYSIS_FATE_FREE, ANALYSIS_FATE_ENDED };
    JobRankIter iter = { 0 };
    guint32 rank;

    verdict->kind = ANALYSIS_VERDICT_FREE;
    for (guint i = 0; i < G_N_ELEMENTS (order) && job_rank_set_is_empty (verdict->culprits);
         i++) {
        JobRankIter again = { 0 };

        iter = again;
        add_children (verdict, waits, set, order[i]);
        while (job_rank_set_next (set, &iter, &rank) && rank < waits->n_ranks) {
            if (analysis_waits_get (waits, rank)->fate == order[i]) {
                job_rank_set_add (verdict->culprits, rank);
            }
        }
        if (i < 2 && !job_rank_set_is_empty (verdict->culprits)) {
            verdict->kind = i == 0 ? ANALYSIS_VERDICT_CRASHED : ANALYSIS_VERDICT_HELD;
        } else if (i == 3) {
            verdict->kind = ANALYSIS_VERDICT_ENDED;
        }
    }
    if (verdict->kind == ANALYSIS_VERDICT_FREE
        && are_in_system_calls (waits, verdict->culprits)) {
        verdict->kind = ANALYSIS_VERDICT_SYSTEM_CALL;
    }
    return g_array_new (FALSE, TRUE, sizeof (AnalysisStep));
}

/* In one of its operations, or with nothing said of these. */
static gboolean
is_in_words (const AnalysisWaits *waits, AnalysisStep *step, const JobMessageQueue *queue,
             const char *words)
{
    for (guint i = 0; i <= step->call->waits->len; i++) {
        guint32 index = i < step->call->waits->len
                            ? g_array_index (step->call->waits, guint32, i)
                            : G_MAXUINT32;
        g_autofree char *own = NULL;

        step->operation = index < queue->operations->len
                              ? g_ptr_array_index (queue->operations, index)
                              : NULL;
        own = analysis_sentence_format_step (BASE_TEXT_ENGLISH, waits, step);
        if (strcmp (own, words) == 0) {
            return TRUE;
        }
        if (i == 0 && step->call->kind != JOB_MESSAGE_OUTER) {
            return FALSE; /* the first one speaks for the call */
        }
    }
    return FALSE;
}

/* The ranks of the set that wait in the same words as the first of the way. */
static void
note_waiting (AnalysisVerdict *verdict, const AnalysisWaits *waits, const JobRankSet *set,
              const AnalysisStep *first)
{
    g_autofree char *words = analysis_sentence_format_step (BASE_TEXT_ENGLISH, waits, first);

    job_rank_set_add (verdict->waiting, first->rank);
    JOB_EACH_RANK_BELOW (set, rank, waits->n_ranks) {
        const JobMessageQueue *queue = waits->ranks[rank].queue;
        JobMessageCall *call = queue != NULL ? job_message_queue_find_call (queue) : NULL;
        AnalysisStep step = { .rank = rank, .call = call, .collective = first->collective };

        if (job_rank_set_contains (verdict->culprits, rank)
            && verdict->kind == ANALYSIS_VERDICT_HELD) {
            continue;
        }
        if (call == NULL || g_strcmp0 (call->name, first->call->name) != 0
            || !analysis_waits_is_waiting (waits, rank)) {
            continue;
        }
        if (is_in_words (waits, &step, queue, words)) {
            job_rank_set_add (verdict->waiting, rank);
        }
    }
}

static void
note_behind (AnalysisVerdict *verdict, GArray *way, const JobRankSet *explained)
{
    g_autoptr (JobRankSet) known = job_rank_set_intersect (verdict->stuck, explained);
    g_autoptr (JobRankSet) rest = job_rank_set_subtract (known, verdict->waiting);
    g_autoptr (JobRankSet) others = job_rank_set_subtract (rest, verdict->culprits);

    for (guint i = 0; i < way->len; i++) {
        job_rank_set_remove (others, g_array_index (way, AnalysisStep, i).rank);
    }
    job_rank_set_merge (verdict->behind, others);
}

static gboolean
has_crashed (const AnalysisWaits *waits, const JobRankSet *set)
{
    JOB_EACH_RANK_BELOW (set, rank, waits->n_ranks) {
        if (analysis_waits_get (waits, rank)->fate == ANALYSIS_FATE_CRASHED) {
            return TRUE;
        }
    }
    return FALSE;
}

static GArray *
judge (AnalysisVerdict *verdict, const AnalysisWaits *waits, const JobRankSet *set,
       const AnalysisMismatch **mismatch)
{
    AnalysisSearch search;
    GArray *way;
    gboolean is_idle;

    analysis_search_run (&search, waits, set, FALSE);
    if (search.queue->len > 0) {
        way = judge_stuck (verdict, &search, mismatch);
        analysis_search_clear (&search);
        return way != NULL ? way : g_array_new (FALSE, TRUE, sizeof (AnalysisStep));
    }
    analysis_search_clear (&search);
    analysis_search_run (&search, waits, set, TRUE);
    is_idle = search.queue->len == 0 || has_crashed (waits, set);
    way = is_idle ? judge_idle (verdict, waits, set) : judge_free (verdict, &search, set);
    analysis_search_clear (&search);
    if (*mismatch != NULL && (is_idle || verdict->kind > ANALYSIS_VERDICT_MISMATCH)) {
        verdict->kind = ANALYSIS_VERDICT_MISMATCH;
    }
    return way;
}

static AnalysisVerdict *
new_verdict (const AnalysisWaits *waits)
{
    AnalysisVerdict *verdict = g_new0 (AnalysisVerdict, 1);

    verdict->waiting = job_rank_set_new ();
    verdict->culprits = job_rank_set_new ();
    verdict->helped = job_rank_set_new ();
    verdict->behind = job_rank_set_new ();
    verdict->stuck = job_rank_set_new ();
    verdict->inside = job_rank_set_new ();
    verdict->placeless = job_rank_set_new ();
    verdict->parts = g_ptr_array_new_with_free_func (free_part);
    note_stuck (verdict, waits);
    return verdict;
}

/* FALSE: their calls differ, but no rank is stuck because of it. */
static gboolean
holds_up (const AnalysisWaits *waits, const AnalysisMismatch *mismatch)
{
    for (guint32 i = 0; i < waits->nodes->len; i++) {
        const AnalysisNode *node = analysis_waits_get (waits, i);

        if (node->kind == ANALYSIS_NODE_COLLECTIVE && node->fate == ANALYSIS_FATE_MISMATCH
            && node->communicator == mismatch->communicator) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Their recorders show no progress, whatever they wait for. */
static gboolean
is_recorded (const AnalysisWaits *waits, const JobRankSet *ranks)
{
    JOB_EACH_RANK_BELOW (ranks, rank, waits->n_ranks) {
        if (waits->ranks[rank].queue == NULL
            || waits->ranks[rank].queue->source != JOB_MESSAGE_SOURCE_RECORDER) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Returns the gravest fault of the set, and removes the ranks that it explains. */
static AnalysisVerdict *
take_fault (const AnalysisWaits *waits, JobRankSet *set, GPtrArray *told)
{
    AnalysisVerdict *verdict = new_verdict (waits);
    const AnalysisMismatch *mismatch = find_mismatch (waits, set, told);
    g_autoptr (JobRankSet) own = NULL, explained = NULL;
    g_autoptr (GArray) way = judge (verdict, waits, set, &mismatch);

    if (way->len > 0 && g_array_index (way, AnalysisStep, 0).call != NULL) {
        note_waiting (verdict, waits, set, &g_array_index (way, AnalysisStep, 0));
    }
    if (verdict->kind == ANALYSIS_VERDICT_MISMATCH) {
        job_rank_set_clear (verdict->culprits);
        job_rank_set_merge (verdict->culprits, mismatch->minority);
    }
    if (verdict->kind == ANALYSIS_VERDICT_UNKNOWN && !is_recorded (waits, verdict->stuck)) {
        job_rank_set_clear (
            verdict->stuck); /* a loop over calls looks like one that never returns */
    }
    if (mismatch != NULL) {
        g_ptr_array_add (told, (gpointer) mismatch);
    }
    own = job_rank_set_union (verdict->culprits, verdict->waiting);
    for (guint i = 0; i < way->len; i++) {
        job_rank_set_add (own, g_array_index (way, AnalysisStep, i).rank);
    }
    explained = analysis_waits_dup_explained (waits, own);
    note_behind (verdict, way, explained);
    analysis_sentence_write (verdict, waits, way, mismatch);
    if (verdict->kind != ANALYSIS_VERDICT_MISMATCH || holds_up (waits, mismatch)) {
        g_autoptr (JobRankSet) rest = job_rank_set_subtract (set, explained);

        job_rank_set_clear (set);
        job_rank_set_merge (set, rest);
    }
    return verdict;
}

/* One of the set waits: for nothing that moves, or (is_stuck FALSE) for something that does. */
static gboolean
has_waiting (const AnalysisWaits *waits, const JobRankSet *set, gboolean is_stuck)
{
    JOB_EACH_RANK_BELOW (set, rank, waits->n_ranks) {
        AnalysisFate fate = analysis_waits_get (waits, rank)->fate;

        if (analysis_waits_is_waiting (waits, rank)
            && fate == (is_stuck ? ANALYSIS_FATE_STUCK : ANALYSIS_FATE_FREE)) {
            return TRUE;
        }
    }
    return FALSE;
}

AnalysisVerdict *
analysis_verdict_new (const AnalysisRank *ranks, guint32 n_ranks, const JobRankSet *set)
{
    g_autoptr (AnalysisWaits) waits = analysis_waits_new (ranks, n_ranks);
    g_autoptr (JobRankSet) rest = job_rank_set_dup (set);
    g_autoptr (GPtrArray) told = g_ptr_array_new ();
    AnalysisVerdict *first = take_fault (waits, rest, told), *last = first;
    gboolean is_stuck = TRUE;

    for (guint i = 1;
         i < MAX_FAULTS
         && (is_stuck = has_waiting (waits, rest, TRUE) || has_crashed (waits, rest));
         i++) {
        last->next = take_fault (waits, rest, told);
        last = last->next;
    }
    if (!is_stuck && first->kind <= ANALYSIS_VERDICT_NO_PARTNER
        && has_waiting (waits, rest, FALSE)) {
        last->next = take_fault (waits, rest,
                                 told); /* the others wait for something that moves */
    }
    return first;
}
