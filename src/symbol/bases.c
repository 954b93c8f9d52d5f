/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the paths to a class's bases and members, and which paths lead to the same one. */
#include <string.h>

#include "base/error.h"
#include "index/format.h"
#include "symbol/parser-private.h"

#define MAX_DEPTH 20

gboolean
symbol_find_base (SymbolBinding *binding, guint32 from, guint32 to, guint depth, gint64 *offset)
{
    const SymbolType *type = symbol_type_strip (binding, from);
    const SymbolType *wanted = symbol_type_strip (binding, to);
    if (type == wanted || (type->die && type->die == wanted->die))
        return TRUE;
    if (depth > 20 || binding->steps++ > SYMBOL_MAX_STEPS)
        return FALSE;
    for (guint i = 0; type->members && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        gint64 inner = *offset + (gint64) member->offset;
        if (member->name[0] != '<' || EVALUATE_MEMBER_ELSEWHERE (member->bit_offset)
            || !symbol_find_base (binding, member->type, to, depth + 1, &inner))
            continue;
        *offset = inner;
        return TRUE;
    }
    return FALSE;
}

gboolean
symbol_find_base_path (SymbolBinding *binding, guint32 from, guint32 to, GArray *path)
{
    const SymbolType *type = symbol_type_strip (binding, from),
                     *wanted = symbol_type_strip (binding, to);
    if (type == wanted || (type->die && type->die == wanted->die))
        return TRUE;
    for (guint i = 0; path->len < MAX_DEPTH && type->members && i < type->members->len; i++) {
        SymbolMember member = g_array_index (type->members, SymbolMember, i);
        if (member.name[0] != '<' || binding->steps++ > SYMBOL_MAX_STEPS)
            continue;
        g_array_append_val (path, member);
        if (symbol_find_base_path (binding, member.type, to, path))
            return TRUE;
        g_array_set_size (path, path->len - 1);
    }
    return FALSE;
}

/* Where a way ends: in a virtual base there is one of, or 0, and how far in that. */
typedef struct {
    guint32 base;
    guint64 offset;
    gboolean is_static;
} Spot;

static Spot
find_spot (SymbolBinding *binding, const GArray *path)
{
    Spot spot = { 0 };
    BASE_EACH_ROW (path, const SymbolMember, member) {
        if (member->bit_offset == EVALUATE_MEMBER_STATIC
            || member->bit_offset == EVALUATE_MEMBER_CONSTANT)
            return (Spot){ symbol_type_strip_number (binding, member->type), member->offset,
                           TRUE };
        if (member->bit_offset == EVALUATE_MEMBER_VIRTUAL)
            spot = (Spot){ symbol_type_strip_number (binding, member->type), 0, FALSE };
        else
            spot.offset += 64 * member->offset
                           + member->bit_offset; /* no two members have the same */
    }
    return spot;
}

/* The class whose member the way ends at. */
static guint32
find_holder (const GArray *path)
{
    return path->len > 1 ? g_array_index (path, SymbolMember, path->len - 2).type : 0;
}

/* A class hides what its virtual bases have, whichever way leads to them (C++17 [class.member.lookup]). */
static gboolean
hides (SymbolBinding *binding, const GArray *own, const GArray *other)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    guint32 from = find_holder (own), to = find_holder (other);
    gboolean is_virtual = FALSE;
    if (!from || !to || !symbol_find_base_path (binding, from, to, path) || !path->len)
        return FALSE;
    for (guint i = 0; i < path->len; i++)
        is_virtual |= g_array_index (path, SymbolMember, i).bit_offset
                      == EVALUATE_MEMBER_VIRTUAL;
    return is_virtual;
}

/* Of two paths to members of one name, keeps in best the one that C++ selects. FALSE: it is
 * ambiguous. */
static gboolean
is_better (SymbolParser *parser, GArray *best, const GArray *path)
{
    SymbolBinding *binding = parser->binding;
    Spot a = find_spot (binding, best), b = find_spot (binding, path);
    if (!symbol_parser_is_cxx (parser)
        || (a.base == b.base && a.offset == b.offset && a.is_static == b.is_static)
        || hides (binding, best, path))
        return TRUE;
    if (!hides (binding, path, best))
        return FALSE;
    g_array_set_size (best, 0);
    g_array_append_vals (best, path->data, path->len);
    return TRUE;
}

static guint
count_spots (SymbolBinding *binding, guint32 from, guint32 to, GArray *path, GArray *spots)
{
    const SymbolType *type = symbol_type_strip (binding, from),
                     *wanted = symbol_type_strip (binding, to);
    if (type == wanted || (type->die && type->die == wanted->die)) {
        Spot spot = find_spot (binding, path);
        if (BASE_ANY (i, spots->len,
                      g_array_index (spots, Spot, i).base == spot.base
                          && g_array_index (spots, Spot, i).offset == spot.offset))
            return spots->len;
        g_array_append_val (spots, spot);
        return spots->len;
    }
    for (guint i = 0; path->len < MAX_DEPTH && type->members && i < type->members->len; i++) {
        SymbolMember member = g_array_index (type->members, SymbolMember, i);
        if (member.name[0] != '<' || binding->steps++ > SYMBOL_MAX_STEPS)
            continue;
        g_array_append_val (path, member);
        count_spots (binding, member.type, to, path, spots);
        g_array_set_size (path, path->len - 1);
    }
    return spots->len;
}

gboolean
symbol_base_is_ambiguous (SymbolBinding *binding, guint32 from, guint32 to)
{
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    g_autoptr (GArray) spots = g_array_new (FALSE, FALSE, sizeof (Spot));
    return count_spots (binding, from, to, path, spots) > 1;
}

/* ---- members by name ---- */

/* Fortran's `extends`: the parent is a component named as its type. */
static gboolean
is_parent (SymbolParser *parser, const SymbolMember *member)
{
    const SymbolType *type = symbol_type_strip (parser->binding, member->type);
    return symbol_parser_is_fortran (parser) && !member->offset
           && type->kind == EVALUATE_TYPE_STRUCT && g_str_has_suffix (type->name, member->name);
}

typedef gboolean (*Find) (SymbolParser *parser, guint32 holder, const char *name, guint depth,
                          GArray *path);

/* In the bases, and with_parts in what else counts as one. In C++ two of them may have it, which is ambiguous. */
static gboolean
find_in_each (SymbolParser *parser, const SymbolType *type, gboolean with_parts, Find find,
              const char *name, guint depth, GArray *path)
{
    g_autoptr (GArray) best = NULL;
    guint length = path->len;
    for (guint i = 0; type->members && depth < 12 && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        gboolean is_part = with_parts && (!member->name[0] || is_parent (parser, member));
        if ((member->name[0] != '<' && !is_part) || parser->binding->steps++ > SYMBOL_MAX_STEPS)
            continue;
        g_array_append_val (path, *member);
        if (find (parser, member->type, name, depth + 1, path)) {
            if (!best)
                best = g_array_copy (path);
            else if (!is_better (parser, best, path) && with_parts)
                symbol_parser_fail (parser, BASE_ERROR_INVALID,
                                    "\"%s\" is ambiguous in %s: several of its bases "
                                    "have it; name the base, as in BASE::%s",
                                    name, type->name, name);
            else if (!is_better (parser, best, path))
                symbol_parser_fail (parser, BASE_ERROR_INVALID,
                                    "\"%s\" is ambiguous in %s: it has that base more "
                                    "than once",
                                    name, type->name);
        }
        g_array_set_size (path, length);
    }
    if (best)
        g_array_append_vals (path, &g_array_index (best, SymbolMember, length),
                             best->len - length);
    return best != NULL;
}

/* A member by name, in the structure itself before its bases and unnamed parts. path: members to go through, from
 * the outermost. */
static gboolean
find_member_at (SymbolParser *parser, guint32 holder, const char *name, guint depth,
                GArray *path)
{
    const SymbolType *type = symbol_type_strip (parser->binding, holder);
    for (guint i = 0; type->members && depth < 12 && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        if (parser->binding->steps++ > SYMBOL_MAX_STEPS)
            return FALSE;
        if (strcmp (member->name, name) != 0)
            continue;
        g_array_append_val (path, *member);
        return TRUE;
    }
    return find_in_each (parser, type, TRUE, find_member_at, name, depth, path);
}

gboolean
symbol_find_member_path (SymbolParser *parser, guint32 holder, const char *name, GArray *path)
{
    return find_member_at (parser, holder, name, 0, path);
}

gboolean
symbol_type_is_called (const SymbolType *type, const char *wanted)
{
    g_autofree char *own = symbol_names_reduce (type->name);
    gsize length = strlen (wanted);
    return g_str_has_suffix (own, wanted)
           && (strlen (own) == length || own[strlen (own) - length - 1] == ':');
}

/* "Base::x" names the base to look in, "Derived::Base::x" leads there. */
static gboolean
find_qualified (SymbolParser *parser, guint32 holder, const char *name, guint depth,
                GArray *path)
{
    const SymbolType *type = symbol_type_strip (parser->binding, holder);
    gsize length;
    const char *last = index_find_last_component (name, &length), *rest = strstr (name, "::");
    g_autofree char *scope = g_strndup (name, last - name - 2);
    g_autofree char *wanted = symbol_names_reduce (scope);
    g_autofree char *first = rest ? g_strndup (name, (gsize) (rest - name)) : NULL;
    if (symbol_type_is_called (type, wanted))
        return find_member_at (parser, holder, last, 0, path);
    if (first && rest + 2 < last && symbol_type_is_called (type, first)
        && find_in_each (parser, type, FALSE, find_qualified, rest + 2, depth, path))
        return TRUE;
    return find_in_each (parser, type, FALSE, find_qualified, name, depth, path);
}

/* "B<int>::i" of "Bint::i", where Bint is a typedef. NULL: it begins with none. */
static char *
dup_real_scope (SymbolParser *parser, const char *name)
{
    const char *rest = strstr (name, "::");
    g_autofree char *first = rest && rest > name ? g_strndup (name, (gsize) (rest - name))
                                                 : NULL;
    SymbolDie die;
    if (!first || !symbol_parser_is_cxx (parser)
        || !symbol_scope_find_type (parser->binding, first, 0, &die)
        || die.tag != DW_TAG_typedef)
        return NULL;
    guint32 type = symbol_type_build (parser->binding, die.offset);
    return g_strconcat (symbol_type_strip (parser->binding, type)->name, rest, NULL);
}

gboolean
symbol_find_qualified_path (SymbolParser *parser, guint32 holder, const char *name,
                            GArray *path)
{
    if (find_qualified (parser, holder, name, 0, path))
        return TRUE;
    g_autofree char *real = dup_real_scope (parser, name);
    return real && find_qualified (parser, holder, real, 0, path);
}
