/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that give back vectors, alone and inside others, and one that takes them. Each result is
 * 3, 4, 5, 6 as far as it goes. */
typedef float Four __attribute__ ((vector_size (16)));
typedef float Two __attribute__ ((vector_size (8)));
typedef int Whole __attribute__ ((vector_size (16)));
struct holder { Four four; };
union either { Four four; long word; };

static Four
give_four (int n)
{
    return (Four) { n, n + 1, n + 2, n + 3 };
}

static Two
give_two (int n)
{
    return (Two) { n, n + 1 };
}

static Whole
give_whole (int n)
{
    return (Whole) { n, n + 1, n + 2, n + 3 };
}

static struct holder
give_holder (int n)
{
    return (struct holder) { give_four (n) };
}

static union either
give_either (int n)
{
    return (union either) { .four = give_four (n) };
}

static float
add (Four four, struct holder holder)
{
    return four[0] + four[3] + holder.four[2];
}

int
main (void)
{
    Four four = give_four (3);
    Two two = give_two (3);
    Whole whole = give_whole (3);
    struct holder holder = give_holder (3);
    union either either = give_either (3);

    return add (four, holder) + two[1] + (float) whole[1] + either.four[1] == 26 ? 0 : 1; //@ end
}
