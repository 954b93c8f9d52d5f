/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled into steps for a stack of numbers, by recursive descent; what is not 0 and not NaN is true. */
#include "gui/arrays/array-filter.h"
#include <math.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"

enum { MAX_DEPTH = 40, MAX_STEPS = 400, N_INDICES = 4 };

typedef enum {
    PUSH, /* number */
    VALUE,
    INDEX, /* number: which dimension */
    RANK,
    NEGATE,
    NOT,
    ABS,
    IS_NAN,
    IS_INF,
    IS_FINITE,
    AND, /* from here on of two */
    OR,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    UNEQUAL
} Operation;

typedef struct {
    Operation operation;
    double number;
} Step;

struct _GuiArrayFilter {
    GArray *steps; /* of Step */
    gboolean has_indices;
};

typedef struct {
    GuiArrayFilter *filter;
    const char *at;
    guint depth;
    gboolean is_wrong;
} Parser;

typedef struct {
    const char *word;
    Operation operation;
} Word;

static void parse_or (Parser *parser);

static void
add (Parser *parser, Operation operation, double number)
{
    Step step = { operation, number };

    parser->is_wrong = parser->is_wrong || parser->filter->steps->len >= MAX_STEPS;
    if (!parser->is_wrong) {
        g_array_append_val (parser->filter->steps, step);
    }
}

static void
skip_blanks (Parser *parser)
{
    while (g_ascii_isspace (*parser->at)) {
        parser->at++;
    }
}

static gboolean
is_name (char c)
{
    return g_ascii_isalnum (c) || c == '_';
}

/* A sign, or a word that does not go on. */
static gboolean
take (Parser *parser, const char *token)
{
    gsize size = strlen (token);

    skip_blanks (parser);
    if (strncmp (parser->at, token, size) != 0
        || (is_name (token[size - 1]) && is_name (parser->at[size]))) {
        return FALSE;
    }
    parser->at += size;
    return TRUE;
}

/* The first of the words that is there; NULL: none is. */
static const Word *
take_one (Parser *parser, const Word *words, guint n)
{
    return BASE_CHOOSE (i, n, take (parser, words[i].word), &words[i], NULL);
}

static void
parse_parenthesis (Parser *parser)
{
    parse_or (parser);
    parser->is_wrong = parser->is_wrong || !take (parser, ")");
}

static void
parse_number (Parser *parser)
{
    char *end;
    double number = g_ascii_strtod (parser->at, &end);

    parser->is_wrong = parser->is_wrong || end == parser->at || is_name (*end);
    parser->at = end;
    add (parser, PUSH, number);
}

static void
parse_primary (Parser *parser)
{
    static const Word functions[] = {
        { "abs", ABS }, { "isnan", IS_NAN }, { "isinf", IS_INF }, { "isfinite", IS_FINITE }
    };
    static const Word names[] = { { "value", VALUE }, { "$value", VALUE }, { "rank", RANK },
                                  { "i", INDEX },     { "j", INDEX },      { "k", INDEX },
                                  { "l", INDEX } };
    const Word *word;

    if (take (parser, "(")) {
        parse_parenthesis (parser);
    } else if ((word = take_one (parser, functions, G_N_ELEMENTS (functions))) != NULL) {
        parser->is_wrong = parser->is_wrong || !take (parser, "(");
        parse_parenthesis (parser);
        add (parser, word->operation, 0);
    } else if ((word = take_one (parser, names, G_N_ELEMENTS (names))) != NULL) {
        gboolean is_index = word->operation == INDEX;

        add (parser, word->operation, is_index ? word->word[0] - 'i' : 0);
        parser->filter->has_indices = parser->filter->has_indices || is_index
                                      || word->operation == RANK;
    } else if (take (parser, "nan")) {
        add (parser, PUSH, NAN);
    } else if (take (parser, "inf")) {
        add (parser, PUSH, INFINITY);
    } else {
        parse_number (parser);
    }
}

static void
parse_unary (Parser *parser)
{
    gboolean is_negative = take (parser, "-");

    if (++parser->depth > MAX_DEPTH) {
        parser->is_wrong = TRUE;
    }
    if (parser->is_wrong) {
        return;
    }
    if (is_negative || take (parser, "+")) {
        parse_unary (parser);
        if (is_negative) {
            add (parser, NEGATE, 0);
        }
    } else {
        parse_primary (parser);
    }
    parser->depth--;
}

/* Left to right. */
static void
parse_chain (Parser *parser, const Word *words, guint n, void (*parse_part) (Parser *parser))
{
    const Word *word;

    parse_part (parser);
    while (!parser->is_wrong && (word = take_one (parser, words, n)) != NULL) {
        parse_part (parser);
        add (parser, word->operation, 0);
    }
}

static void
parse_product (Parser *parser)
{
    static const Word words[] = { { "*", MULTIPLY }, { "/", DIVIDE }, { "%", MODULO } };

    parse_chain (parser, words, G_N_ELEMENTS (words), parse_unary);
}

static void
parse_sum (Parser *parser)
{
    static const Word words[] = { { "+", ADD }, { "-", SUBTRACT } };

    parse_chain (parser, words, G_N_ELEMENTS (words), parse_product);
}

static void
parse_comparison (Parser *parser)
{
    static const Word words[] = { { "<=", LESS_EQUAL }, { ">=", GREATER_EQUAL },
                                  { "==", EQUAL },      { "!=", UNEQUAL },
                                  { "<", LESS },        { ">", GREATER } };
    const Word *word;

    parse_sum (parser);
    word = take_one (parser, words, G_N_ELEMENTS (words));
    if (word != NULL) {
        parse_sum (parser);
        add (parser, word->operation, 0);
    }
}

static void
parse_not (Parser *parser)
{
    if (++parser->depth > MAX_DEPTH) {
        parser->is_wrong = TRUE;
        return;
    }
    if (take (parser, "not")
        || (parser->at[0] == '!' && parser->at[1] != '=' && take (parser, "!"))) {
        parse_not (parser);
        add (parser, NOT, 0);
    } else {
        parse_comparison (parser);
    }
    parser->depth--;
}

static void
parse_and (Parser *parser)
{
    static const Word words[] = { { "&&", AND }, { "and", AND } };

    parse_chain (parser, words, G_N_ELEMENTS (words), parse_not);
}

static void
parse_or (Parser *parser)
{
    static const Word words[] = { { "||", OR }, { "or", OR } };

    parse_chain (parser, words, G_N_ELEMENTS (words), parse_and);
}

GuiArrayFilter *
gui_array_filter_new (const char *text, GError **error)
{
    g_autoptr (GuiArrayFilter) filter = g_new0 (GuiArrayFilter, 1);
    Parser parser = { filter, text, 0, FALSE };

    filter->steps = g_array_new (FALSE, FALSE, sizeof (Step));
    parse_or (&parser);
    skip_blanks (&parser);
    if (parser.is_wrong || *parser.at != '\0') {
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot understand \"%s\": write a comparison such as value > 0.5",
                        text);
        return NULL;
    }
    return g_steal_pointer (&filter);
}

BASE_FREE_PUBLIC (gui_array_filter_free, GuiArrayFilter, filter, g_array_unref (filter->steps))

static gboolean
is_true (double number)
{
    return number != 0 && !isnan (number);
}

static double
compute (Operation operation, double a, double b)
{
    switch (operation) {
    case AND: return is_true (a) && is_true (b);
    case OR: return is_true (a) || is_true (b);
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case MODULO: return fmod (a, b);
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    case EQUAL: return a == b;
    default: return a != b;
    }
}

static double
compute_one (Operation operation, double a)
{
    switch (operation) {
    case NEGATE: return -a;
    case NOT: return !is_true (a);
    case ABS: return fabs (a);
    case IS_NAN: return isnan (a);
    case IS_INF: return isinf (a);
    default: return isfinite (a);
    }
}

/* indices: of the first dimensions, then the rank. */
static gboolean
matches (const GuiArrayFilter *filter, double value, const double *indices)
{
    double stack[MAX_STEPS];
    guint n = 0;

    BASE_EACH_ROW (filter->steps, const Step, step) {
        if (step->operation == PUSH) {
            stack[n++] = step->number;
        } else if (step->operation == VALUE) {
            stack[n++] = value;
        } else if (step->operation == INDEX) {
            stack[n++] = indices[(guint) step->number];
        } else if (step->operation == RANK) {
            stack[n++] = indices[N_INDICES];
        } else if (step->operation < AND) {
            stack[n - 1] = compute_one (step->operation, stack[n - 1]);
        } else {
            n--;
            stack[n - 1] = compute (step->operation, stack[n - 1], stack[n]);
        }
    }
    return is_true (stack[0]);
}

/* An index is NaN where there is no such dimension: nothing is compared with it. */
static void
find_indices (const GuiArrayData *data, guint64 position, guint32 rank, double *indices)
{
    gint64 coordinates[GUI_ARRAY_MAX_DIMENSIONS];
    guint n = 0;

    gui_array_data_find_coordinates (data, position, coordinates);
    for (guint i = 0; i < data->n_dimensions && n < N_INDICES; i++) {
        if (data->ranks == NULL || i != data->rank_dimension) {
            indices[n++] = (double) coordinates[i];
        }
    }
    while (n < N_INDICES) {
        indices[n++] = NAN;
    }
    indices[N_INDICES] = (double) gui_array_data_find_rank (data, coordinates, rank);
}

guint64
gui_array_filter_apply (const GuiArrayFilter *filter, GuiArrayData *data, guint32 rank)
{
    guint64 n = 0;
    double indices[N_INDICES + 1] = { 0 };

    g_clear_pointer (&data->hidden, g_free);
    if (filter == NULL) {
        return data->n_elements;
    }
    data->hidden = g_malloc0 (data->n_elements / 8 + 1);
    for (guint64 i = 0; i < data->n_elements; i++) {
        if (filter->has_indices) {
            find_indices (data, i, rank, indices);
        }
        if (matches (filter, gui_array_data_get (data, i), indices)) {
            n++;
        } else {
            data->hidden[i / 8] |= (guint8) (1 << i % 8);
        }
    }
    return n;
}
