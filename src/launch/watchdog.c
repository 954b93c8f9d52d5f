/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon ends when its link to the front end closes. If its loop hangs, it would not notice
 * and would hold its ranks forever, so its guard polls the same socket without reading from
 * it. */
#include "launch/watchdog-private.h"
#include "launch/hand-over.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GRACE_US (10 * G_USEC_PER_SEC)
#define STEP_US (3 * G_USEC_PER_SEC)
#define NO_LINK_US (300 * G_USEC_PER_SEC) /* a daemon without a link gives up after 60 s */

typedef union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE (sizeof (int))];
} Control;

void
launch_hand_over_give_link (int guard_fd, int link_fd)
{
    char word = 'L';
    struct iovec part = { &word, 1 };
    Control control = { 0 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    if (guard_fd < 0 || link_fd < 0) {
        return;
    }
    control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN (sizeof (int)),
                                     .cmsg_level = SOL_SOCKET,
                                     .cmsg_type = SCM_RIGHTS };
    memcpy (CMSG_DATA (&control.head), &link_fd, sizeof link_fd);
    while (sendmsg (guard_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
    }
}

int
launch_watchdog_open (LaunchWatchdog *watchdog)
{
    int ends[2];
    *watchdog = (LaunchWatchdog){ .channel = -1, .link = -1, .deadline_us = G_MAXINT64 };
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        g_warning ("cannot watch over pddtd: %s", g_strerror (errno));
        return -1;
    }
    watchdog->channel = ends[0];
    watchdog->deadline_us = g_get_monotonic_time () + NO_LINK_US;
    return ends[1];
}

int
launch_watchdog_prepare (const LaunchWatchdog *watchdog, struct pollfd fds[LAUNCH_WATCHDOG_FDS])
{
    gint64 left_us = watchdog->deadline_us - g_get_monotonic_time ();
    fds[0] = (struct pollfd){ .fd = watchdog->channel, .events = POLLIN };
    fds[1] = (struct pollfd){ .fd = watchdog->link, .events = POLLRDHUP };
    return watchdog->deadline_us == G_MAXINT64 ? -1
                                               : (int) CLAMP (left_us / 1000 + 1, 0, G_MAXINT);
}

/* The link, or the end of the channel, which is the daemon's. */
static void
take_link (LaunchWatchdog *watchdog)
{
    char word;
    struct iovec part = { &word, 1 };
    Control control = { 0 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    gssize size = recvmsg (watchdog->channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *head = size > 0 ? CMSG_FIRSTHDR (&message) : NULL;
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN (sizeof (int))) {
        memcpy (&watchdog->link, CMSG_DATA (head), sizeof watchdog->link);
    }
    close (
        watchdog
            ->channel); /* there is one link; without it a daemon that has closed this lives unwatched */
    watchdog->channel = -1;
    watchdog->deadline_us = watchdog->is_ending ? watchdog->deadline_us : G_MAXINT64;
}

guint
launch_watchdog_check (LaunchWatchdog *watchdog, const struct pollfd fds[LAUNCH_WATCHDOG_FDS])
{
    if (fds[0].fd >= 0 && fds[0].revents != 0) {
        take_link (watchdog);
    }
    if (fds[1].fd >= 0 && fds[1].revents != 0) {
        watchdog->is_over = TRUE;
        launch_watchdog_expect_end (watchdog);
        close (watchdog->link);
        watchdog->link = -1;
    }
    if (g_get_monotonic_time () < watchdog->deadline_us) {
        return 0;
    }
    watchdog->deadline_us = g_get_monotonic_time () + STEP_US;
    return ++watchdog->step;
}

void
launch_watchdog_expect_end (LaunchWatchdog *watchdog)
{
    if (watchdog->step > 0) {
        return;
    }
    watchdog->is_ending = TRUE;
    watchdog->deadline_us = MIN (watchdog->deadline_us, g_get_monotonic_time () + GRACE_US);
}

void
launch_watchdog_close (LaunchWatchdog *watchdog)
{
    if (watchdog->channel >= 0) {
        close (watchdog->channel);
    }
    if (watchdog->link >= 0) {
        close (watchdog->link);
    }
    watchdog->channel = watchdog->link = -1;
}
