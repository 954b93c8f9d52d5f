/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks for references to hosts: the launcher's options, its default host file, and the
 * variables of resource managers. */
#include "launch/hosts-private.h"
#include "launch/launcher.h"
#include "launch/options-private.h"
#include <string.h>

static const char host_options[]
    = " host hosts H hostfile hostlist f machinefile machine machines "
      "machinelist default-hostfile rankfile rf w nodelist app "
      "configfile tune am ";
static const char *const host_variables[] = {
    "SLURM_JOB_ID",
    "PBS_NODEFILE",
    "LSB_HOSTS",
    "LSB_DJOB_HOSTFILE",
    "PE_HOSTFILE",
    "COBALT_NODEFILE",
    "OMPI_MCA_orte_default_hostfile",
    "PRTE_MCA_prte_default_hostfile",
    "HYDRA_HOST_FILE",
    "HYDRA_CONFIG_FILE",
    NULL,
};

/* The words before the first program; all of a line of several programs, and of one that the
 * table of options does not understand. */
static guint
count_launcher_words (const LaunchLine *line)
{
    const char *const *argv = (const char *const *) line->argv;
    g_autoptr (GArray) programs = launch_options_find_programs (line->kind, argv, NULL);
    if (programs && programs->len > 0 && !g_strv_contains (argv, ":")) {
        return g_array_index (programs, guint, 0);
    }
    return g_strv_length (line->argv);
}

gboolean
launch_hosts_has_option (const LaunchLine *line, const char *names)
{
    guint n = count_launcher_words (line);
    for (guint i = 1; i < n; i++) {
        if (line->argv[i][0] != '-') {
            continue;
        }
        const char *start = line->argv[i] + 1 + (line->argv[i][1] == '-');
        g_autofree char *name = g_strndup (start, strcspn (start, "="));
        g_autofree char *word = g_strdup_printf (" %s ", name);
        if (*name && strstr (names, word)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
names_hosts (const char *path)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        return FALSE;
    }
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        const char *content = g_strstrip (lines[i]);
        if (*content && *content != '#') {
            return TRUE;
        }
    }
    return FALSE;
}

/* A parameter or file of Open MPI's that names a file of hosts. */
static gboolean
has_default_hosts (const LaunchLine *line)
{
    const char *const *files = launch_launcher_get (line->kind)->host_files;
    guint n = files ? count_launcher_words (line) : 0;
    for (guint i = 1; i < n; i++) {
        if (strstr (line->argv[i], "default_hostfile")) {
            return TRUE;
        }
    }
    for (guint i = 0; files && files[i]; i++) {
        if (names_hosts (files[i])) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
launch_hosts_may_leave (const LaunchLine *line, const char *(*find) (const char *name))
{
    if (line->kind == LAUNCH_NONE) {
        return FALSE;
    }
    for (guint i = 0; host_variables[i]; i++) {
        const char *value = find (host_variables[i]);
        if (value && *value) {
            return TRUE;
        }
    }
    return launch_launcher_get (line->kind)->always_leaves
           || launch_hosts_has_option (line, host_options) || has_default_hosts (line);
}
