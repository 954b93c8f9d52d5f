/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the contents of libstdc++'s containers by their members' names. Unexpected layouts
 * are shown as plain classes. LLVM's library is in views-llvm.c. */
#include <string.h>

#include "symbol/views-private.h"

void
symbol_view_add_number (SymbolType *type, guint64 number)
{
    if (!type->view_numbers)
        type->view_numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
    g_array_append_val (type->view_numbers, number);
}

void
symbol_view_add_type (SymbolType *type, guint32 number)
{
    if (!type->view_types)
        type->view_types = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_append_val (type->view_types, number);
}

/* A member anywhere in bases and unnamed parts. */
gboolean
symbol_view_find_one (SymbolBinding *binding, guint32 number, const char *name, guint depth,
                      guint64 *offset, guint32 *ret_type)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    for (guint i = 0; type->members && i < type->members->len && depth < 16; i++) {
        if (binding->steps++ > SYMBOL_MAX_STEPS)
            return FALSE;
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        guint64 inner = *offset + member->offset;
        if (EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
            continue;
        if (strcmp (member->name, name) == 0
            || ((!member->name[0] || member->name[0] == '<')
                && symbol_view_find_one (binding, member->type, name, depth + 1, &inner,
                                         ret_type))) {
            *offset = inner;
            if (strcmp (member->name, name) == 0)
                *ret_type = member->type;
            return TRUE;
        }
    }
    return FALSE;
}

/* "a.b.c": offset and type of a member of members; adds the offset to the view. */
gboolean
symbol_view_take_path (SymbolBinding *binding, guint32 holder, const char *path,
                       guint64 *ret_offset, guint32 *ret_type)
{
    g_auto (GStrv) names = g_strsplit (path, ".", -1);
    guint32 type = holder;
    guint64 offset = 0;
    for (guint i = 0; names[i]; i++)
        if (!symbol_view_find_one (binding, type, names[i], 0, &offset, &type))
            return FALSE;
    *ret_offset = offset;
    if (ret_type)
        *ret_type = type;
    return TRUE;
}

gboolean
symbol_view_add_path (SymbolBinding *binding, guint32 number, const char *path,
                      guint32 *ret_type)
{
    guint64 offset;
    if (!symbol_view_take_path (binding, number, path, &offset, ret_type))
        return FALSE;
    symbol_view_add_number (symbol_type_get (binding, number), offset);
    return TRUE;
}

/* The nth type among the template's arguments; parameter packs are looked into. 0 none. */
guint64
symbol_view_find_argument (SymbolBinding *binding, guint32 number, guint nth)
{
    SymbolDie die, child, inner;
    guint seen = 0;
    if (!symbol_die_find (binding->dwarf, symbol_type_get (binding, number)->die, &die)
        || !symbol_die_first_child (binding->dwarf, &die, &child))
        return 0;
    do {
        if (child.tag == DW_TAG_template_type_parameter && seen++ == nth)
            return symbol_type_find_target (binding->dwarf, &child);
        if (child.tag == DW_TAG_GNU_template_parameter_pack
            && symbol_die_first_child (binding->dwarf, &child, &inner)) {
            do {
                if (inner.tag == DW_TAG_template_type_parameter && seen++ == nth)
                    return symbol_type_find_target (binding->dwarf, &inner);
            } while (symbol_die_next (binding->dwarf, &inner, &inner));
        }
    } while (symbol_die_next (binding->dwarf, &child, &child));
    return 0;
}

gboolean
symbol_view_add_argument (SymbolBinding *binding, guint32 number, guint nth)
{
    guint64 offset = symbol_view_find_argument (binding, number, nth);
    guint32 type = offset ? symbol_type_build (binding, offset) : 0;
    if (!type || !symbol_type_strip (binding, type)->size)
        return FALSE;
    symbol_view_add_type (symbol_type_get (binding, number), type);
    return TRUE;
}

guint64
symbol_view_get_size (SymbolBinding *binding, guint32 type)
{
    return symbol_type_strip (binding, type)->size;
}

static gboolean
view_string (SymbolBinding *binding, guint32 number)
{
    /* clang leaves the holder's content out when only the library instantiates it */
    return (symbol_view_add_path (binding, number, "_M_dataplus._M_p", NULL)
            || symbol_view_add_path (binding, number, "_M_dataplus", NULL))
           && symbol_view_add_path (binding, number, "_M_string_length", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

static gboolean
view_string_view (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "_M_str", NULL)
           && symbol_view_add_path (binding, number, "_M_len", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

static gboolean
view_bits (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "_M_impl._M_start._M_p", NULL)
           && symbol_view_add_path (binding, number, "_M_impl._M_finish._M_p", NULL)
           && symbol_view_add_path (binding, number, "_M_impl._M_finish._M_offset", NULL)
           && symbol_view_add_path (binding, number, "_M_impl._M_end_of_storage", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

static gboolean
view_vector (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "_M_impl._M_start", NULL)
           && symbol_view_add_path (binding, number, "_M_impl._M_finish", NULL)
           && symbol_view_add_path (binding, number, "_M_impl._M_end_of_storage", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

gboolean
symbol_view_describe_array (SymbolBinding *binding, guint32 number, const char *path)
{
    guint32 elements;
    if (!symbol_view_add_path (binding, number, path, &elements)
        || !symbol_view_add_argument (binding, number, 0))
        return FALSE;
    const SymbolType *array = symbol_type_strip (binding, elements);
    symbol_view_add_number (symbol_type_get (binding, number),
                            array->kind == EVALUATE_TYPE_ARRAY ? array->count : 0);
    return TRUE;
}

static gboolean
view_array (SymbolBinding *binding, guint32 number)
{
    return symbol_view_describe_array (binding, number, "_M_elems");
}

static gboolean
view_deque (SymbolBinding *binding, guint32 number)
{
    static const char *const paths[] = {
        "_M_impl._M_start._M_cur",  "_M_impl._M_start._M_first",  "_M_impl._M_start._M_node",
        "_M_impl._M_finish._M_cur", "_M_impl._M_finish._M_first", "_M_impl._M_finish._M_node"
    };
    if (BASE_ANY (i, G_N_ELEMENTS (paths),
                  !symbol_view_add_path (binding, number, paths[i], NULL)))
        return FALSE;
    if (!symbol_view_add_argument (binding, number, 0))
        return FALSE;
    SymbolType *type = symbol_type_get (binding, number);
    guint64 size = symbol_view_get_size (binding, g_array_index (type->view_types, guint32, 0));
    symbol_view_add_number (type, size && size < 512 ? 512 / size : 1);
    return TRUE;
}

guint64
symbol_view_find_alignment (SymbolBinding *binding, guint32 number, guint depth)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    SymbolDie die;
    if (depth > 20 || binding->steps++ > SYMBOL_MAX_STEPS)
        return 1;
    guint64 most = type->die && type->members
                           && symbol_die_find (binding->dwarf, type->die, &die)
                       ? symbol_die_get_number (binding->dwarf, &die, DW_AT_alignment, 1)
                       : 1;
    if (type->members) {
        BASE_EACH_ROW (type->members, const SymbolMember, member) {
            if (!EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
                most = MAX (most,
                            symbol_view_find_alignment (binding, member->type, depth + 1));
        }
        return most;
    }
    if (type->kind == EVALUATE_TYPE_ARRAY)
        return symbol_view_find_alignment (binding, type->target, depth + 1);
    return MAX (most, CLAMP (type->size, 1, 16));
}

/* Where a value of these types begins behind `header` bytes. */
guint64
symbol_view_place_value (SymbolBinding *binding, guint32 number, guint64 header)
{
    SymbolType *type = symbol_type_get (binding, number);
    guint64 most = 1;
    for (guint i = 0; i < type->view_types->len; i++)
        most = MAX (most,
                    symbol_view_find_alignment (binding,
                                                g_array_index (type->view_types, guint32, i),
                                                0));
    return (header + most - 1) / most * most;
}

static gboolean
view_list (SymbolBinding *binding, guint32 number)
{
    if (!symbol_view_add_path (binding, number, "_M_impl._M_node", NULL)
        || !symbol_view_add_argument (binding, number, 0))
        return FALSE;
    symbol_view_add_number (symbol_type_get (binding, number),
                            symbol_view_place_value (binding, number, 16));
    return TRUE;
}

static gboolean
view_forward (SymbolBinding *binding, guint32 number)
{
    if (!symbol_view_add_path (binding, number, "_M_impl._M_head._M_next", NULL)
        || !symbol_view_add_argument (binding, number, 0))
        return FALSE;
    symbol_view_add_number (symbol_type_get (binding, number),
                            symbol_view_place_value (binding, number, 8));
    return TRUE;
}

/* Its name ends in "map". */
static gboolean
is_map (SymbolBinding *binding, guint32 number)
{
    const char *name = symbol_type_get (binding, number)->name;
    gsize length = strcspn (name, "<");
    return length >= 3 && strncmp (name + length - 3, "map", 3) == 0;
}

gboolean
symbol_view_add_pair (SymbolBinding *binding, guint32 number, guint64 header)
{
    gboolean map = is_map (binding, number);
    if (!symbol_view_add_argument (binding, number, 0)
        || (map && !symbol_view_add_argument (binding, number, 1)))
        return FALSE;
    const GArray *types = symbol_type_get (binding, number)->view_types;
    guint64 value = symbol_view_place_value (binding, number, header), mapped = 0;
    if (map) {
        guint64 to = symbol_view_find_alignment (binding, g_array_index (types, guint32, 1), 0);
        guint64 size = symbol_view_get_size (binding, g_array_index (types, guint32, 0));
        mapped = (size + to - 1) / to * to;
    }
    SymbolType *type = symbol_type_get (binding, number);
    symbol_view_add_number (type, value);
    symbol_view_add_number (type, 0);
    symbol_view_add_number (type, mapped);
    return TRUE;
}

static gboolean
view_tree (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "_M_t._M_impl._M_header", NULL)
           && symbol_view_add_path (binding, number, "_M_t._M_impl._M_node_count", NULL)
           && symbol_view_add_pair (binding, number, 32);
}

static gboolean
view_hash (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "_M_h._M_before_begin._M_nxt", NULL)
           && symbol_view_add_path (binding, number, "_M_h._M_element_count", NULL)
           && symbol_view_add_pair (binding, number, 8);
}

/* std::tuple: the heads of nested bases, from the innermost (last) out. */
static gboolean
collect_heads (SymbolBinding *binding, guint32 number, guint32 holder, guint64 base,
               guint depth)
{
    const SymbolType *type = symbol_type_strip (binding, holder);
    for (guint i = 0; type->members && i < type->members->len && depth < 64; i++) {
        if (binding->steps++ > SYMBOL_MAX_STEPS)
            return FALSE;
        SymbolMember member = g_array_index (type->members, SymbolMember, i);
        if (g_str_has_prefix (member.name, "<std::_Head_base<")) {
            guint64 offset = 0;
            guint32 head = 0;
            SymbolType *view = symbol_type_get (binding, number);
            if (!symbol_view_find_one (binding, member.type, "_M_head_impl", 0, &offset,
                                       &head)) {
                return FALSE;
            }
            if (!view->view_numbers) {
                symbol_view_add_number (view, base + member.offset + offset);
                symbol_view_add_type (view, head);
            } else {
                guint64 at = base + member.offset + offset;
                g_array_prepend_val (view->view_numbers, at);
                g_array_prepend_val (view->view_types, head);
            }
        } else if (member.name[0] == '<'
                   && !collect_heads (binding, number, member.type, base + member.offset,
                                      depth + 1)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
view_tuple (SymbolBinding *binding, guint32 number)
{
    return collect_heads (binding, number, number, 0, 0);
}

static gboolean
view_unique (SymbolBinding *binding, guint32 number)
{
    guint32 tuple = 0, pointer = 0;
    guint64 offset, inner = 0;
    if (!symbol_view_take_path (binding, number, "_M_t._M_t", &offset, &tuple)
        && !symbol_view_take_path (binding, number, "_M_t", &offset, &tuple))
        return FALSE;
    /* the head of the inner tuple with the pointer in it */
    const SymbolType *view = symbol_type_strip (binding, tuple);
    if (view->view != EVALUATE_VIEW_TUPLE || !view->view_types || !view->view_types->len)
        return FALSE;
    pointer = g_array_index (view->view_types, guint32, 0);
    inner = g_array_index (view->view_numbers, guint64, 0);
    if (symbol_type_strip (binding, pointer)->kind != EVALUATE_TYPE_POINTER)
        return FALSE;
    symbol_view_add_number (symbol_type_get (binding, number), offset + inner);
    symbol_view_add_type (symbol_type_get (binding, number), pointer);
    return TRUE;
}

gboolean
symbol_view_describe_shared (SymbolBinding *binding, guint32 number, const char *pointer,
                             const char *counts, const char *use, const char *weak,
                             guint64 lacking)
{
    guint32 pointer_type, counts_type;
    guint64 use_offset, weak_offset;
    if (!symbol_view_add_path (binding, number, pointer, &pointer_type)
        || !symbol_view_add_path (binding, number, counts, &counts_type)
        || symbol_type_strip (binding, pointer_type)->kind != EVALUATE_TYPE_POINTER)
        return FALSE;
    counts_type = symbol_type_get_target (binding, counts_type);
    if (!symbol_view_take_path (binding, counts_type, use, &use_offset, NULL)
        || !symbol_view_take_path (binding, counts_type, weak, &weak_offset, NULL))
        return FALSE;
    SymbolType *type = symbol_type_get (binding, number);
    symbol_view_add_number (type, use_offset);
    symbol_view_add_number (type, weak_offset);
    if (lacking)
        symbol_view_add_number (type, lacking);
    symbol_view_add_type (type, pointer_type);
    symbol_view_add_argument (binding, number, 0); /* the pointee as it was written */
    return TRUE;
}

static gboolean
view_shared (SymbolBinding *binding, guint32 number)
{
    return symbol_view_describe_shared (binding, number, "_M_ptr", "_M_refcount._M_pi",
                                        "_M_use_count", "_M_weak_count", 0);
}

static gboolean
view_optional (SymbolBinding *binding, guint32 number)
{
    return symbol_view_add_path (binding, number, "_M_payload._M_payload", NULL)
           && symbol_view_add_path (binding, number, "_M_payload._M_engaged", NULL)
           && symbol_view_add_argument (binding, number, 0);
}

gboolean
symbol_view_add_alternatives (SymbolBinding *binding, guint32 number, guint32 index)
{
    symbol_view_add_number (symbol_type_get (binding, number),
                            symbol_view_get_size (binding, index));
    for (guint i = 0; i < 100 && symbol_view_find_argument (binding, number, i); i++)
        if (!symbol_view_add_argument (binding, number, i))
            return FALSE;
    return symbol_type_get (binding, number)->view_types != NULL;
}

static gboolean
view_variant (SymbolBinding *binding, guint32 number)
{
    guint32 index;
    if (!symbol_view_add_path (binding, number, "_M_u", NULL)
        || !symbol_view_add_path (binding, number, "_M_index", &index))
        return FALSE;
    return symbol_view_add_alternatives (binding, number, index);
}

static const SymbolView views[] = {
    { "basic_string<", EVALUATE_VIEW_STRING, view_string },
    { "basic_string_view<", EVALUATE_VIEW_STRING, view_string_view },
    { "vector<bool", EVALUATE_VIEW_BITS, view_bits },
    { "vector<", EVALUATE_VIEW_VECTOR, view_vector },
    { "array<", EVALUATE_VIEW_ARRAY, view_array },
    { "deque<", EVALUATE_VIEW_DEQUE, view_deque },
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
    { "stack<", EVALUATE_VIEW_WRAP, symbol_view_describe_adapter },
    { "queue<", EVALUATE_VIEW_WRAP, symbol_view_describe_adapter },
    { "priority_queue<", EVALUATE_VIEW_WRAP, symbol_view_describe_adapter },
    { "atomic<", EVALUATE_VIEW_WRAP, symbol_view_describe_atomic },
    { "filesystem::path", EVALUATE_VIEW_WRAP, symbol_view_describe_path },
    { "filesystem::__cxx11::path", EVALUATE_VIEW_WRAP, symbol_view_describe_path },
    { "chrono::duration<", EVALUATE_VIEW_WRAP, symbol_view_describe_duration },
    { "chrono::time_point<", EVALUATE_VIEW_WRAP, symbol_view_describe_time },
    { "span<", EVALUATE_VIEW_SPAN, symbol_view_describe_span },
    { "initializer_list<", EVALUATE_VIEW_SPAN, symbol_view_describe_list },
    { "bitset<", EVALUATE_VIEW_BITSET, symbol_view_describe_bitset },
    { "function<", EVALUATE_VIEW_FUNCTION, symbol_view_describe_function },
    { "any", EVALUATE_VIEW_ANY, symbol_view_describe_any },
    { "__normal_iterator<", EVALUATE_VIEW_ITERATOR, symbol_view_describe_pointer },
    { "_Deque_iterator<", EVALUATE_VIEW_ITERATOR, symbol_view_describe_pointer },
    { "_List_iterator<", EVALUATE_VIEW_ITERATOR, symbol_view_describe_list_node },
    { "_List_const_iterator<", EVALUATE_VIEW_ITERATOR, symbol_view_describe_list_node },
    { "_Rb_tree_iterator<", EVALUATE_VIEW_ITERATOR, symbol_view_describe_tree_node },
    { "_Rb_tree_const_iterator<", EVALUATE_VIEW_ITERATOR, symbol_view_describe_tree_node },
    { "__detail::_Node_iterator<", EVALUATE_VIEW_ITERATOR, symbol_view_describe_hash_node },
    { "__detail::_Node_const_iterator<", EVALUATE_VIEW_ITERATOR,
      symbol_view_describe_hash_node },
};

/* Names without arguments are whole ones: std::any is none of std::anything. */
static gboolean
is_meant (const char *name, const char *known)
{
    gsize length = strlen (known);
    return strncmp (name, known, length) == 0 && (strchr (known, '<') || !name[length]);
}

gboolean
symbol_view_take (SymbolBinding *binding, guint32 number, const char *name,
                  const SymbolView *known, guint n_known)
{
    for (guint i = 0; i < n_known; i++) {
        if (!is_meant (name, known[i].name))
            continue;
        gboolean good = known[i].describe && known[i].describe (binding, number);
        SymbolType *type = symbol_type_get (binding, number);
        if (good) {
            type->view = known[i].view;
            return TRUE;
        }
        g_clear_pointer (&type->view_numbers, g_array_unref);
        g_clear_pointer (&type->view_types, g_array_unref);
        return FALSE;
    }
    return FALSE;
}

void
symbol_view_find (SymbolBinding *binding, guint32 number)
{
    const char *name = symbol_type_get (binding, number)->name;
    gboolean is_own = g_str_has_prefix (name, "__gnu_cxx::");
    if (!is_own && !g_str_has_prefix (name, "std::"))
        return;
    name += is_own ? strlen ("__gnu_cxx::") : strlen ("std::");
    if (g_str_has_prefix (name, "__1::")) {
        symbol_view_find_llvm (binding, number, name + 5);
        return;
    }
    if (g_str_has_prefix (name, "__cxx11::"))
        name += 9;
    symbol_view_take (binding, number, name, views, G_N_ELEMENTS (views));
}
