/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the parts of the comparison of pddt's reader of DWARF with libdwarf. */
#pragma once
#include "library.h"

typedef struct {
    SymbolDwarf *dwarf;
    GPtrArray *libraries;
    /* of the unit at work */
    const SymbolUnit *unit;
    Library *library;
    gboolean is_info; /* not .debug_types */
    guint64 n_units, n_entries, n_values, n_ranges, n_places, n_rows, n_bad;
} Beside;

/* One place where the two do not say the same. */
void beside_fail (Beside *beside, guint64 offset, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* What the library's answer is, for the message of beside_fail. Frees the error. */
const char *beside_describe (Beside *beside, int result, Dwarf_Error *error);

/* beside-values.c: one attribute. */
void beside_compare_value (Beside *beside, const SymbolDie *die, guint32 attribute,
                           Dwarf_Attribute theirs);
/* beside-lists.c: the ranges of an entry, and its locations at every address where they change. */
void beside_compare_ranges (Beside *beside, const SymbolDie *die, Dwarf_Die theirs,
                            Dwarf_Attribute list);
void beside_compare_places (Beside *beside, const SymbolDie *die, guint32 attribute,
                            Dwarf_Attribute list);
/* beside-lines.c: all rows of the unit's line program. */
void beside_compare_lines (Beside *beside, Dwarf_Die root);
