/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the readers of entries, units and parts. */
#pragma once
#include "symbol/dwarf.h"

/* units.c */
/* Reads the headers and first entries of all units of the part, and appends them. */
void symbol_units_read (SymbolDwarf *dwarf, const SymbolPart *part);
/* Copies what only the skeleton has to its split unit. */
void symbol_unit_link (SymbolUnit *skeleton, SymbolUnit *split);

/* parts.c */
/* Makes the parts of dwarf->debug and of the files that it names; reads their units. */
void symbol_parts_load (SymbolDwarf *dwarf);
/* Finds the split units of skeletons, in .dwo files or a package. */
void symbol_parts_load_split (SymbolDwarf *dwarf);
