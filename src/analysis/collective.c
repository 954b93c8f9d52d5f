/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the n-th collectives of a communicator's members. Finds a mismatch anywhere in the
 * ranks' records, even if it causes no hang. */
#include "analysis/collective.h"
#include "analysis/types.h"
#include "analysis/words.h"
#include "base/array.h"
#include <string.h>

BASE_FREE (free_party, AnalysisParty, party, job_rank_set_free (party->ranks))

static void
free_mismatch (AnalysisMismatch *mismatch)
{
    if (mismatch != NULL) {
        g_ptr_array_unref (mismatch->parties);
        job_rank_set_free (mismatch->minority);
        g_free (mismatch);
    }
}

static const struct {
    const char *word;
    AnalysisNeed need;
} needs[] = {
    { "bcast", ANALYSIS_NEED_ROOT },     { "scatter", ANALYSIS_NEED_ROOT },
    { "scatterv", ANALYSIS_NEED_ROOT },  { "gather", ANALYSIS_NEED_GATHER },
    { "gatherv", ANALYSIS_NEED_GATHER }, { "reduce", ANALYSIS_NEED_GATHER },
    { "scan", ANALYSIS_NEED_SOME },      { "exscan", ANALYSIS_NEED_SOME },
};

AnalysisNeed
analysis_collective_get_need (const char *name)
{
    const char *word = name != NULL && g_str_has_prefix (name, "MPI_") ? name + 4 : "";
    gsize length = strcspn (word, "_");

    if (g_str_has_prefix (word, "Neighbor_") || g_str_has_prefix (word, "Ineighbor_")
        || g_str_has_prefix (word, "File_read") || g_str_has_prefix (word, "File_write")) {
        return ANALYSIS_NEED_SOME;
    }
    if (word[length] != '\0' && strcmp (word + length, "_init") != 0) {
        return ANALYSIS_NEED_ALL;
    }
    for (guint i = 0; i < G_N_ELEMENTS (needs); i++) {
        const char *at = word[0] == 'I' ? word + 1 : word;

        if (strlen (needs[i].word) == length - (gsize) (at - word)
            && g_ascii_strncasecmp (at, needs[i].word, strlen (needs[i].word)) == 0) {
            return needs[i].need;
        }
    }
    return ANALYSIS_NEED_ALL;
}

/* A rank's collective. */
typedef struct {
    guint32 rank;
    const JobMessageCollective *collective;
} Call;

/* On an intercommunicator all name the same root, which says so itself; of its own side the others say
 * that none of them is. */
static gboolean
differ_in_root (const Call *left, const Call *right, gboolean is_inter)
{
    const JobMessageCollective *a = left->collective, *b = right->collective;

    if (!(a->flags & b->flags & JOB_MESSAGE_ROOTED)) {
        return FALSE;
    }
    if (a->root >= 0 && b->root >= 0) {
        return a->root != b->root;
    }
    return is_inter
           && ((a->root == JOB_MESSAGE_NONE && b->root == (gint32) left->rank)
               || (b->root == JOB_MESSAGE_NONE && a->root == (gint32) right->rank));
}

static gboolean
differ_in_bytes (const JobMessageCollective *a, const JobMessageCollective *b)
{
    if ((a->flags | b->flags) & JOB_MESSAGE_V_FORM) {
        return FALSE;
    }
    return a->bytes != b->bytes || (a->other_signature != NULL && a->other_bytes != b->bytes)
           || (b->other_signature != NULL && b->other_bytes != a->bytes);
}

/* What each gives to one other is what that gets of it: all halves are of one type. */
static gboolean
differ_in_type (const JobMessageCollective *a, const JobMessageCollective *b)
{
    gboolean is_known = !((a->flags | b->flags) & JOB_MESSAGE_V_FORM);
    const struct {
        const char *signature;
        guint64 bytes;
    } halves[2][2] = {
        { { a->signature, a->bytes }, { a->other_signature, a->other_bytes } },
        { { b->signature, b->bytes }, { b->other_signature, b->other_bytes } },
    };

    for (guint i = 0; i < 2; i++) {
        for (guint k = 0; k < 2; k++) {
            if (i == 1 && k == 1 && !is_known) {
                continue; /* whose counts are all of others, and may be 0 */
            }
            if (analysis_signature_differ (halves[0][i].signature, halves[1][k].signature,
                                           is_known
                                               ? MIN (halves[0][i].bytes, halves[1][k].bytes)
                                               : 0)) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* FALSE: they agree as far as both are known. */
static gboolean
differ (const Call *left, const Call *right, gboolean is_inter, AnalysisMismatchKind *ret_kind)
{
    const JobMessageCollective *a = left->collective, *b = right->collective;

    if (a->name != NULL && b->name != NULL && strcmp (a->name, b->name) != 0) {
        *ret_kind = ANALYSIS_MISMATCH_OPERATION;
        return TRUE;
    }
    if (differ_in_root (left, right, is_inter)) {
        *ret_kind = ANALYSIS_MISMATCH_ROOT;
        return TRUE;
    }
    if (a->reduction != NULL && b->reduction != NULL
        && strcmp (a->reduction, b->reduction) != 0) {
        *ret_kind = ANALYSIS_MISMATCH_REDUCTION;
        return TRUE;
    }
    *ret_kind = ANALYSIS_MISMATCH_TYPE;
    if (differ_in_type (a, b)) {
        return TRUE;
    }
    *ret_kind = ANALYSIS_MISMATCH_BYTES;
    if (!is_inter && differ_in_bytes (a, b)) {
        return TRUE;
    }
    *ret_kind = ANALYSIS_MISMATCH_EARLIER;
    return a->chain != 0 && b->chain != 0 && a->chain != b->chain;
}

/* The smallest sequence at which a member differs from the first member that remembers it; 0.
 */
static guint64
find_first_difference (const AnalysisCommunicator *communicator, gboolean is_inter)
{
    g_autoptr (GHashTable) first = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
                                                          g_free);
    guint64 smallest = 0;
    AnalysisMismatchKind kind;

    BASE_EACH_ROW (communicator->entries, const AnalysisEntry, entry) {
        GPtrArray *list = entry->communicator->collectives;

        BASE_EACH (list, JobMessageCollective, own) {
            const Call call = { entry->rank, own };
            const Call *other = g_hash_table_lookup (first, &own->sequence);

            if (other == NULL) {
                g_hash_table_insert (first, &own->sequence, g_memdup2 (&call, sizeof call));
            } else if ((smallest == 0 || own->sequence < smallest)
                       && differ (&call, other, is_inter, &kind)) {
                smallest = own->sequence;
            }
        }
    }
    return smallest;
}

static void
add_party (AnalysisMismatch *mismatch, guint32 rank, const JobMessageCollective *collective)
{
    AnalysisParty *party = g_new0 (AnalysisParty, 1);

    party->ranks = job_rank_set_new_range (rank, rank + 1);
    party->collective = collective;
    party->place = collective->place;
    g_ptr_array_add (mismatch->parties, party);
}

static void
add_to_party (AnalysisMismatch *mismatch, guint32 rank, const JobMessageCollective *collective,
              gboolean is_inter)
{
    const Call call = { rank, collective };
    AnalysisMismatchKind kind;
    AnalysisParty *party;

    for (guint i = 0; i < mismatch->parties->len; i++) {
        Call first;

        party = g_ptr_array_index (mismatch->parties, i);
        first = (Call){ job_rank_set_get_lowest (party->ranks), party->collective };
        if (!differ (&first, &call, is_inter, &kind)) {
            job_rank_set_add (party->ranks, rank);
            return;
        }
        mismatch->kind = MIN (mismatch->kind, kind);
    }
    add_party (mismatch, rank, collective);
}

BASE_ORDER_POINTERS (compare_parties, AnalysisParty,
                     job_rank_set_compare_counts (left->ranks, right->ranks)
                         ?: job_rank_set_compare_lowest (left->ranks, right->ranks))

static void
find_minority (AnalysisMismatch *mismatch)
{
    guint n = mismatch->parties->len;
    const AnalysisParty *last = g_ptr_array_index (mismatch->parties, n - 1);
    const AnalysisParty *before = g_ptr_array_index (mismatch->parties, n - 2);
    gboolean is_tie = job_rank_set_get_count (last->ranks)
                      == job_rank_set_get_count (before->ranks);

    for (guint i = 0; i < (is_tie ? n : n - 1); i++) {
        const AnalysisParty *party = g_ptr_array_index (mismatch->parties, i);

        job_rank_set_merge (mismatch->minority, party->ranks);
    }
}

static AnalysisMismatch *
new_mismatch (AnalysisMismatchKind kind, guint64 communicator, guint64 sequence)
{
    AnalysisMismatch *mismatch = g_new0 (AnalysisMismatch, 1);

    mismatch->kind = kind;
    mismatch->communicator = communicator;
    mismatch->sequence = sequence;
    mismatch->parties = g_ptr_array_new_with_free_func (free_party);
    mismatch->minority = job_rank_set_new ();
    return mismatch;
}

/* The call of one of the two. NULL: it has not made it, or it is no longer known. */
static const JobMessageCollective *
find_call_of (const AnalysisCommunicator *communicator, guint32 rank, guint64 sequence)
{
    const JobMessageCommunicator *known = analysis_communicator_find (communicator, rank);

    return known != NULL ? job_message_communicator_find_collective (known, sequence) : NULL;
}

static AnalysisMismatch *
new_uneven (const AnalysisCommunicator *communicator, const AnalysisUneven *uneven)
{
    AnalysisMismatch *mismatch = new_mismatch (ANALYSIS_MISMATCH_UNEVEN, communicator->id,
                                               uneven->sequence);
    const guint32 ranks[] = { uneven->one, uneven->other };

    mismatch->uneven = *uneven;
    for (guint i = 0; i < 2; i++) {
        const JobMessageCollective *own = find_call_of (communicator, ranks[i],
                                                        uneven->sequence);

        job_rank_set_add (mismatch->minority, ranks[i]);
        if (own != NULL) {
            add_party (mismatch, ranks[i], own);
        }
    }
    return mismatch;
}

/* NULL: no known mismatch. */
static AnalysisMismatch *
find_mismatch (const AnalysisCommunicator *communicator)
{
    gboolean is_inter = (communicator->whole->flags & JOB_MESSAGE_COMMUNICATOR_INTER) != 0;
    guint64 sequence = find_first_difference (communicator, is_inter);
    AnalysisMismatch *mismatch;
    AnalysisUneven uneven;

    if (analysis_uneven_find (communicator, &uneven)
        && (sequence == 0 || uneven.sequence < sequence)) {
        return new_uneven (communicator, &uneven);
    }
    if (sequence == 0) {
        return NULL;
    }
    mismatch = new_mismatch (ANALYSIS_MISMATCH_EARLIER, communicator->id, sequence);
    BASE_EACH_ROW (communicator->entries, const AnalysisEntry, entry) {
        const JobMessageCollective *own
            = job_message_communicator_find_collective (entry->communicator, sequence);

        if (own != NULL) {
            add_to_party (mismatch, entry->rank, own, is_inter);
        }
    }
    g_ptr_array_sort (mismatch->parties, compare_parties);
    find_minority (mismatch);
    return mismatch;
}

BASE_ORDER_POINTERS (compare_mismatches, AnalysisMismatch,
                     job_rank_set_compare_lowest (left->minority, right->minority)
                         ?: BASE_BY (communicator))

GPtrArray *
analysis_collective_list_mismatches (GHashTable *communicators)
{
    GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) free_mismatch);
    gpointer communicator;

    BASE_WALK (communicators, NULL, &communicator) {
        AnalysisMismatch *mismatch = find_mismatch (communicator);

        if (mismatch != NULL) {
            g_ptr_array_add (list, mismatch);
        }
    }
    g_ptr_array_sort (list, compare_mismatches);
    return list;
}

/* mpi4py's methods are known only while the call lasts. */
static const JobMessageCall *
find_call (const JobMessageQueue *queue, const AnalysisMismatch *mismatch)
{
    for (guint i = 0; queue != NULL && i < queue->calls->len; i++) {
        const JobMessageCall *call = g_ptr_array_index (queue->calls, i);

        for (guint j = 0; j < call->waits->len; j++) {
            guint32 index = g_array_index (call->waits, guint32, j);
            const JobMessageOperation *operation = index < queue->operations->len
                                                       ? g_ptr_array_index (queue->operations,
                                                                            index)
                                                       : NULL;

            if (operation != NULL && operation->communicator == mismatch->communicator
                && operation->sequence == mismatch->sequence) {
                return call;
            }
        }
    }
    return NULL;
}

void
analysis_mismatch_find_places (AnalysisMismatch *mismatch, const AnalysisRank *ranks,
                               guint32 n_ranks)
{
    BASE_EACH (mismatch->parties, AnalysisParty, party) {
        JobRankIter iter = { 0 };
        guint32 rank;

        while (party->place == NULL && job_rank_set_next (party->ranks, &iter, &rank)
               && rank < n_ranks) {
            const JobMessageCall *call = find_call (ranks[rank].queue, mismatch);

            party->place = call != NULL ? call->place : NULL;
            party->method = call != NULL ? call->method : NULL;
        }
    }
}

/* The label, which it takes, with the types: "MPI_Bcast of MPI_INT"; of a root whose halves differ
 * "of MPI_INT and MPI_FLOAT". */
static char *
add_types (BaseTextForm form, char *label, const JobMessageCollective *collective)
{
    const char *one = collective->signature, *other = collective->other_signature;
    g_autofree char *owned = label;
    g_autofree char *first = analysis_signature_format (one != NULL     ? one
                                                        : other != NULL ? other
                                                                        : "");
    g_autofree char *second = other != NULL ? analysis_signature_format (other) : NULL;

    if (*first == '\0') {
        g_free (first);
        /* Translators: an empty message: "MPI_Bcast of nothing". */
        first = base_text_print_in (form, "datatype", "nothing");
    }
    if (second != NULL && strcmp (first, second) != 0) {
        /* Translators: a call and two datatypes: "MPI_Gather of MPI_INT and MPI_FLOAT". */
        return base_text_print (form, "%s of %s and %s", owned, first, second);
    }
    /* Translators: a call and a datatype: "MPI_Bcast of MPI_INT". */
    return base_text_print_in (form, "call and its datatype", "%s of %s", owned, first);
}

static char *
add_bytes (BaseTextForm form, char *label, const JobMessageCollective *collective)
{
    g_autofree char *owned = label;

    if (collective->other_signature != NULL && collective->other_bytes != collective->bytes) {
        return base_text_print (form, "%s with %lu bytes and %lu", owned,
                                (gulong) collective->bytes, (gulong) collective->other_bytes);
    }
    return base_text_print_plural (form, "%s with %lu bytes", "%s with %lu bytes",
                                   (gulong) collective->bytes, owned,
                                   (gulong) collective->bytes);
}

/* The label, which it takes, with what differs in this call. */
static char *
add_difference (BaseTextForm form, char *label, AnalysisMismatchKind kind,
                const JobMessageCollective *collective)
{
    g_autofree char *owned = NULL;

    switch (kind) {
    case ANALYSIS_MISMATCH_ROOT:
        owned = label;
        /* Translators: a call and the rank that is its root. */
        return collective->root >= 0
                   ? base_text_print (form, "%s with root %d", owned, collective->root)
                   : base_text_print (form, "%s with MPI_PROC_NULL as root", owned);
    case ANALYSIS_MISMATCH_REDUCTION:
        owned = label;
        /* Translators: a call and its operation: "MPI_Reduce with MPI_SUM". */
        return base_text_print_in (form, "call and its reduction", "%s with %s", owned,
                                   collective->reduction);
    case ANALYSIS_MISMATCH_TYPE: return add_types (form, label, collective);
    case ANALYSIS_MISMATCH_BYTES: return add_bytes (form, label, collective);
    default: return label;
    }
}

/* "(comm.barrier at app.py:9)" where a method is known. */
static char *
add_party_line (BaseTextForm form, char *label, const AnalysisParty *party)
{
    g_autofree char *line = analysis_words_format_line (party->place);
    g_autofree char *owned = NULL;

    if (party->method == NULL || line == NULL) {
        return analysis_words_add_line (form, label, party->place);
    }
    owned = label;
    /* Translators: a call, a method of mpi4py, and a line: "MPI_Barrier (comm.barrier at
       app.py:9)". */
    return base_text_print (form, "%s (%s at %s)", owned, party->method, line);
}

/* "3 calls MPI_Barrier (a.c:10)", "0-2 MPI_Allreduce (a.c:12)", "2-3 with root 1 (a.c:3)" */
static char *
format_party (BaseTextForm form, const AnalysisMismatch *mismatch, guint index)
{
    const AnalysisParty *party = g_ptr_array_index (mismatch->parties, index);
    const JobMessageCollective *collective = party->collective;
    g_autofree char *ranks = job_rank_set_format (party->ranks);
    g_autofree char *unknown = base_text_print (form, "a collective");
    const char *name = collective->name != NULL ? collective->name : unknown;
    char *label;

    if (index == 0) {
        /* Translators: ranks and a call; further ranks and their calls follow. */
        label = base_text_print_plural (form, "%s calls %s", "%s call %s",
                                        job_rank_set_get_count (party->ranks), ranks, name);
    } else if (mismatch->kind == ANALYSIS_MISMATCH_OPERATION) {
        /* Translators: ranks and a call, after "3 calls MPI_Barrier, ". */
        label = base_text_print_in (form, "further ranks and their call", "%s %s", ranks, name);
    } else {
        label = g_steal_pointer (&ranks);
    }
    return add_party_line (form, add_difference (form, label, mismatch->kind, collective),
                           party);
}

/* Their calls are no longer in any table. */
static char *
format_earlier (BaseTextForm form, const AnalysisMismatch *mismatch)
{
    g_autofree char *who = NULL, *ordinal = NULL;

    BASE_EACH (mismatch->parties, const AnalysisParty, party) {
        g_autofree char *ranks = job_rank_set_format (party->ranks), *before = who;

        /* Translators: ranks, and further ones: "1 and 0,2". */
        who = before != NULL ? base_text_print_in (form, "ranks", "%s and %s", before, ranks)
                             : g_steal_pointer (&ranks);
    }
    ordinal = job_message_format_ordinal (form, mismatch->sequence);
    /* Translators: ranks, and a number ("second"). */
    return base_text_print (form, "%s have called different ones before the %s collective",
                            who != NULL ? who : "", ordinal);
}

/* NULL: it has not made the call, or it is no longer known. */
static const JobMessageCollective *
get_call (const AnalysisMismatch *mismatch, guint32 rank)
{
    return BASE_PICK (mismatch->parties, const AnalysisParty, party,
                      job_rank_set_contains (party->ranks, rank), party->collective, NULL);
}

char *
analysis_mismatch_format (BaseTextForm form, const AnalysisMismatch *mismatch)
{
    g_autofree char *list = NULL;

    if (mismatch->kind == ANALYSIS_MISMATCH_EARLIER) {
        return format_earlier (form, mismatch);
    }
    if (mismatch->kind == ANALYSIS_MISMATCH_UNEVEN) {
        return analysis_uneven_format (form, &mismatch->uneven,
                                       get_call (mismatch, mismatch->uneven.one),
                                       get_call (mismatch, mismatch->uneven.other));
    }
    for (guint i = 0; i < mismatch->parties->len; i++) {
        g_autofree char *party = format_party (form, mismatch, i), *before = list;

        /* Translators: what some ranks call, and what others call. */
        list = before != NULL ? base_text_print_in (form, "calls", "%s, %s", before, party)
                              : g_steal_pointer (&party);
    }
    return list != NULL ? g_steal_pointer (&list) : g_strdup ("");
}
