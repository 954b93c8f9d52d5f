/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the two sides of collectives that have a count for each member, and of neighbours. */
#include "analysis/uneven.h"
#include "analysis/words.h"
#include "base/array.h"
#include <string.h>

#define MAX_NEIGHBOURS 128 /* of one rank that are compared */

static guint32
get_share (const GArray *shares, guint index)
{
    return shares == NULL        ? JOB_MESSAGE_NO_SHARE
           : shares->len == 1    ? g_array_index (shares, guint32, 0)
           : index < shares->len ? g_array_index (shares, guint32, index)
                                 : JOB_MESSAGE_NO_SHARE;
}

static gboolean
differ (guint64 one, guint64 other)
{
    return one != JOB_MESSAGE_NO_SHARE && other != JOB_MESSAGE_NO_SHARE && one != other;
}

static gboolean
has_word (const JobMessageCollective *collective, const char *word)
{
    return collective->name != NULL && strstr (collective->name, word) != NULL;
}

static gboolean
is_for_neighbours (const JobMessageCollective *collective)
{
    return has_word (collective, "eighbor");
}

/* A member that has begun the collective. */
typedef struct {
    guint32 rank, local;
    const JobMessageCommunicator *communicator;
    const JobMessageCollective *collective;
} Member;

/* ---- a count for each member ---- */

/* FALSE: both sides agree as far as they are known. */
static gboolean
compare_pair (const Member *giver, const Member *taker, AnalysisUneven *ret_uneven)
{
    guint64 given = get_share (giver->collective->gives, taker->local);
    guint64 taken = get_share (taker->collective->gets, giver->local);

    if (giver->rank == taker->rank || !differ (given, taken)) {
        return FALSE;
    }
    *ret_uneven = (AnalysisUneven){ .kind = ANALYSIS_UNEVEN_SHARES,
                                    .one = giver->rank,
                                    .other = taker->rank,
                                    .n_one = given,
                                    .n_other = taken };
    return TRUE;
}

/* All have to say the same of all. */
static gboolean
compare_lists (const Member *one, const Member *other, AnalysisUneven *ret_uneven)
{
    const GArray *left = one->collective->gets, *right = other->collective->gets;

    for (guint i = 0; left != NULL && right != NULL && i < MIN (left->len, right->len); i++) {
        guint32 a = g_array_index (left, guint32, i), b = g_array_index (right, guint32, i);
        gint32 about = differ (a, b)
                           ? job_message_communicator_get_member (one->communicator, i)
                           : JOB_MESSAGE_UNKNOWN;

        if (about >= 0) {
            *ret_uneven = (AnalysisUneven){ .kind = ANALYSIS_UNEVEN_COUNTS,
                                            .one = one->rank,
                                            .other = other->rank,
                                            .about = (guint32) about,
                                            .n_one = a,
                                            .n_other = b };
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
compare_members (const GArray *members, AnalysisUneven *ret_uneven)
{
    for (guint i = 0; i < members->len; i++) {
        const Member *one = &g_array_index (members, Member, i);

        if (has_word (one->collective, "educe_scatter")) {
            if (i > 0 && compare_lists (&g_array_index (members, Member, 0), one, ret_uneven)) {
                return TRUE;
            }
            continue;
        }
        if (one->collective->gives != NULL
            && BASE_ANY (k, members->len,
                         compare_pair (one, &g_array_index (members, Member, k), ret_uneven))) {
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- neighbours ---- */

static gboolean
has_neighbours (const JobMessageCommunicator *communicator)
{
    return (communicator->flags & JOB_MESSAGE_COMMUNICATOR_NEIGHBOURS)
           && (communicator->sources == NULL || communicator->sources->len <= MAX_NEIGHBOURS)
           && (communicator->destinations == NULL
               || communicator->destinations->len <= MAX_NEIGHBOURS);
}

/* How often the list names the rank, and the sum of its shares there. */
static guint
count_edges (const GArray *neighbours, const GArray *shares, guint32 rank, guint64 *ret_bytes)
{
    guint n = 0;

    *ret_bytes = 0;
    for (guint i = 0; neighbours != NULL && i < neighbours->len; i++) {
        guint32 share = get_share (shares, i);

        if (g_array_index (neighbours, guint32, i) != rank) {
            continue;
        }
        n++;
        *ret_bytes = share == JOB_MESSAGE_NO_SHARE || *ret_bytes == JOB_MESSAGE_NO_SHARE
                         ? JOB_MESSAGE_NO_SHARE
                         : *ret_bytes + share;
    }
    return n;
}

/* What `one` gives to `other`; other's call: NULL if it has not made it yet. */
static gboolean
compare_edges (const Member *one, guint32 other, const JobMessageCommunicator *there,
               const JobMessageCollective *call, gboolean is_giver, AnalysisUneven *ret_uneven)
{
    const JobMessageCollective *own = one->collective;
    guint64 here_bytes, there_bytes;
    guint n_here = count_edges (is_giver ? one->communicator->destinations
                                         : one->communicator->sources,
                                is_giver ? own->gives : own->gets, other, &here_bytes);
    guint n_there = count_edges (is_giver ? there->sources : there->destinations,
                                 call == NULL ? NULL
                                 : is_giver   ? call->gets
                                              : call->gives,
                                 one->rank, &there_bytes);

    *ret_uneven = (AnalysisUneven){ .kind = n_there > 0 ? ANALYSIS_UNEVEN_EDGES
                                            : is_giver  ? ANALYSIS_UNEVEN_DESTINATION
                                                        : ANALYSIS_UNEVEN_SOURCE,
                                    .one = one->rank,
                                    .other = other,
                                    .n_one = n_here,
                                    .n_other = n_there };
    if (n_here != n_there) {
        return TRUE;
    }
    if (!is_giver || call == NULL || other == one->rank || !differ (here_bytes, there_bytes)) {
        return FALSE;
    }
    ret_uneven->kind = ANALYSIS_UNEVEN_SHARES;
    ret_uneven->n_one = here_bytes;
    ret_uneven->n_other = there_bytes;
    return TRUE;
}

static gboolean
compare_neighbours (const AnalysisCommunicator *communicator, const GArray *members,
                    guint64 sequence, AnalysisUneven *ret_uneven)
{
    BASE_EACH_ROW (members, const Member, one) {
        for (guint side = 0; has_neighbours (one->communicator) && side < 2; side++) {
            const GArray *list = side == 0 ? one->communicator->destinations
                                           : one->communicator->sources;

            for (guint k = 0; list != NULL && k < list->len; k++) {
                guint32 other = g_array_index (list, guint32, k);
                const JobMessageCommunicator *there
                    = other != G_MAXUINT32 ? analysis_communicator_find (communicator, other)
                                           : NULL;

                if (there != NULL && has_neighbours (there)
                    && compare_edges (one, other, there,
                                      job_message_communicator_find_collective (there,
                                                                                sequence),
                                      side == 0, ret_uneven)) {
                    return TRUE;
                }
            }
        }
    }
    return FALSE;
}

/* ---- all ---- */

/* Those that have begun it; NULL: it is none of these, or they called different ones. */
static GArray *
list_members (const AnalysisCommunicator *communicator, guint64 sequence)
{
    GArray *members = g_array_new (FALSE, FALSE, sizeof (Member));
    const char *name = NULL;

    BASE_EACH_ROW (communicator->entries, const AnalysisEntry, entry) {
        const JobMessageCollective *own
            = job_message_communicator_find_collective (entry->communicator, sequence);
        const Member member = { entry->rank, (guint32) entry->communicator->local_rank,
                                entry->communicator, own };

        if (own == NULL || own->name == NULL || entry->communicator->local_rank < 0) {
            continue;
        }
        if (name != NULL && strcmp (name, own->name) != 0) {
            g_array_unref (members);
            return NULL;
        }
        name = own->name;
        g_array_append_val (members, member);
    }
    return members;
}

static gboolean
says_counts (const JobMessageCollective *collective)
{
    return collective->gives != NULL || collective->gets != NULL;
}

BASE_ORDER (compare_sequences, guint64, BASE_COMPARE (*left, *right))

/* Numbers of collectives in which somebody says what it gives or gets, in rising order. */
static GArray *
list_sequences (const AnalysisCommunicator *communicator)
{
    g_autoptr (GHashTable) known = g_hash_table_new (g_int64_hash, g_int64_equal);
    GArray *sequences = g_array_new (FALSE, FALSE, sizeof (guint64));

    BASE_EACH_ROW (communicator->entries, const AnalysisEntry, entry) {
        GPtrArray *list = entry->communicator->collectives;

        BASE_EACH (list, JobMessageCollective, own) {
            if (says_counts (own) && g_hash_table_add (known, &own->sequence)) {
                g_array_append_val (sequences, own->sequence);
            }
        }
    }
    g_array_sort (sequences, compare_sequences);
    return sequences;
}

gboolean
analysis_uneven_find (const AnalysisCommunicator *communicator, AnalysisUneven *ret_uneven)
{
    g_autoptr (GArray) sequences = list_sequences (communicator);
    gboolean is_found = FALSE;

    for (guint i = 0; !is_found && i < sequences->len; i++) {
        guint64 sequence = g_array_index (sequences, guint64, i);
        g_autoptr (GArray) members = list_members (communicator, sequence);

        if (members == NULL || members->len == 0) {
            continue;
        }
        is_found = is_for_neighbours (g_array_index (members, Member, 0).collective)
                       ? compare_neighbours (communicator, members, sequence, ret_uneven)
                       : compare_members (members, ret_uneven);
        ret_uneven->sequence = sequence;
    }
    return is_found;
}

/* ---- words ---- */

static char *
format_bytes (BaseTextForm form, guint64 bytes)
{
    return bytes == 0 ? base_text_print_in (form, "bytes", "nothing")
                      : base_text_print_plural (form, "%lu bytes", "%lu bytes", (gulong) bytes,
                                                (gulong) bytes);
}

static char *
add_call (BaseTextForm form, char *clause, const JobMessageCollective *call)
{
    return analysis_words_add_line (form, clause, call != NULL ? call->place : NULL);
}

static char *
format_shares (BaseTextForm form, const AnalysisUneven *uneven, const char *name,
               const JobMessageCollective *one, const JobMessageCollective *other)
{
    g_autofree char *given = format_bytes (form, uneven->n_one);
    g_autofree char *taken = format_bytes (form, uneven->n_other);
    g_autofree char *left = NULL, *right = NULL;

    if (uneven->kind == ANALYSIS_UNEVEN_COUNTS) {
        /* Translators: a rank, what it says that a rank gets ("8 bytes"), that rank, and a call. */
        left = base_text_print (form, "%u gives %s as the share of %u in %s", uneven->one,
                                given, uneven->about, name);
        right = base_text_print_in (form, "the share of a rank", "%u %s", uneven->other, taken);
    } else {
        /* Translators: a rank, what it gives ("8 bytes"), the rank that it gives it, and a call. */
        left = base_text_print (form, "%u gives %s to %u in %s", uneven->one, given,
                                uneven->other, name);
        /* Translators: a rank, and what another one should give it: "8 bytes". */
        right = base_text_print (form, "%u expects %s from it", uneven->other, taken);
    }
    left = add_call (form, g_steal_pointer (&left), one);
    right = add_call (form, g_steal_pointer (&right), other);
    /* Translators: what two ranks say of one thing, which differs. */
    return base_text_print_in (form, "two ranks that differ", "%s, %s", left, right);
}

char *
analysis_uneven_format (BaseTextForm form, const AnalysisUneven *uneven,
                        const JobMessageCollective *one, const JobMessageCollective *other)
{
    const char *name = one != NULL && one->name != NULL ? one->name : "MPI";
    char *clause;

    switch (uneven->kind) {
    case ANALYSIS_UNEVEN_DESTINATION:
        /* Translators: a rank, one that it gives data to, a call, and the two ranks again. */
        clause = base_text_print (form,
                                  "%u gives data to %u in %s, but %u does not name %u as a "
                                  "source",
                                  uneven->one, uneven->other, name, uneven->other, uneven->one);
        return add_call (form, clause, one);
    case ANALYSIS_UNEVEN_SOURCE:
        clause = base_text_print (form,
                                  "%u expects data from %u in %s, but %u does not name %u as a "
                                  "destination",
                                  uneven->one, uneven->other, name, uneven->other, uneven->one);
        return add_call (form, clause, one);
    case ANALYSIS_UNEVEN_EDGES:
        /* Translators: two ranks, a call, and how often each names the other one as a neighbour. */
        clause = base_text_print (form,
                                  "%u and %u name each other a different number of times as "
                                  "neighbours in %s: %lu and %lu",
                                  uneven->one, uneven->other, name, (gulong) uneven->n_one,
                                  (gulong) uneven->n_other);
        return add_call (form, clause, one);
    default: return format_shares (form, uneven, name, one, other);
    }
}
