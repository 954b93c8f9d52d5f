/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves names qualified by a function or a class: "work::counter", "D::value_type", where
 * value_type is one of D's base. */
#include <string.h>

#include "index/format.h"
#include "job/where.h"
#include "symbol/bind-private.h"

#define MAX_DEPTH 20

/* It lies at one address as long as the program runs, or is a constant. */
static gboolean
is_static (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    const guint8 *block;
    gsize size;
    SymbolValue value;
    if (symbol_die_get_deep (dwarf, die, DW_AT_const_value, &value))
        return TRUE;
    return symbol_die_find_location (dwarf, die, DW_AT_location, 0, FALSE, &block, &size)
           && size
           && (block[0] == DW_OP_addr || block[0] == DW_OP_addrx
               || block[0] == DW_OP_GNU_addr_index);
}

/* A variable that outlives its function, or one of Fortran's inner procedures. */
static gboolean
is_kept (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    return die->tag == DW_TAG_subprogram
               ? die->unit->language == JOB_LANGUAGE_FORTRAN
               : die->tag == DW_TAG_variable && is_static (dwarf, die);
}

static gboolean
is_type (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    return die->tag == DW_TAG_typedef || die->tag == DW_TAG_structure_type
           || die->tag == DW_TAG_class_type || die->tag == DW_TAG_union_type
           || die->tag == DW_TAG_enumeration_type;
}

typedef gboolean (*Accept) (const SymbolDwarf *dwarf, const SymbolDie *die);

static gboolean
find_in_block (const SymbolDwarf *dwarf, const SymbolDie *block, const char *name,
               Accept accept, guint depth, SymbolDie *ret_die)
{
    SymbolDie die;
    if (depth > MAX_DEPTH || !symbol_die_first_child (dwarf, block, &die))
        return FALSE;
    do {
        if (g_strcmp0 (symbol_die_get_name (dwarf, &die), name) == 0 && accept (dwarf, &die)) {
            *ret_die = die;
            return TRUE;
        }
        if (die.tag == DW_TAG_lexical_block
            && find_in_block (dwarf, &die, name, accept, depth + 1, ret_die))
            return TRUE;
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

gboolean
symbol_names_find_static (SymbolBinding *binding, const SymbolDie *function, const char *name,
                          SymbolDie *ret_die)
{
    return find_in_block (binding->dwarf, function, name, is_kept, 0, ret_die);
}

/* "S::work" of "S::work (int) const". Caller owns. */
static char *
dup_without_parameters (const char *function)
{
    char *name = g_strdup (function);
    int depth = 0;
    for (char *at = name; *at; at++) {
        depth += (*at == '<') - (*at == '>');
        if (*at == '(' && !depth && !g_str_has_prefix (at, "(anonymous")
            && !(at - name >= 8 && !strncmp (at - 8, "operator", 8))) {
            *at = 0;
            break;
        }
    }
    return g_strstrip (name);
}

static gboolean
is_variable (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    return die->tag == DW_TAG_variable || die->tag == DW_TAG_formal_parameter;
}

/* The frame that is asked about is of the function, whose other variables are known then, too. */
static gboolean
is_running (const SymbolBinding *binding, const SymbolDie *function)
{
    return binding->head < binding->end
           && g_array_index (binding->path, SymbolDie, binding->head).offset
                  == function->offset;
}

gboolean
symbol_names_find_in_function (SymbolBinding *binding, const char *function, const char *name,
                               SymbolDie *ret_die)
{
    g_autofree char *plain = dup_without_parameters (function);
    g_autofree char *reduced = symbol_names_reduce (plain);
    const GArray *list = symbol_names_find (binding->binder, plain);
    const char *wanted = g_str_has_prefix (reduced, "::") ? reduced + 2 : reduced;
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || die.tag != DW_TAG_subprogram)
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        g_autofree char *own = symbol_names_reduce (whole ? whole : "");
        if (job_where_match_function (wanted, own)
            && (find_in_block (binding->dwarf, &die, name, is_kept, 0, ret_die)
                || (is_running (binding, &die)
                    && find_in_block (binding->dwarf, &die, name, is_variable, 0, ret_die))))
            return TRUE;
    }
    return FALSE;
}

/* A type by its own name in a class, or in one of its bases. */
static gboolean
find_in_class (SymbolBinding *binding, const SymbolDie *class, const char *name, guint depth,
               SymbolDie *ret_die)
{
    const SymbolDwarf *dwarf = binding->dwarf;
    SymbolDie die, base;
    if (depth > MAX_DEPTH || !symbol_die_first_child (dwarf, class, &die))
        return FALSE;
    do {
        const char *own = is_type (dwarf, &die) ? symbol_die_get_name (dwarf, &die) : NULL;
        if (own && strcmp (own, name) == 0) {
            *ret_die = die;
            return TRUE;
        }
    } while (symbol_die_next (dwarf, &die, &die));
    symbol_die_first_child (dwarf, class, &die);
    do {
        if (die.tag == DW_TAG_inheritance
            && symbol_die_find (dwarf, symbol_type_find_target (dwarf, &die), &base)
            && find_in_class (binding, &base, name, depth + 1, ret_die))
            return TRUE;
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

/* A type that a function has for itself: "main::Pair". */
static gboolean
find_type_in_function (SymbolBinding *binding, const char *function, const char *name,
                       SymbolDie *ret_die)
{
    const GArray *list = symbol_names_find (binding->binder, function);
    g_autofree char *reduced = symbol_names_reduce (function);
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || die.tag != DW_TAG_subprogram)
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        g_autofree char *own = symbol_names_reduce (whole ? whole : "");
        if (strcmp (own, reduced) == 0
            && find_in_block (binding->dwarf, &die, name, is_type, 0, ret_die))
            return TRUE;
    }
    return FALSE;
}

static gboolean
find_argument_of (const SymbolDwarf *dwarf, const SymbolDie *template, const char *name,
                  guint32 tag, SymbolDie *ret_die)
{
    SymbolDie die;
    if (!symbol_die_first_child (dwarf, template, &die))
        return FALSE;
    do {
        const char *own = die.tag == tag ? symbol_die_get_name (dwarf, &die) : NULL;
        if (own && strcmp (own, name) == 0) {
            *ret_die = die;
            return TRUE;
        }
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

static gboolean
accept_class (guint32 tag, guint32 wanted)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

gboolean
symbol_names_find_template_argument (SymbolBinding *binding, const char *name, guint32 tag,
                                     SymbolDie *ret_die)
{
    const SymbolDwarf *dwarf = binding->dwarf;
    SymbolDie die;
    SymbolValue value;
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_CXX
        || binding->head >= binding->end)
        return FALSE;
    die = g_array_index (binding->path, SymbolDie, binding->head);
    for (guint i = 0; i < 4; i++) {
        if (find_argument_of (dwarf, &die, name, tag, ret_die))
            return TRUE;
        if ((!symbol_die_get (dwarf, &die, DW_AT_abstract_origin, &value)
             && !symbol_die_get (dwarf, &die, DW_AT_specification, &value))
            || value.kind != SYMBOL_VALUE_REFERENCE
            || !symbol_die_find (dwarf, value.number, &die))
            break;
    }
    const GArray *prefixes = symbol_names_get_prefixes (binding);
    BASE_EACH_ROW (prefixes, const SymbolPrefix, prefix) {
        if (!prefix->is_used && prefix->name[0]
            && symbol_names_find_exact (binding, prefix->name, accept_class, 0, &die)
            && find_argument_of (dwarf, &die, name, tag, ret_die))
            return TRUE;
    }
    return FALSE;
}

gboolean
symbol_names_find_inherited_type (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    gsize length;
    const char *last = index_find_last_component (name, &length);
    SymbolDie class;
    if (last - name < 3)
        return FALSE;
    g_autofree char *scope = g_strndup (name, (gsize) (last - name - 2));
    return (symbol_scope_find_type (binding, scope, DW_TAG_structure_type, &class)
            && find_in_class (binding, &class, last, 0, ret_die))
           || (binding->unit && binding->unit->language == JOB_LANGUAGE_CXX
               && find_type_in_function (binding, scope, last, ret_die));
}

gboolean
symbol_names_find_own_type (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    const SymbolDwarf *dwarf = binding->dwarf;
    SymbolDie die;
    if (!binding->unit || binding->unit->language != JOB_LANGUAGE_CXX || strstr (name, "::")
        || !symbol_scope_find_local (binding, "this", &die))
        return FALSE;
    guint64 offset = symbol_type_find_target (dwarf, &die);
    for (guint i = 0; i < 100 && offset && symbol_die_find (dwarf, offset, &die); i++) {
        if (die.tag == DW_TAG_structure_type || die.tag == DW_TAG_class_type)
            return find_in_class (binding, &die, name, 0, ret_die);
        offset = symbol_type_find_target (dwarf, &die);
    }
    return FALSE;
}
