/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reaches another host of a running job as its launcher does: by Open MPI's rsh agent, Hydra's
 * launcher, or srun within the job's allocation. Command lines contain only the names of the
 * host, the session and processes. */
#include "base/error.h"
#include "base/limits.h"
#include "base/owner.h"
#include "launch/batch-private.h"
#include "launch/launch.h"
#include "launch/launcher.h"
#include "launch/parcel-private.h"
#include "launch/targets-private.h"
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_S 60
#define MAX_NAME 253 /* of a host (RFC 1123), with a user before it */
#define MAX_GROUPS 256

typedef struct {
    LaunchRemote *remote;
    GSubprocess *agent;
    guint limit;
    gboolean is_late;
    GError *reason;  /* why there is no agent */
    BaseOwner owner; /* the launcher's, which also runs the agent */
    gid_t groups[MAX_GROUPS];
    int n_groups;
    LaunchRemoteDone done;
    gpointer user;
} Attempt;

/* The launcher's command line or environment, as words. */
static char **
read_words (pid_t pid, const char *what)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/%s", (int) pid, what);
    g_autofree char *text = NULL;
    gsize size = 0;
    GPtrArray *words = g_ptr_array_new ();
    if (g_file_get_contents (path, &text, &size, NULL)) {
        for (gsize at = 0; at < size; at += strlen (text + at) + 1) {
            g_ptr_array_add (words, g_strdup (text + at));
        }
    }
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (words, FALSE);
}

/* What follows one of the names, which end in NULL, on the command line, or is in the environment under
 * one of the variables; NULL. */
static char *
find_setting (char **argv, char **environment, const char *const *names,
              const char *const *variables)
{
    for (guint i = 1; argv[0] && argv[i]; i++) {
        const char *word = argv[i] + strspn (argv[i], "-");
        const char *equal = strchr (word, '=');
        g_autofree char *name = g_strndup (word,
                                           equal ? (gsize) (equal - word) : strlen (word));
        if (g_strv_contains (names, name) && (equal || argv[i + 1])) {
            return g_strdup (equal ? equal + 1 : argv[i + 1]);
        }
    }
    for (guint i = 0; variables[i]; i++) {
        const char *value = g_environ_getenv (environment, variables[i]);
        if (value && *value) {
            return g_strdup (value);
        }
    }
    return NULL;
}

static void
add_words (GPtrArray *argv, const char *text)
{
    g_auto (GStrv) words = g_strsplit_set (text, " \t", -1);
    for (guint i = 0; words[i]; i++) {
        if (*words[i]) {
            g_ptr_array_add (argv, g_strdup (words[i]));
        }
    }
}

/* Open MPI's list is tried from left to right: the first that this host has. A path is the launcher's, from
 * its own folder. */
static char *
choose_agent (pid_t launcher, const char *list)
{
    g_auto (GStrv) agents = g_strsplit (list, ":", -1);
    g_autofree char *link = g_strdup_printf ("/proc/%d/cwd", (int) launcher);
    g_autofree char *folder = g_file_read_link (link, NULL);
    for (guint i = 0; agents[i]; i++) {
        char *agent = g_strstrip (agents[i]);
        gsize length = strcspn (agent, " \t");
        g_autofree char *program = g_strndup (agent, length);
        g_autofree char *full = strchr (program, '/') && folder
                                    ? g_canonicalize_filename (program, folder)
                                    : g_strdup (program);
        g_autofree char *path = g_find_program_in_path (full);
        if (path && !strpbrk (path, " \t")) {
            return g_strconcat (path, agent + length, NULL);
        }
    }
    return NULL;
}

/* It comes from the launcher's memory, environment or command line: it must not be an option or
 * contain shell characters. */
static gboolean
check_host (const char *host, GError **error)
{
    gboolean good = g_ascii_isalnum (host[0]) && strlen (host) <= MAX_NAME;
    for (const char *letter = host; *letter && good; letter++) {
        good = g_ascii_isalnum (*letter) || strchr (".-_:@%", *letter);
    }
    if (!good) {
        base_error_set (error, BASE_ERROR_INVALID, "this is not a valid host name");
    }
    return good;
}

static gboolean
check_job_number (const char *job, GError **error)
{
    if (!g_ascii_isdigit (job[0]) || job[strspn (job, "0123456789_+.")]) {
        base_error_set (error, BASE_ERROR_INVALID, "srun's job ID is not a number");
        return FALSE;
    }
    return TRUE;
}

static gboolean
add_srun (GPtrArray *argv, pid_t launcher, const char *allocation, const char *host,
          GError **error)
{
    g_autofree char *job = allocation ? g_strdup (allocation)
                                      : launch_proctable_dup_text (launcher, "totalview_jobid");
    if (!job || !*job) {
        base_error_set (error, BASE_ERROR_INVALID, "srun does not say its job ID");
        return FALSE;
    }
    if (!check_job_number (job, error)) {
        return FALSE;
    }
    g_autofree char *number = g_strdup_printf ("--jobid=%s", job);
    g_autofree char *node = g_strdup_printf ("--nodelist=%s", host);
    const char *const words[] = { "srun",       number, "--overlap", "--nodes=1",
                                  "--ntasks=1", node,   "--quiet",   "--mpi=none" };
    for (gsize i = 0; i < G_N_ELEMENTS (words); i++) {
        g_ptr_array_add (argv, g_strdup (words[i]));
    }
    return TRUE;
}

/* The words up to the command for the other host. */
static gboolean
add_agent (GPtrArray *argv, pid_t launcher, const LaunchRemote *remote, GError **error)
{
    const char *host = remote->host;
    static const char *const names[] = { "plm_rsh_agent", "orte_rsh_agent", "plm_ssh_agent",
                                         "launcher-exec", "bootstrap-exec", NULL };
    static const char *const variables[]
        = { "OMPI_MCA_plm_rsh_agent", "OMPI_MCA_orte_rsh_agent", "PRTE_MCA_plm_ssh_agent",
            "HYDRA_LAUNCHER_EXEC",    "HYDRA_BOOTSTRAP_EXEC",    NULL };
    g_auto (GStrv) words = read_words (launcher, "cmdline");
    g_auto (GStrv) environment = read_words (launcher, "environ");
    LaunchKind kind = LAUNCH_NONE;
    if (words[0]) {
        launch_launcher_has_name (words[0], &kind);
    }
    if (kind == LAUNCH_SRUN || remote->by_slurm) {
        const char *job = remote->by_slurm ? g_environ_getenv (environment, "SLURM_JOB_ID")
                                           : NULL;
        return add_srun (argv, launcher, job, host, error);
    }
    g_autofree char *list = find_setting (words, environment, names, variables);
    g_autofree char *agent = choose_agent (launcher, list ? list : "ssh:rsh");
    if (!agent) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "the launcher reaches it by %s, which is not installed here",
                        list ? list : "ssh or rsh");
        return FALSE;
    }
    add_words (argv, agent);
    g_ptr_array_add (argv, g_strdup (host));
    return TRUE;
}

static void
free_attempt (Attempt *attempt)
{
    g_clear_handle_id (&attempt->limit, g_source_remove);
    g_clear_object (&attempt->agent);
    launch_remote_free (attempt->remote);
    g_clear_error (&attempt->reason);
    g_free (attempt);
}

static gboolean
on_limit (gpointer user)
{
    Attempt *attempt = user;
    attempt->limit = 0;
    attempt->is_late = TRUE;
    g_subprocess_force_exit (attempt->agent);
    return G_SOURCE_REMOVE;
}

/* The last line that the other host's shim wrote; before it may be what that host greets with. */
static gboolean
take_found (LaunchRemote *remote, const char *text)
{
    const char *mark = text ? g_strrstr (text, LAUNCH_ATTACHED_MARK) : NULL;
    return mark
           && launch_targets_parse_list (remote->targets, mark + strlen (LAUNCH_ATTACHED_MARK));
}

static void
on_agent_ended (GObject *object, GAsyncResult *result, gpointer user)
{
    Attempt *attempt = user;
    g_autofree char *said = NULL, *found = NULL;
    g_autoptr (GError) error = NULL;
    gboolean read = g_subprocess_communicate_utf8_finish (attempt->agent, result, &found, &said,
                                                          &error);
    gboolean worked = read && g_subprocess_get_if_exited (attempt->agent)
                      && g_subprocess_get_exit_status (attempt->agent) == 0;
    if (attempt->is_late) {
        g_clear_error (&error);
        base_error_set (&error, BASE_ERROR_TIMEOUT, "its agent does not answer");
    } else if (read && !worked && said && *g_strstrip (said)) {
        g_set_error_literal (&error, BASE_ERROR, BASE_ERROR_LOST, said);
    } else if (read && !worked) {
        base_error_set (&error, BASE_ERROR_LOST, "its agent failed");
    }
    if (worked && attempt->remote->words && !take_found (attempt->remote, found)) {
        g_clear_error (&error);
        base_error_set (&error, BASE_ERROR_CORRUPT,
                        "pddt does not understand its agent's answer");
    }
    attempt->done (attempt->remote, worked && !error ? NULL : error, attempt->user);
    free_attempt (attempt);
}

/* A pipe that already contains the line, so that an agent that ends without reading it does no
 * harm. The line fits into any pipe. -1: no pipe. */
static int
make_input (const char *line)
{
    int ends[2];
    gsize size = strlen (line);
    gboolean is_written;

    if (pipe2 (ends, O_CLOEXEC) < 0) {
        return -1;
    }
    is_written = write (ends[1], line, size) == (gssize) size;
    close (ends[1]);
    if (!is_written) {
        close (ends[0]);
    }
    return is_written ? ends[0] : -1;
}

/* ---- whose rights ---- */

static gboolean
is_other_user (const Attempt *attempt)
{
    return geteuid () == 0 && attempt->owner.uid != 0;
}

/* As a login of that user has them. */
static void
find_groups (Attempt *attempt)
{
    const struct passwd *user = getpwuid (attempt->owner.uid);
    attempt->groups[0] = attempt->owner.gid;
    attempt->n_groups = MAX_GROUPS;
    if (!user
        || getgrouplist (user->pw_name, attempt->owner.gid, attempt->groups, &attempt->n_groups)
               < 0) {
        attempt->n_groups = 1;
    }
}

/* In the child: runs the agent as the launcher's owner, or not at all. */
static void
become_owner (gpointer user)
{
    const Attempt *attempt = user;
    gid_t gid = attempt->owner.gid;
    uid_t uid = attempt->owner.uid;
    base_limits_restore (NULL);
    if (setgroups ((gsize) attempt->n_groups, attempt->groups) != 0
        || setresgid (gid, gid, gid) != 0 || setresuid (uid, uid, uid) != 0) {
        _exit (126);
    }
}

/* Root runs another user's agent as that user, with the launcher's environment and nothing of
 * root's. */
static void
limit_rights (GSubprocessLauncher *launcher, Attempt *attempt, char **environment)
{
    g_subprocess_launcher_set_child_setup (launcher, base_limits_restore, NULL, NULL);
    if (is_other_user (attempt)) {
        find_groups (attempt);
        g_subprocess_launcher_set_environ (launcher, environment);
        g_subprocess_launcher_set_cwd (launcher, "/");
        g_subprocess_launcher_set_child_setup (launcher, become_owner, attempt, NULL);
    }
}

static GSubprocess *
start_agent (Attempt *attempt, char **argv, char **environment, const char *line,
             GError **error)
{
    g_autoptr (GSubprocessLauncher) launcher
        = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE
                                     | G_SUBPROCESS_FLAGS_STDOUT_PIPE);
    int input = make_input (line);

    if (input < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "no pipe for its key");
        return NULL;
    }
    g_subprocess_launcher_take_stdin_fd (launcher, input);
    limit_rights (launcher, attempt, environment);
    return g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, error);
}

/* What the other host's shim is to do. */
static void
add_shim (GPtrArray *argv, const char *shim, const LaunchRemote *remote, const char *ranks,
          const LaunchSession *session)
{
    const char *const words[] = { shim, "--session", session->directory };
    for (gsize i = 0; i < G_N_ELEMENTS (words); i++) {
        g_ptr_array_add (argv, g_strdup (words[i]));
    }
    g_ptr_array_add (argv, g_strdup (remote->words ? "--attach-below" : "--attach"));
    g_ptr_array_add (argv, remote->words ? g_strdup (remote->words)
                                         : launch_targets_format_list (remote->targets));
    if (remote->words) {
        g_ptr_array_add (argv, g_strdup (ranks ? ranks : "all"));
    }
    g_ptr_array_add (argv, NULL);
}

static gboolean
on_not_begun (gpointer user)
{
    Attempt *attempt = user;
    attempt->done (attempt->remote, attempt->reason, attempt->user);
    free_attempt (attempt);
    return G_SOURCE_REMOVE;
}

/* The owner stays the same while the launcher's words and environment are read: they are his. */
static gboolean
note_owner (Attempt *attempt, pid_t launcher, gboolean again, GError **error)
{
    BaseOwner owner;
    if (base_owner_read (launcher, &owner) && owner.is_plain
        && (!again || owner.uid == attempt->owner.uid)) {
        attempt->owner = owner;
        return TRUE;
    }
    base_error_set (error, BASE_ERROR_DENIED,
                    "the launcher has ended, or has other rights than its user");
    return FALSE;
}

/* What the agent finds on its standard input. That of ssh is encrypted, srun's is not. base_secret_free. */
static char *
make_line (const Attempt *attempt, const LaunchSession *session, gboolean is_slurm)
{
    guint32 uid = is_other_user (attempt) ? attempt->owner.uid : geteuid ();
    char *word = !is_slurm ? launch_session_format_key (session)
                 : launch_session_is_shared (session) && uid == geteuid ()
                     ? g_strdup ("")
                     : launch_batch_make_word (session, TRUE, uid, NULL);
    char *line = g_strconcat (word, "\n", NULL);
    base_secret_free (word);
    return line;
}

/* The folder with pddt, if it is to be brought: what the agent starts there is in it. */
static gboolean
prepare_parcel (const Attempt *attempt, GError **error)
{
    if (!launch_parcel_is_wanted ()) {
        return TRUE;
    }
    if (is_other_user (attempt)) {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "cannot bring pddt there for a job of another user: start pddt as that user");
        return FALSE;
    }
    return launch_parcel_make (error);
}

/* What brings the folder comes before the agent, which has the first n words. */
static void
add_bearer (GPtrArray *argv, guint n, const char *shim, const char *host)
{
    g_autofree char *number = g_strdup_printf ("%u", n);
    const char *const words[] = { shim, "--bring", host, number };
    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        g_ptr_array_insert (argv, (int) i, g_strdup (words[i]));
    }
}

static gboolean
begin_attempt (Attempt *attempt, pid_t launcher, const char *ranks,
               const LaunchSession *session, GError **error)
{
    g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
    if (!check_host (attempt->remote->host, error)
        || !note_owner (attempt, launcher, FALSE, error) || !prepare_parcel (attempt, error)) {
        return FALSE;
    }
    g_autofree char *shim = launch_find_program ("pddt-start", error);
    if (!shim) {
        return FALSE;
    }
    g_auto (GStrv) environment = read_words (launcher, "environ");
    if (!add_agent (argv, launcher, attempt->remote, error)
        || !note_owner (attempt, launcher, TRUE, error)) {
        return FALSE;
    }
    char *line = make_line (attempt, session, strcmp (argv->pdata[0], "srun") == 0);
    if (launch_parcel_is_wanted ()) {
        add_bearer (argv, argv->len, shim, attempt->remote->host);
    }
    add_shim (argv, shim, attempt->remote, ranks, session);
    attempt->agent = start_agent (attempt, (char **) argv->pdata, environment, line, error);
    base_secret_free (line);
    return attempt->agent != NULL;
}

void
launch_remote_attach (pid_t launcher, const LaunchRemote *remote, const char *ranks,
                      const LaunchSession *session, LaunchRemoteDone done, gpointer user)
{
    Attempt *attempt = g_new0 (Attempt, 1);
    g_autoptr (GError) error = NULL;
    attempt->remote = launch_remote_copy (remote);
    attempt->done = done;
    attempt->user = user;
    if (!begin_attempt (attempt, launcher, ranks, session, &error)) {
        attempt->reason = g_steal_pointer (&error);
        g_idle_add (on_not_begun, attempt);
        return;
    }
    attempt->limit = g_timeout_add_seconds (LIMIT_S, on_limit, attempt);
    g_subprocess_communicate_utf8_async (attempt->agent, NULL, NULL, on_agent_ended, attempt);
}
