/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `list`: source lines of selected frames, of places and ranges, and on from what was shown last. */
#include "command/private.h"
#include "base/error.h"
#include "base/text.h"
#include <string.h>

#define MAX_LISTED 20 /* functions of one name */
#define LINES 10u

typedef struct {
    const JobLocation *place;
    JobRankSet *ranks;
} PlaceGroup;

BASE_FREE (free_group, PlaceGroup, group, job_rank_set_free (group->ranks))

static GPtrArray *
group_places (CommandJob *job)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);
    g_autoptr (GHashTable) by_place = g_hash_table_new (g_direct_hash, g_direct_equal);

    JOB_EACH_RANK (job->set, rank) {
        const JobLocation *place = session_selection_get_place (job->context->selection, rank);
        PlaceGroup *group = place != NULL ? g_hash_table_lookup (by_place, place) : NULL;

        if (place == NULL || place->file == NULL) {
            continue;
        }
        if (group == NULL) {
            group = g_new0 (PlaceGroup, 1);
            group->place = place;
            group->ranks = job_rank_set_new ();
            g_hash_table_insert (by_place, (gpointer) place, group);
            g_ptr_array_add (groups, group);
        }
        job_rank_set_add (group->ranks, rank);
    }
    return groups;
}

static void
list_places (CommandJob *job)
{
    g_autoptr (GPtrArray) groups = group_places (job);

    if (groups->len == 0) {
        command_job_fail (job, job->set, "the source line of the selected frame is not known");
    }
    BASE_EACH (groups, const PlaceGroup, group) {
        g_autofree char *ranks = job_rank_set_format (group->ranks);
        g_autofree char *place = session_format_place (BASE_TEXT_ENGLISH, job->session,
                                                       group->place);
        g_autofree char *head = g_strdup_printf ("%s: %s", ranks, place);

        command_add_listing (job, group->ranks, head, group->place->file, group->place->line, 0,
                             group->place->line);
    }
}

static void
list_line (CommandJob *job, const char *file, guint line)
{
    g_autofree char *name = session_dup_short_file (job->session, file);
    g_autofree char *head = g_strdup_printf ("%s:%u", name, line);
    const JobLocation *place = session_selection_get_place (job->context->selection,
                                                            job_rank_set_get_lowest (job->set));
    gboolean is_here = place != NULL && g_strcmp0 (place->file, file) == 0;

    command_add_listing (job, NULL, head, file, line, 0, is_here ? place->line : 0);
}

static gboolean
is_meant (const JobName *name, const JobWhere *where)
{
    return (name->score & ~(guint32) JOB_NAME_IS_LIBRARY) < JOB_NAME_PREFIX
           && name->file != NULL && name->line > 0
           && (where->file == NULL || job_where_match_file (where->file, name->file));
}

/* All that are named so, as a breakpoint would be set in all: those of libraries only when the program
 * has none. */
static void
on_functions (Session *session, const GPtrArray *names, gpointer user)
{
    CommandJob *job = user;
    JobWhere where = { 0 };
    gboolean has_own = FALSE;
    guint n_listed = 0;

    command_parse_where (job, job->arguments, &where, NULL);
    for (guint i = 0; i < names->len && !has_own; i++) {
        const JobName *name = g_ptr_array_index ((GPtrArray *) names, i);

        has_own = is_meant (name, &where) && !(name->score & JOB_NAME_IS_LIBRARY);
    }
    for (guint i = 0; i < names->len; i++) {
        const JobName *name = g_ptr_array_index ((GPtrArray *) names, i);

        if (is_meant (name, &where) && !(has_own && name->score & JOB_NAME_IS_LIBRARY)) {
            list_line (job, name->file, name->line);
            n_listed++;
        }
    }
    job_where_clear (&where);
    if (n_listed == 0) {
        command_job_fail (job, NULL, "the source of function \"%s\" is not known",
                          job->arguments);
    }
    command_end_listing (job);
}

/* A file that no rank has been seen in. */
static void
on_files (Session *session, const GPtrArray *names, gpointer user)
{
    CommandJob *job = user;
    JobWhere where = { 0 };
    const char *file = NULL;

    command_parse_where (job, job->arguments, &where, NULL);
    for (guint i = 0; i < names->len && file == NULL; i++) {
        const JobName *name = g_ptr_array_index ((GPtrArray *) names, i);

        file = job_where_match_file (where.file, name->name) ? name->name : NULL;
    }
    list_line (job, file != NULL ? file : where.file, where.line);
    job_where_clear (&where);
    command_end_listing (job);
}

/* A typed file may be the end of a path that the ranks know. */
static const char *
find_known_file (CommandJob *job, const char *file)
{
    for (guint32 rank = 0; rank < session_get_size (job->session); rank++) {
        const JobLocation *place = session_selection_get_place (job->context->selection, rank);

        if (place != NULL && place->file != NULL && job_where_match_file (file, place->file)) {
            return place->file;
        }
    }
    return NULL;
}

/* ---- list A,B ---- */

static gboolean
parse_end (CommandJob *job, const char *text, const char *file, JobWhere *ret_where,
           GError **error)
{
    guint32 line;

    if (file != NULL && command_parse_number (text, G_MAXINT32, &line)) {
        *ret_where
            = (JobWhere){ .kind = JOB_WHERE_LINE, .line = line, .file = g_strdup (file) };
        return TRUE;
    }
    if (!command_parse_where (job, text, ret_where, error)) {
        return FALSE;
    }
    if (ret_where->kind != JOB_WHERE_LINE) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "list A,B needs lines: LINE or FILE:LINE, not \"%s\"", text);
        return FALSE;
    }
    return TRUE;
}

static void
print_range (CommandJob *job, const char *file, guint32 first, guint32 last)
{
    const char *known = find_known_file (job, file);

    command_add_listing (job, NULL, file, known != NULL ? known : file, first, MAX (last, 1),
                         0);
}

/* FALSE: there is no comma. */
static gboolean
list_range (CommandJob *job)
{
    const char *comma = strchr (job->arguments, ',');
    g_autofree char *left = NULL, *right = NULL;
    g_autoptr (GError) error = NULL;
    JobWhere from = { 0 }, to = { 0 };

    if (comma == NULL) {
        return FALSE;
    }
    left = g_strstrip (g_strndup (job->arguments, (gsize) (comma - job->arguments)));
    right = g_strstrip (g_strdup (comma + 1));
    if (*left == '\0' && *right == '\0') {
        g_set_error (&error, BASE_ERROR, BASE_ERROR_INVALID,
                     "list A,B needs a line before or after the comma");
    } else if ((*left == '\0' || parse_end (job, left, NULL, &from, &error))
               && *right != '\0') {
        parse_end (job, right, from.file, &to, &error);
    }
    if (error == NULL && *left != '\0' && *right != '\0' && strcmp (from.file, to.file) != 0) {
        g_set_error (&error, BASE_ERROR, BASE_ERROR_INVALID,
                     "list A,B: both lines must be in the same file");
    } else if (error == NULL && *left != '\0' && *right != '\0' && to.line < from.line) {
        g_set_error (&error, BASE_ERROR, BASE_ERROR_INVALID,
                     "list A,B: line %u comes before line %u", to.line, from.line);
    }
    if (error != NULL) {
        command_job_fail (job, NULL, "%s", error->message);
    } else if (*left == '\0') {
        print_range (job, to.file, to.line >= LINES ? to.line - LINES + 1 : 1, to.line);
    } else {
        print_range (job, from.file, from.line,
                     *right != '\0' ? to.line : from.line + LINES - 1);
    }
    job_where_clear (&from);
    job_where_clear (&to);
    command_end_listing (job);
    return TRUE;
}

/* ---- on from what was shown ---- */

/* The ten lines behind those that were shown last, or before them. FALSE: nothing was. */
static gboolean
list_on (CommandJob *job, gboolean is_back)
{
    const GPtrArray *shown = command_get_shown (job);

    for (guint i = 0; shown != NULL && i < shown->len; i++) {
        const CommandShown *last = g_ptr_array_index ((GPtrArray *) shown, i);
        g_autofree char *file = session_dup_short_file (job->session, last->file);

        if (is_back && last->first <= 1) {
            command_job_fail (job, last->ranks, "nothing comes before line 1 of %s", file);
            continue;
        }
        command_add_listing (job, shown->len > 1 ? last->ranks : NULL, file, last->file,
                             !is_back              ? last->next
                             : last->first > LINES ? last->first - LINES
                                                   : 1,
                             is_back ? last->first - 1 : last->next + LINES - 1, 0);
    }
    return shown != NULL;
}

/* The ten lines before those of the frames. */
static void
list_before (CommandJob *job)
{
    g_autoptr (GPtrArray) groups = group_places (job);

    if (groups->len == 0) {
        command_job_fail (job, job->set, "the source line of the selected frame is not known");
    }
    BASE_EACH (groups, const PlaceGroup, group) {
        guint32 line = group->place->line;
        g_autofree char *file = session_dup_short_file (job->session, group->place->file);

        command_add_listing (job, groups->len > 1 ? group->ranks : NULL, file,
                             group->place->file, line > LINES ? line - LINES : 1,
                             MAX (line, 2) - 1, 0);
    }
}

/* ---- *EXPR ---- */

static void
on_place (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    for (guint i = job->answers->len; i > 0; i--) {
        const JobEvent *event = g_ptr_array_index (job->answers, i - 1);
        const GPtrArray *nodes = event->kind == JOB_EVENT_STACKS && event->tree != NULL
                                     ? event->tree->root->children
                                     : NULL;

        for (guint j = 0; nodes != NULL && j < nodes->len; j++) {
            const JobStackNode *node = g_ptr_array_index ((GPtrArray *) nodes, j);
            g_autofree char *ranks = job_rank_set_format (node->ranks);
            g_autofree char *address = base_text_format_address (job->place->where.address);
            g_autofree char *place = session_format_place (BASE_TEXT_ENGLISH, job->session,
                                                           &node->location);
            g_autofree char *head = g_strdup_printf ("%s: %s is in %s", ranks, address, place);

            if (node->location.file == NULL || node->location.line == 0) {
                command_job_fail (job, node->ranks, "no source line is known for %s", address);
            } else {
                command_add_listing (job, node->ranks, head, node->location.file,
                                     node->location.line, 0, 0);
            }
        }
        if (event->kind == JOB_EVENT_STACKS) {
            g_ptr_array_remove_index (job->answers, i - 1);
        }
    }
    command_job_print_answers (job, ok, missing);
    if (job->requests->len > 0) {
        job_request_free (job->place);
        job->place = g_ptr_array_steal_index (job->requests, 0);
        command_job_query (job, job_request_dup (job->place), on_place);
    } else {
        command_end_listing (job);
    }
}

static void
list_at (CommandJob *job, GPtrArray *requests)
{
    g_clear_pointer (&job->requests, g_ptr_array_unref);
    job->requests = requests;
    if (requests->len == 0) {
        command_job_end (job);
        return;
    }
    job_request_free (job->place);
    job->place = g_ptr_array_steal_index (requests, 0);
    command_job_query (job, job_request_dup (job->place), on_place);
}

static gboolean
list_expression (CommandJob *job)
{
    JobRequest *request;

    if (*job->arguments != '*') {
        return FALSE;
    }
    request = job_request_new (JOB_VERB_INFO, job->set);
    request->text = g_strdup ("place");
    command_resolve_place (job, job->arguments, request, list_at);
    return TRUE;
}

void
command_run_list (CommandJob *job)
{
    g_autoptr (GError) error = NULL;
    gboolean is_back = strcmp (job->arguments, "-") == 0;
    JobWhere where = { 0 };

    if (*job->arguments == '\0' || is_back || strcmp (job->arguments, "+") == 0) {
        if (list_on (job, is_back)) {
            ;
        } else if (is_back) {
            list_before (job);
        } else {
            list_places (job);
        }
        command_end_listing (job);
        return;
    }
    if (list_expression (job) || list_range (job)) {
        return;
    }
    if (!command_parse_where (job, job->arguments, &where, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
    } else if (where.kind == JOB_WHERE_FUNCTION) {
        session_find_names (job->session, job->set, where.function, JOB_NAME_FUNCTION,
                            MAX_LISTED, on_functions, job);
        job_where_clear (&where);
        return;
    } else if (where.kind != JOB_WHERE_LINE) {
        command_job_fail (job, NULL,
                          "list needs FILE:LINE, LINE, FUNCTION or *EXPR, not \"%s\"",
                          job->arguments);
    } else if (find_known_file (job, where.file) == NULL) {
        session_find_names (job->session, job->set, where.file, JOB_NAME_FILE, MAX_LISTED,
                            on_files, job);
        job_where_clear (&where);
        return;
    } else {
        list_line (job, find_known_file (job, where.file), where.line);
    }
    job_where_clear (&where);
    command_end_listing (job);
}
