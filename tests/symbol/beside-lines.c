/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit's line table, as pddt and as libdwarf run its program. */
#include "beside-private.h"
#include "symbol/lines.h"

static void
compare_file (Beside *beside, const SymbolLines *lines, const IndexRow *row, Dwarf_Line theirs)
{
    const char *own = row->file < lines->files->len ? lines->files->pdata[row->file] : NULL;
    char *name = NULL;
    Dwarf_Unsigned number = 0;
    Dwarf_Error error = NULL;
    dwarf_line_srcfileno (theirs, &number, &error);
    /* before the first DW_LNS_set_file the file is 1 (DWARF 5 section 6.2.2), and so say readelf and gdb;
       libdwarf 20210528 has 0 there since version 5 */
    if (!number && row->file == 1)
        return;
    int result = dwarf_linesrc (theirs, &name, &error);
    g_autofree char *whole = name && name[0] == '/' ? g_canonicalize_filename (name, "/")
                                                    : g_strdup (name);
    if (result != DW_DLV_OK || g_strcmp0 (own, whole) != 0)
        beside_fail (beside, beside->unit->offset,
                     "at 0x%" G_GINT64_MODIFIER "x file %s; theirs %s, %s", row->address, own,
                     whole, beside_describe (beside, result, &error));
    if (result == DW_DLV_OK)
        dwarf_dealloc (beside->library->debug, name, DW_DLA_STRING);
}

static void
compare_row (Beside *beside, const SymbolLines *lines, const IndexRow *row, Dwarf_Line theirs)
{
    Dwarf_Addr address = 0;
    Dwarf_Unsigned line = 0, isa, discriminator;
    Dwarf_Bool begins = FALSE, ends = FALSE, behind = FALSE, leaves = FALSE;
    Dwarf_Error error = NULL;
    dwarf_lineaddr (theirs, &address, &error);
    dwarf_lineno (theirs, &line, &error);
    dwarf_linebeginstatement (theirs, &begins, &error);
    dwarf_lineendsequence (theirs, &ends, &error);
    dwarf_prologue_end_etc (theirs, &behind, &leaves, &isa, &discriminator, &error);
    guint flags = (begins ? INDEX_ROW_STMT : 0) | (behind ? INDEX_ROW_PROLOGUE_END : 0)
                  | (ends ? INDEX_ROW_END : 0);
    if (row->address != address || row->line != line
        || (row->flags & ~INDEX_ROW_GOES_ON) != flags)
        beside_fail (beside, beside->unit->offset,
                     "row 0x%" G_GINT64_MODIFIER "x line %u flags %u; theirs 0x%llx %llu %u",
                     row->address, row->line, row->flags, address, line, flags);
    compare_file (beside, lines, row, theirs);
}

void
beside_compare_lines (Beside *beside, Dwarf_Die root)
{
    g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (IndexRow));
    g_autoptr (SymbolLines) lines = symbol_lines_read (beside->dwarf, beside->unit, rows);
    Dwarf_Unsigned version = 0;
    Dwarf_Small n_tables = 0;
    Dwarf_Line_Context context = NULL;
    Dwarf_Line *theirs = NULL;
    Dwarf_Signed n = 0;
    Dwarf_Error error = NULL;
    int result = dwarf_srclines_b (root, &version, &n_tables, &context, &error);
    if (result == DW_DLV_OK)
        result = dwarf_srclines_from_linecontext (context, &theirs, &n, &error);
    if (result != DW_DLV_OK || n != rows->len)
        beside_fail (beside, beside->unit->offset, "%u rows; theirs %d, %s", rows->len, (int) n,
                     beside_describe (beside, result, &error));
    for (guint i = 0; i < rows->len && i < n; i++)
        compare_row (beside, lines, &g_array_index (rows, IndexRow, i), theirs[i]);
    beside->n_rows += rows->len;
    if (context)
        dwarf_srclines_dealloc_b (context);
}
