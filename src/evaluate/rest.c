/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashes the part of a value that its text leaves out, so that values of many ranks can be
 * compared completely without sending them. */
#include <string.h>

#include "base/hash.h"
#include "evaluate/program-private.h"

#define CHUNK_BYTES (1u << 20)
#define PAGE_BYTES 4096u
/* A formatted value takes as long as reading so many bytes; more values take longer than a turn. */
#define VALUE_BYTES 4096u
#define MAX_VALUES 50000u
enum {
    MIN_DEPTH = 3
}; /* of values that are formatted, so that each comes some levels further in */

void
evaluate_rest_note (EvaluateRun *run, guint64 hash)
{
    run->rest = base_hash_word (run->rest, hash);
    if (run->rest == 0)
        run->rest = 1; /* 0: nothing is left out */
}

gboolean
evaluate_rest_spend (EvaluateRun *run, guint64 size)
{
    guint64 left = run->limits->compared - MIN (run->spent, run->limits->compared);

    if (run->limits->compared == 0)
        return FALSE;
    if (size > left) {
        run->is_partial = TRUE;
        return FALSE;
    }
    run->spent += size;
    return TRUE;
}

void
evaluate_rest_note_value (EvaluateRun *run, EvaluateValue *value)
{
    EvaluateLimits limits = *run->limits;
    const EvaluateLimits *before = run->limits;
    JobValue *shown;

    if (run->limits->compared == 0)
        return;
    if (run->depth > EVALUATE_MAX_NESTING || run->n_compared == MAX_VALUES) {
        run->is_partial = TRUE;
        return;
    }
    if (!evaluate_rest_spend (run, VALUE_BYTES))
        return;
    run->n_compared++;
    limits.depth = MAX (limits.depth, MIN_DEPTH);
    run->limits = &limits;
    run->depth++;
    shown = evaluate_run_format (run, NULL, value, 1);
    run->depth--;
    run->limits = before;
    evaluate_rest_note (run, base_hash_bytes (shown->is_problem, (const guint8 *) shown->text,
                                              strlen (shown->text)));
    job_value_free (shown);
}

gboolean
evaluate_rest_read (EvaluateRun *run, guint64 address, guint64 size, guint64 *hash)
{
    g_autofree guint8 *chunk = g_malloc (MIN (size, CHUNK_BYTES) + 1);

    while (size > 0) {
        gsize part = MIN (size, CHUNK_BYTES);

        if (base_memory_read_some (run->context->memory, address, chunk, part) != part)
            return FALSE;
        *hash = base_hash_bytes (*hash, chunk, part);
        address += part;
        size -= part;
    }
    return TRUE;
}

void
evaluate_rest_note_text (EvaluateRun *run, guint64 address, guint64 size, guint width)
{
    static const guint8 zero[4];
    guint8 page[PAGE_BYTES];
    guint64 limit = run->limits->compared - MIN (run->spent, run->limits->compared);
    guint64 hash = width, end = address + MIN (size, limit);
    gboolean is_over = run->limits->compared == 0 || end < address;

    while (!is_over && address < end) {
        /* up to the end of a page: behind it nothing may be */
        gsize part = MIN (PAGE_BYTES - address % PAGE_BYTES, end - address), used = 0;
        gsize done = base_memory_read_some (run->context->memory, address, page, part);

        while (used + width <= done && memcmp (page + used, zero, width) != 0)
            used += width;
        is_over = used + width <= done || done < part || used == 0;
        hash = base_hash_bytes (hash, page, used);
        address += used;
        run->spent += used;
    }
    if (run->limits->compared > 0) {
        run->is_partial |= !is_over && size > limit;
        evaluate_rest_note (run, hash);
    }
}

void
evaluate_rest_note_memory (EvaluateRun *run, guint64 address, guint64 size)
{
    guint64 hash = size;

    if (!evaluate_rest_spend (run, size))
        return;
    run->is_partial |= !evaluate_rest_read (run, address, size, &hash);
    evaluate_rest_note (run, hash);
}

static void
note_at (EvaluateRun *run, guint32 type, guint64 address)
{
    EvaluateValue part = { .type = type, .place = EVALUATE_PLACE_MEMORY, .address = address };

    evaluate_rest_note_value (run, &part);
    evaluate_value_clear (&part);
}

void
evaluate_rest_note_elements (EvaluateRun *run, const EvaluateType *type, guint64 address,
                             guint first)
{
    EvaluateValue value = { .type = (guint32) (type - run->program->types),
                            .place = EVALUATE_PLACE_MEMORY,
                            .address = address };
    g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint64));

    if (evaluate_elements_note_rest (run, &value))
        return;
    run->is_partial |= !evaluate_view_list_places (run, &value, MAX_VALUES + 1, places)
                       || places->len > MAX_VALUES;
    for (guint i = first; i < places->len && !run->is_partial; i++) {
        guint64 place = g_array_index (places, guint64, i);

        if (evaluate_view_is_map (type)) {
            note_at (run, type->view_types[0], place + type->view_numbers[3]);
            note_at (run, type->view_types[1], place + type->view_numbers[4]);
        } else {
            note_at (run, type->view_types[0], place);
        }
    }
}
