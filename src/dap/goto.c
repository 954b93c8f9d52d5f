/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that have code: where breakpoints may stand, and where a thread may go on. */
#include "dap/private.h"
#include <string.h>

#define MAX_LINES 200     /* that are looked at for one request */
#define MAX_TARGETS 10000 /* that are remembered */

typedef struct {
    char *path;
    guint32 line, end; /* the one that is asked about, and the last one, inclusive */
    GArray *found;     /* of guint32 */
} Lines;

BASE_FREE (free_lines, Lines, lines, g_free (lines->path); g_array_unref (lines->found))

static void
answer_locations (DapRequest *request)
{
    DapServer *server = request->server;
    const Lines *lines = request->data;
    GString *body = dap_body_new ();

    dap_write_begin (body, "breakpoints", '[');
    for (guint i = 0; i < lines->found->len; i++) {
        dap_write_begin (body, NULL, '{');
        dap_write_number (body, "line",
                          dap_line_out (server, g_array_index (lines->found, guint32, i)));
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

void
dap_target_free (gpointer data)
{
    DapTarget *target = data;

    g_free (target->path);
    g_free (target);
}

static void
answer_targets (DapRequest *request)
{
    DapServer *server = request->server;
    const Lines *lines = request->data;
    g_autofree char *base = g_path_get_basename (lines->path);
    GString *body = dap_body_new ();

    if (server->targets->len > MAX_TARGETS) {
        g_ptr_array_set_size (server->targets, 0);
    }
    dap_write_begin (body, "targets", '[');
    for (guint i = 0; i < lines->found->len; i++) {
        DapTarget *target = g_new0 (DapTarget, 1);
        g_autofree char *label = NULL;

        target->id = ++server->last_target;
        target->path = g_strdup (lines->path);
        target->line = g_array_index (lines->found, guint32, i);
        g_ptr_array_add (server->targets, target);
        label = g_strdup_printf ("%s:%u", base, target->line);
        dap_write_begin (body, NULL, '{');
        dap_write_number (body, "id", target->id);
        dap_write_text (body, "label", label);
        dap_write_number (body, "line", dap_line_out (server, target->line));
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

static void
answer_lines (DapRequest *request)
{
    if (strcmp (request->command, "gotoTargets") == 0) {
        answer_targets (request);
    } else {
        answer_locations (request);
    }
}

static void ask_line (DapRequest *request);

/* What `info line` says: "Line 7 of … starts at …", "Line 6 of … has no code; Line 7 of …". */
static void
on_line (DapRequest *request, SessionAnswer *answer)
{
    Lines *lines = request->data;
    g_autofree char *wanted = g_strdup_printf ("Line %u of ", lines->line);

    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind == JOB_EVENT_TEXT && g_str_has_prefix (event->text, wanted)
            && strstr (event->text, "has no code") == NULL) {
            g_array_append_val (lines->found, lines->line);
            break;
        }
    }
    if (lines->line++ < lines->end) {
        ask_line (request);
    } else {
        answer_lines (request);
    }
}

static void
ask_line (DapRequest *request)
{
    const Lines *lines = request->data;
    g_autoptr (JobRankSet) all = session_dup_all (request->server->session);
    g_autoptr (JobRankSet) stopped = session_dup_stopped (request->server->session, all, NULL);
    guint32 rank = job_rank_set_get_lowest (stopped);
    g_autoptr (JobRankSet) one = NULL;
    JobRequest *asked;

    if (job_rank_set_is_empty (stopped)) {
        dap_fail_as (request, "notStopped", "%s: no rank is stopped", request->command);
        return;
    }
    one = job_rank_set_new_range (rank, rank + 1);
    asked = job_request_new (JOB_VERB_INFO, one);
    asked->text = g_strdup ("line");
    asked->where.kind = JOB_WHERE_LINE;
    asked->where.file = g_strdup (lines->path);
    asked->where.line = lines->line;
    dap_ask (request, asked, on_line);
}

/* NULL: the request has failed. */
static Lines *
take_lines (DapRequest *request)
{
    DapServer *server = request->server;
    const json_t *source = dap_request_get_object (request, request->arguments, "source");
    gint64 line = dap_request_need_number (request, request->arguments, "line");
    gint64 end = dap_request_get_number (request, request->arguments, "endLine", line);
    g_autofree char *path = source != NULL ? dap_take_source (request, source) : NULL;
    Lines *lines;

    if (path == NULL && request->problem == NULL) {
        request->problem = g_strdup ("\"source\" needs a \"path\"");
    }
    if ((dap_line_in (server, line) == 0 || end < line || end - line >= MAX_LINES)
        && request->problem == NULL) {
        request->problem = g_strdup_printf ("\"line\" and \"endLine\" must be 1 to %d lines",
                                            MAX_LINES);
    }
    if (!dap_request_is_good (request)) {
        return NULL;
    }
    lines = g_new0 (Lines, 1);
    lines->path = g_steal_pointer (&path);
    lines->line = dap_line_in (server, line);
    lines->end = lines->line + (guint32) (end - line);
    lines->found = g_array_new (FALSE, FALSE, sizeof (guint32));
    request->data = lines;
    request->free_data = free_lines;
    return lines;
}

static void
run (DapRequest *request)
{
    const Lines *lines = take_lines (request);

    if (lines != NULL && g_str_has_suffix (lines->path, ".py")) {
        dap_fail (
            request,
            "%s: of Python it is not known which lines have code, and a rank cannot go on "
            "at another one",
            request->command);
    } else if (lines != NULL) {
        ask_line (request);
    }
}

void
dap_run_locations (DapRequest *request)
{
    run (request);
}

void
dap_run_targets (DapRequest *request)
{
    run (request);
}

void
dap_target_write (const DapTarget *target, JobWhere *where)
{
    where->kind = JOB_WHERE_LINE;
    where->file = g_strdup (target->path);
    where->line = target->line;
}

const DapTarget *
dap_target_take (DapRequest *request)
{
    gint64 id = dap_request_need_number (request, request->arguments, "targetId");

    BASE_EACH (request->server->targets, const DapTarget, target) {
        if (target->id == id) {
            return target;
        }
    }
    if (request->problem == NULL) {
        request->problem = g_strdup_printf ("there is no target %" G_GINT64_FORMAT
                                            ": ask for gotoTargets",
                                            id);
    }
    return NULL;
}
