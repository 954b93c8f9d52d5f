/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds array types: with constant bounds, or with code for bounds known only at run time
 * (variable length, Fortran's descriptors). */
#include <string.h>

#include "symbol/bind-private.h"

#define MAX_DIMENSIONS 16

/* What an array is of. */
typedef struct {
    guint64 size;     /* 0: not known */
    gboolean is_sure; /* so large is each of them */
} SymbolElement;

gint64
symbol_array_find_lower (const SymbolBinding *binding, const SymbolDie *subrange)
{
    gboolean fortran = symbol_imports_get_language (binding, subrange->unit)
                       == JOB_LANGUAGE_FORTRAN;
    return symbol_die_get_number (binding->dwarf, subrange, DW_AT_lower_bound, fortran);
}

static gboolean
is_constant (const SymbolBinding *binding, const SymbolDie *die, guint32 attribute)
{
    SymbolValue value;
    return !symbol_die_get (binding->dwarf, die, attribute, &value)
           || value.kind == SYMBOL_VALUE_CONSTANT;
}

guint64
symbol_array_find_count (const SymbolBinding *binding, const SymbolDie *subrange)
{
    SymbolValue value;
    gint64 lower = symbol_array_find_lower (binding, subrange);
    if (symbol_die_get (binding->dwarf, subrange, DW_AT_count, &value))
        return value.kind == SYMBOL_VALUE_CONSTANT ? value.number : G_MAXUINT64;
    if (!is_constant (binding, subrange, DW_AT_lower_bound))
        return G_MAXUINT64;
    if (symbol_die_get (binding->dwarf, subrange, DW_AT_upper_bound, &value)) {
        if (value.kind != SYMBOL_VALUE_CONSTANT)
            return G_MAXUINT64;
        gint64 upper = value.number;
        if ((value.form == DW_FORM_data4 && value.number == G_MAXUINT32)
            || value.number == G_MAXUINT64)
            upper = -1;
        return upper - lower + 1 > 0 ? (guint64) (upper - lower + 1) : 0;
    }
    /* Fortran's assumed size: the caller's array may go on; C's []: nothing of the object's */
    return symbol_imports_get_language (binding, subrange->unit) == JOB_LANGUAGE_FORTRAN
               ? G_MAXUINT64
               : 0;
}

/* Rewrites it for the evaluator's machine. Unsupported code becomes an empty block, which gives no
 * number. */
static GByteArray *
rewrite_block (SymbolBinding *binding, const SymbolDie *die, const SymbolValue *value)
{
    GByteArray *block = g_byte_array_new ();
    if (!symbol_location_rewrite (binding, die->unit, value->block, value->size, 0, block))
        g_byte_array_set_size (block, 0);
    return block;
}

static void
put_base (SymbolBinding *binding, const SymbolDie *die, GByteArray *code)
{
    g_autoptr (GByteArray) base = g_byte_array_new ();
    if (!symbol_host_find_base (binding, die, base))
        g_byte_array_set_size (base, 0);
    base_bytes_put_uleb (code, base->len);
    g_byte_array_append (code, base->data, base->len);
}

/* gfortran computes the distance of two elements from the field `span` of the array's descriptor (at byte 32,
 * libgfortran.h) and the number of elements before it, which is 1 where it is 0. But it uses span only of pointers and
 * where elements may be larger than they are declared (a CLASS), and where it optimises it leaves what it does not use
 * as the memory was: then the distance is that of the element's size. */
static void
allow_no_span (GByteArray *block, const SymbolElement *element)
{
    static const guint8 by_span[] = { DW_OP_push_object_address, DW_OP_plus_uconst, 32,
                                      DW_OP_deref, DW_OP_mul };
    static const guint8 or_one[] = { DW_OP_dup, DW_OP_bra, 2, 0, DW_OP_drop, DW_OP_lit1 };
    static const guint8 if_none[] = { DW_OP_dup, DW_OP_bra, 6, 0, DW_OP_drop };
    guint8 by_size[] = { DW_OP_const4u, 0, 0, 0, 0, DW_OP_mul };
    guint32 size = GUINT32_TO_LE ((guint32) element->size);
    gsize kept = block->len - MIN (block->len, sizeof by_span);
    if (!kept || !element->size || element->size > G_MAXUINT32
        || memcmp (block->data + kept, by_span, sizeof by_span) != 0)
        return;
    memcpy (by_size + 1, &size, sizeof size);
    g_byte_array_set_size (block, kept);
    g_byte_array_append (block, or_one, sizeof or_one);
    if (!element->is_sure) {
        g_byte_array_append (block, by_span, sizeof by_span - 1);
        g_byte_array_append (block, if_none, sizeof if_none);
    }
    g_byte_array_append (block, by_size, sizeof by_size);
}

/* What a generic subrange says of the dimension, counted from 0, that stands on the stack (DWARF 5, 5.13). */
static void
put_dimension (GByteArray *block, const SymbolDie *die, guint dimension)
{
    guint8 push = (guint8) (DW_OP_lit0 + dimension);
    if (die->tag == DW_TAG_generic_subrange && block->len)
        g_byte_array_prepend (block, &push, 1);
}

/* Code for a number that an attribute gives as an expression or as another variable. NULL when it
 * is a constant or absent. element: of the array whose stride it is; NULL. */
static GByteArray *
build_code (SymbolBinding *binding, const SymbolDie *die, guint32 attribute,
            const SymbolElement *element, guint dimension)
{
    SymbolValue value;
    SymbolDie variable;
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 8, "long");
    if (!symbol_die_get (binding->dwarf, die, attribute, &value))
        return NULL;
    g_autoptr (GByteArray) code = g_byte_array_new ();
    if (value.kind == SYMBOL_VALUE_BLOCK) {
        guint8 stack_value = DW_OP_stack_value;
        symbol_code_put_op (code, EVALUATE_OP_LOCATION, type);
        put_base (binding, die, code);
        g_autoptr (GByteArray) block = rewrite_block (binding, die, &value);
        if (element)
            allow_no_span (block, element);
        put_dimension (block, die, dimension);
        g_byte_array_append (block, &stack_value, block->len > 0);
        base_bytes_put_uleb (code, block->len);
        g_byte_array_append (code, block->data, block->len);
    } else if (value.kind == SYMBOL_VALUE_REFERENCE
               && symbol_die_find (binding->dwarf, value.number, &variable)
               && (variable.tag == DW_TAG_variable
                   || variable.tag == DW_TAG_formal_parameter)) {
        symbol_scope_emit (binding, &variable, code);
        symbol_code_put_op (code, EVALUATE_OP_CAST, type);
    }
    return code->len ? g_steal_pointer (&code) : NULL;
}

static void
put_constant (GByteArray *code, guint32 type, gint64 value)
{
    symbol_code_put_op (code, EVALUATE_OP_CONSTANT, type);
    symbol_code_put_sleb (code, value);
}

/* The last index, counted from 0; NULL when it is not said. */
static GByteArray *
build_upper (SymbolBinding *binding, const SymbolDie *range, const GByteArray *lower,
             guint dimension)
{
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 8, "long");
    GByteArray *code = build_code (binding, range, DW_AT_count, NULL, dimension);
    gint64 constant = symbol_array_find_lower (binding, range);
    if (code) {
        put_constant (code, type, 1);
        symbol_code_put_binary (code, type, EVALUATE_OPERATOR_SUBTRACT);
        return code;
    }
    code = build_code (binding, range, DW_AT_upper_bound, NULL, dimension);
    if (!code && lower && is_constant (binding, range, DW_AT_upper_bound)) {
        code = g_byte_array_new ();
        put_constant (code, type,
                      symbol_die_get_number (binding->dwarf, range, DW_AT_upper_bound, 0));
    }
    if (code && lower)
        g_byte_array_append (code, lower->data, lower->len);
    else if (code && constant)
        put_constant (code, type, constant);
    if (code && (lower || constant))
        symbol_code_put_binary (code, type, EVALUATE_OPERATOR_SUBTRACT);
    return code;
}

static GByteArray *
copy_block (SymbolBinding *binding, const SymbolDie *die, guint32 attribute)
{
    SymbolValue value;
    if (!symbol_die_get (binding->dwarf, die, attribute, &value)
        || value.kind != SYMBOL_VALUE_BLOCK || !value.size)
        return NULL;
    return rewrite_block (binding, die, &value);
}

static guint
list_ranges (SymbolBinding *binding, const SymbolDie *die, SymbolDie *ranges)
{
    SymbolDie child;
    guint n = 0;
    if (symbol_die_first_child (binding->dwarf, die, &child)) {
        do {
            if (child.tag == DW_TAG_subrange_type && n < MAX_DIMENSIONS)
                ranges[n++] = child;
        } while (symbol_die_next (binding->dwarf, &child, &child));
    }
    return n;
}

/* Code for the length that a text's type refers to (DW_AT_string_length): a variable, or the place of a number, which
 * DWARF before 5 may give as a list of locations. NULL: nothing says it at this place of the program. */
static GByteArray *
build_length (SymbolBinding *binding, const SymbolDie *die, const SymbolValue *said)
{
    SymbolValue place = { .kind = SYMBOL_VALUE_BLOCK };
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 8, "long");
    if (said->kind == SYMBOL_VALUE_REFERENCE)
        return build_code (binding, die, DW_AT_string_length, 0, 0);
    if (!symbol_die_find_location (binding->dwarf, die, DW_AT_string_length, binding->pc,
                                   binding->at_entry, &place.block, &place.size))
        return NULL;
    guint64 width = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, 8);
    width = symbol_die_get_number (binding->dwarf, die, DW_AT_string_length_byte_size, width);
    GByteArray *code = g_byte_array_new ();
    symbol_code_put_op (code, EVALUATE_OP_LOCATION,
                        width == 4
                            ? symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 4, "int")
                            : type);
    put_base (binding, die, code);
    g_autoptr (GByteArray) block = rewrite_block (binding, die, &place);
    base_bytes_put_uleb (code, block->len);
    g_byte_array_append (code, block->data, block->len);
    symbol_code_put_op (code, EVALUATE_OP_CAST, type);
    return code;
}

/* character (len=…): as long as its type, or as a variable or memory says. */
guint32
symbol_array_build_text (SymbolBinding *binding, const SymbolDie *die)
{
    SymbolValue value;
    guint64 size = symbol_die_get_number (binding->dwarf, die, DW_AT_byte_size, 0);
    guint32 character = symbol_type_get_basic (binding, EVALUATE_TYPE_UCHAR, 1,
                                               "character(kind=1)");
    symbol_type_get (binding, character)->flags |= EVALUATE_TYPE_FORTRAN;
    guint32 number = symbol_type_get_array (binding, character, size);
    symbol_type_get (binding, number)->lower = 1;
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 8, "long");
    gboolean is_elsewhere = symbol_die_get (binding->dwarf, die, DW_AT_string_length, &value);
    GByteArray *upper = is_elsewhere ? build_length (binding, die, &value) : NULL;
    SymbolType *text = symbol_type_get (binding, number);
    /* gfortran says no length of what a region of OpenMP uses of the procedure around it */
    gboolean is_known = !is_elsewhere
                        && symbol_die_get (binding->dwarf, die, DW_AT_byte_size, &value);
    if (upper) {
        put_constant (upper, type, 1);
        symbol_code_put_binary (upper, type, EVALUATE_OPERATOR_SUBTRACT);
        text->codes[EVALUATE_CODE_UPPER] = upper;
    }
    if (!is_known) {
        text->count = G_MAXUINT64;
        text->size = 0;
    }
    g_free (text->name);
    text->name = !is_known ? g_strdup ("character (len=:)")
                           : g_strdup_printf ("character (len=%" G_GUINT64_FORMAT ")", size);
    text->flags |= EVALUATE_TYPE_FORTRAN;
    text->codes[EVALUATE_CODE_DATA] = copy_block (binding, die, DW_AT_data_location);
    return number;
}

/* A place: what stands so far behind the array's own place; is_word: the word there. */
static void
put_place (GByteArray *block, gint64 distance, gboolean is_word)
{
    static const guint8 push = DW_OP_push_object_address, consts = DW_OP_consts,
                        plus = DW_OP_plus, deref = DW_OP_deref;
    g_byte_array_append (block, &push, 1);
    if (distance) {
        g_byte_array_append (block, &consts, 1);
        symbol_code_put_sleb (block, distance);
        g_byte_array_append (block, &plus, 1);
    }
    if (is_word)
        g_byte_array_append (block, &deref, 1);
}

guint32
symbol_array_build_deferred (SymbolBinding *binding, gint64 distance)
{
    guint32 character = symbol_type_get_basic (binding, EVALUATE_TYPE_UCHAR, 1,
                                               "character(kind=1)");
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 8, "long");
    symbol_type_get (binding, character)->flags |= EVALUATE_TYPE_FORTRAN;
    guint32 number = symbol_type_get_array (binding, character, G_MAXUINT64);
    GByteArray *upper = g_byte_array_new ();
    g_autoptr (GByteArray) place = g_byte_array_new ();
    symbol_code_put_op (upper, EVALUATE_OP_LOCATION, type);
    base_bytes_put_uleb (upper, 0);
    put_place (place, distance, FALSE);
    base_bytes_put_uleb (upper, place->len);
    g_byte_array_append (upper, place->data, place->len);
    put_constant (upper, type, 1);
    symbol_code_put_binary (upper, type, EVALUATE_OPERATOR_SUBTRACT);
    SymbolType *text = symbol_type_get (binding, number);
    text->lower = 1;
    text->size = 0;
    text->flags |= EVALUATE_TYPE_FORTRAN;
    text->codes[EVALUATE_CODE_UPPER] = upper;
    for (guint code = EVALUATE_CODE_DATA;; code = EVALUATE_CODE_EXISTS) {
        text->codes[code] = g_byte_array_new ();
        put_place (text->codes[code], 0, TRUE);
        if (code == EVALUATE_CODE_EXISTS)
            break;
    }
    g_free (text->name);
    text->name = g_strdup ("character (len=:)");
    return number;
}

static guint32
add_captured (SymbolBinding *binding, guint32 element, const SymbolDie *length)
{
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_SIGNED, 8, "long");
    guint32 number = symbol_type_get_array (binding, element, 0);
    GByteArray *upper = g_byte_array_new ();
    symbol_scope_emit (binding, length, upper);
    symbol_code_put_op (upper, EVALUATE_OP_CAST, type);
    put_constant (upper, type, 1);
    symbol_code_put_binary (upper, type, EVALUATE_OPERATOR_SUBTRACT);
    SymbolType *array = symbol_type_get (binding, number);
    char *count = strstr (array->name, "[0]");
    memmove (count + 1, count + 2, strlen (count + 2) + 1);
    array->count = G_MAXUINT64;
    array->codes[EVALUATE_CODE_UPPER] = upper;
    return number;
}

guint32
symbol_array_build_captured (SymbolBinding *binding, guint32 reference,
                             const SymbolDie *lengths, guint n)
{
    guint32 type = symbol_type_get_target (binding, reference);
    while (n-- > 0)
        type = add_captured (binding, type, &lengths[n]);
    return type;
}

/* Of an array of arrays, all dimensions but the first one have bounds, which the optimiser may have dropped. */
static gboolean
is_dropped (const SymbolBinding *binding, guint64 count, const SymbolDie *range)
{
    SymbolValue value;
    return !count && !symbol_die_get (binding->dwarf, range, DW_AT_count, &value)
           && !symbol_die_get (binding->dwarf, range, DW_AT_upper_bound, &value);
}

static guint32
add_dimension (SymbolBinding *binding, guint32 inner, const SymbolElement *element,
               const SymbolDie *range, guint dimension, gboolean is_first)
{
    guint64 count = symbol_array_find_count (binding, range);
    if (!is_first && is_dropped (binding, count, range))
        count = G_MAXUINT64;
    guint32 type = symbol_type_get_array (binding, inner, count == G_MAXUINT64 ? 0 : count);
    GByteArray *lower = build_code (binding, range, DW_AT_lower_bound, NULL, dimension);
    GByteArray *stride = build_code (binding, range, DW_AT_byte_stride, element, dimension);
    GByteArray *upper = count == G_MAXUINT64 ? build_upper (binding, range, lower, dimension)
                                             : NULL;
    SymbolType *array = symbol_type_get (binding, type);
    array->lower = symbol_array_find_lower (binding, range);
    array->codes[EVALUATE_CODE_LOWER] = lower;
    array->codes[EVALUATE_CODE_STRIDE] = stride;
    array->codes[EVALUATE_CODE_UPPER] = upper;
    if (count == G_MAXUINT64)
        array->count = G_MAXUINT64;
    if (symbol_imports_get_language (binding, range->unit) == JOB_LANGUAGE_FORTRAN)
        array->flags |= EVALUATE_TYPE_FORTRAN | EVALUATE_TYPE_COLUMN_MAJOR;
    return type;
}

/* Only the program knows how many dimensions there are: one type for each number of them. */
static guint32
build_ranks (SymbolBinding *binding, const SymbolDie *die, guint32 element)
{
    g_autofree char *name = g_strdup_printf (SYMBOL_ASSUMED_RANK " of %s",
                                             symbol_type_get (binding, element)->name);
    guint32 type = symbol_type_get_basic (binding, EVALUATE_TYPE_STRUCT, 0, name);
    const SymbolElement each = { symbol_type_strip (binding, element)->size, FALSE };
    SymbolDie range;
    GArray *types = g_array_new (FALSE, FALSE, sizeof (guint32));
    gboolean any = symbol_die_first_child (binding->dwarf, die, &range);
    while (any && range.tag != DW_TAG_generic_subrange)
        any = symbol_die_next (binding->dwarf, &range, &range);
    g_array_append_val (types, element);
    for (guint n = 1; any && n <= EVALUATE_MAX_RANK; n++) {
        guint32 array = element;
        for (guint i = 0; i < n; i++)
            array = add_dimension (binding, array, &each, &range, i, TRUE);
        symbol_type_get (binding, array)->codes[EVALUATE_CODE_DATA]
            = copy_block (binding, die, DW_AT_data_location);
        g_array_append_val (types, array);
    }
    SymbolType *ranked = symbol_type_get (binding, type);
    if (ranked->view_types)
        g_array_unref (ranked->view_types);
    ranked->view_types = types;
    ranked->flags |= EVALUATE_TYPE_INCOMPLETE | EVALUATE_TYPE_RANKED | EVALUATE_TYPE_FORTRAN;
    ranked->origin = die->offset;
    g_clear_pointer (&ranked->codes[EVALUATE_CODE_UPPER], g_byte_array_unref);
    g_clear_pointer (&ranked->codes[EVALUATE_CODE_DATA], g_byte_array_unref);
    ranked->codes[EVALUATE_CODE_UPPER] = build_code (binding, die, DW_AT_rank, NULL, 0);
    ranked->codes[EVALUATE_CODE_DATA] = copy_block (binding, die, DW_AT_data_location);
    return type;
}

static void
mark_vector (SymbolBinding *binding, guint32 type)
{
    guint32 element = symbol_type_get_number (binding, symbol_type_get (binding, type)->target);
    symbol_type_get (binding, type)->target = element;
    symbol_type_get (binding, type)->flags |= EVALUATE_TYPE_VECTOR;
}

static SymbolElement
find_element (SymbolBinding *binding, const SymbolDie *die, guint32 type)
{
    const SymbolType *element = symbol_type_strip (binding, type);
    SymbolValue value;
    return (SymbolElement){ element->size, element->kind != EVALUATE_TYPE_STRUCT
                                               && !symbol_die_get (binding->dwarf, die,
                                                                   DW_AT_associated, &value) };
}

guint32
symbol_array_build (SymbolBinding *binding, const SymbolDie *die)
{
    SymbolDie ranges[MAX_DIMENSIONS];
    guint n = list_ranges (binding, die, ranges);
    guint32 type = symbol_type_build_of (binding, die);
    gboolean fortran = symbol_imports_get_language (binding, die->unit) == JOB_LANGUAGE_FORTRAN;
    SymbolValue rank;
    if (symbol_die_get (binding->dwarf, die, DW_AT_rank, &rank))
        return build_ranks (binding, die, type);
    const SymbolElement each = find_element (binding, die, type);
    /* the innermost dimension first: C's last, Fortran's first */
    for (guint i = 0; i < n; i++)
        type = add_dimension (binding, type, &each, &ranges[fortran ? i : n - 1 - i], 0,
                              i + 1 == n);
    SymbolType *whole = symbol_type_get (binding, type);
    if (!n || whole->kind != EVALUATE_TYPE_ARRAY)
        return type;
    char *name = symbol_type_describe (binding, die->offset, "", 0);
    GByteArray *exists = copy_block (binding, die, DW_AT_allocated);
    gboolean associated = !exists;
    if (!exists)
        exists = copy_block (binding, die, DW_AT_associated);
    whole = symbol_type_get (binding, type);
    g_free (whole->name);
    whole->name = name;
    whole->codes[EVALUATE_CODE_DATA] = copy_block (binding, die, DW_AT_data_location);
    whole->codes[EVALUATE_CODE_EXISTS] = exists;
    if (exists && associated)
        whole->flags |= EVALUATE_TYPE_ASSOCIATED;
    if (symbol_die_get_number (binding->dwarf, die, DW_AT_GNU_vector, 0))
        mark_vector (binding, type);
    return type;
}
