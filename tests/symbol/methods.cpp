// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of a program that clang has built: only the definition says which parameter is the object.
struct Base {
    int id;
    explicit Base (int number) : id (number) {}
    virtual ~Base () = default;
    virtual int weight () const { return id; }
};
struct Derived : Base {
    using Base::Base;
    int weight () const override { return 10 * id; }
};
struct P {
    double x, y;
    static int count;
    double dot () const { return x * x + y * y; }
    int add (int k) { return k + (int) x; }
    P operator+ (const P &o) const { return { x + o.x, y + o.y }; }
    static int twice (int k) { return 2 * k; }
    template <typename T> T as (T more) const { return (T) x + more; }
};
int P::count = 3;

int
main ()
{
    P a { 1, 2 }, b { 3, 4 };
    P *p = &a;
    Derived derived (7);
    Base &base = derived;
    auto closure = [&] (int k) { return k + (int) a.y; };
    return (int) (a.dot () + p->add (5) + (a + b).x + P::twice (1) + base.weight () + a.as<int> (2) + closure (1)) & 0; //@ end
}
//? end: a + b
//? end: a.dot ()
//? end: p->add (5)
//? end: (a + b).dot ()
//? end: P::twice (4)
//? end: a.twice (5)
//? end: base.weight ()
//? end: derived.weight ()
//? end: a.as<int> (2)
