// SPDX-License-Identifier: GPL-3.0-or-later
// Functions as the linker names them, and virtual calls that go by a thunk.
#include <vector>

namespace outer {
struct First {
    virtual ~First () {}
    virtual int first (int x) { return x; }
};
struct Second {
    int number = 0;
    virtual int second (int x) { return x; }
};
struct Both : First, Second {
    int first (int x) override { return x + 1; }
    int second (int x) override; // not in the header's line
    template <class T> T twice (T x) const;
    int operator() (int x) { return twice (x); }
    operator int () { return 4; }
};
struct Shared : virtual Second {
    int second (int x) override;
};
int Both::second (int x)
{
    return x + 2; //@ second
}
int Shared::second (int x)
{
    return x + 3; //@ shared
}
template <class T> T Both::twice (T x) const
{
    return x + x;
}
namespace {
int hidden (const std::vector<int> &numbers)
{
    return numbers[0];
}
}
int use_hidden () { return hidden ({ 1, 2 }); }
}

static int call_second (outer::Second *object)
{
    return object->second (1); //@ call
}

int main ()
{
    outer::Both both;
    outer::Shared shared;
    int sum = call_second (&both) + call_second (&shared);
    return sum + both (3) + (int) both + outer::use_hidden () > 1000;
}
