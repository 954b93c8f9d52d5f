/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names are [__pyx_fuse_N] KIND SCOPE… [ID] [__pyx_fuse_N] NAME, where SCOPE is its length, its name and "_": see
 * Cython's Symtab.py (mangle, next_id), Naming.py, and ParseTreeTransforms.py (DebugTransform), which says what code
 * is a function's own. A class "a" with a method "b" and the function "a_b" of the ID 1 read alike: which one is
 * meant is known by the two functions that Cython makes of each `def`, whose IDs follow each other. */
#include <string.h>

#include "symbol/bind-private.h"
#include "symbol/scan-cython.h"

#define FUSED "__pyx_fuse_"
#define LAMBDA "__pyx_lambda_funcdef_"

/* WRAPPER: unpacks arguments. DEF: what is called by it. C: of `cdef` and `cpdef`. BODY: of a generator. MODULE: the
 * statements outside of functions. */
typedef enum { KIND_WRAPPER, KIND_DEF, KIND_C, KIND_BODY, KIND_LAMBDA, KIND_MODULE } Kind;
static const char *const kinds[] = {
    [KIND_WRAPPER] = "__pyx_pw_", [KIND_DEF] = "__pyx_pf_", [KIND_C] = "__pyx_f_",
    [KIND_BODY] = "__pyx_gb_",    [KIND_LAMBDA] = LAMBDA,   [KIND_MODULE] = SYMBOL_CYTHON_MODULE
};

typedef struct {
    SymbolCythonName known; /* first */
    char *raw;              /* without what the compiler put behind it */
    char *scope;            /* "4ring_4Ring_"; NULL unknown */
    guint32 line;
    Kind kind;
} Function;

struct _SymbolCython {
    GHashTable *functions; /* name in C to Function */
    GHashTable *raws;      /* of the same Functions, by raw */
};

BASE_FREE (free_function, Function, function, g_free (function->known.name);
           g_free (function->raw); g_free (function->scope))

/* The rows from *at on that have the line, within the function. */
static void
pass_line (const IndexRow *rows, guint end, guint32 line, guint *at)
{
    while (*at < end && !(rows[*at].flags & INDEX_ROW_END) && rows[*at].line == line)
        (*at)++;
}

/* A pointer to an object of Python, which Cython sets to NULL where it declares it; not one of the program's own in C. */
static gboolean
is_object (const SymbolDwarf *dwarf, const SymbolDie *variable)
{
    SymbolDie die = *variable;
    SymbolValue value;
    guint n_pointers = 0;
    for (guint i = 0; i < 8 && symbol_die_get_deep (dwarf, &die, DW_AT_type, &value)
                      && symbol_die_find (dwarf, value.number, &die);
         i++) {
        n_pointers += die.tag == DW_TAG_pointer_type ? 1 : 0;
        const char *name = die.tag == DW_TAG_structure_type ? symbol_die_get_name (dwarf, &die)
                                                            : NULL;
        if (die.tag == DW_TAG_structure_type)
            return n_pointers == 1 && name
                   && (strcmp (name, "_object") == 0 || strcmp (name, "_typeobject") == 0
                       || g_str_has_prefix (name, "__pyx_obj_"));
    }
    return FALSE;
}

/* The function at the address declares such a variable in the line. */
static gboolean
declares_object (const SymbolScanWorker *worker, guint64 low, guint32 line)
{
    const SymbolDwarf *dwarf = worker->scan->dwarf;
    SymbolDie root, die, child;
    SymbolValue value;
    if (!symbol_die_read (dwarf, worker->unit, worker->unit->first_die, &root)
        || !symbol_die_first_child (dwarf, &root, &die))
        return FALSE;
    do {
        if (die.tag != DW_TAG_subprogram || !symbol_die_get (dwarf, &die, DW_AT_low_pc, &value)
            || value.number != low || !symbol_die_first_child (dwarf, &die, &child))
            continue;
        do {
            const char *name = child.tag == DW_TAG_variable
                                   ? symbol_die_get_name (dwarf, &child)
                                   : NULL;
            if (name && g_str_has_prefix (name, SYMBOL_CYTHON_VARIABLE)
                && symbol_die_get_number (dwarf, &child, DW_AT_decl_line, 0) == line
                && is_object (dwarf, &child))
                return TRUE;
        } while (symbol_die_next (dwarf, &child, &child));
    } while (symbol_die_next (dwarf, &die, &die));
    return FALSE;
}

/* Cython writes the directive "#line" before a declaration, and the second line of it, which sets its variables to NULL,
 * counts as the next one: the code of that one, though it has not begun. */
static void
move_prologue (const SymbolScanWorker *worker, const IndexBlock *block, IndexRow *rows, guint n)
{
    guint begin = 0, end, first, at;
    while (begin < n && rows[begin].address < block->low)
        begin++;
    for (end = begin; end < n && rows[end].address < block->high;)
        end++;
    at = begin;
    pass_line (rows, end, block->line, &at);
    first = at;
    pass_line (rows, end, block->line + 1, &at);
    guint behind = at;
    pass_line (rows, end, block->line, &at);
    if (first == begin || behind == first || at == behind || at == end
        || !declares_object (worker, block->low, block->line + 1))
        return;
    for (guint i = begin; i < at; i++) {
        rows[i].line = block->line;
        rows[i].flags &= ~INDEX_ROW_PROLOGUE_END;
    }
    rows[at - 1].flags |= INDEX_ROW_PROLOGUE_END;
}

/* The directive also counts the second line of a statement that it stands before as the next one: a single row amid those
 * of the line before, where the next line has more elsewhere. */
static void
join_spilled (const IndexBlock *block, IndexRow *rows, guint n)
{
    g_autoptr (GHashTable) longest = g_hash_table_new (NULL, NULL); /* line to rows in a run */
    guint begin = 0, end, at;
    while (begin < n && rows[begin].address < block->low)
        begin++;
    for (end = begin; end < n && rows[end].address < block->high;)
        end++;
    for (at = begin; at < end;) {
        guint first = at;
        gpointer line = GUINT_TO_POINTER (rows[first].line);
        pass_line (rows, end, rows[first].line, &at);
        at += at == first ? 1 : 0;
        if (at - first > GPOINTER_TO_UINT (g_hash_table_lookup (longest, line)))
            g_hash_table_insert (longest, line, GUINT_TO_POINTER (at - first));
    }
    for (guint i = begin + 1; i + 1 < end; i++) {
        guint32 before = rows[i - 1].line;
        if (rows[i].line == before + 1 && rows[i + 1].line == before
            && !((rows[i - 1].flags | rows[i].flags) & INDEX_ROW_END)
            && rows[i].file == rows[i - 1].file
            && GPOINTER_TO_UINT (g_hash_table_lookup (longest, GUINT_TO_POINTER (rows[i].line)))
                   > 1)
            rows[i].line = before;
    }
}

void
symbol_cython_move_prologues (SymbolScanWorker *worker, guint first_block, guint first_sequence)
{
    for (guint i = first_block; i < worker->blocks->len; i++) {
        const IndexBlock *block = &g_array_index (worker->blocks, IndexBlock, i);
        const char *name = block->name != INDEX_NONE
                               ? symbol_texts_get (&worker->texts, block->name)
                               : "";
        if (!block->line || block->flags & (INDEX_BLOCK_INLINED | INDEX_BLOCK_OPTIMISED)
            || !(block->flags & INDEX_BLOCK_ENTRY) || !g_str_has_prefix (name, "__pyx_"))
            continue;
        for (guint j = first_sequence; j < worker->sequences->len; j++) {
            const SymbolSequence *sequence = &g_array_index (worker->sequences, SymbolSequence,
                                                             j);
            IndexRow *rows = &g_array_index (worker->rows, IndexRow, sequence->first);
            if (block->low < sequence->low || block->low >= sequence->high)
                continue;
            move_prologue (worker, block, rows, sequence->n);
            join_spilled (block, rows, sequence->n);
        }
    }
}

/* Behind "__pyx_fuse_0_1", where the text begins so. */
static const char *
skip_fused (const char *text)
{
    if (!g_str_has_prefix (text, FUSED) || !g_ascii_isdigit (text[strlen (FUSED)]))
        return text;
    text += strlen (FUSED);
    while (g_ascii_isdigit (*text) || (*text == '_' && g_ascii_isdigit (text[1])))
        text++;
    return text;
}

static gboolean
begins_name (const char *text)
{
    return g_ascii_isalpha (*text) || *text == '_' || (guint8) *text >= 0x80;
}

/* The names of Cython's own making, "lambda1": the length without the number; 0 for any other. */
static gsize
match_made (const char *name)
{
    static const char *const made[] = { "lambda", "genexpr", "generator" };
    for (guint i = 0; i < G_N_ELEMENTS (made); i++) {
        gsize length = strlen (made[i]);
        if (g_str_has_prefix (name, made[i])
            && strspn (name + length, "0123456789") == strlen (name + length))
            return length;
    }
    return 0;
}

/* The other one of the two functions of a `def`, of which the function has the ID. Caller owns; NULL: there is none. */
static char *
dup_pair (Kind kind, const char *scopes, gsize n_scopes, guint64 id, const char *name)
{
    gboolean is_wrapper = kind == KIND_WRAPPER;
    if (is_wrapper && !id)
        return NULL;
    guint64 other = is_wrapper ? id - 1 : id + 1;
    g_autofree char *number = other ? g_strdup_printf ("%" G_GUINT64_FORMAT, other)
                                    : g_strdup ("");
    return g_strdup_printf ("%s%.*s%s%s", kinds[is_wrapper ? KIND_DEF : KIND_WRAPPER],
                            (int) n_scopes, scopes, number, name);
}

typedef struct {
    const char *name;
    gsize n_scopes;
} Reading;

/* The ways to read what stands behind the kind: only the one that is certain is left. FALSE: none is. */
static gboolean
read_parts (const SymbolCython *cython, const Function *function, const char *scopes,
            Reading *ret_reading)
{
    guint n = 0, n_paired = 0;
    Reading last = { NULL, 0 }, paired = { NULL, 0 };
    for (const char *at = scopes;;) {
        gsize n_digits = strspn (at, "0123456789");
        const char *name = at + n_digits;
        guint64 number = n_digits ? g_ascii_strtoull (at, NULL, 10) : 0;
        gboolean has_ids = function->kind != KIND_C;
        if (at > scopes && begins_name (name) && (!n_digits || (has_ids && *at != '0'))) {
            last = (Reading){ name, at - scopes };
            n++;
            if (match_made (name)) {
                *ret_reading = last;
                return TRUE;
            }
            g_autofree char *pair = dup_pair (function->kind, scopes, at - scopes, number,
                                              name);
            if (pair && g_hash_table_contains (cython->raws, pair)) {
                paired = last;
                n_paired++;
            }
        }
        if (!n_digits || !number || number >= strlen (name) || name[number] != '_'
            || !name[number + 1])
            break;
        at = name + number + 1;
    }
    *ret_reading = n == 1 ? last : paired;
    return n == 1 || n_paired == 1;
}

static char *
make_name (const char *scopes, gsize n_scopes, const char *name)
{
    GString *text = g_string_new (NULL);
    for (const char *at = scopes; at < scopes + n_scopes;) {
        char *part;
        guint64 length = g_ascii_strtoull (at, &part, 10);
        g_string_append_len (text, part, length);
        g_string_append_c (text, '.');
        at = part + length + 1;
    }
    name = skip_fused (name);
    gsize n_made = match_made (name);
    g_string_append_len (text, name, n_made ? n_made : strlen (name));
    return g_string_free (text, FALSE);
}

static void
name_function (const SymbolCython *cython, Function *function)
{
    Reading reading;
    const char *scopes = skip_fused (function->raw) + strlen (kinds[function->kind]);
    if (function->kind == KIND_MODULE) {
        function->known.name = g_strdup_printf ("init %s", scopes);
        function->known.flags = INDEX_BLOCK_CYTHON;
        return;
    }
    if (function->kind == KIND_LAMBDA || !read_parts (cython, function, scopes, &reading))
        return;
    function->scope = g_strndup (scopes, reading.n_scopes);
    function->known.name = make_name (scopes, reading.n_scopes, reading.name);
    function->known.flags = INDEX_BLOCK_CYTHON
                            | (function->kind == KIND_WRAPPER ? INDEX_BLOCK_WRAPPER : 0);
}

/* A generator's body and a lambda's code are called "generator3" and "lambda": what they belong to begins in the same
 * line. */
static void
name_by_line (const SymbolCython *cython, Function *function)
{
    GHashTableIter iter;
    gpointer value;
    const char *found = NULL;
    guint n_names = 0;
    gboolean is_body = function->kind == KIND_BODY;
    g_hash_table_iter_init (&iter, cython->functions);
    while (function->line && g_hash_table_iter_next (&iter, NULL, &value)) {
        const Function *other = value;
        const char *name = other->known.name;
        gboolean is_lambda = name && g_str_has_suffix (name, ".lambda");
        if (!name || other->line != function->line
            || other->kind != (is_body ? KIND_DEF : KIND_WRAPPER) || is_lambda == is_body
            || (is_body && g_strcmp0 (other->scope, function->scope) != 0))
            continue;
        n_names += !found || strcmp (found, name) != 0 ? 1 : 0;
        found = name;
    }
    found = n_names == 1 ? found : NULL;
    g_free (function->known.name);
    function->known.name = g_strdup (found);
    function->known.flags = INDEX_BLOCK_CYTHON | (is_body ? INDEX_BLOCK_RESUMED : 0);
}

static void
hide (Function *function)
{
    g_free (function->known.name);
    function->known.name = g_strdup (function->raw);
    function->known.flags = INDEX_BLOCK_WRAPPER;
}

/* One that chooses among fused functions, whose names it has, is none of the source. */
static void
find_choosers (const SymbolCython *cython)
{
    g_autoptr (GHashTable) fused = g_hash_table_new (g_str_hash, g_str_equal);
    g_autoptr (GPtrArray) choosers = g_ptr_array_new ();
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init (&iter, cython->functions);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        const Function *function = value;
        if (function->known.name && function->kind == KIND_WRAPPER
            && strstr (function->raw, FUSED))
            g_hash_table_add (fused, function->known.name);
    }
    g_hash_table_iter_init (&iter, cython->functions);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        Function *function = value;
        if (function->known.name && function->kind == KIND_WRAPPER
            && !strstr (function->raw, FUSED)
            && g_hash_table_contains (fused, function->known.name))
            g_ptr_array_add (choosers, function);
    }
    for (guint i = 0; i < choosers->len; i++) {
        Function *function = choosers->pdata[i], *called;
        const char *id = function->raw + strlen (kinds[KIND_WRAPPER])
                         + strlen (function->scope);
        const char *name = id + strspn (id, "0123456789");
        g_autofree char *raw = dup_pair (KIND_WRAPPER, function->scope,
                                         strlen (function->scope),
                                         g_ascii_strtoull (id, NULL, 10), name);
        called = raw ? g_hash_table_lookup (cython->functions, raw) : NULL;
        hide (function);
        if (called)
            hide (called);
    }
}

/* A function of `cpdef` is reached from Python through two others. */
static void
find_wrappers (const SymbolCython *cython)
{
    g_autoptr (GHashTable) own = g_hash_table_new (g_str_hash, g_str_equal);
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init (&iter, cython->functions);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        Function *function = value;
        if (function->kind == KIND_C && function->known.name)
            g_hash_table_add (own, function->known.name);
    }
    g_hash_table_iter_init (&iter, cython->functions);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        Function *function = value;
        if (function->kind == KIND_DEF && function->known.name
            && g_hash_table_contains (own, function->known.name))
            function->known.flags |= INDEX_BLOCK_WRAPPER;
    }
}

static void
add_function (SymbolCython *cython, const char *name, guint32 line)
{
    const char *plain = skip_fused (name);
    if (!g_str_has_prefix (plain, "__pyx_") || g_hash_table_contains (cython->functions, name))
        return;
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
        if (!g_str_has_prefix (plain, kinds[i]))
            continue;
        Function *function = g_new0 (Function, 1);
        function->kind = i;
        function->line = line;
        /* "f.isra.0" is the compiler's copy of f */
        function->raw = g_strndup (name, strcspn (name, "."));
        g_hash_table_insert (cython->functions, g_strdup (name), function);
        g_hash_table_add (cython->raws, (gpointer) function->raw);
        g_hash_table_add (cython->raws, (gpointer) skip_fused (function->raw));
        return;
    }
}

SymbolCython *
symbol_cython_new (const SymbolScan *scan)
{
    g_autoptr (SymbolCython) cython = g_new0 (SymbolCython, 1);
    GHashTableIter iter;
    gpointer value;
    cython->functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_function);
    cython->raws = g_hash_table_new (g_str_hash, g_str_equal);
    BASE_EACH_ROW (scan->blocks, const IndexBlock, block) {
        const char *name = symbol_scan_get_block_name (scan, block);
        if (name && name[0] == '_' && name[1] == '_')
            add_function (cython, name, block->line);
    }
    if (!g_hash_table_size (cython->functions))
        return NULL;
    g_hash_table_iter_init (&iter, cython->functions);
    while (g_hash_table_iter_next (&iter, NULL, &value))
        name_function (cython, value);
    g_hash_table_iter_init (&iter, cython->functions);
    while (g_hash_table_iter_next (&iter, NULL, &value)) {
        Function *function = value;
        if (function->kind == KIND_BODY || function->kind == KIND_LAMBDA)
            name_by_line (cython, function);
    }
    find_choosers (cython);
    find_wrappers (cython);
    return g_steal_pointer (&cython);
}

const SymbolCythonName *
symbol_cython_find (const SymbolCython *cython, const char *name)
{
    const Function *function = cython && name ? g_hash_table_lookup (cython->functions, name)
                                              : NULL;
    return function && function->known.name ? &function->known : NULL;
}

void
symbol_cython_free (SymbolCython *cython)
{
    g_hash_table_unref (cython->raws);
    g_hash_table_unref (cython->functions);
    g_free (cython);
}
