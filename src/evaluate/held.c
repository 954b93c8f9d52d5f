/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Containers in registers, or of parts that the debug information has as numbers: what reads containers reads memory, so their bytes
 * stand in it for as long. */
#include <string.h>

#include "evaluate/program-private.h"

static gboolean
is_known (const GByteArray *gaps, guint64 byte)
{
    static const guint8 none[8];
    return byte < gaps->len / 8 && memcmp (gaps->data + byte * 8, none, 8) == 0;
}

static void
read_held (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    const EvaluateHold *hold = (const EvaluateHold *) (gpointer) reader;
    const GByteArray *bytes = hold->held->bytes, *gaps = hold->held->gaps;
    for (guint i = 0; i < n_items; i++) {
        guint64 at = items[i].address - EVALUATE_HELD_AT;
        if (items[i].address < EVALUATE_HELD_AT || at > bytes->len) {
            hold->memory->read (hold->memory, &items[i], 1);
            continue;
        }
        gsize n = 0, most = MIN (items[i].size, bytes->len - at);
        while (n < most && (!gaps || is_known (gaps, at + n)))
            n++;
        memcpy (items[i].data, bytes->data + at, n);
        items[i].done = n;
    }
}

gboolean
evaluate_hold_begin (EvaluateRun *run, EvaluateValue *value, EvaluateHold *hold)
{
    const EvaluateType *type = evaluate_run_get_type (run, value->type);
    *hold = (EvaluateHold){ .reader = { read_held, NULL },
                            .memory = run->context->memory,
                            .held = value,
                            .value = { .type = value->type,
                                       .place = EVALUATE_PLACE_MEMORY,
                                       .address = value->place == EVALUATE_PLACE_MEMORY
                                                      ? value->address
                                                      : EVALUATE_HELD_AT } };
    if (value->problem)
        return FALSE;
    if (value->place == EVALUATE_PLACE_MEMORY)
        return TRUE;
    if (!value->bytes
        && (value->place != EVALUATE_PLACE_REGISTER || type->size > EVALUATE_REGISTER_ROOM
            || !evaluate_value_fetch (run, value, type->size)))
        return FALSE;
    hold->before = run->context;
    hold->context = *run->context;
    hold->context.memory = &hold->reader;
    run->context = &hold->context;
    return TRUE;
}

void
evaluate_hold_end (EvaluateRun *run, EvaluateHold *hold)
{
    if (hold->before)
        run->context = hold->before;
}
