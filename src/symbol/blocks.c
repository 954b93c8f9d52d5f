/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which variables of Fortran's constructs (BLOCK, ASSOCIATE, SELECT TYPE) are known at a line. gfortran describes all
 * constructs that stand side by side as one block, which reaches from the first statement of what is around them to
 * the last: it has several variables of one name, and hides outer ones where none of those is known. The program's text
 * says where each construct begins and ends. */
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/bind-private.h"
#include "symbol/lines.h"

#define MAX_SOURCE (32u << 20)
#define MAX_DEPTH 100

/* ---- the program's text ---- */

typedef struct {
    guint32 first, last; /* lines; last 0: its end has not been read */
    char kind;
} Construct;

typedef struct {
    GArray *constructs,
        *open; /* of Construct; of guint: indexes of those not ended, the innermost last */
    GString *statement; /* without blanks and strings, in lower case */
    guint32 line;       /* where it begins */
    gboolean is_fixed, continues, is_balanced;
    char quote;
} Reader;

static char
find_opener (const char *statement)
{
    gsize length = strspn (statement, G_CSET_a_2_z G_CSET_DIGITS "_"); /* "name: block" */
    if (statement[length] == ':')
        statement += length + 1;
    return !strcmp (statement, "block")                                             ? 'b'
           : g_str_has_prefix (statement, "associate(") && strstr (statement, "=>") ? 'a'
           : g_str_has_prefix (statement, "selecttype(")
                   || g_str_has_prefix (statement, "selectcase(")
                   || g_str_has_prefix (statement, "selectrank(")
               ? 's'
               : '\0';
}

static char
find_closer (const char *statement)
{
    if (strpbrk (statement, "=(%") || g_str_has_prefix (statement, "endblockdata"))
        return '\0';
    return g_str_has_prefix (statement, "endblock")       ? 'b'
           : g_str_has_prefix (statement, "endassociate") ? 'a'
           : g_str_has_prefix (statement, "endselect")    ? 's'
                                                          : '\0';
}

static void
end_statement (Reader *reader)
{
    const char *statement = reader->statement->str
                            + strspn (reader->statement->str, "0123456789"); /* a label */
    char opened = find_opener (statement), closed = find_closer (statement);
    if (opened) {
        guint at = reader->constructs->len;
        BASE_APPEND (reader->constructs, Construct, reader->line, 0, opened);
        g_array_append_val (reader->open, at);
    } else if (closed) {
        Construct *last = reader->open->len
                              ? &g_array_index (reader->constructs, Construct,
                                                g_array_index (reader->open, guint,
                                                               reader->open->len - 1))
                              : NULL;
        if (last && last->kind == closed) {
            last->last = reader->line;
            g_array_set_size (reader->open, reader->open->len - 1);
        } else {
            reader->is_balanced = FALSE;
        }
    }
    g_string_truncate (reader->statement, 0);
}

static void
read_line (Reader *reader, const char *line, guint32 number)
{
    gboolean is_more = reader->is_fixed ? strspn (line, " ") == 5 && line[5] && line[5] != '0'
                                              && line[5] != '!'
                                        : reader->continues,
             is_blank = TRUE;
    if (line[0] == '#' || (reader->is_fixed && line[0] && strchr ("cCdD*!", line[0])))
        return;
    if (!is_more)
        end_statement (reader);
    for (const char *at = line + (is_more && reader->is_fixed ? 6 : 0); *at; at++) {
        if (!reader->quote && *at == '!')
            break;
        if (g_ascii_isspace (*at))
            continue;
        if (!reader->statement->len)
            reader->line = number;
        is_blank = FALSE;
        reader->continues = *at == '&';
        if (reader->quote)
            reader->quote = *at == reader->quote ? '\0' : reader->quote;
        else if (*at == '\'' || *at == '"')
            reader->quote = *at;
        else if (*at == ';')
            end_statement (reader);
        else if (*at != '&')
            g_string_append_c (reader->statement, g_ascii_tolower (*at));
    }
    if (!is_blank && !reader->continues)
        reader->quote = '\0';
}

/* The constructs of a text, in the order in which they begin; NULL: they are not balanced, as where the preprocessor
 * chooses lines. */
static GArray *
read_constructs (const char *text, gboolean is_fixed)
{
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    g_autoptr (GString) statement = g_string_new (NULL);
    g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
    g_autoptr (GArray) constructs = g_array_new (FALSE, FALSE, sizeof (Construct));
    Reader reader = { .constructs = constructs,
                      .open = open,
                      .statement = statement,
                      .is_fixed = is_fixed,
                      .is_balanced = TRUE };
    for (guint i = 0; lines[i]; i++)
        read_line (&reader, lines[i], i + 1);
    end_statement (&reader);
    return reader.is_balanced && !open->len ? g_steal_pointer (&constructs) : NULL;
}

/* As gfortran tells by the name. */
static gboolean
is_fixed_form (const char *path)
{
    static const char *const endings[] = { ".f", ".for", ".ftn", ".fpp" };
    const char *dot = strrchr (path, '.');
    return dot && BASE_ANY (i, G_N_ELEMENTS (endings), !g_ascii_strcasecmp (dot, endings[i]));
}

static void
free_constructs (gpointer data)
{
    g_clear_pointer ((GArray **) &data, g_array_unref);
}

/* NULL: the text is not there, or not that of the program. */
static const GArray *
find_constructs (SymbolBinder *binder, const char *path)
{
    struct stat source, program;
    g_autofree char *text = NULL;
    gpointer known;
    if (!binder->constructs)
        binder->constructs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                    free_constructs);
    if (g_hash_table_lookup_extended (binder->constructs, path, NULL, &known))
        return known;
    GArray *constructs = NULL;
    if (stat (path, &source) == 0 && S_ISREG (source.st_mode) && source.st_size <= MAX_SOURCE
        && stat (binder->dwarf->elf->path, &program) == 0 && source.st_mtime <= program.st_mtime
        && g_file_get_contents (path, &text, NULL, NULL))
        constructs = read_constructs (text, is_fixed_form (path));
    g_hash_table_insert (binder->constructs, g_strdup (path), constructs);
    return constructs;
}

/* ---- the variables ---- */

const char symbol_blocks_doubt[]
    = N_ ("<not known: the source file, which tells blocks apart, is missing or newer>");

const char *
symbol_blocks_find_line (const SymbolBinding *binding, const SymbolLines *lines,
                         const GArray *rows, guint32 *ret_line)
{
    if (binding->end
        < binding->path->len) { /* where the function was called that is inlined here */
        const SymbolDie *call = &g_array_index (binding->path, SymbolDie, binding->end);
        guint64 file = symbol_die_get_number (binding->dwarf, call, DW_AT_call_file, 0);
        *ret_line = (guint32) symbol_die_get_number (binding->dwarf, call, DW_AT_call_line, 0);
        return file < lines->files->len ? g_ptr_array_index (lines->files, file) : NULL;
    }
    for (guint i = 0; i + 1 < rows->len; i++) {
        const IndexRow *row = &g_array_index (rows, IndexRow, i);
        if (!(row->flags & INDEX_ROW_END) && row->address <= binding->pc
            && row[1].address > binding->pc && row->file < lines->files->len) {
            *ret_line = row->line;
            return g_ptr_array_index (lines->files, row->file);
        }
    }
    return NULL;
}

/* Those of the blocks within parent. */
static void
collect (SymbolBinding *binding, const SymbolDie *parent, guint depth, GArray *list)
{
    SymbolDie die;
    SymbolValue origin;
    if (depth > MAX_DEPTH || !symbol_die_first_child (binding->dwarf, parent, &die))
        return;
    gboolean is_around = BASE_HAS_ROW (binding->path, const SymbolDie, block,
                                       block->offset == parent->offset);
    do {
        if (die.tag == DW_TAG_lexical_block)
            collect (binding, &die, depth + 1, list);
        if (die.tag != DW_TAG_variable || parent->tag != DW_TAG_lexical_block
            || !symbol_die_get_name (binding->dwarf, &die))
            continue;
        gboolean is_copy = symbol_die_get (binding->dwarf, &die, DW_AT_abstract_origin, &origin)
                           && origin.kind == SYMBOL_VALUE_REFERENCE;
        BASE_APPEND (list, SymbolBlockVariable, .die = die,
                     .origin = is_copy ? origin.number : die.offset, .is_open = is_around);
    } while (symbol_die_next (binding->dwarf, &die, &die));
}

static guint32
get_deep (const SymbolBinding *binding, const SymbolDie *die, guint32 attribute)
{
    SymbolValue value;
    return symbol_die_get_deep (binding->dwarf, die, attribute, &value) ? (guint32) value.number
                                                                        : 0;
}

/* FALSE: it is none of a construct's, or stands in another file. */
static gboolean
place_variable (const SymbolBinding *binding, const SymbolLines *lines, const char *file,
                guint32 line, SymbolBlockVariable *variable)
{
    guint32 declared = get_deep (binding, &variable->die, DW_AT_decl_line),
            number = get_deep (binding, &variable->die, DW_AT_decl_file);
    const char *own = number < lines->files->len ? lines->files->pdata[number] : NULL;
    const GArray *constructs = find_constructs (binding->binder, file);
    const Construct *around = NULL;
    variable->declared = declared;
    if (!declared || g_strcmp0 (own, file) != 0)
        return FALSE;
    if (!constructs) {
        variable->first = declared;
        variable->is_open &= declared <= line;
        variable->is_doubtful = TRUE;
        return TRUE;
    }
    BASE_EACH_ROW (constructs, const Construct, construct) {
        if (construct->first <= declared && declared <= construct->last)
            around = construct;
    }
    if (around) {
        variable->first = around->first;
        variable->is_open = around->first <= line && line <= around->last;
    }
    return around != NULL;
}

static gint
compare_variables (gconstpointer a, gconstpointer b)
{
    const SymbolBlockVariable *one = a, *other = b;
    return (one->first < other->first) - (one->first > other->first);
}

/* One variable has several entries where OpenMP's regions have copies of it: each is known in its own block. */
static gboolean
is_copied (const SymbolBinding *binding, const GArray *all, const SymbolBlockVariable *variable)
{
    const char *name = symbol_die_get_name (binding->dwarf, &variable->die);
    return BASE_HAS_ROW (all, const SymbolBlockVariable, other,
                         other != variable && other->declared == variable->declared
                             && !strcmp (symbol_die_get_name (binding->dwarf, &other->die),
                                         name));
}

const GArray *
symbol_blocks_list (SymbolBinding *binding)
{
    if (binding->block_variables)
        return binding->block_variables;
    g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (SymbolBlockVariable));
    g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (IndexRow));
    binding->block_variables = g_array_new (FALSE, FALSE, sizeof (SymbolBlockVariable));
    if (binding->unit && binding->unit->language == JOB_LANGUAGE_FORTRAN
        && binding->head < binding->end)
        collect (binding, &g_array_index (binding->path, SymbolDie, binding->head), 0, all);
    if (!all->len)
        return binding->block_variables;
    g_autoptr (SymbolLines) lines = symbol_lines_read (binding->dwarf, binding->unit, rows);
    guint32 line = 0;
    const char *file = lines ? symbol_blocks_find_line (binding, lines, rows, &line) : NULL;
    for (guint i = all->len; i-- > 0;)
        if (!file
            || !place_variable (binding, lines, file, line,
                                &g_array_index (all, SymbolBlockVariable, i)))
            g_array_remove_index (all, i);
    BASE_EACH_ROW (all, const SymbolBlockVariable, variable) {
        if (!is_copied (binding, all, variable))
            g_array_append_val (binding->block_variables, *variable);
    }
    g_array_sort (binding->block_variables, compare_variables);
    return binding->block_variables;
}

gboolean
symbol_blocks_has (SymbolBinding *binding, const SymbolDie *die)
{
    return BASE_HAS_ROW (symbol_blocks_list (binding), const SymbolBlockVariable, variable,
                         variable->die.offset == die->offset
                             || variable->origin == die->offset);
}

gboolean
symbol_blocks_find (SymbolBinding *binding, const char *name, SymbolDie *ret_die)
{
    const SymbolBlockVariable *found = NULL;
    SymbolDie other;
    guint n = 0;
    BASE_EACH_ROW (symbol_blocks_list (binding), const SymbolBlockVariable, variable) {
        if (variable->is_open
            && strcmp (symbol_die_get_name (binding->dwarf, &variable->die), name) == 0
            && n++ == 0)
            found = variable;
    }
    if (!found)
        return FALSE;
    *ret_die = found->die;
    if (found->is_doubtful
        && (n > 1
            || (symbol_scope_find_around (binding, name, &other)
                && get_deep (binding, &other, DW_AT_decl_line) != found->declared)))
        binding->doubtful = found->die.offset;
    return TRUE;
}
