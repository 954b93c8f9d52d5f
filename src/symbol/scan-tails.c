/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds tail calls: debug information lists the jumps, and the code gives their targets. */

#include "machine/code.h"
#include "symbol/scan-private.h"
#include "base/array.h"

static gboolean
is_code (gconstpointer elf, guint64 target)
{
    return symbol_elf_is_code (elf, target);
}

void
symbol_scan_add_tail (SymbolScanWorker *worker, guint64 pc, gboolean is_start)
{
    const SymbolElf *elf = worker->scan->dwarf->elf;
    IndexTail tail = { 0, pc, 0 };
    const guint8 *code;
    guint64 target;
    if (elf->machine != machine_elf_number || pc < MACHINE_MAX_JUMP)
        return;
    if (is_start) {
        code = symbol_elf_find_bytes (elf, pc, MACHINE_MAX_JUMP);
        guint size = code ? machine_code_read_jump (code, pc, &tail.target) : 0;
        /* without its length only that there is one is known */
        tail.pc = size ? pc + size : pc + 1;
    } else if ((code = symbol_elf_find_bytes (elf, pc - MACHINE_MAX_JUMP, MACHINE_MAX_JUMP))
               && machine_code_read_jump_before (code, pc, is_code, elf, &target)) {
        tail.target = target;
    }
    g_array_append_val (worker->tails, tail);
}

static const IndexBlock *
find_function (const SymbolScan *scan, guint64 address)
{
    guint low = BASE_BISECT (middle, 0, scan->spans->len,
                             g_array_index (scan->spans, IndexSpan, middle).address <= address);
    guint32 number = low ? g_array_index (scan->spans, IndexSpan, low - 1).block : INDEX_NONE;
    const IndexBlock *block = NULL;
    while (number != INDEX_NONE) {
        block = &g_array_index (scan->blocks, IndexBlock, number);
        number = block->parent;
    }
    return block;
}

BASE_ORDER (compare_tails, IndexTail, BASE_BY (function) ?: BASE_BY (pc))

/* Sorted. One call that the files say twice (units that were linked together) counts once. */
static void
drop_equal (GArray *tails)
{
    guint n = 0;
    BASE_EACH_ROW (tails, const IndexTail, tail) {
        if (!n || compare_tails (tail, &g_array_index (tails, IndexTail, n - 1)) != 0)
            g_array_index (tails, IndexTail, n++) = *tail;
    }
    g_array_set_size (tails, n);
}

void
symbol_scan_gather_tails (SymbolScan *scan)
{
    BASE_EACH (scan->workers, const SymbolScanWorker, worker) {
        for (guint j = 0; j < worker->tails->len; j++) {
            IndexTail tail = g_array_index (worker->tails, IndexTail, j);
            const IndexBlock *function = find_function (scan, tail.pc - 1);
            if (!function)
                continue;
            tail.function = function->flags & INDEX_BLOCK_ENTRY ? function->low
                                                                : function->body;
            g_array_append_val (scan->tails, tail);
            tail.pc = tail.target = 0;
            if (!(function->flags & INDEX_BLOCK_COMPLETE))
                g_array_append_val (scan->tails, tail);
        }
    }
    g_array_sort (scan->tails, compare_tails);
    drop_equal (scan->tails);
}
