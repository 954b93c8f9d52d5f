/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Byte offsets in structures of CPython on x86-64, written by generate/make.sh from the headers of
 * 3.8.18 3.9.18 3.10.13 3.11.7 3.12.1 3.13.0 3.14.10.
 * A column is a minor version, for all its patch levels; 0 if it has no such field. Not to be edited. */
#pragma once

/* clang-format off */
#define PYTHON_LAYOUT_FIELDS(F) \
    F (bytes_data,              32,    32,    32,    32,    32,    32,    32) \
    F (cell_value,              16,    16,    16,    16,    16,    16,    16) \
    F (cframe_frame,             0,     0,     0,     8,     0,     0,     0) \
    F (cframe_previous,          0,     0,     0,    16,     8,     0,     0) \
    F (code_bytecode,           48,    48,    48,   184,   192,   200,   208) \
    F (code_cells,              88,    88,    88,     0,     0,     0,     0) \
    F (code_exceptions,          0,     0,     0,    40,    40,    40,    40) \
    F (code_filename,          104,   104,   104,   112,   112,   112,   112) \
    F (code_first_line,         40,    40,    40,    72,    68,    68,    68) \
    F (code_first_traceable,     0,     0,     0,   168,   176,   184,   192) \
    F (code_flags,              36,    36,    36,    48,    48,    48,    48) \
    F (code_frees,              80,    80,    80,     0,     0,     0,     0) \
    F (code_lines,             120,   120,   120,   136,   136,   136,   136) \
    F (code_locals,             72,    72,    72,     0,     0,     0,     0) \
    F (code_n_slots,            28,    28,    28,    76,    72,    72,    72) \
    F (code_name,              112,   112,   112,   120,   120,   120,   120) \
    F (code_qualname,            0,     0,     0,   128,   128,   128,   128) \
    F (code_size,              176,   176,   176,   192,   200,   208,   216) \
    F (code_slot_kinds,          0,     0,     0,   104,   104,   104,   104) \
    F (code_slot_names,          0,     0,     0,    96,    96,    96,    96) \
    F (code_stack_size,          0,     0,     0,    68,    64,    64,    64) \
    F (complex_value,           16,    16,    16,    16,    16,    16,    16) \
    F (dict_keys,               32,    32,    32,    32,    32,    32,    32) \
    F (dict_used,               16,    16,    16,    16,    16,    16,    16) \
    F (dict_values,             40,    40,    40,    40,    40,    40,    40) \
    F (exception_args,          24,    24,    24,    24,    24,    24,    24) \
    F (float_value,             16,    16,    16,    16,    16,    16,    16) \
    F (frame_blocks,           120,   120,   112,     0,     0,     0,     0) \
    F (frame_builtins,          40,    40,    40,    16,    32,    32,    32) \
    F (frame_code,              32,    32,    32,    32,     0,     0,     0) \
    F (frame_globals,           48,    48,    48,     8,    24,    24,    24) \
    F (frame_instruction,      104,   104,    96,    56,    56,    56,    56) \
    F (frame_is_entry,           0,     0,     0,    68,     0,     0,     0) \
    F (frame_locals,            56,    56,    56,    24,    40,    40,    40) \
    F (frame_n_blocks,         112,   112,   104,     0,     0,     0,     0) \
    F (frame_owner,              0,     0,     0,    69,    70,    70,    74) \
    F (frame_previous,          24,    24,    24,    48,     8,     8,     8) \
    F (frame_slots,            360,   360,   352,    72,    72,    72,    80) \
    F (frame_values,            64,    64,    64,     0,     0,     0,     0) \
    F (function_name_before,    40,    40,     8,     8,     8,     8,     8) \
    F (function_qualname,      104,   104,    40,    40,    40,    40,    40) \
    F (gil_holder,               0,     0,     0,     0,     8,     8,     8) \
    F (gil_locked,               0,     0,     0,     0,    16,    16,    16) \
    F (interpreter_gil,          0,     0,     0,     0,   384,    16,    16) \
    F (interpreter_next,         0,     0,     0,     0,     0,  7264,  7272) \
    F (interpreter_sysdict,     72,   872,   872,   904,   352,  7640,  7672) \
    F (interpreter_threads,      8,     8,     8,    16,    72,  7344,  7344) \
    F (keys_indices,            40,    40,    40,    32,    32,    32,    32) \
    F (keys_kind,                0,     0,     0,    10,    10,    10,    10) \
    F (keys_log2_bytes,          0,     0,     0,     9,     9,     9,     9) \
    F (keys_log2_size,           0,     0,     0,     8,     8,     8,     8) \
    F (keys_n_entries,          32,    32,    32,    24,    24,    24,    24) \
    F (keys_size,                8,     8,     8,     0,     0,     0,     0) \
    F (list_items,              24,    24,    24,    24,    24,    24,    24) \
    F (long_digits,             24,    24,    24,    24,    24,    24,    24) \
    F (long_tag,                16,    16,    16,    16,    16,    16,    16) \
    F (member_define,           40,    40,    40,    40,    40,    40,    40) \
    F (module_dict,             16,    16,    16,    16,    16,    16,    16) \
    F (runtime_gil_current,   1368,   568,   568,   576,     0,     0,     0) \
    F (runtime_interpreters,    32,    32,    32,    40,    40,   632,   808) \
    F (set_mask,                32,    32,    32,    32,    32,    32,    32) \
    F (set_table,               40,    40,    40,    40,    40,    40,    40) \
    F (set_used,                24,    24,    24,    24,    24,    24,    24) \
    F (string_ascii,            48,    48,    48,    48,    40,    40,    40) \
    F (string_compact,          72,    72,    72,    72,    56,    56,    56) \
    F (string_data,             72,    72,    72,    72,    56,    56,    56) \
    F (string_length,           16,    16,    16,    16,    16,    16,    16) \
    F (string_state,            32,    32,    32,    32,    32,    32,    32) \
    F (string_wide,             40,    40,    40,    40,     0,     0,     0) \
    F (string_wide_length,      64,    64,    64,    64,     0,     0,     0) \
    F (thread_frame,            24,    24,    24,    56,    56,    72,    72) \
    F (thread_id,              176,   176,   176,   152,   136,   152,   152) \
    F (thread_interpreter,      16,    16,    16,    16,    16,    16,    16) \
    F (thread_native_id,         0,     0,     0,   160,   144,   160,   160) \
    F (thread_next,              8,     8,     8,     8,     8,     8,     8) \
    F (thread_size,            264,   264,   280,   360,   288,   304,   832) \
    F (tuple_items,             24,    24,    24,    24,    24,    24,    32) \
    F (type_basicsize,          32,    32,    32,    32,    32,    32,    32) \
    F (type_dict,              264,   264,   264,   264,   264,   264,   264) \
    F (type_dictoffset,        288,   288,   288,   288,   288,   288,   288) \
    F (type_flags,             168,   168,   168,   168,   168,   168,   168) \
    F (type_itemsize,           40,    40,    40,    40,    40,    40,    40) \
    F (type_keys,              872,   864,   872,   872,   880,   880,   880) \
    F (type_mro,               344,   344,   344,   344,   344,   344,   344) \
    F (type_name,               24,    24,    24,    24,    24,    24,    24) \
    F (type_qualname,          864,   856,   864,   864,   872,   872,   872) \
    F (type_weaklist,          208,   208,   208,   208,   208,   208,   208) \
    F (values_first,             0,     0,     0,     0,     0,     8,     8) \
    F (var_size,                16,    16,    16,    16,    16,    16,    16)
/* clang-format on */
