/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A batch is a block of bytes: the number of its first context, their count, each one (a text that
 * was there before is its number), the samples as differences (classes of those that are spread come after all of the
 * others), what was dropped, and if there are any, metrics as differences too, then counts, and then threads. */
#include "job/sample.h"
#include "job/wire-private.h"
#include "base/array.h"

#define MAX_TIME_US (G_MAXINT64 / 4) /* so that times and offsets can be added */
#define NO_COUNTS 0u                 /* instead of them; they begin with the number of kinds */

const char *
job_class_get_name (JobClass class)
{
    static const char *const names[JOB_N_CLASSES] = {
        [JOB_CLASS_NATIVE] = "native",
        [JOB_CLASS_PYTHON] = "Python",
        [JOB_CLASS_MPI] = "MPI",
        [JOB_CLASS_IO] = "I/O",
        [JOB_CLASS_NETWORK] = "network",
        [JOB_CLASS_LOCK] = "lock",
        [JOB_CLASS_WAIT] = "wait",
        [JOB_CLASS_OPENMP] = "OpenMP wait",
        [JOB_CLASS_ACCELERATOR] = "accelerator",
        [JOB_CLASS_GIL] = "Python lock",
        [JOB_CLASS_UNSAMPLED] = "not sampled",
        [JOB_CLASS_UNKNOWN] = "unknown",
    };

    return (guint) class < JOB_N_CLASSES ? names[class] : "";
}

/* ---- writing ---- */

GBytes *
job_sample_batch_encode (const JobContextTree *tree, guint32 first, const GArray *samples,
                         guint64 n_dropped)
{
    const JobSampleExtras none = { 0 };

    return job_sample_batch_encode_all (tree, first, samples, n_dropped, &none);
}

static void
put_extras (GByteArray *block, const JobSampleExtras *extras)
{
    g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    const GArray *metrics = extras->metrics != NULL ? extras->metrics : none;

    guint n_threads = extras->threads != NULL ? extras->threads->len : 0;

    if (metrics->len > 0 || extras->counts != NULL || n_threads > 0) {
        job_metrics_write (block, metrics);
    }
    if (extras->counts != NULL) {
        job_counts_write (block, extras->counted, extras->counts);
    } else if (n_threads > 0) {
        base_bytes_put_uleb (block, NO_COUNTS);
    }
    if (n_threads > 0) {
        base_bytes_put_uleb (block, n_threads);
    }
    for (guint i = 0; i < n_threads; i++) {
        const JobSampleThread *thread = &g_array_index (extras->threads, JobSampleThread, i);

        base_bytes_put_uleb (block, thread->number);
        base_bytes_put_uleb (block, (guint32) thread->tid);
    }
}

GBytes *
job_sample_batch_encode_all (const JobContextTree *tree, guint32 first, const GArray *samples,
                             guint64 n_dropped, const JobSampleExtras *extras)
{
    GByteArray *block = g_byte_array_new ();
    gint64 before_us = 0;

    job_wire_write_contexts (block, tree, first);
    base_bytes_put_uleb (block, samples->len);
    BASE_EACH_ROW (samples, const JobSample, sample) {
        base_bytes_put_uleb (block, (guint64) (sample->time_us - before_us));
        base_bytes_put_uleb (block, sample->weight_us);
        base_bytes_put_uleb (block, sample->context);
        base_bytes_put_uleb (block, sample->thread);
        base_bytes_put_uleb (block, (sample->class + (sample->is_spread ? JOB_N_CLASSES : 0u))
                                            << 1
                                        | (sample->is_blocked ? 1 : 0));
        before_us = sample->time_us;
    }
    base_bytes_put_uleb (block, n_dropped);
    put_extras (block, extras);
    return g_byte_array_free_to_bytes (block);
}

/* ---- reading ---- */

gboolean
job_sample_batch_is_empty (GBytes *batch)
{
    gsize size;
    const guint8 *data = g_bytes_get_data (batch, &size);
    BaseCursor block = BASE_CURSOR_INIT (data, size);

    base_cursor_read_uleb (&block);
    return base_cursor_read_uleb (&block) == 0 && base_cursor_read_uleb (&block) == 0;
}

static void
take_sample (JobWire *wire, BaseCursor *block, guint32 n_contexts, gint64 *time_us,
             GArray *samples)
{
    JobSample sample = { 0 };
    guint64 later_us;
    guint32 kind;

    later_us = base_cursor_read_uleb (block);
    wire->failed |= later_us > (guint64) (MAX_TIME_US - *time_us);
    *time_us += wire->failed ? 0 : (gint64) later_us;
    sample.time_us = *time_us;
    sample.weight_us = job_wire_read_number (wire, block);
    sample.context = job_wire_read_number (wire, block);
    sample.thread = job_wire_read_number (wire, block);
    kind = job_wire_read_number (wire, block);
    sample.class = (guint8) ((kind >> 1) % JOB_N_CLASSES);
    sample.is_blocked = kind & 1;
    sample.is_spread = kind >> 1 >= JOB_N_CLASSES;
    wire->failed |= block->failed || sample.context > n_contexts
                    || kind >> 1 >= 2 * JOB_N_CLASSES || sample.thread == 0
                    || !job_wire_spend (wire, sizeof sample);
    if (!wire->failed) {
        g_array_append_val (samples, sample);
    }
}

gboolean
job_sample_batch_decode (GBytes *batch, JobContextTree *tree, GArray *samples,
                         guint64 *ret_n_dropped, GError **error)
{
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    JobSampleExtras extras = { metrics, counts, 0 };
    gboolean has_counts;

    return job_sample_batch_decode_all (batch, tree, samples, ret_n_dropped, &extras,
                                        &has_counts, error);
}

static void
take_threads (JobWire *wire, BaseCursor *block, GArray *threads)
{
    guint32 n = job_wire_read_number (wire, block);

    for (guint32 i = 0; i < n && !wire->failed; i++) {
        guint32 number = job_wire_read_number (wire, block);
        guint32 tid = job_wire_read_number (wire, block);
        JobSampleThread thread = { number, (gint32) tid };

        wire->failed |= block->failed || number == 0 || tid == 0 || tid > G_MAXINT32
                        || !job_wire_spend (wire, sizeof thread);
        if (!wire->failed && threads != NULL) {
            g_array_append_val (threads, thread);
        }
    }
}

static void
take_extras (JobWire *wire, BaseCursor *block, guint32 n_contexts, JobSampleExtras *extras,
             gboolean *ret_has_counts)
{
    *ret_has_counts = FALSE;
    if (wire->failed || block->failed || base_cursor_get_left (block) == 0) {
        return;
    }
    wire->failed
        = !job_metrics_read (block, (guint) MIN (wire->left / sizeof (JobMetrics), G_MAXUINT32),
                             extras->metrics);
    if (wire->failed || base_cursor_get_left (block) == 0) {
        return;
    }
    if (block->data[block->offset] == NO_COUNTS) {
        base_cursor_read_uleb (block);
    } else {
        wire->failed = !job_counts_read (block,
                                         (guint) MIN (wire->left / sizeof (JobContextCounts),
                                                      G_MAXUINT32),
                                         n_contexts, &extras->counted, extras->counts);
        *ret_has_counts = !wire->failed;
    }
    if (!wire->failed && base_cursor_get_left (block) > 0) {
        take_threads (wire, block, extras->threads);
    }
}

gboolean
job_sample_batch_decode_all (GBytes *batch, JobContextTree *tree, GArray *samples,
                             guint64 *ret_n_dropped, JobSampleExtras *extras,
                             gboolean *ret_has_counts, GError **error)
{
    JobWire wire = { G_MAXUINT32, JOB_EVENT_MAX_BYTES, FALSE, FALSE };
    gsize size;
    const guint8 *data = g_bytes_get_data (batch, &size);
    BaseCursor block = BASE_CURSOR_INIT (data, size);
    gint64 time_us = 0;
    guint32 n;

    job_wire_read_contexts (&wire, &block, tree);
    n = job_wire_read_number (&wire, &block);
    for (guint32 i = 0; i < n && !wire.failed; i++) {
        take_sample (&wire, &block, job_context_tree_get_count (tree), &time_us, samples);
    }
    *ret_n_dropped = base_cursor_read_uleb (&block);
    take_extras (&wire, &block, job_context_tree_get_count (tree), extras, ret_has_counts);
    if (wire.failed || block.failed || base_cursor_get_left (&block) != 0) {
        return job_wire_fail (&wire, error, "a batch of samples");
    }
    return TRUE;
}
