/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the fields of the layout of the CPython whose headers it is compiled against, "NAME OFFSET".
 * Run by make.sh; it is no part of the build. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#include <structmember.h>
#if PY_MINOR_VERSION == 8
#include "internal/pycore_pystate.h"
#else
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_MINOR_VERSION >= 11
#include "internal/pycore_code.h"
#include "internal/pycore_dict.h"
#include "internal/pycore_frame.h"
#include "internal/pycore_moduleobject.h"
#endif

#define MINOR PY_MINOR_VERSION
#define PUT(name, value) printf (#name " %ld\n", (long) (value))
#define AT(name, type, member) PUT (name, offsetof (type, member))

#if MINOR < 11
/* Private to the interpreter's own files then; the same from 3.6 to 3.10. */
typedef struct {
    Py_ssize_t dk_refcnt, dk_size;
    void *dk_lookup;
    Py_ssize_t dk_usable, dk_nentries;
    char dk_indices[];
} OldKeys;
typedef struct {
    PyObject_HEAD PyObject *md_dict;
} OldModule;
#endif

static void
put_runtime (void)
{
    AT (runtime_interpreters, struct pyruntimestate, interpreters.head);
#if MINOR < 12
    AT (runtime_gil_current, struct pyruntimestate, gilstate.tstate_current);
#endif
    AT (interpreter_next, struct _is, next);
#if MINOR < 11
    AT (interpreter_threads, struct _is, tstate_head);
#else
    AT (interpreter_threads, struct _is, threads.head);
#endif
    AT (interpreter_sysdict, struct _is, sysdict);
#if MINOR >= 12
    AT (interpreter_gil, struct _is, ceval.gil);
    AT (gil_holder, struct _gil_runtime_state, last_holder);
    AT (gil_locked, struct _gil_runtime_state, locked);
#endif
}

static void
put_thread (void)
{
    AT (thread_next, PyThreadState, next);
    AT (thread_interpreter, PyThreadState, interp);
    AT (thread_id, PyThreadState, thread_id);
    PUT (thread_size, sizeof (PyThreadState));
#if MINOR >= 11
    AT (thread_native_id, PyThreadState, native_thread_id);
#endif
#if MINOR < 11
    AT (thread_frame, PyThreadState, frame);
#elif MINOR < 13
    AT (thread_frame, PyThreadState, cframe);
    AT (cframe_frame, _PyCFrame, current_frame);
    AT (cframe_previous, _PyCFrame, previous);
#else
    AT (thread_frame, PyThreadState, current_frame);
#endif
}

static void
put_frame (void)
{
#if MINOR < 11
    AT (frame_code, PyFrameObject, f_code);
    AT (frame_previous, PyFrameObject, f_back);
    AT (frame_instruction, PyFrameObject, f_lasti);
    AT (frame_globals, PyFrameObject, f_globals);
    AT (frame_builtins, PyFrameObject, f_builtins);
    AT (frame_locals, PyFrameObject, f_locals);
    AT (frame_slots, PyFrameObject, f_localsplus);
    AT (frame_values, PyFrameObject, f_valuestack);
    AT (frame_n_blocks, PyFrameObject, f_iblock);
    AT (frame_blocks, PyFrameObject, f_blockstack);
#else
#if MINOR < 13
    AT (frame_code, _PyInterpreterFrame, f_code);
    AT (frame_instruction, _PyInterpreterFrame, prev_instr);
#else
    AT (frame_code, _PyInterpreterFrame, f_executable);
    AT (frame_instruction, _PyInterpreterFrame, instr_ptr);
#endif
#if MINOR == 11
    AT (frame_is_entry, _PyInterpreterFrame, is_entry);
#endif
    AT (frame_previous, _PyInterpreterFrame, previous);
    AT (frame_owner, _PyInterpreterFrame, owner);
    AT (frame_globals, _PyInterpreterFrame, f_globals);
    AT (frame_builtins, _PyInterpreterFrame, f_builtins);
    AT (frame_locals, _PyInterpreterFrame, f_locals);
    AT (frame_slots, _PyInterpreterFrame, localsplus);
#endif
}

static void
put_code (void)
{
    PUT (code_size, sizeof (PyCodeObject));
    AT (code_filename, PyCodeObject, co_filename);
    AT (code_name, PyCodeObject, co_name);
    AT (code_first_line, PyCodeObject, co_firstlineno);
    AT (code_flags, PyCodeObject, co_flags);
#if MINOR < 10
    AT (code_lines, PyCodeObject, co_lnotab);
#else
    AT (code_lines, PyCodeObject, co_linetable);
#endif
#if MINOR < 11
    AT (code_bytecode, PyCodeObject, co_code);
    AT (code_n_slots, PyCodeObject, co_nlocals);
    AT (code_locals, PyCodeObject, co_varnames);
    AT (code_cells, PyCodeObject, co_cellvars);
    AT (code_frees, PyCodeObject, co_freevars);
#else
    AT (code_qualname, PyCodeObject, co_qualname);
    AT (code_bytecode, PyCodeObject, co_code_adaptive);
    AT (code_stack_size, PyCodeObject, co_stacksize);
    AT (code_first_traceable, PyCodeObject, _co_firsttraceable);
    AT (code_slot_names, PyCodeObject, co_localsplusnames);
    AT (code_slot_kinds, PyCodeObject, co_localspluskinds);
    AT (code_n_slots, PyCodeObject, co_nlocalsplus);
    AT (code_exceptions, PyCodeObject, co_exceptiontable);
#endif
}

static void
put_types (void)
{
    AT (type_name, PyTypeObject, tp_name);
    AT (type_basicsize, PyTypeObject, tp_basicsize);
    AT (type_itemsize, PyTypeObject, tp_itemsize);
    AT (type_flags, PyTypeObject, tp_flags);
    AT (type_dict, PyTypeObject, tp_dict);
    AT (type_dictoffset, PyTypeObject, tp_dictoffset);
    AT (type_mro, PyTypeObject, tp_mro);
    AT (type_weaklist, PyTypeObject, tp_weaklistoffset);
    AT (type_keys, PyHeapTypeObject, ht_cached_keys);
    AT (type_qualname, PyHeapTypeObject, ht_qualname);
    AT (string_length, PyASCIIObject, length);
    AT (string_state, PyASCIIObject, state);
    PUT (string_ascii, sizeof (PyASCIIObject));
    PUT (string_compact, sizeof (PyCompactUnicodeObject));
    AT (string_data, PyUnicodeObject, data);
#if MINOR < 12
    AT (string_wide, PyASCIIObject, wstr);
    AT (string_wide_length, PyCompactUnicodeObject, wstr_length);
#endif
#if MINOR < 12
    AT (long_tag, PyVarObject, ob_size);
    AT (long_digits, struct _longobject, ob_digit);
#else
    AT (long_tag, struct _longobject, long_value.lv_tag);
    AT (long_digits, struct _longobject, long_value.ob_digit);
#endif
    AT (bytes_data, PyBytesObject, ob_sval);
    AT (float_value, PyFloatObject, ob_fval);
    AT (complex_value, PyComplexObject, cval);
    AT (tuple_items, PyTupleObject, ob_item);
    AT (list_items, PyListObject, ob_item);
    AT (var_size, PyVarObject, ob_size);
    AT (cell_value, PyCellObject, ob_ref);
    PUT (function_name_before,
         offsetof (PyFunctionObject, func_qualname) - offsetof (PyFunctionObject, func_name));
    AT (function_qualname, PyFunctionObject, func_qualname);
    AT (exception_args, PyBaseExceptionObject, args);
    AT (member_define, PyMemberDescrObject, d_member);
#if MINOR < 11
    AT (module_dict, OldModule, md_dict);
#else
    AT (module_dict, PyModuleObject, md_dict);
#endif
}

static void
put_tables (void)
{
    AT (dict_used, PyDictObject, ma_used);
    AT (dict_keys, PyDictObject, ma_keys);
    AT (dict_values, PyDictObject, ma_values);
#if MINOR < 11
    AT (keys_size, OldKeys, dk_size);
    AT (keys_n_entries, OldKeys, dk_nentries);
    AT (keys_indices, OldKeys, dk_indices);
#else
    AT (keys_log2_size, struct _dictkeysobject, dk_log2_size);
    AT (keys_log2_bytes, struct _dictkeysobject, dk_log2_index_bytes);
    AT (keys_kind, struct _dictkeysobject, dk_kind);
    AT (keys_n_entries, struct _dictkeysobject, dk_nentries);
    AT (keys_indices, struct _dictkeysobject, dk_indices);
    AT (values_first, struct _dictvalues, values);
#endif
    AT (set_used, PySetObject, used);
    AT (set_mask, PySetObject, mask);
    AT (set_table, PySetObject, table);
}

int
main (void)
{
    printf ("release %s\n", PY_VERSION);
    put_runtime ();
    put_thread ();
    put_frame ();
    put_code ();
    put_types ();
    put_tables ();
    return 0;
}
