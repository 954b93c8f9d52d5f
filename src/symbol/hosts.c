/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows procedures inside others (Fortran's after `contains`, GNU C's nested functions): the
 * host's variables are in its own frame, which the inner procedure reaches by a static link
 * (DWARF 5 section 3.3.5). */
#include "symbol/bind-private.h"
#include <glib/gi18n.h>

#define MAX_LEVELS 8

static const SymbolDie *
get_path (const SymbolBinding *binding, guint at)
{
    return &g_array_index (binding->path, SymbolDie, at);
}

static gboolean
is_procedure (const SymbolDie *die)
{
    return die->tag == DW_TAG_subprogram || die->tag == DW_TAG_inlined_subroutine;
}

/* What the entry is an instance of; itself when it is none. */
static SymbolDie
find_origin (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolDie at = *die;
    SymbolValue value;
    for (guint i = 0;
         i < MAX_LEVELS && symbol_die_get (dwarf, &at, DW_AT_abstract_origin, &value)
         && value.kind == SYMBOL_VALUE_REFERENCE;
         i++)
        if (!symbol_die_find (dwarf, value.number, &at))
            return *die;
    return at;
}

static gboolean
is_host (const SymbolDwarf *dwarf, const SymbolDie *outer, const SymbolDie *inner)
{
    SymbolDie host = find_origin (dwarf, outer), at = find_origin (dwarf, inner);
    for (guint i = 0; i < MAX_LEVELS && symbol_names_find_parent (dwarf, &at, &at); i++)
        if (at.offset == host.offset)
            return TRUE;
    return FALSE;
}

gboolean
symbol_host_find (SymbolBinding *binding, const char *name,
                  gboolean (*accept) (guint32, guint32), guint32 wanted, SymbolDie *ret_die)
{
    for (guint i = binding->head; i-- > 0 && binding->head < binding->end;) {
        const SymbolDie *outer = get_path (binding, i),
                        *inner = get_path (binding, binding->head);
        gboolean around = is_procedure (outer) ? is_host (binding->dwarf, outer, inner)
                                               : inner->tag == DW_TAG_subprogram;
        if (around && symbol_scope_find_child (binding, outer, name, accept, wanted, ret_die))
            return TRUE;
    }
    return FALSE;
}

static gboolean
contains (const SymbolDwarf *dwarf, const SymbolDie *outer, const SymbolDie *inner)
{
    SymbolDie next;
    if (inner->unit != outer->unit || inner->offset <= outer->offset)
        return FALSE;
    return symbol_die_next (dwarf, outer, &next) ? inner->offset < next.offset
                                                 : is_host (dwarf, outer, inner);
}

/* The place in the path of the procedure that is running (not inlined), or of the one that has die
 * among what is its own; G_MAXUINT without. */
static guint
find_level (const SymbolBinding *binding, const SymbolDie *die)
{
    for (guint i = binding->path->len; i-- > 0;)
        if (get_path (binding, i)->tag == DW_TAG_subprogram
            && (!die || contains (binding->dwarf, get_path (binding, i), die)))
            return i;
    return G_MAXUINT;
}

/* gcc gathers what inner procedures use in one object of the host's frame: where it is from the frame
 * base, by the places of its members. FALSE: nothing shows it. */
static gboolean
find_shared (const SymbolDwarf *dwarf, const SymbolDie *host, gint64 *ret_offset)
{
    SymbolDie die;
    SymbolValue value;
    gboolean found = FALSE;
    if (!symbol_die_first_child (dwarf, host, &die))
        return FALSE;
    do {
        if ((die.tag != DW_TAG_variable && die.tag != DW_TAG_formal_parameter)
            || !symbol_die_get (dwarf, &die, DW_AT_location, &value)
            || value.kind != SYMBOL_VALUE_BLOCK)
            continue;
        BaseCursor cursor = BASE_CURSOR_INIT (value.block, value.size);
        guint op = base_cursor_read_u8 (&cursor);
        gint64 offset = op == DW_OP_fbreg ? base_cursor_read_sleb (&cursor) : 0;
        if (op != DW_OP_fbreg || base_cursor_read_u8 (&cursor) != DW_OP_plus_uconst
            || cursor.failed)
            continue;
        if (found && offset != *ret_offset)
            return FALSE;
        *ret_offset = offset;
        found = TRUE;
    } while (symbol_die_next (dwarf, &die, &die));
    return found;
}

static void
put_op (GByteArray *out, guint8 op)
{
    g_byte_array_append (out, &op, 1);
}

static void
put_jump (GByteArray *out, guint8 op, gsize by)
{
    guint16 bytes = GUINT16_TO_LE ((guint16) by);
    put_op (out, op);
    g_byte_array_append (out, (const guint8 *) &bytes, sizeof bytes);
}

/* The shared object's address is on the stack; its member at `link` says the host's frame base. gfortran
 * leaves that 0: then it is `shared` below the object. */
static void
put_link (GByteArray *out, guint64 link, gint64 shared)
{
    g_autoptr (GByteArray) otherwise = g_byte_array_new ();
    put_op (otherwise, DW_OP_drop);
    put_op (otherwise, DW_OP_consts);
    symbol_code_put_sleb (otherwise, shared);
    put_op (otherwise, DW_OP_minus);
    put_jump (otherwise, DW_OP_skip, 2);
    put_op (out, DW_OP_dup);
    put_op (out, DW_OP_plus_uconst);
    base_bytes_put_uleb (out, link);
    put_op (out, DW_OP_deref);
    put_op (out, DW_OP_dup);
    put_jump (out, DW_OP_bra, otherwise->len);
    g_byte_array_append (out, otherwise->data, otherwise->len);
    put_op (out, DW_OP_swap);
    put_op (out, DW_OP_drop);
}

/* The frame base of the host, by its frame among the callers'. FALSE: it is not counted from the CFA, or its code
 * is in several pieces. */
static gboolean
put_caller (const SymbolBinding *binding, const SymbolDie *host, GByteArray *out)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    SymbolValue value;
    symbol_die_read_ranges (binding->dwarf, host, ranges);
    if (ranges->len != 1 || !symbol_die_get (binding->dwarf, host, DW_AT_frame_base, &value)
        || value.kind != SYMBOL_VALUE_BLOCK || value.size != 1
        || value.block[0] != DW_OP_call_frame_cfa)
        return FALSE;
    const SymbolRange *range = &g_array_index (ranges, SymbolRange, 0);
    put_op (out, EVALUATE_LOCATION_CALLER);
    base_bytes_put_uleb (out, range->low);
    base_bytes_put_uleb (out, range->high - range->low);
    return TRUE;
}

/* The object's member at `link`, of an object whose address is on the stack; where that is 0, as gfortran leaves it,
 * what the host's frame says. */
static void
put_link_or_caller (const SymbolBinding *binding, const SymbolDie *host, guint64 link,
                    GByteArray *out)
{
    g_autoptr (GByteArray) otherwise = g_byte_array_new ();
    put_op (otherwise, DW_OP_drop);
    put_op (out, DW_OP_plus_uconst);
    base_bytes_put_uleb (out, link);
    put_op (out, DW_OP_deref);
    if (!put_caller (binding, host, otherwise))
        return;
    put_op (out, DW_OP_dup);
    put_jump (out, DW_OP_bra, otherwise->len);
    g_byte_array_append (out, otherwise->data, otherwise->len);
}

/* The frame base of the host of `inner`, whose own is `base`, by the static link: a place in the frame,
 * the address there, and a word at that. FALSE: it is written otherwise. */
static gboolean
put_host_base (SymbolBinding *binding, const SymbolDie *inner, const SymbolDie *host,
               const GByteArray *base, GByteArray *out)
{
    SymbolValue value;
    gint64 shared = 0;
    if (!symbol_die_get (binding->dwarf, inner, DW_AT_static_link, &value)
        || value.kind != SYMBOL_VALUE_BLOCK || !base->len || base->data[0] < DW_OP_breg0)
        return FALSE;
    BaseCursor cursor = BASE_CURSOR_INIT (value.block, value.size);
    if (base_cursor_read_u8 (&cursor) != DW_OP_fbreg)
        return FALSE;
    g_byte_array_append (out, base->data, base->len);
    put_op (out, DW_OP_consts);
    symbol_code_put_sleb (out, base_cursor_read_sleb (&cursor));
    put_op (out, DW_OP_plus);
    if (base_cursor_read_u8 (&cursor) != DW_OP_deref
        || base_cursor_read_u8 (&cursor) != DW_OP_plus_uconst)
        return FALSE;
    put_op (out, DW_OP_deref);
    guint64 link = base_cursor_read_uleb (&cursor);
    if (base_cursor_read_u8 (&cursor) != DW_OP_deref || cursor.failed
        || base_cursor_get_left (&cursor))
        return FALSE;
    if (find_shared (binding->dwarf, host, &shared)) {
        put_link (out, link, shared);
    } else {
        put_link_or_caller (binding, host, link, out);
    }
    return TRUE;
}

gboolean
symbol_host_find_base (SymbolBinding *binding, const SymbolDie *die, GByteArray *base)
{
    guint running = find_level (binding, NULL), owner = find_level (binding, die);
    if (owner == G_MAXUINT
        && binding->holder.offset) /* a type, which stands outside procedures */
        owner = find_level (binding, &binding->holder);
    g_byte_array_append (base, binding->frame_base, binding->frame_base_size);
    if (running == G_MAXUINT || owner == G_MAXUINT || owner >= running)
        return TRUE;
    for (guint at = running, next; at > owner; at = next) {
        g_autoptr (GByteArray) outer = g_byte_array_new ();
        for (next = at - 1; next > owner && get_path (binding, next)->tag != DW_TAG_subprogram;)
            next--;
        if (!put_host_base (binding, get_path (binding, at), get_path (binding, next), base,
                            outer)) {
            g_byte_array_set_size (
                outer, 0); /* it uses nothing of its host's, so that there is no link */
            if (!put_caller (binding, get_path (binding, next), outer))
                return FALSE;
        }
        g_byte_array_set_size (base, 0);
        g_byte_array_append (base, outer->data, outer->len);
    }
    return TRUE;
}

char *
symbol_host_describe (SymbolBinding *binding, const SymbolDie *die)
{
    guint running = find_level (binding, NULL), owner = find_level (binding, die);
    if (running == G_MAXUINT || owner == G_MAXUINT || owner >= running)
        return NULL;
    const char *name = symbol_die_get_name (binding->dwarf, get_path (binding, owner));
    return name != NULL ? g_strconcat (N_ ("<known only in the frame of %s>"),
                                       EVALUATE_PROBLEM_ARGUMENT, name, NULL)
                        : g_strdup (N_ ("<known only in the frame of its procedure>"));
}

static gboolean
is_reference (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    SymbolDie type;
    SymbolValue value;
    return symbol_die_get (dwarf, die, DW_AT_type, &value)
           && value.kind == SYMBOL_VALUE_REFERENCE
           && symbol_die_find (dwarf, value.number, &type) && type.tag == DW_TAG_reference_type;
}

static gboolean
is_length (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    return die->tag == DW_TAG_formal_parameter
           && symbol_die_get_number (dwarf, die, DW_AT_artificial, 0)
           && g_strcmp0 (symbol_die_get_name (dwarf, die), "vla") == 0
           && !is_reference (dwarf, die);
}

guint
symbol_host_find_lengths (SymbolBinding *binding, const SymbolDie *die, SymbolDie *ret_lengths,
                          guint max)
{
    guint owner = find_level (binding, die), n = 0;
    SymbolDie at;
    if (die->tag != DW_TAG_formal_parameter || owner == G_MAXUINT
        || is_length (binding->dwarf, die)
        || !symbol_die_first_child (binding->dwarf, get_path (binding, owner), &at))
        return 0;
    while (at.offset < die->offset) {
        if (!is_length (binding->dwarf, &at))
            n = 0;
        else if (n == max)
            return 0;
        else
            ret_lengths[n++] = at;
        if (!symbol_die_next (binding->dwarf, &at, &at))
            return 0;
    }
    return at.offset == die->offset ? n : 0;
}

/* ---- what clang makes of OpenMP's directives ---- */

/* clang marks the copies that regions have of the program's variables as its own. */
static gboolean
is_copy (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    const char *name = die->tag == DW_TAG_variable
                               && symbol_die_get_number (dwarf, die, DW_AT_artificial, 0)
                           ? symbol_die_get_name (dwarf, die)
                           : NULL;
    return name && g_ascii_isalpha (name[0]);
}

gboolean
symbol_host_find_copy (const SymbolDwarf *dwarf, const SymbolDie *die, SymbolDie *ret_copy)
{
    const char *name = symbol_die_get_name (dwarf, die);
    if (die->tag != DW_TAG_formal_parameter || die->unit->language == JOB_LANGUAGE_FORTRAN
        || !name)
        return FALSE;
    *ret_copy = *die;
    while (symbol_die_next (dwarf, ret_copy, ret_copy))
        if (is_copy (dwarf, ret_copy)
            && strcmp (symbol_die_get_name (dwarf, ret_copy), name) == 0)
            return TRUE;
    return FALSE;
}

gboolean
symbol_host_is_initial (const SymbolDwarf *dwarf, const SymbolDie *die)
{
    gboolean is_behind = FALSE, found = FALSE;
    SymbolValue value;
    SymbolDie at;
    if (die->unit->language == JOB_LANGUAGE_FORTRAN || !is_copy (dwarf, die)
        || !symbol_die_get (dwarf, die, DW_AT_location, &value)
        || value.kind != SYMBOL_VALUE_BLOCK || !symbol_names_find_parent (dwarf, die, &at)
        || !symbol_die_first_child (dwarf, &at, &at))
        return FALSE;
    do {
        const char *name = symbol_die_get_name (dwarf, &at);
        found |= at.offset == die->offset;
        if (found && !is_behind)
            return FALSE;
        if (is_copy (dwarf, &at))
            continue;
        if (found)
            return g_strcmp0 (name, ".omp.lb") == 0 || g_strcmp0 (name, ".omp.iv") == 0;
        is_behind = g_strcmp0 (name, ".capture_expr.") == 0;
    } while (symbol_die_next (dwarf, &at, &at));
    return FALSE;
}
