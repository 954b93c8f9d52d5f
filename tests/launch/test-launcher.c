/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of launchers: what their --version says, their names, and that its options are among
 * those of the option tables. */
#include "launch/launcher.h"
#include "launch/options-private.h"
#include <string.h>

static void
test_versions (void)
{
    static const struct {
        const char *text;
        LaunchKind kind;
    } cases[] = {
        { "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n",
          LAUNCH_OPEN_MPI_4 },
        { "orterun (OpenRTE) 4.1.4\n", LAUNCH_OPEN_MPI_4 },
        { "mpirun (Open MPI) 3.1.6\n", LAUNCH_OPEN_MPI_4 },
        { "mpirun (Open MPI) 5.0.3\n", LAUNCH_OPEN_MPI_5 },
        { "prun (PRRTE) 3.0.2\n", LAUNCH_OPEN_MPI_5 },
        { "HYDRA build details:\n    Version: 4.0.2\n", LAUNCH_HYDRA },
        { "slurm 22.05.8\n", LAUNCH_SRUN },
        { "wrapper of slurm 22.05.8\n", LAUNCH_NONE },
        { "mpirun 1.0\n", LAUNCH_NONE },
        { "", LAUNCH_NONE },
    };
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_test_message ("%s", cases[i].text);
        g_assert_cmpint (launch_launcher_recognise (cases[i].text), ==, cases[i].kind);
    }
}

static void
test_names (void)
{
    LaunchKind kind = LAUNCH_NONE;
    g_assert_true (launch_launcher_has_name ("/opt/mpich/bin/mpiexec.hydra", &kind));
    g_assert_cmpint (kind, ==, LAUNCH_HYDRA);
    g_assert_true (launch_launcher_has_name ("srun", &kind));
    g_assert_cmpint (kind, ==, LAUNCH_SRUN);
    g_assert_false (launch_launcher_has_name ("mpirun.sh", &kind));
    g_assert_false (launch_launcher_has_name ("./srun/ring", NULL));
    g_assert_cmpint (kind, ==, LAUNCH_SRUN);
    for (const char *const *name = launch_launcher_list_names (); *name; name++) {
        g_assert_true (launch_launcher_has_name (*name, NULL));
    }
}

static void
check_known (LaunchKind kind, const char *name, int n_arguments)
{
    g_test_message ("kind %d, option %s", (int) kind, name);
    g_assert_cmpint (launch_options_find (kind, name, NULL), ==, n_arguments);
}

/* A line with the launcher's own options must be readable by the table of its options. */
static void
test_options (void)
{
    for (LaunchKind kind = LAUNCH_OPEN_MPI_4; kind <= LAUNCH_SRUN; kind++) {
        const LaunchLauncher *launcher = launch_launcher_get (kind);
        g_autofree char *word = g_strdup_printf (" %s ", launcher->size_word + 1);
        g_assert_cmpint (launcher->kind, ==, kind);
        g_assert_nonnull (strstr (launcher->size_options, word));
        check_known (kind, launcher->size_word + 1, 1);
        check_known (kind, launcher->file_option, launcher->file_is_program ? 0 : 1);
        if (launcher->tag_option) {
            check_known (kind, launcher->tag_option + strspn (launcher->tag_option, "-"), 1);
        }
        g_assert_true ((launcher->tags == LAUNCH_TAGS_PATTERN)
                       == (launcher->tag_option && !launcher->tag_value));
        g_assert_true (!launcher->tag_variable || launcher->tag_value);
        g_assert_true (!launcher->tag_option == !launcher->own_tag_options);
        g_assert_true (!launcher->abort_parameter == !launcher->abort_prefix);
        for (guint i = 0;
             launcher->agent && !launcher->agent->parameters && launcher->agent->names[i];
             i++) {
            check_known (kind, launcher->agent->names[i], 1);
        }
    }
}

/* A plain program has none of what the launchers have. */
static void
test_none (void)
{
    const LaunchLauncher *none = launch_launcher_get (LAUNCH_NONE);
    g_assert_cmpint (none->kind, ==, LAUNCH_NONE);
    g_assert_cmpint (none->tags, ==, LAUNCH_TAGS_NONE);
    g_assert_null (none->hook);
    g_assert_null (none->agent);
    g_assert_null (none->versions);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/launcher/versions", test_versions);
    g_test_add_func ("/launcher/names", test_names);
    g_test_add_func ("/launcher/options", test_options);
    g_test_add_func ("/launcher/none", test_none);
    return g_test_run ();
}
