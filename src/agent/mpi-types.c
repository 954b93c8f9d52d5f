/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Datatypes: size, name, and the sequence of basic types. MPI is asked once for each handle.
 * The sequence is written as a text that is equal in all ranks, so comparing texts finds
 * messages sent as one type and received as another. */
#include "agent/mpi-fast.h"
#include <stdio.h>
#include <string.h>

#define Q mpi_queue

enum { MAX_PARTS = 8, MAX_DEPTH = 12, MAX_BLOCKS = 32, MAX_NUMBERS = 16384 };

/* A sequence of basic types; the datatype may repeat it. n -1: not known. */
struct parts {
    int n, is_dense;
    struct {
        char class;
        unsigned size;
        uint64_t count;
        char name[32];
    } list[MAX_PARTS];
};

struct mpi_type mpi_types[MPI_TYPES];

static void
add_part (struct parts *parts, char class, unsigned size, uint64_t count, const char *name)
{
    int last = parts->n - 1;

    if (parts->n < 0 || size == 0 || count == 0) {
        return;
    }
    if (last >= 0 && parts->list[last].class == class && parts->list[last].size == size
        && strcmp (parts->list[last].name, name) == 0) {
        parts->list[last].count += count;
    } else if (parts->n == MAX_PARTS) {
        parts->n = -1; /* and it stays -1 */
    } else {
        parts->n++;
        parts->list[last + 1].class = class;
        parts->list[last + 1].size = size;
        parts->list[last + 1].count = count;
        snprintf (parts->list[last + 1].name, sizeof parts->list[0].name, "%s", name);
    }
}

/* ---- basic types, by name ---- */

static int
has_word (const char *name, const char *const words[])
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strstr (name, words[i]) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* 0: not known. The order of the rows matters, because names contain words of other types. */
static char
find_class (const char *name)
{
    static const struct {
        char class;
        const char *words[8];
    } rows[] = {
        { 'b', { "BYTE", "PACKED", NULL } },
        { 'l', { "LOGICAL", "BOOL", NULL } },
        { 'u', { "UNSIGNED", "UINT", NULL } },
        { 'f', { "FLOAT", "DOUBLE", "REAL", "COMPLEX", NULL } },
        { 'i', { "INT", "SHORT", "LONG", "CHAR", "OFFSET", "COUNT", NULL } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (has_word (name, rows[i].words)) {
            return rows[i].class;
        }
    }
    return 0;
}

/* The pairs of MPI_MAXLOC count as made of their two types. */
static void
add_named (struct parts *parts, const char *name, unsigned size)
{
    size_t length = strlen (name);
    char class = find_class (name);
    unsigned n = strstr (name, "COMPLEX") != NULL ? 2 : 1;

    if (class == 0) {
        parts->n = -1;
    } else if (strncmp (name, "MPI_2", 5) == 0) {
        add_part (parts, class, size / (2 * n), 2 * n, name);
    } else if (length > 8 && strcmp (name + length - 4, "_INT") == 0
               && strcmp (name, "MPI_LONG_LONG_INT") != 0 && size > sizeof (int)) {
        add_part (parts, class == 'f' ? 'f' : 'i', size - (unsigned) sizeof (int), 1, name);
        add_part (parts, 'i', sizeof (int), 1, name);
    } else {
        add_part (parts, class, size / n, n, name);
    }
}

/* ---- derived types ---- */

/* A type made with large counts can only be read with type_get_envelope_c; the other function
 * would raise an error that ends the program. The contents of such a type are not read. */
static int
get_envelope (MPI_Datatype type, int *n_integers, int *n_addresses, int *n_types, int *combiner)
{
    MPI_Count integers = 0, addresses = 0, large = 0, types = 0;

    if (mpi_next.type_get_envelope_c == NULL) {
        return mpi_next.type_get_envelope (type, n_integers, n_addresses, n_types, combiner)
               == MPI_SUCCESS;
    }
    if (mpi_next.type_get_envelope_c (type, &integers, &addresses, &large, &types, combiner)
        != MPI_SUCCESS) {
        return 0;
    }
    *n_integers = integers > MAX_NUMBERS ? MAX_NUMBERS + 1 : (int) integers;
    *n_addresses = addresses > MAX_NUMBERS ? MAX_NUMBERS + 1 : (int) addresses;
    *n_types = large > 0 || types > MAX_BLOCKS ? 0 : (int) types;
    return 1;
}

static void build (MPI_Datatype type, int depth, struct parts *ret_parts);

static MPI_Count
get_size (MPI_Datatype type)
{
    MPI_Count size = 0;

    return mpi_next.type_size (type, &size) == MPI_SUCCESS && size > 0 ? size : 0;
}

/* Appends `inner` as often as needed to fill `bytes`. */
static void
add_repeated (struct parts *parts, const struct parts *inner, uint64_t bytes)
{
    uint64_t size = 0, n;

    for (int i = 0; i < inner->n; i++) {
        size += inner->list[i].size * inner->list[i].count;
    }
    n = size > 0 ? bytes / size : 0;
    if (inner->n < 0 || (size == 0 && bytes > 0) || (inner->n > 1 && n > MAX_PARTS)) {
        parts->n = -1;
        return;
    }
    for (uint64_t k = 0; k < (inner->n > 1 ? n : 1); k++) {
        for (int i = 0; i < inner->n; i++) {
            add_part (parts, inner->list[i].class, inner->list[i].size,
                      inner->n > 1 ? inner->list[i].count : n * inner->list[i].count,
                      inner->list[i].name);
        }
    }
}

/* If only one block is not empty, it repeats just as the whole does. */
static void
add_blocks (struct parts *parts, int n, const int *lengths, const MPI_Datatype *types,
            int depth)
{
    struct parts inner;
    int n_full = 0;

    for (int i = 0; i < n; i++) {
        n_full += lengths[i] > 0 && get_size (types[i]) > 0;
    }
    for (int i = 0; i < n && parts->n >= 0; i++) {
        uint64_t bytes = lengths[i] > 0 ? (uint64_t) lengths[i] * (uint64_t) get_size (types[i])
                                        : 0;

        if (bytes == 0) {
            continue;
        }
        build (types[i], depth + 1, &inner);
        if (n_full == 1) {
            *parts = inner;
        } else {
            add_repeated (parts, &inner, bytes);
        }
    }
    parts->is_dense = 0;
}

static void
free_types (int n, MPI_Datatype *types)
{
    int integers, addresses, inner, combiner;

    for (int i = 0; i < n; i++) {
        if (get_envelope (types[i], &integers, &addresses, &inner, &combiner)
            && combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL
            && combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER) {
            mpi_next.type_free (&types[i]);
        }
    }
}

static void
build_derived (MPI_Datatype type, int combiner, int n_integers, int n_addresses, int n_types,
               int depth, struct parts *parts)
{
    static int integers[MAX_NUMBERS];
    static MPI_Aint addresses[MAX_NUMBERS];
    MPI_Datatype types[MAX_BLOCKS];
    int lengths[MAX_BLOCKS];

    if (depth > MAX_DEPTH || n_integers > MAX_NUMBERS || n_addresses > MAX_NUMBERS
        || n_types > MAX_BLOCKS || n_types < 1
        || mpi_next.type_get_contents (type, n_integers, n_addresses, n_types, integers,
                                       addresses, types)
               != MPI_SUCCESS) {
        parts->n = -1;
        return;
    }
    if (combiner == MPI_COMBINER_STRUCT) {
        for (int i = 0; i < n_types; i++) { /* the array is overwritten below */
            lengths[i] = n_integers > n_types ? integers[1 + i] : 0;
        }
        add_blocks (parts, n_types, lengths, types, depth);
    } else if (n_types == 1) { /* all other constructors repeat one type */
        build (types[0], depth + 1, parts);
        parts->is_dense &= combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS;
    } else {
        parts->n = -1;
    }
    free_types (n_types, types);
}

static void
build (MPI_Datatype type, int depth, struct parts *parts)
{
    int n_integers = 0, n_addresses = 0, n_types = 0, combiner = -1, length = 0;
    unsigned size = (unsigned) get_size (type);
    char name[MPI_MAX_OBJECT_NAME] = "";
    MPI_Aint lower = 0, extent = 0;

    parts->n = parts->is_dense = 0;
    if (!get_envelope (type, &n_integers, &n_addresses, &n_types, &combiner)) {
        parts->n = -1;
    } else if (combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX) {
        add_named (parts, combiner == MPI_COMBINER_F90_REAL ? "MPI_REAL" : "MPI_COMPLEX", size);
    } else if (combiner == MPI_COMBINER_F90_INTEGER) {
        add_named (parts, "MPI_INTEGER", size);
    } else if (combiner != MPI_COMBINER_NAMED) {
        build_derived (type, combiner, n_integers, n_addresses, n_types, depth, parts);
    } else if (mpi_next.type_get_name (type, name, &length) == MPI_SUCCESS
               && strlen (name) < 32) {
        add_named (parts, name, size);
        parts->is_dense = mpi_next.type_get_extent (type, &lower, &extent) == MPI_SUCCESS
                          && lower == 0 && extent == (MPI_Aint) size;
    } else {
        parts->n = -1;
    }
}

/* ---- what the tables keep ---- */

static uint16_t
keep_signature (struct parts *parts)
{
    char text[PDDT_QUEUE_SIGNATURE];
    size_t length = 0;

    if (parts->n == 1) {
        parts->list[0].count = 1; /* a single basic type may repeat any number of times */
    }
    for (int i = 0; i < parts->n; i++) {
        int n = snprintf (text + length, sizeof text - length, "%s%c%u", i > 0 ? " " : "",
                          parts->list[i].class, parts->list[i].size);

        length += (size_t) n;
        if (length < sizeof text && parts->list[i].count > 1) {
            length += (size_t) snprintf (text + length, sizeof text - length, "*%llu",
                                         (unsigned long long) parts->list[i].count);
        }
        if (length < sizeof text) {
            length += (size_t) snprintf (text + length, sizeof text - length, "=%s",
                                         parts->list[i].name);
        }
        if (length >= sizeof text) {
            return 0;
        }
    }
    if (length == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < Q.n_signatures; i++) {
        if (strcmp (Q.signatures[i], text) == 0) {
            return (uint16_t) (i + 1);
        }
    }
    if (Q.n_signatures >= PDDT_QUEUE_SIGNATURES) {
        return 0;
    }
    memcpy (Q.signatures[Q.n_signatures], text, length + 1);
    return (uint16_t) ++Q.n_signatures;
}

static uint16_t
keep_name (const char *name)
{
    uint32_t index = Q.n_types;

    for (uint32_t i = 0; i < index; i++) {
        if (strncmp (Q.types[i], name, sizeof Q.types[0] - 1) == 0) {
            return (uint16_t) (i + 1);
        }
    }
    if (index >= PDDT_QUEUE_TYPES) {
        return MPI_NO_INDEX;
    }
    snprintf (Q.types[index], sizeof Q.types[index], "%s", name);
    Q.n_types = index + 1;
    return (uint16_t) (index + 1);
}

static uint16_t
name_type (MPI_Datatype type)
{
    int n_integers, n_addresses, n_types, combiner = -1, length = 0;
    char name[MPI_MAX_OBJECT_NAME] = "";

    if (!get_envelope (type, &n_integers, &n_addresses, &n_types, &combiner)
        || combiner != MPI_COMBINER_NAMED
        || mpi_next.type_get_name (type, name, &length) != MPI_SUCCESS) {
        return MPI_NO_INDEX;
    }
    return keep_name (name);
}

const struct mpi_type *
mpi_type_find (MPI_Datatype type)
{
    static const struct mpi_type none;
    struct mpi_type *known
        = &mpi_types[mpi_fast_hash ((uint64_t) (uintptr_t) type) % MPI_TYPES];
    struct parts parts;
    MPI_Count size = 0;

    if (known->index != 0 && known->type == type) {
        return known;
    }
    if (type == 0 || mpi_is_null_type (type)
        || mpi_next.type_size (type, &size) != MPI_SUCCESS) {
        return &none;
    }
    build (type, 0, &parts);
    *known = (struct mpi_type){ .type = type,
                                .size = size,
                                .index = name_type (type),
                                .signature = keep_signature (&parts),
                                .is_dense = parts.n > 0 && parts.is_dense };
    return known;
}

/* ---- types that the program makes and frees ---- */

void
mpi_type_note_made (MPI_Datatype type, uint32_t call, uint64_t caller)
{
    uint32_t i = 0;

    while (i < Q.made_high && Q.made[i].handle != 0) {
        i++;
    }
    if (i == PDDT_QUEUE_MADE) {
        return; /* more than anybody wants to read */
    }
    Q.made[i] = (struct pddt_queue_made){ (uint64_t) (uintptr_t) type, caller, call, 0 };
    Q.made_high = i >= Q.made_high ? i + 1 : Q.made_high;
}

void
mpi_type_forget (MPI_Datatype type)
{
    struct mpi_type *known
        = &mpi_types[mpi_fast_hash ((uint64_t) (uintptr_t) type) % MPI_TYPES];

    if (known->type == type) {
        *known = (struct mpi_type){ 0 };
    }
    for (uint32_t i = 0; i < Q.made_high; i++) {
        if (Q.made[i].handle == (uint64_t) (uintptr_t) type) {
            Q.made[i].handle = 0;
        }
    }
}
