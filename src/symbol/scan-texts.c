/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interns texts: stores them one after the other and finds them by hash. */
#include <string.h>

#include "symbol/scan-private.h"

void
symbol_texts_init (SymbolTexts *texts)
{
    *texts = (SymbolTexts){ .n_slots = 1 << 12 };
    texts->texts = g_array_new (FALSE, FALSE, sizeof (SymbolText));
    texts->slots = g_new0 (guint32, texts->n_slots);
}

void
symbol_texts_clear (SymbolTexts *texts)
{
    g_free (texts->bytes);
    g_free (texts->slots);
    if (texts->texts)
        g_array_unref (texts->texts);
    *texts = (SymbolTexts){ 0 };
}

const char *
symbol_texts_get (const SymbolTexts *texts, guint32 number)
{
    return texts->bytes + g_array_index (texts->texts, SymbolText, number).offset;
}

static void
grow_slots (SymbolTexts *texts)
{
    g_free (texts->slots);
    texts->n_slots *= 4;
    texts->slots = g_new0 (guint32, texts->n_slots);
    for (guint32 i = 0; i < texts->texts->len; i++) {
        guint at = g_array_index (texts->texts, SymbolText, i).hash & (texts->n_slots - 1);
        while (texts->slots[at])
            at = (at + 1) & (texts->n_slots - 1);
        texts->slots[at] = i + 1;
    }
}

guint32
symbol_texts_append_blob (SymbolTexts *texts, const void *bytes, gsize size)
{
    if (size > G_MAXINT32 || texts->n_bytes + size > G_MAXINT32)
        return INDEX_NONE;
    if (texts->n_bytes + size > texts->room) {
        texts->room = MAX (texts->room * 2, texts->n_bytes + size + (1 << 16));
        texts->bytes = g_realloc (texts->bytes, texts->room);
    }
    guint32 offset = texts->n_bytes;
    if (size > 0)
        memcpy (texts->bytes + offset, bytes, size);
    texts->n_bytes += size;
    return offset;
}

static guint32
add_hashed (SymbolTexts *texts, const char *text, gsize size, guint32 hash)
{
    guint at = hash & (texts->n_slots - 1);
    for (; texts->slots[at]; at = (at + 1) & (texts->n_slots - 1)) {
        const SymbolText *known = &g_array_index (texts->texts, SymbolText,
                                                  texts->slots[at] - 1);
        if (known->hash == hash && known->size == size
            && memcmp (texts->bytes + known->offset, text, size) == 0)
            return texts->slots[at] - 1;
    }
    SymbolText added = { hash, symbol_texts_append_blob (texts, text, size), size };
    if (added.offset == INDEX_NONE || symbol_texts_append_blob (texts, "", 1) == INDEX_NONE)
        return INDEX_NONE;
    g_array_append_val (texts->texts, added);
    texts->slots[at] = texts->texts->len;
    if (texts->texts->len > texts->n_slots / 2)
        grow_slots (texts);
    return texts->texts->len - 1;
}

guint32
symbol_texts_add_sized (SymbolTexts *texts, const char *text, gsize size)
{
    return add_hashed (texts, text, size, index_hash (text, size));
}

guint32
symbol_texts_add (SymbolTexts *texts, const char *text)
{
    return text ? symbol_texts_add_sized (texts, text, strlen (text)) : INDEX_NONE;
}

guint32 *
symbol_texts_merge (SymbolTexts *texts, const SymbolTexts *from)
{
    guint32 *numbers = g_new (guint32, from->texts->len + 1);
    for (guint32 i = 0; i < from->texts->len; i++) {
        const SymbolText *text = &g_array_index (from->texts, SymbolText, i);
        numbers[i] = add_hashed (texts, from->bytes + text->offset, text->size, text->hash);
    }
    return numbers;
}
