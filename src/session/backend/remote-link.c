/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames over a stream socket that may break. */
#include "session/backend/remote-link.h"
#include <errno.h>
#include <glib-unix.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEAD = 16,
    SPARE = 16,
    PIECE = 1 << 16,
    MAX_GREETING = 1 << 16,
    MAX_FIRST = 1 << 20,
    UNSAID = 1 << 18
};
#define MAX_BODY (256u << 20)

typedef struct {
    guint64 number;
    GBytes *bytes; /* with its head */
} Frame;

struct _SessionLink {
    const SessionLinkHandler *handler;
    gpointer user;
    int fd;                                   /* -1: none */
    guint in_source, out_source, rest_source; /* rest: the main loop hands out what has come */
    GByteArray *in, *out;
    gsize in_done, out_done;
    GQueue kept;                    /* of Frame: numbered, and not acknowledged */
    gsize kept_bytes, unsaid_bytes; /* unsaid: that came and were not acknowledged */
    guint64 sent, received;
    gboolean is_resumed, skips_greeting;
    GString *greeting;
    gint64 heard_us;
};

static const char *const types[SESSION_FRAME_LAST + 1] = {
    [SESSION_FRAME_HELLO] = "(usstuayu)",
    [SESSION_FRAME_WELCOME] = "(usstua{sv}a(ua{sv}))",
    [SESSION_FRAME_REFUSE] = "(s)",
    [SESSION_FRAME_PING] = "(t)",
    [SESSION_FRAME_PONG] = "(t)",
    [SESSION_FRAME_DECLINE] = "()",
    [SESSION_FRAME_LIVING] = "(a(sbsxsu))",
    [SESSION_FRAME_CHOOSE] = "(sb)",
    [SESSION_FRAME_DESCRIBE] = "()",
    [SESSION_FRAME_DESCRIPTION] = "(sbsxsu)",
    [SESSION_FRAME_ASK] = "(uyayayaytaybu)",
    [SESSION_FRAME_BYE] = "()",
    [SESSION_FRAME_START] = "(ua{sv}mv)",
    [SESSION_FRAME_REQUEST] = "(uv)",
    [SESSION_FRAME_END] = "(ub)",
    [SESSION_FRAME_CLEAR] = "(ub)",
    [SESSION_FRAME_CLOCKS] = "(u)",
    [SESSION_FRAME_INPUT] = "(uayb)",
    [SESSION_FRAME_SIGNAL] = "(ui)",
    [SESSION_FRAME_HOLD] = "(ub)",
    [SESSION_FRAME_KEEP] = "(us)",
    [SESSION_FRAME_AHEAD] = "(utayv)",
    [SESSION_FRAME_TAKE] = "(u)",
    [SESSION_FRAME_ANSWER] = "(ubv)",
    [SESSION_FRAME_STARTED] = "(ua{sv})",
    [SESSION_FRAME_FAILED] = "(uis)",
    [SESSION_FRAME_EVENT] = "(uv)",
    [SESSION_FRAME_SAY] = "(uus)",
    [SESSION_FRAME_OUTPUT] = "(uayuay)",
    [SESSION_FRAME_CLOCK] = "(usxxx)",
    [SESSION_FRAME_NOTE] = "(uuayxx)",
    [SESSION_FRAME_FED] = "(ut)",
    [SESSION_FRAME_ASKED] = "(uv)",
    [SESSION_FRAME_HITS] = "(uutay)",
    [SESSION_FRAME_WHOLE] = "(u)",
    [SESSION_FRAME_SOURCE] = "(uayxay)",
};

static gboolean
is_numbered (SessionFrameKind kind)
{
    return kind >= SESSION_FRAME_ASK;
}

static void
free_frame (gpointer data)
{
    g_bytes_unref (((Frame *) data)->bytes);
    g_free (data);
}

SessionLink *
session_link_new (const SessionLinkHandler *handler, gpointer user)
{
    SessionLink *link = g_new0 (SessionLink, 1);

    link->handler = handler;
    link->user = user;
    link->fd = -1;
    link->in = g_byte_array_new ();
    link->out = g_byte_array_new ();
    link->greeting = g_string_new (NULL);
    g_queue_init (&link->kept);
    return link;
}

static void
drop_socket (SessionLink *link)
{
    g_clear_handle_id (&link->in_source, g_source_remove);
    g_clear_handle_id (&link->out_source, g_source_remove);
    g_clear_handle_id (&link->rest_source, g_source_remove);
    if (link->fd >= 0) {
        close (link->fd);
    }
    link->fd = -1;
    link->is_resumed = FALSE;
    g_byte_array_set_size (link->in, 0);
    g_byte_array_set_size (link->out, 0);
    link->in_done = link->out_done = 0;
}

void
session_link_free (SessionLink *link)
{
    drop_socket (link);
    g_byte_array_unref (link->in);
    g_byte_array_unref (link->out);
    g_string_free (link->greeting, TRUE);
    g_queue_clear_full (&link->kept, free_frame);
    g_free (link);
}

void
session_link_close (SessionLink *link, const char *why)
{
    gboolean was_open = link->fd >= 0;

    drop_socket (link);
    if (was_open && why != NULL) {
        link->handler->closed (why, link->user);
    }
}

gboolean
session_link_is_open (const SessionLink *link)
{
    return link->fd >= 0;
}

static void
acknowledge (SessionLink *link, guint64 received)
{
    Frame *frame;

    while ((frame = g_queue_peek_head (&link->kept)) != NULL && frame->number <= received) {
        link->kept_bytes -= g_bytes_get_size (frame->bytes);
        free_frame (g_queue_pop_head (&link->kept));
    }
}

static void
say_received (SessionLink *link, SessionFrameKind kind)
{
    link->unsaid_bytes = 0;
    session_link_send (link, kind, g_variant_new ("(t)", link->received));
}

void
session_link_ping (SessionLink *link)
{
    if (link->fd >= 0 && link->is_resumed) {
        say_received (link, SESSION_FRAME_PING);
    }
}

/* ---- in ---- */

/* What is damaged GLib 2.74 may read a byte too far. */
static GBytes *
copy_body (const guint8 *data, gsize size)
{
    guint8 *copy = g_malloc (size + SPARE);

    memcpy (copy, data, size);
    memset (copy + size, 0, SPARE);
    return g_bytes_new_with_free_func (copy, size, g_free, copy);
}

/* NULL: damaged. */
static GVariant *
read_body (guint kind, guint64 number, GBytes *bytes)
{
    g_autoptr (GVariant) body = NULL;

    if (kind > SESSION_FRAME_LAST || types[kind] == NULL
        || (number != 0) != is_numbered ((SessionFrameKind) kind)) {
        return NULL;
    }
    body = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (types[kind]), bytes,
                                                         FALSE));
    return g_variant_is_normal_form (body) ? g_steal_pointer (&body) : NULL;
}

/* FALSE: the socket is closed. */
static gboolean
take_frame (SessionLink *link, guint kind, guint64 number, const guint8 *data, gsize size)
{
    g_autoptr (GBytes) bytes = copy_body (data, size);
    g_autoptr (GVariant) body = NULL;

    if (number != 0 && number != link->received + 1) {
        session_link_close (link, "the other side sent its messages in a wrong order");
        return FALSE;
    }
    body = read_body (kind, number, bytes);
    if (body == NULL) {
        session_link_close (link, "the other side sent what pddt does not understand");
        return FALSE;
    }
    link->received = number != 0 ? number : link->received;
    link->unsaid_bytes += number != 0 ? size : 0;
    if (kind == SESSION_FRAME_PING || kind == SESSION_FRAME_PONG) {
        guint64 received;

        g_variant_get (body, "(t)", &received);
        acknowledge (link, MIN (received, link->sent));
        if (kind == SESSION_FRAME_PING) {
            say_received (link, SESSION_FRAME_PONG);
        }
        return link->fd >= 0;
    }
    if (link->unsaid_bytes > UNSAID) {
        say_received (link, SESSION_FRAME_PONG);
    }
    if (!link->handler->frame ((SessionFrameKind) kind, body, link->user)) {
        session_link_close (link, "the other side sent what does not fit");
        return FALSE;
    }
    return link->fd >= 0;
}

/* A login shell may have printed before it. TRUE: it is there, or was. */
static gboolean
pass_greeting (SessionLink *link)
{
    const char *magic = NULL, *end;

    if (!link->skips_greeting) {
        return TRUE;
    }
    magic = g_strstr_len ((const char *) link->in->data, (gssize) link->in->len,
                          SESSION_REMOTE_MAGIC);
    end = magic != NULL
              ? memchr (magic, '\n',
                        link->in->len - (gsize) (magic - (const char *) link->in->data))
              : NULL;
    if (end != NULL) {
        gsize before = (gsize) (magic - (const char *) link->in->data);

        gsize skipped = before + strlen (SESSION_REMOTE_MAGIC);
        g_autofree char *text = g_strndup ((const char *) link->in->data + skipped,
                                           (gsize) (end - (const char *) link->in->data)
                                               - skipped);

        g_string_append_len (link->greeting, (const char *) link->in->data, (gssize) before);
        link->in_done = (gsize) (end + 1 - (const char *) link->in->data);
        link->skips_greeting = FALSE;
        if (link->handler->offered == NULL || link->handler->offered (text, link->user)) {
            return TRUE;
        }
        session_link_close (link, "the other side is another release");
        return FALSE;
    }
    if (link->in->len > MAX_GREETING) {
        session_link_close (link, "pddt does not answer there");
    }
    return FALSE;
}

/* A handler may serve the socket, too: what is handed out is behind in_done by then. */
static void
take_frames (SessionLink *link)
{
    gboolean goes_on = pass_greeting (link);

    while (goes_on && link->rest_source == 0 && link->in->len - link->in_done >= HEAD) {
        const guint8 *head = link->in->data + link->in_done;
        guint kind = head[4];
        guint32 size;
        guint64 number;

        memcpy (&size, head, sizeof size);
        memcpy (&number, head + 8, sizeof number);
        size = GUINT32_FROM_LE (size);
        if (size > MAX_BODY) {
            session_link_close (link, "the other side sent a message that is too large");
            return;
        }
        if (link->in->len - link->in_done < HEAD + (gsize) size) {
            break;
        }
        link->in_done += HEAD + (gsize) size;
        goes_on = take_frame (link, kind, GUINT64_FROM_LE (number), head + HEAD, size);
    }
    if (link->in_done > 0) {
        g_byte_array_remove_range (link->in, 0, (guint) link->in_done);
        link->in_done = 0;
    }
}

static gboolean
on_rest (gpointer data)
{
    SessionLink *link = data;

    link->rest_source = 0;
    take_frames (link);
    return G_SOURCE_REMOVE;
}

void
session_link_leave_rest (SessionLink *link)
{
    if (link->rest_source == 0 && link->fd >= 0) {
        link->rest_source = g_idle_add_full (G_PRIORITY_DEFAULT, on_rest, link, NULL);
    }
}

static gboolean
on_readable (int fd, GIOCondition condition, gpointer data)
{
    SessionLink *link = data;
    guint8 buffer[PIECE];
    gssize n = recv (fd, buffer, sizeof buffer, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return G_SOURCE_CONTINUE;
    }
    if (n <= 0) {
        g_string_append_len (link->greeting,
                             link->skips_greeting ? (char *) link->in->data : "",
                             link->skips_greeting ? (gssize) link->in->len : 0);
        session_link_close (link, "the connection has ended");
        return G_SOURCE_CONTINUE; /* its source is gone */
    }
    link->heard_us = g_get_monotonic_time ();
    g_byte_array_append (link->in, buffer, (guint) n);
    take_frames (link);
    return G_SOURCE_CONTINUE;
}

/* ---- out ---- */

static gboolean on_writable (int fd, GIOCondition condition, gpointer data);

static void
flush (SessionLink *link)
{
    while (link->fd >= 0 && link->out_done < link->out->len) {
        gssize n = send (link->fd, link->out->data + link->out_done,
                         link->out->len - link->out_done, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && errno != EAGAIN) {
            break; /* the reader learns it */
        }
        if (n < 0) {
            if (link->out_source == 0) {
                link->out_source = g_unix_fd_add (link->fd, G_IO_OUT, on_writable, link);
            }
            return;
        }
        link->out_done += (gsize) n;
    }
    g_byte_array_set_size (link->out, 0);
    link->out_done = 0;
}

static gboolean
on_writable (int fd, GIOCondition condition, gpointer data)
{
    SessionLink *link = data;

    link->out_source = 0;
    flush (link);
    return G_SOURCE_REMOVE;
}

static void
write_bytes (SessionLink *link, GBytes *bytes)
{
    gsize size;
    const guint8 *data = g_bytes_get_data (bytes, &size);

    if (link->out_done > (1 << 20)) {
        g_byte_array_remove_range (link->out, 0, (guint) link->out_done);
        link->out_done = 0;
    }
    g_byte_array_append (link->out, data, (guint) size);
}

static GBytes *
make_frame (SessionFrameKind kind, guint64 number, GVariant *body)
{
    gsize size = g_variant_get_size (body);
    guint8 *data = g_malloc0 (HEAD + size);
    guint32 length = GUINT32_TO_LE ((guint32) size);
    guint64 wire = GUINT64_TO_LE (number);

    memcpy (data, &length, sizeof length);
    data[4] = (guint8) kind;
    memcpy (data + 8, &wire, sizeof wire);
    g_variant_store (body, data + HEAD);
    return g_bytes_new_take (data, HEAD + size);
}

void
session_link_write (int fd, SessionFrameKind kind, GVariant *body)
{
    g_autoptr (GVariant) owned = g_variant_ref_sink (body);
    g_autoptr (GBytes) bytes = make_frame (kind, 0, owned);
    gsize size, done = 0;
    const guint8 *data = g_bytes_get_data (bytes, &size);
    gssize n = 1;

    while (done < size && n > 0) {
        n = write (fd, data + done, size - done);
        done += n > 0 ? (gsize) n : 0;
    }
}

void
session_link_refuse (int fd, const char *why)
{
    g_autofree char *valid = g_utf8_make_valid (why, -1);

    session_link_write (fd, SESSION_FRAME_REFUSE, g_variant_new ("(s)", valid));
}

static gboolean
read_all (int fd, guint8 *data, gsize size)
{
    while (size > 0) {
        gssize n = read (fd, data, size);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return FALSE;
        }
        data += n;
        size -= (gsize) n;
    }
    return TRUE;
}

GVariant *
session_link_read (int fd, SessionFrameKind *ret_kind, GByteArray *raw)
{
    guint8 head[HEAD];
    guint32 size;
    guint64 number;
    g_autofree guint8 *data = NULL;
    g_autoptr (GBytes) bytes = NULL;

    if (!read_all (fd, head, HEAD)) {
        return NULL;
    }
    memcpy (&size, head, sizeof size);
    memcpy (&number, head + 8, sizeof number);
    size = GUINT32_FROM_LE (size);
    if (size > MAX_FIRST || number != 0) {
        return NULL;
    }
    data = g_malloc (MAX (size, 1));
    if (!read_all (fd, data, size)) {
        return NULL;
    }
    g_byte_array_append (raw, head, HEAD);
    g_byte_array_append (raw, data, size);
    *ret_kind = (SessionFrameKind) head[4];
    bytes = copy_body (data, size);
    return read_body (head[4], 0, bytes);
}

void
session_link_send (SessionLink *link, SessionFrameKind kind, GVariant *body)
{
    g_autoptr (GVariant) owned = g_variant_ref_sink (body);
    g_autoptr (GBytes) bytes = NULL;

    g_return_if_fail (g_variant_is_of_type (owned, G_VARIANT_TYPE (types[kind])));
    if (g_variant_get_size (owned) > MAX_BODY) {
        g_warning ("a message of %" G_GSIZE_FORMAT " bytes is too large",
                   g_variant_get_size (owned));
        return;
    }
    bytes = make_frame (kind, is_numbered (kind) ? ++link->sent : 0, owned);
    if (is_numbered (kind)) {
        Frame *frame = g_new (Frame, 1);

        *frame = (Frame){ link->sent, g_bytes_ref (bytes) };
        g_queue_push_tail (&link->kept, frame);
        link->kept_bytes += g_bytes_get_size (bytes);
    }
    if (link->fd >= 0 && (!is_numbered (kind) || link->is_resumed)) {
        write_bytes (link, bytes);
        flush (link);
    }
}

gboolean
session_link_resume (SessionLink *link, guint64 received)
{
    const Frame *first;

    if (received > link->sent) {
        return FALSE;
    }
    acknowledge (link, received);
    if (link->is_resumed) {
        return TRUE;
    }
    first = g_queue_peek_head (&link->kept);
    if (first != NULL && first->number != received + 1) {
        return FALSE;
    }
    link->is_resumed = TRUE;
    for (const GList *l = link->kept.head; l != NULL; l = l->next) {
        write_bytes (link, ((const Frame *) l->data)->bytes);
    }
    flush (link);
    return TRUE;
}

void
session_link_open (SessionLink *link, int fd, gboolean skips_greeting)
{
    drop_socket (link);
    link->fd = fd;
    link->skips_greeting = skips_greeting;
    g_string_truncate (link->greeting, 0);
    link->heard_us = g_get_monotonic_time ();
    session_link_be_served (link, TRUE);
}

void
session_link_be_served (SessionLink *link, gboolean by_loop)
{
    g_clear_handle_id (&link->in_source, g_source_remove);
    if (by_loop && link->fd >= 0) {
        link->in_source = g_unix_fd_add (link->fd, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable,
                                         link);
    }
}

void
session_link_move (SessionLink *from, SessionLink *to)
{
    g_autoptr (GByteArray) rest = from->in;
    int fd = from->fd;

    g_byte_array_remove_range (rest, 0, (guint) from->in_done);
    from->in = g_byte_array_new ();
    from->fd = -1;
    drop_socket (from);
    session_link_open (to, fd, FALSE);
    g_byte_array_append (to->in, rest->data, rest->len);
    session_link_leave_rest (to);
}

void
session_link_turn (SessionLink *link, int limit_ms)
{
    struct pollfd wanted
        = { link->fd, (short) (POLLIN | (link->out_done < link->out->len ? POLLOUT : 0)), 0 };

    if (link->fd < 0 || poll (&wanted, 1, limit_ms) <= 0) {
        return;
    }
    if (wanted.revents & POLLOUT) {
        flush (link);
    }
    if (link->fd >= 0 && (wanted.revents & (POLLIN | POLLHUP | POLLERR))) {
        on_readable (link->fd, G_IO_IN, link);
    }
}

guint64
session_link_get_received (const SessionLink *link)
{
    return link->received;
}

gsize
session_link_get_waiting (const SessionLink *link)
{
    return link->kept_bytes;
}

gint64
session_link_get_heard_us (const SessionLink *link)
{
    return link->heard_us;
}

const char *
session_link_get_greeting (const SessionLink *link)
{
    return link->greeting->str;
}
