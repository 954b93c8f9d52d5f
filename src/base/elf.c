/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/elf.h"
#include <string.h>
#include <unistd.h>

#define MAX_CHAIN 4096u
#define MAX_BUILD_ID 64u
#define SYMBOLS_AT_ONCE 512u

/* ---- where the bytes are ---- */

static gboolean
read_file (const BaseElfImage *image, guint64 offset, void *data, gsize size)
{
    return offset <= (guint64) G_MAXINT64 - size
           && pread (image->fd, data, size, (off_t) offset) == (gssize) size;
}

static gboolean
read_memory (const BaseElfImage *image, guint64 offset, void *data, gsize size)
{
    return base_memory_read_some (image->in_memory.memory, image->in_memory.start + offset,
                                  data, size)
           == size;
}

static gboolean
read_bytes (const BaseElfImage *image, guint64 offset, void *data, gsize size)
{
    if (offset > image->bytes.size || size > image->bytes.size - offset) {
        return FALSE;
    }
    memcpy (data, image->bytes.data + offset, size);
    return TRUE;
}

BaseElfImage
base_elf_in_file (int fd)
{
    return (BaseElfImage){ .read = read_file, .fd = fd };
}

BaseElfImage
base_elf_in_memory (BaseMemoryReader *memory, guint64 start)
{
    return (BaseElfImage){ .read = read_memory, .in_memory = { memory, start } };
}

BaseElfImage
base_elf_in_bytes (const void *data, gsize size)
{
    return (BaseElfImage){ .read = read_bytes, .bytes = { data, size } };
}

/* ---- tables ---- */

guint
base_elf_read_type (const BaseElfImage *image)
{
    struct {
        guint8 ident[EI_NIDENT];
        guint16 type;
    } begin; /* which 32 and 64 bits have in common */

    if (!image->read (image, 0, &begin, sizeof begin)
        || memcmp (begin.ident, ELFMAG, SELFMAG) != 0) {
        return ET_NONE;
    }
    return begin.type;
}

gboolean
base_elf_read_header (const BaseElfImage *image, BaseElfHeader *ret_header)
{
    Elf64_Ehdr header;
    Elf64_Shdr first = { .sh_size = 0 };

    if (!image->read (image, 0, &header, sizeof header)
        || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
        || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB
        || (header.e_phnum != 0 && header.e_phentsize != sizeof (Elf64_Phdr))
        || (header.e_shnum != 0 && header.e_shentsize != sizeof (Elf64_Shdr))) {
        return FALSE;
    }
    if (header.e_shoff != 0
        && (header.e_phnum == PN_XNUM || header.e_shnum == 0 || header.e_shstrndx == SHN_XINDEX)
        && !image->read (image, header.e_shoff, &first, sizeof first)) {
        first = (Elf64_Shdr){ .sh_size = 0 };
    }
    *ret_header = (BaseElfHeader){
        .type = header.e_type,
        .machine = header.e_machine,
        .entry = header.e_entry,
        .segments = header.e_phoff,
        .sections = header.e_shoff,
        .n_segments = header.e_phnum == PN_XNUM ? first.sh_info : header.e_phnum,
        .n_sections = header.e_shnum != 0 ? header.e_shnum
                                          : (guint32) MIN (first.sh_size, G_MAXUINT32),
        .names = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx,
    };
    return TRUE;
}

static gboolean
read_entry (const BaseElfImage *image, guint64 table, guint32 n, guint32 index, void *entry,
            gsize size)
{
    return index < n && table <= G_MAXUINT64 - (guint64) n * size
           && image->read (image, table + (guint64) index * size, entry, size);
}

gboolean
base_elf_read_segment (const BaseElfImage *image, const BaseElfHeader *header, guint32 index,
                       Elf64_Phdr *ret_segment)
{
    return read_entry (image, header->segments, header->n_segments, index, ret_segment,
                       sizeof *ret_segment);
}

gboolean
base_elf_read_section (const BaseElfImage *image, const BaseElfHeader *header, guint32 index,
                       Elf64_Shdr *ret_section)
{
    return read_entry (image, header->sections, header->n_sections, index, ret_section,
                       sizeof *ret_section);
}

gboolean
base_elf_read_sections (const BaseElfImage *image, const BaseElfHeader *header,
                        Elf64_Shdr *ret_sections)
{
    return image->read (image, header->sections, ret_sections,
                        header->n_sections * sizeof *ret_sections);
}

gboolean
base_elf_is_text (const BaseElfImage *image, const Elf64_Shdr *strings, guint32 offset,
                  const char *text)
{
    char found[64];
    gsize size = strlen (text) + 1;

    return size <= sizeof found && offset < strings->sh_size
           && size <= strings->sh_size - offset
           && strings->sh_offset <= G_MAXUINT64 - strings->sh_size
           && image->read (image, strings->sh_offset + offset, found, size)
           && memcmp (found, text, size) == 0;
}

gboolean
base_elf_find_symbol (const BaseElfImage *image, const Elf64_Shdr *symbols,
                      const Elf64_Shdr *strings, const char *name, Elf64_Sym *ret_symbol)
{
    Elf64_Sym batch[SYMBOLS_AT_ONCE];
    guint64 left = symbols->sh_size / sizeof batch[0], offset = symbols->sh_offset;

    if (offset > G_MAXUINT64 - symbols->sh_size) {
        return FALSE;
    }
    while (left > 0) {
        gsize n = (gsize) MIN (left, SYMBOLS_AT_ONCE);

        if (!image->read (image, offset, batch, n * sizeof batch[0])) {
            return FALSE;
        }
        for (gsize i = 0; i < n; i++) {
            if (batch[i].st_shndx != SHN_UNDEF
                && base_elf_is_text (image, strings, batch[i].st_name, name)) {
                *ret_symbol = batch[i];
                return TRUE;
            }
        }
        left -= n;
        offset += n * sizeof batch[0];
    }
    return FALSE;
}

/* ---- notes ---- */

gboolean
base_elf_next_note (const guint8 *data, gsize size, gsize *at, BaseElfNote *ret_note)
{
    Elf64_Nhdr note;
    gsize name, content;

    if (*at > size || size - *at < sizeof note) {
        return FALSE;
    }
    memcpy (&note, data + *at, sizeof note);
    name = *at + sizeof note;
    content = name + (((gsize) note.n_namesz + 3) & ~(gsize) 3);
    if (content > size || note.n_descsz > size - content) {
        return FALSE;
    }
    *ret_note = (BaseElfNote){ note.n_type, (const char *) data + name, note.n_namesz,
                               data + content, note.n_descsz };
    *at = content + (((gsize) note.n_descsz + 3) & ~(gsize) 3);
    return TRUE;
}

char *
base_elf_dup_build_id (const guint8 *notes, gsize size)
{
    BaseElfNote note;
    gsize at = 0;

    while (base_elf_next_note (notes, size, &at, &note)) {
        if (note.type == NT_GNU_BUILD_ID && note.name_size == sizeof "GNU"
            && memcmp (note.name, "GNU", sizeof "GNU") == 0 && note.size > 0
            && note.size <= MAX_BUILD_ID) {
            GString *text = g_string_sized_new (2 * note.size);

            for (gsize i = 0; i < note.size; i++) {
                g_string_append_printf (text, "%02x", note.content[i]);
            }
            return g_string_free (text, FALSE);
        }
    }
    return NULL;
}

/* ---- names ---- */

static guint32
hash_name (const char *name)
{
    guint32 hash = 5381;

    for (; *name != '\0'; name++) {
        hash = hash * 33 + (guint8) *name;
    }
    return hash;
}

gboolean
base_elf_find_hashed (const BaseElfImage *image, guint64 table, const char *name,
                      gboolean (*is_it) (guint32 symbol, gpointer user), gpointer user)
{
    guint32 hash = hash_name (name), symbol, value;
    guint32 head[4]; /* buckets, first symbol, words of the Bloom filter, its shift */
    guint64 bloom, buckets, chain;

    if (!image->read (image, table, head, sizeof head) || head[0] == 0 || head[2] == 0
        || !image->read (image, table + sizeof head + 8 * (guint64) ((hash / 64) % head[2]),
                         &bloom, sizeof bloom)
        || ((bloom >> (hash % 64)) & (bloom >> ((hash >> (head[3] & 31)) % 64)) & 1) == 0) {
        return FALSE;
    }
    buckets = table + sizeof head + 8 * (guint64) head[2];
    chain = buckets + 4 * (guint64) head[0];
    if (!image->read (image, buckets + 4 * (guint64) (hash % head[0]), &symbol, sizeof symbol)
        || symbol < head[1]) {
        return FALSE;
    }
    for (guint n = 0; n < MAX_CHAIN; n++, symbol++) {
        if (!image->read (image, chain + 4 * (guint64) (symbol - head[1]), &value,
                          sizeof value)) {
            return FALSE;
        }
        if ((value | 1) == (hash | 1) && is_it (symbol, user)) {
            return TRUE;
        }
        if ((value & 1) != 0) {
            return FALSE;
        }
    }
    return FALSE;
}

/* ---- writing ---- */

static void
put_padded (GByteArray *notes, gconstpointer data, gsize size)
{
    static const guint8 zeros[4];

    g_byte_array_append (notes, data, (guint) size);
    g_byte_array_append (notes, zeros, (guint) (-size & 3));
}

void
base_elf_put_note (GByteArray *notes, const char *owner, guint32 type, gconstpointer content,
                   gsize size)
{
    Elf64_Nhdr header = { (guint32) strlen (owner) + 1, (guint32) size, type };

    g_byte_array_append (notes, (const guint8 *) &header, sizeof header);
    put_padded (notes, owner, header.n_namesz);
    put_padded (notes, content, size);
}

gsize
base_elf_get_header_size (guint n_segments)
{
    return sizeof (Elf64_Ehdr) + n_segments * sizeof (Elf64_Phdr);
}

void
base_elf_put_header (GByteArray *image, guint16 type, guint16 machine, guint n_segments)
{
    Elf64_Ehdr header = { .e_type = type,
                          .e_machine = machine,
                          .e_version = EV_CURRENT,
                          .e_phoff = sizeof header,
                          .e_ehsize = sizeof header,
                          .e_phentsize = sizeof (Elf64_Phdr),
                          .e_phnum = (Elf64_Half) n_segments };

    memcpy (header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    g_byte_array_append (image, (const guint8 *) &header, sizeof header);
}
