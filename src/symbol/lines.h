/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line programs of DWARF 2 to 5 as rows. */
#pragma once
#include "index/format.h"
#include "symbol/dwarf.h"

typedef struct {
    GPtrArray *files; /* absolute paths; entries may be NULL */
} SymbolLines;

/* The files. Appends to rows, of IndexRow, unless it is NULL: their file is an index into files, every
 * sequence ends in a row with INDEX_ROW_END. Broken programs give what came before the fault. */
SymbolLines *symbol_lines_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, GArray *rows);
void symbol_lines_free (SymbolLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolLines, symbol_lines_free)
