/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves static names of several files, and lists how to qualify each of them ('FILE'::NAME,
 * as in gdb). */
#include <string.h>

#include "job/where.h"
#include "symbol/bind-private.h"

#define MAX_LISTED 8

static char *
dup_unit_path (const SymbolUnit *unit)
{
    const char *name = unit->name ? unit->name : "?";
    return g_path_is_absolute (name) || !unit->comp_dir
               ? g_strdup (name)
               : g_build_filename (unit->comp_dir, name, NULL);
}

/* A definition with internal linkage. */
static gboolean
is_private (SymbolBinding *binding, const SymbolDie *die)
{
    SymbolValue value;
    if (die->tag == DW_TAG_subprogram) {
        g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
        symbol_die_read_ranges (binding->dwarf, die, ranges);
        return ranges->len
               && !symbol_die_get_deep (binding->dwarf, die, DW_AT_external, &value);
    }
    return die->tag == DW_TAG_variable
           && !symbol_die_get_deep (binding->dwarf, die, DW_AT_external, &value)
           && (symbol_die_get (binding->dwarf, die, DW_AT_location, &value)
               || symbol_die_get_deep (binding->dwarf, die, DW_AT_const_value, &value));
}

/* Entries with die's name and scope that only their own files see: GArray of SymbolDie. */
static GArray *
list_private (SymbolBinding *binding, const char *name, const char *wanted)
{
    const GArray *list = symbol_names_find (binding->binder, name);
    GArray *found = g_array_new (FALSE, FALSE, sizeof (SymbolDie));
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || !is_private (binding, &die))
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        if (g_strcmp0 (whole, wanted) == 0)
            g_array_append_val (found, die);
    }
    return found;
}

char *
symbol_names_list_others (SymbolBinding *binding, const SymbolDie *die)
{
    const char *name = symbol_die_get_name (binding->dwarf, die);
    if (!name || die->unit == binding->unit || !is_private (binding, die)
        || symbol_imports_has (binding->binder, binding->unit, die->unit))
        return NULL;
    g_autofree char *wanted = symbol_names_dup_qualified (binding->binder, die);
    g_autoptr (GArray) found = list_private (binding, name, wanted);
    g_autoptr (GHashTable) bases = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          NULL);
    guint n_units = 0;
    for (guint i = 0; i < found->len; i++) {
        const SymbolUnit *unit = g_array_index (found, SymbolDie, i).unit;
        n_units += !i || unit != g_array_index (found, SymbolDie, i - 1).unit;
        g_hash_table_add (bases, g_path_get_basename (unit->name ? unit->name : "?"));
    }
    if (n_units < 2)
        return NULL;
    GString *text = g_string_new (NULL);
    for (guint i = 0; i < found->len && i < MAX_LISTED; i++) {
        g_autofree char *path = dup_unit_path (g_array_index (found, SymbolDie, i).unit);
        const char *slash = strrchr (path, '/');
        g_string_append_printf (text, "%s'%s'::%s", i ? ", " : "",
                                slash && g_hash_table_size (bases) == n_units ? slash + 1
                                                                              : path,
                                wanted);
    }
    if (found->len > MAX_LISTED)
        g_string_append_printf (text, " and %u more", found->len - MAX_LISTED);
    return g_string_free (text, FALSE);
}

gboolean
symbol_names_find_in_file (SymbolBinding *binding, const char *file, const char *name,
                           SymbolDie *ret_die)
{
    const GArray *list = symbol_names_find (binding->binder, name);
    g_autofree char *reduced = symbol_names_reduce (name);
    gboolean found = FALSE;
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        SymbolValue value;
        gboolean is_exact;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || (die.tag != DW_TAG_variable && die.tag != DW_TAG_subprogram)
            || symbol_die_get (binding->dwarf, &die, DW_AT_declaration, &value))
            continue;
        g_autofree char *path = dup_unit_path (die.unit);
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        g_autofree char *own = symbol_names_reduce (whole ? whole : "");
        if (!job_where_match_file (file, path) || !job_where_match_function (reduced, own))
            continue;
        /* M::name only where the file has no such name outside of all scopes */
        is_exact = strcmp (reduced, own) == 0;
        if (!found || is_exact)
            *ret_die = die;
        found = TRUE;
        if (is_exact)
            break;
    }
    return found;
}
