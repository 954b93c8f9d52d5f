/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option tables: Open MPI 4.1.4's and Hydra 4.0.2's as their sources and --help have them,
 * srun's of Slurm 22.05; and the walk over a line by such a table. */
#include "launch/options-private.h"
#include "base/error.h"
#include "launch/launcher.h"
#include <string.h>

typedef struct {
    const char *two, *one, *none;      /* names, a space before and after each */
    const char *two_or_assign;         /* two arguments, or one that contains '=' */
    const char *letters_with_argument; /* one-letter options; NULL: letters do not combine */
    gboolean splits_at_equal;          /* "-n=2" is the option n */
} OptionTable;

static const OptionTable open_mpi = {
    .two = " mca gmca ",
    .one
    = " report-pid report-uri timeout hnp xml-file output-filename xterm stdin launch-agent "
      "preload-files sstore-load app np n c max-vm-size hostfile machinefile default-hostfile "
      "ompi-server cf cartofile rf rankfile x host H cpus-per-proc cpus-per-rank npernode N "
      "npersocket map-by rank-by bind-to cpu-list ppr cpu-set wdir wd path debugger prefix "
      "report-events max-restarts personality am tune ",
    .none
    = " V version v verbose q quiet s preload-binary report-state-on-timeout "
      "get-stack-traces report-child-jobs-separately xml tag-output timestamp-output "
      "merge-stderr-to-stdout index-argv-by-rank do-not-resolve display-map "
      "display-devel-map display-topo display-diffable-map display-allocation "
      "display-devel-allocation nolocal nooversubscribe oversubscribe bycore bynode byslot "
      "pernode use-hwthread-cpus bind-to-core bind-to-socket report-bindings "
      "set-cwd-to-session-dir tv debug output-proctable d debug-devel debug-daemons "
      "debug-daemons-file leave-session-attached do-not-launch noprefix show-progress "
      "use-regexp enable-recovery disable-recovery continuous crdebug novm "
      "allow-run-as-root dvm fwd-mpirun-port enable-instant-on-support h help ",
    .letters_with_argument = "npxHcN",
};

/* Open MPI 5 and PRRTE 3: what they have and what they still take of 4's. */
static const OptionTable open_mpi_5 = {
    .two = " mca gmca omca gomca prtemca gprtemca pmixmca gpmixmca ",
    .one
    = " np n N c x host H hostfile machinefile default-hostfile add-host add-hostfile app wdir wd path "
      "pset map-by rank-by bind-to output stream-buffering stdin display runtime-options rtos "
      "preload-files timeout spawn-timeout launch-agent max-vm-size report-pid report-uri tune am amca "
      "prefix tmpdir exec-agent forward-signals personality dvm-uri num-connect-retries pid namespace "
      "keepalive singleton wait-to-connect max-restarts with-ft initial-errhandler arch file rankfile "
      "cpu-set cpu-list cpus-per-proc cpus-per-rank npernode npersocket ppr output-filename "
      "output-directory xterm memory-alloc-kinds ",
    .none
    = " V version v verbose q quiet s preload-binary report-state-on-timeout get-stack-traces "
      "set-cwd-to-session-dir show-progress do-not-launch do-not-aggregate-help fwd-environment "
      "enable-recovery disable-recovery continuous display-comm display-comm-finalize soft xml "
      "tag-output timestamp-output merge-stderr-to-stdout display-map display-devel-map display-topo "
      "display-allocation display-devel-allocation report-bindings nolocal oversubscribe "
      "nooversubscribe use-hwthread-cpus bind-to-core bynode bycore byslot pernode debug debug-daemons "
      "debug-daemons-file leave-session-attached noprefix daemonize system-server system-server-first "
      "system-server-only set-sid allow-run-as-root output-proctable h help ",
    .letters_with_argument = "npxHcN",
    .splits_at_equal = TRUE,
};

static const OptionTable hydra = {
    .two_or_assign = " genv env ",
    .one = " genvlist envlist f hostfile machinefile machine machines machinelist host hosts "
           "hostlist wdir configfile n np launcher bootstrap launcher-exec bootstrap-exec rmk "
           "topolib bind-to binding map-by membind demux iface ppn output-from prepend-pattern "
           "outfile-pattern outfile errfile-pattern errfile nameserver localhost usize "
           "order-nodes gpus-per-proc g rankmap gpu-subdevs-per-proc ",
    .none
    = " genvnone genvall envnone envall enable-x disable-x v verbose debug info version "
      "print-all-exitcodes profile prepend-rank l disable-auto-cleanup enable-auto-cleanup "
      "disable-hostname-propagation enable-hostname-propagation pmi-port skip-launch-node "
      "h help hybrid-hosts ",
    .splits_at_equal = TRUE,
};

static const OptionTable srun = {
    .one
    = " A account accel-bind acctg-freq b begin bb bbf bcast-exclude c cpus-per-task C "
      "constraint chdir D cluster-constraint clusters M comment container core-spec S "
      "cpu-bind cpu-freq cpus-per-gpu d dependency deadline delay-boot distribution m "
      "e error epilog exclude x export export-file extra-node-info B gid gpu-bind gpu-freq "
      "gpus G gpus-per-node gpus-per-socket gpus-per-task gres gres-flags hint i input "
      "jobid J job-name L licenses mail-type mail-user max-exit-timeout mcs-label mem "
      "mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout n ntasks N nodes F nodefile "
      "w nodelist nice ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket "
      "o output open-mode p partition power priority prolog profile propagate q qos r "
      "relative reservation signal slurmd-debug sockets-per-node switches task-epilog task-prolog "
      "T threads t time thread-spec threads-per-core time-min tmp tres-bind tres-per-task uid "
      "W wait wckey network cores-per-socket minsockets mincores minthreads ",
    .none
    = " bell contiguous disable-status X exact exclusive E preserve-env h help usage H hold "
      "I immediate interactive j k no-kill K kill-on-bad-exit l label multi-prog "
      "no-allocate Z O overcommit s oversubscribe overlap Q quiet quit-on-interrupt "
      "reboot resv-ports send-libs spread-job u unbuffered use-min-nodes v verbose "
      "V version whole pty bcast compress ",
    .letters_with_argument = "AbcCDMSdmexBGiJLnNFwopqrTtW",
    .splits_at_equal = TRUE,
};

static const OptionTable *
find_table (LaunchKind kind)
{
    switch (kind) {
    case LAUNCH_HYDRA: return &hydra;
    case LAUNCH_SRUN: return &srun;
    case LAUNCH_OPEN_MPI_5: return &open_mpi_5;
    default: return &open_mpi;
    }
}

static gboolean
has_name (const char *names, const char *name)
{
    g_autofree char *padded = g_strconcat (" ", name, " ", NULL);
    return names && strstr (names, padded) != NULL;
}

/* "-qv": every letter an option, the last one perhaps with an argument. */
static int
find_letters (const OptionTable *table, const char *letters)
{
    if (!table->letters_with_argument || strlen (letters) < 2) {
        return -1;
    }
    for (const char *letter = letters; *letter; letter++) {
        char name[2] = { *letter, '\0' };
        if (strchr (table->letters_with_argument, *letter)) {
            return letter[1] == '\0' ? 1 : table->splits_at_equal ? 0 : -1;
        }
        if (!has_name (table->none, name)) {
            return -1;
        }
    }
    return 0;
}

int
launch_options_find (LaunchKind kind, const char *name, const char *first_argument)
{
    const OptionTable *table = find_table (kind);
    if (has_name (table->two, name)) {
        return 2;
    }
    if (has_name (table->two_or_assign, name)) {
        return first_argument && strchr (first_argument, '=') ? 1 : 2;
    }
    if (has_name (table->one, name)) {
        return 1;
    }
    return has_name (table->none, name) ? 0 : find_letters (table, name);
}

/* Words of the option at argv[0], itself included; 0 for one that the table does not have. */
static guint
count_option (LaunchKind kind, const char *const *argv)
{
    const OptionTable *table = find_table (kind);
    gboolean is_long = argv[0][1] == '-';
    const char *name = argv[0] + (is_long ? 2 : 1);
    const char *equal = table->splits_at_equal ? strchr (name, '=') : NULL;
    if (!equal) {
        int n = launch_options_find (kind, name, argv[1]);
        return n < 0 ? 0 : (guint) n + 1;
    }
    g_autofree char *left = g_strndup (name, (gsize) (equal - name));
    int n = launch_options_find (kind, left, equal + 1);
    return n < 0 ? 0 : MAX ((guint) n, 1); /* one argument is in the word itself */
}

static void
set_unknown (LaunchKind kind, const char *const *argv, guint at, GError **error)
{
    const char *next = argv[at + 1], *after = next ? argv[at + 2] : NULL;
    if (!next) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot tell which word is the program, because pddt does not know the "
                        "option %s of %s: nothing if it takes no argument, nothing if it takes "
                        "one; write %s before the program (manual: Clusters, Launchers)",
                        argv[at], argv[0], LAUNCH_MARK);
    } else if (!after) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot tell which word is the program, because pddt does not know the "
                        "option %s of %s: %s if it takes no argument, nothing if it takes one; "
                        "write %s before the program (manual: Clusters, Launchers)",
                        argv[at], argv[0], next, LAUNCH_MARK);
    } else {
        /* Translators: an option of a launcher, the launcher, the two words that follow the
           option, and a word that marks the program: "--". */
        base_error_set (
            error, BASE_ERROR_INVALID,
            "cannot tell which word is the program, because pddt does not know the "
            "option %s of %s: %s if it takes no argument, %s if it takes one; write "
            "%s before the program (manual: Clusters, Launchers)",
            argv[at], argv[0], next, after, LAUNCH_MARK);
    }
}

/* The mark decides for its part of the line. */
static gboolean
find_mark (const char *const *argv, guint at, guint *ret_program)
{
    for (; argv[at] && strcmp (argv[at], ":") != 0; at++) {
        if (strcmp (argv[at], LAUNCH_MARK) == 0 && argv[at + 1]) {
            *ret_program = at + 1;
            return TRUE;
        }
    }
    return FALSE;
}

GArray *
launch_options_find_programs (LaunchKind kind, const char *const *argv, GError **error)
{
    g_autoptr (GArray) programs = g_array_new (FALSE, FALSE, sizeof (guint));
    guint n_words = g_strv_length ((char **) argv);
    gboolean has_parts = launch_launcher_get (kind)->has_parts;
    guint at = 1, program;
    while (at < n_words) {
        if (find_mark (argv, at, &program)) {
            at = program;
        } else {
            while (at < n_words && argv[at][0] == '-' && argv[at][1]) {
                if (strcmp (argv[at], "--") == 0) {
                    at++;
                    break;
                }
                guint n = count_option (kind, argv + at);
                if (n == 0) {
                    set_unknown (kind, argv, at, error);
                    return NULL;
                }
                at += n;
            }
        }
        if (at >= n_words) {
            break;
        }
        g_array_append_val (programs, at);
        while (has_parts && at < n_words && strcmp (argv[at], ":") != 0) {
            at++;
        }
        at = has_parts ? at + 1 : n_words;
    }
    if (programs->len == 0) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot start %s: its command line names no "
                        "program",
                        argv[0]);
        return NULL;
    }
    return g_steal_pointer (&programs);
}
