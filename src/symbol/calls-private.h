/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files share that find out which function a call means. */
#pragma once
#include "symbol/parser-private.h"

#define SYMBOL_MAX_ARGUMENTS 31 /* a bit of a number for each */

typedef struct {
    SymbolNode nodes[SYMBOL_MAX_ARGUMENTS];
    guint n;
    guint by_reference;   /* bit i */
    guint by_descriptor;  /* Fortran's assumed shape: by the address of what describes the array */
} SymbolArguments;

typedef struct {
    GArray *parameters;   /* of SymbolDie, without `this` */
    gboolean takes_more;  /* anything after them */
} SymbolParameters;

/* A function that a call may mean. */
typedef struct {
    SymbolDie die;
    guint64 address;      /* link-time; 0: it is in another file, or has no code */
    gboolean is_method;   /* it has an object, by its class: static ones too */
    GArray *path;         /* of SymbolMember: from the object to the base whose method it is; NULL: none */
    gboolean is_viable;   /* it can be called so */
    guint n;
    guint badness[SYMBOL_MAX_ARGUMENTS + 1]; /* of each argument, the object first; less is better */
} SymbolCandidate;

/* overloads.c. Caller unrefs the parameters. */
void symbol_parameters_read (SymbolParser *parser, const SymbolDie *function, SymbolParameters *signature);
/* How badly a value goes with a parameter: from 1, it is of this type; 0: it does not go at all. */
guint symbol_rate_argument (SymbolParser *parser, const SymbolNode *node, guint32 type);
/* The same type, whatever it is called, its qualifiers aside. */
gboolean symbol_is_same_type (SymbolBinding *binding, guint32 a, guint32 b);

/* Of the object that a method takes, as symbol_type_find_qualifiers. FALSE: it takes none. */
gboolean symbol_find_object_qualifiers (SymbolBinding *binding, const SymbolDie *method, guint *ret_qualifiers);

/* Array of SymbolCandidate. */
GArray *symbol_candidates_new (void);
/* All functions of that qualified name which have code, unless they are there; other files' own ones are
 * none of them. nodes: n arguments. */
void symbol_candidates_add_named (SymbolParser *parser, GArray *candidates, const char *qualified,
                                  const SymbolNode *nodes, guint n);
/* Those that a name without a scope finds: in the innermost scope that has any, and in those that
 * `using namespace` brings in. */
void symbol_candidates_add_visible (SymbolParser *parser, GArray *candidates, const char *name,
                                    const SymbolNode *nodes, guint n);
/* What C++ finds by the arguments' types (argument-dependent lookup). name: without a scope. */
void symbol_candidates_add_associated (SymbolParser *parser, GArray *candidates, const char *name,
                                       const SymbolNode *nodes, guint n);
/* The class's own methods of that name, or, when none of them can be called so, those of its bases. scope:
 * the class whose methods are meant, itself or a base; NULL for any. */
void symbol_candidates_add_methods (SymbolParser *parser, GArray *candidates, const SymbolNode *object,
                                    const char *scope, const char *name, const SymbolNode *nodes, guint n);
/* The one that goes best with the arguments. NULL: there is none; is_ambiguous: as several go as well. */
const SymbolCandidate *symbol_candidates_choose (const SymbolDwarf *dwarf, const GArray *candidates,
                                                 gboolean *is_ambiguous);
/* "f(int), f(double)": all of them. Caller owns. */
char *symbol_candidates_describe (SymbolBinding *binding, const GArray *candidates);

/* calls.c. A call of a candidate: node is the object of a method, or anything else, and becomes the result. The
 * arguments are taken. is_exact: the method itself, whatever overrides it. */
void symbol_emit_candidate (SymbolParser *parser, SymbolNode *node, const SymbolCandidate *candidate,
                            const char *name, SymbolArguments *arguments, gboolean is_exact);
/* Behind an opening bracket, to the closing one. */
void symbol_parse_arguments (SymbolParser *parser, SymbolArguments *arguments);
void symbol_arguments_clear (SymbolArguments *arguments);
