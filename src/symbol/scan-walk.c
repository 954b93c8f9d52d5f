/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows which entries are functions and inlined calls, and how to step over all others: what an
 * abbreviation says is worked out once into a plan, and most entries are then one addition. */
#include <string.h>

#include "symbol/scan-private.h"

#define MAX_DEPTH 200

/* CLASS: looked into inside a function only, where a lambda's code is its member */
typedef enum { PLAN_OTHER, PLAN_CLASS, PLAN_DESCEND, PLAN_FUNCTION } PlanKind;

typedef struct {
    guint8 kind;
    gboolean has_children, is_listed;    /* a variable with a location list */
    gint32 fixed_size, sibling_at;       /* -1: not fixed, no such attribute at a fixed place */
    const SymbolAbbrev *abbrev;
    const SymbolSpec *specs;
} Plan;

typedef struct {
    const SymbolAbbrevTable *table;
    Plan *plans;                         /* of each abbreviation, in its order */
    guint n;
} PlanTable;

typedef struct {
    guint depth, ignored;                /* levels, and how many of them are not looked into */
    guint function;                      /* the level inside the outermost function; 0 outside */
} Walk;

/* What of a function's entry ends in its blocks. */
typedef struct {
    gboolean has_low, has_high, has_ranges, has_entry, has_file, high_is_size;
    guint64 low, high, entry, call_file, call_line, line;
    gboolean has_line;
    const char *name;
    guint64 origin;                      /* 0 without */
} Entry;

static PlanKind
find_kind (guint32 tag)
{
    switch (tag) {
    case DW_TAG_subprogram: case DW_TAG_inlined_subroutine:
        return PLAN_FUNCTION;
    case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_lexical_block:
        return PLAN_DESCEND;
    case DW_TAG_class_type: case DW_TAG_structure_type:
        return PLAN_CLASS;
    default:
        return PLAN_OTHER;
    }
}

static void
make_plan (const SymbolUnit *unit, const SymbolAbbrev *abbrev, Plan *plan)
{
    const SymbolAbbrevTable *table = unit->abbrevs;
    gint32 at = 0;
    *plan = (Plan) { find_kind (abbrev->tag), abbrev->has_children, FALSE, abbrev->fixed_size, -1,
                     abbrev, &g_array_index (table->specs, SymbolSpec, abbrev->first_spec) };
    gboolean variable = abbrev->tag == DW_TAG_variable || abbrev->tag == DW_TAG_formal_parameter;
    for (guint i = 0; i < abbrev->n_specs; i++) {
        guint32 form = plan->specs[i].form;
        if (plan->specs[i].attribute == DW_AT_sibling && form == DW_FORM_ref4)
            plan->sibling_at = at;
        if (variable && plan->specs[i].attribute == DW_AT_location &&
            (form == DW_FORM_sec_offset || form == DW_FORM_loclistx ||
             (unit->version < 4 && (form == DW_FORM_data4 || form == DW_FORM_data8))))
            plan->is_listed = TRUE;
        gint size = symbol_form_get_size (form, unit->offset_size, unit->address_size,
                                           unit->version);
        at = at < 0 || size < 0 ? -1 : at + size;
    }
}

static void
free_plans (gpointer data)
{
    PlanTable *table = data;
    g_free (table->plans);
    g_free (table);
}

static const PlanTable *
find_plans (SymbolScanWorker *worker)
{
    const SymbolAbbrevTable *abbrevs = worker->unit->abbrevs;
    if (!worker->plans)
        worker->plans = g_hash_table_new_full (NULL, NULL, NULL, free_plans);
    PlanTable *table = g_hash_table_lookup (worker->plans, abbrevs);
    if (table)
        return table;
    table = g_new0 (PlanTable, 1);
    table->table = abbrevs;
    table->n = abbrevs->abbrevs->len;
    table->plans = g_new (Plan, table->n + 1);
    for (guint i = 0; i < table->n; i++)
        make_plan (worker->unit, &g_array_index (abbrevs->abbrevs, SymbolAbbrev, i),
                   &table->plans[i]);
    g_hash_table_insert (worker->plans, (gpointer) abbrevs, table);
    return table;
}

static inline const Plan *
find_plan (const PlanTable *table, guint64 code)
{
    if (G_UNLIKELY (table->table->by_code != NULL)) {
        const SymbolAbbrev *abbrev = symbol_abbrev_find (table->table, code);
        if (!abbrev)
            return NULL;
        code = abbrev - (const SymbolAbbrev *) (gpointer) table->table->abbrevs->data + 1;
    }
    return code && code <= table->n ? &table->plans[code - 1] : NULL;
}

/* The cheap half of all forms; FALSE leaves the cursor where it was. */
static inline gboolean
skip_quickly (BaseCursor *cursor, const SymbolUnit *unit, guint32 form)
{
    gsize left = cursor->size - cursor->offset, size;
    const guint8 *at = cursor->data + cursor->offset;
    switch (form) {
    case DW_FORM_implicit_const: case DW_FORM_flag_present:
        return TRUE;
    case DW_FORM_data1: case DW_FORM_flag:
        size = 1;
        break;
    case DW_FORM_data2:
        size = 2;
        break;
    case DW_FORM_data4: case DW_FORM_ref4:
        size = 4;
        break;
    case DW_FORM_strp: case DW_FORM_sec_offset: case DW_FORM_line_strp:
        size = unit->offset_size;
        break;
    case DW_FORM_data8:
        size = 8;
        break;
    case DW_FORM_addr:
        size = unit->address_size;
        break;
    case DW_FORM_exprloc: case DW_FORM_block1:
        if (!left || at[0] >= 0x80)
            return FALSE;
        size = 1 + (gsize) at[0];
        break;
    case DW_FORM_udata: case DW_FORM_sdata: case DW_FORM_loclistx: case DW_FORM_rnglistx:
        for (size = 0; size < left && size < 9 && at[size] >= 0x80;)
            size++;
        size++;
        break;
    default:
        return FALSE;
    }
    if (size > left)
        return FALSE;
    cursor->offset += size;
    return TRUE;
}

static void
skip_attributes (SymbolScanWorker *worker, const Plan *plan, BaseCursor *cursor)
{
    if (plan->fixed_size >= 0) {
        base_cursor_skip (cursor, plan->fixed_size);
        return;
    }
    for (guint i = 0; i < plan->abbrev->n_specs && !cursor->failed; i++) {
        SymbolValue value;
        if (!skip_quickly (cursor, worker->unit, plan->specs[i].form))
            symbol_form_read (worker->scan->dwarf, worker->unit, cursor, plan->specs[i].form,
                              plan->specs[i].implicit, &value);
    }
}

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
    case DW_AT_ranges:
        entry->has_ranges = TRUE;
        break;
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
    case DW_AT_call_line:
        entry->call_line = number ? value->number : 0;
        break;
    default:
        break;
    }
}

static gboolean
is_taken (guint32 attribute)
{
    switch (attribute) {
    case DW_AT_low_pc: case DW_AT_high_pc: case DW_AT_ranges: case DW_AT_entry_pc:
    case DW_AT_name: case DW_AT_abstract_origin: case DW_AT_specification:
    case DW_AT_decl_line: case DW_AT_call_file: case DW_AT_call_line:
        return TRUE;
    default:
        return FALSE;
    }
}

/* The values that most functions have; FALSE leaves the cursor where it was. */
static inline gboolean
read_quickly (BaseCursor *cursor, const SymbolUnit *unit, const SymbolSpec *spec,
              SymbolValue *value)
{
    *value = (SymbolValue) { SYMBOL_VALUE_CONSTANT, spec->form };
    switch (spec->form) {
    case DW_FORM_addr:
        value->kind = SYMBOL_VALUE_ADDRESS;
        value->number = unit->address_size == 8 ? base_cursor_read_u64 (cursor)
                                                : base_cursor_read_u32 (cursor);
        return TRUE;
    case DW_FORM_data1:
        value->number = base_cursor_read_u8 (cursor);
        return TRUE;
    case DW_FORM_data2:
        value->number = base_cursor_read_u16 (cursor);
        return TRUE;
    case DW_FORM_data4:
        value->number = base_cursor_read_u32 (cursor);
        return TRUE;
    case DW_FORM_data8:
        value->number = base_cursor_read_u64 (cursor);
        return TRUE;
    case DW_FORM_implicit_const:
        value->number = spec->implicit;
        return TRUE;
    case DW_FORM_ref4:
        value->kind = SYMBOL_VALUE_REFERENCE;
        value->number = base_cursor_read_u32 (cursor);
        value->number = value->number < unit->end - unit->offset ? unit->offset + value->number
                                                                 : G_MAXUINT64;
        return TRUE;
    default:
        return FALSE;
    }
}

static void
read_entry (SymbolScanWorker *worker, const Plan *plan, BaseCursor *cursor, Entry *entry)
{
    *entry = (Entry) { 0 };
    for (guint i = 0; i < plan->abbrev->n_specs && !cursor->failed; i++) {
        const SymbolSpec *spec = &plan->specs[i];
        SymbolValue value;
        gboolean taken = is_taken (spec->attribute);
        if (!taken && skip_quickly (cursor, worker->unit, spec->form))
            continue;
        if (!read_quickly (cursor, worker->unit, spec, &value))
            symbol_form_read (worker->scan->dwarf, worker->unit, cursor, spec->form,
                              spec->implicit, &value);
        if (taken && !cursor->failed)
            take_attribute (entry, spec->attribute, &value);
    }
}

static void
read_origin (SymbolScanWorker *worker, guint64 offset, SymbolDie *die, Entry *entry)
{
    const SymbolDwarf *dwarf = worker->scan->dwarf;
    SymbolValue value;
    *entry = (Entry) { 0 };
    const SymbolSpec *specs = &g_array_index (die->unit->abbrevs->specs, SymbolSpec,
                                              die->abbrev->first_spec);
    for (guint i = 0; i < die->abbrev->n_specs; i++)
        switch (specs[i].attribute) {
        case DW_AT_name: case DW_AT_abstract_origin: case DW_AT_specification:
        case DW_AT_decl_line:
            if (symbol_die_get (dwarf, die, specs[i].attribute, &value))
                take_attribute (entry, specs[i].attribute, &value);
            break;
        default:
            break;
        }
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
            if (worker->unit->language == JOB_LANGUAGE_CXX)
                name = symbol_scan_find_qualified (worker, unit, offset, entry.name);
            if (name == INDEX_NONE)
                name = symbol_texts_add (&worker->texts, entry.name);
        }
        SymbolDie die;
        if ((name != INDEX_NONE && has_line) || !entry.origin ||
            !symbol_die_find (worker->scan->dwarf, entry.origin, &die))
            break;
        offset = entry.origin;
        unit = die.unit;
        read_origin (worker, offset, &die, &entry);
        if (!has_line && entry.has_line) {
            has_line = TRUE;
            *ret_line = entry.line;
        }
    }
    SymbolDie die;
    SymbolValue value;
    if (name == INDEX_NONE && symbol_die_find (worker->scan->dwarf, own_offset, &die) &&
        symbol_die_get_deep (worker->scan->dwarf, &die, DW_AT_linkage_name, &value) &&
        value.kind == SYMBOL_VALUE_STRING)
        name = symbol_texts_add (&worker->texts, value.string);
    return name;
}

static void
read_ranges (SymbolScanWorker *worker, const Plan *plan, guint64 offset, guint64 attributes,
             const Entry *entry)
{
    g_array_set_size (worker->ranges, 0);
    if (!entry->has_ranges && (!entry->has_low || !entry->has_high))
        return;
    SymbolDie die = { worker->unit, plan->abbrev, offset, attributes, plan->abbrev->tag };
    if (entry->has_ranges) {
        symbol_die_read_ranges (worker->scan->dwarf, &die, worker->ranges);
        return;
    }
    SymbolRange range = { entry->low, entry->high_is_size ? entry->low + entry->high
                                                          : entry->high };
    if (range.low < range.high && range.low > 1 && range.high < G_MAXUINT64 - 1)
        g_array_append_val (worker->ranges, range);
}

static void
add_blocks (SymbolScanWorker *worker, const Plan *plan, guint64 offset, const Entry *entry,
            guint depth)
{
    const SymbolElf *elf = worker->scan->dwarf->elf;
    gboolean inlined = plan->abbrev->tag == DW_TAG_inlined_subroutine;
    guint64 start = g_array_index (worker->ranges, SymbolRange, 0).low;
    if (entry->has_low || entry->has_entry)
        start = entry->has_low ? entry->low : entry->entry;
    IndexBlock block = { .parent = INDEX_NONE, .instance = worker->n_instances++,
                         .call_file = INDEX_NONE, .language = worker->unit->language };
    block.name = find_name (worker, offset, entry, &block.line);
    if (inlined) {
        if (entry->has_file && entry->call_file < worker->unit_files->len)
            block.call_file = g_array_index (worker->unit_files, guint32, entry->call_file);
        block.call_line = entry->call_line;
    }
    for (guint i = 0; i < worker->ranges->len; i++) {
        const SymbolRange *range = &g_array_index (worker->ranges, SymbolRange, i);
        if (elf->n_segments && !symbol_elf_is_code (elf, range->low))
            continue;
        gboolean has_entry = start >= range->low && start < range->high;
        block.low = range->low;
        block.high = range->high;
        block.body = has_entry && inlined ? start : range->low;
        block.flags = (inlined ? INDEX_BLOCK_INLINED : 0) | (has_entry ? INDEX_BLOCK_ENTRY : 0);
        block.reserved = depth;
        g_array_append_val (worker->blocks, block);
    }
}

/* Moves to the entry's sibling when it says where that is. */
static gboolean
skip_children (const Plan *plan, BaseCursor *cursor, gsize unit_start)
{
    guint32 sibling;
    if (plan->sibling_at < 0 || cursor->size - cursor->offset < (gsize) plan->sibling_at + 4)
        return FALSE;
    memcpy (&sibling, cursor->data + cursor->offset + plan->sibling_at, 4);
    gsize offset = unit_start + GUINT32_FROM_LE (sibling);
    if (offset <= cursor->offset || offset >= cursor->size)
        return FALSE;
    cursor->offset = offset;
    return TRUE;
}

/* FALSE at the unit's end, and where it cannot be read on. */
static gboolean
walk_entry (SymbolScanWorker *worker, const PlanTable *table, BaseCursor *cursor, Walk *walk)
{
    guint64 base = symbol_unit_get_base (worker->unit), offset = base + cursor->offset;
    guint64 code = base_cursor_read_uleb (cursor);
    if (!code) {
        walk->ignored -= walk->ignored > 0;
        if (walk->depth-- <= walk->function)
            walk->function = 0;
        return walk->depth > 0;
    }
    const Plan *plan = find_plan (table, code);
    if (!plan || cursor->failed)
        return FALSE;
    guint64 attributes = base + cursor->offset;
    gboolean passed = walk->depth && (plan->kind == PLAN_OTHER ||
                                      (plan->kind == PLAN_CLASS && !walk->function));
    if (plan->kind == PLAN_FUNCTION && !walk->ignored) {
        Entry entry;
        read_entry (worker, plan, cursor, &entry);
        read_ranges (worker, plan, offset, attributes, &entry);
        if (worker->ranges->len && !cursor->failed)
            add_blocks (worker, plan, offset, &entry, walk->depth ? walk->depth - 1 : 0);
    } else {
        if (plan->has_children && passed &&
            skip_children (plan, cursor, worker->unit->offset - base))
            return TRUE;
        skip_attributes (worker, plan, cursor);
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
    const PlanTable *table = find_plans (worker);
    guint first = worker->blocks->len;
    BaseCursor cursor = symbol_unit_open (worker->scan->dwarf, worker->unit,
                                          worker->unit->first_die);
    Walk walk = { 0, 0, 0 };
    worker->has_lists = FALSE;
    while (!cursor.failed && cursor.offset < cursor.size &&
           walk_entry (worker, table, &cursor, &walk))
        ;
    for (guint i = first; worker->has_lists && i < worker->blocks->len; i++)
        g_array_index (worker->blocks, IndexBlock, i).flags |= INDEX_BLOCK_OPTIMISED;
}
