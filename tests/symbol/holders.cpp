// SPDX-License-Identifier: GPL-3.0-or-later
// What the C++ library holds and points to, by number, by key and by its own functions; see
// test-values.py for `//?`.
#include <any>
#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>
#include <atomic>
#include <initializer_list>
using namespace std::chrono_literals;
struct Point { int x = 1, y = 2; int sum () const { return x + y; } };
enum class Colour { red, green };
static int twice (int v) { return 2 * v; }
int main () {
  std::any none, number = 42, word = std::string ("any text"), big = std::array<double, 8> {};
  std::any pt = Point {};
  std::filesystem::path path = "/usr/share/doc", rel = "a.txt", empty_path;
  auto ms = 1500ms; auto s = 3s; auto h = 2h; auto us = 7us; auto mn = 5min; auto ns = 9ns;
  std::chrono::duration<double> secs (1.5);
  std::chrono::duration<long, std::ratio<3, 7>> odd (4);
  std::chrono::system_clock::time_point tp (1500ms);
  std::chrono::steady_clock::time_point st (2s);
  std::variant<int, std::string> v1 = 5, v2 = std::string ("var");
  std::tuple<int, double, std::string> tup (1, 2.5, "three");
  std::pair<int, std::string> pr (7, "seven");
  std::list<int> li = { 1, 2, 3 };
  std::deque<int> dq = { 4, 5, 6 };
  std::set<int> se = { 3, 1, 2 };
  std::multiset<int> mse = { 1, 1 };
  std::unordered_set<int> us1 = { 9 };
  std::unordered_map<std::string, int> um = { { "one", 1 } };
  std::map<int, std::string> m = { { 3, "three" }, { 5, "five" } };
  std::map<std::string, int> names = { { "one", 1 }, { "two", 2 } };
  std::map<std::string, Point> pts = { { "p", { 5, 6 } } };
  std::unordered_map<int, double> hm = { { 1, 1.5 }, { 2, 2.5 } };
  std::map<Colour, int> cm = { { Colour::green, 8 } };
  std::multimap<int, int> mm = { { 1, 2 }, { 1, 3 } };
  std::string_view sv = "a view";
  int raw[4] = { 1, 2, 3, 4 };
  unsigned long lost_words[3] = { 0xffffffffffffff00, 0xffffffffffffff10, 0xffffffffffffff10 };
  auto &lost = *(std::vector<int> *) lost_words; // points into the kernel
  std::span<int> sp (raw, 3); std::span<int, 4> fsp (raw);
  std::bitset<10> bits (0b1000101);
  std::function<int (int)> fn = twice, lambda = [&] (int q) { return q + raw[0]; }, nofn;
  std::array<int, 3> ar = { 1, 2, 3 };
  std::complex<double> cd (1.5, -2.5); std::complex<float> cf (1, 2);
  std::optional<int> oi = 5, on; std::optional<std::string> os = "opt"; std::optional<Point> op = Point {};
  std::vector<int> vec = { 1, 2, 3 }; std::vector<bool> vb = { true, false, true };
  std::vector<std::string> vs = { "a", "b" }; std::vector<std::vector<int>> vv = { { 1 }, { 2, 3 } };
  std::unique_ptr<Point> up = std::make_unique<Point> (); std::shared_ptr<Point> shp = std::make_shared<Point> (); std::weak_ptr<Point> wp = shp;
  std::unique_ptr<int[]> ua (new int[3] { 1, 2, 3 });
  std::shared_ptr<int> shi = std::make_shared<int> (77); std::shared_ptr<int[]> many (new int[3] { 1, 2, 3 });
  auto it = vec.begin (); auto mit = m.begin (); auto lit = li.begin (); auto dit = dq.begin (); auto sit = se.begin (); auto uit = um.begin (); auto vbi = vb.begin ();
  auto cvit = vec.cbegin ();
  std::stack<int> stk; stk.push (1); stk.push (2); std::queue<int> que; que.push (3); std::priority_queue<int> pq; pq.push (4);
  std::string str = "text", longer (30, 'x'); std::wstring ws = L"wide"; std::u16string u16 = u"u16"; std::u32string u32 = U"u32";
  std::forward_list<int> fl = { 1, 2 };
  std::atomic<int> at (6); std::initializer_list<int> il = { 1, 2 };
  std::mutex mtx; std::reference_wrapper<int> rw (raw[1]);
  Point *pp = up.get (); std::vector<int> *pv = &vec; std::vector<int> &rv = vec; const std::string &rs = str;
  std::error_code ec;
  std::nullptr_t np = nullptr; 
  std::vector<Point> vp (2); std::deque<std::string> ds = { "q" };
  std::byte by { 7 };
  __float128 quad = 1.5; __int128 wide = -7, huge = (__int128) 1 << 100; int length = 3, vla[length];
  struct Open { int n; int data[]; } *open = (Open *) raw;
  std::cout << number.has_value () << path << fn (3) << lambda (4) << twice (1) << vec.size () << it - vec.begin () << pp->sum () << pv->size () << rv.size () << rs << "\n"; //@ here
  return 0;
}
//? here: none
//? here: number
//? here: word
//? here: big => std::any containing std::array<double, 8> = {[contained value] = {_M_elems = {0, 0, 0, 0, 0, 0, 0, 0}}}
//? here: pt
//? here: path => filesystem::path "/usr/share/doc"
//? here: rel
//? here: empty_path
//? here: ms => std::chrono::duration = { 1500ms }
//? here: s => std::chrono::duration = { 3s }
//? here: h => std::chrono::duration = { 2h }
//? here: us => std::chrono::duration = { 7us }
//? here: mn => std::chrono::duration = { 5min }
//? here: ns => std::chrono::duration = { 9ns }
//? here: secs => std::chrono::duration = { 1.5s }
//? here: odd => std::chrono::duration = { 4[3/7]s }
//? here: tp => std::chrono::time_point = { 1500000000ns }
//? here: st => std::chrono::time_point = { 2000000000ns }
//? here: v1
//? here: v2
//? here: tup
//? here: pr
//? here: li
//? here: dq
//? here: se
//? here: mse
//? here: us1
//? here: um
//? here: m
//? here: names
//? here: pts
//? here: hm
//? here: cm
//? here: mm
//? here: sv
//? here: sp
//? here: fsp
//? here: bits
//? here: fn => std::function<int(int)> = {0x# <twice>}
//? here: lambda => std::function<int(int)> = {0x# <std::_Function_handler<int(int), main()::<lambda(int)> >::_M_invoke>}
//? here: nofn => std::function<int(int)> [empty]
//? here: ar
//? here: cd
//? here: cf
//? here: oi
//? here: on
//? here: os
//? here: op
//? here: vec
//? here: vb
//? here: vs
//? here: vv
//? here: up
//? here: shp
//? here: wp
//? here: ua
//? here: shi
//? here: many
//? here: it
//? here: mit
//? here: lit
//? here: dit
//? here: sit
//? here: uit => {first = "one", second = 1}
//? here: cvit
//? here: stk
//? here: que
//? here: pq
//? here: str
//? here: longer
//? here: ws
//? here: u16
//? here: u32
//? here: fl
//? here: at
//? here: il
//? here: rw
//? here: pv
//? here: rv
//? here: rs
//? here: vp
//? here: ds
//? here: by
//? here: names["one"] => 1
//? here: names["two"] => 2
//? here: m[3] => "three"
//? here: m[5] => "five"
//? here: um["one"] => 1
//? here: hm[2] => 2.5
//? here: pts["p"] => {x = 5, y = 6}
//? here: pts["p"].x => 5
//? here: cm[Colour::green] => 8
//? here: vec[1]
//? here: vs[0]
//? here: vv[1][0]
//? here: dq[1]
//? here: ar[2]
//? here: str[0]
//? here: up->x
//? here: up->sum ()
//? here: shp->y
//? here: *up
//? here: *shp
//? here: *shi
//? here: *it
//? here: *mit => {first = 3, second = "three"}
//? here: mit->first => 3
//? here: mit->second => "three"
//? here: *lit
//? here: *dit
//? here: *sit => 1
//? here: *uit => {first = "one", second = 1}
//? here: uit->second => 1
//? here: *cvit
//? here: vec.size ()
//? here: names.size ()
//? here: str.length ()
//? here: str.c_str ()
//? here: str == "text" => true
//? here: str.size ()
//? here: vec.empty ()
//? here: vec.front ()
//? here: vec.back ()
//? here: vec.at (1)
//? here: m.at (3) => "three"
//? here: names.at ("two") => 2
//? here: names.count ("one") => 1
//? here: m.begin ()->second => "three"
//? here: vec.begin ()
//? here: *vec.begin ()
//? here: oi.value () => 5
//? here: *oi => 5
//? here: oi.has_value () => true
//? here: op->x => 1
//? here: pp->sum ()
//? here: pv->size ()
//? here: (*pv)[1]
//? here: rv[2]
//? here: rs[1]
//? here: pr.first
//? here: pr.second
//? here: std::get<0>(tup) => 1
//? here: up.get ()
//? here: shp.get ()
//? here: shp.use_count () => 1
//? here: bits[0] => true
//? here: sv[2] => 118 'v'
//? here: sp[1] => 2
//? here: sp.size () => 3
//? here: sp.data () => (int *) 0x#
//? here: ua[1]
//? here: stk.top () => 2
//? here: que.front () => 3
//? here: cd.real () => 1.5
//? here: cd * 2.0 => 3 + -5i
//? here: vec[0:1] => {1, 2}
//? here: vec[0]@2
//? here: *vec._M_impl._M_start@3
//? here: twice (4)
//? here: number.has_value ()
//? here: li.front ()
//? here: li.size ()
//? here: se.count (2) => 1
//? here: dq.size ()
//? here: vb[0]
//? here: vb[1]
//? here: it + 1 => (int *) 0x#
//? here: *(it + 1)
//? here: it[1] => 2
//? here: it == vec.begin () => true
//? here: li.begin ()
//? here: names["zz"] => <no such key>
//? here: *on => <no contained value>
//? here: wp.use_count () => 1
//? here: vs[0] == "a" => true
//? here: vs[0] != vs[1] => true
//? here: str < "tfoo" => true
//? here: cd.imag () => -2.5
//? here: (1, vec[2]) => 3
//? here: quad
//? here: quad + 1
//? here: wide
//? here: wide - 1 => -8
//? here: huge
//? here: huge + 1 => <too large to compute with>
//? here: sizeof (vla)
//? here: alignof (double)
//? here: {int} &length
//? here: raw[0]@length
//? here: open->n
//? here: lost[0] => <cannot read memory at 0xffffffffffffff00>
//? here: lost.size () => 4
