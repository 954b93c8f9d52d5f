/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sandbox for helpers that run foreign code or read foreign files: the process permanently
 * gives up everything that it does not need for that. */
#pragma once
#include <glib.h>
#include <sys/types.h>

typedef struct {
    guint32 uid, gid;     /* whose rights it keeps; ignored unless it is root */
    pid_t parent;         /* its death kills this process */
    gboolean may_load;    /* it maps code: shared libraries are loaded */
    gboolean may_thread;  /* it may create threads, never processes */
    guint64 memory_bytes; /* limit of private writable memory; 0: none */
    guint64 output_bytes; /* largest memory file that it may create; 0: it may create none */
    guint cpu_s;          /* limit of processor time; 0: none */
} BaseConfinement;

/* Moves the descriptors 0 to 2 to /dev/null, keeps kept_fd as descriptor 3 and no other one, and empties
 * the environment. Then: the user's rights and no groups besides his own, no core, PR_SET_NO_NEW_PRIVS,
 * not traceable, and a seccomp filter that lets it read files, use its memory and talk on descriptors
 * that it has, and fails everything else with EPERM. FALSE, with errno set: the process must end; it may
 * be confined in part. Not async-signal-safe: call it right after fork, in a process with one
 * thread. */
gboolean base_confine (const BaseConfinement *confinement, int kept_fd);

/* Sets all ids to that user's, permanently, with no group besides gid. FALSE, with errno set: it has not; without
 * root's rights that is so for every other user. */
gboolean base_confine_become (guint32 uid, guint32 gid);

/* What root's environment has is nothing for the user whose rights it takes: neither this process nor what it executes
 * has it any more, and it is not in memory. base_confine does it. */
void base_confine_wipe_environment (void);

/* TRUE when only root, this process's own user and `uid` can change the file at the path: the
 * file and each folder above it belong to one of them and are not writable by others. A sticky
 * folder may be writable, because in it only a file's owner can replace that file. Group write
 * permission is accepted for the owner's private group. path: absolute, without links. Looks up
 * users: not after base_confine. */
gboolean base_confine_is_safe_path (const char *path, guint32 uid);
