/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/spool.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/limits.h"
#include "profile/private.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "pddt spool 2\n"
#define BUFFER (256u << 10)
#define MAX_RECORD (64u << 20)
#define MAX_TEXT (1u << 20)
#define MESSAGES_AT_ONCE 10000u
#define PART 100000u /* samples in one batch of a file that is written anew */

enum {
    INFO = 1,
    PROCESS,
    BATCH,
    PROBLEM,
    CLOCK,
    COUNTS,
    WAIT,
    TRAFFIC,
    FILE_USE,
    LOCK_WAIT,
    ALLOCATION
};
enum { MESSAGES = 32, COLLECTIVE, N_MESSAGES };

/* of a context, in a file */
#define LEAST_COUNT 3u /* bytes */

struct _ProfileSpool {
    char *path; /* NULL: a stream */
    int fd;
    GByteArray *waiting;
    guint64 size;
    char *problem;
};

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
    base_limits_catch_size ();
    return new_spool (g_steal_pointer (&path), fd);
}

ProfileSpool *
profile_spool_open_stream (int fd)
{
    return new_spool (NULL, fd);
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

static void
put_record (ProfileSpool *spool, guint kind, const guint8 *bytes, gsize size)
{
    base_bytes_put_uleb (spool->waiting, kind);
    base_bytes_put_uleb (spool->waiting, size);
    g_byte_array_append (spool->waiting, bytes, (guint) size);
    if (spool->waiting->len > BUFFER) {
        profile_spool_flush (spool);
    }
}

/* 0: NULL. */
static void
put_text (GByteArray *block, const char *text)
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

    put_text (block, info->command);
    base_bytes_put_uleb (block, (guint64) info->begin_us);
    base_bytes_put_uleb (block, (guint64) info->end_us);
    base_bytes_put_uleb (block, (guint64) info->begin_real_us);
    base_bytes_put_uleb (block, info->rate);
    base_bytes_put_uleb (block, (guint32) info->wait_status);
    put_record (spool, INFO, block->data, block->len);
}

void
profile_spool_put_process (ProfileSpool *spool, guint32 rank, const ProfileProcess *process)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, rank);
    base_bytes_put_uleb (block, process->parent);
    base_bytes_put_uleb (block, (guint32) process->pid);
    put_text (block, process->host);
    put_text (block, process->program);
    base_bytes_put_uleb (block, (guint64) process->offset_us);
    put_record (spool, PROCESS, block->data, block->len);
}

void
profile_spool_put_problem (ProfileSpool *spool, const char *problem)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    put_text (block, problem);
    put_record (spool, PROBLEM, block->data, block->len);
}

void
profile_spool_put_batch (ProfileSpool *spool, guint32 rank, GBytes *batch)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();
    gsize size;
    const guint8 *bytes = g_bytes_get_data (batch, &size);

    base_bytes_put_uleb (block, rank);
    g_byte_array_append (block, bytes, (guint) size);
    put_record (spool, BATCH, block->data, block->len);
}

void
profile_spool_put_clock (ProfileSpool *spool, const char *host, const ProfileClockPoint *point,
                         gboolean is_limit)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    put_text (block, host);
    base_bytes_put_uleb (block, is_limit ? 1 : 0);
    base_bytes_put_uleb (block, (guint64) point->there_us);
    base_bytes_put_uleb (block, (guint64) point->offset_us);
    base_bytes_put_uleb (block, (guint64) point->round_us);
    put_record (spool, CLOCK, block->data, block->len);
}

void
profile_spool_put_counts (ProfileSpool *spool, guint32 rank, const GArray *counts)
{
    for (guint32 first = 0; first < counts->len; first += PART) {
        g_autoptr (GByteArray) block = g_byte_array_new ();
        guint32 end = MIN (counts->len, first + PART);

        base_bytes_put_uleb (block, rank);
        base_bytes_put_uleb (block, first);
        for (guint32 number = first; number < end; number++) {
            const ProfileCount *count = &g_array_index (counts, ProfileCount, number);

            base_bytes_put_uleb (block, count->class);
            base_bytes_put_uleb (block, count->n_calls);
            base_bytes_put_uleb (block, (guint64) (count->self_s * 1e9 + 0.5));
        }
        put_record (spool, COUNTS, block->data, block->len);
    }
}

void
profile_spool_put_wait (ProfileSpool *spool, const ProfileWait *wait)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, wait->kind);
    base_bytes_put_uleb (block, wait->rank);
    base_bytes_put_uleb (block, wait->cause);
    put_text (block, wait->call);
    put_text (block, wait->place);
    put_text (block, wait->cause_place);
    base_bytes_put_uleb (block, wait->n);
    base_bytes_put_uleb (block, (guint64) (wait->seconds * 1e9 + 0.5));
    put_text (block, wait->file);
    base_bytes_put_uleb (block, wait->line);
    put_text (block, wait->cause_file);
    base_bytes_put_uleb (block, wait->cause_line);
    base_bytes_put_uleb (block, (guint64) wait->begin_us);
    base_bytes_put_uleb (block, (guint64) wait->end_us);
    put_record (spool, WAIT, block->data, block->len);
}

void
profile_spool_put_traffic (ProfileSpool *spool, const ProfileTraffic *traffic)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, traffic->from);
    base_bytes_put_uleb (block, traffic->to);
    base_bytes_put_uleb (block, traffic->n);
    base_bytes_put_uleb (block, traffic->bytes);
    put_record (spool, TRAFFIC, block->data, block->len);
}

static void
put_seconds (GByteArray *block, double seconds)
{
    base_bytes_put_uleb (block, (guint64) (seconds * 1e9 + 0.5));
}

void
profile_spool_put_file_use (ProfileSpool *spool, const ProfileFileUse *use)
{
    const guint64 counts[] = { use->n_opened, use->n_closed, use->n_reads, use->n_writes,
                               use->n_syncs,  use->read,     use->written };
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, use->rank);
    put_text (block, use->path);
    for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
        base_bytes_put_uleb (block, counts[i]);
    }
    put_seconds (block, use->read_s);
    put_seconds (block, use->write_s);
    put_seconds (block, use->sync_s);
    put_record (spool, FILE_USE, block->data, block->len);
}

void
profile_spool_put_lock_wait (ProfileSpool *spool, const ProfileLockWait *wait)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, wait->rank);
    base_bytes_put_uleb (block, wait->thread);
    base_bytes_put_uleb (block, wait->owner);
    put_text (block, wait->call);
    put_text (block, wait->place);
    put_text (block, wait->owner_place);
    base_bytes_put_uleb (block, wait->n);
    put_seconds (block, wait->seconds);
    put_seconds (block, wait->longest_s);
    put_record (spool, LOCK_WAIT, block->data, block->len);
}

void
profile_spool_put_messages (ProfileSpool *spool, const GArray *messages)
{
    for (guint first = 0; first < messages->len; first += MESSAGES_AT_ONCE) {
        g_autoptr (GByteArray) block = g_byte_array_new ();

        for (guint i = first; i < MIN (first + MESSAGES_AT_ONCE, messages->len); i++) {
            const ProfileMessage *message = &g_array_index (messages, ProfileMessage, i);

            base_bytes_put_uleb (block, message->from);
            base_bytes_put_uleb (block, message->to);
            base_bytes_put_uleb (block, message->tag);
            base_bytes_put_uleb (block, message->bytes);
            base_bytes_put_uleb (block, (guint64) message->sent_us);
            base_bytes_put_uleb (block, (guint64) message->received_us);
        }
        put_record (spool, MESSAGES, block->data, block->len);
    }
}

void
profile_spool_put_collective (ProfileSpool *spool, const char *name, const GArray *members)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    put_text (block, name);
    for (guint i = 0; i < members->len; i++) {
        const ProfileMember *member = &g_array_index (members, ProfileMember, i);

        base_bytes_put_uleb (block, member->rank);
        base_bytes_put_uleb (block, (guint64) member->begin_us);
        base_bytes_put_uleb (block, (guint64) member->end_us);
    }
    put_record (spool, COLLECTIVE, block->data, block->len);
}

void
profile_spool_put_n_messages (ProfileSpool *spool, guint64 n_messages, guint64 n_collectives)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, n_messages);
    base_bytes_put_uleb (block, n_collectives);
    put_record (spool, N_MESSAGES, block->data, block->len);
}

void
profile_spool_put_allocation (ProfileSpool *spool, const ProfileAllocation *allocation)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, allocation->rank);
    put_text (block, allocation->place);
    base_bytes_put_uleb (block, allocation->n_samples);
    base_bytes_put_uleb (block, allocation->allocated);
    base_bytes_put_uleb (block, allocation->held_middle);
    base_bytes_put_uleb (block, allocation->held_end);
    put_record (spool, ALLOCATION, block->data, block->len);
}

/* ---- writing anew ---- */

static gint
compare_times (gconstpointer a, gconstpointer b)
{
    const JobSample *left = a, *right = b;

    return (left->time_us > right->time_us) - (left->time_us < right->time_us);
}

static GArray *
list_samples (const ProfileRank *rank)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (JobSample));

    for (guint i = 0; i < rank->threads->len; i++) {
        const ProfileThread *thread = g_ptr_array_index (rank->threads, i);

        for (guint j = 0; j < thread->samples->len; j++) {
            const ProfileSample *kept = &g_array_index (thread->samples, ProfileSample, j);
            JobSample sample = { kept->time_us,  kept->weight_us,      kept->context,
                                 thread->number, (guint8) kept->class, kept->is_blocked };

            g_array_append_val (list, sample);
        }
    }
    g_array_sort (list, compare_times);
    return list;
}

static void
put_rank (ProfileSpool *spool, const ProfileRank *rank)
{
    g_autoptr (GArray) all = list_samples (rank);
    guint at = 0;

    profile_spool_put_process (spool, rank->rank, &rank->process);
    do {
        guint n = MIN (all->len - at, PART);
        g_autoptr (GArray) part = g_array_sized_new (FALSE, FALSE, sizeof (JobSample), n);
        g_autoptr (GBytes) batch = NULL;

        g_array_append_vals (part, (const JobSample *) (void *) all->data + at, n);
        batch = job_sample_batch_encode_all (rank->tree,
                                             at == 0
                                                 ? 1
                                                 : job_context_tree_get_count (rank->tree) + 1,
                                             part, rank->n_dropped,
                                             at == 0 ? rank->metrics : NULL);
        profile_spool_put_batch (spool, rank->rank, batch);
        at += n;
    } while (at < all->len);
}

static void
put_clocks (ProfileSpool *spool, const ProfileModel *model)
{
    GHashTableIter iter;
    gpointer host, clock;

    g_hash_table_iter_init (&iter, model->clocks);
    while (g_hash_table_iter_next (&iter, &host, &clock)) {
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

static char *
take_text (BaseCursor *block)
{
    guint64 size = base_cursor_read_uleb (block);
    const guint8 *bytes = size > 0 && size <= MAX_TEXT
                              ? base_cursor_read_bytes (block, (gsize) size - 1)
                              : NULL;

    block->failed |= size > MAX_TEXT;
    return bytes != NULL ? g_strndup ((const char *) bytes, (gsize) size - 1) : NULL;
}

/* So that sums of two of them are numbers, whatever the file says. */
static gboolean
is_time (gint64 us)
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
    g_autofree char *command = take_text (block);
    ProfileInfo info = { .command = command };

    info.begin_us = (gint64) base_cursor_read_uleb (block);
    info.end_us = (gint64) base_cursor_read_uleb (block);
    info.begin_real_us = (gint64) base_cursor_read_uleb (block);
    info.rate = (guint32) base_cursor_read_uleb (block);
    info.wait_status = (gint32) base_cursor_read_uleb (block);
    if (!block->failed) {
        profile_model_set_info (model, &info);
    }
    return !block->failed;
}

static gboolean
take_process (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), parent = base_cursor_read_uleb (block);
    ProfileProcess process = { .parent = (guint32) parent };
    g_autofree char *host = NULL, *program = NULL;

    process.pid = (gint32) base_cursor_read_uleb (block);
    process.host = host = take_text (block);
    process.program = program = take_text (block);
    process.offset_us = (gint64) base_cursor_read_uleb (block);
    if (block->failed || rank >= G_MAXUINT32 || !is_offset (process.offset_us)) {
        return FALSE;
    }
    profile_model_set_process (model, (guint32) rank, &process);
    return TRUE;
}

static gboolean
take_clock (ProfileModel *model, BaseCursor *block)
{
    g_autofree char *host = take_text (block);
    gboolean is_limit = base_cursor_read_uleb (block) != 0;
    ProfileClockPoint point;

    point.there_us = (gint64) base_cursor_read_uleb (block);
    point.offset_us = (gint64) base_cursor_read_uleb (block);
    point.round_us = (gint64) base_cursor_read_uleb (block);
    if (block->failed || host == NULL || !is_time (point.there_us)
        || !is_offset (point.offset_us) || !is_time (point.round_us)) {
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
take_counts (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), first = base_cursor_read_uleb (block);
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (ProfileCount));

    while (!block->failed && base_cursor_get_left (block) >= LEAST_COUNT) {
        guint64 class = base_cursor_read_uleb (block);
        ProfileCount count = { .class = (guint32) MIN (class, JOB_N_CLASSES - 1) };

        count.n_calls = base_cursor_read_uleb (block);
        count.self_s = (double) base_cursor_read_uleb (block) / 1e9;
        g_array_append_val (counts, count);
    }
    if (block->failed || rank >= G_MAXUINT32 || first >= G_MAXUINT32) {
        return FALSE;
    }
    profile_model_set_counts (model, (guint32) rank, (guint32) first, counts);
    return TRUE;
}

static gboolean
take_wait (ProfileModel *model, BaseCursor *block)
{
    guint64 kind = base_cursor_read_uleb (block), rank = base_cursor_read_uleb (block);
    guint64 cause = base_cursor_read_uleb (block);
    g_autofree char *call = take_text (block), *place = take_text (block);
    g_autofree char *cause_place = take_text (block);
    ProfileWait wait = { .kind = (guint32) MIN (kind, PROFILE_N_WAITS),
                         .rank = (guint32) rank,
                         .cause = (guint32) cause,
                         .call = call != NULL ? call : (char *) "",
                         .place = place != NULL ? place : (char *) "",
                         .cause_place = cause_place != NULL ? cause_place : (char *) "" };
    g_autofree char *file = NULL, *cause_file = NULL;

    wait.n = base_cursor_read_uleb (block);
    wait.seconds = (double) base_cursor_read_uleb (block) / 1e9;
    wait.file = file = take_text (block);
    wait.line = (guint32) base_cursor_read_uleb (block);
    wait.cause_file = cause_file = take_text (block);
    wait.cause_line = (guint32) base_cursor_read_uleb (block);
    wait.begin_us = (gint64) base_cursor_read_uleb (block);
    wait.end_us = (gint64) base_cursor_read_uleb (block);
    if (block->failed || rank >= G_MAXUINT32 || cause >= G_MAXUINT32 || !is_time (wait.begin_us)
        || !is_time (wait.end_us)) {
        return FALSE;
    }
    if (kind < PROFILE_N_WAITS) {
        profile_model_add_wait (model, &wait);
    }
    return TRUE;
}

static gboolean
take_traffic (ProfileModel *model, BaseCursor *block)
{
    guint64 from = base_cursor_read_uleb (block), to = base_cursor_read_uleb (block);
    ProfileTraffic traffic = { (guint32) from, (guint32) to, 0, 0 };

    traffic.n = base_cursor_read_uleb (block);
    traffic.bytes = base_cursor_read_uleb (block);
    if (block->failed || from >= G_MAXUINT32 || to >= G_MAXUINT32) {
        return FALSE;
    }
    profile_model_add_traffic (model, &traffic);
    return TRUE;
}

static double
take_seconds (BaseCursor *block)
{
    return (double) base_cursor_read_uleb (block) / 1e9;
}

static gboolean
take_file_use (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), counts[7];
    g_autofree char *path = take_text (block);
    ProfileFileUse use = { .rank = (guint32) rank, .path = path };

    for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
        counts[i] = base_cursor_read_uleb (block);
    }
    use.n_opened = counts[0];
    use.n_closed = counts[1];
    use.n_reads = counts[2];
    use.n_writes = counts[3];
    use.n_syncs = counts[4];
    use.read = counts[5];
    use.written = counts[6];
    use.read_s = take_seconds (block);
    use.write_s = take_seconds (block);
    use.sync_s = take_seconds (block);
    if (block->failed || rank >= G_MAXUINT32 || path == NULL) {
        return FALSE;
    }
    profile_model_add_file_use (model, &use);
    return TRUE;
}

static gboolean
take_lock_wait (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), thread = base_cursor_read_uleb (block);
    guint64 owner = base_cursor_read_uleb (block);
    g_autofree char *call = take_text (block), *place = take_text (block);
    g_autofree char *owner_place = take_text (block);
    ProfileLockWait wait = {
        (guint32) rank, (guint32) thread, (guint32) owner, call, place, owner_place, 0, 0, 0
    };

    wait.n = base_cursor_read_uleb (block);
    wait.seconds = take_seconds (block);
    wait.longest_s = take_seconds (block);
    if (block->failed || rank >= G_MAXUINT32 || call == NULL || place == NULL
        || owner_place == NULL) {
        return FALSE;
    }
    profile_model_add_lock_wait (model, &wait);
    return TRUE;
}

static gboolean
take_messages (ProfileModel *model, BaseCursor *block)
{
    while (!block->failed && base_cursor_get_left (block) > 0) {
        guint64 from = base_cursor_read_uleb (block), to = base_cursor_read_uleb (block);
        ProfileMessage message = { .from = (guint32) from, .to = (guint32) to };

        message.tag = (guint32) base_cursor_read_uleb (block);
        message.bytes = base_cursor_read_uleb (block);
        message.sent_us = (gint64) base_cursor_read_uleb (block);
        message.received_us = (gint64) base_cursor_read_uleb (block);
        if (block->failed || from >= G_MAXUINT32 || to >= G_MAXUINT32
            || !is_time (message.sent_us) || !is_time (message.received_us)) {
            return FALSE;
        }
        profile_model_add_message (model, &message);
    }
    return TRUE;
}

static gboolean
take_collective (ProfileModel *model, BaseCursor *block)
{
    g_autofree char *name = take_text (block);
    g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (ProfileMember));

    while (!block->failed && base_cursor_get_left (block) > 0) {
        guint64 rank = base_cursor_read_uleb (block);
        ProfileMember member = { .rank = (guint32) rank };

        member.begin_us = (gint64) base_cursor_read_uleb (block);
        member.end_us = (gint64) base_cursor_read_uleb (block);
        if (block->failed || rank >= G_MAXUINT32 || !is_time (member.begin_us)
            || !is_time (member.end_us)) {
            return FALSE;
        }
        g_array_append_val (members, member);
    }
    if (block->failed) {
        return FALSE;
    }
    profile_model_add_collective (model, name != NULL ? name : "", members);
    return TRUE;
}

static gboolean
take_allocation (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block);
    g_autofree char *place = take_text (block);
    ProfileAllocation allocation = { .rank = (guint32) rank, .place = place };

    allocation.n_samples = base_cursor_read_uleb (block);
    allocation.allocated = base_cursor_read_uleb (block);
    allocation.held_middle = base_cursor_read_uleb (block);
    allocation.held_end = base_cursor_read_uleb (block);
    if (block->failed || rank >= G_MAXUINT32 || place == NULL) {
        return FALSE;
    }
    profile_model_add_allocation (model, &allocation);
    return TRUE;
}

static gboolean
take_n_messages (ProfileModel *model, BaseCursor *block)
{
    guint64 n_messages = base_cursor_read_uleb (block);
    guint64 n_collectives = base_cursor_read_uleb (block);

    if (!block->failed) {
        profile_model_set_n_messages (model, n_messages, n_collectives);
    }
    return !block->failed;
}

static gboolean
take_record (ProfileModel *model, guint64 kind, BaseCursor *block)
{
    g_autoptr (GBytes) batch = NULL;
    guint64 rank;

    switch (kind) {
    case PROBLEM:
        g_free (model->problem);
        model->problem = take_text (block);
        return !block->failed;
    case INFO: return take_info (model, block);
    case PROCESS: return take_process (model, block);
    case CLOCK: return take_clock (model, block);
    case BATCH:
        rank = base_cursor_read_uleb (block);
        batch = g_bytes_new_static (block->data + block->offset, base_cursor_get_left (block));
        return !block->failed && rank < G_MAXUINT32
               && profile_model_add (model, (guint32) rank, batch, NULL);
    case COUNTS: return take_counts (model, block);
    case WAIT: return take_wait (model, block);
    case TRAFFIC: return take_traffic (model, block);
    case FILE_USE: return take_file_use (model, block);
    case ALLOCATION: return take_allocation (model, block);
    case LOCK_WAIT: return take_lock_wait (model, block);
    case MESSAGES: return take_messages (model, block);
    case COLLECTIVE: return take_collective (model, block);
    case N_MESSAGES: return take_n_messages (model, block);
    default: return TRUE; /* of a newer one */
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

static ProfileModel *
read_file (FILE *file, GError **error)
{
    ProfileModel *model = profile_model_new ();
    g_autoptr (GByteArray) record = g_byte_array_new ();
    char magic[sizeof MAGIC] = "";
    guint64 kind, size;

    if (fread (magic, 1, strlen (MAGIC), file) != strlen (MAGIC)
        || strcmp (magic, MAGIC) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "it is not what pddt has recorded");
        profile_model_free (model);
        return NULL;
    }
    while (read_number (file, &kind) && read_number (file, &size) && size <= MAX_RECORD) {
        BaseCursor block;

        g_byte_array_set_size (record, (guint) size);
        if (fread (record->data, 1, size, file) != size) {
            break;
        }
        block = (BaseCursor) BASE_CURSOR_INIT (record->data, size);
        if (!take_record (model, kind, &block)) {
            break;
        }
    }
    profile_model_settle_clocks (model);
    return model;
}

ProfileModel *
profile_spool_read (int fd, GError **error)
{
    FILE *file = fdopen (dup (fd), "r");
    ProfileModel *model;

    if (file == NULL) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "%s", g_strerror (errno));
        return NULL;
    }
    model = read_file (file, error);
    fclose (file);
    return model;
}

ProfileModel *
profile_spool_load (const char *path, GError **error)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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
