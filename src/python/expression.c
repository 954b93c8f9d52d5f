/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python's expressions, parsed and evaluated in one pass: everything that needs no code of the
 * program to run. What is short-circuited is parsed and not evaluated. */
#include "base/error.h"
#include "python/point-private.h"
#include <string.h>

#define MAX_DEPTH 64u
#define MAX_ITEMS 1024u

typedef struct {
    PythonEvaluation *evaluation;
    const char *text;
    const char *at;
} Parser;

static PythonPoint *parse_expression (Parser *parser, GError **error);
static PythonPoint *parse_unary (Parser *parser, GError **error);

static PythonPoint *
set_syntax (Parser *parser, GError **error)
{
    if (error != NULL && *error == NULL && *parser->at == '\0') {
        base_error_set (error, BASE_ERROR_INVALID, "cannot evaluate \"%s\": it is incomplete",
                        parser->text);
    } else if (error != NULL && *error == NULL) {
        g_autofree char *valid = g_utf8_make_valid (parser->at, -1);
        g_autofree char *at = g_utf8_substring (valid, 0, MIN (g_utf8_strlen (valid, -1), 20));

        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot evaluate \"%s\": not a Python expression at \"%s\"",
                        parser->text, at);
    }
    return NULL;
}

static PythonPoint *
make_dummy (Parser *parser)
{
    return python_point_new (parser->evaluation, PYTHON_POINT_NONE);
}

static gboolean
is_skipping (const Parser *parser)
{
    return parser->evaluation->skip > 0;
}

static void
skip_spaces (Parser *parser)
{
    while (g_ascii_isspace (*parser->at)) {
        parser->at++;
    }
}

static gboolean
is_name_byte (char byte)
{
    return g_ascii_isalnum (byte) || byte == '_' || (guint8) byte >= 0x80;
}

static gboolean
take (Parser *parser, const char *sign)
{
    gsize size = strlen (sign);

    skip_spaces (parser);
    if (strncmp (parser->at, sign, size) != 0
        || (is_name_byte (sign[0]) && is_name_byte (parser->at[size]))) {
        return FALSE;
    }
    parser->at += size;
    return TRUE;
}

/* An operator that is not the beginning of a longer one. */
static gboolean
take_operator (Parser *parser, const char *sign, const char *not_followed_by)
{
    const char *start;

    skip_spaces (parser);
    start = parser->at;
    if (!take (parser, sign)) {
        return FALSE;
    }
    if (*parser->at != '\0' && strchr (not_followed_by, *parser->at) != NULL) {
        parser->at = start;
        return FALSE;
    }
    return TRUE;
}

/* A name or keyword; NULL when there is none. */
static char *
take_word (Parser *parser)
{
    const char *start = parser->at;

    if (g_ascii_isdigit (*start)) {
        return NULL;
    }
    while (is_name_byte (*parser->at)) {
        parser->at++;
    }
    return parser->at > start ? g_strndup (start, (gsize) (parser->at - start)) : NULL;
}

/* ---- atoms ---- */

static PythonPoint *
parse_integer (Parser *parser, guint base, const char *digits, gsize size, GError **error)
{
    __int128 value = 0;

    for (gsize i = 0; i < size; i++) {
        int digit = g_ascii_xdigit_value (digits[i]);

        if (digits[i] == '_') {
            continue;
        }
        if (digit < 0 || digit >= (int) base || value >> 120 != 0) {
            return set_syntax (parser, error);
        }
        value = value * base + digit;
    }
    return python_point_new_int (parser->evaluation, value);
}

static PythonPoint *
parse_number (Parser *parser, GError **error)
{
    const char *start = parser->at;
    const char *end = start;
    gboolean is_float = FALSE;
    g_autofree char *clean = NULL;
    guint base = 10;

    if (*end == '0' && end[1] != '\0' && strchr ("xXoObB", end[1]) != NULL) {
        base = strchr ("xX", end[1]) != NULL ? 16 : strchr ("oO", end[1]) != NULL ? 8 : 2;
        for (end += 2; g_ascii_isxdigit (*end) || *end == '_'; end++) {
        }
        parser->at = end;
        return parse_integer (parser, base, start + 2, (gsize) (end - start - 2), error);
    }
    for (; g_ascii_isdigit (*end) || *end == '_' || *end == '.' || *end == 'e' || *end == 'E'
           || ((*end == '+' || *end == '-') && (end[-1] == 'e' || end[-1] == 'E'));
         end++) {
        is_float |= *end == '.' || *end == 'e' || *end == 'E';
    }
    parser->at = end;
    if (is_name_byte (*end)) {
        return set_syntax (parser, error);
    }
    if (!is_float) {
        return parse_integer (parser, base, start, (gsize) (end - start), error);
    }
    clean = g_strndup (start, (gsize) (end - start));
    return python_point_new_float (parser->evaluation, g_ascii_strtod (clean, NULL));
}

/* After a backslash; FALSE: none that is known. */
static gboolean
parse_escape (Parser *parser, gunichar *ret_character)
{
    static const char letters[] = "nrt0abfv\\'\"";
    static const char values[] = "\n\r\t\0\a\b\f\v\\'\"";
    char letter = *parser->at++;
    const char *found = letter != '\0' ? strchr (letters, letter) : NULL;
    guint count = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;

    if (found != NULL) {
        *ret_character = (guint8) values[found - letters];
        return TRUE;
    }
    *ret_character = 0;
    for (guint i = 0; i < count; i++, parser->at++) {
        if (!g_ascii_isxdigit (*parser->at)) {
            return FALSE;
        }
        *ret_character = *ret_character << 4 | (guint) g_ascii_xdigit_value (*parser->at);
    }
    return count > 0;
}

static PythonPoint *
parse_string (Parser *parser, gboolean is_bytes, gboolean is_raw, GError **error)
{
    PythonPoint *point = python_point_new (parser->evaluation,
                                           is_bytes ? PYTHON_POINT_BYTES : PYTHON_POINT_STR);
    char quote = *parser->at++;

    point->characters = g_array_new (FALSE, FALSE, sizeof (gunichar));
    while (*parser->at != quote) {
        gunichar character;

        if (*parser->at == '\0') {
            return set_syntax (parser, error);
        }
        if (*parser->at == '\\' && !is_raw) {
            parser->at++;
            if (!parse_escape (parser, &character)) {
                return set_syntax (parser, error);
            }
        } else {
            character = g_utf8_get_char_validated (parser->at, -1);
            if (character >= 0x110000) {
                return set_syntax (parser, error);
            }
            parser->at = g_utf8_next_char (parser->at);
        }
        g_array_append_val (point->characters, character);
    }
    parser->at++;
    return point;
}

/* Items up to the closing sign; a lone one in parentheses without a comma is itself. */
static PythonPoint *
parse_items (Parser *parser, const char *close, GError **error)
{
    PythonPoint *tuple = python_point_new (parser->evaluation, PYTHON_POINT_TUPLE);
    gboolean has_comma = FALSE;

    tuple->items = g_ptr_array_new ();
    tuple->is_list = close[0] == ']';
    while (!take (parser, close)) {
        PythonPoint *item = tuple->items->len == 0 || has_comma
                                ? parse_expression (parser, error)
                                : set_syntax (parser, error);

        if (item == NULL || tuple->items->len >= MAX_ITEMS) {
            return set_syntax (parser, error);
        }
        g_ptr_array_add (tuple->items, item);
        has_comma = take (parser, ",");
    }
    return !tuple->is_list && tuple->items->len == 1 && !has_comma
               ? g_ptr_array_index (tuple->items, 0)
               : tuple;
}

static PythonPoint *
parse_prefixed_string (Parser *parser, const char *word, GError **error)
{
    gboolean is_bytes = strpbrk (word, "bB") != NULL;
    gboolean is_raw = strpbrk (word, "rR") != NULL;

    if (strspn (word, "bBrRuU") != strlen (word)) {
        return python_point_refuse (error, "it contains an f-string");
    }
    return parse_string (parser, is_bytes, is_raw, error);
}

static PythonPoint *
parse_atom (Parser *parser, GError **error)
{
    g_autofree char *word = NULL;

    skip_spaces (parser);
    if (take (parser, "...")) {
        return python_point_new (parser->evaluation, PYTHON_POINT_ELLIPSIS);
    }
    if (g_ascii_isdigit (*parser->at)
        || (*parser->at == '.' && g_ascii_isdigit (parser->at[1]))) {
        return parse_number (parser, error);
    }
    if (*parser->at == '\'' || *parser->at == '"') {
        return parse_string (parser, FALSE, FALSE, error);
    }
    if (take (parser, "(")) {
        return parse_items (parser, ")", error);
    }
    if (take (parser, "[")) {
        return parse_items (parser, "]", error);
    }
    word = take_word (parser);
    if (word == NULL) {
        return *parser->at == '{' ? python_point_refuse (error, "it builds a dict or set")
                                  : set_syntax (parser, error);
    }
    if ((*parser->at == '\'' || *parser->at == '"') && strlen (word) <= 2) {
        return parse_prefixed_string (parser, word, error);
    }
    if (strcmp (word, "None") == 0) {
        return make_dummy (parser);
    }
    if (strcmp (word, "True") == 0 || strcmp (word, "False") == 0) {
        return python_point_new_bool (parser->evaluation, word[0] == 'T');
    }
    if (strcmp (word, "lambda") == 0 || strcmp (word, "await") == 0
        || strcmp (word, "yield") == 0) {
        return python_point_refuse (error, "it contains %s", word);
    }
    return is_skipping (parser) ? make_dummy (parser)
                                : python_evaluation_find_name (parser->evaluation, word, error);
}

/* ---- trailers ---- */

static gboolean
is_at (Parser *parser, const char *signs)
{
    skip_spaces (parser);
    return *parser->at != '\0' && strchr (signs, *parser->at) != NULL;
}

/* One index of a subscript: an expression or a slice. */
static PythonPoint *
parse_index (Parser *parser, GError **error)
{
    PythonPoint *parts[3] = { NULL, NULL, NULL };
    PythonPoint *slice;
    guint n = 0;

    for (;;) {
        if (!is_at (parser, ":,]")) {
            parts[n] = parse_expression (parser, error);
            if (parts[n] == NULL) {
                return NULL;
            }
        }
        if (n == 2 || !take (parser, ":")) {
            break;
        }
        n++;
    }
    if (n == 0) {
        return parts[0] != NULL ? parts[0] : set_syntax (parser, error);
    }
    slice = python_point_new (parser->evaluation, PYTHON_POINT_SLICE);
    slice->items = g_ptr_array_new ();
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
        g_ptr_array_add (slice->items, parts[i]);
    }
    return slice;
}

static PythonPoint *
parse_subscript (Parser *parser, PythonPoint *point, GError **error)
{
    PythonPoint *tuple = python_point_new (parser->evaluation, PYTHON_POINT_TUPLE);
    gboolean has_comma = FALSE;

    tuple->items = g_ptr_array_new ();
    do {
        PythonPoint *index = parse_index (parser, error);

        if (index == NULL) {
            return NULL;
        }
        g_ptr_array_add (tuple->items, index);
        if (take (parser, "]")) {
            break;
        }
        has_comma = take (parser, ",");
        if (!has_comma || tuple->items->len > PYTHON_MAX_DIMENSIONS) {
            return set_syntax (parser, error);
        }
    } while (!take (parser, "]"));
    if (is_skipping (parser)) {
        return make_dummy (parser);
    }
    return python_point_subscript (parser->evaluation, point,
                                   has_comma ? tuple : g_ptr_array_index (tuple->items, 0),
                                   error);
}

static PythonPoint *
parse_call (Parser *parser, PythonPoint *point, GError **error)
{
    g_autoptr (GPtrArray) arguments = g_ptr_array_new ();

    while (!take (parser, ")")) {
        PythonPoint *argument = parse_expression (parser, error);

        if (argument == NULL || (take_operator (parser, "=", "="))) {
            return argument == NULL ? NULL : python_point_refuse (error, "it is a call");
        }
        g_ptr_array_add (arguments, argument);
        if (!take (parser, ",") && !is_at (parser, ")")) {
            return set_syntax (parser, error);
        }
    }
    if (is_skipping (parser)) {
        return make_dummy (parser);
    }
    return python_point_call (parser->evaluation, point, arguments, error);
}

static PythonPoint *
parse_primary (Parser *parser, GError **error)
{
    PythonPoint *point = parse_atom (parser, error);

    while (point != NULL) {
        if (take_operator (parser, ".", ".")) {
            g_autofree char *name = NULL;

            skip_spaces (parser);
            name = take_word (parser);
            if (name == NULL) {
                return set_syntax (parser, error);
            }
            point = is_skipping (parser)
                        ? point
                        : python_point_attribute (parser->evaluation, point, name, error);
        } else if (take (parser, "[")) {
            point = parse_subscript (parser, point, error);
        } else if (take (parser, "(")) {
            point = parse_call (parser, point, error);
        } else {
            break;
        }
    }
    return point;
}

/* ---- operators ---- */

static PythonPoint *
parse_power (Parser *parser, GError **error)
{
    PythonPoint *left = parse_primary (parser, error);
    PythonPoint *right;

    if (left == NULL || !take (parser, "**")) {
        return left;
    }
    if (++parser->evaluation->depth > MAX_DEPTH) {
        return set_syntax (parser, error);
    }
    right = parse_unary (parser, error);
    parser->evaluation->depth--;
    if (right == NULL) {
        return NULL;
    }
    return is_skipping (parser)
               ? left
               : python_point_compute (parser->evaluation, 'p', left, right, error);
}

static PythonPoint *
parse_unary (Parser *parser, GError **error)
{
    char sign;
    PythonPoint *point;

    if (!is_at (parser, "+-~")) {
        return parse_power (parser, error);
    }
    if (++parser->evaluation->depth > MAX_DEPTH) {
        return set_syntax (parser, error);
    }
    sign = *parser->at++;
    point = parse_unary (parser, error);
    parser->evaluation->depth--;
    if (point == NULL || is_skipping (parser)) {
        return point;
    }
    return python_point_negate (parser->evaluation, sign, point, error);
}

typedef struct {
    const char *sign;
    const char *not_followed_by;
    char operation;
    guint level;
} Operator;

static const Operator operators[] = {
    { "|", "", '|', 0 },  { "^", "", '^', 1 },  { "&", "", '&', 2 }, { "<<", "", 'l', 3 },
    { ">>", "", 'r', 3 }, { "+", "", '+', 4 },  { "-", "", '-', 4 }, { "//", "", 'd', 5 },
    { "*", "*", '*', 5 }, { "/", "/", '/', 5 }, { "%", "", '%', 5 },
};
#define N_LEVELS 6u

static PythonPoint *
parse_binary (Parser *parser, guint level, GError **error)
{
    PythonPoint *left = level == N_LEVELS ? parse_unary (parser, error)
                                          : parse_binary (parser, level + 1, error);

    while (left != NULL && level < N_LEVELS) {
        const Operator *found = NULL;
        PythonPoint *right;

        for (guint i = 0; i < G_N_ELEMENTS (operators) && found == NULL; i++) {
            if (operators[i].level == level
                && take_operator (parser, operators[i].sign, operators[i].not_followed_by)) {
                found = &operators[i];
            }
        }
        if (found == NULL) {
            break;
        }
        right = parse_binary (parser, level + 1, error);
        if (right == NULL) {
            return NULL;
        }
        if (!is_skipping (parser)) {
            left = python_point_compute (parser->evaluation, found->operation, left, right,
                                         error);
        }
    }
    return left;
}

typedef enum {
    COMPARE_NONE,
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LE,
    COMPARE_GE,
    COMPARE_LT,
    COMPARE_GT,
    COMPARE_IN,
    COMPARE_NOT_IN,
    COMPARE_IS,
    COMPARE_IS_NOT
} Comparison;

static Comparison
take_comparison (Parser *parser)
{
    static const struct {
        const char *sign;
        Comparison comparison;
    } rows[] = {
        { "==", COMPARE_EQ }, { "!=", COMPARE_NE }, { "<=", COMPARE_LE }, { ">=", COMPARE_GE },
        { "<", COMPARE_LT },  { ">", COMPARE_GT },  { "in", COMPARE_IN },
    };
    const char *start;

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (take (parser, rows[i].sign)) {
            return rows[i].comparison;
        }
    }
    start = parser->at;
    if (take (parser, "not")) {
        if (take (parser, "in")) {
            return COMPARE_NOT_IN;
        }
        parser->at = start;
        return COMPARE_NONE;
    }
    if (take (parser, "is")) {
        return take (parser, "not") ? COMPARE_IS_NOT : COMPARE_IS;
    }
    return COMPARE_NONE;
}

static gboolean
compare (PythonEvaluation *evaluation, Comparison comparison, PythonPoint *a, PythonPoint *b,
         gboolean *ret_result, GError **error)
{
    gboolean result = FALSE;
    int order = 0;
    gboolean is_known;

    switch (comparison) {
    case COMPARE_EQ:
    case COMPARE_NE:
        is_known = python_point_equal (evaluation, a, b, &result, error);
        *ret_result = result == (comparison == COMPARE_EQ);
        return is_known;
    case COMPARE_IN:
    case COMPARE_NOT_IN:
        is_known = python_point_contains (evaluation, a, b, &result, error);
        *ret_result = result == (comparison == COMPARE_IN);
        return is_known;
    case COMPARE_IS:
    case COMPARE_IS_NOT:
        is_known = python_point_is_same (evaluation, a, b, &result, error);
        *ret_result = result == (comparison == COMPARE_IS);
        return is_known;
    default:
        is_known = python_point_order (evaluation, a, b, &order, error);
        *ret_result = order != 2
                      && (comparison == COMPARE_LT   ? order < 0
                          : comparison == COMPARE_GT ? order > 0
                          : comparison == COMPARE_LE ? order <= 0
                                                     : order >= 0);
        return is_known;
    }
}

static PythonPoint *
parse_comparison (Parser *parser, GError **error)
{
    PythonPoint *left = parse_binary (parser, 0, error);
    gboolean result = TRUE;
    gboolean is_compared = FALSE;
    guint skips = 0;
    Comparison comparison;

    while (left != NULL && (comparison = take_comparison (parser)) != COMPARE_NONE) {
        PythonPoint *right = parse_binary (parser, 0, error);

        if (right == NULL) {
            return NULL;
        }
        if (!is_skipping (parser)
            && !compare (parser->evaluation, comparison, left, right, &result, error)) {
            return NULL;
        }
        if (!is_skipping (parser) && !result) {
            parser->evaluation->skip++;
            skips++;
        }
        is_compared = TRUE;
        left = right;
    }
    parser->evaluation->skip -= skips;
    return left == NULL || !is_compared || is_skipping (parser)
               ? left
               : python_point_new_bool (parser->evaluation, result);
}

static PythonPoint *
parse_not (Parser *parser, GError **error)
{
    PythonPoint *point;
    gboolean truth;

    if (!take (parser, "not")) {
        return parse_comparison (parser, error);
    }
    if (++parser->evaluation->depth > MAX_DEPTH) {
        return set_syntax (parser, error);
    }
    point = parse_not (parser, error);
    parser->evaluation->depth--;
    if (point == NULL || is_skipping (parser)) {
        return point;
    }
    return python_point_is_true (parser->evaluation, point, &truth, error)
               ? python_point_new_bool (parser->evaluation, !truth)
               : NULL;
}

/* "a and b and …", or the same with "or": the value that decides. */
static PythonPoint *
parse_chain (Parser *parser, gboolean is_or, GError **error)
{
    PythonPoint *point = is_or ? parse_chain (parser, FALSE, error) : parse_not (parser, error);
    guint skips = 0;

    while (point != NULL && take (parser, is_or ? "or" : "and")) {
        PythonPoint *next;
        gboolean truth;

        if (!is_skipping (parser)) {
            if (!python_point_is_true (parser->evaluation, point, &truth, error)) {
                return NULL;
            }
            skips = truth == is_or;
            parser->evaluation->skip += skips;
        }
        next = is_or ? parse_chain (parser, FALSE, error) : parse_not (parser, error);
        if (next == NULL) {
            return NULL;
        }
        point = is_skipping (parser) ? point : next;
    }
    parser->evaluation->skip -= skips;
    return point;
}

static PythonPoint *
parse_condition (Parser *parser, PythonPoint *value, GError **error)
{
    PythonPoint *condition = parse_chain (parser, TRUE, error);
    PythonPoint *other;
    gboolean truth = TRUE;
    gboolean skips = is_skipping (parser);

    if (condition == NULL
        || (!skips && !python_point_is_true (parser->evaluation, condition, &truth, error))) {
        return NULL;
    }
    if (!take (parser, "else")) {
        return set_syntax (parser, error);
    }
    parser->evaluation->skip += truth && !skips;
    other = parse_expression (parser, error);
    parser->evaluation->skip -= truth && !skips;
    return other == NULL ? NULL : truth ? value : other;
}

static PythonPoint *
parse_expression (Parser *parser, GError **error)
{
    PythonPoint *point;

    if (++parser->evaluation->depth > MAX_DEPTH) {
        return set_syntax (parser, error);
    }
    point = parse_chain (parser, TRUE, error);
    if (point != NULL && take (parser, "if")) {
        point = parse_condition (parser, point, error);
    }
    if (point != NULL && take (parser, "for")) {
        point = python_point_refuse (error, "it is a comprehension");
    }
    parser->evaluation->depth--;
    return point;
}

static PythonPoint *
parse_all (Parser *parser, GError **error)
{
    PythonPoint *point = parse_expression (parser, error);
    PythonPoint *tuple;

    if (point == NULL || !take (parser, ",")) {
        return point;
    }
    tuple = python_point_new (parser->evaluation, PYTHON_POINT_TUPLE);
    tuple->items = g_ptr_array_new ();
    g_ptr_array_add (tuple->items, point);
    for (skip_spaces (parser); *parser->at != '\0'; skip_spaces (parser)) {
        point = parse_expression (parser, error);
        if (point == NULL) {
            return NULL;
        }
        g_ptr_array_add (tuple->items, point);
        if (!take (parser, ",")) {
            break;
        }
    }
    return tuple;
}

PythonPoint *
python_expression_evaluate (PythonEvaluation *evaluation, const char *text, GError **error)
{
    Parser parser = { evaluation, text, text };

    /* First what is no expression, or needs code whatever its names are. */
    evaluation->skip = 1;
    if (parse_all (&parser, error) == NULL) {
        return NULL;
    }
    skip_spaces (&parser);
    if (*parser.at != '\0') {
        return set_syntax (&parser, error);
    }
    evaluation->skip = 0;
    evaluation->depth = 0;
    parser.at = text;
    return parse_all (&parser, error);
}
