/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object of a Fortran CLASS variable as what it is in the rank, which its pointer to a "vtab" says: gfortran has one
 * for each type, __vtab_MODULE_Type, of a type __vtype_MODULE_Type whose component _def_init points to that type. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

#define MAX_EXTENSIONS 50
#define TEXT "CHARACTER_" /* and the bytes of a character, before "_" */

/* What `member` of the type points to, 0 for void. FALSE: it has none. */
static gboolean
find_pointee (SymbolBinding *binding, guint32 number, const char *member, guint32 *ret_type)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    for (guint i = 0; type->members && i < type->members->len; i++) {
        const SymbolMember *row = &g_array_index (type->members, SymbolMember, i);
        if (!g_strcmp0 (row->name, member)
            && symbol_type_strip (binding, row->type)->kind == EVALUATE_TYPE_POINTER) {
            *ret_type = symbol_type_get_target (binding, row->type);
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
is_void (SymbolBinding *binding, guint32 type)
{
    return !type || symbol_type_strip (binding, type)->kind == EVALUATE_TYPE_VOID;
}

/* "INTEGER_4_" is that of integer(kind=4); 0: it is none of these. */
static guint32
find_intrinsic (SymbolParser *parser, const char *name)
{
    static const char *const words[] = { "INTEGER_", "LOGICAL_" };
    SymbolBinding *binding = parser->binding;
    gboolean is_real = g_str_has_prefix (name, "REAL_"),
             is_complex = g_str_has_prefix (name, "COMPLEX_");
    if (is_real || is_complex) {
        guint64 kind = g_ascii_strtoull (strchr (name, '_') + 1, NULL, 10),
                size = kind == 10 ? 16 : kind;
        return kind != 4 && kind != 8 && kind != 10 && kind != 16 ? 0
               : is_real ? symbol_parser_get_real (parser, size, kind == 16)
                         : symbol_parser_get_complex (parser, size, kind == 16);
    }
    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        gsize length = strlen (words[i]);
        if (!g_str_has_prefix (name, words[i]) || !g_ascii_isdigit (name[length]))
            continue;
        g_autofree char *lower = g_ascii_strdown (words[i], (gssize) length - 1);
        g_autofree char *text = g_strdup_printf ("%s(kind=%u)", lower,
                                                 (guint) g_ascii_strtoull (name + length, NULL,
                                                                           10));
        guint32 number = 0;
        return symbol_expression_parse_type (binding, text, &number) ? number : 0;
    }
    return 0;
}

/* The type that vtables of that name are for; 0: it is not known here. A text's length is not in its type. */
static guint32
find_dynamic (SymbolParser *parser, const char *name)
{
    SymbolBinding *binding = parser->binding;
    g_autofree char *vtype = g_strconcat ("__vtype_", name, NULL);
    guint32 type = find_intrinsic (parser, name);
    SymbolDie die;
    if (type)
        return type;
    return symbol_scope_find_type_anywhere (binding, vtype, DW_TAG_structure_type, &die)
                   && find_pointee (binding, symbol_type_build (binding, die.offset),
                                    "_def_init", &type)
                   && type && symbol_type_strip (binding, type)->kind == EVALUATE_TYPE_STRUCT
               ? type
               : 0;
}

/* An extension's first component is its parent. */
static gboolean
extends (SymbolBinding *binding, guint32 from, guint32 to)
{
    const SymbolType *wanted = symbol_type_strip (binding, to),
                     *type = symbol_type_strip (binding, from);
    for (guint i = 0; i < MAX_EXTENSIONS; i++) {
        if (type == wanted || (type->die && type->die == wanted->die)
            || (type->kind == EVALUATE_TYPE_STRUCT && !g_strcmp0 (type->name, wanted->name)))
            return TRUE;
        if (type->kind != EVALUATE_TYPE_STRUCT || !type->members || !type->members->len)
            return FALSE;
        type = symbol_type_strip (binding, g_array_index (type->members, SymbolMember, 0).type);
    }
    return FALSE;
}

/* FALSE: the value is no object of a class that this type may be. */
static gboolean
emit_dynamic (SymbolParser *parser, SymbolNode *node, guint32 dynamic)
{
    SymbolBinding *binding = parser->binding;
    guint32 declared = 0;
    if (find_pointee (binding, node->type, "_data", &declared)) {
        if (!is_void (binding, declared) && !extends (binding, dynamic, declared))
            return FALSE;
        if (!symbol_emit_named (parser, node, "_data"))
            return FALSE;
        symbol_code_put_op (node->code, EVALUATE_OP_DEREF, dynamic);
    } else {
        if (symbol_node_strip (parser, node)->kind != EVALUATE_TYPE_STRUCT
            || !extends (binding, dynamic, node->type))
            return FALSE;
        symbol_code_put_op (node->code, EVALUATE_OP_MEMBER, dynamic);
        base_bytes_put_uleb (node->code, 0); /* at its beginning; no bits */
        base_bytes_put_uleb (node->code, 0);
        base_bytes_put_uleb (node->code, 0);
    }
    node->type = dynamic;
    node->is_constant = node->is_rvalue = FALSE;
    return TRUE;
}

/* A text of CLASS(*): as many characters as the component _len says. FALSE: the object is something else. */
static gboolean
emit_text (SymbolParser *parser, SymbolNode *node, const char *name)
{
    SymbolBinding *binding = parser->binding;
    gint64 width = g_ascii_strtoll (name + strlen (TEXT), NULL, 10);
    guint32 declared = 0, number = symbol_parser_get_long (parser, TRUE);
    static const guint8 is_section = 1;
    if ((width != 1 && width != 4) || !find_pointee (binding, node->type, "_data", &declared))
        return FALSE;
    guint32 character = symbol_type_get_basic (binding, EVALUATE_TYPE_CHAR, (guint64) width,
                                               width == 1 ? "character(kind=1)"
                                                          : "character(kind=4)");
    guint32 text = symbol_fortran_build_text (parser, character),
            whole = symbol_fortran_build_text (parser, character);
    symbol_type_get (binding, whole)->count = G_MAXUINT64;
    SymbolNode length = *node, one = symbol_parser_make_integer (parser, number, 1);
    length.code = g_byte_array_append (g_byte_array_new (), node->code->data, node->code->len);
    gboolean good = symbol_emit_named (parser, node, "_data")
                    && symbol_emit_named (parser, &length, "_len");
    if (good) {
        symbol_emit_cast (&length, number);
        symbol_code_put_op (node->code, EVALUATE_OP_DEREF, whole);
        symbol_parser_append_code (node, &one);
        symbol_parser_append_code (node, &length);
        one = symbol_parser_make_integer (parser, number, 1);
        symbol_parser_append_code (node, &one);
        symbol_code_put_op (node->code, EVALUATE_OP_SECTION, text);
        base_bytes_put_uleb (node->code, 1);
        g_byte_array_append (node->code, &is_section, 1);
        node->type = text;
        node->is_constant = node->is_rvalue = FALSE;
    } else {
        g_clear_pointer (&one.code, g_byte_array_unref);
        g_clear_pointer (&length.code, g_byte_array_unref);
    }
    return good;
}

SymbolNode
symbol_parse_class_object (SymbolParser *parser)
{
    const char *begin = parser->at + 1, *end = strchr (begin, EVALUATE_CLASS_MARK);
    g_autofree char *name = g_strndup (begin, end ? (gsize) (end - begin) : 0);
    parser->at = end ? end + 1 : begin;
    symbol_parser_expect (parser, "(");
    SymbolNode node = symbol_parse_comma (parser);
    symbol_parser_expect (parser, ")");
    if (!parser->error && g_str_has_prefix (name, TEXT) && emit_text (parser, &node, name))
        return node;
    guint32 dynamic = parser->error ? 0 : find_dynamic (parser, name);
    if (!parser->error && (!dynamic || !emit_dynamic (parser, &node, dynamic)))
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no type \"%s\"", name);
    return node;
}
