/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of Cython's functions and modules. Those of generators, and of functions that have functions inside, are
 * members of objects: of __pyx_cur_scope, and of __pyx_outer_scope, which is a local or a member of another such
 * object. */
#include <string.h>

#include "symbol/bind-private.h"
#include "symbol/lines.h"
#include "symbol/parser-private.h"

#define MAX_SCOPES 16

/* NULL: it is not Cython's. */
static const char *
get_function (SymbolBinding *binding)
{
    const SymbolDie *path = (const SymbolDie *) (gpointer) binding->path->data;
    const char *function = binding->head < binding->end
                               ? symbol_die_get_name (binding->dwarf, &path[binding->head])
                               : NULL;
    return function && g_str_has_prefix (function, "__pyx_") ? function : NULL;
}

static gboolean
find_mangled (SymbolBinding *binding, const char *scope, gsize length, const char *name,
              SymbolDie *ret_die)
{
    g_autofree char *mangled = g_strdup_printf (SYMBOL_CYTHON_VARIABLE "%.*s%s", (int) length,
                                                scope, name);
    return symbol_scope_find_outside (binding, mangled, ret_die);
}

/* A variable of the module that is C's has the module's name in it, which the function's has, too. */
static gboolean
find_global (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    const char *function = get_function (binding), *kind = function, *scope;
    if (!function)
        return FALSE;
    if (g_str_has_prefix (function, SYMBOL_CYTHON_MODULE)) {
        const char *module = function + strlen (SYMBOL_CYTHON_MODULE);
        g_autofree char *own = g_strdup_printf ("%zu%s_", strlen (module), module);
        return find_mangled (binding, own, strlen (own), name, ret_die);
    }
    if (g_str_has_prefix (function, "__pyx_fuse_"))
        kind = strstr (function + 1, "__pyx_");
    scope = kind ? strchr (kind + strlen ("__pyx_"), '_') : NULL;
    for (const char *at = scope ? ++scope : NULL; at;) {
        char *part;
        guint64 length = g_ascii_strtoull (at, &part, 10);
        if (part == at || !length || length >= strlen (part) || part[length] != '_')
            break;
        at = part + length + 1;
        if (find_mangled (binding, scope, (gsize) (at - scope), name, ret_die))
            return TRUE;
    }
    return FALSE;
}

gboolean
symbol_find_cython (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    g_autofree char *local = g_strconcat (SYMBOL_CYTHON_VARIABLE, name, NULL);
    return symbol_scope_find_local (binding, local, ret_die)
           || find_global (binding, name, ret_die);
}

static gboolean
find_scope (SymbolBinding *binding, SymbolDie *ret_die)
{
    if (!get_function (binding))
        return FALSE;
    return symbol_scope_find_local (binding, "__pyx_cur_scope", ret_die)
           || symbol_scope_find_local (binding, "__pyx_outer_scope", ret_die);
}

/* The object is made, and parameters are copied into it, in the line in which the function begins. */
static gboolean
has_begun (SymbolBinding *binding)
{
    const SymbolDie *function = &g_array_index (binding->path, SymbolDie, binding->head);
    guint64 first = 0;
    SymbolValue value;
    if (symbol_die_get_deep (binding->dwarf, function, DW_AT_decl_line, &value))
        first = value.number;
    g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (IndexRow));
    g_autoptr (SymbolLines) lines = symbol_lines_read (binding->dwarf, binding->unit, rows);
    for (guint i = 0; lines && i + 1 < rows->len; i++) {
        const IndexRow *row = &g_array_index (rows, IndexRow, i);
        if (row->flags & INDEX_ROW_END || row->address > binding->pc
            || row[1].address <= binding->pc)
            continue;
        const char *file = row->file < lines->files->len ? lines->files->pdata[row->file]
                                                         : NULL;
        return file && strstr (file, ".py") && row->line != first;
    }
    return FALSE;
}

gboolean
symbol_emit_closed (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolDie die;
    if (symbol_parser_is_fortran (parser) || !find_scope (parser->binding, &die)
        || !has_begun (parser->binding))
        return FALSE;
    g_autofree char *member = g_strconcat (SYMBOL_CYTHON_VARIABLE, name, NULL);
    node->type = symbol_scope_emit (parser->binding, &die, node->code);
    for (guint i = 0; i < MAX_SCOPES && !parser->error; i++) {
        symbol_emit_deref (parser, node);
        if (!parser->error && symbol_emit_named (parser, node, member))
            return TRUE;
        if (parser->error || !symbol_emit_named (parser, node, "__pyx_outer_scope"))
            break;
    }
    g_clear_error (&parser->error);
    g_byte_array_set_size (node->code, 0);
    return FALSE;
}

/* The structure that the variable or member points to. */
static gboolean
find_structure (const SymbolDwarf *dwarf, const SymbolDie *from, SymbolDie *ret_die)
{
    SymbolValue value;
    *ret_die = *from;
    for (guint i = 0; i < 8; i++) {
        if (ret_die->tag == DW_TAG_structure_type)
            return TRUE;
        if (!symbol_die_get_deep (dwarf, ret_die, DW_AT_type, &value)
            || !symbol_die_find (dwarf, value.number, ret_die))
            return FALSE;
    }
    return FALSE;
}

GPtrArray *
symbol_list_closed (SymbolBinding *binding)
{
    GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
    SymbolDie die, structure, member;
    gboolean more = find_scope (binding, &die) && has_begun (binding);
    for (guint i = 0; more && i < MAX_SCOPES; i++) {
        more = FALSE;
        if (!find_structure (binding->dwarf, &die, &structure)
            || !symbol_die_first_child (binding->dwarf, &structure, &member))
            break;
        do {
            const char *name = symbol_die_get_name (binding->dwarf, &member);
            if (name && g_str_has_prefix (name, SYMBOL_CYTHON_VARIABLE))
                g_ptr_array_add (names, g_strdup (name + strlen (SYMBOL_CYTHON_VARIABLE)));
            if (name && strcmp (name, "__pyx_outer_scope") == 0) {
                die = member;
                more = TRUE;
            }
        } while (symbol_die_next (binding->dwarf, &member, &member));
    }
    return names;
}
