/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: what code is for. Linkage tables: System V psABI, 5.2 "Procedure Linkage Table". */
#include "machine/code.h"
#include "base/array.h"
#include <string.h>

#define CALL_SIZE 5 /* to an address that is relative */

static gsize
skip_landing (const guint8 *code, gsize size)
{
    static const guint8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

    return size >= 4 && memcmp (code, endbr64, 4) == 0 ? 4 : 0;
}

static gsize
skip_prefixes (const guint8 *code, gsize size)
{
    gsize i = 0;

    while (i < size
           && (code[i] == 0xf2 || code[i] == 0x3e || code[i] == 0x66
               || (code[i] & 0xf0) == 0x40)) {
        i++;
    }
    return i;
}

gboolean
machine_code_is_call (const guint8 *code, gsize size)
{
    gsize i = skip_prefixes (code, size);

    return i < size
           && (code[i] == 0xe8
               || (code[i] == 0xff && i + 1 < size && ((code[i + 1] >> 3) & 6) == 2));
}

gboolean
machine_code_is_linking (const guint8 *code, gsize size)
{
    gsize i = skip_prefixes (code, size);

    return machine_code_is_call (code, size)
           || (i < size && (code[i] == 0xc2 || code[i] == 0xc3));
}

/* call DISTANCE; or call r/m64 (ff /2), with 0 to 5 bytes of address */
gboolean
machine_code_ends_with_call (const guint8 code[MACHINE_MAX_CALL])
{
    if (code[MACHINE_MAX_CALL - 5] == 0xe8) {
        return TRUE;
    }
    for (guint at = MACHINE_MAX_CALL - 7; at <= MACHINE_MAX_CALL - 2; at++) {
        if (code[at] == 0xff && (code[at + 1] & 0x38) == 0x10) {
            return TRUE;
        }
    }
    return FALSE;
}

/* syscall, sysenter, int $0x80 */
gboolean
machine_code_is_system_call (const guint8 *code, gsize size)
{
    return size >= 2
           && ((code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34))
               || (code[0] == 0xcd && code[1] == 0x80));
}

gboolean
machine_code_is_debug_trap (const guint8 *code, gsize size)
{
    return size >= 1 && code[0] == 0xf1;
}

/* pushf, with prefixes for the size */
gboolean
machine_code_pushes_flags (const guint8 *code, gsize size)
{
    gsize i = 0;

    while (i < size && (code[i] == 0x66 || (code[i] & 0xf0) == 0x40)) {
        i++;
    }
    return i < size && code[i] == 0x9c;
}

/* mov $NUMBER, %eax; syscall */
gboolean
machine_code_find_system_call (const guint8 code[MACHINE_MAX_NUMBERED_CALL],
                               guint32 *ret_number)
{
    if (code[0] != 0xb8 || code[5] != 0x0f || code[6] != 0x05) {
        return FALSE;
    }
    memcpy (ret_number, code + 1, sizeof *ret_number);
    return TRUE;
}

/* "push $NUMBER" or "movq $NUMBER, (%rsp)", little else, and a call. */
gboolean
machine_code_passes_number (const guint8 *code, gsize size, guint64 number)
{
    static const guint8 store[] = { 0x48, 0xc7, 0x04, 0x24 };
    guint32 value = (guint32) number;

    if (size < CALL_SIZE || code[size - CALL_SIZE] != 0xe8 || number > G_MAXINT32) {
        return FALSE;
    }
    for (gsize i = 0; i + 5 <= size - CALL_SIZE; i++) {
        const guint8 *found = code[i] == 0x68 ? code + i + 1 : NULL;

        if (memcmp (code + i, store, sizeof store) == 0
            && i + sizeof store + sizeof value <= size - CALL_SIZE) {
            found = code + i + sizeof store;
        }
        if ((found != NULL && memcmp (found, &value, sizeof value) == 0)
            || (code[i] == 0x6a && number < 128 && code[i + 1] == value)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* endbr64, bnd, jmp *SLOT(%rip) */
gboolean
machine_code_find_slot (const guint8 *code, gsize size, guint64 pc, guint64 *ret_slot)
{
    gsize i = skip_landing (code, size);
    gint32 displacement;

    i += i < size && code[i] == 0xf2;
    if (i + 6 > size || code[i] != 0xff || code[i + 1] != 0x25) {
        return FALSE;
    }
    memcpy (&displacement, code + i + 2, 4);
    *ret_slot = pc + i + 6 + (guint64) (gint64) displacement;
    return TRUE;
}

/* endbr64, push INDEX */
gboolean
machine_code_find_unresolved (const guint8 *code, gsize size, guint32 *ret_index)
{
    gsize i = skip_landing (code, size);

    if (i + 5 > size || code[i] != 0x68) {
        return FALSE;
    }
    memcpy (ret_index, code + i + 1, 4);
    return TRUE;
}

/* A call, a return, a jump on a condition, or one to a place that is read. */
static gboolean
leaves_thunk (const guint8 *code)
{
    return code[0] == 0xe8 || code[0] == 0xc3 || code[0] == 0xc2 || code[0] == 0xff
           || (code[0] & 0xf0) == 0x70 || (code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

/* Additions to the object's address, which is in rdi, maybe of what its vtable says, between what keeps the arguments where
 * nothing is optimised; then a jump. */
guint64
machine_code_find_behind_thunk (const guint8 *code, gsize size, guint64 pc)
{
    gsize i = skip_landing (code, size);
    gint32 by;

    while (i + 5 <= size && code[i] != 0xe9) {
        gsize length = machine_code_get_length (code + i, size - i);

        if (code[i] == 0xeb) {
            return pc + i + 2 + (guint64) (gint64) (gint8) code[i + 1];
        }
        if (length == 0 || leaves_thunk (code + i)) {
            return 0;
        }
        i += length;
    }
    if (i + 5 > size) {
        return 0;
    }
    memcpy (&by, code + i + 1, 4);
    return pc + i + 5 + (guint64) (gint64) by;
}

gboolean
machine_code_find_called (const guint8 *code, gsize size, guint64 return_pc,
                          guint64 *ret_target)
{
    gint32 distance;

    if (size < 5 || code[size - 5] != 0xe8) {
        return FALSE;
    }
    memcpy (&distance, code + size - 4, sizeof distance);
    *ret_target = return_pc + (guint64) (gint64) distance;
    return TRUE;
}

guint
machine_code_read_jump (const guint8 code[MACHINE_MAX_JUMP], guint64 at, guint64 *ret_target)
{
    gint32 far;
    if (code[0] == 0xeb || (code[0] & 0xf0) == 0x70) {
        *ret_target = at + 2 + (gint8) code[1];
        return 2;
    }
    guint opcode = code[0] == 0xe9 ? 1 : code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 2 : 0;
    if (!opcode)
        return 0;
    memcpy (&far, code + opcode, sizeof far);
    *ret_target = at + opcode + 4 + far;
    return opcode + 4;
}

guint
machine_code_read_jump_before (const guint8 code[MACHINE_MAX_JUMP], guint64 end,
                               gboolean (*is_code) (gconstpointer user, guint64 target),
                               gconstpointer user, guint64 *ret_target)
{
    /* the long forms first: the last bytes of a distance may look like a short jump */
    static const guint8 lengths[] = { 5, 6, 2 };

    return BASE_CHOOSE (i, G_N_ELEMENTS (lengths),
                        machine_code_read_jump (code + MACHINE_MAX_JUMP - lengths[i],
                                                end - lengths[i], ret_target)
                                == lengths[i]
                            && is_code (user, *ret_target),
                        lengths[i], 0);
}

/* endbr64; push %rbp; mov %rsp,%rbp */
guint
machine_code_measure_frame_setup (const guint8 code[MACHINE_MAX_FRAME_SETUP])
{
    static const guint8 moves[2][3] = { { 0x48, 0x89, 0xe5 }, { 0x48, 0x8b, 0xec } };
    guint at = (guint) skip_landing (code, MACHINE_MAX_FRAME_SETUP);

    if (code[at] != 0x55) {
        return 0;
    }
    at++;
    return memcmp (code + at, moves[0], 3) != 0 && memcmp (code + at, moves[1], 3) != 0
               ? 0
               : at + 3;
}

/* `mov $15,%rax; syscall` or `mov $15,%eax; syscall` */
static const struct {
    guint8 bytes[9];
    guint size, move;
} signal_returns[] = { { { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 }, 9, 7 },
                       { { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 }, 7, 5 } };

gboolean
machine_code_may_be_signal_return (const guint8 code[8])
{
    static const guint8 call[] = { 0x0f, 0x05 };

    return BASE_ANY (i, G_N_ELEMENTS (signal_returns),
                     memcmp (code, signal_returns[i].bytes, signal_returns[i].move) == 0)
           || memcmp (code, call, sizeof call) == 0;
}

gboolean
machine_code_is_signal_return (const guint8 *code, gsize size, gsize before)
{
    return BASE_ANY (i, G_N_ELEMENTS (signal_returns),
                     (before + signal_returns[i].size <= size
                      && memcmp (code + before, signal_returns[i].bytes, signal_returns[i].size)
                             == 0)
                         || (before >= signal_returns[i].move
                             && before + signal_returns[i].size - signal_returns[i].move <= size
                             && memcmp (code + before - signal_returns[i].move,
                                        signal_returns[i].bytes, signal_returns[i].size)
                                    == 0));
}

/* What the rest of a function adds to its result: add $DISTANCE, %rax; or lea DISTANCE(%rax), %rax. */
static guint64
find_added (const guint8 *code, gsize size)
{
    static const struct {
        guint8 bytes[3];
        gsize size;
    } ways[] = { { { 0x48, 0x05 }, 2 }, { { 0x48, 0x8d, 0x80 }, 3 } };
    const guint8 *end = memchr (code, 0xc3, size);
    gint32 distance;

    end = end != NULL ? end : code + size;
    for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
        const guint8 *at = memmem (code, (gsize) (end - code), ways[i].bytes, ways[i].size);

        if (at != NULL && (gsize) (end - at) >= ways[i].size + sizeof distance) {
            memcpy (&distance, at + ways[i].size, sizeof distance);
            return (guint64) (gint64) distance;
        }
    }
    return 0;
}

gboolean
machine_code_find_thread_place (const guint8 *code, gsize size, guint64 pc, guint64 *ret_slot,
                                guint64 *ret_offset)
{
    static const guint8 dynamic[] = { 0x48, 0x8d, 0x3d },       /* lea slot(%rip), %rdi */
        fixed[] = { 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0 }; /* mov %fs:0, %rax */
    gint32 distance;

    for (gsize i = 0; i + 24 < size && code[i] != 0xc3; i++) {
        *ret_offset = find_added (code + i, size - i);
        *ret_slot = 0;
        if (memcmp (code + i, dynamic, sizeof dynamic) == 0) {
            memcpy (&distance, code + i + sizeof dynamic, sizeof distance);
            *ret_slot = pc + i + sizeof dynamic + sizeof distance + (guint64) (gint64) distance;
            return TRUE;
        }
        if (memcmp (code + i, fixed, sizeof fixed) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}
