/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that write types. */
#pragma once
#include "symbol/bind-private.h"

#define SYMBOL_TYPE_MAX_DEPTH 40

/* The flags of ptype/o and its like. */
enum {
    SYMBOL_TYPE_OFFSETS = 1,
    SYMBOL_TYPE_HEXADECIMAL = 2,
    SYMBOL_TYPE_NO_METHODS = 4,
    SYMBOL_TYPE_NO_TYPEDEFS = 8,
    SYMBOL_TYPE_RAW = 16 /* no template arguments' names */
};

/* How to write a type. show, as in gdb: 1 the whole type, following typedefs; 0 the name, or
 * the whole of an unnamed type; below 0 the name or "{...}". */
typedef struct {
    const SymbolBinding *binding;
    gint show;
    guint indent; /* spaces before a closing bracket */
    guint depth;
    const GArray *names;     /* of SymbolTypeName: names for types in a class's body; NULL
                             without */
    guint flags;             /* SYMBOL_TYPE_… */
    const GByteArray *value; /* code that pushes a value of the type; NULL: there is none, or
                                several */
    guint64 base;            /* bits from the outermost class to the current one */
} SymbolTypeWriter;

typedef struct {
    guint64 offset;          /* of the type, without typedefs */
    gboolean is_inherited;   /* from a base: applies only to declarations by a typedef */
    const char *name, *text; /* its name there (borrowed), its text otherwise (owned) */
} SymbolTypeName;

/* Blanks in types' texts, which the ranks fill in. */
typedef struct _SymbolTypeBlanks {
    SymbolBinding *binding;
    GPtrArray *list;  /* of GByteArray: for evaluate_program_write_type */
    GPtrArray *codes; /* of GByteArray: owns the writers' values */
} SymbolTypeBlanks;

/* An entry's name for display; NULL without a name. Caller owns. */
char *symbol_type_dup_name (const SymbolDwarf *dwarf, const SymbolDie *die);
/* type-text.c. inner: the declarator, "x", "*x", "[3]". Caller owns. */
char *symbol_type_write (const SymbolTypeWriter *writer, guint64 offset, const char *inner);
/* The writer for a part, with show decremented. */
SymbolTypeWriter symbol_type_get_inner (const SymbolTypeWriter *writer);
/* "(int, char *, ...)" of a function, without hidden parameters. */
char *symbol_type_write_parameters (const SymbolTypeWriter *writer, const SymbolDie *function,
                                    gboolean is_method);
/* Of a named type, with its keyword in C. Caller owns. */
char *symbol_type_write_name (const SymbolTypeWriter *writer, const SymbolDie *die);
/* Reads a chain of qualifiers as "const volatile ", "" …; returns the qualified type. */
guint64 symbol_type_read_qualifiers (const SymbolTypeWriter *writer, guint64 offset,
                                     GString *ret_words);

/* type-bounds.c. "[3][2]", in Fortran "(0:4,3)"; blanks for bounds known only at run time. */
void symbol_type_put_bounds (const SymbolTypeWriter *writer, const SymbolDie *array,
                             GString *text);
/* Writes a blank for properties of the writer's value: the bounds of an array with n_dimensions
 * or, for 0, the length of a Fortran text or the bounds of an array of assumed rank. otherwise:
 * the text if they are not known. */
void symbol_type_put_blank (const SymbolTypeWriter *writer, guint n_dimensions,
                            const char *otherwise, GString *text);
/* Changes the writer's value from a class to its member. */
void symbol_type_enter_member (SymbolTypeWriter *writer, const SymbolDie *class,
                               const SymbolDie *member);

/* type-class.c. With its body. Caller owns. */
char *symbol_type_write_class (const SymbolTypeWriter *writer, const SymbolDie *die);
char *symbol_type_write_enumeration (const SymbolTypeWriter *writer, const SymbolDie *die);

/* type-layout.c. The prefix of ptype/o's lines, always SYMBOL_TYPE_COLUMN wide. */
#define SYMBOL_TYPE_COLUMN 27
/* Spaces before a line without an offset, including the type's own `indent`. */
guint symbol_type_get_column (const SymbolTypeWriter *writer, guint indent);
typedef struct {
    guint64 bit;          /* from the class's start */
    guint64 n_bits, size; /* n_bits: of a bit-field, or 0 */
} SymbolTypePlace;
SymbolTypePlace symbol_type_find_place (const SymbolTypeWriter *writer,
                                        const SymbolDie *member);
/* Writes the hole before the member, if any, and its offset. *end: bits from the class's start
 * to the end of the previous member, 0 without one. A union's members have only sizes. */
void symbol_type_put_place (const SymbolTypeWriter *writer, const SymbolTypePlace *place,
                            gboolean is_union, guint64 *end, GString *text);
/* Writes the padding after the last member and the total size. */
void symbol_type_put_size (const SymbolTypeWriter *writer, guint64 size, guint64 end,
                           guint indent, GString *text);

/* type-fortran.c. Writes Fortran types as gdb does. Caller owns. */
char *symbol_type_write_fortran (const SymbolTypeWriter *writer, guint64 offset);
