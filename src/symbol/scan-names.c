/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scopes of a unit by the ranges of their entries: C++ namespaces and classes, Fortran
 * modules and host procedures. Reads a scope's children on demand, which skips the thousands of
 * classes without functions. */
#include <string.h>

#include "symbol/scan-plan.h"
#include "base/array.h"

#define MAX_DEPTH 32
#define MAX_LEVELS 256 /* of entries that do not say where their siblings are */
#define NO_PREFIX G_MAXUINT32

typedef enum { SCOPE_NAMED, SCOPE_UNNAMED, SCOPE_FUNCTION, SCOPE_BLOCK } ScopeKind;

typedef struct {
    guint64 offset, end; /* of its entries; its own entry is at offset */
    guint32 prefix;      /* of what it holds, with "::": text of prefixes; NO_PREFIX */
    guint32 first, n;    /* its scopes, in the list */
    guint32 parent;
    guint8 kind;
    guint8 expanded, is_read; /* is_read: its name, which few are asked for */
} Scope;

struct _SymbolScopes {
    GArray *list; /* of Scope; the first is the unit */
};

void
symbol_scopes_free (gpointer data)
{
    SymbolScopes *scopes = data;
    g_array_unref (scopes->list);
    g_free (scopes);
}

static gboolean
find_kind (const SymbolPlan *plan, guint8 *ret_kind)
{
    switch (plan->abbrev->tag) {
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_module: *ret_kind = SCOPE_NAMED; return TRUE;
    case DW_TAG_subprogram: *ret_kind = SCOPE_FUNCTION; return !plan->is_declaration;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine: *ret_kind = SCOPE_BLOCK; return TRUE;
    default: return FALSE;
    }
}

/* Over the entry whose attributes begin at the cursor, with all that is in it. FALSE: it is broken. */
static gboolean
skip_entry (const SymbolDwarf *dwarf, const SymbolUnit *unit, const SymbolPlans *plans,
            const SymbolPlan *plan, BaseCursor *cursor)
{
    for (guint depth = 0;;) {
        if (!plan) {
            depth--;
        } else if (!plan->has_children
                   || !symbol_plan_skip_children (dwarf, unit, plan, cursor)) {
            symbol_plan_skip_attributes (dwarf, unit, plan, cursor);
            depth += plan->has_children ? 1 : 0;
        }
        if (cursor->failed || depth > MAX_LEVELS)
            return FALSE;
        if (!depth)
            return TRUE;
        guint64 code = base_cursor_read_uleb (cursor);
        plan = code ? symbol_plan_find (plans, code) : NULL;
        if (cursor->failed || (code && !plan))
            return FALSE;
    }
}

static void
expand (SymbolScanWorker *worker, const SymbolUnit *unit, SymbolScopes *scopes, guint32 number)
{
    const SymbolDwarf *dwarf = worker->scan->dwarf;
    const SymbolPlans *plans = symbol_plans_find (worker, unit);
    guint64 base = symbol_unit_get_base (unit), end;
    Scope *scope = &g_array_index (scopes->list, Scope, number);
    BaseCursor cursor = symbol_unit_open (dwarf, unit, scope->offset);
    const SymbolPlan *plan = symbol_plan_find (plans, base_cursor_read_uleb (&cursor));
    scope->expanded = TRUE;
    scope->first = scopes->list->len;
    end = scope->end;
    if (!plan || !plan->has_children)
        return;
    symbol_plan_skip_attributes (dwarf, unit, plan, &cursor);
    for (gboolean more = TRUE; more && !cursor.failed && cursor.offset < cursor.size;) {
        Scope child = { .offset = base + cursor.offset, .parent = number, .prefix = NO_PREFIX };
        guint64 code = base_cursor_read_uleb (&cursor);
        plan = code ? symbol_plan_find (plans, code) : NULL;
        if (!plan)
            break;
        gboolean wanted = plan->has_children && find_kind (plan, &child.kind);
        more = skip_entry (dwarf, unit, plans, plan, &cursor);
        child.end = more ? base + cursor.offset : end;
        if (wanted)
            g_array_append_val (scopes->list, child);
    }
    scope = &g_array_index (scopes->list, Scope, number);
    scope->n = scopes->list->len - scope->first;
}

static SymbolScopes *
find_scopes (SymbolScanWorker *worker, const SymbolUnit *unit)
{
    if (worker->last_scopes && worker->last_scopes_unit == unit)
        return worker->last_scopes;
    SymbolScopes *scopes = g_hash_table_lookup (worker->scopes, unit);
    worker->last_scopes_unit = unit;
    worker->last_scopes = scopes;
    if (scopes)
        return scopes;
    Scope root = { .offset = unit->first_die,
                   .end = unit->end,
                   .parent = INDEX_NONE,
                   .prefix = NO_PREFIX,
                   .kind = SCOPE_BLOCK };
    scopes = g_new0 (SymbolScopes, 1);
    scopes->list = g_array_new (FALSE, FALSE, sizeof (Scope));
    g_array_append_val (scopes->list, root);
    g_hash_table_insert (worker->scopes, (gpointer) unit, scopes);
    worker->last_scopes = scopes;
    return scopes;
}

/* The innermost scope around the entry at offset. */
static guint32
find_scope (SymbolScanWorker *worker, const SymbolUnit *unit, SymbolScopes *scopes,
            guint64 offset)
{
    guint32 found = 0;
    for (guint depth = 0; depth < MAX_DEPTH; depth++) {
        if (!g_array_index (scopes->list, Scope, found).expanded)
            expand (worker, unit, scopes, found);
        const Scope *scope = &g_array_index (scopes->list, Scope, found);
        guint32 low = BASE_BISECT (middle, scope->first, scope->first + scope->n,
                                   g_array_index (scopes->list, Scope, middle).offset < offset);
        if (low == scope->first || offset >= g_array_index (scopes->list, Scope, low - 1).end)
            break;
        found = low - 1;
    }
    return found;
}

static const char *
read_name (const SymbolDwarf *dwarf, const SymbolUnit *unit, Scope *scope)
{
    SymbolDie die;
    if (!symbol_die_read (dwarf, unit, scope->offset, &die))
        return NULL;
    const char *name = symbol_die_get_scope_name (dwarf, &die);
    if (!name && die.tag == DW_TAG_namespace)
        name = "(anonymous namespace)";
    return name;
}

/* NO_PREFIX: none. Names begin anew inside a function of C++. */
static guint32
find_prefix (SymbolScanWorker *worker, const SymbolUnit *unit, SymbolScopes *scopes,
             guint32 number)
{
    while (number && g_array_index (scopes->list, Scope, number).kind == SCOPE_BLOCK)
        number = g_array_index (scopes->list, Scope, number).parent;
    Scope *scope = &g_array_index (scopes->list, Scope, number);
    gboolean is_host = scope->kind == SCOPE_FUNCTION && unit->language == JOB_LANGUAGE_FORTRAN;
    if ((scope->kind != SCOPE_NAMED && !is_host) || scope->is_read)
        return scope->prefix;
    const char *name = read_name (worker->scan->dwarf, unit, scope);
    scope->is_read = TRUE;
    if (!name) {
        scope->kind = SCOPE_UNNAMED;
        return NO_PREFIX;
    }
    guint32 outer = find_prefix (worker, unit, scopes, scope->parent);
    g_autofree char *text
        = g_strconcat (outer != NO_PREFIX ? symbol_texts_get (&worker->prefixes, outer) : "",
                       name, "::", NULL);
    scope->prefix = symbol_texts_add (&worker->prefixes, text);
    return scope->prefix;
}

/* ---- names that were put together before: most are met in many units ---- */

typedef struct _SymbolMeeting {
    const char *name; /* in its section; NULL: free */
    guint32 prefix, text;
} Meeting;

static Meeting *
find_meeting (SymbolScanWorker *worker, guint32 prefix, const char *name)
{
    guint64 hash = ((guint64) GPOINTER_TO_SIZE (name) ^ (guint64) prefix << 40)
                   * 0x9e3779b97f4a7c15u;
    guint at = (hash >> 32) & (worker->n_meetings - 1);
    while (worker->meetings[at].name
           && (worker->meetings[at].name != name || worker->meetings[at].prefix != prefix))
        at = (at + 1) & (worker->n_meetings - 1);
    return &worker->meetings[at];
}

static void
grow_meetings (SymbolScanWorker *worker)
{
    g_autofree Meeting *before = worker->meetings;
    guint n = worker->n_meetings;
    worker->n_meetings = MAX (n * 4, 1 << 10);
    worker->meetings = g_new0 (Meeting, worker->n_meetings);
    for (guint i = 0; i < n; i++)
        if (before[i].name)
            *find_meeting (worker, before[i].prefix, before[i].name) = before[i];
}

static guint32
make_text (SymbolScanWorker *worker, guint32 prefix, const char *name)
{
    const char *outer = symbol_texts_get (&worker->prefixes, prefix);
    char text[512];
    gsize prefix_size = strlen (outer), size = strlen (name);
    if (prefix_size + size <= sizeof text) {
        memcpy (text, outer, prefix_size);
        memcpy (text + prefix_size, name, size);
        return symbol_texts_add_sized (&worker->texts, text, prefix_size + size);
    }
    g_autofree char *whole = g_strconcat (outer, name, NULL);
    return symbol_texts_add (&worker->texts, whole);
}

static guint32
find_text (SymbolScanWorker *worker, guint32 prefix, const char *name)
{
    if (worker->n_met >= worker->n_meetings / 2)
        grow_meetings (worker);
    Meeting *known = find_meeting (worker, prefix, name);
    if (known->name)
        return known->text;
    guint32 text = prefix != NO_PREFIX ? make_text (worker, prefix, name)
                                       : symbol_texts_add (&worker->texts, name);
    *known = (Meeting){ name, prefix, text };
    worker->n_met++;
    return text;
}

guint32
symbol_scan_find_plain (SymbolScanWorker *worker, const char *name)
{
    return find_text (worker, NO_PREFIX, name);
}

guint32
symbol_scan_find_qualified (SymbolScanWorker *worker, const SymbolUnit *unit, guint64 offset,
                            const char *name)
{
    SymbolScopes *scopes = find_scopes (worker, unit);
    guint32 number = find_scope (worker, unit, scopes, offset);
    guint32 prefix = find_prefix (worker, unit, scopes, number);
    return prefix != NO_PREFIX ? find_text (worker, prefix, name) : INDEX_NONE;
}
