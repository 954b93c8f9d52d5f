/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pieces that all encodings of this folder are made of. Text is bytes ("ay"): what programs
 * say need not be UTF-8. NULL is the empty array, a string ends in its NUL. */
#pragma once
#include "base/cursor.h"
#include "job/event.h"

#define JOB_WIRE_LOCATION "(ayayuayty)"

/* Where a decoder stands: what it may still take, and whether all was well until now. */
typedef struct {
    guint32 limit;       /* ranks are below */
    guint64 left;        /* bytes that what is still to be decoded may take */
    gboolean failed;
} JobWire;

/* Before memory is taken: FALSE and failed when so much more is not left. Few bytes can stand for many
 * (a strided set, a text that a thousand rows name), so that the size of a message limits nothing. */
gboolean job_wire_spend (JobWire *wire, guint64 bytes);

/* TRUE when variant has the type and is in normal form; CORRUPT otherwise. variant may be NULL. */
gboolean job_wire_check (GVariant *variant, const char *type, GError **error);
gboolean job_wire_fail (GError **error, const char *what); /* sets CORRUPT, returns FALSE */

GVariant *job_wire_put_text (const char *text);
GVariant *job_wire_put_ranks (const JobRankSet *ranks);
GVariant *job_wire_put_location (const JobLocation *location);
/* They unref nothing; on failure wire->failed is set, and take_ranks gives an empty set. Texts are names
 * (base/escape.h): whoever shows them need not look at them again. */
char *job_wire_take_text (JobWire *wire, GVariant *tuple, gsize index);
JobRankSet *job_wire_take_ranks (JobWire *wire, GVariant *tuple, gsize index);
JobLocation *job_wire_take_location (JobWire *wire, GVariant *tuple, gsize index);

/* The same within a block of bytes. Text may be NULL, and ends at its NUL; read_text takes it as it is,
 * which is for requests, and for who escapes it. Reading sets wire->failed as the cursor's own failure
 * too; read_ranks never gives NULL. */
void job_wire_write_text (GByteArray *block, const char *text);
void job_wire_write_signed (GByteArray *block, gint32 value);
void job_wire_write_ranks (GByteArray *block, const JobRankSet *ranks);
char *job_wire_read_text (JobWire *wire, BaseCursor *block);
char *job_wire_read_name (JobWire *wire, BaseCursor *block);
guint32 job_wire_read_number (JobWire *wire, BaseCursor *block);
gint32 job_wire_read_signed (JobWire *wire, BaseCursor *block);
JobRankSet *job_wire_read_ranks (JobWire *wire, BaseCursor *block);

/* Parts of a message, of whose bytes they take theirs. NULL and failed when they are malformed. */
JobStackTree *job_wire_take_tree (JobWire *wire, GVariant *variant);
JobValueTable *job_wire_take_table (JobWire *wire, GVariant *variant);
JobMessageTable *job_wire_take_queues (JobWire *wire, GVariant *variant);
