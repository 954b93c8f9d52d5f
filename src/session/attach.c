/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session without a launcher of its own: processes that run already are attached to, core files
 * are opened. Which of them could not be had comes as events. */
#include "session/private.h"
#include "base/error.h"
#include "launch/hand-over.h"
#include <string.h>

gboolean
session_is_detached_text (const char *text)
{
    return g_strcmp0 (text, "detached") == 0;
}

gboolean
session_is_detached (const Session *session, guint32 rank)
{
    return rank < session->size && session->states[rank] == JOB_STATE_LOST
           && session_is_detached_text (session_ranks_get_fact (session, rank)->text);
}

static GPtrArray *
find_targets (const SessionOptions *options, char **ret_elsewhere, GError **error)
{
    guint64 launcher;

    if (options->cores != NULL) {
        return launch_targets_from_cores (options->cores, error);
    }
    if (options->attach != NULL) {
        return launch_targets_parse (options->attach, error);
    }
    if (!g_ascii_string_to_unsigned (options->attach_job, 10, 1, G_MAXINT32, &launcher, NULL)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "cannot attach to the job of \"%s\": no process number", options->attach_job);
        return NULL;
    }
    return launch_targets_find ((pid_t) launcher, ret_elsewhere, error);
}

/* Leaves those that are wanted. */
static gboolean
keep_ranks (GPtrArray *targets, const char *text, GError **error)
{
    g_autoptr (JobRankSet) wanted = job_rank_set_parse (text, G_MAXUINT32, error);

    if (wanted == NULL) {
        return FALSE;
    }
    for (guint i = targets->len; i > 0; i--) {
        if (!job_rank_set_contains (wanted, ((LaunchTarget *) targets->pdata[i - 1])->rank)) {
            g_ptr_array_remove_index (targets, i - 1);
        }
    }
    if (targets->len == 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                     "cannot attach to ranks %s: none of them is on this host", text);
    }
    return targets->len > 0;
}

typedef struct {
    Session *session;
    char *text;
} Remark;

static gboolean
say_remark (gpointer data)
{
    Remark *remark = data;

    session_say (remark->session, 1, "%s", remark->text);
    return G_SOURCE_REMOVE;
}

static void
free_remark (gpointer data)
{
    Remark *remark = data;

    g_object_unref (remark->session);
    g_free (remark->text);
    g_free (remark);
}

/* Later, as nobody listens yet. */
static void
begin_remark (Session *session, const char *elsewhere)
{
    Remark *remark = g_new0 (Remark, 1);

    remark->session = g_object_ref (session);
    remark->text = g_strdup_printf ("ranks on other hosts are left alone: %s", elsewhere);
    g_idle_add_full (G_PRIORITY_DEFAULT, say_remark, remark, free_remark);
}

gboolean
session_attach_start (Session *session, const SessionOptions *options, GError **error)
{
    g_autofree char *elsewhere = NULL;
    g_autoptr (GPtrArray) targets = find_targets (options, &elsewhere, error);

    if (targets == NULL
        || (options->attach_ranks != NULL && !keep_ranks (targets, options->attach_ranks, error))
        || !session_life_open_net (session, error)) {
        return FALSE;
    }
    session->is_attached = session->keep = TRUE;
    session->n_wanted = targets->len;
    if (!launch_hand_over_send_targets (session->launch_session->directory, targets, error)) {
        return FALSE;
    }
    if (elsewhere != NULL) {
        begin_remark (session, elsewhere);
    }
    return TRUE;
}

void
session_attach_apply_refusal (Session *session, const JobEvent *event)
{
    if (!session->is_attached) {
        if (session->failure == NULL) {
            session_fail (session, "%s", event->text);
        }
        return;
    }
    session->n_refused++;
    if (session->n_refused < session->n_wanted) {
        session_say (session, 2, "%s", event->text);
        session_life_check_ready (session);
        return;
    }
    session_fail (session, "%s", event->text);
    session_life_end (session);
}
