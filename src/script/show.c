/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that printers of Python show: what ranks have answered waits, for at most a moment, until Python has said what
 * stands there instead. Commands, windows and editors get the same. */
#include "script/private.h"
#include "session/filter.h"
#include "session/options.h"
#include <string.h>

#define LOOK_MS 100
/* Of a processor: on a busy machine Python may hardly get one. A printer that reads values ends after 1 s by itself. */
#define PRINTER_US 1500000
#define REST_US 500000 /* to say where it was interrupted */
/* Of time: printers that wait, functions, and where another script does not listen. */
#define WAIT_US 10000000
#define BUSY_US 1500000

typedef struct {
    guint64 id;
    SessionQuery *query;
    Session *session;
    const JobRequest *request; /* the query's */
    SessionAnswer *answer;     /* likewise */
    guint source;
    gint64 since_us,
        used_us; /* of the clock and of Python's processor time, when it was asked or interrupted */
    gboolean has_begun, is_interrupted, is_call;
} Show;

static GList *shows; /* of Show, oldest first */
static gboolean has_printers;

static Show *
find_show (guint64 id)
{
    for (GList *at = shows; at != NULL; at = at->next) {
        if (((Show *) at->data)->id == id) {
            return at->data;
        }
    }
    return NULL;
}

static void
free_show (Show *show)
{
    g_clear_handle_id (&show->source, g_source_remove);
    shows = g_list_remove (shows, show);
    script_offered_forget (show);
    g_free (show);
}

static void
say (Session *session, const char *type, const char *reason)
{
    g_autofree char *text = *type != '\0'
                                ? g_strdup_printf ("the printer of %s has failed: %s", type,
                                                   reason)
                                : g_strdup_printf ("a printer has failed: %s", reason);
    BaseText said = { text, text };

    session_say_text (session, 0, &said);
}

/* ---- what is asked ---- */

static const char *
get_name (const JobRequest *request, const JobValueRow *row)
{
    return request->verb == JOB_VERB_PRINT ? request->text : row->name;
}

/* Not what has no other text: numbers, and reasons. */
static gboolean
may_be_shown (const JobValue *value)
{
    return value->type != NULL && value->text != NULL && !value->is_problem
           && !value->is_number;
}

static void
add_row (GString *text, guint number, const JobRequest *request, const JobValueRow *row)
{
    const char *name = get_name (request, row);

    for (guint i = 0; name != NULL && strpbrk (name, "\t\n") == NULL && i < row->groups->len;
         i++) {
        const JobValueGroup *group = g_ptr_array_index (row->groups, i);
        g_autofree char *ranks = job_rank_set_format (group->ranks);

        if (may_be_shown (group->value)) {
            g_string_append_printf (text, "\n%u\t%s\t%s\t%s", number, ranks, name,
                                    group->value->type);
        }
    }
}

/* Mode, limits and gdb's letter. */
static GString *
describe_options (Session *session, const JobRequest *request)
{
    GString *text = g_string_new (session_get_option (session, "printers"));

    g_strdelimit (text->str, "\t\n", ' ');
    g_string_append_printf (text, "\t%s\t%s\t%s\t%s\t%s",
                            session_get_option (session, "limit-items"),
                            session_get_option (session, "limit-bytes"),
                            session_get_option (session, "limit-depth"),
                            session_get_option (session, "limit-repeats"),
                            request->verb == JOB_VERB_PRINT && request->text2 != NULL
                                ? request->text2
                                : "");
    return text;
}

/* Rows are counted over all events. NULL: there is nothing to show. */
static char *
describe (Session *session, const JobRequest *request, const SessionAnswer *answer)
{
    g_autoptr (GString) text = describe_options (session, request);
    gsize head = text->len;
    guint number = 0;

    BASE_EACH (answer->groups, const JobEvent, event) {
        if (event->kind != JOB_EVENT_VALUES || event->table == NULL
            || (event->flags & (JOB_EVENT_INITIAL | JOB_EVENT_STALE)) != 0) {
            continue;
        }
        for (guint j = 0; j < event->table->rows->len; j++, number++) {
            add_row (text, number, request, g_ptr_array_index (event->table->rows, j));
        }
    }
    return text->len > head ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* ---- what is answered ---- */

typedef struct {
    guint row;
    JobRankSet *ranks;
    char *text;
    GPtrArray *parts; /* of JobValue: the printer's; NULL: none */
    GPtrArray *texts; /* of JobValue: parts of the value that printers show; NULL: none */
} Shown;

static void
clear_shown (gpointer data)
{
    Shown *shown = data;

    job_rank_set_free (shown->ranks);
    g_free (shown->text);
    g_clear_pointer (&shown->parts, g_ptr_array_unref);
    g_clear_pointer (&shown->texts, g_ptr_array_unref);
}

static GPtrArray *
dup_parts (const GPtrArray *parts)
{
    GPtrArray *copies = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);

    for (guint i = 0; i < parts->len; i++) {
        g_ptr_array_add (copies, job_value_dup (g_ptr_array_index (parts, i)));
    }
    return copies;
}

/* Elements of arrays have no names. */
static void
set_text (JobValue *value, const JobValue *shown)
{
    for (guint i = 0; value->children != NULL && i < value->children->len; i++) {
        JobValue *part = g_ptr_array_index (value->children, i);
        g_autofree char *index = g_strdup_printf ("[%u]", i);

        if (g_strcmp0 (part->name != NULL ? part->name : index, shown->name) == 0
            && !part->is_problem) {
            g_free (part->text);
            part->text = g_strdup (shown->text);
            part->rest = 0;
            return;
        }
    }
}

static void
set_shown (JobValue *value, const Shown *shown)
{
    g_free (value->text);
    value->text = g_strdup (shown->text);
    value->rest = 0;
    for (guint i = 0; shown->texts != NULL && i < shown->texts->len; i++) {
        set_text (value, g_ptr_array_index (shown->texts, i));
    }
    if (shown->parts != NULL) {
        if (value->children != NULL) {
            g_ptr_array_set_free_func (value->children, (GDestroyNotify) job_value_free);
            g_ptr_array_unref (value->children);
        }
        value->children = dup_parts (shown->parts);
        value->expandable = TRUE;
    }
}

/* Splits the group: those that printers show have their text. */
static void
add_group (JobValueTable *table, const char *name, const JobValueGroup *group, guint row,
           const GArray *list)
{
    g_autoptr (JobRankSet) left = job_rank_set_dup (group->ranks);

    BASE_EACH_ROW (list, const Shown, shown) {
        g_autoptr (JobRankSet) here = shown->row == row
                                          ? job_rank_set_intersect (left, shown->ranks)
                                          : NULL;
        g_autoptr (JobValue) value = NULL;
        JobRankSet *rest;

        if (here == NULL || job_rank_set_is_empty (here)) {
            continue;
        }
        value = job_value_dup (group->value);
        set_shown (value, shown);
        job_value_table_add (table, name, here, value);
        rest = job_rank_set_subtract (left, here);
        job_rank_set_free (left);
        left = rest;
    }
    if (!job_rank_set_is_empty (left)) {
        job_value_table_add (table, name, left, group->value);
    }
}

static void
replace (JobEvent *event, const GArray *list, guint *number)
{
    JobValueTable *table = job_value_table_new ();

    for (guint i = 0; i < event->table->rows->len; i++, (*number)++) {
        const JobValueRow *row = g_ptr_array_index (event->table->rows, i);

        for (guint j = 0; j < row->groups->len; j++) {
            add_group (table, row->name, g_ptr_array_index (row->groups, j), *number, list);
        }
        if (row->rest != NULL && table->rows->len > 0) {
            JobValueRow *shown = g_ptr_array_index (table->rows, table->rows->len - 1);

            job_value_rest_free (shown->rest);
            shown->rest = job_value_rest_dup (row->rest);
        }
    }
    job_value_table_free (event->table);
    event->table = table;
}

/* Of the value before: "+", NAME, TYPE, TEXT, PATH and whether it has parts: one that the printer has; "~", NAME, TEXT: a part
 * of the value. */
static void
take_part (Shown *shown, const char *line)
{
    g_auto (GStrv) words = g_strsplit (line, "\t", 0);
    gboolean is_own = *line == '+';
    JobValue *part;

    if (g_strv_length (words) != (is_own ? 6 : 3)) {
        return;
    }
    for (guint i = 1; words[i] != NULL; i++) {
        g_autofree char *plain = g_strcompress (words[i]);

        g_free (words[i]);
        words[i] = g_utf8_make_valid (plain, -1);
    }
    if (!is_own) {
        shown->texts = shown->texts != NULL
                           ? shown->texts
                           : g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
        g_ptr_array_add (shown->texts, job_value_new (words[1], NULL, words[2]));
        return;
    }
    shown->parts = shown->parts != NULL
                       ? shown->parts
                       : g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    part = job_value_new (words[1], *words[2] != '\0' ? words[2] : NULL, words[3]);
    part->path = *words[4] != '\0' ? g_strdup (words[4]) : NULL;
    part->expandable = *words[5] == '1';
    g_ptr_array_add (shown->parts, part);
}

/* Of Shown. */
static GArray *
parse (const Show *show, const char *text)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (Shown));
    g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", 0);

    g_array_set_clear_func (list, clear_shown);
    for (guint i = 0; lines[i] != NULL; i++) {
        g_auto (GStrv) words = g_strsplit (lines[i], "\t", 3);
        g_autofree char *plain = g_strv_length (words) == 3 ? g_strcompress (words[2]) : NULL;
        Shown shown = { 0 };

        if (list->len > 0 && (*lines[i] == '+' || *lines[i] == '~')) {
            take_part (&g_array_index (list, Shown, list->len - 1), lines[i]);
            continue;
        }
        if (plain == NULL) {
            continue;
        }
        if (strcmp (words[0], "!") == 0) {
            say (show->session, words[1], plain);
        } else if ((shown.ranks = job_rank_set_parse (words[1], G_MAXUINT32, NULL)) != NULL) {
            shown.row = (guint) g_ascii_strtoull (words[0], NULL, 10);
            shown.text = g_utf8_make_valid (plain, -1);
            g_array_append_val (list, shown);
        }
    }
    return list;
}

static void
finish_call (Show *show, const char *text)
{
    SessionQuery *query = show->query;

    script_function_answer (
        show->request, session_query_get_id (query), show->answer, text,
        show->has_begun ? "the function takes longer than 10 s, and cannot be interrupted"
                        : "the function was not called: another script runs");
    free_show (show);
    session_query_resume (query);
}

static void
finish (Show *show, const char *text)
{
    g_autoptr (GArray) list = NULL;
    SessionQuery *query = show->query;
    guint number = 0;

    if (show->is_call) {
        finish_call (show, text);
        return;
    }
    list = parse (show, text);

    for (guint i = 0; list->len > 0 && i < show->answer->groups->len; i++) {
        JobEvent *event = g_ptr_array_index (show->answer->groups, i);

        if (event->kind == JOB_EVENT_VALUES && event->table != NULL
            && (event->flags & (JOB_EVENT_INITIAL | JOB_EVENT_STALE)) == 0) {
            replace (event, list, &number);
        }
    }
    free_show (show);
    session_query_resume (query);
}

static void
begin_to_count (Show *show)
{
    show->since_us = g_get_monotonic_time ();
    show->used_us = script_get_python_time_us ();
}

static gboolean
is_late (const Show *show)
{
    gint64 waited_us = g_get_monotonic_time () - show->since_us,
           used_us = script_get_python_time_us () - show->used_us;

    return waited_us >= WAIT_US || (show->is_interrupted && used_us >= REST_US)
           || (!show->is_call && used_us >= PRINTER_US)
           || (!show->has_begun && waited_us >= BUSY_US && script_is_running ());
}

static gboolean
on_look (gpointer data)
{
    Show *show = data;

    if (!is_late (show)) {
        return G_SOURCE_CONTINUE;
    }
    if (show->has_begun && !show->is_interrupted) {
        show->is_interrupted = TRUE;
        begin_to_count (show);
        script_interrupt_python ();
        return G_SOURCE_CONTINUE;
    }
    show->source = 0;
    if (show->has_begun && !show->is_call) {
        say (show->session, "", "it takes longer than 1 s, and cannot be interrupted");
    }
    finish (show, NULL);
    return G_SOURCE_REMOVE;
}

void
script_show_take (guint64 id, const char *text)
{
    Show *show = find_show (id);

    if (show != NULL) {
        finish (show, text);
    }
}

void
script_show_begin (guint64 id)
{
    Show *show = find_show (id);

    if (show != NULL) {
        show->has_begun = TRUE;
        begin_to_count (show);
    }
}

void
script_show_arm (void)
{
    has_printers = TRUE;
}

const JobRequest *
script_show_get_request (Session *session)
{
    for (GList *at = g_list_last (shows); at != NULL; at = at->prev) { /* the innermost */
        const Show *show = at->data;

        if (show->has_begun && show->session == session) {
            return show->request;
        }
    }
    return NULL;
}

/* ---- hooks ---- */

/* *ret_rank: that has such a value. */
static gboolean
may_be_offered (const SessionAnswer *answer, guint32 *ret_rank)
{
    gboolean found = FALSE;

    BASE_EACH (answer->groups, const JobEvent, event) {
        for (guint j = 0; event->kind == JOB_EVENT_VALUES && event->table != NULL
                          && j < event->table->rows->len;
             j++) {
            const JobValueRow *row = g_ptr_array_index (event->table->rows, j);

            BASE_EACH (row->groups, const JobValueGroup, group) {
                if (!found && script_offered_is_possible (group->value)) {
                    *ret_rank = job_rank_set_get_lowest (group->ranks);
                    found = TRUE;
                }
            }
        }
    }
    return found;
}

static char *
describe_call (const Show *show, char **ret_call)
{
    *ret_call = script_function_describe (show->request, show->answer);
    return *ret_call != NULL
               ? g_string_free (describe_options (show->session, show->request), FALSE)
               : NULL;
}

/* FALSE: there is no Python, or nothing that it may show. */
static gboolean
send (Show *show)
{
    g_autofree char *call = NULL;
    g_autofree char *text = show->is_call
                                ? describe_call (show, &call)
                                : describe (show->session, show->request, show->answer);
    ScriptMessage *message;

    if (text == NULL || !script_prepare (show->session, NULL)) {
        return FALSE;
    }
    message = script_message_new (SCRIPT_SHOW, show->id, text);
    message->text2 = g_steal_pointer (&call);
    script_post (message);
    return TRUE;
}

static void
on_offered (gpointer user)
{
    Show *show = user;
    gboolean offered;

    script_offered_is_known (show->session, &offered);
    if (!offered || !send (show)) {
        finish (show, NULL);
    }
}

static Show *
add_show (SessionQuery *query, Session *session, const JobRequest *request,
          SessionAnswer *answer)
{
    Show *show = g_new0 (Show, 1);

    *show = (Show){ .id = script_next_id (),
                    .query = query,
                    .session = session,
                    .request = request,
                    .answer = answer,
                    .is_call = script_function_is_call (request) };
    begin_to_count (show);
    show->source = g_timeout_add (LOOK_MS, on_look, show);
    shows = g_list_append (shows, show);
    return show;
}

/* pddt's own views, and no printer of the user's: only a value without a view may have one, which a library's package has
 * brought. */
static gboolean
filter_offered (SessionQuery *query, Session *session, const JobRequest *request,
                SessionAnswer *answer)
{
    guint32 rank = 0;
    gboolean offered;
    Show *show;

    if (!may_be_offered (answer, &rank)
        || (script_offered_is_known (session, &offered) && !offered)) {
        return FALSE;
    }
    show = add_show (query, session, request, answer);
    if (script_offered_is_known (session, &offered)
            ? send (show)
            : script_offered_ask (session, rank, on_offered, show)) {
        return TRUE;
    }
    free_show (show);
    return FALSE;
}

static gboolean
filter (SessionQuery *query, Session *session, const JobRequest *request, SessionAnswer *answer)
{
    const char *mode = session_get_option (session, "printers");
    Show *show;
    gboolean is_call = script_function_is_call (request);

    if (!is_call && (strcmp (mode, "off") == 0 || request->verb == JOB_VERB_CALL)) {
        return FALSE;
    }
    if (!is_call && strcmp (mode, "own") == 0 && !has_printers) {
        return filter_offered (query, session, request, answer);
    }
    show = add_show (query, session, request, answer);
    if (send (show)) {
        return TRUE;
    }
    free_show (show);
    return FALSE;
}

static void
forget (SessionQuery *query)
{
    for (GList *at = shows; at != NULL; at = at->next) {
        if (((Show *) at->data)->query == query) {
            free_show (at->data);
            return;
        }
    }
}

void
script_show_install (void)
{
    static const SessionFilter own = { filter, forget };

    session_set_filter (&own);
}
