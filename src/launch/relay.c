/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kept job continues to write where the front end wrote, without tags. Drops text when the
 * reader is gone, so that the job does not block. */
#include "launch/relay-private.h"
#include "launch/tags.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct _LaunchRelay {
    int from[2], to[2];
    LaunchTags *tags[2];
};

gboolean
launch_relay_send (int lifeline, LaunchTagForm form, const int fds[LAUNCH_RELAY_FDS])
{
    char words[2] = { 'K', (char) form };
    char room[CMSG_SPACE (LAUNCH_RELAY_FDS * sizeof (int))] = { 0 };
    struct iovec bytes = { .iov_base = words, .iov_len = sizeof words };
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room
    };
    struct cmsghdr *part = CMSG_FIRSTHDR (&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN (LAUNCH_RELAY_FDS * sizeof (int));
    memcpy (CMSG_DATA (part), fds, LAUNCH_RELAY_FDS * sizeof (int));
    return sendmsg (lifeline, &message, MSG_NOSIGNAL) == sizeof words;
}

int
launch_relay_receive (int lifeline, LaunchTagForm *ret_form, int fds[LAUNCH_RELAY_FDS])
{
    char words[2] = { 0 };
    char room[CMSG_SPACE (LAUNCH_RELAY_FDS * sizeof (int))];
    struct iovec bytes = { .iov_base = words, .iov_len = sizeof words };
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room
    };
    gssize size = recvmsg (lifeline, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0) {
        return errno == EAGAIN || errno == EINTR ? -1 : 0;
    }
    struct cmsghdr *part = size == sizeof words ? CMSG_FIRSTHDR (&message) : NULL;
    if (!part || part->cmsg_type != SCM_RIGHTS
        || part->cmsg_len != CMSG_LEN (LAUNCH_RELAY_FDS * sizeof (int))) {
        return size == 0 ? 0 : words[0] == 'Q' ? 'Q' : 'T';
    }
    memcpy (fds, CMSG_DATA (part), LAUNCH_RELAY_FDS * sizeof (int));
    *ret_form = (LaunchTagForm) words[1];
    return 'K';
}

static void
write_text (guint32 rank, const char *text, gsize size, gpointer user)
{
    int *fd = user;
    while (size > 0) {
        gssize n = write (*fd, text, size);
        if (n < 0 && errno != EINTR) {
            return;
        }
        text += MAX (n, 0);
        size -= (gsize) MAX (n, 0);
    }
}

LaunchRelay *
launch_relay_new (LaunchTagForm form, const int fds[LAUNCH_RELAY_FDS])
{
    LaunchRelay *relay = g_new0 (LaunchRelay, 1);
    for (int i = 0; i < 2; i++) {
        relay->from[i] = fds[i];
        relay->to[i] = fds[2 + i];
        relay->tags[i] = launch_tags_new (form, G_MAXUINT32, i + 1, write_text, &relay->to[i]);
    }
    return relay;
}

const int *
launch_relay_get_fds (const LaunchRelay *relay)
{
    return relay->from;
}

static gboolean
has_text (int fd)
{
    struct pollfd waiting = { .fd = fd, .events = POLLIN };
    return fd >= 0 && poll (&waiting, 1, 0) == 1;
}

void
launch_relay_copy (LaunchRelay *relay)
{
    char buffer[16384];
    for (int i = 0; i < 2; i++) {
        while (has_text (relay->from[i])) {
            gssize size = read (relay->from[i], buffer, sizeof buffer);
            if (size > 0) {
                launch_tags_feed (relay->tags[i], buffer, (gsize) size);
            } else if (size == 0 || errno != EINTR) {
                close (relay->from[i]);
                relay->from[i] = -1;
            }
        }
        launch_tags_give_open (relay->tags[i]);
    }
}

void
launch_relay_free (LaunchRelay *relay)
{
    if (!relay) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        launch_tags_finish (relay->tags[i]);
        launch_tags_free (relay->tags[i]);
        if (relay->from[i] >= 0) {
            close (relay->from[i]);
        }
        close (relay->to[i]);
    }
    g_free (relay);
}
