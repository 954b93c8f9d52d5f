/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers in expressions, and of what type each is. */

#include "base/error.h"
#include "machine/names.h"
#include "symbol/parser-private.h"

static guint32
get_number_type (SymbolParser *parser, guint size)
{
    return size == 8   ? symbol_parser_get_long (parser, TRUE)
           : size == 4 ? symbol_parser_get_int (parser)
                       : symbol_type_get_basic (parser->binding, EVALUATE_TYPE_SIGNED, size,
                                                size == 2 ? "int16_t" : "int8_t");
}

gboolean
symbol_is_register (const char *name)
{
    MachineRegisterName found;
    return machine_register_find (name, &found);
}

/* void (*) () */
static guint32
get_code_pointer (SymbolParser *parser)
{
    g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (guint32));
    guint32 function = symbol_type_get_function (parser->binding, 0, none);
    return symbol_type_get_pointer (parser->binding, function);
}

static guint32
get_type (SymbolParser *parser, const MachineRegisterName *found)
{
    switch (found->kind) {
    case MACHINE_REGISTER_CODE: return get_code_pointer (parser);
    case MACHINE_REGISTER_DATA: return symbol_type_get_pointer (parser->binding, 0);
    case MACHINE_REGISTER_VECTOR:
    case MACHINE_REGISTER_WIDE: return symbol_type_get_vector (parser->binding, found->size);
    case MACHINE_REGISTER_FLOAT:
        return symbol_type_get_basic (parser->binding, EVALUATE_TYPE_FLOAT, found->size,
                                      "long double");
    default: return get_number_type (parser, found->size);
    }
}

/* "7" of $7, a value that was shown. Caller owns. */
static char *
take_number (SymbolParser *parser)
{
    const char *start = parser->at;
    while (g_ascii_isdigit (*parser->at))
        parser->at++;
    return g_strndup (start, (gsize) (parser->at - start));
}

/* $fp: where the frame pointer points to in a function that keeps it; as in gdb all functions have one. */
static SymbolNode
make_frame_pointer (SymbolParser *parser)
{
    static const guint8 block[] = { DW_OP_call_frame_cfa, DW_OP_lit16, DW_OP_minus,
                                    DW_OP_stack_value };
    SymbolNode node = symbol_parser_new_node (symbol_type_get_pointer (parser->binding, 0));
    symbol_code_put_op (node.code, EVALUATE_OP_LOCATION, node.type);
    base_bytes_put_uleb (node.code, 0);
    base_bytes_put_uleb (node.code, sizeof block);
    g_byte_array_append (node.code, block, sizeof block);
    return node;
}

SymbolNode
symbol_parser_parse_register (SymbolParser *parser)
{
    parser->at++;
    g_autofree char *name = g_ascii_isdigit (*parser->at) ? take_number (parser)
                                                          : symbol_parser_take_name (parser);
    MachineRegisterName found = { 0 };
    guint number;
    guint32 type = 0;
    if (g_strcmp0 (name, "fp") == 0)
        return make_frame_pointer (parser);
    if (name && machine_register_find (name, &found)) {
        type = get_type (parser, &found);
        number = found.kind == MACHINE_REGISTER_WIDE ? EVALUATE_REGISTER_YMM + found.number
                                                     : found.number;
    } else {
        SymbolNode kept;
        if (name && symbol_parse_kept (parser, name, &kept))
            return kept;
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no register \"$%s\"",
                            name ? name : "");
        return symbol_parser_new_node (0);
    }
    SymbolNode node = symbol_parser_new_node (type);
    symbol_code_put_op (node.code, EVALUATE_OP_REGISTER, type);
    base_bytes_put_uleb (node.code, number);
    return node;
}
