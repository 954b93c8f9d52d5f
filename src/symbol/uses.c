/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves names that a Fortran procedure uses from modules: use M, only: A, B => C. */

#include "symbol/bind-private.h"

#define MAX_DEPTH 4

static gboolean
find_target (const SymbolDwarf *dwarf, const SymbolDie *import, SymbolDie *ret_die)
{
    SymbolValue value;
    return symbol_die_get (dwarf, import, DW_AT_import, &value)
           && value.kind == SYMBOL_VALUE_REFERENCE
           && symbol_die_find (dwarf, value.number, ret_die);
}

/* What the block calls so; that is said in it, or beneath the module that it uses. */
static gboolean
find_in (const SymbolDwarf *dwarf, const SymbolDie *block, const char *name, guint depth,
         SymbolDie *ret_die)
{
    SymbolDie die;
    if (depth > MAX_DEPTH || !symbol_die_first_child (dwarf, block, &die))
        return FALSE;
    do {
        if (die.tag == DW_TAG_imported_declaration && find_target (dwarf, &die, ret_die)) {
            const char *here = symbol_die_get_name (dwarf, &die);
            if (g_strcmp0 (here ? here : symbol_die_get_name (dwarf, ret_die), name) == 0)
                return TRUE;
        }
        if (die.tag == DW_TAG_imported_module
            && find_in (dwarf, &die, name, depth + 1, ret_die))
            return TRUE;
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

gboolean
symbol_use_find (SymbolBinding *binding, const char *name,
                 gboolean (*accept) (guint32, guint32), guint32 wanted, SymbolDie *ret_die)
{
    const SymbolDie *path = (const SymbolDie *) (gpointer) binding->path->data;
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_FORTRAN)
        return FALSE;
    for (guint i = binding->end; i-- > 0;) {
        SymbolDie found;
        if (!find_in (binding->dwarf, &path[i], name, 0, &found) || !accept (found.tag, wanted))
            continue;
        *ret_die = found;
        /* a module of another file is only declared here */
        if (symbol_die_get_number (binding->dwarf, &found, DW_AT_declaration, 0)) {
            g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &found);
            if (whole)
                symbol_scope_find_global (binding, whole, accept, wanted, ret_die);
        }
        return TRUE;
    }
    return FALSE;
}
