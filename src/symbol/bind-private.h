/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by types, scopes and expressions while they compile a program. */
#pragma once
#include "base/array.h"
#include "symbol/bind.h"
#include "symbol/lines.h"

/* Cython writes the program's variables so. */
#define SYMBOL_CYTHON_VARIABLE "__pyx_v_"
/* And so the function of the module's own statements. */
#define SYMBOL_CYTHON_MODULE "__pyx_pymod_exec_"

typedef struct {
    guint64 low, high;
    const SymbolUnit *unit;
} SymbolUnitRange;

struct _SymbolBinder {
    SymbolDwarf *dwarf;
    GArray *unit_ranges; /* of SymbolUnitRange by low; NULL until asked */
    /* where the last pc is: what is bound there for each variable needs it */
    GArray *place; /* of SymbolDie, outermost first; NULL until asked */
    const SymbolUnit *place_unit;
    guint64 place_pc;
    gboolean place_is_nested;
    GHashTable *names; /* last component to GArray of guint64 offsets; NULL until asked */
    GStringChunk *name_texts;
    GHashTable *names_seen; /* while they are read: texts in the file to their lists */
    GHashTable *scopes;     /* unit to its namespaces and classes (names.c) */
    GHashTable *usings;     /* unit to GArray of SymbolUsing (usings.c) */
    GHashTable *imports;    /* unit to GPtrArray of those it imports (imports.c) */
    GHashTable *symbols;    /* name to SymbolElfSymbol in symbol_list; NULL until asked */
    GArray *symbol_list;
    GHashTable *constructs; /* path of a source file to those of Fortran in it (blocks.c) */
};

/* A type under construction. A pointer's target is an entry (die) or a number (target). */
typedef struct {
    guint32 kind, flags, target;
    char *name;
    guint64 size, count, die; /* die: of the type, or of a pointer's target; 0 none */
    guint64 origin;           /* the entry that it comes from; 0: made for an expression */
    gint64 lower;             /* of an array's index */
    GByteArray *codes[EVALUATE_N_CODES]; /* NULL without */
    guint32 view;
    GArray *view_numbers, *view_types; /* guint64, guint32; NULL without */
    guint32 holder;                    /* of a pointer to a member: the class */
    char *qualifiers;                  /* of a TYPEDEF made for qualifiers; NULL */
    GArray *parameters;                /* of guint32, for a FUNCTION without a die; NULL */
    GArray *members;                   /* of SymbolMember */
    GVariantBuilder *enumerators;
    gboolean is_siginfo; /* siginfo.c: $_siginfo's, or of a part of it */
} SymbolType;

typedef struct {
    char *name;
    guint64 offset;
    guint32 type, bit_size, bit_offset;
} SymbolMember;

typedef struct {
    SymbolBinder *binder;
    SymbolDwarf *dwarf;
    const SymbolUnit *unit; /* NULL when nothing is known of pc */
    guint64 pc;
    gboolean at_entry;  /* pc is the first instruction of its function */
    GArray *path;       /* of SymbolDie: function … innermost block */
    gboolean is_nested; /* path goes through functions that do not contain pc */
    guint head, end;    /* of the inlined function asked for, in path */
    gboolean is_own;    /* EVALUATE_OWN_UNIT */
    const guint8 *frame_base;
    gsize frame_base_size;
    SymbolDie
        holder; /* the last variable or parameter: bounds in its type are counted from its procedure's frame
                         base; an offset of 0: none yet */
    GPtrArray *types; /* of SymbolType; 0 is void */
    GHashTable *by_die, *by_name;
    GArray *prefixes;        /* of SymbolPrefix: scopes to search for names; NULL until
                                     needed */
    GArray *block_usings;    /* of SymbolUsing, of the blocks around pc; NULL until asked */
    GArray *block_variables; /* of SymbolBlockVariable (blocks.c); NULL until asked */
    guint64 doubtful; /* the variable found last, if it may be another one of its name; 0 */
    char *clash;      /* "M::x, N::x": the meanings of the last name, if ambiguous;
                                     NULL */
    guint depth;
    guint steps;        /* limits steps through nested members, which may be
                                     endless */
    guint32 followed;   /* the last reference that was followed, */
    GByteArray *bound;  /* code for the address of a bound method's object; NULL:
                                     none */
    guint bound_end;    /* where the code of that method ends */
    guint followed_end; /* and the end of the code that follows it; 0: none */
    const char *kept;   /* convenience variables (EVALUATE_KEPT_MARK); NULL: not
                                     possible */
    /* of types' texts (type-private.h); NULL: they have none */
    struct _SymbolTypeBlanks *blanks;
    guint type_flags; /* how to write types: SYMBOL_TYPE_… of type-private.h */
} SymbolBinding;

/* The names of a Cython function's variables that symbol_emit_closed finds, inner ones first. Caller owns. */
GPtrArray *symbol_list_closed (SymbolBinding *binding);

#define SYMBOL_MAX_STEPS 200000

/* A name that `using`, an alias or an inline namespace adds to a scope. Names of scopes are
 * reduced. */
typedef struct {
    char *scope;  /* that contains it: a namespace, or "" */
    char *name;   /* its name there; NULL: all names of target */
    char *target; /* its meaning */
    guint64 die;  /* of target, and its tag */
    guint32 tag, line;
} SymbolUsing;

typedef struct {
    char *name;       /* of a scope, reduced */
    gboolean is_used; /* by `using namespace`: the order of these does not matter */
} SymbolPrefix;

void symbol_binding_init (SymbolBinding *binding, SymbolBinder *binder, guint64 pc,
                          guint inline_depth);
void symbol_binding_clear (SymbolBinding *binding);

/* scope.c */
/* A variable, parameter, enumerator, function in scope, else global. */
gboolean symbol_scope_find_local (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
gboolean symbol_scope_find_outside (SymbolBinding *binding, const char *name,
                                    SymbolDie *ret_die);
gboolean symbol_scope_find (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
gboolean symbol_scope_find_type (SymbolBinding *binding, const char *name, guint32 tag,
                                 SymbolDie *ret_die); /* tag 0: any type */
gboolean symbol_scope_find_elf (SymbolBinding *binding, const char *name, guint64 *ret_address);
/* Not limited to the binding's unit: of a type that is needed, but not asked for. */
gboolean symbol_scope_find_type_anywhere (SymbolBinding *binding, const char *name, guint32 tag,
                                          SymbolDie *ret_die);
/* The binding is limited to its unit, and the entry is another's. */
gboolean symbol_scope_is_strange (SymbolBinding *binding, const SymbolDie *die);
/* What that has found is a function. */
gboolean symbol_scope_is_code (SymbolBinding *binding, const char *name);
gboolean symbol_scope_is_resolver (SymbolBinding *binding,
                                   const char *name); /* STT_GNU_IFUNC */
/* The first definition of that name and `tag` anywhere. */
gboolean symbol_scope_find_global (SymbolBinding *binding, const char *name,
                                   gboolean (*accept) (guint32 tag, guint32 wanted),
                                   guint32 wanted, SymbolDie *ret_die);
/* Appends code that pushes the variable's place, following references. Returns its type. */
guint32 symbol_scope_emit (SymbolBinding *binding, const SymbolDie *die, GByteArray *code);

/* A child of that name, or an enumerator of a child. */
gboolean symbol_scope_find_child (SymbolBinding *binding, const SymbolDie *parent,
                                  const char *name, gboolean (*accept) (guint32, guint32),
                                  guint32 wanted, SymbolDie *ret_die);

/* In the scopes around, but for constructs of Fortran. */
gboolean symbol_scope_find_around (SymbolBinding *binding, const char *name,
                                   SymbolDie *ret_die);

/* blocks.c */
/* A variable of a construct of Fortran. Doubtful: the program's text is not known, so the construct may have ended. */
typedef struct {
    SymbolDie die;
    guint64 origin;          /* offset of what it is an instance of, or its own */
    guint32 declared, first; /* lines: of its declaration, and where its construct begins */
    gboolean is_open, is_doubtful;
} SymbolBlockVariable;
/* Those of the binding's procedure, the innermost first. Belongs to the binding. */
const GArray *symbol_blocks_list (SymbolBinding *binding);
/* Whether that has the entry, or what is an instance of it. */
gboolean symbol_blocks_has (SymbolBinding *binding, const SymbolDie *die);
/* The one of that name that is known where the binding is; it is noted as the doubtful one if another one may be meant. */
gboolean symbol_blocks_find (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
/* What stands in place of a doubtful variable's value. */
extern const char symbol_blocks_doubt[];
/* The line that is shown for the binding's frame; returns the file, which belongs to lines, or NULL. rows: those of
 * symbol_lines_read. */
const char *symbol_blocks_find_line (const SymbolBinding *binding, const SymbolLines *lines,
                                     const GArray *rows, guint32 *ret_line);

/* hosts.c */
/* What a block or function is an instance of. FALSE: it is none. */
gboolean symbol_scope_find_abstract (const SymbolBinding *binding, const SymbolDie *block,
                                     SymbolDie *ret_die);
/* Searches the host procedures of the binding's own. */
gboolean symbol_host_find (SymbolBinding *binding, const char *name,
                           gboolean (*accept) (guint32, guint32), guint32 wanted,
                           SymbolDie *ret_die);
/* Appends the frame base of the procedure that die belongs to. FALSE: it belongs to a host
 * procedure whose frame is not known. */
gboolean symbol_host_find_base (SymbolBinding *binding, const SymbolDie *die, GByteArray *base);
/* The message about such a variable; NULL when it is the running procedure's own. Caller
 * owns. */
char *symbol_host_describe (SymbolBinding *binding, const SymbolDie *die);
/* The copy of its own that a region of OpenMP has of a parameter of clang's outlined function, which is the variable
 * outside then: both have one name. FALSE: it has none. */
gboolean symbol_host_find_copy (const SymbolDwarf *dwarf, const SymbolDie *die,
                                SymbolDie *ret_copy);
/* Whether it is a variable of an OpenMP loop of which clang says only where it was before the loop, as where the bounds
 * are not constant: such ones stand between what holds the bounds and the loop's hidden counter. */
gboolean symbol_host_is_initial (const SymbolDwarf *dwarf, const SymbolDie *die);
/* clang gives an outlined function of OpenMP an array of variable length as a reference to its first element, with the
 * lengths in hidden parameters in front of that, all called "vla". Returns how many this parameter has, the outermost
 * dimension first. */
guint symbol_host_find_lengths (SymbolBinding *binding, const SymbolDie *die,
                                SymbolDie *ret_lengths, guint max);

/* imports.c */
/* The partial units that a unit imports (DW_TAG_imported_unit), also indirectly: their entries
 * belong to the unit. Borrowed; of const SymbolUnit. */
const GPtrArray *symbol_imports_find (SymbolBinder *binder, const SymbolUnit *unit);
gboolean symbol_imports_has (SymbolBinder *binder, const SymbolUnit *unit,
                             const SymbolUnit *imported);
/* A partial unit may get its language from the units that import it. */
JobLanguage symbol_imports_get_language (const SymbolBinding *binding, const SymbolUnit *unit);

/* usings.c. Of a unit's namespaces, of SymbolUsing. Borrowed. */
/* Appends the namespaces that the prefixes and blocks bring in. */
void symbol_usings_add_prefixes (SymbolBinding *binding, GArray *prefixes);
/* The name with its namespace aliases resolved. Caller owns. */
char *symbol_usings_resolve (SymbolBinding *binding, const GArray *prefixes, const char *name);
/* "namespace N" for the name of a namespace, possibly in single quotes. NULL: it is none.
 * Caller owns. */
char *symbol_usings_describe_namespace (SymbolBinding *binding, const char *text);
/* Finds what `using` adds to one of the scopes, or to the one that the name begins with. */
gboolean symbol_usings_find_entry (SymbolBinding *binding, const GArray *prefixes,
                                   const char *name, gboolean (*accept) (guint32, guint32),
                                   guint32 wanted, SymbolDie *ret_die);

/* uses.c */
/* Finds a module's entity that the procedure or a host uses: use M, only: A => B. */
gboolean symbol_use_find (SymbolBinding *binding, const char *name,
                          gboolean (*accept) (guint32 tag, guint32 wanted), guint32 wanted,
                          SymbolDie *ret_die);

/* names.c */
/* Scopes to search for unqualified names: those around the function from the innermost, with
 * the bases of its class, then those of `using namespace`. Of SymbolPrefix; borrowed. */
const GArray *symbol_names_get_prefixes (SymbolBinding *binding);
/* The entry of that qualified name. */
gboolean symbol_names_find_exact (SymbolBinding *binding, const char *name,
                                  gboolean (*accept) (guint32, guint32), guint32 wanted,
                                  SymbolDie *ret_die);
/* The class or namespace around an entry, qualified; NULL: none. Borrowed from binder. */
const char *symbol_names_find_scope (SymbolBinder *binder, const SymbolDie *die);
/* NULL for an entry without a name. */
char *symbol_names_dup_qualified (SymbolBinder *binder, const SymbolDie *die);
/* Without spaces, anonymous and inline namespaces, and with integers' types in one spelling, for comparing names. */
char *symbol_names_reduce (const char *name);
/* Of functions of one class: they have the same name, arguments of templates included. */
gboolean symbol_names_are_same (const char *name, const char *other);
/* GArray of guint64 offsets of entries whose name's last component is that of `name`. NULL. */
GArray *symbol_names_find (SymbolBinder *binder, const char *name);
/* FALSE: of a unit itself. */
gboolean symbol_names_find_parent (const SymbolDwarf *dwarf, const SymbolDie *die,
                                   SymbolDie *ret_parent);
/* Link-time address of a static member that the class only declares, or its constant: of the kind NONE there is none. */
gboolean symbol_names_find_definition (SymbolBinding *binding, const SymbolDie *declaration,
                                       guint64 *ret_address, SymbolValue *ret_constant);
/* "f(int), f(double)" when several functions have this one's name, else NULL. */
char *symbol_names_list_overloads (SymbolBinding *binding, const SymbolDie *function);

/* qualified.c. The static variable of a function. */
gboolean symbol_names_find_static (SymbolBinding *binding, const SymbolDie *function,
                                   const char *name, SymbolDie *ret_die);
/* The static variable `name` of a function, which may be written with its parameters. */
gboolean symbol_names_find_in_function (SymbolBinding *binding, const char *function,
                                        const char *name, SymbolDie *ret_die);
/* A type of the class, or of its bases, that the binding's method belongs to. */
gboolean symbol_names_find_own_type (SymbolBinding *binding, const char *name,
                                     SymbolDie *ret_die);
/* A template argument of the binding's function or of a class around it. tag:
 * DW_TAG_template_type_parameter or DW_TAG_template_value_parameter. */
gboolean symbol_names_find_template_argument (SymbolBinding *binding, const char *name,
                                              guint32 tag, SymbolDie *ret_die);
/* CLASS::NAME, where a base of the class has that type, or FUNCTION::NAME. */
gboolean symbol_names_find_inherited_type (SymbolBinding *binding, const char *name,
                                           SymbolDie *ret_die);

/* ambiguous.c */
/* "'a.c'::x, 'b.c'::x" when several files have a static variable or function of die's name,
 * none of them the binding's file. NULL: die is unambiguous. Caller owns. */
char *symbol_names_list_others (SymbolBinding *binding, const SymbolDie *die);
/* 'FILE'::NAME: FILE is the end of the path of a unit's main file. */
gboolean symbol_names_find_in_file (SymbolBinding *binding, const char *file, const char *name,
                                    SymbolDie *ret_die);

/* overloads.c. 1 const, 2 volatile, or both. */
guint symbol_type_find_qualifiers (const SymbolBinding *binding, guint32 type);
/* Link-time address of a function that may only be declared. */
gboolean symbol_find_code (SymbolBinding *binding, const SymbolDie *function,
                           guint64 *ret_address);

/* passing.c. EVALUATE_TYPE_BY_REFERENCE or 0. depth: 0. */
guint32 symbol_type_find_passing (SymbolBinding *binding, const SymbolDie *class, guint depth);

/* types.c */
/* The entry at offset without typedefs and qualifiers. FALSE: none. */
gboolean symbol_type_strip_die (const SymbolDwarf *dwarf, guint64 offset, SymbolDie *ret_die);
/* The function is a method that is called with an object, also where only its parameters tell. */
gboolean symbol_die_takes_object (const SymbolDwarf *dwarf, const SymbolDie *function);
/* The number of a virtual method in its class's vtable. FALSE: it is not virtual. */
gboolean symbol_die_find_slot (const SymbolDwarf *dwarf, const SymbolDie *method,
                               guint64 *ret_slot);
guint32 symbol_type_build (SymbolBinding *binding, guint64 die_offset);      /* 0: void */
guint32 symbol_type_build_of (SymbolBinding *binding, const SymbolDie *die); /* of DW_AT_type */
/* Of the enumeration that an enumerator belongs to. */
guint32 symbol_type_build_enumeration (SymbolBinding *binding, const SymbolDie *enumerator);
/* A new one at the table's end; name is taken. */
guint32 symbol_type_add (SymbolBinding *binding, EvaluateTypeKind kind, guint64 size,
                         char *name);
guint32 symbol_type_get_basic (SymbolBinding *binding, EvaluateTypeKind kind, guint64 size,
                               const char *name);
guint32 symbol_type_get_pointer (SymbolBinding *binding, guint32 target);
guint32 symbol_type_get_reference (SymbolBinding *binding, guint32 target, gboolean is_rvalue);
gboolean symbol_type_is_rvalue_reference (const SymbolBinding *binding, guint32 type); /* && */
guint32 symbol_type_get_array (SymbolBinding *binding, guint32 element, guint64 count);
/* For a character type the number type of its size, as in vectors; other types unchanged. */
guint32 symbol_type_get_number (SymbolBinding *binding, guint32 type);
/* "int C::*" and "int (C::*)(C * const)"; holder: the class, member: the type of its variable or function. */
guint32 symbol_type_get_member_pointer (SymbolBinding *binding, guint32 holder, guint32 member);
/* words: "const", "const volatile" … */
guint32 symbol_type_get_qualified (SymbolBinding *binding, guint32 target, const char *words);
/* parameters: of guint32; the last one may be a VOID of the name SYMBOL_TAKES_MORE. */
#define SYMBOL_TAKES_MORE "..."
guint32 symbol_type_get_function (SymbolBinding *binding, guint32 result,
                                  const GArray *parameters);
/* A vector register: one union of arrays of all kinds of numbers, named as gdb names them. */
guint32 symbol_type_get_vector (SymbolBinding *binding, guint64 size);
guint32 symbol_type_get_target (SymbolBinding *binding, guint32 pointer_or_array);
SymbolType *symbol_type_get (const SymbolBinding *binding, guint32 type);
SymbolType *symbol_type_strip (const SymbolBinding *binding, guint32 type); /* typedefs */
guint32 symbol_type_strip_number (const SymbolBinding *binding, guint32 type);
GVariant *symbol_type_encode (const SymbolBinding *binding); /* of all: the table */
guint64 symbol_type_find_target (const SymbolDwarf *dwarf, const SymbolDie *die); /* 0 void */
/* "(int, char)" of a method, without its object. Caller owns. */
char *symbol_type_describe_parameters (const SymbolBinding *binding, const SymbolDie *function);
char *symbol_type_describe (const SymbolBinding *binding, guint64 die_offset, const char *inner,
                            guint depth);
/* The text of whatis, or of ptype (is_whole). value: code that pushes a value of it; NULL.
 * Caller owns. */
char *symbol_type_expand (SymbolBinding *binding, guint32 type, gboolean is_whole,
                          const GByteArray *value);

/* bind.c */
/* A program for a DWARF expression that gives a number. NULL: it is not supported. */
GVariant *symbol_bind_block (SymbolBinding *binding, const SymbolUnit *unit,
                             const guint8 *block, gsize size);

/* location.c */
/* Appends the expression, rewritten for the evaluator's machine. FALSE: not supported. depth: 0. */
gboolean symbol_location_rewrite (SymbolBinding *binding, const SymbolUnit *unit,
                                  const guint8 *block, gsize size, guint depth,
                                  GByteArray *out);

/* arrays.c */
#define SYMBOL_ASSUMED_RANK "array of assumed rank"
gint64 symbol_array_find_lower (const SymbolBinding *binding, const SymbolDie *subrange);
/* G_MAXUINT64: known only at run time; 0: not specified. */
guint64 symbol_array_find_count (const SymbolBinding *binding, const SymbolDie *subrange);
guint32 symbol_array_build (SymbolBinding *binding, const SymbolDie *die);
/* A text to which the word at the array's place points; its length stands so many bytes behind that. */
/* The array whose first element the reference is to; lengths: the variables that say them, the outermost first. */
guint32 symbol_array_build_captured (SymbolBinding *binding, guint32 reference,
                                     const SymbolDie *lengths, guint n);
guint32 symbol_array_build_deferred (SymbolBinding *binding, gint64 distance);
guint32 symbol_array_build_text (SymbolBinding *binding, const SymbolDie *die); /* Fortran */

/* views.c */
/* Recognises a container of the C++ library and sets the type's view. */
void symbol_view_find (SymbolBinding *binding, guint32 type);

/* code.c */
void symbol_code_put_sleb (GByteArray *code, gint64 value);
void symbol_code_put_op (GByteArray *code, EvaluateOp op, guint32 type);
void symbol_code_put_binary (GByteArray *code, guint32 type,
                             guint operator_id); /* of the two values on the stack */

/* expression.c */
typedef struct {
    guint32 type;
    gboolean is_constant;
    gint64 constant;
    GByteArray *code;
    gboolean is_rvalue; /* C++: a temporary, which cannot be assigned to */
    guint32 holder;     /* of a member without an object: its class; 0: not such a member */
    guint holder_end;   /* nothing was done with that member while the code ends there */
    guint64
        member_offset; /* of such a member in an object; of a virtual function, what the first word
                              of a pointer to it holds; 0: another function */
} SymbolNode;
/* FALSE with INVALID or NOT_FOUND. */
gboolean symbol_expression_parse (SymbolBinding *binding, const char *text,
                                  SymbolNode *ret_node, GError **error);
/* FALSE: text is not the name of a type: "unsigned int", "struct s *", "char (*)[3]". */
gboolean symbol_expression_parse_type (SymbolBinding *binding, const char *text,
                                       guint32 *ret_type);
