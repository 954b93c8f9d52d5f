/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a helper may do that runs foreign code or reads foreign files: a process gives up, for good,
 * everything that it does not need for that. */
#pragma once
#include <glib.h>
#include <sys/types.h>

typedef struct {
    guint32 uid, gid;        /* whose rights it keeps; a process that is not root is that user already */
    pid_t parent;            /* it dies with this one */
    gboolean may_load;       /* it maps code: shared libraries are loaded */
    gboolean may_thread;     /* it makes threads, never processes */
    guint64 memory_bytes;    /* of its own, writable memory; 0: no limit */
    guint64 output_bytes;    /* of the largest file in memory that it makes; 0: none may be made */
    guint cpu_s;             /* of processor time; 0: no limit */
} BaseConfinement;

/* Moves the descriptors 0 to 2 to /dev/null, keeps kept_fd as descriptor 3 and no other one, and empties
 * the environment. Then: the user's rights and no groups besides his own, no core, PR_SET_NO_NEW_PRIVS,
 * not traceable, and a seccomp filter that lets it read files, use its memory and talk on descriptors
 * that it has, and fails everything else with EPERM. FALSE, with errno set: the process must end; it may
 * be confined in part. Not for a process with threads. Async-signal-safe it is not: call it right after
 * fork in a process with one thread. */
gboolean base_confine (const BaseConfinement *confinement, int kept_fd);

/* TRUE when nobody but root, this process's own user and `uid` can change what stands at the path: the file
 * and each folder above it belong to one of them and are not writable by others. A folder with the sticky
 * bit may be: in it only a file's owner replaces that file. The group may write where it is the owner's own
 * and has no other member. path: absolute, without links. Looks up users: not after base_confine. */
gboolean base_confine_is_safe_path (const char *path, guint32 uid);
