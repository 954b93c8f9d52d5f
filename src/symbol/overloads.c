/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overload resolution by C++'s rules (C++17 [over.match.best], [over.ics.rank]), which rank
 * each argument's conversion. Conversions that C++ refuses but gdb accepts (a constant for `int
 * &`) rank last. */
#include <string.h>

#include "symbol/calls-private.h"

#define MAX_DEPTH 20

enum {
    RANK_EXACT = 10000,
    RANK_PROMOTION = 20000,
    RANK_CONVERSION = 30000,
    RANK_LENIENT = 40000,
    RANK_ELLIPSIS = 50000
};
/* Within a rank, of conversions: to a base by how far it is, then to void *, then to bool. */
enum { DISTANCE_STEP = 100, DISTANCE_VOID = 5000, DISTANCE_BOOL = 9000 };

/* `this`, and the lengths that Fortran's texts bring along; its descriptors are not hidden. */
static gboolean
is_hidden (SymbolParser *parser, const SymbolDie *parameter)
{
    const char *name = symbol_die_get_name (parser->binding->dwarf, parameter);
    return symbol_die_get_number (parser->binding->dwarf, parameter, DW_AT_artificial, 0)
           && !(symbol_parser_is_fortran (parser) && name && name[0] != '_');
}

void
symbol_parameters_read (SymbolParser *parser, const SymbolDie *function,
                        SymbolParameters *signature)
{
    const SymbolDwarf *dwarf = parser->binding->dwarf;
    SymbolDie die;
    signature->parameters = g_array_new (FALSE, FALSE, sizeof (SymbolDie));
    signature->takes_more = FALSE;
    if (symbol_die_first_child (dwarf, function, &die)) {
        do {
            if (die.tag == DW_TAG_unspecified_parameters)
                signature->takes_more = TRUE;
            else if (die.tag == DW_TAG_formal_parameter && !is_hidden (parser, &die))
                g_array_append_val (signature->parameters, die);
        } while (symbol_die_next (dwarf, &die, &die));
    }
    if (!signature->parameters->len && function->unit->language == JOB_LANGUAGE_C
        && !symbol_die_get_number (dwarf, function, DW_AT_prototyped, 0))
        signature->takes_more = TRUE;
}

/* ---- types ---- */

guint
symbol_type_find_qualifiers (const SymbolBinding *binding, guint32 number)
{
    guint found = 0;
    for (guint i = 0; i < 100; i++) {
        const SymbolType *type = symbol_type_get (binding, number);
        SymbolDie die;
        if (type->kind != EVALUATE_TYPE_TYPEDEF)
            break;
        if (type->qualifiers) {
            found |= (strstr (type->qualifiers, "const") ? 1 : 0)
                     | (strstr (type->qualifiers, "volatile") ? 2 : 0);
        } else if (type->origin && symbol_die_find (binding->dwarf, type->origin, &die)) {
            found |= (die.tag == DW_TAG_const_type ? 1 : 0)
                     | (die.tag == DW_TAG_volatile_type ? 2 : 0);
        }
        number = type->target;
    }
    return found;
}

static guint
count_qualifiers (guint qualifiers)
{
    return (qualifiers & 1) + (qualifiers >> 1 & 1);
}

static gboolean
is_same_number (const SymbolType *a, const SymbolType *b)
{
    if (a->kind != b->kind || a->size != b->size)
        return FALSE;
    if (a->kind == EVALUATE_TYPE_CHAR || a->kind == EVALUATE_TYPE_UCHAR
        || a->kind == EVALUATE_TYPE_ENUM)
        return strcmp (a->name, b->name) == 0;
    return !strstr (a->name, "long long") == !strstr (b->name, "long long")
           && (a->flags & EVALUATE_TYPE_QUAD) == (b->flags & EVALUATE_TYPE_QUAD);
}

static gboolean
is_same_at (SymbolBinding *binding, guint32 a, guint32 b, guint depth)
{
    const SymbolType *x = symbol_type_strip (binding, a), *y = symbol_type_strip (binding, b);
    if (x == y || (x->origin && x->origin == y->origin))
        return TRUE;
    if (x->kind != y->kind || depth > MAX_DEPTH)
        return FALSE;
    if (symbol_is_arithmetic (x))
        return is_same_number (x, y);
    if ((x->kind == EVALUATE_TYPE_POINTER && !x->holder && !y->holder)
        || x->kind == EVALUATE_TYPE_ARRAY) {
        guint32 from = symbol_type_get_target (binding, a),
                to = symbol_type_get_target (binding, b);
        return (x->kind == EVALUATE_TYPE_POINTER || x->count == y->count)
               && symbol_type_find_qualifiers (binding, from)
                      == symbol_type_find_qualifiers (binding, to)
               && is_same_at (binding, from, to, depth + 1);
    }
    if (x->kind == EVALUATE_TYPE_REFERENCE)
        return symbol_type_is_rvalue_reference (binding, a)
                   == symbol_type_is_rvalue_reference (binding, b)
               && is_same_at (binding, symbol_type_get_target (binding, a),
                              symbol_type_get_target (binding, b), depth + 1);
    g_autofree char *own = symbol_names_reduce (x->name),
                    *other = symbol_names_reduce (y->name);
    return strcmp (own, other) == 0;
}

gboolean
symbol_is_same_type (SymbolBinding *binding, guint32 a, guint32 b)
{
    return is_same_at (binding, a, b, 0);
}

/* ---- one argument ---- */

/* Steps from a class to one of its bases; 0: it is none. */
static guint
find_distance (SymbolBinding *binding, guint32 from, guint32 to)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    return symbol_find_base_path (binding, from, to, path) ? path->len : 0;
}

static gboolean
is_class (const SymbolType *type)
{
    return (type->kind == EVALUATE_TYPE_STRUCT || type->kind == EVALUATE_TYPE_UNION)
           && !symbol_is_decimal (type);
}

static guint
rate_pointer (SymbolParser *parser, const SymbolNode *node, const SymbolType *from,
              guint32 type)
{
    SymbolBinding *binding = parser->binding;
    guint32 wanted = symbol_type_get_target (binding, type), target;
    const SymbolType *to = symbol_type_strip (binding, wanted), *own;
    if (symbol_is_integer (from))
        return node->is_constant && !node->constant ? RANK_CONVERSION : 0;
    if (from->kind == EVALUATE_TYPE_FUNCTION)
        return symbol_is_same_type (binding, node->type, wanted) ? RANK_EXACT : RANK_LENIENT;
    if (from->kind != EVALUATE_TYPE_POINTER && from->kind != EVALUATE_TYPE_ARRAY)
        return 0;
    target = symbol_type_get_target (binding, node->type);
    own = symbol_type_strip (binding, target);
    guint has = from->flags & EVALUATE_TYPE_LITERAL
                    ? 1
                    : symbol_type_find_qualifiers (binding, target);
    guint takes = symbol_type_find_qualifiers (binding, wanted);
    guint added = count_qualifiers (takes & ~has), distance;
    gboolean same = symbol_is_same_type (binding, target, wanted);
    if (same && !(has & ~takes))
        return RANK_EXACT + added;
    if (to->kind == EVALUATE_TYPE_VOID && own->kind != EVALUATE_TYPE_FUNCTION)
        return (has & ~takes ? RANK_LENIENT : RANK_CONVERSION) + DISTANCE_VOID + added;
    distance = is_class (own) && is_class (to) ? find_distance (binding, target, wanted) : 0;
    if (distance)
        return (has & ~takes ? RANK_LENIENT : RANK_CONVERSION) + distance * DISTANCE_STEP
               + added;
    return same || (own->kind == to->kind && own->size == to->size) ? RANK_LENIENT : 0;
}

static guint
rate_number (const SymbolType *from, const SymbolType *to)
{
    gboolean is_int = to->kind == EVALUATE_TYPE_SIGNED && to->size == 4;
    if (is_same_number (from, to))
        return RANK_EXACT;
    if (to->kind == EVALUATE_TYPE_ENUM)
        return RANK_LENIENT;
    if ((is_int && from->kind != EVALUATE_TYPE_FLOAT
         && (from->size < 4 || from->kind == EVALUATE_TYPE_BOOL
             || from->kind == EVALUATE_TYPE_ENUM))
        || (to->kind == EVALUATE_TYPE_FLOAT && to->size == 8
            && from->kind == EVALUATE_TYPE_FLOAT && from->size == 4))
        return RANK_PROMOTION;
    return RANK_CONVERSION;
}

/* C++17 [conv.mem]: a member of a base is one of the class, too. */
static guint
rate_member (SymbolParser *parser, const SymbolNode *node, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *to = symbol_type_strip (binding, type),
                     *from = symbol_node_strip (parser, node);
    gint64 offset;
    if (node->is_constant && !node->constant)
        return RANK_CONVERSION;
    if (!symbol_find_member_distance (binding, from, to, &offset))
        return 0;
    guint distance = find_distance (binding, to->holder, from->holder);
    return distance ? RANK_CONVERSION + distance * DISTANCE_STEP : RANK_EXACT;
}

static guint
rate_value (SymbolParser *parser, const SymbolNode *node, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *to = symbol_type_strip (binding, type),
                     *from = symbol_node_strip (parser, node);
    if (to->holder)
        return rate_member (parser, node, type);
    if (symbol_is_arithmetic (to) && symbol_is_arithmetic (from))
        return rate_number (from, to);
    if (to->kind == EVALUATE_TYPE_POINTER)
        return rate_pointer (parser, node, from, type);
    if (symbol_is_same_type (binding, node->type, type))
        return RANK_EXACT;
    if (to->kind == EVALUATE_TYPE_BOOL && symbol_parser_is_cxx (parser)
        && (symbol_is_address (from) || from->kind == EVALUATE_TYPE_FUNCTION || from->holder))
        return RANK_CONVERSION + DISTANCE_BOOL;
    if (symbol_fits_elements (parser, node, type))
        return RANK_CONVERSION;
    if (to->kind == EVALUATE_TYPE_COMPLEX)
        return from->kind == EVALUATE_TYPE_COMPLEX || symbol_is_arithmetic (from)
                   ? RANK_CONVERSION
                   : 0;
    if (symbol_is_decimal (to))
        return symbol_is_decimal (from)   ? RANK_PROMOTION
               : symbol_is_integer (from) ? RANK_CONVERSION
                                          : 0;
    if (symbol_is_decimal (from))
        return symbol_is_integer (to) ? RANK_CONVERSION : 0;
    guint distance = is_class (to) && is_class (from)
                         ? find_distance (binding, node->type, type)
                         : 0;
    return distance ? RANK_CONVERSION + distance * DISTANCE_STEP : 0;
}

/* A reference is bound to the value itself, or to a copy that has its type. */
static guint
rate_reference (SymbolParser *parser, const SymbolNode *node, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    guint32 target = symbol_type_get_target (binding, type);
    gboolean to_rvalue = symbol_type_is_rvalue_reference (binding, type);
    guint rating = rate_value (parser, node, target);
    guint has = symbol_type_find_qualifiers (binding, node->type);
    guint takes = symbol_type_find_qualifiers (binding, target);
    guint distance = find_distance (binding, node->type, target);
    gboolean is_rvalue = symbol_node_is_rvalue (node);
    if (!rating)
        return 0;
    if (!distance && !symbol_is_same_type (binding, node->type, target))
        return to_rvalue || takes == 1 ? rating : RANK_LENIENT;
    if ((has & ~takes) || (to_rvalue ? !is_rvalue : is_rvalue && takes != 1))
        return RANK_LENIENT;
    return (distance ? RANK_CONVERSION + distance * DISTANCE_STEP : RANK_EXACT)
           + count_qualifiers (takes & ~has) + (is_rvalue && !to_rvalue ? 1 : 0);
}

guint
symbol_rate_argument (SymbolParser *parser, const SymbolNode *node, guint32 type)
{
    return symbol_type_strip (parser->binding, type)->kind == EVALUATE_TYPE_REFERENCE
               ? rate_reference (parser, node, type)
               : rate_value (parser, node, type);
}

/* ---- one function ---- */

gboolean
symbol_find_object_qualifiers (SymbolBinding *binding, const SymbolDie *method,
                               guint *ret_qualifiers)
{
    SymbolDie parameter;
    if (!symbol_die_first_child (binding->dwarf, method, &parameter))
        return FALSE;
    do {
        if (parameter.tag != DW_TAG_formal_parameter
            || !symbol_die_get_number (binding->dwarf, &parameter, DW_AT_artificial, 0))
            continue;
        guint32 pointer = symbol_type_build_of (binding, &parameter);
        *ret_qualifiers
            = symbol_type_find_qualifiers (binding, symbol_type_get_target (binding, pointer));
        return TRUE;
    } while (symbol_die_next (binding->dwarf, &parameter, &parameter));
    return FALSE;
}

static guint
rate_object (SymbolBinding *binding, const SymbolNode *object, const SymbolCandidate *candidate)
{
    guint takes, has = symbol_type_find_qualifiers (binding, object->type);
    guint distance = candidate->path ? candidate->path->len : 0;
    if (!symbol_find_object_qualifiers (binding, &candidate->die, &takes))
        return RANK_EXACT;
    return (has & ~takes ? RANK_LENIENT
            : distance   ? RANK_CONVERSION
                         : RANK_EXACT)
           + distance * DISTANCE_STEP + count_qualifiers (takes & ~has);
}

static void
rate (SymbolParser *parser, SymbolCandidate *candidate, const SymbolNode *object,
      const SymbolNode *nodes, guint n)
{
    g_autoptr (GArray) parameters = NULL;
    SymbolParameters signature;
    symbol_parameters_read (parser, &candidate->die, &signature);
    parameters = signature.parameters;
    candidate->n = 0;
    if (object)
        candidate->badness[candidate->n++] = rate_object (parser->binding, object, candidate);
    if (symbol_die_get_number (parser->binding->dwarf, &candidate->die, DW_AT_deleted, 0)
        || n < parameters->len || (n > parameters->len && !signature.takes_more)
        || n > SYMBOL_MAX_ARGUMENTS)
        return;
    for (guint i = 0; i < n; i++) {
        guint badness = RANK_ELLIPSIS;
        if (i < parameters->len) {
            guint32 type = symbol_type_build_of (parser->binding,
                                                 &g_array_index (parameters, SymbolDie, i));
            badness = symbol_rate_argument (parser, &nodes[i], type);
        }
        if (!badness)
            return;
        candidate->badness[candidate->n++] = badness;
    }
    candidate->is_viable = TRUE;
}

/* gcc names a constructor or destructor once for all its variants: C4 stands for C1 and C2. */
static gboolean
find_variant (SymbolBinding *binding, const char *linkage, guint64 *ret_address)
{
    static const char *const marks[] = { "C4E", "C4I", "D4E" };
    for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
        const char *at = g_strrstr (linkage, marks[i]);
        g_autofree char *name = at ? g_strdup (linkage) : NULL;
        for (char variant = '1'; name && variant <= '2'; variant++) {
            name[at - linkage + 1] = variant;
            if (symbol_scope_find_elf (binding, name, ret_address))
                return TRUE;
        }
    }
    return FALSE;
}

gboolean
symbol_find_code (SymbolBinding *binding, const SymbolDie *function, guint64 *ret_address)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    SymbolValue linkage;
    const char *name = symbol_die_get_name (binding->dwarf, function);
    symbol_die_read_ranges (binding->dwarf, function, ranges);
    if (ranges->len) {
        *ret_address = g_array_index (ranges, SymbolRange, 0).low;
        return TRUE;
    }
    if ((symbol_die_get_deep (binding->dwarf, function, DW_AT_linkage_name, &linkage)
         || symbol_die_get_deep (binding->dwarf, function, DW_AT_MIPS_linkage_name, &linkage))
        && linkage.kind == SYMBOL_VALUE_STRING && linkage.string)
        name = linkage.string;
    return name
           && (symbol_scope_find_elf (binding, name, ret_address)
               || find_variant (binding, name, ret_address));
}

/* ---- all of them ---- */

static void
clear_candidate (gpointer data)
{
    SymbolCandidate *candidate = data;
    if (candidate->path)
        g_array_unref (candidate->path);
}

GArray *
symbol_candidates_new (void)
{
    GArray *candidates = g_array_new (FALSE, TRUE, sizeof (SymbolCandidate));
    g_array_set_clear_func (candidates, clear_candidate);
    return candidates;
}

static gboolean
has_address (const GArray *candidates, guint64 address)
{
    return BASE_ANY (i, candidates->len,
                     g_array_index (candidates, SymbolCandidate, i).address == address);
}

/* Another file has it for itself. */
static gboolean
is_elsewhere (SymbolBinding *binding, const SymbolDie *function)
{
    SymbolValue value;
    return binding->unit && function->unit != binding->unit
           && !symbol_die_get_deep (binding->dwarf, function, DW_AT_external, &value)
           && !symbol_imports_has (binding->binder, binding->unit, function->unit);
}

void
symbol_candidates_add_named (SymbolParser *parser, GArray *candidates, const char *qualified,
                             const SymbolNode *nodes, guint n)
{
    SymbolBinding *binding = parser->binding;
    const GArray *list = symbol_names_find (binding->binder, qualified);
    g_autofree char *wanted = symbol_names_reduce (qualified);
    for (guint i = 0; list && i < list->len; i++) {
        SymbolCandidate candidate = { .is_viable = FALSE };
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &candidate.die)
            || candidate.die.tag != DW_TAG_subprogram || is_elsewhere (binding, &candidate.die)
            || !symbol_find_code (binding, &candidate.die, &candidate.address)
            || has_address (candidates, candidate.address))
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &candidate.die);
        g_autofree char *own = symbol_names_reduce (whole ? whole : "");
        if (strcmp (own, wanted) != 0)
            continue;
        rate (parser, &candidate, NULL, nodes, n);
        g_array_append_val (candidates, candidate);
    }
}

void
symbol_candidates_add_visible (SymbolParser *parser, GArray *candidates, const char *name,
                               const SymbolNode *nodes, guint n)
{
    const GArray *prefixes = symbol_names_get_prefixes (parser->binding);
    BASE_EACH_ROW (prefixes, const SymbolPrefix, prefix) {
        g_autofree char *qualified = g_strconcat (prefix->name, prefix->name[0] ? "::" : "",
                                                  name, NULL);
        if (prefix->is_used || !candidates->len)
            symbol_candidates_add_named (parser, candidates, qualified, nodes, n);
    }
}

/* A class of that qualified name. */
static gboolean
is_class_name (SymbolBinding *binding, const char *name)
{
    const GArray *list = symbol_names_find (binding->binder, name);
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || (die.tag != DW_TAG_structure_type && die.tag != DW_TAG_class_type
                && die.tag != DW_TAG_union_type))
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        if (g_strcmp0 (whole, name) == 0)
            return TRUE;
    }
    return FALSE;
}

/* The namespace that an entry lies in, at last: a class's own is that around it. */
static void
add_namespace (SymbolBinding *binding, const SymbolDie *die, GHashTable *spaces)
{
    g_autofree char *scope = g_strdup (symbol_names_find_scope (binding->binder, die));
    gsize length;
    while (scope && scope[0] && is_class_name (binding, scope)) {
        const char *last = index_find_last_component (scope, &length);
        scope[last == scope ? 0 : last - scope - 2] = 0;
    }
    g_hash_table_add (spaces, g_strdup (scope ? scope : ""));
}

/* Of a type, what it points to, its bases and the arguments of its template (C++17 [basic.lookup.argdep]). */
static void
add_spaces (SymbolBinding *binding, guint32 number, guint depth, GHashTable *spaces)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    SymbolDie die, child;
    if (depth > MAX_DEPTH || binding->steps++ > SYMBOL_MAX_STEPS)
        return;
    if (type->kind == EVALUATE_TYPE_POINTER || type->kind == EVALUATE_TYPE_ARRAY
        || type->kind == EVALUATE_TYPE_REFERENCE) {
        add_spaces (binding, symbol_type_get_target (binding, number), depth + 1, spaces);
        return;
    }
    if ((!is_class (type) && type->kind != EVALUATE_TYPE_ENUM) || !type->die
        || !symbol_die_find (binding->dwarf, type->die, &die))
        return;
    add_namespace (binding, &die, spaces);
    for (guint i = 0; type->members && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        if (member->name[0] == '<')
            add_spaces (binding, member->type, depth + 1, spaces);
    }
    if (!symbol_die_first_child (binding->dwarf, &die, &child))
        return;
    do {
        if (child.tag == DW_TAG_template_type_parameter)
            add_spaces (binding, symbol_type_build_of (binding, &child), depth + 1, spaces);
    } while (symbol_die_next (binding->dwarf, &child, &child));
}

void
symbol_candidates_add_associated (SymbolParser *parser, GArray *candidates, const char *name,
                                  const SymbolNode *nodes, guint n)
{
    g_autoptr (GHashTable) spaces = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           NULL);
    gpointer space;
    for (guint i = 0; i < n; i++)
        add_spaces (parser->binding, nodes[i].type, 0, spaces);
    BASE_WALK (spaces, &space, NULL) {
        g_autofree char *qualified = g_strconcat (space, *(char *) space ? "::" : "", name,
                                                  NULL);
        symbol_candidates_add_named (parser, candidates, qualified, nodes, n);
    }
}

/* What is looked for in a class and its bases. */
typedef struct {
    const SymbolNode *object, *nodes;
    guint n;
    const char *scope, *name; /* scope: reduced; NULL: any */
} Search;

static gboolean
add_methods_of (SymbolParser *parser, GArray *candidates, guint32 holder, GArray *path,
                const Search *search)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *type = symbol_type_strip (binding, holder);
    SymbolDie class, die;
    gboolean found = FALSE;
    if (path->len > MAX_DEPTH || !type->die
        || !symbol_die_find (binding->dwarf, type->die, &class))
        return FALSE;
    if ((!search->scope || symbol_type_is_called (type, search->scope))
        && symbol_die_first_child (binding->dwarf, &class, &die)) {
        do {
            const char *own = die.tag == DW_TAG_subprogram
                                  ? symbol_die_get_name (binding->dwarf, &die)
                                  : NULL;
            if (!own || !symbol_names_are_same (own, search->name))
                continue;
            SymbolCandidate candidate
                = { .die = die, .is_method = TRUE, .path = g_array_copy (path) };
            rate (parser, &candidate, search->object, search->nodes, search->n);
            found |= candidate.is_viable;
            g_array_append_val (candidates, candidate);
        } while (symbol_die_next (binding->dwarf, &die, &die));
    }
    for (guint i = 0; !found && type->members && i < type->members->len; i++) {
        SymbolMember member = g_array_index (type->members, SymbolMember, i);
        if (member.name[0] != '<' || binding->steps++ > SYMBOL_MAX_STEPS)
            continue;
        g_array_append_val (path, member);
        found = add_methods_of (parser, candidates, member.type, path, search);
        g_array_set_size (path, path->len - 1);
    }
    return found;
}

void
symbol_candidates_add_methods (SymbolParser *parser, GArray *candidates,
                               const SymbolNode *object, const char *scope, const char *name,
                               const SymbolNode *nodes, guint n)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    g_autofree char *reduced = scope ? symbol_names_reduce (scope) : NULL;
    Search search = { object, nodes, n, reduced, name };
    if (is_class (symbol_node_strip (parser, object)))
        add_methods_of (parser, candidates, object->type, path, &search);
}

static gboolean
is_template (const SymbolCandidate *candidate, const SymbolDwarf *dwarf)
{
    SymbolDie die;
    if (!symbol_die_first_child (dwarf, &candidate->die, &die))
        return FALSE;
    do {
        if (die.tag == DW_TAG_template_type_parameter
            || die.tag == DW_TAG_template_value_parameter)
            return TRUE;
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

/* No argument goes worse with a than with b, and one goes better; or a alone is no template. */
static gboolean
is_better (const SymbolDwarf *dwarf, const SymbolCandidate *a, const SymbolCandidate *b)
{
    gboolean better = FALSE;
    for (guint i = 0; i < a->n && i < b->n; i++) {
        if (a->badness[i] > b->badness[i])
            return FALSE;
        better |= a->badness[i] < b->badness[i];
    }
    return better || (!is_template (a, dwarf) && is_template (b, dwarf));
}

const SymbolCandidate *
symbol_candidates_choose (const SymbolDwarf *dwarf, const GArray *candidates,
                          gboolean *is_ambiguous)
{
    *is_ambiguous = FALSE;
    for (guint i = 0; i < candidates->len; i++) {
        const SymbolCandidate *own = &g_array_index (candidates, SymbolCandidate, i);
        gboolean best = own->is_viable;
        for (guint j = 0; best && j < candidates->len; j++) {
            const SymbolCandidate *other = &g_array_index (candidates, SymbolCandidate, j);
            best = j == i || !other->is_viable || is_better (dwarf, own, other);
        }
        if (best) {
            *is_ambiguous = FALSE;
            return own;
        }
        *is_ambiguous |= own->is_viable;
    }
    return NULL;
}

char *
symbol_candidates_describe (SymbolBinding *binding, const GArray *candidates)
{
    g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_free);
    for (guint i = 0; i < candidates->len; i++) {
        const SymbolDie *die = &g_array_index (candidates, SymbolCandidate, i).die;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, die);
        g_autofree char *parameters = symbol_type_describe_parameters (binding, die);
        char *text = g_strconcat (whole ? whole : "?", parameters, NULL);
        if (g_ptr_array_find_with_equal_func (shown, text, g_str_equal, NULL))
            g_free (text);
        else
            g_ptr_array_add (shown, text);
    }
    g_ptr_array_sort (shown, base_order_texts);
    g_ptr_array_add (shown, NULL);
    return g_strjoinv (", ", (char **) shown->pdata);
}
