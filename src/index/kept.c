/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that the user keeps by a name of his own ($x): read, and kept. */
#include <string.h>

#include "index/program-private.h"

static char *
read_name (IndexMachine *machine)
{
    gsize size = base_cursor_read_uleb (&machine->cursor);
    const guint8 *bytes = base_cursor_read_bytes (&machine->cursor, size);
    return bytes ? g_strndup ((const char *) bytes, size) : NULL;
}

void
index_machine_run_kept (IndexMachine *machine, guint32 type)
{
    const IndexContext *context = machine->run->context;
    g_autofree char *name = read_name (machine);
    GBytes *kept = name && context->find_kept ? context->find_kept (context->user, name) : NULL;
    guint64 size = index_run_find_size (machine->run, type);
    if (!kept || g_bytes_get_size (kept) != size) {
        index_machine_push_problem (machine, type,
                                    kept ? "<of another type here>" : "<not known here>");
        return;
    }
    IndexValue *value = index_machine_push (machine, type);
    if (value)
        value->bytes = g_byte_array_append (g_byte_array_new (), g_bytes_get_data (kept, NULL),
                                            (guint) size);
}

/* An array that is sliced or lies elsewhere becomes one that is whole. */
static gboolean
fetch_whole (IndexRun *run, IndexValue *value, guint64 size)
{
    gboolean is_array = index_run_get_type (run, value->type)->kind == INDEX_TYPE_ARRAY;
    if (is_array && (!index_run_resolve (run, value) || value->n_sections)) {
        if (!value->problem)
            index_value_set_problem (value, g_strdup ("<cannot keep a section of an array>"));
        return FALSE;
    }
    return (!value->bit_size || index_value_spread_bits (run, value)) &&
           index_value_fetch (run, value, size);
}

void
index_machine_run_keep (IndexMachine *machine, guint32 type)
{
    IndexRun *run = machine->run;
    const IndexContext *context = run->context;
    g_autofree char *name = read_name (machine);
    IndexValue value;
    if (!name || !index_machine_pop (machine, &value))
        return;
    guint64 size = index_run_find_size (run, type);
    gboolean is_void = index_run_get_type (run, type)->kind == INDEX_TYPE_VOID;
    if (!context->keep && !value.problem)
        index_value_set_problem (&value,
                                 g_strdup ("<cannot assign: nothing can be changed here>"));
    else if (!value.problem && is_void)
        context->keep (context->user, name, "void", NULL, 0);
    else if (!value.problem && fetch_whole (run, &value, size))
        context->keep (context->user, name, run->program->types[type].name, value.bytes->data,
                       size);
    machine->stack[machine->n++] = value;
}
