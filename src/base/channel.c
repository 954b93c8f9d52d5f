/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends messages and descriptors over a stream socket. */
#include "base/channel.h"
#include "base/error.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_MESSAGE (256u << 20)
#define AT_ONCE_MS 5 /* so long is waited for the next part before others are served */

typedef union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE (sizeof (int))];
} Control;

gboolean
base_channel_is_own (int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
           && (peer.uid == geteuid () || peer.uid == 0);
}

static gboolean
send_all (int fd, const void *data, gsize size)
{
    const guint8 *at = data;

    while (size > 0) {
        gssize sent = send (fd, at, size, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return FALSE;
        }
        at += sent;
        size -= (gsize) sent;
    }
    return TRUE;
}

/* The descriptor travels with the bytes of the length. */
static gboolean
send_head (int fd, guint32 wire, int passed_fd)
{
    struct iovec part = { &wire, sizeof wire };
    Control control = { 0 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    gssize sent;

    if (passed_fd < 0) {
        return send_all (fd, &wire, sizeof wire);
    }
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN (sizeof (int)),
                                     .cmsg_level = SOL_SOCKET,
                                     .cmsg_type = SCM_RIGHTS };
    memcpy (CMSG_DATA (&control.head), &passed_fd, sizeof passed_fd);
    do {
        sent = sendmsg (fd, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent > 0 && send_all (fd, (guint8 *) &wire + sent, sizeof wire - (gsize) sent);
}

gboolean
base_channel_send (int fd, GVariant *message, int passed_fd)
{
    gsize size = g_variant_get_size (message);

    return size <= MAX_MESSAGE && send_head (fd, GUINT32_TO_LE ((guint32) size), passed_fd)
           && send_all (fd, g_variant_get_data (message), size);
}

/* Some bytes, and the descriptor that came with them. 0: gone. */
static gssize
receive_some (int fd, void *data, gsize size, int *ret_passed_fd)
{
    struct iovec part = { data, size };
    Control control;
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    gssize got;
    struct cmsghdr *head;

    do {
        got = recvmsg (fd, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    head = got > 0 ? CMSG_FIRSTHDR (&message) : NULL;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS
        && head->cmsg_len == CMSG_LEN (sizeof (int))) {
        if (*ret_passed_fd >= 0) {
            close (*ret_passed_fd);
        }
        memcpy (ret_passed_fd, CMSG_DATA (head), sizeof *ret_passed_fd);
    }
    return MAX (got, 0);
}

static gboolean
receive_all (int fd, void *data, gsize size, gint64 end, BaseChannelWait wait,
             int *ret_passed_fd, gboolean *ret_is_late)
{
    guint8 *at = data;

    while (size > 0) {
        struct pollfd waiting = { .fd = fd, .events = POLLIN };
        gint64 left = end < 0 ? -1 : MAX (end - g_get_monotonic_time (), 0) / 1000;
        int ready = poll (&waiting, 1, (int) (wait != NULL ? MIN (left, AT_ONCE_MS) : left));
        gssize got;

        if ((ready < 0 && errno == EINTR)
            || (ready == 0 && wait != NULL && left > AT_ONCE_MS && wait (fd, end))) {
            continue;
        }
        if (ready == 0) {
            *ret_is_late = TRUE;
            return FALSE;
        }
        got = ready > 0 ? receive_some (fd, at, size, ret_passed_fd) : 0;
        if (got == 0) {
            return FALSE;
        }
        at += got;
        size -= (gsize) got;
    }
    return TRUE;
}

GVariant *
base_channel_receive (int fd, const char *type, int limit_ms, int *ret_passed_fd,
                      gboolean *ret_is_late)
{
    return base_channel_receive_beside (fd, type, limit_ms, NULL, ret_passed_fd, ret_is_late);
}

GVariant *
base_channel_receive_beside (int fd, const char *type, int limit_ms, BaseChannelWait wait,
                             int *ret_passed_fd, gboolean *ret_is_late)
{
    gint64 end = limit_ms < 0 ? -1
                              : g_get_monotonic_time () + limit_ms * G_GINT64_CONSTANT (1000);
    gboolean is_late = FALSE;
    int passed_fd = -1;
    guint32 wire = 0, size = 0;
    g_autofree guint8 *bytes = NULL;
    g_autoptr (GVariant) message = NULL;

    if (receive_all (fd, &wire, sizeof wire, end, wait, &passed_fd, &is_late)) {
        size = GUINT32_FROM_LE (wire);
        bytes = size > 0 && size <= MAX_MESSAGE ? g_try_malloc (size) : NULL;
    }
    if (bytes != NULL && receive_all (fd, bytes, size, end, wait, &passed_fd, &is_late)) {
        guint8 *data = g_steal_pointer (&bytes);

        message = g_variant_ref_sink (g_variant_new_from_data (G_VARIANT_TYPE (type), data,
                                                               size, FALSE, g_free, data));
    }
    if (message != NULL && !g_variant_is_normal_form (message)) {
        g_clear_pointer (&message, g_variant_unref);
    }
    if (ret_is_late != NULL) {
        *ret_is_late = is_late;
    }
    if (ret_passed_fd != NULL && message != NULL) {
        *ret_passed_fd = passed_fd;
    } else if (passed_fd >= 0) {
        close (passed_fd);
    }
    return g_steal_pointer (&message);
}

GVariant *
base_channel_pack_error (const GError *error)
{
    const char *const *arguments = NULL;
    gboolean has_reason = FALSE;
    const char *format = error != NULL ? base_error_get_form (error, &arguments, &has_reason)
                                       : NULL;
    g_autofree char *message
        = g_utf8_make_valid (error != NULL ? error->message : "failed for an unknown reason",
                             -1);
    GVariantBuilder form;

    g_variant_builder_init (&form, G_VARIANT_TYPE ("as"));
    if (format != NULL) {
        g_variant_builder_add (&form, "s", format);
    }
    for (guint i = 0; format != NULL && arguments[i] != NULL; i++) {
        g_variant_builder_add_value (&form,
                                     g_variant_new_take_string (g_utf8_make_valid (arguments[i],
                                                                                   -1)));
    }
    return g_variant_new (BASE_CHANNEL_ERROR, error != NULL ? error->code : BASE_ERROR_INVALID,
                          message, &form, has_reason);
}

void
base_channel_unpack_error (GVariant *packed, GError **error)
{
    gint32 code;
    gboolean has_reason;
    const char *message;
    g_autofree const char **form = NULL;

    g_variant_get (packed, "(i&s^a&sb)", &code, &message, &form, &has_reason);
    base_error_set_formed (error, code, message, form[0],
                           form[0] != NULL ? (const char *const *) form + 1 : NULL, has_reason);
}
