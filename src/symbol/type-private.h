/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that write types share. */
#pragma once
#include "symbol/bind-private.h"

#define SYMBOL_TYPE_MAX_DEPTH 40

/* The flags of ptype/o and its like. */
enum { SYMBOL_TYPE_OFFSETS = 1, SYMBOL_TYPE_HEXADECIMAL = 2, SYMBOL_TYPE_NO_METHODS = 4,
       SYMBOL_TYPE_NO_TYPEDEFS = 8, SYMBOL_TYPE_RAW = 16 /* template arguments' names are not used */ };

/* How a type is written. show, as in gdb: 1 the whole of it, typedefs followed; 0 the name of what has
 * one, the whole of what has none; below 0 the name or "{...}". */
typedef struct {
    const SymbolBinding *binding;
    gint show;
    guint indent;         /* spaces before a closing bracket */
    guint depth;
    const GArray *names;  /* of SymbolTypeName: written instead of types in a class's body; NULL without */
    guint flags;          /* SYMBOL_TYPE_… */
    const GByteArray *value; /* code that pushes a value of the type that is written; NULL: there is none,
                                or several */
    guint64 base;         /* bits from the start of what is written to the class that is being written */
} SymbolTypeWriter;

typedef struct {
    guint64 offset;       /* of the type, without typedefs */
    gboolean is_inherited; /* from a base: it names only what is declared by a typedef */
    const char *name, *text; /* what it is called there, what it would be written as; borrowed, owned */
} SymbolTypeName;

/* What types' texts leave to the ranks. */
typedef struct _SymbolTypeBlanks {
    SymbolBinding *binding;
    GPtrArray *list;      /* of GByteArray: what index_program_write_type reads of each */
    GPtrArray *codes;     /* of GByteArray: of the values that writers have */
} SymbolTypeBlanks;

/* Of an entry, fit to be shown; NULL without a name. Caller owns. */
char *symbol_type_dup_name (const SymbolDwarf *dwarf, const SymbolDie *die);
/* type-text.c. `inner` is what stands where the name would: "x", "*x", "[3]". Caller owns. */
char *symbol_type_write (const SymbolTypeWriter *writer, guint64 offset, const char *inner);
/* With the show of a part: one less. */
SymbolTypeWriter symbol_type_get_inner (const SymbolTypeWriter *writer);
/* "(int, char *, ...)" of a function, from the first parameter that is not hidden. */
char *symbol_type_write_parameters (const SymbolTypeWriter *writer, const SymbolDie *function,
                                    gboolean is_method);
/* Of a named type, with its keyword in C. Caller owns. */
char *symbol_type_write_name (const SymbolTypeWriter *writer, const SymbolDie *die);
/* "const volatile ", "" … of a chain of qualifiers, and what they are of. */
guint64 symbol_type_read_qualifiers (const SymbolTypeWriter *writer, guint64 offset, GString *ret_words);

/* type-bounds.c. "[3][2]", in Fortran "(0:4,3)"; what only the program knows is left blank. */
void symbol_type_put_bounds (const SymbolTypeWriter *writer, const SymbolDie *array, GString *text);
/* A blank for what the writer's value says of itself: the bounds of an array of so many dimensions, or (0)
 * the length of a text of Fortran, the bounds of an array of assumed rank. `otherwise` is written where that is not known. */
void symbol_type_put_blank (const SymbolTypeWriter *writer, guint n_dimensions, const char *otherwise,
                            GString *text);
/* From a class's value to that of its member. */
void symbol_type_enter_member (SymbolTypeWriter *writer, const SymbolDie *class, const SymbolDie *member);

/* type-class.c. With its body. Caller owns. */
char *symbol_type_write_class (const SymbolTypeWriter *writer, const SymbolDie *die);
char *symbol_type_write_enumeration (const SymbolTypeWriter *writer, const SymbolDie *die);

/* type-layout.c. What ptype/o puts in front of lines: all of one width, SYMBOL_TYPE_COLUMN. */
#define SYMBOL_TYPE_COLUMN 27
/* Spaces in front of a line without an offset, `indent` of the type's own included. */
guint symbol_type_get_column (const SymbolTypeWriter *writer, guint indent);
typedef struct {
    guint64 bit;          /* from the class's start */
    guint64 n_bits, size; /* n_bits: of a bit-field, or 0 */
} SymbolTypePlace;
SymbolTypePlace symbol_type_find_place (const SymbolTypeWriter *writer, const SymbolDie *member);
/* The hole in front of it, if any, and its offset; *end: bits from the class's start to where the member
 * before it ends, 0 without one. A union's members have only sizes. */
void symbol_type_put_place (const SymbolTypeWriter *writer, const SymbolTypePlace *place, gboolean is_union,
                            guint64 *end, GString *text);
/* What stands behind the last member, and the size of it all. */
void symbol_type_put_size (const SymbolTypeWriter *writer, guint64 size, guint64 end, guint indent,
                           GString *text);

/* type-fortran.c. As gdb writes types of Fortran. Caller owns. */
char *symbol_type_write_fortran (const SymbolTypeWriter *writer, guint64 offset);
