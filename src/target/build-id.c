/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build-ids: the note that GNU ld writes (elf(5), NT_GNU_BUILD_ID), in memory and in files, and
 * the places where a file with a given id may be. */
#include "base/error.h"
#include "target/core-private.h"
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS 256u
#define MAX_NOTES 65536u

/* What an image is read through: a process's memory or a file. */
typedef struct {
    BaseMemoryReader *memory;
    guint64 start;
    int fd; /* with memory NULL */
} Image;

static gboolean
read_at (const Image *image, guint64 offset, void *data, gsize size)
{
    if (image->memory != NULL) {
        return base_memory_read_some (image->memory, image->start + offset, data, size) == size;
    }
    return pread (image->fd, data, size, (off_t) offset) == (ssize_t) size;
}

static char *
format_id (const guint8 *bytes, gsize size)
{
    GString *text = g_string_new (NULL);

    for (gsize i = 0; i < size; i++) {
        g_string_append_printf (text, "%02x", bytes[i]);
    }
    return g_string_free (text, FALSE);
}

static char *
find_in_notes (const guint8 *data, gsize size)
{
    gsize at = 0;

    while (at + sizeof (Elf64_Nhdr) <= size) {
        Elf64_Nhdr note;
        gsize name, content;

        memcpy (&note, data + at, sizeof note);
        name = at + sizeof note;
        content = name + (((gsize) note.n_namesz + 3) & ~(gsize) 3);
        if (content > size || note.n_descsz > size - content) {
            return NULL;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4
            && memcmp (data + name, "GNU", 4) == 0 && note.n_descsz > 0
            && note.n_descsz <= 64) {
            return format_id (data + content, note.n_descsz);
        }
        at = content + (((gsize) note.n_descsz + 3) & ~(gsize) 3);
    }
    return NULL;
}

static char *
read_id (const Image *image)
{
    Elf64_Ehdr header;
    guint64 lowest = G_MAXUINT64;
    char *id = NULL;

    if (!read_at (image, 0, &header, sizeof header)
        || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
        || header.e_ident[EI_CLASS] != ELFCLASS64
        || header.e_phentsize != sizeof (Elf64_Phdr)) {
        return NULL;
    }
    for (guint i = 0; id == NULL && i < MIN (header.e_phnum, MAX_HEADERS); i++) {
        g_autofree guint8 *notes = NULL;
        Elf64_Phdr segment;

        if (!read_at (image, header.e_phoff + i * sizeof segment, &segment, sizeof segment)) {
            return NULL;
        }
        if (segment.p_type == PT_LOAD) {
            lowest = MIN (lowest, segment.p_vaddr & ~G_GUINT64_CONSTANT (4095));
        }
        if (segment.p_type != PT_NOTE || segment.p_filesz == 0
            || segment.p_filesz > MAX_NOTES) {
            continue;
        }
        notes = g_malloc (segment.p_filesz);
        if (read_at (image,
                     image->memory != NULL && lowest != G_MAXUINT64 ? segment.p_vaddr - lowest
                                                                    : segment.p_offset,
                     notes, segment.p_filesz)) {
            id = find_in_notes (notes, segment.p_filesz);
        }
    }
    return id;
}

char *
target_build_id_read (BaseMemoryReader *memory, guint64 address)
{
    const Image image = { memory, address, -1 };

    return read_id (&image);
}

char *
target_build_id_read_file (const char *path)
{
    Image image = { NULL, 0, open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
    char *id = image.fd >= 0 ? read_id (&image) : NULL;

    if (image.fd >= 0) {
        close (image.fd);
    }
    return id;
}

gboolean
target_file_is_code (const char *path, guint64 offset)
{
    Image image = { NULL, 0, open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
    Elf64_Ehdr header = { .e_phnum = 0 };
    gboolean is_code = FALSE;

    if (image.fd < 0) {
        return FALSE;
    }
    if (!read_at (&image, 0, &header, sizeof header)
        || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
        || header.e_phentsize != sizeof (Elf64_Phdr)) {
        header.e_phnum = 0;
    }
    for (guint i = 0; i < MIN (header.e_phnum, MAX_HEADERS); i++) {
        Elf64_Phdr segment;

        is_code |= read_at (&image, header.e_phoff + i * sizeof segment, &segment,
                            sizeof segment)
                   && segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0
                   && offset >= (segment.p_offset & ~G_GUINT64_CONSTANT (4095))
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
    own = target_build_id_read_file (path);
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
    for (guint i = 0; i < names->len; i++) {
        if (is_file_of (g_ptr_array_index (names, i), id)) {
            return g_strdup (g_ptr_array_index (names, i));
        }
    }
    return NULL;
}
