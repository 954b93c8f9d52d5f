/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory of a process that is no more, as far as its files alone tell it: what the loader had put into
 * each segment before the program's first instruction. Relocations are done where the
 * file itself says their result; what another file decides is not known. */
#include "machine/relocation.h"
#include "stack/modules-private.h"
#include "base/array.h"
#include <glib/gi18n.h>
#include <string.h>

#define MAX_DYNAMIC (64u << 10)
#define MAX_RELOCATIONS (64u << 20) /* bytes */

typedef enum {
    FIXUP_BIASED,  /* 8 bytes are value + where the file is loaded */
    FIXUP_OWN,     /* the same where nobody can come before this file: in the program itself */
    FIXUP_UNKNOWN, /* size bytes that another file decides */
} FixupKind;

typedef struct {
    guint64 address; /* as linked */
    guint64 value;
    guint32 size;
    FixupKind kind;
} Fixup;

/* Of one file, for all processes that have it. */
typedef struct {
    int ref_count;
    StackFile *file;
    GArray *fixups;     /* of Fixup, sorted */
    gboolean is_broken; /* its tables cannot be read: nothing that can be written is known */
} Fixups;

typedef struct {
    guint64 symbols, table, table_size, jumps, jumps_size, relative, relative_size;
} Tables;

struct _StackContents {
    BaseMemoryReader reader;
    StackModules *modules;
    GHashTable *fixups; /* StackFile to Fixups */
    gboolean was_used;
};

static GHashTable *known_fixups; /* StackFile to Fixups, borrowed */

static void
unref_fixups (gpointer data)
{
    Fixups *fixups = data;

    if (--fixups->ref_count > 0) {
        return;
    }
    g_hash_table_remove (known_fixups, fixups->file);
    stack_file_unref (fixups->file);
    g_array_unref (fixups->fixups);
    g_free (fixups);
}

static const Elf64_Phdr *
find_segment (const StackFile *file, guint64 address)
{
    guint n_headers;
    const Elf64_Phdr *headers = stack_file_get_headers (file, &n_headers);

    return BASE_CHOOSE (i, n_headers,
                        headers[i].p_type == PT_LOAD && address >= headers[i].p_vaddr
                            && address - headers[i].p_vaddr < headers[i].p_memsz,
                        &headers[i], NULL);
}

/* As the file has it, at an address as linked. */
static gboolean
read_linked (StackFile *file, guint64 address, void *data, gsize size)
{
    const Elf64_Phdr *segment = find_segment (file, address);
    guint64 within = segment != NULL ? address - segment->p_vaddr : 0;

    return segment != NULL && within < segment->p_filesz && size <= segment->p_filesz - within
           && stack_file_read (file, segment->p_offset + within, data, size);
}

static void
note_entry (const Elf64_Dyn *entry, Tables *tables)
{
    guint64 value = entry->d_un.d_val;

    switch (entry->d_tag) {
    case DT_SYMTAB: tables->symbols = value; break;
    case DT_RELA: tables->table = value; break;
    case DT_RELASZ: tables->table_size = value; break;
    case DT_JMPREL: tables->jumps = value; break;
    case DT_PLTRELSZ: tables->jumps_size = value; break;
    case DT_RELR: tables->relative = value; break;
    case DT_RELRSZ: tables->relative_size = value; break;
    default: break;
    }
}

static gboolean
read_tables (StackFile *file, Tables *tables)
{
    guint n_headers;
    const Elf64_Phdr *headers = stack_file_get_headers (file, &n_headers);

    for (guint i = 0; i < n_headers; i++) {
        gsize size = headers[i].p_type == PT_DYNAMIC ? MIN (headers[i].p_filesz, MAX_DYNAMIC)
                                                     : 0;
        g_autofree Elf64_Dyn *entries = g_malloc0 (size + sizeof *entries);

        if (size > 0 && !stack_file_read (file, headers[i].p_offset, entries, size)) {
            return FALSE;
        }
        for (gsize j = 0; j < size / sizeof *entries && entries[j].d_tag != DT_NULL; j++) {
            note_entry (&entries[j], tables);
        }
    }
    return TRUE;
}

static gboolean
is_defined (const Elf64_Sym *symbol)
{
    guint type = ELF64_ST_TYPE (symbol->st_info);

    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_value != 0
           && (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE);
}

static gboolean
add_relocation (Fixups *fixups, const Tables *tables, const Elf64_Rela *relocation)
{
    guint size;
    MachineRelocation kind = machine_relocation_find (ELF64_R_TYPE (relocation->r_info), &size);
    guint64 number = ELF64_R_SYM (relocation->r_info);
    Elf64_Sym symbol = { 0 };
    Fixup fixup = { .address = relocation->r_offset, .kind = FIXUP_UNKNOWN };

    if (kind == MACHINE_RELOCATION_NONE) {
        return TRUE;
    }
    if (number != 0
        && !read_linked (fixups->file, tables->symbols + number * sizeof symbol, &symbol,
                         sizeof symbol)) {
        return FALSE;
    }
    fixup.size = kind == MACHINE_RELOCATION_COPY ? (guint32) MIN (symbol.st_size, G_MAXUINT32)
                                                 : size;
    if (kind == MACHINE_RELOCATION_BIAS) {
        fixup.kind = FIXUP_BIASED;
        fixup.value = (guint64) relocation->r_addend;
    } else if (kind == MACHINE_RELOCATION_ADDRESS && is_defined (&symbol)) {
        fixup.kind = FIXUP_OWN;
        fixup.value = symbol.st_value + (guint64) relocation->r_addend;
    }
    if (fixup.size > 0) {
        g_array_append_val (fixups->fixups, fixup);
    }
    return TRUE;
}

static gboolean
add_table (Fixups *fixups, const Tables *tables, guint64 address, guint64 size)
{
    g_autofree Elf64_Rela *table = size <= MAX_RELOCATIONS ? g_malloc (size + sizeof *table)
                                                           : NULL;

    if (size == 0) {
        return TRUE;
    }
    if (table == NULL || !read_linked (fixups->file, address, table, size)) {
        return FALSE;
    }
    return BASE_ALL (i, size / sizeof *table, add_relocation (fixups, tables, &table[i]));
}

/* The word that stands there is what is added to. */
static gboolean
add_relative (Fixups *fixups, guint64 address)
{
    Fixup fixup = { .address = address, .size = 8, .kind = FIXUP_BIASED };

    if (!read_linked (fixups->file, address, &fixup.value, sizeof fixup.value)) {
        return FALSE;
    }
    g_array_append_val (fixups->fixups, fixup);
    return TRUE;
}

/* DT_RELR (gABI, "Relative relocation table"): an address, or bits for the 63 words behind the last ones. */
static gboolean
add_packed (Fixups *fixups, guint64 address, guint64 size)
{
    g_autofree guint64 *words = size <= MAX_RELOCATIONS ? g_malloc (size + sizeof *words)
                                                        : NULL;
    guint64 next = 0;

    if (size == 0) {
        return TRUE;
    }
    if (words == NULL || !read_linked (fixups->file, address, words, size)) {
        return FALSE;
    }
    for (gsize i = 0; i < size / sizeof *words; i++) {
        if ((words[i] & 1) == 0) {
            if (!add_relative (fixups, words[i])) {
                return FALSE;
            }
            next = words[i] + 8;
            continue;
        }
        for (guint bit = 1; bit < 64; bit++) {
            if ((words[i] >> bit & 1) != 0 && !add_relative (fixups, next + (bit - 1) * 8)) {
                return FALSE;
            }
        }
        next += 63 * 8;
    }
    return TRUE;
}

BASE_ORDER (compare_fixups, Fixup, BASE_BY (address))

static Fixups *
read_fixups (StackFile *file)
{
    Fixups *fixups = g_new0 (Fixups, 1);
    Tables tables = { 0 };

    fixups->file = stack_file_ref (file);
    fixups->fixups = g_array_new (FALSE, FALSE, sizeof (Fixup));
    fixups->is_broken = !read_tables (file, &tables)
                        || !add_table (fixups, &tables, tables.table, tables.table_size)
                        || !add_table (fixups, &tables, tables.jumps, tables.jumps_size)
                        || !add_packed (fixups, tables.relative, tables.relative_size);
    g_array_sort (fixups->fixups, compare_fixups);
    return fixups;
}

static const Fixups *
find_fixups (StackContents *contents, StackFile *file)
{
    Fixups *fixups = g_hash_table_lookup (contents->fixups, file);

    if (fixups != NULL) {
        return fixups;
    }
    if (known_fixups == NULL) {
        known_fixups = g_hash_table_new (NULL, NULL);
    }
    fixups = g_hash_table_lookup (known_fixups, file);
    if (fixups == NULL) {
        fixups = read_fixups (file);
        g_hash_table_insert (known_fixups, file, fixups);
    }
    fixups->ref_count++;
    g_hash_table_insert (contents->fixups, file, fixups);
    return fixups;
}

/* The first that ends behind the address. */
static guint
find_first (const GArray *fixups, guint64 address)
{
    return BASE_BISECT (middle, 0, fixups->len,
                        g_array_index (fixups, Fixup, middle).address
                                + g_array_index (fixups, Fixup, middle).size
                            <= address);
}

/* The bytes of [address, address + size), as linked, from the first of them on that are known. */
static gsize
apply_fixups (const Fixups *fixups, const StackModule *module, guint64 address, guint8 *data,
              gsize size)
{
    for (guint i = find_first (fixups->fixups, address); i < fixups->fixups->len; i++) {
        const Fixup *fixup = &g_array_index (fixups->fixups, Fixup, i);
        guint64 value = fixup->value + module->bias;

        if (fixup->address >= address + size) {
            break;
        }
        if (fixup->kind == FIXUP_UNKNOWN
            || (fixup->kind == FIXUP_OWN && !module->is_executable)) {
            return fixup->address > address ? (gsize) (fixup->address - address) : 0;
        }
        for (guint j = 0; j < 8; j++) {
            guint64 at = fixup->address + j;

            if (at >= address && at < address + size) {
                data[at - address] = ((const guint8 *) &value)[j];
            }
        }
    }
    return size;
}

/* Of one segment at most. */
static gsize
read_piece (StackContents *contents, guint64 address, guint8 *data, gsize size)
{
    StackModuleEntry *entry = stack_modules_find_entry (contents->modules, address);
    guint64 linked = entry != NULL ? address - entry->module.bias : 0;
    const Elf64_Phdr *segment = entry != NULL ? find_segment (entry->file, linked) : NULL;
    const Fixups *fixups;
    guint64 within;
    gsize from_file;

    if (segment == NULL || stack_module_is_gone (&entry->module)) {
        return 0;
    }
    fixups = find_fixups (contents, entry->file);
    within = linked - segment->p_vaddr;
    size = MIN (size, segment->p_memsz - within);
    from_file = within < segment->p_filesz ? MIN (size, segment->p_filesz - within) : 0;
    if (from_file > 0
        && !stack_file_read (entry->file, segment->p_offset + within, data, from_file)) {
        return 0;
    }
    memset (data + from_file, 0, size - from_file);
    if (segment->p_flags & PF_W) {
        contents->was_used = TRUE;
        if (fixups->is_broken) {
            return 0;
        }
    }
    return apply_fixups (fixups, &entry->module, linked, data, size);
}

static void
read_items (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    StackContents *contents = (StackContents *) reader;

    for (guint i = 0; i < n_items; i++) {
        items[i].done = 0;
        while (items[i].done < items[i].size) {
            gsize done = read_piece (contents, items[i].address + items[i].done,
                                     (guint8 *) items[i].data + items[i].done,
                                     items[i].size - items[i].done);

            items[i].done += done;
            if (done == 0) {
                break;
            }
        }
    }
}

static const char *
find_loss (BaseMemoryReader *reader, guint64 address)
{
    const StackModuleEntry *entry
        = stack_modules_find_entry (((StackContents *) reader)->modules, address);

    return entry == NULL                           ? N_ ("gone with the process")
           : stack_module_is_gone (&entry->module) ? N_ ("in a file that is no longer there")
                                                   : N_ ("set by the loader");
}

StackContents *
stack_contents_new (StackModules *modules)
{
    StackContents *contents = g_new0 (StackContents, 1);

    contents->reader.read = read_items;
    contents->reader.find_loss = find_loss;
    contents->modules = modules;
    contents->fixups = g_hash_table_new_full (NULL, NULL, NULL, unref_fixups);
    modules->memory = &contents->reader;
    modules->pid = 0; /* it may be another process's by now */
    for (guint i = 0; i < modules->entries->len; i++) {
        ((StackModuleEntry *) g_ptr_array_index (modules->entries, i))->pid = 0;
    }
    return contents;
}

BASE_FREE_PUBLIC (stack_contents_free, StackContents, contents,
                  g_hash_table_unref (contents->fixups))

BaseMemoryReader *
stack_contents_get_memory (StackContents *contents)
{
    return &contents->reader;
}

void
stack_contents_reset_used (StackContents *contents)
{
    contents->was_used = FALSE;
}

gboolean
stack_contents_was_used (const StackContents *contents)
{
    return contents->was_used;
}
