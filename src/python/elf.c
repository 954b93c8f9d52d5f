/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols by the GNU hash table (a handful of small reads), by a scan where there is none. The
 * file is read, never mapped: it may be cut short while we look. */
#include "machine/registers.h"
#include "python/elf-private.h"
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SECTIONS 4096u
#define MAX_SYMBOLS (1u << 20)
#define MAX_CHAIN 4096u

struct _PythonElf {
    int fd;
    Elf64_Shdr *sections;
    guint n_sections;
    guint names; /* index of the section of section names */
};

static gboolean
read_at (const PythonElf *elf, guint64 offset, void *data, gsize size)
{
    return pread (elf->fd, data, size, (off_t) offset) == (ssize_t) size;
}

static gboolean
read_sections (PythonElf *elf)
{
    Elf64_Ehdr header;

    if (!read_at (elf, 0, &header, sizeof header)
        || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
        || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != machine_elf_number
        || header.e_shentsize != sizeof (Elf64_Shdr) || header.e_shnum == 0
        || header.e_shnum > MAX_SECTIONS || header.e_shstrndx >= header.e_shnum) {
        return FALSE;
    }
    elf->n_sections = header.e_shnum;
    elf->names = header.e_shstrndx;
    elf->sections = g_new0 (Elf64_Shdr, elf->n_sections);
    return read_at (elf, header.e_shoff, elf->sections, elf->n_sections * sizeof (Elf64_Shdr));
}

PythonElf *
python_elf_open (const char *path)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    PythonElf *elf;

    if (fd < 0) {
        return NULL;
    }
    elf = g_new0 (PythonElf, 1);
    elf->fd = fd;
    if (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode) || !read_sections (elf)) {
        python_elf_free (elf);
        return NULL;
    }
    return elf;
}

void
python_elf_free (PythonElf *elf)
{
    if (elf == NULL) {
        return;
    }
    close (elf->fd);
    g_free (elf->sections);
    g_free (elf);
}

static const Elf64_Shdr *
find_by_type (const PythonElf *elf, guint32 type)
{
    for (guint i = 0; i < elf->n_sections; i++) {
        if (elf->sections[i].sh_type == type) {
            return &elf->sections[i];
        }
    }
    return NULL;
}

static gboolean
has_name (const PythonElf *elf, const Elf64_Shdr *strings, guint32 offset, const char *name)
{
    char found[64];
    gsize size = strlen (name) + 1;

    return size <= sizeof found && offset < strings->sh_size
           && size <= strings->sh_size - offset
           && read_at (elf, strings->sh_offset + offset, found, size)
           && memcmp (found, name, size) == 0;
}

static const Elf64_Shdr *
get_strings (const PythonElf *elf, const Elf64_Shdr *symbols)
{
    return symbols->sh_link < elf->n_sections ? &elf->sections[symbols->sh_link] : NULL;
}

static gboolean
take_symbol (const Elf64_Sym *symbol, guint64 *ret_address, guint64 *ret_size)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0) {
        return FALSE;
    }
    *ret_address = symbol->st_value;
    *ret_size = symbol->st_size;
    return TRUE;
}

static guint32
hash_name (const char *name)
{
    guint32 hash = 5381;

    for (; *name != '\0'; name++) {
        hash = hash * 33 + (guint8) *name;
    }
    return hash;
}

/* The DT_GNU_HASH table: header of four words, Bloom filter, buckets, chains. */
static gboolean
find_by_hash (const PythonElf *elf, const Elf64_Shdr *table, const Elf64_Shdr *symbols,
              const char *name, guint64 *ret_address, guint64 *ret_size)
{
    const Elf64_Shdr *strings = get_strings (elf, symbols);
    guint32 head[4]; /* buckets, first symbol, Bloom words, shift */
    guint32 hash = hash_name (name);
    guint64 buckets;
    guint32 index;

    if (strings == NULL || !read_at (elf, table->sh_offset, head, sizeof head)
        || head[0] == 0) {
        return FALSE;
    }
    buckets = table->sh_offset + 16 + (guint64) head[2] * 8;
    if (!read_at (elf, buckets + (guint64) (hash % head[0]) * 4, &index, 4)
        || index < head[1]) {
        return FALSE;
    }
    for (guint i = 0; i < MAX_CHAIN; i++, index++) {
        guint32 link;
        Elf64_Sym symbol;

        if (!read_at (elf, buckets + (guint64) head[0] * 4 + (guint64) (index - head[1]) * 4,
                      &link, 4)) {
            return FALSE;
        }
        if ((link | 1) == (hash | 1)
            && read_at (elf, symbols->sh_offset + (guint64) index * sizeof symbol, &symbol,
                        sizeof symbol)
            && has_name (elf, strings, symbol.st_name, name)) {
            return take_symbol (&symbol, ret_address, ret_size);
        }
        if ((link & 1) != 0) {
            return FALSE;
        }
    }
    return FALSE;
}

static gboolean
find_by_scan (const PythonElf *elf, const Elf64_Shdr *symbols, const char *name,
              guint64 *ret_address, guint64 *ret_size)
{
    const Elf64_Shdr *strings = get_strings (elf, symbols);
    gsize count = symbols->sh_size / sizeof (Elf64_Sym);
    g_autofree Elf64_Sym *all = NULL;

    if (strings == NULL || count == 0 || count > MAX_SYMBOLS) {
        return FALSE;
    }
    all = g_new (Elf64_Sym, count);
    if (!read_at (elf, symbols->sh_offset, all, count * sizeof (Elf64_Sym))) {
        return FALSE;
    }
    for (gsize i = 0; i < count; i++) {
        if (all[i].st_shndx != SHN_UNDEF && has_name (elf, strings, all[i].st_name, name)) {
            return take_symbol (&all[i], ret_address, ret_size);
        }
    }
    return FALSE;
}

gboolean
python_elf_find_symbol (PythonElf *elf, const char *name, guint64 *ret_address,
                        guint64 *ret_size)
{
    const Elf64_Shdr *table = find_by_type (elf, SHT_GNU_HASH);
    const Elf64_Shdr *symbols = find_by_type (elf, SHT_DYNSYM);

    if (symbols == NULL) {
        return FALSE;
    }
    return table != NULL ? find_by_hash (elf, table, symbols, name, ret_address, ret_size)
                         : find_by_scan (elf, symbols, name, ret_address, ret_size);
}

gboolean
python_elf_find_section (PythonElf *elf, const char *name, guint64 *ret_address)
{
    const Elf64_Shdr *strings = &elf->sections[elf->names];

    for (guint i = 0; i < elf->n_sections; i++) {
        if (elf->sections[i].sh_addr != 0
            && has_name (elf, strings, elf->sections[i].sh_name, name)) {
            *ret_address = elf->sections[i].sh_addr;
            return TRUE;
        }
    }
    return FALSE;
}
