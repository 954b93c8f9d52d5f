/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Determines what the scanner needs from each kind of entry, and its position. */
#include "symbol/scan-plan.h"
#include "base/array.h"

gboolean
symbol_plan_is_wanted (guint32 attribute)
{
    switch (attribute) {
    case DW_AT_low_pc:
    case DW_AT_high_pc:
    case DW_AT_ranges:
    case DW_AT_entry_pc:
    case DW_AT_name:
    case DW_AT_abstract_origin:
    case DW_AT_specification:
    case DW_AT_decl_line:
    case DW_AT_call_file:
    case DW_AT_call_line: return TRUE;
    default: return FALSE;
    }
}

static SymbolPlanKind
find_kind (guint32 tag)
{
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine: return PLAN_FUNCTION;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block: return PLAN_DESCEND;
    case DW_TAG_class_type:
    case DW_TAG_structure_type: return PLAN_CLASS;
    default: return PLAN_OTHER;
    }
}

/* Calls that are jumps, and functions that list all of those. */
static void
note_tail (SymbolPlan *plan, guint32 attribute)
{
    switch (attribute) {
    case DW_AT_call_tail_call:
    case DW_AT_GNU_tail_call:
        if (plan->abbrev->tag == DW_TAG_call_site || plan->abbrev->tag == DW_TAG_GNU_call_site)
            plan->kind = PLAN_TAIL;
        break;
    case DW_AT_call_all_calls:
    case DW_AT_call_all_tail_calls:
    case DW_AT_GNU_all_call_sites:
    case DW_AT_GNU_all_tail_call_sites: plan->is_complete = TRUE; break;
    default: break;
    }
}

static void
make_plan (const SymbolUnit *unit, const SymbolAbbrev *abbrev, SymbolPlan *plan)
{
    const SymbolAbbrevTable *table = unit->abbrevs;
    gint32 at = 0;
    *plan = (SymbolPlan){ .kind = find_kind (abbrev->tag),
                          .has_children = abbrev->has_children,
                          .fixed_size = abbrev->fixed_size,
                          .sibling = -1,
                          .sibling_at = -1,
                          .abbrev = abbrev,
                          .specs = &g_array_index (table->specs, SymbolSpec,
                                                   abbrev->first_spec) };
    gboolean variable = abbrev->tag == DW_TAG_variable
                        || abbrev->tag == DW_TAG_formal_parameter;
    for (guint i = 0; i < abbrev->n_specs; i++) {
        guint32 form = plan->specs[i].form;
        if (plan->specs[i].attribute == DW_AT_sibling && form == DW_FORM_ref4) {
            plan->sibling = i;
            plan->sibling_at = at;
        }
        if (symbol_plan_is_wanted (plan->specs[i].attribute))
            plan->n_wanted = i + 1;
        note_tail (plan, plan->specs[i].attribute);
        plan->is_declaration |= plan->specs[i].attribute == DW_AT_declaration;
        if (variable && plan->specs[i].attribute == DW_AT_location
            && (form == DW_FORM_sec_offset || form == DW_FORM_loclistx
                || (unit->version < 4 && (form == DW_FORM_data4 || form == DW_FORM_data8))))
            plan->is_listed = TRUE;
        plan->has_code |= plan->specs[i].attribute == DW_AT_low_pc
                          || plan->specs[i].attribute == DW_AT_ranges;
        gint size = symbol_form_get_size (form, unit->offset_size, unit->address_size,
                                          unit->version);
        at = at < 0 || size < 0 ? -1 : at + size;
        if (at >= 0) {
            plan->head_size = at;
            plan->n_head = i + 1;
        }
    }
    /* nothing in it is code */
    if (plan->kind == PLAN_FUNCTION && plan->is_declaration && !plan->has_code)
        plan->kind = PLAN_OTHER;
}

BASE_FREE (free_plans, SymbolPlans, table, g_free (table->plans))

const SymbolPlans *
symbol_plans_find (SymbolScanWorker *worker, const SymbolUnit *unit)
{
    const SymbolAbbrevTable *abbrevs = unit->abbrevs;
    if (worker->last_plans && worker->last_plans->table == abbrevs)
        return worker->last_plans;
    if (!worker->plans)
        worker->plans = g_hash_table_new_full (NULL, NULL, NULL, free_plans);
    SymbolPlans *table = g_hash_table_lookup (worker->plans, abbrevs);
    worker->last_plans = table;
    if (table)
        return table;
    table = g_new0 (SymbolPlans, 1);
    table->table = abbrevs;
    table->n = abbrevs->abbrevs->len;
    table->plans = g_new (SymbolPlan, table->n + 1);
    for (guint i = 0; i < table->n; i++)
        make_plan (unit, &g_array_index (abbrevs->abbrevs, SymbolAbbrev, i), &table->plans[i]);
    g_hash_table_insert (worker->plans, (gpointer) abbrevs, table);
    worker->last_plans = table;
    return table;
}

gboolean
symbol_plan_skip_form (BaseCursor *cursor, const SymbolUnit *unit, guint32 form)
{
    gsize left = cursor->size - cursor->offset, size;
    const guint8 *at = cursor->data + cursor->offset;
    switch (form) {
    case DW_FORM_implicit_const:
    case DW_FORM_flag_present: return TRUE;
    case DW_FORM_data1:
    case DW_FORM_flag: size = 1; break;
    case DW_FORM_data2: size = 2; break;
    case DW_FORM_data4:
    case DW_FORM_ref4: size = 4; break;
    case DW_FORM_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_line_strp: size = unit->offset_size; break;
    case DW_FORM_data8: size = 8; break;
    case DW_FORM_addr: size = unit->address_size; break;
    case DW_FORM_exprloc:
    case DW_FORM_block1:
        if (!left || at[0] >= 0x80)
            return FALSE;
        size = 1 + (gsize) at[0];
        break;
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
        for (size = 0; size < left && size < 9 && at[size] >= 0x80;)
            size++;
        size++;
        break;
    default: return FALSE;
    }
    if (size > left)
        return FALSE;
    cursor->offset += size;
    return TRUE;
}

void
symbol_plan_skip (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolPlan *plan,
                  guint first, guint n, BaseCursor *cursor)
{
    for (guint i = first; i < n && !cursor->failed; i++) {
        SymbolValue value;
        if (!symbol_plan_skip_form (cursor, unit, plan->specs[i].form))
            symbol_form_read (dwarf, unit, cursor, plan->specs[i].form, plan->specs[i].implicit,
                              &value);
    }
}
