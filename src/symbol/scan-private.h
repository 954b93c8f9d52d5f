/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scanner's files share: the tables while they grow. */
#pragma once
#include "index/format.h"
#include "symbol/scanner.h"

typedef struct {
    SymbolDwarf *dwarf;
    GByteArray *strings;
    GHashTable *string_offsets;  /* text to offset + 1 */
    GHashTable *file_numbers;    /* path to number + 1 */
    GArray *files, *blocks, *spans, *rows, *lines, *names, *symbols, *symbol_names;
    guint32 n_instances;
    /* of the unit at work */
    const SymbolUnit *unit;
    gboolean has_lists;          /* some variable of the unit moves between places */
    GArray *unit_files;          /* guint32: number in `files` of each file of the unit */
    GHashTable *qualified;       /* offset of a declaration to its qualified name */
    GHashTable *foreign;         /* other unit to such a table of its own */
    GHashTable *line_programs;   /* stmt_list offsets done */
} SymbolScan;

guint32 symbol_scan_add_string (SymbolScan *scan, const char *text); /* NULL: INDEX_NONE */
/* Blocks of the unit's functions and inlined calls. */
void symbol_scan_functions (SymbolScan *scan);
/* Sorts and nests the blocks, adds those of symbols, makes spans and bodies. */
void symbol_scan_finish_blocks (SymbolScan *scan);
/* Files of the unit, and the rows of its line program when not done yet. */
void symbol_scan_lines (SymbolScan *scan);
void symbol_scan_finish_lines (SymbolScan *scan);
