/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/vectors.h"
#include <cpuid.h>
#include <string.h>

#define LEAF_XSAVE 13u
#define XCR0_OFFSET 464u /* the kernel writes down there which parts the state has */

enum { PART_YMM_UPPER = 2, PART_MASKS = 5, PART_ZMM_UPPER = 6, PART_ZMM_MORE = 7 };

static void
put (MachineVectors *vectors, guint part, guint32 offset)
{
    switch (part) {
    case PART_YMM_UPPER: vectors->ymm_upper = offset; return;
    case PART_MASKS: vectors->masks = offset; return;
    case PART_ZMM_UPPER: vectors->zmm_upper = offset; return;
    case PART_ZMM_MORE: vectors->zmm_more = offset; return;
    default: return;
    }
}

MachineVectors
machine_vectors_find (void)
{
    MachineVectors vectors = { 0 };

    for (guint part = PART_YMM_UPPER; part <= PART_ZMM_MORE; part++) {
        guint size, offset, c, d;

        if (__get_cpuid_count (LEAF_XSAVE, part, &size, &offset, &c, &d) && size > 0) {
            put (&vectors, part, offset);
        }
    }
    return vectors;
}

MachineVectors
machine_vectors_read (const guint8 *note, gsize size)
{
    struct {
        guint32 part, flags, offset, size;
    } row;
    MachineVectors vectors = { 0 };

    for (gsize at = 0; at + sizeof row <= size; at += sizeof row) {
        memcpy (&row, note + at, sizeof row);
        put (&vectors, row.part, row.offset);
    }
    return vectors;
}

/* Intel's processors keep the places of MPX' parts even where they have no MPX; AMD's have none. A part for
 * protection keys may follow, and on Intel's those of AMX. */
MachineVectors
machine_vectors_guess (const guint8 *state, gsize size)
{
    guint64 parts = 0;

    if (size >= XCR0_OFFSET + sizeof parts) {
        memcpy (&parts, state + XCR0_OFFSET, sizeof parts);
    }
    if (!(parts >> PART_YMM_UPPER & 1)) {
        return (MachineVectors){ 0 };
    }
    if (parts >> PART_ZMM_MORE & 1 && (size == 2688 || size == 2696 || size == 11008)) {
        return (MachineVectors){ 576, 1088, 1152, 1664 };
    }
    if (parts >> PART_ZMM_MORE & 1 && (size == 2432 || size == 2440)) {
        return (MachineVectors){ 576, 832, 896, 1408 };
    }
    return (MachineVectors){ .ymm_upper = 576 };
}
