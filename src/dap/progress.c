/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A start takes as long as a queue of the batch system: what has come of it is told to clients that show it, and they may
 * give it up. Debug information that takes long to read is told of, too. */
#include "dap/private.h"

#define START "start"
#define READING "reading"
#define LOOK_MS 250

static GString *
new_body (const char *id)
{
    GString *body = dap_body_new ();

    dap_write_text (body, "progressId", id);
    return body;
}

static void
write_state (GString *body, const char *text, const SessionBeginning *beginning)
{
    gint64 percent = (gint64) beginning->n_there + beginning->n_arrived;

    dap_write_text (body, "message", text);
    if (beginning->n_due > 0) { /* half the way is to report, half to reach the first stop */
        dap_write_number (body, "percentage", MIN (percent * 50 / beginning->n_due, 100));
    }
}

static gboolean
on_look (gpointer data)
{
    DapServer *server = data;
    SessionBeginning beginning;
    g_autoptr (BaseText) text = session_dup_beginning_text (server->session);
    GString *body;

    if (text == NULL || !session_find_beginning (server->session, &beginning)
        || g_strcmp0 (server->progress_text, text->english) == 0) {
        return G_SOURCE_CONTINUE;
    }
    g_free (server->progress_text);
    server->progress_text = g_strdup (text->english);
    body = new_body (START);
    write_state (body, text->english, &beginning);
    dap_send_event (server, "progressUpdate", body);
    return G_SOURCE_CONTINUE;
}

void
dap_progress_begin (DapServer *server, const char *title)
{
    GString *body;

    if (!server->has_progress || server->progress_source != 0) {
        return;
    }
    body = new_body (START);
    dap_write_text (body, "title", title);
    dap_write_flag (body, "cancellable", TRUE);
    dap_send_event (server, "progressStart", body);
    server->progress_source = g_timeout_add (LOOK_MS, on_look, server);
}

void
dap_progress_end (DapServer *server)
{
    g_clear_pointer (&server->progress_text, g_free);
    if (server->progress_source != 0) {
        g_source_remove (server->progress_source);
        server->progress_source = 0;
        dap_send_event (server, "progressEnd", new_body (START));
    }
}

gboolean
dap_progress_cancel (DapServer *server, const char *id)
{
    if (g_strcmp0 (id, START) != 0 || server->progress_source == 0) {
        return FALSE;
    }
    session_give_up_beginning (server->session);
    return TRUE;
}

static void
end_reading (DapServer *server)
{
    dap_send_event (server, "progressEnd", new_body (READING));
}

/* What the daemons say of a file (engine/work.c). Several hosts read at once, under one title; their ranks may say the same
 * in one event. */
void
dap_progress_note (DapServer *server, const JobEvent *event)
{
    gboolean begins = g_str_has_prefix (event->text, "reading the debug information of ");
    gboolean ends = g_str_has_prefix (event->text, "the debug information of ");
    gboolean is_first = job_rank_set_is_empty (server->reading);
    GString *body;

    if (!server->has_progress || (!begins && (!ends || is_first))) {
        return;
    }
    if (ends) {
        dap_ranks_cut (&server->reading, event->ranks);
        if (job_rank_set_is_empty (server->reading)) {
            end_reading (server);
        }
        return;
    }
    job_rank_set_merge (server->reading, event->ranks);
    body = new_body (READING);
    if (is_first) {
        dap_write_text (body, "title", "Reading debug information");
    }
    dap_write_text (body, "message", event->text);
    dap_send_event (server, is_first ? "progressStart" : "progressUpdate", body);
}

void
dap_progress_clear (DapServer *server)
{
    dap_progress_end (server);
    if (!job_rank_set_is_empty (server->reading)) {
        job_rank_set_clear (server->reading);
        end_reading (server);
    }
}
