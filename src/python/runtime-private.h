/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this folder: a rank's CPython with its layout, a cache of memory pages
 * for one stop, and known code objects. */
#pragma once
#include "python/layout-private.h"
#include "python/python.h"

#define PYTHON_N_PAGES 32u
/* That a page may be kept in: stacks and heaps often agree in the lowest bits of their addresses. */
#define PYTHON_N_WAYS 4u

typedef struct {
    guint64 address;
    gsize size;        /* 0: empty */
    gboolean was_used; /* at the previous stop: probably needed again */
    guint64 use;       /* number of its last use */
    guint8 *bytes;
} PythonPage;

#define PYTHON_FLAG_OPTIMIZED                                                                  \
    1u /* of code: a function, whose variables have places of their own */

/* A code object as first seen. */
typedef struct {
    guint64 address;
    guint64 filename_at, name_at, lines_at; /* the fingerprint */
    guint generation;                       /* of the last check against the rank */
    char *function, *file;
    guint32 first_line;
    guint32 flags;
    guint32 stack_size;      /* words; from 3.11 */
    guint32 first_traceable; /* index of the instruction that begins it; from 3.11 */
    guint64 bytecode;        /* address of the first instruction */
    GBytes *lines;
    guint64 slot_names, slot_kinds; /* tuple, bytes; from 3.11 */
    guint64 locals, cells, frees;   /* tuples; to 3.10 */
    guint32 n_slots;
} PythonCode;

/* Bits of tp_flags (Include/object.h). */
#define PYTHON_FLAG_HEAP (1u << 9)
#define PYTHON_FLAG_LONG (1u << 24)
#define PYTHON_FLAG_LIST (1u << 25)
#define PYTHON_FLAG_TUPLE (1u << 26)
#define PYTHON_FLAG_BYTES (1u << 27)
#define PYTHON_FLAG_STR (1u << 28)
#define PYTHON_FLAG_DICT (1u << 29)
#define PYTHON_FLAG_EXCEPTION (1u << 30)
#define PYTHON_FLAG_TYPE (1u << 31)

typedef struct {
    guint64 address;
    char *name;      /* "Solver", without its module */
    char *full_name; /* tp_name */
    guint64 flags;
    gint64 basicsize, itemsize, dictoffset, weaklist;
    guint64 dict, mro, keys;
} PythonType;

struct _PythonRuntime {
    BaseMemoryReader *memory;
    PythonDupPath dup_path; /* NULL: relative names of files stay */
    gpointer dup_path_user;
    const PythonLayout *layout;
    PythonLayout own_layout; /* the table merged with the interpreter's own offsets; from
                                3.13 */
    guint64 address;         /* of _PyRuntime */
    guint version;
    guint64 version_address; /* of Py_Version; 0 to 3.10 */
    gboolean is_checked;     /* the layout was verified */
    guint64 image_start, image_end;
    guint64 evaluation_start, evaluation_end;
    guint64 code_type;    /* address of PyCode_Type, once seen */
    guint generation;     /* increases with each invalidate */
    GHashTable *codes;    /* address to PythonCode */
    GHashTable *types;    /* address to PythonType; for one stop */
    gboolean has_fetched; /* the pages of the stop before */
    guint64 n_uses;       /* of pages */
    PythonPage pages[PYTHON_N_PAGES];
};

gboolean python_read (PythonRuntime *runtime, guint64 address, void *data, gsize size);
gboolean python_read_u64 (PythonRuntime *runtime, guint64 address, guint64 *ret_value);
gboolean python_read_u32 (PythonRuntime *runtime, guint64 address, guint32 *ret_value);

/* sys.NAME of the first interpreter; 0 none. */
guint64 python_runtime_find_sys (PythonRuntime *runtime, const char *name);

/* Borrowed until the next invalidate; NULL when there is no type. */
const PythonType *python_find_type (PythonRuntime *runtime, guint64 type);
/* Type of the object at address. */
const PythonType *python_find_object_type (PythonRuntime *runtime, guint64 object);
/* UTF-8 of a str object, at most max characters; NULL when it is none. ret_cut may be NULL. */
char *python_read_str (PythonRuntime *runtime, guint64 object, gsize max, gboolean *ret_cut);
/* The characters of a str: address, bytes of each (1, 2, 4), number. */
gboolean python_find_characters (PythonRuntime *runtime, guint64 object, guint64 *ret_address,
                                 guint *ret_kind, guint64 *ret_length);
/* Code points of at most max characters from `from` on; NULL when it is no str. ret_length, of the
 * whole, may be NULL. */
gunichar *python_read_characters (PythonRuntime *runtime, guint64 object, gsize from, gsize max,
                                  gsize *ret_count, guint64 *ret_length);
/* Small int object; FALSE when it is none or too large. */
gboolean python_read_int (PythonRuntime *runtime, guint64 object, gint64 *ret_value);
/* Bytes object of at most max bytes; NULL otherwise. */
GBytes *python_read_bytes (PythonRuntime *runtime, guint64 object, gsize max);

/* A name in the class or its bases by the method resolution order; ret_owner, the base that has
 * it, may be NULL. */
gboolean python_type_find (PythonRuntime *runtime, const PythonType *type, const char *name,
                           guint64 *ret_object, const PythonType **ret_owner);
/* From 3.12 on, dictionaries of built-in types are not readable: TRUE when one of them may have
 * a name that python_type_find did not find. */
gboolean python_type_may_have (PythonRuntime *runtime, const PythonType *type,
                               const char *name);
/* TRUE when the class, or a base that is not built in, defines the special method. type may be
 * NULL. */
gboolean python_type_has_code (PythonRuntime *runtime, const PythonType *type,
                               const char *name);
/* Its method resolution order: the type itself, then its bases; 0 if it cannot be read. */
guint python_type_get_n_bases (PythonRuntime *runtime, const PythonType *type);
guint64 python_type_get_base (PythonRuntime *runtime, const PythonType *type, guint i);
gboolean python_type_has_base (PythonRuntime *runtime, const PythonType *type,
                               const char *full_name);

/* Borrowed; NULL when there is no code object. */
const PythonCode *python_find_code (PythonRuntime *runtime, guint64 address);
/* Line at a byte offset in the bytecode (negative: not begun); 0 unknown. */
guint32 python_code_find_line (const PythonRuntime *runtime, const PythonCode *code,
                               gint64 offset);
void python_code_free (PythonCode *code);

/* Calls back for each entry; stops when it returns FALSE. FALSE when the table is
 * inconsistent. */
typedef gboolean (*PythonOnEntry) (guint64 key, guint64 value, gpointer user);
gboolean python_dict_foreach (PythonRuntime *runtime, guint64 dict, PythonOnEntry on_entry,
                              gpointer user);
gint64 python_dict_get_size (PythonRuntime *runtime, guint64 dict);
gboolean python_dict_find_str (PythonRuntime *runtime, guint64 dict, const char *key,
                               guint64 *ret_value);
gboolean python_set_foreach (PythonRuntime *runtime, guint64 set, PythonOnEntry on_entry,
                             gpointer user);
/* An instance's own attributes in definition order, then its bound slots. */
gboolean python_attributes_foreach (PythonRuntime *runtime, guint64 object,
                                    PythonOnEntry on_entry, gpointer user);
/* The value of an instance's own attribute; 0: it has none of that name. */
guint64 python_attributes_find (PythonRuntime *runtime, guint64 object, const char *name);

/* Reads a slot of an instance by its descriptor; FALSE when it is unbound or no object. */
gboolean python_member_read (PythonRuntime *runtime, guint64 descriptor, guint64 object,
                             guint64 *ret_object);

typedef gboolean (*PythonOnLocal) (const char *name, guint64 object, gpointer user);
/* Bound locals, cells and free variables; names of a module's or class's frame from its dict. */
gboolean python_locals_foreach (PythonRuntime *runtime, guint64 frame, PythonOnLocal on_local,
                                gpointer user);
/* A function's code has such a variable, cell or free variable, whether it has a value or not. */
gboolean python_code_has_variable (PythonRuntime *runtime, guint64 code, const char *name);
