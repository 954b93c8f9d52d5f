/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The read programs' wire form: what the symbol layer emits and index/program.c checks and runs.
 * Operands are ULEB128 unless said; types are indexes into the program's table. Jumps go forward
 * only, so that every program ends. */
#pragma once
#include <glib.h>

/* name, type name, type of the result, types, code */
#define INDEX_PROGRAM_TYPE "(ssua(uusttuaya(stuuu)a(xs))ay)"

typedef enum {
    INDEX_TYPE_VOID, INDEX_TYPE_BOOL, INDEX_TYPE_CHAR, INDEX_TYPE_UCHAR, INDEX_TYPE_SIGNED,
    INDEX_TYPE_UNSIGNED, INDEX_TYPE_FLOAT, INDEX_TYPE_COMPLEX, INDEX_TYPE_ENUM,
    INDEX_TYPE_POINTER, INDEX_TYPE_REFERENCE, INDEX_TYPE_FUNCTION, INDEX_TYPE_STRUCT,
    INDEX_TYPE_UNION, INDEX_TYPE_ARRAY, INDEX_TYPE_TYPEDEF,
    INDEX_N_TYPES
} IndexTypeKind;

/* A type on the wire: kind, flags, name, size, count (arrays; G_MAXUINT64 unknown), target
 * (INDEX_TYPE_NONE without), code that computes an array's upper bound (or empty),
 * members (name, offset, type, bit size or 0, bit offset), enumerators (value, name). */
#define INDEX_TYPE_NONE G_MAXUINT32
enum {
    INDEX_TYPE_TO_AGGREGATE = 1, /* pointer to something with parts */
    INDEX_TYPE_TO_CHAR = 2,      /* pointer to text */
    INDEX_TYPE_TO_FUNCTION = 4,
    INDEX_TYPE_INCOMPLETE = 8,
    INDEX_TYPE_COLUMN_MAJOR = 16,
};

typedef enum {
    INDEX_OP_END,
    INDEX_OP_LOCATION,   /* type, length, frame base's DWARF, length, DWARF: a place */
    INDEX_OP_CONSTANT,   /* type, SLEB value */
    INDEX_OP_BYTES,      /* type, length, bytes */
    INDEX_OP_REGISTER,   /* type, DWARF number */
    INDEX_OP_PROBLEM,    /* type, length, text */
    INDEX_OP_MEMBER,     /* type, offset, bit size, bit offset */
    INDEX_OP_DEREF,      /* type: pointer to place */
    INDEX_OP_ADDRESS,    /* type: place to pointer */
    INDEX_OP_INDEX,      /* type of element, its size: place or pointer, integer to place */
    INDEX_OP_SLICE,      /* type of array, SLEB first, size of element */
    INDEX_OP_OFFSET,     /* type, size of element: pointer, integer to pointer */
    INDEX_OP_CAST,       /* type */
    INDEX_OP_UNARY,      /* type, operator */
    INDEX_OP_BINARY,     /* type, operator: operands already have the common type */
    INDEX_OP_JUMP,       /* bytes to skip */
    INDEX_OP_JUMP_FALSE, /* bytes to skip; pops */
    INDEX_OP_STATIC,     /* type, ULEB link-time address: a place */
    INDEX_N_OPS
} IndexOp;

typedef enum {
    INDEX_OPERATOR_ADD = 1, INDEX_OPERATOR_SUBTRACT, INDEX_OPERATOR_MULTIPLY,
    INDEX_OPERATOR_DIVIDE, INDEX_OPERATOR_MODULO, INDEX_OPERATOR_AND, INDEX_OPERATOR_OR,
    INDEX_OPERATOR_XOR, INDEX_OPERATOR_LEFT, INDEX_OPERATOR_RIGHT, INDEX_OPERATOR_EQUAL,
    INDEX_OPERATOR_UNEQUAL, INDEX_OPERATOR_LESS, INDEX_OPERATOR_LESS_EQUAL,
    INDEX_OPERATOR_GREATER, INDEX_OPERATOR_GREATER_EQUAL, INDEX_OPERATOR_NEGATE,
    INDEX_OPERATOR_NOT, INDEX_OPERATOR_COMPLEMENT, INDEX_N_OPERATORS
} IndexOperator;
