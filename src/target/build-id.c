/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build-ids in memory and in files, and the places where a file with a given id may be. */
#include "base/array.h"
#include "base/elf.h"
#include "target/core-private.h"
#include <fcntl.h>
#include <unistd.h>

#define MAX_HEADERS 256u
#define MAX_NOTES 65536u

/* In memory a segment's bytes stand by their addresses, in a file by their offsets. */
static char *
read_id (const BaseElfImage *image, gboolean is_mapped)
{
    BaseElfHeader header;
    guint64 lowest = G_MAXUINT64;
    char *id = NULL;

    if (!base_elf_read_header (image, &header)) {
        return NULL;
    }
    for (guint i = 0; id == NULL && i < MIN (header.n_segments, MAX_HEADERS); i++) {
        g_autofree guint8 *notes = NULL;
        Elf64_Phdr segment;

        if (!base_elf_read_segment (image, &header, i, &segment)) {
            return NULL;
        }
        if (segment.p_type == PT_LOAD) {
            lowest = MIN (lowest, segment.p_vaddr & ~(base_memory_get_page_size () - 1));
        }
        if (segment.p_type != PT_NOTE || segment.p_filesz == 0
            || segment.p_filesz > MAX_NOTES) {
            continue;
        }
        notes = g_malloc (segment.p_filesz);
        if (image->read (image,
                         is_mapped && lowest != G_MAXUINT64 ? segment.p_vaddr - lowest
                                                            : segment.p_offset,
                         notes, segment.p_filesz)) {
            id = base_elf_dup_build_id (notes, segment.p_filesz);
        }
    }
    return id;
}

char *
target_build_id_read (BaseMemoryReader *memory, guint64 address)
{
    const BaseElfImage image = base_elf_in_memory (memory, address);

    return read_id (&image, TRUE);
}

/* Of a file on disk. */
static char *
read_file (const char *path)
{
    const BaseElfImage image = base_elf_in_file (open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK
                                                                 | O_NOCTTY));
    char *id = image.fd >= 0 ? read_id (&image, FALSE) : NULL;

    if (image.fd >= 0) {
        close (image.fd);
    }
    return id;
}

gboolean
target_file_is_code (const char *path, guint64 offset)
{
    const BaseElfImage image = base_elf_in_file (open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK
                                                                 | O_NOCTTY));
    BaseElfHeader header;
    gboolean is_code = FALSE;

    if (image.fd < 0) {
        return FALSE;
    }
    if (!base_elf_read_header (&image, &header)) {
        header.n_segments = 0;
    }
    for (guint i = 0; i < MIN (header.n_segments, MAX_HEADERS); i++) {
        Elf64_Phdr segment;

        is_code |= base_elf_read_segment (&image, &header, i, &segment)
                   && segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0
                   && offset >= (segment.p_offset & ~(base_memory_get_page_size () - 1))
                   && offset < segment.p_offset + segment.p_filesz;
    }
    close (image.fd);
    return is_code;
}

static gboolean
is_file_of (const char *path, const char *id)
{
    g_autofree char *own = NULL;

    if (id == NULL) {
        return access (path, R_OK) == 0;
    }
    own = read_file (path);
    return g_strcmp0 (own, id) == 0;
}

char *
target_build_id_find (const char *id, const char *path, const char *core_folder)
{
    g_autofree char *base = g_path_get_basename (path);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

    g_ptr_array_add (names, g_strdup (path));
    if (id != NULL) {
        g_autofree char *own = g_strndup (id, 2);

        g_ptr_array_add (names, g_build_filename (core_folder, base, NULL));
        if (g_getenv ("PDDT_PROGRAM_FOLDER") != NULL) {
            g_ptr_array_add (names,
                             g_build_filename (g_getenv ("PDDT_PROGRAM_FOLDER"), base, NULL));
        }
        g_ptr_array_add (names,
                         g_build_filename ("/usr/lib/debug/.build-id", own, id + 2, NULL));
        g_ptr_array_add (names, g_build_filename (g_get_user_cache_dir (), "debuginfod_client",
                                                  id, "executable", NULL));
    }
    return BASE_CHOOSE (i, names->len, is_file_of (g_ptr_array_index (names, i), id),
                        g_strdup (g_ptr_array_index (names, i)), NULL);
}
