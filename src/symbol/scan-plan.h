/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an abbreviation says to the scanner, worked out once: most entries are then stepped over with
 * one addition, and of the others only what is asked for is read. */
#pragma once
#include "symbol/scan-private.h"

/* CLASS: looked into inside a function only, where a lambda's code is its member */
typedef enum { PLAN_OTHER, PLAN_CLASS, PLAN_DESCEND, PLAN_FUNCTION } SymbolPlanKind;

typedef struct {
    guint8 kind;                         /* SymbolPlanKind */
    guint8 has_children, is_listed;      /* is_listed: a variable with a location list */
    guint8 is_declaration, has_code;     /* has_code: says where, if it is a function */
    gint32 fixed_size;                   /* -1: not fixed */
    gint32 sibling;                      /* which of specs says it, as ref4; -1 none */
    gint32 sibling_at;                   /* bytes before it; -1: not fixed */
    guint32 head_size, n_head;           /* the first specs, of fixed size */
    guint32 n_wanted;                    /* specs up to the last one that the scan takes */
    const SymbolAbbrev *abbrev;
    const SymbolSpec *specs;
} SymbolPlan;

typedef struct _SymbolPlans {
    const SymbolAbbrevTable *table;
    SymbolPlan *plans;                   /* of each abbreviation, in its order */
    guint n;
} SymbolPlans;

/* Of the unit's abbreviations; kept by the worker. */
const SymbolPlans *symbol_plans_find (SymbolScanWorker *worker, const SymbolUnit *unit);
/* Of the attributes that blocks and names are made of. */
gboolean symbol_plan_is_wanted (guint32 attribute);

static inline const SymbolPlan *
symbol_plan_find (const SymbolPlans *plans, guint64 code)
{
    if (G_UNLIKELY (plans->table->by_code != NULL)) {
        const SymbolAbbrev *abbrev = symbol_abbrev_find (plans->table, code);
        if (!abbrev)
            return NULL;
        code = abbrev - (const SymbolAbbrev *) (gpointer) plans->table->abbrevs->data + 1;
    }
    return code && code <= plans->n ? &plans->plans[code - 1] : NULL;
}

/* The cheap half of all forms; FALSE leaves the cursor where it was. */
static inline gboolean
symbol_form_skip_quickly (BaseCursor *cursor, const SymbolUnit *unit, guint32 form)
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

/* Over the first n attributes of an entry of the unit. */
static inline void
symbol_plan_skip (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolPlan *plan, guint first,
                  guint n, BaseCursor *cursor)
{
    for (guint i = first; i < n && !cursor->failed; i++) {
        SymbolValue value;
        if (!symbol_form_skip_quickly (cursor, unit, plan->specs[i].form))
            symbol_form_read (dwarf, unit, cursor, plan->specs[i].form, plan->specs[i].implicit,
                              &value);
    }
}

static inline void
symbol_plan_skip_attributes (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolPlan *plan,
                             BaseCursor *cursor)
{
    base_cursor_skip (cursor, plan->head_size);
    if (plan->fixed_size < 0)
        symbol_plan_skip (dwarf, unit, plan, plan->n_head, plan->abbrev->n_specs, cursor);
}

/* From the attributes to the entry's sibling, when it says where that is. The cursor stays where it was
 * otherwise. */
static inline gboolean
symbol_plan_skip_children (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolPlan *plan,
                           BaseCursor *cursor)
{
    BaseCursor at = *cursor;
    if (plan->sibling < 0)
        return FALSE;
    if (plan->sibling_at >= 0) {
        base_cursor_skip (&at, plan->sibling_at);
    } else {
        base_cursor_skip (&at, plan->head_size);
        symbol_plan_skip (dwarf, unit, plan, plan->n_head, plan->sibling, &at);
    }
    gsize offset = unit->offset - symbol_unit_get_base (unit) + base_cursor_read_u32 (&at);
    if (at.failed || offset <= cursor->offset || offset >= cursor->size)
        return FALSE;
    cursor->offset = offset;
    return TRUE;
}
