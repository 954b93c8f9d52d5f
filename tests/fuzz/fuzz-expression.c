/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of an expression, bound in this program's own debug information. */
#include "symbol/bind.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    static SymbolDwarf *dwarf;
    static SymbolBinder *binder;
    if (!dwarf) {
        dwarf = symbol_dwarf_new (symbol_elf_open ("/proc/self/exe", NULL));
        binder = symbol_binder_new (dwarf);
    }
    g_autofree char *text = g_strndup ((const char *) data, size);
    GVariant *program = symbol_bind_expression (binder, 0, 0, text, NULL, NULL);
    if (program)
        g_variant_unref (g_variant_ref_sink (program));
    program = symbol_bind_type (binder, 0, 0, text, NULL, TRUE, NULL);
    if (program)
        g_variant_unref (g_variant_ref_sink (program));
    return 0;
}
