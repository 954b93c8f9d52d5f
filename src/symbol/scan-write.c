/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the scanner's tables to a file under a temporary name: the rows first, while the other
 * tables are still being made. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/array.h"
#include "base/error.h"
#include "symbol/scan-private.h"

#define N_BUFFERED (1 << 14) /* rows */

struct _SymbolScanFile {
    char *path, *temporary; /* NULL: the descriptor is the caller's */
    int fd;
    int fault; /* errno of the first failure; 0 */
    guint64 n_rows;
};

SymbolScanFile *
symbol_scan_file_new (const char *path)
{
    SymbolScanFile *file = g_new0 (SymbolScanFile, 1);
    file->path = g_strdup (path);
    file->temporary = g_strconcat (path, ".XXXXXX", NULL);
    file->fd = g_mkstemp_full (file->temporary, O_RDWR | O_CLOEXEC, 0600);
    file->fault = file->fd < 0 ? errno : 0;
    return file;
}

SymbolScanFile *
symbol_scan_file_new_fd (int fd)
{
    SymbolScanFile *file = g_new0 (SymbolScanFile, 1);
    file->fd = fd;
    return file;
}

static void
write_at (SymbolScanFile *file, const void *data, gsize size, guint64 offset)
{
    const guint8 *at = data;
    while (size && !file->fault) {
        gssize written = pwrite (file->fd, at, size, offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            file->fault = written < 0 ? errno : ENOSPC;
            return;
        }
        at += written;
        offset += written;
        size -= written;
    }
}

void
symbol_scan_file_write_rows (SymbolScanFile *file, const GArray *rows, guint32 **file_maps)
{
    g_autofree IndexRow *buffer = g_new (IndexRow, N_BUFFERED);
    guint64 offset = sizeof (IndexHeader);
    guint n = 0;
    BASE_EACH_ROW (rows, const SymbolRows, sequence) {
        const guint32 *files = file_maps[sequence->worker];
        file->n_rows += sequence->n;
        for (guint j = 0; j < sequence->n; j++) {
            buffer[n] = sequence->rows[j];
            if (buffer[n].file != INDEX_NONE)
                buffer[n].file = files[buffer[n].file];
            if (++n < N_BUFFERED)
                continue;
            write_at (file, buffer, n * sizeof (IndexRow), offset);
            offset += n * sizeof (IndexRow);
            n = 0;
        }
    }
    write_at (file, buffer, n * sizeof (IndexRow), offset);
}

/* Names of symbols lie behind all texts: from here on no text may be added. */
static void
place_symbol_names (SymbolScan *scan)
{
    guint32 before = scan->texts.n_bytes;
    BASE_EACH_ROW (scan->symbols, IndexSymbol, symbol) {
        symbol->name += symbol->name != INDEX_NONE ? before : 0;
    }
    BASE_EACH_ROW (scan->blocks, IndexBlock, block) {
        if (block->flags & INDEX_BLOCK_SYMBOL && block->name != INDEX_NONE)
            block->name += before;
    }
}

/* The strings are the texts and, behind them, the names of symbols. */
static void
write_tables (const SymbolScan *scan, SymbolScanFile *file, IndexHeader *header)
{
    GArray *arrays[INDEX_N_TABLES] = {
        [INDEX_TABLE_FILES] = scan->files,     [INDEX_TABLE_BLOCKS] = scan->blocks,
        [INDEX_TABLE_SPANS] = scan->spans,     [INDEX_TABLE_NAMES] = scan->names,
        [INDEX_TABLE_SYMBOLS] = scan->symbols, [INDEX_TABLE_SYMBOL_NAMES] = scan->symbol_names,
        [INDEX_TABLE_TAILS] = scan->tails
    };
    header->tables[INDEX_TABLE_ROWS].offset = sizeof *header;
    header->tables[INDEX_TABLE_ROWS].count = file->n_rows;
    guint64 offset = sizeof *header + file->n_rows * sizeof (IndexRow);
    for (guint i = 0; i < INDEX_N_TABLES; i++) {
        if (i == INDEX_TABLE_ROWS)
            continue;
        guint64 count = arrays[i] ? arrays[i]->len
                                  : scan->texts.n_bytes + scan->symbol_texts.n_bytes;
        guint64 size = count * (arrays[i] ? g_array_get_element_size (arrays[i]) : 1);
        header->tables[i].offset = offset;
        header->tables[i].count = count;
        if (arrays[i])
            write_at (file, arrays[i]->data, size, offset);
        else
            write_at (file, scan->texts.bytes, scan->texts.n_bytes, offset);
        if (!arrays[i])
            write_at (file, scan->symbol_texts.bytes, scan->symbol_texts.n_bytes,
                      offset + scan->texts.n_bytes);
        write_at (file, "\0\0\0\0\0\0\0", -size & 7, offset + size);
        offset = (offset + size + 7) & ~(guint64) 7;
    }
    header->size = offset;
    write_at (file, header, sizeof *header, 0);
}

gboolean
symbol_scan_file_finish (SymbolScanFile *file, SymbolScan *scan, const char *elf_path,
                         GError **error)
{
    IndexHeader header = { .magic = INDEX_MAGIC, .version = INDEX_VERSION };
    guint32 text = symbol_texts_add (&scan->texts, elf_path);
    if (text != INDEX_NONE)
        header.path = g_array_index (scan->texts.texts, SymbolText, text).offset;
    place_symbol_names (scan);
    write_tables (scan, file, &header);
    if (file->path && file->fd >= 0 && close (file->fd) != 0 && !file->fault)
        file->fault = errno;
    if (file->path && !file->fault && rename (file->temporary, file->path) != 0)
        file->fault = errno;
    int fault = file->fault;
    if (fault) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot write index %s: %s",
                        file->path ? file->path : "in memory", g_strerror (fault));
        if (file->path && file->fd >= 0)
            unlink (file->temporary);
    }
    g_free (file->path);
    g_free (file->temporary);
    g_free (file);
    return !fault;
}
