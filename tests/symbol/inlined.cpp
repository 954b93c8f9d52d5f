// SPDX-License-Identifier: GPL-3.0-or-later
// Containers whose functions are inlined only, in memory and in registers; see test-values.py for `//?`.
#include <array>
#include <bitset>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>
struct Point { int x, y; };
static void keep (const void *place) { asm volatile ("" : : "r" (place) : "memory"); }
__attribute__ ((noinline, noipa)) static int
use (std::span<int> container)
{
  int sum = 0;
  asm volatile ("nop" : "+r" (sum)); //@ use
  for (int number : container)
    sum += number;
  return sum;
}
int main () {
  std::shared_ptr<int[]> shared (new int[4] { 1, 2, 3, 4 });
  std::shared_ptr<Point[]> points (new Point[2] { { 1, 2 }, { 3, 4 } });
  std::shared_ptr<int[3]> three (new int[3] { 7, 8, 9 });
  std::unique_ptr<int[]> unique (new int[2] { 5, 6 });
  std::unique_ptr<Point> single (new Point { 1, 2 });
  std::vector<int> numbers { 10, 11, 12 };
  std::array<double, 3> array { 1.5, 2.5, 3.5 };
  keep (&shared), keep (&points), keep (&three), keep (&unique), keep (&single), keep (&numbers), keep (&array);
  std::puts ("in main"); //@ all
  return use (numbers) != 33;
}
//? all: shared[1] => 2
//? all: points[1].y => 4
//? all: three[2] => 9
//? all: unique[1] => 6
//? all: single[0] => cannot index a value of type std::unique_ptr<Point, std::default_delete<Point> >
//? all: numbers[2] => 12
//? all: array[1] => 2.5
//? use: container[1] => 11
//? use: container.size () => 3
//? use: container[3] => <no such element>
//? use: container => std::span of length 3 = {10, 11, 12}
