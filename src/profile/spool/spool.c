/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/spool.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/place.h"
#include "profile/private.h"
#include "profile/spool/private.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "pddt spool 3\n"
#define BUFFER (256u << 10)
#define MAX_RECORD (64u << 20)
#define MAX_TEXT (1u << 20)
#define PART 100000u /* samples in one batch of a file that is written anew */

enum { INFO = 1, PROCESS, BATCH, PROBLEM, CLOCK }; /* and those of traced.c */

struct _ProfileSpool {
    char *path;          /* NULL: a stream */
    ProfileModel *model; /* takes the records at once; NULL: they are written */
    int fd;
    GByteArray *waiting;
    guint64 size;
    char *problem;
};

static gboolean take_record (ProfileModel *model, guint64 kind, BaseCursor *block);

/* ---- writing ---- */

static ProfileSpool *
new_spool (char *path, int fd)
{
    ProfileSpool *spool = g_new0 (ProfileSpool, 1);

    spool->path = path;
    spool->fd = fd;
    spool->waiting = g_byte_array_new ();
    g_byte_array_append (spool->waiting, (const guint8 *) MAGIC, strlen (MAGIC));
    return spool;
}

ProfileSpool *
profile_spool_create (const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename (folder, PROFILE_SPOOL_NAME, NULL);
    int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);

    if (fd < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot write %s: %s", path,
                     g_strerror (errno));
        return NULL;
    }
    flock (fd,
           LOCK_EX
               | LOCK_NB); /* for pddt --finalize, which leaves a run alone that is under way */
    base_limits_catch_size ();
    return new_spool (g_steal_pointer (&path), fd);
}

ProfileSpool *
profile_spool_open_stream (int fd)
{
    return new_spool (NULL, fd);
}

ProfileSpool *
profile_spool_open_model (ProfileModel *model)
{
    ProfileSpool *spool = new_spool (NULL, -1);

    g_byte_array_set_size (spool->waiting, 0);
    spool->model = model;
    return spool;
}

gboolean
profile_spool_flush (ProfileSpool *spool)
{
    gsize done = 0;

    while (spool->problem == NULL && done < spool->waiting->len) {
        gssize n = write (spool->fd, spool->waiting->data + done, spool->waiting->len - done);

        if (n < 0 && errno != EINTR) {
            spool->problem = g_strdup (g_strerror (errno));
        }
        done += (gsize) MAX (n, 0);
    }
    spool->size += done;
    g_byte_array_set_size (spool->waiting, 0);
    return spool->problem == NULL;
}

void
profile_spool_unlock (ProfileSpool *spool)
{
    flock (spool->fd, LOCK_UN);
}

void
profile_spool_free (ProfileSpool *spool)
{
    if (spool == NULL) {
        return;
    }
    profile_spool_flush (spool);
    if (spool->path != NULL) {
        close (spool->fd);
    }
    g_byte_array_unref (spool->waiting);
    g_free (spool->path);
    g_free (spool->problem);
    g_free (spool);
}

const char *
profile_spool_get_problem (const ProfileSpool *spool)
{
    return spool->problem;
}

guint64
profile_spool_get_size (const ProfileSpool *spool)
{
    return spool->size + spool->waiting->len;
}

/* Of all of a record, so that no byte of a file that is damaged becomes another number. */
static guint64
hash_record (guint64 kind, const guint8 *bytes, gsize size)
{
    return base_hash_bytes (kind, bytes, size);
}

void
profile_spool_put_record (ProfileSpool *spool, guint kind, const guint8 *bytes, gsize size)
{
    guint64 hash = GUINT64_TO_LE (hash_record (kind, bytes, size));

    if (spool->model != NULL) {
        BaseCursor block = BASE_CURSOR_INIT (bytes, size);

        take_record (spool->model, kind, &block);
        return;
    }
    base_bytes_put_uleb (spool->waiting, kind);
    base_bytes_put_uleb (spool->waiting, size);
    g_byte_array_append (spool->waiting, bytes, (guint) size);
    g_byte_array_append (spool->waiting, (const guint8 *) &hash, sizeof hash);
    if (spool->waiting->len > BUFFER) {
        profile_spool_flush (spool);
    }
}

/* 0: NULL. */
void
profile_spool_put_text (GByteArray *block, const char *text)
{
    base_bytes_put_uleb (block, text != NULL ? strlen (text) + 1 : 0);
    if (text != NULL) {
        g_byte_array_append (block, (const guint8 *) text, (guint) strlen (text));
    }
}

void
profile_spool_put_info (ProfileSpool *spool, const ProfileInfo *info)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    profile_spool_put_text (block, info->command);
    base_bytes_put_uleb (block, (guint64) info->begin_us);
    base_bytes_put_uleb (block, (guint64) info->end_us);
    base_bytes_put_uleb (block, (guint64) info->begin_real_us);
    base_bytes_put_uleb (block, info->rate);
    base_bytes_put_uleb (block, (guint32) info->wait_status);
    base_bytes_put_uleb (block, info->is_foreign);
    profile_spool_put_record (spool, INFO, block->data, block->len);
}

void
profile_spool_put_process (ProfileSpool *spool, guint32 rank, const ProfileProcess *process)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, rank);
    base_bytes_put_uleb (block, process->parent | (guint64) (guint32) process->namesake << 32);
    base_bytes_put_uleb (block, (guint32) process->pid);
    profile_spool_put_text (block, process->host);
    profile_spool_put_text (block, process->program);
    base_bytes_put_uleb (block, (guint64) process->offset_us);
    profile_spool_put_text (block, process->ending);
    profile_spool_put_record (spool, PROCESS, block->data, block->len);
}

void
profile_spool_put_problem (ProfileSpool *spool, const BaseText *problem)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    profile_spool_put_text (block, problem->english);
    profile_spool_put_text (block, problem->shown);
    profile_spool_put_record (spool, PROBLEM, block->data, block->len);
}

void
profile_spool_put_batch (ProfileSpool *spool, guint32 rank, GBytes *batch)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();
    gsize size;
    const guint8 *bytes = g_bytes_get_data (batch, &size);

    base_bytes_put_uleb (block, rank);
    g_byte_array_append (block, bytes, (guint) size);
    profile_spool_put_record (spool, BATCH, block->data, block->len);
}

void
profile_spool_put_clock (ProfileSpool *spool, const char *host, const ProfileClockPoint *point,
                         gboolean is_limit)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    profile_spool_put_text (block, host);
    base_bytes_put_uleb (block, is_limit ? 1 : 0);
    base_bytes_put_uleb (block, (guint64) point->there_us);
    base_bytes_put_uleb (block, (guint64) point->offset_us);
    base_bytes_put_uleb (block, (guint64) point->round_us);
    profile_spool_put_record (spool, CLOCK, block->data, block->len);
}

/* ---- writing anew ---- */

BASE_ORDER (compare_times, JobSample, BASE_BY (time_us))

static GArray *
list_samples (const ProfileRank *rank)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (JobSample));

    for (guint i = 0; i < rank->threads->len; i++) {
        const ProfileThread *thread = g_ptr_array_index (rank->threads, i);

        for (guint j = 0; j < thread->samples->len; j++) {
            const ProfileSample *kept = &g_array_index (thread->samples, ProfileSample, j);

            BASE_APPEND (list, JobSample, kept->time_us, kept->weight_us, kept->context,
                         thread->number, (guint8) kept->class, kept->is_blocked,
                         kept->is_spread);
        }
    }
    g_array_sort (list, compare_times);
    return list;
}

static GArray *
list_threads (const ProfileRank *rank)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (JobSampleThread));
    gpointer number, tid;

    BASE_WALK (rank->tids, &number, &tid) {
        BASE_APPEND (list, JobSampleThread, GPOINTER_TO_UINT (number), GPOINTER_TO_INT (tid));
    }
    return list;
}

static void
put_rank (ProfileSpool *spool, const ProfileRank *rank)
{
    g_autoptr (GArray) all = list_samples (rank);
    g_autoptr (GArray) threads = list_threads (rank);
    guint at = 0;

    profile_spool_put_process (spool, rank->rank, &rank->process);
    do {
        guint n = MIN (all->len - at, PART);
        g_autoptr (GArray) part = g_array_sized_new (FALSE, FALSE, sizeof (JobSample), n);
        g_autoptr (GArray) counts = at == 0 ? profile_counts_dup (rank) : NULL;
        const JobSampleExtras extras = { at == 0 ? rank->metrics : NULL, counts, rank->counted,
                                         at == 0 ? threads : NULL };
        g_autoptr (GBytes) batch = NULL;

        g_array_append_vals (part, (const JobSample *) (void *) all->data + at, n);
        batch = job_sample_batch_encode_all (rank->tree,
                                             at == 0
                                                 ? 1
                                                 : job_context_tree_get_count (rank->tree) + 1,
                                             part, rank->n_dropped, &extras);
        profile_spool_put_batch (spool, rank->rank, batch);
        at += n;
    } while (at < all->len);
}

static void
put_clocks (ProfileSpool *spool, const ProfileModel *model)
{
    gpointer host, clock;

    BASE_WALK (model->clocks, &host, &clock) {
        for (guint is_limit = 0; is_limit < 2; is_limit++) {
            const GArray *points = is_limit ? profile_clock_get_limits (clock)
                                            : profile_clock_get_points (clock);

            for (guint i = 0; i < points->len; i++) {
                profile_spool_put_clock (spool, host,
                                         &g_array_index (points, ProfileClockPoint, i),
                                         is_limit != 0);
            }
        }
    }
}

gboolean
profile_spool_rewrite (ProfileSpool *spool, const ProfileModel *model)
{
    g_autofree char *path = g_strconcat (spool->path, ".new", NULL);
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    ProfileSpool *fresh = fd >= 0 ? new_spool (NULL, fd) : NULL;

    if (fresh == NULL) {
        return FALSE;
    }
    profile_spool_put_info (fresh, &model->info);
    put_clocks (fresh, model);
    for (guint i = 0; i < model->ranks->len && fresh->problem == NULL; i++) {
        put_rank (fresh, g_ptr_array_index (model->ranks, i));
    }
    if (!profile_spool_flush (fresh) || rename (path, spool->path) != 0) {
        unlink (path);
        close (fd);
        profile_spool_free (fresh);
        return FALSE;
    }
    close (spool->fd);
    spool->fd = fd;
    spool->size = fresh->size;
    g_byte_array_set_size (spool->waiting, 0); /* the model had it already */
    g_clear_pointer (&spool->problem, g_free);
    profile_spool_free (fresh);
    return TRUE;
}

/* ---- reading ---- */

char *
profile_spool_take_text (BaseCursor *block)
{
    guint64 size = base_cursor_read_uleb (block);
    const guint8 *bytes = size > 0 && size <= MAX_TEXT
                              ? base_cursor_read_bytes (block, (gsize) size - 1)
                              : NULL;

    block->failed |= size > MAX_TEXT;
    return bytes != NULL ? g_strndup ((const char *) bytes, (gsize) size - 1) : NULL;
}

/* So that sums of two of them are numbers, whatever the file says. */
gboolean
profile_spool_is_time (gint64 us)
{
    return us >= 0 && us < G_MAXINT64 / 4;
}

static gboolean
is_offset (gint64 us)
{
    return us > -G_MAXINT64 / 4 && us < G_MAXINT64 / 4;
}

static gboolean
take_info (ProfileModel *model, BaseCursor *block)
{
    g_autofree char *command = profile_spool_take_text (block);
    ProfileInfo info = { .command = command };

    info.begin_us = (gint64) base_cursor_read_uleb (block);
    info.end_us = (gint64) base_cursor_read_uleb (block);
    info.begin_real_us = (gint64) base_cursor_read_uleb (block);
    info.rate = (guint32) base_cursor_read_uleb (block);
    info.wait_status = (gint32) base_cursor_read_uleb (block);
    if (base_cursor_get_left (block) > 0) { /* spools of earlier versions end here */
        info.is_foreign = base_cursor_read_uleb (block) != 0;
    }
    if (!block->failed) {
        profile_model_set_info (model, &info);
    }
    return !block->failed;
}

static gboolean
take_process (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), parent = base_cursor_read_uleb (block);
    ProfileProcess process = { .parent = (guint32) parent,
                               .namesake = (gint32) (parent >> 32) };
    g_autofree char *host = NULL, *program = NULL, *ending = NULL;

    process.pid = (gint32) base_cursor_read_uleb (block);
    process.host = host = profile_spool_take_text (block);
    process.program = program = profile_spool_take_text (block);
    process.offset_us = (gint64) base_cursor_read_uleb (block);
    ending = profile_spool_take_text (block);
    process.ending = g_intern_string (ending);
    if (block->failed || rank >= G_MAXUINT32 || !is_offset (process.offset_us)) {
        return FALSE;
    }
    profile_model_set_process (model, (guint32) rank, &process);
    return TRUE;
}

static gboolean
take_clock (ProfileModel *model, BaseCursor *block)
{
    g_autofree char *host = profile_spool_take_text (block);
    gboolean is_limit = base_cursor_read_uleb (block) != 0;
    ProfileClockPoint point;

    point.there_us = (gint64) base_cursor_read_uleb (block);
    point.offset_us = (gint64) base_cursor_read_uleb (block);
    point.round_us = (gint64) base_cursor_read_uleb (block);
    if (block->failed || host == NULL || !profile_spool_is_time (point.there_us)
        || !is_offset (point.offset_us) || !profile_spool_is_time (point.round_us)) {
        return FALSE;
    }
    if (is_limit) {
        profile_clock_add_limit (profile_model_find_clock (model, host), point.there_us,
                                 point.offset_us);
    } else {
        profile_clock_add (profile_model_find_clock (model, host), &point);
    }
    return TRUE;
}

static gboolean
take_problem (ProfileModel *model, BaseCursor *block)
{
    char *english = profile_spool_take_text (block), *shown = profile_spool_take_text (block);

    base_text_free (model->problem);
    model->problem = base_text_new_take (english != NULL ? english : g_strdup (""),
                                         shown != NULL ? shown : g_strdup (english));
    return !block->failed;
}

static gboolean
take_record (ProfileModel *model, guint64 kind, BaseCursor *block)
{
    g_autoptr (GBytes) batch = NULL;
    guint64 rank;

    switch (kind) {
    case PROBLEM: return take_problem (model, block);
    case INFO: return take_info (model, block);
    case PROCESS: return take_process (model, block);
    case CLOCK: return take_clock (model, block);
    case BATCH:
        rank = base_cursor_read_uleb (block);
        batch = g_bytes_new_static (block->data + block->offset, base_cursor_get_left (block));
        return !block->failed && rank < G_MAXUINT32
               && profile_model_add (model, (guint32) rank, batch, NULL);
    default: return profile_spool_take_traced (model, kind, block);
    }
}

/* FALSE: no number is there. */
static gboolean
read_number (FILE *file, guint64 *ret_number)
{
    *ret_number = 0;
    for (guint shift = 0; shift < 63; shift += 7) {
        int byte = getc_unlocked (file);

        if (byte == EOF) {
            return FALSE;
        }
        *ret_number |= (guint64) (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
is_at_end (FILE *file)
{
    int byte = getc_unlocked (file);

    return byte == EOF || ungetc (byte, file) == EOF;
}

static gboolean
read_file (ProfileModel *model, FILE *file, GError **error)
{
    g_autoptr (GByteArray) record = g_byte_array_new ();
    char magic[sizeof MAGIC] = "";
    guint64 kind, size, hash;
    gboolean is_whole = TRUE;

    if (fread (magic, 1, strlen (MAGIC), file) != strlen (MAGIC)
        || strcmp (magic, MAGIC) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "it is not what pddt has recorded");
        return FALSE;
    }
    while (!is_at_end (file)) {
        BaseCursor block;

        is_whole = read_number (file, &kind) && read_number (file, &size) && size <= MAX_RECORD;
        if (!is_whole) {
            break;
        }
        is_whole = FALSE;

        g_byte_array_set_size (record, (guint) size);
        if (fread (record->data, 1, size, file) != size
            || fread (&hash, 1, sizeof hash, file) != sizeof hash
            || GUINT64_FROM_LE (hash) != hash_record (kind, record->data, size)) {
            break;
        }
        block = (BaseCursor) BASE_CURSOR_INIT (record->data, size);
        if (!take_record (model, kind, &block)) {
            break;
        }
        is_whole = TRUE;
    }
    if (!is_whole && model->problem == NULL) {
        model->problem
            = base_text_new (N_ ("it is damaged or cut: what follows there is missing"));
    }
    profile_model_settle_clocks (model);
    return TRUE;
}

gboolean
profile_spool_read_more (ProfileModel *model, int fd, GError **error)
{
    FILE *file = fdopen (dup (fd), "r");
    gboolean is_one;

    if (file == NULL) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "%s", g_strerror (errno));
        return FALSE;
    }
    is_one = read_file (model, file, error);
    fclose (file);
    return is_one;
}

ProfileModel *
profile_spool_read (int fd, GError **error)
{
    ProfileModel *model = profile_model_new ();

    if (!profile_spool_read_more (model, fd, error)) {
        g_clear_pointer (&model, profile_model_free);
    }
    return model;
}

ProfileModel *
profile_spool_load (const char *path, GError **error)
{
    g_auto (BasePlace) place = { .folder = -1 };
    int fd = base_place_find (path, TRUE, &place)
                 ? base_place_open (&place, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0)
                 : -1;
    struct stat status;
    ProfileModel *model = NULL;
    int reason = errno;

    if (fd < 0) {
        g_set_error (error, BASE_ERROR,
                     reason == ENOENT ? BASE_ERROR_NOT_FOUND : BASE_ERROR_DENIED,
                     "cannot read %s: %s", path, g_strerror (reason));
    } else if (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "cannot read %s: it is not a file",
                     path);
    } else {
        model = profile_spool_read (fd, error);
        if (model == NULL) {
            g_prefix_error (error, "cannot read %s: ", path);
        }
    }
    if (fd >= 0) {
        close (fd);
    }
    return model;
}
