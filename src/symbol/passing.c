/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether objects of a class are passed and returned by address because copying them
 * runs code, and finds methods in vtables. */
#include <string.h>

#include "symbol/bind-private.h"

#define MAX_DEPTH 40

static gboolean
is_aggregate (guint32 tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type
           || tag == DW_TAG_interface_type;
}

/* The declaration copies or moves an object of the class: its first parameter after `this` is a
 * reference to the class. */
static gboolean
is_copying (SymbolBinding *binding, const SymbolDie *class, const SymbolDie *function)
{
    SymbolDie parameter, target;
    gboolean is_this = TRUE;

    if (!symbol_die_first_child (binding->dwarf, function, &parameter))
        return FALSE;
    while (is_this) {
        is_this = symbol_die_get_number (binding->dwarf, &parameter, DW_AT_artificial, 0) != 0;
        if (is_this && !symbol_die_next (binding->dwarf, &parameter, &parameter))
            return FALSE;
    }
    if (parameter.tag != DW_TAG_formal_parameter
        || !symbol_type_strip_die (binding->dwarf,
                                   symbol_type_find_target (binding->dwarf, &parameter),
                                   &target)
        || (target.tag != DW_TAG_reference_type && target.tag != DW_TAG_rvalue_reference_type))
        return FALSE;
    return symbol_type_strip_die (binding->dwarf,
                                  symbol_type_find_target (binding->dwarf, &target), &target)
           && target.offset == class->offset;
}

static gboolean
is_written_by_user (SymbolBinding *binding, const SymbolDie *function)
{
    return !symbol_die_get_number (binding->dwarf, function, DW_AT_artificial, 0)
           && symbol_die_get_number (binding->dwarf, function, DW_AT_defaulted, 0) != 1;
}

/* A base or member whose copying is the program's own code makes that of the whole so, as do a virtual
 * base and virtual functions. */
static gboolean
has_part_by_reference (SymbolBinding *binding, const SymbolDie *part, guint depth)
{
    SymbolDie type;
    SymbolValue value;
    if (part->tag == DW_TAG_subprogram || part->tag == DW_TAG_inheritance) {
        if (symbol_die_get_number (binding->dwarf, part, DW_AT_virtuality, 0))
            return TRUE;
        if (part->tag == DW_TAG_subprogram)
            return FALSE;
    } else if (part->tag != DW_TAG_member
               || symbol_die_get (binding->dwarf, part, DW_AT_external, &value)) {
        return FALSE;
    }
    guint64 offset = symbol_type_find_target (binding->dwarf, part);
    while (symbol_type_strip_die (binding->dwarf, offset, &type)
           && type.tag == DW_TAG_array_type)
        offset = symbol_type_find_target (binding->dwarf, &type);
    return offset && symbol_type_strip_die (binding->dwarf, offset, &type)
           && is_aggregate (type.tag)
           && symbol_type_find_passing (binding, &type, depth + 1)
                  == EVALUATE_TYPE_BY_REFERENCE;
}

/* How a class is passed (DWARF 5, 5.7.1.1; DW_CC_pass_by_reference is 4). Where the attribute is
 * absent, what the ABI asks: a destructor, or a function that copies or moves, of the user's own. */
guint32
symbol_type_find_passing (SymbolBinding *binding, const SymbolDie *die, guint depth)
{
    guint64 convention = symbol_die_get_number (binding->dwarf, die, DW_AT_calling_convention,
                                                0);
    const char *name = symbol_die_get_name (binding->dwarf, die);
    gsize length = name ? strcspn (name, "<") : 0;
    SymbolDie child;

    if (symbol_imports_get_language (binding, die->unit) != JOB_LANGUAGE_CXX || convention != 0)
        return convention == 4 ? EVALUATE_TYPE_BY_REFERENCE : 0;
    if (depth > MAX_DEPTH || !symbol_die_first_child (binding->dwarf, die, &child))
        return 0;
    do {
        if (has_part_by_reference (binding, &child, depth))
            return EVALUATE_TYPE_BY_REFERENCE;
        const char *function = child.tag == DW_TAG_subprogram
                                   ? symbol_die_get_name (binding->dwarf, &child)
                                   : NULL;
        gboolean is_maker = function && name && strncmp (function, name, length) == 0
                            && (function[length] == 0 || function[length] == '<')
                            && is_copying (binding, die, &child);

        if (function && (function[0] == '~' || is_maker)
            && is_written_by_user (binding, &child))
            return EVALUATE_TYPE_BY_REFERENCE;
    } while (symbol_die_next (binding->dwarf, &child, &child));
    return 0;
}

/* The parameter that is the object of a method: it stands first, and the compiler has added it. */
static gboolean
has_object (const SymbolDwarf *dwarf, const SymbolDie *function)
{
    SymbolDie die;
    if (!symbol_die_first_child (dwarf, function, &die))
        return FALSE;
    while (die.tag != DW_TAG_formal_parameter)
        if (!symbol_die_next (dwarf, &die, &die))
            return FALSE;
    /* outlined parts of functions have parameters like this, with names of their own */
    const char *name = symbol_die_get_name (dwarf, &die);
    return symbol_die_get_number (dwarf, &die, DW_AT_artificial, 0)
           && (!name || !strcmp (name, "this"));
}

gboolean
symbol_die_takes_object (const SymbolDwarf *dwarf, const SymbolDie *function)
{
    SymbolDie at = *function;
    SymbolValue value;
    for (guint depth = 0; depth < 8; depth++) {
        if (symbol_die_get (dwarf, &at, DW_AT_object_pointer, &value)
            || (at.unit->language == JOB_LANGUAGE_CXX && has_object (dwarf, &at)))
            return TRUE;
        if ((!symbol_die_get (dwarf, &at, DW_AT_abstract_origin, &value)
             && !symbol_die_get (dwarf, &at, DW_AT_specification, &value))
            || value.kind != SYMBOL_VALUE_REFERENCE
            || !symbol_die_find (dwarf, value.number, &at))
            return FALSE;
    }
    return FALSE;
}

gboolean
symbol_die_find_slot (const SymbolDwarf *dwarf, const SymbolDie *method, guint64 *ret_slot)
{
    const guint8 *block;
    gsize size;
    if (!symbol_die_get_number (dwarf, method, DW_AT_virtuality, 0)
        || !symbol_die_find_location (dwarf, method, DW_AT_vtable_elem_location, 0, FALSE,
                                      &block, &size)
        || size < 2 || block[0] != DW_OP_constu)
        return FALSE;
    BaseCursor cursor = BASE_CURSOR_INIT (block + 1, size - 1);
    *ret_slot = base_cursor_read_uleb (&cursor);
    return !cursor.failed;
}
