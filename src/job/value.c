/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values, and tables of them over ranks. Their bytes are in value-wire.c, their summary in
 * value-summary.c. */
#include "job/value.h"
#include "job/value-merge.h"
#include "job/value-private.h"
#include "base/array.h"

JobValue *
job_value_new (const char *name, const char *type, const char *text)
{
    JobValue *value = g_new0 (JobValue, 1);

    value->name = g_strdup (name);
    value->type = g_strdup (type);
    value->text = g_strdup (text);
    return value;
}

JobValue *
job_value_new_number (const char *name, const char *type, const char *text, double number)
{
    JobValue *value = job_value_new (name, type, text);

    value->is_number = TRUE;
    value->number = number;
    return value;
}

JobValue *
job_value_new_problem (const char *name, const char *type, JobText *said)
{
    g_autofree char *text = job_text_print (BASE_TEXT_ENGLISH, said);
    JobValue *value = job_value_new (name, type, text);

    value->is_problem = TRUE;
    value->said = said;
    return value;
}

JobText *
job_value_dup_said (const JobValue *value)
{
    return value->said != NULL ? job_text_dup (value->said)
                               : job_text_new_reason (value->text != NULL ? value->text : "");
}

void
job_value_free (JobValue *value)
{
    if (value == NULL) {
        return;
    }
    for (guint i = 0; value->children != NULL && i < value->children->len; i++) {
        job_value_free (g_ptr_array_index (value->children, i));
    }
    if (value->children != NULL) {
        /* Whoever made the array may have given it a free function: each value is freed once. */
        g_ptr_array_set_free_func (value->children, NULL);
        g_ptr_array_unref (value->children);
    }
    g_free (value->name);
    g_free (value->path);
    g_free (value->type);
    g_free (value->text);
    job_text_free (value->said);
    g_free (value);
}

JobValue *
job_value_dup (const JobValue *value)
{
    JobValue *copy;

    if (value == NULL) {
        return NULL;
    }
    copy = job_value_new (value->name, value->type, value->text);
    copy->is_number = value->is_number;
    copy->number = value->number;
    copy->is_problem = value->is_problem;
    copy->expandable = value->expandable;
    copy->rest = value->rest;
    copy->said = job_text_dup (value->said);
    copy->path = g_strdup (value->path);
    if (value->children != NULL) {
        copy->children = g_ptr_array_new ();
        for (guint i = 0; i < value->children->len; i++) {
            g_ptr_array_add (copy->children,
                             job_value_dup (g_ptr_array_index (value->children, i)));
        }
    }
    return copy;
}

/* Type, text and rest. */
static gboolean
are_equal (const JobValue *a, const JobValue *b)
{
    return g_strcmp0 (a->type, b->type) == 0 && g_strcmp0 (a->text, b->text) == 0
           && a->is_problem == b->is_problem && a->rest == b->rest;
}

JobValueGroup *
job_value_group_new (JobRankSet *ranks, JobValue *value)
{
    JobValueGroup *group = g_new (JobValueGroup, 1);

    group->ranks = ranks;
    group->value = value;
    return group;
}

BASE_FREE (free_group, JobValueGroup, group, job_rank_set_free (group->ranks);
           job_value_free (group->value))

JobValueRow *
job_value_row_new (char *name)
{
    JobValueRow *row = g_new (JobValueRow, 1);

    row->name = name;
    row->rest = NULL;
    row->groups = g_ptr_array_new_with_free_func (free_group);
    return row;
}

BASE_FREE (free_row, JobValueRow, row, g_free (row->name); g_ptr_array_unref (row->groups);
           job_value_rest_free (row->rest))

JobValueTable *
job_value_table_new (void)
{
    JobValueTable *table = g_new (JobValueTable, 1);

    table->rows = g_ptr_array_new_with_free_func (free_row);
    return table;
}

BASE_FREE_PUBLIC (job_value_table_free, JobValueTable, table, g_ptr_array_unref (table->rows))

JobValueTable *
job_value_table_dup (const JobValueTable *table)
{
    JobValueTable *copy;

    if (table == NULL) {
        return NULL;
    }
    copy = job_value_table_new ();
    job_value_table_merge (copy, table);
    return copy;
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
    const JobValueGroup *left = *(JobValueGroup *const *) a;
    const JobValueGroup *right = *(JobValueGroup *const *) b;
    guint32 low_left = job_rank_set_get_lowest (left->ranks);
    guint32 low_right = job_rank_set_get_lowest (right->ranks);

    if (low_left != low_right) {
        return low_left < low_right ? -1 : 1;
    }
    if (g_strcmp0 (left->value->text, right->value->text) != 0) {
        return g_strcmp0 (left->value->text, right->value->text);
    }
    return left->value->rest < right->value->rest ? -1 : left->value->rest > right->value->rest;
}

/* Adds to a group of an equal value. Of two equal values with different parts the lowest rank's
 * stays, so that the order of merging does not count. */
static void
merge_group (JobValueGroup *group, const JobRankSet *ranks, const JobValue *value)
{
    if (job_rank_set_get_lowest (ranks) < job_rank_set_get_lowest (group->ranks)) {
        job_value_free (group->value);
        group->value = job_value_dup (value);
    }
    job_rank_set_merge (group->ranks, ranks);
}

static JobValueRow *
ensure_row (JobValueTable *table, const char *name)
{
    JobValueRow *row;

    for (guint i = 0; i < table->rows->len; i++) {
        row = g_ptr_array_index (table->rows, i);
        if (g_strcmp0 (row->name, name) == 0) {
            return row;
        }
    }
    row = job_value_row_new (g_strdup (name));
    g_ptr_array_add (table->rows, row);
    return row;
}

void
job_value_table_add (JobValueTable *table, const char *name, const JobRankSet *ranks,
                     const JobValue *value)
{
    JobValueRow *row = ensure_row (table, name);

    BASE_EACH (row->groups, JobValueGroup, group) {
        if (are_equal (group->value, value)) {
            merge_group (group, ranks, value);
            g_ptr_array_sort (row->groups, compare_groups);
            return;
        }
    }
    g_ptr_array_add (row->groups,
                     job_value_group_new (job_rank_set_dup (ranks), job_value_dup (value)));
    g_ptr_array_sort (row->groups, compare_groups);
}

static guint
hash_group (gconstpointer data)
{
    const JobValueGroup *group = data;

    return (group->value->text != NULL ? g_str_hash (group->value->text) : 0)
           ^ (guint) (group->value->rest ^ group->value->rest >> 32);
}

static gboolean
is_equal_group (gconstpointer a, gconstpointer b)
{
    return are_equal (((const JobValueGroup *) a)->value, ((const JobValueGroup *) b)->value);
}

/* Keys are groups; merge_group may exchange a value, but only for an equal one. */
static void
merge_groups (JobValueRow *row, GHashTable *known, const JobValueRow *other)
{
    BASE_EACH (other->groups, JobValueGroup, theirs) {
        JobValueGroup *ours = g_hash_table_lookup (known, theirs);

        if (ours != NULL) {
            merge_group (ours, theirs->ranks, theirs->value);
        } else {
            ours = job_value_group_new (job_rank_set_dup (theirs->ranks),
                                        job_value_dup (theirs->value));
            g_ptr_array_add (row->groups, ours);
            g_hash_table_add (known, ours);
        }
    }
}

static void
merge_rests (JobValueRow *row, const JobValueRow *other)
{
    if (row->rest != NULL && other->rest != NULL) {
        job_value_rest_merge (row->rest, other->rest);
    } else if (other->rest != NULL) {
        row->rest = job_value_rest_dup (other->rest);
    }
}

static GHashTable *
index_groups (const JobValueRow *row)
{
    GHashTable *known = g_hash_table_new (hash_group, is_equal_group);

    for (guint i = 0; i < row->groups->len; i++) {
        g_hash_table_add (known, g_ptr_array_index (row->groups, i));
    }
    return known;
}

void
job_value_table_merge_all (JobValueTable *table, const GPtrArray *others)
{
    /* row to its groups */
    g_autoptr (GHashTable) indexes
        = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);
    gpointer row;

    for (guint i = 0; i < others->len; i++) {
        const JobValueTable *other = g_ptr_array_index ((GPtrArray *) others, i);

        BASE_EACH (other->rows, const JobValueRow, theirs) {
            JobValueRow *ours = ensure_row (table, theirs->name);
            GHashTable *known = g_hash_table_lookup (indexes, ours);

            if (known == NULL) {
                known = index_groups (ours);
                g_hash_table_insert (indexes, ours, known);
            }
            merge_groups (ours, known, theirs);
            merge_rests (ours, theirs);
        }
    }
    BASE_WALK (indexes, &row, NULL) {
        g_ptr_array_sort (((JobValueRow *) row)->groups, compare_groups);
    }
}

void
job_value_table_merge (JobValueTable *table, const JobValueTable *other)
{
    g_autoptr (GPtrArray) one = g_ptr_array_new ();

    g_ptr_array_add (one, (gpointer) other);
    job_value_table_merge_all (table, one);
}

gboolean
job_value_is_true (const JobValue *value)
{
    static const char *const false_texts[] = { "0",    "0x0",     "nullptr", "false", "False",
                                               "None", ".FALSE.", ".false.", "F",     "",
                                               "[]",   "{}",      "()",      "''",    "\"\"",
                                               "b''",  "set()",   "0j",      NULL };

    if (value->is_problem) {
        return FALSE;
    }
    if (value->is_number) { /* a double has none of the smallest ones, which the text has */
        return value->number != 0
               || (value->text != NULL && strpbrk (value->text, "123456789") != NULL
                   && strchr (value->text, 'e') != NULL
                   && value->text[strspn (value->text, "-+.e0123456789")] == '\0');
    }
    return value->text != NULL && !g_strv_contains (false_texts, value->text)
           && !g_str_has_suffix (value->text, " 0x0");
}
