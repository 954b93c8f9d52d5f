/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a text is an expression, a type name, or an object to show with its dynamic
 * type. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

/* "\001CLASS\001expression": the object whose vtable says that it is a CLASS. */
static char *
take_whole (SymbolParser *parser)
{
    const char *end = parser->at[0] == 1 ? strchr (parser->at + 1, 1) : NULL;
    if (!end)
        return NULL;
    char *name = g_strndup (parser->at + 1, end - parser->at - 1);
    parser->at = end + 1;
    return name;
}

/* Virtual ones count. */
static gboolean
has_base (SymbolBinding *binding, guint32 from, guint32 to, guint depth)
{
    const SymbolType *type = symbol_type_strip (binding, from),
                     *wanted = symbol_type_strip (binding, to);
    if (type == wanted || (type->die && type->die == wanted->die))
        return TRUE;
    if (depth > 20 || binding->steps++ > SYMBOL_MAX_STEPS)
        return FALSE;
    for (guint i = 0; type->members && i < type->members->len; i++) {
        const SymbolMember *member = &g_array_index (type->members, SymbolMember, i);
        if (member->name[0] == '<' && has_base (binding, member->type, to, depth + 1))
            return TRUE;
    }
    return FALSE;
}

static void
emit_whole (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolDie die;
    if (!symbol_scope_find_type (parser->binding, name, DW_TAG_structure_type, &die)) {
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no type \"%s\"", name);
        return;
    }
    guint32 whole = symbol_type_build (parser->binding, die.offset);
    if (!has_base (parser->binding, whole, node->type, 0)) {
        /* a destructor: what the object still is, is less than what is known of it */
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "the value is not part of a %s",
                            name);
        return;
    }
    node->type = whole;
    symbol_code_put_op (node->code, EVALUATE_OP_WHOLE, node->type);
}

gboolean
symbol_expression_parse_type (SymbolBinding *binding, const char *text, guint32 *ret_type)
{
    SymbolParser parser = { .binding = binding, .at = text, .text = text };
    gboolean good = symbol_parser_take_type (&parser, ret_type) && !parser.error;
    symbol_parser_skip_space (&parser);
    good = good && !*parser.at;
    g_clear_error (&parser.error);
    return good;
}

/* C++ has words for some operators. Caller owns. */
static char *
rewrite_words (const char *text)
{
    static const char *const words[][2]
        = { { "and", "&&" },    { "or", "||" },    { "not", "!" },    { "not_eq", "!=" },
            { "bitand", "&" },  { "bitor", "|" },  { "xor", "^" },    { "compl", "~" },
            { "and_eq", "&=" }, { "or_eq", "|=" }, { "xor_eq", "^=" } };
    GString *result = g_string_new (NULL);
    for (char quote = 0; *text;) {
        gsize length = 0;
        while (symbol_parser_is_word (text[length], FALSE))
            length++;
        guint i = 0;
        while (length && i < G_N_ELEMENTS (words)
               && (strlen (words[i][0]) != length || strncmp (text, words[i][0], length) != 0))
            i++;
        if (length && !quote && i < G_N_ELEMENTS (words))
            g_string_append_printf (result, " %s ", words[i][1]);
        else
            g_string_append_len (result, text, length ? (gssize) length : 1);
        if (!length && quote && *text == '\\' && text[1])
            g_string_append_c (result, *++text);
        else if (!length && (quote ? *text == quote : *text == '\'' || *text == '"'))
            quote = quote ? 0 : *text;
        text += MAX (length, 1);
    }
    return g_string_free (result, FALSE);
}

gboolean
symbol_expression_parse (SymbolBinding *binding, const char *text, SymbolNode *ret_node,
                         GError **error)
{
    gboolean fortran = binding->unit && binding->unit->language == JOB_LANGUAGE_FORTRAN;
    const char *mark = strchr (text, EVALUATE_KEPT_MARK);
    g_autofree char *plain = mark ? g_strndup (text, (gsize) (mark - text)) : g_strdup (text);
    gboolean is_cxx = binding->unit && binding->unit->language == JOB_LANGUAGE_CXX;
    g_autofree char *rewritten = fortran  ? symbol_fortran_rewrite (plain)
                                 : is_cxx ? rewrite_words (plain)
                                          : NULL;
    const char *source = rewritten ? rewritten : plain;
    binding->kept = mark ? mark + 1 : NULL;
    SymbolParser parser = { .binding = binding, .at = source, .text = source };
    g_autofree char *whole = take_whole (&parser);
    SymbolNode node = fortran ? symbol_parse_assignment (&parser)
                              : symbol_parse_comma (&parser);
    if (whole && !parser.error)
        emit_whole (&parser, &node, whole);
    symbol_parser_skip_space (&parser);
    if (*parser.at)
        symbol_parser_fail_here (&parser, NULL);
    if (parser.error) {
        g_byte_array_unref (node.code);
        g_propagate_error (error, parser.error);
        return FALSE;
    }
    *ret_node = node;
    return TRUE;
}
