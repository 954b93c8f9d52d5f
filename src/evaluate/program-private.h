/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of program share: decoded types, the values of a run. */
#pragma once
#include "base/array.h"
#include "base/cursor.h"
#include "base/real.h"
#include "evaluate/code.h"
#include "evaluate/program.h"

typedef struct {
    const char *name;
    guint64 offset;
    guint32 type, bit_size, bit_offset;
} EvaluateMember;

typedef struct {
    gint64 value;
    const char *name;
} EvaluateEnumerator;

typedef struct {
    const guint8 *bytes;
    gsize size;
} EvaluateCode;

typedef struct {
    guint32 kind, flags, target;
    const char *name;
    guint64 size, count;
    gint64 lower;
    EvaluateCode codes[EVALUATE_N_CODES];
    guint32 view, n_view_types;
    const guint64 *view_numbers;
    gsize n_view_numbers;
    guint32 *view_types;
    EvaluateMember *members;
    guint n_members;
    EvaluateEnumerator *enumerators;
    guint n_enumerators;
} EvaluateType;

/* Where a value is that needs no run. */
typedef struct {
    enum {
        EVALUATE_PLAIN_NOT,
        EVALUATE_PLAIN_AT_CFA,
        EVALUATE_PLAIN_AT_REGISTER,
        EVALUATE_PLAIN_IN_REGISTER
    } place;
    guint number; /* of the register */
    guint64 offset;
    guint32 type;
} EvaluatePlain;

struct _EvaluateProgram {
    GVariant *variant; /* owns all strings */
    const char *name, *type_name;
    guint32 type, n_types;
    EvaluateType *types;
    const guint8 *code;
    gsize code_size;
    EvaluatePlain plain;
};

#define EVALUATE_MAX_SECTIONS 7
#define EVALUATE_REGISTER_ROOM 32u /* the largest register that has a name */

typedef enum {
    EVALUATE_PLACE_NONE,
    EVALUATE_PLACE_MEMORY,
    EVALUATE_PLACE_REGISTER
} EvaluatePlaceKind;

/* A dummy argument of Fortran's that the caller has left out. */
#define EVALUATE_NOT_PRESENT N_ ("<not present>")

/* A value of a run: its place, and its bytes once fetched. */
typedef struct {
    guint32 type;
    EvaluatePlaceKind place;
    guint64 address; /* or register */
    guint32 bit_size, bit_offset;
    GByteArray *bytes; /* NULL until fetched */
    GByteArray *gaps;  /* for bytes fetched in pieces: why each bit is unknown, or 0; NULL
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
    } sections[EVALUATE_MAX_SECTIONS];
    guint n_sections;
    char *problem; /* then the other fields are invalid */
} EvaluateValue;

typedef struct {
    const EvaluateProgram *program;
    const EvaluateContext *context;
    const EvaluateLimits *limits;
    guint depth;
    guint64 object;   /* what DW_OP_push_object_address pushes */
    gboolean is_kept; /* registers may be read through callees (EVALUATE_OP_LOCATION_KEPT) */
    const guint8 *frame_base; /* of the last location, for implicit pointers */
    gsize frame_base_size;
    gsize call_data;     /* bytes that this run's calls have written to the rank's memory */
    guint64 statics[64]; /* addresses of the static members being shown, */
    guint n_statics, static_depth; /* and their nesting depth */
    guint64 rest;                  /* hash of what the text leaves out; 0 nothing */
    guint64 spent;                 /* bytes that were read for it */
    guint n_compared;              /* values that were formatted for it alone */
    gboolean is_partial;           /* there is more than may be read, or it cannot be */
    GHashTable *said; /* of problems with arguments: text to JobText; NULL: none yet */
} EvaluateRun;

#define EVALUATE_MAX_NESTING 40 /* values in values */

/* said.c. A problem with arguments: notes how it was formed, takes said, and returns its text, which the caller
 * owns; a problem's text stands for it wherever values go in the run. */
char *evaluate_run_say (EvaluateRun *run, JobText *said);
/* The same of an error that another layer has made. */
char *evaluate_run_say_error (EvaluateRun *run, const GError *error);
/* FAULT: that a value has this problem. */
void evaluate_run_fail (const EvaluateRun *run, const char *problem, GError **error);
void evaluate_run_clear (EvaluateRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (EvaluateRun, evaluate_run_clear)

void evaluate_value_clear (EvaluateValue *value);
void evaluate_value_set_problem (EvaluateValue *value, char *problem); /* takes it */
/* Has `size` bytes afterwards, or a problem and FALSE. */
gboolean evaluate_value_fetch (EvaluateRun *run, EvaluateValue *value, gsize size);
/* The same, of which only these bits are needed. */
gboolean evaluate_value_fetch_bits (EvaluateRun *run, EvaluateValue *value, guint64 first,
                                    guint64 n_bits);
/* A part of value at offset, of a type. */
void evaluate_value_take_part (const EvaluateValue *value, guint32 type, guint64 offset,
                               EvaluateValue *ret_part);
/* The same, with at most so many of value's bytes: a part of known size needs no more. */
void evaluate_value_take_some (const EvaluateValue *value, guint32 type, guint64 offset,
                               guint64 most, EvaluateValue *ret_part);
const char *evaluate_value_get_reason (guint8 gap);
/* FALSE: the frame does not know it. */
gboolean evaluate_run_read_register (EvaluateRun *run, guint number, guint64 *ret_value);
gboolean evaluate_run_read_wide (EvaluateRun *run, guint number, guint8 *ret_bytes); /* 16 */
/* Through typedefs. Never NULL: index must be one of the table's. */
const EvaluateType *evaluate_program_get_type (const EvaluateProgram *program, guint32 index);
const EvaluateType *evaluate_run_get_type (const EvaluateRun *run, guint32 index);

/* arrays.c. Replaces an array value's address by its data's; FALSE: it has a problem. */
gboolean evaluate_run_resolve (EvaluateRun *run, EvaluateValue *value);
/* The following apply to the array that was resolved last. FALSE: its length cannot be read;
 * its count is then 0. */
gboolean evaluate_run_knows_count (EvaluateRun *run, const EvaluateType *array);
guint64 evaluate_run_find_count (EvaluateRun *run, const EvaluateType *array);
gint64 evaluate_run_find_lower (EvaluateRun *run, const EvaluateType *array);
gint64 evaluate_run_find_stride (EvaluateRun *run, const EvaluateType *array);
guint64 evaluate_run_find_size (EvaluateRun *run, guint32 type);
/* Converts a value of assumed rank to its actual array. FALSE: it has a problem. */
gboolean evaluate_run_take_rank (EvaluateRun *run, EvaluateValue *value, guint *ret_rank);
/* Whether an array is allocated or associated. FALSE: not known. */
gboolean evaluate_run_find_existence (EvaluateRun *run, const EvaluateValue *value,
                                      gboolean *ret_exists);
/* Element `number`, counted from 0. */
void evaluate_run_take_element (EvaluateRun *run, EvaluateValue *array, gint64 number,
                                EvaluateValue *ret_part);

typedef struct {
    enum { EVALUATE_SCALAR_SIGNED, EVALUATE_SCALAR_UNSIGNED, EVALUATE_SCALAR_FLOAT } kind;
    guint64 integer; /* sign-extended when signed */
    BaseReal real;
    int digits; /* of real: bits of its type's significand; 0: of no type */
} EvaluateScalar;
gboolean evaluate_value_read_scalar (EvaluateRun *run, EvaluateValue *value,
                                     EvaluateScalar *ret_scalar);
/* An integer of at most 8 bytes. */
EvaluateScalar evaluate_scalar_from_bits (const EvaluateType *type, guint64 bits);
/* Bytes of a scalar in a type. FALSE when the type is no scalar. */
gboolean evaluate_scalar_store (const EvaluateType *type, const EvaluateScalar *scalar,
                                guint8 *ret_bytes, gsize *ret_size);

/* Of 2, 4, 8 or 16 bytes; a quad is IEEE's binary128, else 16 bytes hold one of x87's. */
BaseReal evaluate_real_read (const guint8 *bytes, guint64 size, gboolean is_quad);
void evaluate_real_store (BaseReal real, guint64 size, gboolean is_quad, guint8 *ret_bytes);
/* Bits of the significand. 0: no such number, or one that this pddt does not know. */
int evaluate_real_count_digits (guint64 size, gboolean is_quad);
/* Caller owns. */
char *evaluate_real_format (BaseReal real, guint64 size, gboolean is_quad);
void evaluate_scalar_convert (EvaluateScalar *scalar, gboolean to_float);
/* FALSE: the operator does not apply to such numbers, or division by zero. */
gboolean evaluate_scalar_compute_real (guint operator_id, const EvaluateScalar *left,
                                       const EvaluateScalar *right, EvaluateScalar *result);
/* With one number. FALSE: the operator does not apply to it. */
gboolean evaluate_scalar_round (guint operator_id, EvaluateScalar *scalar);
/* Converts both to their common type, as in C. FALSE: there is no result. */
gboolean evaluate_scalar_combine (guint operator_id, EvaluateScalar *left,
                                  EvaluateScalar *right, EvaluateScalar *ret_result);
gboolean evaluate_scalar_compute (guint operator_id, guint64 a, guint64 b, gboolean with_sign,
                                  EvaluateScalar *result);

#define EVALUATE_MAX_STACK 64
typedef struct {
    EvaluateRun *run;
    BaseCursor cursor;
    guint n;
    gboolean broken;
    EvaluateValue stack[EVALUATE_MAX_STACK]; /* only the first n are valid */
} EvaluateMachine;
/* machine.c. NULL: the stack is full, or there is no such type. */
EvaluateValue *evaluate_machine_push (EvaluateMachine *machine, guint32 type);
gboolean evaluate_machine_pop (EvaluateMachine *machine, EvaluateValue *ret_value);
void evaluate_machine_push_problem (EvaluateMachine *machine, guint32 type,
                                    const char *problem);
void evaluate_machine_push_scalar (EvaluateMachine *machine, guint32 type,
                                   const EvaluateScalar *scalar);
void evaluate_machine_push_place (EvaluateMachine *machine, guint32 type, guint64 address);
/* Pops a number; FALSE after pushing its problem as the result of type. */
gboolean evaluate_machine_pop_scalar (EvaluateMachine *machine, guint32 type,
                                      EvaluateScalar *ret_scalar);
gboolean evaluate_machine_pop_two (EvaluateMachine *machine, guint32 type, EvaluateScalar *left,
                                   EvaluateScalar *right);
/* Undoes popping two operands: leaves only the problem of the upper one. */
void evaluate_machine_drop_below (EvaluateMachine *machine);
/* sections.c. The characters of a text; NULL: the value has a problem. */
GByteArray *evaluate_run_read_text (EvaluateRun *run, EvaluateValue *value);
/* The operations EVALUATE_OP_SECTION … of code.h. */
void evaluate_machine_run_section (EvaluateMachine *machine, guint32 type);
void evaluate_machine_run_component (EvaluateMachine *machine, guint32 type);
void evaluate_machine_run_shape (EvaluateMachine *machine, guint32 type);
void evaluate_machine_run_text (EvaluateMachine *machine, guint32 type);
/* kept.c. The operations EVALUATE_OP_KEPT and EVALUATE_OP_KEEP. */
void evaluate_machine_run_kept (EvaluateMachine *machine, guint32 type);
void evaluate_machine_run_keep (EvaluateMachine *machine, guint32 type);
/* kept.c. Passes it to EvaluateContext's note_value; does not change it. */
void evaluate_kept_note (EvaluateRun *run, const EvaluateValue *value);
/* run.c. Converts a bit-field to a number of its type. FALSE: it has a problem. */
gboolean evaluate_value_spread_bits (EvaluateRun *run, EvaluateValue *value);
/* keys.c. The operations EVALUATE_OP_KEY, EVALUATE_OP_STRINGS and EVALUATE_OP_STRING. */
void evaluate_machine_run_key (EvaluateMachine *machine, guint32 type);
void evaluate_machine_run_strings (EvaluateMachine *machine, guint32 type);
void evaluate_machine_run_string (EvaluateMachine *machine, guint32 type);
/* complex.c. Of any number. FALSE: it is none, or has a problem. */
gboolean evaluate_value_read_complex (EvaluateRun *run, EvaluateValue *value,
                                      BaseReal ret_parts[2]);
/* Bytes of a complex type, at most 32. FALSE: it is no such type. */
gboolean evaluate_complex_store (const EvaluateType *type, const BaseReal parts[2],
                                 guint8 *ret_bytes);
/* TRUE: one of the n operands on top of the stack is complex. */
gboolean evaluate_machine_has_complex (EvaluateMachine *machine, guint n);
/* vectors.c. TRUE: one of the n operands on top of the stack is a vector. */
gboolean evaluate_machine_has_vector (EvaluateMachine *machine, guint n);
/* With two operands, or one. */
void evaluate_machine_run_vector (EvaluateMachine *machine, guint32 type, guint operator_id,
                                  guint n);
/* With two operands, or one. */
void evaluate_machine_run_complex (EvaluateMachine *machine, guint32 type, guint operator_id,
                                   guint n);

/* plain.c. Sets the program's `plain`. */
void evaluate_plain_find (EvaluateProgram *program);
/* Runs code and returns the value on top of the stack. FALSE with CORRUPT. */
gboolean evaluate_run_code (EvaluateRun *run, const guint8 *code, gsize size,
                            EvaluateValue *ret_value, GError **error);
/* A DWARF location expression, DWARF 5 section 2.5 and 2.6; problems are stored in the
 * value. */
void evaluate_run_location (EvaluateRun *run, const guint8 *frame_base, gsize frame_base_size,
                            const guint8 *expression, gsize size, EvaluateValue *value);
#define EVALUATE_MAX_ARGUMENTS 32
/* decimal.c. Of 4, 8 or 16 bytes; NULL: of another size. Caller owns. */
char *evaluate_decimal_format (const guint8 *bytes, guint64 size);
/* decimal-math.c. TRUE: one of the n operands on top of the stack is decimal. */
gboolean evaluate_machine_has_decimal (EvaluateMachine *machine, guint n);
/* With two operands, or one. */
void evaluate_machine_run_decimal (EvaluateMachine *machine, guint32 type, guint operator_id,
                                   guint n);
/* assign.c. The operation EVALUATE_OP_ASSIGN. */
void evaluate_machine_run_assign (EvaluateMachine *machine, guint32 type,
                                  gboolean is_old_wanted);
/* calls.c. Calls operands[0] with operands[1 … n]; the result is of type, or a problem. */
void evaluate_run_call (EvaluateRun *run, guint32 type, EvaluateValue *operands, guint n,
                        guint32 by_reference, guint32 by_descriptor, EvaluateValue *ret_value);

/* rest.c */
void evaluate_rest_note (EvaluateRun *run, guint64 hash);
/* For a value that the text leaves out: formats it, as nobody has shown any of it yet, and counts its
 * text. What is too deep or too much makes the run's value a partial one. */
void evaluate_rest_note_value (EvaluateRun *run, EvaluateValue *value);
/* Of a container: its elements from first on. */
void evaluate_rest_note_elements (EvaluateRun *run, const EvaluateType *type, guint64 address,
                                  guint first);
void evaluate_rest_note_memory (EvaluateRun *run, guint64 address, guint64 size);
/* FALSE: none of the bytes is to be read, as nothing is compared, or as they are too many. */
gboolean evaluate_rest_spend (EvaluateRun *run, guint64 size);
/* FALSE: it cannot be read completely. */
gboolean evaluate_rest_read (EvaluateRun *run, guint64 address, guint64 size, guint64 *hash);
/* For truncated text: characters of width bytes up to a zero, or size. */
void evaluate_rest_note_text (EvaluateRun *run, guint64 address, guint64 size, guint width);
/* elements.c. For an array or container of which only the first elements are shown. FALSE: its
 * elements are no numbers, or do not lie side by side. */
gboolean evaluate_elements_note_rest (EvaluateRun *run, const EvaluateValue *value);

/* containers.c */
gboolean evaluate_view_is_complete (const EvaluateType *type);
gboolean
evaluate_view_is_map (const EvaluateType *type); /* its elements have a key and a value */
/* NULL: no container, or its contents cannot be shown. */
JobValue *evaluate_view_format (EvaluateRun *run, const char *name, EvaluateValue *value,
                                guint depth);
/* held.c. A value in memory, or the bytes of one that is in none as if they were there. */
#define EVALUATE_HELD_AT                                                                       \
    G_GUINT64_CONSTANT (                                                                       \
        0xffff000000000000) /* where these are; what is missing cannot be read */
typedef struct {
    BaseMemoryReader reader;
    BaseMemoryReader *memory;
    const EvaluateValue *held;
    EvaluateValue value; /* it, in memory */
    EvaluateContext context;
    const EvaluateContext *before; /* NULL: it is in memory */
} EvaluateHold;
/* Until the end the run's context is hold's. FALSE, and nothing to end: its bytes are not known. */
gboolean evaluate_hold_begin (EvaluateRun *run, EvaluateValue *value, EvaluateHold *hold);
void evaluate_hold_end (EvaluateRun *run, EvaluateHold *hold);
gboolean evaluate_view_find_count (EvaluateRun *run, const EvaluateValue *value,
                                   guint64 *ret_count);
/* Of std::vector<bool> and std::bitset. FALSE: there is none. */
gboolean evaluate_view_find_bit (EvaluateRun *run, const EvaluateValue *value, guint64 number,
                                 gboolean *ret_bit);
/* Appends the addresses (guint64) of the first max elements or nodes' values. FALSE: it is no container. */
gboolean evaluate_view_list_places (EvaluateRun *run, const EvaluateValue *value, guint64 max,
                                    GArray *places);
/* A container's name without template arguments and version namespaces. Caller owns. */
char *evaluate_view_dup_head (const EvaluateType *type);
/* A type's name as people write it. */
void evaluate_view_append_name (GString *text, const char *name);
/* A string's characters and length. In the form with four numbers, a short text is in the
 * object itself if the lowest bit of the third is clear; the upper bits are its length. */
gboolean evaluate_view_find_characters (EvaluateRun *run, const EvaluateType *type,
                                        guint64 address, guint64 *ret_pointer,
                                        guint64 *ret_length);
/* wrappers.c. NULL: show its members. */
JobValue *evaluate_wrapper_format (EvaluateRun *run, const char *name, const EvaluateType *type,
                                   guint64 address, guint depth);
gboolean evaluate_view_find_element (EvaluateRun *run, const EvaluateValue *value,
                                     guint64 number, guint64 *ret_address);
/* Text of characters of 1, 2 or 4 bytes in quotes; mark: letter in front of them, or 0. */
/* One character as it stands in quotes of this kind. */
void evaluate_quote_append (GString *text, guint32 c, char quote);
/* An array of characters of this type; *cut: there is more than these bytes, and then also whether
 * the limits have left some out. */
char *evaluate_quote_array (const guint8 *bytes, gsize size, const EvaluateType *character,
                            const EvaluateLimits *limits, gboolean *cut);
char *evaluate_quote_fortran (const guint8 *bytes, gsize size, guint width, gboolean cut);
char *evaluate_format_quote (const guint8 *bytes, gsize size, guint width, char mark,
                             gboolean cut);
/* Of an integer, character, truth value or enumerator. Caller owns. */
char *evaluate_format_integer (const EvaluateType *type, const EvaluateScalar *scalar);
/* Appends a pointer of that type, whose name is `name`. */
void evaluate_format_pointer (EvaluateRun *run, GString *text, const EvaluateType *type,
                              const char *name, guint64 address, gint64 adjustment,
                              guint depth);
/* An integer of 16 bytes. Caller owns. */
char *evaluate_format_wide (const guint8 *bytes, gboolean is_signed);
/* letter.c: by the letter of the limits; NULL: it does not apply to the value. */
JobValue *evaluate_letter_format (EvaluateRun *run, const char *name, EvaluateValue *value);
JobValue *evaluate_run_format (EvaluateRun *run, const char *name, EvaluateValue *value,
                               guint depth);

/* Converts a link-time address of the image to one of the process. */
guint64 evaluate_context_locate (const EvaluateContext *context, guint64 address);
