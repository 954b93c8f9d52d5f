/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prepares the user's command line: replaces pddt's words, recognises the launcher, and puts
 * the shim before every rank's program, by the launcher's own hook or in the line. */
#include "base/array.h"
#include "base/error.h"
#include "job/rank-set.h"
#include "launch/hosts-private.h"
#include "launch/launch.h"
#include "launch/launcher.h"
#include "launch/options-private.h"
#include "launch/parcel-private.h"
#include "launch/programs-private.h"
#include "launch/version.h"
#include <string.h>
#include <unistd.h>

/* FALSE: it does not say. */
static gboolean
detect_kind (const char *program, LaunchKind *ret_kind, GError **error)
{
    g_autofree char *text = launch_version_read (program, NULL, error);
    if (text) {
        *ret_kind = launch_launcher_recognise (text);
    }
    return text != NULL;
}

static void
ask_version (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
    GError *error = NULL;
    g_autofree char *text = launch_version_read (path, cancellable, &error);
    if (text) {
        g_task_return_boolean (task, TRUE);
    } else {
        g_task_return_error (task, error);
    }
}

/* The path of a program named without or with '/'. */
static char *
find_program (const char *name, GError **error)
{
    if (!strchr (name, '/')) {
        char *path = g_find_program_in_path (name);
        if (path) {
            return path;
        }
        LaunchKind kind = LAUNCH_NONE;
        launch_launcher_has_name (name, &kind);
        if (kind == LAUNCH_NONE) {
            base_error_set (error, BASE_ERROR_NOT_FOUND,
                            "cannot start %s: no such program in PATH", name);
        } else if (kind == LAUNCH_SRUN) {
            base_error_set (error, BASE_ERROR_NOT_FOUND,
                            "cannot find %s: load your Slurm module", name);
        } else {
            base_error_set (error, BASE_ERROR_NOT_FOUND,
                            "cannot find %s: install openmpi-bin or load your MPI module",
                            name);
        }
        return NULL;
    }
    if (!g_file_test (name, G_FILE_TEST_EXISTS)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot start %s: no such file", name);
        return NULL;
    }
    if (g_file_test (name, G_FILE_TEST_IS_DIR)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot start %s: it is a folder", name);
        return NULL;
    }
    if (access (name, X_OK) < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot start %s: it is not executable",
                        name);
        return NULL;
    }
    return g_strdup (name);
}

static gboolean
is_runner (const char *word)
{
    return strcmp (word, "%python_debug%") == 0 || strcmp (word, "%allinea_python_debug%") == 0;
}

char **
launch_line_dup_plain (const char *const *argv)
{
    GStrvBuilder *words = g_strv_builder_new ();
    char **plain;

    for (gsize i = 0; argv[i] != NULL; i++) {
        if (!is_runner (argv[i]) && strcmp (argv[i], LAUNCH_MARK) != 0) {
            g_strv_builder_add (words, argv[i]);
        }
    }
    plain = g_strv_builder_end (words);
    g_strv_builder_unref (words);
    return plain;
}

static gboolean
replace_runner (LaunchLine *line, const char *const *argv, GError **error)
{
    g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
    for (gsize i = 0; argv[i]; i++) {
        gboolean is_word = is_runner (argv[i]);
        if (is_word && line->is_measured) {
            continue;
        }
        if (is_word) {
            char *runner = launch_find_runner (error);
            if (!runner) {
                return FALSE;
            }
            g_ptr_array_add (words, runner);
            line->has_runner = TRUE;
        } else {
            g_ptr_array_add (words, g_strdup (argv[i]));
        }
    }
    g_ptr_array_add (words, NULL);
    line->argv = (char **) g_ptr_array_steal (words, NULL);
    return TRUE;
}

static GPtrArray *
make_shim_words (const char *shim, const LaunchSession *session, const char *input_ranks,
                 const LaunchLine *pmix)
{
    GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (words, g_strdup (shim));
    g_ptr_array_add (words, g_strdup ("--session"));
    g_ptr_array_add (words, g_strdup (session->directory));
    if (input_ranks) {
        g_ptr_array_add (words, g_strdup ("--input"));
        g_auto (GStrv) parts = g_strsplit_set (input_ranks, " \t", -1);
        g_ptr_array_add (words, g_strjoinv ("", parts));
    }
    if (session->randomise) {
        g_ptr_array_add (words, g_strdup ("--randomise"));
    }
    if (session->trace_folder) { /* hooks are split at spaces */
        g_ptr_array_add (words, g_strdup ("--trace"));
        g_ptr_array_add (words, g_uri_escape_string (session->trace_folder, "/", FALSE));
    }
    if (pmix) {
        g_ptr_array_add (words, g_strdup ("--pmix"));
        g_ptr_array_add (words, g_strdup_printf ("%u", launch_line_find_size (pmix)));
    }
    g_ptr_array_add (words, g_strdup ("--"));
    return words;
}

/* Hooks are split at spaces: if the shim's path contains one, uses a link in the session's
 * directory, whose path does not. */
static char *
find_shim (const LaunchSession *session, GError **error)
{
    g_autofree char *shim = launch_find_program ("pddt-start", error);
    if (!shim || !strpbrk (shim, " \t\"'\\")) {
        return g_steal_pointer (&shim);
    }
    char *link = g_build_filename (session->directory, "start", NULL);
    if (symlink (shim, link) < 0 && access (link, X_OK) < 0) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot create %s", link);
        g_clear_pointer (&link, g_free);
    }
    return link;
}

static char **
make_hook_environment (const LaunchLauncher *launcher, GPtrArray *shim_words)
{
    GString *hook = g_string_new (launcher->hook);
    g_string_append_c (hook, '=');
    for (guint i = 0; i < shim_words->len; i++) {
        g_string_append_printf (hook, "%s%s", i > 0 ? " " : "", (char *) shim_words->pdata[i]);
    }
    GPtrArray *environment = g_ptr_array_new ();
    g_ptr_array_add (environment, g_string_free (hook, FALSE));
    g_ptr_array_add (environment, NULL);
    return (char **) g_ptr_array_free (environment, FALSE);
}

/* Right behind the launcher's name. */
static void
insert_options (LaunchLine *line, const char *const *options)
{
    GPtrArray *words = g_ptr_array_new ();
    g_ptr_array_add (words, line->final_argv[0]);
    for (guint i = 0; options[i]; i++) {
        g_ptr_array_add (words, g_strdup (options[i]));
    }
    for (guint i = 1; line->final_argv[i]; i++) {
        g_ptr_array_add (words, line->final_argv[i]);
    }
    g_ptr_array_add (words, NULL);
    g_free (line->final_argv);
    line->final_argv = (char **) g_ptr_array_free (words, FALSE);
}

static gboolean
is_program (GArray *programs, guint index)
{
    return programs && BASE_ANY (i, programs->len, g_array_index (programs, guint, i) == index);
}

/* The line with the shim before each program, and without marks. */
static char **
insert_shim (char **argv, GArray *programs, GPtrArray *shim_words)
{
    GPtrArray *words = g_ptr_array_new ();
    for (guint i = 0; argv[i]; i++) {
        for (guint j = 0; shim_words && is_program (programs, i) && j < shim_words->len; j++) {
            g_ptr_array_add (words, g_strdup (shim_words->pdata[j]));
        }
        if (strcmp (argv[i], LAUNCH_MARK) != 0) {
            g_ptr_array_add (words, g_strdup (argv[i]));
        }
    }
    g_ptr_array_add (words, NULL);
    return (char **) g_ptr_array_free (words, FALSE);
}

/* A launcher finds a relative program in the folder that such an option names. */
static gboolean
changes_folder (char **argv)
{
    static const char *const names[] = { "-wdir",   "--wdir", "-wd",
                                         "--wd",    "-path",  "--path",
                                         "--chdir", "-D",     "--preload-binary",
                                         "-s",      NULL };
    for (guint i = 1; argv[i]; i++) {
        if (g_strv_contains (names, argv[i]) || g_str_has_prefix (argv[i], "--chdir=")) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
check_programs (char **argv, GArray *programs, GError **error)
{
    gboolean elsewhere = changes_folder (argv);
    for (guint i = 0; i < programs->len; i++) {
        const char *program = argv[g_array_index (programs, guint, i)];
        if (!strchr (program, '/') || (elsewhere && !g_path_is_absolute (program))) {
            continue;
        }
        g_autofree char *path = find_program (program, error);
        if (!path) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Without the table's help: the interpreter is before the runner, its options between. */
static GArray *
find_interpreter (char **argv)
{
    GArray *programs = g_array_new (FALSE, FALSE, sizeof (guint));
    for (guint i = 1; argv[i]; i++) {
        if (!strstr (argv[i], "pddt_runner")) {
            continue;
        }
        guint at = i - 1;
        while (at > 1 && argv[at][0] == '-') {
            at--;
        }
        g_array_append_val (programs, at);
    }
    return programs;
}

static GArray *
find_programs (LaunchLine *line, guint file, GError **error)
{
    if (file != 0) { /* it names them; Hydra takes none beside it */
        return g_array_new (FALSE, FALSE, sizeof (guint));
    }
    if (line->kind == LAUNCH_NONE) {
        guint first = strcmp (line->argv[0], LAUNCH_MARK) == 0 && line->argv[1] ? 1 : 0;
        GArray *programs = g_array_new (FALSE, FALSE, sizeof (guint));
        return g_array_append_val (programs, first);
    }
    g_autoptr (GError) reason = NULL;
    GArray *programs = launch_options_find_programs (line->kind,
                                                     (const char *const *) line->argv, &reason);
    if (!programs && line->has_runner) {
        return find_interpreter (line->argv);
    }
    if (!programs && launch_launcher_get (line->kind)->hook) {
        return g_array_new (FALSE, FALSE, sizeof (guint)); /* the hook needs no programs */
    }
    if (!programs) {
        g_propagate_error (error, g_steal_pointer (&reason));
    }
    return programs;
}

/* By the launcher's variable or option; by none where the user has an option of their own. */
static void
ask_for_tags (LaunchLine *line)
{
    const LaunchLauncher *launcher = launch_launcher_get (line->kind);
    if (launcher->own_tag_options
        && launch_hosts_has_option (line, launcher->own_tag_options)) {
        return;
    }
    line->tags = launcher->tags;
    if (launcher->tag_variable) {
        line->environment = g_environ_setenv (line->environment, launcher->tag_variable,
                                              launcher->tag_value, TRUE);
    }
    if (launcher->tag_option) {
        g_autofree char *value = launcher->tag_value
                                     ? g_strdup (launcher->tag_value)
                                     : g_strdup_printf ("[%u,%%r]<pddt>:",
                                                        g_random_int_range (1 << 20, 1 << 30));
        const char *const words[] = { launcher->tag_option, value, NULL };
        insert_options (line, words);
    }
}

static gboolean
place_shim (LaunchLine *line, const LaunchSession *session, const char *input_ranks,
            GError **error)
{
    const LaunchLauncher *launcher = launch_launcher_get (line->kind);
    guint file = line->kind != LAUNCH_NONE ? launch_programs_find_file (line->kind, line->argv)
                                           : 0;
    g_autoptr (GArray) programs = find_programs (line, file, error);
    g_autofree char *shim = programs ? find_shim (session, error) : NULL;
    if (!shim || !check_programs (line->argv, programs, error)) {
        return FALSE;
    }
    g_autoptr (GPtrArray) shim_words = make_shim_words (shim, session, input_ranks,
                                                        launcher->hides_size ? line : NULL);
    gboolean has_hook = launcher->hook != NULL;
    if (file != 0
        && !launch_programs_rewrite (line->kind, line->argv, file, session,
                                     has_hook ? NULL : shim_words, &line->has_runner, error)) {
        return FALSE;
    }
    line->environment = has_hook ? make_hook_environment (launcher, shim_words)
                                 : g_new0 (char *, 1);
    line->final_argv = insert_shim (line->argv, programs, has_hook ? NULL : shim_words);
    line->session_directory = g_strdup (session->directory);
    line->leaves_host = launch_hosts_may_leave (line, g_getenv);
    if (!line->is_measured) {
        ask_for_tags (line);
    }
    return TRUE;
}

static gboolean
check_input (const char *input_ranks, GError **error)
{
    g_autoptr (JobRankSet) set = NULL;
    if (!input_ranks || strcmp (input_ranks, "all") == 0) {
        return TRUE;
    }
    set = job_rank_set_parse (input_ranks, G_MAXUINT32, error);
    return set != NULL;
}

LaunchLine *
launch_line_new (const char *const *argv, const LaunchSession *session, const char *input_ranks,
                 GError **error)
{
    if (!argv || !argv[0]) {
        base_error_set (error, BASE_ERROR_INVALID, "cannot start a job: no command");
        return NULL;
    }
    if (!check_input (input_ranks, error)) {
        return NULL;
    }
    LaunchLine *line = g_new0 (LaunchLine, 1);
    line->is_measured = session->is_measured;
    gboolean is_marked = strcmp (argv[0], LAUNCH_MARK) == 0 && argv[1];
    const char *program = argv[is_marked ? 1 : 0];
    gboolean is_launcher = !is_marked && launch_launcher_has_name (program, NULL);
    g_autofree char *path = find_program (program, error);
    if (path && is_launcher && !detect_kind (path, &line->kind, error)) {
        g_clear_pointer (&path, g_free);
    }
    if (path && is_launcher && line->kind == LAUNCH_NONE) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot use %s: its --version is not that "
                        "of Open MPI, MPICH or Slurm; run pddt -- %s %s … to debug %s itself",
                        program, LAUNCH_MARK, program, program);
        g_clear_pointer (&path, g_free);
    }
    gboolean is_carried = line->kind != LAUNCH_NONE && launch_parcel_is_wanted ();
    if (!path || (is_carried && !launch_parcel_make (error))
        || !replace_runner (line, argv, error)
        || !place_shim (line, session, input_ranks, error)) {
        launch_line_free (line);
        return NULL;
    }
    return line;
}

void
launch_line_begin (const char *const *argv)
{
    g_autofree char *path = argv[0] && launch_launcher_has_name (argv[0], NULL)
                                ? find_program (argv[0], NULL)
                                : NULL;
    if (path) {
        launch_version_begin (path);
    }
}

void
launch_line_ask_version_async (const char *const *argv, GCancellable *cancellable,
                               GAsyncReadyCallback done, gpointer user)
{
    g_autoptr (GTask) task = g_task_new (NULL, cancellable, done, user);
    char *path = launch_launcher_has_name (argv[0], NULL) ? find_program (argv[0], NULL) : NULL;
    if (!path) {
        g_task_return_boolean (task, TRUE);
        return;
    }
    g_task_set_task_data (task, path, g_free);
    g_task_run_in_thread (task, ask_version);
}

gboolean
launch_line_ask_version_finish (GAsyncResult *result, GError **error)
{
    return g_task_propagate_boolean (G_TASK (result), error);
}

/* Which script or module an interpreter with these words runs; NULL: none. */
static const char *
find_script (const char *const *words)
{
    for (guint i = 1; words[i]; i++) {
        if (strcmp (words[i], "-m") == 0) {
            return words[i + 1];
        }
        if (strcmp (words[i], "-c") == 0) {
            return NULL;
        }
        if (words[i][0] != '-' && words[i][0] != '%') {
            return words[i];
        }
    }
    return NULL;
}

char *
launch_line_dup_program_name (const char *const *argv)
{
    guint at = strcmp (argv[0], LAUNCH_MARK) == 0 && argv[1] ? 1 : 0;
    LaunchKind kind;
    if (at == 0 && launch_launcher_has_name (argv[0], &kind)) {
        g_autoptr (GArray) programs = launch_options_find_programs (kind, argv, NULL);
        at = programs ? g_array_index (programs, guint, 0) : 0;
    }
    g_autofree char *name = g_path_get_basename (argv[at]);
    const char *script = g_str_has_prefix (name, "python") ? find_script (argv + at) : NULL;
    if (script) {
        g_free (name);
        name = g_path_get_basename (script);
    }
    if (g_str_has_suffix (name, ".py")) {
        name[strlen (name) - 3] = '\0';
    }
    return g_steal_pointer (&name);
}

const char *
launch_line_find_program (const char *const *argv)
{
    LaunchKind kind;
    g_autoptr (GArray) programs = launch_launcher_has_name (argv[0], &kind)
                                      ? launch_options_find_programs (kind, argv, NULL)
                                      : NULL;
    return programs && programs->len > 0 ? argv[g_array_index (programs, guint, 0)] : NULL;
}

/* The user's "--export=LIST" tells srun what to pass on; "NONE" is an empty list. */
static char *
extend_export (const char *list)
{
    gboolean is_empty = strcmp (list, "NONE") == 0 || strcmp (list, "NIL") == 0
                        || *list == '\0';
    return is_empty ? g_strdup (LAUNCH_KEY_VARIABLE)
                    : g_strconcat (list, "," LAUNCH_KEY_VARIABLE, NULL);
}

static void
export_by_srun (LaunchLine *line)
{
    static const char option[] = "--export";
    const char *given = g_getenv ("SLURM_EXPORT_ENV");
    gboolean has_option = launch_hosts_has_option (line, " export ");
    for (guint i = 1; has_option && line->final_argv[i]; i++) { /* the first is srun's own */
        char *word = line->final_argv[i];
        gboolean is_next = strcmp (word, option) == 0 && line->final_argv[i + 1];
        if (!is_next && !g_str_has_prefix (word, "--export=")) {
            continue;
        }
        char **at = &line->final_argv[is_next ? i + 1 : i];
        g_autofree char *before = *at;
        g_autofree char *list = extend_export (is_next ? before : before + strlen (option) + 1);
        *at = is_next ? g_steal_pointer (&list) : g_strconcat (option, "=", list, NULL);
        return;
    }
    if (given && *given) {
        g_autofree char *list = extend_export (given);
        line->environment = g_environ_setenv (line->environment, "SLURM_EXPORT_ENV", list,
                                              TRUE);
    }
}

/* Open MPI passes on only named variables: by -x if the user has one, else by the parameter,
 * because mpirun refuses both together. */
void
launch_line_carry_word (LaunchLine *line, const char *word)
{
    line->environment = g_environ_setenv (line->environment, LAUNCH_KEY_VARIABLE, word, TRUE);
    if (line->kind == LAUNCH_SRUN) {
        export_by_srun (line);
    }
    if (line->kind != LAUNCH_OPEN_MPI_4 && line->kind != LAUNCH_OPEN_MPI_5) {
        return;
    }
    if (launch_hosts_has_option (line, " x ")) {
        const char *const words[] = { "-x", LAUNCH_KEY_VARIABLE, NULL };
        insert_options (line, words);
        return;
    }
    const char *given = g_getenv (LAUNCH_KEY_LIST);
    g_autofree char *names = given && *given
                                 ? g_strconcat (given, ";" LAUNCH_KEY_VARIABLE, NULL)
                                 : g_strdup (LAUNCH_KEY_VARIABLE);
    line->environment = g_environ_setenv (line->environment, LAUNCH_KEY_LIST, names, TRUE);
}

/* Open MPI ends the rest of a job that lost a rank in two steps, with this delay before each. A
 * user's own setting takes precedence. */
void
launch_line_delay_abort (LaunchLine *line, guint seconds)
{
    const LaunchLauncher *launcher = launch_launcher_get (line->kind);
    if (!launcher->abort_parameter
        || g_strv_contains ((const char *const *) line->argv, launcher->abort_parameter)) {
        return;
    }
    g_autofree char *name = g_strconcat (launcher->abort_prefix, launcher->abort_parameter,
                                         NULL);
    if (g_getenv (name)) {
        return;
    }
    g_autofree char *value = g_strdup_printf ("%u", seconds);
    line->environment = g_environ_setenv (line->environment, name, value, TRUE);
    line->is_abort_delayed = TRUE;
}

BASE_FREE_PUBLIC (launch_line_free, LaunchLine, line, g_strfreev (line->argv);
                  g_strfreev (line->environment); g_strfreev (line->final_argv);
                  g_free (line->session_directory))
