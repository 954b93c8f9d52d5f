/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes the session's key to hosts without access to its file. Launchers send their
 * environment to their daemons unencrypted, so, if an agent (ssh) starts those daemons, the key
 * goes through its standard input: pddt-start runs before the agent, and before the daemon on
 * the other host. */
#include "base/limits.h"
#include "launch/carry-private.h"
#include "launch/hand-over.h"
#include "launch/launch.h"
#include "launch/launcher.h"
#include "launch/options-private.h"
#include "launch/parcel-private.h"
#include "launch/reach-private.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MAX_KEY 4096

/* ---- the agent's words ---- */

/* Its words are run by a shell on the other host, as with ssh; not with batch systems' own
 * agents. */
static gboolean
is_shell_agent (const char *program)
{
    static const char *const others[] = { "qrsh",   "blaunch", "llspawn", "lsgrun",
                                          "pbsdsh", "srun",    "aprun",   NULL };
    g_autofree char *name = g_path_get_basename (program);
    return !g_strv_contains (others, name);
}

/* The first program of "a b:c" that exists on this host; NULL. */
static char *
choose_agent (const char *list)
{
    g_auto (GStrv) agents = g_strsplit (list, ":", -1);
    for (guint i = 0; agents[i]; i++) {
        char *agent = g_strstrip (agents[i]);
        g_autofree char *program = g_strndup (agent, strcspn (agent, " \t"));
        g_autofree char *path = *program ? g_find_program_in_path (program) : NULL;
        if (path) {
            return g_strdup (agent);
        }
    }
    return NULL;
}

static guint
count_words (const char *text)
{
    g_auto (GStrv) words = g_strsplit_set (text, " \t", -1);
    guint n = 0;
    for (guint i = 0; words[i]; i++) {
        n += *words[i] != '\0';
    }
    return n;
}

/* "NAME = VALUE" in a file of parameters. */
static char *
find_in_files (const LaunchAgent *agent)
{
    for (guint i = 0; agent->files && agent->files[i]; i++) {
        g_autofree char *path = *agent->files[i] == '/'
                                    ? g_strdup (agent->files[i])
                                    : g_build_filename (g_get_home_dir (), agent->files[i],
                                                        NULL);
        g_autofree char *text = NULL;
        g_auto (GStrv) lines = g_file_get_contents (path, &text, NULL, NULL)
                                   ? g_strsplit (text, "\n", -1)
                                   : NULL;
        for (guint j = 0; lines && lines[j]; j++) {
            char *equal = strchr (lines[j], '=');
            g_autofree char *name = equal ? g_strndup (lines[j], (gsize) (equal - lines[j]))
                                          : g_strdup ("");
            if (g_strv_contains (agent->names, g_strstrip (name))) {
                return g_strdup (g_strstrip (equal + 1));
            }
        }
    }
    return NULL;
}

static gboolean
is_option (const char *word, const char *const *names)
{
    return word && *word == '-' && g_strv_contains (names, word + 1 + (word[1] == '-'));
}

/* The index of the word that names the agent, at i or after it; 0: none. *ret_head: the text
 * before the name in that word ("-launcher-exec="). */
static guint
find_value (const LaunchAgent *agent, char **argv, guint i, gsize *ret_head)
{
    *ret_head = 0;
    if (agent->parameters) {
        return is_option (argv[i], agent->parameters) && argv[i + 1] && argv[i + 2]
                       && g_strv_contains (agent->names, argv[i + 1])
                   ? i + 2
                   : 0;
    }
    g_autofree char *name = g_strndup (argv[i], strcspn (argv[i], "="));
    if (!is_option (name, agent->names)) {
        return 0;
    }
    *ret_head = argv[i][strlen (name)] == '=' ? strlen (name) + 1 : 0;
    return *ret_head > 0 ? i : argv[i + 1] ? i + 1 : 0;
}

/* Index in final_argv at which the launcher's own words end. */
static guint
find_end (const LaunchLine *line)
{
    const char *const *argv = (const char *const *) line->argv;
    g_autoptr (GArray) programs = launch_options_find_programs (line->kind, argv, NULL);
    guint behind = programs && programs->len > 0
                       ? g_strv_length (line->argv) - g_array_index (programs, guint, 0)
                       : 0;
    return g_strv_length (line->final_argv) - behind;
}

/* FALSE: the line names no agent. replacement: replaces it; NULL. */
static gboolean
find_on_line (const LaunchAgent *agent, LaunchLine *line, char **ret_value,
              const char *replacement)
{
    char **argv = line->final_argv;
    guint end = find_end (line);
    gboolean is_found = FALSE;
    for (guint i = 1; i < end; i++) {
        gsize head;
        guint value = find_value (agent, argv, i, &head);
        if (value == 0) {
            continue;
        }
        is_found = TRUE;
        g_free (*ret_value);
        *ret_value = g_strdup (argv[value] + head);
        if (replacement) {
            g_autofree char *before = argv[value];
            argv[value] = g_strdup_printf ("%.*s%s", (int) head, before, replacement);
        }
    }
    return is_found;
}

static char *
find_in_environment (const LaunchAgent *agent)
{
    for (guint i = 0; agent->names[i]; i++) {
        g_autofree char *name = g_strconcat (agent->prefix, agent->names[i], NULL);
        g_autofree char *variable = agent->parameters
                                        ? g_strdup (name)
                                        : g_strdelimit (g_ascii_strup (name, -1), "-", '_');
        const char *value = g_getenv (variable);
        if (value && *value) {
            return g_strdup (value);
        }
    }
    return NULL;
}

/* ---- the launchers ---- */

/* The batch system starts its daemons, whatever agent is set. */
static gboolean
is_in_batch (const LaunchLine *line)
{
    static const char *const variables[] = { "SLURM_JOB_ID", "PBS_JOBID",     "LSB_JOBID",
                                             "PE_HOSTFILE",  "LOADL_STEP_ID", "COBALT_JOBID" };
    for (gsize i = 0; i < G_N_ELEMENTS (variables); i++) {
        const char *value = g_getenv (variables[i]);
        if (value && *value && !g_strv_contains ((const char *const *) line->argv, "rsh")
            && !g_strv_contains ((const char *const *) line->argv, "ssh")) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Hydra's own way to other hosts: -launcher NAME. */
static gboolean
is_hydra_by_ssh (const LaunchLine *line)
{
    static const char *const options[] = { "launcher", "bootstrap", NULL };
    static const char *const variables[] = { "HYDRA_LAUNCHER", "HYDRA_BOOTSTRAP" };
    const char *name = NULL;
    for (guint i = 1; line->argv[i] && line->argv[i + 1] && !name; i++) {
        name = is_option (line->argv[i], options) ? line->argv[i + 1] : NULL;
    }
    for (gsize i = 0; i < G_N_ELEMENTS (variables) && !name; i++) {
        name = g_getenv (variables[i]);
    }
    return name ? strcmp (name, "ssh") == 0 || strcmp (name, "rsh") == 0 : !is_in_batch (line);
}

/* A program without arguments, as Hydra requires. NULL: it could not be run. */
static char *
write_script (const LaunchSession *session, const char *command)
{
    struct statvfs status;
    g_autofree char *path = g_build_filename (session->directory, "agent", NULL);
    g_autofree char *text = g_strdup_printf ("#!/bin/sh\nexec %s \"$@\"\n", command);
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0700);
    gboolean done = fd >= 0 && write (fd, text, strlen (text)) == (gssize) strlen (text)
                    && fstatvfs (fd, &status) == 0 && (status.f_flag & ST_NOEXEC) == 0;
    if (fd >= 0) {
        close (fd);
    }
    return done ? g_steal_pointer (&path) : NULL;
}

/* pddt-start before the agent's words. NULL: the launcher would split a path. */
static char *
format_command (const LaunchSession *session, const char *agent)
{
    g_autofree char *shim = launch_find_program ("pddt-start", NULL);
    if (!shim || strpbrk (shim, " \t\"'\\:,;$&|<>()*?`")
        || strpbrk (session->directory, ";$&|<>()*?`")) {
        return NULL;
    }
    return g_strdup_printf ("%s --agent %s %u %s", shim, session->directory,
                            count_words (agent), agent);
}

gboolean
launch_carry_by_agent (LaunchLine *line, const LaunchSession *session)
{
    const LaunchAgent *names = launch_launcher_get (line->kind)->agent;
    g_autofree char *given = NULL;
    if (!names || (line->kind == LAUNCH_HYDRA ? !is_hydra_by_ssh (line) : is_in_batch (line))) {
        return FALSE;
    }
    gboolean is_on_line = find_on_line (names, line, &given, NULL);
    if (!given) {
        given = find_in_environment (names);
    }
    if (!given) {
        given = find_in_files (names);
    }
    g_autofree char *agent = choose_agent (given ? given : "ssh:rsh");
    if (!agent) {
        return TRUE; /* no other host can be reached: the launcher says so */
    }
    g_autofree char *command = is_shell_agent (agent) ? format_command (session, agent) : NULL;
    g_autofree char *value = !command || !names->is_program ? g_strdup (command)
                                                            : write_script (session, command);
    if (value && is_on_line) {
        find_on_line (names, line, &given, value);
    } else if (value) {
        line->environment = g_environ_setenv (line->environment, names->variable, value, TRUE);
    }
    return value != NULL;
}

/* ---- on the way: pddt-start --agent SESSION N AGENT… [OPTION…] HOST COMMAND… ---- */

/* A pipe with the key; -1: this host does not have it, either. */
static int
open_key (const char *session_directory)
{
    g_autofree char *folder = launch_reach_find_key (session_directory);
    LaunchSession *session = folder ? launch_session_load (folder, NULL) : NULL;
    char *word = session ? launch_session_format_key (session) : NULL;
    int ends[2] = { -1, -1 };
    if (word && pipe2 (ends, O_CLOEXEC) == 0) {
        gboolean done = write (ends[1], word, strlen (word)) == (gssize) strlen (word)
                        && write (ends[1], "\n", 1) == 1;
        close (ends[1]);
        if (!done) {
            close (ends[0]);
            ends[0] = -1;
        }
    }
    base_secret_free (word);
    launch_session_free (session);
    return ends[0];
}

int
launch_carry_run_agent (int argc, char **argv)
{
    const char *session = argv[2];
    int n = atoi (argv[3]), host = 4 + n;
    g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    base_limits_protect ();
    int key = open_key (session);
    base_limits_restore (NULL);
    for (int i = 4; i < argc && i < 4 + n; i++) {
        g_ptr_array_add (words, g_strdup (argv[i]));
    }
    g_autofree char *agent = words->len > 0 ? g_path_get_basename (words->pdata[0])
                                            : g_strdup ("");
    if (strcmp (agent, "ssh") == 0) {
        g_ptr_array_add (words, g_strdup ("-x")); /* as the launcher would: no X11 */
    }
    while (host < argc && argv[host][0] == '-') {
        g_ptr_array_add (words, g_strdup (argv[host++]));
    }
    for (int i = host; i < argc; i++) {
        g_ptr_array_add (words, g_strdup (argv[i]));
        if (i == host && launch_parcel_is_here ()
            && !launch_parcel_bring (words, argv[host], TRUE, &error)) {
            fprintf (stderr, "pddt: %s\n", error->message);
            return 127;
        }
        if (i == host && key >= 0) {
            g_autofree char *shim = launch_find_program ("pddt-start", NULL);
            g_ptr_array_add (words, g_strdup_printf ("%s --take-key %s;", shim, session));
        }
    }
    g_ptr_array_add (words, NULL);
    if (key >= 0) {
        dup2 (key, 0);
    }
    execvp (words->pdata[0], (char **) words->pdata);
    fprintf (stderr, "pddt: cannot start %s: %s\n", (char *) words->pdata[0],
             g_strerror (errno));
    return 127;
}

/* ---- to attach: pddt-start --bring HOST N AGENT… COMMAND… ---- */

int
launch_carry_bring (int argc, char **argv)
{
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    g_autoptr (GError) error = NULL;
    g_autofree char *agent = g_path_get_basename (argv[4]);
    int n = atoi (argv[3]);
    for (int i = 4; i < argc && i < 4 + n; i++) {
        g_ptr_array_add (words, argv[i]);
    }
    if (launch_parcel_is_here ()
        && !launch_parcel_bring (words, argv[2], strcmp (agent, "srun") != 0, &error)) {
        fprintf (stderr, "%s\n", error->message);
        return 127;
    }
    execvp (argv[4], argv + 4);
    fprintf (stderr, "cannot start %s: %s\n", argv[4], g_strerror (errno));
    return 127;
}

/* ---- there: pddt-start --take-key SESSION ---- */

int
launch_carry_take_key (const char *session)
{
    g_autoptr (GError) error = NULL;
    char key[MAX_KEY] = "";
    base_limits_protect ();
    gboolean has_line = fgets (key, sizeof key, stdin) != NULL; /* it is not the daemon's */
    g_autofree char *here = launch_reach_find_key (session);
    g_autofree char *id = g_path_get_basename (session);
    g_autofree char *folder = has_line && !here ? launch_host_directory_open (id, &error)
                                                : NULL;
    if (folder && !launch_session_unpack_key (folder, g_strstrip (key), &error)) {
        g_autofree char *came
            = launch_reach_find_key (session); /* by another agent at the same time */
        if (came) {
            g_clear_error (&error);
        }
    }
    explicit_bzero (key, sizeof key);
    if (error) {
        fprintf (stderr, "pddt: %s\n", error->message);
    }
    return 0; /* the launcher's daemon starts in any case */
}
