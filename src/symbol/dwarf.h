/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of .debug_info, DWARF 2 to 5, 32- and 64-bit: units, abbreviations, attributes, ranges
 * and location lists. Every read is checked against its section; malformed data reads as
 * absent. The file itself, its .dwo files or .dwp package and dwz's common file are parts,
 * which share one space of unit offsets. */
#pragma once
#include <glib.h>

#include "base/cursor.h"
#include "job/location.h"
#include "symbol/dwarf-numbers.h"
#include "symbol/elf.h"

typedef struct {
    guint32 attribute, form;
    gint64 implicit;
} SymbolSpec;

typedef struct {
    guint32 code, tag;
    gboolean has_children;
    guint n_specs, first_spec;
    gint32 fixed_size; /* of all attributes; -1 when not fixed */
} SymbolAbbrev;

typedef struct {
    GArray *abbrevs;     /* of SymbolAbbrev */
    GArray *specs;       /* of SymbolSpec */
    GHashTable *by_code; /* only when codes do not count up from 1 */
    guint offset_size, address_size, version;
} SymbolAbbrevTable;

/* Sections that belong together: of the file, of one .dwo file, of one unit of a package. */
typedef struct _SymbolPart SymbolPart;
struct _SymbolPart {
    guint64 base; /* offset of its first unit */
    BaseCursor info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, loc, loclists,
        line;                    /* whole sections; copied, never moved */
    const SymbolPart *alternate; /* dwz's common file; may be NULL */
    gboolean is_types;           /* info is .debug_types */
    gboolean is_split;           /* info is .debug_info.dwo */
    gboolean is_alternate;
};

typedef struct _SymbolUnit SymbolUnit;
struct _SymbolUnit {
    const SymbolPart *part;
    guint64 offset, end, first_die; /* in the space of offsets */
    guint version, offset_size, address_size;
    SymbolAbbrevTable *abbrevs;
    guint64 str_offsets_base, addr_base, rnglists_base, loclists_base;
    gboolean has_low;
    guint64 low; /* base address */
    guint64 stmt_list;
    gboolean has_lines;
    gboolean keeps_registers;    /* gcc: a register in a location list at a call survives
                                       it */
    const char *name, *comp_dir; /* may be NULL */
    JobLanguage language;
    guint tag;
    guint64 dwo_id;             /* 0: not split, or a type's */
    guint64 ranges_base;        /* of a split unit of DWARF 4: added to its DW_AT_ranges */
    const char *dwo_name;       /* of a skeleton; NULL for any other */
    const SymbolUnit *split;    /* of a skeleton: its split unit; NULL when not found */
    const SymbolUnit *skeleton; /* of a split unit: where its lines and addresses are */
};

typedef struct {
    SymbolElf *elf, *debug; /* debug: elf itself when it has no separate file */
    gboolean owns_debug;
    GPtrArray *files; /* of SymbolElf: .dwo, .dwp, dwz's common file */
    GPtrArray *parts; /* of SymbolPart, by base */
    GPtrArray *units; /* of SymbolUnit, by offset */
    GHashTable *abbrev_tables;
    GHashTable *signatures; /* of type units to SymbolSignature */
    guint n_missing;        /* referenced files that are missing or do not match */
    char *missing;          /* the first of them; NULL when none is */
} SymbolDwarf;

typedef struct {
    guint64 signature, die;
} SymbolSignature;

typedef struct {
    const SymbolUnit *unit;
    const SymbolAbbrev *abbrev;
    guint64 offset, attributes;
    guint32 tag;
    guint64 limit; /* its siblings begin before it */
} SymbolDie;

typedef enum {
    SYMBOL_VALUE_NONE,
    SYMBOL_VALUE_ADDRESS,
    SYMBOL_VALUE_CONSTANT,
    SYMBOL_VALUE_STRING,
    SYMBOL_VALUE_REFERENCE,
    SYMBOL_VALUE_OFFSET,
    SYMBOL_VALUE_BLOCK,
    SYMBOL_VALUE_FLAG,
    SYMBOL_VALUE_SIGNATURE
} SymbolValueKind;

typedef struct {
    SymbolValueKind kind;
    guint32 form;
    guint64 number; /* address, constant (sign-extended for sdata), offset, reference */
    const char *string;
    const guint8 *block;
    gsize size;
} SymbolValue;

/* Takes elf. Finds the debug file, reads all unit headers. Never fails: without debug
 * information it has no units. */
SymbolDwarf *symbol_dwarf_new (SymbolElf *elf);
void symbol_dwarf_free (SymbolDwarf *dwarf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolDwarf, symbol_dwarf_free)
/* Skeletons whose split unit was found are not read themselves. */
static inline gboolean
symbol_unit_is_read (const SymbolUnit *unit)
{
    return !unit->split;
}
const SymbolUnit *symbol_dwarf_find_unit (const SymbolDwarf *dwarf, guint64 die_offset);

/* The form's size; -1 if it depends on the value. */
gint symbol_form_get_size (guint32 form, guint offset_size, guint address_size, guint version);
/* Reads an attribute's value at the cursor and advances it, or fails the cursor. */
void symbol_form_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor,
                       guint32 form, gint64 implicit, SymbolValue *value);
const SymbolAbbrev *symbol_abbrev_find (const SymbolAbbrevTable *table, guint64 code);
/* At an entry's offset, up to the unit's end. The cursor counts from the base. */
BaseCursor symbol_unit_open (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset);
static inline guint64
symbol_unit_get_base (const SymbolUnit *unit)
{
    return unit->part->base;
}

/* FALSE at a null entry, at the unit's end and for broken bytes. */
gboolean symbol_die_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, guint64 offset,
                          SymbolDie *ret_die);
/* Any unit. */
gboolean symbol_die_find (const SymbolDwarf *dwarf, guint64 offset, SymbolDie *ret_die);
gboolean symbol_die_get (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute,
                         SymbolValue *ret_value);
/* The same, also following abstract_origin, specification and the like. */
gboolean symbol_die_get_deep (const SymbolDwarf *dwarf, const SymbolDie *die, guint32 attribute,
                              SymbolValue *ret_value);
/* It only declares a variable or type that is defined elsewhere. One that has a location is defined, whatever it says
 * (gfortran's namelists). */
gboolean symbol_die_is_declaration (const SymbolDwarf *dwarf, const SymbolDie *die);
const char *symbol_die_get_name (const SymbolDwarf *dwarf, const SymbolDie *die); /* deep */
/* Of a namespace or class. clang leaves a class that has a type unit without a name outside it. */
const char *symbol_die_get_scope_name (const SymbolDwarf *dwarf, const SymbolDie *die);
/* A value of that form where the cursor stands, whose strings are the unit's: line tables have the same forms. One of an
 * unknown form makes the cursor fail. */
void symbol_value_read (const SymbolDwarf *dwarf, const SymbolUnit *unit, BaseCursor *cursor,
                        guint64 form, SymbolValue *ret_value);
guint64 symbol_die_get_number (const SymbolDwarf *dwarf, const SymbolDie *die,
                               guint32 attribute, guint64 otherwise);
/* The children end where the entry says that its sibling begins, so no entry of a walk comes twice. */
gboolean symbol_die_first_child (const SymbolDwarf *dwarf, const SymbolDie *die,
                                 SymbolDie *ret_child);
/* die may be ret_sibling. */
gboolean symbol_die_next (const SymbolDwarf *dwarf, const SymbolDie *die,
                          SymbolDie *ret_sibling);

typedef struct {
    guint64 low, high;
} SymbolRange;
/* Appends the entry's address ranges (low_pc/high_pc or ranges) without dead ones. */
void symbol_die_read_ranges (const SymbolDwarf *dwarf, const SymbolDie *die, GArray *ranges);
/* The ranges of a unit's code; for a split unit, from its skeleton. */
void symbol_unit_read_ranges (const SymbolDwarf *dwarf, const SymbolUnit *unit, GArray *ranges);
/* The location expression valid at pc; at_entry: pc is the first instruction of its function.
 * FALSE: no attribute, or no location there. */
gboolean symbol_die_find_location (const SymbolDwarf *dwarf, const SymbolDie *die,
                                   guint32 attribute, guint64 pc, gboolean at_entry,
                                   const guint8 **ret_block, gsize *ret_size);
gboolean symbol_unit_read_address (const SymbolDwarf *dwarf, const SymbolUnit *unit,
                                   guint64 index, guint64 *ret_address);
