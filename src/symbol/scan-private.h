/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the scanner's files. Threads take units one by one and fill tables of their own
 * (SymbolScanWorker), which are merged in the order of the units, so that the index does not
 * depend on timing. */
#pragma once
#include "index/format.h"
#include "symbol/scanner.h"

/* Interned texts, identified by numbers. */
typedef struct {
    guint32 hash, offset, size; /* of the text, without its 0 */
} SymbolText;
typedef struct {
    char *bytes;
    gsize n_bytes, room;
    GArray *texts;  /* of SymbolText */
    guint32 *slots; /* number + 1 */
    guint n_slots;
} SymbolTexts;
void symbol_texts_init (SymbolTexts *texts);
void symbol_texts_clear (SymbolTexts *texts);
/* The number; INDEX_NONE for NULL and when the table is full. */
guint32 symbol_texts_add (SymbolTexts *texts, const char *text);
guint32 symbol_texts_add_sized (SymbolTexts *texts, const char *text, gsize size);
const char *symbol_texts_get (const SymbolTexts *texts, guint32 number);
/* Appends bytes without interning them; returns their offset, or INDEX_NONE when the table is
 * full. */
guint32 symbol_texts_append_blob (SymbolTexts *texts, const void *bytes, gsize size);
/* Returns an array that maps numbers of `from` to numbers of `texts`. Caller owns. */
guint32 *symbol_texts_merge (SymbolTexts *texts, const SymbolTexts *from);

typedef struct {
    guint64 low, high;
    guint first, n;
} SymbolSequence;

/* A sequence of rows in a worker's table. */
typedef struct {
    guint64 low, high;
    const IndexRow *rows;
    guint n, worker;
} SymbolRows;

/* The results of one unit, as ranges of its worker's tables. */
typedef struct {
    guint worker;
    guint first_block, n_blocks, first_sequence, n_sequences, n_instances;
} SymbolScanPart;

typedef struct _SymbolScan SymbolScan;
typedef struct _SymbolScanFile SymbolScanFile;
typedef struct {
    SymbolScan *scan;
    guint number;
    SymbolTexts texts;
    GArray *blocks, *rows, *sequences;     /* names and files are numbers of texts */
    GArray *tails;                         /* of IndexTail, without their functions */
    GHashTable *plans;                     /* SymbolAbbrevTable to SymbolPlans */
    const struct _SymbolPlans *last_plans; /* the last ones found; NULL */
    GHashTable *scopes;                    /* unit to SymbolScopes */
    const SymbolUnit *last_scopes_unit;
    struct _SymbolScopes *last_scopes; /* of that unit; NULL */
    SymbolTexts prefixes;              /* of scopes: "ns::Type::" */
    struct _SymbolMeeting *meetings;   /* cache of composed names */
    guint n_meetings, n_met;
    /* of the unit at work */
    const SymbolUnit *unit;
    GArray *unit_files; /* guint32: text of each file of the unit */
    GArray *ranges;     /* of SymbolRange */
    guint32 n_instances;
    gboolean has_lists; /* some variable of the unit has a location list */
} SymbolScanWorker;

struct _SymbolScan {
    SymbolDwarf *dwarf;
    SymbolScanPart *parts; /* of each unit */
    guint8 *has_own_lines; /* of each unit: the first with its line program */
    gint next_unit;        /* atomic */
    GPtrArray *workers;
    SymbolTexts texts, symbol_texts; /* the latter: names of symbols only, never looked for */
    GArray *elf_symbols;             /* of SymbolElfSymbol; those that are kept are `symbols` */
    GArray *files, *blocks, *spans, *names, *symbols, *symbol_names, *tails;
    GArray *rows; /* of SymbolRows, by address; none begins inside another */
};

/* Blocks of the unit's functions and inlined calls. */
void symbol_scan_functions (SymbolScanWorker *worker);
/* Files of the unit, or of its skeleton, and the rows of its line program. */
void symbol_scan_lines (SymbolScanWorker *worker, const SymbolUnit *unit, gboolean with_rows);
/* A tail call that ends at pc, or begins there (is_start). */
void symbol_scan_add_tail (SymbolScanWorker *worker, guint64 pc, gboolean is_start);
/* The tails of all workers, by the functions that they are in; blocks and spans are sorted. */
void symbol_scan_gather_tails (SymbolScan *scan);
/* The symbols and the hashes of their names; may run in parallel with all others. */
void symbol_scan_symbols (SymbolScan *scan);
/* Nests the blocks, which are sorted by address, adds those that only symbols know (their names are
 * numbers of symbols), makes the spans. */
void symbol_scan_nest_blocks (SymbolScan *scan, guint32 n_instances);
/* All sequences by address. */
void symbol_scan_order_lines (SymbolScan *scan);
/* Of a block as symbol_scan_nest_blocks leaves it; NULL: it has none. Borrowed, until a text is added. */
const char *symbol_scan_get_block_name (const SymbolScan *scan, const IndexBlock *block);
/* After all of these: bodies and names, which become offsets of bytes in `texts` or, of symbols,
 * in `symbol_texts`. */
void symbol_scan_finish_blocks (SymbolScan *scan);

/* The index file under a temporary name. symbol_scan_file_finish reports failures and frees
 * it. */
SymbolScanFile *symbol_scan_file_new (const char *path);
/* An open file, which stays the caller's. */
SymbolScanFile *symbol_scan_file_new_fd (int fd);
/* All rows as one table. file_maps: of each worker, its texts to numbers of files. May run in
 * parallel with the work on blocks and names. */
void symbol_scan_file_write_rows (SymbolScanFile *file, const GArray *rows,
                                  guint32 **file_maps);
gboolean symbol_scan_file_finish (SymbolScanFile *file, SymbolScan *scan, const char *elf_path,
                                  GError **error);

/* The text number of a name in a section of the file. */
guint32 symbol_scan_find_plain (SymbolScanWorker *worker, const char *name);
/* The qualified name of a C++ function whose entry is at `offset` of `unit`, as text; INDEX_NONE
 * when it is in no scope that has a name. */
typedef struct _SymbolScopes SymbolScopes;
guint32 symbol_scan_find_qualified (SymbolScanWorker *worker, const SymbolUnit *unit,
                                    guint64 offset, const char *name);
void symbol_scopes_free (gpointer scopes);

/* Sorts runs of items with equal keys by `compare`; the items are already sorted by key. */
void symbol_scan_sort_runs (gpointer items, guint n, gsize size, const guint64 *keys,
                            const guint32 *order, GCompareFunc compare);
/* Outer blocks before the inner ones that begin with them. */
gint symbol_scan_compare_blocks (gconstpointer a, gconstpointer b);
/* order[i] = number of the i-th smallest of n keys; equal ones keep their order. Caller owns. */
guint32 *symbol_scan_sort (const guint64 *keys, guint n);
