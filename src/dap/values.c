/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables: the frame's rank, with what the other ranks at the same place have beside it. */
#include "dap/private.h"
#include "session/options.h"
#include <string.h>

#define MANY 100      /* elements from which on an array is asked for in pages */
#define MAX_TEXT 1000 /* characters of a value in a line: its parts are a list of their own */

const JobValue *
dap_find_value (const JobValueRow *row, guint32 rank)
{
    return BASE_PICK (row->groups, const JobValueGroup, group,
                      job_rank_set_contains (group->ranks, rank), group->value, NULL);
}

const JobValueRow *
dap_find_row (SessionAnswer *answer)
{
    return BASE_PICK (answer->groups, const JobEvent, event,
                      event->kind == JOB_EVENT_VALUES && event->table != NULL
                          && event->table->rows->len > 0,
                      g_ptr_array_index (event->table->rows, 0), NULL);
}

/* " (0-7: [0..9])", " (same on 5 of 8)"; NULL: there is nobody else, or all have the same. */
static char *
format_others (const JobValueRow *row, guint32 rank)
{
    g_autoptr (JobRankSet) everybody = job_rank_set_new ();
    g_autofree char *ranks = NULL, *low = NULL, *high = NULL;
    JobValueSummary summary = { 0 };
    guint32 n_same = 0;
    char *text;

    if (row->groups->len < 2) {
        return NULL;
    }
    BASE_EACH (row->groups, const JobValueGroup, group) {
        job_rank_set_merge (everybody, group->ranks);
        if (job_rank_set_contains (group->ranks, rank)) {
            n_same = job_rank_set_get_count (group->ranks);
        }
    }
    ranks = job_rank_set_format_brief (everybody);
    if (!job_value_row_summarise (row, &summary) || summary.n_finite == 0) {
        job_value_summary_clear (&summary);
        return g_strdup_printf (" (same on %u of %u)", n_same,
                                job_rank_set_get_count (everybody));
    }
    low = job_value_format_number (summary.min, job_value_row_is_integer (row));
    high = job_value_format_number (summary.max, job_value_row_is_integer (row));
    text = g_strdup_printf (" (%s: [%s..%s])", ranks, low, high);
    job_value_summary_clear (&summary);
    return text;
}

static char *
make_path (const char *parent, const char *name)
{
    if (parent == NULL || *parent == '\0') {
        return g_strdup (name);
    }
    return strchr ("[.(%", name[0]) != NULL || g_str_has_prefix (name, "->")
               ? g_strconcat (parent, name, NULL)
               : g_strconcat (parent, ".", name, NULL);
}

gboolean
dap_value_is_pointer (const char *type)
{
    return type != NULL && g_str_has_suffix (type, "*");
}

/* Takes the text. */
static char *
shorten (char *text)
{
    char *some;

    if (strlen (text) <= MAX_TEXT || g_utf8_strlen (text, -1) <= MAX_TEXT) {
        return text;
    }
    some = g_utf8_substring (text, 0, MAX_TEXT);
    g_free (text);
    text = g_strconcat (some, "…", NULL);
    g_free (some);
    return text;
}

/* Of a type "double [8][4]": 8; 0: it is no such array. */
static guint64
count_elements (const char *type)
{
    const char *bracket = type != NULL && *type != '\0' && type[strlen (type) - 1] == ']'
                              ? strchr (type, '[')
                              : NULL;

    return bracket != NULL && g_ascii_isdigit (bracket[1])
               ? g_ascii_strtoull (bracket + 1, NULL, 10)
               : 0;
}

static char *
dup_base (const DapHandle *handle)
{
    return dap_value_is_pointer (handle->type) ? g_strdup_printf ("(*%s)", handle->path)
                                               : g_strdup (handle->path);
}

char *
dap_handle_dup_path (const DapHandle *handle, const char *name)
{
    g_autofree char *base = dup_base (handle);

    return *name == '*' ? g_strdup (name) : make_path (base, name);
}

/* The numbers by which its parts and its memory can be asked for. */
static void
write_parts (DapServer *server, GString *json, const DapHandle *frame, const JobValue *value,
             const char *path)
{
    guint64 n = count_elements (value->type);
    gboolean is_native = frame->place == NULL || frame->place->language != JOB_LANGUAGE_PYTHON;
    gboolean has_memory = is_native
                          && (value->expandable || n > 0 || dap_value_is_pointer (value->type));
    DapHandle *handle;

    if (path == NULL || !(value->expandable || has_memory)) {
        dap_write_number (json, "variablesReference", 0);
        return;
    }
    handle = dap_handle_new (server, DAP_HANDLE_PARTS, frame);
    handle->path = g_strdup (path);
    handle->type = g_strdup (value->type);
    dap_write_number (json, "variablesReference", value->expandable ? handle->id : 0);
    if (has_memory) {
        g_autofree char *reference = g_strdup_printf ("value %u", handle->id);

        dap_write_text (json, "memoryReference", reference);
    }
    if (value->expandable && server->has_paging && n > MANY && n <= G_MAXINT32) {
        dap_write_number (json, "indexedVariables", (gint64) n);
        dap_write_number (json, "namedVariables", 0);
    }
}

void
dap_write_value (DapServer *server, GString *json, const DapHandle *frame,
                 const JobValueRow *row, const char *path, const char *text_name)
{
    const JobValue *value = dap_find_value (row, frame->rank);
    g_autofree char *others = format_others (row, frame->rank);
    g_autofree char *own = value != NULL ? shorten (job_value_print (BASE_TEXT_ENGLISH, value))
                                         : g_strdup ("not here");
    g_autofree char *text = g_strconcat (own, others, NULL);

    dap_write_text (json, text_name, text);
    if (value == NULL) {
        dap_write_number (json, "variablesReference", 0);
        return;
    }
    dap_write_text (json, "type", value->type);
    write_parts (server, json, frame, value, path);
}

static void
write_part (DapServer *server, GString *body, const DapHandle *frame, const JobValue *value,
            const char *name, const char *parent)
{
    g_autofree char *path = value->path != NULL ? g_strdup (value->path)
                                                : make_path (parent, name);
    g_autofree char *text = shorten (job_value_print (BASE_TEXT_ENGLISH, value));

    dap_write_begin (body, NULL, '{');
    dap_write_text (body, "name", name);
    dap_write_text (body, "value", text);
    dap_write_text (body, "type", value->type);
    dap_write_text (body, "evaluateName", path);
    write_parts (server, body, frame, value, path);
    dap_write_end (body, '}');
}

/* ---- variables ---- */

typedef struct {
    guint32 handle;
    gint64 first, count, wanted; /* count: as asked for; wanted: elements; 0: not known */
} Page;

/* NULL: the request has failed, as it came too late, and is gone with its answer. */
static DapHandle *
find_present (DapRequest *request, SessionAnswer *answer, gint64 id)
{
    DapHandle *handle = dap_handle_find (request, id, "variables");

    if (handle != NULL && job_rank_set_contains (answer->old, handle->rank)
        && !job_rank_set_is_empty (answer->answered) && dap_find_row (answer) == NULL
        && dap_elements_find (answer) == NULL) {
        dap_fail_as (request, "notStopped", "rank %u has moved in the meantime", handle->rank);
        return NULL;
    }
    return handle;
}

static void
write_rows (DapServer *server, GString *body, const DapHandle *handle, SessionAnswer *answer)
{
    BASE_EACH (answer->groups, const JobEvent, event) {
        for (guint j = 0;
             job_event_get_table (event) != NULL && j < job_event_get_table (event)->rows->len;
             j++) {
            const JobValueRow *row = g_ptr_array_index (job_event_get_table (event)->rows, j);

            if (row->name == NULL || dap_find_value (row, handle->rank) == NULL) {
                continue;
            }
            dap_write_begin (body, NULL, '{');
            dap_write_text (body, "name", row->name);
            dap_write_text (body, "evaluateName", row->name);
            dap_write_value (server, body, handle, row, row->name, "value");
            dap_write_end (body, '}');
        }
    }
}

static void
write_registers (GString *body, SessionAnswer *answer)
{
    BASE_EACH (answer->groups, const JobEvent, event) {
        for (guint j = 0;
             job_event_get_details (event) != NULL && j < job_event_get_details (event)->len;
             j++) {
            const JobDetail *detail = g_ptr_array_index (job_event_get_details (event), j);

            if (detail->kind == JOB_DETAIL_REGISTER && detail->name != NULL) {
                g_autofree char *path = g_strconcat ("$", detail->name, NULL);

                dap_write_begin (body, NULL, '{');
                dap_write_text (body, "name", detail->name);
                dap_write_text (body, "value", detail->text != NULL ? detail->text : "");
                dap_write_text (body, "evaluateName", path);
                dap_write_number (body, "variablesReference", 0);
                dap_write_end (body, '}');
            }
        }
    }
}

/* What is left out is said. */
static void
write_rest (DapServer *server, GString *body, const JobValue *value, gint64 wanted)
{
    guint64 limit = g_ascii_strtoull (session_get_option (server->session, "limit-items"), NULL,
                                      10);

    if (limit == 0 || value->children == NULL || value->children->len < limit
        || (wanted > 0 && wanted <= value->children->len)) {
        return;
    }
    dap_write_begin (body, NULL, '{');
    dap_write_text (body, "name", "…");
    dap_write_text (body, "value",
                    wanted > 0 ? "more are not shown: set option limit-items"
                               : "there may be more: set option limit-items");
    dap_write_number (body, "variablesReference", 0);
    dap_write_end (body, '}');
}

/* Members or elements; what a pointer to a plain value has is a row of its own. */
static void
write_members (DapServer *server, GString *body, const DapHandle *handle, const JobValue *value,
               const Page *page)
{
    g_autofree char *base = dup_base (handle);

    for (guint i = 0; value->children != NULL && i < value->children->len; i++) {
        const JobValue *part = g_ptr_array_index (value->children, i);
        g_autofree char *index = part->name == NULL || page->first > 0
                                     ? g_strdup_printf ("[%" G_GINT64_FORMAT "]",
                                                        page->first + i)
                                     : NULL;

        write_part (server, body, handle, part, index != NULL ? index : part->name, base);
    }
    write_rest (server, body, value, page->wanted);
    if (value->children == NULL || value->children->len == 0) {
        g_autofree char *name = g_strconcat (dap_value_is_pointer (handle->type) ? "*" : "",
                                             handle->path, NULL);

        write_part (server, body, handle, value, name, NULL);
    }
}

/* The expression of a handle's parts, or of a page of them. Caller owns. */
static char *
format_parts (const DapHandle *handle, gint64 first, gint64 count)
{
    guint64 n = count_elements (handle->type);

    if (dap_value_is_pointer (handle->type)) {
        return g_strconcat ("*", handle->path, NULL);
    }
    if (n <= MANY) {
        return g_strdup (handle->path);
    }
    first = MIN (first, (gint64) n - 1);
    count = count > 0 ? count : (gint64) n - first;
    return g_strdup_printf ("%s[%" G_GINT64_FORMAT "]@%" G_GINT64_FORMAT, handle->path, first,
                            MIN (count, (gint64) n - first));
}

static void
ask_page (DapRequest *request, const DapHandle *handle, JobVerb verb, DapAnswered on_answer)
{
    const Page *page = request->data;
    JobRequest *asked = dap_handle_ask (handle, verb, TRUE);

    asked->text = format_parts (handle, page->first, page->count);
    dap_ask (request, asked, on_answer);
}

static void
on_variables (DapRequest *request, SessionAnswer *answer)
{
    DapServer *server = request->server;
    const Page *page = request->data;
    DapHandle *handle = find_present (request, answer, page->handle);
    g_autofree char *why = NULL;
    const JobValueRow *row;
    const JobValue *value;
    GString *body;

    if (handle == NULL) { /* the request has gone with its answer */
        return;
    }
    why = dap_format_failures (answer);
    row = dap_find_row (answer);
    value = row != NULL ? dap_find_value (row, handle->rank) : NULL;
    if (job_rank_set_contains (answer->failed, handle->rank)
        || job_rank_set_contains (answer->missing, handle->rank)
        || (handle->kind == DAP_HANDLE_PARTS && value == NULL)) {
        dap_fail (request, "%s", why != NULL ? why : "there is nothing to show");
        return;
    }
    body = dap_body_new ();
    dap_write_begin (body, "variables", '[');
    if (handle->kind == DAP_HANDLE_REGISTERS) {
        write_registers (body, answer);
    } else if (handle->kind == DAP_HANDLE_PARTS) {
        write_members (server, body, handle, value, page);
    } else {
        write_rows (server, body, handle, answer);
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

static void
on_elements (DapRequest *request, SessionAnswer *answer)
{
    const Page *page = request->data;
    DapHandle *handle = find_present (request, answer, page->handle);
    const JobEvent *event;
    GString *body;

    if (handle == NULL) {
        return;
    }
    event = dap_elements_find (answer);
    body = dap_body_new ();
    dap_write_begin (body, "variables", '[');
    if (event == NULL || !dap_elements_write (body, handle, event, page->first)) {
        g_string_free (body, TRUE);
        ask_page (request, handle, JOB_VERB_PRINT, on_variables);
        return;
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

void
dap_run_variables (DapRequest *request)
{
    static const JobVerb verbs[] = {
        [DAP_HANDLE_FRAME] = JOB_VERB_NONE,
        [DAP_HANDLE_LOCALS] = JOB_VERB_LOCALS,
        [DAP_HANDLE_GLOBALS] = JOB_VERB_GLOBALS,
        [DAP_HANDLE_REGISTERS] = JOB_VERB_REGISTERS,
    };
    gint64 id = dap_request_need_number (request, request->arguments, "variablesReference");
    gint64 first = dap_request_get_number (request, request->arguments, "start", 0);
    gint64 count = dap_request_get_number (request, request->arguments, "count", 0);
    const char *filter = dap_request_get_text (request, request->arguments, "filter");
    DapHandle *handle;
    Page *page;
    gint64 n;

    if (!dap_request_is_good (request)) {
        return;
    }
    handle = dap_handle_find (request, id, "variables");
    if (handle == NULL) {
        return;
    }
    if (handle->kind == DAP_HANDLE_FRAME) {
        dap_fail (request,
                  "variables: %" G_GINT64_FORMAT " is a frame, not a list of variables", id);
        return;
    }
    if (handle->kind == DAP_HANDLE_PARTS && g_strcmp0 (filter, "named") == 0
        && count_elements (handle->type) > MANY) {
        GString *body = dap_body_new ();

        dap_write_raw (body, "variables", "[]");
        dap_answer (request, body);
        return;
    }
    page = g_new0 (Page, 1);
    page->handle = handle->id;
    n = (gint64) count_elements (handle->type);
    page->first = n > MANY ? CLAMP (first, 0, n - 1) : 0;
    page->count = count;
    page->wanted = n > MANY && count > 0 ? MIN (count, n - page->first) : n - page->first;
    request->data = page;
    request->free_data = g_free;
    if (handle->kind != DAP_HANDLE_PARTS) {
        dap_ask (request,
                 dap_handle_ask (handle, verbs[handle->kind],
                                 handle->kind == DAP_HANDLE_REGISTERS),
                 on_variables);
    } else if (n > MANY && count > 0 && dap_elements_are_plain (handle, page->wanted)) {
        ask_page (request, handle, JOB_VERB_ARRAY, on_elements);
    } else {
        ask_page (request, handle, JOB_VERB_PRINT, on_variables);
    }
}

/* ---- changes ---- */

typedef struct {
    guint32 handle;
    char *path;
} Change;

BASE_FREE (free_change, Change, change, g_free (change->path))

static void
on_read_again (DapRequest *request, SessionAnswer *answer)
{
    DapServer *server = request->server;
    const Change *change = request->data;
    DapHandle *handle = dap_handle_find (request, change->handle, "variables");
    const JobValueRow *row = dap_find_row (answer);
    g_autofree char *why = dap_format_failures (answer);
    GString *body;

    if (handle == NULL) {
        return;
    }
    if (row == NULL) {
        dap_fail (request, "it was set, but cannot be read: %s",
                  why != NULL ? why : "not known");
        return;
    }
    body = dap_body_new ();
    dap_write_value (server, body, handle, row, change->path, "value");
    dap_answer (request, body);
    dap_send_invalidated (server, "variables"); /* others may have the same memory */
}

static void
on_set (DapRequest *request, SessionAnswer *answer)
{
    const Change *change = request->data;
    DapHandle *handle = dap_handle_find (request, change->handle, "variables");
    g_autofree char *why = dap_format_failures (answer);
    JobRequest *asked;

    if (handle == NULL) {
        return;
    }
    if (why != NULL) {
        dap_fail (request, "%s", why);
        return;
    }
    asked = dap_handle_ask (handle, JOB_VERB_PRINT, FALSE);
    asked->text = g_strdup (change->path);
    dap_ask (request, asked, on_read_again);
}

/* Writes where the handle is shown: in its rank, or in all ranks of its group. */
static void
set_value (DapRequest *request, const DapHandle *handle, const char *path, const char *value)
{
    gboolean alone = dap_threads_are_ranks (request->server)
                     || job_rank_set_contains (request->server->pinned, handle->rank);
    JobRequest *asked = dap_handle_ask (handle, JOB_VERB_SET, alone);
    Change *change = g_new0 (Change, 1);

    change->handle = handle->id;
    change->path = g_strdup (path);
    request->data = change;
    request->free_data = free_change;
    asked->text = g_strdup (path);
    asked->text2 = g_strdup (value);
    dap_ask (request, asked, on_set);
}

void
dap_run_set_variable (DapRequest *request)
{
    gint64 id = dap_request_need_number (request, request->arguments, "variablesReference");
    const char *name = dap_request_need_text (request, request->arguments, "name");
    const char *value = dap_request_need_text (request, request->arguments, "value");
    g_autofree char *path = NULL;
    DapHandle *handle;

    if (!dap_request_is_good (request)) {
        return;
    }
    handle = dap_handle_find (request, id, "variables");
    if (handle == NULL) {
        return;
    }
    if (handle->kind == DAP_HANDLE_PARTS) {
        path = dap_handle_dup_path (handle, name);
    } else {
        path = g_strconcat (handle->kind == DAP_HANDLE_REGISTERS ? "$" : "", name, NULL);
    }
    set_value (request, handle, path, value);
}

void
dap_run_set_expression (DapRequest *request)
{
    gint64 id = dap_request_need_number (request, request->arguments, "frameId");
    const char *path = dap_request_need_text (request, request->arguments, "expression");
    const char *value = dap_request_need_text (request, request->arguments, "value");
    DapHandle *handle;

    if (!dap_request_is_good (request)) {
        return;
    }
    handle = dap_handle_find (request, id, "frame");
    if (handle != NULL) {
        set_value (request, handle, path, value);
    }
}
