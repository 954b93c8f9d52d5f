/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read programs: an expression is compiled once per image and place, and run for every rank: a
 * DWARF-like stack machine plus typed steps, with the tables of types that are needed to show
 * the result. Bytes come over a socket from pddt-symbols and are untrusted. */
#pragma once
#include "base/memory-reader.h"
#include "job/value.h"
#include "machine/passing.h"

typedef struct _EvaluateProgram EvaluateProgram;

/* A call in registers and memory. */
typedef struct {
    guint64 function;
    MachineArguments arguments;
    guint32 in_data;       /* bit i: that word is an offset in data */
    guint64 stack_in_data; /* bit i: that word of the stack is an offset in data */
    GByteArray *data;      /* arguments in memory, aligned by 16 */
    gsize kept;            /* bytes of earlier calls' data, which must not change */
} EvaluateCall;

typedef struct {
    BaseMemoryReader *memory;
    /* By DWARF register number, of the frame; FALSE: not saved. */
    gboolean (*read_register) (gpointer user, guint number, guint64 *ret_value);
    gpointer user;
    guint64 bias;       /* of the image that the program was bound in */
    guint64 cfa;        /* of the frame */
    guint64 fs_base;    /* thread pointer, for thread-local variables */
    guint64 tls_offset; /* of the image's TLS block below fs_base; 0 unknown */
    guint *used;        /* collects INDEX_USED_…; NULL: not wanted */
    /* "work", "table+8": the symbol at an address of the process; NULL. Caller owns. May be
     * NULL, like the following. */
    char *(*describe_address) (gpointer user, guint64 address);
    /* The actual address of the image's variable: a program may have a copy of a library's
     * variable that replaces it (a copy relocation). NULL: there are no copies. */
    guint64 (*find_copy) (gpointer user, guint64 address);
    /* The variable or function that the dynamic linker finds by that name. FALSE: there is none
     * (yet). */
    gboolean (*find_shared) (gpointer user, const char *name, guint64 *ret_address);
    /* The value of the DWARF expression (of one operation) on entry to the frame's function,
     * from the caller's call site. FALSE: unknown. */
    gboolean (*find_entry_value) (gpointer user, const guint8 *expression, gsize size,
                                  guint64 *ret_value);
    /* The CFA of the frame's caller whose function has those link-time addresses. FALSE: there
     * is none, or more than one, or it is not known. */
    gboolean (*find_caller) (gpointer user, guint64 low, guint64 size, guint64 *ret_cfa);
    /* As read_register, for a frame whose callees are known not to change the register. */
    gboolean (*read_kept_register) (gpointer user, guint number, guint64 *ret_value);
    /* 16 bytes of a vector register (17 xmm0 … 32 xmm15; from EVALUATE_REGISTER_YMM the upper half of
     * ymm0 …) or of x87's stack (33 st0 … 40 st7). */
    gboolean (*read_wide_register) (gpointer user, guint number, gboolean is_kept,
                                    guint8 *ret_bytes);
    /* Changes a register of the frame. FALSE: it cannot be changed. */
    gboolean (*write_register) (gpointer user, guint number, guint64 value);
    /* The same with those of read_wide_register. */
    gboolean (*write_wide_register) (gpointer user, guint number, const guint8 *bytes);
    /* Address of the image's TLS block of this thread. FALSE: it has none yet, or it is not
     * known. */
    gboolean (*find_tls_block) (gpointer user, guint64 *ret_address);
    /* Runs a function in the rank. FALSE with an error. NULL: calls are not possible here. */
    gboolean (*call) (gpointer user, const EvaluateCall *call, MachineResult *ret_result,
                      GError **error);
    /* The bytes of the convenience variable of that name. NULL: void. Borrowed. May be NULL. */
    GBytes *(*find_kept) (gpointer user, const char *name);
    /* Sets a convenience variable; without bytes, makes it void. NULL: not possible here. */
    void (*keep) (gpointer user, const char *name, const char *type, const guint8 *bytes,
                  gsize size);
    /* Gets the value that a run gives, if it is complete and not too large. NULL: not
     * wanted. */
    void (*note_value) (gpointer user, const char *type, const guint8 *bytes, gsize size);
    /* Called before a variable is changed. NULL: nothing may be changed here. */
    void (*note_change) (gpointer user);
    guint64 *spent; /* gets the bytes that were read to compare them added; NULL: not wanted */
} EvaluateContext;

/* What a run depends on beyond memory at fixed addresses. */
enum {
    EVALUATE_USED_FRAME = 1 << 0,    /* a register or the CFA of the frame */
    EVALUATE_USED_REGISTER = 1 << 1, /* a value that lives in a register */
    EVALUATE_USED_CALL
    = 1 << 2, /* a function that was not called, because calls are not possible */
};

typedef struct {
    guint depth;      /* nesting of aggregates shown, default 3 */
    guint items;      /* array elements, default 8 */
    guint bytes;      /* of a string, default 200 */
    guint64 compared; /* bytes of what the text omits to compare by hash; default 0: none */
    guint repeats;    /* more equal characters in an array are folded; default 0: never */
    char letter;      /* gdb's print/F for all numbers in it; default 0: as their types are */
} EvaluateLimits;
#define EVALUATE_LIMITS_DEFAULT                                                                \
    {                                                                                          \
        3, 8, 200                                                                              \
    }

EvaluateProgram *evaluate_program_decode (GVariant *variant, GError **error); /* CORRUPT */
void evaluate_program_free (EvaluateProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EvaluateProgram, evaluate_program_free)
/* The variable's or expression's name as bound. */
const char *evaluate_program_get_name (const EvaluateProgram *program);
const char *evaluate_program_get_type_name (const EvaluateProgram *program);
/* Runs it. "optimised out", "not saved" and unreadable memory give a value with is_problem; an
 * error means that the program itself is malformed (CORRUPT). */
JobValue *evaluate_program_run (const EvaluateProgram *program, const EvaluateContext *context,
                                const EvaluateLimits *limits, GError **error);
/* Appends the text of the value that evaluate_program_run gives, of a number, enumerator or pointer that is in the frame's
 * memory or one of its registers. FALSE, with nothing appended: it is something else, or has a problem. */
gboolean evaluate_program_append_plain (const EvaluateProgram *program,
                                        const EvaluateContext *context,
                                        const EvaluateLimits *limits, GString *text);
/* The text of a type from symbol_bind_type, its blanks filled in from the frame's values;
 * without a context, with their defaults. Caller owns. */
char *evaluate_program_write_type (const EvaluateProgram *program,
                                   const EvaluateContext *context);
/* The target of the result's vtable pointer, if the object has one. */
gboolean evaluate_program_find_vtable (const EvaluateProgram *program,
                                       const EvaluateContext *context, guint64 *ret_vtable);

typedef struct {
    guint64 address, size;
} EvaluateRange;

/* The elements of an array of numbers; *ret_shape: their kind and the shape: "<f8 3 4" ("<q16": binary128, "<q2": bfloat16), in
 * numpy's letters, the elements in C order; a Fortran array's in its own order (the first index
 * fastest), with the lower bounds: "<f8 3 4 F -1 1". UNSUPPORTED for anything else. */
GBytes *evaluate_program_read_array (const EvaluateProgram *program,
                                     const EvaluateContext *context, char **ret_shape,
                                     GError **error);
/* The value's own bytes, without following strings and pointers. Appends to ranges (GArray of
 * EvaluateRange) every piece of memory that evaluating it has read. *ret_used: INDEX_USED_… NULL:
 * the value is not available (FAULT); ranges has what was read until then. */
GBytes *evaluate_program_trace (const EvaluateProgram *program, const EvaluateContext *context,
                                GArray *ranges, guint *ret_used, GError **error);
