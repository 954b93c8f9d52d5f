/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks a path by descriptors, one name at a time: openat(2) with O_PATH and O_NOFOLLOW, symlink(7). */
#include "base/place.h"
#include "base/confine.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_LINKS 40
#define MAX_DEPTH 16
#define MAX_TARGET 4096

/* ---- the way ---- */

static void
note_owner (BasePlace *place, const struct stat *facts)
{
    if (!place->is_others && facts->st_uid != 0 && facts->st_uid != geteuid ()) {
        place->is_others = TRUE;
        place->uid = facts->st_uid;
        place->gid = facts->st_gid;
    }
}

/* The links of /proc name no path. */
static gboolean
is_in_proc (int fd)
{
    struct statfs status;

    return fstatfs (fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

static gboolean
move_to (BasePlace *place, int fd)
{
    struct stat facts;

    if (fd < 0 || fstat (fd, &facts) != 0) {
        return FALSE;
    }
    note_owner (place, &facts);
    if (place->folder >= 0) {
        close (place->folder);
    }
    place->folder = fd;
    return TRUE;
}

typedef struct {
    char *rest; /* of the path */
    guint n_links;
    gboolean for_file, is_last;
} Way;

/* Takes the first name from the rest. Caller owns; NULL: there is none. */
static char *
take_name (char **rest)
{
    char *begin = *rest, *end, *name, *left;

    while (*begin == '/') {
        begin++;
    }
    if (*begin == '\0') {
        return NULL;
    }
    end = begin + strcspn (begin, "/");
    name = g_strndup (begin, (gsize) (end - begin));
    while (*end == '/') {
        end++;
    }
    left = g_strdup (end);
    g_free (*rest);
    *rest = left;
    return name;
}

/* "." or ".." comes next. */
static gboolean
is_up (const char *rest)
{
    gsize n = strspn (rest, ".");

    return (n == 1 || n == 2) && (rest[n] == '/' || rest[n] == '\0');
}

/* A path that leads up and out of the current folder has nothing of that. */
static gboolean
begin (BasePlace *place, Way *way)
{
    int fd = open (way->rest[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    while (fd >= 0 && is_up (way->rest)) {
        g_autofree char *name = take_name (&way->rest);
        int up = openat (fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

        close (fd);
        fd = up;
    }
    return move_to (place, fd);
}

/* The link's text in front of the rest. FALSE: it may not be followed. */
static gboolean
follow (BasePlace *place, int link, const struct stat *facts, Way *way)
{
    char target[MAX_TARGET];
    ssize_t size = readlinkat (link, "", target, sizeof target - 1);
    char *joined;

    note_owner (place, facts);
    if (place->is_others
        || (facts->st_uid != 0
            && (facts->st_uid != geteuid () || (way->for_file && *way->rest == '\0')))
        || ++way->n_links > MAX_LINKS) {
        errno = ELOOP;
        return FALSE;
    }
    if (size <= 0) {
        return FALSE;
    }
    target[size] = '\0';
    joined = *way->rest != '\0' ? g_strconcat (target, "/", way->rest, NULL)
                                : g_strdup (target);
    g_free (way->rest);
    way->rest = joined;
    return target[0] != '/' || move_to (place, open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* One name further; at the last one, is_last. */
static gboolean
step (BasePlace *place, const char *name, Way *way)
{
    gboolean is_last = *way->rest == '\0';
    int fd = openat (place->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat facts;
    gboolean ok;

    if ((fd < 0 && errno == ENOENT && is_last)
        || (fd >= 0 && is_last && is_in_proc (place->folder))) {
        way->is_last = TRUE;
        if (fd >= 0) {
            close (fd);
        }
        return TRUE;
    }
    if (fd < 0 || fstat (fd, &facts) != 0) {
        return FALSE;
    }
    if (S_ISLNK (facts.st_mode)
        && is_in_proc (place->folder)) { /* /proc/self, a process's folder */
        close (fd);
        return move_to (place, openat (place->folder, name, O_PATH | O_CLOEXEC));
    }
    if (S_ISLNK (facts.st_mode)) {
        ok = follow (place, fd, &facts, way);
        close (fd);
        return ok;
    }
    if (is_last) {
        way->is_last = TRUE;
        if (S_ISDIR (facts.st_mode) || !way->for_file) {
            note_owner (place, &facts);
        }
        close (fd);
        return TRUE;
    }
    return move_to (place, fd);
}

gboolean
base_place_find (const char *path, gboolean for_file, BasePlace *ret_place)
{
    BasePlace place = { .folder = -1 };
    Way way = { .rest = g_strdup (path), .for_file = for_file };
    gboolean ok;
    char *name;

    ok = begin (&place, &way);
    while (ok && !way.is_last && (name = take_name (&way.rest)) != NULL) {
        ok = step (&place, name, &way);
        g_free (place.name);
        place.name = name;
    }
    if (ok && !way.is_last) { /* "/", or a path that ends in a link to it */
        g_free (place.name);
        place.name = g_strdup (".");
    }
    g_free (way.rest);
    *ret_place = place;
    if (!ok) {
        int reason = errno;

        base_place_clear (ret_place);
        ret_place->is_others = place.is_others;
        ret_place->uid = place.uid;
        ret_place->gid = place.gid;
        errno = reason;
    }
    return ok;
}

void
base_place_clear (BasePlace *place)
{
    if (place->folder >= 0) {
        close (place->folder);
    }
    g_free (place->name);
    *place = (BasePlace){ .folder = -1 };
}

gboolean
base_place_is_others_folder (const char *folder, guint32 *ret_uid, guint32 *ret_gid)
{
    g_auto (BasePlace) place = { .folder = -1 };

    if (geteuid () == 0) {
        base_place_find (folder, FALSE, &place);
    }
    *ret_uid = place.uid;
    *ret_gid = place.gid;
    return place.is_others;
}

/* ---- with the owner's rights ---- */

typedef int (*Action) (const BasePlace *place, int flags, mode_t mode);

static int
open_file (const BasePlace *place, int flags, mode_t mode)
{
    return openat (place->folder, place->name,
                   flags | O_CLOEXEC | (place->is_others ? O_NOFOLLOW | O_NONBLOCK : 0), mode);
}

/* Returns a descriptor, as the others do. */
static int
make_folder (const BasePlace *place, int flags, mode_t mode)
{
    return mkdirat (place->folder, place->name, mode) == 0
               ? open ("/dev/null", O_RDONLY | O_CLOEXEC)
               : -1;
}

/* In the child: only system calls. The answer: errno, and the descriptor. */
static void
answer (int to, int reason, int fd)
{
    char room[CMSG_SPACE (sizeof fd)] = { 0 };
    struct iovec bytes = { &reason, sizeof reason };
    struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
    struct cmsghdr *part;

    if (fd >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof room;
        part = CMSG_FIRSTHDR (&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN (sizeof fd);
        memcpy (CMSG_DATA (part), &fd, sizeof fd);
    }
    sendmsg (to, &message, MSG_NOSIGNAL);
}

static int
hear (int from)
{
    int reason = EIO, fd = -1;
    char room[CMSG_SPACE (sizeof fd)] = { 0 };
    struct iovec bytes = { &reason, sizeof reason };
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room
    };

    if (recvmsg (from, &message, MSG_CMSG_CLOEXEC) == sizeof reason
        && CMSG_FIRSTHDR (&message) != NULL) {
        memcpy (&fd, CMSG_DATA (CMSG_FIRSTHDR (&message)), sizeof fd);
    }
    errno = reason;
    return fd;
}

static int
act_as_owner (const BasePlace *place, Action action, int flags, mode_t mode)
{
    int ends[2], fd, reason;
    pid_t child;

    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    child = fork ();
    if (child == 0) {
        fd = base_confine_become (place->uid, place->gid) && prctl (PR_SET_DUMPABLE, 0) == 0
                     && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                 ? action (place, flags, mode)
                 : -1;
        answer (ends[1], errno, fd);
        _exit (0);
    }
    close (ends[1]);
    fd = child > 0 ? hear (ends[0]) : -1;
    reason = errno;
    close (ends[0]);
    while (child > 0 && waitpid (child, NULL, 0) < 0 && errno == EINTR) {
    }
    errno = reason;
    return fd;
}

static int
act (const BasePlace *place, Action action, int flags, mode_t mode)
{
    return place->is_others && geteuid () == 0 ? act_as_owner (place, action, flags, mode)
                                               : action (place, flags, mode);
}

int
base_place_open (const BasePlace *place, int flags, mode_t mode)
{
    return act (place, open_file, flags, mode);
}

gboolean
base_place_make_folder (const BasePlace *place, mode_t mode)
{
    int fd = act (place, make_folder, 0, mode);

    if (fd >= 0) {
        close (fd);
    }
    return fd >= 0;
}

/* ---- in a folder ---- */

static void
remove_below (int folder_fd, const char *name, guint depth)
{
    int fd = depth < MAX_DEPTH
                 ? openat (folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                 : -1;
    DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir (dir)) != NULL) {
        if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
            && unlinkat (fd, entry->d_name, 0) != 0 && (errno == EISDIR || errno == EPERM)) {
            remove_below (fd, entry->d_name, depth + 1);
        }
    }
    if (dir != NULL) {
        closedir (dir);
    }
    unlinkat (folder_fd, name, AT_REMOVEDIR);
}

void
base_place_remove_all (int folder_fd, const char *name)
{
    if (unlinkat (folder_fd, name, 0) != 0) {
        remove_below (folder_fd, name, 0);
    }
}

gboolean
base_place_rename (int from_fd, const char *from, int to_fd, const char *to)
{
    if (renameat2 (from_fd, from, to_fd, to, RENAME_NOREPLACE) == 0) {
        return TRUE;
    }
    if (errno != EINVAL && errno != ENOSYS) { /* a file system that cannot do it at once */
        return FALSE;
    }
    if (faccessat (to_fd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return FALSE;
    }
    return renameat (from_fd, from, to_fd, to) == 0;
}
