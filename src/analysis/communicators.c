/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the communicators of many ranks by id. */
#include "analysis/communicators.h"
#include "base/array.h"

gboolean
analysis_rank_is_crashed (const AnalysisRank *rank)
{
    static const char *const fatal[] = { "SIGSEGV", "SIGBUS",    "SIGFPE",  "SIGILL",
                                         "SIGABRT", "SIGSYS",    "SIGTRAP", "SIGXCPU",
                                         "SIGXFSZ", "SIGSTKFLT", NULL };

    switch (rank->state) {
    case JOB_STATE_SIGNAL: return rank->text != NULL && g_strv_contains (fatal, rank->text);
    case JOB_STATE_EXCEPTION: return TRUE;
    case JOB_STATE_STOPPED:
        return rank->queue != NULL && (rank->queue->flags & JOB_MESSAGE_QUEUE_LEAVING);
    default: return FALSE;
    }
}

BASE_FREE (free_communicator, AnalysisCommunicator, communicator,
           g_array_unref (communicator->entries))

static gboolean
is_whole (const JobMessageCommunicator *communicator)
{
    return !(communicator->flags & JOB_MESSAGE_COMMUNICATOR_INCOMPLETE);
}

static void
add_entry (GHashTable *communicators, guint32 rank, guint32 n_ranks,
           const JobMessageCommunicator *known)
{
    AnalysisCommunicator *communicator = g_hash_table_lookup (communicators, &known->id);
    AnalysisEntry entry = { rank, known };

    if (communicator == NULL) {
        communicator = g_new0 (AnalysisCommunicator, 1);
        communicator->id = known->id;
        communicator->whole = known;
        communicator->n_job = n_ranks;
        communicator->entries = g_array_new (FALSE, FALSE, sizeof (AnalysisEntry));
        g_hash_table_insert (communicators, &communicator->id, communicator);
    } else if (!is_whole (communicator->whole) && is_whole (known)) {
        communicator->whole = known;
    } else if (communicator->whole->name == NULL && known->name != NULL) {
        communicator->whole = known;
    }
    g_array_append_val (communicator->entries, entry);
}

GHashTable *
analysis_communicators_new (const AnalysisRank *ranks, guint32 n_ranks)
{
    GHashTable *communicators = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
                                                       free_communicator);

    for (guint32 rank = 0; rank < n_ranks; rank++) {
        const JobMessageQueue *queue = ranks[rank].queue;

        for (guint i = 0; queue != NULL && i < queue->communicators->len; i++) {
            add_entry (communicators, rank, n_ranks,
                       g_ptr_array_index (queue->communicators, i));
        }
    }
    return communicators;
}

const AnalysisCommunicator *
analysis_communicators_find (GHashTable *communicators, guint64 id)
{
    return g_hash_table_lookup (communicators, &id);
}

const JobMessageCommunicator *
analysis_communicator_find (const AnalysisCommunicator *communicator, guint32 rank)
{
    guint low = 0, high = communicator->entries->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const AnalysisEntry *entry = &g_array_index (communicator->entries, AnalysisEntry,
                                                     middle);

        if (entry->rank == rank) {
            return entry->communicator;
        }
        if (entry->rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static void
add_members (GArray *list, const GArray *members, guint32 n_job)
{
    for (guint i = 0; members != NULL && i < members->len; i++) {
        guint32 rank = g_array_index (members, guint32, i);

        if (rank < n_job) {
            g_array_append_val (list, rank);
        }
    }
}

BASE_ORDER (compare_ranks, guint32, BASE_COMPARE (*left, *right))

static gboolean
lists_outside (const GArray *members)
{
    return members != NULL
           && BASE_ANY (i, members->len, g_array_index (members, guint32, i) == G_MAXUINT32);
}

gboolean
analysis_communicator_has_outside (const AnalysisCommunicator *communicator)
{
    return lists_outside (communicator->whole->members)
           || lists_outside (communicator->whole->remote);
}

GArray *
analysis_communicator_dup_members (const AnalysisCommunicator *communicator)
{
    const JobMessageCommunicator *whole = communicator->whole;
    GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));

    if (!is_whole (whole)) {
        for (guint i = 0; i < communicator->entries->len; i++) {
            g_array_append_val (list,
                                g_array_index (communicator->entries, AnalysisEntry, i).rank);
        }
        return list;
    }
    if (whole->members == NULL) {
        for (guint32 rank = 0; rank < MIN (whole->size, communicator->n_job); rank++) {
            g_array_append_val (list, rank);
        }
    }
    add_members (list, whole->members, communicator->n_job);
    add_members (list, whole->remote, communicator->n_job);
    g_array_sort (list, compare_ranks);
    return list;
}

gint32
analysis_communicator_find_local (const AnalysisCommunicator *communicator, gint32 rank)
{
    const JobMessageCommunicator *whole = communicator->whole;

    if (!is_whole (whole) || (whole->flags & JOB_MESSAGE_COMMUNICATOR_INTER)) {
        return -1;
    }
    if (whole->members == NULL) {
        return rank >= 0 && (guint32) rank < whole->size ? rank : -1;
    }
    return BASE_CHOOSE (i, rank >= 0 ? whole->members->len : 0,
                        g_array_index (whole->members, guint32, i) == (guint32) rank,
                        (gint32) i, -1);
}

char *
analysis_communicator_format (BaseTextForm form, const AnalysisCommunicator *communicator,
                              guint64 id)
{
    if (communicator != NULL && communicator->whole->name != NULL
        && *communicator->whole->name != '\0') {
        return g_strdup (communicator->whole->name);
    }
    if (id == JOB_MESSAGE_WORLD_ID) {
        return g_strdup ("MPI_COMM_WORLD");
    }
    if (id == JOB_MESSAGE_UNKNOWN_ID) {
        return base_text_print (form, "an unknown communicator");
    }
    /* Translators: the number of one that has no name. */
    return base_text_print (form, "communicator #%04x", (guint) (id & 0xffff));
}
