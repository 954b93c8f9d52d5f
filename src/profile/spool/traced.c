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

/* ---- what records consist of ---- */

/* Of a field, and what a reader accepts. In the file all but texts and reals are ULEB128. */
typedef enum {
    RANK,    /* guint32, one that there can be */
    NUMBER,  /* guint32, also a gboolean or an enum */
    COUNT,   /* guint64 */
    TIME,    /* gint64, µs, one that there can be */
    SECONDS, /* double, in ns */
    REAL,    /* double, its bits */
    TEXT,    /* char *, "" where there is none */
    MAYBE,   /* char *, NULL where there is none */
    NEEDED   /* char * */
} Kind;

typedef struct {
    Kind kind;
    guint offset;
} Field;

#define AT(kind, Type, field)                                                                  \
    {                                                                                          \
        kind, G_STRUCT_OFFSET (Type, field)                                                    \
    }

static const Field wait_fields[]
    = { AT (NUMBER, ProfileWait, kind),      AT (RANK, ProfileWait, rank),
        AT (RANK, ProfileWait, cause),       AT (TEXT, ProfileWait, call),
        AT (TEXT, ProfileWait, place),       AT (TEXT, ProfileWait, cause_place),
        AT (COUNT, ProfileWait, n),          AT (SECONDS, ProfileWait, seconds),
        AT (MAYBE, ProfileWait, file),       AT (NUMBER, ProfileWait, line),
        AT (MAYBE, ProfileWait, cause_file), AT (NUMBER, ProfileWait, cause_line),
        AT (TIME, ProfileWait, begin_us),    AT (TIME, ProfileWait, end_us) };
static const Field traffic_fields[] = { AT (RANK, ProfileTraffic, from),
                                        AT (RANK, ProfileTraffic, to),
                                        AT (COUNT, ProfileTraffic, n),
                                        AT (COUNT, ProfileTraffic, bytes) };
static const Field file_use_fields[]
    = { AT (RANK, ProfileFileUse, rank),       AT (NEEDED, ProfileFileUse, path),
        AT (COUNT, ProfileFileUse, n_opened),  AT (COUNT, ProfileFileUse, n_closed),
        AT (COUNT, ProfileFileUse, n_reads),   AT (COUNT, ProfileFileUse, n_writes),
        AT (COUNT, ProfileFileUse, n_syncs),   AT (COUNT, ProfileFileUse, read),
        AT (COUNT, ProfileFileUse, written),   AT (SECONDS, ProfileFileUse, read_s),
        AT (SECONDS, ProfileFileUse, write_s), AT (SECONDS, ProfileFileUse, sync_s) };
static const Field lock_wait_fields[]
    = { AT (RANK, ProfileLockWait, rank),        AT (NUMBER, ProfileLockWait, thread),
        AT (NUMBER, ProfileLockWait, owner),     AT (NEEDED, ProfileLockWait, call),
        AT (NEEDED, ProfileLockWait, place),     AT (NEEDED, ProfileLockWait, owner_place),
        AT (COUNT, ProfileLockWait, n),          AT (SECONDS, ProfileLockWait, seconds),
        AT (SECONDS, ProfileLockWait, longest_s) };
static const Field allocation_fields[]
    = { AT (RANK, ProfileAllocation, rank),         AT (NEEDED, ProfileAllocation, place),
        AT (COUNT, ProfileAllocation, n_samples),   AT (COUNT, ProfileAllocation, allocated),
        AT (COUNT, ProfileAllocation, held_middle), AT (COUNT, ProfileAllocation, held_end),
        AT (MAYBE, ProfileAllocation, code),        AT (MAYBE, ProfileAllocation, callers) };
static const Field loss_fields[] = { AT (RANK, ProfileLoss, rank),
                                     AT (RANK, ProfileLoss, thread),
                                     AT (COUNT, ProfileLoss, n_events),
                                     AT (NUMBER, ProfileLoss, kept),
                                     AT (TIME, ProfileLoss, edge_us) };
static const Field delay_fields[]
    = { AT (RANK, ProfileDelay, rank),       AT (NUMBER, ProfileDelay, is_mpi),
        AT (TEXT, ProfileDelay, function),   AT (TEXT, ProfileDelay, file),
        AT (NUMBER, ProfileDelay, line),     AT (SECONDS, ProfileDelay, seconds),
        AT (SECONDS, ProfileDelay, passed_s) };
static const Field path_part_fields[]
    = { AT (RANK, ProfilePathPart, rank),      AT (NUMBER, ProfilePathPart, is_mpi),
        AT (TEXT, ProfilePathPart, function),  AT (TEXT, ProfilePathPart, file),
        AT (NUMBER, ProfilePathPart, line),    AT (SECONDS, ProfilePathPart, seconds),
        AT (SECONDS, ProfilePathPart, rank_s), AT (SECONDS, ProfilePathPart, mean_s) };
static const Field parameter_fields[] = { AT (RANK, ProfileParameter, rank),
                                          AT (TEXT, ProfileParameter, name),
                                          AT (TEXT, ProfileParameter, value),
                                          AT (COUNT, ProfileParameter, n),
                                          AT (TIME, ProfileParameter, first_us) };
static const Field message_sum_fields[]
    = { AT (NUMBER, ProfileMessageSum, kind),    AT (COUNT, ProfileMessageSum, value),
        AT (MAYBE, ProfileMessageSum, name),     AT (COUNT, ProfileMessageSum, n),
        AT (COUNT, ProfileMessageSum, bytes),    AT (COUNT, ProfileMessageSum, n_received),
        AT (SECONDS, ProfileMessageSum, seconds) };
static const Field own_metric_fields[]
    = { AT (RANK, ProfileOwnMetric, rank),  AT (TEXT, ProfileOwnMetric, name),
        AT (TEXT, ProfileOwnMetric, unit),  AT (COUNT, ProfileOwnMetric, n),
        AT (REAL, ProfileOwnMetric, least), AT (REAL, ProfileOwnMetric, most),
        AT (REAL, ProfileOwnMetric, sum),   AT (REAL, ProfileOwnMetric, last) };
static const Field point_fields[] = { AT (TIME, ProfilePoint, time_us),
                                      AT (REAL, ProfilePoint, value) };
static const Field message_fields[]
    = { AT (RANK, ProfileMessage, from),    AT (RANK, ProfileMessage, to),
        AT (NUMBER, ProfileMessage, tag),   AT (COUNT, ProfileMessage, bytes),
        AT (TIME, ProfileMessage, sent_us), AT (TIME, ProfileMessage, received_us) };
static const Field member_fields[] = { AT (RANK, ProfileMember, rank),
                                       AT (TIME, ProfileMember, begin_us),
                                       AT (TIME, ProfileMember, end_us) };

typedef void (*Add) (ProfileModel *model, gconstpointer row);

/* Records of one row each. */
static const struct {
    const Field *fields;
    gsize n_fields, size;
    Add add;
} records[] = {
#define RECORD(name, Type)                                                                     \
    {                                                                                          \
        name##_fields, G_N_ELEMENTS (name##_fields), sizeof (Type),                            \
            (Add) profile_model_add_##name                                                     \
    }
    [WAIT] = RECORD (wait, ProfileWait),
    [TRAFFIC] = RECORD (traffic, ProfileTraffic),
    [FILE_USE] = RECORD (file_use, ProfileFileUse),
    [LOCK_WAIT] = RECORD (lock_wait, ProfileLockWait),
    [ALLOCATION] = RECORD (allocation, ProfileAllocation),
    [LOSS] = RECORD (loss, ProfileLoss),
    [DELAY] = RECORD (delay, ProfileDelay),
    [PATH_PART] = RECORD (path_part, ProfilePathPart),
    [PARAMETER] = RECORD (parameter, ProfileParameter),
    [MESSAGE_SUM] = RECORD (message_sum, ProfileMessageSum),
#undef RECORD
};

/* ---- writing ---- */

static void
put_fields (GByteArray *block, const Field *fields, gsize n, gconstpointer row)
{
    for (gsize i = 0; i < n; i++) {
        const void *at = (const char *) row + fields[i].offset;

        switch (fields[i].kind) {
        case RANK:
        case NUMBER: base_bytes_put_uleb (block, *(const guint32 *) at); break;
        case COUNT:
        case TIME: base_bytes_put_uleb (block, *(const guint64 *) at); break;
        case SECONDS:
            base_bytes_put_uleb (block, (guint64) (*(const double *) at * 1e9 + 0.5));
            break;
        case REAL: g_byte_array_append (block, at, sizeof (double)); break;
        default: profile_spool_put_text (block, *(char *const *) at);
        }
    }
}

static void
put_row (ProfileSpool *spool, guint kind, gconstpointer row)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    put_fields (block, records[kind].fields, records[kind].n_fields, row);
    profile_spool_put_record (spool, kind, block->data, block->len);
}

#define PUT(name, Type, kind)                                                                  \
    void profile_spool_put_##name (ProfileSpool *spool, const Type *row)                       \
    {                                                                                          \
        put_row (spool, kind, row);                                                            \
    }
PUT (wait, ProfileWait, WAIT)
PUT (traffic, ProfileTraffic, TRAFFIC)
PUT (file_use, ProfileFileUse, FILE_USE)
PUT (lock_wait, ProfileLockWait, LOCK_WAIT)
PUT (allocation, ProfileAllocation, ALLOCATION)
PUT (loss, ProfileLoss, LOSS)
PUT (delay, ProfileDelay, DELAY)
PUT (path_part, ProfilePathPart, PATH_PART)
PUT (parameter, ProfileParameter, PARAMETER)
PUT (message_sum, ProfileMessageSum, MESSAGE_SUM)

void
profile_spool_put_counts (ProfileSpool *spool, guint32 rank, const GArray *counts)
{
    guint32 first = 0, end;

    do { /* without any, too: the rank was traced */
        g_autoptr (GByteArray) block = g_byte_array_new ();

        end = MIN (counts->len, first + COUNTS_AT_ONCE);

        base_bytes_put_uleb (block, rank);
        base_bytes_put_uleb (block, first);
        for (guint32 number = first; number < end; number++) {
            const ProfileCount *count = &g_array_index (counts, ProfileCount, number);

            base_bytes_put_uleb (block, count->class);
            base_bytes_put_uleb (block, count->n_calls);
            base_bytes_put_uleb (block, (guint64) (count->self_s * 1e9 + 0.5));
        }
        profile_spool_put_record (spool, COUNTS, block->data, block->len);
        first = end;
    } while (first < counts->len);
}

void
profile_spool_put_own_metric (ProfileSpool *spool, const ProfileOwnMetric *metric)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    put_fields (block, own_metric_fields, G_N_ELEMENTS (own_metric_fields), metric);
    for (guint i = 0; i < metric->points->len; i++) {
        put_fields (block, point_fields, G_N_ELEMENTS (point_fields),
                    &g_array_index (metric->points, ProfilePoint, i));
    }
    profile_spool_put_record (spool, OWN_METRIC, block->data, block->len);
}

void
profile_spool_put_messages (ProfileSpool *spool, const GArray *messages)
{
    for (guint first = 0; first < messages->len; first += MESSAGES_AT_ONCE) {
        g_autoptr (GByteArray) block = g_byte_array_new ();

        for (guint i = first; i < MIN (first + MESSAGES_AT_ONCE, messages->len); i++) {
            put_fields (block, message_fields, G_N_ELEMENTS (message_fields),
                        &g_array_index (messages, ProfileMessage, i));
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
        put_fields (block, member_fields, G_N_ELEMENTS (member_fields),
                    &g_array_index (members, ProfileMember, i));
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

/* ---- reading ---- */

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

/* FALSE: the block has failed, or there can be no such field. */
static gboolean
take_field (BaseCursor *block, Kind kind, gpointer at)
{
    guint64 number = kind < REAL ? base_cursor_read_uleb (block) : 0;
    char **text = at;

    switch (kind) {
    case RANK:
        *(guint32 *) at = (guint32) number;
        return number < G_MAXUINT32 && !block->failed;
    case NUMBER: *(guint32 *) at = (guint32) MIN (number, G_MAXUINT32); break;
    case COUNT: *(guint64 *) at = number; break;
    case TIME:
        *(gint64 *) at = (gint64) number;
        return profile_spool_is_time ((gint64) number) && !block->failed;
    case SECONDS: *(double *) at = (double) number / 1e9; break;
    case REAL: *(double *) at = take_real (block); break;
    default: *text = profile_spool_take_text (block);
    }
    if (kind == TEXT && *text == NULL) {
        *text = g_strdup ("");
    }
    return !block->failed && (kind != NEEDED || *text != NULL);
}

/* row: cleared; its texts are the caller's. */
static gboolean
take_fields (BaseCursor *block, const Field *fields, gsize n, gpointer row)
{
    return BASE_ALL (i, n, take_field (block, fields[i].kind, (char *) row + fields[i].offset));
}

static void
free_texts (const Field *fields, gsize n, gpointer row)
{
    for (gsize i = 0; i < n; i++) {
        if (fields[i].kind >= TEXT) {
            g_free (*(char **) ((char *) row + fields[i].offset));
        }
    }
}

/* Of a kind that this pddt does not know: of a newer one. */
static gboolean
is_unknown (guint64 kind, gconstpointer row)
{
    return (kind == WAIT && ((const ProfileWait *) row)->kind >= PROFILE_N_WAITS)
           || (kind == MESSAGE_SUM
               && ((const ProfileMessageSum *) row)->kind >= PROFILE_N_SUMS);
}

static gboolean
take_row (ProfileModel *model, guint64 kind, BaseCursor *block)
{
    const Field *fields = records[kind].fields;
    g_autofree gpointer row = g_malloc0 (records[kind].size);
    gboolean is_good = take_fields (block, fields, records[kind].n_fields, row)
                       && (kind != LOSS || ((const ProfileLoss *) row)->kept < PROFILE_N_KEPT);

    if (is_good && !is_unknown (kind, row)) {
        records[kind].add (model, row);
    }
    free_texts (fields, records[kind].n_fields, row);
    return is_good;
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
take_messages (ProfileModel *model, BaseCursor *block)
{
    while (!block->failed && base_cursor_get_left (block) > 0) {
        ProfileMessage message = { 0 };

        if (!take_fields (block, message_fields, G_N_ELEMENTS (message_fields), &message)) {
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
        ProfileMember member = { 0 };

        if (!take_fields (block, member_fields, G_N_ELEMENTS (member_fields), &member)) {
            return FALSE;
        }
        g_array_append_val (members, member);
    }
    if (!block->failed) {
        profile_model_add_collective (model, name != NULL ? name : "", members);
    }
    return !block->failed;
}

static gboolean
take_own_metric (ProfileModel *model, BaseCursor *block)
{
    g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (ProfilePoint));
    ProfileOwnMetric metric = { .points = points };
    gboolean is_good = take_fields (block, own_metric_fields, G_N_ELEMENTS (own_metric_fields),
                                    &metric);

    while (is_good && base_cursor_get_left (block) > 0) {
        ProfilePoint point = { 0 };

        is_good = take_fields (block, point_fields, G_N_ELEMENTS (point_fields), &point);
        g_array_append_val (points, point);
    }
    if (is_good) {
        profile_model_add_own_metric (model, &metric);
    }
    free_texts (own_metric_fields, G_N_ELEMENTS (own_metric_fields), &metric);
    return is_good;
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
    case MESSAGES: return take_messages (model, block);
    case COLLECTIVE: return take_collective (model, block);
    case N_MESSAGES: return take_n_messages (model, block);
    case OWN_METRIC: return take_own_metric (model, block);
    default: /* else of a newer one */
        return kind >= G_N_ELEMENTS (records) || records[kind].add == NULL
               || take_row (model, kind, block);
    }
}
