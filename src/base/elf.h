/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of an ELF image (System V ABI, chapter 4; elf(5)), read piece by piece from wherever its bytes
 * are. The bytes are never trusted: what does not fit is refused, nothing is read beyond it. 64 bits, little
 * endian: what pddt debugs. Which instruction set it is for is the caller's question. */
#pragma once
#include <elf.h>
#include <glib.h>

#include "base/memory-reader.h"

/* Where the bytes are. An offset is counted from the image's first byte. */
typedef struct _BaseElfImage BaseElfImage;
struct _BaseElfImage {
    /* All of [offset, offset + size), which may lie anywhere, or FALSE. */
    gboolean (*read) (const BaseElfImage *image, guint64 offset, void *data, gsize size);
    union {
        int fd;
        struct {
            BaseMemoryReader *memory;
            guint64 start;
        } in_memory;
        struct {
            const guint8 *data;
            gsize size;
        } bytes;
        gpointer other;
    };
};

BaseElfImage base_elf_in_file (int fd); /* borrowed */
/* As the loader has mapped it from `start` on: offsets are right for what stands in the first segment, as
 * the headers do. */
BaseElfImage base_elf_in_memory (BaseMemoryReader *memory, guint64 start);
BaseElfImage base_elf_in_bytes (const void *data, gsize size); /* borrowed */

/* ET_CORE, ET_EXEC, … of an image of any size of word; ET_NONE: it is no ELF image. */
guint base_elf_read_type (const BaseElfImage *image);

typedef struct {
    guint16 type, machine;
    guint64 entry;
    guint64 segments, sections; /* offsets of the tables */
    guint32 n_segments, n_sections;
    guint32 names; /* index of the section with the sections' names; 0: they have none */
} BaseElfHeader;

/* Counts that do not fit into the header come from section 0 (elf(5), PN_XNUM). FALSE: it is none of this
 * kind, or its tables have entries of another size. */
gboolean base_elf_read_header (const BaseElfImage *image, BaseElfHeader *ret_header);
/* So many segments may a program have that is started or loaded: Linux refuses a table above 64 KiB. Counts are
 * the image's word; who goes through those of a program looks at no more. */
#define BASE_ELF_MAX_LOADED (65536u / sizeof (Elf64_Phdr))
/* FALSE: there is none of that index, or it cannot be read. */
gboolean base_elf_read_segment (const BaseElfImage *image, const BaseElfHeader *header,
                                guint32 index, Elf64_Phdr *ret_segment);
gboolean base_elf_read_section (const BaseElfImage *image, const BaseElfHeader *header,
                                guint32 index, Elf64_Shdr *ret_section);
/* All n_sections, in one read. */
gboolean base_elf_read_sections (const BaseElfImage *image, const BaseElfHeader *header,
                                 Elf64_Shdr *ret_sections);
/* Has the text at that offset of a section of strings this content? At most 63 bytes. */
gboolean base_elf_is_text (const BaseElfImage *image, const Elf64_Shdr *strings, guint32 offset,
                           const char *text);

/* The first symbol of that name (at most 63 bytes) in a section of symbols that is defined in this image, by
 * looking at each. FALSE: none. */
gboolean base_elf_find_symbol (const BaseElfImage *image, const Elf64_Shdr *symbols,
                               const Elf64_Shdr *strings, const char *name,
                               Elf64_Sym *ret_symbol);

typedef struct {
    guint32 type;
    const char *name; /* not terminated */
    gsize name_size;  /* with its NUL */
    const guint8 *content;
    gsize size;
} BaseElfNote;

/* Steps through the notes of a segment or section; *at is 0 at first. FALSE: that was the last whole one. */
gboolean base_elf_next_note (const guint8 *data, gsize size, gsize *at, BaseElfNote *ret_note);
/* The build-id (NT_GNU_BUILD_ID) among the notes in hexadecimal digits. Caller owns. NULL: none. */
char *base_elf_dup_build_id (const guint8 *notes, gsize size);

/* Looks a name up in a DT_GNU_HASH table (ld's manual calls it --hash-style=gnu: four words of header, Bloom
 * filter, buckets, chains), `table` being its offset: calls `is_it` for each symbol with the name's hash
 * until that says TRUE. TRUE: it has. */
gboolean base_elf_find_hashed (const BaseElfImage *image, guint64 table, const char *name,
                               gboolean (*is_it) (guint32 symbol, gpointer user),
                               gpointer user);

/* ---- writing ---- */
/* A note, padded to four bytes. */
void base_elf_put_note (GByteArray *notes, const char *owner, guint32 type,
                        gconstpointer content, gsize size);
/* Bytes of an image's header and of the table of segments behind it. */
gsize base_elf_get_header_size (guint n_segments);
/* The header of an image of that type (ET_CORE, …); its n_segments (less than PN_XNUM) Elf64_Phdr come next. */
void base_elf_put_header (GByteArray *image, guint16 type, guint16 machine, guint n_segments);
