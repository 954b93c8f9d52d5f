/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that write types share. */
#pragma once
#include "symbol/bind-private.h"

#define SYMBOL_TYPE_MAX_DEPTH 40
#define SYMBOL_TYPE_BOUND ':'    /* for the bounds that only the program knows */
#define SYMBOL_TYPE_LENGTH ':'   /* for a length of text that only the program knows */

/* How a type is written. show, as in gdb: 1 the whole of it, typedefs followed; 0 the name of what has
 * one, the whole of what has none; below 0 the name or "{...}". */
typedef struct {
    const SymbolBinding *binding;
    gint show;
    guint indent;         /* spaces before a closing bracket */
    guint depth;
    const GArray *names;  /* of SymbolTypeName: written instead of types in a class's body; NULL without */
} SymbolTypeWriter;

typedef struct {
    guint64 offset;       /* of the type, without typedefs */
    const char *name, *text; /* what it is called there, what it would be written as; borrowed, owned */
} SymbolTypeName;

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

/* type-class.c. With its body. Caller owns. */
char *symbol_type_write_class (const SymbolTypeWriter *writer, const SymbolDie *die);
char *symbol_type_write_enumeration (const SymbolTypeWriter *writer, const SymbolDie *die);

/* type-fortran.c. As gdb writes types of Fortran. Caller owns. */
char *symbol_type_write_fortran (const SymbolTypeWriter *writer, guint64 offset);
