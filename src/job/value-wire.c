/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of values as variants. A value is a block of bytes, its parts behind it in preorder, so that no depth of nesting
 * reaches the variant, and an array of ten thousand numbers costs no variant for each. */
#include "base/array.h"
#include "base/escape.h"
#include "job/value-private.h"
#include "job/wire-private.h"

#define GROUP_TYPE "(ayay)"
#define ROW_TYPE "(aya" GROUP_TYPE "ay)" /* name, groups, rest */
#define MAX_DEPTH 100
#define MAX_SUMS 100 /* parts of an exact sum: some forty cover all doubles */
#define ROW_BYTES (sizeof (JobValueRow) + 64) /* with its empty list */

enum { FLAG_NUMBER = 1, FLAG_PROBLEM = 2, FLAG_EXPANDABLE = 4, FLAG_SAID = 8 };

static void
write_double (GByteArray *block, double number)
{
    guint64 bits;

    memcpy (&bits, &number, sizeof bits);
    bits = GUINT64_TO_LE (bits);
    g_byte_array_append (block, (const guint8 *) &bits, sizeof bits);
}

static double
read_double (BaseCursor *block)
{
    guint64 bits = base_cursor_read_u64 (block);
    double number;

    memcpy (&number, &bits, sizeof number);
    return number;
}

static void
write_value (const JobValue *value, guint depth, GByteArray *block)
{
    gboolean has_children = value->children != NULL && depth < MAX_DEPTH;
    guint8 flags = (value->is_number ? FLAG_NUMBER : 0) | (value->is_problem ? FLAG_PROBLEM : 0)
                   | (value->expandable || value->children != NULL ? FLAG_EXPANDABLE : 0)
                   | (value->said != NULL ? FLAG_SAID : 0);

    if (value->children != NULL && value->children->len == 0 && !value->expandable) {
        flags &= (guint8) ~FLAG_EXPANDABLE;
    }
    base_bytes_put_uleb (block, has_children ? value->children->len + 1 : 0);
    job_wire_write_text (block, value->name);
    job_wire_write_text (block, value->type);
    job_wire_write_text (block, value->text);
    g_byte_array_append (block, &flags, 1);
    if (value->is_number) {
        write_double (block, value->number);
    }
    base_bytes_put_uleb (block, value->rest);
    if (value->said != NULL) {
        job_wire_write_said (block, value->said);
    }
    for (guint i = 0; has_children && i < value->children->len; i++) {
        write_value (g_ptr_array_index (value->children, i), depth + 1, block);
    }
}

static void
write_sums (GByteArray *block, const GArray *sums)
{
    base_bytes_put_uleb (block, sums->len);
    for (guint i = 0; i < sums->len; i++) {
        write_double (block, g_array_index (sums, double, i));
    }
}

static GVariant *
encode_rest (const JobValueRest *rest)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    if (rest != NULL) {
        base_bytes_put_uleb (block, rest->n_values);
        base_bytes_put_uleb (block, (rest->is_numeric ? 1u : 0) | (rest->is_integer ? 2u : 0));
        job_wire_write_ranks (block, rest->ranks);
        job_wire_write_ranks (block, rest->numbers.nan_ranks);
        job_wire_write_ranks (block, rest->numbers.inf_ranks);
        base_bytes_put_uleb (block, rest->numbers.n_finite);
        base_bytes_put_uleb (block, rest->numbers.min_rank);
        base_bytes_put_uleb (block, rest->numbers.max_rank);
        write_double (block, rest->numbers.min);
        write_double (block, rest->numbers.max);
        write_sums (block, rest->numbers.sums);
        write_sums (block, rest->numbers.scaled_sums);
    }
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, block->data, block->len, 1);
}

static GVariant *
encode_row (const JobValueRow *row)
{
    GVariantBuilder groups;

    g_variant_builder_init (&groups, G_VARIANT_TYPE ("a" GROUP_TYPE));
    BASE_EACH (row->groups, const JobValueGroup, group) {
        g_autoptr (GByteArray) block = g_byte_array_new ();

        write_value (group->value, 0, block);
        g_variant_builder_add (&groups, "(@ay@ay)", job_wire_put_ranks (group->ranks),
                               g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, block->data,
                                                          block->len, 1));
    }
    return g_variant_new ("(@aya" GROUP_TYPE "@ay)", job_wire_put_text (row->name), &groups,
                          encode_rest (row->rest));
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

/* The next value of the block and all below it; NULL, with failed set, when it is malformed. */
static JobValue *
read_value (JobWire *wire, BaseCursor *block, guint depth)
{
    JobValue *value;
    guint32 n_children;
    guint8 flags;

    wire->failed |= depth > MAX_DEPTH;
    if (!job_wire_spend (wire, sizeof *value + 64)) {
        return NULL;
    }
    value = g_new0 (JobValue, 1);
    n_children = job_wire_read_number (wire, block);
    value->name = job_wire_read_name (wire, block);
    value->type = job_wire_read_name (wire, block);
    value->text = base_escape_take (job_wire_read_text (wire, block), BASE_ESCAPE_KEEP_LINES);
    flags = base_cursor_read_u8 (block);
    if ((flags & FLAG_NUMBER) != 0) {
        value->number = read_double (block);
    }
    value->rest = base_cursor_read_uleb (block);
    value->said = (flags & FLAG_SAID) != 0 ? job_wire_read_said (wire, block) : NULL;
    value->is_number = (flags & FLAG_NUMBER) != 0;
    value->is_problem = (flags & FLAG_PROBLEM) != 0;
    value->expandable = (flags & FLAG_EXPANDABLE) != 0;
    wire->failed |= block->failed;
    if (n_children > 0) {
        value->children = g_ptr_array_new ();
    }
    for (guint32 i = 1; i < n_children && !wire->failed; i++) {
        JobValue *child = read_value (wire, block, depth + 1);

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
    g_autoptr (GVariant) bytes = g_variant_get_child_value (tuple, 1);
    gsize size;
    const guint8 *data = g_variant_get_fixed_array (bytes, &size, 1);
    BaseCursor block = BASE_CURSOR_INIT (data, size);
    JobValue *value = read_value (wire, &block, 0);

    if (wire->failed || base_cursor_get_left (&block) != 0) {
        wire->failed = TRUE;
        job_value_free (value);
        return;
    }
    g_ptr_array_add (row->groups, job_value_group_new (g_steal_pointer (&ranks), value));
}

static void
read_ranks (JobWire *wire, BaseCursor *block, JobRankSet **ranks)
{
    job_rank_set_free (*ranks);
    *ranks = job_wire_read_ranks (wire, block);
}

static void
read_sums (JobWire *wire, BaseCursor *block, GArray *sums)
{
    guint32 n = job_wire_read_number (wire, block);

    wire->failed |= n > MAX_SUMS;
    for (guint32 i = 0; i < n && !wire->failed && !block->failed; i++) {
        double part = read_double (block);

        g_array_append_val (sums, part);
    }
}

static JobValueRest *
decode_rest (JobWire *wire, GVariant *bytes)
{
    gsize size;
    const guint8 *data = g_variant_get_fixed_array (bytes, &size, 1);
    BaseCursor block = BASE_CURSOR_INIT (data, size);
    JobValueRest *rest;
    guint32 flags;

    if (size == 0 || !job_wire_spend (wire, sizeof *rest + sizeof (double) * 2 * MAX_SUMS)) {
        return NULL;
    }
    rest = job_value_rest_new ();
    rest->n_values = job_wire_read_number (wire, &block);
    flags = job_wire_read_number (wire, &block);
    rest->is_numeric = (flags & 1) != 0;
    rest->is_integer = (flags & 2) != 0;
    read_ranks (wire, &block, &rest->ranks);
    read_ranks (wire, &block, &rest->numbers.nan_ranks);
    read_ranks (wire, &block, &rest->numbers.inf_ranks);
    rest->numbers.n_finite = job_wire_read_number (wire, &block);
    rest->numbers.min_rank = job_wire_read_number (wire, &block);
    rest->numbers.max_rank = job_wire_read_number (wire, &block);
    rest->numbers.min = read_double (&block);
    rest->numbers.max = read_double (&block);
    read_sums (wire, &block, rest->numbers.sums);
    read_sums (wire, &block, rest->numbers.scaled_sums);
    wire->failed |= block.failed || base_cursor_get_left (&block) != 0
                    || !job_value_rest_is_within (rest, rest->ranks);
    return rest;
}

static void
decode_row (JobWire *wire, GVariant *tuple, JobValueTable *table)
{
    g_autoptr (GVariant) groups = g_variant_get_child_value (tuple, 1);
    g_autoptr (GVariant) rest = g_variant_get_child_value (tuple, 2);
    JobValueRow *row = job_value_row_new (job_wire_take_text (wire, tuple, 0));
    gsize n_groups = g_variant_n_children (groups);

    g_ptr_array_add (table->rows, row);
    for (gsize i = 0; i < n_groups && job_wire_spend (wire, sizeof (JobValueGroup)); i++) {
        g_autoptr (GVariant) group = g_variant_get_child_value (groups, i);

        decode_group (wire, group, row);
    }
    row->rest = decode_rest (wire, rest);
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
