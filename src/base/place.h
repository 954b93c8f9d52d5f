/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in folders that another user may have a hand in. A path leads through folders and links that belong to root or to
 * this user, and from a point on perhaps through another user's: what is done there is done with that user's rights (if
 * this process is root), and follows no link. */
#pragma once
#include <glib.h>
#include <sys/types.h>

/* What ELOOP means here. */
#define BASE_PLACE_LINK "a link is in the way, and pddt writes through none"

typedef struct {
    int folder;         /* descriptor of the folder that has it, for the *at calls */
    char *name;         /* in that folder */
    gboolean is_others; /* the way leads through a folder of this other user's: */
    guint32 uid, gid;
} BasePlace;

/* Finds the folder of a path, which need not be there itself; links of root's and of this user's are followed, others not.
 * for_file: what is at the path is replaced, and of links that it may be root's alone are followed (/dev/stdout).
 * FALSE, with errno set: ELOOP, such a link; whose hands it has come through is set all the same. */
gboolean base_place_find (const char *path, gboolean for_file, BasePlace *ret_place);
void base_place_clear (BasePlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BasePlace, base_place_clear)

/* openat with the rights of the place's owner. -1, with errno set. */
int base_place_open (const BasePlace *place, int flags, mode_t mode);
/* mkdirat in the same way. */
gboolean base_place_make_folder (const BasePlace *place, mode_t mode);

/* TRUE: the folder, or a file in it, is to be worked on with these rights, as this process is root and it belongs to
 * another user or lies in a folder of one. */
gboolean base_place_is_others_folder (const char *folder, guint32 *ret_uid, guint32 *ret_gid);

/* Removes what is there: a file, a link itself, or a folder with the files and folders in it, without following a link. */
void base_place_remove_all (int folder_fd, const char *name);
/* renameat2 that never replaces anything. FALSE, with errno set. */
gboolean base_place_rename (int from_fd, const char *from, int to_fd, const char *to);
