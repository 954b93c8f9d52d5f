/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the partial units that belong to a unit: dwz moves the common entries of several units
 * there (DWARF 5 section E.1.3), in the same file or in a common one of several files. */
#include "symbol/bind-private.h"

#define MAX_IMPORTS 20000

static void
add_imports (const SymbolDwarf *dwarf, const SymbolUnit *unit, GHashTable *seen,
             GPtrArray *list)
{
    SymbolDie root, die, target;
    if (!symbol_die_read (dwarf, unit, unit->first_die, &root)
        || !symbol_die_first_child (dwarf, &root, &die))
        return;
    do {
        SymbolValue value;
        if (die.tag == DW_TAG_imported_unit
            && symbol_die_get (dwarf, &die, DW_AT_import, &value)
            && value.kind == SYMBOL_VALUE_REFERENCE
            && symbol_die_find (dwarf, value.number, &target) && list->len < MAX_IMPORTS
            && g_hash_table_add (seen, (gpointer) target.unit))
            g_ptr_array_add (list, (gpointer) target.unit);
    } while (symbol_die_next (dwarf, &die, &die));
}

const GPtrArray *
symbol_imports_find (SymbolBinder *binder, const SymbolUnit *unit)
{
    if (!binder->imports)
        binder->imports = g_hash_table_new_full (NULL, NULL, NULL,
                                                 (GDestroyNotify) g_ptr_array_unref);
    GPtrArray *list = g_hash_table_lookup (binder->imports, unit);
    if (list)
        return list;
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    list = g_ptr_array_new ();
    g_hash_table_add (seen, (gpointer) unit);
    add_imports (binder->dwarf, unit, seen, list);
    for (guint i = 0; i < list->len; i++)
        add_imports (binder->dwarf, list->pdata[i], seen, list);
    g_hash_table_insert (binder->imports, (gpointer) unit, list);
    return list;
}

gboolean
symbol_imports_has (SymbolBinder *binder, const SymbolUnit *unit, const SymbolUnit *imported)
{
    if (!unit || imported->tag != DW_TAG_partial_unit)
        return FALSE;
    const GPtrArray *list = symbol_imports_find (binder, unit);
    return BASE_ANY (i, list->len, list->pdata[i] == imported);
}

JobLanguage
symbol_imports_get_language (const SymbolBinding *binding, const SymbolUnit *unit)
{
    return unit->language == JOB_LANGUAGE_UNKNOWN && binding->unit
                   && unit->tag == DW_TAG_partial_unit
               ? binding->unit->language
               : unit->language;
}
