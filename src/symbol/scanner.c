/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the scan in threads and merges their results. */
#include "symbol/scan-cython.h"
#include "base/array.h"

#include <string.h>

#define MAX_WORKERS 8

static SymbolScanWorker *
new_worker (SymbolScan *scan)
{
    SymbolScanWorker *worker = g_new0 (SymbolScanWorker, 1);
    worker->scan = scan;
    worker->number = scan->workers->len;
    symbol_texts_init (&worker->texts);
    symbol_texts_init (&worker->prefixes);
    worker->blocks = g_array_new (FALSE, FALSE, sizeof (IndexBlock));
    worker->rows = g_array_new (FALSE, FALSE, sizeof (IndexRow));
    worker->tails = g_array_new (FALSE, FALSE, sizeof (IndexTail));
    worker->sequences = g_array_new (FALSE, FALSE, sizeof (SymbolSequence));
    worker->unit_files = g_array_new (FALSE, FALSE, sizeof (guint32));
    worker->ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    worker->scopes = g_hash_table_new_full (NULL, NULL, NULL, symbol_scopes_free);
    return worker;
}

static void
free_worker (gpointer data)
{
    SymbolScanWorker *worker = data;
    GArray *arrays[] = { worker->blocks,    worker->rows,       worker->tails,
                         worker->sequences, worker->unit_files, worker->ranges };
    for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
        g_array_unref (arrays[i]);
    symbol_texts_clear (&worker->texts);
    symbol_texts_clear (&worker->prefixes);
    g_free (worker->meetings);
    g_hash_table_unref (worker->scopes);
    if (worker->plans)
        g_hash_table_unref (worker->plans);
    g_free (worker);
}

static void
init_scan (SymbolScan *scan, SymbolDwarf *dwarf)
{
    scan->dwarf = dwarf;
    scan->parts = g_new0 (SymbolScanPart, dwarf->units->len + 1);
    scan->has_own_lines = g_new0 (guint8, dwarf->units->len + 1);
    scan->workers = g_ptr_array_new_with_free_func (free_worker);
    symbol_texts_init (&scan->texts);
    symbol_texts_init (&scan->symbol_texts);
    scan->files = g_array_new (FALSE, FALSE, sizeof (guint32));
    scan->blocks = g_array_new (FALSE, FALSE, sizeof (IndexBlock));
    scan->spans = g_array_new (FALSE, FALSE, sizeof (IndexSpan));
    scan->rows = g_array_new (FALSE, FALSE, sizeof (SymbolRows));
    scan->names = g_array_new (FALSE, FALSE, sizeof (IndexName));
    scan->elf_symbols = g_array_new (FALSE, FALSE, sizeof (SymbolElfSymbol));
    scan->symbols = g_array_new (FALSE, FALSE, sizeof (IndexSymbol));
    scan->symbol_names = g_array_new (FALSE, FALSE, sizeof (IndexName));
    scan->tails = g_array_new (FALSE, FALSE, sizeof (IndexTail));
}

static void
clear_scan (SymbolScan *scan)
{
    GArray *arrays[] = { scan->elf_symbols, scan->files,        scan->blocks,
                         scan->spans,       scan->rows,         scan->names,
                         scan->symbols,     scan->symbol_names, scan->tails };
    for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
        g_array_unref (arrays[i]);
    symbol_texts_clear (&scan->texts);
    symbol_texts_clear (&scan->symbol_texts);
    g_ptr_array_unref (scan->workers);
    g_free (scan->parts);
    g_free (scan->has_own_lines);
}

/* Not skeletons whose unit lies elsewhere, nor what others import from the common file. */
static gboolean
is_wanted (const SymbolUnit *unit)
{
    return (unit->tag == DW_TAG_compile_unit || unit->tag == DW_TAG_partial_unit
            || unit->tag == DW_TAG_skeleton_unit)
           && symbol_unit_is_read (unit) && !unit->part->is_alternate;
}

static const SymbolUnit *
get_lines_unit (const SymbolUnit *unit)
{
    return unit->skeleton ? unit->skeleton : unit;
}

static void
scan_unit (SymbolScanWorker *worker, guint number)
{
    SymbolScan *scan = worker->scan;
    const SymbolUnit *unit = scan->dwarf->units->pdata[number];
    SymbolScanPart *part = &scan->parts[number];
    if (!is_wanted (unit))
        return;
    worker->unit = unit;
    worker->n_instances = 0;
    *part = (SymbolScanPart){ worker->number, worker->blocks->len, 0, worker->sequences->len };
    symbol_scan_lines (worker, get_lines_unit (unit), scan->has_own_lines[number]);
    symbol_scan_functions (worker);
    symbol_cython_move_prologues (worker, part->first_block, part->first_sequence);
    part->n_blocks = worker->blocks->len - part->first_block;
    part->n_sequences = worker->sequences->len - part->first_sequence;
    part->n_instances = worker->n_instances;
    g_hash_table_remove (worker->scopes, unit);
    worker->last_scopes = NULL;
}

static gpointer
run_worker (gpointer data)
{
    SymbolScanWorker *worker = data;
    SymbolScan *scan = worker->scan;
    /* the first number is the symbol table's turn */
    for (;;) {
        gint next = g_atomic_int_add (&scan->next_unit, 1);
        if (next > (gint) scan->dwarf->units->len)
            return NULL;
        if (next == 0)
            symbol_scan_symbols (scan);
        else
            scan_unit (worker, next - 1);
    }
}

static void
find_own_lines (SymbolScan *scan)
{
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    for (guint i = 0; i < scan->dwarf->units->len; i++) {
        const SymbolUnit *unit = scan->dwarf->units->pdata[i];
        const SymbolUnit *lines = get_lines_unit (unit);
        if (is_wanted (unit) && lines->has_lines)
            scan->has_own_lines[i] = g_hash_table_add (seen,
                                                       GSIZE_TO_POINTER (lines->stmt_list + 1));
    }
}

/* Small files are not worth a thread. */
static void
scan_units (SymbolScan *scan)
{
    gsize size = 0;
    BASE_EACH (scan->dwarf->parts, const SymbolPart, part) {
        size += part->info.size + part->line.size;
    }
    guint n = size < (1 << 17) ? 1 : CLAMP (g_get_num_processors (), 1, MAX_WORKERS);
    GThread *threads[MAX_WORKERS] = { NULL };
    for (guint i = 0; i < n; i++)
        g_ptr_array_add (scan->workers, new_worker (scan));
    for (guint i = 1; i < n; i++)
        threads[i] = g_thread_try_new ("scan", run_worker, scan->workers->pdata[i], NULL);
    run_worker (scan->workers->pdata[0]);
    for (guint i = 1; i < n; i++)
        if (threads[i])
            g_thread_join (threads[i]);
}

static guint32
add_file (SymbolScan *scan, GArray *numbers, guint32 text)
{
    if (text >= numbers->len)
        g_array_set_size (numbers, scan->texts.texts->len);
    guint32 *number = &g_array_index (numbers, guint32, text);
    if (!*number) {
        guint32 offset = g_array_index (scan->texts.texts, SymbolText, text).offset;
        g_array_append_val (scan->files, offset);
        *number = scan->files->len;
    }
    return *number - 1;
}

static void
map_files (SymbolScan *scan, const SymbolScanWorker *worker, const guint32 *texts,
           guint32 *files, GArray *numbers)
{
    guint32 last = INDEX_NONE;
    for (guint i = 0; i < worker->rows->len; i++) {
        guint32 text = g_array_index (worker->rows, IndexRow, i).file;
        if (text == last || text == INDEX_NONE)
            continue;
        last = text;
        if (files[text] == INDEX_NONE && texts[text] != INDEX_NONE)
            files[text] = add_file (scan, numbers, texts[text]);
    }
    for (guint i = 0; i < worker->blocks->len; i++) {
        guint32 text = g_array_index (worker->blocks, IndexBlock, i).call_file;
        if (text != INDEX_NONE && files[text] == INDEX_NONE && texts[text] != INDEX_NONE)
            files[text] = add_file (scan, numbers, texts[text]);
    }
}

/* Texts and files of a unit's blocks as they are called in the index. */
static void
translate_blocks (IndexBlock *blocks, guint n, guint32 n_instances, const guint32 *texts,
                  const guint32 *files)
{
    for (guint i = 0; i < n; i++) {
        blocks[i].instance += n_instances;
        if (blocks[i].name != INDEX_NONE)
            blocks[i].name = texts[blocks[i].name];
        if (blocks[i].call_file != INDEX_NONE)
            blocks[i].call_file = files[blocks[i].call_file];
    }
}

static void
sort_blocks (SymbolScan *scan, const IndexBlock **from, const guint64 *keys, guint n)
{
    g_autofree guint32 *order = symbol_scan_sort (keys, n);
    g_array_set_size (scan->blocks, n);
    IndexBlock *blocks = (IndexBlock *) (gpointer) scan->blocks->data;
    for (guint i = 0; i < n; i++)
        blocks[i] = *from[order[i]];
    symbol_scan_sort_runs (blocks, n, sizeof (IndexBlock), keys, order,
                           symbol_scan_compare_blocks);
}

/* All units' blocks by address, those of equal address in the order of the units; how many instances
 * they are. The workers' own are used up. */
static guint32
gather_blocks (SymbolScan *scan, guint32 **texts, guint32 **files)
{
    guint32 n_instances = 0;
    guint n = 0;
    for (guint i = 0; i < scan->dwarf->units->len; i++)
        n += scan->parts[i].n_blocks;
    g_autofree const IndexBlock **from = g_new (const IndexBlock *, n + 1);
    g_autofree guint64 *keys = g_new (guint64, n + 1);
    n = 0;
    for (guint i = 0; i < scan->dwarf->units->len; i++) {
        const SymbolScanPart *part = &scan->parts[i];
        const SymbolScanWorker *worker = scan->workers->pdata[part->worker];
        if (!part->n_blocks) {
            n_instances += part->n_instances;
            continue;
        }
        IndexBlock *blocks = (IndexBlock *) (gpointer) worker->blocks->data + part->first_block;
        translate_blocks (blocks, part->n_blocks, n_instances, texts[part->worker],
                          files[part->worker]);
        for (guint j = 0; j < part->n_blocks; j++, n++) {
            from[n] = &blocks[j];
            keys[n] = blocks[j].low;
        }
        n_instances += part->n_instances;
    }
    sort_blocks (scan, from, keys, n);
    BASE_EACH (scan->workers, SymbolScanWorker, worker) {
        g_array_unref (worker->blocks);
        worker->blocks = g_array_new (FALSE, FALSE, sizeof (IndexBlock));
    }
    return n_instances;
}

typedef struct {
    SymbolScan *scan;
    guint32 **files;
    SymbolScanFile *file;
} LineJob;

static gpointer
run_lines (gpointer data)
{
    LineJob *job = data;
    symbol_scan_file_write_rows (job->file, job->scan->rows, job->files);
    return NULL;
}

static void
merge_workers (SymbolScan *scan, SymbolScanFile *file)
{
    guint32 *texts[MAX_WORKERS] = { NULL }, *files[MAX_WORKERS] = { NULL };
    g_autoptr (GArray) numbers = g_array_new (FALSE, TRUE, sizeof (guint32));
    for (guint i = 0; i < scan->workers->len; i++) {
        const SymbolScanWorker *worker = scan->workers->pdata[i];
        texts[i] = symbol_texts_merge (&scan->texts, &worker->texts);
        files[i] = g_new (guint32, worker->texts.texts->len + 1);
        memset (files[i], 0xff, (worker->texts.texts->len + 1) * sizeof (guint32));
        map_files (scan, worker, texts[i], files[i], numbers);
    }
    symbol_scan_order_lines (scan);
    LineJob job = { scan, files, file };
    GThread *thread = scan->workers->len > 1 ? g_thread_try_new ("lines", run_lines, &job, NULL)
                                             : NULL;
    guint32 n_instances = gather_blocks (scan, texts, files);
    symbol_scan_nest_blocks (scan, n_instances);
    symbol_scan_gather_tails (scan);
    symbol_scan_finish_blocks (scan);
    if (thread)
        g_thread_join (thread);
    else
        run_lines (&job);
    for (guint i = 0; i < scan->workers->len; i++) {
        g_free (texts[i]);
        g_free (files[i]);
    }
}

static gboolean
scan_into (SymbolDwarf *dwarf, const char *elf_path, SymbolScanFile *file, GError **error)
{
    SymbolScan scan = { 0 };
    init_scan (&scan, dwarf);
    symbol_texts_add (&scan.texts, "");
    find_own_lines (&scan);
    scan_units (&scan);
    merge_workers (&scan, file);
    gboolean good = symbol_scan_file_finish (file, &scan, elf_path, error);
    clear_scan (&scan);
    return good;
}

gboolean
symbol_scan_write (SymbolDwarf *dwarf, const char *elf_path, const char *path, GError **error)
{
    return scan_into (dwarf, elf_path, symbol_scan_file_new (path), error);
}

gboolean
symbol_scan_write_fd (SymbolDwarf *dwarf, const char *elf_path, int fd, GError **error)
{
    return scan_into (dwarf, elf_path, symbol_scan_file_new_fd (fd), error);
}
