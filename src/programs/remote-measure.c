/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "programs/remote-measure.h"
#include "base/log.h"
#include "profile/archive.h"
#include "session/remote.h"
#include "session/saved.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Options that are this side's: what stands behind them is not for pddt there. */
static const char *const own_values[] = { "--remote", "--remote-program", "--keep-for",
                                          "--output", "--report",         "--export",
                                          NULL };

enum { NOTHING = 4 }; /* status of the shell there: there is no archive */

/* A line before the archive: what comes before it is what a login there prints. A shell reads no byte behind it. */
#define MARK "PDDT-ARCHIVE"
#define SKIP "while IFS= read -r line && [ \"$line\" != " MARK " ]; do :; done; exec \"$@\""

typedef struct {
    char *host, *folder;  /* folder: there; "" the home */
    char *archive, *name; /* here, a path; and what it is called there, in the folder */
    char *control; /* folder with the socket by which the second ssh goes the first one's way */
} Place;

static void
append_word (GString *line, const char *word)
{
    g_autofree char *quoted = g_shell_quote (word);

    g_string_append_printf (line, " %s", quoted);
}

guint
program_measure_count_own (const char *word)
{
    for (guint i = 0; own_values[i] != NULL; i++) {
        if (g_str_has_prefix (word, own_values[i]) && word[strlen (own_values[i])] == '=') {
            return 1;
        }
    }
    return g_strv_contains (own_values, word) ? 2 : 0;
}

/* For the shell there. A "~" of the folder is its own. */
static void
append_folder (GString *line, const Place *place)
{
    gboolean is_home = g_str_has_prefix (place->folder, "~/");

    if (*place->folder != '\0' && strcmp (place->folder, "~") != 0) {
        g_string_append (line, is_home ? "cd ~/" : "cd");
        if (is_home) {
            g_autofree char *quoted = g_shell_quote (place->folder + 2);

            g_string_append (line, quoted);
        } else {
            append_word (line, place->folder);
        }
        g_string_append (line, " || exit 3; ");
    }
}

static char *
make_command (const ProgramOptions *options, char **argv, const Place *place)
{
    g_autoptr (GString) line = g_string_new (NULL);

    append_folder (line, place);
    g_string_append (line, options->remote_program != NULL ? options->remote_program : "pddt");
    if (!options->profile && !options->trace) {
        g_string_append (line, " --profile"); /* which reports and exports imply */
    }
    for (char **word = argv + 1; word < options->words; word++) {
        guint n_own = program_measure_count_own (*word);

        if (n_own > 0) {
            word += n_own - 1;
        } else if (strcmp (*word, "--") != 0) {
            append_word (line, *word);
        }
    }
    g_string_append (line, " --output");
    append_word (line, place->name);
    g_string_append (line, " --");
    for (char **word = options->words; *word != NULL; word++) {
        append_word (line, *word);
    }
    return g_string_free (g_steal_pointer (&line), FALSE);
}

/* What a user's configuration may say that keeps the command from that host; ssh knows them from 8.7 on. */
static void
add_new_options (GPtrArray *line)
{
    const char *const options[] = { "-oSessionType=default", "-oForkAfterAuthentication=no",
                                    "-oStdinNull=no" };
    guint n_words = line->len;
    int status = -1;

    for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
        g_ptr_array_add (line, g_strdup (options[i]));
    }
    g_ptr_array_add (line, g_strdup ("-V"));
    g_ptr_array_add (line, NULL);
    if (g_spawn_sync (NULL, (char **) line->pdata, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL
                          | G_SPAWN_STDERR_TO_DEV_NULL,
                      NULL, NULL, NULL, NULL, &status, NULL)
        && status == 0) {
        n_words += G_N_ELEMENTS (options);
    }
    g_ptr_array_set_size (line, (int) n_words);
}

/* Starts ssh with that command; out: a descriptor that its output goes to, -1: this process's. The wait status; -1: it
 * could not be started, which is said. */
static int
run_ssh (const Place *place, const char *command, gboolean has_terminal, int out)
{
    g_autoptr (GPtrArray) line = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    g_auto (GStrv) words = session_remote_dup_ssh (&error);
    GPid pid;
    int status = -1;

    if (words == NULL) {
        base_log_say ("%s", error->message);
        return -1;
    }
    for (guint i = 0; words[i] != NULL; i++) {
        g_ptr_array_add (line, g_strdup (words[i]));
    }
    add_new_options (line);
    g_ptr_array_add (line, g_strdup (has_terminal ? "-t" : "-T"));
    g_ptr_array_add (line, g_strdup ("-oRemoteCommand=none"));
    if (out >= 0) {
        g_ptr_array_add (line, g_strdup ("-n")); /* the input is the job's */
    }
    g_ptr_array_add (line, g_strdup ("-oControlMaster=auto"));
    g_ptr_array_add (line, g_strdup_printf ("-oControlPath=%s/way", place->control));
    g_ptr_array_add (line, g_strdup ("-oControlPersist=30"));
    g_ptr_array_add (line, g_strdup ("--"));
    g_ptr_array_add (line, g_strdup (place->host));
    g_ptr_array_add (line, g_strdup (command));
    g_ptr_array_add (line, NULL);
    if (!g_spawn_async_with_fds (NULL, (char **) line->pdata, NULL,
                                 G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                 &pid, STDIN_FILENO, out >= 0 ? out : STDOUT_FILENO,
                                 STDERR_FILENO, &error)) {
        base_log_say ("cannot run ssh: %s", error->message);
        return -1;
    }
    while (waitpid (pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Whoever answers there sends what he wants: it is unpacked in a new folder, and tar leaves no way out of it. */
static gboolean
fetch (const Place *place)
{
    g_autoptr (GString) line = g_string_new (NULL);
    char *words[] = { (char *) "sh",
                      (char *) "-c",
                      (char *) SKIP,
                      (char *) "sh",
                      (char *) "tar",
                      (char *) "--no-same-owner",
                      (char *) "--no-same-permissions",
                      (char *) "-xf",
                      (char *) "-",
                      (char *) "-C",
                      place->archive,
                      (char *) "--strip-components=1",
                      NULL };
    g_autoptr (GError) error = NULL;
    GPid pid;
    int in = -1, status = -1, there;

    append_folder (line, place);
    g_string_append (line, "test -d");
    append_word (line, place->name);
    g_string_append_printf (line, " || exit %d; printf '\\n" MARK "\\n'; exec tar -cf - --",
                            NOTHING);
    append_word (line, place->name);
    if (g_mkdir (place->archive, 0777) != 0
        || !g_spawn_async_with_pipes (NULL, words, NULL,
                                      G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD
                                          | G_SPAWN_STDERR_TO_DEV_NULL,
                                      NULL, NULL, &pid, &in, NULL, NULL, &error)) {
        base_log_say ("cannot bring the archive to %s: %s", place->archive,
                      error != NULL ? error->message : g_strerror (errno));
        return FALSE;
    }
    there = run_ssh (place, line->str, FALSE, in);
    close (in);
    while (waitpid (pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status == 0 && profile_archive_is (place->archive)) {
        return TRUE;
    }
    g_rmdir (place->archive); /* if nothing came */
    if (WIFEXITED (there) && WEXITSTATUS (there) == NOTHING) {
        base_log_say ("no archive has come from %s: nothing was measured there", place->host);
        return FALSE;
    }
    base_log_say ("the archive stays on %s (%s): it could not be brought here", place->host,
                  place->name);
    return FALSE;
}

gboolean
program_measure_find_names (const ProgramOptions *options, char **ret_archive, char **ret_name)
{
    const char *program
        = options->words[0] != NULL
              ? session_saved_find_program ((const char *const *) options->words)
              : "attached";
    g_autofree char *base = g_path_get_basename (program);

    *ret_name = g_strdup_printf ("pddt-%s-%08x", base, g_random_int ());
    *ret_archive = options->output != NULL ? g_strdup (options->output) : NULL;
    for (guint i = 1; *ret_archive == NULL; i++) {
        g_autofree char *name = g_strdup_printf ("pddt-%s-%u", base, i);

        *ret_archive = access (name, F_OK) != 0 ? g_steal_pointer (&name) : NULL;
    }
    if (access (*ret_archive, F_OK) == 0) {
        base_log_say ("%s exists already: say another folder with --output", *ret_archive);
        return FALSE;
    }
    return TRUE;
}

int
program_measure_there (const ProgramOptions *options, char **argv, char **ret_archive)
{
    Place place = { NULL };
    g_autofree char *command = NULL;
    gboolean is_free;
    int status = 3 << 8;

    *ret_archive = NULL;
    session_remote_split_host (options->remote, &place.host, &place.folder);
    is_free = program_measure_find_names (options, &place.archive, &place.name);
    command = make_command (options, argv, &place);
    place.control = g_dir_make_tmp ("pddt-ssh-XXXXXX", NULL);
    if (place.control != NULL && is_free) {
        status = run_ssh (&place, command, isatty (STDIN_FILENO) && isatty (STDOUT_FILENO), -1);
        if (WIFEXITED (status) && WEXITSTATUS (status) != 255 && fetch (&place)) {
            *ret_archive = g_strdup (place.archive);
        }
    }
    if (place.control != NULL) {
        g_autofree char *way = g_build_filename (place.control, "way", NULL);

        g_unlink (way);
        g_rmdir (place.control);
    }
    g_free (place.host);
    g_free (place.folder);
    g_free (place.archive);
    g_free (place.name);
    g_free (place.control);
    return WIFEXITED (status) ? WEXITSTATUS (status) : 3;
}
