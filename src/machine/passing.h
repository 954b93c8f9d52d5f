/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How values are passed to functions and come back from them, by the calling convention. A value is described by
 * the numbers that it consists of, whatever its type is called. Each instruction set has its own file for these
 * functions (x86-64-passing.c). */
#pragma once
#include "machine/registers.h"

/* What a value is as a whole. */
typedef enum {
    MACHINE_VALUE_NUMBER,
    MACHINE_VALUE_COMPLEX,
    MACHINE_VALUE_AGGREGATE
} MachineValueKind;

/* What it consists of. */
typedef enum {
    MACHINE_PART_INTEGER,     /* a number, an address */
    MACHINE_PART_BITS,        /* the byte that a bit field begins in */
    MACHINE_PART_FLOAT,       /* with 16 bytes: IEEE's */
    MACHINE_PART_LONG_DOUBLE, /* C's */
    MACHINE_PART_VECTOR,      /* numbers in one register; decimal floating point, too */
    MACHINE_PART_FIXED, /* makes the whole stay in memory: only the program's own code can copy it */
    MACHINE_PART_UNKNOWN,
} MachinePartKind;

typedef enum {
    MACHINE_PASSING_UNKNOWN,
    MACHINE_PASSING_MEMORY, /* returned: its address is in the first result register */
    MACHINE_PASSING_REGISTERS,
} MachinePassingKind;

#define MACHINE_PASSING_N_WORDS 4

typedef struct {
    MachinePassingKind kind;
    guint64 size;
    guint8 classes[MACHINE_PASSING_N_WORDS]; /* the convention's own, of each word */
    gboolean is_unknown, is_in_memory;       /* while parts are added */
} MachinePassing;

/* Begins the description of a value. TRUE: its parts decide; they are added, then it is finished. FALSE: its size
 * decides, and kind is set. */
gboolean machine_passing_begin (MachinePassing *passing, MachineValueKind kind, guint64 size);
void machine_passing_add (MachinePassing *passing, MachinePartKind kind, guint64 offset,
                          guint64 size);
void machine_passing_finish (MachinePassing *passing);

/* The registers that values come back in. */
typedef struct {
    guint64 integers[2];
    guint8 vectors[2][16];
    guint8 floats[2][16]; /* of long double, where that has registers of its own */
} MachineResult;

/* The bytes of a value that comes back in registers: size of it, 32 at most. */
void machine_passing_assemble (const MachinePassing *passing, const MachineResult *result,
                               guint8 *ret_bytes);

#define MACHINE_MAX_WORDS 8
#define MACHINE_MAX_VECTORS 8

/* Arguments as they are placed, the first first. */
typedef struct {
    guint64 words[MACHINE_MAX_WORDS]; /* in the order of the registers for them */
    guint n_words;
    guint8 vectors[MACHINE_MAX_VECTORS][16];
    guint n_vectors;
    GArray *stack; /* of guint64, the first lowest: what is beyond the registers */
} MachineArguments;

/* Where it is now: i in words, or MACHINE_MAX_WORDS + i on the stack. */
guint machine_arguments_add_word (MachineArguments *arguments, guint64 word);
/* A value that is not UNKNOWN: in registers, or whole on the stack. */
void machine_arguments_add_value (MachineArguments *arguments, const MachinePassing *passing,
                                  const guint8 *bytes);
