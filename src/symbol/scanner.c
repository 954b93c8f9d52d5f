/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the order of the scan and how its tables become a file. */
#include "symbol/scan-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/error.h"

guint32
symbol_scan_add_string (SymbolScan *scan, const char *text)
{
    if (!text)
        return INDEX_NONE;
    guint offset = GPOINTER_TO_UINT (g_hash_table_lookup (scan->string_offsets, text));
    if (offset)
        return offset - 1;
    gsize size = strlen (text) + 1;
    if (scan->strings->len + size > G_MAXINT32)
        return INDEX_NONE;
    offset = scan->strings->len;
    g_byte_array_append (scan->strings, (const guint8 *) text, size);
    g_hash_table_insert (scan->string_offsets, g_strdup (text), GUINT_TO_POINTER (offset + 1));
    return offset;
}

static void
init_scan (SymbolScan *scan, SymbolDwarf *dwarf)
{
    scan->dwarf = dwarf;
    scan->strings = g_byte_array_new ();
    scan->string_offsets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    scan->file_numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    scan->qualified = g_hash_table_new_full (NULL, NULL, NULL, g_free);
    scan->foreign = g_hash_table_new_full (NULL, NULL, NULL,
                                           (GDestroyNotify) g_hash_table_unref);
    scan->line_programs = g_hash_table_new (NULL, NULL);
    scan->files = g_array_new (FALSE, FALSE, sizeof (guint32));
    scan->unit_files = g_array_new (FALSE, FALSE, sizeof (guint32));
    scan->blocks = g_array_new (FALSE, FALSE, sizeof (IndexBlock));
    scan->spans = g_array_new (FALSE, FALSE, sizeof (IndexSpan));
    scan->rows = g_array_new (FALSE, FALSE, sizeof (IndexRow));
    scan->lines = g_array_new (FALSE, FALSE, sizeof (guint32));
    scan->names = g_array_new (FALSE, FALSE, sizeof (IndexName));
    scan->symbols = g_array_new (FALSE, FALSE, sizeof (IndexSymbol));
    scan->symbol_names = g_array_new (FALSE, FALSE, sizeof (IndexName));
}

static void
clear_scan (SymbolScan *scan)
{
    GArray *arrays[] = { scan->files, scan->unit_files, scan->blocks, scan->spans, scan->rows,
                         scan->lines, scan->names, scan->symbols, scan->symbol_names };
    for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
        g_array_unref (arrays[i]);
    g_byte_array_unref (scan->strings);
    g_hash_table_unref (scan->string_offsets);
    g_hash_table_unref (scan->file_numbers);
    g_hash_table_unref (scan->qualified);
    g_hash_table_unref (scan->foreign);
    g_hash_table_unref (scan->line_programs);
}

static gboolean
write_all (int fd, const void *data, gsize size)
{
    const guint8 *at = data;
    while (size) {
        gssize written = write (fd, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return FALSE;
        at += written;
        size -= written;
    }
    return TRUE;
}

static gboolean
write_tables (const SymbolScan *scan, IndexHeader *header, int fd)
{
    const GArray *arrays[INDEX_N_TABLES] = {
        [INDEX_TABLE_FILES] = scan->files, [INDEX_TABLE_BLOCKS] = scan->blocks,
        [INDEX_TABLE_SPANS] = scan->spans, [INDEX_TABLE_ROWS] = scan->rows,
        [INDEX_TABLE_LINES] = scan->lines, [INDEX_TABLE_NAMES] = scan->names,
        [INDEX_TABLE_SYMBOLS] = scan->symbols, [INDEX_TABLE_SYMBOL_NAMES] = scan->symbol_names };
    guint64 offset = sizeof *header;
    for (guint i = 0; i < INDEX_N_TABLES; i++) {
        guint64 count = arrays[i] ? arrays[i]->len : scan->strings->len;
        guint64 size = arrays[i] ? g_array_get_element_size ((GArray *) arrays[i]) : 1;
        header->tables[i].offset = offset;
        header->tables[i].count = count;
        offset = (offset + count * size + 7) & ~(guint64) 7;
    }
    header->size = offset;
    if (!write_all (fd, header, sizeof *header))
        return FALSE;
    for (guint i = 0; i < INDEX_N_TABLES; i++) {
        guint64 size = arrays[i] ? (guint64) arrays[i]->len *
                                       g_array_get_element_size ((GArray *) arrays[i])
                                 : scan->strings->len;
        const void *data = arrays[i] ? (const void *) arrays[i]->data : scan->strings->data;
        if (!write_all (fd, data, size) || !write_all (fd, "\0\0\0\0\0\0\0", -size & 7))
            return FALSE;
    }
    return TRUE;
}

static gboolean
write_file (SymbolScan *scan, const char *elf_path, const char *path, GError **error)
{
    IndexHeader header = { .magic = INDEX_MAGIC, .version = INDEX_VERSION };
    header.path = symbol_scan_add_string (scan, elf_path);
    g_autofree char *temporary = g_strconcat (path, ".XXXXXX", NULL);
    int fd = g_mkstemp_full (temporary, O_RDWR | O_CLOEXEC, 0600);
    gboolean good = fd >= 0 && write_tables (scan, &header, fd);
    int saved = errno;
    if (fd >= 0)
        good = close (fd) == 0 && good;
    if (good && rename (temporary, path) == 0)
        return TRUE;
    if (good)
        saved = errno;
    if (fd >= 0)
        unlink (temporary);
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot write index %s: %s", path,
                 g_strerror (saved));
    return FALSE;
}

gboolean
symbol_scan_write (SymbolDwarf *dwarf, const char *elf_path, const char *path, GError **error)
{
    SymbolScan scan = { 0 };
    init_scan (&scan, dwarf);
    symbol_scan_add_string (&scan, "");
    for (guint i = 0; i < dwarf->units->len; i++) {
        scan.unit = dwarf->units->pdata[i];
        if ((scan.unit->tag != DW_TAG_compile_unit && scan.unit->tag != DW_TAG_partial_unit &&
             scan.unit->tag != DW_TAG_skeleton_unit) || !symbol_unit_is_read (scan.unit) ||
            scan.unit->part->is_alternate)
            continue;
        symbol_scan_lines (&scan);
        symbol_scan_functions (&scan);
        g_hash_table_remove_all (scan.qualified);
    }
    symbol_scan_finish_lines (&scan);
    symbol_scan_finish_blocks (&scan);
    gboolean good = write_file (&scan, elf_path, path, error);
    clear_scan (&scan);
    return good;
}
