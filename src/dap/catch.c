/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stops ranks besides places: exceptions, MPI's errors, signals, divergence, and memory that changes. */
#include "dap/points-private.h"
#include <string.h>

static const struct {
    const char *filter, *label, *catch, *description, *condition;
} filters[] = {
    { "raised", "Python: raised exceptions", "exception",
      "Stops where an exception is raised, also one that the program handles. Those that nobody handles always stop.",
      "a type, such as ValueError" },
    { "throw", "C++: throw", "throw", "Stops where a C++ exception is thrown.", NULL },
    { "mpi-error", "MPI: every error", "mpi-error",
      "Stops at every error that MPI returns. Those that end the job always stop.", NULL },
    { "signal", "Signals", "signal",
      "Stops at a signal that is caught or ignored. Those that end the program always stop.",
      "its name, such as SIGUSR1" },
    { "divergence", "Ranks diverge", "divergence",
      "Continues line by line, and stops where ranks that were together part.", NULL },
};

void
dap_write_filters (GString *body)
{
    dap_write_begin (body, "exceptionBreakpointFilters", '[');
    for (guint i = 0; i < G_N_ELEMENTS (filters); i++) {
        dap_write_begin (body, NULL, '{');
        dap_write_text (body, "filter", filters[i].filter);
        dap_write_text (body, "label", filters[i].label);
        dap_write_text (body, "description", filters[i].description);
        dap_write_flag (body, "default", FALSE);
        dap_write_flag (body, "supportsCondition", filters[i].condition != NULL);
        dap_write_text (body, "conditionDescription", filters[i].condition);
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
}

static void
add_filter (DapRequest *request, const json_t *said, const char *name, const char *type,
            GArray *ids)
{
    DapPoint *point = dap_points_want (request, "exception", NULL, said);

    g_clear_pointer (&point->condition, g_free); /* it is the type */
    for (guint i = 0; i < G_N_ELEMENTS (filters); i++) {
        if (strcmp (filters[i].filter, name) == 0) {
            g_free (point->where);
            point->where = type != NULL && *type != '\0'
                               ? g_strdup_printf ("%s %s", filters[i].catch, type)
                               : g_strdup (filters[i].catch);
        }
    }
    if (point->where == NULL && point->problem == NULL) {
        point->problem = g_strdup_printf ("there is no filter \"%s\"", name);
    }
    g_array_append_val (ids, point->id);
}

void
dap_run_set_exceptions (DapRequest *request)
{
    const json_t *names = dap_request_get_list (request, request->arguments, "filters");
    const json_t *options = dap_request_get_list (request, request->arguments, "filterOptions");
    const json_t *one;
    GArray *ids;
    size_t i;

    json_array_foreach (names, i, one)
    {
        if (!json_is_string (one) && request->problem == NULL) {
            request->problem = g_strdup ("\"filters\" must be a list of texts");
        }
    }
    json_array_foreach (options, i, one)
    {
        dap_request_need_text (request, one, "filterId");
        dap_request_get_text (request, one, "condition");
    }
    if (!dap_request_is_good (request)) {
        return;
    }
    ids = g_array_new (FALSE, FALSE, sizeof (gint64));
    dap_points_begin (request->server, "exception", NULL);
    json_array_foreach (names, i, one)
    {
        add_filter (request, one, json_string_value (one), NULL, ids);
    }
    json_array_foreach (options, i, one)
    {
        add_filter (request, one, dap_request_need_text (request, one, "filterId"),
                    dap_request_get_text (request, one, "condition"), ids);
    }
    dap_points_finish (request, "exception", NULL, ids);
}

/* ---- exceptionInfo ---- */

#define THROWS "throws " /* and the type, ": " and what it says */

/* A signal's name, an exception's type, else the kind of what was caught. Caller owns. */
static char *
dup_id (const DapPoint *point, const JobEvent *event, const char *note)
{
    gsize length = note != NULL ? strcspn (note, ": ") : 0;

    if (event->text != NULL) {
        return g_strdup (event->text);
    }
    if (length > 0 && point != NULL && point->where != NULL
        && g_str_has_prefix (point->where, "exception")) {
        return g_strndup (note, length);
    }
    if (note != NULL && g_str_has_prefix (note, THROWS)) {
        const char *type = note + strlen (THROWS), *end = strstr (type, ": ");

        return end != NULL ? g_strndup (type, (gsize) (end - type)) : g_strdup (type);
    }
    return point != NULL && point->where != NULL
               ? g_strndup (point->where, strcspn (point->where, " "))
               : g_strdup (event->state == JOB_STATE_STOPPED ? "divergence" : "catch");
}

static void
on_verdict (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
            const JobMessageTable *table, gpointer user)
{
    DapRequest *request = user;
    DapServer *server = request->server;
    const JobEvent *event = request->data;
    const char *note = dap_stops_find_note (server, event);
    g_autofree char *state = session_format_event_state (BASE_TEXT_ENGLISH, session, event);
    g_autofree char *reason = event->text2 != NULL
                                  ? session_format_reason (BASE_TEXT_ENGLISH, session,
                                                           event->text2)
                                  : g_strdup (note);
    g_autofree char *why = verdict->kind < ANALYSIS_VERDICT_COMPUTING
                               ? analysis_verdict_dup_text (verdict, BASE_TEXT_ENGLISH, "\n")
                               : NULL;
    gboolean has_reason = reason != NULL && *reason != '\0';
    g_autofree char *text = g_strdup_printf ("%s%s%s%s%s", state, has_reason ? ": " : "",
                                             has_reason ? reason : "", why != NULL ? "\n" : "",
                                             why != NULL ? why : "");
    g_autofree char *id = dup_id (event->state == JOB_STATE_BREAKPOINT
                                      ? dap_points_find (server, (guint32) event->number)
                                      : NULL,
                                  event, note);
    GString *body = dap_body_new ();

    dap_write_text (body, "exceptionId", id);
    dap_write_text (body, "description", text);
    dap_write_text (body, "breakMode",
                    event->state == JOB_STATE_EXCEPTION ? "unhandled" : "always");
    dap_write_begin (body, "details", '{');
    dap_write_text (body, "message", has_reason ? reason : state);
    dap_write_text (body, "typeName", id);
    dap_write_end (body, '}');
    dap_answer (request, body);
}

void
dap_run_exception_info (DapRequest *request)
{
    DapServer *server = request->server;
    g_autoptr (JobRankSet) thread = dap_threads_take (request);
    g_autoptr (GPtrArray) events = NULL;
    const JobEvent *event;

    if (thread == NULL) {
        return;
    }
    events = session_dup_state_groups (server->session, thread);
    event = events->len > 0 ? g_ptr_array_index (events, 0) : NULL;
    if (event == NULL
        || (event->state != JOB_STATE_EXCEPTION && event->state != JOB_STATE_SIGNAL
            && event->state != JOB_STATE_BREAKPOINT
            && dap_stops_find_note (server, event) == NULL)) {
        dap_fail (request, "no exception and no signal has stopped this thread");
        return;
    }
    request->data = job_event_dup (event);
    request->free_data = (GDestroyNotify) job_event_free;
    session_why (server->session, thread, SESSION_LOOK_QUIET, on_verdict, request);
}

/* ---- data ---- */

static void
on_address (DapRequest *request, SessionAnswer *answer)
{
    const JobValueRow *row = dap_find_row (answer);
    const JobValueGroup *group = row != NULL && row->groups->len > 0
                                     ? g_ptr_array_index (row->groups, 0)
                                     : NULL;
    const char *path = request->data;
    const char *hex = group != NULL && group->value->text != NULL
                          ? strstr (group->value->text, "0x")
                          : NULL;
    g_autofree char *why = dap_format_failures (answer);
    g_autofree char *id = NULL, *description = NULL;
    GString *body = dap_body_new ();

    if (hex != NULL && group->value->type != NULL) {
        gsize digits = 2 + strspn (hex + 2, "0123456789abcdef");

        id = g_strdup_printf ("%u *(%s) %.*s", job_rank_set_get_lowest (group->ranks),
                              group->value->type, (int) digits, hex);
        description = g_strdup_printf ("%s of rank %u", path,
                                       job_rank_set_get_lowest (group->ranks));
    } else {
        description = g_strdup_printf ("%s cannot be watched: %s", path,
                                       why != NULL ? why : "it has no address");
    }
    if (id != NULL) {
        dap_write_text (body, "dataId", id);
    } else {
        dap_write_raw (body, "dataId", "null");
    }
    dap_write_text (body, "description", description);
    if (id != NULL) {
        dap_write_raw (body, "accessTypes", "[\"write\"]");
    }
    dap_write_flag (body, "canPersist", FALSE);
    dap_answer (request, body);
}

void
dap_run_data_info (DapRequest *request)
{
    gint64 reference = dap_request_get_number (request, request->arguments,
                                               "variablesReference", 0);
    gint64 frame = dap_request_get_number (request, request->arguments, "frameId", 0);
    const char *name = dap_request_need_text (request, request->arguments, "name");
    DapHandle *handle;
    JobRequest *asked;
    char *path;

    if (!dap_request_is_good (request)) {
        return;
    }
    handle = dap_handle_find (request, reference != 0 ? reference : frame, "variables");
    if (handle == NULL) {
        return;
    }
    path = handle->kind == DAP_HANDLE_PARTS ? dap_handle_dup_path (handle, name)
                                            : g_strdup (name);
    asked = dap_handle_ask (handle, JOB_VERB_PRINT, TRUE);
    asked->text = g_strdup_printf ("&(%s)", path);
    request->data = path;
    request->free_data = g_free;
    dap_ask (request, asked, on_address);
}

void
dap_run_set_data (DapRequest *request)
{
    const json_t *list = dap_request_get_list (request, request->arguments, "breakpoints");
    const json_t *one;
    GArray *ids;
    size_t i;

    if (!dap_points_check (request, list, "dataId", NULL)) {
        return;
    }
    ids = g_array_new (FALSE, FALSE, sizeof (gint64));
    dap_points_begin (request->server, "data", NULL);
    json_array_foreach (list, i, one)
    {
        DapPoint *point = dap_points_want (request, "data", NULL, one);
        const char *id = dap_request_need_text (request, one, "dataId");
        char *rest = NULL;
        guint64 rank = g_ascii_strtoull (id, &rest, 10);

        if (point->where == NULL && (*rest != ' ' || rank >= G_MAXUINT32)) {
            point->problem
                = g_strdup ("there is no such data: ask for dataBreakpointInfo first");
        } else if (point->where == NULL) {
            point->ranks = job_rank_set_new_range ((guint32) rank, (guint32) rank + 1);
            point->where = g_strconcat ("-l ", rest + 1, NULL);
        }
        g_array_append_val (ids, point->id);
    }
    dap_points_finish (request, "data", NULL, ids);
}
