/* SPDX-License-Identifier: GPL-3.0-or-later */
// What names mean in C++, and which of several functions: `using`, overloads, operators, members without an
// object. See values.cpp for how questions are written.
#include <cstdio>
#include <typeinfo>

namespace first {
int shared = 1, only_first = 11;
struct Tag { int n; };
int visit (Tag tag) { return 100 + tag.n; }
int visit (Tag tag, double) { return 200 + tag.n; }
int operator+ (Tag a, Tag b) { return a.n + b.n; }
int operator+ (Tag a, int b) { return a.n * b; }
namespace inner { int deep = 12; }
}
namespace second { int shared = 2, only_second = 22; namespace again = first; }
namespace outer { using namespace first; namespace nested { int value = 33; } }
namespace alias = outer::nested;
inline namespace version { int inlined = 44; }

struct Top { int x = 1; static int made; virtual ~Top () {} virtual int name () { return 1; } enum Kind { thin, thick }; };
int Top::made = 7;
struct Left : Top { int left = 2; };
struct Right : Top { int right = 3; int name () override { return 3; } };
struct Both : Left, Right { int own = 4; };
struct VLeft : virtual Top { int vl = 5; };
struct VRight : virtual Top { int vr = 6; };
struct Diamond : VLeft, VRight { int bottom = 8; int name () override { return 9; } };
struct Ring { static Ring one; int n = 6; };
Ring Ring::one;

struct Number {
    int n;
    Number operator+ (const Number &other) const { return { n + other.n }; }
    Number &operator+= (int by) { n += by; return *this; }
    Number &operator++ () { n += 1; return *this; }
    Number operator++ (int) { Number old = *this; n += 10; return old; }
    bool operator! () const { return n == 0; }
    bool operator== (int other) const { return n == other; }
    int operator[] (int i) const { return n * i; }
    int operator() (int a, int b) const { return n + a * b; }
    int pick (int) { return 1; }
    int pick (double) const { return 2; }
    int pick (const char *) const { return 3; }
    int twice () const { static int calls = 17; calls += 0; return 2 * n; }
    int twice () volatile { static int calls = 18; return calls; }
    static int zero () { return 0; }
};
struct Arrow { Number *to; Number *operator-> () const { return to; } Number &operator* () const { return *to; } };

int rank (int) { return 1; }
int rank (long) { return 2; }
int rank (double) { return 3; }
int rank (const char *) { return 4; }
int rank (void *) { return 5; }
int rank (Top *) { return 6; }
int rank (Left *) { return 7; }
int bind (int &) { return 1; }
int bind (const int &) { return 2; }
int bind (int &&) { return 3; }
int mark (char *) { return 1; }
int mark (const char *) { return 2; }
int mark (volatile char *) { return 3; }

template <class T, int N> struct Made {
    T value;
    int go () {
        T copy = value;
        return copy + N; //@ made
    }
};
//? made: N
//? made: sizeof (T)
//? made: value + N

static int
plain (Both &both, Diamond &diamond, Number number, Arrow arrow)
{
    using namespace first;
    using second::only_second;
    int (Number::*method) (int, int) const = &Number::operator();
    int (Top::*virtual_method) () = &Top::name;
    int Number::*member = &Number::n;
    Tag tag { 5 };
    const Number fixed { 70 };
    VLeft *low = &diamond;
    Top *high = &diamond;
    int i = 1;
    const int ci = 2;
    char text[] = "t";
    const char *ctext = text;
    volatile char *vtext = text;
    int all = only_first + only_second + outer::shared + alias::value + inner::deep + inlined + i + ci;
    all += rank (i) + rank (1L) + rank (1.0) + rank (ctext) + rank ((void *) 0) + rank (&both.Left::left ? &(Left &) both : 0);
    all += bind (i) + bind (ci) + bind (3) + mark (text) + mark (ctext) + mark (vtext) + visit (tag) + visit (tag, 1.0);
    all += (tag + tag) + (tag + 2) + number.pick (1) + fixed.pick (1.5) + fixed.pick ("") + (number == 3) + !number;
    all += (number + fixed).n + (number += 1).n + (++number).n + number++.n + number[2] + number (1, 2) + arrow->n + (*arrow).n;
    all += (number.*method) (1, 2) + (diamond.*virtual_method) () + number.*member + fixed.twice () + Number::zero ();
    volatile Number loud { 1 };
    all += loud.twice ();
    return all; //@ plain
}
//? plain: only_first
//? plain: only_second
//? plain: outer::shared
//? plain: second::again::only_first
//? plain: alias::value
//? plain: inner::deep
//? plain: inlined => 44
//? plain: second::shared
//? plain: visit (tag)
//? plain: visit (tag, 1.0)
//? plain: tag + tag
//? plain: tag + 2
//? plain: rank (i)
//? plain: rank (1L)
//? plain: rank ('a') => 1
//? plain: rank (1.5f)
//? plain: rank (ctext)
//? plain: rank ((Left *) 0)
//? plain: bind (i)
//? plain: bind (ci)
//? plain: bind (3) => 3
//? plain: mark (text)
//? plain: mark (ctext)
//? plain: mark (vtext)
//? plain: number.pick (1)
//? plain: fixed.pick (1.5)
//? plain: number + fixed
//? plain: number == 3
//? plain: !number
//? plain: number[2]
//? plain: number (1, 2) => 23
//? plain: arrow->n
//? plain: arrow->pick (1)
//? plain: (number.*method) (1, 2)
//? plain: (diamond.*virtual_method) ()
//? plain: number.*member
//? plain: member
//? plain: &Number::n
//? plain: Top::made
//? plain: Both::made
//? plain: both.Left::x
//? plain: both.Right::x
//? plain: diamond.x
//? plain: both.x => "x" is ambiguous in Both: several of its bases have it; name the base, as in BASE::x
//? plain: Number::zero ()
//? plain: Number::pick (double) const
//? plain: 'Number::pick(int)'
//? plain: Number::twice () const::calls
//? plain: Number::twice () volatile::calls
//? plain: 'first::visit(' => cannot read expression: a value is missing after "first::visit("
//? plain: Ring::one
//? plain: &typeid (*high) == &typeid (diamond)
//? plain: &typeid (int) == &typeid (i)
//? plain: &typeid (*low) == &typeid (VLeft)
//? plain: dynamic_cast<VRight *> (low)->vr => 6
//? plain: dynamic_cast<void *> (high) == (void *) &diamond => true

int
main ()
{
    Both both;
    Diamond diamond;
    Number number { 9 }, other { 4 };
    Arrow arrow { &other };
    Made<short, 30> made { 2 };
    printf ("%d %d\n", plain (both, diamond, number, arrow) ? 1 : 0, made.go ());
    return 0;
}
