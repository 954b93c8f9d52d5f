/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which macros are in force where a frame stands, and what is asked about them. */
#include "symbol/macros.h"

#include <string.h>

#include "base/error.h"
#include "symbol/bind-private.h"

#define MAX_DEPTH 200    /* of files within each other */
#define MAX_LISTED 20000 /* lines */
#define NOWHERE G_MAXUINT

typedef struct {
    char *file; /* NULL: at the end of the unit's main file */
    guint32 line;
} Place;

typedef struct {
    const SymbolMacroEvent *event;
    guint file; /* the event that began it; NOWHERE: the command line */
} Definition;

typedef struct {
    const SymbolMacros *macros;
    const SymbolLines *lines;
    Place place;
    guint *around;           /* of each event: the one that began the file around it */
    GHashTable *definitions; /* name to Definition: those in force */
    char *number;            /* __LINE__ */
    char *name;              /* __FILE__ */
} Scope;

/* ---- where a frame stands ---- */

static gboolean
find_attribute (const SymbolDwarf *dwarf, const SymbolUnit *unit)
{
    static const guint32 attributes[] = { DW_AT_macros, DW_AT_GNU_macros, DW_AT_macro_info };
    SymbolDie root;
    SymbolValue value;
    if (!unit || (unit->language != JOB_LANGUAGE_C && unit->language != JOB_LANGUAGE_CXX)
        || unit->part->is_split || !symbol_die_read (dwarf, unit, unit->first_die, &root))
        return FALSE;
    return BASE_ANY (i, G_N_ELEMENTS (attributes),
                     symbol_die_get (dwarf, &root, attributes[i], &value));
}

static Place
find_place (const SymbolBinding *binding, guint inline_depth, const SymbolLines *lines,
            const GArray *rows)
{
    Place place = { NULL, G_MAXUINT32 };
    if (inline_depth == EVALUATE_NO_FRAME)
        return place;
    place.file = g_strdup (symbol_blocks_find_line (binding, lines, rows, &place.line));
    return place;
}

/* ---- what is in force there ---- */

static const SymbolMacroEvent *
get_event (const Scope *scope, guint at)
{
    return &g_array_index (scope->macros->events, SymbolMacroEvent, at);
}

/* NULL: its name is not known. */
static const char *
get_file (const Scope *scope, guint begun)
{
    guint32 file = begun != NOWHERE ? get_event (scope, begun)->file : G_MAXUINT32;
    return file < scope->lines->files->len ? g_ptr_array_index (scope->lines->files, file)
                                           : NULL;
}

/* The inclusion of the place's file that lies least deep; NOWHERE. Fills in what lies around each event. */
static guint
find_inclusion (Scope *scope)
{
    guint stack[MAX_DEPTH + 1], depth = 0, found = NOWHERE, least = NOWHERE;
    stack[0] = NOWHERE;
    for (guint i = 0; i < scope->macros->events->len; i++) {
        const SymbolMacroEvent *event = get_event (scope, i);
        scope->around[i] = stack[depth];
        if (event->kind == SYMBOL_MACRO_END_FILE) {
            depth -= depth > 0;
        } else if (event->kind == SYMBOL_MACRO_BEGIN_FILE && depth < MAX_DEPTH) {
            stack[++depth] = i;
            if (depth < least && g_strcmp0 (get_file (scope, i), scope->place.file) == 0) {
                least = depth;
                found = i;
            }
        }
    }
    return scope->place.file ? found : NOWHERE;
}

static void
apply (Scope *scope, guint at)
{
    const SymbolMacroEvent *event = get_event (scope, at);
    gsize length = event->text ? symbol_macros_get_name_length (event->text) : 0;
    if (length == 0)
        return;
    char *name = g_strndup (event->text, length);
    if (event->kind == SYMBOL_MACRO_UNDEFINE) {
        g_hash_table_remove (scope->definitions, name);
        g_free (name);
        return;
    }
    Definition *definition = g_new (Definition, 1);
    *definition = (Definition){ event, scope->around[at] };
    g_hash_table_replace (scope->definitions, name, definition);
}

static void
collect (Scope *scope)
{
    guint inclusion = find_inclusion (scope);
    for (guint i = 0; i < scope->macros->events->len; i++) {
        const SymbolMacroEvent *event = get_event (scope, i);
        gboolean is_around = inclusion != NOWHERE && i > inclusion
                             && scope->around[i] == inclusion;
        if (is_around
            && (event->kind == SYMBOL_MACRO_END_FILE || event->line > scope->place.line))
            return;
        if (event->kind == SYMBOL_MACRO_DEFINE || event->kind == SYMBOL_MACRO_UNDEFINE)
            apply (scope, i);
    }
}

static const char *
find_macro (const char *name, gpointer user)
{
    const Scope *scope = user;
    const Definition *definition = g_hash_table_lookup (scope->definitions, name);
    if (definition)
        return definition->event->text;
    if (strcmp (name, "__LINE__") == 0)
        return scope->number;
    return strcmp (name, "__FILE__") == 0 ? scope->name : NULL;
}

/* errno is a variable wherever it is a macro, and what that says would call a function. */
static const char *
find_for_value (const char *name, gpointer user)
{
    return strcmp (name, "errno") == 0 ? NULL : find_macro (name, user);
}

/* ---- answers ---- */

/* "#define NAME(A,B) VALUE", or as the command line has it. */
static void
append_definition (GString *text, const Definition *definition)
{
    const char *at = definition->event->text;
    gsize length = symbol_macros_get_name_length (at);
    const char *open = at[length] == '(' ? strchr (at + length, ')') : NULL;
    gsize head = open ? (gsize) (open + 1 - at) : length;
    const char *value = at + head + (at[head] == ' ');
    g_string_append_printf (text, "#define %.*s%s%s", (int) head, at, *value ? " " : "", value);
}

static char *
describe (const Scope *scope, const char *name, GError **error)
{
    const Definition *definition = g_hash_table_lookup (scope->definitions, name);
    g_autoptr (GString) text = g_string_new (NULL);
    if (!definition) {
        g_autofree char *where = scope->place.file
                                     ? g_strdup_printf ("%s:%u", scope->place.file,
                                                        scope->place.line)
                                     : g_strdup ("the end of the file");
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no macro \"%s\" at %s", name, where);
        return NULL;
    }
    guint32 line = definition->event->line;
    for (guint begun = definition->file, depth = 0; begun != NOWHERE && depth <= MAX_DEPTH;
         depth++) {
        const char *file = get_file (scope, begun);
        g_string_append_printf (text,
                                depth == 0 ? "Defined at %s:%u\n" : "  included at %s:%u\n",
                                file ? file : "?", line);
        line = get_event (scope, begun)->line;
        begun = scope->around[begun];
    }
    if (definition->file == NOWHERE)
        g_string_append (text, "Defined by the compiler or its command line\n");
    append_definition (text, definition);
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
list (const Scope *scope, const char *beginning, GError **error)
{
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    g_autoptr (GString) text = g_string_new (NULL);
    gpointer key;
    BASE_WALK (scope->definitions, &key, NULL)
        if (g_str_has_prefix (key, beginning))
            g_ptr_array_add (names, key);
    g_ptr_array_sort (names, base_order_texts);
    for (guint i = 0; i < names->len && i < MAX_LISTED; i++) {
        g_string_append (text, i > 0 ? "\n" : "");
        append_definition (text, g_hash_table_lookup (scope->definitions,
                                                      g_ptr_array_index (names, i)));
    }
    if (names->len == 0) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "no macro begins with \"%s\" here",
                        beginning);
        return NULL;
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
answer (Scope *scope, const char *what, const char *text, GError **error)
{
    SymbolMacroScope known = { strcmp (what, "value") == 0 ? find_for_value : find_macro, scope,
                               strcmp (what, "once") == 0 };
    if (strcmp (what, "info") == 0)
        return describe (scope, text, error);
    if (strcmp (what, "list") == 0)
        return list (scope, text, error);
    return symbol_macros_expand (&known, text, error);
}

static char *
answer_at (const SymbolBinding *binding, guint inline_depth, const char *what, const char *text,
           GError **error)
{
    const SymbolUnit *unit = binding->unit;
    g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (IndexRow));
    g_autoptr (SymbolMacros) macros = symbol_macros_read (binding->dwarf, unit, error);
    if (!macros)
        return NULL;
    g_autoptr (SymbolLines) lines = symbol_lines_read (binding->dwarf, unit, rows);
    Scope scope = { .macros = macros,
                    .lines = lines,
                    .place = find_place (binding, inline_depth, lines, rows) };
    scope.around = g_new (guint, macros->events->len);
    scope.definitions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    collect (&scope);
    scope.number = scope.place.file ? g_strdup_printf ("__LINE__ %u", scope.place.line) : NULL;
    scope.name = scope.place.file ? g_strdup_printf ("__FILE__ \"%s\"", scope.place.file)
                                  : NULL;
    char *answered = answer (&scope, what, text, error);
    g_hash_table_unref (scope.definitions);
    g_free (scope.around);
    g_free (scope.place.file);
    g_free (scope.number);
    g_free (scope.name);
    return answered;
}

gboolean
symbol_macros_are_there (SymbolBinder *binder, guint64 pc, guint inline_depth, const char *text)
{
    SymbolBinding binding;
    const char *at = text;
    while (*at && !symbol_macros_get_name_length (at))
        at++;
    if (*text && !*at)
        return FALSE;
    symbol_binding_init (&binding, binder, pc, inline_depth);
    gboolean are_there = find_attribute (binder->dwarf, binding.unit);
    symbol_binding_clear (&binding);
    return are_there;
}

char *
symbol_macros_answer (SymbolBinder *binder, guint64 pc, guint inline_depth, const char *what,
                      const char *text, GError **error)
{
    SymbolBinding binding;
    char *answered = NULL;
    symbol_binding_init (&binding, binder, pc, inline_depth);
    if (find_attribute (binder->dwarf, binding.unit))
        answered = answer_at (&binding, inline_depth, what, text, error);
    else
        base_error_set (error, BASE_ERROR_NOT_FOUND,
                        "no macros are known here: compile with -g3%s",
                        binding.unit && binding.unit->part->is_split
                            ? ", and without -gsplit-dwarf"
                            : "");
    symbol_binding_clear (&binding);
    return answered;
}
