/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of values as variants. The parts of a value follow it in preorder, so that no depth of
 * nesting reaches the variant. */
#include "job/value-private.h"
#include "job/wire-private.h"

#define VALUE_TYPE "(uayayayydtay)"
#define GROUP_TYPE "(aya" VALUE_TYPE ")"
#define ROW_TYPE "(aya" GROUP_TYPE ")"
#define MAX_DEPTH 100
#define ROW_BYTES (sizeof (JobValueRow) + 64) /* with its empty list */

enum { FLAG_NUMBER = 1, FLAG_PROBLEM = 2, FLAG_EXPANDABLE = 4 };

static GVariant *
put_said (const JobText *said)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    if (said != NULL) {
        job_wire_write_said (bytes, said);
    }
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1);
}

/* NULL: there is none. */
static JobText *
take_said (JobWire *wire, GVariant *tuple, gsize index)
{
    g_autoptr (GVariant) block = g_variant_get_child_value (tuple, index);
    gsize size;
    const guint8 *data = g_variant_get_fixed_array (block, &size, 1);
    BaseCursor cursor = BASE_CURSOR_INIT (data, size);
    JobText *said = size > 0 ? job_wire_read_said (wire, &cursor) : NULL;

    wire->failed |= cursor.failed || base_cursor_get_left (&cursor) != 0;
    return said;
}

static void
encode_value (const JobValue *value, guint depth, GVariantBuilder *builder)
{
    gboolean has_children = value->children != NULL && depth < MAX_DEPTH;
    guint8 flags = (value->is_number ? FLAG_NUMBER : 0) | (value->is_problem ? FLAG_PROBLEM : 0)
                   | (value->expandable || value->children != NULL ? FLAG_EXPANDABLE : 0);

    if (value->children != NULL && value->children->len == 0 && !value->expandable) {
        flags &= (guint8) ~FLAG_EXPANDABLE;
    }
    g_variant_builder_add (builder, "(u@ay@ay@ayydt@ay)",
                           has_children ? value->children->len + 1 : 0,
                           job_wire_put_text (value->name), job_wire_put_text (value->type),
                           job_wire_put_text (value->text), flags, value->number, value->rest,
                           put_said (value->said));
    for (guint i = 0; has_children && i < value->children->len; i++) {
        encode_value (g_ptr_array_index (value->children, i), depth + 1, builder);
    }
}

static GVariant *
encode_row (const JobValueRow *row)
{
    GVariantBuilder groups;

    g_variant_builder_init (&groups, G_VARIANT_TYPE ("a" GROUP_TYPE));
    for (guint i = 0; i < row->groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (row->groups, i);
        GVariantBuilder values;

        g_variant_builder_init (&values, G_VARIANT_TYPE ("a" VALUE_TYPE));
        encode_value (group->value, 0, &values);
        g_variant_builder_add (&groups, "(@aya" VALUE_TYPE ")",
                               job_wire_put_ranks (group->ranks), &values);
    }
    return g_variant_new ("(@aya" GROUP_TYPE ")", job_wire_put_text (row->name), &groups);
}

GVariant *
job_value_table_encode (const JobValueTable *table)
{
    GVariantBuilder rows;

    g_variant_builder_init (&rows, G_VARIANT_TYPE ("a" ROW_TYPE));
    for (guint i = 0; i < table->rows->len; i++) {
        g_variant_builder_add_value (&rows, encode_row (g_ptr_array_index (table->rows, i)));
    }
    return g_variant_builder_end (&rows);
}

/* The value at *next of the preorder list and all below it; NULL when the list is too short. */
static JobValue *
decode_value (JobWire *wire, GVariant *list, gsize *next, guint depth)
{
    g_autoptr (GVariant) tuple = NULL;
    JobValue *value;
    guint32 n_children;
    guint8 flags;

    if (wire->failed || *next >= g_variant_n_children (list) || depth > MAX_DEPTH) {
        wire->failed = TRUE;
        return NULL;
    }
    if (!job_wire_spend (wire, sizeof *value + 64)) {
        return NULL;
    }
    tuple = g_variant_get_child_value (list, (*next)++);
    value = g_new0 (JobValue, 1);
    g_variant_get_child (tuple, 0, "u", &n_children);
    value->name = job_wire_take_text (wire, tuple, 1);
    value->type = job_wire_take_text (wire, tuple, 2);
    value->text = job_wire_take_lines (wire, tuple, 3);
    g_variant_get_child (tuple, 4, "y", &flags);
    g_variant_get_child (tuple, 5, "d", &value->number);
    g_variant_get_child (tuple, 6, "t", &value->rest);
    value->said = take_said (wire, tuple, 7);
    value->is_number = (flags & FLAG_NUMBER) != 0;
    value->is_problem = (flags & FLAG_PROBLEM) != 0;
    value->expandable = (flags & FLAG_EXPANDABLE) != 0;
    if (n_children > 0) {
        value->children = g_ptr_array_new ();
    }
    for (guint32 i = 1; i < n_children && !wire->failed; i++) {
        JobValue *child = decode_value (wire, list, next, depth + 1);

        if (child != NULL) {
            g_ptr_array_add (value->children, child);
        }
    }
    return value;
}

static void
decode_group (JobWire *wire, GVariant *tuple, JobValueRow *row)
{
    g_autoptr (JobRankSet) ranks = job_wire_take_ranks (wire, tuple, 0);
    g_autoptr (GVariant) list = g_variant_get_child_value (tuple, 1);
    gsize next = 0;
    JobValue *value = decode_value (wire, list, &next, 0);

    if (value == NULL || next != g_variant_n_children (list)) {
        wire->failed = TRUE;
        job_value_free (value);
        return;
    }
    g_ptr_array_add (row->groups, job_value_group_new (g_steal_pointer (&ranks), value));
}

static void
decode_row (JobWire *wire, GVariant *tuple, JobValueTable *table)
{
    g_autoptr (GVariant) groups = g_variant_get_child_value (tuple, 1);
    JobValueRow *row = job_value_row_new (job_wire_take_text (wire, tuple, 0));
    gsize n_groups = g_variant_n_children (groups);

    g_ptr_array_add (table->rows, row);
    for (gsize i = 0; i < n_groups && job_wire_spend (wire, sizeof (JobValueGroup)); i++) {
        g_autoptr (GVariant) group = g_variant_get_child_value (groups, i);

        decode_group (wire, group, row);
    }
}

JobValueTable *
job_wire_take_table (JobWire *wire, GVariant *variant)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    gsize n_rows;

    if (!job_wire_check (variant, "a" ROW_TYPE, NULL)) {
        wire->failed = TRUE;
        return NULL;
    }
    n_rows = g_variant_n_children (variant);
    for (gsize i = 0; i < n_rows && job_wire_spend (wire, ROW_BYTES); i++) {
        g_autoptr (GVariant) row = g_variant_get_child_value (variant, i);

        decode_row (wire, row, table);
    }
    return wire->failed ? NULL : g_steal_pointer (&table);
}

JobValueTable *
job_value_table_decode (GVariant *variant, guint32 limit, GError **error)
{
    JobWire wire = { limit, JOB_EVENT_MAX_BYTES, FALSE, FALSE };
    JobValueTable *table = job_wire_take_table (&wire, variant);

    if (table == NULL) {
        job_wire_fail (&wire, error, "a table of values");
    }
    return table;
}
