/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the memory that a run reads, so that a watchpoint knows which bytes to watch. */
#include <glib/gi18n.h>
#include "evaluate/program-private.h"

typedef struct {
    BaseMemoryReader reader; /* first: a reader is its own memory */
    BaseMemoryReader *memory;
    GArray *ranges;
} Recorder;

static void
note_range (GArray *ranges, guint64 address, guint64 size)
{
    EvaluateRange range = { address, size };

    BASE_EACH_ROW (ranges, const EvaluateRange, known) {
        if (address >= known->address && address + size <= known->address + known->size)
            return;
    }
    g_array_append_val (ranges, range);
}

static void
read_recorded (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    Recorder *recorder = (Recorder *) reader;

    recorder->memory->read (recorder->memory, items, n_items);
    for (guint i = 0; i < n_items; i++)
        if (items[i].size > 0)
            note_range (recorder->ranges, items[i].address, items[i].size);
}

static guint64
find_size (EvaluateRun *run, const EvaluateType *type, guint depth)
{
    guint64 count, size;

    if (type->kind != EVALUATE_TYPE_ARRAY || depth > 8)
        return type->size;
    count = evaluate_run_find_count (run, type);
    size = find_size (run, evaluate_run_get_type (run, type->target), depth + 1);
    return size > 0 && count <= G_MAXUINT32 / size ? count * size : 0;
}

/* Of a bit-field only its own bits: a neighbour's change is none of it. */
static void
keep_bits (GByteArray *bytes, guint first, guint count)
{
    for (guint i = 0; i < bytes->len * 8; i++)
        if (i < first || i >= first + count)
            bytes->data[i / 8] &= (guint8) ~(1u << (i % 8));
}

/* The bytes of the value, not of what it points to. */
static GBytes *
take_bytes (EvaluateRun *run, EvaluateValue *value, GError **error)
{
    guint64 size = find_size (run, evaluate_run_get_type (run, value->type), 0);

    if (value->bit_size > 0)
        size = (value->bit_offset + value->bit_size + 7) / 8;
    if (!value->problem && size > 0 && evaluate_value_fetch (run, value, size)
        && value->bytes) {
        g_byte_array_set_size (value->bytes, MIN (size, value->bytes->len));
        if (value->bit_size > 0)
            keep_bits (value->bytes, value->bit_offset, value->bit_size);
        return g_bytes_new (value->bytes->data, value->bytes->len);
    }
    evaluate_run_fail (run, value->problem ? value->problem : N_ ("its size is not known"),
                       error);
    return NULL;
}

GBytes *
evaluate_program_trace (const EvaluateProgram *program, const EvaluateContext *context,
                        GArray *ranges, guint *ret_used, GError **error)
{
    static const EvaluateLimits limits = EVALUATE_LIMITS_DEFAULT;
    Recorder recorder = { { read_recorded, NULL }, context->memory, ranges };
    EvaluateContext recorded = *context;
    g_auto (EvaluateRun) run = { program, &recorded, &limits, 0 };
    EvaluateValue value = { 0 };
    GBytes *bytes = NULL;
    guint used = 0;

    recorded.memory = &recorder.reader;
    recorded.used = &used;
    if (evaluate_run_code (&run, program->code, program->code_size, &value, error)) {
        bytes = take_bytes (&run, &value, error);
        evaluate_value_clear (&value);
    }
    *ret_used = used;
    return bytes;
}
