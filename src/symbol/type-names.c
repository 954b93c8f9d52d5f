/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the types of a file whose names contain a text, for completion. */
#include <string.h>

#include "symbol/bind-private.h"

/* A type that has a name of its own where it stands: no declaration, no class of a function. */
static char *
dup_type_name (SymbolBinder *binder, const SymbolDie *die)
{
    SymbolValue value;
    switch (die->tag) {
    case DW_TAG_base_type:
    case DW_TAG_typedef:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_class_type:
        return symbol_die_get (binder->dwarf, die, DW_AT_declaration, &value)
                   ? NULL
                   : symbol_names_dup_qualified (binder, die);
    default: return NULL;
    }
}

GVariant *
symbol_bind_type_names (SymbolBinder *binder, const char *text, guint max)
{
    g_autofree char *small = g_ascii_strdown (text, -1);
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    GVariantBuilder names;
    GHashTableIter iter;
    gpointer key, entries;
    g_variant_builder_init (&names, G_VARIANT_TYPE ("as"));
    symbol_names_find (binder, ""); /* reads them all */
    g_hash_table_iter_init (&iter, binder->names);
    while (g_hash_table_iter_next (&iter, &key, &entries) && g_hash_table_size (seen) < max) {
        const GArray *list = entries;
        const char *last = strrchr (text, ':');
        const char *part = last ? last + 1 : text;
        /* the key is a name without what is around it */
        if (!strstr (key, part) && !strstr (key, small))
            continue;
        for (guint i = 0; i < list->len && g_hash_table_size (seen) < max; i++) {
            SymbolDie die;
            if (!symbol_die_find (binder->dwarf, g_array_index (list, guint64, i), &die))
                continue;
            g_autofree char *name = dup_type_name (binder, &die);
            if (!name
                || (!strstr (name, text)
                    && !(die.unit->language == JOB_LANGUAGE_FORTRAN && strstr (name, small)))
                || !g_utf8_validate (name, -1, NULL) || g_hash_table_contains (seen, name))
                continue;
            g_variant_builder_add (&names, "s", name);
            g_hash_table_add (seen, g_steal_pointer (&name));
            break; /* the same in other files */
        }
    }
    return g_variant_builder_end (&names);
}
