/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables that live as long as the program. What each begins with it says itself, then changes it and ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
    const char *name;
};
enum colour { RED, GREEN = 5 };

int data = 7;
static long hidden = -8;
int zero;
const int fixed = 9;
const char *text = "hello";
int *inside = &data;
struct point point = { 1, 2, "pt" };
struct point *points[3] = { &point, NULL, &point };
double reals[3] = { 1.5, -2, 3 };
static enum colour colour = GREEN;
char letters[6] = "abc";
__thread int local_to_thread = 5;
int (*compare) (const char *, const char *) = strcmp; /* of another file, where it is shared */
int n_calls = 3;

static int
count (int by)
{
    static int calls = 3;

    calls += by;
    n_calls = calls;
    return calls;
}

static void
tell (void)
{
    printf ("data = %d\nhidden = %ld\nzero = %d\nfixed = %d\n*inside = %d\n", data, hidden, zero, fixed, *inside);
    printf ("text[1] = %d\npoint.name[0] = %d\npoints[2]->y = %d\n", text[1], point.name[0], points[2]->y);
    printf ("reals[1] = %g\nletters[2] = %d\ncolour + 0 = %d\nn_calls = %d\n", reals[1], letters[2], colour + 0, n_calls);
    printf ("inside == &data = %d\npoints[1] == 0 = %d\nsizeof (struct point) = %d\nGREEN + 0 = %d\n",
            inside == &data, points[1] == NULL, (int) sizeof (struct point), GREEN);
    printf ("data + reals[2] = %g\n", data + reals[2]);
    fflush (stdout);
}

int
main (int argc, char **argv)
{
    int in_frame = argc;

    tell ();
    data = zero = 70;
    hidden += count (in_frame);
    text = "other";
    inside = &in_frame;
    memset (points, 0, sizeof points);
    point = (struct point) { -1, -1, NULL };
    reals[1] = reals[2] = 0;
    colour = RED;
    letters[2] = 'z';
    local_to_thread = compare ("a", "b");
    if (argc > 1 && strcmp (argv[1], "abort") == 0) {
        abort ();
    }
    return argc > 1 ? atoi (argv[1]) : 0;
}
