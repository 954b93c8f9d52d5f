/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses functions written with their parameter types, which select C++ overloads:
 * "S::method(int) const". */
#include <string.h>

#include "base/error.h"
#include "job/where.h"
#include "symbol/calls-private.h"

/* What stands between the brackets, and behind them. */
typedef struct {
    GArray *types;      /* of guint32 */
    guint qualifiers;   /* of the object: 1 const, 2 volatile */
    gboolean has_words; /* types, `void` or qualifiers were written */
} Written;

static void
take_qualifiers (SymbolParser *parser, Written *written)
{
    static const char *const words[] = { "const", "volatile" };
    for (guint i = 0; i < 2 * G_N_ELEMENTS (words); i++) {
        const char *word = words[i % 2];
        symbol_parser_skip_space (parser);
        if (!g_str_has_prefix (parser->at, word)
            || symbol_parser_is_word (parser->at[strlen (word)], FALSE))
            continue;
        parser->at += strlen (word);
        written->qualifiers |= 1u << i % 2;
        written->has_words = TRUE;
    }
}

/* FALSE: these are no types. */
static gboolean
take_types (SymbolParser *parser, Written *written)
{
    guint32 type;
    if (!symbol_parser_take (parser, "("))
        return FALSE;
    if (symbol_parser_take (parser, ")"))
        return TRUE;
    do {
        if (parser->error || !symbol_parser_take_type (parser, &type))
            return FALSE;
        g_array_append_val (written->types, type);
    } while (symbol_parser_take (parser, ","));
    written->has_words = TRUE;
    if (written->types->len == 1 && !g_array_index (written->types, guint32, 0)) /* (void) */
        g_array_set_size (written->types, 0);
    return !parser->error && symbol_parser_take (parser, ")");
}

/* Behind a function's name. A call has values, or nothing, between its brackets. FALSE and nothing taken: it is
 * a call, or nothing of the kind. */
static gboolean
take_written (SymbolParser *parser, gboolean is_quoted, Written *written)
{
    const char *before = parser->at;
    if (!parser->error && take_types (parser, written)) {
        take_qualifiers (parser, written);
        symbol_parser_skip_space (parser);
        if (is_quoted || written->has_words
            || (g_str_has_prefix (parser->at, "::")
                && symbol_parser_is_word (parser->at[2], TRUE)))
            return TRUE;
    }
    g_clear_error (&parser->error);
    parser->at = before;
    return FALSE;
}

static gboolean
is_as_written (SymbolParser *parser, const SymbolDie *function, const Written *written)
{
    SymbolBinding *binding = parser->binding;
    g_autoptr (GArray) parameters = NULL;
    SymbolParameters own;
    guint qualifiers = 0;
    symbol_parameters_read (parser, function, &own);
    parameters = own.parameters;
    if (parameters->len != written->types->len)
        return FALSE;
    for (guint i = 0; i < parameters->len; i++) {
        guint32 type = symbol_type_build_of (binding,
                                             &g_array_index (parameters, SymbolDie, i));
        if (!symbol_is_same_type (binding, type, g_array_index (written->types, guint32, i)))
            return FALSE;
    }
    symbol_find_object_qualifiers (binding, function, &qualifiers);
    return qualifiers == written->qualifiers;
}

/* One of that name, the more with code. */
static gboolean
find_written (SymbolParser *parser, const char *name, const Written *written,
              SymbolDie *ret_die)
{
    SymbolBinding *binding = parser->binding;
    const GArray *list = symbol_names_find (binding->binder, name);
    g_autofree char *reduced = symbol_names_reduce (name);
    const char *wanted = g_str_has_prefix (reduced, "::") ? reduced + 2 : reduced;
    gboolean found = FALSE;
    guint64 address;
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (!symbol_die_find (binding->dwarf, g_array_index (list, guint64, i), &die)
            || die.tag != DW_TAG_subprogram)
            continue;
        g_autofree char *whole = symbol_names_dup_qualified (binding->binder, &die);
        g_autofree char *own = symbol_names_reduce (whole ? whole : "");
        gboolean has_code = symbol_find_code (binding, &die, &address);
        if (!job_where_match_function (wanted, own) || (found && !has_code)
            || !is_as_written (parser, &die, written))
            continue;
        *ret_die = die;
        found = TRUE;
        if (has_code)
            break;
    }
    return found;
}

gboolean
symbol_parse_signature (SymbolParser *parser, const char *name, gboolean is_quoted,
                        SymbolDie *ret_die)
{
    const char *start;
    Written written = { .types = NULL };
    g_autoptr (GArray) types = NULL;
    if (!symbol_parser_is_cxx (parser) || !symbol_parser_is_next (parser, '('))
        return FALSE;
    start = parser->at;
    types = written.types = g_array_new (FALSE, FALSE, sizeof (guint32));
    if (!take_written (parser, is_quoted, &written))
        return FALSE;
    if (!find_written (parser, name, &written, ret_die)) {
        g_autofree char *all = g_strdup_printf ("%s%.*s", name, (int) (parser->at - start),
                                                start);
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "no function \"%s\"", all);
    }
    return TRUE;
}
