/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the scopes of a C++ unit: namespaces and classes by where their entries lie. A scope's
 * children are read when something inside it is asked for, so that the thousands of classes that
 * no function belongs to are stepped over. */
#include <string.h>

#include "symbol/scan-private.h"

#define MAX_DEPTH 32

typedef enum { SCOPE_NAMED, SCOPE_UNNAMED, SCOPE_FUNCTION, SCOPE_BLOCK } ScopeKind;

typedef struct {
    guint64 offset, end;       /* of its entries; its own entry is at offset */
    const char *name;          /* borrowed; NULL but for SCOPE_NAMED */
    char *prefix;              /* of what it holds, with "::"; NULL until asked, or for none */
    guint32 first, n;          /* its scopes, in the list */
    guint32 parent;
    ScopeKind kind;
    gboolean expanded;
} Scope;

struct _SymbolScopes {
    GArray *list;              /* of Scope; the first is the unit */
};

void
symbol_scopes_free (gpointer data)
{
    SymbolScopes *scopes = data;
    for (guint i = 0; i < scopes->list->len; i++)
        g_free (g_array_index (scopes->list, Scope, i).prefix);
    g_array_unref (scopes->list);
    g_free (scopes);
}

static gboolean
find_kind (const SymbolDwarf *dwarf, const SymbolDie *die, ScopeKind *ret_kind,
           const char **ret_name)
{
    SymbolValue value;
    *ret_name = NULL;
    switch (die->tag) {
    case DW_TAG_namespace: case DW_TAG_class_type: case DW_TAG_structure_type:
    case DW_TAG_union_type:
        *ret_name = symbol_die_get_scope_name (dwarf, die);
        if (!*ret_name && die->tag == DW_TAG_namespace)
            *ret_name = "(anonymous namespace)";
        *ret_kind = *ret_name ? SCOPE_NAMED : SCOPE_UNNAMED;
        return TRUE;
    case DW_TAG_subprogram:
        *ret_kind = SCOPE_FUNCTION;
        return !symbol_die_get (dwarf, die, DW_AT_declaration, &value);
    case DW_TAG_lexical_block: case DW_TAG_inlined_subroutine:
        *ret_kind = SCOPE_BLOCK;
        return TRUE;
    default:
        return FALSE;
    }
}

static void
expand (const SymbolDwarf *dwarf, const SymbolUnit *unit, SymbolScopes *scopes, guint32 number)
{
    Scope *scope = &g_array_index (scopes->list, Scope, number);
    SymbolDie parent, die;
    scope->expanded = TRUE;
    scope->first = scopes->list->len;
    if (!symbol_die_read (dwarf, unit, scope->offset, &parent) ||
        !symbol_die_first_child (dwarf, &parent, &die))
        return;
    for (gboolean more = TRUE; more;) {
        Scope child = { .offset = die.offset, .parent = number };
        gboolean wanted = die.abbrev->has_children &&
                          find_kind (dwarf, &die, &child.kind, &child.name);
        more = symbol_die_next (dwarf, &die, &die);
        child.end = more ? die.offset : g_array_index (scopes->list, Scope, number).end;
        if (wanted)
            g_array_append_val (scopes->list, child);
    }
    scope = &g_array_index (scopes->list, Scope, number);
    scope->n = scopes->list->len - scope->first;
}

static SymbolScopes *
find_scopes (SymbolScanWorker *worker, const SymbolUnit *unit)
{
    SymbolScopes *scopes = g_hash_table_lookup (worker->scopes, unit);
    if (scopes)
        return scopes;
    Scope root = { .offset = unit->first_die, .end = unit->end, .parent = INDEX_NONE,
                   .kind = SCOPE_BLOCK };
    scopes = g_new0 (SymbolScopes, 1);
    scopes->list = g_array_new (FALSE, FALSE, sizeof (Scope));
    g_array_append_val (scopes->list, root);
    g_hash_table_insert (worker->scopes, (gpointer) unit, scopes);
    return scopes;
}

/* The innermost scope around the entry at offset. */
static guint32
find_scope (const SymbolDwarf *dwarf, const SymbolUnit *unit, SymbolScopes *scopes,
            guint64 offset)
{
    guint32 found = 0;
    for (guint depth = 0; depth < MAX_DEPTH; depth++) {
        if (!g_array_index (scopes->list, Scope, found).expanded)
            expand (dwarf, unit, scopes, found);
        const Scope *scope = &g_array_index (scopes->list, Scope, found);
        guint32 low = scope->first, high = scope->first + scope->n;
        while (low < high) {
            guint32 middle = low + (high - low) / 2;
            if (g_array_index (scopes->list, Scope, middle).offset < offset)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == scope->first || offset >= g_array_index (scopes->list, Scope, low - 1).end)
            break;
        found = low - 1;
    }
    return found;
}

/* NULL: none. Names begin anew inside a function. */
static const char *
find_prefix (SymbolScopes *scopes, guint32 number)
{
    while (number && g_array_index (scopes->list, Scope, number).kind == SCOPE_BLOCK)
        number = g_array_index (scopes->list, Scope, number).parent;
    Scope *scope = &g_array_index (scopes->list, Scope, number);
    if (scope->kind == SCOPE_NAMED && !scope->prefix) {
        const char *outer = find_prefix (scopes, scope->parent);
        scope->prefix = g_strconcat (outer ? outer : "", scope->name, "::", NULL);
    }
    return scope->prefix;
}

guint32
symbol_scan_find_qualified (SymbolScanWorker *worker, const SymbolUnit *unit, guint64 offset,
                            const char *name)
{
    SymbolScopes *scopes = find_scopes (worker, unit);
    guint32 number = find_scope (worker->scan->dwarf, unit, scopes, offset);
    const char *prefix = find_prefix (scopes, number);
    if (!prefix)
        return INDEX_NONE;
    char text[512];
    gsize prefix_size = strlen (prefix), size = strlen (name);
    if (prefix_size + size <= sizeof text) {
        memcpy (text, prefix, prefix_size);
        memcpy (text + prefix_size, name, size);
        return symbol_texts_add_sized (&worker->texts, text, prefix_size + size);
    }
    g_autofree char *whole = g_strconcat (prefix, name, NULL);
    return symbol_texts_add (&worker->texts, whole);
}
