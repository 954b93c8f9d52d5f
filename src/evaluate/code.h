/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The read programs' wire form: what the symbol layer emits and evaluate/program.c checks and runs.
 * Operands are ULEB128 unless said; types are indexes into the program's table. Jumps go forward
 * only, so that every program ends. */
#pragma once
#include <glib.h>

/* A type: kind, flags, name, size, count (arrays; G_MAXUINT64 unknown), target (EVALUATE_TYPE_NONE
 * without), lower bound (arrays), code (one of INDEX_CODE_*, missing or empty without), members
 * (name, offset, type, bit size or 0, bit offset or INDEX_MEMBER_*), enumerators (value, name),
 * view (INDEX_VIEW_*, numbers, types). */
#define EVALUATE_TYPE_TYPE "(uusttuxaaya(stuuu)a(xs)(uatau))"
/* name, type name, type of the result, types, code */
#define EVALUATE_PROGRAM_TYPE "(ssua" EVALUATE_TYPE_TYPE "ay)"

/* After DWARF's numbers: ymm0 … ymm15. Reading 16 bytes gives their upper half. */
#define EVALUATE_REGISTER_YMM 200

/* In an expression, this mark encloses the hexadecimal address, a space and the name of another
 * file's function. */
#define EVALUATE_OUTSIDE_MARK '\002'

/* A vendor-defined DWARF operation for frame bases. Operands: low address and length of a
 * function as ULEB. Pushes the CFA of that function's frame if there is exactly one among the
 * callers. */
#define EVALUATE_LOCATION_CALLER 0xe8

/* Follows an expression that uses convenience variables ($x): for each existing one its name, a
 * space, its type and this mark again. Without the mark, there are none. */
#define EVALUATE_KEPT_MARK '\003'

/* Before a bracket in a Fortran expression, encloses the name of a vtab, "shapes_Ring": the CLASS object within, or the
 * element of an array of them, is of the type that the vtab is for. */
#define EVALUATE_CLASS_MARK '\004'

/* In a type's text, encloses the number of a blank that the rank fills in, and ends its default
 * for unknown values: MARK 0 MARK (:,:) MARK. The program has, for each blank, the number of
 * dimensions whose bounds it takes (0: a text's length), the length of code, and code that
 * pushes the array or text. */
#define EVALUATE_BLANK_MARK '\001'

/* An inline depth: outside of all functions, in the file around pc. */
#define EVALUATE_NO_FRAME G_MAXUINT32
/* Added to an inline depth: of the names of the whole program only those that the unit at pc has, or declares. */
#define EVALUATE_OWN_UNIT (1u << 30)

/* Which variables of a frame: its arguments; those of these that no variable hides, then the local variables of all blocks
 * around pc (of one name that of the innermost); the latter alone; those outside functions of the same source file. */
typedef enum {
    EVALUATE_VARIABLES_ARGUMENTS,
    EVALUATE_VARIABLES_LOCALS,
    EVALUATE_VARIABLES_OWN,
    EVALUATE_VARIABLES_GLOBALS,
} EvaluateVariables;

typedef enum {
    EVALUATE_TYPE_VOID,
    EVALUATE_TYPE_BOOL,
    EVALUATE_TYPE_CHAR,
    EVALUATE_TYPE_UCHAR,
    EVALUATE_TYPE_SIGNED,
    EVALUATE_TYPE_UNSIGNED,
    EVALUATE_TYPE_FLOAT,
    EVALUATE_TYPE_COMPLEX,
    EVALUATE_TYPE_ENUM,
    EVALUATE_TYPE_POINTER,
    EVALUATE_TYPE_REFERENCE,
    EVALUATE_TYPE_FUNCTION,
    EVALUATE_TYPE_STRUCT,
    EVALUATE_TYPE_UNION,
    EVALUATE_TYPE_ARRAY,
    EVALUATE_TYPE_TYPEDEF,
    EVALUATE_N_TYPES
} EvaluateTypeKind;

#define EVALUATE_TYPE_NONE G_MAXUINT32
#define EVALUATE_MAX_RANK 6u /* of arrays of assumed rank */

/* Code for an array with a run-time descriptor, each giving a number: the upper bound, the
 * lower bound, bytes from element to element; and DWARF, run with the object's address, for the
 * data's address and whether it exists. */
enum {
    EVALUATE_CODE_UPPER,
    EVALUATE_CODE_LOWER,
    EVALUATE_CODE_STRIDE,
    EVALUATE_CODE_DATA,
    EVALUATE_CODE_EXISTS,
    EVALUATE_N_CODES
};

/* Instead of a bit offset: the meaning of `offset` for members outside the object. */
#define EVALUATE_MEMBER_STATIC G_MAXUINT32         /* link-time address */
#define EVALUATE_MEMBER_CONSTANT (G_MAXUINT32 - 1) /* its value */
#define EVALUATE_MEMBER_VIRTUAL (G_MAXUINT32 - 2) /* place in the vtable of the base's offset */
#define EVALUATE_MEMBER_ELSEWHERE(bits) ((bits) >= EVALUATE_MEMBER_VIRTUAL)

/* C++ containers that are shown by their contents, with their numbers (offsets and sizes, in
 * this order) and types. */
typedef enum {
    EVALUATE_VIEW_NONE,
    EVALUATE_VIEW_STRING, /* pointer, length, or also: byte that says where and how long, the
                             text in the object; character */
    EVALUATE_VIEW_VECTOR, /* first, last, end; element */
    EVALUATE_VIEW_BITS,   /* first word, last word, last bit, end; bool */
    EVALUATE_VIEW_ARRAY,  /* elements, count; element */
    EVALUATE_VIEW_DEQUE, /* first: current, end, node; last: current, first, node; elements of a
                             node; element */
    EVALUATE_VIEW_LIST,  /* head, value in a node, next in a node (else 0); element */
    EVALUATE_VIEW_FORWARD, /* head, value in a node; element */
    EVALUATE_VIEW_TREE, /* header, count, value in a node, key, mapped (set: none), or also: left,
                             right, parent in a node, and the header is the first node; key, mapped */
    EVALUATE_VIEW_HASH, /* first, count, value in a node, key, mapped (set: none); key, mapped */
    EVALUATE_VIEW_TUPLE,  /* offset of each; type of each */
    EVALUATE_VIEW_UNIQUE, /* pointer; pointer's type */
    EVALUATE_VIEW_SHARED, /* pointer, counts, use, weak, what both lack (else 0); pointer's type */
    EVALUATE_VIEW_OPTIONAL, /* value, flag; value */
    EVALUATE_VIEW_VARIANT,  /* value, index, size of index; alternatives */
    EVALUATE_VIEW_SPAN,     /* pointer, count or, when the third is 1, how many; element */
    EVALUATE_VIEW_BITSET,   /* words, bits; bool */
    EVALUATE_VIEW_WRAP, /* value, EvaluateWrap, for a duration numerator and denominator; value */
    EVALUATE_VIEW_ITERATOR, /* pointer, value in what it points to, that is a tree's node; element */
    EVALUATE_VIEW_ANY, /* manager, storage, then of each type its manager's link-time address, and
                             whether the storage only points to the value; types */
    EVALUATE_VIEW_FUNCTION, /* manager, invoker, functor */
    EVALUATE_N_VIEWS
} EvaluateView;

/* What the text of EVALUATE_VIEW_WRAP says of the value. */
typedef enum {
    EVALUATE_WRAP_ADAPTER,
    EVALUATE_WRAP_PATH,
    EVALUATE_WRAP_ATOMIC,
    EVALUATE_WRAP_TIME,
    EVALUATE_WRAP_DURATION,
    EVALUATE_N_WRAPS
} EvaluateWrap;

enum {
    EVALUATE_TYPE_TO_AGGREGATE = 1, /* pointer to something with parts */
    EVALUATE_TYPE_TO_CHAR = 2,      /* pointer to text */
    EVALUATE_TYPE_TO_FUNCTION = 4,
    EVALUATE_TYPE_INCOMPLETE = 8,
    EVALUATE_TYPE_COLUMN_MAJOR = 16,
    EVALUATE_TYPE_FORTRAN = 32, /* shown as Fortran writes it */
    EVALUATE_TYPE_CXX = 64,
    EVALUATE_TYPE_DYNAMIC = 128, /* has a vtable pointer at its start */
    EVALUATE_TYPE_BY_REFERENCE
    = 256,                       /* passed and returned by address, because copying it is not
                                      trivial */
    EVALUATE_TYPE_UNSURE = 512,  /* not known whether that is so */
    EVALUATE_TYPE_VECTOR = 1024, /* an array that the processor treats as one value */
    EVALUATE_TYPE_QUAD
    = 4096, /* 16 bytes of IEEE's binary128, else x87's numbers; 2 bytes: bfloat16, else binary16 */
    EVALUATE_TYPE_DECIMAL = 32768, /* decimal floating point: a STRUCT without members */
    EVALUATE_TYPE_WHOLE = 65536,   /* COMPLEX whose parts are integers, */
    EVALUATE_TYPE_WHOLE_UNSIGNED = 131072, /* without a sign */
    EVALUATE_TYPE_LITERAL = 262144,        /* a text or array literal of the expression */
    EVALUATE_TYPE_RANKED
    = 524288, /* a STRUCT that is an array of a number of dimensions that EVALUATE_CODE_UPPER
                                    gives; the view's types are it with 0, 1 … of them */
    EVALUATE_TYPE_TO_METHOD
    = 16384, /* pointer to a function of a class: odd for a virtual one */
    EVALUATE_TYPE_UNSIGNED_ENUM = 8192, /* no enumerator is negative */
    EVALUATE_TYPE_ASSOCIATED
    = 2048, /* EVALUATE_CODE_EXISTS is about a pointer, not about allocation */
};

/* The enumerators of a pointer to a method: what its two words hold for a virtual function. */
#define EVALUATE_METHOD_KEY(word, adjustment) ((guint64) (word) | (guint64) (adjustment) << 32)

/* Separates the text of EVALUATE_OP_PROBLEM from its arguments. */
#define EVALUATE_PROBLEM_ARGUMENT "\037"

typedef enum {
    EVALUATE_OP_END,
    EVALUATE_OP_LOCATION, /* type, length, frame base's DWARF, length, DWARF: a place */
    EVALUATE_OP_CONSTANT, /* type, SLEB value */
    EVALUATE_OP_BYTES,    /* type, length, bytes */
    EVALUATE_OP_REGISTER, /* type, DWARF number */
    EVALUATE_OP_PROBLEM, /* type, length, text: N_ ("<…>"); arguments for its %s may follow */
    EVALUATE_OP_MEMBER,  /* type, offset, bit size, bit offset */
    EVALUATE_OP_DEREF,   /* type: pointer to place */
    EVALUATE_OP_ADDRESS, /* type: place to pointer */
    EVALUATE_OP_INDEX,   /* type of element, its size: place or pointer, integer to place */
    EVALUATE_OP_SLICE,   /* type of array, SLEB first, size of element */
    EVALUATE_OP_OFFSET,  /* type, size of element: pointer, integer to pointer */
    EVALUATE_OP_CAST,    /* type */
    EVALUATE_OP_UNARY,   /* type, operator */
    EVALUATE_OP_BINARY,  /* type, operator: operands already have the common type */
    EVALUATE_OP_JUMP,    /* bytes to skip */
    EVALUATE_OP_JUMP_FALSE,    /* bytes to skip; pops */
    EVALUATE_OP_STATIC,        /* type, ULEB link-time address: a place */
    EVALUATE_OP_VIRTUAL,       /* type, SLEB: the base whose offset lies there in the vtable */
    EVALUATE_OP_WHOLE,         /* type: the object that the place is a base of, by its vtable */
    EVALUATE_OP_ELEMENT,       /* type: container, integer to place */
    EVALUATE_OP_COUNT,         /* type: container to the number of its elements */
    EVALUATE_OP_LOCATION_KEPT, /* as LOCATION; registers that no frame saved have the innermost
                               frame's value: the compiler knows that no callee changes them */
    EVALUATE_OP_SECTION, /* type, number of dimensions, for each from the outermost 1 (section) or 0:
                            array, then for each first, last, step or an index; to array or element;
                            an array of assumed rank must have as many */
    EVALUATE_OP_CALL, /* type returned, n, bit i: argument i by its address, bit i: by that of its
                            descriptor: function, n arguments to what it returns */
    EVALUATE_OP_KEY, /* type, 0 or 1: map and key to the mapped value, or to whether there is one */
    EVALUATE_OP_STRINGS, /* type, operator: two texts of C++ or C, compared */
    EVALUATE_OP_DROP,    /* type: two values; keeps the upper one */
    EVALUATE_OP_COMPONENT, /* type of array, offset: array of structures to array of a member of each */
    EVALUATE_OP_SHAPE, /* type, EvaluateShape, dimension from the innermost 1 or 0 for all: array to
                            number or array of numbers */
    EVALUATE_OP_TEXT, /* type, operator or 0 to join them: two texts of Fortran; blanks at the end
                            do not count */
    EVALUATE_OP_SHARED,  /* type, length, linker's name: a place in another file */
    EVALUATE_OP_DUP,     /* type: a place to two of it */
    EVALUATE_OP_ASSIGN,  /* type, 0 or 1: assigns the value to the place; gives the place or its
                            previous value */
    EVALUATE_OP_APPEND,  /* type: array and value; appends the value to the array */
    EVALUATE_OP_KEPT,    /* type, length, name: the convenience variable's value */
    EVALUATE_OP_KEEP,    /* type, length, name: sets the convenience variable to the value */
    EVALUATE_OP_PRESENT, /* type: of Fortran's dummies; at address 0 there is none */
    EVALUATE_OP_STRING,  /* type, EvaluateStringFunction: its arguments to what it is */
    EVALUATE_N_OPS
} EvaluateOp;

/* Of texts as EVALUATE_OP_STRINGS takes them. */
typedef enum {
    EVALUATE_STRING_LENGTH,  /* text: characters before the zero */
    EVALUATE_STRING_MATCHES, /* text, regular expression (GRegex): it matches at the beginning */
    EVALUATE_STRING_SAME_BYTES, /* two addresses, a number: as many bytes there are the same */
    EVALUATE_N_STRING_FUNCTIONS
} EvaluateStringFunction;

typedef enum {
    EVALUATE_SHAPE_SIZE,
    EVALUATE_SHAPE_LOWER,
    EVALUATE_SHAPE_UPPER,
    EVALUATE_SHAPE_EXTENT,
    EVALUATE_SHAPE_LENGTH,  /* characters of a text */
    EVALUATE_SHAPE_EXISTS,  /* it is allocated or associated */
    EVALUATE_SHAPE_RANK,    /* of assumed rank */
    EVALUATE_SHAPE_PRESENT, /* a dummy argument: it is not at address 0 */
    EVALUATE_N_SHAPES
} EvaluateShape;

typedef enum {
    EVALUATE_OPERATOR_ADD = 1,
    EVALUATE_OPERATOR_SUBTRACT,
    EVALUATE_OPERATOR_MULTIPLY,
    EVALUATE_OPERATOR_DIVIDE,
    EVALUATE_OPERATOR_MODULO,
    EVALUATE_OPERATOR_AND,
    EVALUATE_OPERATOR_OR,
    EVALUATE_OPERATOR_XOR,
    EVALUATE_OPERATOR_LEFT,
    EVALUATE_OPERATOR_RIGHT,
    EVALUATE_OPERATOR_EQUAL,
    EVALUATE_OPERATOR_UNEQUAL,
    EVALUATE_OPERATOR_LESS,
    EVALUATE_OPERATOR_LESS_EQUAL,
    EVALUATE_OPERATOR_GREATER,
    EVALUATE_OPERATOR_GREATER_EQUAL,
    EVALUATE_OPERATOR_NEGATE,
    EVALUATE_OPERATOR_NOT,
    EVALUATE_OPERATOR_COMPLEMENT,
    EVALUATE_OPERATOR_POWER,
    EVALUATE_OPERATOR_FLOOR_MODULO, /* has the sign of the right operand */
    EVALUATE_OPERATOR_ABSOLUTE,
    EVALUATE_OPERATOR_FLOOR,
    EVALUATE_OPERATOR_CEILING,
    EVALUATE_OPERATOR_COMPLEX,
    EVALUATE_OPERATOR_REAL_PART,
    EVALUATE_OPERATOR_IMAGINARY_PART,
    EVALUATE_OPERATOR_CONJUGATE,
    EVALUATE_OPERATOR_CAST, /* any number to a complex or decimal one, or the other way */
    EVALUATE_N_OPERATORS
} EvaluateOperator;
