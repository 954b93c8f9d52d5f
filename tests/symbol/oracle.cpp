/* SPDX-License-Identifier: GPL-3.0-or-later */
// Methods, templates, lambdas, exceptions and namespaces on the stack; stopped in reached (). See
// test-oracle.py.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

volatile int sink;

__attribute__ ((noinline)) void
reached (int number)
{
    sink = number;
}

namespace shapes {
namespace {
int hidden = 3;

__attribute__ ((noinline)) int
helper (int n)
{
    reached (n + hidden);
    return n;
}
}

class Shape {
public:
    explicit Shape (double size) : size (size) {}
    virtual ~Shape () {}
    __attribute__ ((noinline)) virtual double area (int scale) const
    {
        reached (scale);
        return size * scale;
    }
    static int count;
protected:
    double size;
};
int Shape::count = 2;

class Square : public Shape {
public:
    explicit Square (double side) : Shape (side), side (side) {}
    __attribute__ ((noinline)) double area (int scale) const override
    {
        double inner = Shape::area (scale + 1);
        reached (scale + count);
        return inner + side;
    }
    struct Corner { int x, y; __attribute__ ((noinline)) int sum () const { reached (x); return x + y; } };
private:
    double side;
};

template <typename T> struct Holder {
    T value;
    template <typename U> __attribute__ ((noinline)) T add (const U &other)
    {
        T sum = value + (T) other;
        reached ((int) sum);
        return sum;
    }
};

template <int N> __attribute__ ((noinline)) int
repeat (int value)
{
    reached (N);
    return repeat<N - 1> (value) + 1;
}
template <> __attribute__ ((noinline)) int
repeat<0> (int value)
{
    reached (value);
    return value;
}
}

__attribute__ ((noinline)) int
count_long (const std::vector<std::string> &words, std::size_t limit)
{
    int seen = 0;
    auto is_long = [&seen, limit] (const std::string &word) {
        seen++;
        reached ((int) word.size ());
        return word.size () > limit;
    };
    return (int) std::count_if (words.begin (), words.end (), is_long) + seen;
}

__attribute__ ((noinline)) int
fail (int code)
{
    try {
        if (code > 1)
            throw std::runtime_error ("no");
        return 0;
    } catch (const std::exception &fault) {
        reached (code);
        return (int) std::string (fault.what ()).size ();
    }
}

int
main ()
{
    shapes::Square square (2);
    const shapes::Shape &shape = square;
    shapes::Holder<long> holder { 4 };
    shapes::Square::Corner corner { 1, 2 };
    std::vector<std::string> words { "a", "longer" };
    int total = shapes::helper (1) + (int) shape.area (3) + (int) holder.add (2.5) + corner.sum ()
                + shapes::repeat<2> (5) + count_long (words, 2) + fail (2);
    sink = total;
    return total == 0;
}
