/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is at the other end of what a thread sleeps in: who holds the lock on a file (proc(5), locks), has the
 * pipe open the other way, or is the child process. Only what this host's /proc tells. */
#include "engine/control/private.h"
#include "base/escape.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAX_SEARCHED 256u /* descriptors of a rank */
#define MAX_LOCKS 10000u
#define OPEN_FILE_LOCK 38u /* F_OFD_SETLKW of fcntl (linux/fcntl.h) */
#define MAX_PROCESSES 256u /* children of a rank, and theirs */

char *
engine_process_dup_name (pid_t pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/comm", (int) pid);
    g_autofree char *text = NULL, *name = NULL;

    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        return g_strdup_printf ("%d", (int) pid);
    }
    name = base_escape_take (g_strdup (g_strchomp (text)), BASE_ESCAPE_NAME);
    return g_strdup_printf ("%d (%s)", (int) pid, name);
}

static void
note_peer (JobWait *wait, const EngineProcess *process, pid_t pid)
{
    const Engine *engine = process->engine;

    for (guint i = 0; i < engine->processes->len; i++) {
        const EngineProcess *other = g_ptr_array_index (engine->processes, i);

        if (other->pid == pid && !other->ended && !other->is_forked) {
            wait->peer = other->rank + 1;
            return;
        }
    }
    g_free (wait->other_name);
    wait->other_name = engine_process_dup_name (pid);
}

/* ---- locks on files ---- */

/* "1: POSIX  ADVISORY  WRITE 4711 fe:00:1234 0 EOF"; below a lock stand those that wait for it, with "->" behind the
 * number. 0: of another file. */
static pid_t
parse_lock (const char *line, const struct stat *status)
{
    unsigned major_number, minor_number;
    unsigned long inode;
    const char *arrow = strstr (line, "->");
    int pid;

    line = arrow != NULL ? arrow + strlen ("->") : strchr (line, ':');
    line = line != NULL && *line == ':' ? line + 1 : line;
    return line != NULL
                   && sscanf (line, "%*s %*s %*s %d %x:%x:%lu", &pid, &major_number,
                              &minor_number, &inode)
                          == 4
                   && inode == status->st_ino && major_number == major (status->st_dev)
                   && minor_number == minor (status->st_dev)
               ? pid
               : 0;
}

/* Who has the very lock that the process waits for: there may be others on other parts of the file. is_open: it waits for one
 * of an open file (OFDLCK), which belongs to no process, as its waiters do not in /proc/locks. open_lock: such a lock as the
 * kernel writes it, where that is what it waits for; NULL. Caller owns. 0: nobody else, or not known. */
static pid_t
find_holder (const EngineProcess *process, guint64 descriptor, gboolean is_open,
             char **open_lock)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%" G_GUINT64_FORMAT,
                                             (int) process->pid, descriptor);
    g_autofree char *text = NULL;
    g_auto (GStrv) lines = NULL;
    struct stat status;
    pid_t holder = 0;
    const char *lock = NULL, *found = NULL;

    *open_lock = NULL;
    if (stat (path, &status) != 0 || !g_file_get_contents ("/proc/locks", &text, NULL, NULL)) {
        return 0;
    }
    lines = g_strsplit (text, "\n", MAX_LOCKS);
    for (guint i = 0; lines[i] != NULL; i++) {
        pid_t pid = parse_lock (lines[i], &status);

        if (strstr (lines[i], "->") == NULL) {
            holder = pid;
            lock = strstr (lines[i], "OFDLCK");
        } else if (pid == process->pid) {
            *open_lock = holder < 0 ? g_strdup (lock) : NULL;
            return holder != pid ? MAX (holder, 0) : 0;
        } else if (is_open && pid < 0
                   && lock != NULL) { /* one who waits so is not named either */
            if (found != NULL && strcmp (found, lock) != 0) {
                return 0;
            }
            found = lock;
        }
    }
    *open_lock = g_strdup (found);
    return 0;
}

static gboolean
waits_for_lock (const EngineSystemCall *call)
{
    return call->number == SYS_flock
           || (call->number == SYS_fcntl
               && (call->arguments[1] == F_SETLKW || call->arguments[1] == OPEN_FILE_LOCK));
}

/* ---- pipes ---- */

static int
read_access (pid_t pid, const char *descriptor)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/fdinfo/%s", (int) pid, descriptor);
    g_autofree char *text = NULL;
    const char *at = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, "flags:")
                                                                   : NULL;

    return at != NULL ? (int) strtol (at + strlen ("flags:"), NULL, 8) & O_ACCMODE : -1;
}

static gboolean
has_end (pid_t pid, const char *file, int access)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%d/fd", (int) pid);
    g_autoptr (GDir) list = g_dir_open (folder, 0, NULL);
    const char *name;

    for (guint i = 0;
         list != NULL && i < MAX_SEARCHED && (name = g_dir_read_name (list)) != NULL; i++) {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        g_autofree char *target = g_file_read_link (path, NULL);

        if (g_strcmp0 (target, file) == 0) {
            int its = read_access (pid, name);

            if (access < 0 || its == access || its == O_RDWR) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

static void
add_process (GArray *pids, pid_t pid)
{
    if (BASE_ANY (i, pids->len, g_array_index (pids, pid_t, i) == pid)) {
        return;
    }
    g_array_append_val (pids, pid);
}

static void
add_children (GArray *pids, pid_t pid)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%d/task", (int) pid);
    g_autoptr (GDir) threads = g_dir_open (folder, 0, NULL);
    const char *tid;

    while (threads != NULL && (tid = g_dir_read_name (threads)) != NULL) {
        g_autofree char *path = g_build_filename (folder, tid, "children", NULL);
        g_autofree char *text = NULL;
        char *at;

        if (!g_file_get_contents (path, &text, NULL, NULL)) {
            continue;
        }
        for (at = text; pids->len < MAX_PROCESSES && g_ascii_isdigit (*at);
             at += strspn (at, " ")) {
            add_process (pids, (pid_t) strtol (at, &at, 10));
        }
    }
}

/* All ranks of this host, and the process's own children and theirs: whoever may have what it waits for. */
static GArray *
list_processes (const EngineProcess *process)
{
    const Engine *engine = process->engine;
    GArray *pids = g_array_new (FALSE, FALSE, sizeof (pid_t));

    g_array_append_val (pids, process->pid);
    for (guint i = 0; i < pids->len; i++) {
        add_children (pids, g_array_index (pids, pid_t, i));
    }
    g_array_remove_index (pids, 0);
    for (guint i = 0; i < engine->processes->len; i++) {
        const EngineProcess *other = g_ptr_array_index (engine->processes, i);

        if (other != process && !other->ended) {
            add_process (pids, other->pid);
        }
    }
    return pids;
}

static pid_t
read_parent (pid_t pid)
{
    static const char name[] = "\nPPid:";
    g_autofree char *path = g_strdup_printf ("/proc/%d/status", (int) pid);
    g_autofree char *text = NULL;
    const char *at = g_file_get_contents (path, &text, NULL, NULL) ? strstr (text, name) : NULL;

    return at != NULL ? (pid_t) strtol (at + strlen (name), NULL, 10) : 0;
}

/* The other process that has the pipe or FIFO open the other way, or (access -1) the socket; of a shell and the program that
 * it has started the program. 0: none; -1: several. */
static pid_t
find_end (const EngineProcess *process, const char *file, int access)
{
    g_autoptr (GArray) pids = list_processes (process);
    pid_t found = 0;

    for (guint i = 0; i < pids->len; i++) { /* parents come before their children */
        pid_t pid = g_array_index (pids, pid_t, i);

        if (has_end (pid, file, access)) {
            if (found != 0 && read_parent (pid) != found) {
                return -1;
            }
            found = pid;
        }
    }
    return found;
}

static gboolean
has_lock (pid_t pid, const char *lock)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%d/fdinfo", (int) pid);
    g_autoptr (GDir) list = g_dir_open (folder, 0, NULL);
    const char *name;

    for (guint i = 0;
         list != NULL && i < MAX_SEARCHED && (name = g_dir_read_name (list)) != NULL; i++) {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        g_autofree char *text = NULL;

        if (g_file_get_contents (path, &text, NULL, NULL) && strstr (text, lock) != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The only other process that has the open file with this lock. 0: none, or several. */
static pid_t
find_open_holder (const EngineProcess *process, const char *lock)
{
    g_autoptr (GArray) pids = list_processes (process);
    pid_t found = 0;

    for (guint i = 0; lock != NULL && i < pids->len; i++) {
        if (has_lock (g_array_index (pids, pid_t, i), lock)) {
            if (found != 0) {
                return 0;
            }
            found = g_array_index (pids, pid_t, i);
        }
    }
    return found;
}

static gboolean
is_pipe (const EngineProcess *process, guint64 descriptor)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%" G_GUINT64_FORMAT,
                                             (int) process->pid, descriptor);
    struct stat status;

    return stat (path, &status) == 0 && S_ISFIFO (status.st_mode);
}

/* ---- child processes ---- */

/* The one that it waits for by number, or its only one. */
static pid_t
find_child (const EngineProcess *process, const EngineSystemCall *call)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/children", (int) process->pid,
                                             (int) call->tid);
    g_autofree char *text = NULL;
    int wanted = call->number == SYS_wait4             ? (int) call->arguments[0]
                 : call->arguments[0] == 1 /* P_PID */ ? (int) call->arguments[1]
                                                       : -1;
    char *end;
    long pid;

    if (wanted > 0) {
        return wanted;
    }
    if (!g_file_get_contents (path, &text, NULL, NULL)) {
        return 0;
    }
    pid = strtol (text, &end, 10);
    return strtol (end, NULL, 10) == 0 ? (pid_t) pid : 0;
}

/* To a child that is a rank of its own. 0: it is none, or another thread may go on meanwhile. */
static guint64
find_distance (const EngineProcess *process, pid_t child)
{
    const GPtrArray *all = process->engine->processes;

    for (guint i = process->slot + 1; process->threads->len == 1 && i < all->len; i++) {
        const EngineProcess *other = g_ptr_array_index (all, i);

        if (other->pid == child && !other->ended) {
            return i - process->slot;
        }
    }
    return 0;
}

/* It writes to a pipe that is full, and the process that waits for its end is the only one that could read it. */
static gboolean
is_unread (const EngineProcess *process, pid_t child)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/syscall", (int) child);
    g_autofree char *text = NULL, *link = NULL, *file = NULL;
    g_auto (GStrv) words = NULL;

    if (!engine_process_is_single (process) || !g_file_get_contents (path, &text, NULL, NULL)) {
        return FALSE;
    }
    words = g_strsplit (text, " ", 3);
    if (words[0] == NULL || words[1] == NULL || strtol (words[0], NULL, 10) != SYS_write) {
        return FALSE;
    }
    link = g_strdup_printf ("/proc/%d/fd/%lu", (int) child, strtoul (words[1], NULL, 16));
    file = g_file_read_link (link, NULL);
    return file != NULL && g_str_has_prefix (file, "pipe:")
           && has_end (process->pid, file, O_RDONLY) && find_end (process, file, O_RDONLY) == 0;
}

/* TRUE: it is one; its name is what it is connected to. */
static gboolean
note_socket (JobWait *wait, const EngineProcess *process)
{
    gulong other;
    char *name = engine_socket_describe (process, wait->file, &other);
    g_autofree char *end = g_strdup_printf ("socket:[%lu]", other);
    pid_t pid = name != NULL && other != 0 ? find_end (process, end, -1) : 0;

    if (name == NULL) {
        return g_str_has_prefix (wait->file, "socket:");
    }
    g_free (wait->file);
    wait->file = name;
    if (pid > 0) {
        note_peer (wait, process, pid);
    }
    return TRUE;
}

/* What is being opened; a FIFO without another process at it. */
static void
note_path (JobWait *wait, const EngineProcess *process, const EngineSystemCall *call)
{
    guint64 address = call->arguments[call->number == SYS_openat ? 1 : 0];

    wait->file = base_escape_take (base_memory_read_string (engine_process_get_memory (process),
                                                            address, PATH_MAX, NULL, NULL),
                                   BASE_ESCAPE_NAME);
    wait->kind = wait->file != NULL ? JOB_WAIT_FILE : wait->kind;
}

void
engine_wait_find_peer (JobWait *wait, const EngineProcess *process,
                       const EngineSystemCall *call)
{
    gboolean reads = g_strcmp0 (wait->name, "read") == 0;
    g_autofree char *open_lock = NULL;
    pid_t pid = 0;

    if (call->number == SYS_wait4 || call->number == SYS_waitid) {
        pid = find_child (process, call);
        if (pid > 0) {
            wait->kind = JOB_WAIT_CHILD;
            wait->other_name = engine_process_dup_name (pid);
            wait->number = find_distance (process, pid);
            wait->flags |= is_unread (process, pid) ? JOB_WAIT_UNREAD : 0;
        }
        return;
    }
    if (g_strcmp0 (wait->name, "open") == 0) {
        note_path (wait, process, call);
    }
    if (wait->kind != JOB_WAIT_FILE || note_socket (wait, process)) {
        return;
    }
    if (waits_for_lock (call)) {
        pid = find_holder (process, wait->number, call->arguments[1] == OPEN_FILE_LOCK,
                           &open_lock);
        wait->flags |= engine_process_is_single (process) && open_lock == NULL ? JOB_WAIT_ALONE
                                                                               : 0;
        pid = pid != 0 ? pid : find_open_holder (process, open_lock);
    } else if ((reads || g_strcmp0 (wait->name, "write") == 0)
               && is_pipe (process, wait->number)) {
        pid = find_end (process, wait->file, reads ? O_WRONLY : O_RDONLY);
    }
    if (pid > 0) {
        note_peer (wait, process, pid);
    }
}
