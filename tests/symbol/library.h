/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libdwarf over the sections that pddt has found, mapped and inflated: one Dwarf_Debug for each part of a
 * file, so that .dwo files, units of packages, dwz's common file and all compressions work with every
 * version of the library. */
#pragma once
#include "symbol/dwarf.h"
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

#define LIBRARY_MAX_SECTIONS 14

typedef struct _Library Library;
struct _Library {
    const SymbolPart *part;
    struct {
        const char *name;
        const BaseCursor *bytes;
    } sections[LIBRARY_MAX_SECTIONS];
    guint n_sections;
    Dwarf_Obj_Access_Interface access;
    Dwarf_Debug debug;   /* NULL: the library wants nothing to do with it */
    BaseCursor skeleton; /* of a split part: its unit's entry in the file itself */
    Library *tied;       /* reads only that; NULL */
};

/* Of all parts of the file, in their order. A split part knows the file's addresses, a file that dwz has
 * shortened knows the common one. */
GPtrArray *library_open (const SymbolDwarf *dwarf);
/* Borrowed. */
Library *library_find (GPtrArray *libraries, const SymbolPart *part);
/* Closes them; without it nothing is freed. */
void library_close (GPtrArray *libraries);
