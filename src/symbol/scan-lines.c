/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the line programs of all units into one table of rows by address. */
#include <string.h>

#include "symbol/lines.h"
#include "symbol/scan-private.h"
#include "base/array.h"

/* One sequence, first to last (with its end row). Rows that go back are an error of the
 * compiler: the sequence is left out. So are those that the linker threw away. */
static gboolean
is_good (const SymbolElf *elf, const IndexRow *rows, guint n)
{
    if (n < 2 || rows[0].address <= 1 || rows[n - 1].address <= rows[0].address
        || (elf->n_segments && !symbol_elf_is_code (elf, rows[0].address)))
        return FALSE;
    for (guint i = 1; i < n; i++)
        if (rows[i].address < rows[i - 1].address)
            return FALSE;
    return TRUE;
}

/* To where it is kept, with files as texts. */
static void
move_sequence (SymbolScanWorker *worker, IndexRow *to, const IndexRow *from, guint n)
{
    const guint32 *files = (const guint32 *) (gpointer) worker->unit_files->data;
    guint n_files = worker->unit_files->len;
    for (guint i = 0; i < n; i++) {
        IndexRow row = from[i];
        row.file = row.file < n_files ? files[row.file] : INDEX_NONE;
        row.line = row.file != INDEX_NONE ? row.line : 0;
        to[i] = row;
    }
    to[n - 1].line = 0;
    to[n - 1].flags = INDEX_ROW_END;
}

/* Cython says so of the code that it adds: there is no such file. */
static gboolean
is_nowhere (const char *file)
{
    static const char *const names[] = { "cython_utility", "stringsource", "<stringsource>",
                                         "(tree fragment)", NULL };
    const char *slash = file ? strrchr (file, '/') : NULL;
    return file && g_strv_contains (names, slash ? slash + 1 : file);
}

static void
keep_sequences (SymbolScanWorker *worker, guint first)
{
    IndexRow *rows = (IndexRow *) (gpointer) worker->rows->data;
    guint kept = first;
    for (guint i = first, start = first; i < worker->rows->len; i++) {
        guint n = i + 1 - start;
        if (!(rows[i].flags & INDEX_ROW_END))
            continue;
        if (is_good (worker->scan->dwarf->elf, rows + start, n)) {
            BASE_APPEND (worker->sequences, SymbolSequence, rows[start].address,
                         rows[i].address, kept, n);
            move_sequence (worker, rows + kept, rows + start, n);
            kept += n;
        }
        start = i + 1;
    }
    g_array_set_size (worker->rows, kept);
}

void
symbol_scan_lines (SymbolScanWorker *worker, const SymbolUnit *unit, gboolean with_rows)
{
    guint first = worker->rows->len;
    g_array_set_size (worker->unit_files, 0);
    if (!unit->has_lines)
        return;
    g_autoptr (SymbolLines) lines = symbol_lines_read (worker->scan->dwarf, unit,
                                                       with_rows ? worker->rows : NULL);
    BASE_EACH (lines->files, const char, file) {
        guint32 text = is_nowhere (file) ? INDEX_NONE : symbol_texts_add (&worker->texts, file);
        g_array_append_val (worker->unit_files, text);
    }
    keep_sequences (worker, first);
}

void
symbol_scan_order_lines (SymbolScan *scan)
{
    guint n = 0, kept = 0;
    for (guint i = 0; i < scan->dwarf->units->len; i++)
        n += scan->parts[i].n_sequences;
    g_autofree const SymbolSequence **places = g_new (const SymbolSequence *, n + 1);
    g_autofree guint *workers = g_new (guint, n + 1);
    g_autofree guint64 *keys = g_new (guint64, n + 1);
    n = 0;
    for (guint i = 0; i < scan->dwarf->units->len; i++) {
        const SymbolScanPart *part = &scan->parts[i];
        const SymbolScanWorker *worker = scan->workers->pdata[part->worker];
        for (guint j = 0; j < part->n_sequences; j++) {
            places[n] = &g_array_index (worker->sequences, SymbolSequence,
                                        part->first_sequence + j);
            workers[n] = part->worker;
            keys[n] = places[n]->low;
            n++;
        }
    }
    g_autofree guint32 *order = symbol_scan_sort (keys, n);
    g_array_set_size (scan->rows, n);
    SymbolRows *rows = (SymbolRows *) (gpointer) scan->rows->data;
    guint64 end = 0;
    for (guint i = 0; i < n; i++) {
        const SymbolSequence *place = places[order[i]];
        const SymbolScanWorker *worker = scan->workers->pdata[workers[order[i]]];
        if (place->low < end)
            continue;
        rows[kept++] = (SymbolRows){ place->low, place->high,
                                     &g_array_index (worker->rows, IndexRow, place->first),
                                     place->n, worker->number };
        end = place->high;
    }
    g_array_set_size (scan->rows, kept);
}
