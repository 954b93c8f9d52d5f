/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that stand in no source of the program, though they have lines: what Cython adds to its modules, and the inline
 * functions of CPython's headers, which Cython's code calls at each line. */
#include <string.h>

#include "index/image-private.h"

#define MAX_INLINED 32

static gboolean
is_cythons_own (const char *name)
{
    return name
           && (g_str_has_prefix (name, "__Pyx_") || g_str_has_prefix (name, "__pyx_pymod_"));
}

/* An inlined call of something else in such a function, of which a row has its line. */
static gboolean
is_inlined_there (const IndexImage *image, const IndexBlock *block)
{
    if (block->flags & INDEX_BLOCK_CYTHON)
        return FALSE;
    while (block->flags & INDEX_BLOCK_INLINED && block->parent != INDEX_NONE) {
        block = &image->blocks[block->parent];
        if (block->flags & INDEX_BLOCK_CYTHON)
            return TRUE;
    }
    return FALSE;
}

void
index_image_drop_glue (const IndexImage *image, gboolean is_function, GArray *places)
{
    const guint16 other = INDEX_BLOCK_WRAPPER | (is_function ? INDEX_BLOCK_RESUMED : 0);
    gboolean has_own = FALSE;
    for (guint turn = 0; turn < 2; turn++)
        for (guint i = places->len; i-- > 0;) {
            const IndexPlace *place = &g_array_index (places, IndexPlace, i);
            const IndexBlock *block = index_image_find_block (image, place->address);
            gboolean is_other
                = block
                  && (block->flags & other || is_inlined_there (image, block)
                      || is_cythons_own (index_image_find_text (image, block->name)));
            has_own |= block && block->flags & INDEX_BLOCK_CYTHON && !is_other;
            if (turn && has_own && is_other)
                g_array_remove_index (places, i);
        }
}

/* What unpacks the arguments of a function of Cython is passed over if the function has code of its own. */
static gboolean
has_code_elsewhere (const IndexImage *image, const IndexFrame *wrapper)
{
    IndexFrame frames[MAX_INLINED];
    g_autoptr (GArray) places = index_image_find_function (image, wrapper->function);
    for (guint i = 0; i < places->len; i++) {
        guint64 address = g_array_index (places, IndexPlace, i).address;
        guint n = index_image_find_frames (image, address, frames, MAX_INLINED);
        if (n && !frames[n - 1].is_wrapper
            && g_strcmp0 (frames[n - 1].function, wrapper->function) == 0)
            return TRUE;
    }
    return FALSE;
}

gboolean
index_image_is_glue (const IndexImage *image, guint64 address)
{
    IndexFrame frames[MAX_INLINED];
    guint n = index_image_find_frames (image, address, frames, MAX_INLINED);
    const IndexFrame *frame = n ? &frames[n - 1] : NULL;
    if (!frame || frame->inlined)
        return FALSE;
    return is_cythons_own (frame->function)
           || (frame->file && strstr (frame->file, "/include/python3.")
               && g_str_has_suffix (frame->file, ".h"))
           || (frame->is_wrapper && has_code_elsewhere (image, frame));
}
