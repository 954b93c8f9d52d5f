/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the source of a Cython module calls the functions that Cython writes in C: as in the tracebacks that
 * Cython makes, "module.Class.method". */
#pragma once
#include "symbol/scan-private.h"

/* Of the unit whose blocks and sequences begin there in the worker's tables: lines of functions' first rows. */
void symbol_cython_move_prologues (SymbolScanWorker *worker, guint first_block,
                                   guint first_sequence);

typedef struct _SymbolCython SymbolCython;

typedef struct {
    char *name;    /* as the source has it */
    guint16 flags; /* INDEX_BLOCK_CYTHON and others */
} SymbolCythonName;

/* The names of all blocks, as symbol_scan_nest_blocks leaves them. NULL if none is Cython's. */
SymbolCython *symbol_cython_new (const SymbolScan *scan);
/* NULL: not Cython's, or it could be read in two ways. Borrowed. */
const SymbolCythonName *symbol_cython_find (const SymbolCython *cython, const char *name);
void symbol_cython_free (SymbolCython *cython);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolCython, symbol_cython_free)
