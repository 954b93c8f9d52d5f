/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose a process is: the user whose rights whatever reads it for pddt has at most. */
#pragma once
#include <glib.h>
#include <sys/types.h>

typedef struct {
    guint32 uid, gid;
    gboolean is_plain; /* all of its users and groups are these, and this user may trace it */
} BaseOwner;

/* The owner as /proc says now. Of a process with several users (real, effective, saved, of files) it is the
 * first one that is not root, as it may act for that one. is_plain FALSE: the program runs with other rights
 * than its user's (by exec of a set-user-ID program, for one) or hides its memory from him. FALSE: gone. */
gboolean base_owner_read (pid_t pid, BaseOwner *ret_owner);
