/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows the words of C's expressions: names, literals, registers and the names of types. */
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
    g_autofree char *text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    parser->error = g_error_new_literal (BASE_ERROR, code, text);
}

void
symbol_parser_fail_here (SymbolParser *parser, const char *missing)
{
    g_autofree char *read = g_strchomp (g_strndup (parser->text, (gsize) (parser->at - parser->text)));
    const char *what = missing ? missing : "a value";

    symbol_parser_skip_space (parser);
    if (*parser->at && missing)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: %s expected at \"%s\"",
                            what, parser->at);
    else if (*parser->at)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: unexpected \"%s\"",
                            parser->at);
    else if (!*read)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: it is empty");
    else
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: %s is missing after \"%s\"", what, read);
}

SymbolNode
symbol_parser_new_node (guint32 type)
{
    return (SymbolNode) { type, FALSE, 0, g_byte_array_new () };
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
    return c == '_' || g_ascii_isalpha (c) || (guint8) c >= 128 || (!first &&
        g_ascii_isdigit (c));
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
    while (symbol_parser_is_word (*end, end == first) ||
           (end > first && end[0] == ':' && end[1] == ':' &&
            (symbol_parser_is_word (end[2], TRUE) || end[2] == '~'))) {
        gboolean colons = *end == ':';
        end += colons ? 2 + (end[2] == '~') : 1;
        const char *bracket = end;
        while (*bracket == ' ')
            bracket++;
        if (!colons && templates && *bracket == '<' && bracket[1] != '<' && bracket[1] != '=')
            end = skip_arguments (parser, start, bracket) == bracket
                      ? end : skip_arguments (parser, start, bracket);
    }
    if (end == first)
        return NULL;
    parser->at = end;
    return g_strndup (start, end - start);
}

guint32
symbol_parser_get_int (SymbolParser *parser)
{
    return symbol_type_get_basic (parser->binding, INDEX_TYPE_SIGNED, 4, "int");
}

guint32
symbol_parser_get_long (SymbolParser *parser, gboolean with_sign)
{
    return with_sign ? symbol_type_get_basic (parser->binding, INDEX_TYPE_SIGNED, 8, "long")
                     : symbol_type_get_basic (parser->binding, INDEX_TYPE_UNSIGNED, 8,
                                              "unsigned long");
}

SymbolNode
symbol_parser_make_integer (SymbolParser *parser, guint32 type, gint64 value)
{
    SymbolNode node = symbol_parser_new_node (type);
    node.is_constant = TRUE;
    node.constant = value;
    symbol_code_put_op (node.code, INDEX_OP_CONSTANT, type);
    symbol_code_put_sleb (node.code, value);
    return node;
}

static SymbolNode
make_bytes (guint32 type, const void *bytes, gsize size)
{
    SymbolNode node = symbol_parser_new_node (type);
    symbol_code_put_op (node.code, INDEX_OP_BYTES, type);
    base_bytes_put_uleb (node.code, size);
    g_byte_array_append (node.code, bytes, size);
    return node;
}

gboolean
symbol_parser_is_fortran (const SymbolParser *parser)
{
    return parser->binding->unit && parser->binding->unit->language == JOB_LANGUAGE_FORTRAN;
}

/* "_8" behind a number of Fortran: its kind; 0 without. */
static guint64
take_kind (SymbolParser *parser)
{
    char *end;
    if (!symbol_parser_is_fortran (parser) || *parser->at != '_' || !g_ascii_isdigit (parser->at[1]))
        return 0;
    guint64 kind = g_ascii_strtoull (parser->at + 1, &end, 10);
    parser->at = end;
    return kind;
}

SymbolNode
symbol_parser_parse_number (SymbolParser *parser)
{
    const char *start = parser->at;
    char *end, *real_end;
    gboolean hexadecimal = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    gboolean binary = start[0] == '0' && (start[1] == 'b' || start[1] == 'B');
    guint64 value = binary ? g_ascii_strtoull (start + 2, &end, 2)
                           : g_ascii_strtoull (start, &end, 0);
    double real = hexadecimal || binary ? 0 : g_ascii_strtod (start, &real_end);
    gboolean is_double = symbol_parser_is_fortran (parser) && !hexadecimal && !binary &&
                         (*real_end == 'd' || *real_end == 'D');
    if (is_double) {
        g_autofree char *text = g_strdup (start);
        text[real_end - start] = 'e';
        real = g_ascii_strtod (text, &real_end);
        real_end = (char *) start + (real_end - text);
    }
    if (!hexadecimal && !binary && (real_end > end || is_double)) {
        gboolean single = *real_end == 'f' || *real_end == 'F';
        parser->at = real_end + (single || *real_end == 'l' || *real_end == 'L');
        if (take_kind (parser) == 4)
            single = TRUE;
        float narrow = (float) real;
        if (single)
            return make_bytes (symbol_type_get_basic (parser->binding, INDEX_TYPE_FLOAT, 4, "float"),
                               &narrow, 4);
        return make_bytes (symbol_type_get_basic (parser->binding, INDEX_TYPE_FLOAT, 8,
                                                  "double"),
                           &real, 8);
    }
    gboolean without_sign = FALSE, is_long = FALSE;
    for (; *end && strchr ("uUlL", *end); end++) {
        without_sign |= *end == 'u' || *end == 'U';
        is_long |= *end == 'l' || *end == 'L';
    }
    parser->at = end;
    gboolean is_wide = end > start && take_kind (parser) == 8;
    end = (char *) parser->at;
    if (end == start || symbol_parser_is_word (*end, FALSE))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: invalid number \"%s\"", start);
    if (is_wide)
        return symbol_parser_make_integer (parser, symbol_parser_get_long (parser, TRUE), value);
    if (!is_long && !without_sign && value <= G_MAXINT32)
        return symbol_parser_make_integer (parser, symbol_parser_get_int (parser), value);
    if (!is_long && (without_sign || hexadecimal) && value <= G_MAXUINT32)
        return symbol_parser_make_integer (parser, symbol_type_get_basic (parser->binding,
            INDEX_TYPE_UNSIGNED,
                                                            4, "unsigned int"), value);
    return symbol_parser_make_integer (parser, symbol_parser_get_long (parser,
        !without_sign && value <= G_MAXINT64), value);
}

static guint8
take_escape (SymbolParser *parser)
{
    static const char letters[] = "abtnvfre0", bytes[] = "\a\b\t\n\v\f\r\033";
    guint8 byte = *parser->at++;
    if (byte != '\\')
        return byte;
    char *end;
    if (g_ascii_isdigit (*parser->at)) {
        guint value = 0;
        for (guint i = 0; i < 3 && *parser->at >= '0' && *parser->at <= '7'; i++)
            value = value * 8 + (*parser->at++ - '0');
        return value;
    }
    if (*parser->at == 'x') {
        byte = g_ascii_strtoull (parser->at + 1, &end, 16);
        parser->at = end;
        return byte;
    }
    byte = *parser->at;
    if (byte)
        parser->at++;
    const char *found = byte ? strchr (letters, byte) : NULL;
    return found && *found != '0' ? (guint8) bytes[found - letters] : byte;
}

SymbolNode
symbol_parser_parse_text (SymbolParser *parser, char quote)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint32 character = symbol_type_get_basic (parser->binding, INDEX_TYPE_CHAR, 1, "char");
    parser->at++;
    gboolean fortran = symbol_parser_is_fortran (parser);
    while (*parser->at && (*parser->at != quote || (fortran && parser->at[1] == quote))) {
        parser->at += fortran && *parser->at == quote; /* two quotes are one */
        guint8 byte = fortran ? (guint8) *parser->at++ : take_escape (parser);
        g_byte_array_append (bytes, &byte, 1);
    }
    gboolean is_text = quote == '"' || symbol_parser_is_fortran (parser);
    if (*parser->at != quote) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: the quote (%c) is not closed", quote);
        return symbol_parser_new_node (0);
    }
    if (!is_text && bytes->len != 1) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: '' holds one character; texts stand in \"\"");
        return symbol_parser_new_node (0);
    }
    parser->at++;
    if (!is_text)
        return symbol_parser_make_integer (parser, character, (gint8) bytes->data[0]);
    if (symbol_parser_is_fortran (parser)) {
        guint32 text = symbol_type_get_array (parser->binding, character, bytes->len);
        symbol_type_get (parser->binding, text)->flags |= INDEX_TYPE_FORTRAN;
        symbol_type_get (parser->binding, text)->lower = 1;
        return make_bytes (text, bytes->data, bytes->len);
    }
    g_byte_array_append (bytes, (const guint8 *) "", 1);
    return make_bytes (symbol_type_get_array (parser->binding, character, bytes->len),
                       bytes->data, bytes->len);
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
