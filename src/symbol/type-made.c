/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the types that expressions make of others: pointers, references, arrays, functions, qualified
 * ones, and vector registers. No debug information describes them. */
#include <string.h>

#include "symbol/bind-private.h"

static guint32
find_pointer_flags (const SymbolType *target)
{
    if (target->kind == EVALUATE_TYPE_STRUCT || target->kind == EVALUATE_TYPE_UNION)
        return EVALUATE_TYPE_TO_AGGREGATE;
    if (target->kind == EVALUATE_TYPE_CHAR || target->kind == EVALUATE_TYPE_UCHAR)
        return EVALUATE_TYPE_TO_CHAR;
    return target->kind == EVALUATE_TYPE_FUNCTION ? EVALUATE_TYPE_TO_FUNCTION : 0;
}

guint32
symbol_type_get_pointer (SymbolBinding *binding, guint32 target)
{
    const SymbolType *to = symbol_type_get (binding, target);
    char *name;
    const char *bracket = strchr (to->name, '[');
    const char *behind = strstr (to->name,
                                 " ("); /* Fortran's result has its kind in parentheses */
    const char *parameters = to->kind != EVALUATE_TYPE_FUNCTION ? NULL
                             : behind                           ? behind + 1
                                                                : strchr (to->name, '(');
    const char *cut = to->kind == EVALUATE_TYPE_ARRAY ? bracket : parameters;
    if (cut)
        name = g_strdup_printf ("%.*s(*)%s", (int) (cut - to->name), to->name, cut);
    else
        name = g_str_has_suffix (to->name, "*") ? g_strconcat (to->name, "*", NULL)
                                                : g_strconcat (to->name, " *", NULL);
    guint32 type = symbol_type_add (binding, EVALUATE_TYPE_POINTER, 8, name);
    SymbolType *pointer = symbol_type_get (binding, type);
    pointer->target = target;
    pointer->flags = find_pointer_flags (symbol_type_strip (binding, target));
    pointer->count = symbol_type_strip (binding, target)->size;
    pointer->lower = symbol_type_strip (binding, target)->lower;
    return type;
}

guint32
symbol_type_get_reference (SymbolBinding *binding, guint32 target, gboolean is_rvalue)
{
    char *name = g_strconcat (symbol_type_get (binding, target)->name, is_rvalue ? " &&" : " &",
                              NULL);
    guint32 type = symbol_type_add (binding, EVALUATE_TYPE_REFERENCE, 8, name);
    symbol_type_get (binding, type)->target = target;
    return type;
}

gboolean
symbol_type_is_rvalue_reference (const SymbolBinding *binding, guint32 number)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    SymbolDie die;
    if (type->kind != EVALUATE_TYPE_REFERENCE)
        return FALSE;
    return type->origin ? symbol_die_find (binding->dwarf, type->origin, &die)
                              && die.tag == DW_TAG_rvalue_reference_type
                        : g_str_has_suffix (type->name, "&&");
}

guint32
symbol_type_get_array (SymbolBinding *binding, guint32 element, guint64 count)
{
    const SymbolType *of = symbol_type_get (binding, element);
    const char *bracket = strchr (of->name, '[');
    char *name = bracket
                     ? g_strdup_printf ("%.*s[%" G_GUINT64_FORMAT "]%s",
                                        (int) (bracket - of->name), of->name, count, bracket)
                     : g_strdup_printf ("%s [%" G_GUINT64_FORMAT "]", of->name, count);
    guint64 size = symbol_type_strip (binding, element)->size;
    guint32 type = symbol_type_add (binding, EVALUATE_TYPE_ARRAY, size * count, name);
    symbol_type_get (binding, type)->target = element;
    symbol_type_get (binding, type)->count = count;
    return type;
}

guint32
symbol_type_get_qualified (SymbolBinding *binding, guint32 target, const char *words)
{
    const SymbolType *of = symbol_type_get (binding, target);
    gboolean behind = of->kind == EVALUATE_TYPE_POINTER || of->kind == EVALUATE_TYPE_REFERENCE;
    guint32 type = symbol_type_add (binding, EVALUATE_TYPE_TYPEDEF, 0,
                                    behind ? g_strconcat (of->name, " ", words, NULL)
                                           : g_strconcat (words, " ", of->name, NULL));
    symbol_type_get (binding, type)->target = target;
    symbol_type_get (binding, type)->qualifiers = g_strdup (words);
    return type;
}

guint32
symbol_type_get_function (SymbolBinding *binding, guint32 result, const GArray *parameters)
{
    GString *name = g_string_new (symbol_type_get (binding, result)->name);
    g_string_append (name, " (");
    for (guint i = 0; i < parameters->len; i++)
        g_string_append_printf (name, "%s%s", i ? ", " : "",
                                symbol_type_get (binding,
                                                 g_array_index (parameters, guint32, i))
                                    ->name);
    g_string_append_c (name, ')');
    guint32 type = symbol_type_add (binding, EVALUATE_TYPE_FUNCTION, 1,
                                    g_string_free (name, FALSE));
    symbol_type_get (binding, type)->target = result;
    symbol_type_get (binding, type)->parameters = g_array_copy ((GArray *) parameters);
    return type;
}

guint32
symbol_type_get_vector (SymbolBinding *binding, guint64 size)
{
    static const struct {
        const char *name, *type;
        EvaluateTypeKind kind;
        guint64 size;
    } parts[] = {
        { "float", "float", EVALUATE_TYPE_FLOAT, 4 },
        { "double", "double", EVALUATE_TYPE_FLOAT, 8 },
        { "int8", "int8_t", EVALUATE_TYPE_SIGNED, 1 },
        { "int16", "int16_t", EVALUATE_TYPE_SIGNED, 2 },
        { "int32", "int32_t", EVALUATE_TYPE_SIGNED, 4 },
        { "int64", "int64_t", EVALUATE_TYPE_SIGNED, 8 },
    };
    g_autofree char *name = g_strdup_printf ("vec%" G_GUINT64_FORMAT, size * 8);
    guint32 vector = symbol_type_get_basic (binding, EVALUATE_TYPE_UNION, size, name);
    if (symbol_type_get (binding, vector)->members)
        return vector;
    GArray *members = g_array_new (FALSE, TRUE, sizeof (SymbolMember));
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
        guint32 element = symbol_type_get_basic (binding, parts[i].kind, parts[i].size,
                                                 parts[i].type);
        guint64 count = size / parts[i].size;
        SymbolMember member = { .type = symbol_type_get_array (binding, element, count) };
        member.name = g_strdup_printf ("v%" G_GUINT64_FORMAT "_%s", count, parts[i].name);
        g_array_append_val (members, member);
    }
    /* as gdb names them: $xmm0.uint128, $ymm0.v2_int128 */
    guint32 whole = symbol_type_get_basic (binding,
                                           size == 16 ? EVALUATE_TYPE_UNSIGNED
                                                      : EVALUATE_TYPE_SIGNED,
                                           16, size == 16 ? "unsigned __int128" : "__int128");
    SymbolMember last
        = { .type = size == 16 ? whole : symbol_type_get_array (binding, whole, size / 16) };
    last.name = g_strdup (size == 16 ? "uint128" : "v2_int128");
    g_array_append_val (members, last);
    symbol_type_get (binding, vector)->members = members;
    return vector;
}
