/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the ELF container: headers, sections, compression, symbols, and the paths of separate
 * debug files. dwarf.c reads .debug_*. */
#include "symbol/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/array.h"
#include "base/elf.h"
#include "base/error.h"
#include "symbol/identity.h"

#define MAX_INFLATED (G_GUINT64_CONSTANT (4) << 30)
#define INFLATED_AT_LEAST (G_GUINT64_CONSTANT (256) << 20)
#define INFLATED_RATIO 64
#define COMPRESSED_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older <elf.h> do not know */

void
symbol_elf_free (SymbolElf *elf)
{
    if (!elf)
        return;
    for (guint i = 0; i < elf->n_sections; i++)
        g_free (elf->sections[i].owned);
    g_free (elf->sections);
    if (elf->map)
        g_mapped_file_unref (elf->map);
    g_free (elf->build_id);
    g_free (elf->fetched);
    g_free (elf->path);
    g_free (elf);
}

static gboolean
is_inside (const SymbolElf *elf, guint64 offset, guint64 size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

static const char *
find_name (const SymbolElf *elf, const Elf64_Shdr *strings, guint32 offset)
{
    if (!is_inside (elf, strings->sh_offset, strings->sh_size) || offset >= strings->sh_size)
        return "";
    const char *start = (const char *) elf->data + strings->sh_offset + offset;
    return memchr (start, 0, strings->sh_size - offset) ? start : "";
}

static void
read_sections (SymbolElf *elf, const BaseElfHeader *header)
{
    guint n = header->n_sections;
    if (header->sections % 8
        || !is_inside (elf, header->sections, (guint64) n * sizeof (Elf64_Shdr))
        || header->names >= n)
        return;
    const Elf64_Shdr *table = (const Elf64_Shdr *) (elf->data + header->sections);
    elf->sections = g_new0 (SymbolSection, n);
    elf->n_sections = n;
    for (guint i = 0; i < n; i++) {
        SymbolSection *section = &elf->sections[i];
        section->name = find_name (elf, &table[header->names], table[i].sh_name);
        section->type = table[i].sh_type;
        section->flags = table[i].sh_flags;
        section->address = table[i].sh_addr;
        section->offset = table[i].sh_offset;
        section->file_size = table[i].sh_size;
        section->entry_size = table[i].sh_entsize;
        section->link = table[i].sh_link;
    }
}

static void
read_build_id (SymbolElf *elf)
{
    const SymbolSection *note = symbol_elf_find_section (elf, ".note.gnu.build-id");
    if (note && note->data)
        elf->build_id = base_elf_dup_build_id (note->data, note->size);
}

static struct {
    SymbolElfWitness tell;
    gpointer user;
} witness;

void
symbol_elf_set_witness (SymbolElfWitness tell, gpointer user)
{
    witness.tell = tell;
    witness.user = user;
}

static void
tell_witness (const char *path, int fd)
{
    if (!witness.tell)
        return;
    g_autofree char *identity = fd >= 0 ? symbol_identity_read_fd (fd) : g_strdup ("-");
    witness.tell (path, identity, witness.user);
}

/* The name in a file may lead to a pipe or a device. */
static GMappedFile *
map_file (const char *path, GError **error)
{
    g_autoptr (GError) local = NULL;
    struct stat info;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int reason = errno;
    tell_witness (path, fd);
    if (fd < 0) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot open %s: %s", path,
                        g_strerror (reason));
        return NULL;
    }
    gboolean is_file = fstat (fd, &info) == 0 && S_ISREG (info.st_mode);
    GMappedFile *map = is_file ? g_mapped_file_new_from_fd (fd, FALSE, &local) : NULL;
    close (fd);
    if (!is_file)
        base_error_set (error, BASE_ERROR_CORRUPT, "cannot read %s: it is not a regular file",
                        path);
    else if (!map)
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot open %s: %s", path,
                        local->message);
    return map;
}

SymbolElf *
symbol_elf_open (const char *path, GError **error)
{
    g_autoptr (SymbolElf) elf = g_new0 (SymbolElf, 1);
    elf->path = g_strdup (path);
    elf->map = map_file (path, error);
    if (!elf->map)
        return NULL;
    elf->data = (const guint8 *) g_mapped_file_get_contents (elf->map);
    elf->size = g_mapped_file_get_length (elf->map);
    const BaseElfImage image = base_elf_in_bytes (elf->data, elf->size);
    BaseElfHeader header;
    if (base_elf_read_type (&image) == ET_NONE) {
        base_error_set (error, BASE_ERROR_CORRUPT, "cannot read %s: not an ELF file", path);
        return NULL;
    }
    if (!base_elf_read_header (&image, &header)) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot read %s: not a 64-bit little-endian file", path);
        return NULL;
    }
    elf->machine = header.machine;
    if (header.segments % 8 == 0
        && is_inside (elf, header.segments,
                      (guint64) header.n_segments * sizeof (Elf64_Phdr))) {
        elf->segments = (const Elf64_Phdr *) (elf->data + header.segments);
        elf->n_segments = header.n_segments;
    }
    read_sections (elf, &header);
    read_build_id (elf);
    return g_steal_pointer (&elf);
}

static gboolean
inflate_bytes (guint8 *to, guint64 full, const guint8 *from, gsize size, gboolean zstd)
{
    if (zstd)
        return ZSTD_decompress (to, full, from, size) == full;
    uLongf length = full;
    return uncompress (to, &length, from, size) == Z_OK && length == full;
}

/* Sizes in headers are untrusted. zlib expands a byte to at most 1032; zstd could reach 32768,
 * but no debug information comes near that. All sections of a file share one budget. */
static gboolean
is_believable (const SymbolElf *elf, gsize size, guint64 full)
{
    guint64 budget = INFLATED_AT_LEAST + (guint64) elf->size * INFLATED_RATIO;
    return full <= MAX_INFLATED && full / 1100 <= size + 64 && elf->inflated + full <= budget;
}

static gboolean
inflate_section (SymbolElf *elf, SymbolSection *section, const guint8 *from, gsize size,
                 guint64 full, gboolean zstd)
{
    if (!is_believable (elf, size, full))
        return FALSE;
    section->owned = g_try_malloc (full ? full : 1);
    if (!section->owned || !inflate_bytes (section->owned, full, from, size, zstd)) {
        g_clear_pointer (&section->owned, g_free);
        return FALSE;
    }
    section->data = section->owned;
    section->size = full;
    elf->inflated += full;
    return TRUE;
}

static void
load_section (SymbolElf *elf, SymbolSection *section, gboolean zdebug)
{
    section->loaded = TRUE;
    if (section->type == SHT_NOBITS || !is_inside (elf, section->offset, section->file_size))
        return;
    const guint8 *data = elf->data + section->offset;
    gsize size = section->file_size;
    if (section->flags & SHF_COMPRESSED) {
        Elf64_Chdr header;
        if (size < sizeof header)
            return;
        memcpy (&header, data, sizeof header);
        if (header.ch_type == ELFCOMPRESS_ZLIB || header.ch_type == COMPRESSED_ZSTD)
            inflate_section (elf, section, data + sizeof header, size - sizeof header,
                             header.ch_size, header.ch_type == COMPRESSED_ZSTD);
    } else if (zdebug) {
        guint64 full;
        if (size < 12 || memcmp (data, "ZLIB", 4) != 0)
            return;
        memcpy (&full, data + 4, 8);
        inflate_section (elf, section, data + 12, size - 12, GUINT64_FROM_BE (full), FALSE);
    } else {
        section->data = data;
        section->size = size;
    }
}

static gboolean
is_section (const SymbolSection *section, const char *name, gboolean *ret_zdebug)
{
    *ret_zdebug = g_str_has_prefix (section->name, ".zdebug_") && name[0] == '.'
                  && strcmp (section->name + 2, name + 1) == 0;
    return *ret_zdebug || strcmp (section->name, name) == 0;
}

gboolean
symbol_elf_has_section (const SymbolElf *elf, const char *name)
{
    gboolean zdebug;
    return BASE_ANY (i, elf->n_sections,
                     is_section (&elf->sections[i], name, &zdebug)
                         && elf->sections[i].type != SHT_NOBITS && elf->sections[i].file_size);
}

const SymbolSection *
symbol_elf_find_section (SymbolElf *elf, const char *name)
{
    return symbol_elf_find_next (elf, name, NULL);
}

const SymbolSection *
symbol_elf_find_next (SymbolElf *elf, const char *name, const SymbolSection *after)
{
    for (guint i = after ? after - elf->sections + 1 : 0; i < elf->n_sections; i++) {
        SymbolSection *section = &elf->sections[i];
        gboolean zdebug;
        if (!is_section (section, name, &zdebug))
            continue;
        if (!section->loaded)
            load_section (elf, section, zdebug);
        if (section->data && section->size)
            return section;
    }
    return NULL;
}

static SymbolElf *
try_debug (const SymbolElf *elf, const char *path, const guint32 *crc)
{
    g_autoptr (SymbolElf) debug = symbol_elf_open (path, NULL);
    if (!debug || !symbol_elf_has_section (debug, ".debug_info"))
        return NULL;
    if (elf->build_id && debug->build_id)
        return strcmp (elf->build_id, debug->build_id) ? NULL : g_steal_pointer (&debug);
    if (crc && crc32 (0, debug->data, debug->size) != *crc)
        return NULL;
    return g_steal_pointer (&debug);
}

static SymbolElf *
try_debug_link (SymbolElf *elf)
{
    const SymbolSection *link = symbol_elf_find_section (elf, ".gnu_debuglink");
    const guint8 *end = link ? memchr (link->data, 0, link->size) : NULL;
    if (!end || strchr ((const char *) link->data, '/'))
        return NULL;
    gsize crc_at = ((gsize) (end - link->data) + 4) & ~(gsize) 3;
    if (crc_at + 4 > link->size)
        return NULL;
    guint32 crc;
    memcpy (&crc, link->data + crc_at, 4);
    const char *name = (const char *) link->data;
    g_autofree char *folder = g_path_get_dirname (elf->path);
    g_autofree char *beside = g_build_filename (folder, name, NULL);
    g_autofree char *hidden = g_build_filename (folder, ".debug", name, NULL);
    g_autofree char *global = g_build_filename ("/usr/lib/debug", folder, name, NULL);
    const char *paths[] = { beside, hidden, global };
    for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
        SymbolElf *debug = try_debug (elf, paths[i], &crc);
        if (debug)
            return debug;
    }
    return NULL;
}

SymbolElf *
symbol_elf_open_debug (SymbolElf *elf)
{
    if (symbol_elf_has_section (elf, ".debug_info"))
        return NULL;
    if (elf->build_id) {
        g_autofree char *path = g_strdup_printf ("/usr/lib/debug/.build-id/%.2s/%s.debug",
                                                 elf->build_id, elf->build_id + 2);
        SymbolElf *debug = try_debug (elf, path, NULL);
        if (debug)
            return debug;
    }
    SymbolElf *linked = try_debug_link (elf);
    return linked || !elf->fetched ? linked : try_debug (elf, elf->fetched, NULL);
}

const guint8 *
symbol_elf_find_bytes (const SymbolElf *elf, guint64 address, gsize size)
{
    for (guint i = 0; i < elf->n_segments; i++) {
        const Elf64_Phdr *segment = &elf->segments[i];
        guint64 inside = address - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr
            && inside < segment->p_filesz && size <= segment->p_filesz - inside
            && is_inside (elf, segment->p_offset, segment->p_filesz))
            return elf->data + segment->p_offset + inside;
    }
    return NULL;
}

gboolean
symbol_elf_is_code (const SymbolElf *elf, guint64 address)
{
    for (guint i = 0; i < elf->n_segments; i++) {
        const Elf64_Phdr *segment = &elf->segments[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)
            && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_memsz)
            return TRUE;
    }
    return FALSE;
}

void
symbol_elf_read_symbols (SymbolElf *elf, GArray *symbols)
{
    const SymbolSection *table = symbol_elf_find_section (elf, ".symtab");
    gboolean is_whole = table != NULL;
    if (!table)
        table = symbol_elf_find_section (elf, ".dynsym");
    if (!table || table->link >= elf->n_sections)
        return;
    SymbolSection *strings = &elf->sections[table->link];
    if (!strings->loaded)
        load_section (elf, strings, FALSE);
    if (!strings->data || !strings->size || strings->data[strings->size - 1] != 0)
        return;
    gsize n = table->size / sizeof (Elf64_Sym);
    guint n_found = symbols->len;
    if (n > G_MAXINT32 / sizeof (SymbolElfSymbol) - n_found)
        return;
    g_array_set_size (symbols, n_found + n);
    for (gsize i = 0; i < n; i++) {
        Elf64_Sym symbol;
        memcpy (&symbol, table->data + i * sizeof symbol, sizeof symbol);
        guint type = ELF64_ST_TYPE (symbol.st_info);
        /* labels in sections that are never in memory have no address */
        gboolean is_loaded = symbol.st_shndx >= elf->n_sections
                             || elf->sections[symbol.st_shndx].flags & SHF_ALLOC;
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || !is_loaded
            || (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE
                && type != STT_GNU_IFUNC)
            || symbol.st_name >= strings->size || !strings->data[symbol.st_name])
            continue;
        /* the compiler's own labels, which mold keeps */
        if (type == STT_NOTYPE && ELF64_ST_BIND (symbol.st_info) == STB_LOCAL
            && strncmp ((const char *) strings->data + symbol.st_name, ".L", 2) == 0)
            continue;
        SymbolElfSymbol found = { (const char *) strings->data + symbol.st_name,
                                  symbol.st_value,
                                  symbol.st_size,
                                  type,
                                  ELF64_ST_BIND (symbol.st_info),
                                  0 };
        if (is_whole && symbol.st_shndx < elf->n_sections
            && (type == STT_NOTYPE || (type == STT_FUNC && symbol.st_size == 0))) {
            const SymbolSection *section = &elf->sections[symbol.st_shndx];
            if (section->flags & SHF_EXECINSTR)
                found.code_end = section->address + section->file_size;
        }
        g_array_index (symbols, SymbolElfSymbol, n_found++) = found;
    }
    g_array_set_size (symbols, n_found);
}
