/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was kept of a session, as a page. */
#include "command/private.h"
#include "command/record-private.h"

#define MAX_COURSES 256u /* sets of ranks with the same states over time */
#define MAX_ROWS 64u     /* of them that are drawn */
#define MAX_CHANGES 200u /* that are listed */
#define MAX_OUTPUTS 256u /* different ones that are shown */

static void add_text (ProfilePage *page, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_text (ProfilePage *page, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list arguments;

    va_start (arguments, format);
    text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    profile_page_add_text (page, text, FALSE);
}

/* "rank 3", "ranks 0-2,7". Caller owns. */
static char *
format_ranks (const JobRankSet *set)
{
    g_autofree char *ranks = job_rank_set_format (set);

    return g_strdup_printf ("%s %s", job_rank_set_get_count (set) == 1 ? "rank" : "ranks",
                            ranks);
}

/* ---- the head ---- */

static void
add_cards (ProfilePage *page, const CommandRecord *record)
{
    static const ProfileColumn columns[] = {
        { "Ranks", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Time", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Stops", NULL, PROFILE_COLUMN_NUMBER, NULL },
        { "Ranks that crashed or failed", NULL, PROFILE_COLUMN_NUMBER, NULL },
    };

    profile_page_begin_table (page, PROFILE_TABLE_CARDS, columns, G_N_ELEMENTS (columns));
    profile_page_add_count (page, session_get_size (record->session));
    profile_page_add_number (page, record->end_s, 2);
    profile_page_add_count (page, record->n_stops);
    profile_page_add_count (page, job_rank_set_get_count (record->crashed));
}

static void
add_facts (ProfilePage *page, const CommandRecord *record, const char *command)
{
    static const ProfileColumn columns[] = {
        { "Command", NULL, PROFILE_COLUMN_CODE, NULL },
        { "Started", NULL, PROFILE_COLUMN_TEXT, NULL },
        { "Host of pddt", NULL, PROFILE_COLUMN_TEXT, NULL },
        { "pddt", NULL, PROFILE_COLUMN_TEXT, NULL },
    };

    profile_page_begin_table (page, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    profile_page_add_cell (page, command != NULL ? command : "pddt did not start it");
    profile_page_add_cell (page, record->begun);
    profile_page_add_cell (page, g_get_host_name ());
    profile_page_add_cell (page, record->version);
}

/* ---- states over time ---- */

static const char *
get_colour (JobState state)
{
    const JobStateInfo *info = job_state_get_info (state);

    switch (state) {
    case JOB_STATE_BLOCKED: return "#c9a227";
    case JOB_STATE_EXCEPTION:
    case JOB_STATE_SIGNAL: return "#e03131";
    case JOB_STATE_FAILED: return "#8f1f1f";
    case JOB_STATE_LOST: return "#8e4ec6";
    case JOB_STATE_EXITED: return "#868e96";
    case JOB_STATE_BREAKPOINT: return "#f08c1a";
    default: return info->is_moving ? "#2f9e44" : "#f2c14e";
    }
}

/* Splits off the ranks of each course that are in the set. FALSE: there are too many. */
static gboolean
split_courses (GPtrArray *courses, const JobRankSet *ranks)
{
    guint n = courses->len;

    for (guint i = 0; i < n; i++) {
        JobRankSet *course = g_ptr_array_index (courses, i);
        g_autoptr (JobRankSet) inside = job_rank_set_intersect (course, ranks);

        if (!job_rank_set_is_empty (inside)
            && job_rank_set_get_count (inside) < job_rank_set_get_count (course)) {
            courses->pdata[i] = job_rank_set_subtract (course, inside);
            job_rank_set_free (course);
            g_ptr_array_add (courses, g_steal_pointer (&inside));
        }
    }
    return courses->len <= MAX_COURSES;
}

static int
compare_courses (gconstpointer a, gconstpointer b)
{
    guint32 left = job_rank_set_get_lowest (*(JobRankSet *const *) a);
    guint32 right = job_rank_set_get_lowest (*(JobRankSet *const *) b);

    return left < right ? -1 : left > right;
}

static void
draw_course (ProfilePage *page, const CommandRecord *record, const JobRankSet *course)
{
    guint32 rank = job_rank_set_get_lowest (course);
    g_autofree char *label = job_rank_set_format (course);
    const CommandChange *before = NULL;

    profile_page_begin_row (page, label);
    for (guint i = 0; i <= record->changes->len; i++) {
        const CommandChange *change = i < record->changes->len
                                          ? &g_array_index (record->changes, CommandChange, i)
                                          : NULL;

        if (change != NULL
            && (!job_rank_set_contains (change->ranks, rank)
                || (before != NULL && before->state == change->state))) {
            continue;
        }
        if (before != NULL) {
            profile_page_add_span (page, before->at_s,
                                   change != NULL ? change->at_s : record->end_s,
                                   job_state_get_info (before->state)->word,
                                   get_colour (before->state));
        }
        before = change;
    }
}

static void
list_changes (ProfilePage *page, const CommandRecord *record)
{
    static const ProfileColumn columns[] = {
        { "After", "s", PROFILE_COLUMN_NUMBER, NULL },
        { "Ranks", NULL, PROFILE_COLUMN_TEXT, NULL },
        { "State", NULL, PROFILE_COLUMN_TEXT, NULL },
    };

    if (record->changes->len == 0) {
        return;
    }
    profile_page_begin_table (page, PROFILE_TABLE_PLAIN, columns, G_N_ELEMENTS (columns));
    for (guint i = 0; i < MIN (record->changes->len, MAX_CHANGES); i++) {
        const CommandChange *change = &g_array_index (record->changes, CommandChange, i);
        g_autofree char *ranks = job_rank_set_format (change->ranks);

        profile_page_add_number (page, change->at_s, 3);
        profile_page_add_cell (page, ranks);
        profile_page_add_cell (page, job_state_get_info (change->state)->word);
    }
    if (record->n_changes > MAX_CHANGES) {
        add_text (page, "The states changed %u times; the first %u changes are listed.",
                  record->n_changes, MAX_CHANGES);
    }
}

static void
add_states (ProfilePage *page, const CommandRecord *record)
{
    g_autoptr (GPtrArray) courses
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_rank_set_free);
    gboolean is_drawn = TRUE;

    profile_page_begin_section (page, "States over time");
    g_ptr_array_add (courses, session_dup_all (record->session));
    for (guint i = 0; i < record->changes->len && is_drawn; i++) {
        is_drawn = split_courses (courses,
                                  g_array_index (record->changes, CommandChange, i).ranks);
    }
    if (is_drawn && session_get_size (record->session) > 0) {
        g_ptr_array_sort (courses, compare_courses);
        profile_page_begin_timeline (page, record->end_s);
        for (guint i = 0; i < MIN (courses->len, MAX_ROWS); i++) {
            draw_course (page, record, g_ptr_array_index (courses, i));
        }
        if (courses->len > MAX_ROWS) {
            add_text (page, "%u more groups of ranks are not drawn.", courses->len - MAX_ROWS);
        }
    } else if (!is_drawn) {
        add_text (page, "The ranks' states are too different to be drawn.");
    }
    if (record->n_changes > record->changes->len) {
        add_text (page, "Only the first %u of %u changes are drawn.", record->changes->len,
                  record->n_changes);
    }
    list_changes (page, record);
    if (record->states != NULL && *record->states != '\0') {
        add_text (page, "At the end:");
        profile_page_add_lines (page, record->states);
    }
}

/* ---- stops ---- */

BASE_ORDER_POINTERS (compare_ranks, JobEvent,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

/* Equal answers of many ranks are one, as on the terminal. */
static void
add_answers (ProfilePage *page, const CommandRecord *record, const char *title,
             GPtrArray *answers)
{
    GString *lines = g_string_new (NULL);

    job_event_list_merge (answers);
    g_ptr_array_sort (answers, compare_ranks);
    for (guint i = 0; i < answers->len; i++) {
        g_autofree char *text = command_format_event (record->session,
                                                      g_ptr_array_index (answers, i), NULL);

        if (text != NULL && *text != '\0') {
            g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "", text);
        }
    }
    if (lines->len > 0) {
        profile_page_add_text (page, title, FALSE);
        profile_page_add_lines (page, lines->str);
    }
    g_string_free (lines, TRUE);
}

static void
add_stop (ProfilePage *page, const CommandRecord *record, const CommandStop *stop, guint number)
{
    g_autofree char *ranks = format_ranks (stop->ranks);
    g_autofree char *title = g_strdup_printf ("Stop %u, after %.2f s: %s", number, stop->at_s,
                                              ranks);

    profile_page_begin_section (page, title);
    profile_page_add_lines (page, stop->lines);
    add_answers (page, record, "Stacks:", stop->stacks);
    add_answers (page, record, "Arguments and local variables:", stop->values);
    if (stop->stacks->len == 0) {
        add_text (page, "The ranks did not report their stacks.");
    }
}

static void
add_stops (ProfilePage *page, const CommandRecord *record)
{
    for (guint i = 0; i < record->stops->len; i++) {
        add_stop (page, record, g_ptr_array_index (record->stops, i), i + 1);
    }
    if (record->n_stops > record->stops->len) {
        profile_page_begin_section (page, "Further stops");
        add_text (page, "The ranks stopped %u times; the first %u are shown.", record->n_stops,
                  record->stops->len);
    }
}

static void
add_last (ProfilePage *page, const CommandRecord *record)
{
    const CommandStop *last = record->last;
    g_autofree char *ranks = last != NULL ? format_ranks (last->ranks) : NULL;
    g_autofree char *title = NULL;

    if (last == NULL) {
        return;
    }
    title = g_strdup_printf ("Still running at the end: %s", ranks);
    profile_page_begin_section (page, title);
    add_answers (page, record, "Where they were:", last->stacks);
    if (last->stacks->len == 0) {
        add_text (page, "The ranks did not report their stacks.");
    }
}

/* ---- output ---- */

typedef struct {
    char *text;
    JobRankSet *ranks; /* NULL: nobody's */
} Output;

BASE_FREE (free_output, Output, output, g_free (output->text);
           job_rank_set_free (output->ranks))

static int
compare_outputs (gconstpointer a, gconstpointer b)
{
    const Output *left = *(Output *const *) a, *right = *(Output *const *) b;

    if (left->ranks == NULL || right->ranks == NULL) {
        return (left->ranks == NULL) - (right->ranks == NULL);
    }
    return job_rank_set_get_lowest (left->ranks) < job_rank_set_get_lowest (right->ranks) ? -1
                                                                                          : 1;
}

/* Ranks that wrote the same share one. */
static GPtrArray *
collect_outputs (const CommandRecord *record)
{
    GPtrArray *outputs = g_ptr_array_new_with_free_func (free_output);
    g_autoptr (GHashTable) by_text = g_hash_table_new (g_str_hash, g_str_equal);
    gpointer key, value;

    BASE_WALK (record->outputs, &key, &value) {
        guint32 rank = GPOINTER_TO_UINT (key);
        g_autofree char *text = command_kept_format (value);
        Output *output = rank != G_MAXUINT32 ? g_hash_table_lookup (by_text, text) : NULL;

        if (output == NULL) {
            output = g_new0 (Output, 1);
            output->text = g_steal_pointer (&text);
            g_ptr_array_add (outputs, output);
        }
        if (rank != G_MAXUINT32) {
            output->ranks = output->ranks != NULL ? output->ranks : job_rank_set_new ();
            job_rank_set_add (output->ranks, rank);
            g_hash_table_insert (by_text, output->text, output);
        }
    }
    g_ptr_array_sort (outputs, compare_outputs);
    return outputs;
}

static void
add_outputs (ProfilePage *page, const CommandRecord *record)
{
    g_autoptr (GPtrArray) outputs = collect_outputs (record);

    profile_page_begin_section (page, "Output");
    if (outputs->len == 0) {
        add_text (page, "The program wrote nothing.");
    }
    for (guint i = 0; i < MIN (outputs->len, MAX_OUTPUTS); i++) {
        const Output *output = g_ptr_array_index (outputs, i);
        g_autofree char *ranks = output->ranks != NULL ? format_ranks (output->ranks) : NULL;

        if (ranks != NULL) {
            add_text (page, "From %s:", ranks);
        } else {
            add_text (page, "From the launcher, or from a rank that is not known:");
        }
        profile_page_add_lines (page, output->text);
    }
    if (outputs->len > MAX_OUTPUTS) {
        add_text (page, "%u more ranks or groups of ranks wrote something else.",
                  outputs->len - MAX_OUTPUTS);
    }
}

ProfilePage *
command_record_make_page (const CommandRecord *record)
{
    g_autofree char *command = command_format_argv (record->session);
    g_autofree char *title = command != NULL ? g_strdup_printf ("Debugging %s", command)
                                             : g_strdup ("Debugging session");
    g_autofree char *lines = command_kept_format (record->lines);
    ProfilePage *page = profile_page_new (title);

    add_cards (page, record);
    for (guint i = 0; i < record->findings->len; i++) {
        profile_page_add_text (page, g_ptr_array_index (record->findings, i), TRUE);
    }
    add_facts (page, record, command);
    add_states (page, record);
    add_last (page, record);
    add_stops (page, record);
    profile_page_begin_section (page, "Commands and answers");
    profile_page_add_lines (page, lines);
    add_outputs (page, record);
    return page;
}
