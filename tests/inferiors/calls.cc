/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions to be called by hand: every way in which arguments and results travel. */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

struct Pair {
    double a, b;
};
struct Big {
    long v[5];
};
struct Mixed {
    int i;
    double d;
};

class Shape {
public:
    virtual ~Shape () {}
    virtual double area (double k) const { return k; }
    static int count (int x) { return x + 100; }
    double kept = 0;
};

class Square : public Shape {
public:
    explicit Square (double v) : side (v) {}
    double area (double k) const override { return side * side * k; }
    double scaled (int n, float f) { return side * n * f; }
    double side;
};

static int add (int a, int b) { return a + b; }
static double add (double a, double b) { return a + b + 0.5; }
static const char *add (const char *a) { return a + 1; }

static Pair
make_pair_of (double a, double b)
{
    return Pair { a, b };
}

static Big
make_big (long x)
{
    Big big;

    for (int i = 0; i < 5; i++)
        big.v[i] = x * i;
    return big;
}

static Mixed
mix (Mixed m, int k)
{
    m.i += k;
    m.d *= k;
    return m;
}

static long
many (int a, int b, int c, int d, int e, int f, int g, double h, long i, Big j)
{
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000L * g
           + (long) (h * 10000000) + i * 100000000 + j.v[4];
}

static long double twofold (long double x) { return x * 2; }
static void change (int &r, int v) { r = v; }
static int follow (const int &r) { return r + 1; }
static int times (int a, int b) { return a * b; } //@ times
static int apply (int (*function) (int, int), int x) { return function (x, x); }
static int recursive (int n) { return n < 2 ? 1 : n * recursive (n - 1); }
static std::string text () { return "abc"; }
template <typename T> T doubled (T x) { return x + x; }

static int n_calls;
static void nothing () { n_calls++; }
static int crash (int *p) { return *p; }
static void give_up () { std::abort (); }
static void smash (int *p) { *p = 1; }

static int
forever ()
{
    for (volatile int i = 0;; i++)
        continue;
}

int
main (int argc, char **)
{
    Square square (3);
    Shape *shape = &square;
    int local = 5;
    Mixed mixed = { 2, 1.5 };
    Big big = make_big (2);
    std::vector<int> list = { 1, 2, 3 };

    change (local, 7);
    nothing ();
    std::printf ("%d %g %s %d %d %g %g %ld %Lg\n", add (1, 2), add (1.0, 2.0), add ("xyz"),
                 follow (local), doubled (3), doubled (2.5), shape->area (2),
                 many (1, 2, 3, 4, 5, 6, 7, 8, 9, big), twofold (1.5L));
    std::printf ("%d %g %d %s\n", apply (times, 3), make_pair_of (1, 2).a, mix (mixed, 2).i,
                 text ().c_str ());
    if (argc > 11)
        give_up ();
    if (argc > 12)
        smash (nullptr);
    if (argc > 10)
        return crash (nullptr) + forever () + recursive (3) + Shape::count (1)
               + (int) square.scaled (1, 1);
    std::fflush (stdout);
    return local == 7 && list.size () == 3 && isatty (77) == 0 ? 0 : 1; //@ end
}
