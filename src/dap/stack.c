/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks, and what a frame has to show. */
#include "dap/private.h"

#define GUESS 20 /* frames that are promised while there are more */

gint64
dap_line_out (const DapServer *server, guint32 line)
{
    return line == 0 ? 0 : (gint64) line - (server->lines_start_at_0 ? 1 : 0);
}

guint32
dap_line_in (const DapServer *server, gint64 line)
{
    line += server->lines_start_at_0 ? 1 : 0;
    return line > 0 && line <= G_MAXINT32 ? (guint32) line : 0;
}

typedef struct {
    JobRankSet *thread;
    guint32 rank, own;    /* own: of its threads; 0: the one that is shown as the rank */
    gint64 first, levels; /* levels 0: all */
} Wanted;

BASE_FREE (free_wanted, Wanted, wanted, job_rank_set_free (wanted->thread))

/* The rank's frames, innermost last; of a tree each rank is in one path. */
static GPtrArray *
find_path (const JobStackTree *tree, guint32 rank)
{
    GPtrArray *path = g_ptr_array_new ();
    const JobStackNode *node = tree->root;

    while (node != NULL) {
        const JobStackNode *next = NULL;

        for (guint i = 0; node->children != NULL && i < node->children->len && next == NULL;
             i++) {
            const JobStackNode *child = g_ptr_array_index (node->children, i);

            next = job_rank_set_contains (child->ranks, rank) ? child : NULL;
        }
        if (next != NULL) {
            g_ptr_array_add (path, (gpointer) next);
        }
        node = next;
    }
    return path;
}

static char *
format_frame (const JobStackNode *node)
{
    g_autofree char *marks = job_frame_format_marks (BASE_TEXT_ENGLISH, node->flags);
    const JobLocation *place = &node->location;
    const char *function = job_location_get_function (BASE_TEXT_ENGLISH, place);

    if (function == NULL && place->module != NULL) {
        return g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x%s", place->module, place->offset,
                                marks);
    }
    return g_strdup_printf ("%s%s", function != NULL ? function : "??", marks);
}

static void
write_frame (DapServer *server, GString *body, const JobStackNode *node, const Wanted *wanted,
             const JobRankSet *equal, guint32 number)
{
    DapHandle *handle = dap_handle_new_frame (server, wanted->rank, wanted->own, equal, number,
                                              &node->location);
    g_autofree char *name = format_frame (node);
    const JobLocation *place = &node->location;

    dap_write_begin (body, NULL, '{');
    dap_write_number (body, "id", handle->id);
    dap_write_text (body, "name", name);
    if (place->file != NULL && place->line > 0) {
        dap_write_source (server, body, "source", place->file);
    }
    dap_write_number (body, "line",
                      place->file != NULL ? dap_line_out (server, place->line) : 0);
    dap_write_number (body, "column",
                      place->file != NULL && place->line > 0 && !server->columns_start_at_0);
    if (place->module != NULL) {
        dap_write_text (body, "moduleId", place->module);
    }
    if (place->language != JOB_LANGUAGE_PYTHON) {
        g_autofree char *reference = g_strdup_printf ("frame %u", handle->id);

        dap_write_text (body, "instructionPointerReference", reference);
    }
    dap_write_text (body, "presentationHint",
                    node->flags & JOB_FRAME_LIBRARY && place->file == NULL ? "subtle"
                                                                           : "normal");
    dap_write_end (body, '}');
}

static void
on_stacks (DapRequest *request, SessionAnswer *answer)
{
    DapServer *server = request->server;
    const Wanted *wanted = request->data;
    const SessionRank rank = session_get_rank (server->session, wanted->rank);
    g_autoptr (JobStackTree) tree = NULL;
    g_autoptr (GPtrArray) path = NULL;
    g_autofree char *why = dap_format_failures (answer);
    const JobStackNode *innermost;
    gint64 n, total;
    GString *body;

    if (job_rank_set_contains (answer->old, wanted->rank)
        || !job_state_get_info (rank.state)->is_stopped) {
        dap_fail_as (request, "notStopped", "rank %u has moved in the meantime", wanted->rank);
        return;
    }
    tree = session_answer_take_tree (answer);
    path = find_path (tree, wanted->rank);
    if (path->len == 0) {
        dap_fail (request, "%s", why != NULL ? why : "this rank has no stack to show");
        return;
    }
    n = path->len;
    innermost = g_ptr_array_index (path, path->len - 1);
    total = wanted->levels > 0 && n > wanted->first + wanted->levels ? n - 1 + GUESS : n;
    body = dap_body_new ();
    dap_write_begin (body, "stackFrames", '[');
    for (gint64 i = wanted->first;
         i < n && (wanted->levels == 0 || i < wanted->first + wanted->levels); i++) {
        write_frame (server, body, g_ptr_array_index (path, (guint) (n - 1 - i)), wanted,
                     innermost->ranks, (guint32) i);
    }
    dap_write_end (body, ']');
    dap_write_number (body, "totalFrames", total);
    dap_answer (request, body);
}

/* The thread's ranks, and those that stand at the same place: their values are shown beside. */
static JobRankSet *
dup_beside (DapServer *server, const JobRankSet *thread, guint32 rank)
{
    g_autoptr (JobRankSet) all = session_dup_all (server->session);
    g_autoptr (JobRankSet) stopped = session_dup_stopped (server->session, all, NULL);
    g_autoptr (GPtrArray) groups = session_dup_state_groups (server->session, stopped);
    JobRankSet *ranks = job_rank_set_new_range (rank, rank + 1);
    const JobLocation *place = NULL;

    for (guint i = 0; i < groups->len && place == NULL; i++) {
        const JobEvent *event = g_ptr_array_index (groups, i);

        place = job_rank_set_contains (event->ranks, rank) ? event->place : NULL;
    }
    for (guint i = 0; i < groups->len && place != NULL; i++) {
        const JobEvent *event = g_ptr_array_index (groups, i);

        if (job_location_equal (event->place, place)) {
            job_rank_set_merge (ranks, event->ranks);
        }
    }
    return ranks;
}

void
dap_run_stack (DapRequest *request)
{
    DapServer *server = request->server;
    gint64 first = dap_request_get_number (request, request->arguments, "startFrame", 0);
    gint64 levels = dap_request_get_number (request, request->arguments, "levels", 0);
    g_autoptr (JobRankSet) thread = dap_threads_take (request);
    g_autoptr (JobRankSet) ranks = NULL;
    SessionRank rank;
    JobRequest *asked;
    Wanted *wanted;

    if (thread == NULL) {
        return;
    }
    rank = session_get_rank (server->session, job_rank_set_get_lowest (thread));
    if (!rank.is_there || !job_state_get_info (rank.state)->is_stopped) {
        dap_fail_as (request, "notStopped", "the thread's rank is not stopped: pause it first");
        return;
    }
    wanted = g_new0 (Wanted, 1);
    wanted->rank = job_rank_set_get_lowest (thread);
    wanted->own = dap_threads_find_own (server,
                                        dap_request_get_number (request, request->arguments,
                                                                "threadId", 0));
    wanted->thread = g_steal_pointer (&thread);
    wanted->first = CLAMP (first, 0, G_MAXINT32 / 2);
    wanted->levels = CLAMP (levels, 0, G_MAXINT32 / 2 - 1);
    request->data = wanted;
    request->free_data = free_wanted;
    ranks = wanted->own != 0 ? job_rank_set_dup (wanted->thread)
                             : dup_beside (server, wanted->thread, wanted->rank);
    asked = job_request_new (JOB_VERB_WHERE, ranks);
    if (wanted->own != 0) {
        job_request_select (asked, ranks, wanted->own, FALSE, 0);
    }
    /* one more, to know whether there are more */
    asked->count = wanted->levels > 0 ? (guint32) (wanted->first + wanted->levels + 1) : 0;
    dap_ask (request, asked, on_stacks);
}

static void
write_scope (GString *body, const DapHandle *handle, const char *name, const char *hint,
             gboolean is_expensive)
{
    dap_write_begin (body, NULL, '{');
    dap_write_text (body, "name", name);
    dap_write_text (body, "presentationHint", hint);
    dap_write_number (body, "variablesReference", handle->id);
    dap_write_flag (body, "expensive", is_expensive);
    dap_write_end (body, '}');
}

void
dap_run_scopes (DapRequest *request)
{
    DapServer *server = request->server;
    gint64 id = dap_request_need_number (request, request->arguments, "frameId");
    DapHandle *frame;
    GString *body;

    if (!dap_request_is_good (request)) {
        return;
    }
    frame = dap_handle_find (request, id, "frame");
    if (frame == NULL) {
        return;
    }
    body = dap_body_new ();
    dap_write_begin (body, "scopes", '[');
    write_scope (body, dap_handle_new (server, DAP_HANDLE_LOCALS, frame), "Locals", "locals",
                 FALSE);
    write_scope (body, dap_handle_new (server, DAP_HANDLE_GLOBALS, frame), "Globals", NULL,
                 TRUE);
    if (frame->place == NULL || frame->place->language != JOB_LANGUAGE_PYTHON) {
        write_scope (body, dap_handle_new (server, DAP_HANDLE_REGISTERS, frame), "Registers",
                     "registers", TRUE);
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}
