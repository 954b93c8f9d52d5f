/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the tracer of each thread from /proc (proc(5), TracerPid). */
#include "launch/rescue-private.h"
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

BaseRescueList *
launch_rescue_get_list (BaseTrapTable *traps)
{
    return (BaseRescueList *) ((guint8 *) traps + BASE_TRAP_TABLE_SIZE);
}

static int
read_tracer (const char *pid, const char *tid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%s/task/%s/status", pid, tid);
    g_autofree char *text = NULL;
    const char *line = g_file_get_contents (path, &text, NULL, NULL)
                           ? strstr (text, "\nTracerPid:")
                           : NULL;
    int tracer = 0;
    return line && sscanf (line, "\nTracerPid: %d", &tracer) == 1 ? tracer : 0;
}

static void
add_threads (BaseRescueList *list, const char *pid, pid_t daemon)
{
    g_autofree char *path = g_strdup_printf ("/proc/%s/task", pid);
    g_autoptr (GDir) threads = g_dir_open (path, 0, NULL);
    const char *tid;
    while (threads && (tid = g_dir_read_name (threads)) && list->n_threads < list->capacity) {
        if (read_tracer (pid, tid) == (int) daemon) {
            list->threads[list->n_threads++] = (guint32) g_ascii_strtoull (tid, NULL, 10);
        }
    }
}

void
launch_rescue_begin (BaseTrapTable *traps, pid_t daemon)
{
    g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
    const char *pid;
    if (!traps) {
        return;
    }
    BaseRescueList *list = launch_rescue_get_list (traps);
    list->n_threads = 0;
    while (processes && (pid = g_dir_read_name (processes))) {
        if (g_ascii_isdigit (pid[0])) {
            add_threads (list, pid, daemon);
        }
    }
    syscall (SYS_tgkill, (long) daemon, (long) daemon, (long) BASE_RESCUE_SIGNAL);
}
