/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `frame apply` and `thread apply`, `faas`, `taas` and `tfaas`: a command in each of some frames or threads. Ranks in which
 * there is a frame of that number, or such a thread, run it together. What was selected before is selected again. */
#include "command/private.h"
#include <string.h>

typedef struct _CommandApply {
    SessionSelection *before; /* what was selected */
    char *outer;              /* a header that comes before the first one; NULL: none */
    guint n_left;             /* spots that have not ended; with the last one it is freed */
    gboolean is_thread, is_quiet, goes_on, is_silent;
} Apply;

struct _CommandSpot {
    Apply *apply;
    CommandContext *context;
    CommandSpot *around; /* that it began in; NULL: none */
    JobRankSet *ranks;
    guint32 number; /* of the frame or thread */
    guint32 thread; /* that the frame is in; 0: the one that has stopped */
    JobLocation *place;
    gboolean is_said; /* its header is written, or it has none */
};

void
command_spot_free (CommandSpot *spot)
{
    Apply *apply = spot->apply;

    if (--apply->n_left == 0) {
        session_selection_copy (spot->context->selection, apply->before);
        g_object_unref (apply->before);
        g_free (apply->outer);
        g_free (apply);
    }
    job_rank_set_free (spot->ranks);
    job_location_free (spot->place);
    g_free (spot);
}

/* ---- one after the other ---- */

static char *
dup_header (const CommandSpot *spot)
{
    g_autofree char *ranks = job_rank_set_format (spot->ranks);
    g_autofree char *place = spot->place != NULL
                                 ? session_format_place (BASE_TEXT_ENGLISH,
                                                         spot->context->session, spot->place)
                                 : g_strdup ("");
    g_autofree char *own = spot->apply->is_thread
                               ? g_strdup_printf ("%s: thread %u%s%s", ranks, spot->number,
                                                  *place != '\0' ? ", " : "", place)
                               : g_strdup_printf ("%s: #%u %s", ranks, spot->number, place);

    return spot->apply->outer != NULL ? g_strconcat (spot->apply->outer, "\n", own, NULL)
                                      : g_steal_pointer (&own);
}

void
command_spot_begin (CommandJob *job)
{
    CommandSpot *spot = job->spot;
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_FRAME, 0, spot->ranks);

    event->place = job_location_dup (spot->place);
    if (spot->apply->is_thread || spot->thread != 0) {
        session_selection_apply (spot->context->selection, event,
                                 spot->apply->is_thread ? spot->number : spot->thread);
    }
    if (!spot->apply->is_thread) {
        event->number = (gint32) spot->number;
        session_selection_apply (spot->context->selection, event, 0);
    }
    g_clear_pointer (&job->hook_ranks, job_rank_set_free);
    job->hook_ranks = job_rank_set_dup (spot->ranks);
    spot->around = job->context->spot;
    job->context->spot = spot;
    if (!spot->apply->is_silent) {
        command_spot_say (job->context);
    }
}

void
command_spot_say (CommandContext *context)
{
    CommandSpot *spot = context->spot;
    g_autofree char *text = NULL, *json = NULL;

    if (spot->is_said) {
        return;
    }
    spot->is_said = TRUE;
    text = dup_header (spot);
    g_clear_pointer (&spot->apply->outer, g_free);
    json = context->json ? command_json_format_text ("text", 0, spot->ranks, text) : NULL;
    command_context_write (context, COMMAND_OUT_ANSWER, json != NULL ? json : text);
}

gboolean
command_spot_is_silent (const CommandContext *context)
{
    return context->spot->apply->is_silent;
}

static void on_spot_done (gboolean ok, gpointer user);

static void
drop_rest (const CommandSpot *failed)
{
    GQueue *jobs = failed->context->jobs;

    for (GList *at = jobs->head, *next; at != NULL; at = next) {
        CommandJob *job = at->data;
        CommandSpot *spot = job->spot;

        next = at->next;
        if (spot != NULL && spot->apply == failed->apply) {
            g_queue_delete_link (jobs, at);
            command_job_free (job);
        }
    }
}

static void
on_spot_done (gboolean ok, gpointer user)
{
    CommandSpot *spot = user;

    spot->context->spot = spot->around;
    if (!ok && !spot->apply->is_silent && !spot->apply->goes_on) {
        spot->context->hook_failed = TRUE;
        drop_rest (spot);
    }
    command_spot_free (spot);
}

/* Takes the spots. */
static void
run_spots (CommandJob *job, Apply *apply, GPtrArray *spots, const char *line)
{
    CommandContext *context = job->context;

    apply->n_left = spots->len;
    if (context->spot != NULL) { /* it selects again what was selected before both */
        apply->before = g_object_ref (context->spot->apply->before);
    } else {
        apply->before = session_selection_new (job->session);
        session_selection_copy (apply->before, context->selection);
    }
    if (context->spot != NULL && !context->spot->is_said) {
        apply->outer = dup_header (context->spot);
    }
    for (guint i = spots->len; i-- > 0;) {
        CommandSpot *spot = g_ptr_array_index (spots, i);
        CommandJob *own = command_job_new (context, line, on_spot_done, spot);

        own->spot = spot;
        g_queue_push_head (context->jobs, own);
    }
    g_ptr_array_unref (spots);
}

/* ---- which ones ---- */

typedef struct {
    gboolean is_all;
    gint64
        n; /* so many of the innermost frames, or below 0 of the outermost ones; 0: those of the list */
    GArray *ranges; /* of guint32, two for each range; NULL: there is no list */
} Wanted;

static gboolean
is_wanted (const Wanted *wanted, guint32 number, guint32 n_frames)
{
    if (wanted->is_all) {
        return TRUE;
    }
    if (wanted->n != 0) {
        return wanted->n > 0 ? number < wanted->n : number + -wanted->n >= n_frames;
    }
    for (guint i = 0; wanted->ranges != NULL && i + 1 < wanted->ranges->len; i += 2) {
        if (number >= g_array_index (wanted->ranges, guint32, i)
            && number <= g_array_index (wanted->ranges, guint32, i + 1)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Ranks with the same place there share the spot. numbers: of lists of them, by number. */
static void
add_spot (CommandJob *job, Apply *apply, GHashTable *numbers, guint32 number,
          const JobLocation *place, const JobRankSet *ranks)
{
    GPtrArray *list = g_hash_table_lookup (numbers, GUINT_TO_POINTER (number));
    guint32 thread = session_selection_get_thread (job->context->selection,
                                                   job_rank_set_get_lowest (ranks));
    CommandSpot *spot;

    if (list == NULL) {
        list = g_ptr_array_new ();
        g_hash_table_insert (numbers, GUINT_TO_POINTER (number), list);
    }
    for (guint i = 0; i < list->len; i++) {
        spot = g_ptr_array_index (list, i);
        if (job_location_equal (spot->place, place) && spot->thread == thread) {
            job_rank_set_merge (spot->ranks, ranks);
            return;
        }
    }
    spot = g_new0 (CommandSpot, 1);
    *spot = (CommandSpot){ .apply = apply,
                           .context = job->context,
                           .ranks = job_rank_set_dup (ranks),
                           .number = number,
                           .thread = thread,
                           .place = job_location_dup (place),
                           .is_said = apply->is_quiet };
    g_ptr_array_add (list, spot);
}

/* Those whose stack ends with the last node of the path. */
static void
add_frames (CommandJob *job, const Wanted *wanted, GHashTable *numbers, const GPtrArray *path)
{
    const JobStackNode *last = g_ptr_array_index ((GPtrArray *) path, path->len - 1);
    g_autoptr (JobRankSet) ranks = job_rank_set_dup (last->ranks);

    BASE_EACH (last->children, const JobStackNode, child) {
        JobRankSet *rest = job_rank_set_subtract (ranks, child->ranks);

        job_rank_set_free (ranks);
        ranks = rest;
    }
    for (guint32 number = 0; !job_rank_set_is_empty (ranks) && number < path->len; number++) {
        const JobStackNode *node = g_ptr_array_index ((GPtrArray *) path,
                                                      path->len - 1 - number);

        if (is_wanted (wanted, number, path->len)) {
            add_spot (job, job->apply, numbers, number, &node->location, ranks);
        }
    }
}

/* Stacks may be deep: nothing here calls itself. */
static void
add_stacks (CommandJob *job, const Wanted *wanted, GHashTable *numbers,
            const JobStackTree *tree)
{
    g_autoptr (GPtrArray) path = g_ptr_array_new (), nodes = g_ptr_array_new ();
    g_autoptr (GArray) depths = g_array_new (FALSE, FALSE, sizeof (guint));
    const JobStackNode *node = tree->root;
    guint depth = 0;

    for (;;) {
        for (guint i = node->children != NULL ? node->children->len : 0; i-- > 0;) {
            g_ptr_array_add (nodes, g_ptr_array_index (node->children, i));
            g_array_append_val (depths, depth);
        }
        if (nodes->len == 0) {
            return;
        }
        node = g_ptr_array_steal_index (nodes, nodes->len - 1);
        depth = g_array_index (depths, guint, depths->len - 1);
        g_array_set_size (depths, depths->len - 1);
        g_ptr_array_set_size (path, (gint) depth);
        g_ptr_array_add (path, (gpointer) node);
        depth++;
        add_frames (job, wanted, numbers, path);
    }
}

static void
add_threads (CommandJob *job, const Wanted *wanted, GHashTable *numbers, const JobEvent *event)
{
    BASE_EACH (event->details, const JobDetail, detail) {
        if (is_wanted (wanted, (guint32) detail->number, 0)) {
            add_spot (job, job->apply, numbers, (guint32) detail->number, detail->place,
                      event->ranks);
        }
    }
}

/* ---- what was typed ---- */

/* "3", "4-6". FALSE: it is no such thing. */
static gboolean
parse_range (const char *word, Wanted *wanted)
{
    g_auto (GStrv) ends = g_strsplit (word, "-", 2);
    guint32 first, last;

    if (!command_parse_number (ends[0], G_MAXINT32, &first)
        || !command_parse_number (ends[1] != NULL ? ends[1] : ends[0], G_MAXINT32, &last)) {
        return FALSE;
    }
    if (wanted->ranges == NULL) {
        wanted->ranges = g_array_new (FALSE, FALSE, sizeof (guint32));
    }
    g_array_append_val (wanted->ranges, first);
    g_array_append_val (wanted->ranges, last);
    return TRUE;
}

/* The next word, of those before the command; NULL: none. Caller owns. */
static char *
peek (const char *text)
{
    return command_take_word (&text, "", NULL);
}

static void
skip_word (const char **text)
{
    *text = command_skip_spaces (*text);
    *text = command_skip_spaces (*text + strcspn (*text, " \t"));
}

/* Behind all, COUNT or LIST. FALSE: neither stands there. */
static gboolean
take_wanted (const char **text, gboolean is_thread, Wanted *wanted)
{
    g_autofree char *first = peek (*text);
    gboolean is_level = !is_thread && g_strcmp0 (first, "level") == 0;
    const char *digits = first != NULL && *first == '-' ? first + 1 : first;
    guint32 n;

    if (g_strcmp0 (first, "all") == 0) {
        wanted->is_all = TRUE;
        skip_word (text);
        return TRUE;
    }
    if (!is_thread && !is_level) {
        if (first == NULL || !command_parse_number (digits, G_MAXINT32, &n) || n == 0) {
            return FALSE;
        }
        wanted->n = *first == '-' ? -(gint64) n : n;
        skip_word (text);
        return TRUE;
    }
    if (is_level) {
        skip_word (text);
    }
    for (;;) {
        g_autofree char *word = peek (*text);

        if (word == NULL || !parse_range (word, wanted)) {
            return wanted->ranges != NULL;
        }
        skip_word (text);
    }
}

static void
take_flags (const char **text, Apply *apply, gboolean *ret_ascends)
{
    for (;;) {
        g_autofree char *word = peek (*text);

        if (g_strcmp0 (word, "-q") == 0) {
            apply->is_quiet = TRUE;
        } else if (g_strcmp0 (word, "-c") == 0) {
            apply->goes_on = TRUE;
        } else if (g_strcmp0 (word, "-s") == 0) {
            apply->is_silent = TRUE;
        } else if (apply->is_thread && g_strcmp0 (word, "-ascending") == 0) {
            *ret_ascends = TRUE;
        } else if (g_strcmp0 (word, "--") == 0) {
            skip_word (text);
            return;
        } else {
            return;
        }
        skip_word (text);
    }
}

BASE_ORDER_POINTERS (compare_numbers, CommandSpot, BASE_BY (number))

static int
compare_back (gconstpointer a, gconstpointer b)
{
    return compare_numbers (b, a);
}

static void
on_answered (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    g_autoptr (GHashTable) numbers = g_hash_table_new_full (NULL, NULL, NULL,
                                                            (GDestroyNotify) g_ptr_array_unref);
    GPtrArray *spots = g_ptr_array_new ();
    Apply *apply = g_new0 (Apply, 1);
    Wanted wanted = { 0 };
    const char *text = job->arguments;
    gboolean ascends = FALSE;
    gpointer list;

    job->apply = apply;
    apply->is_thread = job->row->verb == JOB_VERB_THREADS;
    take_wanted (&text, apply->is_thread, &wanted);
    take_flags (&text, apply, &ascends);
    for (guint i = job->answers->len; i > 0; i--) {
        const JobEvent *event = g_ptr_array_index (job->answers, i - 1);

        if (event->kind == JOB_EVENT_STACKS && event->flags & JOB_EVENT_SAMPLED) {
            command_job_fail (job, event->ranks, "cannot select a frame: the rank is running");
        } else if (event->kind == JOB_EVENT_STACKS && event->tree != NULL) {
            add_stacks (job, &wanted, numbers, event->tree);
        } else if (event->kind == JOB_EVENT_DETAILS) {
            add_threads (job, &wanted, numbers, event);
        } else {
            continue;
        }
        g_ptr_array_remove_index (job->answers, i - 1);
    }
    BASE_WALK (numbers, NULL, &list) {
        g_ptr_array_extend (spots, list, NULL, NULL);
    }
    g_ptr_array_sort (spots, apply->is_thread && wanted.is_all && !ascends ? compare_back
                                                                           : compare_numbers);
    command_job_print_answers (job, ok, missing);
    if (spots->len == 0) {
        command_job_fail (job, job->set, "no such %s", apply->is_thread ? "thread" : "frame");
        g_ptr_array_unref (spots);
        g_free (apply);
    } else {
        run_spots (job, apply, spots, text);
    }
    g_clear_pointer (&wanted.ranges, g_array_unref);
    command_job_end (job);
}

void
command_run_apply (CommandJob *job)
{
    gboolean is_thread = job->row->verb == JOB_VERB_THREADS, ascends = FALSE;
    Apply probe = { .is_thread = is_thread };
    Wanted wanted = { 0 };
    const char *text = job->arguments;
    gboolean is_good = take_wanted (&text, is_thread, &wanted);

    g_clear_pointer (&wanted.ranges, g_array_unref);
    take_flags (&text, &probe, &ascends);
    if (!is_good || *text == '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    command_job_query (job, job_request_new (job->row->verb, job->set), on_answered);
}
