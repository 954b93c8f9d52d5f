/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds names by a substring: one pass over all strings of the index, which are contiguous, is
 * faster than making and keeping a table. */
#include "index/search.h"

#include <string.h>

#include "index/image-private.h"
#include "job/where.h"

#define N_NEIGHBOURS 8

typedef struct {
    const IndexImage *image;
    const char *text;
    gsize size;
    guint kinds, added; /* added: to each score */
    gboolean only_fortran, wants_mangled;
    JobNames *names;
} Search;

static gboolean
is_outside_brackets (const char *name, const char *hit)
{
    gint depth = 0;

    for (const char *at = name; at < hit; at++)
        depth += *at == '<' || *at == '(' ? 1 : *at == '>' || *at == ')' ? -1 : 0;
    return depth <= 0;
}

guint
index_search_rate (const char *name, const char *last, const char *hit, gsize size)
{
    if (hit == name || hit == last)
        return hit[size] ? JOB_NAME_PREFIX : JOB_NAME_EXACT;
    if (hit - name >= 2 && hit[-1] == ':' && hit[-2] == ':' && is_outside_brackets (name, hit))
        return JOB_NAME_PART;
    return JOB_NAME_INSIDE;
}

/* The best of all places where the name holds the text; hit is the first. */
static guint
rate_name (const Search *search, const char *name, const char *hit)
{
    gsize length;
    const char *last = index_find_last_component (name, &length);
    guint best = JOB_NAME_INSIDE;
    for (; hit; hit = strstr (hit + 1, search->text)) {
        guint rate = index_search_rate (name, last, hit, search->size);
        /* "push" is all of "push<int>" as people say it */
        if (hit == last && length == search->size)
            rate = JOB_NAME_EXACT;
        best = MIN (best, rate);
    }
    return best + search->added
           + (last[0] == '_' && search->text[0] != '_' ? JOB_NAME_IS_HIDDEN : 0);
}

/* What its rate is at best: cheaper to see than what it is. */
static guint
find_bound (const Search *search, const char *name, const char *hit)
{
    guint bound = JOB_NAME_INSIDE;
    for (; hit; hit = strstr (hit + 1, search->text)) {
        if (hit != name && hit[-1] != ':')
            continue;
        if (!hit[search->size] || hit[search->size] == '<')
            return JOB_NAME_EXACT;
        bound = JOB_NAME_PREFIX;
    }
    return bound;
}

static const IndexBlock *
find_block (const IndexImage *image, const char *name, guint32 offset)
{
    gsize length;
    const char *last = index_find_last_component (name, &length);
    guint32 hash = index_hash (last, length);
    for (guint i = index_find_hash (image->names, image->n_names, hash);
         i < image->n_names && image->names[i].hash == hash; i++) {
        const IndexBlock *block = &image->blocks[image->names[i].item];
        if (block->name == offset)
            return block;
    }
    return NULL;
}

static void
add_function (const Search *search, const IndexBlock *block, const char *name, guint score)
{
    const IndexImage *image = search->image;
    const IndexRow *row = index_image_find_row (image, block->low);
    const char *file = row ? index_image_find_path (image, row->file) : NULL;
    if (!(search->kinds & JOB_NAME_FUNCTION)
        || (search->only_fortran && block->language != JOB_LANGUAGE_FORTRAN))
        return;
    job_names_add (search->names, JOB_NAME_FUNCTION, score + (file ? 0 : JOB_NAME_IS_BARE),
                   name, file, file ? (block->line ? block->line : row->line) : 0);
}

/* "ns::name" of a C++ variable's symbol, section 5.1 of the Itanium C++ ABI as far as variables outside of
 * classes with arguments go; NULL for any other. Caller owns. */
static char *
dup_variable_name (const char *symbol)
{
    const char *at = symbol + 2;
    gboolean is_nested = *at == 'N';
    g_autoptr (GString) text = g_string_new (NULL);
    at += is_nested || *at == 'L' ? 1 : 0;
    do {
        char *end;
        at += is_nested && *at == 'L' ? 1 : 0;
        guint64 size = g_ascii_isdigit (*at) ? g_ascii_strtoull (at, &end, 10) : 0;
        if (!size || size > strlen (end))
            return NULL;
        gboolean is_unnamed = g_str_has_prefix (end, "_GLOBAL__N_");
        g_string_append_printf (text, "%s%.*s", text->len ? "::" : "",
                                is_unnamed ? (int) strlen ("(anonymous namespace)")
                                           : (int) size,
                                is_unnamed ? "(anonymous namespace)" : end);
        at = end + size;
    } while (is_nested && *at && *at != 'E');
    return strcmp (at, is_nested ? "E" : "") == 0
               ? g_string_free (g_steal_pointer (&text), FALSE)
               : NULL;
}

static void
add_cxx_variable (const Search *search, const char *symbol)
{
    g_autofree char *name = dup_variable_name (symbol);
    const char *hit = name ? strstr (name, search->text) : NULL;
    guint64 address;
    if (hit && search->kinds & JOB_NAME_VARIABLE
        && index_image_find_symbol (search->image, symbol, &address, NULL)
        && !index_image_find_block (search->image, address))
        job_names_add (search->names, JOB_NAME_VARIABLE,
                       rate_name (search, name, hit) + JOB_NAME_IS_BARE, name, NULL, 0);
}

/* Strings that are neither a function's nor a symbol's are passed over: files have a table. */
static void
add_name (const Search *search, const char *name, guint score)
{
    const IndexImage *image = search->image;
    const IndexBlock *block = find_block (image, name, name - image->strings);
    guint64 address;
    if (block) {
        add_function (search, block, name, score);
        return;
    }
    if (!search->only_fortran && g_str_has_prefix (name, "_Z") && !search->wants_mangled) {
        add_cxx_variable (search, name);
        return;
    }
    if (search->only_fortran || !index_image_find_symbol (image, name, &address, NULL))
        return;
    /* a label inside of a function is no name of its own */
    block = index_image_find_block (image, address);
    JobNameKind kind = block ? JOB_NAME_FUNCTION : JOB_NAME_VARIABLE;
    if ((search->kinds & kind) && (!block || block->low == address))
        job_names_add (search->names, kind, score + JOB_NAME_IS_BARE, name, NULL, 0);
}

/* Where one name holds the text others around it do so too, and a look through one name has no tables to
 * prepare. */
static const char *
find_next (const Search *search, const char *at, const char *end)
{
    for (guint i = 0; i < N_NEIGHBOURS && at < end; i++) {
        const char *hit = strstr (at, search->text);
        if (hit)
            return hit;
        at += strlen (at) + 1;
    }
    return at < end ? memmem (at, end - at, search->text, search->size) : NULL;
}

static void
search_strings (const Search *search)
{
    const char *start = search->image->strings, *end = start + search->image->n_strings;
    const char *at = start;
    while (at < end) {
        const char *hit = find_next (search, at, end);
        if (!hit)
            return;
        const char *before = hit > start ? memrchr (start, 0, hit - start) : NULL;
        const char *name = before ? before + 1 : start;
        gsize length = (hit - name) + strlen (hit);
        at = name + length + 1;
        /* what it can be at best, before it is looked at closely */
        gboolean is_mangled = name[0] == '_' && name[1] == 'Z';
        guint bound = is_mangled ? JOB_NAME_EXACT : find_bound (search, name, hit);
        if (name[0] == '/' || !job_names_wants (search->names, bound + search->added, length))
            continue;
        guint score = is_mangled ? JOB_NAME_EXACT : rate_name (search, name, hit);
        if (job_names_wants (search->names, score, length))
            add_name (search, name, score);
    }
}

/* By the name behind the last folder, and by the path's end. */
static void
search_files (const Search *search)
{
    const IndexImage *image = search->image;
    for (guint i = 0; i < image->n_files; i++) {
        const char *path = image->strings + image->files[i];
        const char *slash = strrchr (path, '/'), *base = slash ? slash + 1 : path;
        const char *hit = strstr (strchr (search->text, '/') ? path : base, search->text);
        if (!hit)
            continue;
        gboolean begins = hit == base || hit == path || hit[-1] == '/';
        guint rate = !begins             ? JOB_NAME_INSIDE
                     : hit[search->size] ? JOB_NAME_PREFIX
                                         : JOB_NAME_EXACT;
        job_names_add (search->names, JOB_NAME_FILE, rate + search->added, path, path, 1);
    }
}

static void
search_all (Search *search)
{
    if (search->kinds & JOB_NAME_FILE)
        search_files (search);
    if (search->kinds & (JOB_NAME_FUNCTION | JOB_NAME_VARIABLE))
        search_strings (search);
}

void
index_search_names (const IndexImage *image, const char *text, guint kinds, gboolean is_library,
                    JobNames *names)
{
    Search search = { image,
                      text,
                      strlen (text),
                      kinds,
                      is_library ? JOB_NAME_IS_LIBRARY : 0,
                      FALSE,
                      g_str_has_prefix (text, "_Z"),
                      names };
    if (!search.size)
        return;
    search_all (&search);
    /* compilers write Fortran's names in small letters */
    g_autofree char *lower = g_ascii_strdown (text, -1);
    if (strcmp (lower, text) == 0)
        return;
    search.text = lower;
    search.only_fortran = TRUE;
    search.kinds &= ~JOB_NAME_FILE;
    search_all (&search);
}

void
index_search_functions (const IndexImage *image, const GRegex *pattern, const char *file,
                        JobNames *names)
{
    g_autoptr (GHashTable) judged = g_hash_table_new (NULL,
                                                      NULL); /* each name is looked at once */
    for (guint i = 0; i < image->n_names; i++) {
        const IndexBlock *block = &image->blocks[image->names[i].item];
        const char *name = index_image_find_text (image, block->name);
        const IndexRow *row = name ? index_image_find_row (image, block->low) : NULL;
        const char *path = row ? index_image_find_path (image, row->file) : NULL;
        if (!path || (file && !job_where_match_file (file, path))
            || g_hash_table_contains (judged, GUINT_TO_POINTER (block->name)))
            continue;
        if (g_regex_match (pattern, name, 0, NULL))
            job_names_add (names, JOB_NAME_FUNCTION, JOB_NAME_EXACT, name, path,
                           block->line ? block->line : row->line);
        g_hash_table_add (judged, GUINT_TO_POINTER (block->name));
    }
}
