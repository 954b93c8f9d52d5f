/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To hosts that an agent (ssh) reaches the folder goes as a tar stream on the agent's standard input, in an allocation of
 * Slurm by sbcast. Other batch systems have no way for files that is known here. */
#include "launch/parcel-private.h"
#include "base/array.h"
#include "base/error.h"
#include "launch/paths-private.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUMS "SUMS"
/* As launch/session.c has it: launchers split hooks at spaces, and shells of other hosts read the path. */
#define SAFE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+@%=-"

enum { LACKS = 40, UNSAFE, UNWRITABLE, DAMAGED };

/* What a host does: "look FOLDER CHECKSUM", whether it has the folder, and "take FOLDER CHECKSUM TAR" ("-": standard
 * input). The login shell, which may be any, sees one word in single quotes without a line's end or "!". Every folder
 * above is root's or the user's own, and nobody else can write to it. A folder's time is that of its last use: what
 * nobody has used for 90 days, as the cache of indexes counts, goes when another one is used. */
static const char script[]
    = "p=$2; k=$3; a=${4:--}; d=${p%/*}; umask 077; "
      "use() { [ \"$a\" = - ] || rm -f \"$a\"; touch \"$p\"; find \"$d\" -mindepth 1 -maxdepth 1 -mtime +90 -exec rm -rf {} + 2>/dev/null; exit 0; }; "
      "walk() { e=$1; while :; do set -- $(ls -ldLn \"$e\"); case $1 in d???"
      "?-?"
      "?-*) ;; *) return 1;; esac; "
      "[ \"$3\" = 0 ] || [ \"$3\" = \"$(id -u)\" ] || return 1; [ \"$e\" = / ] && return 0; e=${e%/*}; e=${e:-/}; done; }; "
      "safe() { walk \"$1\" && walk \"$(cd -P \"$1\" && pwd -P)\"; }; "
      "right() { [ -f \"$1/" SUMS "\" ] && [ \"$(sha256sum < \"$1/" SUMS "\")\" = \"$k  -\" ] "
      "&& (cd \"$1\" && sha256sum -c " SUMS " >/dev/null 2>&1); }; "
      "mkdir -p \"$d\" 2>/dev/null && [ -w \"$d\" ] || exit 42; safe \"$d\" || exit 41; "
      "if [ -d \"$p\" ]; then safe \"$p\" || exit 41; right \"$p\" && use; rm -rf \"$p\"; fi; "
      "[ $1 = take ] || exit 40; "
      "t=$(mktemp -d \"$d/part.XXXXXX\") || exit 42; tar -C \"$t\" -xf \"$a\"; s=$?; [ \"$a\" = - ] || rm -f \"$a\"; "
      "if [ $s = 0 ] && right \"$t\" && mv -T \"$t\" \"$p\" 2>/dev/null; then use; fi; rm -rf \"$t\"; right \"$p\" || exit 43";

static gboolean is_wanted;
static char *here; /* the folder on this host; NULL */

void
launch_parcel_want (void)
{
    is_wanted = TRUE;
}

gboolean
launch_parcel_is_wanted (void)
{
    return is_wanted;
}

static char *
read_checksum (const char *folder)
{
    g_autofree char *path = g_build_filename (folder, SUMS, NULL), *text = NULL;
    gsize size;
    return g_file_get_contents (path, &text, &size, NULL)
               ? g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, size)
               : NULL;
}

/* The exit status of the words; -1: they could not be run, or were killed. flags: STDERR_TO_DEV_NULL, or 0. */
static int
run_words_as (char **argv, GSpawnFlags flags)
{
    int status;
    g_autoptr (GError) reason = NULL;
    return g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH | flags, NULL, NULL, NULL, NULL,
                         &status, &reason)
                   && WIFEXITED (status)
               ? WEXITSTATUS (status)
               : -1;
}

static int
run_words (char **argv)
{
    return run_words_as (argv, 0);
}

static gboolean
check_status (int status, const char *where, const char *folder, GError **error)
{
    switch (status) {
    case UNSAFE:
        base_error_set (
            error, BASE_ERROR_DENIED,
            "cannot bring pddt to %s: others can write to %s or a folder above it; set XDG_CACHE_HOME to a folder "
            "that only you can write to",
            where, folder);
        return FALSE;
    case UNWRITABLE:
        base_error_set (
            error, BASE_ERROR_DENIED,
            "cannot bring pddt to %s: %s cannot be made there; set XDG_CACHE_HOME to a folder that can be made on every "
            "host",
            where, folder);
        return FALSE;
    case LACKS:
    case DAMAGED:
        base_error_set (
            error, BASE_ERROR_DENIED,
            "cannot bring pddt to %s: what arrived in %s is not what was sent; is its disk full?",
            where, folder);
        return FALSE;
    default: return TRUE;
    }
}

/* ---- making it ---- */

typedef struct {
    GString *sums;
    const char *to;
} Copy;

static gboolean
copy_file (Copy *copy, const char *from, const char *name, GError **error)
{
    g_autofree char *source
        = g_build_filename (from, strrchr (name, '/') ? strrchr (name, '/') + 1 : name, NULL);
    g_autofree char *target = g_build_filename (copy->to, name, NULL), *text = NULL,
                    *sum = NULL;
    g_autoptr (GError) reason = NULL;
    gsize size;
    if (!g_file_get_contents (source, &text, &size, &reason)
        || !g_file_set_contents_full (target, text, (gssize) size, G_FILE_SET_CONTENTS_NONE,
                                      access (source, X_OK) == 0 ? 0700 : 0600, &reason)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot copy pddt's own file %s: %s", source,
                        reason->message);
        return FALSE;
    }
    sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, size);
    g_string_append_printf (copy->sums, "%s  %s\n", sum, name);
    return TRUE;
}

/* The files of a folder whose names fit one of the patterns, to the folder `below` of the copy. */
static gboolean
copy_files (Copy *copy, const char *from, const char *below, const char *const *patterns,
            GError **error)
{
    g_autoptr (GDir) dir = g_dir_open (from, 0, NULL);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    for (const char *name = dir ? g_dir_read_name (dir) : NULL; name;
         name = g_dir_read_name (dir)) {
        g_autofree char *path = g_build_filename (from, name, NULL);
        gboolean fits = FALSE;
        for (guint i = 0; patterns[i]; i++) {
            fits = fits || g_pattern_match_simple (patterns[i], name);
        }
        if (fits && g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
            g_ptr_array_add (names, g_strconcat (below, name, NULL));
        }
    }
    g_ptr_array_sort (names, base_order_texts);
    return BASE_ALL (i, names->len, copy_file (copy, from, names->pdata[i], error));
}

static gboolean
copy_all (Copy *copy, GError **error)
{
    static const char *const programs[] = { "pddt-start",  "pddt-guard",
                                            "pddtd",       "pddt-symbols",
                                            "pddt-queues", "mpi-types-*.so",
                                            NULL };
    static const char *const libraries[] = { "libpddt-*.so", "pddt_trace.abi3.so", NULL };
    static const char *const module[] = { "pddt.py", NULL };
    static const char *const agent[] = { "pddt_*.py", "pddt_agent.abi3.so", NULL };
    g_autofree char *start = launch_find_program ("pddt-start", error);
    g_autofree char *runner = start ? launch_find_runner (error) : NULL;
    g_autofree char *tracer = launch_find_recorder ("libpddt-trace.so");
    if (!runner || !tracer) {
        if (!tracer && error && !*error) {
            base_error_set (
                error, BASE_ERROR_NOT_FOUND,
                "cannot find pddt's own library libpddt-trace.so: the installation is incomplete");
        }
        return FALSE;
    }
    g_autofree char *from_programs = g_path_get_dirname (start),
                    *from_libraries = g_path_get_dirname (tracer),
                    *from_agent = g_path_get_dirname (runner),
                    *beside = g_build_filename (from_libraries, "python", NULL),
                    *shared = g_build_filename (from_libraries, "../../share/pddt/python",
                                                NULL);
    return copy_files (copy, from_programs, "", programs, error)
           && copy_files (copy, from_libraries, "", libraries, error)
           && copy_files (copy, from_agent, "agent/", agent, error)
           && copy_files (copy, g_file_test (beside, G_FILE_TEST_IS_DIR) ? beside : shared,
                          "python/", module, error);
}

/* The name of a folder made in `parent`, with all files and their checksums. NULL with the reason. */
static char *
make_copy (const char *parent, GError **error)
{
    g_autofree char *part = g_build_filename (parent, "part.XXXXXX", NULL), *python = NULL,
                    *agent = NULL, *sums = NULL;
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (GError) reason = NULL;
    Copy copy = { text, part };
    if (g_mkdir_with_parents (parent, 0700) < 0 || !g_mkdtemp (part)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot create %s: %s", parent,
                        g_strerror (errno));
        return NULL;
    }
    agent = g_build_filename (part, "agent", NULL);
    sums = g_build_filename (part, SUMS, NULL);
    python = g_build_filename (part, "python", NULL);
    if (mkdir (agent, 0700) == 0 && mkdir (python, 0700) == 0 && copy_all (&copy, error)
        && g_file_set_contents_full (sums, text->str, (gssize) text->len,
                                     G_FILE_SET_CONTENTS_NONE, 0600, &reason)) {
        return g_steal_pointer (&part);
    }
    if (error && !*error) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot write %s: %s", sums,
                        reason ? reason->message : g_strerror (errno));
    }
    char *const words[] = { (char *) "rm", (char *) "-rf", part, NULL };
    run_words ((char **) words);
    return NULL;
}

static char *
find_parent (GError **error)
{
    char *parent = g_build_filename (g_get_user_cache_dir (), "pddt", "carried", NULL);
    if (!g_path_is_absolute (parent) || parent[strspn (parent, SAFE)] != '\0') {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "cannot bring pddt to other hosts: launchers do not take the path %s; set XDG_CACHE_HOME to one without spaces",
            parent);
        g_clear_pointer (&parent, g_free);
    }
    return parent;
}

gboolean
launch_parcel_make (GError **error)
{
    g_autofree char *parent = here ? NULL : find_parent (error);
    g_autofree char *part = parent ? make_copy (parent, error) : NULL;
    g_autofree char *sum = part ? read_checksum (part) : NULL;
    if (!sum) {
        return here != NULL;
    }
    g_autofree char *folder = g_strdup_printf ("%s/" PDDT_VERSION "-%.16s", parent, sum);
    char *const look[] = {
        (char *) "sh", (char *) "-c", (char *) script, (char *) "pddt", (char *) "look", folder,
        sum,           NULL
    };
    char *const drop[] = { (char *) "rm", (char *) "-rf", part, NULL };
    int status = run_words ((char **) look);
    if (status == LACKS && rename (part, folder) == 0) {
        status = 0;
    } else {
        run_words ((char **) drop);
    }
    if (!check_status (status, g_get_host_name (), folder, error)) {
        return FALSE;
    }
    here = g_steal_pointer (&folder);
    launch_paths_set_host_folder (here);
    return TRUE;
}

/* ---- bringing it ---- */

gboolean
launch_parcel_is_here (void)
{
    g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
    g_autofree char *folder = self ? g_path_get_dirname (self) : g_strdup ("/");
    g_autofree char *sums = g_build_filename (folder, SUMS, NULL);
    if (!here && access (sums, R_OK) == 0) {
        here = g_steal_pointer (&folder);
    }
    return here != NULL;
}

/* For a shell on the other host: the script's own quotes are double. */
static char *
quote_script (const char *what, const char *sum)
{
    return g_strdup_printf ("exec sh -c '%s' pddt %s %s %s -", script, what, here, sum);
}

gboolean
launch_parcel_bring (GPtrArray *words, const char *host, gboolean has_shell, GError **error)
{
    g_autofree char *sum = read_checksum (here);
    g_autofree char *look = quote_script ("look", sum ? sum : ""),
                    *take = quote_script ("take", sum ? sum : "");
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    for (guint i = 0; i < words->len; i++) {
        g_ptr_array_add (argv, words->pdata[i]);
    }
    if (!has_shell) {
        g_ptr_array_add (argv, (gpointer) "sh");
        g_ptr_array_add (argv, (gpointer) "-c");
    }
    g_ptr_array_add (argv, look);
    g_ptr_array_add (argv, NULL);
    /* what an agent says that fails, it says again to who calls it next */
    int status = run_words_as ((char **) argv->pdata, G_SPAWN_STDERR_TO_DEV_NULL);
    if (status == LACKS) {
        const char *const pipe[] = { "sh", "-c", "tar -C \"$0\" -cf - . | \"$@\"", here };
        argv->pdata[argv->len - 2] = take;
        for (guint i = 0; i < G_N_ELEMENTS (pipe); i++) {
            g_ptr_array_insert (argv, (int) i, (gpointer) pipe[i]);
        }
        status = run_words ((char **) argv->pdata);
    }
    return check_status (status, host, here, error);
}

/* Once on each node of the allocation. */
static int
run_on_nodes (const char *n_nodes, const char *what, const char *sum, const char *tar)
{
    char *const words[] = { (char *) "srun",
                            (char *) "--quiet",
                            (char *) "--overlap",
                            (char *) "--mpi=none",
                            (char *) "--input=none",
                            (char *) "-N",
                            (char *) n_nodes,
                            (char *) "-n",
                            (char *) n_nodes,
                            (char *) "sh",
                            (char *) "-c",
                            (char *) script,
                            (char *) "pddt",
                            (char *) what,
                            here,
                            (char *) sum,
                            (char *) tar,
                            NULL };
    return run_words ((char **) words);
}

static gboolean
send_by_slurm (GError **error)
{
    const char *nodes = g_getenv ("SLURM_JOB_NUM_NODES") ? g_getenv ("SLURM_JOB_NUM_NODES")
                                                         : g_getenv ("SLURM_NNODES");
    g_autofree char *sum = read_checksum (here), *tar = g_strconcat (here, ".tar", NULL),
                    *mine = g_strconcat (tar, ".part", NULL);
    char *const pack[] = { (char *) "tar", (char *) "-C", here, (char *) "-cf",
                           mine,           (char *) ".",  NULL };
    char *const send[] = { (char *) "sbcast", (char *) "--force", mine, tar, NULL };
    int status = run_on_nodes (nodes ? nodes : "1", "look", sum ? sum : "", "-");
    if (status == LACKS) {
        status = run_words ((char **) pack) == 0 && run_words ((char **) send) == 0
                     ? run_on_nodes (nodes ? nodes : "1", "take", sum, tar)
                     : -1;
        unlink (mine);
    }
    if (status == 0 || !check_status (status, "the nodes of the job", here, error)) {
        return status == 0;
    }
    base_error_set (
        error, BASE_ERROR_DENIED,
        "cannot bring pddt to the nodes of the job: srun or sbcast failed, and said why");
    return FALSE;
}

gboolean
launch_parcel_send (const LaunchLine *line, gboolean has_agent, GError **error)
{
    const char *job = g_getenv ("SLURM_JOB_ID");
    if (!is_wanted || has_agent) { /* pddt-start brings it, host by host */
        return TRUE;
    }
    if (job && *job) {
        return send_by_slurm (error);
    }
    if (line->kind == LAUNCH_SRUN) {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "cannot bring pddt to nodes that srun has yet to choose: start pddt within salloc or sbatch");
    } else {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "cannot bring pddt to the hosts of this batch system: install pddt at the same path on each of them");
    }
    return FALSE;
}
