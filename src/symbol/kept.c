/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses names with $ that are no registers: convenience variables ($x), shown values ($7), and
 * gdb's functions of this form. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define EXCEPTION "_exception" /* the object that is thrown or caught, as a reference */

/* gdb's own, which are not the user's: what gdb would say of them is not known here. */
static gboolean
is_reserved (const char *name)
{
    static const char *const words[] = { "bpnum",       "numfound",   "tpnum",
                                         "trace_frame", "trace_line", "trace_file",
                                         "trace_func",  "cdir",       "cwd",
                                         NULL };
    return name[0] == '_' || g_strv_contains (words, name);
}

static void
put_name (SymbolNode *node, EvaluateOp op, const char *name)
{
    symbol_code_put_op (node->code, op, node->type);
    base_bytes_put_uleb (node->code, strlen (name));
    g_byte_array_append (node->code, (const guint8 *) name, (guint) strlen (name));
}

/* The type's name that a record has; NULL: nothing is kept so. Caller owns. */
static char *
find_record (SymbolParser *parser, const char *name)
{
    const char ends[] = { EVALUATE_KEPT_MARK, 0 };
    gsize length = strlen (name);
    for (const char *at = parser->binding->kept; at && *at;
         at += strcspn (at, ends), at += *at != 0)
        if (strncmp (at, name, length) == 0 && at[length] == ' ')
            return g_strndup (at + length + 1, strcspn (at + length + 1, ends));
    return NULL;
}

/* Nothing is kept by the name: void, as in gdb. */
static SymbolNode
make_void (void)
{
    SymbolNode node = symbol_parser_new_node (0);
    symbol_code_put_op (node.code, EVALUATE_OP_BYTES, 0);
    base_bytes_put_uleb (node.code, 0);
    return node;
}

static SymbolNode
make_kept (SymbolParser *parser, const char *name)
{
    g_autofree char *type = find_record (parser, name);
    SymbolParser inner
        = { .binding = parser->binding, .at = type, .text = type, .reads_c = TRUE };
    guint32 number = 0;
    if (!type && g_ascii_isdigit (*name) && strcmp (name, "0") != 0) {
        symbol_parser_fail (
            parser, BASE_ERROR_NOT_FOUND,
            "no value $%s: fewer values were shown, it is too old, or pddt does not keep "
            "such values (over 64 KiB, array sections, Python's)",
            name);
        return symbol_parser_new_node (0);
    }
    if (!type && (!strcmp (name, SYMBOL_SIGINFO) || !strcmp (name, EXCEPTION))) {
        symbol_parser_fail (
            parser, BASE_ERROR_INVALID,
            !strcmp (name, EXCEPTION)
                ? "no $_exception: the thread has not stopped at a catchpoint for "
                  "C++ exceptions"
                : "no $_siginfo: the thread was not stopped by a signal");
        return symbol_parser_new_node (0);
    }
    if (!type)
        return make_void ();
    gboolean is_known = !strcmp (type, SYMBOL_SIGINFO);
    if (is_known)
        number = symbol_type_get_siginfo (parser->binding);
    else
        is_known = symbol_parser_take_type (&inner, &number) && !inner.error && !*inner.at;
    g_clear_error (&inner.error);
    if (!is_known)
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND,
                            "the type of $%s, %s, is not known here", name, type);
    SymbolNode node = symbol_parser_new_node (is_known ? number : 0);
    put_name (&node, EVALUATE_OP_KEPT, name);
    return node;
}

/* An address as a number, of an array its own. */
static void
emit_number (SymbolParser *parser, SymbolNode *node)
{
    const SymbolType *type = symbol_node_strip (parser, node);
    if (type->kind == EVALUATE_TYPE_ARRAY) {
        guint32 pointer = symbol_type_get_pointer (parser->binding, node->type);
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, pointer);
        node->type = pointer;
    } else if (!symbol_is_integer (type) && type->kind != EVALUATE_TYPE_POINTER) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "$_memeq needs two addresses and a number, not a value of type %s",
                            type->name);
    }
    symbol_emit_cast (node, symbol_parser_get_long (parser, FALSE));
}

/* $_streq (A, B), $_strlen (A), $_regex (A, REGEX), $_memeq (A, B, N) of gdb. FALSE and nothing taken: it is none of them. */
static gboolean
parse_string_function (SymbolParser *parser, const char *name, SymbolNode *node)
{
    static const struct {
        const char *name;
        guint n, function;
    } rows[] = { { "_streq", 2, EVALUATE_N_STRING_FUNCTIONS },
                 { "_strlen", 1, EVALUATE_STRING_LENGTH },
                 { "_regex", 2, EVALUATE_STRING_MATCHES },
                 { "_memeq", 3, EVALUATE_STRING_SAME_BYTES } };
    guint at = 0;
    while (at < G_N_ELEMENTS (rows) && strcmp (name, rows[at].name) != 0)
        at++;
    if (at == G_N_ELEMENTS (rows) || !symbol_parser_is_next (parser, '('))
        return FALSE;
    for (guint i = 0; i < rows[at].n && !parser->error; i++) {
        symbol_parser_expect (parser, i ? "," : "(");
        SymbolNode argument = symbol_parse_assignment (parser);
        if (parser->error)
            ;
        else if (rows[at].function == EVALUATE_STRING_SAME_BYTES)
            emit_number (parser, &argument);
        else if (!symbol_is_string (parser, &argument))
            symbol_parser_fail (parser, BASE_ERROR_INVALID,
                                "$%s needs a string, not a value of type %s", name,
                                symbol_node_strip (parser, &argument)->name);
        if (i)
            symbol_parser_append_code (node, &argument);
        else
            *node = argument;
    }
    symbol_parser_expect (parser, ")");
    if (parser->error)
        return TRUE;
    if (rows[at].function == EVALUATE_N_STRING_FUNCTIONS) {
        symbol_emit_comparison (parser, node, EVALUATE_OPERATOR_EQUAL);
        return TRUE;
    }
    node->type = rows[at].function == EVALUATE_STRING_LENGTH ? symbol_parser_get_int (parser)
                                                             : symbol_parser_get_truth (parser);
    node->is_constant = FALSE;
    symbol_code_put_op (node->code, EVALUATE_OP_STRING, node->type);
    base_bytes_put_uleb (node->code, rows[at].function);
    return TRUE;
}

/* $_creal (z), $_cimag (z), $_isvoid (x). FALSE and nothing taken: it is none of them. */
static gboolean
parse_function (SymbolParser *parser, const char *name, SymbolNode *node)
{
    gboolean is_real = !strcmp (name, "_creal"), is_imaginary = !strcmp (name, "_cimag");
    if ((!is_real && !is_imaginary && strcmp (name, "_isvoid") != 0)
        || !symbol_parser_is_next (parser, '('))
        return FALSE;
    symbol_parser_expect (parser, "(");
    *node = symbol_parse_assignment (parser);
    symbol_parser_expect (parser, ")");
    if (parser->error)
        return TRUE;
    const SymbolType *type = symbol_node_strip (parser, node);
    if (!is_real && !is_imaginary) {
        gboolean is_void = type->kind == EVALUATE_TYPE_VOID;
        g_clear_pointer (&node->code, g_byte_array_unref);
        *node = symbol_parser_make_integer (parser, symbol_parser_get_int (parser), is_void);
        return TRUE;
    }
    if (type->kind != EVALUATE_TYPE_COMPLEX) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "a value of type %s has no real or imaginary part", type->name);
        return TRUE;
    }
    node->type = symbol_parser_get_part (parser, type);
    symbol_code_put_op (node->code, EVALUATE_OP_UNARY, node->type);
    base_bytes_put_uleb (node->code, is_real ? EVALUATE_OPERATOR_REAL_PART
                                             : EVALUATE_OPERATOR_IMAGINARY_PART);
    return TRUE;
}

/* $NAME (…) of a script is no part of an expression: Python is in the front end. Unless something that can be called is kept
 * by the name. */
static gboolean
refuse_function (SymbolParser *parser, const char *name, SymbolNode *node)
{
    g_autofree char *type = find_record (parser, name);
    if (type || g_ascii_isdigit (*name) || !symbol_parser_is_next (parser, '('))
        return FALSE;
    symbol_parser_fail (
        parser, BASE_ERROR_UNSUPPORTED,
        "cannot call $%s here: print calls functions that scripts have defined, and only as "
        "the whole expression",
        name);
    *node = symbol_parser_new_node (0);
    return TRUE;
}

gboolean
symbol_parse_kept (SymbolParser *parser, const char *name, SymbolNode *node)
{
    static const char *const told[] = { "_thread",      "_gthread",  "bpnum",
                                        "_hit_bpnum",   "_exitcode", "_exitsignal",
                                        SYMBOL_SIGINFO, "_",         "__",
                                        "numfound",     EXCEPTION,   NULL }; /* by the rank */
    if (parse_function (parser, name, node) || parse_string_function (parser, name, node)
        || refuse_function (parser, name, node))
        return TRUE;
    if (!parser->binding->kept || (is_reserved (name) && !g_strv_contains (told, name)))
        return FALSE;
    *node = make_kept (parser, name);
    symbol_follow_reference (parser, node);
    parser->binding->followed_end = 0; /* $_exception is the object itself */
    return TRUE;
}

/* "$x" at the parser, with it taken; NULL: it is no value of the user's. Caller owns. */
static char *
take_own_name (SymbolParser *parser)
{
    const char *before = parser->at;
    symbol_parser_skip_space (parser);
    if (!parser->binding->kept || *parser->at != '$') {
        parser->at = before;
        return NULL;
    }
    parser->at++;
    g_autofree char *name = symbol_parser_take_name (parser);
    if (name && !is_reserved (name) && !strchr (name, ':') && !symbol_is_register (name))
        return g_steal_pointer (&name);
    parser->at = before;
    return NULL;
}

/* Value and one more, or less, kept; the value is the new one, or with is_old_wanted the old
 * one. */
static void
emit_step (SymbolParser *parser, const char *name, gboolean is_up, gboolean is_old_wanted,
           SymbolNode *node)
{
    /* the old value is the new one with the step taken back */
    for (guint i = 0; i <= (guint) is_old_wanted && !parser->error; i++) {
        SymbolNode one = symbol_parser_make_integer (parser, symbol_parser_get_int (parser), 1);
        symbol_emit_binary (parser, node, &one,
                            is_up == (i == 0) ? EVALUATE_OPERATOR_ADD
                                              : EVALUATE_OPERATOR_SUBTRACT);
        g_clear_pointer (&one.code, g_byte_array_unref);
        if (!parser->error && !i)
            put_name (node, EVALUATE_OP_KEEP, name);
    }
}

gboolean
symbol_parse_keeping (SymbolParser *parser, SymbolNode *node)
{
    const char *before = parser->at;
    gboolean is_up = symbol_parser_take (parser, "++"),
             is_before = is_up || symbol_parser_take (parser, "--");
    g_autofree char *name = take_own_name (parser);
    guint operator_id = 0;
    gboolean is_behind_up = name && !is_before && symbol_parser_take (parser, "++");
    gboolean is_behind = is_behind_up
                         || (name && !is_before && symbol_parser_take (parser, "--"));
    if (!name || (!is_before && !is_behind && !symbol_take_assignment (parser, &operator_id))) {
        parser->at = before;
        return FALSE;
    }
    if (is_before || is_behind || operator_id)
        *node = make_kept (parser, name);
    if (is_before || is_behind) {
        emit_step (parser, name, is_before ? is_up : is_behind_up, is_behind, node);
        return TRUE;
    }
    SymbolNode right = symbol_parse_assignment (parser);
    if (operator_id && !parser->error)
        symbol_emit_binary (parser, node, &right, operator_id);
    else if (!operator_id)
        *node = right;
    if (operator_id)
        g_clear_pointer (&right.code, g_byte_array_unref);
    if (!parser->error)
        put_name (node, EVALUATE_OP_KEEP, name);
    node->is_constant = FALSE;
    return TRUE;
}
