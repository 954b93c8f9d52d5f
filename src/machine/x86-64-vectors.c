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

static gpointer
ask_processor (gpointer unused)
{
    static MachineVectors vectors;

    for (guint part = PART_YMM_UPPER; part <= PART_ZMM_MORE; part++) {
        guint size, offset, c, d;

        if (__get_cpuid_count (LEAF_XSAVE, part, &size, &offset, &c, &d) && size > 0) {
            put (&vectors, part, offset);
        }
    }
    return &vectors;
}

/* CPUID is slow where the machine is virtual. */
MachineVectors
machine_vectors_find (void)
{
    static GOnce once = G_ONCE_INIT;

    return *(const MachineVectors *) g_once (&once, ask_processor, NULL);
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

/* ---- registers ---- */

/* What stands at the front as FXSAVE lays it out (Intel SDM volume 1, table 10-2), and XSAVE's header behind
 * it, whose first byte says which kinds of registers are in use (13.4.2). */
#define FXSAVE_SIZE 512u
#define IN_USE FXSAVE_SIZE
#define HAS_X87 (1u << 0)
#define HAS_SSE (1u << 1)
#define HAS_AVX (1u << 2)
#define DWARF_XMM MACHINE_FIRST_VECTOR /* System V ABI, AMD64 supplement, figure 3.36 */
#define DWARF_ST 33u
#define N_VECTORS 16u
#define N_FLOATS 8u
#define UPPER_SIZE (16u * N_VECTORS)

typedef struct {
    gsize at;
    guint8 in_use; /* of its kind */
} Place;

static gboolean
find_place (const MachineVectors *vectors, gsize size, guint number, gboolean is_upper,
            Place *ret_place)
{
    gboolean is_vector = number >= DWARF_XMM && number < DWARF_XMM + N_VECTORS;

    if (is_vector && is_upper) {
        *ret_place = (Place){ vectors->ymm_upper + 16 * (number - DWARF_XMM), HAS_AVX };
        return vectors->ymm_upper > IN_USE && (gsize) vectors->ymm_upper + UPPER_SIZE <= size;
    }
    if (is_vector) {
        *ret_place = (Place){ 160 + 16 * (number - DWARF_XMM), HAS_SSE };
    } else {
        *ret_place = (Place){ 32 + 16 * (number - DWARF_ST), HAS_X87 };
    }
    return size >= FXSAVE_SIZE && !is_upper
           && (is_vector || (number >= DWARF_ST && number < DWARF_ST + N_FLOATS));
}

gboolean
machine_vectors_get (const MachineVectors *vectors, const guint8 *state, gsize size,
                     guint number, gboolean is_upper, guint8 *ret_bytes)
{
    Place place;

    if (!find_place (vectors, size, number, is_upper, &place)) {
        return FALSE;
    }
    memcpy (ret_bytes, state + place.at, 16);
    if (is_upper && !(state[IN_USE] & HAS_AVX)) { /* whatever stands there */
        memset (ret_bytes, 0, 16);
    }
    return TRUE;
}

static void
note_in_use (guint8 *state, gsize size, guint8 kind)
{
    if (size > IN_USE) {
        state[IN_USE] |= kind;
    }
}

gboolean
machine_vectors_set (const MachineVectors *vectors, guint8 *state, gsize size, guint number,
                     gboolean is_upper, const guint8 *bytes)
{
    Place place;

    if (!find_place (vectors, size, number, is_upper, &place)) {
        return FALSE;
    }
    if (place.in_use == HAS_AVX && !(state[IN_USE] & HAS_AVX)) {
        memset (state + vectors->ymm_upper, 0, UPPER_SIZE);
    }
    note_in_use (state, size, place.in_use);
    memcpy (state + place.at, bytes, 16);
    if (place.in_use == HAS_X87) { /* its tag, by its number from the bottom */
        state[4] |= (guint8) (1u << (((state[3] >> 3 & 7u) + number - DWARF_ST) & 7u));
    }
    return TRUE;
}

static const struct {
    guint number, at, size;
    guint8 in_use; /* 0: it is not written */
} controls[] = {
    { 64, 24, 4, HAS_SSE }, /* mxcsr */
    { 65, 0, 2, HAS_X87 },  /* fcw */
    { 66, 2, 2, 0 },        /* fsw */
};

gboolean
machine_vectors_get_control (const guint8 *state, gsize size, guint number, guint64 *ret_value)
{
    for (guint i = 0; size >= FXSAVE_SIZE && i < G_N_ELEMENTS (controls); i++) {
        if (controls[i].number == number) {
            *ret_value = 0;
            memcpy (ret_value, state + controls[i].at, controls[i].size);
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
machine_vectors_set_control (guint8 *state, gsize size, guint number, guint64 value)
{
    for (guint i = 0; size >= FXSAVE_SIZE && i < G_N_ELEMENTS (controls); i++) {
        if (controls[i].number == number && controls[i].in_use != 0) {
            note_in_use (state, size, controls[i].in_use);
            memcpy (state + controls[i].at, &value, controls[i].size);
            return TRUE;
        }
    }
    return FALSE;
}
