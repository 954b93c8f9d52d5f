/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the expression parser. */
#pragma once
#include "index/format.h"
#include "symbol/bind-private.h"

typedef struct {
    SymbolBinding *binding;
    const char *at;
    GError *error; /* the first one; ignore everything after it */
    guint depth;
    gboolean is_cast; /* the value being parsed will be cast to `expected` */
    guint32 expected;
    gboolean reads_c; /* type names are C's in any language: for convenience variables */
    const char *text; /* the whole expression, for messages */
} SymbolParser;

/* Keeps the first error. */
void symbol_parser_fail (SymbolParser *parser, int code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
SymbolNode symbol_parser_new_node (guint32 type);
/* Moves the code of `from` to the end of node. */
void symbol_parser_append_code (SymbolNode *node, SymbolNode *from);
/* INVALID: unexpected text here or, at the end, what is missing (NULL: a value). */
void symbol_parser_fail_here (SymbolParser *parser, const char *missing);
void symbol_parser_skip_space (SymbolParser *parser);
gboolean symbol_parser_take (SymbolParser *parser, const char *word);
gboolean symbol_parser_is_next (SymbolParser *parser, char wanted);
void symbol_parser_expect (SymbolParser *parser, const char *word);
gboolean symbol_parser_is_word (char c, gboolean first);
/* An identifier with `::` in it; NULL and nothing taken when there is none. Caller owns. */
char *symbol_parser_take_name (SymbolParser *parser);
gboolean symbol_parser_is_fortran (const SymbolParser *parser);
gboolean symbol_parser_is_cxx (const SymbolParser *parser);
guint32 symbol_parser_get_int (SymbolParser *parser);
guint32 symbol_parser_get_long (SymbolParser *parser, gboolean with_sign);
SymbolNode symbol_parser_make_integer (SymbolParser *parser, guint32 type, gint64 value);
/* type-parse.c. A type's name with its declarator: "const char *", "int (*)(int)". FALSE with nothing
 * taken when there is none; 0 for one that is not known, with the parser's error. */
gboolean symbol_parser_take_type (SymbolParser *parser, guint32 *ret_type);
/* literals.c */
SymbolNode symbol_parser_parse_number (SymbolParser *parser);
SymbolNode symbol_parser_parse_text (SymbolParser *parser, char quote);
/* TRUE at L'x', u8"text" and their like of C, which the other parses. */
gboolean symbol_parser_is_wide (const SymbolParser *parser);
SymbolNode symbol_parser_parse_wide (SymbolParser *parser);
/* registers.c. "$rax", "$xmm0". */
SymbolNode symbol_parser_parse_register (SymbolParser *parser);
gboolean symbol_is_register (const char *name);

/* kept.c. After "$NAME", which is no register. FALSE: no such convenience variable. */
gboolean symbol_parse_kept (SymbolParser *parser, const char *name, SymbolNode *node);
/* "$x = …", "$x += …", "$x++", "--$x". FALSE and nothing taken: it is none. */
gboolean symbol_parse_keeping (SymbolParser *parser, SymbolNode *node);

/* siginfo.c. The type of $_siginfo. Programs may not use its name. */
#define SYMBOL_SIGINFO "_siginfo"
guint32 symbol_type_get_siginfo (SymbolBinding *binding);
/* Of a type that is_siginfo: what stands behind struct or union; NULL: nothing. */
const char *symbol_siginfo_find_tag (const SymbolType *type);

/* The type of a symbol that is only in the ELF tables. */
#define SYMBOL_UNTYPED "<data without debug information>"
#define SYMBOL_UNTYPED_CODE "<code without debug information>"

/* expression.c */
#define SYMBOL_MAX_EXPRESSION 60 /* levels of brackets and operators */
guint32 symbol_parser_get_truth (SymbolParser *parser);
void symbol_emit_unary (SymbolParser *parser, SymbolNode *node, EvaluateOperator operator_id);
/* The result in left. */
void symbol_emit_binary (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                         guint operator_id);
void symbol_emit_logic (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                        gboolean either);
/* condition ? yes : no, as code. Both have their type already. */
void symbol_emit_choice (SymbolNode *condition, SymbolNode *yes, SymbolNode *no);
void symbol_emit_truth (SymbolParser *parser, SymbolNode *node);
/* left@right */
void symbol_emit_repeat (SymbolParser *parser, SymbolNode *left, const SymbolNode *right);
/* In C the last of several values, in Fortran a complex number. */
SymbolNode symbol_parse_comma (SymbolParser *parser);
/* ++ and --; is_old_wanted: the value is the previous one. */
void symbol_emit_increment (SymbolParser *parser, SymbolNode *node, gboolean is_up,
                            gboolean is_old_wanted);
SymbolNode symbol_parse_unary (SymbolParser *parser);
/* Takes an assignment operator; *ret_operator 0: plain =. FALSE: none follows. */
gboolean symbol_take_assignment (SymbolParser *parser, guint *ret_operator);
/* A value or an assignment. */
SymbolNode symbol_parse_assignment (SymbolParser *parser);
SymbolNode symbol_parse_conditional (SymbolParser *parser);
/* Converts like a cast: numbers, pointers, base and derived classes, references. */
void symbol_emit_conversion (SymbolParser *parser, SymbolNode *node, guint32 type);

/* arithmetic.c. The common type of two numbers in C. */
guint32 symbol_find_common (SymbolParser *parser, const SymbolNode *a, const SymbolNode *b);
/* size: 4, 8, or 16 of a long double or, is_quad, of IEEE's binary128. */
guint32 symbol_parser_get_real (SymbolParser *parser, guint64 size, gboolean is_quad);
/* The same of both parts, of which one has `half` bytes. */
guint32 symbol_parser_get_complex (SymbolParser *parser, guint64 half, gboolean is_quad);
guint32 symbol_parser_get_whole_complex (SymbolParser *parser, guint64 half,
                                         gboolean with_sign); /* of integers */
guint32 symbol_parser_get_part (SymbolParser *parser,
                                const SymbolType *complex); /* of one of its parts */
guint32 symbol_parser_get_decimal (SymbolParser *parser, guint64 size);
gboolean symbol_is_comparison (guint operator_id);
/* An integer, or an enumeration, that arithmetic takes without a sign. */
gboolean symbol_is_unsigned (const SymbolParser *parser, const SymbolType *type);
gboolean symbol_is_decimal (const SymbolType *type);
/* When one of them is complex. FALSE: the other is no number, or the operator does not
 * apply. */
gboolean symbol_emit_complex (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                              guint operator_id);
/* FALSE: neither is decimal. */
gboolean symbol_emit_decimal (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                              guint operator_id);

/* literals.c. "{1, 2}": an array of them. */
SymbolNode symbol_parse_elements (SymbolParser *parser);
/* TRUE for an array literal and a structure with as many members of the same kind. */
gboolean symbol_fits_elements (SymbolParser *parser, const SymbolNode *node, guint32 structure);

/* primary.c */
SymbolNode symbol_parse_primary (SymbolParser *parser);

/* postfix.c */
SymbolNode symbol_parse_postfix (SymbolParser *parser);
/* A variable that a function of Cython shares with others, or keeps between two values of a generator, into the empty node.
 * FALSE: it has none of that name, or its objects may not be there yet. */
gboolean symbol_emit_closed (SymbolParser *parser, SymbolNode *node, const char *name);
/* A variable of C's in a Cython function, or of its module. */
gboolean symbol_find_cython (SymbolBinding *binding, const char *name, SymbolDie *ret_die);
SymbolType *symbol_node_strip (SymbolParser *parser, const SymbolNode *node);
gboolean symbol_is_arithmetic (const SymbolType *type);
gboolean symbol_is_integer (const SymbolType *type);
gboolean symbol_is_address (const SymbolType *type);             /* pointer or array */
gboolean symbol_is_dynamic (SymbolParser *parser, guint32 type); /* its length is known only at
                                                                  * run time */
void symbol_emit_cast (SymbolNode *node, guint32 type);
void symbol_emit_deref (SymbolParser *parser, SymbolNode *node);
/* Follows a reference to its target. */
void symbol_follow_reference (SymbolParser *parser, SymbolNode *node);
/* A member by name, of bases and unnamed parts too. FALSE: there is none. */
gboolean symbol_emit_named (SymbolParser *parser, SymbolNode *node, const char *name);

/* containers.c. The target of a smart pointer, iterator or optional. FALSE: it is none. */
gboolean symbol_emit_pointee (SymbolParser *parser, SymbolNode *node);
/* Converts an iterator or unique_ptr to its pointer. FALSE: it is none. */
gboolean symbol_emit_iterator (SymbolParser *parser, SymbolNode *node);
/* Converts a std::complex to its number. FALSE: it is none. */
gboolean symbol_emit_complex_value (SymbolParser *parser, SymbolNode *node);
/* Compares a std::string with a text. FALSE: they are not that. */
gboolean symbol_emit_strings (SymbolParser *parser, SymbolNode *left, SymbolNode *right,
                              guint operator_id);
/* A text of C or C++. */
gboolean symbol_is_string (SymbolParser *parser, const SymbolNode *node);
/* node has the code of two texts: of how they compare. */
void symbol_emit_comparison (SymbolParser *parser, SymbolNode *node, guint operator_id);
/* Behind "[". */
void symbol_parse_index (SymbolParser *parser, SymbolNode *node);
/* x.size () and other functions of containers, without running the program. FALSE and nothing
 * taken: it is no such function. */
gboolean symbol_parse_known_call (SymbolParser *parser, SymbolNode *node, const char *name);
/* std::get<0> (x). FALSE and nothing taken: it is not that. */
gboolean symbol_parse_get (SymbolParser *parser, SymbolNode *node);

/* Adds the offset of base `to` in class `from`. FALSE: it is none, or a virtual one. depth: 0. */
gboolean symbol_find_base (SymbolBinding *binding, guint32 from, guint32 to, guint depth,
                           gint64 *offset);

/* The same for a path that may contain virtual bases; appends its members to path. */
gboolean symbol_find_base_path (SymbolBinding *binding, guint32 from, guint32 to, GArray *path);
/* Appends the members that lead to one of that name to path, which is empty. FALSE: there is
 * none. Fails when the name is ambiguous. */
gboolean symbol_find_member_path (SymbolParser *parser, guint32 holder, const char *name,
                                  GArray *path);
/* The same of a name with a class in front: "Base::x" names the base to look in, "Derived::Base::x" leads there. */
gboolean symbol_find_qualified_path (SymbolParser *parser, guint32 holder, const char *name,
                                     GArray *path);
/* TRUE when a class has the base more than once. */
gboolean symbol_base_is_ambiguous (SymbolBinding *binding, guint32 from, guint32 to);
/* TRUE when the type has that name: "b" and "a::b" for "a::b". wanted: reduced. */
gboolean symbol_type_is_called (const SymbolType *type, const char *wanted);
/* TRUE for a computed value, which is no variable or part of one. */
gboolean symbol_node_is_rvalue (const SymbolNode *node);

/* A member's place; node is the object's. */
void symbol_emit_member (SymbolNode *node, const SymbolMember *member);

/* calls.c. Parses a call at its opening bracket; the result goes to node, which is empty. */
void symbol_parse_named_call (SymbolParser *parser, SymbolNode *node, const SymbolDie *function,
                              const char *name);
/* For a symbol without a type: the cast gives the type that it returns. */
void symbol_parse_untyped_call (SymbolParser *parser, SymbolNode *node, guint64 address,
                                const char *name);
/* class-object.c: a CLASS object with its dynamic type (EVALUATE_CLASS_MARK). NOT_FOUND: that type is not known here, or the
 * object cannot be of it. */
SymbolNode symbol_parse_class_object (SymbolParser *parser);
/* A call of another file's function by its address in the rank (EVALUATE_OUTSIDE_MARK). */
SymbolNode symbol_parse_outside_call (SymbolParser *parser);
/* FALSE and nothing taken: no bracket follows, or node is no function. */
gboolean symbol_parse_pointer_call (SymbolParser *parser, SymbolNode *node);
/* node: the object. FALSE and nothing taken: it has no such method. */
gboolean symbol_parse_method_call (SymbolParser *parser, SymbolNode *node, const char *name);

/* operators.c. Applies an operator of the program to left, and to right unless NULL; the result
 * goes to left, and right is taken. FALSE and nothing changed: there is none for such
 * values. */
gboolean symbol_emit_operator (SymbolParser *parser, const char *token, SymbolNode *left,
                               SymbolNode *right);
/* The final target of an object's operator->. FALSE: it has none. */
gboolean symbol_emit_arrow (SymbolParser *parser, SymbolNode *node);
/* object (…). FALSE and nothing taken: it has no such operator, or no bracket follows. */
gboolean symbol_parse_object_call (SymbolParser *parser, SymbolNode *node);
const char *symbol_operator_get_token (guint operator_id); /* "+" */

/* signatures.c. Parses "(int) const" after a function's name. FALSE and nothing taken: a call,
 * or no bracket follows; TRUE also after an error. is_quoted: it cannot be a call. */
gboolean symbol_parse_signature (SymbolParser *parser, const char *name, gboolean is_quoted,
                                 SymbolDie *ret_die);

/* members.c. CLASS::NAME without an object. FALSE: there is no such thing. */
gboolean symbol_emit_class_member (SymbolParser *parser, SymbolNode *node, const char *name);
/* A method of the class or its bases by its own name, as a function. FALSE: there is none. */
gboolean symbol_emit_method_named (SymbolParser *parser, SymbolNode *node, guint32 holder,
                                   const char *name);
void symbol_emit_method_itself (SymbolParser *parser, SymbolNode *node,
                                const SymbolDie *method);
/* "&C::x". FALSE: node is no member without an object. */
gboolean symbol_emit_member_address (SymbolParser *parser, SymbolNode *node);
/* Whether a pointer to a member of `from` is one to a member of to's class, and by how much its offset grows. */
gboolean symbol_find_member_distance (SymbolBinding *binding, const SymbolType *from,
                                      const SymbolType *to, gint64 *ret_offset);
/* Makes node a pointer to a member; fails where C++ has no conversion. FALSE: type is none. */
gboolean symbol_emit_member_conversion (SymbolParser *parser, SymbolNode *node, guint32 type);
/* FALSE and nothing done: neither is a pointer to a member. */
gboolean symbol_emit_member_comparison (SymbolParser *parser, SymbolNode *left,
                                        SymbolNode *right, guint operator_id);
/* Whether a pointer to a member is null. FALSE and nothing done: node is none. */
gboolean symbol_emit_no_member (SymbolParser *parser, SymbolNode *node);
/* object.*pointer and object->*pointer. FALSE and nothing taken: neither stands here. */
gboolean symbol_parse_member_pointer (SymbolParser *parser, SymbolNode *node);

/* typeids.c. Behind `typeid`. */
SymbolNode symbol_parse_typeid (SymbolParser *parser);
/* node becomes dynamic_cast<type> of it. */
void symbol_emit_dynamic_cast (SymbolParser *parser, SymbolNode *node, guint32 type);

/* fortran-operators.c. The text with spaces added where the parser needs them; caller owns. */
char *symbol_fortran_rewrite (const char *text);
/* level 1: all operators. */
SymbolNode symbol_parse_fortran_operators (SymbolParser *parser, guint level);
/* character (len=…) */
gboolean symbol_is_text (SymbolParser *parser, const SymbolNode *node);
/* Follows a pointer to a number or text. */
void symbol_emit_fortran_pointee (SymbolParser *parser, SymbolNode *node);

/* intrinsics.c. FALSE and nothing taken: name is no function of the language that is known here, or
 * no bracket follows. */
gboolean symbol_parse_intrinsic (SymbolParser *parser, SymbolNode *node, const char *name);

/* fortran.c. The type of text of a length that is not known here. */
guint32 symbol_fortran_build_text (SymbolParser *parser, guint32 character);
/* x%name of each element of an array. FALSE: node is no array of structures, or has no such
 * component. */
gboolean symbol_emit_component (SymbolParser *parser, SymbolNode *node,
                                const SymbolMember *member);
/* What a class (T) variable is, as its declared type: gfortran passes the object's address and the table of the type that
 * it has when it runs. FALSE: node is none. */
gboolean symbol_emit_class_object (SymbolParser *parser, SymbolNode *node);
/* Subscripts. FALSE and nothing taken when there are none. */
gboolean symbol_parse_fortran_postfix (SymbolParser *parser, SymbolNode *node);
