/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists this host's processes for attaching, from /proc. */
#include "base/escape.h"
#include "session/private.h"
#include "session/running.h"
#include "launch/launch.h"
#include "launch/launcher.h"
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
session_running_free (gpointer data)
{
    SessionRunning *running = data;

    g_free (running->user);
    g_free (running->command);
    g_free (running->elsewhere);
    g_free (running);
}

SessionRunning *
session_running_dup (const SessionRunning *running)
{
    SessionRunning *copy = g_memdup2 (running, sizeof *running);

    copy->user = g_strdup (running->user);
    copy->command = g_strdup (running->command);
    copy->elsewhere = g_strdup (running->elsewhere);
    return copy;
}

static gboolean
is_launcher (const char *command)
{
    g_autofree char *word = g_strndup (command, strcspn (command, " "));

    return launch_launcher_has_name (word, NULL);
}

/* NULL: a kernel thread, or gone. */
static char *
dup_command (guint32 pid)
{
    g_autofree char *file = g_strdup_printf ("/proc/%u/cmdline", pid);
    g_autofree char *content = NULL;
    gsize size = 0;

    if (!g_file_get_contents (file, &content, &size, NULL) || size == 0) {
        return NULL;
    }
    for (gsize i = 0; i + 1 < size; i++) {
        content[i] = (guint8) content[i] < ' ' ? ' ' : content[i];
    }
    return g_utf8_make_valid (content, -1);
}

/* Start time from /proc/PID/stat (proc(5), field 22, in ticks since boot). */
static gint64
read_start (guint32 pid)
{
    g_autofree char *file = g_strdup_printf ("/proc/%u/stat", pid), *text = NULL, *up = NULL;
    unsigned long long ticks = 0;
    const char *end = g_file_get_contents (file, &text, NULL, NULL) ? strrchr (text, ')')
                                                                    : NULL;
    double up_s;

    if (end == NULL || !g_file_get_contents ("/proc/uptime", &up, NULL, NULL)
        || sscanf (end + 1,
                   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                   "%*d %*d %llu",
                   &ticks)
               != 1) {
        return 0;
    }
    up_s = g_ascii_strtod (up, NULL);
    return g_get_real_time ()
           - (gint64) ((up_s - (double) ticks / (double) sysconf (_SC_CLK_TCK))
                       * G_USEC_PER_SEC);
}

/* Only root can attach to other users' processes. */
static SessionRunning *
read_process (guint32 pid)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%u", pid);
    g_autofree char *command = NULL;
    const struct passwd *user;
    SessionRunning *running;
    struct stat info;

    if (pid == (guint32) getpid () || stat (folder, &info) != 0
        || (info.st_uid != getuid () && getuid () != 0)
        || (command = dup_command (pid)) == NULL) {
        return NULL;
    }
    user = getpwuid (info.st_uid);
    running = g_new0 (SessionRunning, 1);
    running->pid = pid;
    running->user = user != NULL ? g_strdup (user->pw_name)
                                 : g_strdup_printf ("%u", (guint) info.st_uid);
    running->since_us = read_start (pid);
    running->is_launcher = is_launcher (command);
    running->command = base_escape_take (g_steal_pointer (&command), BASE_ESCAPE_NAME);
    if (running->is_launcher) {
        g_autoptr (GPtrArray) targets = launch_targets_find ((pid_t) pid, &running->elsewhere,
                                                             NULL);

        running->n_ranks = targets != NULL ? targets->len : 0;
    }
    return running;
}

BASE_ORDER_POINTERS (compare_running, SessionRunning, BASE_BY_DOWN (since_us))

GPtrArray *
session_running_list_here (void)
{
    GPtrArray *list = g_ptr_array_new_with_free_func (session_running_free);
    g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        guint64 pid;
        SessionRunning *running = g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT32, &pid,
                                                              NULL)
                                      ? read_process ((guint32) pid)
                                      : NULL;

        if (running != NULL) {
            g_ptr_array_add (list, running);
        }
    }
    g_ptr_array_sort (list, compare_running);
    return list;
}

void
session_sources_name_process_here (Session *session, GTask *task)
{
    const SessionWanted *wanted = g_task_get_task_data (task);
    g_autofree char *file = g_strdup_printf ("/proc/%u/comm", wanted->pid);
    char *name = NULL;

    if (g_file_get_contents (file, &name, NULL, NULL)) {
        g_task_return_pointer (task, g_strchomp (name), g_free);
    } else {
        session_answer_gone (task);
    }
}
