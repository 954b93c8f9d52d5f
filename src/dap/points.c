/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints as the protocol has them: each request replaces all of a file, or of a kind. What stays the same stays
 * set; what the console sets is told of and not replaced. */
#include "dap/points-private.h"
#include <string.h>

#define TELL_MS 20

void
dap_point_free (gpointer data)
{
    DapPoint *point = data;

    session_query_free (point->query);
    g_free (point->kind);
    g_free (point->source);
    g_free (point->key);
    g_free (point->where);
    g_free (point->condition);
    g_free (point->hits);
    g_free (point->log);
    g_free (point->problem);
    g_clear_pointer (&point->ranks, job_rank_set_free);
    g_free (point);
}

DapPoint *
dap_points_find (DapServer *server, guint32 number)
{
    return BASE_FIND (server->points, DapPoint, point, number != 0 && point->number == number);
}

gboolean
dap_points_are_open (const DapServer *server)
{
    return BASE_HAS (server->points, const DapPoint, point, point->query != NULL);
}

/* ---- how one is told ---- */

static const JobLocation *
find_place (const DapPoint *point, const SessionBreakpoint *set)
{
    return BASE_PICK (set->places, const JobLocation, place,
                      point->source == NULL || g_strcmp0 (place->file, point->source) == 0,
                      place, set->places->len > 0 ? g_ptr_array_index (set->places, 0) : NULL);
}

static void
write_point (DapServer *server, GString *json, const DapPoint *point)
{
    const SessionBreakpoint *set = point->number != 0 && server->session != NULL
                                       ? session_find_breakpoint (server->session,
                                                                  point->number)
                                       : NULL;
    const JobLocation *place = set != NULL ? find_place (point, set) : NULL;
    gboolean is_place = set != NULL && g_strcmp0 (set->kind, "break") == 0;
    gboolean is_set = point->problem == NULL && set != NULL
                      && (is_place ? place != NULL : point->query == NULL);
    const char *message = point->is_done ? "it has stopped the one time that was wanted"
                                         : point->problem;

    is_set = is_set || point->is_done;
    if (!is_set && message == NULL) {
        message = set != NULL && set->reason != NULL ? set->reason
                  : server->session == NULL || !session_is_ready (server->session)
                      ? "pending: set when the ranks are there"
                      : "pending: nothing of that name is loaded yet";
    }
    dap_write_number (json, "id", point->id);
    dap_write_flag (json, "verified", is_set);
    dap_write_text (json, "message", message);
    if (!is_set) {
        dap_write_text (json, "reason", point->problem != NULL ? "failed" : "pending");
    }
    if (is_place && place != NULL && place->file != NULL) {
        dap_write_source (server, json, "source", place->file);
        dap_write_number (json, "line", dap_line_out (server, place->line));
    } else if (point->source != NULL) {
        dap_write_source (server, json, "source", point->source);
        dap_write_number (json, "line", dap_line_out (server, point->line));
    }
    if (g_strcmp0 (point->kind, "instruction") == 0) {
        dap_write_text (json, "instructionReference", point->where);
    }
}

static char *
format_point (DapServer *server, const DapPoint *point)
{
    GString *text = g_string_new ("{");

    write_point (server, text, point);
    return g_string_free (text, FALSE);
}

static void
note_told (DapServer *server, const DapPoint *point)
{
    g_hash_table_replace (server->known_points, GINT_TO_POINTER (point->id),
                          format_point (server, point));
}

static void
send_point (DapServer *server, const DapPoint *point, const char *reason)
{
    GString *body = dap_body_new ();

    dap_write_text (body, "reason", reason);
    dap_write_begin (body, "breakpoint", '{');
    if (strcmp (reason, "removed") == 0) {
        dap_write_number (body, "id", point->id);
        dap_write_flag (body, "verified", FALSE);
    } else {
        write_point (server, body, point);
        note_told (server, point);
    }
    dap_write_end (body, '}');
    dap_send_event (server, "breakpoint", body);
}

/* ---- requests that wait for their breakpoints ---- */

static gboolean
is_waiting (DapServer *server, const GArray *ids)
{
    BASE_EACH (server->points, const DapPoint, point) {
        if (point->query != NULL
            && BASE_ANY (j, ids->len, g_array_index (ids, gint64, j) == point->id)) {
            return TRUE;
        }
    }
    return FALSE;
}

static const DapPoint *
find_point (DapServer *server, gint64 id)
{
    return BASE_FIND (server->points, const DapPoint, point, point->id == id);
}

static void
answer_points (DapRequest *request)
{
    DapServer *server = request->server;
    const GArray *ids = request->data;
    GString *body = dap_body_new ();

    dap_write_begin (body, "breakpoints", '[');
    for (guint i = 0; i < ids->len; i++) {
        const DapPoint *point = find_point (server, g_array_index (ids, gint64, i));

        dap_write_begin (body, NULL, '{');
        if (point != NULL) {
            write_point (server, body, point);
            note_told (server, point);
        } else { /* replaced before it was set */
            dap_write_flag (body, "verified", FALSE);
        }
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

static void
answer_waiting (DapServer *server)
{
    for (guint i = 0; i < server->points_waiting->len;) {
        DapRequest *request = g_ptr_array_index (server->points_waiting, i);

        if (is_waiting (server, request->data)) {
            i++;
        } else {
            answer_points (request); /* which takes it off the list */
            i = 0;
        }
    }
}

/* ---- setting ---- */

static void
on_point (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    DapPoint *point = user;
    DapServer *server = point->server;
    const SessionBreakpoint *set;

    if (job_rank_set_equal (answer->failed, answer->asked) && answer->failures->len > 0) {
        point->problem = dap_format_failures (answer);
    }
    session_query_free (g_steal_pointer (&point->query));
    set = session_find_breakpoint (server->session, point->number);
    if (point->problem != NULL && set == NULL) {
        point->number = 0;
    }
    answer_waiting (server);
    dap_points_tell (server);
    dap_life_begin_if_ready (server);
}

/* "on SET: EXPR" names the ranks of a breakpoint. Caller owns; NULL with point->problem. */
static JobRankSet *
take_ranks (DapServer *server, DapPoint *point, const char **ret_condition)
{
    const char *text = point->condition, *colon;
    g_autoptr (GError) error = NULL;
    g_autofree char *set_text = NULL;
    JobRankSet *ranks;

    *ret_condition = text != NULL && *text != '\0' ? text : NULL;
    if (text == NULL || !g_str_has_prefix (text, "on ")
        || ((colon = strchr (text, ':')) == NULL && strchr (text, '=') != NULL)) {
        return session_dup_all (server->session);
    }
    set_text = colon != NULL ? g_strndup (text + 3, (gsize) (colon - text - 3))
                             : g_strdup (text + 3);
    ranks = command_parse_set (server->session, set_text, &error);
    if (ranks == NULL) {
        point->problem = g_strdup (error->message);
        return NULL;
    }
    text = colon != NULL ? colon + 1 + strspn (colon + 1, " ") : "";
    *ret_condition = *text != '\0' ? text : NULL;
    return ranks;
}

/* "3", "%3", "every 3": every third time; "==3": the third time only; ">=3", ">2": from the third time on. */
static gboolean
take_hits (DapPoint *point, guint64 *ret_every)
{
    const char *text = point->hits;
    int from;

    if (text == NULL || *text == '\0') {
        return TRUE;
    }
    text += strspn (text, " ");
    point->is_once = *text == '=';
    from = *text == '>' ? (text[1] == '=' ? 0 : 1) : -1;
    text += strspn (text, ">=% ");
    text += g_str_has_prefix (text, "every ") ? 6 : 0;
    if (!g_ascii_string_to_unsigned (text, 10, from == 1 ? 0 : 1, G_MAXINT32, ret_every,
                                     NULL)) {
        point->problem
            = g_strdup_printf ("\"%s\" is no count: N stops every Nth time, ==N the Nth "
                               "time only, >=N from the Nth time on, >N after it",
                               point->hits);
        return FALSE;
    }
    if (from >= 0) {
        *ret_every = (*ret_every + (guint) from) | JOB_EVERY_FROM;
    }
    return TRUE;
}

static gboolean
take_where (DapPoint *point, JobRequest *asked)
{
    g_autoptr (GError) error = NULL;

    if (strcmp (point->kind, "source") == 0) {
        asked->where.kind = JOB_WHERE_LINE;
        asked->where.file = g_strdup (point->source);
        asked->where.line = point->line;
    } else if (strcmp (point->kind, "function") == 0) {
        asked->where.kind = JOB_WHERE_FUNCTION;
        asked->where.function = g_strdup (point->where);
    } else if (strcmp (point->kind, "instruction") == 0) {
        asked->where.kind = JOB_WHERE_ADDRESS;
        asked->where.address = g_ascii_strtoull (point->where, NULL, 0);
    } else {
        asked->text = g_strdup (point->where);
    }
    return TRUE;
}

static void
set_point (DapServer *server, DapPoint *point)
{
    JobVerb verb = strcmp (point->kind, "exception") == 0 ? JOB_VERB_CATCH
                   : strcmp (point->kind, "data") == 0    ? JOB_VERB_WATCH
                                                          : JOB_VERB_BREAK;
    g_autoptr (JobRequest) asked = NULL;
    g_autoptr (JobRankSet) ranks = NULL;
    const char *condition;
    guint64 every = 0;

    if (point->number != 0 || point->query != NULL || point->problem != NULL || point->is_done
        || strcmp (point->kind, "console") == 0 || strcmp (point->kind, "goto") == 0) {
        return;
    }
    ranks = take_ranks (server, point, &condition);
    if (ranks == NULL || !take_hits (point, &every)) {
        return;
    }
    if (point->ranks != NULL) {
        job_rank_set_free (g_steal_pointer (&ranks));
        ranks = job_rank_set_dup (point->ranks);
    }
    asked = job_request_new (verb, ranks);
    if (!take_where (point, asked)) {
        return;
    }
    asked->condition = g_strdup (condition);
    asked->every = every;
    asked->flags |= point->is_once ? JOB_REQUEST_TEMPORARY : 0;
    asked->log = point->log != NULL && *point->log != '\0' ? g_strdup (point->log) : NULL;
    asked->number = point->number = session_next_breakpoint_number (server->session);
    point->query = session_query_new (server->session, g_steal_pointer (&asked), on_point,
                                      point);
}

static gboolean
can_set (const DapServer *server)
{
    return server->session != NULL && session_is_ready (server->session)
           && !session_is_ended (server->session) && !server->is_restarting
           && !session_is_core (server->session);
}

void
dap_points_set_all (DapServer *server)
{
    for (guint i = 0; i < server->points->len && can_set (server); i++) {
        set_point (server, g_ptr_array_index (server->points, i));
    }
    dap_points_tell (server);
}

/* ---- replacing ---- */

static void
remove_point (DapServer *server, guint index)
{
    DapPoint *point = g_ptr_array_index (server->points, index);
    const SessionBreakpoint *set = point->number != 0 && server->session != NULL
                                       ? session_find_breakpoint (server->session,
                                                                  point->number)
                                       : NULL;

    if (set != NULL && !session_is_ended (server->session)) {
        JobRequest *asked = job_request_new (JOB_VERB_DELETE, set->ranks);

        asked->number = point->number;
        session_submit (server->session, asked);
    }
    g_hash_table_remove (server->known_points, GINT_TO_POINTER (point->id));
    g_ptr_array_remove_index (server->points, index);
}

static gboolean
is_of (const DapPoint *point, const char *kind, const char *source)
{
    return strcmp (point->kind, kind) == 0
           && (source == NULL || g_strcmp0 (point->source, source) == 0);
}

void
dap_points_begin (DapServer *server, const char *kind, const char *source)
{
    BASE_EACH (server->points, DapPoint, point) {
        if (is_of (point, kind, source)) {
            point->is_wanted = FALSE;
        }
    }
}

/* One that is there already, or a new one of these texts. */
DapPoint *
dap_points_want (DapRequest *request, const char *kind, const char *source, const json_t *said)
{
    DapServer *server = request->server;
    g_autofree char *key = json_dumps (said, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
    DapPoint *point;

    for (guint i = 0; i < server->points->len; i++) {
        point = g_ptr_array_index (server->points, i);
        if (is_of (point, kind, source) && !point->is_wanted && g_strcmp0 (point->key, key) == 0
            && point->problem == NULL) {
            point->is_wanted = TRUE;
            return point;
        }
    }
    point = g_new0 (DapPoint, 1);
    point->server = server;
    point->id = ++server->last_point;
    point->kind = g_strdup (kind);
    point->source = g_strdup (source);
    point->key = g_strdup (key);
    point->is_wanted = TRUE;
    if (json_is_object (said)) {
        point->condition = g_strdup (dap_request_get_text (request, said, "condition"));
        point->hits = g_strdup (dap_request_get_text (request, said, "hitCondition"));
        point->log = g_strdup (dap_request_get_text (request, said, "logMessage"));
    }
    g_ptr_array_add (server->points, point);
    return point;
}

/* Takes ids. */
void
dap_points_finish (DapRequest *request, const char *kind, const char *source, GArray *ids)
{
    DapServer *server = request->server;

    for (guint i = server->points->len; i > 0; i--) {
        DapPoint *point = g_ptr_array_index (server->points, i - 1);

        if (is_of (point, kind, source) && !point->is_wanted) {
            remove_point (server, i - 1);
        }
    }
    request->data = ids;
    request->free_data = (GDestroyNotify) g_array_unref;
    for (guint i = 0; i < server->points->len && can_set (server); i++) {
        set_point (server, g_ptr_array_index (server->points, i));
    }
    g_ptr_array_add (server->points_waiting, request);
    answer_waiting (server);
}

static gboolean
is_each_object (DapRequest *request, const json_t *list, const char *name)
{
    const json_t *one;
    size_t i;

    json_array_foreach (list, i, one)
    {
        if (!json_is_object (one) && request->problem == NULL) {
            request->problem = g_strdup_printf ("\"%s\" must be a list of objects", name);
        }
    }
    return dap_request_is_good (request);
}

/* So that a wrong argument changes nothing: reads all once before. */
gboolean
dap_points_check (DapRequest *request, const json_t *list, const char *text, const char *number)
{
    const json_t *one;
    size_t i;

    json_array_foreach (list, i, one)
    {
        if (text != NULL) {
            dap_request_need_text (request, one, text);
        }
        if (number != NULL) {
            dap_request_need_number (request, one, number);
        }
        dap_request_get_text (request, one, "condition");
        dap_request_get_text (request, one, "hitCondition");
        dap_request_get_text (request, one, "logMessage");
    }
    return is_each_object (request, list, "breakpoints");
}

void
dap_run_set_breakpoints (DapRequest *request)
{
    DapServer *server = request->server;
    const json_t *source = dap_request_get_object (request, request->arguments, "source");
    const json_t *list = dap_request_get_list (request, request->arguments, "breakpoints");
    g_autofree char *path = source != NULL ? dap_take_source (request, source) : NULL;
    const json_t *one;
    GArray *ids;
    size_t i;

    if (path == NULL && request->problem == NULL) {
        request->problem = g_strdup ("\"source\" needs a \"path\"");
    }
    if (!dap_points_check (request, list, NULL, "line")) {
        return;
    }
    ids = g_array_new (FALSE, FALSE, sizeof (gint64));
    dap_points_begin (server, "source", path);
    json_array_foreach (list, i, one)
    {
        DapPoint *point = dap_points_want (request, "source", path, one);

        point->line = dap_line_in (server, dap_request_need_number (request, one, "line"));
        if (point->line == 0 && point->problem == NULL) {
            point->problem = g_strdup ("there is no such line");
        }
        g_array_append_val (ids, point->id);
    }
    dap_points_finish (request, "source", path, ids);
}

/* An address, or what the disassembly began with, and an offset in bytes. */
static void
take_address (DapRequest *request, DapPoint *point, const json_t *said)
{
    char *end = NULL;
    guint64 address = g_ascii_strtoull (point->where, &end, 0);

    if ((end == point->where || *end != '\0')
        && !dap_memory_find_known (request->server, point->where, &address)) {
        point->problem
            = g_strdup_printf ("\"%s\" is no address of an instruction that was listed",
                               point->where);
    }
    address += (guint64) dap_request_get_number (request, said, "offset", 0);
    g_free (point->where);
    point->where = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", address);
}

static void
replace_by_text (DapRequest *request, const char *kind, const char *name)
{
    const json_t *list = dap_request_get_list (request, request->arguments, "breakpoints");
    const json_t *one;
    GArray *ids;
    size_t i;

    if (!dap_points_check (request, list, name, NULL)) {
        return;
    }
    ids = g_array_new (FALSE, FALSE, sizeof (gint64));
    dap_points_begin (request->server, kind, NULL);
    json_array_foreach (list, i, one)
    {
        DapPoint *point = dap_points_want (request, kind, NULL, one);

        g_free (point->where);
        point->where = g_strdup (dap_request_need_text (request, one, name));
        if (strcmp (kind, "instruction") == 0) {
            take_address (request, point, one);
        }
        g_array_append_val (ids, point->id);
    }
    dap_points_finish (request, kind, NULL, ids);
}

void
dap_run_set_functions (DapRequest *request)
{
    replace_by_text (request, "function", "name");
}

void
dap_run_set_instructions (DapRequest *request)
{
    replace_by_text (request, "instruction", "instructionReference");
}

/* ---- what the session says ---- */

static DapPoint *
add_point (DapServer *server, const char *kind, guint32 number)
{
    DapPoint *point = g_new0 (DapPoint, 1);

    point->server = server;
    point->id = ++server->last_point;
    point->kind = g_strdup (kind);
    point->number = number;
    g_ptr_array_add (server->points, point);
    return point;
}

void
dap_points_add_mark (DapServer *server, guint32 number)
{
    add_point (server, "goto", number);
}

static gboolean
on_tell (gpointer data)
{
    DapServer *server = data;
    GPtrArray *all = session_get_breakpoints (server->session);

    server->points_source = 0;
    for (guint i = server->points->len; i > 0; i--) {
        DapPoint *point = g_ptr_array_index (server->points, i - 1);
        const char *told = g_hash_table_lookup (server->known_points,
                                                GINT_TO_POINTER (point->id));
        g_autofree char *now = format_point (server, point);

        if (point->number != 0 && point->query == NULL && strcmp (point->kind, "goto") != 0
            && session_find_breakpoint (server->session, point->number) == NULL) {
            if (point->is_once) { /* it stays where the user has set it */
                point->is_done = TRUE;
                point->number = 0;
                send_point (server, point, "changed");
                continue;
            }
            send_point (server, point, "removed");
            remove_point (server, i - 1);
        } else if (told != NULL && point->query == NULL && strcmp (told, now) != 0) {
            send_point (server, point, "changed");
        }
    }
    BASE_EACH (all, const SessionBreakpoint, set) {
        if (dap_points_find (server, set->number) == NULL) {
            send_point (server, add_point (server, "console", set->number), "new");
        }
    }
    return G_SOURCE_REMOVE;
}

void
dap_points_tell (DapServer *server)
{
    if (server->points_source == 0) {
        server->points_source = g_timeout_add (TELL_MS, on_tell, server);
    }
}

static void
on_changed (Session *session, DapServer *server)
{
    dap_points_tell (server);
}

void
dap_points_init (DapServer *server)
{
    g_signal_connect (server->session, "breakpoints-changed", G_CALLBACK (on_changed), server);
}
