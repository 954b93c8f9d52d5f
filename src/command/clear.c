/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clear [WHERE]`: deletes breakpoints by where they are instead of by number. */
#include "command/private.h"
#include <string.h>

static gboolean
is_same_address (const JobWhere *a, const JobWhere *b)
{
    return a->kind == JOB_WHERE_ADDRESS && b->kind == JOB_WHERE_ADDRESS
           && a->address == b->address && g_strcmp0 (a->function, b->function) == 0;
}

/* Whether it was set at that function. */
static gboolean
is_at_function (const SessionBreakpoint *breakpoint, const JobWhere *where)
{
    gboolean found = FALSE;

    if (breakpoint->where.kind != JOB_WHERE_FUNCTION) {
        return FALSE;
    }
    BASE_EACH (breakpoint->places, const JobLocation, place) {
        found |= place->function != NULL
                 && job_where_match_function (where->function, place->function)
                 && (where->file == NULL
                     || (place->file != NULL
                         && job_where_match_file (where->file, place->file)));
    }
    return found
           || (strcmp (breakpoint->where.function, where->function) == 0
               && g_strcmp0 (breakpoint->where.file, where->file) == 0);
}

/* Also one that waits for its line, or has moved from there to the next one with code. */
static gboolean
is_at_line (const SessionBreakpoint *breakpoint, const char *file, guint32 line)
{
    const JobWhere *where = &breakpoint->where;

    return BASE_HAS (breakpoint->places, const JobLocation, place,
                     place->line == line && place->file != NULL
                         && job_where_match_file (file, place->file))
           || (where->kind == JOB_WHERE_LINE && where->line == line
               && (job_where_match_file (where->file, file)
                   || job_where_match_file (file, where->file)));
}

static gboolean
is_at (const SessionBreakpoint *breakpoint, const JobWhere *where)
{
    switch (where->kind) {
    case JOB_WHERE_LINE: return is_at_line (breakpoint, where->file, where->line);
    case JOB_WHERE_FUNCTION: return is_at_function (breakpoint, where);
    default: return is_same_address (&breakpoint->where, where);
    }
}

/* Whether one of its ranks has the line of its selected frame there. */
static gboolean
is_at_selected (CommandJob *job, const SessionBreakpoint *breakpoint)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_intersect (job->set, breakpoint->ranks);

    JOB_EACH_RANK (ranks, rank) {
        const JobLocation *place = session_selection_get_place (job->context->selection, rank);

        if (place != NULL && place->file != NULL && place->line > 0
            && is_at_line (breakpoint, place->file, place->line)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Without a set, in all of its ranks, as delete does. NULL: it is in none of the set. */
static JobRequest *
make_delete (CommandJob *job, const SessionBreakpoint *breakpoint)
{
    g_autoptr (JobRankSet) ranks = job->parsed_set != NULL
                                       ? job_rank_set_intersect (job->set, breakpoint->ranks)
                                       : job_rank_set_dup (breakpoint->ranks);
    JobRequest *request = NULL;

    if (!job_rank_set_is_empty (ranks)) {
        request = job_request_new (JOB_VERB_DELETE, ranks);
        request->number = breakpoint->number;
    }
    return request;
}

static GPtrArray *
make_requests (CommandJob *job, const JobWhere *where)
{
    GPtrArray *all = session_get_breakpoints (job->session);
    GPtrArray *requests = g_ptr_array_new ();

    BASE_EACH (all, const SessionBreakpoint, breakpoint) {
        gboolean is_meant = strcmp (breakpoint->kind, "break") == 0
                            && (where->kind != JOB_WHERE_NONE
                                    ? is_at (breakpoint, where)
                                    : is_at_selected (job, breakpoint));
        JobRequest *request = is_meant ? make_delete (job, breakpoint) : NULL;

        if (request != NULL) {
            g_ptr_array_add (requests, request);
        }
    }
    return requests;
}

static void on_deleted (CommandJob *job, gboolean ok, const JobRankSet *missing);

static void
delete_next (CommandJob *job)
{
    JobRequest *request = job->requests->len > 0 ? g_ptr_array_steal_index (job->requests, 0)
                                                 : NULL;

    if (request == NULL) {
        command_job_end (job);
        return;
    }
    job->point = request->number;
    g_clear_pointer (&job->expression, g_free);
    job->expression = job_rank_set_format (request->ranks);
    command_job_query (job, request, on_deleted);
}

/* Which one it was, as the user has named none. */
static void
on_deleted (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    g_autofree char *text = g_strdup_printf ("%s%sbreakpoint %u deleted",
                                             job->context->json ? "" : job->expression,
                                             job->context->json ? "" : ": ", job->point);
    g_autoptr (JobRankSet) ranks = job_rank_set_parse (job->expression, G_MAXUINT32, NULL);

    command_job_print_answers (job, ok, missing);
    if (ok) {
        command_job_answer (job, ranks, text);
    }
    delete_next (job);
}

void
command_run_clear (CommandJob *job)
{
    JobWhere where = { 0 };
    g_autoptr (GError) error = NULL;
    GPtrArray *requests;

    if (*job->arguments != '\0' && !command_parse_where (job, job->arguments, &where, &error)) {
        command_job_fail (job, NULL, "%s", error->message);
        command_job_end (job);
        return;
    }
    requests = make_requests (job, &where);
    job_where_clear (&where);
    if (requests->len == 0) {
        command_job_fail (job, NULL,
                          *job->arguments != '\0'
                              ? "no breakpoint at %s"
                              : "no breakpoint at the selected frame's line",
                          job->arguments);
    }
    g_ptr_array_set_free_func (requests, (GDestroyNotify) job_request_free);
    job->requests = requests;
    delete_next (job);
}
