/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives of a communicator are counted by each member, so that the smallest count names
 * the last one that all of them have begun. */
#include "analysis/common.h"
#include "analysis/collective.h"

typedef struct {
    const JobMessageCommunicator *communicator; /* as the lowest rank knows it */
    const char *name;                           /* given by any of them */
    guint64 sequence;                           /* begun by all */
    const JobMessageCollective *collective;     /* NULL: nobody remembers it */
    const JobLocation *place;
    gboolean differs;
} Common;

/* FALSE: one of the ranks is no member, or is not known. */
static gboolean
measure (Common *common, const JobMessageTable *table, const JobRankSet *ranks)
{
    JobRankIter iter = { 0 };
    guint64 most = 0;
    guint32 rank;

    common->sequence = G_MAXUINT64;
    while (job_rank_set_next (ranks, &iter, &rank)) {
        const JobMessageQueue *queue = job_message_table_find (table, rank);
        const JobMessageCommunicator *own
            = queue != NULL
                  ? job_message_queue_find_communicator (queue, common->communicator->id)
                  : NULL;

        if (own == NULL) {
            return FALSE;
        }
        common->sequence = MIN (common->sequence, own->n_collectives);
        most = MAX (most, own->n_collectives);
        common->name = common->name != NULL ? common->name : own->name;
    }
    common->differs = most > common->sequence;
    return common->sequence > 0;
}

/* Any of them may remember what it was, and where; those that are behind most likely. */
static void
find_details (Common *common, const JobMessageTable *table, const JobRankSet *ranks)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    while (common->place == NULL && job_rank_set_next (ranks, &iter, &rank)) {
        const JobMessageCommunicator *own
            = job_message_queue_find_communicator (job_message_table_find (table, rank),
                                                   common->communicator->id);
        const JobMessageCollective *collective
            = job_message_communicator_find_collective (own, common->sequence);

        if (collective != NULL) {
            common->collective = collective;
            common->place = collective->place;
        }
    }
}

static JobRankSet *
dup_ahead (const Common *common, const JobMessageTable *table, const JobRankSet *ranks)
{
    JobRankSet *ahead = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (ranks, &iter, &rank)) {
        const JobMessageCommunicator *own
            = job_message_queue_find_communicator (job_message_table_find (table, rank),
                                                   common->communicator->id);

        if (own->n_collectives > common->sequence) {
            job_rank_set_add (ahead, rank);
        }
    }
    return ahead;
}

static gboolean
is_better (const Common *common, const Common *best)
{
    if (best->communicator == NULL || common->differs != best->differs) {
        return best->communicator == NULL || common->differs;
    }
    return common->communicator->size > best->communicator->size;
}

char *
analysis_common_format (const JobMessageTable *table, const JobRankSet *ranks)
{
    guint32 lowest = job_rank_set_get_lowest (ranks);
    const JobMessageQueue *queue = job_message_table_find (table, lowest);
    Common best = { 0 };
    GString *text = NULL;

    for (guint i = 0; queue != NULL && i < queue->communicators->len; i++) {
        Common common = { .communicator = g_ptr_array_index (queue->communicators, i) };

        if (measure (&common, table, ranks) && is_better (&common, &best)) {
            best = common;
        }
    }
    if (best.communicator == NULL) {
        return NULL;
    }
    find_details (&best, table, ranks);
    text = g_string_new (NULL);
    g_autofree char *name = job_message_queue_format_communicator (queue,
                                                                   best.communicator->id);
    g_autofree char *line = analysis_format_line (best.place);
    g_autofree char *ordinal = job_message_format_ordinal (best.sequence);
    g_string_append_printf (text, "last common collective: the %s on %s", ordinal,
                            best.name != NULL ? best.name : name);
    if (best.collective != NULL && best.collective->name != NULL) {
        g_string_append_printf (text, ", %s", best.collective->name);
    }
    g_string_append (text, line);
    if (best.differs) {
        g_autoptr (JobRankSet) ahead = dup_ahead (&best, table, ranks);
        g_autofree char *who = job_rank_set_format (ahead);

        g_string_append_printf (text, "; %s %s begun more of them", who,
                                job_rank_set_get_count (ahead) == 1 ? "has" : "have");
    }
    return g_string_free (text, FALSE);
}
