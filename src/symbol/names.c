/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Qualified names, and the table of all global names of a file. */
#include <string.h>

#include "index/format.h"
#include "symbol/bind-private.h"

#define MAX_DEPTH 16
#define MAX_ENTRIES 4000
#define MAX_MODULES 64

typedef struct {
    guint64 start, end; /* entries in [start, end) lie in this scope */
    guint parent;       /* in the unit's list; G_MAXUINT none */
    char *name;         /* qualified */
} Scope;

static void
clear_scope (gpointer data)
{
    g_free (((Scope *) data)->name);
}

static gboolean
is_scope (guint32 tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type
           || tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type
           || tag == DW_TAG_module;
}

static const char *
find_own_name (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    const char *name = symbol_die_get_scope_name (dwarf, die);
    if (name)
        return name;
    return die->tag == DW_TAG_namespace ? "(anonymous namespace)" : NULL;
}

static const char *
find_in_list (const GArray *list, guint64 offset)
{
    guint low = BASE_BISECT (middle, 0, list->len,
                             g_array_index (list, Scope, middle).start < offset);
    for (guint at = low ? low - 1 : G_MAXUINT; at != G_MAXUINT;
         at = g_array_index (list, Scope, at).parent)
        if (offset < g_array_index (list, Scope, at).end)
            return g_array_index (list, Scope, at).name;
    return NULL;
}

static void
collect_scopes (const SymbolDwarf *dwarf, const SymbolDie *parent, guint outer, GArray *list,
                guint depth)
{
    SymbolDie die, next;
    if (depth > MAX_DEPTH || !symbol_die_first_child (dwarf, parent, &die))
        return;
    gboolean more = TRUE;
    for (; more; die = next) {
        guint own = list->len;
        SymbolValue scoped;
        const char *name = is_scope (die.tag) && die.abbrev->has_children
                                   && (die.tag != DW_TAG_enumeration_type
                                       || symbol_die_get (dwarf, &die, DW_AT_enum_class,
                                                          &scoped))
                               ? find_own_name (dwarf, &die)
                               : NULL;
        if (name) {
            const char *prefix = outer == G_MAXUINT ? NULL
                                                    : g_array_index (list, Scope, outer).name;
            SymbolValue declared;
            if (symbol_die_get (dwarf, &die, DW_AT_specification, &declared)
                && declared.kind == SYMBOL_VALUE_REFERENCE && declared.number < die.offset)
                prefix = find_in_list (list, declared.number);
            BASE_APPEND (list, Scope, die.offset, G_MAXUINT64, outer,
                         prefix ? g_strconcat (prefix, "::", name, NULL) : g_strdup (name));
            if (die.tag != DW_TAG_enumeration_type)
                collect_scopes (dwarf, &die, own, list, depth + 1);
        }
        more = symbol_die_next (dwarf, &die, &next);
        if (name)
            g_array_index (list, Scope, own).end = more ? next.offset
                                                   : outer == G_MAXUINT
                                                       ? die.unit->end
                                                       : g_array_index (list, Scope, outer).end;
    }
}

static GArray *
load_scopes (SymbolBinder *binder, const SymbolUnit *unit)
{
    if (!binder->scopes)
        binder->scopes = g_hash_table_new_full (NULL, NULL, NULL,
                                                (GDestroyNotify) g_array_unref);
    GArray *list = g_hash_table_lookup (binder->scopes, unit);
    SymbolDie root;
    if (list)
        return list;
    list = g_array_new (FALSE, FALSE, sizeof (Scope));
    g_array_set_clear_func (list, clear_scope);
    g_hash_table_insert (binder->scopes, (gpointer) unit, list);
    if (symbol_die_read (binder->dwarf, unit, unit->first_die, &root))
        collect_scopes (binder->dwarf, &root, G_MAXUINT, list, 0);
    /* ends of last children are known only after their parents' */
    BASE_EACH_ROW (list, Scope, scope) {
        if (scope->parent != G_MAXUINT)
            scope->end = MIN (scope->end, g_array_index (list, Scope, scope->parent).end);
    }
    return list;
}

const char *
symbol_names_find_scope (SymbolBinder *binder, const SymbolDie *die)
{
    SymbolDie at = *die;
    SymbolValue value;
    for (guint i = 0; i < 8 && symbol_die_get (binder->dwarf, &at, DW_AT_specification, &value)
                      && value.kind == SYMBOL_VALUE_REFERENCE;
         i++)
        if (!symbol_die_find (binder->dwarf, value.number, &at))
            return NULL;
    return find_in_list (load_scopes (binder, at.unit), at.offset);
}

char *
symbol_names_dup_qualified (SymbolBinder *binder, const SymbolDie *die)
{
    SymbolDie at = *die;
    for (guint i = 0; i < 8; i++) {
        SymbolValue value;
        if (!symbol_die_get (binder->dwarf, &at, DW_AT_specification, &value)
            && !symbol_die_get (binder->dwarf, &at, DW_AT_abstract_origin, &value))
            break;
        if (value.kind != SYMBOL_VALUE_REFERENCE
            || !symbol_die_find (binder->dwarf, value.number, &at))
            break;
    }
    const char *name = find_own_name (binder->dwarf, &at);
    const char *scope = symbol_names_find_scope (binder, &at);
    SymbolDie parent;
    /* in a unit of its own an enumeration says where it belongs by its declaration */
    if (!scope && at.tag == DW_TAG_enumerator && at.unit->tag == DW_TAG_type_unit
        && symbol_names_find_parent (binder->dwarf, &at, &parent))
        scope = symbol_names_find_scope (binder, &parent);
    if (!name)
        return NULL;
    return scope ? g_strconcat (scope, "::", name, NULL) : g_strdup (name);
}

gboolean
symbol_names_find_parent (const SymbolDwarf *dwarf, const SymbolDie *die, SymbolDie *ret_parent)
{
    SymbolDie parent, child, next;
    if (!symbol_die_read (dwarf, die->unit, die->unit->first_die, &parent))
        return FALSE;
    for (guint depth = 0; depth < 200; depth++) {
        if (!symbol_die_first_child (dwarf, &parent, &child))
            return FALSE;
        while (child.offset != die->offset && symbol_die_next (dwarf, &child, &next)
               && next.offset <= die->offset)
            child = next;
        if (child.offset == die->offset) {
            *ret_parent = parent;
            return TRUE;
        }
        parent = child;
    }
    return FALSE;
}

/* Without spaces and without what people leave out: anonymous and inline namespaces. */
char *
symbol_names_reduce (const char *name)
{
    static const char *const dropped[] = { "(anonymous namespace)::", "__cxx11::", "__1::" };
    GString *text = g_string_sized_new (64);
    const char *behind;
    while (*name) {
        gboolean skipped = FALSE;
        /* tables of names have millions of characters */
        gboolean may_be_dropped = *name == '(' || *name == '_';
        for (guint i = 0; i < G_N_ELEMENTS (dropped) && may_be_dropped && !skipped; i++) {
            if (!g_str_has_prefix (name, dropped[i]))
                continue;
            name += strlen (dropped[i]);
            skipped = TRUE;
        }
        if (skipped)
            continue;
        if (strchr ("usli", *name) && text->len && strchr ("<,(", text->str[text->len - 1])
            && (behind = index_append_integer (text, name))) {
            name = behind;
            continue;
        }
        /* "unsigned int" keeps its space, "> >" and ", " lose theirs */
        if (*name != ' '
            || (text->len && g_ascii_isalnum (text->str[text->len - 1])
                && g_ascii_isalnum (name[1])))
            g_string_append_c (text, *name);
        name++;
    }
    return g_string_free (text, FALSE);
}

gboolean
symbol_names_are_same (const char *name, const char *other)
{
    if (!strchr (name, '<') || !strchr (other, '<'))
        return strcmp (name, other) == 0;
    g_autofree char *a = symbol_names_reduce (name), *b = symbol_names_reduce (other);
    return strcmp (a, b) == 0;
}

/* The last component with its template arguments, reduced: the key of the table. */
static char *
make_key (const char *name)
{
    const char *last = name;
    int depth = 0;
    for (const char *at = name; *at; at++) {
        if (*at == 'o' && g_str_has_prefix (at, "operator"))
            break;
        depth += (*at == '<' || *at == '(') - ((*at == '>' || *at == ')') && depth);
        if (at[0] == ':' && at[1] == ':' && !depth)
            last = at + 2;
    }
    return strpbrk (last, "< ") ? symbol_names_reduce (last) : g_strdup (last);
}

static gboolean
is_named (guint32 tag)
{
    switch (tag) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
    case DW_TAG_subprogram:
    case DW_TAG_constant:
    case DW_TAG_enumerator:
    case DW_TAG_base_type:
    case DW_TAG_typedef:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_class_type:
    case DW_TAG_module:
    case DW_TAG_namespace: return TRUE;
    default: return FALSE;
    }
}

/* The list of all entries whose names have this last component. */
static GArray *
find_name_list (SymbolBinder *binder, const char *name)
{
    gboolean plain = !strchr (name, '<');
    char *key = plain ? (char *) name : make_key (name);
    GArray *list = g_hash_table_lookup (binder->names, key);
    if (!list) {
        list = g_array_new (FALSE, FALSE, sizeof (guint64));
        g_hash_table_insert (binder->names, g_string_chunk_insert (binder->name_texts, key),
                             list);
    }
    if (!plain)
        g_free (key);
    return list;
}

/* Units share the texts of their names, so most have been seen at the same place. */
static void
add_name (SymbolBinder *binder, const char *name, guint64 offset)
{
    GArray *list = g_hash_table_lookup (binder->names_seen, name);
    if (!list) {
        list = find_name_list (binder, name);
        g_hash_table_insert (binder->names_seen, (gpointer) name, list);
    }
    if (list->len < MAX_ENTRIES)
        g_array_append_val (list, offset);
}

static void
load_names_of (SymbolBinder *binder, const SymbolDie *parent, guint depth)
{
    SymbolDie die;
    SymbolValue value;
    if (depth > MAX_DEPTH || !symbol_die_first_child (binder->dwarf, parent, &die))
        return;
    gboolean in_class = parent->tag == DW_TAG_class_type || parent->tag == DW_TAG_union_type
                        || parent->tag == DW_TAG_structure_type;
    do {
        if (is_scope (die.tag) || die.tag == DW_TAG_common_block)
            load_names_of (binder, &die, depth + 1);
        if (!is_named (die.tag) || (in_class && die.tag == DW_TAG_subprogram)
            || (die.tag != DW_TAG_variable
                && symbol_die_get (binder->dwarf, &die, DW_AT_declaration, &value)))
            continue;
        const char *name = symbol_die_get_name (binder->dwarf, &die);
        if (name)
            add_name (binder, name, die.offset);
    } while (symbol_die_next (binder->dwarf, &die, &die));
}

GArray *
symbol_names_find (SymbolBinder *binder, const char *name)
{
    if (!binder->names) {
        binder->name_texts = g_string_chunk_new (1 << 16);
        binder->names_seen = g_hash_table_new (NULL, NULL);
        binder->names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                               (GDestroyNotify) g_array_unref);
        BASE_EACH (binder->dwarf->units, const SymbolUnit, unit) {
            SymbolDie root;
            if (symbol_unit_is_read (unit)
                && symbol_die_read (binder->dwarf, unit, unit->first_die, &root))
                load_names_of (binder, &root, 0);
        }
        g_clear_pointer (&binder->names_seen, g_hash_table_unref);
    }
    g_autofree char *key = make_key (name);
    return g_hash_table_lookup (binder->names, key);
}

static void
clear_prefix (gpointer data)
{
    g_free (((SymbolPrefix *) data)->name);
}

static void
add_prefix (GArray *list, const char *name, gboolean is_used)
{
    BASE_APPEND (list, SymbolPrefix, symbol_names_reduce (name), is_used);
}

static gboolean
accept_class (guint32 tag, guint32 wanted)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* The bases of a class, in which its methods look for names too. */
static void
add_bases (SymbolBinding *binding, GArray *list, const SymbolDie *class, guint depth)
{
    SymbolDie child, base;
    if (depth > MAX_DEPTH || !symbol_die_first_child (binding->dwarf, class, &child))
        return;
    do {
        if (child.tag != DW_TAG_inheritance || binding->steps++ > SYMBOL_MAX_STEPS
            || !symbol_type_strip_die (binding->dwarf,
                                       symbol_type_find_target (binding->dwarf, &child), &base))
            continue;
        g_autofree char *name = symbol_names_dup_qualified (binding->binder, &base);
        if (name)
            add_prefix (list, name, FALSE);
        add_bases (binding, list, &base, depth + 1);
    } while (symbol_die_next (binding->dwarf, &child, &child));
}

static void
add_uses (SymbolBinding *binding, GArray *list, const SymbolDie *block)
{
    SymbolDie child, space;
    SymbolValue value;
    if (!symbol_die_first_child (binding->dwarf, block, &child))
        return;
    do {
        if (child.tag != DW_TAG_imported_module
            || !symbol_die_get (binding->dwarf, &child, DW_AT_import, &value)
            || value.kind != SYMBOL_VALUE_REFERENCE
            || !symbol_die_find (binding->dwarf, value.number, &space))
            continue;
        g_autofree char *name = symbol_names_dup_qualified (binding->binder, &space);
        if (name)
            add_prefix (list, name, TRUE);
    } while (symbol_die_next (binding->dwarf, &child, &child));
}

static gboolean
accept_module (guint32 tag, guint32 wanted)
{
    return tag == DW_TAG_module;
}

/* Modules that a procedure of Fortran, those around it or the unit use; a submodule sees what its parents have, too. */
static void
add_modules (SymbolBinding *binding, GArray *list)
{
    SymbolDie die;
    for (guint i = binding->end; i-- > 0;)
        add_uses (binding, list, &g_array_index (binding->path, SymbolDie, i));
    if (symbol_die_read (binding->dwarf, binding->unit, binding->unit->first_die, &die))
        add_uses (binding, list, &die);
    /* two that say that they use each other end with the limit */
    for (guint i = 0; i < list->len && i < MAX_MODULES; i++) {
        g_autofree char *name = g_strdup (g_array_index (list, SymbolPrefix, i).name);
        if (name[0] && symbol_names_find_exact (binding, name, accept_module, 0, &die))
            add_uses (binding, list, &die);
    }
}

const GArray *
symbol_names_get_prefixes (SymbolBinding *binding)
{
    GArray *list = binding->prefixes;
    SymbolDie class;
    if (list)
        return list;
    list = binding->prefixes = g_array_new (FALSE, FALSE, sizeof (SymbolPrefix));
    g_array_set_clear_func (list, clear_prefix);
    gboolean is_cxx = binding->unit && binding->unit->language == JOB_LANGUAGE_CXX;
    g_autofree char *whole = binding->head < binding->end
                                 ? symbol_names_dup_qualified (binding->binder,
                                                               &g_array_index (binding->path,
                                                                               SymbolDie,
                                                                               binding->head))
                                 : NULL;
    while (whole && whole[0]) {
        gsize length;
        const char *last = index_find_last_component (whole, &length);
        whole[last == whole ? 0 : last - whole - 2] = 0;
        add_prefix (list, whole, FALSE);
        if (is_cxx && whole[0]
            && symbol_names_find_exact (binding, whole, accept_class, 0, &class))
            add_bases (binding, list, &class, 0);
    }
    if (!list->len)
        add_prefix (list, "", FALSE);
    if (binding->unit && !is_cxx)
        add_modules (binding, list);
    symbol_usings_add_prefixes (binding, list);
    return list;
}

/* Better ones have the higher rank: a definition here, a definition anywhere, a declaration. */
static guint
rank_entry (SymbolBinding *binding, const SymbolDie *die)
{
    SymbolValue value;
    guint rank = die->unit == binding->unit
                         || symbol_imports_has (binding->binder, binding->unit, die->unit)
                     ? 2
                     : 1;
    if (symbol_die_get (binding->dwarf, die, DW_AT_declaration, &value))
        return 0;
    if (rank == 1 && die->tag == DW_TAG_variable
        && !symbol_die_get_number (binding->dwarf, die, DW_AT_external, 0))
        return 1;
    return rank + 1;
}

gboolean
symbol_names_find_exact (SymbolBinding *binding, const char *name,
                         gboolean (*accept) (guint32, guint32), guint32 wanted,
                         SymbolDie *ret_die)
{
    const GArray *list = symbol_names_find (binding->binder, name);
    g_autofree char *reduced = symbol_names_reduce (name);
    guint best = 0;
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || !accept (die.tag, wanted))
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        g_autofree char *own = symbol_names_reduce (whole ? whole : "");
        guint rank = strcmp (own, reduced) == 0 ? rank_entry (binding, &die) + 1 : 0;
        if (rank <= best)
            continue;
        best = rank;
        *ret_die = die;
    }
    return best > 0;
}

/* The best of all that the prefixes lead to. */
typedef struct {
    guint rank, prefix;
    SymbolDie die;
    char *scope; /* of it, reduced */
} Match;

/* The scopes that a declaration `using namespace` brings in stand side by side. */
static void
note_clash (SymbolBinding *binding, const Match *match, const char *scope, const char *name)
{
    const GArray *prefixes = binding->prefixes;
    if (match->prefix >= prefixes->len
        || !g_array_index (prefixes, SymbolPrefix, match->prefix).is_used || binding->clash
        || match->die.tag == DW_TAG_subprogram || binding->unit->language != JOB_LANGUAGE_CXX)
        return;
    binding->clash = g_strdup_printf ("%s::%s, %s::%s", match->scope, name, scope, name);
}

static void
match_prefixes (SymbolBinding *binding, const SymbolDie *die, const char *scope,
                const char *name, Match *match)
{
    const GArray *prefixes = symbol_names_get_prefixes (binding);
    for (guint p = 0; p < prefixes->len; p++) {
        guint rank = rank_entry (binding, die) + 1;
        const SymbolPrefix *prefix = &g_array_index (prefixes, SymbolPrefix, p);
        if (strcmp (prefix->name, scope) != 0)
            continue;
        if (prefix->is_used && match->scope && strcmp (match->scope, scope) != 0)
            note_clash (binding, match, scope, name);
        if (p > match->prefix || (p == match->prefix && rank <= match->rank))
            continue;
        if (!prefix->is_used)
            g_clear_pointer (&binding->clash, g_free);
        g_free (match->scope);
        *match = (Match){ rank, p, *die, g_strdup (scope) };
    }
}

/* name: reduced. only_global: in no class or namespace but those that it names. */
static void
match_entries (SymbolBinding *binding, const GArray *list, const char *name,
               gboolean (*accept) (guint32 tag, guint32 wanted), guint32 wanted,
               gboolean only_global, Match *match)
{
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || !accept (die.tag, wanted))
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        g_autofree char *own = symbol_names_reduce (whole ? whole : "");
        gsize cut = strlen (own) - MIN (strlen (own), strlen (name));
        if (strcmp (own + cut, name) != 0
            || (cut && (only_global || cut < 2 || own[cut - 1] != ':')))
            continue;
        own[cut ? cut - 2 : 0] = 0;
        match_prefixes (binding, &die, own, name, match);
    }
}

gboolean
symbol_scope_find_global (SymbolBinding *binding, const char *name,
                          gboolean (*accept) (guint32 tag, guint32 wanted), guint32 wanted,
                          SymbolDie *ret_die)
{
    const GArray *prefixes = symbol_names_get_prefixes (binding);
    g_autofree char *resolved = symbol_usings_resolve (binding, prefixes, name);
    const GArray *list = symbol_names_find (binding->binder, resolved);
    g_autofree char *reduced
        = symbol_names_reduce (g_str_has_prefix (resolved, "::") ? resolved + 2 : resolved);
    Match match = { .prefix = G_MAXUINT };
    g_clear_pointer (&binding->clash, g_free);
    if (g_str_has_prefix (name, "::"))
        match_entries (binding, list, reduced, accept, wanted, TRUE, &match);
    if (match.prefix == G_MAXUINT)
        match_entries (binding, list, reduced, accept, wanted, FALSE, &match);
    g_free (match.scope);
    if (match.prefix == G_MAXUINT)
        return symbol_usings_find_entry (binding, prefixes, resolved, accept, wanted, ret_die);
    *ret_die = match.die;
    return TRUE;
}

static gboolean
is_named_so (SymbolBinder *binder, const SymbolDie *die, const char *wanted)
{
    g_autofree char *name = symbol_names_dup_qualified (binder, die);
    return name && wanted && strcmp (name, wanted) == 0;
}

gboolean
symbol_names_find_definition (SymbolBinding *binding, const SymbolDie *declaration,
                              guint64 *ret_address, SymbolValue *ret_constant)
{
    const char *name = symbol_die_get_name (binding->dwarf, declaration);
    const GArray *list = name ? symbol_names_find (binding->binder, name) : NULL;
    g_autofree char *wanted = symbol_names_dup_qualified (binding->binder, declaration);
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        SymbolValue value;
        const guint8 *block;
        gsize size;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || die.tag != DW_TAG_variable
            || !symbol_die_get (binding->dwarf, &die, DW_AT_specification, &value)
            || value.kind != SYMBOL_VALUE_REFERENCE
            || (value.number != declaration->offset
                && !is_named_so (binding->binder, &die, wanted)))
            continue;
        if (symbol_die_get (binding->dwarf, &die, DW_AT_const_value, ret_constant))
            return TRUE;
        if (!symbol_die_find_location (binding->dwarf, &die, DW_AT_location, 0, FALSE, &block,
                                       &size)
            || !size)
            continue;
        ret_constant->kind = SYMBOL_VALUE_NONE;
        BaseCursor cursor = BASE_CURSOR_INIT (block + 1, size - 1);
        if (block[0] == DW_OP_addr) {
            *ret_address = base_cursor_read_u64 (&cursor);
            return !cursor.failed;
        }
        if (block[0] == DW_OP_addrx || block[0] == DW_OP_GNU_addr_index)
            return symbol_unit_read_address (binding->dwarf, die.unit,
                                             base_cursor_read_uleb (&cursor), ret_address);
    }
    return FALSE;
}

char *
symbol_names_list_overloads (SymbolBinding *binding, const SymbolDie *function)
{
    const char *name = symbol_die_get_name (binding->dwarf, function);
    g_autofree char *wanted = symbol_names_dup_qualified (binding->binder, function);
    const GArray *list = name && wanted ? symbol_names_find (binding->binder, name) : NULL;
    g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_free);
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || die.tag != DW_TAG_subprogram)
            continue;
        symbol_die_read_ranges (binding->dwarf, &die, ranges);
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        if (!ranges->len || g_strcmp0 (whole, wanted) != 0)
            continue;
        g_autofree char *type = symbol_type_describe (binding, die.offset, "", 0);
        const char *parameters = strchr (type, '(');
        char *text = g_strconcat (whole, parameters ? parameters : "()", NULL);
        if (g_ptr_array_find_with_equal_func (shown, text, g_str_equal, NULL))
            g_free (text);
        else
            g_ptr_array_add (shown, text);
    }
    if (shown->len < 2)
        return NULL;
    g_ptr_array_sort (shown, base_order_texts);
    g_ptr_array_add (shown, NULL);
    return g_strjoinv (", ", (char **) shown->pdata);
}
