/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Byte offsets in CPython's structures that the walker reads, for one minor version on x86-64.
 * All but the enums is generated from the interpreters' headers: layout-fields.h. */
#pragma once
#include "python/layout-fields.h"
#include <glib.h>

typedef enum {
    PYTHON_LINES_LNOTAB,    /* to 3.9: pairs of address and signed line */
    PYTHON_LINES_PAIRS,     /* 3.10: the same with entries that have no line */
    PYTHON_LINES_LOCATIONS, /* from 3.11: entries with columns */
} PythonLineFormat;

typedef enum {
    PYTHON_CHAIN_OBJECTS, /* to 3.10: frame objects, linked by f_back */
    PYTHON_CHAIN_CFRAMES, /* 3.11: a _PyCFrame on the C stack for each activation */
    PYTHON_CHAIN_SHIMS,   /* from 3.12: a frame on the C stack for each activation */
} PythonChain;

typedef enum {
    PYTHON_ATTRIBUTES_DICT,   /* to 3.10: by tp_dictoffset only */
    PYTHON_ATTRIBUTES_SPLIT,  /* 3.11: values at -32, dict at -24 */
    PYTHON_ATTRIBUTES_TAGGED, /* 3.12: one word at -24, odd for values */
    PYTHON_ATTRIBUTES_INLINE, /* 3.13: dict at -24, else values after the object */
} PythonAttributes;

typedef struct {
    guint minor;
    PythonLineFormat lines;
    PythonChain chain;
    PythonAttributes attributes;
#define PYTHON_LAYOUT_MEMBER(name, ...) gint32 name;
    PYTHON_LAYOUT_FIELDS (PYTHON_LAYOUT_MEMBER)
#undef PYTHON_LAYOUT_MEMBER
} PythonLayout;

/* NULL when there is no table for 3.minor. */
const PythonLayout *python_layout_find (guint minor);

/* ---- offsets.c ---- */
#define PYTHON_OFFSETS_MAX_SIZE 1024u
/* Size of the block of 3.minor; 0 if not known. */
gsize python_offsets_get_size (guint minor);
/* Overwrites the fields that the block at the start of _PyRuntime contains. Initially *layout
 * must be that of the nearest version with a table; it is unchanged on failure. CORRUPT,
 * UNSUPPORTED. */
gboolean python_offsets_decode (const guint8 *bytes, gsize size, PythonLayout *layout,
                                GError **error);
