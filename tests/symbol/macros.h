#define LIMIT 40
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
static inline int inside (int number)
{
#define INNER 5
  int result = number + INNER; /* inside */
#undef INNER
  return result * 2;
}
