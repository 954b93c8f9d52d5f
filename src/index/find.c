/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds addresses for names and source lines, and the ranges for stepping. */
#include <string.h>

#include "index/image-private.h"

#define MAX_ABOVE 4 /* lines of a function's head, and of what stands right above it */
#define MAX_INLINED 32

const char *
index_find_last_component (const char *name, gsize *ret_length)
{
    /* all others are passed over at once: names are long, and there are many of them */
    static const gboolean is_special[256]
        = { [0] = TRUE,   ['o'] = TRUE, ['<'] = TRUE, ['('] = TRUE,
            ['>'] = TRUE, [')'] = TRUE, [':'] = TRUE };
    const char *last = name, *cut = NULL;
    int depth = 0;
    for (const char *at = name;; at++) {
        while (!is_special[(guint8) *at])
            at++;
        if (!*at)
            break;
        if (*at == 'o' && g_str_has_prefix (at, "operator") && (at == name || at[-1] == ':')
            && !depth) {
            *ret_length = strlen (at);
            return at;
        }
        if (*at == '<' || *at == '(') {
            if (!depth && *at == '<' && !cut)
                cut = at;
            depth++;
        } else if ((*at == '>' || *at == ')') && depth) {
            depth--;
        } else if (at[0] == ':' && at[1] == ':' && !depth) {
            last = at + 2;
            cut = NULL;
            at++;
        }
    }
    if (cut && cut > last)
        *ret_length = cut - last;
    else
        *ret_length = strlen (last);
    return last;
}

const char *
index_append_integer (GString *text, const char *name)
{
    static const char *const words[] = { "unsigned", "signed", "short", "long", "int" };
    guint n[G_N_ELEMENTS (words)] = { 0 };
    const char *end = NULL;
    for (const char *at = name;; at = end + (*end == ' ')) {
        gsize length = 0;
        guint i = 0;
        while (g_ascii_isalnum (at[length]) || at[length] == '_')
            length++;
        while (i < G_N_ELEMENTS (words)
               && (strlen (words[i]) != length || strncmp (at, words[i], length) != 0))
            i++;
        if (i == G_N_ELEMENTS (words)) {
            if (!end || strncmp (at, "char", 4) == 0 || strncmp (at, "double", 6) == 0)
                return NULL; /* all write these in one way */
            break;
        }
        n[i]++;
        end = at + length;
    }
    g_string_append (text, n[0] ? "unsigned " : "");
    g_string_append (text, n[2] ? "short" : n[3] > 1 ? "long long" : n[3] ? "long" : "int");
    return end;
}

/* "a::b<int>::c<d>" as users shorten it: "a::b::c". */
static char *
strip_arguments (const char *name)
{
    GString *text = g_string_new (NULL);
    int depth = 0;
    for (const char *at = name; *at; at++) {
        if (*at == '<')
            depth++;
        if (!depth)
            g_string_append_c (text, *at);
        if (*at == '>' && depth)
            depth--;
    }
    return g_string_free (text, FALSE);
}

/* Without the spaces between what is no word, and with integers' types in one spelling: "f< long int, char >" is
 * "f<long,char>". */
static char *
strip_spaces (const char *name)
{
    GString *text = g_string_new (NULL);
    for (const char *at = name; *at; at++) {
        const char *behind = text->len && strchr ("<,(", text->str[text->len - 1])
                                 ? index_append_integer (text, at)
                                 : NULL;
        if (behind) {
            at = behind - 1;
            continue;
        }
        gboolean between = *at == ' ' && at > name
                           && (g_ascii_isalnum (at[-1]) || at[-1] == '_')
                           && (g_ascii_isalnum (at[1]) || at[1] == '_');
        if (*at != ' ' || between)
            g_string_append_c (text, *at);
    }
    return g_string_free (text, FALSE);
}

static gboolean
match_function (const char *pattern, const char *name)
{
    if (job_where_match_function (pattern, name))
        return TRUE;
    if (!strchr (name, '<'))
        return FALSE;
    if (strchr (pattern, '<')) {
        g_autofree char *own = strip_spaces (name), *asked = strip_spaces (pattern);
        return job_where_match_function (asked, own);
    }
    g_autofree char *stripped = strip_arguments (name);
    return job_where_match_function (pattern, stripped);
}

guint
index_find_hash (const IndexName *names, guint n, guint32 hash)
{
    return BASE_BISECT (middle, 0, n, names[middle].hash < hash);
}

/* Where calls that are inlined begin at the address, the line is that of the frame that `block` is; own:
 * the row that was asked for, of several that may begin there, or NULL. */
static void
add_place (const IndexImage *image, GArray *places, guint64 address, const IndexBlock *block,
           const IndexRow *own)
{
    if (BASE_ANY (i, places->len, g_array_index (places, IndexPlace, i).address == address))
        return;
    const IndexRow *row = index_image_find_row (image, address);
    IndexPlace place = { address, block ? index_image_find_text (image, block->name) : NULL,
                         row ? index_image_find_path (image, row->file) : NULL,
                         row ? row->line : 0, block ? block->line : 0 };
    IndexFrame frames[MAX_INLINED];
    guint n = block ? index_image_find_frames (image, address, frames, G_N_ELEMENTS (frames))
                    : 0;
    for (guint i = 0; i < n; i++)
        if (frames[i].instance == block->instance && frames[i].line) {
            place.file = frames[i].file;
            place.line = frames[i].line;
        }
    if (own && own->address == address) {
        place.file = index_image_find_path (image, own->file);
        place.line = own->line;
    }
    g_array_append_val (places, place);
}

/* The function or inlined call that the row is a line of: an inlined call begins with a row of the
 * line that it stands in. */
static const IndexBlock *
find_owner (const IndexImage *image, const IndexRow *row)
{
    const IndexBlock *inner = index_image_find_block (image, row->address);
    guint32 line = index_image_find_row (image, row->address)->line;
    for (const IndexBlock *block = inner;
         block && block->low == row->address && line != row->line;) {
        if (!(block->flags & INDEX_BLOCK_INLINED) || block->parent == INDEX_NONE)
            break;
        if (block->call_line == row->line && block->call_file == row->file)
            return &image->blocks[block->parent];
        block = &image->blocks[block->parent];
    }
    return inner;
}

static void
add_hashed (const IndexImage *image, const char *name, guint32 hash, gboolean only_fortran,
            GArray *places)
{
    for (guint i = index_find_hash (image->names, image->n_names, hash);
         i < image->n_names && image->names[i].hash == hash; i++) {
        const IndexBlock *block = &image->blocks[image->names[i].item];
        const char *whole = index_image_find_text (image, block->name);
        if (whole && (!only_fortran || block->language == JOB_LANGUAGE_FORTRAN)
            && match_function (name, whole))
            add_place (image, places, block->body, block, NULL);
    }
}

static void
add_named (const IndexImage *image, const char *name, gboolean only_fortran, GArray *places)
{
    gsize length;
    const char *last = index_find_last_component (name, &length);
    const char *dot = strrchr (last, '.');
    add_hashed (image, name, index_hash (last, length), only_fortran, places);
    if (dot && !places->len) /* "Class.method" of Cython */
        add_hashed (image, name, index_hash (dot + 1, strlen (dot + 1)), only_fortran, places);
}

GArray *
index_image_find_function (const IndexImage *image, const char *name)
{
    GArray *places = g_array_new (FALSE, FALSE, sizeof (IndexPlace));
    g_autofree char *lower = g_ascii_strdown (name, -1);
    add_named (image, name, FALSE, places);
    if (!places->len && strcmp (lower, name) != 0)
        add_named (image, lower, TRUE, places); /* whose names have no case */
    index_image_drop_glue (image, TRUE, places);
    /* a symbol whose code debug information knows by another name (aliases, linkage names) */
    guint64 address, size;
    const char *symbol = g_str_has_prefix (name, "::") ? name + 2 : name;
    if (!places->len && index_image_find_symbol (image, symbol, &address, &size)) {
        const IndexBlock *block = index_image_find_block (image, address);
        if (block && block->low == address)
            add_place (image, places, block->body, block, NULL);
    }
    return places;
}

gboolean
index_image_find_symbol (const IndexImage *image, const char *name, guint64 *ret_address,
                         guint64 *ret_size)
{
    guint64 whole = index_hash_long (name, strlen (name));
    guint32 hash = whole;
    for (guint i = index_find_hash (image->symbol_names, image->n_symbol_names, hash);
         i < image->n_symbol_names && image->symbol_names[i].hash == hash; i++) {
        const IndexSymbol *symbol = &image->symbols[image->symbol_names[i].item];
        if (symbol->check != whole >> 32
            || (symbol->name != INDEX_NONE
                && strcmp (image->strings + symbol->name, name) != 0))
            continue;
        *ret_address = symbol->address;
        if (ret_size)
            *ret_size = symbol->size & ~INDEX_SYMBOL_RESOLVER;
        return TRUE;
    }
    return FALSE;
}

GArray *
index_image_find_resolvers (const IndexImage *image, const char *name)
{
    GArray *addresses = g_array_new (FALSE, FALSE, sizeof (guint64));
    guint64 whole = index_hash_long (name, strlen (name));
    guint32 hash = whole;
    for (guint i = index_find_hash (image->symbol_names, image->n_symbol_names, hash);
         i < image->n_symbol_names && image->symbol_names[i].hash == hash; i++) {
        const IndexSymbol *symbol = &image->symbols[image->symbol_names[i].item];
        if (symbol->size & INDEX_SYMBOL_RESOLVER && symbol->check == whole >> 32
            && (symbol->name == INDEX_NONE
                || strcmp (image->strings + symbol->name, name) == 0))
            g_array_append_val (addresses, symbol->address);
    }
    return addresses;
}

gboolean
index_image_has_file (const IndexImage *image, const char *file_suffix)
{
    return BASE_ANY (i, image->n_files,
                     job_where_match_file (file_suffix, image->strings + image->files[i]));
}

static gboolean
is_line (const IndexRow *row)
{
    return (row->flags & INDEX_ROW_STMT) && row->line && row->file != INDEX_NONE;
}

/* Of each file that matches, the nearest line with code at or after `line`; G_MAXUINT32 without.
 * NULL when no file matches. A look through all rows is cheaper than a table of them by line, which
 * every program would have to wait for. */
static guint32 *
find_nearest_lines (const IndexImage *image, const char *file_suffix, guint32 line,
                    guint32 *ret_best)
{
    g_autofree guint32 *nearest = g_new (guint32, image->n_files + 1);
    g_autofree guint8 *matches = g_new0 (guint8, image->n_files + 1);
    gboolean any = FALSE;
    for (guint32 file = 0; file < image->n_files; file++) {
        nearest[file] = G_MAXUINT32;
        matches[file] = job_where_match_file (file_suffix, image->strings + image->files[file]);
        any |= matches[file];
    }
    if (!any)
        return NULL;
    *ret_best = G_MAXUINT32;
    for (guint i = 0; i < image->n_rows; i++) {
        const IndexRow *row = &image->rows[i];
        if (row->line < line || !is_line (row) || !matches[row->file])
            continue;
        nearest[row->file] = MIN (nearest[row->file], row->line);
        *ret_best = MIN (*ret_best, row->line);
    }
    return g_steal_pointer (&nearest);
}

/* Where its function begins; what the compiler has made, as of OpenMP's regions, is declared nowhere. 0: not known. */
static guint32
find_first_line (const IndexImage *image, const IndexBlock *block, const IndexBlock *outer)
{
    const IndexRow *first = block && !block->line && outer
                                ? index_image_find_row (image, outer->low)
                                : NULL;
    return first ? first->line : block ? block->line : 0;
}

/* One address for each function or inlined call that has code of the line, moved out of the prologue.
 * Where the line has none, not of functions that begin more than `above` lines behind it. */
static void
add_lines (const IndexImage *image, const guint32 *nearest, guint32 best, guint32 line,
           guint32 above, GArray *places)
{
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                         NULL);
    for (guint i = 0; best != G_MAXUINT32 && i < image->n_rows; i++) {
        const IndexRow *row = &image->rows[i];
        if (row->line < line || !is_line (row) || nearest[row->file] != row->line
            || (best == line && row->line != line))
            continue;
        const IndexBlock *block = find_owner (image, row);
        const IndexBlock *outer = index_image_find_outer (image, block);
        guint64 address = row->address;
        guint32 begin = row->line != line ? find_first_line (image, block, outer) : line;
        if (!begin || begin > line + above)
            continue;
        if (block) {
            guint64 key = (guint64) row->file << 32 | block->instance;
            if (!g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
                continue;
        }
        if (outer && outer->flags & INDEX_BLOCK_ENTRY && address >= outer->low
            && address < outer->body)
            address = outer->body;
        add_place (image, places, address, block, row);
    }
}

GArray *
index_image_find_line (const IndexImage *image, const char *file_suffix, guint32 line)
{
    GArray *places = g_array_new (FALSE, FALSE, sizeof (IndexPlace));
    guint32 best = G_MAXUINT32;
    g_autofree guint32 *nearest = find_nearest_lines (image, file_suffix, line, &best);
    add_lines (image, nearest, best, line, 0, places);
    if (!places->len)
        add_lines (image, nearest, best, line, MAX_ABOVE, places);
    index_image_drop_glue (image, FALSE, places);
    return places;
}

static gboolean
is_same_line (const IndexRow *a, const IndexRow *b)
{
    return !((a->flags | b->flags) & INDEX_ROW_END) && a->line == b->line && a->file == b->file;
}

/* Of the rows of that line which follow each other. */
static guint64
find_line_start (const IndexImage *image, const IndexRow *row)
{
    const IndexRow *first = row;
    guint64 low = row->address;
    for (;;) {
        while (first > image->rows && first[-1].address == low)
            first--;
        if (first == image->rows
            || !is_same_line (index_image_prefer_row (image, first - 1), row))
            return low;
        low = (--first)->address;
    }
}

static guint64
find_line_end (const IndexImage *image, const IndexRow *row)
{
    const IndexRow *end = image->rows + image->n_rows, *next = row;
    for (;;) {
        guint64 address = next->address;
        while (next < end && next->address == address)
            next++;
        if (next == end)
            return row->address + 1;
        const IndexRow *last = next;
        while (last + 1 < end && last[1].address == next->address)
            last++;
        if (!is_same_line (index_image_prefer_row (image, last), row))
            return next->address;
    }
}

/* The same line of another inlined call is another place. */
static void
clip_to_instance (const IndexImage *image, guint64 address, guint64 *low, guint64 *high)
{
    const IndexBlock *block = index_image_find_block (image, address);
    guint at = BASE_BISECT (middle, 0, image->n_spans, image->spans[middle].address <= address);
    for (guint i = at; i < image->n_spans && image->spans[i].address < *high; i++) {
        guint32 other = image->spans[i].block;
        if (other == INDEX_NONE || image->blocks[other].instance != block->instance)
            *high = image->spans[i].address;
    }
    for (guint i = at; i > 0 && image->spans[i - 1].address > *low; i--) {
        guint32 before = i > 1 ? image->spans[i - 2].block : INDEX_NONE;
        if (before == INDEX_NONE || image->blocks[before].instance != block->instance)
            *low = image->spans[i - 1].address;
    }
}

gboolean
index_image_find_step_range (const IndexImage *image, guint64 address, guint64 *ret_low,
                             guint64 *ret_high, guint32 *ret_line)
{
    const IndexRow *row = index_image_find_row (image, address);
    if (!row)
        return FALSE;
    const IndexBlock *outer = index_image_find_outer (image,
                                                      index_image_find_block (image, address));
    guint64 low = find_line_start (image, row), high = find_line_end (image, row);
    if (outer) {
        low = MAX (low, outer->low);
        high = MIN (high, outer->high);
        clip_to_instance (image, address, &low, &high);
    }
    *ret_low = low;
    *ret_high = high;
    if (ret_line)
        *ret_line = row->line;
    return low < high;
}

guint64
index_image_find_body (const IndexImage *image, guint64 address)
{
    const IndexBlock *outer = index_image_find_outer (image,
                                                      index_image_find_block (image, address));
    if (!outer || outer->low != address || outer->body < outer->low
        || outer->body >= outer->high)
        return address;
    return outer->body;
}

gboolean
index_image_is_statement (const IndexImage *image, guint64 address)
{
    const IndexRow *row = index_image_find_row (image, address);
    if (!row || row->address != address)
        return FALSE;
    for (; row >= image->rows && row->address == address; row--)
        if ((row->flags & (INDEX_ROW_STMT | INDEX_ROW_GOES_ON)) == INDEX_ROW_STMT && row->line)
            return TRUE;
    return FALSE;
}

gboolean
index_image_is_row (const IndexImage *image, guint64 address, guint64 *ret_end)
{
    const IndexRow *row = index_image_find_row (image, address), *next = row ? row + 1 : NULL;
    while (next && next < image->rows + image->n_rows && next->flags & INDEX_ROW_GOES_ON)
        next++;
    *ret_end = next && next < image->rows + image->n_rows ? next->address : address + 1;
    for (; row && row >= image->rows && row->address == address; row--)
        if (!(row->flags & INDEX_ROW_GOES_ON))
            return TRUE;
    return FALSE;
}

const char *
index_image_find_symbol_at (const IndexImage *image, guint64 address, guint64 *ret_offset)
{
    guint low = BASE_BISECT (middle, 0, image->n_symbols,
                             image->symbols[middle].address <= address);
    while (low > 1 && image->symbols[low - 2].address == image->symbols[low - 1].address)
        low--;
    const IndexSymbol *best = NULL;
    for (; low && low <= image->n_symbols; low++) {
        const IndexSymbol *symbol = &image->symbols[low - 1];
        guint64 size = symbol->size & ~INDEX_SYMBOL_RESOLVER;
        if (symbol->address > address || (best && symbol->address > best->address))
            break;
        /* one without a size names its first byte, if no other does */
        if (address - symbol->address < MAX (size, 1) && (!best || (best->size == 0 && size)))
            best = symbol;
    }
    if (!best)
        return NULL;
    const IndexBlock *block = best->name != INDEX_NONE
                                  ? NULL
                                  : index_image_find_block (image, best->address);
    *ret_offset = address - best->address;
    return index_image_find_text (image, block ? index_image_find_outer (image, block)->name
                                               : best->name);
}

GArray *
index_image_list_bodies (const IndexImage *image)
{
    GArray *bodies = g_array_new (FALSE, FALSE, sizeof (guint64));
    for (guint i = 0; i < image->n_blocks; i++) {
        const IndexBlock *block = &image->blocks[i];
        guint64 body = block->body >= block->low && block->body < block->high ? block->body
                                                                              : block->low;
        const IndexRow *row;
        if (!(block->flags & INDEX_BLOCK_ENTRY)
            || block->flags & (INDEX_BLOCK_INLINED | INDEX_BLOCK_SYMBOL))
            continue;
        row = index_image_find_row (image, body);
        if (row && row->line && !(row->flags & INDEX_ROW_END)
            && !index_image_is_glue (image, block->low))
            g_array_append_val (bodies, body);
    }
    return bodies;
}
