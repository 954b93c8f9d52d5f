/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/places.h"
#include "base/elf.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NOTES (64u << 10)
#define MAX_INLINED 64u

/* NULL: the segment has none. Caller owns. */
static char *
read_notes (const BaseElfImage *image, const Elf64_Phdr *segment)
{
    g_autofree guint8 *notes = NULL;

    if (segment->p_type != PT_NOTE || segment->p_filesz > MAX_NOTES) {
        return NULL;
    }
    notes = g_malloc (segment->p_filesz + 1);
    return image->read (image, segment->p_offset, notes, segment->p_filesz)
               ? base_elf_dup_build_id (notes, segment->p_filesz)
               : NULL;
}

/* Of a regular file; NULL: it has none. Caller owns. */
static char *
dup_build_id (const char *path)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    BaseElfImage image = base_elf_in_file (fd);
    BaseElfHeader header;
    struct stat status;
    char *id = NULL;

    if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
        && base_elf_read_header (&image, &header)) {
        guint32 n = MIN (header.n_segments, BASE_ELF_MAX_LOADED);
        Elf64_Phdr segment;

        for (guint32 i = 0; i < n && id == NULL; i++) {
            id = base_elf_read_segment (&image, &header, i, &segment)
                     ? read_notes (&image, &segment)
                     : NULL;
        }
    }
    if (fd >= 0) {
        close (fd);
    }
    return id;
}

typedef struct {
    IndexClient *client;
    GHashTable *ids;    /* path to build-id, "" none */
    GHashTable *images; /* path to IndexImage; NULL: it cannot be read */
} Places;

static const char *
find_build_id (Places *places, const char *path)
{
    const char *known = g_hash_table_lookup (places->ids, path);

    if (known == NULL) {
        char *id = dup_build_id (path);

        id = id != NULL ? id : g_strdup ("");
        g_hash_table_insert (places->ids, g_strdup (path), id);
        known = id;
    }
    return known;
}

static IndexImage *
find_image (Places *places, const char *path)
{
    gpointer image;

    if (!g_hash_table_lookup_extended (places->images, path, NULL, &image)) {
        image = index_client_open_image (places->client, path, NULL);
        g_hash_table_insert (places->images, g_strdup (path), image);
    }
    return image;
}

/* Names come from files; the answer has one line. */
static char *
dup_plain (const char *text)
{
    char *plain = g_strdup (text != NULL ? text : "");

    for (char *at = plain; *at != '\0'; at++) {
        *at = (guchar) *at < ' ' ? '?' : *at;
    }
    return plain;
}

/* A header of the system's, of which code is a part, as those of C++'s containers are. */
static gboolean
is_systems (const char *file)
{
    return g_str_has_prefix (file, "/usr/") || strstr (file, "/include/c++/") != NULL;
}

/* Of the call and those that it is inlined into, the innermost that is in the program's own files, else the innermost. Where a
 * function is entered no call can stand: that is the function. FALSE: none is known. */
static gboolean
find_frame (const IndexImage *image, guint64 address, IndexFrame *ret_frame)
{
    IndexFrame frames[MAX_INLINED];
    guint n = index_image_find_frames (image, address, frames, G_N_ELEMENTS (frames));

    if (n > 0 && frames[n - 1].begins && !frames[n - 1].inlined) {
        *ret_frame = frames[n - 1];
        index_image_find_opening (image, address, ret_frame);
        return TRUE;
    }
    for (guint i = 0; i < n; i++) {
        if (frames[i].file != NULL && frames[i].line > 0 && !is_systems (frames[i].file)) {
            *ret_frame = frames[i];
            return TRUE;
        }
    }
    if (n > 0) {
        *ret_frame = frames[0];
    }
    return n > 0;
}

static gboolean
answer (Places *places, const char *id, guint64 address, const char *path, FILE *to)
{
    IndexImage *image = strcmp (id, "-") == 0 || strcmp (id, find_build_id (places, path)) == 0
                            ? find_image (places, path)
                            : NULL;
    IndexFrame frame = { 0 };
    gboolean is_found = image != NULL && address > 0 && find_frame (image, address - 1, &frame);
    gboolean has_line = is_found && frame.file != NULL && frame.line > 0;
    g_autofree char *function = dup_plain (is_found && frame.function != NULL
                                               ? index_client_find_name (places->client,
                                                                         frame.function)
                                               : NULL),
                    *file = dup_plain (has_line ? frame.file : NULL);

    return fprintf (to, "%s\t%s\t%u\n", function, file, has_line ? frame.line : 0) > 0;
}

gboolean
symbol_places_answer (IndexClient *client, FILE *from, FILE *to)
{
    g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                        g_free);
    g_autoptr (GHashTable) images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           NULL);
    Places places = { client, ids, images };
    gboolean is_written = TRUE;
    char *line = NULL;
    gsize room = 0;

    while (is_written && getline (&line, &room, from) > 0) {
        g_auto (GStrv) words = NULL;

        line[strcspn (line, "\n")] = '\0';
        words = g_strsplit (line, " ", 3);
        is_written = g_strv_length (words) == 3
                         ? answer (&places, words[0], g_ascii_strtoull (words[1], NULL, 16),
                                   words[2], to)
                         : fputs ("\t\t0\n", to) >= 0;
    }
    free (line);
    return is_written && fflush (to) == 0;
}
