/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What queues consist of, described once for making copies, freeing, and the wire.
 *
 * On the wire a table of queues is columns: all calls of all ranks, all operations, and so on, each a row of numbers;
 * texts, places and lists stand once, in tables that count from 1 (0 is none). A row of a rank says how many of each are
 * its own. Rows have no padding, and are whole words: GVariant, which looks whether a message is in normal form, would
 * look at each number of each row otherwise. */
#pragma once
#include "job/message-queue.h"

/* The columns of rows come last. */
typedef enum {
    JOB_COLUMN_TEXTS,
    JOB_COLUMN_LISTS,
    JOB_COLUMN_PLACES,
    JOB_COLUMN_QUEUES,
    JOB_COLUMN_CALLS,
    JOB_COLUMN_OPERATIONS,
    JOB_COLUMN_COMMUNICATORS,
    JOB_COLUMN_COLLECTIVES,
    JOB_COLUMN_FLOWS,
    JOB_COLUMN_MESSAGES,
    JOB_COLUMN_RUNS,
    JOB_COLUMN_WAITS,
    JOB_N_COLUMNS
} JobColumn;

typedef enum {
    JOB_FIELD_LONG,  /* guint64 */
    JOB_FIELD_WORD,  /* guint32, an enum or gint32; below `limit`, unless that is 0 */
    JOB_FIELD_PEER,  /* gint32, from JOB_MESSAGE_OUTSIDE on */
    JOB_FIELD_FLAG,  /* gboolean */
    JOB_FIELD_BYTES, /* of JOB_MESSAGE_MAX_BYTES */
    JOB_FIELD_TEXT, /* char *, the others behind it pointers, too: on the wire the number of what it is */
    JOB_FIELD_PLACE, /* JobLocation */
    JOB_FIELD_LIST, /* GArray of 32-bit numbers, shared by those who have it; an empty one is none there */
    JOB_FIELD_OWN_LIST, /* the same of this one alone, never NULL */
    JOB_FIELD_ITEMS, /* GPtrArray of what `items` describes: how many of the next rows of their column */
    JOB_FIELD_LOCAL,  /* char * that is not on the wire */
    JOB_FIELD_UNUSED, /* a word of the row alone */
} JobFieldKind;

typedef struct _JobShape JobShape;
typedef struct {
    JobFieldKind kind;
    guint at; /* in the struct */
    guint32 limit;
    const JobShape *items;
} JobField;

struct _JobShape {
    JobColumn column;
    gsize size;             /* of the struct; all 0 it is one without anything */
    GDestroyNotify free;    /* of one in a list */
    const JobField *fields; /* in their order on the wire */
    guint n_fields;
};

/* By column; NULL for those of no rows. */
extern const JobShape *const job_message_shapes[JOB_N_COLUMNS];

/* What the struct has is freed, not the struct. Parts that were never set may be NULL. */
void job_shape_clear (const JobShape *shape, gpointer value);
/* Bytes on the wire, of a field and of a row. */
static inline gsize
job_field_get_size (const JobField *field)
{
    return field->kind == JOB_FIELD_LONG    ? sizeof (guint64)
           : field->kind == JOB_FIELD_BYTES ? JOB_MESSAGE_MAX_BYTES
           : field->kind == JOB_FIELD_LOCAL ? 0
                                            : sizeof (guint32);
}
gsize job_column_get_size (JobColumn column);

typedef struct {
    guint64 offset;
    guint32 function, file, module, line, language, unused;
} JobPlaceRow;

#define MAX_ROW_BYTES 160
#define TABLE_TYPE "(aayaauatatatatatatatatatat)"
