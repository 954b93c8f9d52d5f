/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions with arguments and variables of all kinds of numbers and pointers, at several depths. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE = -3 };
enum flags { READ = 1, WRITE = 2, RUN = 4 };
typedef enum colour Hue;
typedef uint8_t Byte;
typedef Byte Octet;

typedef struct {
    int x, y;
} Point;

static int counter;
static char long_text[400];
volatile long sink;

static int __attribute__ ((noinline)) twice (int number)
{
    counter += number; /*@ twice */
    return 2 * number;
}

static long __attribute__ ((noinline))
hold_numbers (signed char tiny, Octet octet, short small, unsigned short port, int number,
              unsigned bits, long wide, unsigned long long most, float single, double twin,
              char letter, bool truth)
{
    volatile double local = twin / 3;
    volatile int64_t far = wide * 7;

    sink += twice (number);
    sink += tiny + octet + small + port + (long) bits + (long) most + (long) single + letter
            + truth;
    return sink + (long) local + far;
}

static long __attribute__ ((noinline))
hold_places (const char *text, const unsigned char *bytes, Point *point, void *any,
             int (*function) (int), const wchar_t *wide, Hue hue, enum flags rights,
             long double extended, Point whole, __int128 huge, _Complex double pair)
{
    Point *const *indirect = &point;

    sink += function ((int) hue);
    sink += text != NULL ? text[0] : 0;
    sink += (bytes != NULL ? bytes[0] : 0) + (any != NULL) + (wide != NULL ? wide[0] : 0);
    sink += (long) rights + (long) extended + whole.x + (long) huge + (long) __real__ pair;
    return sink + (*indirect)->x;
}

static long __attribute__ ((noinline)) descend (int depth, double weight, const char *name)
{
    if (depth == 0) {
        return twice (depth);
    }
    return descend (depth - 1, weight * -0.3, depth % 2 ? name : name + 1) + depth;
}

int
main (void)
{
    Point point = { 3, -4 };

    for (int i = 0; i < (int) sizeof long_text - 1; i++) {
        long_text[i] = (char) ('a' + i % 26);
    }
    hold_numbers (-128, 255, -32768, 65535, -2147483647, 4294967295u, -9000000000L, ~0ull, 0.1f,
                  1e300, '\n', true);
    hold_numbers (1, 0, 2, 3, 0, 4, 5, 6, -0.0f, -1.0 / 0.0, '\'', false);
    hold_places ("a \"quoted\" text\n", (const unsigned char *) "\x80 \xc3\xa4", &point,
                 &counter, twice, L"w\u00e4", GREEN, READ | RUN, 0.25L, point, -1, 1.5);
    hold_places (long_text, NULL, &point, (void *) 8, twice, NULL, (Hue) 77, (enum flags) 0,
                 -1e30L, point, (__int128) 1 << 100, -0.5);
    hold_places ((const char *) &point, (const unsigned char *) long_text, &point, NULL, twice,
                 L"", BLUE, (enum flags) 9, 0, point, 0, 0);
    descend (12, 1, "name");
    return sink == 1;
}
