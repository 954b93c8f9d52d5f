/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stack trees as columns: nodes in preorder, the root first, each naming its parent; texts once,
 * in a table that counts from 1 (0 is no text). */
#include "job/stack-tree-private.h"
#include "job/wire-private.h"
#include "base/array.h"

#define TREE_TYPE "(aayauauauauauauauatayauaay)"
#define MAX_DEPTH 500000 /* more than the frames of a thread, with inlined ones and Python's */
#define NODE_BYTES (sizeof (JobStackNode) + 128) /* with its empty set and list */

enum {
    STRINGS,
    PARENTS,
    FUNCTIONS,
    FILES,
    MODULES,
    ARGUMENTS,
    LOCALS,
    LINES,
    OFFSETS,
    LANGUAGES,
    FLAGS,
    RANKS,
    N_COLUMNS
};

typedef struct {
    const JobStackNode *node;
    guint32 parent;
} Unvisited;

typedef struct {
    GHashTable *known; /* text to its number; borrows the texts */
    GVariantBuilder strings, ranks;
    GArray *columns[N_COLUMNS]; /* those of numbers */
} Encoder;

static const guint8 widths[N_COLUMNS] = {
    [PARENTS] = 4, [FUNCTIONS] = 4, [FILES] = 4,   [MODULES] = 4,   [ARGUMENTS] = 4,
    [LOCALS] = 4,  [LINES] = 4,     [OFFSETS] = 8, [LANGUAGES] = 1, [FLAGS] = 4,
};

static void
put_string (Encoder *encoder, guint column, const char *text)
{
    guint32 number = 0;

    if (text != NULL) {
        number = GPOINTER_TO_UINT (g_hash_table_lookup (encoder->known, text));
        if (number == 0) {
            number = g_hash_table_size (encoder->known) + 1;
            g_hash_table_insert (encoder->known, (gpointer) text, GUINT_TO_POINTER (number));
            g_variant_builder_add_value (&encoder->strings, job_wire_put_text (text));
        }
    }
    g_array_append_val (encoder->columns[column], number);
}

static void
encode_node (Encoder *encoder, const JobStackNode *node, guint32 parent)
{
    guint8 language = (guint8) node->location.language;

    g_array_append_val (encoder->columns[PARENTS], parent);
    put_string (encoder, FUNCTIONS, node->location.function);
    put_string (encoder, FILES, node->location.file);
    put_string (encoder, MODULES, node->location.module);
    put_string (encoder, ARGUMENTS, node->arguments);
    put_string (encoder, LOCALS, node->locals);
    g_array_append_val (encoder->columns[LINES], node->location.line);
    g_array_append_val (encoder->columns[OFFSETS], node->location.offset);
    g_array_append_val (encoder->columns[LANGUAGES], language);
    g_array_append_val (encoder->columns[FLAGS], node->flags);
    g_variant_builder_add_value (&encoder->ranks, job_wire_put_ranks (node->ranks));
}

static void
encode_nodes (Encoder *encoder, const JobStackNode *root)
{
    g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (Unvisited));
    Unvisited item = { root, 0 };
    guint32 index = 0;

    g_array_append_val (todo, item);
    while (todo->len > 0) {
        item = g_array_index (todo, Unvisited, todo->len - 1);
        g_array_set_size (todo, todo->len - 1);
        encode_node (encoder, item.node, item.parent);
        for (guint i = item.node->children->len; i > 0; i--) {
            BASE_APPEND (todo, Unvisited, g_ptr_array_index (item.node->children, i - 1),
                         index);
        }
        index++;
    }
}

static GVariant *
end_column (Encoder *encoder, guint column)
{
    static const GVariantType *types[9];
    GArray *values = encoder->columns[column];

    types[1] = G_VARIANT_TYPE_BYTE;
    types[4] = G_VARIANT_TYPE_UINT32;
    types[8] = G_VARIANT_TYPE_UINT64;
    return g_variant_new_fixed_array (types[widths[column]], values->data, values->len,
                                      widths[column]);
}

GVariant *
job_stack_tree_encode (const JobStackTree *tree)
{
    Encoder encoder = { .known = g_hash_table_new (g_str_hash, g_str_equal) };
    GVariant *children[N_COLUMNS];

    g_variant_builder_init (&encoder.strings, G_VARIANT_TYPE ("aay"));
    g_variant_builder_init (&encoder.ranks, G_VARIANT_TYPE ("aay"));
    for (guint i = PARENTS; i < RANKS; i++) {
        encoder.columns[i] = g_array_new (FALSE, FALSE, widths[i]);
    }
    encode_nodes (&encoder, tree->root);
    children[STRINGS] = g_variant_builder_end (&encoder.strings);
    children[RANKS] = g_variant_builder_end (&encoder.ranks);
    for (guint i = PARENTS; i < RANKS; i++) {
        children[i] = end_column (&encoder, i);
        g_array_unref (encoder.columns[i]);
    }
    g_hash_table_unref (encoder.known);
    return g_variant_new_tuple (children, N_COLUMNS);
}

typedef struct {
    JobWire wire;
    GVariant *columns[N_COLUMNS];
    gconstpointer data[N_COLUMNS]; /* of those of numbers */
    gsize n_nodes;
    GPtrArray *nodes; /* borrowed by index */
    GArray *depths;   /* guint32 by index */
} Decoder;

/* Borrows all columns; FALSE when their lengths differ. */
static gboolean
open_columns (Decoder *decoder, GVariant *variant)
{
    gboolean is_good = TRUE;

    for (guint i = 0; i < N_COLUMNS; i++) {
        decoder->columns[i] = g_variant_get_child_value (variant, i);
    }
    decoder->n_nodes = g_variant_n_children (decoder->columns[RANKS]);
    for (guint i = PARENTS; i < RANKS; i++) {
        gsize n_values;

        decoder->data[i] = g_variant_get_fixed_array (decoder->columns[i], &n_values,
                                                      widths[i]);
        is_good = is_good && n_values == decoder->n_nodes;
    }
    return is_good && decoder->n_nodes > 0 && decoder->n_nodes < G_MAXUINT32;
}

static void
close_columns (Decoder *decoder)
{
    for (guint i = 0; i < N_COLUMNS; i++) {
        g_variant_unref (decoder->columns[i]);
    }
}

static guint32
get_number (const Decoder *decoder, guint column, gsize index)
{
    return ((const guint32 *) decoder->data[column])[index];
}

static char *
take_string (Decoder *decoder, guint column, gsize index)
{
    guint32 number = get_number (decoder, column, index);

    if (number == 0) {
        return NULL;
    }
    if (number > g_variant_n_children (decoder->columns[STRINGS])) {
        decoder->wire.failed = TRUE;
        return NULL;
    }
    return job_wire_take_text (&decoder->wire, decoder->columns[STRINGS], number - 1);
}

static void
fill_node (Decoder *decoder, gsize index, JobStackNode *node)
{
    guint8 language = ((const guint8 *) decoder->data[LANGUAGES])[index];

    node->location.function = take_string (decoder, FUNCTIONS, index);
    node->location.file = take_string (decoder, FILES, index);
    node->location.module = take_string (decoder, MODULES, index);
    node->arguments = take_string (decoder, ARGUMENTS, index);
    node->locals = take_string (decoder, LOCALS, index);
    node->location.line = get_number (decoder, LINES, index);
    node->location.offset = ((const guint64 *) decoder->data[OFFSETS])[index];
    node->location.language = language <= JOB_LANGUAGE_ASSEMBLER ? language
                                                                 : JOB_LANGUAGE_UNKNOWN;
    node->flags = get_number (decoder, FLAGS, index);
    job_rank_set_free (node->ranks);
    node->ranks = job_wire_take_ranks (&decoder->wire, decoder->columns[RANKS], index);
}

static void
decode_node (Decoder *decoder, gsize index, JobStackNode *root)
{
    guint32 parent = get_number (decoder, PARENTS, index);
    JobStackNode *node = root;
    guint32 depth = 0;

    if (index > 0) {
        if (parent >= index || g_array_index (decoder->depths, guint32, parent) >= MAX_DEPTH) {
            decoder->wire.failed = TRUE;
            return;
        }
        depth = g_array_index (decoder->depths, guint32, parent) + 1;
        if (!job_wire_spend (&decoder->wire, NODE_BYTES)) {
            return;
        }
        node = job_stack_node_new ();
        g_ptr_array_add (((JobStackNode *) g_ptr_array_index (decoder->nodes, parent))
                             ->children,
                         node);
    }
    g_ptr_array_add (decoder->nodes, node);
    g_array_append_val (decoder->depths, depth);
    fill_node (decoder, index, node);
}

static gboolean
decode_nodes (Decoder *decoder, JobStackNode *root)
{
    g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
    g_autoptr (GArray) depths = g_array_new (FALSE, FALSE, sizeof (guint32));

    decoder->nodes = nodes;
    decoder->depths = depths;
    for (gsize i = 0; i < decoder->n_nodes && !decoder->wire.failed; i++) {
        decode_node (decoder, i, root);
    }
    for (guint i = 0; i < nodes->len; i++) {
        job_stack_node_sort (g_ptr_array_index (nodes, i));
    }
    return !decoder->wire.failed;
}

JobStackTree *
job_wire_take_tree (JobWire *wire, GVariant *variant)
{
    g_autoptr (JobStackTree) tree = job_stack_tree_new ();
    Decoder decoder = { .wire = *wire };
    gboolean is_good;

    if (!job_wire_check (variant, TREE_TYPE, NULL)) {
        wire->failed = TRUE;
        return NULL;
    }
    is_good = open_columns (&decoder, variant) && decode_nodes (&decoder, tree->root);
    close_columns (&decoder);
    wire->left = decoder.wire.left;
    wire->is_full |= decoder.wire.is_full;
    wire->failed |= !is_good;
    return is_good ? g_steal_pointer (&tree) : NULL;
}

JobStackTree *
job_stack_tree_decode (GVariant *variant, guint32 limit, GError **error)
{
    JobWire wire = { limit, JOB_EVENT_MAX_BYTES, FALSE, FALSE };
    JobStackTree *tree = job_wire_take_tree (&wire, variant);

    if (tree == NULL) {
        job_wire_fail (&wire, error, "a tree of stacks");
    }
    return tree;
}
