/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of program share: decoded types, the values of a run. */
#pragma once
#include "index/code.h"
#include "index/program.h"

typedef struct {
    const char *name;
    guint64 offset;
    guint32 type, bit_size, bit_offset;
} IndexMember;

typedef struct {
    gint64 value;
    const char *name;
} IndexEnumerator;

typedef struct {
    guint32 kind, flags, target;
    const char *name;
    guint64 size, count;
    const guint8 *bound;
    gsize bound_size;
    IndexMember *members;
    guint n_members;
    IndexEnumerator *enumerators;
    guint n_enumerators;
} IndexType;

struct _IndexProgram {
    GVariant *variant;   /* owns all strings */
    const char *name, *type_name;
    guint32 type, n_types;
    IndexType *types;
    const guint8 *code;
    gsize code_size;
};

typedef enum { INDEX_PLACE_NONE, INDEX_PLACE_MEMORY, INDEX_PLACE_REGISTER } IndexPlaceKind;

/* A value of a run: where it is, and its bytes as far as they were fetched. */
typedef struct {
    guint32 type;
    IndexPlaceKind place;
    guint64 address;      /* or register */
    guint32 bit_size, bit_offset;
    GByteArray *bytes;    /* NULL until fetched */
    char *problem;        /* then nothing else counts */
} IndexValue;

typedef struct {
    const IndexProgram *program;
    const IndexContext *context;
    const IndexLimits *limits;
    guint depth;
} IndexRun;

void index_value_clear (IndexValue *value);
void index_value_set_problem (IndexValue *value, char *problem); /* takes it */
/* Has `size` bytes afterwards, or a problem and FALSE. */
gboolean index_value_fetch (IndexRun *run, IndexValue *value, gsize size);
/* A part of value at offset, of a type. */
void index_value_take_part (const IndexValue *value, guint32 type, guint64 offset,
                            IndexValue *ret_part);
/* Through typedefs. Never NULL: index must be one of the table's. */
const IndexType *index_run_get_type (const IndexRun *run, guint32 type);
guint64 index_run_find_count (IndexRun *run, const IndexType *array);

typedef struct {
    enum { INDEX_SCALAR_SIGNED, INDEX_SCALAR_UNSIGNED, INDEX_SCALAR_FLOAT } kind;
    guint64 integer;      /* sign-extended when signed */
    long double real;
} IndexScalar;
gboolean index_value_read_scalar (IndexRun *run, IndexValue *value, IndexScalar *ret_scalar);
/* Bytes of a scalar in a type. FALSE when the type is no scalar. */
gboolean index_scalar_store (const IndexType *type, const IndexScalar *scalar,
                             guint8 *ret_bytes, gsize *ret_size);

/* Runs code; the value on top. FALSE with CORRUPT. */
gboolean index_run_code (IndexRun *run, const guint8 *code, gsize size, IndexValue *ret_value,
                         GError **error);
/* A DWARF location expression, DWARF 5 section 2.5 and 2.6; problems become the value's. */
void index_run_location (IndexRun *run, const guint8 *frame_base, gsize frame_base_size,
                         const guint8 *expression, gsize size, IndexValue *value);
/* Takes nothing; value may fetch. */
JobValue *index_run_format (IndexRun *run, const char *name, IndexValue *value, guint depth);
