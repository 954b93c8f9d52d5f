/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of mapped files, kept once per host: program headers at opening, pages on demand. */
#include "base/array.h"
#include "base/file.h"
#include "machine/registers.h"
#include "stack/file-private.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define MAX_HEADERS 256u
#define MAX_UNUSED 512u /* the libraries of a Python program with its extensions */

struct _StackFile {
    int ref_count;
    guint64 used; /* files_clock when it was last opened */
    int fd;       /* -1: all pages are there from the start */
    guint64 size;
    char *key;        /* in the table of open files; NULL for images without a file */
    StackStamp stamp; /* as it was opened */
    guint8 **pages;   /* size / PAGE_BYTES rounded up; NULL until read */
    Elf64_Phdr *headers;
    guint n_headers;
    GHashTable *rows; /* NULL until asked for */
};

static GMutex files_lock;
static GHashTable *files; /* key to StackFile, borrowed */
static guint64 files_clock;
static guint n_unused; /* kept for the next process that maps them */

static guint64
count_pages (const StackFile *file)
{
    return (file->size + PAGE_BYTES - 1) / PAGE_BYTES;
}

static void
free_file (StackFile *file)
{
    for (guint64 i = 0; file->pages != NULL && i < count_pages (file); i++) {
        g_free (file->pages[i]);
    }
    if (file->fd >= 0) {
        close (file->fd);
    }
    g_clear_pointer (&file->rows, g_hash_table_unref);
    g_free (file->pages);
    g_free (file->headers);
    g_free (file->key);
    g_free (file);
}

static const guint8 *
find_page (StackFile *file, guint64 number)
{
    guint8 *page = g_atomic_pointer_get (&file->pages[number]);
    guint8 *fresh;

    if (page != NULL || file->fd < 0) {
        return page;
    }
    fresh = g_malloc0 (PAGE_BYTES);
    if (pread (file->fd, fresh, PAGE_BYTES, (off_t) (number * PAGE_BYTES)) <= 0) {
        g_free (fresh);
        return NULL;
    }
    if (!g_atomic_pointer_compare_and_exchange (&file->pages[number], NULL, fresh)) {
        g_free (fresh);
    }
    return g_atomic_pointer_get (&file->pages[number]);
}

gboolean
stack_file_read (StackFile *file, guint64 offset, void *data, gsize size)
{
    guint8 *to = data;

    if (offset > file->size || size > file->size - offset) {
        return FALSE;
    }
    while (size > 0) {
        const guint8 *page = find_page (file, offset / PAGE_BYTES);
        gsize within = offset % PAGE_BYTES;
        gsize part = MIN (size, PAGE_BYTES - within);

        if (page == NULL) {
            return FALSE;
        }
        memcpy (to, page + within, part);
        to += part;
        offset += part;
        size -= part;
    }
    return TRUE;
}

static gboolean
read_part (const BaseElfImage *image, guint64 offset, void *data, gsize size)
{
    return stack_file_read (image->other, offset, data, size);
}

BaseElfImage
stack_file_get_image (StackFile *file)
{
    return (BaseElfImage){ .read = read_part, .other = file };
}

static gboolean
read_headers (StackFile *file)
{
    const BaseElfImage image = stack_file_get_image (file);
    BaseElfHeader header;

    if (!base_elf_read_header (&image, &header) || header.machine != machine_elf_number
        || header.n_segments == 0 || header.n_segments > MAX_HEADERS) {
        return FALSE;
    }
    file->n_headers = header.n_segments;
    file->headers = g_new0 (Elf64_Phdr, file->n_headers);
    return BASE_ALL (i, file->n_headers,
                     base_elf_read_segment (&image, &header, i, &file->headers[i]));
}

static StackFile *
make_file (int fd, guint64 size)
{
    StackFile *file = g_new0 (StackFile, 1);

    file->ref_count = 1;
    file->fd = fd;
    file->size = size;
    file->pages = g_new0 (guint8 *, count_pages (file) + 1);
    return file;
}

static StackFile *
open_new (const char *path, const struct stat *status, int fd)
{
    StackFile *file = make_file (fd, (guint64) status->st_size);

    file->stamp = (StackStamp){ status->st_dev, status->st_ino, status->st_mtim.tv_sec,
                                status->st_mtim.tv_nsec };
    if (!read_headers (file)) {
        free_file (file);
        return NULL;
    }
    return file;
}

/* Of what path names now. FALSE: no regular file, or another one. */
static gboolean
is_meant (const struct stat *status, guint64 inode)
{
    return S_ISREG (status->st_mode) && (inode == 0 || inode == (guint64) status->st_ino);
}

static char *
dup_key (const struct stat *status)
{
    return g_strdup_printf ("%lx:%lx:%lx:%lx.%lx", (long) status->st_dev, (long) status->st_ino,
                            (long) status->st_size, (long) status->st_mtim.tv_sec,
                            (long) status->st_mtim.tv_nsec);
}

/* Locked. NULL: it is not open. */
static StackFile *
ref_known (const char *key)
{
    StackFile *file;

    if (files == NULL) {
        files = g_hash_table_new (g_str_hash, g_str_equal);
    }
    file = g_hash_table_lookup (files, key);
    if (file != NULL) {
        n_unused -= file->ref_count == 0;
        file->ref_count++;
        file->used = ++files_clock;
    }
    return file;
}

static StackFile *
open_unknown (const char *path, guint64 inode)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    g_autofree char *key = NULL;
    struct stat status;
    StackFile *file;

    if (fd < 0) {
        return NULL;
    }
    if (fstat (fd, &status) != 0 || !is_meant (&status, inode)) {
        close (fd);
        return NULL;
    }
    key = dup_key (&status);
    g_mutex_lock (&files_lock);
    file = ref_known (key);
    if (file != NULL) {
        close (fd);
    } else {
        file = open_new (path, &status, fd);
        if (file != NULL) {
            file->used = ++files_clock;
            file->key = g_steal_pointer (&key);
            g_hash_table_insert (files, file->key, file);
        }
    }
    g_mutex_unlock (&files_lock);
    return file;
}

StackFile *
stack_file_open (const char *path, guint64 inode)
{
    g_autofree char *key = NULL;
    StackFile *file;
    struct stat status;
    gint64 us;

    /* most are those of the rank before; inode 0: what a link of the process leads to now */
    if (!(inode != 0 ? base_file_stat_lately (path, &status, &us) : stat (path, &status) == 0)
        || !is_meant (&status, inode)) {
        return NULL;
    }
    key = dup_key (&status);
    g_mutex_lock (&files_lock);
    file = ref_known (key);
    g_mutex_unlock (&files_lock);
    return file != NULL ? file : open_unknown (path, inode);
}

StackFile *
stack_file_new_plain (const void *data, gsize size)
{
    StackFile *file = make_file (-1, size);

    for (guint64 i = 0; i < count_pages (file); i++) {
        file->pages[i] = g_malloc0 (PAGE_BYTES);
        memcpy (file->pages[i], (const guint8 *) data + i * PAGE_BYTES,
                MIN (PAGE_BYTES, size - i * PAGE_BYTES));
    }
    return file;
}

StackFile *
stack_file_new_from_bytes (const void *data, gsize size)
{
    StackFile *file = stack_file_new_plain (data, size);

    if (!read_headers (file)) {
        g_clear_pointer (&file, free_file);
    }
    return file;
}

StackFile *
stack_file_ref (StackFile *file)
{
    g_mutex_lock (&files_lock);
    file->ref_count++;
    g_mutex_unlock (&files_lock);
    return file;
}

/* Locked. The one that was not opened for the longest time goes. */
static void
drop_oldest (void)
{
    StackFile *oldest = NULL;
    gpointer value;

    BASE_WALK (files, NULL, &value) {
        StackFile *file = value;

        if (file->ref_count == 0 && (oldest == NULL || file->used < oldest->used)) {
            oldest = file;
        }
    }
    if (oldest != NULL) {
        n_unused--;
        g_hash_table_remove (files, oldest->key);
        free_file (oldest);
    }
}

void
stack_file_unref (StackFile *file)
{
    gboolean last;

    if (file == NULL) {
        return;
    }
    g_mutex_lock (&files_lock);
    last = --file->ref_count == 0;
    if (last && file->key != NULL && ++n_unused > MAX_UNUSED) {
        drop_oldest ();
    }
    g_mutex_unlock (&files_lock);
    if (last && file->key == NULL) {
        free_file (file);
    }
}

const Elf64_Phdr *
stack_file_get_headers (const StackFile *file, guint *ret_count)
{
    *ret_count = file->n_headers;
    return file->headers;
}

GHashTable *
stack_file_get_rows (StackFile *file)
{
    if (file->rows == NULL) {
        file->rows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    }
    return file->rows;
}

const StackStamp *
stack_file_get_stamp (const StackFile *file)
{
    return file->key != NULL ? &file->stamp : NULL;
}
