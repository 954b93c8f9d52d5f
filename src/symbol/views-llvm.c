/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the containers of LLVM's C++ library (libc++, ABI version 1) by their members'
 * names, from version 14 on, including newer names. */

#include "symbol/views-private.h"

/* The first of the paths that is there. */
static gboolean
add_either (SymbolBinding *binding, guint32 number, const char *path, const char *other,
            guint32 *ret_type)
{
    return symbol_view_add_path (binding, number, path, ret_type)
           || symbol_view_add_path (binding, number, other, ret_type);
}

/* The long form {capacity, size, pointer} and the short one {twice the size, text} share 24 bytes;
 * the lowest bit says which. clang may leave the inner types out, as the library has them. */
static gboolean
view_string (SymbolBinding *binding, guint32 number)
{
    SymbolType *type = symbol_type_get (binding, number);
    guint64 offset;
    if (type->size != 24
        || (!symbol_view_take_path (binding, number, "__r_", &offset, NULL)
            && !symbol_view_take_path (binding, number, "__rep_", &offset, NULL)))
        return FALSE;
    if (symbol_view_take_path (binding, number, "__r_.__value_.__l.__data_", &offset, NULL)
        && offset != 16)
        return FALSE;
    if (!symbol_view_add_argument (binding, number, 0))
        return FALSE;
    type = symbol_type_get (binding, number);
    guint64 size = symbol_view_get_size (binding, g_array_index (type->view_types, guint32, 0));
    symbol_view_add_number (type, 16);
    symbol_view_add_number (type, 8);
    symbol_view_add_number (type, 0);
    symbol_view_add_number (type, size);
    return TRUE;
}

static gboolean
view_string_view (SymbolBinding *binding, guint32 number)
{
    return add_either (binding, number, "__data_", "__data", NULL)
           && add_either (binding, number, "__size_", "__size", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

static gboolean
view_vector (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "__begin_", NULL)
           && symbol_view_add_path (binding, number, "__end_", NULL)
           && add_either (binding, number, "__end_cap_.__value_", "__cap_", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

static gboolean
view_array (SymbolBinding *binding, guint32 number)
{
    return symbol_view_describe_array (binding, number, "__elems_");
}

/* Nodes are {previous, next, value}. */
static gboolean
view_list (SymbolBinding *binding, guint32 number)
{
    if (!symbol_view_add_path (binding, number, "__end_", NULL)
        || !symbol_view_add_argument (binding, number, 0))
        return FALSE;
    symbol_view_add_number (symbol_type_get (binding, number),
                            symbol_view_place_value (binding, number, 16));
    symbol_view_add_number (symbol_type_get (binding, number), 8);
    return TRUE;
}

static gboolean
view_forward (SymbolBinding *binding, guint32 number)
{
    if (!add_either (binding, number, "__before_begin_.__value_.__next_",
                     "__before_begin_.__next_", NULL)
        || !symbol_view_add_argument (binding, number, 0))
        return FALSE;
    guint64 value = symbol_view_place_value (binding, number, 8);
    symbol_view_add_number (symbol_type_get (binding, number), value);
    return TRUE;
}

/* Nodes are {left, right, parent, colour (one byte), value}; the first one is named. */
static gboolean
view_tree (SymbolBinding *binding, guint32 number)
{
    if (!symbol_view_add_path (binding, number, "__tree_.__begin_node_", NULL)
        || !add_either (binding, number, "__tree_.__pair3_.__value_", "__tree_.__size_", NULL)
        || !symbol_view_add_pair (binding, number, 25))
        return FALSE;
    symbol_view_add_number (symbol_type_get (binding, number), 0);
    symbol_view_add_number (symbol_type_get (binding, number), 8);
    symbol_view_add_number (symbol_type_get (binding, number), 16);
    return TRUE;
}

/* Nodes are {next, hash, value}. */
static gboolean
view_hash (SymbolBinding *binding, guint32 number)
{
    return add_either (binding, number, "__table_.__p1_.__value_.__next_",
                       "__table_.__first_node_.__next_", NULL)
           && add_either (binding, number, "__table_.__p2_.__value_", "__table_.__size_", NULL)
           && symbol_view_add_pair (binding, number, 16);
}

static gboolean
view_tuple (SymbolBinding *binding, guint32 number)
{
    guint64 base;
    guint32 holder;
    if (!symbol_view_take_path (binding, number, "__base_", &base, &holder))
        return FALSE;
    const SymbolType *leaves = symbol_type_strip (binding, holder);
    for (guint i = 0; leaves->members && i < leaves->members->len; i++) {
        SymbolMember member = g_array_index (leaves->members, SymbolMember, i);
        guint64 offset = 0;
        guint32 held;
        if (!g_str_has_prefix (member.name, "<std::__1::__tuple_leaf<"))
            continue;
        if (!symbol_view_find_one (binding, member.type, "__value_", 0, &offset, &held))
            return FALSE;
        symbol_view_add_number (symbol_type_get (binding, number),
                                base + member.offset + offset);
        symbol_view_add_type (symbol_type_get (binding, number), held);
        leaves = symbol_type_strip (binding, holder);
    }
    return TRUE;
}

static gboolean
view_unique (SymbolBinding *binding, guint32 number)
{
    guint32 pointer;
    if (!symbol_view_add_path (binding, number, "__ptr_.__value_", &pointer)
        && !symbol_view_add_path (binding, number, "__ptr_", &pointer))
        return FALSE;
    if (symbol_type_strip (binding, pointer)->kind != EVALUATE_TYPE_POINTER)
        return FALSE;
    symbol_view_add_type (symbol_type_get (binding, number), pointer);
    return TRUE;
}

/* Owners are counted from 0: one more than is written. */
static gboolean
view_shared (SymbolBinding *binding, guint32 number)
{
    return symbol_view_describe_shared (binding, number, "__ptr_", "__cntrl_",
                                        "__shared_owners_", "__shared_weak_owners_", 1);
}

static gboolean
view_optional (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "__val_", NULL)
           && symbol_view_add_path (binding, number, "__engaged_", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

static gboolean
view_variant (SymbolBinding *binding, guint32 number)
{
    guint32 index;
    if (!add_either (binding, number, "__impl.__data", "__impl_.__data", NULL)
        || !add_either (binding, number, "__impl.__index", "__impl_.__index", &index))
        return FALSE;
    return symbol_view_add_alternatives (binding, number, index);
}

static const SymbolView views[] = {
    { "basic_string<", EVALUATE_VIEW_STRING, view_string },
    { "basic_string_view<", EVALUATE_VIEW_STRING, view_string_view },
    { "vector<bool", EVALUATE_VIEW_NONE, NULL },
    { "chrono::duration<", EVALUATE_VIEW_WRAP, symbol_view_describe_duration },
    { "chrono::time_point<", EVALUATE_VIEW_WRAP, symbol_view_describe_time },
    { "stack<", EVALUATE_VIEW_WRAP, symbol_view_describe_adapter },
    { "queue<", EVALUATE_VIEW_WRAP, symbol_view_describe_adapter },
    { "priority_queue<", EVALUATE_VIEW_WRAP, symbol_view_describe_adapter },
    { "vector<", EVALUATE_VIEW_VECTOR, view_vector },
    { "array<", EVALUATE_VIEW_ARRAY, view_array },
    { "list<", EVALUATE_VIEW_LIST, view_list },
    { "forward_list<", EVALUATE_VIEW_FORWARD, view_forward },
    { "map<", EVALUATE_VIEW_TREE, view_tree },
    { "multimap<", EVALUATE_VIEW_TREE, view_tree },
    { "set<", EVALUATE_VIEW_TREE, view_tree },
    { "multiset<", EVALUATE_VIEW_TREE, view_tree },
    { "unordered_map<", EVALUATE_VIEW_HASH, view_hash },
    { "unordered_multimap<", EVALUATE_VIEW_HASH, view_hash },
    { "unordered_set<", EVALUATE_VIEW_HASH, view_hash },
    { "unordered_multiset<", EVALUATE_VIEW_HASH, view_hash },
    { "tuple<", EVALUATE_VIEW_TUPLE, view_tuple },
    { "unique_ptr<", EVALUATE_VIEW_UNIQUE, view_unique },
    { "shared_ptr<", EVALUATE_VIEW_SHARED, view_shared },
    { "weak_ptr<", EVALUATE_VIEW_SHARED, view_shared },
    { "optional<", EVALUATE_VIEW_OPTIONAL, view_optional },
    { "variant<", EVALUATE_VIEW_VARIANT, view_variant },
};

void
symbol_view_find_llvm (SymbolBinding *binding, guint32 number, const char *name)
{
    symbol_view_take (binding, number, name, views, G_N_ELEMENTS (views));
}
