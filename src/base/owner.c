/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a process's users and groups from /proc (proc(5), status): the owner of its folder
 * there is not enough, because that is also root when the process is not traceable. */
#include "base/owner.h"
#include "base/array.h"
#include "base/file.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define N_NUMBERS 4 /* real, effective, saved, of files */

static gboolean
read_numbers (const char *status, const char *name, guint32 *numbers)
{
    g_autofree char *wanted = g_strdup_printf ("\n%s:", name);
    const char *at = strstr (status, wanted);

    return at != NULL
           && sscanf (at + strlen (wanted), "%u %u %u %u", &numbers[0], &numbers[1],
                      &numbers[2], &numbers[3])
                  == N_NUMBERS;
}

static gboolean
are_equal (const guint32 *numbers)
{
    return numbers[0] == numbers[1] && numbers[0] == numbers[2] && numbers[0] == numbers[3];
}

static guint
find_lowest_rights (const guint32 *users)
{
    return BASE_CHOOSE (i, N_NUMBERS, users[i] != 0, i, 0);
}

gboolean
base_owner_read (pid_t pid, BaseOwner *ret_owner)
{
    g_autofree char *folder = g_strdup_printf ("/proc/%d", (int) pid);
    g_autofree char *status = base_file_read_process (pid, "status", NULL);
    guint32 users[N_NUMBERS], groups[N_NUMBERS];
    struct stat info;
    guint which;

    if (stat (folder, &info) != 0 || status == NULL || !read_numbers (status, "Uid", users)
        || !read_numbers (status, "Gid", groups)) {
        return FALSE;
    }
    which = find_lowest_rights (users);
    *ret_owner = (BaseOwner){ users[which], groups[which],
                              are_equal (users) && are_equal (groups)
                                  && info.st_uid == users[0] };
    return TRUE;
}
