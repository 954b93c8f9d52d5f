/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of bytes that grows at its end and is read anywhere, in bounded memory: what is older goes
 * to a file that has no name. */
#pragma once
#include <glib.h>

typedef struct _BaseSpool BaseSpool;

/* folder: where the file is made when it is needed (and the folder, for its owner alone); NULL:
 * pddt's of the user's cache. At most memory_bytes (and what was appended last) stay in memory and
 * disk_bytes on disk. */
BaseSpool *base_spool_new (const char *folder, gsize memory_bytes, guint64 disk_bytes);
void base_spool_free (BaseSpool *spool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (BaseSpool, base_spool_free)

/* Is always taken: whoever appends asks base_spool_is_full before he fetches more. */
void base_spool_append (BaseSpool *spool, gconstpointer data, gsize size);
/* TRUE while there is more in memory than allowed and the disk takes no more; tries it again. */
gboolean base_spool_is_full (BaseSpool *spool);
/* Why the disk took no more, in words of the system; NULL. */
const char *base_spool_get_problem (const BaseSpool *spool);

/* Bytes are counted from the first that was ever appended. */
guint64 base_spool_get_begin (const BaseSpool *spool); /* the first that is still there */
guint64 base_spool_get_end (const BaseSpool *spool);
gsize base_spool_get_memory (const BaseSpool *spool);
/* How many were read; fewer at the end, none outside, or where the file could not be read. */
gsize base_spool_read (BaseSpool *spool, guint64 offset, gpointer data, gsize size);
/* Forgets what is before the offset. */
void base_spool_trim (BaseSpool *spool, guint64 offset);
