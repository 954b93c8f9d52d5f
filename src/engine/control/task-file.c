/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of proc(5) about a thread or a process, for those who read them again and again: opening one costs more than reading it. */
#include "engine/control/control.h"
#include <fcntl.h>
#include <unistd.h>

#define MAX_KEPT 512u /* of all ranks here */

static guint n_kept;

void
engine_task_file_close (EngineTaskFile *file)
{
    if (file->fd != 0) {
        close (file->fd - 1);
        file->fd = 0;
        n_kept--;
    }
}

static gssize
open_and_read (const EngineProcess *process, pid_t tid, const char *name, EngineTaskFile *file,
               char *text, gsize size)
{
    char path[64];
    int fd;
    gssize n;

    if (tid != 0) {
        g_snprintf (path, sizeof path, "/proc/%d/task/%d/%s", (int) process->pid, (int) tid,
                    name);
    } else {
        g_snprintf (path, sizeof path, "/proc/%d/%s", (int) process->pid, name);
    }
    fd = open (path, O_RDONLY | O_CLOEXEC);
    n = fd >= 0 ? read (fd, text, size) : -1;
    if (n > 0 && file != NULL && n_kept < MAX_KEPT) {
        file->fd = fd + 1;
        n_kept++;
    } else if (fd >= 0) {
        close (fd);
    }
    return n;
}

gssize
engine_task_file_read (const EngineProcess *process, pid_t tid, const char *name,
                       EngineTaskFile *file, char *text, gsize size)
{
    gssize n = file != NULL && file->fd != 0 ? pread (file->fd - 1, text, size - 1, 0) : -1;

    if (n <= 0) {
        if (file != NULL) {
            engine_task_file_close (file);
        }
        n = open_and_read (process, tid, name, file, text, size - 1);
    }
    text[MAX (n, 0)] = '\0';
    return n;
}
