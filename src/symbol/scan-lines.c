/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how the line programs of all units become one table of rows by address. */
#include <string.h>

#include "symbol/lines.h"
#include "symbol/scan-private.h"

/* One sequence, first to last (with its end row). Rows that go back are an error of the
 * compiler: the sequence is left out. So are those that the linker threw away. */
static void
add_sequence (SymbolScanWorker *worker, const SymbolRow *rows, guint n)
{
    const SymbolElf *elf = worker->scan->dwarf->elf;
    if (n < 2 || rows[0].address <= 1 || rows[n - 1].address <= rows[0].address ||
        (elf->n_segments && !symbol_elf_is_code (elf, rows[0].address)))
        return;
    for (guint i = 1; i < n; i++)
        if (rows[i].address < rows[i - 1].address)
            return;
    SymbolSequence sequence = { rows[0].address, rows[n - 1].address, worker->rows->len, n };
    g_array_append_val (worker->sequences, sequence);
    g_array_set_size (worker->rows, worker->rows->len + n);
    IndexRow *added = &g_array_index (worker->rows, IndexRow, sequence.first);
    const guint32 *files = (const guint32 *) (gpointer) worker->unit_files->data;
    for (guint i = 0; i < n; i++) {
        gboolean end = rows[i].flags & INDEX_ROW_END;
        guint32 file = rows[i].file < worker->unit_files->len ? files[rows[i].file] : INDEX_NONE;
        added[i] = (IndexRow) { rows[i].address, file, end ? 0 : rows[i].line,
                                end ? INDEX_ROW_END : rows[i].flags };
    }
}

void
symbol_scan_lines (SymbolScanWorker *worker, const SymbolUnit *unit, gboolean with_rows)
{
    g_array_set_size (worker->unit_files, 0);
    if (!unit->has_lines)
        return;
    g_autoptr (SymbolLines) lines = symbol_lines_read (worker->scan->dwarf, unit, with_rows);
    for (guint i = 0; i < lines->files->len; i++) {
        guint32 text = symbol_texts_add (&worker->texts, lines->files->pdata[i]);
        g_array_append_val (worker->unit_files, text);
    }
    const SymbolRow *rows = (const SymbolRow *) (gpointer) lines->rows->data;
    for (guint i = 0, start = 0; i < lines->rows->len; i++) {
        if (!(rows[i].flags & INDEX_ROW_END))
            continue;
        add_sequence (worker, rows + start, i + 1 - start);
        start = i + 1;
    }
}

typedef struct {
    const SymbolSequence *sequence;
    guint worker;
} Place;

void
symbol_scan_merge_lines (SymbolScan *scan, guint32 **file_maps)
{
    g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
    guint n_rows = 0;
    for (guint i = 0; i < scan->dwarf->units->len; i++) {
        const SymbolScanPart *part = &scan->parts[i];
        const SymbolScanWorker *worker = scan->workers->pdata[part->worker];
        for (guint j = 0; j < part->n_sequences; j++) {
            Place place = { &g_array_index (worker->sequences, SymbolSequence,
                                            part->first_sequence + j), part->worker };
            g_array_append_val (places, place);
            n_rows += place.sequence->n;
        }
    }
    g_autofree guint64 *keys = g_new (guint64, places->len + 1);
    for (guint i = 0; i < places->len; i++)
        keys[i] = g_array_index (places, Place, i).sequence->low;
    g_autofree guint32 *order = symbol_scan_sort (keys, places->len);
    g_array_set_size (scan->rows, n_rows);
    IndexRow *rows = (IndexRow *) (gpointer) scan->rows->data;
    guint64 end = 0;
    guint at = 0;
    for (guint i = 0; i < places->len; i++) {
        const Place *place = &g_array_index (places, Place, order[i]);
        const SymbolScanWorker *worker = scan->workers->pdata[place->worker];
        const guint32 *files = file_maps[place->worker];
        if (place->sequence->low < end)
            continue;
        const IndexRow *from = &g_array_index (worker->rows, IndexRow, place->sequence->first);
        for (guint j = 0; j < place->sequence->n; j++) {
            rows[at] = from[j];
            if (from[j].file != INDEX_NONE)
                rows[at].file = files[from[j].file];
            at++;
        }
        end = place->sequence->high;
    }
    g_array_set_size (scan->rows, at);
}
