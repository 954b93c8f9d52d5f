/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves `using` in C++ scopes: all names of a namespace (also of an inline one), single
 * names, and namespace aliases. In a block it is valid from its line on. */
#include <string.h>

#include "index/format.h"
#include "symbol/bind-private.h"
#include "symbol/lines.h"

#define MAX_DEPTH 16
#define MAX_USED 64
#define UNNAMED "(anonymous namespace)"

static void
clear_using (gpointer data)
{
    SymbolUsing *using = data;
    g_free (using->scope);
    g_free (using->name);
    g_free (using->target);
}

/* What an entry brings in. FALSE: it is no such entry. */
static gboolean
read_using (SymbolBinder *binder, const SymbolDie *die, const char *scope, SymbolUsing *using)
{
    SymbolValue value;
    SymbolDie target;
    gboolean is_inline = die->tag == DW_TAG_namespace
                         && symbol_die_get (binder->dwarf, die, DW_AT_export_symbols, &value);
    if (die->tag != DW_TAG_imported_module && die->tag != DW_TAG_imported_declaration
        && !is_inline)
        return FALSE;
    if (is_inline)
        target = *die;
    else if (!symbol_die_get (binder->dwarf, die, DW_AT_import, &value)
             || value.kind != SYMBOL_VALUE_REFERENCE
             || !symbol_die_find (binder->dwarf, value.number, &target))
        return FALSE;
    gboolean is_whole = die->tag != DW_TAG_imported_declaration;
    gboolean has_name = symbol_die_get (binder->dwarf, die, DW_AT_name, &value) && value.string;
    const char *own = is_whole   ? NULL
                      : has_name ? value.string
                                 : symbol_die_get_name (binder->dwarf, &target);
    g_autofree char *whole = symbol_names_dup_qualified (binder, &target);
    if (!whole || (!is_whole && !own))
        return FALSE;
    *using = (SymbolUsing){ .scope = g_strdup (scope),
                            .name = g_strdup (own),
                            .target = symbol_names_reduce (whole),
                            .die = target.offset,
                            .tag = target.tag,
                            .line = symbol_die_get_number (binder->dwarf, die, DW_AT_decl_line,
                                                           0) };
    return TRUE;
}

static void
collect (SymbolBinder *binder, const SymbolDie *parent, const char *scope, guint depth,
         GArray *list)
{
    SymbolDie die;
    SymbolUsing using;
    if (depth > MAX_DEPTH || !symbol_die_first_child (binder->dwarf, parent, &die))
        return;
    do {
        if (read_using (binder, &die, scope, &using))
            g_array_append_val (list, using);
        if (die.tag != DW_TAG_namespace)
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binder, &die);
        g_autofree char *reduced = symbol_names_reduce (whole ? whole : "");
        gboolean is_unnamed = g_str_has_suffix (reduced, UNNAMED);
        collect (binder, &die, is_unnamed ? scope : reduced, depth + 1, list);
    } while (symbol_die_next (binder->dwarf, &die, &die));
}

static const GArray *
find_usings (SymbolBinder *binder, const SymbolUnit *unit)
{
    SymbolDie root;
    if (!binder->usings)
        binder->usings = g_hash_table_new_full (NULL, NULL, NULL,
                                                (GDestroyNotify) g_array_unref);
    GArray *list = g_hash_table_lookup (binder->usings, unit);
    if (list)
        return list;
    list = g_array_new (FALSE, FALSE, sizeof (SymbolUsing));
    g_array_set_clear_func (list, clear_using);
    if (unit->language == JOB_LANGUAGE_CXX
        && symbol_die_read (binder->dwarf, unit, unit->first_die, &root))
        collect (binder, &root, "", 0, list);
    g_hash_table_insert (binder->usings, (gpointer) unit, list);
    return list;
}

static guint32
find_line (const GArray *rows, guint64 pc)
{
    for (guint i = 0; i + 1 < rows->len; i++) {
        const IndexRow *row = &g_array_index (rows, IndexRow, i), *next = row + 1;
        if (!(row->flags & INDEX_ROW_END) && row->address <= pc && pc < next->address)
            return row->line;
    }
    return 0;
}

/* gcc says of most of them the line where the block ends. */
static gboolean
is_valid (const SymbolBinding *binding, const SymbolDie *block, guint32 line, GArray *rows)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    const SymbolUnit *unit = binding->unit->skeleton ? binding->unit->skeleton : binding->unit;
    if (!line)
        return TRUE;
    if (!rows->len)
        symbol_lines_free (symbol_lines_read (binding->dwarf, unit, rows));
    guint32 own = find_line (rows, binding->pc), last = 0;
    symbol_die_read_ranges (binding->dwarf, block, ranges);
    for (guint i = 0; i < ranges->len; i++)
        last = MAX (last, find_line (rows, g_array_index (ranges, SymbolRange, i).high - 1));
    return !own || line <= own || line >= last;
}

/* Of the blocks around the place, from the innermost. */
static GArray *
list_in_blocks (SymbolBinding *binding)
{
    GArray *list = g_array_new (FALSE, FALSE, sizeof (SymbolUsing));
    g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (IndexRow));
    g_array_set_clear_func (list, clear_using);
    for (guint i = binding->end; i-- > binding->head;) {
        const SymbolDie *block = &g_array_index (binding->path, SymbolDie, i);
        SymbolDie die;
        SymbolUsing using;
        if (!symbol_die_first_child (binding->dwarf, block, &die))
            continue;
        do {
            if (!read_using (binding->binder, &die, "", &using))
                continue;
            if (is_valid (binding, block, using.line, rows))
                g_array_append_val (list, using);
            else
                clear_using (&using);
        } while (symbol_die_next (binding->dwarf, &die, &die));
    }
    return list;
}

static gboolean
has_prefix (const GArray *prefixes, const char *name, gboolean is_used)
{
    BASE_EACH_ROW (prefixes, const SymbolPrefix, prefix) {
        if (prefix->is_used == is_used && !strcmp (prefix->name, name))
            return TRUE;
    }
    return FALSE;
}

/* A namespace without a name is its scope. */
static char *
dup_named (const char *name)
{
    char *scope = g_strdup (name);
    if (g_str_has_suffix (scope, UNNAMED))
        scope[strlen (scope) - strlen (UNNAMED)] = 0;
    if (g_str_has_suffix (scope, "::"))
        scope[strlen (scope) - 2] = 0;
    return scope;
}

static void
add_used (GArray *prefixes, const char *name)
{
    SymbolPrefix prefix = { g_strdup (name), TRUE };
    g_autofree char *scope = dup_named (name);
    if (prefixes->len > MAX_USED || has_prefix (prefixes, name, TRUE)
        || has_prefix (prefixes, scope, FALSE))
        g_free (prefix.name);
    else
        g_array_append_val (prefixes, prefix);
}

void
symbol_usings_add_prefixes (SymbolBinding *binding, GArray *prefixes)
{
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_CXX)
        return;
    const GArray *all = find_usings (binding->binder, binding->unit);
    if (!binding->block_usings)
        binding->block_usings = list_in_blocks (binding);
    BASE_EACH_ROW (binding->block_usings, const SymbolUsing, using) {
        if (!using->name)
            add_used (prefixes, using->target);
    }
    /* what one brings in may bring in others */
    for (guint p = 0; p < prefixes->len; p++)
        BASE_EACH_ROW (all, const SymbolUsing, using) {
            if (!using->name
                && !strcmp (using->scope, g_array_index (prefixes, SymbolPrefix, p).name))
                add_used (prefixes, using->target);
        }
}

/* The namespace that an alias in a scope means; NULL: there is none. Borrowed. */
static const char *
find_alias (const GArray *list, const char *scope, const char *name, gsize length)
{
    BASE_EACH_ROW (list, const SymbolUsing, using) {
        if (using->tag == DW_TAG_namespace && using->name && !strcmp (using->scope, scope)
            && !strncmp (using->name, name, length) && !using->name[length])
            return using->target;
    }
    return NULL;
}

static const char *
find_first_alias (SymbolBinding *binding, const GArray *prefixes, const char *name,
                  gsize length)
{
    const GArray *all = find_usings (binding->binder, binding->unit);
    const char *found = binding->block_usings
                            ? find_alias (binding->block_usings, "", name, length)
                            : NULL;
    for (guint i = 0; !found && i < prefixes->len; i++)
        found = find_alias (all, g_array_index (prefixes, SymbolPrefix, i).name, name, length);
    return found;
}

char *
symbol_usings_resolve (SymbolBinding *binding, const GArray *prefixes, const char *name)
{
    GString *text = g_string_new (NULL);
    const char *at = g_str_has_prefix (name, "::") ? name + 2 : name, *found;
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_CXX || !strstr (at, "::")) {
        g_string_assign (text, name);
        return g_string_free (text, FALSE);
    }
    for (;;) {
        gsize length = strcspn (at, ":<(");
        gboolean is_scope = at[length] == ':' && at[length + 1] == ':';
        found = is_scope && !text->len ? find_first_alias (binding, prefixes, at, length)
                : is_scope ? find_alias (find_usings (binding->binder, binding->unit),
                                         text->str, at, length)
                           : NULL;
        if (found) {
            g_string_assign (text, found);
        } else {
            if (text->len)
                g_string_append (text, "::");
            g_string_append_len (text, at, is_scope ? (gssize) length : (gssize) strlen (at));
        }
        if (!is_scope)
            break;
        at += length + 2;
    }
    return g_string_free (text, FALSE);
}

/* name, in the namespace scope: brought in there by `using scope::name`. */
static gboolean
find_declared (SymbolBinding *binding, const char *scope, const char *name,
               gboolean (*accept) (guint32, guint32), guint32 wanted, SymbolDie *ret_die)
{
    const GArray *all = find_usings (binding->binder, binding->unit);
    BASE_EACH_ROW (all, const SymbolUsing, using) {
        if (using->name && !strcmp (using->name, name) && !strcmp (using->scope, scope)
            && accept (using->tag, wanted)
            && (symbol_names_find_exact (binding, using->target, accept, wanted, ret_die)
                || symbol_die_find (binding->dwarf, using->die, ret_die)))
            return TRUE;
    }
    return FALSE;
}

/* In a namespace: by a declaration, or in those whose names it brings in. */
static gboolean
find_through (SymbolBinding *binding, const char *scope, const char *name,
              gboolean (*accept) (guint32, guint32), guint32 wanted, guint depth,
              SymbolDie *ret_die)
{
    const GArray *all = find_usings (binding->binder, binding->unit);
    if (depth > MAX_DEPTH || binding->steps++ > SYMBOL_MAX_STEPS)
        return FALSE;
    if (find_declared (binding, scope, name, accept, wanted, ret_die))
        return TRUE;
    BASE_EACH_ROW (all, const SymbolUsing, using) {
        if (using->name || strcmp (using->scope, scope) != 0 || !strcmp (using->target, scope))
            continue;
        g_autofree char *there = g_strconcat (using->target, "::", name, NULL);
        if (symbol_names_find_exact (binding, there, accept, wanted, ret_die)
            || find_through (binding, using->target, name, accept, wanted, depth + 1, ret_die))
            return TRUE;
    }
    return FALSE;
}

gboolean
symbol_usings_find_entry (SymbolBinding *binding, const GArray *prefixes, const char *name,
                          gboolean (*accept) (guint32, guint32), guint32 wanted,
                          SymbolDie *ret_die)
{
    gsize length;
    const char *last = index_find_last_component (name, &length);
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_CXX)
        return FALSE;
    g_autofree char *scope = last - name > 2 ? g_strndup (name, (gsize) (last - name - 2))
                                             : NULL;
    BASE_EACH_ROW (prefixes, const SymbolPrefix, prefix) {
        g_autofree char *space = !scope ? g_strdup (prefix->name)
                                 : prefix->name[0]
                                     ? g_strconcat (prefix->name, "::", scope, NULL)
                                     : g_strdup (scope);
        if (scope ? find_through (binding, space, last, accept, wanted, 0, ret_die)
                  : find_declared (binding, space, last, accept, wanted, ret_die))
            return TRUE;
    }
    return FALSE;
}

static gboolean
accept_namespace (guint32 tag, guint32 wanted)
{
    return tag == DW_TAG_namespace;
}

static gboolean
has_unnamed (SymbolBinding *binding)
{
    BASE_EACH (binding->dwarf->units, const SymbolUnit, unit) {
        SymbolDie root, die;
        if (!symbol_unit_is_read (unit) || unit->language != JOB_LANGUAGE_CXX
            || !symbol_die_read (binding->dwarf, unit, unit->first_die, &root)
            || !symbol_die_first_child (binding->dwarf, &root, &die))
            continue;
        do {
            if (die.tag == DW_TAG_namespace && !symbol_die_get_name (binding->dwarf, &die))
                return TRUE;
        } while (symbol_die_next (binding->dwarf, &die, &die));
    }
    return FALSE;
}

char *
symbol_usings_describe_namespace (SymbolBinding *binding, const char *text)
{
    g_autofree char *name = g_strstrip (g_strdup (text));
    gsize length = strlen (name);
    SymbolDie die;
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_CXX || length > 1000)
        return NULL;
    if (length > 2 && name[0] == '\'' && name[length - 1] == '\'') {
        name[length - 1] = 0;
        memmove (name, name + 1, length - 1);
    }
    if (!strcmp (name, UNNAMED))
        return has_unnamed (binding) ? g_strdup ("namespace " UNNAMED) : NULL;
    for (const char *at = name; *at; at++)
        if (!g_ascii_isalnum (*at) && *at != '_' && *at != ':' && (guint8) *at < 128)
            return NULL;
    /* an alias counts where a scope stands */
    g_autofree char *inside = g_strconcat (name, "::x", NULL);
    const GArray *prefixes = symbol_names_get_prefixes (binding);
    g_autofree char *resolved = symbol_usings_resolve (binding, prefixes, inside);
    if (!g_str_has_suffix (resolved, "::x"))
        return NULL;
    resolved[strlen (resolved) - 3] = 0;
    if (symbol_scope_find (binding, name, &die)
        || symbol_scope_find_type (binding, name, 0, &die)
        || !symbol_scope_find_global (binding, resolved, accept_namespace, 0, &die))
        return NULL;
    g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
    return g_strconcat ("namespace ", whole, NULL);
}
