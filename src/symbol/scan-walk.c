/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the entries and collects functions and inlined calls with their names and ranges. */

#include "symbol/demangle.h"
#include "symbol/scan-plan.h"
#include "base/array.h"

#define MAX_DEPTH 200

typedef struct {
    guint depth, ignored; /* levels, and how many of them are not looked into */
    guint function;       /* the level inside the outermost function; 0 outside */
} Walk;

/* What of a function's entry ends in its blocks. */
typedef struct {
    gboolean has_low, has_high, has_ranges, has_entry, has_file, high_is_size;
    guint64 low, high, entry, call_file, call_line, line;
    gboolean has_line;
    const char *name;
    guint64 origin; /* 0 without */
} Entry;

static void
take_attribute (Entry *entry, guint32 attribute, const SymbolValue *value)
{
    gboolean address = value->kind == SYMBOL_VALUE_ADDRESS;
    gboolean number = value->kind == SYMBOL_VALUE_CONSTANT;
    switch (attribute) {
    case DW_AT_low_pc:
        entry->has_low = address;
        entry->low = value->number;
        break;
    case DW_AT_high_pc:
        entry->has_high = address || number;
        entry->high_is_size = number;
        entry->high = value->number;
        break;
    case DW_AT_ranges: entry->has_ranges = TRUE; break;
    case DW_AT_entry_pc:
        entry->has_entry = address;
        entry->entry = value->number;
        break;
    case DW_AT_name:
        entry->name = value->kind == SYMBOL_VALUE_STRING ? value->string : NULL;
        break;
    case DW_AT_abstract_origin:
        entry->origin = value->kind == SYMBOL_VALUE_REFERENCE ? value->number : entry->origin;
        break;
    case DW_AT_specification:
        if (value->kind == SYMBOL_VALUE_REFERENCE && !entry->origin)
            entry->origin = value->number;
        break;
    case DW_AT_decl_line:
        entry->has_line = number;
        entry->line = number ? value->number : 0;
        break;
    case DW_AT_call_file:
        entry->has_file = number;
        entry->call_file = value->number;
        break;
    case DW_AT_call_line: entry->call_line = number ? value->number : 0; break;
    default: break;
    }
}

/* The values that most functions have; FALSE leaves the cursor where it was. */
static inline gboolean
read_quickly (BaseCursor *cursor, const SymbolUnit *unit, const SymbolSpec *spec,
              SymbolValue *value)
{
    *value = (SymbolValue){ SYMBOL_VALUE_CONSTANT, spec->form };
    switch (spec->form) {
    case DW_FORM_addr:
        value->kind = SYMBOL_VALUE_ADDRESS;
        value->number = unit->address_size == 8 ? base_cursor_read_u64 (cursor)
                                                : base_cursor_read_u32 (cursor);
        return TRUE;
    case DW_FORM_data1: value->number = base_cursor_read_u8 (cursor); return TRUE;
    case DW_FORM_data2: value->number = base_cursor_read_u16 (cursor); return TRUE;
    case DW_FORM_data4: value->number = base_cursor_read_u32 (cursor); return TRUE;
    case DW_FORM_data8: value->number = base_cursor_read_u64 (cursor); return TRUE;
    case DW_FORM_implicit_const: value->number = spec->implicit; return TRUE;
    case DW_FORM_ref4:
        value->kind = SYMBOL_VALUE_REFERENCE;
        value->number = base_cursor_read_u32 (cursor);
        value->number = value->number < unit->end - unit->offset ? unit->offset + value->number
                                                                 : G_MAXUINT64;
        return TRUE;
    case DW_FORM_strp: {
        const BaseCursor *strings = &unit->part->str;
        if (unit->offset_size != 4 || !strings->size || strings->data[strings->size - 1])
            return FALSE;
        value->kind = SYMBOL_VALUE_STRING;
        value->number = base_cursor_read_u32 (cursor);
        value->string = value->number < strings->size
                            ? (const char *) strings->data + value->number
                            : NULL;
        return TRUE;
    }
    default: return FALSE;
    }
}

/* The cursor stays behind the last attribute that is wanted. */
static void
read_entry (SymbolScanWorker *worker, const SymbolUnit *unit, const SymbolPlan *plan,
            BaseCursor *cursor, Entry *entry)
{
    *entry = (Entry){ 0 };
    for (guint i = 0; i < plan->n_wanted && !cursor->failed; i++) {
        const SymbolSpec *spec = &plan->specs[i];
        SymbolValue value;
        gboolean taken = symbol_plan_is_wanted (spec->attribute);
        if (!taken && symbol_plan_skip_form (cursor, unit, spec->form))
            continue;
        if (!read_quickly (cursor, unit, spec, &value))
            symbol_form_read (worker->scan->dwarf, unit, cursor, spec->form, spec->implicit,
                              &value);
        const SymbolSignature *known
            = value.kind == SYMBOL_VALUE_SIGNATURE
                  ? g_hash_table_lookup (worker->scan->dwarf->signatures, &value.number)
                  : NULL;
        if (known) {
            value.kind = SYMBOL_VALUE_REFERENCE;
            value.number = known->die;
        }
        if (taken && !cursor->failed)
            take_attribute (entry, spec->attribute, &value);
    }
}

/* FALSE: there is none. */
static gboolean
read_origin (SymbolScanWorker *worker, guint64 offset, const SymbolUnit **unit, Entry *entry)
{
    if (offset < (*unit)->first_die || offset >= (*unit)->end)
        *unit = symbol_dwarf_find_unit (worker->scan->dwarf, offset);
    if (!*unit || offset < (*unit)->first_die || !(*unit)->abbrevs)
        return FALSE;
    BaseCursor cursor = symbol_unit_open (worker->scan->dwarf, *unit, offset);
    const SymbolPlan *plan = symbol_plan_find (symbol_plans_find (worker, *unit),
                                               base_cursor_read_uleb (&cursor));
    if (!plan || cursor.failed)
        return FALSE;
    read_entry (worker, *unit, plan, &cursor, entry);
    return TRUE;
}

/* Follows origins until a name is found; the line of the declaration on the way. */
static guint32
find_name (SymbolScanWorker *worker, guint64 offset, const Entry *own, guint32 *ret_line)
{
    const SymbolUnit *unit = worker->unit;
    guint64 own_offset = offset;
    gboolean has_line = own->has_line;
    Entry entry = *own;
    guint32 name = INDEX_NONE;
    *ret_line = own->line;
    for (guint i = 0; i < 8; i++) {
        if (entry.name && name == INDEX_NONE) {
            if (worker->unit->language == JOB_LANGUAGE_CXX
                || worker->unit->language == JOB_LANGUAGE_FORTRAN)
                name = symbol_scan_find_qualified (worker, unit, offset, entry.name);
            if (name == INDEX_NONE)
                name = symbol_scan_find_plain (worker, entry.name);
        }
        if ((name != INDEX_NONE && has_line) || !entry.origin)
            break;
        offset = entry.origin;
        if (!read_origin (worker, offset, &unit, &entry))
            break;
        if (!has_line && entry.has_line) {
            has_line = TRUE;
            *ret_line = entry.line;
        }
    }
    SymbolDie die;
    SymbolValue value;
    if (name == INDEX_NONE && symbol_die_find (worker->scan->dwarf, own_offset, &die)
        && symbol_die_get_deep (worker->scan->dwarf, &die, DW_AT_linkage_name, &value)
        && value.kind == SYMBOL_VALUE_STRING) {
        g_autofree char *plain
            = symbol_demangle_function (value.string); /* a thunk of clang's */
        name = symbol_texts_add (&worker->texts, plain ? plain : value.string);
    }
    return name;
}

static void
read_ranges (SymbolScanWorker *worker, const SymbolPlan *plan, guint64 offset,
             guint64 attributes, const Entry *entry)
{
    g_array_set_size (worker->ranges, 0);
    if (!entry->has_ranges && (!entry->has_low || !entry->has_high))
        return;
    SymbolDie die = { worker->unit, plan->abbrev, offset, attributes, plan->abbrev->tag };
    if (entry->has_ranges) {
        symbol_die_read_ranges (worker->scan->dwarf, &die, worker->ranges);
        return;
    }
    SymbolRange range = { entry->low,
                          entry->high_is_size ? entry->low + entry->high : entry->high };
    if (range.low < range.high && range.low > 1 && range.high < G_MAXUINT64 - 1) {
        g_array_set_size (worker->ranges, 1);
        g_array_index (worker->ranges, SymbolRange, 0) = range;
    }
}

static gboolean
is_in_ranges (const SymbolScanWorker *worker, guint64 address)
{
    BASE_EACH_ROW (worker->ranges, const SymbolRange, range) {
        if (address >= range->low && address < range->high)
            return TRUE;
    }
    return FALSE;
}

/* Where an inlined call begins whose entry has no code of its own: compilers say so by an empty range
 * in front of the others. */
static guint64
find_first_code (const SymbolScanWorker *worker)
{
    BASE_EACH_ROW (worker->ranges, const SymbolRange, range) {
        if (!worker->scan->dwarf->elf->n_segments
            || symbol_elf_is_code (worker->scan->dwarf->elf, range->low))
            return range->low;
    }
    return 0;
}

static void
add_blocks (SymbolScanWorker *worker, const SymbolPlan *plan, guint64 offset,
            const Entry *entry, guint depth)
{
    const SymbolElf *elf = worker->scan->dwarf->elf;
    gboolean inlined = plan->abbrev->tag == DW_TAG_inlined_subroutine;
    guint64 start = g_array_index (worker->ranges, SymbolRange, 0).low;
    if (entry->has_low || entry->has_entry)
        start = entry->has_low ? entry->low : entry->entry;
    if (inlined && !is_in_ranges (worker, start))
        start = find_first_code (worker);
    IndexBlock block = { .parent = INDEX_NONE,
                         .instance = worker->n_instances++,
                         .call_file = INDEX_NONE,
                         .language = worker->unit->language };
    block.name = find_name (worker, offset, entry, &block.line);
    if (inlined) {
        if (entry->has_file && entry->call_file < worker->unit_files->len)
            block.call_file = g_array_index (worker->unit_files, guint32, entry->call_file);
        block.call_line = entry->call_line;
    }
    BASE_EACH_ROW (worker->ranges, const SymbolRange, range) {
        if (elf->n_segments && !symbol_elf_is_code (elf, range->low))
            continue;
        gboolean has_entry = start >= range->low && start < range->high;
        block.low = range->low;
        block.high = range->high;
        block.body = has_entry && inlined ? start : range->low;
        if (!inlined && !has_entry)
            block.body = start;
        block.flags = (inlined ? INDEX_BLOCK_INLINED : 0) | (has_entry ? INDEX_BLOCK_ENTRY : 0)
                      | (plan->is_complete ? INDEX_BLOCK_COMPLETE : 0);
        block.reserved = depth;
        g_array_append_val (worker->blocks, block);
    }
}

/* A call that is a jump. Its attributes are read, not its children. */
static void
read_tail (SymbolScanWorker *worker, const SymbolPlan *plan, BaseCursor *cursor)
{
    guint64 behind = 0, at = 0;
    for (guint i = 0; i < plan->abbrev->n_specs && !cursor->failed; i++) {
        SymbolValue value;
        guint32 attribute = plan->specs[i].attribute;
        symbol_form_read (worker->scan->dwarf, worker->unit, cursor, plan->specs[i].form,
                          plan->specs[i].implicit, &value);
        if (cursor->failed || value.kind != SYMBOL_VALUE_ADDRESS)
            continue;
        if (attribute == DW_AT_low_pc || attribute == DW_AT_call_return_pc)
            behind = value.number;
        else if (attribute == DW_AT_call_pc)
            at = value.number;
    }
    if (behind || at)
        symbol_scan_add_tail (worker, behind ? behind : at, !behind);
}

/* FALSE at the unit's end, and where it cannot be read on. */
static gboolean
walk_entry (SymbolScanWorker *worker, const SymbolPlans *table, BaseCursor *cursor, Walk *walk)
{
    guint64 base = symbol_unit_get_base (worker->unit), offset = base + cursor->offset;
    guint64 code = base_cursor_read_uleb (cursor);
    if (!code) {
        walk->ignored -= walk->ignored > 0;
        if (walk->depth-- <= walk->function)
            walk->function = 0;
        return walk->depth > 0;
    }
    const SymbolPlan *plan = symbol_plan_find (table, code);
    if (!plan || cursor->failed)
        return FALSE;
    guint64 attributes = base + cursor->offset;
    gboolean passed = walk->depth
                      && (plan->kind == PLAN_OTHER || plan->kind == PLAN_TAIL
                          || (plan->kind == PLAN_CLASS && !walk->function));
    if (plan->kind == PLAN_FUNCTION && plan->has_code && !walk->ignored) {
        Entry entry;
        read_entry (worker, worker->unit, plan, cursor, &entry);
        symbol_plan_skip (worker->scan->dwarf, worker->unit, plan, plan->n_wanted,
                          plan->abbrev->n_specs, cursor);
        read_ranges (worker, plan, offset, attributes, &entry);
        if (worker->ranges->len && !cursor->failed)
            add_blocks (worker, plan, offset, &entry, walk->depth ? walk->depth - 1 : 0);
    } else if (plan->kind == PLAN_TAIL && walk->function && !walk->ignored) {
        read_tail (worker, plan, cursor);
    } else {
        if (plan->has_children && passed
            && symbol_plan_skip_children (worker->scan->dwarf, worker->unit, plan, cursor))
            return TRUE;
        symbol_plan_skip_attributes (worker->scan->dwarf, worker->unit, plan, cursor);
        worker->has_lists |= plan->is_listed && !walk->ignored;
    }
    if (!plan->has_children)
        return walk->depth > 0;
    walk->ignored += walk->ignored || passed;
    walk->depth++;
    if (plan->kind == PLAN_FUNCTION && !walk->function)
        walk->function = walk->depth;
    return walk->ignored || walk->depth <= MAX_DEPTH;
}

void
symbol_scan_functions (SymbolScanWorker *worker)
{
    const SymbolPlans *table = symbol_plans_find (worker, worker->unit);
    guint first = worker->blocks->len;
    BaseCursor cursor = symbol_unit_open (worker->scan->dwarf, worker->unit,
                                          worker->unit->first_die);
    Walk walk = { 0, 0, 0 };
    worker->has_lists = FALSE;
    while (!cursor.failed && cursor.offset < cursor.size
           && walk_entry (worker, table, &cursor, &walk))
        ;
    for (guint i = first; worker->has_lists && i < worker->blocks->len; i++)
        g_array_index (worker->blocks, IndexBlock, i).flags |= INDEX_BLOCK_OPTIMISED;
}
