/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nests the ranges of functions and inlined calls, adds functions that only the symbol table
 * has, and finds the ends of prologues. */
#include <string.h>

#include "symbol/demangle.h"
#include "machine/code.h"
#include "symbol/scan-cython.h"
#include "base/array.h"

gint
symbol_scan_compare_blocks (gconstpointer a, gconstpointer b)
{
    const IndexBlock *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    gboolean left_inlined = left->flags & INDEX_BLOCK_INLINED;
    gboolean right_inlined = right->flags & INDEX_BLOCK_INLINED;
    if (left_inlined != right_inlined)
        return left_inlined ? 1 : -1;
    if (left->high != right->high)
        return left->high > right->high ? -1 : 1;
    if (left->reserved != right->reserved)
        return left->reserved < right->reserved ? -1 : 1;
    return left->instance < right->instance ? -1 : left->instance > right->instance;
}

/* Behind n of them; how many there are then. */
static inline guint
add_span (IndexSpan *spans, guint n, guint64 address, guint32 block)
{
    if (n && spans[n - 1].address == address) {
        spans[n - 1].block = block;
        return n;
    }
    if (n && spans[n - 1].block == block)
        return n;
    spans[n] = (IndexSpan){ address, block, 0 };
    return n + 1;
}

/* Blocks must be sorted. Ends open blocks in order, opens the next; clips what does not nest;
 * leaves out functions inside functions (folded ones, or an error). */
static void
nest_all (SymbolScan *scan)
{
    IndexBlock *blocks = (IndexBlock *) (gpointer) scan->blocks->data;
    guint n = scan->blocks->len, n_kept = 0, n_spans = 0, n_open = 0;
    g_autofree guint32 *open = g_new (guint32, n + 1);
    g_array_set_size (scan->spans, 2 * n + 2);
    IndexSpan *spans = (IndexSpan *) (gpointer) scan->spans->data;
    for (guint i = 0; i <= n; i++) {
        while (n_open) {
            guint64 end = blocks[open[n_open - 1]].high;
            if (i < n && end > blocks[i].low)
                break;
            n_open--;
            n_spans = add_span (spans, n_spans, end, n_open ? open[n_open - 1] : INDEX_NONE);
        }
        if (i == n)
            break;
        IndexBlock block = blocks[i];
        gboolean inlined = block.flags & INDEX_BLOCK_INLINED;
        if (inlined != (n_open > 0))
            continue;
        block.reserved = 0;
        if (inlined) {
            block.parent = open[n_open - 1];
            block.high = MIN (block.high, blocks[block.parent].high);
        }
        /* what is kept never overtakes what is read */
        guint32 number = n_kept++;
        blocks[number] = block;
        open[n_open++] = number;
        n_spans = add_span (spans, n_spans, block.low, number);
    }
    g_array_set_size (scan->blocks, n_kept);
    g_array_set_size (scan->spans, n_spans);
}

static gint
compare_symbols (gconstpointer a, gconstpointer b)
{
    const SymbolElfSymbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    guint left_rank = left->bind == STB_GLOBAL ? 0 : left->bind == STB_WEAK ? 1 : 2;
    guint right_rank = right->bind == STB_GLOBAL ? 0 : right->bind == STB_WEAK ? 1 : 2;
    if (left_rank != right_rank)
        return left_rank < right_rank ? -1 : 1;
    /* fewer leading underscores first, as people name it */
    gsize left_bars = strspn (left->name, "_"), right_bars = strspn (right->name, "_");
    if (left_bars != right_bars)
        return left_bars < right_bars ? -1 : 1;
    return strcmp (left->name, right->name);
}

static gboolean
is_code_symbol (const SymbolElfSymbol *symbol)
{
    return (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC) && symbol->size
           && symbol->size <= G_MAXUINT32;
}

void
symbol_scan_sort_runs (gpointer items, guint n, gsize size, const guint64 *keys,
                       const guint32 *order, GCompareFunc compare)
{
    for (guint start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && keys[order[end]] == keys[order[start]];)
            end++;
        if (end - start > 1)
            qsort ((char *) items + start * size, end - start, size, compare);
    }
}

static GArray *
sort_symbols (GArray *symbols)
{
    g_autofree guint64 *keys = g_new (guint64, symbols->len + 1);
    for (guint i = 0; i < symbols->len; i++)
        keys[i] = g_array_index (symbols, SymbolElfSymbol, i).address;
    g_autofree guint32 *order = symbol_scan_sort (keys, symbols->len);
    GArray *sorted = g_array_sized_new (FALSE, FALSE, sizeof (SymbolElfSymbol), symbols->len);
    g_array_set_size (sorted, symbols->len);
    for (guint i = 0; i < symbols->len; i++)
        g_array_index (sorted, SymbolElfSymbol, i) = g_array_index (symbols, SymbolElfSymbol,
                                                                    order[i]);
    symbol_scan_sort_runs (sorted->data, sorted->len, sizeof (SymbolElfSymbol), keys, order,
                           compare_symbols);
    return sorted;
}

/* The label is a function up to the next symbol: assemblers write neither type nor size unless they are told. */
static void
take_label (SymbolElfSymbol *symbol, guint64 next)
{
    guint64 end = MIN (next, symbol->code_end);

    if (end <= symbol->address)
        return;
    symbol->type = STT_FUNC;
    if (!symbol->size)
        symbol->size = end - symbol->address;
}

/* Labels outside the functions that the table knows. Symbols are sorted. */
static void
take_labels (GArray *symbols)
{
    guint64 covered = 0;
    for (guint start = 0, end; start < symbols->len; start = end) {
        SymbolElfSymbol *group = &g_array_index (symbols, SymbolElfSymbol, start);
        for (end = start; end < symbols->len && group[end - start].address == group->address;
             end++)
            if (is_code_symbol (&group[end - start]))
                covered = MAX (covered, group->address + group[end - start].size);
        guint64 next = end < symbols->len ? group[end - start].address : G_MAXUINT64;
        for (guint i = start; i < end && group->address >= covered; i++)
            if (group[i - start].code_end)
                take_label (&group[i - start], next);
    }
}

void
symbol_scan_symbols (SymbolScan *scan)
{
    g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (SymbolElfSymbol));
    symbol_elf_read_symbols (scan->dwarf->elf, found);
    if (scan->dwarf->owns_debug)
        symbol_elf_read_symbols (scan->dwarf->debug, found);
    g_autoptr (GArray) symbols = sort_symbols (found);
    take_labels (symbols);
    g_autofree guint64 *keys = g_new (guint64, symbols->len + 1);
    guint n = 0;
    g_array_set_size (scan->symbols, symbols->len);
    g_array_set_size (scan->elf_symbols, symbols->len);
    for (guint i = 0; i < symbols->len; i++) {
        const SymbolElfSymbol *symbol = &g_array_index (symbols, SymbolElfSymbol, i);
        const SymbolElfSymbol *before = i ? symbol - 1 : NULL;
        /* names lie anywhere in a table that is larger than the caches */
        if (i + 16 < symbols->len)
            __builtin_prefetch (symbol[16].name);
        if (before && before->address == symbol->address
            && !strcmp (before->name, symbol->name))
            continue;
        guint64 hash = index_hash_long (symbol->name, strlen (symbol->name));
        keys[n] = (guint32) hash;
        g_array_index (scan->symbols, IndexSymbol, n)
            = (IndexSymbol){ symbol->address,
                             (symbol->size & ~INDEX_SYMBOL_RESOLVER)
                                 | (symbol->type == STT_GNU_IFUNC ? INDEX_SYMBOL_RESOLVER : 0),
                             INDEX_NONE, hash >> 32 };
        g_array_index (scan->elf_symbols, SymbolElfSymbol, n++) = *symbol;
    }
    g_array_set_size (scan->symbols, n);
    g_array_set_size (scan->elf_symbols, n);
    g_array_set_size (scan->symbol_names, n);
    g_autofree guint32 *order = symbol_scan_sort (keys, n);
    for (guint i = 0; i < n; i++)
        g_array_index (scan->symbol_names, IndexName, i) = (IndexName){ keys[order[i]],
                                                                        order[i] };
}

static gboolean
is_covered (const GArray *spans, guint *at, guint64 address)
{
    while (*at < spans->len && g_array_index (spans, IndexSpan, *at).address <= address)
        ++*at;
    return *at && g_array_index (spans, IndexSpan, *at - 1).block != INDEX_NONE;
}

static void
keep_name (SymbolScan *scan, guint number)
{
    const char *name = g_array_index (scan->elf_symbols, SymbolElfSymbol, number).name;
    g_array_index (scan->symbols, IndexSymbol, number).name
        = symbol_texts_append_blob (&scan->symbol_texts, name, strlen (name) + 1);
}

/* Functions that only the symbol table knows: with their size, never "the nearest before", and up
 * to the next function that is known better. Blocks, spans and symbols are sorted. */
static GArray *
add_symbols (SymbolScan *scan, guint32 first_instance)
{
    GArray *blocks = g_array_sized_new (FALSE, FALSE, sizeof (IndexBlock), scan->blocks->len);
    guint64 end = 0;
    guint next = 0, span = 0;
    for (guint i = 0; i < scan->symbols->len; i++) {
        const SymbolElfSymbol *symbol = &g_array_index (scan->elf_symbols, SymbolElfSymbol, i);
        guint32 known = is_covered (scan->spans, &span, symbol->address)
                            ? g_array_index (scan->spans, IndexSpan, span - 1).block
                            : INDEX_NONE;
        const IndexBlock *named = known != INDEX_NONE
                                      ? &g_array_index (scan->blocks, IndexBlock, known)
                                      : NULL;
        if (!is_code_symbol (symbol) || !named || named->low != symbol->address
            || named->flags & INDEX_BLOCK_INLINED || named->name == INDEX_NONE
            || g_str_has_prefix (symbol->name, "__pyx_") /* its block gets another name */
            || !(named->flags
                 & INDEX_BLOCK_ENTRY)) /* "work.cold": not what begins where work does */
            keep_name (scan, i);
        if (!is_code_symbol (symbol) || symbol->address < end || named)
            continue;
        for (; next < scan->blocks->len
               && g_array_index (scan->blocks, IndexBlock, next).low <= symbol->address;
             next++)
            g_array_append_val (blocks, g_array_index (scan->blocks, IndexBlock, next));
        end = symbol->address + symbol->size;
        if (next < scan->blocks->len)
            end = MIN (end, g_array_index (scan->blocks, IndexBlock, next).low);
        BASE_APPEND (blocks, IndexBlock, .low = symbol->address, .high = end,
                     .body = symbol->address, .name = i, .parent = INDEX_NONE,
                     .instance = first_instance++, .call_file = INDEX_NONE,
                     .flags = INDEX_BLOCK_SYMBOL | INDEX_BLOCK_ENTRY);
    }
    for (; next < scan->blocks->len; next++)
        g_array_append_val (blocks, g_array_index (scan->blocks, IndexBlock, next));
    return blocks;
}

/* The entry when there is no frame pointer. */
static guint64
skip_frame_setup (const SymbolScan *scan, guint64 entry)
{
    const guint8 *code = symbol_elf_find_bytes (scan->dwarf->elf, entry,
                                                MACHINE_MAX_FRAME_SETUP);

    return code && scan->dwarf->elf->machine == machine_elf_number
               ? entry + machine_code_measure_frame_setup (code)
               : entry;
}

/* A place among the rows of all sequences. */
typedef struct {
    const GArray *sequences;
    guint sequence, row;
} Place;

/* NULL behind the last. */
static inline const IndexRow *
get_row (const Place *place)
{
    return place->sequence < place->sequences->len
               ? &g_array_index (place->sequences, SymbolRows, place->sequence).rows[place->row]
               : NULL;
}

static inline void
move_on (Place *place)
{
    if (++place->row < g_array_index (place->sequences, SymbolRows, place->sequence).n)
        return;
    place->row = 0;
    place->sequence++;
}

/* first: of the rows at or above the block */
static guint64
find_body (const SymbolScan *scan, const IndexBlock *block, Place first)
{
    const IndexRow *row;
    for (Place at = first; (row = get_row (&at)) && row->address < block->high; move_on (&at))
        if (row->flags & INDEX_ROW_PROLOGUE_END)
            return row->address;
    guint64 after = block->flags & INDEX_BLOCK_OPTIMISED ? block->low
                                                         : skip_frame_setup (scan, block->low);
    if (after == block->low || after >= block->high)
        return block->low;
    row = get_row (&first);
    if (block->flags & INDEX_BLOCK_SYMBOL || !row || row->address != block->low)
        return after;
    while ((row = get_row (&first)) && row->address < after)
        move_on (&first);
    if (row && row->address < block->high && !(row->flags & INDEX_ROW_END))
        return row->address;
    return after;
}

static void
find_bodies (SymbolScan *scan)
{
    Place place = { scan->rows, 0, 0 };
    BASE_EACH_ROW (scan->blocks, IndexBlock, block) {
        const IndexRow *row;
        /* whole sequences at once */
        while (place.sequence < scan->rows->len
               && g_array_index (scan->rows, SymbolRows, place.sequence).high < block->low)
            place = (Place){ scan->rows, place.sequence + 1, 0 };
        while ((row = get_row (&place)) && row->address < block->low)
            move_on (&place);
        if (block->flags & INDEX_BLOCK_ENTRY && !(block->flags & INDEX_BLOCK_INLINED))
            block->body = find_body (scan, block, place);
    }
}

const char *
symbol_scan_get_block_name (const SymbolScan *scan, const IndexBlock *block)
{
    guint32 name = block->name;
    if (block->flags & INDEX_BLOCK_SYMBOL)
        name = g_array_index (scan->symbols, IndexSymbol, name).name;
    if (name == INDEX_NONE)
        return NULL;
    return block->flags & INDEX_BLOCK_SYMBOL ? scan->symbol_texts.bytes + name
                                             : symbol_texts_get (&scan->texts, name);
}

/* A function that only the symbol table knows is called as its source calls it. */
static void
name_symbol (SymbolScan *scan, const SymbolCython *cython, IndexBlock *block)
{
    guint32 name = g_array_index (scan->symbols, IndexSymbol, block->name).name;
    const char *text = name != INDEX_NONE ? scan->symbol_texts.bytes + name : NULL;
    const SymbolCythonName *known = symbol_cython_find (cython, text);
    g_autofree char *plain = known  ? g_strdup (known->name)
                             : text ? symbol_demangle_function (text)
                                    : NULL;
    block->flags |= known ? known->flags : 0;
    block->name = plain ? symbol_texts_append_blob (&scan->symbol_texts, plain,
                                                    strlen (plain) + 1)
                        : name;
}

/* In debug information these have their names in C. */
static void
name_cython (SymbolScan *scan, const SymbolCython *cython)
{
    for (guint32 i = 0; cython && i < scan->blocks->len; i++) {
        IndexBlock *block = &g_array_index (scan->blocks, IndexBlock, i);
        const SymbolCythonName *known
            = block->flags & INDEX_BLOCK_SYMBOL
                  ? NULL
                  : symbol_cython_find (cython, symbol_scan_get_block_name (scan, block));
        if (!known)
            continue;
        block->flags |= known->flags;
        block->name = symbol_texts_add (&scan->texts, known->name);
    }
}

typedef struct {
    guint64 *keys;
    guint32 *items;
    guint n;
} Keys;

/* What people call it by; a function of Cython's by the last part of its name, too. */
static void
add_keys (Keys *keys, const IndexBlock *block, guint32 item, const char *text, guint32 hash)
{
    const char *dot = block->flags & INDEX_BLOCK_CYTHON ? strrchr (text, '.') : NULL;
    keys->keys[keys->n] = hash;
    keys->items[keys->n++] = item;
    if (dot) {
        keys->keys[keys->n] = index_hash (dot + 1, strlen (dot + 1));
        keys->items[keys->n++] = item;
    }
}

/* Of each text that names a block, worked out once. */
static void
make_names (SymbolScan *scan)
{
    g_autoptr (SymbolCython) cython = symbol_cython_new (scan);
    name_cython (scan, cython);
    guint n_texts = scan->texts.texts->len;
    g_autofree guint64 *hashes = g_new0 (guint64,
                                         n_texts + 1); /* with a bit that says it is known */
    g_autofree guint64 *numbers = g_new (guint64, 2 * scan->blocks->len + 1);
    g_autofree guint32 *items = g_new (guint32, 2 * scan->blocks->len + 1);
    Keys keys = { numbers, items, 0 };
    for (guint32 i = 0; i < scan->blocks->len; i++) {
        IndexBlock *block = &g_array_index (scan->blocks, IndexBlock, i);
        gboolean is_symbol = block->flags & INDEX_BLOCK_SYMBOL;
        guint64 known = 0;
        const char *text = NULL;
        if (is_symbol) {
            name_symbol (scan, cython, block);
            text = block->name != INDEX_NONE ? scan->symbol_texts.bytes + block->name : NULL;
        } else if (block->name != INDEX_NONE) {
            known = hashes[block->name];
            text = symbol_texts_get (&scan->texts, block->name);
        }
        if (!text)
            continue;
        if (!known) {
            gsize length;
            const char *last = index_find_last_component (text, &length);
            known = (guint64) 1 << 32 | index_hash (last, length);
        }
        if (!is_symbol) {
            hashes[block->name] = known;
            block->name = g_array_index (scan->texts.texts, SymbolText, block->name).offset;
        }
        if (block->flags & INDEX_BLOCK_ENTRY)
            add_keys (&keys, block, i, text, known);
    }
    g_autofree guint32 *order = symbol_scan_sort (numbers, keys.n);
    g_array_set_size (scan->names, keys.n);
    for (guint i = 0; i < keys.n; i++)
        g_array_index (scan->names, IndexName, i) = (IndexName){ numbers[order[i]],
                                                                 items[order[i]] };
}

void
symbol_scan_nest_blocks (SymbolScan *scan, guint32 n_instances)
{
    nest_all (scan);
    GArray *blocks = add_symbols (scan, n_instances);
    g_array_unref (scan->blocks);
    scan->blocks = blocks;
    nest_all (scan);
}

void
symbol_scan_finish_blocks (SymbolScan *scan)
{
    find_bodies (scan);
    make_names (scan);
}
