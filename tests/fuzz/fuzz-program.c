/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A read program through its decoder and the machine, on readable and unreadable memory. */
#include <string.h>

#include "evaluate/code.h"
#include "evaluate/program.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
read_half (BaseMemoryReader *reader, BaseMemoryItem *items, guint n)
{
    for (guint i = 0; i < n; i++) {
        items[i].done = items[i].address % 2 ? items[i].size / 2 : items[i].size;
        memset (items[i].data, (int) items[i].address, items[i].done);
    }
}

static gboolean
read_register (gpointer user, guint number, guint64 *ret_value)
{
    *ret_value = number * 16;
    return number < 17;
}

static gboolean
ignore_write (BaseMemoryReader *reader, guint64 address, const void *data, gsize size,
              GError **error)
{
    return TRUE;
}

static void
ignore_change (gpointer user)
{
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
    BaseMemoryReader memory = { read_half, ignore_write };
    EvaluateContext context = { &memory, read_register, NULL, 0x1000,
                                0x2000,  0x3000,        64,   .note_change = ignore_change };
    gpointer copy = g_memdup2 (data, size);
    GVariant *variant
        = g_variant_ref_sink (g_variant_new_from_data (G_VARIANT_TYPE (EVALUATE_PROGRAM_TYPE),
                                                       copy, size, FALSE, g_free, copy));
    g_autoptr (EvaluateProgram) program = evaluate_program_decode (variant, NULL);
    if (program) {
        JobValue *value = evaluate_program_run (program, &context, NULL, NULL);
        job_value_free (value);
    }
    g_variant_unref (variant);
    return 0;
}
