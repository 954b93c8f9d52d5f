/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line programs of DWARF 2 to 5 as rows. */
#pragma once
#include "symbol/dwarf.h"

typedef struct {
    guint64 address;
    guint32 file;    /* index into files */
    guint32 line;
    guint32 flags;   /* INDEX_ROW_… of index/format.h */
} SymbolRow;

typedef struct {
    GPtrArray *files; /* absolute paths; entries may be NULL */
    GArray *rows;     /* of SymbolRow; every sequence ends in a row with INDEX_ROW_END */
} SymbolLines;

/* The files, and the rows when with_rows. Broken programs give what came before the fault. */
SymbolLines *symbol_lines_read (const SymbolDwarf *dwarf, const SymbolUnit *unit,
                                gboolean with_rows);
void symbol_lines_free (SymbolLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolLines, symbol_lines_free)
