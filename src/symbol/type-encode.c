/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the wire form of a program's table of types (EVALUATE_TYPE_TYPE). */
#include "symbol/bind-private.h"

static GVariant *
encode_codes (const SymbolType *type)
{
    guint n = EVALUATE_N_CODES;
    while (n && !type->codes[n - 1])
        n--;
    GVariantBuilder codes;
    g_variant_builder_init (&codes, G_VARIANT_TYPE ("aay"));
    for (guint i = 0; i < n; i++)
        g_variant_builder_add_value (
            &codes, g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE,
                                               type->codes[i] ? type->codes[i]->data : NULL,
                                               type->codes[i] ? type->codes[i]->len : 0, 1));
    return g_variant_builder_end (&codes);
}

static GVariant *
encode_view (const SymbolType *type)
{
    const GArray *numbers = type->view_numbers, *types = type->view_types;
    return g_variant_new ("(u@at@au)", type->view,
                          g_variant_new_fixed_array (G_VARIANT_TYPE_UINT64,
                                                     numbers ? numbers->data : NULL,
                                                     numbers ? numbers->len : 0, 8),
                          g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32,
                                                     types ? types->data : NULL,
                                                     types ? types->len : 0, 4));
}

static GVariant *
encode_type (SymbolType *type)
{
    g_autofree char *name = g_utf8_make_valid (type->name, -1);
    GVariantBuilder members;
    g_variant_builder_init (&members, G_VARIANT_TYPE ("a(stuuu)"));
    for (guint j = 0; type->members && j < type->members->len; j++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, j);
        g_variant_builder_add (&members, "(stuuu)", member->name, member->offset, member->type,
                               member->bit_size, member->bit_offset);
    }
    GVariant *enumerators = type->enumerators
                                ? g_variant_builder_end (type->enumerators)
                                : g_variant_new_array (G_VARIANT_TYPE ("(xs)"), NULL, 0);
    gboolean target = type->kind == EVALUATE_TYPE_ARRAY || type->kind == EVALUATE_TYPE_TYPEDEF;
    return g_variant_new ("(uusttux@aay@a(stuuu)@a(xs)@(uatau))", type->kind, type->flags, name,
                          type->size, type->count, target ? type->target : EVALUATE_TYPE_NONE,
                          type->lower, encode_codes (type), g_variant_builder_end (&members),
                          enumerators, encode_view (type));
}

GVariant *
symbol_type_encode (const SymbolBinding *binding)
{
    GVariantBuilder table;
    g_variant_builder_init (&table, G_VARIANT_TYPE ("a" EVALUATE_TYPE_TYPE));
    for (guint i = 0; i < binding->types->len; i++)
        g_variant_builder_add_value (&table, encode_type (binding->types->pdata[i]));
    return g_variant_builder_end (&table);
}
