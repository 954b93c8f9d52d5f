/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks in memory, older bytes in a file: memory holds [disk_end, end); the file holds the
 * bytes before, starting with byte file_begin. */
#include "base/spool.h"
#include "base/limits.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536
#define HOLE (1u << 20) /* unit of punching holes */

typedef struct {
    gsize size;
    char bytes[CHUNK];
} Chunk;

struct _BaseSpool {
    char *folder, *problem;
    gsize memory_bytes;
    guint64 disk_bytes;
    GQueue chunks; /* of Chunk, oldest first; only the last is not full */
    guint64 begin, disk_end, end;
    guint64 file_begin; /* the byte at the file's start */
    guint64 punched;    /* the file is a hole before this byte */
    int fd;
};

BaseSpool *
base_spool_new (const char *folder, gsize memory_bytes, guint64 disk_bytes)
{
    BaseSpool *spool = g_new0 (BaseSpool, 1);

    spool->folder = folder != NULL ? g_strdup (folder)
                                   : g_build_filename (g_get_user_cache_dir (), "pddt", NULL);
    spool->memory_bytes = memory_bytes;
    spool->disk_bytes = disk_bytes;
    spool->fd = -1;
    g_queue_init (&spool->chunks);
    return spool;
}

void
base_spool_free (BaseSpool *spool)
{
    if (spool != NULL) {
        g_queue_clear_full (&spool->chunks, g_free);
        if (spool->fd >= 0) {
            close (spool->fd);
        }
        g_free (spool->folder);
        g_free (spool->problem);
        g_free (spool);
    }
}

/* ---- to the disk ---- */

static void
note_problem (BaseSpool *spool, const char *reason)
{
    g_free (spool->problem);
    spool->problem = g_strdup (reason);
}

/* Unnamed from the start if the system supports it. */
static gboolean
open_file (BaseSpool *spool)
{
    g_autofree char *path = g_build_filename (spool->folder, "spool-XXXXXX", NULL);

    base_limits_catch_size ();
    if (g_mkdir_with_parents (spool->folder, 0700) == 0) {
        spool->fd = open (spool->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    }
    if (spool->fd < 0) {
        spool->fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
        if (spool->fd >= 0) {
            unlink (path);
        }
    }
    if (spool->fd < 0) {
        note_problem (spool, g_strerror (errno));
    }
    spool->file_begin = spool->punched = spool->disk_end;
    return spool->fd >= 0;
}

static gboolean
write_all (BaseSpool *spool, const char *bytes, gsize size)
{
    guint64 at = spool->disk_end - spool->file_begin;

    while (size > 0) {
        gssize n = pwrite (spool->fd, bytes, size, (off_t) at);

        if (n <= 0 && errno != EINTR) {
            note_problem (spool, n < 0 ? g_strerror (errno) : "nothing was written");
            return FALSE;
        }
        bytes += MAX (n, 0);
        size -= (gsize) MAX (n, 0);
        at += (guint64) MAX (n, 0);
    }
    return TRUE;
}

/* The oldest chunk, when it is full. */
static gboolean
move_chunk (BaseSpool *spool)
{
    Chunk *chunk = g_queue_peek_head (&spool->chunks);

    if (chunk == NULL || chunk->size < CHUNK || (spool->fd < 0 && !open_file (spool))) {
        return FALSE;
    }
    if (spool->disk_end + CHUNK - spool->punched > spool->disk_bytes) {
        note_problem (spool, "the limit is reached");
        return FALSE;
    }
    if (!write_all (spool, chunk->bytes, chunk->size)) {
        return FALSE;
    }
    spool->disk_end += chunk->size;
    g_free (g_queue_pop_head (&spool->chunks));
    return TRUE;
}

static void
move_surplus (BaseSpool *spool)
{
    g_clear_pointer (&spool->problem, g_free);
    while (base_spool_get_memory (spool) > spool->memory_bytes && move_chunk (spool)) {
    }
}

void
base_spool_append (BaseSpool *spool, gconstpointer data, gsize size)
{
    const char *bytes = data;

    while (size > 0) {
        Chunk *chunk = g_queue_peek_tail (&spool->chunks);
        gsize n;

        if (chunk == NULL || chunk->size == CHUNK) {
            chunk = g_new (Chunk, 1);
            chunk->size = 0;
            g_queue_push_tail (&spool->chunks, chunk);
        }
        n = MIN (size, CHUNK - chunk->size);
        memcpy (chunk->bytes + chunk->size, bytes, n);
        chunk->size += n;
        spool->end += n;
        bytes += n;
        size -= n;
    }
    move_surplus (spool);
}

gboolean
base_spool_is_full (BaseSpool *spool)
{
    if (spool->problem != NULL) {
        move_surplus (spool);
    }
    return spool->problem != NULL;
}

const char *
base_spool_get_problem (const BaseSpool *spool)
{
    return spool->problem;
}

/* ---- reading ---- */

guint64
base_spool_get_begin (const BaseSpool *spool)
{
    return spool->begin;
}

guint64
base_spool_get_end (const BaseSpool *spool)
{
    return spool->end;
}

gsize
base_spool_get_memory (const BaseSpool *spool)
{
    return (gsize) (spool->end - MAX (spool->disk_end, spool->begin));
}

static gsize
read_disk (BaseSpool *spool, guint64 offset, char *data, gsize size)
{
    gssize n;

    do {
        n = pread (spool->fd, data, MIN (size, spool->disk_end - offset),
                   (off_t) (offset - spool->file_begin));
    } while (n < 0 && errno == EINTR);
    return (gsize) MAX (n, 0);
}

static gsize
read_memory (BaseSpool *spool, guint64 offset, char *data, gsize size)
{
    guint64 skip = offset - spool->disk_end;
    gsize done = 0;

    for (GList *at = g_queue_peek_nth_link (&spool->chunks, (guint) (skip / CHUNK));
         at != NULL && done < size; at = at->next) {
        const Chunk *chunk = at->data;
        gsize first = done == 0 ? (gsize) (skip % CHUNK) : 0;
        gsize n = MIN (size - done, chunk->size - first);

        memcpy (data + done, chunk->bytes + first, n);
        done += n;
    }
    return done;
}

gsize
base_spool_read (BaseSpool *spool, guint64 offset, gpointer data, gsize size)
{
    gsize done = 0;

    while (done < size && offset >= spool->begin && offset < spool->end) {
        char *to = (char *) data + done;
        gsize n = offset < spool->disk_end ? read_disk (spool, offset, to, size - done)
                                           : read_memory (spool, offset, to, size - done);

        if (n == 0) {
            break;
        }
        done += n;
        offset += n;
    }
    return done;
}

/* ---- forgetting ---- */

/* Everything in the file has been read: truncates it, or at least frees its blocks. */
static void
trim_file (BaseSpool *spool)
{
    if (spool->begin >= spool->disk_end) {
        if (ftruncate (spool->fd, 0) == 0) {
            spool->file_begin = spool->punched = spool->disk_end;
        }
    } else if (spool->begin - spool->punched >= HOLE) {
        guint64 size = (spool->begin - spool->file_begin) / HOLE * HOLE;

        if (fallocate (spool->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t) size)
            == 0) {
            spool->punched = spool->file_begin + size;
        }
    }
}

void
base_spool_trim (BaseSpool *spool, guint64 offset)
{
    spool->begin = CLAMP (offset, spool->begin, spool->end);
    if (spool->fd >= 0 && spool->disk_end > spool->file_begin) {
        trim_file (spool);
    }
    while (!g_queue_is_empty (&spool->chunks)) {
        Chunk *chunk = g_queue_peek_head (&spool->chunks);

        if (spool->disk_end + chunk->size > spool->begin
            || (chunk->size < CHUNK && spool->begin < spool->end)) {
            break;
        }
        spool->disk_end += chunk->size; /* never written to disk: a hole in the file */
        g_free (g_queue_pop_head (&spool->chunks));
    }
    if (spool->fd >= 0 && spool->begin >= spool->disk_end) {
        trim_file (spool);
    }
}
