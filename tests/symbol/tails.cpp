/* SPDX-License-Identifier: GPL-3.0-or-later */
// Member functions, templates and virtual calls that leave by jumps; see test-oracle.py.
#include <cstdio>

#define OWN __attribute__ ((noinline))

volatile int sink;

OWN int
stop (int number)
{
    sink = number; //@ stop
    return sink;
}

namespace work {

struct Base {
    int factor;
    virtual OWN int run (int number)
    {
        sink = factor;
        return last (number * factor, 7);
    }
    OWN int last (int number, int more)
    {
        stop (number);
        return sink + more + factor;
    }
    virtual ~Base () {}
};

struct Derived : Base {
    OWN int run (int number) override
    {
        sink = number;
        return Base::run (number + 1);
    }
};

template <typename Value> OWN int
forward (Base &base, Value value)
{
    sink = 3;
    return base.last (static_cast<int> (value), 8);
}

OWN int
choose (Base *base, int number)
{
    return base->run (number);
}

}

int
main ()
{
    work::Derived derived;
    derived.factor = 4;
    int result = work::forward (derived, 2.5) + work::forward (derived, 7L);
    result += derived.Derived::run (5);
    result += work::choose (&derived, 6);
    std::printf ("%d\n", result + sink);
    return 0;
}
