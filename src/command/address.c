/* SPDX-License-Identifier: GPL-3.0-or-later */
/* *EXPR where commands take WHERE: the ranks say what it is, and those that agree share a request. */
#include "command/private.h"
#include <string.h>

char *
command_dup_address_expression (const char *text)
{
    g_autofree char *expression
        = g_strstrip (g_strdup (*text == '*' ? command_skip_spaces (text + 1) : ""));
    gboolean is_number = g_ascii_isdigit (*expression) && strpbrk (expression, "+-*/(") == NULL;

    return *expression != '\0' && !is_number ? g_steal_pointer (&expression) : NULL;
}

static void
add_ranks (CommandJob *job, GPtrArray *requests, guint64 address, const JobRankSet *ranks)
{
    JobRequest *request;

    for (guint i = 0; i < requests->len; i++) {
        request = g_ptr_array_index (requests, i);
        if (request->where.address == address) {
            job_rank_set_merge (request->ranks, ranks);
            return;
        }
    }
    request = job_request_dup (job->place);
    request->where = (JobWhere){ .kind = JOB_WHERE_ADDRESS, .address = address };
    job_rank_set_free (request->ranks);
    request->ranks = job_rank_set_dup (ranks);
    g_ptr_array_add (requests, request);
}

static void
add_groups (CommandJob *job, GPtrArray *requests, const JobValueTable *table,
            JobRankSet *functions)
{
    BASE_EACH (table->rows, const JobValueRow, row) {
        BASE_EACH (row->groups, const JobValueGroup, group) {
            const char *text = group->value->text != NULL ? group->value->text : "";
            guint64 address;

            if (functions != NULL && *text == '{' && strstr (text, "} 0x") != NULL) {
                job_rank_set_merge (functions, group->ranks);
            } else if (group->value->is_problem
                       || !command_find_address (group->value, &address)) {
                command_job_fail (job, group->ranks, "%s is not an address",
                                  *text != '\0' ? text : "this");
            } else {
                add_ranks (job, requests, address, group->ranks);
            }
        }
    }
}

BASE_ORDER_POINTERS (compare_lowest, JobRequest,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

void
command_sort_by_rank (GPtrArray *requests)
{
    g_ptr_array_sort (requests, compare_lowest);
}

GPtrArray *
command_take_addresses (CommandJob *job, JobRankSet *functions)
{
    GPtrArray *requests = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);

    for (guint i = job->answers->len; i > 0; i--) {
        const JobEvent *event = g_ptr_array_index (job->answers, i - 1);

        if (event->kind == JOB_EVENT_VALUES && event->table != NULL) {
            add_groups (job, requests, event->table, functions);
        } else if (event->kind == JOB_EVENT_FAILURE && functions != NULL) {
            job_rank_set_merge (functions, event->ranks);
        } else {
            continue;
        }
        g_ptr_array_remove_index (job->answers, i - 1);
    }
    return requests;
}

static void
on_addresses (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    GPtrArray *requests = command_take_addresses (job, NULL);

    command_job_print_answers (job, ok, missing);
    command_sort_by_rank (requests);
    job->use_places (job, requests);
}

void
command_resolve_place (CommandJob *job, const char *text, JobRequest *request,
                       void (*use) (CommandJob *job, GPtrArray *requests))
{
    g_autofree char *expression = command_dup_address_expression (text);
    g_autoptr (GError) error = NULL;
    JobRequest *question;

    if (expression == NULL) {
        GPtrArray *requests
            = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);

        if (job_where_parse (text, &request->where, &error)) {
            g_ptr_array_add (requests, request);
        } else {
            command_job_fail (job, NULL, "%s", error->message);
            job_request_free (request);
        }
        use (job, requests);
        return;
    }
    job->place = request;
    job->use_places = use;
    question = job_request_new (JOB_VERB_PRINT, job->set);
    question->text = g_steal_pointer (&expression);
    command_job_query (job, question, on_addresses);
}
