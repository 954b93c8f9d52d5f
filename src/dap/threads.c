/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the client knows as threads: each rank, of a job of few; else each group of ranks in the same state at the
 * same place. Rank r is thread r + 1 for the whole session; a group's number is never given to other ranks. */
#include "dap/private.h"
#include "job/library.h"
#include <string.h>

#define MAX_GROUPS 1000    /* that are threads */
#define MAX_NUMBERS 100000 /* of groups that are remembered */

void
dap_group_free (gpointer data)
{
    DapGroup *group = data;

    job_rank_set_free (group->ranks);
    g_free (group);
}

static const DapOwnThread *get_own (DapServer *server, gint64 id);

gboolean
dap_threads_are_ranks (const DapServer *server)
{
    return session_get_size (server->session) <= server->ranks_as_threads;
}

static JobRankSet *
dup_living (DapServer *server)
{
    JobRankSet *ranks = session_dup_all (server->session);
    static const JobState ends[] = { JOB_STATE_EXITED, JOB_STATE_FAILED, JOB_STATE_LOST };

    for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
        g_autoptr (JobRankSet) ended = session_dup_ranks_in_one_state (server->session,
                                                                       ends[i]);

        dap_ranks_cut (&ranks, ended);
    }
    return ranks;
}

static JobRankSet *
dup_grouped (DapServer *server)
{
    g_autoptr (JobRankSet) living = dup_living (server);

    return job_rank_set_subtract (living, server->pinned);
}

/* The same ranks get the same number whenever they are a group again. */
static guint32
find_number (DapServer *server, const JobRankSet *ranks)
{
    g_autofree char *text = job_rank_set_format (ranks);
    guint32 number = GPOINTER_TO_UINT (g_hash_table_lookup (server->group_numbers, text));

    if (number == 0) {
        if (g_hash_table_size (server->group_numbers) >= MAX_NUMBERS) {
            g_hash_table_remove_all (server->group_numbers);
        }
        number = server->last_group++;
        g_hash_table_insert (server->group_numbers, g_steal_pointer (&text),
                             GUINT_TO_POINTER (number));
    }
    return number;
}

static const DapGroup *
find_group (GPtrArray *groups, guint32 number)
{
    return BASE_FIND (groups, const DapGroup, group, group->id == number);
}

void
dap_threads_refresh (DapServer *server)
{
    g_autoptr (JobRankSet) ranks = NULL;
    g_autoptr (GPtrArray) events = NULL;
    g_autoptr (GPtrArray) before = NULL;

    if (dap_threads_are_ranks (server)) {
        return;
    }
    ranks = dup_grouped (server);
    events = session_dup_state_groups (server->session, ranks);
    before = g_steal_pointer (&server->groups);
    server->groups = g_ptr_array_new_with_free_func (dap_group_free);
    for (guint i = 0; i < events->len && i < MAX_GROUPS; i++) {
        const JobEvent *event = g_ptr_array_index (events, i);
        DapGroup *group = g_new0 (DapGroup, 1);
        const DapGroup *old;

        group->id = find_number (server, event->ranks);
        group->ranks = job_rank_set_dup (event->ranks);
        group->is_stopped = job_state_get_info (event->state)->is_stopped;
        old = find_group (before, group->id);
        group->is_told = old != NULL && old->is_told && group->is_stopped;
        g_ptr_array_add (server->groups, group);
    }
}

guint32
dap_threads_find (DapServer *server, const JobRankSet *ranks)
{
    guint32 lowest = job_rank_set_get_lowest (ranks);

    return BASE_PICK (!dap_threads_are_ranks (server) ? server->groups : NULL, const DapGroup,
                      group, job_rank_set_contains (group->ranks, lowest), group->id,
                      lowest + 1);
}

JobRankSet *
dap_threads_dup_ranks (DapServer *server, gint64 id)
{
    guint32 size = session_get_size (server->session);

    const DapOwnThread *own = get_own (server, id);

    if (id >= 1 && id <= size) {
        return job_rank_set_new_range ((guint32) id - 1, (guint32) id);
    }
    if (own != NULL && own->rank < size) {
        return job_rank_set_new_range (own->rank, own->rank + 1);
    }
    return BASE_PICK (server->groups, const DapGroup, group, group->id == id,
                      job_rank_set_dup (group->ranks), NULL);
}

JobRankSet *
dap_threads_take (DapRequest *request)
{
    gint64 id = dap_request_need_number (request, request->arguments, "threadId");
    JobRankSet *ranks;

    if (!dap_request_is_good (request)) {
        return NULL;
    }
    ranks = dap_threads_dup_ranks (request->server, id);
    if (ranks == NULL) {
        dap_fail (request,
                  "there is no thread %" G_GINT64_FORMAT
                  " any more: its ranks are in other groups now",
                  id);
    }
    return ranks;
}

/* ---- names ---- */

/* A rank that stands is told by its place, another one by what it does. */
static char *
format_what (DapServer *server, const JobEvent *event)
{
    return job_state_get_info (event->state)->is_stopped && event->place != NULL
               ? session_format_place (BASE_TEXT_ENGLISH, server->session, event->place)
               : session_format_event_state (BASE_TEXT_ENGLISH, server->session, event);
}

/* names: id to name of what is listed; NULL: nobody wants to know. */
static void
write_thread (GString *body, GHashTable *names, guint32 id, const char *name)
{
    if (names != NULL) {
        g_hash_table_replace (names, GUINT_TO_POINTER (id), g_strdup (name));
    }
    dap_write_begin (body, NULL, '{');
    dap_write_number (body, "id", id);
    dap_write_text (body, "name", name);
    dap_write_end (body, '}');
}

/* Each rank of the set, by its group's text, in their order. */
static void
write_ranks (DapServer *server, GString *body, GHashTable *names, const JobRankSet *ranks)
{
    g_autoptr (GPtrArray) events = session_dup_state_groups (server->session, ranks);
    g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

    for (guint i = 0; i < events->len; i++) {
        g_ptr_array_add (texts, format_what (server, g_ptr_array_index (events, i)));
    }
    JOB_EACH_RANK (ranks, rank) {
        const char *text = "not started";
        g_autofree char *name = NULL;

        for (guint i = 0; i < events->len; i++) {
            if (job_rank_set_contains (((JobEvent *) g_ptr_array_index (events, i))->ranks,
                                       rank)) {
                text = g_ptr_array_index (texts, i);
                break;
            }
        }
        name = g_strdup_printf ("rank %u: %s", rank, text);
        write_thread (body, names, rank + 1, name);
    }
}

static void
write_groups (DapServer *server, GString *body, GHashTable *names)
{
    dap_threads_refresh (server);
    BASE_EACH (server->groups, const DapGroup, group) {
        g_autoptr (GPtrArray) events = session_dup_state_groups (server->session, group->ranks);
        g_autofree char *ranks = job_rank_set_format_brief (group->ranks);
        g_autofree char *text = events->len > 0
                                    ? session_format_event_state (BASE_TEXT_ENGLISH,
                                                                  server->session,
                                                                  g_ptr_array_index (events, 0))
                                    : g_strdup ("");
        g_autofree char *name = g_strdup_printf ("%s: %s", ranks, text);

        write_thread (body, names, group->id, name);
    }
}

/* ---- other threads of a rank, which stand in code of which the source is known ---- */

#define MAX_OWN 256 /* in a list */

static guint32
find_own_id (DapServer *server, guint32 rank, guint32 thread)
{
    DapOwnThread *own;

    for (guint i = 0; i < server->own_threads->len; i++) {
        own = g_ptr_array_index (server->own_threads, i);
        if (own->rank == rank && own->thread == thread) {
            return DAP_FIRST_THREAD + i;
        }
    }
    own = g_new0 (DapOwnThread, 1);
    *own = (DapOwnThread){ .rank = rank, .thread = thread };
    g_ptr_array_add (server->own_threads, own);
    return DAP_FIRST_THREAD + server->own_threads->len - 1;
}

static const DapOwnThread *
get_own (DapServer *server, gint64 id)
{
    return id >= DAP_FIRST_THREAD && id - DAP_FIRST_THREAD < server->own_threads->len
               ? g_ptr_array_index (server->own_threads, (guint) (id - DAP_FIRST_THREAD))
               : NULL;
}

guint32
dap_threads_find_own (DapServer *server, gint64 id)
{
    const DapOwnThread *own = get_own (server, id);

    return own != NULL ? own->thread : 0;
}

static void
send_own (DapServer *server, const char *event, guint32 id)
{
    GString *body = dap_body_new ();

    if (strcmp (event, "stopped") == 0) {
        dap_write_text (body, "reason", "pause");
        dap_write_flag (body, "preserveFocusHint", TRUE);
        dap_write_flag (body, "allThreadsStopped", FALSE);
    } else {
        dap_write_flag (body, "allThreadsContinued", FALSE);
    }
    dap_write_number (body, "threadId", id);
    dap_send_event (server, event, body);
}

void
dap_threads_leave (DapServer *server, const JobRankSet *moved)
{
    for (guint i = 0; i < server->own_threads->len; i++) {
        DapOwnThread *own = g_ptr_array_index (server->own_threads, i);

        if (own->is_told && job_rank_set_contains (moved, own->rank)) {
            own->is_told = FALSE;
            send_own (server, "continued", DAP_FIRST_THREAD + i);
        }
    }
}

/* What MPI's and the system's libraries have threads for is nobody's interest, also where their sources are known. */
static gboolean
is_users (const JobLocation *place)
{
    return place != NULL && place->file != NULL && place->line > 0
           && (place->language == JOB_LANGUAGE_PYTHON || *place->file == '/')
           && (place->module == NULL
               || job_library_get_kind (place->module) == JOB_LIBRARY_OTHER);
}

/* Adds the ids of those that are listed. */
static void
write_own (DapServer *server, GString *body, const JobEvent *event, const JobRankSet *ranks,
           GArray *ids)
{
    JOB_EACH_RANK (ranks, rank) {
        for (guint i = 0; i < event->details->len && ids->len < MAX_OWN; i++) {
            const JobDetail *detail = g_ptr_array_index (event->details, i);
            g_autofree char *place = NULL, *name = NULL;
            guint32 id;

            if (detail->kind != JOB_DETAIL_THREAD || (detail->flags & JOB_DETAIL_HERE)
                || !is_users (detail->place)) {
                continue;
            }
            id = find_own_id (server, rank, (guint32) detail->number);
            place = session_format_place (BASE_TEXT_ENGLISH, server->session, detail->place);
            name = g_strdup_printf ("rank %u, thread %u: %s", rank, (guint32) detail->number,
                                    place);
            write_thread (body, NULL, id, name);
            g_array_append_val (ids, id);
        }
    }
}

/* ---- threads ---- */

/* What the client knows from now on. */
static void
write_all (DapServer *server, GString *body)
{
    GHashTable *names = g_hash_table_new_full (NULL, NULL, NULL, g_free);

    if (dap_threads_are_ranks (server)) {
        g_autoptr (JobRankSet) ranks = dup_living (server);

        write_ranks (server, body, names, ranks);
    } else {
        g_autoptr (JobRankSet) living = dup_living (server);
        g_autoptr (JobRankSet) ranks = job_rank_set_intersect (living, server->pinned);

        write_groups (server, body, names);
        write_ranks (server, body, names, ranks);
    }
    g_hash_table_unref (server->listed);
    server->listed = names;
}

static void
send_thread (DapServer *server, const char *reason, guint32 id)
{
    GString *body = dap_body_new ();

    dap_write_text (body, "reason", reason);
    dap_write_number (body, "threadId", id);
    dap_send_event (server, "thread", body);
}

static gboolean
is_standing (DapServer *server, guint32 id)
{
    g_autoptr (JobRankSet) ranks = dap_threads_dup_ranks (server, id);
    SessionRank rank = { .is_there = FALSE };

    if (ranks != NULL) {
        rank = session_get_rank (server->session, job_rank_set_get_lowest (ranks));
    }
    return rank.is_there && job_state_get_info (rank.state)->is_stopped;
}

/* A client asks for the list when a thread has begun or ended, and when one has stopped. With `invalidated` VS Code
 * forgets who is stopped. */
void
dap_threads_tell (DapServer *server)
{
    g_autoptr (GHashTable) before = g_hash_table_ref (server->listed);
    g_autoptr (GString) unused = g_string_new (NULL);
    GHashTableIter iter;
    gpointer id, name;

    write_all (server, unused);
    g_hash_table_iter_init (&iter, before);
    while (g_hash_table_iter_next (&iter, &id, NULL)) {
        if (!g_hash_table_contains (server->listed, id)) {
            send_thread (server, "exited", GPOINTER_TO_UINT (id));
        }
    }
    g_hash_table_iter_init (&iter, server->listed);
    while (g_hash_table_iter_next (&iter, &id, &name)) {
        const char *known = g_hash_table_lookup (before, id);

        if (known == NULL
            || (strcmp (known, name) != 0 && !is_standing (server, GPOINTER_TO_UINT (id)))) {
            send_thread (server, "started", GPOINTER_TO_UINT (id));
        }
    }
}

/* A client believes that a thread which it has not heard of runs. */
static void
on_own (DapRequest *request, SessionAnswer *answer)
{
    DapServer *server = request->server;
    g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
    GString *body = dap_body_new ();

    dap_write_begin (body, "threads", '[');
    write_all (server, body);
    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind == JOB_EVENT_DETAILS && event->details != NULL) {
            g_autoptr (JobRankSet) ranks = job_rank_set_subtract (event->ranks, answer->old);

            write_own (server, body, event, ranks, ids);
        }
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
    for (guint i = 0; i < ids->len; i++) {
        guint32 id = g_array_index (ids, guint32, i);
        DapOwnThread *own = g_ptr_array_index (server->own_threads, id - DAP_FIRST_THREAD);

        if (!own->is_told) {
            own->is_told = TRUE;
            send_own (server, "stopped", id);
        }
    }
}

void
dap_run_threads (DapRequest *request)
{
    DapServer *server = request->server;
    gboolean has_ranks = server->session != NULL && session_get_size (server->session) > 0;
    GString *body;

    if (has_ranks && !session_is_ended (server->session) && server->is_begun) {
        g_autoptr (JobRankSet) all = session_dup_all (server->session);
        g_autoptr (JobRankSet) stopped
            = session_dup_stopped (server->session,
                                   dap_threads_are_ranks (server) ? all : server->pinned, NULL);

        if (!job_rank_set_is_empty (stopped)) {
            dap_ask (request, job_request_new (JOB_VERB_THREADS, stopped), on_own);
            return;
        }
    }
    body = dap_body_new ();
    dap_write_begin (body, "threads", '[');
    if (!has_ranks && !server->is_over) {
        write_thread (body, NULL, 1,
                      "rank 0: not started"); /* without a thread a client cannot pause */
    } else if (has_ranks && !session_is_ended (server->session)) {
        write_all (server, body);
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}
