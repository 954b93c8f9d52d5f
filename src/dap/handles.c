/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers by which a client names frames and values. Each belongs to a moment of one rank, and is an error as soon
 * as that rank has moved; no number is given twice. */
#include "dap/private.h"
#include "session/moment.h"

void
dap_handle_free (gpointer data)
{
    DapHandle *handle = data;

    job_rank_set_free (handle->ranks);
    job_location_free (handle->place);
    g_free (handle->path);
    g_free (handle->type);
    g_free (handle);
}

static DapHandle *
add (DapServer *server, DapHandleKind kind)
{
    DapHandle *handle = g_new0 (DapHandle, 1);

    handle->kind = kind;
    handle->id = ++server->last_handle;
    g_hash_table_insert (server->handles, GUINT_TO_POINTER (handle->id), handle);
    return handle;
}

DapHandle *
dap_handle_new (DapServer *server, DapHandleKind kind, const DapHandle *frame)
{
    DapHandle *handle = add (server, kind);

    handle->rank = frame->rank;
    handle->thread = frame->thread;
    handle->frame = frame->frame;
    handle->ranks = job_rank_set_dup (frame->ranks);
    handle->start = frame->start;
    handle->stop = frame->stop;
    handle->place = job_location_dup (frame->place);
    return handle;
}

DapHandle *
dap_handle_new_frame (DapServer *server, guint32 rank, guint32 thread, const JobRankSet *ranks,
                      guint32 frame, const JobLocation *place)
{
    DapHandle *handle = add (server, DAP_HANDLE_FRAME);

    handle->rank = rank;
    handle->thread = thread;
    handle->frame = frame;
    handle->ranks = job_rank_set_dup (ranks);
    handle->start = session_get_start (server->session);
    handle->stop = session_get_rank (server->session, rank).stop;
    handle->place = job_location_dup (place);
    return handle;
}

static gboolean
is_present (DapServer *server, const DapHandle *handle)
{
    const SessionRank rank = session_get_rank (server->session, handle->rank);

    return rank.is_there && handle->start == session_get_start (server->session)
           && handle->stop == rank.stop && job_state_get_info (rank.state)->is_stopped;
}

DapHandle *
dap_handle_find (DapRequest *request, gint64 id, const char *what)
{
    DapServer *server = request->server;
    DapHandle *handle = id > 0 && id <= server->last_handle
                            ? g_hash_table_lookup (server->handles, GUINT_TO_POINTER (id))
                            : NULL;

    if (handle != NULL && is_present (server, handle)) {
        return handle;
    }
    if (id > 0 && id <= server->last_handle) {
        dap_fail_as (request, "notStopped",
                     "%s: %s %" G_GINT64_FORMAT " is of an earlier moment: its rank has moved",
                     request->command, what, id);
    } else {
        dap_fail (request, "%s: there is no %s %" G_GINT64_FORMAT, request->command, what, id);
    }
    return NULL;
}

JobRequest *
dap_handle_ask (const DapHandle *handle, JobVerb verb, gboolean alone)
{
    g_autoptr (JobRankSet) single = job_rank_set_new_range (handle->rank, handle->rank + 1);
    const JobRankSet *ranks = alone ? single : handle->ranks;
    JobRequest *request = job_request_new (verb, ranks);

    job_request_select (request, ranks, handle->thread, TRUE, handle->frame);
    return request;
}

static gboolean
is_past (gpointer id, gpointer handle, gpointer server)
{
    return !is_present (server, handle);
}

void
dap_handles_purge (DapServer *server)
{
    g_hash_table_foreach_remove (server->handles, is_past, server);
}

static void
leave (gpointer id, gpointer value, gpointer moved)
{
    DapHandle *handle = value;

    if (job_rank_set_intersects (handle->ranks, moved)) {
        dap_ranks_cut (&handle->ranks, moved);
    }
}

void
dap_handles_leave (DapServer *server, const JobRankSet *moved)
{
    g_hash_table_foreach (server->handles, leave, (gpointer) moved);
}
