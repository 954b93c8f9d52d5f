/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of ranks as bytes: the smallest of three forms, and their careful reading. All numbers
 * are ULEB128. A gap counts from the end of what came before; a bitmap begins at its `first`. */
#include "base/array.h"
#include "base/cursor.h"
#include "base/error.h"
#include "job/rank-set-private.h"

#define RANGE(set, i) g_array_index ((set)->ranges, JobRankRange, (i))

#define SET_BYTES 64 /* of an empty set, with what its memory costs */

enum { KIND_RANGES, KIND_STRIDED, KIND_BITMAP };

static void
put_kind (GByteArray *bytes, guint8 kind)
{
    g_byte_array_append (bytes, &kind, 1);
}

static void
encode_ranges (const JobRankSet *set, GByteArray *bytes)
{
    guint32 end = 0;

    put_kind (bytes, KIND_RANGES);
    base_bytes_put_uleb (bytes, set->ranges->len);
    for (guint i = 0; i < set->ranges->len; i++) {
        JobRankRange range = RANGE (set, i);

        base_bytes_put_uleb (bytes, range.first - end);
        base_bytes_put_uleb (bytes, range.end - range.first - 1);
        end = range.end;
    }
}

/* How many ranges from i on have the same length and distance. */
static guint
count_equal (const JobRankSet *set, guint i)
{
    guint32 length = RANGE (set, i).end - RANGE (set, i).first;
    guint count = 1;

    while (i + count < set->ranges->len) {
        JobRankRange range = RANGE (set, i + count);

        if (range.end - range.first != length
            || range.first - RANGE (set, i + count - 1).first
                   != RANGE (set, i + 1).first - RANGE (set, i).first) {
            break;
        }
        count++;
    }
    return count;
}

static void
encode_strided (const JobRankSet *set, GByteArray *bytes)
{
    g_autoptr (GByteArray) groups = g_byte_array_new ();
    guint n_groups = 0;
    guint32 end = 0;
    guint i = 0;

    while (i < set->ranges->len) {
        JobRankRange range = RANGE (set, i);
        guint count = count_equal (set, i);

        base_bytes_put_uleb (groups, range.first - end);
        base_bytes_put_uleb (groups, range.end - range.first - 1);
        base_bytes_put_uleb (groups, count - 1);
        base_bytes_put_uleb (groups, count > 1 ? RANGE (set, i + 1).first - range.first : 0);
        i += count;
        end = RANGE (set, i - 1).end;
        n_groups++;
    }
    put_kind (bytes, KIND_STRIDED);
    base_bytes_put_uleb (bytes, n_groups);
    g_byte_array_append (bytes, groups->data, groups->len);
}

static void
encode_bitmap (const JobRankSet *set, GByteArray *bytes)
{
    guint32 first = job_rank_set_get_lowest (set);
    guint start;

    put_kind (bytes, KIND_BITMAP);
    base_bytes_put_uleb (bytes, first);
    start = bytes->len;
    JOB_EACH_RANK (set, rank) {
        guint at = start + (rank - first) / 8;

        while (bytes->len <= at) {
            g_byte_array_append (bytes, (const guint8 *) "", 1);
        }
        bytes->data[at] |= (guint8) (1u << ((rank - first) % 8));
    }
}

void
job_rank_set_encode (const JobRankSet *set, GByteArray *bytes)
{
    g_autoptr (GByteArray) best = g_byte_array_new ();

    encode_ranges (set, best);
    if (set->ranges->len > 1) {
        g_autoptr (GByteArray) strided = g_byte_array_new ();
        guint32 span = RANGE (set, set->ranges->len - 1).end - RANGE (set, 0).first;

        encode_strided (set, strided);
        if (strided->len < best->len) {
            g_byte_array_set_size (best, 0);
            g_byte_array_append (best, strided->data, strided->len);
        }
        if (span / 8 + 6 < best->len) {
            g_byte_array_set_size (best, 0);
            encode_bitmap (set, best);
        }
    }
    g_byte_array_append (bytes, best->data, best->len);
}

/* A set that is being read: members are below the limit, ranges no more than max. */
typedef struct {
    JobRankSet *set;
    guint32 limit;
    guint64 max, end;
} Reading;

/* Adds what lies `gap` after the end. FALSE when it is not normal or too much. */
static gboolean
take_range (Reading *reading, guint64 gap, guint64 length)
{
    GArray *ranges = reading->set->ranges;

    if ((gap == 0 && ranges->len > 0) || gap > reading->limit || length == 0
        || length > reading->limit || reading->end + gap + length > reading->limit
        || ranges->len >= reading->max) {
        return FALSE;
    }
    job_rank_set_append (reading->set, (guint32) (reading->end + gap),
                         (guint32) (reading->end + gap + length));
    reading->end += gap + length;
    return TRUE;
}

static gboolean
decode_ranges (BaseCursor *cursor, Reading *reading)
{
    guint64 count = base_cursor_read_uleb (cursor);

    for (guint64 i = 0; i < count && !cursor->failed; i++) {
        guint64 gap = base_cursor_read_uleb (cursor);
        guint64 more = base_cursor_read_uleb (cursor);

        if (cursor->failed || more >= reading->limit || !take_range (reading, gap, more + 1)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
decode_strided (BaseCursor *cursor, Reading *reading)
{
    guint64 n_groups = base_cursor_read_uleb (cursor);

    for (guint64 i = 0; i < n_groups && !cursor->failed; i++) {
        guint64 gap = base_cursor_read_uleb (cursor);
        guint64 more = base_cursor_read_uleb (cursor);
        guint64 repeats = base_cursor_read_uleb (cursor);
        guint64 period = base_cursor_read_uleb (cursor);

        if (cursor->failed || more >= reading->limit || repeats >= reading->max
            || !take_range (reading, gap, more + 1)) {
            return FALSE;
        }
        if (repeats > 0 && period <= more + 1) {
            return FALSE;
        }
        if (BASE_ANY (k, repeats, !take_range (reading, period - more - 1, more + 1))) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
decode_bitmap (BaseCursor *cursor, Reading *reading)
{
    guint64 first = base_cursor_read_uleb (cursor);
    gsize size = base_cursor_get_left (cursor);
    const guint8 *bits = base_cursor_read_bytes (cursor, size);

    for (gsize i = 0; bits != NULL && i < size * 8; i++) {
        if ((bits[i / 8] >> (i % 8)) & 1) {
            if (first >= reading->limit || i >= reading->limit - first
                || reading->set->ranges->len >= reading->max) {
                return FALSE;
            }
            job_rank_set_append (reading->set, (guint32) (first + i),
                                 (guint32) (first + i + 1));
        }
    }
    return TRUE;
}

JobRankSet *
job_rank_set_decode_within (const guint8 *data, gsize size, guint32 limit, guint64 *left_bytes,
                            GError **error)
{
    BaseCursor cursor = BASE_CURSOR_INIT (data, size);
    g_autoptr (JobRankSet) set = job_rank_set_new ();
    guint64 left = *left_bytes > SET_BYTES ? *left_bytes - SET_BYTES : 0;
    Reading reading = { set, limit, left / sizeof (JobRankRange), 0 };
    gboolean is_good;

    switch (base_cursor_read_u8 (&cursor)) {
    case KIND_RANGES: is_good = decode_ranges (&cursor, &reading); break;
    case KIND_STRIDED: is_good = decode_strided (&cursor, &reading); break;
    case KIND_BITMAP: is_good = decode_bitmap (&cursor, &reading); break;
    default: is_good = FALSE; break;
    }
    if (!is_good || cursor.failed || base_cursor_get_left (&cursor) > 0
        || *left_bytes < SET_BYTES) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot decode ranks: %" G_GSIZE_FORMAT " bytes contradict themselves",
                     size);
        return NULL;
    }
    *left_bytes = left - set->ranges->len * sizeof (JobRankRange);
    return g_steal_pointer (&set);
}

JobRankSet *
job_rank_set_decode (const guint8 *data, gsize size, guint32 limit, GError **error)
{
    guint64 left = JOB_RANK_SET_MAX_BYTES;

    return job_rank_set_decode_within (data, size, limit, &left, error);
}
