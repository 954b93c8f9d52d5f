/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A batch is a block of bytes: the number of its first context, their count, each one (a text that
 * was there before is its number), the samples as differences, what was dropped, and metrics if there are
 * any, as differences too. */
#include "job/sample.h"
#include "job/wire-private.h"

#define MAX_CONTEXTS (1u << 24)

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
    };

    return (guint) class < JOB_N_CLASSES ? names[class] : "";
}

/* ---- writing ---- */

static void
put_text (GByteArray *block, GHashTable *seen, const char *text)
{
    gpointer number = text != NULL ? g_hash_table_lookup (seen, text) : NULL;

    if (text == NULL || number != NULL) {
        base_bytes_put_uleb (block, GPOINTER_TO_UINT (number));
        return;
    }
    number = GUINT_TO_POINTER (g_hash_table_size (seen) + 1);
    g_hash_table_insert (seen, (gpointer) text, number);
    base_bytes_put_uleb (block, GPOINTER_TO_UINT (number));
    job_wire_write_text (block, text);
}

static void
put_context (GByteArray *block, GHashTable *seen, const JobContext *context)
{
    base_bytes_put_uleb (block, context->parent);
    base_bytes_put_uleb (block, context->flags);
    put_text (block, seen, context->location.function);
    put_text (block, seen, context->location.file);
    put_text (block, seen, context->location.module);
    base_bytes_put_uleb (block, context->location.line);
    base_bytes_put_uleb (block, context->location.offset);
    base_bytes_put_uleb (block, (guint) context->location.language);
}

GBytes *
job_sample_batch_encode (const JobContextTree *tree, guint32 first, const GArray *samples,
                         guint64 n_dropped)
{
    return job_sample_batch_encode_all (tree, first, samples, n_dropped, NULL);
}

GBytes *
job_sample_batch_encode_all (const JobContextTree *tree, guint32 first, const GArray *samples,
                             guint64 n_dropped, const GArray *metrics)
{
    g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
    GByteArray *block = g_byte_array_new ();
    guint32 count = job_context_tree_get_count (tree);
    gint64 before_us = 0;

    base_bytes_put_uleb (block, first);
    base_bytes_put_uleb (block, count + 1 - first);
    for (guint32 number = first; number <= count; number++) {
        put_context (block, seen, job_context_tree_get (tree, number));
    }
    base_bytes_put_uleb (block, samples->len);
    for (guint i = 0; i < samples->len; i++) {
        const JobSample *sample = &g_array_index (samples, JobSample, i);

        base_bytes_put_uleb (block, (guint64) (sample->time_us - before_us));
        base_bytes_put_uleb (block, sample->weight_us);
        base_bytes_put_uleb (block, sample->context);
        base_bytes_put_uleb (block, sample->thread);
        base_bytes_put_uleb (block, (guint) sample->class << 1 | (sample->is_blocked ? 1 : 0));
        before_us = sample->time_us;
    }
    base_bytes_put_uleb (block, n_dropped);
    if (metrics != NULL && metrics->len > 0) {
        job_metrics_write (block, metrics);
    }
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

/* Borrowed of the texts; NULL also when it failed. */
static char *
take_text (JobWire *wire, BaseCursor *block, GPtrArray *texts)
{
    guint32 number = job_wire_read_number (wire, block);

    if (number == texts->len + 1) {
        char *text = job_wire_read_name (wire, block);

        wire->failed |= text == NULL;
        g_ptr_array_add (texts, text);
    }
    wire->failed |= number > texts->len;
    return number == 0 || wire->failed ? NULL : g_ptr_array_index (texts, number - 1);
}

/* Its number must be the next one: contexts that are there twice are none of ours. */
static void
take_context (JobWire *wire, BaseCursor *block, GPtrArray *texts, JobContextTree *tree)
{
    guint32 next = job_context_tree_get_count (tree) + 1;
    guint32 parent = job_wire_read_number (wire, block);
    guint32 flags = job_wire_read_number (wire, block);
    JobLocation location = { 0 };
    guint32 language;

    location.function = take_text (wire, block, texts);
    location.file = take_text (wire, block, texts);
    location.module = take_text (wire, block, texts);
    location.line = job_wire_read_number (wire, block);
    location.offset = base_cursor_read_uleb (block);
    language = job_wire_read_number (wire, block);
    location.language = language <= JOB_LANGUAGE_ASSEMBLER ? language : JOB_LANGUAGE_UNKNOWN;
    wire->failed |= block->failed || parent >= next
                    || !job_wire_spend (wire, sizeof (JobContext) * 4);
    wire->failed = wire->failed
                   || job_context_tree_add (tree, parent, &location, flags) != next;
}

static void
take_sample (JobWire *wire, BaseCursor *block, guint32 n_contexts, gint64 *time_us,
             GArray *samples)
{
    JobSample sample = { 0 };
    guint64 later_us;
    guint32 kind;

    later_us = base_cursor_read_uleb (block);
    wire->failed |= later_us > (guint64) (G_MAXINT64 - *time_us);
    *time_us += wire->failed ? 0 : (gint64) later_us;
    sample.time_us = *time_us;
    sample.weight_us = job_wire_read_number (wire, block);
    sample.context = job_wire_read_number (wire, block);
    sample.thread = job_wire_read_number (wire, block);
    kind = job_wire_read_number (wire, block);
    sample.class = (guint8) (kind >> 1);
    sample.is_blocked = kind & 1;
    wire->failed |= block->failed || sample.context > n_contexts || kind >> 1 >= JOB_N_CLASSES
                    || sample.thread == 0 || !job_wire_spend (wire, sizeof sample);
    if (!wire->failed) {
        g_array_append_val (samples, sample);
    }
}

gboolean
job_sample_batch_decode (GBytes *batch, JobContextTree *tree, GArray *samples,
                         guint64 *ret_n_dropped, GError **error)
{
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));

    return job_sample_batch_decode_all (batch, tree, samples, ret_n_dropped, metrics, error);
}

gboolean
job_sample_batch_decode_all (GBytes *batch, JobContextTree *tree, GArray *samples,
                             guint64 *ret_n_dropped, GArray *metrics, GError **error)
{
    g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
    JobWire wire = { G_MAXUINT32, JOB_EVENT_MAX_BYTES, FALSE };
    gsize size;
    const guint8 *data = g_bytes_get_data (batch, &size);
    BaseCursor block = BASE_CURSOR_INIT (data, size);
    guint32 first = job_wire_read_number (&wire, &block);
    guint32 n = job_wire_read_number (&wire, &block);
    gint64 time_us = 0;

    wire.failed |= first != job_context_tree_get_count (tree) + 1 || n > MAX_CONTEXTS;
    for (guint32 i = 0; i < n && !wire.failed; i++) {
        take_context (&wire, &block, texts, tree);
    }
    n = job_wire_read_number (&wire, &block);
    for (guint32 i = 0; i < n && !wire.failed; i++) {
        take_sample (&wire, &block, job_context_tree_get_count (tree), &time_us, samples);
    }
    *ret_n_dropped = base_cursor_read_uleb (&block);
    if (!wire.failed && !block.failed && base_cursor_get_left (&block) > 0) {
        wire.failed = !job_metrics_read (&block,
                                         (guint) MIN (wire.left / sizeof (JobMetrics),
                                                      G_MAXUINT32),
                                         metrics);
    }
    if (wire.failed || block.failed || base_cursor_get_left (&block) != 0) {
        return job_wire_fail (error, "a batch of samples");
    }
    return TRUE;
}
