/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how the line programs of all units become one sorted table of rows, and one by line. */
#include <string.h>

#include "symbol/lines.h"
#include "symbol/scan-private.h"

static guint32
add_file (SymbolScan *scan, const char *path)
{
    if (!path)
        return INDEX_NONE;
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (scan->file_numbers, path));
    if (number)
        return number - 1;
    guint32 string = symbol_scan_add_string (scan, path);
    g_array_append_val (scan->files, string);
    g_hash_table_insert (scan->file_numbers, g_strdup (path),
                         GUINT_TO_POINTER (scan->files->len));
    return scan->files->len - 1;
}

/* One sequence, first to last (with its end row). Rows that go back are an error of the
 * compiler: the sequence is left out. So are those that the linker threw away. */
static void
add_sequence (SymbolScan *scan, const SymbolRow *rows, guint n)
{
    if (n < 2 || rows[0].address <= 1 || rows[n - 1].address <= rows[0].address ||
        (!symbol_elf_is_code (scan->dwarf->elf, rows[0].address) &&
         scan->dwarf->elf->n_segments))
        return;
    for (guint i = 1; i < n; i++)
        if (rows[i].address < rows[i - 1].address)
            return;
    for (guint i = 0; i < n; i++) {
        guint32 file = rows[i].file < scan->unit_files->len
                           ? g_array_index (scan->unit_files, guint32, rows[i].file)
                           : INDEX_NONE;
        IndexRow row = { rows[i].address, file, rows[i].line, rows[i].flags };
        if (rows[i].flags & INDEX_ROW_END) {
            row.line = 0;
            row.flags = INDEX_ROW_END;
        }
        g_array_append_val (scan->rows, row);
    }
}

void
symbol_scan_lines (SymbolScan *scan)
{
    const SymbolUnit *unit = scan->unit->skeleton ? scan->unit->skeleton : scan->unit;
    g_array_set_size (scan->unit_files, 0);
    if (!unit->has_lines)
        return;
    gpointer key = GSIZE_TO_POINTER (unit->stmt_list + 1);
    gboolean fresh = g_hash_table_add (scan->line_programs, key);
    g_autoptr (SymbolLines) lines = symbol_lines_read (scan->dwarf, unit, fresh);
    for (guint i = 0; i < lines->files->len; i++) {
        guint32 number = add_file (scan, lines->files->pdata[i]);
        g_array_append_val (scan->unit_files, number);
    }
    const SymbolRow *rows = (const SymbolRow *) (gpointer) lines->rows->data;
    for (guint i = 0, start = 0; i < lines->rows->len; i++) {
        if (!(rows[i].flags & INDEX_ROW_END))
            continue;
        add_sequence (scan, rows + start, i + 1 - start);
        start = i + 1;
    }
}

typedef struct {
    guint64 low, high;
    guint first, n;
} Sequence;

static gint
compare_sequences (gconstpointer a, gconstpointer b)
{
    const Sequence *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->first < right->first ? -1 : left->first > right->first;
}

static void
sort_rows (SymbolScan *scan)
{
    g_autoptr (GArray) sequences = g_array_new (FALSE, FALSE, sizeof (Sequence));
    const IndexRow *rows = (const IndexRow *) (gpointer) scan->rows->data;
    for (guint i = 0, start = 0; i < scan->rows->len; i++) {
        if (!(rows[i].flags & INDEX_ROW_END))
            continue;
        Sequence sequence = { rows[start].address, rows[i].address, start, i + 1 - start };
        g_array_append_val (sequences, sequence);
        start = i + 1;
    }
    g_array_sort (sequences, compare_sequences);
    GArray *sorted = g_array_sized_new (FALSE, FALSE, sizeof (IndexRow), scan->rows->len);
    guint64 end = 0;
    for (guint i = 0; i < sequences->len; i++) {
        const Sequence *sequence = &g_array_index (sequences, Sequence, i);
        if (sequence->low < end)
            continue;
        g_array_append_vals (sorted, rows + sequence->first, sequence->n);
        end = sequence->high;
    }
    g_array_unref (scan->rows);
    scan->rows = sorted;
}

/* Stable, by 16 bits of (file, line) at a time, the lowest first: rows of one line stay in the order
 * of their addresses. */
static void
sort_lines (GArray *lines, const IndexRow *rows)
{
    enum { N_DIGITS = 1 << 16 };
    g_autofree guint32 *counts = g_new (guint32, N_DIGITS);
    g_autofree guint32 *other = g_new (guint32, lines->len);
    guint32 *from = (guint32 *) (gpointer) lines->data, *to = other;
    for (guint pass = 0; pass < 4; pass++) {
        guint32 at = 0, used = 0;
        memset (counts, 0, N_DIGITS * sizeof *counts);
        for (guint i = 0; i < lines->len; i++) {
            const IndexRow *row = &rows[from[i]];
            guint64 key = (guint64) row->file << 32 | row->line;
            counts[key >> (pass * 16) & 0xffff]++;
        }
        for (guint i = 0; i < N_DIGITS; i++) {
            guint32 n = counts[i];
            used += n > 0;
            counts[i] = at;
            at += n;
        }
        if (used < 2)
            continue;
        for (guint i = 0; i < lines->len; i++) {
            const IndexRow *row = &rows[from[i]];
            guint64 key = (guint64) row->file << 32 | row->line;
            to[counts[key >> (pass * 16) & 0xffff]++] = from[i];
        }
        guint32 *swapped = from;
        from = to;
        to = swapped;
    }
    if (from == other)
        memcpy (lines->data, other, lines->len * sizeof *other);
}

void
symbol_scan_finish_lines (SymbolScan *scan)
{
    sort_rows (scan);
    const IndexRow *rows = (const IndexRow *) (gpointer) scan->rows->data;
    for (guint32 i = 0; i < scan->rows->len; i++)
        if ((rows[i].flags & INDEX_ROW_STMT) && rows[i].line && rows[i].file != INDEX_NONE)
            g_array_append_val (scan->lines, i);
    sort_lines (scan->lines, rows);
}
