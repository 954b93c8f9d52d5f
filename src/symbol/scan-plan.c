/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows what the scanner wants of each kind of entry, and where it lies in it. */
#include "symbol/scan-plan.h"

gboolean
symbol_plan_is_wanted (guint32 attribute)
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

static SymbolPlanKind
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
make_plan (const SymbolUnit *unit, const SymbolAbbrev *abbrev, SymbolPlan *plan)
{
    const SymbolAbbrevTable *table = unit->abbrevs;
    gint32 at = 0;
    *plan = (SymbolPlan) { .kind = find_kind (abbrev->tag), .has_children = abbrev->has_children,
                           .fixed_size = abbrev->fixed_size, .sibling = -1, .sibling_at = -1,
                           .abbrev = abbrev,
                           .specs = &g_array_index (table->specs, SymbolSpec, abbrev->first_spec) };
    gboolean variable = abbrev->tag == DW_TAG_variable || abbrev->tag == DW_TAG_formal_parameter;
    for (guint i = 0; i < abbrev->n_specs; i++) {
        guint32 form = plan->specs[i].form;
        if (plan->specs[i].attribute == DW_AT_sibling && form == DW_FORM_ref4) {
            plan->sibling = i;
            plan->sibling_at = at;
        }
        if (symbol_plan_is_wanted (plan->specs[i].attribute))
            plan->n_wanted = i + 1;
        plan->is_declaration |= plan->specs[i].attribute == DW_AT_declaration;
        if (variable && plan->specs[i].attribute == DW_AT_location &&
            (form == DW_FORM_sec_offset || form == DW_FORM_loclistx ||
             (unit->version < 4 && (form == DW_FORM_data4 || form == DW_FORM_data8))))
            plan->is_listed = TRUE;
        plan->has_code |= plan->specs[i].attribute == DW_AT_low_pc ||
                          plan->specs[i].attribute == DW_AT_ranges;
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

static void
free_plans (gpointer data)
{
    SymbolPlans *table = data;
    g_free (table->plans);
    g_free (table);
}

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
        make_plan (unit, &g_array_index (abbrevs->abbrevs, SymbolAbbrev, i),
                   &table->plans[i]);
    g_hash_table_insert (worker->plans, (gpointer) abbrevs, table);
    worker->last_plans = table;
    return table;
}
