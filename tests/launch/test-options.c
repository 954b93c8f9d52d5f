/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option tables, entry by entry, and whole lines. */
#include "base/error.h"
#include "launch/options-private.h"
#include <string.h>

typedef struct {
    LaunchKind kind;
    int n_arguments;
    const char *names;
} Entries;

static const Entries entries[] = {
    { LAUNCH_OPEN_MPI_4, 2, "mca gmca" },
    { LAUNCH_OPEN_MPI_4, 1,
      "report-pid report-uri timeout hnp xml-file output-filename xterm stdin launch-agent "
      "preload-files sstore-load app np n c max-vm-size hostfile machinefile default-hostfile "
      "ompi-server cf cartofile rf rankfile x host H cpus-per-proc cpus-per-rank npernode N "
      "npersocket map-by rank-by bind-to cpu-list ppr cpu-set wdir wd path debugger prefix "
      "report-events max-restarts personality am tune" },
    { LAUNCH_OPEN_MPI_4, 0,
      "V version v verbose q quiet s preload-binary report-state-on-timeout get-stack-traces "
      "report-child-jobs-separately xml tag-output timestamp-output merge-stderr-to-stdout "
      "index-argv-by-rank do-not-resolve display-map display-devel-map display-topo "
      "display-diffable-map display-allocation display-devel-allocation nolocal "
      "nooversubscribe oversubscribe bycore bynode byslot pernode use-hwthread-cpus "
      "bind-to-core bind-to-socket report-bindings set-cwd-to-session-dir tv debug "
      "output-proctable d debug-devel debug-daemons debug-daemons-file "
      "leave-session-attached do-not-launch noprefix show-progress use-regexp "
      "enable-recovery disable-recovery continuous crdebug novm allow-run-as-root dvm "
      "fwd-mpirun-port enable-instant-on-support" },
    { LAUNCH_HYDRA, 1,
      "genvlist envlist f hostfile machinefile machine machines machinelist host hosts hostlist "
      "wdir configfile n np launcher bootstrap launcher-exec bootstrap-exec rmk topolib bind-to "
      "binding map-by membind demux iface ppn output-from prepend-pattern outfile-pattern "
      "outfile errfile-pattern errfile nameserver localhost usize order-nodes gpus-per-proc g "
      "rankmap gpu-subdevs-per-proc" },
    { LAUNCH_HYDRA, 0,
      "genvnone genvall envnone envall enable-x disable-x v verbose debug info version "
      "print-all-exitcodes profile prepend-rank l disable-auto-cleanup enable-auto-cleanup "
      "disable-hostname-propagation enable-hostname-propagation pmi-port skip-launch-node h "
      "help hybrid-hosts" },
    { LAUNCH_SRUN, 1,
      "n ntasks N nodes c cpus-per-task p partition t time mpi w nodelist chdir" },
    { LAUNCH_SRUN, 0, "l label O overcommit u unbuffered exclusive v verbose multi-prog" },
};

/* "launcher OPTION ARGUMENTS prog": the program must be the last word. */
static void
check_entry (LaunchKind kind, const char *dashes, const char *name, int n_arguments)
{
    g_autofree char *option = g_strconcat (dashes, name, NULL);
    const char *argv[6] = { "launcher", option };
    guint n = 2;
    for (int i = 0; i < n_arguments; i++) {
        argv[n++] = "argument";
    }
    argv[n] = "prog";
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) programs = launch_options_find_programs (kind, argv, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (programs->len, ==, 1);
    g_assert_cmpuint (g_array_index (programs, guint, 0), ==, n);
}

static void
test_every_entry (void)
{
    for (gsize i = 0; i < G_N_ELEMENTS (entries); i++) {
        g_auto (GStrv) names = g_strsplit (entries[i].names, " ", -1);
        for (gsize j = 0; names[j]; j++) {
            check_entry (entries[i].kind, "-", names[j], entries[i].n_arguments);
            check_entry (entries[i].kind, "--", names[j], entries[i].n_arguments);
        }
    }
}

typedef struct {
    LaunchKind kind;
    const char *line;
    const char *programs; /* words; NULL: an error */
} Line;

static const Line lines[] = {
    { LAUNCH_OPEN_MPI_4, "mpirun -np 2 ./ring -np 3", "./ring" },
    { LAUNCH_OPEN_MPI_4, "mpirun -np 1 ./a x : -np 2 ./b y", "./a ./b" },
    { LAUNCH_OPEN_MPI_4, "mpirun -qv -np 1 ./a", "./a" },
    { LAUNCH_OPEN_MPI_4, "mpirun --mca btl self,vader -- ./a", "./a" },
    { LAUNCH_OPEN_MPI_4, "mpirun -n=2 ./a", NULL },
    { LAUNCH_OPEN_MPI_4, "mpirun --new-thing 4 ./a", NULL },
    { LAUNCH_OPEN_MPI_4, "mpirun --new-thing 4 %pddt% ./a", "./a" },
    { LAUNCH_OPEN_MPI_4, "mpirun -np 2", NULL },
    { LAUNCH_OPEN_MPI_4, "mpirun -np", NULL },
    { LAUNCH_HYDRA, "mpiexec -n=2 ./a", "./a" },
    { LAUNCH_HYDRA, "mpiexec --np=2 -bind-to=none ./a -n", "./a" },
    { LAUNCH_HYDRA, "mpiexec -genv A b ./a", "./a" },
    { LAUNCH_HYDRA, "mpiexec -genv A=b ./a", "./a" },
    { LAUNCH_HYDRA, "mpiexec -env A=b -n 1 ./a : -n 1 ./b", "./a ./b" },
    { LAUNCH_HYDRA, "mpiexec -perhost 2 ./a", NULL },
    { LAUNCH_SRUN, "srun -n4 ./a : x", "./a" },
    { LAUNCH_SRUN, "srun --ntasks=4 -l ./a", "./a" },
    { LAUNCH_SRUN, "srun -ln 4 ./a", "./a" },
};

static void
test_lines (void)
{
    for (gsize i = 0; i < G_N_ELEMENTS (lines); i++) {
        g_auto (GStrv) argv = g_strsplit (lines[i].line, " ", -1);
        g_autoptr (GError) error = NULL;
        g_autoptr (GArray) found
            = launch_options_find_programs (lines[i].kind, (const char *const *) argv, &error);
        g_test_message ("%s", lines[i].line);
        if (!lines[i].programs) {
            g_assert_error (error, BASE_ERROR, BASE_ERROR_INVALID);
            continue;
        }
        g_assert_no_error (error);
        GString *text = g_string_new (NULL);
        for (guint j = 0; j < found->len; j++) {
            g_string_append_printf (text, "%s%s", j ? " " : "",
                                    argv[g_array_index (found, guint, j)]);
        }
        g_assert_cmpstr (text->str, ==, lines[i].programs);
        g_string_free (text, TRUE);
    }
}

static void
test_unknown_shows_both_readings (void)
{
    const char *argv[] = { "mpiexec", "--new", "4", "./a", NULL };
    g_autoptr (GError) error = NULL;
    g_assert_null (launch_options_find_programs (LAUNCH_HYDRA, argv, &error));
    g_assert_nonnull (strstr (error->message, "%pddt%"));
    g_assert_nonnull (strstr (error->message, ": 4 if it takes no argument"));
    g_assert_nonnull (strstr (error->message, ", ./a if it takes one"));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/options/every-entry", test_every_entry);
    g_test_add_func ("/options/lines", test_lines);
    g_test_add_func ("/options/unknown", test_unknown_shows_both_readings);
    return g_test_run ();
}
