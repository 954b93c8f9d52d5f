/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how the instructions of the evaluator's machine are written (evaluate/code.h). */
#include "symbol/bind-private.h"

void
symbol_code_put_binary (GByteArray *code, guint32 type, guint operator_id)
{
    symbol_code_put_op (code, EVALUATE_OP_BINARY, type);
    base_bytes_put_uleb (code, operator_id);
}

void
symbol_code_put_sleb (GByteArray *code, gint64 value)
{
    for (;;) {
        guint8 byte = value & 0x7f;
        value >>= 7;
        gboolean last = (value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40));
        if (!last)
            byte |= 0x80;
        g_byte_array_append (code, &byte, 1);
        if (last)
            return;
    }
}

void
symbol_code_put_op (GByteArray *code, EvaluateOp op, guint32 type)
{
    base_bytes_put_uleb (code, op);
    base_bytes_put_uleb (code, type);
}
