/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of classes to point to: variables, methods of every kind, those of bases, namespaces and templates. */
#include <cstdio>

namespace space {
struct Pair {
    int first;
    double second;
    int twice (int k) { return first * k; }
};
}
struct Base {
    int x, y, table[3];
    static int shared;
    unsigned bits : 3;
    int get () const { return x; }
    int set (int value) { x = value; return y; }
    int over (int a) { return a; }
    double over (double a) { return a; }
    static int still (char c) { return c; }
    virtual int turn (int k) { return k; }
    virtual void other () {}
    void none () {}
    int loose (int z) volatile { return z; }
};
int Base::shared = 4;
struct Derived : Base {
    int z;
    int turn (int k) override { return k + 100; }
    template <class T> T same (T t) { return t; }
    template <class T> unsigned same_size (T t) const { return sizeof t + z; }
};
template <class T> struct Box {
    T v;
    T sum (T w) { return v + w; }
};
struct Holder { Base base; int after; };

struct Left {
    int l = 3;
    virtual int lead (int k) { return k; }
};
/* Base lies behind Left: its members' offsets are other ones here. */
struct Both : Left, Base {
    int turn (int k) override { return k + 200; }
};

/* No pointer to a member of a virtual base is one of the class. */
struct Far : virtual Base { int far = 6; };
template <class T> static T twice (T t) { return 2 * t; }

static int read_of (Both *object, int Both::*which) { return object->*which; }
static int call_both (Both *object, int (Both::*method) (int), int value) { return (object->*method) (value); }
static int call_on (Base *object, int (Base::*method) (int), int value) { return (object->*method) (value); }
static int free_function (int a, char b) { return a + b; }

int
main ()
{
    int (Base::*plain) (int) = &Base::set, (Base::*turned) (int) = &Base::turn;
    int (Base::*constant) () const = &Base::get;
    int Base::*member = &Base::y, space::Pair::*spaced = &space::Pair::first;
    Derived derived;
    Base &base = derived;
    Box<int> box { 3 };
    space::Pair pair { 2, 0.5 };
    Holder holder;
    Both both;
    Far far;
    int Base::*nothing = nullptr;
    int Both::*own = &Both::l, Both::*late = &Base::y;
    int (Base::*no_method) (int) = nullptr;
    int (Both::*lead) (int) = &Both::lead, (Both::*late_turn) (int) = &Base::turn, (Both::*late_set) (int) = &Base::set;
    int sum = (base.*plain) (3) + (base.*turned) (2) + (base.*constant) () + base.*member + pair.*spaced
              + call_on (&base, plain, 5) + free_function (1, 'a') + derived.same (3) + box.sum (2) + pair.twice (4)
              + Base::still ('a') + base.loose (1) + base.over (1) + (int) base.over (2.0) + holder.after * 0
              + (both.*lead) (0) + (both.*late_turn) (0) * 0 + (both.*late_set) (1) * 0 + read_of (&both, own) * 0 + call_both (&both, lead, 0)
              + (both.*late) * 0 + (nothing == nullptr) + (no_method == nullptr);

    derived.z = 1;
    far.y = (int) (derived.same_size (1ul) + derived.same_size ((short) 2) + twice (3ll) + twice (4u));
    derived.x = 11;
    derived.y = 12;
    both.x = 21;
    both.y = 22;
    base.none ();
    base.other ();
    std::printf ("%d\n", sum); //@ stop
    return 0;
}
