/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run-time type information (Itanium C++ ABI, 2.9): typeid, and dynamic_cast by the C++
 * library's own function. */
#include <string.h>

#include "base/error.h"
#include "symbol/demangle.h"
#include "symbol/parser-private.h"

#define MAX_DEPTH 20
#define MARK "typeinfo for "

/* The letters that stand for numbers in the linker's names (ABI, 5.1.5.2). NULL: it is none of them. */
static const char *
find_letters (const SymbolType *type)
{
    static const struct {
        const char *name, *letters;
    } rows[] = {
        { "bool", "b" },        { "char", "c" },
        { "signed char", "a" }, { "unsigned char", "h" },
        { "wchar_t", "w" },     { "char8_t", "Du" },
        { "char16_t", "Ds" },   { "char32_t", "Di" },
        { "__int128", "n" },    { "unsigned __int128", "o" },
        { "_Float128", "g" },   { "__float128", "g" },
    };
    gboolean is_signed = type->kind == EVALUATE_TYPE_SIGNED,
             is_long = strstr (type->name, "long long") != NULL;
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        if (!strcmp (type->name, rows[i].name))
            return rows[i].letters;
    if (type->kind == EVALUATE_TYPE_VOID)
        return "v";
    if (type->kind == EVALUATE_TYPE_FLOAT)
        return type->size == 4 ? "f" : type->size == 8 ? "d" : "e";
    if (!is_signed && type->kind != EVALUATE_TYPE_UNSIGNED)
        return NULL;
    switch (type->size) {
    case 2: return is_signed ? "s" : "t";
    case 4: return is_signed ? "i" : "j";
    case 8: return is_signed ? (is_long ? "x" : "l") : (is_long ? "y" : "m");
    default: return NULL;
    }
}

/* "N1a1bE" of a::b. Templates have no such simple name: the file's own table may have it. */
static gboolean
append_class (SymbolBinding *binding, const char *name, GString *text)
{
    g_autofree char *wanted = symbol_names_reduce (name);
    guint64 address;
    symbol_scope_find_elf (binding, "", &address); /* reads them all */
    for (guint i = 0; i < binding->binder->symbol_list->len; i++) {
        const char *own = g_array_index (binding->binder->symbol_list, SymbolElfSymbol, i).name;
        if (strncmp (own, "_ZTI", 4) != 0)
            continue;
        g_autofree char *whole = symbol_demangle (own);
        g_autofree char *reduced = whole && g_str_has_prefix (whole, MARK)
                                       ? symbol_names_reduce (whole + strlen (MARK))
                                       : NULL;
        if (g_strcmp0 (reduced, wanted) == 0) {
            g_string_append (text, own + 4);
            return TRUE;
        }
    }
    if (strpbrk (wanted, "<(") != NULL)
        return FALSE;
    g_auto (GStrv) parts = g_strsplit (wanted, "::", -1);
    gboolean is_nested = g_strv_length (parts) > 1;
    g_string_append (text, is_nested ? "N" : "");
    for (guint i = 0; parts[i]; i++)
        g_string_append_printf (text, "%u%s", (guint) strlen (parts[i]), parts[i]);
    g_string_append (text, is_nested ? "E" : "");
    return TRUE;
}

static gboolean
append_type (SymbolBinding *binding, guint32 number, guint depth, GString *text)
{
    const SymbolType *type = symbol_type_strip (binding, number);
    guint qualifiers = depth ? symbol_type_find_qualifiers (binding, number)
                             : 0; /* typeid knows no outer ones */
    const char *letters = find_letters (type);
    if (depth > MAX_DEPTH)
        return FALSE;
    g_string_append (text, qualifiers & 2 ? "V" : "");
    g_string_append (text, qualifiers & 1 ? "K" : "");
    if (letters) {
        g_string_append (text, letters);
        return TRUE;
    }
    if ((type->kind == EVALUATE_TYPE_POINTER && !type->holder)
        || type->kind == EVALUATE_TYPE_ARRAY) {
        if (type->kind == EVALUATE_TYPE_POINTER)
            g_string_append_c (text, 'P');
        else
            g_string_append_printf (text, "A%" G_GUINT64_FORMAT "_", type->count);
        return append_type (binding, symbol_type_get_target (binding, number), depth + 1, text);
    }
    return (type->kind == EVALUATE_TYPE_STRUCT || type->kind == EVALUATE_TYPE_UNION
            || type->kind == EVALUATE_TYPE_ENUM)
           && append_class (binding, type->name, text);
}

/* The type of what typeid gives; as the ABI lays it out where the program only declares it. */
static guint32
get_info_type (SymbolBinding *binding)
{
    SymbolDie die;
    guint32 type = symbol_scope_find_type_anywhere (binding, "std::type_info", 0, &die)
                       ? symbol_type_build (binding, die.offset)
                       : 0;
    if (type && !(symbol_type_strip (binding, type)->flags & EVALUATE_TYPE_INCOMPLETE))
        return type;
    type = symbol_type_get_basic (binding, EVALUATE_TYPE_STRUCT, 16, "std::type_info");
    if (symbol_type_get (binding, type)->members)
        return type;
    guint32 letter = symbol_type_get_qualified (binding,
                                                symbol_type_get_basic (binding,
                                                                       EVALUATE_TYPE_CHAR, 1,
                                                                       "char"),
                                                "const ");
    SymbolMember vtable = { .name = g_strdup ("_vptr.type_info"),
                            .type = symbol_type_get_pointer (binding, 0) };
    SymbolMember name = { .name = g_strdup ("__name"),
                          .offset = 8,
                          .type = symbol_type_get_pointer (binding, letter) };
    GArray *members = g_array_new (FALSE, TRUE, sizeof (SymbolMember));
    g_array_append_val (members, vtable);
    g_array_append_val (members, name);
    symbol_type_get (binding, type)->members = members;
    return type;
}

/* The place of the typeinfo of a type in node, which is empty. FALSE after an error. */
static gboolean
emit_typeinfo (SymbolParser *parser, SymbolNode *node, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    g_autoptr (GString) name = g_string_new ("_ZTI");
    guint64 address;
    if (symbol_type_strip (binding, type)->kind == EVALUATE_TYPE_REFERENCE)
        type = symbol_type_get_target (binding, type);
    if (!append_type (binding, type, 0, name)) {
        symbol_parser_fail (parser, BASE_ERROR_UNSUPPORTED, "cannot find the typeinfo of %s",
                            symbol_type_get (binding, type)->name);
        return FALSE;
    }
    node->type = get_info_type (binding);
    if (symbol_scope_find_elf (binding, name->str, &address)) {
        symbol_code_put_op (node->code, EVALUATE_OP_STATIC, node->type);
        base_bytes_put_uleb (node->code, address);
        return TRUE;
    }
    symbol_code_put_op (node->code, EVALUATE_OP_SHARED, node->type);
    base_bytes_put_uleb (node->code, name->len);
    g_byte_array_append (node->code, (const guint8 *) name->str, (guint) name->len);
    return TRUE;
}

/* The vtable names the class that the object really is, one word before its functions. */
static void
emit_dynamic_typeinfo (SymbolParser *parser, SymbolNode *object)
{
    SymbolBinding *binding = parser->binding;
    guint32 info = get_info_type (binding), word = symbol_parser_get_long (parser, TRUE);
    guint32 pointer = symbol_type_get_pointer (binding, info),
            table = symbol_type_get_pointer (binding, pointer);
    symbol_code_put_op (object->code, EVALUATE_OP_ADDRESS,
                        symbol_type_get_pointer (binding, table));
    symbol_code_put_op (object->code, EVALUATE_OP_DEREF, table);
    symbol_code_put_op (object->code, EVALUATE_OP_CONSTANT, word);
    symbol_code_put_sleb (object->code, -1);
    symbol_code_put_op (object->code, EVALUATE_OP_INDEX, pointer);
    base_bytes_put_uleb (object->code, 0);
    symbol_code_put_op (object->code, EVALUATE_OP_DEREF, info);
    object->type = info;
    object->is_rvalue = FALSE;
}

SymbolNode
symbol_parse_typeid (SymbolParser *parser)
{
    SymbolNode node = symbol_parser_new_node (0);
    guint32 type;
    symbol_parser_expect (parser, "(");
    if (!parser->error && symbol_parser_take_type (parser, &type)) {
        emit_typeinfo (parser, &node, type);
    } else if (!parser->error) {
        g_byte_array_unref (node.code);
        node = symbol_parse_comma (parser);
        const SymbolType *own = parser->error ? NULL : symbol_node_strip (parser, &node);
        if (own && own->kind == EVALUATE_TYPE_STRUCT && (own->flags & EVALUATE_TYPE_DYNAMIC)) {
            emit_dynamic_typeinfo (parser, &node);
        } else if (own) {
            g_byte_array_set_size (node.code, 0);
            node.is_constant = FALSE;
            emit_typeinfo (parser, &node, node.type);
        }
    }
    symbol_parser_expect (parser, ")");
    return node;
}

/* What __dynamic_cast takes: the object, its static class, the one that is wanted, and that nothing is known of how
 * they lie in each other (ABI, 2.9.7). */
static void
emit_library_cast (SymbolParser *parser, SymbolNode *node, guint32 from, guint32 to,
                   guint32 pointer)
{
    static const char name[] = "__dynamic_cast";
    SymbolBinding *binding = parser->binding;
    guint32 word = symbol_parser_get_long (parser, TRUE);
    guint32 function = symbol_type_get_basic (binding, EVALUATE_TYPE_FUNCTION, 1, "code");
    SymbolNode call = symbol_parser_new_node (pointer),
               unknown = symbol_parser_make_integer (parser, word, -1);
    SymbolNode null = symbol_parser_make_integer (parser, pointer, 0),
               test = symbol_parser_new_node (word);
    symbol_code_put_op (call.code, EVALUATE_OP_SHARED, function);
    base_bytes_put_uleb (call.code, strlen (name));
    g_byte_array_append (call.code, (const guint8 *) name, strlen (name));
    g_byte_array_append (test.code, node->code->data, node->code->len);
    symbol_parser_append_code (&call, node);
    for (guint i = 0; i < 2; i++) {
        SymbolNode info = symbol_parser_new_node (0);
        if (emit_typeinfo (parser, &info, i ? to : from))
            symbol_code_put_op (info.code, EVALUATE_OP_ADDRESS,
                                symbol_type_get_pointer (binding, info.type));
        symbol_parser_append_code (&call, &info);
    }
    symbol_parser_append_code (&call, &unknown);
    symbol_code_put_op (call.code, EVALUATE_OP_CALL, pointer);
    base_bytes_put_uleb (call.code, 4);
    base_bytes_put_uleb (call.code, 0);
    base_bytes_put_uleb (call.code, 0);
    symbol_code_put_op (test.code, EVALUATE_OP_CAST, word);
    symbol_emit_choice (&test, &call, &null);
    test.type = pointer;
    *node = test;
}

/* The object itself, all of it, by its vtable. */
static void
emit_whole (SymbolParser *parser, SymbolNode *node, guint32 pointer)
{
    guint32 target = symbol_type_get_target (parser->binding, node->type);
    symbol_code_put_op (node->code, EVALUATE_OP_DEREF, target);
    symbol_code_put_op (node->code, EVALUATE_OP_WHOLE, target);
    symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS, pointer);
    node->type = pointer;
}

void
symbol_emit_dynamic_cast (SymbolParser *parser, SymbolNode *node, guint32 type)
{
    SymbolBinding *binding = parser->binding;
    const SymbolType *to = symbol_type_strip (binding, type),
                     *from = symbol_node_strip (parser, node);
    gboolean pointer = to->kind == EVALUATE_TYPE_POINTER;
    g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SymbolMember));
    if (!pointer && to->kind != EVALUATE_TYPE_REFERENCE) {
        symbol_parser_fail (
            parser, BASE_ERROR_INVALID,
            "cannot read expression: dynamic_cast needs a pointer or reference type");
        return;
    }
    guint32 target = symbol_type_get_target (binding, type);
    if (pointer && node->is_constant && !node->constant) {
        symbol_emit_cast (node, type);
        return;
    }
    if ((from->kind == EVALUATE_TYPE_POINTER) != pointer) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot convert a value of type %s to %s", from->name, to->name);
        return;
    }
    guint32 source = pointer ? symbol_type_get_target (binding, node->type) : node->type;
    if (symbol_find_base_path (binding, source, target, path)) {
        symbol_emit_conversion (parser, node, type);
        return;
    }
    if (!(symbol_type_strip (binding, source)->flags & EVALUATE_TYPE_DYNAMIC)) {
        symbol_parser_fail (parser, BASE_ERROR_INVALID,
                            "cannot do a dynamic_cast of a %s: it has no virtual functions",
                            symbol_type_get (binding, source)->name);
        return;
    }
    if (symbol_type_strip (binding, target)->kind == EVALUATE_TYPE_VOID) {
        emit_whole (parser, node, type);
        return;
    }
    guint32 wanted = pointer ? type : symbol_type_get_pointer (binding, target);
    if (!pointer)
        symbol_code_put_op (node->code, EVALUATE_OP_ADDRESS,
                            symbol_type_get_pointer (binding, source));
    emit_library_cast (parser, node, source, target, wanted);
    if (!pointer)
        symbol_emit_deref (parser, node);
}
