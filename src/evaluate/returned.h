/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How functions return a value of a type: System V psABI x86-64, 3.2.3 "Returning of Values".
 * UNKNOWN where debug information does not say. */
#pragma once
#include "evaluate/program.h"

typedef enum {
    EVALUATE_RETURN_UNKNOWN,
    EVALUATE_RETURN_MEMORY, /* its address is in rax */
    EVALUATE_RETURN_REGISTERS,
} EvaluateReturnKind;

/* Class of each eightbyte of a value in registers. */
typedef enum {
    EVALUATE_CLASS_NONE,
    EVALUATE_CLASS_INTEGER, /* rax, then rdx */
    EVALUATE_CLASS_SSE,     /* xmm0, then xmm1 */
    EVALUATE_CLASS_SSE_UP,  /* upper half of the last xmm */
    EVALUATE_CLASS_X87,     /* st0; st1 for the imaginary part */
    EVALUATE_CLASS_X87_UP,
    EVALUATE_CLASS_MEMORY,
} EvaluateClass;

typedef struct {
    EvaluateReturnKind kind;
    guint64 size;
    EvaluateClass classes[4]; /* of eightbytes; more than two only for complex long double */
} EvaluateReturn;

/* Of the type of the program's result. */
void evaluate_program_classify_return (const EvaluateProgram *program,
                                       EvaluateReturn *ret_return);
/* Of any type of its table, returned or passed. */
void evaluate_program_classify (const EvaluateProgram *program, guint32 type,
                                EvaluateReturn *ret_return);
/* Assembles the value's bytes (plan->size, at most 32) from registers. kind: REGISTERS. */
void evaluate_return_assemble (const EvaluateReturn *plan, const EvaluateCallResult *registers,
                               guint8 *ret_bytes);
