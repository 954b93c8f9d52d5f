/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of what was traced: counts of calls, waits, messages, files, locks, memory. */
#include "profile/private.h"
#include "profile/spool/private.h"
#include "profile/spool.h"
#include <string.h>

#define MESSAGES_AT_ONCE 10000u
#define COUNTS_AT_ONCE 100000u
/* of a context, in a file */
#define LEAST_COUNT 3u /* bytes */

enum { COUNTS = 6, WAIT, TRAFFIC, FILE_USE, LOCK_WAIT, ALLOCATION };
enum { LOSS = 20 };
enum {
    MESSAGES = 32,
    COLLECTIVE,
    N_MESSAGES,
    DELAY,
    PATH_PART,
    OWN_METRIC,
    PARAMETER,
    MESSAGE_SUM
};

/* ---- writing ---- */

static void
put_seconds (GByteArray *block, double seconds)
{
    base_bytes_put_uleb (block, (guint64) (seconds * 1e9 + 0.5));
}

void
profile_spool_put_counts (ProfileSpool *spool, guint32 rank, const GArray *counts)
{
    for (guint32 first = 0; first < counts->len; first += COUNTS_AT_ONCE) {
        g_autoptr (GByteArray) block = g_byte_array_new ();
        guint32 end = MIN (counts->len, first + COUNTS_AT_ONCE);

        base_bytes_put_uleb (block, rank);
        base_bytes_put_uleb (block, first);
        for (guint32 number = first; number < end; number++) {
            const ProfileCount *count = &g_array_index (counts, ProfileCount, number);

            base_bytes_put_uleb (block, count->class);
            base_bytes_put_uleb (block, count->n_calls);
            base_bytes_put_uleb (block, (guint64) (count->self_s * 1e9 + 0.5));
        }
        profile_spool_put_record (spool, COUNTS, block->data, block->len);
    }
}

void
profile_spool_put_wait (ProfileSpool *spool, const ProfileWait *wait)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, wait->kind);
    base_bytes_put_uleb (block, wait->rank);
    base_bytes_put_uleb (block, wait->cause);
    profile_spool_put_text (block, wait->call);
    profile_spool_put_text (block, wait->place);
    profile_spool_put_text (block, wait->cause_place);
    base_bytes_put_uleb (block, wait->n);
    base_bytes_put_uleb (block, (guint64) (wait->seconds * 1e9 + 0.5));
    profile_spool_put_text (block, wait->file);
    base_bytes_put_uleb (block, wait->line);
    profile_spool_put_text (block, wait->cause_file);
    base_bytes_put_uleb (block, wait->cause_line);
    base_bytes_put_uleb (block, (guint64) wait->begin_us);
    base_bytes_put_uleb (block, (guint64) wait->end_us);
    profile_spool_put_record (spool, WAIT, block->data, block->len);
}

/* Its bits. */
static void
put_real (GByteArray *block, double value)
{
    g_byte_array_append (block, (const guint8 *) &value, sizeof value);
}

void
profile_spool_put_own_metric (ProfileSpool *spool, const ProfileOwnMetric *metric)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, metric->rank);
    profile_spool_put_text (block, metric->name);
    profile_spool_put_text (block, metric->unit);
    base_bytes_put_uleb (block, metric->n);
    put_real (block, metric->least);
    put_real (block, metric->most);
    put_real (block, metric->sum);
    put_real (block, metric->last);
    for (guint i = 0; i < metric->points->len; i++) {
        const ProfilePoint *point = &g_array_index (metric->points, ProfilePoint, i);

        base_bytes_put_uleb (block, (guint64) point->time_us);
        put_real (block, point->value);
    }
    profile_spool_put_record (spool, OWN_METRIC, block->data, block->len);
}

void
profile_spool_put_parameter (ProfileSpool *spool, const ProfileParameter *parameter)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, parameter->rank);
    profile_spool_put_text (block, parameter->name);
    profile_spool_put_text (block, parameter->value);
    base_bytes_put_uleb (block, parameter->n);
    base_bytes_put_uleb (block, (guint64) parameter->first_us);
    profile_spool_put_record (spool, PARAMETER, block->data, block->len);
}

void
profile_spool_put_delay (ProfileSpool *spool, const ProfileDelay *delay)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, delay->rank);
    base_bytes_put_uleb (block, delay->is_mpi);
    profile_spool_put_text (block, delay->function);
    profile_spool_put_text (block, delay->file);
    base_bytes_put_uleb (block, delay->line);
    put_seconds (block, delay->seconds);
    put_seconds (block, delay->passed_s);
    profile_spool_put_record (spool, DELAY, block->data, block->len);
}

void
profile_spool_put_path_part (ProfileSpool *spool, const ProfilePathPart *part)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, part->rank);
    base_bytes_put_uleb (block, part->is_mpi);
    profile_spool_put_text (block, part->function);
    profile_spool_put_text (block, part->file);
    base_bytes_put_uleb (block, part->line);
    put_seconds (block, part->seconds);
    put_seconds (block, part->rank_s);
    put_seconds (block, part->mean_s);
    profile_spool_put_record (spool, PATH_PART, block->data, block->len);
}

void
profile_spool_put_traffic (ProfileSpool *spool, const ProfileTraffic *traffic)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, traffic->from);
    base_bytes_put_uleb (block, traffic->to);
    base_bytes_put_uleb (block, traffic->n);
    base_bytes_put_uleb (block, traffic->bytes);
    profile_spool_put_record (spool, TRAFFIC, block->data, block->len);
}

void
profile_spool_put_message_sum (ProfileSpool *spool, const ProfileMessageSum *sum)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, sum->kind);
    base_bytes_put_uleb (block, sum->value);
    profile_spool_put_text (block, sum->name);
    base_bytes_put_uleb (block, sum->n);
    base_bytes_put_uleb (block, sum->bytes);
    base_bytes_put_uleb (block, sum->n_received);
    put_seconds (block, sum->seconds);
    profile_spool_put_record (spool, MESSAGE_SUM, block->data, block->len);
}

void
profile_spool_put_file_use (ProfileSpool *spool, const ProfileFileUse *use)
{
    const guint64 counts[] = { use->n_opened, use->n_closed, use->n_reads, use->n_writes,
                               use->n_syncs,  use->read,     use->written };
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, use->rank);
    profile_spool_put_text (block, use->path);
    for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
        base_bytes_put_uleb (block, counts[i]);
    }
    put_seconds (block, use->read_s);
    put_seconds (block, use->write_s);
    put_seconds (block, use->sync_s);
    profile_spool_put_record (spool, FILE_USE, block->data, block->len);
}

void
profile_spool_put_lock_wait (ProfileSpool *spool, const ProfileLockWait *wait)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, wait->rank);
    base_bytes_put_uleb (block, wait->thread);
    base_bytes_put_uleb (block, wait->owner);
    profile_spool_put_text (block, wait->call);
    profile_spool_put_text (block, wait->place);
    profile_spool_put_text (block, wait->owner_place);
    base_bytes_put_uleb (block, wait->n);
    put_seconds (block, wait->seconds);
    put_seconds (block, wait->longest_s);
    profile_spool_put_record (spool, LOCK_WAIT, block->data, block->len);
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
        profile_spool_put_record (spool, MESSAGES, block->data, block->len);
    }
}

void
profile_spool_put_collective (ProfileSpool *spool, const char *name, const GArray *members)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    profile_spool_put_text (block, name);
    for (guint i = 0; i < members->len; i++) {
        const ProfileMember *member = &g_array_index (members, ProfileMember, i);

        base_bytes_put_uleb (block, member->rank);
        base_bytes_put_uleb (block, (guint64) member->begin_us);
        base_bytes_put_uleb (block, (guint64) member->end_us);
    }
    profile_spool_put_record (spool, COLLECTIVE, block->data, block->len);
}

void
profile_spool_put_n_messages (ProfileSpool *spool, guint64 n_messages, guint64 n_collectives)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, n_messages);
    base_bytes_put_uleb (block, n_collectives);
    profile_spool_put_record (spool, N_MESSAGES, block->data, block->len);
}

void
profile_spool_put_allocation (ProfileSpool *spool, const ProfileAllocation *allocation)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, allocation->rank);
    profile_spool_put_text (block, allocation->place);
    base_bytes_put_uleb (block, allocation->n_samples);
    base_bytes_put_uleb (block, allocation->allocated);
    base_bytes_put_uleb (block, allocation->held_middle);
    base_bytes_put_uleb (block, allocation->held_end);
    profile_spool_put_text (block, allocation->code);
    profile_spool_put_text (block, allocation->callers);
    profile_spool_put_record (spool, ALLOCATION, block->data, block->len);
}

void
profile_spool_put_loss (ProfileSpool *spool, const ProfileLoss *loss)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, loss->rank);
    base_bytes_put_uleb (block, loss->thread);
    base_bytes_put_uleb (block, loss->n_events);
    base_bytes_put_uleb (block, loss->kept);
    base_bytes_put_uleb (block, (guint64) loss->edge_us);
    profile_spool_put_record (spool, LOSS, block->data, block->len);
}

/* ---- reading ---- */

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
    g_autofree char *call = profile_spool_take_text (block),
                    *place = profile_spool_take_text (block);
    g_autofree char *cause_place = profile_spool_take_text (block);
    ProfileWait wait = { .kind = (guint32) MIN (kind, PROFILE_N_WAITS),
                         .rank = (guint32) rank,
                         .cause = (guint32) cause,
                         .call = call != NULL ? call : (char *) "",
                         .place = place != NULL ? place : (char *) "",
                         .cause_place = cause_place != NULL ? cause_place : (char *) "" };
    g_autofree char *file = NULL, *cause_file = NULL;

    wait.n = base_cursor_read_uleb (block);
    wait.seconds = (double) base_cursor_read_uleb (block) / 1e9;
    wait.file = file = profile_spool_take_text (block);
    wait.line = (guint32) base_cursor_read_uleb (block);
    wait.cause_file = cause_file = profile_spool_take_text (block);
    wait.cause_line = (guint32) base_cursor_read_uleb (block);
    wait.begin_us = (gint64) base_cursor_read_uleb (block);
    wait.end_us = (gint64) base_cursor_read_uleb (block);
    if (block->failed || rank >= G_MAXUINT32 || cause >= G_MAXUINT32
        || !profile_spool_is_time (wait.begin_us) || !profile_spool_is_time (wait.end_us)) {
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
take_message_sum (ProfileModel *model, BaseCursor *block)
{
    guint64 kind = base_cursor_read_uleb (block), value = base_cursor_read_uleb (block);
    g_autofree char *name = profile_spool_take_text (block);
    ProfileMessageSum sum
        = { .kind = (guint32) MIN (kind, PROFILE_N_SUMS), .value = value, .name = name };

    sum.n = base_cursor_read_uleb (block);
    sum.bytes = base_cursor_read_uleb (block);
    sum.n_received = base_cursor_read_uleb (block);
    sum.seconds = take_seconds (block);
    if (block->failed) {
        return FALSE;
    }
    if (kind < PROFILE_N_SUMS) {
        profile_model_add_message_sum (model, &sum);
    }
    return TRUE;
}

static gboolean
take_file_use (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), counts[7];
    g_autofree char *path = profile_spool_take_text (block);
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
    g_autofree char *call = profile_spool_take_text (block),
                    *place = profile_spool_take_text (block);
    g_autofree char *owner_place = profile_spool_take_text (block);
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
            || !profile_spool_is_time (message.sent_us)
            || !profile_spool_is_time (message.received_us)) {
            return FALSE;
        }
        profile_model_add_message (model, &message);
    }
    return TRUE;
}

static gboolean
take_collective (ProfileModel *model, BaseCursor *block)
{
    g_autofree char *name = profile_spool_take_text (block);
    g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (ProfileMember));

    while (!block->failed && base_cursor_get_left (block) > 0) {
        guint64 rank = base_cursor_read_uleb (block);
        ProfileMember member = { .rank = (guint32) rank };

        member.begin_us = (gint64) base_cursor_read_uleb (block);
        member.end_us = (gint64) base_cursor_read_uleb (block);
        if (block->failed || rank >= G_MAXUINT32 || !profile_spool_is_time (member.begin_us)
            || !profile_spool_is_time (member.end_us)) {
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
    g_autofree char *place = profile_spool_take_text (block), *code = NULL, *callers = NULL;
    ProfileAllocation allocation = { .rank = (guint32) rank, .place = place };

    allocation.n_samples = base_cursor_read_uleb (block);
    allocation.allocated = base_cursor_read_uleb (block);
    allocation.held_middle = base_cursor_read_uleb (block);
    allocation.held_end = base_cursor_read_uleb (block);
    allocation.code = code = profile_spool_take_text (block);
    allocation.callers = callers = profile_spool_take_text (block);
    if (block->failed || rank >= G_MAXUINT32 || place == NULL) {
        return FALSE;
    }
    profile_model_add_allocation (model, &allocation);
    return TRUE;
}

static gboolean
take_loss (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), thread = base_cursor_read_uleb (block);
    guint64 n_events = base_cursor_read_uleb (block), kept = base_cursor_read_uleb (block);
    gint64 edge_us = (gint64) base_cursor_read_uleb (block);
    ProfileLoss loss = { (guint32) rank, (guint32) thread, n_events, (ProfileKept) kept,
                         edge_us };

    if (block->failed || rank >= G_MAXUINT32 || thread >= G_MAXUINT32 || kept >= PROFILE_N_KEPT
        || !profile_spool_is_time (edge_us)) {
        return FALSE;
    }
    profile_model_add_loss (model, &loss);
    return TRUE;
}

static gboolean
take_delay (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), is_mpi = base_cursor_read_uleb (block);
    g_autofree char *function = profile_spool_take_text (block),
                    *file = profile_spool_take_text (block);
    ProfileDelay delay = { .rank = (guint32) rank, .is_mpi = is_mpi != 0 };

    delay.function = function != NULL ? function : (char *) "";
    delay.file = file != NULL ? file : (char *) "";
    delay.line = (guint32) base_cursor_read_uleb (block);
    delay.seconds = take_seconds (block);
    delay.passed_s = take_seconds (block);
    if (block->failed || rank >= G_MAXUINT32) {
        return FALSE;
    }
    profile_model_add_delay (model, &delay);
    return TRUE;
}

static gboolean
take_path_part (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block), is_mpi = base_cursor_read_uleb (block);
    g_autofree char *function = profile_spool_take_text (block),
                    *file = profile_spool_take_text (block);
    ProfilePathPart part = { .rank = (guint32) rank, .is_mpi = is_mpi != 0 };

    part.function = function != NULL ? function : (char *) "";
    part.file = file != NULL ? file : (char *) "";
    part.line = (guint32) base_cursor_read_uleb (block);
    part.seconds = take_seconds (block);
    part.rank_s = take_seconds (block);
    part.mean_s = take_seconds (block);
    if (block->failed || rank >= G_MAXUINT32) {
        return FALSE;
    }
    profile_model_add_path_part (model, &part);
    return TRUE;
}

static double
take_real (BaseCursor *block)
{
    const guint8 *bytes = base_cursor_read_bytes (block, sizeof (double));
    double value = 0;

    if (bytes != NULL) {
        memcpy (&value, bytes, sizeof value);
    }
    return value;
}

static gboolean
take_own_metric (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block);
    g_autofree char *name = profile_spool_take_text (block),
                    *unit = profile_spool_take_text (block);
    g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (ProfilePoint));
    ProfileOwnMetric metric = { .rank = (guint32) rank, .points = points };

    metric.name = name != NULL ? name : (char *) "";
    metric.unit = unit != NULL ? unit : (char *) "";
    metric.n = base_cursor_read_uleb (block);
    metric.least = take_real (block);
    metric.most = take_real (block);
    metric.sum = take_real (block);
    metric.last = take_real (block);
    while (!block->failed && base_cursor_get_left (block) > 0) {
        ProfilePoint point = { (gint64) base_cursor_read_uleb (block), 0 };

        point.value = take_real (block);
        if (!block->failed && !profile_spool_is_time (point.time_us)) {
            return FALSE;
        }
        g_array_append_val (points, point);
    }
    if (block->failed || rank >= G_MAXUINT32) {
        return FALSE;
    }
    profile_model_add_own_metric (model, &metric);
    return TRUE;
}

static gboolean
take_parameter (ProfileModel *model, BaseCursor *block)
{
    guint64 rank = base_cursor_read_uleb (block);
    g_autofree char *name = profile_spool_take_text (block),
                    *value = profile_spool_take_text (block);
    ProfileParameter parameter = { .rank = (guint32) rank };

    parameter.name = name != NULL ? name : (char *) "";
    parameter.value = value != NULL ? value : (char *) "";
    parameter.n = base_cursor_read_uleb (block);
    parameter.first_us = (gint64) base_cursor_read_uleb (block);
    if (block->failed || rank >= G_MAXUINT32 || !profile_spool_is_time (parameter.first_us)) {
        return FALSE;
    }
    profile_model_add_parameter (model, &parameter);
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

gboolean
profile_spool_take_traced (ProfileModel *model, guint64 kind, BaseCursor *block)
{
    switch (kind) {
    case COUNTS: return take_counts (model, block);
    case WAIT: return take_wait (model, block);
    case TRAFFIC: return take_traffic (model, block);
    case MESSAGE_SUM: return take_message_sum (model, block);
    case FILE_USE: return take_file_use (model, block);
    case LOCK_WAIT: return take_lock_wait (model, block);
    case ALLOCATION: return take_allocation (model, block);
    case LOSS: return take_loss (model, block);
    case MESSAGES: return take_messages (model, block);
    case COLLECTIVE: return take_collective (model, block);
    case N_MESSAGES: return take_n_messages (model, block);
    case OWN_METRIC: return take_own_metric (model, block);
    case PARAMETER: return take_parameter (model, block);
    case DELAY: return take_delay (model, block);
    case PATH_PART: return take_path_part (model, block);
    default: return TRUE; /* of a newer one */
    }
}
