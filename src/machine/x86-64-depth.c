/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: how far a function has moved the stack pointer, by its instructions alone (Intel's manual,
 * volume 2). All ways from its entry are followed; where two of them disagree, or one moves the pointer by
 * what only a register knows (alloca, alignment), nothing is known. */
#include "machine/code.h"
#include <string.h>

#define MAX_CODE (256u << 10)
#define NONE G_MININT32        /* no way has come here yet */
#define MIXED (G_MININT32 + 1) /* it is not known */
#define SP 4u
#define FP 5u

typedef struct {
    const guint8 *code;
    gsize size;
    gint32 frame;   /* CFA - frame pointer */
    gint32 *depths; /* CFA - stack pointer before the instruction at each offset */
    GArray *open;   /* of guint32: offsets to go on from */
    GArray *behind; /* the same behind calls, which may not return */
    gint32 usual;   /* of all calls and jumps to somewhere else; NONE: of none yet */
} Walk;

typedef struct {
    gsize at, size; /* of the opcode; of the whole */
    guint opcode;   /* with 0x0f00 for those after 0F */
    guint reg, rm;  /* with REX's bits; rm 16: memory */
    gboolean is_wide, is_short;
} Decoded;

static gint32
read_i32 (const guint8 *code)
{
    gint32 value;

    memcpy (&value, code, sizeof value);
    return value;
}

static gboolean
decode (const Walk *walk, gsize from, Decoded *decoded)
{
    const guint8 *code = walk->code;
    gsize at = from;
    guint rex = 0;

    memset (decoded, 0, sizeof *decoded);
    decoded->size = machine_code_get_length (code + from, walk->size - from);
    if (decoded->size == 0) {
        return FALSE;
    }
    while (strchr ("\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67", code[at]) != NULL
           && code[at] != 0) {
        decoded->is_short |= code[at++] == 0x66;
    }
    if ((code[at] & 0xf0) == 0x40) {
        rex = code[at++];
    }
    decoded->is_wide = (rex & 8) != 0;
    decoded->opcode = code[at] == 0x0f ? 0x0f00u | code[at + 1] : code[at];
    at += code[at] == 0x0f ? 1 : 0;
    decoded->at = at;
    if (at + 1 < from + decoded->size) {
        guint8 modrm = code[at + 1];

        decoded->reg = (modrm >> 3 & 7u) | (rex & 4 ? 8u : 0);
        decoded->rm = modrm >> 6 == 3 ? (modrm & 7u) | (rex & 1 ? 8u : 0) : 16u;
    }
    return TRUE;
}

static gint32
get_number (const Walk *walk, gsize at, gboolean is_byte)
{
    return is_byte ? (gint8) walk->code[at] : read_i32 (walk->code + at);
}

/* What lea adds, to the stack pointer or the frame pointer. FALSE: something else. */
static gboolean
find_sum (const Walk *walk, const Decoded *decoded, guint base, gint32 *ret_number)
{
    const guint8 *code = walk->code + decoded->at + 1;
    guint mod = code[0] >> 6, rm = code[0] & 7u;
    gboolean has_base = base == SP ? rm == 4 && code[1] == 0x24 : rm == FP;

    if ((walk->code[decoded->at - 1] & 3) != 0 || !has_base || mod == 3
        || (mod == 0 && base == FP)) {
        return FALSE;
    }
    code += base == SP ? 2 : 1;
    *ret_number = mod == 0 ? 0 : mod == 1 ? (gint8) code[0] : read_i32 (code);
    return TRUE;
}

/* lea: the depth after it. */
static gint32
take_address (const Walk *walk, const Decoded *decoded, gint32 depth)
{
    gint32 number;

    if (decoded->reg != SP) {
        return depth;
    }
    return decoded->is_wide && find_sum (walk, decoded, SP, &number) ? depth - number : MIXED;
}

/* The stack pointer counts from the frame pointer again: leave, mov, lea. */
static gboolean
find_reset (const Walk *walk, const Decoded *decoded, gint32 *ret_depth)
{
    gint32 number = 0;

    if (decoded->opcode == 0xc9) {
        *ret_depth = walk->frame - 8;
        return TRUE;
    }
    *ret_depth = walk->frame;
    if (decoded->opcode == 0x8d && decoded->is_wide && decoded->reg == SP
        && find_sum (walk, decoded, FP, &number)) {
        *ret_depth -= number;
        return TRUE;
    }
    return decoded->is_wide
           && ((decoded->opcode == 0x89 && decoded->rm == SP && decoded->reg == FP)
               || (decoded->opcode == 0x8b && decoded->reg == SP && decoded->rm == FP));
}

/* 80 to 83: arithmetic with a number. */
static gint32
take_arithmetic (const Walk *walk, const Decoded *decoded, gint32 depth)
{
    gint32 number = get_number (walk, decoded->at + 2, decoded->opcode != 0x81);

    if (decoded->rm != SP || (decoded->reg & 7u) == 7) { /* cmp changes nothing */
        return depth;
    }
    return !decoded->is_wide          ? MIXED
           : (decoded->reg & 7u) == 0 ? depth - number
           : (decoded->reg & 7u) == 5 ? depth + number
                                      : MIXED;
}

/* Instructions that may write into a register, of those that compilers use for addresses. */
static gboolean
writes_sp (const Decoded *decoded)
{
    guint opcode = decoded->opcode;
    gboolean is_rm = decoded->rm == SP, is_reg = decoded->reg == SP;

    if (opcode < 0x38 && (opcode & 7u) < 4) {
        return (opcode & 2) != 0 ? is_reg : is_rm;
    }
    switch (opcode) {
    case 0x63:
    case 0x69:
    case 0x6b:
    case 0x8b: return is_reg;
    case 0x86:
    case 0x87: return is_rm || is_reg;
    case 0x89:
    case 0xc1:
    case 0xc7:
    case 0xd1:
    case 0xd3: return is_rm;
    case 0xf7: return is_rm && (decoded->reg & 7u) >= 2;
    case 0xff: return is_rm && (decoded->reg & 7u) <= 1;
    default: return opcode >= 0x0f40 && opcode <= 0x0f4f && is_reg;
    }
}

static gint32
take_stack (const Decoded *decoded, gint32 depth, gboolean *ret_is_done)
{
    guint opcode = decoded->opcode;

    *ret_is_done = TRUE;
    if ((opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c
        || opcode == 0x0fa0 || opcode == 0x0fa8
        || (opcode == 0xff && (decoded->reg & 7u) == 6)) {
        return decoded->is_short ? MIXED : depth + 8;
    }
    if ((opcode >= 0x58 && opcode <= 0x5f) || opcode == 0x9d || opcode == 0x0fa1
        || opcode == 0x0fa9 || (opcode == 0x8f && (decoded->reg & 7u) == 0)) {
        return decoded->is_short || opcode == 0x5c ? MIXED : depth - 8;
    }
    *ret_is_done = FALSE;
    return depth;
}

/* The depth after an instruction that goes on to the next one. */
static gint32
take (const Walk *walk, const Decoded *decoded, gint32 depth)
{
    gboolean is_done;
    gint32 after;

    if (find_reset (walk, decoded, &after)) {
        return after;
    }
    if (depth == MIXED) {
        return MIXED;
    }
    after = take_stack (decoded, depth, &is_done);
    if (is_done) {
        return after;
    }
    switch (decoded->opcode) {
    case 0x8d: return take_address (walk, decoded, depth);
    case 0x80:
    case 0x81:
    case 0x83: return take_arithmetic (walk, decoded, depth);
    case 0xc8: return MIXED;
    default: return writes_sp (decoded) ? MIXED : depth;
    }
}

/* ---- ways ---- */

static void
reach (Walk *walk, gsize at, gint32 depth)
{
    guint32 offset = (guint32) at;
    gint32 *known;

    if (at >= walk->size) {
        return;
    }
    known = &walk->depths[at];
    if (*known == depth || *known == MIXED) {
        return;
    }
    *known = *known == NONE ? depth : MIXED;
    g_array_append_val (walk->open, offset);
}

static void
note_usual (Walk *walk, gint32 depth)
{
    walk->usual = walk->usual == NONE || walk->usual == depth ? depth : MIXED;
}

/* A loop that touches each page of what it takes: lea -SIZE(%rsp), REGISTER in front of its beginning, cmp REGISTER, %rsp
 * in front of its end. The depth behind it; NONE: it is none. */
static gint32
find_probed (const Walk *walk, gsize begin, gsize end)
{
    const guint8 *lea = walk->code + begin - 8, *cmp = walk->code + end - 3;

    if (begin < 8 || end < begin + 3 || (lea[0] | 4) != 0x4c || lea[1] != 0x8d
        || (lea[2] & 0xc7) != 0x84 || lea[3] != 0x24 || cmp[0] != lea[0] || cmp[1] != 0x39
        || cmp[2] != ((lea[2] & 0x38) | 0xc4) || walk->depths[begin - 8] == NONE
        || walk->depths[begin - 8] == MIXED) {
        return NONE;
    }
    return walk->depths[begin - 8] - read_i32 (lea + 4);
}

static void
follow_jump (Walk *walk, const Decoded *decoded, gsize at, gint32 depth)
{
    guint opcode = decoded->opcode;
    gboolean is_near = opcode < 0x0f00 && opcode != 0xe9;
    gsize next = at + decoded->size;
    gssize target = (gssize) next
                    + (is_near ? (gint8) walk->code[next - 1]
                               : read_i32 (walk->code + next - 4));
    gboolean is_always = opcode == 0xe9 || opcode == 0xeb;
    gint32 probed = !is_always && target >= 0 && target < (gssize) at
                        ? find_probed (walk, (gsize) target, at)
                        : NONE;

    if (probed != NONE) {
        reach (walk, (gsize) target, MIXED);
        reach (walk, next, probed);
        return;
    }
    if (target >= 0 && target < (gssize) walk->size) {
        reach (walk, (gsize) target, depth);
    } else {
        note_usual (walk, depth);
    }
    if (!is_always) {
        reach (walk, next, depth);
    }
}

/* TRUE: it has been followed wherever it leads. */
static gboolean
follow (Walk *walk, const Decoded *decoded, gsize at, gint32 depth)
{
    guint opcode = decoded->opcode, which = decoded->reg & 7u;
    guint32 next = (guint32) (at + decoded->size);

    if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0x0f80 && opcode <= 0x0f8f)
        || (opcode >= 0xe0 && opcode <= 0xe3) || opcode == 0xe9 || opcode == 0xeb) {
        follow_jump (walk, decoded, at, depth);
        return TRUE;
    }
    if (opcode == 0xe8 || (opcode == 0xff && (which == 2 || which == 3))) {
        note_usual (walk, depth);
        g_array_append_val (walk->behind, next);
        g_array_append_val (walk->behind, depth);
        return TRUE;
    }
    if (opcode == 0xff && (which == 4 || which == 5)) {
        note_usual (walk, depth);
        return TRUE;
    }
    return opcode == 0xc2 || opcode == 0xc3 || opcode == 0xcc || opcode == 0xcf
           || opcode == 0xf4 || opcode == 0x0f0b;
}

/* Calls that do not return have another function's or another way's instructions behind them: these are known by then. */
static void
walk_on (Walk *walk)
{
    Decoded decoded;

    while (walk->open->len > 0 || walk->behind->len > 0) {
        guint32 at;

        if (walk->open->len == 0) {
            gint32 depth = g_array_index (walk->behind, gint32, walk->behind->len - 1);

            at = g_array_index (walk->behind, guint32, walk->behind->len - 2);
            g_array_set_size (walk->behind, walk->behind->len - 2);
            if (at < walk->size && (walk->depths[at] == NONE || depth == MIXED)) {
                reach (walk, at, depth);
            }
            continue;
        }
        at = g_array_index (walk->open, guint32, walk->open->len - 1);
        g_array_set_size (walk->open, walk->open->len - 1);
        if (!decode (walk, at, &decoded)) {
            continue;
        }
        if (!follow (walk, &decoded, at, walk->depths[at])) {
            reach (walk, at + decoded.size, take (walk, &decoded, walk->depths[at]));
        }
    }
}

/* At the instruction that has the byte at `at`; NONE: no way leads there. */
static gint32
find_known (const Walk *walk, gsize at)
{
    Decoded decoded;

    for (gsize back = 0; back < MACHINE_MAX_INSTRUCTION && back <= at; back++) {
        if (walk->depths[at - back] != NONE && decode (walk, at - back, &decoded)
            && decoded.size > back) {
            return walk->depths[at - back];
        }
    }
    return NONE;
}

/* Tables of jumps and handlers of exceptions lead to what no other way does: nowhere has the stack pointer
 * been elsewhere then. */
static void
reach_rest (Walk *walk, gsize at)
{
    Decoded decoded;

    for (gsize from = 0; from < walk->size && find_known (walk, at) == NONE;
         from += decoded.size) {
        if (!decode (walk, from, &decoded)) {
            return;
        }
        if (walk->depths[from] == NONE) {
            reach (walk, from, walk->usual);
            walk_on (walk);
        }
    }
}

gboolean
machine_code_find_depth (const guint8 *code, gsize size, gsize at, gint64 entry, gint64 frame,
                         gint64 *ret_depth)
{
    Walk walk = { .code = code, .size = size, .frame = (gint32) frame, .usual = NONE };
    gint32 depth;

    if (size > MAX_CODE || at >= size) {
        return FALSE;
    }
    walk.depths = g_new (gint32, size);
    for (gsize i = 0; i < size; i++) {
        walk.depths[i] = NONE;
    }
    walk.open = g_array_new (FALSE, FALSE, sizeof (guint32));
    walk.behind = g_array_new (FALSE, FALSE, sizeof (guint32));
    reach (&walk, 0, (gint32) entry);
    walk_on (&walk);
    if (find_known (&walk, at) == NONE && walk.usual != NONE && walk.usual != MIXED) {
        reach_rest (&walk, at);
    }
    depth = find_known (&walk, at);
    g_array_unref (walk.open);
    g_array_unref (walk.behind);
    g_free (walk.depths);
    *ret_depth = depth;
    return depth != NONE && depth != MIXED;
}
