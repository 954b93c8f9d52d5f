/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that resolve calls. */
#pragma once
#include "symbol/parser-private.h"

#define SYMBOL_MAX_ARGUMENTS 31 /* a bit of a number for each */

typedef struct {
    SymbolNode nodes[SYMBOL_MAX_ARGUMENTS];
    guint n;
    guint by_reference; /* bit i */
    /* Fortran's assumed shape: by the address of what describes the array */
    guint by_descriptor;
} SymbolArguments;

typedef struct {
    GArray *parameters;  /* of SymbolDie, without `this` */
    gboolean takes_more; /* anything after them */
} SymbolParameters;

/* A candidate function of a call. */
typedef struct {
    SymbolDie die;
    guint64 address;    /* link-time; 0: in another file, or no code */
    gboolean is_method; /* a member function, including static ones */
    /* of SymbolMember: from the object to the base whose method it is; NULL: none */
    GArray *path;
    gboolean is_viable; /* it can be called so */
    guint n;
    guint badness[SYMBOL_MAX_ARGUMENTS + 1]; /* for each argument, the object first; smaller is
                                                better */
} SymbolCandidate;

/* overloads.c. Caller unrefs the parameters. */
void symbol_parameters_read (SymbolParser *parser, const SymbolDie *function,
                             SymbolParameters *signature);
/* Rates a value for a parameter, smaller is better: 1 has exactly this type; 0: not
 * convertible. */
guint symbol_rate_argument (SymbolParser *parser, const SymbolNode *node, guint32 type);
/* The same type, ignoring typedefs and top-level qualifiers. */
gboolean symbol_is_same_type (SymbolBinding *binding, guint32 a, guint32 b);

/* Of the object that a method takes, as symbol_type_find_qualifiers. FALSE: it takes none. */
gboolean symbol_find_object_qualifiers (SymbolBinding *binding, const SymbolDie *method,
                                        guint *ret_qualifiers);

/* Array of SymbolCandidate. */
GArray *symbol_candidates_new (void);
/* Adds all functions of that qualified name that have code, except those of other files with
 * internal linkage. nodes: n arguments. */
void symbol_candidates_add_named (SymbolParser *parser, GArray *candidates,
                                  const char *qualified, const SymbolNode *nodes, guint n);
/* Adds the functions that an unqualified name finds: in the innermost scope that has any, and
 * by `using namespace`. */
void symbol_candidates_add_visible (SymbolParser *parser, GArray *candidates, const char *name,
                                    const SymbolNode *nodes, guint n);
/* Adds those of argument-dependent lookup. name: unqualified. */
void symbol_candidates_add_associated (SymbolParser *parser, GArray *candidates,
                                       const char *name, const SymbolNode *nodes, guint n);
/* Adds the class's own methods of that name or, when none of them is viable, those of its
 * bases. scope: the class or a base whose methods are meant; NULL for any. */
void symbol_candidates_add_methods (SymbolParser *parser, GArray *candidates,
                                    const SymbolNode *object, const char *scope,
                                    const char *name, const SymbolNode *nodes, guint n);
/* The best match for the arguments. NULL: none; *is_ambiguous: several are equally good. */
const SymbolCandidate *symbol_candidates_choose (const SymbolDwarf *dwarf,
                                                 const GArray *candidates,
                                                 gboolean *is_ambiguous);
/* "f(int), f(double)": all of them. Caller owns. */
char *symbol_candidates_describe (SymbolBinding *binding, const GArray *candidates);

/* calls.c. Emits a call of a candidate: node is the object of a method, else ignored, and
 * becomes the result. Takes the arguments. is_exact: calls the method itself, not an
 * override. */
void symbol_emit_candidate (SymbolParser *parser, SymbolNode *node,
                            const SymbolCandidate *candidate, const char *name,
                            SymbolArguments *arguments, gboolean is_exact);
/* Parses from after the opening bracket to the closing one. */
void symbol_parse_arguments (SymbolParser *parser, SymbolArguments *arguments);
void symbol_arguments_clear (SymbolArguments *arguments);
