/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses type names in expressions: their words, qualifiers and declarators. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_DECLARATOR 20

typedef struct {
    guint longs, shorts, unsigneds, signeds, complexes; /* how often each word was there */
    char *base;          /* "int", "char", "double" …; NULL: none */
    GString *qualifiers; /* "const volatile" */
} Words;

/* In gdb's order, each once. */
static void
put_qualifier (GString *words, const char *word)
{
    static const char *const order[] = { "const", "volatile", "restrict", "_Atomic" };
    g_autofree char *before = g_strdup (words->str);
    const char *own = g_str_has_prefix (word, "__") ? "restrict" : word;
    g_string_truncate (words, 0);
    for (guint i = 0; i < G_N_ELEMENTS (order); i++)
        if (strstr (before, order[i]) || !strcmp (order[i], own))
            g_string_append_printf (words, "%s%s", words->len ? " " : "", order[i]);
}

static gboolean
is_qualifier (const char *word)
{
    static const char *const words[] = { "const",        "volatile", "restrict",
                                         "__restrict__", "_Atomic",  NULL };
    return g_strv_contains (words, word);
}

/* FALSE: the word is none of a basic type's. */
static gboolean
note_word (Words *words, const char *word)
{
    static const char *const bases[] = { "int",        "char",       "float",       "double",
                                         "void",       "_Bool",      "bool",        "__int128",
                                         "_Decimal32", "_Decimal64", "_Decimal128", "_Float128",
                                         "__float128", NULL };
    if (!strcmp (word, "long"))
        words->longs++;
    else if (!strcmp (word, "short"))
        words->shorts++;
    else if (!strcmp (word, "unsigned"))
        words->unsigneds++;
    else if (!strcmp (word, "signed"))
        words->signeds++;
    else if (!strcmp (word, "_Complex") || !strcmp (word, "__complex__"))
        words->complexes++;
    else if (!words->base && g_strv_contains (bases, word))
        words->base = g_strdup (word);
    else
        return FALSE;
    return TRUE;
}

static gboolean
has_words (const Words *words)
{
    return words->base || words->longs || words->shorts || words->unsigneds || words->signeds
           || words->complexes;
}

static guint32
get_basic (SymbolParser *parser, EvaluateTypeKind kind, guint64 size, const char *name)
{
    return symbol_type_get_basic (parser->binding, kind, size, name);
}

static guint32
find_integer (SymbolParser *parser, const Words *words)
{
    gboolean without_sign = words->unsigneds > 0;
    const char *length = words->longs > 1                           ? "long long"
                         : words->longs                             ? "long"
                         : words->shorts                            ? "short"
                         : g_strcmp0 (words->base, "__int128") == 0 ? "__int128"
                                                                    : "int";
    g_autofree char *name = g_strconcat (without_sign ? "unsigned " : "", length, NULL);
    return get_basic (parser, without_sign ? EVALUATE_TYPE_UNSIGNED : EVALUATE_TYPE_SIGNED,
                      words->longs       ? 8
                      : words->shorts    ? 2
                      : length[0] == '_' ? 16
                                         : 4,
                      name);
}

static guint32
find_basic (SymbolParser *parser, const Words *words)
{
    gboolean is_bare = words->complexes && !words->longs && !words->shorts && !words->unsigneds
                       && !words->signeds;
    const char *base = words->base ? words->base : is_bare ? "double" : "int";
    if (g_str_has_prefix (base, "_Decimal"))
        return symbol_parser_get_decimal (parser, strtoul (base + 8, NULL, 10) / 8);
    if (g_str_has_suffix (base, "loat128"))
        return words->complexes ? symbol_parser_get_complex (parser, 16, TRUE)
                                : symbol_parser_get_real (parser, 16, TRUE);
    if (words->complexes && !strstr (base, "float") && !strstr (base, "double")) {
        guint64 half = !strcmp (base, "char") ? 1 : words->longs ? 8 : words->shorts ? 2 : 4;
        return symbol_parser_get_whole_complex (parser, half, !words->unsigneds);
    }
    if (words->complexes) {
        gboolean is_float = !strcmp (base, "float");
        return get_basic (parser, EVALUATE_TYPE_COMPLEX,
                          is_float       ? 8
                          : words->longs ? 32
                                         : 16,
                          is_float       ? "complex float"
                          : words->longs ? "complex long double"
                                         : "complex double");
    }
    if (!strcmp (base, "void"))
        return 0;
    if (!strcmp (base, "float"))
        return get_basic (parser, EVALUATE_TYPE_FLOAT, 4, "float");
    if (!strcmp (base, "double"))
        return words->longs ? get_basic (parser, EVALUATE_TYPE_FLOAT, 16, "long double")
                            : get_basic (parser, EVALUATE_TYPE_FLOAT, 8, "double");
    if (strstr (base, "ool"))
        return get_basic (parser, EVALUATE_TYPE_BOOL, 1, base);
    if (!strcmp (base, "char"))
        return words->unsigneds ? get_basic (parser, EVALUATE_TYPE_UCHAR, 1, "unsigned char")
               : words->signeds ? get_basic (parser, EVALUATE_TYPE_CHAR, 1, "signed char")
                                : get_basic (parser, EVALUATE_TYPE_CHAR, 1, "char");
    return find_integer (parser, words);
}

/* "struct X". TRUE also after an error. */
static gboolean
take_tagged (SymbolParser *parser, const char *word, guint32 *ret_type)
{
    guint32 tag = !strcmp (word, "struct") || !strcmp (word, "class") ? DW_TAG_structure_type
                  : !strcmp (word, "union")                           ? DW_TAG_union_type
                  : !strcmp (word, "enum")                            ? DW_TAG_enumeration_type
                                                                      : 0;
    SymbolDie die;
    if (!tag)
        return FALSE;
    g_autofree char *name = symbol_parser_take_name (parser);
    if (name && symbol_scope_find_type (parser->binding, name, tag, &die))
        *ret_type = symbol_type_build (parser->binding, die.offset);
    else
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no type \"%s %s\"", word,
                            name ? name : "");
    return TRUE;
}

/* A typedef, or in C++ a class. */
static gboolean
find_named (SymbolParser *parser, const char *word, guint32 *ret_type)
{
    SymbolDie die;
    gboolean is_value = symbol_scope_find (parser->binding, word, &die)
                        && !(die.tag == DW_TAG_subprogram
                             && /* of a class without a name: X::t for its constructor */
                             symbol_die_takes_object (parser->binding->dwarf, &die));
    if (is_value || !symbol_scope_find_type (parser->binding, word, 0, &die)
        || (die.tag != DW_TAG_typedef && die.tag != DW_TAG_base_type
            && symbol_imports_get_language (parser->binding, die.unit) == JOB_LANGUAGE_C))
        return FALSE;
    *ret_type = symbol_type_build (parser->binding, die.offset);
    return TRUE;
}

/* "integer", "real*8", "complex(kind=8)", "type point": Fortran's. */
static gboolean
take_fortran (SymbolParser *parser, const char *word, guint32 *ret_type)
{
    static const struct {
        const char *word;
        EvaluateTypeKind kind;
        guint usual;
    } rows[] = {
        { "integer", EVALUATE_TYPE_SIGNED, 4 }, { "real", EVALUATE_TYPE_FLOAT, 4 },
        { "logical", EVALUATE_TYPE_BOOL, 4 },   { "complex", EVALUATE_TYPE_COMPLEX, 4 },
        { "character", EVALUATE_TYPE_CHAR, 1 },
    };
    SymbolDie die;
    guint i = 0;
    if (g_ascii_strcasecmp (word, "type") == 0) {
        g_autofree char *name = symbol_parser_take_name (parser);
        g_autofree char *lower = name ? g_ascii_strdown (name, -1) : NULL;
        if (!lower
            || !symbol_scope_find_type (parser->binding, lower, DW_TAG_structure_type, &die))
            return FALSE;
        *ret_type = symbol_type_build (parser->binding, die.offset);
        return TRUE;
    }
    while (i < G_N_ELEMENTS (rows) && g_ascii_strcasecmp (word, rows[i].word) != 0)
        i++;
    if (i == G_N_ELEMENTS (rows) || symbol_scope_find (parser->binding, rows[i].word, &die))
        return FALSE;
    char *end = (char *) parser->at;
    guint64 kind = rows[i].usual;
    if (symbol_parser_take (parser, "*")) {
        symbol_parser_skip_space (parser);
        kind = g_ascii_strtoull (parser->at, &end, 10)
               / (rows[i].kind == EVALUATE_TYPE_COMPLEX ? 2 : 1);
    } else if (symbol_parser_take (parser, "(kind=")) {
        kind = g_ascii_strtoull (parser->at, &end, 10);
        if (*end++ != ')')
            return FALSE;
    }
    parser->at = end;
    if (kind != 1 && kind != 2 && kind != 4 && kind != 8 && kind != 16)
        return FALSE;
    g_autofree char *name = rows[i].kind == EVALUATE_TYPE_CHAR
                                ? g_strdup ("character*1")
                                : g_strdup_printf ("%s(kind=%u)", rows[i].word, (guint) kind);
    *ret_type = get_basic (parser, rows[i].kind,
                           rows[i].kind == EVALUATE_TYPE_COMPLEX ? 2 * kind : kind, name);
    symbol_type_get (parser->binding, *ret_type)->flags |= EVALUATE_TYPE_FORTRAN;
    return TRUE;
}

/* "complex double" is what compilers call it; complex alone may be anything. */
static gboolean
is_complex (const char *word, const char *after)
{
    static const char *const parts[] = { "double", "float", "long",     "int",
                                         "short",  "char",  "unsigned", "signed" };
    after += strspn (after, " ");
    return BASE_ANY (i, G_N_ELEMENTS (parts),
                     g_str_has_prefix (after, parts[i]) && !strcmp (word, "complex"));
}

/* What decltype says of an expression (C++17 [dcl.type.simple]): of a name, or of a member by its name, how that was
 * declared; of all else a reference, unless it was only computed. */
static guint32
find_declared (SymbolParser *parser, const SymbolNode *node, const char *text, gsize length)
{
    SymbolBinding *binding = parser->binding;
    gboolean is_name = TRUE;
    for (gsize i = 0; i < length; i++)
        is_name &= symbol_parser_is_word (text[i], FALSE) || strchr (" .:", text[i])
                   || (text[i] == '-' && text[i + 1] == '>')
                   || (text[i] == '>' && i && text[i - 1] == '-');
    if (binding->followed_end && node->code && binding->followed_end == node->code->len
        && (is_name || node->is_rvalue))
        return binding->followed;
    return is_name || symbol_node_is_rvalue (node) || !node->type
               ? node->type
               : symbol_type_get_reference (binding, node->type, FALSE);
}

/* typeof (expression) and decltype (expression). */
static gboolean
take_typeof (SymbolParser *parser, const char *word, guint32 *ret_type)
{
    static const char *const words[] = { "typeof",   "__typeof",   "__typeof__",
                                         "decltype", "__decltype", NULL };
    if (!g_strv_contains (words, word) || !symbol_parser_take (parser, "("))
        return FALSE;
    if (symbol_parser_take_type (parser, ret_type)) {
        symbol_parser_expect (parser, ")");
        return TRUE;
    }
    const char *start = parser->at;
    SymbolNode node = symbol_parse_comma (parser);
    *ret_type = parser->error || !strstr (word, "decltype")
                    ? node.type
                    : find_declared (parser, &node, start, (gsize) (parser->at - start));
    symbol_parser_expect (parser, ")");
    g_clear_pointer (&node.code, g_byte_array_unref);
    return TRUE;
}

/* Qualifiers and one type, in any order. */
static gboolean
take_words (SymbolParser *parser, Words *words, guint32 *ret_type)
{
    gboolean is_found = FALSE;
    for (;;) {
        const char *before = parser->at;
        g_autofree char *word = symbol_parser_take_name (parser);
        if (word && is_qualifier (word)) {
            put_qualifier (words->qualifiers, word);
            continue;
        }
        if (word && !is_found && is_complex (word, parser->at)) {
            words->complexes++;
            continue;
        }
        if (word && !is_found && (!symbol_parser_is_fortran (parser) || parser->reads_c)
            && note_word (words, word))
            continue;
        if (word && !is_found && !has_words (words)
            && (take_tagged (parser, word, ret_type) || take_typeof (parser, word, ret_type)
                || (symbol_parser_is_fortran (parser) && take_fortran (parser, word, ret_type))
                || find_named (parser, word, ret_type))) {
            is_found = TRUE;
            if (parser->error)
                return TRUE;
            continue;
        }
        parser->at = before;
        break;
    }
    if (!is_found && has_words (words)) {
        *ret_type = find_basic (parser, words);
        is_found = TRUE;
    }
    return is_found;
}

static guint32 take_declarator (SymbolParser *parser, guint32 type, guint depth);

/* "C::*", as the class; NULL and nothing taken: it is none. Caller owns. */
static char *
take_class_star (SymbolParser *parser)
{
    const char *before = parser->at;
    g_autofree char *name = symbol_parser_is_cxx (parser) ? symbol_parser_take_name (parser)
                                                          : NULL;
    if (name && symbol_parser_take (parser, "::*"))
        return g_steal_pointer (&name);
    parser->at = before;
    return NULL;
}

/* type: of a variable, or of a method as it is shown, with the object in front of its parameters. */
static guint32
get_member_pointer (SymbolParser *parser, const char *class, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    SymbolDie die;
    if (!symbol_scope_find_type (binding, class, 0, &die)) {
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no type \"%s\"", class);
        return type;
    }
    guint32 holder = symbol_type_strip_number (binding,
                                               symbol_type_build (binding, die.offset));
    const SymbolType *member = symbol_type_strip (binding, type);
    g_autofree char *object = symbol_names_reduce (symbol_type_get (binding, holder)->name);
    g_autofree char *name = symbol_names_reduce (member->name);
    const char *first = strstr (name, object), *open = strchr (name, '(');
    if (member->kind == EVALUATE_TYPE_FUNCTION
        && (!open || !first || first < open
            || strcspn (open + 1, ",)*&") < (gsize) (first - open)))
        symbol_parser_fail (
            parser, BASE_ERROR_INVALID,
            "cannot read expression: put the object first, as in void (%s::*)(%s * const)",
            class, class);
    return parser->error ? type : symbol_type_get_member_pointer (binding, holder, type);
}

static guint32
take_stars (SymbolParser *parser, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    gboolean is_cxx = binding->unit && binding->unit->language == JOB_LANGUAGE_CXX;
    gboolean has_references = !symbol_parser_is_fortran (parser); /* in C as gdb has them */
    while (!parser->error) {
        const char *before;
        if (symbol_parser_take (parser, "*")) {
            type = symbol_type_get_pointer (binding, type);
            continue;
        }
        if (is_cxx && symbol_parser_take (parser, "&&")) {
            type = symbol_type_get_reference (binding, type, TRUE);
            continue;
        }
        if (has_references && symbol_parser_take (parser, "&")) {
            type = symbol_type_get_reference (binding, type, FALSE);
            continue;
        }
        g_autofree char *class = take_class_star (parser);
        if (class) {
            type = get_member_pointer (parser, class, type);
            continue;
        }
        before = parser->at;
        g_autofree char *word = symbol_parser_take_name (parser);
        if (!word || !is_qualifier (word)) {
            parser->at = before;
            break;
        }
        g_autoptr (GString) words = g_string_new (NULL);
        while (word && is_qualifier (word)) {
            put_qualifier (words, word);
            before = parser->at;
            g_free (word);
            word = symbol_parser_take_name (parser);
        }
        parser->at = before;
        type = symbol_type_get_qualified (binding, type, words->str);
    }
    return type;
}

/* "(int, char)" behind a declarator. FALSE and nothing taken: it is none. */
static gboolean
take_parameters (SymbolParser *parser, GArray *parameters)
{
    const char *before = parser->at;
    if (!symbol_parser_take (parser, "("))
        return FALSE;
    if (symbol_parser_take (parser, ")"))
        return TRUE;
    do {
        guint32 type;
        if (parameters->len && symbol_parser_take (parser, SYMBOL_TAKES_MORE)) {
            type = symbol_type_get_basic (parser->binding, EVALUATE_TYPE_VOID, 0,
                                          SYMBOL_TAKES_MORE);
            g_array_append_val (parameters, type);
            break;
        }
        if (!symbol_parser_take_type (parser, &type)) {
            parser->at = before;
            return FALSE;
        }
        g_array_append_val (parameters, type);
    } while (!parser->error && symbol_parser_take (parser, ","));
    if (!symbol_parser_take (parser, ")")) {
        parser->at = before;
        return FALSE;
    }
    return TRUE;
}

/* "[3][4]": the last one is the innermost. */
static guint32
take_dimensions (SymbolParser *parser, guint32 type, guint depth)
{
    if (depth > MAX_DECLARATOR || !symbol_parser_take (parser, "["))
        return type;
    char *end;
    symbol_parser_skip_space (parser);
    guint64 count = g_ascii_strtoull (parser->at, &end, 0);
    parser->at = end;
    symbol_parser_expect (parser, "]");
    return parser->error
               ? type
               : symbol_type_get_array (parser->binding,
                                        take_dimensions (parser, type, depth + 1), count);
}

/* A bracket that begins with "*", "&" or "C::*": where it ends. NULL: it is not that. */
static const char *
find_nested_end (SymbolParser *parser)
{
    symbol_parser_skip_space (parser);
    const char *at = parser->at;
    int depth = 0;
    if (!symbol_parser_take (parser, "("))
        return NULL;
    symbol_parser_skip_space (parser);
    gboolean is_star = *parser->at == '*' || *parser->at == '&';
    g_autofree char *class = is_star ? NULL : take_class_star (parser);
    parser->at = at;
    if (!is_star && !class)
        return NULL;
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (!depth)
            return at;
    }
    return NULL;
}

static guint32
take_declarator (SymbolParser *parser, guint32 type, guint depth)
{
    type = take_stars (parser, type);
    const char *nested = depth < MAX_DECLARATOR ? find_nested_end (parser) : NULL;
    const char *inner = parser->at + 1;
    g_autoptr (GArray) parameters = g_array_new (FALSE, FALSE, sizeof (guint32));
    if (nested)
        parser->at = nested + 1;
    if (take_parameters (parser, parameters))
        type = symbol_type_get_function (parser->binding, type, parameters);
    else
        type = take_dimensions (parser, type, 0);
    if (!nested || parser->error)
        return type;
    const char *end = parser->at;
    parser->at = inner;
    type = take_declarator (parser, type, depth + 1);
    if (parser->at != nested)
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot read expression: no type at \"%s\"", inner);
    parser->at = end;
    return type;
}

/* "(1:3,0:4)" of Fortran, all bounds said. Nothing is taken of what is not that. */
static guint32
take_bounds (SymbolParser *parser, guint32 type)
{
    const char *before = parser->at;
    guint32 whole = type;
    if (!symbol_parser_take (parser, "("))
        return type;
    do {
        char *middle, *end;
        gint64 lower = g_ascii_strtoll (parser->at, &middle, 10);
        gint64 upper = *middle == ':' ? g_ascii_strtoll (middle + 1, &end, 10) : 0;
        if (middle == parser->at || *middle != ':' || end == middle + 1 || upper < lower - 1) {
            parser->at = before;
            return type;
        }
        parser->at = end;
        whole = symbol_type_get_array (parser->binding, whole, (guint64) (upper - lower + 1));
        symbol_type_get (parser->binding, whole)->lower = lower;
        symbol_type_get (parser->binding, whole)->flags |= EVALUATE_TYPE_FORTRAN
                                                           | EVALUATE_TYPE_COLUMN_MAJOR;
    } while (symbol_parser_take (parser, ","));
    if (symbol_parser_take (parser, ")"))
        return whole;
    parser->at = before;
    return type;
}

gboolean
symbol_parser_take_type (SymbolParser *parser, guint32 *ret_type)
{
    const char *before = parser->at;
    Words words = { .qualifiers = g_string_new (NULL) };
    *ret_type = 0; /* one that is not known is an error, and a type all the same */
    gboolean is_type = take_words (parser, &words, ret_type);
    if (is_type && !parser->error) {
        if (words.qualifiers->len)
            *ret_type = symbol_type_get_qualified (parser->binding, *ret_type,
                                                   words.qualifiers->str);
        *ret_type = symbol_parser_is_fortran (parser) ? take_bounds (parser, *ret_type)
                                                      : *ret_type;
        *ret_type = take_declarator (parser, *ret_type, 0);
    }
    if (!is_type)
        parser->at = before;
    g_string_free (words.qualifiers, TRUE);
    g_free (words.base);
    return is_type;
}
