/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `evaluate`: an expression of the program in a frame, or, in the console, a line of the command language; and the
 * completion of such lines. */
#include "dap/private.h"
#include <string.h>

/* ---- expressions ---- */

static void
on_value (DapRequest *request, SessionAnswer *answer)
{
    DapServer *server = request->server;
    gint64 id = dap_request_get_number (request, request->arguments, "frameId", 0);
    const char *expression = dap_request_get_text (request, request->arguments, "expression");
    DapHandle *frame = dap_handle_find (request, id, "frame");
    const JobValueRow *row = dap_find_row (answer);
    const JobValue *value;
    g_autofree char *why = dap_format_failures (answer);
    GString *body;

    if (frame == NULL) {
        return;
    }
    value = row != NULL ? dap_find_value (row, frame->rank) : NULL;
    if (value == NULL || value->is_problem) {
        dap_fail (request, "%s", value != NULL ? value->text : why != NULL ? why : "no value");
        return;
    }
    body = dap_body_new ();
    dap_write_value (server, body, frame, row, expression, "result");
    dap_answer (request, body);
}

/* An "=" that is not of "==", "<=", ">=" or "!=". */
static gboolean
assigns (const char *expression)
{
    for (const char *at = strchr (expression, '='); at != NULL; at = strchr (at + 1, '=')) {
        gboolean is_shift = at >= expression + 2 && (at[-1] == '<' || at[-1] == '>')
                            && at[-2] == at[-1];

        if (at[1] == '=') {
            at++;
        } else if (at == expression || strchr ("<>!", at[-1]) == NULL || is_shift) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The mouse moves over code by accident: nothing that calls or writes is evaluated. In Python brackets call; elsewhere they may
 * be a macro's, or around a part, and the rank itself refuses calls. */
static gboolean
is_harmless (const char *expression, const DapHandle *frame)
{
    gboolean is_python = frame->place != NULL && frame->place->language == JOB_LANGUAGE_PYTHON;

    return strpbrk (expression, is_python ? "();" : ";") == NULL && !assigns (expression)
           && strstr (expression, "++") == NULL && strstr (expression, "--") == NULL;
}

static void
run_expression (DapRequest *request, const char *expression, const char *context)
{
    gint64 id = dap_request_get_number (request, request->arguments, "frameId", 0);
    gboolean is_hover = g_strcmp0 (context, "hover") == 0;
    DapHandle *frame;
    JobRequest *asked;

    if (id == 0) {
        dap_fail_as (request, "notStopped", "an expression needs a frame: select one first");
        return;
    }
    frame = dap_handle_find (request, id, "frame");
    if (frame == NULL) {
        return;
    }
    if (is_hover && !is_harmless (expression, frame)) {
        dap_fail (request, "not evaluated under the mouse: it may call or change something");
        return;
    }
    asked = dap_handle_ask (frame, JOB_VERB_PRINT, FALSE);
    asked->flags |= is_hover ? JOB_REQUEST_CALLS_NOTHING : 0;
    asked->text = g_strdup (expression);
    dap_ask (request, asked, on_value);
}

/* ---- the console ---- */

void
dap_repl_write (CommandOutKind kind, int stream, const char *text, gpointer data)
{
    DapServer *server = data;
    DapRequest *request = g_queue_peek_head (server->lines);

    if (server->setup_text != NULL) {
        g_string_append_printf (server->setup_text, "%s%s",
                                server->setup_text->len > 0 ? "\n" : "", text);
    } else if (kind == COMMAND_OUT_OUTPUT && dap_terminal_is_there (server)) {
        return; /* it has come there as it was printed */
    } else if (kind == COMMAND_OUT_OUTPUT) {
        dap_send_output (server, stream == 2 ? "stderr" : "stdout", text);
    } else if (request != NULL && kind != COMMAND_OUT_EVENT) {
        GString *lines = request->data;

        g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "", text);
    } else {
        dap_send_output (server, kind == COMMAND_OUT_ERROR ? "important" : "console", text);
    }
}

static void
free_lines (gpointer lines)
{
    g_string_free (lines, TRUE);
}

static void
on_line_done (gboolean ok, gpointer user)
{
    DapRequest *request = user;
    DapServer *server = request->server;
    GString *lines = request->data;

    g_queue_remove (server->lines, request);
    if (ok) {
        GString *body = dap_body_new ();

        dap_write_text (body, "result", lines->str);
        dap_write_number (body, "variablesReference", 0);
        dap_answer (request, body);
    } else {
        dap_fail (request, "%s", lines->len > 0 ? lines->str : "the command has failed");
    }
    if (command_context_is_quit (server->context)) {
        session_end (server->session);
    }
}

static void
run_line (DapRequest *request, const char *line)
{
    DapServer *server = request->server;

    request->data = g_string_new (NULL);
    request->free_data = free_lines;
    g_queue_push_tail (server->lines, request);
    command_run (server->context, line, on_line_done, request);
}

void
dap_run_evaluate (DapRequest *request)
{
    const char *expression = dap_request_need_text (request, request->arguments, "expression");
    const char *context = dap_request_get_text (request, request->arguments, "context");

    dap_request_get_number (request, request->arguments, "frameId", 0);
    if (!dap_request_is_good (request)) {
        return;
    }
    if (g_strcmp0 (context, "repl") == 0) {
        run_line (request, expression);
    } else {
        run_expression (request, expression, context);
    }
}

/* ---- completions ---- */

static glong
count_units (const char *text, const char *end)
{
    glong n = 0;

    for (; text < end; text = g_utf8_next_char (text)) {
        n += g_utf8_get_char (text) > 0xffff ? 2 : 1;
    }
    return n;
}

/* The text in front of a column of UTF-16 units. Caller owns. */
static char *
dup_typed (DapRequest *request)
{
    const char *text = dap_request_need_text (request, request->arguments, "text");
    gint64 column = dap_request_need_number (request, request->arguments, "column")
                    - (request->server->columns_start_at_0 ? 0 : 1);
    const char *at = text;

    for (gint64 units = 0; *at != '\0' && units < column; at = g_utf8_next_char (at)) {
        units += g_utf8_get_char (at) > 0xffff ? 2 : 1;
    }
    return g_strndup (text, (gsize) (at - text));
}

static void
answer_completions (DapRequest *request)
{
    DapServer *server = request->server;
    g_autofree char *typed = dup_typed (request);
    g_auto (GStrv) lines = command_complete (server->session, typed);
    const char *word = typed + strlen (typed);
    gint64 start;
    GString *body = dap_body_new ();

    while (word > typed && word[-1] != ' ' && word[-1] != ',') {
        word--;
    }
    start = count_units (typed, word) + (server->columns_start_at_0 ? 0 : 1);
    dap_write_begin (body, "targets", '[');
    for (guint i = 0; lines[i] != NULL; i++) {
        if (strlen (lines[i]) <= (gsize) (word - typed)) {
            continue;
        }
        dap_write_begin (body, NULL, '{');
        dap_write_text (body, "label", lines[i] + (word - typed));
        dap_write_number (body, "start", start);
        dap_write_number (body, "length", count_units (word, typed + strlen (typed)));
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

static void
on_names (Session *session, gpointer user)
{
    DapRequest *request = user;

    request->server->completing = NULL;
    answer_completions (request);
}

void
dap_run_completions (DapRequest *request)
{
    DapServer *server = request->server;
    g_autofree char *typed = dup_typed (request);

    if (!dap_request_is_good (request)) {
        return;
    }
    if (server->completing != NULL) { /* the user has typed on */
        DapRequest *before = g_steal_pointer (&server->completing);

        command_complete_cancel (server->session, before);
        dap_fail_as (before, "cancelled", "another completion was asked for");
    }
    if (command_complete_ask (server->session, typed, on_names, request)) {
        server->completing = request;
    } else {
        answer_completions (request);
    }
}
