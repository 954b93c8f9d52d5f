/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's end of the hand-over socket. Trusts the kernel's credentials of the peer, never
 * the message. */
#include "launch/hand-over.h"
#include "base/error.h"
#include "launch/host-directory-private.h"
#include "launch/reach-private.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PIECE_SIZE 32768u

int
launch_hand_over_listen (const char *host_directory, GError **error)
{
    g_autofree char *path = g_build_filename (host_directory, LAUNCH_SOCKET_NAME, NULL);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = -1;
    if (g_strlcpy (address.sun_path, path, sizeof address.sun_path)
        >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
    } else if ((fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) >= 0) {
        unlink (path);
    }
    if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) < 0
        || listen (fd, 1024) < 0) {
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
    for (struct cmsghdr *part = CMSG_FIRSTHDR (message); part;
         part = CMSG_NXTHDR (message, part)) {
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

gboolean
launch_hand_over_read_hello (int fd, LaunchHello *hello, int *ret_input_fd, GError **error)
{
    char room[CMSG_SPACE (4 * sizeof (int))];
    struct iovec bytes = { .iov_base = hello, .iov_len = sizeof *hello };
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room
    };
    gssize size = recvmsg (fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    *ret_input_fd = size >= 0 ? take_descriptor (&message) : -1;
    if (size == sizeof *hello && hello->version == LAUNCH_HAND_OVER_VERSION
        && (hello->rank < hello->size || hello->n_targets > 0)
        && (hello->has_input != 0) == (*ret_input_fd >= 0)) {
        return TRUE;
    }
    if (*ret_input_fd >= 0) {
        close (*ret_input_fd);
        *ret_input_fd = -1;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot read a shim's greeting: %s",
                 size <= 0 ? "it is empty" : "it is malformed");
    return FALSE;
}

int
launch_hand_over_accept (int listen_fd, pid_t *ret_pid, GError **error)
{
    int fd = accept4 (listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_GONE, "cannot accept a rank: %s",
                     g_strerror (errno));
        return -1;
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid ()
        || peer.pid <= 0) {
        close (fd);
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot accept a rank: it belongs to another "
                     "user");
        return -1;
    }
    *ret_pid = peer.pid;
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

/* ---- processes and core files ---- */

#define TARGETS_TYPE G_VARIANT_TYPE ("a(iuuay)")
#define TARGETS_LIMIT (4u << 20)

static GVariant *
encode_targets (GPtrArray *targets)
{
    GVariantBuilder builder;
    g_variant_builder_init (&builder, TARGETS_TYPE);
    for (guint i = 0; i < targets->len; i++) {
        const LaunchTarget *target = targets->pdata[i];
        g_variant_builder_add (&builder, "(iuu@ay)", target->pid, target->rank, target->size,
                               g_variant_new_bytestring (target->core ? target->core : ""));
    }
    return g_variant_ref_sink (g_variant_builder_end (&builder));
}

static GPtrArray *
decode_targets (GVariant *content, guint32 n_targets)
{
    g_autoptr (GPtrArray) targets
        = g_ptr_array_new_with_free_func ((GDestroyNotify) launch_target_free);
    if (!g_variant_is_normal_form (content) || g_variant_n_children (content) != n_targets) {
        return NULL;
    }
    for (guint i = 0; i < n_targets; i++) {
        LaunchTarget *target = g_new0 (LaunchTarget, 1);
        const char *core;
        g_variant_get_child (content, i, "(iuu^&ay)", &target->pid, &target->rank,
                             &target->size, &core);
        target->core = *core ? g_strdup (core) : NULL;
        g_ptr_array_add (targets, target);
        if (target->pid < 0 || (target->pid == 0) != (target->core != NULL)
            || (target->size > 0 && target->rank >= target->size)) {
            return NULL;
        }
    }
    return g_steal_pointer (&targets);
}

static GPtrArray *
decode_whole (GByteArray *bytes, guint32 n_targets)
{
    g_autoptr (GBytes) whole = g_bytes_new (bytes->data + sizeof (guint32),
                                            bytes->len - sizeof (guint32));
    g_autoptr (GVariant) content = g_variant_ref_sink (g_variant_new_from_bytes (TARGETS_TYPE,
                                                                                 whole, FALSE));
    return decode_targets (content, n_targets);
}

gboolean
launch_hand_over_read_targets (int fd, guint32 n_targets, GByteArray *bytes,
                               GPtrArray **ret_targets, GError **error)
{
    g_autofree guint8 *piece = g_malloc (PIECE_SIZE);
    gssize got = recv (fd, piece, PIECE_SIZE, MSG_DONTWAIT);
    guint32 size = 0;
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return FALSE;
    }
    g_byte_array_append (bytes, piece, (guint) MAX (got, 0));
    if (got > 0 && bytes->len >= sizeof size) {
        memcpy (&size, bytes->data, sizeof size);
        if (size > 0 && size <= TARGETS_LIMIT && bytes->len < sizeof size + size) {
            return FALSE;
        }
    }
    *ret_targets = size > 0 && bytes->len == sizeof size + size
                       ? decode_whole (bytes, n_targets)
                       : NULL;
    if (!*ret_targets) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot read which processes to attach to");
    }
    return TRUE;
}

/* In pieces: a packet may not be larger than the socket's buffer. */
static gboolean
send_targets (int fd, GPtrArray *targets)
{
    g_autoptr (GVariant) content = encode_targets (targets);
    const guint8 *data = g_variant_get_data (content);
    guint32 size = (guint32) g_variant_get_size (content);
    LaunchHello hello = { .version = LAUNCH_HAND_OVER_VERSION, .n_targets = targets->len };
    gboolean sent = size <= TARGETS_LIMIT
                    && send (fd, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello
                    && send (fd, &size, sizeof size, MSG_NOSIGNAL) == sizeof size;
    for (guint32 done = 0; sent && done < size; done += MIN (size - done, PIECE_SIZE)) {
        gsize part = MIN (size - done, PIECE_SIZE);
        sent = send (fd, data + done, part, MSG_NOSIGNAL) == (gssize) part;
    }
    return sent;
}

gboolean
launch_hand_over_send_targets (const char *session_directory, GPtrArray *targets,
                               GError **error)
{
    int fd = launch_reach_daemon (session_directory, error);
    char answer[4096];
    gssize size = -1;
    if (fd < 0) {
        return FALSE;
    }
    if (send_targets (fd, targets)) {
        do {
            size = recv (fd, answer, sizeof answer - 1, 0);
        } while (size < 0 && errno == EINTR);
    }
    close (fd);
    if (size == 1 && answer[0] == 'G') {
        return TRUE;
    }
    answer[MAX (size, 0)] = '\0';
    if (size > 0) {
        base_error_set (error, BASE_ERROR_LOST, "cannot attach: %s", answer);
    } else {
        base_error_set (error, BASE_ERROR_LOST, "cannot attach: pddt's daemon has ended");
    }
    return FALSE;
}

gboolean
launch_hand_over_is_served (const char *session_directory)
{
    return launch_reach_is_served (session_directory);
}
