/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scanner's files share. Threads take units one by one; each fills tables of its own
 * (SymbolScanWorker), which are put together in the order of the units afterwards, so that the
 * index does not depend on who was faster. */
#pragma once
#include "index/format.h"
#include "symbol/scanner.h"

/* Texts, each kept once and known by its number. */
typedef struct {
    guint32 hash, offset, size;   /* of the text, without its 0 */
} SymbolText;
typedef struct {
    char *bytes;
    gsize n_bytes, room;
    GArray *texts;                /* of SymbolText */
    guint32 *slots;               /* number + 1 */
    guint n_slots;
} SymbolTexts;
void symbol_texts_init (SymbolTexts *texts);
void symbol_texts_clear (SymbolTexts *texts);
/* The number; INDEX_NONE for NULL and when there are too many bytes. */
guint32 symbol_texts_add (SymbolTexts *texts, const char *text);
guint32 symbol_texts_add_sized (SymbolTexts *texts, const char *text, gsize size);
const char *symbol_texts_get (const SymbolTexts *texts, guint32 number);
/* Appends bytes that are not looked for again; their offset, INDEX_NONE when too many. */
guint32 symbol_texts_append_blob (SymbolTexts *texts, const void *bytes, gsize size);
/* numbers[i]: in `texts` what i is in `from`. Caller owns. */
guint32 *symbol_texts_merge (SymbolTexts *texts, const SymbolTexts *from);

typedef struct {
    guint64 low, high;
    guint first, n;
} SymbolSequence;

/* A sequence where its rows are: of a worker's table. */
typedef struct {
    guint64 low, high;
    const IndexRow *rows;
    guint n, worker;
} SymbolRows;

/* What one unit gave, as ranges of its worker's tables. */
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
    GArray *blocks, *rows, *sequences; /* names and files are numbers of texts */
    GArray *tails;               /* of IndexTail, their functions not known yet */
    GHashTable *plans;           /* SymbolAbbrevTable to SymbolPlans */
    const struct _SymbolPlans *last_plans; /* that were asked for last; NULL */
    GHashTable *scopes;          /* unit to SymbolScopes */
    const SymbolUnit *last_scopes_unit;
    struct _SymbolScopes *last_scopes; /* of that unit; NULL */
    SymbolTexts prefixes;        /* of scopes: "ns::Type::" */
    struct _SymbolMeeting *meetings; /* names that were put together before */
    guint n_meetings, n_met;
    /* of the unit at work */
    const SymbolUnit *unit;
    GArray *unit_files;          /* guint32: text of each file of the unit */
    GArray *ranges;              /* of SymbolRange */
    guint32 n_instances;
    gboolean has_lists;          /* some variable of the unit moves between places */
} SymbolScanWorker;

struct _SymbolScan {
    SymbolDwarf *dwarf;
    SymbolScanPart *parts;       /* of each unit */
    guint8 *has_own_lines;       /* of each unit: first that names its line program */
    gint next_unit;              /* atomic */
    GPtrArray *workers;
    SymbolTexts texts, symbol_texts; /* the latter: names of symbols only, never looked for */
    GArray *elf_symbols;         /* of SymbolElfSymbol; those that are kept are `symbols` */
    GArray *files, *blocks, *spans, *names, *symbols, *symbol_names, *tails;
    GArray *rows;                /* of SymbolRows, by address; none begins inside another */
};

/* Blocks of the unit's functions and inlined calls. */
void symbol_scan_functions (SymbolScanWorker *worker);
/* Files of the unit, or of its skeleton, and the rows of its line program. */
void symbol_scan_lines (SymbolScanWorker *worker, const SymbolUnit *unit, gboolean with_rows);
/* A call that is a jump, which ends before pc; is_start: begins there. */
void symbol_scan_add_tail (SymbolScanWorker *worker, guint64 pc, gboolean is_start);
/* The tails of all workers, by the functions that they are in; blocks and spans are sorted. */
void symbol_scan_gather_tails (SymbolScan *scan);
/* The symbols and the hashes of their names; may run beside all others of these. */
void symbol_scan_symbols (SymbolScan *scan);
/* Nests the blocks, which are sorted by address, adds those that only symbols know (their names are
 * numbers of symbols), makes the spans. */
void symbol_scan_nest_blocks (SymbolScan *scan, guint32 n_instances);
/* All sequences by address. */
void symbol_scan_order_lines (SymbolScan *scan);
/* After all of these: bodies and names, which become offsets of bytes in `texts` or, of symbols,
 * in `symbol_texts`. */
void symbol_scan_finish_blocks (SymbolScan *scan);

/* The index file under a temporary name. What fails is said by finish, which frees it. */
SymbolScanFile *symbol_scan_file_new (const char *path);
/* An open file, which stays the caller's. */
SymbolScanFile *symbol_scan_file_new_fd (int fd);
/* All rows as one table. file_maps: of each worker, its texts to numbers of files. Nothing else of the
 * scan is touched: may run beside what is done with blocks and names. */
void symbol_scan_file_write_rows (SymbolScanFile *file, const GArray *rows, guint32 **file_maps);
gboolean symbol_scan_file_finish (SymbolScanFile *file, SymbolScan *scan, const char *elf_path,
                                  GError **error);

/* The text of a name that stands in a section of the file. */
guint32 symbol_scan_find_plain (SymbolScanWorker *worker, const char *name);
/* The qualified name of a C++ function whose entry is at `offset` of `unit`, as text; INDEX_NONE
 * when it is in no scope that has a name. */
typedef struct _SymbolScopes SymbolScopes;
guint32 symbol_scan_find_qualified (SymbolScanWorker *worker, const SymbolUnit *unit,
                                    guint64 offset, const char *name);
void symbol_scopes_free (gpointer scopes);

/* Of items that were sorted by keys, puts those with equal keys in order by what else decides. */
void symbol_scan_sort_runs (gpointer items, guint n, gsize size, const guint64 *keys,
                            const guint32 *order, GCompareFunc compare);
/* Outer blocks before the inner ones that begin with them. */
gint symbol_scan_compare_blocks (gconstpointer a, gconstpointer b);
/* order[i] = number of the i-th smallest of n keys; equal ones keep their order. Caller owns. */
guint32 *symbol_scan_sort (const guint64 *keys, guint n);
