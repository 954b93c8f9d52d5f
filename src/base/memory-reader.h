/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The batched reader of a rank's memory: one interface for live processes, core files and
 * recorded stops. The layers that interpret memory (python, stack, index) know ranks only
 * through it. */
#pragma once
#include <glib.h>

typedef struct {
    guint64 address;
    void *data; /* the caller's, of `size` bytes */
    gsize size;
    gsize done; /* filled by the read: bytes read, from the start */
} BaseMemoryItem;

typedef struct _BaseMemoryReader BaseMemoryReader;
struct _BaseMemoryReader {
    /* Fills `done` of each item; a short read does not fail the batch. Where a trap is planted
     * it returns the program's original byte. */
    void (*read) (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items);
    /* Writes all or fails with FAULT; NULL where memory cannot be written (cores). */
    gboolean (*write) (BaseMemoryReader *reader, guint64 address, const void *data, gsize size,
                       GError **error);
    /* Why an address is unreadable although the process had memory there: "not in the core
     * file". Returns NULL if it had none. The pointer is NULL where all existing memory can be
     * read. */
    const char *(*find_loss) (BaseMemoryReader *reader, guint64 address);
};

/* The size of the system's pages, in bytes: a power of two, not everywhere 4096. */
guint64 base_memory_get_page_size (void);

/* The functions below take a reader that is NULL: it is that of a process which ended while somebody waited
 * for something else, and all of them fail. */

/* All of [address, address + size) into data, or FALSE with FAULT ("cannot read 8 bytes at
 * 0x10: …") and data undefined. */
gboolean base_memory_read (BaseMemoryReader *reader, guint64 address, void *data, gsize size,
                           GError **error);
/* After a failed read: why the memory is unreadable although the process had it; NULL: it had
 * none, or not known. */
static inline const char *
base_memory_find_loss (BaseMemoryReader *reader, guint64 address)
{
    return reader != NULL && reader->find_loss != NULL ? reader->find_loss (reader, address)
                                                       : NULL;
}
/* The bytes that could be read from the start, 0 to size. */
gsize base_memory_read_some (BaseMemoryReader *reader, guint64 address, void *data, gsize size);
gboolean base_memory_read_u64 (BaseMemoryReader *reader, guint64 address, guint64 *ret_value,
                               GError **error);
gboolean base_memory_read_u32 (BaseMemoryReader *reader, guint64 address, guint32 *ret_value,
                               GError **error);
/* NUL-terminated string of at most max_size bytes without the NUL (truncated there with
 * *ret_cut set; ret_cut may be NULL); stops at unreadable pages. NULL with FAULT when not even
 * one byte is readable. The caller owns it; bytes as they are, not checked for UTF-8. */
char *base_memory_read_string (BaseMemoryReader *reader, guint64 address, gsize max_size,
                               gboolean *ret_cut, GError **error);
gboolean base_memory_write (BaseMemoryReader *reader, guint64 address, const void *data,
                            gsize size, GError **error);
