/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of program share: decoded types, the values of a run. */
#pragma once
#include "base/cursor.h"
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
    const guint8 *bytes;
    gsize size;
} IndexCode;

typedef struct {
    guint32 kind, flags, target;
    const char *name;
    guint64 size, count;
    gint64 lower;
    IndexCode codes[INDEX_N_CODES];
    guint32 view, n_view_types;
    const guint64 *view_numbers;
    gsize n_view_numbers;
    guint32 *view_types;
    IndexMember *members;
    guint n_members;
    IndexEnumerator *enumerators;
    guint n_enumerators;
} IndexType;

struct _IndexProgram {
    GVariant *variant; /* owns all strings */
    const char *name, *type_name;
    guint32 type, n_types;
    IndexType *types;
    const guint8 *code;
    gsize code_size;
};

#define INDEX_MAX_SECTIONS 7
#define INDEX_REGISTER_ROOM 32u /* the largest register that has a name */

typedef enum { INDEX_PLACE_NONE, INDEX_PLACE_MEMORY, INDEX_PLACE_REGISTER } IndexPlaceKind;

/* A value of a run: its place, and its bytes once fetched. */
typedef struct {
    guint32 type;
    IndexPlaceKind place;
    guint64 address; /* or register */
    guint32 bit_size, bit_offset;
    GByteArray *bytes; /* NULL until fetched */
    GByteArray *gaps;  /* for bytes fetched in pieces: why each is unknown, or 0; NULL
                             without */
    gboolean is_kept;  /* a register that no callee changes */
    guint32 inside;    /* bytes of the register before the value's */
    /* an implicit pointer: the location of its target, in the program's code */
    const guint8 *pointee;
    gsize pointee_size;
    gint64 pointee_offset;
    guint64 object;    /* an array's descriptor, when resolved */
    gboolean resolved; /* an array: address is the data's */
    /* of an array, from the outermost dimension: elements, and bytes apart, instead of the type's */
    struct {
        gint64 stride, count;
    } sections[INDEX_MAX_SECTIONS];
    guint n_sections;
    char *problem; /* then the other fields are invalid */
} IndexValue;

typedef struct {
    const IndexProgram *program;
    const IndexContext *context;
    const IndexLimits *limits;
    guint depth;
    guint64 object;   /* what DW_OP_push_object_address pushes */
    gboolean is_kept; /* registers may be read through callees (INDEX_OP_LOCATION_KEPT) */
    const guint8 *frame_base; /* of the last location, for implicit pointers */
    gsize frame_base_size;
    gsize call_data;     /* bytes that this run's calls have written to the rank's memory */
    guint64 statics[64]; /* addresses of the static members being shown, */
    guint n_statics, static_depth; /* and their nesting depth */
    guint64 rest;                  /* hash of what the text leaves out; 0 nothing */
} IndexRun;

void index_value_clear (IndexValue *value);
void index_value_set_problem (IndexValue *value, char *problem); /* takes it */
/* Has `size` bytes afterwards, or a problem and FALSE. */
gboolean index_value_fetch (IndexRun *run, IndexValue *value, gsize size);
/* A part of value at offset, of a type. */
void index_value_take_part (const IndexValue *value, guint32 type, guint64 offset,
                            IndexValue *ret_part);
const char *index_value_get_reason (guint8 gap);
/* FALSE: the frame does not know it. */
gboolean index_run_read_register (IndexRun *run, guint number, guint64 *ret_value);
gboolean index_run_read_wide (IndexRun *run, guint number, guint8 *ret_bytes); /* 16 */
/* Through typedefs. Never NULL: index must be one of the table's. */
const IndexType *index_run_get_type (const IndexRun *run, guint32 type);

/* arrays.c. Replaces an array value's address by its data's; FALSE: it has a problem. */
gboolean index_run_resolve (IndexRun *run, IndexValue *value);
/* The following apply to the array that was resolved last. FALSE: its length cannot be read;
 * its count is then 0. */
gboolean index_run_knows_count (IndexRun *run, const IndexType *array);
guint64 index_run_find_count (IndexRun *run, const IndexType *array);
gint64 index_run_find_lower (IndexRun *run, const IndexType *array);
gint64 index_run_find_stride (IndexRun *run, const IndexType *array);
guint64 index_run_find_size (IndexRun *run, guint32 type);
/* Converts a value of assumed rank to its actual array. FALSE: it has a problem. */
gboolean index_run_take_rank (IndexRun *run, IndexValue *value, guint *ret_rank);
/* Whether an array is allocated or associated. FALSE: not known. */
gboolean index_run_find_existence (IndexRun *run, const IndexValue *value,
                                   gboolean *ret_exists);
/* Element `number`, counted from 0. */
void index_run_take_element (IndexRun *run, IndexValue *array, gint64 number,
                             IndexValue *ret_part);

typedef struct {
    enum { INDEX_SCALAR_SIGNED, INDEX_SCALAR_UNSIGNED, INDEX_SCALAR_FLOAT } kind;
    guint64 integer; /* sign-extended when signed */
    long double real;
} IndexScalar;
gboolean index_value_read_scalar (IndexRun *run, IndexValue *value, IndexScalar *ret_scalar);
/* Bytes of a scalar in a type. FALSE when the type is no scalar. */
gboolean index_scalar_store (const IndexType *type, const IndexScalar *scalar,
                             guint8 *ret_bytes, gsize *ret_size);

/* Of 4, 8 or 16 bytes; a quad is IEEE's binary128, else 16 bytes hold one of x87's. */
long double index_real_read (const guint8 *bytes, guint64 size, gboolean is_quad);
void index_real_store (long double real, guint64 size, gboolean is_quad, guint8 *ret_bytes);
void index_scalar_convert (IndexScalar *scalar, gboolean to_float);
/* FALSE: the operator does not apply to such numbers, or division by zero. */
gboolean index_scalar_compute_real (guint operator_id, long double a, long double b,
                                    IndexScalar *result);
/* With one number. FALSE: the operator does not apply to it. */
gboolean index_scalar_round (guint operator_id, IndexScalar *scalar);
/* Converts both to their common type, as in C. FALSE: there is no result. */
gboolean index_scalar_combine (guint operator_id, IndexScalar *left, IndexScalar *right,
                               IndexScalar *ret_result);
gboolean index_scalar_compute (guint operator_id, guint64 a, guint64 b, gboolean with_sign,
                               IndexScalar *result);

#define INDEX_MAX_STACK 64
typedef struct {
    IndexRun *run;
    BaseCursor cursor;
    guint n;
    gboolean broken;
    IndexValue stack[INDEX_MAX_STACK]; /* only the first n are valid */
} IndexMachine;
/* machine.c. NULL: the stack is full, or there is no such type. */
IndexValue *index_machine_push (IndexMachine *machine, guint32 type);
gboolean index_machine_pop (IndexMachine *machine, IndexValue *ret_value);
void index_machine_push_problem (IndexMachine *machine, guint32 type, const char *problem);
void index_machine_push_scalar (IndexMachine *machine, guint32 type, const IndexScalar *scalar);
void index_machine_push_place (IndexMachine *machine, guint32 type, guint64 address);
/* Pops a number; FALSE after pushing its problem as the result of type. */
gboolean index_machine_pop_scalar (IndexMachine *machine, guint32 type,
                                   IndexScalar *ret_scalar);
gboolean index_machine_pop_two (IndexMachine *machine, guint32 type, IndexScalar *left,
                                IndexScalar *right);
/* Undoes popping two operands: leaves only the problem of the upper one. */
void index_machine_drop_below (IndexMachine *machine);
/* sections.c. The characters of a text; NULL: the value has a problem. */
GByteArray *index_run_read_text (IndexRun *run, IndexValue *value);
/* The operations INDEX_OP_SECTION … of code.h. */
void index_machine_run_section (IndexMachine *machine, guint32 type);
void index_machine_run_component (IndexMachine *machine, guint32 type);
void index_machine_run_shape (IndexMachine *machine, guint32 type);
void index_machine_run_text (IndexMachine *machine, guint32 type);
/* kept.c. The operations INDEX_OP_KEPT and INDEX_OP_KEEP. */
void index_machine_run_kept (IndexMachine *machine, guint32 type);
void index_machine_run_keep (IndexMachine *machine, guint32 type);
/* kept.c. Passes it to IndexContext's note_value; does not change it. */
void index_kept_note (IndexRun *run, const IndexValue *value);
/* run.c. Converts a bit-field to a number of its type. FALSE: it has a problem. */
gboolean index_value_spread_bits (IndexRun *run, IndexValue *value);
/* keys.c. The operations INDEX_OP_KEY and INDEX_OP_STRINGS. */
void index_machine_run_key (IndexMachine *machine, guint32 type);
void index_machine_run_strings (IndexMachine *machine, guint32 type);
/* complex.c. Of any number. FALSE: it is none, or has a problem. */
gboolean index_value_read_complex (IndexRun *run, IndexValue *value, long double ret_parts[2]);
/* Bytes of a complex type, at most 32. FALSE: it is no such type. */
gboolean index_complex_store (const IndexType *type, const long double parts[2],
                              guint8 *ret_bytes);
/* TRUE: one of the n operands on top of the stack is complex. */
gboolean index_machine_has_complex (IndexMachine *machine, guint n);
/* vectors.c. TRUE: one of the n operands on top of the stack is a vector. */
gboolean index_machine_has_vector (IndexMachine *machine, guint n);
/* With two operands, or one. */
void index_machine_run_vector (IndexMachine *machine, guint32 type, guint operator_id, guint n);
/* With two operands, or one. */
void index_machine_run_complex (IndexMachine *machine, guint32 type, guint operator_id,
                                guint n);

/* Runs code and returns the value on top of the stack. FALSE with CORRUPT. */
gboolean index_run_code (IndexRun *run, const guint8 *code, gsize size, IndexValue *ret_value,
                         GError **error);
/* A DWARF location expression, DWARF 5 section 2.5 and 2.6; problems are stored in the
 * value. */
void index_run_location (IndexRun *run, const guint8 *frame_base, gsize frame_base_size,
                         const guint8 *expression, gsize size, IndexValue *value);
#define INDEX_MAX_ARGUMENTS 32
/* decimal.c. Of 4, 8 or 16 bytes; NULL: of another size. Caller owns. */
char *index_decimal_format (const guint8 *bytes, guint64 size);
/* decimal-math.c. TRUE: one of the n operands on top of the stack is decimal. */
gboolean index_machine_has_decimal (IndexMachine *machine, guint n);
/* With two operands, or one. */
void index_machine_run_decimal (IndexMachine *machine, guint32 type, guint operator_id,
                                guint n);
/* assign.c. The operation INDEX_OP_ASSIGN. */
void index_machine_run_assign (IndexMachine *machine, guint32 type, gboolean is_old_wanted);
/* calls.c. Calls operands[0] with operands[1 … n]; the result is of type, or a problem. */
void index_run_call (IndexRun *run, guint32 type, IndexValue *operands, guint n,
                     guint32 by_reference, guint32 by_descriptor, IndexValue *ret_value);

/* rest.c */
void index_rest_note (IndexRun *run, guint64 hash);
/* FALSE: it cannot be read completely. */
gboolean index_rest_read (IndexRun *run, guint64 address, guint64 size, guint64 *hash);
/* For truncated text: characters of width bytes up to a zero, or size. */
void index_rest_note_text (IndexRun *run, guint64 address, guint64 size, guint width);
/* elements.c. For an array or container of which only the first elements are shown. */
void index_elements_note_rest (IndexRun *run, const IndexValue *value);

/* containers.c */
gboolean index_view_is_complete (const IndexType *type);
/* NULL: no container, or its contents cannot be shown. */
JobValue *index_view_format (IndexRun *run, const char *name, IndexValue *value, guint depth);
gboolean index_view_find_count (IndexRun *run, const IndexValue *value, guint64 *ret_count);
/* Of std::vector<bool> and std::bitset. FALSE: there is none. */
gboolean index_view_find_bit (IndexRun *run, const IndexValue *value, guint64 number,
                              gboolean *ret_bit);
/* Appends the addresses (guint64) of the first max elements or nodes' values. FALSE: it is no container. */
gboolean index_view_list_places (IndexRun *run, const IndexValue *value, guint64 max,
                                 GArray *places);
/* A container's name without template arguments and version namespaces. Caller owns. */
char *index_view_dup_head (const IndexType *type);
/* A type's name as people write it. */
void index_view_append_name (GString *text, const char *name);
/* A string's characters and length. In the form with four numbers, a short text is in the
 * object itself if the lowest bit of the third is clear; the upper bits are its length. */
gboolean index_view_find_characters (IndexRun *run, const IndexType *type, guint64 address,
                                     guint64 *ret_pointer, guint64 *ret_length);
/* wrappers.c. NULL: show its members. */
JobValue *index_wrapper_format (IndexRun *run, const char *name, const IndexType *type,
                                guint64 address, guint depth);
gboolean index_view_find_element (IndexRun *run, const IndexValue *value, guint64 number,
                                  guint64 *ret_address);
/* Text of characters of 1, 2 or 4 bytes in quotes; mark: letter in front of them, or 0. */
char *index_format_quote (const guint8 *bytes, gsize size, guint width, char mark,
                          gboolean cut);
/* Takes nothing; value may fetch. */
char *index_format_real (long double real, guint64 size); /* in the fewest digits that identify
                                                           * it */
/* An integer of 16 bytes. Caller owns. */
char *index_format_wide (const guint8 *bytes, gboolean is_signed);
/* letter.c: by the letter of the limits; NULL: it does not apply to the value. */
JobValue *index_letter_format (IndexRun *run, const char *name, IndexValue *value);
JobValue *index_run_format (IndexRun *run, const char *name, IndexValue *value, guint depth);

/* Converts a link-time address of the image to one of the process. */
guint64 index_context_locate (const IndexContext *context, guint64 address);
