/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tokens of C expressions, and the errors for unexpected ones. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

void
symbol_parser_fail (SymbolParser *parser, int code, const char *format, ...)
{
    if (parser->error)
        return;
    va_list arguments;
    va_start (arguments, format);
    base_error_set_valist (&parser->error, code, format, arguments);
    va_end (arguments);
}

void
symbol_parser_fail_here (SymbolParser *parser, const char *missing)
{
    g_autofree char *read = g_strchomp (g_strndup (parser->text,
                                                   (gsize) (parser->at - parser->text)));
    const char *what = missing ? missing : "a value";

    symbol_parser_skip_space (parser);
    if (*parser->at && missing)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: %s expected at \"%s\"", what, parser->at);
    else if (*parser->at)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: unexpected \"%s\"", parser->at);
    else if (!*read)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: it is empty");
    else
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: %s is missing after \"%s\"", what, read);
}

SymbolNode
symbol_parser_new_node (guint32 type)
{
    return (SymbolNode){ .type = type, .code = g_byte_array_new () };
}

void
symbol_parser_append_code (SymbolNode *node, SymbolNode *from)
{
    g_byte_array_append (node->code, from->code->data, from->code->len);
    g_clear_pointer (&from->code, g_byte_array_unref);
}

void
symbol_parser_skip_space (SymbolParser *parser)
{
    while (g_ascii_isspace (*parser->at))
        parser->at++;
}

gboolean
symbol_parser_take (SymbolParser *parser, const char *word)
{
    symbol_parser_skip_space (parser);
    gsize length = strlen (word);
    if (strncmp (parser->at, word, length) != 0)
        return FALSE;
    parser->at += length;
    return TRUE;
}

void
symbol_parser_expect (SymbolParser *parser, const char *word)
{
    if (!symbol_parser_take (parser, word)) {
        g_autofree char *quoted = g_strdup_printf ("\"%s\"", word);

        symbol_parser_fail_here (parser, quoted);
    }
}

gboolean
symbol_parser_is_word (char c, gboolean first)
{
    return c == '_' || g_ascii_isalpha (c) || (guint8) c >= 128
           || (!first && g_ascii_isdigit (c));
}

/* Behind the template arguments at `at`, when a name with them is known; `at` itself otherwise. */
static const char *
skip_arguments (SymbolParser *parser, const char *start, const char *at)
{
    int depth = 0;
    const char *end = at;
    for (; *end; end++) {
        depth += (*end == '<' || *end == '(') - (*end == '>' || *end == ')');
        if (!depth)
            break;
    }
    if (!*end)
        return at;
    g_autofree char *name = g_strndup (start, end + 1 - start);
    return symbol_names_find (parser->binding->binder, name) ? end + 1 : at;
}

/* The operator's token behind the word `operator` that ends at `end`, if it is that. NULL: it is another name. */
static const char *
find_operator (const char *first, const char *end, const char **ret_after)
{
    static const char *const tokens[] = { "<=>", "->*", "<<=", ">>=", "()", "[]", "->", "++",
                                          "--",  "<<",  ">>",  "<=",  ">=", "==", "!=", "&&",
                                          "||",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=",
                                          "|=",  "+",   "-",   "*",   "/",  "%",  "^",  "&",
                                          "|",   "~",   "!",   "=",   "<",  ">",  "," };
    if (end - first < 8 || strncmp (end - 8, "operator", 8) != 0
        || (end - first > 8 && end[-9] != ':'))
        return NULL;
    const char *at = end + strspn (end, " ");
    for (guint i = 0; i < G_N_ELEMENTS (tokens); i++) {
        if (!g_str_has_prefix (at, tokens[i]))
            continue;
        *ret_after = at + strlen (tokens[i]);
        return tokens[i];
    }
    return NULL;
}

char *
symbol_parser_take_name (SymbolParser *parser)
{
    const SymbolUnit *unit = parser->binding->unit;
    gboolean templates = !unit || unit->language == JOB_LANGUAGE_CXX;
    symbol_parser_skip_space (parser);
    const char *start = parser->at, *end = start;
    if (end[0] == ':' && end[1] == ':' && symbol_parser_is_word (end[2], TRUE))
        end += 2;
    const char *first = end;
    while (symbol_parser_is_word (*end, end == first)
           || (end > first && end[0] == ':' && end[1] == ':'
               && (symbol_parser_is_word (end[2], TRUE) || end[2] == '~'))) {
        gboolean colons = *end == ':';
        end += colons ? 2 + (end[2] == '~') : 1;
        const char *bracket = end;
        while (*bracket == ' ')
            bracket++;
        if (!colons && templates && *bracket == '<' && bracket[1] != '<' && bracket[1] != '=')
            end = skip_arguments (parser, start, bracket) == bracket
                      ? end
                      : skip_arguments (parser, start, bracket);
    }
    if (end == first)
        return NULL;
    parser->at = end;
    const char *token = templates ? find_operator (first, end, &parser->at) : NULL;
    if (token)
        return g_strdup_printf ("%.*s%s", (int) (end - start), start, token);
    return g_strndup (start, end - start);
}

guint32
symbol_parser_get_int (SymbolParser *parser)
{
    return symbol_type_get_basic (parser->binding, EVALUATE_TYPE_SIGNED, 4, "int");
}

guint32
symbol_parser_get_long (SymbolParser *parser, gboolean with_sign)
{
    return with_sign ? symbol_type_get_basic (parser->binding, EVALUATE_TYPE_SIGNED, 8, "long")
                     : symbol_type_get_basic (parser->binding, EVALUATE_TYPE_UNSIGNED, 8,
                                              "unsigned long");
}

SymbolNode
symbol_parser_make_integer (SymbolParser *parser, guint32 type, gint64 value)
{
    SymbolNode node = symbol_parser_new_node (type);
    node.is_constant = TRUE;
    node.constant = value;
    symbol_code_put_op (node.code, EVALUATE_OP_CONSTANT, type);
    symbol_code_put_sleb (node.code, value);
    return node;
}

gboolean
symbol_parser_is_fortran (const SymbolParser *parser)
{
    return parser->binding->unit && parser->binding->unit->language == JOB_LANGUAGE_FORTRAN;
}

gboolean
symbol_parser_is_cxx (const SymbolParser *parser)
{
    return parser->binding->unit && parser->binding->unit->language == JOB_LANGUAGE_CXX;
}

static char
peek (SymbolParser *parser)
{
    symbol_parser_skip_space (parser);
    return *parser->at;
}

gboolean
symbol_parser_is_next (SymbolParser *parser, char wanted)
{
    return peek (parser) == wanted;
}
