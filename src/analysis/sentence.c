/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a verdict: a short explanation as an expert would give it, and the command that
 * would free the ranks. */
#include "analysis/verdict-private.h"
#include "base/array.h"

#define MAX_STEPS 4       /* of a path or a cycle that are spelt out */
#define MAX_GROUPS 3      /* places that are spelt out */
#define SURELY_EAGER 1024 /* bytes; Open MPI's smallest limit, for messages to itself */

typedef struct {
    JobRankSet *ranks; /* that do the same; described by the lowest */
    guint32 lowest;
} Group;

/* What the sentence is written from, in both forms. */
typedef struct {
    AnalysisVerdict *verdict;
    const AnalysisWaits *waits;
    GArray *way;
    const AnalysisMismatch *mismatch;
    GPtrArray *groups; /* of Group: those that are waited for */
    gboolean is_sure;  /* that the ranks of the way wait */
    BaseTextForm form;
} Sentence;

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

/* Of so few bytes that every MPI sends them off without waiting for the receive: the call only waits for room, which the
 * receiver makes whenever it is inside MPI. */
static gboolean
is_short_send (const JobMessageOperation *operation)
{
    return operation != NULL && operation->kind == JOB_MESSAGE_SEND
           && (operation->flags & JOB_MESSAGE_SYNCHRONOUS) == 0 && operation->n_partitions == 0
           && operation->bytes <= SURELY_EAGER;
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

/* ---- facts: the parts, who is waited for, the command ---- */

BASE_FREE (free_group, Group, group, job_rank_set_free (group->ranks))

static GPtrArray *
group_ranks (const Sentence *sentence, const JobRankSet *ranks)
{
    AnalysisVerdict *verdict = sentence->verdict;
    GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);
    g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);
    const AnalysisSubject nobody = { BASE_TEXT_ENGLISH, NULL, 1 };

    JOB_EACH_RANK_BELOW (ranks, rank, sentence->waits->n_ranks) {
        const AnalysisRank *r = &sentence->waits->ranks[rank];
        char *key = analysis_sentence_describe_rank (&nobody, verdict->kind, sentence->waits,
                                                     rank);
        Group *group = g_hash_table_lookup (known, key);

        if (r->place == NULL && job_state_get_info (r->state)->is_moving
            && verdict->kind > ANALYSIS_VERDICT_ENDED) {
            job_rank_set_add (verdict->placeless, rank);
        }
        if (group == NULL) {
            group = g_new0 (Group, 1);
            group->ranks = job_rank_set_new ();
            group->lowest = rank;
            g_hash_table_insert (known, key, group);
            g_ptr_array_add (groups, group);
        } else {
            g_free (key);
        }
        job_rank_set_add (group->ranks, rank);
    }
    return groups;
}

static guint
count_waiting (const GArray *way)
{
    guint n = 0;

    while (n < way->len && g_array_index (way, AnalysisStep, n).call != NULL) {
        n++;
    }
    return n;
}

/* A long way is told by its first steps and its last one. */
static gboolean
is_told (guint index, guint n_waiting)
{
    return index < MAX_STEPS - 1 || index == n_waiting - 1;
}

/* Those who wait in a step, the first of them for the whole set. Caller owns. */
static JobRankSet *
dup_ranks (const Sentence *sentence, guint index)
{
    const AnalysisStep *step = &g_array_index (sentence->way, AnalysisStep, index);

    return index == 0 && !job_rank_set_is_empty (sentence->verdict->waiting)
               ? job_rank_set_dup (sentence->verdict->waiting)
               : job_rank_set_new_range (step->rank, step->rank + 1);
}

static void
note_way (const Sentence *sentence)
{
    guint n_waiting = count_waiting (sentence->way);

    for (guint i = 0; i < n_waiting; i++) {
        const AnalysisStep *step = &g_array_index (sentence->way, AnalysisStep, i);
        g_autoptr (JobRankSet) ranks = dup_ranks (sentence, i);

        if (is_told (i, n_waiting)) {
            add_part (sentence->verdict, ranks, step->call, step->call->place, FALSE);
        }
    }
}

static void
note_circle (const Sentence *sentence)
{
    BASE_EACH_ROW (sentence->way, const AnalysisStep, step) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (step->rank, step->rank + 1);

        add_part (sentence->verdict, one, step->call, step->call->place, TRUE);
        if (step->call->place == NULL
            && job_state_get_info (sentence->waits->ranks[step->rank].state)->is_moving) {
            job_rank_set_add (sentence->verdict->placeless, step->rank);
        }
    }
}

static void
note_groups (const Sentence *sentence)
{
    BASE_EACH (sentence->groups, const Group, group) {
        AnalysisVerdictPart *part = add_part (sentence->verdict, group->ranks, NULL,
                                              sentence->waits->ranks[group->lowest].place,
                                              !sentence->verdict->is_unexplained);
        AnalysisSubject nobody = { BASE_TEXT_ENGLISH, NULL, 1 };
        char *english = analysis_sentence_describe_rank (&nobody, sentence->verdict->kind,
                                                         sentence->waits, group->lowest);

        nobody.form = BASE_TEXT_SHOWN;
        part->caption
            = base_text_new_take (english,
                                  analysis_sentence_describe_rank (&nobody,
                                                                   sentence->verdict->kind,
                                                                   sentence->waits,
                                                                   group->lowest));
    }
}

static void
note_mismatch (const Sentence *sentence)
{
    const AnalysisMismatch *mismatch = sentence->mismatch;

    BASE_EACH (mismatch->parties, const AnalysisParty, party) {
        JobMessageCall call = { .name = party->collective->name };

        add_part (sentence->verdict, party->ranks, &call, party->place,
                  job_rank_set_intersects (party->ranks, mismatch->minority));
    }
}

/* MPI's part in what the ranks do cannot be seen, and none is known to wait. */
static gboolean
is_unseen (const Sentence *sentence)
{
    guint32 lowest = job_rank_set_get_lowest (sentence->verdict->culprits);
    const JobMessageQueue *queue = lowest < sentence->waits->n_ranks
                                       ? sentence->waits->ranks[lowest].queue
                                       : NULL;

    return sentence->way->len == 0 && sentence->verdict->kind == ANALYSIS_VERDICT_FREE
           && !job_rank_set_is_empty (sentence->verdict->culprits)
           && (queue == NULL || queue->source == JOB_MESSAGE_SOURCE_NONE);
}

/* Ranks that may be why it is not known whether the others will go on. Caller owns. */
static JobRankSet *
dup_movers (const Sentence *sentence)
{
    JobRankSet *movers = job_rank_set_new ();
    guint32 target = G_MAXUINT32;
    gboolean has_target = analysis_sentence_find_target (sentence->waits, sentence->way,
                                                         &target);

    for (guint32 rank = 0; rank < sentence->waits->n_ranks; rank++) {
        if (!analysis_waits_is_waiting (sentence->waits, rank)
            && (!has_target || rank == target)) {
            job_rank_set_add (movers, rank);
        }
    }
    return movers;
}

/* Who is waited for, and what else is said of what they do. */
static void
note_kind (Sentence *sentence)
{
    AnalysisVerdict *verdict = sentence->verdict;
    g_autoptr (JobRankSet) movers = NULL;

    sentence->is_sure = verdict->is_certain;
    switch (verdict->kind) {
    case ANALYSIS_VERDICT_MISMATCH: note_mismatch (sentence); return;
    case ANALYSIS_VERDICT_CYCLE: note_circle (sentence); return;
    case ANALYSIS_VERDICT_NO_PARTNER: note_way (sentence); return;
    default: break;
    }
    note_way (sentence);
    if (verdict->is_unexplained) {
        movers = analysis_waits_dup_partners (sentence->waits, sentence->way, verdict->waiting);
    } else if (verdict->kind == ANALYSIS_VERDICT_UNKNOWN) {
        movers = dup_movers (sentence);
    }
    g_ptr_array_unref (sentence->groups);
    sentence->groups = group_ranks (sentence, movers != NULL ? movers : verdict->culprits);
    note_groups (sentence);
    if (verdict->kind == ANALYSIS_VERDICT_UNKNOWN || is_unseen (sentence)) {
        verdict->is_certain = FALSE;
    }
}

/* The culprits with, or without, one of JobMessageQueueFlags. Caller owns. */
static JobRankSet *
select_culprits (const AnalysisVerdict *verdict, const AnalysisWaits *waits, guint32 flag,
                 gboolean is_set)
{
    JobRankSet *selected = job_rank_set_new ();

    JOB_EACH_RANK_BELOW (verdict->culprits, rank, waits->n_ranks) {
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

/* Continuing helps all but those whose threads wait for each other; input only those that read. */
static JobRankSet *
dup_helped (const AnalysisVerdict *verdict, const AnalysisWaits *waits)
{
    return verdict->kind == ANALYSIS_VERDICT_HELD
               ? select_culprits (verdict, waits, JOB_MESSAGE_QUEUE_DEADLOCK, FALSE)
               : select_culprits (verdict, waits, JOB_MESSAGE_QUEUE_INPUT, TRUE);
}

/* The command that would free it or show more; the user completes a line of input. */
static void
note_command (const Sentence *sentence)
{
    AnalysisVerdict *verdict = sentence->verdict;
    g_autoptr (JobRankSet) helped = dup_helped (verdict, sentence->waits);
    gboolean is_helped = !job_rank_set_is_empty (helped);

    switch (verdict->kind) {
    case ANALYSIS_VERDICT_HELD:
        set_command (verdict, is_helped ? helped : verdict->culprits,
                     is_helped ? "continue" : "where");
        break;
    case ANALYSIS_VERDICT_SYSTEM_CALL:
        if (is_helped) {
            set_command (verdict, helped, "input ");
        }
        break;
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

/* ---- words: the way ---- */

static void
say (const Sentence *sentence, GString *text, char *clause)
{
    analysis_words_append (sentence->form, text, clause);
}

static char *
format_wait (const Sentence *sentence)
{
    g_autoptr (JobRankSet) ranks = dup_ranks (sentence, 0);
    g_autofree char *who = job_rank_set_format (ranks);
    g_autofree char *call = analysis_sentence_format_step (sentence->form, sentence->waits,
                                                           &g_array_index (sentence->way,
                                                                           AnalysisStep, 0));
    guint n = job_rank_set_get_count (ranks);

    /* Translators: ranks, and a call with what it waits for: "0-2 wait in MPI_Recv from 3". */
    return sentence->is_sure
               ? base_text_print_plural (sentence->form, "%s waits in %s", "%s wait in %s", n,
                                         who, call)
               : base_text_print_plural (sentence->form, "%s appears to wait in %s",
                                         "%s appear to wait in %s", n, who, call);
}

/* Who waits, and where, on the way to those that all wait for. */
static char *
format_step (const Sentence *sentence, guint index)
{
    const AnalysisStep *step = &g_array_index (sentence->way, AnalysisStep, index);
    g_autofree char *call = analysis_sentence_format_step (sentence->form, sentence->waits,
                                                           step);

    /* Translators: one of several ranks that wait, and its call: "3 in MPI_Recv from 5". */
    return base_text_print_in (sentence->form, "rank and its call", "%u in %s", step->rank,
                               call);
}

static void
say_way (const Sentence *sentence, GString *text)
{
    guint n_waiting = count_waiting (sentence->way);

    for (guint i = 0; i < n_waiting; i++) {
        if (is_told (i, n_waiting)) {
            say (sentence, text, i == 0 ? format_wait (sentence) : format_step (sentence, i));
        } else if (i == MAX_STEPS - 1) {
            guint n_more = n_waiting - MAX_STEPS;

            /* Translators: a number of ranks that wait one for the other. */
            say (sentence, text,
                 base_text_print_plural (sentence->form, "and so on over %u more",
                                         "and so on over %u more", n_more, n_more));
        }
    }
}

/* ---- words: who is waited for ---- */

static char *
describe_group (const Sentence *sentence, const Group *group, const char *who)
{
    AnalysisSubject subject = { sentence->form, who, job_rank_set_get_count (group->ranks) };

    return analysis_sentence_describe_rank (&subject, sentence->verdict->kind, sentence->waits,
                                            group->lowest);
}

static void
say_group (const Sentence *sentence, GString *text, const Group *group, gboolean is_missing)
{
    g_autofree char *ranks = job_rank_set_format (group->ranks);
    guint n = job_rank_set_get_count (group->ranks);

    if (is_missing) {
        /* Translators: the subject of a clause that follows one about a rank, or several. */
        g_autofree char *who = n == 1 ? base_text_print_in (sentence->form, "one rank", "it")
                                      : base_text_print_in (sentence->form, "several ranks",
                                                            "they");

        /* Translators: ranks that have not called a collective that others wait in. */
        say (sentence, text,
             base_text_print_plural (sentence->form, "%s has not called it",
                                     "%s have not called it", n, ranks));
        say (sentence, text, describe_group (sentence, group, who));
    } else {
        say (sentence, text, describe_group (sentence, group, ranks));
    }
}

static void
say_groups (const Sentence *sentence, GString *text, gboolean is_missing)
{
    for (guint i = 0; i < MIN (sentence->groups->len, MAX_GROUPS); i++) {
        say_group (sentence, text, g_ptr_array_index (sentence->groups, i), is_missing);
    }
    if (sentence->groups->len > MAX_GROUPS) {
        guint n_more = sentence->groups->len - MAX_GROUPS;

        /* Translators: a number of places that further ranks are at. */
        say (sentence, text,
             base_text_print_plural (sentence->form, "others at %u more places",
                                     "others at %u more places", n_more, n_more));
    }
}

/* ---- words: kinds ---- */

static char *
format_behind (const Sentence *sentence)
{
    guint n = job_rank_set_get_count (sentence->verdict->behind);

    return n > 0 ? base_text_print_plural (sentence->form, "%u more is stuck",
                                           "%u more are stuck", n, n)
                 : NULL;
}

static char *
format_near (const Sentence *sentence)
{
    const AnalysisVerdict *verdict = sentence->verdict;
    gboolean is_final = verdict->is_certain && verdict->kind >= ANALYSIS_VERDICT_ENDED
                        && verdict->kind <= ANALYSIS_VERDICT_NO_PARTNER;

    return analysis_near_format (sentence->form, sentence->waits, sentence->way, is_final);
}

static char *
advise_circle (const Sentence *sentence)
{
    gboolean all_send = sentence->way->len > 1, all_receive = all_send; /* one, of several */

    BASE_EACH_ROW (sentence->way, const AnalysisStep, step) {
        JobMessageKind kind = step->operation != NULL ? step->operation->kind
                                                      : JOB_MESSAGE_LOCAL;

        all_send &= kind == JOB_MESSAGE_SEND
                    && step->operation->n_ready >= step->operation->n_partitions;
        all_receive &= kind == JOB_MESSAGE_RECV || kind == JOB_MESSAGE_PROBE;
    }
    return all_receive ? base_text_print (sentence->form, "one must send first")
           : all_send  ? base_text_print (sentence->form, "one must receive first")
                       : NULL;
}

/* "0 in MPI_Recv from 1; 1 in MPI_Recv from 0; and 4 more" */
static char *
format_steps (const Sentence *sentence)
{
    GString *list = g_string_new (NULL);

    for (guint i = 0; i < MIN (sentence->way->len, MAX_STEPS); i++) {
        say (sentence, list, format_step (sentence, i));
    }
    if (sentence->way->len > MAX_STEPS) {
        guint n_more = sentence->way->len - MAX_STEPS;

        /* Translators: a number of ranks, after a list of others. */
        say (sentence, list,
             base_text_print_plural (sentence->form, "and %u more", "and %u more", n_more,
                                     n_more));
    }
    return g_string_free (list, FALSE);
}

static char *
format_circle (const Sentence *sentence)
{
    g_autofree char *ranks = job_rank_set_format (sentence->verdict->culprits);
    g_autofree char *steps = format_steps (sentence);
    guint32 first = job_rank_set_get_lowest (sentence->verdict->culprits), second;

    if (sentence->way->len == 1) {
        return sentence->is_sure
                   /* Translators: a rank, and the call that it is in. */
                   ? base_text_print (sentence->form, "%s waits for itself: %s", ranks, steps)
                   : base_text_print (sentence->form, "%s appears to wait for itself: %s",
                                      ranks, steps);
    }
    if (sentence->way->len == 2) {
        second = g_array_index (sentence->way, AnalysisStep, 0).rank == first
                     ? g_array_index (sentence->way, AnalysisStep, 1).rank
                     : g_array_index (sentence->way, AnalysisStep, 0).rank;
        return sentence->is_sure
                   /* Translators: two ranks, and the calls that they are in. */
                   ? base_text_print (sentence->form, "%u and %u wait for each other: %s",
                                      first, second, steps)
                   : base_text_print (sentence->form,
                                      "%u and %u appear to wait for each other: %s", first,
                                      second, steps);
    }
    return sentence->is_sure
               ? base_text_print (sentence->form, "%s wait for each other in a circle: %s",
                                  ranks, steps)
               : base_text_print (sentence->form,
                                  "%s appear to wait for each other in a circle: %s", ranks,
                                  steps);
}

static char *
format_mismatch (const Sentence *sentence)
{
    const AnalysisMismatch *mismatch = sentence->mismatch;
    g_autofree char *calls = analysis_mismatch_format (sentence->form, mismatch);
    g_autofree char *name = analysis_communicator_format (
        sentence->form,
        analysis_communicators_find (sentence->waits->communicators, mismatch->communicator),
        mismatch->communicator);
    g_autofree char *ordinal = job_message_format_ordinal (sentence->form, mismatch->sequence);

    if (mismatch->kind == ANALYSIS_MISMATCH_EARLIER) {
        return base_text_print (sentence->form, "ranks called different collectives on %s: %s",
                                name, calls);
    }
    /* Translators: a number ("second"), a communicator, and what the ranks have called. */
    return base_text_print (sentence->form,
                            "the %s collective on %s is not the same for all: %s", ordinal,
                            name, calls);
}

static char *
format_advice (const Sentence *sentence)
{
    const AnalysisVerdict *verdict = sentence->verdict;
    g_autoptr (JobRankSet) helped = dup_helped (verdict, sentence->waits);
    g_autofree char *which = job_rank_set_format (helped);

    if (job_rank_set_is_empty (helped)) {
        return NULL;
    }
    if (verdict->kind == ANALYSIS_VERDICT_HELD
        && sentence->waits->ranks[job_rank_set_get_lowest (helped)].is_core) {
        return NULL;
    }
    if (verdict->kind == ANALYSIS_VERDICT_HELD) {
        /* Translators: advice; the ranks are paused. */
        return base_text_print (sentence->form, "step or continue %s", which);
    }
    if (verdict->kind != ANALYSIS_VERDICT_SYSTEM_CALL) {
        return NULL;
    }
    if (!job_rank_set_equal (helped, verdict->culprits)) {
        return base_text_print (sentence->form, "input frees %s", which);
    }
    return is_one (helped) ? base_text_print (sentence->form, "input frees it")
                           : base_text_print (sentence->form, "input frees them");
}

/* Nobody of the set waits in MPI. */
static void
say_idle (const Sentence *sentence, GString *text)
{
    const AnalysisVerdict *verdict = sentence->verdict;
    guint32 lowest = job_rank_set_get_lowest (verdict->culprits);
    const JobMessageQueue *queue = lowest < sentence->waits->n_ranks
                                       ? sentence->waits->ranks[lowest].queue
                                       : NULL;

    if (job_rank_set_is_empty (verdict->culprits)) {
        say (sentence, text, base_text_print (sentence->form, "no rank is there"));
        return;
    }
    if (is_unseen (sentence)) {
        say (sentence, text,
             queue != NULL && queue->remark != NULL
                 ? base_text_print (sentence->form, "what MPI is doing here is not known: %s",
                                    queue->remark)
                 : base_text_print (sentence->form, "what MPI is doing here is not known"));
        return;
    }
    if (verdict->kind == ANALYSIS_VERDICT_FREE) {
        say (sentence, text, base_text_print (sentence->form, "no rank is waiting in MPI"));
    }
    say_groups (sentence, text, FALSE);
}

static void
say_waiting (const Sentence *sentence, GString *text)
{
    const AnalysisVerdict *verdict = sentence->verdict;
    const AnalysisStep *last = sentence->way->len > 1
                                   ? &g_array_index (sentence->way, AnalysisStep,
                                                     sentence->way->len - 2)
                                   : NULL;
    guint32 target;

    say_way (sentence, text);
    if (verdict->is_unexplained) {
        say (sentence, text,
             analysis_sentence_format_unexplained (sentence->form, sentence->way,
                                                   job_rank_set_get_count (verdict->waiting)));
        say_groups (sentence, text, FALSE);
        return;
    }
    if (verdict->kind == ANALYSIS_VERDICT_UNKNOWN
        && analysis_sentence_find_target (sentence->waits, sentence->way, &target)) {
        say_groups (sentence, text, FALSE);
        say (sentence, text,
             analysis_sentence_format_target (sentence->form, sentence->waits, target));
        return;
    }
    if (verdict->kind == ANALYSIS_VERDICT_UNKNOWN) {
        say (sentence, text,
             analysis_sentence_format_unknown (sentence->form, sentence->waits, sentence->way));
        say_groups (sentence, text, FALSE);
        return;
    }
    say_groups (sentence, text,
                last != NULL && last->collective != NULL && !last[1].is_halted
                    && verdict->kind != ANALYSIS_VERDICT_ENDED);
}

/* The thread of the rank that waits. */
static char *
format_waiter (const Sentence *sentence, guint32 rank, const GPtrArray *waits)
{
    const JobWait *wait = waits->len > 0 ? g_ptr_array_index (waits, 0) : NULL;

    return wait == NULL || wait->thread <= 1
               ? base_text_print (sentence->form, "the main thread of %u", rank)
               /* Translators: the numbers of a thread and of its rank; the beginning of a sentence about it. */
               : base_text_print (sentence->form, "thread %u of %u", wait->thread, rank);
}

/* Why the other threads of a circle's ranks do not do what the others wait for. */
static void
say_threads (const Sentence *sentence, GString *text)
{
    guint n_said = 0;

    for (guint i = 0; i < sentence->way->len && n_said < MAX_GROUPS; i++) {
        guint32 rank = g_array_index (sentence->way, AnalysisStep, i).rank;
        const JobMessageQueue *queue = sentence->waits->ranks[rank].queue;
        g_autofree char *who = queue != NULL ? format_waiter (sentence, rank, queue->waits)
                                             : NULL;
        const AnalysisSubject thread = { sentence->form, who, 1 };
        char *clause = queue != NULL && queue->calls->len > 0
                               && (queue->flags & JOB_MESSAGE_QUEUE_OTHERS) == 0
                           ? analysis_sentence_describe_wait (&thread, queue->waits)
                           : NULL;

        if (clause != NULL) {
            say (sentence, text, clause);
            n_said++;
        }
    }
}

static void
say_kind (const Sentence *sentence, GString *text)
{
    g_autofree char *near = NULL;

    switch (sentence->verdict->kind) {
    case ANALYSIS_VERDICT_MISMATCH: say (sentence, text, format_mismatch (sentence)); break;
    case ANALYSIS_VERDICT_CYCLE:
        say (sentence, text, format_circle (sentence));
        say_threads (sentence, text);
        near = format_near (sentence);
        say (sentence, text,
             analysis_near_format_apart (sentence->form, sentence->waits, sentence->way,
                                         near == NULL));
        say (sentence, text, advise_circle (sentence));
        say (sentence, text, format_behind (sentence));
        break;
    case ANALYSIS_VERDICT_NO_PARTNER:
        say_way (sentence, text);
        say (sentence, text,
             base_text_print (sentence->form, "no rank is left that could send it"));
        break;
    default:
        if (sentence->way->len > 0) {
            say_waiting (sentence, text);
        } else {
            say_idle (sentence, text);
        }
    }
}

static char *
write_form (Sentence *sentence, BaseTextForm form)
{
    GString *text = g_string_new (NULL);

    sentence->form = form;
    say_kind (sentence, text);
    say (sentence, text, format_near (sentence));
    say (sentence, text, analysis_near_format_matched (form, sentence->waits, sentence->way));
    say (sentence, text, format_advice (sentence));
    if (sentence->mismatch != NULL && sentence->verdict->kind < ANALYSIS_VERDICT_MISMATCH) {
        say (sentence, text, format_mismatch (sentence));
    }
    return g_string_free (text, FALSE);
}

void
analysis_sentence_write (AnalysisVerdict *verdict, const AnalysisWaits *waits, GArray *way,
                         const AnalysisMismatch *mismatch)
{
    Sentence sentence
        = { .verdict = verdict, .waits = waits, .way = way, .mismatch = mismatch };
    char *english, *shown;

    sentence.groups = g_ptr_array_new_with_free_func (free_group);
    verdict->is_certain = TRUE;
    verdict->source = JOB_MESSAGE_SOURCE_RECORDER;
    BASE_EACH_ROW (way, const AnalysisStep, step) {
        if (step->call != NULL) {
            note_source (verdict, waits, step->rank);
            verdict->is_certain &= !is_short_send (step->operation);
        }
    }
    note_kind (&sentence);
    note_command (&sentence);
    if (mismatch != NULL && verdict->kind < ANALYSIS_VERDICT_MISMATCH) {
        note_mismatch (&sentence);
    }
    english = write_form (&sentence, BASE_TEXT_ENGLISH);
    shown = write_form (&sentence, BASE_TEXT_SHOWN);
    verdict->text = base_text_new_take (english, shown);
    g_ptr_array_unref (sentence.groups);
}
