/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contexts within a block of bytes: the number of the first one, their count, each one. A text that was
 * there before is its number. */
#include "job/wire-private.h"

#define MAX_CONTEXTS (1u << 24)

static void
put_text (GByteArray *block, GHashTable *seen, const char *text)
{
    gpointer number = text != NULL ? g_hash_table_lookup (seen, text) : NULL;

    if (text == NULL || number != NULL) {
        base_bytes_put_uleb (block, GPOINTER_TO_UINT (number));
        return;
    }
    number = GUINT_TO_POINTER (g_hash_table_size (seen) + 1);
    g_hash_table_insert (seen, (gpointer) text, number);
    base_bytes_put_uleb (block, GPOINTER_TO_UINT (number));
    job_wire_write_text (block, text);
}

static void
put_context (GByteArray *block, GHashTable *seen, const JobContext *context)
{
    base_bytes_put_uleb (block, context->parent);
    base_bytes_put_uleb (block, context->flags);
    put_text (block, seen, context->location.function);
    put_text (block, seen, context->location.file);
    put_text (block, seen, context->location.module);
    base_bytes_put_uleb (block, context->location.line);
    base_bytes_put_uleb (block, context->location.offset);
    base_bytes_put_uleb (block, (guint) context->location.language);
}

void
job_wire_write_contexts (GByteArray *block, const JobContextTree *tree, guint32 first)
{
    g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
    guint32 count = job_context_tree_get_count (tree);

    base_bytes_put_uleb (block, first);
    base_bytes_put_uleb (block, count + 1 - first);
    for (guint32 number = first; number <= count; number++) {
        put_context (block, seen, job_context_tree_get (tree, number));
    }
}

/* Borrowed of the texts; NULL also when it failed. */
static char *
take_text (JobWire *wire, BaseCursor *block, GPtrArray *texts)
{
    guint32 number = job_wire_read_number (wire, block);

    if (number == texts->len + 1) {
        char *text = job_wire_read_name (wire, block);

        wire->failed |= text == NULL;
        g_ptr_array_add (texts, text);
    }
    wire->failed |= number > texts->len;
    return number == 0 || wire->failed ? NULL : g_ptr_array_index (texts, number - 1);
}

/* Its number must be the next one: contexts that are there twice are none of ours. */
static void
take_context (JobWire *wire, BaseCursor *block, GPtrArray *texts, JobContextTree *tree)
{
    guint32 next = job_context_tree_get_count (tree) + 1;
    guint32 parent = job_wire_read_number (wire, block);
    guint32 flags = job_wire_read_number (wire, block);
    JobLocation location = { 0 };
    guint32 language;

    location.function = take_text (wire, block, texts);
    location.file = take_text (wire, block, texts);
    location.module = take_text (wire, block, texts);
    location.line = job_wire_read_number (wire, block);
    location.offset = base_cursor_read_uleb (block);
    language = job_wire_read_number (wire, block);
    location.language = language <= JOB_LANGUAGE_ASSEMBLER ? language : JOB_LANGUAGE_UNKNOWN;
    wire->failed |= block->failed || parent >= next
                    || !job_wire_spend (wire, sizeof (JobContext) * 4);
    wire->failed = wire->failed
                   || job_context_tree_add (tree, parent, &location, flags) != next;
}

void
job_wire_read_contexts (JobWire *wire, BaseCursor *block, JobContextTree *tree)
{
    g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
    guint32 first = job_wire_read_number (wire, block);
    guint32 n = job_wire_read_number (wire, block);

    wire->failed |= first != job_context_tree_get_count (tree) + 1 || n > MAX_CONTEXTS;
    for (guint32 i = 0; i < n && !wire->failed; i++) {
        take_context (wire, block, texts, tree);
    }
}
