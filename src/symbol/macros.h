/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Macros of C and C++ as compilers record them with -g3: .debug_macro and .debug_macinfo, which libdwarf reads. A file may be
 * crafted to crash that library: only a worker that reads nothing else calls it (symbol/dispatcher.c). */
#pragma once
#include "symbol/bind.h"

typedef enum {
    SYMBOL_MACRO_DEFINE,
    SYMBOL_MACRO_UNDEFINE,
    SYMBOL_MACRO_BEGIN_FILE,
    SYMBOL_MACRO_END_FILE
} SymbolMacroKind;

typedef struct {
    SymbolMacroKind kind;
    guint32 line;     /* of the file around it */
    guint32 file;     /* begun: its number in the unit's line table */
    const char *text; /* "NAME VALUE", "NAME(A,B) VALUE"; undefined: "NAME" */
} SymbolMacroEvent;

typedef struct {
    GArray *events; /* of SymbolMacroEvent, in the order of the preprocessor */
    GStringChunk *texts;
} SymbolMacros;

/* macros-read.c. Of a unit that is not split. NULL with CORRUPT, UNSUPPORTED (pddt has no libdwarf). */
SymbolMacros *symbol_macros_read (const SymbolDwarf *dwarf, const SymbolUnit *unit,
                                  GError **error);
void symbol_macros_free (SymbolMacros *macros);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SymbolMacros, symbol_macros_free)

/* macros-expand.c */
typedef struct {
    /* "NAME(A,B) VALUE"; NULL: there is no such macro. Borrowed. */
    const char *(*find) (const char *name, gpointer user);
    gpointer user;
    gboolean once; /* what comes of a macro is not looked through again */
} SymbolMacroScope;
/* The text with its macros replaced, as C has it. LIMIT: it grows without end; INVALID: arguments that a macro does not take.
 * Caller owns. */
char *symbol_macros_expand (const SymbolMacroScope *scope, const char *text, GError **error);
/* How long the name is that stands there; 0: none. */
gsize symbol_macros_get_name_length (const char *text);

/* macros.c */
/* Whether text holds a name and the unit of that pc has macros. */
gboolean symbol_macros_are_there (SymbolBinder *binder, guint64 pc, guint inline_depth,
                                  const char *text);
/* what: "expand" the text, "value", the same but for what is a variable as well; expand "once"; "info", where the macro of that
 * name is defined; "list", all of the names that begin so. Caller owns. */
char *symbol_macros_answer (SymbolBinder *binder, guint64 pc, guint inline_depth,
                            const char *what, const char *text, GError **error);
