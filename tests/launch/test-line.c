/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines made ready with launchers that only say who they are, and the session's files. */
#include "base/error.h"
#include "../support/pseudo.h"
#include "launch/hand-over.h"
#include "launch/launch.h"
#include "launch/shim.h"
#include "../support/folder.h"
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define KEY "0123456789012345678901234567890123456789"

static char *folder;
static LaunchSession *session;

/* A launcher or program in the test's folder, first in PATH. */
static void
make_script (const char *name, const char *says)
{
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_autofree char *text = g_strdup_printf ("#!/bin/sh\necho '%s'\n", says);
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
    g_chmod (path, 0700);
}

static LaunchLine *
make_line (const char *text, GError **error)
{
    g_auto (GStrv) argv = g_strsplit (text, " ", -1);
    return launch_line_new ((const char *const *) argv, session, NULL, error);
}

static void
test_open_mpi (void)
{
    make_script ("mpirun", "mpirun (Open MPI) 4.1.4");
    LaunchLine *line = make_line ("mpirun -np 2 /bin/true a", NULL);
    g_autofree char *final = g_strjoinv (" ", line->final_argv);
    g_assert_cmpint (line->kind, ==, LAUNCH_OPEN_MPI_4);
    g_assert_cmpint (line->tags, ==, LAUNCH_TAGS_STREAM);
    g_assert_cmpstr (final, ==, "mpirun -np 2 /bin/true a");
    g_assert_true (g_str_has_prefix (line->environment[0], "OMPI_MCA_orte_fork_agent=/"));
    g_assert_nonnull (strstr (line->environment[0], session->directory));
    g_assert_cmpstr (line->environment[1], ==, "OMPI_MCA_orte_tag_output=1");
    launch_line_free (line);
    line = make_line ("mpirun --unknown 2 %pddt% /bin/true", NULL);
    g_autofree char *marked = g_strjoinv (" ", line->final_argv);
    g_assert_cmpstr (marked, ==, "mpirun --unknown 2 /bin/true");
    launch_line_free (line);
}

/* PRRTE has no variable for tags, so that pddt asks by an option, but not beside the user's own. */
static void
test_prrte (void)
{
    make_script ("mpirun", "mpirun (Open MPI) 5.0.7");
    LaunchLine *line = make_line ("mpirun -np 2 /bin/true", NULL);
    g_autofree char *final = g_strjoinv (" ", line->final_argv);
    g_assert_cmpint (line->tags, ==, LAUNCH_TAGS_SPACED);
    g_assert_cmpstr (final, ==, "mpirun --output tag:raw -np 2 /bin/true");
    launch_line_free (line);
    line = make_line ("mpirun --output=dir=x -np 2 /bin/true", NULL);
    g_assert_cmpint (line->tags, ==, LAUNCH_TAGS_NONE);
    launch_line_free (line);
}

static void
test_hydra (void)
{
    make_script ("mpiexec", "HYDRA build details:");
    LaunchLine *line = make_line ("mpiexec -n 1 /bin/true a : -n 1 /bin/false", NULL);
    g_autofree char *final = g_strjoinv (" ", line->final_argv);
    g_autofree char *wanted = g_strdup_printf (
        "mpiexec -prepend-pattern %3$s -n 1 %1$s --session %2$s -- /bin/true a : -n 1 %1$s --session "
        "%2$s -- /bin/false",
        line->final_argv[5], session->directory, line->final_argv[2]);
    g_assert_cmpint (line->tags, ==, LAUNCH_TAGS_PATTERN);
    g_assert_true (g_str_has_suffix (line->final_argv[2], ",%r]<pddt>:"));
    g_assert_cmpint (line->kind, ==, LAUNCH_HYDRA);
    g_assert_cmpstr (final, ==, wanted);
    launch_line_free (line);
}

/* A file in the test's folder; its path. */
static char *
make_file (const char *name, const char *text)
{
    char *path = g_build_filename (folder, name, NULL);
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
    return path;
}

static void
check_copy (const char *path, const char *form)
{
    g_autofree char *shim = launch_find_program ("pddt-start", NULL);
    g_autofree char *words = g_strdup_printf ("%s --session %s -- ", shim, session->directory);
    g_auto (GStrv) parts = g_strsplit (form, "SHIM ", -1);
    g_autofree char *wanted = g_strjoinv (words, parts);
    g_autofree char *text = NULL;
    g_assert_true (g_str_has_prefix (path, session->directory));
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_assert_cmpstr (text, ==, wanted);
}

/* Programs named in a file get the shim there, and all else stays byte for byte. */
static void
test_files_of_programs (void)
{
    g_autofree char *lines
        = make_file ("lines", "# two\n-n 1  /bin/true a : -n 2 /bin/false\n\n -n=1 ./x");
    g_autofree char *many = make_file ("many", "0 ./a  b\n1-3 /bin/true %t\n");
    g_autofree char *hydra = g_strdup_printf ("mpiexec -configfile %s", lines);
    g_autofree char *equal = g_strdup_printf ("mpiexec --configfile=%s", lines);
    g_autofree char *slurm = g_strdup_printf ("srun -n 4 --multi-prog %s", many);
    g_autofree char *missing = g_strdup ("mpiexec -configfile /no/such");
    const char *form
        = "# two\n-n 1  SHIM /bin/true a : -n 2 SHIM /bin/false\n\n -n=1 SHIM ./x\n";
    g_autoptr (GError) error = NULL;

    make_script ("mpiexec", "HYDRA build details:");
    make_script ("srun", "slurm 22.05.8");
    LaunchLine *line = make_line (hydra, NULL);
    check_copy (line->final_argv[4], form);
    launch_line_free (line);
    line = make_line (equal, NULL);
    g_assert_true (g_str_has_prefix (line->final_argv[3], "--configfile=/"));
    check_copy (strchr (line->final_argv[3], '/'), form);
    launch_line_free (line);
    line = make_line (slurm, NULL);
    g_assert_cmpint (g_strv_length (line->final_argv), ==, 5);
    check_copy (line->final_argv[4], "0 SHIM ./a  b\n1-3 SHIM /bin/true %t\n");
    launch_line_free (line);
    g_assert_null (make_line (missing, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
}

/* A time of the user's own is obeyed; others than Open MPI have none. */
static void
test_delayed_abort (void)
{
    make_script ("mpirun", "mpirun (Open MPI) 4.1.4");
    LaunchLine *line = make_line ("mpirun -np 2 /bin/true", NULL);
    launch_line_delay_abort (line, 7);
    g_assert_cmpstr (g_environ_getenv (line->environment, "OMPI_MCA_odls_base_sigkill_timeout"),
                     ==, "7");
    g_assert_true (line->is_abort_delayed);
    launch_line_free (line);
    line = make_line ("mpirun -mca odls_base_sigkill_timeout 2 -np 2 /bin/true", NULL);
    launch_line_delay_abort (line, 7);
    g_assert_false (line->is_abort_delayed);
    launch_line_free (line);
    make_script ("mpiexec", "HYDRA build details:");
    line = make_line ("mpiexec -n 2 /bin/true", NULL);
    launch_line_delay_abort (line, 7);
    g_assert_false (line->is_abort_delayed);
    launch_line_free (line);
}

static void
test_plain (void)
{
    LaunchLine *line = make_line ("sh -c true", NULL);
    g_assert_cmpint (line->kind, ==, LAUNCH_NONE);
    g_assert_cmpint (line->tags, ==, LAUNCH_TAGS_NONE);
    g_assert_true (g_str_has_suffix (line->final_argv[0], "pddt-start"));
    g_assert_cmpstr (line->final_argv[3], ==, "--");
    g_assert_cmpstr (line->final_argv[4], ==, "sh");
    launch_line_free (line);
}

static gboolean has_language;

/* In English for terminals and scripts, and in the user's language for a window. */
static void
test_errors (void)
{
    static const struct {
        const char *line;
        int code;
        const char *message;
    } cases[] = {
        { "./no-such-ring", BASE_ERROR_NOT_FOUND, "cannot start ./no-such-ring: no such file" },
        { "no-such-ring", BASE_ERROR_NOT_FOUND,
          "cannot start no-such-ring: no such program in PATH" },
        { "/tmp", BASE_ERROR_DENIED, "cannot start /tmp: it is a folder" },
        { "/etc/passwd", BASE_ERROR_DENIED, "cannot start /etc/passwd: it is not executable" },
        { "mpirun -np 2 ./no-such-ring", BASE_ERROR_NOT_FOUND,
          "cannot start ./no-such-ring: no such file" },
        { "orterun -np 2 x", BASE_ERROR_NOT_FOUND,
          "cannot find orterun: install openmpi-bin or load your MPI module" },
    };
    g_autofree char *path = g_strdup (g_getenv ("PATH"));
    make_script ("mpirun", "mpirun (Open MPI) 4.1.4");
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autoptr (GError) error = NULL;
        if (i + 1 == G_N_ELEMENTS (cases)) {
            g_setenv ("PATH", folder, TRUE);
        }
        g_assert_null (make_line (cases[i].line, &error));
        g_assert_error (error, BASE_ERROR, cases[i].code);
        g_assert_cmpstr (error->message, ==, cases[i].message);
        if (has_language) {
            pseudo_check (error->message, base_error_get_shown (error));
        }
    }
    g_setenv ("PATH", path, TRUE);
}

static void
test_session (void)
{
    g_autoptr (GError) error = NULL;
    g_assert_null (launch_session_load (session->directory, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND);
    g_clear_error (&error);
    g_assert_true (launch_session_publish (session, "tcp://127.0.0.1:1", &error));
    LaunchSession *loaded = launch_session_load (session->directory, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (loaded->id, ==, session->id);
    g_assert_cmpstr (loaded->endpoint, ==, "tcp://127.0.0.1:1");
    g_assert_cmpstr (loaded->secret_key, ==, KEY);
    launch_session_free (loaded);
    g_autofree char *key = g_build_filename (session->directory, "key", NULL);
    g_chmod (key, 0644);
    g_assert_null (launch_session_load (session->directory, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_DENIED);
}

static void
test_host_directory (void)
{
    g_autoptr (GError) error = NULL;
    g_assert_null (launch_host_directory_open ("../evil", &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    g_clear_error (&error);
    g_autofree char *path = launch_host_directory_open (session->id, &error);
    g_assert_no_error (error);
    g_chmod (path, 0755);
    g_assert_null (launch_host_directory_open (session->id, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_DENIED);
    g_clear_error (&error);
    g_rmdir (path);
    g_assert_cmpint (symlink (folder, path), ==, 0);
    g_assert_null (launch_host_directory_open (session->id, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_DENIED);
    g_unlink (path);
}

static const char *const *variables;

static const char *
find_variable (const char *name)
{
    return g_environ_getenv ((char **) variables, name);
}

static void
test_rank_info (void)
{
    const char *const open_mpi[]
        = { "OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1",
            "SLURM_PROCID=0",         "SLURM_NTASKS=1",         NULL };
    const char *const pmi[] = { "PMI_RANK=2", "PMI_SIZE=4", "MPI_LOCALRANKID=0", NULL };
    const char *const wrong[] = { "PMI_RANK=9", "PMI_SIZE=4", NULL };
    variables = open_mpi;
    LaunchRankInfo info = launch_rank_info_read (find_variable);
    g_assert_cmpuint (info.rank, ==, 3);
    g_assert_cmpuint (info.size, ==, 8);
    g_assert_cmpuint (info.local_rank, ==, 1);
    variables = pmi;
    info = launch_rank_info_read (find_variable);
    g_assert_cmpuint (info.rank, ==, 2);
    g_assert_cmpuint (info.local_rank, ==, 0);
    const char *const pmix[] = { "PMIX_RANK=3", "SLURM_PROCID=0", "SLURM_NTASKS=1", NULL };
    variables = pmix;
    g_assert_true (launch_rank_info_find (find_variable, 4, &info));
    g_assert_cmpuint (info.rank, ==, 3);
    g_assert_cmpuint (info.size, ==, 4);
    g_assert_false (launch_rank_info_find (find_variable, 3, &info));
    g_assert_false (launch_rank_info_find (find_variable, 0, &info));
    g_assert_true (launch_rank_info_find (find_variable, -1, &info));
    g_assert_cmpuint (info.rank, ==, 0);
    variables = open_mpi;
    g_assert_true (launch_rank_info_find (find_variable, 0, &info));
    g_assert_cmpuint (info.size, ==, 8);
    variables = wrong;
    info = launch_rank_info_read (find_variable);
    g_assert_cmpuint (info.rank, ==, 0);
    g_assert_cmpuint (info.size, ==, 1);
}

static void
test_size (void)
{
    static const struct {
        const char *line;
        guint size;
    } lines[] = {
        { "mpirun -np 2 /bin/true -np 7", 2 },
        { "mpirun --mca a 5 --n 3 /bin/true", 3 },
        { "mpirun -n 1 /bin/true a : -c 4 /bin/false", 5 },
        { "mpirun -n 1 /bin/true : /bin/false", 0 },
        { "mpirun -npernode 2 /bin/true", 0 },
        { "srun -n4 -c 8 /bin/true", 4 },
        { "srun --ntasks=12 -N 2 /bin/true", 12 },
        { "srun -N 2 /bin/true", 0 },
        { "mpiexec -ppn 2 -np 6 /bin/true : -n 2 /bin/true", 8 },
        { "/bin/true -n 4", 1 },
    };

    make_script ("mpirun", "mpirun (Open MPI) 4.1.4");
    make_script ("mpiexec", "HYDRA build details:");
    make_script ("srun", "slurm 22.05");
    for (gsize i = 0; i < G_N_ELEMENTS (lines); i++) {
        LaunchLine *line = make_line (lines[i].line, NULL);

        g_assert_nonnull (line);
        g_assert_cmpuint (launch_line_find_size (line), ==, lines[i].size);
        launch_line_free (line);
    }
}

int
main (int argc, char **argv)
{
    folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    g_autofree char *path = g_strdup_printf ("%s:%s", folder, g_getenv ("PATH"));
    g_setenv ("PATH", path, TRUE);
    g_setenv ("XDG_STATE_HOME", folder, TRUE);
    g_test_init (&argc, &argv, NULL);
    has_language = pseudo_open ();
    session = launch_session_new (KEY, KEY, KEY, NULL);
    g_test_add_func ("/line/open-mpi", test_open_mpi);
    g_test_add_func ("/line/prrte", test_prrte);
    g_test_add_func ("/line/hydra", test_hydra);
    g_test_add_func ("/line/plain", test_plain);
    g_test_add_func ("/line/files-of-programs", test_files_of_programs);
    g_test_add_func ("/line/delayed-abort", test_delayed_abort);
    g_test_add_func ("/line/size", test_size);
    g_test_add_func ("/line/errors", test_errors);
    g_test_add_func ("/session/files", test_session);
    g_test_add_func ("/host-directory/strangers", test_host_directory);
    g_test_add_func ("/rank-info/launchers", test_rank_info);
    int status = g_test_run ();
    launch_session_remove (session);
    folder_remove (folder);
    return status;
}
