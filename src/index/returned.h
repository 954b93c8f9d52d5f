/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How functions return a value of a type: System V psABI x86-64, 3.2.3 "Returning of Values".
 * UNKNOWN where debug information does not say. */
#pragma once
#include "index/program.h"

typedef enum {
    INDEX_RETURN_UNKNOWN,
    INDEX_RETURN_MEMORY, /* its address is in rax */
    INDEX_RETURN_REGISTERS,
} IndexReturnKind;

/* Class of each eightbyte of a value in registers. */
typedef enum {
    INDEX_CLASS_NONE,
    INDEX_CLASS_INTEGER, /* rax, then rdx */
    INDEX_CLASS_SSE,     /* xmm0, then xmm1 */
    INDEX_CLASS_SSE_UP,  /* upper half of the last xmm */
    INDEX_CLASS_X87,     /* st0; st1 for the imaginary part */
    INDEX_CLASS_X87_UP,
    INDEX_CLASS_MEMORY,
} IndexClass;

typedef struct {
    IndexReturnKind kind;
    guint64 size;
    IndexClass classes[4]; /* of eightbytes; more than two only for complex long double */
} IndexReturn;

/* Of the type of the program's result. */
void index_program_classify_return (const IndexProgram *program, IndexReturn *ret_return);
/* Of any type of its table, returned or passed. */
void index_program_classify (const IndexProgram *program, guint32 type,
                             IndexReturn *ret_return);
/* Assembles the value's bytes (plan->size, at most 32) from registers. kind: REGISTERS. */
void index_return_assemble (const IndexReturn *plan, const IndexCallResult *registers,
                            guint8 *ret_bytes);
