/* SPDX-License-Identifier: GPL-3.0-or-later */
// Containers of LLVM's C++ library as what they hold; gdb has no printers for them, so the program
// itself says what is right. See test-values.py.
#include <array>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

struct Point { int x, y; };
volatile int sink;

int
main ()
{
    std::string shorter = "ab", longer = "a text that does not fit into the object itself", none;
    std::wstring wide = L"wide";
    std::string_view part = std::string_view (longer).substr (2, 4);
    std::vector<int> numbers = { 1, 2, 3 };
    std::vector<std::string> words = { "one", "two" };
    std::vector<Point> points = { { 1, 2 }, { 3, 4 } };
    std::array<int, 3> three = { 7, 8, 9 };
    std::list<int> chain = { 4, 5, 6 };
    std::map<int, std::string> names = { { 3, "three" }, { 1, "one" }, { 2, "two" } };
    std::map<std::string, double> weights = { { "b", 2.5 }, { "a", 1.5 } };
    std::map<int, int> nothing;
    std::set<long> seen = { 30, 10, 20 };
    std::unordered_map<int, int> table = { { 5, 50 } };
    std::unique_ptr<Point> owned (new Point { 5, 6 });
    std::unique_ptr<Point> empty;
    std::shared_ptr<int> shared = std::make_shared<int> (42), other = shared;
    std::weak_ptr<int> weak = shared;
    std::optional<int> maybe = 11, never;
    std::tuple<int, std::string> both = { 1, "x" };
    std::variant<int, std::string> either = std::string ("chosen");
    sink = numbers.size () + words.size () + points.size () + three.size () + chain.size ()
           + names.size () + weights.size () + nothing.size () + seen.size () + table.size ()
           + part.size () + wide.size () + none.size () + shorter.size ();
    printf ("%d\n", sink); //@ held
    return owned->x + (empty != nullptr) + *shared + *other + weak.use_count () + *maybe
           + never.has_value () + std::get<0> (both) + (int) either.index () == 0;
}
//? held: shorter => "ab"
//? held: longer => "a text that does not fit into the object itself"
//? held: none => ""
//? held: wide => L"wide"
//? held: part => "text"
//? held: numbers => std::vector of length 3, capacity 3 = {1, 2, 3}
//? held: numbers[1] => 2
//? held: words => std::vector of length 2, capacity 2 = {"one", "two"}
//? held: words[1] => "two"
//? held: points[1].y => 4
//? held: three[2] => 9
//? held: chain => std::list = {[0] = 4, [1] = 5, [2] = 6}
//? held: names => std::map with 3 elements = {[1] = "one", [2] = "two", [3] = "three"}
//? held: weights => std::map with 2 elements = {["a"] = 1.5, ["b"] = 2.5}
//? held: nothing => std::map with 0 elements
//? held: seen => std::set with 3 elements = {[0] = 10, [1] = 20, [2] = 30}
//? held: table => std::unordered_map with 1 element = {[5] = 50}
//? held: owned->y => 6
//? held: *owned => {x = 5, y = 6}
//? held: empty => std::unique_ptr<Point> = {get() = 0x0}
//? held: *shared => 42
//? held: maybe => std::optional<int> = {[contained value] = 11}
//? held: never => std::optional<int> [no contained value]
//? held: both => std::tuple containing = {[0] = 1, [1] = "x"}
//? held: either => std::variant<int, std::string> [index 1] = {"chosen"}
