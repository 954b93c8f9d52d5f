/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What types, scopes and expressions share while one program is made. */
#pragma once
#include "symbol/bind.h"

typedef struct {
    guint64 low, high;
    const SymbolUnit *unit;
} SymbolUnitRange;

struct _SymbolBinder {
    SymbolDwarf *dwarf;
    GArray *unit_ranges;     /* of SymbolUnitRange by low; NULL until asked */
    GHashTable *names;       /* last component to GArray of guint64 offsets; NULL until asked */
    GStringChunk *name_texts;
    GHashTable *scopes;      /* unit to its namespaces and classes (names.c) */
    GHashTable *usings;      /* unit to GArray of SymbolUsing (usings.c) */
    GHashTable *imports;     /* unit to GPtrArray of those it imports (imports.c) */
    GHashTable *symbols;     /* name to SymbolElfSymbol in symbol_list; NULL until asked */
    GArray *symbol_list;
};

/* A type while it is built. A pointer knows its target as an entry (die) or a number (target). */
typedef struct {
    guint32 kind, flags, target;
    char *name;
    guint64 size, count, die;     /* die: of the type, or of a pointer's target; 0 none */
    guint64 origin;               /* the entry that it was built from; 0: made for an expression */
    gint64 lower;                 /* of an array's index */
    GByteArray *codes[INDEX_N_CODES]; /* NULL without */
    guint32 view;
    GArray *view_numbers, *view_types; /* guint64, guint32; NULL without */
    guint32 holder;               /* of a pointer to a member: the class */
    char *qualifiers;             /* of a TYPEDEF that was made for them; NULL */
    GArray *parameters;           /* of guint32, of a FUNCTION that was made, which has no die; NULL */
    GArray *members;              /* of SymbolMember */
    GVariantBuilder *enumerators;
    gboolean is_siginfo;          /* siginfo.c: $_siginfo's, or of a part of it */
} SymbolType;

typedef struct {
    char *name;
    guint64 offset;
    guint32 type, bit_size, bit_offset;
} SymbolMember;

typedef struct {
    SymbolBinder *binder;
    SymbolDwarf *dwarf;
    const SymbolUnit *unit;       /* NULL when nothing is known of pc */
    guint64 pc;
    gboolean at_entry;  /* pc is the first instruction of its function */
    GArray *path;                 /* of SymbolDie: function … innermost block */
    gboolean is_nested;           /* path goes through functions that pc is not in */
    guint head, end;              /* of the inlined function asked for, in path */
    const guint8 *frame_base;
    gsize frame_base_size;
    GPtrArray *types;             /* of SymbolType; 0 is void */
    GHashTable *by_die, *by_name;
    GArray *prefixes;             /* of SymbolPrefix: scopes that names are looked for in; NULL until asked */
    GArray *block_usings;         /* of SymbolUsing, of the blocks around pc; NULL until asked */
    char *clash;                  /* "M::x, N::x": what the name that was looked for last may both mean; NULL */
    guint depth;
    guint steps;                  /* through members of members; hostile ones never end */
    guint32 followed;             /* the reference that was followed last, */
    GByteArray *bound;            /* the object's address that a method goes with, as code; NULL: none */
    guint bound_end;              /* where the code of that method ends */
    guint followed_end;           /* where the code ends that does so; 0: none was */
    const char *kept;             /* what the user keeps (INDEX_KEPT_MARK); NULL: nothing can be */
    struct _SymbolTypeBlanks *blanks; /* of types' texts (type-private.h); NULL: they have none */
    guint type_flags;             /* of how types are written: SYMBOL_TYPE_… of type-private.h */
} SymbolBinding;

#define SYMBOL_MAX_STEPS 200000

/* Something that `using`, an alias or an inline namespace brings into a scope. Names of scopes are reduced. */
typedef struct {
    char *scope;   /* that it stands in: a namespace, or "" */
    char *name;    /* that it has there; NULL: all names of target */
    char *target;  /* what it is */
    guint64 die;   /* of target, and its tag */
    guint32 tag, line;
} SymbolUsing;

typedef struct {
    char *name;       /* of a scope, reduced */
    gboolean is_used; /* by `using namespace`: the order of these says nothing */
} SymbolPrefix;

void symbol_binding_init (SymbolBinding *binding, SymbolBinder *binder, guint64 pc,
                          guint inline_depth);
void symbol_binding_clear (SymbolBinding *binding);

/* scope.c */
/* A variable, parameter, enumerator, function in scope, else global. */
gboolean symbol_scope_find_local (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
gboolean symbol_scope_find_outside (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
gboolean symbol_scope_find (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
gboolean symbol_scope_find_type (SymbolBinding *binding, const char *name, guint32 tag,
                                 SymbolDie *ret_die); /* tag 0: any type */
gboolean symbol_scope_find_elf (SymbolBinding *binding, const char *name, guint64 *ret_address);
/* First entry that is named so anywhere and has `tag`, no declaration. */
gboolean symbol_scope_find_global (SymbolBinding *binding, const char *name,
                                   gboolean (*accept) (guint32 tag, guint32 wanted),
                                   guint32 wanted, SymbolDie *ret_die);
/* Code that pushes the variable's place; its type. References are followed. */
guint32 symbol_scope_emit (SymbolBinding *binding, const SymbolDie *die, GByteArray *code);

/* An entry named so among the children; enumerators of enumerations too. */
gboolean symbol_scope_find_child (SymbolBinding *binding, const SymbolDie *parent, const char *name,
                                  gboolean (*accept) (guint32, guint32), guint32 wanted,
                                  SymbolDie *ret_die);

/* hosts.c */
/* Among what the procedures around the binding's own have. */
gboolean symbol_host_find (SymbolBinding *binding, const char *name,
                           gboolean (*accept) (guint32, guint32), guint32 wanted,
                           SymbolDie *ret_die);
/* Appends the expression that die's location counts from: the frame base of the procedure that it
 * belongs to. FALSE: that is one around the running one, and nothing says where its frame is. */
gboolean symbol_host_find_base (SymbolBinding *binding, const SymbolDie *die, GByteArray *base);
/* What is said of such a variable; NULL when it is the running procedure's own. Caller owns. */
char *symbol_host_describe (SymbolBinding *binding, const SymbolDie *die);

/* imports.c */
/* The partial units that a unit imports (DW_TAG_imported_unit), also by way of others: what stands
 * there stands in the unit. Borrowed; of const SymbolUnit. */
const GPtrArray *symbol_imports_find (SymbolBinder *binder, const SymbolUnit *unit);
gboolean symbol_imports_has (SymbolBinder *binder, const SymbolUnit *unit,
                             const SymbolUnit *imported);
/* A partial unit may leave its language to those that import it. */
JobLanguage symbol_imports_get_language (const SymbolBinding *binding, const SymbolUnit *unit);

/* usings.c. Of a unit's namespaces, of SymbolUsing. Borrowed. */
const GArray *symbol_usings_find (SymbolBinder *binder, const SymbolUnit *unit);
/* Appends what the prefixes and the blocks bring in. */
void symbol_usings_add_prefixes (SymbolBinding *binding, GArray *prefixes);
/* The name with the namespaces that its aliases mean. Caller owns. */
char *symbol_usings_resolve (SymbolBinding *binding, const GArray *prefixes, const char *name);
/* "namespace N" of the name of one, which may stand in single quotes. NULL: it is none. Caller owns. */
char *symbol_usings_describe_namespace (SymbolBinding *binding, const char *text);
/* What `using` brings into one of the scopes, or into the one that the name begins with. */
gboolean symbol_usings_find_entry (SymbolBinding *binding, const GArray *prefixes, const char *name,
                                   gboolean (*accept) (guint32, guint32), guint32 wanted, SymbolDie *ret_die);

/* uses.c */
/* What a module has that the procedure, or one around it, uses by name: use M, only: A => B. */
gboolean symbol_use_find (SymbolBinding *binding, const char *name,
                          gboolean (*accept) (guint32 tag, guint32 wanted), guint32 wanted,
                          SymbolDie *ret_die);

/* names.c */
/* Where unqualified names are looked for: the scopes around the function from the innermost, with the bases of
 * its class, then what `using namespace` names. Of SymbolPrefix; borrowed. */
const GArray *symbol_names_get_prefixes (SymbolBinding *binding);
/* The entry of that qualified name. */
gboolean symbol_names_find_exact (SymbolBinding *binding, const char *name, gboolean (*accept) (guint32, guint32),
                                  guint32 wanted, SymbolDie *ret_die);
/* The class or namespace around an entry, qualified; NULL: none. Borrowed from binder. */
const char *symbol_names_find_scope (SymbolBinder *binder, const SymbolDie *die);
/* NULL for what has no name. */
char *symbol_names_dup_qualified (SymbolBinder *binder, const SymbolDie *die);
/* Without spaces, anonymous and inline namespaces: to compare names with. */
char *symbol_names_reduce (const char *name);
/* GArray of guint64 offsets of entries whose name's last component is that of `name`. NULL. */
GArray *symbol_names_find (SymbolBinder *binder, const char *name);
/* FALSE: of a unit itself. */
gboolean symbol_names_find_parent (const SymbolDwarf *dwarf, const SymbolDie *die,
                                   SymbolDie *ret_parent);
/* Link-time address of what a class only declares. */
gboolean symbol_names_find_definition (SymbolBinding *binding, const SymbolDie *declaration,
                                       guint64 *ret_address);
/* "f(int), f(double)" when several functions have this one's name, else NULL. */
char *symbol_names_list_overloads (SymbolBinding *binding, const SymbolDie *function);

/* qualified.c. The static variable of a function. */
gboolean symbol_names_find_static (SymbolBinding *binding, const SymbolDie *function, const char *name,
                                   SymbolDie *ret_die);
/* The static variable `name` of a function, which may be written with its parameters. */
gboolean symbol_names_find_in_function (SymbolBinding *binding, const char *function, const char *name,
                                        SymbolDie *ret_die);
/* A type of the class, or of its bases, that the method which the binding is in belongs to. */
gboolean symbol_names_find_own_type (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
/* The argument of a template that the binding's function, or a class around it, is made of. tag:
 * DW_TAG_template_type_parameter or DW_TAG_template_value_parameter. */
gboolean symbol_names_find_template_argument (SymbolBinding *binding, const char *name, guint32 tag, SymbolDie *ret_die);
/* CLASS::NAME, where a base of the class has that type, or FUNCTION::NAME. */
gboolean symbol_names_find_inherited_type (SymbolBinding *binding, const char *name, SymbolDie *ret_die);

/* ambiguous.c */
/* "'a.c'::x, 'b.c'::x" when several files have a variable or function of die's name for themselves and
 * the binding's place is in none of them. NULL: die is the one meant. Caller owns. */
char *symbol_names_list_others (SymbolBinding *binding, const SymbolDie *die);
/* 'FILE'::NAME: FILE is the end of the path of a unit's main file. */
gboolean symbol_names_find_in_file (SymbolBinding *binding, const char *file, const char *name,
                                    SymbolDie *ret_die);

/* overloads.c. 1 const, 2 volatile, or both. */
guint symbol_type_find_qualifiers (const SymbolBinding *binding, guint32 type);
/* Link-time address of a function that may only be declared. */
gboolean symbol_find_code (SymbolBinding *binding, const SymbolDie *function, guint64 *ret_address);

/* passing.c. INDEX_TYPE_BY_REFERENCE or 0. depth: 0. */
guint32 symbol_type_find_passing (SymbolBinding *binding, const SymbolDie *class, guint depth);

/* types.c */
/* What the entry at offset is through typedefs and qualifiers. FALSE: nothing. */
gboolean symbol_type_strip_die (const SymbolDwarf *dwarf, guint64 offset, SymbolDie *ret_die);
/* The number of a virtual method in its class's vtable. FALSE: it is not virtual. */
gboolean symbol_die_find_slot (const SymbolDwarf *dwarf, const SymbolDie *method, guint64 *ret_slot);
guint32 symbol_type_build (SymbolBinding *binding, guint64 die_offset); /* 0: void */
guint32 symbol_type_build_of (SymbolBinding *binding, const SymbolDie *die); /* of DW_AT_type */
/* Of the enumeration that an enumerator belongs to. */
guint32 symbol_type_build_enumeration (SymbolBinding *binding, const SymbolDie *enumerator);
/* A new one at the table's end; name is taken. */
guint32 symbol_type_add (SymbolBinding *binding, IndexTypeKind kind, guint64 size, char *name);
guint32 symbol_type_get_basic (SymbolBinding *binding, IndexTypeKind kind, guint64 size,
                               const char *name);
guint32 symbol_type_get_pointer (SymbolBinding *binding, guint32 target);
guint32 symbol_type_get_reference (SymbolBinding *binding, guint32 target, gboolean is_rvalue);
gboolean symbol_type_is_rvalue_reference (const SymbolBinding *binding, guint32 type); /* && */
guint32 symbol_type_get_array (SymbolBinding *binding, guint32 element, guint64 count);
/* A character that is meant as a number, as in a vector; all else as it is. */
guint32 symbol_type_get_number (SymbolBinding *binding, guint32 type);
/* "int C::*"; holder: the class. */
guint32 symbol_type_get_member_pointer (SymbolBinding *binding, guint32 holder, guint32 member);
/* words: "const", "const volatile" … */
guint32 symbol_type_get_qualified (SymbolBinding *binding, guint32 target, const char *words);
/* parameters: of guint32; the last one may be a VOID of the name SYMBOL_TAKES_MORE. */
#define SYMBOL_TAKES_MORE "..."
guint32 symbol_type_get_function (SymbolBinding *binding, guint32 result, const GArray *parameters);
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
/* As whatis writes it, or the whole of it, as ptype does. value: code that pushes a value of it; NULL. Caller
 * owns. */
char *symbol_type_expand (SymbolBinding *binding, guint32 type, gboolean is_whole, const GByteArray *value);

/* bind.c */
/* A program for a DWARF expression that gives a number. NULL: it is not understood. */
GVariant *symbol_bind_block (SymbolBinding *binding, const SymbolUnit *unit, const guint8 *block,
                             gsize size);

/* location.c */
/* Appends the expression as index's machine reads it. FALSE: it cannot. depth: 0. */
gboolean symbol_location_rewrite (SymbolBinding *binding, const SymbolUnit *unit,
                                  const guint8 *block, gsize size, guint depth, GByteArray *out);

/* arrays.c */
#define SYMBOL_ASSUMED_RANK "array of assumed rank"
gint64 symbol_array_find_lower (const SymbolBinding *binding, const SymbolDie *subrange);
/* G_MAXUINT64: only the program knows; 0: not said. */
guint64 symbol_array_find_count (const SymbolBinding *binding, const SymbolDie *subrange);
guint32 symbol_array_build (SymbolBinding *binding, const SymbolDie *die);
guint32 symbol_array_build_text (SymbolBinding *binding, const SymbolDie *die); /* Fortran */

/* views.c */
/* Recognises a container of the C++ library and says how to read it. */
void symbol_view_find (SymbolBinding *binding, guint32 type);

/* code.c */
void symbol_code_put_sleb (GByteArray *code, gint64 value);
void symbol_code_put_op (GByteArray *code, IndexOp op, guint32 type);
void symbol_code_put_binary (GByteArray *code, guint32 type, guint operator); /* of the two values on the stack */

/* expression.c */
typedef struct {
    guint32 type;
    gboolean is_constant;
    gint64 constant;
    GByteArray *code;
    gboolean is_rvalue; /* C++: computed, so that no variable is changed through it */
    guint32 holder;     /* of a member without an object: its class; 0: it is none */
    guint64 member_offset; /* of such a member in an object */
} SymbolNode;
/* FALSE with INVALID or NOT_FOUND. */
gboolean symbol_expression_parse (SymbolBinding *binding, const char *text, SymbolNode *ret_node,
                                  GError **error);
/* FALSE: text is not the name of a type: "unsigned int", "struct s *", "char (*)[3]". */
gboolean symbol_expression_parse_type (SymbolBinding *binding, const char *text, guint32 *ret_type);
