/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sampling/snapshot-private.h"
#include "machine/call.h"
#include <string.h>

static void
read_snapshot (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    EngineSamplingSnapshot *snapshot = (EngineSamplingSnapshot *) reader;
    BaseMemoryReader *live = engine_space_find_memory (snapshot->space);

    for (guint i = 0; i < n_items; i++) {
        guint64 within = items[i].address - snapshot->start;
        gsize copied = 0;

        if (items[i].address >= snapshot->start && within < snapshot->size) {
            copied = MIN (items[i].size, snapshot->size - within);
            memcpy (items[i].data, snapshot->bytes + within, copied);
        }
        items[i].done = copied;
        if (live != NULL && copied < items[i].size
            && (copied == 0 || snapshot->size == ENGINE_SAMPLING_COPY)) {
            BaseMemoryItem rest = { items[i].address + copied,
                                    (guint8 *) items[i].data + copied, items[i].size - copied,
                                    0 };

            live->read (live, &rest, 1);
            items[i].done += rest.done;
        }
    }
}

EngineSystemCall
engine_sampling_find_call (const MachineRegisters *registers)
{
    EngineSystemCall call = { .number = (long) machine_registers_get_system_call (registers) };

    for (guint i = 0; call.number >= 0 && i < G_N_ELEMENTS (call.arguments); i++) {
        call.arguments[i] = machine_registers_get_system_argument (registers, i);
    }
    return call;
}

void
engine_sampling_snapshot_fill (EngineSamplingSnapshot *snapshot, EngineProcess *process,
                               const MachineRegisters *registers)
{
    snapshot->reader = (BaseMemoryReader){ .read = read_snapshot };
    snapshot->space = engine_space_ref (process->space);
    snapshot->start = (machine_registers_get_sp (registers) - machine_call_get_red_zone ())
                      & ~(guint64) 7;
    snapshot->size = base_memory_read_some (engine_process_get_memory (process),
                                            snapshot->start, snapshot->bytes,
                                            ENGINE_SAMPLING_COPY);
}

void
engine_sampling_snapshot_clear (EngineSamplingSnapshot *snapshot)
{
    g_clear_pointer (&snapshot->space, engine_space_unref);
}
