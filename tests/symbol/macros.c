/* Macros of all kinds, some of them the examples of the C standard (6.10.3.5). */
#include "macros.h"
#include <stddef.h>
#define N 12
#define SQ(x) ((x) * (x))
#define STR(x) #x
#define XSTR(x) STR (x)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT (a, b)
#define TO_G G
#define G(x) (x + 1)
#define SELF SELF + 1
#define PING PONG * 2
#define PONG PING * 3
#define CALL(f, ...) f (0, ##__VA_ARGS__)
#define NAMED(rest...) add (rest)
#define OPT(f, ...) f (1 __VA_OPT__ (, ) __VA_ARGS__)
int NOTHING = 6;
#define NOTHING
#define EMPTY() 7
#define x 3
#define f(a) f (x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g (~
#define m(a) a (w)
#define w 0, 1
#define t(a) a
#define p() int
#define q(y) y
#define r(y, z_) y##z_
#define s(y) #y
#define hash_hash #
#define TABLE_SIZE (sizeof table / sizeof table[0])
#define FIRST table[0]
#define MEMBER(type, name) ((type *) 0)->name
#define OFFSET_OF_B offsetof (struct pair, b)
#define BIT(n) (1u << (n))
#define MASK (BIT (3) | BIT (5))
#define LETTER 'a'
#define GREETING "hel" "lo"
#define MANY_1 1 + 1
#undef LIMIT
#define LIMIT 41
struct pair { int a, b; };
int table[N];
static struct pair pair = { 3, 4 };
int main (int argc, char **argv)
{
  int xy = argc + SQ (2);
  xy = inside (xy); /* first */
#undef N
#define N 13
  table[1] = N; /* second */
  return xy + pair.b + LARGER (N, LIMIT) > 1000;
}
