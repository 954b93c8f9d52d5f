/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The building blocks of all encodings of this folder. Text is bytes ("ay"), because a
 * program's text need not be UTF-8. NULL is the empty array, a string ends with its NUL. */
#pragma once
#include "base/cursor.h"
#include "job/context.h"
#include "job/event.h"

#define JOB_WIRE_LOCATION "(ayayuayty)"

/* The state of a decoder: its remaining memory, and whether it has failed. */
typedef struct {
    guint32 limit; /* ranks are below */
    guint64 left;  /* bytes that the rest may take */
    gboolean failed;
    gboolean is_full; /* because nothing of that was left */
} JobWire;

/* Call it before allocating: FALSE, with failed set, when fewer than bytes are left. The size
 * of a message is no limit, because a few bytes can stand for many (a strided set, a text that
 * a thousand rows name). */
gboolean job_wire_spend (JobWire *wire, guint64 bytes);

/* TRUE when variant has the type and is in normal form; CORRUPT otherwise. variant may be NULL. */
gboolean job_wire_check (GVariant *variant, const char *type, GError **error);
/* Sets CORRUPT, returns FALSE. */
gboolean job_wire_fail (const JobWire *wire, GError **error, const char *what);

GVariant *job_wire_put_text (const char *text);
GVariant *job_wire_put_ranks (const JobRankSet *ranks);
GVariant *job_wire_put_location (const JobLocation *location);
/* They unref nothing; on failure they set wire->failed, and take_ranks returns an empty set.
 * Texts come escaped as names (base/escape.h) and are safe to show. */
char *job_wire_take_text (JobWire *wire, GVariant *tuple, gsize index);
JobRankSet *job_wire_take_ranks (JobWire *wire, GVariant *tuple, gsize index);
JobLocation *job_wire_take_location (JobWire *wire, GVariant *tuple, gsize index);

/* The same within a block of bytes. Text may be NULL, and ends at its NUL. read_text does not
 * escape: it is for requests and for callers that escape it themselves. A failure of the cursor
 * also sets wire->failed; read_ranks never returns NULL. */
void job_wire_write_text (GByteArray *block, const char *text);
void job_wire_write_signed (GByteArray *block, gint32 value);
void job_wire_write_ranks (GByteArray *block, const JobRankSet *ranks);
void job_wire_write_place (GByteArray *block, const JobLocation *place);
char *job_wire_read_text (JobWire *wire, BaseCursor *block);
char *job_wire_read_name (JobWire *wire, BaseCursor *block);
guint32 job_wire_read_number (JobWire *wire, BaseCursor *block);
gint32 job_wire_read_signed (JobWire *wire, BaseCursor *block);
JobRankSet *job_wire_read_ranks (JobWire *wire, BaseCursor *block);
JobLocation *job_wire_read_place (JobWire *wire, BaseCursor *block);

/* A tree's contexts from the number `first` on. They are added to a tree that has all before it. */
void job_wire_write_contexts (GByteArray *block, const JobContextTree *tree, guint32 first);
void job_wire_read_contexts (JobWire *wire, BaseCursor *block, JobContextTree *tree);

/* Parts of a message; they use up the wire's memory. NULL, with failed set, when malformed. */
JobStackTree *job_wire_take_tree (JobWire *wire, GVariant *variant);
JobValueTable *job_wire_take_table (JobWire *wire, GVariant *variant);
JobMessageTable *job_wire_take_queues (JobWire *wire, GVariant *variant);
JobCosts *job_wire_take_costs (JobWire *wire, GVariant *variant);
GVariant *job_wire_put_details (const GPtrArray *list); /* floating, "ay" */
GPtrArray *job_wire_take_details (JobWire *wire, GVariant *block);
void job_wire_write_said (GByteArray *block, const JobText *text);
/* NULL, with failed set, when malformed. */
JobText *job_wire_read_said (JobWire *wire, BaseCursor *block);
