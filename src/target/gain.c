/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is executed under a tracer without root's rights gets no rights of its file (execve(2)). */
#include "base/memory-reader.h"
#include "target/process.h"
#include "target/system-calls.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Where the kernel will look for it, as seen from here; NULL: the name cannot be read. */
static char *
dup_place (pid_t tid, const TargetSystemCall *call)
{
    gboolean is_at = call->number == SYS_execveat;
    int folder = is_at ? (int) call->arguments[0] : AT_FDCWD;
    BaseMemoryReader *memory = target_memory_new (tid);
    g_autofree char *name = base_memory_read_string (memory, call->arguments[is_at ? 1 : 0],
                                                     PATH_MAX, NULL, NULL);

    target_memory_free (memory);
    if (name == NULL) {
        return NULL;
    }
    if (name[0] == '/') {
        return g_strdup_printf ("/proc/%d/root%s", (int) tid, name);
    }
    return folder == AT_FDCWD ? g_strdup_printf ("/proc/%d/cwd/%s", (int) tid, name)
                              : g_strdup_printf ("/proc/%d/fd/%d%s%s", (int) tid, folder,
                                                 name[0] != '\0' ? "/" : "", name);
}

static gboolean
has_rights (const char *path)
{
    struct stat facts;

    return stat (path, &facts) == 0 && S_ISREG (facts.st_mode)
           && ((facts.st_mode & S_ISUID) != 0
               || (facts.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP)
               || getxattr (path, "security.capability", NULL, 0) > 0);
}

char *
target_thread_dup_gaining (pid_t tid)
{
    TargetSystemCall call;
    g_autofree char *place = NULL;

    if (geteuid () == 0 || !target_thread_get_system_call (tid, &call) || !call.is_entry
        || (call.number != SYS_execve && call.number != SYS_execveat)) {
        return NULL;
    }
    place = dup_place (tid, &call);
    return place != NULL && has_rights (place) ? g_path_get_basename (place) : NULL;
}
