/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/types.h"
#include "analysis/words.h"
#include "base/array.h"
#include <string.h>

#define MAX_PARTS 16
#define MAX_STEPS 4096

/* ---- signatures ---- */

typedef struct {
    char class;
    guint64 size, count;
    const char *name;
    gsize name_length;
} Part;

/* 0: not a signature. */
static guint
parse (const char *text, Part *parts)
{
    guint n = 0;

    while (*text != '\0' && n < MAX_PARTS) {
        Part *part = &parts[n++];
        char *end;

        part->class = *text;
        part->count = 1;
        part->size = g_ascii_strtoull (text + 1, &end, 10);
        if (*end == '*') {
            part->count = g_ascii_strtoull (end + 1, &end, 10);
        }
        if (strchr ("biufl", part->class) == NULL || part->size == 0 || part->size > 1024
            || part->count == 0 || part->count > G_MAXUINT32 || *end != '=') {
            return 0;
        }
        part->name = end + 1;
        part->name_length = strcspn (part->name, " ");
        text = part->name + part->name_length;
        text += *text == ' ';
    }
    return *text == '\0' ? n : 0;
}

static gboolean
match (const Part *a, const Part *b)
{
    gboolean is_logical = a->class == 'l' || b->class == 'l';

    if (a->size != b->size) {
        return FALSE;
    }
    return a->size == 1
           || a->class == b->class || (is_logical && a->class != 'f' && b->class != 'f');
}

gboolean
analysis_signature_differ (const char *a, const char *b, guint64 bytes)
{
    Part left[MAX_PARTS], right[MAX_PARTS];
    guint n_left = a != NULL ? parse (a, left) : 0, n_right = b != NULL ? parse (b, right) : 0;
    guint i = 0, k = 0;
    guint64 offset = 0, rest_left, rest_right;

    if (n_left == 0 || n_right == 0 || strcmp (a, b) == 0) {
        return FALSE;
    }
    rest_left = left[0].count;
    rest_right = right[0].count;
    for (guint step = 0; step < MAX_STEPS; step++) {
        guint64 n = MIN (rest_left, rest_right);

        if (left[i].class == 'b' || right[k].class == 'b') {
            return FALSE;
        }
        if (!match (&left[i], &right[k])) {
            return TRUE;
        }
        offset += n * left[i].size;
        rest_left -= n;
        rest_right -= n;
        if (rest_left == 0) {
            i = (i + 1) % n_left;
            rest_left = left[i].count;
        }
        if (rest_right == 0) {
            k = (k + 1) % n_right;
            rest_right = right[k].count;
        }
        if (offset >= bytes
            || (i == 0 && k == 0 && rest_left == left[0].count
                && rest_right == right[0].count)) {
            return FALSE;
        }
    }
    return FALSE;
}

char *
analysis_signature_format (const char *signature)
{
    Part parts[MAX_PARTS];
    guint n = parse (signature, parts), n_names = 0;
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < n; i++) {
        if (i > 0 && parts[i].name_length == parts[i - 1].name_length
            && strncmp (parts[i].name, parts[i - 1].name, parts[i].name_length) == 0) {
            continue;
        }
        g_string_append (text, n_names++ > 0 ? ", " : "");
        g_string_append_len (text, parts[i].name, (gssize) parts[i].name_length);
    }
    if (n_names > 1) {
        g_string_prepend_c (text, '{');
        g_string_append_c (text, '}');
    }
    return g_string_free (text, FALSE);
}

/* ---- matched messages ---- */

typedef struct {
    guint64 communicator;
    guint32 source, destination;
    gint32 tag;
} Flow;

static guint
hash_flow (gconstpointer data)
{
    const Flow *flow = data;

    return (guint) (flow->communicator * 31 + flow->source) * 31 + flow->destination * 7
           + (guint) flow->tag;
}

static gboolean
equal_flows (gconstpointer a, gconstpointer b)
{
    const Flow *left = a, *right = b;

    return left->communicator == right->communicator && left->source == right->source
           && left->destination == right->destination && left->tag == right->tag;
}

/* Messages can be identified by number only if all are counted. */
static gboolean
is_counted (const AnalysisRank *rank)
{
    return rank->queue != NULL && (rank->queue->flags & JOB_MESSAGE_QUEUE_COUNTED)
           && !(rank->queue->flags
                & (JOB_MESSAGE_QUEUE_CHANGING | JOB_MESSAGE_QUEUE_INCOMPLETE));
}

/* Flow to GPtrArray of JobMessageRun: what was sent. */
static GHashTable *
collect_sent (const AnalysisRank *ranks, guint32 n_ranks)
{
    GHashTable *flows = g_hash_table_new_full (hash_flow, equal_flows, g_free,
                                               (GDestroyNotify) g_ptr_array_unref);

    for (guint32 rank = 0; rank < n_ranks; rank++) {
        for (guint i = 0; is_counted (&ranks[rank]) && i < ranks[rank].queue->runs->len; i++) {
            JobMessageRun *run = g_ptr_array_index (ranks[rank].queue->runs, i);
            Flow key = { run->communicator, rank, (guint32) run->peer, run->tag };
            GPtrArray *list;

            if (!run->is_sent || run->peer < 0) {
                continue;
            }
            list = g_hash_table_lookup (flows, &key);
            if (list == NULL) {
                list = g_ptr_array_new ();
                g_hash_table_insert (flows, g_memdup2 (&key, sizeof key), list);
            }
            g_ptr_array_add (list, run);
        }
    }
    return flows;
}

static void
free_mismatch (AnalysisTypeMismatch *mismatch)
{
    if (mismatch != NULL) {
        job_rank_set_free (mismatch->senders);
        job_rank_set_free (mismatch->receivers);
        g_ptr_array_unref (mismatch->keys);
        g_free (mismatch);
    }
}

static gboolean
equal_places (const JobLocation *a, const JobLocation *b)
{
    return a == b || (a != NULL && b != NULL && job_location_equal (a, b));
}

static AnalysisTypeMismatch *
find_group (GPtrArray *list, const AnalysisTypeMismatch *like)
{
    return BASE_FIND (list, AnalysisTypeMismatch, group,
                      group->communicator == like->communicator && group->tag == like->tag
                          && strcmp (group->sent->signature, like->sent->signature) == 0
                          && strcmp (group->received->signature, like->received->signature) == 0
                          && equal_places (group->sent_place, like->sent_place)
                          && equal_places (group->received_place, like->received_place));
}

/* The line of a run is its first message's; another message of it may have another. */
static void
add_pair (GPtrArray *list, const Flow *flow, const JobMessageRun *sent,
          const JobMessageRun *received, guint64 number)
{
    AnalysisTypeMismatch like = {
        .communicator = flow->communicator,
        .tag = flow->tag,
        .sent = sent,
        .received = received,
        .sent_place = number == sent->first ? sent->place : NULL,
        .received_place = number == received->first ? received->place : NULL,
    };
    AnalysisTypeMismatch *group = find_group (list, &like);

    if (group == NULL) {
        group = g_memdup2 (&like, sizeof like);
        group->senders = job_rank_set_new ();
        group->receivers = job_rank_set_new ();
        group->keys = g_ptr_array_new_with_free_func (g_free);
        g_ptr_array_add (list, group);
    }
    job_rank_set_add (group->senders, flow->source);
    job_rank_set_add (group->receivers, flow->destination);
    g_ptr_array_add (group->keys,
                     g_strdup_printf ("%" G_GUINT64_FORMAT " %u %u %d %s %s",
                                      flow->communicator, flow->source, flow->destination,
                                      flow->tag, sent->signature, received->signature));
}

static void
compare_runs (GPtrArray *list, const Flow *flow, const GPtrArray *all_sent,
              const JobMessageRun *received)
{
    BASE_EACH (all_sent, const JobMessageRun, sent) {
        guint64 number = MAX (sent->first, received->first);

        if (number <= sent->last && number <= received->last && sent->signature != NULL
            && received->signature != NULL
            && analysis_signature_differ (sent->signature, received->signature,
                                          number == sent->first ? sent->bytes : 0)) {
            add_pair (list, flow, sent, received, number);
        }
    }
}

BASE_ORDER_POINTERS (compare_groups, AnalysisTypeMismatch,
                     job_rank_set_compare_lowest (left->senders, right->senders))

GPtrArray *
analysis_types_list_mismatches (const AnalysisRank *ranks, guint32 n_ranks)
{
    GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) free_mismatch);
    g_autoptr (GHashTable) flows = collect_sent (ranks, n_ranks);

    for (guint32 rank = 0; rank < n_ranks; rank++) {
        for (guint i = 0; is_counted (&ranks[rank]) && i < ranks[rank].queue->runs->len; i++) {
            const JobMessageRun *run = g_ptr_array_index (ranks[rank].queue->runs, i);
            Flow key = { run->communicator, (guint32) run->peer, rank, run->tag };
            const GPtrArray *sent = run->is_sent || run->peer < 0
                                        ? NULL
                                        : g_hash_table_lookup (flows, &key);

            if (sent != NULL) {
                compare_runs (list, &key, sent, run);
            }
        }
    }
    g_ptr_array_sort (list, compare_groups);
    return list;
}

char *
analysis_type_mismatch_format (BaseTextForm form, const AnalysisTypeMismatch *mismatch)
{
    g_autofree char *senders = job_rank_set_format (mismatch->senders);
    g_autofree char *receivers = job_rank_set_format (mismatch->receivers);
    g_autofree char *sent = analysis_signature_format (mismatch->sent->signature);
    g_autofree char *received = analysis_signature_format (mismatch->received->signature);
    g_autofree char *from
        /* Translators: ranks and the datatype of what they send. */
        = analysis_words_add_line (
            form,
            base_text_print_plural (form, "%s sends %s", "%s send %s",
                                    job_rank_set_get_count (mismatch->senders), senders, sent),
            mismatch->sent_place);
    g_autofree char *to
        /* Translators: ranks and the datatype that they receive a message as. */
        = analysis_words_add_line (
            form,
            base_text_print_plural (form, "%s receives it as %s", "%s receive it as %s",
                                    job_rank_set_get_count (mismatch->receivers), receivers,
                                    received),
            mismatch->received_place);

    /* Translators: "0 sends MPI_DOUBLE (a.c:10), 1 receives it as MPI_INT (a.c:14), tag 5". */
    return base_text_print (form, "%s, %s, tag %d", from, to, mismatch->tag);
}
