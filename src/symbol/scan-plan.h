/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Precomputed plans for abbreviations: the scanner skips most entries with one addition, and
 * reads only the wanted attributes of the others. */
#pragma once
#include "symbol/scan-private.h"

/* CLASS: scanned only inside functions, where a lambda's code is a member */
typedef enum { PLAN_OTHER, PLAN_CLASS, PLAN_DESCEND, PLAN_FUNCTION, PLAN_TAIL } SymbolPlanKind;

typedef struct {
    guint8 kind;                     /* SymbolPlanKind */
    guint8 has_children, is_listed;  /* is_listed: a variable with a location list */
    guint8 is_declaration, has_code; /* has_code: says where, if it is a function */
    guint8 is_complete;              /* a function that lists all its tail calls */
    gint32 fixed_size;               /* -1: not fixed */
    gint32 sibling;                  /* index of its spec, a ref4; -1 none */
    gint32 sibling_at;               /* bytes before it; -1: not fixed */
    guint32 head_size, n_head;       /* the first specs, of fixed size */
    guint32 n_wanted;                /* specs up to the last wanted one */
    const SymbolAbbrev *abbrev;
    const SymbolSpec *specs;
} SymbolPlan;

typedef struct _SymbolPlans {
    const SymbolAbbrevTable *table;
    SymbolPlan *plans; /* of each abbreviation, in its order */
    guint n;
} SymbolPlans;

/* The plans of the unit's abbreviations, cached by the worker. */
const SymbolPlans *symbol_plans_find (SymbolScanWorker *worker, const SymbolUnit *unit);
/* TRUE for attributes that blocks and names need. */
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

/* Skips a simple form; FALSE, without moving the cursor, for the others. */
gboolean symbol_plan_skip_form (BaseCursor *cursor, const SymbolUnit *unit, guint32 form);
/* Over the attributes [first, n) of an entry of the unit. */
void symbol_plan_skip (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolPlan *plan,
                       guint first, guint n, BaseCursor *cursor);

static inline void
symbol_plan_skip_attributes (const SymbolDwarf *dwarf, const SymbolUnit *unit,
                             const SymbolPlan *plan, BaseCursor *cursor)
{
    base_cursor_skip (cursor, plan->head_size);
    if (plan->fixed_size < 0)
        symbol_plan_skip (dwarf, unit, plan, plan->n_head, plan->abbrev->n_specs, cursor);
}

/* Moves from the attributes to the entry's sibling. FALSE, without moving, if the entry does
 * not refer to it. */
static inline gboolean
symbol_plan_skip_children (const SymbolDwarf *dwarf, const SymbolUnit *unit,
                           const SymbolPlan *plan, BaseCursor *cursor)
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
