/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of characters of every width that go on behind a zero, functions of old style, which are called by the
 * default promotions, and enumerations with and without a sign. */
#include <stdint.h>
#include <uchar.h>
#include <wchar.h>

enum kind { NONE, ONE, TWO = 2 };
enum { BELOW = -1, ABOVE = 1 } sign = ABOVE;
enum huge { HUGE = 1L << 40 } huge = HUGE;
static enum kind kind = ONE;
struct packet { char tag[4]; unsigned char mask[6]; int8_t d[4]; char raw[8]; };
union raw { char bytes[8]; long number; };
static unsigned char mask[6] = { 0, 1, 1, 0, 1, 1 };
static uint8_t u8[5] = { 10, 20, 0, 30, 40 };
static int8_t i8[4] = { 0, -1, 2, -3 };
static char name[8] = "ab\0cd", whole[3] = { 'x', 'y', 'z' }, none[4], umlauts[9] = "gr\xc3\xbc\0\xff";
static wchar_t wide[6] = { L'x', 0, L'y' };
static char16_t c16[4] = { u'a', 0, u'b', 0x3b1 };
static char32_t c32[3] = { U'a', 0, U'c' };
static signed char rows[2][3] = { { 0, 1, 2 }, { 3, 4, 5 } };
static struct packet packet = { "TAG", { 0, 0, 7 }, { 0, 1, 2, 3 }, { 0, 'a', 'b' } };
static union raw raw = { { 0, 1, 0, 2 } };
static char edge[201] = "edge", longer[202] = "longer", buffer[64] = "start";

float
scale (a, b) /* the style is the point */
    float a, b;
{
    return a * b;
}

int
small (c, s, f)
    char c;
    short s;
    float f;
{
    return c + 10 * s + (int) (100 * f);
}

int
main (void)
{
    int n = mask[1] + u8[1] + i8[1] + name[0] + whole[0] + none[0] + umlauts[0] + (int) wide[0] + c16[0] + (int) c32[0]
            + rows[1][1] + kind + sign + (huge > 1) + packet.tag[0] + raw.bytes[0] + edge[0] + longer[0] + buffer[0];
    edge[199] = longer[200] = buffer[40] = 'e';
    return scale (1.0f, 0.0f) + small (0, 0, 0.0f) + (n & 0); //@ end
}
//? end: kind - 2
//? end: kind > -1
//? end: -kind => 4294967295
//? end: ~kind => 4294967294
//? end: kind + 1
//? end: sign - 2
//? end: -sign => -1
//? end: huge + 1
//? end: -huge => 18446742974197923840
//? end: mask
//? end: u8
//? end: i8 => "\000\377\002\375"
//? end: name
//? end: whole
//? end: none
//? end: umlauts
//? end: wide
//? end: c16
//? end: c32
//? end: rows
//? end: packet
//? end: packet.mask
//? end: raw
//? end: edge
//? end: longer
//? end: buffer
//? end: print/x mask
//? end: print/d packet
//? end: scale (2.0, 3.0)
//? end: scale (2, 3) + 0.5
//? end: small (1, 2, 3)
//? end: "a\0b"
//? end: strlen ("abc") => 3
//? end: strcmp ("ab", "ab") == 0 => 1
