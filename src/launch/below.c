/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the daemons of launchers that do not publish their ranks, by their program names and
 * the words on their command lines that identify a job, and their hosts by the command line of
 * the agent that started them. */
#include "launch/below-private.h"
#include "base/array.h"
#include "base/error.h"
#include "launch/launcher.h"
#include "launch/targets-private.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_HOSTS 65536

/* A daemon's program, and its option with a value unique to the job. */
static const struct {
    const char *program, *option;
} daemons[] = {
    { "orted", "ess_base_jobid" },          /* Open MPI 4 */
    { "prted", "ess_base_nspace" },         /* PRRTE, Open MPI 5 */
    { "hydra_pmi_proxy", "--control-port" } /* MPICH */
};

/* ---- /proc ---- */

/* pid_t to parent's pid of all processes. */
static GHashTable *
read_parents (void)
{
    GHashTable *parents = g_hash_table_new (NULL, NULL);
    g_autoptr (GDir) folder = g_dir_open ("/proc", 0, NULL);
    const char *name;
    while (folder && (name = g_dir_read_name (folder))) {
        g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL);
        g_autofree char *text = NULL;
        int parent;
        if (g_ascii_isdigit (*name) && g_file_get_contents (path, &text, NULL, NULL)
            && strrchr (text, ')')
            && sscanf (strrchr (text, ')') + 1, " %*c %d", &parent) == 1) {
            g_hash_table_insert (parents,
                                 GINT_TO_POINTER ((int) g_ascii_strtoll (name, NULL, 10)),
                                 GINT_TO_POINTER (parent));
        }
    }
    return parents;
}

static char **
read_command (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/cmdline", (int) pid);
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

static gboolean
is_launcher (pid_t pid)
{
    g_auto (GStrv) argv = read_command (pid);
    return argv[0] && launch_launcher_has_name (argv[0], NULL);
}

static gboolean
descends_from (GHashTable *parents, int pid, int ancestor, GHashTable *without)
{
    for (guint depth = 0; pid > 1 && depth < 1000; depth++) {
        if (without && g_hash_table_contains (without, GINT_TO_POINTER (pid))) {
            return FALSE;
        }
        pid = GPOINTER_TO_INT (g_hash_table_lookup (parents, GINT_TO_POINTER (pid)));
        if (pid == ancestor) {
            return TRUE;
        }
    }
    return FALSE;
}

/* srun's number is not that of a rank where srun has started a launcher's daemon, of which PRRTE's are two processes. */
static gboolean
find_rank (pid_t pid, guint32 *ret_rank)
{
    g_auto (GStrv) argv = read_command (pid);
    g_autofree char *name = g_path_get_basename (argv[0] ? argv[0] : "");
    return BASE_ALL (i, G_N_ELEMENTS (daemons), strcmp (name, daemons[i].program) != 0)
           && launch_target_find_rank (pid, ret_rank);
}

static void
find_below (GHashTable *parents, pid_t ancestor, GHashTable *without, GPtrArray *targets)
{
    gpointer key, value;
    BASE_WALK (parents, &key, &value) {
        guint32 rank, above;
        if (descends_from (parents, GPOINTER_TO_INT (key), (int) ancestor, without)
            && find_rank (GPOINTER_TO_INT (key), &rank)
            && !(GPOINTER_TO_INT (value) != (int) ancestor
                 && find_rank (GPOINTER_TO_INT (value), &above) && above == rank)) {
            launch_targets_add (targets, GPOINTER_TO_INT (key), rank);
        }
    }
}

void
launch_below_find (pid_t ancestor, GHashTable *without, GPtrArray *targets)
{
    g_autoptr (GHashTable) parents = read_parents ();
    find_below (parents, ancestor, without, targets);
}

/* The topmost ones below `pid`: pddt-start may precede srun. */
static void
find_topmost_launchers (GHashTable *parents, pid_t pid, GArray *found)
{
    g_autoptr (GHashTable) all = g_hash_table_new (NULL, NULL);
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init (&iter, parents);
    while (g_hash_table_iter_next (&iter, &key, NULL)) {
        if (descends_from (parents, GPOINTER_TO_INT (key), (int) pid, NULL)
            && is_launcher (GPOINTER_TO_INT (key))) {
            g_hash_table_add (all, key);
        }
    }
    g_hash_table_iter_init (&iter, all);
    while (g_hash_table_iter_next (&iter, &key, NULL)) {
        int parent = GPOINTER_TO_INT (g_hash_table_lookup (parents, key));
        pid_t launcher = GPOINTER_TO_INT (key);
        if (parent == (int) pid || descends_from (parents, parent, (int) pid, all)) {
            g_array_append_val (found, launcher);
        }
    }
}

gboolean
launch_below_find_launcher (pid_t pid, pid_t *ret_launcher, GError **error)
{
    g_autoptr (GHashTable) parents = read_parents ();
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (pid_t));
    *ret_launcher = pid;
    if (is_launcher (pid)) {
        return TRUE;
    }
    find_topmost_launchers (parents, pid, found);
    if (found->len > 1) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "it has started %u launchers, for example %d and %d: name one of them",
                        found->len, (int) g_array_index (found, pid_t, 0),
                        (int) g_array_index (found, pid_t, 1));
        return FALSE;
    }
    if (found->len == 1) {
        *ret_launcher = g_array_index (found, pid_t, 0);
    }
    return TRUE;
}

/* ---- the launcher's side ---- */

/* The option's value in the text of a command line, quoted or not; NULL when it is absent or
 * unsafe in a shell. */
static char *
find_value (const char *text, const char *option, const char *allowed)
{
    const char *at = strstr (text, option);
    if (!at) {
        return NULL;
    }
    at += strlen (option);
    at += strspn (at, " =\"'");
    gsize length = strcspn (at, " \"'");
    g_autofree char *value = g_strndup (at, length);
    for (const char *letter = value; *letter; letter++) {
        if (!g_ascii_isalnum (*letter) && !strchr (allowed, *letter)) {
            return NULL;
        }
    }
    return length > 0 ? g_steal_pointer (&value) : NULL;
}

/* The word that the daemon's program begins in or stands in; NULL. */
static gsize
find_daemon_word (char **argv, const char *program)
{
    for (gsize i = 0; argv[i]; i++) {
        const char *at = strstr (argv[i], program);
        gsize length = strlen (program);
        if (at && (at == argv[i] || strchr ("/ \"'", at[-1]))
            && (at[length] == '\0' || strchr (" \"'", at[length]))) {
            return i;
        }
    }
    return G_MAXSIZE;
}

static gboolean
is_number (const char *text, gsize length, guint64 *ret_number)
{
    g_autofree char *copy = g_strndup (text, length);
    return g_ascii_string_to_unsigned (copy, 10, 0, G_MAXUINT32, ret_number, NULL);
}

/* PREFIX[DIGITS:RANGE,RANGE…]SUFFIX. */
static gboolean
add_hosts (GPtrArray *hosts, const char *entry)
{
    const char *open = strchr (entry, '['), *colon = open ? strchr (open, ':') : NULL;
    const char *close = open ? strchr (open, ']') : NULL;
    guint64 digits, first, last;
    if (!open) {
        g_ptr_array_add (hosts, g_strdup (entry));
        return *entry != '\0';
    }
    if (!colon || !close || close < colon
        || !is_number (open + 1, (gsize) (colon - open) - 1, &digits) || digits > 20) {
        return FALSE;
    }
    g_autofree char *list = g_strndup (colon + 1, (gsize) (close - colon) - 1);
    g_auto (GStrv) ranges = g_strsplit (list, ",", -1);
    for (guint i = 0; ranges[i]; i++) {
        gsize length = strcspn (ranges[i], "-");
        const char *end = ranges[i][length] ? ranges[i] + length + 1 : ranges[i];
        if (!is_number (ranges[i], length, &first) || !is_number (end, strlen (end), &last)
            || last < first || last - first >= MAX_HOSTS - hosts->len) {
            return FALSE;
        }
        for (guint64 n = first; n <= last; n++) {
            g_ptr_array_add (hosts, g_strdup_printf ("%.*s%0*" G_GUINT64_FORMAT "%s",
                                                     (int) (open - entry), entry, (int) digits,
                                                     n, close + 1));
        }
    }
    return ranges[0] != NULL;
}

char **
launch_below_parse_hosts (const char *text)
{
    g_autoptr (GPtrArray) hosts = g_ptr_array_new_with_free_func (g_free);
    guint depth = 0;
    for (const char *at = text, *start = text;; at++) {
        depth += *at == '[';
        if (*at == ']' && depth) {
            depth--;
        }
        if (depth && *at) {
            continue;
        }
        if (*at == ',' || *at == '@' || *at == '\0') {
            g_autofree char *entry = g_strndup (start, (gsize) (at - start));
            if (!add_hosts (hosts, entry)) {
                return NULL;
            }
            start = at + 1;
        }
        if (*at == '@' || *at == '\0') {
            break;
        }
    }
    g_ptr_array_add (hosts, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&hosts), FALSE);
}

static void
add_remote (GPtrArray *remotes, const char *host, const char *words, gboolean by_slurm)
{
    for (guint i = 0; i < remotes->len; i++) {
        if (strcmp (((LaunchRemote *) remotes->pdata[i])->host, host) == 0) {
            return;
        }
    }
    LaunchRemote *remote = g_new0 (LaunchRemote, 1);
    remote->host = g_strdup (host);
    remote->targets = launch_targets_new ();
    remote->words = g_strdup (words);
    remote->by_slurm = by_slurm;
    g_ptr_array_add (remotes, remote);
}

/* The hosts of the tasks of srun, which are the launcher's daemons. */
static void
add_srun_hosts (GPtrArray *remotes, pid_t srun, const char *words)
{
    g_autoptr (GPtrArray) here = launch_targets_new ();
    g_autoptr (GHashTable) others = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           (GDestroyNotify) g_ptr_array_unref);
    gpointer host;
    if (!launch_proctable_read (srun, here, others, NULL)) {
        return;
    }
    BASE_WALK (others, &host, NULL) {
        add_remote (remotes, host, words, TRUE);
    }
}

/* Open MPI 4 passes the list of hosts to each, its own first; srun knows where it has started PRRTE's; otherwise the
 * host's name is the word before the command. */
static void
add_remotes (GPtrArray *remotes, pid_t pid, char **argv, const char *text, gsize daemon_word,
             const char *words)
{
    g_autofree char *list = find_value (text, "orte_node_regex", ".-_,:[]@()");
    g_auto (GStrv) hosts = list ? launch_below_parse_hosts (list) : NULL;
    LaunchKind kind;
    gboolean by_slurm = launch_launcher_has_name (argv[0], &kind) && kind == LAUNCH_SRUN;
    for (guint i = 1; hosts && hosts[0] && hosts[i]; i++) {
        add_remote (remotes, hosts[i], words, by_slurm);
    }
    if (!hosts && by_slurm) {
        add_srun_hosts (remotes, pid, words);
    }
    if (!hosts && !by_slurm && daemon_word >= 2 && argv[daemon_word - 1][0] != '-'
        && !strpbrk (argv[daemon_word - 1], " /")) {
        add_remote (remotes, argv[daemon_word - 1], words, FALSE);
    }
}

static void
note_child (pid_t pid, GHashTable *agents, GPtrArray *remotes)
{
    g_auto (GStrv) argv = read_command (pid);
    g_autofree char *text = g_strjoinv (" ", argv);
    for (gsize i = 0; i < G_N_ELEMENTS (daemons); i++) {
        gsize daemon_word = find_daemon_word (argv, daemons[i].program);
        g_autofree char *value = daemon_word != G_MAXSIZE && daemon_word > 0
                                     ? find_value (text, daemons[i].option, ".-_:@+")
                                     : NULL;
        if (value) {
            g_autofree char *words = g_strdup_printf ("%s=%s", daemons[i].option, value);
            g_hash_table_add (agents, GINT_TO_POINTER ((int) pid));
            add_remotes (remotes, pid, argv, text, daemon_word, words);
        }
    }
}

void
launch_below_find_agents (pid_t launcher, GHashTable *agents, GPtrArray *remotes)
{
    g_autoptr (GHashTable) parents = read_parents ();
    gpointer key, value;
    BASE_WALK (parents, &key, &value) {
        if (GPOINTER_TO_INT (value) == (int) launcher) {
            note_child (GPOINTER_TO_INT (key), agents, remotes);
        }
    }
}

/* ---- the other host's side ---- */

static gboolean
is_daemon (pid_t pid, const char *option, const char *value)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%d", (int) pid);
    g_auto (GStrv) argv = NULL;
    struct stat info;
    if (stat (folder, &info) != 0 || info.st_uid != geteuid ()) {
        return FALSE;
    }
    argv = read_command (pid);
    g_autofree char *program = argv[0] ? g_path_get_basename (argv[0]) : g_strdup ("");
    for (gsize i = 0; i < G_N_ELEMENTS (daemons); i++) {
        if (strcmp (daemons[i].option, option) != 0
            || strcmp (daemons[i].program, program) != 0) {
            continue;
        }
        for (guint j = 1; argv[j] && argv[j + 1]; j++) {
            /* srun passes on the quotes of Open MPI's line */
            const char *word = argv[j + 1] + strspn (argv[j + 1], "\"");
            gsize length = strcspn (word, "\"");
            if (strcmp (argv[j], option) == 0 && length == strlen (value)
                && strncmp (word, value, length) == 0) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

gboolean
launch_below_find_ranks (const char *words, GPtrArray *targets)
{
    const char *equal = strchr (words, '=');
    g_autoptr (GHashTable) parents = read_parents ();
    gpointer key;
    if (!equal || equal[1] == '\0') {
        return FALSE;
    }
    g_autofree char *option = g_strndup (words, (gsize) (equal - words));
    BASE_WALK (parents, &key, NULL) {
        if (is_daemon (GPOINTER_TO_INT (key), option, equal + 1)) {
            find_below (parents, GPOINTER_TO_INT (key), NULL, targets);
        }
    }
    return TRUE;
}
