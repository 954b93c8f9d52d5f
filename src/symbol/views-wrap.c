/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes libstdc++ types that hold or point to something without being containers: adapters,
 * iterators, spans, sets of bits, durations, paths, std::any. */
#include <string.h>

#include "symbol/views-private.h"

#define MAX_MANAGERS 500

static void
add_number (SymbolBinding *binding, guint32 number, guint64 value)
{
    symbol_view_add_number (symbol_type_get (binding, number), value);
}

/* The value at a path, with its own type. */
static gboolean
wrap (SymbolBinding *binding, guint32 number, const char *path, guint style)
{
    guint32 inner;
    if (!symbol_view_add_path (binding, number, path, &inner))
        return FALSE;
    add_number (binding, number, style);
    symbol_view_add_type (symbol_type_get (binding, number), inner);
    return TRUE;
}

gboolean
symbol_view_describe_adapter (SymbolBinding *binding, guint32 number)
{
    return wrap (binding, number, "c", EVALUATE_WRAP_ADAPTER);
}

gboolean
symbol_view_describe_path (SymbolBinding *binding, guint32 number)
{
    return wrap (binding, number, "_M_pathname", EVALUATE_WRAP_PATH);
}

gboolean
symbol_view_describe_atomic (SymbolBinding *binding, guint32 number)
{
    return wrap (binding, number, "_M_i", EVALUATE_WRAP_ATOMIC)
           || wrap (binding, number, "_M_b._M_p", EVALUATE_WRAP_ATOMIC)
           || wrap (binding, number, "_M_base._M_i", EVALUATE_WRAP_ATOMIC);
}

gboolean
symbol_view_describe_time (SymbolBinding *binding, guint32 number)
{
    return wrap (binding, number, "__d", EVALUATE_WRAP_TIME)
           || wrap (binding, number, "__d_", EVALUATE_WRAP_TIME);
}

/* What a duration counts is in its name: "std::ratio<60, 1>". */
gboolean
symbol_view_describe_duration (SymbolBinding *binding, guint32 number)
{
    const char *at = strstr (symbol_type_get (binding, number)->name, "ratio<");
    char *end;
    guint64 numerator = at ? g_ascii_strtoull (at + 6, &end, 10) : 0;
    if (!numerator || *end != ',')
        return FALSE;
    guint64 denominator = g_ascii_strtoull (end + 1, NULL, 10);
    if (!denominator
        || (!wrap (binding, number, "__r", EVALUATE_WRAP_DURATION)
            && !wrap (binding, number, "__rep_", EVALUATE_WRAP_DURATION)))
        return FALSE;
    add_number (binding, number, numerator);
    add_number (binding, number, denominator);
    return TRUE;
}

/* With as many elements as its type says, or a member. */
gboolean
symbol_view_describe_span (SymbolBinding *binding, guint32 number)
{
    guint64 offset;
    if (!symbol_view_add_path (binding, number, "_M_ptr", NULL))
        return FALSE;
    if (symbol_view_take_path (binding, number, "_M_extent._M_extent_value", &offset, NULL)) {
        add_number (binding, number, offset);
        add_number (binding, number, FALSE);
    } else {
        const char *comma = strrchr (symbol_type_get (binding, number)->name, ',');
        add_number (binding, number, comma ? g_ascii_strtoull (comma + 1, NULL, 10) : 0);
        add_number (binding, number, TRUE);
    }
    return symbol_view_add_argument (binding, number, 0);
}

gboolean
symbol_view_describe_list (SymbolBinding *binding, guint32 number)
{
    if (!symbol_view_add_path (binding, number, "_M_array", NULL)
        || !symbol_view_add_path (binding, number, "_M_len", NULL))
        return FALSE;
    add_number (binding, number, FALSE);
    return symbol_view_add_argument (binding, number, 0);
}

gboolean
symbol_view_describe_bitset (SymbolBinding *binding, guint32 number)
{
    const char *bracket = strchr (symbol_type_get (binding, number)->name, '<');
    guint64 bits = bracket ? g_ascii_strtoull (bracket + 1, NULL, 10) : 0;
    if (!bits || !symbol_view_add_path (binding, number, "_M_w", NULL))
        return FALSE;
    add_number (binding, number, bits);
    symbol_view_add_type (symbol_type_get (binding, number),
                          symbol_type_get_basic (binding, EVALUATE_TYPE_BOOL, 1, "bool"));
    return TRUE;
}

/* An iterator that is a pointer to the element itself. */
gboolean
symbol_view_describe_pointer (SymbolBinding *binding, guint32 number)
{
    guint32 pointer;
    if (!symbol_view_add_path (binding, number, "_M_current", &pointer)
        && !symbol_view_add_path (binding, number, "_M_cur", &pointer))
        return FALSE;
    guint32 element = symbol_type_get_target (binding, pointer);
    if (symbol_type_strip (binding, pointer)->kind != EVALUATE_TYPE_POINTER
        || !symbol_view_get_size (binding, element))
        return FALSE;
    add_number (binding, number, 0);
    add_number (binding, number, FALSE);
    symbol_view_add_type (symbol_type_get (binding, number), element);
    return TRUE;
}

static gboolean
describe_node (SymbolBinding *binding, guint32 number, const char *path, guint64 header,
               gboolean is_tree)
{
    if (!symbol_view_add_path (binding, number, path, NULL)
        || !symbol_view_add_argument (binding, number, 0))
        return FALSE;
    add_number (binding, number, symbol_view_place_value (binding, number, header));
    add_number (binding, number, is_tree);
    return TRUE;
}

/* gcc leaves the arguments of this template out; a type in it is the node's, which has them. */
static guint64
find_listed (SymbolBinding *binding, guint32 number)
{
    SymbolDie die, child;
    guint64 found = symbol_view_find_argument (binding, number, 0);
    if (found || !symbol_die_find (binding->dwarf, symbol_type_get (binding, number)->die, &die)
        || !symbol_die_first_child (binding->dwarf, &die, &child))
        return found;
    do {
        const char *name = child.tag == DW_TAG_typedef
                               ? symbol_die_get_name (binding->dwarf, &child)
                               : NULL;
        if (g_strcmp0 (name, "_Node") != 0)
            continue;
        guint32 node = symbol_type_strip_number (binding,
                                                 symbol_type_build_of (binding, &child));
        guint32 storage;
        guint64 offset;
        found = symbol_view_find_argument (binding, node, 0);
        if (!found && symbol_view_take_path (binding, node, "_M_storage", &offset, &storage))
            found = symbol_view_find_argument (binding,
                                               symbol_type_strip_number (binding, storage), 0);
        return found;
    } while (symbol_die_next (binding->dwarf, &child, &child));
    return 0;
}

gboolean
symbol_view_describe_list_node (SymbolBinding *binding, guint32 number)
{
    guint64 listed = find_listed (binding, number);
    guint32 element = listed ? symbol_type_build (binding, listed) : 0;
    if (!element || !symbol_view_get_size (binding, element)
        || !symbol_view_add_path (binding, number, "_M_node", NULL))
        return FALSE;
    symbol_view_add_type (symbol_type_get (binding, number), element);
    add_number (binding, number, symbol_view_place_value (binding, number, 16));
    add_number (binding, number, FALSE);
    return TRUE;
}

gboolean
symbol_view_describe_tree_node (SymbolBinding *binding, guint32 number)
{
    return describe_node (binding, number, "_M_node", 32, TRUE);
}

gboolean
symbol_view_describe_hash_node (SymbolBinding *binding, guint32 number)
{
    return describe_node (binding, number, "_M_cur", 8, FALSE);
}

gboolean
symbol_view_describe_function (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "_M_manager", NULL)
           && symbol_view_add_path (binding, number, "_M_invoker", NULL)
           && symbol_view_add_path (binding, number, "_M_functor", NULL);
}

/* The type that a manager is for, by the class that it is a member of; 0: it is none. */
static guint32
find_managed (SymbolBinding *binding, const SymbolDie *manager, gboolean *ret_external)
{
    SymbolDie declaration, holder, child;
    SymbolValue value;
    g_autofree char *name = symbol_names_dup_qualified (binding->binder, manager);
    if (!name || !g_str_has_prefix (name, "std::any::_Manager_")
        || !symbol_die_get (binding->dwarf, manager, DW_AT_specification, &value)
        || value.kind != SYMBOL_VALUE_REFERENCE
        || !symbol_die_find (binding->dwarf, value.number, &declaration)
        || !symbol_names_find_parent (binding->dwarf, &declaration, &holder)
        || !symbol_die_first_child (binding->dwarf, &holder, &child))
        return 0;
    *ret_external = g_str_has_prefix (name + strlen ("std::any::_Manager_"), "external");
    do {
        if (child.tag == DW_TAG_template_type_parameter)
            return symbol_type_build_of (binding, &child);
    } while (symbol_die_next (binding->dwarf, &child, &child));
    return 0;
}

/* Every type that this file puts into a std::any has a function that manages it, whose address tells what
 * is in one. */
gboolean
symbol_view_describe_any (SymbolBinding *binding, guint32 number)
{
    const GArray *list = symbol_names_find (binding->binder, "_S_manage");
    if (!symbol_view_add_path (binding, number, "_M_manager", NULL)
        || !symbol_view_add_path (binding, number, "_M_storage", NULL))
        return FALSE;
    for (guint i = 0; list && i < MIN (list->len, MAX_MANAGERS); i++) {
        g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
        SymbolDie die;
        gboolean external;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || die.tag != DW_TAG_subprogram)
            continue;
        symbol_die_read_ranges (binding->dwarf, &die, ranges);
        guint32 type = ranges->len ? find_managed (binding, &die, &external) : 0;
        if (!type)
            continue;
        add_number (binding, number, g_array_index (ranges, SymbolRange, 0).low);
        add_number (binding, number, external);
        symbol_view_add_type (symbol_type_get (binding, number), type);
    }
    return TRUE;
}
