/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client's request: its arguments, which are not trusted, the question to ranks that it becomes, and its one
 * answer. */
#include "dap/private.h"
#include <string.h>

DapRequest *
dap_request_new (DapServer *server, json_t *message)
{
    static json_t *none;
    DapRequest *request = g_new0 (DapRequest, 1);
    const json_t *arguments = json_object_get (message, "arguments");

    if (none == NULL) {
        none = json_object ();
    }
    request->server = server;
    request->message = message;
    request->command = json_string_value (json_object_get (message, "command"));
    request->seq = json_integer_value (json_object_get (message, "seq"));
    request->arguments = arguments != NULL && !json_is_null (arguments) ? arguments : none;
    if (!json_is_object (request->arguments)) {
        request->problem = g_strdup ("\"arguments\" must be an object");
        request->arguments = none;
    }
    g_ptr_array_add (server->requests, request);
    return request;
}

static void
free_request (DapRequest *request)
{
    DapServer *server = request->server;

    g_ptr_array_remove_fast (server->requests, request);
    g_ptr_array_remove_fast (server->points_waiting, request);
    if (server->session != NULL) {
        session_why_cancel (server->session, request);
    }
    session_query_free (request->query);
    if (request->free_data != NULL && request->data != NULL) {
        request->free_data (request->data);
    }
    g_clear_object (&request->reading);
    json_decref (request->message);
    g_free (request->problem);
    g_free (request);
}

/* ---- arguments ---- */

static const json_t *
find_member (DapRequest *request, const json_t *object, const char *name, const char *type,
             gboolean (*is_type) (const json_t *))
{
    const json_t *member = json_object_get (object, name);

    if (member == NULL || json_is_null (member)) {
        return NULL;
    }
    if (!is_type (member)) {
        if (request->problem == NULL) {
            request->problem = g_strdup_printf ("\"%s\" must be %s", name, type);
        }
        return NULL;
    }
    return member;
}

static gboolean
is_text (const json_t *value)
{
    return json_is_string (value)
           && strlen (json_string_value (value)) == json_string_length (value);
}

static gboolean
is_number (const json_t *value)
{
    return json_is_integer (value);
}

static gboolean
is_flag (const json_t *value)
{
    return json_is_boolean (value);
}

static gboolean
is_object (const json_t *value)
{
    return json_is_object (value);
}

static gboolean
is_list (const json_t *value)
{
    return json_is_array (value);
}

static void
note_missing (DapRequest *request, const char *name)
{
    if (request->problem == NULL) {
        request->problem = g_strdup_printf ("\"%s\" is missing", name);
    }
}

const char *
dap_request_get_text (DapRequest *request, const json_t *object, const char *name)
{
    return json_string_value (find_member (request, object, name, "a text without NUL",
                                           is_text));
}

const char *
dap_request_need_text (DapRequest *request, const json_t *object, const char *name)
{
    const char *text = dap_request_get_text (request, object, name);

    if (text == NULL) {
        note_missing (request, name);
    }
    return text != NULL ? text : "";
}

gint64
dap_request_get_number (DapRequest *request, const json_t *object, const char *name,
                        gint64 otherwise)
{
    const json_t *number = find_member (request, object, name, "a whole number", is_number);

    return number != NULL ? json_integer_value (number) : otherwise;
}

gint64
dap_request_need_number (DapRequest *request, const json_t *object, const char *name)
{
    const json_t *number = find_member (request, object, name, "a whole number", is_number);

    if (number == NULL) {
        note_missing (request, name);
    }
    return number != NULL ? json_integer_value (number) : 0;
}

gboolean
dap_request_get_flag (DapRequest *request, const json_t *object, const char *name,
                      gboolean otherwise)
{
    const json_t *flag = find_member (request, object, name, "true or false", is_flag);

    return flag != NULL ? json_is_true (flag) : otherwise;
}

const json_t *
dap_request_get_object (DapRequest *request, const json_t *object, const char *name)
{
    return find_member (request, object, name, "an object", is_object);
}

const json_t *
dap_request_get_list (DapRequest *request, const json_t *object, const char *name)
{
    return find_member (request, object, name, "a list", is_list);
}

gboolean
dap_request_is_good (DapRequest *request)
{
    if (request->problem == NULL) {
        return TRUE;
    }
    dap_fail (request, "%s: %s", request->command, request->problem);
    return FALSE;
}

/* ---- answers ---- */

/* What clients ask by themselves is shown where it would be, not in a box of its own. */
static gboolean
is_for_user (const char *command)
{
    static const char *const quiet[] = { "breakpointLocations",
                                         "completions",
                                         "dataBreakpointInfo",
                                         "disassemble",
                                         "evaluate",
                                         "exceptionInfo",
                                         "loadedSources",
                                         "modules",
                                         "readMemory",
                                         "scopes",
                                         "source",
                                         "stackTrace",
                                         "threads",
                                         "variables",
                                         NULL };

    return !g_strv_contains (quiet, command);
}

static void
send_response (DapRequest *request, const char *message, const char *sentence, GString *body)
{
    DapServer *server = request->server;
    g_autoptr (GString) json = g_string_new ("{");
    g_autofree char *packet = NULL;

    dap_write_number (json, "seq", ++server->seq);
    dap_write_text (json, "type", "response");
    dap_write_number (json, "request_seq", request->seq);
    dap_write_flag (json, "success", sentence == NULL);
    dap_write_text (json, "command", request->command);
    if (sentence != NULL) {
        dap_write_text (json, "message", message);
        dap_write_begin (json, "body", '{');
        dap_write_begin (json, "error", '{');
        dap_write_number (json, "id", 1);
        dap_write_text (json, "format", "{sentence}");
        dap_write_begin (json, "variables", '{');
        dap_write_text (json, "sentence", sentence);
        dap_write_end (json, '}');
        dap_write_flag (json, "showUser", is_for_user (request->command));
        dap_write_end (json, '}');
        dap_write_end (json, '}');
    } else {
        dap_write_raw (json, "body", body != NULL ? body->str : "{}");
    }
    dap_write_end (json, '}');
    packet = g_strdup_printf ("Content-Length: %zu\r\n\r\n%s", json->len + 1, json->str);
    command_out_write (server->out, 1, packet); /* which ends it with a '\n' */
}

GString *
dap_body_new (void)
{
    return g_string_new ("{");
}

void
dap_answer (DapRequest *request, GString *body)
{
    if (body != NULL) {
        dap_write_end (body, '}');
    }
    send_response (request, NULL, NULL, body);
    if (body != NULL) {
        g_string_free (body, TRUE);
    }
    free_request (request);
}

static void
fail (DapRequest *request, const char *word, const char *format, va_list arguments)
{
    g_autofree char *sentence = g_strdup_vprintf (format, arguments);

    send_response (request, word != NULL ? word : sentence, sentence, NULL);
    free_request (request);
}

void
dap_fail (DapRequest *request, const char *format, ...)
{
    va_list arguments;

    va_start (arguments, format);
    fail (request, NULL, format, arguments);
    va_end (arguments);
}

void
dap_fail_as (DapRequest *request, const char *word, const char *format, ...)
{
    va_list arguments;

    va_start (arguments, format);
    fail (request, word, format, arguments);
    va_end (arguments);
}

void
dap_request_abandon (DapRequest *request)
{
    if (request->reading != NULL) { /* what it reads comes back to it */
        g_cancellable_cancel (request->reading);
        return;
    }
    if (request->is_searching) {
        session_find_names_cancel (request->server->session, request);
    }
    dap_fail_as (request, "cancelled", "pddt ends before this was answered");
}

/* ---- questions to ranks ---- */

/* The answer is there until its reader has returned, also when that has failed the request, or asked again. */
static void
on_query (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    DapRequest *request = user;

    request->query = NULL;
    if (request->is_cancelled) {
        dap_fail_as (request, "cancelled", "cancelled before all ranks had answered");
    } else {
        request->on_answer (request, answer);
    }
    session_query_free (query);
}

void
dap_ask (DapRequest *request, JobRequest *asked, DapAnswered on_answer)
{
    request->on_answer = on_answer;
    request->query = session_query_new (request->server->session, asked, on_query, request);
}

char *
dap_format_failures (SessionAnswer *answer)
{
    g_autoptr (GString) text = g_string_new (NULL);

    BASE_EACH (answer->failures, const JobEvent, event) {
        g_autofree char *ranks = job_rank_set_format_brief (event->ranks);

        g_string_append_printf (text, "%s%s (%s)", text->len > 0 ? "; " : "", event->text,
                                ranks);
    }
    if (!job_rank_set_is_empty (answer->missing)) {
        g_autofree char *ranks = job_rank_set_format_brief (answer->missing);

        g_string_append_printf (text, "%sno answer (%s)", text->len > 0 ? "; " : "", ranks);
    }
    return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}
