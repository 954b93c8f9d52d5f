/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A start takes as long as a queue of the batch system: what has come of it is told to clients that show it, and they may
 * give it up. */
#include "dap/private.h"
#include <string.h>

#define START "start"
#define LOOK_MS 250

static GString *
new_body (void)
{
    GString *body = dap_body_new ();

    dap_write_text (body, "progressId", START);
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
    body = new_body ();
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
    body = new_body ();
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
        dap_send_event (server, "progressEnd", new_body ());
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
