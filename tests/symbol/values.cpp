/* SPDX-License-Identifier: GPL-3.0-or-later */
// C++ values to look at. A line `//? mark: expression` is asked at that mark in pddt and in gdb; with
// ` => text` behind it pddt's own answer is given, where it differs from gdb's on purpose.
#include <array>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace shapes {
enum class Color : unsigned char { red, green = 4, blue };
enum Plain { first, second = 7 };
int counter = 5;
struct Point {
    int x, y;
    int sum () const;
    static int made;
};
int Point::made = 3;
namespace deep {
double counter = 2.5;
struct Point { float only = 0.5f; };
}
struct Base {
    virtual ~Base () {}
    virtual int area () { return b; }
    int b = 1;
};
struct Other { virtual ~Other () {} int other = 9; };
struct Derived : Base, Other {
    int area () override;
    int d = 2;
    Point at { 3, 4 };
    const Point &where = at;
    int Point::*member = &Point::y;
};
struct Left : virtual Base { int left = 11; };
struct Right : virtual Base { int right = 12; };
struct Diamond : Left, Right { int own = 13; int total (); };
}
namespace { int hidden = 77; }
template <class T, int N = 2> struct Box {
    T value[N];
    static T shared;
    using element = T;
    T get (int i) const;
};
template <class T, int N> T Box<T, N>::shared = T (8);
struct Flags {
    unsigned low : 3;
    signed middle : 6;
    bool on : 1;
    shapes::Color color : 4;
    union { float f; unsigned u; };
    union Named { int i; char c[4]; } named;
};
typedef int (*callback) (int);
thread_local int own_of_thread = 21;
static int statically = 31;
volatile int sink;
int overloaded (int a) { return a; }
int overloaded (double a) { return static_cast<int> (a); }

int
shapes::Point::sum () const
{
    int local = x + y;
    sink = local;
    return local; //@ method
}
//? method: x
//? method: y
//? method: this->x
//? method: *this
//? method: x + this->y
//? method: made
//? method: counter
//? method: deep::counter
//? method: shapes::deep::counter
//? method: local

int
shapes::Derived::area ()
{
    sink = d + b + other;
    return d + b; //@ derived
}
//? derived: d
//? derived: b
//? derived: other
//? derived: at.x
//? derived: where.y
//? derived: Base::b
//? derived: this->Base::b
//? derived: *this
//? derived: where

int
shapes::Diamond::total ()
{
    sink = left + right + own;
    return left + right + own + b; //@ diamond
}
//? diamond: left
//? diamond: right
//? diamond: b
//? diamond: own

template <class T, int N> T
Box<T, N>::get (int i) const
{
    T local = value[i];
    sink = static_cast<int> (local);
    return local; //@ box
}
//? box: value
//? box: value[i]
//? box: shared
//? box: *this
//? box: local

static int twice (int v) { return v + v; }

static int
plain (shapes::Base &base, const shapes::Point &point, shapes::Base *pointer)
{
    int array[12] = { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 };
    int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    char text[16] = "plain text";
    const char *words = "one \"two\"\n\tthree";
    const char *nothing = nullptr;
    int *first = array;
    callback function = twice;
    Flags flags {};
    flags.low = 5;
    flags.middle = -3;
    flags.on = true;
    flags.color = shapes::Color::green;
    flags.f = 1.5f;
    flags.named.i = 0x41424344;
    shapes::Color color = shapes::Color::blue;
    shapes::Plain enumerated = shapes::second;
    Box<double, 3> box { { 1.5, 2.5, 3.5 } };
    Box<int> ints { { 7, 8 } };
    int &reference = array[3];
    int &&moved = 5;
    long long big = -1234567890123LL;
    unsigned char byte = 200;
    char letter = 'A';
    wchar_t wide = L'w';
    char16_t sixteen = u'x';
    const wchar_t *wide_text = L"wide";
    bool yes = true;
    void *raw = array;
    shapes::Point points[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    shapes::deep::Point inner;
    decltype (nullptr) null = nullptr;
    struct { int a; struct { int b; } in; } unnamed = { 1, { 2 } };
    float tiny = 1e-10f;
    long double extended = 1.25L;
    auto lambda = [&] (int v) { return v + reference; };
    sink = lambda (1) + base.area () + point.sum () + function (3) + moved + (int) big + byte + letter;
    sink = own_of_thread + statically + hidden + yes + *first + grid[1][2] + (int) inner.only + (int) box.get (1) + ints.get (0);
    sink = wide + sixteen + (raw != null) + (int) tiny + (int) extended + (nothing == nullptr) + unnamed.a;
    sink = Box<double, 3>::shared + Box<int>::shared;
    sink = overloaded (1) + overloaded (1.5);
    return sink + text[0] + words[0] + (int) color + enumerated + points[1].x + flags.low + wide_text[0] + pointer->b; //@ plain
}
//? plain: base => (shapes::Derived) {<shapes::Base> = {_vptr.Base = 0x000000 <vtable for shapes::Derived+16>, b = 1}, <shapes::Other> = {_vptr.Other = 0x000000 <vtable for shapes::Derived+56>, other = 9}, d = 2, at = {x = 3, y = 4, static made = 3}, where = @0x000000, member = &shapes::Point::y}
//? plain: point
//? plain: *pointer => (shapes::Derived) {<shapes::Base> = {_vptr.Base = 0x000000 <vtable for shapes::Derived+16>, b = 1}, <shapes::Other> = {_vptr.Other = 0x000000 <vtable for shapes::Derived+56>, other = 9}, d = 2, at = {x = 3, y = 4, static made = 3}, where = @0x000000, member = &shapes::Point::y}
//? plain: pointer
//? plain: pointer->b
//? plain: array
//? plain: array[2]
//? plain: *array@3
//? plain: array[1]@4
//? plain: first[2]@3
//? plain: *first@2
//? plain: &array
//? plain: *&array[1]
//? plain: grid
//? plain: grid[1]
//? plain: grid[1][2]
//? plain: text
//? plain: words
//? plain: nothing
//? plain: first
//? plain: *first
//? plain: function
//? plain: *function
//? plain: flags
//? plain: flags.low
//? plain: flags.middle
//? plain: flags.color
//? plain: flags.u
//? plain: flags.named
//? plain: flags.named.c
//? plain: color
//? plain: (int) color
//? plain: color == shapes::Color::blue
//? plain: shapes::Color::green
//? plain: (shapes::Color) 4
//? plain: (shapes::Color) 5
//? plain: enumerated
//? plain: shapes::second
//? plain: box
//? plain: box.value
//? plain: Box<double, 3>::shared
//? plain: Box<double,3>::shared
//? plain: Box<int, 2>::shared
//? plain: ints
//? plain: reference
//? plain: reference + 1
//? plain: &reference
//? plain: moved
//? plain: big
//? plain: byte
//? plain: letter
//? plain: letter == 'A'
//? plain: wide
//? plain: sixteen
//? plain: wide_text
//? plain: yes
//? plain: !yes
//? plain: yes && big < 0
//? plain: yes || nothing
//? plain: not yes
//? plain: yes and big < 0
//? plain: (not yes) or (byte bitand 1) not_eq 0
//? plain: L'x'
//? plain: u"ab"
//? plain: U"a\tb"
//? plain: L"wide"
//? plain: u8"ab" => "ab"
//? plain: u"😀!"
//? plain: sizeof (L"ab")
//? plain: whatis L'x' => type = wchar_t
//? plain: *typeid (int).__name
//? plain: raw
//? plain: points
//? plain: points[1]
//? plain: points[1].y * 2
//? plain: &points[1]
//? plain: *points@2
//? plain: inner
//? plain: unnamed
//? plain: unnamed.in.b
//? plain: tiny => 1e-10
//? plain: extended
//? plain: shapes::counter
//? plain: ::shapes::counter
//? plain: shapes::deep::counter
//? plain: shapes::Point::made
//? plain: point.made
//? plain: hidden
//? plain: own_of_thread
//? plain: statically
//? plain: &statically
//? plain: sizeof (shapes::Point)
//? plain: sizeof (int)
//? plain: sizeof points
//? plain: sizeof (Box<double, 3>)
//? plain: (char) 65
//? plain: (unsigned char) 300
//? plain: (double) 7 / 2
//? plain: 7 / 2
//? plain: -7 % 3
//? plain: 1 << 4
//? plain: 3.0 * 2
//? plain: 10 > 9 ? 5 : 6
//? plain: ~5
//? plain: true
//? plain: false
//? plain: *(int *) raw
//? plain: (long) 5 == 5
//? plain: ((shapes::Derived *) pointer)->d
//? plain: ((shapes::Derived &) base).d
//? plain: *(shapes::Derived *) pointer
//? plain: static_cast<double> (letter)
//? plain: reinterpret_cast<int *> (raw)[1]
//? plain: &shapes::counter
//? plain: *&shapes::counter
//? plain: (unsigned long) -1
//? plain: 0x10 + 010
//? plain: 'a'
//? plain: "text"
//? plain: $rip == $pc
//? plain: (long) $rsp % 8
//? plain: twice
//? plain: &twice
//? plain: overloaded => "overloaded" is ambiguous: overloaded(double), overloaded(int)
//? plain: null => (decltype(nullptr)) 0x0
//? plain: array[0:10] => {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
//? plain: points[0:1] => {{x = 1, y = 2, static made = 3}, {x = 3, y = 4, static made = 3}}
//? plain: nosuch => no symbol "nosuch" in frame plain
//? plain: point.nosuch => no member "nosuch" in shapes::Point

static int
containers ()
{
    using namespace std::string_literals;
    std::string empty, small = "small", large (300, 'x');
    std::string_view view = "viewed";
    std::vector<int> numbers { 1, 2, 3 };
    std::vector<int> none;
    std::vector<std::string> names { "a", "bc" };
    std::vector<bool> bits { true, false, true };
    std::vector<std::vector<int>> nested { { 1 }, { 2, 3 } };
    std::array<double, 3> fixed { 1.5, 2.5, 3.5 };
    std::deque<int> queue;
    for (int i = 0; i < 300; i++)
        queue.push_back (i);
    for (int i = 0; i < 290; i++)
        queue.pop_front ();
    std::list<int> list { 7, 8, 9 };
    std::map<int, std::string> map { { 1, "one" }, { 2, "two" }, { 3, "three" } };
    std::map<std::string, int> by_name { { "x", 1 }, { "y", 2 } };
    std::unordered_map<int, int> hashed { { 5, 50 } };
    std::unordered_set<std::string> words { "only" };
    std::unordered_map<std::string, int> counts { { "k", 3 } };
    std::set<char> letters { 'a', 'b' };
    std::multimap<int, int> multi { { 1, 2 }, { 1, 3 } };
    std::pair<int, double> pair { 1, 2.5 };
    std::tuple<int, std::string, double> tuple { 1, "t", 0.5 };
    std::unique_ptr<shapes::Point> unique = std::make_unique<shapes::Point> (shapes::Point { 5, 6 });
    std::unique_ptr<int> gone;
    std::unique_ptr<int[]> row (new int[2] { 4, 5 });
    std::shared_ptr<shapes::Point> shared = std::make_shared<shapes::Point> (shapes::Point { 7, 8 });
    std::shared_ptr<shapes::Point> second = shared;
    std::weak_ptr<shapes::Point> weak = shared;
    std::optional<int> maybe = 4, never;
    std::optional<std::string> maybe_text = "there"s;
    std::variant<int, std::string, double> variant = "v"s;
    struct Holder { std::vector<int> inside; std::string label; } holder { { 4, 5 }, "held" };
    const std::vector<int> &reference = numbers;
    std::vector<int> *pointer = &numbers;
    sink = (int) numbers.size () + (int) queue.size () + reference[0] + (*pointer)[1] + fixed.size ();
    return sink + small[0] + (int) view.size () + second->x + unique->x; //@ containers
}
//? containers: empty
//? containers: small
//? containers: large
//? containers: view
//? containers: numbers
//? containers: none
//? containers: names
//? containers: bits
//? containers: nested
//? containers: fixed
//? containers: queue
//? containers: list
//? containers: map
//? containers: by_name
//? containers: hashed
//? containers: words
//? containers: counts
//? containers: letters
//? containers: multi
//? containers: pair
//? containers: tuple
//? containers: unique
//? containers: *unique
//? containers: unique->x
//? containers: gone
//? containers: row
//? containers: row[1] => 5
//? containers: shared
//? containers: *shared
//? containers: shared->y
//? containers: weak
//? containers: maybe
//? containers: never
//? containers: maybe_text
//? containers: variant
//? containers: holder
//? containers: holder.inside[1]
//? containers: reference
//? containers: pointer
//? containers: *pointer
//? containers: numbers[1]
//? containers: names[1]
//? containers: nested[1][0]
//? containers: fixed[2]
//? containers: small[1]
//? containers: queue[4] => 294
//? containers: (*pointer)[2]
//? containers: pair.first
//? containers: numbers.size() => 3
//? containers: small.size() => 5
//? containers: map.size() => 3
//? containers: list.size() => 3
//? containers: queue.size() => 10
//? containers: hashed.size() => 1
//? containers: numbers[1:2] => {2, 3}

int
main ()
{
    shapes::Derived derived;
    shapes::Point point { 30, 40 };
    shapes::Diamond diamond;
    int result = plain (derived, point, &derived) + containers () + diamond.total ();
    printf ("%d\n", result);
    return 0;
}
