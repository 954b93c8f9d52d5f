/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's end of the hand-over socket. Who comes is what the kernel says of the peer, never
 * what the message claims. */
#include "launch/hand-over.h"
#include "base/error.h"
#include "launch/host-directory-private.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HELLO_WAIT_MS 2000

int
launch_hand_over_listen (const char *host_directory, GError **error)
{
    g_autofree char *path = g_build_filename (host_directory, LAUNCH_SOCKET_NAME, NULL);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = -1;
    if (g_strlcpy (address.sun_path, path, sizeof address.sun_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
    } else if ((fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) >= 0) {
        unlink (path);
    }
    if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) < 0 ||
        listen (fd, 1024) < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot listen on %s: %s", path,
                     g_strerror (errno));
        if (fd >= 0) {
            close (fd);
        }
        return -1;
    }
    return fd;
}

static int
take_descriptor (struct msghdr *message)
{
    int found = -1;
    for (struct cmsghdr *part = CMSG_FIRSTHDR (message); part; part = CMSG_NXTHDR (message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        gsize n = (part->cmsg_len - CMSG_LEN (0)) / sizeof (int);
        for (gsize i = 0; i < n; i++) {
            int fd;
            memcpy (&fd, CMSG_DATA (part) + i * sizeof fd, sizeof fd);
            if (found < 0) {
                found = fd;
            } else {
                close (fd);
            }
        }
    }
    return found;
}

static gboolean
read_hello (int fd, LaunchHello *hello, int *ret_input_fd, GError **error)
{
    struct pollfd waiting = { .fd = fd, .events = POLLIN };
    char room[CMSG_SPACE (4 * sizeof (int))];
    struct iovec bytes = { .iov_base = hello, .iov_len = sizeof *hello };
    struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room,
                              .msg_controllen = sizeof room };
    gssize size = poll (&waiting, 1, HELLO_WAIT_MS) == 1
                      ? recvmsg (fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT)
                      : -1;
    *ret_input_fd = size >= 0 ? take_descriptor (&message) : -1;
    if (size == sizeof *hello && hello->version == LAUNCH_HAND_OVER_VERSION &&
        hello->rank < hello->size && (hello->has_input != 0) == (*ret_input_fd >= 0)) {
        return TRUE;
    }
    if (*ret_input_fd >= 0) {
        close (*ret_input_fd);
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot read a shim's greeting: %s",
                 size < 0 ? "nothing came" : "it contradicts itself");
    return FALSE;
}

int
launch_hand_over_accept (int listen_fd, pid_t *ret_pid, LaunchHello *ret_hello,
                         int *ret_input_fd, GError **error)
{
    int fd = accept4 (listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_GONE, "cannot accept a rank: %s",
                     g_strerror (errno));
        return -1;
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid () ||
        peer.pid <= 0) {
        close (fd);
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot accept a rank: it is another "
                     "user's");
        return -1;
    }
    LaunchHello hello;
    int input_fd;
    if (!read_hello (fd, &hello, &input_fd, error)) {
        close (fd);
        return -1;
    }
    *ret_pid = peer.pid;
    *ret_hello = hello;
    *ret_input_fd = input_fd;
    return fd;
}

void
launch_hand_over_answer (int fd, const char *refusal)
{
    const char *answer = refusal ? refusal : "G";
    gsize size = MIN (strlen (answer), 4000);
    while (send (fd, answer, size, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
    close (fd);
}
