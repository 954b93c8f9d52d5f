/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols by the GNU hash table (a handful of small reads), by a scan where there is none. The
 * file is read, never mapped: it may be cut short while we look. */
#include "base/array.h"
#include "base/elf.h"
#include "machine/registers.h"
#include "python/elf-private.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SECTIONS 4096u

struct _PythonElf {
    BaseElfImage image;
    Elf64_Shdr *sections;
    guint n_sections;
    guint names; /* index of the section of section names */
};

static gboolean
read_sections (PythonElf *elf)
{
    const BaseElfImage *image = &elf->image;
    BaseElfHeader header;

    if (!base_elf_read_header (image, &header) || header.machine != machine_elf_number
        || header.n_sections == 0 || header.n_sections > MAX_SECTIONS
        || header.names >= header.n_sections) {
        return FALSE;
    }
    elf->n_sections = header.n_sections;
    elf->names = header.names;
    elf->sections = g_new0 (Elf64_Shdr, elf->n_sections);
    return base_elf_read_sections (image, &header, elf->sections);
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
    elf->image = base_elf_in_file (fd);
    if (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode) || !read_sections (elf)) {
        python_elf_free (elf);
        return NULL;
    }
    return elf;
}

BASE_FREE_PUBLIC (python_elf_free, PythonElf, elf, close (elf->image.fd);
                  g_free (elf->sections))

static const Elf64_Shdr *
find_by_type (const PythonElf *elf, guint32 type)
{
    return BASE_CHOOSE (i, elf->n_sections, elf->sections[i].sh_type == type, &elf->sections[i],
                        NULL);
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

typedef struct {
    const PythonElf *elf;
    const Elf64_Shdr *symbols, *strings;
    const char *name;
    Elf64_Sym symbol;
} Search;

static gboolean
is_it (guint32 index, gpointer user)
{
    Search *search = user;
    const BaseElfImage *image = &search->elf->image;

    return image->read (image,
                        search->symbols->sh_offset + (guint64) index * sizeof search->symbol,
                        &search->symbol, sizeof search->symbol)
           && base_elf_is_text (image, search->strings, search->symbol.st_name, search->name);
}

static gboolean
find_by_hash (const PythonElf *elf, const Elf64_Shdr *table, const Elf64_Shdr *symbols,
              const char *name, guint64 *ret_address, guint64 *ret_size)
{
    Search search = { elf, symbols, get_strings (elf, symbols), name, { 0 } };

    return search.strings != NULL
           && base_elf_find_hashed (&elf->image, table->sh_offset, name, is_it, &search)
           && take_symbol (&search.symbol, ret_address, ret_size);
}

static gboolean
find_by_scan (const PythonElf *elf, const Elf64_Shdr *symbols, const char *name,
              guint64 *ret_address, guint64 *ret_size)
{
    const Elf64_Shdr *strings = get_strings (elf, symbols);
    Elf64_Sym symbol;

    return strings != NULL
           && base_elf_find_symbol (&elf->image, symbols, strings, name, &symbol)
           && take_symbol (&symbol, ret_address, ret_size);
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
            && base_elf_is_text (&elf->image, strings, elf->sections[i].sh_name, name)) {
            *ret_address = elf->sections[i].sh_addr;
            return TRUE;
        }
    }
    return FALSE;
}
