/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binding: an expression at a place of a file becomes a read program (evaluate/code.h). */
#pragma once
#include "evaluate/code.h"
#include "symbol/dwarf.h"

typedef struct _SymbolBinder SymbolBinder;

SymbolBinder *symbol_binder_new (SymbolDwarf *dwarf); /* borrows dwarf */
void symbol_binder_free (SymbolBinder *binder);

/* A program (EVALUATE_PROGRAM_TYPE, floating) for an expression at a link-time pc; inline_depth 0 is
 * the innermost inlined function there. expanded: the expression with its macros replaced, NULL without; where that means
 * nothing but the expression does, that is taken. INVALID: syntax or types; NOT_FOUND: no symbol. */
GVariant *symbol_bind_expression (SymbolBinder *binder, guint64 pc, guint inline_depth,
                                  const char *expression, const char *expanded, GError **error);
/* An array of programs. Of globals at most 1000, C++ names qualified, those only declared in the
 * file left out; in Fortran those of the modules that the file holds or uses. */
GVariant *symbol_bind_variables (SymbolBinder *binder, guint64 pc, guint inline_depth,
                                 EvaluateVariables which, GError **error);
/* Names (as) of the variables of a Fortran namelist that code at pc sees, none where there is none of that name. One that
 * means another variable there has '?' in front. */
GVariant *symbol_bind_namelist (SymbolBinder *binder, guint64 pc, guint inline_depth,
                                const char *name);
/* The type's name; expand: with its members. The expression may begin with "/FLAGS ", gdb's
 * letters (o x d m M t T r); text with offsets begins with a comment and contains "type = ".
 * Returns a program for evaluate_program_write_type (EVALUATE_PROGRAM_TYPE, floating). */
GVariant *symbol_bind_type (SymbolBinder *binder, guint64 pc, guint inline_depth,
                            const char *expression, const char *expanded, gboolean expand,
                            GError **error);
/* The value of a call site's parameter on entry to the function named callee ("": any), which
 * returns to return_pc, as a program for the caller's frame. size 0: the address of the called
 * function. NULL: not known. */
GVariant *symbol_bind_entry_value (SymbolBinder *binder, guint64 return_pc, const char *callee,
                                   const guint8 *expression, gsize size);
/* type-names.c. Names (as) of at most max types that hold the text. */
GVariant *symbol_bind_type_names (SymbolBinder *binder, const char *text, guint max);
