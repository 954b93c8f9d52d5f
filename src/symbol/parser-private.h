/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader of expressions is made of. */
#pragma once
#include "symbol/bind-private.h"

typedef struct {
    SymbolBinding *binding;
    const char *at;
    GError *error;    /* the first one; nothing counts after it */
    guint depth;
} SymbolParser;

/* Keeps the first error. */
void symbol_parser_fail (SymbolParser *parser, int code, const char *format,
                         ...) G_GNUC_PRINTF (3, 4);
SymbolNode symbol_parser_new_node (guint32 type);
/* Moves the code of `from` to the end of node. */
void symbol_parser_append_code (SymbolNode *node, SymbolNode *from);
void symbol_parser_skip_space (SymbolParser *parser);
gboolean symbol_parser_take (SymbolParser *parser, const char *word);
void symbol_parser_expect (SymbolParser *parser, const char *word);
gboolean symbol_parser_is_word (char c, gboolean first);
/* An identifier with `::` in it; NULL and nothing taken when there is none. Caller owns. */
char *symbol_parser_take_name (SymbolParser *parser);
guint32 symbol_parser_get_int (SymbolParser *parser);
guint32 symbol_parser_get_long (SymbolParser *parser, gboolean with_sign);
SymbolNode symbol_parser_make_integer (SymbolParser *parser, guint32 type, gint64 value);
/* A type name: words and stars. FALSE with nothing taken when there is none. */
gboolean symbol_parser_take_type (SymbolParser *parser, guint32 *ret_type);
SymbolNode symbol_parser_parse_number (SymbolParser *parser);
SymbolNode symbol_parser_parse_text (SymbolParser *parser, char quote);
SymbolNode symbol_parser_parse_register (SymbolParser *parser);
