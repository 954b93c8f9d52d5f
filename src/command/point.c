/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints, what is caught, and signals. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

static const char *const keywords[] = { "if", "every", "thread", "log", NULL };

/* `every` and `thread` are keywords before a number, `log` before a quote: elsewhere they may be
 * names of the program. */
static gboolean
is_option (const char *at, const char *keyword)
{
    const char *value = command_skip_spaces (at + strlen (keyword));

    if (strcmp (keyword, "if") == 0) {
        return TRUE;
    }
    return strcmp (keyword, "log") == 0 ? *value == '"' || *value == '\''
                                        : g_ascii_isdigit (*value);
}

static const char *
find_option (const char *text, const char *keyword)
{
    const char *at = command_find_outer_word (text, keyword);

    while (at != NULL && !is_option (at, keyword)) {
        at = command_find_outer_word (at + strlen (keyword), keyword);
    }
    return at;
}

/* Where the option that stands at `start` ends: at the next one, or at the end. */
static char *
take_option (const char *text, const char *keyword)
{
    const char *start = find_option (text, keyword), *end;

    if (start == NULL) {
        return NULL;
    }
    start += strlen (keyword);
    end = start + strlen (start);
    for (guint i = 0; keywords[i] != NULL; i++) {
        const char *next = strcmp (keywords[i], keyword) != 0 ? find_option (start, keywords[i])
                                                              : NULL;

        if (next != NULL && next < end) {
            end = next;
        }
    }
    return g_strstrip (g_strndup (start, (gsize) (end - start)));
}

static gboolean
fail_option (GError **error, const char *option)
{
    g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                 "break WHERE [if EXPR] [every N] [thread T] [log \"TEXT\"]: %s", option);
    return FALSE;
}

static gboolean
parse_options (JobRequest *request, const char *text, GError **error)
{
    g_autofree char *every = take_option (text, "every");
    g_autofree char *thread = take_option (text, "thread");
    g_autofree char *log = take_option (text, "log");
    const char *quoted = log;
    guint32 number;

    request->condition = take_option (text, "if");
    if (request->condition != NULL && *request->condition == '\0') {
        return fail_option (error, "if needs an expression");
    }
    if (every != NULL) {
        if (!command_parse_number (every, G_MAXINT32, &number) || number == 0) {
            return fail_option (error, "every needs a number from 1 on");
        }
        request->every = number;
    }
    if (thread != NULL && !command_parse_number (thread, G_MAXINT32, &request->thread)) {
        return fail_option (error, "thread needs a number");
    }
    if (quoted != NULL) {
        request->log = command_take_word (&quoted, "", error);
        return request->log != NULL;
    }
    return TRUE;
}

/* Brackets that are open at the word's end, or an operator whose type is to come. */
static gboolean
goes_on (const char *word)
{
    int depth = 0;

    if (strstr (word, "operator") != NULL) {
        return g_str_has_suffix (word, "operator");
    }
    for (; *word != '\0'; word++) {
        depth += (*word == '<' || *word == '(') - (*word == '>' || *word == ')');
    }
    return depth > 0;
}

/* Parameters of the name, or what stands behind them: "f (int)", "S::f() const". */
static gboolean
is_continued (const char *place, const char *text)
{
    static const char *const words[] = { "const", "volatile", "&&", "&" };

    text = command_skip_spaces (text);
    if (*text == '(') {
        return !g_ascii_isdigit (*place) && strchr (place, '(') == NULL;
    }
    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        gsize length = strlen (words[i]);

        if (strchr (place, '(') != NULL && g_str_has_prefix (text, words[i])
            && (text[length] == '\0' || g_ascii_isspace (text[length]))) {
            return TRUE;
        }
    }
    return FALSE;
}

/* A word, or more where they are a name with spaces in it: "f<int, char>", "T::operator int", "f(int, char)". */
static char *
take_place (const char **text, GError **error)
{
    char *place = command_take_word (text, "", error);

    while (place != NULL && *place != '*' && (goes_on (place) || is_continued (place, *text))
           && *command_skip_spaces (*text) != '\0') {
        g_autofree char *next = command_take_word (text, "", error);
        char *longer = next != NULL ? g_strconcat (place, " ", next, NULL) : NULL;

        g_free (place);
        place = longer;
    }
    return place;
}

static gboolean
parse_break (CommandJob *job, JobRequest *request, GError **error)
{
    const char *text = job->arguments;
    g_autofree char *place = NULL;

    /* "stop at 12" and "stop in f" leave only the place; "break at 12" is as good. */
    place = take_place (&text, error);
    if (place == NULL) {
        return error != NULL && *error != NULL ? FALSE
                                               : fail_option (error, "WHERE is missing");
    }
    text = command_skip_spaces (text);
    if (*text != '\0') {
        gboolean known = FALSE;

        for (guint i = 0; keywords[i] != NULL; i++) {
            known |= find_option (text, keywords[i]) == text;
        }
        if (!known) {
            g_autofree char *what = g_strdup_printf ("cannot read \"%s\"", text);

            return fail_option (error, what);
        }
    }
    return command_parse_where (job, place, &request->where, error)
           && parse_options (request, text, error);
}

/* Where the first option stands; the end of the text when there is none. */
static const char *
find_options (const char *text)
{
    const char *first = text + strlen (text);

    for (guint i = 0; keywords[i] != NULL; i++) {
        const char *at = find_option (text, keywords[i]);

        first = at != NULL && at < first ? at : first;
    }
    return first;
}

/* ---- *EXPR ---- */

/* Without the options behind it. NULL: there is none, or a plain number. Caller owns. */
static char *
dup_expression (const char *text)
{
    g_autofree char *place = g_strndup (text, (gsize) (find_options (text) - text));

    return command_dup_address_expression (place);
}

/* A name alone, which may be that of a function that is not there yet. */
static gboolean
is_name (const char *text)
{
    return (g_ascii_isalpha (*text) || *text == '_')
           && text[strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_:~<>,")] == '\0';
}

/* An address for each rank: those that agree get one breakpoint. Functions are left to their name, which is one in files
 * to come too. */
static void
on_addresses (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    g_autoptr (JobRankSet) functions = job_rank_set_new ();
    gboolean may_come = is_name (job->expression);
    GPtrArray *requests = command_take_addresses (job, may_come ? functions : NULL);

    if (!job_rank_set_is_empty (functions)) {
        JobRequest *request = job_request_dup (job->place);

        job_rank_set_free (request->ranks);
        request->ranks = g_steal_pointer (&functions);
        request->where.function = g_strdup (job->expression);
        g_ptr_array_add (requests, request);
    }
    command_job_print_answers (job, ok || may_come, missing);
    command_sort_by_rank (requests);
    for (guint i = 0; i < requests->len; i++) {
        ((JobRequest *) requests->pdata[i])->number
            = session_next_breakpoint_number (job->session);
    }
    command_job_submit_all (job, requests);
}

static void
break_at_expression (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    JobRequest *request;

    job->place = job_request_new (JOB_VERB_BREAK, job->set);
    if (!parse_options (job->place, find_options (job->arguments), &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    job->place->flags = strcmp (job->row->name, "tbreak") == 0 ? JOB_REQUEST_TEMPORARY : 0;
    job->place->where.kind = JOB_WHERE_ADDRESS;
    request = job_request_new (JOB_VERB_PRINT, job->set);
    request->text = g_strdup (job->expression);
    command_job_query (job, request, on_addresses);
}

/* ---- where ranks stand ---- */

static gboolean
is_among (const GPtrArray *places, const JobLocation *place)
{
    return place != NULL
           && BASE_HAS (places, const JobLocation, other,
                        other->line != 0 && other->line == place->line
                            && g_strcmp0 (other->file, place->file) == 0);
}

/* Those of its ranks that are stopped at the breakpoint's own line. Caller owns. */
static JobRankSet *
find_standing (Session *session, const SessionBreakpoint *breakpoint)
{
    JobRankSet *standing = job_rank_set_new ();

    JOB_EACH_RANK (breakpoint->ranks, rank) {
        const SessionRank now = session_get_rank (session, rank);

        if (now.is_there && job_state_get_info (now.state)->is_stopped
            && is_among (breakpoint->places, now.place)) {
            job_rank_set_add (standing, rank);
        }
    }
    return standing;
}

/* Whoever sets one where the rank stands and goes on does not stop there: main, at the first stop. */
static void
on_set (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (job->session, job->point);
    g_autoptr (JobRankSet) standing = breakpoint != NULL && breakpoint->log == NULL
                                          ? find_standing (job->session, breakpoint)
                                          : job_rank_set_new ();
    g_autofree char *ranks = job_rank_set_format (standing), *note = NULL;

    command_job_print_answers (job, ok, missing);
    if (!job->context->json && !job_rank_set_is_empty (standing)) {
        note = g_strdup_printf (
            job_rank_set_get_count (standing) == 1
                ? "%s: it stands there already: breakpoint %u stops it the next time it gets there"
                : "%s: they stand there already: breakpoint %u stops them the next time they get there",
            ranks, job->point);
        command_job_answer (job, standing, note);
    }
    command_job_end (job);
}

void
command_run_break (CommandJob *job)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_BREAK, job->set);
    g_autoptr (GError) error = NULL;

    job->expression = dup_expression (job->arguments);
    if (job->expression != NULL) {
        break_at_expression (job);
        return;
    }
    if (!parse_break (job, request, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    request->flags = strcmp (job->row->name, "tbreak") == 0 ? JOB_REQUEST_TEMPORARY : 0;
    job->point = request->number = session_next_breakpoint_number (job->session);
    command_job_query (job, g_steal_pointer (&request), on_set);
}

/* gdb takes -l and -location for the same. */
static void
spell_location (JobRequest *request)
{
    static const char *const words[] = { "-location", "-l" };

    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        gsize size = strlen (words[i]);

        if (g_str_has_prefix (request->text, words[i])
            && g_ascii_isspace (request->text[size])) {
            g_autofree char *text = request->text;

            request->text = g_strconcat ("-l ", command_skip_spaces (text + size), NULL);
            return;
        }
    }
}

void
command_run_catch (CommandJob *job)
{
    const char *options = find_options (job->arguments);
    g_autoptr (GError) error = NULL;
    JobRequest *request;

    if (options == job->arguments) {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
        command_job_end (job);
        return;
    }
    request = job_request_new (job->row->verb, job->set);
    request->text = g_strstrip (g_strndup (job->arguments, (gsize) (options - job->arguments)));
    if (request->verb == JOB_VERB_WATCH) {
        spell_location (request);
    }
    if (!parse_options (request, options, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        job_request_free (request);
        return;
    }
    request->flags = strcmp (job->row->name, "tcatch") == 0 ? JOB_REQUEST_TEMPORARY : 0;
    request->number = session_next_breakpoint_number (job->session);
    command_job_submit (job, request);
}

void
command_run_handle (CommandJob *job)
{
    static const char *const words[] = { "stop", "nostop", "print", "noprint",
                                         "pass", "nopass", NULL };
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_HANDLE, job->set);
    const char *text = job->arguments;
    g_auto (GStrv) list = NULL;

    request->text = command_take_word (&text, "", NULL);
    request->text2 = g_strstrip (g_strdup (text));
    list = g_strsplit_set (request->text2, " ,", -1);
    for (guint i = 0; list[i] != NULL; i++) {
        if (*list[i] != '\0' && !g_strv_contains (words, list[i])) {
            g_clear_pointer (&request->text, g_free);
        }
    }
    if (request->text == NULL || *request->text2 == '\0') {
        command_job_fail (job, NULL, "handle %s", job->row->usage);
        command_job_end (job);
        return;
    }
    command_job_submit (job, g_steal_pointer (&request));
}

/* Those of "N" and, as gdb has them, of "N-M" that are there. FALSE: none. */
static gboolean
add_numbers (CommandJob *job, const char *word, GArray *numbers)
{
    g_auto (GStrv) ends = g_strsplit (word, "-", 2);
    GPtrArray *all = session_get_breakpoints (job->session);
    guint before = numbers->len;
    guint32 first, last;

    if (!command_parse_number (ends[0], G_MAXINT32, &first)
        || !command_parse_number (ends[1] != NULL ? ends[1] : ends[0], G_MAXINT32, &last)) {
        return FALSE;
    }
    for (guint i = 0; i < all->len; i++) {
        guint32 number = ((SessionBreakpoint *) g_ptr_array_index (all, i))->number;

        if (number >= first && number <= last) {
            g_array_append_val (numbers, number);
        }
    }
    return numbers->len > before;
}

/* The numbers named, or all there are; NULL: the command has failed. */
static GArray *
list_numbers (CommandJob *job)
{
    g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_auto (GStrv) words = g_strsplit_set (job->arguments, " ,", -1);
    GPtrArray *all = session_get_breakpoints (job->session);
    gboolean names_all = *job->arguments == '\0' || strcmp (job->arguments, "all") == 0;
    guint32 number;

    for (guint i = 0; words[i] != NULL; i++) {
        if (*words[i] == '\0' || strcmp (words[i], "all") == 0) {
            continue;
        }
        if (!add_numbers (job, words[i], numbers)) {
            command_job_fail (job, NULL, "no breakpoint %s", words[i]);
            return NULL;
        }
    }
    for (guint i = 0; names_all && i < all->len; i++) {
        number = ((SessionBreakpoint *) g_ptr_array_index (all, i))->number;
        g_array_append_val (numbers, number);
    }
    return g_steal_pointer (&numbers);
}

/* Enabled where it was never set: set there too. NULL where there is nothing to do. */
static JobRequest *
make_extension (CommandJob *job, const SessionBreakpoint *breakpoint)
{
    g_autoptr (JobRankSet) fresh = job_rank_set_subtract (job->set, breakpoint->ranks);

    if (job->row->verb != JOB_VERB_ENABLE || job->parsed_set == NULL
        || job_rank_set_is_empty (fresh) || !g_str_equal (breakpoint->kind, "break")
        || breakpoint->where.kind == JOB_WHERE_NONE) {
        return NULL;
    }
    return session_breakpoint_make_request (breakpoint, fresh);
}

static JobRequest *
make_number_request (CommandJob *job, guint32 number)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (job->session, number);
    g_autoptr (JobRankSet) set = job_rank_set_intersect (job->set, breakpoint->ranks);
    JobRequest *request = job_request_new (job->row->verb,
                                           job->parsed_set != NULL ? set : breakpoint->ranks);

    request->number = number;
    return request;
}

void
command_run_number (CommandJob *job)
{
    g_autoptr (GArray) numbers = list_numbers (job);
    GPtrArray *requests = g_ptr_array_new ();

    for (guint i = 0; numbers != NULL && i < numbers->len; i++) {
        guint32 number = g_array_index (numbers, guint32, i);
        JobRequest *extension = make_extension (job,
                                                session_find_breakpoint (job->session, number));
        JobRequest *request = make_number_request (job, number);

        if (extension == NULL || !job_rank_set_is_empty (request->ranks)) {
            g_ptr_array_add (requests, g_steal_pointer (&request));
        }
        job_request_free (request);
        if (extension != NULL) {
            g_ptr_array_add (requests, extension);
        }
    }
    command_job_submit_all (job, requests);
}

gboolean
command_take_breakpoint (CommandJob *job, const char **text, guint32 *ret_number)
{
    g_autofree char *word = command_take_word (text, "", NULL);

    if (!command_parse_number (word, G_MAXINT32, ret_number)) {
        command_job_fail (job, NULL, "%s %s", job->row->name, job->row->usage);
    } else if (session_find_breakpoint (job->session, *ret_number) == NULL) {
        command_job_fail (job, NULL, "no breakpoint %u", *ret_number);
    } else {
        *text = command_skip_spaces (*text);
        return TRUE;
    }
    command_job_end (job);
    return FALSE;
}

/* Two words in a row are no expression: an option whose value is not what it needs. */
static gboolean
is_misspelt_option (const char *text, const char *keyword)
{
    const char *value = text + strlen (keyword);

    if (!g_str_has_prefix (text, keyword) || !g_ascii_isspace (*value)) {
        return FALSE;
    }
    value = command_skip_spaces (value);
    return !is_option (text, keyword) && (*value == '_' || g_ascii_isalnum (*value));
}

/* What is named is changed and the rest kept; with nothing named the condition goes, as in gdb. */
static gboolean
parse_modifiers (JobRequest *request, const char *text, GError **error)
{
    g_autofree char *every = take_option (text, "every"), *log = take_option (text, "log");
    const char *quoted = log, *end = text + strlen (text), *options[2] = { NULL };
    guint32 number;

    options[0] = find_option (text, "every");
    options[1] = find_option (text, "log");
    for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
        end = options[i] != NULL && options[i] < end ? options[i] : end;
    }
    if (is_misspelt_option (text, "every")
        || (every != NULL
            && (!command_parse_number (every, G_MAXINT32, &number) || number == 0))) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "every needs a number from 1 on");
        return FALSE;
    }
    if (is_misspelt_option (text, "log")) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "log needs a text in quotes");
        return FALSE;
    }
    if (end > text || (every == NULL && log == NULL)) {
        g_free (request->condition);
        request->condition = end > text ? g_strstrip (g_strndup (text, (gsize) (end - text)))
                                        : NULL;
    }
    request->every = every == NULL ? request->every : number > 1 ? number : 0;
    if (log != NULL) {
        g_free (request->log);
        request->log = command_take_word (&quoted, "", error);
        if (request->log != NULL && *request->log == '\0') {
            g_clear_pointer (&request->log, g_free);
            return TRUE;
        }
        return request->log != NULL;
    }
    return TRUE;
}

/* To change one of its condition, count and log, which it has all as they are. NULL: it cannot be for the job's set; the
 * job has ended. */
static JobRequest *
new_change (CommandJob *job, guint32 number)
{
    const SessionBreakpoint *breakpoint = session_find_breakpoint (job->session, number);
    JobRequest *request;

    if (job->parsed_set != NULL && !job_rank_set_is_subset (breakpoint->ranks, job->set)) {
        command_job_fail (
            job, NULL,
            "breakpoint %u has one condition for all of its ranks: leave out the set, or name all of them",
            number);
        command_job_end (job);
        return NULL;
    }
    request = job_request_new (JOB_VERB_CONDITION, breakpoint->ranks);
    request->number = number;
    request->condition = g_strdup (breakpoint->condition);
    request->log = g_strdup (breakpoint->log);
    request->every = breakpoint->every;
    return request;
}

void
command_run_condition (CommandJob *job)
{
    const char *text = job->arguments;
    g_autoptr (GError) error = NULL;
    JobRequest *request;
    guint32 number;

    if (!command_take_breakpoint (job, &text, &number)) {
        return;
    }
    if (g_str_has_prefix (text, "if") && g_ascii_isspace (text[2])) {
        text = command_skip_spaces (text + 2);
    }
    request = new_change (job, number);
    if (request == NULL) {
        return;
    }
    if (!parse_modifiers (request, text, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        job_request_free (request);
        command_job_end (job);
        return;
    }
    command_job_submit (job, request);
}

/* Counted from now on: the ranks begin to count anew when COUNT is another one. */
void
command_run_ignore (CommandJob *job)
{
    const char *text = job->arguments;
    JobRequest *request;
    guint32 number, count;

    if (!command_take_breakpoint (job, &text, &number)) {
        return;
    }
    if (!command_parse_number (text, G_MAXINT32 - 1, &count)) {
        command_job_fail (job, NULL, "ignore N COUNT: COUNT is a number of hits, not \"%s\"",
                          text);
        command_job_end (job);
        return;
    }
    request = new_change (job, number);
    if (request != NULL) {
        request->every = count > 0 ? JOB_EVERY_FROM | (count + 1) : 0;
        command_job_submit (job, request);
    }
}

static void
append_disabled (GString *line, const SessionBreakpoint *breakpoint)
{
    g_autofree char *ranks = job_rank_set_format (breakpoint->disabled);

    if (!session_breakpoint_is_enabled (breakpoint, NULL)) {
        g_string_append (line, ", disabled");
    } else if (*ranks != '\0') {
        g_string_append_printf (line, ", disabled on %s", ranks);
    }
}

static char *
format_breakpoint (CommandContext *context, const SessionBreakpoint *breakpoint)
{
    g_autofree char *head = command_format_breakpoint (context->session, breakpoint->ranks,
                                                       breakpoint->number, breakpoint->places,
                                                       NULL);
    GString *line = g_string_new (head);

    if (breakpoint->condition != NULL) {
        g_string_append_printf (line, ", if %s", breakpoint->condition);
    }
    if (breakpoint->every > 1) {
        g_string_append_printf (line, ", %s %" G_GUINT64_FORMAT,
                                (breakpoint->every & JOB_EVERY_FROM) != 0 ? "from hit"
                                                                          : "every",
                                breakpoint->every & ~JOB_EVERY_FROM);
    }
    if (breakpoint->thread > 0) {
        g_string_append_printf (line, ", thread %u", breakpoint->thread);
    }
    if (breakpoint->log != NULL) {
        g_string_append_printf (line, ", log \"%s\"", breakpoint->log);
    }
    g_string_append (line, breakpoint->temporary ? ", once" : "");
    append_disabled (line, breakpoint);
    if (breakpoint->hits > 0) {
        g_string_append_printf (line, ", hits %" G_GUINT64_FORMAT, breakpoint->hits);
    }
    command_hooks_describe (context, breakpoint->number, line);
    return g_string_free (line, FALSE);
}

void
command_run_show_breakpoints (CommandJob *job)
{
    g_autoptr (GArray) numbers = list_numbers (job);

    for (guint i = 0; numbers != NULL && i < numbers->len; i++) {
        const SessionBreakpoint *breakpoint
            = session_find_breakpoint (job->session, g_array_index (numbers, guint32, i));
        g_autofree char *line = format_breakpoint (job->context, breakpoint);

        command_job_answer (job, breakpoint->ranks, line);
    }
    command_job_end (job);
}
