/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For Cube and what else reads its version 4: a tar archive of anchor.xml, which has the tree and the ranks, and for
 * each metric N.index and N.data, which have a row for each node and in it a value for each rank. The
 * numbers of nodes are their order in the tree, as an exclusive metric has it. */
#include "profile/export/private.h"
#include "base/error.h"
#include <string.h>

#define BLOCK 512
#define ROOT_REGION 0u /* of functions: the stacks that could not be read */

/* ---- tar: POSIX.1-1988 ustar ---- */

static gboolean
add_file (GByteArray *tar, const char *name, const void *data, gsize size, GError **error)
{
    static const guint8 zeros[BLOCK] = { 0 };
    char head[BLOCK] = { 0 };
    guint sum = 0;

    if (size > G_MAXUINT - tar->len - 4 * BLOCK) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                     "cannot export to cubex: the profile is too large");
        return FALSE;
    }
    g_strlcpy (head, name, 100);
    g_snprintf (head + 100, 8, "%07o", 0644u);
    g_snprintf (head + 108, 8, "%07o", 0u);
    g_snprintf (head + 116, 8, "%07o", 0u);
    g_snprintf (head + 124, 12, "%011" G_GINT64_MODIFIER "o", (guint64) size);
    g_snprintf (head + 136, 12, "%011o", 0u);
    memset (head + 148, ' ', 8); /* its own place in its sum */
    head[156] = '0';
    memcpy (head + 257, "ustar\00000", 8);
    for (guint i = 0; i < BLOCK; i++) {
        sum += (guchar) head[i];
    }
    g_snprintf (head + 148, 7, "%06o", sum);
    g_byte_array_append (tar, (const guint8 *) head, BLOCK);
    g_byte_array_append (tar, data, (guint) size);
    g_byte_array_append (tar, zeros, (BLOCK - (guint) (size % BLOCK)) % BLOCK);
    return TRUE;
}

static GByteArray *
close_tar (GByteArray *tar)
{
    static const guint8 zeros[2 * BLOCK] = { 0 };

    return g_byte_array_append (tar, zeros, sizeof zeros);
}

/* ---- anchor.xml ---- */

typedef struct {
    const char *display, *name, *type, *unit, *description;
} Metric;

static const Metric metrics[] = {
    { "Time", "time", "DOUBLE", "sec", "time that samples of the program stand for" },
    { "Samples", "samples", "UINT64", "occ", "number of samples" },
};

static void
append_element (GString *xml, const char *name, const char *text)
{
    g_string_append_printf (xml, "<%s>", name);
    profile_text_append_xml (xml, text);
    g_string_append_printf (xml, "</%s>\n", name);
}

static void
append_metrics (GString *xml)
{
    g_string_append (xml, "<metrics>\n");
    for (guint i = 0; i < G_N_ELEMENTS (metrics); i++) {
        g_string_append_printf (xml, "<metric id=\"%u\" type=\"EXCLUSIVE\">\n", i);
        append_element (xml, "disp_name", metrics[i].display);
        append_element (xml, "uniq_name", metrics[i].name);
        append_element (xml, "dtype", metrics[i].type);
        append_element (xml, "uom", metrics[i].unit);
        append_element (xml, "url", "");
        append_element (xml, "descr", metrics[i].description);
        g_string_append (xml, "</metric>\n");
    }
    g_string_append (xml, "</metrics>\n");
}

static void
append_regions (GString *xml, const ProfileExportTable *table)
{
    for (guint32 i = 0; i < table->functions->len; i++) {
        const ProfileExportFunction *function = profile_export_table_get (table, i);
        const char *name = i == ROOT_REGION ? "(program)" : function->name;
        gboolean is_mpi = g_str_has_prefix (name, "MPI_") || g_str_has_prefix (name, "PMPI_");

        g_string_append_printf (xml, "<region id=\"%u\" mod=\"", i);
        profile_text_append_xml (xml, function->file);
        g_string_append_printf (xml, "\" begin=\"%d\" end=\"-1\">\n",
                                function->line > 0 ? (int) function->line : -1);
        append_element (xml, "name", name);
        append_element (xml, "mangled_name", name);
        append_element (xml, "paradigm", is_mpi ? "mpi" : "user");
        append_element (xml, "role", "function");
        append_element (xml, "url", "");
        append_element (xml, "descr",
                        i == ROOT_REGION
                            ? "its own time is that of stacks that could not be read"
                            : "");
        g_string_append (xml, "</region>\n");
    }
}

/* The root has number 0. */
static void
append_tree (GString *xml, const ProfileExportStacks *stacks)
{
    guint32 depth = 0;

    g_string_append_printf (xml, "<cnode id=\"0\" calleeId=\"%u\">\n", ROOT_REGION);
    for (guint32 i = 0; i + 1 < stacks->stacks->len; i++) {
        const ProfileExportStack *stack = profile_export_stacks_get (stacks, stacks->order[i]);

        for (; depth >= stack->depth; depth--) {
            g_string_append (xml, "</cnode>\n");
        }
        g_string_append_printf (xml, "<cnode id=\"%u\" calleeId=\"%u\">\n", i + 1,
                                stack->function);
        depth = stack->depth;
    }
    for (; depth > 0; depth--) {
        g_string_append (xml, "</cnode>\n");
    }
    g_string_append (xml, "</cnode>\n");
}

static void
append_system (GString *xml, const ProfileModel *model)
{
    g_string_append (xml, "<system>\n<systemtreenode Id=\"0\">\n");
    append_element (xml, "name", "job");
    append_element (xml, "class", "machine");
    g_string_append (xml, "<systemtreenode Id=\"1\">\n");
    append_element (xml, "name", "ranks");
    append_element (xml, "class", "node");
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        guint32 rank = profile_model_get_rank (model, i);
        g_autofree char *name = profile_model_format_rank (BASE_TEXT_ENGLISH, model, i);

        g_string_append_printf (
            xml,
            "<locationgroup Id=\"%u\">\n<name>%s</name>\n<rank>%u</rank>\n<type>process</type>\n"
            "<location Id=\"%u\">\n<name>all threads</name>\n<rank>0</rank>\n<type>thread</type>\n"
            "</location>\n</locationgroup>\n",
            i, name, rank, i);
    }
    g_string_append (xml, "</systemtreenode>\n</systemtreenode>\n</system>\n");
}

static GString *
format_anchor (const ProfileExportTable *table, const ProfileExportStacks *stacks)
{
    GString *xml = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                 "<cube version=\"4.4\">\n"
                                 "<attr key=\"Creator\" value=\"pddt\"/>\n");

    append_metrics (xml);
    g_string_append (xml, "<program>\n");
    append_regions (xml, table);
    append_tree (xml, stacks);
    g_string_append (xml, "</program>\n");
    append_system (xml, table->model);
    g_string_append (xml, "</cube>\n");
    return xml;
}

/* ---- the values ---- */

static void
put_u32 (GByteArray *to, guint32 number)
{
    guint32 bytes = GUINT32_TO_LE (number);

    g_byte_array_append (to, (const guint8 *) &bytes, sizeof bytes);
}

static void
put_u64 (GByteArray *to, guint64 number)
{
    guint64 bytes = GUINT64_TO_LE (number);

    g_byte_array_append (to, (const guint8 *) &bytes, sizeof bytes);
}

/* All nodes have a row. */
static GByteArray *
format_index (guint32 n_nodes)
{
    GByteArray *index = g_byte_array_new ();

    g_byte_array_append (index, (const guint8 *) "CUBEX.INDEX", 11);
    put_u32 (index, 1); /* tells the order of bytes */
    g_byte_array_append (index, ((const guint8[3]){ 0, 0, 1 }), 3); /* version 0, sparse */
    put_u32 (index, n_nodes);
    for (guint32 i = 0; i < n_nodes; i++) {
        put_u32 (index, i);
    }
    return index;
}

/* data[0] of times and data[1] of samples get a row for each node. */
static void
fill_data (const ProfileExportTable *table, const ProfileExportStacks *stacks,
           GByteArray *data[2])
{
    guint n_ranks = profile_model_get_n_ranks (table->model);
    guint32 n = stacks->stacks->len;
    g_autofree double *seconds = g_new0 (double, (gsize) n *n_ranks);
    g_autofree guint64 *samples = g_new0 (guint64, (gsize) n * n_ranks);

    for (guint i = 0; i < n_ranks; i++) {
        g_autoptr (ProfileExportCosts) costs = profile_export_costs_new (table, i);

        for (guint32 number = 0; number < table->n_contexts; number++) {
            gsize at = (gsize) stacks->stack_of[number] * n_ranks + i;

            seconds[at] += costs->seconds[number];
            samples[at] += costs->samples[number];
        }
    }
    for (guint32 i = 0; i < n; i++) {
        gsize row = (gsize) (i == 0 ? 0 : stacks->order[i - 1]) * n_ranks;

        for (guint j = 0; j < n_ranks; j++) {
            guint64 bits;

            memcpy (&bits, &seconds[row + j], sizeof bits);
            put_u64 (data[0], bits);
            put_u64 (data[1], samples[row + j]);
        }
    }
}

gboolean
profile_export_cubex (const ProfileExportTable *table, const char *path, GError **error)
{
    g_autoptr (ProfileExportStacks) stacks = profile_export_stacks_new (table);
    g_autoptr (GByteArray) index = format_index (stacks->stacks->len);
    g_autoptr (GByteArray) tar = g_byte_array_new ();
    g_autoptr (GByteArray) times = g_byte_array_new (), samples = g_byte_array_new ();
    GByteArray *data[2] = { times, samples };
    GString *anchor = format_anchor (table, stacks);
    gboolean ok = add_file (tar, "anchor.xml", anchor->str, anchor->len, error);

    g_string_free (anchor, TRUE);
    g_byte_array_append (times, (const guint8 *) "CUBEX.DATA", 10);
    g_byte_array_append (samples, (const guint8 *) "CUBEX.DATA", 10);
    fill_data (table, stacks, data);
    for (guint i = 0; ok && i < G_N_ELEMENTS (metrics); i++) {
        g_autofree char *index_name = g_strdup_printf ("%u.index", i);
        g_autofree char *data_name = g_strdup_printf ("%u.data", i);

        ok = add_file (tar, index_name, index->data, index->len, error)
             && add_file (tar, data_name, data[i]->data, data[i]->len, error);
    }
    if (ok) {
        close_tar (tar);
    }
    return ok && profile_text_save (path, tar->data, tar->len, error);
}
