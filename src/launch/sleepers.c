/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open MPI daemons with a delayed abort that started this host's ranks: pddtd notes them when
 * ranks arrive, and the guard ends them after everything else. Identifies a process by its pid
 * and start time. */
#include "launch/sleepers-private.h"
#include "launch/hand-over.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define FILE_NAME "launchers"
#define DELAY_OPTION "odls_base_sigkill_timeout"
#define AWAKE_S 5 /* all others have ended by then */
#define PATIENCE_S 180

static gboolean
read_stat (int pid, int *ret_parent, guint64 *ret_start)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
    g_autofree char *text = NULL;
    const char *rest = g_file_get_contents (path, &text, NULL, NULL) ? strrchr (text, ')')
                                                                     : NULL;
    char state = 'Z';
    gboolean is_read = rest
                       && sscanf (rest + 1,
                                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
                                  "%*d %*d %*d %*d %" G_GUINT64_FORMAT,
                                  &state, ret_parent, ret_start)
                              == 3;
    return is_read && state != 'Z';
}

/* "orted" with the option on its command line. */
static gboolean
is_sleeper (int pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/cmdline", pid);
    g_autofree char *text = NULL;
    gsize size = 0;
    if (!g_file_get_contents (path, &text, &size, NULL) || size == 0) {
        return FALSE;
    }
    g_autofree char *name = g_path_get_basename (text);
    return (strcmp (name, "orted") == 0 || strcmp (name, "prted") == 0)
           && memmem (text, size, DELAY_OPTION, strlen (DELAY_OPTION)) != NULL;
}

void
launch_hand_over_note_launcher (const char *host_directory, pid_t rank)
{
    static int last;
    int parent = 0, above;
    guint64 start;
    if (!read_stat ((int) rank, &parent, &start) || parent == last || !is_sleeper (parent)
        || !read_stat (parent, &above, &start)) {
        return;
    }
    last = parent;
    g_autofree char *path = g_build_filename (host_directory, FILE_NAME, NULL);
    g_autofree char *line = g_strdup_printf ("%d:%" G_GUINT64_FORMAT " ", parent, start);
    int fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || write (fd, line, strlen (line)) < 0) {
        g_message ("cannot record the launcher's daemon in %s", path);
    }
    if (fd >= 0) {
        close (fd);
    }
}

char *
launch_sleepers_read (const char *host_directory)
{
    g_autofree char *path = g_build_filename (host_directory, FILE_NAME, NULL);
    char *text = NULL;
    return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

/* How many are there; all get the signal, 0 none. */
static guint
signal_all (const char *sleepers, int number)
{
    g_auto (GStrv) words = g_strsplit (sleepers, " ", -1);
    guint n = 0;
    for (guint i = 0; words[i]; i++) {
        int pid, parent;
        guint64 noted, start;
        if (sscanf (words[i], "%d:%" G_GUINT64_FORMAT, &pid, &noted) == 2 && pid > 1
            && read_stat (pid, &parent, &start) && start == noted && is_sleeper (pid)) {
            n++;
            kill (pid, number);
        }
    }
    return n;
}

void
launch_sleepers_end (const char *sleepers, const char *session_directory, gboolean is_over)
{
    guint awake_s = 0;
    for (guint s = 0; s < PATIENCE_S && signal_all (sleepers, 0) > 0; s++) {
        is_over |= access (session_directory, F_OK) != 0;
        if (is_over && awake_s++ == AWAKE_S) {
            signal_all (sleepers, SIGKILL);
            return;
        }
        g_usleep (G_USEC_PER_SEC);
    }
}
