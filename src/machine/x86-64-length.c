/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: the length of an instruction by the opcode maps of Intel's manual (volume 2, appendix
 * A), in less time than it takes to load capstone. Does not check whether the processor
 * supports the instruction. */
#include "machine/code.h"

#define MAX_LENGTH 15
#define NONE 0x00
#define MODRM 0x01
#define BYTE 0x02    /* an immediate or displacement of one byte */
#define WORD 0x04    /* of two */
#define WIDE 0x08    /* of four, with an operand size prefix of two */
#define LONG 0x10    /* of four */
#define FULL 0x20    /* of eight with REX.W, else as WIDE */
#define ADDRESS 0x40 /* of eight, with an address size prefix of four */
#define BAD 0x80

typedef struct {
    const guint8 *code;
    gsize size, at;
    gboolean is_short, is_wide, is_narrow; /* prefixes: operand size, REX.W, address size */
    gboolean has_repeat;                   /* F2 */
} Instruction;

/* The arithmetic of 00 to 3F is eight times the same row of eight. */
static const guint8 arithmetic[8] = { MODRM, MODRM, MODRM, MODRM, BYTE, WIDE, BAD, BAD };

/* clang-format off */
static const guint8 one_byte[192] = {
    /* 40 */ BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD,
    /* 50 */ NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
    /* 60 */ BAD, BAD, BAD, MODRM, BAD, BAD, BAD, BAD, WIDE, MODRM | WIDE, BYTE, MODRM | BYTE, NONE, NONE, NONE,
    NONE,
    /* 70 */ BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE,
    /* 80 */ MODRM | BYTE, MODRM | WIDE, BAD, MODRM | BYTE, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM,
    MODRM, MODRM, MODRM, MODRM, MODRM,
    /* 90 */ NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, BAD, NONE, NONE, NONE, NONE, NONE,
    /* a0 */ ADDRESS, ADDRESS, ADDRESS, ADDRESS, NONE, NONE, NONE, NONE, BYTE, WIDE, NONE, NONE, NONE, NONE, NONE,
    NONE,
    /* b0 */ BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, FULL, FULL, FULL, FULL, FULL, FULL, FULL, FULL,
    /* c0 */ MODRM | BYTE, MODRM | BYTE, WORD, NONE, BAD, BAD, MODRM | BYTE, MODRM | WIDE, WORD | BYTE, NONE, WORD,
    NONE, NONE, BYTE, BAD, NONE,
    /* d0 */ MODRM, MODRM, MODRM, MODRM, BAD, BAD, BAD, NONE, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM,
    MODRM,
    /* e0 */ BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, BYTE, LONG, LONG, BAD, BYTE, NONE, NONE, NONE, NONE,
    /* f0 */ BAD, NONE, BAD, BAD, NONE, NONE, MODRM, MODRM, NONE, NONE, NONE, NONE, NONE, NONE, MODRM, MODRM,
};
/* clang-format on */

/* Those after 0F that are not just followed by a ModRM byte. */
static const struct {
    guint8 first, last, form;
} two_bytes[] = {
    { 0x04, 0x04, BAD },          { 0x05, 0x09, NONE },         { 0x0a, 0x0a, BAD },
    { 0x0b, 0x0b, NONE },         { 0x0c, 0x0c, BAD },          { 0x0e, 0x0e, NONE },
    { 0x0f, 0x0f, MODRM | BYTE }, { 0x24, 0x27, BAD },          { 0x30, 0x37, NONE },
    { 0x39, 0x39, BAD },          { 0x3b, 0x3f, BAD },          { 0x70, 0x73, MODRM | BYTE },
    { 0x77, 0x77, NONE },         { 0x80, 0x8f, LONG },         { 0xa0, 0xa2, NONE },
    { 0xa4, 0xa4, MODRM | BYTE }, { 0xa6, 0xa7, BAD },          { 0xa8, 0xaa, NONE },
    { 0xac, 0xac, MODRM | BYTE }, { 0xba, 0xba, MODRM | BYTE }, { 0xc2, 0xc2, MODRM | BYTE },
    { 0xc4, 0xc6, MODRM | BYTE }, { 0xc8, 0xcf, NONE },
};

static guint
peek (const Instruction *instruction)
{
    return instruction->at < instruction->size ? instruction->code[instruction->at] : 0;
}

static void
skip_prefixes (Instruction *instruction)
{
    for (; instruction->at < instruction->size; instruction->at++) {
        switch (peek (instruction)) {
        case 0x66: instruction->is_short = TRUE; break;
        case 0x67: instruction->is_narrow = TRUE; break;
        case 0xf2: instruction->has_repeat = TRUE; break;
        case 0xf0:
        case 0xf3:
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65: break;
        default: return;
        }
    }
}

static guint8
find_two_byte (const Instruction *instruction, guint opcode)
{
    for (gsize i = 0; i < G_N_ELEMENTS (two_bytes); i++) {
        if (opcode >= two_bytes[i].first && opcode <= two_bytes[i].last) {
            return two_bytes[i].form;
        }
    }
    if (opcode == 0x78 && (instruction->is_short || instruction->has_repeat)) {
        return MODRM | WORD; /* extrq and insertq with two bytes of positions */
    }
    return MODRM;
}

/* map: as VEX, EVEX and the escapes after 0F number them. */
static guint8
find_in_map (Instruction *instruction, guint map)
{
    guint opcode = peek (instruction);

    instruction->at++;
    return map == 1                           ? find_two_byte (instruction, opcode)
           : map == 3                         ? MODRM | BYTE
           : map == 2 || map == 5 || map == 6 ? MODRM
                                              : BAD;
}

static guint8
find_escaped (Instruction *instruction)
{
    guint opcode = peek (instruction);

    if (opcode == 0x38 || opcode == 0x3a) {
        instruction->at++;
        return find_in_map (instruction, opcode == 0x38 ? 2 : 3);
    }
    return find_in_map (instruction, 1);
}

/* The bytes after C4, C5, 62 and 8F. */
static guint8
find_extended (Instruction *instruction, guint first)
{
    guint map = peek (instruction);

    switch (first) {
    case 0xc5: instruction->at++; return find_in_map (instruction, 1);
    case 0xc4: instruction->at += 2; return find_in_map (instruction, map & 0x1f);
    case 0x62: instruction->at += 3; return find_in_map (instruction, map & 7);
    default: /* AMD's XOP */
        instruction->at += 3;
        map &= 0x1f;
        return map == 8 ? MODRM | BYTE : map == 9 ? MODRM : map == 10 ? MODRM | LONG : BAD;
    }
}

static guint8
find_form (Instruction *instruction)
{
    guint opcode = peek (instruction), next;

    if ((opcode & 0xf0) == 0x40) {
        instruction->is_wide = (opcode & 8) != 0;
        instruction->at++;
        opcode = peek (instruction);
    }
    instruction->at++;
    next = peek (instruction);
    if (opcode == 0x0f) {
        return find_escaped (instruction);
    }
    if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62
        || (opcode == 0x8f && (next & 0x1f) >= 8)) {
        return find_extended (instruction, opcode);
    }
    if ((opcode == 0xf6 || opcode == 0xf7) && (next & 0x38) < 0x10) {
        return MODRM
               | (opcode == 0xf6 ? BYTE : WIDE); /* test has an immediate, its row no other */
    }
    return opcode < 0x40 ? arithmetic[opcode & 7] : one_byte[opcode - 0x40];
}

static void
skip_operand (Instruction *instruction)
{
    guint modrm = peek (instruction), mod = modrm >> 6, rm = modrm & 7, base = rm;

    instruction->at++;
    if (mod == 3) {
        return;
    }
    if (rm == 4) {
        base = peek (instruction) & 7;
        instruction->at++;
    }
    instruction->at += mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
}

gsize
machine_code_get_length (const guint8 *code, gsize size)
{
    Instruction instruction = { .code = code, .size = MIN (size, MAX_LENGTH) };
    guint8 form;
    gsize wide;

    skip_prefixes (&instruction);
    form = find_form (&instruction);
    if (form & BAD) {
        return 0;
    }
    wide = instruction.is_short && !instruction.is_wide ? 2 : 4;
    if (form & MODRM) {
        skip_operand (&instruction);
    }
    instruction.at += (form & BYTE ? 1 : 0) + (form & WORD ? 2 : 0) + (form & WIDE ? wide : 0)
                      + (form & LONG ? 4 : 0)
                      + (form & FULL ? instruction.is_wide ? 8 : wide : 0)
                      + (form & ADDRESS ? instruction.is_narrow ? 4 : 8 : 0);
    return instruction.at <= instruction.size ? instruction.at : 0;
}
