/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An append-only byte buffer with random access and bounded memory: older bytes go to an
 * unnamed file. */
#pragma once
#include <glib.h>

typedef struct _BaseSpool BaseSpool;

/* folder: where the file is created once it is needed (the folder too, with mode 0700); NULL:
 * pddt's cache folder. Keeps at most memory_bytes (plus the last append) in memory and
 * disk_bytes on disk. */
BaseSpool *base_spool_new (const char *folder, gsize memory_bytes, guint64 disk_bytes);
void base_spool_free (BaseSpool *spool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BaseSpool, base_spool_free)

/* Never refuses: call base_spool_is_full before you fetch more data. */
void base_spool_append (BaseSpool *spool, gconstpointer data, gsize size);
/* TRUE while memory is over its limit and the disk accepts no more. Each call retries the
 * disk. */
gboolean base_spool_is_full (BaseSpool *spool);
/* The system's reason why the disk accepts no more, or NULL. */
const char *base_spool_get_problem (const BaseSpool *spool);

/* Offsets count from the first byte ever appended. */
guint64 base_spool_get_begin (const BaseSpool *spool); /* the first that is still there */
guint64 base_spool_get_end (const BaseSpool *spool);
gsize base_spool_get_memory (const BaseSpool *spool);
/* Returns the number of bytes read: fewer at the end, 0 outside or when the file cannot be
 * read. */
gsize base_spool_read (BaseSpool *spool, guint64 offset, gpointer data, gsize size);
/* Discards everything before the offset. */
void base_spool_trim (BaseSpool *spool, guint64 offset);
