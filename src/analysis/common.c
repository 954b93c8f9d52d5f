/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives of a communicator are counted by each member, so that the smallest count names
 * the last one that all of them have begun. */
#include "analysis/common.h"
#include "analysis/words.h"

typedef struct {
    const JobMessageCommunicator *communicator; /* as the lowest rank knows it */
    const char *name;                           /* given by any of them */
    guint64 sequence;                           /* begun by all */
    const JobMessageCollective *collective;     /* NULL: nobody remembers it */
    const JobLocation *place;
    gboolean differs;
    gboolean parts_next; /* the next one was not the same for all */
} Common;

/* FALSE: one of the ranks is no member, or is not known. */
static gboolean
measure (Common *common, const JobMessageTable *table, const JobRankSet *ranks)
{
    guint64 most = 0;

    common->sequence = G_MAXUINT64;
    JOB_EACH_RANK (ranks, rank) {
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

static const JobMessageCollective *
find_in (const Common *common, const JobMessageTable *table, guint32 rank)
{
    return job_message_communicator_find_collective (
        job_message_queue_find_communicator (job_message_table_find (table, rank),
                                             common->communicator->id),
        common->sequence);
}

/* Those who remember it have called the same then, and before. */
static gboolean
agrees (const Common *common, const JobMessageTable *table, const JobRankSet *ranks)
{
    const JobMessageCollective *first = NULL;

    JOB_EACH_RANK (ranks, rank) {
        const JobMessageCollective *own = find_in (common, table, rank);

        if (own == NULL) {
            continue;
        }
        if (first != NULL
            && (g_strcmp0 (first->name, own->name) != 0
                || (first->chain != 0 && own->chain != 0 && first->chain != own->chain))) {
            return FALSE;
        }
        first = first != NULL ? first : own;
    }
    return TRUE;
}

/* Back to the last one that was the same for all. FALSE: there was none. */
static gboolean
go_back (Common *common, const JobMessageTable *table, const JobRankSet *ranks)
{
    while (common->sequence > 0 && !agrees (common, table, ranks)) {
        common->sequence--;
        common->differs = common->parts_next = TRUE;
    }
    return common->sequence > 0;
}

/* Any of them may remember what it was, and where; those that are behind most likely. */
static void
find_details (Common *common, const JobMessageTable *table, const JobRankSet *ranks)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    while (common->place == NULL && job_rank_set_next (ranks, &iter, &rank)) {
        const JobMessageCollective *collective = find_in (common, table, rank);

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

    JOB_EACH_RANK (ranks, rank) {
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

static char *
print_common (BaseTextForm form, const Common *common, const JobMessageQueue *queue,
              const JobRankSet *ahead)
{
    const char *call = common->collective != NULL ? common->collective->name : NULL;
    g_autofree char *own = job_message_queue_format_communicator (queue,
                                                                  common->communicator->id);
    g_autofree char *ordinal = job_message_format_ordinal (form, common->sequence);
    g_autofree char *who = job_rank_set_format (ahead);
    const char *name = common->name != NULL ? common->name : own;
    GString *text = g_string_new (NULL);

    analysis_words_append (
        form, text,
        analysis_words_add_line (
            form,
            /* Translators: a number ("second"), a communicator, and a call. */
            call != NULL
                ? base_text_print (form, "last common collective: the %s on %s, %s", ordinal,
                                   name, call)
                : base_text_print (form, "last common collective: the %s on %s", ordinal, name),
            common->place));
    if (common->parts_next) {
        analysis_words_append (form, text,
                               base_text_print (form,
                                                "after it the ranks called different ones"));
    } else if (common->differs) {
        /* Translators: ranks that are ahead of the others. */
        analysis_words_append (form, text,
                               base_text_print_plural (form, "%s has begun more of them",
                                                       "%s have begun more of them",
                                                       job_rank_set_get_count (ahead), who));
    }
    return g_string_free (text, FALSE);
}

BaseText *
analysis_common_format (const JobMessageTable *table, const JobRankSet *ranks)
{
    guint32 lowest = job_rank_set_get_lowest (ranks);
    const JobMessageQueue *queue = job_message_table_find (table, lowest);
    g_autoptr (JobRankSet) ahead = NULL;
    Common best = { 0 };
    char *english;

    for (guint i = 0; queue != NULL && i < queue->communicators->len; i++) {
        Common common = { .communicator = g_ptr_array_index (queue->communicators, i) };

        if (measure (&common, table, ranks) && go_back (&common, table, ranks)
            && is_better (&common, &best)) {
            best = common;
        }
    }
    if (best.communicator == NULL) {
        return NULL;
    }
    find_details (&best, table, ranks);
    ahead = dup_ahead (&best, table, ranks);
    english = print_common (BASE_TEXT_ENGLISH, &best, queue, ahead);
    return base_text_new_take (english, print_common (BASE_TEXT_SHOWN, &best, queue, ahead));
}
