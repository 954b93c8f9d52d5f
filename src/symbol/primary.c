/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses primary expressions: names in their scopes, files and functions, sizes, and casts by words. */
#include <glib/gi18n.h>
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"
#include "symbol/views-private.h"

/* A bare member name inside a method. */
static gboolean
emit_own_member (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolDie die;
    if (strcmp (name, "this") == 0 || symbol_parser_is_fortran (parser)
        || !symbol_scope_find_local (parser->binding, "this", &die))
        return FALSE;
    node->type = symbol_scope_emit (parser->binding, &die, node->code);
    symbol_emit_deref (parser, node);
    if (!parser->error
        && (symbol_parse_method_call (parser, node, name)
            || symbol_emit_named (parser, node, name)))
        return TRUE;
    g_byte_array_set_size (node->code, 0);
    return FALSE;
}

static gboolean
emit_word (SymbolParser *parser, SymbolNode *node, const char *name)
{
    gboolean is_true = strcmp (name, "true") == 0;
    if (strcmp (name, "__null") == 0) { /* what NULL is in g++ */
        g_byte_array_unref (node->code);
        *node = symbol_parser_make_integer (parser, symbol_parser_get_long (parser, TRUE), 0);
        return TRUE;
    }
    if (!is_true && strcmp (name, "false") != 0 && strcmp (name, "nullptr") != 0)
        return FALSE;
    g_byte_array_unref (node->code);
    *node = symbol_parser_make_integer (parser,
                                        name[0] == 'n'
                                            ? symbol_type_get_pointer (parser->binding, 0)
                                            : symbol_type_get_basic (parser->binding,
                                                                     EVALUATE_TYPE_BOOL, 1,
                                                                     "bool"),
                                        is_true);
    return TRUE;
}

static void
emit_entry (SymbolParser *parser, SymbolNode *node, const SymbolDie *die, const char *name)
{
    SymbolBinding *binding = parser->binding;
    if (die->tag == DW_TAG_subprogram && symbol_parser_is_next (parser, '(')) {
        symbol_parse_named_call (parser, node, die, name);
        return;
    }
    g_autofree char *overloads = die->tag == DW_TAG_subprogram
                                     ? symbol_names_list_overloads (binding, die)
                                     : NULL;
    if (overloads) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "\"%s\" is ambiguous: %s", name,
                            overloads);
        return;
    }
    if (die->tag == DW_TAG_subprogram && strstr (name, "::")) {
        symbol_emit_method_itself (parser, node, die);
        return;
    }
    node->type = symbol_scope_emit (binding, die, node->code);
    if (die->tag == DW_TAG_enumerator) {
        node->is_constant = TRUE;
        node->constant = symbol_die_get_number (binding->dwarf, die, DW_AT_const_value, 0);
    }
}

/* FUNCTION (TYPES), or a static variable of it: FUNCTION (TYPES)::NAME. FALSE and nothing taken: it is a call, or
 * something else. */
static gboolean
parse_written_function (SymbolParser *parser, SymbolNode *node, gboolean is_quoted)
{
    const char *before = parser->at;
    SymbolDie function, die;
    g_autofree char *name = symbol_parser_take_name (parser);
    if (!name || !symbol_parse_signature (parser, name, is_quoted, &function)) {
        parser->at = before;
        return FALSE;
    }
    if (parser->error)
        return TRUE;
    if (!symbol_parser_take (parser, "::")) {
        symbol_emit_method_itself (parser, node, &function);
        return TRUE;
    }
    g_autofree char *variable = symbol_parser_take_name (parser);
    if (variable && symbol_names_find_static (parser->binding, &function, variable, &die))
        node->type = symbol_scope_emit (parser->binding, &die, node->code);
    else
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no static variable \"%s\" in %s",
                            variable ? variable : "", name);
    return TRUE;
}

/* "work::counter". FALSE: there is no such variable. */
static gboolean
emit_of_function (SymbolParser *parser, SymbolNode *node, const char *name)
{
    gsize length;
    const char *last = index_find_last_component (name, &length);
    SymbolDie die;
    if (last - name < 3)
        return FALSE;
    g_autofree char *function = g_strndup (name, (gsize) (last - name - 2));
    if (!symbol_names_find_in_function (parser->binding, function, last, &die)
        || symbol_scope_is_strange (parser->binding, &die))
        return FALSE;
    node->type = symbol_scope_emit (parser->binding, &die, node->code);
    return TRUE;
}

/* Some namespace has a function of that name, which the arguments may lead to. */
static gboolean
has_function (SymbolParser *parser, const char *name)
{
    const GArray *list = symbol_parser_is_cxx (parser) && symbol_parser_is_next (parser, '(')
                                 && !strstr (name, "::")
                             ? symbol_names_find (parser->binding->binder, name)
                             : NULL;
    for (guint i = 0; list && i < list->len; i++) {
        SymbolDie die;
        if (symbol_die_find (parser->binding->dwarf, g_array_index (list, guint64, i), &die)
            && die.tag == DW_TAG_subprogram)
            return TRUE;
    }
    return FALSE;
}

/* A symbol of the file. */
static void
emit_untyped (SymbolBinding *binding, SymbolNode *node, guint64 address, const char *name)
{
    /* nobody says what it is: a cast does, or & */
    gboolean is_code = symbol_scope_is_code (binding, name);
    node->type = is_code
                     ? symbol_type_get_basic (binding, EVALUATE_TYPE_FUNCTION, 1,
                                              SYMBOL_UNTYPED_CODE)
                     : symbol_type_get_basic (binding, EVALUATE_TYPE_STRUCT, 0, SYMBOL_UNTYPED);
    if (!is_code)
        symbol_type_get (binding, node->type)->flags |= EVALUATE_TYPE_INCOMPLETE;
    symbol_code_put_op (node->code, EVALUATE_OP_STATIC, node->type);
    base_bytes_put_uleb (node->code, address);
}

static gboolean
accept_module (guint32 tag, guint32 wanted)
{
    return tag == DW_TAG_module;
}

/* For ptype and whatis: what it is. */
static void
emit_module (SymbolBinding *binding, SymbolNode *node, const char *name)
{
    static const char problem[] = N_ ("<a module has no value>");
    g_autofree char *type = g_strconcat ("module ", name, NULL);
    node->type = symbol_type_get_basic (binding, EVALUATE_TYPE_STRUCT, 0, type);
    symbol_type_get (binding, node->type)->flags |= EVALUATE_TYPE_INCOMPLETE;
    symbol_code_put_op (node->code, EVALUATE_OP_PROBLEM, node->type);
    base_bytes_put_uleb (node->code, strlen (problem));
    g_byte_array_append (node->code, (const guint8 *) problem, strlen (problem));
}

/* What is seen from all functions of the file, or Fortran's own, before what is seen from other languages. FALSE:
 * nothing. */
static gboolean
emit_outside (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolBinding *binding = parser->binding;
    SymbolDie die;
    gboolean outside = symbol_scope_find_outside (binding, name, &die);
    if (symbol_parser_is_fortran (parser)
        && !(outside && die.unit->language == JOB_LANGUAGE_FORTRAN)
        && symbol_parse_intrinsic (parser, node, name))
        return TRUE;
    if (!outside)
        return FALSE;
    g_autofree char *others = binding->clash ? g_strdup (binding->clash)
                                             : symbol_names_list_others (binding, &die);
    if (others)
        symbol_parser_fail (parser, BASE_ERROR_INVALID, "\"%s\" is ambiguous: %s", name,
                            others);
    else
        emit_entry (parser, node, &die, name);
    return TRUE;
}

static SymbolNode
parse_name (SymbolParser *parser)
{
    SymbolBinding *binding = parser->binding;
    SymbolNode local = symbol_parser_new_node (0);
    if (parse_written_function (parser, &local, FALSE))
        return local;
    g_clear_pointer (&local.code, g_byte_array_unref);
    g_autofree char *name = symbol_parser_take_name (parser);
    SymbolDie die;
    guint64 address;
    SymbolNode node = symbol_parser_new_node (0);
    if (!name) {
        symbol_parser_fail_here (parser, NULL);
        return node;
    }
    if (symbol_parser_is_fortran (parser)) {
        char *lower = g_ascii_strdown (name, -1);
        g_free (name);
        name = lower;
    }
    gboolean is_local = symbol_scope_find_local (binding, name, &die);
    if (!is_local && symbol_emit_closed (parser, &node, name))
        return node;
    if (is_local || symbol_find_cython (binding, name, &die)) {
        emit_entry (parser, &node, &die, name);
        return node;
    }
    if (emit_own_member (parser, &node, name) || emit_outside (parser, &node, name)
        || emit_word (parser, &node, name) || emit_of_function (parser, &node, name)
        || symbol_emit_class_member (parser, &node, name))
        return node;
    if (binding->is_own) {
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no symbol \"%s\"", name);
        return node;
    }
    if (has_function (parser, name)) {
        symbol_parse_named_call (parser, &node, NULL, name);
        return node;
    }
    /* what a resolver chooses is asked of the process */
    if (symbol_scope_find_elf (binding, name, &address) && symbol_parser_is_next (parser, '(')
        && !symbol_scope_is_resolver (binding, name)) {
        symbol_parse_untyped_call (parser, &node, address, name);
        return node;
    }
    if (symbol_scope_find_elf (binding, name, &address)
        && !symbol_parser_is_next (parser, '(')) {
        emit_untyped (binding, &node, address, name);
        return node;
    }
    if (symbol_parser_is_fortran (parser)
        && symbol_names_find_exact (binding, name, accept_module, 0, &die)) {
        emit_module (binding, &node, name);
        return node;
    }
    symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no symbol \"%s\"", name);
    return node;
}

/* 'FILE'::FUNCTION::NAME */
static gboolean
find_local_of_file (SymbolBinding *binding, const char *file, const char *name,
                    SymbolDie *ret_die)
{
    gsize length;
    const char *last = index_find_last_component (name, &length);
    SymbolDie die;
    if (last - name < 3)
        return FALSE;
    g_autofree char *function = g_strndup (name, (gsize) (last - name - 2));
    return symbol_names_find_in_file (binding, file, function, &die)
           && symbol_names_find_in_function (binding, function, last, ret_die);
}

/* 'NAME', as gdb's users quote what has spaces or brackets. FALSE and nothing taken: it is a character. */
static gboolean
parse_quoted (SymbolParser *parser, SymbolNode *node)
{
    const char *start = parser->at + 1, *end = strchr (start, '\'');
    if (!end || end - start < 2 || *start == '\\' || symbol_parser_is_fortran (parser)
        || !(symbol_parser_is_word (*start, TRUE) || *start == ':'))
        return FALSE;
    g_autofree char *text = g_strndup (start, (gsize) (end - start));
    SymbolParser inner = *parser;
    inner.at = inner.text = text;
    *node = symbol_parser_new_node (0);
    if (!parse_written_function (&inner, node, TRUE)) {
        g_clear_pointer (&node->code, g_byte_array_unref);
        *node = parse_name (&inner);
    }
    symbol_parser_skip_space (&inner);
    if (!inner.error && *inner.at)
        symbol_parser_fail (&inner, BASE_ERROR_NOT_FOUND, "no symbol \"%s\"", text);
    parser->error = inner.error;
    parser->at = end + 1;
    return TRUE;
}

/* 'FUNCTION (TYPES)'::NAME. */
static gboolean
find_in_written (SymbolParser *parser, const char *function, const char *name,
                 SymbolDie *ret_die)
{
    SymbolParser inner = *parser;
    SymbolDie die;
    inner.at = inner.text = function;
    g_autofree char *plain = strchr (function, '(') ? symbol_parser_take_name (&inner) : NULL;
    gboolean found = plain && symbol_parse_signature (&inner, plain, TRUE, &die) && !inner.error
                     && symbol_names_find_static (parser->binding, &die, name, ret_die);
    g_clear_error (&inner.error);
    return found;
}

/* 'FILE'::NAME. FALSE and nothing taken: it is a character or a text. */
static gboolean
parse_in_file (SymbolParser *parser, SymbolNode *node)
{
    const char *start = parser->at + 1, *end = strchr (start, '\'');
    if (!end || end - start < 2 || strncmp (end + 1, "::", 2) != 0)
        return FALSE;
    g_autofree char *file = g_strndup (start, end - start);
    parser->at = end + 3;
    g_autofree char *name = symbol_parser_take_name (parser);
    SymbolDie die;
    *node = symbol_parser_new_node (0);
    if (name
        && (find_in_written (parser, file, name, &die)
            || symbol_names_find_in_file (parser->binding, file, name, &die)
            || symbol_names_find_in_function (parser->binding, file, name, &die))
        && !symbol_scope_is_strange (parser->binding, &die))
        node->type = symbol_scope_emit (parser->binding, &die, node->code);
    else if (name && find_local_of_file (parser->binding, file, name, &die)
             && !symbol_scope_is_strange (parser->binding, &die))
        node->type = symbol_scope_emit (parser->binding, &die, node->code);
    else
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no symbol \"%s\" in file \"%s\"",
                            name ? name : "", file);
    return TRUE;
}

/* The bytes of an array whose length only the program knows; node's code is taken. */
static SymbolNode
emit_dynamic_size (SymbolParser *parser, SymbolNode *node)
{
    guint32 number = symbol_parser_get_long (parser, FALSE);
    SymbolNode element = { symbol_type_strip_number (parser->binding, node->type), FALSE, 0,
                           NULL };
    gboolean is_text = symbol_is_text (parser, node);
    while (symbol_node_strip (parser, &element)->kind == EVALUATE_TYPE_ARRAY
           && (is_text || !symbol_is_text (parser, &element)))
        element.type = symbol_type_strip_number (parser->binding,
                                                 symbol_node_strip (parser, &element)->target);
    guint64 each = symbol_node_strip (parser, &element)->size;
    if (!each)
        symbol_parser_fail (
            parser, BASE_ERROR_UNSUPPORTED,
            "cannot determine the size of an array of strings of variable length");
    SymbolNode bytes = symbol_parser_make_integer (parser, number, (gint64) each);
    SymbolNode size = symbol_parser_new_node (number);
    symbol_parser_append_code (&size, node);
    symbol_code_put_op (size.code, EVALUATE_OP_SHAPE, number);
    base_bytes_put_uleb (size.code, is_text ? EVALUATE_SHAPE_LENGTH : EVALUATE_SHAPE_SIZE);
    base_bytes_put_uleb (size.code, 0);
    symbol_parser_append_code (&size, &bytes);
    symbol_code_put_binary (size.code, number, EVALUATE_OPERATOR_MULTIPLY);
    return size;
}

/* Behind `alignof`: of a type, or of an expression's. */
static SymbolNode
parse_alignof (SymbolParser *parser)
{
    const char *before = parser->at;
    guint32 type = 0;
    if (symbol_parser_take (parser, "(") && symbol_parser_take_type (parser, &type)) {
        symbol_parser_expect (parser, ")");
    } else {
        parser->at = before;
        SymbolNode node = symbol_parse_unary (parser);
        type = node.type;
        g_byte_array_unref (node.code);
    }
    guint64 most = parser->error ? 0 : symbol_view_find_alignment (parser->binding, type, 0);
    return symbol_parser_make_integer (parser, symbol_parser_get_long (parser, FALSE),
                                       (gint64) most);
}

static SymbolNode
parse_sizeof (SymbolParser *parser)
{
    const char *before = parser->at;
    guint32 type;
    if (symbol_parser_take (parser, "(") && symbol_parser_take_type (parser, &type)) {
        symbol_parser_expect (parser, ")");
    } else {
        parser->at = before;
        SymbolNode node = symbol_parse_unary (parser);
        type = node.type;
        if (!parser->error && symbol_is_dynamic (parser, type))
            return emit_dynamic_size (parser, &node);
        g_byte_array_unref (node.code);
    }
    const SymbolType *stripped = symbol_type_strip (parser->binding, type);
    if (stripped->kind == EVALUATE_TYPE_REFERENCE)
        stripped = symbol_type_strip (parser->binding,
                                      symbol_type_get_target (parser->binding, type));
    if (stripped->kind == EVALUATE_TYPE_ARRAY && stripped->count == G_MAXUINT64)
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED,
                            "cannot determine the size of an array of variable length");
    if (stripped->kind == EVALUATE_TYPE_ARRAY && !stripped->count
        && strstr (stripped->name, "[]"))
        symbol_parser_fail (
            parser, BASE_ERROR_UNSUPPORTED,
            "cannot determine the size of an array whose length is not known here");
    if ((stripped->kind == EVALUATE_TYPE_STRUCT || stripped->kind == EVALUATE_TYPE_UNION)
        && !stripped->size
        && (stripped->flags & EVALUATE_TYPE_INCOMPLETE
            || (stripped->members && stripped->members->len)))
        symbol_parser_fail (
            parser, BASE_ERROR_UNSUPPORTED,
            stripped->flags & EVALUATE_TYPE_INCOMPLETE
                ? N_ ("cannot determine the size of %s: it is not defined anywhere")
                : N_ ("cannot determine the size of %s: part of it has variable length"),
            stripped->name);
    return symbol_parser_make_integer (parser, symbol_parser_get_long (parser, FALSE),
                                       stripped->size);
}

/* static_cast<T> (x) and its brothers. */
static gboolean
parse_cast_word (SymbolParser *parser, SymbolNode *node)
{
    static const char *const words[] = { "static_cast", "reinterpret_cast", "dynamic_cast",
                                         "const_cast" };
    guint32 type;
    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        if (!g_str_has_prefix (parser->at, words[i]))
            continue;
        parser->at += strlen (words[i]);
        symbol_parser_expect (parser, "<");
        if (!parser->error && !symbol_parser_take_type (parser, &type))
            symbol_parser_fail (parser, BASE_ERROR_INVALID,
                                "cannot read expression: no type at "
                                "\"%s\"",
                                parser->at);
        symbol_parser_expect (parser, ">");
        symbol_parser_expect (parser, "(");
        *node = parser->error ? symbol_parser_new_node (0) : symbol_parse_conditional (parser);
        symbol_parser_expect (parser, ")");
        if (!parser->error && !strcmp (words[i], "dynamic_cast"))
            symbol_emit_dynamic_cast (parser, node, type);
        else if (!parser->error)
            symbol_emit_conversion (parser, node, type);
        return TRUE;
    }
    return FALSE;
}

/* .true. and .false. FALSE and nothing taken: it is neither. */
static gboolean
parse_logical (SymbolParser *parser, SymbolNode *node)
{
    gboolean is_true = g_ascii_strncasecmp (parser->at, ".true.", 6) == 0;
    if (!is_true && g_ascii_strncasecmp (parser->at, ".false.", 7) != 0)
        return FALSE;
    parser->at += is_true ? 6 : 7;
    *node = symbol_parser_make_integer (parser, symbol_parser_get_truth (parser), is_true);
    return TRUE;
}

/* Bytes of the word at `at` that asks for an alignment; 0: it is another. */
static gsize
take_alignof (const char *at)
{
    static const char *const words[] = { "_Alignof", "alignof", "__alignof__" };
    return BASE_CHOOSE (i, G_N_ELEMENTS (words),
                        g_str_has_prefix (at, words[i])
                            && !symbol_parser_is_word (at[strlen (words[i])], FALSE),
                        strlen (words[i]), 0);
}

SymbolNode
symbol_parse_primary (SymbolParser *parser)
{
    SymbolNode node;
    symbol_parser_skip_space (parser);
    if (symbol_parser_take (parser, "(")) {
        node = symbol_parse_comma (parser);
        symbol_parser_expect (parser, ")");
        return node;
    }
    if (*parser->at == EVALUATE_OUTSIDE_MARK)
        return symbol_parse_outside_call (parser);
    if (*parser->at == EVALUATE_CLASS_MARK)
        return symbol_parse_class_object (parser);
    if (symbol_parser_is_fortran (parser) && *parser->at == '.'
        && parse_logical (parser, &node))
        return node;
    if (*parser->at == '$')
        return symbol_parser_parse_register (parser);
    if (*parser->at == '\'' && parse_in_file (parser, &node)) {
        symbol_follow_reference (parser, &node);
        return node;
    }
    if (*parser->at == '\'' && parse_quoted (parser, &node)) {
        symbol_follow_reference (parser, &node);
        return node;
    }
    if (*parser->at == '{' && !symbol_parser_is_fortran (parser))
        return symbol_parse_elements (parser);
    if (*parser->at == '"' || *parser->at == '\'')
        return symbol_parser_parse_text (parser, *parser->at);
    if (!symbol_parser_is_fortran (parser) && symbol_parser_is_wide (parser))
        return symbol_parser_parse_wide (parser);
    if (g_ascii_isdigit (*parser->at)
        || (*parser->at == '.' && g_ascii_isdigit (parser->at[1])))
        return symbol_parser_parse_number (parser);
    if (strncmp (parser->at, "sizeof", 6) == 0
        && !symbol_parser_is_word (parser->at[6], FALSE)) {
        parser->at += 6;
        return parse_sizeof (parser);
    }
    if (symbol_parser_is_cxx (parser) && g_str_has_prefix (parser->at, "typeid")
        && !symbol_parser_is_word (parser->at[6], FALSE)) {
        parser->at += 6;
        return symbol_parse_typeid (parser);
    }
    gsize aligned = symbol_parser_is_fortran (parser) ? 0 : take_alignof (parser->at);
    if (aligned) {
        parser->at += aligned;
        return parse_alignof (parser);
    }
    if (g_str_has_prefix (parser->at, "std::get<") && symbol_parse_get (parser, &node))
        return node;
    if (strstr (parser->at, "_cast") && parse_cast_word (parser, &node))
        return node;
    node = parse_name (parser);
    symbol_follow_reference (parser, &node);
    return node;
}
