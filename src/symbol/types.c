/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows DWARF's type entries: builds the table of types of a program and writes types as C. */
#include <string.h>

#include "symbol/bind-private.h"

#define MAX_DEPTH 40

void
symbol_code_put_sleb (GByteArray *code, gint64 value)
{
    for (;;) {
        guint8 byte = value & 0x7f;
        value >>= 7;
        gboolean last = (value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40));
        if (!last)
            byte |= 0x80;
        g_byte_array_append (code, &byte, 1);
        if (last)
            return;
    }
}

void
symbol_code_put_op (GByteArray *code, IndexOp op, guint32 type)
{
    base_bytes_put_uleb (code, op);
    base_bytes_put_uleb (code, type);
}

SymbolType *
symbol_type_get (const SymbolBinding *binding, guint32 type)
{
    return binding->types->pdata[type];
}

guint32
symbol_type_strip_number (const SymbolBinding *binding, guint32 type)
{
    for (guint i = 0; i < 100 && symbol_type_get (binding, type)->kind == INDEX_TYPE_TYPEDEF; i++)
        type = symbol_type_get (binding, type)->target;
    return type;
}

SymbolType *
symbol_type_strip (const SymbolBinding *binding, guint32 type)
{
    return symbol_type_get (binding, symbol_type_strip_number (binding, type));
}

static guint64
find_target (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolValue value;
    if (!symbol_die_get_deep (dwarf, die, DW_AT_type, &value) ||
        value.kind != SYMBOL_VALUE_REFERENCE)
        return 0;
    return value.number;
}

/* Through typedefs and qualifiers. */
static gboolean
strip_die (const SymbolDwarf *dwarf, guint64 offset, SymbolDie *ret_die)
{
    for (guint i = 0; i < 100; i++) {
        if (!offset || !symbol_die_find (dwarf, offset, ret_die))
            return FALSE;
        if (ret_die->tag != DW_TAG_typedef && ret_die->tag != DW_TAG_const_type &&
            ret_die->tag != DW_TAG_volatile_type && ret_die->tag != DW_TAG_restrict_type &&
            ret_die->tag != DW_TAG_atomic_type)
            return TRUE;
        offset = find_target (dwarf, ret_die);
    }
    return FALSE;
}

static gboolean
is_aggregate (guint32 tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_class_type || tag == DW_TAG_interface_type;
}

static char *
join (const char *base, const char *inner)
{
    return inner[0] ? g_strconcat (base, " ", inner, NULL) : g_strdup (base);
}

static char *
describe_parameters (const SymbolBinding *binding, const SymbolDie *function, guint depth)
{
    GString *text = g_string_new ("(");
    SymbolDie child;
    gboolean any = FALSE, prototyped = symbol_die_get_number (binding->dwarf, function,
                                                              DW_AT_prototyped, 0) != 0;
    if (symbol_die_first_child (binding->dwarf, function, &child)) {
        do {
            if (child.tag == DW_TAG_unspecified_parameters) {
                g_string_append (text, any ? ", ..." : "...");
                any = TRUE;
            }
            if (child.tag != DW_TAG_formal_parameter)
                continue;
            g_autofree char *type = symbol_type_describe (
                binding, find_target (binding->dwarf, &child), "", depth + 1);
            g_string_append_printf (text, "%s%s", any ? ", " : "", type);
            any = TRUE;
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    if (!any && prototyped)
        g_string_append (text, "void");
    g_string_append_c (text, ')');
    return g_string_free (text, FALSE);
}

static gint64
find_lower (const SymbolBinding *binding, const SymbolDie *subrange)
{
    return symbol_die_get_number (binding->dwarf, subrange, DW_AT_lower_bound,
                                  subrange->unit->language == JOB_LANGUAGE_FORTRAN ? 1 : 0);
}

/* Bounds of one dimension: the count when it is constant, G_MAXUINT64 otherwise. */
static guint64
find_count (const SymbolBinding *binding, const SymbolDie *subrange)
{
    SymbolValue value;
    gint64 lower = find_lower (binding, subrange);
    if (symbol_die_get (binding->dwarf, subrange, DW_AT_count, &value))
        return value.kind == SYMBOL_VALUE_CONSTANT ? value.number : G_MAXUINT64;
    if (symbol_die_get (binding->dwarf, subrange, DW_AT_upper_bound, &value)) {
        if (value.kind != SYMBOL_VALUE_CONSTANT)
            return G_MAXUINT64;
        gint64 upper = value.number;
        if ((value.form == DW_FORM_data4 && value.number == G_MAXUINT32) ||
            value.number == G_MAXUINT64)
            upper = -1;
        return upper - lower + 1 > 0 ? (guint64) (upper - lower + 1) : 0;
    }
    return 0;
}

/* "(0:4,3)" */
static void
describe_fortran_bounds (const SymbolBinding *binding, const SymbolDie *array, GString *text)
{
    SymbolDie child;
    gboolean any = FALSE;
    g_string_append_c (text, '(');
    if (symbol_die_first_child (binding->dwarf, array, &child)) {
        do {
            if (child.tag != DW_TAG_subrange_type)
                continue;
            guint64 count = find_count (binding, &child);
            gint64 lower = find_lower (binding, &child);
            g_string_append (text, any ? "," : "");
            any = TRUE;
            if (count == G_MAXUINT64)
                g_string_append_c (text, ':');
            else if (lower != 1)
                g_string_append_printf (text, "%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, lower,
                                        lower + (gint64) count - 1);
            else
                g_string_append_printf (text, "%" G_GUINT64_FORMAT, count);
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    g_string_append_c (text, ')');
}

static char *
describe_array (const SymbolBinding *binding, const SymbolDie *array, const char *inner,
                guint depth)
{
    GString *text = g_string_new (inner);
    SymbolDie child;
    gboolean fortran = array->unit->language == JOB_LANGUAGE_FORTRAN;
    if (fortran)
        describe_fortran_bounds (binding, array, text);
    if (!fortran && symbol_die_first_child (binding->dwarf, array, &child)) {
        do {
            if (child.tag != DW_TAG_subrange_type && child.tag != DW_TAG_enumeration_type)
                continue;
            guint64 count = find_count (binding, &child);
            if (count == G_MAXUINT64)
                g_string_append (text, "[variable length]");
            else if (!count)
                g_string_append (text, "[]");
            else
                g_string_append_printf (text, "[%" G_GUINT64_FORMAT "]", count);
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    char *whole = symbol_type_describe (binding, find_target (binding->dwarf, array), text->str,
                                        depth + 1);
    g_string_free (text, TRUE);
    return whole;
}

static char *
describe_named (const SymbolBinding *binding, const SymbolDie *die, const char *inner)
{
    const char *name = symbol_die_get_name (binding->dwarf, die), *keyword = "";
    gboolean with_keyword = die->unit->language != JOB_LANGUAGE_CXX;
    if (die->tag == DW_TAG_structure_type || die->tag == DW_TAG_class_type)
        keyword = "struct ";
    else if (die->tag == DW_TAG_union_type)
        keyword = "union ";
    else if (die->tag == DW_TAG_enumeration_type)
        keyword = "enum ";
    g_autofree char *base = g_strconcat (with_keyword || !name ? keyword : "",
                                         name ? name : keyword[0] ? "{...}" : "<unnamed>", NULL);
    return join (base, inner);
}

static char *
describe_pointer (const SymbolBinding *binding, guint64 target, const char *mark,
                  const char *inner, guint depth)
{
    SymbolDie die;
    g_autofree char *pointer = g_strconcat (mark, inner, NULL);
    if (target && symbol_die_find (binding->dwarf, target, &die) &&
        (die.tag == DW_TAG_subroutine_type || die.tag == DW_TAG_array_type)) {
        g_autofree char *wrapped = g_strconcat ("(", pointer, ")", NULL);
        return symbol_type_describe (binding, target, wrapped, depth + 1);
    }
    return symbol_type_describe (binding, target, pointer, depth + 1);
}

static char *
describe_qualified (const SymbolBinding *binding, const SymbolDie *die, const char *word,
                    const char *inner, guint depth)
{
    SymbolDie target;
    guint64 offset = find_target (binding->dwarf, die);
    if (offset && symbol_die_find (binding->dwarf, offset, &target) &&
        target.tag == DW_TAG_pointer_type) {
        g_autofree char *mark = g_strconcat ("* ", word, inner[0] ? " " : "", NULL);
        return describe_pointer (binding, find_target (binding->dwarf, &target), mark, inner,
                                 depth);
    }
    g_autofree char *rest = symbol_type_describe (binding, offset, inner, depth + 1);
    return g_strconcat (word, " ", rest, NULL);
}

char *
symbol_type_describe (const SymbolBinding *binding, guint64 offset, const char *inner,
                      guint depth)
{
    SymbolDie die;
    if (!offset)
        return join ("void", inner);
    if (depth > MAX_DEPTH || !symbol_die_find (binding->dwarf, offset, &die))
        return join ("<unknown>", inner);
    guint64 target = find_target (binding->dwarf, &die);
    switch (die.tag) {
    case DW_TAG_pointer_type:
        return describe_pointer (binding, target, "*", inner, depth);
    case DW_TAG_reference_type:
        return describe_pointer (binding, target, "&", inner, depth);
    case DW_TAG_rvalue_reference_type:
        return describe_pointer (binding, target, "&&", inner, depth);
    case DW_TAG_const_type:
        return describe_qualified (binding, &die, "const", inner, depth);
    case DW_TAG_volatile_type:
        return describe_qualified (binding, &die, "volatile", inner, depth);
    case DW_TAG_restrict_type:
        return describe_qualified (binding, &die, "restrict", inner, depth);
    case DW_TAG_atomic_type:
        return describe_qualified (binding, &die, "_Atomic", inner, depth);
    case DW_TAG_array_type:
        return describe_array (binding, &die, inner, depth);
    case DW_TAG_subprogram:
    case DW_TAG_subroutine_type: {
        g_autofree char *parameters = describe_parameters (binding, &die, depth);
        g_autofree char *whole = g_strconcat (inner, parameters, NULL);
        return symbol_type_describe (binding, target, whole, depth + 1);
    }
    default:
        return describe_named (binding, &die, inner);
    }
}

static void
free_member (gpointer data)
{
    g_free (((SymbolMember *) data)->name);
}

static guint32
add_type (SymbolBinding *binding, IndexTypeKind kind, guint64 size, char *name)
{
    SymbolType *type = g_new0 (SymbolType, 1);
    type->kind = kind;
    type->size = size;
    type->target = INDEX_TYPE_NONE;
    type->name = name;
    g_ptr_array_add (binding->types, type);
    return binding->types->len - 1;
}

guint32
symbol_type_get_basic (SymbolBinding *binding, IndexTypeKind kind, guint64 size,
                       const char *name)
{
    gpointer found = g_hash_table_lookup (binding->by_name, name);
    if (found)
        return GPOINTER_TO_UINT (found);
    guint32 type = add_type (binding, kind, size, g_strdup (name));
    g_hash_table_insert (binding->by_name, g_strdup (name), GUINT_TO_POINTER (type));
    return type;
}

static guint32
find_pointer_flags (const SymbolType *target)
{
    if (target->kind == INDEX_TYPE_STRUCT || target->kind == INDEX_TYPE_UNION)
        return INDEX_TYPE_TO_AGGREGATE;
    if ((target->kind == INDEX_TYPE_CHAR || target->kind == INDEX_TYPE_UCHAR) &&
        target->size == 1)
        return INDEX_TYPE_TO_CHAR;
    return target->kind == INDEX_TYPE_FUNCTION ? INDEX_TYPE_TO_FUNCTION : 0;
}

guint32
symbol_type_get_pointer (SymbolBinding *binding, guint32 target)
{
    const SymbolType *to = symbol_type_get (binding, target);
    char *name;
    const char *bracket = strchr (to->name, '[');
    const char *parameters = to->kind == INDEX_TYPE_FUNCTION ? strchr (to->name, '(') : NULL;
    const char *cut = to->kind == INDEX_TYPE_ARRAY ? bracket : parameters;
    if (cut)
        name = g_strdup_printf ("%.*s(*)%s", (int) (cut - to->name), to->name, cut);
    else
        name = g_str_has_suffix (to->name, "*") ? g_strconcat (to->name, "*", NULL)
                                                : g_strconcat (to->name, " *", NULL);
    guint32 type = add_type (binding, INDEX_TYPE_POINTER, 8, name);
    SymbolType *pointer = symbol_type_get (binding, type);
    pointer->target = target;
    pointer->flags = find_pointer_flags (symbol_type_strip (binding, target));
    return type;
}

guint32
symbol_type_get_array (SymbolBinding *binding, guint32 element, guint64 count)
{
    const SymbolType *of = symbol_type_get (binding, element);
    const char *bracket = strchr (of->name, '[');
    char *name = bracket ? g_strdup_printf ("%.*s[%" G_GUINT64_FORMAT "]%s",
                                            (int) (bracket - of->name), of->name, count, bracket)
                         : g_strdup_printf ("%s [%" G_GUINT64_FORMAT "]", of->name, count);
    guint64 size = symbol_type_strip (binding, element)->size;
    guint32 type = add_type (binding, INDEX_TYPE_ARRAY, size * count, name);
    symbol_type_get (binding, type)->target = element;
    symbol_type_get (binding, type)->count = count;
    return type;
}

static IndexTypeKind
find_base_kind (guint64 encoding)
{
    switch (encoding) {
    case DW_ATE_boolean: return INDEX_TYPE_BOOL;
    case DW_ATE_signed_char: return INDEX_TYPE_CHAR;
    case DW_ATE_unsigned_char: case DW_ATE_UTF: return INDEX_TYPE_UCHAR;
    case DW_ATE_signed: return INDEX_TYPE_SIGNED;
    case DW_ATE_float: return INDEX_TYPE_FLOAT;
    case DW_ATE_complex_float: return INDEX_TYPE_COMPLEX;
    default: return INDEX_TYPE_UNSIGNED;
    }
}

static void
place_member (const SymbolBinding *binding, const SymbolDie *die, SymbolMember *member)
{
    SymbolValue value;
    guint64 size = symbol_type_strip (binding, member->type)->size, bits;
    if (symbol_die_get (binding->dwarf, die, DW_AT_data_member_location, &value)) {
        if (value.kind == SYMBOL_VALUE_CONSTANT) {
            member->offset = value.number;
        } else if (value.kind == SYMBOL_VALUE_BLOCK && value.size > 1 &&
                   value.block[0] == DW_OP_plus_uconst) {
            BaseCursor cursor = BASE_CURSOR_INIT (value.block + 1, value.size - 1);
            member->offset = base_cursor_read_uleb (&cursor);
        }
    }
    member->bit_size = symbol_die_get_number (binding->dwarf, die, DW_AT_bit_size, 0);
    if (member->bit_size > 64)
        member->bit_size = 0;
    bits = symbol_die_get_number (binding->dwarf, die, DW_AT_data_bit_offset, G_MAXUINT64);
    if (bits != G_MAXUINT64 && size && size <= 16) {
        member->offset += bits / (8 * size) * size;
        member->bit_offset = bits % (8 * size);
        return;
    }
    bits = symbol_die_get_number (binding->dwarf, die, DW_AT_bit_offset, G_MAXUINT64);
    size = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, size);
    if (member->bit_size && bits != G_MAXUINT64 && size <= 16 &&
        bits + member->bit_size <= size * 8)
        member->bit_offset = size * 8 - bits - member->bit_size;
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
        if (child.tag != DW_TAG_member && child.tag != DW_TAG_inheritance)
            continue;
        if (symbol_die_get_number (binding->dwarf, &child, DW_AT_external, 0) ||
            symbol_die_get_number (binding->dwarf, &child, DW_AT_declaration, 0))
            continue;
        SymbolMember member = { 0 };
        member.type = symbol_type_build_of (binding, &child);
        const char *name = symbol_die_get_name (binding->dwarf, &child);
        if (child.tag == DW_TAG_inheritance)
            member.name = g_strdup_printf ("<%s>", symbol_type_get (binding, member.type)->name);
        else
            member.name = g_utf8_make_valid (name ? name : "", -1);
        place_member (binding, &child, &member);
        g_array_append_val (type->members, member);
    } while (symbol_die_next (binding->dwarf, &child, &child));
}

static void
build_enumerators (SymbolBinding *binding, SymbolType *type, const SymbolDie *die)
{
    SymbolDie child;
    type->enumerators = g_variant_builder_new (G_VARIANT_TYPE ("a(xs)"));
    if (!symbol_die_first_child (binding->dwarf, die, &child))
        return;
    do {
        const char *name = symbol_die_get_name (binding->dwarf, &child);
        if (child.tag != DW_TAG_enumerator || !name)
            continue;
        g_autofree char *valid = g_utf8_make_valid (name, -1);
        gint64 value = symbol_die_get_number (binding->dwarf, &child, DW_AT_const_value, 0);
        g_variant_builder_add (type->enumerators, "(xs)", value, valid);
    } while (symbol_die_next (binding->dwarf, &child, &child));
}

/* Code for the upper bound, counted from 0, of a variable length array, or NULL. */
static GByteArray *
build_bound (SymbolBinding *binding, const SymbolDie *subrange)
{
    SymbolValue value;
    SymbolDie variable;
    guint32 type = symbol_type_get_basic (binding, INDEX_TYPE_SIGNED, 8, "long");
    if (!symbol_die_get (binding->dwarf, subrange, DW_AT_upper_bound, &value))
        return NULL;
    GByteArray *code = g_byte_array_new ();
    if (value.kind == SYMBOL_VALUE_BLOCK) {
        guint8 stack_value = DW_OP_stack_value;
        symbol_code_put_op (code, INDEX_OP_LOCATION, type);
        base_bytes_put_uleb (code, binding->frame_base_size);
        g_byte_array_append (code, binding->frame_base, binding->frame_base_size);
        base_bytes_put_uleb (code, value.size + 1);
        g_byte_array_append (code, value.block, value.size);
        g_byte_array_append (code, &stack_value, 1);
    } else if (value.kind == SYMBOL_VALUE_REFERENCE &&
               symbol_die_find (binding->dwarf, value.number, &variable) &&
               (variable.tag == DW_TAG_variable || variable.tag == DW_TAG_formal_parameter)) {
        symbol_scope_emit (binding, &variable, code);
        symbol_code_put_op (code, INDEX_OP_CAST, type);
    }
    if (code->len && find_lower (binding, subrange)) {
        symbol_code_put_op (code, INDEX_OP_CONSTANT, type);
        symbol_code_put_sleb (code, find_lower (binding, subrange));
        symbol_code_put_op (code, INDEX_OP_BINARY, type);
        base_bytes_put_uleb (code, INDEX_OPERATOR_SUBTRACT);
    }
    return code;
}

static guint32
build_array (SymbolBinding *binding, const SymbolDie *die)
{
    SymbolDie child, ranges[16];
    guint n = 0;
    guint32 type = symbol_type_build_of (binding, die);
    if (symbol_die_first_child (binding->dwarf, die, &child)) {
        do {
            if (child.tag == DW_TAG_subrange_type && n < G_N_ELEMENTS (ranges))
                ranges[n++] = child;
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    gboolean fortran = die->unit->language == JOB_LANGUAGE_FORTRAN;
    for (guint i = 0; i < n; i++) {
        /* the innermost dimension first: C's last, Fortran's first */
        const SymbolDie *range = &ranges[fortran ? i : n - 1 - i];
        guint64 count = find_count (binding, range);
        type = symbol_type_get_array (binding, type, count == G_MAXUINT64 ? 0 : count);
        symbol_type_get (binding, type)->lower = find_lower (binding, range);
        if (count != G_MAXUINT64)
            continue;
        GByteArray *bound = build_bound (binding, range);
        SymbolType *array = symbol_type_get (binding, type);
        array->count = G_MAXUINT64;
        array->bound = bound;
    }
    char *name = symbol_type_describe (binding, die->offset, "", 0);
    SymbolType *whole = symbol_type_get (binding, type);
    if (whole->kind == INDEX_TYPE_ARRAY) {
        g_free (whole->name);
        whole->name = name;
    } else {
        g_free (name);
    }
    return type;
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
    const char *name = symbol_die_get_name (binding->dwarf, die);
    gboolean incomplete = FALSE;
    if (symbol_die_get_number (binding->dwarf, die, DW_AT_declaration, 0) &&
        (!name || !symbol_scope_find_global (binding, name, accept_definition, die->tag,
                                             &definition)))
        incomplete = TRUE;
    guint32 number = add_type (binding,
                               die->tag == DW_TAG_union_type ? INDEX_TYPE_UNION
                                                             : INDEX_TYPE_STRUCT,
                               symbol_die_get_number (binding->dwarf, &definition,
                                                      DW_AT_byte_size, 0),
                               symbol_type_describe (binding, die->offset, "", 0));
    SymbolType *type = symbol_type_get (binding, number);
    type->flags = incomplete ? INDEX_TYPE_INCOMPLETE : 0;
    type->die = definition.offset;
    g_hash_table_insert (binding->by_die, GSIZE_TO_POINTER (die->offset),
                         GUINT_TO_POINTER (number));
    build_members (binding, type, &definition);
    return number;
}

static guint32
build_pointer (SymbolBinding *binding, const SymbolDie *die, gboolean reference)
{
    guint32 number = add_type (binding, reference ? INDEX_TYPE_REFERENCE : INDEX_TYPE_POINTER, 8,
                               symbol_type_describe (binding, die->offset, "", 0));
    SymbolType *type = symbol_type_get (binding, number);
    SymbolDie target;
    type->die = find_target (binding->dwarf, die);
    if (!strip_die (binding->dwarf, type->die, &target))
        return number;
    if (is_aggregate (target.tag))
        type->flags = INDEX_TYPE_TO_AGGREGATE;
    else if (target.tag == DW_TAG_subroutine_type)
        type->flags = INDEX_TYPE_TO_FUNCTION;
    else if (target.tag == DW_TAG_base_type) {
        guint64 encoding = symbol_die_get_number (binding->dwarf, &target, DW_AT_encoding, 0);
        IndexTypeKind kind = find_base_kind (encoding);
        if ((kind == INDEX_TYPE_CHAR || kind == INDEX_TYPE_UCHAR) &&
            symbol_die_get_number (binding->dwarf, &target, DW_AT_byte_size, 0) == 1)
            type->flags = INDEX_TYPE_TO_CHAR;
    }
    return number;
}

static guint32
build_enum (SymbolBinding *binding, const SymbolDie *die)
{
    guint32 number = add_type (binding, INDEX_TYPE_ENUM,
                               symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, 4),
                               symbol_type_describe (binding, die->offset, "", 0));
    SymbolType *type = symbol_type_get (binding, number);
    type->die = die->offset;
    build_enumerators (binding, type, die);
    return number;
}

static guint32
build_die (SymbolBinding *binding, const SymbolDie *die)
{
    guint64 size = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, 0);
    char *name;
    guint32 number, target;
    switch (die->tag) {
    case DW_TAG_base_type:
        number = add_type (binding, find_base_kind (symbol_die_get_number (
                                        binding->dwarf, die, DW_AT_encoding, 0)),
                           size, symbol_type_describe (binding, die->offset, "", 0));
        return number;
    case DW_TAG_pointer_type:
        return build_pointer (binding, die, FALSE);
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return build_pointer (binding, die, TRUE);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
        return build_aggregate (binding, die);
    case DW_TAG_enumeration_type:
        return build_enum (binding, die);
    case DW_TAG_array_type:
        return build_array (binding, die);
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        number = add_type (binding, INDEX_TYPE_FUNCTION, 1,
                           symbol_type_describe (binding, die->offset, "", 0));
        symbol_type_get (binding, number)->die = die->offset;
        return number;
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
    case DW_TAG_subrange_type:
        name = symbol_type_describe (binding, die->offset, "", 0);
        target = symbol_type_build_of (binding, die);
        number = add_type (binding, INDEX_TYPE_TYPEDEF, 0, name);
        symbol_type_get (binding, number)->target = target;
        symbol_type_get (binding, number)->die = die->offset;
        return number;
    default:
        return 0;
    }
}

guint32
symbol_type_build (SymbolBinding *binding, guint64 offset)
{
    SymbolDie die;
    gpointer found;
    if (!offset || binding->depth > MAX_DEPTH || binding->types->len > 20000 ||
        !symbol_die_find (binding->dwarf, offset, &die))
        return 0;
    if (g_hash_table_lookup_extended (binding->by_die, GSIZE_TO_POINTER (offset), NULL, &found))
        return GPOINTER_TO_UINT (found);
    binding->depth++;
    guint32 number = build_die (binding, &die);
    binding->depth--;
    g_hash_table_insert (binding->by_die, GSIZE_TO_POINTER (offset), GUINT_TO_POINTER (number));
    return number;
}

guint32
symbol_type_build_of (SymbolBinding *binding, const SymbolDie *die)
{
    return symbol_type_build (binding, find_target (binding->dwarf, die));
}

guint32
symbol_type_get_target (SymbolBinding *binding, guint32 number)
{
    SymbolType *type = symbol_type_strip (binding, number);
    if (type->target == INDEX_TYPE_NONE &&
        (type->kind == INDEX_TYPE_POINTER || type->kind == INDEX_TYPE_REFERENCE)) {
        guint32 target = symbol_type_build (binding, type->die);
        symbol_type_strip (binding, number)->target = target;
        return target;
    }
    return type->target == INDEX_TYPE_NONE ? 0 : type->target;
}

GVariant *
symbol_type_encode (const SymbolBinding *binding)
{
    GVariantBuilder table;
    g_variant_builder_init (&table, G_VARIANT_TYPE ("a(uusttuaya(stuuu)a(xs))"));
    for (guint i = 0; i < binding->types->len; i++) {
        SymbolType *type = binding->types->pdata[i];
        g_autofree char *name = g_utf8_make_valid (type->name, -1);
        GVariantBuilder members;
        g_variant_builder_init (&members, G_VARIANT_TYPE ("a(stuuu)"));
        for (guint j = 0; type->members && j < type->members->len; j++) {
            const SymbolMember *member = &g_array_index (type->members, SymbolMember, j);
            g_variant_builder_add (&members, "(stuuu)", member->name, member->offset,
                                   member->type, member->bit_size, member->bit_offset);
        }
        GVariant *enumerators = type->enumerators
                                    ? g_variant_builder_end (type->enumerators)
                                    : g_variant_new_array (G_VARIANT_TYPE ("(xs)"), NULL, 0);
        GVariant *bound = g_variant_new_fixed_array (
            G_VARIANT_TYPE_BYTE, type->bound ? type->bound->data : NULL,
            type->bound ? type->bound->len : 0, 1);
        gboolean target = type->kind == INDEX_TYPE_ARRAY || type->kind == INDEX_TYPE_TYPEDEF;
        g_variant_builder_add (&table, "(uustt@u@ay@a(stuuu)@a(xs))", type->kind, type->flags,
                               name, type->size, type->count,
                               g_variant_new_uint32 (target ? type->target : INDEX_TYPE_NONE),
                               bound, g_variant_builder_end (&members), enumerators);
    }
    return g_variant_builder_end (&table);
}

char *
symbol_type_expand (SymbolBinding *binding, guint32 number)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    SymbolDie die, child;
    if ((type->kind != INDEX_TYPE_STRUCT && type->kind != INDEX_TYPE_UNION &&
         type->kind != INDEX_TYPE_ENUM) || !symbol_die_find (binding->dwarf, type->die, &die))
        return g_strdup (type->name);
    GString *text = g_string_new (type->name);
    gboolean is_enum = type->kind == INDEX_TYPE_ENUM, first = TRUE;
    g_string_append (text, is_enum ? " {" : " {\n");
    if (symbol_die_first_child (binding->dwarf, &die, &child)) {
        do {
            const char *name = symbol_die_get_name (binding->dwarf, &child);
            if (is_enum && child.tag == DW_TAG_enumerator)
                g_string_append_printf (text, "%s%s", first ? "" : ", ", name ? name : "");
            first = FALSE;
            if (is_enum || child.tag != DW_TAG_member)
                continue;
            guint64 bits = symbol_die_get_number (binding->dwarf, &child, DW_AT_bit_size, 0);
            g_autofree char *line = symbol_type_describe (
                binding, find_target (binding->dwarf, &child), name ? name : "", 0);
            g_string_append_printf (text, "    %s", line);
            if (bits)
                g_string_append_printf (text, " : %" G_GUINT64_FORMAT, bits);
            g_string_append (text, ";\n");
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    g_string_append_c (text, '}');
    g_autofree char *bytes = g_string_free (text, FALSE);
    return g_utf8_make_valid (bytes, -1);
}
