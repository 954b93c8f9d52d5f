/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows which entries are functions and inlined calls, how their ranges nest, and where a
 * function's prologue ends. */
#include <string.h>

#include "symbol/scan-private.h"

#define MAX_DEPTH 200

static void
collect_names (SymbolScan *scan, const SymbolDie *parent, const char *prefix, guint depth,
               GHashTable *names)
{
    SymbolDie die;
    if (depth > 32 || !symbol_die_first_child (scan->dwarf, parent, &die))
        return;
    do {
        SymbolValue value;
        const char *name = NULL;
        gboolean scope = die.tag == DW_TAG_namespace || die.tag == DW_TAG_class_type ||
                         die.tag == DW_TAG_structure_type || die.tag == DW_TAG_union_type;
        if (!scope && die.tag != DW_TAG_subprogram)
            continue;
        if (symbol_die_get (scan->dwarf, &die, DW_AT_name, &value))
            name = value.string;
        if (!name && die.tag == DW_TAG_namespace)
            name = "(anonymous namespace)";
        if (!name)
            continue;
        g_autofree char *whole = prefix ? g_strconcat (prefix, "::", name, NULL)
                                        : g_strdup (name);
        if (scope)
            collect_names (scan, &die, whole, depth + 1, names);
        else if (prefix)
            g_hash_table_insert (names, GSIZE_TO_POINTER (die.offset),
                                 g_steal_pointer (&whole));
    } while (symbol_die_next (scan->dwarf, &die, &die));
}

/* The qualified name of a declaration, also of another unit (partial ones, link-time optimisation). */
static const char *
find_qualified (SymbolScan *scan, const SymbolDie *die)
{
    GHashTable *names = scan->qualified;
    SymbolDie root;
    if (die->unit != scan->unit && scan->unit->language == JOB_LANGUAGE_CXX) {
        names = g_hash_table_lookup (scan->foreign, die->unit);
        if (!names) {
            names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
            g_hash_table_insert (scan->foreign, (gpointer) die->unit, names);
            if (symbol_die_read (scan->dwarf, die->unit, die->unit->first_die, &root))
                collect_names (scan, &root, NULL, 0, names);
        }
    }
    return g_hash_table_lookup (names, GSIZE_TO_POINTER (die->offset));
}

static guint32
find_name (SymbolScan *scan, const SymbolDie *die)
{
    SymbolDie at = *die;
    for (guint i = 0; i < 8; i++) {
        const char *whole = find_qualified (scan, &at);
        SymbolValue value;
        if (whole)
            return symbol_scan_add_string (scan, whole);
        if (symbol_die_get (scan->dwarf, &at, DW_AT_name, &value) && value.string)
            return symbol_scan_add_string (scan, value.string);
        if ((!symbol_die_get (scan->dwarf, &at, DW_AT_abstract_origin, &value) &&
             !symbol_die_get (scan->dwarf, &at, DW_AT_specification, &value)) ||
            value.kind != SYMBOL_VALUE_REFERENCE ||
            !symbol_die_find (scan->dwarf, value.number, &at))
            break;
    }
    SymbolValue value;
    if (symbol_die_get_deep (scan->dwarf, die, DW_AT_linkage_name, &value))
        return symbol_scan_add_string (scan, value.string);
    return INDEX_NONE;
}

static void
add_blocks (SymbolScan *scan, const SymbolDie *die, guint depth)
{
    g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (SymbolRange));
    symbol_die_read_ranges (scan->dwarf, die, ranges);
    if (!ranges->len)
        return;
    gboolean inlined = die->tag == DW_TAG_inlined_subroutine;
    guint64 entry = g_array_index (ranges, SymbolRange, 0).low;
    SymbolValue value;
    if (symbol_die_get (scan->dwarf, die, DW_AT_low_pc, &value) ||
        symbol_die_get (scan->dwarf, die, DW_AT_entry_pc, &value))
        if (value.kind == SYMBOL_VALUE_ADDRESS)
            entry = value.number;
    IndexBlock block = { .name = find_name (scan, die), .parent = INDEX_NONE,
                         .instance = scan->n_instances++, .call_file = INDEX_NONE,
                         .language = scan->unit->language,
                         .line = symbol_die_get_number (scan->dwarf, die, DW_AT_decl_line, 0) };
    if (inlined) {
        guint64 file = symbol_die_get_number (scan->dwarf, die, DW_AT_call_file, G_MAXUINT64);
        if (file < scan->unit_files->len)
            block.call_file = g_array_index (scan->unit_files, guint32, file);
        block.call_line = symbol_die_get_number (scan->dwarf, die, DW_AT_call_line, 0);
    }
    for (guint i = 0; i < ranges->len; i++) {
        const SymbolRange *range = &g_array_index (ranges, SymbolRange, i);
        if (scan->dwarf->elf->n_segments && !symbol_elf_is_code (scan->dwarf->elf, range->low))
            continue;
        gboolean has_entry = entry >= range->low && entry < range->high;
        block.low = range->low;
        block.high = range->high;
        block.body = has_entry && inlined ? entry : range->low;
        block.flags = (inlined ? INDEX_BLOCK_INLINED : 0) |
                      (has_entry ? INDEX_BLOCK_ENTRY : 0);
        block.reserved = depth;
        g_array_append_val (scan->blocks, block);
    }
}

static void
look_for_list (SymbolScan *scan, const SymbolDie *die)
{
    SymbolValue value;
    if (symbol_die_get (scan->dwarf, die, DW_AT_location, &value) &&
        (value.kind == SYMBOL_VALUE_OFFSET ||
         (value.kind == SYMBOL_VALUE_CONSTANT && scan->unit->version < 4)))
        scan->has_lists = TRUE;
}

static void
scan_children (SymbolScan *scan, const SymbolDie *parent, guint depth)
{
    SymbolDie die;
    if (depth > MAX_DEPTH || !symbol_die_first_child (scan->dwarf, parent, &die))
        return;
    do {
        switch (die.tag) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
            add_blocks (scan, &die, depth);
            scan_children (scan, &die, depth + 1);
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_lexical_block:
            scan_children (scan, &die, depth + 1);
            break;
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
            if (!scan->has_lists)
                look_for_list (scan, &die);
            break;
        default:
            break;
        }
    } while (symbol_die_next (scan->dwarf, &die, &die));
}

void
symbol_scan_functions (SymbolScan *scan)
{
    SymbolDie root;
    if (!symbol_die_read (scan->dwarf, scan->unit, scan->unit->first_die, &root))
        return;
    if (scan->unit->language == JOB_LANGUAGE_CXX)
        collect_names (scan, &root, NULL, 0, scan->qualified);
    guint first = scan->blocks->len;
    scan->has_lists = FALSE;
    scan_children (scan, &root, 0);
    for (guint i = first; scan->has_lists && i < scan->blocks->len; i++)
        g_array_index (scan->blocks, IndexBlock, i).flags |= INDEX_BLOCK_OPTIMISED;
}

/* Outer blocks before the inner ones that begin with them. */
static gint
compare_blocks (gconstpointer a, gconstpointer b)
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

static void
add_span (SymbolScan *scan, guint64 address, guint32 block)
{
    if (scan->spans->len) {
        IndexSpan *last = &g_array_index (scan->spans, IndexSpan, scan->spans->len - 1);
        if (last->address == address) {
            last->block = block;
            return;
        }
        if (last->block == block)
            return;
    }
    IndexSpan span = { address, block, 0 };
    g_array_append_val (scan->spans, span);
}

/* Blocks must be sorted. Ends open blocks in order, opens the next; clips what does not nest;
 * leaves out functions inside functions (folded ones, or an error). */
static GArray *
nest_blocks (SymbolScan *scan)
{
    GArray *kept = g_array_sized_new (FALSE, FALSE, sizeof (IndexBlock), scan->blocks->len);
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_set_size (scan->spans, 0);
    for (guint i = 0; i <= scan->blocks->len; i++) {
        const IndexBlock *next = i < scan->blocks->len
                                     ? &g_array_index (scan->blocks, IndexBlock, i) : NULL;
        while (open->len) {
            guint32 top = g_array_index (open, guint32, open->len - 1);
            guint64 end = g_array_index (kept, IndexBlock, top).high;
            if (next && end > next->low)
                break;
            g_array_set_size (open, open->len - 1);
            add_span (scan, end, open->len ? g_array_index (open, guint32, open->len - 1)
                                           : INDEX_NONE);
        }
        if (!next)
            break;
        IndexBlock block = *next;
        gboolean inlined = block.flags & INDEX_BLOCK_INLINED;
        if (inlined != (open->len > 0))
            continue;
        block.reserved = 0;
        if (inlined) {
            block.parent = g_array_index (open, guint32, open->len - 1);
            block.high = MIN (block.high, g_array_index (kept, IndexBlock, block.parent).high);
        }
        guint32 number = kept->len;
        g_array_append_val (kept, block);
        g_array_append_val (open, number);
        add_span (scan, block.low, number);
    }
    return kept;
}

static gboolean
is_covered (const GArray *spans, guint64 address)
{
    guint low = 0, high = spans->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index (spans, IndexSpan, middle).address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && g_array_index (spans, IndexSpan, low - 1).block != INDEX_NONE;
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

/* Functions that only the symbol table knows: with their size, never "the nearest before". */
static void
add_symbols (SymbolScan *scan)
{
    g_autoptr (GArray) symbols = g_array_new (FALSE, FALSE, sizeof (SymbolElfSymbol));
    symbol_elf_read_symbols (scan->dwarf->elf, symbols);
    if (scan->dwarf->owns_debug)
        symbol_elf_read_symbols (scan->dwarf->debug, symbols);
    g_array_sort (symbols, compare_symbols);
    guint64 end = 0;
    for (guint i = 0; i < symbols->len; i++) {
        const SymbolElfSymbol *symbol = &g_array_index (symbols, SymbolElfSymbol, i);
        const SymbolElfSymbol *before = i ? symbol - 1 : NULL;
        if (before && before->address == symbol->address && !strcmp (before->name, symbol->name))
            continue;
        IndexSymbol entry = { symbol->address, symbol->size,
                              symbol_scan_add_string (scan, symbol->name), 0 };
        g_array_append_val (scan->symbols, entry);
        if ((symbol->type != STT_FUNC && symbol->type != STT_GNU_IFUNC) || !symbol->size ||
            symbol->size > G_MAXUINT32 || symbol->address < end ||
            is_covered (scan->spans, symbol->address))
            continue;
        IndexBlock block = { .low = symbol->address, .high = symbol->address + symbol->size,
                             .body = symbol->address, .name = entry.name, .parent = INDEX_NONE,
                             .instance = scan->n_instances++, .call_file = INDEX_NONE,
                             .flags = INDEX_BLOCK_SYMBOL | INDEX_BLOCK_ENTRY };
        end = block.high;
        g_array_append_val (scan->blocks, block);
    }
}

static guint
find_row (const SymbolScan *scan, guint64 address) /* first at or above */
{
    guint low = 0, high = scan->rows->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index (scan->rows, IndexRow, middle).address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* After `endbr64; push %rbp; mov %rsp,%rbp`; the entry when there is no frame pointer. */
static guint64
skip_frame_setup (const SymbolScan *scan, guint64 entry)
{
    const guint8 *code = symbol_elf_find_bytes (scan->dwarf->elf, entry, 12);
    static const guint8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    static const guint8 moves[2][3] = { { 0x48, 0x89, 0xe5 }, { 0x48, 0x8b, 0xec } };
    guint at = 0;
    if (!code || scan->dwarf->elf->machine != EM_X86_64)
        return entry;
    if (memcmp (code, endbr, 4) == 0)
        at = 4;
    if (code[at] != 0x55)
        return entry;
    at++;
    if (memcmp (code + at, moves[0], 3) && memcmp (code + at, moves[1], 3))
        return entry;
    return entry + at + 3;
}

static guint64
find_body (const SymbolScan *scan, const IndexBlock *block)
{
    guint first = find_row (scan, block->low);
    const IndexRow *rows = (const IndexRow *) (gpointer) scan->rows->data;
    for (guint i = first; i < scan->rows->len && rows[i].address < block->high; i++)
        if (rows[i].flags & INDEX_ROW_PROLOGUE_END)
            return rows[i].address;
    guint64 after = block->flags & INDEX_BLOCK_OPTIMISED ? block->low
                                                         : skip_frame_setup (scan, block->low);
    if (after == block->low || after >= block->high)
        return block->low;
    guint at = find_row (scan, after);
    if (block->flags & INDEX_BLOCK_SYMBOL || first >= scan->rows->len ||
        rows[first].address != block->low)
        return after;
    if (at < scan->rows->len && rows[at].address < block->high &&
        !(rows[at].flags & INDEX_ROW_END))
        return rows[at].address;
    return after;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
    const IndexName *left = a, *right = b;
    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    return left->item < right->item ? -1 : left->item > right->item;
}

static void
make_names (SymbolScan *scan)
{
    const char *strings = (const char *) scan->strings->data;
    for (guint32 i = 0; i < scan->blocks->len; i++) {
        const IndexBlock *block = &g_array_index (scan->blocks, IndexBlock, i);
        if (block->name == INDEX_NONE || !(block->flags & INDEX_BLOCK_ENTRY))
            continue;
        gsize length;
        const char *last = index_find_last_component (strings + block->name, &length);
        IndexName name = { index_hash (last, length), i };
        g_array_append_val (scan->names, name);
    }
    for (guint32 i = 0; i < scan->symbols->len; i++) {
        const char *text = strings + g_array_index (scan->symbols, IndexSymbol, i).name;
        IndexName name = { index_hash (text, strlen (text)), i };
        g_array_append_val (scan->symbol_names, name);
    }
    g_array_sort (scan->names, compare_names);
    g_array_sort (scan->symbol_names, compare_names);
}

static void
sort_and_nest (SymbolScan *scan)
{
    g_array_sort (scan->blocks, compare_blocks);
    GArray *kept = nest_blocks (scan);
    g_array_unref (scan->blocks);
    scan->blocks = kept;
}

void
symbol_scan_finish_blocks (SymbolScan *scan)
{
    sort_and_nest (scan);
    for (guint i = 0; i < scan->blocks->len; i++)
        g_array_index (scan->blocks, IndexBlock, i).parent = INDEX_NONE;
    guint before = scan->blocks->len;
    for (guint i = 0; i < before; i++)
        g_array_index (scan->blocks, IndexBlock, i).reserved = i;
    add_symbols (scan);
    sort_and_nest (scan);
    for (guint i = 0; i < scan->blocks->len; i++) {
        IndexBlock *block = &g_array_index (scan->blocks, IndexBlock, i);
        if (block->flags & INDEX_BLOCK_ENTRY && !(block->flags & INDEX_BLOCK_INLINED))
            block->body = find_body (scan, block);
    }
    make_names (scan);
}
