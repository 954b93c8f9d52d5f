/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines for two descriptors in one queue, which keeps their order. The descriptors stay
 * blocking, because other processes share them: each write is small enough not to block. */
#include "command/out.h"
#include "base/array.h"
#include "base/spool.h"
#include <errno.h>
#include <glib-unix.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY (16u << 20)
#define RETRY_MS 1000 /* of a full disk */
#define PIECE 65536

/* Before each line in the queue. */
typedef struct {
    guint32 fd, size;
} Head;

struct _CommandOut {
    BaseSpool *spool;
    guint64 at;          /* the first byte of the queue that is not written */
    Head head;           /* of the line that is being written; size: what is left of it */
    gboolean is_gone[3]; /* nobody reads there any more */
    guint source, retry;
    gboolean is_full;
    CommandOutFull on_full;
    gpointer user;
};

static gsize
get_limit (void)
{
    const char *text = g_getenv ("PDDT_OUTPUT_MEMORY");
    guint64 bytes = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;

    return bytes > 0 && bytes <= G_MAXSIZE / 2 ? (gsize) bytes : MEMORY;
}

CommandOut *
command_out_new (gsize memory_bytes, CommandOutFull on_full, gpointer user)
{
    CommandOut *out = g_new0 (CommandOut, 1);

    out->spool = base_spool_new (NULL, memory_bytes > 0 ? memory_bytes : get_limit (),
                                 G_MAXUINT64);
    out->on_full = on_full;
    out->user = user;
    return out;
}

/* ---- one write ---- */

/* A pipe that can be written takes PIPE_BUF bytes without a wait; a file takes anything. */
static gsize
get_piece (int fd, gsize size)
{
    struct stat status;

    return fstat (fd, &status) == 0 && S_ISREG (status.st_mode) ? size : MIN (size, PIPE_BUF);
}

/* How many were taken; 0 it would have to wait. Bytes for a closed reader count as written. */
static gsize
write_some (CommandOut *out, int fd, const char *bytes, gsize size)
{
    struct pollfd waiting = { .fd = fd, .events = POLLOUT };
    gssize n;

    if (out->is_gone[fd]) {
        return size;
    }
    if (poll (&waiting, 1, 0) <= 0) {
        return 0;
    }
    n = write (fd, bytes, get_piece (fd, size));
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        out->is_gone[fd] = TRUE;
        return size;
    }
    return (gsize) MAX (n, 0);
}

/* ---- the queue ---- */

gboolean
command_out_is_empty (const CommandOut *out)
{
    return out->head.size == 0 && out->at == base_spool_get_end (out->spool);
}

static gboolean
take_head (CommandOut *out)
{
    Head head;

    if (out->head.size > 0) {
        return TRUE;
    }
    if (base_spool_read (out->spool, out->at, &head, sizeof head) < sizeof head) {
        out->at = base_spool_get_end (out->spool);
        return FALSE;
    }
    out->head = head;
    out->at += sizeof head;
    return TRUE;
}

static void
write_on (CommandOut *out)
{
    char bytes[PIECE];
    gsize size, done = 0;

    if (!take_head (out)) {
        return;
    }
    size = base_spool_read (out->spool, out->at, bytes, MIN (sizeof bytes, out->head.size));
    if (size == 0) { /* the disk has failed: what is there cannot be told apart */
        out->head.size = 0;
        out->at = base_spool_get_end (out->spool);
        return;
    }
    while (done < size) {
        gsize n = write_some (out, (int) out->head.fd, bytes + done, size - done);

        if (n == 0) {
            break;
        }
        done += n;
    }
    out->at += done;
    out->head.size -= (guint32) done;
    base_spool_trim (out->spool, out->at);
}

static gboolean on_retry (gpointer data);

static void
check_full (CommandOut *out)
{
    gboolean is_full = base_spool_is_full (out->spool);

    if (is_full != out->is_full) {
        out->is_full = is_full;
        out->on_full (is_full, base_spool_get_problem (out->spool), out->user);
    }
    if (is_full && out->retry == 0) {
        out->retry = g_timeout_add (RETRY_MS, on_retry, out);
    }
}

static gboolean
on_retry (gpointer data)
{
    CommandOut *out = data;

    out->retry = 0;
    check_full (out);
    return G_SOURCE_REMOVE;
}

static void begin_source (CommandOut *out);

/* One piece a turn, so that the loop hears everything else too. */
static gboolean
on_writable (int fd, GIOCondition condition, gpointer data)
{
    CommandOut *out = data;

    write_on (out);
    check_full (out);
    if (!command_out_is_empty (out) && out->head.size > 0 && (int) out->head.fd == fd) {
        return G_SOURCE_CONTINUE;
    }
    out->source = 0;
    begin_source (out);
    return G_SOURCE_REMOVE;
}

/* Waits for the descriptor of the line that is next. */
static void
begin_source (CommandOut *out)
{
    if (out->source == 0 && !command_out_is_empty (out) && take_head (out)) {
        out->source = g_unix_fd_add ((int) out->head.fd, G_IO_OUT | G_IO_ERR | G_IO_HUP,
                                     on_writable, out);
    }
}

void
command_out_write (CommandOut *out, int fd, const char *line)
{
    gsize length = strlen (line), done = 0;
    g_autofree char *bytes = g_malloc (length + 1);
    Head head = { .fd = fd == 2 ? 2 : 1 };

    memcpy (bytes, line, length);
    bytes[length++] = '\n';
    while (command_out_is_empty (out) && done < length) {
        gsize n = write_some (out, (int) head.fd, bytes + done, length - done);

        if (n == 0) {
            break;
        }
        done += n;
    }
    if (done < length) {
        head.size = (guint32) MIN (length - done, G_MAXUINT32);
        base_spool_append (out->spool, &head, sizeof head);
        base_spool_append (out->spool, bytes + done, head.size);
        begin_source (out);
        check_full (out);
    }
}

void
command_out_flush (CommandOut *out)
{
    begin_source (out);
    while (!command_out_is_empty (out)) {
        g_main_context_iteration (NULL, TRUE);
    }
}

void
command_out_drop (CommandOut *out)
{
    g_clear_handle_id (&out->source, g_source_remove);
    out->head.size = 0;
    out->at = base_spool_get_end (out->spool);
    base_spool_trim (out->spool, out->at);
}

BASE_FREE_PUBLIC (command_out_free, CommandOut, out,
                  g_clear_handle_id (&out->source, g_source_remove);
                  g_clear_handle_id (&out->retry, g_source_remove);
                  base_spool_free (out->spool))
