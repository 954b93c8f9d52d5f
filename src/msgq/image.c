/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds symbols and types by name: opens each file and collects its names when first needed, in
 * the order of the modules. */
#include "msgq/image.h"
#include "symbol/dwarf.h"
#include "base/array.h"
#include <string.h>

#define MAX_TYPEDEFS 20

typedef struct {
    char *path;
    guint64 bias;
    gboolean was_opened;
    SymbolDwarf *dwarf;  /* NULL: it cannot be read */
    GHashTable *symbols; /* name to guint64; names are the file's */
    GHashTable *types;   /* name to guint64, the entry's offset */
} File;

struct _MsgqType {
    const SymbolDwarf *dwarf;
    SymbolDie die;
};

struct _MsgqImage {
    GPtrArray *files; /* of File */
    guint n_program;  /* the program's own; others provide types */
    char *folder;     /* of the others, which are looked for when a type is missing; NULL */
    GPtrArray *types; /* of MsgqType that were given out */
    MsgqTheirs *theirs;
};

BASE_FREE (free_file, File, file, g_clear_pointer (&file->symbols, g_hash_table_unref);
           g_clear_pointer (&file->types, g_hash_table_unref); symbol_dwarf_free (file->dwarf);
           g_free (file->path))

static void
add_file (MsgqImage *image, const char *path, guint64 bias)
{
    File *file = g_new0 (File, 1);

    file->path = g_strdup (path);
    file->bias = bias;
    g_ptr_array_add (image->files, file);
}

MsgqImage *
msgq_image_new (const GArray *modules, const char *types)
{
    MsgqImage *image = g_new0 (MsgqImage, 1);

    image->files = g_ptr_array_new_with_free_func (free_file);
    image->types = g_ptr_array_new_with_free_func (g_free);
    BASE_EACH_ROW (modules, const MsgqModule, module) {
        add_file (image, module->path, module->bias);
    }
    image->n_program = image->files->len;
    image->folder = g_strdup (types);
    return image;
}

void
msgq_image_move (MsgqImage *image, const GArray *modules)
{
    for (guint i = 0; i < image->n_program && i < modules->len; i++) {
        ((File *) g_ptr_array_index (image->files, i))->bias
            = g_array_index (modules, MsgqModule, i).bias;
    }
}

BASE_FREE_PUBLIC (msgq_image_free, MsgqImage, image, g_ptr_array_unref (image->types);
                  g_ptr_array_unref (image->files); g_free (image->folder))

MsgqTheirs **
msgq_image_get_theirs (MsgqImage *image)
{
    return &image->theirs;
}

static SymbolDwarf *
open_file (File *file)
{
    SymbolElf *elf;

    if (!file->was_opened) {
        file->was_opened = TRUE;
        elf = symbol_elf_open (file->path, NULL);
        file->dwarf = elf != NULL ? symbol_dwarf_new (elf) : NULL;
    }
    return file->dwarf;
}

/* ---- symbols ---- */

static void
add_symbols (GHashTable *names, SymbolElf *elf)
{
    g_autoptr (GArray) symbols = g_array_new (FALSE, FALSE, sizeof (SymbolElfSymbol));

    symbol_elf_read_symbols (elf, symbols);
    BASE_EACH_ROW (symbols, SymbolElfSymbol, symbol) {
        if ((symbol->type == STT_OBJECT || symbol->type == STT_FUNC
             || symbol->type == STT_NOTYPE)
            && !g_hash_table_contains (names, symbol->name)) {
            g_hash_table_insert (names, (gpointer) symbol->name,
                                 g_memdup2 (&symbol->address, sizeof symbol->address));
        }
    }
}

gboolean
msgq_image_find_symbol (MsgqImage *image, const char *name, MsgqAddress *ret_address)
{
    for (guint i = 0; i < image->n_program; i++) {
        File *file = g_ptr_array_index (image->files, i);
        SymbolDwarf *dwarf = open_file (file);
        const guint64 *address;

        if (dwarf == NULL) {
            continue;
        }
        if (file->symbols == NULL) {
            file->symbols = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
            add_symbols (file->symbols, dwarf->elf);
            if (dwarf->debug != NULL && dwarf->debug != dwarf->elf) {
                add_symbols (file->symbols, dwarf->debug);
            }
        }
        address = g_hash_table_lookup (file->symbols, name);
        if (address != NULL) {
            *ret_address = *address + file->bias;
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- types ---- */

static gboolean
is_type (guint32 tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_typedef
           || tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type;
}

/* A typedef goes before the structure of the same name: both lead to the same one. */
static void
collect_types (SymbolDwarf *dwarf, GHashTable *types)
{
    BASE_EACH (dwarf->units, const SymbolUnit, unit) {
        SymbolDie top, die;
        SymbolValue value;
        gboolean is_there = symbol_unit_is_read (unit)
                            && symbol_die_read (dwarf, unit, unit->first_die, &top)
                            && symbol_die_first_child (dwarf, &top, &die);

        for (; is_there; is_there = symbol_die_next (dwarf, &die, &die)) {
            const char *name = is_type (die.tag) ? symbol_die_get_name (dwarf, &die) : NULL;

            if (name != NULL && !g_hash_table_contains (types, name)
                && !symbol_die_get (dwarf, &die, DW_AT_declaration, &value)) {
                g_hash_table_insert (types, (gpointer) name,
                                     g_memdup2 (&die.offset, sizeof die.offset));
            }
        }
    }
}

/* FALSE: it leads to nothing or only to a declaration. */
static gboolean
resolve (const SymbolDwarf *dwarf, SymbolDie *die)
{
    SymbolValue value;

    for (guint i = 0; i < MAX_TYPEDEFS; i++) {
        if (die->tag != DW_TAG_typedef && die->tag != DW_TAG_const_type
            && die->tag != DW_TAG_volatile_type) {
            return !symbol_die_get (dwarf, die, DW_AT_declaration, &value);
        }
        if (!symbol_die_get (dwarf, die, DW_AT_type, &value)
            || value.kind != SYMBOL_VALUE_REFERENCE
            || !symbol_die_find (dwarf, value.number, die)) {
            return FALSE;
        }
    }
    return FALSE;
}

static MsgqType *
find_in_file (MsgqImage *image, File *file, const char *name)
{
    SymbolDwarf *dwarf = open_file (file);
    const guint64 *offset;
    SymbolDie die;
    MsgqType *type;

    if (dwarf == NULL) {
        return NULL;
    }
    if (file->types == NULL) {
        file->types = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
        collect_types (dwarf, file->types);
    }
    offset = g_hash_table_lookup (file->types, name);
    if (offset == NULL || !symbol_die_find (dwarf, *offset, &die) || !resolve (dwarf, &die)) {
        return NULL;
    }
    type = g_new0 (MsgqType, 1);
    type->dwarf = dwarf;
    type->die = die;
    g_ptr_array_add (image->types, type);
    return type;
}

static void
add_others (MsgqImage *image)
{
    g_autofree char *folder = g_steal_pointer (&image->folder);

    for (guint i = 0; i < image->n_program; i++) {
        const SymbolDwarf *dwarf = open_file (g_ptr_array_index (image->files, i));
        g_autofree char *name = dwarf != NULL && dwarf->elf->build_id != NULL
                                    ? g_strdup_printf ("mpi-types-%s.so", dwarf->elf->build_id)
                                    : NULL;
        g_autofree char *path = name != NULL ? g_build_filename (folder, name, NULL) : NULL;

        if (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS)) {
            add_file (image, path, 0);
        }
    }
}

MsgqType *
msgq_image_find_type (MsgqImage *image, const char *name)
{
    MsgqType *type = NULL;

    for (guint i = 0; i < image->n_program && type == NULL; i++) {
        type = find_in_file (image, g_ptr_array_index (image->files, i), name);
    }
    if (type == NULL && image->folder != NULL) {
        add_others (image);
    }

    for (guint i = image->n_program; i < image->files->len && type == NULL; i++) {
        type = find_in_file (image, g_ptr_array_index (image->files, i), name);
    }
    return type;
}

int
msgq_type_get_size (const MsgqType *type)
{
    guint64 size = symbol_die_get_number (type->dwarf, &type->die, DW_AT_byte_size,
                                          G_MAXUINT64);

    return size <= G_MAXINT ? (int) size : -1;
}

/* Members of members without a name belong to the whole. */
static int
find_offset (const SymbolDwarf *dwarf, const SymbolDie *whole, const char *field, guint depth)
{
    SymbolDie member, inner;
    SymbolValue value;
    gboolean is_there = symbol_die_first_child (dwarf, whole, &member);

    for (; is_there; is_there = symbol_die_next (dwarf, &member, &member)) {
        const char *name = member.tag == DW_TAG_member ? symbol_die_get_name (dwarf, &member)
                                                       : NULL;
        guint64 offset = symbol_die_get_number (dwarf, &member, DW_AT_data_member_location, 0);
        int found;

        if (member.tag != DW_TAG_member || offset > G_MAXINT / 2) {
            continue;
        }
        if (name != NULL && strcmp (name, field) == 0) {
            return (int) offset;
        }
        if (name == NULL && depth < MAX_TYPEDEFS
            && symbol_die_get (dwarf, &member, DW_AT_type, &value)
            && symbol_die_find (dwarf, value.number, &inner) && resolve (dwarf, &inner)) {
            found = find_offset (dwarf, &inner, field, depth + 1);
            if (found >= 0) {
                return (int) offset + found;
            }
        }
    }
    return -1;
}

int
msgq_type_get_offset (const MsgqType *type, const char *field)
{
    return find_offset (type->dwarf, &type->die, field, 0);
}
