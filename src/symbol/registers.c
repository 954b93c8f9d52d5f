/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registers of x86-64 by name: DWARF's numbers (psABI, figure 3.36), their parts, and as what
 * numbers they are shown. */
#include <string.h>

#include "base/error.h"
#include "symbol/parser-private.h"

static const char *const general[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                       "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                       "r12", "r13", "r14", "r15", "rip" };

/* Lower parts that have names of their own, in the order of `general`. */
static const struct {
    const char *names[8];
    guint size;
} parts[] = {
    { { "eax", "edx", "ecx", "ebx", "esi", "edi", "ebp", "esp" }, 4 },
    { { "ax", "dx", "cx", "bx", "si", "di", "bp", NULL }, 2 }, /* "sp" is the whole one */
    { { "al", "dl", "cl", "bl", "sil", "dil", "bpl", "spl" }, 1 },
};

static const struct {
    const char *name;
    guint number, size;
} others[] = {
    { "eflags", 49, 4 },  { "es", 50, 4 },    { "cs", 51, 4 },    { "ss", 52, 4 },
    { "ds", 53, 4 },      { "fs", 54, 4 },    { "gs", 55, 4 },    { "fs_base", 58, 8 },
    { "gs_base", 59, 8 }, { "mxcsr", 64, 4 }, { "fctrl", 65, 4 }, { "fstat", 66, 4 },
};

/* "r10d": the number 10 and 'd'. */
static gboolean
find_numbered (const char *name, guint *ret_number, guint *ret_size)
{
    char *end = NULL;
    guint64 number = name[0] == 'r' ? g_ascii_strtoull (name + 1, &end, 10) : 0;
    if (!end || number < 8 || number > 15 || strlen (end) != 1 || !strchr ("dwbl", *end))
        return FALSE;
    *ret_number = number;
    *ret_size = *end == 'd' ? 4 : *end == 'w' ? 2 : 1;
    return TRUE;
}

/* "xmm3": 3. FALSE: not such a register. */
static gboolean
find_indexed (const char *name, const char *prefix, guint n, guint *ret_index)
{
    char *end;
    if (!g_str_has_prefix (name, prefix) || !g_ascii_isdigit (name[strlen (prefix)]))
        return FALSE;
    guint64 index = g_ascii_strtoull (name + strlen (prefix), &end, 10);
    *ret_index = index;
    return *end == 0 && index < n;
}

static guint32
get_number_type (SymbolParser *parser, guint size)
{
    return size == 8   ? symbol_parser_get_long (parser, TRUE)
           : size == 4 ? symbol_parser_get_int (parser)
                       : symbol_type_get_basic (parser->binding, INDEX_TYPE_SIGNED, size,
                                                size == 2 ? "int16_t" : "int8_t");
}

static gboolean
find_number (const char *name, guint *ret_number, guint *ret_size)
{
    const char *wanted = !strcmp (name, "pc") ? "rip" : !strcmp (name, "sp") ? "rsp" : name;
    *ret_size = 8;
    for (guint i = 0; i < G_N_ELEMENTS (general); i++) {
        *ret_number = i;
        if (strcmp (general[i], wanted) == 0)
            return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
        for (guint j = 0; j < G_N_ELEMENTS (parts[i].names); j++)
            if (g_strcmp0 (parts[i].names[j], name) == 0) {
                *ret_number = j;
                *ret_size = parts[i].size;
                return TRUE;
            }
    for (guint i = 0; i < G_N_ELEMENTS (others); i++)
        if (strcmp (others[i].name, name) == 0) {
            *ret_number = others[i].number;
            *ret_size = others[i].size;
            return TRUE;
        }
    return find_numbered (name, ret_number, ret_size);
}

gboolean
symbol_is_register (const char *name)
{
    guint number, size;
    return find_number (name, &number, &size) || find_indexed (name, "xmm", 16, &number)
           || find_indexed (name, "ymm", 16, &number) || find_indexed (name, "st", 8, &number);
}

/* void (*) () */
static guint32
get_code_pointer (SymbolParser *parser)
{
    g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (guint32));
    guint32 function = symbol_type_get_function (parser->binding, 0, none);
    return symbol_type_get_pointer (parser->binding, function);
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

/* $fp: where rbp points to in a function that keeps it; as in gdb all functions have one. */
static SymbolNode
make_frame_pointer (SymbolParser *parser)
{
    static const guint8 block[] = { DW_OP_call_frame_cfa, DW_OP_lit16, DW_OP_minus,
                                    DW_OP_stack_value };
    SymbolNode node = symbol_parser_new_node (symbol_type_get_pointer (parser->binding, 0));
    symbol_code_put_op (node.code, INDEX_OP_LOCATION, node.type);
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
    guint number = 0, size = 0;
    guint32 type = 0;
    if (g_strcmp0 (name, "fp") == 0)
        return make_frame_pointer (parser);
    if (name && find_number (name, &number, &size)) {
        type = size == 8 && number == 16 ? get_code_pointer (parser)
               : size == 8 && (number == 6 || number == 7)
                   ? symbol_type_get_pointer (parser->binding, 0)
                   : get_number_type (parser, size);
    } else if (name && find_indexed (name, "xmm", 16, &number)) {
        type = symbol_type_get_vector (parser->binding, 16);
        number += 17;
    } else if (name && find_indexed (name, "ymm", 16, &number)) {
        type = symbol_type_get_vector (parser->binding, 32);
        number += INDEX_REGISTER_YMM;
    } else if (name && find_indexed (name, "st", 8, &number)) {
        type = symbol_type_get_basic (parser->binding, INDEX_TYPE_FLOAT, 16, "long double");
        number += 33;
    } else {
        SymbolNode kept;
        if (name && symbol_parse_kept (parser, name, &kept))
            return kept;
        symbol_parser_fail (parser, BASE_ERROR_NOT_FOUND, "no register \"$%s\"",
                            name ? name : "");
        return symbol_parser_new_node (0);
    }
    SymbolNode node = symbol_parser_new_node (type);
    symbol_code_put_op (node.code, INDEX_OP_REGISTER, type);
    base_bytes_put_uleb (node.code, number);
    return node;
}
