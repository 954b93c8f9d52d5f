/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps the index file, validates everything in it, and answers queries by address. find.c
 * answers those by name and line. */
#include "index/image-private.h"

#include <fcntl.h>
#include <string.h>

#include "base/error.h"

static gboolean
take_table (IndexImage *image, const IndexHeader *header, IndexTable table, gsize size,
            const void *ret_data, guint *ret_count)
{
    guint64 offset = header->tables[table].offset, count = header->tables[table].count;
    gsize length = g_mapped_file_get_length (image->map);
    if (offset % 8 || offset < sizeof *header || offset > length || count > G_MAXINT32
        || count > (length - offset) / size)
        return FALSE;
    *(const void **) ret_data = g_mapped_file_get_contents (image->map) + offset;
    *ret_count = count;
    return TRUE;
}

static gboolean
is_string (const IndexImage *image, guint32 offset)
{
    return offset == INDEX_NONE || offset < image->n_strings;
}

static gboolean
is_file (const IndexImage *image, guint32 file)
{
    return file == INDEX_NONE || file < image->n_files;
}

static gboolean
check_blocks (const IndexImage *image)
{
    for (guint i = 0; i < image->n_blocks; i++) {
        const IndexBlock *block = &image->blocks[i];
        if (block->low >= block->high || !is_string (image, block->name)
            || !is_file (image, block->call_file)
            || (block->parent != INDEX_NONE && block->parent >= i)
            || (block->parent == INDEX_NONE) == ((block->flags & INDEX_BLOCK_INLINED) != 0))
            return FALSE;
    }
    for (guint i = 0; i < image->n_spans; i++) {
        const IndexSpan *span = &image->spans[i];
        if ((span->block != INDEX_NONE && span->block >= image->n_blocks)
            || (i && span->address <= span[-1].address))
            return FALSE;
    }
    return TRUE;
}

static gboolean
check_rows (const IndexImage *image)
{
    if (BASE_ANY (i, image->n_files, image->files[i] >= image->n_strings))
        return FALSE;
    return !BASE_ANY (i, image->n_rows,
                      !is_file (image, image->rows[i].file)
                          || (i && image->rows[i].address < image->rows[i - 1].address)
                          || (i + 1 == image->n_rows
                              && !(image->rows[i].flags & INDEX_ROW_END)));
}

static gboolean
check_names (const IndexImage *image)
{
    if (BASE_ANY (i, image->n_names,
                  image->names[i].item >= image->n_blocks
                      || image->blocks[image->names[i].item].name == INDEX_NONE))
        return FALSE;
    if (BASE_ANY (i, image->n_symbols, !is_string (image, image->symbols[i].name)))
        return FALSE;
    return !BASE_ANY (i, image->n_symbol_names,
                      image->symbol_names[i].item >= image->n_symbols);
}

static gboolean
take_tables (IndexImage *image, const IndexHeader *header)
{
    guint n_strings;
    gboolean good
        = take_table (image, header, INDEX_TABLE_STRINGS, 1, &image->strings, &n_strings)
          && take_table (image, header, INDEX_TABLE_FILES, 4, &image->files, &image->n_files)
          && take_table (image, header, INDEX_TABLE_BLOCKS, sizeof (IndexBlock), &image->blocks,
                         &image->n_blocks)
          && take_table (image, header, INDEX_TABLE_SPANS, sizeof (IndexSpan), &image->spans,
                         &image->n_spans)
          && take_table (image, header, INDEX_TABLE_ROWS, sizeof (IndexRow), &image->rows,
                         &image->n_rows)
          && take_table (image, header, INDEX_TABLE_NAMES, sizeof (IndexName), &image->names,
                         &image->n_names)
          && take_table (image, header, INDEX_TABLE_SYMBOLS, sizeof (IndexSymbol),
                         &image->symbols, &image->n_symbols)
          && take_table (image, header, INDEX_TABLE_SYMBOL_NAMES, sizeof (IndexName),
                         &image->symbol_names, &image->n_symbol_names)
          && take_table (image, header, INDEX_TABLE_TAILS, sizeof (IndexTail), &image->tails,
                         &image->n_tails);
    if (!good || !n_strings || image->strings[n_strings - 1] != 0 || header->path >= n_strings)
        return FALSE;
    image->n_strings = n_strings;
    image->path = image->strings + header->path;
    return check_rows (image) && check_blocks (image) && check_names (image);
}

/* Takes the map. name: for the user. */
static IndexImage *
open_map (GMappedFile *map, const char *name, GError **error)
{
    IndexImage *image = g_new0 (IndexImage, 1);
    image->references = 1;
    image->map = map;
    const IndexHeader *header
        = (const IndexHeader *) (gpointer) g_mapped_file_get_contents (map);
    if (g_mapped_file_get_length (map) < sizeof *header
        || memcmp (header->magic, INDEX_MAGIC, sizeof header->magic) != 0
        || header->version != INDEX_VERSION || header->size != g_mapped_file_get_length (map)
        || !take_tables (image, header)) {
        index_image_unref (image);
        base_error_set (error, BASE_ERROR_CORRUPT, "cannot use index %s: it is corrupt", name);
        return NULL;
    }
    return image;
}

IndexImage *
index_image_open (const char *index_path, GError **error)
{
    g_autoptr (GError) local = NULL;
    GMappedFile *map = g_mapped_file_new (index_path, FALSE, &local);
    if (!map) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot open index %s: %s", index_path,
                        local->message);
        return NULL;
    }
    return open_map (map, index_path, error);
}

IndexImage *
index_image_open_fd (int fd, GError **error)
{
    const int wanted = F_SEAL_SHRINK | F_SEAL_WRITE;
    int seals = fd >= 0 ? fcntl (fd, F_GET_SEALS) : -1;
    GMappedFile *map = seals >= 0 && (seals & wanted) == wanted
                           ? g_mapped_file_new_from_fd (fd, FALSE, NULL)
                           : NULL;
    if (!map) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot use the answer of pddt-symbols: it contains no index");
        return NULL;
    }
    return open_map (map, "of pddt-symbols", error);
}

IndexImage *
index_image_ref (IndexImage *image)
{
    g_atomic_int_inc (&image->references);
    return image;
}

void
index_image_unref (IndexImage *image)
{
    if (!image || !g_atomic_int_dec_and_test (&image->references))
        return;
    g_mapped_file_unref (image->map);
    g_free (image);
}

gboolean
index_image_has_lines (const IndexImage *image)
{
    return image->n_rows > 0;
}

const char *
index_image_get_path (const IndexImage *image)
{
    return image->path;
}

const char *
index_image_find_text (const IndexImage *image, guint32 offset)
{
    return offset < image->n_strings ? image->strings + offset : NULL;
}

const char *
index_image_find_path (const IndexImage *image, guint32 file)
{
    return file < image->n_files ? index_image_find_text (image, image->files[file]) : NULL;
}

const IndexBlock *
index_image_find_block (const IndexImage *image, guint64 address)
{
    guint low = 0, high = image->n_spans;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (image->spans[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || image->spans[low - 1].block == INDEX_NONE)
        return NULL;
    const IndexBlock *block = &image->blocks[image->spans[low - 1].block];
    return address >= block->low && address < block->high ? block : NULL;
}

const IndexBlock *
index_image_find_outer (const IndexImage *image, const IndexBlock *block)
{
    while (block && block->parent != INDEX_NONE)
        block = &image->blocks[block->parent];
    return block;
}

gboolean
index_image_find_entry (const IndexImage *image, guint64 address, guint64 *ret_entry)
{
    const IndexBlock *outer = index_image_find_outer (image,
                                                      index_image_find_block (image, address));
    if (!outer)
        return FALSE;
    *ret_entry = outer->flags & INDEX_BLOCK_ENTRY ? outer->low : outer->body;
    return TRUE;
}

gboolean
index_image_find_tail_call (const IndexImage *image, guint64 entry, guint i,
                            IndexTailCall *ret_call)
{
    guint low = BASE_BISECT (middle, 0, image->n_tails, image->tails[middle].function < entry);
    if (i >= image->n_tails - low || image->tails[low + i].function != entry)
        return FALSE;
    *ret_call = (IndexTailCall){ image->tails[low + i].pc, image->tails[low + i].target };
    return TRUE;
}

const IndexRow *
index_image_prefer_row (const IndexImage *image, const IndexRow *last)
{
    const IndexRow *row = last;
    while (!(row->flags & INDEX_ROW_STMT) && row > image->rows
           && row[-1].address == last->address && row[-1].line
           && !(row[-1].flags & INDEX_ROW_END))
        row--;
    return row->flags & INDEX_ROW_STMT ? row : last;
}

const IndexRow *
index_image_find_row (const IndexImage *image, guint64 address)
{
    guint low = BASE_BISECT (middle, 0, image->n_rows, image->rows[middle].address <= address);
    if (!low || (image->rows[low - 1].flags & INDEX_ROW_END))
        return NULL;
    return index_image_prefer_row (image, &image->rows[low - 1]);
}

void
index_image_find_opening (const IndexImage *image, guint64 entry, IndexFrame *frame)
{
    const IndexRow *row = index_image_find_row (image, entry);
    while (row && row > image->rows && row[-1].address == entry
           && !(row[-1].flags & INDEX_ROW_END))
        row--;
    frame->file = row ? index_image_find_path (image, row->file) : NULL;
    frame->line = frame->file ? row->line : 0;
}

/* What lies before the address belongs neither to the same function or call, nor to what is inlined
 * into it. */
static gboolean
begins_at (const IndexImage *image, const IndexBlock *block, guint64 address)
{
    if (block->low != address)
        return FALSE;
    const IndexBlock *before = index_image_find_block (image, address - 1);
    while (before && before->instance != block->instance && before->parent != INDEX_NONE)
        before = &image->blocks[before->parent];
    return !before || before->instance != block->instance;
}

guint
index_image_find_frames (const IndexImage *image, guint64 address, IndexFrame *frames,
                         guint max_frames)
{
    const IndexRow *row = index_image_find_row (image, address);
    const IndexBlock *block = index_image_find_block (image, address);
    const char *file = row ? index_image_find_path (image, row->file) : NULL;
    guint32 line = row && file ? row->line : 0;
    guint n = 0;
    if (!block && row && max_frames) {
        frames[n++] = (IndexFrame){ NULL,  row->address,           row[1].address, file,  line,
                                    FALSE, JOB_LANGUAGE_ASSEMBLER, INDEX_NONE,     FALSE, FALSE,
                                    FALSE };
        return n;
    }
    while (block && n < max_frames) {
        gboolean inlined = block->flags & INDEX_BLOCK_INLINED;
        frames[n++] = (IndexFrame){ index_image_find_text (image, block->name),
                                    block->low,
                                    block->high,
                                    file,
                                    line,
                                    inlined,
                                    block->language <= JOB_LANGUAGE_ASSEMBLER
                                        ? (JobLanguage) block->language
                                        : JOB_LANGUAGE_UNKNOWN,
                                    block->instance,
                                    begins_at (image, block, address),
                                    (block->flags & INDEX_BLOCK_CYTHON) != 0,
                                    (block->flags & INDEX_BLOCK_WRAPPER) != 0 };
        if (!inlined)
            break;
        file = index_image_find_path (image, block->call_file);
        line = block->call_line;
        block = &image->blocks[block->parent];
    }
    return n;
}
