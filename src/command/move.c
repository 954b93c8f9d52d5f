/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that move ranks or select their frames and threads. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

/* A number alone, or nothing: `fallback`. FALSE: the command has failed and ended. */
static gboolean
take_count (CommandJob *job, guint32 fallback, guint32 *ret_count)
{
    *ret_count = fallback;
    if (*job->arguments != '\0' && *job->row->usage == '\0') {
        command_job_fail (job, NULL, "%s takes no argument, not \"%s\"", job->row->name,
                          job->arguments);
        command_job_end (job);
        return FALSE;
    }
    if (*job->arguments != '\0'
        && !command_parse_number (job->arguments, G_MAXINT32, ret_count)) {
        command_job_fail (job, NULL, "%s needs a number, not \"%s\"", job->row->name,
                          job->arguments);
        command_job_end (job);
        return FALSE;
    }
    return TRUE;
}

/* A step of ranks that still move would come to some of them later, at another place. FALSE: the
 * command has failed and ended. */
static gboolean
check_standing (CommandJob *job)
{
    g_autoptr (JobRankSet) unfinished = session_dup_unfinished (job->session, job->set);

    if (!job_verb_is_step (job->row->verb) || job_rank_set_is_empty (unfinished)) {
        return TRUE;
    }
    command_job_fail (
        job, unfinished,
        "%s refused, no rank has moved: these have not finished their last motion",
        job->row->name);
    command_job_end (job);
    return FALSE;
}

void
command_run_move (CommandJob *job)
{
    JobRequest *request;
    guint32 count;

    if (!take_count (job, 1, &count) || !check_standing (job)) {
        return;
    }
    if (job->row->verb == JOB_VERB_CONTINUE && session_march (job->session, job->set)) {
        command_job_end (job);
        return;
    }
    if (job->row->verb == JOB_VERB_PAUSE) {
        command_hooks_drop (job->context, job->set);
    }
    request = job_request_new (job->row->verb, job->set);
    request->count = MAX (count, 1);
    command_job_submit (job, request);
}

/* The file of a bare line number: that of the selected frames, if they agree. */
static char *
find_set_file (CommandJob *job, GError **error)
{
    const char *file = NULL;
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (job->set, &iter, &rank)) {
        const JobLocation *place = session_selection_get_place (job->context->selection, rank);

        if (place == NULL || place->file == NULL) {
            continue;
        }
        if (file != NULL && strcmp (file, place->file) != 0) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         "the frames of the set are in different files: use FILE:LINE");
            return NULL;
        }
        file = place->file;
    }
    if (file == NULL) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                     "no rank of the set is in a known file: use FILE:LINE");
    }
    return g_strdup (file);
}

gboolean
command_parse_where (CommandJob *job, const char *text, JobWhere *ret_where, GError **error)
{
    JobWhere where = { 0 };

    if (!job_where_parse (text, &where, error)) {
        return FALSE;
    }
    if (where.kind == JOB_WHERE_LINE && where.file == NULL) {
        where.file = find_set_file (job, error);
        if (where.file == NULL) {
            return FALSE;
        }
    }
    *ret_where = where;
    return TRUE;
}

void
command_run_where_to (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (JobRequest) request = job_request_new (job->row->verb, job->set);
    const char *text = job->arguments;
    g_autofree char *word = NULL;

    if (*text == '*') {
        if (check_standing (job)) {
            command_resolve_place (job, text, g_steal_pointer (&request),
                                   command_job_submit_all);
        }
        return;
    }
    if (*text == '\0' && strcmp (job->row->name, "until") == 0) { /* a next that leaves loops */
        request->verb = JOB_VERB_NEXT;
        request->flags |= JOB_REQUEST_RELATIVE;
        request->count = 1;
        if (check_standing (job)) {
            command_job_submit (job, g_steal_pointer (&request));
        }
        return;
    }
    word = command_take_word (&text, "", &error);
    if (word == NULL && error == NULL) {
        g_set_error (&error, BASE_ERROR, BASE_ERROR_INVALID, "%s needs WHERE", job->row->name);
    }
    if (error == NULL) {
        command_parse_where (job, word, &request->where, &error);
    }
    if (error != NULL) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    if (check_standing (job)) {
        command_job_submit (job, g_steal_pointer (&request));
    }
}

void
command_run_frame (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (job->row->verb, job->set);
    gboolean is_up = strcmp (job->row->name, "up") == 0;
    guint32 count;

    if (!take_count (job, is_up || strcmp (job->row->name, "down") == 0 ? 1 : 0, &count)) {
        return;
    }
    if (job->row->verb == JOB_VERB_FRAME
        && *job->arguments == '\0') { /* says which one is selected */
        request->flags = JOB_REQUEST_RELATIVE;
        request->delta = 0;
    }
    if (is_up || strcmp (job->row->name, "down") == 0) {
        request->flags = JOB_REQUEST_RELATIVE;
        request->delta = is_up ? (gint32) count : -(gint32) count;
    } else {
        request->count = count;
    }
    command_job_submit (job, g_steal_pointer (&request));
}

void
command_run_where (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (job->row->verb, job->set);
    g_auto (GStrv) words = g_strsplit_set (job->arguments, " \t", -1);

    for (guint i = 0; words[i] != NULL; i++) {
        if (*words[i] == '\0') {
            continue;
        }
        if (g_str_has_prefix ("threads", words[i])) {
            request->flags |= JOB_REQUEST_THREADS;
        } else if (g_str_has_prefix ("full", words[i]) || strcmp (words[i], "-full") == 0) {
            request->flags |= JOB_REQUEST_FULL;
        } else if (words[i][0] == '-' && g_ascii_isdigit (words[i][1])) {
            command_job_fail (
                job, NULL,
                "where N shows the N innermost frames; frame apply %s COMMAND runs a "
                "command in the outermost ones",
                words[i]);
            command_job_end (job);
            return;
        } else if (!command_parse_number (words[i], G_MAXINT32, &request->count)) {
            command_job_fail (job, NULL, "where [N] [threads] [full], not \"%s\"", words[i]);
            command_job_end (job);
            return;
        }
    }
    command_job_submit (job, g_steal_pointer (&request));
}

void
command_run_plain (CommandJob *job)
{
    JobRequest *request;

    if (*job->arguments != '\0') {
        command_job_fail (job, NULL, "%s takes no argument, not \"%s\"", job->row->name,
                          job->arguments);
        command_job_end (job);
        return;
    }
    request = job_request_new (job->row->verb, job->set);
    request->flags |= job->row->verb == JOB_VERB_GLOBALS ? JOB_REQUEST_ENDED : 0;
    command_job_submit (job, request);
}

/* "/ox EXPR". FALSE: the command has failed. */
static gboolean
split_type_flags (CommandJob *job, JobRequest *request)
{
    const char *flags = job->arguments + 1;
    gsize length = strcspn (flags, " \t"), n_known = strspn (flags, "oxdmMtTr");
    const char *rest = flags + length + strspn (flags + length, " \t");

    if (n_known < length) {
        command_job_fail (job, NULL, "%s does not support /%c; use o x d m M t T r",
                          job->row->name, flags[n_known]);
        return FALSE;
    }
    if (length == 0 || *rest == '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        return FALSE;
    }
    request->text2 = g_strndup (flags, length);
    g_free (request->text);
    request->text = g_strdup (rest);
    return TRUE;
}

void
command_run_text (CommandJob *job)
{
    JobRequest *request;

    if (*job->arguments == '\0') {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    request = job_request_new (job->row->verb, job->set);
    request->flags |= job->row->verb != JOB_VERB_EXEC ? JOB_REQUEST_ENDED : 0;
    request->text = g_strdup (job->arguments);
    if (*job->arguments == '/'
        && (job->row->verb == JOB_VERB_PTYPE || job->row->verb == JOB_VERB_WHATIS)
        && !split_type_flags (job, request)) {
        job_request_free (request);
        command_job_end (job);
        return;
    }
    job->expression = g_strdup (request->text);
    command_job_submit (job, request);
}

/* "<<" or ">>" stands in front. */
static gboolean
is_shift (const char *text, const char *at)
{
    return at > text + 1 && at[-1] == at[-2] && (at[-1] == '<' || at[-1] == '>');
}

/* The '=' that assigns: no half of ==, <=, >=, != and not inside brackets or quotes. */
static const char *
find_assignment (const char *text)
{
    int depth = 0;
    char quote = '\0';

    for (const char *at = text; *at != '\0'; at++) {
        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (strchr ("([{", *at) != NULL) {
            depth++;
        } else if (strchr (")]}", *at) != NULL) {
            depth--;
        } else if (*at == '=' && depth == 0 && at[1] != '=' && at > text
                   && (strchr ("=<>!", at[-1]) == NULL || is_shift (text, at))) {
            return at;
        }
    }
    return NULL;
}

void
command_run_set_var (CommandJob *job)
{
    const char *equals = find_assignment (job->arguments);
    JobRequest *request;

    if (equals == NULL) {
        command_job_fail (job, NULL, "set var needs LHS = EXPR");
        command_job_end (job);
        return;
    }
    request = job_request_new (JOB_VERB_SET, job->set);
    request->text = g_strstrip (g_strndup (job->arguments, (gsize) (equals - job->arguments)));
    request->text2 = g_strstrip (g_strdup (equals + 1));
    job->expression = g_strdup (request->text);
    command_job_submit (job, request);
}

gboolean
command_find_address (const JobValue *value, guint64 *ret_address)
{
    const char *hex = value->text != NULL ? strstr (value->text, "0x") : NULL;
    char *end = NULL;

    if (hex != NULL) {
        *ret_address = g_ascii_strtoull (hex + 2, &end, 16);
        return end != hex + 2;
    }
    if (value->text == NULL || !g_ascii_isdigit (*value->text)) {
        return FALSE;
    }
    *ret_address = g_ascii_strtoull (value->text, &end, 10);
    return *end == '\0';
}

static JobRequest *
make_examine (CommandJob *job, const JobRankSet *ranks, guint64 address)
{
    JobRequest *request = job_request_new (JOB_VERB_EXAMINE, ranks);

    request->where.kind = JOB_WHERE_ADDRESS;
    request->where.address = address;
    request->text = g_strdup (job->expression);
    return request;
}

/* arrays: gets the ranks in which it is one, which means its address. */
static void
add_examines (CommandJob *job, GPtrArray *requests, const JobValueTable *table,
              JobRankSet *arrays)
{
    guint64 address;

    BASE_EACH (table->rows, const JobValueRow, row) {
        BASE_EACH (row->groups, const JobValueGroup, group) {
            if (command_find_address (group->value, &address)) {
                g_ptr_array_add (requests, make_examine (job, group->ranks, address));
            } else if (group->value->text != NULL && !job->is_decayed
                       && (strchr ("{\"'(", *group->value->text) != NULL
                           || strcmp (group->value->text, "<incomplete type>") == 0)) {
                job_rank_set_merge (arrays, group->ranks);
            } else {
                command_job_fail (job, group->ranks, "%s is not an address",
                                  group->value->text != NULL ? group->value->text : "this");
            }
        }
    }
}

static void on_addresses (CommandJob *job, gboolean ok, const JobRankSet *missing);

/* As in C, the name of an array stands for its address. */
static void
examine_array (CommandJob *job, const JobRankSet *ranks)
{
    const char *text = job->arguments;
    JobRequest *request = job_request_new (JOB_VERB_PRINT, ranks);

    if (*text == '/') {
        g_autofree char *format = command_take_word (&text, "", NULL);

        (void) format;
    }
    job->is_decayed = TRUE;
    request->text = g_strdup_printf ("&(%s)", command_skip_spaces (text));
    command_job_query (job, request, on_addresses);
}

/* Ranks may have their data at different addresses: a request for each. */
static void
on_addresses (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    g_autoptr (JobRankSet) arrays = job_rank_set_new ();
    GPtrArray *requests = g_ptr_array_new ();

    for (guint i = job->answers->len; i > 0; i--) {
        const JobEvent *event = g_ptr_array_index (job->answers, i - 1);

        if (event->kind == JOB_EVENT_VALUES && event->table != NULL) {
            add_examines (job, requests, event->table, arrays);
            g_ptr_array_remove_index (job->answers, i - 1);
        }
    }
    command_job_print_answers (job, ok, missing);
    if (!job_rank_set_is_empty (arrays) && requests->len == 0) {
        g_ptr_array_unref (requests);
        examine_array (job, arrays);
        return;
    }
    command_job_submit_all (job, requests);
}

/* "/4xb ADDR": a number is taken as it is, anything else is an expression of the program. */
void
command_run_examine (CommandJob *job)
{
    const char *text = job->arguments;
    JobWhere where = { 0 };
    JobRequest *request;

    if (*text == '/') {
        text++;
        job->expression = command_take_word (&text, "", NULL);
    }
    text = command_skip_spaces (text);
    if (*text == '\0') {
        command_job_fail (job, NULL, "x/FMT ADDR: the address is missing");
        command_job_end (job);
        return;
    }
    if (g_ascii_isdigit (*text) || *text == '*') {
        g_autofree char *address = g_strdup_printf ("*%s", *text == '*' ? text + 1 : text);

        if (job_where_parse (address, &where, NULL)) {
            command_job_submit (job, make_examine (job, job->set, where.address));
            return;
        }
    }
    request = job_request_new (JOB_VERB_PRINT, job->set);
    request->text = g_strdup (text);
    command_job_query (job, request, on_addresses);
}

void
command_run_input (CommandJob *job)
{
    if (*job->arguments != '\0') {
        g_autofree char *line = g_strdup_printf ("%s\n", job->arguments);

        session_write_input (job->session, job->set, line, FALSE);
        command_job_end (job);
        return;
    }
    if (!job->context->can_hand_over) {
        command_job_fail (job, NULL, "input without TEXT needs a terminal: use input TEXT");
    } else {
        g_clear_pointer (&job->context->hand_over, job_rank_set_free);
        job->context->hand_over = job_rank_set_dup (job->set);
    }
    command_job_end (job);
}
