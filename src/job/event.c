/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events and their merging: events that differ only in their ranks become one. What they have is in
 * event-content.c, the encoding in event-wire.c. */
#include "job/event.h"
#include "job/event-private.h"
#include "job/value-merge.h"
#include "base/array.h"
#include "base/error.h"

static const char *const names[JOB_N_EVENTS] = {
    [JOB_EVENT_NONE] = "none",         [JOB_EVENT_RANKS] = "ranks",
    [JOB_EVENT_STATE] = "state",       [JOB_EVENT_BREAKPOINT] = "breakpoint",
    [JOB_EVENT_STACKS] = "stacks",     [JOB_EVENT_VALUES] = "values",
    [JOB_EVENT_TEXT] = "text",         [JOB_EVENT_RETURNED] = "returned",
    [JOB_EVENT_FAILURE] = "failure",   [JOB_EVENT_NOTICE] = "notice",
    [JOB_EVENT_OUTPUT] = "output",     [JOB_EVENT_LOG] = "log",
    [JOB_EVENT_FRAME] = "frame",       [JOB_EVENT_QUEUES] = "queues",
    [JOB_EVENT_ARRAY] = "array",       [JOB_EVENT_SAMPLES] = "samples",
    [JOB_EVENT_COSTS] = "costs",       [JOB_EVENT_DETAILS] = "details",
    [JOB_EVENT_ACCEPTED] = "accepted",
};

JobEvent *
job_event_new (JobEventKind kind, guint64 request, const JobRankSet *ranks)
{
    JobEvent *event = g_new (JobEvent, 1); /* not g_new0: calloc does not reuse a block that was
                                              just freed */

    *event = (JobEvent){ .kind = kind, .request = request };
    event->ranks = ranks != NULL ? job_rank_set_dup (ranks) : job_rank_set_new ();
    return event;
}

JobEvent *
job_event_new_failure (guint64 request, const JobRankSet *ranks, const GError *error)
{
    JobEvent *event = job_event_new (JOB_EVENT_FAILURE, request, ranks);
    JobText *said = job_text_new_error (error);

    event->final = request != 0;
    event->code = error->domain == BASE_ERROR ? error->code : BASE_ERROR_UNSUPPORTED;
    if (said != NULL) {
        job_event_say (event, said);
    } else {
        event->text = g_strdup (error->message);
        event->shown = g_strdup (base_error_get_shown (error));
    }
    return event;
}

void
job_event_say (JobEvent *event, JobText *said)
{
    g_free (event->text);
    job_text_free (event->said);
    event->text = job_text_print (BASE_TEXT_ENGLISH, said);
    event->said = said;
}

char *
job_event_dup_shown (const JobEvent *event)
{
    return event->shown == NULL && event->said != NULL && event->kind != JOB_EVENT_STATE
               ? job_text_print (BASE_TEXT_SHOWN, event->said)
               : g_strdup (event->shown != NULL ? event->shown : event->text);
}

JobEvent *
job_event_dup (const JobEvent *event)
{
    JobEvent *copy;

    if (event == NULL) {
        return NULL;
    }
    copy = g_new (JobEvent, 1);
    *copy = *event;
    copy->ranks = job_rank_set_dup (event->ranks);
    copy->text = g_strdup (event->text);
    copy->text2 = g_strdup (event->text2);
    copy->said = job_text_dup (event->said);
    copy->shown = g_strdup (event->shown);
    copy->place = job_location_dup (event->place);
    copy->content = job_content_dup (job_event_find_content (event), event->content);
    return copy;
}

void
job_event_free (JobEvent *event)
{
    if (event == NULL) {
        return;
    }
    job_rank_set_free (event->ranks);
    g_free (event->text);
    g_free (event->text2);
    job_text_free (event->said);
    g_free (event->shown);
    job_location_free (event->place);
    job_content_free (job_event_find_content (event), event->content);
    g_free (event);
}

const char *
job_event_kind_get_name (JobEventKind kind)
{
    return (guint) kind < JOB_N_EVENTS ? names[kind] : names[JOB_EVENT_NONE];
}

/* Kinds of which a rank may have two equal ones: a line printed twice is two lines. */
static gboolean
is_counted (JobEventKind kind)
{
    return kind == JOB_EVENT_OUTPUT || kind == JOB_EVENT_LOG || kind == JOB_EVENT_TEXT
           || kind == JOB_EVENT_RETURNED || kind == JOB_EVENT_RANKS || kind == JOB_EVENT_SAMPLES
           || kind == JOB_EVENT_COSTS;
}

/* But for their ranks. */
static gboolean
is_alike (const JobEvent *a, const JobEvent *b)
{
    if (a->kind != b->kind || a->request != b->request || a->final != b->final
        || a->flags != b->flags || a->stop != b->stop || a->state != b->state
        || (a->number != b->number && !(a->flags & JOB_EVENT_REST)) || a->code != b->code) {
        return FALSE;
    }
    return g_strcmp0 (a->text, b->text) == 0 && g_strcmp0 (a->text2, b->text2) == 0
           && job_location_equal (a->place, b->place)
           && job_content_is_alike (job_event_kind_get_content (a->kind), a->content,
                                    b->content);
}

static gboolean
is_mergeable (const JobEvent *a, const JobEvent *b)
{
    return is_alike (a, b)
           && (!is_counted (a->kind) || !job_rank_set_intersects (a->ranks, b->ranks));
}

/* job_event_merge of mergeable ones, but for the order of processes. */
static void
merge_unordered (JobEvent *a, const JobEvent *b)
{
    job_rank_set_merge (a->ranks, b->ranks);
    a->number = MAX (a->number, b->number); /* they are equal, but of a rest */
    a->content = job_content_merge (job_event_kind_get_content (a->kind), a->content,
                                    b->content);
}

static void
sort_processes (JobEvent *event)
{
    if (job_event_find_content (event) == JOB_CONTENT_PROCESSES) {
        job_process_list_sort (event->processes);
    }
}

gboolean
job_event_merge (JobEvent *a, const JobEvent *b)
{
    if (!is_mergeable (a, b)) {
        return FALSE;
    }
    merge_unordered (a, b);
    sort_processes (a);
    return TRUE;
}

/* Of what is_mergeable compares, that which differs most. */
static guint
hash_content (gconstpointer data)
{
    const JobEvent *event = data;
    guint hash = (guint) event->kind * 31 + (guint) event->request;

    hash = hash * 31 + (guint) event->state * 7
           + (event->flags & JOB_EVENT_REST ? 0 : (guint) event->number);
    hash = hash * 31 + (event->text != NULL ? g_str_hash (event->text) : 0);
    hash = hash * 31 + (event->text2 != NULL ? g_str_hash (event->text2) : 0);
    hash = hash * 31 + (event->place != NULL ? job_location_hash (event->place) : 0);
    hash = hash * 31 + job_content_hash (job_event_find_content (event), event->content);
    return hash;
}

/* But for ranks that are in both, which the caller knows of. */
static gboolean
has_equal_content (gconstpointer a, gconstpointer b)
{
    return is_alike (a, b);
}

/* A list while it is merged: what is kept are the first n of it. */
typedef struct {
    GPtrArray *events;
    guint n;
    JobRankSet
        *seen[JOB_N_EVENTS]; /* ranks of the kept events of a kind; NULL: there are none */
    GHashTable *known;       /* set of kept events, the last one of each content */
    GHashTable *tables;      /* kept event to the tables that it will have, too */
} Merging;

/* The events of a rank keep their order, so the search ends at an event of the same kind for one of the ranks, and
 * at the RANKS event that introduces it. NULL: there is none to fold it into. */
static JobEvent *
search_back (const Merging *merging, const JobEvent *event)
{
    for (guint i = merging->n; i > 0; i--) {
        JobEvent *earlier = g_ptr_array_index (merging->events, i - 1);

        if (earlier->kind == JOB_EVENT_RANKS && event->kind != JOB_EVENT_RANKS
            && job_rank_set_intersects (earlier->ranks, event->ranks)) {
            return NULL;
        }
        if (earlier->kind != event->kind) {
            continue;
        }
        if (is_mergeable (earlier, event)) {
            return earlier;
        }
        if (job_rank_set_intersects (earlier->ranks, event->ranks)) {
            return NULL;
        }
    }
    return NULL;
}

static gboolean
was_seen (const Merging *merging, JobEventKind kind, const JobRankSet *ranks)
{
    return merging->seen[kind] != NULL && job_rank_set_intersects (merging->seen[kind], ranks);
}

static JobEvent *
find_earlier (const Merging *merging, const JobEvent *event)
{
    return was_seen (merging, event->kind, event->ranks)
                   || was_seen (merging, JOB_EVENT_RANKS, event->ranks)
               ? search_back (merging, event)
               : g_hash_table_lookup (merging->known, event);
}

static void
note_seen (Merging *merging, const JobEvent *event)
{
    if (merging->seen[event->kind] == NULL) {
        merging->seen[event->kind] = job_rank_set_new ();
    }
    job_rank_set_merge (merging->seen[event->kind], event->ranks);
}

/* Takes event. Tables are merged all at once, at the end. */
static void
fold_event (Merging *merging, JobEvent *earlier, JobEvent *event)
{
    GPtrArray *tables;

    if (job_event_find_content (event) != JOB_CONTENT_TABLE) {
        merge_unordered (earlier, event);
        job_event_free (event);
        return;
    }
    tables = g_hash_table_lookup (merging->tables, earlier);
    if (tables == NULL) {
        tables = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_table_free);
        g_hash_table_insert (merging->tables, earlier, tables);
    }
    g_ptr_array_add (tables, g_steal_pointer (&event->table));
    job_rank_set_merge (earlier->ranks, event->ranks);
    job_event_free (event);
}

void
job_event_list_merge (GPtrArray *events)
{
    Merging merging = { events,
                        0,
                        { NULL },
                        g_hash_table_new (hash_content, has_equal_content),
                        g_hash_table_new_full (NULL, NULL, NULL,
                                               (GDestroyNotify) g_ptr_array_unref) };
    gpointer kept, tables;

    for (guint i = 0; i < events->len; i++) {
        JobEvent *event = g_steal_pointer (&events->pdata[i]);
        JobEvent *earlier = find_earlier (&merging, event);

        note_seen (&merging, event);
        if (earlier != NULL) {
            fold_event (&merging, earlier, event);
        } else {
            events->pdata[merging.n++] = event;
            g_hash_table_replace (merging.known, event, event);
        }
    }
    g_ptr_array_set_size (events, (int) merging.n);
    BASE_WALK (merging.tables, &kept, &tables) {
        job_value_table_merge_all (((JobEvent *) kept)->table, tables);
    }
    for (guint i = 0; i < merging.n; i++) {
        sort_processes (g_ptr_array_index (events, i));
    }
    for (guint i = 0; i < JOB_N_EVENTS; i++) {
        job_rank_set_free (merging.seen[i]);
    }
    g_hash_table_unref (merging.known);
    g_hash_table_unref (merging.tables);
}
