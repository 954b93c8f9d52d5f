/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The owner of a process. Helpers that read it for pddt never have more than this user's
 * rights. */
#pragma once
#include <glib.h>
#include <sys/types.h>

typedef struct {
    guint32 uid, gid;
    gboolean is_plain; /* all of its users and groups are these, and this user may trace it */
} BaseOwner;

/* Reads the current owner from /proc. If the real, effective, saved and file-system users
 * differ, it is the first that is not root. is_plain FALSE: the program has other rights than
 * its user's (after exec of a set-user-ID program, for example) or hides its memory from that
 * user. Returns FALSE when the process is gone. */
gboolean base_owner_read (pid_t pid, BaseOwner *ret_owner);
