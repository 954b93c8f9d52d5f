/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index file, byte for byte: a header with offsets of sorted tables, in the machine's own
 * order (little-endian). Written by the symbol layer, validated by index/image.c. */
#pragma once
#include <string.h>
#include <glib.h>

#define INDEX_MAGIC "PDDTIDX"
#define INDEX_VERSION 23
#define INDEX_NONE G_MAXUINT32

typedef enum {
    INDEX_TABLE_STRINGS,      /* bytes; the last is 0 */
    INDEX_TABLE_FILES,        /* guint32: string */
    INDEX_TABLE_BLOCKS,       /* IndexBlock; parents before children */
    INDEX_TABLE_SPANS,        /* IndexSpan by address: innermost block until the next span */
    INDEX_TABLE_ROWS,         /* IndexRow by address */
    INDEX_TABLE_NAMES,        /* IndexName by hash: last component of function names */
    INDEX_TABLE_SYMBOLS,      /* IndexSymbol */
    INDEX_TABLE_SYMBOL_NAMES, /* IndexName by hash: whole names of symbols */
    INDEX_TABLE_TAILS,        /* IndexTail by function */
    INDEX_N_TABLES
} IndexTable;

typedef struct {
    char magic[8];
    guint32 version, path; /* path: string */
    guint64 size;          /* of the file */
    struct {
        guint64 offset, count;
    } tables[INDEX_N_TABLES];
} IndexHeader;

/* OPTIMISED: variables are valid from the entry on, so no prologue is skipped. COMPLETE: all
 * tail calls are known. CYTHON: named as the .pyx file names it, its parts joined by dots. WRAPPER: such a
 * function that only calls another one of the same name, which has the code of the .pyx file. RESUMED: a generator's
 * body, which is entered again at each value */
enum {
    INDEX_BLOCK_INLINED = 1,
    INDEX_BLOCK_SYMBOL = 2,
    INDEX_BLOCK_ENTRY = 4,
    INDEX_BLOCK_OPTIMISED = 8,
    INDEX_BLOCK_COMPLETE = 16,
    INDEX_BLOCK_CYTHON = 32,
    INDEX_BLOCK_WRAPPER = 64,
    INDEX_BLOCK_RESUMED = 128
};

typedef struct {
    guint64 low, high;
    guint64 body;     /* after the prologue; for a function's range without its entry:
                                 the entry */
    guint32 name;     /* string or INDEX_NONE */
    guint32 parent;   /* lower index or INDEX_NONE */
    guint32 instance; /* equal for the ranges of one function or inlined call */
    guint32 call_file, call_line; /* file index or INDEX_NONE */
    guint32 line;                 /* of the declaration; 0 unknown */
    guint16 flags, language;
    guint32 reserved;
} IndexBlock;

typedef struct {
    guint64 address;
    guint32 block; /* or INDEX_NONE */
    guint32 reserved;
} IndexSpan;

#define INDEX_ROW_STMT 1u
#define INDEX_ROW_PROLOGUE_END 2u
#define INDEX_ROW_END 4u     /* end of a sequence */
#define INDEX_ROW_GOES_ON 8u /* continues the statement of the previous row */
#define INDEX_MAX_LINE (1 << 28)

typedef struct {
    guint64 address;
    guint32 file; /* or INDEX_NONE */
    guint32 line : 28;
    guint32 flags : 4;
} IndexRow;

/* A tail call: a function ends by a jump into another one, which returns to its caller. */
typedef struct {
    guint64 function; /* its entry */
    guint64 pc;       /* after the jump; 0: there may be others that are not listed */
    guint64 target;   /* of the jump, possibly a PLT stub; 0 unknown */
} IndexTail;

typedef struct {
    guint32 hash, item; /* block or symbol */
} IndexName;

/* The symbol of a function that debug information names has no text, only a hash: these are
 * most names of a C++ program and longer than everything else. */
#define INDEX_SYMBOL_RESOLVER                                                                  \
    ((guint64) 1 << 63) /* STT_GNU_IFUNC: its code finds the
                                                     function */
typedef struct {
    guint64 address;
    guint64 size;  /* maybe with INDEX_SYMBOL_RESOLVER */
    guint32 name;  /* string or INDEX_NONE */
    guint32 check; /* the upper half of the name's hash; the lower is in its IndexName */
} IndexSymbol;

/* Eight bytes at a time, multiplied and folded; the end as splitmix64 does it. */
static inline guint64
index_hash_long (const char *text, gsize size)
{
    guint64 hash = 0xcbf29ce484222325u ^ size, word = 0;
    for (; size >= 8; size -= 8, text += 8) {
        memcpy (&word, text, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy (&word, text, size);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

static inline guint32
index_hash (const char *text, gsize size)
{
    return index_hash_long (text, size);
}

/* The part of a qualified name after its last "::" outside brackets, without template arguments:
 * "a::b<c::d>" gives "b". Start and length. */
const char *index_find_last_component (const char *name, gsize *ret_length);
/* Where an integer's type begins: "long unsigned int" of gcc is "unsigned long" of clang and of people. Appends the latter
 * and returns what is behind the former; NULL and nothing appended: it is none. */
const char *index_append_integer (GString *text, const char *name);
