/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line programs of DWARF 2 to 5 as rows. */
#pragma once
#include "index/format.h"
#include "symbol/dwarf.h"

typedef struct {
    GPtrArray *files; /* absolute paths; entries may be NULL */
} SymbolLines;

/* Reads the files and, unless rows is NULL, appends IndexRow whose file is an index into files;
 * every sequence ends with INDEX_ROW_END. A malformed program gives the rows before the
 * error. */
SymbolLines *symbol_lines_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, GArray *rows);
void symbol_lines_free (SymbolLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolLines, symbol_lines_free)
