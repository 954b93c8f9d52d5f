/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `why`: a sentence for each fault of the session's verdict, and fields for scripts. */
#include "command/private.h"

char *
command_format_verdict (CommandContext *context, guint64 request,
                        const AnalysisVerdict *verdict)
{
    if (context->record != NULL && verdict->kind != ANALYSIS_VERDICT_COMPUTING
        && verdict->kind != ANALYSIS_VERDICT_FREE) {
        command_record_take_finding (context->record, verdict->text->english);
    }
    return context->json ? command_json_format_verdict (request, verdict)
                         : g_strdup (verdict->text->english);
}

void
command_write_verdict (CommandContext *context, guint64 request, const AnalysisVerdict *verdict,
                       CommandOutKind kind)
{
    g_autofree char *line = command_format_verdict (context, request, verdict);

    command_context_write (context, kind, line);
}

/* Has it just been printed, without being asked for? */
static gboolean
is_announced (const CommandContext *context, const AnalysisVerdict *fault)
{
    g_auto (GStrv) lines = context->announced != NULL ? g_strsplit (context->announced, "\n", 0)
                                                      : NULL;

    return lines != NULL && g_strv_contains ((const char *const *) lines, fault->text->english);
}

/* What was announced still holds: that is all there is to say of it, once. */
static void
write_rest (CommandContext *context, guint64 request, const AnalysisVerdict *verdict)
{
    g_autoptr (JobRankSet) known = job_rank_set_new ();

    for (const AnalysisVerdict *fault = verdict; fault != NULL; fault = fault->next) {
        if (is_announced (context, fault)) {
            job_rank_set_merge (known, fault->waiting);
            job_rank_set_merge (known, fault->culprits);
        }
    }
    if (!job_rank_set_is_empty (known)) {
        g_autofree char *who = job_rank_set_format (known);
        g_autofree char *line = g_strdup_printf ("still as reported above (%s)", who);

        command_context_write (context, COMMAND_OUT_ANSWER, line);
    }
    for (const AnalysisVerdict *fault = verdict; fault != NULL; fault = fault->next) {
        if (!is_announced (context, fault)) {
            command_write_verdict (context, request, fault, COMMAND_OUT_ANSWER);
        }
    }
}

static void
on_verdict (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
            const JobMessageTable *table, gpointer user)
{
    CommandJob *job = user;

    write_rest (job->context, command_job_get_number (job), verdict);
    g_clear_pointer (&job->context->announced, g_free);
    if (!job_rank_set_is_empty (missing)) {
        job->missing = job_rank_set_dup (missing);
        command_job_fail_missing (job, missing);
    }
    command_job_end (job);
}

void
command_run_why (CommandJob *job)
{
    if (*job->arguments != '\0') {
        command_job_fail (job, NULL,
                          "why takes no argument; to ask for some ranks, use on SET why");
        command_job_end (job);
        return;
    }
    job->request = session_get_next_request (job->session);
    job->number = job->request;
    session_why (job->session, job->set, SESSION_LOOK_OPEN, on_verdict, job);
}
