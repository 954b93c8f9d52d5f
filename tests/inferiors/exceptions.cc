// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions that cross frames, caught here and there; values of all classes that are returned.
#include <complex>
#include <csetjmp>
#include <stdexcept>
#include <string>

namespace app
{
struct trouble
{
    int code;
};
}

struct small
{
    int a;
    float b;
};
struct pair
{
    double x;
    long y;
};
struct large
{
    long numbers[4];
};

static volatile int sink;
static std::jmp_buf place;

static void
thrower (int what)
{
    if (what == 1) { /*@ thrower */
        throw app::trouble{ 7 };
    }
    if (what == 2) {
        throw std::runtime_error ("two");
    }
    sink = what;
}

static void
through (int what)
{
    thrower (what);  /*@ through */
    sink++;
}

static int
catcher (int what)
{
    try {
        through (what); /*@ call-through */
        sink = 5;
    } catch (const app::trouble &trouble) {
        return trouble.code; /*@ handler */
    } catch (const std::exception &) {
        return 2; /*@ handler-std */
    }
    return 0;
}

static void
jumper (int value)
{
    std::longjmp (place, value);
}

static int
jump_over ()
{
    volatile int count = 0;

    if (setjmp (place) == 0) { /*@ setjmp */
        count = 1;
        jumper (3); /*@ call-jumper */
        count = 2;
    }
    count = count + 10; /*@ landed */
    return count;
}

static small
get_small ()
{
    return { 3, 1.5f };
}

static pair
get_pair ()
{
    return { 2.5, 7 };
}

static large
get_large ()
{
    return { { 1, 2, 3, 4 } };
}

static std::complex<double>
get_complex ()
{
    return { 1.5, -2 };
}

static double _Complex
get_c99 ()
{
    double _Complex value;

    __real__ value = 3;
    __imag__ value = 4;
    return value;
}

static long double
get_long ()
{
    return 1.25L;
}

static const char *
get_text ()
{
    return "text";
}

int
main ()
{
    int sum = 0;

    get_small (); /*@ values */
    get_pair ();
    get_large ();
    get_complex ();
    get_c99 ();
    get_long ();
    get_text ();
    sum += catcher (0);
    sum += catcher (1); /*@ call-catcher */
    sum += catcher (2);
    sum += jump_over (); /*@ call-jump-over */
    return sum == 20 ? 0 : sum;
}
