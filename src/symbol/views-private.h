/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building the views of C++ containers (INDEX_VIEW_… of evaluate/code.h). */
#pragma once
#include "symbol/bind-private.h"

typedef struct {
    const char *name; /* after the namespaces; with "<" */
    EvaluateView view;
    gboolean (*describe) (SymbolBinding *binding, guint32 number);
} SymbolView;
/* Tries the first view whose name matches; FALSE leaves the type without a view. */
gboolean symbol_view_take (SymbolBinding *binding, guint32 number, const char *name,
                           const SymbolView *known, guint n_known);
/* For LLVM's library; name: after "std::__1::". */
void symbol_view_find_llvm (SymbolBinding *binding, guint32 number, const char *name);

/* Appends a number or type to the view. */
void symbol_view_add_number (SymbolType *type, guint64 number);
void symbol_view_add_type (SymbolType *type, guint32 number);
/* Finds a member, also in bases and unnamed parts; adds its offset to *offset. */
gboolean symbol_view_find_one (SymbolBinding *binding, guint32 number, const char *name,
                               guint depth, guint64 *offset, guint32 *ret_type);
/* "a.b.c": offset and type of a member of members. */
gboolean symbol_view_take_path (SymbolBinding *binding, guint32 holder, const char *path,
                                guint64 *ret_offset, guint32 *ret_type);
/* The same, its offset added to the view; ret_type may be NULL. */
gboolean symbol_view_add_path (SymbolBinding *binding, guint32 number, const char *path,
                               guint32 *ret_type);
/* The nth type among the template's arguments, including parameter packs. 0 none. */
guint64 symbol_view_find_argument (SymbolBinding *binding, guint32 number, guint nth);
/* That type added to the view. */
gboolean symbol_view_add_argument (SymbolBinding *binding, guint32 number, guint nth);
guint64 symbol_view_get_size (SymbolBinding *binding, guint32 type);
guint64 symbol_view_find_alignment (SymbolBinding *binding, guint32 number, guint depth);
/* The offset of a value of the view's types after `header` bytes. */
guint64 symbol_view_place_value (SymbolBinding *binding, guint32 number, guint64 header);
/* For both libraries: the keys, and values of a map, in nodes with a header of so many bytes. */
gboolean symbol_view_add_pair (SymbolBinding *binding, guint32 number, guint64 header);
/* What a variant may hold; index: the type of the number that says which. */
gboolean symbol_view_add_alternatives (SymbolBinding *binding, guint32 number, guint32 index);
gboolean symbol_view_describe_array (SymbolBinding *binding, guint32 number, const char *path);
/* A pointer and the owner counts in the target of `counts`, each stored
 * minus `lacking`. */
gboolean symbol_view_describe_shared (SymbolBinding *binding, guint32 number,
                                      const char *pointer, const char *counts, const char *use,
                                      const char *weak, guint64 lacking);

/* views-wrap.c. As `describe` above. */
gboolean symbol_view_describe_adapter (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_path (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_atomic (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_time (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_duration (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_span (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_list (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_bitset (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_pointer (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_list_node (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_tree_node (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_hash_node (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_function (SymbolBinding *binding, guint32 number);
gboolean symbol_view_describe_any (SymbolBinding *binding, guint32 number);
