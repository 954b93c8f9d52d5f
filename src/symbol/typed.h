/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types for printers that run in the front end: by lines of words with a tab between them. A type is its entry's offset, 0 void.
 *   I SPEC            what is asked for: d OFFSET; p, r, c SPEC (pointer, reference, const); a COUNT SPEC; b KIND SIZE NAME
 *   T OFFSET TAG SIZE ENCODING TARGET FLAGS NAME   FLAGS: 1 incomplete, 2 pddt has a view for it, 4 has a vtable, 8 C++
 *   behind it, for that type:
 *   F NAME TYPE BITPOS BITSIZE FLAGS               a member; FLAGS: 1 a base, 2 static (BITPOS: link-time address), 4 a constant
 *                                                  (BITPOS), 8 a virtual base
 *   G T TYPE, G V TYPE NUMBER                      an argument of its template; K instead of G: of its pack
 *   E VALUE NAME                                   an enumerator
 *   R LOW HIGH                                     a dimension; HIGH below LOW: not known
 *   P TYPE                                         a parameter of a function */
#pragma once
#include "symbol/bind.h"

/* what: "of" an expression, "named" so, "at" an offset. With the types that these need, as far as there is room. NOT_FOUND,
 * INVALID. Caller owns. */
char *symbol_typed_answer (SymbolBinder *binder, guint64 pc, guint inline_depth,
                           const char *what, const char *text, GError **error);
