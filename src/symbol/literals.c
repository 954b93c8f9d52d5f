/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses literals: numbers of all kinds, characters, texts, {1, 2}. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/real.h"
#include "evaluate/decimal.h"
#include "symbol/parser-private.h"

static SymbolNode
make_bytes (guint32 type, const void *bytes, gsize size)
{
    SymbolNode node = symbol_parser_new_node (type);
    symbol_code_put_op (node.code, EVALUATE_OP_BYTES, type);
    base_bytes_put_uleb (node.code, size);
    g_byte_array_append (node.code, bytes, size);
    return node;
}

/* "_8" behind a number of Fortran: its kind; 0 without. */
static guint64
take_kind (SymbolParser *parser)
{
    char *end;
    if (!symbol_parser_is_fortran (parser) || *parser->at != '_'
        || !g_ascii_isdigit (parser->at[1]))
        return 0;
    guint64 kind = g_ascii_strtoull (parser->at + 1, &end, 10);
    parser->at = end;
    return kind;
}

/* Nothing of a word may follow. */
static gboolean
take_suffix (SymbolParser *parser, const char *word)
{
    gsize length = strlen (word);
    if (g_ascii_strncasecmp (parser->at, word, length) != 0
        || symbol_parser_is_word (parser->at[length], FALSE))
        return FALSE;
    parser->at += length;
    return TRUE;
}

enum { QUAD = 17 }; /* in place of a size: 16 bytes of IEEE's binary128 */

/* size: 4 float, 8 double, 16 long double, or QUAD. */
static SymbolNode
make_real (SymbolParser *parser, const char *digits, guint64 size, gboolean is_imaginary)
{
    gboolean is_quad = size == QUAD;
    gsize width = is_quad ? 16 : size;
    guint8 bytes[32] = { 0 }, *at = bytes + (is_imaginary ? width : 0);
    float narrow = strtof (digits, NULL);
    double twice = g_ascii_strtod (digits, NULL);
    long double extended = strtold (digits, NULL);
    BaseReal quad = base_real_parse (digits);
    if (is_quad && !BASE_REAL_IS_QUAD)
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "this pddt cannot compute with numbers of 128 bits");
    memcpy (at,
            is_quad     ? (void *) &quad
            : size == 4 ? (void *) &narrow
            : size == 8 ? (void *) &twice
                        : (void *) &extended,
            width == 16 && LDBL_MANT_DIG == 64 && !is_quad ? 10 : width);
    return is_imaginary
               ? make_bytes (symbol_parser_get_complex (parser, width, is_quad), bytes,
                             2 * width)
               : make_bytes (symbol_parser_get_real (parser, width, is_quad), bytes, width);
}

/* Of Fortran: "_8"; C's q and f128 say the same as its _16. 0: nothing is said. */
static guint64
take_real_kind (SymbolParser *parser)
{
    const char *const *words = symbol_parser_is_fortran (parser)
                                   ? NULL
                                   : (const char *const[]){ "q", "f128", NULL };
    guint64 kind = take_kind (parser);
    for (guint i = 0; words && words[i]; i++)
        if (take_suffix (parser, words[i]))
            return QUAD;
    return kind == 10 ? 16 : kind == 16 ? QUAD : kind;
}

/* "1.2df", "1e3dd", "5.dl". FALSE and nothing taken: no such suffix follows. */
static gboolean
take_decimal (SymbolParser *parser, const char *start, SymbolNode *node)
{
    g_autofree char *text = g_strndup (start, (gsize) (parser->at - start));
    guint8 bytes[16];
    guint64 size = take_suffix (parser, "df")   ? 4
                   : take_suffix (parser, "dd") ? 8
                   : take_suffix (parser, "dl") ? 16
                                                : 0;
    if (!size || !evaluate_decimal_parse (text, size, bytes))
        return FALSE;
    *node = make_bytes (symbol_parser_get_decimal (parser, size), bytes, size);
    return TRUE;
}

/* 0x1.8p6; without an exponent an f at the end is no digit. NULL: it is none. Caller owns. */
static char *
take_hexadecimal_real (SymbolParser *parser)
{
    const char *start = parser->at, *at = start + 2;
    gboolean has_point, has_exponent;
    while (g_ascii_isxdigit (*at))
        at++;
    has_point = *at == '.';
    for (at += has_point; has_point && g_ascii_isxdigit (*at); at++)
        ;
    has_exponent = (*at == 'p' || *at == 'P')
                   && g_ascii_isdigit (at[1 + (at[1] == '+' || at[1] == '-')]);
    if (has_exponent) {
        at += 1 + (at[1] == '+' || at[1] == '-');
        while (g_ascii_isdigit (*at))
            at++;
    } else if (has_point && (at[-1] == 'f' || at[-1] == 'F')) {
        at--;
    }
    if (!has_point && !has_exponent)
        return NULL;
    parser->at = at;
    return g_strndup (start, (gsize) (at - start));
}

/* The digits have been taken: what they are by the suffix. */
static SymbolNode
finish_real (SymbolParser *parser, const char *start, const char *digits)
{
    gboolean is_fortran = symbol_parser_is_fortran (parser), is_imaginary = FALSE;
    guint64 size = 8;
    SymbolNode node;
    if (!is_fortran && digits[1] != 'x' && digits[1] != 'X'
        && take_decimal (parser, start, &node))
        return node;
    guint64 kind = take_real_kind (parser);
    if (kind && kind != 4 && kind != 8 && kind != 16 && kind != QUAD)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "cannot read expression: no such kind");
    if (kind)
        size = kind;
    else if (take_suffix (parser, "f"))
        size = 4;
    else if (take_suffix (parser, "l"))
        size = 16;
    else if (!is_fortran
             && (take_suffix (parser, "i") || take_suffix (parser, "fi")
                 || take_suffix (parser, "li"))) {
        char letter = g_ascii_tolower (parser->at[-2]);
        is_imaginary = TRUE;
        size = letter == 'f' ? 4 : letter == 'l' ? 16 : 8;
    }
    return make_real (parser, digits, size, is_imaginary);
}

static SymbolNode
make_imaginary (SymbolParser *parser, guint64 value, gboolean is_long, gboolean with_sign)
{
    guint8 bytes[16] = { 0 };
    gsize half = is_long || value > (with_sign ? G_MAXINT32 : G_MAXUINT32) ? 8 : 4;
    memcpy (bytes + half, &value, half);
    return make_bytes (symbol_parser_get_whole_complex (parser, half, with_sign), bytes,
                       2 * half);
}

static SymbolNode
parse_integer (SymbolParser *parser, guint64 value, gboolean fits, gboolean is_hexadecimal,
               char *end)
{
    const char *start = parser->at;
    gboolean without_sign = FALSE, is_long = FALSE;
    for (; *end && strchr ("uUlL", *end); end++) {
        without_sign |= *end == 'u' || *end == 'U';
        is_long |= *end == 'l' || *end == 'L';
    }
    parser->at = end;
    gboolean is_wide = end > start && take_kind (parser) == 8;
    if (end > start && !symbol_parser_is_fortran (parser) && take_suffix (parser, "i"))
        return make_imaginary (parser, value, is_long, !without_sign);
    end = (char *) parser->at;
    if (end == start || symbol_parser_is_word (*end, FALSE))
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: invalid number \"%s\"", start);
    if (!fits) {
        g_autofree char *digits = g_strndup (start, (gsize) (end - start));
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: the number %s is too large", digits);
    }
    if (is_wide)
        return symbol_parser_make_integer (parser,
                                           symbol_type_get_basic (parser->binding,
                                                                  EVALUATE_TYPE_SIGNED, 8,
                                                                  "integer(kind=8)"),
                                           value);
    if (!is_long && !without_sign && value <= G_MAXINT32)
        return symbol_parser_make_integer (parser, symbol_parser_get_int (parser), value);
    if (!is_long && (without_sign || is_hexadecimal) && value <= G_MAXUINT32)
        return symbol_parser_make_integer (parser,
                                           symbol_type_get_basic (parser->binding,
                                                                  EVALUATE_TYPE_UNSIGNED, 4,
                                                                  "unsigned int"),
                                           value);
    return symbol_parser_make_integer (parser,
                                       symbol_parser_get_long (parser,
                                                               !without_sign
                                                                   && value <= G_MAXINT64),
                                       value);
}

SymbolNode
symbol_parser_parse_number (SymbolParser *parser)
{
    const char *start = parser->at;
    char *end, *real_end = NULL;
    gboolean hexadecimal = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    gboolean binary = start[0] == '0' && (start[1] == 'b' || start[1] == 'B');
    g_autofree char *text = hexadecimal && !symbol_parser_is_fortran (parser)
                                ? take_hexadecimal_real (parser)
                                : NULL;
    if (text)
        return finish_real (parser, start, text);
    errno = 0;
    guint64 value = g_ascii_strtoull (binary ? start + 2 : start, &end, binary ? 2 : 0);
    gboolean fits = errno != ERANGE;
    if (hexadecimal || binary)
        return parse_integer (parser, value, fits, hexadecimal, end);
    g_ascii_strtod (start, &real_end);
    gsize length = (gsize) (real_end - start);
    if (symbol_parser_is_fortran (parser) && (*real_end == 'd' || *real_end == 'D')) {
        g_autofree char *copy = g_strdup (start);
        copy[length] = 'e';
        g_ascii_strtod (copy, &real_end);
        gsize whole = (gsize) (real_end - copy);
        copy[whole] = 0;
        parser->at = start + whole;
        return finish_real (parser, start, copy);
    }
    if (real_end <= end && !(length && (*real_end == 'd' || *real_end == 'D')))
        return parse_integer (parser, value, fits, FALSE, end);
    text = g_strndup (start, length);
    parser->at = start + length;
    SymbolNode node = real_end > end ? finish_real (parser, start, text)
                                     : symbol_parser_new_node (0);
    if (real_end > end)
        return node;
    if (take_decimal (parser, start, &node)) /* "12dd" */
        return node;
    g_clear_pointer (&node.code, g_byte_array_unref);
    parser->at = start;
    return parse_integer (parser, value, fits, FALSE, end);
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

/* What stands between quotes, at whose end parser stands then. */
static void
take_quoted (SymbolParser *parser, char quote, gboolean fortran, GByteArray *bytes)
{
    parser->at++;
    while (*parser->at && (*parser->at != quote || (fortran && parser->at[1] == quote))) {
        parser->at += fortran && *parser->at == quote; /* two quotes are one */
        guint8 byte = fortran ? (guint8) *parser->at++ : take_escape (parser);
        g_byte_array_append (bytes, &byte, 1);
    }
}

SymbolNode
symbol_parser_parse_text (SymbolParser *parser, char quote)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint32 character = symbol_type_get_basic (parser->binding, EVALUATE_TYPE_CHAR, 1, "char");
    gboolean fortran = symbol_parser_is_fortran (parser);
    take_quoted (parser, quote, fortran, bytes);
    /* in C texts that follow each other are one */
    while (quote == '"' && !fortran && *parser->at == quote
           && parser->at[1 + strspn (parser->at + 1, " \t")] == quote) {
        parser->at += 1 + strspn (parser->at + 1, " \t");
        take_quoted (parser, quote, fortran, bytes);
    }
    gboolean is_text = quote == '"' || symbol_parser_is_fortran (parser);
    if (*parser->at != quote) {
        const char text[] = { quote, '\0' };
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: the quote (%s) is not closed", text);
        return symbol_parser_new_node (0);
    }
    if (!is_text && bytes->len != 1) {
        symbol_parser_fail (
            parser, BASE_ERROR_INVALID,
            "cannot read expression: '' holds one character; write strings in \"\"");
        return symbol_parser_new_node (0);
    }
    parser->at++;
    if (!is_text)
        return symbol_parser_make_integer (parser, character, (gint8) bytes->data[0]);
    if (symbol_parser_is_fortran (parser)) {
        guint32 text = symbol_type_get_array (parser->binding, character, bytes->len);
        symbol_type_get (parser->binding, text)->flags |= EVALUATE_TYPE_FORTRAN;
        symbol_type_get (parser->binding, text)->lower = 1;
        return make_bytes (text, bytes->data, bytes->len);
    }
    g_byte_array_append (bytes, (const guint8 *) "", 1);
    guint32 literal = symbol_type_get_array (parser->binding, character, bytes->len);
    symbol_type_get (parser->binding, literal)->flags |= EVALUATE_TYPE_LITERAL;
    return make_bytes (literal, bytes->data, bytes->len);
}

/* The characters of wide literals: the prefix, the name of the type, which also tells how they are shown. */
static const struct {
    const char *prefix, *name;
    guint size;
    EvaluateTypeKind kind;
} widths[] = {
    { "L", "wchar_t", 4, EVALUATE_TYPE_CHAR },
    { "u8", "char8_t", 1, EVALUATE_TYPE_UCHAR },
    { "u", "char16_t", 2, EVALUATE_TYPE_UCHAR },
    { "U", "char32_t", 4, EVALUATE_TYPE_UCHAR },
};

static guint
find_width (const char *text)
{
    for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
        gsize length = strlen (widths[i].prefix);
        if (strncmp (text, widths[i].prefix, length) == 0
            && (text[length] == '"' || text[length] == '\''))
            return i;
    }
    return G_N_ELEMENTS (widths);
}

gboolean
symbol_parser_is_wide (const SymbolParser *parser)
{
    return find_width (parser->at) < G_N_ELEMENTS (widths);
}

static void
append_unit (GByteArray *units, guint32 unit, guint size)
{
    unit = GUINT32_TO_LE (unit);
    g_byte_array_append (units, (const guint8 *) &unit, size);
}

/* Of text in UTF-8; a byte that is none, as an escape makes, is a character of its own. */
static void
append_units (GByteArray *units, const GByteArray *bytes, guint size)
{
    for (gsize at = 0; at < bytes->len;) {
        const char *text = (const char *) bytes->data + at;
        gunichar character = size == 1
                                 ? (gunichar) -1
                                 : g_utf8_get_char_validated (text, (gssize) (bytes->len - at));
        gboolean is_byte = character == (gunichar) -1 || character == (gunichar) -2
                           || bytes->data[at] < 0x80;
        if (!is_byte && size == 2 && character > 0xffff) {
            append_unit (units, 0xd800 + ((character - 0x10000) >> 10), size);
            append_unit (units, 0xdc00 + ((character - 0x10000) & 0x3ff), size);
        } else {
            append_unit (units, is_byte ? bytes->data[at] : character, size);
        }
        at += is_byte ? 1 : (gsize) (g_utf8_next_char (text) - text);
    }
}

SymbolNode
symbol_parser_parse_wide (SymbolParser *parser)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new (), units = g_byte_array_new ();
    guint which = find_width (parser->at), size = widths[which].size;
    guint32 character = symbol_type_get_basic (parser->binding, widths[which].kind, size,
                                               widths[which].name);
    parser->at += strlen (widths[which].prefix);
    const char quote[] = { *parser->at, '\0' };
    take_quoted (parser, quote[0], FALSE, bytes);
    append_units (units, bytes, size);
    symbol_type_get (parser->binding, character)->lower = size > 1 ? widths[which].prefix[0]
                                                                   : 0;
    if (*parser->at != quote[0])
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: the quote (%s) is not closed", quote);
    else if (quote[0] == '\'' && units->len != size)
        symbol_parser_fail (
            parser, BASE_ERROR_INVALID,
            "cannot read expression: '' holds one character; write strings in \"\"");
    if (parser->error)
        return symbol_parser_new_node (0);
    parser->at++;
    if (quote[0] == '\'')
        return make_bytes (character, units->data, size);
    append_unit (units, 0, size);
    guint32 literal = symbol_type_get_array (parser->binding, character, units->len / size);
    symbol_type_get (parser->binding, literal)->flags |= EVALUATE_TYPE_LITERAL;
    return make_bytes (literal, units->data, units->len);
}

/* Behind an element: appended to the array so far. FALSE: it is not as large as the first. */
static gboolean
append_element (SymbolParser *parser, SymbolNode *array, SymbolNode *element, guint32 type,
                guint32 first)
{
    const SymbolType *own = symbol_node_strip (parser, element),
                     *wanted = symbol_type_strip (parser->binding, first);
    if (!own->size || symbol_is_dynamic (parser, element->type) || own->size != wanted->size)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot make an array of values of types %s and %s", wanted->name,
                            own->name);
    if (parser->error) {
        g_clear_pointer (&element->code, g_byte_array_unref);
        return FALSE;
    }
    symbol_parser_append_code (array, element);
    symbol_code_put_op (array->code, EVALUATE_OP_APPEND, type);
    return TRUE;
}

SymbolNode
symbol_parse_elements (SymbolParser *parser)
{
    SymbolBinding *binding = parser->binding;
    SymbolNode array = symbol_parser_new_node (0);
    guint32 first = 0;
    guint64 count = 0;
    symbol_parser_expect (parser, "{");
    do {
        SymbolNode element = symbol_parse_assignment (parser);
        if (!parser->error && count++ == 0) {
            first = element.type;
            array.type = symbol_type_get_array (binding, first, 0);
            symbol_code_put_op (array.code, EVALUATE_OP_BYTES, array.type);
            base_bytes_put_uleb (array.code, 0);
        }
        if (parser->error)
            g_clear_pointer (&element.code, g_byte_array_unref);
        else
            append_element (parser, &array, &element, array.type, first);
    } while (!parser->error && symbol_parser_take (parser, ","));
    symbol_parser_expect (parser, "}");
    if (parser->error)
        return array;
    /* the code names the type, whose length is known only now */
    SymbolType *type = symbol_type_get (binding, array.type);
    const SymbolType *whole = symbol_type_get (binding,
                                               symbol_type_get_array (binding, first, count));
    g_free (type->name);
    type->name = g_strdup (whole->name);
    type->count = whole->count;
    type->size = whole->size;
    type->flags |= EVALUATE_TYPE_LITERAL;
    return array;
}

gboolean
symbol_fits_elements (SymbolParser *parser, const SymbolNode *node, guint32 structure)
{
    const SymbolType *from = symbol_node_strip (parser, node),
                     *to = symbol_type_strip (parser->binding, structure);
    if (from->kind != EVALUATE_TYPE_ARRAY || !(from->flags & EVALUATE_TYPE_LITERAL)
        || to->kind != EVALUATE_TYPE_STRUCT || !to->members || to->members->len != from->count
        || to->size != from->size
        || to->flags & (EVALUATE_TYPE_BY_REFERENCE | EVALUATE_TYPE_DYNAMIC))
        return FALSE;
    const SymbolType *element = symbol_type_strip (parser->binding, from->target);
    for (guint i = 0; i < to->members->len; i++) {
        const SymbolMember *member = &g_array_index (to->members, SymbolMember, i);
        const SymbolType *own = symbol_type_strip (parser->binding, member->type);
        if (own->kind != element->kind || own->size != element->size || member->bit_size
            || member->bit_offset || member->offset != i * element->size)
            return FALSE;
    }
    return TRUE;
}
