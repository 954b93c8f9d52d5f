/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One ELF file, mapped: its sections (inflated when compressed), symbols, build-id, and the file
 * that holds its debug information. Every offset is checked; x86-64 and other little-endian
 * 64-bit files only. */
#pragma once
#include <elf.h>
#include <glib.h>

typedef struct {
    const char *name;
    guint32 type;
    guint64 flags, address, offset, file_size, entry_size;
    guint32 link;
    const guint8 *data; /* inflated; NULL until needed, or when empty */
    gsize size;
    guint8 *owned;
    gboolean loaded;
} SymbolSection;

typedef struct {
    char *path;
    const guint8 *data;
    gsize size;
    GMappedFile *map;
    SymbolSection *sections;
    guint n_sections;
    const Elf64_Phdr *segments;
    guint n_segments;
    guint16 machine;
    char *fetched;    /* another possible debug file, set by the caller; NULL */
    guint64 inflated; /* bytes of sections that were compressed */
    char *build_id;   /* hexadecimal; NULL without */
} SymbolElf;

/* From now on, gets every file that is opened or was looked for in vain, with its identity
 * (symbol/identity.h). NULL: none. One per process; called on the thread that opens. */
typedef void (*SymbolElfWitness) (const char *path, const char *identity, gpointer user);
void symbol_elf_set_witness (SymbolElfWitness witness, gpointer user);

/* NOT_FOUND, CORRUPT, UNSUPPORTED (32-bit, big-endian). */
SymbolElf *symbol_elf_open (const char *path, GError **error);
void symbol_elf_free (SymbolElf *elf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolElf, symbol_elf_free)

/* TRUE when the section exists and is not empty; does not read its content. */
gboolean symbol_elf_has_section (const SymbolElf *elf, const char *name);
/* The section with its bytes, also as .zdebug_*; NULL when absent, empty or broken. Borrowed. */
const SymbolSection *symbol_elf_find_section (SymbolElf *elf, const char *name);
/* The next one of that name, as unlinked objects with groups have. after NULL: the first. */
const SymbolSection *symbol_elf_find_next (SymbolElf *elf, const char *name,
                                           const SymbolSection *after);
/* The file with the debug information: by build-id, then .gnu_debuglink; NULL when the file has
 * its own or none is found. Caller owns. */
SymbolElf *symbol_elf_open_debug (SymbolElf *elf);
/* Bytes of the loaded image at a link-time address; NULL unless `size` of them are in the file. */
const guint8 *symbol_elf_find_bytes (const SymbolElf *elf, guint64 address, gsize size);
/* TRUE when the address lies in an executable segment. */
gboolean symbol_elf_is_code (const SymbolElf *elf, guint64 address);

typedef struct {
    const char *name;
    guint64 address, size;
    guint8 type, bind; /* STT_, STB_ */
    guint64
        code_end; /* of .symtab, in code, without a size or a type: where its section ends; else 0 */
} SymbolElfSymbol;
/* Defined symbols of .symtab, else .dynsym; appended to `symbols` (of SymbolElfSymbol). */
void symbol_elf_read_symbols (SymbolElf *elf, GArray *symbols);
