/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads .eh_frame from end to end (LSB core, section 10.6.1) only to find where each FDE's code
 * begins; libunwind interprets the rules. */
#include "stack/table-private.h"
#include "base/array.h"
#include "base/cursor.h"

#define MAX_SECTIONS 4096u
#define MAX_SIZE (64u << 20)

#define ENCODING_UDATA4 0x03u
#define ENCODING_PCREL_SDATA4 0x1bu

typedef struct {
    gint32 pc, fde;
} Pair;

/* .eh_frame's bytes and link-time address. */
static guint8 *
read_section (StackFile *file, guint64 *ret_address, gsize *ret_size)
{
    const BaseElfImage image = stack_file_get_image (file);
    BaseElfHeader header;
    Elf64_Shdr names;
    guint8 *bytes;

    if (!base_elf_read_header (&image, &header) || header.n_sections > MAX_SECTIONS
        || !base_elf_read_section (&image, &header, header.names, &names)) {
        return NULL;
    }
    for (guint i = 0; i < header.n_sections; i++) {
        Elf64_Shdr section;

        if (!base_elf_read_section (&image, &header, i, &section)
            || section.sh_type == SHT_NOBITS || section.sh_size > MAX_SIZE
            || !base_elf_is_text (&image, &names, section.sh_name, ".eh_frame")) {
            continue;
        }
        bytes = g_malloc (section.sh_size + 1);
        if (!stack_file_read (file, section.sh_offset, bytes, section.sh_size)) {
            g_free (bytes);
            return NULL;
        }
        *ret_address = section.sh_addr;
        *ret_size = section.sh_size;
        return bytes;
    }
    return NULL;
}

/* The encoding of its FDEs' pointers, from a CIE at `offset` (of its length word). */
static gboolean
read_encoding (const guint8 *bytes, gsize size, gsize offset, guint8 *ret_encoding)
{
    BaseCursor cursor = BASE_CURSOR_INIT (bytes, size);
    const char *augmentation;
    guint8 version;

    base_cursor_seek (&cursor, offset + 8);
    version = base_cursor_read_u8 (&cursor);
    augmentation = base_cursor_read_string (&cursor);
    *ret_encoding = STACK_TABLE_ABSOLUTE;
    if (cursor.failed || augmentation[0] != 'z') {
        return !cursor.failed;
    }
    base_cursor_read_uleb (&cursor);
    base_cursor_read_sleb (&cursor);
    if (version == 1) {
        base_cursor_read_u8 (&cursor);
    } else {
        base_cursor_read_uleb (&cursor);
    }
    base_cursor_read_uleb (&cursor);
    for (const char *at = augmentation + 1; *at != '\0' && !cursor.failed; at++) {
        if (*at == 'R') {
            *ret_encoding = base_cursor_read_u8 (&cursor);
            break;
        }
        if (*at == 'L') {
            base_cursor_read_u8 (&cursor);
        } else if (*at == 'P') {
            guint8 encoding = base_cursor_read_u8 (&cursor);

            base_cursor_skip (&cursor, (encoding & 7) == 0 || (encoding & 7) == 4 ? 8
                                       : (encoding & 7) == 2                      ? 2
                                                                                  : 4);
        } else if (*at != 'S') {
            return FALSE;
        }
    }
    return !cursor.failed;
}

gboolean
stack_table_read_range (BaseCursor *cursor, guint64 here, guint64 bias, guint8 encoding,
                        guint64 *ret_start, guint64 *ret_size)
{
    gboolean is_long = encoding == STACK_TABLE_ABSOLUTE;

    switch (encoding) {
    case STACK_TABLE_ABSOLUTE: *ret_start = bias + base_cursor_read_u64 (cursor); break;
    case ENCODING_UDATA4: *ret_start = bias + base_cursor_read_u32 (cursor); break;
    case ENCODING_PCREL_SDATA4:
        *ret_start = here + (guint64) (gint64) (gint32) base_cursor_read_u32 (cursor);
        break;
    default: return FALSE;
    }
    if (ret_size != NULL) {
        *ret_size = is_long ? base_cursor_read_u64 (cursor) : base_cursor_read_u32 (cursor);
    }
    return !cursor->failed;
}

static void
add_entry (const guint8 *bytes, gsize size, gsize offset, guint64 section, guint64 base,
           GArray *pairs)
{
    BaseCursor cursor = BASE_CURSOR_INIT (bytes, size);
    guint32 id;
    guint8 encoding;
    guint64 pc;

    base_cursor_seek (&cursor, offset + 4);
    id = base_cursor_read_u32 (&cursor);
    /* 0 is a CIE; else the distance back to it. */
    if (id != 0 && id <= offset + 4 && read_encoding (bytes, size, offset + 4 - id, &encoding)
        && stack_table_read_range (&cursor, section + cursor.offset, 0, encoding, &pc, NULL)) {
        BASE_APPEND (pairs, Pair, (gint32) (pc - base), (gint32) (section + offset - base));
    }
}

BASE_ORDER (compare_pairs, Pair, BASE_BY (pc))

GBytes *
stack_table_build (StackFile *file, guint64 base)
{
    guint64 section = 0;
    gsize size = 0;
    g_autofree guint8 *bytes = read_section (file, &section, &size);
    g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
    BaseCursor cursor = BASE_CURSOR_INIT (bytes, size);

    while (bytes != NULL && base_cursor_get_left (&cursor) >= 8) {
        gsize offset = cursor.offset;
        guint32 length = base_cursor_read_u32 (&cursor);

        /* 0 ends the section; all ones is the 64-bit form, which is not used in practice. */
        if (length == 0 || length > base_cursor_get_left (&cursor)) {
            break;
        }
        add_entry (bytes, size, offset, section, base, pairs);
        base_cursor_seek (&cursor, offset + 4 + length);
    }
    if (pairs->len == 0) {
        return NULL;
    }
    g_array_sort (pairs, compare_pairs);
    return g_bytes_new (pairs->data, pairs->len * sizeof (Pair));
}
