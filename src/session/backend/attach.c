/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session without a launcher of its own: attaches to running processes or opens core files.
 * Failures arrive as events. */
#include "session/backend/tree-private.h"
#include "base/error.h"
#include "launch/hand-over.h"
#include <glib/gi18n.h>

#define SERVED_MS 1000 /* how often the daemon is looked for until its ranks are there */

gboolean
session_is_detached_text (const char *text)
{
    return g_strcmp0 (text, "detached") == 0;
}

gboolean
session_is_detached (const Session *session, guint32 rank)
{
    return rank < session->ranks->size && session->ranks->states[rank] == JOB_STATE_LOST
           && session_is_detached_text (session_ranks_get_fact (session, rank)->text);
}

static GPtrArray *
find_targets (const SessionOptions *options, GPtrArray **ret_remotes, pid_t *ret_launcher,
              GError **error)
{
    guint64 launcher;

    if (options->cores != NULL) {
        g_autofree char *current = g_get_current_dir ();

        /* the daemon's current folder is not the user's */
        g_setenv ("PDDT_PROGRAM_FOLDER", options->folder != NULL ? options->folder : current,
                  TRUE);
        return launch_targets_from_cores (options->cores, error);
    }
    if (options->attach != NULL) {
        return launch_targets_parse (options->attach, error);
    }
    if (!g_ascii_string_to_unsigned (options->attach_job, 10, 1, G_MAXINT32, &launcher, NULL)) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot attach to the job of \"%s\": it is not a process number",
                        options->attach_job);
        return NULL;
    }
    *ret_launcher = (pid_t) launcher;
    return launch_targets_find_all (ret_launcher, ret_remotes, error);
}

static void
keep_wanted (GPtrArray *targets, const JobRankSet *wanted)
{
    for (guint i = targets->len; i > 0; i--) {
        if (!job_rank_set_contains (wanted, ((LaunchTarget *) targets->pdata[i - 1])->rank)) {
            g_ptr_array_remove_index (targets, i - 1);
        }
    }
}

/* Keeps only the wanted ranks; hosts whose ranks are not known yet stay. */
static gboolean
keep_ranks (GPtrArray *targets, GPtrArray *remotes, const char *text, GError **error)
{
    g_autoptr (JobRankSet) wanted = job_rank_set_parse (text, G_MAXUINT32, error);

    if (wanted == NULL) {
        return FALSE;
    }
    keep_wanted (targets, wanted);
    for (guint i = remotes != NULL ? remotes->len : 0; i > 0; i--) {
        LaunchRemote *remote = g_ptr_array_index (remotes, i - 1);

        keep_wanted (remote->targets, wanted);
        if (remote->targets->len == 0 && remote->words == NULL) {
            g_ptr_array_remove_index (remotes, i - 1);
        }
    }
    if (targets->len == 0 && (remotes == NULL || remotes->len == 0)) {
        if (remotes == NULL) {
            base_error_set (error, BASE_ERROR_NOT_FOUND,
                            "cannot attach to ranks %s: the job has none of them", text);
        } else {
            base_error_set (error, BASE_ERROR_NOT_FOUND,
                            "cannot attach to ranks %s: the job has none of them that pddt can "
                            "find",
                            text);
        }
        return FALSE;
    }
    return TRUE;
}

typedef struct {
    Session *session;
    guint32 n_here, n_all;
} Remark;

static gboolean
say_remark (gpointer data)
{
    Remark *remark = data;

    session_say_plural (
        remark->session, 1,
        "%u of the job's %u ranks is not on this host, and the launcher does not say where it "
        "is; pddt leaves it alone: attach to it on its host, or start the job under pddt",
        "%u of the job's %u ranks are not on this host, and the launcher does not say where "
        "they are; pddt leaves them alone: attach to them on their hosts, or start the job "
        "under pddt",
        remark->n_all - remark->n_here, remark->n_all - remark->n_here, remark->n_all);
    return G_SOURCE_REMOVE;
}

static void
free_remark (gpointer data)
{
    g_object_unref (((Remark *) data)->session);
    g_free (data);
}

/* Emits it later, because nobody listens yet. */
static void
begin_remark (Session *session, guint32 n_here, guint32 n_all)
{
    Remark *remark = g_new (Remark, 1);

    *remark = (Remark){ g_object_ref (session), n_here, n_all };
    g_idle_add_full (G_PRIORITY_DEFAULT, say_remark, remark, free_remark);
}

static char *
print_host (BaseTextForm form, const LaunchRemote *remote, const GError *reason)
{
    /* Translators: a host, and the reason. */
    return base_text_print (form, "cannot attach on %s: %s", remote->host,
                            base_error_get (reason, form));
}

static BaseText *
new_host_text (const LaunchRemote *remote, const GError *reason)
{
    return base_text_new_take (print_host (BASE_TEXT_ENGLISH, remote, reason),
                               print_host (BASE_TEXT_SHOWN, remote, reason));
}

static char *
print_rank (BaseTextForm form, const LaunchRemote *remote, guint32 rank, const GError *reason)
{
    /* Translators: a rank, its host, and the reason. */
    return base_text_print (form, "cannot attach to rank %u on %s: %s", rank, remote->host,
                            base_error_get (reason, form));
}

/* Of a host where it was not known before. */
static void
end_search (Session *session, const LaunchRemote *remote, const GError *reason)
{
    session->life->n_searched--;
    session->life->n_wanted += reason == NULL ? remote->targets->len : 0;
    if (session->life->n_searched > 0 || session->life->n_wanted > session->life->n_refused) {
        if (reason != NULL) {
            g_autoptr (BaseText) text = new_host_text (remote, reason);

            session_say_text (session, 2, text);
        }
        session_life_check_ready (session);
        return;
    }
    if (reason != NULL) {
        session_fail_text (session, new_host_text (remote, reason));
    } else {
        session_fail (session,
                      session->life->n_refused > 0
                          ? N_ ("cannot attach to the job: none of its hosts has a rank that "
                                "pddt can attach to")
                          : N_ ("cannot attach to the job: none of its hosts has a rank"));
    }
    session_life_end (session);
}

/* Counts each rank that could not be attached to as refused. */
static void
on_remote_done (const LaunchRemote *remote, const GError *reason, gpointer user)
{
    g_autoptr (Session) session = user;

    if (session->life->ended || session->life->ending) {
        return;
    }
    if (remote->words != NULL) {
        end_search (session, remote, reason);
        return;
    }
    for (guint i = 0; reason != NULL && i < remote->targets->len; i++) {
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_FAILURE, 0, NULL);
        const LaunchTarget *target = g_ptr_array_index (remote->targets, i);

        event->text = print_rank (BASE_TEXT_ENGLISH, remote, target->rank, reason);
        event->shown = print_rank (BASE_TEXT_SHOWN, remote, target->rank, reason);
        session_life_apply_refusal (session, event);
    }
}

/* Attaches on each of the other hosts, through the launcher's own agent. */
static gboolean
reach_remotes (Session *session, pid_t launcher, GPtrArray *remotes, const char *ranks,
               GError **error)
{
    SessionTree *tree = session_tree_get (session);

    if (!session_tree_listen_beyond (tree, error)) {
        return FALSE;
    }
    for (guint i = 0; i < remotes->len; i++) {
        const LaunchRemote *remote = g_ptr_array_index (remotes, i);

        session->life->n_wanted += remote->targets->len;
        session->life->n_searched += remote->words != NULL;
        launch_remote_attach (launcher, remote, ranks, tree->launch_session, on_remote_done,
                              g_object_ref (session));
    }
    return TRUE;
}

/* A daemon that dies before its link stands is known to nobody else. */
static gboolean
check_served (gpointer data)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (data));

    if (!session->life->ready
        && launch_hand_over_is_served (session_tree_get (session)->launch_session->directory)) {
        return G_SOURCE_CONTINUE;
    }
    session->life->served_source = 0;
    if (session->life->ready) {
        return G_SOURCE_REMOVE;
    }
    session_fail (session,
                  N_ ("host %s is lost: its daemon has ended before it reported its ranks"),
                  g_get_host_name ());
    session_life_be_ready (session);
    return G_SOURCE_REMOVE;
}

gboolean
session_attach_start (Session *session, const SessionOptions *options, GError **error)
{
    g_autoptr (GPtrArray) remotes = NULL;
    pid_t launcher = 0;
    g_autoptr (GPtrArray) targets = find_targets (options, &remotes, &launcher, error);

    if (targets == NULL
        || (options->attach_ranks != NULL
            && !keep_ranks (targets, remotes, options->attach_ranks, error))
        || !session_tree_open_net (session, error)) {
        return FALSE;
    }
    session->life->is_attached = session->life->keep = TRUE;
    if (options->is_measured) {
        session_tree_send_start (session, options);
    }
    session->life->n_wanted = targets->len;
    if (remotes != NULL && remotes->len > 0
        && !reach_remotes (session, launcher, remotes, options->attach_ranks, error)) {
        return FALSE;
    }
    if (remotes != NULL && remotes->len == 0
        && launch_targets_find_size (targets) > targets->len) {
        begin_remark (session, targets->len, launch_targets_find_size (targets));
    }
    if (targets->len == 0) {
        return TRUE;
    }
    if (!launch_hand_over_send_targets (session_tree_get (session)->launch_session->directory,
                                        targets, error)) {
        return FALSE;
    }
    session->life->served_source = g_timeout_add (SERVED_MS, check_served, session);
    return TRUE;
}
