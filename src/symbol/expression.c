/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows C's expressions: reads them, finds their types by C's rules, emits the read program. */
#include <string.h>

#include "base/error.h"
#include "symbol/bind-private.h"

#define MAX_DEPTH 60

typedef struct {
    SymbolBinding *binding;
    const char *at;
    GError *error;
    guint depth;
} Parser;

static SymbolNode parse_binary (Parser *parser, guint level);
static SymbolNode parse_unary (Parser *parser);
static SymbolNode parse_conditional (Parser *parser);

static void
fail (Parser *parser, int code, const char *format, ...)
{
    if (parser->error)
        return;
    va_list arguments;
    va_start (arguments, format);
    g_autofree char *text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    parser->error = g_error_new_literal (BASE_ERROR, code, text);
}

static SymbolNode
new_node (guint32 type)
{
    return (SymbolNode) { type, FALSE, 0, g_byte_array_new () };
}

static void
append_code (SymbolNode *node, SymbolNode *from)
{
    g_byte_array_append (node->code, from->code->data, from->code->len);
    g_clear_pointer (&from->code, g_byte_array_unref);
}

static void
skip_space (Parser *parser)
{
    while (g_ascii_isspace (*parser->at))
        parser->at++;
}

static gboolean
take (Parser *parser, const char *word)
{
    skip_space (parser);
    gsize length = strlen (word);
    if (strncmp (parser->at, word, length) != 0)
        return FALSE;
    parser->at += length;
    return TRUE;
}

static void
expect (Parser *parser, const char *word)
{
    if (!take (parser, word))
        fail (parser, BASE_ERROR_INVALID, "cannot read expression: \"%s\" expected at \"%s\"",
              word, parser->at);
}

static gboolean
is_word (char c, gboolean first)
{
    return c == '_' || g_ascii_isalpha (c) || (guint8) c >= 128 || (!first && g_ascii_isdigit (c));
}

/* An identifier with `::` in it; NULL and nothing taken when there is none. */
static char *
take_name (Parser *parser)
{
    skip_space (parser);
    const char *start = parser->at, *end = start;
    while (is_word (*end, end == start) ||
           (end[0] == ':' && end[1] == ':' && is_word (end[2], TRUE)))
        end += *end == ':' ? 2 : 1;
    if (end == start)
        return NULL;
    parser->at = end;
    return g_strndup (start, end - start);
}

static guint32
get_int (Parser *parser)
{
    return symbol_type_get_basic (parser->binding, INDEX_TYPE_SIGNED, 4, "int");
}

static guint32
get_long (Parser *parser, gboolean with_sign)
{
    return with_sign ? symbol_type_get_basic (parser->binding, INDEX_TYPE_SIGNED, 8, "long")
                     : symbol_type_get_basic (parser->binding, INDEX_TYPE_UNSIGNED, 8,
                                              "unsigned long");
}

static SymbolNode
make_integer (Parser *parser, guint32 type, gint64 value)
{
    SymbolNode node = new_node (type);
    node.is_constant = TRUE;
    node.constant = value;
    symbol_code_put_op (node.code, INDEX_OP_CONSTANT, type);
    symbol_code_put_sleb (node.code, value);
    return node;
}

static SymbolNode
make_bytes (guint32 type, const void *bytes, gsize size)
{
    SymbolNode node = new_node (type);
    symbol_code_put_op (node.code, INDEX_OP_BYTES, type);
    base_bytes_put_uleb (node.code, size);
    g_byte_array_append (node.code, bytes, size);
    return node;
}

static SymbolType *
strip (Parser *parser, const SymbolNode *node)
{
    return symbol_type_strip (parser->binding, node->type);
}

static gboolean
is_arithmetic (const SymbolType *type)
{
    return type->kind >= INDEX_TYPE_BOOL && type->kind <= INDEX_TYPE_ENUM &&
           type->kind != INDEX_TYPE_COMPLEX;
}

static gboolean
is_integer (const SymbolType *type)
{
    return is_arithmetic (type) && type->kind != INDEX_TYPE_FLOAT;
}

static gboolean
is_address (const SymbolType *type)
{
    return type->kind == INDEX_TYPE_POINTER || type->kind == INDEX_TYPE_ARRAY;
}

static void
emit_cast (SymbolNode *node, guint32 type)
{
    if (node->type == type)
        return;
    symbol_code_put_op (node->code, INDEX_OP_CAST, type);
    node->type = type;
}

static SymbolNode
parse_number (Parser *parser)
{
    const char *start = parser->at;
    char *end, *real_end;
    gboolean hexadecimal = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    gboolean binary = start[0] == '0' && (start[1] == 'b' || start[1] == 'B');
    guint64 value = binary ? g_ascii_strtoull (start + 2, &end, 2)
                           : g_ascii_strtoull (start, &end, 0);
    double real = hexadecimal || binary ? 0 : g_ascii_strtod (start, &real_end);
    if (!hexadecimal && !binary && real_end > end) {
        gboolean single = *real_end == 'f' || *real_end == 'F';
        parser->at = real_end + (single || *real_end == 'l' || *real_end == 'L');
        return make_bytes (symbol_type_get_basic (parser->binding, INDEX_TYPE_FLOAT, 8, "double"),
                           &real, 8);
    }
    gboolean without_sign = FALSE, is_long = FALSE;
    for (; *end && strchr ("uUlL", *end); end++) {
        without_sign |= *end == 'u' || *end == 'U';
        is_long |= *end == 'l' || *end == 'L';
    }
    if (end == start || is_word (*end, FALSE))
        fail (parser, BASE_ERROR_INVALID, "cannot read expression: invalid number \"%s\"", start);
    parser->at = end;
    if (!is_long && !without_sign && value <= G_MAXINT32)
        return make_integer (parser, get_int (parser), value);
    if (!is_long && (without_sign || hexadecimal) && value <= G_MAXUINT32)
        return make_integer (parser, symbol_type_get_basic (parser->binding, INDEX_TYPE_UNSIGNED,
                                                            4, "unsigned int"), value);
    return make_integer (parser, get_long (parser, !without_sign && value <= G_MAXINT64), value);
}

static guint8
take_escape (Parser *parser)
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

static SymbolNode
parse_text (Parser *parser, char quote)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint32 character = symbol_type_get_basic (parser->binding, INDEX_TYPE_CHAR, 1, "char");
    parser->at++;
    while (*parser->at && *parser->at != quote) {
        guint8 byte = take_escape (parser);
        g_byte_array_append (bytes, &byte, 1);
    }
    if (*parser->at != quote || (quote == '\'' && bytes->len != 1)) {
        fail (parser, BASE_ERROR_INVALID, "cannot read expression: unterminated text");
        return new_node (0);
    }
    parser->at++;
    if (quote == '\'')
        return make_integer (parser, character, (gint8) bytes->data[0]);
    g_byte_array_append (bytes, (const guint8 *) "", 1);
    return make_bytes (symbol_type_get_array (parser->binding, character, bytes->len),
                       bytes->data, bytes->len);
}

static SymbolNode
parse_register (Parser *parser)
{
    static const char *const names[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
                                         "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                                         "rip" };
    parser->at++;
    g_autofree char *name = take_name (parser);
    const char *wanted = !name ? "" : !strcmp (name, "pc") ? "rip" : !strcmp (name, "sp") ? "rsp"
                         : !strcmp (name, "fp") ? "rbp" : name;
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        if (strcmp (names[i], wanted) != 0)
            continue;
        SymbolNode node = new_node (get_long (parser, TRUE));
        symbol_code_put_op (node.code, INDEX_OP_REGISTER, node.type);
        base_bytes_put_uleb (node.code, i);
        return node;
    }
    fail (parser, BASE_ERROR_NOT_FOUND, "no register \"$%s\"", name ? name : "");
    return new_node (0);
}

/* A member anywhere in a structure: bases and unnamed parts are looked through. */
static gboolean
emit_member (Parser *parser, SymbolNode *node, const char *name, guint depth)
{
    const SymbolType *type = strip (parser, node);
    for (guint i = 0; type->members && depth < 8 && i < type->members->len; i++) {
        SymbolMember member = g_array_index (type->members, SymbolMember, i);
        gboolean transparent = !member.name[0] || member.name[0] == '<';
        SymbolNode inner = new_node (member.type);
        symbol_code_put_op (inner.code, INDEX_OP_MEMBER, member.type);
        base_bytes_put_uleb (inner.code, member.offset);
        base_bytes_put_uleb (inner.code, member.bit_size);
        base_bytes_put_uleb (inner.code, member.bit_offset);
        if (strcmp (member.name, name) == 0 ||
            (transparent && emit_member (parser, &inner, name, depth + 1))) {
            append_code (node, &inner);
            node->type = inner.type;
            node->is_constant = FALSE;
            return TRUE;
        }
        g_byte_array_unref (inner.code);
    }
    return FALSE;
}

static void
emit_deref (Parser *parser, SymbolNode *node)
{
    const SymbolType *type = strip (parser, node);
    if (type->kind == INDEX_TYPE_FUNCTION)
        return;
    if (!is_address (type)) {
        fail (parser, BASE_ERROR_INVALID, "cannot follow a value of type %s", type->name);
        return;
    }
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    if (symbol_type_strip (parser->binding, target)->kind == INDEX_TYPE_VOID)
        fail (parser, BASE_ERROR_INVALID, "cannot follow a pointer to void");
    symbol_code_put_op (node->code, INDEX_OP_DEREF, target);
    node->type = target;
    node->is_constant = FALSE;
}

static SymbolNode
parse_name (Parser *parser)
{
    SymbolBinding *binding = parser->binding;
    g_autofree char *name = take_name (parser);
    SymbolDie die;
    guint64 address;
    SymbolNode node = new_node (0);
    if (!name) {
        fail (parser, BASE_ERROR_INVALID, "cannot read expression: unexpected \"%s\"",
              parser->at);
        return node;
    }
    if (binding->unit && binding->unit->language == JOB_LANGUAGE_FORTRAN) {
        char *lower = g_ascii_strdown (name, -1);
        g_free (name);
        name = lower;
    }
    if (symbol_scope_find (binding, name, &die)) {
        node.type = symbol_scope_emit (binding, &die, node.code);
        if (die.tag == DW_TAG_enumerator) {
            node.is_constant = TRUE;
            node.constant = symbol_die_get_number (binding->dwarf, &die, DW_AT_const_value, 0);
        }
        return node;
    }
    if (strcmp (name, "this") != 0 && symbol_scope_find (binding, "this", &die)) {
        node.type = symbol_scope_emit (binding, &die, node.code);
        emit_deref (parser, &node);
        if (emit_member (parser, &node, name, 0))
            return node;
        g_byte_array_set_size (node.code, 0);
    }
    if (symbol_scope_find_elf (binding, name, &address)) {
        node.type = get_int (parser);
        symbol_code_put_op (node.code, INDEX_OP_STATIC, node.type);
        base_bytes_put_uleb (node.code, address);
        return node;
    }
    fail (parser, BASE_ERROR_NOT_FOUND, "no symbol \"%s\"", name);
    return node;
}

static gboolean
is_basic_word (const char *word)
{
    static const char *const words[] = { "unsigned", "signed", "int", "char", "long", "short",
                                         "float", "double", "void", "_Bool", "bool", "const",
                                         "volatile", "struct", "union", "enum" };
    for (guint i = 0; i < G_N_ELEMENTS (words); i++)
        if (strcmp (words[i], word) == 0)
            return TRUE;
    return FALSE;
}

static guint32
find_basic (Parser *parser, guint longs, gboolean is_short, gboolean without_sign,
            const char *word)
{
    SymbolBinding *binding = parser->binding;
    if (!strcmp (word, "void"))
        return 0;
    if (!strcmp (word, "float"))
        return symbol_type_get_basic (binding, INDEX_TYPE_FLOAT, 4, "float");
    if (!strcmp (word, "double"))
        return longs ? symbol_type_get_basic (binding, INDEX_TYPE_FLOAT, 16, "long double")
                     : symbol_type_get_basic (binding, INDEX_TYPE_FLOAT, 8, "double");
    if (!strcmp (word, "bool") || !strcmp (word, "_Bool"))
        return symbol_type_get_basic (binding, INDEX_TYPE_BOOL, 1, word);
    if (!strcmp (word, "char"))
        return without_sign
                   ? symbol_type_get_basic (binding, INDEX_TYPE_UCHAR, 1, "unsigned char")
                   : symbol_type_get_basic (binding, INDEX_TYPE_CHAR, 1, "char");
    if (longs)
        return get_long (parser, !without_sign);
    if (is_short)
        return without_sign
                   ? symbol_type_get_basic (binding, INDEX_TYPE_UNSIGNED, 2, "unsigned short")
                   : symbol_type_get_basic (binding, INDEX_TYPE_SIGNED, 2, "short");
    return without_sign ? symbol_type_get_basic (binding, INDEX_TYPE_UNSIGNED, 4, "unsigned int")
                        : get_int (parser);
}

/* The words of a type: basic ones, or struct X, or a typedef. FALSE: no type here. */
static gboolean
take_type_words (Parser *parser, guint32 *ret_type)
{
    guint longs = 0;
    gboolean is_short = FALSE, without_sign = FALSE, any = FALSE;
    g_autofree char *base = g_strdup ("int");
    for (;;) {
        const char *before = parser->at;
        g_autofree char *word = take_name (parser);
        SymbolDie die;
        if (word && is_basic_word (word)) {
            gboolean tagged = !strcmp (word, "struct") || !strcmp (word, "union") ||
                              !strcmp (word, "enum");
            guint32 tag = word[0] == 's' ? DW_TAG_structure_type
                          : word[0] == 'u' ? DW_TAG_union_type : DW_TAG_enumeration_type;
            g_autofree char *name = tagged ? take_name (parser) : NULL;
            if (tagged && name && symbol_scope_find_type (parser->binding, name, tag, &die)) {
                *ret_type = symbol_type_build (parser->binding, die.offset);
                return TRUE;
            }
            if (tagged) {
                fail (parser, BASE_ERROR_NOT_FOUND, "no type \"%s %s\"", word, name ? name : "");
                return TRUE;
            }
            any = any || (strcmp (word, "const") && strcmp (word, "volatile"));
            longs += !strcmp (word, "long");
            is_short |= !strcmp (word, "short");
            without_sign |= !strcmp (word, "unsigned");
            if (strcmp (word, "long") && strcmp (word, "short") && strcmp (word, "unsigned") &&
                strcmp (word, "signed") && strcmp (word, "const") && strcmp (word, "volatile")) {
                g_free (base);
                base = g_steal_pointer (&word);
            }
            continue;
        }
        if (any || !word) {
            parser->at = before;
            break;
        }
        if (symbol_scope_find (parser->binding, word, &die) ||
            !symbol_scope_find_type (parser->binding, word, 0, &die) ||
            (die.tag != DW_TAG_typedef && die.tag != DW_TAG_base_type &&
             die.unit->language != JOB_LANGUAGE_CXX)) {
            parser->at = before;
            return FALSE;
        }
        *ret_type = symbol_type_build (parser->binding, die.offset);
        return TRUE;
    }
    if (any)
        *ret_type = find_basic (parser, longs, is_short, without_sign, base);
    return any;
}

/* A type name: words and stars. FALSE with nothing taken when there is none. */
static gboolean
take_type (Parser *parser, guint32 *ret_type)
{
    const char *before = parser->at;
    if (!take_type_words (parser, ret_type)) {
        parser->at = before;
        return FALSE;
    }
    while (!parser->error) {
        if (take (parser, "*"))
            *ret_type = symbol_type_get_pointer (parser->binding, *ret_type);
        else if (!take (parser, "const") && !take (parser, "volatile"))
            break;
    }
    return TRUE;
}

static SymbolNode
parse_sizeof (Parser *parser)
{
    const char *before = parser->at;
    guint32 type;
    if (take (parser, "(") && take_type (parser, &type)) {
        expect (parser, ")");
    } else {
        parser->at = before;
        SymbolNode node = parse_unary (parser);
        type = node.type;
        g_byte_array_unref (node.code);
    }
    return make_integer (parser, get_long (parser, FALSE),
                         symbol_type_strip (parser->binding, type)->size);
}

static SymbolNode
parse_primary (Parser *parser)
{
    skip_space (parser);
    if (take (parser, "(")) {
        SymbolNode node = parse_conditional (parser);
        expect (parser, ")");
        return node;
    }
    if (*parser->at == '$')
        return parse_register (parser);
    if (*parser->at == '"' || *parser->at == '\'')
        return parse_text (parser, *parser->at);
    if (g_ascii_isdigit (*parser->at) ||
        (*parser->at == '.' && g_ascii_isdigit (parser->at[1])))
        return parse_number (parser);
    if (strncmp (parser->at, "sizeof", 6) == 0 && !is_word (parser->at[6], FALSE)) {
        parser->at += 6;
        return parse_sizeof (parser);
    }
    return parse_name (parser);
}

static void
parse_index (Parser *parser, SymbolNode *node)
{
    SymbolNode index = parse_conditional (parser);
    const SymbolType *type = strip (parser, node);
    gboolean slice = take (parser, ":");
    SymbolNode last = slice ? parse_conditional (parser) : new_node (0);
    expect (parser, "]");
    if (!parser->error && (!is_address (type) || !is_integer (strip (parser, &index))))
        fail (parser, BASE_ERROR_INVALID, "cannot index a value of type %s", type->name);
    if (!parser->error && slice &&
        (!index.is_constant || !last.is_constant || last.constant < index.constant ||
         last.constant - index.constant > 1000000))
        fail (parser, BASE_ERROR_INVALID, "cannot take a slice: bounds must be rising numbers");
    if (!parser->error) {
        guint32 element = symbol_type_get_target (parser->binding, node->type);
        guint64 size = symbol_type_strip (parser->binding, element)->size;
        if (slice) {
            node->type = symbol_type_get_array (parser->binding, element,
                                                last.constant - index.constant + 1);
            symbol_code_put_op (node->code, INDEX_OP_SLICE, node->type);
            symbol_code_put_sleb (node->code, index.constant);
        } else {
            append_code (node, &index);
            node->type = element;
            symbol_code_put_op (node->code, INDEX_OP_INDEX, element);
        }
        base_bytes_put_uleb (node->code, size);
        node->is_constant = FALSE;
    }
    g_clear_pointer (&index.code, g_byte_array_unref);
    g_clear_pointer (&last.code, g_byte_array_unref);
}

static SymbolNode
parse_postfix (Parser *parser)
{
    SymbolNode node = parse_primary (parser);
    while (!parser->error) {
        if (take (parser, "[")) {
            parse_index (parser, &node);
            continue;
        }
        gboolean arrow = take (parser, "->");
        if (!arrow && !take (parser, "."))
            break;
        g_autofree char *name = take_name (parser);
        if (is_address (strip (parser, &node)))
            emit_deref (parser, &node);
        if (!parser->error && (!name || !emit_member (parser, &node, name, 0)))
            fail (parser, BASE_ERROR_NOT_FOUND, "no member \"%s\" in %s", name ? name : "",
                  symbol_type_get (parser->binding, node.type)->name);
    }
    return node;
}

/* Integers smaller than int become int. */
static void
promote (Parser *parser, SymbolNode *node)
{
    const SymbolType *type = strip (parser, node);
    if (type->kind == INDEX_TYPE_ENUM || type->kind == INDEX_TYPE_BOOL || type->size < 4)
        emit_cast (node, get_int (parser));
}

static void
emit_unary (Parser *parser, SymbolNode *node, IndexOperator operator)
{
    const SymbolType *type = strip (parser, node);
    gboolean not = operator == INDEX_OPERATOR_NOT;
    if (!is_arithmetic (type) && !(not && is_address (type)))
        fail (parser, BASE_ERROR_INVALID, "cannot compute with a value of type %s", type->name);
    if (parser->error)
        return;
    if (not) {
        node->constant = !node->constant;
        node->type = get_int (parser);
    } else {
        promote (parser, node);
        node->constant = operator == INDEX_OPERATOR_NEGATE ? -node->constant : ~node->constant;
    }
    symbol_code_put_op (node->code, INDEX_OP_UNARY, node->type);
    base_bytes_put_uleb (node->code, operator);
}

static void
emit_address (Parser *parser, SymbolNode *node)
{
    if (node->is_constant)
        fail (parser, BASE_ERROR_INVALID, "cannot take the address of a number");
    guint32 pointer = symbol_type_get_pointer (parser->binding, node->type);
    symbol_code_put_op (node->code, INDEX_OP_ADDRESS, pointer);
    node->type = pointer;
}

static SymbolNode
parse_cast_or_primary (Parser *parser)
{
    const char *before = parser->at;
    guint32 type;
    if (take (parser, "(") && take_type (parser, &type)) {
        expect (parser, ")");
        SymbolNode node = parse_unary (parser);
        if (!parser->error)
            emit_cast (&node, type);
        return node;
    }
    parser->at = before;
    return parse_postfix (parser);
}

static SymbolNode
parse_unary (Parser *parser)
{
    SymbolNode node;
    if (++parser->depth > MAX_DEPTH)
        fail (parser, BASE_ERROR_INVALID, "cannot read expression: too deep");
    skip_space (parser);
    char mark = parser->error ? 0 : *parser->at;
    if (parser->error) {
        node = new_node (0);
    } else if (mark && strchr ("*&-+!~", mark) && strncmp (parser->at, "&&", 2) != 0) {
        parser->at++;
        node = parse_unary (parser);
        if (parser->error)
            ;
        else if (mark == '*')
            emit_deref (parser, &node);
        else if (mark == '&')
            emit_address (parser, &node);
        else if (mark == '-')
            emit_unary (parser, &node, INDEX_OPERATOR_NEGATE);
        else if (mark == '!')
            emit_unary (parser, &node, INDEX_OPERATOR_NOT);
        else if (mark == '~')
            emit_unary (parser, &node, INDEX_OPERATOR_COMPLEMENT);
    } else {
        node = parse_cast_or_primary (parser);
    }
    parser->depth--;
    return node;
}

typedef struct {
    const char *text;
    guint level;
    guint operator;    /* IndexOperator; 0 for @ */
} Operator;

/* Longer ones first; level 1 binds weakest. */
static const Operator operators[] = {
    { "==", 5, INDEX_OPERATOR_EQUAL }, { "!=", 5, INDEX_OPERATOR_UNEQUAL },
    { "<<", 7, INDEX_OPERATOR_LEFT }, { ">>", 7, INDEX_OPERATOR_RIGHT },
    { "<=", 6, INDEX_OPERATOR_LESS_EQUAL }, { ">=", 6, INDEX_OPERATOR_GREATER_EQUAL },
    { "<", 6, INDEX_OPERATOR_LESS }, { ">", 6, INDEX_OPERATOR_GREATER },
    { "|", 2, INDEX_OPERATOR_OR }, { "^", 3, INDEX_OPERATOR_XOR },
    { "&", 4, INDEX_OPERATOR_AND }, { "@", 8, 0 }, { "+", 9, INDEX_OPERATOR_ADD },
    { "-", 9, INDEX_OPERATOR_SUBTRACT }, { "*", 10, INDEX_OPERATOR_MULTIPLY },
    { "/", 10, INDEX_OPERATOR_DIVIDE }, { "%", 10, INDEX_OPERATOR_MODULO },
};

static const Operator *
peek_operator (Parser *parser)
{
    skip_space (parser);
    if (!strncmp (parser->at, "&&", 2) || !strncmp (parser->at, "||", 2))
        return NULL;
    for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
        if (strncmp (parser->at, operators[i].text, strlen (operators[i].text)) == 0)
            return &operators[i];
    return NULL;
}

/* C11 6.3.1.8 */
static guint32
find_common (Parser *parser, const SymbolNode *a, const SymbolNode *b)
{
    SymbolBinding *binding = parser->binding;
    guint32 left = symbol_type_strip_number (binding, a->type);
    guint32 right = symbol_type_strip_number (binding, b->type);
    const SymbolType *x = symbol_type_get (binding, left), *y = symbol_type_get (binding, right);
    if (x->kind == INDEX_TYPE_FLOAT || y->kind == INDEX_TYPE_FLOAT) {
        if (y->kind != INDEX_TYPE_FLOAT)
            return left;
        return x->kind != INDEX_TYPE_FLOAT || y->size > x->size ? right : left;
    }
    guint64 size = MAX (MAX (x->size, y->size), 4);
    gboolean without_sign =
        (x->kind == INDEX_TYPE_UNSIGNED && x->size == size) ||
        (y->kind == INDEX_TYPE_UNSIGNED && y->size == size);
    if (size > 4)
        return get_long (parser, !without_sign);
    return without_sign ? symbol_type_get_basic (binding, INDEX_TYPE_UNSIGNED, 4, "unsigned int")
                        : get_int (parser);
}

static void
fold_constant (SymbolNode *left, const SymbolNode *right, guint operator)
{
    gboolean both = left->is_constant && right->is_constant;
    left->is_constant = both && (operator == INDEX_OPERATOR_ADD ||
                                 operator == INDEX_OPERATOR_SUBTRACT ||
                                 operator == INDEX_OPERATOR_MULTIPLY);
    if (!left->is_constant)
        return;
    guint64 a = left->constant, b = right->constant;
    left->constant = operator == INDEX_OPERATOR_ADD ? a + b
                     : operator == INDEX_OPERATOR_SUBTRACT ? a - b : a * b;
}

static guint64
find_element_size (Parser *parser, const SymbolNode *node)
{
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    return MAX (symbol_type_strip (parser->binding, target)->size, 1);
}

static guint32
decay (Parser *parser, const SymbolNode *node)
{
    if (strip (parser, node)->kind != INDEX_TYPE_ARRAY)
        return node->type;
    return symbol_type_get_pointer (parser->binding,
                                    symbol_type_get_target (parser->binding, node->type));
}

/* Pointer plus or minus integer, and the difference of pointers. */
static void
emit_pointer_arithmetic (Parser *parser, SymbolNode *left, SymbolNode *right, guint operator)
{
    gboolean minus = operator == INDEX_OPERATOR_SUBTRACT;
    if (minus && is_address (strip (parser, right))) {
        guint64 size = find_element_size (parser, left);
        guint32 type = get_long (parser, TRUE);
        SymbolNode divisor = make_integer (parser, type, size);
        emit_cast (left, type);
        emit_cast (right, type);
        append_code (left, right);
        symbol_code_put_op (left->code, INDEX_OP_BINARY, type);
        base_bytes_put_uleb (left->code, operator);
        append_code (left, &divisor);
        symbol_code_put_op (left->code, INDEX_OP_BINARY, type);
        base_bytes_put_uleb (left->code, INDEX_OPERATOR_DIVIDE);
        return;
    }
    if (!is_address (strip (parser, left))) {
        SymbolNode swapped = *left;
        *left = *right;
        *right = swapped;
    }
    if (minus)
        emit_unary (parser, right, INDEX_OPERATOR_NEGATE);
    emit_cast (right, get_long (parser, TRUE));
    guint64 size = find_element_size (parser, left);
    left->type = decay (parser, left);
    append_code (left, right);
    symbol_code_put_op (left->code, INDEX_OP_OFFSET, left->type);
    base_bytes_put_uleb (left->code, size);
}

static void
emit_repeat (Parser *parser, SymbolNode *left, const SymbolNode *right)
{
    if (!right->is_constant || right->constant < 1 || right->constant > 1000000) {
        fail (parser, BASE_ERROR_INVALID, "cannot repeat with @: a positive number must follow");
        return;
    }
    guint64 size = symbol_type_strip (parser->binding, left->type)->size;
    emit_address (parser, left);
    left->type = symbol_type_get_array (
        parser->binding, symbol_type_get_target (parser->binding, left->type), right->constant);
    symbol_code_put_op (left->code, INDEX_OP_SLICE, left->type);
    symbol_code_put_sleb (left->code, 0);
    base_bytes_put_uleb (left->code, size);
}

static gboolean
is_comparison (guint operator)
{
    return operator >= INDEX_OPERATOR_EQUAL && operator <= INDEX_OPERATOR_GREATER_EQUAL;
}

static void
emit_binary (Parser *parser, SymbolNode *left, SymbolNode *right, guint operator)
{
    const SymbolType *a = strip (parser, left), *b = strip (parser, right);
    gboolean pointers = is_address (a) || is_address (b);
    gboolean scalar = (is_arithmetic (a) || is_address (a) || a->kind == INDEX_TYPE_FUNCTION) &&
                      (is_arithmetic (b) || is_address (b) || b->kind == INDEX_TYPE_FUNCTION);
    if (!scalar || (pointers && !is_comparison (operator) &&
                    operator != INDEX_OPERATOR_ADD && operator != INDEX_OPERATOR_SUBTRACT)) {
        fail (parser, BASE_ERROR_INVALID, "cannot compute with values of types %s and %s",
              a->name, b->name);
        return;
    }
    fold_constant (left, right, operator);
    if (pointers && !is_comparison (operator)) {
        emit_pointer_arithmetic (parser, left, right, operator);
        return;
    }
    guint32 common = pointers || !is_arithmetic (a) || !is_arithmetic (b)
                         ? get_long (parser, FALSE) : find_common (parser, left, right);
    if (operator == INDEX_OPERATOR_LEFT || operator == INDEX_OPERATOR_RIGHT) {
        promote (parser, left);
        common = symbol_type_strip_number (parser->binding, left->type);
    }
    emit_cast (left, common);
    if (operator != INDEX_OPERATOR_LEFT && operator != INDEX_OPERATOR_RIGHT)
        emit_cast (right, common);
    append_code (left, right);
    left->type = is_comparison (operator) ? get_int (parser) : common;
    symbol_code_put_op (left->code, INDEX_OP_BINARY, left->type);
    base_bytes_put_uleb (left->code, operator);
}

static SymbolNode
parse_binary (Parser *parser, guint level)
{
    SymbolNode left = parse_unary (parser);
    while (!parser->error) {
        const Operator *operator = peek_operator (parser);
        if (!operator || operator->level < level)
            break;
        parser->at += strlen (operator->text);
        SymbolNode right = parse_binary (parser, operator->level + 1);
        if (!parser->error && operator->operator)
            emit_binary (parser, &left, &right, operator->operator);
        else if (!parser->error)
            emit_repeat (parser, &left, &right);
        g_clear_pointer (&right.code, g_byte_array_unref);
    }
    return left;
}

static void
emit_jump (SymbolNode *node, IndexOp op, guint size)
{
    base_bytes_put_uleb (node->code, op);
    base_bytes_put_uleb (node->code, size);
}

/* condition ? yes : no, as code. Both have their type already. */
static void
emit_choice (SymbolNode *condition, SymbolNode *yes, SymbolNode *no)
{
    emit_jump (yes, INDEX_OP_JUMP, no->code->len);
    emit_jump (condition, INDEX_OP_JUMP_FALSE, yes->code->len);
    append_code (condition, yes);
    append_code (condition, no);
    condition->is_constant = FALSE;
}

static gboolean
is_scalar (Parser *parser, const SymbolNode *node)
{
    const SymbolType *type = strip (parser, node);
    return is_arithmetic (type) || is_address (type) || type->kind == INDEX_TYPE_FUNCTION;
}

static void
emit_truth (Parser *parser, SymbolNode *node)
{
    if (!is_scalar (parser, node)) {
        fail (parser, BASE_ERROR_INVALID, "cannot test a value of type %s",
              symbol_type_get (parser->binding, node->type)->name);
        return;
    }
    emit_unary (parser, node, INDEX_OPERATOR_NOT);
    emit_unary (parser, node, INDEX_OPERATOR_NOT);
}

static SymbolNode
parse_logic (Parser *parser, gboolean either)
{
    SymbolNode left = either ? parse_logic (parser, FALSE) : parse_binary (parser, 1);
    while (!parser->error && take (parser, either ? "||" : "&&")) {
        SymbolNode right = either ? parse_logic (parser, FALSE) : parse_binary (parser, 1);
        SymbolNode fixed = make_integer (parser, get_int (parser), either);
        if (!parser->error)
            emit_truth (parser, &left);
        if (!parser->error)
            emit_truth (parser, &right);
        if (!parser->error)
            emit_choice (&left, either ? &fixed : &right, either ? &right : &fixed);
        g_clear_pointer (&right.code, g_byte_array_unref);
        g_clear_pointer (&fixed.code, g_byte_array_unref);
    }
    return left;
}

static SymbolNode
parse_conditional (Parser *parser)
{
    if (++parser->depth > MAX_DEPTH)
        fail (parser, BASE_ERROR_INVALID, "cannot read expression: too deep");
    SymbolNode node = parser->error ? new_node (0) : parse_logic (parser, TRUE);
    if (!parser->error && take (parser, "?")) {
        SymbolNode yes = parse_conditional (parser), no = new_node (0);
        expect (parser, ":");
        g_clear_pointer (&no.code, g_byte_array_unref);
        no = parse_conditional (parser);
        if (!parser->error && is_arithmetic (strip (parser, &yes)) &&
            is_arithmetic (strip (parser, &no))) {
            guint32 common = find_common (parser, &yes, &no);
            emit_cast (&yes, common);
            emit_cast (&no, common);
        }
        if (!parser->error) {
            emit_truth (parser, &node);
            guint32 type = yes.type;
            if (!parser->error)
                emit_choice (&node, &yes, &no);
            node.type = type;
        }
        g_clear_pointer (&yes.code, g_byte_array_unref);
        g_clear_pointer (&no.code, g_byte_array_unref);
    }
    parser->depth--;
    return node;
}

gboolean
symbol_expression_parse (SymbolBinding *binding, const char *text, SymbolNode *ret_node,
                         GError **error)
{
    Parser parser = { binding, text, NULL, 0 };
    SymbolNode node = parse_conditional (&parser);
    skip_space (&parser);
    if (*parser.at)
        fail (&parser, BASE_ERROR_INVALID, "cannot read expression: unexpected \"%s\"",
              parser.at);
    if (parser.error) {
        g_byte_array_unref (node.code);
        g_propagate_error (error, parser.error);
        return FALSE;
    }
    *ret_node = node;
    return TRUE;
}
