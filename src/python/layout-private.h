/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where CPython keeps what the walker reads: offsets in bytes of one minor version's structures on
 * x86-64, made by generate/layout.c from the interpreter's own headers. */
#pragma once
#include <glib.h>

typedef enum {
    PYTHON_LINES_LNOTAB,    /* to 3.9: pairs of address and signed line */
    PYTHON_LINES_PAIRS,     /* 3.10: the same with entries that have no line */
    PYTHON_LINES_LOCATIONS, /* from 3.11: entries with columns */
} PythonLineFormat;

typedef enum {
    PYTHON_CHAIN_OBJECTS,   /* to 3.10: frame objects, linked by f_back */
    PYTHON_CHAIN_CFRAMES,   /* 3.11: a _PyCFrame on the C stack for each activation */
    PYTHON_CHAIN_SHIMS,     /* from 3.12: a frame on the C stack for each activation */
} PythonChain;

typedef enum {
    PYTHON_ATTRIBUTES_DICT,   /* to 3.10: by tp_dictoffset only */
    PYTHON_ATTRIBUTES_SPLIT,  /* 3.11: values at -32, dict at -24 */
    PYTHON_ATTRIBUTES_TAGGED, /* 3.12: one word at -24, odd for values */
    PYTHON_ATTRIBUTES_INLINE, /* 3.13: dict at -24, else values behind the object */
} PythonAttributes;

/* Every field of the table, in the order of the generator. 0 where a version has none. */
#define PYTHON_LAYOUT_FIELDS(F)                                                                  \
    F (runtime_interpreters) F (runtime_gil_current) F (interpreter_next)                        \
    F (interpreter_threads) F (interpreter_sysdict) F (interpreter_gil) F (gil_holder)           \
    F (gil_locked) F (thread_next) F (thread_interpreter) F (thread_frame) F (thread_id)         \
    F (thread_native_id) F (thread_size) F (cframe_frame) F (cframe_previous) F (frame_code)     \
    F (frame_previous) F (frame_instruction) F (frame_owner) F (frame_is_entry)                  \
    F (frame_globals) F (frame_builtins) F (frame_locals) F (frame_slots) F (code_size)          \
    F (code_filename) F (code_name) F (code_qualname) F (code_first_line) F (code_lines)         \
    F (code_flags) F (code_bytecode) F (code_slot_names) F (code_slot_kinds) F (code_n_slots)    \
    F (code_stack_size) F (code_first_traceable)                                                 \
    F (frame_values) F (frame_n_blocks) F (frame_blocks) F (code_exceptions)                     \
    F (code_locals) F (code_cells) F (code_frees) F (type_name) F (type_basicsize)               \
    F (type_itemsize) F (type_flags) F (type_dict) F (type_dictoffset) F (type_mro)              \
    F (type_keys) F (type_qualname) F (type_weaklist) F (string_length) F (string_state) F (string_ascii)          \
    F (string_compact)                                                                           \
    F (string_data) F (string_wide) F (string_wide_length)                                       \
    F (long_tag) F (long_digits) F (bytes_data) F (float_value)                                  \
    F (complex_value) F (tuple_items) F (list_items) F (var_size) F (dict_used) F (dict_keys)    \
    F (dict_values) F (keys_log2_size) F (keys_log2_bytes) F (keys_kind) F (keys_n_entries)      \
    F (keys_size) F (keys_indices) F (values_first) F (set_used) F (set_mask) F (set_table)      \
    F (cell_value) F (module_dict) F (function_qualname) F (function_name_before)                \
    F (exception_args) F (member_define)

typedef struct {
    guint minor;
    PythonLineFormat lines;
    PythonChain chain;
    PythonAttributes attributes;
#define PYTHON_LAYOUT_MEMBER(name) gint32 name;
    PYTHON_LAYOUT_FIELDS (PYTHON_LAYOUT_MEMBER)
#undef PYTHON_LAYOUT_MEMBER
} PythonLayout;

/* NULL when there is no table for 3.minor. */
const PythonLayout *python_layout_find (guint minor);

/* ---- offsets.c ---- */
#define PYTHON_OFFSETS_MAX_SIZE 1024u
/* Bytes of the block of 3.minor; 0 when that is not known. */
gsize python_offsets_get_size (guint minor);
/* Overwrites what the block at the start of _PyRuntime tells; the rest of *layout stays, which must be
 * that of the nearest version with a table. Untouched on failure. CORRUPT, UNSUPPORTED. */
gboolean python_offsets_decode (const guint8 *bytes, gsize size, PythonLayout *layout,
                                GError **error);
