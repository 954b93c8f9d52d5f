/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the problems of a run say to a user who does not read English. Most are sentences that stand in the code. Those with
 * arguments are noted here by their text, since it is texts that go from value to value. */
#include "base/error.h"
#include "evaluate/program-private.h"

char *
evaluate_run_say (EvaluateRun *run, JobText *said)
{
    char *text = job_text_print (BASE_TEXT_ENGLISH, said);

    if (run->said == NULL) {
        run->said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify) job_text_free);
    }
    g_hash_table_replace (run->said, g_strdup (text), said);
    return text;
}

char *
evaluate_run_say_error (EvaluateRun *run, const GError *error)
{
    /* Translators: the reason why a value is not known stands in its place. */
    JobText *said = job_text_new ("<%s>", error->message), *inner = job_text_new_error (error);

    if (inner != NULL) {
        job_text_nest (said, 0, inner);
    }
    return evaluate_run_say (run, said);
}

/* What a problem says, noted or a sentence for translators as it stands. Caller owns. */
static JobText *
dup_said (const EvaluateRun *run, const char *problem)
{
    const JobText *said = run->said != NULL ? g_hash_table_lookup (run->said, problem) : NULL;

    return said != NULL ? job_text_dup (said) : job_text_new_reason (problem);
}

void
evaluate_run_fail (const EvaluateRun *run, const char *problem, GError **error)
{
    g_autoptr (JobText) said = dup_said (run, problem);

    job_text_raise (said, BASE_ERROR_FAULT, error);
}

void
evaluate_run_clear (EvaluateRun *run)
{
    g_clear_pointer (&run->said, g_hash_table_unref);
}
