/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mapped tables, validated by image.c. */
#pragma once
#include "base/array.h"
#include "index/format.h"
#include "index/image.h"

struct _IndexImage {
    gint references;
    GMappedFile *map;
    const char *strings, *path;
    gsize n_strings;
    const guint32 *files;
    const IndexBlock *blocks;
    const IndexSpan *spans;
    const IndexRow *rows;
    const IndexName *names, *symbol_names;
    const IndexSymbol *symbols;
    const IndexTail *tails;
    guint n_files, n_blocks, n_spans, n_rows, n_names, n_symbol_names, n_symbols, n_tails;
};

/* NULL for INDEX_NONE. */
const char *index_image_find_text (const IndexImage *image, guint32 offset);
const char *index_image_find_path (const IndexImage *image, guint32 file);
/* Innermost block at the address, NULL without. */
const IndexBlock *index_image_find_block (const IndexImage *image, guint64 address);
/* The function (not inlined) around a block. */
const IndexBlock *index_image_find_outer (const IndexImage *image, const IndexBlock *block);
/* The first of the sorted names whose hash is not smaller. */
guint index_find_hash (const IndexName *names, guint n, guint32 hash);
/* Of the rows at the same address as `last`, the last such row, the one with the valid line:
 * the last that begins a statement. */
const IndexRow *index_image_prefer_row (const IndexImage *image, const IndexRow *last);
/* The row that covers the address; NULL without. */
const IndexRow *index_image_find_row (const IndexImage *image, guint64 address);
/* Of places of one line or function (is_function), those in functions that Cython adds, where others are in the code of a
 * .pyx file: Cython gives its lines to code that unpacks arguments and sets modules up, too, and a name to each of the
 * functions that it makes of one. */
void index_image_drop_glue (const IndexImage *image, gboolean is_function, GArray *places);
