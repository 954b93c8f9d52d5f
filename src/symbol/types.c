/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows DWARF's type entries: builds the table of types of a program. */
#include <glib/gi18n.h>
#include <string.h>

#include "symbol/bind-private.h"

#define MAX_DEPTH 40

SymbolType *
symbol_type_get (const SymbolBinding *binding, guint32 type)
{
    return binding->types->pdata[type];
}

guint32
symbol_type_strip_number (const SymbolBinding *binding, guint32 type)
{
    for (guint i = 0; i < 100 && symbol_type_get (binding, type)->kind == EVALUATE_TYPE_TYPEDEF;
         i++)
        type = symbol_type_get (binding, type)->target;
    return type;
}

SymbolType *
symbol_type_strip (const SymbolBinding *binding, guint32 type)
{
    return symbol_type_get (binding, symbol_type_strip_number (binding, type));
}

/* A declaration whose definition stands in a unit of its own gives that one's offset. */
static guint64
find_in_type_unit (const SymbolDwarf *dwarf, guint64 offset)
{
    SymbolDie die;
    SymbolValue value;
    if (g_hash_table_size (dwarf->signatures) && symbol_die_find (dwarf, offset, &die)
        && symbol_die_get (dwarf, &die, DW_AT_signature, &value)
        && value.kind == SYMBOL_VALUE_REFERENCE)
        return value.number;
    return offset;
}

guint64
symbol_type_find_target (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolValue value;
    if (!symbol_die_get_deep (dwarf, die, DW_AT_type, &value)
        || value.kind != SYMBOL_VALUE_REFERENCE)
        return 0;
    return find_in_type_unit (dwarf, value.number);
}

/* Through typedefs and qualifiers. */
gboolean
symbol_type_strip_die (const SymbolDwarf *dwarf, guint64 offset, SymbolDie *ret_die)
{
    for (guint i = 0; i < 100; i++) {
        if (!offset || !symbol_die_find (dwarf, offset, ret_die))
            return FALSE;
        if (ret_die->tag != DW_TAG_typedef && ret_die->tag != DW_TAG_const_type
            && ret_die->tag != DW_TAG_volatile_type && ret_die->tag != DW_TAG_restrict_type
            && ret_die->tag != DW_TAG_atomic_type)
            return TRUE;
        offset = symbol_type_find_target (dwarf, ret_die);
    }
    return FALSE;
}

static gboolean
is_aggregate (guint32 tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type
           || tag == DW_TAG_interface_type;
}

static void
free_member (gpointer data)
{
    g_free (((SymbolMember *) data)->name);
}

guint32
symbol_type_add (SymbolBinding *binding, EvaluateTypeKind kind, guint64 size, char *name)
{
    SymbolType *type = g_new0 (SymbolType, 1);
    type->kind = kind;
    type->size = size;
    type->target = EVALUATE_TYPE_NONE;
    type->name = name;
    g_ptr_array_add (binding->types, type);
    return binding->types->len - 1;
}

guint32
symbol_type_get_basic (SymbolBinding *binding, EvaluateTypeKind kind, guint64 size,
                       const char *name)
{
    gpointer found = g_hash_table_lookup (binding->by_name, name);
    if (found)
        return GPOINTER_TO_UINT (found);
    guint32 type = symbol_type_add (binding, kind, size, g_strdup (name));
    g_hash_table_insert (binding->by_name, g_strdup (name), GUINT_TO_POINTER (type));
    return type;
}

/* What stands before the quotes of text of this type: 0, L, u or U. */
static char
find_mark (const char *name)
{
    return !name                        ? 0
           : !strcmp (name, "wchar_t")  ? 'L'
           : !strcmp (name, "char16_t") ? 'u'
           : !strcmp (name, "char32_t") ? 'U'
                                        : 0;
}

static EvaluateTypeKind
find_base_kind (guint64 encoding, const char *name)
{
    if (strcmp (name, "wchar_t") == 0)
        return EVALUATE_TYPE_CHAR;
    /* C++'s is gcc's unsigned, as the wider ones of gfortran are */
    if (strcmp (name, "char8_t") == 0 || g_str_has_prefix (name, "character(kind="))
        return EVALUATE_TYPE_UCHAR;
    switch (encoding) {
    case DW_ATE_boolean: return EVALUATE_TYPE_BOOL;
    case DW_ATE_signed_char: return EVALUATE_TYPE_CHAR;
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF: return EVALUATE_TYPE_UCHAR;
    case DW_ATE_signed: return EVALUATE_TYPE_SIGNED;
    case DW_ATE_float: return EVALUATE_TYPE_FLOAT;
    case DW_ATE_complex_float: return EVALUATE_TYPE_COMPLEX;
    default: return EVALUATE_TYPE_UNSIGNED;
    }
}

guint32
symbol_type_get_number (SymbolBinding *binding, guint32 number)
{
    const SymbolType *of = symbol_type_strip (binding, number);
    if (of->kind != EVALUATE_TYPE_CHAR && of->kind != EVALUATE_TYPE_UCHAR)
        return number;
    return symbol_type_add (binding,
                            of->kind == EVALUATE_TYPE_CHAR ? EVALUATE_TYPE_SIGNED
                                                           : EVALUATE_TYPE_UNSIGNED,
                            of->size, g_strdup (symbol_type_get (binding, number)->name));
}

/* dup, deref, constant, minus, deref, plus: how compilers say where a virtual base is. */
static gboolean
read_virtual (const SymbolValue *value, gint64 *ret_offset)
{
    BaseCursor cursor = BASE_CURSOR_INIT (value->block, value->size);
    if (base_cursor_read_u8 (&cursor) != DW_OP_dup
        || base_cursor_read_u8 (&cursor) != DW_OP_deref)
        return FALSE;
    guint8 op = base_cursor_read_u8 (&cursor);
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
        *ret_offset = -(gint64) (op - DW_OP_lit0);
    else if (op == DW_OP_const1u)
        *ret_offset = -(gint64) base_cursor_read_u8 (&cursor);
    else if (op == DW_OP_const2u)
        *ret_offset = -(gint64) base_cursor_read_u16 (&cursor);
    else if (op == DW_OP_constu)
        *ret_offset = -(gint64) base_cursor_read_uleb (&cursor);
    else
        return FALSE;
    return base_cursor_read_u8 (&cursor) == DW_OP_minus
           && base_cursor_read_u8 (&cursor) == DW_OP_deref
           && base_cursor_read_u8 (&cursor) == DW_OP_plus && !cursor.failed
           && !base_cursor_get_left (&cursor);
}

/* FALSE: nobody can say where it is. */
static gboolean
place_member (const SymbolBinding *binding, const SymbolDie *die, SymbolMember *member)
{
    gint64 in_vtable;
    SymbolValue value;
    guint64 size = symbol_type_strip (binding, member->type)->size, bits;
    if (symbol_die_get (binding->dwarf, die, DW_AT_data_member_location, &value)) {
        if (value.kind == SYMBOL_VALUE_CONSTANT) {
            member->offset = value.number;
        } else if (value.kind == SYMBOL_VALUE_BLOCK && value.size > 1
                   && value.block[0] == DW_OP_plus_uconst) {
            BaseCursor cursor = BASE_CURSOR_INIT (value.block + 1, value.size - 1);
            member->offset = base_cursor_read_uleb (&cursor);
        } else if (value.kind == SYMBOL_VALUE_BLOCK && read_virtual (&value, &in_vtable)) {
            member->offset = in_vtable;
            member->bit_offset = EVALUATE_MEMBER_VIRTUAL;
            return TRUE;
        } else {
            return FALSE;
        }
    }
    member->bit_size = symbol_die_get_number (binding->dwarf, die, DW_AT_bit_size, 0);
    if (member->bit_size > 64)
        member->bit_size = 0;
    bits = symbol_die_get_number (binding->dwarf, die, DW_AT_data_bit_offset, G_MAXUINT64);
    if (bits != G_MAXUINT64 && size && size <= 16) {
        member->offset += bits / (8 * size) * size;
        member->bit_offset = bits % (8 * size);
        return TRUE;
    }
    bits = symbol_die_get_number (binding->dwarf, die, DW_AT_bit_offset, G_MAXUINT64);
    size = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, size);
    if (member->bit_size && bits != G_MAXUINT64 && size <= 16
        && bits + member->bit_size <= size * 8)
        member->bit_offset = size * 8 - bits - member->bit_size;
    return TRUE;
}

static gboolean
take_constant (const SymbolValue *value, SymbolMember *member)
{
    member->offset = value->number;
    member->bit_offset = EVALUATE_MEMBER_CONSTANT;
    if (value->kind == SYMBOL_VALUE_BLOCK && value->size <= sizeof member->offset) {
        member->offset = 0;
        memcpy (&member->offset, value->block, value->size);
        return TRUE;
    }
    return value->kind == SYMBOL_VALUE_CONSTANT;
}

/* A static member lies where its symbol is, or is its constant, which compilers that see the whole program say where it is
 * defined. FALSE: neither is known. */
static gboolean
place_static (SymbolBinding *binding, const SymbolDie *die, SymbolMember *member)
{
    SymbolValue value;
    guint64 address;
    if (symbol_die_get_deep (binding->dwarf, die, DW_AT_const_value, &value))
        return take_constant (&value, member);
    if (!symbol_die_get (binding->dwarf, die, DW_AT_linkage_name, &value) || !value.string
        || !symbol_scope_find_elf (binding, value.string, &address)) {
        if (!symbol_names_find_definition (binding, die, &address, &value))
            return FALSE;
        if (value.kind != SYMBOL_VALUE_NONE)
            return take_constant (&value, member);
    }
    member->offset = address;
    member->bit_offset = EVALUATE_MEMBER_STATIC;
    return TRUE;
}

static void
build_members (SymbolBinding *binding, SymbolType *type, const SymbolDie *die)
{
    SymbolDie child;
    type->members = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    g_array_set_clear_func (type->members, free_member);
    if (!symbol_die_first_child (binding->dwarf, die, &child))
        return;
    do {
        if (child.tag != DW_TAG_member && child.tag != DW_TAG_inheritance
            && child.tag != DW_TAG_variable)
            continue;
        SymbolMember member = { 0 };
        gboolean is_static
            = child.tag == DW_TAG_variable
              || symbol_die_get_number (binding->dwarf, &child, DW_AT_external, 0)
              || symbol_die_get_number (binding->dwarf, &child, DW_AT_declaration, 0);
        const char *name = symbol_die_get_name (binding->dwarf, &child);
        /* the compiler's own: clang's _vtable$, which is the vtable itself */
        if (is_static && symbol_die_get_number (binding->dwarf, &child, DW_AT_artificial, 0))
            continue;
        member.type = symbol_type_build_of (binding, &child);
        if (is_static ? !place_static (binding, &child, &member)
                      : !place_member (binding, &child, &member))
            continue;
        if (child.tag == DW_TAG_inheritance)
            member.name = g_strdup_printf ("<%s>",
                                           symbol_type_get (binding, member.type)->name);
        else
            member.name = g_utf8_make_valid (name ? name : "", -1);
        if (name && g_str_has_prefix (name, "_vptr") && !member.offset)
            type->flags |= EVALUATE_TYPE_DYNAMIC;
        /* a class with a virtual base has a vtable, too, perhaps that base's own */
        if (child.tag == DW_TAG_inheritance
            && (!member.offset || member.bit_offset == EVALUATE_MEMBER_VIRTUAL))
            type->flags |= symbol_type_strip (binding, member.type)->flags
                           & EVALUATE_TYPE_DYNAMIC;
        g_array_append_val (type->members, member);
    } while (symbol_die_next (binding->dwarf, &child, &child));
}

/* A text of Fortran whose length is in a member of its own, as gfortran has it: X and _X_length. */
static void
join_lengths (SymbolBinding *binding, SymbolType *type)
{
    BASE_EACH_ROW (type->members, SymbolMember, text) {
        const SymbolType *pointer = symbol_type_strip (binding, text->type);
        const SymbolType *target
            = pointer->kind == EVALUATE_TYPE_POINTER
                  ? symbol_type_strip (binding, symbol_type_get_target (binding, text->type))
                  : NULL;
        g_autofree char *name = g_strdup_printf ("_%s_length", text->name);
        if (!target || target->kind != EVALUATE_TYPE_ARRAY
            || (target->count && target->count != G_MAXUINT64)
            || target->codes[EVALUATE_CODE_UPPER] || !(target->flags & EVALUATE_TYPE_FORTRAN))
            continue;
        BASE_EACH_ROW (type->members, const SymbolMember, length) {
            if (!strcmp (length->name, name)) {
                text->type = symbol_array_build_deferred (binding, (gint64) length->offset
                                                                       - (gint64) text->offset);
                break;
            }
        }
    }
}

static void
build_enumerators (SymbolBinding *binding, SymbolType *type, const SymbolDie *die)
{
    SymbolDie child;
    type->enumerators = g_variant_builder_new (G_VARIANT_TYPE ("a(xs)"));
    type->flags |= EVALUATE_TYPE_UNSIGNED_ENUM;
    if (!symbol_die_first_child (binding->dwarf, die, &child))
        return;
    do {
        const char *name = symbol_die_get_name (binding->dwarf, &child);
        if (child.tag != DW_TAG_enumerator || !name)
            continue;
        g_autofree char *whole = symbol_imports_get_language (binding, die->unit)
                                         == JOB_LANGUAGE_CXX
                                     ? symbol_names_dup_qualified (binding->binder, &child)
                                     : NULL;
        g_autofree char *valid = g_utf8_make_valid (whole ? whole : name, -1);
        gint64 value = symbol_die_get_number (binding->dwarf, &child, DW_AT_const_value, 0);
        if (value < 0)
            type->flags &= ~(guint32) EVALUATE_TYPE_UNSIGNED_ENUM;
        g_variant_builder_add (type->enumerators, "(xs)", value, valid);
    } while (symbol_die_next (binding->dwarf, &child, &child));
}

static gboolean
accept_definition (guint32 tag, guint32 wanted)
{
    return tag == wanted || (is_aggregate (tag) && is_aggregate (wanted));
}

static guint32
build_aggregate (SymbolBinding *binding, const SymbolDie *die)
{
    SymbolDie definition = *die;
    g_autofree char *name = symbol_names_dup_qualified (binding->binder, die);
    SymbolValue declared;
    gboolean incomplete = FALSE;
    if (symbol_die_get (binding->dwarf, die, DW_AT_declaration, &declared)
        && (!name
            || !symbol_scope_find_global (binding, name, accept_definition, die->tag,
                                          &definition)))
        incomplete = TRUE;
    guint32 number = symbol_type_add (binding,
                                      die->tag == DW_TAG_union_type ? EVALUATE_TYPE_UNION
                                                                    : EVALUATE_TYPE_STRUCT,
                                      symbol_die_get_number (binding->dwarf, &definition,
                                                             DW_AT_byte_size, 0),
                                      symbol_type_describe (binding, die->offset, "", 0));
    SymbolType *type = symbol_type_get (binding, number);
    type->flags = incomplete ? EVALUATE_TYPE_INCOMPLETE
                             : symbol_type_find_passing (binding, &definition, 0);
    type->die = definition.offset;
    g_hash_table_insert (binding->by_die, GSIZE_TO_POINTER (die->offset),
                         GUINT_TO_POINTER (number));
    build_members (binding, type, &definition);
    if (symbol_imports_get_language (binding, definition.unit) == JOB_LANGUAGE_FORTRAN)
        join_lengths (binding, symbol_type_get (binding, number));
    if (symbol_imports_get_language (binding, die->unit) == JOB_LANGUAGE_CXX)
        symbol_view_find (binding, number);
    return number;
}

/* The members of a class and its bases, each as the offset that a pointer to it holds. */
static void
add_member_names (SymbolBinding *binding, guint32 holder, guint64 offset, guint depth,
                  GVariantBuilder *names)
{
    const SymbolType *type = symbol_type_strip (binding, holder);
    for (guint i = 0; type->members && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        if (EVALUATE_MEMBER_ELSEWHERE (member->bit_offset) || member->name[0] == '<'
            || !member->name[0])
            continue;
        g_autofree char *text = g_strdup_printf ("&%s::%s", type->name, member->name);
        g_autofree char *valid = g_utf8_make_valid (text, -1);
        g_variant_builder_add (names, "(xs)", (gint64) (offset + member->offset), valid);
    }
    for (guint i = 0; depth < 8 && type->members && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        if (member->name[0] == '<' && !EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
            add_member_names (binding, member->type, offset + member->offset, depth + 1, names);
    }
}

/* The virtual functions of a class and its bases, each as what a pointer to it holds (Itanium C++ ABI,
 * 2.3): one more than its offset in the vtable. */
static void
add_virtual_names (SymbolBinding *binding, guint32 holder, guint64 offset, guint depth,
                   GVariantBuilder *names)
{
    const SymbolType *type = symbol_type_strip (binding, holder);
    SymbolDie class, die;
    guint64 slot;
    if (!type->die || !symbol_die_find (binding->dwarf, type->die, &class))
        return;
    if (symbol_die_first_child (binding->dwarf, &class, &die)) {
        do {
            if (die.tag != DW_TAG_subprogram
                || !symbol_die_find_slot (binding->dwarf, &die, &slot))
                continue;
            g_autofree char *parameters = symbol_type_describe_parameters (binding, &die);
            g_autofree char *text = g_strdup_printf ("&virtual %s::%s%s", type->name,
                                                     symbol_die_get_name (binding->dwarf, &die),
                                                     parameters);
            g_autofree char *valid = g_utf8_make_valid (text, -1);
            g_variant_builder_add (names, "(xs)",
                                   (gint64) EVALUATE_METHOD_KEY (8 * slot + 1, offset), valid);
        } while (symbol_die_next (binding->dwarf, &die, &die));
    }
    for (guint i = 0; depth < 8 && type->members && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        if (member->name[0] == '<' && !EVALUATE_MEMBER_ELSEWHERE (member->bit_offset))
            add_virtual_names (binding, member->type, offset + member->offset, depth + 1,
                               names);
    }
}

/* Shown as what its value means: a member, a function. Takes the name. */
static guint32
make_member_pointer (SymbolBinding *binding, char *name, guint32 holder, gboolean method)
{
    guint32 number = symbol_type_add (binding,
                                      method ? EVALUATE_TYPE_POINTER : EVALUATE_TYPE_ENUM,
                                      method ? 16 : 8, name);
    SymbolType *type = symbol_type_get (binding, number);
    type->flags = method ? EVALUATE_TYPE_TO_FUNCTION | EVALUATE_TYPE_TO_METHOD : 0;
    type->enumerators = g_variant_builder_new (G_VARIANT_TYPE ("a(xs)"));
    type->holder = holder;
    g_variant_builder_add (type->enumerators, "(xs)", method ? (gint64) 0 : (gint64) -1,
                           "NULL");
    if (method)
        add_virtual_names (binding, holder, 0, 0, type->enumerators);
    else
        add_member_names (binding, holder, 0, 0, type->enumerators);
    return number;
}

static guint32
build_member_pointer (SymbolBinding *binding, const SymbolDie *die)
{
    SymbolDie target;
    SymbolValue value;
    char *name = symbol_type_describe (binding, die->offset, "", 0);
    gboolean method = symbol_type_strip_die (binding->dwarf,
                                             symbol_type_find_target (binding->dwarf, die),
                                             &target)
                      && target.tag == DW_TAG_subroutine_type;
    guint32 holder = symbol_die_get (binding->dwarf, die, DW_AT_containing_type, &value)
                         ? symbol_type_build (binding, value.number)
                         : 0;
    return make_member_pointer (binding, name, holder, method);
}

guint32
symbol_type_get_member_pointer (SymbolBinding *binding, guint32 holder, guint32 member)
{
    gboolean method = symbol_type_strip (binding, member)->kind == EVALUATE_TYPE_FUNCTION;
    guint32 number = make_member_pointer (binding, NULL, holder, method);
    SymbolType *type = symbol_type_get (binding, number);
    type->target = member;
    type->name = symbol_type_expand (binding, number, FALSE, NULL);
    return number;
}

/* C's wide characters are names for integers. NULL: it is none of them. */
static const char *
find_wide (const SymbolDwarf *dwarf, guint64 offset, SymbolDie *ret_base)
{
    SymbolDie die;
    for (guint i = 0; i < 100 && offset && symbol_die_find (dwarf, offset, &die); i++) {
        const char *name = die.tag == DW_TAG_typedef ? symbol_die_get_name (dwarf, &die) : NULL;
        if (find_mark (name))
            return symbol_type_strip_die (dwarf, offset, ret_base)
                           && ret_base->tag == DW_TAG_base_type
                       ? name
                       : NULL;
        if (die.tag != DW_TAG_typedef && die.tag != DW_TAG_const_type
            && die.tag != DW_TAG_volatile_type)
            return NULL;
        offset = symbol_type_find_target (dwarf, &die);
    }
    return NULL;
}

static guint32
build_pointer (SymbolBinding *binding, const SymbolDie *die, gboolean reference)
{
    guint32 number
        = symbol_type_add (binding, reference ? EVALUATE_TYPE_REFERENCE : EVALUATE_TYPE_POINTER,
                           8, symbol_type_describe (binding, die->offset, "", 0));
    SymbolType *type = symbol_type_get (binding, number);
    SymbolDie target;
    type->die = symbol_type_find_target (binding->dwarf, die);
    if (!symbol_type_strip_die (binding->dwarf, type->die, &target))
        return number;
    if (is_aggregate (target.tag))
        type->flags = EVALUATE_TYPE_TO_AGGREGATE;
    else if (target.tag == DW_TAG_subroutine_type)
        type->flags = EVALUATE_TYPE_TO_FUNCTION;
    else if (target.tag == DW_TAG_base_type) {
        guint64 encoding = symbol_die_get_number (binding->dwarf, &target, DW_AT_encoding, 0);
        const char *wide = find_wide (binding->dwarf, type->die, &target);
        const char *name = wide ? wide : symbol_die_get_name (binding->dwarf, &target);
        EvaluateTypeKind kind = wide ? EVALUATE_TYPE_CHAR
                                     : find_base_kind (encoding, name ? name : "");
        if (kind == EVALUATE_TYPE_CHAR || kind == EVALUATE_TYPE_UCHAR) {
            type->flags = EVALUATE_TYPE_TO_CHAR;
            type->count = symbol_die_get_number (binding->dwarf, &target, DW_AT_byte_size, 1);
            type->lower = find_mark (name);
        }
    }
    return number;
}

static guint32
build_enum (SymbolBinding *binding, const SymbolDie *die)
{
    guint32 number = symbol_type_add (binding, EVALUATE_TYPE_ENUM,
                                      symbol_die_get_number (binding->dwarf, die,
                                                             DW_AT_byte_size, 4),
                                      symbol_type_describe (binding, die->offset, "", 0));
    SymbolType *type = symbol_type_get (binding, number);
    type->die = die->offset;
    build_enumerators (binding, type, die);
    return number;
}

/* gcc says DW_ATE_lo_user of complex numbers of integers; only the name tells their kind, and not always. */
static guint32
build_whole_complex (SymbolBinding *binding, guint64 size, char *name)
{
    gboolean is_known = g_str_has_prefix (name, "complex ");
    guint32 number = symbol_type_add (binding,
                                      is_known ? EVALUATE_TYPE_COMPLEX : EVALUATE_TYPE_STRUCT,
                                      size, name);
    symbol_type_get (binding, number)->flags = !is_known ? EVALUATE_TYPE_INCOMPLETE
                                               : strstr (name, "unsigned")
                                                   ? EVALUATE_TYPE_WHOLE
                                                         | EVALUATE_TYPE_WHOLE_UNSIGNED
                                                   : EVALUATE_TYPE_WHOLE;
    return number;
}

static guint32
build_die (SymbolBinding *binding, const SymbolDie *die)
{
    guint64 size = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, 0);
    char *name;
    guint32 number, target;
    SymbolDie base;
    switch (die->tag) {
    case DW_TAG_base_type:
        name = symbol_type_describe (binding, die->offset, "", 0);
        if (symbol_die_get_number (binding->dwarf, die, DW_AT_encoding, 0)
            == DW_ATE_decimal_float) {
            number = symbol_type_add (binding, EVALUATE_TYPE_STRUCT, size, name);
            symbol_type_get (binding, number)->flags = EVALUATE_TYPE_DECIMAL;
            return number;
        }
        if (symbol_die_get_number (binding->dwarf, die, DW_AT_encoding, 0) == DW_ATE_lo_user)
            return build_whole_complex (binding, size, name);
        number = symbol_type_add (binding,
                                  find_base_kind (symbol_die_get_number (binding->dwarf, die,
                                                                         DW_AT_encoding, 0),
                                                  name),
                                  size, name);
        symbol_type_get (binding, number)->lower = find_mark (name);
        if (size == 2 ? strstr (name, "bf16") || strstr (name, "bfloat16")
                      : (size == 16 || size == 32)
                            && (strstr (name, "128") || strstr (name, "kind=16")))
            symbol_type_get (binding, number)->flags |= EVALUATE_TYPE_QUAD;
        return number;
    case DW_TAG_unspecified_type:
        name = symbol_type_describe (binding, die->offset, "", 0);
        return symbol_type_add (binding, EVALUATE_TYPE_POINTER, 8, name);
    case DW_TAG_ptr_to_member_type: return build_member_pointer (binding, die);
    case DW_TAG_string_type: return symbol_array_build_text (binding, die);
    case DW_TAG_pointer_type: return build_pointer (binding, die, FALSE);
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type: return build_pointer (binding, die, TRUE);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type: return build_aggregate (binding, die);
    case DW_TAG_enumeration_type: return build_enum (binding, die);
    case DW_TAG_array_type: return symbol_array_build (binding, die);
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        number = symbol_type_add (binding, EVALUATE_TYPE_FUNCTION, 1,
                                  symbol_type_describe (binding, die->offset, "", 0));
        symbol_type_get (binding, number)->die = die->offset;
        return number;
    case DW_TAG_typedef:
        name = (char *) find_wide (binding->dwarf, die->offset, &base);
        if (name && strcmp (name, symbol_die_get_name (binding->dwarf, die)) == 0) {
            size = symbol_die_get_number (binding->dwarf, &base, DW_AT_byte_size, 0);
            number = symbol_type_add (binding,
                                      *name == 'w' ? EVALUATE_TYPE_CHAR : EVALUATE_TYPE_UCHAR,
                                      size, g_strdup (name));
            symbol_type_get (binding, number)->lower = find_mark (name);
            return number;
        }
        G_GNUC_FALLTHROUGH;
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
    case DW_TAG_subrange_type:
        name = symbol_type_describe (binding, die->offset, "", 0);
        target = symbol_type_build_of (binding, die);
        number = symbol_type_add (binding, EVALUATE_TYPE_TYPEDEF, 0, name);
        symbol_type_get (binding, number)->target = target;
        symbol_type_get (binding, number)->die = die->offset;
        return number;
    default:
        /* never void: that would be a statement */
        number = symbol_type_add (binding, EVALUATE_TYPE_STRUCT, 0,
                                  g_strdup (N_ ("<unknown type>")));
        symbol_type_get (binding, number)->flags = EVALUATE_TYPE_INCOMPLETE;
        return number;
    }
}

guint32
symbol_type_build (SymbolBinding *binding, guint64 offset)
{
    SymbolDie die;
    gpointer found;
    offset = find_in_type_unit (binding->dwarf, offset);
    if (!offset || binding->depth > MAX_DEPTH || binding->types->len > 20000
        || !symbol_die_find (binding->dwarf, offset, &die))
        return 0;
    if (g_hash_table_lookup_extended (binding->by_die, GSIZE_TO_POINTER (offset), NULL, &found))
        return GPOINTER_TO_UINT (found);
    binding->depth++;
    guint32 number = build_die (binding, &die);
    binding->depth--;
    g_hash_table_insert (binding->by_die, GSIZE_TO_POINTER (offset), GUINT_TO_POINTER (number));
    if (number)
        symbol_type_get (binding, number)->origin = offset;
    if (symbol_imports_get_language (binding, die.unit) == JOB_LANGUAGE_FORTRAN && number)
        symbol_type_get (binding, number)->flags |= EVALUATE_TYPE_FORTRAN;
    return number;
}

guint32
symbol_type_build_enumeration (SymbolBinding *binding, const SymbolDie *enumerator)
{
    SymbolDie parent;
    if (!symbol_names_find_parent (binding->dwarf, enumerator, &parent))
        return symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 4, "int");
    return symbol_type_build (binding, parent.offset);
}

guint32
symbol_type_build_of (SymbolBinding *binding, const SymbolDie *die)
{
    return symbol_type_build (binding, symbol_type_find_target (binding->dwarf, die));
}

guint32
symbol_type_get_target (SymbolBinding *binding, guint32 number)
{
    SymbolType *type = symbol_type_strip (binding, number);
    if (type->target == EVALUATE_TYPE_NONE
        && (type->kind == EVALUATE_TYPE_POINTER || type->kind == EVALUATE_TYPE_REFERENCE)) {
        guint32 target = symbol_type_build (binding, type->die);
        symbol_type_strip (binding, number)->target = target;
        return target;
    }
    return type->target == EVALUATE_TYPE_NONE ? 0 : type->target;
}
