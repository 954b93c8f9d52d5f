/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The read programs' wire form: what the symbol layer emits and index/program.c checks and runs.
 * Operands are ULEB128 unless said; types are indexes into the program's table. Jumps go forward
 * only, so that every program ends. */
#pragma once
#include <glib.h>

/* A type: kind, flags, name, size, count (arrays; G_MAXUINT64 unknown), target (INDEX_TYPE_NONE
 * without), lower bound (arrays), code (one of INDEX_CODE_*, missing or empty without), members
 * (name, offset, type, bit size or 0, bit offset or INDEX_MEMBER_*), enumerators (value, name),
 * view (INDEX_VIEW_*, numbers, types). */
#define INDEX_TYPE_TYPE "(uusttuxaaya(stuuu)a(xs)(uatau))"
/* name, type name, type of the result, types, code */
#define INDEX_PROGRAM_TYPE "(ssua" INDEX_TYPE_TYPE "ay)"

/* After DWARF's numbers: ymm0 … ymm15. Reading 16 bytes gives their upper half. */
#define INDEX_REGISTER_YMM 200

/* In an expression, this mark encloses the hexadecimal address, a space and the name of another
 * file's function. */
#define INDEX_OUTSIDE_MARK '\002'

/* A vendor-defined DWARF operation for frame bases. Operands: low address and length of a
 * function as ULEB. Pushes the CFA of that function's frame if there is exactly one among the
 * callers. */
#define INDEX_LOCATION_CALLER 0xe8

/* Follows an expression that uses convenience variables ($x): for each existing one its name, a
 * space, its type and this mark again. Without the mark, there are none. */
#define INDEX_KEPT_MARK '\003'

/* In a type's text, encloses the number of a blank that the rank fills in, and ends its default
 * for unknown values: MARK 0 MARK (:,:) MARK. The program has, for each blank, the number of
 * dimensions whose bounds it takes (0: a text's length), the length of code, and code that
 * pushes the array or text. */
#define INDEX_BLANK_MARK '\001'

/* An inline depth: outside of all functions, in the file around pc. */
#define INDEX_NO_FRAME G_MAXUINT32

/* Which variables of a frame: its arguments; these, then the local variables of all blocks around
 * pc (inner ones first when they shadow); those outside functions of the same source file. */
typedef enum {
    INDEX_VARIABLES_ARGUMENTS,
    INDEX_VARIABLES_LOCALS,
    INDEX_VARIABLES_GLOBALS,
} IndexVariables;

typedef enum {
    INDEX_TYPE_VOID,
    INDEX_TYPE_BOOL,
    INDEX_TYPE_CHAR,
    INDEX_TYPE_UCHAR,
    INDEX_TYPE_SIGNED,
    INDEX_TYPE_UNSIGNED,
    INDEX_TYPE_FLOAT,
    INDEX_TYPE_COMPLEX,
    INDEX_TYPE_ENUM,
    INDEX_TYPE_POINTER,
    INDEX_TYPE_REFERENCE,
    INDEX_TYPE_FUNCTION,
    INDEX_TYPE_STRUCT,
    INDEX_TYPE_UNION,
    INDEX_TYPE_ARRAY,
    INDEX_TYPE_TYPEDEF,
    INDEX_N_TYPES
} IndexTypeKind;

#define INDEX_TYPE_NONE G_MAXUINT32
#define INDEX_MAX_RANK 6u /* of arrays of assumed rank */

/* Code for an array with a run-time descriptor, each giving a number: the upper bound, the
 * lower bound, bytes from element to element; and DWARF, run with the object's address, for the
 * data's address and whether it exists. */
enum {
    INDEX_CODE_UPPER,
    INDEX_CODE_LOWER,
    INDEX_CODE_STRIDE,
    INDEX_CODE_DATA,
    INDEX_CODE_EXISTS,
    INDEX_N_CODES
};

/* Instead of a bit offset: the meaning of `offset` for members outside the object. */
#define INDEX_MEMBER_STATIC G_MAXUINT32         /* link-time address */
#define INDEX_MEMBER_CONSTANT (G_MAXUINT32 - 1) /* its value */
#define INDEX_MEMBER_VIRTUAL (G_MAXUINT32 - 2)  /* place in the vtable of the base's offset */
#define INDEX_MEMBER_ELSEWHERE(bits) ((bits) >= INDEX_MEMBER_VIRTUAL)

/* C++ containers that are shown by their contents, with their numbers (offsets and sizes, in
 * this order) and types. */
typedef enum {
    INDEX_VIEW_NONE,
    INDEX_VIEW_STRING,  /* pointer, length, or also: byte that says where and how long, the
                             text in the object; character */
    INDEX_VIEW_VECTOR,  /* first, last, end; element */
    INDEX_VIEW_BITS,    /* first word, last word, last bit, end; bool */
    INDEX_VIEW_ARRAY,   /* elements, count; element */
    INDEX_VIEW_DEQUE,   /* first: current, end, node; last: current, first, node; elements of a
                             node; element */
    INDEX_VIEW_LIST,    /* head, value in a node, next in a node (else 0); element */
    INDEX_VIEW_FORWARD, /* head, value in a node; element */
    INDEX_VIEW_TREE,  /* header, count, value in a node, key, mapped (set: none), or also: left,
                             right, parent in a node, and the header is the first node; key, mapped */
    INDEX_VIEW_HASH,  /* first, count, value in a node, key, mapped (set: none); key, mapped */
    INDEX_VIEW_TUPLE, /* offset of each; type of each */
    INDEX_VIEW_UNIQUE, /* pointer; pointer's type */
    INDEX_VIEW_SHARED, /* pointer, counts, use, weak, what both lack (else 0); pointer's type */
    INDEX_VIEW_OPTIONAL, /* value, flag; value */
    INDEX_VIEW_VARIANT,  /* value, index, size of index; alternatives */
    INDEX_VIEW_SPAN,     /* pointer, count or, when the third is 1, how many; element */
    INDEX_VIEW_BITSET,   /* words, bits; bool */
    INDEX_VIEW_WRAP,     /* value, IndexWrap, for a duration numerator and denominator; value */
    INDEX_VIEW_ITERATOR, /* pointer, value in what it points to, that is a tree's node; element */
    INDEX_VIEW_ANY, /* manager, storage, then of each type its manager's link-time address, and
                             whether the storage only points to the value; types */
    INDEX_VIEW_FUNCTION, /* manager, invoker, functor */
    INDEX_N_VIEWS
} IndexView;

/* What the text of INDEX_VIEW_WRAP says of the value. */
typedef enum {
    INDEX_WRAP_ADAPTER,
    INDEX_WRAP_PATH,
    INDEX_WRAP_ATOMIC,
    INDEX_WRAP_TIME,
    INDEX_WRAP_DURATION,
    INDEX_N_WRAPS
} IndexWrap;

enum {
    INDEX_TYPE_TO_AGGREGATE = 1, /* pointer to something with parts */
    INDEX_TYPE_TO_CHAR = 2,      /* pointer to text */
    INDEX_TYPE_TO_FUNCTION = 4,
    INDEX_TYPE_INCOMPLETE = 8,
    INDEX_TYPE_COLUMN_MAJOR = 16,
    INDEX_TYPE_FORTRAN = 32, /* shown as Fortran writes it */
    INDEX_TYPE_CXX = 64,
    INDEX_TYPE_DYNAMIC = 128,      /* has a vtable pointer at its start */
    INDEX_TYPE_BY_REFERENCE = 256, /* passed and returned by address, because copying it is not
                                      trivial */
    INDEX_TYPE_UNSURE = 512,       /* not known whether that is so */
    INDEX_TYPE_VECTOR = 1024,      /* an array that the processor treats as one value */
    INDEX_TYPE_QUAD = 4096,        /* 16 bytes of IEEE's binary128, else x87's numbers */
    INDEX_TYPE_DECIMAL = 32768,    /* decimal floating point: a STRUCT without members */
    INDEX_TYPE_WHOLE = 65536,      /* COMPLEX whose parts are integers, */
    INDEX_TYPE_WHOLE_UNSIGNED = 131072, /* without a sign */
    INDEX_TYPE_LITERAL = 262144,        /* a text or array literal of the expression */
    INDEX_TYPE_RANKED
    = 524288, /* a STRUCT that is an array of a number of dimensions that INDEX_CODE_UPPER
                                    gives; the view's types are it with 0, 1 … of them */
    INDEX_TYPE_TO_METHOD = 16384, /* pointer to a function of a class: odd for a virtual one */
    INDEX_TYPE_UNSIGNED_ENUM = 8192, /* no enumerator is negative */
    INDEX_TYPE_ASSOCIATED
    = 2048, /* INDEX_CODE_EXISTS is about a pointer, not about allocation */
};

/* The enumerators of a pointer to a method: what its two words hold for a virtual function. */
#define INDEX_METHOD_KEY(word, adjustment) ((guint64) (word) | (guint64) (adjustment) << 32)

typedef enum {
    INDEX_OP_END,
    INDEX_OP_LOCATION,      /* type, length, frame base's DWARF, length, DWARF: a place */
    INDEX_OP_CONSTANT,      /* type, SLEB value */
    INDEX_OP_BYTES,         /* type, length, bytes */
    INDEX_OP_REGISTER,      /* type, DWARF number */
    INDEX_OP_PROBLEM,       /* type, length, text */
    INDEX_OP_MEMBER,        /* type, offset, bit size, bit offset */
    INDEX_OP_DEREF,         /* type: pointer to place */
    INDEX_OP_ADDRESS,       /* type: place to pointer */
    INDEX_OP_INDEX,         /* type of element, its size: place or pointer, integer to place */
    INDEX_OP_SLICE,         /* type of array, SLEB first, size of element */
    INDEX_OP_OFFSET,        /* type, size of element: pointer, integer to pointer */
    INDEX_OP_CAST,          /* type */
    INDEX_OP_UNARY,         /* type, operator */
    INDEX_OP_BINARY,        /* type, operator: operands already have the common type */
    INDEX_OP_JUMP,          /* bytes to skip */
    INDEX_OP_JUMP_FALSE,    /* bytes to skip; pops */
    INDEX_OP_STATIC,        /* type, ULEB link-time address: a place */
    INDEX_OP_VIRTUAL,       /* type, SLEB: the base whose offset lies there in the vtable */
    INDEX_OP_WHOLE,         /* type: the object that the place is a base of, by its vtable */
    INDEX_OP_ELEMENT,       /* type: container, integer to place */
    INDEX_OP_COUNT,         /* type: container to the number of its elements */
    INDEX_OP_LOCATION_KEPT, /* as LOCATION; registers that no frame saved have the innermost
                               frame's value: the compiler knows that no callee changes them */
    INDEX_OP_SECTION, /* type, number of dimensions, for each from the outermost 1 (section) or 0:
                            array, then for each first, last, step or an index; to array or element;
                            an array of assumed rank must have as many */
    INDEX_OP_CALL, /* type returned, n, bit i: argument i by its address, bit i: by that of its
                            descriptor: function, n arguments to what it returns */
    INDEX_OP_KEY, /* type, 0 or 1: map and key to the mapped value, or to whether there is one */
    INDEX_OP_STRINGS, /* type, operator: two texts of C++ or C, compared */
    INDEX_OP_DROP,    /* type: two values; keeps the upper one */
    INDEX_OP_COMPONENT, /* type of array, offset: array of structures to array of a member of each */
    INDEX_OP_SHAPE, /* type, IndexShape, dimension from the innermost 1 or 0 for all: array to
                            number or array of numbers */
    INDEX_OP_TEXT,  /* type, operator or 0 to join them: two texts of Fortran; blanks at the end
                            do not count */
    INDEX_OP_SHARED, /* type, length, linker's name: a place in another file */
    INDEX_OP_DUP,    /* type: a place to two of it */
    INDEX_OP_ASSIGN, /* type, 0 or 1: assigns the value to the place; gives the place or its
                            previous value */
    INDEX_OP_APPEND, /* type: array and value; appends the value to the array */
    INDEX_OP_KEPT,   /* type, length, name: the convenience variable's value */
    INDEX_OP_KEEP,   /* type, length, name: sets the convenience variable to the value */
    INDEX_N_OPS
} IndexOp;

typedef enum {
    INDEX_SHAPE_SIZE,
    INDEX_SHAPE_LOWER,
    INDEX_SHAPE_UPPER,
    INDEX_SHAPE_EXTENT,
    INDEX_SHAPE_LENGTH, /* characters of a text */
    INDEX_SHAPE_EXISTS, /* it is allocated or associated */
    INDEX_SHAPE_RANK,   /* of assumed rank */
    INDEX_N_SHAPES
} IndexShape;

typedef enum {
    INDEX_OPERATOR_ADD = 1,
    INDEX_OPERATOR_SUBTRACT,
    INDEX_OPERATOR_MULTIPLY,
    INDEX_OPERATOR_DIVIDE,
    INDEX_OPERATOR_MODULO,
    INDEX_OPERATOR_AND,
    INDEX_OPERATOR_OR,
    INDEX_OPERATOR_XOR,
    INDEX_OPERATOR_LEFT,
    INDEX_OPERATOR_RIGHT,
    INDEX_OPERATOR_EQUAL,
    INDEX_OPERATOR_UNEQUAL,
    INDEX_OPERATOR_LESS,
    INDEX_OPERATOR_LESS_EQUAL,
    INDEX_OPERATOR_GREATER,
    INDEX_OPERATOR_GREATER_EQUAL,
    INDEX_OPERATOR_NEGATE,
    INDEX_OPERATOR_NOT,
    INDEX_OPERATOR_COMPLEMENT,
    INDEX_OPERATOR_POWER,
    INDEX_OPERATOR_FLOOR_MODULO, /* has the sign of the right operand */
    INDEX_OPERATOR_ABSOLUTE,
    INDEX_OPERATOR_FLOOR,
    INDEX_OPERATOR_CEILING,
    INDEX_OPERATOR_COMPLEX,
    INDEX_OPERATOR_REAL_PART,
    INDEX_OPERATOR_IMAGINARY_PART,
    INDEX_OPERATOR_CONJUGATE,
    INDEX_OPERATOR_CAST, /* any number to a complex or decimal one, or the other way */
    INDEX_N_OPERATORS
} IndexOperator;
