/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of launchers, as their sources and --help have it: Open MPI 4.1.4 and 5, PRRTE 3, Hydra
 * 4.0.2, Slurm 22.05. Whoever needs to know something about a launcher adds a column here. */
#include "launch/launcher.h"
#include <string.h>

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const LaunchAgent open_mpi_agent = {
    .parameters = WORDS ("mca", "gmca", "prtemca"),
    .names = WORDS ("plm_rsh_agent", "orte_rsh_agent", "pls_rsh_agent"),
    .prefix = "OMPI_MCA_",
    .files = WORDS (".openmpi/mca-params.conf", "/etc/openmpi/openmpi-mca-params.conf"),
    .variable = "OMPI_MCA_plm_rsh_agent",
};
static const LaunchAgent prrte_agent = {
    .parameters = WORDS ("mca", "gmca", "prtemca"),
    .names = WORDS ("plm_ssh_agent", "plm_rsh_agent"),
    .prefix = "PRTE_MCA_",
    .files = WORDS (".prte/mca-params.conf"),
    .variable = "PRTE_MCA_plm_ssh_agent",
};
static const LaunchAgent hydra_agent = {
    .names = WORDS ("launcher-exec", "bootstrap-exec"),
    .prefix = "HYDRA_",
    .variable = "HYDRA_LAUNCHER_EXEC",
    .is_program = TRUE,
};

/* By kind. Of two kinds whose versions both fit, the first counts: 4 is a narrower text than 5. */
static const LaunchLauncher launchers[] = {
    [LAUNCH_NONE] = { .kind = LAUNCH_NONE, .size_options = "" },
    [LAUNCH_OPEN_MPI_4] = { .kind = LAUNCH_OPEN_MPI_4,
                            /* OpenRTE: orterun's name for the same */
                            .versions = WORDS ("(Open MPI) 4.", "(Open MPI) 3.",
                                               "(OpenRTE) 4."),
                            .size_options = " n np c ntasks ",
                            .size_word = "-np",
                            .has_parts = TRUE,
                            .file_option = "app",
                            .hook = "OMPI_MCA_orte_fork_agent",
                            .tags = LAUNCH_TAGS_STREAM,
                            .tag_variable = "OMPI_MCA_orte_tag_output",
                            .tag_value = "1",
                            .abort_parameter = "odls_base_sigkill_timeout",
                            .abort_prefix = "OMPI_MCA_",
                            .host_files = WORDS ("/etc/openmpi/openmpi-default-hostfile"),
                            .agent = &open_mpi_agent },
    [LAUNCH_OPEN_MPI_5] = { .kind = LAUNCH_OPEN_MPI_5,
                            .versions = WORDS ("(Open MPI) ", "PRRTE", "prte"),
                            .size_options = " n np c ntasks ",
                            .size_word = "-np",
                            .has_parts = TRUE,
                            .file_option = "app",
                            .hook = "PRTE_MCA_odls_base_exec_agent",
                            .hides_size = TRUE,
                            .tags = LAUNCH_TAGS_SPACED,
                            .tag_option = "--output",
                            /* without "raw" it keeps a prompt until its line ends */
                            .tag_value = "tag:raw",
                            .own_tag_options = " output output-filename output-directory "
                                               "tag-output timestamp-output xml "
                                               "merge-stderr-to-stdout ",
                            .abort_parameter = "odls_base_sigkill_timeout",
                            .abort_prefix = "PRTE_MCA_",
                            .host_files = WORDS ("/etc/openmpi/openmpi-default-hostfile"),
                            .agent = &prrte_agent },
    [LAUNCH_HYDRA] = { .kind = LAUNCH_HYDRA,
                       .versions = WORDS ("HYDRA", "MPICH"),
                       .size_options = " n np ntasks ",
                       .size_word = "-np",
                       .has_parts = TRUE,
                       .file_option = "configfile",
                       .tags = LAUNCH_TAGS_PATTERN,
                       .tag_option = "-prepend-pattern",
                       .own_tag_options = " prepend-rank l prepend-pattern ",
                       .agent = &hydra_agent },
    [LAUNCH_SRUN] = { .kind = LAUNCH_SRUN,
                      .begin = "slurm",
                      .size_options = " n np ntasks ", /* c is CPUs of a task */
                      .size_word = "-n",
                      .joins_letters = TRUE,
                      .file_option = "multi-prog",
                      .file_is_program = TRUE,
                      .tags = LAUNCH_TAGS_LABEL,
                      .tag_variable = "SLURM_LABELIO",
                      .tag_value = "1",
                      .always_leaves = TRUE },
};

/* Names of programs, and whose they usually are. */
static const struct {
    const char *name;
    LaunchKind kind;
} programs[] = {
    { "mpirun", LAUNCH_OPEN_MPI_4 },          { "mpiexec", LAUNCH_OPEN_MPI_4 },
    { "orterun", LAUNCH_OPEN_MPI_4 },         { "mpirun.openmpi", LAUNCH_OPEN_MPI_4 },
    { "mpiexec.openmpi", LAUNCH_OPEN_MPI_4 }, { "prun", LAUNCH_OPEN_MPI_5 },
    { "prterun", LAUNCH_OPEN_MPI_5 },         { "mpiexec.hydra", LAUNCH_HYDRA },
    { "mpirun.hydra", LAUNCH_HYDRA },         { "mpirun.mpich", LAUNCH_HYDRA },
    { "mpiexec.mpich", LAUNCH_HYDRA },        { "srun", LAUNCH_SRUN },
};

static const char *const offered[] = { "mpirun", "mpiexec", "prun", "srun", NULL };

const LaunchLauncher *
launch_launcher_get (LaunchKind kind)
{
    return &launchers[kind];
}

LaunchKind
launch_launcher_recognise (const char *version)
{
    for (gsize i = 0; i < G_N_ELEMENTS (launchers); i++) {
        const LaunchLauncher *launcher = &launchers[i];
        if (launcher->begin && g_str_has_prefix (version, launcher->begin)) {
            return launcher->kind;
        }
        for (guint j = 0; launcher->versions && launcher->versions[j]; j++) {
            if (strstr (version, launcher->versions[j])) {
                return launcher->kind;
            }
        }
    }
    return LAUNCH_NONE;
}

gboolean
launch_launcher_has_name (const char *program, LaunchKind *ret_kind)
{
    g_autofree char *name = g_path_get_basename (program);
    for (gsize i = 0; i < G_N_ELEMENTS (programs); i++) {
        if (strcmp (programs[i].name, name) == 0) {
            if (ret_kind) {
                *ret_kind = programs[i].kind;
            }
            return TRUE;
        }
    }
    return FALSE;
}

const char *const *
launch_launcher_list_names (void)
{
    return offered;
}
